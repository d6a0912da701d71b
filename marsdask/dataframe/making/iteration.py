"""Rows and values out of a frame: iteration in batches, tensors, `to_dict`, `info`, `memory_usage`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.rows.alignment import as_promised, bounds_of, has_fractions
from marsdask.dataframe.rows.families import ALL, BOTH, pandas_signature
from marsdask.errors import ArgumentError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, frame_meta
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def _batches(self: Any, batch_size: int | None, session: Any = None) -> Iterator[Any]:
    """pandas pieces of an executed frame: of `batch_size` rows, or its chunks."""
    if not self.is_executed():
        self.execute(session=session)
    if batch_size is None:
        bounds = bounds_of(self._result.collection).tolist() if len(self) else []
    else:
        bounds = [*range(0, len(self), batch_size), len(self)]
    for start, stop in itertools.pairwise(bounds):
        if start < stop:
            yield self.iloc[start:stop].fetch(session=session)


@public("DataFrame.iterrows", owners=["DataFrame"])
def iterrows(self: Any, batch_size: int = 1000, session: Any = None) -> Iterator[Any]:
    """The rows as (label, series), run first, fetched in batches."""
    size = checks.whole(batch_size, "iterrows(batch_size=)", 1)
    return (row for part in _batches(self, size, session) for row in part.iterrows())


@public("DataFrame.itertuples", owners=["DataFrame"])
def itertuples(
    self: Any, index: bool = True, name: Any = "Pandas", batch_size: int = 1000, session: Any = None
) -> Iterator[Any]:
    """The rows as named tuples, run first, fetched in batches."""
    size = checks.whole(batch_size, "itertuples(batch_size=)", 1)
    return (row for part in _batches(self, size, session) for row in part.itertuples(index=index, name=name))


@public("frame.items", "frame.iteritems", owners=BOTH)
def items(self: Any, batch_size: int = 10000, session: Any = None) -> Iterator[Any]:
    """Columns as (name, lazy series); of a series (label, value), run first."""
    size = checks.whole(batch_size, "items(batch_size=)", 1)
    if self.ndim == 2:
        return ((name, self.iloc[:, i]) for i, name in enumerate(self.columns))
    return (item for part in _batches(self, size, session) for item in part.items())


@public("frame.iterbatch", owners=BOTH)
def iterbatch(self: Any, batch_size: int | None = None, session: Any = None) -> Iterator[Any]:
    """pandas pieces of `batch_size` rows, by default chunks, run first."""
    size = None if batch_size is None else checks.whole(batch_size, "iterbatch(batch_size=)", 1)
    return _batches(self, size, session)


@public(
    "frame.to_dict",
    owners=BOTH,
    signature=pandas_signature("to_dict", batch_size=10000, session=None),
    direct=False,
)
def to_dict(self: Any, batch_size: int = 10000, session: Any = None, **how: Any) -> Any:
    """The data as a dict, run first."""
    checks.whole(batch_size, "to_dict(batch_size=)", 1)
    known = how if self.ndim == 2 else {k: v for k, v in how.items() if k == "into"}
    return self._run_and_fetch(session).to_dict(**known)


@public("frame.info", owners=BOTH, signature=pandas_signature("info"), direct=False)
def info(self: Any, **how: Any) -> None:
    """Prints what pandas' info prints of the whole; runs."""
    self._run_and_fetch().info(**how)


def _array(chunk: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """The values of a chunk, of this dtype."""
    found = np.asarray(chunk.to_numpy())
    if dtype is None or found.dtype == dtype:
        return found
    zoned = dtype.kind == "M" and isinstance(getattr(chunk, "dtype", None), pd.DatetimeTZDtype)
    if zoned or has_fractions(found, dtype):  # on which all that a tensor does next relies
        raise ArgumentError(
            f"to_tensor(): {dtype} was told before the run, and the values are {getattr(chunk, 'dtype', found.dtype)}. "
            "Hint: say dtype= where a function makes them, or execute() the frame first."
        )
    return np.asarray(chunk.to_numpy(dtype=dtype))


@public("to_tensor", owners=["DataFrame", "Series"], function=False)
def to_tensor(self: Any, dtype: Any = None) -> Any:
    """A Tensor of the values, in the common dtype of the columns or `dtype`; a copy."""
    made = registry.make("to_tensor", self)
    return made if dtype is None else made.astype(dtype)


@public("Index.to_tensor", owners=["Index"])
def index_to_tensor(self: Any, dtype: Any = None, extract_multi_index: bool = False) -> Any:
    """A Tensor of the labels; a copy. With `extract_multi_index` several levels are its columns, and not tuples."""
    levels = checks.flag(extract_multi_index, "to_tensor(extract_multi_index=)")
    several = isinstance(self.known.shown, pd.MultiIndex)
    return to_tensor(self.to_frame(index=False) if levels and several else self, dtype)


# pandas gives the columns one after the other.
@lowered("to_tensor", demands=lambda node, mine: [Demand(labels=False)],
           meta=lambda frame: TensorMeta(frame.shape, _array(frame.empty).dtype, "F" if frame.ndim > 1 else "C"))  # fmt: skip
def _to_tensor(frame: Chunks) -> da.Array:
    made = _array(frame.empty)
    return graph.to_array(graph.per_chunk(_array, frame, made.dtype), made.shape[1:], made.dtype)


@public("Series.keys", owners=["Series"])
def keys(self: Any) -> Any:
    """The row labels, lazily."""
    return self.index


def _usage_meta(self: FrameMeta, index: bool = True, deep: bool = False) -> Any:
    if self.kind == "DataFrame":
        made = self.empty.memory_usage(index=index, deep=deep)
        return frame_meta(made, len(made), Rows(), labels=made.index)
    return TensorMeta((), np.dtype("i8"))


@lowered("frame.memory_usage", room="dataframe", owners=ALL, function=False, meta=_usage_meta,
           demands=lambda node, mine: [Demand()])  # fmt: skip
def memory_usage(self: Chunks, index: bool = True, deep: bool = False) -> Any:
    """Bytes by column (of a series: in all). Labels 0..n-1 count once."""
    empty = self.empty
    ranged = index and not isinstance(empty, pd.Index) and isinstance(empty.index, pd.RangeIndex)
    parts = graph.per_chunk(_usage, self, index and not ranged, deep, lengths=None)
    total = graph.tree(parts, sum)
    if ranged:
        total = graph.per_chunk(_with_range, total, lengths=None)
    return as_promised(total)


def _usage(chunk: Any, index: bool, deep: bool) -> Any:
    used = chunk.memory_usage(**({} if isinstance(chunk, pd.Index) else {"index": index}), deep=deep)
    return used if isinstance(used, pd.Series) else np.int64(used)


def _with_range(used: Any) -> Any:
    size = pd.RangeIndex(1).memory_usage()
    by_column = isinstance(used, pd.Series)
    return pd.concat([pd.Series([size], index=["Index"]), used]) if by_column else used + size
