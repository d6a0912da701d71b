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


SCALAR_AXIS = ("sum", "prod", "product", "max", "min", "amax", "amin", "any", "all")


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


def _joining(ufunc: np.ufunc) -> Callable[[list[Any]], Any]:
    return partial(_join, ufunc)


def _join(ufunc: np.ufunc, states: list[Any]) -> Any:
    return reduce(ufunc, states)


def _same(state: Any, **settings: Any) -> Any:
    return state


def _by(name: str, part: Any, axes: Any, where: Any = True, **settings: Any) -> Any:
    """NumPy's own function on a chunk."""
    settings.pop("initial", None)
    extra = {} if where is True else {"where": where}
    return getattr(np, name)(part, axis=axes, keepdims=True, **extra, **settings)


def _with_initial(ufunc: np.ufunc, state: Any, initial: Any = NOTHING, **settings: Any) -> Any:
    return state if initial is NOTHING or initial is None else ufunc(state, initial)


def _extreme(ufunc: np.ufunc, part: Any, axes: Any, where: Any = True, initial: Any = NOTHING) -> Any:
    if initial is not NOTHING:
        return ufunc.reduce(part, axis=axes, keepdims=True, initial=initial, where=where)
    if where is not True:
        raise ArgumentError("where= of an operation without identity needs initial= too.")
    if any(part.shape[i] == 0 for i in axes):
        return None
    return ufunc.reduce(part, axis=axes, keepdims=True)


def _extreme_of(ufunc: np.ufunc, state: Any, **settings: Any) -> Any:
    if state is None:
        raise ShapeError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity.")
    if ufunc in (np.fmax, np.fmin) and state.dtype.kind in "fc" and np.isnan(state).any():
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
    return state


def _spread(part: Any, axes: Any) -> Any:
    if any(part.shape[i] == 0 for i in axes):
        return None
    return part.max(axis=axes, keepdims=True), part.min(axis=axes, keepdims=True)


def _spread_join(states: list[Any]) -> Any:
    return reduce(np.maximum, [s[0] for s in states]), reduce(np.minimum, [s[1] for s in states])


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


def _mean_chunk(nan: bool, part: Any, axes: Any, where: Any = True, dtype: Any = None) -> Any:
    mask = _mask(nan, part, where)
    total = np.add.reduce(part, axis=axes, keepdims=True, dtype=_working(part.dtype, dtype), where=mask)
    return total, _count(part, axes, mask)


def _mean_join(states: list[Any]) -> Any:
    return reduce(np.add, [s[0] for s in states]), reduce(np.add, [s[1] for s in states])


def _mean_of(nan: bool, state: Any, dtype: Any = None) -> Any:
    total, count = state
    if not np.all(count):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    with np.errstate(all="ignore"):
        return total / count


def _moment_chunk(
    nan: bool, part: Any, axes: Any, where: Any = True, dtype: Any = None, ddof: float = 0
) -> Any:
    """Count, mean and sum of squared distances: what chunks can be joined by (Chan, Golub, LeVeque)."""
    mask = _mask(nan, part, where)
    work = _working(part.dtype, dtype)
    count = _count(part, axes, mask)
    with np.errstate(all="ignore"):
        total = np.add.reduce(part, axis=axes, keepdims=True, dtype=work, where=mask)
        mean = total / np.maximum(count, 1).astype(np.dtype(work.type(0).real.dtype))
        away = part - mean
        square = (away * away.conj()).real if work.kind == "c" else away * away
        spread = np.add.reduce(square, axis=axes, keepdims=True, where=mask)
    return count, mean, spread


def _moment_join(states: list[Any]) -> Any:
    return reduce(_moment_pair, states)


def _moment_pair(a: Any, b: Any) -> Any:
    count = a[0] + b[0]
    some = np.maximum(count, 1)
    with np.errstate(all="ignore"):
        away = b[1] - a[1]
        square = (away * away.conj()).real if away.dtype.kind == "c" else away * away
        # A side without elements has no mean of its own to differ by.
        both = (a[0] > 0) & (b[0] > 0)
        mean = np.where(both, a[1] + away * (b[0] / some), np.where(a[0] > 0, a[1], b[1]))
        spread = a[2] + b[2] + np.where(both, square * (a[0] * (b[0] / some)), 0)
    return count, mean.astype(a[1].dtype, copy=False), spread.astype(a[2].dtype, copy=False)


