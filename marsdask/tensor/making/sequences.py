"""Tensors from a rule: arange, linspace, eye, meshgrid, indices, diagonals and triangles."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NAN, TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.chunking import Chunks, check_shape, chunks_of
from marsdask.tensor.core import ExecutableTuple, as_tensor, read_only
from marsdask.tensor.indexing.indexing import by_arrays
from marsdask.tensor.indexing.writes import scattered
from marsdask.tensor.making.creation import in_memory, refuse_gpu
from marsdask.tensor.shapes.axes import broadcast_view, moveaxis
from marsdask.tensor.shapes.manipulation import rechunk


def _by_rule(name: str, chunk: Callable[..., Any]) -> None:
    """Declare the lowering of what a rule makes: `chunk(starts, lengths, dtype, *rule)` gives each of its chunks."""

    @lowered(
        name,
        sizes="any",
        meta=lambda chunks, dtype, *rule, order="C": TensorMeta(tuple(map(sum, chunks)), dtype, order),
    )
    def lower(chunks: Chunks, dtype: Any, *rule: Any, order: str = "C") -> da.Array:
        starts = [np.cumsum([0, *c]).tolist() for c in chunks]

        def make(index: tuple[int, ...]) -> Any:
            first = tuple(s[i] for s, i in zip(starts, index, strict=True))
            lengths = tuple(c[i] for c, i in zip(chunks, index, strict=True))
            return (chunk, first, lengths, dtype, *rule)

        return graph.blocks(make, chunks, dtype, [])


@public("arange")
def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, chunk_size: Any = None, gpu: Any = None
) -> Any:
    """Evenly spaced numbers from `start` up to, without, `stop`."""
    refuse_gpu("arange", gpu)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    kind = np.array([start, stop, step]).dtype if dtype is None else np.dtype(dtype)
    if kind.kind not in "iuf" or any(np.asarray(v).dtype.kind not in "iufb" for v in (start, stop, step)):
        return in_memory(np.arange(start, stop, step, dtype=dtype), None, None, chunk_size)
    if step == 0:
        raise ZeroStep("arange(step=0): expected a step other than zero.")
    count = max(math.ceil((stop - start) / step), 0)
    first, second = np.array(start).astype(kind), np.array(start + step).astype(kind)
    delta = (second - first)[()] if kind.kind != "u" else second.astype("i8")[()] - first.astype("i8")[()]
    return registry.make("arange", chunks_of((count,), chunk_size, kind), kind, first[()], delta)


class ZeroStep(ArgumentError, ZeroDivisionError):
    """A step of zero."""


def _arange_chunk(first: Any, lengths: Any, dtype: Any, start: Any, step: Any) -> Any:
    return (start + np.arange(first[0], first[0] + lengths[0]) * step).astype(dtype)


_by_rule("arange", _arange_chunk)


@public("linspace")
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    gpu: Any = None,
    chunk_size: Any = None,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`; with `retstep` also the step."""
    refuse_gpu("linspace", gpu)
    num = checks.whole(num, "linspace(num=)", 0)
    parts = num - 1 if endpoint else num
    start, stop = (as_tensor(v) if isinstance(v, Handle) else v for v in (start, stop))
    kinds = (v.dtype if isinstance(v, Handle) else np.asarray(v) for v in (start, stop))
    kind = np.result_type(*kinds, float(num))
    out = kind if dtype is None else np.dtype(dtype)
    if not any(isinstance(v, Handle) or np.ndim(v) for v in (start, stop)):
        delta = np.asarray(stop) * 1.0 - np.asarray(start) * 1.0
        step = delta / parts if parts > 0 else np.array(np.nan)[()]
        last = stop if endpoint and num > 1 else None
        chunks = chunks_of((num,), chunk_size, out)
        result = registry.make("spaced", chunks, out, num, start, delta, step, parts, last, kind)
        return (result, step) if retstep else result
    a, b = as_tensor(start) * 1.0, as_tensor(stop) * 1.0
    step = (b - a) / parts if parts > 0 else (b - a) * np.nan
    first = chunk_size[0] if isinstance(chunk_size, (tuple, list)) else chunk_size
    steps = arange(num, dtype=kind, chunk_size=first)
    grid = steps.reshape((-1, *(1,) * step.ndim)) * (step if parts > 0 else 0) + a
    if endpoint and num > 1:
        grid[-1] = b
    if out.kind in "iu":
        grid = registry.make("floor", grid)
    grid = grid if grid.dtype == out else grid.astype(out)
    grid = moveaxis(grid, 0, axis) if axis else grid
    return (grid, step) if retstep else grid


