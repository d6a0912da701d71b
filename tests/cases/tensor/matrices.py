"""Cases of tensor/matrices."""

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
