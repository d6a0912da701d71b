"""Other labels for the same rows: `rename`, `set_axis`, `set_index`, `reset_index`, and the setters of labels and names."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle
from marsdask.dataframe.indexing.indexing import looking
from marsdask.dataframe.indexing.labels import all_there, known_labels
from marsdask.dataframe.making.creation import with_labels
from marsdask.dataframe.rows.alignment import done, pandas_on_samples
from marsdask.dataframe.rows.families import ALL, BOTH, NOT_GIVEN, call
from marsdask.errors import ArgumentTypeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import held
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


@public("frame.copy", owners=ALL)
def copy(self: Any, deep: bool = True) -> Any:
    """The same data; later writes to either do not reach the other."""
    return registry.wrap(self.node, held(self))


@lowered("frame.copy", traits=["through"], meta=lambda frame: frame)
def _copy(frame: Chunks) -> Chunks:
    return frame


@lowered("frame.named", traits=["through"], meta=lambda series, name: series.same(series.empty.rename(name)))
def named(series: Chunks, name: Any) -> Chunks:
    """A series under another name."""
    return graph.per_chunk(pd.Series.rename, series, name)


# Column labels ------------------------------------------------------------------------------------------------------


def _columns_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, new = node.args
    old = meta(frame).empty.columns
    plain = all(each.is_unique and not isinstance(each, pd.MultiIndex) for each in (old, new))
    if mine.columns is None or not plain:
        return [Demand(None, mine.order, mine.labels)]
    wanted = frozenset(a for a, b in zip(old, new, strict=True) if b in mine.columns)
    return [Demand(wanted, mine.order, mine.labels)]


def _columns_trim(node: Node, mine: Demand) -> Node:
    """The same over the columns that are left below."""
    frame, new = node.args
    left = meta(frame).empty.columns
    if len(left) == len(new) or mine.columns is None:
        return node
    return Node("frame.set_columns", (frame, new[new.isin(mine.columns)]))


@lowered("frame.set_columns", demands=_columns_demands, trim=_columns_trim,
           meta=lambda frame, columns: frame.same(frame.empty.set_axis(columns, axis=1)))  # fmt: skip
def set_columns(frame: Chunks, columns: pd.Index) -> Chunks:
    """The same data under other column labels."""
    return graph.per_chunk(pd.DataFrame.set_axis, frame, columns, axis=1)


def with_columns(frame: Any, columns: Any) -> Any:
    """A handle: the frame under other column labels."""
    columns = columns.to_pandas() if isinstance(columns, FrameHandle) else columns
    columns = columns if isinstance(columns, pd.Index) else pd.Index(columns)
    checks.same_length(len(columns), len(frame.columns))
    return registry.make("frame.set_columns", frame, columns)


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


# Row labels from a rule ---------------------------------------------------------------------------------------------


def _relabel_meta(frame: FrameMeta, method: str, kwargs: dict[str, Any]) -> FrameMeta:
    return frame_meta(pandas_on_samples(partial(call, method), frame, **kwargs), frame.length, NEW)


@lowered("frame.relabel", meta=_relabel_meta, demands=looking())
def relabel(frame: Chunks, method: str, kwargs: dict[str, Any]) -> Chunks:
    """Row labels changed by a rule that looks at one label at a time."""
    return graph.per_chunk(partial(call, method), frame, **kwargs)


@public("DataFrame.rename", owners=["DataFrame"])
def rename(self: Any, mapper: Any = None, index: Any = None, columns: Any = None, axis: Any = None, copy: Any = None,
            inplace: bool = False, level: Any = None, errors: str = "ignore") -> Any:  # fmt: skip
    """The same data with some labels renamed, by a dict or a function."""
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
        new = with_columns(new, self.known.empty.rename(columns=columns, level=level).columns)
    if index is not None:
        if errors == "raise" and not callable(index):
            _check_labels(self, index)
        new = registry.make("frame.relabel", new, "rename", {"index": index, "level": level})
    return done(self, new, inplace)


def _check_labels(frame: Any, renamed: Any) -> None:
    there = known_labels(frame.known)
    if there is None:
        raise Unbuilt.argument(
            "rename", "errors", "raise", "execute() the frame first, or leave errors='ignore'."
        )
    all_there(list(renamed), there)


@public("Series.rename", owners=["Series"])
def rename_series(self: Any, index: Any = None, axis: Any = None, copy: Any = None, inplace: bool = False,
                   level: Any = None, errors: str = "ignore") -> Any:  # fmt: skip
    """The series under another name (a scalar) or with renamed labels (a dict or function)."""
    if callable(index) or isinstance(index, (dict, pd.Series)):
        if errors == "raise" and not callable(index):
            _check_labels(self, index)
        new = registry.make("frame.relabel", self, "rename", {"index": index, "level": level})
    else:
        new = registry.make("frame.named", self, index)
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
        new = registry.make("frame.set_columns", new, empty.columns)
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
