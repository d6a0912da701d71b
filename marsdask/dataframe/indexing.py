"""Columns and rows: selection, filters, assignment."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from marsdask import graph, registry
from marsdask.dataframe.chunkwise import matched, pandas_on_samples, together
from marsdask.dataframe.core import FrameHandle, frame_meta
from marsdask.errors import ColumnNotFound
from marsdask.graph import Chunks
from marsdask.handle import held
from marsdask.meta import NEW, FrameMeta
from marsdask.node import Node, inputs
from marsdask.passes import Demand
from marsdask.registry import operation


def _getitem(frame: Any, key: Any) -> Any:
    """df[key]: a column, columns, or the rows a mask keeps."""
    if isinstance(key, FrameHandle):
        frame, (key,), _ = together(frame, [key], {})
        return registry.make("frame.filter", frame, key)
    if frame.ndim == 2:
        names = key if isinstance(key, list) else [key]
        for name in names:
            if name not in frame.columns:
                raise ColumnNotFound.among(name, frame.columns)
        return registry.make("frame.select", frame, key)
    raise NotImplementedError


def _columns_of(key: Any) -> frozenset[Any]:
    return frozenset(key if isinstance(key, list) else [key])


def _select_meta(frame: FrameMeta, key: Any) -> FrameMeta:
    return frame_meta(frame.empty[key], frame.length, frame.rows, ranged=frame.ranged)


@operation("frame.select", room="engine", meta=_select_meta,
           demands=lambda node, demand: [Demand(_columns_of(node.args[1]), demand.order, demand.labels)])  # fmt: skip
def select(frame: Chunks, key: Any) -> Chunks:
    """One column as a series, or a list of columns as a frame."""
    return graph.per_chunk(_pick, frame, key)


def _pick(chunk: Any, key: Any) -> Any:
    return chunk[key]


def _filter_demands(node: Node, demand: Demand) -> list[Demand]:
    return [Demand(demand.columns, demand.order, demand.labels), Demand(None, demand.order, demand.labels)][: len(inputs(node))]


def _filter_trim(node: Node, demand: Demand) -> Node:
    """Columns nobody looks at are dropped before the filter copies the rest."""
    frame, mask = node.args
    from marsdask.meta import meta

    known = meta(frame)
    if demand.columns is None or known.kind != "DataFrame" or demand.columns >= set(known.empty.columns):
        return node
    return Node("frame.filter", (Node("frame.select", (frame, [c for c in known.empty.columns if c in demand.columns])), mask))


@operation("frame.filter", room="engine", demands=_filter_demands, trim=_filter_trim, traits=["filter"],
           meta=lambda frame, mask: frame_meta(frame.empty, math.nan, NEW))  # fmt: skip
def filter(frame: Chunks, mask: Any) -> Any:
    """The rows where `mask` is true, in their order and under their labels."""
    frame, (mask,), _ = yield from matched(frame, (mask,), {})
    return graph.per_chunk(_pick, frame, mask, lengths="unknown")


def _setitem(frame: Any, key: Any, value: Any) -> None:
    frame2, (value,), _ = together(frame, [value], {})
    new = registry.make("frame.assign_column", frame2, key, value)
    frame.rebind(new.node, held(new))


def _assign_meta(frame: FrameMeta, key: Any, value: Any) -> FrameMeta:
    return frame_meta(pandas_on_samples(_with_column, frame, key, value), frame.length, frame.rows, ranged=frame.ranged)


def _assign_demands(node: Node, demand: Demand) -> list[Demand]:
    key = node.args[1]
    columns = None if demand.columns is None else demand.columns - {key}
    return [Demand(columns, demand.order, demand.labels), *([Demand(None, demand.order, demand.labels)] * (len(inputs(node)) - 1))]


def _assign_trim(node: Node, demand: Demand) -> Node:
    unseen = demand.columns is not None and node.args[1] not in demand.columns
    return node.args[0] if unseen else node


@operation("frame.assign_column", room="engine", meta=_assign_meta, demands=_assign_demands, trim=_assign_trim)
def assign_column(frame: Chunks, key: Any, value: Any) -> Any:
    """The frame with one column new or replaced."""
    frame, (value,), _ = yield from matched(frame, (value,), {})
    return graph.per_chunk(_with_column, frame, key, value)


def _with_column(chunk: pd.DataFrame, key: Any, value: Any) -> pd.DataFrame:
    chunk = chunk.copy(deep=False)
    chunk[key] = value
    return chunk


for name, prepare in (("getitem", _getitem), ("setitem", _setitem)):
    registry.operation(f"frame.{name}", room="engine", prepare=prepare)(lambda frame, key: frame)

