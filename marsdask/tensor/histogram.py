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
from marsdask.plan.registry import lowered, operation
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import (
    flat,
    whole,
)

NAN = float("nan")


def _checked_bins(bins: Any, weights: Any) -> Any:
    """Bins as a number, a name, an ndarray or a tensor; NumPy's errors for the rest."""
    if isinstance(bins, str):
        if bins not in ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"):
            raise ArgumentError(f"{bins!r} is not a valid estimator for `bins`")
        if weights is not None:
            raise ArgumentTypeError(
                "Automated estimation of the number of bins is not supported for weighted data"
            )
    elif isinstance(bins, registry.Handle):
        if bins.ndim != 1:
            raise ArgumentError("`bins` must be 1d, when an array")
    elif np.ndim(bins) == 0:
        if not isinstance(bins, (int, np.integer)):
            raise ArgumentTypeError("`bins` must be an integer, a string, or an array")
        if bins < 1:
            raise ArgumentError("`bins` must be positive, when an integer")
    else:
        bins = np.asarray(bins)
        if bins.ndim != 1:
            raise ArgumentError("`bins` must be 1d, when an array")
        if np.any(bins[:-1] > bins[1:]):
            raise ArgumentError("`bins` must increase monotonically, when an array")
    return bins


def _prepare_histogram(
    name: str, a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: Any = None
) -> Any:
    a = as_tensor(a)
    if weights is not None:
        weights = as_tensor(weights)
        if weights.shape != a.shape and not any(n != n for n in (*weights.shape, *a.shape)):
            raise ShapeError("weights should have the same shape as a.")
    bins = _checked_bins(bins, weights)
    if range is not None:
        low, high = (x.to_numpy() if isinstance(x, registry.Handle) and x.is_executed() else x for x in range)
        if not isinstance(low, registry.Handle) and not isinstance(high, registry.Handle):
            if low > high:
                raise ArgumentError("max must be larger than min in range parameter.")
            if not (np.isfinite(low) and np.isfinite(high)):
                raise ArgumentError(f"supplied range of [{low}, {high}] is not finite")
        range = (low, high)
    edges_only = name == "histogram_bin_edges"
    return registry.make("histogram.of", a, bins, range, weights, bool(density), edges_only)


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


INT = np.dtype(np.intp)


@lowered("histogram.of", meta=_histogram_meta)
def histogram_of(
    a: da.Array, bins: Any, range: Any, weights: Any, density: bool, edges_only: bool
) -> Generator[Any, Any, Any]:
    """Counts and edges once the arguments are in order: the extremes are asked for, then chunks are counted."""
    line = flat(a.astype("u1") if a.dtype == bool else a)
    if isinstance(bins, da.Array):
        bins = yield Ask(bins)
    if range is not None and any(isinstance(r, da.Array) for r in range):
        low, high = yield Ask(
            *(r if isinstance(r, da.Array) else da.from_array(np.asarray(r)) for r in range)
        )
        range = (low.item(), high.item())
    if isinstance(bins, str):
        (edges,) = whole(
            _edges,
            [line],
            [(NAN,)],
            [_histogram_meta(a, bins, None, None, False, True).dtype],
            bins=bins,
            range=range,
        )
        edges = yield Ask(edges)
        range = (edges[0], edges[-1])
        bins = len(edges) - 1
    elif not isinstance(bins, np.ndarray):
        if range is None:
            found = [r for r in (yield Ask(graph.per_chunk(_extremes, line, lengths=None))) if r is not None]
            if found:
                low, high = np.min([r[0] for r in found]), np.max([r[1] for r in found])
                range = (line.dtype.type(low), line.dtype.type(high))
                if not (np.isfinite(low) and np.isfinite(high)):
                    raise ArgumentError(f"autodetected range of [{low}, {high}] is not finite")
            else:
                range = (0, 1)
        probe = np.array(range, dtype=line.dtype) if line.dtype.kind in "biu" else np.zeros(0, line.dtype)
        edges = np.histogram_bin_edges(probe[:0], bins, range).astype(np.result_type(line.dtype, np.float64))
    else:
        edges = bins
    if edges_only:
        return da.from_array(edges)
    how = partial(_counts, bins, range)
    kind = np.dtype(np.intp) if weights is None else weights.dtype
    if weights is None:
        parts = graph.per_chunk(how, line, lengths=None)
    else:
        parts = graph.per_chunk(how, line, flat(weights).rechunk(line.chunks), lengths=None)
    total = graph.tree(parts, _summed)
    counts = graph.to_array(total.with_lengths((len(edges) - 1,)), (), kind)
    if density:
        counts = counts / counts.sum() / np.array(np.diff(edges), float)
    return counts, da.from_array(edges)


def _edges(part: Any, bins: Any, range: Any) -> Any:
    return np.histogram_bin_edges(part, bins, range)


def _extremes(part: Any) -> Any:
    return (part.min(), part.max()) if part.size else None


def _counts(bins: Any, range: Any, part: Any, weights: Any = None) -> Any:
    return np.histogram(part, bins, range, weights=weights)[0]


def _summed(parts: list[Any]) -> Any:
    return np.sum(parts, axis=0, dtype=parts[0].dtype)


@operation(
    "histogram",
    room="tensor",
    sizes="any",
    prepare=partial(_prepare_histogram, "histogram"),
)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many elements fall in each bin, and the bins' edges."""


@operation(
    "histogram_bin_edges",
    room="tensor",
    sizes="any",
    prepare=partial(_prepare_histogram, "histogram_bin_edges"),
)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of bins that `histogram` would use."""
