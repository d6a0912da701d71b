"""Examples: what pandas makes of made-up rows is remembered by form, and by nothing that data, users or their functions own."""

from __future__ import annotations

import gc
import operator
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.errors import MarsDaskError
from marsdask.plan import examples
from marsdask.plan import meta as metas
from marsdask.plan.meta import meta, nothing_runs

DTYPES = ("i8", "i4", "u1", "f8", "f4", "bool", "M8[ns]", "M8[s]", "m8[us]", "str", "string", "object", "Int64", "Float32",
          "boolean", "category", "datetime64[ns, UTC]", "int64[pyarrow]", "string[pyarrow]", "timestamp[us][pyarrow]")  # fmt: skip
LABELS: dict[str, Callable[[int], pd.Index]] = {
    "range": pd.RangeIndex,
    "named": lambda n: pd.RangeIndex(n, name="v"),
    "numbers": lambda n: pd.Index(np.arange(n) * 3),
    "texts": lambda n: pd.Index(list("abc")[:n], name="i"),
    "dates": lambda n: pd.date_range("2020", periods=n),
    "levels": lambda n: pd.MultiIndex.from_arrays([np.arange(n), list("abc")[:n]], names=["x", None]),
    "kinds": lambda n: pd.CategoricalIndex(list("aba")[:n]),
}
COLUMNS = (["k", "v", "w"], ["k", "v", 1], ["k", "v", True], ["k", "v", ("w", 1)], ["k", "v", "v"])


def _column(dtype: str) -> Any:
    if dtype in ("str", "string", "object", "category", "string[pyarrow]"):
        return pd.Series(["b", "a", "b"]).astype(dtype)
    if dtype == "datetime64[ns, UTC]":
        return pd.Series(pd.date_range("2020", periods=3, unit="ns")).dt.tz_localize("UTC")
    if dtype == "timestamp[us][pyarrow]":
        return pd.Series(pd.date_range("2020", periods=3, unit="us")).astype(dtype)
    return pd.Series(np.array([1, 0, 1])).astype(dtype)


@st.composite
def frames(draw: Any) -> pd.DataFrame:
    made = [_column(draw(st.sampled_from(DTYPES))) for _ in range(3)]
    labels = LABELS[draw(st.sampled_from(sorted(LABELS)))](3)
    columns = pd.Index(draw(st.sampled_from(COLUMNS)), name=draw(st.sampled_from([None, "n"])))
    return pd.concat(made, axis=1).set_axis(labels).set_axis(columns, axis=1)


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda d: d["k"] > d["k"],
    "equal to a text": lambda d: d["k"] == "a",
    "below a number": lambda d: d["k"] < 2,
    "plus a number": lambda d: d["k"] + 1,
    "plus a float": lambda d: d["k"] + 1.0,
    "plus true": lambda d: d["k"] + True,
    "plus a narrow number": lambda d: d["k"] + np.int16(1),
    "plus a date": lambda d: d["k"] + pd.Timestamp("2020"),
    "plus a long difference": lambda d: d["k"] + pd.Timedelta(1, "s"),
    "minus itself": lambda d: d["k"] - d["k"],
    "all columns": lambda d: d + d,
    "not": lambda d: ~d["k"],
    "negative": lambda d: -d["k"],
    "a column": lambda d: d["v"],
    "columns": lambda d: d[["k"]],
    "by place": lambda d: d.iloc[:, [2, 0]],
    "rows": lambda d: d[d["k"] == d["k"]],
    "new column": lambda d: d.assign(z=d["k"]),
    "replaced column": lambda d: d.assign(k=1),
    "labels off": lambda d: d.reset_index(),
    "labels dropped": lambda d: d.reset_index(drop=True),
    "group sum": lambda d: d.groupby("k").sum(),
    "group of columns": lambda d: d.groupby(["k", "v"], as_index=False).agg(n=("k", "count")),
    "group mean": lambda d: d[["k"]].groupby("k").agg({"k": "mean"}),
    "merge": lambda d: d.merge(d[["k"]], on="k", how="left"),
    "merge on labels": lambda d: d.merge(d, left_index=True, right_index=True),
    "merge with indicator": lambda d: d.merge(d[["k"]], how="outer", indicator=True),
    "among": lambda d: d["k"].isin([1, 2]),
    "upper": lambda d: d["k"].str.upper(),
    "year": lambda d: d["k"].dt.year,
    "rounded": lambda d: d.round(1),
    "between": lambda d: d["k"].between(0, 1),
    "name": lambda d: d["k"].rename("other"),
    "labels as rows": lambda d: d.index,
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_seen() -> Iterator[None]:
    examples._seen.clear()
    yield
    examples._seen.clear()


