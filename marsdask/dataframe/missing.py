"""Row by row operations whose arguments may be frames, arrays or lazy values: holes, choices, membership, limits."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import graph, registry
from marsdask.dataframe.chunkwise import matched, pandas_on_samples, sampled, together
from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series, as_frame, frame_meta
from marsdask.dataframe.neighbours import by_rows, method, register
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.graph import Chunks
from marsdask.handle import Handle
from marsdask.meta import NEW, FrameMeta, TensorMeta, meta
from marsdask.node import Node, inputs
from marsdask.passes import EVERYTHING, Demand

NO = pd.api.extensions.no_default


def rowwise_lower(name: str, frame: Chunks, **kwargs: Any) -> Generator[Any, Any, Chunks]:
    frame, _, kwargs = yield from matched(frame, (), {k: whole(v) for k, v in kwargs.items()})
    return graph.per_chunk(partial(method, name), frame, **kwargs)


def whole(value: Any) -> Any:
    """Lazy values inside of a list or dict as one lazy list or dict."""
    if type(value) not in (list, tuple, dict):
        return value
    items = list(value.values()) if isinstance(value, dict) else list(value)
    lazy = [isinstance(v, Chunks) or hasattr(v, "dask") for v in items]
    if not any(lazy):
        return value
    return graph.value(_container, list(value) if isinstance(value, dict) else None, lazy, *items, label="values")


def _container(keys: list[Any] | None, lazy: list[bool], *items: Any) -> Any:
    plain = [(v[0] if len(v) == 1 else graph.concat(v)) if is_lazy else v for v, is_lazy in zip(items, lazy, strict=True)]
    return plain if keys is None else dict(zip(keys, plain, strict=True))


def rowwise_meta(name: str, frame: FrameMeta, **kwargs: Any) -> FrameMeta:
    """pandas' own on made-up rows of which a condition takes one; lazy numbers are no whole ones."""
    kwargs = {k: _half(v) for k, v in kwargs.items()}
    if name in ("where", "mask"):
        cond = sampled(kwargs.pop("cond"))
        kwargs["cond"] = _one_true(cond)
    result = pandas_on_samples(partial(method, name), frame, **kwargs)
    return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged, labels=frame.labels)


def _half(value: Any) -> Any:
    return value.dtype.type(1.5) if isinstance(value, TensorMeta) and not value.shape and value.dtype.kind == "f" else value


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
    register(name, _generator(lower), check=arrange or _aligned, meta=partial(rowwise_meta, name), demands=rowwise_demands, status="delegated", aliases=aliases, **entry)


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
        if isinstance(value, np.ndarray) and value.ndim or (isinstance(value, list) and key in ("cond", "left", "right")):
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


_CHOICES = ("num.OP(num > 2)", "s.OP(s > 1, -1.0)", "s.OP(sl > 1, -1.0)", "num.OP(num > 2, num * 10)", "num.OP(df.k > 2, 0)", "s.OP(lambda x: x > 1, lambda x: x * 2)",
            "num.OP(num > 2, num.k, axis=0)", "s.OP(si > 1, si)", "num.OP(np.arange(36).reshape(12, 3) > 5)", "s.OP(np.arange(12) > 5, np.arange(12.0))", "dn.q.OP(dn.q > 2)",
            "st.OP(si > 1, 'zz')", "ts.OP(si > 1)", "s.OP(s[s > 1] > 2)", "num[num.k > 2].OP(num[num.k > 2] > 3)", "s.OP([True, False] * 6)", "num.OP(3)", "s.OP(s > 1, s.mean())")  # fmt: skip
for _name in ("where", "mask"):
    rowwise(_name, arrange=_choice, cases=_CHOICES)
