"""Functions of users: apply, map, map_chunk, transform, pipe.

Rows and elements go chunk by chunk, whole columns are gathered. What a function gives is found out once, on made-up rows; where
that fails the error asks for `dtypes` and the like by name.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, Series
from marsdask.dataframe.reduce.reduction import meta_of, reduced_meta, scalar_dtype
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.dataframe.rows.families import BOTH, by_rows
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, frame_meta
from marsdask.plan.node import inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

FORMS = "a function, the name of one, or a list or dict of them"


def _along(axis: Any) -> dict[str, Any]:
    return {} if axis in (0, "index") else {"axis": axis}


def _by_name(self: Any, func: str, kind: type, args: Any, kwargs: dict[str, Any]) -> Any:
    """What the method that `func` names gives; `kind` is a class that has it."""
    if not hasattr(kind, func):
        raise AttributeError(f"'{func}' is not a valid function for '{type(self).__name__}' object")
    return getattr(self, func)(*args, **kwargs)


@public("DataFrame.apply", owners=["DataFrame"], status="delegated")
def apply_frame(
    self: Any, func: Any, axis: Any = 0, raw: bool = False, result_type: Any = None, args: Any = (), dtypes: Any = None, dtype: Any = None, name: Any = None,
    output_type: Any = None, index: Any = None, elementwise: Any = None, skip_infer: bool = False, by_row: Any = "compat", engine: Any = None, engine_kwargs: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """What a function gives of each column (whole), or, with axis=1, of each row."""
    checks.choice(engine, "apply(engine=)", (None, "python"))
    if result_type not in (None, "expand", "reduce", "broadcast"):
        raise ArgumentError(
            "invalid value for result_type, must be one of {None, 'reduce', 'broadcast', 'expand'}"
        )
    if isinstance(func, str):
        return _by_name(self, func, pd.DataFrame, args, {**_along(axis), **kwargs})
    if isinstance(func, (list, dict)):
        return self.agg(func, axis, *args, **kwargs)
    if not callable(func):
        raise ArgumentTypeError(f"apply(func={func!r}): expected {FORMS}.")
    if axis not in (0, 1, "index", "columns", "rows"):
        raise ArgumentError(f"No axis named {axis} for object type DataFrame")
    own = {"raw": raw, "result_type": result_type, "args": tuple(args)}
    given = {k: v for k, v in own.items() if v not in (False, None, ())} | kwargs | _along(axis)
    same = by_rows(self, {"axis": axis}) or elementwise or isinstance(func, np.ufunc)
    return _applied(
        self, "same" if same else "whole", "apply", func, (), given,
        dtypes=dtypes, dtype=dtype, name=name, output_type=output_type, index=index, skip_infer=skip_infer,
    )  # fmt: skip


@public("Series.apply", owners=["Series"], status="delegated")
def apply_series(
    self: Any, func: Any, convert_dtype: Any = True, output_type: Any = None, args: Any = (), dtypes: Any = None, dtype: Any = None, name: Any = None, index: Any = None,
    skip_infer: bool = False, by_row: Any = "compat", **kwargs: Any,
) -> Any:  # fmt: skip
    """What a function gives of each value."""
    if isinstance(convert_dtype, tuple):  # pandas 3: args stands second
        args = convert_dtype
    if isinstance(func, str):
        return _by_name(self, func, pd.Series, args, kwargs)
    if isinstance(func, (list, dict)):
        return self.agg(func, 0, *args, **kwargs)
    if not callable(func):
        raise ArgumentTypeError(f"apply(func={func!r}): expected {FORMS}.")
    given = (
        ({"args": tuple(args)} if args else {}) | ({} if by_row == "compat" else {"by_row": by_row}) | kwargs
    )
    return _applied(
        self, "same" if by_row == "compat" else "whole", "apply", func, (), given,
        dtypes=dtypes, dtype=dtype, name=name, output_type=output_type, index=index, skip_infer=skip_infer,
    )  # fmt: skip


@public("frame.map_chunk", owners=BOTH, status="delegated")
def map_chunk(
    self: Any, func: Any, args: Any = (), kwargs: Any = None, skip_infer: bool = False, with_chunk_index: bool = False, output_type: Any = None, dtypes: Any = None,
    dtype: Any = None, name: Any = None, index: Any = None, elementwise: Any = None,
) -> Any:  # fmt: skip
    """What a function gives of each chunk, a pandas object; with_chunk_index=True passes it `chunk_index`."""
    checks.function(func, "map_chunk(func=)")
    return _applied(
        self, "same" if elementwise else "other", "map_chunk", func, args, kwargs, bool(with_chunk_index),
        dtypes=dtypes, dtype=dtype, name=name, output_type=output_type, index=index, skip_infer=skip_infer,
    )  # fmt: skip


@public("frame.transform", owners=BOTH, status="delegated")
def transform(
    self: Any,
    func: Any,
    axis: Any = 0,
    *args: Any,
    dtypes: Any = None,
    dtype: Any = None,
    skip_infer: bool = False,
    convert_dtype: Any = True,
    **kwargs: Any,
) -> Any:
    """What a function makes of each whole column, with the same rows."""
    along = _along(axis)
    if isinstance(func, str):
        result = _by_name(self, func, type(self), args, along | kwargs)
        if not isinstance(result, FrameHandle) or result.known.rows != self.known.rows:
            raise ArgumentError("Function did not transform")
        return result
    how = "same" if by_rows(self, {"axis": axis}) or isinstance(func, np.ufunc) else "whole"
    args = (0, *args) if args and not along else args
    return _applied(
        self, how, "transform", func, args, {**along, **kwargs}, dtypes=dtypes, dtype=dtype, skip_infer=skip_infer
    )  # fmt: skip


@public("DataFrame.map", owners=["DataFrame"], status="delegated")
def map_frame(
    self: Any, func: Any, na_action: Any = None, dtypes: Any = None, skip_infer: bool = False, **kwargs: Any
) -> Any:
    """Each element through a function."""
    given = _map_arguments(na_action, kwargs)
    if not callable(func):
        raise ArgumentTypeError("the func argument must be callable")
    return _applied(self, "same", "map", func, (), given, dtypes=dtypes, skip_infer=skip_infer)


def _map_arguments(na_action: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    if na_action not in (None, "ignore"):
        raise ArgumentError(f"map(na_action={na_action!r}): na_action must either be 'ignore' or None.")
    return {**({"na_action": na_action} if na_action else {}), **kwargs}


@public("frame.pipe", owners=BOTH, status="delegated")
def pipe(self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
    """`func(frame, ...)`."""
    if isinstance(func, tuple):
        func, target = func
        if target in kwargs:
            raise ArgumentError(f"{target} is both the pipe target and a keyword argument")
        return func(*args, **{**kwargs, target: self})
    return func(self, *args, **kwargs)


def _applied(
    frame: Any,
    how: str,
    method: str,
    func: Any,
    args: Any,
    kwargs: Any,
    numbered: bool = False,
    **declared: Any,
) -> Any:
    """The handle of a function's results: "same" rows as the frame's, "other" rows by chunk, or of the "whole" at once.

    `declared` is what users say of the result.
    """
    said = {k: v for k, v in declared.items() if v is not None and v is not False}
    return registry.make(
        "frame.applied", frame, how, method, func, tuple(args or ()), dict(kwargs or {}), said, numbered
    )


def _call(frame: Any, method: str, func: Any, args: Any, kwargs: Any) -> Any:
    """pandas' method with a user's function; `map_chunk` calls the function itself."""
    if method == "map_chunk":
        return func(frame, *args, **kwargs)
    return getattr(frame, method)(func, *args, **kwargs)


def _inferred(
    frame: FrameMeta, method: str, func: Any, args: Any, kwargs: Any, declared: dict[str, Any]
) -> Any:
    """An example of the result: as declared, or what the function makes of made-up rows."""
    if declared.keys() & {"dtypes", "dtype", "output_type"}:
        return _declared(frame, **declared)
    try:
        return pandas_on_samples(_call, frame, method, func, args, kwargs)
    except MarsDaskError:
        raise
    except Exception as error:
        if "Function did not transform" in str(error):
            raise ArgumentError(str(error)) from None
        if declared.get("skip_infer"):
            return frame.empty.astype(object) if frame.ndim == 1 else frame.empty
        raise ArgumentTypeError(
            f"Cannot determine dtypes by calculating with enumerate data: {method}() of a made-up row failed with {type(error).__name__}: {error}. "
            "Hint: say what the function gives by dtypes= (a frame), dtype= and name= (a series), or output_type='series' or 'dataframe'."
        ) from error


def _declared(
    frame: FrameMeta,
    dtypes: Any = None,
    dtype: Any = None,
    name: Any = None,
    output_type: Any = "",
    index: Any = None,
    skip_infer: bool = False,
) -> Any:
    """An empty result as users declare it: `skip_infer` says nothing more."""
    labels = (
        frame.empty.index if index is None else index if isinstance(index, pd.Index) else pd.Index(index)
    )[:0]
    kind = str(output_type).lower().rpartition(".")[2]
    if kind not in ("", "dataframe", "series", "scalar"):
        raise ArgumentError(f"output_type={output_type!r}: expected 'dataframe', 'series' or 'scalar'.")
    if kind == "dataframe" or (kind == "" and dtypes is not None):
        if dtypes is None:
            return frame.empty
        named = isinstance(dtypes, (dict, pd.Series))
        pairs = dtypes.items() if named else zip(frame.empty.columns, dtypes, strict=True)
        return pd.DataFrame({c: pd.Series(dtype=d, index=labels) for c, d in pairs}, index=labels)
    if name is None and frame.ndim == 1:
        name = getattr(frame.empty, "name", None)
    of = next((d for d in (dtype, dtypes) if d is not None), object)
    return pd.Series(dtype=of, index=labels, name=name)


def _applied_meta(
    frame: FrameMeta, how: str, method: str, func: Any, args: Any, kwargs: Any, declared: Any, numbered: bool
) -> Any:
    extra = {"chunk_index": (0,) * frame.ndim} if numbered else {}
    result = _inferred(frame, method, func, args, {**kwargs, **extra}, declared)
    table = isinstance(result, (pd.Series, pd.DataFrame))
    if how == "same" and (table or isinstance(result, pd.Index)):
        return frame.same(result)
    if how == "other":
        if not table:
            raise ArgumentTypeError(
                f"map_chunk(func=): the function should return a DataFrame or a Series, not {type(result).__name__}."
            )
        return frame.fewer(result)
    if table and list(result.index) == [0, 1]:  # as many rows as were made up
        return frame_meta(result, frame.length, Rows(), ranged=frame.ranged, labels=frame.labels)
    if table:
        unknown = declared.keys() & {"dtypes", "dtype", "output_type"}
        return reduced_meta(result, Rows(), math.nan if unknown else None)
    return TensorMeta((), scalar_dtype(result))


@lowered("frame.applied", meta=_applied_meta)
def applied(
    frame: Chunks, how: str, method: str, func: Any, args: Any, kwargs: Any, declared: Any, numbered: bool
) -> Any:
    """A user's function by rows or elements, by chunk, or of everything in one chunk."""
    known = meta_of(frame)
    found = _applied_meta(known, how, method, func, args, kwargs, declared, numbered)
    parts = graph.per_chunk(
        _apply_chunk,
        graph.gather(frame) if how == "whole" else frame,
        found.empty if isinstance(found, FrameMeta) and how != "whole" else None,
        method,
        func,
        args,
        kwargs,
        known.ndim if numbered else 0,
        number=True,
        lengths="same" if how == "same" else "unknown",
    )
    if isinstance(found, TensorMeta):
        return graph.to_array(parts, scalar=True, dtype=found.dtype)
    return parts.with_lengths((found.length,)) if how == "whole" else parts


