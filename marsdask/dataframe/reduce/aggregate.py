"""agg, describe and quantile: several folds of several columns in one tree."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from operator import itemgetter, methodcaller
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import as_frame
from marsdask.dataframe.reduce.custom import CustomReduction
from marsdask.dataframe.reduce.reduction import (
    FOLDS,
    ORDERED,
    Step,
    by_column,
    column,
    fold,
    reduced_meta,
    used_columns,
)
from marsdask.dataframe.rows.alignment import as_promised, has_fractions, pandas_on_samples, without_loss
from marsdask.dataframe.rows.families import ALL, BOTH, by_rows, pandas_signature
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import told
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

BLIND = Demand(None, order=False, labels=False)
REDUCING = frozenset(FOLDS) - {"top", "mode", "quantile"}
INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")
SAME = {"product": "prod", "kurtosis": "kurt"}


@public("frame.agg", "frame.aggregate", owners=ALL)
def agg(self: Any, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    """One or several reductions of the columns: names, lists, dicts by column, functions."""
    kwargs.pop("combine_size", None)
    if func is None and not kwargs:
        raise ArgumentTypeError("Must provide 'func' or tuples of 'columns, aggregation'.")
    if isinstance(func, str):
        along = {"axis": axis} if self.ndim == 2 and axis not in (0, "index") else {}
        return of_name(self, func, args, along | kwargs)
    if by_rows(self, {"axis": axis}):
        return registry.make("frame.agg", self, "rows", func, axis, args, kwargs)
    if isinstance(func, dict) and self.ndim == 2:
        checks.columns(func, self)
    if not args and (plan := _plan(self, func, kwargs)) is not None:
        return registry.make("frame.agg", self, plan, func, 0, (), kwargs)
    return registry.make("frame.agg", self, "whole", func, axis, args, kwargs)


def of_name(self: Any, func: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """What a name gives of a frame where pandas looks for it: a method, an attribute, a function of NumPy."""
    if func == "size":  # of a frame pandas counts each column's rows
        return _sizes(self, *args, **kwargs)
    if hasattr(getattr(pd, type(self).__name__), func):
        found = getattr(self, func)
        if callable(found):
            return found(*args, **kwargs)
        if args or kwargs:
            raise ArgumentTypeError(f"{func!r} is an attribute, which takes no arguments.")
        return found
    found = getattr(np, func, None)
    if not callable(found):
        raise AttributeError(f"'{func}' is not a valid function for '{type(self).__name__}' object")
    if isinstance(found, np.ufunc):
        return registry.make("frame.applied", self, "same", {}, False, "apply", found, tuple(args), kwargs)
    return registry.make("frame.agg", self, "whole", func, 0, args, kwargs)


def _sizes(self: Any, axis: Any = 0) -> Any:
    """How many values each column has, or with axis=1 each row; of a series, how many there are."""
    if by_rows(self, {"axis": axis}):
        return registry.make("frame.agg", self, "rows", "size", 1, (), {})
    return self.agg(dict.fromkeys(self.columns, "size")) if self.ndim == 2 else self.agg(["size"]).iloc[0]


def _plan(self: Any, func: Any, named: dict[str, Any]) -> Any:
    """(label of a column, folds) where every function is one; None where pandas must see all rows."""
    columns = [self.name] if self.ndim == 1 else list(self.columns)
    if func is None or named or len(set(columns)) < len(columns):
        return None
    wanted = dict.fromkeys(columns, func)
    if isinstance(func, dict) and self.ndim == 2:
        wanted = {c: f if isinstance(f, list) else [f] for c, f in func.items()}
    elif isinstance(func, CustomReduction):
        wanted = {c: [func] for c in columns}
    for folds in wanted.values():
        if not isinstance(folds, list) or not folds or not all(map(_is_fold, folds)):
            return None
    return [(c, list(f)) for c, f in wanted.items()]


def _is_fold(func: Any) -> bool:
    named = isinstance(func, str) and SAME.get(func, func) in REDUCING
    return named or isinstance(func, CustomReduction)


def _agg_meta(frame: FrameMeta, plan: Any, func: Any, axis: Any, args: Any, kwargs: Any) -> Any:
    result = pandas_on_samples(methodcaller("agg", func, axis, *args, **kwargs), frame)
    if plan == "rows":
        return frame.same(result)
    rows = isinstance(result, (pd.Series, pd.DataFrame)) and list(result.index) == [0, 1]
    if plan == "whole" and rows:  # as many as the made-up ones
        return frame_meta(result, frame.length, Rows(), ranged=frame.ranged, labels=frame.labels)
    return reduced_meta(result, NEW)


def _agg_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, plan = node.args[:2]
    if isinstance(plan, str):
        return [EVERYTHING] * len(inputs(node))
    known = meta(frame)
    names = {n for _, folds in plan for n in folds}
    every = known.ndim == 1 or isinstance(node.args[2], list)
    if not all(isinstance(n, str) for n in names):
        return [EVERYTHING]  # what a user's reduction looks at nobody knows
    columns = None if every else frozenset(c for c, _ in plan)
    return [Demand(columns, bool(names & {*ORDERED, "sum"}), bool(names & {"idxmax", "idxmin"}))]


@lowered("frame.agg", meta=_agg_meta, demands=_agg_demands)
def aggregated(frame: Chunks, plan: Any, func: Any, axis: Any, args: Any, kwargs: Any) -> Any:
    """One or several reductions of the columns: names, lists, dicts by column, functions."""
    args, kwargs = yield from told((args, kwargs))
    does = partial(_of_chunk, func=func, axis=axis, args=args, kwargs=kwargs)
    if plan == "rows":
        return graph.per_chunk(does, frame)
    empty, known = frame.empty, graph.promised()
    if plan == "whole":
        done = graph.per_chunk(does, graph.gather(frame), lengths="unknown")
        return as_promised(done) if isinstance(known, TensorMeta) else done
    at = {c: 0 if empty.ndim == 1 else empty.columns.get_loc(c) for c, _ in plan}
    steps: list[Step] = [
        (at[c], SAME.get(f, f) if isinstance(f, str) else f, {}) for c, folds in plan for f in folds
    ]
    if isinstance(known, TensorMeta):
        return as_promised(fold(frame, steps, itemgetter(0)))
    alone = isinstance(func, CustomReduction)
    if alone or (isinstance(func, dict) and not any(isinstance(f, list) for f in func.values())):
        dtype = None if known.shown.dtype == object else known.shown.dtype  # pandas looks at the answers
        done = fold(frame, steps, by_column, known.labels, dtype)
    else:
        columns = [(c, [getattr(f, "__name__", f) for f in folds]) for c, folds in plan]
        done = fold(frame, steps, _table, columns, known.empty, known.labels)
    return done.with_lengths((known.length,))


def _of_chunk(chunk: Any, func: Any, axis: Any, args: Any, kwargs: Any) -> Any:
    return graph.owned(chunk).agg(func, axis, *args, **kwargs)


def _table(answers: list[Any], plan: list[tuple[Hashable, list[str]]], like: Any, labels: pd.Index) -> Any:
    """pandas' own shape: a series of answers by column, side by side."""
    left = iter(answers)
    columns = [pd.Series([next(left) for _ in names], index=names, name=label) for label, names in plan]
    if like.ndim == 1:  # objects were made-up texts: numbers of them are none
        texts = isinstance(like.dtype, pd.StringDtype) and columns[0].dtype != like.dtype
        return columns[0] if texts else without_loss(columns[0], like.dtype)
    whole = pd.concat(columns, axis=1).reindex(labels)[list(like.columns)]
    dtypes = {
        c: d
        for c, d in like.dtypes.items()
        if d == np.dtype(object)
        or (d.kind != "O" and whole[c].notna().all() and not has_fractions(whole[c], d))
    }
    return whole.astype(dtypes).set_axis(like.columns, axis=1)


