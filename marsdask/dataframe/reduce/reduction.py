"""Reductions of frames, series and indexes: a table of how columns fold, and the names. A scalar is a tensor of no dimension.

The state of a column stands for any number of rows. Empty chunks have none; a column without any row is pandas' own answer.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.kernels import repeats, sets
from marsdask.dataframe.reduce.custom import CustomReduction
from marsdask.dataframe.rows.alignment import (
    after_concat,
    as_promised,
    example,
    pandas_on_samples,
    without_loss,
)
from marsdask.dataframe.rows.families import ALL, BOTH, by_rows, method
from marsdask.errors import ShapeError
from marsdask.options import options
from marsdask.plan import graph, moments
from marsdask.plan.graph import Chunks
from marsdask.plan.holes import either_way
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, meta, scalar_meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand

State = Any
Step = tuple[int, Any, dict[str, Any]]
"""A column by position (-1: all as one), a fold by name or a user's, its settings."""


@dataclass(frozen=True)
class Fold:
    """`chunk(series, **settings)` -> state; `join(states)` -> state; `finish(state, empty, **settings)`."""

    chunk: Callable[..., State]
    join: Callable[[list[State]], State]
    finish: Callable[..., Any]


def _total(name: str, s: pd.Series, skipna: bool = True, min_count: int = 0) -> State:
    """The sum or product (None without a value) and how many values."""
    if not min_count and isinstance(s.dtype, np.dtype) and s.dtype.kind in "iufb":
        return getattr(s, name)(skipna=skipna), 1  # holes add nothing, and nobody asks how many there are
    count = s.count()
    return None if skipna and not count else getattr(s, name)(skipna=skipna), count


def _join_totals(does: Callable[..., Any], states: list[State]) -> State:
    totals = [s[0] for s in states if s[0] is not None]
    with np.errstate(over="ignore"):
        return reduce(does, totals) if totals else None, sum(s[1] for s in states)


def _total_of(name: str, state: State, empty: pd.Series, skipna: bool = True, min_count: int = 0) -> Any:
    total, count = state
    return getattr(empty, name)(min_count=min_count) if total is None or count < min_count else total


def _one_row(name: str, dtype: Any, s: pd.Series, **settings: Any) -> State:
    """What a reduction that may be applied to its own results gives of a chunk."""
    return pd.Series([getattr(s, name)(**settings)], dtype=dtype or s.dtype)


def _apply(name: str, state: State, empty: pd.Series, **settings: Any) -> Any:
    return getattr(state, name)(**settings)


def _truth_of(name: str, state: State, empty: pd.Series, **settings: Any) -> Any:
    found = getattr(state, name)(**settings)
    return found if found is pd.NA else np.bool_(found)


def _mean(s: pd.Series, skipna: bool = True) -> State:
    """Sum, count, and whether there are holes."""
    count = s.count()
    kind = getattr(s.dtype, "kind", "O")
    if kind in "mM":
        total = int(s.dropna().astype("i8").sum())
    elif kind in "iub" and not isinstance(s.dtype, pd.CategoricalDtype):
        total = s.dropna().to_numpy("f8").sum()
    else:
        total = s.sum() if count else 0
    return total, count, count < len(s)


