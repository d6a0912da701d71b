"""`reset_index` and `set_index`: labels to columns and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.dataframe.indexing.indexing import after
from marsdask.dataframe.making.conversion import row_labels
from marsdask.dataframe.making.creation import from_pandas
from marsdask.dataframe.rows.alignment import done
from marsdask.dataframe.rows.families import NOT_GIVEN
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def _reset_index(self: Any, level: Any, inplace: Any, kwargs: dict[str, Any]) -> Any:
    levels = self.known.empty.index.nlevels
    several = isinstance(level, (list, tuple)) and len(set(level)) >= levels
    made = registry.make("frame.reset_labels", self, {"level": level, **kwargs})
    if level is None or several or levels == 1:
        made = registry.make("frame.renumber", made)
    if inplace and made.ndim != self.ndim:
        raise ArgumentTypeError("Cannot reset_index inplace on a Series to create a DataFrame")
    return done(self, made, inplace)


@public("DataFrame.reset_index", owners=["DataFrame"])
def reset_index(self: Any, level: Any = None, drop: bool = False, inplace: bool = False, col_level: Any = 0, col_fill: Any = "",
                allow_duplicates: Any = False, names: Any = None, incremental_index: bool = True) -> Any:  # fmt: skip
    """The labels as columns, the rows under 0..n-1 over the whole (always, whatever `incremental_index`)."""
    kwargs = {
        "drop": bool(drop),
        "col_level": col_level,
        "col_fill": col_fill,
        "allow_duplicates": allow_duplicates,
        "names": names,
    }
    return _reset_index(self, level, inplace, kwargs)


@public("Series.reset_index", owners=["Series"])
def reset_index_of_series(self: Any, level: Any = None, drop: bool = False, name: Any = NOT_GIVEN, inplace: bool = False,
                          allow_duplicates: bool = False, incremental_index: bool = True) -> Any:  # fmt: skip
    """The labels as a column beside the values, or dropped; rows under 0..n-1 over the whole."""
    named = {"allow_duplicates": allow_duplicates} if name is NOT_GIVEN else {"name": name}
    return _reset_index(self, level, inplace, {"drop": bool(drop), **({} if drop else named)})


def _reset(chunk: Any, kwargs: dict[str, Any], columns: Any = None) -> Any:
    kwargs = {k: v for k, v in kwargs.items() if v is not None}
    new = chunk.reset_index(**kwargs)
    return new if columns is None or new.ndim == 1 else new.set_axis(columns, axis=1)


def _reset_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, kwargs = node.args
    known = meta(frame)
    columns = mine.columns
    there = getattr(known.empty, "columns", None)
    if there is None or not there.is_unique or isinstance(there, pd.MultiIndex):
        return [Demand(None, mine.order, not kwargs["drop"] or mine.labels)]
    made = list(_reset(known.empty, kwargs).columns)
    new = set(made) - set(there)
    several = known.empty.index.nlevels > 1
    labels = several or (not kwargs["drop"] and (columns is None or bool(new & columns)))
    # "index" becomes "level_0" beside a column of that name: names are fixed only while that one is there.
    if columns is not None and "index" in there:
        columns = columns | {"index"}
    return [Demand(columns, mine.order, labels)]


@lowered("frame.reset_labels", demands=_reset_demands,
           meta=lambda frame, kwargs: frame_meta(_reset(frame.empty, kwargs), frame.length, NEW))  # fmt: skip
def reset_labels(frame: Chunks, kwargs: dict[str, Any]) -> Chunks:
    """pandas' reset_index chunk by chunk: labels are chunk-local until a renumber makes them whole."""
    return graph.per_chunk(_reset, frame, kwargs)


@public("DataFrame.set_index", owners=["DataFrame"])
def set_index(
    self: Any,
    keys: Any,
    drop: bool = True,
    append: bool = False,
    inplace: bool = False,
    verify_integrity: bool = False,
) -> Any:
    """Columns, series or arrays (by position) as the row labels; nothing is sorted. `verify_integrity` looks at the whole."""
    found: list[Any] = []
    values: list[Any] = []
    for key in keys if isinstance(keys, list) else [keys]:
        if isinstance(key, (Handle, pd.Series, pd.Index, np.ndarray, list, range)):
            values.append(_key_values(self, key))
            found.append(None)
        else:
            try:
                found += checks.columns([key], self)
            except TypeError:
                raise ArgumentTypeError(
                    f"set_index(keys={key!r}): expected columns, series, indexes or arrays."
                ) from None
    flags = map(bool, (drop, append, verify_integrity))
    return done(self, registry.make("frame.index_from", self, found, values, *flags), inplace)


def _key_values(frame: Any, key: Any) -> Any:
    if isinstance(key, (pd.Series, FrameHandle)):
        key = as_frame(key)
        key = key if key.known.kind == "Series" else registry.make("frame.labels_as_series", key)
    elif isinstance(key, Handle):
        key = registry.make("frame.from_tensor", key)
    else:
        key = from_pandas(pd.Series(key, name=getattr(key, "name", None)))
    message = "Length mismatch: Expected {expected} rows, received array of length {given}"
    checks.same_length(key.shape[0], frame.shape[0], message)
    return registry.make("frame.relabelled_like", key, frame)


def _index_from(chunk: pd.DataFrame, keys: list[Any], drop: bool, append: bool, *values: Any) -> pd.DataFrame:
    left = iter(values)
    given = [next(left) if k is None else k for k in keys]
    return chunk.set_index(given, drop=drop, append=append)


def _index_from_meta(
    frame: FrameMeta, keys: Any, values: list[FrameMeta], drop: bool, append: bool, verify: bool
) -> FrameMeta:
    empty = _index_from(frame.empty, keys, drop, append, *(v.empty for v in values))
    return frame_meta(empty, frame.length, NEW)


def _index_from_demands(node: Node, mine: Demand) -> list[Demand]:
    _, keys, _, _, append, _ = node.args
    columns = None if mine.columns is None else mine.columns | {k for k in keys if k is not None}
    first = Demand(columns, mine.order, append and mine.labels)
    return [first, *([Demand(None, mine.order, labels=False)] * (len(inputs(node)) - 1))]


@lowered("frame.index_from", meta=_index_from_meta, demands=_index_from_demands)
def index_from(
    frame: Chunks, keys: list[Any], values: list[Chunks], drop: bool, append: bool, verify: bool
) -> Any:
    """Columns, or series on the same rows, as the labels."""
    made = graph.per_chunk(_index_from, frame, keys, drop, append, *values)
    if verify:
        labels = graph.per_chunk(row_labels, made, lengths=None)
        made = graph.per_chunk(after, made, graph.value(_check_unique, labels))
    return made


def _check_unique(indexes: list[pd.Index]) -> bool:
    whole = graph.concat(indexes)
    if not whole.is_unique:
        again = whole[whole.duplicated()].unique()
        raise ArgumentError(f"Index has duplicate keys: {again}")
    return True
