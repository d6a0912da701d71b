"""Distinct values and sets of them, binary search, and counting into bins."""

from __future__ import annotations

import operator
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import TensorMeta, TupleMeta
from marsdask.plan.registry import Array, lowered, operation, public
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import flat, joined_at_once, one_axis, whole

NAN = float("nan")
INTP = np.dtype(np.intp)


def _unique_meta(
    ar: TensorMeta,
    index: bool = False,
    inverse: bool = False,
    counts: bool = False,
    axis: Any = None,
    equal_nan: bool = True,
) -> Any:
    rest = () if axis is None else ar.shape
    values = (NAN,) if axis is None else tuple(NAN if i == axis else n for i, n in enumerate(rest))
    found = [TensorMeta(values, ar.dtype)]
    found += [TensorMeta((NAN,), INTP)] * index
    if inverse:
        found.append(TensorMeta(ar.shape if axis is None else (ar.shape[axis],), INTP))
    found += [TensorMeta((NAN,), INTP)] * counts
    return TupleMeta(tuple(found)) if len(found) > 1 else found[0]


def _prepare_unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    equal_nan: bool = True,
    aggregate_size: Any = None,
) -> Any:
    if aggregate_size is not None and (not isinstance(aggregate_size, int) or aggregate_size < 1):
        raise ArgumentError(f"aggregate_size={aggregate_size!r}: expected a whole number of 1 or more.")
    ar = as_tensor(ar)
    axis = None if axis is None else one_axis(axis, ar.ndim)
    flags = (bool(return_index), bool(return_inverse), bool(return_counts))
    return registry.make("unique.of", ar, *flags, axis, bool(equal_nan))


@operation(
    "unique",
    room="tensor",
    sizes="any",
    prepare=_prepare_unique,
)  # fmt: skip
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    aggregate_size: int | None = None,
) -> Any:
    """The distinct elements in order; with positions of the first, of each in them, and counts. Lengths only a run can tell."""


@lowered("unique.of", meta=_unique_meta)
def unique_of(
    ar: da.Array,
    index: bool = False,
    inverse: bool = False,
    counts: bool = False,
    axis: int | None = None,
    equal_nan: bool = True,
) -> Any:
    """`unique` once its arguments are in order."""
    if axis is not None or (not equal_nan and ar.dtype.kind in "fc") or ar.dtype.kind in "OV":
        return _unique_whole(ar, index, inverse, counts, axis, equal_nan)
    line = flat(ar)
    chunks = graph.from_array(line)
    offsets = tuple(np.cumsum((0, *line.chunks[0])).tolist())
    states = graph.per_chunk(partial(_distinct, offsets), chunks, lengths=None, number=True)
    one = graph.tree(states, _distinct_together)
    parts = [_result(one, 0, ar.dtype)]
    if index:
        parts.append(_result(one, 1, INTP))
    if inverse:
        every = tuple(range(ar.ndim))
        parts.append(
            da.blockwise(
                _find, every, ar, every, parts[0], (-1,), dtype=INTP, concatenate=True, align_arrays=False
            )
        )
    if counts:
        parts.append(_result(one, 2, INTP))
    return tuple(parts) if len(parts) > 1 else parts[0]


def _result(one: graph.Chunks, i: int, dtype: Any) -> da.Array:
    part = graph.per_chunk(operator.itemgetter(i), one, lengths=(NAN,))
    return graph.to_array(part, (), dtype)


def _distinct(offsets: tuple[int, ...], i: int, part: Any) -> Any:
    values, first, counts = np.unique(part, return_index=True, return_counts=True)
    return values, first + offsets[i], counts


def _distinct_together(states: list[Any]) -> Any:
    """Chunks come in order and `unique` finds the first of equal ones: so positions stay those of the first."""
    values, where, inverse = np.unique(
        np.concatenate([s[0] for s in states]), return_index=True, return_inverse=True
    )
    first = np.concatenate([s[1] for s in states])[where]
    counts = np.zeros(len(values), INTP)
    np.add.at(counts, inverse.reshape(-1), np.concatenate([s[2] for s in states]))
    return values, first, counts


def _find(part: Any, values: Any) -> Any:
    return np.searchsorted(values, part)


