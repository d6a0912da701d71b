"""Rows sent to where their key lives, and back home: exchanges that keep pandas' row order.

The data of pieces are the frame's rows, their places in the home chunk, and other aligned data's rows. Pieces of one key meet
in one chunk, in the order of their home chunks, so inside of a group rows are in pandas' order; the places bring results back.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.rows.alignment import rows_of
from marsdask.dataframe.rows.pieces import Pieces, joined, regrouped
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, meta
from marsdask.plan.node import Node
from marsdask.session import room
from marsdask.sizes import shown

SMALL_BYTES = 32 * 2**20
"""Up to this size all rows go to one chunk: cheaper than an exchange (its tasks alone cost a millisecond each way)."""


def row_bytes(known: FrameMeta) -> int:
    """About how many bytes a row takes."""
    return 8 + sum(getattr(d, "itemsize", 8) if getattr(d, "kind", "O") != "O" else 24 for d in known.dtypes)


def is_small(frame: Chunks) -> bool:
    """Whether a frame of known length is so small that one chunk is the best place for it."""
    return frame.count == 1 or bytes_of(frame) <= min(SMALL_BYTES, options.gather_limit)


def bytes_of(frame: Chunks, per_row: int | None = None) -> float:
    """About how many bytes a frame takes; infinitely many where its length is not known."""
    return sum(frame.lengths or ()) * (per_row or row_bytes(frame.meta)) if frame.known else math.inf


def most_bytes_of(frame: Chunks) -> float:
    """About how many bytes a frame takes at most: one of some of the rows of another, no more than all of them."""
    if frame.known:
        return bytes_of(frame)
    node = frame.node
    while node is not None and isinstance(known := meta(node), FrameMeta) and math.isnan(known.length):
        below = node.args[0] if node.args and isinstance(node.args[0], Node) else None
        kept = below is not None and getattr(meta(below), "rows", None) == known.rows
        node = below if kept or "filter" in registry.lookup(node.op).traits else None
    return math.inf if node is None else meta(node).length * row_bytes(frame.meta)


def hashed(keys: Sequence[Any]) -> np.ndarray:
    """One number a row that is equal for equal keys, in every process."""
    total = np.zeros(len(keys[0]), dtype="u8")
    for key in keys:
        total = total * np.uint64(1000003) + _hash(key)
    return total ^ (total >> np.uint64(32))


def _hash(key: Any) -> np.ndarray:
    values = key.array if isinstance(key, (pd.Series, pd.Index)) else key
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_codes(_hash(values.categories), values.codes)
    kind = getattr(dtype, "kind", "O")
    if kind in "biufmM" and not isinstance(dtype, pd.DatetimeTZDtype):
        missing = np.asarray(pd.isna(values))
        plain = pd.Series(values)
        if kind in "mM":
            whole = plain.to_numpy().view("i8") if missing.any() else plain.astype("i8").to_numpy()
            array = np.where(missing, np.nan, whole.astype("f8"))
        else:
            array = plain.to_numpy(dtype="f8", **({"na_value": np.nan} if missing.any() else {}))
        array = np.where(np.isnan(array), np.nan, array + 0.0)  # one zero, one nan
        return pd.util.hash_array(array)
    is_object = pd.api.types.is_object_dtype(dtype)
    if is_object and pd.api.types.infer_dtype(values, skipna=True) not in ("string", "empty"):
        return np.array([_hash_object(v) for v in values], dtype="u8")
    codes, unique = pd.factorize(np.asarray(values, dtype=object))
    return _of_codes(pd.util.hash_array(np.asarray(unique, dtype=object), categorize=False), codes)


def _of_codes(hashes: np.ndarray, codes: Any) -> np.ndarray:
    """The hash of each row; 0 where its code is -1, which says that it is missing."""
    return np.append(hashes, np.uint64(0))[np.asarray(codes)]


def _hash_object(value: Any) -> int:
    if isinstance(value, Number):
        return hash(value) & (2**64 - 1) if value == value else 0
    return 0 if value is None or value is pd.NA or value is pd.NaT else zlib.crc32(repr(value).encode())


def compact(places: np.ndarray, count: int) -> np.ndarray:
    """Places below `count` in half the bytes where they fit: beside two columns of numbers they are a third of a piece."""
    return places.astype(np.int32 if count <= 2**31 else np.int64)


def parts_for(most: int, nbytes: float) -> int:
    """To how many of `most` chunks rows are exchanged: as many as data of so many bytes are held in, and one for each thread.

    A part for each chunk made chunks x chunks pieces, tiny where filters had left little of many chunks. Where the bytes are
    not known (infinitely many), all.
    """
    if math.isinf(nbytes):
        return most
    count = min(most, max(room.chunk_count(nbytes), room.room().threads, 2))
    if count < most:
        graph.rule(f"exchanged to {count} chunks for {shown(int(nbytes))}")
    return count


def _whole(frame: Any, number: int, *others: Any) -> list[Pieces]:
    """All rows of a chunk as one piece."""
    rows = np.arange(len(frame))
    return [Pieces([frame, rows, *others], np.array([number]), np.array([[len(frame)]]))]


def _by_hash(
    frame: Any, number: int, *others: Any, keys: Callable[..., list[Any]], count: int, labels: bool
) -> Pieces:
    """`count` pieces of a chunk, by the hash of each row's key. `labels`: whether those of rows count."""
    goes = hashed(keys(frame, others)) % np.uint64(count)
    rows = compact(np.arange(len(frame)), len(frame))
    return Pieces.by_place([frame, rows, *others], goes, count, number, labels=labels)


