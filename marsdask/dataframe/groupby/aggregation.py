"""Aggregations of groups as data: what a chunk adds, how chunks are joined, what comes out at the end.

An aggregation is named by its parts: `PARTS` says how a part is made of a chunk and how parts are joined, `FINALS` which
parts an aggregation needs and what it makes of them. Several aggregations share parts, and one pandas groupby a chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.groupby import codes
from marsdask.dataframe.groupby.grouping import Grouping, Method
from marsdask.plan import graph


@dataclass(frozen=True)
class Part:
    """`chunk(groupby of columns)` on a chunk's rows, `join` on the parts of chunks."""

    chunk: Callable[[Any], Any]
    join: str
    join_kwargs: Mapping[str, Any]


def _part(
    name: str, join: str | None = None, join_kwargs: Mapping[str, Any] | None = None, **kwargs: Any
) -> Part:
    def chunk(group: Any) -> Any:
        return getattr(group, name)(**kwargs)

    return Part(chunk, join or name, kwargs if join_kwargs is None else join_kwargs)


def _spread(group: Any) -> Any:
    return group.var(ddof=0) * group.count()


PARTS: dict[str, Part] = {
    "sum": _part("sum"),
    "count": _part("count", "sum"),
    "size": _part("size", "sum"),
    "min": _part("min"),
    "max": _part("max"),
    "prod": _part("prod"),
    "first": _part("first"),
    "last": _part("last"),
    "any": _part("any"),
    "all": _part("all"),
    "mean": Part(lambda group: group.mean(), "", {}),
    "spread": Part(_spread, "", {}),
}
"""`join` "": joined together with the others of its column, see `_moments`."""


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


def _var(count: Any, mean: Any, spread: Any, ddof: int = 1) -> Any:
    return (spread / (count - ddof)).where(count > ddof)


def _std(count: Any, mean: Any, spread: Any, ddof: int = 1) -> Any:
    return np.sqrt(_var(count, mean, spread, ddof))


def _sem(count: Any, mean: Any, spread: Any, ddof: int = 1) -> Any:
    return _std(count, mean, spread, ddof) / np.sqrt(count)


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
    "var": Final(MOMENTS, "iuf", _var, ("ddof",), plain=True),
    "std": Final(MOMENTS, "iuf", _std, ("ddof",), plain=True),
    "sem": Final(MOMENTS, "iuf", _sem, ("ddof",), plain=True),
}
"""Aggregations that chunks can prepare. `mean` of whole numbers needs moments: their sums could overflow."""

WHOLE_MEAN = Final(MOMENTS, "biu", lambda count, mean, spread: mean, plain=True)

Output = tuple[Any, str, dict[str, Any]]
"""A column of the result: source column, aggregation, its keyword arguments."""


def prepared_outputs(empty: Any, spec: Grouping, method: Method) -> list[Output] | None:
    """The columns that a method of groups gives, where chunks can prepare all of them; else None."""
    name, args = method.name, method.args
    if spec.needs_one_chunk(empty):
        return None
    kwargs = {k: v for k, v in method.kwargs.items() if v is not None or k not in ("engine", "engine_kwargs")}
    if name in ("agg", "aggregate"):
        func = args[0] if args else kwargs.pop("func", None)
        return None if len(args) > 1 else outputs(empty, spec, func, kwargs)
    as_if_left_out = [("skipna", True), ("min_count", -1)]
    as_if_left_out += [("min_count", 0)] if name in ("sum", "prod") else []
    kwargs = {k: v for k, v in kwargs.items() if (k, v) not in as_if_left_out}
    return None if args else outputs(empty, spec, name, kwargs)


def outputs(empty: Any, spec: Grouping, func: Any, kwargs: Mapping[str, Any]) -> list[Output] | None:
    """The columns that `groupby.agg(func, **kwargs)` gives, in order; None where chunks cannot prepare one of them."""
    found = _outputs(empty, spec, func, dict(kwargs))
    if found is not None:  # the size of a nullable column is nullable in pandas: leave that to it
        plain = [
            how != "size" or c is None or isinstance(dtype_of(empty, c), (np.dtype, pd.CategoricalDtype))
            for c, how, _ in found
        ]
        found = [(None if how == "size" else c, how, k) for c, how, k in found] if all(plain) else None
    if found is None or not all(_prepared(empty, *each) for each in found):
        return None
    if not spec.observed and any(
        how in ("var", "std", "sem") or _final(empty, c, how) is WHOLE_MEAN for c, how, _ in found
    ):
        return None
    return found


