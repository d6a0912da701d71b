"""The one file that spells Dask graphs by hand: chunked pandas objects, exchanges, trees, and merging into one graph.

`Chunks` is a Dask collection of `count` chunks, each any Python object (a pandas frame, an array, a value). Tasks are
Dask's own (`dask.task_spec`); a chunk's key is `(name, i)`.
"""

# long: it is the one file that spells Dask graphs, and a lint rule bans them elsewhere.
from __future__ import annotations

import contextlib
import contextvars
import functools
import hashlib
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import toolz
from dask.base import DaskMethodsMixin
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.task_spec import Alias, DataNode, GraphNode, List, Task, TaskRef
from dask.threaded import get as threaded_get
from dask.typing import Key

from marsdask.errors import ShapeError, TooLargeForOneChunk
from marsdask.node import Node
from marsdask.options import options

NAN = math.nan


@dataclass
class Place:
    """Which operation is being lowered: names of tasks are made from it, so equal work gets equal names."""

    label: str = "marsdask"
    token: str = ""
    shared_memory: bool = True  # all tasks run in this process: pieces are handed over, not copied
    counter: Iterator[int] = field(default_factory=itertools.count)
    rules: list[str] = field(default_factory=list)  # which rule chose the plan, for explain()


_place: contextvars.ContextVar[Place] = contextvars.ContextVar("marsdask-place", default=Place())  # noqa: B039 - a counter that only names tasks


@contextlib.contextmanager
def at(place: Place) -> Iterator[None]:
    """Tasks made inside the block are named after `place`."""
    before = _place.set(place)
    try:
        yield
    finally:
        _place.reset(before)


def rule(text: str) -> None:
    """Note which rule chose the plan of the operation being lowered; `explain()` shows it."""
    _place.get().rules.append(text)


def name_for(label: str | None = None) -> str:
    """A task name: what people read on the dashboard, then a digest (32 hex digits, which Dask cuts off)."""
    place = _place.get()
    digest = hashlib.blake2b(f"{place.token}/{next(place.counter)}".encode(), digest_size=16)
    return f"{label or place.label}-{digest.hexdigest()}"


def in_one_process() -> bool:
    """Whether tasks hand over their pieces in memory, so that looking at all chunks costs no copy."""
    return _place.get().shared_memory


class Chunks(DaskMethodsMixin):
    """A row of chunks, in Dask's own tasks. Immutable.

    `lengths`: rows per chunk, `nan` where unknown; None where chunks are not pandas objects.
    `node`: what it was lowered from, for metadata; None inside a lowering.
    """

    __slots__ = ("count", "inputs", "lengths", "name", "node", "tasks")
    __dask_scheduler__ = staticmethod(threaded_get)

    def __init__(
        self,
        name: str,
        tasks: dict[Key, GraphNode],
        count: int,
        inputs: tuple[Any, ...] = (),
        lengths: tuple[float, ...] | None = None,
        node: Node | None = None,
    ):
        self.name, self.tasks, self.count, self.inputs = name, tasks, count, inputs
        self.lengths, self.node = lengths, node

    @property
    def keys(self) -> list[Key]:
        return [(self.name, i) for i in range(self.count)]

    @property
    def known(self) -> bool:
        """Whether the length of every chunk is known."""
        return self.lengths is not None and not any(math.isnan(n) for n in self.lengths)

    @property
    def empty(self) -> Any:
        """The empty pandas object that says columns and dtypes."""
        from marsdask.meta import meta  # works on nodes; graph stands beside it

        if self.node is None:
            raise ShapeError(f"{self.name} has no metadata: it was made inside a lowering")
        return meta(self.node).empty

    def with_node(self, node: Node | None) -> Chunks:
        return Chunks(self.name, self.tasks, self.count, self.inputs, self.lengths, node)

    def with_lengths(self, lengths: tuple[float, ...] | None) -> Chunks:
        return Chunks(self.name, self.tasks, self.count, self.inputs, lengths, self.node)

    def __repr__(self) -> str:
        return f"Chunks<{self.name}, count={self.count}>"

    def __dask_graph__(self) -> dict[Key, Any]:
        return merged([self])

    def __dask_keys__(self) -> list[Key]:
        return self.keys

    def __dask_layers__(self) -> tuple[str, ...]:
        return (self.name,)

    def __dask_tokenize__(self) -> str:
        return self.name

    @staticmethod
    def __dask_optimize__(graph: Any, keys: Any, **kwargs: Any) -> Any:
        return graph

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[()]]:
        return concat, ()

    def __dask_postpersist__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _rebuild, (self.name, self.count, self.lengths, self.node)


