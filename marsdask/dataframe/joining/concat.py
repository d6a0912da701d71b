"""Frames one below the other, or side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from marsdask.dataframe.core import FrameHandle, Index, as_frame
from marsdask.dataframe.rows.alignment import pandas_on_samples, together
from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


@public("concat")
def concat(objs: Any, axis: Any = 0, join: str = "outer", ignore_index: bool = False, keys: Any = None, levels: Any = None,
            names: Any = None, verify_integrity: bool = False, sort: bool = False, copy: Any = None) -> Any:  # fmt: skip
    """Frames one below the other, or side by side with `axis=1`. `ignore_index` gives 0..n-1 also over unknown lengths."""
    if isinstance(objs, (FrameHandle, pd.DataFrame, pd.Series, str)):
        raise ArgumentTypeError(
            f"concat(objs=...): expected an iterable of frames and series, got one {type(objs).__name__}."
        )
    if join not in ("outer", "inner"):
        raise ArgumentError(
            f"concat(join={join!r}): expected 'inner' (intersect) or 'outer' (union) for the other axis."
        )
    if axis not in (0, 1, "index", "columns", "rows"):
        raise ArgumentError(f"concat(axis={axis!r}): expected 0, 1, 'index' or 'columns'.")
    if levels is not None:
        raise Unbuilt.argument(
            "concat", "levels", levels, "give keys= and names=; the levels follow from them."
        )
    if isinstance(objs, Mapping):
        keys = list(objs) if keys is None else list(keys)
        objs = [objs[k] for k in keys]
    objs = list(objs)
    if not objs:
        raise ArgumentError("concat(objs=[]): no objects to concatenate.")
    if keys is not None:
        keys = list(keys)
        if len(keys) != len(objs):
            raise ArgumentError(
                f"The length of the keys ({len(keys)}) must match the length of the objects to concatenate ({len(objs)})"
            )
        keys = [k for k, o in zip(keys, objs, strict=True) if o is not None]
    objs = [as_frame(o) for o in objs if o is not None]
    if not objs:
        raise ArgumentError("All objects passed were None")
    if any(isinstance(o, Index) for o in objs):
        raise ArgumentTypeError(
            "cannot concatenate object of type 'Index'; only Series and DataFrame objs are valid"
        )
    how = {"join": join, "keys": None if ignore_index else keys, "names": names, "sort": bool(sort)}
    if axis in (1, "columns"):
        first, others, _ = together(objs[0], objs[1:], {})
        how |= {"axis": 1, "ignore_index": bool(ignore_index), "verify_integrity": bool(verify_integrity)}
        return registry.make("frame.side_by_side", first, others, how)
    made = registry.make("frame.below", objs, how)
    if ignore_index:
        return registry.make("frame.renumber", made)
    return registry.make("frame.unique_labels", made) if verify_integrity else made


def _pandas(parts: Any, how: dict[str, Any]) -> Any:
    return pd.concat(list(parts), **how)


def _below_meta(objs: list[FrameMeta], how: dict[str, Any]) -> FrameMeta:
    result = pandas_on_samples(_pandas, objs, how)
    return frame_meta(result, sum(o.length for o in objs), NEW)


def _below_demands(node: Node, demand: Demand) -> list[Demand]:
    found = []
    for child in node.args[0]:
        empty = meta(child).empty
        narrow = (
            demand.columns is not None
            and empty.ndim == 2
            and empty.columns.is_unique
            and not node.args[1]["sort"]
        )
        found.append(
            Demand(
                frozenset(c for c in empty.columns if c in demand.columns) if narrow else None,
                demand.order,
                demand.labels,
            )
        )
    return found


@lowered("frame.below", meta=_below_meta, demands=_below_demands)
def below(objs: list[Chunks], how: dict[str, Any]) -> Chunks:
    """The rows of frames one after another, in chunks as they are."""
    like = pandas_on_samples(_pandas, [FrameMeta(o.empty, math.nan, NEW) for o in objs], how).iloc[:0]
    plain = like.set_axis(pd.RangeIndex(0), axis=0)
    parts = []
    for i, obj in enumerate(objs):
        key = None if how["keys"] is None else how["keys"][i]
        same = key is None and _alike(obj.empty, like)
        parts.append(
            obj
            if same
            else graph.per_chunk(
                _fitted, obj, like=plain, key=key, keyed=how["keys"] is not None, names=how["names"]
            )
        )
    return graph.joined(*parts)


def _alike(empty: Any, like: Any) -> bool:
    if empty.ndim != like.ndim:
        return False
    if empty.ndim == 1:
        return empty.dtype == like.dtype and empty.name == like.name and empty.index.names == like.index.names
    return (
        empty.columns.equals(like.columns)
        and bool((empty.dtypes == like.dtypes).all())
        and empty.index.names == like.index.names
    )


def _fitted(chunk: Any, *, like: Any, key: Any, keyed: bool, names: Any) -> Any:
    """A chunk with the columns and dtypes of `like`, and `key` above its labels."""
    if keyed:
        chunk = pd.concat([chunk], keys=[key], names=names)
    if like.ndim == 1:
        chunk = chunk.rename(like.name)
        return chunk if chunk.dtype == like.dtype else chunk.astype(like.dtype)
    if chunk.ndim == 1:
        chunk = chunk.to_frame(chunk.name if chunk.name is not None else 0)
    if not chunk.columns.equals(like.columns):
        chunk = chunk.reindex(columns=like.columns)
    off = (
        {c: d for c, d in like.dtypes.items() if chunk.dtypes[c] is not d and chunk.dtypes[c] != d}
        if like.columns.is_unique
        else {}
    )
    return chunk.astype(off) if off else chunk


def _beside_meta(first: FrameMeta, others: list[FrameMeta], how: dict[str, Any]) -> FrameMeta:
    result = pandas_on_samples(_pandas, [first, *others], how)
    if all(o.rows == first.rows for o in others):
        return frame_meta(result, first.length, first.rows, ranged=first.ranged)
    return first.fewer(result)


@lowered("frame.side_by_side", meta=lambda first, others, how: _beside_meta(first, others, how))
def beside(first: Chunks, others: list[Chunks], how: dict[str, Any]) -> Chunks:
    """Frames side by side: chunk by chunk where they have the same rows, else aligned in one chunk."""
    return graph.per_chunk(_beside, first, *others, how=how, lengths="same" if first.count > 1 else "unknown")


def _beside(*parts: Any, how: dict[str, Any]) -> Any:
    return _pandas(parts, how)


@lowered("frame.unique_labels", meta=lambda frame: frame)
def unique_labels(frame: Chunks) -> Chunks:
    """The same rows, or an error where a label is there twice."""
    twice = graph.value(_twice, graph.per_chunk(_labels, frame, lengths=None))
    return graph.per_chunk(_checked, frame, twice)


def _labels(chunk: Any) -> Any:
    return chunk.index


def _twice(parts: list[Any]) -> Any:
    index = graph.concat(parts)
    return index[index.duplicated()].unique()


def _checked(chunk: Any, twice: Any) -> Any:
    if len(twice):
        raise ArgumentError(f"Indexes have overlapping values: {twice}")
    return chunk


@public("DataFrame.append", owners=["DataFrame"])
def append(
    self: Any, other: Any, ignore_index: bool = False, verify_integrity: bool = False, sort: bool = False
) -> Any:
    """This frame's rows and then others' (gone from pandas, kept for Mars's users)."""
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if self.ndim == 2:
        others = [_as_row(o) if isinstance(o, (dict, pd.Series)) else o for o in others]
    for each in others:
        if not isinstance(each, (FrameHandle, pd.DataFrame, pd.Series)):
            raise ArgumentTypeError(
                f"append(): expected a frame or series, or a list of them, got {type(each).__name__}"
            )
    return concat([self, *others], ignore_index=ignore_index, verify_integrity=verify_integrity, sort=sort)


def _as_row(row: Any) -> pd.DataFrame:
    series = pd.Series(row)
    return pd.DataFrame(
        [series.to_numpy(dtype=object)], columns=series.index, index=[series.name or 0]
    ).infer_objects()


@public("Series.append", owners=["Series"])
def append_to_series(
    self: Any, to_append: Any, ignore_index: bool = False, verify_integrity: bool = False
) -> Any:
    """This series' rows and then others' (gone from pandas, kept for Mars's users)."""
    return append(self, to_append, ignore_index, verify_integrity)
