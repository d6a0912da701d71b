"""Groups, merges, sorts and duplicates give pandas' answer by every plan, also those that only large data choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from marsdask import option_context
from marsdask.plan import graph
from marsdask.plan.registry import in_room, lookup
from tests.oracle import assert_like, cases_of, check_case, fetched, skip_where_the_oracle_is_older

pytestmark = pytest.mark.once

FAMILIES = ("GroupBy.", "merge", "DataFrame.merge", "DataFrame.join", "DataFrame.sort_values", "Series.sort_values", "frame.sort_index",
            "DataFrame.duplicated", "Series.duplicated", "DataFrame.drop_duplicates", "Series.drop_duplicates")  # fmt: skip
CASES = [
    (op.name, case)
    for op in in_room("dataframe")
    if op.name.startswith(FAMILIES) and op.status != "unbuilt"
    for case in cases_of(op)
]


@pytest.fixture
def large(monkeypatch: Any) -> None:
    """Every frame counts as large."""
    import sys

    monkeypatch.setattr(sys.modules["marsdask.dataframe.sorting.shuffle"], "SMALL_BYTES", -1)
    monkeypatch.setattr(sys.modules["marsdask.dataframe.joining.matching"], "BROADCAST_BYTES", -1)
    monkeypatch.setattr(sys.modules["marsdask.dataframe.joining.matching"], "SHARE", float("inf"))
    monkeypatch.setattr(sys.modules["marsdask.dataframe.sorting.duplicates"], "LARGE_BYTES", -1)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_as_if_large(large: None, name: str, case: str) -> None:
    check_case(lookup(name), case, "empty")


RAW = pd.DataFrame(
    {
        "k": np.arange(60) * 7 % 11,
        "s": list("abcdefghij") * 6,
        "v": np.where(np.arange(60) % 9 == 4, np.nan, np.arange(60) * 37 % 61 / 4),
        "i": np.arange(60) * 17 % 59,
    }
)


def ours(**changed: Any) -> Any:
    return md.DataFrame(RAW.assign(**changed), chunk_size=7)


@pytest.mark.parametrize("method", ["auto", "tree", "shuffle"])
@pytest.mark.parametrize("sort", [True, False])
def test_methods_of_agg(method: str, sort: bool) -> None:
    got = ours().groupby(["k", "s"], sort=sort).agg({"v": "mean", "i": "max"}, method=method, combine_size=2)
    assert_like(fetched(got), RAW.groupby(["k", "s"], sort=sort).agg({"v": "mean", "i": "max"}))


@pytest.mark.parametrize("wrong", [{"method": "nope"}, {"combine_size": 1}, {"combine_size": "two"}])
def test_tuning_that_is_wrong(wrong: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        ours().groupby("k").agg("sum", **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "nope"},
        {"auto_merge": "x"},
        {"auto_merge_threshold": -1},
        {"bloom_filter": "x"},
        {"bloom_filter_options": 3},
        {"bloom_filter_options": {"filters": "large"}},
        {"bloom_filter_options": {"filter": "none"}},
        {"bloom_filter_options": {"error_rate": 1}},
        {"bloom_filter_options": {"max_elements": 0}},
        {"bloom_filter_options": {"apply_chunk_size_threshold": 0}},
    ],
)
def test_tuning_of_merge_that_is_wrong(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ours().merge(ours(), on="k", **wrong)


@pytest.mark.parametrize("method", ["auto", "broadcast", "shuffle"])
@pytest.mark.parametrize("how", ["inner", "left", "right", "outer", "left_anti", "right_anti"])
def test_methods_of_merge(method: str, how: str) -> None:
    if how == "inner":
        skip_where_the_oracle_is_older("merge(df, right, on='k')")
    other = RAW.iloc[::-3].assign(k=lambda f: f.k + 3).reset_index(drop=True)
    got = ours().merge(md.DataFrame(other, chunk_size=4), on="k", how=how, method=method)
    assert_like(fetched(got), RAW.merge(other, on="k", how=how))


def test_row_order_can_be_waived() -> None:
    other = RAW.iloc[::-1].reset_index(drop=True)
    with option_context({"row_order": "any"}):
        got = fetched(ours().merge(md.DataFrame(other, chunk_size=9), on="k", method="shuffle"))
    want = RAW.merge(other, on="k")
    by = list(want.columns)
    assert_like(got.sort_values(by, ignore_index=True), want.sort_values(by, ignore_index=True))


@pytest.mark.parametrize("drop", [True, False])
def test_what_nobody_sees_is_dropped_rightly(drop: bool) -> None:
    other = RAW.iloc[::-1].reset_index(drop=True)
    with option_context({"optimize.drop": drop}):
        merged = ours().merge(md.DataFrame(other, chunk_size=9), on="k", method="shuffle")
        want = RAW.merge(other, on="k")
        assert_like(
            fetched(merged.groupby("s_x").agg({"v_y": "sum"})), want.groupby("s_x").agg({"v_y": "sum"})
        )
        assert_like(
            fetched(merged.groupby("s_x").agg({"i_y": "first"})), want.groupby("s_x").agg({"i_y": "first"})
        )
        assert_like(
            fetched(merged.groupby("s_x", sort=False).agg({"i_y": "sum"})),
            want.groupby("s_x", sort=False).agg({"i_y": "sum"}),
        )
        assert_like(
            fetched(merged.sort_values("v_x").groupby("k").head(2)[["i_x"]]),
            want.sort_values("v_x", kind="stable").groupby("k").head(2)[["i_x"]],
        )
        assert_like(fetched(merged.v_x.sum()), want.v_x.sum())


@pytest.mark.parametrize("chunk", [2, 9])
def test_more_columns_are_left_than_are_looked_at(chunk: int) -> None:
    """A merge keeps its keys: what counts columns above it must not take them for others."""
    left = pd.DataFrame({"k": [1, 2, 3, 4], "a": [1.0, 2, 3, 4], "q": [1, 2, 3, 4]})
    merged = md.DataFrame(left, chunk_size=chunk).merge(left[["k"]], on="k")
    renamed = merged.rename(columns={"a": "e"}).assign(a=1.5)
    assert_like(fetched(renamed[["a", "q"]].sum()), pd.Series({"a": 6.0, "q": 10.0}))
    assert_like(fetched(merged.agg({"q": "sum", "a": "max"})), left.agg({"q": "sum", "a": "max"}))


def test_a_column_that_is_written_over_keeps_its_place() -> None:
    """Answers by column stand by the columns' labels, also where the old column is not looked at."""
    left, right = (
        pd.DataFrame({"k": [1, 2, 3]}),
        pd.DataFrame({"k": [1, 2, 3], "z": [1, 5, 9], "f": [2.5, 4, 7], "s": list("abc")}),
    )
    merged = md.DataFrame(left, chunk_size=2).merge(right, on="k")
    want = left.merge(right, on="k")
    assert_like(
        fetched(merged.assign(z=merged.k * 2).max(numeric_only=True)),
        want.assign(z=want.k * 2).max(numeric_only=True),
    )


