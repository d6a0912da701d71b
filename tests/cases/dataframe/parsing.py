"""Cases of dataframe/parsing."""

from tests.cases import cases

# fmt: off
cases(
    "to_datetime",
    "md.to_datetime(df.t)", "md.to_datetime(df[df.k > 2].t.astype(str))", "md.to_datetime(df.t.astype(str))", "md.to_datetime(si + 10, unit='D')",
)
cases("to_numeric", "md.to_numeric(si)", "md.to_numeric(si.astype(str))", "md.to_numeric(s)")
