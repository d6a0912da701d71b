"""Reductions: what a chunk says, how that is joined, and what it comes to, in one table; and the public names."""

from __future__ import annotations

import inspect
import math
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ShapeError, Unbuilt
from marsdask.plan import moments, registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import NEEDED, as_tensor, signature
from marsdask.tensor.core import given as fitted
from marsdask.tensor.elements.fusion import REDUCTIONS, reduced_dtype
from marsdask.tensor.fold import (
    NOTHING,
    axes_of,
    flat,
    fold,
    joined_at_once,
    reduced_shape,
    refuse_empty,
    totals_of,
)

LEFT_OUT = NEEDED
OBJECTS_FROM = {"sum": 0, "prod": 1, "nansum": 0, "nanprod": 1}


@dataclass(frozen=True)
class Reduction:
    """How one reduction folds. `chunk(part, axes, where=, **settings)` -> state; `finish(state, **settings)` -> array.

    `takes`: settings beside axis, out and keepdims, with their defaults. `identity`: False where an empty axis is an error.
    """

    chunk: Callable[..., Any]
    join: Callable[[list[Any]], Any]
    finish: Callable[..., Any]
    takes: dict[str, Any]
    identity: bool = True


def _ufunc(ufunc: np.ufunc, name: str, takes: dict[str, Any]) -> Reduction:
    """NumPy's own function on a chunk; partial results are joined by a ufunc."""
    return Reduction(partial(_by, name), partial(_joined, ufunc), partial(_with_initial, ufunc), takes)


def _joined(ufunc: np.ufunc, states: list[Any]) -> Any:
    return reduce(totals_of(ufunc, states[0].dtype), states)


def _by(name: str, part: Any, axes: Any, initial: Any = LEFT_OUT, **settings: Any) -> Any:
    if part.dtype == object and name in OBJECTS_FROM and settings.get("dtype") is None:
        if not all(part.shape[i] for i in axes):
            return np.full([1 if i in axes else n for i, n in enumerate(part.shape)], NOTHING, part.dtype)
        if initial is not LEFT_OUT:  # some add up only from a beginning
            settings["initial"] = OBJECTS_FROM[name]
    return getattr(np, name)(part, axis=axes, keepdims=True, **settings)


def _with_initial(ufunc: np.ufunc, state: Any, initial: Any = LEFT_OUT, **settings: Any) -> Any:
    if state.dtype == object:
        state = np.frompyfunc(partial(_or, ufunc.identity), 1, 1)(state)
    return state if initial is LEFT_OUT else ufunc(state, initial)


def _or(identity: Any, value: Any) -> Any:
    return identity if value is NOTHING else value


def _extremes(ufunc: np.ufunc) -> Reduction:
    chunk, finish = partial(_extreme, ufunc), partial(_extreme_of, ufunc)
    takes = {"initial": LEFT_OUT, "where": None}
    return Reduction(chunk, partial(_most, ufunc), finish, takes, identity=False)


def _past_holes(better: Callable[[Any, Any], bool], a: Any, b: Any) -> Any:
    return b if a != a or better(b, a) else a


# NumPy's own compare objects, and stay with a hole that comes first. Without an identity they take several axes at once.
PAST_HOLES = {
    ufunc: np.frompyfunc(partial(_past_holes, better), 2, 1, identity=None)
    for ufunc, better in ((np.fmax, operator.gt), (np.fmin, operator.lt))
}


def _by_kind(ufunc: np.ufunc, values: Any) -> Any:
    """What joins values of this kind by a ufunc."""
    return PAST_HOLES.get(ufunc, ufunc) if values.dtype == object else ufunc


def _most(ufunc: np.ufunc, states: list[Any]) -> Any:
    return reduce(_by_kind(ufunc, states[0]), states)


def _extreme(ufunc: np.ufunc, part: Any, axes: Any, where: Any = True, initial: Any = LEFT_OUT) -> Any:
    ufunc = _by_kind(ufunc, part)
    if initial is not LEFT_OUT:
        return ufunc.reduce(part, axis=axes, keepdims=True, initial=initial, where=where)
    return ufunc.reduce(part, axis=axes, keepdims=True) if all(part.shape[i] for i in axes) else None


