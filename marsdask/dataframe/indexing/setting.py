"""Writing into rows by mask, position or label: `df.loc[...] = `, `df.iloc[...] = `."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.dataframe.indexing.indexing import column_key, is_mask
from marsdask.dataframe.indexing.labels import known_labels
from marsdask.dataframe.making.creation import is_ranged
from marsdask.dataframe.rows.alignment import matched, together
from marsdask.errors import ColumnNotFound, IndexOutOfRange
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import NEW, FrameMeta, frame_meta
from marsdask.plan.registry import lowered

POSITIONAL = (list, tuple, range, np.ndarray, pd.Index, pd.api.extensions.ExtensionArray)
"""Kinds of values that go by position, whatever the labels."""


def set_at(frame: Any, what: str, key: Any, value: Any) -> None:
    """`frame.loc[key] = value` or `frame.iloc[key] = value`: rebinds the frame."""
    from marsdask.dataframe.indexing.assign import with_column  # assign imports this file
    from marsdask.dataframe.indexing.labels import split
    from marsdask.dataframe.indexing.positions import row_and_column

    rows, columns = split(frame, key) if what == "loc" else row_and_column(frame, key, what)
    if isinstance(columns, Handle):
        columns = columns.to_numpy()
    if (
        what == "loc"
        and frame.ndim == 2
        and isinstance(rows, slice)
        and rows == slice(None)
        and _new_column(frame, columns)
    ):
        new = with_column(frame, columns, value)
    else:
        new = _tiled(frame, what, rows, columns, value)
        if new is None:
            new = _whole(frame, what, rows, columns, value)
    frame.rebind(new.node, held(new))


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
            rows = _checked_mask(frame, rows)
        return registry.make("frame.set_masked", frame, rows, names, value)
    positions = _positions(frame, what, rows)
    return None if positions is None else registry.make("frame.set_positions", frame, positions, names, value)


def _checked_mask(frame: Any, mask: Any) -> Any:
    mask = registry.CONVERTERS[registry.Array](
        mask if isinstance(mask, Handle) else np.asarray(mask, dtype=bool)
    )
    given, mine = mask.shape[0], frame.shape[0]
    if given == given and mine == mine and given != mine:
        raise IndexOutOfRange(f"Boolean index has wrong length: {int(given)} instead of {int(mine)}")
    return mask


def _column_names(frame: Any, what: str, columns: Any) -> Any:
    """Labels of the columns written to: a list, "series", or None where they are new or not plain."""
    from marsdask.dataframe.indexing.positions import column_positions

    if frame.ndim == 1:
        return "series"
    if not frame.columns.is_unique:
        return None
    if columns is None or (isinstance(columns, slice) and columns == slice(None)):
        return list(frame.columns)
    if what == "iloc":
        found = column_positions(frame, columns)
        return [frame.columns[i] for i in ([found] if isinstance(found, int) else found)]
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
    from marsdask.plan.meta import sample

    rows = sample(empty).reset_index(drop=True)
    try:
        new = _set_rows(rows, slice(0, 1), names, value)
    except Exception:  # noqa: BLE001 - whatever it is, pandas says it of the whole
        return False  # pandas says it of the whole
    if empty.ndim == 1:
        return bool(new.dtype == rows.dtype)
    return bool((new.dtypes == rows.dtypes).all())


def _positions(frame: Any, what: str, rows: Any) -> Any:
    """Rows of a key by position: a slice or an array; None where they are not known."""
    if isinstance(rows, Handle):
        return None
    if what == "iloc" or (isinstance(rows, slice) and rows == slice(None)):
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


def _kept_meta(frame: FrameMeta, *rest: Any) -> FrameMeta:
    return frame.same(frame.empty)


@lowered("frame.set_masked", meta=_kept_meta)
def set_masked(frame: Chunks, mask: Any, names: Any, value: Any) -> Any:
    """The frame with a scalar where a mask is true."""
    frame, (mask,), _ = yield from matched(frame, (mask,), {})
    return graph.per_chunk(_set_masked, frame, mask, names, value)


def _set_masked(chunk: Any, mask: Any, names: Any, value: Any) -> Any:
    if isinstance(mask, pd.Series) and not mask.index.equals(chunk.index):
        mask = mask.reindex(chunk.index, fill_value=False)
    where = np.asarray(pd.array(mask, dtype="boolean").to_numpy(dtype=bool, na_value=False))
    return _set_rows(chunk, where, names, value) if where.any() else chunk


@lowered("frame.set_positions", meta=lambda frame, *rest: _positions_meta(frame, *rest))
def set_positions(frame: Chunks, positions: Any, names: Any, value: Any) -> Any:
    """The frame with a scalar at some positions."""
    from marsdask.dataframe.indexing.positions import normal_positions
    from marsdask.plan.lower import Keep

    if not frame.known and not (isinstance(positions, slice) and positions == slice(None)):
        frame = yield Keep(frame)
    if isinstance(positions, slice) and positions == slice(None):
        return graph.per_chunk(_set_rows, frame, positions, names, value)
    assert frame.lengths is not None
    bounds = np.cumsum([0, *frame.lengths]).astype(int)
    if isinstance(positions, slice):
        positions = np.arange(bounds[-1])[positions]
    positions = normal_positions(positions, int(bounds[-1]))
    owner = np.searchsorted(bounds, positions, side="right") - 1
    local = graph.constants(
        [_Local(positions[owner == i] - bounds[i]) for i in range(frame.count)], "positions"
    )
    return graph.per_chunk(_set_local, frame, local, names, value)


def _positions_meta(frame: FrameMeta, positions: Any, names: Any, value: Any) -> FrameMeta:
    from marsdask.dataframe.indexing.positions import normal_positions

    if not isinstance(positions, slice) and not math.isnan(frame.length):
        normal_positions(positions, int(frame.length))
    return _kept_meta(frame)


class _Local:
    """Positions inside one chunk."""

    def __init__(self, positions: Any):
        self.positions = positions


def _set_local(chunk: Any, local: _Local, names: Any, value: Any) -> Any:
    return _set_rows(chunk, local.positions, names, value) if len(local.positions) else chunk


def _whole(frame: Any, what: str, rows: Any, columns: Any, value: Any) -> Any:
    """Written by pandas into all rows in one chunk: anything `loc` and `iloc` take, enlargement too."""
    parts = [as_frame(v) if isinstance(v, (pd.Series, pd.DataFrame)) else v for v in (rows, columns, value)]
    single = [registry.make("frame.one_chunk", p) if isinstance(p, FrameHandle) else p for p in parts]
    if frame.ndim == 2 and what == "loc" and columns is not None and not isinstance(columns, (slice, list)):
        column_key(
            frame.known.empty if columns in frame.columns else pd.DataFrame(columns=[columns]),
            columns,
        )
    return registry.make("frame.set_whole", frame, what, *single)


def _set_whole_meta(frame: FrameMeta, what: str, rows: Any, columns: Any, value: Any) -> FrameMeta:
    there = known_labels(frame) if what == "loc" else None
    label = (
        what == "loc"
        and not isinstance(rows, (FrameMeta, slice, list, np.ndarray, pd.Index))
        and not hasattr(rows, "shape")
    )
    enlarges = label and (there is None or rows not in there)
    grows = enlarges and there is not None
    empty = _after_set(frame, rows, columns, value, grows=grows, label=label)
    length = math.nan if enlarges and not grows else frame.length + grows
    ranged = frame.ranged and (
        not enlarges or (grows and isinstance(rows, (int, np.integer)) and rows == frame.length)
    )
    labels = (
        there.append(pd.Index([rows]))
        if grows and there is not None
        else (None if enlarges else frame.labels)
    )
    return frame_meta(empty, length, NEW, ranged=ranged, labels=labels)


def _after_set(frame: FrameMeta, rows: Any, columns: Any, value: Any, *, grows: bool, label: bool) -> Any:
    """What pandas makes of the dtypes: on two made-up rows, the first of them written to (or a new one)."""
    from marsdask.dataframe.rows.alignment import sampled
    from marsdask.plan.meta import sample

    made = sample(frame.empty).reset_index(drop=True)
    value = sampled(value)
    if isinstance(value, (pd.Series, pd.DataFrame)):
        value = value.iloc[0] if isinstance(value, pd.Series) else 0
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
            made.loc[
                row,
                made.columns[names]
                if not isinstance(names, slice) and not set(names) <= set(made.columns)
                else names,
            ] = value
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
