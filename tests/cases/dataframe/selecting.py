"""Cases of dataframe/selecting."""

from tests.cases import cases

# fmt: off
cases(
    "frame.drop",
    "df.drop(columns='k')", "df.drop(['k', 's'], axis=1)", "df.drop(columns=['nope'])", "df.drop(columns=['nope', 'k'], errors='ignore')",
    "dl.drop(3)", "dl.drop([3, 8, 4])", "dl.drop(index=[99])", "dl.drop(index=[99, 1], errors='ignore')", "dl.drop(index=3, columns='v')",
    "sl.drop(7)", "sl.drop([99])", "df[df.k > 1].drop(0)", "df[df.k > 1].drop([0, 1])", "df.drop()",
    "[d := df.copy(), d.drop(columns='k', inplace=True)]", "df.set_index(['k', 's']).drop(3)", "df.set_index(['k', 's']).drop('x', level='s')",
    "df.drop(columns=[])",
)
cases(
    "frame.reindex",
    "df.reindex([3, 1, 99])", "df.reindex(columns=['v', 'zz', 'k'])", "df.reindex(index=[1, 2], columns=['k'])",
    "s.reindex([0, 5, 20], fill_value=-1)", "num.reindex(range(3, 20), fill_value=0)", "dl.reindex([1, 2])", "df.reindex(['k', 'q'], axis=1)",
    "dd.reindex(pd.date_range('2020-01-01', periods=5, freq='10h'), method='ffill')", "df[df.k > 2].reindex([0, 3], columns=['v', 's'])",
    "si.reindex([0, 1, 2])",
)
cases("frame.reindex_like", "df.reindex_like(df[['v', 'k']].iloc[2:4])", "s.reindex_like(si.iloc[[5, 2]])")
cases(
    "DataFrame.filter",
    "df.filter()", "df.filter(['v', 'zz'])", "df.filter(like='k')", "df.filter(regex='[kv]')", "df.filter(items=[3, 1, 99], axis=0)",
    "rdf.filter(like='a', axis=0)", "s.filter(regex='1')", "sl.filter([12, 4])",
)
cases(
    "DataFrame.select_dtypes",
    "df.select_dtypes()", "df.select_dtypes('number')", "df.select_dtypes(exclude='number')", "dn.select_dtypes(['category', 'Int64'])",
)
cases(
    "frame.squeeze",
    "df.squeeze()", "df[['v']].squeeze()", "df.iloc[[2]].squeeze()", "df[['v']].iloc[[2]].squeeze()", "s.iloc[[1]].squeeze()",
    "df[['k']].squeeze(axis=0)",
)
