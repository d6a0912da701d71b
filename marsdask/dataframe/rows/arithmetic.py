"""Operators, arithmetic methods and NumPy's ufuncs of frames, aligned by labels as pandas aligns them.

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

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series, as_frame
from marsdask.dataframe.kernels import answers, dates, texts
from marsdask.dataframe.rows.alignment import (
    example,
    joint_meta,
    matched,
    one_chunk,
    pandas_on_samples,
    together,
)
from marsdask.dataframe.rows.families import ALL, BOTH, kept_rows, pandas_signature
from marsdask.errors import ArgumentTypeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle, held, in_code_for_dask
from marsdask.plan.meta import FrameMeta, TensorMeta, frame_meta, meta, sample
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor
from marsdask.tensor.protocol import is_numpys

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
MIRROR = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
"""Comparisons, and what gives the same of swapped operands."""
COMPARISONS = frozenset(f"__{name}__" for name in MIRROR)
LOGIC = ("and", "or", "xor")
ALIASES = {"div": "truediv", "divide": "truediv", "rdiv": "rtruediv", "multiply": "mul", "subtract": "sub"}


def _swapped(name: str) -> str:
    """The operator that gives the same of swapped operands."""
    short = name.strip("_")
    other_way = short[1:] if name.startswith("__r") else f"r{short}"
    return f"__{MIRROR.get(short, other_way)}__"


def operate(name: str, left: Any, right: Any, kwargs: dict[str, Any], positional: bool = False) -> Any:
    """One operation of pandas on two operands; a positional one loses its labels first."""
    if positional and isinstance(right, pd.Series):
        right = right.array if isinstance(right.dtype, pd.api.extensions.ExtensionDtype) else right.to_numpy()
    if not name.startswith("__"):
        return getattr(left, name)(right, **kwargs)
    if name.startswith("__r"):
        return operate(_swapped(name), right, left, kwargs)
    does = getattr(operator, name)
    if name.strip("_") in MIRROR:
        if isinstance(right, str):
            return texts.answered(left, lambda values: does(values, right))
        if (found := dates.compared(name.strip("_"), left, right)) is not None:
            return found
    if name.strip("_") in LOGIC and (found := answers.joined(name.strip("_"), left, right)) is not None:
        return found
    return does(left, right)


def binary(name: str, frame: Any, other: Any, **kwargs: Any) -> Any:
    """The handle of `frame <name> other`; `how` says what the other operand is to the frame."""
    if isinstance(other, (pd.DataFrame, pd.Series)):
        other = as_frame(other)
    if isinstance(other, DataFrame) and frame.ndim == 1:
        if not name.startswith("__"):
            raise ArgumentTypeError(
                f"{name}(): a Series takes no DataFrame. Hint: use the operator, or df.{name}(series)."
            )
        return binary(_swapped(name), other, frame)
    if kwargs.get("level") is not None and isinstance(other, FrameHandle):
        frame, other, how = one_chunk(frame), one_chunk(other), "rows"
    else:
        frame, other, how = _operands(name, frame, other, kwargs)
    return registry.make("frame.binary", name, frame, other, how, **kwargs)


def _operands(name: str, frame: Any, other: Any, kwargs: dict[str, Any]) -> tuple[Any, Any, str]:
    """Both operands, and how the other one lies beside the frame: "rows", "columns", "array" (by position) or "plain"."""
    one_row = getattr(other, "ndim", 1) == 1
    by_column = frame.ndim == 2 and one_row and kwargs.get("axis", "columns") in (None, 1, "columns")
    if isinstance(other, dict):
        other = as_frame(pd.Series(other))
    if isinstance(other, Series) and by_column:
        if meta(other.node).labels is None:
            hint = "the labels of this series are known only after a run, and so are the result's columns; use axis=0, or pass series.to_pandas()."
            raise Unbuilt.argument(name, "axis", "columns", hint)
        return frame, other, "columns"
    if isinstance(other, (tuple, range)):
        other = list(other)
    listed = isinstance(other, (Index, pd.Index, pd.api.extensions.ExtensionArray, np.ndarray, list))
    if listed and np.ndim(other) == 1:
        if by_column:
            return frame, other, "plain"
        values = as_frame(other if isinstance(other, (Index, pd.Index)) else pd.Series(other))
        message = f"{name}: Lengths must match: {{given}} values for {{expected}} rows."
        checks.same_length(values.known.length, frame.known.length, message)
        return frame, registry.make("frame.cut_alike", values, frame), "array"
    if isinstance(other, (list, np.ndarray)) and np.ndim(other) == 2:
        other = as_tensor(other)
    if isinstance(other, FrameHandle):
        frame, (other,), _ = together(frame, [other], {})
        return frame, other, "rows"
    if not isinstance(other, Handle) or not other.ndim:
        return frame, other, "plain"
    single = other.ndim == 2 and other.shape[0] == 1 != frame.known.length
    return frame, other, "columns" if by_column or single else "rows"


def _binary_meta(name: str, frame: FrameMeta, other: Any, how: str, **kwargs: Any) -> Any:
    if how == "columns":
        return kept_rows(frame, pandas_on_samples(operate, name, frame, _beside_columns(other), kwargs))
    if how == "rows" and isinstance(other, FrameMeta) and other.rows != frame.rows:
        if name in COMPARISONS or other.kind == "Index":  # of equal labels only
            return frame.fewer(example(_operated, name, frame, other, kwargs))
        return joint_meta(partial(_operated, name, kwargs=kwargs), frame, other)
    tensor = isinstance(other, TensorMeta)
    return kept_rows(frame, example(_operated, name, frame, other, kwargs, how == "array", tensor))


def _beside_columns(other: FrameMeta | TensorMeta) -> Any:
    """Made-up values of an operand with one for each column."""
    if isinstance(other, FrameMeta):
        return sample(other.empty, len(other.labels)).set_axis(other.labels)
    return np.ones([2 if math.isnan(n) else int(n) for n in other.shape], other.dtype)


def _operated(
    name: str, left: Any, right: Any, kwargs: dict[str, Any], positional: bool = False, tensor: bool = False
) -> Any:
    """An operation on made-up operands."""
    if tensor and left.ndim == 1 and not np.ndim(right) and np.asarray(right).dtype == object:
        right = left.array[0]  # a text, most likely, as in the column
    return operate(name, left, right, kwargs, positional)


def _binary_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, other, how = node.args[1:4]
    beside = meta(other) if type(other) is Node else None
    if how == "rows" and isinstance(beside, FrameMeta) and beside.rows != meta(frame).rows:
        return [EVERYTHING] * len(inputs(node))
    by_column = how == "columns" or isinstance(other, (list, tuple, np.ndarray))
    each_alone = not by_column and meta(frame).ndim == 2 and getattr(beside, "ndim", 0) < 2
    every = mine.of(None)
    rest = EVERYTHING if how in ("columns", "plain") else every
    return [mine if each_alone else every, *([rest] * (len(inputs(node)) - 1))]


@lowered("frame.binary", meta=_binary_meta, demands=_binary_demands)
def binary_chunks(name: str, frame: Chunks, other: Any, how: str, **kwargs: Any) -> Generator[Any, Any, Any]:
    """An operator or arithmetic method, chunk by chunk."""
    if how == "columns":
        other = graph.gather(other) if isinstance(other, Chunks) else graph.rechunked(other, -1)
    elif isinstance(other, da.Array):
        frame, (other,), _ = yield from matched(frame, (other,), {})
    # Two frames in one chunk each may not have the same labels: pandas' alignment says how many rows come out.
    aligned = how == "rows" and isinstance(other, Chunks) and frame.count == other.count == 1
    lengths = "unknown" if aligned else "same"
    result = graph.per_chunk(operate, name, frame, other, kwargs, how == "array", lengths=lengths)
    return graph.to_array(result, dtype=bool) if isinstance(graph.promised(), TensorMeta) else result


def _declare(name: str) -> None:
    """Declare one method or operator of DataFrame and Series, and an operator of Index."""
    is_operator = name.startswith("__")
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    # A series' comparison knows fill_value too.
    fill: dict[str, Any] = {"fill_value": None} if name in MIRROR else {}
    plain = inspect.Signature([inspect.Parameter(n, both) for n in ("self", "other")])
    side = "with the operands swapped, " if name.startswith(("r", "__r")) else ""
    public(
        f"frame.{name}",
        owners=ALL if is_operator else BOTH,
        status="delegated",
        signature=plain if is_operator else pandas_signature(name, **fill),
        doc=f"pandas' `{name}`, {side}aligned by labels; arrays and lists are positional.",
    )(partial(binary if is_operator else _method, ALIASES.get(name, name)))


def _method(
    name: str, self: Any, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
) -> Any:
    if name in MIRROR and fill_value is not None and self.ndim == 2:
        raise ArgumentTypeError(
            f"{name}() got an unexpected keyword argument 'fill_value': a DataFrame's comparison has none."
        )
    given = {"axis": axis} if self.ndim == 2 else {}
    given |= {k: v for k, v in (("level", level), ("fill_value", fill_value)) if v is not None}
    return binary(name, self, other, **given)


for _names, _forms in (
    (ARITHMETIC, ("{}", "r{}", "__{}__", "__r{}__")),
    (LOGIC, ("__{}__", "__r{}__")),
    (MIRROR, ("{}", "__{}__")),
    (ALIASES, ("{}",)),
):
    for _made in [form.format(name) for name in _names for form in _forms]:
        _declare(_made)


def _in_place(name: str) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        result = binary(f"__{name}__", self, other)
        if self.ndim == 2 and not result.columns.identical(self.columns):
            result = registry.make("frame.reindex_columns", result, self.columns, {})
        if result.known.rows != self.known.rows:  # aligned: pandas keeps the left rows, and columns
            result = registry.make("frame.rows_of", result, self)
        if isinstance(self, Series) and result.name != self.name:
            result = registry.make("frame.named", result, self.name)
        if in_code_for_dask():
            return result
        self.rebind(result.node, held(result))
        return self

    method.__doc__ = f"`{name}` in place: this frame becomes the result."
    return method


@lowered("frame.rows_of", status="gathered",
                    meta=lambda frame, like: frame_meta(frame.made, like.length, like.rows, ranged=like.ranged))  # fmt: skip
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


@lowered(
    "frame.unary",
    meta=lambda name, frame: frame.same(example(getattr(operator, name), frame)),
    demands=lambda node, mine: [mine],
)
def unary(name: str, frame: Chunks) -> Chunks:
    """A unary operator, chunk by chunk."""
    return graph.per_chunk(getattr(operator, name), frame)


def _unary(name: str) -> Callable[..., Any]:
    def method(self: Any) -> Any:
        return registry.make("frame.unary", name, self)

    method.__doc__ = f"pandas' unary `{name}`."
    return method


for _name in (*ARITHMETIC, *LOGIC):
    setattr(FrameHandle, f"__i{_name}__", _in_place(_name))
for _name, _does in (("neg", "neg"), ("pos", "pos"), ("invert", "inv"), ("abs", "abs")):
    setattr(FrameHandle, f"__{_name}__", _unary(_does))
for _name, _pair in (("divmod", _divmod), ("rdivmod", _rdivmod)):
    for _kind in (DataFrame, Series):
        setattr(_kind, _name, _pair)
        setattr(_kind, f"__{_name}__", _pair)


UFUNCS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv",
          "remainder": "mod", "power": "pow", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
          "greater": "gt", "greater_equal": "ge", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
          "matmul": "matmul"}  # fmt: skip
FRAMES = (FrameHandle, pd.Series, pd.DataFrame)


def _ufunc_meta(ufunc: np.ufunc, *operands: Any, **kwargs: Any) -> Any:
    first, *others = [m for m in operands if isinstance(m, FrameMeta)]
    if any(other.rows != first.rows for other in others) and len(others) == len(operands) - 1:
        return joint_meta(partial(call_ufunc, ufunc, **kwargs), first, *others)
    return first.same(pandas_on_samples(call_ufunc, ufunc, *operands, **kwargs))


def call_ufunc(ufunc: np.ufunc, *operands: Any, take: int | None = None, **kwargs: Any) -> Any:
    """A ufunc of pandas objects; `take` picks one of several results."""
    result = ufunc(*operands, **kwargs)
    return result if take is None else result[take]


def _ufunc_demands(node: Node, mine: Demand) -> list[Demand]:
    one = sum(isinstance(meta(n), FrameMeta) for n in inputs(node)) == 1
    return [mine if one else mine.of(None)] * len(inputs(node))


@lowered("frame.ufunc", meta=_ufunc_meta, demands=_ufunc_demands)
def ufunc_chunks(ufunc: np.ufunc, *operands: Any, **kwargs: Any) -> Generator[Any, Any, Chunks]:
    """A NumPy ufunc of frames, chunk by chunk."""
    at = next(i for i, o in enumerate(operands) if isinstance(o, Chunks))
    frame, rest, _ = yield from matched(operands[at], (*operands[:at], *operands[at + 1 :]), {})
    several = frame.count == 1 and any(isinstance(each, Chunks) for each in rest)
    lengths = "unknown" if several else "same"
    return graph.per_chunk(call_ufunc, ufunc, *rest[:at], frame, *rest[at:], lengths=lengths, **kwargs)


def array_ufunc(
    self: Any, ufunc: np.ufunc, method: str, *operands: Any, out: Any = None, **kwargs: Any
) -> Any:
    """NumPy's ufuncs of frames: an operator where there is one, so that labels align."""
    if method == "reduce" and ufunc.__name__ in REDUCING and is_numpys(ufunc) and len(operands) == 1:
        return getattr(self, REDUCING[ufunc.__name__])(axis=kwargs.get("axis", 0), skipna=False)
    if method != "__call__" or out is not None:
        return NotImplemented
    name = UFUNCS.get(ufunc.__name__) if is_numpys(ufunc) else None
    if name and not kwargs and len(operands) == 2:
        left, right = operands
        if name == "matmul":
            return left @ right if isinstance(left, FrameHandle) else right.__rmatmul__(left)
        if isinstance(left, FrameHandle):
            return binary(f"__{name}__", left, right)
        return binary(_swapped(f"__{name}__"), right, left)
    first, *others = [o for o in operands if isinstance(o, FRAMES)]
    first, others, _ = together(as_frame(first), others, {})
    brought = iter([first, *others])
    operands = tuple(as_tensor(o) if isinstance(o, (list, np.ndarray)) else o for o in operands)
    given = [next(brought) if isinstance(o, FRAMES) else o for o in operands]
    if ufunc.nout == 1:
        return registry.make("frame.ufunc", ufunc, *given, **kwargs)
    return tuple(registry.make("frame.ufunc", ufunc, *given, take=i, **kwargs) for i in range(ufunc.nout))


REDUCING = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min",
            "logical_and": "all", "logical_or": "any"}  # fmt: skip


FrameHandle.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]
