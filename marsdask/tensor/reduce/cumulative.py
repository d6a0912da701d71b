"""Running sums and differences."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import as_tensor, given
from marsdask.tensor.fold import (
    NOTHING,
    OBJECTS,
    flat,
    joined_at_once,
    line_of,
    loop_dtype,
    replaced,
    result_dtype,
    totals_of,
)

# name -> what joins two chunks
TABLE: dict[str, np.ufunc] = {
    "cumsum": np.add,
    "cumprod": np.multiply,
    "nancumsum": np.add,
    "nancumprod": np.multiply,
}


def _lower(name: str, a: da.Array, axis: int | None = None, dtype: Any = None) -> da.Array:
    ufunc, out = TABLE[name], result_dtype(getattr(np, name), a.dtype, dtype=dtype)
    a, axis = line_of(a, axis)
    local = a.map_blocks(partial(getattr(np, name), axis=axis, dtype=out), dtype=out)
    if a.numblocks[axis] == 1:
        return local
    index = tuple(range(a.ndim))
    ones = replaced(a.chunks, axis, (1,) * a.numblocks[axis])
    last = local.map_blocks(partial(_last, axis, ufunc), chunks=ones, dtype=out)
    before = graph.rechunked(last, {axis: -1}).map_blocks(partial(_before, axis, ufunc), dtype=out)
    before = graph.rechunked(before, {axis: 1})
    return da.blockwise(
        partial(_joined, ufunc) if out == OBJECTS else ufunc, index, before, index, local, index, dtype=out, align_arrays=False,
        adjust_chunks={axis: a.chunks[axis]},
    )  # fmt: skip


def _joined(ufunc: np.ufunc, before: Any, local: Any) -> Any:
    return totals_of(ufunc, local.dtype)(before, local)


def _last(axis: int, ufunc: np.ufunc, part: Any) -> Any:
    """What a chunk adds to those behind it; an empty chunk adds nothing."""
    if part.shape[axis]:
        return part.take([-1], axis=axis)
    nothing = NOTHING if part.dtype == OBJECTS else ufunc.identity
    return np.full(replaced(part.shape, axis, 1), nothing, part.dtype)


def _before(axis: int, ufunc: np.ufunc, totals: Any) -> Any:
    """For each chunk what all before it come to."""
    run = totals_of(ufunc, totals.dtype).accumulate(totals, axis=axis, dtype=loop_dtype(totals.dtype))
    first = _last(axis, ufunc, run[(slice(None),) * axis + (slice(0, 0),)])
    return np.concatenate([first, run.take(range(run.shape[axis] - 1), axis=axis)], axis=axis)


def _meta(name: str, a: TensorMeta, axis: int | None = None, dtype: Any = None) -> TensorMeta:
    kind = result_dtype(getattr(np, name), a.dtype, dtype=dtype)
    return TensorMeta((math.prod(a.shape),), kind) if axis is None else TensorMeta(a.shape, kind, a.order)


def _cumulated(name: str, a: Array, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    alone = not a.ndim and axis in (0, -1)  # a scalar has "its" axis here, as in NumPy
    kwargs: dict[str, Any] = {} if axis is None or alone else {"axis": checks.axis(axis, a.ndim)}
    if dtype is not None:
        kwargs["dtype"] = np.dtype(dtype)
    return given(registry.make(name, a, **kwargs), out)


for _name in TABLE:
    _doc = f"NumPy's `{_name}` along an axis, or over all elements in C order."
    _owners = () if _name.startswith("nan") else ("Tensor",)
    public(_name, owners=_owners, doc=_doc)(partial(_cumulated, _name))
    lowered(_name, meta=partial(_meta, _name))(partial(_lower, _name))


@public("diff")
def diff(a: Array, n: int = 1, axis: int = -1, prepend: Array = None, append: Array = None) -> Any:
    """The n-th difference along an axis."""
    n = checks.whole(n, "diff(n=)", 0)
    if a.ndim == 0:
        raise ArgumentError("diff requires input that is at least one dimensional")
    axis = checks.axis(axis, a.ndim)
    if n == 0:
        return a
    return registry.make("diff", a, n, axis, prepend, append)


@lowered("diff")
def _diff(a: da.Array, n: int, axis: int, prepend: Any, append: Any) -> da.Array:
    edge = replaced(a.shape, axis, 1)
    parts = [p if p.ndim else da.broadcast_to(p, edge) for p in (prepend, a, append) if p is not None]
    a = da.concatenate(parts, axis=axis)
    less = np.not_equal if a.dtype == bool else np.subtract
    before = (slice(None),) * axis
    for _ in range(n):
        head = slice(None, -1) if a.shape[axis] else slice(0, 0)
        a = less(a[(*before, slice(1, None))], a[(*before, head)])
    return a


@lowered("ediff1d", room="tensor")
def ediff1d(ary: Array, to_end: Array | None = None, to_begin: Array | None = None) -> da.Array:
    """Differences of neighbours in C order, with what goes before and behind them."""
    line = flat(ary)
    for name, edge in (("to_begin", to_begin), ("to_end", to_end)):
        if edge is not None and not np.can_cast(edge.dtype, ary.dtype, casting="same_kind"):
            raise ArgumentTypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
    steps = line[1:] - line[:-1] if line.shape[0] else line - line
    if to_begin is None and to_end is None:
        return steps  # of times the time between them
    if ary.dtype.kind == "M":
        raise ArgumentTypeError("ediff1d(to_begin=, to_end=): differences of times are no times.")
    return da.concatenate([flat(p).astype(ary.dtype) for p in (to_begin, steps, to_end) if p is not None])


def _tree(name: str, *args: Any, combine_size: int | None = None, out: Any = None, where: Any = None) -> Any:
    """All tensors added up (multiplied) pairwise in a tree."""
    joined_at_once(combine_size)
    tensors = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    if not tensors:
        raise ArgumentError(f"tree_{name}: expected at least one tensor.")
    parts = [as_tensor(p) for p in tensors]
    while len(parts) > 1:  # a balanced tree of two-operand nodes, which fuse into one kernel
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [registry.make(name, *p) if len(p) == 2 else p[0] for p in pairs]
    partly = out is not None and where is not None
    return given(registry.make("where", as_tensor(where), parts[0], out) if partly else parts[0], out)


for _name in ("add", "multiply"):
    public(f"tree_{_name}")(partial(_tree, _name))