def _rebuild(
    graph: dict[Key, Any], name: str, count: int, lengths: Any, node: Node | None, *, rename: Any = None
) -> Chunks:
    new = (rename or {}).get(name, name)
    tasks: dict[Key, GraphNode] = {(new, i): as_task((new, i), graph[(name, i)]) for i in range(count)}
    return Chunks(new, tasks, count, (), lengths, node)


def as_task(key: Key, held: Any) -> GraphNode:
    """A graph entry for something already computed: data, or a future on the cluster."""
    if isinstance(held, GraphNode):
        return held
    return held if isinstance(held, TaskRef) else DataNode(key, held)  # type: ignore[return-value]


def call(key: Key, func: Callable[..., Any], *args: Any) -> GraphNode:
    """One task: `func` of data, futures or references."""
    return Task(key, func, *args)


class Placed(Task):
    """A task that no pass runs inside of another. `where`: what a cluster must know of it ("resources", "workers")."""

    where: dict[str, Any]
    __slots__ = ("where",)

    def __init__(self, key: Key, func: Callable[..., Any], /, *args: Any, where: Any = None, **kwargs: Any):
        super().__init__(key, func, *args, **kwargs)
        self.where = where or {}


def placed(func: Callable[..., Any], *args: Any, where: dict[str, Any], label: str) -> Chunks:
    """As `value`: one task over whole inputs, which stays a task of its own and runs `where` a cluster has room for it."""
    name = name_for(label)
    used: list[Any] = []
    task = Placed((name, 0), func, *(_whole(a, used) for a in args), where=where)
    return Chunks(name, {(name, 0): task}, 1, tuple(used))


def annotated(tasks: dict[Key, Any]) -> dict[Key, Any] | HighLevelGraph:
    """The graph in the form in which a cluster learns where tasks must run."""
    bound = {k: t for k, t in tasks.items() if type(t) is Placed and t.where}
    if not bound:
        return tasks
    layers: dict[str, Any] = {"free": MaterializedLayer({k: t for k, t in tasks.items() if k not in bound})}
    for i, (key, task) in enumerate(bound.items()):
        layers[f"placed-{i}"] = MaterializedLayer({key: task}, annotations=task.where)
    return HighLevelGraph(layers, {name: set() for name in layers})


def same(key: Key, held: TaskRef) -> GraphNode:
    """A task that gives back what is held elsewhere on the cluster."""
    return Alias(key, target=held.key)


def bare(collection: Chunks | da.Array) -> Any:
    """The same collection without its tasks: name, chunks and dtype."""
    if isinstance(collection, Chunks):
        return Chunks(collection.name, {}, collection.count, (), collection.lengths)
    return da.Array({}, collection.name, collection.chunks, dtype=collection.dtype, meta=collection._meta)


def elsewhere(bare: Chunks | da.Array) -> Any:
    """A bare collection over what a cluster has computed for somebody else: references by key."""
    sizes = bare.lengths if isinstance(bare, Chunks) else bare.chunks
    return holding(bare, {k: TaskRef(k) for k in keys_of(bare)}, sizes)


def data_of(held: Any) -> Any:
    """What a graph entry made by `as_task` holds: the data, or the future on the cluster."""
    return held.value if isinstance(held, DataNode) else held


def holding(collection: Chunks | da.Array, held: dict[Key, Any], sizes: Any) -> Chunks | da.Array:
    """The same collection, by the same name, over computed chunks. `sizes`: lengths, or chunks of the array."""
    tasks = {k: as_task(k, held[k]) for k in keys_of(collection)}
    if isinstance(collection, Chunks):
        return Chunks(collection.name, tasks, collection.count, (), sizes, collection.node)
    return da.Array(tasks, collection.name, sizes, dtype=collection.dtype, meta=collection._meta)


def keys_of(collection: Chunks | da.Array) -> list[Key]:
    """The keys of a collection's chunks, in order."""
    return collection.keys if isinstance(collection, Chunks) else flat_keys(collection)