def _mean_of(state: State, empty: pd.Series, skipna: bool = True) -> Any:
    total, count, holes = state
    if not count or (holes and not skipna):
        return _hole(empty, "mean")
    if isinstance(total, (Decimal, Fraction)):
        total = float(total)  # as pandas does of a sum of objects
    kind = getattr(empty.dtype, "kind", "O")
    return _moment(total // count, empty.dtype) if kind in "mM" else total / count


def _moment(value: int, dtype: Any) -> Any:
    """A datetime or timedelta from a count of its unit."""
    return pd.Series(np.array([value], "i8")).astype(dtype).iloc[0]


def _hole(empty: pd.Series, name: str) -> Any:
    """pandas' answer for a column that is one hole."""
    plain = isinstance(empty.dtype, np.dtype) and empty.dtype.kind in "iub"
    return getattr(pd.Series([None], dtype="f8" if plain else empty.dtype), name)()


def _moments(most: int, s: pd.Series, **settings: Any) -> State:
    """The moments of the values, and whether there are holes."""
    valid, kind = s.dropna(), getattr(s.dtype, "kind", "O")
    if kind != "c":
        valid = (valid.astype("i8") if kind in "mM" else valid).to_numpy("f8")
    values = np.asarray(valid)
    found = moments.of(values, len(values), values.sum(), most=2 if kind == "c" else most)
    return found, len(values) < len(s)


def _join_moments(states: list[State]) -> State:
    return moments.joined([s[0] for s in states]), any(s[1] for s in states)


def _variance(name: str, state: State, empty: pd.Series, skipna: bool = True, ddof: int = 1) -> Any:
    n, _, squares = moments.central(state[0])
    if (state[1] and not skipna) or n <= ddof:
        return _hole(empty, name)
    var = squares / (n - ddof)
    value = var if name == "var" else np.sqrt(var if name == "std" else var / n)
    if getattr(empty.dtype, "kind", "O") in "mM":
        unit = getattr(empty.dtype, "unit", None) or np.datetime_data(empty.dtype)[0]
        return _moment(int(value), f"m8[{unit}]")
    return value


ROUNDING = 1e-15
"""So far from their mean, as a part of it, values may seem to be that are equal."""


def _shape(
    name: str, state: State, empty: pd.Series, skipna: bool = True, bias: bool = False, fisher: bool = True
) -> Any:
    """Skewness and kurtosis, unbiased as pandas' unless `bias`."""
    n, mean, m2, m3, m4 = moments.central(state[0])
    if (state[1] and not skipna) or n < (3 if name == "skew" else 4):
        return _hole(empty, name)
    if np.sqrt(m2 / n) <= ROUNDING * abs(mean):
        # Values that are all alike: versions of pandas say 0 or nan.
        return getattr(pd.Series([1.0] * 4), name)()
    if name == "skew":
        skew = (m3 / n) / (m2 / n) ** 1.5
        return skew if bias else skew * np.sqrt(n * (n - 1)) / (n - 2)
    if bias:
        return n * m4 / m2**2 - (3 if fisher else 0)
    value = n * (n + 1) * (n - 1) * m4 / ((n - 2) * (n - 3) * m2**2) - 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))
    return value if fisher else value + 3


def _extreme_row(name: str, s: pd.Series, **settings: Any) -> State:
    """The rows that decide: the first extreme, and a hole."""
    valid = s.dropna()
    rows = [valid.iloc[[getattr(valid, name.replace("idx", "arg"))()]]] if len(valid) else []
    return pd.concat([*rows, s[s.isna()].iloc[:1]]) if len(valid) < len(s) else rows[0]


def _distinct(s: pd.Series, **settings: Any) -> State:
    """The values as a set, and their dtype."""
    return sets.part(s), s.dtype


def _join_distinct(states: list[State]) -> State:
    dtype = states[0][1]
    parts = [part if own == dtype else sets.series(part, own) for part, own in states]
    return sets.together(parts, dtype), dtype


def _distinct_of(state: State, empty: pd.Series, dropna: bool = True) -> int:
    values, dtype = state
    if isinstance(values, sets.Bits):
        return values.present + (values.null and not dropna)
    every = sets.series(values, dtype)
    if pd.api.types.is_object_dtype(every.dtype):
        return int(every.nunique(dropna=dropna))  # what is missing has several spellings
    return int(every.count()) if dropna else len(every)


def _count_of(state: State, empty: pd.Series) -> Any:
    return np.int64(state)


def _counts(s: pd.Series, dropna: bool = True) -> State:
    return s.value_counts(sort=False, dropna=dropna)


def _join_counts(states: list[State]) -> State:
    return repeats.added(graph.concat(states))


def _mode_of(state: State, empty: pd.Series, dropna: bool = True) -> pd.Series:
    values = pd.Series(state[state == state.max()].index.array, dtype=state.index.dtype)
    return without_loss(values, empty.dtype).mode(dropna=dropna).rename(empty.name)


def _top_of(state: State, empty: pd.Series) -> tuple[Any, Any, Any]:
    """Number of distinct values, the most frequent one, how often."""
    counts = state[state > 0].sort_values(ascending=False, kind="stable")
    return (len(counts), counts.index[0], counts.iloc[0]) if len(counts) else NO_TOP


def _values_and_hole(s: pd.Series, **settings: Any) -> State:
    """The values, and one hole where there are any: pandas' dtype may depend on that."""
    valid = s.dropna()
    return valid if len(valid) == len(s) else pd.concat([valid, s[s.isna()].iloc[:1]])


