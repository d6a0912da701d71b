"""Cases of dataframe/holes."""

from tests.cases import cases

# fmt: off
cases(
    "frame.fillna",
    "num.fillna(0)", "s.fillna(-1.5)", "num.fillna({'v': 2})", "num.fillna(num.mean())", "s.fillna(si)", "s.fillna(sl)", "num.fillna(num * 0 + 5)",
    "num.fillna(pd.Series([7.0], index=['v']))", "s.fillna(0, limit=1)", "num.fillna(0, limit=1)", "dn.q.fillna(3)", "dn.c.fillna('a')",
    "dn.c.fillna('nope')", "num.fillna({'v': num.v.mean()})", "s.fillna(s.mean())", "num.fillna(1, axis=1, limit=1)",
    "dn.fillna({'q': 1, 'f': 2}, limit=2)", "s.fillna([1])", "s.fillna(0, limit=0)", "df.fillna({'v': 1.5, 's': 'a'})",
)
cases(
    "frame.dropna",
    "df.dropna()", "s.dropna()", "dn.dropna()", "dn.dropna(how='all')", "dn.dropna(thresh=4)", "dn.dropna(subset=['q'])", "dn.dropna(subset='f')",
    "dn.dropna(how='x')", "s.dropna(ignore_index=True)", "dn.dropna(subset=['nope'])", "sl.dropna()", "dn.dropna(ignore_index=True)",
    "dn.dropna(how='any', thresh=1)",
)
