"""Rows in order: sort_values, sort_index, the largest and smallest, ranks. Always stable, over all chunks.

One chunk where the data are small; else pivots from samples, rows exchanged by where pandas' own sort puts them among the
pivots. So several keys, directions, missing values and `key=` need no rules of ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe import shuffle
from marsdask.dataframe.chunkwise import done, pandas_on_samples
from marsdask.errors import ArgumentError, ColumnNotFound
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import held
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import FrameMeta, Rows, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

KINDS = ("quicksort", "mergesort", "heapsort", "stable")
SAMPLES = 64
"""Rows per chunk among which pivots are chosen: with 64 the largest of 32 chunks was 1.3 times the mean."""

How = dict[str, Any]


def _checked(
    kind: Any, na_position: Any, parallel_kind: Any, psrs_kinds: Any, ascending: Any, keys: int
) -> Any:
    """`ascending` as pandas takes it; errors that name a bad argument."""
    checks.choice(kind, "sort(kind=)", (None, *KINDS))
    checks.choice(na_position, "sort(na_position=)", ("first", "last"))
    checks.choice(parallel_kind, "sort(parallel_kind=)", ("PSRS", None))
    if psrs_kinds is not None and not isinstance(psrs_kinds, (list, tuple)):
        raise ArgumentError(f"sort(psrs_kinds={psrs_kinds!r}): expected a list of three names, or None.")
    flags = list(ascending) if isinstance(ascending, (list, tuple)) else [ascending]
    if not all(isinstance(f, (bool, np.bool_, int)) and f in (0, 1) for f in flags):
        raise ArgumentError(f"sort(ascending={ascending!r}): expected True or False, or a list of them.")
    if isinstance(ascending, (list, tuple)) and len(flags) != keys:
        raise ArgumentError(f"Length of ascending ({len(flags)}) must match length of by ({keys})")
    return [bool(f) for f in flags] if isinstance(ascending, (list, tuple)) else bool(ascending)


def _finished(self: Any, made: Any, ignore_index: Any, inplace: Any) -> Any:
    return done(self, registry.make("frame.renumber", made) if ignore_index else made, inplace)


@public("DataFrame.sort_values", owners=["DataFrame"])
def sort_values(self: Any, by: Any, axis: Any = 0, ascending: Any = True, inplace: bool = False, kind: Any = "quicksort",
                 na_position: str = "last", ignore_index: bool = False, key: Any = None, parallel_kind: Any = "PSRS", psrs_kinds: Any = None) -> Any:  # fmt: skip
    """Rows in the order of one or more columns, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""
    names = list(by) if isinstance(by, list) else [by]
    ascending = _checked(kind, na_position, parallel_kind, psrs_kinds, ascending, len(names))
    if checks.frame_axis(axis, 2, "sort_values") == 1:
        how = {
            "by": by,
            "axis": 1,
            "ascending": ascending,
            "na_position": na_position,
            "ignore_index": bool(ignore_index),
            "key": key,
        }
        return done(self, registry.make("frame.sorted_across", self, how), inplace)
    for name in names:
        if name not in self.columns and name not in self.known.empty.index.names:
            raise ColumnNotFound.among(name, self.columns)
    if isinstance(ascending, list) and len(ascending) == 1:
        ascending = ascending[0]
    if not names:
        return _finished(self, registry.wrap(self.node, held(self)), ignore_index, inplace)
    how = {"by": names, "ascending": ascending, "na_position": na_position, "key": key}
    return _finished(self, registry.make("frame.sorted", self, how), ignore_index, inplace)


