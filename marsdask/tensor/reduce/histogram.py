"""Counting into bins."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial, reduce
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NAN, TensorMeta, TupleMeta
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import flat, whole

INT = np.dtype(np.intp)


@public("histogram")
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many elements fall in each bin, and the bins' edges."""
    return _histogram(a, bins, range, weights, bool(density), False)


@public("histogram_bin_edges")
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of bins that `histogram` would use."""
    return _histogram(a, bins, range, weights, False, True)


def _histogram(a: Any, bins: Any, range: Any, weights: Any, density: bool, edges_only: bool) -> Any:
    a = as_tensor(a)
    if weights is not None:
        weights = as_tensor(weights)
        if weights.shape != a.shape and not any(n != n for n in (*weights.shape, *a.shape)):
            raise ShapeError("weights should have the same shape as a.")
    if range is not None:
        range = [x.to_numpy() if isinstance(x, registry.Handle) and x.is_executed() else x for x in range]
    if isinstance(bins, registry.Handle) and bins.ndim != 1:
        raise ArgumentError("`bins` must be 1d, when an array")
    # NumPy's own errors, of what is in memory
    edges = 1 if isinstance(bins, registry.Handle) else bins
    ends = None if range is None or any(isinstance(x, registry.Handle) for x in range) else range
    np.histogram_bin_edges(np.zeros(0), edges, ends, None if weights is None else np.zeros(0))
    if not isinstance(bins, (str, registry.Handle)) and np.ndim(bins):
        bins = np.asarray(bins)
    return registry.make("histogram.of", a, bins, range, weights, density, edges_only)


def _histogram_meta(
    a: TensorMeta, bins: Any, range: Any, weights: Any, density: bool, edges_only: bool
) -> Any:
    if isinstance(bins, (TensorMeta, np.ndarray)):
        count, dtype = bins.shape[0], bins.dtype
    else:
        count = NAN if isinstance(bins, str) else bins + 1
        dtype = np.result_type(a.dtype, np.float64) if a.dtype.kind in "biufc" else a.dtype
    edges = TensorMeta((count,), dtype)
    if edges_only:
        return edges
    kind = np.dtype("f8") if density else INT if weights is None else weights.dtype
    return TupleMeta((TensorMeta((count - 1,), kind), edges))


@lowered("histogram.of", meta=_histogram_meta)
def histogram_of(
    a: da.Array, bins: Any, range: Any, weights: Any, density: bool, edges_only: bool
) -> Generator[Any, Any, Any]:
    """Counts and edges once the arguments are in order: the extremes are asked for, then chunks are counted."""
    line = flat(a.astype("u1") if a.dtype == bool else a)
    if isinstance(bins, da.Array):
        bins = yield Ask(bins)
    if range is not None and any(isinstance(r, da.Array) for r in range):
        range = [end.item() for end in (yield Ask(*map(da.asarray, range)))]
    if isinstance(bins, np.ndarray):
        edges = bins
    elif isinstance(bins, str):
        known = _histogram_meta(a, bins, range, None, False, True)
        (edges,) = whole(np.histogram_bin_edges, [line], [known.shape], [known.dtype], bins=bins, range=range)
        edges = yield Ask(edges)
        bins, range = len(edges) - 1, (edges[0], edges[-1])
    else:
        range = (yield from _extent(line)) if range is None else range
        edges = np.histogram_bin_edges(np.zeros(0, line.dtype), bins, range)
        edges = edges.astype(np.result_type(line.dtype, np.float64))
    if edges_only:
        return da.from_array(edges)
    weighted = [] if weights is None else [flat(weights).rechunk(line.chunks)]
    parts = graph.per_chunk(partial(_counts, bins, range), line, *weighted, lengths=None)
    total = graph.tree(parts, partial(reduce, np.add)).with_lengths((len(edges) - 1,))
    counts = graph.to_array(total, (), INT if weights is None else weights.dtype)
    if density:
        counts = counts / counts.sum() / np.array(np.diff(edges), float)
    return counts, da.from_array(edges)


def _extent(line: da.Array) -> Generator[Any, Any, tuple[Any, Any]]:
    """The least and the greatest element, which are asked for; 0 and 1 of nothing, as in NumPy."""
    found = [r for r in (yield Ask(graph.per_chunk(_extremes, line, lengths=None))) if r is not None]
    if not found:
        return 0, 1
    low, high = np.min([r[0] for r in found]), np.max([r[1] for r in found])
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ArgumentError(f"autodetected range of [{low}, {high}] is not finite")
    return line.dtype.type(low), line.dtype.type(high)


def _extremes(part: Any) -> Any:
    return (part.min(), part.max()) if part.size else None


def _counts(bins: Any, range: Any, part: Any, weights: Any = None) -> Any:
    return np.histogram(part, bins, range, weights=weights)[0]
