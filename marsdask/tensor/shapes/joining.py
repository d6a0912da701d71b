"""Tensors joined, cut and rearranged: concatenate, stack, block, split, roll, repeat, tile, insert, delete."""

from __future__ import annotations

import math
import operator
from collections.abc import Generator, Sequence
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
from marsdask.plan.registry import Array, Arrays, lowered, public
from marsdask.tensor.core import ExecutableTuple, Tensor, as_tensor, as_tensors, check_cast, fits, given
from marsdask.tensor.fold import replaced
from marsdask.tensor.indexing.indexing import flat, part, sliced, with_axis
from marsdask.tensor.indexing.keys import FULL
from marsdask.tensor.reshaping import reshaped, whole_numbers
from marsdask.tensor.shapes.axes import at_least, moveaxis


def _joined(function: str, tensors: Any, axis: Any, out: Any, dtype: Any, casting: Any) -> Any:
    """Checks that joins have in common, and the node."""
    many = _some(function, tensors)
    if out is not None and dtype is not None:
        raise ArgumentTypeError(f"{function}() takes `out` or `dtype`, but both were provided.")
    kind = _kind(many, dtype)
    for t in many:
        check_cast(f"{function}()", t.dtype, kind, casting)
    return given(registry.make(function, many, axis, kind), out)


def _some(function: str, tensors: Any) -> list[Tensor]:
    many = as_tensors(tensors)
    if not many:
        raise ArgumentError(f"{function}(): need at least one tensor.")
    return many


def _kind(tensors: Sequence[Any], dtype: Any) -> np.dtype[Any]:
    return np.result_type(*(t.dtype for t in tensors)) if dtype is None else np.dtype(dtype)


def _common_length(function: str, tensors: Sequence[Any], axis: int | None) -> tuple[float, ...]:
    """The shape that all have, but for one axis."""
    first = list(tensors[0].shape)
    for t in tensors[1:]:
        if t.ndim != len(first):
            raise ShapeError(
                f"{function}(): all tensors must have the same number of dimensions, got {len(first)} and {t.ndim}."
            )
        for i, n in enumerate(t.shape):
            if i != axis and not fits(first[i], n):
                raise ShapeError(
                    f"{function}(): all tensors must match except along axis {axis}: axis {i} has {first[i]:.0f} and {n:.0f} entries."
                )
            first[i] = n if math.isnan(first[i]) else first[i]
    return tuple(first)


def _concatenate_meta(tensors: list[TensorMeta], axis: Any = 0, dtype: Any = None) -> TensorMeta:
    kind = _kind(tensors, dtype)
    if axis is None:
        return TensorMeta((sum(math.prod(t.shape) for t in tensors),), kind)
    if not tensors[0].shape:
        raise ShapeError("concatenate(): zero-dimensional tensors cannot be concatenated.")
    axis = checks.axis(axis, tensors[0].ndim)
    shape = list(_common_length("concatenate", tensors, axis))
    shape[axis] = sum(t.shape[axis] for t in tensors)
    return TensorMeta(tuple(shape), kind, "F" if all(t.order == "F" for t in tensors) else "C")