def _shares(values: Any, error: str) -> list[Any]:
    """Quantiles as a list."""
    found = list(values) if np.ndim(values) else [values]
    if any(not 0 <= v <= 1 for v in found):
        raise ArgumentError(error)
    return found


@public(
    "frame.quantile", owners=BOTH, signature=pandas_signature("quantile", combine_size=None), direct=False
)
def quantile(
    self: Any, q: Any = 0.5, interpolation: Any = "linear", combine_size: Any = None, **how: Any
) -> Any:
    """Exact quantiles of each column, holes left out. A lazy `q` runs: its values are labels of the result."""
    if how.get("axis") in INTERPOLATIONS:
        interpolation = how.pop("axis")  # a series' second argument
    values = _shares(q, f"quantile(q={q!r}): percentiles should all be in the interval [0, 1].")
    checks.choice(interpolation, "quantile(interpolation=)", INTERPOLATIONS)
    how |= {"q": values if np.ndim(q) else q, "interpolation": interpolation}
    return registry.make("frame.quantile", as_frame(self), **how)


def _quantile(frame: Any, **how: Any) -> Any:
    known = how if frame.ndim == 2 else {k: v for k, v in how.items() if k in ("q", "interpolation")}
    return frame.quantile(**known)


def _quantile_meta(frame: FrameMeta, **how: Any) -> Any:
    result = pandas_on_samples(_quantile, frame, **how)
    if not by_rows(frame, how):
        return reduced_meta(result, NEW)
    if isinstance(result, pd.DataFrame):
        return frame_meta(result, float(len(result)), Rows(), labels=result.index)
    return frame.same(result)


