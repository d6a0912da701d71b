"""What is held does not change by what is done to data that were fetched, or that functions were given."""

import copy
import threading
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest

import marsdask as mars
import marsdask.dataframe as md
import marsdask.remote as mr
import marsdask.tensor as mt
from tests.oracle import assert_like

pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # what 4 does otherwise

TABLE = pd.DataFrame(
    {
        "a": [1.0, 2, 3, 4],
        "k": [1, 1, 2, 2],
        "i": pd.array([1, 2, 3, 4], "Int64"),
        "c": pd.Categorical(list("xyxy")),
        "d": pd.date_range("2024", periods=4, tz="UTC"),
        "s": list("pqrs"),
        "o": [[1], [2], [3], [4]],
    }
)
NUMBERS = TABLE[["a", "k"]].astype("f8")


def tried(write: Callable[[], Any]) -> None:
    """What NumPy refuses to write is not written either."""
    try:
        write()
    except (ValueError, TypeError) as error:
        assert "read-only" in str(error) or "immutable" in str(error)


def cells(p: Any) -> Any:
    p.loc[p.index[0], "a"], p.iloc[1, 0], p["new"] = 99, 98, 1
    return p


def labels(p: Any) -> Any:
    p.columns.name, p.index.name = "q", "z"
    p.columns = [f"c{i}" for i in range(p.shape[1])]
    p.flags.allows_duplicate_labels, p.attrs["x"] = False, 1
    return p


def arrays(p: Any) -> Any:
    for name in p:
        tried(lambda name=name: p[name].values.__setitem__(0, p[name].values[1]))
        tried(lambda name=name: np.asarray(p[name]).__setitem__(0, None))
    tried(lambda: p.index.values.__setitem__(0, 5))
    return p


def lists(p: Any) -> Any:
    for cell in p["o"]:
        cell.append(5)
    return p


def in_place(p: Any) -> Any:
    p.sort_values("a", ascending=False, inplace=True)
    p.drop(columns="k", inplace=True)
    return p


FETCHED = {
    "fetch": lambda x: x.fetch(),
    "mars.fetch": mars.fetch,
    "to_pandas": lambda x: x.to_pandas(),
    "compute": lambda x: x.compute(),
    "dask.compute": lambda x: dask.compute({"x": [x]})[0]["x"][0],
    "persist": lambda x: x.persist().compute(),
    "to_dask": lambda x: x.to_dask().compute(),
    "a partition": lambda x: x.to_dask().partitions[0].compute(),
    "iterbatch": lambda x: next(iter(x.iterbatch())),
    "copy": lambda x: copy.deepcopy(x).fetch(),
}


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("write", [cells, labels, arrays, lists, in_place])
def test_fetched_frame(write: Callable[[Any], Any], chunk_size: Any) -> None:
    for fetched in FETCHED.values():
        held = md.DataFrame(copy.deepcopy(TABLE), chunk_size=chunk_size).execute()
        write(fetched(held))
        assert_like(held.fetch(), TABLE)
        assert held.fetch().flags.allows_duplicate_labels


@pytest.mark.parametrize("chunk_size", [None, 2])
def test_fetched_series_and_labels(chunk_size: Any) -> None:
    series, index = TABLE["a"], pd.Index([5, 6, 7, 8])
    for fetched in FETCHED.values():
        held = md.Series(series, chunk_size=chunk_size).execute()
        got = fetched(held)
        got[0], got.iloc[1], got.name, got.index.name = 99, 98, "q", "z"
        assert_like(held.fetch(), series)
    for name in ("fetch", "to_pandas", "compute", "dask.compute", "copy"):
        labels_held = md.DataFrame({"a": range(4)}, index=index, chunk_size=chunk_size).index.execute()
        FETCHED[name](labels_held).name = "q"
        assert_like(labels_held.fetch(), index)


@pytest.mark.parametrize("chunk_size", [None, 2])
def test_fetched_tensor(chunk_size: Any) -> None:
    data = np.arange(4.0)
    for fetched in (
        lambda x: x.fetch(), lambda x: x.to_numpy(), np.asarray, np.array, lambda x: x.compute(), lambda x: x[:3].fetch(),
        lambda x: x.to_dask().compute(), lambda x: x.T.execute().fetch(), lambda x: x.reshape(2, 2).execute().fetch(),
        lambda x: mt.asarray(x).execute().fetch(), lambda x: x.to_dask().blocks[0].compute(),
    ):  # fmt: skip
        held = mt.tensor(data, chunk_size=chunk_size).execute()
        fetched(held)[0] = 99  # all of them can be written into
        assert_like(held.fetch(), data)
    series, frame = md.Series(held).execute().fetch(), md.DataFrame({"a": held}).execute().fetch()
    series[0], frame.loc[0, "a"] = 99, 99
    assert_like(held.fetch(), data)


def zeroed(x: Any) -> Any:
    x[...] = 0
    return x


