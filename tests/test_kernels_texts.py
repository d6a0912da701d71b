"""Questions to text of few values, answered by its numbers, beside pandas."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.dataframe.kernels import texts
from marsdask.dataframe.rows.accessors import ANSWERS, reach
from marsdask.dataframe.rows.arithmetic import operate
from marsdask.dataframe.rows.families import _among
from marsdask.session.results import data_of

FEW = ["", "a", "ab", "Ab", "1", "é", "\U0001f600", None]
COLUMNS = st.lists(st.sampled_from(FEW), min_size=1, max_size=30)
COMPARED = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


@pytest.fixture(autouse=True, scope="module")
def _asked_of_all() -> Iterator[None]:
    """Short columns are asked by their numbers too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "FEWEST", 1)
        yield


def asked(column: pd.Series, question: Callable[[pd.Series], Any]) -> tuple[Any, bool]:
    """What a question gives the second time, when numbers are there; and whether they are."""
    question(column)
    return question(column), texts.NUMBERS.of(column) is not None


def column(values: list[Any], cut: int = 0, dtype: Any = "str") -> pd.Series:
    """A column named "t" under labels that repeat; with `cut`, in several pieces of Arrow data."""
    parts = [values[:cut], values[cut:]] if cut else [values]
    made = pd.concat([pd.Series(p, dtype=dtype) for p in parts], ignore_index=True)
    return made.rename("t").set_axis(np.arange(len(values)) // 2)


@given(COLUMNS, st.integers(0, 5), st.sampled_from(COMPARED), st.sampled_from(["a", "", "é", "none of them"]))
def test_compared(values: list[Any], cut: int, name: str, other: str) -> None:
    told = column(values, cut)
    found, known = asked(told, lambda each: operate(name, each, other, {}))
    pd.testing.assert_series_equal(found, getattr(told, name)(other))
    assert known


@given(COLUMNS, st.lists(st.sampled_from([*FEW, np.nan, pd.NA, 1, 2.5]), max_size=4))
def test_among(values: list[Any], others: list[Any]) -> None:
    told = column(values)
    found, _ = asked(told, lambda each: _among(each, others, []))
    pd.testing.assert_series_equal(found, told.isin(others))


@given(
    COLUMNS,
    st.sampled_from(ANSWERS),
    st.sampled_from(["a", "", "A", "1"]),
    st.sampled_from([{}, {"na": True}]),
)
def test_members_of_str(values: list[Any], name: str, other: str, kwargs: dict[str, Any]) -> None:
    told = column(values)
    args: tuple[str, ...] = () if name.startswith("is") else (other,)
    kwargs = kwargs if args else {}
    found, _ = asked(told, lambda each: reach(each, "str", name, args, kwargs))
    pd.testing.assert_series_equal(found, getattr(told.str, name)(*args, **kwargs))


@pytest.mark.parametrize("dtype", [object, "string", pd.StringDtype("python"), "category"])
def test_other_dtypes_are_left_to_pandas(dtype: Any) -> None:
    told = column(["a", None, "b"], dtype=dtype)
    found, known = asked(told, lambda each: operate("__eq__", each, "a", {}))
    pd.testing.assert_series_equal(found, told == "a")
    assert not known


def test_what_pandas_refuses_is_refused() -> None:
    told = column(["a", "b"])
    with pytest.raises(TypeError):
        asked(told, lambda each: reach(each, "str", "startswith", (1,), {}))


def test_numbers_go_with_the_column() -> None:
    numbers = texts.Numbers()
    told = column(FEW * 3)
    assert numbers.of(told) is None  # asked once: it may be gone soon
    coded = numbers.of(told)
    assert coded is not None
    assert coded.texts.take(coded.codes).tolist() == told.tolist()
    assert numbers.held == len(told)
    del told
    gc.collect()
    assert (numbers.held, numbers.known) == (0, {})


def test_a_write_is_seen() -> None:
    told = column(["a", "b", "a"])
    asked(told, lambda each: operate("__eq__", each, "a", {}))
    told.iloc[1] = "a"
    for _ in range(3):
        assert operate("__eq__", told, "a", {}).all()


def test_numbers_are_bounded_and_the_last_asked_stay() -> None:
    numbers = texts.Numbers(most=50)
    columns = [column(FEW * 3) for _ in range(4)]  # 24 bytes each
    for each in (*columns, *columns, *columns[2:]):
        numbers.of(each)
    assert numbers.held == 48
    assert [numbers.of(each) is not None for each in columns[2:]] == [True, True]


def test_many_texts_have_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    told = column([str(i) for i in range(1000)])
    found, known = asked(told, lambda each: operate("__eq__", each, "7", {}))
    assert not known
    assert found.sum() == 1
    monkeypatch.setattr(texts, "MOST", 3)  # few in the rows that were looked at, many in all
    assert not asked(column(FEW), lambda each: operate("__eq__", each, "a", {}))[1]


def test_two_bytes_where_texts_are_more_than_127() -> None:
    told = column([str(i % 200) for i in range(10_000)])
    found, known = asked(told, lambda each: _among(each, ["3", "150", "199"], []))
    assert known
    pd.testing.assert_series_equal(found, told.isin(["3", "150", "199"]))


@given(COLUMNS, st.integers(0, 5))
def test_a_dictionary_tells_the_numbers(values: list[Any], cut: int) -> None:
    parts = [pa.array(each, pa.large_string()).dictionary_encode() for each in (values[:cut], values[cut:])]
    encoded = pa.chunked_array(parts)
    told, numbers = column(values), texts.Numbers()
    numbers.told(told, encoded)
    found, again = numbers.of(told), texts.of_dictionary(encoded, told.dtype)
    assert found is not None
    assert again is not None
    pd.testing.assert_series_equal(
        found.texts.take(found.codes).reset_index(drop=True), told.reset_index(drop=True), check_names=False
    )
    np.testing.assert_array_equal(found.codes, again.codes)
    assert numbers.held == found.codes.nbytes


@pytest.mark.parametrize("texts_of", [["a", "b", "a"], ["a", None]])
def test_a_dictionary_that_does_not_tell_texts_apart(texts_of: list[Any]) -> None:
    encoded = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, len(texts_of) - 1]), pa.array(texts_of, pa.large_string())
    )
    told, numbers = pd.Series(encoded.to_pylist(), dtype="str"), texts.Numbers()
    numbers.told(told, encoded)
    assert numbers.of(told) is None


@pytest.mark.parametrize("count", [60, 63, 64, 100, 200])
def test_dictionaries_that_are_small_alone_and_large_together(count: int) -> None:
    values = [f"{i:03}" for i in range(2 * count)]
    parts = [
        pa.array(each, pa.large_string()).dictionary_encode() for each in (values[:count], values[count:])
    ]
    told, numbers = column(values), texts.Numbers()
    numbers.told(told, pa.chunked_array(parts))
    found = numbers.of(told)
    assert found is not None
    assert list(found.texts.take(found.codes)) == values


def test_a_file_tells_the_numbers(tmp_path: Any) -> None:
    frame = pd.DataFrame({"t": column(["AIR", "MAIL", None, "SHIP"] * 25).array, "v": np.arange(100)})
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    read = md.read_parquet(tmp_path / "t.parquet").execute()
    (chunk,) = data_of(read._result.collection)
    assert texts.NUMBERS.of(chunk["t"]) is not None
    pd.testing.assert_frame_equal(read[read.t == "MAIL"].to_pandas(), frame[frame.t.to_numpy() == "MAIL"])
