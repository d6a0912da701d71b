"""Lazy arguments of frames' methods: what pandas takes as a number, a list or labels may be a tensor, a series or an index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from tests.oracle import assert_like, fetched

DF = pd.DataFrame({"k": [3, 1, 2, 3, 5, 1], "v": [1.0, 2, np.nan, 4, 5, 6]})
TEXTS = [
    "df.head(T(2))", "df.tail(T(2))", "df.shift(T(2), fill_value=T(7))", "df.diff(T(2))", "df.pct_change(T(2))", "df.v.rolling(T(2), min_periods=T(1)).sum()",
    "df.v.expanding(T(2)).sum()", "df.v.ewm(com=T(0.5)).mean()", "df.nlargest(T(2), 'k')", "df.nsmallest(T(2), ['k'])", "df.round(T(1))",
    "df.quantile(T([0.2, 0.5]))", "df.quantile(T(0.5))", "df.v.quantile(S([0.2, 0.5]))", "df.describe(percentiles=T([0.1, 0.2]))",
    "df.v.value_counts(bins=T(2))", "df.v.value_counts(bins=T([0, 3, 6]))", "df.dropna(thresh=T(2))", "df.ffill(limit=T(1))", "df.std(ddof=T(0))",
    "df.sum(min_count=T(6))", "df.cumsum(skipna=T(False))", "df.v.autocorr(T(2))", "df.corr(min_periods=T(2))", "df.k.between(T(2), 3)",
    "df.groupby('k').quantile(T(0.5))", "df.groupby('k').head(T(1))", "df.groupby('k').nth(T(1))", "df.groupby('k').shift(T(1))",
    "df.drop(columns=T(['k']))", "df.drop(T([1, 3]))", "df.melt(T(['k']))", "df.drop_duplicates(T(['k']))", "df.filter(items=T(['k']))",
    "df.reindex(T([1, 9]), fill_value=T(4))", "df.reindex(columns=I(['v', 'z']))", "df.rename(columns=S({'k': 'q'}))", "df.iloc[T(1):T(4)]", "df[T(2):]",
    "df.iat[T(2), 0]", "df.iloc[T([1, 3])]", "df.k.replace(T([1, 3]), T([7, 8]))", "df.replace(S([1, 3]), 9)", "df.replace(I([1, 3]), T(9))",
    "df.k.replace({1: T(5)})", "df.assign(z=T([1, 3]).sum())", "df.mask(df > 2, T([7, 8]).min())", "df.where(df > 2, T([7, 8]).mean())", "df.clip(T([2, 3]).min())", "df.rename(index=S({0: 9}))", "df.k.rename(S({0: 9}))",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_lazy_arguments(text: str) -> None:
    lazy = {
        "df": md.DataFrame(DF, chunk_size=2),
        "T": lambda v: mt.tensor(v, chunk_size=1),
        "S": md.Series,
        "I": md.Index,
    }
    plain: dict[str, Any] = {"df": DF, "T": lambda v: np.array(v)[()], "S": pd.Series, "I": pd.Index}
    assert_like(fetched(eval(text, lazy)), eval(text, plain))


@pytest.mark.parametrize("column", ["z", "v"])
def test_a_lazy_number_is_assigned(column: str) -> None:
    ours, want = md.DataFrame(DF, chunk_size=2), DF.copy()
    ours[column] = mt.tensor([1.0, 2]).sum()
    want[column] = 3.0
    ours.loc[1, "k"], want.loc[1, "k"] = ours.k.max(), want.k.max()
    ours.iloc[0, 0], want.iloc[0, 0] = ours.k.min(), want.k.min()
    ours.insert(0, "q", ours.k.sum())
    want.insert(0, "q", want.k.sum())
    assert_like(fetched(ours), want)


def test_plain_arrays_are_no_data_by_row_where_values_are_replaced() -> None:
    ours = md.DataFrame(DF, chunk_size=2)
    for what in (np.array([1, 3]), pd.Series([1, 3]), pd.Index([1, 3])):
        assert_like(fetched(ours.replace(what, 9)), DF.replace(what, 9))


def test_a_lazy_mask_is_taken_by_place_and_by_label() -> None:
    ours, want = md.DataFrame(DF, chunk_size=4), DF[DF.k > 2]
    for mask in (ours.k > 2, (ours.k > 2).values):
        assert_like(fetched(ours.iloc[mask]), want)
        assert_like(fetched(ours.loc[mask, "v"]), want.v)
        assert_like(fetched(ours.v.iloc[mask]), want.v)
