"""Random chains of operations beside NumPy and pandas. A failure prints the chain that led to it."""

import random
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context
from tests.oracle import FRAMES, assert_like

TENSOR_STEPS = [
    "x + 1", "x * x", "x - x.mean()", "m.sqrt(m.abs(x))", "m.where(x > 0, x, -x)", "x[::-1]", "x[1:]", "x[:, ::2]", "x.T",
    "x.reshape(-1)", "x[x > x.mean()]", "x.sum(axis=0)", "x.max(axis=-1)", "m.sort(x)", "m.sort(x, axis=0)", "m.argsort(x, kind='stable')",
    "m.concatenate([x, x])", "m.stack([x, x + 1])", "m.cumsum(x, axis=0)", "m.diff(x, axis=0)", "m.flip(x)", "m.roll(x, 2)",
    "m.repeat(x, 2, axis=0)", "m.tile(x, 2)", "x[[2, 0, 1]]", "x[m.array([0, 2, 1])]", "m.clip(x, -3, 5)", "x.astype('f4').astype('f8')",
    "m.unique(x)", "m.expand_dims(x, 0)", "m.squeeze(x)", "x / (m.abs(x).max() + 1)", "m.round(x, 1)", "m.median(x, axis=0)",
    "m.percentile(x, 30, axis=0)", "m.cumsum(x)", "m.isnan(x).astype('f8') + x", "x.std(axis=0)", "m.ravel(x)[3:]", "-x",
    "m.dot(x, x.T)", "m.swapaxes(x, 0, -1)", "x[..., None]", "m.minimum(x, 2)", "m.vstack([x, x])", "m.nansum(x, axis=0)",
    "m.exp(-m.abs(x)) * 3", "x[-3:]", "m.tril(x)", "m.split(x, [2])[1]",
]  # fmt: skip

FRAME_STEPS = [
    "x[x.k > 2]", "x[x.v > x.v.mean()]", "x.assign(z=x.v * 2 + x.i)", "x.sort_values('v', kind='stable')", "x.sort_values(['k', 'i'], ascending=[False, True])",
    "x.reset_index(drop=True)", "x.sort_index(kind='stable')", "x.fillna({'v': -1.5})", "x.dropna()", "x.head(7)", "x.tail(6)", "x.iloc[1:9]", "x.iloc[::-1]",
    "x.iloc[[3, 0, 2]]", "md.concat([x, x.head(3)])", "md.concat([x.tail(3), x], ignore_index=True)", "x.drop_duplicates('k')",
    "x.drop_duplicates(['k', 's'], keep='last')", "x.merge(x[['k', 'i']].drop_duplicates('k'), on='k', suffixes=('', '_r')).drop(columns='i_r')",
    "x.groupby('k', as_index=False).agg({'v': 'mean', 'i': 'sum', 's': 'first'})", "x.assign(v=x.groupby('k').v.transform('sum'))",
    "x.assign(v=x.v.cumsum())", "x.assign(i=x.i.shift(1).fillna(0).astype('i8'))", "x.assign(v=x.v.rolling(3, min_periods=1).mean())",
    "x.groupby(x.k, as_index=False).agg({'v': 'mean', 'i': 'sum', 's': 'first'})", "x.groupby([x.s, x.k], as_index=False).first()",
    "x.assign(v=x.groupby(x.k).transform('count').i)", "x.assign(i=x.groupby(x.k % 3).i.cumsum())", "x.groupby(x.k).max().reset_index()",
    "x.groupby(x.k.rename('q'), as_index=False).max().drop(columns='q')",
    "x.nlargest(5, 'i')", "x.rename(columns={'z': 'q'})", "x[x.s.isin(['x', 'y', 'a'])]", "x.assign(s=x.s.str.upper())", "x.set_index('i').reset_index()",
    "x.where(x.k > 1, x)", "x.assign(k=x.k.clip(1, 4))", "x.loc[x.k < 5, ['k', 'v', 'i', 's']]", "x[['s', 'k', 'v', 'i']]", "x.assign(v=x.v.rank())",
    "x.assign(v=md.cut(x.v, [-10, 0, 3, 20], labels=False))", "x.assign(k=md.qcut(x.i, 3, labels=False))", "x.assign(i=md.to_numeric(x.i.astype(str)))",
    "x.head(x.k.max())", "x[x.k.between(x.k.min(), x.k.mean())]", "x.assign(k=x.k.replace(x.k.max(), 9))", "x.iloc[(x.k > 2).to_numpy()]",
    "x.assign(v=x.v.fillna(x.v.quantile(x.v.max() * 0 + 0.5)))",
    "x.assign(i=x.groupby('k').cumcount())", "x.loc[x.i > 0]", "x.assign(d=x.duplicated('k')).drop(columns='d')", "x.assign(v=x.v - x.v.min())",
    "x.rename_axis(columns='c')", "x.rename_axis(index='r', columns='c')", "x.reindex(columns=['k', 'v', 'i', 's'])", "x.filter(['k', 'v', 'i', 's', 'q'])",
    "x.groupby({0: 7, 3: 8, 4: 7}).agg({'k': 'first', 'v': 'mean', 'i': 'sum', 's': 'first'})", "x.assign(s=x.s.map(lambda t: None if t == 'x' else t))",
    "x.assign(v=x.i.map(lambda i: None if i < 2 else i))", "x.assign(v=x.i.apply(lambda i: i / 2 if i % 3 else i))", "x.query('i in k')",
    "x.query('v > @limit.i.mean()', local_dict={'limit': x})", "x.assign(i=x.i.replace(3, 4.5).astype(str).str.len())",
    "x.assign(v=run(x.v * 2))", "x[run(x.i) > 0]", "x.assign(i=x.i + run(x.k)).groupby(run(x.k), as_index=False).first()",
    "x.add_suffix('_').rename(columns=lambda c: c[:-1])",
]  # fmt: skip


