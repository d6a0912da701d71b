"""Other labels for the same rows: `rename`, `set_axis`, `set_index`, `reset_index`, and the setters of labels and names."""

from __future__ import annotations

from typing import Any

import pandas as pd

from marsdask.dataframe.core import DataFrame, FrameHandle, Index
from marsdask.dataframe.indexing.labels import known_labels
from marsdask.dataframe.making.creation import with_labels
from marsdask.dataframe.rows.alignment import done, pandas_on_samples
from marsdask.dataframe.rows.families import BOTH
from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    ColumnNotFound,
    LabelNotFound,
    ShapeError,
    Unbuilt,
)
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import held
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def _same(frame: FrameMeta, empty: Any) -> FrameMeta:
    return frame.same(empty)


def _copied(self: Any, name: Any = None) -> Any:
    new = registry.wrap(self.node, held(self))
    return new if name is None else registry.make("frame.index_named", new, [name])


@public("frame.copy", owners=(*BOTH, "Index"))
def copy(self: Any, deep: bool = True) -> Any:
    """The same data; later writes to either do not reach the other."""
    return _copied(self)


@lowered("frame.copy", traits=["through"], meta=lambda frame: frame)
def _copy(frame: Chunks) -> Chunks:
    return frame


@lowered(
    "frame.named",
    traits=["through"],
    meta=lambda frame, name: _same(frame, frame.empty.rename(name)),
)
def named(frame: Chunks, name: Any) -> Chunks:
    """A series under another name."""
    return graph.per_chunk(_named, frame, name)


def _named(chunk: Any, name: Any) -> Any:
    return chunk.rename(name)


# Column labels ------------------------------------------------------------------------------------------------------


def _with_columns(chunk: pd.DataFrame, columns: pd.Index) -> pd.DataFrame:
    return chunk.set_axis(columns, axis=1)


def _columns_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, new = node.args
    old = meta(frame).empty.columns
    if (
        mine.columns is None
        or not old.is_unique
        or not new.is_unique
        or isinstance(old, pd.MultiIndex)
        or isinstance(new, pd.MultiIndex)
    ):
        return [Demand(None, mine.order, mine.labels)]
    return [
        Demand(
            frozenset(a for a, b in zip(old, new, strict=True) if b in mine.columns), mine.order, mine.labels
        )
    ]


def _columns_trim(node: Node, mine: Demand) -> Node:
    """The same over the columns that are left below."""
    frame, new = node.args
    left = meta(frame).empty.columns
    if len(left) == len(new) or mine.columns is None:
        return node
    return Node("frame.set_columns", (frame, new[new.isin(mine.columns)]))


@lowered("frame.set_columns", demands=_columns_demands, trim=_columns_trim,
           meta=lambda frame, columns: _same(frame, _with_columns(frame.empty, columns)))  # fmt: skip
def set_columns(frame: Chunks, columns: pd.Index) -> Chunks:
    """The same data under other column labels."""
    return graph.per_chunk(_with_columns, frame, columns)


def with_columns(frame: Any, columns: Any) -> Any:
    """A handle: the frame under other column labels."""
    columns = columns.to_pandas() if isinstance(columns, FrameHandle) else columns
    columns = columns if isinstance(columns, pd.Index) else pd.Index(columns)
    if len(columns) != len(frame.columns):
        raise ShapeError(
            f"Length mismatch: Expected axis has {len(frame.columns)} elements, new values have {len(columns)} elements"
        )
    return registry.make("frame.set_columns", frame, columns)


def _rebound(frame: Any, new: Any) -> None:
    frame.rebind(new.node, held(new))


DataFrame.columns = property(
    DataFrame.columns.fget, lambda self, v: _rebound(self, with_columns(self, v)), doc="The column labels."
)  # type: ignore[attr-defined, method-assign, assignment]


def _index_view(self: Any) -> Any:
    """The row labels; their name can be set through them."""
    base = self.node
    index = registry.wrap(Node("frame.labels", (base,)), held(self))
    index.view_of(self, lambda now: Node("frame.labels", (now,)), _renamed_base)
    return index


def _renamed_base(base: Node, new: Node) -> Node:
    if new.op != "frame.index_named":
        raise ArgumentTypeError(
            "only the name of df.index can be written; assign df.index = ... for other labels."
        )
    return Node("frame.index_named", (base, new.args[1]))


FrameHandle.index = property(
    _index_view, lambda self, v: _rebound(self, with_labels(self, v)), doc="The row labels."
)  # type: ignore[attr-defined]
Index.index = property()  # type: ignore[attr-defined]
del Index.index


def _set_index_names(self: Any, names: Any) -> None:
    new = registry.make("frame.index_named", self, names)
    self.rebind(new.node, held(new))


Index.name = property(
    Index.name.fget, lambda self, v: _set_index_names(self, [v]), doc="The name of the labels."
)  # type: ignore[attr-defined, method-assign, assignment]
Index.names = property(
    Index.names.fget, lambda self, v: _set_index_names(self, list(v)), doc="The names of the levels."
)  # type: ignore[attr-defined, method-assign, assignment]


@public("frame.set_axis", owners=BOTH)
def set_axis(self: Any, labels: Any, axis: Any = 0, inplace: bool = False, copy: Any = None) -> Any:
    """The same data under other row or column labels; row labels may be lazy."""
    if _axis(self, axis, "set_axis"):
        return done(self, with_columns(self, labels), inplace)
    return done(self, with_labels(self, labels), inplace)


