"""Other shapes of the same data: columns and lists as rows, bins and indicators; and other chunks of it.

Where chunks are cut anew, values, order and labels stay.
"""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import as_frame, as_method, as_values, is_array, local
from marsdask.dataframe.making.creation import from_pandas, row_chunks
from marsdask.dataframe.rows.alignment import decided, has_fractions, pandas_on_samples, renumber
from marsdask.dataframe.rows.families import ALL, call, chunkwise, pandas_signature
from marsdask.dataframe.sorting.shuffle import row_bytes
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.examples import Example
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, Rows, frame_meta
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public
from marsdask.session import execute, get_default_or_create
from marsdask.tensor.chunking import requested
from marsdask.tensor.core import as_tensor


@public("cut", status="delegated", signature=pandas_signature("cut"), direct=False)
def cut(x: Any, bins: Any, retbins: bool = False, **how: Any) -> Any:
    """The bin of each value: a Series, or of an array, a list or labels a Categorical. Edges are lazy; what is lazy in them runs.

    A number of bins runs to find the extremes, and `labels=False` of an array to find whether there are holes.
    """
    series = _to_bin(x, "cut")
    bins, how["labels"] = _values(bins), _values(how.get("labels"))
    if np.ndim(bins):
        edges = bins if isinstance(bins, pd.Index) else np.asarray(bins)
    else:
        if isinstance(bins, (bool, np.bool_)) or not isinstance(bins, (int, np.integer)) or bins < 1:
            raise ArgumentError(f"cut(bins={bins!r}): `bins` should be a positive integer, or edges.")
        # The extremes, which only a run can tell, are in the categories: it runs.
        extremes = pd.Series([t.fetch() for t in execute(series.min(), series.max())], dtype=series.dtype)
        edges = pd.cut(extremes, int(bins), right=how.get("right", True), retbins=True)[1]
    return _binned(series, edges, how, retbins=retbins, array=is_array(x))


def _to_bin(x: Any, name: str) -> Any:
    series = as_values(x)
    if series.ndim != 1:
        raise ShapeError(f"{name}(x): Input array must be 1 dimensional, got a {type(series).__name__}.")
    return registry.make("frame.labels_as_series", series) if series.known.kind == "Index" else series


def _values(listed: Any) -> Any:
    """Edges, labels or shares, lazy ones too, without labels of their own."""
    listed = local(listed)
    return listed.array if isinstance(listed, pd.Series) else listed


def _binned(series: Any, edges: Any, how: dict[str, Any], *, retbins: bool, array: bool) -> Any:
    """Bins as pandas gives them of a series, or of an array; with the edges where they are asked for."""
    made: Any = registry.make("frame.binned", series, edges, **how)
    if array and how.get("labels") is False and not isinstance(edges, pd.IntervalIndex):
        made = made.execute().to_tensor()
    elif array:
        made = registry.make("frame.as_categorical", made)
    if not retbins:
        return made
    used = pd.cut(pd.Series([], dtype=series.dtype), edges, **how, retbins=True)[1]
    return made, from_pandas(used) if isinstance(used, pd.Index) else as_tensor(used)


@lowered(
    "frame.binned",
    demands=lambda node, mine: [mine],
    meta=lambda frame, edges, **how: frame.same(pandas_on_samples(pd.cut, frame, edges, **how)),
)
def binned(frame: Chunks, edges: Any, **how: Any) -> Chunks:
    """The bin of each value. Numbers of bins are floats in all chunks where one has a hole."""
    made = graph.per_chunk(pd.cut, frame, edges, **how)
    return graph.even(made) if how.get("labels") is False else made


chunkwise(
    "frame.as_categorical",
    operator.attrgetter("array"),
    demands=lambda node, mine: [Demand(None, True, labels=False)],
    meta=lambda series: series.same(Example(series.empty.array)),
)
lowered(
    "frame.from_categorical",
    meta=lambda values: frame_meta(pd.Series(values.empty), values.length, NEW, ranged=True),
)(lambda values: renumber(graph.per_chunk(pd.Series, values)))


