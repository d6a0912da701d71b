"""Frames to and from other libraries: dask.dataframe, Arrow streams."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import dask

from marsdask.dataframe.core import DataFrame, FrameHandle, Series
from marsdask.errors import ArgumentTypeError, MissingExtra
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, frame_meta
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import lowered, public


def _dataframe() -> Any:
    try:
        import dask.dataframe as dd
    except ImportError:
        raise MissingExtra.needed("dask[dataframe]", "dataframe", "exchange with dask.dataframe") from None
    return dd


def to_dask(self: FrameHandle) -> Any:
    """A `dask.dataframe` collection over the same chunks. Divisions are unknown: labels need not be sorted."""
    dd = _dataframe()
    parts = graph.delayed(self.collection())
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_delayed(parts, meta=self.known.empty, verify_meta=False, prefix="marsdask")


@public("dataframe.from_dask", function=True)
def from_dask(frame: Any) -> Any:
    """A frame over a `dask.dataframe` collection: the same partitions under the same labels, nothing run."""
    if isinstance(frame, FrameHandle):
        return frame
    dd = _dataframe()
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
    import pyarrow as pa

    if not frame.is_executed():
        frame.execute()
    for part in frame.iterbatch():
        table = part if part.ndim == 2 else part.to_frame()
        yield from pa.Table.from_pandas(table, schema=schema, preserve_index=False).to_batches()


def arrow_stream(frame: Any, requested_schema: Any = None) -> Any:
    """The Arrow PyCapsule protocol: chunk by chunk, run when the first batch is asked for; labels stay behind."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra.needed("pyarrow", "parquet", "the Arrow stream of a frame") from None
    empty = frame.known.empty
    schema = pa.Schema.from_pandas(empty if empty.ndim == 2 else empty.to_frame(), preserve_index=False)
    reader = pa.RecordBatchReader.from_batches(schema, _arrow_batches(frame, schema))
    return reader.__arrow_c_stream__(requested_schema)


DataFrame.__arrow_c_stream__ = Series.__arrow_c_stream__ = arrow_stream  # type: ignore[attr-defined]
FrameHandle.to_dask = to_dask  # type: ignore[attr-defined]