def concat(parts: Sequence[Any]) -> Any:
    """One pandas object from chunks in order; empty chunks never change a dtype."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    if isinstance(first, pd.Index):
        full = [p for p in parts if len(p)] or [first]
        return full[0].append(full[1:]) if len(full) > 1 else full[0]
    if not isinstance(first, (pd.DataFrame, pd.Series)):
        return list(parts)
    full = [p for p in parts if len(p)]
    if len(full) <= 1:
        return full[0] if full else first
    return pd.concat(full)


def nbytes(part: Any) -> int:
    """Bytes of a chunk, without looking inside of strings."""
    if isinstance(part, (pd.DataFrame, pd.Series, pd.Index)):
        return int(np.sum(part.memory_usage(deep=False) if not isinstance(part, pd.Index) else part.nbytes))
    return int(getattr(part, "nbytes", 0))


def gathered(parts: Sequence[Any], what: str, limit: float) -> Any:
    """`concat`, unless that is more than one worker should hold."""
    check_size(parts, what, limit)
    return concat(parts)


def check_size(parts: Any, what: str, limit: float) -> None:
    """An error where `parts` (chunks, or lists and tuples of what exchanges hand on) are more than one worker should hold."""
    size = _held_bytes(parts)
    if size > limit:
        raise TooLargeForOneChunk(
            f"{what!r} works in one chunk, and its input has {size:,} bytes where options.gather_limit allows "
            f"{int(limit):,}. Hint: reduce the input first, or raise options.gather_limit if a worker can hold it."
        )


def _held_bytes(held: Any) -> int:
    return sum(map(_held_bytes, held)) if isinstance(held, (list, tuple)) else nbytes(held)


def limited(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`func` of parts that come to one chunk from all others: as `gather`, only up to `options.gather_limit` bytes."""
    return functools.partial(_limited, func, _place.get().label, float(options.gather_limit))


def _limited(func: Callable[[Any], Any], what: str, limit: float, parts: Any) -> Any:
    check_size(parts, what, limit)
    return func(parts)


def value(func: Callable[..., Any], *args: Any, label: str | None = None, **kwargs: Any) -> Chunks:
    """One task over whole inputs: `Chunks` arguments arrive as the list of their chunks."""
    name = name_for(label)
    used: list[Any] = []
    task = Task(
        (name, 0), func, *(_whole(a, used) for a in args), **{k: _whole(v, used) for k, v in kwargs.items()}
    )
    return Chunks(name, {(name, 0): task}, 1, tuple(used))


def _whole(arg: Any, used: list[Any]) -> Any:
    if isinstance(arg, Chunks):
        used.append(arg)
        return List(*(TaskRef(k) for k in arg.keys))
    if isinstance(arg, da.Array):
        used.append(arg)
        return List(*(TaskRef(k) for k in flat_keys(arg)))
    return arg


def constant(data: Any, label: str = "data") -> Chunks:
    """One chunk that holds `data`."""
    return constants([data], label)


def constants(parts: Sequence[Any], label: str = "data") -> Chunks:
    """Chunks that hold the given objects."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {(name, i): DataNode((name, i), p) for i, p in enumerate(parts)}
    return Chunks(name, tasks, len(parts), (), _lengths_of(parts))


def _lengths_of(parts: Sequence[Any]) -> tuple[float, ...] | None:
    pandas = all(isinstance(p, (pd.DataFrame, pd.Series, pd.Index)) for p in parts)
    return tuple(len(p) for p in parts) if pandas else None


def sources(
    func: Callable[..., Any], items: Sequence[Any], *args: Any, lengths: Any = None, label: str | None = None
) -> Chunks:
    """Chunks that tasks make of nothing: chunk i is `func(items[i], *args)`."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {
        (name, i): Task((name, i), func, item, *args) for i, item in enumerate(items)
    }
    return Chunks(name, tasks, len(tasks), (), lengths or (NAN,) * len(tasks))


def array_constant(array: np.ndarray[Any, Any], chunks: tuple[tuple[int, ...], ...], name: str) -> da.Array:
    """A Dask array over slices of data in memory: no copy, no hash.

    `da.from_array` copies an ndarray of several chunks once: 4 times the CPU of an elementwise chain over it.
    """
    bounds = [np.cumsum([0, *c]) for c in chunks]
    tasks: dict[Key, GraphNode] = {}
    for index in np.ndindex(*map(len, chunks)):
        key = (name, *index)
        where = tuple(slice(b[i], b[i + 1]) for b, i in zip(bounds, index, strict=True))
        tasks[key] = DataNode(key, array[where])
    return da.Array(tasks, name, chunks, dtype=array.dtype)


