"""Between tensors, series, indexes and frames: the same chunks of rows in another kind."""

from __future__ import annotations

import functools
import math
from collections.abc import Generator
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle
from marsdask.dataframe.making.creation import row_chunks
from marsdask.dataframe.rows.alignment import matched, pandas_on_samples, sampled, together
from marsdask.dataframe.rows.numbering import numbered
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Keep
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, sample
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def bounds_of(frame: Chunks) -> np.ndarray[Any, Any]:
    """Position of each chunk's first row in the whole, and the number of rows; lengths are known."""
    assert frame.lengths is not None
    return np.cumsum([0, *frame.lengths]).astype(int)


def _of_tensor(part: np.ndarray[Any, Any], columns: Any) -> Any:
    return pd.Series(part, name=columns) if part.ndim == 1 else pd.DataFrame(part, columns=columns)


def _from_tensor_meta(tensor: TensorMeta, columns: Any = None) -> FrameMeta:
    shape = tuple(0 if i == 0 else int(n) for i, n in enumerate(tensor.shape))
    empty = _of_tensor(np.empty(shape, tensor.dtype), columns)
    return FrameMeta(empty, tensor.shape[0], NEW, True)


@lowered("frame.from_tensor", meta=_from_tensor_meta, sizes="any")
def from_tensor(tensor: da.Array, columns: Any = None) -> Chunks:
    """A series or frame under the labels 0..n-1 over a tensor's chunks of rows."""
    if tensor.ndim == 2 and tensor.numblocks[1] > 1:
        tensor = tensor.rechunk({1: -1})
    return numbered(graph.per_chunk(_of_tensor, graph.from_array(tensor), columns))


def positional(frame: Chunks, other: Chunks) -> Generator[Any, Any, tuple[Chunks, Chunks]]:
    """Both with the same chunk lengths, row by row in order, whatever the labels."""
    unknown = [c for c in (frame, other) if not c.known]
    if unknown:
        kept = yield Keep(*unknown)
        found = dict(zip(map(id, unknown), kept if len(unknown) > 1 else (kept,), strict=True))
        frame, other = found.get(id(frame), frame), found.get(id(other), other)
    assert frame.lengths is not None
    assert other.lengths is not None
    checks.same_length(sum(other.lengths), sum(frame.lengths))
    if frame.lengths != other.lengths:
        other = graph.regroup(other, graph.row_ranges(other.lengths, frame.lengths))
    return frame, other


def _labelled(chunk: Any, labels: Any) -> Any:
    return chunk.set_axis(labels if isinstance(labels, pd.Index) else pd.Index(labels), axis=0)


def _set_labels_meta(frame: FrameMeta, labels: FrameMeta) -> FrameMeta:
    empty = _labelled(frame.empty, labels.empty)
    checks.same_length(labels.length, frame.length)
    return frame_meta(empty, frame.length, NEW)


@lowered("frame.set_labels", meta=_set_labels_meta)
def set_labels(frame: Chunks, labels: Chunks) -> Any:
    """The frame under other labels, by position."""
    frame, labels = yield from positional(frame, labels)
    return graph.per_chunk(_labelled, frame, labels)


def row_labels(chunk: Any) -> pd.Index:
    """The labels of a chunk's rows; an index' chunk is them itself."""
    return chunk if isinstance(chunk, pd.Index) else chunk.index


@lowered("frame.labels", demands=lambda node, mine: [Demand(frozenset())],
           meta=lambda frame: frame.same(row_labels(frame.empty)))  # fmt: skip
def labels(frame: Chunks) -> Chunks:
    """The row labels as an index."""
    return graph.per_chunk(row_labels, frame)


def _labels_as_series(labels: pd.Index) -> pd.Series:
    return pd.Series(labels, index=labels, name=labels.name).reset_index(drop=True)


@lowered("frame.labels_as_series",
           meta=lambda labels: frame_meta(_labels_as_series(labels.empty), labels.length, NEW, ranged=True))  # fmt: skip
def labels_as_series(labels: Chunks) -> Chunks:
    """An index's labels as the values of a series labelled 0..n-1."""
    return numbered(graph.per_chunk(_labels_as_series, labels))


@lowered("frame.series_as_index",
           meta=lambda series: frame_meta(pd.Index(series.empty), series.length, NEW))  # fmt: skip
def series_as_index(series: Chunks) -> Chunks:
    """A series' values as labels."""
    return graph.per_chunk(pd.Index, series)


def _renamed_index(chunk: Any, names: list[Any]) -> Any:
    index = row_labels(chunk).set_names(names)
    return index if isinstance(chunk, pd.Index) else chunk.set_axis(index, axis=0)


@lowered("frame.index_named",
           meta=lambda frame, names: frame_meta(_renamed_index(frame.empty, names), frame.length, frame.rows,
                                                ranged=frame.ranged and names == [None]))  # fmt: skip
def index_named(frame: Chunks, names: list[Any]) -> Chunks:
    """The same rows with other names of the index levels."""
    return graph.per_chunk(_renamed_index, frame, names)


@lowered("frame.index_as",
           meta=lambda index, dtype: frame_meta(index.empty.astype(dtype), index.length, index.rows))  # fmt: skip
