"""Expanding windows that need only a few numbers of the rows before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.reduce.reduction import column
from marsdask.plan import graph
from marsdask.plan.graph import Chunks


def expand(frame: Chunks, settings: Any, picked: Any, name: str, kwargs: Any) -> Chunks:
    numbers = graph.per_chunk(_numbers, frame, picked, kwargs.get("numeric_only", False))
    states = graph.per_chunk(_expanding_state, numbers, label="last", lengths=None)
    before = graph.scan(states, _next_expanding, None, label="before")
    return graph.per_chunk(
        _expanded, numbers, before, settings.get("min_periods", 1), name, kwargs.get("ddof", 1)
    )


def _numbers(chunk: Any, picked: Any, numeric_only: bool) -> Any:
    chunk = chunk if picked is None else chunk[picked]
    if chunk.ndim == 2 and numeric_only:
        chunk = chunk[[c for c, d in chunk.dtypes.items() if pd.api.types.is_numeric_dtype(d)]]
    return chunk


State = tuple[int, list[tuple[float, float, float, float, float, float]]]
"""Rows; and of each column: values, sum, mean, sum of squares, min, max."""


def _expanding_state(chunk: Any) -> State:
    found = []
    for i in range(1 if chunk.ndim == 1 else chunk.shape[1]):
        values = column(chunk, i).to_numpy(dtype="f8", na_value=np.nan)
        values = values[~np.isnan(values)]
        if not len(values):
            found.append((0.0, 0.0, 0.0, 0.0, np.nan, np.nan))
            continue
        mean = values.mean()
        found.append(
            (float(len(values)), values.sum(), mean, ((values - mean) ** 2).sum(), values.min(), values.max())
        )
    return len(chunk), found


def _next_expanding(state: State | None, part: State) -> State:
    if state is None:
        return part
    return state[0] + part[0], [_join_moments(a, b) for a, b in zip(state[1], part[1], strict=True)]


def _join_moments(a: Any, b: Any) -> Any:
    n = a[0] + b[0]
    d = b[2] - a[2]
    mean = a[2] if not b[0] else b[2] if not a[0] else a[2] + d * b[0] / n
    square = a[3] + b[3] + (d * d * a[0] * b[0] / n if a[0] and b[0] else 0.0)
    return n, a[1] + b[1], mean, square, np.fmin(a[4], b[4]), np.fmax(a[5], b[5])


def _expanded(chunk: Any, before: State | None, min_periods: int, name: str, ddof: int) -> Any:
    rows, states = (0, None) if before is None else before
    columns = []
    for i in range(1 if chunk.ndim == 1 else chunk.shape[1]):
        values = column(chunk, i).to_numpy(dtype="f8", na_value=np.nan)
        columns.append(
            _expanded_column(
                values,
                states[i] if states else (0.0, 0.0, 0.0, 0.0, np.nan, np.nan),
                rows,
                min_periods,
                name,
                ddof,
            )
        )
    if chunk.ndim == 1:
        return pd.Series(columns[0], index=chunk.index, name=chunk.name)
    return pd.DataFrame(dict(enumerate(columns)), index=chunk.index).set_axis(chunk.columns, axis=1)


def _expanded_column(
    values: np.ndarray, before: Any, rows: int, min_periods: int, name: str, ddof: int
) -> np.ndarray:
    there = ~np.isnan(values)
    n = np.cumsum(there) + before[0]
    if name == "count":
        return np.where(np.arange(1, len(values) + 1) + rows >= min_periods, n, np.nan)
    with np.errstate(all="ignore"):
        if name in ("min", "max"):
            best = np.fmin if name == "min" else np.fmax
            found = (
                best.accumulate(best(values, before[4] if name == "min" else before[5]))
                if len(values)
                else values
            )
        elif name in ("sum", "mean"):
            found = np.cumsum(np.where(there, values, 0.0)) + before[1]
            found = found / n if name == "mean" else found
        else:
            own = pd.Series(values).expanding(1)
            count, mean, square = (
                np.cumsum(there),
                own.mean().fillna(0).to_numpy(),
                own.var(ddof=0).fillna(0).to_numpy(),
            )
            d = mean - before[2]
            both = np.where(
                (count > 0) & (before[0] > 0), d * d * before[0] * count / np.where(n > 0, n, 1), 0.0
            )
            found = (before[3] + square * count + both) / np.where(n > ddof, n - ddof, np.nan)
            found = np.sqrt(found) if name == "std" else found
    return np.where(n >= max(min_periods, 1), found, np.nan)