def _unique_whole(ar: da.Array, index: bool, inverse: bool, counts: bool, axis: Any, equal_nan: bool) -> Any:
    graph.rule("unique: rows, or holes that differ: in one chunk")
    unknown = (NAN,)
    values = unknown if axis is None else tuple(NAN if i == axis else n for i, n in enumerate(ar.shape))
    if axis:  # the axis of unknown length goes first: chunks of unknown length are along it
        moved = np.arange(ar.ndim).tolist()
        moved.remove(axis)
        values = (NAN, *(ar.shape[i] for i in moved))
    shapes: list[Any] = [values]
    shapes += [unknown] * index
    if inverse:
        shapes.append((ar.size,) if axis is None else (ar.shape[axis],))
    shapes += [unknown] * counts
    dtypes = [ar.dtype, *[INTP] * (len(shapes) - 1)]
    made = list(
        whole(
            _unique_moved,
            [ar],
            shapes,
            dtypes,
            index=index,
            inverse=inverse,
            counts=counts,
            axis=axis,
            equal_nan=equal_nan,
        )
    )
    if axis:
        made[0] = da.moveaxis(made[0], 0, axis)
    if inverse and axis is None and ar.ndim != 1:
        made[1 + index] = made[1 + index].reshape(ar.shape)
    return tuple(made) if len(made) > 1 else made[0]


def _unique_moved(part: Any, index: bool, inverse: bool, counts: bool, axis: Any, equal_nan: bool) -> Any:
    found = np.unique(part, index, inverse, counts, axis=axis, equal_nan=equal_nan)
    results = list(found) if isinstance(found, tuple) else [found]
    if axis:
        results[0] = np.moveaxis(results[0], axis, 0)
    if inverse:
        results[1 + index] = results[1 + index].reshape(-1)
    return tuple(results)


def _flat(value: Any) -> Any:
    value = as_tensor(value)
    return value if value.ndim == 1 else registry.make("reshape", value, -1)


def _union(ar1: Any, ar2: Any = None, aggregate_size: Any = None) -> Any:
    both = registry.make("concatenate", [_flat(ar1), _flat(ar2)])
    return _prepare_unique(both, aggregate_size=aggregate_size)


@operation(
    "union1d",
    room="tensor",
    sizes="any",
    prepare=_union,
)
def union1d(ar1: Any, ar2: Any, aggregate_size: int | None = None) -> Any:
    """The distinct elements of both, in order."""


def _setdiff(ar1: Any, ar2: Any = None, assume_unique: bool = False) -> Any:
    first = _flat(ar1) if assume_unique else _prepare_unique(_flat(ar1))
    return first[registry.make("isin", first, _flat(ar2), invert=True)]


@operation(
    "setdiff1d", room="tensor", sizes="any", prepare=_setdiff
)  # fmt: skip
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """The distinct elements of the first that are not in the second, in order."""


def _intersect(ar1: Any, ar2: Any = None, assume_unique: bool = False) -> Any:
    first = _prepare_unique(_flat(ar1))
    return first[registry.make("isin", first, _flat(ar2))]


@operation(
    "intersect1d",
    room="tensor",
    sizes="any",
    prepare=_intersect,
)
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """The distinct elements that are in both, in order."""


def _prepare_searchsorted(
    a: Any, v: Any = None, side: str = "left", sorter: Any = None, combine_size: Any = None
) -> Any:
    joined_at_once(combine_size)
    if side not in ("left", "right"):
        raise ArgumentError(f"side={side!r}: search side must be one of 'left' or 'right'.")
    a = as_tensor(a)
    if a.ndim != 1:
        raise ArgumentError(
            f"a= must be one-dimensional, got {a.ndim} dimensions: object of too small depth for desired array"
        )
    return {"a": a, "v": v, "side": side, **({} if sorter is None else {"sorter": sorter})}


