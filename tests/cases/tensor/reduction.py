"""Cases of tensor/reduction."""

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases(
    "sum prod any all max min nansum nanprod nanmax nanmin ptp mean nanmean var std nanvar nanstd count_nonzero argmax argmin nanargmax nanargmin",
    "x", "x, axis=-1, keepdims=True", "i, axis=1", "b", "v", "s0", "x, axis=2", "c3, axis=1", "e, axis=1", "h", "h, axis=0", "e", "e, axis=0",
    "x[:0], axis=0", "x.astype('f4')", "n, axis=0",
)
cases(
    "sum prod any all max min nansum nanprod nanmax nanmin ptp mean nanmean var std nanvar nanstd count_nonzero argmax argmin nanargmax nanargmin "
    "amax amin product",
    "x, axis=0",
)
cases(
    "sum prod any all max min nansum nanprod nanmax nanmin ptp mean nanmean var std nanvar nanstd count_nonzero",
    "c3, axis=(0, 2)", "c3, axis=(-1, 0), keepdims=True", "x, axis=()", "x, axis=(0, 0)",
)
cases("sum prod any all nansum nanprod mean nanmean var std nanvar nanstd count_nonzero", "z, axis=0")
cases("sum prod nansum nanprod mean nanmean var std nanvar nanstd", "i, dtype='f4'", "x, axis=0, dtype='f4'")
cases("sum prod max min nansum nanprod nanmax nanmin", "x, axis=1, initial=3", "x, axis=0, initial=-2, where=b", "e, initial=5", "i, initial=100")
cases("sum prod any all max min nansum nanprod mean nanmean var std nanvar nanstd", "x, where=b")
cases("sum prod any all nansum nanprod mean nanmean var std nanvar nanstd", "x, axis=1, where=b", "h, axis=0, where=b[:1]")
cases("var std nanvar nanstd", "x, axis=0, ddof=1", "x, ddof=1.5", "i, axis=1, correction=1", "x, ddof=1, correction=1", "x, ddof=40")
cases("argmax argmin nanargmax nanargmin", "x, keepdims=True", "x, axis=(0, 1)", "g, axis=1", "g", "vn")
cases("mean nanmean", "f(i.astype('m8[h]'))", "f(i.astype('m8[h]'), axis=0)")
# What is made of objects are objects, not what a 1 would make: 2.7 is not 2.
cases("sum prod any all max min nansum nanprod nanmax nanmin mean nanmean var std argmax argmin nanargmax nanargmin count_nonzero", "xo", "vo")
cases(
    "sum prod any all max min ptp nansum nanprod nanmax nanmin mean nanmean var nanvar argmax argmin count_nonzero",
    "xo, axis=0", "xo, axis=1, keepdims=True",
)
cases("nansum nanprod nanmax nanmin nanmean nanargmax nanargmin", "ho", "ho, axis=1")
cases("sum prod max min", "xo, axis=0, initial=2.5, where=b", "f(xo * 2 + 1, axis=1)")
cases("sum mean", "xo, dtype='f4'")
cases("sum max min count_nonzero any", "to", "f(to + to)", "to[:0]")
cases("mean", "to")
cases("sum prod max", "lo", "f(lo + lo)")
# fmt: on

oracle("product", np.prod)
