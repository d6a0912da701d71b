"""Dates compared as whole numbers, beside pandas."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marsdask.dataframe.kernels import dates
from marsdask.dataframe.rows.arithmetic import operate

NAMES = ("eq", "ne", "lt", "le", "gt", "ge")
DAYS = st.lists(st.sampled_from(["2000-01-01", "2000-01-02", "2000-01-03", None]), max_size=8)
UNITS = st.sampled_from(["s", "ms", "us", "ns"])


@pytest.fixture(autouse=True, scope="module")
def _short_ones_too() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dates, "FEWEST", 0)
        yield


def column(days: list[Any], unit: str, name: Any = "d") -> pd.Series:
    return pd.Series(pd.to_datetime(pd.Series(days, dtype=object)).dt.as_unit(unit), name=name).set_axis(
        range(5, 5 + len(days))
    )


@given(DAYS, UNITS, UNITS, st.sampled_from(NAMES))
def test_with_a_date(days: list[Any], unit: str, other: str, name: str) -> None:
    mine, date = column(days, unit), pd.Timestamp("2000-01-02").as_unit(other)
    found = dates.compared(name, mine, date)
    assert found is not None
    pd.testing.assert_series_equal(found, getattr(mine, name)(date))


@given(
    st.lists(st.tuples(*[st.sampled_from(["2000-01-01", "2000-01-02", None])] * 2), max_size=8),
    UNITS,
    st.sampled_from(NAMES),
)
def test_with_others(pairs: list[tuple[Any, Any]], unit: str, name: str) -> None:
    one, two = (column([p[i] for p in pairs], unit) for i in (0, 1))
    for right in (two, two.rename("e")):
        found = dates.compared(name, one, right)
        assert found is not None
        pd.testing.assert_series_equal(found, operate(f"__{name}__", one, right, {}))
        pd.testing.assert_series_equal(found, getattr(one, name)(right))


@pytest.mark.parametrize(
    "right",
    [
        pd.Timestamp("2000-01-02 00:00:00.000000001"),  # no number of seconds
        pd.Timestamp("2000-01-02", tz="UTC"),
        pd.NaT,
        "2000-01-02",
        column(["2000-01-02"] * 3, "ms"),
        column(["2000-01-02"] * 3, "s").set_axis([1, 2, 3]),
        column(["2000-01-02"] * 3, "s", name=1),
    ],
)
def test_the_rest_is_for_pandas_to_say(right: Any) -> None:
    mine = column(["2000-01-01", None, "2000-01-02"], "s")
    assert dates.compared("lt", mine, right) is None


def test_dates_beyond_the_unit() -> None:
    mine = column(["2000-01-01", None], "ns")
    far = pd.Timestamp("9000-01-01").as_unit("s")
    assert dates.compared("lt", mine, far) is None
    assert operate("__lt__", mine, far, {}).tolist() == [True, False]
