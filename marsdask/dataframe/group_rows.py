"""How methods of groups are lowered: a row a group, a row a row, some of the rows.

One row a group: parts per chunk joined in a tree where `aggregation.FINALS` knows how, else rows exchanged by key. As many
rows as the frame: rows exchanged by key and back home. All through pandas' own groupby, in pandas' order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe import aggregation, grouping, shuffle
from marsdask.dataframe.chunkwise import matched
from marsdask.dataframe.group_demands import (
    _found,
    _group_demands,
    _group_trim,
    _rows_demands,
    _rows_trim,
    fewer_meta,
    grouped_meta,
    kept_meta,
    on_samples,
)
from marsdask.dataframe.grouping import Grouping
from marsdask.errors import LabelNotFound
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Keep
from marsdask.plan.meta import NEW, FrameMeta
from marsdask.plan.registry import lowered

MANY_GROUPS = 2_000_000
"""From so many rows of parts on, parts are exchanged by key: one task would hold and sort all of them."""


@lowered("groupby.reduce", meta=grouped_meta, demands=_group_demands, trim=_group_trim)
def reduce(
    frame: Chunks,
    spec: Grouping,
    keys: list[Any],
    name: str,
    args: Any,
    kwargs: Any,
    how: str = "auto",
    every: Any = None,
) -> Any:
    """One or more rows a group: a tree over parts, or an exchange of rows by key."""
    empty = frame.empty
    frame, keys, _ = yield from matched(frame, keys, {})
    found = _found(empty, spec, name, args, kwargs) if frame.count > 1 else None
    if found is None or (how == "shuffle" and frame.count > 1 and not found):
        return _exchanged(frame, spec, keys, name, args, kwargs, empty)
    parts = aggregation.parts_of(empty, found)
    tables = graph.per_chunk(
        aggregation.prepared, frame, *keys, spec=spec, parts=parts, lengths="unknown", label="parts"
    )
    like = _like(frame, spec, keys, name, args, kwargs, empty)
    end = partial(aggregation.finished, spec=spec, parts=parts, found=found, like=like, source=empty)
    if how == "auto" and frame.count >= 16:
        tables = yield Keep(tables)
        how = "shuffle" if sum(tables.lengths) >= MANY_GROUPS else "tree"
    if how == "shuffle":
        graph.rule("groupby: parts exchanged by key")
        k = grouping.count_keys(spec)
        merge = partial(_joined_parts, spec=spec, parts=parts)
        met = shuffle.sent(tables, [], partial(_table_keys, k=k), merge, tables.count)
        return graph.value(graph.limited(partial(_in_order, end=end)), met).with_lengths((math.nan,))
    graph.rule("groupby: tree over parts")
    join = partial(aggregation.joined, spec=spec, parts=parts)
    return graph.tree(tables, join, end, every=every).with_lengths((math.nan,))


def _table_keys(table: pd.DataFrame, others: Any, *, k: int) -> list[Any]:
    return [table[n] for n in aggregation.key_names(k)]


def _joined_parts(pieces: list[shuffle.Piece], *, spec: Grouping, parts: Any) -> Any:
    table, _, homes, rows = shuffle.met(pieces)
    joined = aggregation.joined([table], spec=spec, parts=parts)
    k = grouping.count_keys(spec)
    number = (
        table.groupby(aggregation.key_names(k), sort=False, dropna=False, observed=True).ngroup().to_numpy()
    )
    seen = np.unique(number, return_index=True)[1]
    return joined, homes[seen].astype("i8") << 40 | rows[seen]


def _in_order(parts: list[Any], *, end: Any) -> Any:
    """Tables of the hash chunks in order of first appearance, then as after a tree."""
    table = graph.concat([p[0] for p in parts])
    first = np.concatenate([p[1] for p in parts])
    return end([table.iloc[np.argsort(first, kind="stable")]])


def _like(frame: Any, spec: Grouping, keys: Any, name: str, args: Any, kwargs: Any, empty: Any) -> Any:
    return on_samples(
        FrameMeta(empty, math.nan, NEW), spec, [_key_meta(k) for k in keys], name, args, kwargs
    ).iloc[:0]


def _key_meta(key: Any) -> Any:
    return FrameMeta(key.empty, math.nan, NEW) if isinstance(key, Chunks) else np.ones(2, key.dtype)


def hash_chunks(frame: Chunks, spec: Grouping, empty: Any) -> int:
    """How many chunks rows are exchanged to: one where that is right only in one, or where the data are small."""
    if grouping.one_chunk_only(spec, empty) or shuffle.is_small(frame, shuffle.row_bytes(empty)):
        return 1
    return frame.count


def _keys_of(spec: Grouping) -> Any:
    return partial(_values, spec=spec)


def _values(frame: Any, others: Any, *, spec: Grouping) -> list[Any]:
    return grouping.key_values(spec, frame, others)


def _exchanged(
    frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any, empty: Any
) -> Chunks:
    """pandas' own method on the rows of some groups in each chunk, then all groups in their order."""
    run = partial(_ran, spec=spec, name=name, args=args, kwargs=kwargs)
    count = hash_chunks(frame, spec, empty)
    categories = any(isinstance(d, pd.CategoricalDtype) for d in _key_dtypes(spec, empty, keys))
    if frame.count == 1:
        return graph.per_chunk(partial(_direct, run=run), frame, *keys, lengths="unknown")
    if (
        count == 1
        or name == "value_counts"
        or (categories and not spec["observed"])
        or (not spec["sort"] and name in MANY_ROWS)
    ):
        graph.rule("groupby: rows of all groups in one chunk")
        return shuffle.sent(frame, keys, None, partial(_met_and_ran, run=run), 1).with_lengths((math.nan,))
    graph.rule("groupby: rows exchanged by key")
    inner = partial(_ran, spec={**spec, "as_index": True}, name=name, args=args, kwargs=kwargs)
    met = shuffle.sent(frame, keys, _keys_of(spec), partial(_met_and_placed, run=inner, spec=spec), count)
    end = partial(_groups_in_order, spec=spec, like=_like(frame, spec, keys, name, args, kwargs, empty))
    return graph.value(graph.limited(end), met).with_lengths((math.nan,))


