"""Rows by label: `loc`, `at`, and looking labels up over all chunks."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Generator, Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame
from marsdask.dataframe.indexing.indexing import (
    called,
    column_positions,
    columns_at,
    is_mask,
    looking,
    masked,
    one_at,
    rows_at,
    scalar_dtype,
    selected,
)
from marsdask.dataframe.making.creation import row_labels
from marsdask.dataframe.rows.alignment import starts
from marsdask.errors import ArgumentTypeError, IndexOutOfRange, LabelNotFound, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, meta, sample
from marsdask.plan.registry import lowered


def known_labels(known: FrameMeta) -> pd.Index | None:
    """The row labels where no run is needed to know them."""
    if known.labels is None and known.ranged and not math.isnan(known.length):
        return pd.RangeIndex(int(known.length))
    return known.labels


def all_there(labels: Iterable[Any], there: Any, shown: int | None = None) -> None:
    """Labels that are there, or LabelNotFound with the (first `shown`) missing ones, in pandas' words."""
    missing = [label for label in labels if label not in there]
    if missing:
        raise LabelNotFound(f"{missing[:shown]} not found in axis")


def sample_with(empty: Any, label: Any) -> Any:
    """A made-up row under the given label, to learn what pandas makes of a lookup."""
    names = empty.index.names
    if isinstance(empty.index, pd.MultiIndex):
        filler = [sample(pd.Series([], dtype=level.dtype), 1).iloc[0] for level in empty.index.levels]
        given = label if isinstance(label, tuple) else (label,)
        index = pd.MultiIndex.from_tuples([(*given, *filler[len(given) :])], names=names)
    else:
        index = pd.Index([label], name=names[0])
        with contextlib.suppress(TypeError, ValueError):
            index = index.astype(empty.index.dtype)
    return sample(empty, 1).set_axis(index, axis=0)


def one_label(frame: Any, label: Any) -> Any:
    """`frame.loc[label]`: a row (or value), or the rows of a label that is there several times."""
    there = known_labels(frame.known)
    if not isinstance(label, Hashable):
        raise ArgumentTypeError(f"loc[{label!r}]: a label must be hashable.")
    if there is not None:
        where = places(there, label)
        if isinstance(where, (int, np.integer)):
            return one_at(frame, int(where))
        if not isinstance(there, pd.MultiIndex):
            return registry.make("frame.rows_at", frame, where)
    if isinstance(label, str) and isinstance(frame.known.empty.index, (pd.DatetimeIndex, pd.PeriodIndex)):
        # A text names a span of dates rather than one.
        return registry.make("frame.label_slice", frame, slice(label, label), label)
    return registry.make("frame.at_label", frame, label)


def places(there: pd.Index, key: Any) -> Any:
    """Where labels have one label (a number, a slice or an array), or those from one to another, both ends included."""
    try:
        if isinstance(key, slice):
            return there.slice_indexer(key.start, key.stop, key.step)
        found = there.get_loc(key)
    except pd.errors.UnsortedIndexError as error:
        raise UnsortedLabels(f"loc[{key!r}]: {error.args[0]}. Hint: call sort_index() first.") from None
    except KeyError as error:
        raise missing_label(error.args[0] if error.args and isinstance(key, slice) else key) from None
    except TypeError as error:
        raise ArgumentTypeError(f"loc[{key!r}]: {error}") from None
    return np.flatnonzero(found) if isinstance(found, np.ndarray) else found


class UnsortedLabels(LabelNotFound, pd.errors.UnsortedIndexError):
    """A span of labels of several levels that are not sorted."""


def missing_label(*labels: Any) -> LabelNotFound:
    return LabelNotFound(f"label {', '.join(map(repr, labels[:5]))} not found in the index.")


def _at_label_meta(frame: FrameMeta, label: Any) -> Any:
    found = sample_with(frame.empty, label).loc[label]
    if not isinstance(found, (pd.DataFrame, pd.Series)):
        return TensorMeta((), scalar_dtype(frame.empty.dtype))
    if isinstance(found, pd.Series) and frame.kind == "DataFrame":
        return FrameMeta(found.iloc[:0], len(found), Rows())
    return FrameMeta(found.iloc[:0], math.nan, NEW)


@lowered("frame.at_label", meta=_at_label_meta, demands=looking(order=True, labels=True))
def at_label(frame: Chunks, label: Any) -> Any:
    """The row, value or rows of one label, as pandas gives them; an error where the kind is not what was promised."""
    promised = _at_label_meta(meta(frame.node), label)  # type: ignore[arg-type]
    found = graph.gather(graph.per_chunk(with_label, frame, [label], lengths="unknown"))
    if isinstance(promised, FrameMeta):
        return graph.per_chunk(_located, found, label, promised.ndim, lengths=(promised.length,))
    value = graph.per_chunk(_located, found, label, 0, lengths=None)
    return graph.to_array(value, scalar=True, dtype=promised.dtype)


def with_label(chunk: Any, labels: list[Any]) -> Any:
    """The rows of a chunk that have one of the labels: what the lookup over the whole needs."""
    index = chunk.index
    if isinstance(index, pd.MultiIndex):
        firsts = [k[0] if isinstance(k, tuple) else k for k in labels]
        return chunk[index.get_level_values(0).isin(firsts)]
    return chunk[index.isin(labels)]


def _located(chunk: Any, label: Any, ndim: int) -> Any:
    try:
        found = chunk.loc[label]
    except KeyError:
        raise missing_label(label) from None
    if np.ndim(found) != ndim and not (ndim == 0 and not isinstance(found, (pd.Series, pd.DataFrame))):
        raise ShapeError(
            f"loc[{label!r}]: the label is there {len(found)} times, which only a run could tell. "
            f"Hint: loc[[{label!r}]] gives its rows."
        )
    return found


