"""A key that is the column of its name, by whatever way it was taken, is not aggregated; a copy of it is, as pandas has it."""

from typing import Any

import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like

WHOLE = pd.DataFrame({"k": [1, 2, 1], "v": [1, 2, 3]})
SAME = [
    "d.groupby(d.k)", "d.groupby(d.k.copy(deep=False))", "d.groupby(d.copy(deep=False).k)", "d.groupby(d['k'][:])", "d.groupby(d.iloc[:].k)",
    "d.groupby(d.k.loc[:])", "d.groupby(d.rename(columns={}).k)", "d.groupby(d.drop(columns=[]).k)", "d.groupby(module.DataFrame(d).k)",
    "d.groupby(d.assign(z=1).k)", "d.groupby(d.k.rename('k'))", "d.copy().pipe(lambda e: e.groupby(e.k))",
    "d.groupby(d.reindex(columns=['v', 'k', 'new']).k)", "d.groupby(d.set_axis(d.index).k)", "d.groupby(d.rename_axis('r').k)",
]  # fmt: skip
OTHERS = [
    "d.groupby(d.k.copy())", "d.groupby(d.copy().k)", "d.copy().groupby(d.k)", "d.groupby(d.k.copy().rename('k'))", "d.groupby(d.k + 0)",
    "d.assign(k=d.k.copy()).groupby(d.k)", "d.groupby(d.k.copy().copy(deep=False))",
]  # fmt: skip


@pytest.mark.parametrize("text", [*SAME, *OTHERS])
def test_whether_a_key_is_a_column(text: str) -> None:
    def grouped(module: Any, d: Any) -> Any:
        return eval(text, {"module": module, "d": d})

    want = grouped(pd, WHOLE).sum()
    assert ("k" in want.columns) == (text in OTHERS)
    assert_like(grouped(md, md.DataFrame(WHOLE, chunk_size=2)).sum().execute().fetch(), want)
