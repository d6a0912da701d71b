"""What is asked of a frame is answered as pandas does, whatever labels its rows and columns have: chunks of three rows beside the whole.

Each text is tried on some kinds of labels, drawn by the text itself; where pandas has no answer another is drawn.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like, fetched, of_some

pytestmark = pytest.mark.once

COUNT = 8
DATA = {
    "a": [3, 1, 2, 2, 5, 0, 7, 1],
    "f": [1.5, np.nan, -2, 3, 3, 0, np.nan, 1],
    "s": list("bacabdca"),
    "b": [True, False] * 4,
}
DAYS = [
    "2020-03-01",
    "2020-01-01",
    "2020-01-05",
    "2019-01-01",
    "2022-01-01",
    "2020-01-01",
    "2020-02-01",
    "2020-07-01",
]
ROWS = {
    "named": pd.RangeIndex(COUNT, name="r"), "steps": pd.RangeIndex(3, 3 + 2 * COUNT, 2), "texts": pd.Index(list("hgfedcba"), name="l"),
    "repeated": pd.Index(list("abcabcab")), "numbers": pd.Index([1, 1, 2, 2, 0, 0, 1, 5], name="q"), "floats": pd.Index([0.5, 1, np.nan, 2, -1, 4, 5, 6]),
    "days": pd.date_range("2020", periods=COUNT, name="t"), "unsorted days": pd.DatetimeIndex(DAYS, name="t"), "zoned": pd.date_range("2020", periods=COUNT, tz="UTC"),
    "levels": pd.MultiIndex.from_product([["x", "y"], [1, 2, 3, 4]], names=["m", "n"]),
    "repeated levels": pd.MultiIndex.from_arrays([list("aabbaabb"), [1, 1, 2, 2, 3, 3, 1, 2]]), "categories": pd.CategoricalIndex(list("abcabcab"), name="c"),
    "months": pd.period_range("2020-01", periods=COUNT, freq="M"), "deltas": pd.to_timedelta(range(COUNT), unit="h"), "truths": pd.Index([True, False] * 4),
    "objects": pd.Index([1, "a", None, 2.5, (1, 2), "b", 3, "c"], dtype=object), "Int64": pd.Index([1, None, 3, 4, 4, 2, 0, 9], dtype="Int64"),
    "backwards": pd.RangeIndex(COUNT - 1, -1, -1),
}  # fmt: skip
COLUMNS = {
    "texts": list("afsb"), "numbers": [3, 1, 2, 0], "objects": ["a", 1, (1, 2), None], "repeated": ["a", "a", "s", "b"], "named": pd.Index(list("afsb"), name="cols"),
    "levels": pd.MultiIndex.from_tuples([("p", "a"), ("p", "f"), ("q", "s"), ("q", "b")], names=["u", "v"]), "days": pd.date_range("2020", periods=4),
    "categories": pd.CategoricalIndex(list("afsb")), "floats": [0.5, 1.5, 2.5, 3.5],
}  # fmt: skip
FRAMES = {f"rows {name}": pd.DataFrame(DATA, index=labels) for name, labels in ROWS.items()}
FRAMES |= {f"columns {name}": pd.DataFrame(DATA).set_axis(labels, axis=1) for name, labels in COLUMNS.items()}
FUNCTIONS = {
    "lambda_sum": lambda s: s.sum(),
    "lambda_first": lambda row: row.iloc[0],
    "lambda_s": lambda s: s,
}
ALSO = {
    "d.dropna(axis=1)": ["columns repeated"], "d.mode()": ["columns named", "columns levels"], "d.iloc[:,:2].corr()": ["columns repeated"], "d.iloc[:,:2].cov()": ["columns repeated"],
    "d.groupby(level=0).first()": ["columns objects"], "d.idxmax(numeric_only=True)": ["rows objects"], "d.drop(index=d.index[2])": ["rows texts", "rows levels"],
}  # fmt: skip
"""What was answered otherwise once, and of which labels."""
TEXTS = """
d.sum(numeric_only=True) d.mean(numeric_only=True) d.max() d.count() d.nunique() d.std(numeric_only=True) d.any() d.median(numeric_only=True) d.idxmax(numeric_only=True)
d.mode() d.describe() d.iloc[:,:2].quantile(.3) d.iloc[:,:2].quantile([.1,.5]) d.agg(['count','max']) d.agg('count') d.isna() d.fillna(0) d.dropna()
d.dropna(axis=1) d.head(3) d.tail(2) d.iloc[2:5] d.iloc[:,1:3] d.iloc[[0,5],[1,2]] d.iloc[3] d.iloc[:,0] d.shift() d.shift(1,axis=1) d.cumsum() d.rank() d.sort_index(axis=1)
d.reset_index() d.reset_index(drop=True) d.T d.copy() d.drop_duplicates() d.duplicated() d.astype(str) d.astype(object) d.rename_axis('zz') d.rename_axis('zz',axis=1)
d.rename(columns=str) d.rename(index=str) d.add_prefix('p_') d.add_suffix('_s') d.set_axis(list('wxyz'),axis=1) d.set_axis(range(8)) d.reindex(d.index[::-1])
d.reindex(d.index[:3]) d.loc[d.index[2:5]] d.loc[d.index[4]:d.index[6]] d.loc[:,d.columns[1]] d.at[d.index[3],d.columns[0]] d[d.columns[0]] d[[d.columns[2],d.columns[0]]]
d[d[d.columns[0]]>1] d[d.iloc[:,0]>1] d.where(d.notna(),9) d.isin([1,'a']) d+d d==d d.iloc[:,:2]*2 d.iloc[:,:2]-d.iloc[:,0] d.iloc[:,:2].sub(d.iloc[:,0],axis=0)
d.iloc[:,:2].sum(axis=1) d.iloc[:,:2].max(axis=1) d.iloc[:,:2].mean(axis=1) d.count(axis=1) d.nunique(axis=1) d.iloc[:,:2].idxmax(axis=1) d.iloc[:,:2].apply(lambda_sum)
d.iloc[:,:2].apply(lambda_sum,axis=1) d.apply(lambda_first,axis=1) d.map(str) d.transform(lambda_s) d.items().__next__()[1] [*d.iterrows()][2][1] [*d.itertuples()][2] d.dtypes
d.columns d.index d.shape d.size d.empty d.ndim d.keys() d.select_dtypes('number') d.filter(like='a') d.nlargest(2,d.columns[0]) d.nsmallest(2,d.columns[0])
d.sort_values(d.columns[0],kind='stable') d.sort_values([d.columns[2],d.columns[0]],kind='stable') d.groupby(d.columns[2]).count()
d.groupby(d.columns[2]).agg({d.columns[0]:'sum'}) d.groupby(d.columns[2])[[d.columns[0]]].sum() d.groupby(d.columns[2]).cumcount() d.groupby(d.columns[2]).head(1)
d.groupby(d.columns[2])[d.columns[0]].rank() d.groupby(d.columns[2])[d.columns[0]].apply(len) d.groupby(level=0).count() d.groupby(level=0,sort=False).size()
d.groupby(level=0).first() d.groupby(d.iloc[:,0]).size() pd.concat([d,d]) pd.concat([d,d],axis=1) pd.concat([d,d],keys=['x','y'])
pd.concat([d.iloc[:3],d.iloc[5:]],ignore_index=True) d.merge(d,on=d.columns[2]) d.merge(d,on=d.columns[2],how='outer') d.join(d,rsuffix='_r')
d.iloc[:,[0]].join(d.iloc[::-1,[1]]) d.merge(d,left_index=True,right_index=True) d.align(d.iloc[::-1])[1] d.combine_first(d.shift()) d.assign(new=1) d.assign(new=d.iloc[:,0])
d.insert(0,'n',1) d.pop(d.columns[0]) d.drop(columns=d.columns[0]) d.drop(index=d.index[2]) d.ffill() d.bfill() d.iloc[:,:2].clip(1,3) d.iloc[:,:2].round()
d.iloc[:,:2].abs() d.iloc[:,:2].corr() d.iloc[:,:2].cov() d.iloc[:,:2].rolling(2).sum() d.iloc[:,:2].expanding().sum() d.iloc[:,:2].ewm(com=1).mean() d.sample(3,random_state=3)
d.explode(d.columns[0]) d.replace(1,100) d.replace({d.columns[0]:{1:100}}) d.squeeze() d.iloc[:,[0]].squeeze() d.iloc[:,0].to_frame() d.iloc[:,0].reset_index()
d.iloc[:,0].unique() d.iloc[:,2].value_counts() d.iloc[:,0].map({1:2}) d.iloc[:,0].groupby(level=0).sum() d.iloc[:,0].groupby(d.iloc[:,2]).sum() d.iloc[:,0].add(d.iloc[::-1,1])
d.iloc[:,0]+d.iloc[:5,0] d.iloc[:,0].drop(d.index[1]) d.iloc[:,0].rename('z') d.iloc[:,0].rename(str) d.iloc[:,0].isin([1]) d.iloc[:,0].where(d.iloc[:,3]) d.iloc[:,0].idxmax()
d.iloc[:,0].nlargest(3) d.iloc[:,0].describe() d.index.max() d.index.min() d.index.is_unique d.index.is_monotonic_increasing d.index.isna() d.index.nunique()
d.index.duplicated() d.index.to_frame() d.index.to_series() d.index.map(str) d.index.astype(str) d.index.astype(object) d.index.drop_duplicates() d.index.name d.index.names
d.index.get_level_values(0) d.index.to_numpy() d.index.value_counts() d.index[2] d.index[2:4] d.index.rename('o') d.index.dtype d.index.nlevels d.set_index(d.columns[2])
d.set_index(d.columns[2],append=True) d.set_index([d.columns[2],d.columns[0]]).sort_index() d.reset_index(level=0) d.index.set_names('k') d.reindex(columns=d.columns[::-1])
d.reindex_like(d.iloc[:2]) d.query('index==index') d.sort_index(kind='stable') d.sort_index(ascending=False,kind='stable') d.drop(index=[d.index[1],d.index[2]])
"""


@pytest.mark.parametrize("text", TEXTS.split())
def test_labels(text: str) -> None:
    def asked(name: str) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known: dict[str, Any] = FUNCTIONS | {"d": FRAMES[name].copy(), "pd": pd}
            try:
                want = eval(text, known)
            except Exception:
                return False
            try:
                made = eval(text, known | {"d": md.DataFrame(FRAMES[name], chunk_size=3), "pd": md})
                assert_like(fetched(made) if hasattr(made, "execute") else made, want)
            except BaseException:
                print(text, name)
                raise
        return True

    of_some(text, FRAMES, asked, ALSO.get(text, ()))


@pytest.mark.parametrize("name", ["rows texts", "rows days", "rows levels", "columns levels"])
def test_one_row_by_a_label_that_only_a_run_can_tell(name: str) -> None:
    whole, ours = FRAMES[name], md.DataFrame(FRAMES[name], chunk_size=3)
    assert_like(fetched(ours.loc[ours.index[2]]), whole.loc[whole.index[2]])


def test_columns_of_one_label_are_not_melted() -> None:
    with pytest.raises(ValueError, match=r"melt\(\): some columns have the same label. Hint: "):
        md.DataFrame(FRAMES["columns repeated"]).melt()


def test_labels_are_not_split_into_levels() -> None:
    with pytest.raises(NotImplementedError, match=r"Index.str.split\(expand=True\) is not built"):
        md.Index(["a b", "c"]).str.split(expand=True)


def test_every_text_of_old_errors_is_asked() -> None:
    assert ALSO.keys() <= {*TEXTS.split()}
