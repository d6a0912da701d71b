"""How several frames are brought together: on the same rows, in the same chunks, under which labels; and pandas' word on made-up rows."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.dataframe.rows.anything import ANYTHING
from marsdask.errors import ArgumentError
from marsdask.plan import graph, registry
from marsdask.plan.examples import Example, remembered
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.holes import is_open
from marsdask.plan.lower import sized
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, meta, sample, time_of
from marsdask.plan.node import Node, is_named, walk
from marsdask.plan.registry import lowered

VALUES = "Length of values ({given}) does not match length of index ({expected})"


def done(target: Handle, result: Any, inplace: Any) -> Any:
    """The result; or None after rebinding `target` where `inplace` is True."""
    if not isinstance(inplace, (bool, np.bool_)):
        raise ArgumentError(f"inplace={inplace!r}: expected True or False.")
    if not inplace:
        return result
    target.rebind(result.node, result._keep)
    return None


def decided(frame: Any) -> Any:
    """The frame, which has run where only that can tell its dtypes."""
    return frame.execute() if is_open(frame.known) else frame


def together(first: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """The same arguments with every frame among them on the same rows and chunks as `first`.

    Frames with equal `Rows` are; two with labels 0..n-1 are cut alike; all others are aligned by label in one chunk
    (as pandas does inside of the operation), which `options.gather_limit` bounds.
    """
    values = [*args, *kwargs.values()]
    values = [as_frame(v) if isinstance(v, (pd.DataFrame, pd.Series)) else v for v in values]
    mine = first.known
    strange = [v for v in values if isinstance(v, FrameHandle) and v.known.rows != mine.rows]
    # An unknown length is nan, which is unequal to itself.
    if mine.ranged and all(o.known.ranged and o.known.length == mine.length for o in strange):
        swap = {id(o): registry.make("frame.cut_alike", o, first) for o in strange}
        values = [swap.get(id(v), v) for v in values]
    elif strange:
        first, *values = map(one_chunk, (first, *values))
    return first, values[: len(args)], dict(zip(kwargs, values[len(args) :], strict=True))


@lowered(
    "frame.cut_alike",
    meta=lambda other, first: FrameMeta(other.made, first.length, first.rows, True),
    sizes="rows",
    traits=["placed"],
)
def cut_alike(other: Chunks, first: Chunks) -> Chunks:
    """The rows of one frame in the chunks of another of equal length, in order, whatever the labels; lengths are known."""
    if other.lengths == first.lengths:
        return other
    checks.same_length(bounds_of(other)[-1], bounds_of(first)[-1])
    return graph.regroup(other, graph.row_ranges(other.lengths, first.lengths))  # type: ignore[arg-type]


lowered(
    "frame.one_chunk",
    status="gathered",
    meta=lambda frame: FrameMeta(frame.made, frame.length, Rows(), frame.ranged, frame.labels),
)(graph.gather)


def one_chunk(value: Any) -> Any:
    """A frame in one chunk, anything else as it is."""
    return registry.make("frame.one_chunk", value) if isinstance(value, FrameHandle) else value


def matched(frame: Chunks, args: Any, kwargs: Any) -> Generator[Any, Any, Any]:
    """The arguments of a lowering with tensors (of known sizes) cut like the frame's chunks: they are positional."""
    arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, da.Array) and a.ndim]
    if not arrays:
        return frame, args, kwargs
    (frame,) = yield from sized(frame)
    rows = tuple(np.diff(bounds_of(frame)).tolist())
    cut = {}
    for array in arrays:
        checks.same_length(array.shape[0], sum(rows), VALUES)
        cut[id(array)] = graph.rechunked(array, (rows, *((n,) for n in array.shape[1:])))
    return frame, tuple(cut.get(id(a), a) for a in args), {k: cut.get(id(v), v) for k, v in kwargs.items()}


