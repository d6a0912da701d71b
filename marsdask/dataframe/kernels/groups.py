"""Rows' groups as numbers from 0 on, found without hashing where the keys allow it, and the distinct values of each group.

Whole numbers and dates of a small range, categories, booleans and text of one length are numbers as they are; several keys make
one number. pandas' own way, factorizing each key and then the pairs, took a third of TPC-H q01; this takes a tenth.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from marsdask.dataframe.kernels import hashes
from marsdask.dataframe.kernels.keys import NAT, WIDEST, whole
from marsdask.dataframe.kernels.texts import WIDTHS
from marsdask.dataframe.kernels.texts import letters as letters_of

SMALL = 1 << 16
SPARSE = 8
"""A table by number has up to 8 places a row (2**16 are always fine): of 2M rows in 16M places it takes a quarter of the time
of a hash table."""
LONGEST = 32
"""Longer texts are not read byte by byte."""
FEW, SEEN = 1 << 14, 16
"""Rows, and rows for each group, among which the first of each is looked for before all: 0.8 ms for 2.7, of 30,000 groups of 1.5M."""
NEAR = 8
"""Whole numbers of which no more than an eighth are missing, at the beginning, are codes as they are."""
BLOCK = 1 << 15
"""Rows whose letters are looked at together, so that they stay in the processor's cache: 12 letters of 6M rows in 38 ms for 57."""
APART = 0.98
"""Of an eighth of the rows so many have keys of their own where there are at least three times as many groups as rows."""
RUNS = 64
"""Numbers that fall less often than once in so many rows are sorted by merging what is sorted: a tenth of quicksort's time."""


class Groups:
    """`number`: the group of each row, from 0 on without gaps, -1 of none. `rows`: the first row of each group.

    Both are looked for when they are asked for; `values` gives the keys of groups of one key without the rows. `runs`: the rows
    of each group stand together, and groups in order, which is so where no number is given.
    """

    def __init__(
        self, number: np.ndarray | None, rows: np.ndarray | None = None, *,
        count: int = 0, values: Callable[[], Any] | None = None, length: int = 0,
    ):  # fmt: skip
        self._number, self._rows, self._values = number, rows, values
        self.count = count if rows is None else len(rows)
        self.length = length if number is None else len(number)
        self.runs = number is None

    @property
    def number(self) -> np.ndarray:
        if self._number is None:
            self._number = np.repeat(np.arange(self.count), self.sizes())
        return self._number

    @property
    def rows(self) -> np.ndarray:
        if self._rows is None:
            self._rows = first_rows(self.number, self.count)
        return self._rows

    def of(self, frame: pd.DataFrame) -> Any:
        """pandas' groupby of rows by these numbers as they are, without hashing them."""
        every = pd.RangeIndex(self.count)
        by = pd.Categorical.from_codes(self.number, categories=every, validate=False)
        return frame.groupby(by, observed=False, sort=True)

    def sizes(self) -> np.ndarray:
        """How many rows each group has."""
        if self.runs:
            return np.diff(self.rows, append=self.length)
        number = self.number
        if len(number) and number.min() < 0:
            number = number[number >= 0]
        return np.bincount(number, minlength=self.count)

    def keys(self, keys: Sequence[pd.Series]) -> list[pd.Series]:
        """The keys of each group, in memory of their own."""
        copied = self._values is None and self.apart
        return [key.copy() if copied else key for key in self.shown_keys(keys)]

    def shown_keys(self, keys: Sequence[pd.Series]) -> list[pd.Series]:
        """The same, to look at."""
        at = pd.RangeIndex(self.count)
        if self._values is not None:
            return [pd.Series(self._values(), index=at)]
        # Not key.take(), which looks whether there are rows of such numbers.
        return [
            pd.Series(k.array if self.apart else k.array.take(self.rows), index=at, copy=False) for k in keys
        ]

    def several(self) -> tuple[np.ndarray, np.ndarray, Groups]:
        """The rows of groups that have more than one, the numbers of these groups, and those rows' groups by new numbers.

        Every row has a group.
        """
        if self.count == self.length:
            none = np.empty(0, np.intp)
            return none, none, Groups(none, count=0)
        later = np.ones(self.length, bool)
        later[self.rows] = False
        there = np.zeros(self.count, bool)
        there[self.number[later]] = True
        rows, at = np.flatnonzero(there.take(self.number)), np.flatnonzero(there)
        return rows, at, Groups(np.searchsorted(at, self.number.take(rows)), count=len(at))

    @property
    def in_order(self) -> bool:
        """Whether rows stand in the order of their groups."""
        return self.runs or bool((self.number[1:] >= self.number[:-1]).all())

    @property
    def apart(self) -> bool:
        """Whether each row is a group of its own, in order."""
        return self.count == self.length and self.in_order


