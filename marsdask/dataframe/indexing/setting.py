"""Writing into frames: columns put in, `df[...] = ...`, and `loc`, `iloc`, `at`, `iat`, by which one reads too.

Every write makes a node and rebinds the handle.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, as_frame
from marsdask.dataframe.indexing import keys
from marsdask.dataframe.indexing.cells import with_cells
from marsdask.dataframe.indexing.indexing import mask_by_place, read, truths
from marsdask.dataframe.kernels import picked
from marsdask.dataframe.making.creation import from_pandas, labelled_like
from marsdask.dataframe.rows.alignment import (
    VALUES,
    bounds_of,
    example,
    is_ranged,
    matched,
    one_chunk,
    sampled,
    together,
)
from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.late import late, whole
from marsdask.plan.lower import sized
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta, sample
from marsdask.plan.node import Node, inputs
from marsdask.plan.offered import Offered
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

POSITIONAL = (list, tuple, range, np.ndarray, pd.Index, pd.api.extensions.ExtensionArray)
"""Kinds of values that go by position, whatever the labels."""


def column_value(frame: Any, value: Any) -> Any:
    """A value for a column: a scalar, or a series: aligned, or by position under the frame's labels."""
    if isinstance(value, dict):
        value = pd.Series(value)
    if isinstance(value, (pd.Series, pd.DataFrame)):
        return as_frame(value)
    if isinstance(value, FrameHandle) and value.known.kind != "Index":
        return value
    if isinstance(value, (Handle, np.ndarray)) and value.ndim == 2 and value.shape[1] == 1:
        value = value.reshape(-1)
    if isinstance(value, POSITIONAL):
        value = from_pandas(pd.Series(value, dtype=None if len(value) else object))
    elif not isinstance(value, Handle) or not value.ndim:
        return value
    elif value.ndim != 1:
        raise ShapeError(
            f"expected one dimension for a column, got a tensor of {value.ndim}, shape {value.shape}."
        )
    return labelled_like(value, frame, VALUES)


def with_column(frame: Any, key: Any, value: Any, at: int | None = None) -> Any:
    """A new handle: the frame with one column new or replaced."""
    nothing_yet = not len(frame.columns) and frame.shape[0] == 0
    if nothing_yet and isinstance(value, (pd.Series, Handle, *POSITIONAL)):
        return DataFrame({key: as_frame(value) if isinstance(value, pd.Series) else value})
    if not isinstance(key, Hashable):
        raise ArgumentTypeError(f"df[{key!r}] = ...: a column label must be hashable.")
    value = column_value(frame, value)
    frame, (value,), _ = together(frame, [value], {})
    return registry.make("frame.assign_column", frame, key, value, at)


def _assign_meta(frame: FrameMeta, key: Any, value: Any, at: int | None = None) -> FrameMeta:
    if not isinstance(value, FrameMeta):
        new = example(_with_column, frame, key, value, at)
    elif value.kind == "Series" and value.rows == frame.rows:
        new = example(_with_series, frame, key, value, at)
    else:
        if value.kind == "DataFrame" and len(value.empty.columns) != 1:
            raise ShapeError("Cannot set a DataFrame with multiple columns to the single column.")
        column = value.empty if value.kind == "Series" else value.empty.iloc[:, 0]
        if value.rows != frame.rows:
            column = _with_holes(frame, value, column)
        new = _with_column(frame.empty, key, column.set_axis(frame.empty.index, axis=0), at)
    return frame.same(new)


def _with_series(rows: pd.DataFrame, key: Any, values: pd.Series, at: int | None) -> pd.DataFrame:
    """No rows with a column of the same rows."""
    none = rows.iloc[:0]
    return _with_column(none, key, values.iloc[:0].set_axis(none.index), at)


def _with_holes(frame: FrameMeta, value: FrameMeta, column: pd.Series) -> pd.Series:
    """The dtype of a column after alignment: some labels may have no value, as far as they are known."""
    mine, given = keys.known_labels(frame), keys.known_labels(value)
    # Where only a run can tell, no holes: a part of a frame that gets a column of the whole is the common case.
    if mine is None or given is None or mine.isin(given).all():
        return column
    return column.reindex([0, 1]).iloc[:0] if not len(column) else column


def _assign_demands(node: Node, demand: Demand) -> list[Demand]:
    frame, _, value, at = node.args
    known = meta(value) if isinstance(value, Node) else None
    aligned = demand.labels or (isinstance(known, FrameMeta) and known.rows != meta(frame).rows)
    # A place among the columns counts them all; a column that is written over keeps its place.
    columns = None if demand.columns is None or at is not None else demand.columns & {*meta(frame).names}
    every = Demand(None, demand.order or aligned, aligned)
    return [every.of(columns), *[every] * (len(inputs(node)) - 1)]


