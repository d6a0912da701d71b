"""Cases of dataframe/group_functions."""

from tests.cases import cases

# fmt: off
cases(
    "GroupBy.transform",
    "df.groupby('k')[['v', 'i']].transform('sum')", "df.groupby('k').v.transform('mean')", "df.groupby('k').v.transform(lambda x: x - x.mean())",
    "dl.groupby('s')[['v', 'i']].transform(lambda x: x.max())", "df.groupby('k').v.transform('cumsum')",
    "dn.groupby('c', observed=False).f.transform('mean')", "df.groupby(df.k % 2).v.transform('max')", "df.groupby('k').v.transform('nope')",
    "df.groupby('s').v.transform('first')",
)
cases(
    "GroupBy.apply",
    "df.groupby('k').apply(lambda g: g.v.sum())", "df.groupby('k').apply(lambda g: g.head(1))",
    "df.groupby('k').v.apply(lambda x: x.max() - x.min())", "df.groupby('s', sort=False).apply(lambda g: g.i.max())",
    "df.groupby(['k', 's']).apply(lambda g: pd.Series({'a': g.v.sum(), 'b': float(g.i.min())}))",
    "df.groupby('k', group_keys=False).apply(lambda g: g.nlargest(1, 'i'))", "df.groupby('k', group_keys=False).v.apply(lambda x: x - x.min())",
    "df.groupby('k', as_index=False).apply(lambda g: g.v.sum())", "df.groupby('k').v.apply(lambda x: x.nlargest(1))",
)
cases("GroupBy.get_group", "df.groupby('k').get_group(3)", "df.groupby(['k', 's']).v.get_group((3, 'x'))", "df.groupby('k').get_group(77)")
