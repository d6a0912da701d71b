"""Cases of tensor/sort."""

import numpy as np

from tests.cases import cases, oracle

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

cases(
    "partition",
    "f(x, 2)[:, 2]", "f(x, 3, axis=0)[3]", "f(x, 4, axis=None)[4]", "f(v, [2, 5])[2]", "f(v, -1)[-1]", "v, 11", "x, 1.5", "x, 1, axis=4",
)
cases("argpartition", "f(x, 2)[:, 2]", "f(x, 3, axis=0)[3]", "f(v, 4, axis=None)[4]", "v, 12", "s0, 0", "s0, 0, axis=0")
cases(
    "topk argtopk",
    "x, 2", "x, 3, axis=0", "v, 4", "v, 4, largest=False", "n, 3, axis=1", "n, 4, axis=0, largest=False", "x, 50", "vn, 9", "x, 0", "x, 2, axis=5",
    "c3, 2, axis=1", "x, 2.5",
)
# fmt: on


def topk(a, k, axis=-1, largest=True, sorted=True):
    ordered = np.sort(a, axis=axis)
    ordered = np.flip(ordered, axis=axis) if largest else ordered
    return np.take(ordered, np.arange(min(k, a.shape[axis])), axis=axis)


def argtopk(a, k, axis=-1, largest=True, sorted=True):
    """Of equal ones those that come first; a hole is larger than all numbers."""
    values = np.asarray(a, "f8")
    ranked = np.where(np.isnan(values), -np.inf, -values) if largest else values
    order = np.argsort(ranked, axis=axis, kind="stable")
    return np.take(order, np.arange(min(k, a.shape[axis])), axis=axis)


oracle("topk", topk)
oracle("argtopk", argtopk)