def flat_keys(array: da.Array) -> list[Key]:
    """The keys of an array's chunks, last axis fastest."""
    return [(array.name, *i) for i in np.ndindex(*array.numblocks)]


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
    if isinstance(arg, Chunks):
        name = arg.name
        return (lambda i: TaskRef((name, 0))) if arg.count == 1 else (lambda i: TaskRef((name, i)))
    if isinstance(arg, da.Array):
        keys = flat_keys(arg)
        return (lambda i: TaskRef(keys[0])) if len(keys) == 1 else (lambda i: TaskRef(keys[i]))
    return lambda i: arg


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


def gather(chunks: Chunks, what: str | None = None, *, limit: bool = True) -> Chunks:
    """All chunks as one. With `limit` only up to `options.gather_limit` bytes."""
    if chunks.count == 1:
        return chunks
    name = name_for(what)
    refs = List(*(TaskRef(k) for k in chunks.keys))
    key = (name, 0)
    if limit:
        task = Task(key, gathered, refs, what or _place.get().label, float(options.gather_limit))
    else:
        task = Task(key, concat, refs)
    lengths = None if chunks.lengths is None else (sum(chunks.lengths),)
    return Chunks(name, {key: task}, 1, (chunks,), lengths)


def tree(
    chunks: Chunks,
    combine: Callable[[list[Any]], Any],
    aggregate: Callable[[list[Any]], Any] | None = None,
    *,
    every: int | None = None,
    label: str | None = None,
) -> Chunks:
    """Join chunks `every` at a time by `combine`, the last time by `aggregate`: one chunk."""
    every = every or max(int(options.combine_size), 2)
    aggregate = aggregate or combine
    keys: list[Key] = list(chunks.keys)
    tasks: dict[Key, GraphNode] = {}
    while len(keys) > every:
        name = name_for(label)
        groups = list(toolz.partition_all(every, keys))
        for i, group in enumerate(groups):
            tasks[name, i] = Task((name, i), combine, List(*map(TaskRef, group)))
        keys = [(name, i) for i in range(len(groups))]
    name = name_for(label)
    tasks[name, 0] = Task((name, 0), aggregate, List(*map(TaskRef, keys)))
    return Chunks(name, tasks, 1, (chunks,))


def scan(
    parts: Chunks,
    step: Callable[[Any, Any], Any],
    start: Any,
    *,
    reverse: bool = False,
    label: str | None = None,
) -> Chunks:
    """What stands before each chunk: `start`, then `step(state, part)` of the chunk before; from the end with `reverse`.

    The steps are one chain, so parts should be small: totals, or the last rows of each chunk.
    """
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {}
    last = parts.count - 1 if reverse else 0
    for i in reversed(range(parts.count)) if reverse else range(parts.count):
        key = (name, i)
        before = i + 1 if reverse else i - 1
        tasks[key] = (
            DataNode(key, start)
            if i == last
            else Task(key, step, TaskRef((name, before)), TaskRef((parts.name, before)))
        )
    return Chunks(name, tasks, parts.count, (parts,))


def exchange(
    chunks: Chunks,
    split: Callable[..., Sequence[Any]],
    merge: Callable[[list[Any]], Any],
    count: int,
    *args: Any,
    label: str | None = None,
    lengths: Any = "unknown",
) -> Chunks:
    """All to all: `split(chunk, *args)` gives `count` pieces, `merge(pieces)` makes chunk j of the j-th pieces.

    `args` as in `per_chunk`. In one process the merges pick their piece themselves; between processes each piece is a
    task of its own, so that only it travels.
    """
    parts = per_chunk(split, chunks, *args, label=f"{label or _place.get().label}-split", lengths=None)
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {}
    shared = _place.get().shared_memory
    piece = name_for(f"{label or _place.get().label}-piece")
    for j in range(count):
        key = (name, j)
        if shared:
            tasks[key] = Task(key, _merge_picked, merge, j, List(*(TaskRef(k) for k in parts.keys)))
        else:
            for i, part in enumerate(parts.keys):
                tasks[piece, i, j] = Task((piece, i, j), operator.getitem, TaskRef(part), j)
            tasks[key] = Task(key, merge, List(*(TaskRef((piece, i, j)) for i in range(parts.count))))
    return Chunks(name, tasks, count, (parts,), (NAN,) * count if lengths == "unknown" else lengths)


