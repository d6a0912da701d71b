"""Norms of vectors and matrices, by any order."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import lowered, public
from marsdask.tensor.algebra.matrices import ROOM, per_matrix, real
from marsdask.tensor.core import as_tensor


@public("linalg.norm", room=ROOM)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of a vector or matrix, by any `ord`."""
    x = as_tensor(x)
    make = registry.make
    if x.dtype.kind not in "fc":
        x = make("multiply", x, 1.0)
    keep: dict[str, Any] = {"keepdims": True} if keepdims else {}
    axes = tuple(range(x.ndim)) if axis is None else checks.axes(axis, x.ndim)
    euclidean = {1: (None, 2), 2: (None, "fro", "f")}.get(len(axes), (None,) if axis is None else ())
    if ord in euclidean:
        reduced = {} if axis is None else {"axis": tuple(sorted(axes))}
        squares = make("square", make("absolute", x) if x.dtype.kind == "c" else x)
        return make("sqrt", make("sum", squares, **reduced, **keep))
    if len(axes) == 1:
        return _vector_norm(x, ord, axes, keep)
    if len(axes) != 2:
        raise ArgumentError("Improper number of dimensions to norm.")
    if ord in (1, -1, np.inf, -np.inf):
        along, over = axes if abs(ord) == 1 else axes[::-1]
        if not keepdims:
            over -= along < over
        sums = make("sum", make("absolute", x), axis=(along,), **keep)
        return make("max" if ord > 0 else "min", sums, axis=(over,), **keep)
    if ord in ("nuc", 2, -2):
        return make("linalg.spectral", x, ord, axes, bool(keepdims))
    raise ArgumentError(f"Invalid norm order for matrices: ord={ord!r}.")


def _vector_norm(x: Any, ord: Any, axes: Any, keep: dict[str, Any]) -> Any:
    make = registry.make
    if isinstance(ord, str):
        raise ArgumentError(f"Invalid norm order {ord!r} for vectors")
    if ord in (np.inf, -np.inf):
        return make("max" if ord > 0 else "min", make("absolute", x), axis=axes, **keep)
    if ord == 0:
        return make("sum", make("not_equal", x, 0), axis=axes, dtype=real(x.dtype), **keep)
    if ord == 1:
        return make("sum", make("absolute", x), axis=axes, **keep)
    return make("power", make("sum", make("power", make("absolute", x), ord), axis=axes, **keep), 1 / ord)


def _spectral_meta(x: TensorMeta, ord: Any, axes: Any, keepdims: bool) -> TensorMeta:
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    return TensorMeta(shape, real(x.dtype))


@lowered("linalg.spectral", status="gathered", meta=_spectral_meta)
def spectral(x: da.Array, ord: Any, axes: Any, keepdims: bool) -> da.Array:
    """Matrix norms that need singular values."""
    moved = da.moveaxis(x, axes, (-2, -1))
    known = TensorMeta(moved.shape[:-2], real(x.dtype))
    made = per_matrix(partial(_spectral, ord), [(moved, 2)], known)
    return da.expand_dims(made, tuple(sorted(axes))) if keepdims else made


def _spectral(ord: Any, part: Any) -> Any:
    values = np.linalg.svd(part, compute_uv=False)
    return values.sum(axis=-1) if ord == "nuc" else values.max(axis=-1) if ord == 2 else values.min(axis=-1)
