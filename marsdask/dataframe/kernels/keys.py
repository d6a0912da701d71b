"""Keys of rows as whole numbers, and where each is: made once of one side, looked up by every chunk of another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.kernels.ranks import Ranks

WIDEST = 2**62
"""Keys of more combinations are not packed into one number."""

SPARSE = 64
DENSE = 2**23
LARGEST = 2**26
"""A table by value has up to 64 places a key (2**23, 32 MiB, are always fine, more than 2**26 never): a lookup in it takes 2 to 8 ns, in
a hash table 9 to 15 ns. Of 45,000 keys in 6e6 places both are made in a millisecond; tables beyond 32 MiB take eight."""
THIN = 8
"""Keys of more places each than that, and beyond 32 MiB or 2**26 places, are ranked: 0.19 bytes a place and not four, a lookup takes 7
ns (rows that are near each other) to 25. The 1.5M keys of TPC-H q21 at SF10 in 60M places, made and looked up by 7.3M rows: 0.3 s of
CPU, by value 1.3 of which 0.8 are the system's, for fresh memory; hashed 1.1."""

SIEVED = 0.5
"""Up to so many rows are looked up alone, where one of several keys says of the others that they have no partner."""


def codable(dtype: Any) -> bool:
    """Whether keys of a dtype are told apart by a whole number as pandas tells them apart: whole numbers, bools, dates, text."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iubmM"
    return isinstance(dtype, pd.StringDtype)


MASKED = (
    pd.Int8Dtype, pd.Int16Dtype, pd.Int32Dtype, pd.Int64Dtype, pd.UInt8Dtype, pd.UInt16Dtype, pd.UInt32Dtype, pd.UInt64Dtype,
    pd.BooleanDtype,
)  # fmt: skip


def packable(dtype: Any) -> bool:
    """Whether keys of a dtype are told apart by their codes here: what is `codable`, with nulls, zones, or as categories."""
    if isinstance(dtype, pd.ArrowDtype):
        return dtype.type is str or dtype.kind in "iub"
    return codable(dtype) or isinstance(dtype, (*MASKED, pd.CategoricalDtype, pd.DatetimeTZDtype))


def alike(left: Any, right: Any) -> bool:
    """Whether keys of two dtypes are compared as they are: of one dtype, or whole numbers of differing widths."""
    if isinstance(left, pd.CategoricalDtype) and isinstance(right, pd.CategoricalDtype):
        # They also count as equal with the same categories in another order.
        return left == right and left.categories.equals(right.categories)
    numbers = isinstance(left, np.dtype) and isinstance(right, np.dtype) and left.kind in "iu"
    return packable(left) and (left == right or (numbers and left.kind == right.kind))


NAT = np.iinfo("i8").min
"""A date that is missing, as a whole number."""


def whole(values: pd.Series | pd.Index) -> np.ndarray:
    """Numbers and dates as int64; what does not fit wraps around, one to one."""
    array = values.to_numpy()
    return array.view("i8") if array.dtype.kind in "mM" else array.astype("i8", copy=False)


def numbered(values: pd.Series) -> tuple[np.ndarray, np.ndarray | None]:
    """Keys that are no texts as int64, and which are missing (None: all are there)."""
    dtype: Any = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = values.cat.codes.to_numpy().astype("i8")
        missing = codes < 0
    elif isinstance(dtype, np.dtype) and dtype.kind not in "mM":
        return whole(values), None
    elif isinstance(dtype, (np.dtype, pd.DatetimeTZDtype)):
        codes = whole(values.dt.tz_convert(None) if isinstance(dtype, pd.DatetimeTZDtype) else values)
        missing = codes == NAT
    else:
        plain, zero = {"u": ("u8", 0), "i": ("i8", 0), "b": ("?", False)}[dtype.kind]
        codes, missing = values.to_numpy(plain, na_value=zero).astype("i8"), values.isna().to_numpy()
    return codes, missing if missing.any() else None


class Column:
    """The codes of one key: 0, 1, ... for values from the least to the largest, or for texts as they were seen; the last is null."""

    def __init__(self, values: pd.Series):
        self.texts: pd.Index | None = None
        self.lo, self.nulls = 0, True
        if self._is_text(values.dtype):
            texts = np.asarray(pd.unique(values.dropna()), dtype=object)
            self.texts, self.size = pd.Index(texts, dtype=object), len(texts) + 1
            self.warm()
            return
        present, missing = numbered(values)
        present = present if missing is None else present[~missing]
        lo, hi = (int(present.min()), int(present.max())) if len(present) else (0, -1)
        self.nulls = not isinstance(values.dtype, np.dtype) or values.dtype.kind in "mM"
        self.lo = 0 if 0 <= lo <= hi // 2 else lo  # nothing to take away then
        self.size = hi - self.lo + 1 + self.nulls

    @staticmethod
    def _is_text(dtype: Any) -> bool:
        return isinstance(dtype, pd.StringDtype) or (isinstance(dtype, pd.ArrowDtype) and dtype.type is str)

    def warm(self) -> None:
        """Build what lookups go by: made by the first of them, it would be made in several threads at once."""
        if self.texts is not None:
            self.texts.get_indexer(self.texts[:1])

    def codes(self, values: pd.Series) -> np.ndarray:
        """The code of each row; from `size` on, or below 0, for what is no key here."""
        if self.texts is not None:
            codes, unique = pd.factorize(values)
            known = self.texts.get_indexer(np.asarray(unique, dtype=object))
            known[known < 0] = self.size
            return np.append(known, self.size - 1).take(codes)
        numbers, missing = numbered(values)
        codes = numbers - self.lo if self.lo else numbers
        if self.nulls:
            codes = np.where(codes == self.size - 1, self.size, codes)
        if missing is not None:
            codes = np.where(missing, self.size - 1, codes)
        return codes


class Keys:
    """Where the rows of each key are.

    `columns` are the key columns. `found(columns)` says of each row of others which rows here have its key.
    """

    def __init__(self, columns: Sequence[pd.Series]):
        self.columns = [Column(c) for c in columns]
        self.total = math.prod(c.size for c in self.columns)
        self.count = len(columns[0])
        self.packed = self.total < WIDEST and self.count < 2**31
        self.table: np.ndarray | None = None
        self.ranks: Ranks | None = None
        self.index: pd.Index | None = None
        # Rows by key where keys repeat or are ranked; and where each key's rows start, if keys repeat.
        self.order: np.ndarray | None = None
        self.starts: np.ndarray | None = None
        self.sieve: tuple[int, np.ndarray] | None = None
        if not self.packed:
            return
        code = self._codes(columns)[0]
        known = self.total <= max(SPARSE * self.count, DENSE)
        ranked = known and self.total > (DENSE if self.total > THIN * self.count else LARGEST)
        direct = known and not ranked
        if not known and len(columns) > 1:
            self.sieve = self._sparsest(columns)
        if ranked:
            if (code[1:] > code[:-1]).all():
                self.ranks = Ranks(code, self.total)
                return
        elif direct:
            self.table = self._table(code)
            if np.array_equal(self.table.take(code), np.arange(self.count, dtype=np.int32)):
                return
        else:
            self.index = pd.Index(code)
            if self.index.is_unique:
                self.warm()
                return
        self.order = np.argsort(code, kind="stable").astype(np.int32)
        ordered = code.take(self.order)
        first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        if len(first) < self.count:
            self.starts = np.append(first, self.count).astype(np.int32)
        if ranked:
            self.ranks = Ranks(ordered[first], self.total)
        elif self.table is not None:  # the same places, which is all that is to be written
            self.table[ordered[first]] = np.arange(len(first), dtype=np.int32)
        else:
            self.index = pd.Index(ordered[first])
            self.warm()

    def _table(self, codes: np.ndarray) -> np.ndarray:
        """Where in `codes` each is, and -1 for what is none of them."""
        table = np.full(self.total + 1, -1, np.int32)
        table[codes] = np.arange(len(codes), dtype=np.int32)
        return table

    def _sparsest(self, columns: Sequence[pd.Series]) -> tuple[int, np.ndarray] | None:
        """The place of the key most of whose values have no row here, and whether each has; None where most have in all keys.

        Six million rows of TPC-H q09 against 43,000 of two keys: 1 in 17 is hashed, 0.27 s of CPU come to 0.20.
        """
        found = []
        for at, (column, values) in enumerate(zip(self.columns, columns, strict=True)):
            if column.texts is None and column.size <= DENSE:
                there = np.zeros(column.size + 1, dtype=bool)
                there[column.codes(values)] = True
                found.append((float(there.mean()), at, there))
        if not found:
            return None
        full, at, there = min(found, key=itemgetter(0))
        return None if full > SIEVED else (at, there)

    def warm(self) -> None:
        """Build what lookups go by, here and now."""
        for column in self.columns:
            column.warm()
        if self.index is not None:
            self.index.get_indexer(self.index[:1])

    def __getstate__(self) -> dict[str, Any]:
        """Without a table that is made again sooner than it travels: see `arrived`."""
        return {**self.__dict__, "table": self.table if self._of_texts else None}

    @property
    def _of_texts(self) -> bool:
        return any(c.texts is not None for c in self.columns)

    def arrived(self, columns: Sequence[pd.Series]) -> None:
        """Build what did not travel along, of the same key columns.

        Between two processes of one machine a byte takes a nanosecond of each: the 24 MB for 230,000 rows of TPC-H q05 took
        25 ms, and are made in 8.
        """
        self.warm()
        if not self.packed or not (self.index is None and self.table is None and self.ranks is None):
            return
        if self.starts is not None:
            assert self.order is not None
            columns = [c.take(self.order.take(self.starts[:-1])) for c in columns]
        self.table = self._table(self._codes(columns)[0])

    @property
    def nbytes(self) -> int:
        held = [
            self.table,
            self.ranks,
            self.order,
            self.starts,
            None if self.sieve is None else self.sieve[1],
        ]
        texts = sum(100 * len(c.texts) for c in self.columns if c.texts is not None)
        return (
            sum(a.nbytes for a in held if a is not None)
            + texts
            + 40 * (0 if self.index is None else len(self.index))
        )

    def _codes(self, columns: Sequence[pd.Series]) -> tuple[np.ndarray, np.ndarray | None]:
        """One number a row, and which rows have no key here (None: all have one)."""
        code, bad = None, None
        for column, values in zip(self.columns, columns, strict=True):
            each = column.codes(values)
            out = each.view("u8") >= np.uint64(column.size)
            if out.any():
                bad = out if bad is None else bad | out
            code = each if code is None else code * column.size + each
        assert code is not None
        return code, bad

    def looked_up(self, columns: Sequence[pd.Series]) -> np.ndarray:
        """For each row of others the number of its key here, -1 where there is none: the row's where keys are unique."""
        if self.sieve is not None:
            at, there = self.sieve
            codes = self.columns[at].codes(columns[at])
            inside = codes.view("u8") < np.uint64(len(there) - 1)
            rows = np.flatnonzero(there.take(codes if inside.all() else np.where(inside, codes, -1)))
            if len(rows) <= SIEVED * len(codes):
                number = np.full(len(codes), -1, dtype=np.intp)
                number[rows] = self._numbers([c.take(rows) for c in columns])
                return number
        return self._numbers(columns)

    def _numbers(self, columns: Sequence[pd.Series]) -> np.ndarray:
        code, bad = self._codes(columns)
        if self.index is not None:
            return self.index.get_indexer(code if bad is None else np.where(bad, -1, code))
        code = code if bad is None else np.where(bad, self.total, code)
        if self.table is not None:
            return self.table.take(code)
        assert self.ranks is not None
        place = self.ranks.places(code)
        if self.order is None or self.starts is not None:
            return place
        return np.where(place < 0, np.int32(-1), self.order.take(place))

    def pairs(self, columns: Sequence[pd.Series], inner: bool) -> tuple[np.ndarray | None, np.ndarray]:
        """Rows of others beside rows here of the same key, in the order of the others (None: each once, in order).

        Where a row has no match its partner is -1, or with `inner` it is left out.
        """
        number = self.looked_up(columns)
        if self.starts is None:
            if not inner:
                return None, number
            hit = np.flatnonzero(number >= 0)
            return (None, number) if len(hit) == len(number) else (hit, number.take(hit))
        assert self.order is not None
        start = self.starts.take(number)  # of -1 the end: no rows follow
        have = np.append(np.diff(self.starts), 0 if inner else 1).take(number)
        rows = np.repeat(np.arange(len(number)), have)
        ends = np.cumsum(have)
        place = np.arange(len(rows)) + np.repeat(start - (ends - have), have)
        partner = np.append(self.order, np.int32(-1)).take(place)
        return rows, partner
