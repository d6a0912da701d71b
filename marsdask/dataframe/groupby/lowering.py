"""How methods of groups are lowered: a row a group, a row a row, some of the rows; and what they look at.

One row a group: parts per chunk joined in a tree where `tables.FINALS` knows how, else rows exchanged by key. As many
rows as the frame: rows exchanged by key and back home. All through pandas' own groupby, in pandas' order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from marsdask.dataframe.groupby import gathered, ranges, tables
from marsdask.dataframe.groupby.grouping import KEPT, Grouping, Method, as_narrow, flat
from marsdask.dataframe.rows import given
from marsdask.dataframe.rows.alignment import example, matched, renumber, row_labels
from marsdask.dataframe.rows.pieces import Pieces
from marsdask.dataframe.sorting import shuffle
from marsdask.dataframe.sorting.sort import only
from marsdask.errors import LabelNotFound
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.holes import met_of
from marsdask.plan.lower import Keep, Steps, told
from marsdask.plan.meta import NEW, FrameMeta, Rows, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered
from marsdask.session import room

MANY_CHUNKS = 8
"""From so many chunks on it is asked how many rows their parts have: 29 ms for 8 small ones with the question and without."""
MANY_GROUPS = 2_000_000
"""From so many rows of parts on, parts are exchanged: one task would hold and sort all of them, and what follows is one task.

Groups of 12M rows, 16 chunks, keys in order: 251 ms of CPU by ranges of keys, 463 by their hash and sorted again.
"""
DEARER = 2
"""So many times as many on a cluster, where each task costs some 3 ms. 32 chunks on two workers of one thread, s of CPU for sums in a
tree and exchanged: 2M keys at random 1.5 and 1.8, 4M 2.5 and 2.0, 8M 7.2 and 3.1; in order 0.3 and 0.9, 0.5 and 1.0, 0.6 and 1.4."""
AT_ONCE = 4
"""How often rows are in memory at once while a function works on groups, or their results are put in order: as they came, as
one, in order, and what is made of them, of which not even the size is known before."""
COLUMN_BY_COLUMN = frozenset([*KEPT, "fillna", "head", "tail"]) - {"shift"}
"""Methods whose columns are made of the column of the same name each; shifts by several periods make several."""
MANY_ROWS = {"agg", "corr", "cov", "describe", "nlargest", "nsmallest", "quantile", "unique", "value_counts"}
"""Methods that may give several rows a group, or say so only when they run."""


def _example(
    frame: FrameMeta, spec: Grouping, keys: Sequence[Any], name: str, args: Any, kwargs: Any, like: Any = None
) -> Any:
    """What users say of the result, else what pandas makes of groups of made-up rows."""
    if like is not None:
        return like
    return example(_of_groups, frame, spec, list(keys), name, args, kwargs)


def _of_groups(rows: Any, spec: Grouping, keys: list[Any], *call: Any) -> Any:
    """What a method gives of groups of made-up rows. Objects are texts; where these will not do, numbers: a run will tell."""
    method = Method(*call)
    try:
        return method.of(_with_holes(rows), *keys, spec=spec)
    except TypeError:
        dtypes = [rows.dtype] if rows.ndim == 1 else rows.dtypes
        if not any(map(pd.api.types.is_object_dtype, dtypes)):
            raise
    numbers = rows.map(lambda value: 1.0 if isinstance(value, str) else value)
    return method.of(numbers.astype(rows.dtype if rows.ndim == 1 else rows.dtypes), *keys, spec=spec)


def _with_holes(rows: Any) -> Any:
    """Made-up rows with a hole in float32: only then does pandas 3.1 say that the mean is float32 too."""
    for c, dtype in enumerate([rows.dtype] if rows.ndim == 1 else rows.dtypes):
        if dtype != np.float32:
            continue
        if rows.ndim == 1:
            rows.iloc[0] = np.nan
        else:
            rows.isetitem(c, np.array([np.nan, *np.ones(len(rows) - 1)], "f4"))
    return rows


def fewer_meta(frame: FrameMeta, *call: Any) -> FrameMeta:
    """Metadata of some of the frame's rows."""
    return frame.fewer(_example(frame, *call))


