"""What a chunk says for a reduction, how that is joined, and what it comes to: one table."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from marsdask.errors import ArgumentError, ShapeError

NOTHING = inspect.Parameter.empty


@dataclass(frozen=True)
class Reduction:
    """How one reduction folds. `chunk(part, axes, where=, **settings)` -> state; `finish(state, **settings)` -> array.

    `takes`: settings beside axis, out and keepdims, with their defaults. `identity`: False where an empty axis is an error.
    """

    chunk: Callable[..., Any]
    combine: Callable[[list[Any]], Any]
    finish: Callable[..., Any]
    takes: dict[str, Any]
    identity: bool = True


def _by(name: str, part: Any, axes: Any, where: Any = True, **settings: Any) -> Any:
    """NumPy's own function on a chunk."""
    settings.pop("initial", None)
    extra = {} if where is True else {"where": where}
    return getattr(np, name)(part, axis=axes, keepdims=True, **extra, **settings)


def _with_initial(ufunc: np.ufunc, state: Any, initial: Any = NOTHING, **settings: Any) -> Any:
    return state if initial is NOTHING else ufunc(state, initial)


def _empty(part: Any, axes: Any) -> bool:
    return any(part.shape[i] == 0 for i in axes)


def _extreme(ufunc: np.ufunc, part: Any, axes: Any, where: Any = True, initial: Any = NOTHING) -> Any:
    if initial is not NOTHING:
        return ufunc.reduce(part, axis=axes, keepdims=True, initial=initial, where=where)
    return None if _empty(part, axes) else ufunc.reduce(part, axis=axes, keepdims=True)


def _extreme_of(ufunc: np.ufunc, state: Any, **settings: Any) -> Any:
    if state is None:
        raise ShapeError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity.")
    if ufunc in (np.fmax, np.fmin) and state.dtype.kind in "fc" and np.isnan(state).any():
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
    return state


def _spread(part: Any, axes: Any) -> Any:
    if _empty(part, axes):
        return None
    return part.max(axis=axes, keepdims=True), part.min(axis=axes, keepdims=True)


def _wider(a: Any, b: Any) -> Any:
    return np.maximum(a[0], b[0]), np.minimum(a[1], b[1])


def _spread_of(state: Any) -> Any:
    if state is None:
        raise ShapeError("zero-size array to reduction operation maximum which has no identity.")
    return state[0] - state[1]


def _mask(nan: bool, part: Any, where: Any) -> Any:
    """Which elements count."""
    if nan and part.dtype.kind in "fc":
        return ~np.isnan(part) if where is True else where & ~np.isnan(part)
    return where


def _count(part: Any, axes: Any, where: Any) -> Any:
    if where is True:
        shape = tuple(1 if i in axes else n for i, n in enumerate(part.shape))
        return np.full(shape, math.prod(part.shape[i] for i in axes), "i8")
    return np.add.reduce(np.broadcast_to(where, part.shape), axis=axes, keepdims=True, dtype="i8")


def _working(dtype: Any, given: Any) -> np.dtype[Any]:
    """The dtype NumPy adds up in for means: doubles for whole numbers, single for half precision."""
    if given is not None:
        return np.dtype("f4") if np.dtype(given) == np.float16 else np.dtype(given)
    if dtype.kind in "biu":
        return np.dtype("f8")
    return np.dtype("f4") if dtype == np.float16 else dtype


def _totals(nan: bool, part: Any, axes: Any, where: Any = True, dtype: Any = None) -> Any:
    """Count and sum."""
    mask = _mask(nan, part, where)
    total = np.add.reduce(part, axis=axes, keepdims=True, dtype=_working(part.dtype, dtype), where=mask)
    return _count(part, axes, mask), total


def _both_totals(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1]


def _mean_of(state: Any, dtype: Any = None) -> Any:
    count, total = state
    if not np.all(count):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    with np.errstate(all="ignore"):
        return total / count


def _moments(nan: bool, part: Any, axes: Any, where: Any = True, dtype: Any = None, ddof: float = 0) -> Any:
    """Count, a centre near the mean, the sum of distances from it, and of squared distances from the mean.

    Chan, Golub and LeVeque join chunks by differences of their means. A mean rounded to the data's precision made these wrong
    in the third digit where the mean is large beside the spread; the centre and what is left of it together are exact enough.
    """
    with np.errstate(all="ignore"):
        mask = _mask(nan, part, where)
        count, total = _totals(nan, part, axes, where, dtype)
        centre = total / np.maximum(count, 1).astype(total.real.dtype)
        away = part - centre
        rest, squares = (
            np.add.reduce(x, axis=axes, keepdims=True, where=mask) for x in (away, _square(away))
        )
        return count, centre, rest, squares - _square(rest) / np.maximum(count, 1).astype(squares.dtype)


