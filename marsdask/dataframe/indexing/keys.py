"""Keys of frames made plain: what `loc`, `iloc`, `at`, `iat` take between square brackets, once for reading and for writing.

A plain key has places: of columns, and of rows where no run is needed to know their labels. What is left are masks, tensors,
and labels that a lowering looks up.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, local
from marsdask.dataframe.rows.alignment import known_labels
from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, LabelNotFound
from marsdask.plan import registry
from marsdask.plan.handle import Handle
from marsdask.plan.holes import is_open, met_of
from marsdask.tensor.core import as_tensor

LISTS = (list, np.ndarray, pd.Index, pd.Series, range)


@dataclass(frozen=True, slots=True)
class Named:
    """Columns that have no place of their own: new ones, labels that are there twice, a level's label."""

    value: Any


@dataclass(frozen=True, slots=True)
class Key:
    """What is picked.

    `rows`: the operation that reads them, and its arguments: `rows_at` a slice, array or tensor of places, `row_at` one, `filter`
    by a mask, `at_label`, `at_labels`, `label_slice`. `columns`: None for all, a place, a list of places, or Named. `given`: both
    as the user wrote them, for what only pandas can write.
    """

    rows: tuple[Any, ...]
    columns: Any
    given: tuple[Any, Any]


def plain(frame: Any, key: Any, what: str) -> Key:
    """A key of `loc` or `iloc`."""
    rows, columns = given = _split(frame, key, what)
    if what == "loc":
        return Key(rows_by_label(frame, rows), _columns_by_label(frame, columns), given)
    return Key(rows_by_place(rows), None if columns is None else columns_by_place(frame, columns), given)


def _split(frame: Any, key: Any, what: str) -> tuple[Any, Any]:
    """A key as rows and columns (None: all): with several index levels a tuple may be all labels of one row."""
    key = called(key, frame)
    if not isinstance(key, tuple):
        return key, None
    dots = any(each is Ellipsis for each in key)
    if what == "loc" and frame.known.shown.index.nlevels > 1 and not dots:
        if not isinstance(frame, DataFrame) or len(key) != 2:
            return key, None
        names = key[1] if isinstance(key[1], list) else [key[1]]
        parts = isinstance(key[0], (tuple, slice, list)) or isinstance(key[1], slice)
        parts = parts or all(isinstance(name, Hashable) and name in frame.columns for name in names)
        return key if parts else (key, None)
    if len(key) > (2 if isinstance(frame, DataFrame) else 1):
        raise IndexOutOfRange(f"{what}: too many indexers: {key!r}.")
    rows, columns = (called(each, frame) for each in (*key, None)[:2])
    return rows, columns.to_numpy() if isinstance(columns, Handle) else columns


def called(key: Any, frame: Any) -> Any:
    """A key; what it gives of the frame where it is a function, `:` for `...`, a value for an array of no axes; bounds that run."""
    if callable(key) and not isinstance(key, Handle):
        key = key(frame)
    if key is Ellipsis:
        return slice(None)
    if isinstance(key, slice):
        return slice(local(key.start), local(key.stop), local(key.step))
    return key[()] if isinstance(key, np.ndarray) and not key.ndim else key


def is_all(key: Any) -> bool:
    """Whether a key is `:`."""
    return isinstance(key, slice) and key == slice(None)


def meant_by(frame: Any, key: slice) -> str:
    """Whether `df[key]` is for `iloc` or for `loc`."""
    if all(v is None or isinstance(v, (int, np.integer)) for v in (key.start, key.stop)):
        return "iloc"
    if frame.known.shown.index.dtype.kind in "iu":
        raise ArgumentTypeError(f"df[{key!r}]: expected whole numbers. Hint: loc takes labels.")
    return "loc"


def is_mask(key: Any) -> bool:
    """Whether a key picks rows by truth: a lazy or pandas series, a tensor, an array or a list of booleans."""
    if isinstance(key, list):
        return bool(key) and all(isinstance(v, (bool, np.bool_)) for v in key)
    dtype = getattr(key, "dtype", None)
    if dtype is None or not getattr(key, "ndim", 0):
        return False
    if isinstance(key, (pd.Series, np.ndarray)) and dtype == np.dtype(object):
        if pd.api.types.infer_dtype(key, skipna=True) in ("boolean", "empty") and pd.isna(key).any():
            raise ArgumentError("Cannot mask with non-boolean array containing NA / NaN values")
        return is_mask(list(key))
    if isinstance(key, Handle) and is_open(key.known):
        dtype = met_of(key.known).empty.dtype  # with holes pandas refuses it, which a run finds
    return str(dtype) in ("bool", "boolean", "bool[pyarrow]")


