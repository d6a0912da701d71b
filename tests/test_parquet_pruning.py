"""Row groups that a footer excludes: the rows of filters beside pandas' of the whole file, and what is read of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.dataframe.files import parquet, statistics
from marsdask.plan import passes
from marsdask.plan.node import walk

pytestmark = pytest.mark.once

BIG = 2**53
WHOLE = [-3, -1, 0, 1, 2, 7, BIG, BIG + 1, -BIG - 1]
FLOATS = [-np.inf, -1.5, -0.0, 0.0, 0.1, 1.0, 2.5, float(BIG), np.inf, np.nan, None]
TEXTS = ["", "a", "ab", "abc", "b", "é", "z\U0001f600", None]
TIMES = [pd.Timestamp("2020-01-01") + pd.Timedelta(n, "us") for n in (-1, 0, 1, 10**6, 10**12)]
KINDS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int64(), WHOLE),
    "holes": (pa.int64(), [*WHOLE, None, None]),
    "small": (pa.int8(), [-3, 0, 1, 7]),
    "unsigned": (pa.uint64(), [0, 1, 7, 2**63 + 1]),
    "f": (pa.float64(), FLOATS),
    "f4": (pa.float32(), FLOATS),
    "s": (pa.string(), TEXTS),
    "t": (pa.timestamp("ns"), [*TIMES, None]),
    "ms": (pa.timestamp("ms"), [t.floor("ms") for t in TIMES]),
    "zone": (pa.timestamp("us", "Europe/Berlin"), [t.tz_localize("UTC") for t in TIMES]),
}
LIKE = {"holes": "i", "small": "i", "unsigned": "i", "f4": "f", "ms": "t"}
Mask = Callable[[Any], Any]


@st.composite
def tables(draw: Any) -> tuple[pa.Table, int]:
    """A table whose rows are in runs, so that groups differ, and the rows of a group."""
    rows = draw(st.integers(0, 24))
    columns = {}
    for name, (kind, values) in KINDS.items():
        picked = draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
        if draw(st.booleans()):
            picked.sort(key=lambda v: (v is None, v != v, 0 if v is None or v != v else v))
        columns[name] = pa.array(picked, kind)
    return pa.table(columns), draw(st.integers(1, 8))


def values_for(name: str) -> list[Any]:
    own = [v for v in KINDS[LIKE.get(name, name)][1] if v is not None and v == v]
    if LIKE.get(name, name) == "i":
        return [*own, 0.5, float(BIG), np.int64(2), np.float64(-1)]
    if LIKE.get(name, name) == "f":
        return [*own, 2, BIG + 1, np.float64(0.1)]
    return [*own, TIMES[2].to_pydatetime(), TIMES[1].to_datetime64()] if name in ("t", "ms") else own


@st.composite
def masks(draw: Any, depth: int = 2) -> Mask:
    """A condition on the rows of a frame, as people write it."""
    kind = draw(st.sampled_from(["term", "term", "&", "|", "~"])) if depth else "term"
    if kind == "~":
        inner = draw(masks(depth=depth - 1))
        return lambda df: ~inner(df)
    if kind != "term":
        one, other = draw(masks(depth=depth - 1)), draw(masks(depth=depth - 1))
        return (lambda df: one(df) & other(df)) if kind == "&" else (lambda df: one(df) | other(df))
    name = draw(st.sampled_from([*KINDS]))
    how = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "isin", "between", "isna", "shifted"]))
    value, other = (draw(st.sampled_from(values_for(name))) for _ in range(2))
    if how == "shifted":  # looks at other rows
        return lambda df: df[name].shift(1).notna()
    by_name: dict[str, Mask] = {
        "==": lambda df: df[name] == value,
        "!=": lambda df: df[name] != value,
        "<": lambda df: df[name] < value,
        "<=": lambda df: df[name] <= value,
        ">": lambda df: df[name] > value,
        ">=": lambda df: df[name] >= value,
        "isin": lambda df: df[name].isin([value, other]),
        "between": lambda df: df[name].between(value, other),
        "isna": lambda df: df[name].isna(),
    }
    return by_name[how]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(), st.lists(masks(), min_size=1, max_size=2), st.booleans())
def test_filters_give_the_rows_that_pandas_gives(
    tmp_path: Path, made: tuple[pa.Table, int], masks: list[Mask], apart: bool
) -> None:
    table, size = made
    path = tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=size)
    whole = pd.read_parquet(path)
    frame = md.read_parquet(path, groups_as_chunks=apart)
    for mask in masks:
        try:
            want = whole[mask(whole)]
        except (TypeError, OverflowError):  # pandas has no such comparison
            return
        pd.testing.assert_frame_equal(frame[mask(frame)].execute().fetch(), want)
        pd.testing.assert_frame_equal(frame.loc[mask(frame), ["s", "i"]].execute().fetch(), want[["s", "i"]])
    both = [frame[mask(frame)].i.sum() for mask in masks]  # one reading for all of them
    total = sum(both[1:], both[0]).execute().fetch()
    assert total == sum(int(whole[mask(whole)].i.sum()) for mask in masks)


@settings(max_examples=100)
@given(st.sampled_from([*KINDS]), st.data())
def test_no_group_is_excluded_that_has_a_row(name: str, data: Any) -> None:
    kind, values = KINDS[name]
    rows = data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({name: pa.array(rows, kind)}), sink)
    file = pq.ParquetFile(sink.getvalue())
    column = file.read().to_pandas()[name]
    beside = column.astype("float64") if name == "i" else column  # as it is where another group has holes

    def told(column: str) -> Any:
        return statistics.bounds(
            file.metadata.row_group(0), file.schema_arrow, statistics.places(file.metadata), column
        )

    operators = {"==": "__eq__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
    for (how, method), value in itertools.product(operators.items(), values_for(name)):
        passes = False
        for each in (column, beside):
            try:
                passes |= bool(getattr(each, method)(value).any())
            except (TypeError, OverflowError):
                continue
        known = statistics.literal(value)
        assert statistics.possible((how, name, known), told) or not passes, (how, value, rows)
        assert statistics.possible(("in", name, (known,)), told) or not (how == "==" and passes)


@pytest.fixture
def sorted_file(tmp_path: Path) -> Path:
    raw = pd.DataFrame({"x": range(100), "s": [f"k{i // 10}" for i in range(100)], "y": np.arange(100) % 7})
    raw.to_parquet(tmp_path / "sorted.parquet", row_group_size=10)
    return tmp_path / "sorted.parquet"


@pytest.mark.parametrize(
    ("what", "groups"),
    [
        (lambda d: d[d.x > 85], {8, 9}),
        (lambda d: d.loc[(d.x > 85) & (d.y == 3), ["s"]], {8, 9}),
        (lambda d: d[d.s.isin(["k3", "k7"])].x.sum(), {3, 7}),
        (lambda d: d[["x", "s"]][d.x.between(12, 25) & d.s.str.endswith("1")], {1}),
        (lambda d: d[(d.x < 5) | (d.s == "k9")], {0, 9}),
        (lambda d: d[d.x < 5].x.sum() + d[d.x >= 90].y.sum(), {0, 9}),
        (lambda d: d[d.x > 1000], set()),
        (lambda d: d[d.x.shift(1) > 85], None),
        (lambda d: d[d.x > 85].x.sum() + d.x.sum(), None),
        (lambda d: d[~(d.x > 85)], None),
        (lambda d: d.x.cumsum()[d.x > 85], None),
        (lambda d: d[(d.x + 0) > 85], None),
    ],
)
def test_what_is_read(
    what: Callable[[Any], Any], groups: set[int] | None, sorted_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`groups`: those that statistics leave; None where all rows are looked at. `d.x.between` of "k1" leaves one group of two."""
    read: list[int] = []
    original = parquet._table

    def table(file: Any, path: str, groups: tuple[int, ...], *rest: Any) -> Any:
        read.extend(groups)
        return original(file, path, groups, *rest)

    monkeypatch.setattr(parquet, "_table", table)
    ours, want = what(md.read_parquet(sorted_file)), what(pd.read_parquet(sorted_file))
    rules = [n.args[2:] for n in walk(passes.run([ours.node])) if n.op == "parquet"]
    assert all(map(bool, rules)) == (groups is not None)
    assert ("not read: row groups without" in ours.explain()) == (groups is not None)
    found = ours.execute().fetch()
    if isinstance(want, pd.DataFrame):
        pd.testing.assert_frame_equal(found, want)
    elif isinstance(want, pd.Series):
        pd.testing.assert_series_equal(found, want)
    else:
        assert found == want
    if groups is not None:
        assert set(read) <= groups | ({2} if groups == {1} else set())
    else:
        assert set(read) == set(range(10))


def test_labels_that_are_stored_and_columns_of_several_files(tmp_path: Path) -> None:
    raw = pd.DataFrame(
        {"x": range(40), "c": pd.Categorical(list("abcd") * 10)}, index=[f"r{i}" for i in range(40)]
    )
    raw.to_parquet(tmp_path / "a.parquet", row_group_size=7)
    ours = md.read_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(ours[ours.x >= 31].execute().fetch(), raw[raw.x >= 31])
    folder = tmp_path / "folder"
    folder.mkdir()
    for i in range(3):
        raw.iloc[i * 10 : i * 10 + 10].reset_index(drop=True).to_parquet(
            folder / f"{i}.parquet", row_group_size=4
        )
    for keywords in ({}, {"groups_as_chunks": True}, {"dtype_backend": "pyarrow"}):
        ours, want = (
            md.read_parquet(folder, **keywords),
            pd.concat([raw[:30]]).reset_index(drop=True),
        )
        kept = ours[(ours.x > 8) & (ours.x != 12)].execute().fetch()
        assert kept.index.tolist() == want[(want.x > 8) & (want.x != 12)].index.tolist()
        assert kept.x.tolist() == want[(want.x > 8) & (want.x != 12)].x.tolist()
