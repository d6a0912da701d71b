"""Rows that are picked and taken late, beside pandas: alone, in chains of tasks, and what of it can be written to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.dataframe.indexing import indexing, setting
from marsdask.dataframe.kernels import dates, picked, texts
from marsdask.plan import graph
from marsdask.plan.graph import passes
from marsdask.plan.late import knowing, late, whole
from tests.test_chains import walk_chain

pytestmark = pytest.mark.once

ROWS = 12


@pytest.fixture(autouse=True, scope="module")
def _few_rows_too() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for kernel in (dates, picked, texts):
            patch.setattr(kernel, "FEWEST", 1)
        yield


def table(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    """A frame of all kinds of columns, some with holes."""
    rand = np.random.default_rng(seed)

    def holes(values: Any, dtype: Any) -> pd.Series:
        column = pd.Series(values, dtype=dtype)
        return column.mask(pd.Series(rand.random(rows) < 0.2))

    day = pd.date_range("2000-01-01", periods=rows).to_series().sample(frac=1, random_state=seed)
    words = rand.choice(["a", "b", "cc", ""], rows)
    return pd.DataFrame(
        {
            "i": rand.permutation(rows),
            "k": rand.integers(0, 4, rows).astype("i4"),
            "f": holes(rand.random(rows).round(2), "f8"),
            "g": rand.random(rows).astype("f4"),
            "b": rand.random(rows) < 0.5,
            "d": holes(day.to_numpy(), "M8[ms]"),
            "e": pd.Series(day.to_numpy()).astype("M8[ms]"),
            "z": pd.Series(day.to_numpy()).dt.tz_localize("UTC"),
            "t": holes(words, "str"),
            "u": pd.Series(rand.choice(["x", "y"], rows), dtype="str"),
            "n": holes(rand.integers(0, 9, rows), "Int64"),
            "m": holes(rand.random(rows) < 0.5, "boolean"),
            "c": holes(words, "str").astype("category"),
            "o": pd.Series([1, "q", None] * (rows // 3), dtype=object),
        }
    )


LABELS = {
    "ranged": None,
    "doubled": np.arange(ROWS) // 2,
    "text": list("abcdefghijkl"),
    "dates": pd.date_range("2000", periods=ROWS, freq="D"),
    "levels": pd.MultiIndex.from_product([[1, 2], range(ROWS // 2)], names=["p", "q"]),
}

STEPS = st.lists(
    st.sampled_from(
        ["i > 5", "f < 0.5", "m", "b", "t == 'a'", "d < e", "none", "select", "assign", "replace", "reversed"]
    ),
    max_size=6,
)


@given(st.sampled_from(sorted(LABELS)), STEPS, st.integers(0, 5))
def test_steps_of_chunks(labels: str, steps: list[str], seed: int) -> None:
    """The functions that a chain calls give what pandas gives, whatever came before."""
    frame = table(seed=seed)
    if LABELS[labels] is not None:
        frame = frame.set_axis(LABELS[labels], axis=0)
    keep, choose, put = (knowing(f) for f in (indexing._keep_rows, indexing._columns, setting._with_column))
    ours, theirs = frame, frame
    for step in steps:
        if step == "select":
            names = [c for c in theirs.columns if c not in ("g", "z")]
            ours, theirs = choose(ours, names), theirs[names]
        elif step == "reversed":
            names = list(theirs.columns[::-1])
            ours, theirs = choose(ours, names), theirs[names]
        elif step in ("assign", "replace"):
            name = "new" if step == "assign" else "f"
            ours = put(ours, name, choose(ours, "i") * 2.5)
            theirs = theirs.assign(**{name: theirs["i"] * 2.5})
        else:
            ours, theirs = (
                keep(ours, masked(choose, ours, step)),
                theirs.loc[masked(lambda f, c: f[c], theirs, step)],
            )
        assert len(ours) == len(theirs)
        if len(theirs):
            pd.testing.assert_series_equal(choose(ours, "t"), theirs["t"])
    pd.testing.assert_frame_equal(whole(ours), theirs)


def masked(column: Any, frame: Any, step: str) -> Any:
    if step == "none":
        return column(frame, "i") < 0
    if step in ("m", "b"):
        return column(frame, step)
    if step == "i > 5":
        return column(frame, "i") > 5
    if step == "f < 0.5":
        return column(frame, "f") < 0.5
    return column(frame, "t") == "a" if step == "t == 'a'" else column(frame, "d") < column(frame, "e")


def test_what_is_not_picked_from() -> None:
    frame = table()
    told = frame.set_flags(allows_duplicate_labels=False)
    doubled = frame.set_axis(["i"] * frame.shape[1], axis=1)
    levels = pd.concat({"l": frame}, axis=1)
    noted = frame.copy()
    noted.attrs["from"] = "a user"

    class Mine(pd.DataFrame):
        pass

    for each in (
        told,
        doubled,
        levels,
        noted,
        frame[[]],
        Mine(frame),
        frame.i,
        frame.rename(columns={"i": np.nan}),
    ):
        assert picked.picked(each) is None
    assert picked.kept(frame, frame.i.set_axis(range(1, 13)) > 3) is None
    assert picked.kept(frame, frame.m) is None


def test_writes_stay_where_they_are() -> None:
    """A column that was handed out, or the frame, can be written to: others do not change."""
    frame = table()
    before = frame.copy()
    some = picked.kept(frame, frame.i > 3)
    assert some is not None
    some = picked.assigned(some, "twice", some["i"] * 2)
    assert some is not None
    want = whole(some).copy()
    for name in ("i", "twice", "t"):
        told = some[name]
        told.iloc[0] = told.iloc[1]
        made = whole(some)
        made.loc[:, name] = made[name].iloc[1]
        pd.testing.assert_frame_equal(whole(some), want)
    rows = picked.picked(frame)
    assert rows is not None
    for made in (whole(rows), rows["i"].to_frame()):
        made.iloc[:, 0] = 7
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("chunks", [5, 12])
def test_writes_do_not_reach_what_is_held(chunks: int) -> None:
    frame = table()
    held = md.DataFrame(frame, chunk_size=chunks).execute()
    for made in (held[["i", "f"]], held[held.i >= 0], held[held.b][["t", "f"]], held[["i"]].assign(x=held.f)):
        for fetched in (made.execute().fetch(), made.to_pandas()):
            fetched.iloc[:, 0] = fetched.iloc[0, 0]
            fetched.iloc[:, -1] = fetched.iloc[1, -1]
    spoilt = held[held.i > 2].map_chunk(spoil).execute()
    assert (spoilt.fetch()["f"] == -1).all()
    pd.testing.assert_frame_equal(held.fetch(), frame)


def spoil(chunk: pd.DataFrame) -> pd.DataFrame:
    """A user's function that writes to what it gets."""
    chunk["f"] = -1.0
    chunk.loc[:, "i"] = 0
    return chunk


