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
