"""`merge`: its arguments, checked, and what pandas makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, Series, as_frame
from marsdask.dataframe.joining.plans import Merge, MergeError
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, Unbuilt, near
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import frame_meta
from marsdask.plan.registry import lowered, public

VALIDATE = ("1:1", "1:m", "m:1", "m:m", "one_to_one", "one_to_many", "many_to_one", "many_to_many")
HOWS = ("left", "right", "outer", "inner", "cross", "left_anti", "right_anti")


def checked_tuning(
    method: Any = "auto",
    auto_merge: Any = "both",
    auto_merge_threshold: Any = 8,
    bloom_filter: Any = "auto",
    bloom_filter_options: Any = None,
) -> str:
    """Mars's tuning arguments, checked; only `method` has an effect."""
    method = checks.choice(
        "auto" if method is None else method, "merge(method=)", ("auto", "shuffle", "broadcast")
    )
    checks.choice(auto_merge, "merge(auto_merge=)", ("both", "none", "before", "after"))
    checks.choice(bloom_filter, "merge(bloom_filter=)", (True, False, "auto", "large", "small", "both"))
    checks.number(auto_merge_threshold, "merge(auto_merge_threshold=)", least=1)
    if bloom_filter_options is not None and not isinstance(bloom_filter_options, dict):
        raise ArgumentError(f"merge(bloom_filter_options={bloom_filter_options!r}): expected a dict.")
    return str(method)


def side(value: Any, name: str) -> Any:
    """A frame handle; a named series as a frame of one column."""
    value = as_frame(value) if isinstance(value, (pd.DataFrame, pd.Series)) else value
    if isinstance(value, Series):
        if value.name is None:
            raise ArgumentError("Cannot merge a Series without a name")
        return registry.make("frame.framed", value, value.name)
    if not isinstance(value, DataFrame):
        raise ArgumentTypeError(
            f"Can only merge Series or DataFrame objects, a {type(value).__name__} was passed as {name}"
        )
    return value


@lowered("frame.framed", traits=["through"],
           meta=lambda frame, name: frame_meta(frame.empty.to_frame(name), frame.length, frame.rows, ranged=frame.ranged))  # fmt: skip
def framed(frame: Chunks, name: Any) -> Chunks:
    """A series as a frame of one column."""
    return graph.per_chunk(_framed, frame, name)


def _framed(chunk: Any, name: Any) -> Any:
    return chunk.to_frame(name)


