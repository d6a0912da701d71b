"""Dtypes that pandas finds by looking at a whole column are the same in one chunk and in several."""

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like, fetched

N = 12
WHOLE = pd.DataFrame(
    {
        "a": np.arange(N),
        "f": np.where(np.arange(N) < 4, np.nan, np.arange(N) * 1.5),
        "s": list("xyzxyzwxyzab"),
        "o": pd.Series([1, 2, None, *range(4, N + 1)], dtype=object),
        "oi": pd.Series(range(N), dtype=object),
        "b": np.arange(N) % 2 == 0,
        "t": pd.date_range("2020", periods=N),
    }
)
SOME = dict.fromkeys((0, 1, 2, 6, 7, 8), 1)
"""Keys of some labels: chunks of three rows have all or none."""


def check(does: Any, whole: Any = WHOLE) -> None:
    """The same of a frame as of pandas', in chunks of several sizes, before and after a run."""
    want = does(whole)
    for chunk_size in (None, 3, 5):
        ours = md.DataFrame(whole, chunk_size=chunk_size)
        assert_like(fetched(does(ours)), want)
        assert_like(fetched(does(ours.execute())), want)


@pytest.mark.parametrize(
    "text",
    [
        "x.groupby(SOME).a.sum()",
        "x.groupby(SOME).first()",
        "x.groupby(SOME).a.nunique()",
        "x.groupby(SOME, sort=False).a.agg(['sum', 'max'])",
        "x.groupby([SOME, 'b'], dropna=False).a.median()",
        "x.groupby(SOME.get).a.apply(lambda g: g.sum())",
        "x.rename_axis('r').groupby(SOME).a.transform('sum')",
        "x.a.groupby(lambda i: 'x' if i < 4 else i).median()",
        "x.groupby(lambda i: (i % 3, 1)).a.sum()",
        "x.groupby(dict.fromkeys(SOME, True)).a.sum()",
        "x.groupby(dict.fromkeys(SOME, pd.Timestamp('2020'))).a.sum()",
        "x.a.map(lambda v: None if v == 4 else v).sum()",
        "x.a.map(lambda v: np.array(v) if v < 4 else 1.5)",
        "x.a.map(lambda v: -1 if v == 4 else 2**63)",
        "x.a.map(lambda v: 2**63 if v == 4 else v)",
        "x.a.astype('Int64').map(lambda v: None if v < 4 else v)",
        "x.a.astype('category').map(lambda v: None if v < 4 else v)",
        "x.f.map(lambda v: int(v) if v < 9 else True, na_action='ignore')",
        "x.a.apply(lambda v, w: v + w if v < 4 else None, args=(3,)).astype(str)",
        "x.a.apply(lambda v: pd.Series([v, None if v < 4 else 1]))",
        "x.apply(lambda r: [r.a, None if r.a < 4 else r.a], axis=1, result_type='expand')",
        "x.set_index('t').index.map(lambda v: None if v.day < 4 else v)",
        "x.set_index(['a', 's']).index.map(lambda v: v[0] if v[0] < 4 else None)",
        "x.set_index('oi').index",
        "x.set_index('o').a",
        "x.set_axis(x.oi).index",
    ],
)
def test_whole_columns(text: str) -> None:
    check(lambda x: eval(text, globals() | {"x": x}))


GIVEN = [
    1, -1, 2**63, 2.5, np.nan, None, True, "x", pd.NaT, pd.Timestamp("2020"), pd.Timestamp("2020", tz="UTC"), pd.Timedelta(1), pd.Period("2020"),
    pd.Interval(0, 1), pd.NA,
]  # fmt: skip
WAYS = [
    "x.a.map(f)", "x.a.apply(f)", "x.apply(lambda row: f(row.a), axis=1)", "x[['a']].map(f)", "x.s.map(lambda s: f(ord(s) % 12))", "x.a.map(f).astype(str)",
    "x.index.map(f)", "x.groupby(f, sort=False).a.sum()", "x.a.groupby(f, sort=False).count()",
]  # fmt: skip


def drawn(seed: int) -> tuple[str, list[Any], Any]:
    """A text, what its function finds for each row, and what pandas gives: drawn again where there is nothing to compare."""
    rand = random.Random(seed)
    while True:
        kinds = rand.sample(GIVEN, rand.choice([1, 2, 2, 3]))
        found = [rand.choice(kinds) for _ in range(N)]
        text = rand.choice(WAYS)
        times = [each for each in kinds if isinstance(each, (pd.Timestamp, pd.Timedelta, type(pd.NaT)))]
        if "astype" in text and times:
            continue  # what made-up rows promise to be times can be written as text only if all are times
        if "groupby" in text and {pd.NA, pd.NaT}.intersection(kinds):
            continue  # labels of groups beside NA and NaT are what is left of objects
        try:
            return text, found, eval(text, {"x": WHOLE, "f": found.__getitem__})
        except Exception:
            continue


@pytest.mark.parametrize("seed", range(30))
def test_what_functions_give(seed: int) -> None:
    """Values of a few kinds, each in some chunks only."""
    text, found, want = drawn(seed)
    for chunk_size in (None, 1, 3, 5):
        ours = eval(text, {"x": md.DataFrame(WHOLE, chunk_size=chunk_size), "f": lambda v: found[v]})
        try:
            assert_like(fetched(ours), want)
        except BaseException:
            print(f"seed {seed}: {text} of {found} in chunks of {chunk_size}")
            raise


OBJECTS = pd.DataFrame(
    {
        "numpy": pd.Series([np.int64(i) for i in range(N)], dtype=object),
        "python": pd.Series(range(N), dtype=object),
        "holes": pd.Series([1, None] * 6, dtype=object),
        "i": np.arange(N),
        "f": np.arange(N) / 2,
        "b": np.arange(N) % 2 == 0,
    }
)


@pytest.mark.parametrize("how", ["sum", "min", "max", "count", "nunique", "any", "cumsum", "idxmax"])
@pytest.mark.parametrize("seed", range(6))
def test_reductions_of_objects(how: str, seed: int) -> None:
    """Random columns, some of objects that NumPy has a dtype for: pandas does not look at them."""
    names = random.Random(f"{how} {seed}").sample([*OBJECTS], 2)
    check(lambda x: getattr(x[names], how)(), OBJECTS)


@pytest.mark.parametrize("name", [*OBJECTS])
def test_several_reductions_of_objects(name: str) -> None:
    """Numbers are no texts."""
    check(lambda x: x[name].agg(["sum", "max"]), OBJECTS)
