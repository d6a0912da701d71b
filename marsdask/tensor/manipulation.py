"""Types, copies, choices and chunks: astype, copy, where, rechunk, map_chunk, shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask import graph, registry
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, Unbuilt
from marsdask.handle import Handle
from marsdask.meta import NAN, TensorMeta
from marsdask.node import Node
from marsdask.registry import Array, operation
from marsdask.session import get_default_or_create
from marsdask.tensor.chunking import cut, requested
from marsdask.tensor.core import SCALARS, ExecutableTuple, as_tensor
from marsdask.tensor.elementwise import broadcast_meta
from marsdask.tensor.reshaping import axis_of, check_order, whole_numbers
from marsdask.tensor.views import view


def _ordered(order: str, own: str) -> str:
    return own if order in "KA" else order


def _astype_meta(a: TensorMeta, dtype: Any, order: str = "K", casting: str = "unsafe") -> TensorMeta:
    return TensorMeta(a.shape, np.empty(0, a.dtype).astype(dtype).dtype, _ordered(order, a.order))


def _astype(
    self: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    self = as_tensor(self)
    check_order(order, "CFAK")
    try:
        new = np.dtype(dtype)
    except TypeError:
        raise ArgumentTypeError(f"astype(dtype={dtype!r}): not a dtype.") from None
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ArgumentError(
            f"astype(casting={casting!r}): expected 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'."
        )
    if not np.can_cast(self.dtype, new, casting=casting):
        raise ArgumentTypeError(
            f"astype(): cannot cast from {self.dtype} to {new} according to the rule {casting!r}."
        )
    if self.dtype == object and new.kind in "US" and not new.itemsize:
        raise Unbuilt.argument(
            "astype", "dtype", dtype, "give the width, as in 'U20': it must not depend on the chunk."
        )
    if new == self.dtype and not copy and order in ("K", "A", self.order):
        return self
    return registry.make("astype", self, new, order)


@operation("astype", room="tensor", owners=("Tensor",), sizes="any", status="delegated", meta=_astype_meta, prepare=_astype, oracle=lambda x, *args, **kwargs: x.astype(*args, **kwargs), cases=(
    "x, 'i4'", "i, float", "i, 'f4', casting='safe'", "x, 'i8', casting='same_kind'", "x, bool", "z, 'c8'", "i, str", "x, 'nope'", "x, 'f8', copy=False", "b, 'i1'", "x, 'f4', 'F'"))  # fmt: skip
def astype(
    self: Array, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """A copy of another dtype. `copy=False`: the tensor itself where the dtype is the same."""
    return self.map_blocks(_cast, np.dtype(dtype), dtype=np.empty(0, self.dtype).astype(dtype).dtype)


def _cast(block: Any, dtype: Any) -> Any:
    return np.asarray(block).astype(dtype)


def _copy_meta(a: TensorMeta, order: str = "K", subok: bool = False) -> TensorMeta:
    return TensorMeta(a.shape, a.dtype, _ordered(check_order(order, "CFAK"), a.order))


@operation(
    "copy",
    room="tensor",
    sizes="any",
    status="delegated",
    meta=_copy_meta,
    oracle=np.copy,
    cases=("x", "x, 'F'", "3.5", "x, 'Z'", "[[1, 2]]"),
)
def copy(a: Array, order: str = "K", subok: bool = False) -> da.Array:
    """A copy: writes do not go through."""
    return a


@operation("Tensor.copy", room="tensor", owners=("Tensor",), function=False, prepare=lambda self, order="C": registry.make("copy", self, check_order(order, "CFAK")),
           oracle=lambda x, order="C": x.copy(order), cases=("x", "x, 'F'", "x, 'Z'"))  # fmt: skip
def copy_method(self: Array, order: str = "C") -> Any:
    """A copy: writes do not go through."""


def _reinterpret_meta(a: TensorMeta, dtype: Any) -> TensorMeta:
    return TensorMeta(a.shape, np.dtype(dtype), a.order)


@operation("reinterpret", room="engine", sizes="any", status="delegated", meta=_reinterpret_meta)
def reinterpret(a: da.Array, dtype: Any) -> da.Array:
    """The same bytes as another dtype of the same size."""
    return a.map_blocks(_reinterpreted, np.dtype(dtype), dtype=np.dtype(dtype))


def _reinterpreted(block: Any, dtype: Any) -> Any:
    return np.ascontiguousarray(block).view(dtype).reshape(block.shape)


def _same_node(base: Node) -> Node:
    return Node("copy", (base,))


def _other_node(base: Node, new: Node) -> Node:
    return new


def _reinterpret_node(dtype: Any, base: Node) -> Node:
    return Node("reinterpret", (base, dtype))


def _reinterpret_back(dtype: Any, base: Node, new: Node) -> Node:
    return Node("reinterpret", (new, dtype))


def _view(self: Any, dtype: Any = None) -> Any:
    if dtype is None:
        return view(self, _same_node, _other_node)
    new = np.dtype(dtype)
    if new.itemsize != self.dtype.itemsize:
        raise Unbuilt.argument(
            "view", "dtype", dtype, "only dtypes of the same size; use astype() to convert."
        )
    return view(self, partial(_reinterpret_node, new), partial(_reinterpret_back, self.dtype))


@operation(
    "Tensor.view",
    room="tensor",
    owners=("Tensor",),
    function=False,
    prepare=_view,
    oracle=lambda x, *args: x.view(*args),
    cases=("x", "x, 'i8'"),
)
def view_method(self: Array, dtype: Any = None) -> Any:
    """A view of the same elements, or of their bytes as another dtype of the same size."""


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return registry.call(registry.lookup("nonzero"), (condition,), {})
    if x is None or y is None:
        raise ArgumentError("where(): either both or neither of x and y should be given.")
    values = [v if isinstance(v, SCALARS) else as_tensor(v) for v in (x, y)]
    return registry.make("where", as_tensor(condition), *values)


@operation("where", room="tensor", status="delegated", sizes="aligned", meta=partial(broadcast_meta, np.where), prepare=_where, oracle=np.where, cases=(
    "x > 0, x, y", "x > 0, x, 0", "n, i, 2.5", "x[:, :1] > 0, x[0], 7", "x > 3", "True, x, y", "x > 0, x.astype('f4'), 1.5", "x > 0, x", "x > 0, v, 1", "[True, False], 1, 2"))  # fmt: skip
def where(condition: Array, x: Any = None, y: Any = None) -> Any:
    """Elements of x where the condition holds, else of y. With the condition alone: `nonzero`."""
    return elemwise(np.where, condition, x, y)


def _rechunk(
    tensor: Any,
    chunk_size: Any,
    threshold: Any = None,
    chunk_size_limit: Any = None,
    reassign_worker: bool = False,
) -> Any:
    tensor = as_tensor(tensor)
    for name, value in (("threshold", threshold), ("chunk_size_limit", chunk_size_limit)):
        if value is not None and (not isinstance(value, (int, float)) or value <= 0):
            raise ArgumentError(f"rechunk({name}={value!r}): expected a positive number.")
    wanted = requested(chunk_size, tensor.ndim)
    if isinstance(chunk_size, (tuple, list)):
        wanted = {axis: wanted.get(axis, NAN) for axis in range(tensor.ndim)}
    for axis, size in wanted.items():
        if not math.isnan(tensor.known.shape[axis]):
            cut(int(tensor.known.shape[axis]), size, axis)
    return view(tensor, partial(_rechunk_node, wanted), _other_node)


def _rechunk_node(wanted: dict[int, Any], base: Node) -> Node:
    return Node("rechunk", (base, wanted))


@operation("rechunk", room="tensor", owners=("Tensor",), meta=lambda tensor, chunk_size: tensor, prepare=_rechunk,
           oracle=lambda x, *args: x, cases=("x, 3", "x, (3, 2)", "x, {1: 5}", "x, ((3, 4), (5,))", "v[v > 0], 2", "s0, 3"))  # fmt: skip
def rechunk(
    tensor: Array,
    chunk_size: Any,
    threshold: Any = None,
    chunk_size_limit: Any = None,
    reassign_worker: bool = False,
) -> Any:
    """The same elements in other chunks. The last three arguments tune Mars's own way and have no effect."""
    wanted = requested(chunk_size, tensor.ndim)
    return tensor.rechunk({axis: cut(tensor.shape[axis], size, axis) for axis, size in wanted.items()})


