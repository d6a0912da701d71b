"""Tensors from nothing, from data, and from other libraries."""

from __future__ import annotations

import importlib
import inspect
import math
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, MissingExtra, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import TensorMeta
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.chunking import check_shape, chunks_of
from marsdask.tensor.core import as_tensor, called, delegated


def _data_meta(data: Data, chunk_size: Any = None) -> TensorMeta:
    array = data.value
    f_ordered = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    value = None if array.ndim or not array.dtype.hasobject else array[()]
    return TensorMeta(array.shape, array.dtype, "F" if f_ordered else "C", value)


@lowered("data", sizes="any", meta=_data_meta, traits=("data",))
def data(data: Data, chunk_size: Any = None) -> da.Array:
    """Data in memory, cut into chunks; never hashed."""
    array = data.value
    return graph.array_constant(array, chunks_of(array.shape, chunk_size, array.dtype), f"data-{data.name}")


def refuse_gpu(function: str, gpu: Any) -> None:
    """Chunks are NumPy arrays: `gpu=True` is an error, `False` and `None` are not."""
    if gpu:
        raise Unbuilt.argument(function, "gpu", gpu, "leave it out; chunks are NumPy arrays in host memory.")


def in_memory(value: Any, dtype: Any, order: str | None, chunk_size: Any, ndmin: int = 0) -> Any:
    """A tensor of a copy of data in memory."""
    if hasattr(value, "todense") and not hasattr(value, "__array__"):
        raise Unbuilt.argument(
            "tensor", "data", type(value).__name__, "give data.toarray(); chunks are dense."
        )
    try:
        array = np.array(value, dtype=dtype, order=order or "K", copy=True, ndmin=ndmin)  # type: ignore[call-overload]
    except ValueError as error:
        raise ArgumentError(f"cannot make a tensor of {type(value).__name__}: {error}") from None
    if array.ndim > 1 and not array.flags.c_contiguous and not array.flags.f_contiguous:
        array = np.ascontiguousarray(array)
    return registry.wrap(Node("data", (Data(array), chunks_of(array.shape, chunk_size, array.dtype))))


@public("tensor")
def tensor(
    data: Any = None,
    dtype: Any = None,
    order: str | None = None,
    chunk_size: Any = None,
    gpu: Any = None,
    sparse: bool = False,
) -> Any:
    """A tensor of an array, list or scalar, in chunks; a tensor itself. Data in memory are copied and never written to."""
    refuse_gpu("tensor", gpu)
    if sparse:
        raise Unbuilt.argument("tensor", "sparse", sparse, "leave it out; chunks are dense.")
    checks.choice(order or "K", "order", "CFAK")
    if isinstance(data, (Handle, da.Array)):
        result = as_tensor(data)
        if dtype is not None and np.dtype(dtype) != result.dtype:
            result = registry.make("astype", result, np.dtype(dtype))
        if order in ("C", "F") and order != result.order:
            result = registry.make("copy", result, order)
        if chunk_size is not None:
            result = called("rechunk", result, chunk_size)
        return result
    return in_memory(data, dtype, order, chunk_size)


@public("asarray")
def asarray(x: Any, dtype: Any = None, order: str | None = None, chunk_size: Any = None) -> Any:
    """A tensor of anything; a tensor itself where dtype and order fit."""
    return tensor(x, dtype, order, chunk_size)


@public("array")
def array(
    x: Any, dtype: Any = None, copy: Any = True, order: str = "K", ndmin: int = 0, chunk_size: Any = None
) -> Any:
    """A tensor of a copy of anything: an array, a list, a scalar, another tensor, a frame."""
    if not isinstance(x, Handle):
        return in_memory(x, dtype, order, chunk_size, ndmin)
    result = tensor(x, dtype, None if order in "KA" else order, chunk_size)
    if result is x and copy:
        result = registry.make("copy", result, order)
    return result if result.ndim >= ndmin else result[(*[None] * (ndmin - result.ndim), ...)]


@public("scalar")
def scalar(data: Any, dtype: Any = None, gpu: Any = None) -> Any:
    """A tensor without axes."""
    refuse_gpu("scalar", gpu)
    if np.ndim(data):
        raise ArgumentError("scalar(data=): expected a single value.")
    return in_memory(data, dtype, None, None)


def _contiguous(order: str, a: Any, dtype: Any = None) -> Any:
    """A tensor of one axis at least that is fetched in C order (`asfortranarray`: Fortran order)."""
    result = tensor(a, dtype, order if np.ndim(a) > 1 else None)
    return result if result.ndim else result[None]


for _name, _order in (("ascontiguousarray", "C"), ("asfortranarray", "F")):
    public(_name)(partial(_contiguous, _order))


