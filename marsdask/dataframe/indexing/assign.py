"""Writing into frames: columns, and rows by mask, position or label. Every write makes a node and rebinds the handle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, FrameHandle, as_frame
from marsdask.dataframe.indexing.indexing import is_mask
from marsdask.dataframe.indexing.labels import known_labels
from marsdask.dataframe.indexing.setting import POSITIONAL, set_at
from marsdask.dataframe.making.creation import from_pandas
from marsdask.dataframe.rows.alignment import matched, pandas_on_samples, together
from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import FrameMeta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def column_value(frame: Any, value: Any) -> Any:
    """A value for a column: a scalar, or a series: aligned, or by position under the frame's labels."""
    if isinstance(value, dict):
        value = pd.Series(value)
    if isinstance(value, (pd.Series, pd.DataFrame)):
        return as_frame(value)
    if isinstance(value, FrameHandle) and value.known.kind != "Index":
        return value
    if isinstance(value, FrameHandle):
        value = registry.make("frame.labels_as_series", value)
    elif isinstance(value, Handle):
        if not value.ndim:
            return value
        if value.ndim == 2 and value.shape[1] == 1:
            value = value.reshape(-1)
        if value.ndim != 1:
            raise ShapeError(
                f"expected one dimension for a column, got a tensor of {value.ndim}, shape {value.shape}."
            )
        value = registry.make("frame.from_tensor", value)
    elif isinstance(value, POSITIONAL):
        if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == 1:
            value = value[:, 0]
        value = from_pandas(pd.Series(value)) if len(value) else from_pandas(pd.Series(value, dtype=object))
    else:
        return value
    given, mine = value.shape[0], frame.shape[0]
    if given == given and mine == mine and given != mine:
        raise ShapeError(f"Length of values ({int(given)}) does not match length of index ({int(mine)})")
    return registry.make("frame.relabelled_like", value, frame)


def with_column(frame: Any, key: Any, value: Any, at: int | None = None) -> Any:
    """A new handle: the frame with one column new or replaced."""
    if not len(frame.columns) and frame.shape[0] == 0:
        series = as_frame(value) if isinstance(value, (pd.Series, FrameHandle)) else None
        if series is not None or isinstance(value, (Handle, *POSITIONAL)):
            return DataFrame({key: value if series is None else series})
    try:
        hash(key)
    except TypeError:
        raise ArgumentTypeError(f"df[{key!r}] = ...: a column label must be hashable.") from None
    value = column_value(frame, value)
    frame, (value,), _ = together(frame, [value], {})
    return registry.make("frame.assign_column", frame, key, value, at)


@public("frame.setitem", room="engine", function=True)
def setitem(frame: Any, key: Any, value: Any) -> None:
    """Assignment to columns or rows."""
    if callable(key) and not isinstance(key, Handle):
        key = key(frame)
    if frame.ndim == 1:
        whole = isinstance(key, slice) and all(
            v is None or isinstance(v, (int, np.integer)) for v in (key.start, key.stop)
        )
        return set_at(frame, "iloc" if whole else "loc", key, value)
    if isinstance(key, pd.DataFrame) or (isinstance(key, FrameHandle) and key.ndim == 2):
        new = registry.call(registry.lookup("frame.mask"), (frame, key, value), {})
    elif is_mask(key):
        return set_at(frame, "loc", (key, slice(None)), value)
    elif isinstance(key, slice):
        ints = all(v is None or isinstance(v, (int, np.integer)) for v in (key.start, key.stop))
        return set_at(frame, "iloc" if ints else "loc", (key, slice(None)), value)
    elif isinstance(key, (list, pd.Index, np.ndarray)):
        new = _with_columns(frame, list(key), value)
    else:
        new = with_column(frame, key, value)
    frame.rebind(new.node, held(new))
    return None


def _with_columns(frame: Any, keys: list[Any], value: Any) -> Any:
    """Several columns from a scalar, one value each, a frame or a 2-d array, column by column."""
    if isinstance(value, (pd.DataFrame, FrameHandle)) and value.ndim == 2:
        value = as_frame(value)
        width, part = len(value.columns), lambda i: value.iloc[:, i]
    elif isinstance(value, Handle) and value.ndim == 2:
        width, part = int(value.shape[1]), lambda i: value[:, i]
    elif isinstance(value, (list, tuple, np.ndarray)):
        array = np.asarray(value)
        width = array.shape[-1] if array.ndim else 1
        part = lambda i: array[:, i] if array.ndim == 2 else array[i]  # noqa: E731
    else:
        width, part = len(keys), lambda i: value
    if width != len(keys):
        raise ShapeError("Columns must be same length as key")
    for i, key in enumerate(keys):
        frame = with_column(frame, key, part(i))
    return frame


