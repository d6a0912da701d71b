"""Cases of dataframe/binning."""

from tests.cases import cases

# fmt: off
cases("isna", "md.isna(df)", "md.isna(s)")
cases("isnull", "md.isnull(df)", "md.isnull(s)")
cases("notna", "md.notna(df)", "md.notna(s)")
cases("notnull", "md.notnull(df)", "md.notnull(s)")
cases(
    "cut",
    "md.cut(s, [-10, 0, 3, 20])", "md.cut(s, [-10, 0, 3], labels=['a', 'b'])", "md.cut(si, [-50, 3, 90], right=False, labels=False)",
    "md.cut(s, pd.IntervalIndex.from_tuples([(0, 2), (3, 5)]))", "md.cut(s, [3, 1])",
)
cases("get_dummies", "md.get_dummies(dn.c)", "md.get_dummies(dn[['q', 'c']])", "md.get_dummies(dn.c, prefix='p', dtype='i8', drop_first=True)")
cases("frame.combine", "s.combine(si, max)", "num.combine(num * 2, lambda a, b: a + b)")
cases("frame.combine_first", "s.combine_first(si)", "num.combine_first(num * 2)", "s.combine_first(sl)")
cases("DataFrame.explode", "df.explode('s')", "df.explode('nope')")
cases("Series.explode", "st.str.split('x').explode()")
