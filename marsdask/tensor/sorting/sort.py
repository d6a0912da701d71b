"""Order: sort, argsort, and parts of an order: partition, topk. A chunked line is sorted by splitting at sampled values."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Generator, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.session.room import room
from marsdask.tensor.core import ExecutableTuple, Tensor, as_tensor, assign
from marsdask.tensor.fold import line_of, one_chunk, replaced, whole_along
from marsdask.tensor.indexing.indexing import flat as flat_tensor

# Values per chunk that splitters are chosen from: buckets then differ by a few percent.
SAMPLED = 4096
# Up to this many buckets pick their values themselves: each looks at all of the data, 1.2 ns a value and bucket.
PICKED = 16
BLOCK = 2**15
# A line of fewer bytes is sorted in one chunk: exchanging costs more than a second core gives.
IN_ONE_CHUNK = 2**20

FEW_THREADS = 4
"""Up to so many threads a line of numbers that share memory is sorted in one chunk: 1e8 floats took 0.89 s of CPU and of wall time,
in buckets on two threads 2.9 and 1.6 (NumPy alone 0.76)."""

INTP = np.dtype(np.intp)

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
        checks.choice(each, "psrs_kinds", KINDS)


def line(name: str, a: Tensor, axis: Any) -> tuple[Tensor, int | None]:
    """The tensor to put in order, and the axis of its lines: None for all elements as one line."""
    if name.startswith("arg") and not a.ndim:  # NumPy sorts nothing there, but has a position
        a = flat_tensor(a)
    return a, None if axis is None else checks.axis(axis, a.ndim)


def line_meta(dtype: Any, a: TensorMeta, axis: int | None = -1, order: Any = None) -> TensorMeta:
    if axis is None:
        return TensorMeta((float(math.prod(a.shape)),), dtype or a.dtype)
    return TensorMeta(a.shape, dtype or a.dtype, "C" if dtype else a.order)


def _check_order(a: Tensor, order: Any) -> None:
    if order is not None and a.dtype.names is None:
        raise ArgumentError("Cannot specify order when the array has no fields.")


def _by_order(
    name: str,
    a: Array,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    stable: bool | None = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> Any:
    """A node of `sort` or `argsort`."""
    check_kind(kind, stable, parallel_kind, psrs_kinds)
    a, axis = line(name, a, axis)
    _check_order(a, order)
    return registry.make(name, a, axis, **({} if order is None else {"order": order}))


@public("sort")
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
    result = _by_order("sort", a, axis, kind, order, stable, parallel_kind, psrs_kinds)
    return ExecutableTuple((result, argsort(a, axis, order=order))) if return_index else result


argsort = partial(_by_order, "argsort")
public("argsort", owners=("Tensor",), doc="Positions that would sort along `axis`. Always stable.")(argsort)


def sort_in_place(a: Any, *args: Any, **kwargs: Any) -> None:
    """Sorts the tensor in place; gives back None. `mt.sort` gives a copy."""
    assign(a, sort(a, *args, **kwargs), what="sort")


_self, *_tuning = inspect.signature(argsort).parameters.values()
public(
    "Tensor.sort", owners=("Tensor",), signature=inspect.Signature([_self.replace(name="self"), *_tuning])
)(sort_in_place)


def _ordered_line(
    name: str, dtype: Any, kernel: Any, tiled: Any, a: da.Array, axis: int | None = -1, order: Any = None
) -> Any:
    a, axis = line_of(a, axis)
    ordered, dtype = partial(kernel, axis=axis, order=order), dtype or a.dtype
    if a.numblocks[axis] == 1 or a.ndim > 1:
        return whole_along(a, (axis,)).map_blocks(ordered, dtype=dtype)
    if a.nbytes <= IN_ONE_CHUNK or a.dtype.kind in ("OVc" if name == "sort" else "OV"):
        graph.rule(f"{name}: small, or of a kind without a plain order: in one chunk")
    elif name == "sort" and _quicker_whole(a):
        graph.rule("sort: few threads and memory for all of it: in one chunk")
        made = one_chunk(a, name).map_blocks(ordered, dtype=dtype)
        return made if a.nbytes <= 2 * options.chunk_store_limit else graph.rechunked(made, a.chunks)
    else:
        return tiled(a)
    return one_chunk(a, name).map_blocks(ordered, dtype=dtype)


def _quicker_whole(a: da.Array) -> bool:
    """Whether NumPy's own sort of all numbers beats buckets in threads; up to an eighth of the memory."""
    where = room()
    fits = a.nbytes <= min(where.memory * where.threads / 8, options.gather_limit)
    return graph.in_one_process() and where.threads <= FEW_THREADS and a.dtype.kind in "biuf" and fits


