"""Correlation and covariance: co-moments of every pair of columns over the rows where both have values."""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, Series, as_frame
from marsdask.dataframe.reduce.reduction import reduced_meta, used_columns
from marsdask.dataframe.rows.alignment import as_promised, pandas_on_samples, together
from marsdask.dataframe.rows.families import call, pandas_signature
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, moments, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, TensorMeta, frame_meta
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

State = tuple[Any, ...]
"""For each pair (i, j) of columns, over the rows where both have values: the moments of i, and the sum of products of the
differences of both from their centres; last the number of rows."""


def _pairs(chunk: pd.DataFrame) -> State | None:
    """The co-moments of a chunk, about its means, so that large values lose no digits."""
    if not len(chunk):
        return None
    values = chunk.to_numpy(dtype="f8", na_value=np.nan)
    there = ~np.isnan(values)
    with np.errstate(all="ignore"):
        middle = np.where(there, values, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        away = np.where(there, values - middle, 0.0)
    products = away.T @ away
    tall = partial(np.broadcast_to, shape=products.shape)
    if there.all():
        n, first = tall(float(len(values))), tall(away.sum(axis=0)[:, None])
        squares = tall(products.diagonal()[:, None])
    else:
        n, first, squares = there.T.astype("f8") @ there, away.T @ there, (away * away).T @ there
    return n, tall(middle[:, None]), first, squares, products, len(values)


def _moved(state: State, away: Any) -> State:
    *plain, products, rows = state
    count, first = state[0], state[2]
    products = moments.product(count, (away, first), (away.T, first.T), products)
    return *moments.moved(tuple(plain), away), products, rows


def _joined(states: list[State | None]) -> State | None:
    full = [s for s in states if s is not None]
    return moments.joined(full, _moved) if full else None


def _matrix(labels: pd.Index, what: str, least: int, ddof: int, states: list[State | None]) -> pd.DataFrame:
    state = _joined(states)
    size = len(labels)
    if state is None:
        return pd.DataFrame(np.full((size, size), np.nan), index=labels, columns=labels)
    n, _, squares, products, rows = moments.central(state, _moved)
    if (n < rows).any():
        ddof = 1  # pandas' rule: with holes ddof= has no effect
    with np.errstate(all="ignore"):
        below = np.sqrt(squares * squares.T)
        correlation = np.where(below > 0, np.clip(products / below, -1, 1), np.nan)
        found = moments.variance(n, products, ddof) if what == "cov" else correlation
    found = np.where(n >= max(least, 1), found, np.nan)
    return pd.DataFrame(found, index=labels, columns=labels)


@lowered(
    "frame.matrix",
    meta=lambda frame, what, args: reduced_meta(pandas_on_samples(methodcaller(what, *args), frame), NEW),
    demands=lambda node, mine: [Demand(None, order=False, labels=False)],
)
def matrix(frame: Chunks, what: str, args: tuple[Any, ...]) -> Chunks:
    """The matrix of covariances or correlations; ranks and functions need all rows in one chunk."""
    does = methodcaller(what, *args)
    known = graph.promised()
    size = (known.length,)
    if what == "corr" and args[0] != "pearson":
        return graph.per_chunk(does, graph.gather(frame)).with_lengths(size)
    used = used_columns(frame.empty, {"numeric_only": args[2]})
    numeric = graph.per_chunk(pd.DataFrame.take, frame, used, axis=1)
    least, ddof = (args[1], 1) if what == "corr" else (args[0] or 1, 1 if args[1] is None else args[1])
    build = partial(_matrix, known.labels, what, least, ddof)
    return graph.tree(graph.per_chunk(_pairs, numeric, lengths=None), _joined, build).with_lengths(size)


def _corr_method(method: Any) -> None:
    if method not in ("pearson", "spearman", "kendall") and not callable(method):
        raise ArgumentError(
            f"corr(method={method!r}): method must be either 'pearson', 'spearman', 'kendall', or a callable."
        )


def _of_both(left: Any, right: Any) -> Any:
    """Two series, aligned by labels, as the columns of a frame."""
    if not isinstance(right, (Series, pd.Series)):
        raise ArgumentTypeError(f"unsupported type: {type(right).__name__}; expected a Series.")
    first, (other,), _ = together(left, [as_frame(right)], {})
    return registry.make("frame.beside", first, other)


def _beside(left: pd.Series, right: pd.Series) -> pd.DataFrame:
    if not left.index.equals(right.index):
        left, right = left.align(right, join="inner")
    return pd.concat([left, right], axis=1, keys=[0, 1]).dropna()


@lowered("frame.beside", demands=lambda node, mine: [Demand(None, mine.order, True)] * 2,
           meta=lambda left, right: frame_meta(pandas_on_samples(_beside, left, right), float("nan"), NEW))  # fmt: skip
def beside(left: Chunks, right: Chunks) -> Chunks:
    """Two series as the columns 0 and 1, of the labels both have."""
    return graph.per_chunk(_beside, left, right, lengths="unknown")


@lowered("frame.corr_of_two", meta=lambda frame, method, least: TensorMeta((), np.dtype("f8")),
           demands=lambda node, mine: [Demand(None, order=False, labels=False)])  # fmt: skip
def corr_of_two(frame: Chunks, method: Any, least: int) -> Any:
    """The correlation of two columns as of series, whose last digit differs from a matrix'; ranks and functions need all rows in one chunk."""
    if method == "pearson" and frame.count > 1:
        parts = graph.per_chunk(_pairs, frame, lengths=None)
        return as_promised(graph.tree(parts, _joined, partial(_corner, least)))
    return as_promised(graph.per_chunk(_corr_of_two, graph.gather(frame), method, least, lengths=None))


def _corner(least: int, states: list[State | None]) -> Any:
    return _matrix(pd.RangeIndex(2), "corr", least, 1, states).iat[0, 1]


def _corr_of_two(both: pd.DataFrame, method: Any, least: int) -> Any:
    return both[0].corr(both[1], method=method, min_periods=least)


@public("DataFrame.corr", owners=["DataFrame"])
def corr_of_columns(
    self: Any, method: Any = "pearson", min_periods: int | None = 1, numeric_only: bool = False
) -> Any:
    """The correlation of every pair of numeric columns, over rows where both have values."""
    _corr_method(method)
    least = 1 if min_periods is None else min_periods
    return registry.make("frame.matrix", self, "corr", (method, least, numeric_only))


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
    return registry.make("frame.corr_of_two", _of_both(self, other), method, min_periods or 1)


@public("Series.cov", owners=["Series"])
def cov_with(self: Any, other: Any, min_periods: int | None = None, ddof: int | None = 1) -> Any:
    """The covariance with another series, aligned by labels: a tensor of no dimension."""
    return registry.make("frame.matrix", _of_both(self, other), "cov", (min_periods, ddof, False)).iat[0, 1]


@public("Series.autocorr", owners=["Series"])
def autocorr(self: Any, lag: int = 1) -> Any:
    """The correlation with itself `lag` rows before."""
    return corr_with(self, self.shift(lag))


def _corrwith_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    result = pandas_on_samples(partial(call, "corrwith"), frame, **kwargs)
    by_column = kwargs.get("axis", 0) in (0, "index")
    return reduced_meta(result, NEW) if by_column else frame_meta(result, frame.length, NEW)


@public("DataFrame.corrwith", owners=["DataFrame"], signature=pandas_signature("corrwith"), direct=False)
def corrwith(self: Any, other: Any, **kwargs: Any) -> Any:
    """Correlation with another frame column by column, or with a series."""
    _corr_method(kwargs.get("method", "pearson"))
    if not isinstance(other, (DataFrame, Series, pd.DataFrame, pd.Series)):
        raise ArgumentTypeError(f"unsupported type: {type(other).__name__}; expected a DataFrame or Series.")
    return registry.make("DataFrame.corrwith", self, other=as_frame(other), **kwargs)


@lowered("DataFrame.corrwith", status="gathered", meta=_corrwith_meta)
def _corrwith(frame: Chunks, other: Chunks, **kwargs: Any) -> Chunks:
    both = {"other": graph.gather(other), **kwargs}
    return graph.per_chunk(partial(call, "corrwith"), graph.gather(frame), lengths="unknown", **both)