def _assign_trim(node: Node, demand: Demand) -> Node:
    frame, key, _, at = node.args
    return node if demand.columns is None or key in demand.columns or at is not None else frame


@lowered("frame.assign_column", meta=_assign_meta, demands=_assign_demands, trim=_assign_trim)
def assign_column(frame: Chunks, key: Any, value: Any, at: int | None = None) -> Any:
    """The frame with one column new or replaced."""
    frame, (value,), _ = yield from matched(frame, (value,), {})
    return graph.per_chunk(_with_column, frame, key, value, at)


@late
def _with_column(chunk: Any, key: Any, value: Any, at: int | None = None) -> Any:
    value = whole(value)
    if at is None and (some := picked.assigned(chunk, key, value)) is not None:
        return some
    chunk = whole(chunk).copy(deep=False)
    if isinstance(value, pd.DataFrame):
        value = value.iloc[:, 0]
    elif isinstance(value, np.ndarray):
        value = value[()]  # of no dimensions: its value
    if at is None:
        chunk[key] = value
    else:
        chunk.insert(at, key, value, allow_duplicates=True)
    return chunk


@public("DataFrame.assign", owners=["DataFrame"])
def assign(self: Any, **kwargs: Any) -> Any:
    """A frame with columns added or replaced, in order; functions get the frame made so far."""
    new = self.copy(deep=False)
    for name, value in kwargs.items():
        new[name] = keys.called(value, new)
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


@public("frame.setitem", room="engine", function=True)
def setitem(frame: Any, key: Any, value: Any) -> None:
    """Assignment to columns or rows."""
    key = keys.called(key, frame)
    what = keys.meant_by(frame, key) if isinstance(key, slice) else "loc"
    if frame.ndim == 1:
        write(frame, what, key, value)
    elif isinstance(key, pd.DataFrame) or (isinstance(key, FrameHandle) and key.ndim == 2):
        frame._become(with_cells(frame, key, value))
    elif keys.is_mask(key) or isinstance(key, slice):
        write(frame, what, (key, slice(None)), value)
    elif isinstance(key, (list, pd.Index, np.ndarray)):
        frame._become(_with_columns(frame, list(key), value))
    else:
        frame._become(with_column(frame, key, value))


def _with_columns(frame: Any, labels: list[Any], value: Any) -> Any:
    """Several columns from a scalar, one value each, a frame or a 2-d array, column by column."""
    if isinstance(value, (pd.DataFrame, FrameHandle)) and value.ndim == 2:
        value = as_frame(value)
        parts = [value.iloc[:, i] for i in range(len(value.columns))]
    elif isinstance(value, Handle) and value.ndim == 2:
        parts = [value[:, i] for i in range(int(value.shape[1]))]
    elif isinstance(value, (list, tuple, np.ndarray)):
        array = np.asarray(value)
        parts = list(array.T if array.ndim == 2 else np.atleast_1d(array))
    else:
        parts = [value] * len(labels)
    if len(parts) != len(labels):
        raise ShapeError("Columns must be same length as key")
    for label, part in zip(labels, parts, strict=True):
        frame = with_column(frame, label, part)
    return frame


def write(frame: Any, what: str, key: Any, value: Any) -> None:
    """`frame.loc[key] = value` or `frame.iloc[key] = value`: rebinds the frame."""
    picked = keys.plain(frame, key, what)
    columns = picked.columns
    missing = (
        isinstance(columns, keys.Named)
        and isinstance(columns.value, Hashable)
        and columns.value not in frame.columns
    )
    if missing and keys.is_all(picked.rows[1]):
        new = with_column(frame, columns.value, value)
    else:
        new = _tiled(frame, picked, value)
    frame._become(_whole(frame, what, *picked.given, value) if new is None else new)


def _tiled(frame: Any, key: keys.Key, value: Any) -> Any:
    """Written chunk by chunk: a scalar that no dtype has to give way for, at known places; None where that is not so."""
    if isinstance(value, (Handle, pd.Series, pd.DataFrame, dict, set, *POSITIONAL)) or callable(value):
        return None
    names = _written(frame, key.columns)
    if names is None or not _keeps_dtypes(frame.known.empty, names, value):
        return None
    how, rows = key.rows[:2]
    if how == "filter":
        if isinstance(rows, (pd.Series, FrameHandle)):
            frame, (rows,), _ = together(frame, [as_frame(rows)], {})
        else:
            message = "Boolean index has wrong length: {given} instead of {expected}"
            rows = mask_by_place(frame, rows, message, IndexOutOfRange)
        return registry.make("frame.set_masked", frame, rows, names, value)
    if how not in ("row_at", "rows_at") or isinstance(rows, Handle):
        return None
    rows = rows if isinstance(rows, slice) else np.atleast_1d(rows)
    return registry.make("frame.set_positions", frame, rows, names, value)


