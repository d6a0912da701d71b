"""Tables of groups: what a chunk adds to an aggregation, how chunks are joined, what comes out at the end.

An aggregation is named by its parts: `PARTS` says how a part is made of a chunk and how parts are joined, `FINALS` which
parts an aggregation needs and what it makes of them. Several aggregations share parts, and one pandas groupby a chunk.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.groupby.grouping import Grouping, Method
from marsdask.dataframe.kernels import picked
from marsdask.dataframe.kernels.folds import Wanted, aggregated, framed, pandas_adds_in_order, totals
from marsdask.dataframe.kernels.groups import Groups, apart, by_pandas, distinct, labels_of, numbered
from marsdask.dataframe.kernels.texts import plain_texts
from marsdask.plan import graph, moments
from marsdask.plan.late import Late, late, whole
from marsdask.plan.meta import FrameMeta

JOINS = {name: name for name in ("sum", "min", "max", "prod", "first", "last", "any", "all")}
JOINS |= {"count": "sum", "size": "sum", "total": "sum", "mean": "", "spread": ""}
"""Part -> how pandas joins the parts of chunks; "": with the others of its column, see `_moments`."""
ROWS = frozenset(["sum", "count", "size", "min", "max", "first", "last"])
"""Parts that of one row are its value, or whether it has one."""
AGAIN = 0.02
"""The part of rows with a group's further rows up to which only groups of several rows are joined."""
HARDLY = "marsdask-apart"
"""Marks a table of rows whose keys hardly repeat, which has the frame's own memory."""
DISTINCT = "distinct"
"""The part that is not one row a group: a column's distinct values in each group, a table of its own."""
VALUE = "value"
"""The column of such a table that is no key."""


@dataclass(frozen=True)
class Final:
    """Which parts, for which kinds of dtype, which keyword arguments it understands, and the end."""

    parts: tuple[str, ...]
    kinds: str
    end: Callable[..., Any]
    kwargs: tuple[str, ...] = ()
    ordered: bool = False  # whether the order of rows within a group shows
    plain: bool = False  # NumPy dtypes only


def _as_is(values: Any) -> Any:
    return values


def _mean(total: Any, count: Any) -> Any:
    result = total / count
    if not isinstance(result.dtype, np.dtype):  # 0 / 0 is no missing value there
        result = result.where(count > 0)
    return result.astype(total.dtype) if total.dtype.kind == "f" and result.dtype != total.dtype else result


def _spread(name: str, count: Any, mean: Any, spread: Any, ddof: int = 1) -> Any:
    variance = moments.variance(count, spread, ddof)
    root = variance if name == "var" else np.sqrt(variance)
    return root / np.sqrt(count) if name == "sem" else root


MOMENTS = ("count", "mean", "spread")
ANY = "biufmMOSUV"
FINALS: dict[str, Final] = {
    "sum": Final(("sum",), "biufm", _as_is),
    "count": Final(("count",), ANY, _as_is),
    "size": Final(("size",), ANY, _as_is),
    "min": Final(("min",), "biufmMO", _as_is),
    "max": Final(("max",), "biufmMO", _as_is),
    "prod": Final(("prod",), "biuf", _as_is),
    "first": Final(("first",), ANY, _as_is, ordered=True),
    "last": Final(("last",), ANY, _as_is, ordered=True),
    "any": Final(("any",), "biuf", _as_is),
    "all": Final(("all",), "biuf", _as_is),
    "mean": Final(("sum", "count"), "f", _mean),
    "nunique": Final((DISTINCT,), ANY, _as_is, ("dropna",)),
    "var": Final(MOMENTS, "iuf", partial(_spread, "var"), ("ddof",), plain=True),
    "std": Final(MOMENTS, "iuf", partial(_spread, "std"), ("ddof",), plain=True),
    "sem": Final(MOMENTS, "iuf", partial(_spread, "sem"), ("ddof",), plain=True),
}
"""Aggregations that chunks can prepare."""

WHOLE_MEAN = Final(("total", "count"), "biu", lambda total, count: total / count, plain=True)
"""Sums of whole numbers could overflow, so they are summed as floats, as pandas does for a mean: exact up to 2**53."""
IN_ONE = frozenset([*FINALS, "median"])
"""Aggregations that pandas makes of groups by number in one chunk."""

Part = tuple[Any, str]
"""A source column, a part."""
Output = tuple[Any, str, dict[str, Any]]
"""A column of the result: source column, aggregation, its keyword arguments."""


