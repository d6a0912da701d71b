"""Counting into bins."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import TensorMeta, TupleMeta
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import flat, whole

NAN = float("nan")
INT = np.dtype(np.intp)
ESTIMATORS = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")


def _checked_bins(bins: Any, weights: Any) -> Any:
    """Bins as a number, a name, an ndarray or a tensor; NumPy's errors for the rest."""
    if isinstance(bins, str):
        if bins not in ESTIMATORS:
            raise ArgumentError(f"{bins!r} is not a valid estimator for `bins`")
        if weights is not None:
            raise ArgumentTypeError(
                "Automated estimation of the number of bins is not supported for weighted data"
            )
    elif not isinstance(bins, registry.Handle) and np.ndim(bins) == 0:
        if not isinstance(bins, (int, np.integer)):
            raise ArgumentTypeError("`bins` must be an integer, a string, or an array")
        if bins < 1:
            raise ArgumentError("`bins` must be positive, when an integer")
    else:
        bins = bins if isinstance(bins, registry.Handle) else np.asarray(bins)
        if bins.ndim != 1:
            raise ArgumentError("`bins` must be 1d, when an array")
        if isinstance(bins, np.ndarray) and np.any(bins[:-1] > bins[1:]):
            raise ArgumentError("`bins` must increase monotonically, when an array")
    return bins


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
    bins = _checked_bins(bins, weights)
    if range is not None:
        range = [x.to_numpy() if isinstance(x, registry.Handle) and x.is_executed() else x for x in range]
        low, high = range
        if not any(isinstance(x, registry.Handle) for x in range):
            if low > high:
                raise ArgumentError("max must be larger than min in range parameter.")
            if not np.all(np.isfinite(range)):
                raise ArgumentError(f"supplied range of [{low}, {high}] is not finite")
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
        low, high = yield Ask(*map(da.asarray, range))
        range = (low.item(), high.item())
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
    total = graph.tree(parts, _summed).with_lengths((len(edges) - 1,))
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


def _summed(parts: list[Any]) -> Any:
    return np.sum(parts, axis=0, dtype=parts[0].dtype)