def test_a_dropped_merge_is_not_sent_home() -> None:
    from marsdask.plan.meta import meta
    from marsdask.plan.passes import run

    merged = ours().merge(ours(), on="k", method="shuffle").groupby("s_x").agg({"v_y": "sum"})
    (node,) = run([merged.node])
    ops = []
    while node is not None:
        ops.append(node.op)
        node = node.args[0] if node.args and hasattr(node.args[0], "op") else None
    assert "frame.renumber" not in ops
    assert "frame.merge" in ops
    assert meta(merged.node).kind == "DataFrame"


def test_a_filter_of_keys_and_values_above_reset_index() -> None:
    """Dask 2026.8 pushes such a filter under reset_index and fails."""
    sums = ours().groupby(["k", "s"]).v.sum().reset_index()
    want = RAW.groupby(["k", "s"]).v.sum().reset_index()
    assert_like(fetched(sums[sums.k > 0.5 * sums.v]), want[want.k > 0.5 * want.v])


def test_columns_of_many_parquet_files_after_a_run(tmp_path: Any) -> None:
    """Dask 2026.8 loses keys of fused parquet chunks (dask/dask#12488)."""
    for i in range(8):
        RAW.assign(**{f"c{j}": i for j in range(12)}).to_parquet(tmp_path / f"{i}.parquet")
    frame = md.read_parquet(str(tmp_path))[["k", "v"]].execute()
    want = pd.concat([RAW[["k", "v"]]] * 8)
    assert_like(fetched(frame.groupby("k").agg({"v": "sum"})), want.groupby("k").agg({"v": "sum"}))
    assert_like(fetched(frame.v.max()), want.v.max())