rowwise("isna", "isnull", owners=("DataFrame", "Series", "Index"), cases=("df.OP()", "s.OP()", "dn.OP()", "st.OP()"))
rowwise("notna", "notnull", owners=("DataFrame", "Series", "Index"), cases=("df.OP()", "s.OP()", "dn.OP()"))
rowwise("abs", cases=("num.OP()", "s.OP()", "dn.q.OP()", "st.OP()"))
rowwise("between", owners=("Series",), cases=("s.OP(0, 5)", "s.OP(0, si)", "si.OP(1, 3, inclusive='left')", "ts.OP(pd.Timestamp('2013-01-02'), pd.Timestamp('2013-01-04'))", "s.OP(s.mean(), 9)", "si.OP(0, 1, 'x')"))
rowwise("replace", cases=("num.OP(3, 30)", "df.OP('x', 'zz')", "st.OP({'x': 'q', 'y': 'r'})", "st.OP('[xy]', 'k', regex=True)", "num.OP({'k': 3}, 99)", "s.OP([1, 2], [10, 20])", "num.OP({'k': {1: 5}})", "s.OP(np.nan, 0.5)"))


def _limits(self: Any, kwargs: dict[str, Any]) -> Any:
    columns = kwargs.get("axis") in (1, "columns")
    apart = {k: _one_chunk(v) for k, v in kwargs.items() if self.ndim == 2 and isinstance(v, (pd.Series, Series, list, np.ndarray)) and columns}
    rest = {k: v for k, v in kwargs.items() if k not in apart}
    first = _aligned(self, rest)
    kwargs.update(rest | apart)
    return first


rowwise("clip", arrange=_limits, cases=("num.OP(0, 3)", "s.OP(lower=1)", "s.OP(upper=si)", "num.OP([1, 2, 3], axis=1)", "num.OP(num.k, axis=0)", "num.OP(pd.Series([1, 2, 3], index=['k', 'v', 'i']), axis=1)",
                                        "dn.q.OP(2, 3)", "s.OP(s.quantile(0.25), s.quantile(0.75))", "num.OP(lower=num.k.mean())", "s.OP(5, 1)", "st.OP('x')", "num.OP(upper=num.mean(), axis=1)"))  # fmt: skip


def _decimals(self: Any, kwargs: dict[str, Any]) -> Any:
    if isinstance(kwargs.get("decimals"), Series):
        kwargs["decimals"] = _one_chunk(kwargs["decimals"])
    return None


rowwise("round", arrange=_decimals, cases=("(num / 3).OP(1)", "(s / 3).OP()", "num.OP(-1)", "(num / 3).OP({'v': 2})", "(num / 7).OP(pd.Series([1, 2], index=['v', 'k']))", "dn.f.OP(1)", "df.OP(1)", "s.OP('a')"))


def _members(self: Any, kwargs: dict[str, Any]) -> Any:
    values = kwargs["values"]
    if isinstance(values, (str, bytes)) or np.isscalar(values):
        raise ArgumentTypeError(f"only list-like or dict-like objects are allowed to be passed to isin(), you passed a `{type(values).__name__}`")
    if isinstance(values, (set, frozenset, tuple, range)):
        kwargs["values"] = list(values)
    elif self.ndim == 2 and isinstance(values, (DataFrame, pd.DataFrame, Series, pd.Series)):
        return _aligned(self, kwargs)
    elif isinstance(values, (Series, Index)):
        kwargs["values"] = registry.make("frame.value_set", values)
    elif isinstance(values, (pd.Series, pd.Index)):
        kwargs["values"] = values.array
    elif isinstance(values, dict):
        kwargs["values"] = {k: registry.make("frame.value_set", v) if isinstance(v, Series) else v for k, v in values.items()}
    elif isinstance(values, Handle):  # a tensor: its values, wherever they are
        kwargs["values"] = registry.make("frame.value_set", as_frame(values if len(values.known.shape) == 1 else values.ravel()))
    return None


@registry.operation("frame.value_set", room="engine", traits=["blind"], meta=lambda frame: frame_meta(frame.empty, math.nan, NEW))
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
        return [Demand(mine.columns, mine.order, mine.labels), *([Demand(None, False, False)] * (len(inputs(node)) - 1))]
    value = node.kwargs.get("values")
    if type(value) is Node and value.op == "frame.value_set":
        return [mine, Demand(None, False, False)]
    return rowwise_demands(node, mine)