def _axis(frame: Any, axis: Any, name: str) -> int:
    if axis in (0, "index", "rows"):
        return 0
    if axis in (1, "columns") and frame.ndim == 2:
        return 1
    raise ArgumentError(f"{name}: No axis named {axis!r} for object type {type(frame).__name__}")


# Row labels from a rule ---------------------------------------------------------------------------------------------


def _relabel(chunk: Any, method: str, kwargs: dict[str, Any]) -> Any:
    return getattr(chunk, method)(**kwargs)


@lowered("frame.relabel", demands=lambda node, mine: [Demand(mine.columns, mine.order, mine.labels)],
           meta=lambda frame, method, kwargs: frame_meta(_relabel_empty(frame, method, kwargs), frame.length, NEW))  # fmt: skip
def relabel(frame: Chunks, method: str, kwargs: dict[str, Any]) -> Chunks:
    """Row labels changed by a rule that looks at one label at a time."""
    return graph.per_chunk(_relabel, frame, method, kwargs)


def _relabel_empty(frame: FrameMeta, method: str, kwargs: dict[str, Any]) -> Any:
    return pandas_on_samples(_relabel, frame, method, kwargs)


@public("DataFrame.rename", owners=["DataFrame"])
def rename(self: Any, mapper: Any = None, index: Any = None, columns: Any = None, axis: Any = None, copy: Any = None,
            inplace: bool = False, level: Any = None, errors: str = "ignore") -> Any:  # fmt: skip
    """The same data with some labels renamed, by a dict or a function."""
    if mapper is not None and (index is not None or columns is not None):
        raise ArgumentTypeError("Cannot specify both 'mapper' and any of 'index' or 'columns'")
    if mapper is None and index is None and columns is None:
        raise ArgumentTypeError("must pass an index to rename")
    if errors not in ("ignore", "raise"):
        raise ArgumentError(f"rename(errors={errors!r}): expected 'ignore' or 'raise'.")
    if mapper is not None:
        index, columns = (
            (None, mapper) if axis is not None and _axis(self, axis, "rename") else (mapper, None)
        )
    new = self
    if columns is not None:
        if errors == "raise" and not callable(columns):
            for name in columns:
                if name not in self.columns:
                    raise ColumnNotFound.among(name, self.columns)
        new = with_columns(new, self.known.empty.rename(columns=columns, level=level).columns)
    if index is not None:
        if errors == "raise" and not callable(index):
            _check_labels(self, list(index), "rename")
        new = registry.make("frame.relabel", new, "rename", {"index": index, "level": level})
    return done(self, new, inplace)


def _check_labels(frame: Any, labels: list[Any], name: str) -> None:
    there = known_labels(frame.known)
    if there is None:
        raise Unbuilt.argument(
            name, "errors", "raise", "execute() the frame first, or leave errors='ignore'."
        )
    missing = [k for k in labels if k not in there]
    if missing:
        raise LabelNotFound(f"{missing} not found in axis")


@public("Series.rename", owners=["Series"])
def rename_series(self: Any, index: Any = None, axis: Any = None, copy: Any = None, inplace: bool = False,
                   level: Any = None, errors: str = "ignore") -> Any:  # fmt: skip
    """The series under another name (a scalar) or with renamed labels (a dict or function)."""
    if callable(index) or isinstance(index, (dict, pd.Series)):
        if errors == "raise" and not callable(index):
            _check_labels(self, list(index), "rename")
        return done(
            self, registry.make("frame.relabel", self, "rename", {"index": index, "level": level}), inplace
        )
    return done(self, registry.make("frame.named", self, index), inplace)


_NOT_GIVEN = pd.api.extensions.no_default


@public("frame.rename_axis", owners=BOTH)
def rename_axis(self: Any, mapper: Any = _NOT_GIVEN, index: Any = _NOT_GIVEN, columns: Any = _NOT_GIVEN, axis: Any = 0,
                 copy: Any = None, inplace: bool = False) -> Any:  # fmt: skip
    """The same data under other names of the index or column levels."""
    given = {
        k: v for k, v in (("mapper", mapper), ("index", index), ("columns", columns)) if v is not _NOT_GIVEN
    }
    if "mapper" in given:
        given["axis"] = axis
    empty = self.known.empty.rename_axis(**given)
    new = registry.make("frame.index_named", self, list(empty.index.names))
    if self.ndim == 2 and list(empty.columns.names) != list(self.columns.names):
        new = registry.make("frame.set_columns", new, empty.columns)
    return done(self, new, inplace)


def _with_text(self: Any, method: str, axis: Any, **text: Any) -> Any:
    by_column = self.ndim == 2 and (axis is None or _axis(self, axis, method) == 1)
    if by_column:
        return with_columns(self, getattr(self.known.empty, method)(*text.values()).columns)
    if axis is not None:
        _axis(self, axis, method)
    return registry.make("frame.relabel", self, method, {**text, "axis": 0})


@public("frame.add_prefix", owners=BOTH)
def add_prefix(self: Any, prefix: str, axis: Any = None) -> Any:
    """The same data, text put before the column labels (of a series: row labels)."""
    return _with_text(self, "add_prefix", axis, prefix=str(prefix))


@public("frame.add_suffix", owners=BOTH)
def add_suffix(self: Any, suffix: str, axis: Any = None) -> Any:
    """The same data, text put after the column labels (of a series: row labels)."""
    return _with_text(self, "add_suffix", axis, suffix=str(suffix))
