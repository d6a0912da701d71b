"""fillna and dropna, over chunk borders where a limit counts on."""

from __future__ import annotations

import inspect
import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.chunkwise import matched, pandas_on_samples
from marsdask.dataframe.core import FrameHandle, Series, frame_meta
from marsdask.dataframe.missing import _aligned, _one_chunk, rowwise_demands, whole
from marsdask.dataframe.neighbours import by_rows, method, register
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand

NO = pd.api.extensions.no_default


def _filling(self: Any, kwargs: dict[str, Any]) -> Any:
    value, limit = kwargs.get("value"), kwargs.get("limit")
    kwargs.pop("downcast", None)
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, (int, np.integer)) or limit <= 0
    ):
        raise ArgumentError(f"fillna(limit={limit!r}): Limit must be greater than 0.")
    if value is None and "method" in kwargs:
        return None
    if value is None:
        raise ArgumentError("fillna(): must specify a fill 'value' or 'method'.")
    if "method" in kwargs:
        raise ArgumentError("fillna(): cannot specify both 'value' and 'method'.")
    if isinstance(value, (Series, pd.Series)) and self.ndim == 2:
        kwargs["value"] = _one_chunk(value)
        return None
    if isinstance(value, list):
        raise ArgumentTypeError('"value" parameter must be a scalar or dict, but you passed a "list"')
    if self.ndim == 1 and limit is not None and isinstance(value, FrameHandle):
        first = registry.make("frame.one_chunk", self)
        kwargs["value"] = registry.make("frame.one_chunk", value)
        return first
    return _aligned(self, kwargs) if not isinstance(value, dict) else None


def _fill(chunk: Any, *, method: Any = None, **kwargs: Any) -> Any:
    if method is not None:
        return getattr(
            chunk, {"ffill": "ffill", "pad": "ffill", "bfill": "bfill", "backfill": "bfill"}[method]
        )(**kwargs)
    return chunk.fillna(**kwargs)


def _fillna(frame: Chunks, **kwargs: Any) -> Any:
    """Holes filled with a value, a value by column, an aligned frame, or (`method`) what stands before or after."""
    if "method" in kwargs:
        from marsdask.dataframe.neighbours import fill

        kwargs = dict(kwargs)
        names = {"ffill": "ffill", "pad": "ffill", "bfill": "bfill", "backfill": "bfill"}
        return fill(names[kwargs.pop("method")], frame, kwargs)
    kwargs = {k: whole(v) for k, v in kwargs.items()}
    if kwargs.get("limit") is None or by_rows(frame.empty, kwargs) or frame.count == 1:
        frame, _, kwargs = yield from matched(frame, (), kwargs)
        return graph.per_chunk(_fill, frame, **kwargs)
    holes = graph.per_chunk(_holes, frame, lengths=None)
    return graph.per_chunk(_fill_limited, frame, graph.scan(holes, _plus, None, label="before"), **kwargs)


def _holes(chunk: Any) -> Any:
    return chunk.isna().sum()


def _plus(before: Any, holes: Any) -> Any:
    return holes if before is None else before + holes


def _fill_limited(chunk: Any, before: Any, value: Any, limit: int, **kwargs: Any) -> Any:
    if before is None:
        return chunk.fillna(value, limit=limit, **kwargs)
    if chunk.ndim == 1:
        left = limit - before
        return chunk.fillna(value, limit=left, **kwargs) if left > 0 else chunk
    columns = []
    for i, name in enumerate(chunk.columns):
        mine = (
            value[name]
            if isinstance(value, (dict, pd.Series)) and name in value
            else None
            if isinstance(value, (dict, pd.Series))
            else value
        )
        left = limit - before.iloc[i]
        column = chunk.iloc[:, i]
        columns.append(column if mine is None or left <= 0 else column.fillna(mine, limit=left))
    return pd.concat(columns, axis=1) if columns else chunk


def _fillna_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    if kwargs.get("method") not in (None, "ffill", "pad", "bfill", "backfill"):
        raise ArgumentError(
            f"fillna(method={kwargs['method']!r}): expected 'ffill', 'pad', 'bfill' or 'backfill'."
        )
    value = kwargs.get("value")
    if isinstance(value, FrameMeta) and frame.ndim == 2 and value.ndim == 1:
        kwargs = {
            **kwargs,
            "value": pd.Series([sample_of(value)] * len(value.labels), index=value.labels)
            if value.labels is not None
            else {},
        }
    result = pandas_on_samples(_fill, frame, **kwargs)
    return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged, labels=frame.labels)


