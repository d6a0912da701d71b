"""What is known of methods of groups before a run, and what they look at in their frame."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from marsdask.dataframe import aggregation, grouping
from marsdask.dataframe.chunkwise import sampled
from marsdask.dataframe.grouping import Grouping
from marsdask.plan.meta import NEW, FrameMeta, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import Demand


def on_samples(
    frame: FrameMeta, spec: Grouping, keys: Sequence[Any], name: str, args: Any, kwargs: Any
) -> Any:
    """What pandas makes of groups of made-up rows."""
    with np.errstate(all="ignore"):
        return grouping.ran(
            spec,
            _with_holes(sampled(frame)),
            [sampled(k) for k in keys],
            name,
            sampled(args),
            sampled(kwargs),
        )


def _with_holes(rows: Any) -> Any:
    """Made-up rows with a hole in float32: only then does pandas 3.1 say that the mean is float32 too."""
    narrow = [c for c, d in enumerate([rows.dtype] if rows.ndim == 1 else rows.dtypes) if d == np.float32]
    for c in narrow:
        if rows.ndim == 1:
            rows.iloc[0] = np.nan
        else:
            rows.isetitem(c, np.array([np.nan, *np.ones(len(rows) - 1)], "f4"))
    return rows


def grouped_meta(
    frame: FrameMeta, spec: Grouping, keys: Sequence[Any], name: str, args: Any, kwargs: Any, how: str = "auto", every: Any = None
) -> FrameMeta:  # fmt: skip
    """Metadata of one or more rows a group."""
    return frame_meta(
        on_samples(frame, spec, keys, name, args, kwargs), math.nan, NEW, ranged=not spec["as_index"]
    )


def kept_meta(
    frame: FrameMeta, spec: Grouping, keys: Sequence[Any], name: str, args: Any, kwargs: Any
) -> FrameMeta:
    """Metadata of a row for each row of the frame."""
    return frame_meta(
        on_samples(frame, spec, keys, name, args, kwargs), frame.length, frame.rows, ranged=frame.ranged
    )


def fewer_meta(
    frame: FrameMeta, spec: Grouping, keys: Sequence[Any], name: str, args: Any, kwargs: Any
) -> FrameMeta:
    """Metadata of some of the frame's rows."""
    return frame.fewer(on_samples(frame, spec, keys, name, args, kwargs))


def _columns(node: Node) -> frozenset[Any] | None:
    """The columns of the frame that a method of groups looks at."""
    frame, spec, _, name, args, kwargs = node.args
    empty = meta(frame).empty
    if empty.ndim == 1 or not empty.columns.is_unique:
        return None
    keys = grouping.by_columns(spec, empty.columns)
    if any(kind == "grouper" for kind, _ in spec["by"] or ()):
        return None
    if name == "size":
        return frozenset(keys)
    if spec["select"] is not None:
        chosen = spec["select"] if isinstance(spec["select"], list) else [spec["select"]]
        return frozenset([*keys, *chosen])
    if name in ("agg", "aggregate"):
        func = args[0] if args else kwargs.get("func")
        if isinstance(func, dict):
            return frozenset([*keys, *func])
        if func is None:
            pairs = [aggregation.named_pair(p) for p in kwargs.values()]
            if not all(isinstance(p, tuple) and len(p) == 2 for p in pairs):
                return None
            return frozenset([*keys, *(p[0] for p in pairs)])
    return None


def _group_demands(node: Node, demand: Demand) -> list[Demand]:
    frame, spec, _, name, args, kwargs = node.args
    empty = meta(frame).empty
    labels = grouping.looks_at_labels(spec, empty.columns if empty.ndim == 2 else ()) or not _known(node)
    order = not spec["sort"] or aggregation.order_shows(_found(empty, spec, name, args, kwargs))
    first = Demand(_columns(node), order=order, labels=labels)
    return [first, *(Demand(None, order=order, labels=labels) for _ in inputs(node)[1:])]


COLUMN_BY_COLUMN = frozenset(
    [
        "cumsum",
        "cumprod",
        "cummax",
        "cummin",
        "diff",
        "pct_change",
        "rank",
        "ffill",
        "bfill",
        "fillna",
        "head",
        "tail",
        "cumcount",
        "ngroup",
    ]
)
"""Methods whose columns are made of the column of the same name each."""


def _seen_columns(node: Node, demand: Demand) -> frozenset[Any] | None:
    """The columns that a method with a row for each row looks at, or that show."""
    frame, spec, _, name, *_ = node.args
    empty = meta(frame).empty
    if (
        empty.ndim == 1
        or not empty.columns.is_unique
        or any(kind == "grouper" for kind, _ in spec["by"] or ())
    ):
        return None
    keys = grouping.by_columns(spec, empty.columns)
    if spec["select"] is not None:
        chosen = spec["select"] if isinstance(spec["select"], list) else [spec["select"]]
        return frozenset([*keys, *chosen])
    if name in ("cumcount", "ngroup"):
        return frozenset(keys)
    if demand.columns is None or name not in COLUMN_BY_COLUMN:
        return None
    return frozenset([*keys, *demand.columns])


def _rows_demands(node: Node, demand: Demand) -> list[Demand]:
    frame, spec, _, name, *_ = node.args
    empty = meta(frame).empty
    made_of_labels = grouping.looks_at_labels(spec, empty.columns if empty.ndim == 2 else ())
    labels = demand.labels or made_of_labels or name not in COLUMN_BY_COLUMN
    first = Demand(_seen_columns(node, demand), order=True, labels=labels)
    return [first, *(Demand(None, order=True, labels=labels) for _ in inputs(node)[1:])]


def _rows_trim(node: Node, demand: Demand) -> Node:
    wanted = _seen_columns(node, demand)
    return node if wanted is None else _less(node, wanted)


def _less(node: Node, wanted: frozenset[Any]) -> Node:
    """The same over a frame without the columns that are not wanted."""
    frame, *rest = node.args
    known = meta(frame)
    if known.kind != "DataFrame" or wanted >= set(known.empty.columns):
        return node
    less = Node("frame.select", (frame, [c for c in known.empty.columns if c in wanted]))
    return Node(node.op, (less, *rest), node.kwargs)


def _known(node: Node) -> bool:
    """Whether a method of groups surely does not look at row labels."""
    frame, spec, _, name, args, kwargs = node.args
    return _found(meta(frame).empty, spec, name, args, kwargs) is not None


def _group_trim(node: Node, demand: Demand) -> Node:
    """Columns that no aggregation looks at are left out before rows are grouped."""
    wanted = _columns(node)
    return node if wanted is None else _less(node, wanted)


def _found(empty: Any, spec: Grouping, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The output columns where chunks can prepare all of them, else None."""
    if grouping.one_chunk_only(spec, empty):
        return None
    kwargs = {k: v for k, v in kwargs.items() if not (k in ("engine", "engine_kwargs") and v is None)}
    if name in ("agg", "aggregate"):
        func = args[0] if args else kwargs.pop("func", None)
        return None if len(args) > 1 else aggregation.outputs(empty, spec, func, kwargs)
    if args:
        return None
    kwargs = {
        k: v
        for k, v in kwargs.items()
        if (k, v) not in (("skipna", True), ("min_count", -1))
        and not (name in ("sum", "prod") and (k, v) == ("min_count", 0))
    }
    return aggregation.outputs(empty, spec, name, kwargs)
