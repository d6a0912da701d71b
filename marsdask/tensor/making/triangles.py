"""Diagonals and triangles: diag, diagflat, tril, triu."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.meta import NAN, TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.chunking import chunks_of
from marsdask.tensor.core import as_tensor
from marsdask.tensor.indexing.indexing import by_arrays
from marsdask.tensor.indexing.setitem import scattered
from marsdask.tensor.making.creation import refuse_gpu
from marsdask.tensor.shapes.axes import refuse
from marsdask.tensor.shapes.rechunking import rechunk
from marsdask.tensor.views import derived, view


@public("diag")
def diag(v: Array, k: int = 0, sparse: Any = None, gpu: Any = None, chunk_size: Any = None) -> Any:
    """A matrix with that diagonal; of a matrix a read-only view of its diagonal."""
    refuse_gpu("diag", gpu or sparse)
    v, k = as_tensor(v), checks.whole(k, "k")
    if v.ndim == 1:
        result = registry.make("diag", v, k)
        return result if chunk_size is None else rechunk(result, chunk_size)
    if v.ndim != 2:
        raise ArgumentError("diag(): input must be 1- or 2-d.")
    return view(v, derived("diag", k), partial(refuse, "diag() of a matrix is a view"))


def _diag_meta(v: TensorMeta, k: int) -> TensorMeta:
    if v.ndim == 1:
        n = v.shape[0] + abs(k)
        return TensorMeta((n, n), v.dtype)
    rows, columns = v.shape
    if math.isnan(rows) or math.isnan(columns):
        return TensorMeta((NAN,), v.dtype)
    return TensorMeta((max(min(rows + min(k, 0), columns - max(k, 0)), 0),), v.dtype)


@lowered("diag", meta=_diag_meta)
def _diag(v: da.Array, k: int) -> da.Array:
    shift = (max(-k, 0), max(k, 0))
    if v.ndim == 1:
        n = v.shape[0] + abs(k)
        zeros = da.zeros((n, n), dtype=v.dtype, chunks=chunks_of((n, n), None, v.dtype))
        places = np.arange(v.shape[0])
        return scattered(zeros, (places + shift[0], places + shift[1]), v)
    places = np.arange(max(min(v.shape[0] - shift[0], v.shape[1] - shift[1]), 0))
    return by_arrays(v, (places + shift[0], places + shift[1]))


@public("diagflat")
def diagflat(v: Array, k: int = 0, sparse: Any = None, gpu: Any = None, chunk_size: Any = None) -> Any:
    """A matrix with the flat elements on a diagonal."""
    return diag(registry.make("reshape", as_tensor(v), (-1,)), k, sparse, gpu, chunk_size)


def _triangle(name: str, m: Array, k: int = 0, gpu: Any = None) -> Any:
    refuse_gpu(name, gpu)
    m = as_tensor(m)
    if m.ndim < 1:
        raise ArgumentTypeError(f"{name}(): expected one axis at least.")
    if m.ndim == 1:
        m = registry.make("row_square", m)
    return registry.make(name, m, checks.whole(k, "k"))


@lowered("row_square", meta=lambda m: TensorMeta((*m.shape, *m.shape), m.dtype))
def row_square(m: da.Array) -> da.Array:
    """A row as often as it is long."""
    return da.broadcast_to(m, (*m.shape, *m.shape))


def _triangle_chunk(block: Any, func: Any, k: int, row: int, column: int) -> Any:
    return func(block, k + row - column)


def _triangle_lower(func: Any, m: da.Array, k: int) -> da.Array:
    starts = [np.cumsum([0, *c]).tolist() for c in m.chunks[-2:]]

    def make(index: tuple[int, ...]) -> Any:
        return (_triangle_chunk, graph.Block(m, index), func, k, starts[0][index[-2]], starts[1][index[-1]])

    return graph.blocks(make, m.chunks, m.dtype, [m])


for _func, _where in ((np.tril, "above"), (np.triu, "below")):
    _name = _func.__name__
    public(_name, doc=f"The matrix with zeros {_where} a diagonal.")(partial(_triangle, _name))
    lowered(_name, meta=lambda m, k: TensorMeta(m.shape, m.dtype))(partial(_triangle_lower, _func))
