"""Equal rows and values: duplicated, drop_duplicates, unique, value_counts. In pandas' order, by first appearance.

Chunks drop their own duplicates first; what is left is joined in a tree, or exchanged by hash where it is much.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pandas import arrays

from marsdask import checks
from marsdask.dataframe.core import as_values
from marsdask.dataframe.kernels import repeats
from marsdask.dataframe.rows.alignment import done, pandas_on_samples, tree, without_loss
from marsdask.dataframe.rows.families import call, pandas_signature
from marsdask.dataframe.rows.pieces import Pieces
from marsdask.dataframe.sorting import shuffle
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Keep
from marsdask.plan.meta import FrameMeta, TensorMeta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

LARGE_BYTES = 128 * 2**20
"""What is left of chunks is exchanged from this size on; below, one task joins it."""
COUNT = "\x00marsdask-count"
COUNTED = {
    "Int64": "Int64",
    "Float64": "Int64",
    "int64[pyarrow]": "int64[pyarrow]",
    "double[pyarrow]": "int64[pyarrow]",
}
"""What counts are before they are divided, by the dtype in which pandas shows those of a column."""


WAYS = (None, "auto", "tree", "subset_tree", "shuffle")
"""Mars's ways to look for repeats; None is what it says where there is one chunk."""


def _checked_subset(self: Any, subset: Any, keep: Any = "first") -> list[Any] | None:
    """The columns that a subset names, None for all."""
    checks.choice(keep, "keep", ("first", "last", False))
    if subset is None:
        return None
    one = not np.iterable(subset) or isinstance(subset, str)
    one = one or (isinstance(subset, tuple) and subset in self.columns)
    return checks.columns([subset] if one else subset, self)


def _rows_of(frame: Any, subset: Any) -> Any:
    return frame if subset is None else frame[subset]


def _keys(rows: Any, others: Any, *, subset: Any = None) -> list[Any]:
    rows = _rows_of(rows, subset)
    if isinstance(rows, pd.MultiIndex):
        return [rows.get_level_values(i) for i in range(rows.nlevels)]
    if rows.ndim == 1:
        return [rows]
    return [rows.iloc[:, i] for i in range(rows.shape[1])] or [np.zeros(len(rows))]


def _subset_demands(node: Node, demand: Demand) -> list[Demand]:
    """The columns of the subset, and for `distinct` those that show."""
    subset, keep = node.args[1:3]
    shown = demand.columns if node.op == "frame.distinct" else ()
    columns = None if subset is None or shown is None else frozenset([*subset, *shown])
    return [Demand(columns, keep is not False or demand.order, demand.labels)]


def _flags_meta(frame: FrameMeta, subset: Any, keep: Any) -> Any:
    if isinstance(frame.empty, pd.Index):
        return TensorMeta((frame.length,), np.dtype(bool))
    name = frame.empty.name if frame.ndim == 1 else None
    return frame.same(pd.Series(dtype=bool, index=frame.empty.index, name=name))


@lowered("frame.is_duplicate", meta=_flags_meta, demands=_subset_demands)
def is_duplicate(frame: Chunks, subset: Any, keep: Any) -> Any:
    """Whether each row was there before (after, elsewhere): each chunk's distinct keys exchanged by hash, answers sent home."""
    of_index = isinstance(frame.empty, pd.Index)
    rows = frame if subset is None else graph.per_chunk(_rows_of, frame, subset)
    twice = partial(_flags, keep=keep)
    if frame.count == 1 and not of_index:
        return graph.per_chunk(twice, rows)
    large = not (of_index or shuffle.is_small(frame))
    count = shuffle.parts_for(frame.count, shuffle.bytes_of(frame)) if large else 1
    does = partial(shuffle.met_and, twice)
    if of_index:
        flags = shuffle.home(shuffle.sent(rows, [], _keys, does, count), rows.count, rows.lengths)
        return graph.to_array(flags, dtype=bool)
    parts = graph.per_chunk(_placed, rows, keep, lengths="unknown")
    flags = shuffle.home(shuffle.sent(parts, [], _keys, does, count), rows.count, (math.nan,) * rows.count)
    return graph.per_chunk(_flagged, rows, flags)


