"""Columns put into frames: `assign`, `insert`, and what `df["x"] = ...` and `loc` make of a value for one column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, as_frame
from marsdask.dataframe.indexing.indexing import called
from marsdask.dataframe.indexing.labels import known_labels
from marsdask.dataframe.making.creation import from_pandas
from marsdask.dataframe.rows.alignment import matched, pandas_on_samples, together
from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

POSITIONAL = (list, tuple, range, np.ndarray, pd.Index, pd.api.extensions.ExtensionArray)
"""Kinds of values that go by position, whatever the labels."""
COLUMN = "Length of values ({given}) does not match length of index ({expected})"


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
        value = from_pandas(pd.Series(value, dtype=None if len(value) else object))
    else:
        return value
    checks.same_length(value.shape[0], frame.shape[0], COLUMN)
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
    frame, key, value, at = node.args
    known = meta(value) if isinstance(value, Node) else None
    aligned = demand.labels or (isinstance(known, FrameMeta) and known.rows != meta(frame).rows)
    # A place among the columns counts them all.
    columns = None if demand.columns is None or at is not None else demand.columns - {key}
    every = Demand(None, demand.order or aligned, aligned)
    return [replace(every, columns=columns), *[every] * (len(inputs(node)) - 1)]


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
        new[name] = called(value, new)
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
    self._become(with_column(self, column, value, int(loc) % width if loc < 0 else int(loc)))
