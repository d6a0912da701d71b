"""Cases of dataframe/duplicates."""

from tests.cases import cases

# fmt: off
cases(
    "DataFrame.duplicated",
    "num.duplicated('k')", "df.duplicated(['k', 's'], keep='last')", "df.duplicated(keep=False)", "dn[['c', 'p']].duplicated()",
    "df.duplicated('nope')", "df.duplicated(keep='x')",
)
cases(
    "DataFrame.drop_duplicates",
    "df.drop_duplicates('nope')", "df.drop_duplicates('k')", "df.drop_duplicates(['k'], keep='last')", "df.drop_duplicates('k', keep=False)",
    "dl.drop_duplicates('s', ignore_index=True)", "dn[['c', 'o']].drop_duplicates()", "dn.drop_duplicates('q')",
    "df.drop_duplicates('k')[['v']].sum()", "df.drop_duplicates(keep=1)",
    "df.drop_duplicates(['s', 'k'], keep='first', ignore_index=True)", "dn.drop_duplicates(['c', 'p'], keep='last')",
)
cases("Series.duplicated", "num.k.duplicated()", "sc.duplicated(keep='last')", "sq.duplicated(keep=False)")
cases(
    "Series.drop_duplicates",
    "num.k.drop_duplicates()", "sq.drop_duplicates(keep='last')", "st.drop_duplicates(keep=False)", "num.k.drop_duplicates(ignore_index=True)",
    "num.k.drop_duplicates(keep='x')",
)
cases("frame.unique", "num.k.unique()", "s.unique()", "si.unique()")
cases("md.unique", "md.unique(num.k)")
