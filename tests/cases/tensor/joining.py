"""Cases of tensor/joining."""

from tests.cases import cases

# fmt: off
cases(
    "concatenate",
    "[x, y], 1", "[x, i]", "[x, y[:, :2]], axis=1", "[x, y], axis=None", "[v, w, v[:0]]", "[v[v > 2], w]", "[x, v]", "[]", "[s0, s0]", "[x, y], 2",
    "[x, y[:, :2]]", "[x, i], dtype='f4'", "[x, i], dtype='i4', casting='safe'", "(x, x), -1", "x", "[[1, 2], [3]]", "[b, n]", "[z, x]", "[e, x]",
)
cases(
    "stack",
    "[x, y], 1", "[x, v]", "[]", "[s0, s0]", "[x, i], dtype='f4'", "x", "[x, y]", "[x, i], -1", "[x, y], 3", "[v[v > 0], v[v > 0]]", "[v[v > 0], v]",
)
cases("dstack", "[x, v]", "[]", "[x, i], dtype='f4'", "x", "[x, y]")
cases("dstack vstack hstack", "(v, w)", "[s0, 2.0]", "[c3, c3]")
cases("vstack", "[x, v]", "[]", "[x, i], dtype='f4'", "x", "[x, y]", "[x, x[:, :1]]", "[x, x[:1]]")
cases("hstack", "[x, v]", "[]", "[x, i], dtype='f4'", "x", "[x, y]", "[x, x[:, :1]]", "[x, x[:1]]")
cases("column_stack", "[]", "[s0, s0]", "[x, y]", "[v, w]", "[x, x[:, 0]]", "[v, x]")
cases(
    "block",
    "[]", "x", "[x, y]", "[[x, y], [i, n]]", "[v, 3.0]", "[[x], [x[:1]]]", "[[x, x[:, :1]], [y, y[:, :1]]]", "[[x], y]", "[(x, y)]",
    "[[[c3]], [[c3]]]",
)
cases("append", "x, y", "x, y, 0", "v, 3", "v, [1, 2], 0", "x, v, 0")
