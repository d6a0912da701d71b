"""Reading by a plain key; `df[...]`, `head`, `tail`, `take`: columns by name and by position, rows by mask and by position."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, Index, as_frame, local
from marsdask.dataframe.indexing import keys
from marsdask.dataframe.kernels import picked
from marsdask.dataframe.rows.alignment import as_promised, bounds_of, matched, rows_of, together
from marsdask.dataframe.rows.families import ALL, BOTH, chunkwise
from marsdask.dataframe.sorting.sort import only
from marsdask.errors import ArgumentTypeError, ColumnNotFound, IndexOutOfRange, ShapeError, Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.late import late, whole
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, frame_meta, meta, sample, scalar_meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor


def looking(**at: Any) -> Callable[[Node, Demand], list[Demand]]:
    """A rule of demands: of the frame what the result's users look at and what `at` says, of other inputs everything."""

    def demands(node: Node, mine: Demand) -> list[Demand]:
        return [replace(mine, **at), *[EVERYTHING] * (len(inputs(node)) - 1)]

    return demands


@public("frame.getitem", room="engine", function=True)
def getitem(frame: Any, key: Any) -> Any:
    """A column, columns, or rows."""
    key = keys.called(key, frame)
    if isinstance(key, pd.DataFrame) or (isinstance(key, FrameHandle) and key.ndim == 2):
        return registry.call(registry.lookup("frame.where"), (frame, as_frame(key)), {})
    if keys.is_mask(key):
        return masked(frame, key)
    if isinstance(frame, Index):
        return frame.iloc[key]
    if isinstance(key, slice):
        return getattr(frame, keys.meant_by(frame, key))[key]
    if isinstance(key, Handle):  # labels, or truths among objects, that only a run can tell
        values = key.to_numpy()
        if keys.is_mask(values):
            return masked(frame, key)
        key = values
    return selected(frame, key) if frame.ndim == 2 else frame.loc[key]


def column_key(columns: pd.Index, key: Any) -> Any:
    """`key` as pandas takes it for columns, or ColumnNotFound."""
    if isinstance(key, (pd.Index, np.ndarray, pd.Series)):
        key = list(key)
    for name in key if isinstance(key, list) else [key]:
        try:
            found = name in columns
        except TypeError:
            raise ArgumentTypeError(
                f"df[{name!r}]: expected a column, a list of columns, a mask or a slice, got {type(name).__name__}."
            ) from None
        if not found:
            raise ColumnNotFound.among(name, columns)
    return key


def selected(frame: Any, key: Any) -> Any:
    """A column, or a frame of some columns."""
    return registry.make("frame.select", frame, column_key(frame.known.columns, key))


def masked(frame: Any, mask: Any, *, error: type[Exception] = ShapeError) -> Any:
    """The rows where a mask is true: a series is aligned by label, everything else is by position."""
    if isinstance(mask, (pd.Series, FrameHandle)) and not isinstance(mask, Index):
        frame, (mask,), _ = together(frame, [mask], {})
    else:
        mask = mask_by_place(frame, mask, "Item wrong length {given} instead of {expected}.", error)
    return registry.make("frame.filter", frame, mask)


def mask_by_place(frame: Any, mask: Any, message: str, error: type[Exception]) -> Any:
    """A mask that goes by position as a tensor of the frame's length."""
    tensor = as_tensor(mask if isinstance(mask, Handle) else truths(mask))
    checks.same_length(tensor.shape[0], frame.shape[0], message, error)
    return tensor


def truths(mask: Any) -> np.ndarray[Any, Any]:
    """A mask of pandas or of a list as an array; a missing value is false."""
    return pd.array(mask, dtype="boolean").to_numpy(dtype=bool, na_value=False)


def columns_of(node: Node, key: Any) -> frozenset[Any] | None:
    """The columns of a node that a key names; None where that is not plain."""
    known = meta(node)
    if known.kind != "DataFrame" or isinstance(known.columns, pd.MultiIndex):
        return None
    return frozenset(key if isinstance(key, list) else [key])


def _select_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, key = node.args
    wanted = columns_of(frame, key)
    if wanted is not None and mine.columns is not None and isinstance(key, list):
        wanted &= mine.columns
    return [mine.of(wanted)]


def _select_trim(node: Node, mine: Demand) -> Node:
    frame, key = node.args
    if mine.columns is None or not isinstance(key, list) or columns_of(frame, key) is None:
        return node
    kept = [c for c in key if c in mine.columns]
    return node if len(kept) == len(key) else Node("frame.select", (frame, kept))


@late
def _columns(chunk: Any, key: Any) -> Any:
    if not isinstance(key, list):
        return chunk[key]
    some = picked.picked(chunk)
    found = None if some is None else some.chosen(key)
    return picked.some_columns(whole(chunk), key) if found is None else found