def _told(make: Callable[[Any], Any], frame: pd.DataFrame) -> Any:
    """The metadata of an operation, or the error, as something that can be compared."""
    try:
        made = make(md.DataFrame(frame))
    except MarsDaskError as error:
        return type(error), str(error)
    return meta(made.node)


def _alike(one: Any, other: Any) -> None:
    if not isinstance(other, metas.FrameMeta):
        assert one == other
        return
    assert (one.kind, one.ranged, str(one.length)) == (other.kind, other.ranged, str(other.length))
    check = getattr(pd.testing, f"assert_{other.kind.lower()}_equal".replace("dataframe", "frame"))
    check(one.empty, other.empty)
    assert type(one.empty) is type(other.empty)
    if other.kind == "DataFrame":
        columns = one.empty.columns, other.empty.columns
        assert list(map(type, columns[0])) == list(map(type, columns[1]))
        assert columns[0].names == columns[1].names


@settings(max_examples=50)
@given(
    st.lists(frames(), min_size=2, max_size=4),
    st.sets(st.sampled_from(sorted(OPERATIONS)), min_size=2, max_size=6),
)
def test_what_is_remembered_is_what_pandas_says(many: list[pd.DataFrame], names: set[str]) -> None:
    examples._seen.clear()
    for _ in range(2):
        together = [[_told(OPERATIONS[name], frame) for name in sorted(names)] for frame in many]
    for frame, told in zip(many, together, strict=True):
        for name, remembered in zip(sorted(names), told, strict=True):
            examples._seen.clear()
            _alike(remembered, _told(OPERATIONS[name], frame))


def _query(data: pd.DataFrame) -> Any:
    frame = md.DataFrame(data)
    frame = frame[frame["k"] > 1].assign(z=frame["v"] * 2)
    return frame.merge(frame[["k"]], on="k").groupby("k").agg(n=("z", "sum")).reset_index()


def _data(start: int = 0) -> pd.DataFrame:
    return pd.DataFrame({"k": np.arange(start, start + 5), "v": np.arange(5.0), "t": list("abcde")})


def test_the_same_query_of_other_data_asks_pandas_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one, made = _query(_data()), len(examples._seen)
    assert made
    monkeypatch.setattr(examples, "Example", None)  # a new one would be an error
    other = _query(_data(1))
    assert len(examples._seen) == made
    _alike(meta(other.node), meta(one.node))
    monkeypatch.undo()
    for got, data in ((one, _data()), (other, _data(1))):
        kept = data[data["k"] > 1].assign(z=data["v"] * 2)
        wanted = kept.merge(kept[["k"]], on="k").groupby("k").agg(n=("z", "sum")).reset_index()
        pd.testing.assert_frame_equal(got.execute().fetch(), wanted)


def test_nothing_runs_and_nothing_is_asked_of_data() -> None:
    with nothing_runs():
        _query(_data())
        _query(_data(1))


def test_data_and_nodes_die() -> None:
    class Text(str):
        """A label that can be watched."""

        __slots__ = ("__weakref__",)

    data = _data()
    data["c"] = pd.Categorical(list("aabbc"))
    column = data["v"].to_numpy().base
    made = _query(data)
    watched = [weakref.ref(each) for each in (data, made.node, *made.node.args[:1])]
    watched += [weakref.ref(column)] if column is not None else []
    label = Text("label")
    named = md.DataFrame(data).assign(w=1)["w"].rename(label)
    watched.append(weakref.ref(label))
    made.execute()
    assert examples._seen
    del data, made, column, named, label
    gc.collect()
    assert [each() for each in watched] == [None] * len(watched)