def test_chunks_of_dask_arrays_are_read_only() -> None:
    held = mt.tensor(np.arange(4.0), chunk_size=2)
    for each in (held, held.execute()):
        with pytest.raises(ValueError, match="read-only"):
            each.to_dask().map_blocks(zeroed, dtype="f8").compute()
        assert_like(da.sum(each.to_dask()).compute(), 6.0)


def first(x: Any) -> float:
    x.iloc[0] = 50
    x.name = "u"
    return 1.0


def first_raw(x: Any) -> Any:
    x[:1] = 77
    return x.sum()


def written(x: Any) -> Any:
    x.iloc[0] = x.iloc[1]
    return x


FUNCTIONS: dict[str, tuple[pd.DataFrame, Callable[[Any], Any]]] = {
    "map_chunk": (TABLE, lambda d: d.map_chunk(lambda p: labels(arrays(lists(cells(p)))), skip_infer=True)),
    "map_chunk of a series": (TABLE, lambda d: d.a.map_chunk(written)),
    "apply": (NUMBERS, lambda d: d.apply(first)),
    "apply, rows": (NUMBERS, lambda d: d.apply(first, axis=1)),
    "apply, lists": (TABLE, lambda d: d.o.apply(lambda x: x.append(9), dtype=object)),
    "map, lists": (TABLE, lambda d: d.o.map(lambda x: x.append(9), dtype=object)),
    "agg": (NUMBERS, lambda d: d.agg(first)),
    "transform": (NUMBERS, lambda d: d.transform(written)),
    "groupby.apply": (
        TABLE,
        lambda d: d.groupby("k").apply(lambda p: len(arrays(lists(p))), output_type="series", dtype="i8"),
    ),
    "groupby.transform": (NUMBERS, lambda d: d.groupby("k").transform(written)),
    "groupby.agg": (NUMBERS, lambda d: d.groupby("k").agg(first)),
    "groupby.filter": (NUMBERS, lambda d: d.groupby("k").filter(lambda p: bool(first(p.a)))),
    "rolling": (NUMBERS, lambda d: d.a.rolling(2).apply(first_raw, raw=True)),
    "expanding": (NUMBERS, lambda d: d.expanding(2).apply(first_raw, raw=True)),
    "spawn": (TABLE, lambda d: mr.spawn(lambda p: len(cells(p)), d, resolve_tileable_input=True)),
    "spawn, a list": (
        TABLE,
        lambda d: mr.spawn(lambda x: len(cells(x[0])), ([d],), resolve_tileable_input=True),
    ),
    "spawn, a handle": (TABLE, lambda d: mr.spawn(lambda x: len(cells(x.fetch())), d)),
}


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.usefixtures("each_session")
def test_functions(chunk_size: Any) -> None:
    for table, function in FUNCTIONS.values():
        held = md.DataFrame(copy.deepcopy(table), chunk_size=chunk_size).execute()
        function(held).execute()
        assert_like(held.fetch(), table)
    numbers = mt.tensor(np.arange(4.0), chunk_size=chunk_size).execute()
    numbers.map_chunk(zeroed).execute()
    mr.spawn(zeroed, numbers, resolve_tileable_input=True).execute()
    mr.spawn(lambda x: zeroed(x.fetch()).sum(), numbers).execute()
    assert_like(numbers.fetch(), np.arange(4.0))


class Model:
    def __init__(self) -> None:
        self.weights = [1]


def filled(values: list[Any]) -> int:
    values.append(1)
    values[1].append(5)
    values[2]["b"] = 1
    values[3][0] = 9
    return len(values)


def test_objects() -> None:
    made = mr.spawn(lambda: [1, [2], {"a": 3}, np.arange(3)]).execute()
    filled(made.fetch())
    mr.spawn(filled, (made,)).execute()
    mr.spawn(lambda x: filled(x["k"][0]), kwargs={"x": {"k": [made]}}).execute()
    assert repr(made.fetch()) == repr([1, [2], {"a": 3}, np.arange(3)])
    model = mr.spawn(Model).execute()
    model.fetch().weights.append(2)
    assert model.fetch().weights == [1]
    tensor = mr.spawn(lambda: mt.ones(3).execute()).execute()
    tensor.fetch()[0] = 7
    assert tensor.fetch().fetch().tolist() == [1, 1, 1]


def test_what_cannot_be_copied_is_handed_over() -> None:
    lock = threading.Lock()
    assert mr.spawn(lambda: lock).execute().fetch() is lock


def test_arguments_of_functions() -> None:
    array, table, values = np.zeros(2), pd.DataFrame({"a": [1.0, 2]}), [1, 2]
    for given in (array, table, values):
        mr.spawn(lambda x: x.__setitem__(0, 5), (given,)).execute()
    assert array.tolist() == [0, 0]
    assert list(table) == ["a"]
    assert values == [1, 2]
