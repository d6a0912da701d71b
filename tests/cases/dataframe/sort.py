"""Cases of dataframe/sort."""

from tests.cases import cases

# fmt: off
cases(
    "DataFrame.sort_values",
    "df.sort_values('k', kind='stable')", "df.sort_values(['k', 'v'], ascending=[False, True])", "dl.sort_values('v', na_position='first')",
    "df.sort_values(['s', 'i'], ascending=False)", "df.sort_values('v', ignore_index=True)", "df.sort_values('s', key=lambda x: x.str.upper())",
    "dn.sort_values('q', kind='mergesort')", "dn.sort_values(['o', 'f'], ascending=[False, True])", "dn.sort_values('c', na_position='first')",
    "df.sort_values('nope')", "df.sort_values('k', kind='nope')", "df.sort_values('k', na_position='nope')",
    "df.sort_values(['k', 'v'], ascending=[True])", "df.sort_values('k', axis=2)", "df.sort_values('t', ascending=False, kind='stable')",
    "df.sort_values('v')[['k']]", "df.sort_values('v').v.sum()", "e.sort_values('k')", "df.sort_values([])", "df.sort_values('k', ascending='yes')",
)
cases(
    "Series.sort_values",
    "s.sort_values()", "sl.sort_values(ascending=False)", "s.sort_values(na_position='first', ignore_index=True)", "st.sort_values()",
    "sq.sort_values(kind='stable')", "sc.sort_values()", "si.sort_values(key=lambda x: -x)", "s.sort_values(axis=1)",
    "ts.sort_values(ascending=[False])",
)
cases(
    "frame.sort_index",
    "sl.sort_index(ascending=False)", "dl.sort_index()", "dl.sort_index(ignore_index=True)", "dl.sort_index(key=lambda x: -x, kind='stable')",
    "df.sort_index(axis=1)", "dd.sort_index(ascending=False)", "df.sort_index(axis=1, ascending=False)", "rdf.sort_index(na_position='first')",
    "rdf.sort_index(level=0)", "rdf.sort_index(level='s')", "dl.sort_index(axis=7)", "dl.groupby(['s', 'k']).v.sum().sort_index(level=1)",
    "dl.groupby(['s', 'k']).v.sum().sort_index(ascending=[False, True])",
)

cases(
    "DataFrame.nlargest DataFrame.nsmallest",
    "df.OP(3, 'i')", "df.OP(3, ['k', 'v'])", "df.OP(2, 'k', keep='last')", "df.OP(2, 'k', keep='all')", "df.OP(99, 'v')", "df.OP(3, 'nope')",
    "df.OP(4, ['v', 'i'], keep='last')", "dl.OP(2, 'i', keep='first')",
)
cases(
    "Series.nlargest Series.nsmallest",
    "s.OP(3)", "s.OP(99)", "num.k.OP(2, keep='last')", "num.k.OP(2, keep='all')", "sl.OP()", "s.OP(2, keep='x')",
)
cases(
    "frame.rank",
    "num.rank()", "df.rank(numeric_only=True)", "s.rank(method='min', ascending=False)", "num.rank(axis=1)", "s.rank(na_option='top', pct=True)",
    "st.rank(method='dense')", "num.k.rank(method='first')", "sq.rank()", "s.rank(na_option='x')",
)