def test_functions_of_users_die_and_are_called_again() -> None:
    calls = []

    def spread(values: Any) -> Any:
        calls.append(1)
        return values.max() - values.min()

    frame = md.DataFrame(_data())
    for _ in range(2):
        before = len(calls)
        made = frame.groupby("k")[["v"]].agg(spread)
        assert len(calls) > before
    watched = weakref.ref(spread)
    calls.clear()
    del spread, made
    gc.collect()
    assert watched() is None


def test_changed_labels_show_nowhere_else() -> None:
    for _ in range(2):
        made = _query(_data())
        assert made.columns.name is None
        made.columns.name = "changed"
        made.dtypes.index.name = "changed"
        made.known.empty.columns.name = "changed"
        made.known.empty["new"] = 1
        made.known.empty.index.name = "changed"
        assert list(_query(_data()).columns) == ["k", "n"]
        assert _query(_data()).columns.name is None
        assert _query(_data()).known.empty.index.name is None


def test_an_empty_answer_is_the_users_own() -> None:
    for _ in range(2):
        frame = md.DataFrame(_data(), chunk_size=2)
        answer = frame[frame["k"] > 99].groupby("k")[["v"]].cumsum().execute().fetch()
        assert (list(answer.columns), answer.columns.name) == (["v"], None)
        answer["new"] = 1
        answer.columns.name = "changed"


def test_errors_are_raised_at_every_call() -> None:
    frame = md.DataFrame(_data())
    for _ in range(2):
        with pytest.raises(TypeError):
            frame["t"] - 1
        with pytest.raises(ValueError, match="columns overlap"):
            frame.merge(frame, on="k", suffixes=(None, None))


def test_the_oldest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "MOST", 20)
    series = md.Series([1, 2])
    for number in range(50):
        assert (series + number).dtype == np.int64
    assert len(examples._seen) == 20


def test_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "MOST", 5)
    wrong: list[Any] = []

    def work(start: int) -> None:
        try:
            for _ in range(5):
                made = _query(_data(start))
                if list(made.dtypes) != [np.dtype("i8"), np.dtype("f8")] or len(examples._seen) > 5:
                    wrong.append(made.dtypes)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


@pytest.mark.parametrize(
    "value",
    [object(), lambda: 1, np.arange(3), pd.Series([1]), "a" * 1000, list(range(1000)), pd.Timestamp("2020", tz="UTC"),
     pd.CategoricalDtype(["a"]), [].append, np.frompyfunc(len, 1, 1), np.dtype([("a", "i8")])],
)  # fmt: skip
def test_what_is_no_key(value: Any) -> None:
    with pytest.raises(examples.Unknown):
        examples.key_of([{"a": value}])


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), (0.0, -0.0), ((1,), [1]), (np.int8(1), np.int16(1)), ("1", b"1"), (slice(1), slice(2)),
     (np.datetime64(1, "s"), np.datetime64(1, "ns")), (pd.Timestamp("2020").as_unit("s"), pd.Timestamp("2020").as_unit("ns")),
     ({"a": 1, "b": 2}, {"b": 2, "a": 1}), (pd.Index([1]), pd.Index([1.0])), (pd.Index(["a"]), pd.Index(["a"], name="n")), ("a", ["a"]), (operator.add, operator.sub), (pd.NA, pd.NaT), (np.float64(1), 1.0)],
)  # fmt: skip
def test_what_are_two_keys(one: Any, other: Any) -> None:
    assert examples.key_of(one) != examples.key_of(other)
    assert examples.key_of([one]) == examples.key_of([one])


def test_building_looks_at_each_node_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    own = metas.inputs
    monkeypatch.setattr(metas, "inputs", lambda node: (looked.append(node), own(node))[1])
    series = md.Series(np.arange(3))
    for _ in range(200):
        series = series + 1
    assert len(looked) < 1000
