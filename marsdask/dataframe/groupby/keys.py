"""What rows are grouped by as users say it: names, objects, functions; and which object is a column of the frame itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import Categorical, FrameHandle, as_frame
from marsdask.dataframe.rows.alignment import together
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound
from marsdask.plan import registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import meta
from marsdask.plan.node import Node


def items(frame: Any, by: list[Any]) -> tuple[Any, tuple[tuple[str, Any], ...], list[Any]]:
    """The frame, what its rows are grouped by as `Grouping.by` has it, and the keys that are data, on the frame's rows."""
    keys: list[Any] = []
    found = tuple(_item(frame, each, keys) for each in by)
    frame, keys, _ = together(frame, keys, {})
    return frame, found, [_aligned(frame, key) for key in keys]


def are_values(frame: Any, by: list[Any]) -> bool:
    """Whether a list holds one key's values, as pandas reads it: as long as the frame and no names in it."""
    if any(isinstance(b, (Handle, pd.Series, np.ndarray, pd.Grouper, dict, list)) or callable(b) for b in by):
        return False
    names = [*(frame.known.names if frame.ndim == 2 else ()), *frame.known.shown.index.names]
    return len(by) == frame.shape[0] and not all(b in names for b in by)


def names_column(key: Any) -> bool:
    """Whether a key is a Grouper that says a column, and nothing of time."""
    return isinstance(key, pd.Grouper) and key.key is not None and getattr(key, "freq", None) is None


def _recodes(frame: Any, key: pd.Grouper) -> bool:
    """Whether pandas makes other categories of a column because a Grouper says it."""
    there = frame.ndim == 2 and frame.known.columns.is_unique and key.key in frame.known.columns
    return there and isinstance(frame.known.dtype_of(key.key), pd.CategoricalDtype)


CATEGORICAL = "a Categorical key needs a frame with labels 0..n-1. Hint: assign it as a column first."


def _item(frame: Any, key: Any, keys: list[Any]) -> tuple[str, Any]:
    if isinstance(key, list):
        key = np.asarray(key)
    elif isinstance(key, pd.Index):
        key = pd.Series(key)
    elif isinstance(key, Categorical):
        if not frame.known.ranged:
            raise ArgumentTypeError(CATEGORICAL)
        key = as_frame(key)
    if isinstance(key, (Handle, pd.Series, np.ndarray, pd.Categorical)):
        if isinstance(key, FrameHandle) and key.ndim != 1:
            raise ArgumentError(f"Grouper for {type(key).__name__!r} not 1-dimensional")
        if is_column(frame, key):
            return ("column", key.name)
        numbered = isinstance(key, pd.Series) and key.index.equals(pd.RangeIndex(len(key)))
        placed = numbered or isinstance(key, (np.ndarray, pd.Categorical))
        keys.append(_positional(frame, key) if placed else key)
        return ("key", len(keys) - 1)
    if isinstance(key, pd.Grouper):
        if not names_column(key) or _recodes(frame, key):
            return ("grouper", key)
        key = key.key
    if isinstance(key, Mapping):
        return ("map", dict(key))
    labels = list(frame.known.names) if frame.ndim == 2 else []
    names = [n for n in frame.known.shown.index.names if n is not None]
    if pd.api.types.is_hashable(key) and (key in labels or key in names):
        return ("name", key)
    if callable(key):
        return ("call", key)
    raise ColumnNotFound.among(key, [*labels, *names])


def is_column(frame: Any, key: Any) -> bool:
    """Whether a key is the column of its name: pandas aggregates no such column, and looks for the same memory.

    Here that is the same node. Where pandas would say so of two columns in one block, these are two.
    """
    if frame.ndim == 1 or not isinstance(key, FrameHandle) or key.known.kind != "Series":
        return False
    if frame.known.names.count(key.name) != 1:
        return False
    return _source(frame.node, key.name) == _source(key.node, None)


def _source(node: Node, column: Any) -> tuple[int, Any]:
    """The node that made a column, by id, and the column's label there; None for the values of a series."""
    while not node.apart and (below := _below(node, column)) is not None:
        node, column = below
    return id(node), column


def _below(node: Node, column: Any) -> tuple[Node, Any] | None:
    """Where a node took the values of a column from as they are, each row's under its label; None where it made them."""
    if node.op in ("frame.cut_alike", "frame.named", "frame.index_named"):
        return node.args[0], column
    if node.op == "frame.set_labels":
        frame, labels = node.args
        return (frame, column) if labels.op == "frame.labels" and labels.args[0] is frame else None
    if node.op == "frame.reindex_columns":
        frame = node.args[0]
        return (frame, column) if column in meta(frame).names else None
    if node.op == "frame.select":
        return node.args[0], node.args[1] if column is None else column
    if node.op == "frame.cast":
        before, after = (
            found.dtypes if column is None else found.dtype_of(column)
            for found in map(meta, (node.args[0], node))
        )
        return (node.args[0], column) if before == after else None
    if node.op == "frame.set_columns":
        frame, labels, _ = node.args
        names = meta(frame).names
        return (frame, names[labels.get_loc(column)]) if len(names) == len(labels) else None
    if node.op == "frame.assign_column":
        frame, key, value, _ = node.args
        if key != column:
            return frame, column
        return (value, None) if isinstance(value, Node) and meta(value).kind == "Series" else None
    if node.op == "frame.renumber" and node.args[0].op == "frame.reset_labels":
        frame = node.args[0].args[0]
        same = meta(frame).ranged and (column is None or column in meta(frame).names)
        return (frame, column) if same else None
    return None


def _aligned(frame: Any, key: Any) -> Any:
    """A key of other rows under the labels of the frame, as pandas aligns it; any other key as it is."""
    if not isinstance(key, FrameHandle) or key.known.rows == frame.known.rows:
        return key
    rows = frame if frame.ndim == 2 else frame.to_frame("rows")
    return registry.make("frame.assign_column", rows, "key", key, None)["key"].rename(key.name)


def _positional(frame: Any, values: Any) -> Any:
    """In-memory values by position: a tensor where the frame's labels are not 0..n-1."""
    message = "Length of grouper ({given}) and axis ({expected}) must be same length"
    checks.same_length(len(values), frame.shape[0], message)
    if isinstance(values, pd.Series) or frame.known.ranged:
        return pd.Series(values)
    if isinstance(values, pd.Categorical):
        raise ArgumentTypeError(CATEGORICAL)
    return registry.call(registry.lookup("tensor"), (values,), {})
