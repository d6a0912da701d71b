"""Frames one below the other, side by side, or brought to the rows of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, Index, as_frame
from marsdask.dataframe.rows.alignment import (
    distinct,
    example,
    has_fractions,
    joint_meta,
    pandas_on_samples,
    together,
    without_loss,
)
from marsdask.dataframe.rows.families import BOTH, pandas_signature
from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


@public("concat")
def concat(objs: Any, axis: Any = 0, join: str = "outer", ignore_index: bool = False, keys: Any = None, levels: Any = None,
            names: Any = None, verify_integrity: bool = False, sort: bool = False, copy: Any = None) -> Any:  # fmt: skip
    """Frames one below the other, or side by side with `axis=1`. `ignore_index` gives 0..n-1 also over unknown lengths.

    Semantics and errors are those of `pandas.concat`; what follows says it in short, and what is added here.

    Parameters
    ----------
    objs : sequence or mapping of DataFrame and Series
        Of marsdask or pandas; None among them are left out. The keys of a mapping are `keys`.
    axis : {0, "index", 1, "columns"}
        Whether rows follow rows, or columns stand side by side, rows matched by label.
    join : {"outer", "inner"}
        Whether the other axis has the labels of all, with holes, or only those that all have.
    ignore_index : bool
        Whether the labels along `axis` are 0..n-1.
    keys : list, optional
        A label for each of `objs`, as the outermost level of the labels along `axis`.
    names : list, optional
        Names of the levels that `keys` makes.
    levels
        pandas'; not built.
    verify_integrity : bool
        Whether a label that is there twice is an error; that of rows when it runs.
    sort : bool
        Whether the labels of the other axis are sorted.
    copy
        pandas'; has no effect.

    Returns
    -------
    DataFrame or Series
        Lazy. With `axis=0` the rows of the first, then those of the next, in the chunks they have; the length is known
        where all lengths are. With `axis=1` chunk by chunk where all have the same rows; else rows are matched in one
        chunk, which `options.gather_limit` bounds.

    Raises
    ------
    ValueError
        Nothing to put together, another number of keys than of objects, labels that are there twice.
    TypeError
        One frame instead of several, or something that is no frame and no series.
    NotImplementedError
        `levels`.
    """
    if isinstance(objs, (FrameHandle, pd.DataFrame, pd.Series, str)):
        raise ArgumentTypeError(
            f"concat(objs=...): expected an iterable of frames and series, got one {type(objs).__name__}."
        )
    checks.choice(join, "concat(join=)", ("inner", "outer"))
    checks.choice(axis, "concat(axis=)", (0, 1, "index", "columns", "rows"))
    if levels is not None:
        raise Unbuilt.argument(
            "concat", "levels", levels, "give keys= and names=; the levels follow from them."
        )
    if isinstance(objs, Mapping):
        keys = list(objs) if keys is None else list(keys)
        objs = [objs[k] for k in keys]
    objs = list(objs)
    if not objs:
        raise ArgumentError("concat(objs=[]): no objects to concatenate.")
    if keys is not None:
        keys = list(keys)
        if len(keys) != len(objs):
            raise ArgumentError(
                f"The length of the keys ({len(keys)}) must match the length of the objects to concatenate ({len(objs)})"
            )
        keys = [k for k, o in zip(keys, objs, strict=True) if o is not None]
    objs = [as_frame(o) for o in objs if o is not None]
    if not objs:
        raise ArgumentError("All objects passed were None")
    if any(isinstance(o, Index) for o in objs):
        raise ArgumentTypeError(
            "cannot concatenate object of type 'Index'; only Series and DataFrame objs are valid"
        )
    how = {"join": join, "keys": None if ignore_index else keys, "names": names, "sort": bool(sort)}
    if axis in (1, "columns"):
        first, others, _ = together(objs[0], objs[1:], {})
        how |= {"axis": 1, "ignore_index": bool(ignore_index), "verify_integrity": bool(verify_integrity)}
        return registry.make("frame.side_by_side", first, others, how)
    made = registry.make("frame.below", objs, how)
    if ignore_index:
        return registry.make("frame.renumber", made)
    return registry.make("frame.unique_labels", made) if verify_integrity else made


def _below_demands(node: Node, demand: Demand) -> list[Demand]:
    found = []
    for child in node.args[0]:
        empty, columns = meta(child).empty, demand.columns
        if node.args[1]["sort"] or columns is None or empty.ndim == 1 or not empty.columns.is_unique:
            columns = None  # they cannot be told apart
        found.append(demand.of(columns and columns.intersection(empty.columns)))
    return found


def _below(objs: list[FrameMeta], how: dict[str, Any]) -> Any:
    """What pandas makes of made-up rows. Below keys, labels whose names differ have none, which it looks at where they differ, too."""
    made = pandas_on_samples(pd.concat, objs, **how)
    names = [set(level) for level in zip(*(o.shown.index.names for o in objs), strict=False)]
    if how["keys"] is None or len(how["names"] or ()) == made.index.nlevels:
        return made
    own = [next(iter(level)) if len(level) == 1 else None for level in names]
    return made.rename_axis([*made.index.names[: made.index.nlevels - len(own)], *own])


@lowered(
    "frame.below",
    meta=lambda objs, how: frame_meta(_below(objs, how), sum(o.length for o in objs), NEW),
    demands=_below_demands,
)
def below(objs: list[Chunks], how: dict[str, Any]) -> Chunks:
    """The rows of frames one after another, in chunks as they are."""
    like = graph.promised().empty
    plain = like.set_axis(pd.RangeIndex(0), axis=0)
    names = list(like.index.names)
    parts = []
    for i, obj in enumerate(objs):
        key = {} if how["keys"] is None else {"keys": [how["keys"][i]], "names": how["names"]}
        fits = not key and _alike(obj.empty, like)
        parts.append(obj if fits else graph.per_chunk(_fitted, obj, plain, names, key))
    return graph.joined(*parts)


def _alike(empty: Any, like: Any) -> bool:
    if empty.ndim != like.ndim or empty.index.names != like.index.names:
        return False
    if empty.ndim == 1:
        return empty.dtype == like.dtype and empty.name == like.name
    same = empty.columns.equals(like.columns) and empty.columns.names == like.columns.names
    return same and bool((empty.dtypes == like.dtypes).all())


def _fitted(chunk: Any, like: Any, names: list[Any], key: dict[str, Any]) -> Any:
    """A chunk with the columns and dtypes of `like`, and its key above its labels where it has one, which have `names`."""
    if key:
        chunk = pd.concat([chunk], **key)
    if list(chunk.index.names) != names:
        chunk = chunk.set_axis(chunk.index.set_names(names), axis=0)
    if like.ndim == 1:
        return (chunk if chunk.dtype == like.dtype else without_loss(chunk, like.dtype)).rename(like.name)
    if chunk.ndim == 1:
        chunk = chunk.to_frame(chunk.name if chunk.name is not None else 0)
    if not chunk.columns.equals(like.columns):
        chunk = chunk.reindex(columns=like.columns)
    elif chunk.columns.names != like.columns.names:
        chunk = chunk.set_axis(like.columns, axis=1)
    if not like.columns.is_unique:
        return chunk
    off = {c: d for c, d in like.dtypes.items() if chunk.dtypes[c] is not d and chunk.dtypes[c] != d}
    off = {c: d for c, d in off.items() if not has_fractions(chunk[c], d)}
    return chunk.astype(off) if off else chunk


def _joint_meta(does: Callable[..., Any], first: FrameMeta, *others: FrameMeta) -> FrameMeta:
    """Metadata of what is made of several frames: on the rows that all have, else on others."""
    if all(other.rows == first.rows for other in others):
        return first.same(example(does, first, *others))
    return joint_meta(does, first, *others)


@lowered(
    "frame.side_by_side",
    meta=lambda first, others, how: _joint_meta(partial(_beside, how=how), first, *others),
)
def beside(first: Chunks, others: list[Chunks], how: dict[str, Any]) -> Chunks:
    """Frames side by side: chunk by chunk where they have the same rows, else aligned in one chunk."""
    return graph.per_chunk(_beside, first, *others, how=how, lengths=_lengths(first))


def _lengths(first: Chunks) -> Any:
    """What is known of the lengths of chunks of several frames: one chunk may be of other rows than the first frame's."""
    return "same" if first.count > 1 else "unknown"