def _columns(node: Node, demand: Demand) -> frozenset[Any] | None:
    """The columns of the frame that a method of groups looks at, or that show; None where that cannot be said."""
    frame, spec, _, name, *call = node.args
    empty = meta(frame).shown
    if empty.ndim == 1 or not empty.columns.is_unique or "grouper" in spec.kinds:
        return None
    if spec.selected is not None:
        found: Any = spec.selected
    elif name in ("cumcount", "ngroup", "size"):
        found = ()
    elif name == "agg":
        found = _aggregated(*call)
    else:
        found = demand.columns if name in COLUMN_BY_COLUMN else None
    return None if found is None else frozenset([*spec.columns(empty), *found])


def _aggregated(args: Any, kwargs: Any) -> list[Any] | None:
    """The columns that `agg` names; None where it takes all."""
    if args:
        return list(args[0]) if isinstance(args[0], dict) else None
    pairs = [tables.named_pair(p) for p in kwargs.values()]
    return [p[0] for p in pairs] if all(isinstance(p, tuple) and len(p) == 2 for p in pairs) else None


def _demands(node: Node, demand: Demand, *, order: bool, labels: bool) -> list[Demand]:
    """Of the frame its columns, and of it and of the keys beside it order and labels, as far as they count."""
    others = Demand(
        None, order=order, labels=labels or node.args[1].looks_at_labels(meta(node.args[0]).shown)
    )
    return [others.of(_columns(node, demand)), *[others] * (len(inputs(node)) - 1)]


def _group_demands(node: Node, demand: Demand) -> list[Demand]:
    frame, spec, _, *call = node.args
    found = tables.prepared_outputs(meta(frame), spec, Method(*call))
    # Whether the order of rows inside of groups can show.
    ordered = found is None or any(tables.FINALS[how].ordered for _, how, _ in found)
    of_frame, *others = _demands(node, demand, order=not spec.sort or ordered, labels=found is None)
    counts = found is not None and {how for _, how, _ in found} <= {"count", "size"}
    return [replace(of_frame, dtypes=not counts or not _keys_are_known(meta(frame), spec)), *others]


def _keys_are_known(frame: FrameMeta, spec: Grouping) -> bool:
    """Whether the keys are columns whose dtypes hang on nothing."""
    columns = spec.columns(frame.shown)
    both = [each.shown[columns].dtypes for each in (frame, met_of(frame))] if columns else []
    return len(columns) == spec.count and list(both[0]) == list(both[1])


def rows_demands(node: Node, demand: Demand) -> list[Demand]:
    return _demands(node, demand, order=True, labels=demand.labels or node.args[3] not in COLUMN_BY_COLUMN)


def trim(node: Node, demand: Demand) -> Node:
    """The same over a frame without the columns that are not wanted."""
    frame, *rest = node.args
    wanted = _columns(node, demand)
    less = frame if wanted is None else only(frame, wanted)
    return node if less is frame else Node(node.op, (less, *rest), node.kwargs)


