"""Chunks of rows cut anew: rechunk and rebalance. Values, order and labels stay."""

from __future__ import annotations

import math
from typing import Any

from marsdask.dataframe.making.creation import row_chunks
from marsdask.dataframe.sorting.shuffle import row_bytes
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, Rows
from marsdask.plan.registry import lowered, public
from marsdask.session import get_default_or_create
from marsdask.tensor.chunking import requested


def _recut_meta(frame: FrameMeta, chunk_size: Any, num_partitions: Any) -> FrameMeta:
    by_bytes = chunk_size is None and num_partitions is None  # then the cuts depend on which columns are left
    return FrameMeta(frame.empty, frame.length, Rows() if by_bytes else NEW, frame.ranged, frame.labels)


@lowered("frame.recut", meta=_recut_meta, traits=["through"], sizes="rows")
def recut(frame: Any, chunk_size: Any, num_partitions: int | None) -> Chunks:
    """The same rows in chunks of other lengths."""
    lengths = row_chunks(int(sum(frame.lengths)), row_bytes(frame.empty), chunk_size, num_partitions)
    return graph.regroup(frame, graph.row_ranges(frame.lengths, lengths))


@public("frame.rechunk", owners=("DataFrame", "Series"))
def rechunk(self: Any, chunk_size: Any, reassign_worker: bool = False) -> Any:
    """The same frame in chunks of `chunk_size` rows (an entry for columns is checked and has no effect).

    `reassign_worker` is Mars's; Dask places chunks itself.
    """
    requested(chunk_size, self.ndim)
    if not math.isnan(self.known.length):
        row_chunks(int(self.known.length), 8, chunk_size, None, self.ndim)  # a bad size is told at once
    return registry.make("frame.recut", self, chunk_size, None)


@public("frame.rebalance", owners=("DataFrame", "Series"))
def rebalance(
    self: Any,
    factor: float | None = None,
    axis: Any = 0,
    num_partitions: int | None = None,
    reassign_worker: bool = True,
) -> Any:
    """The same frame in chunks of equal length: `num_partitions`, or `factor` times as many as tasks run at a time."""
    if axis not in (0, "index"):
        raise ArgumentError(f"rebalance(axis={axis!r}): expected 0; chunks hold whole rows.")
    if factor is not None and (
        not isinstance(factor, (int, float)) or isinstance(factor, bool) or factor <= 0
    ):
        raise ArgumentTypeError(f"rebalance(factor={factor!r}): expected a positive number.")
    count = num_partitions
    if count is None or factor is not None:
        count = max(round((factor or 1) * get_default_or_create().get_total_n_cpu()), 1)
    row_chunks(1, 8, None, count)
    return registry.make("frame.recut", self, None, count)