def _extreme_of(ufunc: np.ufunc, state: Any, **settings: Any) -> Any:
    if state is None:
        raise ShapeError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity.")
    if ufunc in PAST_HOLES and state.dtype.kind in "fcO" and np.any(state != state):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
    return state


def _each_by(ufuncs: tuple[np.ufunc, ...], a: Any, b: Any) -> Any:
    """Two states as one, whose parts are joined by a ufunc each."""
    return tuple(map(operator.call, ufuncs, a, b))


def _spread(part: Any, axes: Any) -> Any:
    high, low = (_extreme(ufunc, part, axes) for ufunc in (np.maximum, np.minimum))
    return None if high is None else (high, low)


def _spread_of(state: Any) -> Any:
    high, low = state or (None, None)
    return _extreme_of(np.maximum, high) - low


def _mask(nan: bool, part: Any, where: Any) -> Any:
    """Which elements count."""
    if nan and part.dtype.kind in "fc":
        return ~np.isnan(part) if where is True else where & ~np.isnan(part)
    if nan and part.dtype == object:
        return (part == part) & where
    return where


def _adding(mask: Any, part: Any) -> dict[str, Any]:
    """How elements that count are added up: objects need a 0 to start from where some do not."""
    return {"where": mask, "initial": 0} if part.dtype == object and mask is not True else {"where": mask}


def _totals(nan: bool, part: Any, axes: Any, where: Any = True, dtype: Any = None) -> Any:
    """Count and sum, in the dtype NumPy adds up in for means: doubles for whole numbers, single for half precision."""
    mask = _mask(nan, part, where)
    if mask is True:
        shape = tuple(1 if i in axes else n for i, n in enumerate(part.shape))
        count = np.full(shape, math.prod(part.shape[i] for i in axes), "i8")
    else:
        count = np.add.reduce(np.broadcast_to(mask, part.shape), axis=axes, keepdims=True, dtype="i8")
    if dtype is None:
        dtype = np.float64 if part.dtype.kind in "biu" else part.dtype
    # Of times a ufunc takes the kind, and no unit.
    single = np.float32 if dtype == np.float16 else None if part.dtype.kind == "m" else dtype
    return count, np.add.reduce(part, axis=axes, keepdims=True, dtype=single, **_adding(mask, part))


def _mean_of(state: Any, dtype: Any = None) -> Any:
    count, total = state
    if not np.all(count):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    with np.errstate(all="ignore"):
        return total / count


def _moments(nan: bool, part: Any, axes: Any, where: Any = True, dtype: Any = None, ddof: float = 0) -> Any:
    with np.errstate(all="ignore"):
        mask = _mask(nan, part, where)
        summed = partial(np.add.reduce, axis=axes, keepdims=True, **_adding(mask, part))
        count, total = _totals(nan, part, axes, where, dtype)
        return moments.of(part, count, total, summed)


def _variance_of(nan: bool, root: bool, state: Any, dtype: Any = None, ddof: float = 0) -> Any:
    count, _, spread = moments.central(state)
    free = count - ddof
    if np.any(free <= 0):
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
    with np.errstate(all="ignore"):
        variance = spread / (np.where(free > 0, free, np.nan) if nan else np.maximum(free, 0))
        return _root(variance) if root else variance


def _root(values: Any) -> Any:
    """Square roots. A lone object is a number to NumPy, several are asked for their own."""
    lone = values.dtype == object and values.size == 1
    return np.frompyfunc(np.sqrt, 1, 1)(values) if lone else np.sqrt(values)


def _variance(*, nan: bool, root: bool) -> Reduction:
    takes = {"dtype": None, "ddof": 0, "where": None, "mean": None, "correction": None}
    return Reduction(partial(_moments, nan), moments.joined, partial(_variance_of, nan, root), takes)


