"""What is asked of a column is answered as pandas does, whatever its dtype: chunks of two rows beside the whole.

Each text is tried on some of the dtypes, drawn by the text itself; where pandas has no answer another is drawn.
"""

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from tests.oracle import assert_like, fetched, of_some

pytestmark = pytest.mark.once

WHOLE_NUMBERS = [3, None, 2, 2, -5, 0, 7]
TEXTS = ["b", "a", None, "c", "a", "", "Zz"]
DAYS = pd.Series(pd.to_datetime(["2020-01-01", "2020-03-01", None, "2019-01-05", "2020-01-01", "2021-12-31", "2020-02-29"]))  # fmt: skip
WHOLE = pd.DataFrame(
    {
        "f": [1.5, np.nan, -2, 3, 3, np.inf, 0],
        "i": [3, 1, 2, 2, -5, 0, 7],
        "u": pd.Series([3, 1, 2, 2, 5, 0, 7], dtype="u1"),
        "b": [True, False, True, True, False, False, True],
        "s": TEXTS,
        "o": pd.Series(["b", 1, None, 2.5, "a", (1, 2), True], dtype=object),
        "Int64": pd.Series(WHOLE_NUMBERS, dtype="Int64"),
        "Float64": pd.Series([1.5, None, -2, 3, 3, 5, 0], dtype="Float64"),
        "boolean": pd.Series([True, None, True, True, False, False, True], dtype="boolean"),
        "string": pd.Series(TEXTS, dtype="string"),
        "arrow": pd.Series(WHOLE_NUMBERS, dtype="int64[pyarrow]"),
        "categories": pd.Series(list("abcabca"), dtype="category"),
        "ordered": pd.Categorical([3, 1, None, 1, 2, 2, 3], [3, 1, 2, 9], ordered=True),
        "day": DAYS,
        "zoned": DAYS.dt.tz_localize("Europe/Berlin"),
        "delta": pd.to_timedelta([1, 2, None, 5, 5, 0, -3], unit="h"),
        "period": pd.period_range("2020-01", periods=7, freq="M"),
        "interval": pd.interval_range(0, 7),
        "complex": [1 + 2j, 0, 3, np.nan, 1j, 2, 2],
        "decimal": pd.Series([Decimal(n) / 4 for n in (3, 1, 2, 2, -5, 0, 7)], dtype=object),
        "k": list("ababcba"),
        "j": [1, 1, 2, 2, 1, 3, 1],
    }
)
NAMES = [*WHOLE.columns[:-2]]
OTHER = WHOLE.iloc[[5, 1, 3, 0, 2, 2]].reset_index(drop=True)
ALSO = {
    "x.map(str)": "ordered string", "x.map(lambda_v)": "string", "x.map(lambda_hole)": "ordered", "x.map({x[0]:1.5,x[3]:2.5})": "Int64 f o s day", "x.replace({x[0]:x[3]})": "f s ordered",
    "x.map(u)": "ordered categories Int64 arrow o s", "x.cummin()": "ordered", "x.expanding().sum()": "f", "x.expanding().std()": "f",
    "x.expanding().count()": "o", "x.astype('category')": "ordered", "x.astype(str)": "ordered", "x.groupby(k).size()": "Int64 string arrow",
    "x.count()": "interval", "x.shift()": "interval", "pd.get_dummies(x)": "o", "pd.get_dummies(d[[c,'k']])": "period interval", "pd.concat([d[c],r['i']])": "ordered",
    "np.zeros_like(x)": "texts bytes", "np.zeros(3,dtype=x.dtype)": "texts", "np.nanargmax(x)": "NaT", "np.ediff1d(x)": "days", "np.average(x,axis=1,returned=True)": "f8 infinite", "x.cumsum(axis=1)": "hours",
}  # fmt: skip
"""What was answered otherwise once, and of which dtypes."""


