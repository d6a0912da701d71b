"""Frames from data in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from marsdask import graph, registry
from marsdask.dataframe.core import as_frame, frame_meta
from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.graph import Chunks
from marsdask.handle import Handle
from marsdask.meta import NEW, FrameMeta
from marsdask.node import Data, Node
from marsdask.options import options
from marsdask.registry import operation
from marsdask.tensor.chunking import cut, requested


def row_chunks(length: int, row_bytes: float, chunk_size: Any = None, num_partitions: int | None = None, ndim: int = 2) -> tuple[int, ...]:
    """Rows per chunk: as asked, else chunks of `options.chunk_store_limit` bytes."""
    if num_partitions is not None:
        if not isinstance(num_partitions, (int, np.integer)) or isinstance(num_partitions, bool) or num_partitions < 1:
            raise ArgumentError(f"num_partitions={num_partitions!r}: expected a whole number from 1 on.")
        return cut(length, max(-(-length // int(num_partitions)), 1))
    wanted = requested(chunk_size if chunk_size is not None else options.chunk_size, ndim)
    if 1 in wanted and not isinstance(wanted[1], tuple):
        cut(1, wanted[1], 1)  # columns stay whole; a bad size is still an error
    if 0 in wanted:
        return cut(length, wanted[0])
    return cut(length, max(int(options.chunk_store_limit // max(row_bytes, 1)), 1))


def is_ranged(index: pd.Index) -> bool:
    """Whether labels are 0..n-1."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def _data_meta(data: Data, chunks: Any) -> FrameMeta:
    index = data.value if isinstance(data.value, pd.Index) else data.value.index
    return frame_meta(data.value, len(data.value), NEW, ranged=is_ranged(index))


@operation("frame_data", room="engine", meta=_data_meta)
def frame_data(data: Data, chunks: Any) -> Chunks:
    """pandas data in memory, cut into chunks of rows; never hashed."""
    whole = data.value
    if chunks is None:
        per_row = graph.nbytes(whole) / max(len(whole), 1)
        chunks = row_chunks(len(whole), per_row)
    bounds = [0, *np.cumsum(chunks).tolist()]
    cuts = [whole[a:b] if isinstance(whole, pd.Index) else whole.iloc[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    return graph.constants(cuts or [whole])


def _check_mars(name: str, gpu: Any, sparse: Any) -> None:
    for argument, value in (("gpu", gpu), ("sparse", sparse)):
        if value:
            raise Unbuilt.argument(name, argument, value, f"leave {argument}=False; Dask chunks here are pandas objects in host memory.")


def from_pandas(whole: Any, chunk_size: Any, num_partitions: Any) -> Any:
    """A handle on pandas data."""
    per_row = graph.nbytes(whole) / max(len(whole), 1)
    chunks = row_chunks(len(whole), per_row, chunk_size, num_partitions, whole.ndim)
    return registry.wrap(Node("frame_data", (Data(whole), chunks)))


def _make_frame(
    data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    _check_mars("DataFrame", gpu, sparse)
    if isinstance(data, Handle):
        raise NotImplementedError
    return from_pandas(pd.DataFrame(data, index=index, columns=columns, dtype=dtype, copy=copy), chunk_size, num_partitions)


def _make_series(
    data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: Any = None,
    chunk_size: Any = None, gpu: Any = None, sparse: Any = None, num_partitions: int | None = None,
) -> Any:  # fmt: skip
    _check_mars("Series", gpu, sparse)
    if isinstance(data, Handle):
        raise NotImplementedError
    return from_pandas(pd.Series(data, index=index, dtype=dtype, name=name, copy=copy), chunk_size, num_partitions)


for _name, _make in (("DataFrame", _make_frame), ("Series", _make_series)):
    operation(_name, room="dataframe.constructors", prepare=_make)(_make)

_ = (as_frame, ArgumentTypeError, Mapping)
