"""Frames from tensors, dicts and other frames; to other libraries; iteration; plots; bad input."""

import datetime  # noqa: F401 - in the texts below
from collections import namedtuple
from decimal import Decimal  # noqa: F401
from typing import Any

import dask.dataframe as dd  # noqa: F401
import numpy as np
import pandas as pd
import polars as pl  # noqa: F401
import pyarrow as pa
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.errors import MarsDaskError
from marsdask.plan.meta import nothing_runs
from tests.oracle import assert_like, fetched

RAW = pd.DataFrame(
    {"k": [3, 1, 2, 3, 5, 1], "v": [1.0, 2, np.nan, 4, 5, 6], "s": list("xyzxyz")}, index=[5, 4, 3, 2, 1, 0]
)
CELLS = np.arange(12.0).reshape(6, 2)
LEVELS = pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=["u", "v"])
Pair = namedtuple("Pair", "a b")


def df() -> md.DataFrame:
    return md.DataFrame(RAW, chunk_size=2)


def cells() -> Any:
    return mt.tensor(CELLS, chunk_size=(4, 1))


def unknown() -> Any:
    line = mt.tensor(np.arange(10), chunk_size=3)
    return line[line > 3]


MADE = {
    "md.DataFrame(cells(), columns=['a', 'b'])": lambda: pd.DataFrame(CELLS, columns=["a", "b"]),
    "md.DataFrame(cells(), index=mt.tensor(CELLS[:, 0]) + 10)": lambda: pd.DataFrame(CELLS, index=CELLS[:, 0] + 10),
    "md.DataFrame(cells(), index=df().index)": lambda: pd.DataFrame(CELLS, index=RAW.index),
    "md.DataFrame(CELLS, index=df().index, chunk_size=4)": lambda: pd.DataFrame(CELLS, index=RAW.index),
    "md.DataFrame({'a': cells()[:, 0], 'b': list(range(6)), 'c': 'x', 'd': cells()[:, 1]})": lambda: pd.DataFrame(
        {"a": CELLS[:, 0], "b": list(range(6)), "c": "x", "d": CELLS[:, 1]}
    ),
    "md.DataFrame({'a': df().v, 'b': df().k * 2, 'l': list('abcdef')})": lambda: pd.DataFrame(
        {"a": RAW.v, "b": RAW.k * 2, "l": list("abcdef")}
    ),
    "md.DataFrame({'a': df().v, 'b': md.Series([1, 2, 3], chunk_size=2)})": lambda: pd.DataFrame(
        {"a": RAW.v, "b": pd.Series([1, 2, 3])}
    ),
    "md.DataFrame({'u': unknown(), 'w': unknown() * 2})": lambda: pd.DataFrame({"u": np.arange(4, 10), "w": np.arange(4, 10) * 2}),
    "md.DataFrame(df(), columns=['v', 'k'])": lambda: RAW[["v", "k"]],
    "md.DataFrame(df().v)": lambda: pd.DataFrame(RAW.v),
    "md.DataFrame({'a': [1, 2], 'b': ['x', None]}, chunk_size=1)": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
    "md.DataFrame([[1, 2], [3, 4]], columns=list('ab'), num_partitions=2)": lambda: pd.DataFrame([[1, 2], [3, 4]], columns=list("ab")),
    "md.DataFrame()": lambda: pd.DataFrame(),
    "md.Series(unknown(), name='u')": lambda: pd.Series(np.arange(4, 10), name="u"),
    "md.Series(df().v, dtype='f4')": lambda: pd.Series(RAW.v, dtype="f4"),
    "md.Series(5, index=[1, 2])": lambda: pd.Series(5, index=[1, 2]),
    "md.Series({'a': 1, 'b': 2})": lambda: pd.Series({"a": 1, "b": 2}),
    "md.Series(df().index)": lambda: pd.Series(RAW.index),
    "md.Series(np.arange(6), index=df().index)": lambda: pd.Series(np.arange(6), index=RAW.index),
    "md.Index([3, 1, 2], name='i', chunk_size=2)": lambda: pd.Index([3, 1, 2], name="i"),
    "md.Index(df().k)": lambda: pd.Index(RAW.k),
    "md.Index(unknown())": lambda: pd.Index(np.arange(4, 10)),
    "md.dataframe_from_tensor(cells(), columns=['a', 'b'])": lambda: pd.DataFrame(CELLS, columns=["a", "b"]),
    "md.series_from_tensor(cells()[:, 1], name='q')": lambda: pd.Series(CELLS[:, 1], name="q"),
    "md.series_from_index(df().index)": lambda: RAW.index.to_series(),
    "md.from_records([(1, 'a'), (2, 'b')], columns=['n', 's'])": lambda: pd.DataFrame.from_records([(1, "a"), (2, "b")], columns=["n", "s"]),
    "md.date_range('2020-01-01', periods=5, freq='7h', chunk_size=2)": lambda: pd.date_range("2020-01-01", periods=5, freq="7h"),
    "md.date_range('2020-01-01', '2020-01-05', closed='left')": lambda: pd.date_range("2020-01-01", "2020-01-05", inclusive="left"),
    "mt.tensor(df()[['k', 'v']])": lambda: RAW[["k", "v"]].to_numpy(),
    "df()[df().k > 1].k.to_tensor()": lambda: RAW[RAW.k > 1].k.to_numpy(),
    "df().index.to_tensor()": lambda: RAW.index.to_numpy(),
    "df()[['k', 'v']].values": lambda: RAW[["k", "v"]].to_numpy(),
    "md.from_dask(dd.from_pandas(RAW[['k', 'v']], npartitions=3, sort=False))": lambda: RAW[["k", "v"]],
    "md.from_dask(df()[df().k > 1].to_dask())": lambda: RAW[RAW.k > 1],
    "md.DataFrame({'a': [df().k.sum(), 2.5], 'b': [unknown().max(), None]})": lambda: pd.DataFrame({"a": [15, 2.5], "b": [9, None]}),
    "md.DataFrame([[df().k.sum(), 'x'], [1, df().s.max()]], columns=['a', 'b'], chunk_size=1)": lambda: pd.DataFrame([[15, "x"], [1, "z"]], columns=["a", "b"]),
    "md.DataFrame([{'a': df().k.max(), 'b': [df().k.min()]}, {'a': 1}])": lambda: pd.DataFrame([{"a": 5, "b": [1]}, {"a": 1}]),
    "md.DataFrame({'a': {'x': df().k.max(), 'y': 2}, 'b': {'y': df().v.max()}})": lambda: pd.DataFrame({"a": {"x": 5, "y": 2}, "b": {"y": 6.0}}),
    "md.DataFrame([Pair(1, df().k.sum()), Pair(3, 4)])": lambda: pd.DataFrame([Pair(1, 15), Pair(3, 4)]),
    "md.DataFrame(np.array([[df().k.sum(), 1]], dtype=object))": lambda: pd.DataFrame(np.array([[15, 1]], dtype=object)),
    "md.DataFrame([df().k, df().v])": lambda: pd.DataFrame([RAW.k, RAW.v]),
    "md.DataFrame([cells()[:, 0], cells()[:, 1]], index=['p', 'q'])": lambda: pd.DataFrame([CELLS[:, 0], CELLS[:, 1]], index=["p", "q"]),
    "md.DataFrame({'a': [1, 2]}, index=[df().k.max(), 7])": lambda: pd.DataFrame({"a": [1, 2]}, index=[5, 7]),
    "md.DataFrame(df()[['v']], index=[df().k.max(), 0])": lambda: RAW[["v"]].reindex([5, 0]),
    "md.Series([df().k.sum(), 2], name='n')": lambda: pd.Series([15, 2], name="n"),
    "md.Series({'x': df().k.sum(), 'y': 2}).loc[['y', 'x']]": lambda: pd.Series({"y": 2, "x": 15}),
    "md.Index([df().k.sum(), 2], name='n')": lambda: pd.Index([15, 2], name="n"),
    "md.from_records([(df().k.sum(), 'a'), (2, 'b')], columns=['n', 's'])": lambda: pd.DataFrame({"n": [15, 2], "s": ["a", "b"]}),
    "md.DataFrame(dd.from_pandas(RAW[['k', 'v']], npartitions=3, sort=False), columns=['v'])": lambda: RAW[["v"]],
    "md.Series(dd.from_pandas(RAW.k, npartitions=3, sort=False))": lambda: RAW.k,
    "md.DataFrame(pl.DataFrame({'x': [1, 2], 'y': ['a', None]}), chunk_size=1)": lambda: pd.DataFrame({"x": [1, 2], "y": ["a", None]}),
    "md.Series(pl.Series('n', [1, 2]))": lambda: pd.Series([1, 2], name="n"),
    "md.DataFrame(pa.Table.from_pandas(RAW), index=[5, 4])": lambda: RAW.loc[[5, 4]],
    "md.DataFrame(pa.record_batch({'x': [1, 2]}))": lambda: pd.DataFrame({"x": [1, 2]}),
    "md.Series(pa.chunked_array([[1], [2]]))": lambda: pd.Series([1, 2]),
    "md.Index(LEVELS, chunk_size=2).to_frame()": lambda: LEVELS.to_frame(),
    "md.Index(LEVELS, names=['p', 'q']).to_frame(index=False)": lambda: LEVELS.set_names(["p", "q"]).to_frame(index=False),
}  # fmt: skip