def _rebalance(
    self: Any,
    factor: Any = None,
    axis: int = 0,
    num_partitions: Any = None,
    reassign_worker: bool = True,
    session: Any = None,
) -> Any:
    self = as_tensor(self)
    axis = axis_of(axis, self.ndim)
    if num_partitions is None:
        if factor is not None and not factor > 0:
            raise ArgumentError(f"rebalance(factor={factor!r}): expected a positive number.")
        workers = (session or get_default_or_create()).get_total_n_cpu()
        num_partitions = max(int(workers * (factor or 1.2)), 1)
    (count,) = whole_numbers(num_partitions, "num_partitions")
    if count < 1:
        raise ArgumentError(f"rebalance(num_partitions={count}): expected 1 or more.")
    return registry.make("rebalance", self, None, axis, count)


@operation("rebalance", room="tensor", owners=("Tensor",), function=False, meta=lambda self, factor, axis, count: self, prepare=_rebalance,
           oracle=lambda x, *args, **kwargs: x, cases=("x, num_partitions=3", "x, 2.0, 1", "v[v > 0], 1"))  # fmt: skip
def rebalance(
    self: Array,
    factor: float | None = None,
    axis: int = 0,
    num_partitions: int | None = None,
    reassign_worker: bool = True,
    session: Any = None,
) -> Any:
    """The same elements in chunks of equal length along one axis: `num_partitions`, or `factor` for each thread."""
    length = self.shape[axis]
    return self.rechunk({axis: cut(length, max(-(-length // int(num_partitions or 1)), 1), axis)})


def _map_chunk(
    self: Any,
    func: Any,
    args: Sequence[Any] = (),
    with_chunk_index: bool = False,
    elementwise: Any = None,
    dtype: Any = None,
    shape: Any = None,
    kw: Any = None,
) -> Any:
    self = as_tensor(self)
    if not callable(func):
        raise ArgumentTypeError(f"map_chunk(func={func!r}): expected a function.")
    kwargs = dict(kw or {})
    known = self.known.shape
    if dtype is None or shape is None and not elementwise:
        sample = np.ones((2,) * self.ndim, self.dtype)
        index = {"chunk_index": (0,) * self.ndim} if with_chunk_index else {}
        try:
            with np.errstate(all="ignore"):
                result = np.asarray(func(sample, *args, **kwargs, **index))
        except Exception as error:
            raise ArgumentTypeError(
                f"map_chunk(): trying func on ones of shape {sample.shape} failed with {error!r}. Hint: give dtype= and shape=."
            ) from error
        dtype = result.dtype if dtype is None else dtype
        if shape is None and not elementwise:
            if result.ndim != self.ndim:
                raise ArgumentError(
                    f"map_chunk(): func gives {result.ndim} dimensions for {self.ndim}. Hint: keep the dimensions."
                )
            shape = tuple(n if made == 2 else NAN for n, made in zip(known, result.shape, strict=True))
    shape = tuple(known) if elementwise and shape is None else tuple(shape)
    if len(shape) != self.ndim:
        raise ArgumentError(f"map_chunk(shape={shape!r}): expected {self.ndim} lengths.")
    return registry.make(
        "map_chunk", self, func, tuple(args), bool(with_chunk_index), None, np.dtype(dtype), shape, **kwargs
    )


def _mapped_meta(
    self: TensorMeta,
    func: Any,
    args: Any,
    with_chunk_index: bool,
    elementwise: Any,
    dtype: Any,
    shape: Any,
    **kw: Any,
) -> TensorMeta:
    return TensorMeta(tuple(shape), dtype)


@operation("map_chunk", room="tensor", owners=("Tensor",), meta=_mapped_meta, prepare=_map_chunk, oracle=lambda x, func, args=(), **kw: func(x, *args),
           cases=("x, np.sqrt", "x, np.power, (2,)", "i, np.sqrt, elementwise=True", "x, np.round, dtype='f8', shape=(7, 5)", "x, 3"))  # fmt: skip
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
    """`func(chunk, *args, **kw)` of each chunk. `shape` and `dtype` of the result are tried on a small array of ones where not given."""
    known = self.shape
    same = [n == m for n, m in zip(known, shape, strict=True)]
    chunks = tuple(c if s else _declared(c, n) for c, s, n in zip(self.chunks, same, shape, strict=True))

    def make(index: tuple[int, ...]) -> Any:
        lengths = tuple(c[i] for c, i in zip(chunks, index, strict=True))
        return (
            _mapped,
            func,
            graph.Block(self, index),
            args,
            kw,
            index if with_chunk_index else None,
            lengths,
            np.dtype(dtype),
        )

    return graph.blocks(make, chunks, np.dtype(dtype), [self])


def _declared(chunks: tuple[int, ...], length: float) -> tuple[float, ...]:
    if len(chunks) == 1 and not math.isnan(length):
        return (int(length),)
    return (NAN,) * len(chunks)


def _mapped(
    func: Any, block: Any, args: Any, kwargs: Any, index: Any, lengths: tuple[float, ...], dtype: Any
) -> Any:
    extra = {} if index is None else {"chunk_index": index}
    result = np.asarray(func(block, *args, **kwargs, **extra))
    if result.ndim != len(lengths) or any(
        n == n and n != m for n, m in zip(lengths, result.shape, strict=True)
    ):
        raise ShapeError(
            f"map_chunk(): func gave shape {result.shape} where {lengths} was expected. Hint: give shape=, nan for what is not known."
        )
    return result.astype(dtype, copy=False)


def _shape(a: Any) -> Any:
    if not isinstance(a, Handle):
        return np.shape(a)
    known = a.known.shape
    if not any(map(math.isnan, known)):
        return tuple(int(n) for n in known)
    return ExecutableTuple(registry.make("length", a, axis) for axis in range(len(known)))


@operation("length", room="engine", meta=lambda a, axis: TensorMeta((), np.dtype("i8")))
def length(a: da.Array, axis: int) -> da.Array:
    """The length of one axis, as a tensor."""
    return da.from_array(np.int64(a.shape[axis]), chunks=())


@operation("shape", room="tensor", prepare=_shape, oracle=np.shape, cases=("x", "s0", "[[1, 2]]", "v[v > 2]"))
def shape_(a: Any) -> Any:
    """The lengths of all axes: numbers, or tensors to execute where only a run can tell."""


@operation(
    "ndim",
    room="tensor",
    prepare=lambda a: len(a.known.shape) if isinstance(a, Handle) else np.ndim(a),
    oracle=np.ndim,
    cases=("x", "3"),
)
def ndim_(a: Any) -> Any:
    """The number of axes."""


def _size(a: Any, axis: Any = None) -> Any:
    if not isinstance(a, Handle):
        return np.size(a, axis)
    lengths = _shape(a)
    if axis is not None:
        return lengths[axis_of(axis, len(lengths))]
    result = 1
    for n in lengths:
        result = n * result
    return result


@operation("size", room="tensor", prepare=_size, oracle=np.size, cases=("x", "x, 1", "v[v > 2]", "x, 2"))
def size_(a: Any, axis: int | None = None) -> Any:
    """The number of elements, or the length of one axis: a tensor to execute where only a run can tell."""
