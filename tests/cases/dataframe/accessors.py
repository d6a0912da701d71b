"""Cases of dataframe/accessors."""

from tests.cases import cases

# fmt: off
cases(
    "str.capitalize str.casefold str.cat str.isalnum str.isalpha str.isascii str.isdecimal str.isdigit str.islower str.isnumeric str.isspace "
    "str.istitle str.isupper str.len str.lower str.lstrip str.rstrip str.strip str.swapcase str.title str.upper",
    "st.str.OP()",
)
cases(
    "str.cat",
    "st.str.cat(others=df.s)", "st.str.cat(others=df.s, sep='-')", "st.str.cat(others=list('abcdefghijkl'))", "st.str.cat(sep=',')",
    "st.str.cat(others=[df.s, st])", "st.str.cat(others=st[si > 2], na_rep='?')",
)
cases("str.center", "st.str.center(5)")
cases(
    "str.contains str.count str.endswith str.find str.findall str.fullmatch str.match str.partition str.removeprefix str.removesuffix str.rfind "
    "str.rsplit str.split str.startswith",
    "st.str.OP('x')",
)
cases("str.contains", "st.str.contains('[xy]', na=False)", "st.str.contains('x', regex=False)")
cases("str.encode", "st.str.encode('utf-8')")
cases("str.extract", "st.str.extract('([xyz])')", "st.str.extract('(?P<a>.)(?P<b>.?)')")
cases("str.extractall", "st.str.extractall('([xy])')")
cases("str.get", "st.str.get(0)")
cases("str.index", "st.str.index('')")
cases("str.join", "st.str.join('-')")
cases("str.ljust", "st.str.ljust(4, '-')")
cases("str.normalize", "st.str.normalize('NFC')")
cases("str.pad", "st.str.pad(3)")
cases("str.repeat", "st.str.repeat(2)")
cases("str.replace", "st.str.replace('x', 'QQ')", "st.str.replace('[xy]', '_', regex=True)")
cases("str.rindex", "st.str.rindex('')")
cases("str.rjust", "st.str.rjust(4)")
cases("str.rpartition", "st.str.rpartition('x', expand=False)")
cases("str.slice", "st.str.slice(0, 1)")
cases("str.slice_replace", "st.str.slice_replace(0, 1, 'k')")
cases("str.split", "st.str.split('x', n=1, expand=True)")
cases("str.translate", "st.str.translate({120: 'Q'})")
cases("str.wrap", "st.str.wrap(3)")
cases("str.zfill", "st.str.zfill(3)")
cases("dt.as_unit", "ts.dt.as_unit('s')")
cases("dt.ceil", "ts.dt.ceil('h')")
cases("dt.components", "(ts - pd.Timestamp('2013-01-03')).dt.components")
cases(
    "dt.date dt.day dt.day_of_week dt.day_of_year dt.dayofweek dt.dayofyear dt.days_in_month dt.daysinmonth dt.end_time dt.hour dt.is_leap_year "
    "dt.is_month_end dt.is_month_start dt.is_quarter_end dt.is_quarter_start dt.is_year_end dt.is_year_start dt.microsecond dt.minute dt.month "
    "dt.nanosecond dt.quarter dt.qyear dt.second dt.start_time dt.time dt.timetz dt.week dt.weekday dt.weekofyear dt.year",
    "ts.dt.OP",
)
cases("dt.day_name", "ts.dt.day_name()")
cases("dt.days", "(ts - pd.Timestamp('2013-01-03')).dt.days")
cases("dt.floor", "ts.dt.floor('D')")
cases("dt.isocalendar", "ts.dt.isocalendar()")
cases("dt.microseconds", "(ts - pd.Timestamp('2013-01-03')).dt.microseconds")
cases("dt.month_name", "ts.dt.month_name()")
cases("dt.nanoseconds", "(ts - pd.Timestamp('2013-01-03')).dt.nanoseconds")
cases("dt.normalize", "ts.dt.normalize()")
cases("dt.round", "ts.dt.round('12h')")
cases("dt.seconds", "(ts - pd.Timestamp('2013-01-03')).dt.seconds")
cases("dt.strftime", "ts.dt.strftime('%Y/%m/%d %H')")
cases("dt.to_period", "ts.dt.to_period('M')")
cases("dt.to_pydatetime", "ts.dt.to_pydatetime()")
cases("dt.to_pytimedelta", "(ts - pd.Timestamp('2013-01-03')).dt.to_pytimedelta()")
cases("dt.total_seconds", "(ts - pd.Timestamp('2013-01-03')).dt.total_seconds()")
cases("dt.tz_convert", "ts.dt.tz_convert('UTC')")
cases("dt.tz_localize", "ts.dt.tz_localize('UTC')")
cases("cat.add_categories", "dn.c.cat.add_categories(['new'])")
cases("cat.as_ordered", "dn.c.cat.as_ordered()")
cases("cat.as_unordered", "dn.c.cat.as_unordered()")
cases("cat.codes", "dn.c.cat.codes")
cases("cat.remove_categories", "dn.c.cat.remove_categories(['a'])")
cases("cat.rename_categories", "dn.c.cat.rename_categories({'a': 'A'})", "dn.c.cat.rename_categories(list('wxyz'))")
cases("cat.reorder_categories", "dn.c.cat.reorder_categories(['a', 'b', 'c', 'unused'])")
cases("cat.set_categories", "dn.c.cat.set_categories(['a', 'b'])")
