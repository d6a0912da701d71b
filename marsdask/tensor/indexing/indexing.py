"""`x[key]`: basic keys make views, fancy keys make copies with NumPy's exact order of axes. And take, compress, nonzero.

Dask's own slices are not used: fused with a mask, `x[:, :, 0:3:3]` of chunks (1, 3, 1) gives two entries for one.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, UnknownLength
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NAN, TensorMeta, TupleMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import Tensor, as_tensor, given, view
from marsdask.tensor.elements.elementwise import broadcast_shape
from marsdask.tensor.indexing.keys import (
    FULL,
    LAZY,
    as_key,
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
from marsdask.tensor.reshaping import compact, reshaped, whole_numbers

INDEX = np.dtype(np.intp)


def pieces_of(entry: Any, chunks: tuple[int, ...]) -> dict[int, tuple[Any, int]]:
    """What an int or a slice takes of each chunk of an axis, an int or rising positions, and its number among those."""
    found: dict[int, tuple[Any, int]] = {}
    low = 0
    positions = range(*entry.indices(sum(chunks))) if isinstance(entry, slice) else range(entry, entry + 1)
    positions = positions if positions.step > 0 else positions[::-1]
    for number, n in enumerate(chunks):
        piece = positions[bisect_left(positions, low) : bisect_left(positions, low + n)]
        if piece:
            local = range(piece.start - low, piece.stop - low, piece.step)
            found[number] = (local if isinstance(entry, slice) else local[0], len(found))
        low += n
    return found


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
        found = [(number, local) for number, (local, _) in pieces_of(entry, x.chunks[axis]).items()]
        if isinstance(entry, slice) and entry.step is not None and entry.step < 0:
            found = [(number, local[::-1]) for number, local in reversed(found)]
        pieces = [
            (number, as_key(local), 1 if isinstance(local, int) else len(local)) for number, local in found
        ]
        axes.append(pieces or [(0, slice(0, 0), 0)])
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


def part(base: Any, key: Any) -> Any:
    """`base[key]`: a view for a basic key, else a copy."""
    if is_field(key, base.dtype):
        return field(base, key)
    key, first = without_truths(key)
    if first:
        return part(part(base, first), key)
    entries = plain(key, base.known.shape)
    if not is_basic(entries):
        return registry.make("getitem", base, entries)
    dots = any(e is Ellipsis for e in (key if isinstance(key, tuple) else (key,)))
    if entries and all(isinstance(e, int) for e in entries) and not dots:
        return registry.make("slice", base, entries)  # NumPy gives a scalar, which is no view
    return sliced(base, entries)


def is_field(key: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a key names a field of records, or several of them."""
    several = isinstance(key, list) and key and all(isinstance(name, str) for name in key)
    return dtype.names is not None and (isinstance(key, str) or bool(several))


def field(base: Any, key: Any) -> Any:
    """A view of one field of records, or of several."""
    if unknown := {*([key] if isinstance(key, str) else key)}.difference(base.dtype.names):
        raise ArgumentError(
            f"no field of name {min(unknown)!r}: expected one of {', '.join(base.dtype.names)}."
        )
    return view(
        base, lambda base: Node("field", (base, key)), lambda base, new: Node("with_field", (base, new, key))
    )


@lowered("field", sizes="any", status="delegated", meta=lambda x, key: replace(x, dtype=x.dtype[key]))
def _field(x: da.Array, key: Any) -> da.Array:
    return x.map_blocks(operator.itemgetter(key), dtype=x.dtype[key])


@lowered("with_field", sizes="aligned", status="delegated", meta=lambda x, new, key: x)
def _with_field(x: da.Array, new: da.Array, key: Any) -> da.Array:
    """Records with another field."""
    return da.map_blocks(_field_replaced, x, graph.rechunked(new, x.chunks), key, dtype=x.dtype)


def _field_replaced(x: Any, new: Any, key: Any) -> Any:
    made = np.array(x)
    for name in [key] if isinstance(key, str) else key:
        made[name] = new if isinstance(key, str) else new[name]
    return made


def sliced(base: Any, key: tuple[Any, ...]) -> Any:
    """A view by a plain basic key."""
    return view(
        base, lambda base: Node("slice", (base, key)), lambda base, new: Node("setitem", (base, key, new))
    )


def _part_meta(x: TensorMeta, key: tuple[Any, ...]) -> TensorMeta:
    return TensorMeta(result_shape(plain(key, x.shape), x.shape), x.dtype, x.order)


def _slice_meta(x: TensorMeta, key: tuple[Any, ...]) -> TensorMeta:
    known = _part_meta(x, key)
    if x.order == "F":  # of which a smaller part lies in memory in no order, and is copied to C
        entries = [e for e in plain(key, x.shape) if e is not None]
        whole = len(entries) == x.ndim and all(map(_is_whole, entries, x.shape))
        known = known if whole else replace(known, order="C")
    return known


