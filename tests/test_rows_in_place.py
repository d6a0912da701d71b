"""Rows that stand beside each other stay so, whatever order a plan leaves out: beside executed data, arrays, frames cut alike."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like, fetched

N = 12
WHOLE = pd.DataFrame(
    {"v": np.random.RandomState(1).permutation(N) * 1.0, "k": np.arange(N) * 5 % 3, "i": range(N)}
)

ROWS = [
    "df.sort_values('v')", "df.sort_values('v', ignore_index=True)", "df.sort_values('v').reset_index(drop=True)", "df.set_index('k').sort_values('v').reset_index()",
    "df.merge(df[['k', 'i']].rename(columns={'i': 'j'}), on='k')", "df.set_index('k', drop=False).sort_index(kind='stable').rename_axis(None)",
]  # fmt: skip
EXECUTED = [
    "(x.v * run(x.v * 2)).sum()", "x.assign(q=run(x.v * 2)).q.sum()", "x[run(x.v * 2) > 6].i.sum()", "x.groupby(run(x.v) > 3).i.sum()", "x.i.where(run(x.v) > 3, 0).sum()",
    "x.assign(q=run(x.v)).groupby(run(x.k)).q.sum()", "run(x).assign(q=x.v * x.i).groupby('k').q.sum()",
]  # fmt: skip
ARRAYS = [
    "(x.v * rows).sum()", "x.assign(q=rows).groupby('k').q.sum()", "x[rows > 5].v.sum()", "x.groupby(rows // 4).v.sum()",
    "x.reset_index(drop=True).assign(q=series).groupby('k').q.sum()", "(x.reset_index(drop=True).v * series).sum()",
]  # fmt: skip


def compared(rows: str, text: str, chunk_size: int) -> None:
    def ours_of(whole: Any) -> Any:
        return (md.DataFrame if whole.ndim == 2 else md.Series)(whole, chunk_size=chunk_size)

    want = eval(rows, {"df": WHOLE})
    series, plain = pd.Series(range(len(want))), {"rows": np.arange(len(want)), "np": np}
    theirs = plain | {"x": want, "run": lambda s: s, "series": series}
    ours = plain | {
        "x": eval(rows, {"df": ours_of(WHOLE)}),
        "run": lambda s: s.execute(),
        "series": ours_of(series),
    }
    assert_like(fetched(eval(text, ours)), eval(text, theirs))


@pytest.mark.parametrize("chunk_size", [N, 3, 5])
@pytest.mark.parametrize("text", EXECUTED)
@pytest.mark.parametrize("rows", ROWS)
def test_beside_executed_data(rows: str, text: str, chunk_size: int) -> None:
    compared(rows, text, chunk_size)


@pytest.mark.parametrize("chunk_size", [N, 3])
@pytest.mark.parametrize("text", ARRAYS)
@pytest.mark.parametrize("rows", ROWS[:3])
def test_beside_arrays_and_numbered_rows(rows: str, text: str, chunk_size: int) -> None:
    compared(rows, text, chunk_size)