def _merge_picked(merge: Callable[[list[Any]], Any], j: int, parts: list[Sequence[Any]]) -> Any:
    return merge([p[j] for p in parts])


def joined(*many: Chunks, label: str | None = None) -> Chunks:
    """The chunks of several, one after another."""
    if len(many) == 1:
        return many[0]
    name = name_for(label)
    keys = [k for c in many for k in c.keys]
    tasks: dict[Key, GraphNode] = {(name, i): Alias((name, i), target=k) for i, k in enumerate(keys)}
    known = all(c.lengths is not None for c in many)
    lengths = tuple(n for c in many for n in c.lengths or ()) if known else None
    return Chunks(name, tasks, len(keys), many, lengths)


def chosen(chunks: Chunks, numbers: Sequence[int], label: str | None = None) -> Chunks:
    """Some of the chunks, in the order given."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {
        (name, i): Alias((name, i), target=(chunks.name, n)) for i, n in enumerate(numbers)
    }
    lengths = None if chunks.lengths is None else tuple(chunks.lengths[n] for n in numbers)
    return Chunks(name, tasks, len(tasks), (chunks,), lengths)


def regroup(
    chunks: Chunks, pieces: Sequence[Sequence[tuple[int, int, int]]], label: str | None = None
) -> Chunks:
    """New chunks from row ranges of old ones: each a list of (chunk, start, stop)."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {}
    for j, ranges in enumerate(pieces):
        refs = List(*(TaskRef((chunks.name, i)) for i, _, _ in ranges))
        tasks[name, j] = Task((name, j), _cut_and_join, refs, [(a, b) for _, a, b in ranges])
    lengths = tuple(float(sum(b - a for _, a, b in ranges)) for ranges in pieces)
    return Chunks(name, tasks, len(pieces), (chunks,), lengths)


def _cut_and_join(parts: list[Any], ranges: list[tuple[int, int]]) -> Any:
    cut = [
        p if (a, b) == (0, len(p)) else (p[a:b] if isinstance(p, (pd.Index, np.ndarray)) else p.iloc[a:b])
        for p, (a, b) in zip(parts, ranges, strict=True)
    ]
    return np.concatenate(cut) if isinstance(cut[0], np.ndarray) else concat(cut)


def taken(
    chunks: Chunks, pieces: Sequence[tuple[int, Any]], lengths: Any = None, label: str | None = None
) -> Chunks:
    """New chunks, each from one old chunk: `pieces` are (its number, positions as a slice or an array)."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {}
    for j, (i, where) in enumerate(pieces):
        key, old = (name, j), (chunks.name, i)
        source = chunks.tasks.get(old)
        part = getattr(getattr(source, "func", None), "part", None)  # a source that can read some of its rows
        if part is not None and isinstance(source, Task) and isinstance(where, slice):
            tasks[key] = Task(key, part, where, *source.args)
        else:
            tasks[key] = Task(key, _rows_at, TaskRef(old), where)
    return Chunks(name, tasks, len(tasks), (chunks,), lengths or (NAN,) * len(tasks))


def _rows_at(part: Any, where: Any) -> Any:
    return part[where] if isinstance(part, (pd.Index, np.ndarray)) else part.iloc[where]


def in_turn(func: Callable[..., Any], chunks: Chunks, label: str | None = None) -> Chunks:
    """One after another: chunk i of the result is `func(chunk i, result i - 1)`, None before the first."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {}
    for i, key in enumerate(chunks.keys):
        before = TaskRef((name, i - 1)) if i else None
        tasks[name, i] = Task((name, i), func, TaskRef(key), before)
    return Chunks(name, tasks, chunks.count, (chunks,), None)


