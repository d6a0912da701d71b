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

cases("split", "x, [2, 5]", "x, 3", "c3, 2", "x, 2, 5")
cases("split array_split", "x, 5, 1", "c3, 2, axis=2", "v, [3, 3, 20]", "v[v > 0], [1, 3]", "v, [-3]", "v, [5, 2]")
cases("array_split", "x, [2, 5]", "x, 3", "c3, 2", "x, 2, 5")
cases("vsplit", "x, [2, 5]", "c3, 2", "s0, 1")
cases("vsplit hsplit dsplit", "c3, [1]", "v, [3]", "v, 11", "c3, 5", "sq, 3")
cases("hsplit", "x, [2, 5]", "c3, 2", "s0, 1")
cases("dsplit", "x, [2, 5]", "c3, 2", "s0, 1")
cases(
    "roll",
    "x, 3", "s0, 1", "x, -2, 0", "x, (1, -3), (0, 1)", "v, 20", "x, 2, (0, 1)", "x, (1, 2), 0", "x, 1, 2", "e, 1", "v[v > 0], 2",
    "x, (1, 2, 3), (0, 1)",
)
cases(
    "repeat",
    "x, 2, 5", "v[v > 0], 2", "x, 2", "x, 3, 0", "x, [0, 2, 1, 3, 1], 1", "x, 0, 0", "v, w % 3", "x, [2], 1", "x, -1", "x, [1, 2], 0", "s0, 3",
    "x, n[0], 1", "s0, 3, axis=0", "s0, [2], axis=-1", "s0, 2, axis=1",
)
cases("tile", "v[v > 0], 2", "x, 2", "x, -1", "s0, 3", "x, (2, 1, 3)", "v, (2, 2)", "x, 0", "x, ()", "x, 1.5")
cases(
    "insert",
    "x, 1, 9", "x, 1, 9, 0", "x, [1, 3], [[1], [2]], 0", "x, 1, v[:7], 1", "x, [1], v[:7, None], 1", "v, [0, 2, 2], [7, 8, 9]", "v, slice(1, 4), 0.5",
    "x, -1, y[0], 0", "x, 8, 0, 0", "v, [3, 30], 1", "x, 2, y, 0", "x, [5, 0], y[:2], 0", "v, [], 3", "i, 1, 2.7, 1", "x, 1, v, 0", "v, 1.5, 2",
    "x, [[1]], 0", "v[v > 0], 1, 3.0", "s0, 0, 1",
)
cases(
    "delete",
    "x, 1", "x, 1, 0", "x, [1, -1], 1", "x, slice(1, 4), 0", "x, slice(None, None, -2), 0", "x, [9], 0", "x, [1.0], 0", "x, [], 0", "v, v > 3",
    "x, [True, False] * 3 + [True], 0", "v, w[:4] % 3", "v[v > 0], 1", "x, 2, 2",
)
cases("tile", "xo, 0", "xo, 2")
