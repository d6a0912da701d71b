"""Cases of dataframe/iteration."""

from tests.cases import cases

# fmt: off
cases(
    "frame.memory_usage",
    "num.memory_usage()", "num.memory_usage(index=False)", "dl.k.memory_usage(index=False)", "df.memory_usage(index=False, deep=True)",
)
