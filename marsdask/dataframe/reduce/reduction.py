"""How columns fold: what a chunk becomes, how two such states join, and what the last one says. A table of `Fold`s.

A state stands for a column of any number of rows. Empty chunks have none; a column without any row is pandas' own answer.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
import pandas as pd

from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.graph import Chunks

State = Any


@dataclass(frozen=True)
class Fold:
    """`shrink(series, **settings)` -> state; `join(states, **settings)` -> state; `finish(state, empty, **settings)`."""

    shrink: Callable[..., State]
    join: Callable[..., State]
    finish: Callable[..., Any]


def _add(name: str) -> Fold:
    """sum and prod: the total (None without a value) and how many values."""
    does = operator.add if name == "sum" else operator.mul
    return Fold(partial(_total, name), partial(_join_totals, does), partial(_total_of, name))


def _total(name: str, s: pd.Series, skipna: bool = True, min_count: int = 0) -> State:
    if not min_count and isinstance(s.dtype, np.dtype) and s.dtype.kind in "iufb":
        return getattr(s, name)(skipna=skipna), 1  # holes add nothing, and nobody asks how many there are
    count = s.count()
    return None if skipna and not count else getattr(s, name)(skipna=skipna), count


def _join_totals(does: Callable[..., Any], states: list[State], **settings: Any) -> State:
    totals = [s[0] for s in states if s[0] is not None]
    with np.errstate(over="ignore"):
        return reduce(does, totals) if totals else None, sum(s[1] for s in states)


def _total_of(name: str, state: State, empty: pd.Series, skipna: bool = True, min_count: int = 0) -> Any:
    total, count = state
    return getattr(empty, name)(min_count=min_count) if total is None or count < min_count else total


def _partials(name: str) -> Fold:
    """Reductions that may be applied to their own results: max, min."""
    return Fold(partial(_one_row, name), _concat, partial(_apply, name))


def _one_row(name: str, s: pd.Series, **settings: Any) -> State:
    return pd.Series([getattr(s, name)(**settings)], dtype=s.dtype)


def _concat(states: list[State], **settings: Any) -> State:
    return graph.concat(states)


def _apply(name: str, state: State, empty: pd.Series, **settings: Any) -> Any:
    return getattr(state, name)(**settings)


def _truth(name: str) -> Fold:
    return Fold(partial(_truth_row, name), _concat, partial(_truth_of, name))


def _truth_row(name: str, s: pd.Series, **settings: Any) -> State:
    return pd.Series([getattr(s, name)(**settings)], dtype="boolean")


def _truth_of(name: str, state: State, empty: pd.Series, **settings: Any) -> Any:
    found = getattr(state, name)(**settings)
    return found if found is pd.NA else np.bool_(found)


def _mean(s: pd.Series, skipna: bool = True) -> State:
    count = s.count()
    holes = count < len(s)
    kind = getattr(s.dtype, "kind", "O")
    if kind in "mM":
        return int(s.dropna().astype("i8").sum()) if count else 0, count, holes
    if kind in "iub" and not isinstance(s.dtype, pd.CategoricalDtype):
        return s.dropna().to_numpy("f8").sum(), count, holes
    return s.sum() if count else 0, count, holes


def _join_sums(states: list[State], **settings: Any) -> State:
    return reduce(operator.add, [s[0] for s in states]), sum(s[1] for s in states), any(s[2] for s in states)


def _mean_of(state: State, empty: pd.Series, skipna: bool = True) -> Any:
    total, count, holes = state
    if not count or (holes and not skipna):
        return _hole(empty, "mean", skipna=skipna)
    kind = getattr(empty.dtype, "kind", "O")
    return _moment(total // count, empty.dtype) if kind in "mM" else total / count


def _moment(value: int, dtype: Any) -> Any:
    """A datetime or timedelta from a count of its unit."""
    return pd.Series(np.array([value], "i8")).astype(dtype).iloc[0]


def _narrow(answer: Any, dtype: Any) -> Any:
    """Floating point answers about narrow columns are as narrow."""
    narrow = getattr(dtype, "kind", "O") == "f" and dtype.itemsize < 8 and isinstance(answer, float)
    return (
        (dtype.type if isinstance(dtype, np.dtype) else dtype.numpy_dtype.type)(answer) if narrow else answer
    )


def _hole(empty: pd.Series, name: str, **settings: Any) -> Any:
    """pandas' answer for a column that is one hole."""
    plain = isinstance(empty.dtype, np.dtype) and empty.dtype.kind in "iub"
    return getattr(pd.Series([None], dtype="f8" if plain else empty.dtype), name)(**settings)