_spread, _shape_powers = partial(_moments, 2), partial(_moments, 4)
NO_TOP = (0, np.nan, np.nan)
FOLDS: dict[str, Fold] = {
    "sum": Fold(partial(_total, "sum"), partial(_join_totals, operator.add), partial(_total_of, "sum")),
    "prod": Fold(partial(_total, "prod"), partial(_join_totals, operator.mul), partial(_total_of, "prod")),
    "max": Fold(partial(_one_row, "max", None), graph.concat, partial(_apply, "max")),
    "min": Fold(partial(_one_row, "min", None), graph.concat, partial(_apply, "min")),
    "any": Fold(partial(_one_row, "any", "boolean"), graph.concat, partial(_truth_of, "any")),
    "all": Fold(partial(_one_row, "all", "boolean"), graph.concat, partial(_truth_of, "all")),
    "count": Fold(pd.Series.count, sum, _count_of),
    "size": Fold(len, sum, _count_of),
    "mean": Fold(_mean, lambda states: tuple(map(sum, zip(*states, strict=True))), _mean_of),
    "var": Fold(_spread, _join_moments, partial(_variance, "var")),
    "std": Fold(_spread, _join_moments, partial(_variance, "std")),
    "sem": Fold(_spread, _join_moments, partial(_variance, "sem")),
    "skew": Fold(_shape_powers, _join_moments, partial(_shape, "skew")),
    "kurt": Fold(_shape_powers, _join_moments, partial(_shape, "kurt")),
    "nunique": Fold(_distinct, _join_distinct, _distinct_of),
    "mode": Fold(_counts, _join_counts, _mode_of),
    "top": Fold(_counts, _join_counts, _top_of),
    "median": Fold(
        lambda s, skipna=True: s.dropna() if skipna else s, graph.concat, partial(_apply, "median")
    ),
    "quantile": Fold(_values_and_hole, graph.concat, partial(_apply, "quantile")),
}
FOLDS |= {
    name: Fold(
        partial(_extreme_row, name), partial(after_concat, partial(_extreme_row, name)), partial(_apply, name)
    )
    for name in ("idxmax", "idxmin")
}
GATHERED = ("median", "quantile")
"""Folds whose state is the column's values: exact, and bounded by `options.gather_limit`."""
ORDERED = ("idxmax", "idxmin", "top")
"""Folds whose answer depends on the rows' order."""


def fold_of(how: Any) -> Fold:
    """A fold by name, or a user's."""
    return FOLDS[how] if isinstance(how, str) else Fold(how._of_chunk, how._join, how._finish)


def fold(
    frame: Chunks, steps: Sequence[Step], build: Callable[..., Any], *args: Any, every: int | None = None
) -> Chunks:
    """One chunk: `build(answers of the steps, *args)`."""
    parts = graph.per_chunk(_states, frame, steps, lengths=None)
    join = partial(_joined, steps, float(options.gather_limit))
    return graph.tree(parts, join, partial(_built, steps, join, frame.empty, build, args), every=every)


def column(chunk: Any, at: int) -> pd.Series:
    """One column as a series; the values of an index; or all columns one after another."""
    if chunk.ndim == 1:
        return chunk.to_series() if isinstance(chunk, pd.Index) else chunk
    if at >= 0:
        return chunk.iloc[:, at]
    columns = [chunk.iloc[:, i] for i in range(chunk.shape[1])]
    return pd.concat(columns, ignore_index=True) if columns else pd.Series(dtype="f8")


def _states(chunk: Any, steps: Sequence[Step]) -> list[State] | None:
    """The states of a chunk; None of an empty one. Steps that keep the same of a column keep it once."""
    if not len(chunk):
        return None
    known: dict[Any, State] = {}
    states = []
    for at, name, settings in steps:
        key = (at, fold_of(name).chunk, str(settings))
        if key not in known:
            known[key] = fold_of(name).chunk(column(chunk, at), **settings)
        states.append(known[key])
    return states


def _joined(steps: Sequence[Step], limit: float, parts: list[list[State] | None]) -> list[State] | None:
    """The states of several chunks as those of one."""
    full = [p for p in parts if p is not None]
    if len(full) <= 1:
        return full[0] if full else None
    return [
        graph.gathered(states, name, limit) if name in GATHERED else fold_of(name).join(states)
        for (_, name, _), *states in zip(steps, *full, strict=True)
    ]


def _built(
    steps: Sequence[Step], join: Callable[..., Any], empty: Any, build: Callable[..., Any], args: Any, parts: list[Any]
) -> Any:  # fmt: skip
    """The answers, put together."""
    states = join(parts)
    answers = []
    for i, (at, name, settings) in enumerate(steps):
        of = column(empty, at)
        if states is not None:
            answer = fold_of(name).finish(states[i], of, **settings)
            answers.append(answer if name == "quantile" else _narrow(answer, of.dtype))
        elif name == "top":
            answers.append(NO_TOP)
        elif isinstance(name, CustomReduction):
            answers.append(name(of))
        else:
            answers.append(0 if name == "size" else getattr(of, name)(**settings))
    return build(answers, *args)