def _shares(count: int) -> np.ndarray[Any, Any]:
    """The ends of equal shares, those that binary fractions miss rounded up: as pandas', so that who stands on one is below it."""
    ends = np.linspace(0, 1, count + 1)
    return np.where(count * ends == np.arange(count + 1), ends, np.nextafter(ends, 1))


@public("qcut", status="delegated")
def qcut(
    x: Any, q: Any, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise",
    duplicate: str | None = None,
) -> Any:  # fmt: skip
    """The quantile bin of each value, as `cut` gives it; runs to find the quantiles. `duplicate` is Mars's word for `duplicates`."""
    duplicates = duplicates if duplicate is None else duplicate
    checks.choice(duplicates, "qcut(duplicates=)", ("raise", "drop"))
    series, q = _to_bin(x, "qcut"), _values(q)
    if not np.ndim(q) and not (isinstance(q, (int, np.integer)) and q > 0):
        raise ArgumentError(f"qcut(q={q!r}): `q` should be a positive integer or list-like of quantiles.")
    wanted = np.asarray(q) if np.ndim(q) else _shares(int(q))
    if pd.api.types.is_bool_dtype(series.dtype):
        series = series.astype("i8")
    elif pd.api.types.is_numeric_dtype(series.dtype) and not isinstance(series.dtype, np.dtype):
        series = series.astype("f8")
    edges = series.quantile(list(wanted)).execute().fetch().to_numpy()
    how = {
        "labels": _values(labels),
        "precision": precision,
        "include_lowest": True,
        "duplicates": duplicates,
    }
    return _binned(series, edges, how, retbins=retbins, array=is_array(x))


def _dummies(chunk: Any, kwargs: dict[str, Any], texts: bool = False) -> Any:
    """Indicators of a chunk's values; `texts`: whether they were no categories, so that their columns are plain."""
    made = pd.get_dummies(chunk, **kwargs)
    if not texts or not isinstance(made.columns, pd.CategoricalIndex):
        return made
    holes = made.columns.hasnans and made.columns.categories.dtype.kind in "iub"
    plain = np.asarray(made.columns) if holes else made.columns.astype(made.columns.categories.dtype)
    return made.set_axis(plain, axis=1)


chunkwise("frame.dummies", _dummies, demands=lambda node, mine: [mine.of(None)])


@public("get_dummies", status="delegated", signature=pandas_signature("get_dummies"), direct=False)
def get_dummies(data: Any, columns: Any = None, **how: Any) -> Any:
    """A column of indicators for each value of texts and categories; texts run to find their values."""
    frame = decided(as_values(data))
    if frame.ndim == 1:
        if frame.known.kind == "Index":
            frame = registry.make("frame.labels_as_series", frame)
        values = not isinstance(frame.dtype, pd.CategoricalDtype)
        frame = frame.astype(pd.CategoricalDtype(_values_of(frame))) if values else frame
        return registry.make("frame.dummies", frame, how, values)
    plain = {c: d for c, d in frame.dtypes.items() if not isinstance(d, pd.CategoricalDtype)}
    if columns is None:
        texts = [
            c for c, d in plain.items() if isinstance(d, pd.StringDtype) or pd.api.types.is_object_dtype(d)
        ]
    else:
        texts = [c for c in plain if c in columns]
    frame = frame.astype({c: pd.CategoricalDtype(_values_of(frame[c])) for c in texts}) if texts else frame
    return registry.make("frame.dummies", frame, how | {"columns": columns})


def _values_of(series: Any) -> pd.Index:
    """The distinct values, sorted, or as they come where they cannot be: they name the columns, so it runs."""
    if pd.api.types.is_object_dtype(series.dtype):
        return pd.Categorical(series.drop_duplicates().execute().fetch()).categories
    return pd.Index(registry.make("frame.value_set", series).execute().fetch().dropna().sort_values().array)


