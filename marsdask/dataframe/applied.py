"""What a user's function makes of rows, of chunks, or of everything, and what that will be.

It is found out once, on made-up rows; where that fails the error asks for `dtypes` and the like by name.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from marsdask.dataframe.chunkwise import pandas_on_samples
from marsdask.dataframe.reduction import reduced_meta, scalar_dtype
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, frame_meta
from marsdask.plan.node import Node
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered

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
        return frame.same(result)
    if how == "other":
        if not isinstance(result, (pd.Series, pd.DataFrame)):
            raise ArgumentTypeError(
                f"map_chunk(func=): the function should return a DataFrame or a Series, not {type(result).__name__}."
            )
        return frame.fewer(result)
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
    return [EVERYTHING] * len(nodes_of(node))


def nodes_of(node: Node) -> Any:
    from marsdask.plan.node import inputs

    return inputs(node)


@lowered("frame.applied", meta=_applied_meta, demands=_applied_demands)
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


def made(
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
