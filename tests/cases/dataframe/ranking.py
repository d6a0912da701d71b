"""Cases of dataframe/ranking."""

from tests.cases import cases

# fmt: off
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
