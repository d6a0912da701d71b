"""Cases of tensor/histogram."""

from tests.cases import cases

# fmt: off
cases(
    "histogram histogram_bin_edges",
    "x", "x, 4", "i, bins=[0, 2, 5, 30]", "x, 5, (-3, 9)", "v, 'auto'", "x, bins='sturges'", "x, bins='fd', range=(-5, 5)", "n, 7", "x, 0", "x, 2.5",
    "h", "x, 'no'", "x, [3, 1]", "x, 4, (5, 1)", "e, 3", "b, 2", "x, weights=u, bins=3", "v - v, 3", "x, [[1, 2]]", "x, np.array([-5.0, 0, 10])",
)
cases("histogram", "x, 4, density=True", "x, 4, density=True, weights=u", "i, [0, 2, 5, 30], density=True", "i, weights=n")