def rows_by_label(frame: Any, rows: Any) -> tuple[Any, ...]:
    there = known_labels(frame.known)
    if is_mask(rows):
        return "filter", rows
    if isinstance(rows, Handle):
        return "at_labels", rows
    if isinstance(rows, slice):
        if rows.start is None and rows.stop is None:
            return "rows_at", rows
        return ("label_slice", rows) if there is None else ("rows_at", places(there, rows))
    if isinstance(rows, set):
        raise ArgumentTypeError("loc: a set has no order. Hint: pass a list of labels.")
    labels = list(rows) if isinstance(rows, LISTS) else [rows]
    if not all(isinstance(label, Hashable) for label in labels):
        raise ArgumentTypeError(f"loc[{rows!r}]: a label must be hashable.")
    dates = isinstance(frame.known.shown.index, (pd.DatetimeIndex, pd.PeriodIndex))
    if isinstance(rows, LISTS):
        if there is None and dates and any(isinstance(label, str) for label in labels):
            labels = list(pd.Index(labels).astype(frame.known.shown.index.dtype))
        if there is None or isinstance(there, pd.MultiIndex):
            return "at_labels", labels
        found = there.get_indexer_for(labels)
        return ("at_labels", labels) if (found < 0).any() else ("rows_at", found)
    if there is None:
        if not (isinstance(rows, str) and dates):
            one = isinstance(frame.known.shown.index, pd.PeriodIndex) and isinstance(rows, datetime)
            return "at_label", pd.Period(rows, frame.known.shown.index.freq) if one else rows
        # Of dates a text names a span, or one of them where they are no finer than the text.
        labels = registry.make("frame.labels", frame)
        one = registry.make("frame.named_by_text", labels, rows)._run_and_fetch().value
        return ("label_slice", rows) if one is None else ("at_label", one)
    try:
        found = places(there, rows)
    except LabelNotFound:
        return "at_label", rows
    if isinstance(found, int):
        return "row_at", found
    # Of several levels pandas leaves out those that the label names.
    return ("at_label", rows) if isinstance(there, pd.MultiIndex) else ("rows_at", found)


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
    if isinstance(found, np.ndarray):  # a mask, or of dates in no order the places
        return np.flatnonzero(found) if found.dtype == bool else found
    return found if isinstance(found, slice) else int(found)


class UnsortedLabels(LabelNotFound, pd.errors.UnsortedIndexError):
    """A span of labels of several levels that are not sorted."""


def missing_label(*labels: Any) -> LabelNotFound:
    return LabelNotFound(f"label {', '.join(map(repr, labels[:5]))} not found in the index.")


def rows_by_place(rows: Any, what: str = "iloc") -> tuple[Any, ...]:
    """The rows of a plain key that `iloc` takes."""
    if isinstance(rows, slice):
        for v in (rows.start, rows.stop, rows.step):
            if v is not None and not isinstance(v, Integral):
                raise ArgumentTypeError(f"{what}[{rows!r}]: cannot do positional indexing with {v!r}.")
        if rows.step == 0:
            raise ArgumentError(f"{what}[{rows!r}]: slice step cannot be zero.")
        return "rows_at", rows
    if is_mask(rows):
        return "filter", rows
    if isinstance(rows, Integral) and not isinstance(rows, bool):
        return "row_at", int(rows)
    if isinstance(rows, Handle):
        return "rows_at" if rows.ndim else "row_at", as_tensor(rows)
    if isinstance(rows, (*LISTS, tuple)):
        found = np.asarray(rows)
        if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
            raise IndexOutOfRange(f"{what}: positions must be whole numbers, got {found.dtype}.")
        return "rows_at", found.astype(np.intp)
    raise ArgumentTypeError(
        f"{what}: cannot index by position with {rows!r}: expected whole numbers, slices or booleans."
    )


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


def _columns_by_label(frame: Any, key: Any) -> Any:
    if key is None:
        return None
    if isinstance(key, slice):
        try:
            return columns_by_place(frame, frame.columns.slice_indexer(key.start, key.stop, key.step))
        except KeyError as error:
            raise LabelNotFound(f"loc: column {error.args[0]!r} not found.") from None
    if is_mask(key):
        return np.flatnonzero(np.asarray(key)).tolist()
    several = isinstance(key, LISTS)
    try:
        found = [frame.columns.get_loc(label) for label in (key if several else [key])]
    except (KeyError, TypeError, pd.errors.InvalidIndexError):
        return Named(key)
    if not all(isinstance(place, int) for place in found):
        return Named(key)
    return found if several else found[0]


def columns_by_place(frame: Any, key: Any) -> Any:
    """Column positions from a key of `iloc`, as a whole number or a list."""
    width = len(frame.columns)
    if isinstance(key, Handle):
        key = key.to_numpy()
    try:
        found = np.arange(width)[list(key) if isinstance(key, (list, tuple, range)) and len(key) else key]
    except IndexError as error:
        raise IndexOutOfRange(f"iloc: columns {key!r}: {error}") from None
    return int(found) if np.ndim(found) == 0 else found.astype(int).tolist()
