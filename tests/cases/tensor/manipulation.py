"""Cases of tensor/manipulation."""

import numpy as np

from tests.cases import cases, oracle

# fmt: off
cases(
    "astype",
    "x, 'i4'", "i, float", "i, 'f4', casting='safe'", "x, 'i8', casting='same_kind'", "x, bool", "z, 'c8'", "i, str", "x, 'nope'",
    "x, 'f8', copy=False", "b, 'i1'", "x, 'f4', 'F'",
)
cases("copy", "x", "x, 'F'", "3.5", "x, 'Z'", "[[1, 2]]")
cases("Tensor.copy", "x", "x, 'F'", "x, 'Z'")
cases("Tensor.view", "x", "x, 'i8'")
cases(
    "where",
    "x > 0, x, y", "x > 0, x, 0", "n, i, 2.5", "x[:, :1] > 0, x[0], 7", "x > 3", "True, x, y", "x > 0, x.astype('f4'), 1.5", "x > 0, x",
    "x > 0, v, 1", "[True, False], 1, 2",
)
cases("shape", "x", "[[1, 2]]", "s0", "v[v > 2]")
cases("ndim", "x", "3")
cases("size", "x", "v[v > 2]", "x, 1", "x, 2")
cases("result_type", "x, i", "i, 'f4'", "i, 2.5")
# fmt: on

oracle("astype", np.ndarray.astype)

# fmt: off
cases("rechunk", "x, 3", "x, (3, 2)", "x, {1: 5}", "x, ((3, 4), (5,))", "v[v > 0], 2", "s0, 3")
cases("rebalance", "x, num_partitions=3", "x, 2.0, 1", "v[v > 0], 1")
cases("map_chunk", "x, 3", "x, np.sqrt", "x, np.power, (2,)", "i, np.sqrt, elementwise=True", "x, np.round, dtype='f8', shape=(7, 5)")
# fmt: on

oracle("rechunk", lambda x, *args: x)
oracle("rebalance", lambda x, *args, **kwargs: x)
oracle("map_chunk", lambda x, func, args=(), **kwargs: func(x, *args))