def _assign_meta(frame: FrameMeta, key: Any, value: Any, at: int | None = None) -> FrameMeta:
    if not isinstance(value, FrameMeta):
        new = pandas_on_samples(_with_column, frame, key, value, at)
    else:
        if value.kind == "DataFrame" and len(value.empty.columns) != 1:
            raise ShapeError("Cannot set a DataFrame with multiple columns to the single column.")
        column = value.empty if value.kind == "Series" else value.empty.iloc[:, 0]
        if value.rows != frame.rows:
            column = _with_holes(frame, value, column)
        new = _with_column(frame.empty, key, column.set_axis(frame.empty.index, axis=0), at)
    return frame.same(new)


def _with_holes(frame: FrameMeta, value: FrameMeta, column: pd.Series) -> pd.Series:
    """The dtype of a column after alignment: some labels may have no value, as far as they are known."""
    mine, given = known_labels(frame), known_labels(value)
    # Where only a run can tell, no holes: a part of a frame that gets a column of the whole is the common case.
    if mine is None or given is None or mine.isin(given).all():
        return column
    return column.reindex([0, 1]).iloc[:0] if not len(column) else column


def _assign_demands(node: Node, demand: Demand) -> list[Demand]:
    key = node.args[1]
    columns = None if demand.columns is None else demand.columns - {key}
    at = node.args[3] if len(node.args) > 3 else None
    if at is not None:
        columns = None  # a place among the columns counts them all
    value = Demand(None, demand.order, demand.labels)
    aligned = demand.labels or not _same_chunks(node)
    frame = Demand(columns, demand.order or aligned, aligned)
    return [
        frame,
        *([Demand(None, demand.order or aligned, aligned) if aligned else value] * (len(inputs(node)) - 1)),
    ]


def _same_chunks(node: Node) -> bool:
    from marsdask.plan.meta import meta

    value = node.args[2]
    return (
        not isinstance(value, Node)
        or not isinstance(meta(value), FrameMeta)
        or meta(value).rows == meta(node.args[0]).rows
    )


def _assign_trim(node: Node, demand: Demand) -> Node:
    unseen = demand.columns is not None and node.args[1] not in demand.columns and node.args[3] is None
    return node.args[0] if unseen else node


@lowered("frame.assign_column", meta=_assign_meta, demands=_assign_demands, trim=_assign_trim)
def assign_column(frame: Chunks, key: Any, value: Any, at: int | None = None) -> Any:
    """The frame with one column new or replaced."""
    frame, (value,), _ = yield from matched(frame, (value,), {})
    return graph.per_chunk(_with_column, frame, key, value, at)


def _with_column(chunk: pd.DataFrame, key: Any, value: Any, at: int | None = None) -> pd.DataFrame:
    chunk = chunk.copy(deep=False)
    if isinstance(value, pd.DataFrame):
        value = value.iloc[:, 0]
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if at is None:
        chunk[key] = value
    else:
        chunk.insert(at, key, value, allow_duplicates=True)
    return chunk


@public("DataFrame.assign", owners=["DataFrame"])
def assign(self: Any, **kwargs: Any) -> Any:
    """A frame with columns added or replaced, in order; functions get the frame made so far."""
    new = self.copy()
    for name, value in kwargs.items():
        new[name] = value(new) if callable(value) and not isinstance(value, Handle) else value
    return new


@public("DataFrame.insert", owners=["DataFrame"])
def insert(self: Any, loc: int, column: Any, value: Any, allow_duplicates: bool = False) -> None:
    """Put a column at a place, in this frame; returns None."""
    if column in self.columns and not allow_duplicates:
        raise ArgumentError(f"cannot insert {column}, already exists")
    if not isinstance(loc, (int, np.integer)):
        raise ArgumentTypeError("loc must be int")
    width = len(self.columns)
    if not -width <= loc <= width:
        raise IndexOutOfRange(f"insert(loc={loc}): loc must be an integer between {-width} and {width}.")
    new = with_column(self, column, value, int(loc) % width if loc < 0 else int(loc))
    self.rebind(new.node, held(new))
