"""Tree reductions: a state per chunk, states joined in order, one array at the end.

A chunk that is empty along a reduced axis may have no state (None): joining skips it, so that a mask that leaves chunks
empty changes nothing. What is empty as a whole is for `finish` to refuse or to answer.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache, partial
from typing import Any

import dask.array as da
import numpy as np
from dask.core import flatten

from marsdask import checks
from marsdask.errors import ArgumentTypeError, ShapeError, TooLargeForOneChunk
from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.lower import Ask
from marsdask.plan.meta import TensorMeta, TupleMeta

Axes = tuple[int, ...]

# States joined per task, where `combine_size` does not say.
JOINED = 16

OBJECTS = np.dtype(object)
NOTHING = ...
"""The total of no objects: they may be texts, so it is not 0."""


def axes_of(axis: Any, ndim: int) -> Axes | None:
    """Axes counted from the front, in rising order, or None for all."""
    return None if axis is None else tuple(sorted(checks.axes(axis, ndim)))


def joined_at_once(combine_size: Any) -> int:
    """Mars's `combine_size`: how many states a task joins."""
    return JOINED if combine_size is None else checks.whole(combine_size, "combine_size", 2)


def fold(
    a: da.Array,
    axes: Axes | None,
    chunk: Callable[..., Any],
    combine: Callable[[list[Any]], Any],
    finish: Callable[[Any], Any],
    dtype: Any,
    *,
    keepdims: bool = False,
    where: da.Array | None = None,
    label: str = "fold",
    every: int | None = None,
) -> da.Array:
    """`a` reduced over axes. `chunk(part, axes[, where=])` keeps reduced axes with length 1, or answers None."""
    axes = tuple(range(a.ndim)) if axes is None else axes
    out_ndim = a.ndim if keepdims else a.ndim - len(axes)
    dtype = np.dtype(dtype)
    return da.reduction(
        a,
        chunk=partial(_chunk, chunk),
        combine=partial(_combine, combine),
        aggregate=partial(_finish, combine, finish, dtype),
        axis=axes,
        keepdims=keepdims,
        dtype=dtype,
        concatenate=False,
        split_every=every or JOINED,
        weights=where,
        name=label,
        meta=np.empty((0,) * out_ndim, dtype),
    )


def _chunk(chunk: Any, part: Any, where: Any = None, axis: Any = (), keepdims: bool = True) -> Any:
    return chunk(part, axis) if where is None else chunk(part, axis, where=where)


def _combine(combine: Any, nested: Any, axis: Any = (), keepdims: bool = True) -> Any:
    states = [s for s in flatten([nested]) if s is not None]  # without axes to reduce Dask makes no lists
    return combine(states) if states else None


def _finish(combine: Any, finish: Any, kind: Any, nested: Any, axis: Any = (), keepdims: bool = False) -> Any:
    # Not called `dtype`: Dask would hand in a second one by that name.
    result = np.asarray(finish(_combine(combine, nested)))
    if not keepdims:
        result = result.reshape([n for i, n in enumerate(result.shape) if i not in axis])
    return result.astype(kind, copy=False)


