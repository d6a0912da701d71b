"""Types, copies, choices and chunks: astype, copy, where, shape, rechunk, rebalance, map_chunk."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Steps, told
from marsdask.plan.meta import NAN, TensorMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.session import get_default_or_create
from marsdask.tensor.chunking import cut, requested
from marsdask.tensor.core import ExecutableTuple, as_operand, called, check_cast, delegated, fits, view
from marsdask.tensor.elements.elementwise import broadcast_meta


def _in_order(a: TensorMeta, dtype: Any, order: str) -> TensorMeta:
    return TensorMeta(a.shape, dtype, a.order if order in "KA" else order)


@public("astype", owners=("Tensor",))
def astype(
    self: Array, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """A copy of another dtype. `copy=False`: the tensor itself where the dtype is the same."""
    checks.choice(order, "order", "CFAK")
    try:
        new = np.dtype(dtype)
    except TypeError:
        raise ArgumentTypeError(f"astype(dtype={dtype!r}): not a dtype.") from None
    checks.choice(casting, "astype(casting=)", ("no", "equiv", "safe", "same_kind", "unsafe"))
    check_cast("astype()", self.dtype, new, casting)
    if self.dtype == object and new.kind in "US" and not new.itemsize:
        raise Unbuilt.argument(
            "astype", "dtype", dtype, "give the width, as in 'U20': it must not depend on the chunk."
        )
    if new == self.dtype and not copy and order in ("K", "A", self.order):
        return self
    return registry.make("astype", self, new, order)


@delegated(
    "astype", meta=lambda a, dtype, order="K": _in_order(a, np.empty(0, a.dtype).astype(dtype).dtype, order)
)
def _astype(a: da.Array, dtype: Any, order: str = "K") -> da.Array:
    return a.map_blocks(_cast, np.dtype(dtype), dtype=np.empty(0, a.dtype).astype(dtype).dtype)


def _cast(block: Any, dtype: Any) -> Any:
    return np.asarray(block).astype(dtype)


@delegated(
    "copy",
    room="tensor",
    meta=lambda a, order="K", subok=False: _in_order(a, a.dtype, checks.choice(order, "order", "CFAK")),
)
def copy(a: Array, order: str = "K", subok: bool = False) -> da.Array:
    """A copy: writes do not go through."""
    return a


@public("Tensor.copy", owners=("Tensor",))
def copy_method(self: Array, order: str = "C") -> Any:
    """A copy: writes do not go through."""
    return registry.make("copy", self, checks.choice(order, "order", "CFAK"))


@delegated("reinterpret", meta=lambda a, dtype: TensorMeta(a.shape, dtype, a.order))
def reinterpret(a: da.Array, dtype: Any) -> da.Array:
    """The same bytes as another dtype of the same size."""
    return a.map_blocks(_reinterpreted, dtype, dtype=dtype)


def _reinterpreted(block: Any, dtype: Any) -> Any:
    return np.ascontiguousarray(block).view(dtype).reshape(block.shape)


@public("Tensor.view", owners=("Tensor",))
def view_method(self: Array, dtype: Any = None) -> Any:
    """A view of the same elements, or of their bytes as another dtype of the same size."""
    if dtype is None:
        return view(self, lambda base: Node("copy", (base,)), lambda base, new: new)
    own, new = self.dtype, np.dtype(dtype)
    if new.itemsize != own.itemsize:
        raise Unbuilt.argument(
            "view", "dtype", dtype, "only dtypes of the same size; use astype() to convert."
        )
    return view(
        self, lambda base: Node("reinterpret", (base, new)), lambda base, new: Node("reinterpret", (new, own))
    )


@public("where")
def where(condition: Array, x: Any = None, y: Any = None) -> Any:
    """Elements of x where the condition holds, else of y. With the condition alone: `nonzero`."""
    if x is None and y is None:
        return called("nonzero", condition)
    if x is None or y is None:
        raise ArgumentError("where(): either both or neither of x and y should be given.")
    return registry.make("where", condition, as_operand(x), as_operand(y))


delegated("where", sizes="aligned", meta=partial(broadcast_meta, np.where))(partial(elemwise, np.where))


@public("shape")
def shape_(a: Any) -> Any:
    """The lengths of all axes: numbers, or tensors to execute where only a run can tell."""
    known = a.known.shape if isinstance(a, Handle) else np.shape(a)
    if not any(map(math.isnan, known)):
        return ExecutableTuple(map(int, known))
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


@public("rechunk", owners=("Tensor",))
def rechunk(
    tensor: Array,
    chunk_size: Any,
    threshold: Any = None,
    chunk_size_limit: Any = None,
    reassign_worker: bool = False,
) -> Any:
    """The same elements in other chunks. The last three arguments tune Mars's own way and have no effect."""
    for name, value in (("threshold", threshold), ("chunk_size_limit", chunk_size_limit)):
        if value is not None:
            checks.number(value, f"rechunk({name}=)", above=0)
    wanted = requested(chunk_size, tensor.ndim)
    if isinstance(chunk_size, (tuple, list)):
        wanted = {axis: wanted.get(axis, NAN) for axis in range(tensor.ndim)}
    for axis, size in wanted.items():
        if not math.isnan(tensor.known.shape[axis]):
            cut(int(tensor.known.shape[axis]), size, axis)
    return view(tensor, lambda base: Node("rechunk", (base, wanted)), lambda base, new: new)


