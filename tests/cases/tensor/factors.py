"""Cases of tensor/factors."""

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases("linalg.qr", "f(x)[0]", "f(x)[1]", "f(sq)", "f(m57)", "x, 'complete'", "x, 'r'", "x, 'no'", "v", "c3", "i", "z")
cases("linalg.svd", "v", "c3", "i", "z", "x", "m57", "x, compute_uv=False", "x, full_matrices=True", "sq, hermitian=False", "x, hermitian=True")
# fmt: on

# The full factor of a tall matrix is what nobody can hold: Mars does not give it unless asked.
oracle(
    "linalg.svd",
    lambda a, full_matrices=False, *args, **kwargs: np.linalg.svd(a, full_matrices, *args, **kwargs),
)
