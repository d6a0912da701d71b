"""Sets of values, made once of all chunks and asked by every chunk of another series; answers are those of `isin`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from marsdask.dataframe.kernels import repeats, texts
from marsdask.dataframe.kernels.keys import LARGEST, NAT, codable, whole

SPARSE = 256
DENSE = 2**24
"""Values are bits where these are no more than 256 a value, or 2**24 (2 MiB, and a table of 16 MiB that is made in a millisecond): a
lookup takes 2 to 8 ns, in a hash table 9 to 15."""

LOOKED_AT = 1 << 10
"""Values that tell, where they are far apart already, that all of them are."""
OWN = 64
"""The bits of a value itself: what a chunk hands on takes no more, nor does what is on the way from lists to bits, from 64 MiB on."""


def settable(mine: Any, values: Any) -> bool:
    """Whether a series of one dtype is looked up in values of the other here, and not by pandas' own isin."""
    return mine == values and _plain(mine)


def _plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and codable(dtype)


class Bits(NamedTuple):
    """Whole numbers from `lo` on, a multiple of 8, by whether each is there: a bit each.

    `null`: whether a missing date is. `values`: of so many, or fewer.
    """

    lo: int
    there: np.ndarray
    null: bool
    values: int

    @property
    def present(self) -> int:
        """How many values there are but for what is missing."""
        return int(np.bitwise_count(self.there).sum())

    @property
    def numbers(self) -> np.ndarray:
        """The values as whole numbers."""
        numbers = np.flatnonzero(np.unpackbits(self.there, bitorder="little")) + self.lo
        return np.append(numbers, NAT) if self.null else numbers


Part: TypeAlias = Bits | np.ndarray | pd.Series | pd.Index
"""Some of the values: bits where they are dense, whole numbers each once, or what pandas is to ask."""


def part(values: pd.Series | pd.Index) -> Part:
    """The values of a chunk, in no more bytes than they have there."""
    if not _plain(values.dtype):
        return _each_once(values)
    numbers = whole(values)
    bits = _as_bits(numbers, values.dtype, OWN * len(numbers))
    return _different(numbers) if bits is None else bits


def _different(numbers: np.ndarray) -> np.ndarray:
    return numbers[~repeats.of_numbers(numbers, "first")]


def _each_once(values: pd.Series | pd.Index) -> pd.Series | pd.Index:
    """Values without duplicates, in any order."""
    if isinstance(values, pd.Index):
        return values.drop_duplicates()
    known = texts.NUMBERS.of(values)
    if known is None:
        return pd.Series(pd.unique(values), dtype=values.dtype)
    there = np.zeros(len(known.texts), dtype=bool)
    there[known.codes] = True  # -1 is the last text, which is missing
    return known.texts[there]


