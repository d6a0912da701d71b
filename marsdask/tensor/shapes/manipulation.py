"""Types, copies, choices and chunks: astype, copy, where, rechunk, map_chunk, shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.plan import registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import TensorMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import SCALARS, ExecutableTuple, as_tensor, called, check_cast, derived
from marsdask.tensor.elements.elementwise import broadcast_meta
from marsdask.tensor.reshaping import check_order
from marsdask.tensor.views import view


def _ordered(order: str, own: str) -> str:
    return own if order in "KA" else order


def _astype_meta(a: TensorMeta, dtype: Any, order: str = "K") -> TensorMeta:
    return TensorMeta(a.shape, np.empty(0, a.dtype).astype(dtype).dtype, _ordered(order, a.order))


@public("astype", owners=("Tensor",))
def astype(
    self: Array, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """A copy of another dtype. `copy=False`: the tensor itself where the dtype is the same."""
    self = as_tensor(self)
    check_order(order, "CFAK")
    try:
        new = np.dtype(dtype)
    except TypeError:
        raise ArgumentTypeError(f"astype(dtype={dtype!r}): not a dtype.") from None
    checks.choice(casting, "astype(casting=)", ("no", "equiv", "safe", "same_kind", "unsafe"))
    check_cast("astype", self.dtype, new, casting)
    if self.dtype == object and new.kind in "US" and not new.itemsize:
        raise Unbuilt.argument(
            "astype", "dtype", dtype, "give the width, as in 'U20': it must not depend on the chunk."
        )
    if new == self.dtype and not copy and order in ("K", "A", self.order):
        return self
    return registry.make("astype", self, new, order)


@lowered("astype", status="delegated", sizes="any", meta=_astype_meta)
def _astype(a: da.Array, dtype: Any, order: str = "K") -> da.Array:
    return a.map_blocks(_cast, np.dtype(dtype), dtype=np.empty(0, a.dtype).astype(dtype).dtype)


def _cast(block: Any, dtype: Any) -> Any:
    return np.asarray(block).astype(dtype)


def _copy_meta(a: TensorMeta, order: str = "K", subok: bool = False) -> TensorMeta:
    return TensorMeta(a.shape, a.dtype, _ordered(check_order(order, "CFAK"), a.order))


@lowered("copy", room="tensor", sizes="any", status="delegated", meta=_copy_meta)
def copy(a: Array, order: str = "K", subok: bool = False) -> da.Array:
    """A copy: writes do not go through."""
    return a


@public("Tensor.copy", owners=("Tensor",))
def copy_method(self: Array, order: str = "C") -> Any:
    """A copy: writes do not go through."""
    return registry.make("copy", self, check_order(order, "CFAK"))


@lowered(
    "reinterpret",
    sizes="any",
    status="delegated",
    meta=lambda a, dtype: TensorMeta(a.shape, dtype, a.order),
)
def reinterpret(a: da.Array, dtype: Any) -> da.Array:
    """The same bytes as another dtype of the same size."""
    return a.map_blocks(_reinterpreted, dtype, dtype=dtype)


def _reinterpreted(block: Any, dtype: Any) -> Any:
    return np.ascontiguousarray(block).view(dtype).reshape(block.shape)


def other_node(base: Node, new: Node) -> Node:
    return new


def _reinterpret_back(dtype: Any, base: Node, new: Node) -> Node:
    return Node("reinterpret", (new, dtype))


@public("Tensor.view", owners=("Tensor",))
def view_method(self: Array, dtype: Any = None) -> Any:
    """A view of the same elements, or of their bytes as another dtype of the same size."""
    if dtype is None:
        return view(self, partial(derived, "copy", ()), other_node)
    new = np.dtype(dtype)
    if new.itemsize != self.dtype.itemsize:
        raise Unbuilt.argument(
            "view", "dtype", dtype, "only dtypes of the same size; use astype() to convert."
        )
    return view(self, partial(derived, "reinterpret", (new,)), partial(_reinterpret_back, self.dtype))


@public("where")
def where(condition: Array, x: Any = None, y: Any = None) -> Any:
    """Elements of x where the condition holds, else of y. With the condition alone: `nonzero`."""
    if x is None and y is None:
        return called("nonzero", condition)
    if x is None or y is None:
        raise ArgumentError("where(): either both or neither of x and y should be given.")
    values = [v if isinstance(v, SCALARS) else as_tensor(v) for v in (x, y)]
    return registry.make("where", as_tensor(condition), *values)


@lowered("where", status="delegated", sizes="aligned", meta=partial(broadcast_meta, np.where))
def _where(condition: da.Array, x: Any, y: Any) -> Any:
    return elemwise(np.where, condition, x, y)


@public("shape")
def shape_(a: Any) -> Any:
    """The lengths of all axes: numbers, or tensors to execute where only a run can tell."""
    if not isinstance(a, Handle):
        return np.shape(a)
    known = a.known.shape
    if not any(map(math.isnan, known)):
        return tuple(map(int, known))
    return ExecutableTuple(registry.make("length", a, axis) for axis in range(len(known)))


@lowered("length", meta=lambda a, axis: TensorMeta((), np.dtype("i8")))
def length(a: da.Array, axis: int) -> da.Array:
    """The length of one axis, as a tensor."""
    return da.from_array(np.int64(a.shape[axis]), chunks=())


@public("ndim")
def ndim_(a: Any) -> Any:
    """The number of axes."""
    return len(a.known.shape) if isinstance(a, Handle) else np.ndim(a)


@public("size")
def size_(a: Any, axis: int | None = None) -> Any:
    """The number of elements, or the length of one axis: a tensor to execute where only a run can tell."""
    if not isinstance(a, Handle):
        return np.size(a, axis)
    lengths = shape_(a)
    return math.prod(lengths) if axis is None else lengths[checks.axis(axis, len(lengths))]


@public("result_type")
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The dtype that an operation of these gives."""
    return np.result_type(*(a.dtype if isinstance(a, Handle) else a for a in arrays_and_dtypes))


# Mars asks every tensor these; chunks are dense NumPy arrays in host memory.
ANSWERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "issparse": (lambda self: False, "False: chunks are dense."),
    "isscalar": (lambda self: self.ndim == 0, "Whether the tensor has no axes."),
    "todense": (lambda self: self, "The tensor itself: chunks are dense."),
    "to_cpu": (lambda self: self, "The tensor itself: chunks are in host memory."),
}
for _name, (_answer, _doc) in ANSWERS.items():
    public(f"Tensor.{_name}", owners=("Tensor",), doc=_doc)(_answer)
