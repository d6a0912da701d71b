"""Rows in order: sort_values, sort_index, the largest and smallest, ranks. Always stable, over all chunks.

One chunk where the data are small; else pivots from samples, rows exchanged by where pandas' own sort puts them among the
pivots. So several keys, directions, missing values and `key=` need no rules of ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.rows.alignment import done, pandas_on_samples, rows_of, tree
from marsdask.dataframe.rows.families import by_rows, call, method
from marsdask.dataframe.rows.pieces import Pieces, joined, regrouped
from marsdask.dataframe.sorting import shuffle
from marsdask.errors import ArgumentError, ColumnNotFound
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import held
from marsdask.plan.lower import Ask, sized
from marsdask.plan.meta import FrameMeta, Rows, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

SAMPLES = 64
"""Rows per chunk among which pivots are chosen: with 64 the largest of 32 chunks was 1.3 times the mean."""


@dataclass(frozen=True)
class Sort:
    """How rows are sorted: by columns and levels, by the values of a series (`by` is empty), or by labels (`by` is None)."""

    by: Any
    ascending: Any = True
    na_position: str = "last"
    key: Any = None
    level: Any = None
    sort_remaining: bool = True

    def of(self, frame: Any, **more: Any) -> Any:
        """pandas' own stable sort."""
        how = {"ascending": self.ascending, "na_position": self.na_position, "key": self.key, **more}
        if self.by is None:
            remaining = self.sort_remaining
            return frame.sort_index(level=self.level, sort_remaining=remaining, kind="stable", **how)
        return frame.sort_values(*([self.by] if frame.ndim == 2 else []), kind="stable", **how)

    def order(self, thin: Any) -> np.ndarray:
        """Positions of rows in sorted order; of labels, or of rows under the labels 0..n-1."""
        if isinstance(thin, pd.Index):
            return self.of(pd.Series(np.arange(len(thin)), index=thin)).to_numpy()  # type: ignore[no-any-return]
        return self.of(thin).index.to_numpy()  # type: ignore[no-any-return]

    def thin(self, frame: Any) -> Any:
        """What rows are sorted by: some columns, a series, or the labels; under the labels 0..n-1 where there are columns."""
        if self.by is None:
            return frame.index
        if frame.ndim == 1:
            return frame.reset_index(drop=True)
        levels = {n: frame.index.get_level_values(n) for n in self.by if n not in frame.columns}
        columns = frame[[n for n in self.by if n in frame.columns]].reset_index(drop=True)
        return columns.assign(**levels) if levels else columns


def _sort(
    by: Any, ascending: Any, kind: Any, na_position: Any, key: Any, parallel_kind: Any, psrs_kinds: Any, keys: int, **labels: Any
) -> Sort:  # fmt: skip
    """The arguments of a sort, checked; Mars's `parallel_kind` and `psrs_kinds` have no effect."""
    checks.choice(kind, "sort(kind=)", (None, "quicksort", "mergesort", "heapsort", "stable"))
    checks.choice(na_position, "sort(na_position=)", ("first", "last"))
    checks.choice(parallel_kind, "sort(parallel_kind=)", ("PSRS", None))
    if psrs_kinds is not None and not isinstance(psrs_kinds, (list, tuple)):
        raise ArgumentError(f"sort(psrs_kinds={psrs_kinds!r}): expected a list of three names, or None.")
    several = isinstance(ascending, (list, tuple))
    flags = list(ascending) if several else [ascending]
    if not all(isinstance(f, (bool, np.bool_, int)) and f in (0, 1) for f in flags):
        raise ArgumentError(f"sort(ascending={ascending!r}): expected True or False, or a list of them.")
    if several and len(flags) != keys:
        raise ArgumentError(f"Length of ascending ({len(flags)}) must match length of by ({keys})")
    found = [bool(f) for f in flags]
    return Sort(by, found if len(found) > 1 else found[0], na_position, key, **labels)


def _sorted(self: Any, order: Sort, axis: int, ignore_index: Any, inplace: Any) -> Any:
    """Rows in order, or with axis 1 columns."""
    if axis == 1:
        return done(self, registry.make("frame.sorted_across", self, order, bool(ignore_index)), inplace)
    nothing = order.by == [] and self.ndim == 2
    made = registry.wrap(self.node, held(self)) if nothing else registry.make("frame.sorted", self, order)
    return done(self, registry.make("frame.renumber", made) if ignore_index else made, inplace)


