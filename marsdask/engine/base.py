"""Where collections run: Dask's threads in this process, or a distributed cluster, behind one small protocol."""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import dask
import dask.array as da
import numpy as np
import pandas as pd
import psutil
from dask.callbacks import Callback
from dask.threaded import get as threaded_get
from dask.typing import Key

from marsdask.engine import runs
from marsdask.errors import Forked
from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask, Kept, Question, Spare
from marsdask.plan.meta import FrameMeta, meta

FORKED_FROM: list[int] = []
"""The process that has a session on a cluster, in one that `os.fork()` has made of it."""


def check_process() -> None:
    """Raises Forked where work on clusters would wait for threads that `os.fork()` has left behind."""
    if FORKED_FROM:
        raise Forked.of(FORKED_FROM[0])


SHARE = 16
"""A thread has room for so many of the largest chunks."""


class Room(NamedTuple):
    """What there is for a run: how many tasks run at a time, bytes of memory for each of them, and in how many processes."""

    threads: int
    memory: float = math.inf
    workers: int = 1

    @property
    def chunk(self) -> float:
        """The most bytes of a chunk: what a task reads, what it makes of it, and what is held meanwhile have to fit in."""
        return self.memory / SHARE


class Engine(Protocol):
    """What a session needs of a place where tasks run."""

    shared_memory: bool
    web: str | None = None
    """The web address that a cluster was joined by."""
    dashboard: bool = False

    @property
    def web_token(self) -> str | None:
        """What its pages ask for; None where they ask for nothing, or where it does not say."""
        return None

    @property
    def address(self) -> str:
        """Where it is: the scheduler's address, or one that names this process."""

    @property
    def threads(self) -> int:
        """How many tasks run at a time."""

    @property
    def room(self) -> Room:
        """What a run has here, as far as is known without waiting; it decides the sizes of chunks."""

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        """Run the graph; what is held of each key: the data, or a future."""

    def values(self, held: Sequence[Any]) -> list[Any]:
        """The data of what is held."""

    def small(self, held: Any, most: float) -> Any:
        """The data of what is held, if they are of up to so many bytes and come at once; else None."""
        return None

    def keep(self, held: Any, value: Any) -> None:
        """Have the value of what is held at hand for who asks first; somewhere else it is one anyway."""
        return

    def lost(self, held: Sequence[Any]) -> bool:
        """Whether any of it is gone for good, as far as is known here."""
        return False

    def back(self) -> None:
        """Return when what runs tasks is there again."""
        return

    def close(self) -> None:
        """End what was opened."""
        return


class Threads(Engine):
    """Dask's threaded scheduler in this process, which does not go away."""

    shared_memory = True

    @property
    def address(self) -> str:
        return f"inproc://127.0.0.1/{os.getpid()}"

    @property
    def threads(self) -> int:
        return int(dask.config.get("num_workers", None) or len(os.sched_getaffinity(0)))

    @property
    def room(self) -> Room:
        # The machine's memory; a container's limit is known to distributed, whose import takes a second.
        return Room(self.threads, psutil.virtual_memory().total / self.threads)

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        if "raise" not in (state := np.geterr()).values():
            return self._submit(tasks, keys)
        # Each thread has a state of its own: what is to raise here is to raise there.
        with ThreadPoolExecutor(self.threads, initializer=partial(np.seterr, **state)) as pool:
            return self._submit(tasks, keys, pool=pool)

    def _submit(self, tasks: dict[Key, Any], keys: list[Key], **where: Any) -> list[Any]:
        run = runs.current.get()
        if run is None:
            return list(threaded_get(tasks, keys, **where))
        done, total = 0, 1

        def begin(tasks: Any, state: Any) -> None:
            nonlocal total
            total = max(len(state["ready"]) + len(state["waiting"]), 1)

        def before(key: Any, tasks: Any, state: Any) -> None:
            run.check()  # after the run is cancelled no task starts

        def after(key: Any, result: Any, tasks: Any, state: Any, worker: Any) -> None:
            nonlocal done
            done += 1

        with run.round(lambda: min(done / total, 1.0)):
            counting = (None, begin, before, after, None)  # as Dask spells callbacks
            return list(threaded_get(tasks, keys, callbacks=(*Callback.active, counting), **where))

    def values(self, held: Sequence[Any]) -> list[Any]:
        return list(held)


