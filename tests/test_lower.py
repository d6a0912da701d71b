"""Questions of lowerings: answered together, computed once, closed always, with errors that name the operation."""

import os
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context
from marsdask.dataframe.files import parquet
from marsdask.engine.base import Threads
from marsdask.plan import registry
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import TensorMeta
from marsdask.session import Session
from tests.oracle import assert_like
from tests.processes import PATIENCE

CALLS: list[str] = []


def noted(block: Any, name: str = "work") -> Any:
    CALLS.append(name)
    return block


@pytest.fixture
def ops() -> Iterator[Any]:
    """Register operations for one test."""
    before = dict(registry.OPS)
    CALLS.clear()

    def register(name: str, lower: Any, meta: Any = lambda a, *args: TensorMeta(a.shape, a.dtype)) -> Any:
        registry.lowered(name, room="test", meta=meta)(lower)
        return lambda *args: registry.make(name, *args)

    yield register
    registry.OPS.clear()
    registry.OPS.update(before)


class Counting(Threads):
    """Counts the runs."""

    def __init__(self) -> None:
        self.runs = 0

    def submit(self, tasks: Any, keys: Any) -> Any:
        self.runs += 1
        return super().submit(tasks, keys)


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(Counting()) as session:
        yield session


def test_questions_of_branches_are_answered_in_one_run(ops: Any, session: Session) -> None:
    def asks(a: Any) -> Any:
        total = yield Ask(a.sum())
        return a / total

    ask = ops("asks", asks)
    x, y = mt.tensor([1.0, 3.0], chunk_size=1), mt.tensor([2.0, 2.0], chunk_size=1)
    both = ask(x) + ask(y)
    both.execute(session=session)
    assert both.fetch().tolist() == [0.75, 1.25]
    assert session.engine.runs == 2  # the questions, and the rest


def test_chains_of_questions(ops: Any, session: Session) -> None:
    def twice(a: Any) -> Any:
        low, high = yield Ask(a.min(), a.max())
        mean = yield Ask((a - low).mean())
        return (a - low - mean) / (high - low)

    x = ops("twice", twice)(mt.tensor([1.0, 2.0, 5.0], chunk_size=2))
    x.execute(session=session)
    np.testing.assert_allclose(x.fetch(), (np.array([0, 1, 4]) - 5 / 3) / 4)
    assert session.engine.runs == 3


def test_what_is_kept_is_computed_once(ops: Any, session: Session) -> None:
    def work(a: Any) -> Any:
        return a.map_blocks(noted, dtype=a.dtype, meta=np.empty(0))

    def keeps(a: Any) -> Any:
        a = yield Keep(a)
        total = yield Ask(a.sum())
        return a / total

    worked = ops("work", work)(mt.tensor([1.0, 2.0, 5.0], chunk_size=1))
    result = ops("keeps", keeps)(worked) + worked  # another user of what is kept
    result.execute(session=session)
    assert len(CALLS) == 3
    np.testing.assert_allclose(result.fetch(), np.array([1, 2, 5]) * (1 + 1 / 8))


def test_kept_arrays_have_known_sizes(ops: Any, session: Session) -> None:
    seen = []

    def halves(a: Any) -> Any:
        seen.append(a.chunks)
        return a[: a.shape[0] // 2]

    x = mt.tensor(np.arange(6.0), chunk_size=4)
    first = ops("halves", halves, meta=lambda a: TensorMeta((float("nan"),), a.dtype))(x[x > 1])
    first.execute(session=session)
    assert seen == [((2, 2),)]
    assert first.fetch().tolist() == [2.0, 3.0]


def test_failure_in_a_question_names_the_operation(ops: Any, session: Session) -> None:
    closed = []

    def fails(a: Any) -> Any:
        try:
            yield Ask(a.map_blocks(broken, dtype=a.dtype, meta=np.empty(0)))
        finally:
            closed.append(True)

    x = ops("fails", fails)(mt.ones((2,)))
    with pytest.raises(ZeroDivisionError) as caught:
        x.execute(session=session)
    assert any("'fails'" in note for note in caught.value.__notes__)
    assert closed == [True]
    assert mt.ones((2,)).sum().execute(session=session).fetch(session=session) == 2


def broken(block: Any) -> Any:
    raise ZeroDivisionError("as asked")


def test_other_generators_are_closed_when_one_fails(ops: Any, session: Session) -> None:
    closed = []

    def waits(a: Any) -> Any:
        try:
            yield Ask(a.sum())
            yield Ask(a.sum())
        finally:
            closed.append(True)
        return a

    def fails_later(a: Any) -> Any:
        yield Ask(a.sum())
        raise LookupError("after its answer")

    x = mt.ones((2,))
    wait, fail = ops("waits", waits), ops("fails_later", fails_later)
    with pytest.raises(LookupError):
        (fail(x) + wait(x) + wait(x + 1)).execute(session=session)
    assert closed == [True, True]


def test_error_in_a_lowering_names_the_operation(ops: Any, session: Session) -> None:
    def wrong(a: Any) -> Any:
        raise LookupError("no")

    with pytest.raises(LookupError) as caught:
        ops("wrong_lowering", wrong)(mt.ones((2,))).execute(session=session)
    assert any("'wrong_lowering'" in note for note in caught.value.__notes__)


def test_lowering_that_asks_nothing_twice_is_shared(ops: Any, session: Session) -> None:
    def work(a: Any) -> Any:
        return a.map_blocks(noted, dtype=a.dtype, meta=np.empty(0))

    x = mt.ones((2,), chunk_size=2)
    worked = ops("work", work)
    both = worked(x) + worked(x)  # two equal nodes
    both.execute(session=session)
    assert len(CALLS) == 1


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread only"
)
@pytest.mark.parametrize("in_question", [False, True])
def test_interruption_leaves_the_session_usable(ops: Any, session: Session, in_question: bool) -> None:
    closed = []
    begun, go_on = threading.Event(), threading.Event()

    def slow(block: Any) -> Any:
        begun.set()
        assert go_on.wait(PATIENCE)
        return block

    def interrupt() -> None:
        if begun.wait(PATIENCE):
            os.kill(os.getpid(), signal.SIGINT)
            # Wakes the main thread too: a signal that comes just before it waits for a lock does not end the waiting.
            go_on.set()

    def sleeps(a: Any) -> Any:
        lazy = a.map_blocks(slow, dtype=a.dtype, meta=np.empty(0))
        if not in_question:
            return lazy
        try:
            yield Ask(lazy)
        finally:
            closed.append(True)
        return a

    def plain(a: Any) -> da.Array:
        return a.map_blocks(slow, dtype=a.dtype, meta=np.empty(0))

    x = ops("sleeps", sleeps if in_question else plain)(mt.ones((40,), chunk_size=1))
    # A shell that starts tests in the background has them ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            x.execute(session=session)
        interrupting.join()
    finally:
        go_on.set()
        signal.signal(signal.SIGINT, before)
    assert not x.is_executed()
    assert closed == [True] * in_question
    assert (mt.ones((2,)) + 1).execute(session=session).fetch().tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("share", "times"), [(8, 1), (1e9, 2)])