@public("Series.sort_values", owners=["Series"])
def sort_series(self: Any, *, axis: Any = 0, ascending: Any = True, inplace: bool = False, kind: Any = "quicksort", na_position: str = "last",
                 ignore_index: bool = False, key: Any = None, parallel_kind: Any = "PSRS", psrs_kinds: Any = None) -> Any:  # fmt: skip
    """Values in order, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""
    checks.frame_axis(axis, 1, "sort_values")
    ascending = _checked(kind, na_position, parallel_kind, psrs_kinds, ascending, 1)
    ascending = ascending[0] if isinstance(ascending, list) else ascending
    how = {"by": None, "ascending": ascending, "na_position": na_position, "key": key}
    return _finished(self, registry.make("frame.sorted", self, how), ignore_index, inplace)


@public("frame.sort_index", owners=["DataFrame", "Series"])
def sort_index(self: Any, *, axis: Any = 0, level: Any = None, ascending: Any = True, inplace: bool = False, kind: Any = "quicksort",
                na_position: str = "last", sort_remaining: bool = True, ignore_index: bool = False, key: Any = None,
                parallel_kind: Any = "PSRS", psrs_kinds: Any = None) -> Any:  # fmt: skip
    """Rows in the order of their labels (columns with `axis=1`), stable whatever `kind`."""
    index = self.known.empty.index
    levels = index.nlevels if level is None else len(level) if isinstance(level, (list, tuple)) else 1
    ascending = _checked(kind, na_position, parallel_kind, psrs_kinds, ascending, levels)
    how = {
        "level": level,
        "ascending": ascending,
        "na_position": na_position,
        "sort_remaining": bool(sort_remaining),
        "key": key,
    }
    if checks.frame_axis(axis, self.ndim, "sort_index") == 1:
        return done(
            self,
            registry.make(
                "frame.sorted_across", self, {**how, "axis": 1, "ignore_index": bool(ignore_index)}
            ),
            inplace,
        )
    for each in level if isinstance(level, (list, tuple)) else [level] if level is not None else []:
        index._get_level_number(each)
    if index.nlevels == 1:  # with a level pandas sorts unstably
        how["level"] = None
        how["ascending"] = ascending[0] if isinstance(ascending, list) else ascending
    return _finished(self, registry.make("frame.sorted", self, how), ignore_index, inplace)


def _thin(frame: Any, how: How) -> Any:
    """What rows are sorted by: some columns, a series, or the labels; under the labels 0..n-1 where there are columns."""
    if "by" not in how:
        return frame.index
    if how["by"] is None:
        return frame.reset_index(drop=True)
    levels = {n: frame.index.get_level_values(n) for n in how["by"] if n not in frame.columns}
    columns = frame[[n for n in how["by"] if n in frame.columns]].reset_index(drop=True)
    return columns.assign(**levels) if levels else columns


def _order(thin: Any, how: How) -> np.ndarray:
    """Positions of rows in sorted order, by pandas' own stable sort."""
    if isinstance(thin, pd.Index):
        return pd.Series(np.arange(len(thin)), index=thin).sort_index(**how, kind="stable").to_numpy()
    options = {k: v for k, v in how.items() if k != "by"}
    found = (
        thin.sort_values(how["by"], **options, kind="stable")
        if thin.ndim == 2
        else thin.sort_values(**options, kind="stable")
    )
    return found.index.to_numpy()


def sorted_chunk(frame: Any, how: How) -> Any:
    """A chunk's rows in order."""
    order = _order(_thin(frame, how), how)
    return frame.iloc[order] if (order[1:] < order[:-1]).any() else frame


def _sampled(frame: Any, how: How) -> Any:
    thin = _thin(frame, how)
    at = np.unique(np.linspace(0, max(len(thin) - 1, 0), min(SAMPLES, len(thin))).astype(int))
    return thin[at] if isinstance(thin, pd.Index) else thin.iloc[at]


def pivots(samples: Sequence[Any], count: int, how: How) -> Any:
    """`count - 1` rows that cut all rows into about equal parts."""
    whole = graph.concat(list(samples))
    whole = whole if isinstance(whole, pd.Index) else whole.reset_index(drop=True)
    order = _order(whole, how)
    at = order[np.linspace(0, len(order), count, endpoint=False).astype(int)[1:]] if len(order) else order
    return whole[at] if isinstance(whole, pd.Index) else whole.iloc[at].reset_index(drop=True)


