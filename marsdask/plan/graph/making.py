"""Chunks out of data, out of nothing, and out of other chunks one by one; Dask arrays with tasks of our own, as chunks and back."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
from dask.blockwise import Blockwise
from dask.highlevelgraph import HighLevelGraph
from dask.task_spec import Alias, DataNode, GraphNode, List, Task, TaskRef
from dask.typing import Key

from marsdask.errors import ShapeError
from marsdask.plan.graph.chunks import Chunks, concat, keys_of, merged
from marsdask.plan.graph.names import name_for
from marsdask.plan.graph.owned import owned
from marsdask.plan.meta import NAN
from marsdask.plan.node import parts, replace


def call(key: Key, func: Callable[..., Any], *args: Any) -> GraphNode:
    """One task: `func` of data, futures or references."""
    return Task(key, func, *args)


def inside(task: Any) -> tuple[Any, ...]:
    """What a task is made of: its function, then the arguments; nothing where it is no task."""
    return (task.func, *task.args, *task.kwargs.values()) if isinstance(task, Task) else ()


def calls(
    made: Iterable[tuple[Any, ...]], inputs: tuple[Any, ...], lengths: Any, label: str | None = None
) -> Chunks:
    """Chunks with a task of its own for each, `(func, *args)`; of unknown lengths where `lengths` is "unknown"."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {(name, i): Task((name, i), *each) for i, each in enumerate(made)}
    return Chunks(name, tasks, len(tasks), inputs, (NAN,) * len(tasks) if lengths == "unknown" else lengths)


def aliases(
    targets: Iterable[Key], inputs: tuple[Any, ...], lengths: Any, label: str | None = None
) -> Chunks:
    """Chunks that are those of other collections, in order."""
    name = name_for(label)
    tasks: dict[Key, GraphNode] = {(name, i): Alias((name, i), target=key) for i, key in enumerate(targets)}
    return Chunks(name, tasks, len(tasks), inputs, lengths)


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
    return calls(((func, item, *args) for item in items), (), lengths or "unknown", label)


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
    args, kwargs = tuple(map(outside, args)), {k: outside(v) for k, v in kwargs.items()}
    name = name_for(label)
    chunked = [a for a in (*args, *kwargs.values()) if isinstance(a, (Chunks, da.Array))]
    counts = {a.count if isinstance(a, Chunks) else math.prod(a.numblocks) for a in chunked}
    count = max(counts - {1}, default=1) if counts != {0} else 0
    if len(counts - {1}) > 1:
        raise ShapeError(
            f"{name.rpartition('-')[0]}: inputs have different numbers of chunks: {sorted(counts)}"
        )
    takes = [_taken(a, count) for a in args]
    by_place = zip(range(count), *takes, strict=True) if number else zip(*takes, strict=True)
    by_name = zip(*(_taken(v, count) for v in kwargs.values()), strict=True)
    tasks: dict[Key, GraphNode] = {}
    for i, given in enumerate(by_place):
        named = dict(zip(kwargs, next(by_name), strict=True)) if kwargs else {}
        tasks[name, i] = Task((name, i), func, *given, **named)
    if lengths == "same":
        lengths = next((a.lengths for a in chunked if isinstance(a, Chunks) and a.count == count), None)
    elif lengths == "unknown":
        lengths = (NAN,) * count
    return Chunks(name, tasks, count, tuple(chunked), lengths)


def _taken(arg: Any, count: int) -> list[Any]:
    """What each of `count` tasks takes of an argument."""
    if not isinstance(arg, (Chunks, da.Array)):
        return [arg] * count
    refs = list(map(TaskRef, keys_of(arg)))
    return refs * count if len(refs) == 1 else refs


def value(
    func: Callable[..., Any],
    *args: Any,
    label: str | None = None,
    where: dict[str, Any] | None = None,
    **kwargs: Any,
) -> Chunks:
    """One task over whole inputs: `Chunks` arguments arrive as the list of their chunks.

    With `where` it stays a task of its own and runs where a cluster has room for it.
    """
    args, kwargs = tuple(map(outside, args)), {k: outside(v) for k, v in kwargs.items()}
    name = name_for(label)
    kind: Callable[..., GraphNode] = Task if where is None else partial(Placed, where=where)
    task = kind((name, 0), func, *map(_whole, args), **{k: _whole(v) for k, v in kwargs.items()})
    used = tuple(a for a in (*args, *kwargs.values()) if isinstance(a, (Chunks, da.Array)))
    return Chunks(name, {(name, 0): task}, 1, used)


