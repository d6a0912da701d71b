"""Functions and expressions of users: apply, map, map_chunk, transform, pipe; eval and query.

Rows and elements go chunk by chunk, whole columns are gathered. What a function gives is found out once, on made-up rows; where
that fails the error asks for `dtypes` and the like by name. Expressions in text go chunk by chunk where each row's answer
depends on that row alone.
"""

from __future__ import annotations

import ast
import inspect
import io
import math
import tokenize
from collections import ChainMap
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, Series, as_frame
from marsdask.dataframe.reduce.aggregate import of_name
from marsdask.dataframe.reduce.reduction import reduced_meta
from marsdask.dataframe.rows import given, undecided
from marsdask.dataframe.rows.alignment import (
    as_promised,
    done,
    one_chunk,
    pandas_on_samples,
    settled,
    together,
)
from marsdask.dataframe.rows.families import BOTH, by_rows, described, inferred, leaves_open
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, frame_meta, meta, scalar_meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

FORMS = "a function, the name of one, or a list or dict of them"


def _along(axis: Any) -> dict[str, Any]:
    return {} if axis in (0, "index") else {"axis": axis}


@public("DataFrame.apply", owners=["DataFrame"], status="delegated")
def apply_frame(
    self: Any, func: Any, axis: Any = 0, raw: bool = False, result_type: Any = None, args: Any = (), dtypes: Any = None, dtype: Any = None, name: Any = None,
    output_type: Any = None, index: Any = None, elementwise: Any = None, skip_infer: bool = False, by_row: Any = "compat", engine: Any = None, engine_kwargs: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """What a function gives of each column (whole), or, with axis=1, of each row."""
    checks.choice(engine, "apply(engine=)", (None, "python"))
    checks.choice(by_row, "apply(by_row=)", (False, "compat"))
    if result_type not in (None, "expand", "reduce", "broadcast"):
        raise ArgumentError(
            "invalid value for result_type, must be one of {None, 'reduce', 'broadcast', 'expand'}"
        )
    if isinstance(func, str):
        return of_name(self, func, args, {**_along(axis), **kwargs})
    if isinstance(func, (list, dict)):
        return self.agg(func, axis, *args, **kwargs)
    if not callable(func):
        raise ArgumentTypeError(f"apply(func={func!r}): expected {FORMS}.")
    if axis not in (0, 1, "index", "columns", "rows"):
        raise ArgumentError(f"No axis named {axis} for object type DataFrame")
    own = {"raw": raw, "result_type": result_type, "args": tuple(args)}
    said = {k: v for k, v in own.items() if v not in (False, None, ())} | kwargs | _along(axis)
    same = by_rows(self, {"axis": axis}) or elementwise or isinstance(func, np.ufunc)
    return _applied(
        self, "same" if same else "whole", "apply", func, (), said,
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
        return of_name(self, func, args, kwargs)
    if isinstance(func, (list, dict)):
        return self.agg(func, 0, *args, **kwargs)
    if not callable(func):
        raise ArgumentTypeError(f"apply(func={func!r}): expected {FORMS}.")
    plain = by_row == "compat"
    own = ({"args": tuple(args)} if args else {}) | ({} if plain else {"by_row": by_row}) | kwargs
    return _applied(
        self, "same" if plain else "whole", "apply", func, (), own,
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
    if kwargs.pop("_call_agg", False):  # as of groups
        return self.agg(func, axis, *args, **kwargs)
    along = _along(axis)
    if isinstance(func, str):
        try:
            result = of_name(self, func, args, along | kwargs)
        except AttributeError as error:
            if isinstance(error, MarsDaskError):
                raise
            raise ArgumentError(f"Transform function failed: {error}") from None
        if not isinstance(result, FrameHandle) or result.known.rows != self.known.rows:
            raise ArgumentError("Function did not transform")
        return result
    how = "same" if by_rows(self, {"axis": axis}) or isinstance(func, np.ufunc) else "whole"
    args = (0, *args) if args and not along else args
    said = {"dtypes": dtypes, "dtype": dtype, "skip_infer": skip_infer}
    return _applied(self, how, "transform", func, args, {**along, **kwargs}, **said)


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
    frame: Any, how: str, method: str, func: Any, args: Any, kwargs: Any, numbered: bool = False, **said: Any
) -> Any:
    """The handle of a function's results: "same" rows as the frame's, "other" rows by chunk, or of the "whole" at once.

    `said` is what users say of the result.
    """
    declared = {k: v for k, v in said.items() if v is not None and v is not False}
    call = numbered, method, func, tuple(args or ()), dict(kwargs or {})
    if undecided.is_said(declared.get("output_type")):
        return registry.make("frame.undecided", frame, how, *call)
    # Where nothing is to be inferred, a run decides: but for what keeps the frame's columns.
    open_end = method in ("apply", "map_chunk") and declared.pop("skip_infer", False)
    try:
        return registry.make("frame.applied", frame, how, declared, *call)
    except ArgumentTypeError as error:
        if not open_end or error.__cause__ is None:
            raise
    return registry.make("frame.undecided", frame, how, *call)


def _call(frame: Any, method: str, func: Any, args: Any, kwargs: Any) -> Any:
    """pandas' method with a user's function; `map_chunk` calls the function itself."""
    if method == "map_chunk":
        return func(frame, *args, **kwargs)
    return getattr(frame, method)(func, *args, **kwargs)


def _example(frame: FrameMeta, declared: dict[str, Any], method: str, *call: Any) -> Any:
    """An example of the result: as declared, or what the function makes of made-up rows."""
    said = {k: v for k, v in declared.items() if k != "skip_infer"}
    found = described(frame.empty, **said)
    if found is not None and not leaves_open(said):
        return found
    try:
        return inferred(method, partial(pandas_on_samples, _call, frame, method, *call))
    except ArgumentTypeError as error:
        if "Function did not transform" in str(error.__cause__):
            raise ArgumentError(str(error.__cause__)) from None
        if found is not None and error.__cause__ is not None:
            return found
        if error.__cause__ is None or not declared.get("skip_infer"):
            raise
        return frame.empty.astype(object) if frame.ndim == 1 else frame.empty


def _applied_meta(
    frame: FrameMeta, how: str, declared: Any, numbered: bool, method: str, func: Any, args: Any, kwargs: Any
) -> Any:
    extra = {"chunk_index": (0,) * frame.ndim} if numbered else {}
    result = _example(frame, declared, method, func, args, {**kwargs, **extra})
    table = isinstance(result, (pd.Series, pd.DataFrame))
    if how == "same" and (table or isinstance(result, pd.Index)):
        return frame.same(result)
    if how == "other":
        if not table:
            raise ArgumentTypeError(
                f"map_chunk(func=): the function should return a DataFrame or a Series, not {type(result).__name__}."
            )
        return frame.fewer(result)
    if not table:
        return scalar_meta(result)
    if list(result.index) == [0, 1]:  # as many rows as were made up
        return frame_meta(result, frame.length, Rows(), ranged=frame.ranged, labels=frame.labels)
    unknown = declared.keys() & {"dtypes", "dtype", "output_type"}
    return reduced_meta(result, Rows(), math.nan if unknown else None)


@lowered("frame.applied", meta=_applied_meta)
def applied(frame: Chunks, how: str, declared: Any, *call: Any) -> Any:
    """A user's function by rows or elements, by chunk, or of everything in one chunk."""
    found = graph.promised()
    like = found.empty if isinstance(found, FrameMeta) and how != "whole" else None
    if how == "same":
        frame = settled(frame)
        if frame.count > 1 and like is not None and (like.ndim == 1 or len(like.columns)):
            return _together(frame, like, *call)
    parts = _parts(frame, how, like, *call)
    return as_promised(parts) if how == "whole" or isinstance(found, TensorMeta) else parts


def _together(frame: Chunks, like: Any, *call: Any) -> Chunks:
    """What a function gives of rows or elements, of the dtypes that pandas finds for all of them."""
    _, method, func, _, kwargs = call
    parts = method == "map_chunk" or isinstance(func, np.ufunc)
    frames = method == "apply" and (like.ndim == 2 or "by_row" in kwargs)
    if parts or frames or method not in ("map", "apply"):
        made = _parts(frame, "same", like, *call)
        return made if parts else graph.even(made)
    by_row = frame.empty.ndim == 2 and method == "apply"
    made = graph.per_chunk(_given_of, frame, given.holed(frame), like, *call[1:])
    return given.settled(made, pd.Series(dtype=object) if by_row else frame.empty, like)


def _given_of(
    chunk: Any, holed: Any, like: Any, method: str, func: Any, args: Any, kwargs: Any
) -> given.Given:
    if not len(chunk):
        return given.of_none(like)
    chunk = graph.owned(chunk)
    if chunk.ndim == 2 and method == "apply":
        return given.of_rows(chunk, func, partial(_call, method=method, args=args, kwargs=kwargs))
    own = dict(kwargs)
    args, na_action = own.pop("args", ()), own.pop("na_action", None)
    does = _of_value(func, args, own) if args or own else func
    return given.of_values(chunk, does, method, na_action, holed)


def _of_value(func: Any, args: Any, kwargs: Any) -> Any:
    """A function of one value, of a function that takes further arguments."""
    return lambda value: func(value, *args, **kwargs)


def _parts(frame: Chunks, how: str, like: Any, numbered: bool, *call: Any) -> Chunks:
    return graph.per_chunk(
        _apply_chunk, graph.gather(frame) if how == "whole" else frame, like, frame.empty.ndim if numbered else 0, *call,
        number=True, lengths="same" if how == "same" else "unknown",
    )  # fmt: skip


@lowered("frame.undecided", meta=lambda frame, *call: undecided.UndecidedMeta())
def applied_undecided(frame: Chunks, how: str, *call: Any) -> Chunks:
    """The same, where a run tells what it gives."""
    return undecided.of_one_kind(_parts(frame, how, None, *call))


def _apply_chunk(
    i: int, chunk: Any, like: Any, numbered: int, method: str, func: Any, args: Any, kwargs: Any
) -> Any:
    if like is not None and not len(chunk):
        return like
    extra = {"chunk_index": (i, 0)[:numbered]} if numbered else {}
    return _call(graph.owned(chunk), method, func, args, {**kwargs, **extra})


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
    if isinstance(func, FrameMeta):
        made = empty.map(func.empty.iloc[:0].rename(empty.name))
        return frame.same(made.astype(func.empty.dtype if dtype is None else dtype))
    table = isinstance(func, (dict, pd.Series))
    if table and isinstance(getattr(empty, "dtype", None), pd.CategoricalDtype):
        return frame.same(empty.map(func))
    if table and not hasattr(func, "__missing__"):
        values = func if isinstance(func, pd.Series) else pd.Series(func, dtype=None if func else "f8")
        if frame.kind == "Index":
            return frame.same(empty.map(values))
        dtype = values.dtype if dtype is None else dtype
        return frame.same(pd.Series([], index=empty.index, dtype=dtype, name=empty.name))
    if frame.kind == "Index" and dtype is not None:
        return frame.same(pd.Index([], dtype=dtype, name=empty.name))
    declared = {k: v for k, v in (("dtype", dtype), ("skip_infer", skip_infer)) if v}
    return frame.same(_example(frame, declared, "map", func, (), kwargs))


@lowered(
    "frame.mapped",
    meta=_mapped_meta,
    demands=lambda node, mine: [Demand(None, mine.order, mine.labels), EVERYTHING][: len(inputs(node))],
)
def mapped(frame: Chunks, func: Any, kwargs: Any, dtype: Any = None, skip_infer: bool = False) -> Chunks:
    """Each value through a function, a dict or a series."""
    # What a function or a dict gives decides the dtype, in pandas for all values together.
    frame = settled(frame)
    if callable(func) and dtype is None and frame.count > 1:
        by_category = isinstance(getattr(frame.empty, "dtype", None), pd.CategoricalDtype)
        like = frame.empty.map(func, **kwargs) if by_category else frame.empty
        return _together(frame, like, False, "map", func, (), kwargs)
    beside = None
    if not callable(func) and frame.count > 1 and not _by_value(frame.empty.dtype):
        beside = graph.value(graph.concat, graph.per_chunk(_examples, frame, func, kwargs, lengths=None))
    made = graph.per_chunk(_map_chunk, frame, beside, func, kwargs, dtype)
    return made if dtype is not None else graph.even(made)


def _by_value(dtype: Any) -> bool:
    """Whether what a table has for a value hangs on that value alone, and dtypes of chunks have one in common."""
    return dtype != np.dtype(object) and not (isinstance(dtype, pd.CategoricalDtype) or _is_nullable(dtype))


def _is_nullable(dtype: Any) -> bool:
    return not isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def _examples(chunk: Any, func: Any, kwargs: Any) -> Any:
    """Values beside which pandas maps any others as it maps all: a hole among categories; what is no truth value among objects,
    as True is 1 to a table only then; of nullable columns one that a table has and one that it has not."""
    if _is_nullable(chunk.dtype):
        missing = chunk.map(func, **kwargs).isna()
        return graph.concat([chunk[missing][:1], chunk[~missing][:1]])
    if isinstance(chunk.dtype, pd.CategoricalDtype):
        return chunk[chunk.isna()][:1]
    return chunk[[not isinstance(value, (bool, np.bool_)) for value in chunk]][:1]


def _map_chunk(chunk: Any, beside: Any, func: Any, kwargs: Any, dtype: Any) -> Any:
    chunk = graph.owned(chunk)
    if beside is None:
        made = chunk.map(func, **kwargs)
    else:
        made = graph.concat([beside, chunk]).map(func, **kwargs)
        made = made[len(beside) :] if isinstance(made, pd.Index) else made.iloc[len(beside) :]
    return made if dtype is None else made.astype(dtype)


BY_ROW = frozenset((
    "abs", "isin", "isna", "isnull", "notna", "notnull", "between", "round", "clip", "fillna", "astype", "str", "contains",
    "startswith", "endswith", "lower", "upper", "strip", "len", "dt", "year", "month", "day", "hour", "minute", "second", "weekday",
    "dayofweek",
))  # fmt: skip
"""Members that an expression may use of a column without seeing other rows."""
LAYOUT = (tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT)
MATHS = frozenset(pd.core.computation.ops.MATHOPS)


def names_in(expr: str) -> tuple[set[str], set[str], bool]:
    """Names of an expression, names after @, and whether each row's answer depends on that row alone.

    Names after @ may be anything: what is asked of them is asked of the caller's value, whole.
    """
    plain: set[str] = set()
    local: set[str] = set()
    pieces: list[str] = []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(expr).readline))
    except (tokenize.TokenError, SyntaxError):
        return set(), set(), False
    previous = ""
    for token in tokens:
        if token.type == tokenize.NAME:
            (local if previous == "@" else plain).add(token.string)
        if token.string != "@" and token.type not in LAYOUT:
            pieces.append(token.string if token.type != tokenize.NL else "\n")
        previous = token.string
    try:
        tree = ast.parse(" ".join(pieces).replace(" \n ", "\n").strip())
    except SyntaxError:
        return plain, local, False
    return plain, local, "`" not in expr and not any(_sees_other_rows(each, local) for each in ast.walk(tree))


