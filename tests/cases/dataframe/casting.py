"""Cases of dataframe/casting."""

from tests.cases import cases

# fmt: off
cases(
    "frame.astype",
    "num.astype(float)", "df.astype({'k': 'int8', 'i': float})", "df.astype({'nope': int})", "si.astype(str)", "s.astype(int)", "df.astype('str')",
    "si.astype('datetime64[ns]')", "df.k.astype(bool)", "dn.astype({'q': 'Float64'})", "st.astype(pd.CategoricalDtype(list('xyzwab')))",
    "df.astype({'k': 'f4'})[['k', 'v']]", "st.astype(int)",
)

cases(
    "to_datetime",
    "md.to_datetime(df.t)", "md.to_datetime(df[df.k > 2].t.astype(str))", "md.to_datetime(df.t.astype(str))", "md.to_datetime(si + 10, unit='D')",
)
cases("to_numeric", "md.to_numeric(si)", "md.to_numeric(si.astype(str))", "md.to_numeric(s)")
