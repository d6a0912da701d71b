"""Holes: which elements are, what is filled in for them, what is left without them."""

from __future__ import annotations

import math
import operator
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import Categorical, FrameHandle, Series, as_frame
from marsdask.dataframe.rows.alignment import beside, columns_of, done, matched, one_chunk, pandas_on_samples
from marsdask.dataframe.rows.families import (
    ALL,
    NOT_GIVEN,
    aligned,
    by_rows,
    call,
    method,
    row_by_row_demands,
    rows,
    same_rows_meta,
)
from marsdask.dataframe.windows.neighbours import (
    continued,
    first_rows,
    last_rows,
    states_before,
    with_neighbours,
)
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, Rows, meta, sample
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor


def _holes(name: str, obj: Any) -> Any:
    """Whether each element is a hole (or none)."""
    if isinstance(obj, (FrameHandle, pd.DataFrame, pd.Series, pd.Index)):
        return registry.make(f"frame.{name}", as_frame(obj))
    if isinstance(obj, Categorical):
        return registry.make(f"frame.{name}", as_frame(obj)).to_tensor()
    if isinstance(obj, Handle) and obj.dtype.kind in "biufcmM":
        return registry.make("isnan", obj) if name == "isna" else ~registry.make("isnan", obj)
    if isinstance(obj, Handle):
        return obj.map_chunk(getattr(pd, name), elementwise=True, dtype=bool)
    found = getattr(pd, name)(obj)
    return as_tensor(found) if isinstance(found, np.ndarray) else found


public("isna", "isnull", status="delegated")(partial(_holes, "isna"))
public("notna", "notnull", status="delegated")(partial(_holes, "notna"))


rows("isna", "isnull", owners=ALL)
rows("notna", "notnull", owners=ALL)


def _carry(name: str, frame: Chunks, **kwargs: Any) -> Chunks:
    """ffill or bfill over chunk borders: one row of last (next) values is carried, or `limit` rows."""
    does = partial(call, name, **kwargs)
    if by_rows(frame.empty, kwargs):
        return graph.even(graph.per_chunk(does, frame), frame)
    if kwargs.get("limit_area") is not None:
        return graph.per_chunk(does, graph.gather(frame))
    ahead, limit = name == "ffill", kwargs.get("limit")
    keeper = partial(last_rows if ahead else first_rows, limit + 1) if limit else partial(_filled_end, name)
    if limit and object in graph.dtypes_of(frame.empty):
        does = partial(_limited, name, limit, kwargs)
    return with_neighbours(frame, does, *((keeper, None) if ahead else (None, keeper)))


def _limited(name: str, limit: int, kwargs: dict[str, Any], piece: Any) -> Any:
    """A fill of objects: pandas makes holes before any value alike for `limit` rows from the frame's end on, and leaves the others as they are.

    A piece has either all rows up to that end or `limit` + 1 that are no chunk's own.
    """
    made = call(name, piece, **kwargs)
    places = np.arange(len(piece)) if name == "ffill" else np.arange(len(piece))[::-1]
    left = made.isna().to_numpy() & (places > limit).reshape(-1, *[1] * (made.ndim - 1))
    return made.mask(left, piece)


def _filled_end(name: str, piece: Any) -> Any:
    """The last (next) value of each column, as a row."""
    return piece.ffill().iloc[-1:] if name == "ffill" else piece.bfill().iloc[:1]


def _check_limit(self: Any, kwargs: dict[str, Any], what: str = "limit") -> None:
    """How many holes are filled at most: pandas' own words where that is no number above 0."""
    limit = kwargs.get("limit")
    whole = isinstance(limit, (int, np.integer)) and not isinstance(limit, bool)
    if limit is not None and not (whole and limit > 0):
        raise ArgumentError(f"{checks.given(what, limit)}: Limit must be greater than 0.")


FILLS = {"ffill": "ffill", "pad": "ffill", "bfill": "bfill", "backfill": "bfill"}
for _name, _like in FILLS.items():
    _which = "last value before" if _like == "ffill" else "next value after"
    _doc = f"Holes filled with the {_which}, over chunk borders."
    method(_name, partial(_carry, _like), like=_like, arrange=_check_limit, doc=_doc)


method(
    "interpolate",
    lambda frame, **how: graph.per_chunk(partial(call, "interpolate"), graph.gather(frame), **how),
    doc="pandas' `interpolate`.",
    meta=lambda frame, **how: replace(same_rows_meta("interpolate", frame, **how), rows=Rows()),
    demands=None,
    status="gathered",
)


@public("frame.fillna", owners=ALL)
def fillna(
    self: Any,
    value: Any = None,
    method: Any = None,
    axis: Any = None,
    inplace: Any = False,
    limit: Any = None,
    downcast: Any = None,
) -> Any:
    """Holes filled with a value, a value by column, an aligned frame, or (`method`) what stands before or after."""
    given = {"value": value, "method": method, "axis": axis, "limit": limit}
    kwargs = {k: v for k, v in given.items() if v is not None}
    _check_limit(self, kwargs, "fillna(limit=)")
    if value is None and method is None:
        raise ArgumentError("fillna(): must specify a fill 'value' or 'method'.")
    if value is not None and method is not None:
        raise ArgumentError("fillna(): cannot specify both 'value' and 'method'.")
    if isinstance(value, list):
        raise ArgumentTypeError('"value" parameter must be a scalar or dict, but you passed a "list"')
    frame = self
    if isinstance(value, (Series, pd.Series)) and self.ndim == 2:
        kwargs["value"] = one_chunk(value)
    elif self.ndim == 1 and limit is not None and isinstance(value, FrameHandle):
        frame, kwargs["value"] = one_chunk(self), one_chunk(value)
    elif value is not None and not isinstance(value, dict):
        frame = aligned(self, kwargs)
    made = registry.make("frame.fillna", frame, **kwargs)
    return done(self, made, False if inplace is NOT_GIVEN else inplace)


