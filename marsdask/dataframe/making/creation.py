"""Frames from data in memory, and between tensors, series, indexes and frames."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import Categorical, FrameHandle, as_frame, local
from marsdask.dataframe.making.cells import from_others, has_cells, of_cells
from marsdask.dataframe.rows.alignment import (
    cut_alike,
    is_ranged,
    matched,
    pandas_on_samples,
    renumber,
    row_labels,
    rows_of,
    sampled,
    together,
)
from marsdask.dataframe.rows.families import chunkwise
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, sample
from marsdask.plan.node import Data, Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public
from marsdask.session import room
from marsdask.tensor import chunking
from marsdask.tensor.core import Tensor, as_tensor

ARRAYS = "All arrays must be of the same length"


def row_chunks(
    length: int, row_bytes: float, chunk_size: Any = None, num_partitions: int | None = None, ndim: int = 2
) -> tuple[int, ...]:
    """Rows per chunk: as asked, else as many chunks as `room.chunk_count` says, cut evenly."""
    if num_partitions is not None:
        return chunking.cut(length, max(-(-length // checks.whole(num_partitions, "num_partitions", 1)), 1))
    wanted = chunking.requested(chunk_size if chunk_size is not None else options.chunk_size, ndim)
    if 1 in wanted and not isinstance(wanted[1], tuple):
        chunking.cut(1, wanted[1], 1)  # columns stay whole; a bad size is still an error
    if 0 in wanted:
        return chunking.cut(length, wanted[0])
    return room.evenly(length, room.chunk_count(length * row_bytes))


def _data_meta(data: Data, chunks: Any) -> FrameMeta:
    index = row_labels(data.value)
    return frame_meta(data.value, len(data.value), NEW, ranged=is_ranged(index), labels=index)


@lowered("frame_data", meta=_data_meta, traits=("data",))
def frame_data(data: Data, chunks: Any) -> Chunks:
    """pandas data in memory, cut into chunks of rows; never hashed."""
    bounds = np.cumsum([0, *(chunks or _row_chunks_of(data.value))]).tolist()
    cuts = [rows_of(data.value, slice(a, b)) for a, b in itertools.pairwise(bounds)]
    return graph.constants(cuts or [data.value])


def plain_index(labels: Any) -> pd.Index:
    """Labels as pandas has them; pd.Index itself would make tuples of several levels."""
    return labels if isinstance(labels, pd.Index) else pd.Index(labels)


def as_index(labels: Handle) -> Any:
    """An index of the values of a series or tensor; an index as it is."""
    found = as_frame(labels)
    return found if found.known.kind == "Index" else registry.make("frame.series_as_index", found)


def from_pandas(whole: Any, chunk_size: Any = None, num_partitions: Any = None) -> Any:
    """A handle on pandas data."""
    chunks = _row_chunks_of(whole, chunk_size, num_partitions, whole.ndim)
    return registry.wrap(Node("frame_data", (Data(whole), chunks)))


def _row_chunks_of(whole: Any, *asked: Any) -> tuple[int, ...]:
    return row_chunks(len(whole), graph.nbytes(whole) / max(len(whole), 1), *asked)


def check_host(name: str, gpu: Any, sparse: Any = None) -> None:
    """An error for `gpu=True` or `sparse=True`, which Mars had."""
    for argument, value in (("gpu", gpu), ("sparse", sparse)):
        if value:
            hint = f"leave {argument}=False: chunks are pandas objects in host memory."
            raise Unbuilt.argument(name, argument, value, hint)


@public("DataFrame", room="dataframe.constructors")
def _make_frame(
    data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    check_host("DataFrame", gpu, sparse)
    data, columns = from_others(data), local(columns)
    if isinstance(data, FrameHandle):
        data = data if data.ndim == 2 else _one_column(data, columns)
        made = (
            data.copy(deep=False) if columns is None else _call("frame.reindex", data, columns=list(columns))
        )
        made = made if index is None else _call("frame.reindex", made, index=local(index))
    elif isinstance(data, Handle):
        made = dataframe_from_tensor(data, index, columns)
    elif isinstance(data, Mapping) and any(isinstance(v, Handle) for v in data.values()):
        made = _frame_of_columns(data, index, columns)
    elif isinstance(data, list) and data and all(isinstance(v, Tensor) and v.ndim == 1 for v in data):
        made = from_tensor(_call("stack", data), index, columns)
    elif has_cells(data) or has_cells(index):
        made = of_cells(pd.DataFrame, data=data, index=index, columns=columns, dtype=dtype)
        return _rechunked(made, chunk_size, num_partitions)
    else:
        make = partial(pd.DataFrame, data, columns=columns, dtype=dtype, copy=copy)
        return _in_memory(make, index, chunk_size, num_partitions)
    return _rechunked(made, chunk_size, num_partitions, dtype)


def _call(name: str, /, *args: Any, **kwargs: Any) -> Any:
    return registry.call(registry.lookup(name), args, kwargs)


def _one_column(values: Any, columns: Any) -> Any:
    """A frame of a series or index; one that has a name is the column of that name, where there is one."""
    if columns is not None and values.name is not None and values.name not in columns:
        return from_pandas(pd.DataFrame(pd.Series(dtype=values.dtype, name=values.name), columns=columns))
    name = {} if values.name is not None else {"name": 0 if columns is None else columns[0]}
    if values.known.kind == "Index":
        return _call("Index.to_frame", values, index=False, **name)
    return _call("frame.to_frame", values, **name)


def _in_memory(make: partial[Any], index: Any, chunk_size: Any, num_partitions: Any) -> Any:
    """A handle on what pandas makes of data in memory, under labels that may be lazy: run where values go by label."""
    (data,) = make.args
    values = data.values() if isinstance(data, Mapping) and make.func is pd.DataFrame else [data]
    by_place = values and all(isinstance(v, (list, tuple, range, np.ndarray)) for v in values)
    lazy = isinstance(index, Handle) and by_place
    made = from_pandas(make(index=None if lazy else local(index)), chunk_size, num_partitions)
    return with_labels(made, index) if lazy else made


def _rechunked(made: Any, chunk_size: Any, num_partitions: Any, dtype: Any = None) -> Any:
    """A frame, of that dtype, in chunks of another size, each where it is given."""
    made = made if dtype is None else _call("frame.astype", made, dtype)
    if num_partitions is not None:
        return registry.make("frame.recut", made, None, num_partitions)
    return made if chunk_size is None else _call("frame.rechunk", made, chunk_size)


@public("Series", room="dataframe.constructors")
def _make_series(
    data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: Any = None,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    check_host("Series", gpu, sparse)
    data = from_others(data)
    if isinstance(data, FrameHandle):
        if data.ndim == 2:
            raise ArgumentTypeError("Series(data): a DataFrame is no single column. Hint: take df[name].")
        if data.known.kind == "Index":
            made = registry.make("frame.labels_as_series", data)
            made = made if index is None else with_labels(made, index)
        else:
            made = data if index is None else _call("frame.reindex", data, local(index))
        if name is not None:
            made = registry.make("frame.named", made, name)
    elif isinstance(data, Handle):
        if data.ndim > 1:
            raise ShapeError(f"Series(data): expected one dimension, got a tensor of {data.ndim}.")
        if data.ndim == 0:
            made = _frame_of_columns({0: data}, [0] if index is None else index, None)[0]
            made = registry.make("frame.named", made, name)
        else:
            made = from_tensor(data, index, name)
    elif has_cells(data) or has_cells(index):
        made = of_cells(pd.Series, data=data, index=index, dtype=dtype, name=name)
        return _rechunked(made, chunk_size, num_partitions)
    else:
        make = partial(pd.Series, data, dtype=dtype, name=name, copy=copy)
        return _in_memory(make, index, chunk_size, num_partitions)
    return _rechunked(made, chunk_size, num_partitions, dtype)


@public("Index", room="dataframe.constructors")
def _make_index(
    data: Any = None, dtype: Any = None, copy: bool = False, name: Any = None, tupleize_cols: bool = True,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, names: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    check_host("Index", gpu, sparse)
    data = from_others(data)
    if has_cells(data):
        data = of_cells(pd.Index, data=data, dtype=dtype, name=name)
    if isinstance(data, Handle):
        made = as_index(data)
        if name is not None or names is not None:
            made = registry.make("frame.index_named", made, [name] if name is not None else list(names))
        return _rechunked(made, chunk_size, num_partitions, dtype)
    several = isinstance(data, pd.MultiIndex) and dtype is None and name is None and tupleize_cols
    whole = (
        data if several else pd.Index(data, dtype=dtype, copy=copy, name=name, tupleize_cols=tupleize_cols)
    )
    if names is not None:
        whole = whole.set_names(names)
    return from_pandas(whole, chunk_size, num_partitions)


def with_labels(frame: Any, labels: Any) -> Any:
    """`frame` under other row labels: a list, array, tensor, series or index of its length."""
    labels = of_cells(pd.Index, data=labels) if has_cells(labels) else labels
    found = as_index(labels) if isinstance(labels, Handle) else from_pandas(plain_index(labels))
    return registry.make("frame.set_labels", frame, found)


def _frame_of_columns(data: Mapping[Any, Any], index: Any, columns: Any) -> Any:
    """A frame from a dict with lazy columns: series are aligned, everything else is positional."""
    if columns is not None:
        if missing := [c for c in columns if c not in data]:
            raise Unbuilt.argument("DataFrame", "columns", missing, "name only keys of the dict.")
        data = {c: data[c] for c in columns}
    lazy = [k for k, v in data.items() if isinstance(v, Handle)]
    if not any(data[k].ndim for k in lazy):
        return _with_scalars({k: v for k, v in data.items() if k not in lazy}, index, data)
    first = next((k for k in lazy if isinstance(data[k], FrameHandle)), lazy[0])
    head = data[first]
    base = as_frame(head)
    if base.known.kind == "Index":
        base = registry.make("frame.renumber", registry.make("frame.labels_as_series", base))
    if base.ndim != 1:
        raise ArgumentTypeError(f"DataFrame(data): the value of {first!r} is no single column.")
    made = from_columns(list(data), base, [base if k == first else v for k, v in data.items()])
    if index is None:
        return made
    if isinstance(head, FrameHandle) and head.known.kind == "Series":
        return _call("frame.reindex", made, index=local(index))
    return with_labels(made, index)


def _with_scalars(plain: dict[Any, Any], index: Any, data: Mapping[Any, Any]) -> Any:
    """A frame of data of which those not in `plain` are lazy numbers, the same in each row."""
    if index is None and not any(map(np.ndim, plain.values())):
        raise ArgumentError("If using all scalar values, you must pass an index")
    made = _in_memory(partial(pd.DataFrame, plain), index, None, None)
    for name in data.keys() - plain.keys():
        made[name] = data[name]
    return made[list(data)]


def from_tensor(tensor: Any, index: Any = None, columns: Any = None) -> Any:
    """A frame (2-d) or series (1-d) of a tensor under the labels 0..n-1 or those given."""
    if tensor.ndim == 0 or tensor.ndim > 2:
        raise ShapeError(f"a frame needs a tensor of 1 or 2 dimensions, got {tensor.ndim}.")
    if tensor.ndim == 2:
        width = tensor.shape[1]
        if math.isnan(width):
            raise ShapeError("a frame needs a known number of columns. Hint: execute() the tensor first.")
        columns = pd.RangeIndex(int(width)) if columns is None else pd.Index(columns)
        message = f"columns: {{given}} columns passed, the tensor of shape {tensor.shape} has {{expected}}"
        checks.same_length(len(columns), width, message)
    made = registry.make("frame.from_tensor", tensor, columns)
    return made if index is None else with_labels(made, index)


@public("dataframe_from_tensor")
def dataframe_from_tensor(
    tensor: Any, index: Any = None, columns: Any = None, gpu: Any = None, sparse: Any = None
) -> Any:
    """A DataFrame of a tensor; `index` may be lazy."""
    check_host("dataframe_from_tensor", gpu, sparse)
    handle = as_tensor(tensor)
    made = from_tensor(handle, index, local(columns) if handle.ndim == 2 else None)
    if handle.ndim == 1:
        made = _call("frame.to_frame", made, name=0 if columns is None else next(iter(local(columns))))
    return made


@public("series_from_tensor")
def series_from_tensor(
    tensor: Any, index: Any = None, name: Any = None, dtype: Any = None, gpu: Any = None, sparse: Any = None
) -> Any:
    """A Series of a 1-d tensor; `index` may be lazy."""
    return _make_series(as_tensor(tensor), index, dtype, name, gpu=gpu, sparse=sparse)


@public("series_from_index")
def series_from_index(ind: Any, index: Any = None, name: Any = None) -> Any:
    """A Series whose values are an Index's labels, under the same labels or those of `index`."""
    made = as_frame(ind)
    if made.known.kind != "Index":
        raise ArgumentTypeError(f"series_from_index(ind): expected an Index, got {type(ind).__name__}.")
    return _call("Index.to_series", made, index=index, name=name)