@dataclass(frozen=True, slots=True)
class Inside:
    """In an argument: the place of a collection, by its number."""

    number: int


def outside(arg: Any) -> Any:
    """An argument in whose tuples, lists and dicts there are collections as one chunk that is it, with their whole values."""
    if not isinstance(arg, (tuple, list, dict)):
        return arg
    found: list[Any] = [*parts([arg], Chunks), *parts([arg], da.Array)]
    if not found:
        return arg
    places = {id(each): Inside(i) for i, each in enumerate(found)}
    for kind in (Chunks, da.Array):
        arg = replace(arg, lambda each: places[id(each)], kind)
    whole = [from_array(each) if isinstance(each, da.Array) else each for each in found]
    return value(_with_values, Held(arg), *whole, label="arguments")


class Held:
    """An argument that is nobody's to look into."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


def _with_values(held: Held, *found: list[Any]) -> Any:
    return replace(held.value, lambda place: one(found[place.number]), Inside)


def one(parts: list[Any]) -> Any:
    """The whole of chunks that are pandas objects, or of an array; the number in an array of no dimension."""
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts) if first.ndim else first[()]
    return first if isinstance(first, np.generic) else concat(parts)


def _whole(arg: Any) -> Any:
    return List(*map(TaskRef, keys_of(arg))) if isinstance(arg, (Chunks, da.Array)) else arg


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


def lengths_of(chunks: Chunks) -> Chunks:
    """One value: the list of the chunks' lengths, worked out in the graph."""
    return value(list, per_chunk(len, chunks, label="len", lengths=None), label="lengths")


def even(chunks: Chunks, source: Chunks | None = None) -> Chunks:
    """The same chunks, each with the dtypes that pandas gives the whole.

    For operations that make floats of whole numbers only where values go missing, or whose dtypes users' functions
    decide: one chunk may have floats then, another none, and a third nothing but holes. With `source`, nothing is done
    where its columns are all of dtypes that holes do not change. It waits for all chunks, so it is not for operations
    whose dtypes follow from the input's.
    """
    if chunks.count == 1:
        return chunks
    if source is not None and source.node is not None:
        known = source.empty.dtypes if isinstance(source.empty, pd.DataFrame) else [source.empty.dtype]
        if not any(isinstance(d, np.dtype) and d.kind in "biuO" for d in known):
            return chunks
    dtypes = value(_common_dtypes, per_chunk(_dtypes, chunks, label="dtypes", lengths=None), label="dtypes")
    return per_chunk(_in_common, chunks, dtypes)


def _dtypes(chunk: Any) -> tuple[bool, list[tuple[Any, bool]], Any]:
    """Whether there are rows, of each column the dtype and whether it is all holes, and the columns or None."""
    frame = isinstance(chunk, pd.DataFrame)
    columns = [chunk.iloc[:, i] for i in range(chunk.shape[1])] if frame else [chunk]
    return len(chunk) > 0, [(c.dtype, _all_holes(c)) for c in columns], chunk.columns if frame else None


def _all_holes(column: Any) -> bool:
    """Whether a column has only values that take the dtype of what is beside them, when pandas sees them together."""
    if column.dtype == object:
        return all(v is None or (isinstance(v, float) and v != v) for v in column)
    if not isinstance(column.dtype, np.dtype) or column.dtype.kind != "f":
        return False
    return bool(column[:1].isna().all() and column.isna().all())  # most columns are told by their first value


def dtypes_of(chunk: Any) -> list[Any]:
    """The dtype of each column, or of the values."""
    return list(chunk.dtypes) if isinstance(chunk, pd.DataFrame) else [chunk.dtype]


