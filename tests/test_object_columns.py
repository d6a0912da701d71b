"""Columns of objects that are no texts: Decimals, Python's numbers, times beside holes. Only data tell what they can do."""

import random
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like, fetched

TIMES = pd.Series(pd.bdate_range("2000-01-03", periods=4).astype(object))
TIMES[1] = np.nan
WHOLE = {
    "o": pd.Series([1, 2, 3, 0], dtype=object, name="o"),
    "d": pd.Series([Decimal(1), Decimal("2.5"), Decimal(3), Decimal(0)], dtype=object, name="d"),
    "t": TIMES.rename("t"),
    "f": pd.DataFrame({"d": [Decimal(1), Decimal("2.5"), Decimal(3), Decimal(0)], "x": [1, 2, 3, 4]}),
    "x": pd.Series([1, 2, 3, 4], name="x"),
    "other": pd.Series([1, 2, 3], index=[1, 2, 5], dtype=object, name="o"),
}
SAID = [
    "o + 1", "1 + o", "o > 1", "1 < o", "o >= o", "o + o", "o * x", "o + other", "o - o", "o // 2", "o % 2", "2 ** o", "-o", "~o", "abs(o)",
    "o & 1", "o.add(1)", "o.gt(1)", "o.clip(1, 2)", "o.between(1, 2)", "o.round()", "o.diff()", "np.add(o, 1)", "np.greater(o, 1)", "o.where(o > 1)", "o > np.array([0, 1, 5, 5])",
    "d > Decimal(1)", "d + Decimal(1)", "d * x", "d.abs()", "d == Decimal(1)", "d.between(Decimal(1), Decimal(2))", "d[d > 1]", "f + 1", "f > 1", "f.d * f.x", "f[f.d > Decimal(1)]",
    "f.d.iloc[0] + f.d", "f.gt(1)", "f + f", "f + f.iloc[:, 1:]", "t >= t[2]", "t.between(t[0], t[2])", "t[t.between(t[0], t[2], inclusive='right')]", "t - t[0]", "t.clip(t[2], t[3])", "t > pd.Timestamp('2000-01-04')",
]  # fmt: skip


@pytest.mark.parametrize("text", SAID)
def test_objects_are_what_data_tell(text: str) -> None:
    known: dict[str, Any] = {"np": np, "pd": pd, "Decimal": Decimal}
    try:
        want = eval(text, known | {name: value.copy() for name, value in WHOLE.items()})
    except TypeError:
        want = None
    for chunk_size in (None, 2):
        make = {True: md.DataFrame, False: md.Series}
        ours = {name: make[value.ndim == 2](value, chunk_size=chunk_size) for name, value in WHOLE.items()}
        if want is None:
            with pytest.raises(TypeError):
                fetched(eval(text, known | ours))
            continue
        made = eval(text, known | ours)
        for one, right in zip(made, want, strict=True) if isinstance(made, tuple) else [(made, want)]:
            if hasattr(right, "dtypes"):
                assert str(one.dtypes) == str(right.dtypes), text  # before it runs
            assert_like(fetched(one), right)


def test_texts_are_refused_where_pandas_does() -> None:
    texts = md.Series(pd.Series(["a", "b", "c"], dtype=object), chunk_size=2)
    for ask in (lambda: texts + 1, lambda: texts > 1, lambda: -texts):
        with pytest.raises(TypeError):
            ask().execute()
    with pytest.raises(TypeError):
        md.Series(["a", "b"]) + 1  # of texts that is known


@pytest.mark.parametrize(
    "values",
    [[None, np.nan, pd.NA, "a", "a", None], [None, 1, np.nan, 1], [pd.NaT, None, np.nan, pd.Timestamp("2020")], [True, None, np.nan, 1, 1.0, False, 0]],
)  # fmt: skip
@pytest.mark.parametrize("chunk_size", [2, 9])
def test_what_is_missing_is_counted_as_pandas_counts_it(values: list[Any], chunk_size: int) -> None:
    raw = pd.Series(values, dtype=object)
    ours = md.Series(raw, chunk_size=chunk_size)
    for how in ({}, {"dropna": False}):
        assert repr(fetched(ours.value_counts(**how))) == repr(raw.value_counts(**how))
        assert repr(fetched(ours.mode(**how))) == repr(raw.mode(**how))
        assert fetched(ours.nunique(**how)) == raw.nunique(**how)


@pytest.mark.parametrize("seed", range(40))
def test_which_hole_stands_where_a_limited_fill_ends(seed: int) -> None:
    rand = random.Random(seed)
    values = [rand.choice([pd.NA, None, np.nan, pd.NaT, 1, "a"]) for _ in range(rand.randint(2, 9))]
    whole = pd.DataFrame({"a": pd.Series(values, dtype=object), "f": [1.5, *[np.nan] * (len(values) - 1)]})
    how, limit = rand.choice(["ffill", "bfill"]), rand.choice([1, 2, 3])
    want = getattr(whole, how)(limit=limit)
    for chunk_size in (1, 2, 3):
        made = fetched(getattr(md.DataFrame(whole, chunk_size=chunk_size), how)(limit=limit))
        assert_like(made, want)
        assert [*map(repr, made.a)] == [*map(repr, want.a)], (values, how, limit)
