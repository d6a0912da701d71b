"""Row by row operations whose arguments may be frames, arrays or lazy values: holes, choices, membership, limits."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.chunkwise import matched, pandas_on_samples, sampled, together
from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series, as_frame, frame_meta
from marsdask.dataframe.neighbours import by_rows, method, register
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NEW, FrameMeta, TensorMeta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered


def rowwise_lower(name: str, frame: Chunks, **kwargs: Any) -> Generator[Any, Any, Any]:
    frame, _, kwargs = yield from matched(frame, (), {k: whole(v) for k, v in kwargs.items()})
    done = graph.per_chunk(partial(method, name), frame, **kwargs)
    if name in ("where", "mask", "clip"):
        done = graph.even(done, frame)
    return (
        graph.to_array(done, dtype=bool)
        if isinstance(frame.empty, pd.Index) and name in ("isna", "notna")
        else done
    )


def whole(value: Any) -> Any:
    """Lazy values inside of a list or dict as one lazy list or dict."""
    if type(value) not in (list, tuple, dict):
        return value
    items = list(value.values()) if isinstance(value, dict) else list(value)
    lazy = [isinstance(v, Chunks) or hasattr(v, "dask") for v in items]
    if not any(lazy):
        return value
    return graph.value(
        _container, list(value) if isinstance(value, dict) else None, lazy, *items, label="values"
    )


def _container(keys: list[Any] | None, lazy: list[bool], *items: Any) -> Any:
    plain = [
        (v[0] if len(v) == 1 else graph.concat(v)) if is_lazy else v
        for v, is_lazy in zip(items, lazy, strict=True)
    ]
    return plain if keys is None else dict(zip(keys, plain, strict=True))


def rowwise_meta(name: str, frame: FrameMeta, **kwargs: Any) -> FrameMeta:
    """pandas' own on made-up rows of which a condition takes one; lazy numbers are no whole ones."""
    kwargs = {k: _half(v) for k, v in kwargs.items()}
    if name in ("where", "mask"):
        cond = sampled(kwargs.pop("cond"))
        kwargs["cond"] = _one_true(cond)
    result = pandas_on_samples(partial(method, name), frame, **kwargs)
    if isinstance(result, np.ndarray):  # an index' holes
        return TensorMeta((frame.length,), result.dtype)  # type: ignore[return-value]
    return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged, labels=frame.labels)


def _half(value: Any) -> Any:
    return (
        value.dtype.type(1.5)
        if isinstance(value, TensorMeta) and not value.shape and value.dtype.kind == "f"
        else value
    )


def _one_true(cond: Any) -> Any:
    if not hasattr(cond, "shape") or not len(cond.shape):
        return cond
    cond = cond.copy()
    (cond.iloc if hasattr(cond, "iloc") else cond)[0] = False
    return cond


def rowwise_demands(node: Node, mine: Demand) -> list[Demand]:
    """The frame's columns one by one, unless another frame takes part; everything where labels are aligned."""
    others = [n for n in inputs(node)[1:] if isinstance(meta(n), FrameMeta)]
    known = meta(node.args[0])
    if any(meta(o).rows != known.rows for o in others):
        return [EVERYTHING] * len(inputs(node))
    alone = not by_rows(known, node.kwargs) and not any(meta(o).ndim == 2 for o in others)
    return [Demand(mine.columns if alone else None, mine.order, mine.labels),
            *([Demand(None, mine.order, mine.labels)] * (len(inputs(node)) - 1))]  # fmt: skip


def rowwise(name: str, *aliases: str, arrange: Callable[..., Any] | None = None, **entry: Any) -> None:
    """Register a pandas method whose result has the frame's rows. `arrange(self, kwargs)` prepares the arguments."""
    lower = partial(rowwise_lower, name)
    lower.__doc__ = f"pandas' `{name}`, chunk by chunk; frames among the arguments are aligned by labels."  # type: ignore[attr-defined]
    register(
        name,
        _generator(lower),
        check=arrange or _aligned,
        meta=partial(rowwise_meta, name),
        demands=rowwise_demands,
        status="delegated",
        aliases=aliases,
        **entry,
    )


def _generator(lower: Any) -> Callable[..., Any]:
    def lowering(frame: Chunks, **kwargs: Any) -> Generator[Any, Any, Chunks]:
        return (yield from lower(frame, **kwargs))

    lowering.__doc__ = lower.__doc__
    return lowering


def _aligned(self: Any, kwargs: dict[str, Any]) -> Any:
    """Callables are called with the frame; arrays become tensors by row; frames are brought to the same rows."""
    for key, value in kwargs.items():
        if callable(value) and not isinstance(value, Handle):
            kwargs[key] = value = value(self)
        if (isinstance(value, np.ndarray) and value.ndim) or (
            isinstance(value, list) and key in ("cond", "left", "right")
        ):
            kwargs[key] = registry.CONVERTERS[registry.Array](np.asarray(value))
    first, _, brought = together(self, [], kwargs)
    kwargs.update(brought)
    return first


def _one_chunk(value: Any) -> Any:
    """A series that stands for columns, or for a set of values, in one chunk."""
    if isinstance(value, (pd.Series, pd.DataFrame, pd.Index)):
        return value
    return registry.make("frame.one_chunk", value) if isinstance(value, FrameHandle) else value


def _choice(self: Any, kwargs: dict[str, Any]) -> Any:
    other = kwargs.get("other")
    if callable(other) and not isinstance(other, Handle):
        kwargs["other"] = other = other(self)
    kwargs.pop("errors", None)
    if self.ndim == 2 and isinstance(other, Series) and kwargs.get("axis") in (1, "columns"):
        kwargs["other"] = _one_chunk(other)
        rest = {k: v for k, v in kwargs.items() if k != "other"}
        first = _aligned(self, rest)
        kwargs.update(rest)
        return first
    return _aligned(self, kwargs)