def _both_moments(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        count, none, kind = a[0] + b[0], a[0] == 0, a[3].dtype
        many, of_a, of_b = (np.maximum(n, 1).astype(kind) for n in (count, a[0], b[0]))
        away = (b[1] - a[1]) + (b[2] / of_b - a[2] / of_a)
        # A side without elements has no mean of its own to differ by.
        between = np.where(none | (b[0] == 0), 0, _square(away) * (a[0] * (b[0] / many))).astype(kind)
        rest = np.where(none, b[2], a[2] + b[2] + b[0].astype(kind) * (b[1] - a[1]))
        return count, np.where(none, b[1], a[1]), rest.astype(a[2].dtype), a[3] + b[3] + between


def _square(away: Any) -> Any:
    return (away * away.conj()).real if away.dtype.kind == "c" else away * away


def _variance_of(nan: bool, root: bool, state: Any, dtype: Any = None, ddof: float = 0) -> Any:
    count, _, _, spread = state
    free = count - ddof
    if np.any(free <= 0):
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
    with np.errstate(all="ignore"):
        variance = spread / (np.where(free > 0, free, np.nan) if nan else np.maximum(free, 0))
        return np.sqrt(variance) if root else variance


def _place_chunk(name: str, part: Any, axes: Any) -> Any:
    """(best value, its position, length) of a chunk; positions count on when chunks are joined in order."""
    (axis,) = axes
    if not part.shape[axis]:
        return None
    if name.startswith("nan") and part.dtype.kind in "fc":
        filled = np.where(np.isnan(part), -np.inf if name == "nanargmax" else np.inf, part)
        place = getattr(np, name[3:])(filled, axis=axis, keepdims=True)
        # An infinite element beside holes: the hole must not win.
        number = ~np.isnan(part)
        first = np.argmax(number, axis=axis, keepdims=True)
        hit = np.take_along_axis(number, place, axis)
        alike = np.where(np.isnan(part), False, part == np.take_along_axis(filled, place, axis))
        place = np.where(
            hit, place, np.where(alike.any(axis, keepdims=True), alike.argmax(axis, keepdims=True), first)
        )
    else:
        place = getattr(np, name.removeprefix("nan"))(part, axis=axis, keepdims=True)
    return np.take_along_axis(part, place, axis), place, part.shape[axis]


def _better(name: str, a: Any, b: Any) -> Any:
    """The better of two neighbours' best; of equal ones the first."""
    better = b[0] > a[0] if name.endswith("max") else b[0] < a[0]
    if a[0].dtype.kind in "fcmM":
        hole_a, hole_b = _hole(a[0]), _hole(b[0])
        better = ~hole_b & (hole_a | better) if name.startswith("nan") else ~hole_a & (hole_b | better)
    return np.where(better, b[0], a[0]), np.where(better, a[2] + b[1], a[1]), a[2] + b[2]


def _hole(x: Any) -> Any:
    return np.isnat(x) if x.dtype.kind in "mM" else np.isnan(x)


def _place_of(name: str, state: Any) -> Any:
    if state is None:
        raise ShapeError(f"attempt to get {name.removeprefix('nan')} of an empty sequence")
    if name.startswith("nan") and state[0].dtype.kind in "fc" and np.isnan(state[0]).any():
        raise ArgumentError("All-NaN slice encountered")
    return state[1]


def _ufunc(ufunc: np.ufunc, name: str, takes: dict[str, Any]) -> Reduction:
    return Reduction(partial(_by, name), partial(reduce, ufunc), partial(_with_initial, ufunc), takes)


def _extremes(ufunc: np.ufunc) -> Reduction:
    takes = {"initial": NOTHING, "where": None}
    chunk, finish = partial(_extreme, ufunc), partial(_extreme_of, ufunc)
    return Reduction(chunk, partial(reduce, ufunc), finish, takes, identity=False)


def _places(name: str) -> Reduction:
    chunk, join = partial(_place_chunk, name), partial(reduce, partial(_better, name))
    return Reduction(chunk, join, partial(_place_of, name), {}, identity=False)


def _mean(nan: bool) -> Reduction:
    takes = {"dtype": None, "where": None}
    return Reduction(partial(_totals, nan), partial(reduce, _both_totals), _mean_of, takes)


def _variance(nan: bool, *, root: bool) -> Reduction:
    takes = {"dtype": None, "ddof": 0, "where": None, "mean": None, "correction": None}
    finish = partial(_variance_of, nan, root)
    return Reduction(partial(_moments, nan), partial(reduce, _both_moments), finish, takes)


_SUM = {"dtype": None, "initial": NOTHING, "where": None}

TABLE: dict[str, Reduction] = {
    "sum": _ufunc(np.add, "sum", _SUM),
    "prod": _ufunc(np.multiply, "prod", _SUM),
    "any": _ufunc(np.logical_or, "any", {"where": None}),
    "all": _ufunc(np.logical_and, "all", {"where": None}),
    "max": _extremes(np.maximum),
    "min": _extremes(np.minimum),
    "nansum": _ufunc(np.add, "nansum", _SUM),
    "nanprod": _ufunc(np.multiply, "nanprod", _SUM),
    "nanmax": _extremes(np.fmax),
    "nanmin": _extremes(np.fmin),
    "ptp": Reduction(_spread, partial(reduce, _wider), _spread_of, {}, identity=False),
    "mean": _mean(False),
    "nanmean": _mean(True),
    "var": _variance(False, root=False),
    "std": _variance(False, root=True),
    "nanvar": _variance(True, root=False),
    "nanstd": _variance(True, root=True),
    "count_nonzero": _ufunc(np.add, "count_nonzero", {}),
    "argmax": _places("argmax"),
    "argmin": _places("argmin"),
    "nanargmax": _places("nanargmax"),
    "nanargmin": _places("nanargmin"),
}
