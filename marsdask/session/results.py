"""Executed data: what a session holds, and how it becomes NumPy and pandas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from marsdask.engine import base as engines
from marsdask.engine.base import Engine
from marsdask.errors import WrongSession
from marsdask.plan import graph
from marsdask.plan.meta import FrameMeta, TensorMeta, TupleMeta, meta
from marsdask.plan.node import Node
from marsdask.plan.registry import lowered


class Result:
    """Executed data: a collection over computed chunks, and the metadata a run has made exact.

    `node` is what was run: it is run again where a cluster loses the data.
    """

    __slots__ = ("__weakref__", "collection", "meta", "node", "session")

    def __init__(self, session: Any, collection: Any, known: Any, node: Node):
        self.session, self.collection, self.meta, self.node = session, collection, known, node

    def __reduce__(self) -> Any:
        raise WrongSession(
            "executed data cannot be pickled. Hint: fetch() it, or pickle the unexecuted expression."
        )


def tasks_of(collection: Any) -> list[Any]:
    keys = graph.keys_of(collection)
    tasks = collection.tasks if isinstance(collection, graph.Chunks) else collection.dask
    return [tasks[k] for k in keys]


def finished(collection: Any, parts: list[Any], known: Any) -> Any:
    """What a user gets of fetched chunks."""
    if not isinstance(collection, graph.Chunks):
        whole = engines.assembled(collection, parts)
        if not known.shape:
            return whole[()] if isinstance(whole, np.ndarray) else whole
        return np.asarray(whole, order=known.order if known.order == "F" else None)
    return graph.concat(parts) if isinstance(known, FrameMeta) else parts[0]


def exact(known: Any, collection: Any, engine: Engine | None = None) -> Any:
    """Metadata with the sizes that a run has found; with its engine also the dtypes, where only data could tell."""
    if isinstance(known, TensorMeta):
        return TensorMeta(tuple(collection.shape), known.dtype, known.order)
    if isinstance(known, FrameMeta):
        length = sum(collection.lengths) if collection.known else known.length
        empty = known.empty if engine is None else _found_dtypes(known, collection, engine)
        return FrameMeta(empty, length, known.rows, known.ranged, known.labels)
    return known


def _found_dtypes(known: FrameMeta, chunks: graph.Chunks, engine: Engine) -> Any:
    """`known.empty` with the dtypes of the first chunk that has rows."""
    lengths = chunks.lengths or (math.nan,) * chunks.count
    first = next((i for i, n in enumerate(lengths) if n > 0), None)
    if first is None:
        return known.empty
    found = engines.described(engine, graph.data_of(tasks_of(chunks)[first]))
    if known.kind == "DataFrame":
        if not isinstance(found, list) or len(found) != len(known.empty.columns):
            return known.empty
        other = {i: d for i, d in enumerate(found) if known.empty.dtypes.iloc[i] != d}
        if not other:
            return known.empty
        columns = known.empty.columns
        return known.empty.set_axis(range(len(columns)), axis=1).astype(other).set_axis(columns, axis=1)
    multiple = isinstance(known.empty, pd.MultiIndex) or isinstance(found, list)
    return known.empty if multiple or known.empty.dtype == found else known.empty.astype(found)


def with_siblings(node: Node) -> list[Node]:
    """The node, and the other results of the same operation where it has several."""
    if node.op != "item":
        return [node]
    parent, mine = node.args
    known = meta(parent)
    count = len(known.items) if isinstance(known, TupleMeta) else 1
    return [node if i == mine else Node("item", (parent, i)) for i in range(count)]


@lowered("result", sizes="any", status="delegated")
def _result(data: Any) -> Any:
    """Executed data."""
    return data.value.collection


@lowered("item", sizes="any", status="delegated", meta=lambda several, i: several.items[i])
def _item(several: Any, i: int) -> Any:
    """One of several results."""
    return several[i]