@pytest.mark.parametrize("text", MADE)
def test_made(text: str) -> None:
    ours, want = eval(text), MADE[text]()
    known = ours.known
    assert_like(fetched(ours), want)
    length = known.shape[0]
    assert np.isnan(length) or length == len(want)
    if isinstance(want, pd.DataFrame):
        pd.testing.assert_series_equal(known.empty.dtypes, want.dtypes)


LAZY: dict[str, Any] = {"X": md, "I": md.Index, "S": md.Series, "T": mt.tensor}
PLAIN: dict[str, Any] = {"X": pd, "I": pd.Index, "S": pd.Series, "T": np.array}
ALIKE = [
    "X.Series(5, index=I([5, 6]))", "X.Series(index=I([5, 6]), dtype='f8')", "X.Series({5: 1, 7: 2}, index=I([5, 6]))",
    "X.Series(pd.Series([1, 2], index=[5, 7]), index=T([7, 5]))", "X.Series([1, 2], index=S([5, 6]))", "X.Series(T([1.0, 2]).sum(), index=[1, 2])",
    "X.Series(T([1.0, 2]).sum(), name='n')", "X.DataFrame({'a': 1}, index=I([5, 6], name='n'))", "X.DataFrame(5, index=I([5, 6]), columns=['a'])",
    "X.DataFrame(index=I([5, 6]))", "X.DataFrame(pd.DataFrame({'a': [1, 2]}, index=[5, 7]), index=I([5, 6]))",
    "X.DataFrame({'a': pd.Series([1, 2], index=[5, 7]), 'b': 1}, index=I([5, 6]))", "X.DataFrame({'a': [1, 2], 'b': (3, 4)}, index=I([5, 6]))",
    "X.DataFrame({'a': T([1.0, 2]).sum(), 'b': [1, 2]})", "X.DataFrame({'a': T([1.0, 2]).sum()}, index=I([1, 2]))",
    "X.DataFrame([[1, 2], [3, 4]], index=I([5, 6]), columns=T(['x', 'y']))", "X.DataFrame(T([3, 1, 2]), columns=['q'])", "X.DataFrame(T([3, 1, 2]))",
    "X.DataFrame(I([4, 5], name='i'))", "X.DataFrame(S([4, 5]), columns=['z'])", "X.DataFrame(S([4, 5], name='i'), columns=['z'])",
]  # fmt: skip


