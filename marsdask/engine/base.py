"""Where collections run: Dask's threads in this process, or a distributed cluster, behind one small protocol."""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import dask
import dask.array as da
import numpy as np
import pandas as pd
from dask.callbacks import Callback
from dask.threaded import get as threaded_get
from dask.typing import Key

from marsdask.engine import runs
from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask, Kept, Question


class Engine(Protocol):
    """What a session needs of a place where tasks run."""

    shared_memory: bool
    web: str | None
    """The web address that a cluster was joined by."""
    dashboard: bool

    @property
    def address(self) -> str:
        """Where it is: the scheduler's address, or one that names this process."""
        ...

    @property
    def threads(self) -> int:
        """How many tasks run at a time."""
        ...

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        """Run the graph; what is held of each key: the data, or a future."""
        ...

    def values(self, held: Sequence[Any]) -> list[Any]:
        """The data of what is held."""
        ...

    def lost(self, held: Sequence[Any]) -> bool:
        """Whether any of it is gone for good, as far as is known here."""
        ...

    def back(self) -> None:
        """Return when what runs tasks is there again."""
        ...

    def close(self) -> None: ...


class Threads:
    """Dask's threaded scheduler in this process."""

    shared_memory = True
    web: str | None = None
    dashboard = False

    @property
    def address(self) -> str:
        return f"inproc://127.0.0.1/{os.getpid()}"

    @property
    def threads(self) -> int:
        return int(dask.config.get("num_workers", None) or len(os.sched_getaffinity(0)))

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        run = runs.current()
        if run is None:
            return list(threaded_get(tasks, keys))
        count = Count(run)
        with run.round(count.fraction):
            return list(threaded_get(tasks, keys, callbacks=(*Callback.active, count.callbacks)))

    def values(self, held: Sequence[Any]) -> list[Any]:
        return list(held)

    def lost(self, held: Sequence[Any]) -> bool:
        return False

    def back(self) -> None:
        return None

    def close(self) -> None:
        return None


class Count:
    """Counts the tasks of one round on threads; after the run is cancelled it lets no other start."""

    def __init__(self, run: runs.Run):
        self.run, self.done, self.total = run, 0, 1
        self.callbacks = (None, self._start_state, self._pretask, self._posttask, None)  # as Dask spells them

    def _start_state(self, tasks: Any, state: Any) -> None:
        self.total = max(len(state["ready"]) + len(state["waiting"]), 1)

    def _pretask(self, key: Any, tasks: Any, state: Any) -> None:
        self.run.check()

    def _posttask(self, key: Any, result: Any, tasks: Any, state: Any, worker: Any) -> None:
        self.done += 1

    def fraction(self) -> float:
        return min(self.done / self.total, 1.0)


def run(engine: Engine, collections: Sequence[Any], kept: Kept, sized: Sequence[Any] = ()) -> dict[Key, Any]:
    """Compute collections in one run; what is held, by key. Those in `sized` that need it are measured on the way."""
    tasks = graph.merged(collections, kept=kept)
    keys = [k for c in collections for k in graph.keys_of(c)]
    tasks = graph.wanted_only(tasks, keys)
    if options.optimize.fuse:
        tasks = graph.lined_up(tasks, keys)
    if options.optimize.batch:
        tasks = graph.batched(tasks, keys)
    if engine.shared_memory:  # nobody sees names there
        return dict(zip(keys, engine.submit(tasks, keys), strict=True))
    tasks, shown = graph.named(tasks, keys, kept.labels)
    unsure = _unsure_keys(sized)
    asked = _measuring(dict(zip(keys, shown, strict=True)), unsure)
    held = engine.submit({**tasks, **asked}, [*shown, *asked])
    return Held(zip(keys, held[: len(keys)], strict=True), unsure, held[len(keys) :])


class Held(dict[Key, Any]):
    """What a cluster holds, by key; with the shapes of some."""

    def __init__(self, held: Iterable[tuple[Key, Any]], measured: Sequence[Key], shapes: Sequence[Any]):
        super().__init__(held)
        self.shapes = dict(zip(measured, shapes, strict=True))


