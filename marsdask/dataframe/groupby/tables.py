"""Tables of groups: what a chunk adds to an aggregation, how chunks are joined, what comes out at the end.

An aggregation is named by its parts: `PARTS` says how a part is made of a chunk and how parts are joined, `FINALS` which
parts an aggregation needs and what it makes of them. Several aggregations share parts, and one pandas groupby a chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from marsdask.dataframe.groupby.grouping import Grouping, Method
from marsdask.plan import graph, moments

MOST_GROUPS = 1 << 16
"""Numbers beyond this many are left to pandas: tables by number would not stay in cache."""
JOINS = {name: name for name in ("sum", "min", "max", "prod", "first", "last", "any", "all")}
JOINS |= {"count": "sum", "size": "sum", "mean": "", "spread": ""}
"""Part -> how pandas joins the parts of chunks; "": with the others of its column, see `_moments`."""


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
    "var": Final(MOMENTS, "iuf", partial(_spread, "var"), ("ddof",), plain=True),
    "std": Final(MOMENTS, "iuf", partial(_spread, "std"), ("ddof",), plain=True),
    "sem": Final(MOMENTS, "iuf", partial(_spread, "sem"), ("ddof",), plain=True),
}
"""Aggregations that chunks can prepare. `mean` of whole numbers needs moments: their sums could overflow."""

WHOLE_MEAN = Final(MOMENTS, "biu", lambda count, mean, spread: mean, plain=True)

Output = tuple[Any, str, dict[str, Any]]
"""A column of the result: source column, aggregation, its keyword arguments."""


def prepared_outputs(empty: Any, spec: Grouping, method: Method) -> list[Output] | None:
    """The columns that a method of groups gives, in order; None where chunks cannot prepare one of them."""
    func, args = method.name, method.args
    kwargs = {k: v for k, v in method.kwargs.items() if v is not None or k not in ("engine", "engine_kwargs")}
    if func == "agg":
        func, *args = args or [None]
    else:
        as_if_left_out = [("skipna", True), ("min_count", -1)]
        as_if_left_out += [("min_count", 0)] if func in ("sum", "prod") else []
        kwargs = {k: v for k, v in kwargs.items() if (k, v) not in as_if_left_out}
    found = None if args or spec.needs_one_chunk(empty) else _outputs(empty, spec, func, kwargs)
    if found is None:
        return None
    # The size of a nullable column is nullable in pandas: leave that to it.
    counted = [dtype_of(empty, c) for c, how, _ in found if how == "size" and c is not None]
    found = [(None if how == "size" else c, how, k) for c, how, k in found]
    plain = all(isinstance(dtype, (np.dtype, pd.CategoricalDtype)) for dtype in counted)
    if not plain or not all(_prepared(empty, *each) for each in found):
        return None
    unseen = not spec.observed and any(_final(empty, c, how).parts == MOMENTS for c, how, _ in found)
    return None if unseen else found


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
    """The dtype of a source column; None for the size of groups."""
    if column is None:
        return None
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
    if isinstance(dtype, pd.CategoricalDtype):
        return how in ("min", "max", "first", "last") and (dtype.ordered or how in ("first", "last"))
    kind = getattr(dtype, "kind", "O")
    if final.plain and (not isinstance(dtype, np.dtype) or dtype == np.float32):
        return False
    known = isinstance(dtype, (np.dtype, pd.DatetimeTZDtype, pd.StringDtype)) or kind in "biuf"
    return known and kind in final.kinds and dtype != np.float16


def parts_of(empty: Any, found: Sequence[Output]) -> tuple[tuple[Any, str], ...]:
    """The parts that chunks prepare for these columns: each (source column, part) once."""
    return tuple(dict.fromkeys((c, p) for c, how, _ in found for p in _final(empty, c, how).parts))


def prepared(frame: Any, *keys: Any, spec: Grouping, parts: Sequence[tuple[Any, str]]) -> pd.DataFrame:
    """A chunk's table: one row a group; the keys, then the parts, in columns 0, 1, ..."""
    if frame.ndim == 1:
        frame = frame.to_frame(0)
    numbers = numbered(spec.values(frame, keys)) if spec.sort else None
    if numbers is None:
        group = spec.of(frame, keys, sort=False, observed=True, as_index=True, select=None)
    else:
        every = pd.RangeIndex(len(numbers[1][0]))
        codes = pd.Categorical.from_codes(numbers[0], categories=every, validate=False)
        group = frame.groupby(codes, observed=False, sort=True)
    made: dict[tuple[Any, str], Any] = {}
    for part in dict.fromkeys(part for _, part in parts):
        columns = [c for c, each in parts if each == part]
        if part in ("size", "count"):  # without holes they are the same
            whole = [c for c in columns if c is None or not frame[c].hasnans]
            columns = [c for c in columns if c not in whole]
            if whole:
                counted = group.size()
                made.update({(c, part): counted for c in whole})
        if columns:
            of = group[columns]
            counted = of.var(ddof=0) * of.count() if part == "spread" else getattr(of, part)()
            made.update({(c, part): counted[c] for c in columns})
    if numbers is None:
        table = counted.index.to_frame(index=False)
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
    together = _together(tables, parts, spec.count, sort=False, observed=True, dropna=False)
    keys = together.index.to_frame(index=False)
    keys.columns = key_names(spec.count)
    together.index = keys.index
    return pd.concat([keys, together], axis=1)


