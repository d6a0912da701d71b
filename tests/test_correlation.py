"""Correlations of two series are pandas' to the last bit where one chunk, or all rows in one, tell them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md


@pytest.mark.parametrize("method", ["kendall", "spearman", "pearson", lambda a, b: float(a @ b)])
def test_of_series(method: Any) -> None:
    draw = np.random.default_rng(3)
    for _ in range(8):
        a, b = (pd.Series(np.where(draw.random(20) > 0.3, draw.random(20), np.nan)) for _ in range(2))
        want = a.corr(b, method=method, min_periods=4)
        for chunk_size in (None, 6):
            ours = md.Series(a, chunk_size=chunk_size).corr(
                md.Series(b, chunk_size=chunk_size), method=method, min_periods=4
            )
            got = ours.execute().fetch()
            if method == "pearson" and chunk_size:
                assert got == pytest.approx(want, rel=1e-12)
            else:
                assert got == want
        assert md.Series(a).autocorr(2).execute().fetch() == a.autocorr(2)
