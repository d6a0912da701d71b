"""Other dtypes: `astype`, whose categories are those of the whole; `to_datetime` and `to_numeric`, which infer from the whole."""

from __future__ import annotations

import inspect
from collections.abc import Generator
from typing import Any

import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, as_frame, local
from marsdask.dataframe.making.creation import as_index, from_pandas
from marsdask.dataframe.rows import given, times
from marsdask.dataframe.rows.alignment import columns_of, cut_alike, one_chunk, pandas_on_samples, settled
from marsdask.dataframe.rows.families import ALL, pandas_signature
from marsdask.errors import ColumnNotFound
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Ask, sized
from marsdask.plan.meta import FrameMeta, meta, sample
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor


@public("frame.astype", owners=ALL)
def astype(self: Any, dtype: Any, copy: Any = None, errors: str = "raise") -> Any:
    """The data in other dtypes. The categories of "category" are those of the whole, as in pandas, known after a run."""
    checks.choice(errors, "astype(errors=)", ("raise", "ignore"))
    if isinstance(dtype, pd.Series):
        dtype = dtype.to_dict()
    if isinstance(dtype, dict):
        names = self.columns if self.ndim == 2 else [self.name]
        for name in dtype:
            if name not in names:
                raise ColumnNotFound(
                    f"Only a column name can be used for the key in a dtype mappings argument. {ColumnNotFound.among(name, names)}"
                )
        if self.ndim == 1:
            dtype = dtype.get(self.name, self.dtype)
    return registry.make("frame.cast", one_chunk(self) if errors == "ignore" else self, dtype, errors)


def _cast(chunk: Any, dtype: Any, errors: str) -> Any:
    return chunk.astype(dtype) if isinstance(chunk, pd.Index) else chunk.astype(dtype, errors=errors)


def _cast_trim(node: Node, mine: Demand) -> Node:
    frame, dtype, errors = node.args
    if not isinstance(dtype, dict) or meta(frame).kind != "DataFrame":
        return node
    there = meta(frame).empty.columns
    looked_at = there if mine.columns is None else mine.columns
    kept = {k: v for k, v in dtype.items() if k in there and k in looked_at}
    return Node("frame.cast", (frame, kept, errors)) if kept else frame


@lowered("frame.cast", traits=["through"], trim=_cast_trim,
           meta=lambda frame, dtype, errors: frame.same(_cast(frame.empty, dtype, errors)))  # fmt: skip
def cast(frame: Chunks, dtype: Any, errors: str) -> Generator[Any, Any, Chunks]:
    """The data in other dtypes; categories are those of the whole."""
    columns = list(getattr(frame.empty, "columns", [None]))
    each = dtype if isinstance(dtype, dict) else dict.fromkeys(columns, dtype)
    asked = {c: each[c] for c in columns if c in each}
    categories = {
        c: _categories_of(column) for c, column in zip(columns, columns_of(frame.empty), strict=True)
    }
    wanted = {c: d for c, d in asked.items() if is_open_ended(d) and categories[c] is None}
    if wanted and frame.count > 1:
        names = None if columns == [None] else list(wanted)
        parts = yield Ask(graph.per_chunk(_uniques, frame, names, label="categories", lengths=None))
        known = {c: _whole_dtype([p[i] for p in parts], d) for i, (c, d) in enumerate(wanted.items())}
        dtype = {**asked, **known} if columns != [None] else known[None]
    if any(pd.api.types.is_string_dtype(d) for d in asked.values()):  # objects, too
        frame = settled(frame)
    told = times.among(frame.empty, lambda name: name in asked and _is_text(asked[name]))
    numbers = [c for c, d in asked.items() if _is_text(d) and pd.api.types.is_integer_dtype(categories[c])]
    if numbers and frame.count > 1:
        frame = graph.per_chunk(_as_floats, frame, given.holed(frame), numbers)
    if told and frame.count > 1:
        parts = yield Ask(graph.per_chunk(times.finest_of, frame, told, label="finest", lengths=None))
        return graph.per_chunk(_cast_times, frame, dtype, errors, told, times.of_whole(parts))
    return graph.per_chunk(_cast, frame, dtype, errors)


def _is_text(dtype: Any) -> bool:
    return pd.api.types.is_string_dtype(dtype) and not pd.api.types.is_object_dtype(dtype)


def _cast_times(chunk: Any, dtype: Any, errors: str, told: list[int], like: list[Any]) -> Any:
    if chunk.ndim == 1:
        return times.as_text(chunk, like[0], dtype)
    names = [chunk.columns[at] for at in told]
    wanted = [dtype[name] if isinstance(dtype, dict) else dtype for name in names]
    return _cast(times.with_texts(chunk, told, like, wanted), dtype, errors)


def is_open_ended(dtype: Any) -> bool:
    """Whether only the data tell the categories: of "category", or a CategoricalDtype without any."""
    return str(dtype) == "category" and getattr(dtype, "categories", None) is None


def _categories_of(column: Any) -> Any:
    """The categories that a column has already; None of any other."""
    return column.dtype.categories if isinstance(column.dtype, pd.CategoricalDtype) else None