def sorted_line(a: da.Array) -> Generator[Any, Any, da.Array]:
    """A chunked line in order: its values go to buckets by sampled splitters, then each bucket is sorted.

    Nothing is merged: merging sorted runs costs a pass per doubling, a bucket one pass. In one process a bucket picks its
    values out of all chunks itself, and there is no copy but the result; between processes each chunk sends pieces.
    """
    # Samples are taken as the chunks are made: later those may be on disk.
    a, samples = yield Keep(a, graph.per_chunk(sample, a, lengths=None))
    here = graph.in_one_process()
    count = max(a.numblocks[0], min(2 * (os.cpu_count() or 1), PICKED)) if here else a.numblocks[0]
    pivots = splitters((yield Ask(samples)), count)
    chunks = graph.from_array(a)
    exchanged = f"sort: {a.numblocks[0]} chunks cut at sampled values, exchanged, then each sorted"
    cut = partial(split, pivots)
    if not here:
        graph.rule(exchanged)
        buckets = graph.exchange(chunks, cut, _sorted_together, len(pivots) + 1)
        # Kept, so that they are measured when they are made: counting before would read all data once more.
        return graph.to_array((yield Keep(buckets)), (), a.dtype)
    below = yield Ask(graph.per_chunk(partial(_below, pivots), a, lengths=None))
    ends = np.sum(below, axis=0, dtype=int)
    sizes = np.diff(ends, prepend=0, append=a.shape[0]).tolist()
    if len(sizes) <= PICKED:
        graph.rule(f"sort: {len(sizes)} buckets, each picks its values from all chunks and is sorted")
        edges = pairwise([None, *pivots, None])
        picked = [graph.value(partial(_picked, *e, n), chunks) for e, n in zip(edges, sizes, strict=True)]
        buckets = graph.joined(*picked).with_lengths(tuple(sizes))
    else:
        graph.rule(exchanged)
        buckets = graph.exchange(chunks, cut, _sorted_together, len(sizes), lengths=tuple(sizes))
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


