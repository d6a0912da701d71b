"""Index: its methods, most of them a series' over the labels."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from marsdask.dataframe.core import Index
from marsdask.dataframe.indexing.indexing import looking
from marsdask.dataframe.making.creation import with_labels
from marsdask.dataframe.rows.alignment import done
from marsdask.dataframe.rows.families import NOT_GIVEN, call
from marsdask.errors import ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, frame_meta
from marsdask.plan.registry import lowered, public


@public("Index.set_names", owners=["Index"])
def set_names(self: Any, names: Any, level: Any = None, inplace: bool = False) -> Any:
    """The labels under other names of the levels."""
    new = self.known.empty.set_names(names, level=level)
    return done(self, registry.make("frame.index_named", self, list(new.names)), inplace)


@public("Index.rename", owners=["Index"])
def rename(self: Any, name: Any, inplace: bool = False) -> Any:
    """The labels under another name."""
    return set_names(self, [name] if self.known.empty.nlevels == 1 else name, None, inplace)


def _as_columns(labels: Any, index: bool, names: list[Any], kind: str) -> Any:
    if kind == "frame":
        made = labels.to_frame(name=names if labels.nlevels > 1 else names[0])
    else:
        made = labels.to_series(name=names[0])
    return made if index else made.reset_index(drop=True)


def _columns_meta(labels: FrameMeta, index: bool, names: list[Any], kind: str) -> FrameMeta:
    empty = _as_columns(labels.empty, index, names, kind)
    return labels.same(empty) if index else frame_meta(empty, labels.length, labels.rows)


@lowered("frame.index_columns", meta=_columns_meta)
def index_columns(labels: Chunks, index: bool, names: list[Any], kind: str) -> Chunks:
    """The labels as a column (or, of several levels, columns)."""
    return graph.per_chunk(_as_columns, labels, index, names, kind)


def _columns(self: Any, index: Any, names: list[Any], kind: str) -> Any:
    made = registry.make("frame.index_columns", self, index is not False, names, kind)
    if index is False:
        return registry.make("frame.renumber", made)
    return made if index is None or index is True else with_labels(made, index)


@public("Index.to_frame", owners=["Index"])
def to_frame(self: Any, index: bool = True, name: Any = NOT_GIVEN) -> Any:
    """A DataFrame of the labels, under the labels themselves or 0..n-1."""
    plain = self.known.empty.to_frame(index=True, name=name)
    return _columns(self, index, list(plain.columns), "frame")


@public("Index.to_series", owners=["Index"])
def to_series(self: Any, index: Any = None, name: Any = None) -> Any:
    """A Series of the labels, under the labels themselves or others."""
    return _columns(self, index, [self.name if name is None else name], "series")


@lowered("frame.series_frame", demands=looking(columns=None),
           meta=lambda series, name: series.same(series.empty.to_frame(name)))  # fmt: skip
def series_frame(series: Chunks, name: Any) -> Chunks:
    """A frame of one column."""
    return graph.per_chunk(pd.Series.to_frame, series, name)


@public("frame.to_frame", owners=["Series"])
def series_to_frame(self: Any, name: Any = NOT_GIVEN) -> Any:
    """A DataFrame of one column."""
    return registry.make("frame.series_frame", self, self.known.empty.to_frame(name).columns[0])


Index.inferred_type = property(
    lambda self: self.known.empty.inferred_type, doc="The kind of the labels, as pandas calls it."
)  # type: ignore[attr-defined]
Index.nlevels = property(lambda self: self.known.empty.nlevels, doc="How many levels the labels have.")  # type: ignore[attr-defined]
Index.T = property(lambda self: self, doc="The labels themselves.")  # type: ignore[attr-defined]


@public("Index.get_level_values", owners=["Index"])
def get_level_values(self: Any, level: Any) -> Any:
    """The labels of one level."""
    return registry.make("frame.level", self, _level_number(self.known.empty, level))


def _level_number(empty: pd.Index, level: Any) -> int:
    names = list(empty.names)
    if level in names:
        return names.index(level)
    if isinstance(level, int) and -len(names) <= level < len(names):
        return level % len(names)
    raise ShapeError(f"level {level!r} not found; the levels are {names}.")


@lowered("frame.level",
           meta=lambda labels, level: frame_meta(labels.empty.get_level_values(level), labels.length, labels.rows))  # fmt: skip
def level(labels: Chunks, level: int) -> Chunks:
    """One level of the labels."""
    return graph.per_chunk(partial(call, "get_level_values"), labels, level=level)