def row_ranges(old: Sequence[float], new: Sequence[float]) -> list[list[tuple[int, int, int]]]:
    """For `regroup`: which rows of old chunks make new chunks of the given lengths.

    >>> row_ranges((3, 3), (2, 4))
    [[(0, 0, 2)], [(0, 2, 3), (1, 0, 3)]]
    """
    result, i, start = [], 0, 0
    for want in map(int, new):
        ranges = []
        while want > 0:
            n = min(want, int(old[i]) - start)
            if n:
                ranges.append((i, start, start + n))
            start, want = start + n, want - n
            if start == int(old[i]):
                i, start = i + 1, 0
        # An empty chunk still needs something to take its columns from.
        result.append(ranges or [(min(i, len(old) - 1), 0, 0)])
    return result


def delayed(chunks: Chunks) -> list[Delayed]:
    """The chunks as `dask.delayed` objects over one graph."""
    whole = HighLevelGraph.from_collections(chunks.name, merged([chunks]), dependencies=())
    return [Delayed(key, whole, layer=chunks.name) for key in chunks.keys]


def from_delayed(parts: Sequence[Any], label: str | None = None) -> Chunks:
    """Chunks over `dask.delayed` objects, each a pandas object."""
    name = name_for(label or "delayed")
    layers = HighLevelGraph.merge(*(p.__dask_graph__() for p in parts))
    below = dict(layers)
    tasks: dict[Key, GraphNode] = {(name, i): Alias((name, i), target=p.key) for i, p in enumerate(parts)}
    return Chunks(name, {**below, **tasks}, len(tasks), (), (NAN,) * len(tasks))


def lengths_of(chunks: Chunks) -> Chunks:
    """One value: the list of the chunks' lengths, worked out in the graph."""
    return value(list, per_chunk(len, chunks, label="len", lengths=None), label="lengths")


def from_array(array: da.Array) -> Chunks:
    """The chunks of an array that is cut along its first axis only, as chunks."""
    if any(n != 1 for n in array.numblocks[1:]):
        array = array.rechunk(dict.fromkeys(range(1, array.ndim), -1))
    name = name_for("array")
    keys = flat_keys(array)
    tasks: dict[Key, GraphNode] = {(name, i): Alias((name, i), target=k) for i, k in enumerate(keys)}
    lengths = tuple(array.chunks[0]) if array.ndim else None
    return Chunks(name, tasks, len(keys), (array,), lengths)


def to_array(
    chunks: Chunks, shape_rest: tuple[int, ...] = (), dtype: Any = None, *, scalar: bool = False
) -> da.Array:
    """A Dask array over chunks that are ndarrays: cut along the first axis, whole along the rest."""
    name = name_for(None)
    zeros = (0,) * len(shape_rest)
    tail: tuple[tuple[int, ...], ...] = tuple((n,) for n in shape_rest)
    tasks: dict[Key, Any] = {}
    for i, key in enumerate(chunks.keys):
        new: Key = (name,) if scalar else (name, i, *zeros)
        tasks[new] = Alias(new, target=key)
    lengths = chunks.lengths or (NAN,) * chunks.count
    axes = () if scalar else (tuple(n if math.isnan(n) else int(n) for n in lengths), *tail)
    below = merged([chunks], optimize=False)
    layers = {name: tasks, f"{name}-inputs": below}
    graph = HighLevelGraph(layers, {name: {f"{name}-inputs"}, f"{name}-inputs": set()})
    return da.Array(graph, name, axes, dtype=dtype)


class Block:
    """In the arguments of a task of `blocks`: the chunk of an array at an index."""

    __slots__ = ("array", "index")

    def __init__(self, array: da.Array, index: tuple[int, ...]):
        self.array, self.index = array, index

    @property
    def key(self) -> Key:
        return (self.array.name, *self.index)


def blocks(
    make: Callable[[tuple[int, ...]], Any],
    chunks: tuple[tuple[int, ...], ...],
    dtype: Any,
    inputs: Sequence[da.Array],
    label: str | None = None,
) -> da.Array:
    """A Dask array with a task of its own for each chunk.

    `make(index)` gives `(func, *args)`, where an argument may be a `Block` or a list of them, or a `Block` that is taken
    over as it is. `inputs` are the arrays whose blocks are used.
    """
    name = name_for(label)
    tasks: dict[Key, Any] = {}
    for index in np.ndindex(*map(len, chunks)):
        key = (name, *index)
        made = make(index)
        if isinstance(made, Block):
            tasks[key] = Alias(key, target=made.key)
        else:
            tasks[key] = Task(key, made[0], *map(_block_ref, made[1:]))
    below: list[Any] = list(inputs)
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=below)
    return da.Array(graph, name, chunks, dtype=dtype)