def tried(text: str, names: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Whether pandas has an answer; then ours is the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            want = eval(text, names | {"pd": pd})
        except Exception:
            return False
        try:
            assert_like(fetched(eval(text, names | ours | {"pd": md})), want)
        except BaseException:
            print(text, {k: getattr(v, "dtype", v) for k, v in names.items()})
            raise
    return True


SERIES = """
x.sum() x.prod() x.mean() x.median() x.std() x.sem() x.min() x.max() x.count() x.nunique() x.nunique(dropna=False) x.any() x.all() x.idxmin() x.mode()
x.value_counts() x.value_counts(normalize=True) x.value_counts(dropna=False) x.value_counts(sort=False) x.value_counts(bins=3) x.describe() x.quantile()
x.quantile([.1,.9]) x.rank() x.rank(method='first') x.rank(method='dense',ascending=False,pct=True) x.rank(na_option='top') x.cumsum() x.cummax() x.cummin() x.cumprod()
x.cummin(skipna=False) x.diff() x.diff(2) x.shift() x.shift(-2) x.pct_change() x.ffill() x.bfill(limit=1) x.fillna(x.min()) x.dropna() x.isna() x.notna()
x.astype(str) x.astype(object) x.astype('category') x.astype(as_ordered) x.sort_values(kind='stable') x.sort_values(ascending=False,kind='stable') x.sort_values(na_position='first',kind='stable')
x.drop_duplicates() x.drop_duplicates(keep='last') x.duplicated() x.nlargest(3) x.nsmallest(3) x.between(x.min(),x.max()) x.isin([x[0],x[3]]) x.isin(x) x.where(x==x[0])
x.mask(x==x[0]) x.where(x==x[0],x[3]) x.clip(x[3],x[0]) x==x[0] x!=x[3] x<x[0] x>=x[3] x==x.shift() x+x x-x x*x x/x x//x x%x x**2 -x abs(x) x.round(1)
x.to_frame('q') x.reset_index() x.head(3) x.iloc[2] x.iloc[1:6:2] x.iloc[[5,0,3]] x[x.notna()] x.map(str) x.map(lambda_v) x.map(u) x.map({x[0]:1.5,x[3]:2.5}) x.apply(lambda_v) x.apply(type)
x.map(lambda_hole) x.replace(x[0],x[3]) x.replace({x[0]:x[3]}) x.explode() x.is_unique x.hasnans x.is_monotonic_increasing x.agg(['min','max']) x.agg(['count','nunique'])
x.groupby(k).sum() x.groupby(k).min() x.groupby(k).first() x.groupby(k).last() x.groupby(k).count() x.groupby(k).nunique() x.groupby(k).mean() x.groupby(k).size() x.groupby(k).median()
x.groupby(k).std() x.groupby(k).cumsum() x.groupby(k).shift() x.groupby(k).rank() x.groupby(k).ffill() x.groupby(k).transform('max') x.groupby(k).agg(['min','count']) x.groupby(k).value_counts()
x.groupby(k).head(1) x.groupby(k).nth(1) x.groupby(k).quantile() x.groupby(k).idxmax() x.groupby(k).any() x.groupby(k).prod() x.groupby(k).diff() x.groupby(k).cumcount()
i.groupby(x).sum() i.groupby(x,dropna=False).sum() i.groupby(x,sort=False).sum() i.groupby(x,observed=False).mean() i.groupby(x).transform('sum') i.groupby(x).cumsum() i.groupby(x).apply(len)
x.rolling(2).sum() x.rolling(3,min_periods=1).mean() x.rolling(2).max() x.expanding().sum() x.expanding().std() x.expanding().min() x.expanding().count() x.ewm(com=1).mean() x.rolling(2).count()
x.combine_first(x.shift()) x.drop(2) x.reindex([6,1,9]) x.at[3] x.loc[2:4] x.squeeze() x.add(x,fill_value=x[3]) x.eq(x) x.corr(x) x.set_axis(x).sort_index() x.rename(lambda_label) x.add_prefix('q')
x.transform(lambda_v) x.str.upper() x.str.len() x.dt.year x.dt.floor('D') x.dt.total_seconds() x.cat.codes [*x.items()][2] pd.concat([x,x]) x.sample(3,random_state=1) x.interpolate() x.align(x)[0]
x.case_when([(x==x[0],x[3])]) x.combine(x,max) pd.get_dummies(x)
"""


@pytest.mark.parametrize("text", SERIES.split())
def test_series(text: str) -> None:
    functions = {
        "as_ordered": pd.CategoricalDtype(ordered=True),
        "lambda_v": lambda v: v,
        "lambda_hole": lambda v: 5 if v != v or v is None or v is pd.NA else v,
        "lambda_label": lambda label: label + 1,
    }

    def asked(name: str) -> bool:
        x = WHOLE[name].rename("v")
        table = pd.Series(np.arange(x.nunique(dropna=False)) + 0.5, index=pd.Index(x.drop_duplicates()))
        whole = {"x": x, "i": WHOLE.i, "k": WHOLE.k, "u": table}
        return tried(text, functions | whole, {k: md.Series(v, chunk_size=2) for k, v in whole.items()})

    of_some(text, NAMES, asked, ALSO.get(text, "").split())


FRAMES = """
d.sort_values(c,kind='stable') d.sort_values([c,'j'],ascending=[False,True],kind='stable') d.set_index(c)[['i','f']] d.set_index(c).sort_index(kind='stable')[['i','f']]
d[[c,'k']].merge(r[[c,'f']],on=c) d[[c,'k']].merge(r[[c,'f']],on=c,how='left') d[[c,'k']].merge(r[[c,'f']],on=c,how='outer') d[[c,'k']].merge(r[[c,'f']],on=c,how='right')
d[[c,'k']].merge(r[[c,'k']],on=['k',c],how='outer',indicator=True) d[[c,'k']].merge(r[[c,'k']],on='k',how='left') d.groupby(c)[['j','f']].sum() d.groupby(['k',c]).j.sum()
d.groupby(c,dropna=False,sort=False).agg({'j':'sum','k':'first'}) d.groupby(['k',c],dropna=False).j.agg(['min','count']) d.groupby(c,observed=False).j.mean() d.groupby(c,as_index=False).j.max()
d.groupby('k')[c].agg(['count','nunique']) d.groupby('k')[c].agg(len) d.groupby('k')[[c,'j']].first() d.groupby('k')[[c,'j']].last() d.groupby('k')[[c]].nth(0) d.groupby('k')[[c]].head(2)
d.groupby('k')[[c]].shift() d.groupby('k')[[c]].bfill() d.groupby('k')[c].nunique(dropna=False) d.groupby('k')[c].apply(list) d.groupby('k',as_index=False)[c].size() d.groupby(c).ngroups
d.groupby(c).j.transform('mean') d.groupby(c).j.rank() d.groupby(c).cumcount() d.groupby(c).ngroup() d.groupby(c).size() d.groupby(d[c]).j.sum() d[[c,'j']].groupby(d.k).count()
pd.concat([d[[c,'j']],r[[c]]]) pd.concat([d[c],r[c]],axis=1) pd.concat([d[c],r['i']]) d[[c,'k']].drop_duplicates(c) d[[c,'k']].duplicated() d[[c]].value_counts() d[[c,'k']].nunique()
d.melt(id_vars='k',value_vars=[c]) pd.get_dummies(d[[c,'k']]) d[[c,'j']].describe(include='all') d[[c,'j']].T d[[c,'j']].iloc[::-1] d[d[c].notna()][[c,'j']] d[[c,'j']].where(d.j>1) d[[c,'j']].mask(d.j>1)
d[[c,'j']].reindex([6,0,11]) d[[c,'j']].shift(1) d[[c,'j']].ffill() d[[c]].isin([d[c][1],d[c][3]]) d.loc[d[c]==d[c][0],['i',c]] d.query('`'+c+'`=='+'`'+c+'`')[['j',c]] d.assign(n=d[c].shift(1))[['n',c]]
d[[c,'j']].sample(frac=1,random_state=2) d[[c,'j']].nlargest(3,'j') d[[c,'j']].agg({c:['count','nunique'],'j':['sum']}) d[[c,'j']].count(axis=1) d[[c,'j']].dropna() d[[c,'j']].mode()
d.set_index(c).loc[[d[c].iloc[0]],['i']] d.set_index(c).index d[c].combine_first(r[c]) d[c].isin(r[c]) d.join(r[[c]].rename(columns={c:'n'}))[['n','i']] d[[c,'j']].join(r[['f']],how='outer')
d[[c,'j']].sum(numeric_only=True) d[[c,'j']].max(numeric_only=True) d[[c,'j']].rank(numeric_only=True) d[[c,'j']].dtypes d[[c,'j']]==d[[c,'j']] d[[c,'j']].head(0).groupby(c).sum()
pd.concat([d[d.j>9][[c]],d[[c]]]) d[d.j>9][c].value_counts() d[d.j>9].sort_values(c)[[c]] d[[c,'j']].map(str) d[[c,'j']].astype(str) d[c].where(d.j>2,d[c].shift(1)) d[c].astype(object).astype(str)
"""


@pytest.mark.parametrize("text", FRAMES.split())
def test_frames(text: str) -> None:
    def asked(name: str) -> bool:
        ours = {"d": md.DataFrame(WHOLE, chunk_size=2), "r": md.DataFrame(OTHER, chunk_size=2)}
        return tried(text, {"c": name, "d": WHOLE.copy(), "r": OTHER.copy()}, ours)

    of_some(text, NAMES, asked, ALSO.get(text, "").split())


NUMBERS = np.array([[3, 1, 2, 2], [0, -5, 7, 1], [4, 4, -2, 9]])
ARRAYS = {
    "bool": NUMBERS > 1, "i1": NUMBERS.astype("i1"), "u1": np.abs(NUMBERS).astype("u1"), "i4": NUMBERS.astype("i4"), "i8": NUMBERS,
    "u8": np.abs(NUMBERS).astype("u8"), "f4": np.where(NUMBERS == 7, np.nan, NUMBERS).astype("f4"), "f8": np.where(NUMBERS == 7, np.nan, NUMBERS * 1.5),
    "infinite": np.where(NUMBERS == 7, np.inf, NUMBERS * 1.5), "c16": NUMBERS * (1 + 2j), "c8": (NUMBERS * (1 - 0.5j)).astype("c8"),
    "decimals": np.array([[Decimal(int(v)) / 4 for v in row] for row in NUMBERS], dtype=object), "objects": NUMBERS.astype(object),
    "days": NUMBERS.astype("M8[D]"), "hours": NUMBERS.astype("m8[h]"), "NaT": np.where(NUMBERS == 7, np.datetime64("NaT", "D"), NUMBERS.astype("M8[D]")),
    "texts": NUMBERS.astype("U3"), "bytes": NUMBERS.astype("S3"), "Fortran": np.asfortranarray(NUMBERS * 1.0), "empty": np.zeros((0, 4)),
    "zeros": np.array([[-0.0, 0.0, np.nan, 1]]),
}  # fmt: skip
TENSORS = """
x.sum() x.sum(axis=0) x.sum(axis=1,keepdims=True) x.prod(axis=0) x.mean() x.mean(axis=1) x.std() x.var(axis=0,ddof=1) x.min() x.max(axis=0) x.argmin() x.argmax(axis=1) x.any() x.all(axis=0)
np.ptp(x,axis=0) x.cumsum() x.cumsum(axis=1) x.cumprod(axis=0) np.median(x) np.percentile(x,30) np.percentile(x,[10,50],axis=1) np.quantile(x,.2,axis=0,method='nearest') np.nansum(x)
np.nanmean(x,axis=0) np.nanmax(x) np.nanmin(x,axis=1) np.nanprod(x) np.nanargmax(x) np.nanargmin(x,axis=1) np.nancumsum(x,axis=0) np.nanmedian(x) np.count_nonzero(x,axis=1) np.average(x)
np.average(x,axis=0,weights=[1,2,3]) x.round(1) np.abs(x) -x ~x x+x x-x x*x x/x x//x x%x 2**x x+1 x*2.5 x-1.5 x>1 x==x[0,0] x&x x<<1 np.maximum(x,x[::-1]) np.fmax(x,x[::-1]) np.sqrt(x)
np.exp(x) np.arctan2(x,x) np.floor(x) np.sign(x) np.isnan(x) np.isfinite(x) np.signbit(x) np.square(x) np.conj(x) np.real(x) np.angle(x) np.mod(x,3) np.divmod(x,3)[0] np.modf(x)[1]
np.ldexp(x,2) np.copysign(x,-1) np.power(x,3) np.gcd(x,4) np.logical_and(x,x) np.where(x>1,x,0) np.where(x>1) np.clip(x,0,3) np.nan_to_num(x) np.isclose(x,x) np.array_equal(x,x)
np.sort(x) np.sort(x,axis=None) np.argsort(x,axis=0,kind='stable') np.partition(x,1)[:,1] np.unique(x) np.unique(x,return_counts=True) np.unique(x,return_inverse=True)[1] np.unique(x,axis=0)
np.searchsorted(np.sort(x[0]),x[1]) np.isin(x,x[0]) np.diff(x) np.diff(x,n=2,axis=0) np.ediff1d(x) np.dot(x,x.T) np.vdot(x,x) np.inner(x,x) np.outer(x[0],x[1]) np.einsum('ij,kj->ik',x,x)
np.digitize(x,[0,2,5]) x.T x.reshape(-1,2) x.ravel() np.swapaxes(x,0,1) np.concatenate([x,x],axis=1) np.concatenate([x,[[1,2,3,4]]]) np.stack([x,x],axis=1) np.column_stack([x,x]) np.array_split(x,2,axis=1)[1]
np.tile(x,2) np.repeat(x,2) np.roll(x,1) np.flip(x,0) np.triu(x) np.diag(x[0]) np.delete(x,1,axis=1) np.insert(x,1,5,axis=1) np.append(x,x) np.take(x,[1,2]) np.extract(x>1,x) x[x>1] x[:,[3,1]]
x[...,None] x[x[:,0]>1] np.nonzero(x) np.argwhere(x) np.broadcast_to(x,(2,*x.shape)) x.astype('f4') x.astype(bool) x.astype(object) np.zeros_like(x) np.ones_like(x) np.full_like(x,3)
np.zeros(3,dtype=x.dtype) np.result_type(x,1) np.isreal(x) np.union1d(x[0],x[-1]) np.intersect1d(x[0],x[-1]) x.tolist() np.average(x,axis=1,returned=True)
"""


@pytest.mark.parametrize("text", TENSORS.split())
def test_tensors(text: str) -> None:
    def asked(name: str) -> bool:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                want = eval(text, {"x": ARRAYS[name], "np": np})
            except Exception:
                return False
            made = eval(text, {"x": mt.tensor(ARRAYS[name], chunk_size=2), "np": mt})
            ours = type(made)(map(fetched, made)) if isinstance(made, (list, tuple)) else fetched(made)
        assert_like(ours, want)
        return True

    of_some(text, ARRAYS, asked, ALSO.get(text, "").split())


def test_every_text_of_old_errors_is_asked() -> None:
    assert ALSO.keys() <= {*SERIES.split(), *FRAMES.split(), *TENSORS.split()}
