"""`mt`: NumPy's API on chunked arrays."""

from typing import Any

from marsdask.errors import UnknownName
from marsdask.plan import gaps, registry
from marsdask.tensor import (
    axes,
    constants,
    convert,
    creation,
    cumulative,
    einsum,
    elementwise,
    fft,
    fusion,
    grids,
    histogram,
    images,
    indexing,
    joining,
    linalg,
    manipulation,
    partition,
    products,
    protocol,
    quantiles,
    random,
    rearranging,
    rechunking,
    reduction,
    reshaping,
    rounding,
    selecting,
    sequences,
    setitem,
    sets,
    sort,
    spatial,
    special,
    statistics,
    stats,
    triangles,
    writes,
)
from marsdask.tensor.core import ExecutableTuple, Tensor

globals().update(constants.VALUES | grids.VALUES)
__all__ = ["ExecutableTuple", "Tensor", *constants.VALUES, *grids.VALUES, *registry.fill(globals(), "tensor")]
registry.attach(Tensor, "Tensor")


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.tensor", name, __all__)


gaps.close(__name__)
