"""Cases of dataframe/reduction."""

from tests.cases import cases

# fmt: off
cases(
    "frame.sum frame.prod frame.product frame.mean frame.median frame.max frame.min frame.count frame.any frame.all frame.std frame.var frame.sem "
    "frame.skew frame.kurt frame.kurtosis frame.idxmax frame.idxmin frame.nunique",
    "num.OP()", "num.OP(axis=1)", "num.OP(axis=0)", "dn.f.OP()", "dn.p.OP()", "df[df.k > 3][['k', 'v']].OP()", "df[df.k > 30][['k', 'v']].OP()",
    "df.OP()", "num.OP(axis=3)", "num.OP(nothing=1)", "dn[['q', 'f']].OP()",
)
cases(
    "frame.sum frame.prod frame.product frame.mean frame.median frame.max frame.min frame.count frame.any frame.all frame.std frame.var frame.sem "
    "frame.skew frame.kurt frame.kurtosis frame.idxmax frame.idxmin frame.nunique frame.mode",
    "s.OP()", "si.OP()", "dn.q.OP()", "e.v.OP()",
)
cases(
    "frame.sum frame.prod frame.product frame.mean frame.median frame.max frame.min frame.count frame.std frame.var frame.sem frame.skew frame.kurt "
    "frame.kurtosis frame.idxmax",
    "df.OP(numeric_only=True)",
)
cases(
    "frame.sum frame.prod frame.product frame.mean frame.median frame.max frame.min frame.std frame.var frame.sem frame.skew frame.kurt "
    "frame.kurtosis",
    "dn[['q', 'f', 'p']].OP(numeric_only=True)", "dn.q.OP(skipna=False)", "si.OP(skipna=False)", "num.OP(axis=None)", "num.OP(axis=1, skipna=False)",
)
cases(
    "frame.sum frame.prod frame.product frame.mean frame.median frame.max frame.min frame.std frame.var frame.sem frame.skew frame.kurt "
    "frame.kurtosis frame.idxmax frame.idxmin",
    "s.OP(skipna=False)",
)
cases(
    "frame.sum frame.prod frame.product frame.mean frame.median frame.max frame.min frame.std frame.var frame.sem frame.skew frame.kurt "
    "frame.kurtosis frame.idxmax",
    "num.OP(skipna=False)",
)
cases("frame.sum", "num.sum(min_count=11)", "s.sum(min_count=11)", "ts.sum()", "(num > 2).sum()", "dn.q.sum(min_count=12)")
cases(
    "frame.sum frame.prod frame.product frame.mean frame.median frame.max frame.min frame.count frame.any frame.std frame.var frame.sem "
    "frame.nunique frame.mode",
    "st.OP()",
)
cases("frame.prod", "num.prod(min_count=11)")
cases("frame.product", "num.product(min_count=11)")
cases("frame.mean", "ts.mean()", "(num > 2).mean()", "df[['t']].mean()", "(ts - ts.min()).mean()")
cases("frame.median", "ts.median()", "df[['t']].median()", "(ts - ts.min()).median()")
cases("frame.max", "ts.max()", "df[['t']].max()", "(ts - ts.min()).max()", "dn.o.max()", "dn.c.max()", "dn[['o', 'q']].max()")
cases("frame.min", "ts.min()", "df[['t']].min()", "dn.o.min()", "(ts - ts.min()).min()")
cases("frame.count", "ts.count()", "dn.count()")
cases("frame.any", "(num > 3).any()", "(num > 33).any(axis=None)", "dn.p.any(skipna=False)", "df.any(bool_only=True)")
cases("frame.all", "(num > 3).all()", "dn.p.all(skipna=False)", "(num > -33).all(axis=None)", "(si > -100).all()")
cases("frame.std frame.var frame.sem", "num.OP(ddof=0)", "num.OP(ddof=12)", "s.OP(ddof=2)", "num.OP(axis=1, ddof=0)")
cases("frame.idxmax", "ts.idxmax()", "sl.idxmax()", "dl[['k', 'i']].idxmax()", "num[['k', 'i']].idxmax(axis=1)")
cases("frame.idxmin", "ts.idxmin()", "sl.idxmin()", "dl[['k', 'i']].idxmin()")
cases("frame.nunique", "dn.c.nunique()", "dn.nunique()", "df.nunique(dropna=False)", "s.nunique(dropna=False)")
cases("frame.mode", "ts.mode()", "dn.c.mode()", "s.mode(dropna=False)", "df.k.mode()")
