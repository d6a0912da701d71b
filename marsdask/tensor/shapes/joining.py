"""Tensors joined and cut: concatenate, stack, split, tile, repeat, roll, insert, delete."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, Arrays, lowered, public
from marsdask.tensor.core import Tensor, as_tensor, as_tensors, check_cast
from marsdask.tensor.indexing.indexing import part
from marsdask.tensor.indexing.selecting import given
from marsdask.tensor.reshaping import reshaped
from marsdask.tensor.shapes.axes import at_least


def _joined(function: str, tensors: Any, axis: Any, out: Any, dtype: Any, casting: Any) -> Any:
    """Checks that joins have in common, and the node."""
    many = _some(function, tensors)
    if out is not None and dtype is not None:
        raise ArgumentTypeError(
            f"{function}() only takes `out` or `dtype` as an argument, but both were provided."
        )
    kind = _kind(many, dtype)
    for t in many:
        check_cast(function, t.dtype, kind, casting)
    return given(registry.make(function, many, axis, kind), out)


def _some(function: str, tensors: Any) -> list[Tensor]:
    many = as_tensors(tensors)
    if not many:
        raise ArgumentError(f"{function}(): need at least one tensor.")
    return many


def _kind(tensors: Sequence[Any], dtype: Any) -> np.dtype[Any]:
    return np.result_type(*(t.dtype for t in tensors)) if dtype is None else np.dtype(dtype)


def _common_length(function: str, tensors: Sequence[Any], axis: int | None) -> tuple[float, ...]:
    """The shape that all have, but for one axis."""
    first = list(tensors[0].shape)
    for t in tensors[1:]:
        if t.ndim != len(first):
            raise ShapeError(
                f"{function}(): all tensors must have the same number of dimensions, got {len(first)} and {t.ndim}."
            )
        for i, n in enumerate(t.shape):
            if i == axis or math.isnan(n):
                continue
            if math.isnan(first[i]):
                first[i] = n
            elif first[i] != n:
                raise ShapeError(
                    f"{function}(): all tensors must match except along axis {axis}: axis {i} has {first[i]:.0f} and {n:.0f} entries."
                )
    return tuple(first)


def _concatenate_meta(tensors: list[TensorMeta], axis: Any = 0, dtype: Any = None) -> TensorMeta:
    kind = _kind(tensors, dtype)
    if axis is None:
        return TensorMeta((sum(math.prod(t.shape) for t in tensors),), kind)
    if not tensors[0].shape:
        raise ShapeError("concatenate(): zero-dimensional tensors cannot be concatenated.")
    axis = checks.axis(axis, tensors[0].ndim)
    shape = list(_common_length("concatenate", tensors, axis))
    shape[axis] = sum(t.shape[axis] for t in tensors)
    return TensorMeta(tuple(shape), kind, "F" if all(t.order == "F" for t in tensors) else "C")


@public("concatenate")
def concatenate(
    tensors: Arrays, axis: int | None = 0, out: Any = None, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Tensors one after another along an axis; flat without one."""
    return _joined("concatenate", tensors, axis, out, dtype, casting)


@lowered("concatenate", status="delegated", meta=_concatenate_meta)
def _concatenate(tensors: list[da.Array], axis: int | None = 0, dtype: Any = None) -> da.Array:
    kind = _kind(tensors, dtype)
    if axis is None:
        tensors, axis = [reshaped(t, (-1,)) for t in tensors], 0
    axis = checks.axis(axis, tensors[0].ndim)
    _common_length("concatenate", tensors, axis)
    filled = [t for t in tensors if t.shape[axis]] or tensors[:1]
    return da.concatenate([t.astype(kind) for t in filled], axis=axis)


def _stack_meta(tensors: list[TensorMeta], axis: int, dtype: Any) -> TensorMeta:
    shape = list(_common_length("stack", tensors, None))
    shape.insert(checks.axis(axis, len(shape) + 1), len(tensors))
    return TensorMeta(tuple(shape), dtype)


@public("stack")
def stack(
    tensors: Arrays, axis: int = 0, out: Any = None, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Tensors of one shape along a new axis."""
    return _joined("stack", tensors, axis, out, dtype, casting)


@lowered("stack", status="delegated", meta=_stack_meta)
def _stack(tensors: list[da.Array], axis: int, dtype: Any) -> da.Array:
    _common_length("stack", tensors, None)
    return da.stack([t.astype(dtype) for t in tensors], axis=checks.axis(axis, tensors[0].ndim + 1))


@public("vstack")
def vstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Tensors on top of each other: along the first axis, rows at least."""
    return concatenate([at_least(2, t) for t in _some("vstack", tup)], 0, dtype=dtype, casting=casting)


@public("hstack")
def hstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Tensors beside each other: along the second axis, the first for 1-d ones."""
    many = [at_least(1, t) for t in _some("hstack", tup)]
    return concatenate(many, min(many[0].ndim - 1, 1), dtype=dtype, casting=casting)


@public("dstack")
def dstack(tup: Any) -> Any:
    """Tensors behind each other: along the third axis."""
    return concatenate([at_least(3, t) for t in _some("dstack", tup)], 2)


@public("column_stack")
def column_stack(tup: Any) -> Any:
    """1-d tensors as columns, others as they are, beside each other."""
    many = _some("column_stack", tup)
    columns = [t if t.ndim > 1 else part(t, (..., *[None] * (2 - t.ndim))) for t in many]
    return concatenate(columns, 1)


@public("block")
def block(arrays: Any) -> Any:
    """One tensor from nested lists of blocks."""
    depths: set[int] = set()
    leaves: list[Tensor] = []

    def converted(value: Any, depth: int) -> Any:
        if isinstance(value, tuple):
            raise ArgumentTypeError("block(): only lists can be used to arrange blocks, got a tuple.")
        if not isinstance(value, list):
            depths.add(depth)
            leaves.append(as_tensor(value))
            return leaves[-1]
        if not value:
            raise ArgumentError("block(): lists cannot be empty.")
        return [converted(v, depth + 1) for v in value]

    tree = converted(arrays, 0)
    if len(depths) != 1:
        raise ArgumentError(f"block(): list depths are mismatched: {sorted(depths)}.")
    (deepest,) = depths
    ndim = max(deepest, *(t.ndim for t in leaves))

    def joined(value: Any, depth: int) -> Any:
        if isinstance(value, list):
            return concatenate([joined(v, depth + 1) for v in value], axis=depth - deepest)
        return part(value, (*[None] * (ndim - value.ndim), ...))

    result = joined(tree, 0)
    return registry.make("copy", result) if not deepest else result


@public("append")
def append(arr: Array, values: Array, axis: int | None = None) -> Any:
    """Values after a tensor along an axis; both flat without one."""
    return concatenate([as_tensor(arr), as_tensor(values)], axis)
