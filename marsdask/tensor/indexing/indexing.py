"""`x[key]`: basic keys make views, fancy keys make copies with NumPy's exact order of axes.

Dask's own slices are not used: fused with a mask, `x[:, :, 0:3:3]` of chunks (1, 3, 1) gives two entries for one.
"""

from __future__ import annotations

import operator
from collections.abc import Generator
from typing import Any

import dask.array as da
import numpy as np

from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import TensorMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import view
from marsdask.tensor.indexing.keys import (
    FULL,
    Lazy,
    bounds,
    fancy_shape,
    is_basic,
    is_fancy,
    is_static,
    placed,
    plain,
    result_shape,
    without_truths,
)
from marsdask.tensor.reshaping import compact, reshaped


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
        pieces = pieces_of(entry, x.chunks[axis])
        found = [(number, local, _length(local)) for number, (local, _) in pieces.items()]
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


def arguments(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """A plain key as a node keeps it."""
    return tuple(e.value if isinstance(e, Lazy) else e for e in key)


def part(base: Any, key: Any) -> Any:
    """`base[key]`: a view for a basic key, else a copy."""
    key, first = without_truths(key)
    if first:
        return part(part(base, first), key)
    entries = plain(key, base.known.shape)
    if not is_basic(entries):
        return registry.make("getitem", base, arguments(entries))
    dots = any(e is Ellipsis for e in (key if isinstance(key, tuple) else (key,)))
    if entries and all(isinstance(e, int) for e in entries) and not dots:
        return registry.make("slice", base, entries)  # NumPy gives a scalar, which is no view
    return sliced(base, entries)


def sliced(base: Any, key: tuple[Any, ...]) -> Any:
    """A view by a plain basic key."""
    return view(
        base, lambda base: Node("slice", (base, key)), lambda base, new: Node("setitem", (base, key, new))
    )


def _part_meta(x: TensorMeta, key: tuple[Any, ...]) -> TensorMeta:
    return TensorMeta(result_shape(plain(key, x.shape), x.shape), x.dtype, x.order)


@lowered("slice", meta=_part_meta, traits=("slice",))
def slice_(x: da.Array, key: tuple[Any, ...]) -> da.Array:
    """The part of x that a basic key names."""
    return taken(x, plain(key, x.shape))


@lowered("getitem", meta=_part_meta)
def getitem(x: da.Array, key: tuple[Any, ...]) -> Any:
    """The elements of x that a fancy key names, in NumPy's order."""
    entries = plain(key, x.shape)
    masked = lone_mask(entries)
    if masked is not None:
        return by_mask(x, entries, masked)
    return by_arrays(x, (yield from settled(entries, x.shape)))


def settled(key: tuple[Any, ...], shape: Any) -> Generator[Any, Any, tuple[Any, ...]]:
    """A plain key with the values of its tensors, which are asked for."""
    ends = [b for e in key if isinstance(e, slice) for b in bounds(e)]
    wanted = [e for e in (*ends, *arguments(key)) if isinstance(e, da.Array)]
    if wanted:
        answer = yield Ask(*wanted)
        values = {id(w): v for w, v in zip(wanted, answer if len(wanted) > 1 else (answer,), strict=True)}
        key = tuple(_with_values(e, values) for e in key)
    return plain(key, shape)


def _with_values(entry: Any, values: dict[int, Any]) -> Any:
    if isinstance(entry, slice):
        return slice(*(values.get(id(b), b) for b in bounds(entry)))
    return np.asarray(values[id(entry.value)]) if isinstance(entry, Lazy) else entry


def lone_mask(key: tuple[Any, ...]) -> int | None:
    """Where the only fancy index of a key is a mask that is a tensor: that can be done chunk by chunk."""
    fancy = [i for i, e in enumerate(key) if is_fancy(e)]
    if len(fancy) != 1 or any(isinstance(e, int) or (isinstance(e, slice) and not is_static(e)) for e in key):
        return None
    mask = key[fancy[0]]
    return fancy[0] if isinstance(mask, Lazy) and mask.kind == "b" and mask.ndim else None


def by_mask(x: da.Array, key: tuple[Any, ...], at: int) -> da.Array:
    """The rows of x that a mask over one or several axes keeps."""
    mask: da.Array = key[at].value
    before, after = ([e for e in side if isinstance(e, slice)] for side in (key[:at], key[at + 1 :]))
    x = taken(x, (*before, *[FULL] * mask.ndim, *after))
    first = len(before)
    if mask.ndim > 1:
        x = reshaped(x, (*x.shape[:first], -1, *x.shape[first + mask.ndim :]))
        mask = reshaped(mask, (-1,))
    x = x[(*[FULL] * first, mask)]
    if any(e is None for e in key):
        x = x[tuple(None if e is None else FULL for e in key if not isinstance(e, str))]
    return x


def by_arrays(x: da.Array, key: tuple[Any, ...]) -> da.Array:
    """`x[key]` where every fancy index is an integer array in memory."""
    if not any(is_fancy(e) for e in key):
        return taken(x, key)
    fancy = tuple(int(n) for n in fancy_shape(key))
    target = placed(key, fancy)
    entries = [e for e in key if e is not None and not isinstance(e, str)]
    x = compact(taken(x, tuple(FULL if is_fancy(e) else e for e in entries)))
    kept = [(axis, e) for axis, e in enumerate(entries) if not isinstance(e, int)]
    arrays = {i: e for i, (_, e) in enumerate(kept) if is_fancy(e)}
    if len(arrays) == 1:
        ((at, index),) = arrays.items()
        if x.shape[at] < x.numblocks[at]:  # Dask divides by rows per chunk, in whole numbers
            x = x.rechunk({at: -1})
        x = da.moveaxis(x[(*[FULL] * at, index.ravel())], at, 0)
    else:
        points = {i: np.broadcast_to(a, fancy).ravel() for i, a in arrays.items()}
        x = x.vindex[tuple(points.get(i, FULL) for i in range(len(kept)))]
    if len(fancy) != 1:
        x = reshaped(x, (*fancy, *x.shape[1:]))
    # Axes of x now: the fancy ones, then the sliced ones in their order.
    sliced_axes = [axis for axis, e in kept if not is_fancy(e)]
    where = {("fancy", j): j for j in range(len(fancy))}
    where |= {("axis", axis): len(fancy) + i for i, axis in enumerate(sliced_axes)}
    order = [where[source] for source in target if source[0] != "new"]
    if order != sorted(order):
        x = da.transpose(x, order)
    if ("new",) in target:
        x = x[tuple(None if source[0] == "new" else FULL for source in target)]
    return x


@public("Tensor.__getitem__", owners=("Tensor",))
def getitem_method(self: Array, key: Any) -> Any:
    """The part of the tensor that `key` names. Basic keys make views: writes go both ways."""
    return part(self, key)
