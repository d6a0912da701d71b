"""Statistics: order statistics, averages, covariance, histograms. Exact for any chunks."""

from __future__ import annotations

import math
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask import graph, registry
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.lower import Ask, Keep
from marsdask.meta import TensorMeta, TupleMeta
from marsdask.options import options
from marsdask.registry import Array, operation
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import (
    Axes,
    axes_of,
    flat,
    one_chunk,
    reduced_shape,
    result_dtype,
    whole,
    whole_along,
)
from marsdask.tensor.sort import sorted_line
from marsdask.tensor.views import assign

NAN = float("nan")

# method -> position among n sorted values, counted from 0, as NumPy defines it; q is an array. Parts of a position mean
# a point between two values. (Hyndman and Fan, 1996; the last four are NumPy's.)
PLACES: dict[str, Any] = {
    "inverted_cdf": lambda n, q: np.ceil(n * q) - 1,
    "averaged_inverted_cdf": lambda n, q: np.where(n * q == np.floor(n * q), n * q - 0.5, np.floor(n * q)),
    "closest_observation": lambda n, q: _even(n * q - 1.5),
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


def _even(place: Any) -> Any:
    """The nearest position, of two equally near ones the one that is even counted from 1."""
    low = np.floor(place)
    exact = place == low
    return np.where(exact & (low % 2 == 1), low, low + 1)


def _apply(
    name: str, axes: Axes, keepdims: bool, settings: dict[str, Any], part: Any, weights: Any = None
) -> Any:
    """A NumPy function over axes that are whole in the chunk; reduced axes keep length 1."""
    extra = {} if weights is None else {"weights": weights}
    return getattr(np, name)(part, axis=axes, keepdims=True, **extra, **settings)


def _over(
    name: str, a: da.Array, axis: Axes | None, keepdims: bool, settings: dict[str, Any], dtype: Any
) -> da.Array:
    """`name` where every line is in one chunk."""
    axes = tuple(range(a.ndim)) if axis is None else axis
    a = one_chunk(a, name) if len(axes) == a.ndim else whole_along(a, axes)
    func = partial(_apply, name, axes, keepdims, settings)
    chunks = tuple((1,) if i in axes else c for i, c in enumerate(a.chunks))
    made = a.map_blocks(func, chunks=chunks, dtype=dtype)
    return made if keepdims else made.reshape(tuple(n for i, n in enumerate(made.shape) if i not in axes))


def _prepare_median(
    name: str,
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    a = as_tensor(a)
    extra: dict[str, Any] = {} if axis is None else {"axis": axes_of(axis, a.ndim)}
    if keepdims:
        extra["keepdims"] = True
    result = registry.make(name, a, **extra)
    return result if out is None else assign(out, result)


def _median_meta(name: str, a: TensorMeta, axis: Any = None, keepdims: bool = False) -> TensorMeta:
    return TensorMeta(reduced_shape(a, axis, keepdims), result_dtype(getattr(np, name), a.dtype))


def _median(name: str, a: da.Array, axis: Any = None, keepdims: bool = False) -> Any:
    dtype = result_dtype(getattr(np, name), a.dtype)
    if _long(a, axis):
        return _selected(a, 0.5, "linear", keepdims, name.startswith("nan"), dtype)
    return _over(name, a, axis, keepdims, {}, dtype)


def _long(a: da.Array, axis: Any) -> bool:
    """Whether all elements are one line that should not come into one chunk."""
    everything = axis is None or len(axis) == a.ndim
    return (
        everything and a.npartitions > 1 and a.nbytes > options.chunk_store_limit and a.dtype.kind in "biuf"
    )


MEDIAN_CASES = (
    "x",
    "x, axis=0",
    "x, axis=1, keepdims=True",
    "i",
    "h, axis=0",
    "h",
    "c3, axis=(0, 2)",
    "v",
    "b, axis=0",
    "x, axis=4",
    "s0",
    "n, axis=-1",
    "vn",
    "e",
    "z",
)


def _median_shown(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> None:
    """The public signature."""


def _register_medians() -> None:
    import inspect

    for name in ("median", "nanmedian"):
        registry.operation(
            name,
            room="tensor",
            signature=inspect.signature(_median_shown),
            prepare=partial(_prepare_median, name),
            meta=partial(_median_meta, name),
            oracle=getattr(np, name),
            cases=MEDIAN_CASES,
        )(_documented(partial(_median, name), f"NumPy's `{name}` over axes, exact for any chunks."))


def _documented(lower: Any, doc: str) -> Any:
    lower.__doc__ = doc
    return lower


_register_medians()


def _prepare_quantile(
    name: str,
    a: Any,
    q: Any = None,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    weights: Any = None,
    interpolation: Any = None,
) -> Any:
    a = as_tensor(a)
    method = interpolation or method
    if method not in PLACES:
        raise ArgumentError(f"{method!r} is not a valid method. Use one of: {set(PLACES)}")
    if a.dtype.kind == "c":
        raise ArgumentTypeError("a must be an array of real numbers")
    if weights is not None and method != "inverted_cdf":
        raise ArgumentError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    top = 100 if "percentile" in name else 1
    if not isinstance(q, registry.Handle):
        values = np.asarray(q)
        if values.dtype.kind not in "biuf":
            raise ArgumentTypeError(f"q={q!r}: expected numbers.")
        if not np.all((values >= 0) & (values <= top)):
            raise ArgumentError(
                f"{'Percentiles' if top == 100 else 'Quantiles'} must be in the range [0, {top}]"
            )
        q = values.tolist() if values.ndim else q
        q = np.asarray(q, values.dtype if values.dtype.kind == "f" else None)
    extra: dict[str, Any] = {"method": method}
    if axis is not None:
        extra["axis"] = axes_of(axis, a.ndim)
    if keepdims:
        extra["keepdims"] = True
    if weights is not None:
        extra["weights"] = as_tensor(weights)
    result = registry.make(name, a, q, **extra)
    return result if out is None else assign(out, result)


def _quantile_dtype(name: str, dtype: Any, q: Any, method: str) -> Any:
    q_dtype = np.asarray(q).dtype if not isinstance(q, (TensorMeta, da.Array)) else q.dtype
    probe = np.zeros((), q_dtype) if getattr(q, "ndim", 0) == 0 else np.zeros(1, q_dtype)
    sample = np.ones(2, dtype)
    if dtype.kind == "b":
        return result_dtype(getattr(np, name), np.uint8, q=0.5) if method == "linear" else np.dtype(bool)
    return np.asarray(getattr(np, name)(sample, probe, method=method)).dtype


def _quantile_meta(
    name: str,
    a: TensorMeta,
    q: Any,
    method: str = "linear",
    axis: Any = None,
    keepdims: bool = False,
    weights: Any = None,
) -> TensorMeta:
    if (
        a.dtype.kind == "b"
        and PLACES
        and method not in ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
    ):
        raise ArgumentTypeError(
            f"{name}: booleans have nothing between them; method={method!r} would subtract them."
        )
    shape = tuple(getattr(q, "shape", ()))
    return TensorMeta((*shape, *reduced_shape(a, axis, keepdims)), _quantile_dtype(name, a.dtype, q, method))


def _quantile(
    name: str,
    a: da.Array,
    q: Any,
    method: str = "linear",
    axis: Any = None,
    keepdims: bool = False,
    weights: Any = None,
) -> Generator[Any, Any, da.Array]:
    if isinstance(q, da.Array):
        q = yield Ask(q)
        top = 100 if "percentile" in name else 1
        if not np.all((q >= 0) & (q <= top)):
            raise ArgumentError(
                f"{'Percentiles' if top == 100 else 'Quantiles'} must be in the range [0, {top}]"
            )
    q = np.asarray(q)
    dtype = _quantile_dtype(name, a.dtype, q, method)
    if weights is None and _long(a, axis):
        share = q / 100 if "percentile" in name else q
        return (yield from _selected(a, share, method, keepdims, name.startswith("nan"), dtype))
    axes = tuple(range(a.ndim)) if axis is None else axis
    a = one_chunk(a, name) if len(axes) == a.ndim else whole_along(a, axes)
    index, q_index = tuple(range(a.ndim)), tuple(range(a.ndim, a.ndim + q.ndim))
    pairs = []
    if weights is not None:
        if weights.shape != a.shape:
            if weights.ndim != 1 or len(axes) != 1 or weights.shape[0] != a.shape[axes[0]]:
                raise ShapeError("Shape of weights must be consistent with shape of a along specified axis.")
            pairs = [weights.rechunk(-1), axes]
        else:
            pairs = [weights.rechunk(a.chunks), index]
    kept = tuple(i for i in index if i not in axes)
    out_index = (*q_index, *(index if keepdims else kept))
    new = {i: n for i, n in zip(q_index, q.shape, strict=True)}
    func = partial(_quantile_chunk, name, q, method, axes, keepdims)
    adjust = dict.fromkeys(axes, 1) if keepdims else {}
    if not keepdims:
        # Reduced axes are whole in each chunk, so they can just go.
        return da.blockwise(
            func, out_index, a, index, *pairs, new_axes=new, dtype=dtype, concatenate=True, align_arrays=False
        )
    return da.blockwise(
        func, out_index, a, index, *pairs, new_axes=new, adjust_chunks=adjust, dtype=dtype, align_arrays=False
    )


def _quantile_chunk(
    name: str, q: Any, method: str, axes: Axes, keepdims: bool, part: Any, weights: Any = None
) -> Any:
    extra = {} if weights is None else {"weights": weights}
    kept = [1 if i in axes else n for i, n in enumerate(part.shape) if keepdims or i not in axes]
    if 0 in kept:  # no lines at all; NumPy's nan functions lose the shape
        return np.empty((*np.shape(q), *kept), np.result_type(part.dtype, "f4"))
    return np.asarray(getattr(np, name)(part, q, axis=axes, method=method, keepdims=keepdims, **extra))


def _selected(
    a: da.Array, q: Any, method: str, keepdims: bool, nan: bool, dtype: Any
) -> Generator[Any, Any, da.Array]:
    """Quantiles of one long line: sorted in chunks, then only the values beside each position are looked at."""
    graph.rule("quantile: a long line, sorted in chunks")
    ordered = yield Keep((yield from sorted_line(flat(a))))
    holes = 0
    if a.dtype.kind == "f":
        holes = int((yield Ask(da.isnan(ordered).sum())))
    n = ordered.shape[0] - holes
    q = np.asarray(q, dtype="f8")
    if not n or (holes and not nan):
        values = np.full(q.shape, np.nan, dtype)
    else:
        place = np.clip(PLACES[method](n, q), 0, n - 1)
        low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
        wanted, back = np.unique(np.concatenate([low.reshape(-1), high.reshape(-1)]), return_inverse=True)
        found = (yield Ask(ordered[wanted]))[back].reshape(2, *q.shape)
        if dtype.kind in "f":
            found = found.astype(dtype)
            part = (place - low).astype(dtype)
            values = found[0] + (found[1] - found[0]) * part
        else:
            values = found[0]
    values = np.asarray(values).astype(dtype)
    return da.from_array(values.reshape(q.shape + (1,) * a.ndim) if keepdims else values)


def _quantile_shown(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None, interpolation: Any = None,
) -> None:  # fmt: skip
    """The public signature."""


def _register_quantiles() -> None:
    import inspect

    for name in ("percentile", "quantile", "nanpercentile", "nanquantile"):
        q, many = ("30", "[5, 50.5, 99]") if "percentile" in name else ("0.3", "[0.05, 0.5, 0.99]")
        cases = [
            f"x, {q}",
            f"x, {q}, axis=0",
            f"x, {many}, axis=1",
            f"x, {many}",
            f"i, {many}, axis=0, keepdims=True",
            f"h, {q}, axis=0",
        ]
        cases += [
            f"c3, {many}, axis=(0, 2)",
            f"x, {q}, keepdims=True",
            "x, 101",
            "x, -1",
            f"z, {q}",
            f"vn, {many}",
            f"x, [{many}]",
            "x, 0",
            "x, 1",
        ]
        cases += [f"x, {many}, method='{m}'" for m in PLACES] + [
            f"i, {many}, axis=0, method='{m}'" for m in PLACES
        ]
        cases += [
            f"x, {q}, method='no'",
            f"x, {many}, method='inverted_cdf', weights=u",
            f"x, {q}, weights=u",
            f"x, np.array({many}, 'f4')",
        ]
        cases += [f"x, {q}, axis=1, method='inverted_cdf', weights=np.array([1, 2, 0, 4, 1])"]
        registry.operation(
            name,
            room="tensor",
            signature=inspect.signature(_quantile_shown),
            prepare=partial(_prepare_quantile, name),
            meta=partial(_quantile_meta, name),
            oracle=getattr(np, name),
            cases=cases,
            converted={},
        )(
            _documented(
                partial(_quantile, name), f"NumPy's `{name}` over axes by any `method`, exact for any chunks."
            )
        )


_register_quantiles()


def _prepare_average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    a = as_tensor(a)
    axes = axes_of(axis, a.ndim)
    if weights is None:
        mean = registry.make(
            "mean", a, **({} if axes is None else {"axis": axes}), **({"keepdims": True} if keepdims else {})
        )
        if not returned:
            return mean
        count = math.prod(a.shape[i] for i in (range(a.ndim) if axes is None else axes))
        full = registry.make("add", registry.make("multiply", mean, 0), float(count))
        return registry.wrap(registry.Node("pair", (mean.node, full.node)))
    weights = as_tensor(weights)
    if weights.shape != a.shape:
        if axes is None:
            raise ArgumentTypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != tuple(a.shape[i] for i in axes):
            raise ShapeError("Shape of weights must be consistent with shape of a along specified axis.")
    found = registry.make("average.weighted", a, weights, axes, bool(keepdims))
    return found if returned else found[0]


@operation("pair", room="engine", sizes="any")
def pair(first: da.Array, second: da.Array) -> tuple[da.Array, da.Array]:
    """Two tensors as the results of one operation."""
    return first, second


@operation(
    "average",
    room="tensor",
    sizes="any",
    prepare=_prepare_average,
    oracle=np.average,
    cases=(
        "x", "x, axis=0", "x, weights=u", "x, axis=1, weights=u", "x, axis=1, weights=[1, 2, 3, 4, 5]", "x, returned=True", "x, axis=0, weights=u, returned=True",
        "i, axis=0, keepdims=True", "x, weights=[1, 2]", "x, axis=0, weights=[1, 2]", "n, weights=n", "c3, axis=(0, 2), weights=c3, keepdims=True",
        "c3, axis=(1, 2), weights=m57[:3]", "x, weights=x - x", "z, axis=0, weights=u",
    ),
)  # fmt: skip
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """The weighted average; with `returned` also the sum of weights."""


def _weighted_meta(a: TensorMeta, weights: TensorMeta, axes: Any, keepdims: bool) -> TupleMeta:
    dtype = (
        np.result_type(a.dtype, weights.dtype, "f8")
        if a.dtype.kind in "biu"
        else np.result_type(a.dtype, weights.dtype)
    )
    each = TensorMeta(reduced_shape(a, axes, keepdims), dtype)
    return TupleMeta((each, each))


@operation("average.weighted", room="engine", meta=_weighted_meta)
def weighted(a: da.Array, weights: da.Array, axes: Any, keepdims: bool) -> Any:
    """Average and sum of weights."""
    dtype = _weighted_meta(a, weights, axes, keepdims).items[0].dtype
    if weights.shape != a.shape:
        lengths = tuple(n if i in axes else 1 for i, n in enumerate(a.shape))
        weights = weights.reshape(lengths)
    weights = da.broadcast_to(weights, a.shape)
    scale = weights.sum(axis=axes, dtype=dtype, keepdims=keepdims)
    total = (a * weights.astype(dtype)).sum(axis=axes, dtype=dtype, keepdims=keepdims)
    return elemwise(_divided, total, scale, dtype=dtype), scale


def _divided(total: Any, scale: Any) -> Any:
    if np.any(scale == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return total / scale


def _prepare_cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt: skip
    if ddof is not None and ddof != int(ddof):
        raise ArgumentError("ddof must be integer")
    m = as_tensor(m)
    if m.ndim > 2:
        raise ArgumentError("m has more than 2 dimensions")
    if y is not None and (y := as_tensor(y)).ndim > 2:
        raise ArgumentError("y has more than 2 dimensions")
    weights = {}
    for name, w in (("fweights", fweights), ("aweights", aweights)):
        if w is None:
            continue
        w = as_tensor(w)
        if name == "fweights" and w.dtype.kind not in "iu":
            raise ArgumentTypeError("fweights must be integer")
        if w.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        weights[name] = w
    if ddof is None:
        ddof = 0 if bias else 1
    return registry.make("cov.of", m, y, bool(rowvar), int(ddof), dtype and np.dtype(dtype), **weights)


@operation(
    "cov",
    room="tensor",
    sizes="any",
    prepare=_prepare_cov,
    oracle=np.cov,
    cases=(
        "x", "x, rowvar=False", "v", "x, y", "i, bias=True", "x, ddof=0", "x, aweights=[1, 2, 3, 4, 5]", "x, fweights=[1, 2, 3, 4, 5]", "z", "x, dtype='f4'",
        "v, w", "x, fweights=[1.5, 2, 3, 4, 5]", "x, ddof=0.5", "c3", "x, aweights=[1, 2, 3, 4, 5], fweights=[1, 2, 1, 2, 1]", "x, aweights=[1, 2]",
        "h", "v, fweights=[[1]]",
    ),
)  # fmt: skip
def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """Covariance of variables (rows, or columns with `rowvar=False`)."""


def _cov_meta(m: TensorMeta, y: Any, rowvar: bool, ddof: int, dtype: Any, **weights: Any) -> TensorMeta:
    def variables(a: TensorMeta) -> float:
        return 1 if a.ndim < 2 else a.shape[0 if rowvar else 1]

    count = variables(m) + (0 if y is None else variables(y))
    kind = np.result_type(m.dtype, *([] if y is None else [y.dtype]), *([] if dtype else ["f8"]))
    if dtype is not None:
        kind = np.dtype(dtype)
    return TensorMeta(() if count == 1 else (count, count), kind)


@operation("cov.of", room="engine", meta=_cov_meta)
def cov_of(
    m: da.Array, y: Any, rowvar: bool, ddof: int, dtype: Any, fweights: Any = None, aweights: Any = None
) -> da.Array:
    """`cov` once its arguments are in order: NumPy's formula over chunks."""

    def rows(a: da.Array) -> da.Array:
        return a.reshape(1, -1) if a.ndim < 2 else a if rowvar else a.T

    if dtype is None:
        dtype = np.result_type(m.dtype, *([] if y is None else [y.dtype]), "f8")
    x = rows(m).astype(dtype)
    if y is not None:
        x = da.concatenate([x, rows(y).astype(dtype)], axis=0)
    count = x.shape[1]
    weights = None
    for name, each in (("fweights", fweights), ("aweights", aweights)):
        if each is None:
            continue
        if each.shape != (count,):
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        weights = each.astype("f8") if weights is None else weights * each
    if weights is None:
        mean, total = x.mean(axis=1, keepdims=True), float(count)
        factor: Any = total - ddof
    else:
        total = weights.sum()
        mean = (x * weights).sum(axis=1, keepdims=True) / total
        adjust = total if aweights is None else (weights * aweights).sum() / total * 1.0
        factor = total - ddof * (adjust if aweights is not None else 1.0)
    x = x - mean
    right = (x if weights is None else x * weights).T
    from marsdask.tensor.products import contracted

    found = contracted(np.matmul, (0, 2), (1,), [(x, (0, 1)), (right.conj(), (1, 2))], np.dtype(dtype))
    found = found / factor if isinstance(factor, da.Array) else found * np.true_divide(1, max(factor, 0))
    found = found.astype(dtype)
    return found.reshape(()) if found.shape == (1, 1) else found


def _prepare_corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, bias: Any = None, ddof: Any = None, dtype: Any = None
) -> Any:
    return registry.make("corrcoef.of", _prepare_cov(x, y, rowvar, dtype=dtype))


@operation(
    "corrcoef",
    room="tensor",
    sizes="any",
    prepare=_prepare_corrcoef,
    oracle=np.corrcoef,
    cases=("x", "x, rowvar=False", "v", "x, y", "v, w", "z", "i"),
)
def corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, bias: Any = None, ddof: Any = None, *, dtype: Any = None
) -> Any:
    """Correlation of variables. `bias` and `ddof` have no effect, as in NumPy."""


@operation("corrcoef.of", room="engine", meta=lambda c: TensorMeta(c.shape, c.dtype))
def corrcoef_of(c: da.Array) -> da.Array:
    """Correlation from covariance, in one chunk: as many rows as variables."""
    return one_chunk(c, "corrcoef").map_blocks(_correlation, dtype=c.dtype)


def _correlation(c: Any) -> Any:
    if not np.ndim(c):
        return c / c
    spread = np.sqrt(np.diag(c).real)
    c = c / spread[:, None] / spread[None, :]
    if c.dtype.kind == "c":
        return np.clip(c.real, -1, 1) + 1j * np.clip(c.imag, -1, 1)
    return np.clip(c, -1, 1)


def _prepare_histogram(
    name: str, a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: Any = None
) -> Any:
    a = as_tensor(a)
    if weights is not None:
        weights = as_tensor(weights)
        if weights.shape != a.shape and not any(n != n for n in (*weights.shape, *a.shape)):
            raise ShapeError("weights should have the same shape as a.")
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


@operation("histogram.of", room="engine", meta=_histogram_meta)
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


HISTOGRAM_CASES = (
    "x", "x, 4", "i, bins=[0, 2, 5, 30]", "x, 5, (-3, 9)", "v, 'auto'", "x, bins='sturges'", "x, bins='fd', range=(-5, 5)", "n, 7", "x, 0", "x, 2.5", "h", "x, 'no'",
    "x, [3, 1]", "x, 4, (5, 1)", "e, 3", "b, 2", "x, weights=u, bins=3", "v - v, 3", "x, [[1, 2]]", "x, np.array([-5.0, 0, 10])",
)  # fmt: skip


@operation(
    "histogram",
    room="tensor",
    sizes="any",
    prepare=partial(_prepare_histogram, "histogram"),
    oracle=np.histogram,
    cases=(
        *HISTOGRAM_CASES,
        "x, 4, density=True",
        "x, 4, density=True, weights=u",
        "i, [0, 2, 5, 30], density=True",
        "i, weights=n",
    ),
)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many elements fall in each bin, and the bins' edges."""


@operation(
    "histogram_bin_edges",
    room="tensor",
    sizes="any",
    prepare=partial(_prepare_histogram, "histogram_bin_edges"),
    oracle=np.histogram_bin_edges,
    cases=HISTOGRAM_CASES,
)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of bins that `histogram` would use."""


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = as_tensor(y)
    (axis,) = axes_of(axis, y.ndim) or (0,)
    return {"y": y, "x": x, "dx": dx, "axis": axis}


@operation(
    "trapz",
    room="tensor",
    prepare=_trapezoid,
    oracle=np.trapezoid,
    cases=(
        "v",
        "x",
        "x, axis=0",
        "v, np.arange(11) ** 2",
        "x, dx=0.5",
        "x, x=[1, 2, 4, 8, 9]",
        "x, y, axis=0",
        "i, axis=2",
    ),
)
def trapz(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> da.Array:
    """The area under `y` along an axis by the trapezoidal rule (NumPy 2 calls it `trapezoid`)."""
    head, tail = [slice(None)] * y.ndim, [slice(None)] * y.ndim
    head[axis], tail[axis] = slice(1, None), slice(None, -1)
    step: Any = dx
    if x is not None:
        if x.ndim == 1:
            step = (x[1:] - x[:-1]).reshape(tuple(-1 if i == axis else 1 for i in range(y.ndim)))
        else:
            step = x[tuple(head)] - x[tuple(tail)]
    return (step * (y[tuple(head)] + y[tuple(tail)]) / 2.0).sum(axis=axis)