def _at_labels_meta(frame: FrameMeta, labels: list[Any]) -> FrameMeta:
    there = known_labels(frame)
    length, known = math.nan, None
    if there is not None and not isinstance(there, pd.MultiIndex):
        if missing := [k for k in labels if k not in there]:
            raise missing_label(*missing)
        known = pd.Series(0, index=there).loc[labels].index
        length = len(known)
    return frame_meta(frame.empty, length, NEW, labels=known)


@lowered("frame.at_labels", meta=_at_labels_meta, demands=looking(order=True, labels=True))
def at_labels(frame: Chunks, labels: list[Any]) -> Chunks:
    """The rows of labels, in the order of the list; each must be there."""
    found = graph.per_chunk(with_label, frame, labels, lengths="unknown")
    return graph.per_chunk(_located_list, graph.gather(found), labels, lengths="unknown")


def _located_list(chunk: Any, labels: list[Any]) -> Any:
    if not labels:
        return chunk.iloc[:0]
    try:
        return chunk.loc[labels]
    except KeyError as error:
        missing = [k for k in labels if k not in chunk.index]
        raise (missing_label(*missing) if missing else LabelNotFound(str(error))) from None


def label_slice(frame: Any, key: slice) -> Any:
    """`frame.loc[a:b]`, both ends included."""
    there = known_labels(frame.known)
    if key.start is None and key.stop is None:
        return frame if key.step in (None, 1) else registry.make("frame.rows_at", frame, key)
    if there is None:
        return registry.make("frame.label_slice", frame, key)
    return registry.make("frame.rows_at", frame, places(there, key))


@lowered("frame.label_slice", demands=looking(order=True, labels=True),
           meta=lambda frame, key, text=None: frame.fewer())  # fmt: skip
def label_slice_rows(frame: Chunks, key: slice, text: str | None = None) -> Generator[Any, Any, Chunks]:
    """The rows from one label to another: the labels are looked at whole, rows stay in their chunks."""
    where = graph.value(_span, graph.per_chunk(row_labels, frame, lengths=None), key, text, label="span")
    if (key.step or 1) < 0:
        return (yield from rows_at(frame, (yield Ask(where))[0]))
    return graph.per_chunk(_in_span, frame, starts(frame), where, number=True, lengths="unknown")


def _span(indexes: list[pd.Index], key: slice, text: str | None) -> Any:
    whole = graph.concat(indexes)
    if text is not None and isinstance(places(whole, text), (int, np.integer)):
        raise ShapeError(
            f"loc[{text!r}]: the text names one row of these labels, which only a run could tell. "
            f"Hint: loc[pd.Timestamp({text!r})] is that row."
        )
    return places(whole, key)


def _in_span(i: int, chunk: Any, first: Any, where: Any) -> Any:
    a, step = first[i], where.step or 1
    low = max(where.start - a, (where.start - a) % step) if where.start is not None else 0
    high = None if where.stop is None else max(where.stop - a, 0)
    return chunk.iloc[low:high:step]


def by_label(frame: Any, rows: Any) -> Any:
    """`frame.loc[rows]`."""
    if isinstance(rows, slice):
        return label_slice(frame, rows)
    if is_mask(rows):
        return masked(frame, rows, error=IndexError)
    if isinstance(rows, Handle):
        rows = rows.to_numpy()
    if isinstance(rows, set):
        raise ArgumentTypeError("loc: a set has no order. Hint: pass a list of labels.")
    if isinstance(rows, (list, np.ndarray, pd.Index, pd.Series, range)):
        return registry.make("frame.at_labels", frame, list(rows))
    return one_label(frame, rows)


def split(frame: Any, key: Any, what: str) -> tuple[Any, Any]:
    """A key as rows and columns (None: all): with several index levels a tuple may be all labels of one row."""
    if what == "loc" and isinstance(key, tuple) and frame.known.empty.index.nlevels > 1:
        if not isinstance(frame, DataFrame):
            return key, None
        parts = (
            isinstance(key[0], (tuple, slice, list)) or isinstance(key[1], slice) or _is_column(frame, key[1])
        )
        return key if len(key) == 2 and parts else (key, None)
    key = called(key, frame)
    if not isinstance(key, tuple):
        return key, None
    if len(key) > (2 if isinstance(frame, DataFrame) else 1):
        raise IndexOutOfRange(f"{what}: too many indexers: {key!r}.")
    rows, columns = (called(each, frame) for each in (*key, None)[:2])
    return rows, columns.to_numpy() if isinstance(columns, Handle) else columns


def _is_column(frame: Any, key: Any) -> bool:
    names = key if isinstance(key, list) else [key]
    return all(isinstance(name, Hashable) and name in frame.columns for name in names)


def column_places(frame: Any, key: Any, what: str) -> Any:
    """Columns of a key by position, as an int or a list; None where they are labels."""
    if what == "iloc":
        return column_positions(frame, key)
    if isinstance(key, slice):
        try:
            return column_positions(frame, frame.columns.slice_indexer(key.start, key.stop, key.step))
        except KeyError as error:
            raise LabelNotFound(f"loc: column {error.args[0]!r} not found.") from None
    return np.flatnonzero(np.asarray(key)).tolist() if is_mask(key) else None


def columns_by_key(frame: Any, key: Any, what: str) -> Any:
    """Columns of a loc key (a label, a list, a slice of labels, a mask), or of an iloc key."""
    places = column_places(frame, key, what)
    return selected(frame, key) if places is None else columns_at(frame, places)
