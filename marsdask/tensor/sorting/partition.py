"""Parts of an order: partition, and the first of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.fold import line_of, replaced, whole_along
from marsdask.tensor.sorting.sort import IN_ONE_CHUNK, argsort_line, check_kind, line, line_meta, sort_line
from marsdask.tensor.views import assign


def _check_kth(kth: Any, length: float) -> Any:
    if isinstance(kth, registry.Handle):
        if not kth.is_executed():
            raise ArgumentTypeError(
                "kth=: expected whole numbers, got an unexecuted tensor. Hint: execute it first."
            )
        kth = kth.to_numpy()
    places = np.asarray(kth)
    if places.dtype.kind not in "iu":
        raise ArgumentTypeError(f"kth={kth!r}: Partition index must be integer.")
    if np.any(places >= length) or np.any(places < -length):
        raise ArgumentError(f"kth={kth!r} out of bounds ({length:g})")
    return places.tolist()


def _partition(
    name: str,
    a: Array,
    kth: Any,
    axis: int | None = -1,
    kind: str = "introselect",
    order: Any = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    if kind != "introselect":
        raise ArgumentError(f"select kind must be 'introselect' (got {kind!r}).")
    check_kind(None, None, parallel_kind, psrs_kinds)
    a, axis = line(name, a, axis)
    kth = _check_kth(kth, line_meta(None, a.known, axis).shape[axis or 0])
    return registry.make(name, a, kth, axis, **({"order": order} if order is not None else {}))


partition = partial(_partition, "partition")


@public("Tensor.partition", owners=("Tensor",))
def partition_in_place(
    self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None, **tuning: Any
) -> None:
    """Partitions the tensor in place; gives back None. `mt.partition` gives a copy."""
    assign(self, partition(self, kth, axis, kind, order, **tuning), what="partition")


def _partition_meta(
    dtype: Any, a: TensorMeta, kth: Any, axis: int | None = -1, order: Any = None
) -> TensorMeta:
    return line_meta(dtype, a, axis)


def _partition_line(
    function: Any, ordered: Any, dtype: Any, a: da.Array, kth: Any, axis: int | None = -1, order: Any = None
) -> Any:
    a, axis = line_of(a, axis)
    if a.numblocks[axis] > 1 and a.ndim == 1 and a.nbytes > IN_ONE_CHUNK:
        return ordered(a, 0, order=order)  # what is sorted is partitioned
    a = whole_along(a, (axis,))
    return a.map_blocks(function, kth=kth, axis=axis, order=order, dtype=dtype or a.dtype)


def _topk(
    name: str,
    a: Array,
    k: int,
    axis: int | None = -1,
    largest: bool = True,
    sorted: bool = True,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    check_kind(None, None, parallel_kind, psrs_kinds)
    k = checks.whole(k, "k")
    if k < 0:
        raise ArgumentError(f"k={k!r}: expected 0 or more. Hint: largest=False for the smallest.")
    a, axis = line("topk", a, axis)
    return registry.make(name, a, k, axis, bool(largest))


def _topk_meta(dtype: Any, a: TensorMeta, k: int, axis: int | None = -1, largest: bool = True) -> TensorMeta:
    shape = line_meta(None, a, axis).shape
    length = shape[axis or 0]
    kept = min(k, length) if length == length else np.nan
    return TensorMeta(replaced(shape, axis or 0, kept), dtype or a.dtype)


def _topk_line(
    a: da.Array, k: int, axis: int | None = -1, largest: bool = True, *, places: bool = False
) -> da.Array:
    a, axis = line_of(a, axis)
    last = (min(k, a.shape[axis]),)
    values = partial(_first, k, axis, largest, False)
    local = partial(_first, k, axis, largest, True)
    if a.numblocks[axis] == 1:
        dtype = np.intp if places else a.dtype
        return a.map_blocks(local if places else values, chunks=replaced(a.chunks, axis, last), dtype=dtype)
    kept = tuple(min(k, n) for n in a.chunks[axis])
    if not places:
        few = a.map_blocks(values, chunks=replaced(a.chunks, axis, kept), dtype=a.dtype).rechunk({axis: -1})
        return few.map_blocks(values, chunks=replaced(few.chunks, axis, last), dtype=a.dtype)
    index = tuple(range(a.ndim))
    lengths = {"align_arrays": False, "adjust_chunks": {axis: kept}}
    where = da.arange(a.shape[axis], chunks=(a.chunks[axis],), dtype=np.intp)
    found = a.map_blocks(local, chunks=replaced(a.chunks, axis, kept), dtype=np.intp)
    few = da.blockwise(
        partial(np.take_along_axis, axis=axis), index, a, index, found, index, dtype=a.dtype, **lengths
    )
    absolute = da.blockwise(_absolute, index, where, (axis,), found, index, dtype=np.intp, **lengths)
    few, absolute = few.rechunk({axis: -1}), absolute.rechunk({axis: -1})
    chunks = replaced(few.chunks, axis, last)
    return da.map_blocks(partial(_last_places, local, axis), few, absolute, chunks=chunks, dtype=np.intp)


def _first(k: int, axis: int, largest: bool, places: bool, part: Any) -> Any:
    """The first k in order, or their positions; of equal ones those that come first."""
    if not largest:
        order = np.argsort(part, axis=axis, kind="stable")
    else:  # from behind, so that equal ones keep their order
        back = np.argsort(np.flip(part, axis), axis=axis, kind="stable")
        order = part.shape[axis] - 1 - np.flip(back, axis)
    order = np.take(order, np.arange(min(k, part.shape[axis])), axis=axis)
    return order if places else np.take_along_axis(part, order, axis)


def _absolute(where: Any, places: Any) -> Any:
    return where[places] if len(where) else places


def _last_places(local: Any, axis: int, values: Any, places: Any) -> Any:
    return np.take_along_axis(places, local(values), axis)


# name -> (what users call, documentation, metadata, lowering)
FAMILY: dict[str, tuple[Any, str, Any, Any]] = {
    "partition": (
        partition,
        "A copy with the `kth` elements in their sorted places, smaller ones before and larger ones behind.",
        partial(_partition_meta, None),
        partial(_partition_line, np.partition, sort_line, None),
    ),
    "argpartition": (
        partial(_partition, "argpartition"),
        "Positions that would partition along `axis`.",
        partial(_partition_meta, np.dtype(np.intp)),
        partial(_partition_line, np.argpartition, argsort_line, np.intp),
    ),
    "topk": (
        partial(_topk, "topk"),
        "The `k` largest elements along `axis`, largest first; with `largest=False` the smallest, smallest first.",
        partial(_topk_meta, None),
        _topk_line,
    ),
    "argtopk": (
        partial(_topk, "argtopk"),
        "Positions of the `k` largest (or smallest) elements along `axis`; of equal ones the first.",
        partial(_topk_meta, np.dtype(np.intp)),
        partial(_topk_line, places=True),
    ),
}
for _name, (_call, _doc, _meta, _lower) in FAMILY.items():
    public(_name, owners=("Tensor",) if _name == "argpartition" else (), doc=_doc)(_call)
    lowered(_name, meta=_meta)(_lower)
