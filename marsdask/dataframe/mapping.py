"""map: each value through a function, a dict or a series."""

from __future__ import annotations

from typing import Any

import pandas as pd

from marsdask.dataframe.applied import inferred, made, nodes_of
from marsdask.dataframe.core import Series
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public


@public("Series.map", owners=["Series", "Index"], status="delegated")
def map_series(
    self: Any,
    func: Any = None,
    na_action: Any = None,
    dtype: Any = None,
    memory_scale: Any = None,
    skip_infer: bool = False,
    engine: Any = None,
    arg: Any = None,
    **kwargs: Any,
) -> Any:
    """Each value through a function, a dict or a series (a lazy one too)."""
    func = arg if func is None else func
    if na_action not in (None, "ignore"):
        raise ArgumentError(f"map(na_action={na_action!r}): na_action must either be 'ignore' or None.")
    if engine is not None:
        raise ArgumentError(f"map(engine={engine!r}): expected None.")
    given = {**({"na_action": na_action} if na_action else {}), **kwargs}
    if isinstance(func, (Series, pd.Series)) and not isinstance(func, pd.Series):
        return registry.make("frame.mapped", self, registry.make("frame.one_chunk", func), given, dtype)
    if not (callable(func) or isinstance(func, (dict, pd.Series)) or hasattr(func, "__getitem__")):
        raise ArgumentTypeError(f"map(func={func!r}): expected a function, a dict or a Series.")
    return registry.make("frame.mapped", self, func, given, dtype, skip_infer)


def _mapped_meta(
    frame: FrameMeta, func: Any, kwargs: Any, dtype: Any = None, skip_infer: bool = False
) -> FrameMeta:
    if isinstance(func, FrameMeta):
        result: Any = func.empty.iloc[:0].rename(frame.empty.name)
        empty = frame.empty.map(result)
        empty = empty.astype(func.empty.dtype if dtype is None else dtype)
    elif isinstance(func, (dict, pd.Series)) and isinstance(
        getattr(frame.empty, "dtype", None), pd.CategoricalDtype
    ):
        empty = frame.empty.map(func)
    elif isinstance(func, (dict, pd.Series)) and not hasattr(func, "__missing__"):
        values = (
            func if isinstance(func, pd.Series) else pd.Series(func) if len(func) else pd.Series(dtype="f8")
        )
        empty = (
            frame.empty.iloc[:0].astype(values.dtype if dtype is None else dtype)
            if frame.kind != "Index"
            else frame.empty.map(values)
        )
    else:
        empty = inferred(frame, "map", func, (), kwargs, {"dtype": dtype, "skip_infer": skip_infer})
    return frame.same(empty)


@lowered(
    "frame.mapped",
    meta=_mapped_meta,
    demands=lambda node, mine: [Demand(None, mine.order, mine.labels), EVERYTHING][: len(nodes_of(node))],
)
def mapped(frame: Chunks, func: Any, kwargs: Any, dtype: Any = None, skip_infer: bool = False) -> Chunks:
    """Each value through a function, a dict or a series."""
    # What a function or a dict gives decides the dtype, in pandas for all values together.
    return graph.even(graph.per_chunk(_map_chunk, frame, func, kwargs, dtype))


def _map_chunk(chunk: Any, func: Any, kwargs: Any, dtype: Any) -> Any:
    done = chunk.map(func, **kwargs)
    return done if dtype is None else done.astype(dtype)


@public("DataFrame.map", owners=["DataFrame"], status="delegated")
def map_frame(
    self: Any, func: Any, na_action: Any = None, dtypes: Any = None, skip_infer: bool = False, **kwargs: Any
) -> Any:
    """Each element through a function."""
    if na_action not in (None, "ignore"):
        raise ArgumentError(f"map(na_action={na_action!r}): na_action must be 'ignore' or None.")
    if not callable(func):
        raise ArgumentTypeError("the func argument must be callable")
    given = {**({"na_action": na_action} if na_action else {}), **kwargs}
    return made(self, "same", "map", func, (), given, {"dtypes": dtypes, "skip_infer": skip_infer})
