"""Cases of tensor/creation."""

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases("tensor", "[[1, 2], [3, 4]]", "3.5", "x")
cases("tensor asarray array", "[1, 2], dtype='f4'", "x, 'i4'", "[1, 'a']", "[[1], [2, 3]]", "np.ones((3, 2)).T")
cases("asarray", "[[1, 2], [3, 4]]", "3.5", "x", "x, order='F'")
cases("array", "[[1, 2], [3, 4]]", "3.5", "x", "x, order='F'", "v, ndmin=3", "[1, 2], ndmin=2")
cases("scalar", "3.5", "2, 'f4'")
cases("ascontiguousarray", "[[1, 2], [3, 4]]", "3.5", "x", "x.T, 'f4'", "v")
cases("asfortranarray", "[[1, 2], [3, 4]]", "3.5", "x", "x.T, 'f4'", "v")
cases("ones zeros", "(3, 4)", "5, dtype='i4'", "()", "(0, 3)", "[2, 3]", "(2.0, 3)", "(3, 4), order='F'", "(3, 4), dtype='c8'", "3, dtype='nope'")
cases("ones", "-1")
cases("zeros", "-1")
cases("empty", "-1", "f((3, 4)).shape", "f(3, 'i4').dtype")
cases(
    "full",
    "(3, 4), 2.5", "3, 7", "(2, 3), [1, 2, 3]", "(7, 5), x[0]", "3, 2.7, 'i4'", "(2, 2), 1j", "3, 300, 'i1'", "(2, 3), [1, 2]",
    "(3, 4), 1, order='F'", "-2, 1", "3, True",
)
cases("ones_like", "x", "x, order='F'")
cases("ones_like zeros_like", "i, 'f4'", "3", "x, shape=(2, 2)", "v[v > 0]", "e", "x.T", "[[1, 2]]")
cases("zeros_like", "x", "x, order='F'")
cases("empty_like", "f(x).shape", "f(i, 'f4').dtype")
cases("full_like", "x, 3", "i, 2.7", "x, 1, 'i2'", "x, x[0]", "x, [1, 2]", "n, 1e30", "v[v > 0], 5", "x, 2, shape=(3,)")
# fmt: on

oracle("tensor", np.array)
oracle("scalar", np.asarray)
