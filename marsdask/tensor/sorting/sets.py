"""Distinct values and sets of them, binary search, and counting into bins."""

from __future__ import annotations

import operator
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.meta import NAN, TensorMeta, TupleMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.fold import extent, flat, joined_at_once, per_matrix, replaced, with_whole
from marsdask.tensor.indexing.indexing import flat as flat_tensor

INTP = np.dtype(np.intp)


@public("unique")
def unique(
    ar: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    aggregate_size: int | None = None,
) -> Any:
    """The distinct elements in order; with positions of the first, of each in them, and counts. Lengths only a run can tell."""
    if aggregate_size is not None:
        checks.whole(aggregate_size, "aggregate_size", 1)
    axis = None if axis is None else checks.axis(axis, ar.ndim)
    flags = (bool(return_index), bool(return_inverse), bool(return_counts))
    return registry.make("unique.of", ar, *flags, axis, bool(equal_nan))


def _unique_meta(
    ar: TensorMeta, index: bool, inverse: bool, counts: bool, axis: int | None, equal_nan: bool
) -> Any:
    values = (NAN,) if axis is None else replaced(ar.shape, axis, NAN)
    some = TensorMeta((NAN,), INTP)
    places = TensorMeta(ar.shape if axis is None else (ar.shape[axis],), INTP)
    found = (TensorMeta(values, ar.dtype), *[some] * index, *[places] * inverse, *[some] * counts)
    return TupleMeta(found) if len(found) > 1 else found[0]


@lowered("unique.of", meta=_unique_meta)
def unique_of(
    ar: da.Array, index: bool, inverse: bool, counts: bool, axis: int | None, equal_nan: bool
) -> Any:
    """`unique` once its arguments are in order."""
    if axis is not None or ar.dtype.kind in ("OV" if equal_nan else "OVfc"):
        graph.rule("unique: rows, or holes that differ: in one chunk")
        known = _unique_meta(ar, index, inverse, counts, axis, equal_nan)
        settings = {"return_index": index, "return_inverse": inverse, "return_counts": counts}
        found = partial(_unique_whole, axis=axis, equal_nan=equal_nan, **settings)
        return per_matrix(found, [(ar, ar.ndim)], known, "unique")
    line = flat(ar)
    offsets = tuple(np.cumsum((0, *line.chunks[0])).tolist())
    states = graph.per_chunk(partial(_distinct, offsets), graph.from_array(line), lengths=None, number=True)
    one = graph.tree(states, _distinct_together)
    values, first, times = (
        graph.to_array(graph.per_chunk(operator.itemgetter(i), one, lengths=(NAN,)), (), dtype)
        for i, dtype in enumerate((ar.dtype, INTP, INTP))
    )
    places = [with_whole(_found, INTP, ar, values)] if inverse else []
    parts = (values, *[first] * index, *places, *[times] * counts)
    return parts if len(parts) > 1 else values


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


def _found(part: Any, values: Any) -> Any:
    return np.searchsorted(values, part)


def _unique_whole(part: Any, axis: Any, return_inverse: bool, **settings: Any) -> Any:
    found = np.unique(part, axis=axis, return_inverse=return_inverse, **settings)
    if not return_inverse:
        return found
    results, at = list(found), 1 + settings["return_index"]
    results[at] = results[at].reshape(part.shape if axis is None else -1)
    return results


@public("union1d")
def union1d(ar1: Array, ar2: Array, aggregate_size: int | None = None) -> Any:
    """The distinct elements of both, in order."""
    both = registry.make("concatenate", [flat_tensor(ar1), flat_tensor(ar2)])
    return unique(both, aggregate_size=aggregate_size)


@public("setdiff1d")
def setdiff1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Any:
    """The distinct elements of the first that are not in the second, in order."""
    first = flat_tensor(ar1) if assume_unique else unique(flat_tensor(ar1))
    return first[registry.make("isin", first, flat_tensor(ar2), invert=True)]


