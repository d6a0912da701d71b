"""Running sums and differences."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, add, lowered, operation, public
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import flat, joined_at_once, one_axis, result_dtype
from marsdask.tensor.views import assign

# name -> what joins two chunks
TABLE: dict[str, np.ufunc] = {
    "cumsum": np.add,
    "cumprod": np.multiply,
    "nancumsum": np.add,
    "nancumprod": np.multiply,
}


def _lower(name: str, a: da.Array, axis: int | None = None, dtype: Any = None) -> da.Array:
    function, ufunc = getattr(np, name), TABLE[name]
    out = result_dtype(function, a.dtype, **({} if dtype is None else {"dtype": np.dtype(dtype)}))
    if axis is None:
        a, axis = flat(a), 0
    run = partial(function, axis=axis, dtype=out)
    local = a.map_blocks(run, dtype=out)
    if a.numblocks[axis] == 1:
        return local
    index = tuple(range(a.ndim))
    last = da.blockwise(
        partial(_last, axis, ufunc),
        index,
        local,
        index,
        dtype=out,
        adjust_chunks={axis: 1},
        align_arrays=False,
    )
    before = last.rechunk({axis: -1}).map_blocks(partial(_before, axis, ufunc), dtype=out)
    before = before.rechunk({axis: 1})
    return da.blockwise(
        ufunc, index, before, index, local, index, dtype=out, align_arrays=False,
        adjust_chunks={axis: a.chunks[axis]},
    )  # fmt: skip


def _last(axis: int, ufunc: np.ufunc, part: Any) -> Any:
    """What a chunk adds to those behind it; an empty chunk adds nothing."""
    if part.shape[axis]:
        return part.take([-1], axis=axis)
    shape = tuple(1 if i == axis else n for i, n in enumerate(part.shape))
    return np.full(shape, ufunc.identity, part.dtype)


def _before(axis: int, ufunc: np.ufunc, totals: Any) -> Any:
    """For each chunk what all before it come to."""
    run = ufunc.accumulate(totals, axis=axis, dtype=totals.dtype)
    first = np.full_like(run.take([0], axis=axis), ufunc.identity)
    return np.concatenate([first, run.take(range(run.shape[axis] - 1), axis=axis)], axis=axis)


def _meta(name: str, a: TensorMeta, axis: int | None = None, dtype: Any = None) -> TensorMeta:
    shape = (float(np.prod(a.shape)) if a.shape else 1.0,) if axis is None else a.shape
    return TensorMeta(
        shape, result_dtype(getattr(np, name), a.dtype, **({} if dtype is None else {"dtype": dtype}))
    )


def _prepare(name: str, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    a = as_tensor(a)
    alone = not a.ndim and axis in (0, -1)  # a scalar has "its" axis here, as in NumPy
    kwargs: dict[str, Any] = {} if axis is None or alone else {"axis": one_axis(axis, a.ndim)}
    if dtype is not None:
        kwargs["dtype"] = np.dtype(dtype)
    result = registry.make(name, a, **kwargs)
    return result if out is None else assign(out, result)


def _shown(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> None:
    """The public signature of all of them."""


def _register(name: str) -> None:
    lower = partial(_lower, name)
    lower.__doc__ = f"NumPy's `{name}` along an axis, or over all elements in C order."  # type: ignore[attr-defined]
    add(
        registry.Op(
            name=name,
            room="tensor",
            lower=lower,
            signature=inspect.signature(_shown),
            status="tiled",
            meta=partial(_meta, name),
            owners=() if name.startswith("nan") else ("Tensor",),
            prepare=partial(_prepare, name),
        )
    )  # fmt: skip


for _name in TABLE:
    _register(_name)


@public("diff")
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """The n-th difference along an axis."""
    a = as_tensor(a)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise ArgumentTypeError(f"n={n!r}: expected a whole number.")
    if n < 0:
        raise ArgumentError(f"order must be non-negative but got {n!r}")
    if a.ndim == 0:
        raise ArgumentError("diff requires input that is at least one dimensional")
    axis = one_axis(axis, a.ndim)
    if n == 0:
        return a
    return {"a": a, "n": int(n), "axis": axis, "prepend": prepend, "append": append}


@lowered("diff")
def _prepare_diff(
    a: Array, n: int = 1, axis: int = -1, prepend: Array | None = None, append: Array | None = None
) -> da.Array:
    parts = [p for p in (_edge(prepend, a, axis), a, _edge(append, a, axis)) if p is not None]
    if len(parts) > 1:
        a = da.concatenate(parts, axis=axis)
    less = np.not_equal if a.dtype == bool else np.subtract
    head = [slice(None)] * a.ndim
    tail = list(head)
    for _ in range(n):
        head[axis], tail[axis] = slice(1, None), slice(None, -1) if a.shape[axis] else slice(0, 0)
        a = less(a[tuple(head)], a[tuple(tail)])
    return a


def _edge(part: Any, a: da.Array, axis: int) -> Any:
    if part is None:
        return None
    part = da.asarray(part)
    if part.ndim == 0:
        part = da.broadcast_to(part, tuple(1 if i == axis else n for i, n in enumerate(a.shape)))
    return part


@lowered(
    "ediff1d",
    room="tensor",
)
def ediff1d(ary: Array, to_end: Array | None = None, to_begin: Array | None = None) -> da.Array:
    """Differences of neighbours in C order, with what goes before and behind them."""
    line = flat(ary)
    parts = [line[1:] - line[:-1] if line.shape[0] else line]
    for extra, name in ((to_begin, "to_begin"), (to_end, "to_end")):
        if extra is None:
            continue
        if not np.can_cast(extra.dtype, ary.dtype, casting="same_kind"):
            raise ArgumentTypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        edge = flat(extra).astype(ary.dtype)
        parts = [edge, *parts] if name == "to_begin" else [*parts, edge]
    return da.concatenate(parts) if len(parts) > 1 else parts[0]


def _prepare_tree(
    name: str, args: Any = (), combine_size: Any = None, out: Any = None, where: Any = None
) -> Any:
    """A balanced tree of two-operand nodes, which fuse into one kernel."""
    joined_at_once(combine_size)
    parts = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    if not parts:
        raise ArgumentError(f"tree_{name}: expected at least one tensor.")
    parts = [as_tensor(p) for p in parts]
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [registry.make(name, *p) if len(p) == 2 else p[0] for p in pairs]
    if out is None:
        return parts[0]
    result = parts[0] if where is None else registry.make("where", as_tensor(where), parts[0], out)
    return assign(out, result)


for _public in ("add", "multiply"):

    @operation(
        f"tree_{_public}",
        room="tensor",
        prepare=partial(_prepare_tree, _public),
    )
    def tree(*args: Any, combine_size: int | None = None, out: Any = None, where: Any = None) -> Any:
        """All tensors added up (multiplied) pairwise in a tree."""
