"""Data as somebody gets them who may write into them: nobody else who holds the same data sees what is written.

pandas copies what is written where two objects share it, so most frames cost microseconds. What it does not guard is copied: arrays of
extension types, which `values` hands out, and cells that are lists.
"""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
from dask.base import tokenize

CELLS = frozenset(("mixed", "mixed-integer"))
"""What pandas calls a column of objects some of which are no plain values."""


def owned(value: Any) -> Any:
    """A value like this one that belongs to whoever gets it; of objects that are neither data nor containers, the same."""
    if isinstance(value, pd.DataFrame):
        return _frame(value)
    if isinstance(value, pd.Series):
        return value.copy(deep=False) if _guarded(value) else _column(value)
    if isinstance(value, pd.Index):
        return value.copy()
    if isinstance(value, np.ndarray):
        return copy.deepcopy(value) if value.dtype.hasobject else value.copy(order="K")
    if type(value) in (list, tuple, set):
        return type(value)(map(owned, value))
    if type(value) is dict:
        return {key: owned(item) for key, item in value.items()}
    sparse = hasattr(value, "dtype") and hasattr(value, "tocsr")
    return value.copy() if sparse else value


def independent(value: Any) -> Any:
    """As `owned`, and objects of any class are copied, if they can be."""
    if isinstance(value, (pd.DataFrame, pd.Series, pd.Index, np.ndarray)):
        return owned(value)
    with contextlib.suppress(Exception):  # of a lock, a file; copying runs anybody's code
        return copy.deepcopy(value)
    return value


def _frame(frame: pd.DataFrame) -> pd.DataFrame:
    mine = frame.copy(deep=False)
    for i, dtype in enumerate(frame.dtypes):
        if not (isinstance(dtype, np.dtype) and dtype.kind != "O") and not _guarded(frame.iloc[:, i]):
            mine.isetitem(i, _column(frame.iloc[:, i]))
    return mine


def _guarded(column: pd.Series) -> bool:
    """Whether pandas sees to it that a shallow copy of the column can be written into."""
    dtype = column.dtype
    if pd.api.types.is_object_dtype(dtype):
        return pd.api.types.infer_dtype(column, skipna=True) not in CELLS
    arrow = isinstance(dtype, pd.ArrowDtype) or getattr(dtype, "storage", "") == "pyarrow"
    return arrow or isinstance(dtype, np.dtype)


def _column(column: pd.Series) -> pd.Series:
    mine = column.copy()
    if mine.dtype == object:
        cells = np.empty(len(mine), dtype=object)
        for i, cell in enumerate(mine.array):
            cells[i] = independent(cell)
        mine = pd.Series(cells, mine.index, dtype=object, name=mine.name).__finalize__(mine)
    return mine


def guarded(array: da.Array) -> da.Array:
    """The same array over chunks that raise where somebody writes into them: Dask hands functions what is held."""
    name = f"{array.name.rpartition('-')[0] or 'array'}-{tokenize(array.name, 'guarded')}"
    return array.map_blocks(_read_only, dtype=array.dtype, meta=array._meta, name=name)


def _read_only(chunk: Any) -> Any:
    if not isinstance(chunk, np.ndarray):
        return chunk
    view = chunk.view()
    view.flags.writeable = False
    return view