def _beside(*parts: Any, how: dict[str, Any]) -> Any:
    return pd.concat(list(parts), **how)


@lowered("frame.unique_labels", meta=lambda frame: frame)
def unique_labels(frame: Chunks) -> Chunks:
    """The same rows, or an error where a label is there twice."""
    return distinct(frame, "Indexes have overlapping values: {again}")


@public("DataFrame.append", owners=["DataFrame"])
def append(
    self: Any, other: Any, ignore_index: bool = False, verify_integrity: bool = False, sort: bool = False
) -> Any:
    """This frame's rows and then others' (gone from pandas, kept for Mars's users)."""
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if self.ndim == 2:
        others = [_as_row(o) if isinstance(o, (dict, pd.Series)) else o for o in others]
    kinds = (FrameHandle, pd.DataFrame, pd.Series)
    for each in others:
        checks.instance(each, "append(other=)", kinds, "a frame or series, or a list")
    return concat([self, *others], ignore_index=ignore_index, verify_integrity=verify_integrity, sort=sort)


def _as_row(row: Any) -> pd.DataFrame:
    series = pd.Series(row, dtype=object)
    return series.rename(series.name or 0).to_frame().T.infer_objects()


@public("Series.append", owners=["Series"])
def append_to_series(
    self: Any, to_append: Any, ignore_index: bool = False, verify_integrity: bool = False
) -> Any:
    """This series' rows and then others' (gone from pandas, kept for Mars's users)."""
    return append(self, to_append, ignore_index, verify_integrity)


