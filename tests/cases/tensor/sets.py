"""Cases of tensor/sets."""

from tests.cases import cases

# fmt: off
cases(
    "unique",
    "n", "x", "vn", "b", "z", "n, return_index=True", "n, return_inverse=True", "n, return_counts=True", "n, True, True, True",
    "vn, True, True, True", "n, axis=0", "n, axis=1, return_inverse=True, return_counts=True", "vn, equal_nan=False",
    "vn, True, True, True, equal_nan=False", "e", "s0", "n, axis=2", "e, return_inverse=True", "z, return_index=True",
)
cases("union1d", "n, w", "x, y", "vn, v", "e, i")
cases("setdiff1d", "e, i", "n, [1, 3]", "w, i", "v, w, True")
cases("intersect1d", "w, i", "n, [1, 3, 9]", "[1, 3, 2], [1.0, 2.0, 2.5]")
cases(
    "searchsorted",
    "f(np.sort(v), x)", "np.arange(9.0), x", "np.arange(9.0), x, side='right'", "np.arange(9), 3", "np.arange(9), n, 'right'",
    "v, x, sorter=np.argsort(np.array([3]))", "np.arange(9), n, 'up'", "x, n", "np.array([1, 1, 2, 2, 2, 5]), n, side='right'",
    "np.array([3, 1, 2]), n, sorter=[1, 2, 0]",
)
cases(
    "digitize",
    "x, [0, 2, 5.5]", "i, [9, 4, 1]", "x, [0, 2, 5.5], right=True", "v, np.arange(4)", "x, [1, 3, 2]", "s0, [1, 2]", "n, [1, 3, 3], True",
)
cases(
    "bincount",
    "n", "np.array([3, 1, 1, 7])", "f(abs(w))", "f(abs(w), weights=v)", "f(abs(w), minlength=40)", "w", "v", "f(abs(w), v[:3])",
    "f(abs(w), minlength=-1)", "f(abs(w)[:0])",
)
