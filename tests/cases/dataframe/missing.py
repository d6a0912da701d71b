"""Cases of dataframe/missing."""

from tests.cases import cases

# fmt: off
cases(
    "frame.where frame.mask",
    "num.OP(num > 2)", "s.OP(s > 1, -1.0)", "s.OP(sl > 1, -1.0)", "num.OP(num > 2, num * 10)", "num.OP(df.k > 2, 0)",
    "s.OP(lambda x: x > 1, lambda x: x * 2)", "num.OP(num > 2, num.k, axis=0)", "s.OP(si > 1, si)", "num.OP(np.arange(36).reshape(12, 3) > 5)",
    "s.OP(np.arange(12) > 5, np.arange(12.0))", "dn.q.OP(dn.q > 2)", "st.OP(si > 1, 'zz')", "ts.OP(si > 1)", "s.OP(s[s > 1] > 2)",
    "num[num.k > 2].OP(num[num.k > 2] > 3)", "s.OP([True, False] * 6)", "num.OP(3)", "s.OP(s > 1, s.mean())",
    "s.OP(s > 1, s[s > 2])", "si.OP(si > 1, si[si > 2])", "s.OP(s > 1, right.set_index('s').k)", "num.OP(num > 2, num.k[num.k > 1], axis=0)", "num.OP(num > 2, num.mean(), axis=1)",
)
cases("frame.isna", "df.isna()", "s.isna()", "dn.isna()", "st.isna()")
cases("frame.isnull", "df.isnull()", "s.isnull()", "dn.isnull()", "st.isnull()")
cases("frame.notna", "df.notna()", "s.notna()", "dn.notna()")
cases("frame.notnull", "df.notnull()", "s.notnull()", "dn.notnull()")
cases("frame.abs", "s.abs()", "st.abs()", "num.abs()", "dn.q.abs()")
cases(
    "frame.between",
    "s.between(0, 5)", "s.between(0, si)", "si.between(1, 3, inclusive='left')", "ts.between(pd.Timestamp('2013-01-02'), pd.Timestamp('2013-01-04'))",
    "s.between(s.mean(), 9)", "si.between(0, 1, 'x')",
)
cases(
    "frame.replace",
    "num.replace(3, 30)", "df.replace('x', 'zz')", "st.replace({'x': 'q', 'y': 'r'})", "st.replace('[xy]', 'k', regex=True)",
    "num.replace({'k': 3}, 99)", "s.replace([1, 2], [10, 20])", "num.replace({'k': {1: 5}})", "s.replace(np.nan, 0.5)",
)
cases(
    "frame.clip",
    "num.clip(0, 3)", "s.clip(lower=1)", "s.clip(upper=si)", "num.clip([1, 2, 3], axis=1)", "num.clip(num.k, axis=0)",
    "num.clip(pd.Series([1, 2, 3], index=['k', 'v', 'i']), axis=1)", "dn.q.clip(2, 3)", "s.clip(s.quantile(0.25), s.quantile(0.75))",
    "num.clip(lower=num.k.mean())", "s.clip(5, 1)", "st.clip('x')", "num.clip(upper=num.mean(), axis=1)",
    "num.clip(num.mean() - 1, num.mean() + 1, axis=1)", "s.clip(s[s > 2])", "num.clip(num.v.iloc[::-1], axis=0)", "sl.clip(sl.iloc[::-1])",
)
cases(
    "frame.round",
    "(num / 3).round(1)", "(s / 3).round()", "num.round(-1)", "(num / 3).round({'v': 2})", "(num / 7).round(pd.Series([1, 2], index=['v', 'k']))",
    "dn.f.round(1)", "df.round(1)", "s.round('a')",
)
cases(
    "frame.isin",
    "si.isin([1, 2, 3])", "s.isin({1.5, 2})", "num.isin([1, 2])", "num.isin({'k': [1, 2], 'v': [0.5]})", "si.isin(si[si > 2])", "st.isin(right.s)",
    "num.isin(num + 0)", "num.isin(num * 2)", "si.isin('a')", "s.isin([np.nan])", "dn.q.isin([1, None])", "dn.c.isin(['a'])", "ts.isin(ts)",
    "si.isin(np.arange(3))", "si.isin(pd.Series([1, 2]))", "num.isin(si)", "si.isin(3)",
    "num.isin(si.values[:4])", "num.isin({'k': si.values, 'i': [1]})", "num.isin([si.max(), 2])", "na.isin(nb)", "na.isin(nb.k)", "na.isin(na[na.k > 2])",
    "num.isin({'k': si.iloc[:4]})", "df.isin([st.max(), si.max()])", "num.isin(num.index)", "num.replace({'k': si.max()})", "na.isin({'k': nb.k, 'i': [0]})", "df.isin({'k': si, 's': st.iloc[::-1]})",
)
cases("frame.case_when", "s.case_when([(s > 2, 0.5), (si > 1, si)])", "s.case_when([])", "s.case_when([(lambda x: x > 1, lambda x: -x)])", "s.case_when([(s > 2, s[s > 3])])")

cases(
    "frame.fillna",
    "num.fillna(0)", "s.fillna(-1.5)", "num.fillna({'v': 2})", "num.fillna(num.mean())", "s.fillna(si)", "s.fillna(sl)", "num.fillna(num * 0 + 5)",
    "num.fillna(pd.Series([7.0], index=['v']))", "s.fillna(0, limit=1)", "num.fillna(0, limit=1)", "dn.q.fillna(3)", "dn.c.fillna('a')",
    "dn.c.fillna('nope')", "num.fillna({'v': num.v.mean()})", "s.fillna(s.mean())", "num.fillna(1, axis=1, limit=1)",
    "dn.fillna({'q': 1, 'f': 2}, limit=2)", "s.fillna([1])", "s.fillna(0, limit=0)", "df.fillna({'v': 1.5, 's': 'a'})",
    "s.fillna(s[s > 2])", "s.fillna(sl.iloc[::-1])", "sl.fillna(s)", "num.fillna(num[num.k > 1] * 2)",
)
cases(
    "frame.dropna",
    "df.dropna()", "s.dropna()", "dn.dropna()", "dn.dropna(how='all')", "dn.dropna(thresh=4)", "dn.dropna(subset=['q'])", "dn.dropna(subset='f')",
    "dn.dropna(how='x')", "s.dropna(ignore_index=True)", "dn.dropna(subset=['nope'])", "sl.dropna()", "dn.dropna(ignore_index=True)",
    "dn.dropna(how='any', thresh=1)",
)