def _common_dtypes(found: list[Any]) -> tuple[list[Any], Any]:
    """The dtypes that chunks with rows have in common, and their columns."""
    full = [each for each in found if each[0]] or found[:1]
    columns = full[0][2]
    if any(len(dtypes) != len(full[0][1]) for _, dtypes, _ in full):
        return [], columns  # columns differ too: nothing that dtypes can mend
    by_column = list(zip(*(dtypes for _, dtypes, _ in full), strict=True))
    return list(map(_common_dtype, by_column)), columns


def _common_dtype(column: Sequence[tuple[Any, bool]]) -> Any:
    """The dtype of all chunks of a column; what is all holes only asks that the others' has room for them."""
    dtypes = [dtype for dtype, _ in column]
    if len(set(map(str, dtypes))) == 1:
        return dtypes[0]
    told = [dtype for dtype, holes in column if not holes] or [
        d for d in dtypes if not pd.api.types.is_object_dtype(d)
    ]
    made = pd.concat([pd.Series([], dtype=object).astype(d) for d in told])
    return (made if len(told) == len(dtypes) else made.reindex([0])).dtype


def _in_common(chunk: Any, common: tuple[list[Any], Any]) -> Any:
    dtypes, columns = common
    if not dtypes:
        return chunk
    if columns is None:
        return chunk if chunk.dtype == dtypes[0] else chunk.astype(dtypes[0])
    if not len(chunk) and len(dtypes) != chunk.shape[1]:
        chunk = pd.DataFrame(index=chunk.index, columns=columns, dtype=object)
    return with_dtypes(chunk, dtypes)


def with_dtypes(frame: pd.DataFrame, dtypes: Sequence[Any]) -> pd.DataFrame:
    """A frame whose columns have these dtypes, one after another: labels may repeat."""
    other = {i: d for i, d in enumerate(dtypes) if frame.dtypes.iloc[i] != d}
    if not other:
        return frame
    return frame.set_axis(range(len(dtypes)), axis=1).astype(other).set_axis(frame.columns, axis=1)


def partly(
    chunks: Chunks, make: Callable[..., Any], load: Callable[[int], Any], have: Container[int], label: str
) -> Chunks:
    """`make(i, chunk)` of each chunk; `load(i)` in the place of those in `have`, whose chunks are not made at all."""
    made = ((load, i) if i in have else (make, i, TaskRef(key)) for i, key in enumerate(chunks.keys))
    return calls(made, (chunks,), chunks.lengths, label)


class _Named(dict[Key, GraphNode]):
    """Tasks that Dask knows by a name: to have one it would hash all data in them."""

    name = ""

    def __dask_tokenize__(self) -> str:
        return self.name


def to_frame(chunks: Chunks, empty: Any) -> Any:
    """The chunks as a `dask.dataframe` collection; each time they are computed they are another's own.

    `from_delayed` names no task where it is to check nothing, and then an array made of the frame misses its inputs.
    """
    import dask.dataframe as dd  # takes a second

    chunks = per_chunk(owned, chunks)
    tasks = _Named(merged([chunks]))
    tasks.name = chunks.name
    return dd.from_graph(tasks, empty, (None,) * (chunks.count + 1), chunks.keys, "marsdask")


def from_delayed(parts: Sequence[Any]) -> Chunks:
    """Chunks over `dask.delayed` objects, each a pandas object."""
    made = aliases([p.key for p in parts], (), (NAN,) * len(parts))
    made.tasks.update(HighLevelGraph.merge(*(p.__dask_graph__() for p in parts)))
    return made


def array_constant(array: np.ndarray[Any, Any], chunks: tuple[tuple[int, ...], ...], name: str) -> da.Array:
    """A Dask array over slices of data in memory: no copy, no hash.

    `da.from_array` copies an ndarray of several chunks once: 4 times the CPU of an elementwise chain over it.
    """
    bounds = [np.cumsum([0, *c]) for c in chunks]
    tasks: dict[Key, GraphNode] = {}
    for index in np.ndindex(*map(len, chunks)):
        where: tuple[Any, ...] = tuple(slice(b[i], b[i + 1]) for b, i in zip(bounds, index, strict=True))
        tasks[name, *index] = DataNode((name, *index), array[(*where, ...)])  # of no axes, too, an array
    return da.Array(tasks, name, chunks, dtype=array.dtype)


