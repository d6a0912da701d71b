"""The scheduler is killed: a program goes on with the same answers once there is one again, or is told."""

import asyncio
import logging
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import distributed
import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context, remote
from marsdask.errors import SchedulerLost, WrongSession
from marsdask.session import Session, new_session
from tests.faults.processes import Bare, digest
from tests.processes import NEVER, PATIENCE, Gate, at_once, errors, through, until

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Bare]:
    with Bare(tmp_path) as cluster, option_context({"cluster.reconnect_timeout": PATIENCE}):
        yield cluster.start()


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The test fails where distributed's client logs an error; it hands none on to where pytest looks."""
    log = logging.getLogger("distributed.client")
    log.addHandler(caplog.handler)
    yield
    log.removeHandler(caplog.handler)
    assert not errors(caplog.get_records("call")), caplog.text


def double(x: Any) -> Any:
    return x * 2


def halves(x: Any) -> Any:
    return x / 2, x / 4


def program() -> dict[str, Any]:
    """Handles of every kind of lineage: unseeded data, data in memory, what lowerings keep, writes, views, siblings."""
    noise = mt.random.rand(3000, chunk_size=700)
    memory = mt.tensor(np.arange(5000.0), chunk_size=900)
    written = mt.random.rand(40, 30, chunk_size=16)
    view = written[3:20:2]
    view[2] = 7
    written[written > 0.9] = 0
    rows = md.DataFrame(
        pd.DataFrame({"k": np.arange(500) % 7, "v": np.arange(500.0)}, index=[f"r{i}" for i in range(500)]),
        chunk_size=80,
    )
    rows["w"] = rows.v * 3
    values, counts = mt.unique(mt.tensor(np.arange(60) % 9, chunk_size=11), return_counts=True)
    first, second = remote.spawn(halves, 21.0, n_output=2)
    return {
        "noise": noise,
        "sum": noise.sum(),
        "sorted": mt.sort(noise[noise > 0.4]),
        "memory": memory,
        "written": written,
        "view": view,
        "grouped": rows.groupby("k").agg({"v": "mean", "w": "sum"}),
        "sorted rows": rows.sort_values("v", ascending=False),
        "filtered": rows[rows.v > 100].k,
        "labels": rows.index,
        "values": values,
        "counts": counts,
        "remote": remote.spawn(double, noise.sum()),
        "first": first,
        "second": second,
    }


def test_same_answers_after_a_restart(bare: Bare) -> None:
    with new_session(bare.address, default=False) as session:
        session.engine.client.wait_for_workers(2, timeout=PATIENCE)  # type: ignore[attr-defined]
        handles = program()
        for handle in handles.values():  # one by one: many results, each the input of others
            handle.execute(session=session)
        before = {name: digest(h.fetch()) for name, h in handles.items()}
        derived = (handles["noise"][100:200] + 1).cumsum()  # reads what was executed, itself not run yet
        slice_before = digest(handles["memory"][17:30].fetch(session=session))
        bare.end()
        bare.start()

        assert digest(handles["grouped"].fetch()) == before["grouped"]  # without a word to execute()
        assert digest(handles["memory"][17:30].fetch(session=session)) == slice_before
        for name, handle in handles.items():
            handle.execute(session=session)
            assert digest(handle.fetch()) == before[name], name
        noise = handles["noise"].fetch()
        np.testing.assert_array_equal(derived.execute(session=session).fetch(), (noise[100:200] + 1).cumsum())
        assert len({id(r) for r in session.results.values()}) >= len(handles)


def added(block: Any, folder: str) -> Any:
    return through(block, folder) + 1


def test_lost_while_it_runs(bare: Bare, tmp_path: Path) -> None:
    with new_session(bare.address, default=False) as session:
        session.engine.client.wait_for_workers(2, timeout=PATIENCE)  # type: ignore[attr-defined]
        start = mt.random.rand(40, chunk_size=2).execute(session=session)
        want = start.fetch() + 1
        with Gate(tmp_path / "gate") as gate:
            gate.open(4)
            running = start.map_chunk(added, (str(gate.folder),), dtype="f8").execute(
                session=session, wait=False
            )
            until(lambda: gate.came() >= 6, "a task that waits on each worker")
            assert not running.done()
            bare.end()
        bare.start()
        done = running.result(timeout=PATIENCE)
        np.testing.assert_array_equal(done.fetch(), want)


