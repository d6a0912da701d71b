"""Cases of dataframe/casting."""

from tests.cases import cases

# fmt: off
cases(
    "frame.astype",
    "num.astype(float)", "df.astype({'k': 'int8', 'i': float})", "df.astype({'nope': int})", "si.astype(str)", "s.astype(int)", "df.astype('str')",
    "si.astype('datetime64[ns]')", "df.k.astype(bool)", "dn.astype({'q': 'Float64'})", "st.astype(pd.CategoricalDtype(list('xyzwab')))",
    "df.astype({'k': 'f4'})[['k', 'v']]", "st.astype(int)",
)
