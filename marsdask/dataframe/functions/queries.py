"""eval and query: expressions in text, chunk by chunk where each row's answer depends on that row alone."""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from collections import ChainMap
from typing import Any

import pandas as pd

from marsdask.dataframe.core import FrameHandle
from marsdask.dataframe.reduce.reduction import reduced_meta, scalar_dtype
from marsdask.dataframe.rows.alignment import done, pandas_on_samples, together
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, Rows, TensorMeta, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

BY_ROW = frozenset((
    "abs", "isin", "isna", "isnull", "notna", "notnull", "between", "round", "clip", "fillna", "astype", "str", "contains",
    "startswith", "endswith", "lower", "upper", "strip", "len", "dt", "year", "month", "day", "hour", "minute", "second", "weekday",
    "dayofweek",
))  # fmt: skip
"""Members that an expression may use of a column without seeing other rows."""
LAYOUT = (tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT)
MATHS = frozenset(pd.core.computation.ops.MATHOPS)


def names_in(expr: str) -> tuple[set[str], set[str], bool]:
    """Names of an expression, names after @, and whether each row's answer depends on that row alone."""
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
    return plain, local, "`" not in expr and not any(map(_sees_other_rows, ast.walk(tree)))


def _sees_other_rows(node: ast.AST) -> bool:
    """Whether a part of an expression may depend on more than one row."""
    if isinstance(node, ast.Attribute):
        return node.attr not in BY_ROW
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id not in MATHS
    return isinstance(node, ast.Subscript)


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
    result = pandas_on_samples(evaluate, frame, method, expr, *more)
    if method == "query":
        return frame.fewer(result)
    if not isinstance(result, (pd.Series, pd.DataFrame)):
        return TensorMeta((), scalar_dtype(result))
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
    if method == "query":
        return result
    known = _meta(meta(frame.node), method, expr, by_row, *map(_known, more))  # type: ignore[arg-type]
    return graph.to_array(result, scalar=True, dtype=known.dtype) if isinstance(known, TensorMeta) else result


def _known(value: Any) -> Any:
    """The metadata of a lazy value; another one as it is."""
    if isinstance(value, Chunks) and value.node is not None:
        return meta(value.node)
    return TensorMeta((), value.dtype) if hasattr(value, "dask") else value


def _prepare(method: str, self: Any, expr: Any, inplace: Any, kwargs: dict[str, Any]) -> Any:
    if not isinstance(expr, str):
        raise ArgumentError(f"expr must be a string to be evaluated, {type(expr)} given")
    if not expr.strip():
        raise ArgumentError("expr cannot be an empty string")
    _, named, by_row = names_in(expr)
    given = (kwargs.pop(name, None) for name in ("level", "local_dict", "global_dict"))
    values = caller_values(named, *given)
    frames = {k: v for k, v in values.items() if isinstance(v, (FrameHandle, pd.Series, pd.DataFrame))}
    first, _, brought = together(self, [], frames)
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