def _isin(frame: Chunks, **kwargs: Any) -> Chunks:
    """Whether each element is among `values`: a list, a lazy series or tensor, a dict by column, an aligned frame."""
    return graph.per_chunk(partial(method, "isin"), frame, **{k: whole(v) for k, v in kwargs.items()})


register("isin", _isin, check=_members, demands=_isin_demands, status="delegated", owners=("DataFrame", "Series"), cases=(
    "si.OP([1, 2, 3])", "s.OP({1.5, 2})", "num.OP([1, 2])", "num.OP({'k': [1, 2], 'v': [0.5]})", "si.OP(si[si > 2])", "st.OP(right.s)", "num.OP(num + 0)", "num.OP(num * 2)",
    "si.OP('a')", "s.OP([np.nan])", "dn.q.OP([1, None])", "dn.c.OP(['a'])", "ts.OP(ts)", "si.OP(np.arange(3))", "si.OP(pd.Series([1, 2]))", "num.OP(si)", "si.OP(3)",
))  # fmt: skip


def _filling(self: Any, kwargs: dict[str, Any]) -> Any:
    value, limit = kwargs.get("value"), kwargs.get("limit")
    kwargs.pop("downcast", None)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, np.integer)) or limit <= 0):
        raise ArgumentError(f"fillna(limit={limit!r}): Limit must be greater than 0.")
    if value is None and "method" in kwargs:
        return None
    if value is None:
        raise ArgumentError("fillna(): must specify a fill 'value' or 'method'.")
    if "method" in kwargs:
        raise ArgumentError("fillna(): cannot specify both 'value' and 'method'.")
    if isinstance(value, (Series, pd.Series)) and self.ndim == 2:
        kwargs["value"] = _one_chunk(value)
        return None
    if isinstance(value, list):
        raise ArgumentTypeError('"value" parameter must be a scalar or dict, but you passed a "list"')
    if self.ndim == 1 and limit is not None and isinstance(value, FrameHandle):
        first = registry.make("frame.one_chunk", self)
        kwargs["value"] = registry.make("frame.one_chunk", value)
        return first
    return _aligned(self, kwargs) if not isinstance(value, dict) else None


def _fill(chunk: Any, *, method: Any = None, **kwargs: Any) -> Any:
    if method is not None:
        return getattr(chunk, {"ffill": "ffill", "pad": "ffill", "bfill": "bfill", "backfill": "bfill"}[method])(**kwargs)
    return chunk.fillna(**kwargs)


def _fillna(frame: Chunks, **kwargs: Any) -> Any:
    """Holes filled with a value, a value by column, an aligned frame, or (`method`) what stands before or after."""
    if "method" in kwargs:
        from marsdask.dataframe.neighbours import fill

        kwargs = dict(kwargs)
        names = {"ffill": "ffill", "pad": "ffill", "bfill": "bfill", "backfill": "bfill"}
        return fill(names[kwargs.pop("method")], frame, kwargs)
    kwargs = {k: whole(v) for k, v in kwargs.items()}
    if kwargs.get("limit") is None or by_rows(frame.empty, kwargs) or frame.count == 1:
        frame, _, kwargs = yield from matched(frame, (), kwargs)
        return graph.per_chunk(_fill, frame, **kwargs)
    holes = graph.per_chunk(_holes, frame, lengths=None)
    return graph.per_chunk(_fill_limited, frame, graph.scan(holes, _plus, None, label="before"), **kwargs)


def _holes(chunk: Any) -> Any:
    return chunk.isna().sum()


def _plus(before: Any, holes: Any) -> Any:
    return holes if before is None else before + holes


def _fill_limited(chunk: Any, before: Any, value: Any, limit: int, **kwargs: Any) -> Any:
    if before is None:
        return chunk.fillna(value, limit=limit, **kwargs)
    if chunk.ndim == 1:
        left = limit - before
        return chunk.fillna(value, limit=left, **kwargs) if left > 0 else chunk
    columns = []
    for i, name in enumerate(chunk.columns):
        mine = value[name] if isinstance(value, (dict, pd.Series)) and name in value else None if isinstance(value, (dict, pd.Series)) else value
        left = limit - before.iloc[i]
        column = chunk.iloc[:, i]
        columns.append(column if mine is None or left <= 0 else column.fillna(mine, limit=left))
    return pd.concat(columns, axis=1) if columns else chunk


