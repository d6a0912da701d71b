"""Parts of an order: partition, and the first of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, operation
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import flat, whole_along
from marsdask.tensor.selecting import with_axis
from marsdask.tensor.sort import IN_ONE_CHUNK, argsort, check_kind, line_axis, line_meta, sort
from marsdask.tensor.views import assign


def _check_kth(kth: Any, length: float) -> Any:
    if isinstance(kth, registry.Handle):
        kth = kth.to_numpy() if kth.is_executed() else kth
    if isinstance(kth, registry.Handle):
        raise ArgumentTypeError(
            "kth=: expected whole numbers, got an unexecuted tensor. Hint: execute it first."
        )
    places = np.asarray(kth)
    if places.dtype.kind not in "iu":
        raise ArgumentTypeError(f"kth={kth!r}: Partition index must be integer.")
    if np.any(places >= length) or np.any(places < -length):
        raise ArgumentError(f"kth={kth!r} out of bounds ({length:g})")
    return places.tolist()


def _prepare_partition(
    name: str,
    a: Any,
    kth: Any = None,
    axis: Any = -1,
    kind: str = "introselect",
    order: Any = None,
    parallel_kind: Any = None,
    psrs_kinds: Any = None,
) -> Any:
    if kind != "introselect":
        raise ArgumentError(f"select kind must be 'introselect' (got {kind!r}).")
    check_kind(None, None, parallel_kind, psrs_kinds)
    a = as_tensor(a)
    if name == "argpartition" and not a.ndim:
        a, axis = with_axis(a, axis)
    axis = line_axis(a, axis)
    length = float(np.prod(a.shape)) if axis is None else a.shape[axis]
    kth = _check_kth(kth, length)
    return registry.make(name, a, kth, axis, **({"order": order} if order is not None else {}))


def _partition_meta(
    dtype: Any, a: TensorMeta, kth: Any, axis: int | None = -1, order: Any = None
) -> TensorMeta:
    return line_meta(dtype, a, axis)


def _partition(function: Any, line: Any, a: da.Array, kth: Any, axis: int | None, order: Any) -> Any:
    if axis is None:
        a, axis = flat(a), 0
    if a.numblocks[axis] > 1 and a.ndim == 1 and a.nbytes > IN_ONE_CHUNK:
        return line(a, 0, order=order)  # what is sorted is partitioned
    a = whole_along(a, (axis,))
    dtype = a.dtype if function is np.partition else np.intp
    return a.map_blocks(function, kth=kth, axis=axis, order=order, dtype=dtype)


@operation(
    "partition",
    room="tensor",
    meta=partial(_partition_meta, None),
    prepare=partial(_prepare_partition, "partition"),
)  # fmt: skip
def partition(
    a: Array,
    kth: Any,
    axis: int | None = -1,
    kind: str = "introselect",
    order: Any = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    """A copy with the `kth` elements in their sorted places, smaller ones before and larger ones behind."""
    return _partition(np.partition, sort, a, kth, axis, order)


@operation(
    "argpartition",
    room="tensor",
    meta=partial(_partition_meta, np.dtype(np.intp)),
    prepare=partial(_prepare_partition, "argpartition"),
    owners=["Tensor"],
)
def argpartition(
    a: Array,
    kth: Any,
    axis: int | None = -1,
    kind: str = "introselect",
    order: Any = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    """Positions that would partition along `axis`."""
    return _partition(np.argpartition, argsort, a, kth, axis, order)


def _partition_in_place(self: Any, **arguments: Any) -> None:
    assign(self, _prepare_partition("partition", self, **arguments), what="partition")


@operation(
    "Tensor.partition",
    room="tensor",
    owners=["Tensor"],
    function=False,
    sizes="any",
    prepare=_partition_in_place,
)
def partition_in_place(
    self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None, **tuning: Any
) -> None:
    """Partitions the tensor in place; gives back None. `mt.partition` gives a copy."""


def _topk_of(k: int, axis: int, largest: bool, places: bool, part: Any) -> Any:
    """The first k in order, or their positions; of equal ones those that come first."""
    if not largest:
        order = np.argsort(part, axis=axis, kind="stable")
    else:  # from behind, so that equal ones keep their order
        back = np.argsort(np.flip(part, axis), axis=axis, kind="stable")
        order = part.shape[axis] - 1 - np.flip(back, axis)
    order = np.take(order, np.arange(min(k, part.shape[axis])), axis=axis)
    return order if places else np.take_along_axis(part, order, axis)


def _prepare_topk(
    name: str,
    a: Any,
    k: Any = None,
    axis: Any = -1,
    largest: bool = True,
    sorted: bool = True,
    parallel_kind: Any = None,
    psrs_kinds: Any = None,
) -> Any:
    check_kind(None, None, parallel_kind, psrs_kinds)
    a = as_tensor(a)
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise ArgumentTypeError(f"k={k!r}: expected a whole number, got {type(k).__name__}.")
    if k < 0:
        raise ArgumentError(f"k={k!r}: expected 0 or more. Hint: largest=False for the smallest.")
    axis = line_axis(a, axis)
    return registry.make(name, a, int(k), axis, bool(largest))


def _topk_meta(dtype: Any, a: TensorMeta, k: int, axis: int | None = -1, largest: bool = True) -> TensorMeta:
    shape = line_meta(None, a, axis).shape
    axis = axis or 0
    length = shape[axis]
    kept = min(k, length) if length == length else np.nan
    return TensorMeta((*shape[:axis], kept, *shape[axis + 1 :]), dtype or a.dtype)


def _topk(a: da.Array, k: int, axis: int | None, largest: bool, *, places: bool) -> da.Array:
    if axis is None:
        a, axis = flat(a), 0
    kept = tuple(min(k, n) for n in a.chunks[axis])
    if not places or a.numblocks[axis] == 1:
        dtype = np.intp if places else a.dtype
        few = a.map_blocks(
            partial(_topk_of, k, axis, largest, places), chunks=_cut(a, axis, kept), dtype=dtype
        )
        if few.numblocks[axis] == 1:
            return few
        final = partial(_topk_of, k, axis, largest, False)
        few = few.rechunk({axis: -1})
        return few.map_blocks(final, chunks=_cut(few, axis, (min(k, a.shape[axis]),)), dtype=a.dtype)
    index = tuple(range(a.ndim))
    where = da.arange(a.shape[axis], chunks=(a.chunks[axis],), dtype=np.intp)
    local = a.map_blocks(partial(_topk_of, k, axis, largest, True), chunks=_cut(a, axis, kept), dtype=np.intp)
    few = da.blockwise(
        partial(_at, axis),
        index,
        a,
        index,
        local,
        index,
        dtype=a.dtype,
        align_arrays=False,
        adjust_chunks={axis: kept},
    )
    absolute = da.blockwise(
        partial(_absolute, axis), index, where, (axis,), local, index, dtype=np.intp, align_arrays=False,
        adjust_chunks={axis: kept},
    )  # fmt: skip
    few, absolute = few.rechunk({axis: -1}), absolute.rechunk({axis: -1})
    chunks = _cut(few, axis, (min(k, a.shape[axis]),))
    return da.map_blocks(partial(_last_places, k, axis, largest), few, absolute, chunks=chunks, dtype=np.intp)


def _cut(a: da.Array, axis: int, lengths: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The chunks of `a` with other lengths along one axis."""
    return tuple(lengths if i == axis else c for i, c in enumerate(a.chunks))


