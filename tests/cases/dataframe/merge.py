"""Cases of dataframe/merge."""

from tests.cases import cases

# fmt: off
cases("merge", "md.merge(df, right, on='k')", "md.merge(st, right[['s', 'r']], on='s', how='right')", "md.merge(df, 3)")
cases(
    "DataFrame.merge",
    "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='inner')", "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='left')",
    "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='right')", "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='outer')",
    "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='left_anti')", "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='right_anti')",
    "df.merge(right, on='k')", "df.merge(right, on='k', how='left')", "df.merge(right, on='k', how='left_anti', indicator=True)", "df.merge(right)",
    "df.merge(right, how='cross')", "df.merge(right, on=['k', 's'])", "df.merge(right, left_on='i', right_on='k', suffixes=('', '_r'))",
    "dl.merge(rdf, left_on='s', right_index=True)", "dl.merge(rdf, left_on='s', right_index=True, how='left')",
    "df.merge(rdf, left_on='s', right_index=True, how='outer')", "df.merge(num, left_index=True, right_index=True)",
    "df.merge(num, left_index=True, right_index=True, how='outer')", "df.merge(right, on='k', sort=True)",
    "df.merge(right, on='k', how='left', indicator=True)", "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='outer', indicator='from')",
    "df.merge(right, on='k', validate='nope')", "df.merge(right, on='s', validate='m:1')", "df.merge(right, on='k', validate='1:1')",
    "df.merge(right, on='k', validate='one_to_many')", "df.merge(right, on='nope')", "df.merge(right, how='nope')",
    "df.merge(right, on='k', left_on='i')", "df.merge(right.r)", "df.merge(right[['r']])", "df.merge(st, how='inner')",
    "right.merge(df, on='k', how='left')[['v', 'r']]", "df.merge(right, on='k', how='inner')[['v', 'r']].sum()", "dn.merge(dn[['q', 'f']], on='q')",
    "dn.merge(dn[['c', 'f']], on='c', how='left')", "df[['s', 'v']].merge(e[['s', 'v']], on='s', how='left')",
    "dl.merge(dl, left_index=True, right_index=True)", "df.merge(df, on='t', how='left')",
    "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='outer', validate='m:m')", "df.merge(right, on=['k', 's'], how='left', validate='many_to_many')", "num.merge(right, how='cross', suffixes=('_l', None))",
)

cases(
    "DataFrame.join",
    "num.join(df[['s', 't']])", "df.join(rdf, on='s', rsuffix='_r')", "dl.join(rdf.r, on='s', how='inner')", "dl.join(num[['v']], rsuffix='_n')",
    "df.join(right, lsuffix='_a', rsuffix='_b')", "df.join(right)", "num.join([df[['s']], df[['t']]])",
    "dd.join(dd[['v']], rsuffix='_2', how='outer')", "num[['k']].join([right[['r']], e[['s']]], how='outer')", "df.join(rdf, on='nope')",
    "num.join(df[['s']], how='right')", "num.join((num > 2).add_prefix('b_')).sum()", "num.join((num > 2).add_prefix('b_'), how='outer')[lambda t: t.b_k]",
)

# Beside holes whole numbers and booleans are others: in every chunk, in what follows, and as declared.
cases(
    "merge",
    *(f"md.merge(num.iloc[3:8], dn[['q', 'f']].assign(i=si, b=si > 2).dropna(), left_on='i', right_on='q', how='{how}')" for how in ("left", "right", "outer", "left_anti", "right_anti")),
    "md.merge(num, right[['r']].assign(i=[7, 9, 20, -5, 3, 4]), on='i', how='left').r.astype(str)",
    "md.merge(num[['i']], num[['i', 'k']].iloc[:4].assign(b=True), on='i', how='left')[['k', 'b']].astype(str)",
    "md.merge(num[['i']], num[['i', 'k']].iloc[:4], on='i', how='left').k.values",
    "md.merge(num[['i']].iloc[:4], num[['i', 'k']].astype({'i': 'i4'}), on='i', how='right_anti')",
    "md.merge(num.set_index(['k', 'i']), right[['k', 'r']].iloc[:4].astype({'k': 'i8'}), on='k', how='left')", "md.merge(num, right.set_index('k'), on='k', how='outer')",
    "md.merge(num.set_index('k'), right.set_index('k'), on='k')",
)
