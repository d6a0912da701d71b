"""Index keys: what NumPy takes between square brackets, made plain, and the shape that comes out.

A plain key has an entry for every axis: whole numbers, slices and integer arrays; `None` makes a new axis. Masks in
memory become integer arrays; tensors stay as they are until a lowering knows their values. `GAP` marks an Ellipsis:
NumPy puts the result of fancy indexes first if one stands between them, even where it stands for no axis.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, IndexOutOfRange, ShapeError
from marsdask.plan.handle import Handle
from marsdask.plan.meta import TensorMeta
from marsdask.tensor.core import as_tensor, fits
from marsdask.tensor.elements.elementwise import broadcast_shape

GAP = "..."
FULL = slice(None)
KINDS = "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays and tensors are valid indices"


LAZY = (Handle, TensorMeta, da.Array)
"""What stands in a key for a tensor: its handle, its metadata, or its Dask array."""


def plain(key: Any, shape: Sequence[float]) -> tuple[Any, ...]:
    """`key` with an entry for every axis of `shape`, checked as far as lengths are known.

    Frames count as the arrays they hold. True and False must have been made arrays by `without_truths`.
    """
    entries = [_entry(each) for each in (key if isinstance(key, tuple) else (key,))]
    used = sum(_width(e) for e in entries)
    if used > len(shape):
        raise IndexOutOfRange(
            f"too many indices: the tensor is {len(shape)}-dimensional, but {used} were indexed."
        )
    gaps = [i for i, e in enumerate(entries) if isinstance(e, str)]
    if len(gaps) > 1:
        raise IndexOutOfRange("an index can only have a single ellipsis ('...').")
    rest = [FULL] * (len(shape) - used)
    if gaps:
        entries[gaps[0] + 1 : gaps[0] + 1] = rest
    else:
        entries += rest
    result = [each for entry, axis in _with_axes(entries) for each in _checked(entry, axis, shape)]
    if not any(is_fancy(e) for e in result):
        result = [e for e in result if not isinstance(e, str)]
    return tuple(result)


def without_truths(key: Any) -> tuple[Any, tuple[Any, ...]]:
    """A key whose True and False are gone, and the basic key that must be applied first: each is an index on a new axis.

    `x[True]` is `x[None][[0]]`, `x[False]` is `x[None][[]]`, `x[t]` with a tensor of no axes is `x[None][t[None]]`.
    """
    given = list(key) if isinstance(key, tuple) else [key]
    truths = [
        i
        for i, e in enumerate(given)
        if isinstance(e, bool) or (getattr(e, "ndim", None) == 0 and e.dtype == bool)
    ]
    if not truths:
        return key, ()
    new = list(given)
    first: list[Any] = []
    for i, e in enumerate(given):
        if i in truths:
            new[i] = np.zeros(int(e), np.intp) if isinstance(e, (bool, np.bool, np.ndarray)) else e[None]
            first.append(None)
        elif e is Ellipsis:
            first.append(Ellipsis)
        elif e is not None:
            first += [FULL] * _width(_entry(e))
    return tuple(new), tuple(first)


def _entry(value: Any) -> Any:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if value is Ellipsis:
        return GAP
    if isinstance(value, str):
        if value == GAP:  # a key that is plain already
            return value
        raise IndexOutOfRange(f"{value!r}: {KINDS}.")
    if isinstance(value, slice):
        return slice(*(b if b is None or isinstance(b, LAZY) else operator.index(b) for b in bounds(value)))
    if isinstance(value, LAZY):
        known: Any = as_tensor(value) if isinstance(value, Handle) else value
        if known.dtype.kind not in "biu":
            raise IndexOutOfRange(f"a tensor of {known.dtype.kind!r} kind cannot index: {KINDS}.")
        return known
    if isinstance(value, (list, tuple)) and not len(value):
        return np.zeros(0, np.intp)
    if not isinstance(value, np.ndarray) and hasattr(value, "__index__"):
        return operator.index(value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise IndexOutOfRange(f"{error}; {KINDS}.") from None
    if array.dtype.kind not in "biu":
        raise IndexOutOfRange(f"an index of dtype {array.dtype} was given; {KINDS}.")
    return array if array.ndim or array.dtype.kind == "b" else int(array)


def bounds(entry: slice) -> tuple[Any, Any, Any]:
    """Start, stop and step of a slice."""
    return entry.start, entry.stop, entry.step


def _width(entry: Any) -> int:
    """How many axes an entry takes."""
    if entry is None or isinstance(entry, str):
        return 0
    return entry.ndim if _is_mask(entry) else 1


def _is_mask(entry: Any) -> bool:
    return is_fancy(entry) and entry.dtype.kind == "b"


def _with_axes(entries: Iterable[Any]) -> Iterator[tuple[Any, int]]:
    """Entries, and the first axis that each takes."""
    axis = 0
    for entry in entries:
        yield entry, axis
        axis += _width(entry)


def _checked(entry: Any, axis: int, shape: Sequence[float]) -> list[Any]:
    """An entry with whole numbers from 0 on and masks as arrays, where the lengths of its axes are known."""
    if entry is None or isinstance(entry, str):
        return [entry]
    if isinstance(entry, slice):
        if isinstance(entry.step, int) and entry.step == 0:
            raise ArgumentError("slice step cannot be zero.")
        return [_exact(entry, shape[axis])]
    lengths = shape[axis : axis + _width(entry)]
    if _is_mask(entry):
        for i, (m, n) in enumerate(zip(entry.shape, lengths, strict=True)):
            if not fits(m, n):
                raise IndexOutOfRange(
                    f"boolean index did not match the tensor along axis {axis + i}: the axis has {n:.0f} entries, "
                    f"the mask {m:.0f}."
                )
    if isinstance(entry, LAZY) or any(map(math.isnan, lengths)):
        return [entry]
    if _is_mask(entry):
        return list(entry.nonzero())
    length = int(shape[axis])
    if isinstance(entry, int):
        if not -length <= entry < length:
            raise _outside(entry, axis, length)
        return [entry % length]
    bad = (entry < -length) | (entry >= length)
    if bad.any():
        raise _outside(entry[bad].flat[0], axis, length)
    entry = entry.astype(np.intp, copy=False)
    return [np.where(entry < 0, entry + length, entry) if (entry < 0).any() else entry]


def _exact(entry: slice, length: float) -> slice:
    """The same slice with bounds inside of an axis of known length: Dask takes `x[-9::-1]` for `x[0::-1]`."""
    if entry == FULL or math.isnan(length) or not is_static(entry):
        return entry
    positions = range(*entry.indices(int(length)))
    if not positions:
        return slice(0, 0, 1)
    if positions == range(int(length)):
        return FULL
    return as_key(positions)  # type: ignore[no-any-return]


def as_key(positions: Any) -> Any:
    """The slice that takes a range of positions; an int itself."""
    if isinstance(positions, int):
        return positions
    stop = None if positions.step < 0 and positions.stop < 0 else positions.stop
    return slice(positions.start, stop, positions.step)


def _outside(index: Any, axis: int, length: int) -> IndexOutOfRange:
    return IndexOutOfRange(f"index {index} is out of bounds for axis {axis} with size {length}.")


def is_fancy(entry: Any) -> bool:
    """Whether an entry of a plain key is an array or a tensor."""
    return isinstance(entry, (np.ndarray, *LAZY))


def is_basic(key: tuple[Any, ...]) -> bool:
    """Whether a plain key makes a view."""
    return not any(is_fancy(e) or (isinstance(e, slice) and not is_static(e)) for e in key)


def is_static(entry: slice) -> bool:
    """Whether the bounds of a slice are known, and no tensors."""
    return all(b is None or isinstance(b, int) for b in bounds(entry))


def placed(key: tuple[Any, ...], fancy: tuple[float, ...]) -> list[tuple[Any, ...]]:
    """NumPy's order of result axes for a plain key whose fancy indexes broadcast to the shape `fancy`.

    Where they come from: `("new",)`, `("axis", i)` a sliced axis i, or `("fancy", j)`.
    """
    everything = _sources(key)
    if not any(is_fancy(e) for e in key):
        return everything
    spots = [i for i, e in enumerate(key) if is_fancy(e) or isinstance(e, int)]
    together = len(spots) == spots[-1] - spots[0] + 1
    first = len(_sources(key[: spots[0]])) if together else 0
    return [*everything[:first], *(("fancy", j) for j in range(len(fancy))), *everything[first:]]


def _sources(key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    kept = ((e, axis) for e, axis in _with_axes(key) if e is None or isinstance(e, slice))
    return [("new",) if e is None else ("axis", axis) for e, axis in kept]


def result_shape(key: tuple[Any, ...], shape: Sequence[float]) -> tuple[float, ...]:
    """The shape of `x[key]` for a plain key, `nan` where only a run can tell."""
    fancy = fancy_shape(key)
    lengths: dict[tuple[Any, ...], float] = {("fancy", j): n for j, n in enumerate(fancy)}
    for entry, axis in _with_axes(key):
        if isinstance(entry, slice):
            known = is_static(entry) and not math.isnan(shape[axis])
            taken = len(range(*entry.indices(int(shape[axis])))) if known else math.nan
            lengths["axis", axis] = shape[axis] if entry == FULL else taken
    return tuple(lengths.get(source, 1) for source in placed(key, fancy))


def fancy_shape(key: tuple[Any, ...]) -> tuple[float, ...]:
    """What the fancy indexes of a key broadcast to."""
    try:
        return broadcast_shape(*((math.nan,) if _is_mask(e) else e.shape for e in key if is_fancy(e)))
    except ShapeError as error:
        raise IndexOutOfRange(f"shape mismatch: indexing arrays: {error}") from None


def check_fits(value: Sequence[float], target: Sequence[float]) -> None:
    """Raise where a value of one shape cannot be assigned to another. Leading axes of length 1 are left out."""
    shape = tuple(value)
    while len(shape) > len(target) and shape[0] == 1:
        shape = shape[1:]
    behind = target[len(target) - len(shape) :]
    if len(shape) > len(target) or not all(v == 1 or fits(v, n) for v, n in zip(shape, behind, strict=True)):
        raise ShapeError(f"could not broadcast input of shape {tuple(value)} into shape {tuple(target)}.")
