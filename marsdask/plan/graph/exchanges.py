"""Chunks that take from several chunks: gathering, trees, scans, all to all, rows cut anew."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import toolz
from dask.task_spec import DataNode, GraphNode, List, Task, TaskRef
from dask.typing import Key

from marsdask.errors import TooLargeForOneChunk
from marsdask.options import options
from marsdask.plan.graph.chunks import Chunks, concat
from marsdask.plan.graph.making import Early, aliases, calls, per_chunk
from marsdask.plan.graph.names import in_one_process, name_for, operation, warning
from marsdask.plan.meta import NAN

TWO_STEPS_FROM = 32
"""Chunks on both sides of an exchange from which on pieces go in two steps, though each row travels twice then. Sorting n
chunks of 4 to 1.3 MB on two local workers took 1.7 s instead of 2.0 s at n = 32, 2.7 instead of 4.7 at 64, 3.9 instead of 8.9 at
100 (medians of 5 in one run); 1.1 instead of 1.4 at 16 and 1.7 instead of 1.8 at 24, left to what travels. No network was
measured but this machine's own."""

MANY_PIECES = 100_000
"""Pieces of an exchange that are worth a warning: each costs some 20 microseconds and more, however small it is."""
FEWER = "Hint: fewer chunks, by chunk_size= where they are made, or by rebalance()."


def nbytes(part: Any) -> int:
    """Bytes of a chunk, without looking inside of strings."""
    # Not memory_usage(), which makes a Series of the same: 0.7 ms for five columns, this 0.2 ms.
    if isinstance(part, pd.DataFrame):
        return int(part.index.nbytes + sum(column.array.nbytes for _, column in part.items()))
    if isinstance(part, pd.Series):
        return int(part.index.nbytes + part.array.nbytes)
    return int(getattr(part, "nbytes", 0))


def if_small(part: Any, *, most: float) -> Any:
    """A chunk of up to so many bytes; else None."""
    return part if nbytes(part) <= most else None


def gathered(parts: Sequence[Any], what: str, limit: float) -> Any:
    """`concat`, unless that is more than one worker should hold."""
    return _limited(concat, what, limit, parts)


def _held_bytes(held: Any) -> int:
    return sum(map(_held_bytes, held)) if isinstance(held, (list, tuple)) else nbytes(held)