def _fillna_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    if kwargs.get("method") not in (None, "ffill", "pad", "bfill", "backfill"):
        raise ArgumentError(f"fillna(method={kwargs['method']!r}): expected 'ffill', 'pad', 'bfill' or 'backfill'.")
    value = kwargs.get("value")
    if isinstance(value, FrameMeta) and frame.ndim == 2 and value.ndim == 1:
        kwargs = {**kwargs, "value": pd.Series([sample_of(value)] * len(value.labels), index=value.labels) if value.labels is not None else {}}
    result = pandas_on_samples(_fill, frame, **kwargs)
    return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged, labels=frame.labels)


def sample_of(known: FrameMeta) -> Any:
    from marsdask.meta import sample

    return sample(known.empty).iloc[0]


def _fillna_demands(node: Node, mine: Demand) -> list[Demand]:
    value = node.kwargs.get("value")
    if type(value) is Node and isinstance(meta(value), FrameMeta) and meta(value).ndim == 1 and meta(node.args[0]).ndim == 2:
        return [mine, EVERYTHING]
    if node.kwargs.get("limit") is not None or "method" in node.kwargs:
        return [Demand(mine.columns if not by_rows(meta(node.args[0]), node.kwargs) else None, True, mine.labels), *([EVERYTHING] * (len(inputs(node)) - 1))]
    return rowwise_demands(node, mine)


def _fillna_signature() -> inspect.Signature:
    kind = inspect.Parameter
    given = {"self": kind.empty, "value": None, "method": None, "axis": None, "inplace": False, "limit": None, "downcast": None}
    return inspect.Signature([kind(n, kind.POSITIONAL_OR_KEYWORD, default=d) for n, d in given.items()])


register("fillna", _fillna, check=_filling, meta=_fillna_meta, demands=_fillna_demands, signature=_fillna_signature(), owners=("DataFrame", "Series", "Index"), cases=(
    "num.OP(0)", "s.OP(-1.5)", "num.OP({'v': 2})", "num.OP(num.mean())", "s.OP(si)", "s.OP(sl)", "num.OP(num * 0 + 5)", "num.OP(pd.Series([7.0], index=['v']))", "s.OP(0, limit=1)",
    "num.OP(0, limit=1)", "dn.q.OP(3)", "dn.c.OP('a')", "dn.c.OP('nope')", "num.OP({'v': num.v.mean()})", "s.OP(s.mean())", "num.OP(1, axis=1, limit=1)", "dn.OP({'q': 1, 'f': 2}, limit=2)",
    "s.OP([1])", "s.OP(0, limit=0)", "df.OP({'v': 1.5, 's': 'a'})",
))  # fmt: skip


def _dropping(self: Any, kwargs: dict[str, Any]) -> Any:
    if self.ndim == 2 and "subset" in kwargs and kwargs["subset"] is not None and kwargs.get("axis", 0) in (0, "index"):
        subset = kwargs["subset"]
        kwargs["subset"] = list(subset) if isinstance(subset, (list, tuple, pd.Index, np.ndarray)) else [subset]
    return None


def _dropna_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    result = pandas_on_samples(partial(method, "dropna"), frame, **kwargs)
    return frame_meta(result, math.nan, NEW)


def _dropna_demands(node: Node, mine: Demand) -> list[Demand]:
    subset = node.kwargs.get("subset")
    columns = None if mine.columns is None or subset is None else mine.columns | frozenset(subset)
    return [Demand(columns, mine.order, mine.labels)]


def _dropna(frame: Chunks, **kwargs: Any) -> Chunks:
    """The rows without holes (`how`, `thresh`, `subset` as in pandas). axis=1 runs to see which columns have any."""
    return graph.per_chunk(partial(method, "dropna"), frame, lengths="unknown", **kwargs)


