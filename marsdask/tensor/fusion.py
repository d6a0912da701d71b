"""The kernel of fused elementwise chains: block by block through one scratch buffer that stays in cache."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import Any

import dask.array as da
import numpy as np

from marsdask.registry import operation

# Bytes of scratch per step and block. Measured on 8000 x 8000 doubles, chain of four steps with a sum, CPU seconds
# against one NumPy thread: see tests/benchmarks (tensor chain); 128 KiB fits the second-level cache of a core.
BLOCK_BYTES = 128 * 1024

Program = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]

# reduction over axes -> (ufunc that joins partial results, function of a block, function that ends)
REDUCTIONS: dict[str, np.ufunc] = {
    "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
    "any": np.logical_or, "all": np.logical_and,
}  # fmt: skip


@operation("fused", room="engine", sizes="aligned")
def fused(program: Program, reduced: Any, *arrays: da.Array) -> da.Array:
    """An elementwise chain, with a reduction at its end where `reduced` names one, as one kernel per chunk."""
    ndim = max(a.ndim for a in arrays)
    kernel = partial(run_program, program)
    args: list[Any] = []
    for a in arrays:
        args += [a, tuple(range(ndim - a.ndim, ndim))]
    axes_out = tuple(range(ndim))
    dtype = kernel(*(np.empty((0,) * a.ndim, a.dtype) for a in arrays)).dtype
    if reduced is None:
        return da.blockwise(kernel, axes_out, *args, dtype=dtype, meta=np.empty((0,) * ndim, dtype), name=None)
    name, axis, keepdims = reduced
    axes = tuple(range(ndim)) if axis is None else tuple(a % ndim for a in np.atleast_1d(axis))
    ufunc = REDUCTIONS[name]
    result = getattr(np, name)(np.ones((1,) * ndim, dtype))
    partial_results = da.blockwise(
        partial(run_reduced, program, name, axes),
        axes_out,
        *args,
        dtype=result.dtype,
        meta=np.empty((0,) * ndim, result.dtype),
        adjust_chunks={a: 1 for a in axes},
    )
    return da.reduction(
        partial_results,
        chunk=_same,
        aggregate=partial(_join, ufunc),
        combine=partial(_join, ufunc),
        axis=axes,
        keepdims=keepdims,
        dtype=result.dtype,
        split_every=16,
        concatenate=True,
        name=f"fused-{name}",
    )


def _same(part: Any, axis: Any = None, keepdims: bool = True) -> Any:
    return part


def _join(ufunc: np.ufunc, parts: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Any:
    return ufunc.reduce(parts, axis=axis, keepdims=keepdims)


def run_program(program: Program, *arrays: Any) -> Any:
    """The chain on one chunk, written block by block into one result."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    if math.prod(shape) == 0:
        return _steps(program, arrays, None)
    out: Any = None
    scratch: list[Any] | None = None
    for block, where in _blocks(program, arrays, shape):
        result, scratch = _run_block(program, block, scratch)
        if out is None:
            if result.shape == shape:
                return result
            out = np.empty(shape, result.dtype)
            flat = where[0] == "flat"
            target = out.reshape(-1) if flat else out
        target[where[1]] = result
    return out


def run_reduced(program: Program, name: str, axes: tuple[int, ...], *arrays: Any) -> Any:
    """The chain and its reduction on one chunk; reduced axes keep length 1."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    function = getattr(np, name)
    if math.prod(shape) == 0:
        return function(_steps(program, arrays, None), axis=axes, keepdims=True)
    ufunc = REDUCTIONS[name]
    everything = len(axes) == len(shape)
    rows_reduced = 0 in axes
    parts = []
    scratch: list[Any] | None = None
    for block, where in _blocks(program, arrays, shape, flat=everything):
        result, scratch = _run_block(program, block, scratch)
        if where[0] == "flat":
            parts.append(function(result, keepdims=True).reshape((1,) * len(shape)))
        else:
            parts.append(function(result, axis=axes, keepdims=True))
    if len(parts) == 1:
        return parts[0]
    joined = np.concatenate(parts, axis=0)
    return ufunc.reduce(joined, axis=0, keepdims=True) if rows_reduced else joined


def _blocks(program: Program, arrays: Any, shape: tuple[int, ...], *, flat: bool = True) -> Any:
    """Blocks of the operands, and where their results belong: flat runs where all are contiguous, else rows."""
    itemsize = max(a.dtype.itemsize for a in arrays)
    cells = max(BLOCK_BYTES // itemsize, 1)
    size = math.prod(shape)
    full = [a for a in arrays if a.ndim]
    if flat and all(a.shape == shape and a.flags.c_contiguous for a in full):
        runs = [a.reshape(-1) if a.ndim else a for a in arrays]
        for start in range(0, size, cells):
            where = slice(start, min(start + cells, size))
            yield [r[where] if r.ndim else r for r in runs], ("flat", where)
        return
    rows = max(cells * shape[0] // size, 1)
    for start, stop in pairwise([*range(0, shape[0], rows), shape[0]]):
        where = slice(start, stop)
        yield (
            [a[where] if a.ndim == len(shape) and a.shape[0] != 1 else a for a in arrays],
            ("rows", where),
        )


def _run_block(program: Program, block: Any, scratch: list[Any] | None) -> tuple[Any, list[Any]]:
    """Run the steps on one block. The first block allocates the buffers, later ones of the same size use them."""
    if scratch is not None:
        need = np.broadcast_shapes(*(b.shape for b in block))
        if scratch[-1].shape != need:
            if len(need) == 1 and need[0] < scratch[-1].shape[0]:
                return _steps(program, block, [s[: need[0]] for s in scratch]), scratch
            scratch = None
    buffers: list[Any] = scratch if scratch is not None else []
    return _steps(program, block, scratch, keep=buffers), buffers


def _steps(program: Program, block: Any, scratch: list[Any] | None, keep: list[Any] | None = None) -> Any:
    results: list[Any] = []
    for i, (name, operands) in enumerate(program):
        values = [v if kind == "is" else block[v] if kind == "in" else results[v] for kind, v in operands]
        ufunc = getattr(np, name)
        if scratch is not None:
            results.append(ufunc(*values, out=scratch[i]))
        else:
            results.append(ufunc(*values))
    if scratch is None and keep is not None:
        keep.extend(results)
    return results[-1]