def _apply_chunk(
    i: int, chunk: Any, like: Any, method: str, func: Any, args: Any, kwargs: Any, numbered: int
) -> Any:
    if like is not None and not len(chunk):
        return like
    if numbered:
        kwargs = {**kwargs, "chunk_index": (i, 0)[:numbered]}
    return _call(chunk, method, func, args, kwargs)


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
    given = _map_arguments(na_action, kwargs)
    checks.choice(engine, "map(engine=)", (None,))
    if isinstance(func, Series):
        return registry.make("frame.mapped", self, registry.make("frame.one_chunk", func), given, dtype)
    if not (callable(func) or isinstance(func, (dict, pd.Series)) or hasattr(func, "__getitem__")):
        raise ArgumentTypeError(f"map(func={func!r}): expected a function, a dict or a Series.")
    return registry.make("frame.mapped", self, func, given, dtype, skip_infer)


def _mapped_meta(
    frame: FrameMeta, func: Any, kwargs: Any, dtype: Any = None, skip_infer: bool = False
) -> FrameMeta:
    empty = frame.empty
    table = isinstance(func, (dict, pd.Series))
    if isinstance(func, FrameMeta):
        made = empty.map(func.empty.iloc[:0].rename(empty.name))
        return frame.same(made.astype(func.empty.dtype if dtype is None else dtype))
    if table and isinstance(getattr(empty, "dtype", None), pd.CategoricalDtype):
        return frame.same(empty.map(func))
    if table and not hasattr(func, "__missing__"):
        values = func if isinstance(func, pd.Series) else pd.Series(func, dtype=None if func else "f8")
        if frame.kind == "Index":
            return frame.same(empty.map(values))
        return frame.same(empty.astype(values.dtype if dtype is None else dtype))
    declared = {k: v for k, v in (("dtype", dtype), ("skip_infer", skip_infer)) if v}
    return frame.same(_inferred(frame, "map", func, (), kwargs, declared))


@lowered(
    "frame.mapped",
    meta=_mapped_meta,
    demands=lambda node, mine: [Demand(None, mine.order, mine.labels), EVERYTHING][: len(inputs(node))],
)
def mapped(frame: Chunks, func: Any, kwargs: Any, dtype: Any = None, skip_infer: bool = False) -> Chunks:
    """Each value through a function, a dict or a series."""
    # What a function or a dict gives decides the dtype, in pandas for all values together.
    return graph.even(graph.per_chunk(_map_chunk, frame, func, kwargs, dtype))


def _map_chunk(chunk: Any, func: Any, kwargs: Any, dtype: Any) -> Any:
    made = chunk.map(func, **kwargs)
    return made if dtype is None else made.astype(dtype)