@lowered(
    "groupby.reduce",
    meta=lambda frame, spec, *call, how="auto", every=None: frame_meta(
        _example(frame, spec, *call), math.nan, Rows() if spec.sort else NEW, ranged=not spec.as_index
    ),
    demands=_group_demands,
    trim=trim,
)
def reduce(
    frame: Chunks, spec: Grouping, keys: list[Any], *call: Any, how: str = "auto", every: Any = None
) -> Any:
    """One or more rows a group: a tree over parts, or an exchange of rows by key."""
    known, like = frame.meta, graph.promised().empty
    frame, spec, keys, method, run = yield from ready(frame, spec, keys, *call)
    found = tables.prepared_outputs(known, spec, method) if frame.count > 1 else None
    parts = tables.parts_of(known, found or [])
    if tables.distinct_of(parts) and any(map(pd.api.types.is_object_dtype, spec.dtypes(known, keys))):
        found = None  # pandas looks at all objects, dropped ones too, for the dtype of their level
    if not found:
        named = tables.outputs(known, spec, method)
        of_chunk = None
        if named and all(how in tables.IN_ONE for _, how, _ in named):
            asked = {"spec": spec, "method": method, "found": named, "like": like}
            run = partial(gathered.in_one, **asked)
            if known.ndim == 2 and _have_numbers(known, spec, keys):
                of_chunk = (
                    partial(gathered.by_group, spec=spec, found=named),
                    partial(gathered.of_groups, **asked),
                )
        done = yield from _exchanged(frame, spec, keys, method, run, of_chunk)
        return done if spec.as_index or done.count == 1 else renumber(done)
    tabled = _tabled(spec, parts, dropna=found[0][2].get("dropna", True))
    made = [graph.per_chunk(t.of_chunk, frame, *keys, lengths="unknown", label="parts") for t in tabled]
    in_ranges = ranges.possible(spec, spec.dtypes(known, keys))
    if how == "auto" and frame.count < MANY_CHUNKS:
        could_be_large = frame.known and _table_bytes(frame, spec, len(parts)) > room.most_bytes()
        how = "auto" if could_be_large else "tree"
    if how == "auto" or (how == "shuffle" and in_ranges):
        held = yield Keep(*made)
        made = [*held] if len(made) > 1 else [held]
    if how == "auto":
        rows = max(sum(m.lengths or ()) for m in made)
        many = MANY_GROUPS * (1 if graph.in_one_process() else DEARER)
        large = max(_table_bytes(m, spec, len(parts)) for m in made) > room.most_bytes()
        how = "shuffle" if large or rows >= many else "tree"
    if how == "tree":
        graph.rule("groupby: tree over parts; over rows where keys hardly repeat")
        ends = [graph.tree(m, t.join, t.end, every=every) for m, t in zip(made, tabled, strict=True)]
    elif in_ranges:
        row_bytes = 8 * (spec.count + max(len(parts), 1))
        ends = yield from ranges.exchanged(made, [t.end for t in tabled], row_bytes)
    else:
        graph.rule("groupby: parts exchanged by key")
        met = [_by_key(m, t, spec, len(parts)) for m, t in zip(made, tabled, strict=True)]
        ends = yield from ranges.in_order(
            met,
            [partial(_in_order, end=t.end_of_met) for t in tabled],
            _first_key if spec.sort else _seen_first,
            max(_table_bytes(m, spec, len(parts)) for m in made),
            spec,
            spec.dtypes(known, keys),
        )
    finish = partial(tables.finished, spec=spec, parts=parts, found=found, like=like, source=known.shown)
    done = graph.per_chunk(finish, *ends, lengths="unknown")
    return done if spec.as_index or done.count == 1 else renumber(done)


class Tabled(NamedTuple):
    """A table of groups: what a chunk adds, how some are joined, what meets in a chunk as (table, first row of each group),
    and the end of those that were joined, and of those that met."""

    of_chunk: Callable[..., pd.DataFrame]
    join: Callable[[list[pd.DataFrame]], pd.DataFrame]
    merge: Callable[[pd.DataFrame], tuple[pd.DataFrame, np.ndarray]]
    end: Callable[[list[pd.DataFrame]], pd.DataFrame]
    end_of_met: Callable[[list[pd.DataFrame]], pd.DataFrame]


def _tabled(spec: Grouping, parts: Sequence[tables.Part], *, dropna: bool) -> list[Tabled]:
    """The table of the parts that are one row a group, if there are any, and one for each column's distinct values."""
    plain, found = [p for p in parts if p[1] != tables.DISTINCT], []
    # Levels of categories that no row has are beside every value of the other keys, of rows that are in no group too.
    of_chunks = spec if spec.observed else replace(spec, dropna=False)
    if plain:
        join, merge, end = (
            partial(does, spec=spec, parts=plain) for does in (tables.joined, tables.merged, tables.together)
        )
        of_chunk = partial(tables.prepared, spec=of_chunks, parts=plain)
        found = [Tabled(of_chunk, join, merge, end, end)]
    for column, _ in tables.distinct_of(parts):
        of_chunk = partial(tables.pairs, spec=of_chunks, column=column)
        merge = partial(tables.counted_pairs, spec=spec, dropna=dropna)
        end = partial(tables.pairs_together, spec=spec, dropna=dropna)
        end_of_met = partial(tables.together, spec=spec, parts=[(column, "count")])
        found.append(Tabled(of_chunk, partial(tables.joined_pairs, spec=spec), merge, end, end_of_met))
    return found


