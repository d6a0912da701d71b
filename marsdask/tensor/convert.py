"""Tensors to and from other libraries: Dask, xarray."""

from __future__ import annotations

import importlib
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentTypeError, MissingExtra
from marsdask.plan import registry
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import operation


def _check_dask(array: Any) -> Any:
    if not isinstance(array, da.Array):
        raise ArgumentTypeError(f"from_dask(array): expected a dask.array.Array, got {type(array).__name__}.")
    return registry.wrap(Node("from_dask", (Data(array),)))


@operation("tensor.from_dask", room="tensor", prepare=_check_dask)
def from_dask(array: Any) -> Any:
    """A tensor over a `dask.array.Array`: the same chunks, nothing run."""
    return array


def _xarray() -> Any:
    try:
        return importlib.import_module("xarray")
    except ImportError:
        raise MissingExtra.needed("xarray", "xarray", "exchange with xarray") from None


def _from_xarray(array: Any) -> Any:
    if not isinstance(array, _xarray().DataArray):
        raise ArgumentTypeError(
            f"from_xarray(array): expected an xarray.DataArray, got {type(array).__name__}."
        )
    return (
        registry.lookup("tensor").prepare(array.data)  # type: ignore[misc]
        if not isinstance(array.data, da.Array)
        else _check_dask(array.data)
    )  # type: ignore[misc]


@operation("from_xarray", room="tensor", prepare=_from_xarray)
def from_xarray(array: Any) -> Any:
    """A tensor over an xarray DataArray's values; dimension names and coordinates stay behind."""
    return array


def _to_xarray(self: Any, dims: Any = None, coords: Any = None, name: str | None = None) -> Any:
    return _xarray().DataArray(self.to_dask(), dims=dims, coords=coords, name=name)


@operation("to_xarray", room="tensor", owners=["Tensor"], function=False, prepare=_to_xarray)
def to_xarray(self: Any, dims: Any = None, coords: Any = None, name: str | None = None) -> Any:
    """An xarray DataArray over the lowered Dask array, which xarray handles in all its operations."""
    return self


def _to_dataframe(self: Any, index: Any = None, columns: Any = None) -> Any:
    importlib.import_module("marsdask.dataframe")  # above this room: it puts the operation into the registry
    return registry.call(registry.lookup("dataframe_from_tensor"), (self, index, columns), {})


@operation("to_dataframe", room="tensor", owners=["Tensor"], function=False, prepare=_to_dataframe)
def to_dataframe(self: Any, index: Any = None, columns: Any = None) -> Any:
    """A DataFrame of a tensor of one or two axes: `md.dataframe_from_tensor`."""
    return self


def _from_dataframe(df: Any, dtype: Any = None) -> Any:
    frames = importlib.import_module("marsdask.dataframe")
    frame = registry.CONVERTERS[registry.Frame](df) if not isinstance(df, frames.DataFrame) else df
    values = registry.make("to_tensor", frame)
    return values if dtype is None else registry.make("astype", values, np.dtype(dtype))


@operation("from_dataframe", room="tensor", prepare=_from_dataframe)
def from_dataframe(df: Any, dtype: Any = None) -> Any:
    """A tensor of a frame's values: `df.to_tensor()`."""
    return df
