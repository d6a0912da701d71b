"""`x[key] = value`: a new node with the elements that a key names replaced, for any key and any chunks."""

from __future__ import annotations

import math
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentTypeError, MarsDaskError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import SCALARS, Tensor, as_tensor
from marsdask.tensor.indexing.indexing import arguments, lazy, lone_mask, part, plain_key, settled
from marsdask.tensor.indexing.keys import (
    FULL,
    Place,
    check_fits,
    fancy_shape,
    is_fancy,
    placed,
    plain,
    result_shape,
    without_truths,
)
from marsdask.tensor.indexing.pieces import pieces_of
from marsdask.tensor.reshaping import reshaped
from marsdask.tensor.views import become


def put_part(target: Any, key: Any, value: Any) -> None:
    """`target[key] = value`: rebinds the target, and through a view its base."""
    key, first = without_truths(key)
    if first:
        put_part(part(target, first), key, value)
        return
    known = target.known
    entries = plain_key(key, known.shape)
    new = fitting(value, known.dtype)
    if isinstance(new, Handle):
        check_fits(new.known.shape, result_shape(entries, known.shape))
    become(target, registry.make("setitem", target, arguments(entries), new))


def fitting(value: Any, dtype: np.dtype[Any]) -> Any:
    """A value to assign: a tensor, or a scalar of the dtype by NumPy's rules of assignment."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (Handle, da.Array, np.ndarray)) and bool(getattr(value, "ndim", False)):
        return as_tensor(value)
    try:
        if isinstance(value, SCALARS) or not np.ndim(value):
            cell = np.empty((), dtype)
            cell[()] = value
            return cell[()]
        return as_tensor(np.array(value, dtype=dtype))
    except MarsDaskError:
        raise
    except (TypeError, ValueError) as error:
        kind = ShapeError if isinstance(error, ValueError) else ArgumentTypeError
        raise kind(f"cannot assign {value!r}: {error}.") from None


@lowered("setitem", meta=lambda x, key, value: x)
def setitem(x: da.Array, key: tuple[Any, ...], value: Any) -> Any:
    """x with the elements that a key names replaced."""
    entries = plain(key, x.shape, lazy)
    at = lone_mask(entries)
    if at is not None and (masked := _where(x, entries, at, value)) is not None:
        return masked
    known = yield from settled(entries, x.shape)
    return scattered(x, known, value)


def _where(x: da.Array, key: tuple[Any, ...], at: int, value: Any) -> da.Array | None:
    """Assignment by a mask chunk by chunk, where no value belongs to one selected row only; else None."""
    entries = [e for e in key if not isinstance(e, str)]
    if any(e is None or (isinstance(e, slice) and e != FULL) for e in entries):
        return None
    mask: da.Array = key[at].value
    behind = sum(isinstance(e, slice) for e in key[at + 1 :])
    if isinstance(value, da.Array):
        check_fits(value.shape, (math.nan,) * (x.ndim - mask.ndim + 1))
        value = reshaped(value, value.shape[max(value.ndim - (x.ndim - mask.ndim + 1), 0) :])
        if value.ndim > behind:
            if value.shape[value.ndim - behind - 1] != 1:
                return None
            lead = value.shape[: value.ndim - behind - 1]
            value = reshaped(value, (*lead, *(1,) * mask.ndim, *value.shape[value.ndim - behind :]))
        value = value.astype(x.dtype)
        if any(v not in (1, n) for v, n in zip(reversed(value.shape), reversed(x.shape), strict=False)):
            raise ShapeError(
                f"could not broadcast input of shape {value.shape} into the masked part of {x.shape}."
            )
    mask = mask[(..., *(None,) * behind)]
    return da.where(mask, value, x)


def scattered(x: da.Array, key: tuple[Any, ...], value: Any, how: np.ufunc | None = None) -> da.Array:
    """x with `value` written at a settled key; with `how`, that ufunc's `at` is applied instead."""
    fancy = tuple(int(n) for n in fancy_shape(key))
    shape = tuple(int(n) for n in result_shape(key, x.shape))
    entries = [e for e in key if e is not None and not isinstance(e, str)]
    fancy_axes = [i for i, e in enumerate(entries) if is_fancy(e)]
    other_axes = [i for i, e in enumerate(entries) if not is_fancy(e)]
    pieces = {i: pieces_of(entries[i], x.chunks[i]) for i in other_axes}
    if isinstance(value, da.Array):
        check_fits(value.shape, shape)
        if math.prod(shape):
            value = _laid_out(value, placed(key, fancy), shape, entries, pieces)
    if not math.prod(shape):
        return x
    points = [np.broadcast_to(entries[i], fancy).ravel() for i in fancy_axes]
    groups = _by_chunk(points, [x.chunks[i] for i in fancy_axes])
    moves = isinstance(value, da.Array)
    order = (*fancy_axes, *other_axes)
    sliced = [i for i in other_axes if isinstance(entries[i], slice)]

    def make(index: tuple[int, ...]) -> Any:
        block = graph.Block(x, index)
        members, local = groups.get(tuple(index[i] for i in fancy_axes), (None, []))
        if (fancy_axes and members is None) or any(index[i] not in pieces[i] for i in other_axes):
            return block
        where_in = (*local, *(pieces[i][index[i]][0] for i in other_axes))
        where = (*([0] if fancy_axes else []), *(pieces[i][index[i]][1] for i in sliced))
        new = graph.Block(value, where) if moves else value
        return (_written, block, order, where_in, new, members if moves else None, how)

    return graph.blocks(make, x.chunks, x.dtype, [x, value] if moves else [x])


