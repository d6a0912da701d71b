"""Module functions over frames: holes, bins, indicator columns; and alignment that keeps the rows of both."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.dataframe.rows.alignment import pandas_on_samples, together
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, Rows, frame_meta
from marsdask.plan.node import inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public


def _holes(name: str) -> Callable[[Any], Any]:
    def holes(obj: Any) -> Any:
        """Whether each element is a hole (or none)."""
        if isinstance(obj, FrameHandle):
            return registry.make(f"frame.{name}", obj)
        if isinstance(obj, Handle):
            found = registry.make("isnan", obj)
            return found if name == "isna" else ~found
        if isinstance(obj, (pd.DataFrame, pd.Series, pd.Index)):
            return registry.make(f"frame.{name}", as_frame(obj))
        return getattr(pd, name)(obj)

    return holes


public("isna", "isnull", status="delegated")(_holes("isna"))
public("notna", "notnull", status="delegated")(_holes("notna"))


@public("cut", status="delegated")
def cut(
    x: Any,
    bins: Any,
    right: bool = True,
    labels: Any = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: str = "raise",
    ordered: bool = True,
) -> Any:
    """The bin of each value. A number of bins runs to find the extremes; edges are lazy."""
    series = as_frame(x)
    kwargs = {
        "right": right,
        "labels": labels,
        "precision": precision,
        "include_lowest": include_lowest,
        "duplicates": duplicates,
        "ordered": ordered,
    }
    if isinstance(bins, (pd.IntervalIndex, list, tuple, np.ndarray, pd.Index)):
        edges = bins if isinstance(bins, pd.IntervalIndex) else np.asarray(bins)
        if retbins:
            return _binned(series, "cut", edges, kwargs), edges
        return _binned(series, "cut", edges, kwargs)
    if isinstance(bins, Handle):
        raise ArgumentTypeError(
            "cut(bins=): expected a number or edges. Hint: bins.fetch() of an executed tensor."
        )
    edges = _edges(series, int(bins), right)
    return (
        (_binned(series, "cut", edges, {**kwargs, "include_lowest": include_lowest}), edges)
        if retbins
        else _binned(series, "cut", edges, kwargs)
    )


def _edges(series: Any, bins: int, right: bool) -> np.ndarray:
    """Equal bins between the extremes, which only a run can tell: they are in the categories, so it runs."""
    from marsdask.session import execute

    if bins < 1:
        raise ArgumentTypeError("`bins` should be a positive integer.")
    low, high = (t.fetch() for t in execute(series.min(), series.max()))
    return pd.cut(np.array([low, high]), bins, right=right, retbins=True)[1]


def _binned(series: Any, method: str, edges: Any, kwargs: dict[str, Any]) -> Any:
    return registry.make("frame.binned", series, edges, kwargs)


def bin_chunk(chunk: Any, edges: Any, kwargs: dict[str, Any]) -> Any:
    """pandas' cut of a chunk."""
    return pd.cut(chunk, edges, **kwargs)


@lowered("frame.binned", demands=lambda node, mine: [mine],
           meta=lambda frame, edges, kwargs: frame_meta(pandas_on_samples(bin_chunk, frame, edges, kwargs), frame.length, frame.rows, ranged=frame.ranged))  # fmt: skip
def binned(frame: Chunks, edges: Any, kwargs: Any) -> Chunks:
    """The bin of each value."""
    return graph.per_chunk(bin_chunk, frame, edges, kwargs)


@public("qcut", status="delegated")
def qcut(
    x: Any, q: Any, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise"
) -> Any:
    """The quantile bin of each value; runs to find the quantiles."""
    series = as_frame(x)
    wanted = np.linspace(0, 1, q + 1) if np.ndim(q) == 0 else np.asarray(q)
    edges = series.quantile(list(wanted)).execute().fetch().to_numpy()
    if duplicates == "drop":
        edges = np.unique(edges)
    made = _binned(series, "cut", edges, {"labels": labels, "precision": precision, "include_lowest": True})
    return (made, edges) if retbins else made


def _dummies_meta(frame: FrameMeta, kwargs: Any) -> FrameMeta:
    result = _dummies(frame.empty, kwargs)
    return frame.same(result)


def _dummies(chunk: Any, kwargs: Any) -> Any:
    texts = kwargs.get("columns") == "texts"  # categories that were texts name plain columns
    made = pd.get_dummies(chunk, **({k: v for k, v in kwargs.items() if k != "columns"} if texts else kwargs))
    return (
        made.set_axis(made.columns.astype(made.columns.categories.dtype), axis=1)
        if texts and isinstance(made.columns, pd.CategoricalIndex)
        else made
    )


@lowered(
    "frame.dummies",
    meta=_dummies_meta,
    demands=lambda node, mine: [Demand(None, mine.order, mine.labels)],
)
def dummies(frame: Chunks, kwargs: Any) -> Chunks:
    """Indicator columns of categories that are known."""
    return graph.per_chunk(_dummies, frame, kwargs)


