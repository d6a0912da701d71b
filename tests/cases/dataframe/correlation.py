"""Cases of dataframe/correlation."""

from tests.cases import cases

# fmt: off
cases(
    "DataFrame.corr",
    "num.corr()", "num.corr(min_periods=11)", "num.corr('spearman')", "num.corr('kendall')", "df.corr()", "df.corr(numeric_only=True)",
    "num.corr('x')", "dn[['q', 'f']].corr()", "num[num.k > 30].corr()", "(num * 0 + 1).corr()", "(num * 1e8 + 1e9).corr()",
    "df[df.k > 2].corr(numeric_only=True)",
)
cases(
    "DataFrame.cov",
    "num.cov()", "num.cov(min_periods=11)", "df.cov()", "df.cov(numeric_only=True)", "dn[['q', 'f']].cov()", "num.cov(ddof=0)",
    "num[['k', 'i']].cov(ddof=0)", "num[num.k > 2].cov()",
)
cases(
    "Series.corr",
    "s.corr(si)", "s.corr(si, min_periods=12)", "s.corr(si, method='spearman')", "s.corr(s[s > 1])", "s.corr(3)", "df.v.corr(df.k)",
    "s.corr(si, 'x')",
)
cases("Series.cov", "s.cov(si)", "s.cov(si, min_periods=12)", "s.cov(s[s > 1])", "s.cov(si, ddof=0)")
cases("Series.autocorr", "s.autocorr()", "si.autocorr(2)", "si.autocorr(-3)")
cases(
    "DataFrame.corrwith",
    "num.corrwith(num * num)", "num.corrwith(s)", "num.corrwith(num[['k']], drop=True)", "num.corrwith(num.shift(1), axis=1)",
    "num.corrwith(num ** 2, method='spearman')",
)
