"""Cases of dataframe/setting."""

from tests.cases import cases

# fmt: off
cases(
    "DataFrame.assign",
    "df.assign(a=1, b=lambda d: d.a + d.k)", "df.assign(k=df.v * 2)", "df.assign(l=list(range(12)))", "df.assign(x=None)",
    "df.assign(x='text', y=pd.Timestamp('2020-01-01'))", "df.assign(x=sl)", "dl.assign(x=dl.v)", "df.assign(z=[1, 2])",
    "df.assign(x=pd.Series([1, 2], index=[3, 1]))", "df.assign(c=pd.Categorical(list('abcabcabcabc')))", "df.assign(c=np.arange(12.0))",
    "df.assign(c=('x',) * 12)", "df.assign(c={1: 2.5})", "df[df.k > 2].assign(j=df.i)", "df[df.k > 2].assign(j=[1, 2, 3, 4, 5, 6])", "e.assign(x=1)",
)
cases(
    "DataFrame.insert",
    "[d := df.copy(), d.insert(1, 'n', d.k + 1)][0]", "df.insert(0, 'k', 1)", "df.insert(9, 'n', 1)",
    "[d := df.copy(), d.insert(0, 'n', list(range(12)))][0]", "[d := df.copy(), d.insert(2, 'k', 1, allow_duplicates=True)][0]",
)