_columns.picks = True  # type: ignore[attr-defined]
chunkwise("frame.select", _columns, demands=_select_demands, trim=_select_trim, traits=["slice", "open"])


def _pick_at(chunk: Any, positions: Any) -> Any:
    return chunk.iloc[:, positions]


chunkwise("frame.select_at", _pick_at, demands=looking(columns=None), traits=["slice"])


def columns_at(frame: Any, positions: Any) -> Any:
    """Columns by position, by name where names are distinct, so that others need not be read."""
    columns, names = frame.known.columns, frame.known.names
    if not isinstance(columns, pd.MultiIndex) and columns.is_unique:
        one = isinstance(positions, (int, np.integer))
        key = names[positions] if one else [names[at] for at in positions]
        return registry.make("frame.select", frame, key)
    return registry.make("frame.select_at", frame, positions)


def _filter_trim(node: Node, mine: Demand) -> Node:
    """Columns nobody looks at are dropped before the filter copies the rest."""
    frame, mask = node.args
    if mine.columns is None or columns_of(frame, []) is None:
        return node
    less = only(frame, mine.columns)
    return node if less is frame else Node("frame.filter", (less, mask))


@lowered("frame.filter", demands=lambda node, mine: [mine, mine.of(None)][: len(inputs(node))], trim=_filter_trim, traits=["filter"],
           meta=lambda frame, mask: frame.fewer())  # fmt: skip
def filter(frame: Chunks, mask: Any) -> Any:
    """The rows where `mask` is true, in their order and under their labels."""
    frame, (mask,), _ = yield from matched(frame, (mask,), {})
    return graph.per_chunk(_keep_rows, frame, mask, lengths="unknown")


@late
def _keep_rows(chunk: Any, mask: Any) -> Any:
    if (some := picked.kept(chunk, mask)) is not None:
        return some
    chunk, mask = whole(chunk), whole(mask)
    if isinstance(chunk, pd.Index) or isinstance(mask, np.ndarray):
        return chunk[np.asarray(mask)]
    if mask.dtype == object and len(mask) == 0:
        mask = mask.astype(bool)
    return chunk.loc[mask]


