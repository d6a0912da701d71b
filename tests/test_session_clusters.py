"""Sessions on clusters that were started by hand: plain `dask scheduler` and `dask worker` processes."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import dask
import distributed
import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.engine.workers import workers_of
from marsdask.errors import NoSuchSession, NotPicklable, WrongSession
from marsdask.session import Session, get_default_session, new_session
from tests.processes import (
    ENVIRONMENT,
    PATIENCE,
    Cluster,
    Gate,
    errors,
    plain_cluster,
    process,
    tasks_on,
    until,
)

pytestmark = [pytest.mark.processes, pytest.mark.oldest]


@pytest.fixture(scope="module")
def plain() -> Iterator[Cluster]:
    with plain_cluster(workers=2) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def watcher(plain: Cluster) -> Iterator[distributed.Client]:
    """A client that is none of ours."""
    with distributed.Client(plain.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        yield client


@pytest.fixture
def joined(plain: Cluster, watcher: distributed.Client) -> Iterator[Session]:
    with new_session(plain.address, default=False) as session:
        yield session


def child(program: str, *arguments: str) -> Any:
    """A process that runs a program of a user's, its output read line by line."""
    return process(
        sys.executable, "-u", "-c", textwrap.dedent(program), *arguments,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=os.getcwd(),
    )  # fmt: skip


class Joined:
    """A cluster object of somebody else's."""

    status = distributed.Status.running

    def __init__(self, address: str):
        self.scheduler_address = address

    def __await__(self) -> Any:
        return self._there().__await__()

    async def _there(self) -> "Joined":
        return self

    def close(self) -> None:
        raise AssertionError("a cluster that was given is not ours to close")


class Making(Joined):
    """One that makes the clients of its sessions, as clusters on Kubernetes do."""

    def session_client(self, *, as_default: bool, timeout: float | None = None) -> Any:
        self.asked = as_default, timeout
        self.made = distributed.Client(self.scheduler_address, set_as_default=as_default)
        return self.made


def test_programs_of_mars(joined: Session) -> None:
    joined.as_default()
    a = mt.random.rand(200, 200, chunk_size=50)
    b = mt.inner(a, a)
    whole = a.execute().fetch()
    np.testing.assert_allclose(b.execute().fetch(), np.inner(whole, whole))
    total = md.DataFrame(a).sum().execute().fetch()
    np.testing.assert_allclose(total, whole.sum(axis=0))
    assert float(mt.ones((200, 200), chunk_size=50).sum().execute().fetch()) == 40_000
    assert mr.spawn(lambda: 7).execute().fetch() == 7


def test_every_spelling_of_the_address(plain: Cluster, watcher: distributed.Client) -> None:
    for address in (plain.address, plain.address.removeprefix("tcp://"), plain.web, f"{plain.web}/", watcher):
        with new_session(address, default=False) as session:
            assert session.address == plain.address
            assert mt.ones(3).sum().execute(session=session).fetch() == 3
            assert session.get_total_n_cpu() == 2.0
            assert session.get_cluster_versions() == [marsdask.__version__]
            assert session.dashboard_link == f"{plain.web}/status"
            assert session.web_endpoint == plain.web
            assert isinstance(session.client, distributed.Client)
    assert watcher.status == "running"  # a client that was given is not ours to close


def test_a_cluster_object(plain: Cluster) -> None:
    with new_session(Joined(plain.address), default=False) as session:
        assert mt.ones(3).sum().execute(session=session).fetch() == 3


def test_a_cluster_object_that_makes_clients(plain: Cluster) -> None:
    cluster = Making(plain.address)
    with new_session(cluster, timeout=PATIENCE, default=False) as session:
        assert cluster.asked == (False, PATIENCE)
        assert session.engine.client is cluster.made  # type: ignore[attr-defined]
        assert mt.ones((4,), chunk_size=2).sum().execute(session=session).fetch() == 4
    assert cluster.made.status == "closed"