def sampled(value: Any, thing: Any = "a") -> Any:
    """A metadata argument as a few made-up rows, for the pandas oracle; `thing` stands in columns of objects."""
    if isinstance(value, FrameMeta):
        return sample(value.shown, thing=thing)
    if isinstance(value, TensorMeta):
        if value.like is not None:
            return value.like
        rest = [2 if math.isnan(n) else int(n) for n in value.shape[1:]]
        return np.ones([2, *rest] if value.shape else [], value.dtype)[()]
    if type(value) in (list, tuple):
        return type(value)(sampled(v, thing) for v in value)
    if is_named(type(value)):
        return value._make(sampled(v, thing) for v in value)
    return {k: sampled(v, thing) for k, v in value.items()} if type(value) is dict else value


def pandas_on_samples(does: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What pandas makes of made-up rows; its errors are the user's.

    Of objects only a run tells what they are: what fails for texts may be meant for truths, numbers, or days.
    """
    with np.errstate(all="ignore"):
        try:
            return does(*sampled(args), **sampled(kwargs))
        except _UNFIT:
            if not any(map(_has_objects, [*args, *kwargs.values()])):
                raise
            for thing in OTHER_THINGS:
                with contextlib.suppress(*_UNFIT):
                    return does(*sampled(args, thing), **sampled(kwargs, thing))
            raise


OTHER_THINGS = (ANYTHING, True, 1, Decimal(1), date(2000, 1, 1))
"""What objects may be that are no texts, the most general first."""
_UNFIT = (TypeError, ValueError, ArithmeticError, AttributeError, pd.errors.DataError)


def _has_objects(value: Any) -> bool:
    if type(value) in (list, tuple):
        return any(map(_has_objects, value))
    return isinstance(value, FrameMeta) and any(
        isinstance(d, np.dtype) and d.kind == "O" for d in value.dtypes
    )


def beside(
    frame: FrameMeta, other: FrameMeta, *, by_column: bool = False, holes: bool = True, above: bool = True
) -> Any:
    """Made-up rows of another frame under a frame's labels, which are there twice: pandas would not align them.

    Where the other may lack labels they are `holes`. Numbers with fractions have some, as whole ones go with any, and are
    `above` or below those of the frame.
    """
    if other.rows == frame.rows or "Index" in (frame.kind, other.kind):
        return other
    by_column = by_column and frame.ndim == 2 and other.ndim == 1
    rows = sample(other.shown, len(frame.names) if by_column else 2)
    labels = frame.columns if by_column else sample(frame.shown).index
    if holes and not by_column and not has_all(known_labels(other), known_labels(frame)):
        rows = rows.set_axis(range(2), axis=0).reindex([2, 3])
    elif rows.ndim == 1 and getattr(rows.dtype, "kind", "O") == "f":
        rows = rows + (0.5 if above else -0.5)
    return rows.set_axis(labels, axis=0)


def example(does: Callable[..., Any], *args: Any, **kwargs: Any) -> Example:
    """The same without its rows, remembered: pandas is asked once for all arguments of equal form."""
    return remembered(lambda: pandas_on_samples(does, *args, **kwargs), does, args, kwargs)


def joint_meta(does: Callable[..., Any], first: FrameMeta, *others: FrameMeta) -> FrameMeta:
    """Metadata of what pandas makes of frames that it aligns, of which each may lack labels of the others, as far as these are not known.

    Whole numbers are none any more beside holes, which only a run can tell. The labels are of the kind that comes of no rows.
    """
    frames = (first, *others)
    known = [known_labels(frame) for frame in frames]
    lacks = tuple(
        tuple(j for j, other in enumerate(known) if j != i and not has_all(mine, other))
        for i, mine in enumerate(known)
    )
    found, met = (
        remembered(partial(_joint, does, frames, each), does, "joint", frames, each)
        for each in (lacks, ((),) * len(frames))
    )
    made = first.fewer(found)
    return made if found.dtypes == met.dtypes else replace(made, met=first.fewer(met))


def is_ranged(index: pd.Index) -> bool:
    """Whether labels are 0..n-1."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1 and index.name is None


def known_labels(known: FrameMeta) -> pd.Index | None:
    """The row labels where no run is needed to know them."""
    if known.labels is None and known.ranged and not math.isnan(known.length):
        return pd.RangeIndex(int(known.length))
    return known.labels


def has_all(mine: pd.Index | None, other: pd.Index | None) -> bool:
    """Whether labels are known to have all of others."""
    if mine is None or other is None:
        return False
    if isinstance(mine, pd.RangeIndex) and isinstance(other, pd.RangeIndex):
        return not len(other) or (mine.step == other.step and other[0] in mine and other[-1] in mine)
    return mine is other or (len(mine) >= len(other) and bool(other.isin(mine).all()))


def _joint(
    does: Callable[..., Any], frames: tuple[FrameMeta, ...], lacks: tuple[tuple[int, ...], ...]
) -> Any:
    """An operation on made-up rows: under a label for each frame, which others may lack, and one that all have."""
    with np.errstate(all="ignore"):
        joint = does(*(frame.empty for frame in frames)).index[:0]
        try:  # pandas makes texts of what it aligned, if all are some
            result = does(*_partly(frames, lacks, ANYTHING)).iloc[:0]
        except TypeError:
            result = does(*_partly(frames, lacks, "a")).iloc[:0]
    return result.set_axis(joint if joint.nlevels > 1 else joint.rename(result.index.name), axis=0)


def _partly(frames: tuple[FrameMeta, ...], lacks: tuple[tuple[int, ...], ...], thing: Any) -> list[Any]:
    rows = []
    for frame, lacking in zip(frames, lacks, strict=True):
        own = [i for i in range(len(frames) + 1) if i not in lacking]
        made = sample(frame.shown, len(own), thing)
        rows.append(made.set_axis(pd.Index(own, name=frame.shown.index.name), axis=0))
    return rows


def example_of_none(does: Callable[..., Any], frame: FrameMeta, *args: Any) -> Any:
    """What pandas makes of no rows, as an example; of the frame's own where these say more than made-up ones."""
    shown = frame.shown
    index = shown if isinstance(shown, pd.Index) else shown.index
    if isinstance(index, pd.MultiIndex) or getattr(index, "freq", None) is not None:
        return does(frame.empty, *args)
    return remembered(lambda: does(sample(shown, 0), *args), does, "of none", frame, args)


def as_promised(whole: Chunks) -> Any:
    """One chunk as its operation promised it: a tensor of no dimension, or rows of a length."""
    known = graph.promised()
    if isinstance(known, TensorMeta):
        if known.dtype.kind in "mM":
            whole = graph.per_chunk(time_of, whole, known.dtype, lengths=None)
        return graph.to_array(whole, scalar=True, dtype=known.dtype)
    return whole.with_lengths((known.length,))


def columns_of(piece: Any) -> list[Any]:
    """The columns of a frame, or the one that a series or index is."""
    return [piece] if piece.ndim == 1 else [piece.iloc[:, i] for i in range(piece.shape[1])]


def has_fractions(values: Any, dtype: Any) -> bool:
    """Whether whole numbers, or truths, were promised and numbers with fractions came: of what users' functions give, only data tell."""
    if isinstance(values.dtype, pd.CategoricalDtype) and isinstance(values, pd.Series):
        values = pd.Series(np.asarray(values))
    floats = getattr(values.dtype, "kind", "O") == "f" and getattr(dtype, "kind", "O") in "iub"
    if not floats:
        return False
    broken = values % 1 != 0
    if not isinstance(dtype, np.dtype):  # which has room for holes
        broken &= values.notna()
    return bool(broken.any())


def without_loss(values: Any, dtype: Any) -> Any:
    """A series or index as the dtype that was promised, as it is where that has no room for its fractions."""
    return values if has_fractions(values, dtype) else values.astype(dtype)


def settled(frame: Chunks) -> Chunks:
    """The chunks in the dtypes of the whole, for who looks at how values are written, where only a run tells these.

    Parts of times and texts (`dt.year`, `str.len`) are whole numbers, but floats where any is missing. To make them even
    where they arise would hold up all that goes on from there, chunk by chunk, and most of that does not care.
    """
    if frame.count == 1 or frame.node is None or not any(map(_may_miss, walk([frame.node]))):
        return frame
    return graph.even(frame, frame).with_node(frame.node)


def _may_miss(node: Node) -> bool:
    """Whether whole numbers were promised of parts of values, or are a guess at what a user's function gives."""
    known = meta(node) if node.op in ("frame.accessed", "frame.applied", "frame.mapped") else None
    return isinstance(known, FrameMeta) and any(getattr(d, "kind", "O") in "iu" for d in known.dtypes)


def after_concat(does: Callable[..., Any], parts: list[Any], *args: Any, **kwargs: Any) -> Any:
    """What a function gives of all parts as one: a step of a tree."""
    return does(graph.concat(parts), *args, **kwargs)


def tree(parts: Chunks, join: Any, end: Any = None, every: int | None = None) -> Chunks:
    """Rows of chunks as one chunk: what `join` makes of several's rows together, and `end` of those that are left."""
    steps = [partial(after_concat, step) for step in (join, end or join)]
    return graph.tree(parts, *steps, every=every).with_lengths((math.nan,))


def rows_of(data: Any, where: Any) -> Any:
    """Rows, or one of them, by position: of pandas data or an array."""
    return data.iloc[where] if isinstance(data, (pd.DataFrame, pd.Series)) else data[where]


def row_labels(chunk: Any) -> pd.Index:
    """The labels of a chunk's rows; an index' chunk is them itself."""
    return chunk if isinstance(chunk, pd.Index) else chunk.index


def checked(frame: Chunks, check: Callable[..., Any], *args: Any) -> Chunks:
    """The same chunks, once `check` of the whole has raised nothing: chunked arguments come to it as lists."""
    return graph.per_chunk(_after, frame, graph.value(check, *args))


def _after(chunk: Any, checked: Any) -> Any:
    return chunk


def distinct(frame: Chunks, message: str) -> Chunks:
    """The same chunks; an error, in which `{again}` is the labels concerned, if labels are there twice."""
    return checked(frame, _check_distinct, graph.per_chunk(row_labels, frame, lengths=None), message)


def _check_distinct(indexes: list[pd.Index], message: str) -> None:
    whole = graph.concat(indexes)
    if not whole.is_unique:
        raise ArgumentError(message.format(again=whole[whole.duplicated()].unique()))


def bounds_of(frame: Chunks) -> np.ndarray[Any, Any]:
    """Position of each chunk's first row in the whole, and the number of rows; lengths are known."""
    return _bounds([frame.lengths])


def _bounds(lengths: Sequence[Any]) -> np.ndarray[Any, Any]:
    return np.cumsum([0, *lengths[0]]).astype(int)


def starts(frame: Chunks) -> Any:
    """As `bounds_of`, by one task where lengths are not known. No question."""
    return bounds_of(frame) if frame.known else graph.value(_bounds, graph.lengths_of(frame), label="starts")


def _relabel(i: int, chunk: Any, first: Sequence[int]) -> Any:
    index = pd.RangeIndex(first[i], first[i] + len(chunk))
    return index if isinstance(chunk, pd.Index) else chunk.set_axis(index, axis=0)


def _renumbered(rows: Any) -> Any:
    return _relabel(0, rows, [0])


@lowered(
    "frame.renumber",
    meta=lambda frame: frame_meta(example(_renumbered, frame), frame.length, NEW, ranged=True),
    trim=lambda node, mine: node if mine.labels else node.args[0],
    demands=lambda node, mine: [replace(mine, order=mine.order or mine.labels, labels=False)],
    traits=["open"],
)
def renumber(frame: Chunks) -> Chunks:
    """The same rows under the labels 0..n-1. Dropped by a pass where nobody looks at labels."""
    return graph.per_chunk(_relabel, frame, starts(frame), number=True)
