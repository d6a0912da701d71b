"""How often values and rows are there, in pandas' order."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pandas as pd

from marsdask import checks
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.dataframe.sorting.duplicates import checked_subset
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, meta
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


@public("frame.value_counts", owners=["Series", "Index"])
def value_counts(
    self: Any,
    normalize: bool = False,
    sort: bool = True,
    ascending: bool = False,
    bins: Any = None,
    dropna: bool = True,
    method: str = "auto",
) -> Any:
    """How often each value is there, most frequent first, ties by first appearance."""
    checks.choice(method, "value_counts(method=)", ("auto", "tree", "shuffle"))
    return registry.make("frame.counted", self, _how(normalize, sort, ascending, dropna) | {"bins": bins})


@public("DataFrame.value_counts", owners=["DataFrame"])
def value_counts_of_rows(
    self: Any,
    subset: Any = None,
    normalize: bool = False,
    sort: bool = True,
    ascending: bool = False,
    dropna: bool = True,
) -> Any:
    """How often each row (of some columns) is there, most frequent first, ties by first appearance."""
    names = checked_subset(self, subset)
    label = (
        subset is not None
        and not isinstance(subset, list)
        and (len(names or ()) > 1 or subset in self.columns)
    )
    how = _how(normalize, sort, ascending, dropna)
    return registry.make("frame.counted", self, how | {"subset": subset if label else names})


def _how(normalize: Any, sort: Any, ascending: Any, dropna: Any) -> dict[str, Any]:
    flags = {"normalize": normalize, "sort": sort, "ascending": ascending, "dropna": dropna}
    return {name: bool(flag) for name, flag in flags.items()}


def _counts(values: Any, how: dict[str, Any]) -> Any:
    return values.value_counts(**how)


def _part_counts(values: Any) -> Any:
    series = values.to_series() if isinstance(values, pd.Index) else values
    return series.value_counts(sort=False, dropna=False)


def _joined_counts(parts: list[Any]) -> Any:
    whole = graph.concat(parts)
    return whole.groupby(level=0, sort=False, dropna=False, observed=True).sum()


def _final_counts(parts: list[Any], *, how: dict[str, Any], like: Any) -> Any:
    counts = _joined_counts(parts)
    counts = counts.astype("Int64" if like["counts"] == "Int64" else "int64")
    if how["dropna"]:
        counts = counts[counts.index.notna()]
    counts.index = counts.index.astype(like["index"]) if counts.index.dtype != like["index"] else counts.index
    counts.index.name = like["index_name"]
    if (
        like["counts"] == "Int64" and counts.index.hasnans
    ):  # of nullable values pandas counts the missing ones last
        counts = pd.concat([counts[counts.index.notna()], counts[counts.index.isna()]])
    if how["sort"]:
        counts = counts.sort_values(ascending=how["ascending"], kind="stable")
    if how["normalize"]:
        counts = counts / counts.sum()
    return counts.rename("proportion" if how["normalize"] else "count")


def _counted_meta(frame: FrameMeta, how: dict[str, Any]) -> FrameMeta:
    return frame.fewer(pandas_on_samples(_counts, frame, how))


@lowered("frame.counted", meta=_counted_meta,
           demands=lambda node, demand: [Demand(None, order=True, labels=meta(node.args[0]).kind == "Index")])  # fmt: skip
def counted(frame: Chunks, how: dict[str, Any]) -> Any:
    """How often each value is there: counts of chunks joined in a tree; bins, categories and frames in one chunk."""
    empty = frame.empty
    if frame.count == 1:
        return graph.per_chunk(_counts, frame, how, lengths="unknown")
    if empty.ndim == 2:
        return _counted_rows(frame, how)
    whole = how["bins"] is not None or isinstance(empty, pd.MultiIndex)
    if whole or isinstance(empty.dtype, pd.CategoricalDtype):
        return graph.per_chunk(_counts, graph.gather(frame), how, lengths="unknown")
    counts = pandas_on_samples(_counts, FrameMeta(empty, math.nan, NEW), {**how, "normalize": False})
    like = {"counts": str(counts.dtype), "index": counts.index.dtype, "index_name": counts.index.name}
    parts = graph.per_chunk(_part_counts, frame, lengths="unknown")
    return graph.tree(parts, _joined_counts, partial(_final_counts, how=how, like=like)).with_lengths(
        (math.nan,)
    )


def _row_counts(frame: Any, by: list[Any]) -> Any:
    return frame.groupby(by, sort=False, dropna=False, observed=True).size().reset_index(name=COUNT)


COUNT = "\x00marsdask-count"


def _joined_rows(parts: list[Any], *, by: list[Any]) -> Any:
    return graph.concat(parts).groupby(by, sort=False, dropna=False, observed=True)[COUNT].sum().reset_index()


def _final_rows(parts: list[Any], *, by: Any, how: dict[str, Any]) -> Any:
    table = graph.concat(parts)
    counts = table.groupby(by, sort=False, dropna=how["dropna"], observed=False)[COUNT].sum()
    counts.name = "proportion" if how["normalize"] else "count"
    if how["sort"]:
        counts = counts.sort_values(ascending=how["ascending"], kind="stable")
    if how["normalize"]:
        counts = counts / counts.sum()
    if isinstance(by, list) and len(by) == 1:
        counts.index = pd.MultiIndex.from_arrays([counts.index], names=[counts.index.name])
    return counts


def _counted_rows(frame: Chunks, how: dict[str, Any]) -> Chunks:
    by = how["subset"] if how["subset"] is not None else list(frame.empty.columns)
    names = by if isinstance(by, list) else [by]
    if not names:
        return graph.per_chunk(_counts, graph.gather(frame), how, lengths="unknown")
    parts = graph.per_chunk(_row_counts, frame, names, lengths="unknown")
    return graph.tree(
        parts, partial(_joined_rows, by=names), partial(_final_rows, by=by, how=how)
    ).with_lengths((math.nan,))
