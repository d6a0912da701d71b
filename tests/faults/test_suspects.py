"""A task that ends its process is found out, and takes none of those with it that waited or ran beside it."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import remote
from marsdask.errors import Exited, WorkerLost
from marsdask.session import Session, new_session
from tests.faults.processes import kill, names, pids
from tests.processes import PATIENCE, until

pytestmark = [pytest.mark.processes, pytest.mark.slow]
SLEEPERS = 40


@pytest.fixture(scope="module")
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """Two workers of four threads each, or of as many as a test asks for."""
    threads = getattr(request, "param", 4)
    with new_session(n_worker=2, n_cpu=2 * threads, default=False) as session:
        yield session


one_thread_too = pytest.mark.parametrize(
    "session", [1, 4], ids=["one thread each", "four threads each"], indirect=True
)


def dies() -> None:
    time.sleep(0.2)
    os._exit(1)


def dies_of(chunk: Any) -> Any:
    if len(chunk):  # not where somebody looks what it gives
        dies()
    return chunk


def sleeps(i: int) -> int:
    time.sleep(0.1)
    return i


def outcome(info: Any) -> Any:
    try:
        return info.result(timeout=PATIENCE).fetch()
    except WorkerLost as error:
        return error


def beside(session: Session, poisons: list[Any]) -> list[WorkerLost]:
    """The errors of what kills its worker, run beside many that only sleep, all of which give what they should."""
    session.client.wait_for_workers(2, timeout=PATIENCE)
    sleepers = [remote.spawn(sleeps, args=(i,)) for i in range(SLEEPERS)]
    # Amid them, so that each is queued somewhere.
    half = SLEEPERS // 2
    together = [*sleepers[:half], *poisons, *sleepers[half:]]
    runs = {id(each): each.execute(session=session, wait=False) for each in together}
    assert [outcome(runs[id(each)]) for each in sleepers] == list(range(SLEEPERS))
    errors = [outcome(runs[id(each)]) for each in poisons]
    assert all(isinstance(error, WorkerLost) for error in errors)
    return errors


def test_a_function_that_dies_beside_many(session: Session) -> None:
    (error,) = beside(session, [remote.spawn(dies)])
    assert "'dies' was running when 4 workers died" in str(error)


@one_thread_too
def test_two_at_once(session: Session) -> None:
    assert len(beside(session, [remote.spawn(dies), remote.spawn(dies, retry_when_fail=False)])) == 2


def test_chunks_and_rows(session: Session) -> None:
    frame = md.DataFrame(pd.DataFrame({"a": np.arange(4.0)}), chunk_size=2)
    chunk = mt.ones((4,), chunk_size=2).map_chunk(dies_of, dtype="f8")
    applied = frame.map_chunk(dies_of, dtypes=pd.Series({"a": np.dtype("f8")}))
    for error in beside(session, [chunk, applied]):
        assert "map_chunk(dies_of)" in str(error)


def spawns(folder: str) -> int:
    """Ends its worker once; then it runs another on it, and waits."""
    mark = Path(folder) / "died"
    died = len(mark.read_bytes()) if mark.exists() else 0
    if died < 3:
        mark.write_bytes(b"x" * (died + 1))
        os._exit(1)
    return int(remote.spawn(sleeps, args=(7,)).execute().fetch())


def test_one_that_runs_alone_may_wait_for_another(tmp_path: Path) -> None:
    """On the only worker there is, which has nothing else run beside it."""
    with new_session(n_worker=1, n_cpu=1, default=False) as session:
        info = remote.spawn(spawns, args=(str(tmp_path),)).execute(session=session, wait=False)
        assert info.result(timeout=PATIENCE).fetch() == 7


def slowly(chunk: Any) -> Any:
    time.sleep(0.1 * len(chunk))
    return chunk * 2


def test_kills_from_outside_are_nobodys_fault(session: Session) -> None:
    """Tasks that wait meet all of them; by distributed's own count each is given up with the fourth."""
    session.client.wait_for_workers(2, timeout=PATIENCE)
    count = 100 * int(sum(session.client.nthreads().values()))
    info = mt.ones((count,), chunk_size=1).map_chunk(slowly, dtype="f8").execute(session=session, wait=False)
    kills = 0
    while kills < 6 and not info.done():
        time.sleep(1)  # longer than a task takes
        victim, process = min(pids(session.client).items(), key=lambda each: each[1])
        kill(process)
        # Who asks one that is gone waits 30 s for it.
        until(lambda victim=victim: victim not in names(session.client).values(), "the end of that worker")
        until(lambda: len(pids(session.client)) == 2, "both workers")
        kills += 1
    assert kills >= 4
    np.testing.assert_array_equal(info.result(timeout=PATIENCE).fetch(), np.full(count, 2.0))


def exits(chunk: Any) -> Any:
    if len(chunk):
        sys.exit(3)
    return chunk


def interrupts(chunk: Any) -> Any:
    if len(chunk):
        raise KeyboardInterrupt
    return chunk


def test_who_calls_exit_ends_no_worker(session: Session) -> None:
    before = until(lambda: len(found := pids(session.client)) == 2 and found, "both workers")
    for function, said in ((exits, r"sys\.exit\(3\)"), (interrupts, "KeyboardInterrupt")):
        with pytest.raises(Exited, match=rf"map_chunk\({function.__name__}\).*{said}"):
            mt.ones((4,), chunk_size=2).map_chunk(function, dtype="f8").execute(session=session)
    assert pids(session.client) == before


async def _leaves(dask_worker: Any) -> None:
    dask_worker.loop.call_later(0.1, sys.exit, 0)


def test_workers_that_leave_are_replaced(session: Session) -> None:
    """All of them at once, by sys.exit(0) in their event loop, as distributed's own chaos does."""
    before = set(until(lambda: len(found := pids(session.client)) == 2 and found, "both workers").values())
    session.client.run(_leaves)

    def others() -> bool:
        now = set(pids(session.client).values())
        return len(now) == len(before) and not now & before

    until(others, "as many other workers")
    assert mt.ones((4,), chunk_size=1).sum().execute(session=session).fetch() == 4
