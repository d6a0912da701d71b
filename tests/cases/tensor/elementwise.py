"""Cases of tensor/elementwise."""

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases("around", "x")
cases("around round round_", "x, 1", "y, -1", "i, -1", "z, 1", "s0")
cases("fix", "x", "y", "v")
cases("i0", "v", "u")
cases("sinc", "x", "u", "i")
cases("angle", "x", "z", "z, True", "x, deg=True")
cases("isreal", "x", "i", "z")
cases("iscomplex", "x", "z", "b")
cases("nan_to_num", "i", "h", "g", "g, nan=2, neginf=-5", "x, posinf=3")
cases("isclose", "x, y", "x, x + 1e-9", "h, h, equal_nan=True", "h, h", "x, 3.25, rtol=0.5", "x, y[0], atol=2.0")
cases("round", "x")
cases("round_", "x")
cases(
    "clip",
    "x, 0, 5", "x, None, 3", "x, -2, None", "i, 0, 2.5", "x, y[0], 9", "h, -3, 3", "x, 5, 1", "i, min=2, max=6", "x, a_max=3, a_min=None",
    "n, np.int8(1), 3",
)
cases("allclose", "x, y", "h, h, equal_nan=True", "h, h", "x, x + 1e-12", "x, x + 0.1, atol=0.2", "e, e")
cases("array_equal", "x, y", "h, h, equal_nan=True", "h, h", "e, e", "x, x", "x, v", "i, i + 0", "x, 3", "x[:3], x[:3]")
cases(
    "isin",
    "i, {1, 2}", "vo, vo[::2]",
    "x, y", "i, [1, 3, 900]", "n, n[0], invert=True", "h, [np.nan, 3]", "i, 4", "x, e", "n, [2, 3], kind='sort'", "n, 3, kind='no'", "w, i, True",
)
cases("in1d", "x, y", "n, [2, 3], invert=True")
# fmt: on

oracle("round", np.around)
oracle("round_", np.around)
oracle("in1d", lambda a, b, *args, **kwargs: np.isin(np.ravel(a), b, *args, **kwargs))