def _sees_other_rows(node: ast.AST, local: set[str]) -> bool:
    """Whether a part of an expression may depend on more than one row."""
    if isinstance(node, ast.Attribute):
        return node.attr not in BY_ROW
    if isinstance(node, ast.Compare):
        among = [
            right
            for op, right in zip(node.ops, node.comparators, strict=True)
            if isinstance(op, ast.In | ast.NotIn)
        ]
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "isin":
        among = node.args
    else:
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return isinstance(node, ast.Subscript) or (called and node.func.id not in MATHS)
    return any(isinstance(n, ast.Name) and n.id not in local for each in among for n in ast.walk(each))


def caller_values(names: set[str], level: int | None, given: Any, outer: Any) -> dict[str, Any]:
    """The values of @names: from `local_dict` or the first frame above that is not ours."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("marsdask"):
        frame = frame.f_back
    for _ in range(level or 0):
        frame = frame.f_back if frame is not None else None
    known = ChainMap(given or {}, outer or {})
    if frame is not None:
        known.maps += [frame.f_locals, frame.f_globals]
    for name in names:
        if name not in known:
            raise pd.errors.UndefinedVariableError(name, True)
    return {name: known[name] for name in names}


def evaluate(frame: Any, method: str, expr: str, kwargs: Any, names: list[str], *values: Any) -> Any:
    """pandas' own eval or query with values for @names."""
    local = dict(zip(names, values, strict=True))
    return getattr(frame, method)(expr, local_dict=local, global_dict={}, **kwargs)


