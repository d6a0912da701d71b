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

pytestmark = pytest.mark.once

NUMBERS = st.lists(st.integers(0, 20), max_size=12)


@settings(max_examples=150)
@given(
    st.sampled_from(sorted(KEYS)), st.lists(NUMBERS, min_size=1, max_size=4), NUMBERS, st.integers(0, 2),
    st.sampled_from([0, 1, 2**26]),
)  # fmt: skip
def test_members_are_those_of_pandas(kind, parts, asked, spread, largest):
    series = pd.Series(KEYS[kind](asked), index=np.arange(len(asked))[::-1], name="n")
    chunks = [pd.Series(KEYS[kind](p)) for p in parts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sets, "SPARSE", [0, 1, 64][spread])
        patch.setattr(sets, "DENSE", [0, 4, 64][spread])
        patch.setattr(sets, "OWN", [0, 1, 64][spread])
        patch.setattr(sets, "LARGEST", largest)
        dtype, each = chunks[0].dtype, list(map(sets.part, chunks))
        members = sets.Members(each, dtype)
        in_a_tree = sets.Members([sets.together(each[:2], dtype), *each[2:]], dtype)
        sent = pickle.loads(pickle.dumps(in_a_tree))
    want = series.isin(pd.concat(chunks).array)
    for one in (members, in_a_tree, sent):
        pd.testing.assert_series_equal(one.of(series), want)
        assert one.__sizeof__() >= 0


@pytest.mark.parametrize(("step", "kind"), [(1, sets.Bits), (50, sets.Bits), (2**40, np.ndarray)])
def test_how_numbers_are_held(step, kind):
    """Dense numbers as bits, also those of chunks that are far apart; no part in more bytes than its values have."""
    numbers = np.random.default_rng(0).permutation(100_000) * step
    parts = [sets.part(pd.Series(p)) for p in np.split(np.sort(numbers), 50)]
    assert isinstance(parts[0], kind)
    assert sum(p.there.nbytes if isinstance(p, sets.Bits) else p.nbytes for p in parts) <= numbers.nbytes
    members = sets.Members(
        [sets.together(parts[i : i + 5], numbers.dtype) for i in range(0, 50, 5)], numbers.dtype
    )
    assert isinstance(members.values, kind)
    asked = pd.Series(np.arange(-5, 200_000) * (step // 2 or 1))
    pd.testing.assert_series_equal(members.of(asked), asked.isin(numbers))


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


def test_what_is_handed_on_is_no_larger_than_the_values() -> None:
    """Numbers a hundred apart are bits in the end, a lookup by which is quick, but travel as they are."""
    numbers = np.arange(100_000) * 100
    parts = [sets.part(pd.Series(p)) for p in np.split(numbers, 50)]
    assert [type(p) for p in parts] == [np.ndarray] * 50
    assert isinstance(sets.Members(parts, numbers.dtype).values, sets.Bits)
