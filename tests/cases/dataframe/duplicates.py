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

cases(
    "frame.value_counts",
    "num.k.value_counts()", "st.value_counts()", "st.value_counts(ascending=True)", "st.value_counts(sort=False)", "s.value_counts(dropna=False)",
    "num.k.value_counts(normalize=True)", "sq.value_counts()", "sq.value_counts(dropna=False)", "sc.value_counts()", "num.i.value_counts(bins=3)",
    "si.astype('int64[pyarrow]').value_counts()", "st.astype('string[pyarrow]').value_counts(normalize=True)", "sq.value_counts(normalize=True)",
    "dn.p.value_counts(dropna=False)", "ts.value_counts()", "dn.f.value_counts()",
)
cases(
    "DataFrame.value_counts",
    "df[['k', 's']].value_counts()", "df.value_counts('k')", "df.value_counts(['s'], normalize=True)", "dn.value_counts(['q', 'c'], dropna=False)",
    "dn.value_counts('c')", "df[['k', 's']].value_counts(sort=False)", "df.value_counts(['k', 's'], ascending=True)", "df.value_counts('nope')",
)
