"""Cases of tensor/cumulative."""

from functools import reduce

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases(
    "cumsum cumprod nancumsum nancumprod",
    "u", "u, axis=-1", "i, axis=1", "h, axis=1", "h", "c3, axis=1", "x, dtype='f4'", "z, axis=0", "i, dtype='i4'", "x.astype('f4'), axis=0",
)
cases("cumsum cumprod nancumsum nancumprod diff", "x, axis=0", "b, axis=0", "e, axis=0", "x, axis=2")
cases("cumsum", "v", "e", "s0")
cases("cumprod", "v", "e", "s0")
cases("nancumsum", "v", "e", "s0")
cases("nancumprod", "v", "e", "s0")
cases(
    "diff",
    "s0", "x", "x, 2", "x, n=9", "i, 3, axis=0", "b, n=2", "x, prepend=0", "x, axis=0, append=x[:2]", "v, n=2, prepend=[1, 2], append=9", "x, -1",
    "x, 0", "np.uint8([3, 1, 2])",
)
cases("ediff1d", "v", "e", "s0", "x", "i, to_end=[7, 8], to_begin=-1", "w, to_end=3", "w, to_end=0.5")
cases("tree_add", "x", "x, y, 3", "x, y, u, i, 2.5", "[x, y, x]")
cases("tree_multiply", "x", "x, y, 3", "x, y, u, i, 2.5", "[x, y, x]")
cases("cumsum cumprod", "xo, axis=0", "vo", "to", "lo")
# fmt: on

for _name, _ufunc in (("tree_add", np.add), ("tree_multiply", np.multiply)):
    oracle(_name, lambda *args, ufunc=_ufunc: reduce(ufunc, args[0] if isinstance(args[0], list) else args))
