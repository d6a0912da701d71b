"""Sets of values, beside pandas' isin."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.dataframe.kernels import sets
from tests.test_kernels_joins import KEYS

NUMBERS = st.lists(st.integers(0, 20), max_size=12)


@settings(max_examples=300)
@given(st.sampled_from(sorted(KEYS)), st.lists(NUMBERS, min_size=1, max_size=3), NUMBERS, st.integers(0, 2))
def test_members_are_those_of_pandas(kind, parts, asked, spread):
    series = pd.Series(KEYS[kind](asked), index=np.arange(len(asked))[::-1], name="n")
    chunks = [pd.Series(KEYS[kind](p)) for p in parts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sets, "SPARSE", [0, 1, 64][spread])
        patch.setattr(sets, "DENSE", [0, 4, 64][spread])
        members = sets.Members(list(map(sets.part, chunks)), chunks[0].dtype)
    want = series.isin(pd.concat(chunks).array)
    for one in (members, pickle.loads(pickle.dumps(members))):
        pd.testing.assert_series_equal(one.of(series), want)
    assert members.__sizeof__() >= 0


@pytest.mark.parametrize("kind", sorted(KEYS))
def test_chunks_of_both_sides(kind):
    left, right = pd.Series(KEYS[kind](range(12)), name="l"), pd.Series(KEYS[kind](range(3, 20, 2)))
    got = md.Series(left, chunk_size=5).isin(md.Series(right, chunk_size=4))
    pd.testing.assert_series_equal(got.to_pandas(), left.isin(right.array))


def test_holes_that_make_floats_of_whole_numbers():
    """What a merge was thought to give as whole numbers has holes when it runs."""
    left, right = pd.DataFrame({"k": range(6)}), pd.DataFrame({"k": [1, 2], "v": [5, 6]})
    ours, theirs = (
        md.DataFrame(left, chunk_size=2).merge(md.DataFrame(right), how="left"),
        left.merge(right, how="left"),
    )
    for other in (pd.Series([5, 1]), pd.Series([7])):
        pd.testing.assert_series_equal(ours["v"].isin(md.Series(other)).to_pandas(), theirs["v"].isin(other))
        pd.testing.assert_series_equal(md.Series(other).isin(ours["v"]).to_pandas(), other.isin(theirs["v"]))
    again = pd.DataFrame({"v": [5, 5, 0], "w": [1, 2, 3]})
    got = ours.merge(md.DataFrame(again), on="v", how="left").to_pandas()
    pd.testing.assert_frame_equal(got, theirs.merge(again, on="v", how="left"), check_dtype=False)
    got = md.DataFrame(again, chunk_size=1).merge(ours, on="v", how="left").to_pandas()
    pd.testing.assert_frame_equal(got, again.merge(theirs, on="v", how="left"), check_dtype=False)
