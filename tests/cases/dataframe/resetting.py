"""Cases of dataframe/resetting."""

from tests.cases import cases

# fmt: off
cases(
    "DataFrame.reset_index",
    "dl.reset_index()", "dl.reset_index(drop=True)", "df[df.k > 2].reset_index()", "rdf.reset_index()", "dd.reset_index(names='when')",
    "df.set_index(['k', 's']).reset_index()", "df.set_index(['k', 's']).reset_index('s')", "df.set_index(['k', 's']).reset_index(0, drop=True)",
    "dl.assign(index=1).reset_index()", "[d := dl.copy(), d.reset_index(inplace=True)]", "rdf.assign(s=1).reset_index()",
    "df[df.k > 2].reset_index(drop=True)[['v']]", "e.reset_index()",
)
cases(
    "Series.reset_index",
    "sl.reset_index()", "sl.reset_index(drop=True)", "sl.reset_index(name='w')", "s[s > 2].reset_index(drop=True)",
    "[t := sl.copy(), t.reset_index(drop=True, inplace=True)]", "s.reset_index(inplace=True)",
)
cases(
    "DataFrame.set_index",
    "df.set_index('k')", "df.set_index(['k', 's'])", "df.set_index('k', drop=False)", "df.set_index('k', append=True)", "df.set_index(df.v * 2)",
    "df.set_index([df.k, 's'])", "df.set_index('k', verify_integrity=True)", "df.set_index('i', verify_integrity=True)", "df.set_index('nope')",
    "[d := df.copy(), d.set_index('k', inplace=True)]", "df.set_index(pd.Index(range(12)))", "df[df.k > 1].set_index('s')[['v']]",
    "dn.set_index('o')", "df.set_index([[1, 2]])",
)
