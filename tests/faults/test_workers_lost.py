"""Workers are killed, stopped, poisoned: answers stay the same, and errors say what happened."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import distributed  # noqa: F401 - its settings come with the import
import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import remote
from marsdask.engine.workers import workers_of
from marsdask.errors import OutOfWorkerMemory, WorkerLost
from marsdask.session import Session, new_session
from tests.faults.processes import ROOT, digest, kill, names, pids
from tests.processes import PATIENCE, Gate, process, tasks_on, through, until

pytestmark = [pytest.mark.processes, pytest.mark.slow]
COUNT = 3


@pytest.fixture(scope="module")
def trio() -> Iterator[Session]:
    """Three workers of one thread each, as new_session() starts them."""
    with new_session(n_worker=COUNT, n_cpu=COUNT, default=False) as session:
        yield session


@pytest.fixture(autouse=True)
def whole(request: pytest.FixtureRequest) -> None:
    """Each test finds all workers there."""
    if "trio" in request.fixturenames:
        request.getfixturevalue("trio").client.wait_for_workers(COUNT, timeout=PATIENCE)


def slowly(block: Any, folder: str) -> Any:
    """Through a gate; then it takes a while, in which its worker may die."""
    through(block, folder)
    time.sleep(0.3)
    return block * 2


def segfaults(block: Any) -> Any:
    ctypes.string_at(0)
    return block


def allocates(block: Any) -> Any:
    """Somewhat more than the limit, and then waits to be killed for it."""
    held = np.ones(450_000_000 // 8)
    until(lambda: False, "the end of this worker")
    return held


def all_back(client: Any) -> None:
    until(lambda: len(workers_of(client)) == COUNT, "all workers")


def test_killed_in_the_middle(trio: Session, tmp_path: Path) -> None:
    def run(gate: Gate) -> Any:
        x = mt.random.RandomState(1).rand(40, 40, chunk_size=10)
        x = x.map_chunk(slowly, (str(gate.folder),), dtype="f8")
        return (x @ x.T).execute(session=trio, wait=False)

    with Gate(tmp_path / "open") as gate:
        gate.open()
        want = digest(run(gate).result(timeout=PATIENCE).fetch())
    victim = min(pids(trio.client).values())
    with Gate(tmp_path / "half open") as gate:
        gate.open(6)
        running = run(gate)
        until(lambda: gate.came() >= 6 + COUNT, "a task that waits on each worker")
        assert not running.done()
        kill(victim)
    assert digest(running.result(timeout=PATIENCE).fetch()) == want
    all_back(trio.client)


def test_the_same_place_killed_twice(trio: Session) -> None:
    before = names(trio.client)
    first = pids(trio.client)[before[0]]
    kill(first)

    def again() -> int | None:
        address = names(trio.client).get(0)
        pid = pids(trio.client).get(address or "")
        return pid if pid != first else None

    kill(until(again, "another process in its place"))
    all_back(trio.client)
    assert (mt.ones((6,), chunk_size=2).sum()).execute(session=trio).fetch() == 6


def test_a_crash_beside_innocent_work(trio: Session, tmp_path: Path) -> None:
    """The innocent tasks go on and end: one that waited until the poison was found out could be where every worker dies."""
    with Gate(tmp_path / "gate") as gate:
        innocent = mt.ones((40,), chunk_size=1).map_chunk(slowly, (str(gate.folder),), dtype="f8")
        info = innocent.execute(session=trio, wait=False)
        until(lambda: gate.came() >= COUNT, "a task that waits on each worker")
    poison = mt.ones((3,), chunk_size=3).map_chunk(segfaults, dtype="f8")
    with pytest.raises(WorkerLost, match=r"map_chunk.*was running when \d+ workers died") as caught:
        poison.execute(session=trio, wait=False).result(timeout=PATIENCE)
    assert isinstance(caught.value, RuntimeError)
    np.testing.assert_array_equal(info.result(timeout=PATIENCE).fetch(), np.full(40, 2.0))
    all_back(trio.client)


def test_data_that_died_with_their_worker(trio: Session) -> None:
    """Unseeded random data, data that were in memory here, and what functions were given."""
    noise = mt.random.rand(90, chunk_size=10).execute(session=trio)
    array = np.random.default_rng().random(1000)
    memory = mt.tensor(array, chunk_size=100).execute(session=trio)
    frame = md.DataFrame(pd.DataFrame({"a": array}), chunk_size=100).execute(session=trio)
    summed = remote.spawn(np.sum, args=(array,)).execute(session=trio)
    before = [digest(each.fetch()) for each in (noise, memory, frame, summed)]
    for pid in list(pids(trio.client).values())[:2]:
        kill(pid)
    assert [digest(each.fetch()) for each in (noise, memory, frame, summed)] == before
    np.testing.assert_array_equal((noise + 1).execute(session=trio).fetch(), noise.fetch() + 1)


CLIENT = """
import os, sys
import marsdask.tensor as mt
from marsdask import new_session
session = new_session(sys.argv[1])
t = mt.random.rand(100, chunk_size=10).execute()
print(len(t.fetch()), flush=True)
if sys.argv[2] == "stays":
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["goes", "stays"])
def test_a_client_that_exits_leaves_nothing(how: str, trio: Session) -> None:
    gc.collect()
    before = tasks_on(trio.client)
    command = [sys.executable, "-c", CLIENT, trio.address, how]
    with process(*command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "100\n"
        if how == "stays":
            client.kill()
        client.communicate(timeout=PATIENCE)
    until(lambda: tasks_on(trio.client) <= before, "no task of the client's")


def test_no_memory_left() -> None:
    hasty = {"distributed.scheduler.allowed-failures": 1}
    with dask.config.set(hasty), new_session(n_worker=1, memory="400MB", default=False) as session:
        hog = mt.ones((3,), chunk_size=3).map_chunk(allocates, dtype="f8")
        with pytest.raises(OutOfWorkerMemory) as caught:
            hog.execute(session=session, wait=False).result(timeout=PATIENCE)
        said = str(caught.value)
        assert isinstance(caught.value, MemoryError)
        assert "map_chunk" in said
        assert "needed more memory than a worker has" in said
        limit = workers_of(session.client)
        assert all(f"of {w['memory_limit']:,} bytes" in said for w in limit.values())
        assert "smaller chunks" in said


def test_a_worker_that_stands_still(tmp_path: Path) -> None:
    # The other worker is heard of more often, however slow it is.
    patience = {"distributed.scheduler.worker-ttl": "10s"}
    with dask.config.set(patience), new_session(n_worker=2, n_cpu=2, default=False) as session:
        stopped = min(pids(session.client).values())
        with Gate(tmp_path / "gate") as gate:
            t = mt.ones((12,), chunk_size=1).map_chunk(slowly, (str(gate.folder),), dtype="f8")
            running = t.execute(session=session, wait=False)
            until(lambda: gate.came() >= 2, "a task that waits on each worker")
            os.kill(stopped, signal.SIGSTOP)  # its nanny ends it
        np.testing.assert_array_equal(running.result(timeout=PATIENCE).fetch(), np.full(12, 2.0))
        until(lambda: stopped not in pids(session.client).values(), "the end of the one that stood still")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_program_whose_workers_die_at_random(number: signal.Signals, trio: Session, tmp_path: Path) -> None:
    """Killed by pid, once they are there: Dask's own KillWorker also hits workers that start, which its nannies do not survive."""
    random = np.random.default_rng(int(number))
    x = mt.random.RandomState(4).rand(60, 20, chunk_size=10)
    table = md.DataFrame(mt.random.RandomState(5).rand(200, 3, chunk_size=40), columns=list("abc"))
    with Gate(tmp_path / "open") as gate:  # open from here on
        slow = x.map_chunk(slowly, (str(gate.folder),), dtype="f8")
    program = [slow.sum(axis=0), mt.sort(x.reshape(-1)), table.sort_values("b")]
    with new_session(default=False) as threads:
        want = [digest(each.copy().execute(session=threads).fetch()) for each in program]
    done = [each.execute(session=trio, wait=False) for each in program]
    time.sleep(random.uniform(0.1, 1.0))
    os.kill(random.choice(sorted(pids(trio.client).values())), number)
    assert [digest(info.result(timeout=PATIENCE).fetch()) for info in done] == want
    all_back(trio.client)
