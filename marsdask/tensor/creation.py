"""Tensors from nothing and from data."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from marsdask import graph, registry
from marsdask.errors import Unbuilt
from marsdask.handle import Handle
from marsdask.meta import TensorMeta
from marsdask.node import Data, Node
from marsdask.registry import operation
from marsdask.tensor.chunking import check_shape, chunks_of
from marsdask.tensor.core import as_tensor


def _data_meta(data: Data, chunk_size: Any = None) -> TensorMeta:
    array = data.value
    f_ordered = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    return TensorMeta(array.shape, array.dtype, "F" if f_ordered else "C")


@operation("data", room="engine", sizes="any", meta=_data_meta)
def data(data: Data, chunk_size: Any = None) -> da.Array:
    """Data in memory, cut into chunks; never hashed."""
    array = data.value
    return graph.array_constant(array, chunks_of(array.shape, chunk_size, array.dtype), f"data-{data.name}")


def _tensor(data: Any, dtype: Any = None, order: str | None = None, chunk_size: Any = None, gpu: Any = None, sparse: bool = False) -> Any:
    if gpu or sparse:
        raise Unbuilt.argument("tensor", "gpu" if gpu else "sparse", True, "leave it out; chunks are NumPy arrays in host memory.")
    if isinstance(data, Handle):
        result = as_tensor(data)
        if dtype is not None:
            result = registry.make("astype", result, np.dtype(dtype))
        return result if chunk_size is None else registry.make("rechunk", result, chunk_size)
    array = np.array(data, dtype=dtype, order=order or "K", copy=True)
    chunks = chunks_of(array.shape, chunk_size, array.dtype)
    return registry.wrap(Node("data", (Data(array), chunks)))


@operation("tensor", room="tensor", sizes="any", prepare=_tensor, oracle=np.array, cases=("[[1, 2], [3, 4]]", "3.5", "[1, 2], dtype='f4'"))
def tensor(data: Any, dtype: Any = None, order: str | None = None, chunk_size: Any = None, gpu: Any = None, sparse: bool = False) -> Any:
    """A tensor of an array, list or scalar, in chunks. The source is copied and never written to."""


def _filled_meta(shape: Any, dtype: Any = None, chunk_size: Any = None, gpu: bool = False, order: str = "C") -> TensorMeta:
    return TensorMeta(check_shape(shape), np.dtype(dtype or "f8"), order)


@operation("ones", room="tensor", sizes="any", meta=_filled_meta, status="delegated", oracle=np.ones, cases=("(3, 4)", "5, dtype='i4'"))
def ones(shape: Any, dtype: Any = None, chunk_size: Any = None, gpu: bool = False, order: str = "C") -> da.Array:
    """A tensor of ones."""
    shape = check_shape(shape)
    return da.ones(shape, dtype=dtype or "f8", chunks=chunks_of(shape, chunk_size, dtype or "f8"))
