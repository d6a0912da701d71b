"""Chunks out of data, out of nothing, and out of other chunks one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from dask.task_spec import DataNode, GraphNode, List, Task, TaskRef
from dask.typing import Key

from marsdask.errors import ShapeError
from marsdask.plan.graph.chunks import NAN, Chunks, aliases, keys_of, merged
from marsdask.plan.graph.names import name_for


def call(key: Key, func: Callable[..., Any], *args: Any) -> GraphNode:
    """One task: `func` of data, futures or references."""
    return Task(key, func, *args)


def inside(task: Any) -> tuple[Any, ...]:
    """What a task is made of: its function, then the arguments; nothing where it is no task."""
    return (task.func, *task.args, *task.kwargs.values()) if isinstance(task, Task) else ()


def constant(data: Any, label: str | None = None) -> Chunks:
    """One chunk that holds `data`."""
    return constants([data], label)


def constants(parts: Sequence[Any], label: str | None = None) -> Chunks:
    """Chunks that hold the given objects."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {(name, i): DataNode((name, i), p) for i, p in enumerate(parts)}
    pandas = all(isinstance(p, (pd.DataFrame, pd.Series, pd.Index)) for p in parts)
    return Chunks(name, tasks, len(parts), (), tuple(map(len, parts)) if pandas else None)


def sources(
    func: Callable[..., Any], items: Sequence[Any], *args: Any, lengths: Any = None, label: str | None = None
) -> Chunks:
    """Chunks that tasks make of nothing: chunk i is `func(items[i], *args)`."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {
        (name, i): Task((name, i), func, item, *args) for i, item in enumerate(items)
    }
    return Chunks(name, tasks, len(tasks), (), lengths or (NAN,) * len(tasks))


def per_chunk(
    func: Callable[..., Any],
    *args: Any,
    label: str | None = None,
    lengths: Any = "same",
    number: bool = False,
    **kwargs: Any,
) -> Chunks:
    """`func` on each chunk. Arguments that are `Chunks` or arrays go chunk by chunk (one chunk: to all), others as they are.

    `lengths`: "same" as the first chunked argument's, "unknown", a tuple, or None for chunks that are no frames.
    `number`: `func` gets the chunk's number first.
    """
    name = name_for(label)
    chunked = [a for a in (*args, *kwargs.values()) if isinstance(a, (Chunks, da.Array))]
    counts = {_count(a) for a in chunked}
    count = max(counts - {1}, default=1) if counts != {0} else 0
    if len(counts - {1}) > 1:
        raise ShapeError(
            f"{name.rpartition('-')[0]}: inputs have different numbers of chunks: {sorted(counts)}"
        )
    takes = [_take(a) for a in args]
    named = {k: _take(v) for k, v in kwargs.items()}
    tasks: dict[Key, GraphNode] = {}
    for i in range(count):
        key = (name, i)
        first = (i,) if number else ()
        tasks[key] = Task(key, func, *first, *(t(i) for t in takes), **{k: t(i) for k, t in named.items()})
    if lengths == "same":
        source = next((a for a in chunked if isinstance(a, Chunks) and a.count == count), None)
        lengths = source.lengths if source is not None else None
    elif lengths == "unknown":
        lengths = (NAN,) * count
    return Chunks(name, tasks, count, tuple(chunked), lengths)


def _count(arg: Any) -> int:
    return arg.count if isinstance(arg, Chunks) else math.prod(arg.numblocks)


def _take(arg: Any) -> Callable[[int], Any]:
    if not isinstance(arg, (Chunks, da.Array)):
        return lambda i: arg
    refs = list(map(TaskRef, keys_of(arg)))
    return (lambda i: refs[0]) if len(refs) == 1 else refs.__getitem__


def value(func: Callable[..., Any], *args: Any, label: str | None = None, **kwargs: Any) -> Chunks:
    """One task over whole inputs: `Chunks` arguments arrive as the list of their chunks."""
    name = name_for(label)
    used: list[Any] = []
    task = Task(
        (name, 0), func, *(_whole(a, used) for a in args), **{k: _whole(v, used) for k, v in kwargs.items()}
    )
    return Chunks(name, {(name, 0): task}, 1, tuple(used))


def _whole(arg: Any, used: list[Any]) -> Any:
    if not isinstance(arg, (Chunks, da.Array)):
        return arg
    used.append(arg)
    return List(*map(TaskRef, keys_of(arg)))


class Placed(Task):
    """A task that no pass runs inside of another. `where`: what a cluster must know of it ("resources", "workers")."""

    where: dict[str, Any]
    __slots__ = ("where",)

    def __init__(self, key: Key, func: Callable[..., Any], /, *args: Any, where: Any = None, **kwargs: Any):
        super().__init__(key, func, *args, **kwargs)
        self.where = where or {}


class Early(Task):
    """A task that costs nothing and after which its large input can go: a cluster runs it before what waits already.

    Dask's own order makes one chunk of an exchange after the other, and comes back to every split chunk for each of them.
    Once these are on disk, that reads all data as often as there are chunks: sorting 0.5 GB in 33 chunks with 350 MB of memory
    read and wrote 40 GB, and does 3 GB with pieces that are taken at once.
    """

    __slots__ = ()


def soon(key: Key, func: Callable[..., Any], of: Key) -> GraphNode:
    """A task of one other that a cluster runs as soon as that is done."""
    return Early(key, func, TaskRef(of))


def placed(func: Callable[..., Any], *args: Any, where: dict[str, Any]) -> Chunks:
    """As `value`: one task over whole inputs, which stays a task of its own and runs `where` a cluster has room for it."""
    name = name_for()
    used: list[Any] = []
    task = Placed((name, 0), func, *(_whole(a, used) for a in args), where=where)
    return Chunks(name, {(name, 0): task}, 1, tuple(used))


def lengths_of(chunks: Chunks) -> Chunks:
    """One value: the list of the chunks' lengths, worked out in the graph."""
    return value(list, per_chunk(len, chunks, label="len", lengths=None), label="lengths")


