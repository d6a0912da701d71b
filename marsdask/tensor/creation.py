"""Tensors from nothing and from data."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from marsdask.meta import TensorMeta
from marsdask.node import Data
from marsdask.registry import operation
from marsdask.tensor.chunking import check_shape, chunks_of


def _data_meta(data: Data, chunk_size: Any = None) -> TensorMeta:
    array = data.value
    f_ordered = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    return TensorMeta(array.shape, array.dtype, "F" if f_ordered else "C")


@operation("data", room="engine", sizes="any", meta=_data_meta)
def data(data: Data, chunk_size: Any = None) -> da.Array:
    """Data in memory, cut into chunks; never hashed."""
    array = data.value
    return da.from_array(array, chunks=chunks_of(array.shape, chunk_size, array.dtype), name=f"data-{data.name}")


def _filled_meta(shape: Any, dtype: Any = None, chunk_size: Any = None, gpu: bool = False, order: str = "C") -> TensorMeta:
    return TensorMeta(check_shape(shape), np.dtype(dtype or "f8"), order)


@operation("ones", room="tensor", sizes="any", meta=_filled_meta, status="delegated", oracle=np.ones, cases=("(3, 4)", "5, dtype='i4'"))
def ones(shape: Any, dtype: Any = None, chunk_size: Any = None, gpu: bool = False, order: str = "C") -> da.Array:
    """A tensor of ones."""
    shape = check_shape(shape)
    return da.ones(shape, dtype=dtype or "f8", chunks=chunks_of(shape, chunk_size, dtype or "f8"))
