"""Cases of dataframe/apply."""

from tests.cases import cases

# fmt: off
cases(
    "DataFrame.apply",
    "num.apply(lambda r: r.k + 1, axis=1)", "num.apply(lambda c: c.max() - c.min())", "num.apply(np.sqrt)", "num.apply('sum')",
    "num.apply(['sum', 'max'])", "num.apply(lambda r: r * 2, axis=1)", "num.apply(lambda r: [1, 2], axis=1, result_type='expand')",
    "num.apply(lambda c: c - c.mean())", "num.apply(lambda r, b: r.k + b, axis=1, args=(5,))", "num.apply(lambda r, b: r.k + b, axis=1, b=5)",
    "num.apply(lambda r: r.sum(), axis=1, raw=True)", "num.apply('sum', axis=1)", "num.apply('nope')", "num.apply(lambda c: c, axis=2)",
    "df[df.k > 2].apply(lambda r: r.s + 'x', axis=1)", "num.apply(lambda r: r, result_type='x')",
    "num.apply('sqrt')", "num.apply('size')",
)
cases(
    "Series.apply",
    "s.apply(lambda x: x * 2)", "st.apply(len)", "s.apply(np.sqrt)", "s.apply('sum')", "s.apply(['sum', 'max'])",
    "si.apply(lambda x, a: x + a, args=(3,))", "si.apply(lambda x: pd.Series([x, x + 1], index=['a', 'b']))", "ts.apply(lambda t: t.year)",
    "s.apply(lambda x, b=1: x + b, b=4)", "s[s > 30].apply(lambda x: x + 1)", "s.apply(3)",
    "s.apply('sqrt')", "s.apply('add', args=(1,))", "s.apply('size')", "s.apply('average')",
)
cases(
    "frame.transform",
    "num.transform(lambda r: r * 2, axis=1)", "num.transform(lambda c: c - c.mean())", "num.transform('cumsum')", "s.transform(lambda x: x + 1)",
    "num.transform(np.exp)", "s.transform(['abs', 'cumsum'])", "num.transform({'k': lambda c: c + 1})", "num.transform(lambda c: c.sum())",
    "s.transform('sqrt')", "num.transform('nope')",
)
cases("frame.pipe", "num.pipe(lambda d: d + 1)", "num.pipe((lambda a, d: d * a, 'd'), 2)")
cases(
    "Series.map",
    "s.map(3)", "s.map(lambda x: x + 1)", "si.map({1: 10.0, 2: 20.0})", "st.map({'x': 'a', 'y': 'b'})", "st.map(str.upper)",
    "s.map(lambda x: x + 1, na_action='ignore')", "si.map(pd.Series([1.5, 2.5], index=[1, 2]))", "si.map(s)",
    "dn.c.map({'a': 'x', 'b': 'y', 'c': 'z', 'unused': 'u'})", "s.map(len, na_action='x')", "si.map('{}'.format)",
)
cases("DataFrame.map", "num.map(lambda x: x + 1)", "df[['s']].map(len)", "num.map(lambda x: x + 1, na_action='ignore')", "num.map(3)")