def test_columns_of_any_label() -> None:
    frame = table()[["i", "f", "t"]].set_axis(pd.Index([("a", 1), 2, ("t", 3)], tupleize_cols=False), axis=1)
    some = picked.kept(frame, frame[2] > 0.3)
    assert some is not None
    want = frame[frame[2] > 0.3]
    few, as_categories = some.grouped([("t", 3)], [("a", 1)])
    assert not as_categories
    pd.testing.assert_frame_equal(few, want[[("t", 3), ("a", 1)]])
    chosen = some.chosen([("t", 3), ("a", 1)])
    pd.testing.assert_frame_equal(whole(chosen), want[[("t", 3), ("a", 1)]])
    assert some.chosen([2, 2]) is None
    assert some.chosen(["none"]) is None


def test_functions_of_users_get_pandas_objects() -> None:
    seen: list[type] = []

    def look(chunk: Any) -> Any:
        seen.append(type(chunk))
        return chunk

    held = md.DataFrame(table(), chunk_size=4)
    held[held.i > 2][["f", "t"]].map_chunk(look, with_chunk_index=False).execute()
    assert set(seen) == {pd.DataFrame}


def test_late_functions_alone_give_whole_ones() -> None:
    frame = table()
    assert type(indexing._keep_rows(frame, frame.b)) is pd.DataFrame
    assert knowing(len) is None
    assert isinstance(knowing(late(picked.picked))(frame), picked.Picked)  # type: ignore[misc]