def sample_of(known: FrameMeta) -> Any:
    from marsdask.plan.meta import sample

    return sample(known.empty).iloc[0]


def _fillna_demands(node: Node, mine: Demand) -> list[Demand]:
    value = node.kwargs.get("value")
    if (
        type(value) is Node
        and isinstance(meta(value), FrameMeta)
        and meta(value).ndim == 1
        and meta(node.args[0]).ndim == 2
    ):
        return [mine, EVERYTHING]
    if node.kwargs.get("limit") is not None or "method" in node.kwargs:
        return [
            Demand(mine.columns if not by_rows(meta(node.args[0]), node.kwargs) else None, True, mine.labels),
            *([EVERYTHING] * (len(inputs(node)) - 1)),
        ]
    return rowwise_demands(node, mine)


def _fillna_signature() -> inspect.Signature:
    kind = inspect.Parameter
    given = {
        "self": kind.empty,
        "value": None,
        "method": None,
        "axis": None,
        "inplace": False,
        "limit": None,
        "downcast": None,
    }
    return inspect.Signature([kind(n, kind.POSITIONAL_OR_KEYWORD, default=d) for n, d in given.items()])


register("fillna", _fillna, check=_filling, meta=_fillna_meta, demands=_fillna_demands, signature=_fillna_signature(), owners=("DataFrame", "Series", "Index"))  # fmt: skip


def _dropping(self: Any, kwargs: dict[str, Any]) -> Any:
    if (
        self.ndim == 2
        and "subset" in kwargs
        and kwargs["subset"] is not None
        and kwargs.get("axis", 0) in (0, "index")
    ):
        subset = kwargs["subset"]
        kwargs["subset"] = (
            list(subset) if isinstance(subset, (list, tuple, pd.Index, np.ndarray)) else [subset]
        )
    return None


def _dropna_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    result = pandas_on_samples(partial(method, "dropna"), frame, **kwargs)
    return frame_meta(result, math.nan, NEW)


def _dropna_demands(node: Node, mine: Demand) -> list[Demand]:
    subset = node.kwargs.get("subset")
    columns = None if mine.columns is None or subset is None else mine.columns | frozenset(subset)
    return [Demand(columns, mine.order, mine.labels)]


def _dropna(frame: Chunks, **kwargs: Any) -> Chunks:
    """The rows without holes (`how`, `thresh`, `subset` as in pandas). axis=1 runs to see which columns have any."""
    return graph.per_chunk(partial(method, "dropna"), frame, lengths="unknown", **kwargs)


def dropna(
    self: Any,
    *,
    axis: Any = 0,
    how: Any = NO,
    thresh: Any = NO,
    subset: Any = None,
    inplace: Any = False,
    ignore_index: bool = False,
) -> Any:
    """What the public name does."""
    from marsdask.dataframe.chunkwise import done

    kwargs = {k: v for k, v in (("how", how), ("thresh", thresh)) if v is not NO}
    if self.ndim == 1:
        kwargs.pop("thresh", None)
    if self.ndim == 2 and axis in (1, "columns"):
        result = _without_columns(self, subset, kwargs)
    else:
        kwargs |= {"axis": axis} if axis != 0 else {}
        kwargs |= {"subset": subset} if subset is not None else {}
        _dropping(self, kwargs)
        result = registry.make("frame.dropna", self, **kwargs)
    if ignore_index:
        result = registry.make("frame.renumber", result)
    return done(self, result, False if inplace is NO else inplace)


def _without_columns(self: Any, subset: Any, kwargs: dict[str, Any]) -> Any:
    """dropna(axis=1): which columns are left, and so the result's metadata, is known only after a run."""
    if subset is not None:
        labels = subset if isinstance(subset, list) else [subset]
        rows = self.loc[labels]
    else:
        rows = self
    present = rows.count().execute().fetch()
    total = len(rows.index.to_pandas()) if math.isnan(rows.known.length) else int(rows.known.length)
    if "thresh" in kwargs and "how" in kwargs:
        raise ArgumentTypeError("You cannot set both the how and thresh arguments at the same time.")
    if "thresh" in kwargs:
        keep = present >= kwargs["thresh"]
    elif kwargs.get("how", "any") == "any":
        keep = present == total
    elif kwargs["how"] == "all":
        keep = present > 0
    else:
        raise ArgumentError(f"invalid how option: {kwargs['how']}")
    return self[[c for c, k in zip(self.columns, keep, strict=True) if k]]


register("dropna", _dropna, prepare=dropna, meta=_dropna_meta, demands=_dropna_demands, owners=("DataFrame", "Series", "Index"))  # fmt: skip