def _place_chunk(name: str, part: Any, axes: Any) -> Any:
    """(best value, its position, length) of a chunk; positions count on when chunks are joined in order."""
    (axis,) = axes
    if not part.shape[axis]:
        return None
    if _leaves_out(name, part.dtype):
        best = _extreme(np.fmax if name == "nanargmax" else np.fmin, part, axes)
        place = np.argmax(part == best, axis=axis, keepdims=True)
    else:
        place = getattr(np, name.removeprefix("nan"))(part, axis=axis, keepdims=True)
    return np.take_along_axis(part, place, axis), place, part.shape[axis]


def _leaves_out(name: str, dtype: np.dtype) -> bool:
    """Whether holes are left out: among times NumPy does not look for NaT, which is first of all then."""
    return name.startswith("nan") and dtype.kind in "fcO"


def _better(name: str, a: Any, b: Any) -> Any:
    """The better of two neighbours' best; of equal ones the first."""
    better = b[0] > a[0] if name.endswith("max") else b[0] < a[0]
    left_out = _leaves_out(name, a[0].dtype)
    if left_out or a[0].dtype.kind in "fcmM":
        hole_a, hole_b = (x[0] != x[0] for x in (a, b))
        better = ~hole_b & (hole_a | better) if left_out else ~hole_a & (hole_b | better)
    return np.where(better, b[0], a[0]), np.where(better, a[2] + b[1], a[1]), a[2] + b[2]


def _place_of(name: str, state: Any) -> Any:
    if state is None:
        raise ShapeError(f"attempt to get {name.removeprefix('nan')} of an empty sequence")
    if _leaves_out(name, state[0].dtype) and np.any(state[0] != state[0]):
        raise ArgumentError("All-NaN slice encountered")
    return state[1]


_ADD_TOTALS = partial(reduce, partial(_each_by, (np.add, np.add)))
_WIDER = partial(reduce, partial(_each_by, (np.maximum, np.minimum)))
_AVERAGED = {"dtype": None, "where": None}
_ADDED = {"dtype": None, "initial": LEFT_OUT, "where": None}

TABLE: dict[str, Reduction] = {
    "sum": _ufunc(np.add, "sum", _ADDED),
    "prod": _ufunc(np.multiply, "prod", _ADDED),
    "any": _ufunc(np.logical_or, "any", {"where": None}),
    "all": _ufunc(np.logical_and, "all", {"where": None}),
    "max": _extremes(np.maximum),
    "min": _extremes(np.minimum),
    "nansum": _ufunc(np.add, "nansum", _ADDED),
    "nanprod": _ufunc(np.multiply, "nanprod", _ADDED),
    "nanmax": _extremes(np.fmax),
    "nanmin": _extremes(np.fmin),
    "ptp": Reduction(_spread, _WIDER, _spread_of, {}, identity=False),
    "mean": Reduction(partial(_totals, False), _ADD_TOTALS, _mean_of, _AVERAGED),
    "nanmean": Reduction(partial(_totals, True), _ADD_TOTALS, _mean_of, _AVERAGED),
    "var": _variance(nan=False, root=False),
    "std": _variance(nan=False, root=True),
    "nanvar": _variance(nan=True, root=False),
    "nanstd": _variance(nan=True, root=True),
    "count_nonzero": _ufunc(np.add, "count_nonzero", {}),
}
PLACES = ("argmax", "argmin", "nanargmax", "nanargmin")
for _name in PLACES:
    _join = partial(reduce, partial(_better, _name))
    TABLE[_name] = Reduction(
        partial(_place_chunk, _name), _join, partial(_place_of, _name), {}, identity=False
    )
ALIASES = {"amax": "max", "amin": "min", "product": "prod"}
METHODS = {"sum", "prod", "any", "all", "max", "min", "ptp", "mean", "var", "std", "argmax", "argmin"}