def _powers(most: int, s: pd.Series, **settings: Any) -> State:
    """Count, mean, sums of powers (to the second or fourth) of the differences from it, and whether there were holes."""
    valid = s.dropna()
    kind = getattr(s.dtype, "kind", "O")
    if kind == "c":
        values = valid.to_numpy()
    else:
        values = valid.astype("i8").to_numpy("f8") if kind in "mM" else valid.to_numpy("f8")
    n, holes = len(values), len(values) < len(s)
    if not n:
        return 0, 0.0, 0.0, 0.0, 0.0, holes
    mean = values.mean()
    off = values - mean
    if kind == "c":
        return n, mean, (off * off.conj()).real.sum(), 0.0, 0.0, holes
    if most == 2:
        return n, mean, np.dot(off, off), 0.0, 0.0, holes
    square = off * off
    return n, mean, square.sum(), (square * off).sum(), (square * square).sum(), holes


def _join_powers(states: list[State], **settings: Any) -> State:
    return reduce(_two_powers, states)


def _two_powers(a: State, b: State) -> State:
    """Chan's and Pebay's update of central moments."""
    (na, ma, a2, a3, a4, ha), (nb, mb, b2, b3, b4, hb) = a, b
    n = na + nb
    if not na or not nb:
        return (*(b if nb else a)[:5], ha or hb)
    d = mb - ma
    dn = d / n
    mean = ma + dn * nb
    m2 = a2 + b2 + (abs(d) ** 2) * na * nb / n
    m3 = a3 + b3 + d * dn * dn * na * nb * (na - nb) + 3 * dn * (na * b2 - nb * a2)
    m4 = (a4 + b4 + d * dn**3 * na * nb * (na * na - na * nb + nb * nb)
          + 6 * dn * dn * (na * na * b2 + nb * nb * a2) + 4 * dn * (na * b3 - nb * a3))  # fmt: skip
    return n, mean, m2, m3, m4, ha or hb


def _variance(name: str, state: State, empty: pd.Series, skipna: bool = True, ddof: int = 1) -> Any:
    n, _, m2, _, _, holes = state
    if (holes and not skipna) or n <= ddof:
        return _hole(empty, name, skipna=skipna) if not (n and n <= ddof) else _hole(empty, name)
    var = m2 / (n - ddof)
    value = var if name == "var" else np.sqrt(var) if name == "std" else np.sqrt(var / n)
    if getattr(empty.dtype, "kind", "O") in "mM":
        unit = getattr(empty.dtype, "unit", None) or np.datetime_data(empty.dtype)[0]
        return _moment(int(value), f"m8[{unit}]")
    return value


def _shape(
    name: str, state: State, empty: pd.Series, skipna: bool = True, bias: bool = False, fisher: bool = True
) -> Any:
    """Skewness and kurtosis, unbiased as pandas' unless `bias`."""
    n, _, m2, m3, m4, holes = state
    if (holes and not skipna) or n < (3 if name == "skew" else 4):
        return _hole(empty, name, skipna=skipna)
    if abs(m2) < 1e-14:
        return 0.0
    if name == "skew":
        skew = (m3 / n) / (m2 / n) ** 1.5
        return skew if bias else skew * np.sqrt(n * (n - 1)) / (n - 2)
    if bias:
        return n * m4 / m2**2 - (3 if fisher else 0)
    value = n * (n + 1) * (n - 1) * m4 / ((n - 2) * (n - 3) * m2**2) - 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))
    return value if fisher else value + 3