def index_as(index: Chunks, dtype: Any) -> Chunks:
    """Labels of another dtype."""
    return graph.per_chunk(pd.Index.astype, index, dtype)


@lowered("frame.cut",
           meta=lambda frame, chunk_size, num_partitions: frame_meta(frame.empty, frame.length, Rows(), ranged=frame.ranged))  # fmt: skip
def cut(frame: Chunks, chunk_size: Any, num_partitions: Any) -> Any:
    """The same rows in chunks of another size."""
    if not frame.known:
        frame = yield Keep(frame)
    assert frame.lengths is not None
    new = row_chunks(int(sum(frame.lengths)), 1, chunk_size, num_partitions)
    return graph.regroup(frame, graph.row_ranges(frame.lengths, new))


@public("frame.from_columns", room="engine", function=True)
def from_columns(names: list[Any], base: Any, values: list[Any]) -> Any:
    """A frame of series on the same rows (else aligned, in one chunk), tensors and scalars."""
    handles = [
        v if isinstance(v, Handle) or np.isscalar(v) or v is None else _column(v, base) for v in values
    ]
    own = [v is base for v in values]
    base, handles, _ = together(base, handles, {})
    handles = [base if mine else h for mine, h in zip(own, handles, strict=True)]
    return registry.make("frame.from_columns", names, base, handles)


def _column(value: Any, base: Any) -> Any:
    if isinstance(value, (pd.Series, pd.DataFrame)):
        return value
    tensor = registry.CONVERTERS[registry.Array](value if not isinstance(value, range) else list(value))
    if tensor.dtype.kind not in "OUS":
        return tensor
    return registry.make("frame.relabelled_like", registry.make("frame.from_tensor", tensor), base)


def _column_frame(base: Any, names: list[Any], *values: Any) -> pd.DataFrame:
    return pd.DataFrame(
        dict(zip(names, values, strict=True)),
        index=None if any(isinstance(v, pd.Series) for v in values) else base.index,
    )


def _from_columns_meta(names: list[Any], base: FrameMeta, values: list[Any]) -> FrameMeta:
    aligned = [v for v in values if isinstance(v, FrameMeta)]
    for value in values:
        if isinstance(value, TensorMeta) and value.shape:
            checks.same_length(value.shape[0], base.length, "All arrays must be of the same length")
    if all(v.rows == base.rows for v in aligned):
        return base.same(pandas_on_samples(_column_frame, base, names, *values))
    indexes = [v.labels if v.labels is not None else v.empty.index for v in aligned]
    alike = all(i.equals(indexes[0]) for i in indexes)
    union = indexes[0] if alike else functools.reduce(pd.Index.union, indexes)
    known = all(v.labels is not None for v in aligned)
    empty = pd.DataFrame(
        {n: _aligned_sample(v, union if known else None) for n, v in zip(names, values, strict=True)}
    )
    empty = empty.iloc[:0].set_axis(union[:0], axis=0)
    return frame_meta(empty, len(union) if known else math.nan, Rows(), labels=union if known else None)


def _aligned_sample(value: Any, union: pd.Index | None) -> Any:
    """Two made-up values of a column, one of them missing where some of the labels have none."""
    if not isinstance(value, FrameMeta):
        return sampled(value)
    column = sample(value.empty).reset_index(drop=True)
    holes = union is not None and not union.isin(value.labels).all()
    return column.iloc[:1].reindex([0, 1]) if holes else column


@lowered("frame.from_columns", meta=_from_columns_meta)
def _columns_together(names: list[Any], base: Chunks, values: list[Any]) -> Any:
    base, tensors, _ = yield from matched(base, tuple(v for v in values if isinstance(v, da.Array)), {})
    left = iter(tensors)
    values = [next(left) if isinstance(v, da.Array) else v for v in values]
    keeps = base.known or all(getattr(v, "name", None) == base.name for v in values if isinstance(v, Chunks))
    return graph.per_chunk(_column_frame, base, names, *values, lengths="same" if keeps else "unknown")


@lowered("frame.relabelled_like",
           meta=lambda other, frame: frame.same(_labelled(other.empty, frame.empty.index)))  # fmt: skip
def relabelled_like(other: Chunks, frame: Chunks) -> Any:
    """The values of one series under the labels, and in the chunks, of a frame; by position."""
    frame, other = yield from positional(frame, other)
    return graph.per_chunk(_like, other, frame)


def _like(chunk: Any, frame: Any) -> Any:
    return _labelled(chunk, row_labels(frame))


def _array(chunk: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    return np.asarray(chunk.to_numpy(dtype=dtype))


@lowered("to_tensor", owners=["DataFrame", "Series", "Index"], function=False,
           demands=lambda node, mine: [Demand(labels=False)],
           meta=lambda frame: TensorMeta(frame.shape, _array(frame.empty).dtype))  # fmt: skip
def to_tensor(frame: Chunks) -> da.Array:
    """A Tensor of the values, in the common dtype of the columns; a copy."""
    empty = frame.empty
    dtype = _array(empty).dtype
    rest = (len(empty.columns),) if empty.ndim == 2 else ()
    return graph.to_array(graph.per_chunk(_array, frame, dtype), rest, dtype)


FrameHandle.values = property(
    lambda self: registry.make("to_tensor", self), doc="A Tensor of the values; a copy."
)  # type: ignore[attr-defined]