@public("from_records")
def from_records(
    data: Any, index: Any = None, exclude: Any = None, columns: Any = None, coerce_float: bool = False,
    nrows: int | None = None, gpu: Any = None, sparse: Any = False, chunk_size: Any = None,
) -> Any:  # fmt: skip
    """A DataFrame of records: a structured array, tuples or dicts; or of a 2-d tensor."""
    check_host("from_records", gpu, sparse)
    if isinstance(data, Handle) and not isinstance(data, FrameHandle):
        if data.dtype.names:
            data = data.to_numpy()
        else:
            made = from_tensor(data if nrows is None else data[:nrows], index, columns)
            return made if exclude is None else made.drop(columns=list(exclude))
    how = {
        "index": index,
        "exclude": exclude,
        "columns": columns,
        "coerce_float": coerce_float,
        "nrows": nrows,
    }
    if has_cells(data):
        return _rechunked(of_cells(pd.DataFrame.from_records, data=data, **how), chunk_size, None)
    return from_pandas(pd.DataFrame.from_records(data, **how), chunk_size)


@public("date_range")
def date_range(
    start: Any = None, end: Any = None, periods: int | None = None, freq: Any = None, tz: Any = None,
    normalize: bool = False, name: Any = None, closed: Any = None, inclusive: Any = None, chunk_size: Any = None,
    unit: Any = None,
) -> Any:  # fmt: skip
    """An Index of dates at a fixed frequency. `closed` is Mars's word for `inclusive`."""
    if closed is not None and inclusive is not None:
        raise ArgumentError("date_range: give closed= or inclusive=, not both.")
    inclusive = inclusive if inclusive is not None else closed or "both"
    known = {} if unit is None else {"unit": unit}
    whole = pd.date_range(start, end, periods, freq, tz, normalize, name, inclusive=inclusive, **known)
    return from_pandas(whole, chunk_size)


