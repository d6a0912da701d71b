"""Products: every one a contraction of chunks, summed over the chunks of contracted axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, ShapeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, operation, public
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import flat, fold, one_axis
from marsdask.tensor.views import assign

Index = tuple[int, ...]


def contracted(
    func: Callable[..., Any],
    kept: Index,
    gone: Index,
    operands: Sequence[tuple[da.Array, Index]],
    dtype: np.dtype[Any],
) -> da.Array:
    """`func` of matching chunks (its result has the axes `kept`), added up over the axes `gone`.

    Keeps NumPy's dtype: whole numbers are not widened, booleans are joined by `or`.
    """
    pairs: list[Any] = []
    for array, index in operands:
        if not array.size:  # Dask cannot bring chunks of nothing into line
            array = da.zeros(array.shape, chunks=-1, dtype=array.dtype)
        pairs += [array, index]
    out = (*kept, *gone)
    parts = da.blockwise(
        partial(_product, func, len(gone), dtype),
        out,
        *pairs,
        adjust_chunks=dict.fromkeys(gone, 1),
        dtype=dtype,
        meta=np.empty((0,) * len(out), dtype),
    )
    axes = tuple(range(len(kept), len(out)))
    if not axes:
        return parts
    if all(parts.numblocks[a] == 1 for a in axes):
        return parts.reshape(parts.shape[: len(kept)]) if not kept else parts[(..., *(0 for _ in axes))]
    return fold(parts, axes, partial(_added, dtype), partial(_joined, dtype), _same, dtype, label="product")


def _product(func: Any, gone: int, dtype: Any, *parts: Any) -> Any:
    result = np.asarray(func(*parts))
    return result.reshape(result.shape + (1,) * gone).astype(dtype, copy=False)


def _added(dtype: Any, part: Any, axes: Any) -> Any:
    if dtype.kind == "b":
        return np.logical_or.reduce(part, axis=axes, keepdims=True)
    return np.add.reduce(part, axis=axes, keepdims=True, dtype=dtype)


def _joined(dtype: Any, states: list[Any]) -> Any:
    total = states[0]
    for each in states[1:]:
        total = total | each if dtype.kind == "b" else total + each
    return total


def _same(state: Any) -> Any:
    return state


def _dtype(func: Any, *arrays: Any) -> np.dtype[Any]:
    return np.asarray(func(*(np.ones((1,) * a.ndim, a.dtype) for a in arrays))).dtype


def fits(m: float, n: float) -> bool:
    return m == n or m != m or n != n


def _check(function: str, a: TensorMeta, b: TensorMeta, m: float, n: float) -> None:
    if not fits(m, n):
        raise ShapeError(f"{function}: shapes {a.shape} and {b.shape} not aligned: {m:g} != {n:g}.")


def _dot_meta(a: TensorMeta, b: TensorMeta) -> TensorMeta:
    dtype = _dtype(np.dot, a, b)
    if not a.ndim or not b.ndim:
        return TensorMeta(a.shape or b.shape, dtype)
    last = b.shape[-2] if b.ndim > 1 else b.shape[0]
    _check("dot", a, b, a.shape[-1], last)
    return TensorMeta((*a.shape[:-1], *(b.shape[:-2] + b.shape[-1:] if b.ndim > 1 else ())), dtype)


def _with_out(name: str, a: Any, b: Any = None, out: Any = None, **given: Any) -> Any:
    a, b = as_tensor(a), as_tensor(b)
    if name == "matmul" and not (a.ndim and b.ndim):
        raise ArgumentError(
            "matmul: Input operand does not have enough dimensions (a scalar). Hint: use * for scalars."
        )
    result = registry.make(name, a, b)
    if given.get("dtype") is not None:
        result = registry.make("astype", result, np.dtype(given["dtype"]))
    return result if out is None else assign(out, result)


@operation(
    "dot",
    room="tensor",
    owners=["Tensor"],
    prepare=partial(_with_out, "dot"),
    meta=_dot_meta,
)
def dot(a: Array, b: Array, out: Any = None) -> da.Array:
    """The dot product: over the last axis of `a` and the last but one of `b`."""
    if not a.ndim or not b.ndim:
        return a * b
    left = tuple(range(a.ndim))
    right = tuple(range(a.ndim, a.ndim + b.ndim))
    at = b.ndim - 2 if b.ndim > 1 else 0
    right = (*right[:at], left[-1], *right[at + 1 :])
    kept = (*left[:-1], *right[:at], *right[at + 1 :])
    return contracted(np.dot, kept, (left[-1],), [(a, left), (b, right)], _dtype(np.dot, a, b))


def _matmul_meta(a: TensorMeta, b: TensorMeta) -> TensorMeta:
    from marsdask.tensor.elementwise import broadcast_shape

    _check("matmul", a, b, a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0])
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    rows = a.shape[-2:-1] if a.ndim > 1 else ()
    columns = b.shape[-1:] if b.ndim > 1 else ()
    return TensorMeta((*batch, *rows, *columns), _dtype(np.matmul, a, b))


@operation(
    "matmul",
    room="tensor",
    prepare=partial(_with_out, "matmul"),
    meta=_matmul_meta,
)  # fmt: skip
def matmul(a: Array, b: Array, out: Any = None, *, dtype: Any = None) -> da.Array:
    """The matrix product; leading axes are broadcast."""
    dtype = _dtype(np.matmul, a, b)
    rows, columns = a.ndim > 1, b.ndim > 1
    depth = max(a.ndim, b.ndim, 2) - 2
    batch = tuple(range(depth))
    i, j, k = depth, depth + 1, depth + 2
    left = (*batch[depth - max(a.ndim - 2, 0) :], *((i,) if rows else ()), k)
    right = (*batch[depth - max(b.ndim - 2, 0) :], k, *((j,) if columns else ()))
    kept = (*batch, *((i,) if rows else ()), *((j,) if columns else ()))
    return contracted(np.matmul, kept, (k,), [(a, left), (b, right)], dtype)


def _inner_meta(a: TensorMeta, b: TensorMeta) -> TensorMeta:
    dtype = _dtype(np.inner, a, b)
    if not a.ndim or not b.ndim:
        return TensorMeta(a.shape or b.shape, dtype)
    _check("inner", a, b, a.shape[-1], b.shape[-1])
    return TensorMeta((*a.shape[:-1], *b.shape[:-1]), dtype)


def _inner(a: da.Array, b: da.Array) -> da.Array:
    if not a.ndim or not b.ndim:
        return a * b
    left = tuple(range(a.ndim))
    right = (*range(a.ndim, a.ndim + b.ndim - 1), left[-1])
    kept = (*left[:-1], *right[:-1])
    return contracted(np.inner, kept, (left[-1],), [(a, left), (b, right)], _dtype(np.inner, a, b))


for _name in ("inner", "innerproduct"):

    @lowered(
        _name,
        room="tensor",
        meta=_inner_meta,
    )
    def inner(a: Array, b: Array) -> da.Array:
        """The sum of products over the last axes."""
        return _inner(a, b)


@lowered(
    "vdot",
    room="tensor",
    meta=lambda a, b: TensorMeta((), _dtype(np.dot, a, b)),
)
def vdot(a: Array, b: Array) -> da.Array:
    """The dot product of all elements in C order, the first conjugated."""
    if a.size != b.size:
        raise ShapeError(f"vdot: cannot match {a.size} elements with {b.size}.")
    return _inner(flat(a).conj() if a.dtype.kind == "c" else flat(a), flat(b))


def _outer_meta(a: TensorMeta, b: TensorMeta) -> TensorMeta:
    sizes = (math.prod(a.shape), math.prod(b.shape))
    return TensorMeta(sizes, np.result_type(a.dtype, b.dtype))


@operation(
    "outer",
    room="tensor",
    prepare=partial(_with_out, "outer"),
    meta=_outer_meta,
)
def outer(a: Array, b: Array, out: Any = None) -> da.Array:
    """The products of all pairs of elements."""
    return flat(a)[:, None] * flat(b)[None, :]


def _tensordot_axes(axes: Any, a: TensorMeta, b: TensorMeta) -> tuple[Index, Index]:
    if isinstance(axes, (int, np.integer)):
        if axes < 0 or axes > min(a.ndim, b.ndim):
            raise IndexOutOfRange(
                f"tensordot(axes={axes}): {a.ndim} and {b.ndim} dimensions have no {axes} axes to sum over."
            )
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        try:
            left, right = axes
        except (TypeError, ValueError):
            raise ArgumentTypeError(f"axes={axes!r}: expected a whole number or two sequences.") from None
        left = [int(left)] if isinstance(left, (int, np.integer)) else list(left)
        right = [int(right)] if isinstance(right, (int, np.integer)) else list(right)
    if len(left) != len(right):
        raise ShapeError(
            f"tensordot(axes={axes!r}): shape-mismatch for sum: {len(left)} and {len(right)} axes."
        )
    for side, axis_list in ((a, left), (b, right)):
        for axis in axis_list:
            if not -side.ndim <= axis < side.ndim:
                raise IndexOutOfRange(f"tensordot(axes={axes!r}): axis {axis} of {side.ndim} dimensions.")
    found = tuple(int(i) % a.ndim for i in left), tuple(int(i) % b.ndim for i in right)
    for m, n in zip(*found, strict=True):
        if not fits(a.shape[m], b.shape[n]):
            raise ShapeError(
                f"tensordot(axes={axes!r}): shape-mismatch for sum: {a.shape[m]:g} and {b.shape[n]:g}."
            )
    return found


def _tensordot(a: Any, b: Any = None, axes: Any = 2) -> Any:
    a, b = as_tensor(a), as_tensor(b)
    return registry.make("tensordot", a, b, _tensordot_axes(axes, a.known, b.known))


def _tensordot_meta(a: TensorMeta, b: TensorMeta, axes: Any) -> TensorMeta:
    left, right = axes
    shape = [n for i, n in enumerate(a.shape) if i not in left] + [
        n for i, n in enumerate(b.shape) if i not in right
    ]
    return TensorMeta(tuple(shape), _dtype(np.dot, a, b))


@operation(
    "tensordot",
    room="tensor",
    prepare=_tensordot,
    meta=_tensordot_meta,
)  # fmt: skip
def tensordot(a: Array, b: Array, axes: Any = 2) -> da.Array:
    """The sum of products over the given axes of both."""
    left_axes, right_axes = axes
    left = list(range(a.ndim))
    right = list(range(a.ndim, a.ndim + b.ndim))
    for m, n in zip(left_axes, right_axes, strict=True):
        right[n] = left[m]
    gone = tuple(left[m] for m in left_axes)
    kept = tuple(i for i in (*left, *right) if i not in gone)
    func = partial(np.tensordot, axes=axes)
    return contracted(func, kept, gone, [(a, tuple(left)), (b, tuple(right))], _dtype(np.dot, a, b))


def _kron_meta(a: TensorMeta, b: TensorMeta) -> TensorMeta:
    ndim = max(a.ndim, b.ndim)
    left, right = ((1,) * (ndim - t.ndim) + tuple(t.shape) for t in (a, b))
    return TensorMeta(
        tuple(m * n for m, n in zip(left, right, strict=True)), np.result_type(a.dtype, b.dtype)
    )


@lowered(
    "kron",
    room="tensor",
    meta=_kron_meta,
)
def kron(a: Array, b: Array) -> da.Array:
    """The Kronecker product."""
    ndim = max(a.ndim, b.ndim)
    if not ndim:
        return a * b
    a = a.reshape((1,) * (ndim - a.ndim) + a.shape)
    b = b.reshape((1,) * (ndim - b.ndim) + b.shape)
    for axis in range(ndim):
        a, b = da.expand_dims(a, 2 * axis + 1), da.expand_dims(b, 2 * axis)
    b = b.rechunk({2 * i + 1: -1 for i in range(ndim)})
    product = a * b
    return product.reshape(tuple(product.shape[2 * i] * product.shape[2 * i + 1] for i in range(ndim)))


@public("trace", owners=["Tensor"])
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """The sum along a diagonal."""
    a = as_tensor(a)
    if a.ndim < 2:
        raise ArgumentError("diag requires an array of at least two dimensions")
    first, second = one_axis(axis1, a.ndim), one_axis(axis2, a.ndim)
    if first == second:
        raise ArgumentError("axis1 and axis2 cannot be the same")
    result = registry.make("trace", a, int(offset), first, second, dtype and np.dtype(dtype))
    return result if out is None else assign(out, result)


@lowered("trace")
def _trace(
    a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> da.Array:
    return da.diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype)
