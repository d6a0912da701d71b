"""Tensors cut and rearranged: split, roll, repeat, tile, insert, delete."""

from __future__ import annotations

import math
from collections.abc import Generator
from functools import partial
from itertools import pairwise
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, ShapeError, UnknownLength
from marsdask.plan import registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NAN, TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import ExecutableTuple, Tensor, as_tensor
from marsdask.tensor.fold import replaced
from marsdask.tensor.indexing.indexing import part, sliced
from marsdask.tensor.indexing.selecting import flat, with_axis
from marsdask.tensor.reshaping import whole_numbers
from marsdask.tensor.shapes.axes import moveaxis

FULL = slice(None)


def _cuts(function: str, length: float, indices_or_sections: Any) -> list[tuple[Any, Any]]:
    """Where the pieces of a split start and end."""
    given_cuts = np.asarray(indices_or_sections)
    if given_cuts.ndim:
        bounds = whole_numbers(given_cuts.tolist(), "indices_or_sections")
        return list(pairwise([0, *bounds, None]))
    (count,) = whole_numbers(given_cuts.item(), "indices_or_sections")
    if count < 1:
        raise ArgumentError(
            f"{function}(indices_or_sections={count}): number of sections must be larger than 0."
        )
    if math.isnan(length):
        raise UnknownLength.needed_for(f"{function}() into {count} sections")
    each, rest = divmod(int(length), count)
    if rest and function != "array_split":
        raise ShapeError(
            f"{function}(): {length:.0f} entries do not divide into {count} equal sections. Hint: array_split."
        )
    ends = np.cumsum([0, *[each + 1] * rest, *[each] * (count - rest)]).tolist()
    return list(pairwise(ends))


def _split(function: str, ary: Array, indices_or_sections: Any, axis: int = 0) -> Any:
    ary = as_tensor(ary)
    axis = checks.axis(axis, ary.ndim)
    pieces = _cuts(function, ary.known.shape[axis], indices_or_sections)
    before, after = (FULL,) * axis, (FULL,) * (ary.ndim - axis - 1)
    return ExecutableTuple(sliced(ary, (*before, slice(a, b), *after)) for a, b in pieces)


for _name in ("split", "array_split"):
    public(
        _name,
        doc="Views of the parts between positions, or of so many parts; `array_split` lets them differ by one.",
    )(partial(_split, _name))


def _split_along(function: str, least: int, ary: Array, indices_or_sections: Any) -> Any:
    ary = as_tensor(ary)
    if ary.ndim < least:
        raise ArgumentError(f"{function} only works on tensors of {least} or more dimensions.")
    axis = {"hsplit": min(ary.ndim - 1, 1), "vsplit": 0, "dsplit": 2}[function]
    return _split(function, ary, indices_or_sections, axis)


for _name, _least in (("hsplit", 1), ("vsplit", 2), ("dsplit", 3)):
    public(_name, doc="Views of the parts along one axis.")(partial(_split_along, _name, _least))


