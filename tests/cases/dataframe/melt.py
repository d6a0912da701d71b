"""Cases of dataframe/melt."""

from tests.cases import cases

# fmt: off
cases("melt", "md.melt(num)", "md.melt(df, 's', ['k', 'v'])")
cases(
    "frame.melt",
    "num.melt()", "df.melt('s', ['k', 'v'])", "df.melt(['s', 't'], 'v', var_name='x', value_name='y')",
    "dl.melt('s', ['k', 'i'], ignore_index=False)", "df.melt('nope')", "df[df.k > 2].melt('k', ['v', 'i'])", "df.melt('k', ['s'])",
)
cases(
    "frame.align",
    "num.align(num[['k']])", "s.align(si)", "num.align(num[['k', 'v']], join='inner', axis=1)", "s.align(3)", "s.align(s[s > 1], join='left')",
)