def _by_key(made: Chunks, table: Tabled, spec: Grouping, columns: int) -> Chunks:
    """The table of some groups in each chunk, of chunks' tables exchanged by key, and where each was seen first."""
    keys_of = partial(shuffle.values_of, names=tables.key_names(spec.count))
    count = shuffle.parts_for(made.count, _table_bytes(made, spec, columns))
    return shuffle.sent(made, [], keys_of, partial(_met_and_merged, merge=table.merge), count)


def _table_bytes(made: Chunks, spec: Grouping, columns: int) -> float:
    return shuffle.bytes_of(made, 8 * (spec.count + max(columns, 1)))


def _first_key(part: tuple[pd.DataFrame, Any]) -> pd.Series:
    return part[0][ranges.FIRST]


def _first_level(part: tuple[Any, Any]) -> pd.Index:
    return part[0].index.get_level_values(0)


def _seen_first(part: tuple[Any, np.ndarray]) -> np.ndarray:
    return part[1]


def _met_and_merged(pieces: list[Pieces], *, merge: Any) -> Any:
    table, _, homes, rows = shuffle.met(pieces)
    result, first = merge(table)
    return result, places(homes, rows, first)


def places(homes: Any, rows: Any, at: Any) -> Any:
    """One number for the home chunk of rows and their places in it."""
    return homes[at].astype("i8") << 40 | rows[at]


def _in_order(parts: list[Any], *, end: Any) -> Any:
    """Tables of the hash chunks in order of first appearance, then as after a tree."""
    table = graph.concat([p[0] for p in parts])
    return end([table.iloc[np.argsort(np.concatenate([p[1] for p in parts]), kind="stable")]])


def count_for(frame: Chunks, spec: Grouping, times: int = 1) -> int:
    """How many chunks rows are exchanged to: one where that is right only in one, or where the data are small.

    `times`: how often a chunk's rows are in memory where they met.
    """
    if spec.needs_one_chunk(frame.meta.shown) or shuffle.is_small(frame):
        return 1
    return shuffle.parts_for(frame.count, times * shuffle.bytes_of(frame))


def _have_numbers(known: FrameMeta, spec: Grouping, keys: Sequence[Any]) -> bool:
    """Whether the keys are columns of dtypes whose values a chunk may number."""
    columns = spec.columns(known)
    dtypes = [known.dtype_of(c) for c in columns]
    plain = [isinstance(d, pd.StringDtype) or (isinstance(d, np.dtype) and d.kind in "biumM") for d in dtypes]
    return len(columns) == spec.count and not keys and all(plain)


def _exchanged(
    frame: Chunks, spec: Grouping, keys: list[Any], method: Method, run: Any, of_chunk: Any = None
) -> Steps:
    """pandas' own method on the rows of some groups in each chunk, then all groups in their order.

    `of_chunk`: what makes of a chunk what all have in one chunk, and what makes the result of these; without it, rows do.
    """
    if frame.count == 1:
        return all_in_one(run, frame, keys)
    unobserved = not spec.observed and any(
        isinstance(d, pd.CategoricalDtype) for d in spec.dtypes(frame.meta, keys)
    )
    unsorted = not spec.sort and method.name in MANY_ROWS
    count = count_for(frame, spec)
    if count == 1 or method.name == "value_counts" or unobserved or unsorted:
        graph.rule("groupby: rows of all groups in one chunk")
        if of_chunk is None:
            return all_in_one(run, frame, keys)
        each, end = of_chunk
        return ranges.in_one(end, graph.per_chunk(each, frame, lengths=None))
    graph.rule("groupby: rows exchanged by key")
    met = shuffle.sent(frame, keys, spec.values, partial(_met_and_placed, method=method, spec=spec), count)
    end = partial(_groups_in_order, spec=spec, like=graph.promised().empty)
    return (yield from in_order(met, end, frame, spec, keys))


