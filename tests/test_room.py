"""Chunks that nobody sized."""

import contextlib
import math

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context
from marsdask.engine.base import Room
from marsdask.session import room

MIB = 2**20
THREADS = [1, 2, 3, 4, 6, 64]


@contextlib.contextmanager
def threads(count, limit=MIB, worth=MIB // 8):
    with (
        dask.config.set(num_workers=count),
        option_context({"chunk_store_limit": limit}),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(room, "WORTH", worth)
        patch.setattr(room.chunk_count, "__defaults__", (None, worth))
        yield


@given(st.sampled_from(THREADS), st.floats(0, 1e10), st.sampled_from([64 * MIB, 1e6, math.inf]))
def test_chunks_are_a_multiple_of_the_threads_and_none_is_too_large(count, nbytes, memory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "room", lambda: Room(count, memory))
        chunks, most = room.chunk_count(nbytes), room.most_bytes()
    assert nbytes / chunks <= max(most, 2 * room.WORTH)
    assert chunks <= count or chunks % count == 0
    assert chunks == 1 or nbytes / chunks >= min(most / count, room.WORTH) / 2


@given(st.integers(0, 1000), st.integers(1, 50))
def test_cuts_are_even(length, count):
    parts = room.evenly(length, count)
    assert sum(parts) == length
    assert max(parts) - min(parts) <= 1
    assert len(parts) == max(min(count, length), 1)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=4), st.integers(1, 100))
def test_blocks_are_as_many_as_asked(shape, count):
    assert math.prod(room.halved(tuple(shape), count)) == count


@pytest.mark.parametrize(("count", "chunks"), [(1, 4), (2, 4), (3, 6), (4, 4), (6, 6), (64, 30)])
def test_data_in_memory(count, chunks):
    held = pd.DataFrame({"a": np.arange(500_000)})
    with threads(count):
        frame, tensor = md.DataFrame(held), mt.tensor(held["a"].to_numpy())
        assert tensor.execute().nsplits == (room.evenly(len(held), chunks),)
        assert frame.execute().fetch().equals(held)
        assert f"{chunks} chunks" in md.DataFrame(held).explain()


def test_small_data_are_one_chunk_however_many_threads_there_are():
    with threads(64, limit=128 * MIB, worth=16 * MIB):
        assert mt.ones((1000, 1000)).execute().nsplits == ((1000,), (1000,))


def test_what_is_asked_for_wins():
    with threads(2):
        assert mt.ones(MIB, chunk_size=MIB).execute().nsplits == ((MIB,),)
        assert mt.ones((2, MIB), chunk_size={0: 1}).execute().nsplits[0] == (1, 1)


def test_random_data_are_the_same_however_many_threads_there_are():
    def drawn(count):
        with threads(count):
            return mt.random.RandomState(1).rand(MIB).execute().fetch()

    np.testing.assert_array_equal(drawn(1), drawn(6))


def test_explain_tells_the_rule():
    with threads(2):
        text = mt.ones(MIB).explain()
        assert "8 chunks" in text
        assert "chunks of up to 1 MiB, for 2 at a time" in text
        assert "at a time" not in mt.ones(MIB, chunk_size=1000).explain()


@pytest.fixture
def groups(tmp_path):
    """A parquet file of 16 row groups of 8,000 bytes."""
    held = pd.DataFrame({"a": np.random.default_rng(0).random(16000), "b": 1.0})
    held.to_parquet(tmp_path / "t.parquet", row_group_size=1000)
    return tmp_path / "t.parquet", held


@pytest.mark.parametrize(("count", "chunks"), [(1, 1), (2, 2), (4, 4)])
def test_row_groups_come_together(groups, count, chunks):
    path, held = groups
    with threads(count, limit=MIB, worth=16_000):
        frame = md.read_parquet(path)
        assert f"{chunks} chunk" in frame.explain()
        pd.testing.assert_frame_equal(frame.execute().fetch(), held)


def test_a_merged_file_size_and_row_groups_as_chunks_win(groups):
    path, held = groups
    given = md.read_parquet(path, merge_small_file_options={"merged_file_size": 20_000})
    assert "8 chunks" in given.explain()
    assert "at a time" not in given.explain()
    pd.testing.assert_frame_equal(given.execute().fetch(), held)
    assert "16 chunks" in md.read_parquet(path, groups_as_chunks=True).explain()


def test_columns_that_are_not_read_do_not_count(groups):
    path, held = groups
    with threads(2, worth=40_000):
        assert "2 chunks" in md.read_parquet(path).explain()
        few = md.read_parquet(path, columns=["b"])
        assert "1 chunk " in few.explain()
        pd.testing.assert_frame_equal(few.execute().fetch(), held[["b"]])


def test_csv_is_cut_for_the_threads(tmp_path, monkeypatch):
    held = pd.DataFrame({"a": range(10000)})
    (tmp_path / "t.csv").write_text(held.to_csv(index=False))
    monkeypatch.setattr("marsdask.dataframe.files.csv.WORTH", 10_000)
    with threads(4):
        frame = md.read_csv(tmp_path / "t.csv")
        assert "4 chunks" in frame.explain()
        pd.testing.assert_frame_equal(frame.execute().fetch(), held)
        assert "1 chunk " in md.read_csv(tmp_path / "t.csv", chunk_bytes=None).explain()
