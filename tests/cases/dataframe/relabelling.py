"""Cases of dataframe/relabelling."""

from tests.cases import cases

# fmt: off
cases("frame.copy", "df.copy()", "s.copy(deep=False)")
cases(
    "frame.set_axis",
    "df.set_axis(list('abcde'), axis=1)", "df.set_axis(range(5, 17), axis=0)", "s.set_axis(list('abcdefghijkl'))", "df.set_axis([1, 2], axis=1)",
    "df.set_axis([1, 2])", "dl.set_axis(list('abcde'), axis='columns')", "s.set_axis([1], axis=1)",
)
cases(
    "DataFrame.rename",
    "df.rename()", "df.rename(columns={'k': 'key', 'nope': 'x'})", "df.rename(columns=str.upper)", "df.rename(str.upper, axis='columns')",
    "dl.rename(index={3: 30, 7: 70})", "dl.rename({3: 30})", "dl.rename(index=lambda x: x * 2, columns={'k': 'i2'})",
    "df.rename(columns={'nope': 'x'}, errors='raise')", "[d := df.copy(), d.rename(columns={'v': 'w'}, inplace=True)]",
    "df.rename(columns={'k': 'key'})[['key', 'v']]",
)
cases(
    "Series.rename",
    "s.rename('w')", "sl.rename({3: 30})", "sl.rename(lambda x: x + 100)", "s.rename(None)", "s.rename(['a'])",
    "[t := s.copy(), t.rename('w', inplace=True)][0]",
)
cases(
    "frame.rename_axis",
    "df.rename_axis('n')", "df.rename_axis('n', axis=1)", "s.rename_axis('n')", "df.rename_axis(index='a', columns='b')",
    "rdf.rename_axis(str.upper)", "rdf.rename_axis(index={'s': 't'})", "rdf.rename_axis(None)",
)
cases("frame.add_prefix", "df.add_prefix('p_')", "sl.add_prefix('p_')", "dl.add_prefix('p_', axis=0)", "s.add_prefix('p', axis=1)")
cases("frame.add_suffix", "df.add_suffix('_s')", "sl.add_suffix('_s')", "dl.add_suffix('_s', axis=0)")

cases("Index.set_names", "df.index.set_names('a')", "df.set_index(['k', 's']).index.set_names('x', level=1)", "df.index.set_names(['a', 'b'])")
cases("Index.rename", "df.index.rename('a')", "rdf.index.rename(None)")
cases(
    "Index.to_frame",
    "dl.index.to_frame()", "dl.index.to_frame(index=False, name='x')", "df.set_index(['k', 's']).index.to_frame()", "rdf.index.to_frame()",
)
cases("Index.to_series", "dl.index.to_series()", "dl.index.to_series(name='x')", "rdf.index.to_series(index=range(6))")
cases("frame.to_frame", "s.to_frame()", "sl.to_frame('w')", "s.rename(None).to_frame()")
cases("Index.get_level_values", "df.set_index(['k', 's']).index.get_level_values('s')", "df.set_index(['k', 's']).index.get_level_values(0)")

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