def _melt(chunk: pd.DataFrame, ids: list[Any], values: list[Any], *names: Any) -> pd.DataFrame:
    return chunk.melt(ids, values, *names, ignore_index=False)


@lowered(
    "frame.melted",
    meta=lambda frame, *how: frame_meta(
        pandas_on_samples(_melt, frame, *how), frame.length * len(how[1]), NEW
    ),
    demands=lambda node, mine: [Demand(frozenset([*node.args[1], *node.args[2]]), True, mine.labels)],
)
def melted(frame: Chunks, ids: list[Any], values: list[Any], *names: Any) -> Chunks:
    """One column after another, each in the frame's chunks, so that rows stand in pandas' order."""
    like = graph.promised().empty
    return graph.joined(*(graph.per_chunk(_melt_one, frame, like, ids, [value], *names) for value in values))


def _melt_one(chunk: pd.DataFrame, like: pd.DataFrame, *args: Any) -> pd.DataFrame:
    done = _melt(chunk, *args)
    # Text was promised of objects, which may be no texts.
    off = {c: d for c, d in like.dtypes.items() if done[c].dtype != d}
    kept = {c for c, d in off.items() if isinstance(d, pd.StringDtype) and done[c].dtype == object}
    return done.astype({c: d for c, d in off.items() if c not in kept and not has_fractions(done[c], d)})


@public("melt")
def melt(
    frame: Any,
    id_vars: Any = None,
    value_vars: Any = None,
    var_name: Any = None,
    value_name: Any = "value",
    col_level: Any = None,
    ignore_index: bool = True,
) -> Any:
    """Columns as rows: one column of names and one of values, in pandas' order of rows."""
    frame = as_frame(frame)
    if frame.ndim != 2:
        raise ArgumentTypeError(f"melt(): expected a DataFrame, got {type(frame).__name__}.")
    if col_level is not None:
        raise ArgumentTypeError("melt(col_level=): columns here have one level.")
    if not frame.known.columns.is_unique:
        raise ArgumentError(
            "melt(): some columns have the same label. Hint: df.set_axis([...], axis=1) first."
        )
    listed = [v if isinstance(v, (list, tuple, pd.Index)) else [v] for v in (id_vars, value_vars)]
    ids = [] if id_vars is None else checks.columns(listed[0], frame)
    others = [c for c in frame.columns if c not in ids]
    values = others if value_vars is None else checks.columns(listed[1], frame)
    if not values:
        raise ArgumentTypeError("melt(value_vars=[]): expected at least one column.")
    made = registry.make("frame.melted", frame, ids, values, var_name, value_name)
    return registry.make("frame.renumber", made) if ignore_index else made


public("frame.melt", owners=["DataFrame"], signature=as_method(melt))(melt)


@lowered(
    "frame.exploded",
    meta=lambda frame, **column: frame.fewer(pandas_on_samples(partial(call, "explode"), frame, **column)),
    demands=lambda node, mine: [mine.of(None)],
)
def exploded(frame: Chunks, **column: Any) -> Chunks:
    """A row for each element of lists. Elements that all are texts are a column of text, those of some chunks alone are not."""
    made = graph.per_chunk(partial(call, "explode"), frame, lengths="unknown", **column)
    empty = frame.empty
    wanted = column.get("column")
    names = wanted if isinstance(wanted, list) else [wanted]
    at = [c for c in names if (empty if c is None else empty[c]).dtype == object]
    if frame.count == 1 or not at:
        return graph.even(made)
    texts = graph.value(_are_texts, graph.per_chunk(_texts_in, made, at, label="texts", lengths=None))
    return graph.even(graph.per_chunk(_as_whole, made, frame, at, texts))


def _texts_in(made: Any, names: list[Any]) -> list[bool | None]:
    """Of columns whether they are text; None where nothing but holes is there."""
    columns = [made if name is None else made[name] for name in names]
    return [None if column.isna().all() else column.dtype != object for column in columns]


