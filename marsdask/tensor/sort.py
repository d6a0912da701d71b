"""Order: sort and argsort. A chunked line is sorted by splitting at sampled values, then chunk by chunk."""

from __future__ import annotations

import os
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, AxisError
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, operation
from marsdask.tensor.core import ExecutableTuple, as_tensor
from marsdask.tensor.fold import flat, one_axis, one_chunk, whole_along
from marsdask.tensor.selecting import with_axis
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


def line_axis(a: Any, axis: Any) -> int | None:
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
    if name == "argsort" and not a.ndim:  # NumPy sorts nothing there, but has a position
        a, axis = with_axis(a, axis)
    axis = line_axis(a, axis)
    extra = {"order": order} if order is not None else {}
    if order is not None and a.dtype.names is None:
        raise ArgumentError("Cannot specify order when the array has no fields.")
    result = registry.make(name, a, axis, **extra)
    return ExecutableTuple((result, registry.make("argsort", a, axis, **extra))) if return_index else result


def line_meta(dtype: Any, a: TensorMeta, axis: int | None = -1, order: Any = None) -> TensorMeta:
    size = float(np.prod(a.shape)) if a.shape else 1.0
    shape = (size,) if axis is None else a.shape
    return TensorMeta(shape, dtype or a.dtype)


@operation(
    "sort",
    room="tensor",
    meta=partial(line_meta, None),
    prepare=partial(_prepare_sort, "sort"),
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
    # Samples are taken as the chunks are made: later those may be on disk.
    a, samples = yield Keep(a, graph.per_chunk(sample, a, lengths=None))
    here = graph.in_one_process()
    count = max(a.numblocks[0], min(2 * (os.cpu_count() or 1), PICKED)) if here else a.numblocks[0]
    pivots = splitters((yield Ask(samples)), count)
    chunks = graph.per_chunk(_as_is, a, lengths=None)
    if not here:
        graph.rule(f"sort: {a.numblocks[0]} chunks cut at sampled values, exchanged, then each sorted")
        buckets = graph.exchange(chunks, partial(split, pivots), _sorted_together, len(pivots) + 1)
        # Kept, so that they are measured when they are made: counting before would read all data once more.
        return graph.to_array((yield Keep(buckets)), (), a.dtype)
    below = yield Ask(graph.per_chunk(partial(_below, pivots), a, lengths=None))
    sizes = (
        np.diff([[0, *b, n] for b, n in zip(below, a.chunks[0], strict=True)], axis=1).sum(axis=0).tolist()
    )
    if len(sizes) <= PICKED:
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


@operation(
    "argsort",
    room="tensor",
    owners=["Tensor"],
    meta=partial(line_meta, np.dtype(np.intp)),
    prepare=partial(_prepare_sort, "argsort"),
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


def _sort_in_place(self: Any, **arguments: Any) -> None:
    """Sort and rebind, through views too."""
    assign(self, _prepare_sort("sort", self, **arguments), what="sort")


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
