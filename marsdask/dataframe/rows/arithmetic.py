"""Operators and arithmetic methods of frames, aligned by labels as pandas aligns them.

Frames of the same rows work chunk by chunk; two with labels 0..n-1 are cut alike; any others are aligned in one chunk.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series, as_frame
from marsdask.dataframe.rows.alignment import matched, sampled, together
from marsdask.dataframe.rows.families import ALL, BOTH, pandas_signature
from marsdask.errors import ArgumentTypeError, ShapeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import FrameMeta, TensorMeta, frame_meta, meta, sample
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
COMPARE = ("eq", "ne", "lt", "le", "gt", "ge")
LOGIC = {"and": "and_", "or": "or_", "xor": "xor"}
UFUNCS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv",
          "remainder": "mod", "power": "pow", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
          "greater": "gt", "greater_equal": "ge", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}  # fmt: skip
MIRROR = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _function(name: str) -> tuple[Callable[..., Any], bool]:
    """What `__name__` calls, and whether its operands are swapped."""
    short = name.strip("_")
    if short in ARITHMETIC or short in COMPARE:
        return getattr(operator, short), False
    if short in LOGIC:
        return getattr(operator, LOGIC[short]), False
    return _function(short[1:])[0], True


def operate(name: str, left: Any, right: Any, kwargs: dict[str, Any], positional: bool = False) -> Any:
    """One operation of pandas on two operands; a positional one loses its labels first."""
    if positional and isinstance(right, pd.Series):
        right = right.array if isinstance(right.dtype, pd.api.extensions.ExtensionDtype) else right.to_numpy()
    if name.startswith("__"):
        function, swapped = _function(name)
        return function(right, left) if swapped else function(left, right)
    return getattr(left, name)(right, **kwargs)


def _along_columns(frame: FrameHandle, other: Any, kwargs: dict[str, Any]) -> bool:
    """Whether a series (or a vector) stands for columns: a frame's default."""
    one_row = getattr(other, "ndim", 1) == 1
    return frame.ndim == 2 and one_row and kwargs.get("axis", "columns") in (None, 1, "columns")


def binary(name: str, frame: Any, other: Any, **kwargs: Any) -> Any:
    """The handle of `frame <name> other`; `how` says what the other operand is to the frame."""
    if isinstance(other, (pd.DataFrame, pd.Series)):
        other = as_frame(other)
    swapped = {"r": ""} if name.startswith("__r") else {}
    if isinstance(other, DataFrame) and frame.ndim == 1:
        if not name.startswith("__"):
            raise ArgumentTypeError(
                f"{name}(): a Series takes no DataFrame. Hint: use the operator, or df.{name}(series)."
            )
        short = name.strip("_")
        other_name = (
            f"__{MIRROR[short]}__" if short in MIRROR else f"__{short[1:]}__" if swapped else f"__r{short}__"
        )
        return binary(other_name, other, frame)
    if kwargs.get("level") is not None and isinstance(other, FrameHandle):
        pair = [registry.make("frame.one_chunk", f) for f in (frame, other)]
        return registry.make("frame.binary", name, *pair, "rows", **kwargs)
    if isinstance(other, dict):
        other = as_frame(pd.Series(other))
    if isinstance(other, (Series,)) and _along_columns(frame, other, kwargs):
        if meta(other.node).labels is None:
            raise Unbuilt.argument(
                name,
                "axis",
                "columns",
                "the labels of this series are known only after a run, and so are the result's columns; use axis=0, or pass series.to_pandas().",
            )
        return registry.make("frame.binary", name, frame, other, "columns", **kwargs)
    if (
        isinstance(other, (Index, pd.Index, pd.api.extensions.ExtensionArray, np.ndarray, list, tuple, range))
        and np.ndim(other) == 1
    ):
        if _along_columns(frame, other, kwargs):
            return registry.make(
                "frame.binary",
                name,
                frame,
                list(other) if isinstance(other, range) else other,
                "plain",
                **kwargs,
            )
        values = (
            as_frame(other) if isinstance(other, (Index, pd.Index)) else as_frame(pd.Series(_listed(other)))
        )
        return registry.make("frame.binary", name, frame, _cut(values, frame, name), "array", **kwargs)
    if isinstance(other, (list, np.ndarray)) and np.ndim(other) == 2:
        other = registry.CONVERTERS[registry.Array](np.asarray(other))
    if isinstance(other, Handle) and not isinstance(other, FrameHandle):
        ndim = len(other.known.shape)
        if ndim == 1 and _along_columns(frame, other, kwargs):
            return registry.make("frame.binary", name, frame, other, "columns", **kwargs)
        whole = ndim == 2 and other.known.shape[0] == 1 != frame.known.length
        return registry.make(
            "frame.binary",
            name,
            frame,
            other,
            "rows" if ndim and not whole else "columns" if ndim else "plain",
            **kwargs,
        )
    if isinstance(other, FrameHandle):
        fresh, (other,), _ = together(frame, [other], {})
        return registry.make("frame.binary", name, fresh, other, "rows", **kwargs)
    return registry.make("frame.binary", name, frame, other, "plain", **kwargs)


