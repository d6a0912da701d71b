"""One value of a frame, lazily, beside values in memory, columns and tensors: as pandas' scalars."""

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt

EXPRESSIONS = [
    "m + pd.Timedelta('1h')", "m - day", "day - m", "m > day", "day < m", "m + datetime.timedelta(1)", "m >= day.to_pydatetime()", "m == day", "m != day", "m == None",
    "m == 'x'", "'x' != m", "m + pd.offsets.Day(1)", "(d.t.max() - m) / pd.Timedelta('1h')", "(d.t.max() - m) / 2", "d.t.max() - m > pd.Timedelta('1h')", "-(d.t.max() - m)",
    "d.t - m", "m - d.t", "d.t > m", "d.t.clip(m)", "d[d.t >= d.t.quantile(.5)]", "d.t.between(m, m)", "d.t - d.t.iloc[0]", "d.t - d.t.loc[1]", "d.query('t > @m')",
    "d.t.fillna(m)", "d.assign(z=m)", "d.c.max() + 'x'", "'x' + d.c.max()", "d.c.max() * 2", "d.c.max() == 'e'", "d.c.max() > 'a'", "d.c + d.c.max()", "d.c.sum() + d.c",
    "d.c > d.c.min()", "d.c + d.c.iloc[0]", "d[d.c == d.c.max()]", "d.c.mask(d.c == d.c.max(), d.c.min())", "d.p - d.p.min()", "d.p == d.p.max()", "d.i + d.i.max()",
]  # fmt: skip


def value_of(made: Any) -> Any:
    return made.execute().fetch() if hasattr(made, "execute") else made


@pytest.mark.parametrize("tz", [None, "Europe/Berlin"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_of_frames(expression: str, tz: str | None) -> None:
    frame = pd.DataFrame(
        {
            "t": pd.date_range("2024-03-30", periods=5, freq="9h", tz=tz),
            "c": list("abcde"),
            "p": pd.period_range("2024", periods=5, freq="M"),
            "i": pd.array([1, None, 3, 4, 5], "Int64"),
        }
    )
    known = {"day": pd.Timestamp("2024-03-30", tz=tz), "pd": pd, "datetime": datetime}
    want = eval(expression, known | {"d": frame, "m": frame.t.min()})
    d = md.DataFrame(frame, chunk_size=2)
    got = value_of(eval(expression, known | {"d": d, "m": d.t.min()}))
    assert type(got) is type(want) or isinstance(want, (bool, float))
    assert got.equals(want) if isinstance(want, (pd.Series, pd.DataFrame)) else got == want


@pytest.mark.parametrize(
    "expression",
    [
        "v == None", "v != None", "None == v", "v == 'a'", "v != 'a'", "b'a' == v", "v == object()", "v == {}", "o == None", "o * Decimal(2)", "Decimal(2) * o",
        "o > Decimal(1)", "s + 'a'", "'a' + s", "s == 'b'", "s == None", "k == np.datetime64('2024-01-02')", "k > datetime.date(2024, 1, 1)", "(v - v)[0] == 0",
    ],
)  # fmt: skip
def test_tensors_beside_values_that_are_no_numbers(expression: str) -> None:
    arrays = {
        "v": np.arange(3.0),
        "o": np.array([Decimal(1), Decimal(2), Decimal(3)], dtype=object),
        "s": np.array(["a", "b", "c"], dtype=object),
        "k": np.array(["2024-01-01", "2024-01-02", "2024-01-03"], "M8[D]"),
    }
    known = {"Decimal": Decimal, "np": np, "datetime": datetime}
    want = eval(expression, known | arrays)
    got = value_of(eval(expression, known | {k: mt.tensor(a, chunk_size=2) for k, a in arrays.items()}))
    assert np.asarray(got).dtype == np.asarray(want).dtype
    assert np.array_equal(got, want)


def test_times_of_frames_go_with_tensors() -> None:
    times = pd.Series(pd.date_range("2024-03-30", periods=5, freq="9h"))
    d = md.Series(times, chunk_size=2)
    v, low, high = d.values, d.min(), d.max()
    want = times.to_numpy()
    assert np.array_equal(value_of(v - low), want - want.min())
    assert np.array_equal(value_of(mt.maximum(v, d.iloc[2])), np.maximum(want, want[2]))
    assert np.array_equal(value_of(mt.stack([low, high])), [want.min(), want.max()])
    assert value_of(mt.where(v > low, high, low)).dtype == want.dtype
    assert value_of(low) == times.min()
    assert value_of(md.Series(times[:0]).min()) is pd.NaT
