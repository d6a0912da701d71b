"""How matched rows of two frames come about, in pandas' order, planned from sizes.

The small side goes to every chunk of the other; two large sides meet by the hash of their keys and go home to the chunks of
the side whose order counts, unless nobody looks at the order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.dataframe.sorting import shuffle
from marsdask.dataframe.sorting.sort import Sort, in_order
from marsdask.errors import ArgumentError, MarsDaskError
from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Keep
from marsdask.plan.meta import FrameMeta, Rows, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered

BROADCAST_BYTES = 64 * 2**20
"""A side of up to this size goes to every chunk of the other; above, both sides are exchanged by key."""


class MergeError(ArgumentError, pd.errors.MergeError):
    """Arguments of a merge that do not fit each other."""


@dataclass(frozen=True)
class Merge:
    """How rows of two frames are matched: pandas' arguments, keys as lists of names; None where an index is the key."""

    how: str
    on: list[Any] | None
    left_on: list[Any] | None
    right_on: list[Any] | None
    left_index: bool
    right_index: bool
    sort: bool
    suffixes: Any
    indicator: Any
    validate: str | None

    @property
    def by_index(self) -> bool:
        return self.left_index or self.right_index

    @property
    def keys(self) -> tuple[list[Any] | None, list[Any] | None]:
        """The names of each side's keys."""
        return self.on or self.left_on, self.on or self.right_on

    @property
    def flipped(self) -> bool:
        """Whether the right side's order counts."""
        return self.how in ("right", "right_anti")

    @property
    def checked(self) -> bool:
        """Whether `validate` asks for more than one chunk of the side whose order counts can tell."""
        plain = ("1:m", "one_to_many") if self.flipped else ("m:1", "many_to_one")
        return self.validate not in (None, "m:m", "many_to_many", *plain)

    def of(self, left: Any, right: Any) -> Any:
        """pandas' merge."""
        return pd.merge(left, right, **vars(self))


def _merge_meta(
    left: FrameMeta, right: FrameMeta, spec: Merge, method: str, ordered: bool = True
) -> FrameMeta:
    try:
        result = pandas_on_samples(replace(spec, validate=None).of, left, right)
    except pd.errors.MergeError as error:
        raise error if isinstance(error, MarsDaskError) else MergeError(str(error)) from error
    return frame_meta(result, math.nan, Rows())


def _wanted(node: Node, demand: Demand) -> list[set[Any]]:
    """The columns of the two sides that show, or that rows are matched by."""
    columns = [list(meta(n).empty.columns) for n in node.args[:2]]
    if demand.columns is None:
        return [set(have) for have in columns]
    seen = demand.columns | ({*columns[0]} & {*columns[1]})
    return [
        {c for c in have if c in seen or c in (keys or ())}
        for have, keys in zip(columns, node.args[2].keys, strict=True)
    ]


def _merge_demands(node: Node, demand: Demand) -> list[Demand]:
    spec = node.args[2]
    order = demand.order or demand.labels
    found = []
    for child, columns, keys in zip(node.args[:2], _wanted(node, demand), spec.keys, strict=True):
        have = meta(child).empty.columns
        labels = spec.by_index or any(k not in have for k in keys or ())
        found.append(Demand(frozenset(columns) if have.is_unique else None, order, labels))
    return found


def _merge_trim(node: Node, demand: Demand) -> Node:
    left, right, spec, method, *ordered = node.args
    wanted = _wanted(node, demand)
    less = [_only(child, columns) for child, columns in zip((left, right), wanted, strict=True)]
    keep_order = demand.order or demand.labels
    if less[0] is left and less[1] is right and keep_order:
        return node
    return Node(node.op, (*less, spec, method, *(ordered if keep_order else (False,))))


def _only(child: Node, columns: set[Any]) -> Node:
    have = meta(child).empty.columns
    if not have.is_unique or columns >= set(have):
        return child
    return Node("frame.select", (child, [c for c in have if c in columns]))


