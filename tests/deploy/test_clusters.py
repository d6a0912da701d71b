"""Programs as Mars's documentation has them, against clusters of commands: ours, and plain Dask's."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import new_session
from tests.deploy.conftest import BIN, Start, registered, starting, supervisor
from tests.processes import PATIENCE

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def of_dask(start: Start, scheduler: str = "dask scheduler", worker: str = "dask worker") -> str:
    words = ["--host", "127.0.0.1", "--port", 0, "--dashboard-address", "127.0.0.1:0"]
    program, *more = scheduler.split()
    web = start(program, *more, *words).said(r"dashboard at:\s+(http://\S+)/status")
    identity = json.load(urllib.request.urlopen(f"{web}/json/identity.json", timeout=PATIENCE))
    program, *more = worker.split()
    for _ in range(2):
        start(
            program,
            *more,
            identity["address"],
            "--nthreads",
            1,
            "--host",
            "127.0.0.1",
            "--dashboard-address",
            "127.0.0.1:0",
        )
    return web


OLDER = pytest.mark.skipif(
    not (BIN / "dask-scheduler").exists(),
    reason="distributed from 2026.6 on has no dask-scheduler; `make test-oldest` has",
)


@pytest.fixture(params=["mars", "dask", pytest.param("older_dask", marks=[OLDER, pytest.mark.oldest])])
def web(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The web address of a cluster of two workers."""
    if request.param == "mars":
        yield request.getfixturevalue("mars")[0]
        return
    with starting(tmp_path) as start:
        found = of_dask(start) if request.param == "dask" else of_dask(start, "dask-scheduler", "dask-worker")
        registered(found, 2)
        yield found


def test_programs_of_mars_documentation(web):
    with new_session(web) as session:
        assert session.get_total_n_cpu() == 2
        a = mt.random.rand(2000, 2000, chunk_size=400)
        b = mt.random.rand(2000, 2000, chunk_size=400)
        product = mt.inner(a, b)
        frame = md.DataFrame(a)
        sums = frame.sum()
        product.execute()
        sums.execute()
        left, right = a.execute().fetch(), b.execute().fetch()
        assert left.shape == (2000, 2000)
        assert left.std() > 0.28  # and not, say, the same chunk every time
        assert len(np.unique(left[::400, ::400])) == 25
        np.testing.assert_allclose(product.fetch(), np.inner(left, right))
        pd.testing.assert_series_equal(sums.fetch(), pd.DataFrame(left).sum())
        ones = mt.ones((2000, 2000), chunk_size=400).execute().fetch()
        np.testing.assert_array_equal(ones, np.ones((2000, 2000)))


class Stay(urllib.request.HTTPRedirectHandler):
    """Redirects are told, not followed."""

    def redirect_request(self, *args):
        return None


def location(url: str) -> str:
    with pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.build_opener(Stay).open(url, timeout=PATIENCE)
    assert told.value.code == 302
    where = told.value.headers["Location"]
    told.value.close()
    return where


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE) as page:
        return page.read()


def test_one_port_has_dashboard_health_and_sessions(mars):
    web, _ = mars
    assert location(f"{web}/") == "/status"
    assert b"bokeh" in read(f"{web}/status").lower()
    assert read(f"{web}/health") == b"ok"
    told = json.loads(read(f"{web}/marsdask/engine/address.json"))
    assert told["address"].startswith("tcp://127.0.0.1:")
    assert told["listeners"] == [told["address"], web.replace("http", "ws")]
    for address in told["listeners"]:
        with new_session(address, default=False) as session:
            assert mt.ones(5).sum().execute(session=session).fetch(session=session) == 5


def test_the_web_of_the_first_generation(mars):
    """Its three commands: scheduler, web, worker. Everything passes: pages, the dashboard's websocket, sessions."""
    web, start = mars
    told = json.loads(read(f"{web}/marsdask/engine/address.json"))
    for where in (told["address"].removeprefix("tcp://"), web):
        command = start("mars-web", "-a", "127.0.0.1", "-p", 0, "-s", where)
        through = command.said(r"Web at (http://\S+),")
        assert through != web
        assert location(f"{through}/") == "/status"
        assert read(f"{through}/health") == b"ok"
        assert json.loads(read(f"{through}/marsdask/engine/address.json")) == told
        with new_session(through, default=False) as session:
            assert mt.ones(5).sum().execute(session=session).fetch(session=session) == 5
        with new_session(through.replace("http", "ws"), default=False) as session:
            big = mt.random.rand(1000, 500, chunk_size=250).execute(session=session)
            assert big.fetch(session=session).shape == (1000, 500)
        assert command.end() == 0


def test_mars_web_says_when_nobody_answers(start):
    boss, address, web = supervisor(start)
    command = start("mars-web", "-H", "127.0.0.1", "-s", web)
    through = command.said(r"Web at (http://\S+),")
    assert boss.end() == 0
    with pytest.raises(urllib.error.HTTPError) as told:
        read(f"{through}/health")
    assert told.value.code == 502
    assert address not in told.value.read().decode()
    assert command.end() == 0


def test_without_a_dashboard_the_port_serves_all_the_rest(start):
    _, address, web = supervisor(start, "--no-dashboard")
    assert location(f"{web}/") == "/info/main/workers.html"
    assert b"Workers" in read(f"{web}/info/main/workers.html")
    assert json.loads(read(f"{web}/marsdask/engine/address.json"))["address"] == address
    with new_session(web.replace("http", "ws"), default=False) as session:
        assert session.get_total_n_cpu() == 0


def test_a_plain_scheduler_with_our_preload_has_the_same_front_door(start):
    words = ["scheduler", "--host", "127.0.0.1", "--port", 0, "--dashboard-address", "127.0.0.1:0"]
    plain = start("dask", *words, "--preload", "marsdask.deploy.web")
    web = plain.said(r"dashboard at:\s+(http://\S+)/status")
    assert json.loads(read(f"{web}/marsdask/engine/address.json"))["address"].startswith("tcp://127.0.0.1:")
    assert location(f"{web}/") == "/status"


def test_the_flights_program_gives_on_a_cluster_what_it_gives_on_threads(mars, flights_tables, tmp_path):
    web, _ = mars
    program = Path(__file__).parent.parent.parent / "docs" / "examples" / "flights.py"

    def told(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, program, "--data", flights_tables, "--out", tmp_path, *words],
            env=os.environ | {"MPLBACKEND": "Agg"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.partition("Every result is equal")[0]

    assert "pandas: equal" in told("--session", web)
    assert told("--session", web) == told()
