"""Elements by position or condition: take, compress, extract, choose, nonzero and their kin."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, UnknownLength
from marsdask.plan import registry
from marsdask.plan.meta import NAN, TensorMeta, TupleMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import Tensor, as_tensor
from marsdask.tensor.core import given as given  # noqa: PLC0414 - others look for it here
from marsdask.tensor.elements.elementwise import broadcast_shape
from marsdask.tensor.indexing.indexing import part
from marsdask.tensor.indexing.keys import FULL
from marsdask.tensor.reshaping import reshaped, whole_numbers

INDEX = np.dtype(np.intp)


def flat(a: Any) -> Any:
    """A tensor of one axis as it is, of anything else a copy on one axis."""
    a = as_tensor(a)
    return a if a.ndim == 1 else registry.make("reshape", a, (-1,))


def with_axis(a: Any, axis: Any) -> tuple[Tensor, int]:
    """A tensor and the axis to work along: flat for axis=None; one without axes counts as one of one element."""
    a = as_tensor(a)
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
    return given(part(a, (*[FULL] * axis, index)), out)


@public("compress")
def compress(condition: Any, a: Array, axis: int | None = None, out: Any = None) -> Any:
    """The slices along an axis where a condition holds, of the flat tensor without one."""
    a, axis = with_axis(a, axis)
    before = [FULL] * axis
    mask = condition if isinstance(condition, Tensor) else np.asarray(condition)
    if mask.ndim != 1:
        raise ShapeError("compress(): condition must be one-dimensional.")
    if isinstance(mask, np.ndarray):
        return given(part(a, (*before, np.flatnonzero(mask))), out)
    m, n = mask.known.shape[0], a.known.shape[axis]
    if m < n:
        a = part(a, (*before, slice(0, int(m))))
    return given(part(a, (*before, mask if mask.dtype == bool else mask.astype(bool))), out)


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
    a = as_tensor(a)
    if not np.can_cast(a.dtype, INDEX, "same_kind") or a.dtype.kind not in "iub":
        raise ArgumentTypeError(f"choose(): expected whole numbers to choose by, got dtype {a.dtype}.")
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


@lowered("argwhere", room="tensor", meta=lambda a: TensorMeta((NAN, float(a.ndim)), INDEX))
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
    indices, lengths = as_tensor(indices), whole_numbers(shape)
    if indices.dtype.kind not in "iu":
        raise ArgumentTypeError(f"unravel_index(): expected whole numbers, got dtype {indices.dtype}.")
    return registry.make("unravel_index", indices, lengths, order)


lowered(
    "unravel_index",
    sizes="any",
    meta=lambda indices, shape, order: TupleMeta(tuple(TensorMeta(indices.shape, INDEX) for _ in shape)),
)(_along_each_axis)