def rechunked(array: da.Array, chunks: Any) -> da.Array:
    """The array in other chunks. Without a cluster by tasks, before Dask asks for one: it imports `distributed`, 0.35 s of CPU."""
    return array.rechunk(chunks, method=None if "distributed" in sys.modules else "tasks")


def from_array(array: da.Array) -> Chunks:
    """The chunks of an array that is cut along its first axis only, as chunks."""
    if any(n != 1 for n in array.numblocks[1:]):
        array = rechunked(array, dict.fromkeys(range(1, array.ndim), -1))
    return aliases(keys_of(array), (array,), tuple(array.chunks[0]) if array.ndim else None, "array")


def to_array(
    chunks: Chunks, shape_rest: tuple[int, ...] = (), dtype: Any = None, *, scalar: bool = False
) -> da.Array:
    """A Dask array over chunks that are ndarrays: cut along the first axis, whole along the rest."""
    name = name_for()
    tasks: dict[Key, Any] = {}
    for i, key in enumerate(chunks.keys):
        new: Key = (name,) if scalar else (name, i, *(0 for _ in shape_rest))
        tasks[new] = Alias(new, target=key)
    lengths = tuple(n if math.isnan(n) else int(n) for n in chunks.lengths or (NAN,) * chunks.count)
    axes = () if scalar else (lengths, *((n,) for n in shape_rest))
    below = f"{name}-inputs"
    layers = {name: tasks, below: merged([chunks], optimize=False)}
    return da.Array(HighLevelGraph(layers, {name: {below}, below: set()}), name, axes, dtype=dtype)


def chunk_sizes(grid: Sequence[int], shapes: Mapping[tuple[int, ...], Sequence[int]]) -> Any:
    """The chunks of an array whose blocks at these indices have these shapes: those on the edges say all.

    >>> chunk_sizes((2, 1), {(0, 0): (3, 5), (1, 0): (4, 5)})
    ((3, 4), (5,))
    """
    zeros = (0,) * len(grid)
    return tuple(
        tuple(shapes[(*zeros[:axis], i, *zeros[axis + 1 :])][axis] for i in range(count))
        for axis, count in enumerate(grid)
    )


@dataclass(eq=False, slots=True)
class Block:
    """In the arguments of a task of `blocks`: the chunk of an array at an index."""

    array: da.Array
    index: tuple[int, ...]

    @property
    def key(self) -> Key:
        return (self.array.name, *self.index)


def blocks(
    make: Callable[[tuple[int, ...]], Any],
    chunks: tuple[tuple[int, ...], ...],
    dtype: Any,
    inputs: Sequence[da.Array],
    label: str | None = None,
    *,
    alone: bool = False,
) -> da.Array:
    """A Dask array with a task of its own for each chunk; `alone`: which is not joined with what makes its inputs.

    `make(index)` gives `(func, *args)`, where an argument may be a `Block` or a list of them, or a `Block` that is taken
    over as it is. `inputs` are the arrays whose blocks are used.
    """
    name = name_for(label)
    kind = Placed if alone else Task
    tasks: dict[Key, Any] = {}
    for index in np.ndindex(*map(len, chunks)):
        key = (name, *index)
        made = make(index)
        if isinstance(made, Block):
            tasks[key] = Alias(key, target=made.key)
        else:
            tasks[key] = kind(key, made[0], *map(_block_ref, made[1:]))
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[*inputs])
    return da.Array(graph, name, chunks, dtype=dtype)


def is_generated(array: da.Array) -> bool:
    """Whether chunks are made each by itself out of nothing: Dask then makes one again in every task that takes it."""
    return all(isinstance(layer, Blockwise) for layer in array.dask.layers.values())


def _block_ref(arg: Any) -> Any:
    if isinstance(arg, Block):
        return TaskRef(arg.key)
    if type(arg) is list and any(isinstance(a, Block) for a in arg):
        return List(*map(_block_ref, arg))
    return arg
