"""GroupBy: an object between a frame and what is made of its groups, and how methods of groups are lowered.

One row a group: parts per chunk joined in a tree where `aggregation.FINALS` knows how, else rows exchanged by key. As many
rows as the frame: rows exchanged by key and back home. All through pandas' own groupby, in pandas' order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from marsdask import graph, registry
from marsdask.dataframe import aggregation, grouping, shuffle
from marsdask.dataframe.chunkwise import matched, sampled
from marsdask.dataframe.core import frame_meta
from marsdask.dataframe.grouping import Grouping
from marsdask.errors import ColumnNotFound, LabelNotFound, UnknownName
from marsdask.graph import Chunks
from marsdask.handle import held
from marsdask.lower import Keep
from marsdask.meta import NEW, FrameMeta, meta
from marsdask.node import Node, inputs
from marsdask.passes import Demand
from marsdask.registry import operation

MANY_GROUPS = 2_000_000
"""From so many rows of parts on, parts are exchanged by key: one task would hold and sort all of them."""


class GroupBy:
    """Groups of a frame's rows, lazily. Select columns with `[...]`, then call a method."""

    __slots__ = ("_frame", "_keys", "_spec")
    kind: ClassVar[str] = "GroupBy"

    def __init__(self, frame: Any, spec: Grouping, keys: Sequence[Any]):
        self._frame, self._spec, self._keys = frame, spec, list(keys)

    def __repr__(self) -> str:
        return f"{type(self).__name__} <by={self._spec['by'] or self._spec['level']!r}>"

    def _selected(self, key: Any) -> GroupBy:
        names = key if isinstance(key, list) else [key]
        for name in names:
            if name not in self._frame.columns:
                raise ColumnNotFound.among(name, self._frame.columns)
        if self._spec["select"] is not None:
            raise IndexError(f"Column(s) {self._spec['select']} already selected")
        kind = DataFrameGroupBy if isinstance(key, list) or not self._spec["as_index"] else SeriesGroupBy
        return kind(self._frame, {**self._spec, "select": key}, self._keys)

    def execute(self, session: Any = None, **kwargs: Any) -> Any:
        """Run the frame and the keys, and return self."""
        for each in (self._frame, *self._keys):
            each.execute(session=session, **kwargs)
        return self

    def fetch(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby of the executed frame."""
        keys = [k.fetch(session=session) for k in self._keys]
        return grouping.grouped(self._spec, self._frame.fetch(session=session, **kwargs), keys)

    def to_pandas(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby, run first if needed."""
        return self.execute(session=session).fetch(session=session, **kwargs)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`."""
        if isinstance(func, tuple):
            func, name = func
            return func(*args, **{name: self, **kwargs})
        return func(self, *args, **kwargs)

    @property
    def ndim(self) -> int:
        return 2 if isinstance(self, DataFrameGroupBy) else 1

    def __len__(self) -> int:
        return len(self.size()._run_and_fetch())

    ngroups = property(__len__)

    @property
    def groups(self) -> Any:
        """Group name -> row labels; runs the frame."""
        return self.to_pandas().groups

    @property
    def indices(self) -> Any:
        """Group name -> row positions; runs the frame."""
        return self.to_pandas().indices

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """(name, the group's rows as a lazy frame) of every group; asks which groups there are."""
        names = (
            DataFrameGroupBy(self._frame, {**self._spec, "as_index": True, "select": None}, self._keys)
            .size()
            ._run_and_fetch()
            .index
        )
        one = not self._spec["lone"] and self._spec["by"] is not None and names.nlevels == 1
        for name in names:
            wanted = (name,) if one else name
            yield wanted, self.get_group(wanted)

    def __dir__(self) -> list[str]:
        return sorted(
            {*object.__dir__(self), *(c for c in getattr(self._frame, "columns", ()) if isinstance(c, str))}
        )


class DataFrameGroupBy(GroupBy):
    """Groups of a DataFrame's rows."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self._selected(
            list(key) if isinstance(key, (pd.Index, np.ndarray, tuple)) and not self._is_label(key) else key
        )

    def _is_label(self, key: Any) -> bool:
        return isinstance(key, tuple) and key in self._frame.columns

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and self._frame.ndim == 2 and name in self._frame.columns:
            return self[name]
        raise UnknownName.among("DataFrameGroupBy", name, dir(type(self)))

    @property
    def dtypes(self) -> Any:
        return self._frame.dtypes


class SeriesGroupBy(GroupBy):
    """Groups of a Series' rows."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise UnknownName.among("SeriesGroupBy", name, dir(type(self)))

    @property
    def dtype(self) -> Any:
        select = self._spec["select"]
        return self._frame.dtype if select is None else self._frame.dtypes[select]

    @property
    def name(self) -> Any:
        return self._frame.name if self._spec["select"] is None else self._spec["select"]


def _groupby(self: Any, by: Any = None, level: Any = None, as_index: bool = True, sort: bool = True,
             group_keys: bool = True, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
    snapshot = registry.wrap(self.node, held(self))
    frame, spec, keys = grouping.described(snapshot, by, level, as_index, sort, group_keys, observed, dropna)
    return (DataFrameGroupBy if self.ndim == 2 else SeriesGroupBy)(frame, spec, keys)


@operation("groupby", room="dataframe", owners=["DataFrame", "Series"], function=False, prepare=_groupby)
def groupby(self: Any, by: Any = None, level: Any = None, as_index: bool = True, sort: bool = True,
            group_keys: bool = True, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
    """Groups of rows with equal keys: a lazy `GroupBy`."""
    raise NotImplementedError("groupby makes no node")  # pragma: no cover - prepare answers


def made(op: str, group: GroupBy, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The handle of a method of groups. A selected column that is all that is looked at is selected in the frame."""
    return registry.make(op, group._frame, group._spec, group._keys, name, list(args), dict(kwargs))


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
    return frame_meta(on_samples(frame, spec, keys, name, args, kwargs), math.nan, NEW)


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
    "cumsum cumprod cummax cummin diff pct_change rank ffill bfill fillna head tail cumcount ngroup".split()
)
"""Methods whose columns are made of the column of the same name each."""


def _seen_columns(node: Node, demand: Demand) -> frozenset[Any] | None:
    """The columns that a method with a row for each row looks at, or that show."""
    frame, spec, _, name, *_ = node.args
    empty = meta(frame).empty
    if empty.ndim == 1 or not empty.columns.is_unique or any(kind == "grouper" for kind, _ in spec["by"] or ()):
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


@operation("groupby.reduce", room="engine", meta=grouped_meta, demands=_group_demands, trim=_group_trim)
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
        aggregation.prepared, frame, *keys, spec=spec, parts=parts, lengths="unknown", label="groupby-parts"
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
        return graph.value(partial(_in_order, end=end), met).with_lengths((math.nan,))
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
    return graph.value(end, met).with_lengths((math.nan,))


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


@operation("groupby.keep", room="engine", meta=kept_meta, demands=_rows_demands, trim=_rows_trim)
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


@operation("groupby.pick", room="engine", meta=fewer_meta, demands=_rows_demands, trim=_rows_trim)
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


@operation("groupby.whole", room="engine", meta=fewer_meta, status="gathered", demands=_rows_demands, trim=_rows_trim)
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


@operation("groupby.group", room="engine", meta=lambda frame, spec, keys, name: frame_meta(
    frame.empty if spec["select"] is None or frame.ndim == 1 else frame.empty[spec["select"]], math.nan, NEW))  # fmt: skip
def group_rows(frame: Chunks, spec: Grouping, keys: list[Any], name: Any) -> Any:
    """The rows of one group."""
    frame, keys, _ = yield from matched(frame, keys, {})
    parts = graph.per_chunk(_group_rows, frame, *keys, spec=spec, name=name, lengths="unknown")
    return graph.per_chunk(_some, parts, graph.lengths_of(parts), name=name, lengths="unknown")


def _some(part: Any, lengths: Any, *, name: Any) -> Any:
    if not sum(lengths if np.ndim(lengths) == 1 else lengths[0]):
        raise LabelNotFound(f"no group {name!r} among the keys.")
    return part
