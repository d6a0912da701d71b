"""Order: sort, argsort, partition, topk. A chunked line is sorted by splitting at sampled values, then chunk by chunk."""

from __future__ import annotations

import os
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import graph, registry
from marsdask.errors import ArgumentError, ArgumentTypeError, AxisError
from marsdask.lower import Ask, Keep
from marsdask.meta import TensorMeta
from marsdask.registry import Array, operation
from marsdask.tensor.core import ExecutableTuple, as_tensor
from marsdask.tensor.fold import flat, one_axis, one_chunk, whole_along
from marsdask.tensor.views import assign

# Values per chunk that splitters are chosen from: buckets then differ by a few percent.
SAMPLED = 4096
# Up to this many buckets pick their values themselves: each looks at all of the data, 1.2 ns a value and bucket.
PICKED = 16
BLOCK = 2**15
# A line of fewer bytes is sorted in one chunk: exchanging costs more than a second core gives.
IN_ONE_CHUNK = 2**20

KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")


def check_kind(kind: Any, stable: Any = None, parallel_kind: Any = None, psrs_kinds: Any = None) -> None:
    """Errors for values that NumPy or Mars does not know; Mars's two only tune."""
    if kind not in KINDS:
        raise ArgumentError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r}).")
    if kind is not None and stable is not None:
        raise ArgumentError("kind and stable can't be provided at the same time.")
    if parallel_kind is not None and str(parallel_kind).lower() not in ("psrs", "auto", "tree"):
        raise ArgumentError(f"parallel_kind={parallel_kind!r}: expected 'PSRS' or 'auto'.")
    for each in psrs_kinds or ():
        if each not in KINDS:
            raise ArgumentError(f"psrs_kinds={psrs_kinds!r}: expected sort kinds, got {each!r}.")


def _line_axis(a: Any, axis: Any) -> int | None:
    if axis is None:
        return None
    if a.ndim == 0:
        raise AxisError.outside(axis, 0)
    return one_axis(axis, a.ndim)


def _prepare_sort(
    name: str,
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    stable: Any = None,
    parallel_kind: Any = None,
    psrs_kinds: Any = None,
    return_index: bool = False,
) -> Any:
    check_kind(kind, stable, parallel_kind, psrs_kinds)
    a = as_tensor(a)
    axis = _line_axis(a, axis)
    extra = {"order": order} if order is not None else {}
    if order is not None and a.dtype.names is None:
        raise ArgumentError("Cannot specify order when the array has no fields.")
    result = registry.make(name, a, axis, **extra)
    return ExecutableTuple((result, registry.make("argsort", a, axis, **extra))) if return_index else result


def _line_meta(dtype: Any, a: TensorMeta, axis: int | None = -1, order: Any = None) -> TensorMeta:
    size = float(np.prod(a.shape)) if a.shape else 1.0
    shape = (size,) if axis is None else a.shape
    return TensorMeta(shape, dtype or a.dtype)


SORT_CASES = (
    "x", "x, axis=0", "x, axis=None", "i, axis=1", "v", "w", "n", "n, None", "vn", "h, axis=0", "z, axis=1", "b, axis=0", "c3, axis=1",
    "s0, axis=None", "s0", "x, axis=2", "x, kind='stable'", "x, kind='nope'", "e", "e, axis=0", "v, kind='stable', stable=True", "v, stable=True",
    "v, order='f'",
)  # fmt: skip


@operation(
    "sort",
    room="tensor",
    meta=partial(_line_meta, None),
    prepare=partial(_prepare_sort, "sort"),
    oracle=np.sort,
    cases=SORT_CASES,
)
def sort(
    a: Array,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    stable: bool | None = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
    return_index: bool = False,
) -> Any:
    """A sorted copy along `axis`; with `return_index` also the positions, as Mars does.

    Always stable where order can be told apart. `parallel_kind` and `psrs_kinds` only tune.
    """
    if axis is None:
        a, axis = flat(a), 0
    if a.numblocks[axis] == 1 or a.ndim > 1:
        return whole_along(a, (axis,)).map_blocks(np.sort, axis=axis, order=order, dtype=a.dtype)
    if a.nbytes <= IN_ONE_CHUNK or a.dtype.kind in "OVc":
        graph.rule("sort: small, or of a kind without a plain order: in one chunk")
        return one_chunk(a, "sort").map_blocks(np.sort, order=order, dtype=a.dtype)
    return sorted_line(a)


