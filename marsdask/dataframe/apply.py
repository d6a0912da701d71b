"""Functions of users: apply, map_chunk, transform, pipe. Rows and elements go chunk by chunk; whole columns are gathered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.applied import made
from marsdask.dataframe.core import FrameHandle
from marsdask.dataframe.families import by_rows
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan.registry import public


def _elementwise(func: Any) -> bool:
    return isinstance(func, np.ufunc)


@public("DataFrame.apply", owners=["DataFrame"], status="delegated")
def apply_frame(
    self: Any, func: Any, axis: Any = 0, raw: bool = False, result_type: Any = None, args: Any = (), dtypes: Any = None, dtype: Any = None, name: Any = None,
    output_type: Any = None, index: Any = None, elementwise: Any = None, skip_infer: bool = False, by_row: Any = "compat", engine: Any = None, engine_kwargs: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """What a function gives of each column (whole), or, with axis=1, of each row."""
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
    return made(self, "same" if same else "whole", "apply", func, (), given, declared)


def _no_function(self: Any, func: str) -> Any:
    raise AttributeError(f"'{func}' is not a valid function for '{type(self).__name__}' object")


@public("Series.apply", owners=["Series"], status="delegated")
def apply_series(
    self: Any, func: Any, convert_dtype: Any = True, output_type: Any = None, args: Any = (), dtypes: Any = None, dtype: Any = None, name: Any = None, index: Any = None,
    skip_infer: bool = False, by_row: Any = "compat", **kwargs: Any,
) -> Any:  # fmt: skip
    """What a function gives of each value."""
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
    return made(self, "same" if by_row == "compat" else "whole", "apply", func, (), given, declared)


@public("frame.map_chunk", owners=["DataFrame", "Series"], status="delegated")
def map_chunk(
    self: Any, func: Any, args: Any = (), kwargs: Any = None, skip_infer: bool = False, with_chunk_index: bool = False, output_type: Any = None, dtypes: Any = None,
    dtype: Any = None, name: Any = None, index: Any = None, elementwise: Any = None,
) -> Any:  # fmt: skip
    """What a function gives of each chunk, a pandas object; with_chunk_index=True passes it `chunk_index`."""
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
    return made(
        self,
        "same" if elementwise else "other",
        "map_chunk",
        func,
        args,
        kwargs,
        declared,
        bool(with_chunk_index),
    )


@public("frame.transform", owners=["DataFrame", "Series"], status="delegated")
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
    if isinstance(func, str):
        if not hasattr(type(self), func):
            _no_function(self, func)
        result = getattr(self, func)(*args, **({} if axis in (0, "index") else {"axis": axis}), **kwargs)
        if not isinstance(result, FrameHandle) or result.known.rows != self.known.rows:
            raise ArgumentError("Function did not transform")
        return result
    along = {} if axis in (0, "index") else {"axis": axis}
    how = "same" if by_rows(self, {"axis": axis}) or _elementwise(func) else "whole"
    return made(
        self,
        how,
        "transform",
        func,
        (0, *args) if args and not along else args,
        {**along, **kwargs},
        {"dtypes": dtypes, "dtype": dtype, "skip_infer": skip_infer},
    )


@public("frame.pipe", owners=["DataFrame", "Series"], status="delegated")
def pipe(self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
    """`func(frame, ...)`."""
    if isinstance(func, tuple):
        func, target = func
        if target in kwargs:
            raise ArgumentError(f"{target} is both the pipe target and a keyword argument")
        return func(*args, **{**kwargs, target: self})
    return func(self, *args, **kwargs)
