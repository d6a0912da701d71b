"""Frames from data in memory, from tensors and from other frames."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NEW, FrameMeta, frame_meta
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import lowered, public
from marsdask.tensor.chunking import cut, requested


def row_chunks(
    length: int, row_bytes: float, chunk_size: Any = None, num_partitions: int | None = None, ndim: int = 2
) -> tuple[int, ...]:
    """Rows per chunk: as asked, else chunks of `options.chunk_store_limit` bytes."""
    if num_partitions is not None:
        parts = checks.whole(num_partitions, "num_partitions", 1)
        return cut(length, max(-(-length // parts), 1))
    wanted = requested(chunk_size if chunk_size is not None else options.chunk_size, ndim)
    if 1 in wanted and not isinstance(wanted[1], tuple):
        cut(1, wanted[1], 1)  # columns stay whole; a bad size is still an error
    if 0 in wanted:
        return cut(length, wanted[0])
    return cut(length, max(int(options.chunk_store_limit // max(row_bytes, 1)), 1))


def is_ranged(index: pd.Index) -> bool:
    """Whether labels are 0..n-1."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1 and index.name is None


def _data_meta(data: Data, chunks: Any) -> FrameMeta:
    index = data.value if isinstance(data.value, pd.Index) else data.value.index
    return frame_meta(data.value, len(data.value), NEW, ranged=is_ranged(index), labels=index)


def rows_of(chunk: Any, where: Any) -> Any:
    """Rows, or one of them, by position."""
    return chunk[where] if isinstance(chunk, pd.Index) else chunk.iloc[where]


@lowered("frame_data", meta=_data_meta, traits=("data",))
def frame_data(data: Data, chunks: Any) -> Chunks:
    """pandas data in memory, cut into chunks of rows; never hashed."""
    whole = data.value
    if chunks is None:
        chunks = row_chunks(len(whole), _row_bytes(whole))
    bounds = np.cumsum([0, *chunks]).tolist()
    cuts = [rows_of(whole, slice(a, b)) for a, b in itertools.pairwise(bounds)]
    return graph.constants(cuts or [whole])


def as_index(labels: Handle) -> Any:
    """An index of the values of a series or tensor; an index as it is."""
    found = as_frame(labels)
    return found if found.known.kind == "Index" else registry.make("frame.series_as_index", found)


def from_pandas(whole: Any, chunk_size: Any = None, num_partitions: Any = None) -> Any:
    """A handle on pandas data."""
    chunks = row_chunks(len(whole), _row_bytes(whole), chunk_size, num_partitions, whole.ndim)
    return registry.wrap(Node("frame_data", (Data(whole), chunks)))


def _row_bytes(whole: Any) -> float:
    return graph.nbytes(whole) / max(len(whole), 1)


def check_host(name: str, gpu: Any, sparse: Any = None) -> None:
    """An error for `gpu=True` or `sparse=True`, which Mars had."""
    for argument, value in (("gpu", gpu), ("sparse", sparse)):
        if value:
            raise Unbuilt.argument(
                name, argument, value, f"leave {argument}=False: chunks are pandas objects in host memory."
            )


