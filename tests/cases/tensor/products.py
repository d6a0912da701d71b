"""Cases of tensor/products."""

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases("dot", "x, m57", "x, v[:5]", "m57, v[:7]", "x, 2", "3.0, x", "n, n.T", "v, w", "c3, c3", "i, m57", "x, s0")
cases("dot matmul", "v, v", "sq, sq", "b, b.T", "c3, m57", "n.astype('i1'), n.T.astype('i1')", "z, m57", "x, x", "e, m57", "e.T, e")
cases("matmul", "x, m57", "x, 2", "c3, c3.transpose(0, 2, 1)", "c3, x[:5, 0]", "x[:3, 0], c3", "c3[:1], c3.transpose(0, 2, 1)", "c3, v[:5]")
cases("inner", "x, m57", "x, 2", "v, w", "x, y", "c3, x", "b, b", "z, z", "e, x")
cases("innerproduct", "x, m57", "x, 2", "v, w", "x, y", "c3, x", "b, b", "z, z", "e, x")
cases("vdot", "x, m57", "v, w", "x, y", "b, b", "z, z", "z, x", "x, v")
cases("outer", "v, w", "b, b", "x, v", "z, 2", "e, v")
cases(
    "tensordot",
    "x, y", "x, m57, 1", "x, y, ([0], [0])", "x, m57, axes=(-1, 0)", "c3, c3, ([0, 2], [0, 2])", "c3, x, axes=([2], [1])", "v, w, 0", "b, b.T, 1",
    "x, y, 1", "x, m57, axes=([0, 1], [1, 0])", "n.astype('i1'), n.T.astype('i1'), 1", "x, y, 5", "x, y, ([0, 1], [0])", "z, m57, 1",
)
cases("kron", "x, m57", "x, 2", "v, w", "v, x", "n, b", "c3, v[:2]")
cases("trace", "x", "sq", "x, 1", "x, -2", "c3", "c3, 0, 1, 2", "n", "b", "x, dtype='f4'", "v", "c3, axis1=1, axis2=1", "c3, 0, 0, 5", "x, 50")
cases("dot matmul inner", "vo, vo", "xo, xo.T[:5, :5]", "xo[:5], xo")
cases("vdot", "vo, vo")
cases("matmul", "n, n.T, dtype='f4', casting='unsafe'", "x, m57, order='Q'")
# fmt: on

oracle("innerproduct", np.inner)

# fmt: off
cases(
    "einsum",
    "'ij,jk->ik', x, m57", "'ij,jk', x, m57", "'ii', sq", "'ii->i', sq", "'ij->ji', x", "'ij->', x", "'ij,ij->i', x, y", "'i,j->ij', v, w",
    "'...j,jk->...k', c3, m57", "'ijk,ik->jk', c3, x[:4]", "x, [0, 1], m57, [1, 2], [0, 2]", "'ij,jk,kl->il', x, m57, x", "'ij,j', b, b[0]",
    "'ij,jk->ik', x, x", "'ij', v", "'ij->iz', x", "'ij,jk->ik', n.astype('i1'), n.T.astype('i1')", "'ij,jk->ik', b, b.T", "'...ij->...ji', c3",
    "'ij,jk->ik', x, m57, optimize=True", "'ij->j', i, dtype='f8'", "'ij,ij', e, e", "'i...->...', c3",
)
