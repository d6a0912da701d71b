"""Executed data: what a session holds, how it becomes NumPy and pandas, and how what a cluster has lost is run again.

Nodes keep their inputs, so every result has a lineage. Results are made good in place: whoever holds one, a handle or work
that will read it, finds the data there again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from dask.sizeof import sizeof

from marsdask.engine import base as engines
from marsdask.engine.base import Engine
from marsdask.errors import ArgumentTypeError, DataLost, WrongSession
from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.holes import is_open
from marsdask.plan.meta import FrameMeta, TensorMeta, TupleMeta, frame_meta, meta, of_dtypes, time_as_pandas
from marsdask.plan.node import Node, inputs, token, walk
from marsdask.plan.registry import lowered

if TYPE_CHECKING:
    from marsdask.session.base import Session

T = TypeVar("T")


class Result:
    """Executed data: a collection over computed chunks, and the metadata a run has made exact.

    `node` is what was run: it is run again where a cluster loses the data.
    """

    __slots__ = ("__weakref__", "collection", "meta", "node", "session")

    def __init__(self, session: Session, collection: Any, known: Any, node: Node):
        self.session, self.collection, self.meta, self.node = session, collection, known, node

    def __reduce__(self) -> Any:
        raise WrongSession(
            "executed data cannot be pickled. Hint: fetch() it, or pickle the unexecuted expression."
        )


def tasks_of(collection: Any) -> list[Any]:
    tasks = collection.tasks if isinstance(collection, graph.Chunks) else collection.dask
    return [tasks[k] for k in graph.keys_of(collection)]


def data_of(collection: Any) -> list[Any]:
    """What is held of the chunks of executed data: the data, or futures."""
    return [graph.data_of(task) for task in tasks_of(collection)]


def finished(collection: Any, parts: list[Any], known: Any, *, shared: bool = True) -> Any:
    """What a user gets of fetched chunks; `shared`: they are held by others, too."""
    if not isinstance(collection, graph.Chunks):
        if known.order == "F" and known.shape:
            return _column_by_column(collection, parts)
        whole = engines.assembled(collection, parts)
        if not known.shape:
            value = whole[()] if isinstance(whole, np.ndarray) else whole
            return value if known.like is None else time_as_pandas(value)
        return np.asarray(whole)
    return graph.received(parts) if shared else graph.concat(parts)


def _column_by_column(collection: Any, parts: list[Any]) -> Any:
    """Chunks as one array in Fortran order: NumPy joins what lies so as it lies, Dask's join has to be copied again."""
    below_another = 1 < len(parts) == collection.numblocks[0]
    return np.asfortranarray(np.concatenate(parts) if below_another else engines.assembled(collection, parts))


def exact(known: Any, collection: Any, dtypes: Any = None) -> Any:
    """Metadata with the sizes and dtypes that a run has found: see `marsdask.engine.base.Done`."""
    if isinstance(known, TensorMeta):
        return TensorMeta(tuple(collection.shape), known.dtype, known.order, known.like)
    if isinstance(known, FrameMeta):
        length = sum(collection.lengths) if collection.known else known.length
        made = None if dtypes is None else _found_dtypes(known, collection, dtypes)
        found = known.made if made is None else made
        return frame_meta(found, length, known.rows, ranged=known.ranged, labels=known.labels)
    return known


def _found_dtypes(known: FrameMeta, chunks: graph.Chunks, found: Any) -> Any:
    """`known.empty` with the dtypes of a chunk; None where it has them, or where the chunk has no rows and could not tell."""
    if not any(chunks.lengths or ()) and not is_open(known):
        return None
    if known.kind == "DataFrame":
        fits = isinstance(found, list) and len(found) == len(known.names)
        same = not fits or found == list(known.dtypes)
        return None if same else of_dtypes(known.empty, found)
    multiple = isinstance(known.shown, pd.MultiIndex) or isinstance(found, list)
    return None if multiple or known.shown.dtype == found else of_dtypes(known.empty, found)


def with_siblings(node: Node) -> list[Node]:
    """The node, and the other results of the same operation where it has several."""
    if node.op != "item":
        return [node]
    parent, mine = node.args
    known = meta(parent)
    count = len(known.items) if isinstance(known, TupleMeta) else 1
    return [node if i == mine else Node("item", (parent, i)) for i in range(count)]


