"""`merge`: its arguments, checked, and what pandas makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, FrameHandle, Series, as_frame
from marsdask.dataframe.merge_plans import MergeError
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, Unbuilt, near
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import frame_meta
from marsdask.plan.registry import lowered, operation, public

VALIDATE = ("1:1", "1:m", "m:1", "m:m", "one_to_one", "one_to_many", "many_to_one", "many_to_many")
HOWS = ("left", "right", "outer", "inner", "cross", "left_anti", "right_anti")


def _tuning(
    method: Any, auto_merge: Any, auto_merge_threshold: Any, bloom_filter: Any, bloom_filter_options: Any
) -> str:
    """Mars's tuning arguments, checked; only `method` has an effect."""
    if method is None:
        method = "auto"
    for name, value, wanted in (
        ("method", method, ("auto", "shuffle", "broadcast")),
        ("auto_merge", auto_merge, ("both", "none", "before", "after")),
        ("bloom_filter", bloom_filter, (True, False, "auto", "large", "small", "both")),
    ):
        if value not in wanted:
            raise ArgumentError(f"merge({name}={value!r}): expected one of {', '.join(map(repr, wanted))}.")
    if (
        not isinstance(auto_merge_threshold, (int, float))
        or isinstance(auto_merge_threshold, bool)
        or auto_merge_threshold < 1
    ):
        raise ArgumentError(
            f"merge(auto_merge_threshold={auto_merge_threshold!r}): expected a number from 1 on."
        )
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
    method = _tuning(method, auto_merge, auto_merge_threshold, bloom_filter, bloom_filter_options)
    left, right = side(left, "left"), side(right, "right")
    if how not in HOWS:
        raise ArgumentError(
            f"merge(how={how!r}): expected one of {', '.join(map(repr, HOWS))}.{near(how, HOWS)}"
        )
    for name, keys in (("on", on), ("left_on", left_on), ("right_on", right_on)):
        for key in keys if isinstance(keys, (list, tuple)) else [keys]:
            if isinstance(key, (FrameHandle, pd.Series, np.ndarray, pd.Index)):
                raise Unbuilt.argument("merge", name, key, "assign the values as a column and name that.")
    spec: dict[str, Any] = {
        "how": how, "sort": bool(sort), "suffixes": tuple(suffixes) if isinstance(suffixes, list) else suffixes,
        "indicator": indicator, "validate": validate, "left_index": bool(left_index), "right_index": bool(right_index),
    }  # fmt: skip
    if not isinstance(left_index, (bool, np.bool_)) or not isinstance(right_index, (bool, np.bool_)):
        raise ArgumentError("left_index and right_index parameters must be of type bool")
    if validate is not None and validate not in VALIDATE:
        raise ArgumentError(
            f"merge(validate={validate!r}): expected one of {', '.join(map(repr, VALIDATE))}."
        )
    spec.update(_keys(left, right, how, on, left_on, right_on, spec))
    if how.endswith("_anti") and not (spec["left_index"] or spec["right_index"]):
        return _anti(left, right, spec, method)
    made = registry.make("frame.merge", left, right, spec, method)
    return made if spec["left_index"] or spec["right_index"] else registry.make("frame.renumber", made)


def _anti(left: Any, right: Any, spec: dict[str, Any], method: str) -> Any:
    """Rows of one side without a match, under the labels they have in the whole left or right join (as pandas 3 gives)."""
    side_name = spec["how"].removesuffix("_anti")
    shown = (
        spec["indicator"] if isinstance(spec["indicator"], str) else "_merge" if spec["indicator"] else None
    )
    whole = registry.make(
        "frame.merge", left, right, {**spec, "how": side_name, "indicator": shown or LONE}, method
    )
    return registry.make(
        "frame.unmatched",
        registry.make("frame.renumber", whole),
        shown or LONE,
        f"{side_name}_only",
        shown is None,
    )


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
    left: Any, right: Any, how: str, on: Any, left_on: Any, right_on: Any, spec: dict[str, Any]
) -> dict[str, Any]:
    """`left_on` and `right_on` as lists (or None where that side's index is the key), names checked."""
    if how == "cross":
        if (
            on is not None
            or left_on is not None
            or right_on is not None
            or spec["left_index"]
            or spec["right_index"]
        ):
            raise MergeError("Can not pass on, right_on, left_on or set right_index=True or left_index=True")
        return {"left_on": None, "right_on": None, "on": None}
    if on is not None:
        if left_on is not None or right_on is not None:
            raise MergeError(
                'Can only pass argument "on" OR "left_on" and "right_on", not a combination of both.'
            )
        if spec["left_index"] or spec["right_index"]:
            raise MergeError(
                'Can only pass argument "on" OR "left_index" and "right_index", not a combination of both.'
            )
    elif left_on is None and right_on is None and not (spec["left_index"] or spec["right_index"]):
        on = [c for c in left.columns if c in right.columns]
        if not on:
            raise MergeError(
                "No common columns to perform merge on. Merge options: "
                f"left_on={left_on}, right_on={right_on}, left_index={spec['left_index']}, right_index={spec['right_index']}"
            )
    found: dict[str, Any] = {
        "on": _listed(on, left),
        "left_on": _listed(left_on, left),
        "right_on": _listed(right_on, right),
    }
    for frame, keys in ((left, found["on"] or found["left_on"]), (right, found["on"] or found["right_on"])):
        for key in keys or ():
            if key not in frame.columns and key not in frame.known.empty.index.names:
                raise ColumnNotFound.among(
                    key, [*frame.columns, *(n for n in frame.known.empty.index.names if n is not None)]
                )
    return found


def _listed(keys: Any, frame: Any) -> list[Any] | None:
    if keys is None:
        return None
    if isinstance(keys, tuple) and keys in frame.columns:
        return [keys]
    return list(keys) if isinstance(keys, (list, tuple)) else [keys]


def _as_method(**arguments: Any) -> Any:
    return merge(arguments.pop("self"), **arguments)


@operation(
    "DataFrame.merge",
    room="dataframe",
    owners=["DataFrame"],
    function=False,
    prepare=_as_method,
)
def merge_method(self: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
                 left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"), copy: Any = None,
                 indicator: Any = False, validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
                 bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """Matched rows of this frame and another: see `md.merge`."""
