"""Axes: transpose and its kin, squeeze, expand_dims, flip, broadcast, as views where NumPy gives one."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, AxisError, ShapeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import ExecutableTuple, Tensor, as_tensor, delegated, read_only
from marsdask.tensor.elements.elementwise import broadcast_shape
from marsdask.tensor.indexing.indexing import sliced
from marsdask.tensor.indexing.keys import FULL, check_fits
from marsdask.tensor.reshaping import transposed_view, whole_numbers


@public("transpose")
def transpose(a: Array, axes: Any = None) -> Any:
    """A view with the axes in another order; reversed without `axes`."""
    if axes is None:
        axes = reversed(range(a.ndim))
    elif len(axes) != a.ndim:
        raise ArgumentError(f"axes={axes!r}: axes don't match tensor of {a.ndim} dimensions.")
    return transposed_view(a, checks.axes(tuple(axes), a.ndim, "axes"))


def _transpose_meta(a: TensorMeta, axes: tuple[int, ...]) -> TensorMeta:
    turned, same = axes == tuple(reversed(range(a.ndim))), axes == tuple(range(a.ndim))
    order = "F" if (a.order == "C" and turned and a.ndim > 1) or (a.order == "F" and same) else "C"
    return TensorMeta(tuple(a.shape[i] for i in axes), a.dtype, order)


@delegated("transpose", meta=_transpose_meta)
def _transpose(a: da.Array, axes: tuple[int, ...]) -> da.Array:
    return a.transpose(axes)


@public("Tensor.transpose", owners=("Tensor",))
def transpose_method(self: Array, *axes: Any) -> Any:
    """A view with the axes in another order; reversed without `axes`."""
    alone = len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list)))
    return transpose(self, axes[0] if alone else axes or None)


@public("swapaxes", owners=("Tensor",))
def swapaxes(a: Array, axis1: int, axis2: int) -> Any:
    """A view with two axes swapped."""
    i, j = checks.axis(axis1, a.ndim), checks.axis(axis2, a.ndim)
    return transposed_view(a, tuple({i: j, j: i}.get(n, n) for n in range(a.ndim)))


@public("moveaxis")
def moveaxis(a: Array, source: Any, destination: Any) -> Any:
    """A view with axes moved to other places."""
    sources = checks.axes(source, a.ndim, "source")
    targets = checks.axes(destination, a.ndim, "destination")
    if len(sources) != len(targets):
        raise ArgumentError("`source` and `destination` arguments must have the same number of elements.")
    order = [n for n in range(a.ndim) if n not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return transposed_view(a, tuple(order))


@public("rollaxis")
def rollaxis(a: Array, axis: int, start: int = 0) -> Any:
    """A view with one axis rolled backwards."""
    axis = checks.axis(axis, a.ndim)
    begin = start + a.ndim if start < 0 else start
    if not 0 <= begin <= a.ndim:
        raise AxisError.outside(start, a.ndim)
    return moveaxis(a, axis, begin - (axis < begin))


@public("squeeze", owners=("Tensor",))
def squeeze(a: Array, axis: Any = None) -> Any:
    """A view without the axes of length one. Axes of unknown length stay; the run refuses if one is a one."""
    if axis is None:
        gone = {i for i, n in enumerate(a.known.shape) if n == 1}
        unknown = tuple(i for i, n in enumerate(a.known.shape) if math.isnan(n))
        if unknown:  # kept, and the run checks that they are no ones
            a = registry.make("not_one", a, unknown)
    else:
        gone = set(checks.axes(axis, a.ndim))
        for i, n in enumerate(a.known.shape):
            if i in gone and n != 1:
                raise ShapeError(f"cannot select axis {i} to squeeze out: its length is {n}, not one.")
    return sliced(a, tuple(0 if i in gone else FULL for i in range(a.ndim)))


@lowered("not_one", meta=lambda a, axes: a)
def not_one(a: da.Array, axes: tuple[int, ...]) -> da.Array:
    """The same, or an error where one of the axes has length 1 after all."""
    for axis in axes:
        if a.shape[axis] == 1:
            raise ShapeError(
                f"squeeze(): axis {axis} turned out to have length 1. Hint: name the axis, or execute() first."
            )
    return a


@public("expand_dims")
def expand_dims(a: Array, axis: Any) -> Any:
    """A view with new axes of length one."""
    ndim = a.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    new = checks.axes(axis, ndim)
    return sliced(a, tuple(None if i in new else FULL for i in range(ndim)))


@public("flip")
def flip(m: Array, axis: Any = None) -> Any:
    """A view with the order of elements reversed along axes; all without `axis`."""
    axes = range(m.ndim) if axis is None else checks.axes(axis, m.ndim)
    return sliced(m, tuple(slice(None, None, -1) if i in axes else FULL for i in range(m.ndim)))


def _flipped(axis: int, m: Array) -> Any:
    """A view with the order of elements reversed along one axis."""
    if m.ndim <= axis:
        raise ArgumentError(f"input must be >= {axis + 1}-d.")
    return flip(m, axis)


public("flipud")(partial(_flipped, 0))
public("fliplr")(partial(_flipped, 1))


def at_least(ndim: int, x: Tensor) -> Any:
    """The tensor with so many axes: new ones come first, but of three NumPy puts one last."""
    spare = ndim - x.ndim
    if spare <= 0:
        return x
    last = 1 if ndim == 3 and x.ndim else 0
    return sliced(x, (*[None] * (spare - last), *[FULL] * x.ndim, *[None] * last))


def _at_least_all(n: int, *tensors: Any) -> Any:
    """A view with so many axes at least."""
    made = [at_least(n, as_tensor(t)) for t in tensors]
    return made[0] if len(made) == 1 else ExecutableTuple(made)


for _n in (1, 2, 3):
    public(f"atleast_{_n}d")(partial(_at_least_all, _n))


def broadcast_view(a: Any, shape: tuple[int, ...]) -> Any:
    """A read-only view of another shape."""
    return read_only(a, "broadcast_to() repeats elements", "broadcast_to", shape)


@public("broadcast_to")
def broadcast_to(array: Array, shape: Any, subok: bool = False) -> Any:
    """A read-only view of a larger shape."""
    numbers = whole_numbers(shape)
    if any(n < 0 for n in numbers):
        raise ArgumentError(f"shape={shape!r}: all elements of broadcast shape must be non-negative.")
    if array.ndim > len(numbers):
        raise ShapeError(f"input operand has more dimensions than {numbers} allows.")
    check_fits(array.known.shape, numbers)
    return broadcast_view(array, numbers)


@lowered(
    "broadcast_to",
    status="delegated",
    meta=lambda array, shape: TensorMeta(
        shape, array.dtype, array.order if array.ndim == len(shape) else "C"
    ),
)
def _broadcast_to(array: da.Array, shape: tuple[int, ...]) -> da.Array:
    check_fits(array.shape, shape)
    return da.broadcast_to(array, shape)


@public("broadcast_arrays")
def broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    """All in one common shape; what is repeated is read-only."""
    tensors = [as_tensor(a) for a in arrays]
    shape = broadcast_shape(*(t.known.shape for t in tensors))
    if any(map(math.isnan, shape)):
        made = [registry.make("broadcast_like", t, tensors) for t in tensors]
    else:
        numbers = tuple(map(int, shape))
        made = [t if t.known.shape == shape else broadcast_view(t, numbers) for t in tensors]
    return ExecutableTuple(made)


@lowered(
    "broadcast_like", meta=lambda a, others: TensorMeta(broadcast_shape(*(o.shape for o in others)), a.dtype)
)
def broadcast_like(a: da.Array, others: list[Any]) -> da.Array:
    """`a` in the shape that all have in common."""
    return da.broadcast_to(a, np.broadcast_shapes(*(o.shape for o in others)))
