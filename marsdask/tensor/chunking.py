"""From Mars's `chunk_size` to Dask's chunks.

>>> chunks_of((10, 10), 3, "f8")
((3, 3, 3, 1), (3, 3, 3, 1))
>>> chunks_of((10, 10), ((2, 2, 6), 5), "f8")
((2, 2, 6), (5, 5))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.options import options
from marsdask.session import room

Chunks = tuple[tuple[int, ...], ...]


def chunks_of(
    shape: tuple[int, ...], chunk_size: Any = None, dtype: Any = "f8", count: Callable[[float], int] = room.chunk_count
) -> Chunks:  # fmt: skip
    """Chunk lengths per axis: what the user asked for, and for the rest even cuts into as many blocks as `count` says."""
    wanted = requested(chunk_size, len(shape))
    if options.chunk_size is not None:
        wanted = {axis: wanted.get(axis, options.chunk_size) for axis in range(len(shape))}
    found: dict[int, tuple[int, ...]] = {a: cut(shape[a], w, a) for a, w in wanted.items()}
    free = [axis for axis in range(len(shape)) if axis not in found]
    if free:
        beside = math.prod(
            max((*found[a], 1)) for a in found
        )  # in the largest chunk of the axes that are cut already
        nbytes = math.prod(shape[a] for a in free) * beside * np.dtype(dtype).itemsize
        blocks = room.halved(tuple(shape[a] for a in free), (room.count_by_bytes if found else count)(nbytes))
        found |= {axis: room.evenly(shape[axis], n) for axis, n in zip(free, blocks, strict=True)}
    return tuple(found[axis] for axis in range(len(shape)))


def requested(chunk_size: Any, ndim: int) -> dict[int, Any]:
    """`chunk_size` by axis: an int, a tuple of lengths, or `nan` for one chunk."""
    if chunk_size is None:
        return {}
    if isinstance(chunk_size, Mapping):
        for axis in chunk_size:
            if not isinstance(axis, Integral) or not -ndim <= axis < ndim:
                raise ArgumentError(
                    f"chunk_size={chunk_size!r}: axis {axis!r} is not one of the {ndim} axes."
                )
        by_axis = {int(axis) % ndim: size for axis, size in chunk_size.items()}
    elif isinstance(chunk_size, (tuple, list)):
        if len(chunk_size) > ndim:
            raise ArgumentError(
                f"chunk_size={chunk_size!r}: chunks have more dimensions than the {ndim} axes."
            )
        by_axis = dict(enumerate(chunk_size))
    elif isinstance(chunk_size, Integral) and not isinstance(chunk_size, bool):
        by_axis = dict.fromkeys(range(ndim), chunk_size)
    else:
        kind = ArgumentError if isinstance(chunk_size, str) else ArgumentTypeError
        raise kind(
            f"chunk_size={chunk_size!r}: expected a whole number, a tuple per axis, or a dict by axis, "
            f"got {type(chunk_size).__name__}."
        )
    return {axis: size for axis, size in by_axis.items() if size is not None}


def cut(length: int, size: Any, axis: int = 0) -> tuple[int, ...]:
    """One axis of `length` cut into chunks."""
    alone = size[0] if isinstance(size, (tuple, list)) and len(size) == 1 else size
    if isinstance(alone, float) and math.isnan(alone):
        return (length,)
    what = f"chunk_size[{axis}]"
    if isinstance(size, (tuple, list)):
        sizes = tuple(checks.whole(n, what, 0) for n in size)
        if sum(sizes) != length:
            raise ArgumentError(
                f"{what}={tuple(size)!r}: chunks shape should be of the same length; "
                f"they sum to {sum(sizes)}, the axis has {length}."
            )
        return sizes
    each = checks.whole(size, what, 1)
    if length == 0:
        return (0,)
    full, rest = divmod(length, each)
    return (each,) * full + ((rest,) if rest else ())


def check_shape(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """A shape as a tuple of whole numbers, or an error that names the argument."""
    entries = tuple(shape) if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
    return tuple(checks.whole(n, name, 0) for n in entries)
