"""Cases of dataframe/indexing."""

from tests.cases import cases

# fmt: off
cases("DataFrame.pop", "df.pop('k')", "df.pop('nope')")

cases(
    "frame.head frame.tail",
    "df.OP()", "df.OP(3)", "df.OP(0)", "df.OP(-2)", "df.OP(100)", "dl.OP(n=4)", "s.OP(2)", "df[df.k > 2].OP(3)", "e.OP(2)", "df[df.k > 2].OP(-1)",
)
cases("frame.take", "df.take([3, -1, 0])", "df.take([1, 0], axis=1)", "s.take([2, 2])", "df.take([99])")
