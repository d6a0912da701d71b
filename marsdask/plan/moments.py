"""Moments: counts, means and sums of powers of differences, of chunks and of what several chunks make.

A state is `(count, centre, first, second, ...)`: how many values, a point near their mean, and the sums of powers of their
differences from that point. States are joined about a common point (Chan, Golub and LeVeque; Pebay), and only the end looks at
the mean. A mean rounded to the data's precision made joined variances wrong in the third digit where the mean is large
beside the spread; the centre and the sum of what is left of it together are exact enough.

Each entry is a number or an array: of lines of a tensor, of pairs of columns, of groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

State = tuple[Any, ...]
_total = partial(reduce, add)


def of(values: Any, count: Any, total: Any, summed: Callable[[Any], Any] = np.sum, most: int = 2) -> State:
    """The state of values, up to the `most`th power, from their count and total; `summed` adds up the same ones."""
    with np.errstate(all="ignore"):
        centre = (total / np.maximum(count, 1)).astype(total.dtype)
        if centre.dtype == object:  # a Decimal is not added to a float, such as 0 / 1
            centre = np.where(count > 0, centre, 0)
        away = values - centre
        square = _product(away, away)
        powers = (away, square, square * away, square * square) if most == 4 else (away, square)
        return count, centre, *map(summed, powers)


def _product(a: Any, b: Any) -> Any:
    """`a` times `b`; of complex numbers the part that makes variances."""
    return (a * np.conj(b)).real if np.iscomplexobj(a) else a * b


def product(count: Any, a: tuple[Any, Any], b: tuple[Any, Any], total: Any) -> Any:
    """The sum of products about another point: of both factors how far that lies below, and their sum of differences."""
    (away_a, first_a), (away_b, first_b) = a, b
    return total + _product(away_a, first_b) + _product(away_b, first_a) + count * _product(away_a, away_b)


def moved(state: State, away: Any) -> State:
    """The same state about a point that lies `away` below its centre."""
    count, centre, first, second, *higher = state
    sums = [count, first, second, *higher]
    more = (
        sum(math.comb(power, k) * away ** (power - k) * sums[k] for k in range(power + 1))
        for power in range(3, len(sums))
    )
    both = (away, first)
    return count, centre - away, first + count * away, product(count, both, both, second), *more


def joined(states: Sequence[State], move: Callable[[State, Any], State] = moved) -> State:
    """The state of all values of several. `move` moves what a state has besides, too."""
    if len(states) == 1:
        return states[0]
    with np.errstate(all="ignore"):
        count, centre = _middle(states, _total)
        _, _, *sums = zip(*(move(s, _away(s, centre)) for s in states), strict=True)
        return count, centre, *map(_total, sums)


def joined_by(state: State, number: np.ndarray, groups: int) -> State:
    """As `joined`, of rows of states of which those with one number belong together."""

    def summed(values: Sequence[Any]) -> Any:
        return np.bincount(number, values[0], minlength=groups)

    with np.errstate(all="ignore"):
        count, centre = _middle([state], summed)
        _, _, *sums = moved(state, _away(state, centre[number]))
        return count, centre, *(summed([each]) for each in sums)


def _middle(states: Sequence[State], summed: Callable[[Sequence[Any]], Any]) -> tuple[Any, Any]:
    """How many values there are in all, and a point near their mean."""
    count = summed([s[0] for s in states])
    return count, summed([s[0] * s[1] + s[2] for s in states]) / np.maximum(count, 1)


def _away(state: State, centre: Any) -> Any:
    """How far a state lies above a point; what has no values has no place of its own."""
    return np.where(state[0] > 0, state[1] - centre, 0)


def central(state: State, move: Callable[[State, Any], State] = moved) -> State:
    """Count, mean, and sums of powers, from the second on, of differences from the mean."""
    with np.errstate(all="ignore"):
        count, mean, _, *powers = move(state, -state[2] / np.maximum(state[0], 1))
        return count, mean, *powers


def variance(count: Any, second: Any, ddof: float) -> Any:
    """The variance, nan of too few values."""
    with np.errstate(all="ignore"):
        return np.where(count > ddof, second / (count - ddof), np.nan)