def _written(frame: Any, columns: Any) -> Any:
    """Labels of the columns written to: a list, "series", or None where they are new or not plain."""
    if frame.ndim == 1:
        return "series"
    if not frame.columns.is_unique:
        return None
    if not isinstance(columns, keys.Named):
        return list(frame.columns if columns is None else frame.columns[np.array(columns, np.intp, ndmin=1)])
    if isinstance(columns.value, keys.LISTS):
        checks.columns(columns.value, frame)
    return None


def _keeps_dtypes(empty: Any, names: Any, value: Any) -> bool:
    rows = sample(empty).reset_index(drop=True)
    try:
        new = _set_rows(rows, slice(0, 1), names, value)
    except Exception:  # noqa: BLE001 - whatever it is, pandas says it of the whole
        return False
    return bool(np.all(new.dtypes == rows.dtypes))


def _set_rows(chunk: Any, where: Any, names: Any, value: Any) -> Any:
    if not isinstance(where, slice) and not len(where):
        return chunk
    chunk = chunk.copy()
    if isinstance(names, str):
        chunk.iloc[where] = value
    else:
        chunk.iloc[where, chunk.columns.get_indexer(names)] = value
    return chunk


@lowered("frame.set_masked", meta=lambda frame, *rest: frame)
def set_masked(frame: Chunks, mask: Any, names: Any, value: Any) -> Any:
    """The frame with a scalar where a mask is true."""
    frame, (mask,), _ = yield from matched(frame, (mask,), {})
    return graph.per_chunk(_set_masked, frame, mask, names, value)


def _set_masked(chunk: Any, mask: Any, names: Any, value: Any) -> Any:
    if isinstance(mask, pd.Series) and not mask.index.equals(chunk.index):
        mask = mask.reindex(chunk.index, fill_value=False)
    return _set_rows(chunk, np.flatnonzero(truths(mask)), names, value)


def _positions_meta(frame: FrameMeta, positions: Any, names: Any, value: Any) -> FrameMeta:
    if not isinstance(positions, slice) and not math.isnan(frame.length):
        keys.normal_positions(positions, int(frame.length))
    return frame


@lowered("frame.set_positions", meta=_positions_meta)
def set_positions(frame: Chunks, positions: Any, names: Any, value: Any) -> Any:
    """The frame with a scalar at some positions."""
    if keys.is_all(positions):
        return graph.per_chunk(_set_rows, frame, positions, names, value)
    (frame,) = yield from sized(frame)
    bounds = bounds_of(frame)
    if isinstance(positions, slice):
        positions = np.arange(bounds[-1])[positions]
    positions = keys.normal_positions(positions, bounds[-1])
    owner = np.searchsorted(bounds, positions, side="right") - 1
    local = graph.constants([positions[owner == i] - bounds[i] for i in range(frame.count)], "positions")
    return graph.per_chunk(_set_rows, frame, local, names, value)


def _whole(frame: Any, what: str, rows: Any, columns: Any, value: Any) -> Any:
    """Written by pandas into all rows in one chunk: anything `loc` and `iloc` take, enlargement too."""
    if isinstance(columns, (dict, set)):
        raise ArgumentTypeError(f"{what}[...]: a column label must be hashable, not {columns!r}.")
    parts = [as_frame(v) if isinstance(v, (pd.Series, pd.DataFrame)) else v for v in (rows, columns, value)]
    return registry.make("frame.set_whole", frame, what, *map(one_chunk, parts))


def _set_whole_meta(frame: FrameMeta, what: str, rows: Any, columns: Any, value: Any) -> FrameMeta:
    there = keys.known_labels(frame) if what == "loc" else None
    label = what == "loc" and not isinstance(rows, (slice, list)) and not hasattr(rows, "shape")
    grows = label and there is not None and rows not in there
    empty = _after_set(frame, rows, columns, value, grows=grows)
    if grows and there is not None:
        next_one = frame.ranged and isinstance(rows, (int, np.integer)) and rows == frame.length
        labels = there.append(pd.Index([rows]))
        return frame_meta(empty, frame.length + 1, NEW, ranged=next_one, labels=labels)
    if label and there is None:  # it may be a new row
        return frame_meta(empty, math.nan, NEW)
    return frame_meta(empty, frame.length, NEW, ranged=frame.ranged, labels=frame.labels)