def _are_texts(told: list[list[bool | None]]) -> list[bool]:
    return [True in found and False not in found for found in zip(*told, strict=True)]


def _as_whole(made: Any, chunk: Any, names: list[Any], texts: list[bool]) -> Any:
    """The same with columns of text where the whole is that, and else with the elements as they were."""
    for name, text in zip(names, texts, strict=True):
        column = made if name is None else made[name]
        if text != (column.dtype == object):
            continue
        if text:
            column = column.astype("str")
        else:
            lists = [*(chunk if name is None else chunk[name]), _NO_TEXT]
            elements = pd.Series(lists, dtype=object).explode().to_numpy()[:-1]
            column = pd.Series(elements, index=column.index, name=column.name, dtype=object)
        made = column if name is None else _with_column(made, name, column)
    return made


def _with_column(frame: pd.DataFrame, name: Any, column: pd.Series) -> pd.DataFrame:
    frame = frame.copy(deep=False)
    frame[name] = column
    return frame


_NO_TEXT = object()


@public("DataFrame.explode", owners=["DataFrame"])
def explode_frame(self: Any, column: Any, ignore_index: bool = False) -> Any:
    """A row for each element of lists."""
    made = registry.make("frame.exploded", self, **({} if column is None else {"column": column}))
    return registry.make("frame.renumber", made) if ignore_index else made


@public("Series.explode", owners=["Series"])
def explode_series(self: Any, ignore_index: bool = False) -> Any:
    """A row for each element of lists."""
    return explode_frame(self, None, ignore_index)


def _recut_meta(frame: FrameMeta, chunk_size: Any, num_partitions: Any) -> FrameMeta:
    by_bytes = chunk_size is None and num_partitions is None  # then the cuts depend on which columns are left
    return FrameMeta(frame.made, frame.length, Rows() if by_bytes else NEW, frame.ranged, frame.labels)


@lowered("frame.recut", meta=_recut_meta, traits=["through"], sizes="rows")
def recut(frame: Any, chunk_size: Any, num_partitions: int | None) -> Chunks:
    """The same rows in chunks of other lengths."""
    lengths = row_chunks(int(sum(frame.lengths)), row_bytes(frame.meta), chunk_size, num_partitions)
    return graph.regroup(frame, graph.row_ranges(frame.lengths, lengths))


@public("frame.rechunk", owners=ALL)
def rechunk(self: Any, chunk_size: Any, reassign_worker: bool = False) -> Any:
    """The same frame in chunks of `chunk_size` rows (an entry for columns is checked and has no effect).

    `reassign_worker` is Mars's; Dask places chunks itself.
    """
    requested(chunk_size, self.ndim)
    if not math.isnan(self.known.length):
        row_chunks(int(self.known.length), 8, chunk_size, None, self.ndim)  # a bad size is told at once
    return registry.make("frame.recut", self, chunk_size, None)


@public("frame.rebalance", owners=ALL)
def rebalance(
    self: Any,
    factor: float | None = None,
    axis: Any = 0,
    num_partitions: int | None = None,
    reassign_worker: bool = True,
) -> Any:
    """The same frame in chunks of equal length: `num_partitions`, or `factor` times as many as tasks run at a time."""
    if axis not in (0, "index"):
        raise ArgumentError(f"rebalance(axis={axis!r}): expected 0; chunks hold whole rows.")
    if factor is not None and (
        not isinstance(factor, (int, float)) or isinstance(factor, bool) or factor <= 0
    ):
        raise ArgumentTypeError(f"rebalance(factor={factor!r}): expected a positive number.")
    count = num_partitions
    if count is None or factor is not None:
        count = max(round((factor or 1) * get_default_or_create().get_total_n_cpu()), 1)
    row_chunks(1, 8, None, count)
    return registry.make("frame.recut", self, None, count)