def _measuring(shown: Mapping[Key, Key], keys: Sequence[Key]) -> dict[Key, Any]:
    """Tasks for the shapes of chunks, each right after its chunk: later it may be on disk, and would be read for it."""
    name = f"shape-{uuid.uuid4().hex}"
    return {(name, key): graph.soon((name, key), _shape, shown[key]) for key in keys}


def persist(engine: Engine, collections: Sequence[Any], kept: Kept) -> list[Any]:
    """The same collections over computed chunks, with known sizes."""
    runs.next_round(1.0)
    return _held(engine, collections, run(engine, collections, kept, collections))


def _held(engine: Engine, collections: Sequence[Any], held: dict[Key, Any]) -> list[Any]:
    sizes = _sizes(engine, collections, held)
    return [graph.holding(c, held, s) for c, s in zip(collections, sizes, strict=True)]


def _sizes(engine: Engine, collections: Sequence[Any], held: dict[Key, Any]) -> list[Any]:
    """Lengths of Chunks and chunks of arrays, asked of the engine where they are not known."""
    keys = _unsure_keys(collections)
    if isinstance(held, Held):
        shapes = dict(zip(keys, engine.values([held.shapes[k] for k in keys]), strict=True)) if keys else {}
    else:
        shapes = {k: _shape(held[k]) for k in keys}
    return [_sizes_of(c, shapes) for c in collections]


def _unsure_keys(collections: Sequence[Any]) -> list[Key]:
    """Keys of the chunks whose sizes are not known before they are made."""
    return list(dict.fromkeys(k for c in collections if not _sure(c) for k in graph.keys_of(c)))


def described(engine: Engine, held: Any) -> Any:
    """The dtype of a chunk that the engine holds; a list by column for a frame's."""
    if engine.shared_memory:
        return _dtypes(held)
    key = f"dtypes-{uuid.uuid4().hex}"
    (found,) = engine.values(engine.submit({key: graph.call(key, _dtypes, held)}, [key]))
    return found


def _dtypes(part: Any) -> Any:
    return list(part.dtypes) if isinstance(part, pd.DataFrame) else getattr(part, "dtype", None)


def _sure(collection: Any) -> bool:
    if isinstance(collection, Chunks):
        return collection.lengths is None or collection.known
    return not any(map(math.isnan, collection.shape))


def _shape(part: Any) -> tuple[int, ...]:
    return tuple(np.shape(part))


def _sizes_of(collection: Any, shapes: dict[Key, tuple[int, ...]]) -> Any:
    if _sure(collection):
        return graph.sizes_of(collection)
    if isinstance(collection, Chunks):
        return tuple(shapes[k][0] for k in collection.keys)
    by_index = {i: shapes[collection.name, *i] for i in np.ndindex(*collection.numblocks)}
    return graph.chunk_sizes(collection.numblocks, by_index)


def answer(engine: Engine, questions: Sequence[Question], kept: Kept) -> list[Any]:
    """Answers to open questions, in one run; what is kept goes into `kept`."""
    collections = [c for q in questions for c in q.collections]
    runs.next_round(0.5)
    held = run(
        engine, collections, kept, [c for q in questions if not isinstance(q, Ask) for c in q.collections]
    )
    answers: list[Any] = []
    for question in questions:
        if isinstance(question, Ask):
            each = [
                assembled(c, engine.values([held[k] for k in graph.keys_of(c)])) for c in question.collections
            ]
        else:
            each = _held(engine, question.collections, held)
            for c in question.collections:
                kept[c.name] = {k: graph.as_task(k, held[k]) for k in graph.keys_of(c)}
        answers.append(each[0] if len(each) == 1 else tuple(each))
    return answers


def assembled(collection: Chunks | da.Array, values: list[Any]) -> Any:
    """The value of a collection from those of its chunks: a list of chunks, or an ndarray."""
    if isinstance(collection, Chunks):
        return values
    if not collection.ndim:  # Dask takes a zero for nothing
        return values[0]
    finish, extra = collection.__dask_postcompute__()
    return finish(nested(values, collection.numblocks), *extra)


def nested(flat: list[Any], numblocks: tuple[int, ...]) -> Any:
    """A flat list as nested lists, one level an axis, as Dask hands out an array's chunks."""
    if not numblocks:
        return flat[0]
    parts = flat
    for count in reversed(numblocks[1:]):
        parts = [parts[i : i + count] for i in range(0, len(parts), count)]
    return parts
