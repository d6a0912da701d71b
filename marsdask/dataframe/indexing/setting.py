"""Writing into frames: `df[...] = `, `df.loc[...] = `, `df.iloc[...] = `. Every write makes a node and rebinds the handle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.dataframe.indexing.assign import POSITIONAL, with_column
from marsdask.dataframe.indexing.indexing import (
    by_place,
    called,
    column_key,
    is_all,
    is_mask,
    mask_by_place,
    truths,
)
from marsdask.dataframe.indexing.labels import known_labels, split
from marsdask.dataframe.indexing.positions import column_positions, normal_positions, row_and_column
from marsdask.dataframe.making.conversion import bounds_of
from marsdask.dataframe.making.creation import is_ranged
from marsdask.dataframe.rows.alignment import matched, sampled, together
from marsdask.errors import ColumnNotFound, IndexOutOfRange, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Keep
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, sample
from marsdask.plan.registry import lowered, public


@public("frame.setitem", room="engine", function=True)
def setitem(frame: Any, key: Any, value: Any) -> None:
    """Assignment to columns or rows."""
    key = called(key, frame)
    what = "iloc" if isinstance(key, slice) and by_place(key) else "loc"
    if frame.ndim == 1:
        set_at(frame, what, key, value)
    elif isinstance(key, pd.DataFrame) or (isinstance(key, FrameHandle) and key.ndim == 2):
        frame._become(registry.call(registry.lookup("frame.mask"), (frame, key, value), {}))
    elif is_mask(key) or isinstance(key, slice):
        set_at(frame, what, (key, slice(None)), value)
    elif isinstance(key, (list, pd.Index, np.ndarray)):
        frame._become(_with_columns(frame, list(key), value))
    else:
        frame._become(with_column(frame, key, value))


def _with_columns(frame: Any, keys: list[Any], value: Any) -> Any:
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
        parts = [value] * len(keys)
    if len(parts) != len(keys):
        raise ShapeError("Columns must be same length as key")
    for key, part in zip(keys, parts, strict=True):
        frame = with_column(frame, key, part)
    return frame


def set_at(frame: Any, what: str, key: Any, value: Any) -> None:
    """`frame.loc[key] = value` or `frame.iloc[key] = value`: rebinds the frame."""
    rows, columns = split(frame, key) if what == "loc" else row_and_column(frame, key, what)
    if isinstance(columns, Handle):
        columns = columns.to_numpy()
    if what == "loc" and frame.ndim == 2 and is_all(rows) and _new_column(frame, columns):
        new = with_column(frame, columns, value)
    else:
        new = _tiled(frame, what, rows, columns, value)
        if new is None:
            new = _whole(frame, what, rows, columns, value)
    frame._become(new)


def _new_column(frame: Any, columns: Any) -> bool:
    try:
        return columns is not None and not isinstance(columns, (slice, list)) and columns not in frame.columns
    except TypeError:
        return False


def _tiled(frame: Any, what: str, rows: Any, columns: Any, value: Any) -> Any:
    """Written chunk by chunk: a scalar that no dtype has to give way for; None where that is not so."""
    if isinstance(value, (Handle, pd.Series, pd.DataFrame, dict, set, *POSITIONAL)) or callable(value):
        return None
    names = _column_names(frame, what, columns)
    if names is None or not _keeps_dtypes(frame.known.empty, names, value):
        return None
    if is_mask(rows):
        if isinstance(rows, (pd.Series, FrameHandle)):
            frame, (rows,), _ = together(frame, [as_frame(rows)], {})
        else:
            rows = mask_by_place(frame, rows, MASK, IndexOutOfRange)
        return registry.make("frame.set_masked", frame, rows, names, value)
    positions = _positions(frame, what, rows)
    return None if positions is None else registry.make("frame.set_positions", frame, positions, names, value)


MASK = "Boolean index has wrong length: {given} instead of {expected}"


def _column_names(frame: Any, what: str, columns: Any) -> Any:
    """Labels of the columns written to: a list, "series", or None where they are new or not plain."""
    if frame.ndim == 1:
        return "series"
    if not frame.columns.is_unique:
        return None
    if columns is None or is_all(columns):
        return list(frame.columns)
    if what == "iloc":
        return list(frame.columns[np.atleast_1d(column_positions(frame, columns))])
    if isinstance(columns, slice):
        return list(frame.columns[frame.columns.slice_indexer(columns.start, columns.stop, columns.step)])
    if is_mask(columns):
        return list(frame.columns[np.asarray(columns)])
    names = columns if isinstance(columns, list) else [columns]
    missing = [c for c in names if c not in frame.columns]
    if missing and isinstance(columns, list):
        raise ColumnNotFound.among(missing[0], frame.columns)
    return None if missing else names


def _keeps_dtypes(empty: Any, names: Any, value: Any) -> bool:
    rows = sample(empty).reset_index(drop=True)
    try:
        new = _set_rows(rows, slice(0, 1), names, value)
    except Exception:  # noqa: BLE001 - whatever it is, pandas says it of the whole
        return False
    if empty.ndim == 1:
        return bool(new.dtype == rows.dtype)
    return bool((new.dtypes == rows.dtypes).all())


def _positions(frame: Any, what: str, rows: Any) -> Any:
    """Rows of a key by position: a slice or an array; None where they are not known."""
    if isinstance(rows, Handle):
        return None
    if what == "iloc" or is_all(rows):
        return rows if isinstance(rows, slice) else np.atleast_1d(np.asarray(rows))
    there = known_labels(frame.known)
    if there is None or isinstance(there, pd.MultiIndex) or isinstance(rows, tuple):
        return None
    try:
        if isinstance(rows, slice):
            return there.slice_indexer(rows.start, rows.stop, rows.step)
        if isinstance(rows, (list, np.ndarray, pd.Index)):
            return np.flatnonzero(there.isin(rows)) if all(r in there for r in rows) else None
        found = there.get_loc(rows)
    except (KeyError, TypeError):
        return None
    if isinstance(found, np.ndarray):
        return np.flatnonzero(found)
    return found if isinstance(found, slice) else np.array([found])


def _set_rows(chunk: Any, where: Any, names: Any, value: Any) -> Any:
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
    where = truths(mask)
    return _set_rows(chunk, where, names, value) if where.any() else chunk


def _positions_meta(frame: FrameMeta, positions: Any, names: Any, value: Any) -> FrameMeta:
    if not isinstance(positions, slice) and not math.isnan(frame.length):
        normal_positions(positions, int(frame.length))
    return frame


@lowered("frame.set_positions", meta=_positions_meta)
def set_positions(frame: Chunks, positions: Any, names: Any, value: Any) -> Any:
    """The frame with a scalar at some positions."""
    if is_all(positions):
        return graph.per_chunk(_set_rows, frame, positions, names, value)
    if not frame.known:
        frame = yield Keep(frame)
    bounds = bounds_of(frame)
    if isinstance(positions, slice):
        positions = np.arange(bounds[-1])[positions]
    positions = normal_positions(positions, bounds[-1])
    owner = np.searchsorted(bounds, positions, side="right") - 1
    local = graph.constants([positions[owner == i] - bounds[i] for i in range(frame.count)], "positions")
    return graph.per_chunk(_set_local, frame, local, names, value)


def _set_local(chunk: Any, positions: np.ndarray[Any, Any], names: Any, value: Any) -> Any:
    return _set_rows(chunk, positions, names, value) if len(positions) else chunk


def _whole(frame: Any, what: str, rows: Any, columns: Any, value: Any) -> Any:
    """Written by pandas into all rows in one chunk: anything `loc` and `iloc` take, enlargement too."""
    parts = [as_frame(v) if isinstance(v, (pd.Series, pd.DataFrame)) else v for v in (rows, columns, value)]
    single = [registry.make("frame.one_chunk", p) if isinstance(p, FrameHandle) else p for p in parts]
    if frame.ndim == 2 and what == "loc" and columns is not None and not isinstance(columns, (slice, list)):
        column_key(
            frame.known.empty if columns in frame.columns else pd.DataFrame(columns=[columns]), columns
        )
    return registry.make("frame.set_whole", frame, what, *single)


def _set_whole_meta(frame: FrameMeta, what: str, rows: Any, columns: Any, value: Any) -> FrameMeta:
    there = known_labels(frame) if what == "loc" else None
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
    elif isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) >= 1:
        flat = pd.Series(np.asarray(value).ravel()) if not isinstance(value, list) else pd.Series(value)
        value = flat.iloc[0] if len(flat) else 0
    elif isinstance(value, dict):
        value = next(iter(value.values()), 0)
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
    parts = [p.rechunk(-1) if hasattr(p, "rechunk") and p.ndim else p for p in parts]
    return graph.per_chunk(_set_by_pandas, graph.gather(frame), what, *parts, lengths="unknown")


def _set_by_pandas(chunk: Any, what: str, rows: Any, columns: Any, value: Any) -> Any:
    chunk = chunk.copy()
    target = getattr(chunk, what)
    target[rows if columns is None else (rows, columns)] = value
    return chunk
