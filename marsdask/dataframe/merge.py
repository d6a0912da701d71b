"""Merge and join, with pandas' rows in pandas' order, planned from sizes.

The small side goes to every chunk of the other; two large sides meet by the hash of their keys and go home to the chunks of
the side whose order counts, unless nobody looks at the order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import graph, registry
from marsdask.dataframe import shuffle
from marsdask.dataframe.chunkwise import pandas_on_samples
from marsdask.dataframe.core import DataFrame, FrameHandle, Series, as_frame, frame_meta
from marsdask.dataframe.sort import in_order
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, MarsDaskError, Unbuilt, near
from marsdask.graph import Chunks
from marsdask.lower import Keep
from marsdask.meta import NEW, FrameMeta, Rows, meta
from marsdask.node import Node
from marsdask.options import options
from marsdask.passes import Demand
from marsdask.registry import operation

VALIDATE = ("1:1", "1:m", "m:1", "m:m", "one_to_one", "one_to_many", "many_to_one", "many_to_many")
HOWS = ("left", "right", "outer", "inner", "cross", "left_anti", "right_anti")
BROADCAST_BYTES = 64 * 2**20
"""A side of up to this size goes to every chunk of the other; above, both sides are exchanged by key."""


class MergeError(ArgumentError, pd.errors.MergeError):
    """Arguments of a merge that do not fit each other."""


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


@operation("frame.framed", room="engine", traits=["through"],
           meta=lambda frame, name: frame_meta(frame.empty.to_frame(name), frame.length, frame.rows, ranged=frame.ranged))  # fmt: skip
def framed(frame: Chunks, name: Any) -> Chunks:
    """A series as a frame of one column."""
    return graph.per_chunk(_framed, frame, name)


def _framed(chunk: Any, name: Any) -> Any:
    return chunk.to_frame(name)


def _merge(left: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
           left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"), copy: Any = None,
           indicator: Any = False, validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
           bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
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


@operation("frame.unmatched", room="engine", meta=lambda frame, name, wanted, gone: frame_meta(
    frame.empty.drop(columns=name) if gone else frame.empty, math.nan, NEW))  # fmt: skip
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


def _pandas(left: Any, right: Any, spec: dict[str, Any]) -> Any:
    return pd.merge(left, right, **spec)


def _merge_meta(
    left: FrameMeta, right: FrameMeta, spec: dict[str, Any], method: str, ordered: bool = True
) -> FrameMeta:
    try:
        result = pandas_on_samples(partial(_pandas, spec={**spec, "validate": None}), left, right)
    except pd.errors.MergeError as error:
        raise error if isinstance(error, MarsDaskError) else MergeError(str(error)) from error
    return frame_meta(result, math.nan, Rows())


def _sides(spec: dict[str, Any], empty: Any, names: Sequence[str]) -> set[Any]:
    return {c for name in names for c in spec[name] or () if c in empty.columns}


def _wanted(node: Node, demand: Demand) -> tuple[set[Any], set[Any]]:
    """The columns of the two sides that show, or that rows are matched by."""
    left, right = (meta(n).empty for n in node.args[:2])
    spec = node.args[2]
    if demand.columns is None:
        return set(left.columns), set(right.columns)
    both = {c for c in left.columns if c in right.columns}
    mine = {c for c in left.columns if c in demand.columns or c in both} | _sides(
        spec, left, ("on", "left_on")
    )
    yours = {c for c in right.columns if c in demand.columns or c in both} | _sides(
        spec, right, ("on", "right_on")
    )
    return mine, yours


def _merge_demands(node: Node, demand: Demand) -> list[Demand]:
    mine, yours = _wanted(node, demand)
    spec = node.args[2]
    order = demand.order or demand.labels
    names = [*(spec["on"] or ()), *(spec["left_on"] or ())], [*(spec["on"] or ()), *(spec["right_on"] or ())]
    found = []
    for child, columns, keys in zip(node.args[:2], (mine, yours), names, strict=True):
        empty = meta(child).empty
        labels = spec["left_index"] or spec["right_index"] or any(k not in empty.columns for k in keys)
        found.append(Demand(frozenset(columns) if empty.columns.is_unique else None, order, labels))
    return found


def _merge_trim(node: Node, demand: Demand) -> Node:
    left, right, spec, method, *ordered = node.args
    wanted = _wanted(node, demand)
    less = [_only(child, columns) for child, columns in zip((left, right), wanted, strict=True)]
    keep_order = demand.order or demand.labels
    if less[0] is left and less[1] is right and keep_order:
        return node
    return Node(node.op, (*less, spec, method, *(ordered if keep_order else (False,))))


def _only(child: Node, columns: set[Any]) -> Node:
    have = meta(child).empty.columns
    if not have.is_unique or columns >= set(have):
        return child
    return Node("frame.select", (child, [c for c in have if c in columns]))


@operation("frame.merge", room="engine", meta=_merge_meta, demands=_merge_demands, trim=_merge_trim)
def merge_rows(left: Chunks, right: Chunks, spec: dict[str, Any], method: str, ordered: bool = True) -> Any:
    """Matched rows of two frames; labels restart where columns are the keys (`frame.renumber` is put on top)."""
    how, empties = spec["how"], (left.empty, right.empty)
    if left.count == right.count == 1:
        return graph.per_chunk(_pandas, left, right, spec=spec, lengths="unknown")
    by_index = spec["left_index"] or spec["right_index"]
    by_keys = (how == "outer" or spec["sort"]) and how != "cross"
    small = _small(left, empties[0]) and _small(right, empties[1])
    if (by_keys and (small or spec["on"] is None)) or (by_index and how in ("right", "right_anti")):
        graph.rule("merge: in one chunk, the result is sorted")
        return graph.per_chunk(_pandas, graph.gather(left), graph.gather(right), spec=spec, lengths="unknown")
    if by_keys:
        graph.rule("merge: both sides exchanged by key, the result sorted between sampled pivots")
        held = yield Keep(_exchanged(left, right, spec, False, False))
        how_sorted = {"by": spec["on"], "ascending": True, "na_position": "last", "key": None}
        return (yield from in_order(held, how_sorted)) if ordered else held
    ordered = ordered and options.row_order == "pandas"
    flipped = how in ("right", "right_anti")
    main, other = (right, left) if flipped else (left, right)
    checks = spec["validate"] not in (None, "m:m", "many_to_many") and spec["validate"] not in (
        ("m:1", "many_to_one") if not flipped else ("1:m", "one_to_many")
    )
    if how == "cross":
        method = "broadcast"
    if (method == "auto" and other.count > 1) or (method == "auto" and checks):
        unknown = [c for c in (left, right) if not c.known]
        if unknown:
            kept = yield Keep(*unknown)
            found = dict(zip(map(id, unknown), kept if len(unknown) > 1 else (kept,), strict=True))
            left, right, main, other = (found.get(id(c), c) for c in (left, right, main, other))
    if not checks and (
        method == "broadcast"
        or (method == "auto" and (other.count == 1 or _small(other, empties[0 if flipped else 1])))
    ):
        graph.rule("merge: one side to every chunk of the other")
        one = graph.gather(other)
        sides = (one, main) if flipped else (main, one)
        return graph.per_chunk(_pandas, *sides, spec=spec, lengths="unknown")
    graph.rule("merge: both sides exchanged by key")
    return _exchanged(left, right, spec, ordered, flipped)


def _small(frame: Chunks, empty: Any) -> bool:
    return frame.known and sum(frame.lengths or ()) * shuffle.row_bytes(empty) <= BROADCAST_BYTES


def _exchanged(left: Chunks, right: Chunks, spec: dict[str, Any], ordered: bool, flipped: bool) -> Chunks:
    count = max(left.count, right.count)
    names = (spec["on"] or spec["left_on"], spec["on"] or spec["right_on"])
    pieces = [
        shuffle.sent(frame, [], partial(_key_values, names=None if by_index else keys), list, count)
        for frame, keys, by_index in (
            (left, names[0], spec["left_index"]),
            (right, names[1], spec["right_index"]),
        )
    ]
    matched = graph.per_chunk(
        _matched, *pieces, spec=spec, flipped=flipped, placed=ordered, lengths="unknown"
    )
    if not ordered:
        return matched
    main = right if flipped else left
    return shuffle.home(matched, main.count, (math.nan,) * main.count)


def _key_values(frame: Any, others: Any, *, names: Any) -> list[Any]:
    if names is None:
        return [frame.index.get_level_values(i) for i in range(frame.index.nlevels)]
    return [frame[n] if n in frame.columns else frame.index.get_level_values(n) for n in names]


PLACE = "\x00marsdask-place"


def _matched(left: Any, right: Any, *, spec: dict[str, Any], flipped: bool, placed: bool) -> Any:
    """Rows of two sides that met; with the place of the row whose order counts."""
    frames, places = [], None
    for pieces, counts in ((left, not flipped), (right, flipped)):
        frame, _, homes, rows = shuffle.met(pieces)
        if counts and placed:
            frame = frame.assign(**{PLACE: homes.astype("i8") << 40 | rows})
        frames.append(frame)
    result = _pandas(*frames, spec=spec)  # type: ignore[misc]
    if not placed:
        return result
    places = result.pop(PLACE).to_numpy().astype("i8")
    return result, places >> 40, places & ((1 << 40) - 1)


MERGE_CASES = (
    *(f"df[['s', 'v']].merge(right[['s', 'r']], on='s', how='{how}')" for how in ("inner", "left", "right", "outer", "left_anti", "right_anti")),
    "df.merge(right, on='k')", "df.merge(right, on='k', how='left')", "df.merge(right, on='k', how='left_anti', indicator=True)",
    "df.merge(right)", "df.merge(right, how='cross')", "df.merge(right, on=['k', 's'])", "df.merge(right, left_on='i', right_on='k', suffixes=('', '_r'))",
    "dl.merge(rdf, left_on='s', right_index=True)", "dl.merge(rdf, left_on='s', right_index=True, how='left')", "df.merge(rdf, left_on='s', right_index=True, how='outer')",
    "df.merge(num, left_index=True, right_index=True)", "df.merge(num, left_index=True, right_index=True, how='outer')", "df.merge(right, on='k', sort=True)",
    "df.merge(right, on='k', how='left', indicator=True)", "df[['s', 'v']].merge(right[['s', 'r']], on='s', how='outer', indicator='from')", "df.merge(right, on='k', validate='nope')", "df.merge(right, on='s', validate='m:1')",
    "df.merge(right, on='k', validate='1:1')", "df.merge(right, on='k', validate='one_to_many')", "df.merge(right, on='nope')", "df.merge(right, how='nope')",
    "df.merge(right, on='k', left_on='i')", "df.merge(right.r)", "df.merge(right[['r']])", "df.merge(st, how='inner')", "right.merge(df, on='k', how='left')[['v', 'r']]",
    "df.merge(right, on='k', how='inner')[['v', 'r']].sum()", "dn.merge(dn[['q', 'f']], on='q')", "dn.merge(dn[['c', 'f']], on='c', how='left')", "df[['s', 'v']].merge(e[['s', 'v']], on='s', how='left')",
    "dl.merge(dl, left_index=True, right_index=True)", "df.merge(df, on='t', how='left')",
)  # fmt: skip


def _as_method(**arguments: Any) -> Any:
    return _merge(arguments.pop("self"), **arguments)


@operation("merge", room="dataframe", prepare=_merge, oracle=pd.merge,
           cases=("md.merge(df, right, on='k')", "md.merge(st, right[['s', 'r']], on='s', how='right')", "md.merge(df, 3)"))  # fmt: skip
def merge(left: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
          left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"), copy: Any = None,
          indicator: Any = False, validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
          bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """Matched rows of two frames, in pandas' order under the labels 0..n-1.

    `method`: "broadcast" sends one side to every chunk, "shuffle" exchanges both by key, "auto" chooses by size. `auto_merge` and
    `bloom_filter` are Mars's and have no effect.
    """


@operation(
    "DataFrame.merge",
    room="dataframe",
    owners=["DataFrame"],
    function=False,
    prepare=_as_method,
    cases=MERGE_CASES,
)
def merge_method(self: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
                 left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"), copy: Any = None,
                 indicator: Any = False, validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
                 bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """Matched rows of this frame and another: see `md.merge`."""
