"""Dask arrays with tasks of our own, and arrays as chunks and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph
from dask.task_spec import Alias, DataNode, GraphNode, List, Task, TaskRef
from dask.typing import Key

from marsdask.plan.graph.chunks import NAN, Chunks, aliases, flat_keys, merged
from marsdask.plan.graph.names import name_for


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


def from_array(array: da.Array) -> Chunks:
    """The chunks of an array that is cut along its first axis only, as chunks."""
    if any(n != 1 for n in array.numblocks[1:]):
        array = array.rechunk(dict.fromkeys(range(1, array.ndim), -1))
    name = name_for("array")
    tasks = aliases(name, flat_keys(array))
    lengths = tuple(array.chunks[0]) if array.ndim else None
    return Chunks(name, tasks, len(tasks), (array,), lengths)


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
