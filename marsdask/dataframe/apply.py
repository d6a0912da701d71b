"""Functions of users: apply, map, map_chunk, transform, pipe.

What a function makes is found out once, on made-up rows; where that fails the error asks for `dtypes` and the like by
name. Rows and elements go chunk by chunk; whole columns are gathered.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from marsdask import graph, registry
from marsdask.dataframe.chunkwise import pandas_on_samples
from marsdask.dataframe.core import FrameHandle, frame_meta
from marsdask.dataframe.neighbours import by_rows
from marsdask.dataframe.reduction import reduced_meta, scalar_dtype
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.graph import Chunks
from marsdask.meta import NEW, FrameMeta, Rows, TensorMeta
from marsdask.node import Node
from marsdask.passes import EVERYTHING, Demand
from marsdask.registry import operation

HOW = {"same": "the rows of the frame", "other": "other rows, chunk by chunk", "whole": "all rows at once"}
DECLARED = ("dtypes", "dtype", "name", "output_type", "index", "skip_infer")


def call(frame: Any, method: str, func: Any, args: Any, kwargs: Any) -> Any:
    """pandas' method with a user's function; `map_chunk` calls the function itself."""
    if method == "map_chunk":
        return func(frame, *args, **kwargs)
    return getattr(frame, method)(func, *args, **kwargs)


def inferred(
    frame: FrameMeta, method: str, func: Any, args: Any, kwargs: Any, declared: dict[str, Any]
) -> Any:
    """An example of the result: as declared, or what the function makes of made-up rows."""
    given = {k: v for k, v in declared.items() if v is not None and v is not False}
    if given.keys() & {"dtypes", "dtype", "output_type"}:
        return _declared(frame, given)
    try:
        return pandas_on_samples(call, frame, method, func, args, kwargs)
    except MarsDaskError:
        raise
    except Exception as error:
        if "Function did not transform" in str(error):
            raise ArgumentError(str(error)) from None
        if given.get("skip_infer"):
            return frame.empty.astype(object) if frame.ndim == 1 else frame.empty
        raise ArgumentTypeError(
            f"Cannot determine dtypes by calculating with enumerate data: {method}() of a made-up row failed with {type(error).__name__}: {error}. "
            "Hint: say what the function gives by dtypes= (a frame), dtype= and name= (a series), or output_type='series' or 'dataframe'."
        ) from error


def _declared(frame: FrameMeta, given: dict[str, Any]) -> Any:
    index = given.get("index")
    labels = (
        frame.empty.index[:0]
        if index is None
        else (index if isinstance(index, pd.Index) else pd.Index(index))[:0]
    )
    kind = str(given.get("output_type", "")).lower().rpartition(".")[2]
    if kind not in ("", "dataframe", "series", "scalar"):
        raise ArgumentError(
            f"output_type={given['output_type']!r}: expected 'dataframe', 'series' or 'scalar'."
        )
    dtypes = given.get("dtypes")
    if kind == "dataframe" or (kind == "" and dtypes is not None):
        if dtypes is None:
            return frame.empty
        pairs = (
            dtypes.items()
            if isinstance(dtypes, (dict, pd.Series))
            else zip(frame.empty.columns, dtypes, strict=True)
        )
        return pd.DataFrame({c: pd.Series(dtype=d, index=labels) for c, d in pairs}, index=labels)
    name = given.get("name", getattr(frame.empty, "name", None) if frame.ndim == 1 else None)
    return pd.Series(
        dtype=given.get("dtype", dtypes if dtypes is not None else object), index=labels, name=name
    )


def _applied_meta(
    frame: FrameMeta, how: str, method: str, func: Any, args: Any, kwargs: Any, declared: Any, numbered: bool
) -> Any:
    extra = {"chunk_index": (0,) * frame.ndim} if numbered else {}
    result = inferred(frame, method, func, args, {**kwargs, **extra}, declared)
    if how == "same" and isinstance(result, (pd.Series, pd.DataFrame, pd.Index)):
        return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged, labels=frame.labels)
    if how == "other":
        if not isinstance(result, (pd.Series, pd.DataFrame)):
            raise ArgumentTypeError(
                f"map_chunk(func=): the function should return a DataFrame or a Series, not {type(result).__name__}."
            )
        return frame_meta(result, math.nan, NEW)
    sized = (
        isinstance(result, (pd.Series, pd.DataFrame))
        and len(result) == 2
        and list(result.index) == list(range(2))
    )
    if sized:
        return frame_meta(result, frame.length, Rows(), ranged=frame.ranged, labels=frame.labels)
    if isinstance(result, (pd.Series, pd.DataFrame)):
        known = (
            declared.get("dtypes") is None
            and declared.get("dtype") is None
            and declared.get("output_type") is None
        )
        return reduced_meta(result, Rows(), None if known else math.nan)
    return TensorMeta((), scalar_dtype(result))


def _applied_demands(node: Node, mine: Demand) -> list[Demand]:
    return [EVERYTHING] * len(_nodes(node))


def _nodes(node: Node) -> Any:
    from marsdask.node import inputs

    return inputs(node)


@operation("frame.applied", room="engine", meta=_applied_meta, demands=_applied_demands)
def applied(
    frame: Chunks, how: str, method: str, func: Any, args: Any, kwargs: Any, declared: Any, numbered: bool
) -> Any:
    """A user's function by rows or elements, by chunk, or of everything in one chunk."""
    from marsdask.dataframe.reduction import meta_of

    known = meta_of(frame)
    found = (
        _applied_meta(
            known, how, method, func, args if not isinstance(func, Chunks) else (), kwargs, declared, numbered
        )
        if not isinstance(func, Chunks)
        else None
    )
    lazy = [func] if isinstance(func, Chunks) else []
    if how == "whole":
        frame = graph.gather(frame)
    like = found.empty if isinstance(found, FrameMeta) else None
    parts = graph.per_chunk(_apply_chunk, frame, like, method, None if lazy else func, args, kwargs, known.ndim if numbered else 0, how, *map(graph.gather, lazy),
                            number=True, lengths="same" if how == "same" else "unknown")  # fmt: skip
    if isinstance(found, TensorMeta):
        return graph.to_array(parts, scalar=True, dtype=found.dtype)
    if how == "whole":
        return parts.with_lengths((found.length,) if found is not None else None)
    return parts