@public("get_dummies", status="delegated")
def get_dummies(
    data: Any,
    prefix: Any = None,
    prefix_sep: Any = "_",
    dummy_na: bool = False,
    columns: Any = None,
    sparse: bool = False,
    drop_first: bool = False,
    dtype: Any = None,
) -> Any:
    """A column of indicators for each value of texts and categories; texts run to find their values."""
    frame = as_frame(data)
    kwargs = {
        "prefix": prefix,
        "prefix_sep": prefix_sep,
        "dummy_na": dummy_na,
        "columns": columns,
        "sparse": sparse,
        "drop_first": drop_first,
        "dtype": dtype,
    }
    if frame.ndim == 1:
        kwargs.pop("columns")
        if not isinstance(frame.dtype, pd.CategoricalDtype):
            frame = frame.astype(pd.CategoricalDtype(_values_of(frame)))
            kwargs["columns"] = "texts"
        return registry.make("frame.dummies", frame, kwargs)
    texts = (
        [c for c, d in frame.dtypes.items() if c in columns]
        if columns is not None
        else [c for c, d in frame.dtypes.items() if isinstance(d, pd.StringDtype) or d.kind == "O"]
    )
    plain = [c for c in texts if not isinstance(frame.dtypes[c], pd.CategoricalDtype)]
    frame = frame.astype({c: pd.CategoricalDtype(_values_of(frame[c])) for c in plain}) if plain else frame
    return registry.make("frame.dummies", frame, kwargs)


def _values_of(series: Any) -> pd.Index:
    """The distinct values, sorted: they name the columns, so it runs."""
    found = registry.make("frame.value_set", series).execute().fetch().dropna()
    return pd.Index(found.sort_values().array)


def _both(left: Any, right: Any, method: str, kwargs: dict[str, Any]) -> Any:
    return getattr(left, method)(right, **kwargs)


def _both_meta(frame: FrameMeta, other: FrameMeta, method: str, kwargs: Any) -> FrameMeta:
    result = pandas_on_samples(_both, frame, other, method, kwargs)
    if frame.rows == other.rows:
        return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged)
    return frame_meta(result, math.nan, Rows())


@lowered("frame.both", meta=_both_meta, demands=lambda node, mine: [EVERYTHING] * len(inputs(node)))
def both(frame: Chunks, other: Chunks, method: str, kwargs: Any) -> Chunks:
    """A method of two frames on the same rows, or on all rows of both in one chunk."""
    return graph.even(graph.per_chunk(_both, frame, other, method, kwargs))


@public("frame.combine", owners=["DataFrame", "Series"])
def combine(self: Any, other: Any, func: Any, fill_value: Any = None, overwrite: bool = True) -> Any:
    """pandas' `combine`, aligned by labels."""
    kwargs = {"func": func} | ({} if fill_value is None else {"fill_value": fill_value})
    kwargs |= {} if overwrite else {"overwrite": overwrite}
    if self.ndim == 2:  # the function sees whole columns
        first, second = (registry.make("frame.one_chunk", each) for each in (self, other))
    else:
        first, (second,), _ = together(self, [other], {})
    return registry.make("frame.both", first, second, "combine", kwargs)


@public("frame.combine_first", owners=["DataFrame", "Series"])
def combine_first(self: Any, other: Any) -> Any:
    """pandas' `combine_first`, aligned by labels."""
    first, (second,), _ = together(self, [as_frame(other)], {})
    return registry.make("frame.both", first, second, "combine_first", {})


def _exploded_meta(frame: FrameMeta, kwargs: Any) -> FrameMeta:
    return frame.fewer(pandas_on_samples(_explode, frame, kwargs))


def _explode(chunk: Any, kwargs: Any) -> Any:
    return chunk.explode(**kwargs)


@lowered(
    "frame.exploded",
    meta=_exploded_meta,
    demands=lambda node, mine: [Demand(None, mine.order, mine.labels)],
)
def exploded(frame: Chunks, kwargs: Any) -> Chunks:
    """A row for each element of lists."""
    return graph.even(graph.per_chunk(_explode, frame, kwargs, lengths="unknown"))


@public("DataFrame.explode", owners=["DataFrame"])
def explode_frame(self: Any, column: Any, ignore_index: bool = False) -> Any:
    """A row for each element of lists."""
    made = registry.make("frame.exploded", self, {"column": column})
    return registry.make("frame.renumber", made) if ignore_index else made


@public("Series.explode", owners=["Series"])
def explode_series(self: Any, ignore_index: bool = False) -> Any:
    """A row for each element of lists."""
    made = registry.make("frame.exploded", self, {})
    return registry.make("frame.renumber", made) if ignore_index else made
