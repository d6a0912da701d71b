"""Equal rows and values: duplicated, drop_duplicates, unique, value_counts. In pandas' order, by first appearance.

Chunks drop their own duplicates first; what is left is joined in a tree, or exchanged by hash where it is much.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import as_frame
from marsdask.dataframe.rows.alignment import done
from marsdask.dataframe.rows.families import call
from marsdask.dataframe.sorting import shuffle
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Keep
from marsdask.plan.meta import FrameMeta, TensorMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

METHODS = ("auto", "tree", "subset_tree", "shuffle")


def checked_subset(self: Any, subset: Any, keep: Any = "first", method: str = "auto") -> list[Any] | None:
    """The columns that a subset names, None for all."""
    checks.choice(keep, "keep", ("first", "last", False))
    checks.choice(method, "drop_duplicates(method=)", METHODS)
    if subset is None:
        return None
    one = isinstance(subset, str) or not np.iterable(subset)
    one = one or (isinstance(subset, tuple) and subset in self.columns)
    return checks.columns([subset] if one else subset, self)


def _rows_of(frame: Any, subset: Any) -> Any:
    return frame if subset is None else frame[subset]


def _twice(frame: Any, subset: Any, keep: Any) -> Any:
    """Whether each row is a duplicate; a series under the rows' labels."""
    return frame.duplicated(keep=keep) if subset is None else frame.duplicated(subset, keep=keep)


def _keys(rows: Any, others: Any) -> list[Any]:
    if isinstance(rows, pd.MultiIndex):
        return [rows.get_level_values(i) for i in range(rows.nlevels)]
    if rows.ndim == 1:
        return [rows]
    return [rows.iloc[:, i] for i in range(rows.shape[1])] or [np.zeros(len(rows))]


def _met_twice(pieces: list[shuffle.Piece], *, keep: Any) -> Any:
    rows, _, homes, places = shuffle.met(pieces)
    return _twice(rows, None, keep), homes, places


def _twice_demands(node: Node, demand: Demand) -> list[Demand]:
    subset, keep = node.args[1:3]
    columns = None if subset is None else frozenset(subset)
    return [Demand(columns, keep is not False or demand.order, demand.labels)]


def _flags_meta(frame: FrameMeta, subset: Any, keep: Any) -> Any:
    if isinstance(frame.empty, pd.Index):
        return TensorMeta((frame.length,), np.dtype(bool))
    name = frame.empty.name if frame.empty.ndim == 1 else None
    return frame_meta(
        pd.Series(dtype=bool, index=frame.empty.index, name=name),
        frame.length,
        frame.rows,
        ranged=frame.ranged,
    )


@lowered("frame.is_duplicate", meta=_flags_meta, demands=_twice_demands)
def is_duplicate(frame: Chunks, subset: Any, keep: Any) -> Any:
    """Whether each row was there before (after, elsewhere): keys exchanged by hash, answers sent home."""
    of_index = isinstance(frame.empty, pd.Index)
    if frame.count == 1 and not of_index:
        return graph.per_chunk(_twice, frame, subset, keep)
    small = of_index or shuffle.is_small(frame, shuffle.row_bytes(frame.empty))
    rows = frame if subset is None else graph.per_chunk(_rows_of, frame, subset)
    met = shuffle.sent(rows, [], _keys, partial(_met_twice, keep=keep), 1 if small else frame.count)
    flags = shuffle.home(met, rows.count, rows.lengths)
    return graph.to_array(flags, dtype=bool) if of_index else flags


def _dropped(frame: Any, subset: Any, keep: Any) -> Any:
    mask = np.asarray(_twice(frame, subset, keep))
    return frame[~mask] if mask.any() else frame


def _joined_and_dropped(parts: list[Any], *, subset: Any, keep: Any) -> Any:
    return _dropped(graph.concat(parts), subset, keep)


def _met_dropped(pieces: list[shuffle.Piece], *, subset: Any, keep: Any) -> Any:
    rows, _, homes, places = shuffle.met(pieces)
    stays = ~np.asarray(_twice(rows, subset, keep))
    return rows[stays], homes[stays], places[stays]


def _drop_demands(node: Node, demand: Demand) -> list[Demand]:
    subset = node.args[1]
    columns = None if subset is None or demand.columns is None else frozenset([*subset, *demand.columns])
    keep = node.args[2]
    order = demand.order or (keep is not False and (subset is not None or demand.labels))
    return [Demand(columns, order or keep is not False, demand.labels)]


LARGE_BYTES = 128 * 2**20
"""What is left of chunks is exchanged from this size on; below, one task joins it."""


