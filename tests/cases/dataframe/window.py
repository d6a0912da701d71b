"""Cases of dataframe/window."""

from tests.cases import cases

# fmt: off
cases("frame.rolling", "num.rolling(-1).sum()", "num.rolling('x').sum()", "num.rolling('7h').sum()")
cases(
    "Rolling.count Rolling.sum Rolling.mean Rolling.median Rolling.var Rolling.std Rolling.min Rolling.max Rolling.skew Rolling.kurt Rolling.sem "
    "Rolling.rank Rolling.first Rolling.last Rolling.nunique",
    "num.rolling(3).OP()", "s.rolling(3, min_periods=1).OP()", "s.rolling(5, center=True).OP()", "num.rolling(9, min_periods=2).OP()",
    "dd.v.rolling('20h').OP()", "s.rolling(3, min_periods=1, closed='left').OP()",
)
cases(
    "Rolling.sum",
    "num.rolling(3)['k'].sum()", "num.rolling(3).v.sum()", "dd.rolling('1D')[['k', 'v']].sum()", "dd.v.rolling('20h', closed='both').sum()",
    "num.rolling(2, step=2).sum()", "df[df.k > 1].v.rolling(2).sum()", "s.rolling(2, win_type='triang').sum()",
    "dd.assign(d=dd.index).rolling('14h', on='d')[['k', 'v']].sum()", "dd.v.rolling('21h', center=True).sum()",
    "num.rolling(30, min_periods=1).sum()", "num.rolling(3)['nope']", "df.rolling(3).sum()", "df.rolling(2).sum(numeric_only=True)",
)
cases("Rolling.mean", "s.rolling(3, win_type='gaussian').mean(std=1)", "dn.f.rolling(2).mean()")
cases("Rolling.std", "num.rolling(3).std(ddof=0)")
cases(
    "Rolling.quantile",
    "num.rolling(3).quantile(0.3)", "s.rolling(3, min_periods=1).quantile(0.3)", "s.rolling(5, center=True).quantile(0.3)",
    "num.rolling(9, min_periods=2).quantile(0.3)", "dd.v.rolling('20h').quantile(0.3)", "s.rolling(3, min_periods=1, closed='left').quantile(0.3)",
)
cases(
    "Rolling.apply",
    "num.rolling(3).apply(np.nansum)", "s.rolling(3, min_periods=1).apply(np.nansum)", "s.rolling(5, center=True).apply(np.nansum)",
    "num.rolling(9, min_periods=2).apply(np.nansum)", "dd.v.rolling('20h').apply(np.nansum)",
    "s.rolling(3, min_periods=1, closed='left').apply(np.nansum)",
)
cases(
    "Rolling.agg",
    "num.rolling(3).agg(['sum', 'mean'])", "s.rolling(3, min_periods=1).agg(['sum', 'mean'])", "s.rolling(5, center=True).agg(['sum', 'mean'])",
    "num.rolling(9, min_periods=2).agg(['sum', 'mean'])", "dd.v.rolling('20h').agg(['sum', 'mean'])",
    "s.rolling(3, min_periods=1, closed='left').agg(['sum', 'mean'])",
)
cases("Rolling.aggregate", "num.rolling(3).aggregate({'k': 'sum', 'v': 'max'})", "num.rolling(9, min_periods=2).aggregate({'k': 'sum', 'v': 'max'})")
cases("Rolling.cov", "s.rolling(3).cov(si)")
cases("Rolling.corr", "s.rolling(3).corr(si)")
cases(
    "Expanding.count Expanding.sum Expanding.mean Expanding.median Expanding.var Expanding.std Expanding.min Expanding.max Expanding.skew "
    "Expanding.kurt Expanding.sem Expanding.rank Expanding.first Expanding.last Expanding.nunique",
    "num.expanding().OP()", "s.expanding(3).OP()", "si.expanding(2).OP()",
)
cases("Expanding.quantile", "num.expanding().quantile(0.3)", "s.expanding(3).quantile(0.3)", "si.expanding(2).quantile(0.3)")
cases("Expanding.apply", "num.expanding().apply(np.nansum)", "s.expanding(3).apply(np.nansum)", "si.expanding(2).apply(np.nansum)")
cases("Expanding.agg", "num.expanding().agg(['sum', 'mean'])", "s.expanding(3).agg(['sum', 'mean'])", "si.expanding(2).agg(['sum', 'mean'])")
cases("Expanding.aggregate", "num.expanding().aggregate({'k': 'sum', 'v': 'max'})")
cases("Expanding.cov", "s.expanding(3).cov(si)")
cases("Expanding.corr", "s.expanding(3).corr(si)")
cases(
    "EWM.mean EWM.sum EWM.var EWM.std",
    "num.ewm(com=2).OP()", "s.ewm(span=3, min_periods=2).OP()", "s.ewm(alpha=0.4, adjust=False).OP()", "s.ewm(halflife=2, ignore_na=True).OP()",
)
cases(
    "EWM.agg",
    "num.ewm(com=2).agg(['sum', 'mean'])", "s.ewm(span=3, min_periods=2).agg(['sum', 'mean'])", "s.ewm(alpha=0.4, adjust=False).agg(['sum', 'mean'])",
    "s.ewm(halflife=2, ignore_na=True).agg(['sum', 'mean'])",
)
cases("EWM.aggregate", "num.ewm(com=2).aggregate({'k': 'sum', 'v': 'max'})")
cases("EWM.cov", "s.ewm(com=2).cov(si)")
cases("EWM.corr", "s.ewm(com=2).corr(si)")
