"""The queries of TPC-H on two worker processes: what they cost against threads, and with ten times the data."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import dask
import psutil

from marsdask.session import Session, new_session
from tests.benchmarks import clusters, queries, queries_dask, tables, tpch
from tests.benchmarks.ratio import Must, Run, Sides, summary

MEMORY = 4 << 30


def _session(scale: float) -> Session:
    """Two workers of one thread, started as a user of marsdask starts them."""
    if scale < 0.01:  # a tiny run, which only looks whether all sides answer
        client = clusters.client(clusters.OURS, 2, processes=False, memory=MEMORY)
        return new_session(client, default=False)
    session = new_session(n_worker=2, n_cpu=2, memory=2 * MEMORY, dashboard=False, default=False)
    clusters.OPEN.append(session.engine.client)
    return session


def _clock(client: Any, scale: float) -> Callable[[], float]:
    """CPU seconds of this process and of the workers, which are processes of their own unless the run is tiny."""

    def workers() -> float:
        return sum(client.run(_used).values()) if scale >= 0.01 else 0.0

    return lambda: time.process_time() + workers()


def _used() -> float:
    times = psutil.Process().cpu_times()
    return times.user + times.system


def _timed(run: Run, clock: Callable[[], float]) -> Run:
    run.clock = clock
    return run


def _on(session: Session, name: str, held: dict[str, Any]) -> Any:
    answer = getattr(queries, name)(**held).execute(session=session)
    return tpch.plain(answer.fetch(session=session))


def _workers(name: str, scale: float) -> Sides:
    """Both hold the tables, as they were read from files."""
    columns = queries.columns(getattr(queries, name))

    def ours() -> Run:
        session = _session(scale)
        read = tables.our_files(columns, tpch.factor(scale))
        held = {table: frame.execute(session=session) for table, frame in read.items()}
        return _timed(lambda: _on(session, name, held), _clock(session.engine.client, scale))

    def threads() -> Run:
        held = {
            table: frame.execute() for table, frame in tables.our_files(columns, tpch.factor(scale)).items()
        }
        return lambda: tpch.plain(tpch.ours(name, held))

    return {"ours": ours, "threads": threads}


def _grown(name: str, scale: float) -> Sides:
    columns = queries.columns(getattr(queries, name))
    made = functools.cache(lambda: _session(scale))

    def ours(scale_factor: float) -> Callable[[], Run]:
        def prepare() -> Run:
            session = made()

            def run() -> Any:
                return _on(session, name, tables.our_files(columns, scale_factor))

            return _timed(run, _clock(session.engine.client, scale))

        return prepare

    def theirs() -> Run:
        processes = scale >= 0.01
        made = clusters.client(clusters.DASKS, 2, processes=processes, memory=MEMORY)

        def run() -> Any:
            # Shuffled by tasks, as everywhere here: p2p, the default, takes twice the CPU for q05 and half more for q03.
            with dask.config.set(scheduler=made):
                return tpch.plain(
                    queries_dask.answer(name, tables.dask_files(columns, 10 * tpch.factor(scale)))
                )

        return _timed(run, _clock(made, scale))

    def tenth() -> Run:
        run = ours(tpch.factor(scale))()

        def quiet() -> None:
            run()

        return _timed(quiet, run.clock)

    return {"ours": ours(10 * tpch.factor(scale)), "dask": theirs, "ours at a tenth": tenth}


tpch.family("on two worker processes", "_workers", _workers, Must("threads", unit="wall"))
tpch.family(
    "ten times the data, from parquet, two workers of 4 GiB",
    "_grown",
    _grown,
    Must("ours at a tenth", 12),
    Must("dask"),
)
summary("tpch_workers", tpch.members("_workers"), Must("threads", 1.3, "wall", over="total"))
summary("tpch_grown", tpch.members("_grown"), Must("dask", 0.5, over="total"), Must("ours at a tenth"))
