"""Cases of dataframe/neighbours."""

from tests.cases import cases

# fmt: off
cases(
    "frame.shift frame.diff frame.pct_change frame.ffill frame.bfill frame.interpolate frame.cumsum frame.cumprod frame.cummax frame.cummin",
    "num.OP()",
)
cases(
    "frame.shift",
    "s.shift(3)", "si.shift(-2)", "num.shift(2, fill_value=0)", "df.shift(5)", "num.shift(1, axis=1)", "dd.shift(1, freq='7h')", "s.shift(0)",
    "dn.shift(1)", "s.shift(30)", "st.shift(1)", "ts.shift(-1)", "s.shift('a')", "e.shift(1)", "dn.p.shift(2)", "si.shift([1, -2])",
    "df[df.k > 2].shift(2)", "sl.shift(4)",
)
cases("frame.diff", "s.diff(3)", "si.diff(-2)", "num.diff(axis=1)", "(num > 1).diff()", "df[df.k > 2].v.diff(2)")
cases("frame.diff frame.cumsum frame.cumprod frame.cummax frame.cummin", "ts.OP()", "dn.q.OP()", "st.OP()")
cases("frame.pct_change", "s.pct_change(3)", "si.pct_change(-2)", "df[df.k > 2].v.pct_change(2)", "dn.f.pct_change()", "dd.v.pct_change(freq='7h')")
cases("frame.ffill", "num.ffill(axis=1)", "sl.ffill()")
cases(
    "frame.ffill frame.bfill",
    "s.OP(limit=1)", "dn.OP()", "dn.OP(limit=1)", "s.OP(limit=0)", "s.OP(limit_area='inside')", "num.where(num.v > 4).OP()",
    "num.where(num.v > 4).OP(limit=2)", "e.OP()",
)
cases("frame.bfill", "num.bfill(axis=1)", "sl.bfill()")
cases("frame.interpolate", "s.interpolate()", "sl.interpolate(limit=1)", "s.interpolate(limit_direction='both')")
cases("frame.cumsum", "num.cumsum(axis=1)", "dn.f.cumsum()", "sl.cumsum()", "s.cumsum()")
cases(
    "frame.cumsum frame.cumprod frame.cummax frame.cummin",
    "si.OP()", "s.OP(skipna=False)", "dn[['q', 'f']].OP()", "df.OP(numeric_only=True)", "df[df.k > 2].v.OP()", "e.v.OP()", "dn.q.OP(skipna=False)",
    "(num > 2).OP()", "ts.diff().OP()", "num.OP(axis=1, skipna=False)",
)
cases("frame.cumprod", "num.cumprod(axis=1)", "dn.f.cumprod()", "sl.cumprod()", "s.cumprod()")
cases("frame.cummax", "num.cummax(axis=1)", "dn.f.cummax()", "sl.cummax()", "s.cummax()")
cases("frame.cummin", "num.cummin(axis=1)", "dn.f.cummin()", "sl.cummin()", "s.cummin()")