def outputs(known: FrameMeta, spec: Grouping, method: Method) -> list[Output] | None:
    """The columns that a method of groups gives, in order; None where they are not aggregations of single columns by name."""
    func, args = method.name, method.args
    kwargs = {k: v for k, v in method.kwargs.items() if v is not None or k not in ("engine", "engine_kwargs")}
    if func == "agg":
        func, *args = args or [None]
    else:
        as_if_left_out = [("skipna", True), ("min_count", -1)]
        as_if_left_out += [("min_count", 0)] if func in ("sum", "prod") else []
        kwargs = {k: v for k, v in kwargs.items() if (k, v) not in as_if_left_out}
    found = None if args or spec.needs_one_chunk(known) else _outputs(known, spec, func, kwargs)
    if not found or not all(how in IN_ONE for _, how, _ in found):
        return found or None
    # The size of a nullable column is nullable in pandas: leave that to it.
    counted = [dtype_of(known, c) for c, how, _ in found if how == "size" and c is not None]
    plain = all(isinstance(dtype, (np.dtype, pd.CategoricalDtype)) for dtype in counted)
    return [(None if how == "size" else c, how, k) for c, how, k in found] if plain else None


def prepared_outputs(known: FrameMeta, spec: Grouping, method: Method) -> list[Output] | None:
    """The same, None where chunks cannot prepare one of them."""
    found = outputs(known, spec, method)
    if not found or not all(_prepared(known, *each) for each in found):
        return None
    unseen = not spec.observed and any(_final(known, c, how).parts == MOMENTS for c, how, _ in found)
    return None if unseen else found


def _outputs(known: FrameMeta, spec: Grouping, func: Any, kwargs: dict[str, Any]) -> list[Output] | None:
    series = known.ndim == 1 or (spec.select is not None and not isinstance(spec.select, list))
    if known.ndim == 1:
        columns = [0]
    else:
        keys = spec.columns(known)
        columns = [c for c in known.names if c not in keys] if spec.selected is None else spec.selected
    if known.ndim == 2 and None in columns:
        return None  # which stands for all columns below
    if isinstance(func, str):
        if func == "size":
            return None if kwargs else [(None, "size", {})]
        if kwargs.pop("numeric_only", False):
            columns = [c for c in columns if getattr(dtype_of(known, c), "kind", "O") in "biufc"]
        return [(c, func, kwargs) for c in columns]
    if isinstance(func, list):
        names = [f for f in func if isinstance(f, str)]
        plain = not kwargs and len(names) == len(func) == len(set(names))
        return [(c, f, {}) for c in columns for f in func] if plain else None
    if isinstance(func, dict) and not series and not kwargs:
        lists = [isinstance(hows, list) for hows in func.values()]
        named = {c: hows if isinstance(hows, list) else [hows] for c, hows in func.items()}
        if len({*lists}) > 1 or any(len({*map(str, hows)}) < len(hows) for hows in named.values()):
            return None
        pairs = [(c, how) for c, hows in named.items() for how in hows]
    elif func is None and kwargs and series:
        pairs = [(columns[0], how) for how in kwargs.values()]
    elif func is None and kwargs:
        pairs = list(map(named_pair, kwargs.values()))
    else:
        return None
    plain = all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[1], str) for p in pairs)
    return [(c, how, {}) for c, how in pairs] if plain else None


def named_pair(value: Any) -> Any:
    """A named aggregation as (column, function), where it is no more than that."""
    if isinstance(value, pd.NamedAgg) and not isinstance(value, tuple) and not (value.args or value.kwargs):
        return (value.column, value.aggfunc)
    return value


def dtype_of(empty: Any, column: Any) -> Any:
    """The dtype of a source column, of a frame or of what is known of one; None for the size of groups."""
    if column is None:
        return None
    if isinstance(empty, FrameMeta):
        return empty.dtype_of(column)
    return empty.dtype if empty.ndim == 1 else empty.dtypes[column]


def _final(empty: Any, column: Any, how: str) -> Final:
    dtype = dtype_of(empty, column)
    whole = isinstance(dtype, np.dtype) and dtype.kind in "biu"
    return WHOLE_MEAN if how == "mean" and whole else FINALS[how]


