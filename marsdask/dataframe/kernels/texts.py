"""Text of few values as numbers: found once of a column that is asked again, and answers of yes or no spread by them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

FEWEST = 1 << 14
"""Rows below which pandas' own way costs less than what is gained."""

MOST = 1 << 12
"""More different texts than this are no few: numbers would be found for nothing, at 15 to 100 ns a row."""

FEW = 8
"""The rows of up to so many texts are found by a comparison for each: half a millisecond of 6M rows, where a table takes five."""

LOOKED_AT = 1 << 10
"""Rows spread over a column that tell whether its texts are few, before all are looked at: 0.1 ms."""

BYTES = 256 * 2**20
"""What the numbers of all columns may take together; a column takes a byte a row up to 127 texts, which is a tenth of its text."""


class Coded(NamedTuple):
    """The number of each row's text, -1 where it is missing; and the texts by number, in order, with a missing one at the end."""

    codes: np.ndarray
    texts: pd.Series

    def spread(self, answers: np.ndarray) -> np.ndarray:
        """The answer of each row, by those of the texts."""
        yes = np.flatnonzero(answers)
        if len(yes) == len(answers):
            return np.ones(len(self.codes), dtype=bool)
        if len(yes) > FEW:
            return _translated(self.codes, answers)
        found = np.zeros(len(self.codes), dtype=bool)
        for number in yes:
            found |= self.codes == (number if number < len(answers) - 1 else -1)
        return found

    def taken(self, rows: np.ndarray) -> Coded:
        """Those of some rows."""
        return Coded(self.codes.take(rows), self.texts)

    def categories(self) -> pd.Categorical | None:
        """The texts as categories, which sort as they do; None where some are missing."""
        if len(self.codes) and self.codes.min() < 0:
            return None
        every = pd.Index(self.texts.iloc[:-1])
        return pd.Categorical.from_codes(self.codes, categories=every, validate=False)  # type: ignore[arg-type]


