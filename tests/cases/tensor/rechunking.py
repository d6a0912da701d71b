"""Cases of tensor/rechunking."""

from tests.cases import cases, oracle

# fmt: off
cases("rechunk", "x, 3", "x, (3, 2)", "x, {1: 5}", "x, ((3, 4), (5,))", "v[v > 0], 2", "s0, 3")
cases("rebalance", "x, num_partitions=3", "x, 2.0, 1", "v[v > 0], 1")
cases("map_chunk", "x, 3", "x, np.sqrt", "x, np.power, (2,)", "i, np.sqrt, elementwise=True", "x, np.round, dtype='f8', shape=(7, 5)")
# fmt: on

oracle("rechunk", lambda x, *args: x)
oracle("rebalance", lambda x, *args, **kwargs: x)
oracle("map_chunk", lambda x, func, args=(), **kwargs: func(x, *args))