def numbered(keys: Sequence[pd.Series], *, sort: bool) -> Groups | None:
    """The groups in the order of their keys, or without `sort` of first appearance; None where pandas does better."""
    if not keys or not len(keys[0]) or any(map(pd.api.types.is_object_dtype, keys)):
        return None
    if len(keys) == 1 and (sorted_already := _runs(keys[0])):
        return sorted_already
    coded = [_coded(key, few_gaps=len(keys) == 1) for key in keys]
    if len(keys) > 1:
        coded = [c or _factorized(key, sort=sort) for c, key in zip(coded, keys, strict=True)]
    columns = [c for c in coded if c and not c.null]
    if len(columns) < len(keys):
        return None
    code, total = _packed(columns, sort=sort)
    if len(keys) > 1 and (sorted_already := _in_order(code)):
        return sorted_already
    if total <= max(SPARSE * len(code), SMALL):
        plain = len(keys) == 1 and isinstance(keys[0].dtype, np.dtype)
        return _direct(code, total, sort=sort, back=columns[0].back if plain else None)
    return (_merged(code) if sort else None) or (_hashed(code, sort=sort) if len(keys) > 1 else None)


def _packed(columns: Sequence[_Coded], *, sort: bool) -> tuple[np.ndarray, int]:
    """One number for the keys of each row, ascending as they do with `sort`, and below what it is."""
    if math.prod(c.size for c in columns) >= WIDEST:
        columns = [_without_gaps(c, sort=sort) for c in columns]
    code, total, others = columns[0].codes, columns[0].size, True  # memory of others
    for c in columns[1:]:
        if total * c.size >= WIDEST:
            code, total = _ranked(code, sort=sort)
        code, total, others = np.multiply(code, c.size, out=None if others else code), total * c.size, False
        code += c.codes
    return code, total


def _without_gaps(column: _Coded, *, sort: bool) -> _Coded:
    """The same by numbers that are all there."""
    if column.size > max(SPARSE * len(column.codes), SMALL):
        codes, size = _ranked(column.codes, sort=sort)
        return column._replace(codes=codes, size=size)
    groups = _direct(column.codes, column.size, sort=True)
    return column._replace(codes=groups.number, size=groups.count)


def _ranked(code: np.ndarray, *, sort: bool) -> tuple[np.ndarray, int]:
    """Numbers that are no more than rows."""
    groups = _hashed(code, sort=sort)
    return groups.number, groups.count


