"""Work that is not waited for: progress, cancelling, awaiting, time limits, the bar; on threads and on a cluster."""

import asyncio
import concurrent.futures
import gc
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.engine.runs import Run, current, next_round
from marsdask.errors import Cancelled, TookTooLong
from marsdask.options import within
from marsdask.session import AsyncSession, Session, get_default_async_session, new_session
from marsdask.session.progress import ExecutionInfo
from tests.processes import NEVER, PATIENCE, Gate, tasks_on, through, until

MANY = 400  # chunks, more than there are cores to start them all at once


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    with Gate(tmp_path / "gate") as closed:
        yield closed


def fails(block: Any) -> Any:
    raise LookupError("the user's own")


def fails_late(block: Any, folder: str) -> Any:
    through(block, folder)
    raise LookupError("the user's own")


def held(gate: Gate, chunks: int = 40) -> Any:
    """A tensor of `chunks` chunks, each of which waits at the gate."""
    return mt.arange(chunks, chunk_size=1).map_chunk(through, (str(gate.folder),), dtype="i8")


def watched(info: ExecutionInfo, gate: Gate) -> list[float]:
    """How far something that is held was, from its start to its end; it is seen when a part of it is done."""
    seen = [info.progress()]
    gate.open(20)
    until(lambda: seen.append(info.progress()) or 0 < seen[-1] < 1, "some of it")
    gate.open()
    until(lambda: seen.append(info.progress()) or info.done(), "all of it")
    return seen


def started(session: Session, gate: Gate) -> int:
    """How many tasks of what was cancelled have started, when none does any more. Nobody may hold its ExecutionInfo."""
    client = session.client
    if client is None:
        gate.open()  # what waits goes on, and the rest would start
        until(lambda: over(session), "the end of the run")
        return gate.came()
    until(lambda: over(session), "the end of the run")
    until(lambda: not client.run_on_scheduler(unfinished), "a scheduler without work")
    gate.open()
    until(lambda: not any(client.run(executing).values()), "workers without work")
    return gate.came()


def over(session: Session) -> bool:
    gc.collect()
    return not any(run.cancelled for run in session.runs)


def unfinished(dask_scheduler: Any) -> int:
    return sum(task.state not in ("memory", "released", "erred") for task in dask_scheduler.tasks.values())


def executing(dask_worker: Any) -> int:
    return len(dask_worker.state.executing)