def in_order(
    met: Chunks, end: Callable[[list[Any]], Any], frame: Chunks, spec: Grouping, keys: list[Any]
) -> Steps:
    """What `end` gives of the (rows under their groups' keys, where each was seen first) that met, in one chunk or several."""
    by = _first_level if spec.sort else _seen_first
    (done,) = yield from ranges.in_order(
        [met], [end], by, rows_bytes(frame), spec, spec.dtypes(frame.meta, keys), AT_ONCE
    )
    return done


def rows_bytes(frame: Chunks) -> float:
    """About how many bytes the rows have; 0 where it is not worth a question."""
    return shuffle.bytes_of(frame) if frame.known or frame.count >= MANY_CHUNKS else 0


def ready(frame: Chunks, spec: Grouping, keys: list[Any], *call: Any) -> Generator[Any, Any, Any]:
    """The frame and its keys cut alike, the grouping over them, the method, and what it does with one chunk and its keys."""
    method = Method(*(yield from told(call)))
    frame, keys, _ = yield from matched(frame, keys, {})
    if frame.count > 1:
        spec, keys = _of_labels(frame, spec, keys)
    return frame, spec, keys, method, partial(method.of, spec=spec)


def _of_labels(frame: Chunks, spec: Grouping, keys: Sequence[Any]) -> tuple[Grouping, list[Any]]:
    """What functions and dicts make of row labels as keys beside the frame: of the dtype that pandas finds for all labels."""
    by, keys = list(spec.by or ()), list(keys)
    for i, (kind, how) in enumerate(by):
        if kind in ("call", "map"):
            func = how if kind == "call" else how.get
            labels, like = graph.per_chunk(row_labels, frame), frame.empty.index
            made = given.settled(
                graph.per_chunk(given.of_values, labels, func), like, pd.Series(dtype=object)
            )
            by[i] = ("key", len(keys))
            keys.append(graph.per_chunk(_beside, made, labels))
    return (spec if spec.by is None else replace(spec, by=tuple(by))), keys


def _beside(key: pd.Index, labels: pd.Index) -> pd.Series:
    """A key made of row labels as a series under them."""
    return pd.Series(flat(key), index=labels, name=key.name)


def all_in_one(run: Any, frame: Chunks, keys: list[Any]) -> Chunks:
    """What `run` gives of all rows, in one chunk."""
    keys = [graph.gather(k) if isinstance(k, Chunks) else graph.rechunked(k, -1) for k in keys]
    return graph.per_chunk(run, graph.gather(frame), *keys, lengths="unknown")


def _met_and_placed(pieces: list[Pieces], *, method: Method, spec: Grouping) -> Any:
    """A chunk's groups, and where each was seen first."""
    frame, keys, homes, rows = shuffle.met(pieces)
    result = method.of(frame, *keys, spec=replace(spec, as_index=True))
    if spec.sort:
        return result, None
    codes = pd.DataFrame(dict(enumerate(spec.plain_values(frame, keys))))
    by = codes.groupby(list(codes.columns), sort=False, dropna=spec.dropna, observed=True)
    seen, first = np.unique(by.ngroup().to_numpy(), return_index=True)
    return result, places(homes, rows, first[seen >= 0])


def _groups_in_order(parts: list[Any], *, spec: Grouping, like: Any) -> Any:
    """All groups in the order of keys, or of first appearance, as columns or labels."""
    result = put_in_order(parts, spec=spec)
    if not spec.as_index and like.ndim == 2:
        result = result if result.ndim == 2 else result.to_frame()
        there = {*result.columns}  # a column that is aggregated, too, is no key
        beside = ("",) * (result.columns.nlevels - 1)
        for at in (i for i, name in reversed([*enumerate(result.index.names)]) if name not in there):
            name = (result.index.names[at], *beside) if beside else result.index.names[at]
            result.insert(0, name, result.index.get_level_values(at), allow_duplicates=True)
        result = result.reset_index(drop=True)
        if len(result.columns) == len(like.columns):
            result = result.set_axis(like.columns, axis=1)
    dtypes = like.dtypes if like.ndim == 2 else [like.dtype]
    same = result.ndim == like.ndim and (result.ndim == 1 or len(result.columns) == len(dtypes))
    return as_narrow(result, dtypes) if same else result