def _of_tensor(part: np.ndarray[Any, Any], columns: Any) -> Any:
    return pd.Series(part, name=columns) if part.ndim == 1 else pd.DataFrame(part, columns=columns)


def _from_tensor_meta(tensor: TensorMeta, columns: Any = None) -> FrameMeta:
    empty = np.empty([0, *map(int, tensor.shape[1:])], tensor.dtype)
    return frame_meta(_of_tensor(empty, columns), tensor.shape[0], NEW, ranged=True)


@lowered("frame.from_tensor", meta=_from_tensor_meta, sizes="any")
def _from_tensor(tensor: da.Array, columns: Any = None) -> Chunks:
    """A series or frame under the labels 0..n-1 over a tensor's chunks of rows."""
    return renumber(graph.per_chunk(_of_tensor, graph.from_array(tensor), columns))


def _labelled_like(chunk: Any, like: Any) -> Any:
    return chunk.set_axis(row_labels(like), axis=0)


def _set_labels_meta(frame: FrameMeta, labels: FrameMeta) -> FrameMeta:
    checks.same_length(labels.length, frame.length)
    return frame_meta(_labelled_like(frame.empty, labels.empty), frame.length, NEW)


@lowered("frame.set_labels", meta=_set_labels_meta, sizes="rows")
def set_labels(frame: Chunks, labels: Chunks) -> Chunks:
    """The frame under other labels, by position."""
    return graph.per_chunk(_labelled_like, frame, cut_alike(labels, frame))