@public("DataFrame.sort_values", owners=["DataFrame"])
def sort_values(self: Any, by: Any, axis: Any = 0, ascending: Any = True, inplace: bool = False, kind: Any = "quicksort",
                na_position: str = "last", ignore_index: bool = False, key: Any = None, parallel_kind: Any = "PSRS", psrs_kinds: Any = None) -> Any:  # fmt: skip
    """Rows in the order of one or more columns, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""
    names = list(by) if isinstance(by, list) else [by]
    along = checks.frame_axis(axis, 2, "sort_values")
    wanted = by if along else names
    order = _sort(wanted, ascending, kind, na_position, key, parallel_kind, psrs_kinds, len(names))
    for name in () if along else names:
        if name not in self.columns and name not in self.known.shown.index.names:
            raise ColumnNotFound.among(name, self.columns)
    return _sorted(self, order, along, ignore_index, inplace)


@public("Series.sort_values", owners=["Series"])
def sort_series(self: Any, *, axis: Any = 0, ascending: Any = True, inplace: bool = False, kind: Any = "quicksort", na_position: str = "last",
                ignore_index: bool = False, key: Any = None, parallel_kind: Any = "PSRS", psrs_kinds: Any = None) -> Any:  # fmt: skip
    """Values in order, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""
    along = checks.frame_axis(axis, 1, "sort_values")
    order = _sort([], ascending, kind, na_position, key, parallel_kind, psrs_kinds, 1)
    return _sorted(self, order, along, ignore_index, inplace)


@public("frame.sort_index", owners=["DataFrame", "Series"])
def sort_index(self: Any, *, axis: Any = 0, level: Any = None, ascending: Any = True, inplace: bool = False, kind: Any = "quicksort",
               na_position: str = "last", sort_remaining: bool = True, ignore_index: bool = False, key: Any = None,
               parallel_kind: Any = "PSRS", psrs_kinds: Any = None) -> Any:  # fmt: skip
    """Rows in the order of their labels (columns with `axis=1`), stable whatever `kind`."""
    index = self.known.empty.index
    levels = list(level) if isinstance(level, (list, tuple)) else [] if level is None else [level]
    order = _sort(
        None, ascending, kind, na_position, key, parallel_kind, psrs_kinds, len(levels) or index.nlevels,
        level=level, sort_remaining=bool(sort_remaining),
    )  # fmt: skip
    along = checks.frame_axis(axis, self.ndim, "sort_index")
    for each in () if along else levels:
        index._get_level_number(each)
    if index.nlevels == 1 and not along:  # with a level pandas sorts unstably
        order = replace(order, level=None)
    return _sorted(self, order, along, ignore_index, inplace)


def sorted_chunk(frame: Any, how: Sort) -> Any:
    """A chunk's rows in order."""
    order = how.order(how.thin(frame))
    return frame.iloc[order] if (order[1:] < order[:-1]).any() else frame


def some_places(length: int) -> np.ndarray:
    """Up to `SAMPLES` of so many rows, evenly spread, the first and the last among them."""
    return np.unique(np.linspace(0, max(length - 1, 0), min(SAMPLES, length)).astype(int))


def _sampled(frame: Any, how: Sort) -> Any:
    thin = how.thin(frame)
    return rows_of(thin, some_places(len(thin)))


def _numbered(thin: Any) -> Any:
    return thin if isinstance(thin, pd.Index) else thin.reset_index(drop=True)


def pivots(samples: Sequence[Any], count: int, how: Sort) -> Any:
    """`count - 1` rows that cut all rows into about equal parts."""
    whole = _numbered(graph.concat(list(samples)))
    order = how.order(whole)
    at = order[np.linspace(0, len(order), count, endpoint=False).astype(int)[1:]] if len(order) else order
    return _numbered(rows_of(whole, at))


def _cut(frame: Any, *, cuts: Any, how: Sort, count: int) -> Pieces:
    """A chunk's sorted rows between the pivots. Rows equal to a pivot come after it: equal rows stay together."""
    thin = how.thin(frame)
    order = how.order(_numbered(graph.concat([cuts, thin])))
    pivot = order < len(cuts)
    rows = order[~pivot] - len(cuts)
    bounds = np.searchsorted(np.cumsum(pivot)[~pivot], np.arange(count + 1))
    return Pieces([frame], np.zeros(1, int), np.diff(bounds)[None], rows)


def _merged(pieces: list[Pieces], how: Sort) -> Any:
    return sorted_chunk(joined(pieces)[0], how)


def _sorted_demands(node: Node, demand: Demand) -> list[Demand]:
    frame, how = node.args
    known, by = meta(frame), frozenset(how.by or ())
    columns = frozenset(known.names) if known.ndim == 2 else frozenset()
    labels = how.by is None or not by <= columns
    looked_at = None if demand.columns is None or known.ndim == 1 else demand.columns | (by & columns)
    return [Demand(looked_at, order=demand.order, labels=demand.labels or labels)]


def _sorted_trim(node: Node, demand: Demand) -> Node:
    """Nothing where nobody looks at the order; else without columns nobody sees."""
    frame, how = node.args
    if not demand.order:
        return frame
    if demand.columns is None or meta(frame).ndim == 1:
        return node
    less = only(frame, demand.columns | {*(how.by or ())})
    return node if less is frame else Node(node.op, (less, how))


def only(frame: Node, columns: Set[Any]) -> Node:
    """A frame without the columns nobody looks at; as it is where that is all, or where names repeat."""
    have = meta(frame).names
    if not meta(frame).columns.is_unique or columns.issuperset(have):
        return frame
    return Node("frame.select", (frame, [c for c in have if c in columns]))