def _block_ref(arg: Any) -> Any:
    if isinstance(arg, Block):
        return TaskRef(arg.key)
    if type(arg) is list and any(isinstance(a, Block) for a in arg):
        return List(*map(_block_ref, arg))
    return arg


def merged(
    collections: Sequence[Any], *, optimize: bool = True, kept: dict[str, dict[Key, Any]] | None = None
) -> dict[Key, Any]:
    """One graph for several collections: arrays through Dask's own array optimizer, chunks as they are.

    `kept`: what is already computed, by name of the collection; it takes the place of the tasks of that name.
    """
    kept = kept or {}
    graph: dict[Key, Any] = {}
    arrays: dict[str, da.Array] = {}
    seen: set[str] = set()
    stack = list(collections)
    while stack:
        each = stack.pop()
        if each.name in seen:
            continue
        seen.add(each.name)
        if each.name in kept:
            graph.update(kept[each.name])
        elif isinstance(each, Chunks):
            graph.update(each.tasks)
            stack.extend(each.inputs)
        else:
            arrays[each.name] = each
    if arrays:
        layers = HighLevelGraph.merge(*(a.dask for a in arrays.values()))
        for name in kept.keys() & layers.layers.keys():
            layers = replaced_layer(layers, name, kept[name])
        keys = [k for a in arrays.values() for k in flat_keys(a)]
        if optimize:
            layers = da.Array.__dask_optimize__(layers, keys)
        graph = {**dict(layers), **graph}
    return graph


def replaced_layer(graph: HighLevelGraph, name: str, tasks: dict[Key, Any]) -> HighLevelGraph:
    """The same layers, one of them holding computed chunks."""
    layers = {**graph.layers, name: tasks}
    return HighLevelGraph(layers, {**graph.dependencies, name: set()})


def wanted_only(graph: dict[Key, Any], keys: Sequence[Key]) -> dict[Key, Any]:
    """The part of a graph that `keys` need."""
    found: dict[Key, Any] = {}
    work = list(keys)
    while work:
        key = work.pop()
        if key not in found and key in graph:
            found[key] = task = graph[key]
            if isinstance(task, GraphNode):
                work.extend(task.dependencies)
            else:  # a task in Dask's old spelling: keep everything
                return graph
    return found