def _after_set(frame: FrameMeta, rows: Any, columns: Any, value: Any, *, grows: bool) -> Any:
    """What pandas makes of the dtypes: on two made-up rows, the first of them written to (or a new one)."""
    made = sample(frame.empty).reset_index(drop=True)
    value = sampled(value)
    if isinstance(value, pd.DataFrame):
        value = 0
    elif isinstance(value, pd.Series):
        value = value.iloc[0]
    elif isinstance(value, dict):
        value = next(iter(value.values()), 0)
    elif isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) >= 1:
        value = next(iter(pd.Series(value if isinstance(value, list) else np.asarray(value).ravel())), 0)
    row = 2 if grows else 0
    names = columns if frame.kind == "DataFrame" and columns is not None else slice(None)
    try:
        if frame.kind == "Series":
            made.loc[row] = value
        elif isinstance(names, slice) or (hasattr(names, "__len__") and not isinstance(names, (str, tuple))):
            places = not isinstance(names, slice) and not set(names) <= set(made.columns)
            made.loc[row, made.columns[names] if places else names] = value
        elif names in made.columns or not isinstance(names, (int, np.integer)):
            made.loc[row, names] = value
        else:
            made.iloc[0, names] = value
    except (TypeError, ValueError, KeyError, IndexError):
        return frame.empty  # only the whole can tell
    index = frame.empty.index
    if grows and not is_ranged(index):
        index = index.append(pd.Index([rows]))[:0]
    return made.iloc[:0].set_axis(index[:0], axis=0)


@lowered("frame.set_whole", status="gathered", meta=_set_whole_meta)
def set_whole(frame: Chunks, what: str, rows: Any, columns: Any, value: Any) -> Any:
    """Anything that `loc` and `iloc` write, in one chunk."""
    parts = [graph.gather(p) if isinstance(p, Chunks) else p for p in (rows, columns, value)]
    parts = [graph.rechunked(p, -1) if hasattr(p, "rechunk") and p.ndim else p for p in parts]
    return graph.per_chunk(_set_by_pandas, graph.gather(frame), what, *parts, lengths="unknown")


def _set_by_pandas(chunk: Any, what: str, rows: Any, columns: Any, value: Any) -> Any:
    chunk = chunk.copy()
    getattr(chunk, what)[rows if columns is None else (rows, columns)] = value
    return chunk


class Loc(Offered):
    """`loc`: rows and columns by label."""

    __slots__ = ("_frame",)
    _inside = frozenset(["what"])
    what = "loc"

    def __init__(self, frame: Any):
        self._frame = frame

    def _checked(self, key: Any) -> Any:
        return key

    def __getitem__(self, key: Any) -> Any:
        return read(self._frame, keys.plain(self._frame, self._checked(key), self.what))

    def __setitem__(self, key: Any, value: Any) -> None:
        write(self._frame, self.what, self._checked(key), value)


class ILoc(Loc):
    """`iloc`: rows and columns by position."""

    __slots__ = ()
    what = "iloc"


class At(Loc):
    """`at`: one value by labels."""

    __slots__ = ()

    def _checked(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) and self._frame.ndim == 2 else (key,)
        if len(parts) != self._frame.ndim:
            raise ArgumentError(f"at[{key!r}]: expected a row label and a column label.")
        if any(k is Ellipsis or isinstance(k, (slice, *keys.LISTS)) for k in parts):
            raise ArgumentError(f"at[{key!r}]: expected single labels. Hint: use loc.")
        return key


class IAt(ILoc):
    """`iat`: one value by position."""

    __slots__ = ()

    def _checked(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != self._frame.ndim:
            raise ArgumentError(f"iat[{key!r}]: expected {self._frame.ndim} whole numbers.")
        lazy = (isinstance(v, Handle) and not v.ndim and v.known.dtype.kind in "iu" for v in parts)
        if not all(one or isinstance(v, Integral) for v, one in zip(parts, lazy, strict=True)):
            raise ArgumentError("iAt based indexing can only have integer indexers")
        return parts if len(parts) > 1 else parts[0]


FrameHandle.loc = property(Loc, doc="Rows and columns by label.")  # type: ignore[attr-defined]
FrameHandle.at = property(At, doc="One value by labels.")  # type: ignore[attr-defined]
FrameHandle.iloc = property(ILoc, doc="Rows and columns by position.")  # type: ignore[attr-defined]
FrameHandle.iat = property(IAt, doc="One value by position.")  # type: ignore[attr-defined]
