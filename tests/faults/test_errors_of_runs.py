"""What a run that fails leaves: an error that says what was, nothing that goes on, and nothing that the next run meets."""

import asyncio
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from distributed import LocalCluster

import marsdask.tensor as mt
from marsdask import new_session, remote
from marsdask.engine.watch import OWNERS
from marsdask.errors import NoWorkers, TaskFailed
from marsdask.session import Session
from tests.faults.processes import ROOT, Bare
from tests.processes import PATIENCE, Gate, at_once, process, tasks_on, through, until

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with new_session(n_worker=2, n_cpu=2, default=False) as session:
        yield session


def test_no_workers_is_asked_again(tmp_path: Path) -> None:
    hasty = {"DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT": "1s"}
    with (
        Bare(tmp_path, hasty) as cluster,
        new_session(cluster.start(workers=0).address, default=False) as session,
    ):
        total = mt.ones((10,), chunk_size=5).sum()
        with pytest.raises(NoWorkers) as held:
            total.execute(session=session)
        cluster.grow(1)
        session.client.wait_for_workers(1, timeout=PATIENCE)
        assert total.execute(session=session).fetch() == 10
        assert "no worker is connected" in str(held.value)


def fails_unless(chunk: Any, mark: str) -> Any:
    if len(chunk) and not Path(mark).exists():
        raise FileNotFoundError(mark)
    return chunk


def test_what_failed_runs_again_while_somebody_holds_the_error(session: Session, tmp_path: Path) -> None:
    mark = tmp_path / "there"
    x = mt.ones((4,), chunk_size=2).map_chunk(fails_unless, (str(mark),), dtype="f8")
    with pytest.raises(FileNotFoundError) as held:
        x.execute(session=session)
    mark.touch()
    assert x.sum().execute(session=session).fetch() == 4
    assert held.value is not None


def fails_beside(chunk: Any, folder: str) -> Any:
    if len(chunk) == 1:  # the last chunk, which is shorter
        raise ZeroDivisionError("the last")
    return through(chunk, folder) if len(chunk) else chunk


def test_the_first_error_ends_the_run(session: Session, tmp_path: Path) -> None:
    """While the other tasks have not ended, and are not needed any more."""
    before = tasks_on(session.client)
    with Gate(tmp_path / "gate") as gate:
        x = mt.ones((21,), chunk_size=20).map_chunk(fails_beside, (str(gate.folder),), dtype="f8")
        with at_once(), pytest.raises(ZeroDivisionError, match="the last"):
            x.execute(session=session)
        assert gate.came() <= 1
    until(lambda: tasks_on(session.client) <= before, "no task of the run")


class Locked(Exception):
    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.lock = threading.Lock()


def raises_locked(chunk: Any) -> Any:
    if len(chunk):
        raise Locked("the door")
    return chunk


@pytest.mark.parametrize("how", ["map_chunk", "spawn"])
def test_an_exception_that_cannot_be_pickled(session: Session, how: str) -> None:
    failing: Any = mt.ones((4,), chunk_size=2).map_chunk(raises_locked, dtype="f8")
    if how == "spawn":
        failing = remote.spawn(raises_locked, ([1],))
    with pytest.raises(TaskFailed, match=r"raises_locked.*raised Locked\('the door'\)") as caught:
        failing.execute(session=session)
    assert 'raise Locked("the door")' in str(caught.value)


class Ending(BaseException):
    pass


def ends() -> None:
    raise Ending("of all")


def stops() -> None:
    raise StopIteration("here")


def gives_up() -> None:
    raise asyncio.CancelledError("by itself")


@pytest.mark.parametrize("raises", [ends, stops, gives_up])
def test_what_is_no_error_of_a_function_ends_its_run(session: Session, raises: Callable[[], None]) -> None:
    """Clients of Dask wait for ever for such a one."""
    with pytest.raises(TaskFailed, match=rf"'{raises.__name__}' raised .*, which is no error of a function"):
        remote.spawn(raises).execute(session=session)


