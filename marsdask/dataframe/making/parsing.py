"""`to_datetime` and `to_numeric`: what pandas infers, it infers from the whole."""

from __future__ import annotations

import inspect
from typing import Any

import pandas as pd

from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.dataframe.making.creation import as_index, from_pandas
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Keep
from marsdask.plan.meta import FrameMeta, sample
from marsdask.plan.registry import lowered, public

PARSERS = {"to_datetime": pd.to_datetime, "to_numeric": pd.to_numeric}


def _parsed(chunk: Any, name: str, keywords: dict[str, Any]) -> Any:
    return PARSERS[name](chunk, **keywords)


def _example(known: FrameMeta, name: str, keywords: dict[str, Any]) -> Any:
    """A made-up value that the parser understands, to learn the dtype."""
    made = sample(known.empty)
    dtype = known.empty.dtype
    if isinstance(dtype, pd.CategoricalDtype) or not pd.api.types.is_string_dtype(dtype):
        return made
    form = keywords.get("format") or ""
    day = pd.Timestamp("2000-01-01").strftime(form if "%" in form else "%Y-%m-%d")
    values = [day if name == "to_datetime" else "1"] * len(made)
    if known.kind == "Index":
        return pd.Index(values, name=made.name)
    return pd.Series(values, made.index, name=made.name)


def _meta(frame: FrameMeta, name: str, keywords: dict[str, Any]) -> FrameMeta:
    if frame.kind == "DataFrame":
        result = pd.Series(pd.to_datetime(["2000-01-01"] * 2), name=None).iloc[:0].set_axis(frame.empty.index)
    else:
        result = pandas_on_samples(_parsed, _example(frame, name, keywords), name, keywords)
    return frame.same(result)


@lowered("frame.parsed", status="gathered", meta=_meta)
def parsed(frame: Chunks, name: str, keywords: dict[str, Any]) -> Any:
    """Dates or numbers of what is given; text whose form is inferred comes together in one chunk."""
    empty = frame.empty
    typed = empty.ndim == 1 and getattr(empty.dtype, "kind", "O") in "biufM" and not keywords.get("downcast")
    if typed or (name == "to_datetime" and keywords.get("format") not in (None, "mixed")):
        return graph.per_chunk(_parsed, frame, name, keywords)
    if not frame.known:
        frame = yield Keep(frame)
    whole = graph.per_chunk(_parsed, graph.gather(frame), name, keywords)
    assert frame.lengths is not None
    assert whole.lengths is not None
    return graph.regroup(whole, graph.row_ranges(whole.lengths, frame.lengths))


def _parse(name: str, arg: Any, keywords: dict[str, Any]) -> Any:
    if isinstance(arg, (str, int, float)) or not hasattr(arg, "__len__"):
        return PARSERS[name](arg, **keywords)
    if isinstance(arg, Handle) and not isinstance(arg, FrameHandle):
        arg = as_index(arg)
    elif isinstance(arg, dict):
        raise ArgumentTypeError(f"{name}(arg): expected a series, index, array or frame, got a dict.")
    elif not isinstance(arg, (FrameHandle, pd.Series, pd.DataFrame, pd.Index)):
        arg = from_pandas(pd.Index(arg))
    return registry.make("frame.parsed", as_frame(arg), name, keywords)


@public("to_datetime", status="gathered")
def to_datetime(
    arg: Any, errors: str = "raise", dayfirst: bool = False, yearfirst: bool = False, utc: bool = False, format: Any = None,
    exact: Any = pd.api.extensions.no_default, unit: Any = None, origin: Any = "unix", cache: bool = True, infer_datetime_format: Any = None,
) -> Any:  # fmt: skip
    """Dates. With `format=`, chunk by chunk; where pandas infers the form, in one chunk. `infer_datetime_format` has no effect."""
    given = {"errors": errors, "dayfirst": dayfirst, "yearfirst": yearfirst, "utc": utc, "format": format,
             "exact": exact, "unit": unit, "origin": origin, "cache": cache}  # fmt: skip
    defaults = inspect.signature(pd.to_datetime).parameters
    return _parse("to_datetime", arg, {k: v for k, v in given.items() if v is not defaults[k].default})


@public("to_numeric", status="gathered")
def to_numeric(arg: Any, errors: str = "raise", downcast: Any = None) -> Any:
    """Numbers; the dtype is that of the whole, so text comes together in one chunk."""
    given = {} if downcast is None else {"downcast": downcast}
    return _parse("to_numeric", arg, given if errors == "raise" else {**given, "errors": errors})
