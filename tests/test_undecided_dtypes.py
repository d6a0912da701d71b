"""Joins of which only a run can tell whether values are missing, and so the dtypes: random ones beside pandas, and what follows.

A failure prints the join and the steps that led to it.
"""

import random
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from marsdask import execute
from marsdask.session import Session
from tests.oracle import assert_like
from tests.test_lower import Counting

LEFT = pd.DataFrame(
    {"k": np.arange(9) * 7 % 9, "a": np.arange(9) * 1.5, "g": list("xyzxyzxyx"), "b": np.arange(9) % 2 == 0}
)
HOLES = {
    "none": range(12),
    "one chunk": [0, 1, 2, 3, 5, 6, 7, 8],
    "several": [8, 6, 4, 2, 20],
    "all": [30, 31, 32],
    "no rows": [],
}
COLUMNS = {
    "z": lambda n: np.arange(n) % 3 == 0, "y": lambda n: np.ones(n, bool), "q": lambda n: 10 + np.arange(n) * 5 % 7,
    "w": lambda n: np.arange(n, dtype="i2"), "u": lambda n: np.arange(n, dtype="u1") % 3, "f": lambda n: np.arange(n) + 0.25,
    "s": lambda n: pd.array([f"s{i % 4}" for i in range(n)], "str"), "n": lambda n: pd.array(np.arange(n) % 5, "Int64"),
    "t": lambda n: pd.date_range("2020", periods=n), "c": lambda n: pd.Categorical(["p", "r"] * (n // 2) + ["p"] * (n % 2)),
}  # fmt: skip

JOINS = [
    "l.merge(r, on='k', how='left')", "r.merge(l, on='k', how='right')", "l.merge(r, on='k', how='outer')", "l.merge(r, how='left', on='k', indicator=True)",
    "l.merge(r, on='k', how='right')", "l.set_index('k').join(r.set_index('k'))", "l.join(r.set_index('k'), on='k')",
    "l.set_index('k').join(r.set_index('k'), how='outer')", "r.set_index('k').join(l.set_index('k'), how='right')",
    "l.merge(r, left_on='k', right_index=True, how='left', suffixes=('', '_r'))", "l.merge(r, on='k', how='left_anti')",
    "l.merge(r.rename(columns={'k': 'm'}), left_on='k', right_on='m', how='outer')", "l.merge(r, on='k', how='left').merge(l[['k', 'a']].rename(columns={'a': 'd'}).head(4), on='k', how='left')",
    "md.concat([l.set_index('k'), r.set_index('k')], axis=1)", "l.set_index('k').join([r.set_index('k')])",
]  # fmt: skip
"""Joins of `l` and `r`."""

STEPS = [
    "x", "x", "x", "x[x.a > 3]", "x.assign(v=1)", "x.head(5)", "x.reset_index(drop=True)", "x.rename(columns={'a': 'e'}).assign(a=1.5)", "x.sort_values('a')",
    "md.concat([x, x])", "x[list(x.columns)[::-1]]", "x.assign(q=1, z=x.b)", "x.tail(4)", "x.dropna()", "x.fillna({'a': 0.5})", "x.drop_duplicates('a')", "x.iloc[1:7]",
    "x.iloc[::-1]", "x.copy()", "x.dropna(subset=['a'])", "x[x.notna().all(axis=1)]", "x.astype({'a': 'f4'})", "x.assign(d=x[C])", "x.query('a > 2')",
]  # fmt: skip
"""Steps that keep a frame; `C` is a column of the side that may have holes."""

ENDS = [
    "x.sum(numeric_only=True)", "x.sum(numeric_only=True, axis=1)", "x.mean(numeric_only=True)", "x.min(numeric_only=True)", "x.prod(numeric_only=True)", "x.std(numeric_only=True)",
    "x.any(bool_only=True)", "x.all(bool_only=True)", "x.median(numeric_only=True)", "x.max(numeric_only=True)", "x.var(numeric_only=True)", "x.sem(numeric_only=True)",
    "x.groupby('a').sum(numeric_only=True)", "x.groupby('g').mean(numeric_only=True)", "x.groupby('g').sum(numeric_only=True)",
    "x.select_dtypes('number')", "x.select_dtypes('bool')", "x.select_dtypes(exclude='object')", "x.select_dtypes('number').sum()", "x.describe()", "x.describe(include='all')", "x[C].describe()",
    "x.corr(numeric_only=True)", "x.cov(numeric_only=True)", "x.quantile(numeric_only=True)", "x.quantile([0.2, 0.5], numeric_only=True)", "x[C].quantile(0.3)", "x.mode(numeric_only=True)",
    "x.rank(numeric_only=True)", "x.idxmax(numeric_only=True)", "x[['a', C]].idxmin()", "x.agg(['count', 'nunique'])", "x[['a', C]].agg(['sum', 'max'])", "x[['a', C]].agg({C: 'sum', 'a': 'max'})",
    "x[C].agg(['sum', 'max'])", "x[[C]].sum()", "x[[C]].mean()", "x[[C]].prod()", "x[[C]].max()", "x[[C]].std()", "x[C].sum()", "x[C].mean()", "x[C].max()", "x[C].any()", "x[C].prod()", "x[C].std()", "x[C].nunique()",
    "x[C].value_counts()", "x[C].value_counts(normalize=True, dropna=False)", "x[['g', C]].value_counts()", "x[C].unique()", "x.nunique()", "x[C].drop_duplicates()", "x.drop_duplicates(['g', C])", "x[C].mode()", "x[C].duplicated()",
    "x.groupby(C).a.sum()", "x.groupby(C, dropna=False).a.count()", "x.groupby(C).size()", "x.groupby(['g', C]).a.max()", "x.groupby('g')[C].sum()", "x.groupby('g')[C].max()", "x.groupby('g')[C].count()", "x.groupby('g')[C].nunique()",
    "x.groupby('g')[C].first()", "x.groupby('g')[C].cumcount()", "x.groupby('g')[C].shift(1)", "x.groupby('g')[C].transform('max')", "x.groupby('g').agg({C: ['sum', 'max'], 'a': 'mean'})", "x.groupby('g').agg(n=(C, 'sum'))",
    "x.groupby('g')[C].value_counts()", "x.groupby('g')[C].apply(lambda s: s.max())", "x.groupby('g')[C].mean()", "x.groupby('g')[[C]].std()", "x.groupby('g')[C].unique()", "x.groupby('g')[C].median()", "x.groupby(C).ngroup()",
    "x.set_index(C)", "x.set_index(C).index", "x.set_index(['g', C])", "x.sort_values(C)", "x.sort_values([C, 'a'], ascending=False)", "x.sort_values(C)[C]", "x[C].to_dict()", "x.to_dict()",
    "x[C].astype(str)", "x[C].astype('f8')", "x[C].map({10: 1, 11: 2, True: 3})", "x[C].map(str)", "x[C].isin([10, 12, True])", "x.isin([10, True])", "x[C].isna()", "x[C].to_numpy()", "x[[C, 'a']].to_numpy()", "x[C].values",
    "~x[C]", "-x[C]", "x[C] & x.b", "x[C] + 1", "x[C] * x.a", "x[C] == 10", "x[C] > 11", "x[C] // 2", "x[C] == x[C]", "x[C].abs()", "x[x[C]]", "x.loc[x[C]]", "x[x[C] == 10]", "x[x[C] > 11].sum(numeric_only=True)", "x[x[C].notna()][C].sum()",
    "x.diff()", "x[[C]].diff()", "x[C].shift(1)", "x.shift(1)", "x[C].clip(11, 12)", "x[C].where(x.a > 3)", "x[C].mask(x.a > 3, 0)", "x[C].fillna(0)", "x.fillna(0)", "x[C].cumsum()", "x[C].cummax()", "x[C].pct_change()", "x[C].round()",
    "x[C].replace(10, 11)", "x[[C]].rolling(2).sum()", "x[C].expanding().max()", "x[C].apply(lambda v: v)", "x.apply(lambda s: s.isna().sum())", "x[[C, 'a']].apply(lambda r: r.sum(), axis=1)", "x[[C]].map(lambda v: v)", "x[C].transform(lambda s: s)",
    "x", "x[C]", "x[[C]]", "x.iloc[0]", "x.iloc[2:4]", "x[C].iloc[1]", "x[C].head(3)", "x.nlargest(3, C)", "x[C].nsmallest(2)", "x.count()", "x[C].count()", "x.index", "x[C].is_unique", "x[C].hasnans",
    "x.melt('a', [C])", "x.explode(C)", "md.get_dummies(x[['a', C]])", "md.get_dummies(x)", "md.cut(x[C], [0, 11, 20])", "md.to_numeric(x[C])", "md.concat([x[C], x.a])", "md.concat([x[[C]], x[['a']]], axis=1)", "md.concat([x, x.assign(z=1)])[C]",
    "x.eval('a * 2')", "x.T", "x.pop(C)", "x.insert(0, 'new', x[C])", "x.drop(columns=C).sum(numeric_only=True)", "x.sum(numeric_only=True) + 1", "x.sum(numeric_only=True).max()", "x.sum(numeric_only=True).index", "x.mean(numeric_only=True).sort_values(kind='stable')",
    "x[C].sum() + x.a.sum()", "(x[C] + 1).sum()", "(x.a / x[C].count()).sum()", "(x.a - x[C].mean()).max()", "x.select_dtypes('number').columns", "x[[C, 'a']].dropna()[C].astype('i8')", "x.merge(x[[C]].drop_duplicates(), on=C)", "x[C].to_frame().sum()",
    "x[C].between(10, 12)", "x[C].memory_usage() > 0", "x[C].ffill()", "x[C].interpolate()", "x.nsmallest(2, ['a', C])",
    "x.sample(3, random_state=1)", "x.value_counts()", "x[C].case_when([(x.a > 3, 0)])", "x.align(x)[0]", "x[C].cumprod()", "x[C].autocorr()", "x[[C, 'a']].corrwith(x.a)", "x[C].corr(x.a)", "x[C].dot(x.a)",
]  # fmt: skip


def sides(rand: random.Random) -> tuple[pd.DataFrame, pd.DataFrame]:
    keys = list(HOLES[rand.choice([*HOLES, "none", "one chunk", "several"])])
    names = rand.sample([*COLUMNS], rand.randint(1, 5))
    names += [] if set(names) & set("zyqwu") else [rand.choice("zyqwu")]
    rows = pd.DataFrame({"k": np.array(keys, "i8"), **{c: COLUMNS[c](len(keys)) for c in names}})
    return LEFT, rows.sample(frac=1, random_state=rand.randint(0, 9)) if rand.random() < 0.5 else rows


def of_steps(steps: list[str], names: dict[str, Any]) -> Any:
    x = None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for step in steps:
            x = eval(step, names | {"x": x})
        return x.execute().fetch() if hasattr(x, "execute") else x


def alike(ours: Any, want: Any) -> None:
    """As `assert_like`; holes among objects are equal, too."""
    if isinstance(want, np.ndarray) and want.dtype == object:
        assert ours.dtype == object
        ours, want = pd.DataFrame(ours), pd.DataFrame(want)
    elif isinstance(want, dict):
        ours, want = repr(ours), repr(want)
    assert_like(ours, want)


def check(seed: int) -> None:
    rand = random.Random(seed)
    left, right = sides(rand)
    column = rand.choice([c for c in right.columns if c in "zyqwu"])
    steps = [rand.choice(JOINS), rand.choice(STEPS), rand.choice(ENDS)]
    cut, executed = rand.choice([(20, 20), (3, 4), (2, 20), (20, 3), (4, 2)]), rand.random() < 0.3
    ours = {
        "md": md,
        "C": column,
        "l": md.DataFrame(left, chunk_size=cut[0]),
        "r": md.DataFrame(right, chunk_size=cut[1]),
    }
    run = [steps[0], "x.execute()", *steps[1:]] if executed else steps
    try:
        try:
            want = of_steps(steps, {"md": pd, "C": column, "l": left, "r": right})
        except Exception:
            with pytest.raises(Exception):  # noqa: B017
                of_steps(run, ours)
            return
        alike(of_steps(run, ours), want)
    except BaseException:
        print(
            f"seed {seed}, C {column!r}, chunks of {cut}, right side:\n{right}\n  x = " + "\n  x = ".join(run)
        )
        raise


@pytest.mark.parametrize("seed", range(60))
def test_what_follows_a_join(seed: int) -> None:
    check(seed)


COUNTS = [
    "x.groupby('k').count()", "x.groupby('k').size()", "x.groupby('k', as_index=False)[['z', 's']].count()", "x.groupby('k').z.count()",
    "x.groupby(['g', 'k']).agg(m=('z', 'count'), n=('k', 'size')).reset_index().groupby('m').size()",
]  # fmt: skip


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("holes", ["none", "one chunk", "all", "no rows"])
def test_what_counts_values_asks_for_no_dtypes(count: str, holes: str) -> None:
    keys = np.array(HOLES[holes], int)
    right = pd.DataFrame({"k": keys, **{c: COLUMNS[c](len(keys)) for c in "zqs"}})
    x = LEFT.merge(right, on="k", how="left")
    lazy = md.DataFrame(LEFT, chunk_size=3).merge(md.DataFrame(right, chunk_size=4), on="k", how="left")
    ours = eval(count, {"x": lazy})
    with Session(Counting()) as session:
        alike(ours.execute(session=session).fetch(session=session), eval(count, {"x": x}))
        assert session.engine.runs == 1


def test_what_counts_values_beside_what_looks_at_dtypes() -> None:
    right = pd.DataFrame({"k": [0, 1, 2, 3, 5, 6, 7, 8], "z": True})
    x = LEFT.merge(right, on="k", how="left")
    lazy = md.DataFrame(LEFT, chunk_size=3).merge(md.DataFrame(right, chunk_size=4), on="k", how="left")
    counted, shown, keyed = execute(lazy.groupby("g").count(), lazy.z.map(str), lazy.groupby("z").size())
    alike(counted.fetch(), x.groupby("g").count())
    alike(shown.fetch(), x.z.map(str))
    alike(keyed.fetch(), x.groupby("z").size())


@pytest.mark.parametrize("method", ["mean", "sum", "max"])
def test_columns_of_what_was_run_to_see_them(method: str) -> None:
    """The join is run for the names of the result's columns, and again with the groups: by the dtypes that were found."""
    right = pd.DataFrame({"k": np.array([], int), "q": np.array([], int)})
    ours = md.DataFrame(LEFT).merge(md.DataFrame(right), on="k", how="outer").reset_index(drop=True)
    want = LEFT.merge(right, on="k", how="outer").reset_index(drop=True)
    grouped = (x.groupby("g").agg(method, numeric_only=True) for x in (ours, want))
    alike(next(grouped).execute().fetch(), next(grouped))