def _cut(frame: Any, *, cuts: Any, how: How, count: int) -> list[Any]:
    """A chunk's sorted rows between the pivots. Rows equal to a pivot come after it: equal rows stay together."""
    thin = _thin(frame, how)
    both = graph.concat([cuts, thin])
    if len(both) != len(cuts) + len(thin) or not len(thin):
        both = cuts.append(thin) if isinstance(thin, pd.Index) else pd.concat([cuts, thin])
    both = both if isinstance(both, pd.Index) else both.reset_index(drop=True)
    order = _order(both, how)
    pivot = order < len(cuts)
    rows = order[~pivot] - len(cuts)
    part = np.cumsum(pivot)[~pivot]
    bounds = np.searchsorted(part, np.arange(count + 1))
    return [frame.iloc[rows[a:b]] for a, b in itertools.pairwise(bounds)]


def _joined(pieces: list[Any], *, how: How) -> Any:
    return sorted_chunk(graph.concat(pieces), how)


def _sorted_demands(node: Node, demand: Demand) -> list[Demand]:
    frame, how = node.args
    empty = meta(frame).empty
    by = how.get("by") or ()
    labels = "by" not in how or any(n not in getattr(empty, "columns", ()) for n in by)
    columns = (
        None
        if demand.columns is None or empty.ndim == 1
        else frozenset([*demand.columns, *(n for n in by if n in empty.columns)])
    )
    return [Demand(columns, order=demand.order, labels=demand.labels or labels)]


def _sorted_trim(node: Node, demand: Demand) -> Node:
    """Nothing where nobody looks at the order; else without columns nobody sees."""
    frame, how = node.args
    if not demand.order:
        return frame
    have = meta(frame).empty
    if demand.columns is None or have.ndim == 1 or not have.columns.is_unique:
        return node
    wanted = {*demand.columns, *(how.get("by") or ())}
    if wanted >= set(have.columns):
        return node
    return Node(node.op, (Node("frame.select", (frame, [c for c in have.columns if c in wanted])), how))


def _sorted_meta(frame: FrameMeta, how: How) -> FrameMeta:
    if how["key"] is not None or "by" not in how:
        pandas_on_samples(sorted_chunk, frame, how)  # its errors are the user's
    return frame_meta(frame.empty, frame.length, Rows())


@lowered("frame.sorted", meta=_sorted_meta, demands=_sorted_demands, trim=_sorted_trim)
def sorted_rows(frame: Chunks, how: How) -> Any:
    """All rows in order."""
    empty = frame.empty
    if frame.count > 1 and not frame.known:
        frame = yield Keep(frame)
    partial_levels = how.get("level") is not None and empty.index.nlevels > 1
    if shuffle.is_small(frame, shuffle.row_bytes(empty)) or partial_levels:
        graph.rule("sort: in one chunk")
        return graph.per_chunk(sorted_chunk, graph.gather(frame), how)
    graph.rule("sort: exchange between sampled pivots")
    return (yield from in_order(frame, how))


def in_order(frame: Chunks, how: How) -> Any:
    """Rows exchanged between sampled pivots: each chunk sorted, and all of one before the next."""
    samples = yield Ask(graph.per_chunk(_sampled, frame, how, lengths=None))
    cuts = pivots([s for s in samples if len(s)] or samples[:1], frame.count, how)
    cut = partial(_cut, cuts=cuts, how=how, count=frame.count)
    return graph.exchange(frame, cut, partial(_joined, how=how), frame.count)


def _across(frame: Any, how: How) -> Any:
    return frame.sort_values(**how, kind="stable") if "by" in how else frame.sort_index(**how, kind="stable")


@lowered("frame.sorted_across", status="gathered",
           meta=lambda frame, how: FrameMeta(frame.empty.iloc[:, :0], frame.length, frame.rows, frame.ranged) if "by" in how
           else frame_meta(pandas_on_samples(_across, frame, how), frame.length, frame.rows, ranged=frame.ranged))  # fmt: skip
def sorted_across(frame: Chunks, how: How) -> Chunks:
    """Columns in the order of their labels, or of a row's values."""
    if "by" not in how:
        return graph.per_chunk(_across, frame, how)
    return graph.per_chunk(_across, graph.gather(frame), how)
