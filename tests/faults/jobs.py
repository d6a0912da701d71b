"""The jobs of the campaign of faults: work of every room, each beside what gives the same without a cluster."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import remote
from marsdask.session import Session

Job = tuple[Callable[[Session], Any], Callable[[], Any]]
"""What runs it in a session, and what gives the same without one."""


def _cells(rng: random.Random) -> tuple[np.ndarray, int]:
    rows, columns = rng.randrange(200, 1500), rng.randrange(20, 200)
    return np.random.default_rng(rng.randrange(2**32)).random((rows, columns)), rng.randrange(50, 400)


def _ran(handle: Any) -> Callable[[Session], Any]:
    return lambda session: handle.execute(session=session, show_progress=False).fetch(session=session)


def tensors(rng: random.Random) -> Job:
    a, chunk = _cells(rng)
    t, axis = mt.tensor(a, chunk_size=chunk), rng.choice([0, 1])
    kind = rng.randrange(6)
    pairs: list[tuple[Any, Callable[[], Any]]] = [
        ((t * 2 + mt.sqrt(t)).sum(axis=axis), lambda: (a * 2 + np.sqrt(a)).sum(axis=axis)),
        (t @ t.T, lambda: a @ a.T),
        (mt.sort(t.reshape(-1)), lambda: np.sort(a.reshape(-1))),
        (mt.cumsum(t, axis=axis), lambda: np.cumsum(a, axis=axis)),
        (mt.median(t, axis=axis), lambda: np.median(a, axis=axis)),
        (t[t > 0.5].mean(), lambda: a[a > 0.5].mean()),
    ]
    return _ran(pairs[kind][0]), pairs[kind][1]


def rechunked(rng: random.Random) -> Job:
    a, chunk = _cells(rng)
    t = mt.tensor(a, chunk_size=chunk).rechunk(rng.randrange(30, 300))
    return _ran(t[::-1] + 1), lambda: a[::-1] + 1


def _table(rng: random.Random) -> tuple[pd.DataFrame, int]:
    rows = rng.randrange(2_000, 30_000)
    of = np.random.default_rng(rng.randrange(2**32))
    table = pd.DataFrame(
        {
            "k": of.integers(0, rng.randrange(2, 3000), rows),
            "v": of.random(rows),
            "w": of.integers(-5, 5, rows),
            "s": np.array(["a", "bb", "ccc", None], dtype=object)[of.integers(0, 4, rows)],
        }
    )
    return table, rng.randrange(rows // 12, rows)


def frames(rng: random.Random) -> Job:
    table, chunk = _table(rng)
    frame = md.DataFrame(table, chunk_size=chunk)
    other = _table(rng)[0]
    small = other.drop_duplicates("k")[["k", "w"]]
    kind = rng.randrange(6)
    pairs: list[tuple[Any, Callable[[], Any]]] = [
        (
            frame.groupby("k").agg({"v": "max", "w": "sum"}),
            lambda: table.groupby("k").agg({"v": "max", "w": "sum"}),
        ),
        (frame.sort_values("v"), lambda: table.sort_values("v")),
        (
            frame.merge(md.DataFrame(small, chunk_size=max(len(small) // 3, 1)), on="k"),
            lambda: table.merge(small, on="k"),
        ),
        (frame[frame.w > 0].v.describe(), lambda: table[table.w > 0].v.describe()),
        (frame.s.value_counts(), lambda: table.s.value_counts()),
        (frame.v.rolling(7).mean(), lambda: table.v.rolling(7).mean()),
    ]
    return _ran(pairs[kind][0]), pairs[kind][1]


def _squared(x: Any, seconds: float) -> Any:
    time.sleep(seconds)
    return x**2


def functions(rng: random.Random) -> Job:
    numbers = [rng.randrange(1000) for _ in range(rng.randrange(2, 12))]
    seconds = rng.uniform(0, 0.3)

    def run(session: Session) -> Any:
        handles = [remote.spawn(_squared, args=(n, seconds)) for n in numbers]
        session.execute(*handles, show_progress=False)
        values = session.fetch(*handles)
        return list(values)

    return run, lambda: [n**2 for n in numbers]


def chunks(rng: random.Random) -> Job:
    a, chunk = _cells(rng)
    seconds = rng.uniform(0, 0.1)
    t = mt.tensor(a, chunk_size=chunk).map_chunk(_squared, (seconds,), dtype="f8")
    return _ran(t), lambda: a**2


def checkpoints(rng: random.Random) -> Job:
    a, chunk = _cells(rng)

    def run(session: Session) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            t = mt.sort(mt.tensor(a, chunk_size=chunk), axis=0)
            return t.checkpoint(folder, session=session).fetch(session=session)

    return run, lambda: np.sort(a, axis=0)


def random_numbers(rng: random.Random) -> Job:
    """Without a twin in NumPy: twice the same from one handle, whatever was lost between."""
    t = mt.random.rand(rng.randrange(1000, 100_000), chunk_size=rng.randrange(500, 20_000))

    def run(session: Session) -> Any:
        first = t.execute(session=session, show_progress=False).fetch(session=session)
        return float(
            np.abs(first - (t + 0).execute(session=session, show_progress=False).fetch(session=session)).max()
        )

    return run, lambda: 0.0


JOBS = (tensors, tensors, rechunked, frames, frames, frames, functions, chunks, checkpoints, random_numbers)


def same(got: Any, want: Any) -> bool:
    """Equal, floats to a few units in the last place: chunks are added in another order."""
    try:
        if isinstance(want, pd.DataFrame):
            pd.testing.assert_frame_equal(got, want, rtol=1e-9)
        elif isinstance(want, pd.Series):
            pd.testing.assert_series_equal(got, want, rtol=1e-9)
        else:
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-9, atol=1e-12)
    except AssertionError:
        return False
    return True
