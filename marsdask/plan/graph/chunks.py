"""`Chunks`, the collection of pandas rows; its forms over tasks, over data and over nothing; several in one graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
from dask.base import DaskMethodsMixin
from dask.blockwise import Blockwise
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.task_spec import Alias, DataNode, GraphNode, TaskRef
from dask.threaded import get as threaded_get
from dask.typing import Key

from marsdask.errors import ShapeError
from marsdask.plan.graph.owned import independent
from marsdask.plan.meta import meta
from marsdask.plan.node import Node


@dataclass(eq=False, repr=False, slots=True)
class Chunks(DaskMethodsMixin):
    """A row of chunks, in Dask's own tasks. Immutable.

    `lengths`: rows per chunk, `nan` where unknown; None where chunks are not pandas objects.
    `node`: what it was lowered from, for metadata; None inside a lowering.
    """

    name: str
    tasks: dict[Key, GraphNode]
    count: int
    inputs: tuple[Any, ...] = ()
    lengths: tuple[float, ...] | None = None
    node: Node | None = None
    __dask_scheduler__ = staticmethod(threaded_get)

    @property
    def keys(self) -> list[Key]:
        return [(self.name, i) for i in range(self.count)]

    @property
    def known(self) -> bool:
        """Whether the length of every chunk is known."""
        return self.lengths is not None and not any(math.isnan(n) for n in self.lengths)

    @property
    def meta(self) -> Any:
        """The metadata."""
        if self.node is None:
            raise ShapeError(f"{self.name} has no metadata: it was made inside a lowering")
        return meta(self.node)

    @property
    def empty(self) -> Any:
        """The empty pandas object that says columns and dtypes."""
        return self.meta.empty

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
        return received, ()

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
    return held if isinstance(held, (GraphNode, TaskRef)) else DataNode(key, held)  # type: ignore[return-value]


def same(key: Key, held: TaskRef) -> GraphNode:
    """A task that gives back what is held elsewhere on the cluster."""
    return Alias(key, target=held.key)


def sizes_of(collection: Chunks | da.Array) -> Any:
    """Lengths of chunks, or the chunks of an array."""
    return collection.lengths if isinstance(collection, Chunks) else collection.chunks


def made_by(collection: Chunks | da.Array, node: Node | None) -> Any:
    """The same collection, whose metadata are those of a node; an array has its own."""
    return collection.with_node(node) if isinstance(collection, Chunks) else collection


def _over(collection: Chunks | da.Array, tasks: dict[Key, Any], sizes: Any, name: str = "") -> Any:
    """The same collection over other tasks."""
    if isinstance(collection, Chunks):
        return Chunks(name or collection.name, tasks, collection.count, (), sizes, collection.node)
    return da.Array(tasks, name or collection.name, sizes, dtype=collection.dtype, meta=collection._meta)


def bare(collection: Chunks | da.Array) -> Any:
    """The same collection without its tasks: name, chunks and dtype."""
    return made_by(_over(collection, {}, sizes_of(collection)), None)


def elsewhere(bare: Chunks | da.Array) -> Any:
    """A bare collection over what a cluster has computed for somebody else: references by key."""
    return holding(bare, {k: TaskRef(k) for k in keys_of(bare)}, sizes_of(bare))


def data_of(held: Any) -> Any:
    """What a graph entry made by `as_task` holds: the data, or the future on the cluster."""
    return held.value if isinstance(held, DataNode) else held


def holding(collection: Chunks | da.Array, held: dict[Key, Any], sizes: Any) -> Any:
    """The same collection over computed chunks, by the name that they have on the cluster. `sizes`: lengths, or chunks."""
    name = collection.name
    tasks: dict[Key, Any] = {}
    for key in keys_of(collection):
        index = key[1:] if isinstance(key, tuple) else ()
        if isinstance(held[key], TaskRef):
            name = held[key].key[0]
        tasks[name, *index] = as_task((name, *index), held[key])
    return _over(collection, tasks, sizes, name)


def keys_of(collection: Chunks | da.Array) -> list[Key]:
    """The keys of a collection's chunks, in order: of an array the last axis fastest."""
    if isinstance(collection, Chunks):
        return collection.keys
    return [(collection.name, *i) for i in np.ndindex(*collection.numblocks)]