@public("merge")
def merge(left: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
           left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"), copy: Any = None,
           indicator: Any = False, validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
           bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """Matched rows of two frames, in pandas' order under the labels 0..n-1.

    `method`: "broadcast" sends one side to every chunk, "shuffle" exchanges both by key, "auto" chooses by size. `auto_merge` and
    `bloom_filter` are Mars's and have no effect.
    """
    method = checked_tuning(method, auto_merge, auto_merge_threshold, bloom_filter, bloom_filter_options)
    left, right = side(left, "left"), side(right, "right")
    if how not in HOWS:
        raise ArgumentError(
            f"merge(how={how!r}): expected one of {', '.join(map(repr, HOWS))}.{near(how, HOWS)}"
        )
    for name, keys in (("on", on), ("left_on", left_on), ("right_on", right_on)):
        for key in keys if isinstance(keys, (list, tuple)) else [keys]:
            if isinstance(key, (FrameHandle, pd.Series, np.ndarray, pd.Index)):
                raise Unbuilt.argument("merge", name, key, "assign the values as a column and name that.")
    if not isinstance(left_index, (bool, np.bool_)) or not isinstance(right_index, (bool, np.bool_)):
        raise ArgumentError("left_index and right_index parameters must be of type bool")
    checks.choice(validate, "merge(validate=)", (None, *VALIDATE))
    on, left_on, right_on = _keys(
        left, right, how, on, left_on, right_on, bool(left_index), bool(right_index)
    )
    suffixes = tuple(suffixes) if isinstance(suffixes, list) else suffixes
    spec = Merge(
        how, on, left_on, right_on, bool(left_index), bool(right_index), bool(sort), suffixes, indicator, validate
    )  # fmt: skip
    if how.endswith("_anti") and not spec.by_index:
        return _anti(left, right, spec, method)
    made = registry.make("frame.merge", left, right, spec, method)
    return made if spec.by_index else registry.make("frame.renumber", made)


def _anti(left: Any, right: Any, spec: Merge, method: str) -> Any:
    """Rows of one side without a match, under the labels they have in the whole left or right join (as pandas 3 gives)."""
    name = spec.how.removesuffix("_anti")
    shown = spec.indicator if isinstance(spec.indicator, str) else "_merge" if spec.indicator else None
    join = replace(spec, how=name, indicator=shown or LONE)
    whole = registry.make("frame.renumber", registry.make("frame.merge", left, right, join, method))
    return registry.make("frame.unmatched", whole, shown or LONE, f"{name}_only", shown is None)


LONE = "\x00marsdask-side"


def _unmatched(chunk: Any, name: str, wanted: str, gone: bool) -> Any:
    rows = chunk[chunk[name] == wanted]
    return rows.drop(columns=name) if gone else rows


@lowered("frame.unmatched", meta=lambda frame, name, wanted, gone: frame.fewer(
    frame.empty.drop(columns=name) if gone else frame.empty))  # fmt: skip
def unmatched(frame: Chunks, name: str, wanted: str, gone: bool) -> Chunks:
    """The rows that only one side of a join has."""
    return graph.per_chunk(_unmatched, frame, name, wanted, gone, lengths="unknown")


def _keys(
    left: Any, right: Any, how: str, on: Any, left_on: Any, right_on: Any, left_index: bool, right_index: bool
) -> tuple[Any, Any, Any]:
    """`on`, `left_on` and `right_on` as lists (or None where that side's index is the key), names checked."""
    apart = left_on is not None or right_on is not None
    by_index = left_index or right_index
    if how == "cross":
        if on is not None or apart or by_index:
            raise MergeError("Can not pass on, right_on, left_on or set right_index=True or left_index=True")
        return None, None, None
    if on is not None and (apart or by_index):
        others = '"left_on" and "right_on"' if apart else '"left_index" and "right_index"'
        raise MergeError(f'Can only pass argument "on" OR {others}, not a combination of both.')
    if on is None and not apart and not by_index:
        on = [c for c in left.columns if c in right.columns]
        if not on:
            raise MergeError(
                "No common columns to perform merge on. Merge options: "
                f"left_on={left_on}, right_on={right_on}, left_index={left_index}, right_index={right_index}"
            )
    on, left_on, right_on = _listed(on, left), _listed(left_on, left), _listed(right_on, right)
    for frame, keys in ((left, on or left_on), (right, on or right_on)):
        names = [*frame.columns, *(n for n in frame.known.empty.index.names if n is not None)]
        for key in keys or ():
            if key not in names:
                raise ColumnNotFound.among(key, names)
    return on, left_on, right_on


def _listed(keys: Any, frame: Any) -> list[Any] | None:
    if keys is None:
        return None
    if isinstance(keys, tuple) and keys in frame.columns:
        return [keys]
    return list(keys) if isinstance(keys, (list, tuple)) else [keys]


@public("DataFrame.merge", owners=["DataFrame"])
def merge_method(self: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
                 left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"), copy: Any = None,
                 indicator: Any = False, validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
                 bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """Matched rows of this frame and another: see `md.merge`."""
    return merge(
        self, right, how, on, left_on, right_on, left_index, right_index, sort, suffixes, copy, indicator, validate,
        method, auto_merge, auto_merge_threshold, bloom_filter, bloom_filter_options,
    )  # fmt: skip
