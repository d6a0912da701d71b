"""What a cluster costs: ours against plain Dask on local clusters, and `worker-saturation` in time and memory."""

from __future__ import annotations

import functools
import itertools
import multiprocessing.util
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np

import marsdask as mars
import marsdask.tensor as mt
from marsdask.engine import base as engine
from marsdask.engine import defaults
from marsdask.plan import graph
from marsdask.session import Session, new_session
from marsdask.spill import worker as spill
from tests.benchmarks.ratio import Must, Run, Sides, benchmark

SATURATION = "distributed.scheduler.worker-saturation"
OURS = defaults.DISTRIBUTED[SATURATION]
DASKS = 1.1
READY = 30  # rounds that `cluster_overhead` can do
UNFUSED = {"optimize.fuse": False, "optimize.batch": False}


def client(saturation: float | str, workers: int, *, processes: bool, memory: int = 0) -> Any:
    """A client of a local cluster of two threads in all, which ends with this process. Workers have `memory` bytes each,
    or without a bound. With our saturation its nannies are ours too."""
    defaults.apply()
    kind = {"worker_class": spill.Nanny} if processes and saturation == OURS else {}
    with dask.config.set({SATURATION: saturation}):
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=2 // workers, processes=processes, dashboard_address="127.0.0.1:0",
            memory_limit=memory, **kind,
        )  # fmt: skip
    made = distributed.Client(cluster, set_as_default=False)
    OPEN.append(made)
    return made


def close() -> None:
    """End all clusters."""
    while OPEN:
        made = OPEN.pop()
        made.close()
        made.cluster.close()


OPEN: list[Any] = []
multiprocessing.util.Finalize(
    None, close, exitpriority=20
)  # as benchmarks run in processes that atexit does not see


def session(saturation: float | str, workers: int, *, processes: bool) -> Session:
    return new_session(client(saturation, workers, processes=processes), default=False)


def _tasks(scale: float) -> int:
    return max(int(4000 * scale), 20)


def _apart(scale: float) -> bool:
    """Whether workers are processes; not in a tiny run, which only looks whether all sides answer."""
    return scale >= 0.01


def _persisted(made: Any, x: da.Array) -> Any:
    with made.as_current():
        held = made.persist(x)
        distributed.wait(held)
    return held


def _chunks(ours: Session, n: int, made: itertools.count[int]) -> Run:
    """Executes a tensor of n chunks that no task can share; another one each time, or nothing would run."""
    return lambda: mt.full(10 * n, float(next(made)), chunk_size=10).execute(session=ours)


def _their_chunks(theirs: Any, n: int, made: itertools.count[int]) -> Run:
    return lambda: _persisted(theirs, da.full(10 * n, float(next(made)), chunks=10))


def _nothing(run: Run) -> Run:
    """The same without an answer: sides are not compared where each run makes something else."""

    def quiet() -> int:
        run()
        return 0

    return quiet


def _independent(scale: float, workers: int) -> Sides:
    n, apart = _tasks(scale), _apart(scale)

    def ours(saturation: float) -> Callable[[], Run]:
        return lambda: _nothing(_chunks(session(saturation, workers, processes=apart), n, itertools.count()))

    def theirs(saturation: float) -> Callable[[], Run]:
        return lambda: _nothing(
            _their_chunks(client(saturation, workers, processes=apart), n, itertools.count())
        )

    return {
        "ours": ours(OURS),
        "dask": theirs(DASKS),
        "dask, ours set": theirs(OURS),
        "ours at 1.1": ours(DASKS),
    }


@benchmark(Must("dask", 0.7, "wall"), Must("dask, ours set", unit="wall"), Must("ours at 1.1", unit="wall"))
def cluster_tasks(scale: float) -> Sides:
    """4,000 tiny chunks that stay on one worker of two threads: nothing to fuse, so only the scheduling differs"""
    return _independent(scale, 1)


@benchmark(Must("dask", 0.7, "wall"), Must("dask, ours set", unit="wall"), Must("ours at 1.1", unit="wall"))
def cluster_tasks_two(scale: float) -> Sides:
    """the same on two workers of one thread"""
    return _independent(scale, 2)


def _sum(x: Any) -> Any:
    return ((x + 1) * 2).sum()


@benchmark(Must("dask", 0.7, "wall"), Must("ours unfused", unit="wall"))
def cluster_sum(scale: float) -> Sides:
    """((x+1)*2).sum() over 4,000 tiny chunks on one worker of two threads; unfused: with fuse and batch switched off"""
    n, apart = _tasks(scale), _apart(scale)

    def unfused() -> Run:
        ours = session(OURS, 1, processes=apart)

        def run() -> Any:
            with mars.option_context(UNFUSED):
                return _sum(mt.arange(10 * n, chunk_size=10)).execute(session=ours).fetch(session=ours)

        return run

    def fused() -> Run:
        ours = session(OURS, 1, processes=apart)
        return lambda: _sum(mt.arange(10 * n, chunk_size=10)).execute(session=ours).fetch(session=ours)

    def theirs() -> Run:
        made = client(DASKS, 1, processes=apart)
        return lambda: _sum(da.arange(10 * n, chunks=10)).compute(scheduler=made)

    return {"ours": fused, "dask": theirs, "ours unfused": unfused}


@benchmark(Must("plain", 1.02, "wall"), Must("plain", unit="cpu"))
def cluster_overhead(scale: float) -> Sides:
    """2,000 tasks of ours on one cluster, against the same tasks given to the client ready made"""
    n = _tasks(scale) // 2
    made = functools.cache(lambda: client(OURS, 1, processes=_apart(scale)))
    numbers = itertools.count()

    def ours() -> Run:
        return _nothing(_chunks(new_session(made(), default=False), n, numbers))

    def plain() -> Run:
        ready = [_ready(n, next(numbers) + 0.5) for _ in range(READY)]

        def run() -> None:
            with made().as_current():
                distributed.wait(made().get(*ready.pop(), sync=False))

        return _nothing(run)

    return {"ours": ours, "plain": plain}


def _ready(n: int, value: float) -> tuple[dict[Any, Any], list[Any]]:
    """The tasks that a session would submit, and their keys."""
    with Session(engine.Threads()) as here:
        (array,), kept = here.lowered([mt.full(10 * n, value, chunk_size=10).node])
    keys = graph.keys_of(array)
    return graph.named(graph.merged([array]), keys, kept.labels)


def _peak(saturation: float | str, scale: float) -> Callable[[], Run]:
    """Sum, least and largest of 96 chunks of 8 MB: all need each chunk, so what is not read yet has to be held."""
    count = max(int(96 * scale), 2)

    def prepare() -> Run:
        ours = session(saturation, 1, processes=False)

        def run() -> Any:
            x = mt.random.RandomState(1).rand(count * 1_000_000, chunk_size=1_000_000)
            return np.array(mars.fetch(*mars.execute(x.sum(), x.max(), x.min(), session=ours)))

        return run

    return prepare


@benchmark(Must("1.1", unit="memory"), Must("2", unit="memory"), Must("inf", unit="memory"))
def cluster_peak(scale: float) -> Sides:
    """Peak memory of three reductions over 768 MB that a worker of two threads makes, by worker-saturation"""
    sides: dict[str, float | str] = {"ours": OURS, "1.1": 1.1, "2": 2.0, "inf": "inf"}
    return {side: _peak(value, scale) for side, value in sides.items()}
