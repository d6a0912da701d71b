"""The kernel of fused elementwise chains: block by block through one scratch buffer that stays in cache."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import dask.array as da
import numpy as np

from marsdask.plan.registry import lookup, lowered
from marsdask.tensor.fold import OBJECTS, result_dtype

# Bytes of one operand in a block: scratch stays in the cache, and calls are few. The chain of tests/benchmarks, 2 x 64e6
# doubles in memory, two threads, CPU ms by KiB: 128 190, 256 142, 512 107, 1024 101, 2048 87-129, 8192 194.
BLOCK_BYTES = 1024 * 1024

Program = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]

# reduction over axes -> what joins partial results
REDUCTIONS: dict[str, np.ufunc] = {
    "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
    "any": np.logical_or, "all": np.logical_and,
}  # fmt: skip


TOLD = ("any", "all", "count_nonzero", "argmax", "argmin", "nanargmax", "nanargmin")
"""Reductions to truths, counts and places, of objects as well."""


def reduced_dtype(name: str, given: Any, **settings: Any) -> np.dtype[Any]:
    """The dtype of a reduction of elements of a dtype."""
    return result_dtype(getattr(np, name), "?" if given == OBJECTS and name in TOLD else given, **settings)


@lowered("fused", sizes="aligned")
def fused(program: Program, reduced: Any, *arrays: da.Array) -> da.Array:
    """An elementwise chain, with a reduction at its end where `reduced` names one, as one kernel per chunk."""
    ndim = max(a.ndim for a in arrays)
    kernel = partial(run_program, program)
    args = [each for a in arrays for each in (a, tuple(range(ndim - a.ndim, ndim)))]
    axes_out, nothing = tuple(range(ndim)), (0,) * ndim
    dtype = kernel(*(np.empty((0,) * a.ndim, a.dtype) for a in arrays)).dtype
    if reduced is None:
        return da.blockwise(kernel, axes_out, *args, dtype=dtype, meta=np.empty(nothing, dtype), name=None)
    name, axis, keepdims = reduced
    axes = tuple(range(ndim)) if axis is None else tuple(a % ndim for a in np.atleast_1d(axis))
    dtype = reduced_dtype(name, dtype)
    kernel, gone = partial(run_reduced, program, name, axes), dict.fromkeys(axes, 1)
    parts = da.blockwise(
        kernel, axes_out, *args, dtype=dtype, meta=np.empty(nothing, dtype), adjust_chunks=gone
    )
    lower: Any = lookup(name).lower
    return lower(parts, axes, keepdims)


def run_program(program: Program, *arrays: Any) -> Any:
    """The chain on one chunk, written block by block into one result."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    if math.prod(shape) == 0:
        return _steps(program, arrays)[-1]
    out: Any = None
    for result, flat, where in _results(program, arrays, shape):
        if out is None:
            if result.shape == shape:
                return result
            out = np.empty(shape, result.dtype)
            target = out.reshape(-1) if flat else out
        target[where] = result
    return out


def run_reduced(program: Program, name: str, axes: tuple[int, ...], *arrays: Any) -> Any:
    """The chain and its reduction on one chunk; reduced axes keep length 1."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    if math.prod(shape) == 0:
        whole = _steps(program, arrays)[-1]
        silent = name in ("max", "min") or (whole.dtype == OBJECTS and name in ("sum", "prod"))
        if silent and any(shape[a] == 0 for a in axes):  # nothing to say: joined as nothing
            return whole.reshape([min(n, 1) if a in axes else n for a, n in enumerate(shape)])
        return getattr(np, name)(whole, axis=axes, keepdims=True)
    ufunc = REDUCTIONS[name]
    if math.prod(shape) * arrays[0].dtype.itemsize <= BLOCK_BYTES:  # one block: no buffers to keep
        return ufunc.reduce(_steps(program, arrays)[-1], axis=axes, keepdims=True)
    parts = []
    for result, flat, _ in _results(program, arrays, shape, flat=len(axes) == len(shape)):
        parts.append(ufunc.reduce(result) if flat else ufunc.reduce(result, axis=axes, keepdims=True))
    if np.ndim(parts[0]) == 0:
        return ufunc.reduce(np.array(parts)).reshape((1,) * len(shape))
    joined = np.concatenate(parts, axis=0) if len(parts) > 1 else parts[0]
    return ufunc.reduce(joined, axis=0, keepdims=True) if 0 in axes else joined


def _blocks(
    arrays: Any, shape: tuple[int, ...], *, flat: bool = True
) -> Iterator[tuple[list[Any], bool, slice]]:
    """Blocks of the operands, whether they are flat runs (all contiguous) or rows, and where their results belong."""
    cells = max(BLOCK_BYTES // max(a.dtype.itemsize for a in arrays), 1)
    size = math.prod(shape)
    if flat and all(a.shape == shape and a.flags.c_contiguous for a in arrays if a.ndim):
        runs = [a.reshape(-1) if a.ndim else a for a in arrays]
        for start in range(0, size, cells):
            where = slice(start, min(start + cells, size))
            yield [r[where] if r.ndim else r for r in runs], True, where
        return
    rows = max(cells * shape[0] // size, 1)
    for start, stop in pairwise([*range(0, shape[0], rows), shape[0]]):
        where = slice(start, stop)
        yield [a[where] if a.ndim == len(shape) and a.shape[0] != 1 else a for a in arrays], False, where


def _results(
    program: Program, arrays: Any, shape: tuple[int, ...], *, flat: bool = True
) -> Iterator[tuple[Any, bool, slice]]:
    """What the program gives of each block: the first allocates scratch buffers, later ones of its size write into them.

    A step writes into the buffer of an operand that nobody reads later, so a chain needs one buffer, not one a step.
    """
    scratch: list[Any] = []
    usual: tuple[int, ...] = ()
    for block, is_flat, where in _blocks(arrays, shape, flat=flat):
        size = np.broadcast_shapes(*(b.shape for b in block))
        results = _steps(program, block, scratch if size == usual else [])  # the last is shorter
        yield results[-1], is_flat, where
        if not scratch:
            scratch, usual = _shared_buffers(program, results), size


def _shared_buffers(program: Program, results: list[Any]) -> list[Any]:
    """A buffer for each step's result, taken over from an operand that is read for the last time."""
    last_read = {i: at for at, (_, operands) in enumerate(program) for kind, i in operands if kind == "at"}
    buffers: list[Any] = []
    for at, (_, operands) in enumerate(program):
        mine = results[at]
        free = [i for kind, i in operands if kind == "at" and last_read[i] == at]
        if not isinstance(getattr(np, program[at][0]), np.ufunc):  # makes its own, or hands back its operand
            buffers.append(None)
            continue
        known = [buffers[i] for i in free if buffers[i] is not None]
        alike = [b for b in known if b.dtype == mine.dtype and b.shape == mine.shape]
        buffers.append(alike[0] if alike else mine)
    return buffers


def _steps(program: Program, block: Any, buffers: Sequence[Any] = ()) -> list[Any]:
    """The results of the steps on one block, each in its buffer where there is one."""
    results: list[Any] = []
    for (name, operands), buffer in zip(program, buffers or [None] * len(program), strict=True):
        values = [v if kind == "is" else block[v] if kind == "in" else results[v] for kind, v in operands]
        function = getattr(np, name)
        results.append(function(*values, out=buffer) if isinstance(function, np.ufunc) else function(*values))
    return results