def _listed(values: Any) -> Any:
    return list(values) if isinstance(values, (tuple, range)) else values


def _cut(values: Any, frame: Any, name: str) -> Any:
    """Positional values in the chunks of the frame."""
    a, b = values.known.length, frame.known.length
    if a != b and not math.isnan(a) and not math.isnan(b):
        raise ShapeError(f"{name}: Lengths must match: {int(a)} values for {int(b)} rows.")
    return registry.make("frame.cut_alike", values, frame)


def _binary_meta(name: str, frame: FrameMeta, other: Any, how: str, **kwargs: Any) -> Any:
    left, right = sample(frame.empty), sampled(other)
    aligned = how == "rows" and isinstance(other, FrameMeta) and other.rows != frame.rows
    if how == "columns" and isinstance(other, FrameMeta):
        right = pd.Series(list(sample(other.empty)) * (len(other.labels) // 2 + 1))[
            : len(other.labels)
        ].astype(other.empty.dtype)
        right = right.set_axis(other.labels).rename(other.empty.name)
    elif how == "columns":
        right = np.ones([2 if math.isnan(n) else int(n) for n in other.shape], other.dtype)
    elif aligned and name.strip("_") not in COMPARE and not isinstance(right, pd.Index):
        right = right.iloc[:1]  # labels may be missing on one side
    elif isinstance(other, TensorMeta) and not other.shape and other.dtype == object and left.ndim == 1:
        right = (
            left[0] if isinstance(left, pd.Index) else left.iloc[0]
        )  # a text, most likely, as in the column
    with np.errstate(all="ignore"):
        result = operate(name, left, right, kwargs, how == "array")
    if isinstance(result, np.ndarray):
        return TensorMeta((frame.length,), result.dtype)
    if aligned:
        return frame.fewer(result)
    return frame.same(result)


def _binary_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, other, how = node.args[1:4]
    one_frame = type(other) is not Node or getattr(meta(other), "ndim", 0) < 2
    if (
        how == "rows"
        and type(other) is Node
        and isinstance(meta(other), FrameMeta)
        and meta(other).rows != meta(frame).rows
    ):
        return [EVERYTHING] * len(inputs(node))
    columns = (
        mine.columns
        if one_frame
        and how != "columns"
        and not isinstance(other, (list, tuple, np.ndarray))
        and meta(frame).ndim == 2
        else None
    )
    rest = Demand(None, True, True) if how in ("columns", "plain") else Demand(None, mine.order, mine.labels)
    return [Demand(columns, mine.order, mine.labels), *([rest] * (len(inputs(node)) - 1))]


@lowered("frame.binary", meta=_binary_meta, demands=_binary_demands)
def binary_chunks(name: str, frame: Chunks, other: Any, how: str, **kwargs: Any) -> Generator[Any, Any, Any]:
    """An operator or arithmetic method, chunk by chunk."""
    if how == "columns":
        other = graph.gather(other) if isinstance(other, Chunks) else other.rechunk(-1)
    elif isinstance(other, da.Array):
        frame, (other,), _ = yield from matched(frame, (other,), {})
    empty = frame.empty
    # Two frames in one chunk each may not have the same labels: pandas' alignment says how many rows come out.
    aligned = how == "rows" and isinstance(other, Chunks) and frame.count == other.count == 1
    result = graph.per_chunk(
        operate,
        name,
        frame,
        other,
        kwargs,
        how == "array",
        lengths="unknown" if aligned else "same",
    )
    if isinstance(empty, pd.Index) and name.strip("_") in COMPARE:
        return graph.to_array(result, dtype=bool)
    return result


ALIASES = {"div": "truediv", "divide": "truediv", "rdiv": "rtruediv", "multiply": "mul", "subtract": "sub"}


def _declare(name: str) -> None:
    """Declare one method or operator of DataFrame and Series, and an operator of Index."""
    is_operator = name.startswith("__")
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if is_operator:
        signature = inspect.Signature([inspect.Parameter(n, both) for n in ("self", "other")])
    else:  # a series' comparison knows fill_value too
        fill = [inspect.Parameter("fill_value", both, default=None)] if name in COMPARE else []
        signature = pandas_signature(name, fill)
    side = "with the operands swapped, " if name.startswith(("r", "__r")) else ""
    public(
        f"frame.{name}",
        room="dataframe",
        owners=ALL if is_operator else BOTH,
        status="delegated",
        signature=signature,
        doc=f"pandas' `{name}`, {side}aligned by labels; arrays and lists are positional.",
    )(partial(binary if is_operator else _method, ALIASES.get(name, name)))


def _method(
    name: str, self: Any, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
) -> Any:
    if name in COMPARE and fill_value is not None and self.ndim == 2:
        raise ArgumentTypeError(
            f"{name}() got an unexpected keyword argument 'fill_value': a DataFrame's comparison has none."
        )
    given = {"axis": axis} if self.ndim == 2 else {}
    given |= {k: v for k, v in (("level", level), ("fill_value", fill_value)) if v is not None}
    return binary(name, self, other, **given)


for _name in ARITHMETIC:
    for _made in (_name, f"r{_name}", f"__{_name}__", f"__r{_name}__"):
        _declare(_made)
for _name in LOGIC:
    for _made in (f"__{_name}__", f"__r{_name}__"):
        _declare(_made)
for _name in COMPARE:
    for _made in (_name, f"__{_name}__"):
        _declare(_made)
for _name in ALIASES:
    _declare(_name)


def _in_place(name: str) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        result = binary(f"__{name}__", self, other)
        if result.known.rows != self.known.rows:  # aligned: pandas keeps the left rows
            result = registry.make("frame.rows_of", result, self)
        if self.ndim == 1 and isinstance(self, Series) and result.name != self.name:
            result = registry.make("frame.named", result, self.name)
        self.rebind(result.node, held(result))
        return self

    method.__doc__ = f"`{name}` in place: this frame becomes the result."
    return method


@lowered("frame.rows_of", status="gathered",
                    meta=lambda frame, like: frame_meta(frame.empty, like.length, like.rows, ranged=like.ranged))  # fmt: skip
def rows_of(frame: Chunks, like: Chunks) -> Chunks:
    """An aligned result under the labels of another frame."""
    return graph.per_chunk(_reindexed, like, graph.gather(frame))


def _reindexed(like: Any, frame: Any) -> Any:
    return frame.reindex(like.index)


def _divmod(self: Any, other: Any) -> Any:
    """Quotient and remainder: two frames."""
    return binary("__floordiv__", self, other), binary("__mod__", self, other)


def _rdivmod(self: Any, other: Any) -> Any:
    """Quotient and remainder of `other` by this: two frames."""
    return binary("__rfloordiv__", self, other), binary("__rmod__", self, other)


def _unary_meta(name: str, frame: FrameMeta) -> Any:
    return frame.same(unary(sample(frame.empty), name))


def unary(chunk: Any, name: str) -> Any:
    """A unary operator of pandas."""
    return getattr(operator, name)(chunk)


@lowered("frame.unary", meta=_unary_meta, demands=lambda node, mine: [mine])
def unary_chunks(name: str, frame: Chunks) -> Chunks:
    """A unary operator, chunk by chunk."""
    return graph.per_chunk(unary, frame, name)


def _unary(name: str) -> Callable[..., Any]:
    def method(self: Any) -> Any:
        return registry.make("frame.unary", name, self)

    method.__doc__ = f"pandas' unary `{name}`."
    return method


for _name in (*ARITHMETIC, *LOGIC):
    setattr(FrameHandle, f"__i{_name}__", _in_place(_name))
for _name, _does in (("neg", "neg"), ("pos", "pos"), ("invert", "inv"), ("abs", "abs")):
    setattr(FrameHandle, f"__{_name}__", _unary(_does))
for _kind in (DataFrame, Series):
    _kind.__divmod__ = _divmod  # type: ignore[attr-defined]
    _kind.__rdivmod__ = _rdivmod  # type: ignore[attr-defined]
    _kind.divmod = _divmod  # type: ignore[attr-defined]
    _kind.rdivmod = _rdivmod  # type: ignore[attr-defined]