def _as_bits(numbers: np.ndarray, dtype: Any, most: int) -> Bits | None:
    """Numbers as bits, if these are not more than `most`."""
    null, count = False, len(numbers)
    some = numbers[:: max(len(numbers) // LOOKED_AT, 1)]
    if len(some) and int(some.max()) - max(int(some.min()), NAT + 1) >= min(most, 8 * LARGEST):
        return None
    if dtype.kind in "mM" and (null := bool((numbers == NAT).any())):
        numbers = numbers[numbers != NAT]
    if not len(numbers):
        return Bits(0, np.zeros(0, np.uint8), null, count)
    lo, hi = int(numbers.min()) // 8 * 8, int(numbers.max())
    if hi - lo >= min(most, 8 * LARGEST):
        return None
    there = np.zeros((hi - lo) // 8 * 8 + 8, dtype=bool)
    there[numbers - lo] = True
    return Bits(lo, np.packbits(there, bitorder="little"), null, count)


def together(parts: Sequence[Part], dtype: Any) -> Part:
    """The values of several parts: as bits while these are few enough a value, else each once."""
    if any(isinstance(p, (pd.Series, pd.Index)) for p in parts):
        return _each_once(pd.concat([series(p, dtype) for p in parts]))
    bits = [p for p in parts if isinstance(p, Bits)]
    lists = [p for p in parts if isinstance(p, np.ndarray)]
    count = sum(map(len, lists)) + sum(p.values for p in bits)
    most = min(max(SPARSE * count, DENSE), 8 * LARGEST)
    at_once = min(most, max(OWN * sum(map(len, lists)), LARGEST))
    alone = _as_bits(np.concatenate(lists), dtype, at_once) if lists else None
    if alone is not None:
        bits.append(alone)
    ends = [(p.lo, p.lo + 8 * len(p.there)) for p in bits if len(p.there)]
    lo, hi = min((lo for lo, _ in ends), default=0), max((hi for _, hi in ends), default=0)
    if (lists and alone is None) or hi - lo > most + 8:
        numbers = [p.numbers if isinstance(p, Bits) else p for p in parts]
        return _different(np.concatenate(numbers))
    there = np.zeros((hi - lo) // 8, dtype=np.uint8)
    for p in bits:
        start = (p.lo - lo) // 8
        there[start : start + len(p.there)] |= p.there
    return Bits(lo, there, any(p.null for p in bits), count)


def listed(values: Part, dtype: Any) -> Any:
    """The values of a part as pandas' `isin` takes them."""
    if isinstance(values, (pd.Series, pd.Index)):
        return values.array
    numbers = values.numbers if isinstance(values, Bits) else values
    return numbers.view(dtype) if dtype.kind in "mM" else numbers.astype(dtype)


def series(values: Part, dtype: Any) -> pd.Series:
    """The values of a part as they are there."""
    own = values.dtype if isinstance(values, (pd.Series, pd.Index)) else dtype
    return pd.Series(listed(values, dtype), dtype=own)


class Members:
    """All values of a series; `of(series)` says which are among them."""

    def __init__(self, parts: Sequence[Part], dtype: Any):
        self.dtype = dtype
        self.values = together(parts, dtype)
        self.prepare()

    def prepare(self) -> None:
        """Make what lookups go by: a byte a number where these are few enough, a hash table where they are far apart."""
        self.table: np.ndarray | None = None
        self.index: pd.Index | None = None
        if isinstance(self.values, Bits) and 8 * len(self.values.there) <= LARGEST:
            self.table = np.unpackbits(self.values.there, bitorder="little").view(bool)
        elif isinstance(self.values, np.ndarray):
            self.index = pd.Index(self.values)
            self.index.get_indexer(
                self.index[:1]
            )  # the first of them would be made in several threads at once

    def __getstate__(self) -> dict[str, Any]:
        return {"dtype": self.dtype, "values": self.values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.prepare()

    def __sizeof__(self) -> int:
        values = self.values.there if isinstance(self.values, Bits) else self.values
        table = 0 if self.table is None else self.table.nbytes
        return int(values.nbytes) + table + (0 if self.index is None else 40 * len(self.index))

    def of(self, series: pd.Series) -> pd.Series:
        """Whether each element is among the values."""
        if series.dtype != self.dtype or isinstance(self.values, (pd.Series, pd.Index)):
            return series.isin(listed(self.values, self.dtype))
        found = self.found(whole(series))
        return pd.Series(found, index=series.index, name=series.name, copy=False)

    def found(self, numbers: np.ndarray) -> np.ndarray:
        """Whether each of some whole numbers is among the values."""
        if self.index is not None:
            return self.index.get_indexer(numbers) >= 0
        lo, packed, null, _ = self.values
        at = numbers - lo if lo else numbers
        inside = at.view("u8") < np.uint64(8 * len(packed))
        every = bool(inside.all())
        if not every:
            at = np.where(inside, at, 0)
        if not len(packed):
            found = np.zeros(len(at), dtype=bool)
        elif self.table is not None:
            found = self.table.take(at)
        else:
            found = (packed.take(at >> 3) >> (at & 7).astype(np.uint8)) & 1 == 1
        found = found if every else found & inside
        return found | (numbers == NAT) if null else found