def _fill(chunk: Any, *, method: Any = None, **kwargs: Any) -> Any:
    return chunk.fillna(**kwargs) if method is None else getattr(chunk, FILLS[method])(**kwargs)


def _fillna_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    checks.choice(kwargs.get("method"), "fillna(method=)", (None, *FILLS))
    value = kwargs.get("value")
    if isinstance(value, FrameMeta) and frame.ndim == 2 and value.ndim == 1:
        labels = () if value.labels is None else value.labels
        kwargs["value"] = pd.Series([sample(value.empty).iloc[0]] * len(labels), index=labels)
    elif isinstance(value, FrameMeta):
        kwargs["value"] = beside(frame, value)
    return frame.same(pandas_on_samples(_fill, frame, **kwargs))


def _fillna_demands(node: Node, mine: Demand) -> list[Demand]:
    known, value = meta(node.args[0]), node.kwargs.get("value")
    if type(value) is Node and getattr(meta(value), "ndim", 0) == 1 and known.ndim == 2:
        return [mine, EVERYTHING]
    if node.kwargs.get("limit") is not None or "method" in node.kwargs:
        columns = None if by_rows(known, node.kwargs) else mine.columns
        return [Demand(columns, True, mine.labels), *[EVERYTHING] * (len(inputs(node)) - 1)]
    return row_by_row_demands(node, mine)


@lowered("frame.fillna", meta=_fillna_meta, demands=_fillna_demands)
def _fillna(frame: Chunks, method: Any = None, **kwargs: Any) -> Generator[Any, Any, Any]:
    if method is not None:
        return _carry(FILLS[method], frame, **kwargs)
    if kwargs.get("limit") is None or by_rows(frame.empty, kwargs) or frame.count == 1:
        frame, _, kwargs = yield from matched(frame, (), kwargs)
        return graph.per_chunk(_fill, frame, **kwargs)
    return graph.per_chunk(_fill_limited, frame, states_before(frame, _count_holes, operator.add), **kwargs)


def _count_holes(chunk: Any) -> list[int]:
    return [column.isna().sum() for column in columns_of(chunk)]


def _fill_limited(chunk: Any, before: list[int] | None, value: Any, limit: int, **kwargs: Any) -> Any:
    if before is None:
        return chunk.fillna(value, limit=limit, **kwargs)
    if chunk.ndim == 1:
        return chunk.fillna(value, limit=limit - before[0], **kwargs) if limit > before[0] else chunk
    return continued(chunk, before, _fill_column, value, limit)


def _fill_column(column: pd.Series, before: int, value: Any, limit: int) -> pd.Series:
    mine = value.get(column.name) if isinstance(value, (dict, pd.Series)) else value
    return column if mine is None or limit <= before else column.fillna(mine, limit=limit - before)


@public("frame.dropna", owners=ALL)
def dropna(
    self: Any,
    axis: Any = 0,
    how: Any = NOT_GIVEN,
    thresh: Any = NOT_GIVEN,
    subset: Any = None,
    inplace: Any = NOT_GIVEN,
    ignore_index: bool = False,
) -> Any:
    """The rows without holes (`how`, `thresh`, `subset` as in pandas). axis=1 runs to see which columns have any."""
    kwargs = {k: v for k, v in (("how", how), ("thresh", thresh)) if v is not NOT_GIVEN}
    if self.ndim == 1:
        kwargs.pop("thresh", None)
    if by_rows(self, {"axis": axis}):
        made = _without_columns(self, subset, **kwargs)
    else:
        if subset is not None and self.ndim == 2:
            subset = list(subset) if isinstance(subset, (list, tuple, pd.Index, np.ndarray)) else [subset]
        kwargs |= {"axis": axis} if axis != 0 else {}
        kwargs |= {"subset": subset} if subset is not None else {}
        made = registry.make("frame.dropna", self, **kwargs)
    made = registry.make("frame.renumber", made) if ignore_index else made
    return done(self, made, False if inplace is NOT_GIVEN else inplace)


def _without_columns(self: Any, subset: Any, how: Any = None, thresh: Any = None) -> Any:
    """dropna(axis=1): which columns are left, and so the result's metadata, is known only after a run."""
    if how is not None and thresh is not None:
        raise ArgumentTypeError("You cannot set both the how and thresh arguments at the same time.")
    if how not in (None, "any", "all"):
        raise ArgumentError(f"invalid how option: {how}")
    rows = self if subset is None else self.loc[subset if isinstance(subset, list) else [subset]]
    present = rows.count().execute().fetch()
    total = len(rows.index.to_pandas()) if math.isnan(rows.known.length) else int(rows.known.length)
    keep = present >= (thresh if thresh is not None else 1 if how == "all" else total)
    return self.iloc[:, np.flatnonzero(keep).tolist()]


def _dropna_demands(node: Node, mine: Demand) -> list[Demand]:
    subset = node.kwargs.get("subset")
    columns = None if mine.columns is None or subset is None else mine.columns | frozenset(subset)
    return [Demand(columns, mine.order, mine.labels)]


@lowered(
    "frame.dropna",
    demands=_dropna_demands,
    meta=lambda frame, **kwargs: frame.fewer(pandas_on_samples(partial(call, "dropna"), frame, **kwargs)),
)
def _dropna(frame: Chunks, **kwargs: Any) -> Chunks:
    return graph.per_chunk(partial(call, "dropna"), frame, lengths="unknown", **kwargs)
