"""Data in memory of which some values are lazy: a tensor's sum as a cell of a table; and frames of other libraries."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa

from marsdask.dataframe.core import Categorical, as_frame
from marsdask.dataframe.rows.alignment import is_ranged, known_labels, row_labels
from marsdask.errors import UnknownLength
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NEW, FrameMeta, TensorMeta, frame_meta, sample
from marsdask.plan.node import Data, is_named
from marsdask.plan.registry import lowered
from marsdask.tensor.core import as_tensor

NESTED = (list, tuple, dict, np.ndarray)


@dataclass(frozen=True, slots=True)
class Cell:
    """In data: the place of a lazy value, by its number."""

    number: int


def has_cells(data: Any) -> bool:
    """Whether there are lazy values among those of lists, tuples, dicts and arrays of objects, of any depth."""
    values = _values(data)
    kinds = set(map(type, values))
    if any(issubclass(kind, Handle) for kind in kinds):
        return True
    nested = tuple(kind for kind in kinds if issubclass(kind, NESTED))
    return bool(nested) and any(has_cells(v) for v in values if isinstance(v, nested))


def _values(data: Any) -> Iterable[Any]:
    if isinstance(data, Mapping):
        return data.values()
    if isinstance(data, np.ndarray):
        return data.ravel().tolist() if data.dtype == object else ()
    return data if isinstance(data, (list, tuple)) else ()


def of_cells(make: Callable[..., Any], **given: Any) -> Any:
    """A handle on what `make` gives of data, once the lazy values in them are there; in one chunk."""
    cells: list[Handle] = []

    def numbered(handle: Any) -> Any:
        cells.append(handle)
        return Cell(len(cells) - 1)

    lazy_labels = make is pd.Index or has_cells(given.get("index"))
    return registry.make("frame.of_cells", make, Data(swapped(given, Handle, numbered)), cells, lazy_labels)


def swapped(data: Any, wanted: type, swap: Callable[[Any], Any]) -> Any:
    """Data with all that is `wanted` in their lists, tuples, dicts and arrays of objects swapped; named tuples stay such."""
    if isinstance(data, wanted):
        return swap(data)
    if isinstance(data, dict):
        return {name: swapped(v, wanted, swap) for name, v in data.items()}
    if isinstance(data, (list, tuple)):
        values = [swapped(v, wanted, swap) for v in data]
        return data._make(values) if is_named(type(data)) else type(data)(values)
    if isinstance(data, np.ndarray) and data.dtype == object:
        new = np.empty(data.shape, dtype=object)
        for at in np.ndindex(data.shape):
            new[at] = swapped(data[at], wanted, swap)
        return new
    return data


def _filled(make: Callable[..., Any], data: Any, *cells: Any) -> Any:
    """What is made of data with their lazy values."""
    return make(**swapped(data, Cell, lambda cell: cells[cell.number]))


def _of_cells_meta(make: Callable[..., Any], data: Data, cells: list[Any], lazy_labels: bool) -> FrameMeta:
    made = _filled(make, data.value, *map(_made_up, cells))
    labels = None if lazy_labels else row_labels(made)
    return frame_meta(made, len(made), NEW, ranged=labels is not None and is_ranged(labels), labels=labels)


def _made_up(cell: FrameMeta | TensorMeta) -> Any:
    """A made-up value of a lazy one, as large as that will be."""
    labels = known_labels(cell) if isinstance(cell, FrameMeta) else None
    if any(map(math.isnan, cell.shape)) or (isinstance(cell, FrameMeta) and labels is None):
        raise UnknownLength(
            "Among the data is a lazy value whose length, or labels, only a run can tell. Hint: execute() it first."
        )
    if isinstance(cell, TensorMeta):
        if cell.like is not None:
            return cell.like
        if not cell.shape and cell.dtype == object:
            return "a"  # a text, most likely
        return np.ones(list(map(int, cell.shape)), cell.dtype)[()]
    rows = sample(cell.empty, int(cell.length))
    return rows if cell.kind == "Index" else rows.set_axis(labels, axis=0)


@lowered("frame.of_cells", status="gathered", meta=_of_cells_meta)
def _together(make: Callable[..., Any], data: Data, cells: list[Any], lazy_labels: bool) -> Chunks:
    """What is made of data in memory and of lazy values among them, in one chunk."""
    parts = [graph.from_array(cell) if isinstance(cell, da.Array) else cell for cell in cells]
    return graph.value(_of_parts, make, data.value, *parts).with_lengths((graph.promised().length,))


def _of_parts(make: Callable[..., Any], data: Any, *parts: list[Any]) -> Any:
    return _filled(make, data, *map(graph.one, parts))


def from_others(data: Any) -> Any:
    """A handle, or data in memory as pandas has them, of a Categorical of ours, or a table or column of Dask, Arrow, Polars or whoever speaks Arrow.

    Anything else is given back as it is.
    """
    if isinstance(data, Categorical):
        return as_frame(data)
    if isinstance(data, (Handle, pd.DataFrame, pd.Series, np.ndarray)):
        return data
    if isinstance(data, da.Array):
        return as_tensor(data)
    theirs = sys.modules.get("dask.dataframe")
    if theirs is not None and isinstance(data, (theirs.DataFrame, theirs.Series, theirs.Index)):
        return registry.call(registry.lookup("dataframe.from_dask"), (data,), {})
    if isinstance(data, (pa.Table, pa.RecordBatch, pa.Array, pa.ChunkedArray)):
        return data.to_pandas()
    return _of_stream(data) if hasattr(data, "__arrow_c_stream__") else data


def _of_stream(data: Any) -> Any:
    """What pandas makes of Arrow's stream of a table, or of a column, which may have a name."""
    whole = pa.chunked_array(data)
    if pa.types.is_struct(whole.type):
        return pa.Table.from_struct_array(whole).to_pandas()
    return whole.to_pandas().rename(getattr(data, "name", None) or None)
