"""Order: sort and argsort. A chunked line is sorted by splitting at sampled values, then chunk by chunk."""

from __future__ import annotations

import math
import os
from collections.abc import Generator
from functools import partial
from itertools import pairwise
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import ExecutableTuple, Tensor, as_tensor
from marsdask.tensor.fold import line_of, one_chunk, whole_along
from marsdask.tensor.indexing.selecting import flat as flat_tensor
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
        checks.choice(each, "psrs_kinds", KINDS)


def line(name: str, a: Any, axis: Any) -> tuple[Tensor, int | None]:
    """The tensor to put in order, and the axis of its lines: None for all elements as one line."""
    a = as_tensor(a)
    if name.startswith("arg") and not a.ndim:  # NumPy sorts nothing there, but has a position
        a = flat_tensor(a)
    return a, None if axis is None else checks.axis(axis, a.ndim)


def line_meta(dtype: Any, a: TensorMeta, axis: int | None = -1, order: Any = None) -> TensorMeta:
    shape = (float(math.prod(a.shape)),) if axis is None else a.shape
    return TensorMeta(shape, dtype or a.dtype)


def _by_order(name: str, a: Any, axis: Any, kind: Any, order: Any, *tuning: Any) -> Any:
    """A node of `sort` or `argsort`."""
    check_kind(kind, *tuning)
    a, axis = line(name, a, axis)
    if order is None:
        return registry.make(name, a, axis)
    if a.dtype.names is None:
        raise ArgumentError("Cannot specify order when the array has no fields.")
    return registry.make(name, a, axis, order=order)


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
    a = as_tensor(a)
    result = _by_order("sort", a, axis, kind, order, stable, parallel_kind, psrs_kinds)
    return ExecutableTuple((result, argsort(a, axis, order=order))) if return_index else result


@public("Tensor.sort", owners=("Tensor",))
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
    assign(self, sort(self, axis, kind, order, stable, parallel_kind, psrs_kinds), what="sort")


@public("argsort", owners=("Tensor",))
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
    return _by_order("argsort", a, axis, kind, order, stable, parallel_kind, psrs_kinds)


@lowered("sort", meta=partial(line_meta, None))
def sort_line(a: da.Array, axis: int | None = -1, order: Any = None) -> Any:
    """The lines along `axis` in order."""
    a, axis = line_of(a, axis)
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
    sizes = (
        np.diff([[0, *b, n] for b, n in zip(below, a.chunks[0], strict=True)], axis=1).sum(axis=0).tolist()
    )
    if len(sizes) <= PICKED:
        graph.rule(f"sort: {len(sizes)} buckets, each picks its values from all chunks and is sorted")
        edges = pairwise([None, *pivots, None])
        picked = [
            graph.value(partial(_picked, *between, size), chunks)
            for between, size in zip(edges, sizes, strict=True)
        ]
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
    places = np.arange(1, count) * len(values) // count
    chosen = values[places]
    if chosen.dtype.kind in "fcmM":
        chosen = chosen[~(np.isnat(chosen) if chosen.dtype.kind in "mM" else np.isnan(chosen))]
    return np.unique(chosen)


def split(pivots: Any, part: Any) -> list[Any]:
    """The values of a chunk by bucket.

    All are sorted, and the cuts looked up: 63 ms for 4.2 million whole numbers and 74 cuts, where counting what is less
    than each and a partition took 474 ms.
    """
    ordered = np.sort(part)
    ends = np.searchsorted(ordered, pivots).tolist()
    return [ordered[a:b] for a, b in zip([0, *ends], [*ends, len(part)], strict=True)]


def _sorted_together(pieces: list[Any]) -> Any:
    bucket = np.concatenate(pieces)
    bucket.sort()
    return bucket


@lowered("argsort", meta=partial(line_meta, np.dtype(np.intp)))
def argsort_line(a: da.Array, axis: int | None = -1, order: Any = None) -> Any:
    """The positions that put the lines along `axis` in order."""
    a, axis = line_of(a, axis)
    places = partial(np.argsort, axis=axis, kind="stable", order=order)
    if a.numblocks[axis] == 1 or a.ndim > 1:
        return whole_along(a, (axis,)).map_blocks(places, dtype=np.intp)
    if a.nbytes <= IN_ONE_CHUNK or a.dtype.kind in "OV":
        return one_chunk(a, "argsort").map_blocks(places, dtype=np.intp)
    return _argsorted_line(a)


def _argsorted_line(a: da.Array) -> Generator[Any, Any, da.Array]:
    graph.rule(f"argsort: {a.numblocks[0]} sorted chunks split at sampled values, then each merged")
    a, samples = yield Keep(a, graph.per_chunk(sample, a, lengths=None))
    pivots = splitters((yield Ask(samples)), a.numblocks[0])
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
