"""Cases of tensor/triangles."""

from tests.cases import cases

# fmt: off
cases("diag", "v", "v, 2", "v, -1", "x, -3", "x, 9", "v[v > 0]", "sq.T, 1", "[1, 2]", "x, 1.0")
cases("diag tril triu", "x", "x, 1", "c3", "s0")
cases("diagflat", "v", "x[:2, :2], 1", "3", "[[1, 2], [3, 4]]")
cases("tril", "v", "[[1, 2], [3, 4]]", "x, -2", "c3, 1", "e", "x, 20")
cases("triu", "v", "[[1, 2], [3, 4]]", "x, -2", "c3, 1", "e", "x, 20")