@lowered(
    "frame.relabelled_like",
    meta=lambda other, frame: frame.same(_values_like(other.empty, frame.empty)),
    sizes="rows",
    traits=["placed"],
)
def relabelled_like(other: Chunks, frame: Chunks) -> Chunks:
    """The values of a series or an index under the labels, and in the chunks, of a frame; by position."""
    return graph.per_chunk(_values_like, cut_alike(other, frame), frame)


def labelled_like(values: Any, frame: Any, message: str) -> Any:
    """A handle: values, which go by position, as a series under a frame's labels; `message` is of another length."""
    checks.same_length(values.shape[0], frame.shape[0], message)
    return registry.make("frame.relabelled_like", as_frame(values), frame)


def as_series(values: Any) -> Any:
    """The labels of an index as a series under 0..n-1; a series as it is."""
    return values.to_series().reset_index(drop=True) if isinstance(values, pd.Index) else values


def _values_like(chunk: Any, like: Any) -> Any:
    return _labelled_like(as_series(chunk), like)


chunkwise("frame.labels", row_labels, demands=lambda node, mine: [Demand(frozenset())])
chunkwise(
    "frame.series_as_index",
    pd.Index,
    meta=lambda series: frame_meta(pd.Index(series.empty), series.length, NEW),
)


@lowered("frame.labels_as_series",
           meta=lambda labels: frame_meta(as_series(labels.empty), labels.length, NEW, ranged=True))  # fmt: skip
