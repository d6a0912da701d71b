"""Equal rows and values: duplicated, drop_duplicates, unique, value_counts. In pandas' order, by first appearance.

Chunks drop their own duplicates first; what is left is joined in a tree, or exchanged by hash where it is much.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe import shuffle
from marsdask.dataframe.chunkwise import done
from marsdask.dataframe.core import as_frame
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Keep
from marsdask.plan.meta import FrameMeta, TensorMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, operation, public

METHODS = ("auto", "tree", "subset_tree", "shuffle")


def _checked(self: Any, subset: Any, keep: Any, method: Any) -> list[Any] | None:
    if not (keep is False or keep in ("first", "last")):
        raise ArgumentError(f"keep={keep!r}: expected 'first', 'last' or False.")
    if method not in METHODS:
        raise ArgumentError(
            f"drop_duplicates(method={method!r}): expected one of {', '.join(map(repr, METHODS))}."
        )
    if subset is None:
        return None
    columns = self.columns
    names = (
        [subset]
        if isinstance(subset, str)
        or not np.iterable(subset)
        or (isinstance(subset, tuple) and subset in columns)
        else list(subset)
    )
    for name in names:
        if name not in columns:
            raise ColumnNotFound.among(name, columns)
    return names


def _rows_of(frame: Any, subset: Any) -> Any:
    return frame if subset is None else frame[subset]


def _twice(frame: Any, subset: Any, keep: Any) -> Any:
    """Whether each row is a duplicate; a series under the rows' labels."""
    if isinstance(frame, pd.Index):
        return frame.duplicated(keep=keep)
    return (
        frame.duplicated(keep=keep)
        if frame.ndim == 1 or subset is None
        else frame.duplicated(subset, keep=keep)
    )


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
    return [
        Demand(
            None if subset is None else frozenset(subset), keep is not False or demand.order, demand.labels
        )
    ]


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
    if isinstance(frame.empty, pd.Index):
        flags = _flags(frame, keep)
        return graph.to_array(flags, dtype=bool)
    if frame.count == 1:
        return graph.per_chunk(_twice, frame, subset, keep)
    small = shuffle.is_small(frame, shuffle.row_bytes(frame.empty))
    rows = frame if subset is None else graph.per_chunk(_rows_of, frame, subset)
    return _flags(rows, keep, 1 if small else frame.count)


def _flags(rows: Chunks, keep: Any, count: int = 1) -> Chunks:
    met = shuffle.sent(rows, [], _keys, partial(_met_twice, keep=keep), count)
    return shuffle.home(met, rows.count, rows.lengths)


def _dropped(frame: Any, subset: Any, keep: Any) -> Any:
    mask = np.asarray(_twice(frame, subset, keep))
    return frame[~mask] if mask.any() else frame


def _dropped_of(parts: list[Any], *, subset: Any, keep: Any) -> Any:
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
    join = partial(_dropped_of, subset=subset, keep=keep)
    if method != "shuffle":
        graph.rule("drop_duplicates: tree")
        if keep is False:
            return graph.tree(parts, join, every=parts.count).with_lengths((math.nan,))
        return graph.tree(parts, join).with_lengths((math.nan,))
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


def _duplicated(self: Any, subset: Any = None, keep: Any = "first", method: str = "auto") -> Any:
    return registry.make("frame.is_duplicate", self, _checked(self, subset, keep, method), keep)


def _duplicated_one(self: Any, keep: Any = "first", method: str = "auto") -> Any:
    return _duplicated(self, None, keep, method)


def _drop(self: Any, subset: Any, keep: Any, inplace: Any, ignore_index: Any, method: str) -> Any:
    names = _checked(self, subset, keep, method)
    made = registry.make(
        "frame.distinct", self, names, keep, *([] if method in ("auto", "subset_tree") else [method])
    )
    return done(self, registry.make("frame.renumber", made) if ignore_index else made, inplace)


def _drop_frame(
    self: Any,
    subset: Any = None,
    keep: Any = "first",
    inplace: bool = False,
    ignore_index: bool = False,
    method: str = "auto",
) -> Any:
    return _drop(self, subset, keep, inplace, ignore_index, method)


def _drop_one(
    self: Any, keep: Any = "first", inplace: bool = False, ignore_index: bool = False, method: str = "auto"
) -> Any:
    return _drop(self, None, keep, inplace, ignore_index, method)


def _drop_index(self: Any, keep: Any = "first", method: str = "auto") -> Any:
    return _drop(self, None, keep, False, False, method)


for _owner, _flag, unique in (
    ("DataFrame", _duplicated, _drop_frame),
    ("Series", _duplicated_one, _drop_one),
    ("Index", _duplicated_one, _drop_index),
):
    _flag_doc, _unique_doc = (
        "Whether each row equals an earlier one (`keep='last'`: a later, `False`: any).",
        "Without rows that equal an earlier one, in order.",
    )
    for _name, _function, _doc in (
        ("duplicated", _flag, _flag_doc),
        ("drop_duplicates", unique, _unique_doc),
    ):
        registry.rewritten(
            f"{_owner}.{_name}", _doc, _function,
            room="dataframe", owners=(_owner,), function=False,
        )  # fmt: skip


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
    parts = graph.per_chunk(_own_unique, frame, lengths="unknown")
    return graph.to_array(graph.tree(parts, _unique_values, _as_array).with_lengths((math.nan,)), dtype=dtype)


def _own_unique(chunk: Any) -> Any:
    return chunk.drop_duplicates()


@public("frame.unique", owners=["Series", "Index"])
def unique(self: Any, method: str = "tree") -> Any:  # type: ignore[no-redef]
    """The values without duplicates, in order of first appearance: a tensor (of objects for nullable and text dtypes)."""
    if method not in ("tree", "auto", "shuffle"):
        raise ArgumentError(f"unique(method={method!r}): expected 'tree', 'auto' or 'shuffle'.")
    if self.ndim != 1:
        raise ArgumentTypeError("unique() takes a series or an index")
    return registry.make("frame.unique_values", self)


@operation(
    "md.unique",
    room="dataframe",
    prepare=lambda values, method="tree": unique(as_frame(values), method),
)
def unique_function(values: Any, method: str = "tree") -> Any:
    """The values of a series or index without duplicates, in order of first appearance: a tensor."""