def _meta(frame: FrameMeta, method: str, expr: str, by_row: bool, *more: Any) -> Any:
    try:
        result = pandas_on_samples(evaluate, frame, method, expr, *more)
    except LookupError:  # a row that made-up data lack: rows of the frame is what a query gives
        if method != "query":
            raise
        return frame.fewer(frame.empty)
    if method == "query":
        return frame.fewer(result)
    if not isinstance(result, (pd.Series, pd.DataFrame)):
        return scalar_meta(result)
    if by_row:
        return frame.same(result)
    return frame_meta(result, frame.length, Rows()) if len(result) == 2 else reduced_meta(result, Rows())


def _demands(node: Node, mine: Demand) -> list[Demand]:
    frame, _, expr, by_row = node.args[:4]
    if not by_row or len([n for n in inputs(node) if isinstance(meta(n), FrameMeta)]) > 1:
        return [EVERYTHING] * len(inputs(node))
    used, _, _ = names_in(expr)
    columns = None if mine.columns is None else mine.columns | (used & set(meta(frame).empty.columns))
    labels = mine.labels or "index" in used or bool(used & {n for n in meta(frame).empty.index.names if n})
    return [Demand(columns, mine.order, labels)] + [EVERYTHING] * (len(inputs(node)) - 1)


@lowered("frame.evaluated", meta=_meta, demands=_demands)
def evaluated(frame: Chunks, method: str, expr: str, by_row: bool, *more: Any) -> Any:
    """An expression in text."""
    rows = frame if by_row else graph.gather(frame)
    lengths = "unknown" if method == "query" else "same"
    result = graph.per_chunk(evaluate, rows, method, expr, *more, lengths=lengths)
    return as_promised(result) if isinstance(graph.promised(), TensorMeta) else result