@public("DataFrame.pop", owners=["DataFrame"])
def pop(self: Any, item: Any) -> Any:
    """A column, which the frame loses."""
    column = selected(self, item)
    del self[item]
    return column


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
        keys.normal_positions(key, int(frame.length))
    made_by = None if isinstance(key, TensorMeta) else ("frame.rows_at", frame.rows.token, key)
    first = isinstance(key, slice) and key.start in (None, 0) and key.step in (None, 1)
    there = keys.known_labels(frame) if isinstance(key, np.ndarray) else frame.labels
    return frame_meta(
        frame.made,
        _selected_length(frame.length, key),
        Rows(made_by),
        ranged=frame.ranged and first,
        labels=there[key] if there is not None and not isinstance(key, TensorMeta) else None,
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
    return pick_rows(frame, keys.normal_positions(key, bounds_of(frame)[-1]))


def with_lengths(frame: Chunks, key: Any) -> Generator[Any, Any, Chunks]:
    """The frame with known lengths; for a short slice at the start, only as many of its chunks as that needs."""
    if frame.known:
        return frame
    first = isinstance(key, slice) and (key.step or 1) > 0 and (key.start or 0) >= 0 and key.stop is not None
    if not first or not 0 <= key.stop <= options.optimize.head_optimize_threshold:
        return (yield Keep(frame))
    # One chunk, then four times as many until it is enough.
    have = yield Keep(graph.chosen(frame, [0]))
    while sum(have.lengths) < key.stop and have.count < frame.count:
        more = range(have.count, min(have.count * 4, frame.count))
        have = yield Keep(graph.joined(have, graph.chosen(frame, more)))
    return have


def slice_rows(frame: Chunks, key: slice) -> Chunks:
    """A slice of rows, a new chunk for each chunk it touches."""
    bounds = bounds_of(frame).tolist()
    wanted = range(*key.indices(bounds[-1]))
    pieces: list[tuple[int, slice]] = []
    lengths: list[float] = []
    for i, (a, b) in list(enumerate(itertools.pairwise(bounds)))[:: 1 if wanted.step > 0 else -1]:
        if inside := _within(wanted, a, b):
            stop = inside[-1] - a + (1 if inside.step > 0 else -1)
            pieces.append((i, slice(inside[0] - a, stop if stop >= 0 else None, inside.step)))
            lengths.append(float(len(inside)))
    return graph.taken(frame, pieces or [(0, slice(0, 0))], tuple(lengths) or (0.0,))


def _within(wanted: range, a: int, b: int) -> range:
    """The part of a range of positions that lies in [a, b)."""
    if wanted.step < 0:
        return _within(wanted[::-1], a, b)[::-1]
    first = max(0, -(-(a - wanted.start) // wanted.step))
    return wanted[first : max(0, -(-(b - wanted.start) // wanted.step))]


def pick_rows(frame: Chunks, positions: np.ndarray[Any, Any]) -> Chunks:
    """Rows by position in the order given: a new chunk for each chunk they touch, or one where they are mixed."""
    bounds = bounds_of(frame)
    owner = np.searchsorted(bounds, positions, side="right") - 1
    if not len(positions):
        return graph.taken(frame, [(0, slice(0, 0))], (0.0,))
    pieces = [(i, positions[owner == i] - bounds[i]) for i in np.unique(owner).tolist()]
    found = graph.taken(frame, pieces, tuple(float(len(p)) for _, p in pieces))
    order = np.argsort(owner, kind="stable")
    sorted_already = np.all(owner[1:] >= owner[:-1])
    return found if sorted_already else graph.per_chunk(rows_of, graph.gather(found), np.argsort(order))


def cell_meta(column: Any) -> TensorMeta:
    """Metadata of one value of a column or index."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biufcO":
        return TensorMeta((), dtype)
    one = sample(column, 1)
    like = one[0] if isinstance(one, pd.Index) else one.iloc[0]
    return TensorMeta((), np.dtype(object)) if like is pd.NA else scalar_meta(like)


def _row_meta(frame: FrameMeta, position: int) -> FrameMeta:
    _check_position(frame.length, position)
    row = sample(frame.empty, 1).iloc[0]
    unlabelled = position if frame.ranged and position >= 0 else None
    row.name = unlabelled if frame.labels is None else frame.labels[position]
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
    return cell_meta(frame.empty)


@lowered("frame.cell_at", meta=_cell_meta, traits=["slice"])
def cell_at(frame: Chunks, position: int) -> Any:
    """One value of a series or index."""
    return as_promised(graph.per_chunk(rows_of, (yield from _one(frame, position)), 0, lengths=None))


def one_at(frame: Any, position: int) -> Any:
    """The row of a frame, or the value of a series or index, at a position."""
    return registry.make("frame.row_at" if frame.ndim == 2 else "frame.cell_at", frame, position)


def read(frame: Any, key: keys.Key) -> Any:
    """What a plain key picks, as a handle of its own."""
    columns = key.columns
    if isinstance(columns, keys.Named):
        chosen = selected(frame, columns.value)
    else:
        chosen = frame if columns is None else columns_at(frame, columns)
    found = read_rows(chosen, *key.rows)
    return found.copy(deep=False) if found is frame else found


def read_rows(frame: Any, how: str, *args: Any) -> Any:
    """The rows of a plain key; the frame itself for `:`."""
    if how == "filter":
        return masked(frame, *args, error=IndexOutOfRange)
    if how == "row_at":
        if isinstance(args[0], Handle):  # the only one of those at one place
            return one_at(registry.make("frame.rows_at", frame, args[0].reshape(1)), 0)
        return one_at(frame, *args)
    if how == "at_labels" and isinstance(args[0], Handle):  # labels that only a run can tell
        found = local(args[0])
        return read_rows(
            frame, *keys.rows_by_label(frame, found if isinstance(found, tuple) else np.asarray(found)[()])
        )
    return frame if keys.is_all(args[0]) else registry.make(f"frame.{how}", frame, *args)


@public("frame.head", owners=BOTH)
def head(self: Any, n: int = 5) -> Any:
    """The first n rows of the whole; of a file only as much is read as that needs."""
    return registry.make("frame.rows_at", self, slice(None, checks.whole(n, "head(n=)")))


@public("frame.tail", owners=BOTH)
def tail(self: Any, n: int = 5) -> Any:
    """The last n rows of the whole."""
    n = checks.whole(n, "tail(n=)")
    return registry.make("frame.rows_at", self, slice(-n, None if n else 0))


@public("frame.take", owners=ALL)
def take(self: Any, indices: Any, axis: Any = 0, **kwargs: Any) -> Any:
    """Rows (or columns) by position, in the order given."""
    for name, value in kwargs.items():
        raise Unbuilt.argument("take", name, value, "leave it out.")
    if axis is not None and checks.frame_axis(axis, self.ndim, "take") == 1:
        return columns_at(self, keys.columns_by_place(self, list(indices)))
    places = keys.rows_by_place(indices if isinstance(indices, Handle) else list(indices), "take")
    return read_rows(self, *places)
