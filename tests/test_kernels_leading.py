"""The first and last rows of groups of sorted rows, beside pandas, and where they are sorted without the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marsdask as mars
import marsdask.dataframe as md
from marsdask.dataframe.groupby import leading as plans
from marsdask.dataframe.kernels import leading as kernel
from tests.oracle import assert_like

pytestmark = pytest.mark.once

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 3)), min_size=1, max_size=60)
VALUES = {
    "i8": lambda n: n,
    "u1": lambda n: (n + 3).astype("u1"),
    "f8": lambda n: np.where(n == 2, np.inf, np.where(n == 0, -0.0, n / 3)),
    "holes": lambda n: np.where(n == 2, np.nan, n / 3),
    "ns": lambda n: n.astype("M8[ns]"),
    "str": lambda n: pd.array([None if i == 2 else f"text {i}" for i in n], dtype="str"),
    "cat": lambda n: pd.Categorical.from_codes(n % 4 - 1, list("dcb")),
}
KEYS = {"i8": lambda n: n, "holes": lambda n: np.where(n == 2, np.nan, n), "str": VALUES["str"]}


@pytest.fixture(autouse=True)
def small(monkeypatch: Any) -> None:
    """Small frames count as large."""
    monkeypatch.setattr(plans, "FEWEST", 0)


def framed(rows: Any, key: str, value: str) -> pd.DataFrame:
    k, v = np.array(rows).T
    frame = pd.DataFrame({"k": KEYS[key](k), "v": VALUES[value](v), "w": v % 2, "row": np.arange(len(k))})
    return frame.set_index(pd.Index(np.arange(len(k)) * 3 % 7))  # labels that repeat


@settings(max_examples=150, deadline=None)
@given(
    ROWS, st.sampled_from(sorted(KEYS)), st.sampled_from(sorted(VALUES)), st.integers(1, 3), st.sampled_from(["head", "tail"]),
    st.booleans(), st.sampled_from([["v"], ["w", "v"]]), st.sampled_from(["first", "last"]), st.booleans(), st.integers(10, 70),
)  # fmt: skip
def test_first_and_last_rows_are_those_of_pandas(
    rows: Any, key: str, value: str, n: int, end: str, ascending: bool, by: list[str], na: str, dropna: bool, chunk: int
) -> None:  # fmt: skip
    frame = framed(rows, key, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "LEAST", 1)
        patch.setattr(kernel, "MOST", 1.0)

        def asked(f: Any) -> Any:
            group = f.sort_values(by, ascending=ascending, na_position=na, kind="stable").groupby(
                "k", dropna=dropna
            )
            return getattr(group, end)(n)

        assert_like(asked(md.DataFrame(frame, chunk_size=chunk)).to_pandas(), asked(frame))


def test_rows_are_left_out_before_the_sort() -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"k": rng.integers(0, 5, 2000), "v": rng.permutation(2000), "w": 1.0})
    seen: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        of = plans.leading
        patch.setattr(
            plans, "leading", lambda *args, **how: (seen.append(len(found := of(*args, **how))), found)[1]
        )
        for ascending in (True, False):
            for chunk in (2000, 1000):
                lazy = md.DataFrame(frame, chunk_size=chunk)
                got = lazy.sort_values("v", ascending=ascending).groupby("k")[["w"]].tail(3).to_pandas()
                want = frame.sort_values("v", ascending=ascending).groupby("k")[["w"]].tail(3)
                pd.testing.assert_frame_equal(got, want)
    assert seen == [15] * 6


LEFT_OUT = "left out before the sort"
FRAME = pd.DataFrame(
    {"k": [1, 2, 1, 2, 1, 1], "v": [3.0, 1, 2, 2.5, 1.5, 5], "o": pd.Series(list("abdcef"), dtype=object)}
)


@pytest.mark.parametrize(
    ("asked", "fewer"),
    [
        (lambda f: f.sort_values("v").groupby("k").head(2), True),
        (lambda f: f.sort_values("v").groupby("k").head(), True),
        (lambda f: f.sort_values("v")[["k", "v"]].groupby(["k"]).tail(1), True),
        (lambda f: f.sort_values("v").groupby("k").head(-1), False),
        (lambda f: f.sort_values("v").groupby("k").nth(1), False),
        (lambda f: f.sort_values("v", key=lambda v: v.rank()).groupby("k").head(1), False),
        (lambda f: f.sort_values("v", ignore_index=True).groupby("k").head(1), False),
        (lambda f: f.sort_values("o").groupby("k").head(1), False),
        (lambda f: f.sort_values("v").groupby(lambda label: label % 2).head(1), False),
        (lambda f: f.sort_values("v").groupby("k").head(2).groupby("o").head(1), True),
        (lambda f: f.sort_index(ascending=False).groupby("k").head(1), False),
    ],
)  # fmt: skip
def test_which_sorts_are_of_fewer_rows(asked: Any, fewer: bool) -> None:
    for chunk in (6, 4):
        lazy = asked(md.DataFrame(FRAME, chunk_size=chunk))
        assert (LEFT_OUT in lazy.explain(ask=True)) == fewer
        assert_like(lazy.to_pandas(), asked(FRAME))


def test_sorted_rows_that_others_look_at_too_stay() -> None:
    def asked(f: Any) -> Any:
        rows = f.sort_values("v")
        return rows.groupby("k").head(1), rows

    lazy = asked(md.DataFrame(FRAME, chunk_size=2))
    for got, want in zip(mars.fetch(*mars.execute(*lazy)), asked(FRAME), strict=True):
        assert_like(got, want)
    head, rows = asked(md.DataFrame(FRAME, chunk_size=2))
    both = head.merge(rows, on="k")
    assert LEFT_OUT not in both.explain()
    head, rows = asked(FRAME)
    assert_like(both.to_pandas(), head.merge(rows, on="k"))