def _flags(rows: Any, *, keep: Any) -> Any:
    found = repeats.duplicated(rows, keep)
    return found if isinstance(rows, pd.Index) else _as_flags(found, rows)


def _as_flags(found: np.ndarray, rows: Any) -> pd.Series:
    return pd.Series(found, index=rows.index, name=rows.name if rows.ndim == 1 else None, copy=False)


def _placed(rows: Any, keep: Any) -> Any:
    """The rows of a chunk that others have to know, labelled by their places."""
    return rows.set_axis(pd.RangeIndex(len(rows)))[repeats.deciding(rows, keep)]


def _flagged(rows: Any, told: pd.Series) -> pd.Series:
    """All rows' flags: rows of which nothing is told repeat others of their chunk."""
    found = np.ones(len(rows), dtype=bool)
    found[told.index] = told.to_numpy()
    return _as_flags(found, rows)


def _dropped(frame: Any, subset: Any, keep: Any) -> Any:
    mask = repeats.duplicated(_rows_of(frame, subset), keep)
    return frame[~mask] if mask.any() else frame


def _decided(frame: Any, subset: Any, keep: Any) -> Any:
    """Without the rows that other chunks need not know."""
    stays = repeats.deciding(_rows_of(frame, subset), keep)
    return frame if stays.all() else frame[stays]


def _met_dropped(pieces: list[Pieces], *, subset: Any, keep: Any) -> Any:
    rows, _, homes, places = shuffle.met(pieces)
    stays = ~repeats.duplicated(_rows_of(rows, subset), keep)
    return rows[stays], homes[stays], places[stays]


@lowered("frame.distinct", traits=["filter"], demands=_subset_demands, meta=lambda frame, *how: frame.fewer())
def distinct(frame: Chunks, subset: Any, keep: Any, method: str = "auto") -> Any:
    """The rows without duplicates, in their order."""
    if frame.count == 1:
        return graph.per_chunk(_dropped, frame, subset, keep, lengths="unknown")
    parts = graph.per_chunk(_decided, frame, subset, keep, lengths="unknown")
    if method == "auto" and shuffle.most_bytes_of(frame) > LARGE_BYTES:
        parts = yield Keep(parts)
        large = shuffle.bytes_of(parts, shuffle.row_bytes(frame.meta)) > LARGE_BYTES
        method = "shuffle" if large else "tree"
    if method != "shuffle":
        graph.rule("drop_duplicates: tree")
        how = {"subset": subset, "keep": keep}
        return tree(parts, partial(_decided, **how), partial(_dropped, **how))
    graph.rule("drop_duplicates: rows exchanged by hash")
    keys, merge = partial(_keys, subset=subset), partial(_met_dropped, subset=subset, keep=keep)
    count = shuffle.parts_for(parts.count, shuffle.bytes_of(parts, shuffle.row_bytes(frame.meta)))
    met = shuffle.sent(parts, [], keys, merge, count)
    return shuffle.home(met, parts.count, (math.nan,) * parts.count)


FLAGGED = "Whether each row equals an earlier one (`keep='last'`: a later, `False`: any)."
DISTINCT = "Without rows that equal an earlier one, in order."


@public("DataFrame.duplicated", owners=["DataFrame"], doc=FLAGGED)
def duplicated(self: Any, subset: Any = None, keep: Any = "first", method: str | None = "auto") -> Any:
    checks.choice(method, "duplicated(method=)", WAYS)
    return registry.make("frame.is_duplicate", self, _checked_subset(self, subset, keep), keep)


@public("Series.duplicated", owners=["Series"], doc=FLAGGED)
@public("Index.duplicated", owners=["Index"], doc=FLAGGED)
def duplicated_values(self: Any, keep: Any = "first", method: str | None = "auto") -> Any:
    return duplicated(self, None, keep, method)


