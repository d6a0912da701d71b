"""Labels of rows and columns: renamed, set, made columns and back; and the methods of Index, which is labels alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, Index, local
from marsdask.dataframe.indexing.indexing import looking
from marsdask.dataframe.indexing.labels import all_there
from marsdask.dataframe.making.creation import labelled_like, plain_index, with_labels
from marsdask.dataframe.rows.alignment import distinct, done, example, known_labels
from marsdask.dataframe.rows.families import ALL, BOTH, NOT_GIVEN, call, chunkwise
from marsdask.errors import ArgumentTypeError, ShapeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta, sample
from marsdask.plan.node import Node, copied, inputs
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

KEYS = "Length mismatch: Expected {expected} rows, received array of length {given}"


@public("frame.copy", owners=ALL)
def copy(self: Any, deep: bool = True) -> Any:
    """The same data; later writes to either do not reach the other."""
    return registry.wrap(copied(self.node) if deep else self.node, held(self))


lowered("frame.copy", traits=["through"], meta=lambda frame: frame)(lambda frame: frame)
chunkwise("frame.named", pd.Series.rename, traits=["through"])


def _columns_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, new, _ = node.args
    old = meta(frame).columns
    plain = all(each.is_unique and not isinstance(each, pd.MultiIndex) for each in (old, new))
    if mine.columns is None or not plain:
        return [mine.of(None)]
    return [mine.of(frozenset(a for a, b in zip(old, new, strict=True) if b in mine.columns))]


def _columns_trim(node: Node, mine: Demand) -> Node:
    """The same over the columns that are left below, which may be more than those that were asked for."""
    frame, new, old = node.args
    left = meta(frame).columns
    if len(left) == len(new) or mine.columns is None:
        return node
    return Node("frame.set_columns", (frame, new[old.get_indexer(left)], left))


def _under(chunk: pd.DataFrame, new: pd.Index, old: pd.Index) -> pd.DataFrame:
    return chunk.set_axis(new, axis=1)


chunkwise("frame.set_columns", _under, demands=_columns_demands, trim=_columns_trim)


def with_columns(frame: Any, columns: Any) -> Any:
    """A handle: the frame under other column labels."""
    columns = columns.to_pandas() if isinstance(columns, FrameHandle) else plain_index(columns)
    checks.same_length(len(columns), len(frame.columns))
    return registry.make("frame.set_columns", frame, columns, frame.known.columns)


DataFrame.columns = property(
    DataFrame.columns.fget,
    lambda self, columns: self._become(with_columns(self, columns)),
    doc="The column labels.",
)  # type: ignore[attr-defined, method-assign, assignment]


def _index_view(self: Any) -> Any:
    """The row labels; their name can be set through them."""
    index = registry.wrap(Node("frame.labels", (self.node,)), held(self))
    index.view_of(self, lambda now: Node("frame.labels", (now,)), _renamed_base)
    return index


def _renamed_base(base: Node, new: Node) -> Node:
    if new.op != "frame.index_named":
        raise ArgumentTypeError(
            "only the name of df.index can be written; assign df.index = ... for other labels."
        )
    return Node("frame.index_named", (base, new.args[1]))


FrameHandle.index = property(
    _index_view, lambda self, labels: self._become(with_labels(self, labels)), doc="The row labels."
)  # type: ignore[attr-defined]


@public("frame.set_axis", owners=BOTH)
def set_axis(self: Any, labels: Any, axis: Any = 0, inplace: bool = False, copy: Any = None) -> Any:
    """The same data under other row or column labels; row labels may be lazy."""
    relabelled = with_columns if checks.frame_axis(axis, self.ndim, "set_axis") else with_labels
    return done(self, relabelled(self, labels), inplace)


def _relabelled(chunk: Any, method: str, kwargs: dict[str, Any]) -> Any:
    """A chunk whose row labels a rule has changed that looks at one label at a time."""
    return getattr(chunk, method)(**kwargs)


chunkwise(
    "frame.relabel",
    _relabelled,
    meta=lambda frame, *how: frame_meta(_relabelled(sample(frame.empty), *how), frame.length, NEW),
    demands=looking(),
)


@public("DataFrame.rename", owners=["DataFrame"])
def rename(self: Any, mapper: Any = None, index: Any = None, columns: Any = None, axis: Any = None, copy: Any = None,
            inplace: bool = False, level: Any = None, errors: str = "ignore") -> Any:  # fmt: skip
    """The same data with some labels renamed, by a dict, a series or a function."""
    mapper, index = local(mapper), local(index)
    if mapper is not None and (index is not None or columns is not None):
        raise ArgumentTypeError("Cannot specify both 'mapper' and any of 'index' or 'columns'")
    if mapper is None and index is None and columns is None:
        raise ArgumentTypeError("must pass an index to rename")
    checks.choice(errors, "rename(errors=)", ("ignore", "raise"))
    if mapper is not None:
        by_column = axis is not None and checks.frame_axis(axis, 2, "rename") == 1
        index, columns = (None, mapper) if by_column else (mapper, None)
    new = self
    if columns is not None:
        if errors == "raise" and not callable(columns):
            checks.columns(columns, self)
        renamed = example(pd.DataFrame.rename, self.known, columns=columns, level=level)
        new = with_columns(new, renamed.value.columns)
    if index is not None:
        new = _rows_renamed(new, index, level, errors)
    return done(self, new, inplace)


def _rows_renamed(frame: Any, index: Any, level: Any, errors: str) -> Any:
    if errors == "raise" and not callable(index):
        there = known_labels(frame.known)
        if there is None:
            raise Unbuilt.argument(
                "rename", "errors", "raise", "execute() the frame first, or leave errors='ignore'."
            )
        all_there(list(index), there)
    return registry.make("frame.relabel", frame, "rename", {"index": index, "level": level})


@public("Series.rename", owners=["Series"])
def rename_series(self: Any, index: Any = None, axis: Any = None, copy: Any = None, inplace: bool = False,
                   level: Any = None, errors: str = "ignore") -> Any:  # fmt: skip
    """The series under another name (a scalar) or with renamed labels (a dict or function)."""
    index = local(index)
    by_label = callable(index) or isinstance(index, (dict, pd.Series))
    new = _rows_renamed(self, index, level, errors) if by_label else registry.make("frame.named", self, index)
    return done(self, new, inplace)


@public("frame.rename_axis", owners=BOTH)
def rename_axis(self: Any, mapper: Any = NOT_GIVEN, index: Any = NOT_GIVEN, columns: Any = NOT_GIVEN, axis: Any = 0,
                 copy: Any = None, inplace: bool = False) -> Any:  # fmt: skip
    """The same data under other names of the index or column levels."""
    given = {"mapper": mapper, "index": index, "columns": columns}
    given = {k: v for k, v in given.items() if v is not NOT_GIVEN}
    if "mapper" in given:
        given["axis"] = axis
    empty = self.known.empty.rename_axis(**given)
    new = registry.make("frame.index_named", self, list(empty.index.names))
    if self.ndim == 2 and list(empty.columns.names) != list(self.columns.names):
        new = registry.make("frame.set_columns", new, empty.columns, new.known.columns)
    return done(self, new, inplace)


def _with_text(self: Any, method: str, axis: Any, **text: str) -> Any:
    where = self.ndim - 1 if axis is None else checks.frame_axis(axis, self.ndim, method)
    if where == 1:
        return with_columns(self, call(method, self.known.empty, **text).columns)
    return registry.make("frame.relabel", self, method, {**text, "axis": 0})


@public("frame.add_prefix", owners=BOTH)
def add_prefix(self: Any, prefix: str, axis: Any = None) -> Any:
    """The same data, text put before the column labels (of a series: row labels)."""
    return _with_text(self, "add_prefix", axis, prefix=str(prefix))


@public("frame.add_suffix", owners=BOTH)
def add_suffix(self: Any, suffix: str, axis: Any = None) -> Any:
    """The same data, text put after the column labels (of a series: row labels)."""
    return _with_text(self, "add_suffix", axis, suffix=str(suffix))


def _reset_index(self: Any, level: Any, inplace: Any, kwargs: dict[str, Any]) -> Any:
    given = set(level) if isinstance(level, (list, tuple)) else {level}
    made = registry.make("frame.reset_labels", self, {"level": level, **kwargs})
    if level is None or len(given) >= self.known.shown.index.nlevels:
        made = registry.make("frame.renumber", made)
    if inplace and made.ndim != self.ndim:
        raise ArgumentTypeError("Cannot reset_index inplace on a Series to create a DataFrame")
    return done(self, made, inplace)


@public("DataFrame.reset_index", owners=["DataFrame"])
def reset_index(self: Any, level: Any = None, drop: bool = False, inplace: bool = False, col_level: Any = 0, col_fill: Any = "",
                allow_duplicates: Any = False, names: Any = None, incremental_index: bool = True) -> Any:  # fmt: skip
    """The labels as columns, the rows under 0..n-1 over the whole (always, whatever `incremental_index`)."""
    how = {"col_level": col_level, "col_fill": col_fill, "allow_duplicates": allow_duplicates, "names": names}
    return _reset_index(self, level, inplace, {"drop": bool(drop), **how})


@public("Series.reset_index", owners=["Series"])
def reset_index_of_series(self: Any, level: Any = None, drop: bool = False, name: Any = NOT_GIVEN, inplace: bool = False,
                          allow_duplicates: bool = False, incremental_index: bool = True) -> Any:  # fmt: skip
    """The labels as a column beside the values, or dropped; rows under 0..n-1 over the whole."""
    named = {"allow_duplicates": allow_duplicates} if name is NOT_GIVEN else {"name": name}
    return _reset_index(self, level, inplace, {"drop": bool(drop), **({} if drop else named)})


def _reset(chunk: Any, kwargs: dict[str, Any]) -> Any:
    return chunk.reset_index(**{k: v for k, v in kwargs.items() if v is not None})


def _reset_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, kwargs = node.args
    known = meta(frame)
    columns = mine.columns
    there = getattr(known.shown, "columns", None)
    if there is None or not there.is_unique or isinstance(there, pd.MultiIndex):
        return [Demand(None, mine.order, not kwargs["drop"] or mine.labels)]
    new = set(example(_reset_none, known, kwargs).names) - set(known.names)
    labels = known.shown.index.nlevels > 1 or (
        not kwargs["drop"] and (columns is None or bool(new & columns))
    )
    # "index" becomes "level_0" beside a column of that name: names are fixed only while that one is there.
    if columns is not None and "index" in there:
        columns = columns | {"index"}
    return [Demand(columns, mine.order, labels)]


def _reset_none(rows: Any, kwargs: dict[str, Any]) -> Any:
    return _reset(rows.iloc[:0], kwargs)


# Labels are chunk-local until a renumber makes them whole.
chunkwise(
    "frame.reset_labels",
    _reset,
    meta=lambda frame, kwargs: frame_meta(example(_reset_none, frame, kwargs), frame.length, NEW),
    demands=_reset_demands,
)


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
            series = key if isinstance(key, (Handle, pd.Series)) else pd.Series(key)
            values.append(labelled_like(series, self, KEYS))
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


def _index_from(chunk: pd.DataFrame, keys: list[Any], drop: bool, append: bool, *values: Any) -> pd.DataFrame:
    left = iter(values)
    return chunk.set_index([next(left) if k is None else k for k in keys], drop=drop, append=append)


def _index_from_demands(node: Node, mine: Demand) -> list[Demand]:
    _, keys, _, _, append, _ = node.args
    columns = None if mine.columns is None else mine.columns | {k for k in keys if k is not None}
    first = Demand(columns, mine.order, append and mine.labels)
    return [first, *([Demand(None, mine.order, labels=False)] * (len(inputs(node)) - 1))]


@lowered(
    "frame.index_from",
    meta=lambda frame, keys, values, drop, append, verify: frame_meta(
        _index_from(frame.empty, keys, drop, append, *(v.empty for v in values)), frame.length, NEW
    ),
    demands=_index_from_demands,
)
def index_from(
    frame: Chunks, keys: list[Any], values: list[Chunks], drop: bool, append: bool, verify: bool
) -> Any:
    """Columns, or series on the same rows, as the labels."""
    made = graph.per_chunk(_index_from, frame, keys, drop, append, *values)
    return distinct(made, "Index has duplicate keys: {again}") if verify else made


@public("Index.set_names", owners=["Index"])
def set_names(self: Any, names: Any, level: Any = None, inplace: bool = False) -> Any:
    """The labels under other names of the levels."""
    named = self.known.empty.set_names(names, level=level).names
    return done(self, registry.make("frame.index_named", self, list(named)), inplace)


@public("Index.rename", owners=["Index"])
def rename_index(self: Any, name: Any, inplace: bool = False) -> Any:
    """The labels under another name."""
    return set_names(self, [name] if self.known.empty.nlevels == 1 else name, None, inplace)


def _as_columns(labels: Any, index: bool, names: list[Any], kind: str) -> Any:
    made = getattr(labels, f"to_{kind}")(name=names if kind == "frame" and labels.nlevels > 1 else names[0])
    return made if index else made.reset_index(drop=True)


def _columns_meta(labels: FrameMeta, index: bool, names: list[Any], kind: str) -> FrameMeta:
    empty = _as_columns(labels.empty, index, names, kind)
    return labels.same(empty) if index else frame_meta(empty, labels.length, labels.rows)


chunkwise("frame.index_columns", _as_columns, meta=_columns_meta)


def _columns(self: Any, index: Any, names: list[Any], kind: str) -> Any:
    made = registry.make("frame.index_columns", self, index is not False, names, kind)
    if index is False:
        return registry.make("frame.renumber", made)
    return made if index is None or index is True else with_labels(made, index)


@public("Index.to_frame", owners=["Index"])
def to_frame(self: Any, index: bool = True, name: Any = NOT_GIVEN) -> Any:
    """A DataFrame of the labels, under the labels themselves or 0..n-1."""
    return _columns(self, index, list(self.known.empty.to_frame(name=name).columns), "frame")


@public("Index.to_series", owners=["Index"])
def to_series(self: Any, index: Any = None, name: Any = None) -> Any:
    """A Series of the labels, under the labels themselves or others."""
    return _columns(self, index, [self.name if name is None else name], "series")


chunkwise("frame.series_frame", pd.Series.to_frame, demands=looking(columns=None))


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


def _of_level(labels: pd.Index, level: int) -> pd.Index:
    return labels.get_level_values(level)


chunkwise(
    "frame.level",
    _of_level,
    meta=lambda labels, level: frame_meta(_of_level(labels.empty, level), labels.length, labels.rows),
)
