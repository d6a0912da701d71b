"""Cases of tensor/matrices."""

import numpy as np
import scipy.linalg

from tests.cases import cases, oracle

# fmt: off
cases("linalg.inv", "sq", "spd", "i[:5]", "spd[None] + np.zeros((2, 1, 1))", "sq * 0", "v")
cases(
    "linalg.inv linalg.det linalg.slogdet linalg.pinv linalg.eigh linalg.eigvalsh linalg.svdvals linalg.cond linalg.matrix_rank linalg.cholesky "
    "linalg.lu",
    "x",
)
cases("linalg.det", "sq", "i[:5]", "spd[None] + np.zeros((2, 1, 1))")
cases("linalg.slogdet", "sq")
cases("linalg.pinv", "sq", "i", "x, 0.1", "spd, hermitian=True")
cases("linalg.eigh", "f(spd)[0]", "f(sq)[0]", "f(sq, 'U')[0]", "f(sq)[1] ** 2", "sq, 'Z'")
cases("linalg.eigvalsh", "sq", "spd", "sq, 'U'")
cases("linalg.svdvals", "sq", "m57", "c3", "z")
cases("linalg.matrix_power", "sq, 3", "sq, 0", "sq, -1", "x, 2", "sq, 1.5")
cases("linalg.cond", "sq", "sq, 1", "sq, 'fro'")
cases("linalg.matrix_rank", "sq", "spd * 0", "x, 1000.0")
cases("linalg.cholesky", "spd", "spd[None] + np.zeros((2, 1, 1))", "-spd")
cases("linalg.solve", "sq, v[:6]", "sq, sq", "spd, x[:6]", "sq * 0, v[:6]", "x, v[:5]", "sq, v", "spd[None] + np.zeros((2, 1, 1)), sq")
cases("linalg.solve_triangular", "sq, v[:6]", "x, v[:5]", "sq, x[:6], lower=True", "sq, v[:6], trans=1", "sq, v[:6], unit_diagonal=True")
cases("linalg.lstsq", "f(x, v[:7])[0]", "f(x, y)[0]", "f(x, y)[3]", "f(x, v[:7])[1]", "x, v")
cases("linalg.lu", "sq", "v", "i", "m57")
# fmt: on


def solved_triangular(a, b, lower=False, trans=0, unit_diagonal=False):
    return scipy.linalg.solve_triangular(a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal)


oracle("linalg.solve_triangular", solved_triangular)
oracle("linalg.lu", scipy.linalg.lu)

# fmt: off
cases("linalg.qr", "f(x)[0]", "f(x)[1]", "f(sq)", "f(m57)", "x, 'complete'", "x, 'r'", "x, 'no'", "v", "c3", "i", "z")
cases("linalg.svd", "v", "c3", "i", "z", "x", "m57", "x, compute_uv=False", "x, full_matrices=True", "sq, hermitian=False", "x, hermitian=True")
cases("linalg.matrix_power", "sq.astype(object), 3")
cases("linalg.norm", "xo", "xo[0]", "xo, 1", "xo, np.inf, axis=1")
# fmt: on

# The full factor of a tall matrix is what nobody can hold: Mars does not give it unless asked.
oracle(
    "linalg.svd",
    lambda a, full_matrices=False, *args, **kwargs: np.linalg.svd(a, full_matrices, *args, **kwargs),
)

# fmt: off
cases(
    "linalg.norm",
    "x", "v", "c3", "x, 'fro'", "x, 1", "x, -1", "x, np.inf", "x, -np.inf", "x, 2", "x, -2", "x, 'nuc'", "v, 1", "v, 0", "v, 3", "v, np.inf",
    "v, -np.inf", "i, axis=0", "x, axis=1, keepdims=True", "c3, axis=(0, 2)", "c3, 'nuc', axis=(2, 0), keepdims=True", "c3, 1, (1, 2), True", "z",
    "z, 'fro'", "z, 2, axis=0", "x, 'no'", "v, 'fro'", "c3, 2", "x, 7", "x, axis=3", "i", "v, -1", "x, keepdims=True", "i, 0, axis=1",
)
