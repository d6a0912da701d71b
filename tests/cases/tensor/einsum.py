"""Cases of tensor/einsum."""

from tests.cases import cases

# fmt: off
cases(
    "einsum",
    "'ij,jk->ik', x, m57", "'ij,jk', x, m57", "'ii', sq", "'ii->i', sq", "'ij->ji', x", "'ij->', x", "'ij,ij->i', x, y", "'i,j->ij', v, w",
    "'...j,jk->...k', c3, m57", "'ijk,ik->jk', c3, x[:4]", "x, [0, 1], m57, [1, 2], [0, 2]", "'ij,jk,kl->il', x, m57, x", "'ij,j', b, b[0]",
    "'ij,jk->ik', x, x", "'ij', v", "'ij->iz', x", "'ij,jk->ik', n.astype('i1'), n.T.astype('i1')", "'ij,jk->ik', b, b.T", "'...ij->...ji', c3",
    "'ij,jk->ik', x, m57, optimize=True", "'ij->j', i, dtype='f8'", "'ij,ij', e, e", "'i...->...', c3",
)