def _at(axis: int, part: Any, places: Any) -> Any:
    return np.take_along_axis(part, places, axis)


def _absolute(axis: int, where: Any, places: Any) -> Any:
    return where[places] if len(where) else places


def _last_places(k: int, axis: int, largest: bool, values: Any, places: Any) -> Any:
    return np.take_along_axis(places, _topk_of(k, axis, largest, True, values), axis)


@operation(
    "topk", room="tensor", meta=partial(_topk_meta, None), prepare=partial(_prepare_topk, "topk")
)  # fmt: skip
def topk(
    a: Array,
    k: int,
    axis: int | None = -1,
    largest: bool = True,
    sorted: bool = True,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    """The `k` largest elements along `axis`, largest first; with `largest=False` the smallest, smallest first."""
    return _topk(a, k, axis, largest, places=False)


@operation(
    "argtopk",
    room="tensor",
    meta=partial(_topk_meta, np.dtype(np.intp)),
    prepare=partial(_prepare_topk, "argtopk"),
)
def argtopk(
    a: Array,
    k: int,
    axis: int | None = -1,
    largest: bool = True,
    sorted: bool = True,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    """Positions of the `k` largest (or smallest) elements along `axis`; of equal ones the first."""
    return _topk(a, k, axis, largest, places=True)