def dropna(self: Any, *, axis: Any = 0, how: Any = NO, thresh: Any = NO, subset: Any = None, inplace: Any = False, ignore_index: bool = False) -> Any:
    """What the public name does."""
    from marsdask.dataframe.chunkwise import done

    kwargs = {k: v for k, v in (("how", how), ("thresh", thresh)) if v is not NO}
    if self.ndim == 1:
        kwargs.pop("thresh", None)
    if self.ndim == 2 and axis in (1, "columns"):
        result = _without_columns(self, subset, kwargs)
    else:
        kwargs |= {"axis": axis} if axis != 0 else {}
        kwargs |= {"subset": subset} if subset is not None else {}
        _dropping(self, kwargs)
        result = registry.make("frame.dropna", self, **kwargs)
    if ignore_index:
        result = registry.make("frame.renumber", result)
    return done(self, result, False if inplace is NO else inplace)


def _without_columns(self: Any, subset: Any, kwargs: dict[str, Any]) -> Any:
    """dropna(axis=1): which columns are left, and so the result's metadata, is known only after a run."""
    if subset is not None:
        labels = subset if isinstance(subset, list) else [subset]
        rows = self.loc[labels]
    else:
        rows = self
    present = rows.count().execute().fetch()
    total = len(rows.index.to_pandas()) if math.isnan(rows.known.length) else int(rows.known.length)
    if "thresh" in kwargs and "how" in kwargs:
        raise ArgumentTypeError("You cannot set both the how and thresh arguments at the same time.")
    if "thresh" in kwargs:
        keep = present >= kwargs["thresh"]
    elif kwargs.get("how", "any") == "any":
        keep = present == total
    elif kwargs["how"] == "all":
        keep = present > 0
    else:
        raise ArgumentError(f"invalid how option: {kwargs['how']}")
    return self[[c for c, k in zip(self.columns, keep, strict=True) if k]]


register("dropna", _dropna, prepare=dropna, meta=_dropna_meta, demands=_dropna_demands, owners=("DataFrame", "Series", "Index"), cases=(
    "df.OP()", "s.OP()", "dn.OP()", "dn.OP(how='all')", "dn.OP(thresh=4)", "dn.OP(subset=['q'])", "dn.OP(subset='f')", "dn.OP(how='x')",
    "s.OP(ignore_index=True)", "dn.OP(subset=['nope'])", "sl.OP()", "dn.OP(ignore_index=True)", "dn.OP(how='any', thresh=1)",
))  # fmt: skip


def _case_when(self: Any, caselist: Any) -> Any:
    """Where a condition holds its replacement, the first that holds; else the series."""
    if isinstance(caselist, list) and not caselist:
        raise ArgumentError("case_when(caselist=[]): provide at least one boolean condition, with a corresponding replacement.")
    if not isinstance(caselist, list):
        raise ArgumentTypeError(f"The caselist argument should be a non-empty list; instead got {type(caselist)}")
    flat: dict[str, Any] = {}
    for i, pair in enumerate(caselist):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(f"case_when(caselist=): item {i} is no tuple of a condition and a replacement.")
        flat |= {f"c{i}": pair[0], f"r{i}": pair[1]}
    first = _aligned(self, flat)
    return registry.make("frame.case_when", first, **flat)


def _cases(chunk: pd.Series, **flat: Any) -> pd.Series:
    return chunk.case_when([(flat[f"c{i}"], flat[f"r{i}"]) for i in range(len(flat) // 2)])


@registry.operation("frame.case_when", room="dataframe", owners=["Series"], function=False, prepare=_case_when, status="delegated", demands=rowwise_demands,
                    signature=inspect.signature(pd.Series.case_when).replace(parameters=[inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("self", "caselist")]),
                    meta=lambda frame, **flat: frame_meta(pandas_on_samples(_cases, frame, **flat), frame.length, frame.rows, ranged=frame.ranged), oracle=pd.Series.case_when,
                    cases=("s.case_when([(s > 2, 0.5), (si > 1, si)])", "s.case_when([])", "s.case_when([(lambda x: x > 1, lambda x: -x)])"))  # fmt: skip
def case_when(frame: Chunks, **flat: Any) -> Any:
    """Where a condition holds its replacement, the first that holds; else the series."""
    frame, _, flat = yield from matched(frame, (), flat)
    return graph.per_chunk(_cases, frame, **flat)