def _prepare(method: str, self: Any, expr: Any, inplace: Any, kwargs: dict[str, Any]) -> Any:
    if not isinstance(expr, str):
        raise ArgumentError(f"expr must be a string to be evaluated, {type(expr)} given")
    if not expr.strip():
        raise ArgumentError("expr cannot be an empty string")
    plain, named, by_row = names_in(expr)
    given = (kwargs.pop(name, None) for name in ("level", "local_dict", "global_dict"))
    values = caller_values(named, *given)
    frames = {k: v for k, v in values.items() if isinstance(v, (FrameHandle, pd.Series, pd.DataFrame))}
    by_row = by_row and not (frames and plain & {"in", "isin"})
    if by_row:
        first, _, brought = together(self, [], frames)
    else:
        first, brought = self, {k: one_chunk(as_frame(v)) for k, v in frames.items()}
    values |= brought
    for name, value in values.items():
        if isinstance(value, Handle) and not isinstance(value, FrameHandle) and value.known.shape:
            raise ArgumentTypeError(
                f"{method}(): @{name} is a tensor; expected a scalar, a series or a list."
            )
    more = kwargs, list(values), *values.values()
    result = registry.make("frame.evaluated", first, method, expr, by_row, *more)
    return done(self, result, False if inplace is pd.api.extensions.no_default else inplace)


@public("frame.eval", owners=["DataFrame"], status="delegated")
def eval_(self: Any, expr: Any, inplace: Any = False, **kwargs: Any) -> Any:
    """What an expression in text says of the columns; an assignment gives the frame with that column."""
    return _prepare("eval", self, expr, inplace, kwargs)


@public("frame.query", owners=["DataFrame"], status="delegated")
def query(self: Any, expr: Any, inplace: Any = False, **kwargs: Any) -> Any:
    """The rows for which an expression in text is true; `@name` is a variable of the caller, lazy ones too."""
    return _prepare("query", self, expr, inplace, kwargs)