def _together(
    tables: list[pd.DataFrame], parts: Sequence[tuple[Any, str]], k: int, **flags: Any
) -> pd.DataFrame:
    """The parts of all chunks, joined by group, under the index that pandas gives the groups."""
    table = graph.concat(tables)
    group = table.groupby(key_names(k), **flags)
    found: dict[int, Any] = {}
    for how in dict.fromkeys(JOINS[name] for _, name in parts if JOINS[name]):
        columns = [i for i, (_, name) in enumerate(parts) if JOINS[name] == how]
        counted = getattr(group[columns], how)()
        found.update({c: counted[c] for c in columns})
    for column in (column for column, name in parts if name == "mean"):
        at = [parts.index((column, each)) for each in MOMENTS]
        joint = _moments(group, len(counted), *(table[i].to_numpy(dtype="f8") for i in at))
        found.update(zip(at[1:], joint, strict=True))
    return pd.DataFrame({i: found[i] for i in range(len(parts))}, index=counted.index)


def _moments(group: Any, groups: int, count: Any, mean: Any, spread: Any) -> tuple[Any, Any]:
    """Means and sums of squared differences of joined groups."""
    mean, spread = (np.where(count > 0, each, 0.0) for each in (mean, spread))
    state = (count, mean, np.zeros(len(count)), spread)
    whole, mean, spread = moments.central(moments.joined_by(state, group.ngroup().to_numpy(), groups))
    return np.where(whole > 0, mean, np.nan), spread


def finished(
    tables: list[pd.DataFrame], *, spec: Grouping, parts: Sequence[tuple[Any, str]], found: Sequence[Output], like: Any, source: Any
) -> Any:  # fmt: skip
    """The result, with the index and columns of `like`."""
    flags = {"sort": spec.sort, "observed": spec.observed, "dropna": spec.dropna}
    table = _together(tables, parts, spec.count, **flags)
    where = {each: i for i, each in enumerate(parts)}
    columns = {}
    for j, (column, how, kwargs) in enumerate(found):
        final = _final(source, column, how)
        columns[j] = final.end(*(table[where[column, p]] for p in final.parts), **kwargs)
    result = pd.DataFrame(columns, index=table.index)
    if like.ndim == 1:
        series = result.iloc[:, 0].rename(like.name)
        series.index.names = like.index.names
        return series
    result.index.names = like.index.names if spec.as_index else range(result.index.nlevels)
    if not spec.as_index:
        keys = result.index.nlevels
        result = result.set_axis(range(keys, keys + result.shape[1]), axis=1).reset_index()
    return result.set_axis(like.columns, axis=1)