def _outputs(empty: Any, spec: Grouping, func: Any, kwargs: dict[str, Any]) -> list[Output] | None:
    series = empty.ndim == 1 or (spec.select is not None and not isinstance(spec.select, list))
    if empty.ndim == 1:
        columns = [0]
    else:
        keys = spec.columns(empty)
        columns = [c for c in empty.columns if c not in keys] if spec.selected is None else spec.selected
    if isinstance(func, str):
        if func == "size":
            return None if kwargs else [(None, "size", {})]
        if kwargs.pop("numeric_only", False):
            columns = [c for c in columns if getattr(dtype_of(empty, c), "kind", "O") in "biufc"]
        return [(c, func, kwargs) for c in columns]
    if isinstance(func, list):
        names = [f for f in func if isinstance(f, str)]
        plain = not kwargs and len(names) == len(func) == len(set(names))
        return [(c, f, {}) for c in columns for f in func] if plain else None
    if isinstance(func, dict) and not series and not kwargs:
        found: list[Output] = []
        for column, hows in func.items():
            for how in hows if isinstance(hows, list) else [hows]:
                if not isinstance(how, str) or (
                    isinstance(hows, list) and len(set(map(str, hows))) != len(hows)
                ):
                    return None
                found.append((column, how, {}))
        mixed = len({isinstance(h, list) for h in func.values()}) > 1
        return None if mixed else found
    if func is None and kwargs:
        if series:
            return (
                [(columns[0], f, {}) for f in kwargs.values()]
                if all(isinstance(f, str) for f in kwargs.values())
                else None
            )
        pairs = list(map(named_pair, kwargs.values()))
        if all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[1], str) for p in pairs):
            return [(p[0], p[1], {}) for p in pairs]
    return None


def named_pair(value: Any) -> Any:
    """A named aggregation as (column, function), where it is no more than that."""
    if isinstance(value, pd.NamedAgg) and not isinstance(value, tuple) and not (value.args or value.kwargs):
        return (value.column, value.aggfunc)
    return value


def dtype_of(empty: Any, column: Any) -> Any:
    """The dtype of a source column; None for the size of groups."""
    if column is None:
        return None
    return empty.dtype if empty.ndim == 1 else empty.dtypes[column]


def _final(empty: Any, column: Any, how: str) -> Final:
    dtype = dtype_of(empty, column)
    if how == "mean" and (isinstance(dtype, np.dtype) and dtype.kind in "biu"):
        return WHOLE_MEAN
    return FINALS[how]


def _prepared(empty: Any, column: Any, how: str, kwargs: Mapping[str, Any]) -> bool:
    if how not in FINALS:
        return False
    final, dtype = _final(empty, column, how), dtype_of(empty, column)
    if set(kwargs) - set(final.kwargs) or any(not isinstance(v, int) for v in kwargs.values()):
        return False
    if column is None or how in ("size", "count"):
        return True
    if isinstance(dtype, pd.CategoricalDtype):
        return how in ("min", "max", "first", "last") and (dtype.ordered or how in ("first", "last"))
    kind = getattr(dtype, "kind", "O")
    if final.plain and (not isinstance(dtype, np.dtype) or dtype == np.float32):
        return False
    known = isinstance(dtype, (np.dtype, pd.DatetimeTZDtype, pd.StringDtype)) or kind in "biuf"
    return known and kind in final.kinds and dtype != np.float16


def order_shows(found: Sequence[Output] | None) -> bool:
    """Whether the order of rows inside of groups can show in these columns."""
    return found is None or any(FINALS[how].ordered for _, how, _ in found)


def parts_of(empty: Any, found: Sequence[Output]) -> tuple[tuple[Any, str], ...]:
    """The parts that chunks prepare for these columns: each (source column, part) once."""
    return tuple(dict.fromkeys((c, p) for c, how, _ in found for p in _final(empty, c, how).parts))


def prepared(frame: Any, *keys: Any, spec: Grouping, parts: Sequence[tuple[Any, str]]) -> pd.DataFrame:
    """A chunk's table: one row a group; the keys, then the parts, in columns 0, 1, ..."""
    if frame.ndim == 1:
        frame = frame.to_frame(0)
    numbers = codes.together(spec.values(frame, keys)) if spec.sort else None
    if numbers is None:
        group = spec.of(frame, keys, sort=False, observed=True, as_index=True, select=None)
    else:
        every = pd.RangeIndex(len(numbers[1][0]))
        group = frame.groupby(
            pd.Categorical.from_codes(numbers[0], categories=every, validate=False), observed=False, sort=True
        )
    by_part: dict[str, list[Any]] = {}
    for column, part in parts:
        by_part.setdefault(part, []).append(column)
    made: dict[tuple[Any, str], Any] = {}
    index = None
    for part, columns in by_part.items():
        if part in ("size", "count"):  # without holes they are the same
            whole = [c for c in columns if c is None or not frame[c].hasnans]
            columns = [c for c in columns if c is not None and c not in whole]
            if whole:
                counted = group.size()
                made.update({(c, part): counted for c in whole})
        if columns and part != "size":
            counted = PARTS[part].chunk(group[columns])
            made.update({(c, part): counted[c] for c in columns})
        index = counted.index
    assert index is not None
    if numbers is None:
        table = index.to_frame(index=False)
        table.columns = key_names(table.shape[1])
    else:
        table = pd.DataFrame(dict(zip(key_names(len(numbers[1])), numbers[1], strict=True)))
    for i, each in enumerate(parts):
        table[i] = made[each].array
    return table