def _filled(
    name: str,
    value: Any,
    shape: Any,
    dtype: Any = None,
    chunk_size: Any = None,
    gpu: Any = False,
    order: Any = "C",
) -> Any:
    refuse_gpu(name, gpu)
    kind, lengths = np.dtype("f8" if dtype is None else dtype), check_shape(shape)
    chunks = chunks_of(lengths, chunk_size, kind)
    value = _zero(kind) if name == "zeros" else value
    return registry.make("filled", lengths, value, kind, chunks, checks.choice(order, "order", "CF"))


def _zero(dtype: np.dtype) -> Any:
    """What NumPy's zeros are: of texts, and of records' fields that are such, the empty one."""
    return np.zeros((), dtype)[()] if dtype.kind in "USV" else 0


ANY = "whose elements may be anything"
for _name, _value in (("ones", 1), ("zeros", 0), ("empty", None)):
    public(_name, status="delegated", doc=f"A tensor {ANY if _value is None else 'of one value'}.")(
        partial(_filled, _name, _value)
    )


@delegated("filled", meta=lambda shape, value, dtype, chunks, order: TensorMeta(shape, dtype, order))
def filled(shape: tuple[int, ...], value: Any, dtype: Any, chunks: Any, order: str) -> da.Array:
    """A tensor of one value; of no value at all for None."""
    if value is None:
        return da.empty(shape, dtype=dtype, chunks=chunks)
    return da.full(shape, value, dtype=dtype, chunks=chunks)


def _is_cell(value: Any) -> bool:
    """Whether a fill value is one value, that there is already."""
    return not isinstance(value, Handle) and not np.ndim(value)


@public("full", status="delegated")
def full(
    shape: Any, fill_value: Any, dtype: Any = None, chunk_size: Any = None, gpu: Any = None, order: str = "C"
) -> Any:
    """A tensor of one value, or of an array repeated to the shape."""
    if _is_cell(fill_value):
        kind = np.asarray(fill_value).dtype if dtype is None else np.dtype(dtype)
        return _filled("full", np.full((), fill_value, kind)[()], shape, kind, chunk_size, gpu, order)
    refuse_gpu("full", gpu)
    spread = registry.make("broadcast_to", as_tensor(fill_value), check_shape(shape))
    return tensor(
        registry.make("copy", spread, checks.choice(order, "order", "CF")), dtype, chunk_size=chunk_size
    )


def _like(
    name: str,
    a: Array,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Any:
    refuse_gpu(name, gpu)
    checks.choice(order, "order", "CFAK")
    kind = a.dtype if dtype is None else np.dtype(dtype)
    layout = a.order if order in "KA" else order
    fill_value = _zero(kind) if name == "zeros_like" else fill_value
    if shape is not None and fill_value is None:
        return _filled(name, None, shape, kind, chunk_size, None, layout)
    if shape is not None:
        return full(shape, fill_value, kind, chunk_size, None, layout)
    if _is_cell(fill_value):
        cell = None if fill_value is None else np.full((), fill_value, kind)[()]
        return tensor(registry.make("filled_like", a, cell, kind, layout), chunk_size=chunk_size)
    value = as_tensor(fill_value)
    return tensor(registry.make("copy", registry.make("broadcast_like", value, [value, a]), layout), kind)


full_like = partial(_like, "full_like")
public("full_like", status="delegated", doc="A tensor of one value in the shape of another.")(full_like)
_takes = inspect.signature(full_like)
_takes = _takes.replace(parameters=[p for p in _takes.parameters.values() if p.name != "fill_value"])
for _name, _value in (("ones_like", 1), ("zeros_like", 0), ("empty_like", None)):
    _doc = f"A tensor {'' if _value is None else 'of one value '}in the shape of another"
    _doc = f"{_doc} {ANY}." if _value is None else f"{_doc}."
    public(_name, status="delegated", signature=_takes, direct=False, doc=_doc)(
        partial(_like, _name, fill_value=_value)
    )


@delegated("filled_like", meta=lambda a, value, dtype, order: TensorMeta(a.shape, dtype, order))
def filled_like(a: da.Array, value: Any, dtype: Any, order: str) -> da.Array:
    """One value in the shape of another tensor, whose elements are only looked at where its shape is not known."""
    if any(math.isnan(n) for c in a.chunks for n in c):
        return a.map_blocks(np.full_like, 0 if value is None else value, dtype, dtype=dtype)
    return filled(a.shape, value, dtype, a.chunks, order)


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
    return tensor(df if isinstance(df, frames.DataFrame) else registry.CONVERTERS[registry.Frame](df), dtype)