Shapes = Mapping[Key, tuple[int, ...]]


def run(
    engine: Engine,
    collections: Sequence[Any],
    kept: Kept,
    sized: Sequence[Any],
    typed: Mapping[Key, Chunks] = MappingProxyType({}),
) -> tuple[dict[Key, Any], Shapes, dict[Key, Any]]:
    """Compute collections in one run.

    What is held, by key; the shapes of chunks of those in `sized` that were not known; and the dtypes of the chunks in
    `typed`, each of the collection beside it.
    """
    keys = [k for c in collections for k in graph.keys_of(c)]
    tasks = graph.wanted_only(graph.merged(collections, kept=kept), keys)
    if options.optimize.drop:
        tasks = graph.narrowed(tasks, keys, kept.labels)
    if options.optimize.fuse:
        tasks = graph.lined_up(tasks, keys)
    if options.optimize.batch:
        tasks = graph.batched(tasks, keys)
    unsure = list(dict.fromkeys(k for c in sized if not _sure(c) for k in graph.keys_of(c)))
    if engine.shared_memory:  # nobody sees names there
        held = dict(zip(keys, engine.submit(tasks, keys), strict=True))
        return held, {k: np.shape(held[k]) for k in unsure}, {k: _dtypes(held[k]) for k in typed}
    tasks, shown = graph.named(tasks, keys, kept.labels)
    names = dict(zip(keys, shown, strict=True))
    if len(keys) == len(typed) == 1:  # what a program asks for, mostly
        ((key, chunks),) = typed.items()
        (one,) = engine.submit(tasks, shown)
        look = _looked(engine, one, chunks)
        return {key: one}, dict.fromkeys(unsure, look.shape), {key: look.dtypes}
    # Each right after its chunk: later that may be on disk, and would be read for it.
    measuring = f"shape-{uuid.uuid4().hex}"
    looks: dict[Key, Any] = dict.fromkeys(unsure, np.shape) | dict.fromkeys(typed, _look)
    asked: dict[Key, Any] = {
        (measuring, k): graph.soon((measuring, k), look, names[k]) for k, look in looks.items()
    }
    futures = engine.submit({**tasks, **asked}, [*shown, *asked])
    told = dict(zip(looks, engine.values(futures[len(keys) :]) if looks else [], strict=True))
    held = dict(zip(keys, futures, strict=False))
    for k in typed:
        if told[k].part is not None:
            engine.keep(held[k], told[k].part)
    dtypes = {k: told[k].dtypes for k in typed}
    return held, {k: told[k].shape if k in dtypes else told[k] for k in unsure}, dtypes


class Done(NamedTuple):
    """A collection over computed chunks, with known sizes."""

    collection: Any
    dtypes: Any
    """Of the first chunk that has rows, a list by column for a frame's; None where none has, of the first one; of an array None."""


def persist(engine: Engine, collections: Sequence[Any], kept: Kept) -> list[Done]:
    """The same collections over computed chunks."""
    runs.next_round(1.0)
    typed = {c.keys[_first(c.lengths)]: c for c in collections if _of_pandas(c)}
    held, shapes, dtypes = run(engine, collections, kept, collections, typed)
    done = []
    for collection in collections:
        sizes, found = _sizes_of(collection, shapes), None
        if _of_pandas(collection):
            key = collection.keys[_first(sizes)]
            # Which has rows was not known, perhaps, before the run.
            found = dtypes[key] if key in dtypes else _looked(engine, held[key], collection).dtypes
        done.append(Done(graph.holding(collection, held, sizes), found))
    return done


def _of_pandas(collection: Any) -> bool:
    return isinstance(collection, Chunks) and collection.lengths is not None and collection.count > 0