def sent(
    frame: Chunks, others: Sequence[Any], keys: Callable[..., list[Any]] | None, merge: Callable[[list[Pieces]], Any],
    count: int, labels: bool = True,
) -> Chunks:  # fmt: skip
    """An exchange of rows by the hash of `keys(frame, others)`; `merge` works on the pieces that met, which carry the labels
    of their rows only where `labels` says so.

    Where all rows come to one chunk, `options.gather_limit` bounds them.
    """
    if count == 1 < frame.count:
        merge = graph.limited(merge)
    split = _whole if keys is None or count == 1 else partial(_by_hash, keys=keys, count=count, labels=labels)
    numbers = graph.constants(range(frame.count), "number")
    return graph.exchange(frame, split, merge, count, numbers, *others, lengths=None, regroup=regrouped)


def met(pieces: list[Pieces]) -> tuple[Any, list[Any], np.ndarray, np.ndarray]:
    """Pieces as one: the frame, the other data, home chunk and row of each row."""
    frame, rows, *others = joined(pieces)
    return frame, others, np.concatenate([p.home for p in pieces]), rows


def met_and(does: Callable[..., Any], pieces: list[Pieces]) -> tuple[Any, np.ndarray, np.ndarray]:
    """A row for each row that met, `does(frame, *other data)`, and where each lives: what `home` takes."""
    frame, others, homes, rows = met(pieces)
    return does(frame, *others), homes, rows


def values_of(frame: Any, others: Any, *, names: Any) -> list[Any]:
    """Keys by name, columns or levels of the labels; all levels where `names` is None."""
    if names is None:
        return [frame.index.get_level_values(i) for i in range(frame.index.nlevels)]
    return [frame[n] if n in frame.columns else frame.index.get_level_values(n) for n in names]


def home(results: Chunks, count: int, lengths: Any, *, labels: bool = True) -> Chunks:
    """Results (data, home chunk, row) exchanged back: chunk i has the rows of home i in order."""
    split = partial(_by_home, count=count, labels=labels)
    return graph.exchange(results, split, _in_row_order, count, lengths=lengths, regroup=regrouped)


def _by_home(result: tuple[Any, np.ndarray, np.ndarray], *, count: int, labels: bool) -> Pieces:
    data, homes, rows = result
    return Pieces.by_place([data, rows], homes, count, 0, labels=labels)


def _in_row_order(pieces: list[Pieces]) -> Any:
    data, rows = joined(pieces)
    return data if (rows[1:] >= rows[:-1]).all() else rows_of(data, np.argsort(rows, kind="stable"))
