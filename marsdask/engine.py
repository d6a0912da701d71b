"""Where collections run: Dask's threads in this process, or a distributed cluster, behind one small protocol."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol

import dask
import dask.array as da
import numpy as np
import pandas as pd
from dask.threaded import get as threaded_get
from dask.typing import Key
from dask.utils import key_split

from marsdask import graph
from marsdask.address import resolve
from marsdask.errors import (
    ArgumentTypeError,
    ClusterUnreachable,
    NotPicklable,
    NoWorkers,
    OutOfWorkerMemory,
    WorkerLost,
    WouldRun,
)
from marsdask.graph import Chunks
from marsdask.lower import Ask, Question
from marsdask.options import options

Kept = dict[str, dict[Key, Any]]


class Engine(Protocol):
    """What a session needs of a place where tasks run."""

    shared_memory: bool

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

    def close(self) -> None: ...


class Threads:
    """Dask's threaded scheduler in this process."""

    shared_memory = True

    @property
    def threads(self) -> int:
        return int(dask.config.get("num_workers", None) or len(os.sched_getaffinity(0)))

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        return list(threaded_get(tasks, keys))

    def values(self, held: Sequence[Any]) -> list[Any]:
        return list(held)

    def close(self) -> None:
        return None


class Distributed:
    """A distributed cluster, through its client."""

    shared_memory = False

    def __init__(self, client: Any, owned: Sequence[Any] = ()):
        self.client = client
        self.owned = owned  # closed with the engine, in order
        self.topics: set[str] = set()
        self.published: set[str] = set()  # names of datasets that end with this engine

    @property
    def threads(self) -> int:
        return int(sum(self.client.nthreads().values()))

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        from distributed import wait

        unique = list(dict.fromkeys(keys))
        with self.client.as_current():  # wait() looks for the client there; ours need not be Dask's default
            futures = self.client.get(graph.annotated(tasks), unique, sync=False)
            try:
                wait(futures)
            except BaseException:  # Ctrl-C: what was started must not go on
                self.client.cancel(futures)
                raise
        for future in futures:
            if future.status == "error":
                self._raise(future)
        by_key = dict(zip(unique, futures, strict=True))
        return [by_key[k] for k in keys]

    def _raise(self, future: Any) -> NoReturn:
        """The task's own error; ours where the cluster and not the task failed."""
        from distributed.scheduler import KilledWorker, NoWorkerError

        try:
            future.result()
        except KilledWorker as error:
            raise self._lost(error) from error
        except NoWorkerError as error:
            raise NoWorkers(
                f"{key_split(future.key)!r} found no worker in time: {error}. Hint: are any workers connected, and not "
                "all paused for memory? See the dashboard's workers page."
            ) from error
        raise WouldRun(f"{future.key} ended in error and gave none")

    def _lost(self, error: Any) -> WorkerLost:
        """Why the workers died, as far as the scheduler knows."""
        task, worker, allowed = error.args[:3]
        operation, address = key_split(task), getattr(worker, "address", str(worker))
        limit = int(getattr(worker, "memory_limit", 0) or 0)
        for _, event in reversed(self.client.get_events("worker-restart-memory") or ()):
            if event.get("worker") == address:
                return OutOfWorkerMemory.by_nanny(operation, address, int(event["rss"]), limit)
        return WorkerLost.by(operation, address, allowed + 1)

    def values(self, held: Sequence[Any]) -> list[Any]:
        try:
            return list(self.client.gather(list(held)))
        except TypeError as error:
            if "serialize" not in str(error):
                raise
            names = sorted({repr(key_split(h.key)) for h in held})
            cause = TypeError(str(error).partition("\n")[0])
            raise NotPicklable.because(f"the result of {', '.join(names)}", cause, "to you") from error

    def forget(self, dataset: str) -> None:
        """Unpublish a dataset, soon: safe also where Python is collecting garbage."""
        if dataset in self.published and self.client.status == "running":
            self.published.discard(dataset)
            self.client.loop.add_callback(self.client.unpublish_dataset, dataset, asynchronous=True)

    def listen(self, topic: str, hear: Callable[[Any], None]) -> None:
        """Call `hear` with every event of a topic from now on."""
        if topic not in self.topics:
            self.topics.add(topic)
            self.client.subscribe_topic(topic, lambda event: hear(event[1]))

    def close(self) -> None:
        for name in self.published:
            self.client.unpublish_dataset(name)
        for each in self.owned:
            each.close()


