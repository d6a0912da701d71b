"""Shapes: reshape, ravel, transpose and their kin, as views wherever NumPy gives one."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, AxisError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.handle import held
from marsdask.plan.meta import NAN, TensorMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, operation, public
from marsdask.tensor import layout
from marsdask.tensor.core import Tensor, as_tensor
from marsdask.tensor.views import view


def reshaped(x: da.Array, shape: Sequence[int]) -> da.Array:
    """`x.reshape(shape)` for any chunks: where Dask cannot, by way of one axis."""
    shape = full_shape(shape, x.shape)
    if shape == x.shape:
        return x
    if not math.prod(shape):
        return da.empty(shape, dtype=x.dtype, chunks=shape)
    x = compact(x)
    try:
        return x.reshape(shape)
    except NotImplementedError:
        return _cut(x.reshape(-1), shape)


def compact(x: da.Array) -> da.Array:
    """The same array without its empty chunks: Dask loses count of them in reshape and in slices with steps."""
    if not any(0 in c for c in x.chunks):
        return x
    numbers = [[i for i, n in enumerate(c) if n] or [0] for c in x.chunks]
    chunks = tuple(tuple(c[i] for i in kept) for c, kept in zip(x.chunks, numbers, strict=True))

    def make(index: tuple[int, ...]) -> graph.Block:
        return graph.Block(x, tuple(kept[i] for kept, i in zip(numbers, index, strict=True)))

    return graph.blocks(make, chunks, x.dtype, [x])


def _cut(x: da.Array, shape: tuple[int, ...]) -> da.Array:
    """One axis into many: whole rows of the result per chunk, about as large as the chunks are."""
    row = math.prod(shape[1:])
    rows = max(max(x.chunks[0]) // max(row, 1), 1)
    return x.rechunk((rows * row,)).reshape(shape)


def full_shape(shape: Sequence[float], old: Sequence[float]) -> tuple[Any, ...]:
    """`shape` with its -1 worked out from the old shape; an error where the sizes differ."""
    size = math.prod(old)
    free = [i for i, n in enumerate(shape) if n == -1]
    if len(free) > 1:
        raise ArgumentError(f"shape={tuple(shape)!r}: can only specify one unknown dimension.")
    rest = math.prod(n for n in shape if n != -1)
    if any(n < -1 for n in shape):
        raise ArgumentError(f"shape={tuple(shape)!r}: negative dimensions are not allowed.")
    if math.isnan(size):
        return tuple(NAN if n == -1 else n for n in shape)
    if free:
        if not rest or size % rest:
            raise ShapeError(f"cannot reshape tensor of size {size:.0f} into shape {tuple(shape)}.")
        return tuple(int(size // rest) if n == -1 else int(n) for n in shape)
    if rest != size:
        raise ShapeError(f"cannot reshape tensor of size {size:.0f} into shape {tuple(shape)}.")
    return tuple(map(int, shape))


def whole_numbers(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """A shape, or one number, as a tuple of ints."""
    entries = shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
    try:
        return tuple(operator.index(n) for n in entries)
    except TypeError:
        raise ArgumentTypeError(f"{name}={shape!r}: expected whole numbers.") from None


def axis_of(axis: Any, ndim: int) -> int:
    """One axis from 0 on, or an error."""
    try:
        number = operator.index(axis)
    except TypeError:
        raise ArgumentTypeError(f"axis={axis!r}: expected a whole number.") from None
    if not -ndim <= number < ndim:
        raise AxisError.outside(axis, ndim)
    return number % ndim


def axes_of(axes: Any, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """One or several different axes from 0 on."""
    found = tuple(axis_of(a, ndim) for a in (axes if isinstance(axes, (tuple, list)) else (axes,)))
    if len(set(found)) != len(found):
        raise ArgumentError(f"{name}={axes!r}: repeated axis.")
    return found


ORDERS = ("C", "F", "A", "K")


def check_order(order: Any, allowed: str = "CFA") -> str:
    if order not in tuple(allowed):
        raise ArgumentError(f"order={order!r}: expected one of {', '.join(allowed)}.")
    return str(order)


def transpose_meta(a: TensorMeta, axes: Any = None) -> TensorMeta:
    axes = all_axes(axes, a.ndim)
    order = a.order
    if len(axes) > 1 and axes == tuple(reversed(range(len(axes)))):
        order = "F" if a.order == "C" else "C"
    return TensorMeta(tuple(a.shape[i] for i in axes), a.dtype, order)


def all_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    return tuple(reversed(range(ndim))) if axes is None else axes_of(tuple(axes), ndim, "axes")


def transposed_view(a: Any, axes: tuple[int, ...]) -> Any:
    """A view of the tensor with its axes in another order."""
    back = tuple(int(i) for i in np.argsort(axes)) if axes else ()
    return view(a, partial(_transposed_node, axes), partial(_untransposed_node, back))


def _transposed_node(axes: tuple[int, ...], base: Node) -> Node:
    return Node("transpose", (base, axes))


def _untransposed_node(back: tuple[int, ...], base: Node, new: Node) -> Node:
    return Node("transpose", (new, back))


def _reshaped_meta(a: TensorMeta, shape: Any, order: str = "C", copy: Any = None) -> TensorMeta:
    return TensorMeta(full_shape(whole_numbers(shape), a.shape), a.dtype, order)


def in_shape(a: da.Array, shape: Sequence[int], order: str = "C") -> da.Array:
    """The same elements in another shape, read and laid out in C or Fortran order."""
    if order == "F":
        shape = full_shape(shape, a.shape)
        return reshaped(a.transpose(), tuple(reversed(shape))).transpose()
    return reshaped(a, shape)


@lowered(
    "reshaped_like",
    meta=lambda a, like, order="C": TensorMeta(like.shape, a.dtype, like.order),
)
def reshaped_like(a: da.Array, like: da.Array, order: str = "C") -> da.Array:
    """The elements of `a` in the shape of `like`."""
    return in_shape(a, like.shape, order)


def reshaped_view(a: Any, shape: tuple[int, ...], order: str = "C") -> Any:
    """A view of the tensor in another shape."""
    return view(a, partial(_reshaped_node, shape, order), partial(_unreshaped_node, order))


def _reshaped_node(shape: tuple[int, ...], order: str, base: Node) -> Node:
    return Node("reshape", (base, shape, order))


def _unreshaped_node(order: str, base: Node, new: Node) -> Node:
    return Node("reshaped_like", (new, base, order))


def _reshape(a: Any, shape: Any = None, order: str = "C", copy: Any = None) -> Any:
    if shape is None:
        raise ArgumentTypeError("reshape() missing 1 required positional argument: 'shape'")
    a = as_tensor(a)
    check_order(order)
    numbers = whole_numbers(shape)
    full_shape(numbers, a.known.shape)
    a, order = _reading_order(a, order)
    if copy or not layout.reshape_is_view(a, numbers, order):
        if copy is False:
            raise ArgumentError("reshape(copy=False): this tensor cannot be reshaped without a copy.")
        return registry.make("reshape", a, numbers, order)
    return reshaped_view(a, numbers, order)


@operation("reshape", room="tensor", meta=_reshaped_meta, prepare=_reshape)
def reshape(a: Array, shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """The same elements in another shape: a view where NumPy gives one."""
    return in_shape(a, whole_numbers(shape), order)


def _reshape_method(self: Any, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    return _reshape(self, shape[0] if len(shape) == 1 else shape, order, copy)


@operation("Tensor.reshape", room="tensor", function=False, owners=("Tensor",),
           prepare=lambda self, shape=(), order="C", copy=None: _reshape_method(self, *shape, order=order, copy=copy))  # fmt: skip
def reshape_method(self: Array, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """The same elements in another shape: a view where NumPy gives one."""


def _reading_order(a: Any, order: str) -> tuple[Any, str]:
    """For orders that depend on how elements lie in memory: the tensor to read, and in C or Fortran order."""
    if order == "A":
        return a, "F" if layout.layout(a).flags.fnc else "C"
    if order == "K":
        steps = [abs(s) for s in layout.layout(a).strides]
        axes = tuple(sorted(range(a.ndim), key=lambda i: -steps[i]))
        return (a if axes == tuple(range(a.ndim)) else transposed_view(a, axes)), "C"
    return a, order


@public("ravel", owners=("Tensor",))
def ravel(a: Any, order: str = "C") -> Any:
    """All elements on one axis: a view where NumPy gives one."""
    check_order(order, "CFAK")
    a, order = _reading_order(as_tensor(a), order)
    flags = layout.layout(a).flags
    if flags.c_contiguous if order == "C" else flags.f_contiguous:
        return reshaped_view(a, (-1,), order)
    return registry.make("reshape", a, (-1,), order)


@public("flatten", function=False, owners=("Tensor",))
def flatten(self: Any, order: str = "C") -> Any:
    """All elements on one axis: a copy."""
    check_order(order, "CFAK")
    self, order = _reading_order(self, order)
    return registry.make("reshape", self, (-1,), order)


def reshape_in_place(self: Tensor, shape: Any) -> None:
    """`x.shape = shape`: the handle becomes a view of its former self."""
    numbers = whole_numbers(shape)
    full_shape(numbers, self.known.shape)
    if not layout.reshape_is_view(self, numbers, "C"):
        raise ArgumentError(
            "x.shape = ...: this tensor cannot be reshaped without a copy. Hint: x = x.reshape(...)"
        )
    former = type(self)(self.node, held(self))
    if self._base is not None:
        former.view_of(self._base, self._derive, self._restore)
    self.part_from(former)
    derive = partial(_reshaped_node, numbers, "C")
    self._node, self._result = derive(former.node), None
    self.view_of(former, derive, partial(_unreshaped_node, "C"))