def _lower(
    name: str, a: Any, axis: Any = None, keepdims: bool = False, where: Any = None, **settings: Any
) -> da.Array:
    how, every = TABLE[name], settings.pop("every", None)
    shape = (1,) * a.ndim
    line = name in PLACES and axis is None
    if line:
        a, axis = flat(a), (0,)
    how_each = (partial(how.chunk, **settings), how.join, partial(how.finish, **settings))
    dtype, keep = _dtype(name, a.dtype, settings), keepdims and not line
    found = fold(a, axis, *how_each, dtype, keepdims=keep, where=where, label=name, every=every)
    return found.reshape(shape) if keepdims and line else found


def _dtype(name: str, dtype: Any, settings: dict[str, Any]) -> np.dtype[Any]:
    return reduced_dtype(name, dtype, **{k: v for k, v in settings.items() if k == "dtype"})


def _meta(
    name: str, a: TensorMeta, axis: Any = None, keepdims: bool = False, where: Any = None, **settings: Any
) -> TensorMeta:
    if not TABLE[name].identity and "initial" not in settings:
        refuse_empty(a, axis, name)
        if where is not None:
            raise ArgumentError(f"{name}(where=) needs initial= too: {name} has no identity.")
    if where is not None and where.ndim > a.ndim:
        raise ShapeError(f"{name}(where=): shape {where.shape} does not broadcast to {a.shape}.")
    order = "C" if name in PLACES else a.order
    return TensorMeta(reduced_shape(a, axis, keepdims), _dtype(name, a.dtype, settings), order)


def _reduced(name: str, a: Array, **given: Any) -> Any:
    """A node of the reduction; arguments that are NumPy's defaults are left out, so that equal calls are equal."""
    given = {k: v for k, v in given.items() if v is not None}
    takes = TABLE[name].takes
    axis = given.get("axis")
    kwargs: dict[str, Any] = {}
    # NumPy's ufuncs let a scalar be reduced along "its" axis; what is more than a ufunc does not.
    if axis is not None and (a.ndim or name.removeprefix("nan") not in REDUCTIONS or axis not in (0, -1)):
        kwargs["axis"] = (checks.axis(axis, a.ndim),) if name in PLACES else axes_of(axis, a.ndim)
    if given.get("keepdims"):
        kwargs["keepdims"] = True
    if "combine_size" in given:
        kwargs["every"] = joined_at_once(given["combine_size"])
    if "mean" in given:
        raise Unbuilt.argument(
            name, "mean", given["mean"], "leave it out: the mean is found in the same pass."
        )
    if "correction" in given:
        if given.get("ddof"):
            raise ArgumentError("ddof and correction can't be provided simultaneously.")
        given["ddof"] = given["correction"]
    if "dtype" in given:
        kwargs["dtype"] = np.dtype(given["dtype"])
    kwargs |= {k: given[k] for k in ("initial", "ddof") if k in given and given[k] is not takes[k]}
    if given.get("where", True) is not True:
        kwargs["where"] = as_tensor(given["where"])
    result = registry.make(name, a, **kwargs)
    return fitted(result, given.get("out"))


def _signature(name: str) -> inspect.Signature:
    """NumPy's parameters, with Mars's `combine_size`."""
    takes = TABLE[name].takes
    defaults = {"axis": None, "dtype": None, "out": None, "ddof": 0, "keepdims": False, "combine_size": None}
    gone = ({"dtype", "ddof"} - set(takes)) | ({"out"} if name == "count_nonzero" else set())
    settings = {k: v for k, v in defaults.items() if k not in gone}
    return signature({"a": NEEDED, **settings}, [k for k in takes if k not in settings])


for _public, _name in (*zip(TABLE, TABLE, strict=True), *ALIASES.items()):
    public(
        _public,
        signature=_signature(_name),
        direct=False,
        owners=("Tensor",) if _public in METHODS else (),
        doc=f"NumPy's `{_public}` over axes, chunk by chunk, joined in a tree.",
    )(partial(_reduced, _name))
for _name in TABLE:
    lowered(
        _name,
        sizes="aligned",
        meta=partial(_meta, _name),
        traits=("reducible",) if _name in REDUCTIONS else (),
    )(partial(_lower, _name))
