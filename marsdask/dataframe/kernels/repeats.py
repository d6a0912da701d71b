"""Which rows equal others: pandas' `duplicated`, by one whole number for all keys of a row."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from marsdask.dataframe.kernels import groups, hashes, texts
from marsdask.dataframe.kernels.keys import NAT, WIDEST, whole

FEWEST = 1 << 12
"""Rows below which pandas is as quick."""
SMALL, SPARSE = 1 << 16, 4
"""A table by number has up to 4 places a row (2**16 are always fine): 4 ns a row, a hash table takes 7 to 35."""

Keep: TypeAlias = Literal["first", "last", False]


def duplicated(rows: Any, keep: Keep) -> np.ndarray:
    """Whether each row of a frame, series or index equals an earlier one (`"last"`: a later, False: any)."""
    many = isinstance(rows, (pd.Series, pd.DataFrame)) and len(rows) >= FEWEST
    found = packed(_columns(rows)) if many else None
    if found is None:
        return np.asarray(rows.duplicated(keep=keep))
    code, total = found
    if total <= max(SPARSE * len(code), SMALL):
        return _direct(code, total, keep)
    return of_numbers(code, keep)


def of_numbers(numbers: np.ndarray, keep: Keep) -> np.ndarray:
    """The same of whole numbers, which may be far apart."""
    if not hashes.mostly_distinct(numbers):
        return _hashed(numbers, keep)
    repeats = np.empty(len(numbers), dtype=bool)
    for rows in hashes.parts(numbers):
        repeats[rows] = _hashed(numbers.take(rows), keep)
    return repeats


def deciding(rows: Any, keep: Keep) -> np.ndarray:
    """Which rows of a part say all that other parts need to know of it: of equal ones the first, the last, or (False) these two."""
    if keep is not False:
        return ~duplicated(rows, keep)
    return ~(duplicated(rows, "first") & duplicated(rows, "last"))


def counted(keys: list[pd.Series]) -> tuple[list[pd.Series], np.ndarray] | None:
    """The distinct keys of rows in order of first appearance, and how often each is there; None: pandas does better."""
    known = [texts.NUMBERS.of(key) for key in keys]
    plain = [key if told is None else pd.Series(told.codes) for told, key in zip(known, keys, strict=True)]
    found = groups.numbered(plain, sort=False) if len(keys[0]) >= FEWEST else None
    return None if found is None else ([key.take(found.rows) for key in keys], found.sizes())


def _columns(rows: Any) -> list[pd.Series]:
    return [rows] if rows.ndim == 1 else [rows.iloc[:, i] for i in range(rows.shape[1])]


def packed(keys: list[pd.Series]) -> tuple[np.ndarray, int] | None:
    """One number from 0 on for the keys of each row, equal where they all are, and how many there may be; None: pandas does better."""
    code, total = None, 1
    for key in keys:
        found = _coded(key, alone=len(keys) == 1)
        if found is None:
            return None
        if code is None:
            code, total = found
            continue
        if total * found[1] >= WIDEST:  # there are no more of them than rows
            code, unique = pd.factorize(code)
            total = len(unique)
        code, total = code * found[1] + found[0], total * found[1]
    return None if code is None or total >= WIDEST else (code, total)


def _coded(key: pd.Series, *, alone: bool) -> tuple[np.ndarray, int] | None:
    dtype: Any = key.dtype
    numbers = None
    if isinstance(dtype, pd.CategoricalDtype):
        numbers = key.array.codes  # type: ignore[union-attr]
    elif isinstance(dtype, np.dtype) and dtype.kind in "iubmM":
        numbers = whole(key)
    elif texts.askable(dtype):
        known = texts.NUMBERS.of(key)
        found = groups.numbered([key], sort=False) if known is None else None
        numbers = known.codes if known else found.number if found else None
    elif alone:
        return None
    if numbers is not None:
        low, high = int(numbers.min()), int(numbers.max())
        near = high - low < SPARSE * len(numbers) or hashes.mostly_distinct(numbers)
        if near and high - low < WIDEST and (low != NAT or dtype.kind not in "mM"):
            if 0 <= low <= high // 2:  # nothing to take away: that would be a copy
                return numbers.astype(np.int64, copy=False), high + 1
            return np.subtract(numbers, low, dtype=np.int64), high - low + 1
        if alone:
            return None
    codes, unique = pd.factorize(key)
    return codes + 1, len(unique) + 1


def _direct(code: np.ndarray, total: int, keep: Keep) -> np.ndarray:
    """By a table of all numbers."""
    if keep is False:
        return (np.bincount(code, minlength=total) > 1).take(code)
    there = np.zeros(total, bool)
    there[code] = True
    repeats = np.ones(len(code), dtype=bool)
    ahead = code if keep == "first" else code[::-1]
    (repeats if keep == "first" else repeats[::-1])[
        groups.first_rows(ahead, total, np.flatnonzero(there))
    ] = False
    return repeats


def _hashed(code: np.ndarray, keep: Keep) -> np.ndarray:
    return pd.Series(code, copy=False).duplicated(keep=keep).to_numpy()


def added(counts: pd.Series) -> pd.Series:
    """Counts of values that are there several times, added up, in the order of first appearance."""
    index = counts.index
    if index.dtype != object or isinstance(index, pd.MultiIndex):
        return counts.groupby(level=0, sort=False, dropna=False, observed=True).sum()
    # A groupby makes one of None, nan and NaT, which pandas counts apart.
    values = pd.Index(pd.unique(index.to_numpy()), dtype=object, name=index.name)
    total = np.zeros(len(values), dtype=counts.dtype)
    np.add.at(total, values.get_indexer(index), counts.to_numpy())
    return pd.Series(total, index=values, name=counts.name)
