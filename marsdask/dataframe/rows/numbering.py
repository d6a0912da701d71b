"""Which rows, in which order, under which labels: renumbering, and what carries positions through an exchange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered


def starts(frame: Chunks) -> Chunks | list[int]:
    """Position of each chunk's first row in the whole: known, or one task that adds lengths up. No question."""
    if frame.known:
        assert frame.lengths is not None
        return [0, *np.cumsum(frame.lengths).astype(int).tolist()]
    return graph.value(_starts, graph.lengths_of(frame), label="starts")


def _starts(lengths: Sequence[Any]) -> list[int]:
    return [0, *np.cumsum(lengths[0]).astype(int).tolist()]


def numbered(frame: Chunks, label: str | None = None) -> Chunks:
    """The same chunks under the labels 0..n-1 over the whole frame."""
    return graph.per_chunk(_relabel, frame, starts(frame), number=True, label=label)


def _relabel(i: int, chunk: Any, first: Sequence[int]) -> Any:
    index = pd.RangeIndex(first[i], first[i] + len(chunk))
    return index if isinstance(chunk, pd.Index) else chunk.set_axis(index, axis=0)


def _renumber_trim(node: Node, demand: Demand) -> Node:
    return node if demand.labels else node.args[0]


def _renumber_demands(node: Node, demand: Demand) -> list[Demand]:
    return [Demand(demand.columns, demand.order or demand.labels, labels=False)]


def _renumber_meta(frame: FrameMeta) -> FrameMeta:
    empty = frame.empty.set_axis(pd.RangeIndex(0), axis=0)
    return FrameMeta(empty, frame.length, NEW, ranged=True)


@lowered("frame.renumber", meta=_renumber_meta, trim=_renumber_trim, demands=_renumber_demands)
def renumber(frame: Chunks) -> Chunks:
    """The same rows under the labels 0..n-1. Dropped by a pass where nobody looks at labels."""
    return numbered(frame)
