"""Short slices at an end of sorted rows: pandas' rows, from the first of each chunk and not from all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask as mars
import marsdask.dataframe as md
from marsdask import option_context
from tests.oracle import assert_like, fetched

COUNT = 5000
RAW = pd.DataFrame(
    {
        "a": np.arange(COUNT) * 7 % 4,
        "b": np.where(np.arange(COUNT) % 9 == 4, np.nan, np.arange(COUNT) * 37 % 61 / 4),
        "s": pd.Series(np.where(np.arange(COUNT) % 13 == 5, None, np.arange(COUNT) * 11 % 17), dtype="str"),
    },
    index=pd.Index(np.arange(COUNT) * 17 % 101, name="label"),
)
STABLE: Any = {"kind": "stable"}
BY_TWO: Any = {**STABLE, "ascending": [False, True], "na_position": "first"}

FOUND: dict[str, Callable[[Any], Any]] = {
    "head": lambda f: f.sort_values("b", **STABLE).head(9),
    "tail": lambda f: f.sort_values("b", **STABLE).tail(9),
    "by two": lambda f: f.sort_values(["s", "a"], **BY_TWO).head(600),
    "the last by two": lambda f: f.sort_values(["s", "a"], **BY_TWO).iloc[-600:],
    "filtered": lambda f: f[f.a > 1].sort_values(["b", "s"], **BY_TWO)[:20],
    "a key": lambda f: f.sort_values("b", key=lambda v: -v, **STABLE).head(4),
    "some columns": lambda f: f.sort_values("b", **STABLE)[["s", "a"]].head(7),
    "one column": lambda f: f.sort_values("b", **STABLE)["s"].tail(7),
    "labels restart": lambda f: f.sort_values("b", ignore_index=True, **STABLE).head(7),
    "by labels": lambda f: f.sort_index(ascending=False, **STABLE).head(7),
    "by a level": lambda f: f.sort_values(["label", "a"], **STABLE).head(7),
    "a series": lambda f: f["b"].sort_values(ascending=False, **STABLE).tail(12),
    "more than there are": lambda f: f[f.a > 7].sort_values("b", **STABLE).tail(3),
}
SORTED: dict[str, Callable[[Any], Any]] = {
    "in the middle": lambda f: f.sort_values("b", **STABLE).iloc[2:9],
    "each second": lambda f: f.sort_values("b", **STABLE).iloc[:9:2],
    "none": lambda f: f.sort_values("b", **STABLE).head(0),
    "many": lambda f: f.sort_values("b", **STABLE).head(2000),
    "numbers at the end": lambda f: f.sort_values("b", ignore_index=True, **STABLE).tail(7),
    "labels as a column": lambda f: f.sort_values("b", **STABLE).reset_index().head(7),
    "used twice": lambda f: _used_twice(f.sort_values("b", **STABLE)),
}


def _used_twice(rows: Any) -> Any:
    return rows.head(8).assign(t=rows["a"].head(8))


@pytest.mark.parametrize("size", [700, COUNT])
@pytest.mark.parametrize("case", [*FOUND, *SORTED])
def test_rows_are_those_of_pandas(case: str, size: int) -> None:
    how = {**FOUND, **SORTED}[case]
    made = how(md.DataFrame(RAW, chunk_size=size))
    said = str(made.explain(ask=True))
    assert ("rows of each chunk go on" in said) is (case in FOUND)
    assert_like(fetched(made), how(RAW))


def test_both_halves_of_a_sort_that_is_kept() -> None:
    """What somebody else looks at is sorted once."""
    rows = md.DataFrame(RAW, chunk_size=700).sort_values("b", **STABLE)
    first, every = mars.execute(rows.head(3), rows)
    assert_like(fetched(first), RAW.sort_values("b", **STABLE).head(3))
    assert_like(fetched(every), RAW.sort_values("b", **STABLE))


def test_how_many_an_option_says() -> None:
    made = md.DataFrame(RAW, chunk_size=700).sort_values("b", **STABLE).head(20)
    with option_context({"optimize.head_optimize_threshold": 19}):
        assert "go on" not in str(made.explain(ask=True))