def labels_as_series(labels: Chunks) -> Chunks:
    """An index's labels as the values of a series labelled 0..n-1."""
    return renumber(graph.per_chunk(as_series, labels))


def _renamed_index(chunk: Any, names: list[Any]) -> Any:
    index = row_labels(chunk).set_names(names)
    return index if isinstance(chunk, pd.Index) else chunk.set_axis(index, axis=0)


chunkwise(
    "frame.index_named",
    _renamed_index,
    meta=lambda frame, names: frame_meta(
        _renamed_index(frame.empty, names), frame.length, frame.rows, ranged=frame.ranged and names == [None]
    ),
)


@public("frame.from_columns", room="engine", function=True)
def from_columns(names: list[Any], base: Any, values: list[Any]) -> Any:
    """A frame of series on the same rows (else aligned, in one chunk), tensors and scalars."""
    handles = [_column(v, base) for v in values]
    together_with, handles, _ = together(base, handles, {})
    handles = [together_with if v is base else h for v, h in zip(values, handles, strict=True)]
    return registry.make("frame.from_columns", names, together_with, handles)


def _column(value: Any, base: Any) -> Any:
    """A column's values as a handle or a scalar; what pandas makes of a list is no tensor's dtype, nor are nullable values."""
    if isinstance(value, (Handle, pd.Series, pd.DataFrame)) and not isinstance(value, Categorical):
        return value
    if isinstance(value, Mapping):
        return pd.Series(value, dtype=None if value else "f8")  # its keys are labels
    if not pd.api.types.is_list_like(value):
        return value
    if isinstance(value, pd.MultiIndex):
        value = list(value)
    if type(value) is np.ndarray and value.dtype.kind not in "OUS":
        return as_tensor(value)
    return labelled_like(value if isinstance(value, Handle) else pd.Series(value), base, ARRAYS)


def _column_frame(base: Any, names: list[Any], *values: Any) -> pd.DataFrame:
    index = None if any(isinstance(v, pd.Series) for v in values) else base.index
    return pd.DataFrame(dict(zip(names, values, strict=True)), index=index)


def _from_columns_meta(names: list[Any], base: FrameMeta, values: list[Any]) -> FrameMeta:
    aligned = [v for v in values if isinstance(v, FrameMeta)]
    for value in values:
        if isinstance(value, TensorMeta) and value.shape:
            checks.same_length(value.shape[0], base.length, ARRAYS)
    if all(v.rows == base.rows for v in aligned):
        return base.same(pandas_on_samples(_column_frame, base, names, *values))
    first, *rest = [v.labels if v.labels is not None else v.empty.index for v in aligned]
    union = first if all(i.equals(first) for i in rest) else functools.reduce(pd.Index.union, rest, first)
    known = union if all(v.labels is not None for v in aligned) else None
    columns = {n: _aligned_sample(v, known) for n, v in zip(names, values, strict=True)}
    empty = pd.DataFrame(columns).iloc[:0].set_axis(union[:0], axis=0)
    return frame_meta(empty, math.nan if known is None else len(known), Rows(), labels=known)


def _aligned_sample(value: Any, union: pd.Index | None) -> Any:
    """Two made-up values of a column, one of them missing where some of the labels have none."""
    if not isinstance(value, FrameMeta):
        return sampled(value)
    column = sample(value.empty).reset_index(drop=True)
    holes = union is not None and not union.isin(value.labels).all()
    return column.iloc[:1].reindex([0, 1]) if holes else column


@lowered("frame.from_columns", meta=_from_columns_meta)
def _columns_together(names: list[Any], base: Chunks, values: list[Any]) -> Any:
    base, values, _ = yield from matched(base, values, {})
    keeps = base.known or all(getattr(v, "name", None) == base.name for v in values if isinstance(v, Chunks))
    return graph.per_chunk(_column_frame, base, names, *values, lengths="same" if keeps else "unknown")


FrameHandle.values = property(as_tensor, doc="A Tensor of the values; a copy.")  # type: ignore[attr-defined]