def _extreme_row(name: str, s: pd.Series, skipna: bool = True) -> State:
    """The row that decides: the first extreme, and a hole where holes count."""
    valid = s.dropna()
    rows = [] if not len(valid) else [valid.iloc[[getattr(valid, name.replace("idx", "arg"))()]]]
    if len(valid) < len(s) and (not skipna or not rows):
        rows.append(s[s.isna()].iloc[:1])
    return pd.concat(rows)


def _join_extremes(name: str, states: list[State], **settings: Any) -> State:
    return _extreme_row(name, pd.concat(states), **settings)


def _count(s: pd.Series) -> State:
    return s.count()


def _join_count(states: list[State]) -> State:
    return sum(states)


def _count_of(state: State, empty: pd.Series) -> Any:
    return np.int64(state)


def _distinct(s: pd.Series, **settings: Any) -> State:
    return s.drop_duplicates()


def _join_distinct(states: list[State], **settings: Any) -> State:
    return graph.concat(states).drop_duplicates()


def _distinct_of(state: State, empty: pd.Series, dropna: bool = True) -> int:
    if isinstance(state.dtype, np.dtype) and state.dtype.kind != "O":
        return (
            int(state.count()) if dropna else len(state)
        )  # each value once by now: no need to hash them again
    return int(state.nunique(dropna=dropna))


def _counts(s: pd.Series, dropna: bool = True) -> State:
    return s.value_counts(sort=False, dropna=dropna)


def _join_counts(states: list[State], **settings: Any) -> State:
    whole = pd.concat(states)
    return whole.groupby(level=0, sort=False, dropna=False, observed=True).sum()


def _mode_of(state: State, empty: pd.Series, dropna: bool = True) -> pd.Series:
    values = state[state == state.max()].index.to_series().reset_index(drop=True)
    return values.astype(empty.dtype).mode(dropna=dropna).rename(empty.name)


def _top_of(state: State, empty: pd.Series) -> tuple[Any, Any, Any]:
    """Number of distinct values, the most frequent one, how often."""
    counts = state.sort_values(ascending=False, kind="stable")
    counts = counts[counts > 0]
    return len(counts), counts.index[0] if len(counts) else np.nan, counts.iloc[0] if len(counts) else np.nan


def _values(s: pd.Series, skipna: bool = True, **settings: Any) -> State:
    return s.dropna() if skipna else s


def _values_and_hole(s: pd.Series, **settings: Any) -> State:
    """The values, and one hole where there are any: pandas' dtype may depend on that."""
    valid = s.dropna()
    return valid if len(valid) == len(s) else pd.concat([valid, s[s.isna()].iloc[:1]])


def _join_values(states: list[State], **settings: Any) -> State:
    return graph.concat(states)


def _median_of(state: State, empty: pd.Series, skipna: bool = True) -> Any:
    return state.median(skipna=skipna)


def _quantile_of(state: State, empty: pd.Series, q: Any = 0.5, interpolation: str = "linear") -> Any:
    return state.quantile(q, interpolation)


