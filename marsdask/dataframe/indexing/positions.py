"""Rows by position: `iloc`, `iat`, `head`, `tail`, `take`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator
from numbers import Integral
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle
from marsdask.dataframe.indexing.indexing import called, columns_at, is_all, is_mask, looking, masked
from marsdask.dataframe.making.conversion import bounds_of
from marsdask.dataframe.making.creation import rows_of
from marsdask.dataframe.rows.families import ALL, BOTH
from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, frame_meta, sample
from marsdask.plan.registry import lowered, public


def _selected_length(length: float, key: Any) -> float:
    if isinstance(key, TensorMeta):
        return key.shape[0]
    if not isinstance(key, slice):
        return len(key)
    if not math.isnan(length):
        return len(range(*key.indices(int(length))))
    # A slice of an unknown length is known where it is empty for every length.
    start, stop = key.start or 0, key.stop
    empty = stop is not None and (key.step or 1) > 0 and start >= 0 and stop >= 0 and start >= stop
    return 0 if empty else math.nan


def _rows_at_meta(frame: FrameMeta, key: Any) -> FrameMeta:
    if isinstance(key, np.ndarray) and not math.isnan(frame.length):
        normal_positions(key, int(frame.length))
    made_by = None if isinstance(key, TensorMeta) else ("frame.rows_at", frame.rows.token, key)
    first = isinstance(key, slice) and key.start in (None, 0) and key.step in (None, 1)
    return frame_meta(
        frame.empty,
        _selected_length(frame.length, key),
        Rows(made_by),
        ranged=frame.ranged and first,
        labels=None if frame.labels is None or isinstance(key, TensorMeta) else frame.labels[key],
    )


@lowered("frame.rows_at", meta=_rows_at_meta, demands=looking(order=True), sizes="any", traits=["slice"])
def rows_at(frame: Chunks, key: Any) -> Any:
    """Rows by position: a slice, or positions in any order. Only the chunks that hold them are worked out."""
    if isinstance(key, da.Array):
        key = np.asarray((yield Ask(key)))
        if key.dtype == bool:
            key = np.flatnonzero(key)
    frame = yield from with_lengths(frame, key)
    if isinstance(key, slice):
        return slice_rows(frame, key)
    return pick_rows(frame, normal_positions(key, bounds_of(frame)[-1]))


def with_lengths(frame: Chunks, key: Any) -> Generator[Any, Any, Chunks]:
    """The frame with known lengths; for a short slice at the start, only as many of its chunks as that needs."""
    if frame.known:
        return frame
    first = isinstance(key, slice) and (key.step or 1) > 0 and (key.start or 0) >= 0 and key.stop is not None
    if first and 0 <= key.stop <= options.optimize.head_optimize_threshold:
        return (yield from first_chunks(frame, key.stop))
    return (yield Keep(frame))


def first_chunks(frame: Chunks, need: int) -> Generator[Any, Any, Chunks]:
    """The first chunks that together have `need` rows, computed: one, then four times as many until it is enough."""
    have = yield Keep(graph.chosen(frame, [0]))
    while sum(have.lengths) < need and have.count < frame.count:
        more = range(have.count, min(have.count * 4, frame.count))
        have = yield Keep(graph.joined(have, graph.chosen(frame, more)))
    return have


def slice_rows(frame: Chunks, key: slice) -> Chunks:
    """A slice of rows, a new chunk for each chunk it touches."""
    bounds = bounds_of(frame).tolist()
    wanted = range(*key.indices(bounds[-1]))
    pieces, lengths = [], []
    for i, (a, b) in enumerate(itertools.pairwise(bounds)):
        inside = _within(wanted, a, b)
        if len(inside):
            stop = inside[-1] - a + (1 if inside.step > 0 else -1)
            pieces.append((i, slice(inside[0] - a, stop if stop >= 0 else None, inside.step)))
            lengths.append(float(len(inside)))
    if wanted.step < 0:
        pieces.reverse()
        lengths.reverse()
    if not pieces:
        pieces, lengths = [(0, slice(0, 0))], [0.0]
    return graph.taken(frame, pieces, tuple(lengths))


def _within(wanted: range, a: int, b: int) -> range:
    """The part of a range of positions that lies in [a, b)."""
    if wanted.step < 0:
        return _within(wanted[::-1], a, b)[::-1]
    first = max(0, -(-(a - wanted.start) // wanted.step))
    last = max(0, -(-(b - wanted.start) // wanted.step))
    return wanted[first:last]


def normal_positions(key: Any, length: int) -> np.ndarray[Any, Any]:
    """Positions from 0 on, or IndexOutOfRange."""
    positions = np.asarray(key)
    if positions.size == 0:
        return positions.astype(np.intp)
    if positions.dtype.kind not in "iu":
        raise IndexOutOfRange(f"positions must be whole numbers, got {positions.dtype}.")
    if positions.max() >= length or positions.min() < -length:
        raise IndexOutOfRange("positional indexers are out-of-bounds")
    return np.where(positions < 0, positions + length, positions).astype(np.intp)


def pick_rows(frame: Chunks, positions: np.ndarray[Any, Any]) -> Chunks:
    """Rows by position in the order given: a new chunk for each chunk they touch, or one where they are mixed."""
    bounds = bounds_of(frame)
    owner = np.searchsorted(bounds, positions, side="right") - 1
    touched = np.unique(owner).tolist() if len(positions) else []
    if not touched:
        return graph.taken(frame, [(0, slice(0, 0))], (0.0,))
    order = np.argsort(owner, kind="stable")
    pieces = [(i, positions[order[owner[order] == i]] - bounds[i]) for i in touched]
    found = graph.taken(frame, pieces, tuple(float(len(p)) for _, p in pieces))
    if np.all(owner[1:] >= owner[:-1]):
        return found
    return graph.per_chunk(rows_of, graph.gather(found), np.argsort(order))


def scalar_dtype(dtype: Any) -> Any:
    """The dtype of a 0-d tensor that holds one value of a column."""
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "biufc" else np.dtype(object)


def _row_meta(frame: FrameMeta, position: int) -> FrameMeta:
    _check_position(frame.length, position)
    row = sample(frame.empty, 1).iloc[0]
    row.name = None
    if frame.labels is not None:
        row.name = frame.labels[position]
    elif frame.ranged and position >= 0:
        row.name = position
    return frame_meta(row, len(frame.empty.columns), Rows(("frame.row_at", frame.rows.token, position)))


def _check_position(length: float, position: int) -> None:
    if not math.isnan(length) and not -length <= position < length:
        raise IndexOutOfRange("single positional indexer is out-of-bounds")


def _one(frame: Chunks, position: int) -> Generator[Any, Any, Chunks]:
    """One chunk of the row at a position."""
    stop = position + 1 if position >= 0 else None
    frame = yield from with_lengths(frame, slice(position, stop) if stop else slice(position, None))
    total = bounds_of(frame)[-1]
    _check_position(total, position)
    return pick_rows(frame, np.array([position % total]))


@lowered("frame.row_at", meta=_row_meta, traits=["slice"])
def row_at(frame: Chunks, position: int) -> Any:
    """One row as a series over the columns."""
    row = yield from _one(frame, position)
    return graph.per_chunk(rows_of, row, 0, lengths=(float(len(frame.empty.columns)),))


def _cell_meta(frame: FrameMeta, position: int) -> TensorMeta:
    _check_position(frame.length, position)
    return TensorMeta((), scalar_dtype(frame.empty.dtype))


@lowered("frame.cell_at", meta=_cell_meta, traits=["slice"])
def cell_at(frame: Chunks, position: int) -> Any:
    """One value of a series or index."""
    row = yield from _one(frame, position)
    dtype = scalar_dtype(frame.empty.dtype)
    return graph.to_array(graph.per_chunk(rows_of, row, 0, lengths=None), scalar=True, dtype=dtype)


def by_position(frame: Any, rows: Any, what: str = "iloc") -> Any:
    """`frame.iloc[rows]`."""
    if isinstance(rows, slice):
        for v in (rows.start, rows.stop, rows.step):
            if v is not None and not isinstance(v, Integral):
                raise ArgumentTypeError(f"{what}[{rows!r}]: cannot do positional indexing with {v!r}.")
        if rows.step == 0:
            raise ArgumentError(f"{what}[{rows!r}]: slice step cannot be zero.")
        return frame if is_all(rows) else registry.make("frame.rows_at", frame, rows)
    if is_mask(rows):
        if isinstance(rows, (FrameHandle, pd.Series)):
            raise ArgumentError(
                f"{what}: a mask by position is a list, array or tensor, not a series. Hint: use loc."
            )
        return masked(frame, rows, error=IndexOutOfRange)
    if isinstance(rows, Integral) and not isinstance(rows, bool):
        if frame.ndim == 2:
            return registry.make("frame.row_at", frame, int(rows))
        return registry.make("frame.cell_at", frame, int(rows))
    if isinstance(rows, Handle):
        return registry.make("frame.rows_at", frame, registry.CONVERTERS[registry.Array](rows))
    if isinstance(rows, (list, tuple, np.ndarray, pd.Index, pd.Series, range)):
        found = np.asarray(rows)
        if found.size and found.dtype.kind not in "iu":
            raise IndexOutOfRange(f"{what}: positions must be whole numbers, got {found.dtype}.")
        return registry.make("frame.rows_at", frame, found.astype(np.intp))
    raise ArgumentTypeError(
        f"{what}: cannot index by position with {rows!r}: expected whole numbers, slices or booleans."
    )


def row_and_column(frame: Any, key: Any, what: str) -> tuple[Any, Any]:
    """A key split into rows and columns (None: all)."""
    key = called(key, frame)
    if isinstance(key, tuple):
        if len(key) > (2 if isinstance(frame, DataFrame) else 1):
            raise IndexOutOfRange(f"{what}: too many indexers: {key!r}.")
        rows, columns = key if len(key) == 2 else (key[0], None)
        return called(rows, frame), called(columns, frame)
    return key, None


def column_positions(frame: Any, key: Any) -> Any:
    """Column positions from an iloc key, as an int or a list."""
    width = len(frame.columns)
    if isinstance(key, Handle):
        key = key.to_numpy()
    try:
        found = np.arange(width)[list(key) if isinstance(key, (list, tuple, range)) and len(key) else key]
    except IndexError as error:
        raise IndexOutOfRange(f"iloc: columns {key!r}: {error}") from None
    return int(found) if np.ndim(found) == 0 else found.astype(int).tolist()


@public("frame.head", owners=BOTH)
def head(self: Any, n: int = 5) -> Any:
    """The first n rows of the whole; of a file only as much is read as that needs."""
    return registry.make("frame.rows_at", self, slice(None, checks.whole(n, "head(n=)")))


@public("frame.tail", owners=BOTH)
def tail(self: Any, n: int = 5) -> Any:
    """The last n rows of the whole."""
    n = checks.whole(n, "tail(n=)")
    return registry.make("frame.rows_at", self, slice(0, 0) if n == 0 else slice(-n, None))


@public("frame.take", owners=ALL)
def take(self: Any, indices: Any, axis: Any = 0, **kwargs: Any) -> Any:
    """Rows (or columns) by position, in the order given."""
    if kwargs:
        raise Unbuilt.argument("take", next(iter(kwargs)), next(iter(kwargs.values())), "leave it out.")
    if axis is not None and checks.frame_axis(axis, self.ndim, "take") == 1:
        return columns_at(self, column_positions(self, list(indices)))
    return by_position(self, list(indices) if not isinstance(indices, Handle) else indices, "take")
