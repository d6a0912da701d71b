"""Reductions of frames, series and indexes: names over `fold.FOLDS`. A scalar is a tensor of no dimension."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.chunkwise import pandas_on_samples
from marsdask.dataframe.core import as_frame
from marsdask.dataframe.fold import GATHERED, ORDERED, Step, fold
from marsdask.errors import ArgumentError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, Rows, TensorMeta, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import Op, add

TUNING = ("combine_size", "method", "bias", "fisher", "_every")
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
    return getattr(frame, name)(**{k: v for k, v in kwargs.items() if k not in TUNING})


def by_rows(frame: Any, kwargs: dict[str, Any]) -> bool:
    """Whether a reduction goes along each row."""
    return frame.ndim == 2 and kwargs.get("axis", 0) in (1, "columns")


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


def settings_of(kwargs: dict[str, Any]) -> dict[str, Any]:
    """What the folds need to know."""
    return {
        k: v
        for k, v in kwargs.items()
        if k not in ("axis", "numeric_only", "bool_only", "combine_size", "method")
    }


def reduce_chunks(name: str, frame: Chunks, **kwargs: Any) -> Any:
    """A reduction by column in a tree, or row by row in each chunk."""
    empty = frame.empty
    if by_rows(empty, kwargs):
        rows = graph.per_chunk(partial(call, name), frame, **kwargs)
        return graph.even(rows) if name == "nunique" else rows
    settings = settings_of(kwargs)
    every = kwargs.get("combine_size")
    if empty.ndim == 1 or (kwargs.get("axis", 0) is None and name not in ("nunique", "count")):
        at = 0 if empty.ndim == 1 else -1
        if at < 0:
            frame = (
                graph.per_chunk(_picked, frame, used_columns(empty, kwargs)).with_node(frame.node)
                if settings_only(kwargs)
                else frame
            )
        like = sample_answer(name, empty, kwargs)
        done = fold(frame, [(at, name, settings)], _scalar, type(like), every=every)
        return graph.to_array(done, scalar=True, dtype=scalar_dtype(like))
    steps: list[Step] = [(i, name, settings) for i in used_columns(empty, kwargs)]
    like = pandas_on_samples(partial(call, name), meta_of(frame), **kwargs)
    return fold(frame, steps, _by_column, like.index, like.dtype, every=every).with_lengths(
        (float(len(like)),)
    )


def settings_only(kwargs: dict[str, Any]) -> bool:
    return bool(kwargs.get("numeric_only") or kwargs.get("bool_only"))


def _picked(chunk: pd.DataFrame, positions: list[int]) -> pd.DataFrame:
    return chunk.iloc[:, positions]


def meta_of(frame: Chunks) -> FrameMeta:
    """The metadata of what is being lowered."""
    assert frame.node is not None
    known: FrameMeta = meta(frame.node)
    return known


def sample_answer(name: str, empty: Any, kwargs: dict[str, Any]) -> Any:
    try:
        return pandas_on_samples(partial(call, name), frame_meta(empty, 0, Rows()), **kwargs)
    except TypeError:
        return None


def _scalar(answers: list[Any], like: type) -> Any:
    (value,) = answers
    if issubclass(like, (np.floating, np.integer, np.bool_)) and isinstance(value, (int, float, np.generic)):
        return like(value)
    return value


def _by_column(answers: list[Any], labels: pd.Index, dtype: Any) -> pd.Series:
    try:
        return pd.Series(answers, index=labels, dtype=dtype)
    except (TypeError, ValueError, pd.errors.IntCastingNaNError):
        return pd.Series(answers, index=labels)


def reduction(
    name: str,
    *aliases: str,
    like: str = "",
    owners: tuple[str, ...] = ("DataFrame", "Series"),
    extra: tuple[str, ...] = (),
) -> None:
    """Register one reduction of pandas under its names."""
    source = getattr(pd.DataFrame, name)
    kind = inspect.Parameter
    own = [
        p.replace(kind=kind.POSITIONAL_OR_KEYWORD, annotation=kind.empty)
        for p in inspect.signature(source).parameters.values()
        if p.kind is not kind.VAR_KEYWORD
    ]
    own += [
        kind(n, kind.POSITIONAL_OR_KEYWORD, default=d)
        for n, d in (("bias", False), ("fisher", True))
        if n in extra
    ]
    own += [kind(n, kind.POSITIONAL_OR_KEYWORD, default=None) for n in ("combine_size", "method")]
    signature = inspect.Signature(own)
    defaults = {p.name: p.default for p in own}
    for each in (name, *aliases):

        def lower(frame: Chunks, **kwargs: Any) -> Any:
            return reduce_chunks(name, frame, **kwargs)

        lower.__doc__ = (
            f"The {each} of each column (or, with axis=1, of each row), holes left out unless skipna=False."
        )
        add(
            Op(
                name=f"frame.{each}",
                room="dataframe",
                lower=lower,
                signature=signature,
                status="gathered" if name in GATHERED else "tiled",
                meta=partial(reduction_meta, name),
                owners=owners,
                function=False,
                prepare=partial(_prepare, each, defaults),
                demands=partial(reduction_demands, name),
            )
        )


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
    size, method = kwargs.get("combine_size"), kwargs.pop("method", None)
    if size is not None and (isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 2):
        raise ArgumentError(f"{name}(combine_size={size!r}): expected a whole number from 2 on.")
    if method not in (None, "auto", "tree", "shuffle"):
        raise ArgumentError(f"{name}(method={method!r}): expected 'auto', 'tree' or 'shuffle'.")


reduction(
    "sum",
)
reduction("prod", "product")
reduction("mean")
reduction("median")
reduction(
    "max",
    owners=("DataFrame", "Series", "Index"),
)
reduction("min", owners=("DataFrame", "Series", "Index"))
reduction("count")
reduction(
    "any",
    owners=("DataFrame", "Series", "Index"),
)
reduction(
    "all",
    owners=("DataFrame", "Series", "Index"),
)
for _name in ("std", "var", "sem"):
    reduction(
        _name,
    )
reduction("skew", extra=("bias",))
reduction("kurt", "kurtosis", extra=("bias", "fisher"))
reduction(
    "idxmax",
)
reduction("idxmin")
reduction(
    "nunique",
    owners=("DataFrame", "Series", "Index"),
)


def _mode_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    result = pandas_on_samples(partial(call, "mode"), frame, **kwargs)
    if by_rows(frame, kwargs):
        raise ShapeError("mode(axis=1) has as many columns as a run finds.")
    return frame_meta(result, math.nan, Rows(), ranged=True)


def _mode_signature() -> inspect.Signature:
    kind = inspect.Parameter
    given = {"self": kind.empty, "axis": 0, "numeric_only": False, "dropna": True, "combine_size": None}
    return inspect.Signature([kind(n, kind.POSITIONAL_OR_KEYWORD, default=d) for n, d in given.items()])


@registry.operation("frame.mode", room="dataframe", owners=["DataFrame", "Series"], function=False, meta=_mode_meta, signature=_mode_signature(),
                    prepare=partial(_prepare, "mode", {"axis": 0, "numeric_only": False, "dropna": True, "combine_size": None}),
                    demands=partial(reduction_demands, "mode"))  # fmt: skip
def mode(frame: Chunks, **kwargs: Any) -> Chunks:
    """The most frequent values of each column, sorted."""
    empty = frame.empty
    settings = {"dropna": kwargs["dropna"]} if "dropna" in kwargs else {}
    steps: list[Step] = [(i, "mode", settings) for i in used_columns(empty, kwargs)]
    build: Callable[..., Any] = _modes if empty.ndim == 2 else _only
    return fold(frame, steps, build, every=kwargs.get("combine_size")).with_lengths((math.nan,))


def _modes(answers: list[pd.Series]) -> pd.DataFrame:
    return pd.concat(answers, axis=1) if answers else pd.DataFrame()


def _only(answers: list[Any]) -> Any:
    return answers[0]
