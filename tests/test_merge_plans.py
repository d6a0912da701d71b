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
    assert "asks (Keep)" in plan(left, right[right.x > 3], how="left")


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