def test_sessions_are_isolated(plain: Cluster, joined: Session, watcher: distributed.Client) -> None:
    mine = (mt.ones(4, chunk_size=2) + 1).execute(session=joined)
    with new_session(plain.address, default=False) as other:
        assert other != joined
        assert other.address == joined.address
        for use in (mine.fetch, (mine + 1).execute, mine.execute, mine.fetch_infos):
            with pytest.raises(WrongSession, match=joined.session_id[:8]):
                use(session=other)
        theirs = (mt.ones(4, chunk_size=2) + 1).execute(session=other)  # equal work, with its own result
        assert theirs._result is not mine._result
        info = (mt.arange(5) * 2).execute(session=other, wait=False)
        assert info.result(timeout=PATIENCE).fetch().tolist() == [0, 2, 4, 6, 8]
    assert mine.fetch().tolist() == [2, 2, 2, 2]  # closing one leaves the other
    assert (mine * 2).execute(session=joined).fetch().tolist() == [4, 4, 4, 4]
    with pytest.raises(RuntimeError, match="Session closed already"):
        theirs.fetch(session=other)


def test_joining_a_session_by_its_id(plain: Cluster, joined: Session) -> None:
    same = new_session(plain.address, joined.session_id, new=False, default=False)
    assert same is joined
    assert new_session(session_id=joined.session_id, new=False, default=False) is joined
    assert new_session(plain.web, session_id=joined.session_id, default=False) is joined  # as in Mars
    with pytest.raises(KeyError, match="'nobody'") as caught:
        new_session(plain.address, "nobody", new=False)
    assert isinstance(caught.value, NoSuchSession)
    assert not joined.default
    program = """
        import sys
        from marsdask import new_session
        with new_session(sys.argv[1], sys.argv[2], new=False) as session:
            print("joined", session.session_id)
    """
    with child(program, plain.address, joined.session_id) as other:
        said, _ = other.communicate(timeout=PATIENCE)
    assert f"joined {joined.session_id}" in said
    joined.close()
    with pytest.raises(KeyError):
        new_session(plain.address, joined.session_id, new=False)


def test_closing_order_and_the_default(plain: Cluster, watcher: distributed.Client) -> None:
    first = new_session(plain.address)
    second = new_session(plain.address)
    t = (mt.ones(4, chunk_size=2) + 1).execute()
    assert get_default_session() is second
    first.stop_server()  # of a cluster that was joined: the session ends, the cluster goes on
    assert get_default_session() is second
    assert mt.ones(3).sum().execute().fetch() == 3
    assert dask.compute(t)[0].tolist() == [2, 2, 2, 2]  # by Dask's own spelling, on the cluster that is left
    second.close()
    assert dask.config.get("scheduler", None) is None
    assert get_default_session() not in (first, second)
    assert len(watcher.nthreads()) == 2
    assert "closed" in repr(first)
    assert "closed" in first._repr_html_()


def test_the_default_session_is_dasks_too(plain: Cluster, watcher: distributed.Client) -> None:
    with new_session(plain.address) as session:
        t = (mt.ones(4, chunk_size=2) + 1).execute()
        assert dask.compute(t)[0].tolist() == [2, 2, 2, 2]
        assert distributed.get_client() is session.client
    assert dask.config.get("scheduler", None) is None


def test_fetch_infos(joined: Session) -> None:
    t = (mt.arange(100, chunk_size=50) + 1).execute(session=joined)
    infos = t.fetch_infos()
    assert infos["memory_size"] == [400, 400]
    assert infos["level"] == ["memory", "memory"]
    assert len(set(infos["data_key"])) == 2
    workers = set(joined.client.nthreads())
    assert {band[0] for bands in infos["bands"] for band in bands} <= workers
    assert list(t.fetch_infos(fields=["bands"])) == ["bands"]
    with pytest.raises(TypeError, match="memory_sise"):
        t.fetch_infos(fields=["memory_sise"])
    with pytest.raises(ValueError, match="unexecuted"):
        joined.fetch_infos(mt.ones(3) + 2)


