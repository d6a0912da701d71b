"""Group numbers of rows, found without hashing where the keys allow it.

Keys that take few values give small numbers directly: categories, booleans, whole numbers of a small range, text of one short
length by its bytes. Several keys make one number. pandas' own way, factorizing each key and then the pairs, took a third of
TPC-H q01; this takes a tenth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

MOST_GROUPS = 1 << 16
"""Numbers beyond this many are left to pandas: tables by number would not stay in cache."""

Coded = tuple[np.ndarray, Any]
"""Numbers from 0 on, and the values they stand for as a series; no number stands for a missing value."""


def together(keys: Sequence[Any]) -> tuple[np.ndarray, list[pd.Series]] | None:
    """A number for each row's keys, dense from 0 on, and the keys that each number stands for. None where pandas does better."""
    if not keys or not len(keys[0]):
        return None
    total: Any = None
    sizes: list[int] = []
    values: list[Any] = []
    for key in keys:
        coded = _coded(key)
        if coded is None:
            return None
        codes, found = coded
        sizes.append(len(found))
        values.append(found)
        if np.prod(sizes) > MOST_GROUPS:
            return None
        total = codes if total is None else total * len(found) + codes
    there = np.bincount(total, minlength=int(np.prod(sizes))) > 0
    dense = np.flatnonzero(there)
    if len(dense) < len(there):
        total = (np.cumsum(there) - 1)[total]
    return total, [
        v.iloc[at].reset_index(drop=True)
        for v, at in zip(values, np.unravel_index(dense, sizes), strict=True)
    ]


def _coded(key: Any) -> Coded | None:
    series = key if isinstance(key, pd.Series) else pd.Series(key)
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.array.codes
        if not len(dtype.categories) or codes.min() < 0:
            return None
        every = pd.Categorical.from_codes(np.arange(len(dtype.categories)), dtype=dtype)
        return codes.astype(np.intp), pd.Series(every)
    if isinstance(dtype, np.dtype):
        values = series.to_numpy()
        if dtype.kind == "b":
            return values.astype(np.intp), pd.Series([False, True])
        if dtype.kind in "iu" and len(values):
            low, high = int(values.min()), int(values.max())
            if high - low < MOST_GROUPS and abs(low) < 2**62:
                return (values - dtype.type(low)).astype(np.intp), pd.Series(
                    np.arange(low, high + 1).astype(dtype)
                )
        return None
    if isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow":
        return _text(series)
    return None


def _text(series: pd.Series) -> Coded | None:
    """Text of one length up to eight bytes, by its bytes."""
    import pyarrow as pa

    array = (
        pa.array(series.array)
        if not hasattr(series.array, "__arrow_array__")
        else series.array.__arrow_array__()
    )
    if isinstance(array, pa.ChunkedArray):
        if array.num_chunks != 1:
            return None
        array = array.chunk(0)
    if (
        array.null_count
        or not (pa.types.is_large_string(array.type) or pa.types.is_string(array.type))
        or not len(array)
    ):
        return None
    width = np.dtype("i8") if pa.types.is_large_string(array.type) else np.dtype("i4")
    _, offsets_at, data = array.buffers()
    offsets = np.frombuffer(offsets_at, width)[array.offset : array.offset + len(array) + 1]
    start, size = int(offsets[0]), int(offsets[1] - offsets[0])
    if (
        not 1 <= size <= 8
        or int(offsets[-1]) - start != size * len(array)
        or (np.diff(offsets) != size).any()
    ):
        return None
    letters = np.frombuffer(data, "u1", count=size * len(array), offset=start)
    if size == 1:
        there = np.bincount(letters, minlength=256) > 0
        numbers = (np.cumsum(there) - 1)[letters]
        found = [bytes([b]) for b in np.flatnonzero(there)]
    else:
        padded = np.zeros((len(array), 8), "u1")
        padded[:, :size] = letters.reshape(-1, size)
        numbers, unique = pd.factorize(padded.view("u8").ravel())
        found = [u.tobytes()[:size] for u in unique]
    return numbers.astype(np.intp, copy=False), pd.Series([f.decode() for f in found], dtype=series.dtype)
