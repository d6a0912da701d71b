"""The first or last rows of a sort are found without sorting all: a pass, and the operation that it puts in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.kernels import picked
from marsdask.dataframe.rows.alignment import tree
from marsdask.dataframe.sorting.sort import Sort
from marsdask.options import options
from marsdask.plan import graph, passes
from marsdask.plan.graph import Chunks
from marsdask.plan.late import late, whole
from marsdask.plan.meta import FrameMeta, Rows, frame_meta
from marsdask.plan.node import Node, rebuilt, walk
from marsdask.plan.registry import lowered


def few(roots: Sequence[Node]) -> list[Node]:
    """A short slice at one end of sorted rows, which nobody else looks at, becomes `frame.first_sorted`."""
    order = walk(roots)
    if not any(node.op == "frame.sorted" for node in order):
        return list(roots)
    users = passes.looked_at(roots, order)

    def change(node: Node, swap: passes.Swap) -> Node:
        count = _count(node)
        below = node.args[0] if count else None
        while below is not None and users[id(below)] == 1 and _keeps_rows(below, count):
            below = below.args[0]
        if below is None or below.op != "frame.sorted" or users[id(below)] > 1:
            return passes.meaning(node, rebuilt(node, swap))
        firsts = Node("frame.first_sorted", (swap(below.args[0]), below.args[1], count))
        return passes.meaning(node, _above(node.args[0], firsts))

    return passes.rewritten(roots, order, change)


passes.OF_ROOMS.append(few)


def _count(node: Node) -> int:
    """How many rows a node takes from the start of its frame, or below 0 from the end; 0: it is another operation, or takes many."""
    if node.op != "frame.rows_at" or type(node.args[1]) is not slice:
        return 0
    start, stop, step = node.args[1].start or 0, node.args[1].stop, node.args[1].step
    if step not in (None, 1):
        return 0
    count = (
        stop if start == 0 and stop is not None and stop > 0 else start if start < 0 and stop is None else 0
    )
    return count if abs(count) <= options.optimize.head_optimize_threshold else 0


def _keeps_rows(node: Node, count: int) -> bool:
    """Whether the first (last) rows of a node are its frame's, one by one."""
    return node.op == "frame.select" or (node.op == "frame.renumber" and count > 0)


def _above(top: Node, firsts: Node) -> Node:
    """What stood between a slice and the sorted rows, over their first rows."""
    if top.op == "frame.sorted":
        return firsts
    return Node(top.op, (_above(top.args[0], firsts), *top.args[1:]), top.kwargs)


def _first_meta(frame: FrameMeta, how: Sort, count: int) -> FrameMeta:
    return frame_meta(frame.empty, min(frame.length, abs(count)), Rows())  # of no known length: none


@lowered("frame.first_sorted", meta=_first_meta)
def first_sorted(frame: Chunks, how: Sort, count: int) -> Chunks:
    """The first rows of all in order, or below 0 the last: those of each chunk, joined in a tree."""
    graph.rule(f"sort: only the {'first' if count > 0 else 'last'} {abs(count)} rows of each chunk go on")
    does = partial(_of_chunk, how=how, count=count)
    if frame.count == 1:
        return graph.per_chunk(does, frame, lengths="unknown")
    return tree(graph.per_chunk(does, frame, lengths="unknown"), does)


@late
def _of_chunk(frame: Any, *, how: Sort, count: int) -> Any:
    some = picked.picked(frame) if how.by and {*how.by} <= {*getattr(frame, "columns", ())} else None
    if some is None:
        frame = whole(frame)
        return frame.iloc[_rows(how.order(how.thin(frame)), count)]
    thin = pd.DataFrame({name: some[name].array for name in dict.fromkeys(how.by)}, copy=False)
    return some.take(_rows(how.order(thin), count))


def _rows(order: np.ndarray, count: int) -> np.ndarray:
    return order[:count] if count > 0 else order[count:]