def test_performance_report(joined: Session, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    with joined.client.as_current(), distributed.performance_report(filename=str(report)):
        mt.sort(mt.random.rand(400, chunk_size=100)).execute(session=joined)
    text = report.read_text()
    assert "sort" in text
    assert "lambda" not in text.lower().split("bokeh")[0]


def test_performance_report_of_the_default_session(plain: Cluster, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    with new_session(plain.address), distributed.performance_report(filename=str(report)):
        md.DataFrame({"k": [1, 2, 1], "v": [1.0, 2.0, 3.0]}, chunk_size=1).groupby("k").v.sum().execute()
    assert "groupby" in report.read_text()


def test_ctrl_c_cancels_the_work_on_the_cluster(
    plain: Cluster, watcher: distributed.Client, tmp_path: Path
) -> None:
    program = """
        import signal, sys
        import marsdask.tensor as mt
        from marsdask import new_session
        from tests.processes import through

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        new_session(sys.argv[1])
        print("ready")
        try:
            mt.arange(500, chunk_size=1).map_chunk(through, (sys.argv[2],), dtype="i8").execute()
        except KeyboardInterrupt:
            print("interrupted")
        sys.stdin.read()  # still connected: the tasks do not go with the client
    """
    until(lambda: not tasks_on(watcher), "an empty scheduler")
    with (
        Gate(tmp_path / "gate") as gate,
        process(
            sys.executable, "-u", "-c", textwrap.dedent(program), plain.address, str(gate.folder),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as program_of_a_user,
    ):  # fmt: skip
        assert program_of_a_user.stdout is not None
        assert program_of_a_user.stdout.readline() == "ready\n"
        until(gate.came, "a task that runs")
        assert tasks_on(watcher) > 100
        program_of_a_user.send_signal(signal.SIGINT)
        assert program_of_a_user.stdout.readline() == "interrupted\n"
        until(lambda: not tasks_on(watcher), "no task of ours")
        assert program_of_a_user.poll() is None


def test_ctrl_c_in_a_terminal_leaves_a_local_cluster_alone(tmp_path: Path) -> None:
    """A terminal sends it to every process of the program."""
    program = """
        import signal, sys
        import marsdask.tensor as mt
        from marsdask import new_session
        from marsdask.engine.workers import workers_of
        from tests.processes import through

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        session = new_session(n_worker=2)
        kept = mt.ones(10, chunk_size=5).execute()
        workers = set(workers_of(session.client))
        print("ready")
        try:
            mt.arange(500, chunk_size=1).map_chunk(through, (sys.argv[1],), dtype="i8").execute()
        except KeyboardInterrupt:
            print("interrupted")
        print(float(kept.sum().execute().fetch()), set(workers_of(session.client)) == workers)
    """
    with (
        Gate(tmp_path / "gate") as gate,
        process(
            sys.executable, "-u", "-c", textwrap.dedent(program), str(gate.folder),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        ) as users,
    ):  # fmt: skip
        assert users.stdout is not None
        assert users.stdout.readline() == "ready\n"
        until(gate.came, "a task that runs")
        os.killpg(users.pid, signal.SIGINT)
        assert users.stdout.readline() == "interrupted\n"
        gate.open()
        said, errors = users.communicate(timeout=PATIENCE)
        assert said == "10.0 True\n"
        assert "Traceback" not in errors
        assert users.returncode == 0


@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(1)"])
def test_who_leaves_leaves_nothing(plain: Cluster, watcher: distributed.Client, end: str) -> None:
    program = f"""
        import os, sys
        import marsdask.tensor as mt
        from marsdask import new_session
        new_session(sys.argv[1])
        held = (mt.ones(100, chunk_size=10) + 1).execute()
        print("held")
        sys.stdin.readline()
        {end}
    """
    command = [sys.executable, "-u", "-c", textwrap.dedent(program), plain.address]
    before = set(watcher.list_datasets())
    with process(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as leaving:
        assert leaving.stdout is not None
        assert leaving.stdin is not None
        assert leaving.stdout.readline() == "held\n"
        noted = {n for n in watcher.list_datasets() if n.startswith("marsdask")} - before
        assert len(noted) == 1
        assert tasks_on(watcher) >= 10
        leaving.stdin.write("\n")
        leaving.stdin.flush()
        leaving.wait(PATIENCE)
        until(lambda: not tasks_on(watcher), "no task of ours")
        if end.startswith("sys"):
            assert not noted & set(watcher.list_datasets())
            published = watcher.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.clients))
            assert not [c for c in published if c.removeprefix("published-") in noted]


def test_what_was_sent_is_forgotten(two_workers: Session) -> None:
    """Streams of distributed keep their last messages, with the data of the tasks in them."""

    def run(times: int) -> None:
        for number in range(times):
            mt.tensor(np.full(60_000, number), chunk_size=30_000).sum().execute(session=two_workers)

    run(5)
    tracemalloc.start()
    try:
        run(100)  # of 480 kB
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 40e6


def test_runs_that_have_long_been_over_are_forgotten(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A scheduler of Dask keeps what each took as long as it lives."""
    monkeypatch.setattr("marsdask.engine.watch.SPANS_KEPT", 5)
    with new_session(n_worker=1, default=False) as session:

        def spans() -> Any:
            return session.engine.owned[1].scheduler.extensions["spans"]  # type: ignore[attr-defined]

        held = mt.ones(4, chunk_size=2).execute(session=session)
        own = spans().spans_search_by_name["default",][-1]
        for number in range(120):
            (mt.ones(4, chunk_size=2) * number).sum().execute(session=session)
        assert own.id in spans().spans
        counts = {len(spans().spans), len(spans().root_spans), len(spans().spans_search_by_tag["default"])}
        assert len(counts) == 1
        assert counts.pop() < 20
        of_runs = session.client.run(
            lambda dask_worker: [k for k in dask_worker.digests_total if k[0] == "execute"]
        )
        assert not any(of_runs.values())
        assert (held + 1).sum().execute(session=session).fetch() == 8
    assert not errors(caplog.records)


def test_local_cluster_is_patient_unless_somebody_said_otherwise(two_workers: Session) -> None:
    assert dask.config.get("distributed.deploy.lost-worker-timeout") == "300s"
    assert dask.config.get("distributed.scheduler.no-workers-timeout") == "5 minutes"
    assert dask.config.get("distributed.scheduler.worker-saturation") == 4.0
    assert two_workers.client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.WORKER_SATURATION) == 4.0
    assert set(two_workers.client.run(dask.config.get, "distributed.worker.profile.interval").values()) == {
        "100ms"
    }
    told = {"DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT": "7s"}
    told["DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION"] = "1.1"  # which is Dask's default too
    program = (
        "import dask\nfrom marsdask.engine import defaults\ndask.config.set({'distributed.deploy.lost-worker-timeout': '9s'})\n"
        "defaults.apply()\ndask.config.refresh()\ndefaults.apply()\n"
        "print(dask.config.get('distributed.scheduler.no-workers-timeout'))\n"
        "print(dask.config.get('distributed.scheduler.worker-saturation'))"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env=ENVIRONMENT | told,
        text=True,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    assert said.stdout == "7s\n1.1\n"


def test_local_cluster_of_one_command(two_workers: Session) -> None:
    assert two_workers.get_total_n_cpu() == 2.0
    assert set(two_workers.client.nthreads().values()) == {1}
    link = two_workers.dashboard_link
    assert link is not None
    assert link.startswith("http://127.0.0.1:")
    assert link.endswith("/status")
    assert two_workers.address.startswith("tcp://127.0.0.1:")
    assert link in two_workers._repr_html_()


def test_program_without_a_guard_starts_a_local_cluster(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from marsdask import new_session, remote\n"
        "print('once')\n"
        "with new_session(n_worker=1, dashboard=False):\n"
        "    def mine(x): return x * SCALE\n"
        "    SCALE = 3\n"
        "    print(remote.spawn(mine, args=(2,)).execute().fetch())\n"
    )
    said = subprocess.run(
        [sys.executable, program],
        env=ENVIRONMENT,
        text=True,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (said.stdout, said.returncode) == ("once\n6\n", 0), said.stderr
    assert "Traceback" not in said.stderr


def test_workers_are_told_whatever_the_client_notes_meanwhile() -> None:
    """distributed's `scheduler_info()` gives what it has noted last, and the client notes every two seconds that there are none."""
    with new_session(n_worker=1, default=False) as session:
        client = session.client
        client._scheduler_identity = {"workers": {}}
        assert len(workers_of(client)) == 1
    assert workers_of(client) == {}


def test_a_small_result_comes_in_one_round_and_is_the_clusters_afterwards(monkeypatch: Any) -> None:
    frame = pd.DataFrame({"k": [1, 2, 1], "v": [1.0, 2.0, 4.0]})
    with new_session(n_worker=1, default=False) as session:
        done = md.DataFrame(frame, chunk_size=2).groupby("k").sum()
        rounds, submit = [], session.engine.submit
        monkeypatch.setattr(session.engine, "submit", lambda *how: rounds.append(how) or submit(*how))
        done.execute(session=session)
        assert len(rounds) == 1
        ((_, keys),) = rounds
        assert len(keys) == 1  # and no task that looks at it
        gather = session.client.gather
        monkeypatch.setattr(session.client, "gather", None)
        first = done.fetch(session=session)
        pd.testing.assert_frame_equal(first, frame.groupby("k").sum())
        monkeypatch.setattr(session.client, "gather", gather)
        first.iloc[0] = -1
        pd.testing.assert_frame_equal(done.fetch(session=session), frame.groupby("k").sum())


def test_a_large_result_of_one_chunk_is_looked_at_where_it_is(monkeypatch: Any) -> None:
    frame = pd.DataFrame({"v": np.arange(20_000.0)})
    with new_session(n_worker=1, default=False) as session:
        monkeypatch.setattr(session.client, "gather", gathered := Mock(wraps=session.client.gather))
        done = (rows := md.DataFrame(frame, chunk_size=30_000))[rows.v > 9].execute(session=session)
        assert done.shape == (19_990, 1)
        ((look,),) = (call.args[0] for call in gathered.call_args_list)
        assert look.key.startswith("shape-")
        pd.testing.assert_frame_equal(done.fetch(session=session), frame[frame.v > 9])


def test_a_chunk_among_others_is_looked_at_when_it_is_made(monkeypatch: Any) -> None:
    """Later it may be on disk."""
    with new_session(n_worker=1, default=False) as session:
        monkeypatch.setattr(session.engine, "submit", submitted := Mock(wraps=session.engine.submit))
        md.DataFrame({"v": range(9)}, chunk_size=3).add(1).execute(session=session)
        ((_, keys),) = (call.args for call in submitted.call_args_list)
        assert len(keys) == 3 + 1


def test_what_cannot_be_sent_is_no_part_of_what_is_told() -> None:
    """An error of fetching it is not one of executing it."""
    with new_session(n_worker=1, default=False) as session:
        made = md.DataFrame({"a": [1, 2]}, chunk_size=1).a.map(lambda _: threading.Lock(), dtype=object)
        done = made.execute(session=session)
        with pytest.raises(NotPicklable):
            done.fetch(session=session)
        unsendable = session.client.submit(threading.Lock)
        session.engine.submit({}, [unsendable.key])
        assert session.engine.small(unsendable, 2**16) is None  # whatever its dtypes said
        with pytest.raises(NotPicklable):
            session.engine.values([unsendable])
