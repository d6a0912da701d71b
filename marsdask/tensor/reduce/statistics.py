"""Statistics: averages, covariance, areas, counts in bins."""

from __future__ import annotations

import math
from collections.abc import Generator
from functools import partial, reduce
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NAN, TensorMeta, TupleMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.algebra.products import contracted
from marsdask.tensor.core import ExecutableTuple, as_tensor, called
from marsdask.tensor.fold import axes_of, extent, flat, one_chunk, per_matrix, reduced_shape

INT = np.dtype(np.intp)


@public("average")
def average(
    a: Array, axis: Any = None, weights: Array = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """The weighted average; with `returned` also the sum of weights."""
    axes = axes_of(axis, a.ndim)
    if weights is None:
        mean = a.mean(axis=axis, keepdims=keepdims)
        if not returned:
            return mean
        count = math.prod(a.shape[i] for i in (range(a.ndim) if axes is None else axes))
        return ExecutableTuple((mean, registry.make("filled_like", mean, float(count), mean.dtype, "C")))
    if weights.shape != a.shape:
        if axes is None:
            raise ArgumentTypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != tuple(a.shape[i] for i in axes):
            raise ShapeError("Shape of weights must be consistent with shape of a along specified axis.")
    found = registry.make("average.weighted", a, weights, axes, bool(keepdims))
    return found if returned else found[0]


def _weighted_meta(a: TensorMeta, weights: TensorMeta, axes: Any, keepdims: bool) -> TupleMeta:
    dtype = np.result_type(a.dtype, weights.dtype, *(["f8"] if a.dtype.kind in "biu" else []))
    each = TensorMeta(reduced_shape(a, axes, keepdims), dtype)
    return TupleMeta((each, each))


@lowered("average.weighted", meta=_weighted_meta)
def weighted(a: da.Array, weights: da.Array, axes: Any, keepdims: bool) -> Any:
    """Average and sum of weights."""
    dtype = _weighted_meta(a, weights, axes, keepdims).items[0].dtype
    if weights.shape != a.shape:
        weights = weights.reshape(tuple(n if i in axes else 1 for i, n in enumerate(a.shape)))
    weights = da.broadcast_to(weights, a.shape)
    scale = weights.sum(axis=axes, dtype=dtype, keepdims=keepdims)
    total = (a * weights.astype(dtype)).sum(axis=axes, dtype=dtype, keepdims=keepdims)
    return elemwise(_divided, total, scale, dtype=dtype), scale


def _divided(total: Any, scale: Any) -> Any:
    if np.any(scale == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return total / scale


def _cov_meta(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> TensorMeta:  # fmt: skip
    if ddof is not None and ddof != int(ddof):
        raise ArgumentError("ddof must be integer")
    for name, each, most in (("m", m, 2), ("y", y, 2), ("fweights", fweights, 1), ("aweights", aweights, 1)):
        if each is not None and each.ndim > most:
            error = ArgumentError if most == 2 else RuntimeError  # NumPy's own two
            raise error(f"{name} has more than {most} dimension{'s' * (most - 1)}")
    if fweights is not None and fweights.dtype.kind not in "iu":
        raise ArgumentTypeError("fweights must be integer")
    both = [each for each in (m, y) if each is not None]
    count = sum(1 if each.ndim < 2 else each.shape[0 if rowvar else 1] for each in both)
    kind = np.result_type(*(each.dtype for each in both), "f8") if dtype is None else np.dtype(dtype)
    return TensorMeta(() if count == 1 else (count, count), kind)


@lowered("cov", room="tensor", meta=_cov_meta)
def cov(
    m: Array, y: Array = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights: Array = None,
    aweights: Array = None, *, dtype: Any = None,
) -> da.Array:  # fmt: skip
    """Covariance of variables (rows, or columns with `rowvar=False`)."""
    dtype = _cov_meta(m, y, dtype=dtype).dtype
    ddof = int(not bias if ddof is None else ddof)
    rows = [each.T if each.ndim > 1 and not rowvar else each for each in (m, y) if each is not None]
    x = da.concatenate([da.atleast_2d(each).astype(dtype) for each in rows])
    count = x.shape[1]
    weights = None
    for name, each in (("fweights", fweights), ("aweights", aweights)):
        if each is not None:
            if each.shape != (count,):
                raise RuntimeError(f"incompatible numbers of samples and {name}")
            weights = each.astype("f8") if weights is None else weights * each
    if weights is None:
        mean, factor = x.mean(axis=1, keepdims=True), float(count) - ddof
    else:
        total = weights.sum()
        mean = (x * weights).sum(axis=1, keepdims=True) / total
        factor = total - ddof * (1.0 if aweights is None else (weights * aweights).sum() / total)
    x = x - mean
    right = (x if weights is None else x * weights).T
    found = contracted(np.matmul, (0, 2), (1,), [(x, (0, 1)), (right.conj(), (1, 2))], dtype)
    found = found / factor if isinstance(factor, da.Array) else found * np.true_divide(1, max(factor, 0))
    found = found.astype(dtype)
    return found.reshape(()) if found.shape == (1, 1) else found


@public("corrcoef")
def corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, bias: Any = None, ddof: Any = None, *, dtype: Any = None
) -> Any:
    """Correlation of variables. `bias` and `ddof` have no effect, as in NumPy."""
    return registry.make("corrcoef.of", called("cov", x, y, rowvar, dtype=dtype))


@lowered("corrcoef.of", meta=lambda c: TensorMeta(c.shape, c.dtype))
def corrcoef_of(c: da.Array) -> da.Array:
    """Correlation from covariance, in one chunk: as many rows as variables."""
    return one_chunk(c, "corrcoef").map_blocks(_correlation, dtype=c.dtype)


def _correlation(c: Any) -> Any:
    if not np.ndim(c):
        return c / c
    spread = np.sqrt(np.diag(c).real)
    c = c / spread[:, None] / spread[None, :]
    real = np.clip(c.real, -1, 1)
    return real + 1j * np.clip(c.imag, -1, 1) if c.dtype.kind == "c" else real


@lowered("trapz", room="tensor")
def trapz(y: Array, x: Array = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The area under `y` along an axis by the trapezoidal rule (NumPy 2 calls it `trapezoid`)."""
    axis = checks.axis(axis, y.ndim)
    before = (slice(None),) * axis
    head, tail = (*before, slice(1, None)), (*before, slice(None, -1))
    step: Any = dx
    if x is not None and x.ndim == 1:
        step = (x[1:] - x[:-1]).reshape(tuple(-1 if i == axis else 1 for i in range(y.ndim)))
    elif x is not None:
        step = x[head] - x[tail]
    return (step * (y[head] + y[tail]) / 2.0).sum(axis=axis)


@public("histogram")
def histogram(a: Array, bins: Any = 10, range: Any = None, density: Any = None, weights: Array = None) -> Any:
    """How many elements fall in each bin, and the bins' edges."""
    return _histogram(a, bins, range, weights, bool(density), False)


@public("histogram_bin_edges")
def histogram_bin_edges(a: Array, bins: Any = 10, range: Any = None, weights: Array = None) -> Any:
    """The edges of bins that `histogram` would use."""
    return _histogram(a, bins, range, weights, False, True)


def _histogram(a: Any, bins: Any, range: Any, weights: Any, density: bool, edges_only: bool) -> Any:
    lengths = () if weights is None else (*weights.shape, *a.shape)
    if weights is not None and weights.shape != a.shape and not any(map(math.isnan, lengths)):
        raise ShapeError("weights should have the same shape as a.")
    if range is not None:
        range = [x.to_numpy() if isinstance(x, registry.Handle) and x.is_executed() else x for x in range]
    bins = as_tensor(bins) if isinstance(bins, registry.Handle) else bins
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
        found = partial(np.histogram_bin_edges, bins=bins, range=range)
        edges = yield Ask(per_matrix(found, [(line, 1)], known, "histogram_bin_edges"))
        bins, range = len(edges) - 1, (edges[0], edges[-1])
    else:
        range = (yield from _range_of(line)) if range is None else range
        edges = np.histogram_bin_edges(np.zeros(0, line.dtype), bins, range)
        edges = edges.astype(np.result_type(line.dtype, np.float64))
    if edges_only:
        return da.from_array(edges, chunks=-1)
    weighted = [] if weights is None else [graph.rechunked(flat(weights), line.chunks)]
    parts = graph.per_chunk(partial(_counts, bins, range), line, *weighted, lengths=None)
    total = graph.tree(parts, partial(reduce, np.add)).with_lengths((len(edges) - 1,))
    counts = graph.to_array(total, (), INT if weights is None else weights.dtype)
    if density:
        # In NumPy's order: the same to the last digit.
        counts = counts / np.array(np.diff(edges), float) / counts.sum()
    return counts, da.from_array(edges, chunks=-1)


def _range_of(line: da.Array) -> Generator[Any, Any, tuple[Any, Any]]:
    """From where to where bins go; from 0 to 1 for nothing, as in NumPy."""
    low, high = (yield from extent(line)) or (0, 1)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ArgumentError(f"autodetected range of [{low}, {high}] is not finite")
    return line.dtype.type(low), line.dtype.type(high)


def _counts(bins: Any, range: Any, part: Any, weights: Any = None) -> Any:
    return np.histogram(part, bins, range, weights=weights)[0]
