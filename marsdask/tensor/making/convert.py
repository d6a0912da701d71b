"""Tensors to and from other libraries: Dask, xarray."""

from __future__ import annotations

import importlib
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import MissingExtra
from marsdask.plan import registry
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import public
from marsdask.tensor.core import called
from marsdask.tensor.making.creation import tensor


@public("tensor.from_dask", function=True)
def from_dask(array: Any) -> Any:
    """A tensor over a `dask.array.Array`: the same chunks, nothing run."""
    checks.instance(array, "from_dask(array=)", da.Array, "a dask.array.Array")
    return registry.wrap(Node("from_dask", (Data(array),)))


def _xarray() -> Any:
    try:
        return importlib.import_module("xarray")
    except ImportError:
        raise MissingExtra.needed("xarray", "xarray", "exchange with xarray") from None


@public("from_xarray")
def from_xarray(array: Any) -> Any:
    """A tensor over an xarray DataArray's values; dimension names and coordinates stay behind."""
    checks.instance(array, "from_xarray(array=)", _xarray().DataArray, "an xarray.DataArray")
    return from_dask(array.data) if isinstance(array.data, da.Array) else tensor(array.data)


@public("to_xarray", function=False, owners=["Tensor"])
def to_xarray(self: Any, dims: Any = None, coords: Any = None, name: str | None = None) -> Any:
    """An xarray DataArray over the lowered Dask array, which xarray handles in all its operations."""
    return _xarray().DataArray(self.to_dask(), dims=dims, coords=coords, name=name)


@public("to_dataframe", function=False, owners=["Tensor"])
def to_dataframe(self: Any, index: Any = None, columns: Any = None) -> Any:
    """A DataFrame of a tensor of one or two axes: `md.dataframe_from_tensor`."""
    importlib.import_module("marsdask.dataframe")  # above this room: it puts the operation into the registry
    return called("dataframe_from_tensor", self, index, columns)


@public("from_dataframe")
def from_dataframe(df: Any, dtype: Any = None) -> Any:
    """A tensor of a frame's values: `df.to_tensor()`."""
    frames = importlib.import_module("marsdask.dataframe")
    frame = registry.CONVERTERS[registry.Frame](df) if not isinstance(df, frames.DataFrame) else df
    values = registry.make("to_tensor", frame)
    return values if dtype is None else registry.make("astype", values, np.dtype(dtype))