@public("DataFrame.drop_duplicates", owners=["DataFrame"], doc=DISTINCT)
def drop_duplicates(
    self: Any,
    subset: Any = None,
    keep: Any = "first",
    inplace: bool = False,
    ignore_index: bool = False,
    method: str | None = "auto",
) -> Any:
    checks.choice(method, "drop_duplicates(method=)", WAYS)
    names = _checked_subset(self, subset, keep)
    asked = [method] if method in ("tree", "shuffle") else []
    made = registry.make("frame.distinct", self, names, keep, *asked)
    return done(self, registry.make("frame.renumber", made) if ignore_index else made, inplace)


@public("Series.drop_duplicates", owners=["Series"], doc=DISTINCT)
def drop_duplicates_of_series(
    self: Any,
    keep: Any = "first",
    inplace: bool = False,
    ignore_index: bool = False,
    method: str | None = "auto",
) -> Any:
    return drop_duplicates(self, None, keep, inplace, ignore_index, method)


@public("Index.drop_duplicates", owners=["Index"], doc=DISTINCT)
def drop_duplicates_of_index(self: Any, keep: Any = "first", method: str | None = "auto") -> Any:
    return drop_duplicates(self, None, keep, method=method)


def _once(values: Any) -> pd.Series:
    """Values without duplicates, in order, without their labels."""
    first = ~repeats.duplicated(values, "first")
    return pd.Series(values.array[first], dtype=values.dtype, copy=False)


def _distinct_array(values: Any) -> Any:
    return np.asarray(_once(values).array)


def _values_demands(node: Node, demand: Demand) -> list[Demand]:
    """Values in their order; of an index they are its labels."""
    return [Demand(None, order=True, labels=meta(node.args[0]).kind == "Index")]


@lowered(
    "frame.unique_values",
    meta=lambda frame: TensorMeta((math.nan,), _distinct_array(pd.Series(dtype=frame.empty.dtype)).dtype),
    traits=["labelless"],
    demands=_values_demands,
)
def unique_values(frame: Chunks) -> Any:
    """Values without duplicates as a tensor, in order of first appearance."""
    made = tree(graph.per_chunk(_once, frame, lengths="unknown"), _once, _distinct_array)
    return graph.to_array(made, dtype=graph.promised().dtype)


@public("frame.unique", owners=["Series", "Index"])
def unique(self: Any, method: str | None = "tree") -> Any:
    """The values without duplicates, in order of first appearance: a tensor (of objects for nullable and text dtypes)."""
    checks.choice(method, "unique(method=)", (None, "tree", "auto", "shuffle"))
    if self.ndim != 1:
        raise ArgumentTypeError("unique() takes a series or an index")
    return registry.make("frame.unique_values", self)


@public("md.unique", function=True)
def unique_function(values: Any, method: str = "tree") -> Any:
    """The values of a series, an index, a list or an array without duplicates, in order of first appearance: a tensor."""
    return unique(as_values(values), method)


@public(
    "frame.value_counts",
    owners=["Series", "Index"],
    signature=pandas_signature("value_counts", [pd.Series], method="auto"),
    direct=False,
)
def value_counts(self: Any, bins: Any = None, method: str | None = "auto", **flags: bool) -> Any:
    """How often each value is there, most frequent first, ties by first appearance."""
    checks.choice(method, "value_counts(method=)", (None, "auto", "tree", "shuffle"))
    return _counted(self, flags, bins=bins)


@public(
    "DataFrame.value_counts", owners=["DataFrame"], signature=pandas_signature("value_counts"), direct=False
)
def value_counts_of_rows(self: Any, subset: Any = None, **flags: bool) -> Any:
    """How often each row (of some columns) is there, most frequent first, ties by first appearance."""
    names = _checked_subset(self, subset)
    listed = subset is None or isinstance(subset, list)
    label = not listed and (len(names or ()) > 1 or subset in self.columns)
    return _counted(self, flags, subset=subset if label else names)


