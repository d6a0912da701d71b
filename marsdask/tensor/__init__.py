"""`mt`: NumPy's API on chunked arrays."""

from typing import Any

from marsdask import gaps, registry
from marsdask.errors import UnknownName
from marsdask.tensor import constants, convert, creation, elementwise, fusion, reduction, sort
from marsdask.tensor import axes, rearranging, rechunking
from marsdask.tensor import cumulative, grids, indexing, joining, manipulation, reshaping, rounding, selecting, sequences, sets, setitem, triangles, writes
from marsdask.tensor import fft, images, linalg, products, random, spatial, special, statistics, stats
from marsdask.tensor import einsum, histogram, partition, quantiles
from marsdask.tensor.core import ExecutableTuple, Tensor
globals().update(constants.VALUES | grids.VALUES)
__all__ = ["ExecutableTuple", "Tensor", *constants.VALUES, *grids.VALUES, *registry.fill(globals(), "tensor")]
registry.attach(Tensor, "Tensor")


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.tensor", name, __all__)
gaps.close(__name__)