def _both_meta(does: partial[Any], frame: FrameMeta, other: FrameMeta) -> FrameMeta:
    if "func" not in does.args[1]:
        return _joint_meta(does, frame, other)
    # A function of columns need not know what to do with no rows.
    made = pandas_on_samples(does, frame, other)
    return frame.same(made) if other.rows == frame.rows else frame.fewer(made)


@lowered(
    "frame.both",
    meta=lambda method, frame, other, **how: _both_meta(partial(_of_both, method, how), frame, other),
)
def both(method: str, frame: Chunks, other: Chunks, **how: Any) -> Chunks:
    """A method of two frames on the same rows, or on all rows of both in one chunk."""
    return graph.even(graph.per_chunk(_of_both, method, how, frame, other, lengths=_lengths(frame)))


def _of_both(method: str, how: dict[str, Any], frame: Any, other: Any) -> Any:
    return getattr(frame, method)(other, **how)


@public("frame.combine", owners=BOTH, signature=pandas_signature("combine"), direct=False)
def combine(self: Any, other: Any, **kwargs: Any) -> Any:
    """pandas' `combine`, aligned by labels."""
    if self.ndim == 2:  # the function sees whole columns
        first, second = (registry.make("frame.one_chunk", each) for each in (self, other))
    else:
        first, (second,), _ = together(self, [other], {})
    return registry.make("frame.both", "combine", first, second, **kwargs)


@public("frame.combine_first", owners=["DataFrame", "Series"])
def combine_first(self: Any, other: Any) -> Any:
    """pandas' `combine_first`, aligned by labels."""
    first, (second,), _ = together(self, [as_frame(other)], {})
    return registry.make("frame.both", "combine_first", first, second)


def _pair(left: Any, right: Any, which: int, kwargs: dict[str, Any]) -> Any:
    return left.align(right, **kwargs)[which]


@lowered(
    "frame.aligned",
    meta=lambda frame, other, which, kwargs: _joint_meta(
        partial(_pair, which=which, kwargs=kwargs), frame, other
    ),
)
def aligned(frame: Chunks, other: Chunks, which: int, kwargs: dict[str, Any]) -> Chunks:
    """One of two frames under the labels of both."""
    return graph.per_chunk(_pair, frame, other, which, kwargs, lengths=_lengths(frame))


@public("frame.align", owners=["DataFrame", "Series"])
def align(
    self: Any,
    other: Any,
    join: str = "outer",
    axis: Any = None,
    level: Any = None,
    fill_value: Any = None,
    copy: Any = None,
) -> Any:
    """Both frames under the labels of both: a pair of lazy frames."""
    if not isinstance(other, (FrameHandle, pd.DataFrame, pd.Series)):
        raise ArgumentTypeError(f"unsupported type: {type(other)}; expected a frame or series.")
    given = {"join": join, "axis": axis if self.ndim == 2 else None, "level": level, "fill_value": fill_value}
    kwargs = {k: v for k, v in given.items() if v is not None}
    first, (second,), _ = together(self, [as_frame(other)], {})
    return tuple(registry.make("frame.aligned", first, second, which, kwargs) for which in (0, 1))