def _apply_chunk(
    i: int,
    chunk: Any,
    like: Any,
    method: str,
    func: Any,
    args: Any,
    kwargs: Any,
    numbered: int,
    how: str,
    *lazy: Any,
) -> Any:
    if like is not None and not len(chunk) and how != "whole":
        return like
    if numbered:
        kwargs = {**kwargs, "chunk_index": (i, 0)[:numbered]}
    return call(chunk, method, lazy[0] if lazy else func, args, kwargs)


def _make(
    frame: Any,
    how: str,
    method: str,
    func: Any,
    args: Any = (),
    kwargs: Any = None,
    declared: Any = None,
    numbered: bool = False,
) -> Any:
    return registry.make(
        "frame.applied",
        frame,
        how,
        method,
        func,
        tuple(args or ()),
        dict(kwargs or {}),
        dict(declared or {}),
        numbered,
    )


def _elementwise(func: Any) -> bool:
    return isinstance(func, np.ufunc)


def _apply_frame(
    self: Any, func: Any, axis: Any = 0, raw: bool = False, result_type: Any = None, args: Any = (), dtypes: Any = None, dtype: Any = None, name: Any = None,
    output_type: Any = None, index: Any = None, elementwise: Any = None, skip_infer: bool = False, by_row: Any = "compat", engine: Any = None, engine_kwargs: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    declared = {
        "dtypes": dtypes,
        "dtype": dtype,
        "name": name,
        "output_type": output_type,
        "index": index,
        "skip_infer": skip_infer,
    }
    given = {
        k: v
        for k, v in (("raw", raw), ("result_type", result_type), ("args", tuple(args)))
        if v not in (False, None, ())
    }
    if engine not in (None, "python"):
        raise ArgumentError(f"apply(engine={engine!r}): expected None or 'python'.")
    if result_type not in (None, "expand", "reduce", "broadcast"):
        raise ArgumentError(
            "invalid value for result_type, must be one of {None, 'reduce', 'broadcast', 'expand'}"
        )
    if isinstance(func, str):
        along = {} if axis in (0, "index") else {"axis": axis}
        return (
            getattr(self, func)(*args, **along, **kwargs)
            if hasattr(pd.DataFrame, func)
            else _no_function(self, func)
        )
    if isinstance(func, (list, dict)):
        return self.agg(func, axis, *args, **kwargs)
    if not callable(func):
        raise ArgumentTypeError(
            f"apply(func={func!r}): expected a function, the name of one, or a list or dict of them."
        )
    if axis not in (0, 1, "index", "columns", "rows"):
        raise ArgumentError(f"No axis named {axis} for object type DataFrame")
    given |= kwargs | ({} if axis in (0, "index") else {"axis": axis})
    same = by_rows(self, {"axis": axis}) or elementwise or _elementwise(func)
    return _make(self, "same" if same else "whole", "apply", func, (), given, declared)


def _no_function(self: Any, func: str) -> Any:
    raise AttributeError(f"'{func}' is not a valid function for '{type(self).__name__}' object")


def _apply_series(
    self: Any, func: Any, convert_dtype: Any = True, output_type: Any = None, args: Any = (), dtypes: Any = None, dtype: Any = None, name: Any = None, index: Any = None,
    skip_infer: bool = False, by_row: Any = "compat", **kwargs: Any,
) -> Any:  # fmt: skip
    if isinstance(convert_dtype, tuple):  # pandas 3: args stands second
        args, convert_dtype = convert_dtype, True
    declared = {
        "dtypes": dtypes,
        "dtype": dtype,
        "name": name,
        "output_type": output_type,
        "index": index,
        "skip_infer": skip_infer,
    }
    if isinstance(func, str):
        return getattr(self, func)(*args, **kwargs) if hasattr(pd.Series, func) else _no_function(self, func)
    if isinstance(func, (list, dict)):
        return self.agg(func, 0, *args, **kwargs)
    if not callable(func):
        raise ArgumentTypeError(
            f"apply(func={func!r}): expected a function, the name of one, or a list or dict of them."
        )
    given = {
        **({"args": tuple(args)} if args else {}),
        **({"by_row": by_row} if by_row != "compat" else {}),
        **kwargs,
    }
    return _make(self, "same" if by_row == "compat" else "whole", "apply", func, (), given, declared)


def _map_chunk_of(
    self: Any, func: Any, args: Any = (), kwargs: Any = None, skip_infer: bool = False, with_chunk_index: bool = False, output_type: Any = None, dtypes: Any = None,
    dtype: Any = None, name: Any = None, index: Any = None, elementwise: Any = None,
) -> Any:  # fmt: skip
    if not callable(func):
        raise ArgumentTypeError(f"map_chunk(func={func!r}): expected a function.")
    declared = {
        "dtypes": dtypes,
        "dtype": dtype,
        "name": name,
        "output_type": output_type,
        "index": index,
        "skip_infer": skip_infer,
    }
    return _make(
        self,
        "same" if elementwise else "other",
        "map_chunk",
        func,
        args,
        kwargs,
        declared,
        bool(with_chunk_index),
    )


def _transform(
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
    if isinstance(func, str):
        if not hasattr(type(self), func):
            _no_function(self, func)
        result = getattr(self, func)(*args, **({} if axis in (0, "index") else {"axis": axis}), **kwargs)
        if not isinstance(result, FrameHandle) or result.known.rows != self.known.rows:
            raise ArgumentError("Function did not transform")
        return result
    along = {} if axis in (0, "index") else {"axis": axis}
    how = "same" if by_rows(self, {"axis": axis}) or _elementwise(func) else "whole"
    return _make(
        self,
        how,
        "transform",
        func,
        (0, *args) if args and not along else args,
        {**along, **kwargs},
        {"dtypes": dtypes, "dtype": dtype, "skip_infer": skip_infer},
    )


def _pipe(self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(func, tuple):
        func, target = func
        if target in kwargs:
            raise ArgumentError(f"{target} is both the pipe target and a keyword argument")
        return func(*args, **{**kwargs, target: self})
    return func(self, *args, **kwargs)


def _public(
    name: str,
    owners: tuple[str, ...],
    does: Callable[..., Any],
    doc: str,
    cases: tuple[str, ...],
    status: Any = "delegated",
) -> None:
    shown = inspect.signature(does)
    loose = [p.name for p in shown.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]
    many = [p.name for p in shown.parameters.values() if p.kind is inspect.Parameter.VAR_POSITIONAL]
    shown = shown.replace(
        parameters=[p.replace(annotation=inspect.Parameter.empty) for p in shown.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )

    def prepare(self: Any, **given: Any) -> Any:
        kwargs = {**given, **given.get(loose[0], {})} if loose else dict(given)
        for key in loose:
            kwargs.pop(key, None)
        if many and (extra := kwargs.pop(many[0], ())):
            names = [
                p.name for p in shown.parameters.values() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            ][1:]
            return does(self, *(kwargs.pop(n) for n in names), *extra, **kwargs)
        return does(self, **kwargs)

    def lower(self: Any) -> Any:
        return self

    lower.__doc__ = doc
    kind = pd.DataFrame if owners[0] == "DataFrame" else getattr(pd, owners[0])
    operation(
        name,
        room="dataframe",
        owners=owners,
        function=False,
        prepare=prepare,
        signature=shown,
        status=status,
        oracle=getattr(kind, name.partition(".")[2], None),
        cases=cases,
    )(lower)


_public("DataFrame.apply", ("DataFrame",), _apply_frame, "What a function gives of each column (whole), or, with axis=1, of each row.",
        ("num.apply(lambda r: r.k + 1, axis=1)", "num.apply(lambda c: c.max() - c.min())", "num.apply(np.sqrt)", "num.apply('sum')", "num.apply(['sum', 'max'])", "num.apply(lambda r: r * 2, axis=1)",
         "num.apply(lambda r: [1, 2], axis=1, result_type='expand')", "num.apply(lambda c: c - c.mean())", "num.apply(lambda r, b: r.k + b, axis=1, args=(5,))", "num.apply(lambda r, b: r.k + b, axis=1, b=5)",
         "num.apply(lambda r: r.sum(), axis=1, raw=True)", "num.apply('sum', axis=1)", "num.apply('nope')", "num.apply(lambda c: c, axis=2)", "df[df.k > 2].apply(lambda r: r.s + 'x', axis=1)",
         "num.apply(lambda r: r, result_type='x')"))  # fmt: skip
_public("Series.apply", ("Series",), _apply_series, "What a function gives of each value.",
        ("s.apply(lambda x: x * 2)", "st.apply(len)", "s.apply(np.sqrt)", "s.apply('sum')", "s.apply(['sum', 'max'])", "si.apply(lambda x, a: x + a, args=(3,))", "si.apply(lambda x: pd.Series([x, x + 1], index=['a', 'b']))",
         "ts.apply(lambda t: t.year)", "s.apply(lambda x, b=1: x + b, b=4)", "s[s > 30].apply(lambda x: x + 1)", "s.apply(3)"))  # fmt: skip
_public(
    "frame.map_chunk",
    ("DataFrame", "Series"),
    _map_chunk_of,
    "What a function gives of each chunk, a pandas object; with_chunk_index=True passes it `chunk_index`.",
    (),
)
_public("frame.transform", ("DataFrame", "Series"), _transform, "What a function makes of each whole column, with the same rows.",
        ("num.transform(lambda c: c - c.mean())", "num.transform('cumsum')", "s.transform(lambda x: x + 1)", "num.transform(np.exp)", "s.transform(['abs', 'cumsum'])", "num.transform(lambda r: r * 2, axis=1)",
         "num.transform({'k': lambda c: c + 1})", "num.transform(lambda c: c.sum())"))  # fmt: skip
_public(
    "frame.pipe",
    ("DataFrame", "Series"),
    _pipe,
    "`func(frame, ...)`.",
    ("num.pipe(lambda d: d + 1)", "num.pipe((lambda a, d: d * a, 'd'), 2)"),
)