_spread, _shape_powers = partial(_powers, 2), partial(_powers, 4)
FOLDS: dict[str, Fold] = {
    "sum": _add("sum"),
    "prod": _add("prod"),
    "max": _partials("max"),
    "min": _partials("min"),
    "any": _truth("any"),
    "all": _truth("all"),
    "count": Fold(_count, _join_count, _count_of),
    "size": Fold(len, _join_count, _count_of),
    "mean": Fold(_mean, _join_sums, _mean_of),
    "var": Fold(_spread, _join_powers, partial(_variance, "var")),
    "std": Fold(_spread, _join_powers, partial(_variance, "std")),
    "sem": Fold(_spread, _join_powers, partial(_variance, "sem")),
    "skew": Fold(_shape_powers, _join_powers, partial(_shape, "skew")),
    "kurt": Fold(_shape_powers, _join_powers, partial(_shape, "kurt")),
    "idxmax": Fold(
        partial(_extreme_row, "idxmax"), partial(_join_extremes, "idxmax"), partial(_apply, "idxmax")
    ),
    "idxmin": Fold(
        partial(_extreme_row, "idxmin"), partial(_join_extremes, "idxmin"), partial(_apply, "idxmin")
    ),
    "nunique": Fold(_distinct, _join_distinct, _distinct_of),
    "mode": Fold(_counts, _join_counts, _mode_of),
    "top": Fold(_counts, _join_counts, _top_of),
    "median": Fold(_values, _join_values, _median_of),
    "quantile": Fold(_values_and_hole, _join_values, _quantile_of),
}
GATHERED = ("median", "quantile")
"""Folds whose state is the column's values: exact, and bounded by `options.gather_limit`."""
ORDERED = ("idxmax", "idxmin", "top")
"""Folds whose answer depends on the rows' order."""

Step = tuple[int, str, dict[str, Any]]
"""A column by position (-1: all as one), a fold, its settings."""


def fold(
    frame: Chunks, steps: Sequence[Step], build: Callable[..., Any], *args: Any, every: int | None = None
) -> Chunks:
    """One chunk: `build(answers of the steps, *args)`."""
    steps = list(steps)
    parts = graph.per_chunk(shrunk, frame, steps, lengths=None)
    empty = frame.empty
    limit = float(options.gather_limit)
    return graph.tree(
        parts, partial(joined, steps, limit), partial(built, steps, limit, empty, build, args), every=every
    )


def column(chunk: Any, at: int) -> pd.Series:
    """One column as a series; the values of an index; or all columns one after another."""
    if isinstance(chunk, pd.Index):
        return chunk.to_series()
    if isinstance(chunk, pd.Series):
        return chunk
    if at < 0:
        return (
            pd.concat([chunk.iloc[:, i] for i in range(chunk.shape[1])], ignore_index=True)
            if chunk.shape[1]
            else pd.Series(dtype="f8")
        )
    return chunk.iloc[:, at]


def shrunk(chunk: Any, steps: Sequence[Step]) -> list[State] | None:
    """The states of a chunk; None of an empty one. Steps that keep the same of a column keep it once."""
    if not len(chunk):
        return None
    known: dict[Any, State] = {}
    states = []
    for at, name, settings in steps:
        key = (at, FOLDS[name].shrink, str(settings))
        if key not in known:
            known[key] = FOLDS[name].shrink(column(chunk, at), **settings)
        states.append(known[key])
    return states


def joined(steps: Sequence[Step], limit: float, parts: list[list[State] | None]) -> list[State] | None:
    """The states of several chunks as those of one."""
    full = [p for p in parts if p is not None]
    if len(full) <= 1:
        return full[0] if full else None
    return [
        graph.gathered([p[i] for p in full], name, limit)
        if name in GATHERED
        else FOLDS[name].join([p[i] for p in full], **settings)
        for i, (_, name, settings) in enumerate(steps)
    ]


def built(
    steps: Sequence[Step],
    limit: float,
    empty: Any,
    build: Callable[..., Any],
    args: tuple[Any, ...],
    parts: list[Any],
) -> Any:
    """The answers, put together."""
    states = joined(steps, limit, parts)
    answers = []
    for i, (at, name, settings) in enumerate(steps):
        of = column(empty, at)
        if states is not None:
            answer = FOLDS[name].finish(states[i], of, **settings)
            answers.append(answer if name == "quantile" else _narrow(answer, of.dtype))
        elif name == "top":
            answers.append((0, np.nan, np.nan))
        elif name == "size":
            answers.append(0)
        else:
            answers.append(getattr(of, name)(**settings))
    return build(answers, *args)