@lowered(
    "frame.quantile",
    status="gathered",
    meta=_quantile_meta,
    demands=lambda node, mine: [EVERYTHING if by_rows(meta(node.args[0]), node.kwargs) else BLIND],
)
def _quantiles(frame: Chunks, **how: Any) -> Any:
    empty, q = frame.empty, how["q"]
    if by_rows(empty, how):
        if np.ndim(q) == 0:
            return graph.per_chunk(_quantile, frame, **how)
        return graph.per_chunk(_quantile, graph.gather(frame), lengths=(float(np.size(q)),), **how)
    if how.get("method") == "table":
        return graph.per_chunk(_quantile, graph.gather(frame), lengths="unknown", **how)
    known, settings = graph.promised(), {"q": q, "interpolation": how["interpolation"]}
    steps: list[Step] = [(i, "quantile", settings) for i in used_columns(empty, how)]
    if empty.ndim == 1:
        done = fold(frame, steps, itemgetter(0))
    elif np.ndim(q) == 0:
        done = fold(frame, steps, by_column, known.labels, known.empty.dtype, q)
    else:
        done = fold(frame, steps, _side_by_side, known.labels, known.empty.columns)
    return as_promised(done)


def _side_by_side(answers: list[pd.Series], labels: pd.Index, columns: pd.Index) -> pd.DataFrame:
    return pd.concat(answers, axis=1).set_axis(columns, axis=1).set_axis(labels, axis=0)


def _percentiles(percentiles: Any) -> list[float]:
    what = (
        "describe(percentiles=): percentiles should all be in the interval [0, 1]. Try percentiles / 100.0."
    )
    return [0.25, 0.5, 0.75] if percentiles is None else _shares(percentiles, what)


@public("frame.describe", owners=BOTH, signature=pandas_signature("describe"), direct=False)
def describe(self: Any, **how: Any) -> Any:
    """Count, mean, deviation, extremes and exact percentiles; for texts and categories the most frequent value."""
    if how.get("percentiles") is False:  # Mars's word for none
        how["percentiles"] = []
    _percentiles(how.get("percentiles"))
    listed = {k: list(v) if isinstance(v, (tuple, np.ndarray)) else v for k, v in how.items()}
    return registry.make("frame.describe", self, **{k: v for k, v in listed.items() if v is not None})


@lowered(
    "frame.describe",
    meta=lambda frame, **how: reduced_meta(pandas_on_samples(methodcaller("describe", **how), frame), NEW),
    demands=lambda node, mine: [Demand(None, True, False)],
)
def _described(frame: Chunks, **kwargs: Any) -> Chunks:
    empty, known = frame.empty, graph.promised()
    like = known.empty
    columns = [0] if empty.ndim == 1 else [i for i, c in enumerate(empty.columns) if c in like.columns]
    quantiles = {"q": sorted({*_percentiles(kwargs.get("percentiles"))})}
    plan = [_told_of(column(empty, at)) for at in columns]
    steps: list[Step] = [
        (at, name, quantiles if name == "quantile" else {})
        for at, names in zip(columns, plan, strict=True)
        for name in names
    ]
    return fold(frame, steps, _summary, plan, like, known.labels).with_lengths((known.length,))


def _told_of(values: pd.Series) -> list[str]:
    kind = getattr(values.dtype, "kind", "O")
    numeric = pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype)
    if not numeric and kind not in "mM":
        return ["count", "top"]
    return ["count", "mean", *(["std"] if kind != "M" else []), "min", "quantile", "max"]


def _summary(answers: list[Any], plan: list[list[str]], like: Any, labels: pd.Index) -> Any:
    """The answers under pandas' labels: several of a column's come as one answer."""
    left = iter(answers)
    several = {"quantile": [r for r in labels if str(r).endswith("%")], "top": ("unique", "top", "freq")}
    columns = []
    for i, names in enumerate(plan):
        found: dict[Any, Any] = {}
        for name, answer in zip(names, left, strict=False):
            found |= dict(zip(several[name], answer, strict=True)) if name in several else {name: answer}
        dtype = like.dtype if isinstance(like, pd.Series) else like.dtypes.iloc[i]
        if found.get("unique"):
            dtype = None  # pandas lets the most frequent value decide: of objects it may be a number
        columns.append(pd.Series([found.get(r, np.nan) for r in labels], index=labels, dtype=dtype))
    if isinstance(like, pd.Series):
        return columns[0].rename(like.name)
    return pd.DataFrame(dict(enumerate(columns)), index=labels).set_axis(like.columns, axis=1)
