"""Columns as rows, and lists as rows: melt and explode."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import as_frame, as_method
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.dataframe.rows.families import call
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def _melt(chunk: pd.DataFrame, ids: list[Any], values: list[Any], *names: Any) -> pd.DataFrame:
    return chunk.melt(ids, values, *names, ignore_index=False)


def _melt_meta(frame: FrameMeta, *how: Any) -> FrameMeta:
    return frame_meta(pandas_on_samples(_melt, frame, *how), frame.length * len(how[1]), NEW)


@lowered(
    "frame.melted",
    meta=_melt_meta,
    demands=lambda node, mine: [Demand(frozenset([*node.args[1], *node.args[2]]), True, mine.labels)],
)
def melted(frame: Chunks, ids: list[Any], values: list[Any], *names: Any) -> Chunks:
    """One column after another, each in the frame's chunks, so that rows stand in pandas' order."""
    like = _melt_meta(meta(frame.node), ids, values, *names).empty  # type: ignore[arg-type]
    return graph.joined(*(graph.per_chunk(_melt_one, frame, like, ids, [value], *names) for value in values))


def _melt_one(chunk: pd.DataFrame, like: pd.DataFrame, *args: Any) -> pd.DataFrame:
    done = _melt(chunk, *args)
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
    listed = [v if isinstance(v, (list, tuple, pd.Index)) else [v] for v in (id_vars, value_vars)]
    ids = [] if id_vars is None else checks.columns(listed[0], frame)
    others = [c for c in frame.columns if c not in ids]
    values = others if value_vars is None else checks.columns(listed[1], frame)
    if not values:
        raise ArgumentTypeError("melt(value_vars=[]): expected at least one column.")
    made = registry.make("frame.melted", frame, ids, values, var_name, value_name)
    return registry.make("frame.renumber", made) if ignore_index else made


public("frame.melt", owners=["DataFrame"], signature=as_method(melt))(melt)


@lowered(
    "frame.exploded",
    meta=lambda frame, **column: frame.fewer(pandas_on_samples(partial(call, "explode"), frame, **column)),
    demands=lambda node, mine: [replace(mine, columns=None)],
)
def exploded(frame: Chunks, **column: Any) -> Chunks:
    """A row for each element of lists."""
    return graph.even(graph.per_chunk(partial(call, "explode"), frame, lengths="unknown", **column))


@public("DataFrame.explode", owners=["DataFrame"])
def explode_frame(self: Any, column: Any, ignore_index: bool = False) -> Any:
    """A row for each element of lists."""
    made = registry.make("frame.exploded", self, **({} if column is None else {"column": column}))
    return registry.make("frame.renumber", made) if ignore_index else made


@public("Series.explode", owners=["Series"])
def explode_series(self: Any, ignore_index: bool = False) -> Any:
    """A row for each element of lists."""
    return explode_frame(self, None, ignore_index)