# Group numbers of rows, found without hashing where the keys allow it: keys that take few values give small numbers directly, as
# categories, booleans, whole numbers of a small range, text of one short length by its bytes. Several keys make one number.
# pandas' own way, factorizing each key and then the pairs, took a third of TPC-H q01; this takes a tenth.

Coded = tuple[np.ndarray, pd.Series]


def numbered(keys: Sequence[Any]) -> tuple[np.ndarray, list[pd.Series]] | None:
    """A number for each row's keys, dense from 0 on, and the keys that each number stands for. None where pandas does better."""
    if not keys or not len(keys[0]):
        return None
    total: Any = None
    sizes: list[int] = []
    values: list[Any] = []
    for key in keys:
        coded = _coded(key)
        if coded is None or np.prod([*sizes, len(coded[1])]) > MOST_GROUPS:
            return None
        codes, found = coded
        sizes.append(len(found))
        values.append(found)
        total = codes if total is None else total * len(found) + codes
    there = np.bincount(total, minlength=int(np.prod(sizes))) > 0
    dense = np.flatnonzero(there)
    if len(dense) < len(there):
        total = (np.cumsum(there) - 1)[total]
    places = zip(values, np.unravel_index(dense, sizes), strict=True)
    return total, [v.iloc[at].reset_index(drop=True) for v, at in places]


def _coded(key: Any) -> Coded | None:
    """Numbers from 0 on, and the values they stand for as a series; no number stands for a missing value."""
    series = key if isinstance(key, pd.Series) else pd.Series(key)
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.array.codes
        if not len(dtype.categories) or codes.min() < 0:
            return None
        every = pd.Series(pd.Categorical.from_codes(np.arange(len(dtype.categories)), dtype=dtype))
        return codes.astype(np.intp), every
    if isinstance(dtype, np.dtype):
        values = series.to_numpy()
        if dtype.kind == "b":
            return values.astype(np.intp), pd.Series([False, True])
        if dtype.kind not in "iu":
            return None
        low, high = int(values.min()), int(values.max())
        if high - low >= MOST_GROUPS or abs(low) >= 2**62:
            return None
        every = pd.Series(np.arange(low, high + 1).astype(dtype))
        return (values - dtype.type(low)).astype(np.intp), every
    return _text(series) if isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow" else None


def _text(series: pd.Series) -> Coded | None:
    """Text of one length up to eight bytes, by its bytes."""
    array = pa.array(series.array)
    if isinstance(array, pa.ChunkedArray):
        if array.num_chunks != 1:
            return None
        array = array.chunk(0)
    width = {pa.large_string(): "i8", pa.string(): "i4"}.get(array.type)
    if width is None or array.null_count or not len(array):
        return None
    _, offsets_at, data = array.buffers()
    offsets = np.frombuffer(offsets_at, width)[array.offset : array.offset + len(array) + 1]
    start, size = int(offsets[0]), int(offsets[1] - offsets[0])
    even = 1 <= size <= 8 and int(offsets[-1]) - start == size * len(array)
    if not even or (np.diff(offsets) != size).any():
        return None
    letters = np.frombuffer(data, "u1", count=size * len(array), offset=start)
    if size == 1:
        there = np.bincount(letters, minlength=256) > 0
        numbers = (np.cumsum(there) - 1)[letters]
        found = [bytes([b]) for b in np.flatnonzero(there)]
    else:
        padded = np.zeros((len(array), 8), "u1")
        padded[:, :size] = letters.reshape(-1, size)
        numbers, unique = pd.factorize(padded.view("u8").ravel())
        found = [u.tobytes()[:size] for u in unique]
    return numbers.astype(np.intp, copy=False), pd.Series([f.decode() for f in found], dtype=series.dtype)