def _counted(self: Any, flags: dict[str, Any], **more: Any) -> Any:
    every = {"normalize": False, "sort": True, "ascending": False, "dropna": True} | flags
    return registry.make("frame.counted", self, {name: bool(flag) for name, flag in every.items()} | more)


def _part_counts(values: Any) -> Any:
    values = pd.Series(values)
    found = repeats.counted([values])
    if found is None:
        return values.value_counts(sort=False, dropna=False)
    return pd.Series(found[1], index=pd.Index(found[0][0], dtype=values.dtype), name="count")


def _final_counts(counts: pd.Series, *, how: dict[str, Any], like: pd.Series) -> Any:
    """All counts, of the dtypes of `like`."""
    counts = repeats.added(counts).astype("int64")
    if how["dropna"]:
        counts = counts[counts.index.notna()]
    counts.index = without_loss(counts.index, like.index.dtype).rename(like.index.name)
    masked = isinstance(like.index.array, (arrays.BooleanArray, arrays.IntegerArray, arrays.FloatingArray))
    if masked and counts.index.hasnans:  # of these pandas counts the missing ones last
        counts = pd.concat([counts[counts.index.notna()], counts[counts.index.isna()]])
    return _shown(counts, how, COUNTED.get(str(like.dtype), "int64"))


def _shown(counts: pd.Series, how: dict[str, Any], dtype: str = "int64") -> pd.Series:
    """Counts as they were asked for, as a dtype."""
    if how["sort"]:
        counts = counts.sort_values(ascending=how["ascending"], kind="stable")
    counts = counts.astype(dtype)
    return (counts / counts.sum()).rename("proportion") if how["normalize"] else counts.rename("count")


@lowered(
    "frame.counted",
    meta=lambda frame, how: frame.fewer(pandas_on_samples(partial(call, "value_counts"), frame, **how)),
    demands=_values_demands,
)
def counted(frame: Chunks, how: dict[str, Any]) -> Any:
    """How often each value is there: counts of chunks joined in a tree; bins, categories and frames in one chunk."""
    empty = frame.empty
    by = how.get("subset")
    if empty.ndim == 2:
        by = list(empty.columns) if by is None else by
        whole = isinstance(by, list) and not by
    else:
        whole = how["bins"] is not None or isinstance(empty, pd.MultiIndex)
        whole = whole or isinstance(empty.dtype, pd.CategoricalDtype)
    if whole or frame.count == 1:
        return graph.per_chunk(partial(call, "value_counts"), graph.gather(frame), lengths="unknown", **how)
    if empty.ndim == 2:
        names = by if isinstance(by, list) else [by]
        parts = graph.per_chunk(_row_counts, frame, names, lengths="unknown")
        steps: Any = partial(_joined_rows, by=names), partial(_final_rows, by=by, how=how)
    else:
        parts = graph.per_chunk(_part_counts, frame, lengths="unknown")
        steps = repeats.added, partial(_final_counts, how=how, like=graph.promised().empty)
    return tree(parts, *steps)


def _row_counts(frame: Any, by: list[Any]) -> Any:
    found = repeats.counted([frame[name] for name in by]) if frame.columns.is_unique else None
    if found is not None:
        return pd.concat(found[0], axis=1).reset_index(drop=True).assign(**{COUNT: found[1]})
    return frame.groupby(by, sort=False, dropna=False, observed=True).size().reset_index(name=COUNT)


def _joined_rows(table: Any, *, by: list[Any]) -> Any:
    return table.groupby(by, sort=False, dropna=False, observed=True)[COUNT].sum().reset_index()


def _final_rows(table: Any, *, by: Any, how: dict[str, Any]) -> Any:
    counts = _shown(table.groupby(by, sort=False, dropna=how["dropna"], observed=False)[COUNT].sum(), how)
    if isinstance(by, list) and len(by) == 1:
        counts.index = pd.MultiIndex.from_arrays([counts.index], names=[counts.index.name])
    return counts
