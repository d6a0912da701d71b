"""Shapes: reshape, ravel and transposed views, as views wherever NumPy gives one.

Which reshapes are views depends on strides, so views keep count of theirs without data. A tensor that is no view lies in memory
in its order. A view's layout is what NumPy's own view of a stand-in has: an array of the right shape and strides over one byte,
of which nothing is ever read.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import NAN, PLACEHOLDERS, TensorMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import Tensor, view

_NOTHING = np.zeros(1, "u1")
_MOVES_NOTHING = "copy" in inspect.signature(np.reshape).parameters  # since NumPy 2.1


def stand_in(
    shape: Sequence[float], strides: Sequence[int] | None = None, order: str = "C"
) -> np.ndarray[Any, Any]:
    """An array of that shape over one byte. Its elements must not be looked at."""
    lengths = [PLACEHOLDERS[0] if math.isnan(n) else int(n) for n in shape]
    if strides is None:
        steps = [max(n, 1) for n in lengths]
        strides = [math.prod(steps[i + 1 :] if order == "C" else steps[:i]) for i in range(len(steps))]
    return np.lib.stride_tricks.as_strided(_NOTHING, lengths, strides, writeable=False)


def layout(handle: Any) -> np.ndarray[Any, Any]:
    """A stand-in laid out as the tensor is."""
    base: Handle | None = handle._base
    if base is None:
        return stand_in(handle.known.shape, order=handle.known.order)
    below = layout(base)
    # What the view says: after a write its own node says what was written.
    node: Node = handle._derive(base.node)
    if node.op == "slice":
        found = below[node.args[1]]
        return found if isinstance(found, np.ndarray) else stand_in(())
    if node.op == "transpose":
        return below.transpose(node.args[1])
    if node.op == "reshape":
        same = reshaped_layout(below, *node.args[1:])
        if same is not None:
            return same
    if node.op == "broadcast_to":
        return np.broadcast_to(below, node.args[1])
    return stand_in(handle.known.shape, order=handle.known.order)


def reshaped_layout(x: np.ndarray[Any, Any], shape: Sequence[int], order: str) -> np.ndarray[Any, Any] | None:
    """The layout of a reshaped view, or None where the elements would have to move."""
    rest = math.prod(n for n in shape if n != -1)
    new = tuple((x.size // rest if rest else 0) if n == -1 else n for n in shape)
    if x.size != math.prod(new) or not x.size:
        # Unknown lengths that do not divide, or nothing to move.
        return stand_in(new, order=order)
    try:
        if _MOVES_NOTHING:
            return x.reshape(new, order=order, copy=False)  # type: ignore[call-overload, no-any-return]
        turned = x.T if order == "F" else x.view()  # a shape that is set moves nothing either
        turned.shape = new[::-1] if order == "F" else new
        return turned.T if order == "F" else turned
    except (ValueError, AttributeError):
        return None


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
        # One axis into many: whole rows of the result per chunk, about as large as the chunks are.
        line, row = x.reshape(-1), math.prod(shape[1:])
        rows = max(max(line.chunks[0]) // max(row, 1), 1)
        return graph.rechunked(line, (rows * row,)).reshape(shape)


def compact(x: da.Array) -> da.Array:
    """The same array without its empty chunks: Dask loses count of them in reshape and in slices with steps."""
    if not any(0 in c for c in x.chunks):
        return x
    numbers = [[i for i, n in enumerate(c) if n] or [0] for c in x.chunks]
    chunks = tuple(tuple(c[i] for i in kept) for c, kept in zip(x.chunks, numbers, strict=True))

    def make(index: tuple[int, ...]) -> graph.Block:
        return graph.Block(x, tuple(kept[i] for kept, i in zip(numbers, index, strict=True)))

    return graph.blocks(make, chunks, x.dtype, [x])


def full_shape(shape: Sequence[float], old: Sequence[float]) -> tuple[Any, ...]:
    """`shape` with its -1 worked out from the old shape; an error where the sizes differ."""
    shape, size = tuple(shape), math.prod(old)
    if shape.count(-1) > 1:
        raise ArgumentError(f"shape={shape!r}: can only specify one unknown dimension.")
    if any(n < -1 for n in shape):
        raise ArgumentError(f"shape={shape!r}: negative dimensions are not allowed.")
    if math.isnan(size):
        return tuple(NAN if n == -1 else n for n in shape)
    rest = math.prod(n for n in shape if n != -1)
    full = tuple(int(size // (rest or 1) if n == -1 else n) for n in shape)
    if math.prod(full) != size or (-1 in shape and not rest):
        raise ShapeError(f"cannot reshape tensor of size {size:.0f} into shape {shape}.")
    return full


def whole_numbers(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """A shape, or one number, as a tuple of ints."""
    entries = shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
    try:
        return tuple(operator.index(n) for n in entries)
    except TypeError:
        raise ArgumentTypeError(f"{name}={shape!r}: expected whole numbers.") from None


def transposed_view(a: Any, axes: tuple[int, ...]) -> Any:
    """A view of the tensor with its axes in another order."""
    back = tuple(int(i) for i in np.argsort(axes)) if axes else ()
    return view(
        a, lambda base: Node("transpose", (base, axes)), lambda base, new: Node("transpose", (new, back))
    )


@lowered("reshape", meta=lambda a, shape, order="C": TensorMeta(full_shape(shape, a.shape), a.dtype, order))
def in_shape(a: da.Array, shape: Sequence[int], order: str = "C") -> da.Array:
    """The same elements in another shape, read and laid out in C or Fortran order."""
    if order == "F":
        shape = full_shape(shape, a.shape)
        return reshaped(a.transpose(), tuple(reversed(shape))).transpose()
    return reshaped(a, shape)


@lowered("reshaped_like", meta=lambda a, like, order="C": TensorMeta(like.shape, a.dtype, like.order))
def reshaped_like(a: da.Array, like: da.Array, order: str = "C") -> da.Array:
    """The elements of `a` in the shape of `like`."""
    return in_shape(a, like.shape, order)


def reshaped_view(a: Any, shape: tuple[int, ...], order: str = "C") -> Any:
    """A view of the tensor in another shape."""
    return view(a, *_reshaping(shape, order))


def _reshaping(shape: tuple[int, ...], order: str) -> tuple[Any, Any]:
    """The node of a view in another shape, and of its base after a write."""
    return (
        lambda base: Node("reshape", (base, shape, order)),
        lambda base, new: Node("reshaped_like", (new, base, order)),
    )


@public("reshape")
def reshape(a: Array, shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """The same elements in another shape: a view where NumPy gives one."""
    checks.choice(order, "order", "CFA")
    numbers = whole_numbers(shape)
    full_shape(numbers, a.known.shape)
    a, order = _reading_order(a, order)
    if not copy and reshaped_layout(layout(a), numbers, order) is not None:
        return reshaped_view(a, numbers, order)
    if copy is False:
        raise ArgumentError("reshape(copy=False): this tensor cannot be reshaped without a copy.")
    return registry.make("reshape", a, numbers, order)


@public("Tensor.reshape", owners=("Tensor",))
def reshape_method(self: Array, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """The same elements in another shape: a view where NumPy gives one."""
    return reshape(self, shape[0] if len(shape) == 1 else shape, order, copy)


def _reading_order(a: Any, order: str) -> tuple[Any, str]:
    """For orders that depend on how elements lie in memory: the tensor to read, and in C or Fortran order."""
    if order == "A":
        return a, "F" if layout(a).flags.fnc else "C"
    if order == "K":
        steps = [abs(s) for s in layout(a).strides]
        axes = tuple(sorted(range(a.ndim), key=lambda i: -steps[i]))
        return (a if axes == tuple(range(a.ndim)) else transposed_view(a, axes)), "C"
    return a, order


@public("ravel", owners=("Tensor",))
def ravel(a: Array, order: str = "C") -> Any:
    """All elements on one axis: a view where NumPy gives one."""
    checks.choice(order, "order", "CFAK")
    a, order = _reading_order(a, order)
    flags = layout(a).flags
    if flags.c_contiguous if order == "C" else flags.f_contiguous:
        return reshaped_view(a, (-1,), order)
    return registry.make("reshape", a, (-1,), order)


@public("flatten", function=False, owners=("Tensor",))
def flatten(self: Array, order: str = "C") -> Any:
    """All elements on one axis: a copy."""
    checks.choice(order, "order", "CFAK")
    self, order = _reading_order(self, order)
    return registry.make("reshape", self, (-1,), order)


def reshape_in_place(self: Tensor, shape: Any) -> None:
    """`x.shape = shape`: the handle becomes a view of its former self."""
    numbers = whole_numbers(shape)
    full_shape(numbers, self.known.shape)
    if reshaped_layout(layout(self), numbers, "C") is None:
        raise ArgumentError(
            "x.shape = ...: this tensor cannot be reshaped without a copy. Hint: x = x.reshape(...)"
        )
    former = type(self)(self.node, held(self))
    if self._base is not None:
        former.view_of(self._base, self._derive, self._restore)
    self.part_from(former)
    derive, restore = _reshaping(numbers, "C")
    self._node, self._result = derive(former.node), None
    self.view_of(former, derive, restore)
    self._moved()


Tensor.shape = Tensor.shape.setter(reshape_in_place)  # type: ignore[attr-defined,method-assign]