MANY_ROWS = (
    "value_counts",
    "describe",
    "quantile",
    "nlargest",
    "nsmallest",
    "corr",
    "cov",
    "unique",
    "agg",
    "aggregate",
)


def _key_dtypes(spec: Grouping, empty: Any, keys: Sequence[Any]) -> list[Any]:
    found = [k.empty.dtype for k in keys if isinstance(k, Chunks)]
    for kind, v in spec["by"] or ():
        if kind == "name" and empty.ndim == 2 and v in empty.columns:
            found.append(empty.dtypes[v])
        elif kind == "name":
            found.append(empty.index.get_level_values(v).dtype)
    if spec["by"] is None:
        levels = spec["level"] if isinstance(spec["level"], (list, tuple)) else [spec["level"]]
        found += [empty.index.get_level_values(each).dtype for each in levels]
    return found


def _ran(frame: Any, keys: Sequence[Any], *, spec: Grouping, name: str, args: Any, kwargs: Any) -> Any:
    return grouping.ran(spec, frame, keys, name, args, kwargs)


def _direct(frame: Any, *keys: Any, run: Any) -> Any:
    return run(frame, keys)


def _met_and_ran(pieces: list[shuffle.Piece], *, run: Any) -> Any:
    frame, keys, _, _ = shuffle.met(pieces)
    return run(frame, keys)


def _met_and_placed(pieces: list[shuffle.Piece], *, run: Any, spec: Grouping) -> Any:
    """A chunk's groups, and where each was seen first."""
    frame, keys, homes, rows = shuffle.met(pieces)
    result = run(frame, keys)
    if spec["sort"]:
        return result, None
    values = grouping.key_values(spec, frame, keys)
    codes = pd.DataFrame({i: pd.Series(v).reset_index(drop=True) for i, v in enumerate(values)})
    number = (
        codes.groupby(list(codes.columns), sort=False, dropna=spec["dropna"], observed=True)
        .ngroup()
        .to_numpy()
    )
    seen, first = np.unique(number, return_index=True)
    first = first[seen >= 0]
    return result, homes[first].astype("i8") << 40 | rows[first]


def _groups_in_order(parts: list[Any], *, spec: Grouping, like: Any) -> Any:
    """All groups in the order of keys, or of first appearance."""
    full = [p for p in parts if len(p[0])] or parts[:1]
    result = pd.concat([p[0] for p in full]) if len(full) > 1 else full[0][0]
    if len(full) > 1:
        if spec["sort"]:
            k = grouping.count_keys(spec)
            keys = pd.DataFrame({i: result.index.get_level_values(i) for i in range(k)})
            goes = keys.groupby(list(range(k)), sort=True, dropna=False, observed=True).ngroup().to_numpy()
        else:
            goes = np.concatenate([p[1] for p in full])
        result = result.iloc[np.argsort(goes, kind="stable")]
    if not spec["as_index"] and like.ndim == 2:
        result = result.reset_index()
        result = result.set_axis(like.columns, axis=1) if len(result.columns) == len(like.columns) else result
    return narrowed(result, like)


def narrowed(result: Any, like: Any) -> Any:
    """float32 where `like` says so: pandas 3.1 widens means of columns without holes."""
    if result.ndim != like.ndim or like.ndim == 1:
        wide = result.ndim == like.ndim and like.dtype == np.float32 and result.dtype == np.float64
        return result.astype("f4") if wide else result
    if len(result.columns) != len(like.columns):
        return result
    for i, (have, want) in enumerate(zip(result.dtypes, like.dtypes, strict=True)):
        if have == np.float64 and want == np.float32:
            result.isetitem(i, result.iloc[:, i].astype("f4"))
    return result


