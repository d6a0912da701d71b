"""melt, align and the like: frames in another shape."""

from __future__ import annotations

from typing import Any

import pandas as pd

from marsdask.dataframe.core import DataFrame, FrameHandle, Series, as_frame
from marsdask.dataframe.rows.alignment import pandas_on_samples, together
from marsdask.errors import ArgumentTypeError, ColumnNotFound
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, Rows, frame_meta
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, pd.Index)) else [value]


def _melt(
    chunk: pd.DataFrame, ids: list[Any], values: list[Any], var_name: Any, value_name: Any
) -> pd.DataFrame:
    return chunk.melt(ids, values, var_name, value_name, ignore_index=False)


def _melt_meta(
    frame: FrameMeta, ids: list[Any], values: list[Any], var_name: Any, value_name: Any
) -> FrameMeta:
    result = pandas_on_samples(_melt, frame, ids, values, var_name, value_name)
    return frame_meta(result, frame.length * len(values), NEW)


@lowered(
    "frame.melted",
    meta=_melt_meta,
    demands=lambda node, mine: [Demand(frozenset([*node.args[1], *node.args[2]]), True, mine.labels)],
)
def melted(frame: Chunks, ids: list[Any], values: list[Any], var_name: Any, value_name: Any) -> Chunks:
    """One column after another, each in the frame's chunks, so that rows stand in pandas' order."""
    like = pandas_on_samples(
        _melt, frame_meta(frame.empty, 0, Rows()), ids, values, var_name, value_name
    ).iloc[:0]
    parts = [graph.per_chunk(_melt_one, frame, ids, value, var_name, value_name, like) for value in values]
    return graph.joined(*parts)


def _melt_one(
    chunk: pd.DataFrame, ids: list[Any], value: Any, var_name: Any, value_name: Any, like: pd.DataFrame
) -> pd.DataFrame:
    done = _melt(chunk, ids, [value], var_name, value_name)
    return done.astype({c: d for c, d in like.dtypes.items() if done[c].dtype != d})


@public("melt")
def melt(
    frame: Any,
    id_vars: Any = None,
    value_vars: Any = None,
    var_name: Any = None,
    value_name: Any = "value",
    col_level: Any = None,
    ignore_index: bool = True,
) -> Any:
    """Columns as rows: one column of names and one of values, in pandas' order of rows."""
    frame = as_frame(frame)
    if frame.ndim != 2:
        raise ArgumentTypeError(f"melt(): expected a DataFrame, got {type(frame).__name__}.")
    if col_level is not None:
        raise ArgumentTypeError("melt(col_level=): columns here have one level.")
    ids = _listed(id_vars)
    values = _listed(value_vars) if value_vars is not None else [c for c in frame.columns if c not in ids]
    for name in (*ids, *values):
        if name not in frame.columns:
            raise ColumnNotFound.among(name, frame.columns)
    if not values:
        raise ArgumentTypeError("melt(value_vars=[]): expected at least one column.")
    made = registry.make("frame.melted", frame, ids, values, var_name, value_name)
    return registry.make("frame.renumber", made) if ignore_index else made


@public("frame.melt", owners=["DataFrame"])
def melt_method(
    self: Any,
    id_vars: Any = None,
    value_vars: Any = None,
    var_name: Any = None,
    value_name: Any = "value",
    col_level: Any = None,
    ignore_index: bool = True,
) -> Any:
    """Columns as rows: one column of names and one of values, in pandas' order of rows."""
    return melt(self, id_vars, value_vars, var_name, value_name, col_level, ignore_index)


def _pair(left: Any, right: Any, which: int, kwargs: dict[str, Any]) -> Any:
    return left.align(right, **kwargs)[which]


def _pair_meta(frame: FrameMeta, other: FrameMeta, which: int, kwargs: Any) -> FrameMeta:
    result = pandas_on_samples(_pair, frame, other, which, kwargs)
    if frame.rows == other.rows:
        return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged)
    return frame.fewer(result)


@lowered("frame.aligned", meta=_pair_meta)
def aligned(frame: Chunks, other: Chunks, which: int, kwargs: Any) -> Chunks:
    """One of two frames under the labels of both."""
    return graph.per_chunk(_pair, frame, other, which, kwargs)


@public("frame.align", owners=["DataFrame", "Series"])
def align(
    self: Any,
    other: Any,
    join: str = "outer",
    axis: Any = None,
    level: Any = None,
    fill_value: Any = None,
    copy: Any = None,
) -> Any:
    """Both frames under the labels of both: a pair of lazy frames."""
    if not isinstance(other, (FrameHandle, pd.DataFrame, pd.Series)):
        raise ArgumentTypeError(f"unsupported type: {type(other)}; expected a frame or series.")
    kwargs = {
        k: v
        for k, v in (("join", join), ("axis", axis), ("level", level), ("fill_value", fill_value))
        if v is not None
    }
    if self.ndim == 1:
        kwargs.pop("axis", None)
    first, (second,), _ = together(self, [as_frame(other)], {})
    return tuple(registry.make("frame.aligned", first, second, which, kwargs) for which in (0, 1))


@public("frame.tshift", owners=["DataFrame", "Series"])
def tshift(self: Any, periods: int = 1, freq: Any = None, axis: Any = 0) -> Any:
    """The labels moved by `periods` of `freq`: `shift(periods, freq=...)`."""
    return self.shift(periods, freq="infer" if freq is None else freq)


def _axes(self: Any) -> list[Any]:
    """The row labels, and the column labels of a frame."""
    return [self.index, self.columns] if self.ndim == 2 else [self.index]


for _kind in (DataFrame, Series):
    _kind.axes = property(_axes)  # type: ignore[attr-defined]