def test_chains_below_an_array_have_no_tasks_within_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask's array optimizer fuses tasks of frames below an array: a chain runs them one by one, so that they hand on late values."""
    chains: list[Any] = []
    real = graph.lined_up

    def seen(tasks: Any, keys: Any) -> Any:
        made = real(tasks, keys)
        chains.extend(t.func for t in made.values() if isinstance(getattr(t, "func", None), passes.Chain))
        return made

    monkeypatch.setattr(graph, "lined_up", seen)
    frame = table()
    held = md.DataFrame(frame, chunk_size=4).execute()
    few = held[["i", "f", "k"]][held.i > 2]
    assert float((few.f * few.k).sum().execute().fetch()) == pytest.approx(
        (frame.f * frame.k)[frame.i > 2].sum()
    )
    within = [task for chain in chains for task in chain.tasks]
    assert sum(task.func is indexing._keep_rows for task in within if hasattr(task, "func")) == 3


OTHER = pd.DataFrame({"k": np.array([3, 1, 0], "i4"), "w": ["p", "q", None], "v": [0.5, 1.5, 2.5]})
STEPS_OF_FRAMES = [
    "x[x.i > 3]", "x[x.f < 0.7]", "x[(x.i > 1) & (x.f > 0.1) & (x.t != 'a')]", "x[x.d < x.e]", "x[x.d >= x.e]", "x[x.m.fillna(False)]",
    "x[x.t.isin(['a', 'cc'])]", "x[x.t.isin(['a', None])]", "x[~x.t.str.startswith('c')]", "x[x.t.str.contains('a|b')]", "x[x.u == 'x']",
    "x[x.e < pd.Timestamp('2000-01-09')]", "x[x.d != pd.Timestamp('2000-01-02')]", "x.assign(h=x.f * (1 - x.f))", "x.assign(f=x.f + x.i)",
    "x.assign(t=x.t)", "x.assign(one=1)", "x[[c for c in x.columns if c not in ('g', 'z')]]", "x[list(x.columns[::-1])]",
    "x.merge(pd_other, on='k')", "x.merge(pd_other.rename(columns={'k': 'kk'}), left_on='k', right_on='kk').drop(columns='kk')",
    "x.merge(pd_other, on='k', how='left')", "pd_other_m.merge(x, on='k', how='right')", "x.drop(columns=[c for c in ('w', 'v', 'h') if c in x.columns])",
    "x.reset_index(drop=True)", "x[x.k.isin([1, 2])]", "x.sort_values('i')", "x.loc[x.b, ['i', 'k', 'f', 'b', 'd', 'e', 't', 'u', 'm']]",
]  # fmt: skip
ENDS = [
    "x.groupby('t').agg(a=('f', 'sum'), n=('i', 'count')).reset_index()", "x.groupby(['t', 'u']).agg(a=('f', 'sum'), n=('u', 'size'))",
    "x.groupby(['u', 'k'], sort=False).f.mean()", "x.groupby('u').agg(first=('t', 'first'), least=('u', 'min'))", "x.groupby('u', as_index=False).i.sum()",
    "x.groupby('t', dropna=False).size()", "(x.f * x.i).sum()", "x.i.max()", "x",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(75))
def test_chain_of_frames(seed: int) -> None:
    """Selections, assignments, comparisons and probes in chains, and a group or a sum at their end."""
    frame = table(seed=seed)
    if seed % 3 == 1:
        frame = frame.set_axis(np.arange(ROWS) // 2, axis=0)
    held = md.DataFrame(frame, chunk_size=[4, 5, 12][seed % 3]).execute()
    names = {"pd_other": OTHER, "pd": pd}
    sides = names | {"pd_other_m": md.DataFrame(OTHER)}, names | {"pd_other_m": OTHER}
    rand = random.Random(seed)
    for _ in range(2):  # the second time, texts have their numbers
        walk_chain(held, frame, STEPS_OF_FRAMES, sides, seed, 4)
    walk_chain(held[held.i > 2], frame[frame.i > 2], [rand.choice(ENDS)], sides, seed, 1)


NAMES: list[Any] = ["a", "b", 1, 1.0, True, None, float("nan"), ("a", 1), pd.Timestamp(0)]


@example([True], [1])
@given(st.lists(st.sampled_from(NAMES), max_size=4), st.lists(st.sampled_from(NAMES), max_size=4))
def test_some_columns_are_those_that_pandas_takes(there: list[Any], wanted: list[Any]) -> None:
    columns = pd.Index(there, dtype=object, tupleize_cols=False)
    frame = pd.DataFrame([range(len(there))] * 4, columns=columns)
    try:
        expected = frame[wanted]
    except Exception as error:
        with pytest.raises(type(error)):
            picked.some_columns(frame, wanted)
    else:
        pd.testing.assert_frame_equal(picked.some_columns(frame, wanted), expected)