def put_in_order(parts: list[Any], *, spec: Grouping) -> Any:
    """Rows of all groups, under their keys, in the order of keys, or of first appearance."""
    full = [p for p in parts if len(p[0])] or parts[:1]
    result = graph.concat([p[0] for p in full])
    if len(full) == 1:
        return result
    if spec.sort:
        levels = list(range(spec.count))
        keys = pd.DataFrame({i: result.index.get_level_values(i) for i in levels})
        goes = keys.groupby(levels, sort=True, dropna=False, observed=True).ngroup().to_numpy()
    else:
        goes = np.concatenate([p[1] for p in full])
    return result.iloc[np.argsort(goes, kind="stable")]


@lowered(
    "groupby.keep",
    meta=lambda frame, *call: frame.same(_example(frame, *call)),
    demands=rows_demands,
    trim=trim,
)
def keep(
    frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any, like: Any = None
) -> Any:
    """A row for each row: rows exchanged by key, and back home. `like` is what the caller says of the result."""
    frame, spec, keys, _, run = yield from ready(frame, spec, keys, name, args, kwargs)
    if frame.count == 1:
        return graph.per_chunk(run, frame, *keys)
    count = 1 if name == "ngroup" else count_for(frame, spec)
    kept = partial(shuffle.met_and, partial(_kept, run=run, like=graph.promised().empty))
    return shuffle.home(shuffle.sent(frame, keys, spec.values, kept, count), frame.count, frame.lengths)


def _kept(frame: Any, *keys: Any, run: Any, like: Any) -> Any:
    return run(frame, *keys) if len(frame) else like


@lowered("groupby.pick", meta=fewer_meta, demands=rows_demands, trim=trim)
def pick(frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any) -> Any:
    """Some rows of each group, in the frame's order."""
    frame, spec, keys, method, run = yield from ready(frame, spec, keys, name, args, kwargs)
    looks_at_values = name == "filter" or "dropna" in kwargs or len(args) > 1
    if frame.count == 1 or looks_at_values:
        return all_in_one(run, frame, keys)
    picked = partial(_met_and_picked, method=method, spec=spec)
    met = shuffle.sent(frame, keys, spec.values, picked, count_for(frame, spec))
    return shuffle.home(met, frame.count, (math.nan,) * frame.count)


def _met_and_picked(pieces: list[Pieces], *, method: Method, spec: Grouping) -> Any:
    frame, keys, homes, rows = shuffle.met(pieces)
    positions = pd.Series(np.arange(len(frame)))
    group = positions.groupby(spec.plain_values(frame, keys), dropna=spec.dropna, observed=True)
    at = np.sort(getattr(group, method.name)(*method.args, **method.kwargs).to_numpy())
    return of_group(frame, spec).iloc[at], homes[at], rows[at]


@lowered("groupby.whole", meta=fewer_meta, status="gathered", demands=rows_demands, trim=trim)
def whole(frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any) -> Any:
    """What only pandas itself on all rows gives."""
    frame, spec, keys, _, run = yield from ready(frame, spec, keys, name, args, kwargs)
    return all_in_one(run, frame, keys)


def of_group(frame: Any, spec: Grouping) -> Any:
    """The columns that a group shows."""
    return frame if spec.select is None or frame.ndim == 1 else frame[spec.select]


@lowered("groupby.group", meta=lambda frame, spec, keys, name: frame.fewer(of_group(frame.empty, spec)))
def group_rows(frame: Chunks, spec: Grouping, keys: list[Any], name: Any) -> Any:
    """The rows of one group."""
    frame, keys, _ = yield from matched(frame, keys, {})
    parts = graph.per_chunk(_group_rows, frame, *keys, spec=spec, name=name, lengths="unknown")
    return graph.per_chunk(_some, parts, graph.lengths_of(parts), name=name, lengths="unknown")


def _group_rows(frame: Any, *keys: Any, spec: Grouping, name: Any) -> Any:
    try:
        return spec.of(frame, keys).get_group(name)
    except KeyError:
        return of_group(frame, spec).iloc[:0]


def _some(part: Any, lengths: Any, *, name: Any) -> Any:
    if not sum(lengths):
        raise LabelNotFound(f"no group {name!r} among the keys.")
    return part