def _is_whole(entry: Any, n: float) -> bool:
    if n == 1 and isinstance(entry, int):
        return True
    known = isinstance(entry, slice) and not math.isnan(n)
    return entry.indices(int(n)) == (0, n, 1) if known else entry == FULL


@lowered("slice", meta=_slice_meta, traits=("slice",))
def slice_(x: da.Array, key: tuple[Any, ...]) -> da.Array:
    """The part of x that a basic key names."""
    return taken(x, plain(key, x.shape))


def _picked_meta(x: TensorMeta, key: tuple[Any, ...]) -> TensorMeta:
    """NumPy picks one after the other: of columns that are picked each lies in one piece."""
    known, entries = _part_meta(x, key), plain(key, x.shape)
    one = len(known.shape) == 2 and any(map(is_fancy, entries))
    columns = (
        one and placed(entries, fancy_shape(entries))[-1][0] == "fancy" and len(fancy_shape(entries)) == 1
    )
    return replace(known, order="F" if columns else "C")


@lowered("getitem", meta=_picked_meta)
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
    wanted = [e for e in (*ends, *key) if isinstance(e, da.Array)]
    if wanted:
        answer = yield Ask(*wanted)
        values = {id(w): v for w, v in zip(wanted, answer if len(wanted) > 1 else (answer,), strict=True)}
        key = tuple(_with_values(e, values) for e in key)
    return plain(key, shape)


def _with_values(entry: Any, values: dict[int, Any]) -> Any:
    if isinstance(entry, slice):
        return slice(*(values.get(id(b), b) for b in bounds(entry)))
    return np.asarray(values[id(entry)]) if isinstance(entry, LAZY) else entry


def lone_mask(key: tuple[Any, ...]) -> int | None:
    """Where the only fancy index of a key is a mask that is a tensor: that can be done chunk by chunk."""
    fancy = [i for i, e in enumerate(key) if is_fancy(e)]
    if len(fancy) != 1 or any(isinstance(e, int) or (isinstance(e, slice) and not is_static(e)) for e in key):
        return None
    mask = key[fancy[0]]
    return fancy[0] if isinstance(mask, LAZY) and mask.dtype.kind == "b" and mask.ndim else None


def by_mask(x: da.Array, key: tuple[Any, ...], at: int) -> da.Array:
    """The rows of x that a mask over one or several axes keeps."""
    mask: da.Array = key[at]
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
            x = graph.rechunked(x, {at: -1})
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


def flat(a: Tensor) -> Any:
    """A tensor of one axis as it is, of anything else a copy on one axis."""
    return a if a.ndim == 1 else registry.make("reshape", a, (-1,))


def with_axis(a: Tensor, axis: Any) -> tuple[Tensor, int]:
    """A tensor and the axis to work along: flat for axis=None; one without axes counts as one of one element."""
    if axis is None or not a.ndim:
        a = flat(a)
    return a, 0 if axis is None else checks.axis(axis, a.ndim)


MODES = ("raise", "wrap", "clip")


def within(function: str, index: Any, length: float, mode: str) -> Any:
    """Positions on an axis of that length by `mode`: as they are, started again at its end, or moved to its edges."""
    if checks.choice(mode, f"{function}(mode=)", MODES) == "raise":
        return index
    if math.isnan(length):
        raise UnknownLength.needed_for(f"{function}(mode={mode!r})")
    return index % int(length) if mode == "wrap" else index.clip(0, int(length) - 1)


