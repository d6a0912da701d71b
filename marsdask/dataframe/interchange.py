"""Frames to and from other libraries: dask.dataframe, Arrow, narwhals, the interchange protocol."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, frame_meta
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import lowered, public


def to_dask(self: FrameHandle) -> Any:
    """A `dask.dataframe` collection over the same chunks. Divisions are unknown: labels need not be sorted."""
    return graph.to_frame(self.collection(), self.known.empty)


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


def _arrow_schema(frame: Any) -> Any:
    """Names and types, known without a run but for objects: theirs are what the values are."""
    empty = frame.known.empty
    schema = pa.Schema.from_pandas(empty, preserve_index=False)
    if pa.null() not in schema.types:
        return schema
    return pa.Schema.from_pandas(frame._run_and_fetch(), preserve_index=False)


def _arrow_batches(frame: Any, schema: Any) -> Iterator[Any]:
    for part in frame.iterbatch():  # runs it
        table = part.set_axis(schema.names, axis=1)  # Arrow's names are text
        yield from pa.Table.from_pandas(table, schema=schema, preserve_index=False).to_batches()


def arrow_stream(self: Any, requested_schema: Any = None) -> Any:
    """The Arrow PyCapsule protocol: chunk by chunk, run when the first batch is asked for; labels stay behind."""
    schema = _arrow_schema(self)
    reader = pa.RecordBatchReader.from_batches(schema, _arrow_batches(self, schema))
    return reader.__arrow_c_stream__(requested_schema)


def arrow_array(self: Any, type: Any = None) -> Any:
    """What `pa.array` makes of it; runs."""
    made = pa.Array.from_pandas(self._run_and_fetch(), type=type)
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def arrow_array_stream(self: Any, requested_schema: Any = None) -> Any:
    """The Arrow PyCapsule protocol, as pandas' series have it: a stream of arrays. Runs; labels stay behind."""
    return pd.Series(self._run_and_fetch()).__arrow_c_stream__(requested_schema)


def interchange_protocol(self: Any, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
    """The dataframe interchange protocol, which seaborn asks for; runs."""
    return pa.table(self).__dataframe__(nan_as_null=nan_as_null, allow_copy=allow_copy)


def narwhals_protocol(self: Any) -> Any:
    """What narwhals takes for a frame or series of its own, over the data as pandas; runs.

    So libraries that take "any frame" by way of narwhals, scikit-learn, altair and plotly, take ours.
    """
    import narwhals as nw

    pandas = nw.from_native(pd.DataFrame()).__narwhals_namespace__()
    return pandas.from_native(self._run_and_fetch())


DataFrame.__arrow_c_stream__ = arrow_stream  # type: ignore[attr-defined]
DataFrame.__dataframe__ = interchange_protocol  # type: ignore[attr-defined]
DataFrame.__narwhals_dataframe__ = narwhals_protocol  # type: ignore[attr-defined]
Series.__narwhals_series__ = narwhals_protocol  # type: ignore[attr-defined]
for kind in (Series, Index):
    kind.__arrow_c_stream__ = arrow_array_stream  # type: ignore[attr-defined]
    kind.__arrow_array__ = arrow_array  # type: ignore[attr-defined]
FrameHandle.to_dask = to_dask  # type: ignore[attr-defined]