def _first(lengths: Sequence[float]) -> int:
    """The first chunk that has rows, or may have; without any the first one."""
    return next((i for i, n in enumerate(lengths) if n), 0)


SMALL = 2**16
"""Bytes of a chunk that comes with its dtypes: of what is executed and fetched 5 ms of 75 on two workers, TPC-H q11."""


def _looked(engine: Engine, held: Any, chunks: Chunks) -> Look:
    """A look at one of these chunks, which the engine holds: here where it is small and can be sent, else where it is."""
    if engine.shared_memory:
        return Look(np.shape(held), _dtypes(held), None)
    said = meta(chunks.node) if chunks.node is not None else None
    if isinstance(said, FrameMeta) and _plain(said.shown) and (part := engine.small(held, SMALL)) is not None:
        look = Look(np.shape(part), _dtypes(part), part)
    else:
        key = f"shape-{uuid.uuid4().hex}"
        look = engine.values(engine.submit({key: graph.call(key, _look, held)}, [key]))[0]
    if look.part is not None:
        engine.keep(held, look.part)
    return look


class Look(NamedTuple):
    """What is told of a chunk."""

    shape: tuple[int, ...]
    dtypes: Any
    part: Any
    """Itself where it is small, and all in it can be sent."""


def _look(part: Any) -> Look:
    small = graph.if_small(part, most=SMALL) if _plain(part) else None
    return Look(np.shape(part), _dtypes(part), small)


def _plain(part: Any) -> bool:
    """Whether its dtypes are of what can be sent, whatever the values are."""
    dtypes, labels = _dtypes(part), getattr(part, "index", part)
    kinds = [*(dtypes if isinstance(dtypes, list) else [dtypes]), *graph.dtypes_of(labels)]
    return all(getattr(d, "kind", "O") != "O" or isinstance(d, pd.StringDtype) for d in kinds)


def _dtypes(part: Any) -> Any:
    return list(part.dtypes) if isinstance(part, pd.DataFrame) else getattr(part, "dtype", None)


def _sure(collection: Any) -> bool:
    sizes = (collection.lengths or ()) if isinstance(collection, Chunks) else collection.shape
    return not any(map(math.isnan, sizes))


def _sizes_of(collection: Any, shapes: Shapes) -> Any:
    """Lengths of Chunks, or chunks of an array."""
    if _sure(collection):
        return graph.sizes_of(collection)
    if isinstance(collection, Chunks):
        return tuple(shapes[k][0] for k in collection.keys)
    by_index = {i: shapes[collection.name, *i] for i in np.ndindex(*collection.numblocks)}
    return graph.chunk_sizes(collection.numblocks, by_index)


def answer(engine: Engine, questions: Sequence[Question], kept: Kept) -> list[Any]:
    """Answers to open questions, in one run; what is kept goes into `kept`."""
    collections = [c for q in questions for c in q.collections]
    sized = [c for q in questions if not isinstance(q, Ask) for c in q.collections]
    runs.next_round(0.5)
    held, shapes, _ = run(engine, collections, kept, sized)
    answers: list[Any] = []
    for question in questions:
        if isinstance(question, Ask):
            each = [
                assembled(c, engine.values([held[k] for k in graph.keys_of(c)])) for c in question.collections
            ]
        elif isinstance(question, Spare):
            known, (chunks,) = question.known, question.collections
            if all(shapes[k] for k in chunks.keys):  # None has no shape
                named = zip(known.keys, chunks.keys, strict=True)
                kept[known.name] = {k: graph.as_task(k, held[spare]) for k, spare in named}
            continue
        else:
            each = [graph.holding(c, held, _sizes_of(c, shapes)) for c in question.collections]
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
    for count in reversed(collection.numblocks[1:]):  # nested lists, one level an axis
        values = [values[i : i + count] for i in range(0, len(values), count)]
    finish, extra = collection.__dask_postcompute__()
    return finish(values, *extra)
