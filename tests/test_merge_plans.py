"""Merges give pandas' rows in pandas' order by every plan, and the plan is chosen from sizes and workers."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from marsdask import option_context
from marsdask.engine.base import Room
from marsdask.plan.registry import in_room, lookup
from marsdask.session import room
from tests.oracle import assert_like, cases_of, check_case, fetched, skip_where_the_oracle_is_older

pytestmark = pytest.mark.once

matching = importlib.import_module("marsdask.dataframe.joining.matching")

FAMILIES = ("merge", "DataFrame.merge", "DataFrame.join")
CASES = [
    (op.name, case) for op in in_room("dataframe") if op.name.startswith(FAMILIES) for case in cases_of(op)
]


@pytest.fixture
def weighed(monkeypatch: Any) -> None:
    """No side is so small that nothing is weighed."""
    monkeypatch.setattr(matching, "BROADCAST_BYTES", -1)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_by_what_costs_least(weighed: None, name: str, case: str) -> None:
    check_case(lookup(name), case, "empty")


@pytest.mark.parametrize(("name", "case"), CASES)
def test_prepared_in_each_process(monkeypatch: Any, name: str, case: str) -> None:
    monkeypatch.setattr(room, "room", lambda: Room(2, 2**30, 2))
    check_case(lookup(name), case, "empty", "ragged")


def sides(few: int, many: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(3)
    return tuple(
        pd.DataFrame(
            {"k": rng.integers(0, few, n), "t": rng.choice(list("abc"), n), side: np.arange(n) * 37 % 101}
        )
        for n, side in ((few, "x"), (many, "y"))
    )  # type: ignore[return-value]


def plan(left: Any, right: Any, **how: Any) -> str:
    return str(md.merge(left, right, on=["k", "t"], **how).explain(ask=True))


@pytest.mark.parametrize("chunk", [9, 40])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("how", ["inner", "left", "right"])
def test_the_smaller_side_is_prepared(weighed: None, how: str, flip: bool, chunk: int) -> None:
    skip_where_the_oracle_is_older("merge(df, right, on='k')")
    few, many = sides(40, 300)
    raw = (many, few) if flip else (few, many)
    left, right = (md.DataFrame(f, chunk_size=chunk) for f in raw)
    assert_like(
        fetched(md.merge(left, right, on=["k", "t"], how=how)), pd.merge(*raw, on=["k", "t"], how=how)
    )
    assert_like(fetched(md.merge(left, right, on="k", how=how)), pd.merge(*raw, on="k", how=how))
    waived = md.merge(left, right, on="k", how=how).groupby("k").agg({"x": "sum", "y": "max"})
    assert_like(fetched(waived), pd.merge(*raw, on="k", how=how).groupby("k").agg({"x": "sum", "y": "max"}))
    said = plan(left, right, how=how)
    if how == "inner":
        assert f"the {'right' if flip else 'left'} side of " in said
        assert ("go home" in said) is not flip
    else:
        assert f"the {'right' if how == 'left' else 'left'} side of " in said


def test_what_is_not_asked_is_not_kept() -> None:
    few, many = sides(40, 300)
    left, right = md.DataFrame(many, chunk_size=50), md.DataFrame(few, chunk_size=9)
    filtered = left[left.y > 3]
    assert "asks" not in plan(filtered, right, how="left")
    some = right[right.x > 3]
    some = some[some.k >= 0][["k", "t", "x"]]  # at most as large as it
    assert "asks" not in plan(left, some, how="left")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "BROADCAST_BYTES", 1000)
        assert "asks (Keep" in plan(left, some, how="left")


@pytest.mark.parametrize(
    ("workers", "pieces", "how", "where"),
    [
        (2, 8, "inner", True),
        (2, 8, "left", True),
        (2, 9, "left", False),
        (2, 1, "left", False),
        (1, 8, "left", False),
        (2, 8, "right", True),
    ],
)
def test_a_few_chunks_travel_and_are_prepared_where_they_come(
    monkeypatch: Any, workers: int, pieces: int, how: str, where: bool
) -> None:
    monkeypatch.setattr(room, "room", lambda: Room(workers, 2**30, workers))
    few, many = sides(72, 300)
    chunk = -(-72 // pieces)
    left, right = md.DataFrame(many, chunk_size=50), md.DataFrame(few, chunk_size=chunk)
    if how == "right":
        left, right = right, left
    told = plan(left, right, how=how)
    assert ("prepared once in each process, and probed" in told) is where
    assert ("prepared once, and probed" in told) is not where
    with option_context({"gather_limit": 1000}):
        assert "in each process" not in plan(left, right, how=how)


def test_bytes_and_workers_decide(weighed: None, monkeypatch: Any) -> None:
    few, many = sides(1000, 3000)
    left, right = md.DataFrame(many, chunk_size=100), md.DataFrame(few, chunk_size=100)
    for workers, memory, exchanged in [
        (1, 2**30, False),
        (4, 2**30, False),
        (400, 2**30, True),
        (1, 2**10, True),
    ]:
        monkeypatch.setattr(room, "room", lambda w=workers, m=memory: Room(w, m, w))
        assert ("both sides exchanged" in plan(left, right, how="left")) is exchanged
    monkeypatch.setattr(room, "room", lambda: Room(1, 2**30, 1))
    assert "both sides exchanged" not in plan(left, right, how="inner")
    with option_context({"gather_limit": 100}):
        assert "both sides exchanged" in plan(left, right, how="inner")


def test_long_texts_are_weighed(weighed: None) -> None:
    """A side that is larger than its dtypes say is not gathered where `gather_limit` forbids it."""
    few, many = sides(300, 3000)
    raw = [f.assign(t=f.t + "x" * 1000) for f in (many, few)]
    left, right = (md.DataFrame(f, chunk_size=100) for f in raw)
    with option_context({"gather_limit": 100_000}):
        assert "both sides exchanged" in plan(left, right, how="left")
        got = fetched(left.merge(right, on="k", how="left"))
    assert_like(got, pd.merge(*raw, on="k", how="left"))


HOWS = ["inner", "left", "right", "outer", "left_anti", "right_anti"]


@pytest.fixture(scope="module")
def keyed() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Keys of several dtypes, with holes, and labels that are keys."""
    few, many = sides(30, 200)
    frames = []
    for frame, width in ((few, "i4"), (many.assign(k=many.k * 3), "i8")):
        texts = pd.Series(np.where(frame.k % 5 == 3, None, frame.k.astype(str)), dtype="str")
        frame = frame.assign(i=frame.k.astype(width), s=texts, f=frame.k / 2).drop(columns="t")
        frames.append(frame.set_axis(frame.k % 7 + frame.k, axis=0).rename_axis("label"))
    return frames[0], frames[1]


