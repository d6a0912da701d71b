"""Results of groups that one chunk should not hold: in several, in pandas' order, whatever the keys are."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from marsdask.dataframe.sorting import shuffle
from marsdask.session import room
from tests.oracle import assert_like

NUMBERS = np.random.default_rng(7).integers(0, 90, 240)
KEYS: dict[str, Any] = {
    "int": NUMBERS,
    "float": np.where(NUMBERS % 11, NUMBERS / 2, np.nan),
    "str": pd.Series([f"k{n}" if n % 11 else None for n in NUMBERS], dtype="str"),
    "Int64": pd.Series(NUMBERS, dtype="Int64").mask(NUMBERS % 13 == 0),
    "utc": pd.Timestamp("2020", tz="UTC") + pd.to_timedelta(NUMBERS, "h"),
    "bool": NUMBERS % 2 == 0,
    "object": pd.Series([n if n % 3 else float(n) for n in NUMBERS], dtype=object),
    "category": pd.Categorical(NUMBERS % 9, categories=range(12)),
}
RAW = pd.DataFrame({"v": np.arange(240.0) % 37, "w": NUMBERS % 3, "i": np.arange(240)} | KEYS)
METHODS: dict[str, Callable[..., Any]] = {
    "sum": lambda g, **m: g[["v", "i"]].sum(**m),
    "agg": lambda g, **m: g.agg(a=("v", "mean"), b=("w", "size"), c=("i", "first"), **m),
    "nunique": lambda g, **m: g.agg(a=("w", "nunique"), b=("v", "max"), **m),
    "size": lambda g, **m: g.size(),
    "median": lambda g, **m: g["v"].median(**m),
    "quantile": lambda g, **m: g["v"].quantile([0.2, 0.9]),
    "nlargest": lambda g, **m: g["v"].nlargest(2),
    "own": lambda g, **m: g["v"].agg(lambda s: s.max() - s.min()),
    "both": lambda g, **m: g[["v", "i"]].agg(["median", "min"], **m),
    "frames": lambda g, **m: g[["v", "i"]].apply(lambda rows: rows[rows["i"] % 5 > 0] * 2),
    "kinds": lambda g, **m: g[["v", "i"]].apply(lambda rows: rows if rows["i"].iloc[0] % 2 else rows * 0.5),
    "numbers": lambda g, **m: g["v"].apply(lambda rows: rows.max()),
}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a chunk should not have more than 500 bytes, and nothing were small."""
    monkeypatch.setattr(room, "most_bytes", lambda: 500.0)
    monkeypatch.setattr(shuffle, "SMALL_BYTES", 0)
    monkeypatch.setattr(sys.modules["marsdask.dataframe.groupby.lowering"], "MANY_CHUNKS", 2)


FLAGS: list[dict[str, bool]] = [{}, {"dropna": False}, {"as_index": False}]


def made(name: str, by: Any, flags: dict[str, bool]) -> Any:
    how = {"method": "shuffle"} if name in ("sum", "agg", "nunique") else {}
    return METHODS[name](md.DataFrame(RAW, chunk_size=40).groupby(by, **flags), **how)


@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("by", ["str", "float", "bool", ["str", "int"], ["utc", "Int64"]], ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_as_pandas(name: str, by: Any, sort: bool) -> None:
    for flags in FLAGS[:2] if name == "nlargest" else FLAGS:
        try:
            want = METHODS[name](RAW.groupby(by, sort=sort, **flags))
        except TypeError as error:  # pandas' own: nlargest of keys of which some are missing
            with pytest.raises(TypeError, match=str(error)):
                made(name, by, {"sort": sort} | flags).to_pandas()
            continue
        assert_like(made(name, by, {"sort": sort} | flags).to_pandas(), want)


@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("by", ["object", "category"])
def test_frames_under_keys_that_stay_in_one_chunk(by: str, sort: bool) -> None:
    flags = {"sort": sort, "observed": True}
    done = made("frames", by, flags).execute()
    assert_like(done.to_pandas(), METHODS["frames"](RAW.groupby(by, **flags)))
    assert len(done.nsplits[0]) == 1


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("by", ["str", ["Int64", "w"]], ids=str)
def test_no_chunk_has_all(name: str, by: Any, sort: bool) -> None:
    lengths = made(name, by, {"sort": sort}).execute().nsplits[0]
    # Where each group was seen first is not known of the former; pandas puts the latter together in ways of its own.
    unseen = not sort and name in ("nunique", "quantile", "nlargest", "own", "both")
    if unseen or name in ("kinds", "numbers"):
        assert len(lengths) == 1
    else:
        assert len(lengths) > 1
        assert max(lengths) < 0.8 * sum(lengths)
