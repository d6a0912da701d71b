"""Cases of dataframe/index."""

from tests.cases import cases

# fmt: off
cases("Index.set_names", "df.index.set_names('a')", "df.set_index(['k', 's']).index.set_names('x', level=1)", "df.index.set_names(['a', 'b'])")
cases("Index.rename", "df.index.rename('a')", "rdf.index.rename(None)")
cases(
    "Index.to_frame",
    "dl.index.to_frame()", "dl.index.to_frame(index=False, name='x')", "df.set_index(['k', 's']).index.to_frame()", "rdf.index.to_frame()",
)
cases("Index.to_series", "dl.index.to_series()", "dl.index.to_series(name='x')", "rdf.index.to_series(index=range(6))")
cases("frame.to_frame", "s.to_frame()", "sl.to_frame('w')", "s.rename(None).to_frame()")
cases("Index.get_level_values", "df.set_index(['k', 's']).index.get_level_values('s')", "df.set_index(['k', 's']).index.get_level_values(0)")