@public("DataFrame", room="dataframe.constructors")
def _make_frame(
    data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    check_host("DataFrame", gpu, sparse)
    columns = _local(columns)
    if isinstance(data, FrameHandle):
        if data.ndim == 1:
            data = _call("frame.to_frame", data, **({} if columns is None else {"name": columns[0]}))
        made = data.copy() if columns is None else _call("frame.reindex", data, columns=list(columns))
        made = made if index is None else _call("frame.reindex", made, index=_local(index))
    elif isinstance(data, Handle):
        made = from_tensor(data, index, columns)
    elif isinstance(data, Mapping) and any(isinstance(v, Handle) for v in data.values()):
        made = _frame_of_columns(data, index, columns)
    else:
        make = partial(pd.DataFrame, data, columns=columns, dtype=dtype, copy=copy)
        return _labelled(make, index, chunk_size, num_partitions)
    return _rechunked(made, chunk_size, num_partitions, dtype)


def _call(name: str, /, *args: Any, **kwargs: Any) -> Any:
    return registry.call(registry.lookup(name), args, kwargs)


def _local(labels: Any) -> Any:
    """Column labels or the like as pandas has them: lazy ones are run."""
    return labels.to_pandas() if isinstance(labels, FrameHandle) else labels


def _labelled(make: Callable[..., Any], index: Any, chunk_size: Any, num_partitions: Any) -> Any:
    """A handle on what pandas makes of data in memory, under labels that may be lazy."""
    lazy = isinstance(index, Handle)
    made = from_pandas(make(index=None if lazy else index), chunk_size, num_partitions)
    return with_labels(made, index) if lazy else made


def _rechunked(made: Any, chunk_size: Any, num_partitions: Any, dtype: Any = None) -> Any:
    """A frame, of that dtype, in chunks of another size, each where it is given."""
    made = made if dtype is None else _call("frame.astype", made, dtype)
    if chunk_size is None and num_partitions is None:
        return made
    if num_partitions is None:
        return _call("frame.rechunk", made, chunk_size)
    return registry.make("frame.cut", made, chunk_size, num_partitions)


@public("Series", room="dataframe.constructors")
def _make_series(
    data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: Any = None,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    check_host("Series", gpu, sparse)
    if isinstance(data, FrameHandle):
        if data.ndim == 2:
            raise ArgumentTypeError("Series(data): a DataFrame is no single column. Hint: take df[name].")
        is_index = data.known.kind == "Index"
        made = registry.make("frame.labels_as_series", data) if is_index else data
        if index is not None and is_index:
            made = with_labels(made, index)
        elif index is not None:
            made = _call("frame.reindex", made, _local(index))
        if name is not None:
            made = registry.make("frame.named", made, name)
    elif isinstance(data, Handle):
        if data.ndim > 1:
            raise ShapeError(f"Series(data): expected one dimension, got a tensor of {data.ndim}.")
        made = from_tensor(data, index, name)
    else:
        make = partial(pd.Series, data, dtype=dtype, name=name, copy=copy)
        return _labelled(make, index, chunk_size, num_partitions)
    return _rechunked(made, chunk_size, num_partitions, dtype)


@public("Index", room="dataframe.constructors")
def _make_index(
    data: Any = None, dtype: Any = None, copy: bool = False, name: Any = None, tupleize_cols: bool = True,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, names: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    check_host("Index", gpu, sparse)
    if isinstance(data, Handle):
        made = as_index(data)
        made = made if dtype is None else registry.make("frame.index_as", made, dtype)
        if name is not None or names is not None:
            made = registry.make("frame.index_named", made, [name] if name is not None else list(names))
        return _rechunked(made, chunk_size, num_partitions)
    whole = pd.Index(data, dtype=dtype, copy=copy, name=name, tupleize_cols=tupleize_cols)
    if names is not None:
        whole = whole.set_names(names)
    return from_pandas(whole, chunk_size, num_partitions)


def with_labels(frame: Any, labels: Any) -> Any:
    """`frame` under other row labels: a list, array, tensor, series or index of its length."""
    if isinstance(labels, Handle):
        return registry.make("frame.set_labels", frame, as_frame(labels))
    whole = labels if isinstance(labels, pd.Index) else pd.Index(labels)
    checks.same_length(len(whole), frame.shape[0])
    return registry.make("frame.set_labels", frame, from_pandas(whole))


def _frame_of_columns(data: Mapping[Any, Any], index: Any, columns: Any) -> Any:
    """A frame from a dict with lazy columns: series are aligned, everything else is positional."""
    if columns is not None:
        missing = [c for c in columns if c not in data]
        data = {c: data[c] for c in columns if c in data}
        if missing:
            raise Unbuilt.argument("DataFrame", "columns", missing, "name only keys of the dict.")
    lazy = [k for k, v in data.items() if isinstance(v, Handle)]
    first = next((k for k in lazy if isinstance(data[k], FrameHandle)), lazy[0])
    head = data[first]
    base = head if isinstance(head, FrameHandle) else from_tensor(head, None, None)
    if base.known.kind == "Index":
        base = registry.make("frame.renumber", registry.make("frame.labels_as_series", base))
    if base.ndim != 1:
        raise ArgumentTypeError(f"DataFrame(data): the value of {first!r} is no single column.")
    values = [base if k == first else v for k, v in data.items()]
    made = registry.lookup("frame.from_columns").prepare(list(data), base, values)  # type: ignore[misc]
    if index is None:
        return made
    if isinstance(head, FrameHandle) and head.known.kind == "Series":
        return _call("frame.reindex", made, index=_local(index))
    return with_labels(made, index)


def from_tensor(tensor: Any, index: Any = None, columns: Any = None) -> Any:
    """A frame (2-d) or series (1-d) of a tensor under the labels 0..n-1 or those given."""
    if tensor.ndim == 0 or tensor.ndim > 2:
        raise ShapeError(f"a frame needs a tensor of 1 or 2 dimensions, got {tensor.ndim}.")
    if tensor.ndim == 2:
        width = tensor.shape[1]
        if width != width:
            raise ShapeError("a frame needs a known number of columns. Hint: execute() the tensor first.")
        columns = pd.RangeIndex(int(width)) if columns is None else pd.Index(columns)
        if len(columns) != width:
            raise ShapeError(
                f"columns: {len(columns)} columns passed, the tensor of shape {tensor.shape} has {int(width)}"
            )
    made = registry.make("frame.from_tensor", tensor, columns)
    return made if index is None else with_labels(made, index)


@public("dataframe_from_tensor")
def dataframe_from_tensor(
    tensor: Any, index: Any = None, columns: Any = None, gpu: Any = None, sparse: Any = None
) -> Any:
    """A DataFrame of a tensor; `index` may be lazy."""
    check_host("dataframe_from_tensor", gpu, sparse)
    handle = registry.CONVERTERS[registry.Array](tensor)
    made = from_tensor(handle, index, _local(columns) if handle.ndim == 2 else None)
    if handle.ndim == 1:
        made = _call("frame.to_frame", made, name=0 if columns is None else next(iter(_local(columns))))
    return made


@public("series_from_tensor")
def series_from_tensor(
    tensor: Any, index: Any = None, name: Any = None, dtype: Any = None, gpu: Any = None, sparse: Any = None
) -> Any:
    """A Series of a 1-d tensor; `index` may be lazy."""
    return _make_series(
        registry.CONVERTERS[registry.Array](tensor), index, dtype, name, gpu=gpu, sparse=sparse
    )


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
    whole = pd.DataFrame.from_records(
        data, index=index, exclude=exclude, columns=columns, coerce_float=coerce_float, nrows=nrows
    )
    return from_pandas(whole, chunk_size)


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
