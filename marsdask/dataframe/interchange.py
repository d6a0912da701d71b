"""Frames to and from other libraries: dask.dataframe, Arrow streams."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import dask
import pyarrow as pa

from marsdask.dataframe.core import DataFrame, FrameHandle, Series
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, frame_meta
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import lowered, public


def to_dask(self: FrameHandle) -> Any:
    """A `dask.dataframe` collection over the same chunks. Divisions are unknown: labels need not be sorted."""
    import dask.dataframe as dd

    parts = graph.delayed(self.collection())
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_delayed(parts, meta=self.known.empty, verify_meta=False, prefix="marsdask")


@public("dataframe.from_dask", function=True)
def from_dask(frame: Any) -> Any:
    """A frame over a `dask.dataframe` collection: the same partitions under the same labels, nothing run."""
    import dask.dataframe as dd

    if isinstance(frame, FrameHandle):
        return frame
    if not isinstance(frame, (dd.DataFrame, dd.Series, dd.Index)):
        raise ArgumentTypeError(
            f"from_dask(frame): expected a dask.dataframe collection, got {type(frame).__name__}."
        )
    return registry.wrap(Node("frame.from_dask", (Data(frame.to_delayed()), frame._meta)))


@lowered("frame.from_dask", meta=lambda parts, empty: frame_meta(empty, math.nan, NEW), traits=["theirs"])
def from_dask_chunks(parts: Data, empty: Any) -> Chunks:
    """The partitions of a dask.dataframe."""
    return graph.from_delayed(parts.value)


def _arrow_batches(frame: Any, schema: Any) -> Iterator[Any]:
    for part in frame.iterbatch():  # runs it
        table = part if part.ndim == 2 else part.to_frame()
        yield from pa.Table.from_pandas(table, schema=schema, preserve_index=False).to_batches()


def arrow_stream(frame: Any, requested_schema: Any = None) -> Any:
    """The Arrow PyCapsule protocol: chunk by chunk, run when the first batch is asked for; labels stay behind."""
    empty = frame.known.empty
    schema = pa.Schema.from_pandas(empty if empty.ndim == 2 else empty.to_frame(), preserve_index=False)
    reader = pa.RecordBatchReader.from_batches(schema, _arrow_batches(frame, schema))
    return reader.__arrow_c_stream__(requested_schema)


DataFrame.__arrow_c_stream__ = Series.__arrow_c_stream__ = arrow_stream  # type: ignore[attr-defined]
FrameHandle.to_dask = to_dask  # type: ignore[attr-defined]
