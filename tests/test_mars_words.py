"""Arguments that are Mars's own: what pandas and NumPy do not take, and programs written for Mars say."""

from __future__ import annotations

import pickle
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.remote as mr
import marsdask.tensor as mt

DF = pd.DataFrame({"k": [3, 1, 2, 3, 5, 1], "v": [1.0, 2, 3, 4, 5, 6]})


def frame() -> Any:
    return md.DataFrame(DF, chunk_size=4)


SAID = [
    ("df.drop_duplicates('k', method=None)", "pdf.drop_duplicates('k')"),
    ("df.k.duplicated(method=None)", "pdf.k.duplicated()"),
    ("df.k.value_counts(method=None)", "pdf.k.value_counts()"),
    ("df.k.unique(method=None)", "pdf.k.unique()"),
    ("df.merge(df, on='k', auto_merge_threshold=0, method=None)", "pdf.merge(pdf, on='k')"),
    ("df.describe(percentiles=False)", "pdf.describe(percentiles=[])"),
    ("df.v.describe(percentiles=False)", "pdf.v.describe(percentiles=[])"),
    ("df.to_tensor(dtype='f4')", "pdf.to_numpy('f4')"),
    ("df.index.map(lambda x: x + 1, dtype='f8')", "pdf.index.map(lambda x: x + 1.0)"),
    ("df.index.to_tensor(extract_multi_index=True)", "pdf.index.to_numpy()"),
    ("df.set_index(['k', 'v']).index.to_tensor(extract_multi_index=True)", "pdf.to_numpy()"),
]


def check(ours: Any, want: Any) -> None:
    if isinstance(want, (pd.DataFrame, pd.Series)):
        (pd.testing.assert_frame_equal if want.ndim == 2 else pd.testing.assert_series_equal)(ours, want)
    else:
        np.testing.assert_array_equal(ours, want)
        assert np.asarray(ours).dtype == np.asarray(want).dtype


@pytest.mark.parametrize(("ours", "want"), SAID, ids=[ours for ours, _ in SAID])
def test_words_of_mars(ours: str, want: str) -> None:
    check(eval(ours, {"df": frame()}).execute().fetch(), eval(want, {"pdf": DF}))


@pytest.mark.parametrize(
    "ask", [lambda df: df.duplicated(method="no"), lambda df: df.tshift(1)], ids=["method", "freq"]
)
def test_words_that_say_nothing(ask: Any) -> None:
    with pytest.raises(ValueError, match=r"duplicated\(method='no'\)|freq="):
        ask(frame())


LATER = [
    (lambda df: df.to_pandas, DF),
    (lambda df: df.v.to_pandas, DF.v),
    (lambda df: df.to_numpy, DF.to_numpy()),
    (lambda df: df.index.to_numpy, DF.index.to_numpy()),
    (lambda df: df.v.sum().to_numpy, np.float64(21.0)),
    (lambda df: mt.ExecutableTuple([df.v.sum(), df.k]).to_object, [np.float64(21.0), DF.k]),
    (lambda df: mr.spawn(lambda d: d.to_pandas(), args=(df,)).to_object, DF),
]


@pytest.mark.parametrize(("method", "want"), LATER, ids=range(len(LATER)))
def test_a_future_of_the_data(method: Any, want: Any) -> None:
    asked = method(frame())
    later = asked(wait=False, show_progress=False)
    assert isinstance(later, Future)
    for ours in (later.result(60), asked(session=None)):
        for one, right in zip(ours, want, strict=True) if isinstance(want, list) else [(ours, want)]:
            check(one, right)
    for wrong in ({"wait": 3}, {"wiat": False}):
        with pytest.raises((TypeError, ValueError), match=r"wait|wiat"):
            asked(**wrong)


def test_a_future_raises_what_the_run_raised() -> None:
    later = frame().map_chunk(lambda part: part.nope, dtype="f8", output_type="series").to_pandas(wait=False)
    with pytest.raises(AttributeError, match="nope"):
        later.result(60)


def test_column_labels_are_pandas_and_are_fetched() -> None:
    df = frame()
    for labels in (df.columns, df.keys(), df.columns.execute()):
        assert type(labels) is pd.Index
        for found in (labels, labels.fetch(), labels.to_pandas(), labels.execute().fetch()):
            pd.testing.assert_index_equal(found, DF.columns)
    assert not hasattr(pickle.loads(pickle.dumps(df.columns)), "fetch")
    several = md.DataFrame(
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))
    )
    assert type(several.columns.execute().fetch()) is pd.MultiIndex
    with pytest.raises(TypeError, match="nope"):
        df.columns.fetch(nope=1)


class Pair(NamedTuple):
    total: Any
    rows: Any


def test_a_named_tuple_of_lazy_objects() -> None:
    pair = Pair(frame().v.sum(), frame())
    made = mt.ExecutableTuple(pair)
    assert made.total is pair.total
    assert "rows" in dir(made)
    assert repr(made).startswith("Pair(total=Tensor <op=")
    assert not hasattr(made, "nothing")
    data = made.execute().fetch()
    assert type(data) is Pair
    assert data.total == 21
    pd.testing.assert_frame_equal(data.rows, DF)
    assert type(mt.ExecutableTuple(pair).to_object(wait=False).result(60)) is Pair
    assert mt.ExecutableTuple([]).to_object(wait=False).result() == ()


@pytest.mark.parametrize("chunk_size", [1, 4])
def test_labels_in_other_chunks(chunk_size: int) -> None:
    labels = pd.Index([3.5, 1, 2], name="i")
    made = md.Index(labels, chunk_size=2).rechunk(chunk_size).execute()
    pd.testing.assert_index_equal(made.fetch(), labels)
    assert made.nsplits == (((1, 1, 1) if chunk_size == 1 else (3,)),)


def test_groups_run_without_waiting() -> None:
    groups = md.DataFrame({"k": [1, 2, 1]}, chunk_size=2).groupby("k")
    groups.execute(wait=False).result(60)
    assert groups.fetch().size().tolist() == [2, 1]
    assert groups.execute() is groups


def test_what_is_cached_is_held_when_something_above_it_runs() -> None:
    t = mt.ones((4, 2), chunk_size=2) * 3
    t.cache = True
    assert t.cache
    (mt.ones(2) + 1).execute()
    with pytest.raises(ValueError, match="unexecuted"):
        t.fetch()
    (t + 1).sum().execute()
    assert t.fetch().sum() == 24
    other = mt.ones(3)
    other.cache = True
    other.cache = False
    (other + 1).execute()
    assert not other.is_executed()
    with pytest.raises(TypeError, match="cache"):
        other.cache = 3