def sorted_line(a: da.Array) -> Generator[Any, Any, da.Array]:
    """A chunked line in order: its values go to buckets by sampled splitters, then each bucket is sorted.

    Nothing is merged: merging sorted runs costs a pass per doubling, a bucket one pass. In one process a bucket picks its
    values out of all chunks itself, and there is no copy but the result; between processes each chunk sends pieces.
    """
    a = yield Keep(a)
    here = graph.in_one_process()
    count = max(a.numblocks[0], min(2 * (os.cpu_count() or 1), PICKED)) if here else a.numblocks[0]
    pivots = splitters((yield Ask(graph.per_chunk(sample, a, lengths=None))), count)
    below = yield Ask(graph.per_chunk(partial(_below, pivots), a, lengths=None))
    sizes = (
        np.diff([[0, *b, n] for b, n in zip(below, a.chunks[0], strict=True)], axis=1).sum(axis=0).tolist()
    )
    chunks = graph.per_chunk(_as_is, a, lengths=None)
    if here and len(sizes) <= PICKED:
        graph.rule(f"sort: {len(sizes)} buckets, each picks its values from all chunks and is sorted")
        edges = [None, *pivots, None]
        picked = [
            graph.value(partial(_picked, lo, hi, size), chunks)
            for lo, hi, size in zip(edges, edges[1:], sizes, strict=False)
        ]
        buckets = graph.joined(*picked).with_lengths(tuple(sizes))
    else:
        graph.rule(f"sort: {a.numblocks[0]} chunks cut at sampled values, exchanged, then each sorted")
        buckets = graph.exchange(
            chunks, partial(split, pivots), _sorted_together, len(sizes), lengths=tuple(sizes)
        )
    return graph.to_array(buckets, (), a.dtype)


def _below(pivots: Any, part: Any) -> list[int]:
    return [int(np.count_nonzero(part < p)) for p in pivots]


def _picked(lo: Any, hi: Any, size: int, parts: list[Any]) -> Any:
    """The values in `lo <= v < hi` of all chunks, sorted; looked for block by block, so that masks stay in cache."""
    bucket = np.empty(size, parts[0].dtype)
    at = 0
    for part in parts:
        for start in range(0, len(part), BLOCK):
            block = part[start : start + BLOCK]
            if hi is None:  # the last bucket takes the holes too
                found = block if lo is None else block[~(block < lo)]
            else:
                found = block[block < hi] if lo is None else block[(block >= lo) & (block < hi)]
            bucket[at : at + len(found)] = found
            at += len(found)
    bucket.sort()
    return bucket


def _as_is(part: Any) -> Any:
    return part


