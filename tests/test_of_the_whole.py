"""What pandas decides from a whole column, whatever the chunks: dtypes of what functions give, texts among objects, who is among whom."""

import datetime
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like, fetched

WHOLE = pd.DataFrame(
    {
        "v": [5, 1, 4, 2, 3, 7, 6, 9, 8],
        "w": [1, 2, 3, 9, 9, 9, 4, 4, 5],
        "k": list("abcabcabc"),
        "m": [1, 2, 3, "a", "b", None, 1.5, 2.5, 3.5],
        "y": [b"a", b"b", None, "c", "da", "e", 1, True, datetime.date(2020, 1, 1)],
        "t": [
            *pd.date_range("2020-01-31", periods=4, freq="200D"),
            pd.NaT,
            *pd.date_range("2022", periods=4, freq="17h"),
        ],
        "s": ["a", "b", "ab", None, "c", "a", "bb", "b", "a"],
        "oi": pd.Series([5, 1, 4, 2, 3, 7, 6, 9, 8], dtype=object),
        "dec": [Decimal(n) / 4 for n in range(9)],
        "day": [datetime.date(2020, 1, n + 1) for n in range(9)],
        "l": [[1], [2, 3], [], None, [4], [5], None, [6], [7]],
    }
)
FEW = pd.Series([4, 9])
LABELLED = pd.Series(range(9), index=range(8, -1, -1))


def beside_pandas(text: str, chunk_size: int, **names: Any) -> None:
    ours = {"df": md.DataFrame(WHOLE, chunk_size=chunk_size), "few": md.Series(FEW, chunk_size=1), "md": md}
    theirs = {"df": WHOLE.copy(), "few": FEW, "md": pd}
    plain = {"pd": pd, "np": np, "pandas_few": FEW, "labelled": LABELLED, "whole": WHOLE} | names
    assert_like(fetched(eval(text, plain | ours)), eval(text, plain | theirs))


GIVEN = [
    "lambda v: None if v < 6 else v", "lambda v: None if v < 6 else 'x'", "lambda v: None if v < 6 else True", "lambda v: np.nan if v < 6 else 'x'",
    "lambda v: None if v < 6 else pd.Timestamp('2020')", "lambda v: None if v < 6 else pd.Timedelta('1D')", "lambda v: None",
    "lambda v: None if v < 6 else pd.Timestamp('2020', tz='UTC')", "lambda v: 1.5 if v == 9 else v", "lambda v: 'x' if v == 9 else v",
    "lambda v: pd.NA if v < 6 else v", "lambda v: None if v < 6 else [v]", "lambda v: None if v < 6 else v * 1j",
]  # fmt: skip


@pytest.mark.parametrize("chunk_size", [9, 3, 2])
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "text",
    ["df.v.apply({})", "df.v.map({})", "df.v.apply({}).astype(str)", "df.v.map({}).isna()", "df[['v', 'w']].map({})", "df[['v']].apply(lambda r: ({})(r.v), axis=1)"],
)  # fmt: skip
def test_what_functions_give_has_one_dtype(text: str, given: str, chunk_size: int) -> None:
    beside_pandas(text.format(given), chunk_size)


@pytest.mark.parametrize("chunk_size", [9, 3])
@pytest.mark.parametrize(
    "text",
    [
        "df.v.replace(9, 1.5).astype(str)", "df.v.replace(9, np.nan).astype(str)", "df.v.replace({9: 2.5}).astype(str)",
        "df.assign(v=df.v.map(lambda v: None if v < 6 else v)).groupby('k').v.mean()",
        "df.assign(v=df.v.map(lambda v: 1.5 if v == 9 else v)).groupby('k').v.agg(['mean', 'sum', 'std', 'min'])",
        "df.assign(v=md.cut(df.v, [6, 8, 9], labels=False)).groupby('k').v.mean()", "df.l.str.len().astype(str)",
    ],
)  # fmt: skip
def test_what_goes_on_from_there(text: str, chunk_size: int) -> None:
    beside_pandas(text, chunk_size)


@pytest.mark.parametrize("chunk_size", [9, 3])
@pytest.mark.parametrize("column", ["m", "y"])
@pytest.mark.parametrize(
    "asked",
    ["upper()", "len()", "contains('a')", "contains('a', na=False)", "extractall('(a)')", "extract('(a)')", "replace('a', 'z')", "isdigit()", "decode('utf8')", "split('a')"],
)  # fmt: skip
def test_texts_among_objects(asked: str, column: str, chunk_size: int) -> None:
    beside_pandas(f"df.{column}.str.{asked}", chunk_size)


