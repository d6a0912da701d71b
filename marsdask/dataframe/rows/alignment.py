"""How several frames are brought together: on the same rows, in the same chunks; and pandas' word on made-up rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.errors import ArgumentError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Keep
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, meta, sample
from marsdask.plan.registry import lowered


def done(target: Handle, result: Any, inplace: Any) -> Any:
    """The result; or None after rebinding `target` where `inplace` is True."""
    if not isinstance(inplace, (bool, np.bool_)):
        raise ArgumentError(f"inplace={inplace!r}: expected True or False.")
    if not inplace:
        return result
    target.rebind(result.node, result._keep)
    return None


def together(first: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """The same arguments with every frame among them on the same rows and chunks as `first`.

    Frames with equal `Rows` are; two with labels 0..n-1 are cut alike; all others are aligned by label in one chunk
    (as pandas does inside of the operation), which `options.gather_limit` bounds.
    """
    values = [*args, *kwargs.values()]
    values = [as_frame(v) if isinstance(v, (pd.DataFrame, pd.Series)) else v for v in values]
    others = [v for v in values if isinstance(v, FrameHandle)]
    mine = meta(first.node)
    strange = [o for o in others if meta(o.node).rows != mine.rows]
    if strange:
        swap = {id(o): cut_alike(o, first) for o in strange if _both_ranged(mine, meta(o.node))}
        if any(id(o) not in swap for o in strange):
            swap = {id(o): registry.make("frame.one_chunk", o) for o in others}
            first = registry.make("frame.one_chunk", first)
        values = [swap.get(id(v), v) for v in values]
    return first, values[: len(args)], dict(zip(kwargs, values[len(args) :], strict=True))


def _both_ranged(a: FrameMeta, b: FrameMeta) -> bool:
    return a.ranged and b.ranged and a.length == b.length  # nan is unequal to itself


def cut_alike(other: Any, first: Any) -> Any:
    """`other` in the chunks of `first`; both have the labels 0..n-1."""
    return registry.make("frame.cut_alike", other, first)


@lowered(
    "frame.cut_alike",
    meta=lambda other, first: FrameMeta(other.empty, first.length, first.rows, True),
)
def _cut_alike(other: Chunks, first: Chunks) -> Generator[Any, Any, Chunks]:
    """The rows of one frame in the chunks of another of equal length."""
    unknown = [c for c in (other, first) if not c.known]
    if unknown:
        kept = yield Keep(*unknown)
        found = dict(zip(map(id, unknown), kept if len(unknown) > 1 else (kept,), strict=True))
        other, first = found.get(id(other), other), found.get(id(first), first)
    assert other.lengths is not None
    assert first.lengths is not None
    if other.lengths == first.lengths:
        return other
    if sum(other.lengths) != sum(first.lengths):
        raise ShapeError(f"lengths do not match: {int(sum(other.lengths))} and {int(sum(first.lengths))}")
    return graph.regroup(other, graph.row_ranges(other.lengths, first.lengths))


@lowered(
    "frame.one_chunk",
    status="gathered",
    meta=lambda frame: FrameMeta(frame.empty, frame.length, Rows(), frame.ranged, frame.labels),
)
def _one_chunk(frame: Chunks) -> Chunks:
    """All rows in one chunk, up to `options.gather_limit` bytes."""
    return graph.gather(frame)


def matched(frame: Chunks, args: Any, kwargs: Any) -> Generator[Any, Any, Any]:
    """The arguments of a lowering with tensors cut like the frame's chunks (they are positional)."""
    arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, da.Array) and a.ndim]
    if not arrays:
        return frame, args, kwargs
    unknown: list[Any] = [c for c in (frame,) if not c.known]
    unknown += [a for a in arrays if any(map(math.isnan, a.shape))]
    found: dict[int, Any] = {}
    if unknown:
        kept = yield Keep(*unknown)
        found = dict(zip(map(id, unknown), kept if len(unknown) > 1 else (kept,), strict=True))
    frame = found.get(id(frame), frame)
    assert frame.lengths is not None

    def cut(value: Any) -> Any:
        if not isinstance(value, da.Array) or not value.ndim:
            return value
        value = found.get(id(value), value)
        if value.shape[0] != sum(frame.lengths):  # type: ignore[arg-type]
            raise ShapeError(
                f"Length of values ({value.shape[0]}) does not match length of index ({int(sum(frame.lengths))})"  # type: ignore[arg-type]
            )
        return value.rechunk((tuple(int(n) for n in frame.lengths), *((n,) for n in value.shape[1:])))

    return frame, tuple(map(cut, args)), {k: cut(v) for k, v in kwargs.items()}


def sampled(value: Any) -> Any:
    """A metadata argument as a few made-up rows, for the pandas oracle."""
    if isinstance(value, FrameMeta):
        return sample(value.empty)
    if isinstance(value, TensorMeta):
        return np.ones(
            (2, *(2 if math.isnan(n) else int(n) for n in value.shape[1:]))[: len(value.shape)], value.dtype
        )[()]
    if type(value) in (list, tuple):
        return type(value)(sampled(v) for v in value)
    if type(value) is dict:
        return {k: sampled(v) for k, v in value.items()}
    return value


def pandas_on_samples(does: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What pandas makes of made-up rows; its errors are the user's."""
    with np.errstate(all="ignore"):
        return does(*(sampled(a) for a in args), **{k: sampled(v) for k, v in kwargs.items()})
