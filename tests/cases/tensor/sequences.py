"""Cases of tensor/sequences."""

from tests.cases import cases

# fmt: off
cases(
    "arange",
    "10", "2, 10", "2, 10, 3", "0.5, 3, 0.3", "10, 0, -3", "5, 2", "10, dtype='f4'", "0, 5, 0.5, 'i8'", "-3, 7, 2, dtype='i2'", "3, 9, 0",
    "np.datetime64('2000-01-01'), np.datetime64('2000-02-01')", "0, 1, 0.1", "0",
)
cases(
    "linspace",
    "0, 1", "2, 5, 7", "2, 5, 7, endpoint=False", "0, 10, 5, dtype=int", "3, 3, 4", "0, 1, 1", "0, 1, 0", "1j, 5, 4", "0, 1, -1", "0, 1, 4.0",
    "0, 1, 5, retstep=True", "x[0], 3.0, 4", "x[0], x[1], 4, axis=1", "-3, -9.5, 6, dtype='i4'", "[1, 2], [3, 4], 3, False",
    "0, 1, 11, True, False, 'f4'",
)
cases("eye", "0", "5", "5, 7", "7, 5, -2", "4, k=9", "3, dtype='i4'", "5, order='F'", "5.0", "-1", "5, 7, 1.5")
cases("identity", "4", "3, 'i4'", "2.0")
cases(
    "meshgrid",
    "v, w[:3]", "v, w[:3], indexing='ij'", "v, [1, 2], sparse=True", "v", "v, [1, 2], 3", "v, w, indexing='q'", "v[v > 0], [1, 2]",
    "v, w, copy=False", "x[:2], [1, 2]",
)
cases("indices", "(3, 4)", "(2, 3, 2), 'f4'", "(3, 4), sparse=True", "(2,)", "(0, 3)", "(2.5,)")

cases("diag", "v", "v, 2", "v, -1", "x, -3", "x, 9", "v[v > 0]", "sq.T, 1", "[1, 2]", "x, 1.0")
cases("diag tril triu", "x", "x, 1", "c3", "s0")
cases("diagflat", "v", "x[:2, :2], 1", "3", "[[1, 2], [3, 4]]")
cases("tril", "v", "[[1, 2], [3, 4]]", "x, -2", "c3, 1", "e", "x, 20")
cases("triu", "v", "[[1, 2], [3, 4]]", "x, -2", "c3, 1", "e", "x, 20")
