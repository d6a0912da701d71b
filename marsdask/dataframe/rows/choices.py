"""Row by row: choices, limits, membership, rounding. Arguments may be frames, arrays or lazy values."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series, as_frame
from marsdask.dataframe.rows.alignment import matched, pandas_on_samples
from marsdask.dataframe.rows.families import aligned, call, method, row_by_row_demands, rows, whole
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def one_chunk(value: Any) -> Any:
    """A series that stands for columns, or for a set of values, in one chunk."""
    if isinstance(value, FrameHandle):
        return registry.make("frame.one_chunk", value)
    return value


def _apart(self: Any, kwargs: dict[str, Any], apart: dict[str, Any]) -> Any:
    """Arguments aligned to the frame, but for those that go to every chunk as a whole."""
    rest = {k: v for k, v in kwargs.items() if k not in apart}
    first = aligned(self, rest)
    kwargs.update(rest | {k: one_chunk(v) for k, v in apart.items()})
    return first


def _choice(self: Any, kwargs: dict[str, Any]) -> Any:
    other = kwargs.get("other")
    if callable(other) and not isinstance(other, Handle):
        kwargs["other"] = other = other(self)
    kwargs.pop("errors", None)
    by_column = self.ndim == 2 and isinstance(other, Series) and kwargs.get("axis") in (1, "columns")
    return _apart(self, kwargs, {"other": other} if by_column else {})


def _limits(self: Any, kwargs: dict[str, Any]) -> Any:
    by_column = self.ndim == 2 and kwargs.get("axis") in (1, "columns")
    listed = (pd.Series, Series, list, np.ndarray)
    return _apart(self, kwargs, {k: v for k, v in kwargs.items() if by_column and isinstance(v, listed)})


def _decimals(self: Any, kwargs: dict[str, Any]) -> None:
    if isinstance(kwargs.get("decimals"), Series):
        kwargs["decimals"] = one_chunk(kwargs["decimals"])


rows("where", arrange=_choice)
rows("mask", arrange=_choice)
rows("clip", arrange=_limits)
rows("round", arrange=_decimals)
rows("abs")
rows("between", owners=("Series",))
rows("replace")


def _members(self: Any, kwargs: dict[str, Any]) -> Any:
    values = kwargs["values"]
    if isinstance(values, (str, bytes)) or np.isscalar(values):
        raise ArgumentTypeError(
            f"only list-like or dict-like objects are allowed to be passed to isin(), you passed a `{type(values).__name__}`"
        )
    if isinstance(values, (set, frozenset, tuple, range)):
        kwargs["values"] = list(values)
    elif self.ndim == 2 and isinstance(values, (DataFrame, pd.DataFrame, Series, pd.Series)):
        return aligned(self, kwargs)
    elif isinstance(values, (Series, Index)):
        kwargs["values"] = _value_set(values)
    elif isinstance(values, (pd.Series, pd.Index)):
        kwargs["values"] = values.array
    elif isinstance(values, dict):
        kwargs["values"] = {k: _value_set(v) if isinstance(v, Series) else v for k, v in values.items()}
    elif isinstance(values, Handle):  # a tensor: its values, wherever they are
        kwargs["values"] = _value_set(as_frame(values if len(values.known.shape) == 1 else values.ravel()))
    return None


def _value_set(values: Any) -> Any:
    return registry.make("frame.value_set", values)


@lowered("frame.value_set", traits=["blind"], meta=FrameMeta.fewer)
def value_set(frame: Chunks) -> Chunks:
    """The distinct values of a series or index, joined in a tree: one chunk."""
    parts = graph.per_chunk(partial(call, "drop_duplicates"), frame, lengths=None)
    return graph.tree(parts, _join_distinct).with_lengths((math.nan,))


def _join_distinct(parts: list[Any]) -> Any:
    return graph.concat(parts).drop_duplicates()


def _isin_demands(node: Node, mine: Demand) -> list[Demand]:
    values = node.kwargs.get("values")
    if isinstance(values, dict) or (type(values) is Node and values.op == "frame.value_set"):
        return [mine, *[Demand(None, False, False)] * (len(inputs(node)) - 1)]
    return row_by_row_demands(node, mine)


def _isin(frame: Chunks, **kwargs: Any) -> Chunks:
    """Whether each element is among `values`: a list, a lazy series or tensor, a dict by column, an aligned frame."""
    return graph.per_chunk(partial(call, "isin"), frame, **{k: whole(v) for k, v in kwargs.items()})


method("isin", _isin, arrange=_members, demands=_isin_demands, status="delegated")


@public("frame.case_when", owners=["Series"])
def case_when(self: Any, caselist: Any) -> Any:
    """Where a condition holds its replacement, the first that holds; else the series."""
    if not isinstance(caselist, list):
        raise ArgumentTypeError(
            f"The caselist argument should be a non-empty list; instead got {type(caselist)}"
        )
    if not caselist:
        raise ArgumentError(
            "case_when(caselist=[]): provide at least one boolean condition, with a corresponding replacement."
        )
    flat: dict[str, Any] = {}
    for i, pair in enumerate(caselist):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(
                f"case_when(caselist=): item {i} is no tuple of a condition and a replacement."
            )
        flat |= {f"c{i}": pair[0], f"r{i}": pair[1]}
    return registry.make("frame.case_when", aligned(self, flat), **flat)


def _cases(chunk: pd.Series, **flat: Any) -> pd.Series:
    return chunk.case_when([(flat[f"c{i}"], flat[f"r{i}"]) for i in range(len(flat) // 2)])


@lowered(
    "frame.case_when",
    status="delegated",
    demands=row_by_row_demands,
    meta=lambda frame, **flat: frame.same(pandas_on_samples(_cases, frame, **flat)),
)
def _case_when(frame: Chunks, **flat: Any) -> Any:
    frame, _, flat = yield from matched(frame, (), flat)
    return graph.per_chunk(_cases, frame, **flat)
