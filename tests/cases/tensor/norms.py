"""Cases of tensor/norms."""

from tests.cases import cases

# fmt: off
cases(
    "linalg.norm",
    "x", "v", "c3", "x, 'fro'", "x, 1", "x, -1", "x, np.inf", "x, -np.inf", "x, 2", "x, -2", "x, 'nuc'", "v, 1", "v, 0", "v, 3", "v, np.inf",
    "v, -np.inf", "i, axis=0", "x, axis=1, keepdims=True", "c3, axis=(0, 2)", "c3, 'nuc', axis=(2, 0), keepdims=True", "c3, 1, (1, 2), True", "z",
    "z, 'fro'", "z, 2, axis=0", "x, 'no'", "v, 'fro'", "c3, 2", "x, 7", "x, axis=3", "i", "v, -1", "x, keepdims=True", "i, 0, axis=1",
)
