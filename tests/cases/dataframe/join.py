"""Cases of dataframe/join."""

from tests.cases import cases

# fmt: off
cases(
    "DataFrame.join",
    "num.join(df[['s', 't']])", "df.join(rdf, on='s', rsuffix='_r')", "dl.join(rdf.r, on='s', how='inner')", "dl.join(num[['v']], rsuffix='_n')",
    "df.join(right, lsuffix='_a', rsuffix='_b')", "df.join(right)", "num.join([df[['s']], df[['t']]])",
    "dd.join(dd[['v']], rsuffix='_2', how='outer')", "num[['k']].join([right[['r']], e[['s']]], how='outer')", "df.join(rdf, on='nope')",
    "num.join(df[['s']], how='right')",
)