def _as_floats(chunk: Any, holed: list[bool], names: list[Any]) -> Any:
    """Categories of whole numbers as what becomes text: in pandas floats, where the column has a hole."""
    if chunk.ndim == 1:
        return chunk.astype("f8") if holed[0] else chunk
    return chunk.astype(
        {c: "f8" for c, hole in zip(chunk.columns, holed, strict=True) if hole and c in names}
    )


def _uniques(chunk: Any, names: Any) -> list[Any]:
    columns = [chunk] if names is None else [chunk[n] for n in names]
    return [pd.Series(c).drop_duplicates().reset_index(drop=True) for c in columns]


def _whole_dtype(parts: list[pd.Series], dtype: Any) -> Any:
    found = graph.concat(parts).astype("category").cat.categories
    return pd.CategoricalDtype(found, ordered=bool(getattr(dtype, "ordered", False)))


def _parsed(chunk: Any, name: str, keywords: dict[str, Any]) -> Any:
    return getattr(pd, name)(chunk, **keywords)


def _example(known: FrameMeta, name: str, keywords: dict[str, Any]) -> Any:
    """A made-up value that the parser understands, to learn the dtype."""
    made, dtype = sample(known.empty), known.empty.dtype
    if isinstance(dtype, pd.CategoricalDtype) or not pd.api.types.is_string_dtype(dtype):
        return made
    form = keywords.get("format") or ""
    day = pd.Timestamp("2000-01-01").strftime(form if "%" in form else "%Y-%m-%d")
    values = [day if name == "to_datetime" else "1"] * len(made)
    if known.kind == "Index":
        return pd.Index(values, name=made.name)
    return pd.Series(values, made.index, name=made.name)


def _parsed_meta(frame: FrameMeta, name: str, keywords: dict[str, Any]) -> FrameMeta:
    if frame.kind == "DataFrame":
        result = pd.Series(pd.to_datetime(["2000-01-01"] * 2), name=None).iloc[:0].set_axis(frame.empty.index)
    else:
        result = pandas_on_samples(_parsed, _example(frame, name, keywords), name, keywords)
    return frame.same(result)


def _is_typed(empty: Any, keywords: dict[str, Any]) -> bool:
    """Whether the dtype of what is parsed follows from what is given."""
    return empty.ndim == 1 and getattr(empty.dtype, "kind", "O") in "biufM" and not keywords.get("downcast")


@lowered("frame.parsed", status="gathered", meta=_parsed_meta)
def parsed(frame: Chunks, name: str, keywords: dict[str, Any]) -> Any:
    """Dates or numbers of what is given; text whose form is inferred comes together in one chunk."""
    if _is_typed(frame.empty, keywords) or (
        name == "to_datetime" and keywords.get("format") not in (None, "mixed")
    ):
        return graph.per_chunk(_parsed, frame, name, keywords)
    (frame,) = yield from sized(frame)
    return cut_alike(graph.per_chunk(_parsed, graph.gather(frame), name, keywords), frame)


def _parse(name: str, arg: Any, **how: Any) -> Any:
    defaults = inspect.signature(getattr(pd, name)).parameters
    keywords = {k: v for k, v in how.items() if v is not defaults[k].default}
    arg = local(arg) if isinstance(arg, Handle) and not arg.ndim else arg
    if isinstance(arg, (Handle, pd.Series, pd.DataFrame, pd.Index)):
        array = isinstance(arg, Handle) and not isinstance(arg, FrameHandle)
        frame = as_index(arg) if array and name == "to_datetime" else as_frame(arg)
        made = registry.make("frame.parsed", frame, name, keywords)
        if name == "to_datetime":
            return made
        if not _is_typed(frame.known.shown, keywords):
            made.execute()  # what is parsed says its dtype, on which all that follows relies
        return made.to_tensor() if array else made
    found = _parsed(arg, name, keywords)
    if isinstance(found, (pd.Series, pd.Index)):
        return from_pandas(found)
    if isinstance(found, pd.Timestamp) and found.tz is not None:
        return found  # no dtype of NumPy's has a time zone
    return as_tensor(found.to_datetime64() if isinstance(found, (pd.Timestamp, type(pd.NaT))) else found)


@public(
    "to_datetime",
    status="gathered",
    signature=pandas_signature("to_datetime", infer_datetime_format=None),
    direct=False,
)
def to_datetime(arg: Any, infer_datetime_format: Any = None, **how: Any) -> Any:
    """Dates. With `format=`, chunk by chunk; where pandas infers the form, in one chunk. `infer_datetime_format` has no effect.

    Whether inferred text has a time zone only a run can tell: with `utc=True` or after `execute()` it is known.
    """
    return _parse("to_datetime", arg, **how)


@public("to_numeric", status="gathered", traits=["runs"])
def to_numeric(arg: Any, errors: str = "raise", downcast: Any = None) -> Any:
    """Numbers. The dtype is that of the whole: text, and what is cast down, comes together in one chunk, and runs."""
    return _parse("to_numeric", arg, errors=errors, downcast=downcast)