@public("roll")
def roll(a: Array, shift: Any, axis: Any = None) -> Any:
    """Elements moved along axes; what leaves at the end comes in at the start."""
    a = as_tensor(a)
    shifts = whole_numbers(shift, "shift")
    if axis is None:
        moved = registry.make("roll", flat(a), (sum(shifts),), (0,))
        return moved if a.ndim == 1 else registry.make("reshaped_like", moved, a)
    axes = tuple(checks.axis(x, a.ndim) for x in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ArgumentError(f"roll(shift={shift!r}, axis={axis!r}): expected as many shifts as axes.")
    both = np.broadcast_arrays(shifts, axes)
    return registry.make("roll", a, *(tuple(each.astype(int).tolist()) for each in both))


@lowered("roll", meta=lambda a, shift, axis: a)
def _roll(a: da.Array, shift: tuple[int, ...], axis: tuple[int, ...]) -> da.Array:
    for by, along in zip(shift, axis, strict=True):
        n = a.shape[along]
        if n and (start := -by % n):
            before = (FULL,) * along
            a = da.concatenate([a[(*before, slice(start, None))], a[(*before, slice(0, start))]], axis=along)
    return a


@public("repeat", owners=("Tensor",))
def repeat(a: Array, repeats: Any, axis: int | None = None) -> Any:
    """Each element several times, along an axis; of the flat tensor without one."""
    a, axis = with_axis(a, axis)
    if not isinstance(repeats, Tensor):
        counts = np.asarray(repeats)
        if counts.dtype.kind not in "iub":
            raise ArgumentTypeError(f"repeat(repeats={repeats!r}): expected whole numbers.")
        if counts.ndim > 1:
            raise ShapeError("repeat(): repeats must be a number or 1-d.")
        if (counts < 0).any():
            raise ArgumentError("repeat(): counts cannot be negative.")
        length = a.known.shape[axis]
        if counts.size != 1 and not math.isnan(length) and counts.size != length:
            raise ShapeError(f"repeat(): {counts.size} counts do not fit {length:.0f} entries.")
        repeats = int(counts.reshape(-1)[0]) if counts.size == 1 else counts
    elif repeats.ndim > 1 or repeats.dtype.kind not in "iu":
        raise ArgumentTypeError("repeat(): expected a number or a 1-d tensor of whole numbers.")
    return registry.make("repeat", a, repeats, axis)


def _repeat_meta(a: TensorMeta, repeats: Any, axis: int) -> TensorMeta:
    if isinstance(repeats, TensorMeta):
        length = NAN
    else:
        length = a.shape[axis] * repeats if isinstance(repeats, int) else float(repeats.sum())
    return TensorMeta(replaced(a.shape, axis, length), a.dtype)


@lowered("repeat", meta=_repeat_meta)
def _repeat(a: da.Array, repeats: Any, axis: int) -> Any:
    if isinstance(repeats, da.Array):
        repeats = np.asarray((yield Ask(repeats)))
        repeats = int(repeats.reshape(-1)[0]) if repeats.size == 1 else repeats
    if isinstance(repeats, int):
        chunks = replaced(a.chunks, axis, tuple(n * repeats for n in a.chunks[axis]))
        return a.map_blocks(np.repeat, repeats, axis=axis, chunks=chunks, dtype=a.dtype)
    if len(repeats) != a.shape[axis]:
        raise ShapeError(f"repeat(): {len(repeats)} counts do not fit {a.shape[axis]} entries.")
    return a[(*[FULL] * axis, np.repeat(np.arange(a.shape[axis]), repeats))]


@public("tile")
def tile(A: Array, reps: Any) -> Any:
    """The tensor several times along each axis."""
    numbers = whole_numbers(reps, "reps")
    if any(n < 0 for n in numbers):
        raise ArgumentError(f"tile(reps={reps!r}): negative dimensions are not allowed.")
    tensor = as_tensor(A)
    full = (1,) * (tensor.ndim - len(numbers)) + numbers
    return registry.make("tile", part(tensor, (*[None] * (len(full) - tensor.ndim), ...)), full)


def _tile_meta(A: TensorMeta, reps: tuple[int, ...]) -> TensorMeta:
    return TensorMeta(tuple(n * r for n, r in zip(A.shape, reps, strict=True)), A.dtype)


@lowered("tile", meta=_tile_meta)
def _tile(A: da.Array, reps: Any) -> Any:
    for axis, count in enumerate(reps):
        if count == 0:
            A = A[(*[FULL] * axis, slice(0, 0))]
        elif count > 1:
            A = da.concatenate([A] * count, axis=axis)
    return A


def _flat_or_axis(arr: Any, axis: Any) -> tuple[Tensor, int]:
    arr = as_tensor(arr)
    return (flat(arr), 0) if axis is None else (arr, checks.axis(axis, arr.ndim))


@public("insert")
def insert(arr: Array, obj: Any, values: Array, axis: Any = None) -> Any:
    """Values put before positions along an axis; into the flat tensor without one."""
    arr, axis = _flat_or_axis(arr, axis)
    values = as_tensor(values)
    if isinstance(obj, slice):
        if math.isnan(arr.known.shape[axis]):
            raise UnknownLength.needed_for("insert() at a slice")
        obj = np.arange(*obj.indices(int(arr.known.shape[axis])))
    if not isinstance(obj, Tensor):
        obj = np.asarray(obj)
        if obj.dtype == bool:
            obj = np.flatnonzero(obj)
        if not obj.size:
            obj = obj.astype(np.intp)
        if obj.ndim > 1:
            raise ArgumentError(
                "insert(): index array argument obj to insert must be one dimensional or scalar."
            )
        if obj.dtype.kind not in "iu":
            raise ArgumentTypeError(f"insert(obj={obj!r}): expected whole numbers.")
        _spots(obj, arr.known.shape[axis], axis)
    single = obj.ndim == 0
    spare = arr.ndim - values.ndim
    if spare > 0:
        values = part(values, (*[None] * spare, ...))
    # NumPy: arr[..., i, ...] = values, so the first axis of values is the new one
    if single and spare < arr.ndim:
        values = moveaxis(values, 0, axis)
    return registry.make(
        "insert", arr, obj if isinstance(obj, Tensor) else np.atleast_1d(obj), values, axis, single
    )


def _spots(obj: Any, length: float, axis: int) -> Any:
    if math.isnan(length) or not obj.size:
        return obj
    bad = (obj < -length) | (obj > length)
    if bad.any():
        raise IndexOutOfRange(
            f"index {np.atleast_1d(obj)[np.atleast_1d(bad)][0]} is out of bounds for axis {axis} with size {length:.0f}."
        )
    return np.where(obj < 0, obj + int(length), obj)


def _insert_meta(arr: TensorMeta, obj: Any, values: TensorMeta, axis: int, single: bool) -> TensorMeta:
    count = float(values.shape[axis] if single else obj.shape[0])
    for i, (n, m) in enumerate(zip(arr.shape, values.shape, strict=True)):
        want = count if i == axis else n
        if m not in (1, want) and not math.isnan(m) and not math.isnan(want):
            raise ShapeError(
                f"insert(): values of shape {values.shape} do not fit into axis {i} with {want:.0f} entries."
            )
    return TensorMeta(replaced(arr.shape, axis, arr.shape[axis] + count), arr.dtype)


@lowered("insert", meta=_insert_meta)
def _insert(
    arr: da.Array, obj: Any, values: da.Array, axis: int, single: bool
) -> Generator[Any, Any, da.Array]:
    if isinstance(obj, da.Array):
        obj = np.atleast_1d((yield Ask(obj)))
    n = arr.shape[axis]
    spots = _spots(obj, n, axis)
    if single:
        spots = np.repeat(spots, values.shape[axis])
    count = len(spots)
    if not count:
        return arr
    values = da.broadcast_to(values.astype(arr.dtype), replaced(arr.shape, axis, count))
    order = np.insert(np.arange(n), spots, n + np.arange(count))
    return da.concatenate([arr, values], axis=axis)[(*[FULL] * axis, order)]


@public("delete")
def delete(arr: Array, obj: Any, axis: int | None = None) -> Any:
    """The tensor without the slices at positions along an axis; of the flat tensor without one."""
    arr, axis = _flat_or_axis(arr, axis)
    if not isinstance(obj, (slice, Tensor)):
        obj = np.asarray(obj)
        if not obj.size:
            obj = obj.astype(np.intp)
        if obj.dtype.kind not in "iub":
            raise IndexOutOfRange(
                f"delete(obj={obj!r}): arrays used as indices must be of integer (or boolean) type."
            )
        if not math.isnan(arr.known.shape[axis]):
            _kept(obj, int(arr.known.shape[axis]), axis)
    return registry.make("delete", arr, obj, axis)


def _kept(obj: Any, length: int, axis: int) -> Any:
    """The positions that a delete leaves."""
    try:
        return np.delete(np.arange(length), obj)
    except IndexError:
        raise IndexOutOfRange(f"index {obj} is out of bounds for axis {axis} with size {length}.") from None
    except ValueError as error:
        raise ArgumentError(f"delete(): {error}") from None


def _delete_meta(arr: TensorMeta, obj: Any, axis: int) -> TensorMeta:
    length = arr.shape[axis]
    known = not math.isnan(length) and not isinstance(obj, TensorMeta)
    left = float(len(_kept(obj, int(length), axis))) if known else NAN
    return TensorMeta(replaced(arr.shape, axis, left), arr.dtype)


@lowered("delete", meta=_delete_meta)
def _delete(arr: da.Array, obj: Any, axis: int) -> Any:
    if isinstance(obj, da.Array):
        obj = np.asarray((yield Ask(obj)))
    keep = _kept(obj, arr.shape[axis], axis)
    return arr[(*[FULL] * axis, keep)]