def _linspace_chunk(first: Any, lengths: Any, dtype: Any, num: int, *rule: Any) -> Any:
    start, delta, step, parts, last, kind = rule
    positions = np.arange(first[0], first[0] + lengths[0]).astype(kind)
    if parts > 0:
        values = (positions * step if step != 0 else positions / parts * delta) + start
    else:
        values = positions * delta + start
    if last is not None and first[0] + lengths[0] == num and lengths[0]:
        values[-1] = last
    if np.dtype(dtype).kind in "iu":
        values = np.floor(values)
    return values.astype(dtype)


_by_rule("spaced", _linspace_chunk)


@public("eye")
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    order: str = "C",
) -> Any:
    """Ones on a diagonal, zeros elsewhere."""
    refuse_gpu("eye", gpu)
    rows = checks.whole(N, "eye(N=)", 0)
    shape = (rows, rows if M is None else checks.whole(M, "eye(M=)", 0))
    kind = np.dtype("f8" if dtype is None else dtype)
    chunks = chunks_of(shape, chunk_size, kind)
    k = checks.whole(k, "k")
    return registry.make("eye", chunks, kind, k, order=checks.choice(order, "order", "CF"))


def _eye_chunk(first: Any, lengths: Any, dtype: Any, k: int) -> Any:
    return np.eye(*lengths, k=k + first[0] - first[1], dtype=dtype)


_by_rule("eye", _eye_chunk)


@public("identity")
def identity(n: int, dtype: Any = None, chunk_size: Any = None, gpu: Any = None) -> Any:
    """Ones on the main diagonal of a square."""
    return eye(n, None, 0, dtype, chunk_size, gpu)


@public("meshgrid")
def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> Any:
    """Coordinate matrices from coordinate vectors."""
    checks.choice(indexing, "meshgrid(indexing=)", ("xy", "ij"))
    axes = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        axes[:2] = [1, 0]
    rows = [registry.make("reshape", as_tensor(x), (-1,)) for x in xi]
    open_ones = [
        row[tuple(slice(None) if j == axis else None for j in range(len(xi)))]
        for row, axis in zip(rows, axes, strict=True)
    ]
    if copy:
        open_ones = [registry.make("copy", each) for each in open_ones]
    if sparse:
        return ExecutableTuple(open_ones)
    if any(math.isnan(row.known.shape[0]) for row in rows):
        return ExecutableTuple(registry.make("broadcast_like", each, open_ones) for each in open_ones)
    shape = tuple(int(rows[axis].known.shape[0]) for axis in axes)  # two axes swapped are swapped back
    spread = partial(registry.make, "broadcast_to") if copy else broadcast_view
    return ExecutableTuple(spread(each, shape) for each in open_ones)


@public("indices")
def indices(dimensions: Any, dtype: Any = int, chunk_size: Any = None, sparse: bool = False) -> Any:
    """The positions along each axis of a grid."""
    shape, kind = check_shape(dimensions, "dimensions"), np.dtype(dtype)
    if sparse:
        rows = [arange(n, dtype=kind) for n in shape]
        return ExecutableTuple(
            row.reshape(tuple(-1 if i == axis else 1 for i in range(len(shape))))
            for axis, row in enumerate(rows)
        )
    if isinstance(chunk_size, int):
        chunks = ((1,) * len(shape), *chunks_of(shape, chunk_size, kind))
    else:
        chunks = chunks_of((len(shape), *shape), chunk_size, kind)
    return registry.make("indices", chunks, kind)