@pytest.mark.parametrize("text", ALIKE)
def test_lazy_arguments_are_taken_as_pandas_takes_theirs(text: str) -> None:
    assert_like(fetched(eval(text, LAZY | {"pd": pd})), eval(text, PLAIN | {"pd": pd}))


BESIDE_LAZY = (
    "pd.Timestamp('2013-01-02')", "pd.Timestamp('2013-01-02', tz='UTC')", "pd.Timedelta('1D')", "pd.NaT", "pd.NA", "None",
    "datetime.date(2020, 1, 1)", "datetime.timedelta(1)", "Decimal('1.5')", "pd.Period('2020-01')", "'foo'", "b'x'", "1j",
    "np.datetime64('2020-01-01')", "np.float32(2)", "{0: 1, 2: 3, 9: 4}", "{}", "(1, 2, 3, 4)", "range(4)",
    "[None, 1, 2, 3]", "[1, 'a', 2, 3]", "[pd.NA, 1, 2, 3]", "[True, None, False, True]", "[Decimal(1)] * 4", "[None] * 4",
    "[pd.Timestamp('2020', tz='UTC')] * 4", "[datetime.date(2020, 1, 1)] * 4", "[[1, 2]] * 4", "pd.Index([1, 2, 3, 4])",
    "pd.array([1, None, 2, 3], dtype='Int64')", "pd.Categorical(list('abca'))", "pd.date_range('2020', periods=4, tz='UTC')",
    "np.array(list('abcd'))", "pd.arrays.SparseArray([0, 1, 0, 1])", "pd.MultiIndex.from_product([[1, 2], [3, 4]])",
    "np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0])", "pd.Series([1, 2], index=[1, 9])",
)  # fmt: skip