@operation(
    "searchsorted",
    room="tensor",
    owners=["Tensor"],
    prepare=_prepare_searchsorted,
    meta=lambda a, v, *args, **kwargs: TensorMeta(v.shape, INTP),
)  # fmt: skip
def searchsorted(
    a: Array, v: Array, side: str = "left", sorter: Array | None = None, combine_size: int | None = None
) -> da.Array:
    """Where elements of `v` would be put to keep the sorted `a` in order. `a` may be chunked: chunks count for themselves."""
    if sorter is not None:
        if sorter.shape != a.shape:
            raise ArgumentError("sorter.size must equal len(key)")
        (a,) = whole(_taken, [a, sorter], [a.shape], [a.dtype])
    every = tuple(range(v.ndim))
    places = da.blockwise(
        partial(_places, side),
        (-1, *every),
        a,
        (-1,),
        v,
        every,
        dtype=INTP,
        align_arrays=False,
        adjust_chunks={-1: 1},
    )
    return places.sum(axis=0, dtype=INTP)


def _taken(a: Any, places: Any) -> Any:
    return a[places]


def _places(side: Any, a: Any, v: Any) -> Any:
    return np.asarray(np.searchsorted(a, v, side=side))[None]


@lowered(
    "digitize",
    room="tensor",
    meta=lambda x, bins, right=False: TensorMeta(x.shape, INTP),
)  # fmt: skip
def digitize(x: Array, bins: Array, right: bool = False) -> da.Array:
    """The number of the bin that each element falls in; `bins` go to every chunk whole."""
    if x.dtype.kind == "c":
        raise ArgumentTypeError("x may not be complex")
    index = tuple(range(x.ndim))
    numbered = partial(_numbered, right)
    return da.blockwise(
        numbered, index, x, index, bins, (-1,), dtype=INTP, concatenate=True, align_arrays=False
    )


def _numbered(right: bool, part: Any, bins: Any) -> Any:
    return np.asarray(np.digitize(part, bins, right=right))


@public("bincount")
def bincount(x: Any, weights: Any = None, minlength: Any = 0, chunk_size_limit: Any = None) -> Any:
    """How often each whole number comes. The number of bins is known after a run."""
    x = as_tensor(x)
    if x.ndim != 1:
        raise ArgumentError(
            "x=: object too deep for desired array"
            if x.ndim
            else "x=: object of too small depth for desired array"
        )
    if not np.can_cast(x.dtype, np.intp, casting="safe"):
        raise ArgumentTypeError(f"x=: cannot cast from {x.dtype} to whole numbers by the rule 'safe'.")
    if minlength is None or isinstance(minlength, float):
        raise ArgumentTypeError(f"minlength={minlength!r}: expected a whole number.")
    if minlength < 0:
        raise ArgumentError("'minlength' must not be negative")
    if weights is not None:
        weights = as_tensor(weights)
        if weights.ndim != 1 or (
            weights.shape[0] == weights.shape[0] and x.shape[0] == x.shape[0] and weights.shape != x.shape
        ):
            raise ShapeError("The weights and list don't have the same length.")
    return {"x": x, "weights": weights, "minlength": int(minlength)}


@lowered(
    "bincount",
    meta=lambda x, weights=None, minlength=0: TensorMeta((NAN,), INTP if weights is None else np.dtype("f8")),
)
def _prepare_bincount(
    x: Array, weights: Array | None = None, minlength: int = 0, chunk_size_limit: int | None = None
) -> Generator[Any, Any, da.Array]:
    ranges = yield Ask(graph.per_chunk(_range, x, lengths=None))
    ranges = [r for r in ranges if r is not None]
    if ranges and min(r[0] for r in ranges) < 0:
        raise ArgumentError("'list' argument must have no negative elements")
    size = max(minlength, max((r[1] for r in ranges), default=-1) + 1)
    if size > options.bincount.chunk_size_limit:
        raise ArgumentError(
            f"bincount needs {size:,} bins; options.bincount.chunk_size_limit allows {options.bincount.chunk_size_limit:,}."
        )
    if weights is None:
        parts = graph.per_chunk(partial(_counted, size), x, lengths=None)
    else:
        weights = weights.rechunk(x.chunks)
        parts = graph.per_chunk(partial(_counted, size), x, weights, lengths=None)
    total = graph.tree(parts, _added)
    return graph.to_array(total.with_lengths((size,)), (), INTP if weights is None else np.dtype("f8"))


def _range(part: Any) -> Any:
    return (int(part.min()), int(part.max())) if len(part) else None


def _counted(size: int, part: Any, weights: Any = None) -> Any:
    return np.bincount(part, weights, minlength=size)


def _added(parts: list[Any]) -> Any:
    return np.sum(parts, axis=0)
