"""Cases of dataframe/queries."""

from tests.cases import cases

# fmt: off
cases(
    "frame.query",
    "num.query('k > 2')", 'df.query(\'k > 2 and v < 5 or s == "x"\')', "num.query('v > v.mean()')", "num.query('k in [1, 2]')",
    "num.query('index > 3')", "num.query('k > @zz', local_dict={'zz': 2})", 'df.query(\'s.str.contains("x")\')', "num.query('nope > 1')",
    "num.query(3)", "num.query('k > @unknown_name')", "num.query('`k` > 2')", "num.query('k == [1, 3]')", "num.query('')", "num.query('k > 2 and')",
)
cases(
    "frame.eval",
    "num.eval('k + v')", "num.eval('z = k * 2')", "num.eval('k.sum()')", "num.eval('k > 2 & v < 1')", "num.eval('v - v.mean()')",
    "num.eval('a = k + 1\\nb = a * 2')", "num.eval('sin(v)')", "num.eval('nope + 1')", "num.eval('k + @zz', local_dict={'zz': 2})",
)
