"""What is larger than its worker is fetched in parts, and the worker stays."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import fetch, remote
from marsdask.engine import runs
from marsdask.session import Session, new_session
from tests.processes import at_once

pytestmark = [pytest.mark.processes, pytest.mark.slow]
ROWS = 2**25
CHUNK = 2**19


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with new_session(n_worker=1, memory="512m", default=False) as session:
        yield session


def table() -> Any:
    """1 GiB."""
    return mt.random.RandomState(1).rand(ROWS, 4, chunk_size=(CHUNK, 4))


def made(i: int) -> np.ndarray:
    return np.full(2**21, float(i))


def a_tensor(session: Session) -> float:
    return float(table().execute(session=session).fetch().sum())


def a_frame(session: Session) -> float:
    return float(md.DataFrame(table()).execute(session=session).to_pandas().to_numpy().sum())


def an_array(session: Session) -> float:
    x = table().execute(session=session)
    with session.active():
        return float(np.asarray(x).sum())


def results_of_functions(session: Session) -> float:
    handles = [remote.spawn(made, args=(i,)) for i in range(64)]
    session.execute(*handles)
    return float(sum(each.sum() for each in fetch(*handles, session=session)))


@pytest.mark.parametrize("way", [a_tensor, a_frame, an_array, results_of_functions])
def test_larger_than_its_worker(way: Callable[[Session], float], session: Session) -> None:
    before = session.client.run(os.getpid)
    with at_once():
        got = way(session)
    if way is results_of_functions:
        assert got == sum(i * 2**21 for i in range(64))
    else:
        with new_session(default=False) as threads:
            assert np.isclose(got, float(table().sum().execute(session=threads).fetch()))
    assert session.client.run(os.getpid) == before


def test_the_bar_counts_bytes(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marsdask.engine.client.AT_A_TIME", 8 * 1000)
    seen, check = [], runs.Run.check

    def noting(run: runs.Run, cause: Any = None) -> None:
        seen.append(run.progress())
        check(run, cause)

    x = mt.random.rand(10_000, chunk_size=500).execute(session=session)
    monkeypatch.setattr(runs.Run, "check", noting)
    x.fetch(session=session)
    monkeypatch.undo()
    assert seen == sorted(seen)
    assert len(set(seen)) >= 10
    assert 0.8 < max(seen) < 1