@pytest.mark.parametrize("text", BESIDE_LAZY)
@pytest.mark.parametrize("chunk_size", [10, 3])
def test_what_stands_beside_a_lazy_column_is_what_pandas_makes_of_it(text: str, chunk_size: int) -> None:
    value, column = eval(text), pd.Series([1, 2, 3, 4])
    want = pd.DataFrame({"x": column, "v": value})
    made = md.DataFrame({"x": md.Series(column, chunk_size=chunk_size), "v": value})
    assert made.dtypes.astype(str).equals(want.dtypes.astype(str))
    assert_like(fetched(made), want)


def test_lazy_cells_run_nothing_and_have_lengths() -> None:
    with nothing_runs():
        made = md.DataFrame({"a": [unknown().sum(), 2]}, index=["x", "y"])
        assert (made.shape, made.a.dtype, made.T.columns.tolist()) == ((2, 1), np.int64, ["x", "y"])
        with pytest.raises(ValueError, match="execute"):
            md.DataFrame([[unknown()], [1]])


def test_pandas_takes_no_labelled_frame_as_a_bare_array() -> None:
    plain = pd.DataFrame({"q": range(6)})
    for text in (
        "pd.DataFrame(df())", "pd.DataFrame(df().k)", "pd.Series(df().k)", "pd.DataFrame({'a': df().k})", "plain.assign(a=df().k)", "plain.T @ df()",
        "plain.insert(0, 'a', df().k)", "pd.Series(md.Series([1], name='n'))", "pd.DataFrame(md.DataFrame({'a': [1]}))", "plain.q.dot(df().k)",
    ):  # fmt: skip
        with pytest.raises(TypeError, match="without their labels"):
            eval(text, globals() | {"plain": plain})
    seaborn = {"__name__": "seaborn._base", "pd": pd, "named": md.Series([1, 2], name="n"), "df": df}
    assert eval("pd.Series(named)", seaborn).tolist() == [1, 2]
    for text in ("pd.Series(df().k)", "pd.DataFrame(named.to_frame())"):
        with pytest.raises(TypeError, match="without their labels"):
            eval(text, seaborn)
    assert pd.Series(md.Series([1, 2])).tolist() == [1, 2]
    assert pd.DataFrame(md.DataFrame(CELLS)).equals(pd.DataFrame(CELLS))
    assert plain.assign(a=md.DataFrame({"k": range(6)}).k).a.tolist() == list(range(6))
    assert np.asarray(df().k).tolist() == RAW.k.tolist()
    assert plain.q.isin(df().k).tolist() == plain.q.isin(RAW.k).tolist()


def test_to_dask_has_the_same_chunks() -> None:
    frame = df()
    ours = frame[frame.k > 1].to_dask()
    assert ours.npartitions == 3
    pd.testing.assert_frame_equal(ours.compute(), RAW[RAW.k > 1])
    assert df().execute().to_dask().k.sum().compute() == RAW.k.sum()


def test_arrow_stream() -> None:
    table = pa.table(df()[df().k > 1])
    assert table.column_names == ["k", "v", "s"]
    assert table["k"].to_pylist() == RAW[RAW.k > 1].k.tolist()