@pytest.mark.usefixtures("quiet")
def test_back_where_an_attempt_to_connect_hangs(bare: Bare) -> None:
    with new_session(bare.address, default=False) as session:
        t = mt.random.rand(10, chunk_size=5).execute(session=session)
        want = t.fetch()
        bare.end()
        with socket.create_server(("127.0.0.1", bare.port)) as mute:
            mute.settimeout(PATIENCE)
            held, _ = mute.accept()  # the client's own attempt to reconnect
        with held:  # to which nobody will ever say a word
            bare.start()
            np.testing.assert_array_equal(t.fetch(), want)
            until(lambda: len(bare_clients(bare)) == 1, "a scheduler with one client of ours")


@pytest.mark.usefixtures("quiet")
def test_back_where_the_client_comes_back_while_it_is_closed(bare: Bare) -> None:
    with new_session(bare.address, default=False) as session:
        t = mt.random.rand(10, chunk_size=5).execute(session=session)
        want = t.fetch()
        client = session.engine.client  # type: ignore[attr-defined]
        loop = client.loop.asyncio_loop
        ends, asks = client.rpc.close, client._update_scheduler_info

        async def late(*args: Any) -> None:  # between the connection and the client's name at the scheduler
            while session.engine.client is client:  # type: ignore[attr-defined]
                await asyncio.sleep(0.01)
            await asks(*args)  # there is another in its place; it is being closed

        async def slowly() -> None:  # as where connections are being made
            await ends()
            await asyncio.sleep(0.1)

        client.rpc.close = slowly
        client._update_scheduler_info = late
        bare.end()
        bare.start()
        np.testing.assert_array_equal(t.fetch(), want)
        assert client is not session.engine.client  # type: ignore[attr-defined]
        until(loop.is_closed, "the end of the other client's thread")


def bare_clients(bare: Bare) -> list[str]:
    """The clients that the scheduler knows, without the one that asks."""
    with distributed.Client(bare.address, set_as_default=False) as asking:
        known = asking.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.clients))
        return [name for name in known if name.startswith("Client") and name != asking.id]


@pytest.mark.usefixtures("quiet")
def test_named_where_it_does_not_come_back(bare: Bare) -> None:
    session: Session = new_session(bare.address, default=False)
    t = mt.random.rand(10, chunk_size=5).execute(session=session)
    want = t.fetch()
    bare.end()
    with option_context({"cluster.reconnect_timeout": 2}):
        with pytest.raises(SchedulerLost, match=f"{bare.address}.*not back after 2 s") as caught:
            t.fetch()
        assert isinstance(caught.value, ConnectionError)
        with pytest.raises(SchedulerLost, match="not back"):
            (t + 1).execute(session=session)
    with new_session(default=False) as other, pytest.raises(WrongSession):
        t.execute(session=other)
    client = session.engine.client  # type: ignore[attr-defined]
    until(lambda: client.status == "closed", "the end of Dask's own attempts")
    bare.start()
    np.testing.assert_array_equal(t.fetch(), want)  # in the same session, which others find again
    noted = session.engine.client.list_datasets()  # type: ignore[attr-defined]
    assert any(session.session_id in name for name in noted)
    session.engine.client.loop.add_callback(time.sleep, 1)  # type: ignore[attr-defined]  # it learns of the end when asked
    bare.end()
    patient = {"distributed.comm.timeouts.connect": f"{NEVER} s"}
    with at_once(), dask.config.set(patient), option_context({"cluster.reconnect_timeout": NEVER}):
        session.close()
    with new_session(default=False) as other:  # the expression is still there
        np.testing.assert_array_equal(t.execute(session=other).fetch(), want)
