"""Cases of dataframe/indexing."""

from tests.cases import cases

# fmt: off
cases("DataFrame.pop", "df.pop('k')", "df.pop('nope')")