def test_iteration() -> None:
    frame = df()
    assert [i for i, _ in frame.iterrows(batch_size=4)] == [i for i, _ in RAW.iterrows()]
    for (_, ours), (_, want) in zip(frame.iterrows(), RAW.iterrows(), strict=True):
        pd.testing.assert_series_equal(ours, want)
    assert list(df()[["k", "s"]].itertuples()) == list(RAW[["k", "s"]].itertuples())
    assert list(df().s.items()) == list(RAW.s.items())
    assert [name for name, _ in df().items()] == list(RAW)
    assert_like([fetched(v) for _, v in df().iteritems()], [RAW[c] for c in RAW])
    assert [len(part) for part in df().iterbatch(4)] == [4, 2]
    assert [len(part) for part in df().iterbatch()] == [2, 2, 2]
    assert df()[["k", "s"]].to_dict("records") == RAW[["k", "s"]].to_dict("records")
    assert df().k.to_dict() == RAW.k.to_dict()


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    df().info()
    assert "6 entries" in capsys.readouterr().out


# pandas 3.0 warns of values outside of the categories where all are inside.
@pytest.mark.filterwarnings("ignore:Constructing a Categorical")
def test_astype_category_is_that_of_the_whole() -> None:
    pd.testing.assert_frame_equal(
        fetched(df().astype({"s": "category", "k": "category"})),
        RAW.astype({"s": "category", "k": "category"}),
    )
    pd.testing.assert_series_equal(fetched(df().s.astype("category")), RAW.s.astype("category"))
    for text in (
        "s.cat.categories",
        "s.cat.add_categories(['q']).cat.categories",
        "s.cat.remove_categories(['x'])",
        "s.cat.rename_categories(list('abc'))",
    ):
        ours, want = (eval(text, {"s": of.s.astype("category")}) for of in (df(), RAW))
        assert_like(fetched(ours), want)


def test_names_of_labels_are_written_through() -> None:
    frame = df()
    frame.index.name = "i"
    assert fetched(frame).index.name == "i"
    frame.index.names = ["j"]
    frame.columns = list("abc")
    with pytest.raises(TypeError, match="hashable"):
        frame.a.name = {1: 2}
    assert fetched(frame).index.name == "j"
    assert list(frame.columns) == list("abc")


def test_names_of_column_labels_are_written_through() -> None:
    frame = df()
    labels, before = frame.columns, frame[["k"]]
    labels.name = "of"
    assert frame.columns is labels
    assert (fetched(frame).columns.name, fetched(frame + frame).columns.name) == ("of", "of")
    labels.names = ["again"]
    assert frame.rename_axis(None, axis=1).columns.name is None
    assert (frame.sum().index.name, frame.columns.name, before.columns.name) == ("again", "again", None)
    frame["new"] = 1
    labels.name = "of the former"
    frame.axes[1].set_names("set", inplace=True)
    assert fetched(frame).columns.name == frame.columns.name == "set"
    several = md.DataFrame(pd.concat([RAW], axis=1, keys=["a"]), chunk_size=2)
    several.columns.names = ["above", "below"]
    assert fetched(several.tail(1)).columns.names == ["above", "below"]


def test_plots() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    frame = df()
    for axes in (
        frame.plot(x="k", y="v"),
        frame.plot.scatter("k", "v"),
        frame.v.plot.hist(),
        frame.plot(kind="bar"),
        frame.plot(x=mt.tensor("k"), y=mt.tensor("v")),
        frame.groupby("k").v.plot().iloc[0],
        frame.boxplot(column="v"),
    ):
        assert isinstance(axes, plt.Axes)
    assert frame.hist(column="v").shape == (1, 1)
    plt.close("all")


