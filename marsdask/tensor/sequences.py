"""Tensors from a rule: arange, linspace, eye, diag, tril, triu, meshgrid, indices."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import lowered, operation, public
from marsdask.tensor.axes import broadcast_view
from marsdask.tensor.chunking import Chunks, check_shape, chunks_of
from marsdask.tensor.core import ExecutableTuple, as_tensor
from marsdask.tensor.creation import in_memory, refuse_gpu
from marsdask.tensor.reshaping import check_order


def made(func: Callable[..., Any], chunks: Chunks, dtype: Any, *args: Any) -> da.Array:
    """An array whose chunks are `func(starts, lengths, *args)`."""
    starts = [np.cumsum([0, *c]).tolist() for c in chunks]

    def make(index: tuple[int, ...]) -> Any:
        first = tuple(s[i] for s, i in zip(starts, index, strict=True))
        lengths = tuple(c[i] for c, i in zip(chunks, index, strict=True))
        return (func, first, lengths, *args)

    return graph.blocks(make, chunks, dtype, [])


def number(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name}={value!r}: expected a whole number.") from None


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
    return registry.make("arange", first[()], None, delta, kind, chunks_of((count,), chunk_size, kind))


class ZeroStep(ArgumentError, ZeroDivisionError):
    """A step of zero."""


def _arange_meta(
    start: Any, stop: Any, step: Any, dtype: Any, chunk_size: Any, gpu: Any = None
) -> TensorMeta:
    return TensorMeta((sum(chunk_size[0]),), dtype)


@lowered("arange", sizes="any", meta=_arange_meta)
def _arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, chunk_size: Any = None, gpu: Any = None
) -> Any:
    return made(_arange_chunk, chunk_size, dtype, start, step, dtype)


def _arange_chunk(first: Any, lengths: Any, start: Any, step: Any, dtype: Any) -> Any:
    positions = np.arange(first[0], first[0] + lengths[0])
    return (start + positions * step).astype(dtype)


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
    num = number(num, "num")
    if num < 0:
        raise ArgumentError(f"linspace(num={num}): number of samples must be non-negative.")
    parts = num - 1 if endpoint else num
    given = (
        start.dtype if isinstance(start, Handle) else start,
        stop.dtype if isinstance(stop, Handle) else stop,
    )
    kind = np.result_type(*(np.asarray(v) if not isinstance(v, np.dtype) else v for v in given), float(num))
    out = kind if dtype is None else np.dtype(dtype)
    if (
        not np.ndim(start)
        and not np.ndim(stop)
        and not isinstance(start, Handle)
        and not isinstance(stop, Handle)
    ):
        delta = np.asarray(stop) * 1.0 - np.asarray(start) * 1.0
        step = delta / parts if parts > 0 else np.array(np.nan)[()]
        last = stop if endpoint and num > 1 else None
        result = registry.make(
            "spaced", num, out, chunks_of((num,), chunk_size, out), start, delta, step, parts, last, kind
        )
        return (result, step) if retstep else result
    a, b = as_tensor(start) * 1.0, as_tensor(stop) * 1.0
    step = (b - a) / parts if parts > 0 else (b - a) * np.nan
    steps = arange(
        num,
        dtype=kind,
        chunk_size=None
        if chunk_size is None
        else chunk_size
        if isinstance(chunk_size, int)
        else chunk_size[0],
    )
    grid = steps.reshape((-1, *(1,) * step.ndim)) * (step if parts > 0 else 0) + a
    if endpoint and num > 1:
        grid[-1] = b
    if out.kind in "iu":
        grid = registry.call(registry.lookup("floor"), (grid,), {})
    grid = grid if grid.dtype == out else grid.astype(out)
    grid = registry.call(registry.lookup("moveaxis"), (grid, 0, axis), {}) if axis else grid
    return (grid, step) if retstep else grid


def _linspace_chunk(
    first: Any,
    lengths: Any,
    start: Any,
    num: int,
    delta: Any,
    step: Any,
    parts: int,
    last: Any,
    kind: Any,
    dtype: Any,
) -> Any:
    positions = np.arange(first[0], first[0] + lengths[0]).astype(kind)
    if parts > 0:
        values = positions * step if step != 0 else positions / parts * delta
    else:
        values = positions * delta
    values = values + start
    if last is not None and first[0] + lengths[0] == num and lengths[0]:
        values[-1] = last
    if np.dtype(dtype).kind in "iu":
        values = np.floor(values)
    return values.astype(dtype)


@lowered("spaced", sizes="any", meta=lambda count, dtype, chunks, *rest: TensorMeta((count,), dtype))
def spaced(
    count: int, dtype: Any, chunks: Any, start: Any, delta: Any, step: Any, parts: int, last: Any, kind: Any
) -> da.Array:
    """What linspace makes of numbers."""
    return made(_linspace_chunk, chunks, dtype, start, count, delta, step, parts, last, kind, dtype)


@public("eye")
def eye(
    N: Any,
    M: Any = None,
    k: int = 0,
    dtype: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    order: str = "C",
) -> Any:
    """Ones on a diagonal, zeros elsewhere."""
    refuse_gpu("eye", gpu)
    rows = number(N, "N")
    columns = rows if M is None else number(M, "M")
    shape = check_shape((max(rows, 0), max(columns, 0)) if rows < 0 or columns < 0 else (rows, columns))
    if rows < 0 or columns < 0:
        raise ArgumentError(f"eye(N={N!r}, M={M!r}): negative dimensions are not allowed.")
    kind = np.dtype("f8" if dtype is None else dtype)
    return registry.make(
        "eye",
        rows,
        columns,
        number(k, "k"),
        kind,
        chunks_of(shape, chunk_size, kind),
        None,
        check_order(order, "CF"),
    )


@lowered(
    "eye", sizes="any", meta=lambda N, M, k, dtype, chunk_size, gpu, order: TensorMeta((N, M), dtype, order)
)
def _eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    order: str = "C",
) -> Any:
    return made(_eye_chunk, chunk_size, dtype, k, dtype)


def _eye_chunk(first: Any, lengths: Any, k: int, dtype: Any) -> Any:
    return np.eye(*lengths, k=k + first[0] - first[1], dtype=dtype)


@operation(
    "identity",
    room="tensor",
    prepare=lambda n, dtype=None, chunk_size=None, gpu=None: eye(n, None, 0, dtype, chunk_size, gpu),
)
def identity(n: int, dtype: Any = None, chunk_size: Any = None, gpu: Any = None) -> Any:
    """Ones on the main diagonal of a square."""


def _meshgrid(xi: tuple[Any, ...] = (), indexing: str = "xy", sparse: bool = False, copy: bool = True) -> Any:
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid(indexing={indexing!r}): expected 'xy' or 'ij'.")
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
    lengths = dict(zip(axes, (int(row.known.shape[0]) for row in rows), strict=True))
    shape = tuple(lengths[i] for i in range(len(xi)))
    if copy:
        return ExecutableTuple(registry.make("broadcast_to", each, shape) for each in open_ones)
    return ExecutableTuple(broadcast_view(each, shape) for each in open_ones)


@operation("meshgrid", room="tensor", prepare=_meshgrid)  # fmt: skip
def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> Any:
    """Coordinate matrices from coordinate vectors."""


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
    return registry.make("indices", (len(shape), *shape), kind, chunks)


@lowered("indices", sizes="any", meta=lambda dimensions, dtype, chunk_size: TensorMeta(dimensions, dtype))
def _indices(dimensions: Any, dtype: Any = int, chunk_size: Any = None, sparse: bool = False) -> da.Array:
    return made(_indices_chunk, chunk_size, dtype, dtype)


def _indices_chunk(first: Any, lengths: Any, dtype: Any) -> Any:
    whole = [np.arange(a, a + n, dtype=dtype) for a, n in zip(first[1:], lengths[1:], strict=True)]
    grids = np.meshgrid(*whole, indexing="ij")
    return np.stack(grids[first[0] : first[0] + lengths[0]]) if lengths[0] else np.empty(lengths, dtype)