def _narrow(answer: Any, dtype: Any) -> Any:
    """Floating point answers about narrow columns are as narrow."""
    if getattr(dtype, "kind", "O") == "f" and dtype.itemsize < 8 and isinstance(answer, float):
        return getattr(dtype, "numpy_dtype", dtype).type(answer)
    return answer


TUNED = ("combine_size", "method")
OURS = (*TUNED, "bias", "fisher")
"""Arguments of Mars that pandas' method does not know."""
KINDS = {"numeric_only": pd.api.types.is_numeric_dtype, "bool_only": pd.api.types.is_bool_dtype}


def reduced_meta(result: Any, rows: Rows | None = None, length: float | None = None) -> Any:
    """Metadata of a reduction: a series by column, or a scalar as a tensor of no dimension."""
    if isinstance(result, (pd.Series, pd.DataFrame)):
        size = len(result) if length is None else length
        return frame_meta(result, size, rows or Rows(), labels=None if math.isnan(size) else result.index)
    return scalar_meta(result)


def _call(name: str, frame: Any, **kwargs: Any) -> Any:
    """pandas' own reduction."""
    return getattr(frame, name)(**{k: v for k, v in kwargs.items() if k not in OURS})


def _reduction_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    try:
        if frame.ndim == 1:  # a value, which an example keeps as it is
            result = example(_call, name, frame, **kwargs).value
        else:
            result = pandas_on_samples(partial(_call, name), frame, **kwargs)
    except TypeError:
        if frame.ndim == 1 and frame.shown.dtype == object:  # numbers, maybe: the run will tell
            return TensorMeta((), np.dtype(object))
        raise
    if frame.ndim == 1 and frame.shown.dtype == object and isinstance(result, str):
        return TensorMeta((), np.dtype(object))  # not text, maybe
    return frame.same(result) if by_rows(frame, kwargs) else reduced_meta(result, NEW)


def used_columns(empty: Any, kwargs: dict[str, Any]) -> list[int]:
    """Positions of the columns a reduction looks at."""
    if empty.ndim == 1:
        return [0]
    wanted = [test for flag, test in KINDS.items() if kwargs.get(flag)]
    return [i for i, d in enumerate(empty.dtypes) if not wanted or wanted[0](d)]


def _reduction_demands(name: str, node: Node, mine: Demand) -> list[Demand]:
    known = meta(node.args[0])
    only = known.ndim == 2 and any(node.kwargs.get(flag) for flag in KINDS)
    used = either_way(known, partial(used_columns, kwargs=node.kwargs)) if only else ()
    columns = frozenset(known.columns[used]) if only else None
    if by_rows(known, node.kwargs):
        return [Demand(columns, mine.order, mine.labels)]
    plain = known.kind != "Index" and all(map(pd.api.types.is_numeric_dtype, known.dtypes))
    ordered = name in ORDERED or (name in ("sum", "mode") and not plain)
    return [Demand(columns, ordered, name.startswith("idx"))]


def _reduce(name: str, frame: Chunks, **kwargs: Any) -> Any:
    """A reduction by column in a tree, or row by row in each chunk."""
    empty = frame.meta.shown
    if by_rows(empty, kwargs):
        rows = graph.per_chunk(partial(_call, name), frame, **kwargs)
        return graph.even(rows) if name == "nunique" else rows
    settings = {k: v for k, v in kwargs.items() if k not in ("axis", *KINDS, *TUNED)}
    every = kwargs.get("combine_size")
    known = graph.promised()
    if isinstance(known, TensorMeta):
        if any(kwargs.get(flag) for flag in KINDS):
            used = used_columns(empty, kwargs)
            frame = graph.per_chunk(pd.DataFrame.take, frame, used, axis=1).with_node(frame.node)
        step = (0 if empty.ndim == 1 else -1, name, settings)
        made = fold(frame, [step], _scalar, known.dtype.type, every=every)
    else:
        steps: list[Step] = [(i, name, settings) for i in used_columns(empty, kwargs)]
        objects = any(pd.api.types.is_object_dtype(empty.dtypes.iloc[i]) for i, *_ in steps)
        labels = name.startswith("idx") and pd.api.types.is_object_dtype(empty.index.dtype)
        dtype = np.dtype(object) if labels else known.shown.dtype
        build = partial(by_column, objects=labels or (objects and name in ("sum", "prod", "min", "max")))
        made = fold(frame, steps, build, known.labels, dtype, every=every)
    return as_promised(made)