@public("concatenate")
def concatenate(
    tensors: Arrays, axis: int | None = 0, out: Any = None, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Tensors one after another along an axis; flat without one."""
    return _joined("concatenate", tensors, axis, out, dtype, casting)


@lowered("concatenate", status="delegated", meta=_concatenate_meta)
def _concatenate(tensors: list[da.Array], axis: int | None = 0, dtype: Any = None) -> da.Array:
    kind = _kind(tensors, dtype)
    if axis is None:
        tensors, axis = [reshaped(t, (-1,)) for t in tensors], 0
    axis = checks.axis(axis, tensors[0].ndim)
    _common_length("concatenate", tensors, axis)
    filled = [t for t in tensors if t.shape[axis]] or tensors[:1]
    return da.concatenate([t.astype(kind) for t in filled], axis=axis)


def _stack_meta(tensors: list[TensorMeta], axis: int, dtype: Any) -> TensorMeta:
    shape = list(_common_length("stack", tensors, None))
    shape.insert(checks.axis(axis, len(shape) + 1), len(tensors))
    return TensorMeta(tuple(shape), dtype)


@public("stack")
def stack(
    tensors: Arrays, axis: int = 0, out: Any = None, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Tensors of one shape along a new axis."""
    return _joined("stack", tensors, axis, out, dtype, casting)


@lowered("stack", status="delegated", meta=_stack_meta)
def _stack(tensors: list[da.Array], axis: int, dtype: Any) -> da.Array:
    _common_length("stack", tensors, None)
    return da.stack([t.astype(dtype) for t in tensors], axis=checks.axis(axis, tensors[0].ndim + 1))


@public("vstack")
def vstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Tensors on top of each other: along the first axis, rows at least."""
    return concatenate([at_least(2, t) for t in _some("vstack", tup)], 0, dtype=dtype, casting=casting)


@public("hstack")
def hstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Tensors beside each other: along the second axis, the first for 1-d ones."""
    many = [at_least(1, t) for t in _some("hstack", tup)]
    return concatenate(many, min(many[0].ndim - 1, 1), dtype=dtype, casting=casting)


@public("dstack")
def dstack(tup: Any) -> Any:
    """Tensors behind each other: along the third axis."""
    return concatenate([at_least(3, t) for t in _some("dstack", tup)], 2)


@public("column_stack")
def column_stack(tup: Any) -> Any:
    """1-d tensors as columns, others as they are, beside each other."""
    wide = (t if t.ndim > 1 else part(t, (..., *[None] * (2 - t.ndim))) for t in _some("column_stack", tup))
    return concatenate(list(wide), 1)


@public("block")
def block(arrays: Any) -> Any:
    """One tensor from nested lists of blocks."""
    depths: set[int] = set()
    leaves: list[Tensor] = []

    def converted(value: Any, depth: int) -> Any:
        if isinstance(value, tuple):
            raise ArgumentTypeError("block(): only lists can be used to arrange blocks, got a tuple.")
        if not isinstance(value, list):
            depths.add(depth)
            leaves.append(as_tensor(value))
            return leaves[-1]
        if not value:
            raise ArgumentError("block(): lists cannot be empty.")
        return [converted(v, depth + 1) for v in value]

    tree = converted(arrays, 0)
    if len(depths) != 1:
        raise ArgumentError(f"block(): list depths are mismatched: {sorted(depths)}.")
    (deepest,) = depths
    ndim = max(deepest, *(t.ndim for t in leaves))

    def joined(value: Any, depth: int) -> Any:
        if isinstance(value, list):
            return concatenate([joined(v, depth + 1) for v in value], axis=depth - deepest)
        return part(value, (*[None] * (ndim - value.ndim), ...))

    return joined(tree, 0) if deepest else registry.make("copy", joined(tree, 0))


@public("append")
def append(arr: Array, values: Array, axis: int | None = None) -> Any:
    """Values after a tensor along an axis; both flat without one."""
    return concatenate([arr, values], axis)


def _cuts(function: str, length: float, indices_or_sections: Any) -> list[tuple[Any, Any]]:
    """Where the pieces of a split start and end."""
    given_cuts = np.asarray(indices_or_sections)
    if given_cuts.ndim:
        return list(pairwise([0, *whole_numbers(given_cuts.tolist(), "indices_or_sections"), None]))
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
    axis = checks.axis(axis, ary.ndim)
    pieces = _cuts(function, ary.known.shape[axis], indices_or_sections)
    before, after = (FULL,) * axis, (FULL,) * (ary.ndim - axis - 1)
    return ExecutableTuple(sliced(ary, (*before, slice(a, b), *after)) for a, b in pieces)


for _name in ("split", "array_split"):
    public(
        _name,
        doc="Views of the parts between positions, or of so many parts; `array_split` lets them differ by one.",
    )(partial(_split, _name))


def _split_along(function: str, least: int, axis: int, ary: Array, indices_or_sections: Any) -> Any:
    if ary.ndim < least:
        raise ArgumentError(f"{function} only works on tensors of {least} or more dimensions.")
    return _split(function, ary, indices_or_sections, min(axis, ary.ndim - 1))


for _name, _least, _axis in (("hsplit", 1, 1), ("vsplit", 2, 0), ("dsplit", 3, 2)):
    public(_name, doc="Views of the parts along one axis.")(partial(_split_along, _name, _least, _axis))


@public("roll")
def roll(a: Array, shift: Any, axis: Any = None) -> Any:
    """Elements moved along axes; what leaves at the end comes in at the start."""
    shifts = whole_numbers(shift, "shift")
    if axis is None:
        moved = registry.make("roll", flat(a), (sum(shifts),), (0,))
        made = moved if a.ndim == 1 else registry.make("reshaped_like", moved, a)
        return made if made.order == "C" else registry.make("copy", made, "C")
    axes = tuple(checks.axis(x, a.ndim) for x in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ArgumentError(f"roll(shift={shift!r}, axis={axis!r}): expected as many shifts as axes.")
    both = np.broadcast_arrays(shifts, axes)
    return registry.make("roll", a, *(tuple(each.astype(int).tolist()) for each in both))


lowered("roll", meta=lambda a, shift, axis: a)(da.roll)


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
    full = (1,) * (A.ndim - len(numbers)) + numbers
    return registry.make("tile", part(A, (*[None] * (len(full) - A.ndim), ...)), full)


def _tile_meta(A: TensorMeta, reps: tuple[int, ...]) -> TensorMeta:
    return TensorMeta(tuple(map(operator.mul, A.shape, reps)), A.dtype)


@lowered("tile", meta=_tile_meta)
def _tile(A: da.Array, reps: tuple[int, ...]) -> da.Array:
    return da.tile(A, reps) if all(reps) else da.empty(_tile_meta(A, reps).shape, dtype=A.dtype, chunks=-1)


def _flat_or_axis(arr: Tensor, axis: Any) -> tuple[Tensor, int]:
    return (flat(arr), 0) if axis is None else (arr, checks.axis(axis, arr.ndim))


@public("insert")
def insert(arr: Array, obj: Any, values: Array, axis: Any = None) -> Any:
    """Values put before positions along an axis; into the flat tensor without one."""
    arr, axis = _flat_or_axis(arr, axis)
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
    return TensorMeta(replaced(arr.shape, axis, arr.shape[axis] + count), arr.dtype, arr.order)


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
    unknown = math.isnan(length) or isinstance(obj, TensorMeta)
    left = NAN if unknown else float(len(_kept(obj, int(length), axis)))
    return TensorMeta(replaced(arr.shape, axis, left), arr.dtype, arr.order)


@lowered("delete", meta=_delete_meta)
def _delete(arr: da.Array, obj: Any, axis: int) -> Any:
    if isinstance(obj, da.Array):
        obj = np.asarray((yield Ask(obj)))
    return arr[(*[FULL] * axis, _kept(obj, arr.shape[axis], axis))]