@lowered("result", sizes="any", status="delegated", traits=["placed"])
def _result(data: Any) -> Any:
    """Executed data."""
    return data.value.collection


@lowered("item", sizes="any", status="delegated", meta=lambda several, i: several.items[i])
def _item(several: Any, i: int) -> Any:
    """One of several results."""
    return several[i]


def retried(engine: Engine, work: Callable[[], T]) -> T:
    """What `work()` gives. It is called again, so often as the options allow, where the cluster has lost what it needs."""
    left = int(options.cluster.recompute_limit)
    while True:
        try:
            return work()
        except DataLost:
            if not left:
                raise
            left -= 1
            engine.back()


def lost(engine: Engine, result: Result) -> bool:
    """Whether some of the data are gone from the cluster for good, as far as this process has heard."""
    return engine.lost(data_of(result.collection))


def restore(session: Session, nodes: Sequence[Node], known: Iterable[Result] = ()) -> None:
    """Make good the lost ones among `known` and among the results that running `nodes` would read, in one run."""
    if session.engine.shared_memory:
        return
    with session.restoring:
        gone = [r for r in known if r.session is session and lost(session.engine, r)]
        gone += _lost_below(session, [*nodes, *(r.node for r in gone)])
        if not gone:
            return
        wanted = {token(n): n for r in gone for n in with_siblings(r.node)}
        alive = {name: r for name in wanted if (r := session.results.get(name)) is not None}
        fresh = dict(zip(wanted, session.run(list(wanted.values())), strict=True))
        for result in gone:
            new = fresh[token(result.node)]
            result.collection, result.meta = new.collection, new.meta
        session.results.update(alive)


def _lost_below(session: Session, roots: Iterable[Node]) -> list[Result]:
    """Lost results that running `roots` would read, those that making them again would read included."""
    found: list[Result] = []

    def below(node: Node) -> Sequence[Node]:
        result = session.results.get(token(node))
        if result is not None:
            if not lost(session.engine, result):
                return ()
            found.append(result)
        return inputs(node)

    walk(roots, below)
    return found


Chunk = Mapping[str, Any]
FIELDS: dict[str, Callable[[Chunk], Any]] = {
    "data_key": itemgetter("key"),
    "object_id": itemgetter("key"),
    "object_refs": lambda chunk: list(chunk["workers"]),
    "level": itemgetter("level"),
    "memory_size": itemgetter("bytes"),
    "store_size": itemgetter("bytes"),
    "bands": lambda chunk: [(worker, "numa-0") for worker in chunk["workers"]],
}
"""What `fetch_infos` tells of a chunk: its key (Dask knows a chunk by nothing else), the workers that hold it, "memory" or
"disk", its bytes in memory (also as `store_size`: nobody counts what a serialized chunk takes)."""


def of_chunks(
    client: Any, address: str, result: Result, fields: Sequence[str] | None
) -> dict[str, list[Any]]:
    """The `fields` of each chunk of executed data, as one list for each field."""
    wanted = list(FIELDS) if fields is None else [fields] if isinstance(fields, str) else list(fields)
    for name in wanted:
        if name not in FIELDS:
            raise ArgumentTypeError.unknown_keyword("fetch_infos", str(name), FIELDS)
    held = data_of(result.collection)
    if client is not None:
        chunks = _on_workers(client, held)
    else:
        chunks = [
            {"key": str(k), "workers": [address], "level": "memory", "bytes": int(sizeof(data))}
            for k, data in zip(graph.keys_of(result.collection), held, strict=True)
        ]
    return {name: [FIELDS[name](chunk) for chunk in chunks] for name in wanted}


def _on_workers(client: Any, held: Sequence[Any]) -> list[Chunk]:
    keys = [future.key for future in held]
    where = client.who_has(list(held))

    # Of its own so that it travels by value, and needs nothing there.
    def stored(keys: Sequence[Any], dask_worker: Any) -> dict[Any, tuple[str, int]]:
        slow = getattr(dask_worker.data, "slow", ())
        tasks = dask_worker.state.tasks
        return {k: ("disk" if k in slow else "memory", tasks[k].get_nbytes()) for k in keys if k in tasks}

    told = {key: facts for found in client.run(stored, keys).values() for key, facts in found.items()}
    return [
        {"key": str(k), "workers": list(where.get(k, ())), "level": told[k][0], "bytes": told[k][1]}
        for k in keys
    ]