def _moment_of(nan: bool, root: bool, state: Any, dtype: Any = None, ddof: float = 0) -> Any:
    count, _, spread = state
    free = count - ddof
    if np.any(free <= 0):
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
    with np.errstate(all="ignore"):
        variance = spread / (np.where(free > 0, free, np.nan) if nan else np.maximum(free, 0))
        return np.sqrt(variance) if root else variance


def _count_nonzero(part: Any, axes: Any) -> Any:
    return np.count_nonzero(part, axis=axes, keepdims=True)


def _place_chunk(name: str, part: Any, axes: Any) -> Any:
    """(best value, its position, length) of a chunk; positions count on when chunks are joined in order."""
    (axis,) = axes
    if part.shape[axis] == 0:
        return None
    blank = np.zeros_like(part, shape=tuple(1 if i == axis else n for i, n in enumerate(part.shape)))
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
    best = np.take_along_axis(part, place, axis) if part.size else blank
    return best, place, part.shape[axis]


def _place_join(name: str, states: list[Any]) -> Any:
    def pair(a: Any, b: Any) -> Any:
        better = b[0] > a[0] if name.endswith("max") else b[0] < a[0]
        if a[0].dtype.kind in "fcmM":
            hole_a, hole_b = _hole(a[0]), _hole(b[0])
            better = (
                (hole_a & ~hole_b) | (better & ~hole_b)
                if name.startswith("nan")
                else ~hole_a & (hole_b | better)
            )
        return np.where(better, b[0], a[0]), np.where(better, a[2] + b[1], a[1]), a[2] + b[2]

    return reduce(pair, states)


def _hole(x: Any) -> Any:
    return np.isnat(x) if x.dtype.kind in "mM" else np.isnan(x)


def _place_of(name: str, state: Any) -> Any:
    if state is None:
        raise ShapeError(f"attempt to get {name.removeprefix('nan')} of an empty sequence")
    if name.startswith("nan") and state[0].dtype.kind in "fc" and np.isnan(state[0]).any():
        raise ArgumentError("All-NaN slice encountered")
    return state[1]


def _ufunc(ufunc: np.ufunc, name: str, takes: dict[str, Any]) -> Reduction:
    return Reduction(partial(_by, name), _joining(ufunc), partial(_with_initial, ufunc), takes)


def _extremes(ufunc: np.ufunc, takes: dict[str, Any]) -> Reduction:
    return Reduction(
        partial(_extreme, ufunc), _joining(ufunc), partial(_extreme_of, ufunc), takes, identity=False
    )


def _places(name: str) -> Reduction:
    return Reduction(
        partial(_place_chunk, name), partial(_place_join, name), partial(_place_of, name), {}, identity=False
    )


def _moments(nan: bool, *, root: bool) -> Reduction:
    takes = {"dtype": None, "ddof": 0, "where": None, "mean": None, "correction": None}
    return Reduction(partial(_moment_chunk, nan), _moment_join, partial(_moment_of, nan, root), takes)


_SUM = {"dtype": None, "initial": NOTHING, "where": None}
_MAX = {"initial": NOTHING, "where": None}

TABLE: dict[str, Reduction] = {
    "sum": _ufunc(np.add, "sum", _SUM),
    "prod": _ufunc(np.multiply, "prod", _SUM),
    "any": _ufunc(np.logical_or, "any", {"where": None}),
    "all": _ufunc(np.logical_and, "all", {"where": None}),
    "max": _extremes(np.maximum, _MAX),
    "min": _extremes(np.minimum, _MAX),
    "nansum": _ufunc(np.add, "nansum", _SUM),
    "nanprod": _ufunc(np.multiply, "nanprod", _SUM),
    "nanmax": _extremes(np.fmax, _MAX),
    "nanmin": _extremes(np.fmin, _MAX),
    "ptp": Reduction(_spread, _spread_join, _spread_of, {}, identity=False),
    "mean": Reduction(partial(_mean_chunk, False), _mean_join, partial(_mean_of, False), {"dtype": None, "where": None}),
    "nanmean": Reduction(partial(_mean_chunk, True), _mean_join, partial(_mean_of, True), {"dtype": None, "where": None}),
    "var": _moments(False, root=False),
    "std": _moments(False, root=True),
    "nanvar": _moments(True, root=False),
    "nanstd": _moments(True, root=True),
    "count_nonzero": Reduction(_count_nonzero, _joining(np.add), _same, {}),
    "argmax": _places("argmax"),
    "argmin": _places("argmin"),
    "nanargmax": _places("nanargmax"),
    "nanargmin": _places("nanargmin"),
}  # fmt: skip