@public("take", owners=("Tensor",))
def take(a: Array, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    """The elements at positions along an axis, of the flat tensor without one."""
    a, axis = with_axis(a, axis)
    index: Any = indices if isinstance(indices, Tensor) else np.asarray(indices)
    nothing = isinstance(index, np.ndarray) and not index.size
    if index.dtype.kind not in "iub" and not nothing:
        raise ArgumentTypeError(f"take(indices=): expected whole numbers, got dtype {index.dtype}.")
    if index.dtype.kind == "b" or nothing:
        index = index.astype(INDEX)
    index = within("take", index, a.known.shape[axis], mode)
    return given(_packed(part(a, (*[FULL] * axis, index))), out)


def _packed(picked: Tensor) -> Tensor:
    """What `take` and `compress` picked: NumPy gives it row by row, whatever the axis."""
    return picked if picked.order == "C" else registry.make("copy", picked, "C")  # type: ignore[no-any-return]


@public("compress")
def compress(condition: Any, a: Array, axis: int | None = None, out: Any = None) -> Any:
    """The slices along an axis where a condition holds, of the flat tensor without one."""
    a, axis = with_axis(a, axis)
    before = [FULL] * axis
    mask = condition if isinstance(condition, Tensor) else np.asarray(condition)
    if mask.ndim != 1:
        raise ShapeError("compress(): condition must be one-dimensional.")
    if isinstance(mask, np.ndarray):
        return given(_packed(part(a, (*before, np.flatnonzero(mask)))), out)
    m, n = mask.known.shape[0], a.known.shape[axis]
    if m < n:
        a = part(a, (*before, slice(0, int(m))))
    return given(_packed(part(a, (*before, mask if mask.dtype == bool else mask.astype(bool)))), out)


@public("Tensor.compress", owners=("Tensor",))
def compress_method(self: Array, condition: Any, axis: int | None = None, out: Any = None) -> Any:
    """The slices along an axis where a condition holds, of the flat tensor without one."""
    return compress(condition, self, axis, out)


@public("extract")
def extract(condition: Array, arr: Array) -> Any:
    """The elements of the flat tensor where a condition holds."""
    return compress(flat(condition), flat(arr))


@public("choose", owners=("Tensor",))
def choose(a: Array, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """From a list of tensors, for each element the one that an index tensor names."""
    checks.choice(mode, "choose(mode=)", MODES)
    if not np.can_cast(a.dtype, INDEX, "same_kind") or a.dtype.kind not in "iub":
        raise ArgumentTypeError(f"choose(): expected whole numbers to choose by, got dtype {a.dtype}.")
    a = a.astype(INDEX) if a.dtype == bool else a
    options = [as_tensor(c) for c in choices]
    if not options:
        raise ArgumentError("choose(choices=): expected at least one choice.")
    return given(registry.make("choose", a, options, mode), out)


def _choose_meta(a: TensorMeta, choices: list[TensorMeta], mode: str) -> TensorMeta:
    shape = broadcast_shape(a.shape, *(c.shape for c in choices))
    return TensorMeta(shape, np.result_type(*(c.dtype for c in choices)))


@lowered("choose", sizes="aligned", meta=_choose_meta)
def _choose(a: da.Array, choices: Any, mode: str) -> Any:
    return elemwise(partial(_chosen, mode), a, *choices, dtype=np.result_type(*(c.dtype for c in choices)))


def _chosen(mode: str, a: Any, *choices: Any) -> Any:
    # np.choose takes 32 choices at most where they are separate arrays; stacked, the first axis counts as one.
    index, *stack = np.broadcast_arrays(a, *choices)
    index = within("choose", index, len(stack), mode)
    if index.size and (index.min() < 0 or index.max() >= len(stack)):
        raise ArgumentError(f"choose(): invalid entry in choice array: expected 0 to {len(stack) - 1}.")
    return np.take_along_axis(np.stack(stack), index[None], 0)[0]


@lowered("flatnonzero", room="tensor", meta=lambda a: TensorMeta((NAN,), INDEX))
def flatnonzero(a: Array) -> da.Array:
    """The positions in the flat tensor of elements that are not zero."""
    flags = reshaped(a.astype(bool), (-1,))
    return da.arange(flags.shape[0], chunks=flags.chunks, dtype=INDEX)[flags]


def _unraveled(block: Any, shape: tuple[int, ...], order: str, axis: int) -> Any:
    return np.asarray(np.unravel_index(block, shape, order)[axis])


def _unraveled_all(block: Any, shape: tuple[int, ...]) -> Any:
    return np.stack(np.unravel_index(block, shape), axis=1) if shape else np.empty((len(block), 0), INDEX)


def _along_each_axis(positions: da.Array, shape: tuple[int, ...], order: str) -> tuple[da.Array, ...]:
    return tuple(
        positions.map_blocks(_unraveled, shape, order, axis, dtype=INDEX) for axis in range(len(shape))
    )


def _nonzero_meta(a: TensorMeta) -> TupleMeta:
    if not a.shape:
        raise ArgumentError("nonzero(): a 0-d tensor has no positions. Hint: mt.atleast_1d(x).nonzero()")
    return TupleMeta(tuple(TensorMeta((NAN,), INDEX) for _ in a.shape))


@lowered("nonzero", room="tensor", owners=("Tensor",), meta=_nonzero_meta)
def nonzero(a: Array) -> Any:
    """The positions of elements that are not zero, a tensor for each axis."""
    return _along_each_axis(flatnonzero(a), a.shape, "C")


@lowered("argwhere", room="tensor", meta=lambda a: TensorMeta((NAN, float(a.ndim)), INDEX, "F"))
def argwhere(a: Array) -> da.Array:
    """The positions of elements that are not zero, a row for each."""
    positions = flatnonzero(a)
    return positions.map_blocks(
        _unraveled_all, a.shape, new_axis=1, chunks=(positions.chunks[0], (a.ndim,)), dtype=INDEX
    )


@public("unravel_index")
def unravel_index(indices: Array, shape: Any, order: str = "C") -> Any:
    """For flat positions, the positions along each axis of a shape: a tensor for each."""
    checks.choice(order, "unravel_index(order=)", "CF")
    if indices.dtype.kind not in "iu":
        raise ArgumentTypeError(f"unravel_index(): expected whole numbers, got dtype {indices.dtype}.")
    return registry.make("unravel_index", indices, whole_numbers(shape), order)


lowered(
    "unravel_index",
    sizes="any",
    meta=lambda indices, shape, order: TupleMeta(tuple(TensorMeta(indices.shape, INDEX) for _ in shape)),
)(_along_each_axis)
