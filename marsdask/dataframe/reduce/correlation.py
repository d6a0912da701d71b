"""Correlation and covariance: co-moments of every pair of columns over the rows where both have values."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, Series, as_frame
from marsdask.dataframe.reduce.reduction import meta_of, reduced_meta
from marsdask.dataframe.rows.alignment import pandas_on_samples, together
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, TensorMeta, frame_meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]
"""For each pair (i, j) of columns, over the rows where both have values: how many, mean of i, sum of squares of i, of
products; and the number of rows."""


def moments(chunk: pd.DataFrame) -> State | None:
    """The co-moments of a chunk, about its means, so that large values lose no digits."""
    values = chunk.to_numpy(dtype="f8", na_value=np.nan) if len(chunk) else np.empty((0, chunk.shape[1]))
    if not len(values):
        return None
    there = ~np.isnan(values)
    if there.all():
        mean = values.mean(axis=0)
        off, size = values - mean, (values.shape[1],) * 2
        products = off.T @ off
        return (
            np.full(size, float(len(values))),
            np.broadcast_to(mean[:, None], size),
            np.broadcast_to(products.diagonal()[:, None], size),
            products,
            len(values),
        )
    middle = np.where(there.any(0), np.nansum(values, axis=0) / np.maximum(there.sum(0), 1), 0.0)
    off = np.where(there, values - middle, 0.0)
    n = there.T.astype("f8") @ there
    with np.errstate(all="ignore"):
        mean = np.where(n > 0, (off.T @ there) / n, 0.0)
    squares = (off * off).T @ there - n * mean**2
    products = off.T @ off - n * mean * mean.T
    return n, mean + middle[:, None], squares, products, len(values)


def two(a: State, b: State) -> State:
    """Both co-moments as one."""
    n = a[0] + b[0]
    with np.errstate(all="ignore"):
        share = np.where(n > 0, b[0] / n, 0.0)
    d = b[1] - a[1]
    d = np.where((a[0] == 0) | (b[0] == 0), 0.0, d)
    mean = np.where(a[0] == 0, b[1], a[1] + d * share)
    weight = a[0] * share
    return n, mean, a[2] + b[2] + d * d * weight, a[3] + b[3] + d * d.T * weight, a[4] + b[4]


def joined(states: list[State | None]) -> State | None:
    full = [s for s in states if s is not None]
    return reduce(two, full) if full else None


def _matrix(labels: pd.Index, what: str, least: int, ddof: int, states: list[State | None]) -> pd.DataFrame:
    state = joined(states)
    size = len(labels)
    if state is None:
        return pd.DataFrame(np.full((size, size), np.nan), index=labels, columns=labels)
    n, _, squares, products, rows = state
    if (n < rows).any():
        ddof = 1  # pandas' rule: with holes ddof= has no effect
    with np.errstate(all="ignore"):
        if what == "cov":
            found = np.where(n > ddof, products / np.where(n > ddof, n - ddof, 1), np.nan)
        else:
            below = np.sqrt(squares * squares.T)
            found = np.where(below > 0, np.clip(products / below, -1, 1), np.nan)
    found = np.where(n >= max(least, 1), found, np.nan)
    return pd.DataFrame(found, index=labels, columns=labels)


def _pair(frame: Any, what: str, *args: Any) -> Any:
    return getattr(frame, what)(*args)


def _numeric(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[c for c, d in frame.dtypes.items() if pd.api.types.is_numeric_dtype(d)]]


def _matrix_meta(frame: FrameMeta, what: str, args: tuple[Any, ...]) -> Any:
    return reduced_meta(pandas_on_samples(_pair, frame, what, *args), NEW)


def _matrix_demands(node: Node, mine: Demand) -> list[Demand]:
    return [Demand(None, order=False, labels=False)]


@lowered("frame.matrix", meta=_matrix_meta, demands=_matrix_demands)
def matrix(frame: Chunks, what: str, args: tuple[Any, ...]) -> Chunks:
    """The matrix of covariances or correlations; ranks and functions need all rows in one chunk."""
    like = pandas_on_samples(_pair, meta_of(frame), what, *args)
    size = (float(len(like)),)
    if what == "corr" and args[0] != "pearson":
        return graph.per_chunk(_pair, graph.gather(frame), what, *args).with_lengths(size)
    numeric = graph.per_chunk(_columns, frame, list(like.columns))
    least, ddof = (args[1], 1) if what == "corr" else (args[0] or 1, 1 if args[1] is None else args[1])
    build = partial(_matrix, like.columns, what, least, ddof)
    return graph.tree(graph.per_chunk(moments, numeric, lengths=None), joined, build).with_lengths(size)


def _columns(chunk: pd.DataFrame, names: list[Any]) -> pd.DataFrame:
    return chunk[names]


def _corr_method(method: Any) -> None:
    if method not in ("pearson", "spearman", "kendall") and not callable(method):
        raise ArgumentError(
            f"corr(method={method!r}): method must be either 'pearson', 'spearman', 'kendall', or a callable."
        )


def _of_two(left: Any, right: Any, what: str, settings: tuple[Any, ...]) -> Any:
    """The element of a matrix of two series, aligned by labels."""
    if not isinstance(right, (Series, pd.Series)):
        raise ArgumentTypeError(f"unsupported type: {type(right).__name__}; expected a Series.")
    first, (other,), _ = together(left, [as_frame(right)], {})
    beside = registry.make("frame.beside", first, other)
    return registry.make("frame.cell", registry.make("frame.matrix", beside, what, settings), 0, 1)


def _beside(left: pd.Series, right: pd.Series) -> pd.DataFrame:
    if not left.index.equals(right.index):
        left, right = left.align(right, join="inner")
    return pd.DataFrame({0: left.array, 1: right.array}, index=left.index).dropna()


@lowered("frame.beside", demands=lambda node, mine: [Demand(None, mine.order, True)] * 2,
           meta=lambda left, right: frame_meta(pandas_on_samples(_beside, left, right), float("nan"), NEW))  # fmt: skip
def beside(left: Chunks, right: Chunks) -> Chunks:
    """Two series as the columns 0 and 1, of the labels both have."""
    return graph.per_chunk(_beside, left, right, lengths="unknown")


@lowered(
    "frame.cell",
    meta=lambda frame, row, column: TensorMeta((), frame.empty.dtypes.iloc[column]),
)
def cell(frame: Chunks, row: int, column: int) -> Any:
    """One element of a small frame as a tensor of no dimension."""
    return graph.to_array(
        graph.per_chunk(_cell, frame, row, column, lengths=None),
        scalar=True,
        dtype=frame.empty.dtypes.iloc[column],
    )


def _cell(frame: pd.DataFrame, row: int, column: int) -> Any:
    return frame.iat[row, column]


@public("DataFrame.corr", owners=["DataFrame"])
def corr_of_columns(
    self: Any, method: Any = "pearson", min_periods: int | None = 1, numeric_only: bool = False
) -> Any:
    """The correlation of every pair of numeric columns, over rows where both have values."""
    _corr_method(method)
    return registry.make(
        "frame.matrix", self, "corr", (method, 1 if min_periods is None else min_periods, numeric_only)
    )


@public("DataFrame.cov", owners=["DataFrame"])
def cov_of_columns(
    self: Any, min_periods: int | None = None, ddof: int | None = 1, numeric_only: bool = False
) -> Any:
    """The covariance of every pair of numeric columns, over rows where both have values."""
    return registry.make("frame.matrix", self, "cov", (min_periods, ddof, numeric_only))


@public("Series.corr", owners=["Series"])
def corr_with(self: Any, other: Any, method: Any = "pearson", min_periods: int | None = None) -> Any:
    """The correlation with another series, aligned by labels: a tensor of no dimension."""
    _corr_method(method)
    return _of_two(self, other, "corr", (method, min_periods or 1, False))


@public("Series.cov", owners=["Series"])
def cov_with(self: Any, other: Any, min_periods: int | None = None, ddof: int | None = 1) -> Any:
    """The covariance with another series, aligned by labels: a tensor of no dimension."""
    return _of_two(self, other, "cov", (min_periods, ddof, False))


@public("Series.autocorr", owners=["Series"])
def autocorr(self: Any, lag: int = 1) -> Any:
    """The correlation with itself `lag` rows before."""
    return corr_with(self, self.shift(lag))


def _corrwith_meta(frame: FrameMeta, other: FrameMeta, kwargs: dict[str, Any]) -> Any:
    result = pandas_on_samples(_corrwith, frame, other, kwargs)
    return (
        reduced_meta(result, NEW) if kwargs["axis"] in (0, "index") else frame_meta(result, frame.length, NEW)
    )


def _corrwith(frame: Any, other: Any, kwargs: dict[str, Any]) -> Any:
    return frame.corrwith(other, **kwargs)


@lowered("frame.corrwith_", meta=_corrwith_meta, status="gathered")
def corrwith_chunks(frame: Chunks, other: Chunks, kwargs: dict[str, Any]) -> Chunks:
    """Correlation column by column of two frames, in one chunk."""
    return graph.per_chunk(_corrwith, graph.gather(frame), graph.gather(other), kwargs, lengths="unknown")


@public("DataFrame.corrwith", owners=["DataFrame"], status="gathered")
def corrwith(
    self: Any,
    other: Any,
    axis: Any = 0,
    drop: bool = False,
    method: Any = "pearson",
    numeric_only: bool = False,
    min_periods: Any = None,
) -> Any:
    """Correlation with another frame column by column, or with a series."""
    _corr_method(method)
    if not isinstance(other, (DataFrame, Series, pd.DataFrame, pd.Series)):
        raise ArgumentTypeError(f"unsupported type: {type(other).__name__}; expected a DataFrame or Series.")
    given = {
        "axis": axis,
        "drop": drop,
        "method": method,
        "numeric_only": numeric_only,
        "min_periods": min_periods,
    }
    return registry.make("frame.corrwith_", self, as_frame(other), given)