def even(chunks: Chunks, source: Chunks | None = None) -> Chunks:
    """The same chunks, each with the dtypes that pandas gives the whole.

    For operations that make floats of whole numbers only where values go missing: one chunk may have floats then and
    another none. With `source`, nothing is done where its columns are all of dtypes that holes do not change. It waits
    for all chunks, so it is not for operations whose dtypes follow from the input's.
    """
    if chunks.count == 1 or (
        source is not None and source.node is not None and not _changeable(source.empty)
    ):
        return chunks
    dtypes = value(_common_dtypes, per_chunk(_dtypes, chunks, label="dtypes", lengths=None), label="dtypes")
    return per_chunk(_with_dtypes, chunks, dtypes)


def _changeable(empty: Any) -> bool:
    dtypes = empty.dtypes if isinstance(empty, pd.DataFrame) else [empty.dtype]
    return any(isinstance(d, np.dtype) and d.kind in "biuO" for d in dtypes)


def _dtypes(chunk: Any) -> tuple[bool, list[Any], Any]:
    """Whether there are rows, the dtypes, and the columns or None."""
    if isinstance(chunk, pd.DataFrame):
        return len(chunk) > 0, list(chunk.dtypes), chunk.columns
    return len(chunk) > 0, [chunk.dtype], None


def _common_dtypes(found: list[Any]) -> tuple[list[Any], Any]:
    """The dtypes that chunks with rows have in common, and their columns."""
    full = [each for each in found if each[0]] or found[:1]
    columns = full[0][2]
    if any(len(dtypes) != len(full[0][1]) for _, dtypes, _ in full):
        return [], columns  # columns differ too: nothing that dtypes can mend
    by_column = list(zip(*(dtypes for _, dtypes, _ in full), strict=True))
    return [
        column[0]
        if len(set(map(str, column))) == 1
        else pd.concat([pd.Series([], dtype=object).astype(d) for d in column]).dtype
        for column in by_column
    ], columns


def _with_dtypes(chunk: Any, common: tuple[list[Any], Any]) -> Any:
    dtypes, columns = common
    if not dtypes:
        return chunk
    if columns is None:
        return chunk if chunk.dtype == dtypes[0] else chunk.astype(dtypes[0])
    if not len(chunk) and len(dtypes) != chunk.shape[1]:
        chunk = pd.DataFrame(index=chunk.index, columns=columns, dtype=object)
    other = {i: d for i, d in enumerate(dtypes) if chunk.dtypes.iloc[i] != d}
    if not other:
        return chunk
    return chunk.set_axis(range(len(columns)), axis=1).astype(other).set_axis(columns, axis=1)


def partly(
    chunks: Chunks, make: Callable[..., Any], load: Callable[[int], Any], have: Container[int], label: str
) -> Chunks:
    """`make(i, chunk)` of each chunk; `load(i)` in the place of those in `have`, whose chunks are not made at all."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {}
    for i, below in enumerate(chunks.keys):
        key = (name, i)
        tasks[key] = Task(key, load, i) if i in have else Task(key, make, i, TaskRef(below))
    return Chunks(name, tasks, chunks.count, (chunks,), chunks.lengths)


def delayed(chunks: Chunks) -> list[Delayed]:
    """The chunks as `dask.delayed` objects over one graph."""
    whole = HighLevelGraph.from_collections(chunks.name, merged([chunks]), dependencies=())
    return [Delayed(key, whole, layer=chunks.name) for key in chunks.keys]


def from_delayed(parts: Sequence[Any], label: str | None = None) -> Chunks:
    """Chunks over `dask.delayed` objects, each a pandas object."""
    name = name_for(label)
    layers = HighLevelGraph.merge(*(p.__dask_graph__() for p in parts))
    tasks = aliases(name, [p.key for p in parts])
    return Chunks(name, {**dict(layers), **tasks}, len(tasks), (), (NAN,) * len(tasks))