def _translated(codes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """`values.take(codes)`, the last one for -1: by bytes, where both are, 5 ms and not 16 of 6M rows."""
    if codes.dtype != np.dtype("i1") or values.itemsize > 1:
        return values.take(codes)
    table = np.full(256, values[-1])
    table[: len(values) - 1] = values[:-1]
    return np.frombuffer(bytearray(codes.tobytes()).translate(table.tobytes()), values.dtype)


def askable(dtype: Any) -> bool:
    """Whether a dtype is pandas' own text over Arrow, where a missing value answers no."""
    return isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow" and dtype.na_value is np.nan


def plain(values: Any) -> bool:
    """Whether answers of yes and no to text are a series of labels and a name, and nothing else that it carries."""
    return (
        type(values) is pd.Series
        and askable(values.dtype)
        and not values.attrs
        and values.flags.allows_duplicate_labels
    )


def plain_texts(categories: pd.Categorical) -> Any:
    """The text of each row, of categories that are texts and nowhere missing; `astype` goes by objects, 0.7 ms and more."""
    return categories.categories.array.take(categories.codes)


WIDTHS = {pa.large_string(): "i8", pa.string(): "i4"}
"""Arrow text whose bytes follow each other, by the type of the places where they begin."""


def letters(piece: Any) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of Arrow text of such a type, and where each row begins and the last one ends."""
    _, offsets, data = piece.buffers()
    places = np.frombuffer(offsets, WIDTHS[piece.type])[piece.offset : piece.offset + len(piece) + 1]
    return np.frombuffer(data or b"", "u1"), places


class _Known(NamedTuple):
    """What is known of a column: nothing yet but that it was asked (None), that its texts are many (False), its numbers, or what
    tells them."""

    column: weakref.ref[Any]
    coded: Coded | Callable[[], Coded | None] | bool | None = None
    nbytes: int = 0


class Numbers:
    """The numbers of columns of text, for as long as these live, the last ones asked within `BYTES`.

    A column is known by its Arrow data, which nothing writes to: a write makes others. Numbers are found the second time that a
    column is asked, so what lives for one task costs nothing; the first time, where they are those of a dictionary in a file.
    """

    def __init__(self, most: int = BYTES):
        self.most, self.held = most, 0
        self.known: dict[int, _Known] = {}
        self.lock = threading.RLock()  # a weak reference's call may come in the middle of any line

    def of(self, values: pd.Series) -> Coded | None:
        """The numbers of a column, None where there are none, or none yet."""
        if len(values) < FEWEST or not askable(values.dtype):
            return None
        column = values.array.__arrow_array__()  # type: ignore[union-attr]
        with self.lock:
            found = self.known.pop(id(column), None)
            first = found is None or found.column() is not column
            if first:
                found = _Known(weakref.ref(column, partial(self._gone, id(column))))
            self.known[id(column)] = found  # type: ignore[assignment]
        if first or found.coded is False:  # type: ignore[union-attr]
            return None
        if found.coded is None or callable(found.coded):  # type: ignore[union-attr]
            coded = numbered(column, values.dtype) if found.coded is None else found.coded()  # type: ignore[union-attr]
            size = 0 if coded is None else coded.codes.nbytes
            found = _Known(found.column, False if coded is None else coded, size)  # type: ignore[union-attr]
            self._hold(id(column), found)
        return found.coded or None  # type: ignore[return-value, union-attr]

    def told(self, values: pd.Series, encoded: Any) -> None:
        """Have the numbers of a column found in the Arrow dictionary that it was decoded from."""
        if len(values) >= FEWEST and askable(values.dtype) and len(values) == len(encoded):
            column = values.array.__arrow_array__()  # type: ignore[union-attr]
            known = weakref.ref(column, partial(self._gone, id(column)))
            encoded = narrowed(encoded)
            tell = partial(of_dictionary, encoded, values.dtype)
            self._hold(id(column), _Known(known, tell, encoded.nbytes))

    def _hold(self, at: int, found: _Known) -> None:
        with self.lock:
            self._gone(at)
            self.known[at] = found
            self.held += found.nbytes
            for other in [k for k in self.known if k != at]:
                if self.held <= self.most:
                    break
                self._gone(other)

    def _gone(self, at: int, _: Any = None) -> None:
        with self.lock:
            if (known := self.known.pop(at, None)) is not None:
                self.held -= known.nbytes


NUMBERS = Numbers()


def numbered(column: Any, dtype: Any) -> Coded | None:
    """The numbers of Arrow text; None where its texts are many."""
    some = column.take(pa.array(np.linspace(0, len(column) - 1, LOOKED_AT).astype("i8")))
    if len(pc.unique(some)) > LOOKED_AT // 4:
        return None
    return of_dictionary(pc.dictionary_encode(column), dtype)


def narrowed(encoded: Any) -> Any:
    """An Arrow dictionary with a byte for each row, where its texts are so few: 3 ms for 6M rows."""
    parts = encoded.chunks if isinstance(encoded, pa.ChunkedArray) else [encoded]
    if not parts or sum(len(part.dictionary) for part in parts) > 127:  # together, later, they must fit too
        return encoded
    return pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(
                part.indices.cast(pa.int8(), safe=False), part.dictionary, safe=False
            )
            for part in parts
        ]
    )


def of_dictionary(encoded: Any, dtype: Any) -> Coded | None:
    """The numbers of text in an Arrow dictionary; None where its texts are many, or not told apart."""
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    if len(encoded.dictionary) > MOST:
        return None
    found = encoded.dictionary.to_pylist()
    if None in found or len({*found}) < len(found):  # which other writers of files may do
        return None
    order = sorted(range(len(found)), key=found.__getitem__)
    places = np.full(len(found) + 1, -1, "i1" if len(found) < 128 else "i2")
    places[order] = np.arange(len(found))
    given = encoded.indices if encoded.indices.null_count == 0 else encoded.indices.fill_null(-1)
    codes = _translated(given.to_numpy(), places)
    return Coded(codes, pd.Series([*(found[i] for i in order), None], dtype=dtype))


def answered(values: Any, of: Callable[[Any], Any]) -> Any:
    """`of(values)`, for a question that each text answers for itself: asked once of each different one, where they are known.

    Only answers of yes and no: a number's or text's dtype may hang on what else there is in the column.
    """
    known = NUMBERS.of(values) if plain(values) else None
    if known is None:
        return of(values)
    answers = of(known.texts)
    if not isinstance(answers, pd.Series) or answers.dtype != bool:
        return of(values)
    return pd.Series(known.spread(answers.to_numpy()), index=values.index, name=values.name, copy=False)
