"""Rows and columns by label: `loc`, `at`, and looking labels up over all chunks; `drop`, `reindex`, `filter`, `select_dtypes`, `squeeze`."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Generator, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, local
from marsdask.dataframe.indexing.indexing import cell_meta, columns_at, looking, rows_at
from marsdask.dataframe.indexing.keys import missing_label, places
from marsdask.dataframe.making.cells import has_cells, of_cells
from marsdask.dataframe.making.creation import as_index, plain_index
from marsdask.dataframe.rows.alignment import (
    as_promised,
    checked,
    decided,
    distinct,
    done,
    known_labels,
    row_labels,
    starts,
)
from marsdask.dataframe.rows.families import BOTH, call, chunkwise
from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    ColumnNotFound,
    LabelNotFound,
    ShapeError,
    UnknownLength,
)
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.holes import met_of
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, sample
from marsdask.plan.node import Data, Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


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


def _at_label_meta(frame: FrameMeta, label: Any) -> Any:
    there = known_labels(frame)
    if there is not None:
        places(there, label)  # it is there, or this raises
    found = sample_with(frame.empty, label).loc[label]
    if not isinstance(found, (pd.DataFrame, pd.Series)):
        return cell_meta(frame.empty)
    if isinstance(found, pd.Series) and frame.kind == "DataFrame":
        return frame_meta(found, len(found), Rows())
    return frame_meta(found, math.nan, NEW)


@lowered("frame.at_label", meta=_at_label_meta, demands=looking(order=True, labels=True))
def at_label(frame: Chunks, label: Any) -> Any:
    """The row, value or rows of one label, as pandas gives them; an error where the kind is not what was promised."""
    found = graph.gather(graph.per_chunk(with_label, frame, [label], lengths="unknown"))
    return as_promised(graph.per_chunk(_located, found, label, len(graph.promised().shape), lengths=None))


def with_label(chunk: Any, labels: list[Any]) -> Any:
    """The rows of a chunk that have one of the labels: what the lookup over the whole needs."""
    index = chunk.index
    if isinstance(index, pd.MultiIndex):
        return chunk[index.get_level_values(0).isin([k[0] if isinstance(k, tuple) else k for k in labels])]
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
    if there is not None and (missing := [k for k in labels if k not in there]):
        raise missing_label(*missing)
    return frame.fewer()


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


@lowered("frame.label_slice", demands=looking(order=True, labels=True),
           meta=lambda frame, key: frame.fewer())  # fmt: skip
def label_slice_rows(frame: Chunks, key: slice | str) -> Generator[Any, Any, Chunks]:
    """The rows from one label to another, or of a text that names a span of dates: the labels are looked at whole, rows stay in
    their chunks."""
    where = graph.value(_span, graph.per_chunk(row_labels, frame, lengths=None), key, label="span")
    if isinstance(key, slice) and (key.step or 1) < 0:
        return (yield from rows_at(frame, (yield Ask(where))[0]))
    return graph.per_chunk(_in_span, frame, starts(frame), where, number=True, lengths="unknown")


def _span(indexes: list[pd.Index], key: slice | str) -> Any:
    return places(graph.concat(indexes), key)


@lowered("frame.named_by_text", meta=lambda labels, text: TensorMeta((), np.dtype(object)))
def named_by_text(labels: Chunks, text: str) -> Any:
    """The one date that a text names among labels, wrapped; None where it names a span of them."""
    return as_promised(graph.value(_named_by_text, labels, text))


def _named_by_text(indexes: list[pd.Index], text: str) -> Data:
    whole = graph.concat(indexes)
    found = places(whole, text)
    return Data(whole[found] if isinstance(found, int) else None)


def _in_span(i: int, chunk: Any, first: Any, where: Any) -> Any:
    a = first[i]
    if isinstance(where, np.ndarray):
        return chunk.iloc[where[(where >= a) & (where < a + len(chunk))] - a]
    step = where.step or 1
    low = max(where.start - a, (where.start - a) % step) if where.start is not None else 0
    high = None if where.stop is None else max(where.stop - a, 0)
    return chunk.iloc[low:high:step]


def _labels_list(labels: Any) -> list[Any]:
    listed = isinstance(labels, (list, np.ndarray, pd.Index, pd.Series, range, set))
    return list(labels) if listed else [labels]


@public("frame.drop", owners=BOTH)
def drop(self: Any, labels: Any = None, axis: Any = 0, index: Any = None, columns: Any = None, level: Any = None,
          inplace: bool = False, errors: str = "raise") -> Any:  # fmt: skip
    """The frame without some rows or columns. A missing row label is a KeyError when it runs, at the call where labels are known."""
    checks.choice(errors, "drop(errors=)", ("raise", "ignore"))
    if labels is not None:
        if index is not None or columns is not None:
            raise ArgumentError("Cannot specify both 'labels' and 'index'/'columns'")
        index, columns = (None, labels) if checks.frame_axis(axis, self.ndim, "drop") else (labels, None)
    elif index is None and columns is None:
        raise ArgumentError("Need to specify at least one of 'labels', 'index' or 'columns'")
    new = self
    if columns is not None and self.ndim == 2:
        new = _without_columns(new, columns, level, errors)
    if index is not None:
        new = _without_rows(new, index, level, errors)
    return done(self, new if new is not self else self.copy(deep=False), inplace)


def _without_columns(frame: Any, columns: Any, level: Any, errors: str) -> Any:
    columns = local(columns)
    empty = frame.known.empty
    if errors == "raise" and level is None:
        for name in _labels_list(columns):
            if name not in empty.columns:
                raise ColumnNotFound(f"{ColumnNotFound.among(name, empty.columns)} (drop: not found in axis)")
    kept = empty.drop(columns=columns, level=level, errors=errors).columns.unique()
    return columns_at(frame, sorted(empty.columns.get_indexer_for(kept).tolist()))


def _without_rows(frame: Any, labels: Any, level: Any, errors: str) -> Any:
    several = isinstance(labels, Handle) and labels.ndim
    given = as_index(labels) if several else list(map(local, _labels_list(labels)))
    return registry.make("frame.drop_labels", frame, given, level, errors)


def _drop_labels_meta(frame: FrameMeta, labels: Any, level: Any, errors: str) -> FrameMeta:
    there = known_labels(frame)
    unclear = isinstance(there, pd.MultiIndex) or isinstance(labels, FrameMeta) or level is not None
    if there is None or unclear:
        return frame.fewer()
    if errors == "raise":
        all_there(labels, there)
    left = there[~there.isin(labels)]
    return frame_meta(frame.made, len(left), NEW, labels=left)


@lowered("frame.drop_labels", meta=_drop_labels_meta, demands=looking(labels=True))
def drop_labels(frame: Chunks, labels: Any, level: Any, errors: str) -> Chunks:
    """The rows that have none of the labels; each label must be there somewhere."""
    labels = graph.gather(labels) if isinstance(labels, Chunks) else labels
    kept = graph.per_chunk(_without, frame, labels, level, lengths="unknown")
    if errors == "ignore":
        return kept
    return checked(kept, _all_found, graph.per_chunk(_found, frame, labels, level, lengths=None), labels)


def _hits(chunk: Any, labels: Any, level: Any) -> Any:
    index = row_labels(chunk)
    if level is not None:
        return index.get_level_values(level).isin(labels)
    if isinstance(index, pd.MultiIndex) and len(labels) and not isinstance(labels[0], tuple):
        return index.get_level_values(0).isin(labels)
    return index.isin(labels)


def _without(chunk: Any, labels: Any, level: Any) -> Any:
    return chunk[~_hits(chunk, labels, level)]


def _found(chunk: Any, labels: Any, level: Any) -> pd.Index:
    index = row_labels(chunk)[_hits(chunk, labels, level)]
    return index if level is None else index.get_level_values(level)


def _all_found(found: list[pd.Index], labels: Any) -> None:
    if isinstance(labels, list) and len(labels) == 1 and isinstance(labels[0], pd.Index):
        labels = labels[0]
    there = graph.concat([f for f in found if len(f)] or found[:1])
    if isinstance(there, pd.MultiIndex) and len(labels) and not isinstance(labels[0], tuple):
        there = there.get_level_values(0)
    all_there(labels, there, 5)


@public("Index.drop", owners=["Index"])
def drop_from_index(self: Any, labels: Any, errors: str = "raise") -> Any:
    return _without_rows(self, labels, None, errors)


@public("frame.reindex", owners=BOTH)
def reindex(self: Any, labels: Any = None, index: Any = None, columns: Any = None, axis: Any = None, method: Any = None, copy: Any = None,
             level: Any = None, fill_value: Any = np.nan, limit: Any = None, tolerance: Any = None, enable_sparse: Any = False) -> Any:  # fmt: skip
    """The frame on other labels, empty (or `fill_value`) where there were none. New row labels may be lazy."""
    if labels is not None:
        by_column = axis is not None and checks.frame_axis(axis, self.ndim, "reindex") == 1
        index, columns = (None, labels) if by_column else (labels, columns)
    columns = local(columns)
    how = {"method": method, "level": level, "limit": limit, "tolerance": tolerance}
    how = {k: v for k, v in how.items() if v is not None}
    if fill_value is not np.nan:
        how["fill_value"] = local(fill_value)
    if columns is not None:
        columns = _named_as_was(plain_index(columns), columns, self.columns)
    if index is None:
        return (
            self.copy(deep=False)
            if columns is None
            else registry.make("frame.reindex_columns", self, columns, how)
        )
    index = of_cells(pd.Index, data=index) if has_cells(index) else index
    plain = as_index(index) if isinstance(index, Handle) else plain_index(index)
    both = how if columns is None else how | {"columns": columns}
    return registry.make(
        "frame.reindex_rows", self, _named_as_was(plain, index, self.known.shown.index), both
    )


def _named_as_was(wanted: Any, given: Any, former: pd.Index) -> Any:
    """New labels as pandas takes them: what has no name has that of the labels in whose place it comes, and no labels are of their kind."""
    if isinstance(given, (FrameHandle, pd.Index, pd.Series)) or wanted.nlevels > 1 or former.nlevels > 1:
        return wanted
    if isinstance(wanted, pd.Index) and not len(wanted):
        return former[:0]
    return wanted.rename(former.name)


def _on_columns(chunk: Any, columns: pd.Index, how: dict[str, Any]) -> Any:
    return chunk.reindex(columns=columns, **how)


chunkwise(
    "frame.reindex_columns",
    _on_columns,
    meta=lambda frame, columns, how: frame.same(_on_columns(sample(frame.empty), columns, how)),
    demands=looking(columns=None),
)


def _reindex_demands(node: Node, mine: Demand) -> list[Demand]:
    """Where columns are new beside new rows, pandas looks at the dtypes of all."""
    every = {"columns": None} if "columns" in node.args[2] else {}
    return looking(order=True, labels=True, **every)(node, mine)


def _reindex_meta(frame: FrameMeta, index: Any, how: dict[str, Any]) -> FrameMeta:
    wanted = index.labels if isinstance(index, FrameMeta) else index
    there = known_labels(frame)
    if there is not None and wanted is not None:
        made = sample(frame.empty, len(there)).set_axis(there, axis=0).reindex(wanted, **how)
        return frame_meta(made, len(made), NEW, labels=made.index)
    filler = {k: v for k, v in how.items() if k in ("fill_value", "columns")}
    two = sample(frame.empty).reset_index(drop=True).reindex([0, 99], **filler)
    labels = (index.empty if isinstance(index, FrameMeta) else index)[:0]
    return frame_meta(two.iloc[:0].set_axis(labels, axis=0), math.nan if wanted is None else len(wanted), NEW)


@lowered(
    "frame.reindex_rows",
    status="gathered",
    meta=_reindex_meta,
    demands=_reindex_demands,
)
def reindex_rows(frame: Chunks, index: Any, how: dict[str, Any]) -> Chunks:
    """The rows of the given labels in that order, empty where there were none; in one chunk."""
    index = graph.gather(index) if isinstance(index, Chunks) else index
    if not how.keys() - {"fill_value", "columns"}:  # only rows that are asked for need to come together
        frame = _having(frame, index)
    whole = graph.gather(frame)
    return graph.per_chunk(partial(call, "reindex"), whole, index=index, **how, lengths="unknown")


def _having(frame: Chunks, labels: Any) -> Chunks:
    """The rows that have one of the labels; no label of the frame may be there twice."""
    frame = distinct(frame, "cannot reindex on an axis with duplicate labels")
    return graph.per_chunk(with_label, frame, labels, lengths="unknown")


@public("frame.reindex_like", owners=BOTH)
def reindex_like(
    self: Any, other: Any, method: Any = None, copy: Any = None, limit: Any = None, tolerance: Any = None
) -> Any:
    """The frame on the labels of another."""
    columns = {"columns": other.columns} if self.ndim == 2 else {}
    return reindex(self, index=other.index, method=method, limit=limit, tolerance=tolerance, **columns)


@public("DataFrame.filter", owners=BOTH)
def filter(
    self: Any, items: Any = None, like: str | None = None, regex: str | None = None, axis: Any = None
) -> Any:
    """The columns (of a series, or with axis=0: rows) whose labels are listed or match."""
    if sum(v is not None for v in (items, like, regex)) != 1:
        raise ArgumentTypeError(
            "Keyword arguments `items`, `like`, or `regex` are mutually exclusive, and one is needed"
        )
    if self.ndim == 2 and (axis is None or checks.frame_axis(axis, self.ndim, "filter") == 1):
        empty = self.known.empty
        kept = empty.filter(items=items, like=like, regex=regex, axis=1).columns
        found = columns_at(self, empty.columns.get_indexer_for(kept.unique()).tolist())
        return (
            found
            if kept.names == empty.columns.names
            else registry.make("frame.set_columns", found, kept, found.known.columns)
        )
    if items is not None:
        return registry.make("frame.filter_items", self, list(items))
    return registry.make("frame.filter_labels", self, re.escape(like) if like is not None else regex)


@lowered("frame.filter_labels", meta=lambda frame, pattern: frame.fewer(), demands=looking(labels=True))
def filter_labels(frame: Chunks, pattern: str) -> Chunks:
    """The rows whose label, as text, matches."""
    return graph.per_chunk(partial(call, "filter"), frame, regex=pattern, axis=0, lengths="unknown")


@lowered(
    "frame.filter_items",
    meta=lambda frame, items: frame.fewer(frame.empty.filter(items=items, axis=0)),
    demands=looking(order=True, labels=True),
)
def filter_items(frame: Chunks, items: list[Any]) -> Chunks:
    """The rows of those labels that are there, in the order given; labels must be distinct, as in pandas."""
    found = graph.gather(_having(frame, items))
    return graph.per_chunk(partial(call, "filter"), found, items=items, axis=0, lengths="unknown")


@public("DataFrame.select_dtypes", owners=["DataFrame"])
def select_dtypes(self: Any, include: Any = None, exclude: Any = None) -> Any:
    """The columns of some dtypes."""
    kept, met = (k.empty.select_dtypes(include, exclude).columns for k in (self.known, met_of(self.known)))
    if not kept.equals(met):
        kept = decided(self).known.empty.select_dtypes(include, exclude).columns
    return columns_at(self, [i for i, c in enumerate(self.columns) if c in kept])


@public("frame.squeeze", owners=BOTH)
def squeeze(self: Any, axis: Any = None) -> Any:
    """Axes of length 1 taken away; rows need a known length."""
    new = self
    where = None if axis is None else checks.frame_axis(axis, self.ndim, "squeeze")
    if where != 0 and self.ndim == 2 and len(self.columns) == 1:
        new = columns_at(new, 0)
    if where != 1 and math.isnan(self.shape[0]):
        raise UnknownLength.needed_for("squeeze() of rows")
    if where != 1 and self.shape[0] == 1:
        new = new.iloc[0]
    return new.copy(deep=False) if new is self else new