@pytest.mark.parametrize("raises", [ends, stops, gives_up])
def test_by_a_plain_worker_it_comes_as_it_is(raises: Callable[[], None]) -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        new_session(cluster.scheduler_address, default=False) as session,
        pytest.raises((Ending, StopIteration, asyncio.CancelledError)),
    ):
        remote.spawn(raises).execute(session=session)


def recurs() -> None:
    recurs()


def test_an_endless_recursion_is_told(session: Session) -> None:
    """Its traceback cannot be pickled before Python 3.13, at which a client of Dask fails, and waits for ever."""
    with pytest.raises((TaskFailed, RecursionError)) as caught:
        remote.spawn(recurs).execute(session=session)
    if isinstance(caught.value, TaskFailed):
        assert re.search(r"(?s)'recurs' raised RecursionError.*repeated \d+ more times", str(caught.value))


def decodes() -> None:
    b"\xff".decode()


def compiles() -> None:
    compile("two words", "<words>", "exec")


def beyond() -> None:
    np.ones(2).sum(axis=2)


def says_why() -> None:
    try:
        decodes()
    except UnicodeDecodeError as error:
        raise ValueError("no text") from error


@pytest.mark.parametrize("raises", [decodes, compiles, beyond, says_why])
def test_an_exception_comes_with_its_words(session: Session, raises: Callable[[], None]) -> None:
    """Of these pickling leaves out fields, so that printing them gave nothing or failed."""
    with pytest.raises(Exception) as here:
        raises()
    with pytest.raises(here.type) as there:
        remote.spawn(raises).execute(session=session)
    assert str(there.value) == str(here.value)
    assert str(there.value.__cause__) == str(here.value.__cause__)


CLIENT = """
import sys, time
from marsdask import new_session
session = new_session(sys.argv[1], session_id="left")
print("open", flush=True)
sys.stdin.read()
"""


def test_a_client_that_is_killed_leaves_no_name(session: Session) -> None:
    def names() -> list[str]:
        return [name for name in session.client.list_datasets() if "left" in name]

    command = [sys.executable, "-c", CLIENT, session.address]
    with process(*command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "open\n"
        assert names()
        client.kill()
        client.communicate(timeout=PATIENCE)
    until(lambda: not names(), "no name of the client that was killed")


def test_the_scheduler_knows_whose_a_name_is_before_there_is_one(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, seen = session.client, []
    publish = client.publish_dataset

    def spied(*what: Any, name: str) -> None:
        seen.append(client.get_metadata([OWNERS, name]))
        publish(*what, name=name)

    monkeypatch.setattr(client, "publish_dataset", spied)
    session.engine.note("one that is new")  # type: ignore[attr-defined]
    assert seen == [client.id]
    session.engine.forget("one that is new")  # type: ignore[attr-defined]
    until(lambda: client.get_metadata([OWNERS], {}).get("one that is new") is None, "it is forgotten")
    assert "one that is new" not in client.list_datasets()


def test_of_two_that_publish_a_name_at_once_the_first_one_owns_it(session: Session) -> None:
    """Neither sees the other's when it looks."""
    other = new_session(session.address, default=False)
    try:
        for each in (session, other):
            each.client.list_datasets = list
            each.engine.note("one of both")  # type: ignore[attr-defined]
        assert session.client.get_metadata([OWNERS, "one of both"]) == session.client.id
    finally:
        for each in (session, other):
            del each.client.list_datasets
        other.close()
    assert "one of both" in session.client.list_datasets()
    session.engine.forget("one of both")  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of what nobody closed
def test_a_cluster_that_does_not_close_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marsdask.engine.client.CLOSES_WITHIN", 1.0)
    session = new_session(n_worker=2, default=False)
    cluster: Any = session.engine.owned[1]  # type: ignore[attr-defined]
    pids = [nanny.pid for nanny in cluster.workers.values()]

    async def never() -> None:
        await asyncio.sleep(1e6)

    monkeypatch.setattr(cluster, "_close", never)
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < PATIENCE / 4
    until(lambda: not any(map(psutil.pid_exists, pids)), "the end of the workers' processes")
