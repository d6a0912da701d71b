"""Order statistics: medians, quantiles and percentiles, exact for any chunks."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import as_tensor, given
from marsdask.tensor.fold import Axes, axes_of, flat, one_chunk, reduced_shape, result_dtype, whole_along
from marsdask.tensor.sorting.sort import sorted_line

# method -> position among n sorted values, counted from 0, as NumPy defines it; q is an array. Parts of a position mean
# a point between two values. (Hyndman and Fan, 1996; the last four are NumPy's.)
PLACES: dict[str, Any] = {
    "inverted_cdf": lambda n, q: np.ceil(n * q) - 1,
    "averaged_inverted_cdf": lambda n, q: np.where(n * q == np.floor(n * q), n * q - 0.5, np.floor(n * q)),
    "closest_observation": lambda n, q: np.around(n * q) - 1,
    "interpolated_inverted_cdf": lambda n, q: n * q - 1,
    "hazen": lambda n, q: n * q - 0.5,
    "weibull": lambda n, q: (n + 1) * q - 1,
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": lambda n, q: (n + 1 / 3) * q + 1 / 3 - 1,
    "normal_unbiased": lambda n, q: (n + 1 / 4) * q + 3 / 8 - 1,
    "lower": lambda n, q: np.floor((n - 1) * q),
    "higher": lambda n, q: np.ceil((n - 1) * q),
    "midpoint": lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
    "nearest": lambda n, q: np.around((n - 1) * q),
}
WITHOUT_BETWEEN = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


def _reduced(a: Any, axis: Any, keepdims: bool) -> dict[str, Any]:
    """The arguments of a reduction as nodes keep them: those that differ from the defaults."""
    extra: dict[str, Any] = {} if axis is None else {"axis": axes_of(axis, a.ndim)}
    return {**extra, "keepdims": True} if keepdims else extra


def _on_lines(
    function: Any, name: str, a: da.Array, axis: Any, keepdims: bool, dtype: Any, shape: tuple[int, ...] = (),
    weights: Any = None,
) -> da.Array:  # fmt: skip
    """What a function of NumPy gives of every line along the axes, each in one chunk: of this shape for each line."""
    axes = tuple(range(a.ndim)) if axis is None else axis
    a = one_chunk(a, name) if len(axes) == a.ndim else whole_along(a, axes)
    index, new = tuple(range(a.ndim)), tuple(range(a.ndim, a.ndim + len(shape)))
    pairs: list[Any] = []
    if weights is not None and weights.shape == a.shape:
        pairs = [graph.rechunked(weights, a.chunks), index]
    elif weights is not None:
        if len(axes) != 1 or weights.shape != (a.shape[axes[0]],):
            raise ShapeError("Shape of weights must be consistent with shape of a along specified axis.")
        pairs = [graph.rechunked(weights, -1), axes]
    # Reduced axes are whole in each chunk, so they can just go.
    kept = index if keepdims else tuple(i for i in index if i not in axes)
    return da.blockwise(
        partial(_lines_of_chunk, function, shape, axes, keepdims),
        (*new, *kept),
        *(a, index, *pairs),
        new_axes=dict(zip(new, shape, strict=True)),
        adjust_chunks=dict.fromkeys(axes, 1) if keepdims else None,
        dtype=dtype,
        concatenate=True,
        align_arrays=False,
    )


def _lines_of_chunk(
    function: Any, shape: tuple[int, ...], axes: Axes, keepdims: bool, part: Any, weights: Any = None
) -> Any:
    kept = [1 if i in axes else n for i, n in enumerate(part.shape) if keepdims or i not in axes]
    if 0 in kept:  # no lines at all; NumPy's nan functions lose the shape
        return np.empty((*shape, *kept), np.result_type(part.dtype, "f4"))
    extra = {} if weights is None else {"weights": weights}
    return np.asarray(function(part, axis=axes, keepdims=keepdims, **extra))


def _of_median(
    name: str,
    a: Array,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    return given(registry.make(name, a, **_reduced(a, axis, keepdims)), out, repeated=name == "nanmedian")


def _median_meta(name: str, a: TensorMeta, axis: Any = None, keepdims: bool = False) -> TensorMeta:
    return TensorMeta(reduced_shape(a, axis, keepdims), result_dtype(getattr(np, name), a.dtype))


def _median(name: str, a: da.Array, axis: Any = None, keepdims: bool = False) -> Any:
    dtype = result_dtype(getattr(np, name), a.dtype)
    if _long(a, axis):
        return _selected(a, 0.5, "linear", keepdims, name.startswith("nan"), dtype)
    return _on_lines(getattr(np, name), name, a, axis, keepdims, dtype)


def _long(a: da.Array, axis: Any) -> bool:
    """Whether all elements are one line that should not come into one chunk."""
    large = a.npartitions > 1 and a.nbytes > options.chunk_store_limit and a.dtype.kind in "biuf"
    return large and (axis is None or len(axis) == a.ndim)


for _name in ("median", "nanmedian"):
    _doc = f"NumPy's `{_name}` over axes, exact for any chunks."
    public(_name, doc=_doc)(partial(_of_median, _name))
    lowered(_name, meta=partial(_median_meta, _name))(partial(_median, _name))


def _check_range(name: str, q: Any) -> None:
    what, top = ("Percentiles", 100) if "percentile" in name else ("Quantiles", 1)
    if not np.all((q >= 0) & (q <= top)):
        raise ArgumentError(f"{what} must be in the range [0, {top}]")


def _of_quantile(
    name: str, a: Array, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Array = None, interpolation: Any = None,
) -> Any:  # fmt: skip
    method = interpolation or method
    if method not in PLACES:
        raise ArgumentError(f"{method!r} is not a valid method. Use one of: {set(PLACES)}")
    if a.dtype.kind == "c":
        raise ArgumentTypeError("a must be an array of real numbers")
    if weights is not None and method != "inverted_cdf":
        raise ArgumentError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    if isinstance(q, registry.Handle):
        q = as_tensor(q)
    else:
        values = np.asarray(q)
        if values.dtype.kind not in "biuf":
            raise ArgumentTypeError(f"q={q!r}: expected numbers.")
        _check_range(name, values)
        if not isinstance(q, (int, float)):  # to NumPy a number says nothing of precision
            q = np.asarray(values.tolist()) if values.ndim and values.dtype.kind != "f" else values
    extra = _reduced(a, axis, keepdims)
    if weights is not None:
        extra["weights"] = weights
    return given(registry.make(name, a, q, method=method, **extra), out, repeated=True)


def _quantile_dtype(name: str, dtype: Any, q: Any, method: str) -> Any:
    if dtype.kind == "b" or (dtype.kind == "O" and not name.startswith("nan")):
        return dtype
    probe = q if isinstance(q, (int, float)) else np.zeros((1,) if q.shape else (), q.dtype)
    return np.asarray(getattr(np, name)(np.ones(2, dtype), probe, method=method)).dtype


def _quantile_meta(
    name: str, a: TensorMeta, q: Any, *, method: str, axis: Any = None, keepdims: bool = False, **rest: Any
) -> TensorMeta:
    if a.dtype.kind == "b" and method not in WITHOUT_BETWEEN:
        raise ArgumentTypeError(
            f"{name}: booleans have nothing between them; method={method!r} would subtract them."
        )
    shape = (*np.shape(q), *reduced_shape(a, axis, keepdims))
    return TensorMeta(shape, _quantile_dtype(name, a.dtype, q, method))


def _quantile(
    name: str, a: Any, q: Any, *, method: str, axis: Any = None, keepdims: bool = False, weights: Any = None
) -> Generator[Any, Any, da.Array]:
    if isinstance(q, da.Array):
        q = yield Ask(q)
        _check_range(name, q)
    dtype = _quantile_dtype(name, a.dtype, q, method)
    if weights is None and _long(a, axis):
        share = q / 100 if "percentile" in name else q
        return (yield from _selected(a, share, method, keepdims, name.startswith("nan"), dtype))
    function = partial(getattr(np, name), q=q, method=method)
    return _on_lines(function, name, a, axis, keepdims, dtype, np.shape(q), weights)


def _selected(
    a: da.Array, q: Any, method: str, keepdims: bool, nan: bool, dtype: Any
) -> Generator[Any, Any, da.Array]:
    """Quantiles of one long line: sorted in chunks, then only the values beside each position are looked at."""
    graph.rule("quantile: a long line, sorted in chunks")
    ordered = yield Keep((yield from sorted_line(flat(a))))
    holes = int((yield Ask(da.isnan(ordered).sum()))) if a.dtype.kind == "f" else 0
    n = ordered.shape[0] - holes
    q = np.asarray(q, dtype="f8")
    if not n or (holes and not nan):
        values = np.full(q.shape, np.nan, dtype)
    else:
        place = np.clip(PLACES[method](n, q), 0, n - 1)
        low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
        wanted, back = np.unique(np.concatenate([low.reshape(-1), high.reshape(-1)]), return_inverse=True)
        values, above = (yield Ask(ordered[wanted]))[back].reshape(2, *q.shape)
        if dtype.kind == "f":
            values, above = values.astype(dtype), above.astype(dtype)
            values = values + (above - values) * (place - low).astype(dtype)
    values = np.asarray(values, dtype)
    return da.from_array(values.reshape(q.shape + (1,) * a.ndim) if keepdims else values)


for _name in ("percentile", "quantile", "nanpercentile", "nanquantile"):
    _doc = f"NumPy's `{_name}` over axes by any `method`, exact for any chunks."
    public(_name, doc=_doc)(partial(_of_quantile, _name))
    lowered(_name, meta=partial(_quantile_meta, _name))(partial(_quantile, _name))