for _name in ("where", "mask"):
    rowwise(_name, arrange=_choice)
rowwise(
    "isna",
    "isnull",
    owners=("DataFrame", "Series", "Index"),
)
rowwise("notna", "notnull", owners=("DataFrame", "Series", "Index"))
rowwise("abs")
rowwise(
    "between",
    owners=("Series",),
)
rowwise(
    "replace",
)


def _limits(self: Any, kwargs: dict[str, Any]) -> Any:
    columns = kwargs.get("axis") in (1, "columns")
    apart = {
        k: _one_chunk(v)
        for k, v in kwargs.items()
        if self.ndim == 2 and isinstance(v, (pd.Series, Series, list, np.ndarray)) and columns
    }
    rest = {k: v for k, v in kwargs.items() if k not in apart}
    first = _aligned(self, rest)
    kwargs.update(rest | apart)
    return first


rowwise("clip", arrange=_limits)  # fmt: skip


def _decimals(self: Any, kwargs: dict[str, Any]) -> Any:
    if isinstance(kwargs.get("decimals"), Series):
        kwargs["decimals"] = _one_chunk(kwargs["decimals"])
    return None


rowwise(
    "round",
    arrange=_decimals,
)


def _members(self: Any, kwargs: dict[str, Any]) -> Any:
    values = kwargs["values"]
    if isinstance(values, (str, bytes)) or np.isscalar(values):
        raise ArgumentTypeError(
            f"only list-like or dict-like objects are allowed to be passed to isin(), you passed a `{type(values).__name__}`"
        )
    if isinstance(values, (set, frozenset, tuple, range)):
        kwargs["values"] = list(values)
    elif self.ndim == 2 and isinstance(values, (DataFrame, pd.DataFrame, Series, pd.Series)):
        return _aligned(self, kwargs)
    elif isinstance(values, (Series, Index)):
        kwargs["values"] = registry.make("frame.value_set", values)
    elif isinstance(values, (pd.Series, pd.Index)):
        kwargs["values"] = values.array
    elif isinstance(values, dict):
        kwargs["values"] = {
            k: registry.make("frame.value_set", v) if isinstance(v, Series) else v for k, v in values.items()
        }
    elif isinstance(values, Handle):  # a tensor: its values, wherever they are
        kwargs["values"] = registry.make(
            "frame.value_set", as_frame(values if len(values.known.shape) == 1 else values.ravel())
        )
    return None


@lowered(
    "frame.value_set",
    traits=["blind"],
    meta=lambda frame: frame_meta(frame.empty, math.nan, NEW),
)
def value_set(frame: Chunks) -> Chunks:
    """The distinct values of a series or index, joined in a tree: one chunk."""
    parts = graph.per_chunk(_distinct, frame, lengths=None)
    return graph.tree(parts, _join_distinct).with_lengths((math.nan,))


def _distinct(chunk: Any) -> Any:
    return chunk.drop_duplicates()


def _join_distinct(parts: list[Any]) -> Any:
    return graph.concat(parts).drop_duplicates()


def _isin_demands(node: Node, mine: Demand) -> list[Demand]:
    if isinstance(node.kwargs.get("values"), dict):
        return [
            Demand(mine.columns, mine.order, mine.labels),
            *([Demand(None, False, False)] * (len(inputs(node)) - 1)),
        ]
    value = node.kwargs.get("values")
    if type(value) is Node and value.op == "frame.value_set":
        return [mine, Demand(None, False, False)]
    return rowwise_demands(node, mine)


def _isin(frame: Chunks, **kwargs: Any) -> Chunks:
    """Whether each element is among `values`: a list, a lazy series or tensor, a dict by column, an aligned frame."""
    return graph.per_chunk(partial(method, "isin"), frame, **{k: whole(v) for k, v in kwargs.items()})


register("isin", _isin, check=_members, demands=_isin_demands, status="delegated", owners=("DataFrame", "Series"))  # fmt: skip


def _case_when(self: Any, caselist: Any) -> Any:
    """Where a condition holds its replacement, the first that holds; else the series."""
    if isinstance(caselist, list) and not caselist:
        raise ArgumentError(
            "case_when(caselist=[]): provide at least one boolean condition, with a corresponding replacement."
        )
    if not isinstance(caselist, list):
        raise ArgumentTypeError(
            f"The caselist argument should be a non-empty list; instead got {type(caselist)}"
        )
    flat: dict[str, Any] = {}
    for i, pair in enumerate(caselist):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(
                f"case_when(caselist=): item {i} is no tuple of a condition and a replacement."
            )
        flat |= {f"c{i}": pair[0], f"r{i}": pair[1]}
    first = _aligned(self, flat)
    return registry.make("frame.case_when", first, **flat)


def _cases(chunk: pd.Series, **flat: Any) -> pd.Series:
    return chunk.case_when([(flat[f"c{i}"], flat[f"r{i}"]) for i in range(len(flat) // 2)])


@registry.operation("frame.case_when", room="dataframe", owners=["Series"], function=False, prepare=_case_when, status="delegated", demands=rowwise_demands,
                    signature=inspect.signature(pd.Series.case_when).replace(parameters=[inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("self", "caselist")]),
                    meta=lambda frame, **flat: frame_meta(pandas_on_samples(_cases, frame, **flat), frame.length, frame.rows, ranged=frame.ranged))  # fmt: skip
def case_when(frame: Chunks, **flat: Any) -> Any:
    """Where a condition holds its replacement, the first that holds; else the series."""
    frame, _, flat = yield from matched(frame, (), flat)
    return graph.per_chunk(_cases, frame, **flat)