@lowered("rechunk", meta=lambda tensor, chunk_size: tensor)
def _rechunk(tensor: da.Array, chunk_size: Any) -> da.Array:
    wanted = requested(chunk_size, tensor.ndim)
    return graph.rechunked(
        tensor, {axis: cut(tensor.shape[axis], size, axis) for axis, size in wanted.items()}
    )


@public("rebalance", function=False, owners=("Tensor",))
def rebalance(
    self: Array,
    factor: float | None = None,
    axis: int = 0,
    num_partitions: int | None = None,
    reassign_worker: bool = True,
    session: Any = None,
) -> Any:
    """The same elements in chunks of equal length along one axis: `num_partitions`, or `factor` for each thread."""
    axis = checks.axis(axis, self.ndim)
    if num_partitions is None:
        factor = 1.2 if factor is None else checks.number(factor, "rebalance(factor=)", above=0)
        num_partitions = max(int((session or get_default_or_create()).get_total_n_cpu() * factor), 1)
    return registry.make(
        "rebalance", self, axis, checks.whole(num_partitions, "rebalance(num_partitions=)", 1)
    )


@lowered("rebalance", meta=lambda self, axis, count: self)
def _rebalance(self: da.Array, axis: int, count: int) -> da.Array:
    length = self.shape[axis]
    return self.rechunk({axis: cut(length, max(-(-length // count), 1), axis)})


@public("map_chunk", owners=("Tensor",))
def map_chunk(
    self: Array,
    func: Any,
    args: Sequence[Any] = (),
    with_chunk_index: bool = False,
    elementwise: bool | None = None,
    dtype: Any = None,
    shape: Any = None,
    **kw: Any,
) -> Any:
    """`func(chunk, *args, **kw)` of each chunk.

    Without `dtype`, func is tried on ones of shape (2, 2, ...) to learn dtype and shape. With `dtype` alone it is not
    tried, and lengths are unknown until it has run, unless `shape` is given or the function is `elementwise`.
    """
    checks.function(func, "map_chunk(func=)")
    if dtype is None:
        index = {"chunk_index": (0,) * self.ndim} if with_chunk_index else {}
        sample = np.ones((2,) * self.ndim, self.dtype)
        try:
            with np.errstate(all="ignore"):
                result = np.asarray(func(sample, *args, **kw, **index))
        except Exception as error:
            raise ArgumentTypeError(
                f"map_chunk(): trying func on ones of shape {sample.shape} failed with {error!r}. Hint: give dtype= and shape=."
            ) from error
        dtype = result.dtype
        if shape is None and not elementwise:
            if result.ndim != self.ndim:
                raise ArgumentError(
                    f"map_chunk(): func gives {result.ndim} dimensions for {self.ndim}. Hint: keep the dimensions."
                )
            lengths = zip(self.known.shape, result.shape, strict=True)
            shape = [n if made == 2 else NAN for n, made in lengths]
    if shape is None:
        shape = self.known.shape if elementwise else (NAN,) * self.ndim
    shape = tuple(shape)
    if len(shape) != self.ndim:
        raise ArgumentError(f"map_chunk(shape={shape!r}): expected {self.ndim} lengths.")
    return registry.make(
        "map_chunk", self, func, tuple(args), bool(with_chunk_index), np.dtype(dtype), shape, kw
    )


@lowered("map_chunk", meta=lambda self, func, args, numbered, dtype, shape, kw: TensorMeta(shape, dtype))
def _map_chunk(
    self: da.Array, func: Any, args: Any, numbered: bool, dtype: Any, shape: Any, kw: dict[str, Any]
) -> Steps:
    args, kw = yield from told((args, kw))
    chunks: Any = tuple(
        c if n == m else _declared(c, m) for c, n, m in zip(self.chunks, self.shape, shape, strict=True)
    )

    def make(index: tuple[int, ...]) -> Any:
        lengths = tuple(c[i] for c, i in zip(chunks, index, strict=True))
        extra = {**kw, "chunk_index": index} if numbered else kw
        return (_mapped, func, graph.Block(self, index), args, extra, lengths, dtype)

    return graph.blocks(make, chunks, dtype, [self])


def _declared(chunks: tuple[int, ...], length: float) -> tuple[float, ...]:
    return (int(length),) if len(chunks) == 1 and not math.isnan(length) else (NAN,) * len(chunks)


def _mapped(func: Any, block: Any, args: Any, kwargs: Any, lengths: tuple[float, ...], dtype: Any) -> Any:
    result = np.asarray(func(graph.owned(block), *args, **kwargs))
    if result.ndim != len(lengths) or not all(map(fits, lengths, result.shape)):
        raise ShapeError(
            f"map_chunk(): func gave shape {result.shape} where {lengths} was expected. Hint: give shape=, nan for what is not known."
        )
    return result.astype(dtype, copy=False)
