"""Reductions of frames, series and indexes: names over `fold.FOLDS`. A scalar is a tensor of no dimension."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import as_frame
from marsdask.dataframe.reduce.fold import GATHERED, ORDERED, Step, fold
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.dataframe.rows.families import ALL, BOTH, by_rows, pandas_signature
from marsdask.errors import ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

TUNED = ("combine_size", "method")
OURS = (*TUNED, "bias", "fisher")
"""Arguments of Mars that pandas' method does not know."""


def reduced_meta(result: Any, rows: Rows | None = None, length: float | None = None) -> Any:
    """Metadata of a reduction: a series by column, or a scalar as a tensor of no dimension."""
    if isinstance(result, (pd.Series, pd.DataFrame)):
        size = len(result) if length is None else length
        return frame_meta(result, size, rows or Rows(), labels=None if math.isnan(size) else result.index)
    return TensorMeta((), scalar_dtype(result))


def scalar_dtype(value: Any) -> np.dtype[Any]:
    """The dtype of the tensor that holds a scalar of pandas; what NumPy does not have is an object."""
    if isinstance(value, (pd.Timestamp, pd.Timedelta)) and getattr(value, "tz", None) is None:
        return np.dtype(f"{'M' if isinstance(value, pd.Timestamp) else 'm'}8[{value.unit}]")
    plain = isinstance(value, (np.generic, int, float, complex, bool)) and not isinstance(
        value, (np.str_, np.datetime64)
    )
    return np.asarray(value).dtype if plain else np.dtype(object)


def call(name: str, frame: Any, **kwargs: Any) -> Any:
    """pandas' own reduction."""
    return getattr(frame, name)(**{k: v for k, v in kwargs.items() if k not in OURS})


def reduction_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    try:
        result = pandas_on_samples(partial(call, name), frame, **kwargs)
    except TypeError:
        if frame.ndim == 1 and frame.empty.dtype == object:  # numbers, maybe: the run will tell
            return TensorMeta((), np.dtype(object))
        raise
    if by_rows(frame, kwargs):
        return frame.same(result)
    return reduced_meta(result, NEW)


def used_columns(empty: Any, kwargs: dict[str, Any]) -> list[int]:
    """Positions of the columns a reduction looks at."""
    if empty.ndim == 1:
        return [0]
    if kwargs.get("numeric_only"):
        return [i for i, d in enumerate(empty.dtypes) if pd.api.types.is_numeric_dtype(d)]
    if kwargs.get("bool_only"):
        return [i for i, d in enumerate(empty.dtypes) if pd.api.types.is_bool_dtype(d)]
    return list(range(empty.shape[1]))


def reduction_demands(name: str, node: Node, mine: Demand) -> list[Demand]:
    known = meta(node.args[0])
    only = node.kwargs.get("numeric_only") or node.kwargs.get("bool_only")
    columns = (
        frozenset(known.empty.columns[used_columns(known.empty, node.kwargs)])
        if only and known.ndim == 2
        else None
    )
    if by_rows(known, node.kwargs):
        return [Demand(columns, mine.order, mine.labels)]
    plain = known.kind != "Index" and all(
        pd.api.types.is_numeric_dtype(d) for d in np.atleast_1d(known.empty.dtypes)
    )
    ordered = name in ORDERED or (name in ("sum", "mode") and not plain)
    return [Demand(columns, ordered, name.startswith("idx"))]


def reduce_chunks(name: str, frame: Chunks, **kwargs: Any) -> Any:
    """A reduction by column in a tree, or row by row in each chunk."""
    empty = frame.empty
    if by_rows(empty, kwargs):
        rows = graph.per_chunk(partial(call, name), frame, **kwargs)
        return graph.even(rows) if name == "nunique" else rows
    settings = {k: v for k, v in kwargs.items() if k not in ("axis", "numeric_only", "bool_only", *TUNED)}
    every = kwargs.get("combine_size")
    if empty.ndim == 1 or (kwargs.get("axis", 0) is None and name not in ("nunique", "count")):
        if kwargs.get("numeric_only") or kwargs.get("bool_only"):
            frame = graph.per_chunk(_picked, frame, used_columns(empty, kwargs)).with_node(frame.node)
        try:
            like = pandas_on_samples(partial(call, name), frame_meta(empty, 0, Rows()), **kwargs)
        except TypeError:
            like = None
        step: Step = (0 if empty.ndim == 1 else -1, name, settings)
        return graph.to_array(
            fold(frame, [step], _scalar, type(like), every=every), scalar=True, dtype=scalar_dtype(like)
        )
    steps: list[Step] = [(i, name, settings) for i in used_columns(empty, kwargs)]
    like = pandas_on_samples(partial(call, name), meta_of(frame), **kwargs)
    made = fold(frame, steps, by_column, like.index, like.dtype, every=every)
    return made.with_lengths((float(len(like)),))


