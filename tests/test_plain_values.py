"""What pandas' functions take as values, md's take too: lists, tuples, ranges, arrays, pandas objects, scalars; and lazy ones."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.plan.handle import Handle
from tests.oracle import assert_like, fetched

VALUES: list[Any] = [
    [1, 2, 3.5], (1, 2, 3), range(5), np.array([1.0, np.nan, 3]), pd.Series([1.0, 2, 3], index=[4, 5, 6], name="n"), pd.Index([1, 2, 3]),
    pd.array([1, None, 3]), [True, False], ["a", "b", "a"], np.array(["1", "x"], dtype=object), pd.Categorical(list("aba")),
    pd.date_range("2020", periods=4), [pd.Timestamp("2020"), pd.NaT, pd.Timestamp("2021")], ["1", "2.5"], ["2020-01-01", None],
    {"year": [2000], "month": [1], "day": [2]}, "2020-01-01", 1e9, None, np.datetime64("2020"), pd.Timestamp("2020"), [],
]  # fmt: skip
FUNCTIONS = [
    "cut(v, 2)", "cut(v, [0, 2, 9])", "cut(v, [0, 2, 9], labels=False)", "cut(v, [0, 2, 9], labels=['x', 'y'], retbins=True)",
    "cut(v, 2, retbins=True)", "qcut(v, 2)", "qcut(v, [0, 0.5, 1], labels=False)", "qcut(v, 2, retbins=True)", "isna(v)", "notnull(v)",
    "to_numeric(v)", "to_numeric(v, errors='coerce')", "to_numeric(v, downcast='integer')", "to_datetime(v)",
    "to_datetime(v, errors='coerce')", "to_datetime(v, unit='s')",
]  # fmt: skip


def of_pandas(text: str, v: Any, **names: Any) -> Any:
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(f"pd.{text}", {"pd": pd, "v": v, **names})
    return Exception


@pytest.mark.filterwarnings("ignore:Could not infer format")
@pytest.mark.parametrize("text", FUNCTIONS)
def test_as_pandas_takes_them(text: str) -> None:
    for v in VALUES:
        want = of_pandas(text, v)
        if want is Exception:
            with pytest.raises((TypeError, ValueError, KeyError, NotImplementedError, AttributeError)):
                fetched(eval(f"md.{text}", {"md": md, "v": v}))
            continue
        ours = fetched(eval(f"md.{text}", {"md": md, "v": v}))
        if isinstance(want, pd.api.extensions.ExtensionArray) and not isinstance(want, pd.Categorical):
            ours, want = np.asarray(ours), np.asarray(want)
        if want is pd.NaT:
            assert np.isnat(ours)
        else:
            assert_like(ours, want)


@pytest.mark.parametrize("text", ["get_dummies(v)", "get_dummies(v, dtype=float, prefix='p')", "unique(v)"])
@pytest.mark.parametrize(
    "v", [["a", "b", "a"], ("a", "b"), np.array([3, 1, 3]), range(3), pd.Index([2, 1])], ids=repr
)
def test_values_of_dummies_and_distinct_ones(text: str, v: Any) -> None:
    want = of_pandas(text, np.asarray(v) if text.startswith("unique") else v)
    np.testing.assert_array_equal(fetched(eval(f"md.{text}")), want)


V = np.array([3.0, 1, 2, 5, 1, 4])
LAZY = [
    "cut(S(V), T([0, 2, 6]))", "cut(S(V), I([0, 2, 6.5]), right=False)", "cut(S(V), S([0, 2, 6]), retbins=True)",
    "cut(S(V), T([0, 2, 6]), labels=T(['x', 'y']))", "cut(T(V), T([0, 2, 6]))", "cut(I(V), 3)", "cut(T(V), [0, 2, 4], labels=False)",
    "cut(S(V), I(pd.interval_range(0, 6, 3)), retbins=True)", "cut(S(V), [0, 2, 4], labels=False)", "qcut(T(V), T([0, 0.5, 1]))",
    "qcut(S(V), 3, labels=T(list('abc')))", "isna(T(['a', None], dtype=object))", "isna(T(V))", "to_numeric(T(['1', '2.5']))",
    "to_numeric(S(['1', '2.5'])).sum()", "to_numeric(T(V), downcast='integer')", "to_datetime(T(['2020-01-01', '2021-02-03']))", "unique(T(V))",
    "get_dummies(T([3, 1, 3]))",
]  # fmt: skip


@pytest.mark.parametrize("text", LAZY)
def test_lazy_values_are_taken_as_arrays_are(text: str) -> None:
    lazy = {
        "S": lambda v: md.Series(v, chunk_size=4), "I": lambda v: md.Index(v, chunk_size=2), "T": lambda v, **how: mt.tensor(v, chunk_size=4, **how),
    }  # fmt: skip
    want = eval(f"pd.{text}", {"pd": pd, "V": V, "S": pd.Series, "I": pd.Index, "T": np.array})
    ours = eval(f"md.{text}", {"md": md, "pd": pd, "V": V, **lazy})
    assert all(isinstance(each, Handle) for each in (ours if isinstance(ours, tuple) else [ours]))
    assert_like(fetched(ours), want)


def test_a_categorical() -> None:
    want = pd.cut(V, [0, 2, 4])
    made = md.cut(mt.tensor(V, chunk_size=4), [0, 2, 4])
    assert (made.shape, made.ndim, made.size, len(made), made.dtype) == ((6,), 1, 6, 6, want.dtype)
    assert "Categorical <op=" in repr(made)
    assert "Categorical(op=" in str(made)
    assert repr(made.copy().execute()) == repr(want)
    assert made.execute().nsplits == ((4, 2),)
    assert list(made) == list(want) or np.asarray(made).dtype == object
    assert_like(made.to_pandas(), want)
    assert_like(fetched(md.Series(made)), pd.Series(want))
    assert_like(fetched(md.isna(made)), pd.isna(want))
    assert_like(fetched(md.DataFrame({"a": made, "v": V})), pd.DataFrame({"a": want, "v": V}))
    assert_like(made.compute(), want)
    for one in (want[0], 7):
        assert_like(fetched(made == one), np.asarray(want == one))
        assert_like(fetched(made != one), np.asarray(want != one))
    with pytest.raises(AttributeError, match=r"codes.*md.Series"):
        _ = made.codes
    frame = pd.DataFrame({"v": V})
    ours = md.DataFrame(frame, chunk_size=4)
    assert_like(fetched(ours.groupby(made).v.sum()), frame.groupby(want).v.sum())
    with pytest.raises(TypeError, match="Categorical key"):
        ours.sort_values("v").groupby(made)


def test_a_date_goes_with_frames() -> None:
    frame = pd.DataFrame({"t": pd.date_range("2020", periods=4)})
    day = md.to_datetime("2020-01-03")
    assert day.execute().fetch() == pd.Timestamp("2020-01-03")
    ours = md.DataFrame(frame, chunk_size=3)
    assert_like(fetched(ours[ours.t >= day]), frame[frame.t >= "2020-01-03"])
    assert_like(fetched(ours.t.between(day, md.to_datetime("2021"))), frame.t.between("2020-01-03", "2021"))
    assert md.to_datetime("2020-01-03T00:00Z").tz is not None


@pytest.mark.parametrize("shares", [3, 6, 9])
def test_who_stands_on_the_end_of_a_share(shares: int) -> None:
    for count in (10, 13, 16, 19, 22, 28):
        values = np.arange(count) * 1.1
        assert_like(fetched(md.qcut(values, shares)), pd.qcut(values, shares))


def test_text_with_a_time_zone_is_known_after_a_run() -> None:
    texts = pd.Series(["2020-01-01T00:00Z", "2020-01-02T00:00Z", "2021-01-01T00:00Z"])
    want = pd.to_datetime(texts)
    lazy = md.to_datetime(md.Series(texts, chunk_size=2))
    with pytest.raises(ValueError, match="before the run"):
        lazy.to_tensor().execute()
    assert_like(fetched(md.DataFrame({"a": lazy, "b": [1, 2, 3]})), pd.DataFrame({"a": want, "b": [1, 2, 3]}))
    done = lazy.execute()
    assert done.dtype == want.dtype
    assert_like(done.fetch(), want)
    assert_like(fetched(done > want[0]), want > want[0])
    assert_like(fetched(md.to_datetime(md.Index(texts, chunk_size=2))), pd.to_datetime(pd.Index(texts)))


def test_dummies_of_numbers_and_holes() -> None:
    numbers = pd.Series([3, 1, 3])
    assert_like(
        fetched(md.get_dummies(md.Series(numbers, chunk_size=2), dummy_na=True)),
        pd.get_dummies(numbers, dummy_na=True),
    )