@lowered("frame.merge", meta=_merge_meta, demands=_merge_demands, trim=_merge_trim)
def merge_rows(left: Chunks, right: Chunks, spec: Merge, method: str, ordered: bool = True) -> Any:
    """Matched rows of two frames; labels restart where columns are the keys (`frame.renumber` is put on top)."""
    how = spec.how
    if left.count == right.count == 1:
        return graph.per_chunk(spec.of, left, right, lengths="unknown")
    by_keys = (how == "outer" or spec.sort) and how != "cross"
    small = _small(left) and _small(right)
    if (by_keys and (small or spec.on is None)) or (spec.by_index and spec.flipped):
        graph.rule("merge: in one chunk, the result is sorted")
        return graph.per_chunk(spec.of, graph.gather(left), graph.gather(right), lengths="unknown")
    if by_keys:
        graph.rule("merge: both sides exchanged by key, the result sorted between sampled pivots")
        held = yield Keep(_exchanged(left, right, spec, ordered=False))
        return (yield from in_order(held, Sort(spec.on))) if ordered else held
    if how == "cross":
        method = "broadcast"
    other = left if spec.flipped else right
    if method == "auto" and (other.count > 1 or spec.checked):
        unknown = [c for c in (left, right) if not c.known]
        if unknown:
            kept = yield Keep(*unknown)
            found = dict(zip(map(id, unknown), kept if len(unknown) > 1 else (kept,), strict=True))
            left, right, other = (found.get(id(c), c) for c in (left, right, other))
    fits = method == "broadcast" or (method == "auto" and (other.count == 1 or _small(other)))
    if fits and not spec.checked:
        graph.rule("merge: one side to every chunk of the other")
        one = graph.gather(other)
        return graph.per_chunk(spec.of, *((one, right) if spec.flipped else (left, one)), lengths="unknown")
    graph.rule("merge: both sides exchanged by key")
    return _exchanged(left, right, spec, ordered=ordered and options.row_order == "pandas")


def _small(frame: Chunks) -> bool:
    return frame.known and sum(frame.lengths or ()) * shuffle.row_bytes(frame.empty) <= BROADCAST_BYTES


def _exchanged(left: Chunks, right: Chunks, spec: Merge, *, ordered: bool) -> Chunks:
    count = max(left.count, right.count)
    sides = list(zip((left, right), spec.keys, (spec.left_index, spec.right_index), strict=True))
    # Where columns are the keys of both sides, labels restart: they would be a quarter of what travels.
    labels = any(by_index or not set(keys or ()) <= set(f.empty.columns) for f, keys, by_index in sides)
    pieces = [
        shuffle.sent(
            f, [], partial(_key_values, names=None if by_index else keys), list, count, labels=labels
        )
        for f, keys, by_index in sides
    ]
    matched = graph.per_chunk(_matched, *pieces, spec=spec, placed=ordered, lengths="unknown")
    if not ordered:
        return matched
    main = right if spec.flipped else left
    return shuffle.home(matched, main.count, (math.nan,) * main.count, labels=labels)


def _key_values(frame: Any, others: Any, *, names: Any) -> list[Any]:
    if names is None:
        return [frame.index.get_level_values(i) for i in range(frame.index.nlevels)]
    return [frame[n] if n in frame.columns else frame.index.get_level_values(n) for n in names]


PLACE = "\x00marsdask-place"


def _places(pieces: list[shuffle.Piece]) -> np.ndarray:
    """Home chunk and row of each row in one number."""
    homes = np.array([piece[0] for piece in pieces], np.int64) << 40
    places = np.repeat(homes, [len(piece[1]) for piece in pieces])
    at = 0
    for _, rows, *_ in pieces:
        places[at : at + len(rows)] |= rows
        at += len(rows)
    return places


def _matched(left: Any, right: Any, *, spec: Merge, placed: bool) -> Any:
    """Rows of two sides that met; with the place of the row whose order counts."""
    frames = []
    for pieces, counts in ((left, not spec.flipped), (right, spec.flipped)):
        frame = graph.concat([piece[2] for piece in pieces])
        if counts and placed:
            frame = frame.assign(**{PLACE: _places(pieces)})
        frames.append(frame)
    result = spec.of(*frames)
    if not placed:
        return result
    places = result.pop(PLACE).to_numpy().astype("i8", copy=False)
    rows = places & ((1 << 40) - 1)
    homes = (places >> 40).astype("i4")
    return result, homes, shuffle.compact(rows, rows.max(initial=0) + 1)
