"""Cases of dataframe/aggregate."""

from tests.cases import cases

# fmt: off
cases(
    "frame.agg frame.aggregate",
    "num.OP('sum')", "num.OP(['sum', 'mean'])", "num.OP({'k': 'sum', 'v': ['min', 'max']})", "num.OP({'k': 'sum', 'v': 'mean'})",
    "s.OP(['sum', 'std'])", "s.OP('mean')", "num.OP(lambda c: c.max() - c.min())", "num.OP('sum', axis=1)", "num.OP(['sum', 'mean'], axis=1)",
    "df.OP({'s': 'max', 'k': 'count'})", "num.OP(x=('k', 'sum'), y=('v', 'max'))", "num.OP({'nope': 'sum'})", "num.OP('nope')",
    "s.OP([lambda c: c.sum(), 'max'])", "num.OP(np.sum)", "num.OP(['nunique', 'median'])", "s.OP({'a': 'sum', 'b': 'max'})",
    "df[df.k > 2][['k', 'v']].OP(['sum', 'var'])", "num.OP('cumsum')", "num.OP(['size', 'count'])", "num.OP('std', ddof=0)",
    "df.OP({'t': ['min', 'max'], 'v': ['sum']})", "num.OP('size')", "num.OP('size', axis=1)", "df[df.k > 2].OP('size')", "s.OP('size')",
    "num.OP('shape')", "num.OP('sqrt')", "(df.t - df.t.min()).OP('mean')", "(df[['t']] - df.t.min()).OP(['mean', 'max'])",
)
cases("frame.agg", "num.agg()")
cases("frame.aggregate", "num.aggregate()")
cases(
    "frame.quantile",
    "num.quantile()", "num.quantile([0.1, 0.5, 0.9])", "s.quantile(0.3)", "s.quantile([0.25, 0.75])", "s.quantile(0.4, interpolation='lower')",
    "s.quantile(0.4, 'higher')", "num.quantile(0.3, interpolation='nearest')", "df.quantile(numeric_only=True)", "df.quantile()", "s.quantile(2)",
    "num.quantile(0.5, axis=1)", "dn.q.quantile(0.33)", "ts.quantile()", "dn.f.quantile(0.3)", "e.v.quantile()",
    "num.quantile(0.5, method='table', interpolation='nearest')", "s.quantile(0.5, interpolation='x')",
)
cases(
    "frame.describe",
    "df.describe()", "ts.describe()", "num.describe(percentiles=[0.1, 0.9])", "s.describe()", "st.describe()", "df.describe(include='all')",
    "df.describe(exclude=['number'])", "dn.describe()", "dn.c.describe()", "df.describe(include=['str'])", "num.describe(percentiles=[2])",
    "df[df.k > 2].describe()", "dn.p.describe()", "num.describe(include='O')", "dn.q.describe()", "dn.f.describe()", "dn.describe(include='all')",
)