@lowered(
    "frame.distinct",
    demands=_drop_demands,
    meta=lambda frame, subset, keep, method="auto": frame.fewer(),
)
def distinct(frame: Chunks, subset: Any, keep: Any, method: str = "auto") -> Any:
    """The rows without duplicates, in their order."""
    if frame.count == 1:
        return graph.per_chunk(_dropped, frame, subset, keep, lengths="unknown")
    empty = frame.empty
    parts = graph.per_chunk(_dropped, frame, subset, keep, lengths="unknown") if keep is not False else frame
    if method == "auto" and not shuffle.is_small(frame, shuffle.row_bytes(empty)):
        parts = yield Keep(parts)
        method = "shuffle" if sum(parts.lengths) * shuffle.row_bytes(empty) > LARGE_BYTES else "tree"
    join = partial(_joined_and_dropped, subset=subset, keep=keep)
    if method != "shuffle":
        graph.rule("drop_duplicates: tree")
        every = parts.count if keep is False else None
        return graph.tree(parts, join, every=every).with_lengths((math.nan,))
    graph.rule("drop_duplicates: rows exchanged by hash")
    met = shuffle.sent(
        parts,
        [],
        partial(_subset_keys, subset=subset),
        partial(_met_dropped, subset=subset, keep=keep),
        parts.count,
    )
    return shuffle.home(met, parts.count, (math.nan,) * parts.count)


def _subset_keys(frame: Any, others: Any, *, subset: Any) -> list[Any]:
    return _keys(_rows_of(frame, subset), others)


FLAGGED = "Whether each row equals an earlier one (`keep='last'`: a later, `False`: any)."
DISTINCT = "Without rows that equal an earlier one, in order."


@public("DataFrame.duplicated", owners=["DataFrame"], doc=FLAGGED)
def duplicated(self: Any, subset: Any = None, keep: Any = "first", method: str = "auto") -> Any:
    return registry.make("frame.is_duplicate", self, checked_subset(self, subset, keep, method), keep)


@public("Series.duplicated", owners=["Series"], doc=FLAGGED)
@public("Index.duplicated", owners=["Index"], doc=FLAGGED)
def duplicated_values(self: Any, keep: Any = "first", method: str = "auto") -> Any:
    return duplicated(self, None, keep, method)


@public("DataFrame.drop_duplicates", owners=["DataFrame"], doc=DISTINCT)
def drop_duplicates(
    self: Any,
    subset: Any = None,
    keep: Any = "first",
    inplace: bool = False,
    ignore_index: bool = False,
    method: str = "auto",
) -> Any:
    names = checked_subset(self, subset, keep, method)
    asked = [] if method in ("auto", "subset_tree") else [method]
    made = registry.make("frame.distinct", self, names, keep, *asked)
    return done(self, registry.make("frame.renumber", made) if ignore_index else made, inplace)


@public("Series.drop_duplicates", owners=["Series"], doc=DISTINCT)
def drop_duplicates_of_series(
    self: Any, keep: Any = "first", inplace: bool = False, ignore_index: bool = False, method: str = "auto"
) -> Any:
    return drop_duplicates(self, None, keep, inplace, ignore_index, method)


@public("Index.drop_duplicates", owners=["Index"], doc=DISTINCT)
def drop_duplicates_of_index(self: Any, keep: Any = "first", method: str = "auto") -> Any:
    return drop_duplicates(self, None, keep, method=method)


def _unique_values(parts: list[Any]) -> Any:
    return graph.concat(parts).drop_duplicates()


def _as_array(parts: list[Any]) -> Any:
    values = _unique_values(parts)
    return np.asarray(values.array if isinstance(values.dtype, pd.api.extensions.ExtensionDtype) else values)


def _array_dtype(dtype: Any) -> Any:
    return np.asarray(pd.Series(dtype=dtype).array).dtype


@lowered("frame.unique_values", meta=lambda frame: TensorMeta((math.nan,), _array_dtype(frame.empty.dtype)), traits=["labelless"],
           demands=lambda node, demand: [Demand(None, order=True, labels=meta(node.args[0]).kind == "Index")])  # fmt: skip
def unique_values(frame: Chunks) -> Any:
    """Values without duplicates as a tensor, in order of first appearance."""
    dtype = _array_dtype(frame.empty.dtype)
    parts = graph.per_chunk(partial(call, "drop_duplicates"), frame, lengths="unknown")
    return graph.to_array(graph.tree(parts, _unique_values, _as_array).with_lengths((math.nan,)), dtype=dtype)


@public("frame.unique", owners=["Series", "Index"])
def unique(self: Any, method: str = "tree") -> Any:
    """The values without duplicates, in order of first appearance: a tensor (of objects for nullable and text dtypes)."""
    checks.choice(method, "unique(method=)", ("tree", "auto", "shuffle"))
    if self.ndim != 1:
        raise ArgumentTypeError("unique() takes a series or an index")
    return registry.make("frame.unique_values", self)


@public("md.unique", function=True)
def unique_function(values: Any, method: str = "tree") -> Any:
    """The values of a series or index without duplicates, in order of first appearance: a tensor."""
    return unique(as_frame(values), method)
