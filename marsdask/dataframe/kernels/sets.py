"""Sets of values, made once of all chunks and asked by every chunk of another series; answers are those of `isin`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from marsdask.dataframe.kernels.keys import DENSE, LARGEST, NAT, SPARSE, codable, whole


def settable(mine: Any, values: Any) -> bool:
    """Whether a series of one dtype is looked up in values of the other here, and not by pandas' own isin."""
    return mine == values and codable(mine) and isinstance(mine, np.dtype)


class Bits(NamedTuple):
    """Whole numbers from `lo` on, by whether each is there; and whether a missing date is."""

    lo: int
    there: np.ndarray
    null: bool


def part(values: pd.Series | pd.Index) -> Any:
    """The values of a chunk: as bits where they are dense, else each once."""
    if not codable(values.dtype) or not isinstance(values.dtype, np.dtype):
        return values.drop_duplicates()
    numbers, null = whole(values), False
    if values.dtype.kind in "mM" and (null := bool((numbers == NAT).any())):
        numbers = numbers[numbers != NAT]
    lo, hi = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, -1)
    if hi - lo >= min(max(SPARSE * len(numbers), DENSE), LARGEST):
        return values.drop_duplicates()
    there = np.zeros(hi - lo + 1, dtype=bool)
    there[numbers - lo] = True
    return Bits(lo, there, null)


class Members:
    """All values of a series; `of(series)` says which are among them."""

    def __init__(self, parts: Sequence[Any], dtype: Any):
        self.dtype = dtype
        self.bits: Bits | None = None
        self.values: Any = None
        dense = [p for p in parts if isinstance(p, Bits) and len(p.there)]
        null = any(p.null for p in parts if isinstance(p, Bits))
        lo = min((p.lo for p in dense), default=0)
        hi = max((p.lo + len(p.there) for p in dense), default=0)
        if len(dense) < sum(not isinstance(p, Bits) or len(p.there) > 0 for p in parts) or hi - lo > LARGEST:
            self.values = pd.concat([pd.Series(self._listed(p)) for p in parts]).drop_duplicates().array
            return
        there = np.zeros(hi - lo, dtype=bool)
        for p in dense:
            there[p.lo - lo : p.lo - lo + len(p.there)] |= p.there
        self.bits = Bits(lo, there, null)

    def __sizeof__(self) -> int:
        return int(self.values.nbytes if self.bits is None else self.bits.there.nbytes)

    def _listed(self, values: Any) -> Any:
        if not isinstance(values, Bits):
            return values.array
        numbers = np.flatnonzero(values.there) + values.lo
        if values.null:
            numbers = np.append(numbers, NAT)
        return numbers.view(self.dtype) if self.dtype.kind in "mM" else numbers.astype(self.dtype)

    def of(self, series: pd.Series) -> pd.Series:
        """Whether each element is among the values."""
        if self.bits is None or series.dtype != self.dtype:
            return series.isin(self.values if self.bits is None else self._listed(self.bits))
        lo, there, null = self.bits
        numbers = whole(series)
        at = numbers - lo if lo else numbers
        out = at.view("u8") >= np.uint64(len(there))
        if out.any():
            found = np.append(there, False).take(np.where(out, len(there), at))
        else:
            found = there.take(at)
        if null:
            found |= numbers == NAT
        return pd.Series(found, index=series.index, name=series.name, copy=False)