def sample(part: Any) -> Any:
    """Some values of a chunk, evenly spaced."""
    return part[:: max(len(part) // SAMPLED, 1)].copy()


def splitters(samples: list[Any], count: int) -> Any:
    """Up to `count - 1` values that cut the data into about equal buckets; never a hole, which nothing is less than."""
    values = np.sort(np.concatenate(samples))
    if not len(values):
        return values
    chosen = values[np.arange(1, count) * len(values) // count]
    return np.unique(chosen[chosen == chosen])


def split(pivots: Any, part: Any) -> list[Any]:
    """The values of a chunk by bucket.

    All are sorted, and the cuts looked up: 63 ms for 4.2 million whole numbers and 74 cuts, where counting what is less
    than each and a partition took 474 ms.
    """
    ordered = np.sort(part)
    return [ordered[a:b] for a, b in _cuts(ordered, pivots)]


def _cuts(ordered: Any, pivots: Any) -> Iterator[tuple[int, int]]:
    return pairwise([0, *np.searchsorted(ordered, pivots).tolist(), len(ordered)])


def _sorted_together(pieces: list[Any]) -> Any:
    bucket = np.concatenate(pieces)
    bucket.sort()
    return bucket


def _argsorted_line(a: da.Array) -> Generator[Any, Any, da.Array]:
    graph.rule(f"argsort: {a.numblocks[0]} sorted chunks split at sampled values, then each merged")
    a, samples = yield Keep(a, graph.per_chunk(sample, a, lengths=None))
    pivots = splitters((yield Ask(samples)), a.numblocks[0])
    offsets = tuple(np.cumsum((0, *a.chunks[0])).tolist())
    runs = graph.per_chunk(partial(_run, offsets), a, lengths=None, number=True)
    buckets = graph.exchange(runs, partial(_split_run, pivots), _positions, len(pivots) + 1)
    return graph.to_array(buckets, (), INTP)


def _run(offsets: tuple[int, ...], i: int, part: Any) -> Any:
    places = np.argsort(part, kind="stable")
    return part[places], places + offsets[i]


def _split_run(pivots: Any, run: Any) -> list[Any]:
    values, places = run
    return [(values[a:b], places[a:b]) for a, b in _cuts(values, pivots)]


def _positions(pieces: list[Any]) -> Any:
    values = np.concatenate([v for v, _ in pieces])
    return np.concatenate([p for _, p in pieces])[np.argsort(values, kind="stable")]


sort_line = partial(_ordered_line, "sort", None, np.sort, sorted_line)
argsort_line = partial(_ordered_line, "argsort", INTP, partial(np.argsort, kind="stable"), _argsorted_line)
lowered("sort", meta=partial(line_meta, None))(sort_line)
lowered("argsort", meta=partial(line_meta, INTP))(argsort_line)


def _check_kth(kth: Any, length: float) -> Any:
    if isinstance(kth, (registry.Handle, da.Array)):  # looked at when they are there
        kth = as_tensor(kth)
        if kth.dtype.kind not in "iu":
            raise ArgumentTypeError(f"kth=: expected whole numbers, got a tensor of {kth.dtype}.")
        return kth
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
    *,
    return_index: bool = False,
) -> Any:
    checks.choice(kind, "kind", ("introselect",))
    check_kind(None, None, parallel_kind, psrs_kinds)
    a, axis = line(name, a, axis)
    kth = _check_kth(kth, line_meta(None, a.known, axis).shape[axis or 0])
    given = {} if order is None else {"order": order}
    if not return_index:
        return registry.make(name, a, kth, axis, **given)
    places = registry.make("argpartition", a, kth, axis, **given)
    return ExecutableTuple((registry.make("along", a, places, axis), places))


@lowered("along", meta=lambda a, places, axis: TensorMeta(places.shape, a.dtype))
def _along(a: da.Array, places: da.Array, axis: int | None) -> da.Array:
    """The elements at a position for each along an axis, or of the flat tensor."""
    a, axis = line_of(a, axis)
    if a.ndim == 1:
        return a[places]
    places = whole_along(places, (axis,))
    return da.map_blocks(np.take_along_axis, graph.rechunked(a, places.chunks), places, axis, dtype=a.dtype)


@public("Tensor.partition", owners=("Tensor",))
def partition_in_place(
    self: Any,
    kth: Any,
    axis: int = -1,
    kind: str = "introselect",
    order: Any = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
) -> None:
    """Partitions the tensor in place; gives back None. `mt.partition` gives a copy."""
    made = _partition("partition", self, kth, axis, kind, order, parallel_kind, psrs_kinds)
    assign(self, made, what="partition")


def _partition_line(
    function: Any, ordered: Any, dtype: Any, a: da.Array, kth: Any, axis: int | None = -1, order: Any = None
) -> Any:
    a, axis = line_of(a, axis)
    if isinstance(kth, da.Array):
        kth = _check_kth((yield Ask(kth)), a.shape[axis])
    if a.numblocks[axis] > 1 and a.ndim == 1 and a.nbytes > IN_ONE_CHUNK:
        made = ordered(a, 0, order=order)  # what is sorted is partitioned
        return (yield from made) if isinstance(made, Generator) else made
    a = whole_along(a, (axis,))
    return a.map_blocks(function, kth=kth, axis=axis, order=order, dtype=dtype or a.dtype)


def _topk(
    name: str,
    a: Array,
    k: int,
    axis: int | None = -1,
    largest: bool = True,
    sorted: bool = True,
    order: Any = None,
    parallel_kind: str | None = None,
    psrs_kinds: Any = None,
    return_index: bool = False,
) -> Any:
    check_kind(None, None, parallel_kind, psrs_kinds)
    a, axis = line("topk", a, axis)
    _check_order(a, order)
    given = {} if order is None else {"order": order}
    several = [name, "argtopk"] if return_index else [name]
    made = [registry.make(each, a, checks.whole(k, "k", 0), axis, bool(largest), **given) for each in several]
    return ExecutableTuple(made) if return_index else made[0]


def _topk_meta(
    dtype: Any, a: TensorMeta, k: int, axis: int | None = -1, largest: bool = True, order: Any = None
) -> TensorMeta:
    line, axis = line_meta(dtype, a, axis), axis or 0
    return TensorMeta(replaced(line.shape, axis, np.minimum(k, line.shape[axis])), line.dtype)


def _topk_line(
    a: da.Array,
    k: int,
    axis: int | None = -1,
    largest: bool = True,
    order: Any = None,
    *,
    places: bool = False,
) -> da.Array:
    a, axis = line_of(a, axis)
    last = (min(k, a.shape[axis]),)
    values, local = (partial(_first, k, axis, largest, order, found) for found in (False, True))
    if a.numblocks[axis] == 1:
        how, dtype = (local, INTP) if places else (values, a.dtype)
        return a.map_blocks(how, chunks=replaced(a.chunks, axis, last), dtype=dtype)
    kept = tuple(min(k, n) for n in a.chunks[axis])
    if not places:
        few = a.map_blocks(values, chunks=replaced(a.chunks, axis, kept), dtype=a.dtype)
        few = graph.rechunked(few, {axis: -1})
        return few.map_blocks(values, chunks=replaced(few.chunks, axis, last), dtype=a.dtype)
    index = tuple(range(a.ndim))
    lengths = {"align_arrays": False, "adjust_chunks": {axis: kept}}
    where = da.arange(a.shape[axis], chunks=(a.chunks[axis],), dtype=INTP)
    found = a.map_blocks(local, chunks=replaced(a.chunks, axis, kept), dtype=INTP)
    along = partial(np.take_along_axis, axis=axis)
    few = da.blockwise(along, index, a, index, found, index, dtype=a.dtype, **lengths)
    few = graph.rechunked(few, {axis: -1})
    absolute = da.blockwise(_absolute, index, where, (axis,), found, index, dtype=INTP, **lengths)
    chunks, absolute = replaced(few.chunks, axis, last), graph.rechunked(absolute, {axis: -1})
    return da.map_blocks(partial(_last_places, local, axis), few, absolute, chunks=chunks, dtype=INTP)


def _first(k: int, axis: int, largest: bool, by: Any, places: bool, part: Any) -> Any:
    """The first k in order, or their positions; of equal ones those that come first."""
    if not largest:
        order = np.argsort(part, axis=axis, kind="stable", order=by)
    else:  # from behind, so that equal ones keep their order
        back = np.argsort(np.flip(part, axis), axis=axis, kind="stable", order=by)
        order = part.shape[axis] - 1 - np.flip(back, axis)
    order = np.take(order, np.arange(min(k, part.shape[axis])), axis=axis)
    return order if places else np.take_along_axis(part, order, axis)


def _absolute(where: Any, places: Any) -> Any:
    return where[places] if len(where) else places


def _last_places(local: Any, axis: int, values: Any, places: Any) -> Any:
    return np.take_along_axis(places, local(values), axis)


DOCS = {
    "partition": "A copy with the `kth` elements in their sorted places, smaller ones before and larger ones behind.",
    "argpartition": "Positions that would partition along `axis`.",
    "topk": "The `k` largest elements along `axis`, largest first; with `largest=False` the smallest, smallest first.",
    "argtopk": "Positions of the `k` largest (or smallest) elements along `axis`; of equal ones the first.",
}
for _name, _long, _dtype in (("partition", sort_line, None), ("argpartition", argsort_line, INTP)):
    public(_name, owners=("Tensor",) if _dtype else (), doc=DOCS[_name])(partial(_partition, _name))
    lowered(_name, meta=lambda a, kth, *line, dtype=_dtype, **order: line_meta(dtype, a, *line, **order))(
        partial(_partition_line, getattr(np, _name), _long, _dtype)
    )
for _name, _dtype in (("topk", None), ("argtopk", INTP)):
    _gone = {"return_index"} if _dtype else set()
    _topk_of = partial(_topk, _name)
    _topk_takes = inspect.signature(_topk_of).parameters
    _signature = inspect.Signature([p for n, p in _topk_takes.items() if n not in _gone])
    public(_name, doc=DOCS[_name], signature=_signature)(_topk_of)
    lowered(_name, meta=partial(_topk_meta, _dtype))(partial(_topk_line, places=_dtype is not None))