@lowered("groupby.keep", meta=kept_meta, demands=_rows_demands, trim=_rows_trim)
def keep(
    frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any, like: Any = None
) -> Any:
    """A row for each row: rows exchanged by key, and back home."""
    empty = frame.empty
    frame, keys, _ = yield from matched(frame, keys, {})
    run = partial(_ran, spec=spec, name=name, args=args, kwargs=kwargs)
    if frame.count == 1:
        return graph.per_chunk(partial(_direct, run=run), frame, *keys)
    count = 1 if name == "ngroup" else hash_chunks(frame, spec, empty)
    like = _like(frame, spec, keys, name, args, kwargs, empty) if like is None else like
    met = shuffle.sent(frame, keys, _keys_of(spec), partial(_met_and_kept, run=run, like=like), count)
    return shuffle.home(met, frame.count, frame.lengths)


def _met_and_kept(pieces: list[shuffle.Piece], *, run: Any, like: Any) -> Any:
    frame, keys, homes, rows = shuffle.met(pieces)
    return run(frame, keys) if len(frame) else like, homes, rows


@lowered("groupby.pick", meta=fewer_meta, demands=_rows_demands, trim=_rows_trim)
def pick(frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any) -> Any:
    """Some rows of each group, in the frame's order."""
    empty = frame.empty
    frame, keys, _ = yield from matched(frame, keys, {})
    run = partial(_picked, spec=spec, name=name, args=args, kwargs=kwargs)
    if frame.count == 1:
        return graph.per_chunk(
            partial(_direct, run=partial(_ran, spec=spec, name=name, args=args, kwargs=kwargs)),
            frame,
            *keys,
            lengths="unknown",
        )
    looks = name == "filter" or "dropna" in kwargs or len(args) > 1
    count = 1 if looks else hash_chunks(frame, spec, empty)
    if looks:
        run = partial(_ran, spec=spec, name=name, args=args, kwargs=kwargs)
        return shuffle.sent(frame, keys, None, partial(_met_and_ran, run=run), 1).with_lengths((math.nan,))
    met = shuffle.sent(frame, keys, _keys_of(spec), partial(_met_and_picked, run=run, spec=spec), count)
    return shuffle.home(met, frame.count, (math.nan,) * frame.count)


def _picked(
    frame: Any, keys: Sequence[Any], *, spec: Grouping, name: str, args: Any, kwargs: Any
) -> np.ndarray:
    """Positions of the rows that a method of groups picks."""
    values = [pd.Series(v).reset_index(drop=True) for v in grouping.key_values(spec, frame, keys)]
    positions = pd.Series(np.arange(len(frame)))
    group = positions.groupby(values, dropna=spec["dropna"], observed=True)
    return getattr(group, name)(*args, **kwargs).to_numpy()


def _met_and_picked(pieces: list[shuffle.Piece], *, run: Any, spec: Grouping) -> Any:
    frame, keys, homes, rows = shuffle.met(pieces)
    rows_picked = np.sort(run(frame, keys))
    if frame.ndim == 2 and spec["select"] is not None:
        frame = frame[spec["select"]]
    return frame.iloc[rows_picked], homes[rows_picked], rows[rows_picked]


@lowered("groupby.whole", meta=fewer_meta, status="gathered", demands=_rows_demands, trim=_rows_trim)
def whole(frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any) -> Any:
    """What only pandas itself on all rows gives."""
    frame, keys, _ = yield from matched(frame, keys, {})
    run = partial(_ran, spec=spec, name=name, args=args, kwargs=kwargs)
    one = graph.gather(frame)
    keys = [graph.gather(k) if isinstance(k, Chunks) else k.rechunk(-1) for k in keys]
    return graph.per_chunk(partial(_direct, run=run), one, *keys, lengths="unknown")


def _group_rows(frame: Any, *keys: Any, spec: Grouping, name: Any) -> Any:
    try:
        return grouping.grouped(spec, frame, keys).get_group(name)
    except KeyError:
        empty = frame if spec["select"] is None or frame.ndim == 1 else frame[spec["select"]]
        return empty.iloc[:0]


@lowered("groupby.group", meta=lambda frame, spec, keys, name: frame.fewer(
    frame.empty if spec["select"] is None or frame.ndim == 1 else frame.empty[spec["select"]]))  # fmt: skip
def group_rows(frame: Chunks, spec: Grouping, keys: list[Any], name: Any) -> Any:
    """The rows of one group."""
    frame, keys, _ = yield from matched(frame, keys, {})
    parts = graph.per_chunk(_group_rows, frame, *keys, spec=spec, name=name, lengths="unknown")
    return graph.per_chunk(_some, parts, graph.lengths_of(parts), name=name, lengths="unknown")


def _some(part: Any, lengths: Any, *, name: Any) -> Any:
    if not sum(lengths if np.ndim(lengths) == 1 else lengths[0]):
        raise LabelNotFound(f"no group {name!r} among the keys.")
    return part
