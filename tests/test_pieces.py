"""Pieces of several chunks for the same places: put together at once, or place by place, they are the same."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marsdask.dataframe.rows import pieces
from marsdask.dataframe.rows.pieces import Pieces, regrouped

PLACES = 4


def chunk(number: int, goes: list[int], *, labels: bool) -> Pieces:
    rows = np.arange(len(goes))
    text = pd.array([f"{number}-{row}" for row in rows], dtype="str")
    frame = pd.DataFrame({"n": rows * 10 + number, "t": text}, index=rows + 100 * number)
    cut = Pieces.by_place([frame, rows], np.array(goes, dtype=int), PLACES, number, labels=labels)
    return cut[:PLACES]


@given(st.lists(st.lists(st.integers(0, PLACES - 1), max_size=9), min_size=1, max_size=4), st.booleans())
def test_place_by_place_is_the_same(chunks: list[list[int]], labels: bool) -> None:
    def made(apart: int) -> list[Pieces]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pieces, "APART", apart)
            return regrouped([chunk(i, goes, labels=labels) for i, goes in enumerate(chunks)])

    for one, other in zip(made(0), made(10**9), strict=True):
        pd.testing.assert_frame_equal(one.data[0], other.data[0])
        np.testing.assert_array_equal(one.data[1], other.data[1])
        np.testing.assert_array_equal(one.home, other.home)
        assert len(one) == len(other) == 1


def test_each_place_has_memory_of_its_own() -> None:
    """So that a piece that travels, or waits, does not keep the others."""

    def of(given: Any) -> np.ndarray:
        return given["n"].to_numpy()

    whole = chunk(0, [0, 0, 1, 1, 2], labels=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "APART", 0)
        found = regrouped([whole])
    assert not any(np.shares_memory(of(each.data[0]), of(whole.data[0])) for each in found)