@pytest.mark.parametrize("chunk_size", [9, 3])
@pytest.mark.parametrize("texts", ["df.s", "df.s.astype(object)", "df.s.iloc[:0]", "df.s.where(df.v > 9)"])
@pytest.mark.parametrize(
    "asked", ["split('b', n=1", "rsplit('b', n=3", "split('q', n=1", "split('b'", "rsplit('b', n=0"]
)
def test_a_split_has_the_columns_of_its_longest_row(asked: str, texts: str, chunk_size: int) -> None:
    beside_pandas(f"{texts}.str.{asked}, expand=True)", chunk_size)


TRUTHS = [[True, False, None, True], [True, True, 1, 0], [True, False, True, True], [1, None, True, False]]


@pytest.mark.parametrize("values", TRUTHS)
@pytest.mark.parametrize(
    "table", [{1: "x", 0: "y"}, {1: "x"}, {True: 2}, pd.Series({1.0: 5}), {"a": 1, 1: 2}]
)
def test_true_is_one_to_a_table_unless_all_are_truths(values: list[Any], table: Any) -> None:
    whole = pd.Series(values, dtype=object)
    assert_like(fetched(md.Series(whole, chunk_size=2).map(table)), whole.map(table))


def test_objects_without_a_text_have_no_str() -> None:
    series = md.Series([1, 2, 3, 4], dtype=object, chunk_size=2)
    with pytest.raises(AttributeError, match=r"Can only use .str accessor with string values"):
        series.str.upper().execute()


@pytest.mark.parametrize("chunk_size", [9, 3])
@pytest.mark.parametrize(
    "expression",
    [
        "v in w", "v not in w", "v.isin(w)", "v in @few", "v in @pandas_few", "v.isin(@few)", "v > @few.mean()", "v > @whole.v.mean()", "v > @df.v.mean()",
        "v > @whole.w", "v > @df.w", "v + @labelled > 9", "v < @whole.v.sum() / 10", "k in @whole.k.head(2)", "v > @whole.v.iloc[4]", '"a" in k',
        "v in [1, 9]", "v + @labelled > 9 and v.shift(1) > 2",
    ],
)  # fmt: skip
def test_expressions_see_the_whole(expression: str, chunk_size: int) -> None:
    frame = md.DataFrame(WHOLE, chunk_size=chunk_size)
    ours = {"few": md.Series(FEW, chunk_size=1), "df": frame}
    theirs = {"few": FEW, "df": WHOLE}
    plain = {"pandas_few": FEW, "labelled": LABELLED, "whole": WHOLE}
    assert_like(
        fetched(frame.query(expression, local_dict=plain | ours)),
        WHOLE.query(expression, local_dict=plain | theirs),
    )
    assert_like(
        fetched(frame.eval(expression, local_dict=plain | ours)),
        WHOLE.eval(expression, local_dict=plain | theirs),
    ) if ".iloc" not in expression else None


@pytest.mark.parametrize(
    "rows", ["df.iloc[3:8]", "df.iloc[::-1]", "df.iloc[::2]", "df[df.v != 4]", "df.head(5)", "df[df.v > 6]"]
)
def test_labels_of_parquet_that_pandas_reads(rows: str, tmp_path: Path) -> None:
    names = ["v", "k"]
    want = eval(rows, {"df": WHOLE[names]})
    eval(rows, {"df": md.DataFrame(WHOLE[names], chunk_size=3)}).to_parquet(tmp_path / "t").execute()
    assert_like(pd.read_parquet(tmp_path / "t"), want)
    assert_like(fetched(md.read_parquet(str(tmp_path / "t"))), want)