def apart(keys: Sequence[pd.Series]) -> bool:
    """Whether hardly a row has the keys of another, told by the first eighth of many rows."""
    some = [key.iloc[: len(key) // 8] for key in keys]
    groups = numbered(some, sort=False) if len(some[0]) >= SMALL // 8 else None
    return groups is not None and groups.count > APART * len(some[0])


def by_pandas(group: Any) -> Groups:
    """The groups of a pandas groupby without `sort`."""
    number = group.ngroup().to_numpy()
    if number.dtype.kind == "f":  # some rows have no key
        number = np.where(np.isnan(number), -1, number).astype(np.intp)
    return Groups(number, _first_rows(number, int(number.max(initial=-1)) + 1))


def labels_of(keys: Sequence[pd.Series], *, sort: bool) -> pd.Index:
    """The labels that pandas gives groups of these keys."""
    if len(keys) == 1:
        return pd.Index(keys[0], name=None)
    levels, codes = [], []
    for key in keys:
        groups = numbered([key], sort=sort) or _hashed(key, sort=sort)
        levels.append(pd.Index(key.take(groups.rows)))
        codes.append(groups.number)
    return pd.MultiIndex(levels, codes, verify_integrity=False)


def _first_rows(number: np.ndarray, count: int) -> np.ndarray:
    """The first row of each number below `count`, -1 where there is none; no row counts whose number is -1."""
    first = np.full(count + 1, -1, np.int32 if len(number) < 2**31 else np.int64)
    backwards = np.arange(len(number) - 1, -1, -1, dtype=first.dtype)
    first[number[::-1]] = backwards  # of several rows of a number the last one written stays
    return first[:count]


def first_rows(number: np.ndarray, count: int, found: np.ndarray | None = None) -> np.ndarray:
    """The same of numbers that all are there, or of those `found`; most are seen in the first rows."""
    some = max(FEW, SEEN * (count if found is None else len(found)))
    rows = number
    for part in (number[:some], number) if some < len(number) // 2 else (number,):
        rows = _first_rows(part, count)
        rows = rows if found is None else rows.take(found)
        if (rows >= 0).all():
            break
    return rows


def _direct(
    code: np.ndarray, total: int, *, sort: bool, back: Callable[[np.ndarray], Any] | None = None
) -> Groups:
    """Groups of numbers below `total`; `back` makes keys of such numbers."""
    there = np.zeros(total, bool)
    there[code] = True
    found = np.flatnonzero(there)
    if not sort:
        rows = first_rows(code, total, found)
        firsts = np.zeros(len(code), bool)
        firsts[rows] = True
        rows = np.flatnonzero(firsts)
        found = code[rows]
        return Groups(_places(code, found, total), rows)
    number = code if len(found) == total else _places(code, found, total)
    return Groups(number, count=len(found), values=None if back is None else functools.partial(back, found))


def _places(code: np.ndarray, found: np.ndarray, total: int) -> np.ndarray:
    """Where in `found` each number stands."""
    place = np.empty(total, np.intp)
    place[found] = np.arange(len(found))
    return place.take(code)


def _hashed(code: Any, *, sort: bool) -> Groups:
    if not sort and isinstance(code, np.ndarray) and hashes.mostly_distinct(code):
        return Groups(*hashes.factorized(code))
    number, found = pd.factorize(code, sort=sort)
    return Groups(number, _first_rows(number, len(found)))


def _runs(key: pd.Series) -> Groups | None:
    """Groups of whole numbers or dates that stand in order already."""
    if not isinstance(key.dtype, np.dtype) or key.dtype.kind not in "iumM":
        return None
    values = key.to_numpy()
    values = values.view("i8") if values.dtype.kind in "mM" else values
    return None if key.dtype.kind in "mM" and values[0] == NAT else _in_order(values)


def _in_order(values: np.ndarray) -> Groups | None:
    """Groups of numbers that stand in order already."""
    if any((some[1:] < some[:-1]).any() for some in (values[:1000], values)):
        return None
    return Groups(None, np.flatnonzero(_changes(values)), length=len(values))


def _changes(values: np.ndarray) -> np.ndarray:
    """Whether each number is another than the one before."""
    new = np.empty(len(values), bool)
    new[0] = True
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def _merged(code: np.ndarray) -> Groups | None:
    """Groups of numbers of which long runs are in order, as in tables of several chunks."""
    if np.count_nonzero(code[1:] < code[:-1]) > len(code) / RUNS:
        return None
    order = np.argsort(code, kind="stable")
    new = _changes(code.take(order))
    number = np.empty(len(code), np.intp)
    number[order] = np.cumsum(new) - 1
    return Groups(number, order[new])


class _Coded(NamedTuple):
    """Numbers of values below `size`, ascending as the values do; the last is what is missing, if anything is (`null`)."""

    codes: np.ndarray
    size: int
    null: bool
    back: Callable[[np.ndarray], Any]


def _coded(series: pd.Series, *, few_gaps: bool = False) -> _Coded | None:
    """Codes that need no hashing; None where there are none, or where something is missing.

    A few that are not there at the beginning are no matter but with `few_gaps`: to take them away makes a copy.
    """
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.array.codes.astype(np.intp)
        if not len(dtype.categories) or codes.min() < 0:
            return None
        return _Coded(
            codes, len(dtype.categories), False, lambda at: pd.Categorical.from_codes(at, dtype=dtype)
        )
    if isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow":
        return _text(series)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biumM":
        return None
    numbers = whole(series)
    if dtype == np.uint64 and len(numbers) and numbers.min() < 0:  # they wrapped around
        return None
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= WIDEST or (dtype.kind in "mM" and low == NAT):
        return None
    if not few_gaps and 0 <= low <= high // NEAR:
        low = 0
    shifted = numbers - low if low else numbers

    def back(at: np.ndarray) -> np.ndarray:
        found = at + low
        return found.view(dtype) if dtype.kind in "mM" else found.astype(dtype, copy=False)

    return _Coded(shifted, high - low + 1, False, back)


def _text(series: pd.Series) -> _Coded | None:
    """Codes of text of one length, by the bytes that differ: `id0042` is a number of four digits."""
    array = pa.array(series.array)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if array.type not in WIDTHS or array.null_count or not len(array):
        return None
    data, offsets = letters_of(array)
    start, size = int(offsets[0]), int(offsets[1] - offsets[0])
    even = 1 <= size <= LONGEST and int(offsets[-1]) - start == size * len(array)
    blocks = [slice(at, at + BLOCK) for at in range(0, len(array), BLOCK)]
    if not even or any((np.diff(offsets[b.start : b.stop + 1]) != size).any() for b in blocks):
        return None
    letters = data[start : start + size * len(array)].reshape(-1, size)
    low, high = _extremes(letters)
    sizes = (high - low + 1).tolist()
    total = math.prod(sizes)
    if total > max(SPARSE * len(array), SMALL):
        return None
    codes = np.empty(len(array), np.intp)
    for block in blocks:
        codes[block] = _spelled(letters[block], low, sizes, np.int32 if total < 2**30 else np.int64)
    return _Coded(codes, total, False, lambda at: series.take(_first_rows(codes, total).take(at)).array)


def _spelled(letters: np.ndarray, low: np.ndarray, sizes: Sequence[int], dtype: Any) -> np.ndarray:
    """The number of each row's letters, which are `low` and up to `sizes` more."""
    code: Any = np.zeros(len(letters), dtype)
    least = 0  # taken away in the end: what wraps around on the way comes back
    for at in range(len(sizes)):
        if sizes[at] > 1:
            code *= sizes[at]
            code += letters[:, at]
            least = least * sizes[at] + int(low[at])
    code -= np.int64(least).astype(code.dtype)
    return code  # type: ignore[no-any-return]


def _extremes(letters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest byte in each place; 64 rows at once, a row alone is too short for the processor."""
    size, even = letters.shape[1], len(letters) // 64 * 64
    blocks = letters[:even].reshape(-1, 64 * size)
    found = []
    for how in (np.minimum, np.maximum):
        rest = [letters[even:]] if even < len(letters) else []
        many = [how.reduce(blocks, axis=0).reshape(64, size)] if even else []
        found.append(how.reduce(np.concatenate([*many, *rest]), axis=0).astype(np.int64))
    return found[0], found[1]


def _factorized(series: pd.Series, *, sort: bool) -> _Coded:
    """Codes by hashing; ascending as the values do with `sort`."""
    codes, found = pd.factorize(series, sort=sort)
    null = bool((codes < 0).any())
    if null:
        codes = np.where(codes < 0, len(found), codes)

    def back(at: np.ndarray) -> Any:
        values = pd.Series(found).array
        return values.take(np.where(at == len(found), -1, at), allow_fill=True) if null else values.take(at)

    return _Coded(codes, len(found) + null, null, back)


class Distinct(NamedTuple):
    """Pairs of a group and a value, each once, by group. `missing`: which values are missing; None where none is."""

    number: np.ndarray
    missing: np.ndarray | None
    values: Callable[[], Any]

    def counts(self, groups: int, *, dropna: bool) -> np.ndarray:
        """How many values each group has."""
        number = self.number
        if dropna and self.missing is not None:
            number = number[~self.missing]
        return np.bincount(number, minlength=groups)


def distinct(groups: Groups, values: pd.Series) -> Distinct:
    """The distinct values of each group; rows of no group are left out."""
    number = groups.number
    if len(number) and number.min() < 0:
        values, number = values[number >= 0], number[number >= 0]
    coded = _coded(values) if len(number) else None
    if coded is None or coded.size * groups.count >= WIDEST:
        coded = _factorized(values, sort=False)
    size, total = coded.size, coded.size * groups.count
    pairs = number * size + coded.codes
    if total <= max(SPARSE * len(number), SMALL):
        there = np.zeros(total, bool)
        there[pairs] = True
        pairs = np.flatnonzero(there)
    elif len(pairs):
        falls = np.count_nonzero(number[1:] < number[:-1])
        pairs = np.sort(pairs, kind="stable" if falls < len(number) / RUNS else None)
        pairs = pairs[np.r_[True, pairs[1:] != pairs[:-1]]]
    number = pairs // max(size, 1)
    codes = pairs - number * size
    return Distinct(number, codes == size - 1 if coded.null else None, lambda: coded.back(codes))