def sample(part: Any) -> Any:
    """Some values of a chunk, evenly spaced."""
    return part[:: max(len(part) // SAMPLED, 1)].copy()


def splitters(samples: list[Any], count: int) -> Any:
    """Up to `count - 1` values that cut the data into about equal buckets; never a hole, which nothing is less than."""
    values = np.sort(np.concatenate(samples))
    if not len(values):
        return values
    places = np.arange(1, count) * len(values) // count
    chosen = values[places]
    if chosen.dtype.kind in "fcmM":
        chosen = chosen[~(np.isnat(chosen) if chosen.dtype.kind in "mM" else np.isnan(chosen))]
    return np.unique(chosen)


def split(pivots: Any, part: Any) -> list[Any]:
    """The values of a chunk by bucket, unordered inside. Counting what is less makes the cut exact at ties."""
    ends = _below(pivots, part)
    cuts = sorted({e for e in ends if 0 < e < len(part)})
    placed = np.partition(part, cuts) if cuts else part
    return [placed[a:b] for a, b in zip([0, *ends], [*ends, len(part)], strict=True)]


def _sorted_together(pieces: list[Any]) -> Any:
    bucket = np.concatenate(pieces)
    bucket.sort()
    return bucket


@operation(
    "argsort",
    room="tensor",
    owners=["Tensor"],
    meta=partial(_line_meta, np.dtype(np.intp)),
    prepare=partial(_prepare_sort, "argsort"),
    oracle=np.argsort,
    cases=(
        "x", "x, axis=0", "x, axis=None", "i, 1", "v", "w, kind='stable'", "n, kind='stable'", "n, axis=0, stable=True", "n, axis=None, kind='stable'",
        "vn, kind='stable'", "b, axis=0, kind='stable'", "z, axis=0", "s0, axis=None", "e, axis=0", "x, axis=-3", "x, kind='no'",
    ),
)  # fmt: skip
def argsort(
    a: Array,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    stable: bool | None = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    """Positions that would sort along `axis`. Always stable."""
    if axis is None:
        a, axis = flat(a), 0
    in_place = partial(np.argsort, axis=axis, kind="stable", order=order)
    if a.numblocks[axis] == 1 or a.ndim > 1:
        return whole_along(a, (axis,)).map_blocks(in_place, dtype=np.intp)
    if a.nbytes <= IN_ONE_CHUNK or a.dtype.kind in "OV":
        return one_chunk(a, "argsort").map_blocks(in_place, dtype=np.intp)
    return _argsorted_line(a)


def _argsorted_line(a: da.Array) -> Generator[Any, Any, da.Array]:
    graph.rule(f"argsort: {a.numblocks[0]} sorted chunks split at sampled values, then each merged")
    a = yield Keep(a)
    pivots = splitters((yield Ask(graph.per_chunk(sample, a, lengths=None))), a.numblocks[0])
    offsets = tuple(np.cumsum((0, *a.chunks[0])).tolist())
    runs = graph.per_chunk(partial(_run, offsets), a, lengths=None, number=True)
    buckets = graph.exchange(runs, partial(_split_run, pivots), _positions, len(pivots) + 1)
    return graph.to_array(buckets, (), np.intp)


def _run(offsets: tuple[int, ...], i: int, part: Any) -> Any:
    places = np.argsort(part, kind="stable")
    return part[places], places + offsets[i]


def _split_run(pivots: Any, run: Any) -> list[Any]:
    values, places = run
    ends = np.searchsorted(values, pivots).tolist()
    return [(values[a:b], places[a:b]) for a, b in zip([0, *ends], [*ends, len(values)], strict=True)]


def _positions(pieces: list[Any]) -> Any:
    values = np.concatenate([v for v, _ in pieces])
    return np.concatenate([p for _, p in pieces])[np.argsort(values, kind="stable")]


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
    axis = _line_axis(a, axis)
    length = float(np.prod(a.shape)) if axis is None else a.shape[axis]
    kth = _check_kth(kth, length)
    return registry.make(name, a, kth, axis, **({"order": order} if order is not None else {}))


def _partition_meta(
    dtype: Any, a: TensorMeta, kth: Any, axis: int | None = -1, order: Any = None
) -> TensorMeta:
    return _line_meta(dtype, a, axis)


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
    oracle=np.partition,
    cases=("f(x, 2)[:, 2]", "f(x, 3, axis=0)[3]", "f(x, 4, axis=None)[4]", "f(v, [2, 5])[2]", "f(v, -1)[-1]", "v, 11", "x, 1.5", "x, 1, axis=4"),
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
    oracle=np.argpartition,
    cases=("f(x, 2)[:, 2]", "f(x, 3, axis=0)[3]", "f(v, 4, axis=None)[4]", "v, 12"),
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


def _sort_in_place(self: Any, **arguments: Any) -> None:
    """Sort and rebind, through views too."""
    assign(self, _prepare_sort("sort", self, **arguments), what="sort")


def _partition_in_place(self: Any, **arguments: Any) -> None:
    assign(self, _prepare_partition("partition", self, **arguments), what="partition")


@operation(
    "Tensor.sort", room="tensor", owners=["Tensor"], function=False, sizes="any", prepare=_sort_in_place
)
def sort_in_place(
    self: Any,
    axis: int = -1,
    kind: str | None = None,
    order: Any = None,
    stable: bool | None = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> None:
    """Sorts the tensor in place; gives back None. `mt.sort` gives a copy."""


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


def _np_topk(a: Any, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    ordered = np.sort(a, axis=axis)
    if largest:
        ordered = np.flip(ordered, axis=axis)
    return np.take(ordered, np.arange(min(k, a.shape[axis])), axis=axis)


def _np_argtopk(a: Any, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return _topk_of(k, axis, largest, True, a)


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
    axis = _line_axis(a, axis)
    return registry.make(name, a, int(k), axis, bool(largest))


def _topk_meta(dtype: Any, a: TensorMeta, k: int, axis: int | None = -1, largest: bool = True) -> TensorMeta:
    shape = _line_meta(None, a, axis).shape
    axis = axis or 0
    length = shape[axis]
    kept = min(k, length) if length == length else np.nan
    return TensorMeta((*shape[:axis], kept, *shape[axis + 1 :]), dtype or a.dtype)


TOPK_CASES = (
    "x, 2", "x, 3, axis=0", "v, 4", "v, 4, largest=False", "n, 3, axis=1", "n, 4, axis=0, largest=False", "x, 50", "vn, 9", "x, 0", "x, 2, axis=5",
    "c3, 2, axis=1", "x, 2.5",
)  # fmt: skip


def _topk(a: da.Array, k: int, axis: int | None, largest: bool, *, places: bool) -> da.Array:
    if axis is None:
        a, axis = flat(a), 0
    kept = tuple(min(k, n) for n in a.chunks[axis])
    if not places or a.numblocks[axis] == 1:
        chunks = {axis: kept}
        few = a.map_blocks(
            partial(_topk_of, k, axis, largest, places),
            chunks=tuple(chunks.get(i, c) for i, c in enumerate(a.chunks)),
            dtype=np.intp if places else a.dtype,
        )
        if few.numblocks[axis] == 1:
            return few
        final = partial(_topk_of, k, axis, largest, False)
        few = few.rechunk({axis: -1})
        chunks = tuple((min(k, a.shape[axis]),) if i == axis else c for i, c in enumerate(few.chunks))
        return few.map_blocks(final, chunks=chunks, dtype=a.dtype)
    index = tuple(range(a.ndim))
    where = da.arange(a.shape[axis], chunks=(a.chunks[axis],), dtype=np.intp)
    cut = tuple(kept if i == axis else c for i, c in enumerate(a.chunks))
    local = a.map_blocks(partial(_topk_of, k, axis, largest, True), chunks=cut, dtype=np.intp)
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
    chunks = tuple((min(k, a.shape[axis]),) if i == axis else c for i, c in enumerate(few.chunks))
    return da.map_blocks(partial(_last_places, k, axis, largest), few, absolute, chunks=chunks, dtype=np.intp)


def _at(axis: int, part: Any, places: Any) -> Any:
    return np.take_along_axis(part, places, axis)


def _absolute(axis: int, where: Any, places: Any) -> Any:
    return where[places] if len(where) else places


def _last_places(k: int, axis: int, largest: bool, values: Any, places: Any) -> Any:
    return np.take_along_axis(places, _topk_of(k, axis, largest, True, values), axis)


@operation(
    "topk", room="tensor", meta=partial(_topk_meta, None), prepare=partial(_prepare_topk, "topk"), oracle=_np_topk, cases=TOPK_CASES
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
    oracle=_np_argtopk,
    cases=TOPK_CASES,
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