def test_missing_keys_of_nullable_dtypes_are_no_group() -> None:
    frame = RAW.assign(k=RAW.k.astype("Int64").where(RAW.i % 4 > 0))
    for dropna in (True, False):
        got = md.DataFrame(frame, chunk_size=7).groupby("k", dropna=dropna).agg({"v": "sum", "i": "count"})
        assert_like(fetched(got), frame.groupby("k", dropna=dropna).agg({"v": "sum", "i": "count"}))


def test_order_after_groups_decides_what_follows() -> None:
    for build in (
        lambda f: f.groupby("s", sort=False).i.median().cumsum(),
        lambda f: f.groupby(["s", "k"]).v.agg(["sum", "nunique"]).head(3),
        lambda f: f.drop_duplicates("k").i.cumsum(),
        lambda f: f.k.value_counts().head(4),
        lambda f: f.merge(f, on="k").i_x.cumsum().tail(3),
    ):
        assert_like(fetched(build(ours())), build(RAW))


def test_groups_are_walked_and_named() -> None:
    group, want = ours().groupby("s"), RAW.groupby("s")
    assert len(group) == len(want) == group.ngroups
    for (name, rows), (want_name, want_rows) in zip(group, want, strict=True):
        assert name == want_name
        assert_like(fetched(rows), want_rows)
    assert group.groups.keys() == want.groups.keys()
    with pytest.raises(KeyError):
        fetched(group.get_group("nope"))
    with pytest.raises(KeyError, match="Did you mean 's'"):
        ours().groupby("ss")
    with pytest.raises(AttributeError):
        getattr(ours().groupby("s"), "no_such_name")  # noqa: B009


def test_functions_that_cannot_be_tried() -> None:
    def picky(rows: Any) -> Any:
        if len(rows) < 3:
            raise ValueError("too few")
        return rows.i.sum()

    with pytest.raises(TypeError, match="output_type"):
        ours().groupby("s").apply(picky)
    got = (
        ours()
        .groupby("s")
        .apply(picky, output_type="series", dtype="i8", index=pd.Index([], dtype="str", name="s"))
    )
    assert_like(fetched(got), RAW.groupby("s").apply(picky))


def test_a_snapshot_is_grouped() -> None:
    frame = ours()
    group = frame.groupby("s")
    frame["v"] = 0.0
    assert_like(fetched(group.v.sum()), RAW.groupby("s").v.sum())


def test_large_sums_do_not_wrap_in_means() -> None:
    frame = pd.DataFrame({"k": [1] * 6, "v": [2**62] * 6})
    assert_like(fetched(md.DataFrame(frame, chunk_size=2).groupby("k").v.mean()), frame.groupby("k").v.mean())


def test_samples_repeat_whatever_the_chunks() -> None:
    a, b = (fetched(md.DataFrame(RAW, chunk_size=n).sample(9, random_state=3)) for n in (7, 60))
    assert_like(a, b)
    assert_like(a, RAW.sample(9, random_state=3))
    filtered = ours()[ours().i > 20].sample(5, random_state=1)
    assert_like(fetched(filtered), RAW[RAW.i > 20].sample(5, random_state=1))


def test_appended() -> None:
    assert_like(fetched(ours().append(ours(), ignore_index=True)), pd.concat([RAW, RAW], ignore_index=True))
    assert_like(fetched(ours().v.append(RAW.v)), pd.concat([RAW.v, RAW.v]))
    assert_like(
        fetched(ours()[ours().i > 20].append([ours()], ignore_index=True)),
        pd.concat([RAW[RAW.i > 20], RAW], ignore_index=True),
    )


def test_the_size_of_groups_of_a_column(tmp_path: Any) -> None:
    RAW.to_csv(tmp_path / "raw.csv", index=False)
    frame = md.read_csv(tmp_path / "raw.csv", chunk_bytes=200)
    assert_like(fetched(frame.groupby("k")["i"].size()), RAW.groupby("k")["i"].size())


def test_facts_of_an_index_with_holes() -> None:
    want = pd.Index([1.0, np.nan, 3.0, 3.0])
    index = md.Index(want, chunk_size=3)
    for name in ("hasnans", "is_unique", "has_duplicates"):
        assert bool(getattr(index, name).execute().fetch()) == getattr(want, name)


def test_inplace() -> None:
    frame = ours()
    assert frame.sort_values("i", inplace=True) is None
    assert_like(fetched(frame), RAW.sort_values("i"))
    assert frame.drop_duplicates("k", inplace=True, ignore_index=True) is None
    assert_like(fetched(frame), RAW.sort_values("i").drop_duplicates("k", ignore_index=True))


