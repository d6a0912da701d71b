"""Cases of tensor/selecting."""

from tests.cases import cases

# fmt: off
cases(
    "take",
    "x, [3, 0, 3]", "x, [3, 0, 3], 0", "x, [[1, 0], [4, 4]], 1", "x, 2, 1", "x, [9, -1, 12], 0, mode='wrap'", "x, [9, -1, 2], 1, mode='clip'",
    "x, [50]", "x, n, 1", "x, 3", "x, [], 0", "[4, 3, 5, 7, 6, 8], [0, 1, 4]", "v[v > 0], [1, 0]", "x, [0], mode='nope'", "s0, [0, 0], axis=0",
    "s0, 0, axis=-1", "s0, [0], axis=1",
)
cases(
    "compress",
    "[0, 1, 1], x, 0", "[True, False, True], x, 1", "[0, 1, 1, 0, 1], x", "x[:, 0] > 0, x, 0", "x[0] > 0, x, 1", "x[:3, 0] > 0, x, 0",
    "[0, 1] * 4, x, 0", "x > 0, x, 0", "[True], s0, 0",
)
cases("Tensor.compress", "x, [0, 1], 1")
cases("extract", "x > 0, x", "n, i", "b, x", "[True, False], [1, 2]")
cases(
    "choose",
    "n, [x, y, x + 1, y + 1, i, 5]", "n, [x, y], mode='wrap'", "n, [x, i], mode='clip'", "n, [x, y]", "[0, 1], [[1, 2], [3, 4]]", "x, [x, y]",
    "n[0], sq[:, :5], mode='wrap'", "n, []", "n, [x], mode='q'",
)
cases("nonzero argwhere flatnonzero", "n", "b", "e")
cases("nonzero", "v > 3", "h", "c3 > 0", "v[v > 0] > 4")
cases("argwhere", "v > 3", "c3 > 0", "s0")
cases("flatnonzero", "v[v > 0] > 4", "s0")
cases("unravel_index", "n, (3, 4)", "[3, 7], (2, 5)", "4, (2, 3)", "n, 7", "n, (3, 4), 'F'", "x, (3, 4)", "n, (2, 2)", "n, (3, 4), 'K'")