def _prepared(empty: Any, column: Any, how: str, kwargs: Mapping[str, Any]) -> bool:
    if how not in FINALS:
        return False
    final, dtype = _final(empty, column, how), dtype_of(empty, column)
    if set(kwargs) - set(final.kwargs) or any(not isinstance(v, int) for v in kwargs.values()):
        return False
    if column is None or how in ("size", "count"):
        return True
    if how == "nunique":  # of objects, what is missing has several spellings
        kinds = (np.dtype, pd.CategoricalDtype, pd.DatetimeTZDtype, pd.StringDtype)
        return (
            isinstance(dtype, kinds)
            and dtype.kind in "biufmMOSUV"
            and not pd.api.types.is_object_dtype(dtype)
        )
    if isinstance(dtype, pd.CategoricalDtype):
        return how in ("min", "max", "first", "last") and (dtype.ordered or how in ("first", "last"))
    kind = getattr(dtype, "kind", "O")
    if final.plain and (not isinstance(dtype, np.dtype) or dtype == np.float32):
        return False
    known = isinstance(dtype, (np.dtype, pd.DatetimeTZDtype, pd.StringDtype)) or kind in "biuf"
    return known and kind in final.kinds and dtype != np.float16


def parts_of(empty: Any, found: Sequence[Output]) -> tuple[Part, ...]:
    """The parts that chunks prepare for these columns: each (source column, part) once."""
    return tuple(dict.fromkeys((c, p) for c, how, _ in found for p in _final(empty, c, how).parts))


@late
def prepared(frame: Any, *keys: Any, spec: Grouping, parts: Sequence[Part]) -> pd.DataFrame:
    """A chunk's table: one row a group; the keys, then the parts, in columns 0, 1, ...

    Rows that hardly share keys are left as they are, to be grouped once where all are together.
    """
    some = picked.picked(frame) if spec.by_name and _late_or_text(frame, spec) else None
    names = spec.columns(some)
    if some is None or len(names) < spec.count:
        return _table(whole(frame), keys, spec, parts)
    few, texts = some.grouped(names, [c for c, _ in parts if c is not None])
    table = _table(few, keys, spec, parts)
    for i, name in enumerate(names):
        if name in texts:
            alone = table.attrs.get(HARDLY)
            table.isetitem(i, some[name].array if alone else plain_texts(table.iloc[:, i].array))
    return table


def _late_or_text(frame: Any, spec: Grouping) -> bool:
    """Whether a frame may be grouped without all of its columns, or by text whose numbers are known."""
    return isinstance(frame, Late) or any(
        isinstance(frame[c].dtype, pd.StringDtype) for c in spec.columns(frame)
    )


def _table(frame: Any, keys: Sequence[Any], spec: Grouping, parts: Sequence[Part]) -> pd.DataFrame:
    if (rows := _rows(frame, keys, spec, parts)) is not None:
        return rows
    frame, values, groups = _grouped(frame, keys, spec)
    return _key_table(groups.keys(values), _parts_by_group(frame, groups, parts))


def _parts_by_group(frame: pd.DataFrame, groups: Groups, parts: Sequence[Part]) -> dict[int, Any]:
    """The parts of a chunk, in order."""
    made: dict[int, Any] = {}
    wanted: list[tuple[int, Wanted]] = []
    sizes = functools.cache(groups.sizes)
    for i, (column, part) in enumerate(parts):
        made[i] = None
        if column is None or part == "size" or (part == "count" and not frame[column].hasnans):
            made[i] = sizes()
        elif part == "total" and (exact := totals(groups, frame[column])) is not None:
            made[i] = exact
        elif part == "total":
            wanted.append((i, (frame[column].astype("f8"), "sum", {})))
        elif part == "spread":
            of = {"var": {"ddof": 0}, "count": {}}
            wanted += [(i, (frame[column], how, kwargs)) for how, kwargs in of.items()]
        else:
            wanted.append((i, (frame[column], part, {})))
    found = aggregated(groups, [each for _, each in wanted])
    for (i, _), values in zip(wanted, found, strict=True):
        made[i] = values if made[i] is None else made[i] * values
    return made


