"""Cases of tensor/statistics."""

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases(
    "average",
    "x", "x, axis=0", "x, weights=u", "x, axis=1, weights=u", "x, axis=1, weights=[1, 2, 3, 4, 5]", "x, returned=True",
    "x, axis=0, weights=u, returned=True", "i, axis=0, keepdims=True", "x, weights=[1, 2]", "x, axis=0, weights=[1, 2]", "n, weights=n",
    "c3, axis=(0, 2), weights=c3, keepdims=True", "c3, axis=(1, 2), weights=m57[:3]", "x, weights=x - x", "z, axis=0, weights=u",
)
cases(
    "cov",
    "x", "x, rowvar=False", "v", "x, y", "i, bias=True", "x, ddof=0", "x, aweights=[1, 2, 3, 4, 5]", "x, fweights=[1, 2, 3, 4, 5]", "z",
    "x, dtype='f4'", "v, w", "x, fweights=[1.5, 2, 3, 4, 5]", "x, ddof=0.5", "c3", "x, aweights=[1, 2, 3, 4, 5], fweights=[1, 2, 1, 2, 1]",
    "x, aweights=[1, 2]", "h", "v, fweights=[[1]]",
)
cases("corrcoef", "x", "x, rowvar=False", "v", "x, y", "z", "v, w", "i")
cases("trapz", "x", "x, axis=0", "v", "v, np.arange(11) ** 2", "x, dx=0.5", "x, x=[1, 2, 4, 8, 9]", "x, y, axis=0", "i, axis=2")
# fmt: on

oracle("trapz", np.trapezoid)
