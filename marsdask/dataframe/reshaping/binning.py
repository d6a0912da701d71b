"""The bin of each value, and a column of indicators for each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import as_frame
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.registry import lowered, public
from marsdask.session import execute


@public("cut", status="delegated")
def cut(
    x: Any,
    bins: Any,
    right: bool = True,
    labels: Any = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: str = "raise",
    ordered: bool = True,
) -> Any:
    """The bin of each value. A number of bins runs to find the extremes; edges are lazy."""
    series = as_frame(x)
    if isinstance(bins, Handle):
        raise ArgumentTypeError(
            "cut(bins=): expected a number or edges. Hint: bins.fetch() of an executed tensor."
        )
    if isinstance(bins, (list, tuple, np.ndarray, pd.Index)):
        edges = bins if isinstance(bins, pd.IntervalIndex) else np.asarray(bins)
    else:
        edges = _edges(series, int(bins), right)
    made = registry.make(
        "frame.binned", series, edges, right=right, labels=labels, precision=precision,
        include_lowest=include_lowest, duplicates=duplicates, ordered=ordered,
    )  # fmt: skip
    return (made, edges) if retbins else made


def _edges(series: Any, bins: int, right: bool) -> np.ndarray:
    """Equal bins between the extremes, which only a run can tell: they are in the categories, so it runs."""
    if bins < 1:
        raise ArgumentTypeError("`bins` should be a positive integer.")
    low, high = (t.fetch() for t in execute(series.min(), series.max()))
    return pd.cut(np.array([low, high]), bins, right=right, retbins=True)[1]


@lowered(
    "frame.binned",
    demands=lambda node, mine: [mine],
    meta=lambda frame, edges, **how: frame.same(pandas_on_samples(pd.cut, frame, edges, **how)),
)
def binned(frame: Chunks, edges: Any, **how: Any) -> Chunks:
    """The bin of each value."""
    return graph.per_chunk(pd.cut, frame, edges, **how)


@public("qcut", status="delegated")
def qcut(
    x: Any, q: Any, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise"
) -> Any:
    """The quantile bin of each value; runs to find the quantiles."""
    series = as_frame(x)
    wanted = np.linspace(0, 1, q + 1) if np.ndim(q) == 0 else np.asarray(q)
    edges = series.quantile(list(wanted)).execute().fetch().to_numpy()
    if duplicates == "drop":
        edges = np.unique(edges)
    how = {"labels": labels, "precision": precision, "include_lowest": True}
    made = registry.make("frame.binned", series, edges, **how)
    return (made, edges) if retbins else made


def _dummies(chunk: Any, kwargs: dict[str, Any], texts: bool = False) -> Any:
    """Indicators of a chunk's values; `texts`: whether they were no categories, so that their columns are plain."""
    made = pd.get_dummies(chunk, **kwargs)
    if texts and isinstance(made.columns, pd.CategoricalIndex):
        return made.set_axis(made.columns.astype(made.columns.categories.dtype), axis=1)
    return made


@lowered(
    "frame.dummies",
    meta=lambda frame, *how: frame.same(_dummies(frame.empty, *how)),
    demands=lambda node, mine: [replace(mine, columns=None)],
)
def dummies(frame: Chunks, *how: Any) -> Chunks:
    """Indicator columns of categories that are known."""
    return graph.per_chunk(_dummies, frame, *how)


@public("get_dummies", status="delegated")
def get_dummies(
    data: Any,
    prefix: Any = None,
    prefix_sep: Any = "_",
    dummy_na: bool = False,
    columns: Any = None,
    sparse: bool = False,
    drop_first: bool = False,
    dtype: Any = None,
) -> Any:
    """A column of indicators for each value of texts and categories; texts run to find their values."""
    frame = as_frame(data)
    kwargs = {
        "prefix": prefix,
        "prefix_sep": prefix_sep,
        "dummy_na": dummy_na,
        "sparse": sparse,
        "drop_first": drop_first,
        "dtype": dtype,
    }
    if frame.ndim == 1:
        values = not isinstance(frame.dtype, pd.CategoricalDtype)
        frame = frame.astype(pd.CategoricalDtype(_values_of(frame))) if values else frame
        return registry.make("frame.dummies", frame, kwargs, values)
    plain = {c: d for c, d in frame.dtypes.items() if not isinstance(d, pd.CategoricalDtype)}
    if columns is None:
        texts = [c for c, d in plain.items() if isinstance(d, pd.StringDtype) or d.kind == "O"]
    else:
        texts = [c for c in plain if c in columns]
    frame = frame.astype({c: pd.CategoricalDtype(_values_of(frame[c])) for c in texts}) if texts else frame
    return registry.make("frame.dummies", frame, kwargs | {"columns": columns})


def _values_of(series: Any) -> pd.Index:
    """The distinct values, sorted: they name the columns, so it runs."""
    found = registry.make("frame.value_set", series).execute().fetch().dropna()
    return pd.Index(found.sort_values().array)