def _rows(frame: Any, keys: Sequence[Any], spec: Grouping, parts: Sequence[Part]) -> pd.DataFrame | None:
    """A chunk's rows as a table, each a group of its own, where its keys hardly repeat, in the frame's own memory.

    A sum of a missing value alone is 0, and not that value.
    The 1e7 groups of h2o's g10 were hashed in each chunk and again together: 1.24 s of CPU for 3M rows, 0.87 in pandas.
    """
    frame = frame.to_frame(0) if frame.ndim == 1 else frame
    plain = all(part in ROWS and _summed_alike(dtype_of(frame, c)) for c, part in parts)
    values = spec.plain_values(frame, keys) if plain and spec.count > 1 and len(frame) else []
    if not values or any(part == "sum" and frame[c].hasnans for c, part in parts) or not apart(values):
        return None
    columns: dict[Any, Any] = {}
    for i, (column, part) in enumerate(parts):
        if column is None:
            columns[i] = np.ones(len(frame), "i8")
        elif part in ("size", "count"):
            columns[i] = frame[column].notna().to_numpy().astype("i8")
        else:
            columns[i] = frame[column].array
    table = _key_table(values, columns)
    table.attrs[HARDLY] = True
    return table


def _summed_alike(dtype: Any) -> bool:
    """Whether a sum of such values has their dtype."""
    return dtype is None or (isinstance(dtype, np.dtype) and dtype.kind in "iufmM" and dtype.itemsize == 8)


def _grouped(frame: Any, keys: Sequence[Any], spec: Grouping) -> tuple[pd.DataFrame, list[pd.Series], Groups]:
    """A chunk as a frame, its keys, and which group each row is of."""
    values = spec.plain_values(frame, keys)
    groups = numbered(values, sort=spec.sort)
    if groups is None:
        groups = by_pandas(spec.of(frame, keys, sort=False, observed=True, as_index=True, select=None))
    return frame.to_frame(0) if frame.ndim == 1 else frame, values, groups


def pairs(frame: Any, *keys: Any, spec: Grouping, column: Any) -> pd.DataFrame:
    """A chunk's distinct values of a column in each group, as a table: the keys, then the value."""
    frame, values, groups = _grouped(frame, keys, spec)
    return _pairs(values, groups, frame[column])


def _pairs(keys: Sequence[pd.Series], groups: Groups, values: pd.Series) -> pd.DataFrame:
    found = distinct(groups, values)
    rows = groups.rows.take(found.number)
    return _key_table([key.take(rows) for key in keys], {VALUE: found.values()})


def key_names(k: int) -> list[str]:
    """The columns of a table that hold keys. Text: pandas takes whole numbers for levels in places."""
    return [f"key{i}" for i in range(k)]


def _key_table(keys: Sequence[pd.Series], columns: Mapping[Any, Any]) -> pd.DataFrame:
    """A table of keys and more columns, in their memory."""
    named = dict(zip(key_names(len(keys)), (key.array for key in keys), strict=True))
    return framed({**named, **columns}, pd.RangeIndex(len(keys[0])))


def merged(table: pd.DataFrame, *, spec: Grouping, parts: Sequence[Part]) -> tuple[pd.DataFrame, np.ndarray]:
    """Several chunks' rows of a group as one, and the first row of each group."""
    keys, groups = _met(table, spec)
    return _key_table(groups.keys(keys), _joined(table, groups, parts)), groups.rows


def _met(table: pd.DataFrame, spec: Grouping) -> tuple[list[pd.Series], Groups]:
    """The keys of tables together, and which group each row is of."""
    table = table.reset_index(drop=True)
    names = key_names(spec.count)
    keys = [table[name] for name in names]
    groups = numbered(keys, sort=False)
    return keys, groups or by_pandas(table.groupby(names, sort=False, dropna=False, observed=True))