def concat(parts: Sequence[Any]) -> Any:
    """One pandas object from chunks in order; empty chunks never change a dtype."""
    if len(parts) == 1:
        return parts[0]
    if not isinstance(parts[0], (pd.DataFrame, pd.Series, pd.Index, pd.Categorical)):
        return list(parts)
    full = [p for p in parts if len(p)] or parts[:1]
    if len(full) == 1:
        return full[0]
    if isinstance(full[0], pd.Categorical):  # of one dtype
        return pd.Categorical.from_codes(np.concatenate([p.codes for p in full]), dtype=full[0].dtype)
    if isinstance(full[0], pd.Index):
        return _labels(full)
    whole = pd.concat(full)
    if all(_is_of_objects(p.index) for p in full) and not _is_of_objects(whole.index):
        whole.index = _labels([p.index for p in full])
    return whole


def _labels(indexes: Sequence[pd.Index]) -> pd.Index:
    """Indexes one after another; pandas looks for another dtype of joined objects, which a whole column's need not be."""
    whole = indexes[0].append(list(indexes[1:]))
    if all(map(_is_of_objects, indexes)) and not _is_of_objects(whole):
        return pd.Index(np.concatenate([i.to_numpy() for i in indexes]), dtype=object, name=whole.name)
    return whole


def _is_of_objects(index: pd.Index) -> bool:
    return index.dtype == object and not isinstance(index, pd.MultiIndex)


def received(parts: Sequence[Any]) -> Any:
    """As `concat`, of data that others may hold, for somebody who may write into what they get."""
    whole = concat(parts)
    if any(whole is part for part in parts):
        return independent(whole)
    # Joined chunks share the labels of their columns.
    return whole.copy(deep=False) if isinstance(whole, (pd.DataFrame, pd.Series)) else whole


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
        layers = _without_work(HighLevelGraph.merge(*(a.dask for a in arrays.values())), kept)
        if optimize and not _narrow(arrays.values(), layers):
            keys = [k for a in arrays.values() for k in keys_of(a)]
            layers = da.Array.__dask_optimize__(layers, keys)
        graph = {**dict(layers), **graph}
    return graph


def _narrow(arrays: Iterable[da.Array], layers: HighLevelGraph) -> bool:
    """Whether there is nothing for Dask's optimizer, which takes half a millisecond: numbers, made of numbers and of frames."""
    wide = (each for each in layers.layers.values() if isinstance(each, Blockwise) and len(each) > 1)
    return not any(each.ndim for each in arrays) and next(wide, None) is None


def _without_work(layers: HighLevelGraph, kept: dict[str, dict[Key, Any]]) -> HighLevelGraph:
    """The same layers with what is kept in the place of its tasks, also among those of frames below an array."""
    changed: dict[str, Any] = {name: kept[name] for name in kept.keys() & layers.layers.keys()}
    for name, layer in layers.layers.items():
        if type(layer) is not MaterializedLayer:  # of arrays, which would spell their tasks out to be asked
            continue
        known = {k: task for tasks in kept.values() for k, task in tasks.items() if k in layer}
        if known and name not in changed:
            changed[name] = {**layer, **known}
    if not changed:
        return layers
    return HighLevelGraph(
        {**layers.layers, **changed},
        {**layers.dependencies, **{name: set() for name in kept.keys() & changed.keys()}},
    )


def settled(collection: Chunks | da.Array, kept: dict[str, dict[Key, Any]]) -> Any:
    """The same collection with what questions kept in the place of its tasks, so that it can leave the session."""
    return _over(collection, merged([collection], kept=kept), sizes_of(collection))