BAD = {
    "df()['q']": (KeyError, "columns are 'k', 'v', 's'"),
    "df()[['k', 'vv']]": (KeyError, "Did you mean 'v'"),
    "df()[{'k'}]": (TypeError, "expected a column"),
    "df()[[True, False]]": (ValueError, "Item wrong length 2 instead of 6"),
    "df().iloc[9]": (IndexError, "out-of-bounds"),
    "df().iloc['k']": (TypeError, "iloc"),
    "df().iloc[1.5]": (TypeError, "iloc"),
    "df().iloc[1, 2, 3]": (IndexError, "too many"),
    "df().iloc[::0]": (ValueError, "step"),
    "df().iat[1]": (ValueError, "iat"),
    "df().loc[99]": (KeyError, "99"),
    "df().loc[[1, 99]]": (KeyError, "99"),
    "df().loc[1, 'q']": (KeyError, "'q'"),
    "df().head('x')": (TypeError, "head"),
    "df().drop(columns='q')": (KeyError, "'q'"),
    "df().drop(99)": (KeyError, "99"),
    "df().drop()": (ValueError, "labels"),
    "df().rename(columns={'q': 'r'}, errors='raise')": (KeyError, "'q'"),
    "df().rename(colums={'k': 'r'})": (TypeError, "Did you mean 'columns'"),
    "df().set_index('kk')": (KeyError, "Did you mean 'k'"),
    "df().set_index([[1, 2]])": (ValueError, "Length mismatch"),
    "df().set_axis([1])": (ValueError, "Length mismatch"),
    "df().insert(0, 'k', 1)": (ValueError, "already exists"),
    "df().assign(x=[1])": (ValueError, r"Length of values \(1\)"),
    "df().assign(x=mt.tensor([1, 2]))": (ValueError, "Length of values"),
    "df().astype({'q': int})": (KeyError, "q"),
    "df().astype(int, errors='x')": (ValueError, "errors"),
    "df().reset_index(nope=1)": (TypeError, "nope"),
    "df().iterbatch(0)": (ValueError, "batch_size"),
    "df().squeeze(axis=5)": (ValueError, "axis"),
    "df().plot(kind='lien')": (ValueError, "Did you mean 'line'"),
    "df().plot(x='k', y='q')": (KeyError, "'q'"),
    "md.DataFrame(RAW, chunk_size=0)": (ValueError, "chunk_size"),
    "md.DataFrame(RAW, chunk_size=2.5)": (TypeError, "chunk_size"),
    "md.DataFrame(RAW, num_partitions=0)": (ValueError, "num_partitions"),
    "md.DataFrame(RAW, gpu=True)": (NotImplementedError, "gpu"),
    "md.Series(RAW.k, sparse=True)": (NotImplementedError, "sparse"),
    "md.Series(RAW.k, chunk_size=(2, 2))": (ValueError, "dimensions"),
    "md.DataFrame(cells(), columns=['a'])": (ValueError, "columns"),
    "md.DataFrame(mt.tensor(np.ones((2, 2, 2))))": (ValueError, "dimensions"),
    "md.Series(cells())": (ValueError, "dimension"),
    "md.DataFrame({'a': cells()[:, 0], 'b': mt.tensor([1])})": (ValueError, "same length"),
    "md.series_from_index(df().k)": (TypeError, "Index"),
    "md.from_dask(RAW)": (TypeError, "dask.dataframe"),
    "len(df()[df().k > 1])": (ValueError, "execute"),
    "df()[df().k > 1].squeeze()": (ValueError, "execute"),
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_bad_input(text: str) -> None:
    kind, said = BAD[text]
    with pytest.raises(kind, match=said) as error:
        eval(text)
    assert isinstance(error.value, MarsDaskError)


def test_a_notebook_shows_the_table_of_what_has_run() -> None:
    df = md.DataFrame({"a": [1, 2]}, chunk_size=1)
    assert df._repr_html_() is None
    assert "<td>2</td>" in df.execute()._repr_html_()
    assert df.a[:1]._repr_html_() is None
    for values, name in ((df.a, "a"), (df.a.rename(None), ""), (md.Index(["<b>"], name="rows"), "rows")):
        shown = values.execute()._repr_html_()
        assert f"<th>{name}</th>" in shown
        assert f"<p>Length: {len(values)}, dtype: {values.dtype}</p>" in shown
    assert "<b>" not in shown
    levels = pd.MultiIndex.from_tuples([(1, "x")], names=["one", None])
    assert "<th>one</th>" in md.Series([1], index=levels).index.execute()._repr_html_()
