"""Basic keys over chunks: which part of which chunk they take.

Dask's own slices are not used: fused with a mask, `x[:, :, 0:3:3]` of chunks (1, 3, 1) gives two entries for one.
"""

from __future__ import annotations

import operator
from typing import Any

import dask.array as da

from marsdask.plan import graph
from marsdask.tensor.indexing.keys import FULL


def pieces_of(entry: Any, chunks: tuple[int, ...]) -> dict[int, tuple[Any, int]]:
    """What an int or a slice takes of each chunk of an axis, in rising order, and its number among those."""
    found: dict[int, tuple[Any, int]] = {}
    low = 0
    positions = rising(entry, sum(chunks)) if isinstance(entry, slice) else range(entry, entry + 1)
    for number, n in enumerate(chunks):
        first, last = _reach(positions, low), _reach(positions, low + n)
        if first < last:
            start = positions[first] - low
            local = slice(start, positions[last - 1] - low + 1, positions.step)
            found[number] = (local if isinstance(entry, slice) else start, len(found))
        low += n
    return found


def _reach(positions: range, below: int) -> int:
    """How many of rising positions are below a bound."""
    return len(range(positions.start, min(below, positions.stop), positions.step))


def rising(entry: slice, length: int) -> range:
    """The positions of a slice in rising order."""
    positions = range(*entry.indices(int(length)))
    return positions if positions.step > 0 else positions[::-1]


def taken(x: da.Array, key: tuple[Any, ...]) -> da.Array:
    """`x[key]` for whole numbers, slices and None; empty chunks are left out."""
    if all(isinstance(e, slice) and e == FULL for e in key):
        return x
    # For each entry of the key: (chunk, local key, length) of each piece.
    axes: list[list[tuple[int, Any, int]]] = []
    axis = 0
    for entry in key:
        if entry is None:
            axes.append([(-1, None, 1)])
            continue
        chunks = x.chunks[axis]
        found = [(number, local, _length(local)) for number, (local, _) in pieces_of(entry, chunks).items()]
        if isinstance(entry, slice) and entry.step is not None and entry.step < 0:
            found = [(number, _backwards(local, n), n) for number, local, n in reversed(found)]
        axes.append(found or [(0, slice(0, 0), 0)])
        axis += 1
    kept = [i for i, entry in enumerate(key) if not isinstance(entry, int)]
    out = tuple(tuple(n for _, _, n in axes[i]) for i in kept)

    def make(index: tuple[int, ...]) -> Any:
        at = dict(zip(kept, index, strict=True))
        chosen = [pieces[at.get(i, 0)] for i, pieces in enumerate(axes)]
        source = graph.Block(x, tuple(number for number, _, _ in chosen if number >= 0))
        whole = len(chosen) == x.ndim and all(
            isinstance(local, slice) and local.step == 1 and n == x.chunks[i][number]
            for i, (number, local, n) in enumerate(chosen)
        )
        return source if whole else (operator.getitem, source, tuple(local for _, local, _ in chosen))

    return graph.blocks(make, out, x.dtype, [x], label="slice")


def _length(local: Any) -> int:
    return 1 if not isinstance(local, slice) else len(range(local.start, local.stop, local.step))


def _backwards(local: slice, count: int) -> slice:
    last = local.start + (count - 1) * local.step
    return slice(last, local.start - 1 if local.start else None, -local.step)