def key_names(k: int) -> list[str]:
    """The columns of a table that hold keys. Text: pandas takes whole numbers for levels in places."""
    return [f"key{i}" for i in range(k)]


def joined(tables: list[pd.DataFrame], *, spec: Grouping, parts: Sequence[tuple[Any, str]]) -> pd.DataFrame:
    """Several chunks' tables as one, groups in order of first appearance."""
    k = spec.count
    together = _together(tables, parts, k, sort=False, observed=True, dropna=False)
    keys = together.index.to_frame(index=False)
    keys.columns = key_names(k)
    together.index = keys.index
    return pd.concat([keys, together], axis=1)


def _together(
    tables: list[pd.DataFrame], parts: Sequence[tuple[Any, str]], k: int, **flags: Any
) -> pd.DataFrame:
    """The parts of all chunks, joined by group, under the index that pandas gives the groups."""
    table = graph.concat(tables)
    group = table.groupby(key_names(k), **flags)
    by_join: dict[tuple[str, Any], list[int]] = {}
    for i, (_, name) in enumerate(parts):
        part = PARTS[name]
        if part.join:
            by_join.setdefault((part.join, tuple(part.join_kwargs.items())), []).append(i)
    found: dict[int, Any] = {}
    index = None
    for (how, kwargs), columns in by_join.items():
        counted = getattr(group[columns], how)(**dict(kwargs))
        index = counted.index
        found.update({c: counted[c] for c in columns})
    assert index is not None
    for column, name in parts:
        if name == "mean":
            at = {p: j for j, (c, p) in enumerate(parts) if c == column}
            mean, spread = _moments(group, table, at, len(index))
            found[at["mean"]], found[at["spread"]] = (pd.Series(v, index=index) for v in (mean, spread))
    return pd.DataFrame({i: found[i] for i in range(len(parts))}, index=index)


def _moments(group: Any, table: pd.DataFrame, at: Mapping[str, int], groups: int) -> tuple[Any, Any]:
    """Means and sums of squared differences of joined groups (Chan's formula; no cancellation)."""
    codes = group.ngroup().to_numpy()
    count = table[at["count"]].to_numpy(dtype="f8")
    mean = np.where(count > 0, table[at["mean"]].to_numpy(dtype="f8"), 0.0)
    spread = np.where(count > 0, table[at["spread"]].to_numpy(dtype="f8"), 0.0)
    counts = np.bincount(codes, count, minlength=groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Differences from the first mean of a group keep an only chunk's mean as it is.
        total = np.bincount(codes, count * mean, minlength=groups) / counts
        lone = np.bincount(codes, count > 0, minlength=groups) == 1
        total[lone] = (
            np.bincount(codes, np.where(lone[codes], mean, 0.0), minlength=groups)[lone] if lone.any() else 0
        )
        off = np.bincount(codes, spread + count * (mean - total[codes]) ** 2, minlength=groups)
    return np.where(counts > 0, total, np.nan), off


def finished(
    tables: list[pd.DataFrame], *, spec: Grouping, parts: Sequence[tuple[Any, str]], found: Sequence[Output], like: Any, source: Any
) -> Any:  # fmt: skip
    """The result, with the index and columns of `like`."""
    k = spec.count
    flags = {"sort": spec.sort, "observed": spec.observed, "dropna": spec.dropna}
    table = _together(tables, parts, k, **flags)
    where = {each: i for i, each in enumerate(parts)}
    columns = {}
    for j, (column, how, kwargs) in enumerate(found):
        final = _final(source, column, how)
        columns[j] = final.end(*(table[where[column, p]] for p in final.parts), **kwargs)
    result = pd.DataFrame(columns, index=table.index)
    return labelled(result, spec, like)


def labelled(result: pd.DataFrame, spec: Grouping, like: Any) -> Any:
    """The names of `like` on a result whose index holds the keys."""
    if like.ndim == 1:
        series = result.iloc[:, 0].rename(like.name)
        series.index.names = like.index.names
        return series
    if not spec.as_index:
        names = range(result.index.nlevels)
        result = result.set_axis(range(len(names), len(names) + result.shape[1]), axis=1)
        result.index.names = names
        result = result.reset_index()
    else:
        result.index.names = like.index.names
    result.columns = like.columns
    return result