def _written(
    block: Any, order: tuple[int, ...], local: tuple[Any, ...], value: Any, members: Any, how: np.ufunc | None
) -> Any:
    """A copy of a chunk with a piece written into it."""
    new = np.array(block, copy=True)
    target = new.transpose(order)
    if members is not None:
        value = value[members]
    if how is None:
        target[local] = value
    else:
        how.at(target, local, *([value] if how.nin == 2 else []))
    return new


def _laid_out(
    value: da.Array, place: Place, shape: tuple[int, ...], entries: list[Any], pieces: dict[int, Any]
) -> da.Array:
    """The value with its fancy axes as one first axis, in one chunk, and its sliced axes in step with the pieces."""
    value = reshaped(value, value.shape[max(value.ndim - len(shape), 0) :])
    value = da.broadcast_to(value, shape)
    value = value[tuple(0 if source[0] == "new" else FULL for source in place.axes)]
    sources = [source for source in place.axes if source[0] != "new"]
    fancy = [i for i, source in enumerate(sources) if source[0] == "fancy"]
    sliced = [i for i, source in enumerate(sources) if source[0] == "axis"]
    value = value.transpose((*fancy, *sliced))
    chunks: list[Any] = []
    flips: list[Any] = []
    if place.is_fancy:
        value = reshaped(value, (-1, *value.shape[len(fancy) :]))
        chunks, flips = [value.shape[:1]], [FULL]
    for i in sliced:
        axis = sources[i][1]
        entry = entries[axis]
        back = entry.step is not None and entry.step < 0
        flips.append(slice(None, None, -1) if back else FULL)
        chunks.append(tuple(len(range(p.start, p.stop, p.step)) for p, _ in pieces[axis].values()))
    return value[tuple(flips)].rechunk(tuple(chunks)) if chunks else value


def _by_chunk(
    points: list[Any], chunks: list[tuple[int, ...]]
) -> dict[tuple[int, ...], tuple[Any, list[Any]]]:
    """Points by the chunk they are in: which points, and where in the chunk. The order among them stays."""
    if not points or not len(points[0]):
        return {}
    starts = [np.cumsum([0, *c[:-1]]) for c in chunks]
    numbers = [np.searchsorted(s, p, side="right") - 1 for s, p in zip(starts, points, strict=True)]
    flat = np.ravel_multi_index(numbers, [len(c) for c in chunks])
    order = np.argsort(flat, kind="stable")
    cuts = np.flatnonzero(np.diff(flat[order])) + 1
    groups = {}
    for members in np.split(order, cuts):
        index = tuple(int(n[members[0]]) for n in numbers)
        local = [p[members] - s[i] for p, s, i in zip(points, starts, index, strict=True)]
        groups[index] = (members, local)
    return groups


@public("Tensor.__setitem__", owners=("Tensor",))
def setitem_method(self: Array, key: Any, value: Any) -> None:
    """Write into the tensor, and into all it shares elements with. Values are cast as NumPy casts them in assignments."""
    put_part(self, key, value)