def _sorted_meta(frame: FrameMeta, how: Sort) -> FrameMeta:
    if how.key is not None or how.by is None:
        pandas_on_samples(sorted_chunk, frame, how)  # its errors are the user's
    return frame_meta(frame.made, frame.length, Rows())


@lowered("frame.sorted", meta=_sorted_meta, demands=_sorted_demands, trim=_sorted_trim)
def sorted_rows(frame: Chunks, how: Sort) -> Any:
    """All rows in order."""
    if frame.count > 1:
        (frame,) = yield from sized(frame)
    partial_levels = how.level is not None and frame.meta.shown.index.nlevels > 1
    if shuffle.is_small(frame) or partial_levels:
        graph.rule("sort: in one chunk")
        return graph.per_chunk(sorted_chunk, graph.gather(frame), how)
    graph.rule("sort: exchange between sampled pivots")
    return (yield from in_order(frame, how))


def in_order(frame: Chunks, how: Sort) -> Any:
    """Rows exchanged between sampled pivots: each chunk sorted, and all of one before the next."""
    samples = yield Ask(graph.per_chunk(_sampled, frame, how, lengths=None))
    row = shuffle.row_bytes(graph.promised())
    count = shuffle.parts_for(frame.count, shuffle.bytes_of(frame, row))
    cuts = pivots([s for s in samples if len(s)] or samples[:1], count, how)
    cut = partial(_cut, cuts=cuts, how=how, count=count)
    return graph.exchange(frame, cut, partial(_merged, how=how), count, regroup=regrouped)


def _across_meta(frame: FrameMeta, how: Sort, ignore_index: bool) -> FrameMeta:
    if how.by is not None:  # which column comes first the values of a row say
        return frame_meta(frame.shown.iloc[:, :0], frame.length, frame.rows, ranged=frame.ranged)
    return frame.same(pandas_on_samples(how.of, frame, axis=1, ignore_index=ignore_index))


@lowered("frame.sorted_across", status="gathered", meta=_across_meta)
def sorted_across(frame: Chunks, how: Sort, ignore_index: bool) -> Chunks:
    """Columns in the order of their labels, or of a row's values."""
    rows = frame if how.by is None else graph.gather(frame)
    return graph.per_chunk(how.of, rows, axis=1, ignore_index=ignore_index)


def _most(name: str, self: Any, n: Any = 5, keep: Any = "first", **columns: Any) -> Any:
    checks.choice(keep, f"{name}(keep=)", ("first", "last", "all"))
    how = {"n": checks.whole(n, f"{name}(n=)"), "keep": keep}
    for by in columns.values():
        how["columns"] = checks.columns(by if isinstance(by, list) else [by], self)
    return registry.make("frame.most", self, name, how)


def _candidates(frame: Any, name: str, how: dict[str, Any]) -> Any:
    """The rows among which the answer is, in the order they had."""
    # One more than asked for: pandas puts ties in another order where it has no more rows than that.
    found = call(name, frame.reset_index(drop=True), **{**how, "n": how["n"] + 1})
    return frame.iloc[np.sort(found.index.to_numpy())]


@lowered(
    "frame.most",
    meta=lambda frame, name, how: frame.fewer(pandas_on_samples(partial(call, name), frame, **how)),
)
def most(frame: Chunks, name: str, how: dict[str, Any]) -> Chunks:
    """The largest or smallest rows: candidates of each chunk, joined in a tree."""
    parts = graph.per_chunk(_candidates, frame, name, how, lengths="unknown")
    return tree(parts, partial(_candidates, name=name, how=how), partial(call, name, **how))


for _name in ("nlargest", "nsmallest"):
    for _owner, _doc in (
        ("DataFrame", f"The `n` rows with the {_name[1:]} values in `columns`, in order."),
        ("Series", f"The `n` {_name[1:]} values, in order."),
    ):
        _signature = inspect.signature(getattr(getattr(pd, _owner), _name))
        _entry: Any = {"owners": [_owner], "signature": _signature, "direct": False, "doc": _doc}
        public(f"{_owner}.{_name}", **_entry)(partial(_most, _name))


def _check_rank(self: Any, kwargs: dict[str, Any]) -> None:
    checks.choice(
        kwargs.get("method", "average"), "rank(method=)", ("average", "min", "max", "first", "dense")
    )
    checks.choice(kwargs.get("na_option", "keep"), "rank(na_option=)", ("keep", "top", "bottom"))
    kwargs["axis"] = checks.frame_axis(kwargs.get("axis", 0), self.ndim, "rank")


def _rank(frame: Chunks, **how: Any) -> Chunks:
    """The rank of each value from 1 on, among all rows (or along a row with `axis=1`)."""
    does = partial(call, "rank", **how)
    if by_rows(frame.empty, how) or frame.count == 1:
        return graph.per_chunk(does, frame)
    met = shuffle.sent(frame, [], None, partial(shuffle.met_and, does), 1)
    return shuffle.home(met, frame.count, frame.lengths)


method("rank", _rank, arrange=_check_rank, demands=None, status="gathered")
