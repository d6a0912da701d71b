"""Rows that may match a pattern, found by what it spells out, beside pandas."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from marsdask.dataframe.kernels import patterns, texts
from marsdask.dataframe.rows.accessors import reach

LETTERS = ["a", "b", "ab", "é", "\n", ".", "|", "\U0001f600", "\\"]
TEXTS = st.lists(
    st.none() | st.lists(st.sampled_from(LETTERS), max_size=6).map("".join), min_size=1, max_size=12
)
ITEMS = [
    "a",
    "b",
    "é",
    "ab",
    ".",
    r"\.",
    r"\|",
    r"\w",
    r"\\",
    "^",
    "$",
    r"\b",
    "[ab]",
    "[^a]",
    "[]a]",
    "\n",
    "|",
    "(a)",
    "(?:b|a)",
    "(?i)",
]
TIMES = ["", "", "", "*", "+", "?", "{2}", "{0,1}", "+?", "{,2}"]
PATTERNS = st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(TIMES)).map("".join), max_size=5).map(
    "".join
)
MEMBERS = st.sampled_from(patterns.TAKING)


@pytest.fixture(autouse=True, scope="module")
def _searched_always() -> Iterator[None]:
    """Short columns are searched too, in blocks that cut texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "FEWEST", 1)
        patch.setattr(patterns, "BLOCK", 3)
        yield


def column(values: list[Any], cut: int = 0, dtype: Any = "str") -> pd.Series:
    """A column named "t" under labels that repeat, a slice of a longer one; with `cut`, in several pieces of Arrow data."""
    parts = [["ab", *values[:cut]], [*values[cut:], "ab"]] if cut else [["ab", *values, "ab"]]
    made = pd.concat([pd.Series(p, dtype=dtype) for p in parts], ignore_index=True).iloc[1:-1]
    return made.rename("t").set_axis(np.arange(len(values)) // 2)


def outcome(does: Any) -> Any:
    """What a call gives, or the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return does()
        except Exception as error:
            return type(error)


def same(told: pd.Series, name: str, *args: Any, **kwargs: Any) -> None:
    """Ask pandas, and by what is spelled out."""
    with_pandas = outcome(lambda: getattr(told.str, name)(*args, **kwargs))
    found = outcome(lambda: reach(told, "str", name, args, kwargs))
    if isinstance(with_pandas, pd.Series):
        pd.testing.assert_series_equal(found, with_pandas)
    else:
        assert found == with_pandas


@given(TEXTS, st.integers(0, 4), MEMBERS, PATTERNS, st.sampled_from([{}, {"na": True}, {"na": False}]))
@example(["ab", "a\nb"], 0, "contains", "a.*b", {})
@example(["b", None], 0, "contains", "a", {"na": True})
def test_patterns(values: list[Any], cut: int, name: str, pattern: str, kwargs: dict[str, Any]) -> None:
    same(column(values, cut), name, pattern, **kwargs)


@given(
    TEXTS, st.lists(st.sampled_from(LETTERS), max_size=3).map("".join), st.sampled_from([{}, {"na": True}])
)
def test_literal_texts(values: list[Any], text: str, kwargs: dict[str, Any]) -> None:
    same(column(values), "contains", text, regex=False, **kwargs)
    same(column(values), "contains", re.escape(text), **kwargs)


@given(PATTERNS, TEXTS)
def test_what_is_spelled_is_in_every_match(pattern: str, values: list[Any]) -> None:
    found, literal = patterns.spelled(pattern)
    try:
        does = re.compile(pattern)
    except re.error:
        return
    for value in filter(None, values):
        if match := does.search(value):
            assert all(text in match[0] for text in found)
            assert not literal or match[0] == "".join(found)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("special.*requests", (["special", "requests"], False)),
        (r"pack[ae]ges\b.+sl?ow", (["pack", "ges", "s", "ow"], False)),
        (r"a\.com", (["a.com"], True)),
        ("ab+c{2}d", (["a", "d"], False)),
        ("a|b", ([], False)),
        ("(ab)", ([], False)),
        (r"a\1", ([], False)),
        ("a{,3}", ([], False)),
    ],
)
def test_spelled(pattern: str, found: tuple[list[str], bool]) -> None:
    assert patterns.spelled(pattern) == found


@pytest.mark.parametrize(
    "kwargs",
    [{"case": False}, {"case": True}, {"flags": re.IGNORECASE}, {"regex": True}, {"na": "x"}, {"na": 1}],
)
@pytest.mark.parametrize(
    "pattern", ["AB", "a.*b", re.compile("A", re.IGNORECASE), 1, "", "\ud800", "[z-a]b", "a**"]
)
def test_arguments_are_pandas_own(pattern: Any, kwargs: dict[str, Any]) -> None:
    same(column(["ab", None, "AB", ""]), "contains", pattern, **kwargs)


@pytest.mark.parametrize("dtype", [object, "string", pd.StringDtype("python"), "category"])
def test_other_dtypes(dtype: Any) -> None:
    same(column(["ab", None, "AB", ""], dtype=dtype), "contains", "a.*b")


def test_what_goes_along_goes_along() -> None:
    told = column(["ab", "b"])
    told.attrs["unit"] = "word"
    assert reach(told, "str", "contains", ("a",), {}).attrs == {"unit": "word"}


def test_pandas_is_asked_of_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def contains(values: Any, pattern: str) -> Any:
        asked.append(len(values))
        return values.str.contains(pattern)

    def count_asked(pattern: str) -> int:
        held = patterns.needed("contains", (pattern,), {})
        assert held is not None
        found = patterns.answered(told, held, partial(contains, pattern=pattern))
        pd.testing.assert_series_equal(found, told.str.contains(pattern))
        return asked.pop()

    told = column(["none"] * 50 + ["some a", "b and a", "a or b"] + [None] * 9)
    assert [count_asked(pattern) for pattern in ("a.*b", "b and", "n.*e")] == [3, 1, 51]
    monkeypatch.setattr(patterns, "SLACK", 0)
    assert count_asked("n.*e") == len(told)  # most hold it