@pytest.mark.parametrize("end", ["rows", "number"])
def test_what_questions_work_out_on_the_way_is_not_worked_out_again(
    each_session: Session, tmp_path: Path, share: float, times: int, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is small: groups of eight chunks ask how many there are, and what is grouped is looked at again."""
    monkeypatch.setattr(sys.modules["marsdask.session.base"], "SPARE", share)
    raw = pd.DataFrame({"k": np.arange(800) % 7, "v": np.arange(800)})
    noted = tmp_path / "calls"

    def doubled(chunk: pd.DataFrame) -> pd.DataFrame:
        with noted.open("a") as file:
            file.write(f"{len(chunk)}\n")
        return chunk.assign(v=chunk.v * 2)

    def query(rows: Any) -> Any:
        sums = rows.groupby("k").agg(n=("v", "sum")).reset_index()
        both = rows.merge(sums, on="k")
        return both.v[both.n > both.v].sum() if end == "number" else both

    frame = md.DataFrame(raw, chunk_size=100)
    got = query(frame.map_chunk(doubled, output_type="dataframe", dtypes=raw.dtypes)).execute().fetch()
    assert_like(got, query(raw.assign(v=raw.v * 2)))
    assert noted.read_text().split() == ["100"] * 8 * times


@pytest.mark.parametrize("drop", [True, False])
def test_files_are_read_again_for_what_is_looked_at_then(
    drop: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The late rows are held on the way to the first question; the second reading wants two columns of four."""
    rng = np.random.default_rng(0)
    raw = pd.DataFrame({n: rng.integers(0, 50, 900) for n in ("k", "s", "due", "came", "else")})
    raw.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    read: list[tuple[str, ...]] = []
    real = parquet._read_piece

    def noted(piece: Any, plan: Any, columns: Any) -> Any:
        read.append(tuple(sorted(plan.columns(columns))))
        return real(piece, plan, columns)

    monkeypatch.setattr(parquet, "_read_piece", noted)

    def query(rows: Any) -> Any:
        late = rows.loc[rows.came > rows.due, ["k", "s"]]
        few = late.groupby("k").agg(n=("s", "sum")).reset_index()
        item = rows[["k", "s"]]
        return item[item.k.isin(few.k[few.n > 600])].merge(late[late.s > 48], on="k").s_x.sum()

    with option_context({"optimize.drop": drop}):
        got = query(md.read_parquet(str(tmp_path), groups_as_chunks=True)).execute().fetch()
    assert got == query(raw)
    first, again = Counter(read[:9]), Counter(read[9:])
    assert len(first) == len(again) == 1
    assert first.keys() == ({("came", "due", "k", "s")} if drop else {tuple(sorted(raw))})
    assert again.keys() == ({("k", "s")} if drop else {tuple(sorted(raw))})


def test_a_thread_that_is_done_leaves_another_without_warnings(ops: Any, session: Session) -> None:
    one_ended, other_began = threading.Event(), threading.Event()

    def first(a: Any) -> Any:
        assert other_began.wait(PATIENCE)
        return a

    def second(a: Any) -> Any:
        other_began.set()
        assert one_ended.wait(PATIENCE)
        warnings.warn("many chunks", da.PerformanceWarning, stacklevel=1)
        return a

    one = ops("first", first)(mt.ones(3))
    other = ops("second", second)(mt.ones(3))
    with ThreadPoolExecutor(1) as pool, warnings.catch_warnings(action="error"):
        done = pool.submit(one.execute, session=session)
        done.add_done_callback(lambda _: one_ended.set())
        other.execute(session=session)
        done.result(PATIENCE)
