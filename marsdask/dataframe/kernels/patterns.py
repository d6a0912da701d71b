"""Rows of text that may match a pattern: those that hold what it spells out, found by two rare bytes; pandas is asked of these alone.

Arrow's own search for a text takes 150 ns a row of 48 bytes, its regular expressions 80, this 20.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from marsdask.dataframe.kernels import texts

SAMPLES, SAMPLE = 16, 1 << 12
"""So many pieces of so many bytes tell which bytes are rare: 0.1 ms."""
BLOCK = 1 << 19
"""Bytes compared at once, which stay in the processor's cache."""
OFTEN, SLACK = 4, 256
"""Where a text is at more than one place in four rows, and some, pandas is asked of all: a row that holds it costs 130 ns here."""

TAKING = ("contains", "match", "fullmatch")
"""Members of .str that take a pattern."""
FROM_ANYWHERE = re.compile(r"\^?\.[*+]")
ITEM = re.compile(
    r"(?:(?P<plain>[^\\.^$*+?{}\[\]|()])|\\(?P<escaped>[^\w\s])"
    r"|\.|\\[dDwWsS]|\[\^?\]?[^\[\]\\]*\])"  # one of several letters
    r"(?P<times>[*+?]\??|\{\d+(?:,\d*)?\}\??)?"
    r"|[$^]|\\[bBAZ]"
)
"""What patterns are read of: letters and classes, each with how often it comes, and places. No groups, no alternatives."""


class Needed(NamedTuple):
    """What a text has to hold if it is to match; `enough`: whether that says it all."""

    spelled: list[bytes]
    enough: bool


def needed(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Needed | None:
    """What a member of .str needs in a text to answer yes; None where that is not seen."""
    pattern = kwargs.get("pat", args[0] if args else None)
    plain = (
        len(args) + ("pat" in kwargs) == 1
        and type(pattern) is str
        and kwargs.keys() <= {"pat", "na", "regex"}
    )
    if name not in TAKING or not plain or not pattern:
        return None
    if (name != "contains" or pattern[0] == "^") and not FROM_ANYWHERE.match(pattern):
        return None  # RE2 gives up at the first letter
    every, literal = ([pattern], True) if kwargs.get("regex") is False else spelled(pattern)
    # Half of a character is in no text: pandas is left to say so.
    found = [text.encode("utf-8", "surrogatepass") for text in every]
    return Needed(found, literal and name == "contains") if found else None


def spelled(pattern: str) -> tuple[list[str], bool]:
    """The texts that all matches of a pattern hold, none where it is not understood; and whether it is but that text."""
    found, at, literal = [""], 0, True
    while at < len(pattern):
        item = ITEM.match(pattern, at)
        if item is None:
            return [], False
        letter = None if item["times"] else item["plain"] or item["escaped"]
        if letter is None:
            literal = False
            found.append("")
        else:
            found[-1] += letter
        at = item.end()
    return [text for text in found if text], literal


def answered(values: pd.Series, held: Needed, of: Callable[[Any], Any]) -> Any:
    """`of(values)`, which answers no wherever a text does not hold what is needed: asked of the other rows only."""
    column = values.array.__arrow_array__() if texts.plain(values) else None  # type: ignore[union-attr]
    searched = column is not None and len(column) >= texts.FEWEST and column.type in texts.WIDTHS
    rows = _holding_all(column, held.spelled) if searched else None
    if rows is None:
        return of(values)
    # One missing text more: its answer is that of all of them, and the arguments are pandas' to check.
    asked = [pa.nulls(1, column.type)]
    if not held.enough:
        asked += [piece.take(pa.array(at)) for piece, at in zip(column.chunks, rows, strict=True)]
    answers = of(pd.Series(values.dtype.__from_arrow__(pa.chunked_array(asked))))  # type: ignore[union-attr]
    if not isinstance(answers, pd.Series) or answers.dtype != bool:
        return of(values)
    said = answers.to_numpy()
    starts = np.cumsum([0, *map(len, column.chunks)])
    every = np.concatenate([at + start for at, start in zip(rows, starts[:-1], strict=True)])
    found = np.zeros(len(values), dtype=bool)
    found[every] = True if held.enough else said[1:]
    if column.null_count:
        found[pc.is_null(column).to_numpy(zero_copy_only=False)] = said[0]
    return pd.Series(found, index=values.index, name=values.name, copy=False)


def _holding_all(column: Any, spelled: list[bytes]) -> list[np.ndarray] | None:
    """The rows of each piece that hold some texts; where one of these is held by many, also others. None: that are too many."""
    share, found = _shares(column), []
    rare = sorted(spelled, key=lambda text: _odds(text, share))
    for piece in column.chunks:
        rows = holding(piece, rare[0], share)
        if rows is None:
            return None
        for at, text in enumerate(rare[1:], 1):
            if any(text in other for other in rare[:at]) or not len(rows):
                continue
            fewer = holding(piece.take(pa.array(rows)), text, share)
            rows = rows if fewer is None else rows[fewer]
        found.append(rows)
    return found


def _odds(text: bytes, share: np.ndarray) -> float:
    """How likely it is that the two rarest bytes of a text are where they are looked for."""
    return float(np.prod(np.sort(share[[*text]])[:2]))


def _shares(column: Any) -> np.ndarray:
    """How often each byte is among some of a column."""
    some, each = [np.zeros(0, "u1")], max(SAMPLES // max(column.num_chunks, 1), 1)
    for piece in column.chunks:
        if len(piece):
            letters, offsets = texts.letters(piece)
            starts = np.linspace(offsets[0], max(offsets[0], offsets[-1] - SAMPLE), each).astype("i8")
            some += [letters[start : min(start + SAMPLE, offsets[-1])] for start in starts]
    counts = np.bincount(np.concatenate(some), minlength=256)
    return counts / max(counts.sum(), 1)


def holding(piece: Any, text: bytes, share: np.ndarray) -> np.ndarray | None:
    """The rows of Arrow text that hold a text, of whose bytes `share` are found; None where that is in too many."""
    if not len(piece):
        return np.zeros(0, dtype=np.intp)
    letters, offsets = texts.letters(piece)
    first, last, ends = int(offsets[0]), int(offsets[-1]), offsets[1:]
    often = len(piece) / max(last - first, 1) / OFTEN
    if _odds(text, share) > often and len(piece) > SLACK:
        return None
    rarest = np.argsort(share[[*text]], kind="stable").tolist()
    both = np.empty((2, min(BLOCK, last - first)), dtype=bool)
    places, left = [np.zeros(0, dtype=np.intp)], float(SLACK)
    for start in range(first, last - len(text) + 1, BLOCK):
        size = min(BLOCK, last - len(text) + 1 - start)
        one, other = both[:, :size]
        np.equal(letters[start + rarest[0] :][:size], text[rarest[0]], out=one)
        if len(text) > 1:
            np.equal(letters[start + rarest[1] :][:size], text[rarest[1]], out=other)
            one &= other
        at = np.flatnonzero(one)
        at += start
        for byte in rarest[2:]:
            at = at[letters.take(at + byte) == text[byte]]
        places.append(at)
        left += often * size - len(at)
        if left < 0:
            return None
    at = np.concatenate(places)
    rows = np.searchsorted(ends, at.astype(ends.dtype, copy=False), side="right")
    rows = rows[at + len(text) <= ends.take(rows)]
    return rows[np.r_[True, rows[1:] != rows[:-1]]] if len(rows) else rows