def _indices_chunk(first: Any, lengths: Any, dtype: Any) -> Any:
    whole = [np.arange(a, a + n, dtype=dtype) for a, n in zip(first[1:], lengths[1:], strict=True)]
    grids = np.meshgrid(*whole, indexing="ij")
    return np.stack(grids[first[0] : first[0] + lengths[0]]) if lengths[0] else np.empty(lengths, dtype)


_by_rule("indices", _indices_chunk)


@public("diag")
def diag(v: Array, k: int = 0, sparse: Any = None, gpu: Any = None, chunk_size: Any = None) -> Any:
    """A matrix with that diagonal; of a matrix a read-only view of its diagonal."""
    refuse_gpu("diag", gpu or sparse)
    k = checks.whole(k, "k")
    if v.ndim == 1:
        result = registry.make("diag", v, k)
        return result if chunk_size is None else rechunk(result, chunk_size)
    if v.ndim != 2:
        raise ArgumentError("diag(): input must be 1- or 2-d.")
    return read_only(v, "diag() of a matrix is a view", "diag", k)


def _diag_meta(v: TensorMeta, k: int) -> TensorMeta:
    if v.ndim == 1:
        return TensorMeta((v.shape[0] + abs(k),) * 2, v.dtype)
    rows, columns = v.shape
    if math.isnan(rows) or math.isnan(columns):
        return TensorMeta((NAN,), v.dtype)
    return TensorMeta((max(min(rows + min(k, 0), columns - max(k, 0)), 0),), v.dtype)


@lowered("diag", meta=_diag_meta)
def _diag(v: da.Array, k: int) -> da.Array:
    shape = tuple(map(int, _diag_meta(v, k).shape))
    places = np.arange(v.shape[0] if v.ndim == 1 else shape[0])
    key = (places + max(-k, 0), places + max(k, 0))
    if v.ndim == 2:
        return by_arrays(v, key)
    return scattered(da.zeros(shape, dtype=v.dtype, chunks=chunks_of(shape, None, v.dtype)), key, v)


@public("diagflat")
def diagflat(v: Array, k: int = 0, sparse: Any = None, gpu: Any = None, chunk_size: Any = None) -> Any:
    """A matrix with the flat elements on a diagonal."""
    return diag(registry.make("reshape", v, (-1,)), k, sparse, gpu, chunk_size)


def _triangle(name: str, m: Array, k: int = 0, gpu: Any = None) -> Any:
    refuse_gpu(name, gpu)
    if m.ndim < 1:
        raise ArgumentTypeError(f"{name}(): expected one axis at least.")
    if m.ndim == 1:
        m = registry.make("row_square", m)
    return registry.make(name, m, checks.whole(k, "k"))


@lowered("row_square", meta=lambda m: TensorMeta((*m.shape, *m.shape), m.dtype))
def row_square(m: da.Array) -> da.Array:
    """A row as often as it is long."""
    return da.broadcast_to(m, (*m.shape, *m.shape))


def _triangle_lower(func: Any, m: da.Array, k: int) -> da.Array:
    rows, columns = (np.cumsum([0, *c]).tolist() for c in m.chunks[-2:])

    def make(index: tuple[int, ...]) -> Any:
        return (func, graph.Block(m, index), k + rows[index[-2]] - columns[index[-1]])

    return graph.blocks(make, m.chunks, m.dtype, [m])


for _func, _where in ((np.tril, "above"), (np.triu, "below")):
    _name = _func.__name__
    public(_name, doc=f"The matrix with zeros {_where} a diagonal.")(partial(_triangle, _name))
    lowered(_name, meta=lambda m, k: TensorMeta(m.shape, m.dtype))(partial(_triangle_lower, _func))
