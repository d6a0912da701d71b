"""Times as text: pandas writes a column's alike, as fine as the finest of them, whatever chunk that is in."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like

DAYS = ["2024-01-01", "2024-01-02", "2024-01-03 05:00:00.25", "2024-01-04", None, "2024-01-04 00:00:01"]


def table(tz: str | None) -> pd.DataFrame:
    times = pd.Series(pd.to_datetime(DAYS, format="mixed")).dt.tz_localize(tz)
    spans = pd.to_timedelta([1, 2, 0.5, 4, None, 1], "D")
    return pd.DataFrame({"t": times, "d": spans, "x": 1.5, "n": pd.NaT, "w": times.dt.normalize()})


@pytest.mark.parametrize("tz", [None, "Europe/Berlin"])
@pytest.mark.parametrize(
    "text",
    [
        "f.astype(str)", "f.t.astype(str)", "f.d.astype('string')", "f.astype({'t': 'str', 'x': int})", "f.set_axis(list('aabcd'), axis=1).astype(str)",
        "f.set_index('t').index.astype(str)", "f.t.dropna().astype('string[pyarrow]')", "f.t.astype({'t': str})", "f.n.astype(str)", "f.t.astype('category').astype(str)",
    ],
)  # fmt: skip
def test_astype(text: str, tz: str | None) -> None:
    whole = table(tz)
    want = eval(text, {"f": whole})
    for chunk_size in (1, 2, 4):
        assert_like(eval(text, {"f": md.DataFrame(whole, chunk_size=chunk_size)}).execute().fetch(), want)


@pytest.mark.parametrize("tz", [None, "UTC"])
@pytest.mark.parametrize(
    "keywords", [{}, {"date_format": "%Y"}, {"na_rep": "?", "quoting": 2}, {"index": False}]
)
def test_to_csv(keywords: dict[str, Any], tz: str | None, tmp_path: Path) -> None:
    whole = table(tz)
    for i, each in enumerate((whole, whole.set_index("t"), whole.t, whole.set_index("d").x, whole[["x"]])):
        made = (md.DataFrame if each.ndim == 2 else md.Series)(each, chunk_size=2)
        made.to_csv(tmp_path / f"{i}.csv", **keywords).execute()
        assert (tmp_path / f"{i}.csv").read_text() == each.to_csv(**keywords)