@pytest.mark.parametrize("chunk", [7, 30])
@pytest.mark.parametrize("keys", [["k"], ["s"], ["i", "s"]])
@pytest.mark.parametrize("how", ["left", "right"])
def test_rows_without_a_match_stand_in_a_chunk_of_their_own(
    weighed: None, keyed: Any, how: str, keys: list[str], chunk: int
) -> None:
    """Where nobody looks at the order, the smaller side is prepared though its rows stay without a match."""
    skip_where_the_oracle_is_older("merge(df, right, on='k')")
    few, many = keyed
    many = many.astype({"i": "i4"})
    for rows in (many, many[many.k < 20], many[many.k < -1]):  # all have one, some, none
        raw = (few, rows) if how == "left" else (rows, few)
        sides = [md.DataFrame(f, chunk_size=chunk if f is few else 40) for f in raw]
        for flag in (False, True):
            merged = md.merge(*sides, on=keys, how=how, indicator=flag)
            want = pd.merge(*raw, on=keys, how=how, indicator=flag)
            with option_context({"row_order": "any"}):
                said = str(merged.explain(ask=True))
                assert ("rows without a match stand in a chunk of their own" in said) is (len(rows) > 0)
                got = fetched(merged)
            columns = [c for c in want.columns if c != "_merge"]
            got, want = (f.sort_values(columns, ignore_index=True) for f in (got, want))
            assert_like(got, want)


