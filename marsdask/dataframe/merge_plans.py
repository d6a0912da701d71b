"""How matched rows of two frames come about, in pandas' order, planned from sizes.

The small side goes to every chunk of the other; two large sides meet by the hash of their keys and go home to the chunks of
the side whose order counts, unless nobody looks at the order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe import shuffle
from marsdask.dataframe.chunkwise import pandas_on_samples
from marsdask.dataframe.sort import in_order
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


def _pandas(left: Any, right: Any, spec: dict[str, Any]) -> Any:
    return pd.merge(left, right, **spec)


def _merge_meta(
    left: FrameMeta, right: FrameMeta, spec: dict[str, Any], method: str, ordered: bool = True
) -> FrameMeta:
    try:
        result = pandas_on_samples(partial(_pandas, spec={**spec, "validate": None}), left, right)
    except pd.errors.MergeError as error:
        raise error if isinstance(error, MarsDaskError) else MergeError(str(error)) from error
    return frame_meta(result, math.nan, Rows())


def _sides(spec: dict[str, Any], empty: Any, names: Sequence[str]) -> set[Any]:
    return {c for name in names for c in spec[name] or () if c in empty.columns}


def _wanted(node: Node, demand: Demand) -> tuple[set[Any], set[Any]]:
    """The columns of the two sides that show, or that rows are matched by."""
    left, right = (meta(n).empty for n in node.args[:2])
    spec = node.args[2]
    if demand.columns is None:
        return set(left.columns), set(right.columns)
    both = {c for c in left.columns if c in right.columns}
    mine = {c for c in left.columns if c in demand.columns or c in both} | _sides(
        spec, left, ("on", "left_on")
    )
    yours = {c for c in right.columns if c in demand.columns or c in both} | _sides(
        spec, right, ("on", "right_on")
    )
    return mine, yours


def _merge_demands(node: Node, demand: Demand) -> list[Demand]:
    mine, yours = _wanted(node, demand)
    spec = node.args[2]
    order = demand.order or demand.labels
    names = [*(spec["on"] or ()), *(spec["left_on"] or ())], [*(spec["on"] or ()), *(spec["right_on"] or ())]
    found = []
    for child, columns, keys in zip(node.args[:2], (mine, yours), names, strict=True):
        empty = meta(child).empty
        labels = spec["left_index"] or spec["right_index"] or any(k not in empty.columns for k in keys)
        found.append(Demand(frozenset(columns) if empty.columns.is_unique else None, order, labels))
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
def merge_rows(left: Chunks, right: Chunks, spec: dict[str, Any], method: str, ordered: bool = True) -> Any:
    """Matched rows of two frames; labels restart where columns are the keys (`frame.renumber` is put on top)."""
    how, empties = spec["how"], (left.empty, right.empty)
    if left.count == right.count == 1:
        return graph.per_chunk(_pandas, left, right, spec=spec, lengths="unknown")
    by_index = spec["left_index"] or spec["right_index"]
    by_keys = (how == "outer" or spec["sort"]) and how != "cross"
    small = _small(left, empties[0]) and _small(right, empties[1])
    if (by_keys and (small or spec["on"] is None)) or (by_index and how in ("right", "right_anti")):
        graph.rule("merge: in one chunk, the result is sorted")
        return graph.per_chunk(_pandas, graph.gather(left), graph.gather(right), spec=spec, lengths="unknown")
    if by_keys:
        graph.rule("merge: both sides exchanged by key, the result sorted between sampled pivots")
        held = yield Keep(_exchanged(left, right, spec, False, False))
        how_sorted = {"by": spec["on"], "ascending": True, "na_position": "last", "key": None}
        return (yield from in_order(held, how_sorted)) if ordered else held
    ordered = ordered and options.row_order == "pandas"
    flipped = how in ("right", "right_anti")
    main, other = (right, left) if flipped else (left, right)
    checks = spec["validate"] not in (None, "m:m", "many_to_many") and spec["validate"] not in (
        ("m:1", "many_to_one") if not flipped else ("1:m", "one_to_many")
    )
    if how == "cross":
        method = "broadcast"
    if (method == "auto" and other.count > 1) or (method == "auto" and checks):
        unknown = [c for c in (left, right) if not c.known]
        if unknown:
            kept = yield Keep(*unknown)
            found = dict(zip(map(id, unknown), kept if len(unknown) > 1 else (kept,), strict=True))
            left, right, main, other = (found.get(id(c), c) for c in (left, right, main, other))
    if not checks and (
        method == "broadcast"
        or (method == "auto" and (other.count == 1 or _small(other, empties[0 if flipped else 1])))
    ):
        graph.rule("merge: one side to every chunk of the other")
        one = graph.gather(other)
        sides = (one, main) if flipped else (main, one)
        return graph.per_chunk(_pandas, *sides, spec=spec, lengths="unknown")
    graph.rule("merge: both sides exchanged by key")
    return _exchanged(left, right, spec, ordered, flipped)


def _small(frame: Chunks, empty: Any) -> bool:
    return frame.known and sum(frame.lengths or ()) * shuffle.row_bytes(empty) <= BROADCAST_BYTES


def _exchanged(left: Chunks, right: Chunks, spec: dict[str, Any], ordered: bool, flipped: bool) -> Chunks:
    count = max(left.count, right.count)
    names = (spec["on"] or spec["left_on"], spec["on"] or spec["right_on"])
    # Where columns are the keys of both sides, labels restart: they would be a quarter of what travels.
    labels = any(
        by_index or not set(keys) <= set(frame.empty.columns)
        for frame, keys, by_index in zip(
            (left, right), names, (spec["left_index"], spec["right_index"]), strict=True
        )
    )
    pieces = [
        shuffle.sent(
            frame, [], partial(_key_values, names=None if by_index else keys), list, count, labels=labels
        )
        for frame, keys, by_index in (
            (left, names[0], spec["left_index"]),
            (right, names[1], spec["right_index"]),
        )
    ]
    matched = graph.per_chunk(
        _matched, *pieces, spec=spec, flipped=flipped, placed=ordered, lengths="unknown"
    )
    if not ordered:
        return matched
    main = right if flipped else left
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


def _matched(left: Any, right: Any, *, spec: dict[str, Any], flipped: bool, placed: bool) -> Any:
    """Rows of two sides that met; with the place of the row whose order counts."""
    frames = []
    for pieces, counts in ((left, not flipped), (right, flipped)):
        frame = graph.concat([piece[2] for piece in pieces])
        if counts and placed:
            frame = frame.assign(**{PLACE: _places(pieces)})
        frames.append(frame)
    result = _pandas(*frames, spec=spec)  # type: ignore[misc]
    if not placed:
        return result
    places = result.pop(PLACE).to_numpy().astype("i8", copy=False)
    rows = places & ((1 << 40) - 1)
    homes = (places >> 40).astype("i4")
    return result, homes, shuffle.compact(rows, rows.max(initial=0) + 1)