def loop_dtype(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype to tell a ufunc to add in; none of times, whose unit it refuses to be told."""
    return None if dtype.kind == "m" else dtype


def replaced(lengths: tuple[Any, ...], axis: int, new: Any) -> tuple[Any, ...]:
    """A shape, or chunks, with another entry for one axis."""
    return (*lengths[:axis], new, *lengths[axis + 1 :])


def reduced_shape(a: TensorMeta, axes: Axes | None, keepdims: bool) -> tuple[float, ...]:
    """The shape after a reduction; unknown lengths that are reduced away are gone."""
    gone = range(a.ndim) if axes is None else axes
    if keepdims:
        return tuple(1 if i in gone else n for i, n in enumerate(a.shape))
    return tuple(n for i, n in enumerate(a.shape) if i not in gone)


def refuse_empty(a: TensorMeta, axes: Axes | None, what: str) -> None:
    """NumPy's error for what has no value without elements, where results are to be given."""
    gone = range(a.ndim) if axes is None else axes
    if any(a.shape[i] == 0 for i in gone) and 0 not in reduced_shape(a, axes, keepdims=False):
        raise ShapeError(
            f"zero-size array to reduction operation {what} which has no identity: shape {a.shape}."
        )


def result_dtype(function: Callable[..., Any], *dtypes: Any, **kwargs: Any) -> np.dtype[Any]:
    """The dtype that a NumPy function gives for inputs of these dtypes, by calling it on one element.

    Of objects come objects: what one element, a 1, makes says int64.
    """
    if OBJECTS in dtypes and kwargs.get("dtype") is None:
        return OBJECTS
    return _result_dtype(function, tuple(map(np.dtype, dtypes)), tuple(sorted(kwargs.items())))


@lru_cache(maxsize=4096)
def _result_dtype(function: Any, dtypes: Any, kwargs: Any) -> np.dtype[Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(function(*(np.ones(1, d) for d in dtypes), **dict(kwargs))).dtype
        except TypeError as error:
            raise ArgumentTypeError(str(error)) from None


def totals_of(ufunc: np.ufunc, dtype: Any) -> Any:
    """What joins totals of a kind. Made where it is used: what joins objects does not travel."""
    return np.frompyfunc(partial(_from_nothing, JOINED_BY[ufunc]), 2, 1) if dtype == OBJECTS else ufunc


# Python's own: whole numbers may be longer than 64 bits.
JOINED_BY = {np.add: operator.add, np.multiply: operator.mul}


def _from_nothing(join: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    return b if a is NOTHING else a if b is NOTHING else join(a, b)


def whole_along(a: da.Array, axes: Axes | None) -> da.Array:
    """The same array with `axes` in one chunk each, the others cut finer where chunks would grow too large."""
    axes = tuple(range(a.ndim)) if axes is None else axes
    if all(a.numblocks[i] == 1 for i in axes):
        return a
    wanted: dict[int, Any] = dict.fromkeys(axes, -1)
    most = {i: max(a.chunks[i]) for i in range(a.ndim) if i not in axes}
    line = math.prod(a.shape[i] for i in axes) * a.dtype.itemsize
    if line * math.prod(most.values()) > options.chunk_store_limit:
        cells = max(int(options.chunk_store_limit // max(line, 1)), 1)
        for i in sorted(most, key=most.__getitem__, reverse=True):
            room = max(cells // max(math.prod(most[j] for j in most if j != i), 1), 1)
            if room < most[i]:
                wanted[i] = room
    return graph.rechunked(a, wanted)


def flat(a: da.Array) -> da.Array:
    """All elements in C order; Dask cannot reshape chunked nothing."""
    if a.ndim == 1:
        return a
    return a.reshape(-1) if a.size else da.zeros((0,), dtype=a.dtype)


def line_of(a: da.Array, axis: int | None) -> tuple[da.Array, int]:
    """The array and the axis to work along: of all elements in C order where none is named."""
    return (flat(a), 0) if axis is None else (a, axis)


def with_whole(function: Any, dtype: Any, a: da.Array, line: da.Array) -> da.Array:
    """`function(chunk, line)` of each chunk of a tensor, where the whole of one other goes to all of them."""
    index = tuple(range(a.ndim))
    return da.blockwise(
        function, index, a, index, line, (-1,), dtype=dtype, concatenate=True, align_arrays=False
    )


def extent(line: da.Array) -> Generator[Any, Any, tuple[Any, Any] | None]:
    """The least and the greatest element, which are asked for; None of nothing."""
    found = yield Ask(graph.per_chunk(_extremes, line, lengths=None))
    lows, highs = zip(*filter(None, found), strict=True) if any(found) else ((), ())
    return (np.min(lows), np.max(highs)) if lows else None


def _extremes(part: Any) -> Any:
    return (part.min(), part.max()) if part.size else None


def one_chunk(a: da.Array, what: str) -> da.Array:
    """The whole array in one chunk, up to `options.gather_limit` bytes."""
    check_gathered(a, what)
    return graph.rechunked(a, -1) if a.npartitions > 1 else a


def check_gathered(a: da.Array, what: str) -> None:
    """An error for what is more than one worker should hold."""
    if a.npartitions > 1 and a.nbytes > options.gather_limit:
        raise TooLargeForOneChunk(
            f"{what!r} works in one chunk, and its input has {int(a.nbytes):,} bytes where options.gather_limit allows "
            f"{int(options.gather_limit):,}. Hint: reduce the input first, or raise options.gather_limit if a worker "
            "can hold it."
        )


def per_matrix(
    func: Callable[..., Any], arrays: Sequence[tuple[da.Array, int]], known: Any, name: str = "linalg"
) -> Any:
    """`func` on each chunk of stacked matrices; an operand is (array, how many last axes are one matrix or vector).

    With all axes `func` gets whole arrays, in one task. `known`: the result's metadata, or those of several results.
    """
    depth = max(a.ndim - core for a, core in arrays)
    batch = tuple(range(depth))
    pairs: list[Any] = []
    for i, (a, core) in enumerate(arrays):
        axes = tuple(range(a.ndim - core, a.ndim))
        if a.ndim > core:
            a = whole_along(a, axes)
        elif core > 1:
            a = one_chunk(a, name)
        else:  # the task itself joins the chunks of a line
            check_gathered(a, name)
        pairs += [a, (*batch[depth - (a.ndim - core) :], *(-1 - 2 * i - k for k in range(core)))]
    made = da.blockwise(
        partial(_several, func),
        batch,
        *pairs,
        concatenate=True,
        dtype=object,
        meta=np.empty((0,) * depth, object),
    )
    results = []
    for i, out in enumerate(known.items if isinstance(known, TupleMeta) else [known]):
        axes = tuple(range(depth, out.ndim))
        results.append(
            da.blockwise(
                partial(_pick, i, out.dtype),
                (*batch, *axes),
                made,
                batch,
                new_axes=dict(zip(axes, out.shape[depth:], strict=True)),
                dtype=out.dtype,
                meta=np.empty((0,) * out.ndim, out.dtype),
            )
        )
    return tuple(results) if isinstance(known, TupleMeta) else results[0]


def _several(func: Any, *parts: Any) -> tuple[Any, ...]:
    found = func(*parts)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def _pick(i: int, dtype: Any, results: Any) -> Any:
    return np.asarray(results[i]).astype(dtype, copy=False)