@pytest.mark.parametrize("bloom", [True, "small", "both", "auto"])
@pytest.mark.parametrize("how", HOWS)
def test_sifted_rows_are_those_of_pandas(keyed: Any, how: str, bloom: Any) -> None:
    skip_where_the_oracle_is_older("merge(df, right, on='k')")
    tuned = {
        "how": how,
        "method": "shuffle",
        "bloom_filter": bloom,
        "bloom_filter_options": {"error_rate": 0.5},
    }
    for few, many in (keyed, keyed[::-1]):
        left, right = md.DataFrame(few, chunk_size=9), md.DataFrame(many, chunk_size=40)
        # Of a key of two widths pandas gives one or the other, by what it finds.
        for keys in (["k"], ["k" if how == "right_anti" else "i", "s"], ["f"], ["label"]):
            assert_like(fetched(left.merge(right, on=keys, **tuned)), few.merge(many, on=keys, how=how))
        if how in ("inner", "left"):
            by = {"left_on": "k", "right_index": True, "suffixes": ("", "_r")}
            assert_like(fetched(left.merge(right, **by, **tuned)), few.merge(many, how=how, **by))


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("flip", [False, True])
def test_which_rows_are_sifted(keyed: Any, monkeypatch: Any, how: str, flip: bool) -> None:
    sieves = importlib.import_module("marsdask.dataframe.joining.sieves")
    seen: list[tuple[int, int]] = []
    passed = sieves._passed

    def counted(frame: Any, *args: Any, **how: Any) -> Any:
        kept = passed(frame, *args, **how)
        seen.append((len(frame), len(kept)))
        return kept

    monkeypatch.setattr(sieves, "_passed", counted)
    raw = keyed[::-1] if flip else keyed
    left, right = (md.DataFrame(f, chunk_size=len(f) // 3) for f in raw)

    def sifted(**tuned: Any) -> int:
        seen.clear()
        left.merge(right, on="k", how=how, method="shuffle", **tuned).execute()
        assert sum(kept for _, kept in seen) <= sum(rows for rows, _ in seen) * 0.7
        return sum(rows for rows, _ in seen)

    lost = {"inner": (0, 1), "left": (1,), "left_anti": (1,), "right": (0,), "right_anti": (0,)}.get(how, ())
    large, small = (0, 1) if flip else (1, 0)
    assert sifted(bloom_filter=True) == (200 if large in lost else 0)
    assert sifted(bloom_filter="small") == (30 if small in lost else 0)
    assert sifted() == sifted(bloom_filter=False) == 0  # not an eighth
    options = {"max_elements": 29} if large in lost else {"apply_chunk_size_threshold": 99}
    assert sifted(bloom_filter=True, bloom_filter_options=options) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sieves, "FEWER", 4)
        assert sifted() == (200 if large in lost else 0)


def test_keys_that_are_counted_are_not_sifted(keyed: Any) -> None:
    few, many = (md.DataFrame(f.drop_duplicates("k"), chunk_size=5) for f in keyed)
    again = md.DataFrame(pd.concat([keyed[1], keyed[1].tail(1).assign(k=-1)] * 2), chunk_size=50)
    few.merge(many, on="k", method="shuffle", bloom_filter=True, validate="1:1").execute()
    with pytest.raises(pd.errors.MergeError):
        few.merge(again, on="k", method="shuffle", bloom_filter=True, validate="1:1").execute()


def test_a_sieve_beats_sending_the_large_side(weighed: None, monkeypatch: Any) -> None:
    few, many = sides(30, 4000)
    left, right = md.DataFrame(few, chunk_size=9), md.DataFrame(many, chunk_size=400)
    monkeypatch.setattr(room, "room", lambda: Room(2, 2**30, 2))
    said = plan(left, right, how="left")
    assert "both sides exchanged" in said
    assert "rows of the right side sifted by the keys of the other" in said
    assert "both sides exchanged" not in plan(left, right, how="left", bloom_filter=False)
    assert_like(fetched(left.merge(right, on="k", how="left")), few.merge(many, on="k", how="left"))


def test_what_grows_faster_than_the_data_is_warned_of(monkeypatch: Any) -> None:
    few, many = sides(40, 300)
    left = md.DataFrame(many, chunk_size=10).assign(k=lambda f: f.k.astype("f8"))
    right = md.DataFrame(few.assign(k=few.k.astype("f8")))

    def said() -> str:
        return str(left.merge(right, on="k").explain())

    assert "warning" not in said()
    monkeypatch.setattr(matching, "GROWS_FROM", 1)
    assert "warning: it is hashed anew for each of 30 chunks" in said()
    assert "warning" not in str(md.DataFrame(many, chunk_size=10).merge(md.DataFrame(few), on="k").explain())


@pytest.mark.parametrize(
    ("how", "order", "prepared"),
    [("inner", "any", 40), ("inner", "pandas", 300), ("left", "any", 300), ("right", "any", 40)],
)
def test_of_two_chunks_the_smaller_is_prepared_where_the_order_does_not_count(
    monkeypatch: Any, how: str, order: str, prepared: int
) -> None:
    few, many = sides(40, 300)
    seen: list[int] = []
    real = matching.joins.Built

    def built(frame: Any, on: Any) -> Any:
        seen.append(len(frame))
        return real(frame, on)

    monkeypatch.setattr(matching.joins, "Built", built)
    with option_context({"row_order": order}):
        found = fetched(md.merge(md.DataFrame(few), md.DataFrame(many), on=["k", "t"], how=how))
    assert seen == [prepared]
    want = pd.merge(few, many, on=["k", "t"], how=how)
    by = list(want.columns)
    if order == "any":
        found, want = (f.sort_values(by, ignore_index=True) for f in (found, want))
    assert_like(found, want)