def _concatenated(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Tables as one, in memory of its own."""
    table = graph.concat(tables)
    borrowed = table.attrs.get(HARDLY) and any(table is each for each in tables)
    return table.copy() if borrowed else table


def joined(tables: list[pd.DataFrame], *, spec: Grouping, parts: Sequence[Part]) -> pd.DataFrame:
    """Several chunks' tables as one."""
    table = _concatenated(tables)
    alone = all(each.attrs.get(HARDLY) for each in tables)
    return table if alone else merged(table, spec=spec, parts=parts)[0]


def joined_pairs(tables: list[pd.DataFrame], *, spec: Grouping) -> pd.DataFrame:
    """Several chunks' tables of distinct values as one."""
    table = graph.concat(tables)
    return _pairs(*_met(table, spec), table[VALUE])


def counted_pairs(table: pd.DataFrame, *, spec: Grouping, dropna: bool) -> tuple[pd.DataFrame, np.ndarray]:
    """How many distinct values each group has, as a table of one part, and the first row of each group."""
    keys, groups = _met(table, spec)
    counts = distinct(groups, table[VALUE]).counts(groups.count, dropna=dropna)
    return _key_table(groups.keys(keys), {0: counts}), groups.rows


def together(tables: list[pd.DataFrame], *, spec: Grouping, parts: Sequence[Part]) -> pd.DataFrame:
    """The parts of all chunks, joined by group, under the index that pandas gives the groups."""
    table = _concatenated(tables)
    keys, groups = _result(table, spec)
    if groups is None:
        return _joined_by_pandas(table, _groupby(table, spec), parts)
    return framed(_joined(table, groups, parts), labels(keys, groups, spec))


def pairs_together(tables: list[pd.DataFrame], *, spec: Grouping, dropna: bool) -> pd.DataFrame:
    """How many distinct values each group of all chunks has, in column 0, under the index that pandas gives the groups."""
    table = graph.concat(tables)
    keys, groups = _result(table, spec)
    if groups is None:
        return _groupby(table, spec)[VALUE].nunique(dropna=dropna).to_frame(0)
    counts = distinct(groups, table[VALUE]).counts(groups.count, dropna=dropna)
    return pd.DataFrame({0: counts}, index=labels(keys, groups, spec))


def _result(table: pd.DataFrame, spec: Grouping) -> tuple[list[pd.Series], Groups | None]:
    """The keys and the groups of the result as pandas has them; no groups where these, and labels, are pandas' own to make."""
    keys = [table[name] for name in key_names(spec.count)]
    return keys, of_result(keys, spec)


def labels(keys: Sequence[pd.Series], groups: Groups, spec: Grouping) -> pd.Index:
    """The labels that pandas gives the groups of these keys."""
    # Of several keys, labels are made anew.
    shown = groups.shown_keys(keys) if len(keys) > 1 else groups.keys(keys)
    return labels_of(shown, sort=spec.sort)


def _groupby(table: pd.DataFrame, spec: Grouping) -> Any:
    """pandas' groupby of tables together."""
    return table.groupby(key_names(spec.count), sort=spec.sort, observed=spec.observed, dropna=spec.dropna)


def of_result(keys: Sequence[pd.Series], spec: Grouping) -> Groups | None:
    """The groups of the result by number; None where pandas does better, or has groups of categories that no row is of."""
    categories = any(isinstance(key.dtype, pd.CategoricalDtype) for key in keys)
    return None if categories else numbered(keys, sort=spec.sort)


def _joined(table: pd.DataFrame, groups: Groups, parts: Sequence[Part]) -> dict[int, Any]:
    """The parts by group, in order."""
    moments_too = any(name == "mean" for _, name in parts)
    if not moments_too and len(table) - groups.count <= AGAIN * len(table):
        return _mostly_taken(table, groups, parts)
    found = _by_group(table, groups, parts)
    for column in (column for column, name in parts if name == "mean"):
        found |= _moments(table, groups.number, groups.count, column, parts)
    return {i: found[i] for i in range(len(parts))}


def _by_group(table: pd.DataFrame, groups: Groups, parts: Sequence[Part]) -> dict[int, Any]:
    """The parts but for moments. A chunk's sum that is missing is one of infinities of both signs."""
    hows = {i: JOINS[name] for i, (_, name) in enumerate(parts) if JOINS[name]}
    wanted = [(table[i], how, {"skipna": False} if how == "sum" else {}) for i, how in hows.items()]
    return dict(zip(hows, aggregated(groups, wanted), strict=True))


def _joined_by_pandas(table: pd.DataFrame, group: Any, parts: Sequence[Part]) -> pd.DataFrame:
    """The parts by pandas' own groups, under their labels."""
    found: dict[int, Any] = {}
    for how in dict.fromkeys(JOINS[name] for _, name in parts if JOINS[name]):
        columns = [i for i, (_, name) in enumerate(parts) if JOINS[name] == how]
        counted = getattr(group[columns], how)(**({"skipna": False} if how == "sum" else {}))
        found.update({c: counted[c].array for c in columns})
    for column in (column for column, name in parts if name == "mean"):
        found |= _moments(table, group.ngroup().to_numpy(), len(counted), column, parts)
    return framed({i: found[i] for i in range(len(parts))}, counted.index)


def _mostly_taken(table: pd.DataFrame, groups: Groups, parts: Sequence[Part]) -> dict[int, Any]:
    """The parts by group, which are those of its only row but for the few groups that have several: these are joined."""
    as_it_is = groups.in_order and pandas_adds_in_order()
    found: dict[int, Any] = {i: table[i].array for i in range(len(parts))}
    if not groups.apart:
        found = {i: column.take(groups.rows) for i, column in found.items()}
    rows, at, several = groups.several()
    if len(rows) and several.in_order and not groups.in_order:
        # Floats of groups in order pandas adds in another way: these are not with a row in front, of a group behind.
        rows = np.r_[rows[:1], rows]
        several = Groups(np.r_[several.count, several.number], count=several.count + 1)
    joint = _by_group(table.take(rows), several, parts) if len(rows) else {}
    for i, (_, name) in enumerate(parts):
        if i in joint:
            found[i][at] = joint[i][: len(at)]
        if JOINS[name] == "sum" and not as_it_is and found[i].dtype.kind == "f":
            found[i] = found[i] + 0.0  # pandas adds to 0.0, which makes a zero of -0.0
    return found


def _moments(
    table: pd.DataFrame, number: np.ndarray, groups: int, column: Any, parts: Sequence[Part]
) -> dict[int, Any]:
    """A column's means and sums of squared differences of joined groups."""
    at = [parts.index((column, each)) for each in MOMENTS]
    count, mean, spread = (table[i].to_numpy(dtype="f8") for i in at)
    mean, spread = (np.where(count > 0, each, 0.0) for each in (mean, spread))
    state = (count, mean, np.zeros(len(count)), spread)
    whole, mean, spread = moments.central(moments.joined_by(state, number, groups))
    return dict(zip(at[1:], (np.where(whole > 0, mean, np.nan), spread), strict=True))


def finished(
    *made: pd.DataFrame, spec: Grouping, parts: Sequence[Part], found: Sequence[Output], like: Any, source: Any
) -> Any:  # fmt: skip
    """The result, with the index and columns of `like`, of a table of parts (if there are any) and one for each DISTINCT."""
    plain = [part for part in parts if part[1] != DISTINCT]
    series = {part: made[0][i] for i, part in enumerate(plain)}
    counts = made[1:] if plain else made
    series |= {part: table[0] for part, table in zip(distinct_of(parts), counts, strict=True)}
    columns = []
    for column, how, kwargs in found:
        final = _final(source, column, how)
        kwargs = {} if final.parts == (DISTINCT,) else kwargs
        columns.append(final.end(*(series[column, p] for p in final.parts), **kwargs))
    return shaped(columns, made[0].index, spec, like)


def distinct_of(parts: Sequence[Part]) -> list[Part]:
    """The parts that have a table of their own."""
    return [part for part in parts if part[1] == DISTINCT]


def shaped(columns: Sequence[Any], index: pd.Index, spec: Grouping, like: Any) -> Any:
    """Columns by group as the result, with the names and labels of `like`."""
    dtypes = [like.dtype] if like.ndim == 1 else like.dtypes.iloc[-len(columns) :]
    made = [_as_like(getattr(c, "array", c), dtype) for c, dtype in zip(columns, dtypes, strict=True)]
    result = framed(dict(enumerate(made)), index)
    if like.ndim == 1:
        series = result.iloc[:, 0].rename(like.name)
        series.index.names = like.index.names
        return series
    result.index.names = like.index.names if spec.as_index else range(result.index.nlevels)
    if not spec.as_index:
        keys, values = result.index.nlevels, {*like.columns[-result.shape[1] :]}
        result = result.set_axis(range(keys, keys + result.shape[1]), axis=1).reset_index()
        names = [name for _, name in spec.by or ()]
        # A column that is aggregated, too, is no key; one that is a key twice comes once.
        gone = [i for i, name in enumerate(names) if name in values or name in names[:i]]
        result = result.drop(columns=gone)
    return result.set_axis(like.columns, axis=1)


def _as_like(values: Any, dtype: Any) -> Any:
    """Values of a column of the result: texts where pandas makes texts of objects; counts of nullable columns and Arrow's are of their kind."""
    if isinstance(dtype, pd.StringDtype) and pd.api.types.is_object_dtype(values):
        objects = np.asarray(values)
        texts = pd.api.types.infer_dtype(objects, skipna=True) == "string"
        return pd.array(objects, dtype) if texts else values
    if isinstance(dtype, (pd.ArrowDtype, pd.Int64Dtype)) and type(values.dtype) is not type(dtype):
        return pd.array(values, dtype)
    return values