def data_of(value: Any) -> Any:
    return value.execute().fetch() if hasattr(value, "execute") else value


def spoilt(value: Any) -> None:
    """Writes into what was fetched, by all ways that are open: whoever holds the data must not notice."""
    if isinstance(value, pd.DataFrame):
        value.columns.name, value["spoilt"] = "spoilt", -1
    if isinstance(value, (pd.DataFrame, pd.Series)):
        value.index.name = "spoilt"
        if len(value):
            value.iloc[0] = value.iloc[-1]
    elif np.ndim(value):
        value[...] = -77


def walk_chain(
    start: Any, mirror: Any, steps: list[str], names: tuple[dict, dict], seed: int, length: int
) -> None:
    """Apply random steps to both; compare now and then, and at the end. What NumPy or pandas refuse, we must refuse."""
    rand = random.Random(seed)
    ours, theirs, chain = start, mirror, []
    try:
        for i in range(length):
            step = rand.choice(steps)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    want = eval(step, names[1] | {"x": theirs})
                    if np.size(want) > 5000 or np.ndim(want) > 4:
                        continue
                except Exception:
                    with pytest.raises(Exception):  # noqa: B017
                        data_of(eval(step, names[0] | {"x": ours}))
                    continue
                if np.ndim(want) == 0:  # scalars end a chain soon; compared, and left alone
                    assert_like(data_of(eval(step, names[0] | {"x": ours})), want, rtol=1e-7, atol=1e-9)
                    continue
                chain.append(step)
                ours, theirs = eval(step, names[0] | {"x": ours}), want
                if rand.random() < 0.25 or i == length - 1:
                    for _ in range(2):
                        assert_like(got := data_of(ours), theirs, rtol=1e-7, atol=1e-9)
                        spoilt(got)
    except BaseException:
        print(f"seed {seed}, chain:\n  x = " + "\n  x = ".join(chain))
        raise


PASSES = [{}, {"optimize.fuse": False, "optimize.drop": False, "optimize.share": False}]


@pytest.mark.parametrize("seed", range(120))
def test_tensor_chain(seed: int) -> None:
    rand = np.random.RandomState(seed)
    shape = [(7, 5), (11,), (4, 3, 5), (6, 6)][seed % 4]
    data = rand.permutation(int(np.prod(shape))).reshape(shape) * 1.25 - 9
    data = data.astype(object) if seed % 6 == 5 else np.asfortranarray(data) if seed % 6 == 2 else data
    start = mt.tensor(data, chunk_size=[2, 3, (2,), None][rand.randint(4)])
    with option_context(PASSES[seed % 2]):
        walk_chain(start, data, TENSOR_STEPS, ({"m": mt}, {"m": np}), seed, 6)


@pytest.mark.parametrize("seed", range(120))
def test_frame_chain(seed: int) -> None:
    whole = FRAMES["df"][["k", "v", "i", "s"]]
    if seed % 3 == 1:
        whole = FRAMES["dl"][["k", "v", "i", "s"]]
    if seed % 2:
        whole = whole.rename_axis("row", columns="of")
    start = md.DataFrame(whole, chunk_size=[2, 3, 5, 12][seed % 4])
    with option_context(PASSES[seed % 2]):
        walk_chain(
            start,
            whole,
            FRAME_STEPS,
            ({"md": md, "run": lambda s: s.execute()}, {"md": pd, "run": lambda s: s}),
            seed,
            5,
        )
