"""Which rows equal others, by one number for all keys of a row, beside pandas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.dataframe.kernels import hashes, repeats, texts

pytestmark = pytest.mark.once

KEEPS = st.sampled_from(["first", "last", False])
VALUES: dict[str, list[Any]] = {
    "int64": [0, 1, 2, -1, 3],
    "uint8": [0, 1, 255],
    "uint64": [0, 1, 2**64 - 1],
    "Int64": [0, 1, None],
    "bool": [False, True],
    "float64": [0.0, -0.0, 1.5, float("nan"), float("inf")],
    "datetime64[ns]": [0, 10**18, None],
    "timedelta64[s]": [0, 1],
    "str": ["a", "b", "", None],
    "string": ["a", "b", None],
    "string[python]": ["a", "b", None],
    "int64[pyarrow]": [1, 2, None],
    "object": ["a", 1, 1.0, True, None, float("nan")],
    "category": ["a", "b", None],
}
FAR = {"int64": [0, 2**62, -(2**62), 2**40, 7]}


@pytest.fixture(autouse=True, scope="module")
def _short_ones_too() -> Iterator[None]:
    """Few rows are packed too, hashed in parts, and known by their numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "FEWEST", 1)
        patch.setattr(hashes, "FEWEST", 1)
        patch.setattr(hashes, "DISTINCT", 0.0)
        patch.setattr(hashes, "FITS", 1)
        patch.setattr(repeats, "SMALL", 8)
        patch.setattr(texts, "FEWEST", 1)
        yield


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """A frame of some columns of any dtypes, of values that repeat, under labels that repeat."""
    count = draw(st.integers(0, 12))
    columns = []
    for dtype in draw(st.lists(st.sampled_from([*VALUES]), min_size=1, max_size=3)):
        few = draw(st.sampled_from([VALUES[dtype], FAR.get(dtype, VALUES[dtype])]))
        values = draw(st.lists(st.sampled_from(few), min_size=count, max_size=count))
        columns.append(pd.Series(values, dtype=dtype))
    made = pd.concat(columns, axis=1, keys=range(len(columns)))
    return made.set_axis(np.arange(count) // 2)


@given(frames(), KEEPS)
def test_duplicated(frame: pd.DataFrame, keep: Any) -> None:
    for rows in (frame, frame[0]):
        expected = rows.duplicated(keep=keep).to_numpy()
        for _ in range(2):  # the second time text has numbers
            assert repeats.duplicated(rows, keep).tolist() == expected.tolist()


@given(frames(), KEEPS, st.integers(0, 12))
def test_deciding_rows_are_enough(frame: pd.DataFrame, keep: Any, cut: int) -> None:
    parts = [part[repeats.deciding(part, keep)] for part in (frame.iloc[:cut], frame.iloc[cut:])]
    pd.testing.assert_frame_equal(
        pd.concat(parts).drop_duplicates(keep=keep), frame.drop_duplicates(keep=keep)
    )


@given(frames())
def test_counted(frame: pd.DataFrame) -> None:
    keys = [frame[name] for name in frame]
    for _ in range(2):
        found = repeats.counted(keys)
        if found is None:
            continue
        expected = (
            frame.groupby([*frame], sort=False, dropna=False, observed=True).size().reset_index(name="n")
        )
        told = pd.concat(found[0], axis=1).reset_index(drop=True).assign(n=found[1])
        pd.testing.assert_frame_equal(told, expected)


def test_many_numbers_far_apart() -> None:
    far = pd.Series(np.random.default_rng(7).integers(0, 2**61, 5000).repeat(2)).sample(
        frac=1, random_state=7
    )
    for keep in ("first", "last", False):
        assert (repeats.duplicated(far, keep) == far.duplicated(keep=keep)).all()
    both = pd.DataFrame(
        {"a": far, "b": far // 2**30, "c": far % 1000}
    )  # more combinations than one number has
    assert repeats.packed([both["a"], both["b"], both["c"]]) is not None
    assert (repeats.duplicated(both, "first") == both.duplicated()).all()


def test_few_numbers_are_found_in_the_first_rows() -> None:
    few = pd.Series(np.r_[np.zeros(700), np.arange(50), np.zeros(50)].astype(int))
    for keep in ("first", "last", False):
        assert (repeats.duplicated(few, keep) == few.duplicated(keep=keep)).all()


@given(frames(), KEEPS, st.integers(1, 5))
def test_in_chunks(frame: pd.DataFrame, keep: Any, size: int) -> None:
    frame = frame.set_axis([f"c{name}" for name in frame], axis=1)
    told = md.DataFrame(frame, chunk_size=size)
    column, mine = frame["c0"], told["c0"]
    pd.testing.assert_series_equal(told.duplicated(keep=keep).execute().fetch(), frame.duplicated(keep=keep))
    pd.testing.assert_series_equal(mine.duplicated(keep=keep).execute().fetch(), column.duplicated(keep=keep))
    found = told.drop_duplicates(["c0"], keep=keep).execute().fetch()
    pd.testing.assert_frame_equal(found, frame.drop_duplicates(["c0"], keep=keep))
    for dropna in (True, False):
        assert mine.nunique(dropna=dropna).execute().fetch() == column.nunique(dropna=dropna)
        if pd.api.types.is_object_dtype(column.dtype):  # of objects None is counted as nan
            continue
        counts, expected = mine.value_counts(dropna=dropna), column.value_counts(dropna=dropna)
        pd.testing.assert_series_equal(counts.execute().fetch(), expected)
    expected = np.asarray(column.unique())
    pd.testing.assert_series_equal(
        *(pd.Series(v, dtype=expected.dtype) for v in (mine.unique().execute().fetch(), expected))
    )
    if not any(map(pd.api.types.is_object_dtype, frame.dtypes)):
        counts, expected = told.value_counts(dropna=False), frame.value_counts(dropna=False)
        pd.testing.assert_series_equal(counts.execute().fetch().sort_index(), expected.sort_index())
