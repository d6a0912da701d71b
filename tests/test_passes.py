"""Passes change what runs, never what comes out."""

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context
from marsdask import session as sessions
from marsdask.plan import graph, passes
from marsdask.plan.node import token, walk


def ops_after(handle: object) -> list[str]:
    return [n.op for n in walk(passes.run([handle.node]))]  # type: ignore[attr-defined]


def test_share_makes_equal_nodes_one() -> None:
    x = mt.ones((3,))
    both = [(x + 1).node, (x + 1).node]
    first, second = passes.share(both)
    assert first is second


def test_what_stands_on_executed_data_keeps_its_token() -> None:
    frame = md.DataFrame({"a": [3, 1, 2]}, chunk_size=2).execute()
    whole = (frame.a + 1) * (frame.a + 1)
    session = sessions.get_default_or_create()
    with option_context({"optimize.drop": False}):
        (plan,) = passes.run([whole.node], session._known)
    assert [n.op for n in walk([plan])] == ["result", "frame.select", "frame.binary", "frame.binary"]
    assert token(plan) == token(whole.node)
    assert token(frame.node) == token(walk([plan])[0])


def test_fuse_takes_a_chain_and_its_reduction() -> None:
    x = mt.tensor(np.arange(12.0).reshape(3, 4), chunk_size=2)
    chain = (((x + 1) * 2 - x) ** 2).sum()
    assert ops_after(chain) == ["data", "fused"]
    with option_context({"optimize.fuse": False}):
        assert "fused" not in ops_after(chain)


def test_fuse_leaves_what_others_read() -> None:
    x = mt.tensor(np.arange(3.0))
    middle = x + 1
    found = ops_after(middle * 2 + middle * 3)
    assert found.count("add") == 1  # read twice: computed once, outside of the kernel
    np.testing.assert_array_equal((middle * 2 + middle * 3).execute().fetch(), (np.arange(3.0) + 1) * 5)


def test_fuse_does_not_repeat_a_broadcast_row() -> None:
    x, row = mt.ones((4, 3)), mt.ones((3,))
    assert "exp" in ops_after(x + mt.exp(row))


@pytest.mark.parametrize("shape", [(0,), (1,), (5, 0), (3, 70_000), (200_001,), (2, 3, 4)])
def test_fused_kernels_are_numpys(shape: tuple[int, ...]) -> None:
    rng = np.random.RandomState(1)
    a, b = rng.rand(*shape) + 0.5, rng.rand(*shape)
    x, y = mt.tensor(a, chunk_size=50_000), mt.tensor(b, chunk_size=50_000)
    np.testing.assert_array_equal((mt.sqrt(x * 2 + y) - 1).execute().fetch(), np.sqrt(a * 2 + b) - 1)
    np.testing.assert_allclose(
        (mt.sqrt(x * 2 + y) - 1).sum().execute().fetch(), (np.sqrt(a * 2 + b) - 1).sum()
    )
    if a.size:
        np.testing.assert_array_equal((x * 2 - y).max(axis=0).execute().fetch(), (a * 2 - b).max(axis=0))
        np.testing.assert_array_equal((x * 2 - y).min().execute().fetch(), (a * 2 - b).min())
    np.testing.assert_array_equal(
        ((x * 2 - y) > 0.7).all(axis=-1).execute().fetch(), ((a * 2 - b) > 0.7).all(axis=-1)
    )
    np.testing.assert_array_equal((x.T + y.T * 2).execute().fetch(), a.T + b.T * 2)


def test_fused_integers_keep_numpys_dtypes() -> None:
    a = np.arange(100, dtype="i1")
    x = mt.tensor(a, chunk_size=30)
    with np.errstate(all="ignore"):
        want = ((a + 1) * 3).sum()
    got = ((x + 1) * 3).sum().execute().fetch()
    assert got == want
    assert got.dtype == want.dtype


def test_drop_reads_only_columns_that_are_seen() -> None:
    whole = pd.DataFrame({c: range(6) for c in "abcdef"})
    frame = md.DataFrame(whole, chunk_size=2)
    result = frame[frame.a > 1].b.sum()
    plan = passes.run([result.node])
    filters = [n for n in walk(plan) if n.op == "frame.filter"]
    assert filters
    assert all("c" not in passes.meta(n).empty.columns for n in filters if passes.meta(n).kind == "DataFrame")
    assert result.execute().fetch() == whole[whole.a > 1].b.sum()


def test_drop_leaves_out_renumbering_nobody_sees() -> None:
    frame = md.DataFrame({"a": [3, 1, 2], "b": [1, 2, 3]}, chunk_size=1)
    fresh = frame[frame.a > 1].reset_index(drop=True)
    assert "frame.renumber" in ops_after(fresh)
    assert "frame.renumber" not in ops_after(fresh.b.sum())
    assert "frame.renumber" in ops_after(fresh.b)
    with option_context({"optimize.drop": False}):
        assert "frame.renumber" in ops_after(fresh.b.sum())


def test_batched_reductions_have_fewer_tasks() -> None:
    def tasks(handle: object) -> int:
        collection = handle.to_dask()  # type: ignore[attr-defined]
        keys = graph.keys_of(collection)
        return len(graph.batched(graph.wanted_only(graph.merged([collection]), keys), keys))

    x = mt.ones((10_000,), chunk_size=10)
    assert tasks((x + 1).sum()) < 300
    assert (x + 1).sum().execute().fetch() == 20_000