@pytest.mark.parametrize("keep", ["first", "last", False])
@pytest.mark.parametrize("method", ["auto", "shuffle"])
def test_duplicates_of_an_index(keep: Any, method: str) -> None:
    want = pd.Index(RAW.k)
    index = md.Index(want, chunk_size=7)
    assert_like(fetched(index.duplicated(keep=keep)), want.duplicated(keep=keep))
    assert_like(fetched(index.drop_duplicates(keep=keep, method=method)), want.drop_duplicates(keep=keep))
    assert_like(fetched(index.value_counts()), want.value_counts())
    assert_like(fetched(index.unique()), want.unique().to_numpy())


def test_more_rows_than_a_chunk_of_taken_rows(monkeypatch: Any) -> None:
    import sys

    monkeypatch.setattr(sys.modules["marsdask.dataframe.making.sample"], "ROWS", 5)
    assert_like(fetched(ours().sample(frac=0.7, random_state=4)), RAW.sample(frac=0.7, random_state=4))


def test_many_chunks_ask_how_many_groups_there_are(monkeypatch: Any) -> None:
    import sys

    frame = md.DataFrame(RAW, chunk_size=3)
    for many in (2_000_000, 1):
        monkeypatch.setattr(sys.modules["marsdask.dataframe.groupby.lowering"], "MANY_GROUPS", many)
        for sort in (True, False):
            got = frame.groupby(["k", "s"], sort=sort).agg({"v": ["mean", "std"], "i": ["first", "size"]})
            assert_like(
                fetched(got),
                RAW.groupby(["k", "s"], sort=sort).agg({"v": ["mean", "std"], "i": ["first", "size"]}),
            )


@pytest.mark.parametrize("fuse", [True, False])
def test_tasks_of_a_chunk_in_one(fuse: bool) -> None:
    def build(f: Any) -> Any:
        return (f[f.i > 9].v * 2 + f[f.i > 9].i).sum()

    with option_context({"optimize.fuse": fuse}):
        np.testing.assert_allclose(fetched(build(ours())), build(RAW))


def test_a_chain_of_tasks_keeps_joins_apart() -> None:
    from marsdask.plan import graph

    source = graph.constants([1, 2, 3])
    doubled = graph.per_chunk(_plus, graph.per_chunk(_plus, source, 1, lengths=None), 10, lengths=None)
    total = graph.tree(doubled, sum)
    tasks = graph.merged([total])
    less = graph.lined_up(tasks, total.keys)
    assert len(tasks) == 3 + 3 + 3 + 1
    assert len(less) == 3 + 3 + 1
    from dask.threaded import get

    assert get(less, total.keys[0]) == sum((1, 2, 3)) + 3 * 11


def _plus(a: int, b: int) -> int:
    return a + b


ALL_IN_ONE = ("ours().v.rank()", "ours().groupby('k').filter(lambda g: len(g) > 5)", "ours().groupby('k').v.value_counts()",
              "ours().groupby('k', as_index=False).apply(lambda g: g.v.max())", "ours().groupby(['k', 's']).v.describe()",
              "ours().groupby('k').apply(lambda g: g)")  # fmt: skip


@pytest.mark.parametrize("text", ALL_IN_ONE)
def test_rows_that_come_to_one_chunk_hold_to_the_gather_limit(text: str) -> None:
    fetched(eval(text))
    with option_context({"gather_limit": 500}), pytest.raises(MemoryError, match=r"options\.gather_limit"):
        fetched(eval(text))


def test_small_frames_are_exchanged_where_the_gather_limit_is_smaller() -> None:
    want = RAW.groupby("k")["v"].transform("cumsum")
    with option_context({"gather_limit": 500}):
        assert_like(fetched(ours().groupby("k").v.transform("cumsum")), want)


def test_a_reduction_runs_no_task_for_an_alias(monkeypatch: Any) -> None:
    counts = []
    real = graph.lined_up

    def counting(tasks: Any, keys: Any) -> Any:
        new = real(tasks, keys)
        counts.append(sum(bool(graph.inside(task)) for task in new.values()))
        return new

    monkeypatch.setattr(graph, "lined_up", counting)
    assert_like(fetched(md.Series(np.arange(80), chunk_size=10).sum()), np.arange(80).sum())
    assert counts == [8 + 2 + 1]  # chunks, and a tree that joins four at a time