def started(n_worker: int, n_thread: int) -> Distributed:
    """A local cluster of worker processes, which ends with its engine."""
    import distributed

    # With Dask's 15 s a worker process that dies and is not back by then is never replaced. A user's value wins.
    patience = "distributed.deploy.lost-worker-timeout"
    ours = {} if dask.config.get(patience, "15s") != "15s" else {patience: "300s"}
    with dask.config.set(ours):
        cluster = distributed.LocalCluster(
            n_workers=n_worker, threads_per_worker=n_thread, dashboard_address="127.0.0.1:0"
        )
    client = distributed.Client(cluster, set_as_default=False)
    return Distributed(client, owned=(client, cluster))


def connected(address: Any) -> Distributed:
    """An engine on a cluster that is there: an address as `address.resolve` takes them, a Client, or a cluster."""
    import distributed

    if isinstance(address, distributed.Client):
        return Distributed(address)
    if not isinstance(address, str) and not hasattr(address, "scheduler_address"):
        raise ArgumentTypeError(
            f"address={address!r}: expected 'tcp://host:port', 'http://host:port', a distributed Client or a "
            f"cluster object, got {type(address).__name__}."
        )
    where = resolve(address) if isinstance(address, str) else address
    try:
        client = distributed.Client(where, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ClusterUnreachable(
            f"address={address!r}: no scheduler answers ({error}). Hint: is it running, and is the port right?"
        ) from error
    return Distributed(client, owned=(client,))


def run(engine: Engine, collections: Sequence[Any], kept: Kept) -> dict[Key, Any]:
    """Compute collections in one run; what is held, by key."""
    tasks = graph.merged(collections, kept=kept)
    keys = [k for c in collections for k in graph.keys_of(c)]
    tasks = graph.wanted_only(tasks, keys)
    if options.optimize.fuse:
        tasks = graph.lined_up(tasks, keys)
    if options.optimize.batch:
        tasks = graph.batched(tasks, keys)
    return dict(zip(keys, engine.submit(tasks, keys), strict=True))


def persist(engine: Engine, collections: Sequence[Any], kept: Kept) -> list[Any]:
    """The same collections over computed chunks, with known sizes."""
    return _held(engine, collections, run(engine, collections, kept))


def _held(engine: Engine, collections: Sequence[Any], held: dict[Key, Any]) -> list[Any]:
    sizes = _sizes(engine, collections, held)
    return [graph.holding(c, held, s) for c, s in zip(collections, sizes, strict=True)]


def _sizes(engine: Engine, collections: Sequence[Any], held: dict[Key, Any]) -> list[Any]:
    """Lengths of Chunks and chunks of arrays, asked of the engine where they are not known."""
    unsure = [c for c in collections if not _sure(c)]
    keys = list(dict.fromkeys(k for c in unsure for k in graph.keys_of(c)))
    if engine.shared_memory:
        shapes = {k: _shape(held[k]) for k in keys}
    elif keys:
        asked: dict[Key, Any] = {
            ("shape", i): graph.call(("shape", i), _shape, held[k]) for i, k in enumerate(keys)
        }
        shapes = dict(zip(keys, engine.values(engine.submit(asked, list(asked))), strict=True))
    else:
        shapes = {}
    return [_sizes_of(c, shapes) for c in collections]


def described(engine: Engine, held: Any) -> Any:
    """The dtype of a chunk that the engine holds; a list by column for a frame's."""
    if engine.shared_memory:
        return _dtypes(held)
    (found,) = engine.values(engine.submit({"dtypes": graph.call("dtypes", _dtypes, held)}, ["dtypes"]))
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
        return collection.lengths if isinstance(collection, Chunks) else collection.chunks
    if isinstance(collection, Chunks):
        return tuple(shapes[k][0] for k in collection.keys)
    chunks = []
    for axis, count in enumerate(collection.numblocks):
        line = [[0] * collection.ndim for _ in range(count)]
        for i, index in enumerate(line):
            index[axis] = i
        chunks.append(tuple(shapes[collection.name, *index][axis] for index in line))
    return tuple(chunks)


def answer(engine: Engine, questions: Sequence[Question], kept: Kept) -> list[Any]:
    """Answers to open questions, in one run; what is kept goes into `kept`."""
    collections = [c for q in questions for c in q.collections]
    held = run(engine, collections, kept)
    answers: list[Any] = []
    for question in questions:
        if isinstance(question, Ask):
            each = [
                assembled(c, engine.values([held[k] for k in graph.keys_of(c)])) for c in question.collections
            ]
        else:
            each = _held(engine, question.collections, held)
            for c in each:
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