def _scalar(answers: list[Any], like: type) -> Any:
    (value,) = answers
    number = isinstance(value, (int, float, np.generic))
    if not number or not issubclass(like, (np.floating, np.integer, np.bool_)):
        return value
    # What users' functions give only data can tell: floats stay floats where whole numbers were promised.
    floats = isinstance(value, (float, np.floating))
    return value if floats and not issubclass(like, np.floating) else like(value)


def by_column(
    answers: list[Any], labels: pd.Index, dtype: Any, name: Any = None, *, objects: bool = False
) -> pd.Series:
    """A series of answers, of this dtype where it can hold them: text holds whatever it is given, as text.

    `objects`: some are of columns of objects, whose values pandas does not look at.
    """
    if isinstance(dtype, pd.StringDtype) and not all(isinstance(a, str) or pd.isna(a) for a in answers):
        dtype = None
    elif dtype in (np.dtype(object), np.dtype("f8")) and not (objects and dtype == np.dtype(object)):
        dtype = _of_no_holes(answers) or dtype
    try:
        return pd.Series(answers, index=labels, dtype=dtype, name=name)
    except (TypeError, ValueError, pd.errors.IntCastingNaNError):
        return pd.Series(answers, index=labels, name=name)


def _of_no_holes(answers: list[Any]) -> Any:
    """The dtype of whole numbers or booleans, all of NumPy's one dtype: where holes were expected in columns, and none are."""
    dtypes = {a.dtype if isinstance(a, np.generic) else None for a in answers}
    (found,) = dtypes if len(dtypes) == 1 else (None,)
    return found if found is not None and found.kind in "iub" else None


def _reduction(name: str, like: str = "", owners: tuple[str, ...] = BOTH, **extra: Any) -> None:
    """Declare one reduction of pandas. `like` is its other name, `extra` are parameters of Mars's, with their defaults."""
    does = like or name
    method(
        name,
        partial(_reduce, does),
        like=does,
        owners=owners,
        arrange=partial(_check_tuning, name),
        meta=partial(_reduction_meta, does),
        demands=partial(_reduction_demands, does),
        status="gathered" if does in GATHERED else "tiled",
        doc=f"The {name} of each column (or, with axis=1, of each row), holes left out unless skipna=False.",
        **extra,
        combine_size=None,
        method=None,
    )


def _check_tuning(name: str, self: Any, kwargs: dict[str, Any]) -> None:
    """Mars's tuning has no effect on the result."""
    if self.ndim == 1 and kwargs.get("axis", 0) is None:
        del kwargs["axis"]
    if kwargs.get("combine_size") is not None:
        checks.whole(kwargs["combine_size"], f"{name}(combine_size=)", 2)
    checks.choice(kwargs.pop("method", None), f"{name}(method=)", (None, "auto", "tree", "shuffle"))


for _name in ("sum", "mean", "median", "count", "std", "var", "sem", "idxmax", "idxmin", "prod"):
    _reduction(_name)
for _name in ("max", "min", "any", "all", "nunique"):
    _reduction(_name, owners=ALL)
_reduction("product", "prod")
_reduction("skew", bias=False)
for _name in ("kurt", "kurtosis"):
    _reduction(_name, "kurt", bias=False, fisher=True)


def _mode_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    if by_rows(frame, kwargs):
        raise ShapeError("mode(axis=1) has as many columns as a run finds.")
    return frame_meta(
        pandas_on_samples(partial(_call, "mode"), frame, **kwargs), math.nan, Rows(), ranged=True
    )


def _mode(frame: Chunks, **kwargs: Any) -> Chunks:
    """The most frequent values of each column, sorted."""
    settings = {"dropna": kwargs["dropna"]} if "dropna" in kwargs else {}
    used = used_columns(frame.empty, kwargs)
    steps: list[Step] = [(i, "mode", settings) for i in used]
    build = partial(_modes, frame.empty.columns[used]) if frame.empty.ndim == 2 else operator.itemgetter(0)
    return fold(frame, steps, build, every=kwargs.get("combine_size")).with_lengths((math.nan,))


def _modes(columns: pd.Index, answers: list[pd.Series]) -> pd.DataFrame:
    return pd.concat(answers, axis=1).set_axis(columns, axis=1) if answers else pd.DataFrame()


method(
    "mode",
    _mode,
    arrange=partial(_check_tuning, "mode"),
    meta=_mode_meta,
    demands=partial(_reduction_demands, "mode"),
    combine_size=None,
)