def _picked(chunk: pd.DataFrame, positions: list[int]) -> pd.DataFrame:
    return chunk.iloc[:, positions]


def meta_of(frame: Chunks) -> FrameMeta:
    """The metadata of what is being lowered."""
    known: FrameMeta = meta(frame.node)  # type: ignore[arg-type]
    return known


def _scalar(answers: list[Any], like: type) -> Any:
    (value,) = answers
    if issubclass(like, (np.floating, np.integer, np.bool_)) and isinstance(value, (int, float, np.generic)):
        return like(value)
    return value


def by_column(answers: list[Any], labels: pd.Index, dtype: Any) -> pd.Series:
    try:
        return pd.Series(answers, index=labels, dtype=dtype)
    except (TypeError, ValueError, pd.errors.IntCastingNaNError):
        return pd.Series(answers, index=labels)


def reduction(
    name: str, *aliases: str, owners: tuple[str, ...] = BOTH, extra: dict[str, Any] | None = None
) -> None:
    """Declare one reduction of pandas under its names; `extra` are parameters of Mars's, with their defaults."""
    kind = inspect.Parameter
    more = {**(extra or {}), "combine_size": None, "method": None}
    signature = pandas_signature(
        name, [kind(n, kind.POSITIONAL_OR_KEYWORD, default=d) for n, d in more.items()]
    )
    defaults = {p.name: p.default for p in signature.parameters.values()}
    for each in (name, *aliases):
        public(
            f"frame.{each}",
            room="dataframe",
            owners=owners,
            signature=signature,
            direct=False,
            doc=f"The {each} of each column (or, with axis=1, of each row), holes left out unless skipna=False.",
        )(partial(_prepare, each, defaults))
        lowered(
            f"frame.{each}",
            status="gathered" if name in GATHERED else "tiled",
            meta=partial(reduction_meta, name),
            demands=partial(reduction_demands, name),
        )(partial(reduce_chunks, name))


def _prepare(name: str, defaults: dict[str, Any], self: Any, **given: Any) -> Any:
    kwargs = {
        k: v
        for k, v in given.items()
        if v is not defaults[k] and not (self.ndim == 1 and k == "axis" and v is None)
    }
    check_tuning(name, kwargs)
    return registry.make(f"frame.{name}", as_frame(self), **kwargs)


def check_tuning(name: str, kwargs: dict[str, Any]) -> None:
    """Mars's tuning arguments: checked, and without effect on the result."""
    if kwargs.get("combine_size") is not None:
        checks.whole(kwargs["combine_size"], f"{name}(combine_size=)", 2)
    checks.choice(kwargs.pop("method", None), f"{name}(method=)", (None, "auto", "tree", "shuffle"))


for _name in ("sum", "mean", "median", "count", "std", "var", "sem", "idxmax", "idxmin"):
    reduction(_name)
for _name in ("max", "min", "any", "all", "nunique"):
    reduction(_name, owners=ALL)
reduction("prod", "product")
reduction("skew", extra={"bias": False})
reduction("kurt", "kurtosis", extra={"bias": False, "fisher": True})


@public("frame.mode", owners=BOTH)
def mode(
    self: Any, axis: Any = 0, numeric_only: bool = False, dropna: bool = True, combine_size: Any = None
) -> Any:
    """The most frequent values of each column, sorted."""
    defaults = {"axis": 0, "numeric_only": False, "dropna": True, "combine_size": None}
    given = {"axis": axis, "numeric_only": numeric_only, "dropna": dropna, "combine_size": combine_size}
    return _prepare("mode", defaults, self, **given)


def _mode_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    result = pandas_on_samples(partial(call, "mode"), frame, **kwargs)
    if by_rows(frame, kwargs):
        raise ShapeError("mode(axis=1) has as many columns as a run finds.")
    return frame_meta(result, math.nan, Rows(), ranged=True)


@lowered("frame.mode", meta=_mode_meta, demands=partial(reduction_demands, "mode"))
def _mode(frame: Chunks, **kwargs: Any) -> Chunks:
    empty = frame.empty
    settings = {"dropna": kwargs["dropna"]} if "dropna" in kwargs else {}
    steps: list[Step] = [(i, "mode", settings) for i in used_columns(empty, kwargs)]
    build: Callable[..., Any] = _modes if empty.ndim == 2 else _only
    return fold(frame, steps, build, every=kwargs.get("combine_size")).with_lengths((math.nan,))


def _modes(answers: list[pd.Series]) -> pd.DataFrame:
    return pd.concat(answers, axis=1) if answers else pd.DataFrame()


def _only(answers: list[Any]) -> Any:
    return answers[0]
