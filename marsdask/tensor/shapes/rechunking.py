"""Chunks: rechunk, rebalance, map_chunk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.meta import NAN, TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.session import get_default_or_create
from marsdask.tensor.chunking import cut, requested
from marsdask.tensor.core import as_tensor
from marsdask.tensor.shapes.manipulation import other_node
from marsdask.tensor.views import derived, view


@public("rechunk", owners=("Tensor",))
def rechunk(
    tensor: Array,
    chunk_size: Any,
    threshold: Any = None,
    chunk_size_limit: Any = None,
    reassign_worker: bool = False,
) -> Any:
    """The same elements in other chunks. The last three arguments tune Mars's own way and have no effect."""
    tensor = as_tensor(tensor)
    for name, value in (("threshold", threshold), ("chunk_size_limit", chunk_size_limit)):
        if value is not None:
            checks.number(value, f"rechunk({name}=)", above=0)
    wanted = requested(chunk_size, tensor.ndim)
    if isinstance(chunk_size, (tuple, list)):
        wanted = {axis: wanted.get(axis, NAN) for axis in range(tensor.ndim)}
    for axis, size in wanted.items():
        if not math.isnan(tensor.known.shape[axis]):
            cut(int(tensor.known.shape[axis]), size, axis)
    return view(tensor, derived("rechunk", wanted), other_node)


@lowered("rechunk", meta=lambda tensor, chunk_size: tensor)
def _rechunk(tensor: da.Array, chunk_size: Any) -> da.Array:
    wanted = requested(chunk_size, tensor.ndim)
    return tensor.rechunk({axis: cut(tensor.shape[axis], size, axis) for axis, size in wanted.items()})


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
    self = as_tensor(self)
    axis = checks.axis(axis, self.ndim)
    if num_partitions is None:
        factor = 1.2 if factor is None else checks.number(factor, "rebalance(factor=)", above=0)
        num_partitions = max(int((session or get_default_or_create()).get_total_n_cpu() * factor), 1)
    count = checks.whole(num_partitions, "rebalance(num_partitions=)", 1)
    return registry.make("rebalance", self, axis, count)


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
    self = as_tensor(self)
    checks.function(func, "map_chunk(func=)")
    known = self.known.shape
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
            shape = tuple(n if made == 2 else NAN for n, made in zip(known, result.shape, strict=True))
    if shape is None:
        shape = known if elementwise else (NAN,) * self.ndim
    shape = tuple(shape)
    if len(shape) != self.ndim:
        raise ArgumentError(f"map_chunk(shape={shape!r}): expected {self.ndim} lengths.")
    return registry.make(
        "map_chunk", self, func, tuple(args), bool(with_chunk_index), np.dtype(dtype), shape, kw
    )


def _map_meta(
    self: TensorMeta, func: Any, args: Any, numbered: bool, dtype: Any, shape: Any, kw: Any
) -> TensorMeta:
    return TensorMeta(shape, dtype)


@lowered("map_chunk", meta=_map_meta)
def _map_chunk(
    self: da.Array, func: Any, args: Any, numbered: bool, dtype: Any, shape: Any, kw: dict[str, Any]
) -> da.Array:
    chunks: Any = tuple(
        c if n == m else _declared(c, m) for c, n, m in zip(self.chunks, self.shape, shape, strict=True)
    )

    def make(index: tuple[int, ...]) -> Any:
        lengths = tuple(c[i] for c, i in zip(chunks, index, strict=True))
        extra = {**kw, "chunk_index": index} if numbered else kw
        return (_mapped, func, graph.Block(self, index), args, extra, lengths, dtype)

    return graph.blocks(make, chunks, dtype, [self])


def _declared(chunks: tuple[int, ...], length: float) -> tuple[float, ...]:
    if len(chunks) == 1 and not math.isnan(length):
        return (int(length),)
    return (NAN,) * len(chunks)


def _mapped(func: Any, block: Any, args: Any, kwargs: Any, lengths: tuple[float, ...], dtype: Any) -> Any:
    result = np.asarray(func(block, *args, **kwargs))
    if result.ndim != len(lengths) or any(
        n == n and n != m for n, m in zip(lengths, result.shape, strict=True)
    ):
        raise ShapeError(
            f"map_chunk(): func gave shape {result.shape} where {lengths} was expected. Hint: give shape=, nan for what is not known."
        )
    return result.astype(dtype, copy=False)
