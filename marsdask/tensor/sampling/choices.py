"""Random orders and choices, over all chunks."""

from __future__ import annotations

import math
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import lowered
from marsdask.tensor.chunking import check_shape, chunks_of
from marsdask.tensor.core import as_tensor
from marsdask.tensor.making.creation import refuse_gpu
from marsdask.tensor.sampling.draws import INT, RandomState, block_shape, drawn, in_chunks, source, stream
from marsdask.tensor.views import assign


def _is_number(value: Any) -> bool:
    """Whether a whole number is given, that stands for all numbers below it."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def permuted(state: RandomState, x: Any, chunk_size: Any = None) -> Any:
    """A random order of elements along the first axis, over all chunks."""
    if _is_number(x):
        x = checks.whole(x, "x", 0)
        x = registry.make("data.arange", x, chunks_of((x,), chunk_size, INT))
    else:
        x = as_tensor(x)
        if chunk_size is not None:
            x = registry.make("rechunk", x, chunk_size)
    if not x.ndim:
        raise ArgumentError("x must be an integer or at least 1-dimensional")
    return registry.make("random.permuted", x, state.next_seed())


@lowered("data.arange", sizes="any", meta=lambda n, chunks: TensorMeta((n,), INT))
def numbers(n: int, chunks: Any) -> da.Array:
    """All whole numbers below n."""
    return da.arange(n, chunks=chunks, dtype=INT)


@lowered("random.permuted", meta=lambda x, seed: TensorMeta(x.shape, x.dtype))
def permuted_chunks(x: da.Array, seed: int) -> da.Array:
    """Every element goes to a chunk at random and the chunk is shuffled: each order is as likely as any other."""
    chunks = graph.from_array(x)
    if chunks.count > 1:
        count = chunks.count
        chunks = graph.per_chunk(np.asarray, chunks, lengths=None)
        numbered = graph.per_chunk(partial(_scattered, seed, count), chunks, number=True, lengths=None)
        chunks = graph.exchange(numbered, list, np.concatenate, count)
    mixed = graph.per_chunk(partial(_mixed, seed), chunks, number=True)
    return graph.to_array(mixed, tuple(x.shape[1:]), x.dtype)


def _scattered(seed: int, count: int, i: int, part: Any) -> list[Any]:
    home = stream(seed, 0, i).integers(count, size=len(part))
    return [part[rows] for rows in graph.rows_of_places(home, count)]


def _mixed(seed: int, i: int, part: Any) -> Any:
    return stream(seed, 1, i).permutation(part)


def chosen(
    state: RandomState,
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Any:
    """Elements drawn with or without putting back, by probabilities where given."""
    refuse_gpu("choice", gpu)
    from_numbers = _is_number(a)
    if not from_numbers:
        a = as_tensor(a)
        if a.ndim != 1:
            raise ArgumentError("a must be 1-dimensional or a whole number")
    count = int(a) if from_numbers else a.shape[0]
    shape = () if size is None else check_shape(size, "size")
    many = math.prod(shape)
    if (from_numbers and count < 0) or (count == 0 and many):
        raise ArgumentError("a must be greater than 0 unless no samples are taken")
    if not replace and many > count:
        raise ArgumentError(
            f"Cannot take a larger sample than population when replace is False: {many} of {count:g}."
        )
    if isinstance(p, registry.Handle):
        p = as_tensor(p)  # checked when it is known
    elif p is not None:
        p = np.asarray(p, dtype="f8")
        _check_shares(p, count)
    if not replace and p is None:
        order = permuted(state, a, chunk_size if from_numbers else None)[:many]
        return registry.make("reshape", order, shape) if len(shape) != 1 else order
    if p is None and count == count:
        places = drawn("randint", state, 0, count, shape, chunk_size=chunk_size)
    else:
        base = None if from_numbers else a
        places = registry.make(
            "random.places", base, state.next_seed(), count, shape, p, bool(replace), chunk_size
        )
    return places if from_numbers else a[places]


def _check_shares(p: Any, count: float) -> None:
    """NumPy's checks of probabilities."""
    if p.ndim != 1:
        raise ArgumentError("'p' must be 1-dimensional")
    if count == count and len(p) != count:
        raise ArgumentError("'a' and 'p' must have same size")
    if np.any(~(p >= 0)):
        raise ArgumentError("probabilities are not non-negative")
    if abs(p.sum() - 1) > 1e-8:
        raise ArgumentError("probabilities do not sum to 1")


def _places_meta(
    a: Any, seed: int, count: float, shape: Any, p: Any, replace: bool, chunk_size: Any
) -> TensorMeta:
    return TensorMeta(shape, INT)


@lowered("random.places", meta=_places_meta)
def places(
    a: Any, seed: int, count: float, shape: Any, p: Any, replace: bool, chunk_size: Any
) -> Generator[Any, Any, da.Array]:
    """Positions drawn by probabilities, which every chunk gets; without putting back, in one chunk."""
    count = int(a.shape[0] if a is not None else count)
    if isinstance(p, da.Array):
        p = yield Ask(p)
        _check_shares(p, count)
    chunks = chunks_of(shape, chunk_size, INT)
    if replace and shape:
        below = None if p is None else np.cumsum(p) / np.sum(p)
        return in_chunks(partial(_places_chunk, seed, count, below, chunks), chunks, INT, "choice")
    one = graph.value(partial(_one_draw, seed, count, shape, p, replace))
    if not shape:
        return graph.to_array(one, (), INT, scalar=True)
    flat = graph.to_array(one.with_lengths((math.prod(shape),)), (), INT)
    return flat.reshape(shape).rechunk(chunks)


def _one_draw(seed: int, count: int, shape: Any, p: Any, replace: bool) -> Any:
    return np.asarray(stream(seed).choice(count, math.prod(shape), replace=replace, p=p)).reshape(
        -1 if shape else ()
    )


def _places_chunk(seed: int, count: int, below: Any, chunks: Any, block_id: Any = ()) -> Any:
    rng, shape = stream(seed, *block_id), block_shape(chunks, block_id)
    if below is None:
        return rng.integers(count, size=shape)
    return np.searchsorted(below, rng.random(shape), side="right")


def _shuffled(state: RandomState, x: Any) -> None:
    """Puts a tensor in random order in place, along its first axis; gives back None."""
    if not isinstance(x, registry.Handle):
        raise ArgumentTypeError(
            f"shuffle(x=): expected a tensor, got {type(x).__name__}. Hint: x=mt.tensor(...)"
        )
    assign(x, permuted(state, x), what="shuffle")


source("permutation", permuted)
source("choice", chosen)
source("shuffle", _shuffled)
