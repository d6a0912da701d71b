"""Cases of dataframe/counting."""

from tests.cases import cases

# fmt: off
cases(
    "frame.value_counts",
    "num.k.value_counts()", "st.value_counts()", "st.value_counts(ascending=True)", "st.value_counts(sort=False)", "s.value_counts(dropna=False)",
    "num.k.value_counts(normalize=True)", "sq.value_counts()", "sq.value_counts(dropna=False)", "sc.value_counts()", "num.i.value_counts(bins=3)",
    "dn.p.value_counts(dropna=False)", "ts.value_counts()", "dn.f.value_counts()",
)
cases(
    "DataFrame.value_counts",
    "df[['k', 's']].value_counts()", "df.value_counts('k')", "df.value_counts(['s'], normalize=True)", "dn.value_counts(['q', 'c'], dropna=False)",
    "dn.value_counts('c')", "df[['k', 's']].value_counts(sort=False)", "df.value_counts(['k', 's'], ascending=True)", "df.value_counts('nope')",
)