class Chain:
    """Several tasks run in one, each value dropped after its last use."""

    __slots__ = ("gone", "needs", "tasks")

    def __init__(self, tasks: Sequence[Task], needs: Sequence[Key]):
        self.tasks, self.needs = tuple(tasks), tuple(needs)
        last = {k: i for i, t in enumerate(self.tasks) for k in t.dependencies}
        self.gone = tuple(tuple(k for k, at in last.items() if at == i) for i in range(len(self.tasks)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Chain, (self.tasks, self.needs)

    def __call__(self, *inputs: Any) -> Any:
        values = dict(zip(self.needs, inputs, strict=True))
        result = None
        for task, gone in zip(self.tasks, self.gone, strict=True):
            values[task.key] = result = task(values)
            for key in gone:
                del values[key]
        return result


def lined_up(graph: dict[Key, Any], keys: Sequence[Key]) -> dict[Key, Any]:
    """The same graph with tasks of one chunk that only feed each other in one task.

    A task is taken into its user where all of its users are in one chain, it has the user's chunk number, and the user does
    not join several chunks of the same collection (that work is wanted side by side).
    """
    users: dict[Key, list[Key]] = {}
    for key, task in graph.items():
        if not isinstance(task, GraphNode):
            return graph
        for need in task.dependencies:
            users.setdefault(need, []).append(key)
    outside = set(keys)
    graph = _unaliased(graph, users, outside)
    top: dict[Key, Key] = {}
    members: dict[Key, list[Key]] = {}
    for key in _users_first(graph, users):
        root = key
        if type(graph[key]) is Task and key not in outside and (mine := users.get(key)):
            tops = {top[u] for u in mine}
            if len(tops) == 1 and all(_takes(graph[u], u, key) for u in mine):
                (root,) = tops
        top[key] = root
        members.setdefault(root, []).append(key)
    new = dict(graph)
    for root, group in members.items():
        if len(group) > 1:
            inside = set(group)
            tasks = [graph[k] for k in reversed(group)]
            needs = list(dict.fromkeys(k for t in tasks for k in t.dependencies if k not in inside))
            new[root] = Task(root, Chain(tasks, needs), *map(TaskRef, needs))
            for key in group[1:]:
                del new[key]
    return new


def _unaliased(graph: dict[Key, Any], users: dict[Key, list[Key]], outside: set[Key]) -> dict[Key, Any]:
    """The same graph without aliases of tasks that nobody else looks at: the tasks take the alias's key.

    Dask's array optimizer leaves one for each chain that it fuses, and an alias costs as much as any task.
    """
    new = dict(graph)
    for key, task in graph.items():
        if type(task) is not Alias or users.get(task.target) != [key] or task.target in outside:
            continue
        held = new.get(task.target)
        if type(held) is Task:
            del new[task.target]
            new[key] = held.substitute({}, key=key)
            for need in held.dependencies:
                users[need] = [key if user == task.target else user for user in users[need]]
    return new


def _takes(user: Any, user_key: Any, key: Any) -> bool:
    if (
        type(user) is not Task
        or type(key) is not tuple
        or type(user_key) is not tuple
        or key[1:] != user_key[1:]
    ):
        return False
    return not any(type(k) is tuple and k[0] == key[0] and k != key for k in user.dependencies)


def _users_first(graph: dict[Key, Any], users: dict[Key, list[Key]]) -> list[Key]:
    """Keys, each after all of its users."""
    left = {k: len(users.get(k, ())) for k in graph}
    ready = [k for k, n in left.items() if not n]
    order: list[Key] = []
    while ready:
        key = ready.pop()
        order.append(key)
        for need in graph[key].dependencies:
            if need in left:
                left[need] -= 1
                if not left[need]:
                    ready.append(need)
    return order


# Below this many tasks the scheduler's own cost does not show.
BATCH_FROM = 512


def batched(graph: dict[Key, Any], keys: Sequence[Key]) -> dict[Key, Any]:
    """The same graph with the leaves of wide reductions run inside the task that joins them.

    A task costs 250-350 microseconds on threads, however tiny; a join of k leaves that nobody else needs is one task
    instead of k + 1. Only where there are many more tasks than workers, and a join has at least four such leaves.
    """
    if len(graph) < BATCH_FROM or not all(isinstance(t, GraphNode) for t in graph.values()):
        return graph
    users: dict[Key, int] = dict.fromkeys(keys, 2)
    for task in graph.values():
        for key in task.dependencies:
            users[key] = users.get(key, 0) + 1
    new = dict(graph)
    for key, task in graph.items():
        if type(task) is not Task or len(task.dependencies) < 4:
            continue
        lines = [_line(graph, users, k) for k in task.dependencies]
        if not all(lines):
            continue
        inside = [t for line in lines for t in reversed(line)]
        gone = {t.key for t in inside}
        needs = list(dict.fromkeys(k for t in inside for k in t.dependencies if k not in gone))
        new[key] = Task(key, Chain([*inside, task], needs), *map(TaskRef, needs))
        for k in gone:
            del new[k]
    return new


def _line(graph: dict[Key, Any], users: dict[Key, int], key: Key) -> list[Any]:
    """The tasks that make `key` out of nothing or of data at hand, one feeding the next and nobody else; last ones first."""
    line: list[Any] = []
    while users.get(key) == 1 and key in graph and not isinstance(graph[key], (DataNode, Placed)):
        line.append(graph[key])
        needs = graph[key].dependencies
        if all(isinstance(graph.get(k), DataNode) for k in needs):
            return line
        if len(needs) > 1:
            return []
        (key,) = needs
    return []


def settled(collection: Chunks | da.Array, kept: dict[str, dict[Key, Any]]) -> Chunks | da.Array:
    """The same collection with what questions kept in the place of its tasks, so that it can leave the session."""
    tasks = merged([collection], kept=kept)
    if isinstance(collection, Chunks):
        return Chunks(collection.name, tasks, collection.count, (), collection.lengths, collection.node)
    return da.Array(tasks, collection.name, collection.chunks, dtype=collection.dtype, meta=collection._meta)
