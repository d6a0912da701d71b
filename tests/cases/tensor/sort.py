"""Cases of tensor/sort."""

from tests.cases import cases

# fmt: off
cases("sort argsort", "x", "x, axis=0", "x, axis=None", "v", "s0, axis=None", "s0", "e, axis=0")
cases(
    "sort",
    "i, axis=1", "w", "n", "n, None", "vn", "h, axis=0", "z, axis=1", "b, axis=0", "c3, axis=1", "x, axis=2", "x, kind='stable'", "x, kind='nope'",
    "e", "v, kind='stable', stable=True", "v, stable=True", "v, order='f'",
)
cases(
    "argsort",
    "i, 1", "w, kind='stable'", "n, kind='stable'", "n, axis=0, stable=True", "n, axis=None, kind='stable'", "vn, kind='stable'",
    "b, axis=0, kind='stable'", "z, axis=0", "s0, axis=0", "s0, axis=1", "x, axis=-3", "x, kind='no'",
)
