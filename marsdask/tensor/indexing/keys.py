"""Index keys: what NumPy takes between square brackets, made plain, and the shape that comes out.

A plain key has an entry for every axis: whole numbers, slices and integer arrays; `None` makes a new axis. Masks in
memory become integer arrays; tensors stay as they are until a lowering knows their values. `GAP` marks an Ellipsis:
NumPy puts the result of fancy indexes first if one stands between them, even where it stands for no axis.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from marsdask.errors import ArgumentError, IndexOutOfRange, ShapeError

GAP = "..."
FULL = slice(None)
KINDS = "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays and tensors are valid indices"


@dataclass(frozen=True, slots=True)
class Lazy:
    """Stands in a key for a tensor: its dtype's kind and shape, and the thing itself."""

    kind: str
    shape: tuple[float, ...]
    value: Any

    @property
    def ndim(self) -> int:
        return len(self.shape)


def plain(
    key: Any, shape: Sequence[float], lazy: Callable[[Any], Lazy | None] = lambda value: None
) -> tuple[Any, ...]:
    """`key` with an entry for every axis of `shape`, checked as far as lengths are known.

    `lazy` tells tensors from other things. True and False must have been made arrays by `without_truths`.
    """
    given = list(key) if isinstance(key, tuple) else [key]
    entries = [_entry(each, lazy) for each in given]
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
    result: list[Any] = []
    axis = 0
    for entry in entries:
        result += _checked(entry, axis, shape)
        axis += _width(entry)
    if not any(is_fancy(e) for e in result):
        result = [e for e in result if not isinstance(e, str)]
    return tuple(result)


def without_truths(key: Any) -> tuple[Any, tuple[Any, ...]]:
    """A key whose True and False are gone, and the basic key that must be applied first: each is an index on a new axis.

    `x[True]` is `x[None][[0]]`, `x[False]` is `x[None][[]]`, `x[t]` with a tensor of no axes is `x[None][t[None]]`.
    """
    given = list(key) if isinstance(key, tuple) else [key]
    truths = [i for i, e in enumerate(given) if _is_truth(e)]
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
            first += [FULL] * _width(
                _entry(e, lambda value: Lazy("i", (), value) if hasattr(value, "node") else None)
            )
    return tuple(new), tuple(first)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or (getattr(value, "ndim", None) == 0 and value.dtype == bool)


def _entry(value: Any, lazy: Callable[[Any], Lazy | None]) -> Any:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if value is Ellipsis:
        return GAP
    if isinstance(value, str):
        if value == GAP:  # a key that is plain already
            return value
        raise IndexOutOfRange(f"{value!r}: {KINDS}.")
    if isinstance(value, slice):
        return slice(*(_bound(b, lazy) for b in (value.start, value.stop, value.step)))
    if (known := lazy(value)) is not None:
        if known.kind not in "biu":
            raise IndexOutOfRange(f"a tensor of {known.kind!r} kind cannot index: {KINDS}.")
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
    if not array.ndim and array.dtype.kind in "iu":
        return int(array)
    return array


def _bound(value: Any, lazy: Callable[[Any], Lazy | None]) -> Any:
    if value is None or lazy(value) is not None:
        return value
    return operator.index(value)


def _width(entry: Any) -> int:
    """How many axes an entry takes."""
    if entry is None or isinstance(entry, str):
        return 0
    if isinstance(entry, Lazy):
        return entry.ndim if entry.kind == "b" else 1
    return entry.ndim if isinstance(entry, np.ndarray) and entry.dtype == bool else 1


def _checked(entry: Any, axis: int, shape: Sequence[float]) -> list[Any]:
    """An entry with whole numbers from 0 on and masks as arrays, where the lengths of its axes are known."""
    if entry is None or isinstance(entry, str):
        return [entry]
    if isinstance(entry, slice):
        if isinstance(entry.step, int) and entry.step == 0:
            raise ArgumentError("slice step cannot be zero.")
        return [_exact(entry, shape[axis])]
    lengths = shape[axis : axis + _width(entry)]
    if isinstance(entry, Lazy):
        if entry.kind == "b":
            _check_mask(entry.shape, lengths, axis)
        return [entry]
    if isinstance(entry, np.ndarray) and entry.dtype == bool:
        _check_mask(entry.shape, lengths, axis)
        return list(entry.nonzero()) if not any(map(math.isnan, lengths)) else [entry]
    (length,) = lengths
    if math.isnan(length):
        return [entry]
    length = int(length)
    if isinstance(entry, int):
        if not -length <= entry < length:
            raise _outside(entry, axis, length)
        return [entry % length]
    bad = (entry < -length) | (entry >= length)
    if bad.any():
        raise _outside(entry[bad].flat[0], axis, length)
    if entry.dtype.kind == "u":
        return [entry.astype(np.intp)]
    return [np.where(entry < 0, entry + length, entry) if (entry < 0).any() else entry]


