"""Frames cut anew keep values, order and labels."""

from typing import Any

import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import FRAMES, assert_like


@pytest.mark.parametrize("name", ["df", "dl", "dn", "s", "e"])
@pytest.mark.parametrize("known", [True, False])
def test_rechunk(name: str, known: bool) -> None:
    whole = FRAMES[name]
    kind: Any = md.DataFrame if whole.ndim == 2 else md.Series
    frame, want = kind(whole, chunk_size=5), whole
    if not known:
        mask = pd.Series(range(len(whole)), index=whole.index) % 3 != 1
        want, frame = whole[mask], frame[mask.to_numpy()]
    cut = frame.rechunk(4).execute()
    assert_like(cut.fetch(), want)
    rows = cut.nsplits[0]
    assert rows == tuple(min(4, len(want) - i) for i in range(0, len(want), 4)) or not len(want)
    assert_like(frame.rebalance(num_partitions=2).execute().fetch(), want)


def test_counts() -> None:
    frame = md.DataFrame(FRAMES["df"], chunk_size=1)
    assert len(frame.rebalance(num_partitions=3).execute().nsplits[0]) == 3
    assert len(frame.rebalance(factor=0.5).execute().nsplits[0]) >= 1
    assert frame.rechunk((6, 2)).execute().nsplits[0] == (6, 6)
    assert frame.k.rechunk({0: 7}).execute().nsplits[0] == (7, 5)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda f: f.rechunk(0), ValueError),
        (lambda f: f.rechunk(2.5), TypeError),
        (lambda f: f.rechunk((2, 2, 2)), ValueError),
        (lambda f: f.rebalance(num_partitions=0), ValueError),
        (lambda f: f.rebalance(factor=-1), TypeError),
        (lambda f: f.rebalance(axis=1), ValueError),
    ],
)
def test_mistakes(call: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        call(md.DataFrame(FRAMES["df"]))