class TestEverywhere:
    """The same on threads and on worker processes."""

    def test_progress_grows_to_one(self, each_session: Session, gate: Gate) -> None:
        info = held(gate).sum().execute(wait=False)
        assert isinstance(info, ExecutionInfo)
        seen = watched(info, gate)
        assert seen == sorted(seen)
        assert info.progress() == 1.0
        assert info.result(timeout=PATIENCE).fetch() == sum(range(40))

    def test_progress_over_questions_never_goes_back(self, each_session: Session, gate: Gate) -> None:
        t = held(gate)
        info = mt.sort(t[t % 3 > 0]).execute(wait=False)
        seen = watched(info, gate)
        assert seen == sorted(seen)
        assert info.result(timeout=PATIENCE).fetch().tolist() == [i for i in range(40) if i % 3]

    def test_cancel(self, each_session: Session, gate: Gate) -> None:
        client = each_session.client
        before = tasks_on(client) if client is not None else 0  # what other tests of this session hold
        t = held(gate, MANY).sum()
        info = t.execute(wait=False)
        until(gate.came, "a task that runs")
        assert info.cancel()
        with pytest.raises(concurrent.futures.CancelledError):
            info.result(timeout=PATIENCE)
        assert info.done()
        assert info.cancelled()
        assert "cancelled" in repr(info)
        assert not t.is_executed()
        assert info.cancel()
        del info
        assert started(each_session, gate) < MANY  # nothing starts any more
        assert not t.is_executed()
        if client is not None:
            until(lambda: tasks_on(client) <= before, "no task of this run on the scheduler")

    def test_after_cancelling_it_runs_again(self, each_session: Session, gate: Gate) -> None:
        t = held(gate, 20).sum()
        info = t.execute(wait=False)
        info.cancel()
        gate.open()
        assert t.execute().fetch() == sum(range(20))

    def test_results_are_freed_with_their_last_handle(self, each_session: Session) -> None:
        gc.collect()
        before = len(each_session.results)
        gc.disable()
        try:
            info = (mt.ones(10, chunk_size=5) + 1).execute(wait=False)
            info.result(timeout=PATIENCE)
            assert len(each_session.results) == before + 1
            del info
            until(lambda: len(each_session.results) == before, "the results freed")
        finally:
            gc.enable()

    def test_errors(self, each_session: Session) -> None:
        info = mt.ones(3, chunk_size=1).map_chunk(fails, dtype="f8").execute(wait=False)
        with pytest.raises(LookupError, match="the user's own"):
            info.result(timeout=PATIENCE)
        assert isinstance(info.exception(), LookupError)
        assert not info.cancel()

    def test_result_in_time(self, each_session: Session, gate: Gate) -> None:
        info = held(gate, 2).execute(wait=False)
        with pytest.raises(TimeoutError):
            info.result(timeout=0.01)
        gate.open()
        assert info.result(timeout=PATIENCE).fetch().tolist() == [0, 1]

    def test_several_at_once(self, each_session: Session, gate: Gate) -> None:
        infos = [(held(gate, 4) * n).sum().execute(wait=False) for n in range(6)]
        gate.open()
        concurrent.futures.wait([i.get_future() for i in infos], timeout=PATIENCE)
        assert [int(i.result(timeout=PATIENCE).fetch()) for i in infos] == [6 * n for n in range(6)]
        both = marsdask.execute(mt.ones(2), mt.zeros(2), wait=False).result(timeout=PATIENCE)
        assert [b.fetch().tolist() for b in both] == [[1, 1], [0, 0]]

    def test_await_from_any_loop(self, each_session: Session, gate: Gate) -> None:
        async def several() -> list[Any]:
            infos = [(mt.ones(4, chunk_size=2) * n).sum().execute(wait=False) for n in range(3)]
            return await asyncio.gather(*infos)

        for _ in range(2):
            assert [t.fetch() for t in asyncio.run(several())] == [0, 4, 8]

        async def impatient() -> None:
            await asyncio.wait_for(held(gate, MANY).execute(wait=False), 0.3)

        with pytest.raises(TimeoutError):
            asyncio.run(impatient())
        assert started(each_session, gate) < MANY  # who stops waiting stops the work

    def test_the_bar(self, each_session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with Gate(tmp_path / "some") as gate, ThreadPoolExecutor(1) as pool:
            opening = pool.submit(opened, gate, 5)
            held(gate, 10).sum().execute(show_progress=True, progress_update_interval=0.05)
            opening.result()
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert len({part.split("%")[0][-3:] for part in said.err.split("\r") if "%" in part}) > 2
        assert "100%" in said.err
        held(gate, 2).sum().execute()
        with marsdask.option_context({"show_progress": False}):
            held(gate, 2).sum().execute()
        assert capsys.readouterr().err == ""
        with Gate(tmp_path / "none") as gate, ThreadPoolExecutor(1) as pool:
            opening = pool.submit(opened, gate)
            with pytest.raises(LookupError):
                mt.ones(1).map_chunk(fails_late, (str(gate.folder),), dtype="f8").execute(show_progress=True)
            opening.result()
        said = capsys.readouterr()
        assert "0% completed" in said.err
        assert "100%" not in said.err

    def test_the_bar_as_an_option(
        self, each_session: Session, gate: Gate, capsys: pytest.CaptureFixture[str]
    ) -> None:
        gate.open()
        with marsdask.option_context({"show_progress": True}):
            held(gate, 2).sum().execute()
            assert "100%" in capsys.readouterr().err
            mr.spawn(inner).execute(show_progress=False)
            assert "100%" not in capsys.readouterr().err  # nothing from inside of tasks

    def test_how_far_a_function_says_it_is(self, each_session: Session, tmp_path: Path) -> None:
        info = mr.spawn(half, args=(str(tmp_path / "go"),)).execute(wait=False)
        until(lambda: info.progress() >= 0.5, "half of it")
        assert info.progress() < 1
        (tmp_path / "go").touch()
        assert info.result(timeout=PATIENCE).fetch() == "done"
        assert info.progress() == 1.0

    def test_closing_cancels(self, gate: Gate) -> None:
        with new_session(default=False) as session:
            info = held(gate, MANY).execute(session=session, wait=False)
            until(gate.came, "a task that runs")
        gate.open()
        with pytest.raises(concurrent.futures.CancelledError):
            info.result(timeout=PATIENCE)


def opened(gate: Gate, some: int = 0) -> None:
    """Open the gate when there is an empty bar on the screen, and one that is filled in part where `some` may pass first."""

    def shown() -> list[int]:
        return [int(percent) for percent in re.findall(r"(\d+)% completed", sys.stderr.getvalue())]

    until(lambda: 0 in shown(), "an empty bar")
    if some:
        gate.open(some)
        until(lambda: any(0 < percent < 100 for percent in shown()), "a bar that grows")
    gate.open()


def inner() -> Any:
    return mt.ones(3).sum().execute().fetch()


def half(gate: str) -> str:
    marsdask.get_context().set_progress(0.5)
    until(lambda: Path(gate).exists(), "the gate")
    return "done"


@pytest.fixture
def hurried(request: pytest.FixtureRequest, each_session: Session) -> Iterator[Session]:
    """The same session while it has a time limit."""
    each_session.timeout = NEVER
    yield each_session
    each_session.timeout = None


def test_a_session_with_a_time_limit(hurried: Session, gate: Gate) -> None:
    assert mt.ones(3).sum().execute().fetch() == 3
    hurried.timeout = 0.5
    with pytest.raises(TimeoutError, match="timeout=") as caught:
        held(gate, MANY).execute()
    assert isinstance(caught.value, TookTooLong)
    del caught
    assert started(hurried, gate) < MANY


def test_checks_of_mars_are_taken() -> None:
    t = mt.ones(3) + 6
    how = {"extra_config": {"check_nsplits": False, "check_all": True, "chunk_size": 2}}
    assert t.execute(**how).fetch(extra_config={"check_nsplits": False}).tolist() == [7, 7, 7]
    for call in (t.execute, t.fetch, marsdask.fetch):
        with pytest.raises(AttributeError, match="chunk_sise"):
            call(*[t] * (call is marsdask.fetch), extra_config={"chunk_sise": 2})
        with pytest.raises(TypeError, match="extra_config"):
            call(*[t] * (call is marsdask.fetch), extra_config="check_all")


@pytest.mark.parametrize(
    "bad",
    [
        {"show_progress": "yes"},
        {"show_progress": 2.0},
        {"progress_update_interval": 0},
        {"progress_update_interval": "1s"},
        {"progress_update_interval": float("nan")},
        {"extra_config": {"chunk_sise": 2}},
        {"nonsense": 1},
        {"session": "local"},
    ],
    ids=str,
)
@pytest.mark.parametrize("wait", [True, False])
def test_bad_arguments_of_execute(bad: dict[str, Any], wait: bool) -> None:
    t = mt.ones(3) + 5
    with (
        new_session(default=False) as session,
        pytest.raises((ValueError, TypeError, AttributeError)) as caught,
    ):
        t.execute(**{"session": session, "wait": wait} | bad)
    assert next(iter(bad)) in str(caught.value) or "chunk_sise" in str(caught.value)
    assert not t.is_executed()


def cancelled_inside(run: Run, stop: Any) -> None:
    with run.round(lambda: 0.0, stop):
        run.cancel()
        raise ConnectionError("what the end of the work looks like from here")


class TestRun:
    """How far a run is, without any engine."""

    def test_rounds(self) -> None:
        run, far = Run(), [0.0]
        assert run.progress() == 0
        with within(current, run):
            assert current.get() is run
            for share, upto in ((0.5, 0.5), (0.5, 0.75), (1.0, 1.0)):
                next_round(share)
                start = run.progress()
                with run.round(lambda: far[0]):
                    far[0] = 0.5
                    assert run.progress() == pytest.approx((start + upto) / 2)
                    far[0] = 0.0
                    assert run.progress() == pytest.approx((start + upto) / 2)  # never back
                far[0] = 0.0
                assert run.progress() == pytest.approx(upto)

    def test_cancelled_between_rounds(self) -> None:
        run, stopped = Run(), threading.Event()
        with pytest.raises(Cancelled):
            cancelled_inside(run, stopped.set)
        assert stopped.is_set()
        with pytest.raises(Cancelled), run.round(lambda: 0.0):
            raise AssertionError("no round begins any more")

    def test_a_run_inside_of_one_stops_with_it(self) -> None:
        outer = Run()
        with within(current, outer):
            inside = Run()
        outer.cancel()
        with pytest.raises(Cancelled):
            inside.check()


def test_async_session(each_session: Session) -> None:
    async def program() -> None:
        session = get_default_async_session()
        assert session is not None
        assert session == AsyncSession(each_session)
        assert session.default
        frame = md.DataFrame({"a": [3, 1, 2]}, chunk_size=2)
        total = frame.a.sum()
        info = await session.execute(total)
        await info
        assert await session.fetch(total) == 6
        (about,) = await session.fetch_infos(total, fields=["memory_size"])
        assert about["memory_size"][0] > 0
        assert await session.get_total_n_cpu() == each_session.get_total_n_cpu()
        assert await session.get_cluster_versions() == [marsdask.__version__]
        assert await session.get_web_endpoint() == each_session.get_web_endpoint()
        with pytest.raises(NotImplementedError, match="stateful"):
            session.create_mutable_tensor((2, 2))
        async with await AsyncSession.init(default=False) as other:
            assert other != session
            await (await other.execute(t := mt.ones(3)))
            assert np.array_equal(await other.fetch(t), [1, 1, 1])
        assert other.closed

    asyncio.run(program())