@pytest.mark.parametrize("chunk_size", [9, 3])
@pytest.mark.parametrize(
    "text",
    [
        "df.t.dt.year.astype(str)", "df.t.dt.year.astype(object)", "(df.t.dt.year * 100 + df.t.dt.month).astype(str)", "df.t.dt.month.map('{}'.format)",
        "df.t.dt.year.apply(lambda y: type(y).__name__)", "df.assign(y=df.t.dt.day).astype({'y': str})", "df.s.str.len().astype(str)", "df.s.str.count('a').map(str)",
        "df.assign(y=df.t.dt.year)[['y', 'k']].apply(lambda r: str(r.y), axis=1)", "md.concat([df.t.dt.year, df.v])",
        "md.concat([df.v.apply(lambda v: 1.5 if v == 9 else v), df.w])", "df.assign(y=df.s.str.len()).melt(id_vars='k', value_vars=['y', 'v'])",
        "df.assign(v=df.v.apply(lambda v: 1.5 if v == 9 else v)).melt(id_vars='k', value_vars=['v'])",
    ],
)  # fmt: skip
def test_whole_numbers_that_may_be_missing(text: str, chunk_size: int) -> None:
    beside_pandas(text, chunk_size)


@pytest.mark.parametrize("chunk_size", [9, 3])
def test_whole_numbers_that_may_be_missing_in_files(chunk_size: int, tmp_path: Path) -> None:
    want = WHOLE[["v"]].assign(y=WHOLE.t.dt.year, n=WHOLE.s.str.len())
    df = md.DataFrame(WHOLE, chunk_size=chunk_size)
    ours = df[["v"]].assign(y=df.t.dt.year, n=df.s.str.len())
    ours.to_csv(tmp_path / "t.csv").execute()
    assert (tmp_path / "t.csv").read_text() == want.to_csv()
    ours.to_parquet(tmp_path / "t").execute()
    assert_like(pd.read_parquet(tmp_path / "t"), want)


@pytest.mark.parametrize("chunk_size", [9, 3])
@pytest.mark.parametrize(
    "text",
    [
        "df.oi > 3", "df.oi + df.v", "-df.oi", "df.oi.abs()", "df.oi.diff()", "df.oi.clip(2, 5)", "df.oi.rolling(2).sum()", "df.oi.quantile(0.5)", "df.oi.round()",
        "df[['v', 'oi']].sum(axis=1)", "df[['v', 'oi']].mean()", "df[['v', 'oi']].corr()", "df.groupby('k').oi.std()", "df.oi.apply(lambda v: v + 1)", "df.query('oi > 3')",
        "df.dec > 1", "df.dec + Decimal(1)", "df.dec.mean()", "df[['dec']].mean()", "df.dec.apply(lambda d: d.quantize(Decimal(1)))", "df[df.dec.between(Decimal(1), Decimal(2))].v",
        "df.day > datetime.date(2020, 1, 3)", "df.day - datetime.date(2020, 1, 1)", "df.day.map(lambda d: d.year)", "df.day + datetime.timedelta(days=1)", "df.day.diff()",
    ],
)  # fmt: skip
def test_objects_that_are_no_texts(text: str, chunk_size: int) -> None:
    beside_pandas(text, chunk_size, Decimal=Decimal, datetime=datetime)


ELEMENTS = [None, "a", ["b", "c"], [], [None], [1, 2], ("x",), float("nan"), 3, {"k"}, pd.NA]


@pytest.mark.parametrize("seed", range(12))
def test_exploded_elements_are_text_where_all_are(seed: int) -> None:
    rand = random.Random(seed)
    values = [rand.choice(ELEMENTS[: rand.choice([4, 5, 11])]) for _ in range(rand.randint(1, 7))]
    raw = pd.DataFrame({"o": pd.Series(values, dtype=object), "i": range(len(values))})
    df = md.DataFrame(raw, chunk_size=2)
    for got, want in ((df.explode("o"), raw.explode("o")), (df.o.explode(), raw.o.explode())):
        assert_like(fetched(got), want)
        assert repr(fetched(got)) == repr(want)


@pytest.mark.parametrize("name", ["skew", "kurt"])
@pytest.mark.parametrize(
    "values", [[1, 1, 1, 1], [0.1] * 7, [-3.3] * 9, [True] * 5, [1e-9] * 3 + [2e-9], [0.3] * 5 + [np.nan]]
)  # fmt: skip
def test_values_that_are_all_alike_have_no_shape(values: list[Any], name: str) -> None:
    raw = pd.DataFrame({"a": values, "b": range(len(values))})
    for chunk_size in (2, 10):
        df = md.DataFrame(raw, chunk_size=chunk_size)
        np.testing.assert_allclose(fetched(getattr(df.a, name)()), getattr(raw.a, name)(), rtol=1e-6)
        np.testing.assert_allclose(fetched(getattr(df, name)()), getattr(raw, name)(), rtol=1e-6)
