"""Chunks: rechunk, rebalance, map_chunk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.meta import NAN, TensorMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, operation, public
from marsdask.session import get_default_or_create
from marsdask.tensor.chunking import cut, requested
from marsdask.tensor.core import as_tensor
from marsdask.tensor.manipulation import other_node
from marsdask.tensor.reshaping import axis_of, whole_numbers
from marsdask.tensor.views import view


@public("rechunk", owners=("Tensor",))
def rechunk(
    tensor: Any,
    chunk_size: Any,
    threshold: Any = None,
    chunk_size_limit: Any = None,
    reassign_worker: bool = False,
) -> Any:
    """The same elements in other chunks. The last three arguments tune Mars's own way and have no effect."""
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
    return view(tensor, partial(_rechunk_node, wanted), other_node)


def _rechunk_node(wanted: dict[int, Any], base: Node) -> Node:
    return Node("rechunk", (base, wanted))


@lowered("rechunk", meta=lambda tensor, chunk_size: tensor)
def _rechunk(
    tensor: Array,
    chunk_size: Any,
    threshold: Any = None,
    chunk_size_limit: Any = None,
    reassign_worker: bool = False,
) -> Any:
    wanted = requested(chunk_size, tensor.ndim)
    return tensor.rechunk({axis: cut(tensor.shape[axis], size, axis) for axis, size in wanted.items()})


@public("rebalance", function=False, owners=("Tensor",))
def rebalance(
    self: Any,
    factor: Any = None,
    axis: int = 0,
    num_partitions: Any = None,
    reassign_worker: bool = True,
    session: Any = None,
) -> Any:
    """The same elements in chunks of equal length along one axis: `num_partitions`, or `factor` for each thread."""
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


@lowered("rebalance", meta=lambda self, factor, axis, count: self)
def _rebalance(
    self: Array,
    factor: float | None = None,
    axis: int = 0,
    num_partitions: int | None = None,
    reassign_worker: bool = True,
    session: Any = None,
) -> Any:
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
    if dtype is None:
        sample = np.ones((2,) * self.ndim, self.dtype)
        index = {"chunk_index": (0,) * self.ndim} if with_chunk_index else {}
        try:
            with np.errstate(all="ignore"):
                result = np.asarray(func(sample, *args, **kwargs, **index))
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
            shape = tuple(n if made == 2 else NAN for n, made in zip(known, result.shape, strict=True))
    if shape is None:
        shape = known if elementwise else (NAN,) * self.ndim
    shape = tuple(shape)
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


@operation("map_chunk", room="tensor", owners=("Tensor",), meta=_mapped_meta, prepare=_map_chunk)  # fmt: skip
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
    known = self.shape
    same = [n == m for n, m in zip(known, shape, strict=True)]
    chunks: Any = tuple(c if s else _declared(c, n) for c, s, n in zip(self.chunks, same, shape, strict=True))

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