def _exact(entry: slice, length: float) -> slice:
    """The same slice with bounds inside of an axis of known length: Dask takes `x[-9::-1]` for `x[0::-1]`."""
    if entry == FULL or math.isnan(length) or not _is_static(entry):
        return entry
    positions = range(*entry.indices(int(length)))
    if not positions:
        return slice(0, 0, 1)
    if positions == range(int(length)):
        return FULL
    stop = None if positions.step < 0 and positions.stop < 0 else positions.stop
    return slice(positions.start, stop, positions.step)


def _check_mask(mask: Sequence[float], lengths: Sequence[float], axis: int) -> None:
    for i, (m, n) in enumerate(zip(mask, lengths, strict=True)):
        if m != n and not math.isnan(m) and not math.isnan(n):
            raise IndexOutOfRange(
                f"boolean index did not match the tensor along axis {axis + i}: the axis has {n:.0f} entries, "
                f"the mask {m:.0f}."
            )


def _outside(index: Any, axis: int, length: int) -> IndexOutOfRange:
    return IndexOutOfRange(f"index {index} is out of bounds for axis {axis} with size {length}.")


def is_fancy(entry: Any) -> bool:
    """Whether an entry of a plain key is an array or a tensor."""
    return isinstance(entry, (np.ndarray, Lazy))


def is_basic(key: tuple[Any, ...]) -> bool:
    """Whether a plain key makes a view."""
    return not any(is_fancy(e) or (isinstance(e, slice) and not _is_static(e)) for e in key)


def _is_static(entry: slice) -> bool:
    return all(b is None or isinstance(b, int) for b in (entry.start, entry.stop, entry.step))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the axes of a result come from: `("new",)`, `("axis", i)` a sliced axis i, or `("fancy", j)`."""

    axes: tuple[tuple[Any, ...], ...]
    is_fancy: bool


def placed(key: tuple[Any, ...], fancy: tuple[float, ...]) -> Place:
    """NumPy's order of result axes for a plain key whose fancy indexes broadcast to the shape `fancy`."""
    if not any(is_fancy(e) for e in key):
        return Place(tuple(each for each in _sources(key)), False)
    spots = [i for i, e in enumerate(key) if is_fancy(e) or isinstance(e, int)]
    together = spots == list(range(spots[0], spots[-1] + 1))
    block = tuple(("fancy", j) for j in range(len(fancy)))
    before = tuple(_sources(key[: spots[0]])) if together else ()
    everything = tuple(_sources(key))
    return Place(before + block + everything[len(before) :], True)


def _sources(key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    axis = 0
    for entry in key:
        if entry is None:
            found.append(("new",))
        elif isinstance(entry, slice):
            found.append(("axis", axis))
        axis += _width(entry)
    return found


def result_shape(key: tuple[Any, ...], shape: Sequence[float]) -> tuple[float, ...]:
    """The shape of `x[key]` for a plain key, `nan` where only a run can tell."""
    fancy = fancy_shape(key)
    lengths: dict[int, float] = {}
    axis = 0
    for entry in key:
        if isinstance(entry, slice):
            lengths[axis] = slice_length(entry, shape[axis])
        axis += _width(entry)
    result: list[float] = []
    for source in placed(key, fancy).axes:
        if source[0] == "new":
            result.append(1)
        else:
            result.append(lengths[source[1]] if source[0] == "axis" else fancy[source[1]])
    return tuple(result)


def fancy_shape(key: tuple[Any, ...]) -> tuple[float, ...]:
    """What the fancy indexes of a key broadcast to."""
    shapes: list[tuple[float, ...]] = []
    for entry in key:
        if (isinstance(entry, Lazy) and entry.kind == "b") or (
            isinstance(entry, np.ndarray) and entry.dtype == bool
        ):
            shapes.append((math.nan,))
        elif is_fancy(entry):
            shapes.append(tuple(entry.shape))
    result: list[float] = []
    ndim = max(map(len, shapes), default=0)
    for lengths in zip(*((1,) * (ndim - len(s)) + s for s in shapes), strict=True):
        known = {n for n in lengths if n != 1 and not math.isnan(n)}
        if len(known) > 1:
            raise IndexOutOfRange(
                "shape mismatch: indexing arrays could not be broadcast together with shapes "
                + " ".join(str(s) for s in shapes)
            )
        unknown = any(math.isnan(n) for n in lengths)
        result.append(known.pop() if known else math.nan if unknown else 1)
    return tuple(result)


def slice_length(entry: slice, length: float) -> float:
    """How many entries a slice takes of an axis."""
    if entry == FULL:
        return length
    if math.isnan(length) or not _is_static(entry):
        return math.nan
    return len(range(*entry.indices(int(length))))


def check_fits(value: Sequence[float], target: Sequence[float]) -> None:
    """Raise where a value of one shape cannot be assigned to another. Leading axes of length 1 are left out."""
    value, given = list(value), tuple(value)
    while len(value) > len(target) and value[0] == 1:
        value = value[1:]
    spare = len(target) - len(value)
    fits = spare >= 0 and all(
        v in (1, n) or math.isnan(v) or math.isnan(n) for v, n in zip(value, target[spare:], strict=False)
    )
    if not fits:
        raise ShapeError(f"could not broadcast input of shape {given} into shape {tuple(target)}.")
