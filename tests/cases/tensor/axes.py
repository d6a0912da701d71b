"""Cases of tensor/axes."""

from tests.cases import cases

# fmt: off
cases("transpose", "x", "c3, (2, 0, 1)", "c3, (-1, 0, 1)", "x, (0, 0)", "x, (0,)", "x, (0, 5)", "s0")
cases("Tensor.transpose", "x", "c3, (2, 0, 1)", "c3, 2, 0, 1", "x, None")
cases("swapaxes", "c3, 0, -1", "x, 0, 0", "x, 0, 2")
cases("moveaxis", "c3, 0, -1", "c3, [0, 1], [-1, 0]", "c3, (0, 0), (1, 2)", "c3, 0, 3", "c3, (0, 1), 0")
cases("rollaxis", "c3, 0, 3", "c3, 2", "c3, 1, 0", "c3, -1, -2", "c3, 3", "c3, 0, 4", "c3, 1, 1")
cases("squeeze", "x", "x[:1]", "c3[:1, :, :1]", "c3[:1, :, :1], 0", "c3[:1, :, :1], (0, -1)", "x, 0", "x[:1], 5", "v[v > 1]")
cases("expand_dims", "x, (0, 0)", "x, 0", "x, -1", "x, (0, 2)", "x, 4", "s0, 0", "x, 1.0")
cases("flip", "x", "s0", "x, 0", "c3, (0, -1)", "x, 2", "v[v > 0]", "e")
cases("flipud", "x", "s0", "v")
cases("fliplr", "x", "s0", "v")
cases("atleast_1d", "x", "s0", "v")
cases("atleast_1d atleast_2d atleast_3d", "c3", "3.5", "v, s0, x", "[1, 2]")
cases("atleast_2d", "x", "s0", "v")
cases("atleast_3d", "x", "s0", "v")
cases(
    "broadcast_to",
    "x, (2, 7, 5)", "v[:1], 4", "x[:, :1], (7, 3)", "x, (7, 4)", "x, (5,)", "s0, (2, 2)", "x, (2, -1, 5)", "x[:1], (0, 5)", "3, (2,)",
)
cases("broadcast_arrays", "x, x[0], 3", "x, v", "v[v > 0], 2.0")