@public("intersect1d")
def intersect1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Any:
    """The distinct elements that are in both, in order."""
    first = unique(flat_tensor(ar1).astype(np.result_type(ar1.dtype, ar2.dtype), copy=False))
    return first[registry.make("isin", first, flat_tensor(ar2))]


@public("searchsorted", owners=("Tensor",))
def searchsorted(
    a: Array, v: Array, side: str = "left", sorter: Array = None, combine_size: int | None = None
) -> Any:
    """Where elements of `v` would be put to keep the sorted `a` in order. `a` may be chunked: chunks count for themselves."""
    joined_at_once(combine_size)
    checks.choice(side, "side", ("left", "right"))
    if a.ndim != 1:
        raise ArgumentError(
            f"a= must be one-dimensional, got {a.ndim} dimensions: object of too small depth for desired array"
        )
    return registry.make("searchsorted", a, v, side, sorter)


@lowered("searchsorted", meta=lambda a, v, side, sorter: TensorMeta(v.shape, INTP))
def _searchsorted(a: da.Array, v: da.Array, side: str, sorter: da.Array | None) -> da.Array:
    if sorter is not None:
        if sorter.shape != a.shape:
            raise ArgumentError("sorter.size must equal len(key)")
        a = per_matrix(operator.getitem, [(a, 1), (sorter, 1)], TensorMeta(a.shape, a.dtype), "getitem")
    every = tuple(range(v.ndim))
    places = da.blockwise(
        partial(_places, side), (-1, *every), a, (-1,), v, every, dtype=INTP, align_arrays=False,
        adjust_chunks={-1: 1},
    )  # fmt: skip
    return places.sum(axis=0, dtype=INTP)


def _places(side: Any, a: Any, v: Any) -> Any:
    return np.asarray(np.searchsorted(a, v, side=side))[None]


@lowered("digitize", room="tensor", meta=lambda x, bins, right=False: TensorMeta(x.shape, INTP))
def digitize(x: Array, bins: Array, right: bool = False) -> da.Array:
    """The number of the bin that each element falls in; `bins` go to every chunk whole."""
    if x.dtype.kind == "c":
        raise ArgumentTypeError("x may not be complex")
    return with_whole(partial(np.digitize, right=right), INTP, x, bins)


@public("bincount")
def bincount(x: Array, weights: Array = None, minlength: int = 0, chunk_size_limit: int | None = None) -> Any:
    """How often each whole number comes. The number of bins is known after a run."""
    if x.ndim != 1:
        raise ArgumentError(f"x=: object {'too deep' if x.ndim else 'of too small depth'} for desired array")
    if not np.can_cast(x.dtype, np.intp, casting="safe"):
        raise ArgumentTypeError(f"x=: cannot cast from {x.dtype} to whole numbers by the rule 'safe'.")
    minlength = checks.whole(minlength, "minlength", 0)
    if weights is not None:
        lengths = {n for t in (x, weights) for n in t.known.shape if n == n}
        if weights.ndim != 1 or len(lengths) > 1:
            raise ShapeError("The weights and list don't have the same length.")
    return registry.make("bincount", x, weights, minlength)


@lowered("bincount", meta=lambda x, weights, *rest: TensorMeta((NAN,), _counted(weights)))
def _bincount(x: da.Array, weights: da.Array | None, minlength: int) -> Generator[Any, Any, da.Array]:
    low, high = (yield from extent(x)) or (0, -1)
    if low < 0:
        raise ArgumentError("'list' argument must have no negative elements")
    size = max(minlength, int(high) + 1)
    if size > options.bincount.chunk_size_limit:
        raise ArgumentError(
            f"bincount needs {size:,} bins; options.bincount.chunk_size_limit allows {options.bincount.chunk_size_limit:,}."
        )
    both = (x,) if weights is None else (x, graph.rechunked(weights, x.chunks))
    parts = graph.per_chunk(partial(np.bincount, minlength=size), *both, lengths=None)
    total = graph.tree(parts, partial(np.sum, axis=0)).with_lengths((size,))
    return graph.to_array(total, (), _counted(weights))


def _counted(weights: Any) -> np.dtype[Any]:
    return INTP if weights is None else np.dtype("f8")