def limited(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`func` of parts that come to one chunk from all others: as `gather`, only up to `options.gather_limit` bytes."""
    return functools.partial(_limited, func, operation(), float(options.gather_limit))


def _limited(func: Callable[[Any], Any], what: str, limit: float, parts: Any) -> Any:
    """`func` of chunks, or of lists and tuples of what exchanges hand on; an error where one worker should not hold them."""
    size = _held_bytes(parts)
    if size > limit:
        raise TooLargeForOneChunk(
            f"{what!r} works in one chunk, and its input has {size:,} bytes where options.gather_limit allows "
            f"{int(limit):,}. Hint: reduce the input first, or raise options.gather_limit if a worker can hold it."
        )
    return func(parts)


def gather(chunks: Chunks) -> Chunks:
    """All chunks as one, up to `options.gather_limit` bytes."""
    if chunks.count == 1:
        return chunks
    call = (limited(concat), List(*map(TaskRef, chunks.keys)))
    return calls([call], (chunks,), None if chunks.lengths is None else (sum(chunks.lengths),))


def tree(
    chunks: Chunks,
    combine: Callable[[list[Any]], Any],
    aggregate: Callable[[list[Any]], Any] | None = None,
    *,
    every: int | None = None,
) -> Chunks:
    """Join chunks `every` at a time by `combine`, the last time by `aggregate`: one chunk."""
    every = every or max(int(options.combine_size), 2)
    level = chunks
    while level.count > every:
        groups = toolz.partition_all(every, level.keys)
        level = calls(((combine, List(*map(TaskRef, g))) for g in groups), (level,), None)
    return calls([(aggregate or combine, List(*map(TaskRef, level.keys)))], (level,), None)


def scan(
    parts: Chunks,
    step: Callable[[Any, Any], Any],
    start: Any,
    *,
    reverse: bool = False,
    label: str | None = None,
) -> Chunks:
    """What stands before each chunk: `start`, then `step(state, part)` of the chunk before; from the end with `reverse`.

    The steps are one chain, so parts should be small: totals, or the last rows of each chunk.
    """
    name = name_for(label)
    order = range(parts.count)[::-1] if reverse else range(parts.count)
    tasks: dict[Key, GraphNode] = {(name, i): DataNode((name, i), start) for i in order[:1]}
    for before, i in itertools.pairwise(order):
        tasks[name, i] = Task((name, i), step, TaskRef((name, before)), TaskRef((parts.name, before)))
    return Chunks(name, tasks, parts.count, (parts,))


def exchange(
    chunks: Chunks,
    split: Callable[..., Any],
    merge: Callable[[list[Any]], Any],
    count: int,
    *args: Any,
    lengths: Any = "unknown",
    regroup: Callable[[list[Any]], Sequence[Any]] | None = None,
    reach: Sequence[range] | None = None,
) -> Chunks:
    """All to all: `split(chunk, *args)` gives `count` pieces, `merge(pieces)` makes chunk j of the j-th pieces.

    `args` as in `per_chunk`. In one process the merges pick their piece themselves; between processes each piece is a
    task of its own, so that only it travels, with memory of its own, so that only it stays. Pieces may be anything that has
    pieces and slices; then `regroup` makes the pieces of each place of the slices of several chunks for the same places.
    `reach` are the places that each chunk has rows for, where that is known: between processes no other pieces are made.
    """
    shared = in_one_process()
    steps = 2 if min(chunks.count, count) >= TWO_STEPS_FROM else 1
    pieces = chunks.count * count
    places = None if shared or reach is None else _all_reached(reach, count)
    if places is not None:
        few = sum(map(len, places))
        if steps == 1 or few <= 2 * chunks.count * _root(count):
            steps, pieces = 1, few
    if pieces > MANY_PIECES and (shared or steps == 1):
        warning(
            f"{pieces:,} pieces of {chunks.count} chunks for {count}, which grow faster than the data. {FEWER}"
        )
    if shared:
        cut = functools.partial(_cut_at_once, split)
    elif steps == 2:
        cut = functools.partial(_cut_for_blocks, split, _root(count))
    elif places is None:
        cut = functools.partial(_cut_apart, split)
    else:
        cut = functools.partial(_cut_for, split, places)
    in_few = steps == 1 and places is not None
    parts = per_chunk(cut, chunks, *args, label="split", lengths=None, number=in_few)
    if shared:
        refs = List(*map(TaskRef, parts.keys))
        return calls(((_merge_picked, merge, j, refs) for j in range(count)), (parts,), lengths)
    name = name_for()
    if steps == 1:
        tasks = _in_one_step(name, parts, merge, places or [range(count)] * parts.count, count)
    elif regroup is None:
        tasks = _in_two_steps(name, parts, _transposed, functools.partial(_merge_all, merge), count)
    else:
        tasks = _in_two_steps(name, parts, regroup, merge, count)
    return Chunks(name, tasks, count, (parts,), (NAN,) * count if lengths == "unknown" else lengths)


def _in_one_step(
    name: str, parts: Chunks, merge: Callable[[list[Any]], Any], places: Sequence[Sequence[int]], count: int
) -> dict[Key, GraphNode]:
    piece = name_for("piece")
    tasks: dict[Key, GraphNode] = {}
    met: list[list[TaskRef]] = [[] for _ in range(count)]
    for i, (part, mine) in enumerate(zip(parts.keys, places, strict=True)):
        for j in mine:
            tasks[piece, i, j] = Early((piece, i, j), operator.getitem, TaskRef(part), j)
            met[j].append(TaskRef((piece, i, j)))
    for j, refs in enumerate(met):
        tasks[name, j] = Task((name, j), merge, List(*refs))
    return tasks


def _all_reached(reach: Sequence[range], count: int) -> list[list[int]]:
    """The places that each chunk makes pieces for; the first also for those that no chunk has rows for."""
    places = [list(each) for each in reach]
    places[0] = sorted({*places[0], *range(count)}.difference(*places[1:]).union(places[0]))
    return places


def _root(count: int) -> int:
    """The least number whose square is `count` or more."""
    return math.isqrt(count - 1) + 1


def _in_two_steps(
    name: str,
    parts: Chunks,
    regroup: Callable[[list[Any]], Sequence[Any]],
    merge: Callable[[list[Any]], Any],
    count: int,
) -> dict[Key, GraphNode]:
    """Pieces of neighbouring chunks for neighbouring results go together, and are told apart where they have met.

    For n chunks that makes 2 n sqrt(n) pieces instead of n * n, each sqrt(n) times as large. All but the merges comes early:
    it takes no more memory. Half as many neighbours, so that they fit in less memory, wrote a tenth less
    to disk in a merge of three times the memory, and took a tenth longer.
    """
    bundle, met, piece = name_for("bundle"), name_for("met"), name_for("piece")
    wide = _root(count)
    groups = list(toolz.partition_all(_root(parts.count), enumerate(parts.keys)))
    tasks: dict[Key, GraphNode] = {}
    for block, start in enumerate(range(0, count, wide)):
        for g, group in enumerate(groups):
            for i, part in group:
                key = (bundle, i, block)
                tasks[key] = Early(key, operator.getitem, TaskRef(part), block)
            refs = List(*(TaskRef((bundle, i, block)) for i, _ in group))
            tasks[met, g, block] = Early((met, g, block), regroup, refs)
            for j in range(start, min(start + wide, count)):
                tasks[piece, g, j] = Early(
                    (piece, g, j), operator.getitem, TaskRef((met, g, block)), j - start
                )
    for j in range(count):
        refs = List(*(TaskRef((piece, g, j)) for g in range(len(groups))))
        tasks[name, j] = Task((name, j), merge, refs)
    return tasks


def rows_of_places(goes: np.ndarray[Any, Any], count: int) -> list[np.ndarray[Any, Any]]:
    """Of rows that each go to one of `count` places: which ones go to each, in their order."""
    order, counts = order_of_places(goes, count)
    return np.split(order, np.cumsum(counts)[:-1])


def order_of_places(
    goes: np.ndarray[Any, Any], count: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Of rows that each go to one of `count` places: the rows sorted by place, and how many go to each."""
    # Small numbers are sorted digit by digit: 16 ms instead of 96 for a million rows and 75 places.
    small = goes.astype(np.min_scalar_type(count))
    return np.argsort(small, kind="stable"), np.bincount(small, minlength=count)


def _transposed(bundles: list[list[Any]]) -> list[list[Any]]:
    return [list(pieces) for pieces in zip(*bundles, strict=True)]


def _merge_all(merge: Callable[[list[Any]], Any], lists: list[list[Any]]) -> Any:
    return merge([piece for pieces in lists for piece in pieces])


def _cut_at_once(split: Callable[..., Any], *args: Any) -> Any:
    return split(*args)[:]


def _cut_apart(split: Callable[..., Any], *args: Any) -> list[Any]:
    return [_owned(piece) for piece in split(*args)]


def _cut_for(
    split: Callable[..., Any], places: Sequence[Sequence[int]], number: int, *args: Any
) -> dict[int, Any]:
    """Those pieces that are wanted of a chunk."""
    pieces = split(*args)
    return {j: _owned(pieces[j]) for j in places[number]}


def _cut_for_blocks(split: Callable[..., Any], wide: int, *args: Any) -> list[Any]:
    """Slices of `wide` pieces each."""
    pieces = split(*args)
    return [_owned(pieces[start : start + wide]) for start in range(0, len(pieces), wide)]


def _owned(piece: Any) -> Any:
    """A piece without the rest of the array it is a view of: that would stay in memory as long as the piece."""
    if isinstance(piece, np.ndarray):
        return piece if piece.base is None else piece.copy()
    if type(piece) in (list, tuple):
        return type(piece)(map(_owned, piece))
    return piece


def _merge_picked(merge: Callable[[list[Any]], Any], j: int, parts: list[Sequence[Any]]) -> Any:
    return merge([p[j] for p in parts])


def joined(*many: Chunks) -> Chunks:
    """The chunks of several, one after another."""
    if len(many) == 1:
        return many[0]
    known = all(c.lengths is not None for c in many)
    lengths = tuple(n for c in many for n in c.lengths or ()) if known else None
    return aliases([k for c in many for k in c.keys], many, lengths)


def chosen(chunks: Chunks, numbers: Sequence[int]) -> Chunks:
    """Some of the chunks, in the order given."""
    lengths = None if chunks.lengths is None else tuple(chunks.lengths[n] for n in numbers)
    return aliases([(chunks.name, n) for n in numbers], (chunks,), lengths)


def regroup(chunks: Chunks, pieces: Sequence[Sequence[tuple[int, int, int]]]) -> Chunks:
    """New chunks from row ranges of old ones: each a list of (chunk, start, stop)."""
    made = [
        (
            _cut_and_join,
            List(*(TaskRef((chunks.name, i)) for i, _, _ in ranges)),
            [(a, b) for _, a, b in ranges],
        )
        for ranges in pieces
    ]
    lengths = tuple(float(sum(b - a for _, a, b in ranges)) for ranges in pieces)
    return calls(made, (chunks,), lengths)


def _cut_and_join(parts: list[Any], ranges: list[tuple[int, int]]) -> Any:
    cut = [
        p if (a, b) == (0, len(p)) else _rows_at(p, slice(a, b))
        for p, (a, b) in zip(parts, ranges, strict=True)
    ]
    return np.concatenate(cut) if isinstance(cut[0], np.ndarray) else concat(cut)


def taken(chunks: Chunks, pieces: Sequence[tuple[int, Any]], lengths: Any = None) -> Chunks:
    """New chunks, each from one old chunk: `pieces` are (its number, positions as a slice or an array)."""
    made: list[tuple[Any, ...]] = []
    for i, where in pieces:
        old = (chunks.name, i)
        source = chunks.tasks.get(old)
        part = getattr(getattr(source, "func", None), "part", None)  # a source that can read some of its rows
        if part is not None and isinstance(source, Task) and isinstance(where, slice):
            made.append((part, where, *source.args))
        else:
            made.append((_rows_at, TaskRef(old), where))
    return calls(made, (chunks,), lengths or "unknown")


def _rows_at(part: Any, where: Any) -> Any:
    return part[where] if isinstance(part, (pd.Index, np.ndarray)) else part.iloc[where]


def in_turn(func: Callable[..., Any], chunks: Chunks) -> Chunks:
    """One after another: chunk i of the result is `func(chunk i, result i - 1)`, None before the first."""
    name = name_for()
    tasks: dict[Key, GraphNode] = {
        (name, i): Task((name, i), func, TaskRef(key), TaskRef((name, i - 1)) if i else None)
        for i, key in enumerate(chunks.keys)
    }
    return Chunks(name, tasks, chunks.count, (chunks,))


def row_ranges(old: Sequence[float], new: Sequence[float]) -> list[list[tuple[int, int, int]]]:
    """For `regroup`: which rows of old chunks make new chunks of the given lengths.

    >>> row_ranges((3, 3), (2, 4))
    [[(0, 0, 2)], [(0, 2, 3), (1, 0, 3)]]
    """
    result, i, start = [], 0, 0
    for want in map(int, new):
        ranges = []
        while want > 0:
            n = min(want, int(old[i]) - start)
            if n:
                ranges.append((i, start, start + n))
            start, want = start + n, want - n
            if start == int(old[i]):
                i, start = i + 1, 0
        # An empty chunk still needs something to take its columns from.
        result.append(ranges or [(min(i, len(old) - 1), 0, 0)])
    return result
