"""Families of frame operations, a line each: `rows("round")`, `method("shift", lowering)`; and the first of them: choices, limits, membership.

A method of pandas is a node with the arguments that were given, by keyword. What pandas makes of a few made-up rows is its metadata.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, Series, as_frame, local
from marsdask.dataframe.kernels import sets, texts
from marsdask.dataframe.rows.alignment import (
    beside,
    done,
    example,
    example_of_none,
    matched,
    one_chunk,
    pandas_on_samples,
    sampled,
    together,
    tree,
)
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.plan import graph, registry
from marsdask.plan.examples import Example
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, TensorMeta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor

BOTH = ("DataFrame", "Series")
ALL = (*BOTH, "Index")
NOT_GIVEN = pd.api.extensions.no_default


def pandas_signature(
    name: str, owners: Iterable[Any] = (pd.DataFrame, pd.Series, pd), **extra: Any
) -> inspect.Signature:
    """pandas' signature of a method of frames, else of series, else of a function; each parameter by place or by name.

    `extra`: parameters that pandas has not, with their defaults.
    """
    kind = inspect.Parameter
    source = next(getattr(owner, name) for owner in owners if hasattr(owner, name))
    own = [
        p.replace(annotation=kind.empty, kind=kind.POSITIONAL_OR_KEYWORD)
        for p in inspect.signature(source).parameters.values()
        if p.kind not in (kind.VAR_KEYWORD, kind.VAR_POSITIONAL)
    ]
    more = [kind(n, kind.POSITIONAL_OR_KEYWORD, default=d) for n, d in extra.items()]
    return inspect.Signature([*own, *more])


def call(name: str, piece: Any, **kwargs: Any) -> Any:
    """pandas' method on a piece."""
    return getattr(piece, name)(**kwargs)


def chunkwise(
    name: str, does: Callable[..., Any], meta: Callable[..., Any] | None = None, **entry: Any
) -> None:
    """Declare the operation `does(chunk, *args)` of each chunk: on the same rows, as it makes no rows of none, unless `meta` says."""
    same_rows = meta or (lambda frame, *args: frame.same(example_of_none(does, frame, *args)))
    lowered(name, meta=same_rows, **entry)(partial(graph.per_chunk, does))


def by_rows(frame: Any, kwargs: dict[str, Any]) -> bool:
    """Whether an operation goes along each row: then chunks are independent."""
    return frame.ndim == 2 and kwargs.get("axis", 0) in (1, "columns")


def same_rows_meta(name: str, frame: FrameMeta, **kwargs: Any) -> FrameMeta:
    """Metadata of a method that keeps the frame's rows."""
    return frame.same(example(call, name, frame, **kwargs))


def described(
    like: Any, *, dtypes: Any = None, dtype: Any = None, name: Any = None, index: Any = None, output_type: Any = None,
) -> Any:  # fmt: skip
    """The empty result of a function as users describe it, None where they do not say dtypes of columns; `like`, if any, lends
    labels and names.
    """
    if dtypes is None and dtype is None and output_type is None:
        return None
    given = output_type[0] if isinstance(output_type, (list, tuple)) else output_type
    kind = str(given or ("series" if dtypes is None else "dataframe")).lower().rpartition(".")[2]
    if kind not in ("dataframe", "series", "scalar"):
        raise ArgumentError(f"output_type={given!r}: expected 'dataframe', 'series' or 'scalar'.")
    if index is None:
        index = pd.RangeIndex(0) if like is None else like.index
    labels = (index if isinstance(index, pd.Index) else pd.Index(index))[:0]
    if kind != "dataframe":
        of = next((d for d in (dtype, dtypes) if d is not None), object)
        own = like.name if like is not None and like.ndim == 1 else None
        return pd.Series(dtype=of, index=labels, name=own if name is None else name)
    if dtypes is None:
        return None
    listed = () if like is None else (list, tuple, np.ndarray)
    checks.instance(dtypes, "dtypes=", (Mapping, pd.Series, *listed), "a Series or dict of column to dtype")
    by_name = isinstance(dtypes, (Mapping, pd.Series))
    columns = dict(dtypes) if by_name else dict(zip(like.columns, dtypes, strict=True))
    return pd.DataFrame({c: pd.Series(dtype=d, index=labels) for c, d in columns.items()}, index=labels)


def leaves_open(said: dict[str, Any]) -> bool:
    """Whether users say of a result that it is a series, and no more."""
    return {k for k, v in said.items() if v is not None} == {"output_type"}


def inferred(what: str, make: Callable[[], Any]) -> Any:
    """What `make` finds out of a user's function by made-up rows; an error that says how to describe it where it fails."""
    try:
        return make()
    except Exception as error:
        ours = isinstance(error, MarsDaskError)
        if ours and (error.__cause__ is None or isinstance(error.__cause__, MarsDaskError)):
            raise
        raise ArgumentTypeError(
            f"Cannot determine dtypes by calculating with enumerate data: {what}() of made-up rows failed with {type(error).__name__}: {error}. "
            "Hint: say what the function gives by output_type='dataframe' with dtypes=, or output_type='series' with dtype= and name=, and by index=."
        ) from error


def column_demands(node: Node, mine: Demand) -> list[Demand]:
    """Each column of the result needs that column alone, in the rows' order."""
    columns = None if node.kwargs.get("axis", 0) not in (0, None, "index", "rows") else mine.columns
    return [Demand(columns, True, mine.labels)]


def method(
    name: str,
    lower: Callable[..., Any],
    *,
    aliases: Iterable[str] = (),
    like: str = "",
    owners: tuple[str, ...] = BOTH,
    arrange: Callable[[Any, dict[str, Any]], Any] | None = None,
    meta: Callable[..., Any] | None = None,
    demands: Callable[..., Any] | None = column_demands,
    status: registry.Status = "tiled",
    doc: str = "",
    **extra: Any,
) -> None:
    """Declare a method of pandas under its names. `like` is its name in pandas where that is another; `extra` are parameters
    that pandas has not, with their defaults.

    `arrange(self, kwargs)` checks and changes the arguments in place, and may give another frame to go on with. With
    `inplace=True` the handle is bound to the result, and None is what users get.
    """
    signature = pandas_signature(like or name, **extra)
    defaults = {p.name: p.default for p in signature.parameters.values()}

    def prepare(self: Any, **given: Any) -> Any:
        inplace = given.pop("inplace", False)
        kwargs = {k: v for k, v in given.items() if v is not defaults[k]}
        frame = arrange(self, kwargs) if arrange is not None else None
        made = registry.make(f"frame.{name}", self if frame is None else frame, **kwargs)
        return done(self, made, False if inplace is NOT_GIVEN else inplace)

    rule = meta or partial(same_rows_meta, like or name)
    doc = doc or inspect.getdoc(lower) or ""
    for each in (name, *aliases):
        public(f"frame.{each}", owners=owners, signature=signature, doc=doc, direct=False)(prepare)
        lowered(f"frame.{each}", meta=rule, demands=demands, status=status)(lower)


def rows(
    name: str, *aliases: str, arrange: Callable[..., Any] | None = None, owners: tuple[str, ...] = BOTH
) -> None:
    """Declare a method of pandas of which each row depends on that row, and on that row of frames among the arguments."""
    method(
        name,
        partial(_row_by_row, name),
        aliases=aliases,
        owners=owners,
        arrange=arrange or aligned,
        meta=partial(_row_by_row_meta, name),
        demands=row_by_row_demands,
        status="delegated",
        doc=f"pandas' `{name}`, chunk by chunk; frames among the arguments are aligned by labels.",
    )


def aligned(self: Any, kwargs: dict[str, Any]) -> Any:
    """Callables are called with the frame; arrays become tensors by row; frames are brought to the same rows."""
    for key, value in kwargs.items():
        if callable(value) and not isinstance(value, Handle):
            kwargs[key] = value = value(self)
        by_row = isinstance(value, list) and key in ("cond", "left", "right")
        if by_row or (isinstance(value, np.ndarray) and value.ndim):
            kwargs[key] = as_tensor(np.asarray(value))
    first, _, brought = together(self, [], kwargs)
    kwargs.update(brought)
    return first


def _row_by_row(name: str, frame: Chunks, **kwargs: Any) -> Generator[Any, Any, Any]:
    frame, _, kwargs = yield from matched(frame, (), kwargs)
    made = graph.per_chunk(partial(_call_with_numbers, name), frame, **kwargs)
    if name in ("where", "mask", "clip", "replace"):
        made = graph.even(made, frame)
    return graph.to_array(made, dtype=bool) if isinstance(graph.promised(), TensorMeta) else made


def _call_with_numbers(name: str, piece: Any, **kwargs: Any) -> Any:
    """pandas' method on a piece; arrays of no axes, which reductions of tensors give, are numbers."""
    return call(
        name, piece, **{k: v[()] if type(v) is np.ndarray and not v.ndim else v for k, v in kwargs.items()}
    )


def _row_by_row_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    """pandas' own on made-up rows of which a condition takes one; lazy numbers are no whole ones."""
    for key, value in kwargs.items():
        if isinstance(value, TensorMeta) and not value.shape and value.dtype.kind == "f":
            kwargs[key] = value.dtype.type(1.5)
        elif isinstance(value, FrameMeta):
            by_column, holes = by_rows(frame, kwargs), name != "clip" and key != "cond"
            kwargs[key] = beside(frame, value, by_column=by_column, holes=holes, above=key != "upper")
    if name in ("where", "mask"):
        kwargs["cond"] = _one_true(sampled(kwargs["cond"]))
    return kept_rows(frame, example(call, name, frame, **kwargs))


def kept_rows(frame: FrameMeta, result: Any) -> FrameMeta | TensorMeta:
    """Metadata of what pandas made of a frame's rows, or of an example: of an index that may be an array."""
    made = result.value if isinstance(result, Example) else result
    is_array = isinstance(made, np.ndarray)
    return TensorMeta((frame.length,), made.dtype) if is_array else frame.same(result)


def _one_true(cond: Any) -> Any:
    if not hasattr(cond, "shape") or not len(cond.shape):
        return cond
    cond = cond.copy()
    (cond.iloc if hasattr(cond, "iloc") else cond)[0] = False
    return cond


def row_by_row_demands(node: Node, mine: Demand) -> list[Demand]:
    """The frame's columns one by one, unless another frame takes part; everything where labels are aligned."""
    frame, *rest = inputs(node)
    known = meta(frame)
    others = [found for found in map(meta, rest) if isinstance(found, FrameMeta)]
    if any(other.rows != known.rows for other in others):
        return [EVERYTHING] * (len(rest) + 1)
    alone = not by_rows(known, node.kwargs) and not any(other.ndim == 2 for other in others)
    every = mine.of(None)
    return [mine if alone else every, *[every] * len(rest)]


def _apart(self: Any, kwargs: dict[str, Any], names: Iterable[str]) -> Any:
    """Arguments aligned to the frame, but for those of some names, which go to every chunk as a whole."""
    apart = {name: one_chunk(kwargs.pop(name)) for name in names}
    first = aligned(self, kwargs)
    kwargs |= apart
    return first


def _choice(self: Any, kwargs: dict[str, Any]) -> Any:
    other = kwargs.get("other")
    if callable(other) and not isinstance(other, Handle):
        kwargs["other"] = other = other(self)
    kwargs.pop("errors", None)
    by_column = isinstance(other, Series) and by_rows(self, kwargs)
    return _apart(self, kwargs, ["other"] if by_column else [])


def _limits(self: Any, kwargs: dict[str, Any]) -> Any:
    listed = (pd.Series, Series, list, np.ndarray) if by_rows(self, kwargs) else ()
    return _apart(self, kwargs, [k for k, v in kwargs.items() if isinstance(v, listed)])


rows("where", arrange=_choice)
rows("mask", arrange=_choice)
rows("clip", arrange=_limits)
rows("round", arrange=lambda self, kwargs: _apart(self, kwargs, list(kwargs)))
rows("abs")
rows("between", owners=("Series",))


def _replaced(self: Any, kwargs: dict[str, Any]) -> None:
    """What is replaced and by what is no data by row: whole series and arrays of it go to every chunk."""
    for key in kwargs.keys() & {"to_replace", "value"}:
        value = kwargs[key]
        listed = local(value) if isinstance(value, Handle) and value.ndim else value
        kwargs[key] = listed.tolist() if isinstance(listed, (np.ndarray, pd.Index)) else listed


rows("replace", arrange=_replaced)


def _members(self: Any, kwargs: dict[str, Any]) -> Any:
    values = kwargs["values"]
    if isinstance(values, (str, bytes)) or np.isscalar(values):
        raise ArgumentTypeError(
            f"only list-like or dict-like objects are allowed to be passed to isin(), you passed a `{type(values).__name__}`"
        )
    if isinstance(values, (set, frozenset, tuple, range)):
        kwargs["values"] = list(values)
    elif self.ndim == 2 and isinstance(values, (DataFrame, pd.DataFrame, Series, pd.Series)):
        return aligned(self, kwargs)
    elif isinstance(values, (pd.Series, pd.Index)):
        kwargs["values"] = values.array
    elif isinstance(values, dict):
        series = {k: v for k, v in values.items() if isinstance(v, (Series, pd.Series))}
        first, _, brought = together(self, [], series)  # by label, as each column is among a series
        sets_of = {k: _value_set(_row_of(v)) for k, v in values.items() if isinstance(v, Handle)}
        kwargs["values"] = values | sets_of | brought
        return first
    elif isinstance(values, Handle):
        one = _row_of(values)
        plain = isinstance(self, Series) and sets.settable(self.dtype, one.dtype)
        kwargs["values"] = registry.make("frame.members", one) if plain else _value_set(one)
    return None


def _row_of(values: Any) -> Any:
    """The elements of a tensor as a series; a series or index as it is."""
    return as_frame(values if values.ndim == 1 else values.ravel())


def _value_set(values: Any) -> Any:
    """The values of a series or an index, wherever they are."""
    return registry.make("frame.value_set", values)


@lowered("frame.value_set", traits=["blind"], meta=lambda frame: frame.fewer(pd.Index(frame.empty)))
def value_set(frame: Chunks) -> Chunks:
    """The distinct values of a series or index, joined in a tree: one chunk, an index, as frames align series by label."""
    distinct = partial(call, "drop_duplicates")
    return graph.per_chunk(pd.Index, tree(graph.per_chunk(distinct, frame, lengths=None), distinct))


@lowered("frame.members", traits=["blind"], meta=FrameMeta.fewer)
def members(frame: Chunks) -> Chunks:
    """The values of a series or index as a set, in one chunk: joined in a tree, and asked by every chunk of another."""
    dtype = frame.empty.dtype
    parts = graph.per_chunk(sets.part, frame, lengths=None)
    return graph.tree(parts, partial(sets.together, dtype=dtype), partial(sets.Members, dtype=dtype))


def _isin_demands(node: Node, mine: Demand) -> list[Demand]:
    values = node.kwargs.get("values")
    found = list(values.values()) if isinstance(values, dict) else [values]
    if all(each.op in ("frame.value_set", "frame.members") for each in found if type(each) is Node):
        return [mine, *[Demand(None, False, False)] * (len(inputs(node)) - 1)]
    return row_by_row_demands(node, mine)


def _isin_meta(frame: FrameMeta, values: Any) -> FrameMeta:
    """Booleans in the place of each element: pandas, which is asked what values are good, wants the labels of frames to be distinct."""
    if isinstance(values, FrameMeta):
        return frame.same(frame.empty.astype(bool))
    if isinstance(values, dict):
        values = {k: [] if isinstance(v, FrameMeta) else v for k, v in values.items()}
    return same_rows_meta("isin", frame, values=values)


def _isin(frame: Chunks, values: Any) -> Chunks:
    """Whether each element is among `values`: a list, a lazy series or tensor, a dict by column, an aligned frame or series."""
    lazy = [k for k, v in values.items() if isinstance(v, Chunks)] if isinstance(values, dict) else []
    by_row = {k: values[k] for k in lazy if values[k].meta.kind == "Series"}
    rest = {k: v for k, v in values.items() if k not in by_row} if by_row else values
    return graph.per_chunk(_among, frame, rest, list(by_row), *by_row.values())


def _among(chunk: Any, values: Any, columns: Sequence[Any] = (), *by_row: pd.Series) -> Any:
    if isinstance(values, sets.Members):
        return values.of(chunk)
    if columns:
        values = values | dict(zip(columns, by_row, strict=True))
    return texts.answered(chunk, lambda each: each.isin(values))


method("isin", _isin, arrange=_members, meta=_isin_meta, demands=_isin_demands, status="delegated")


@public("frame.case_when", owners=["Series"])
def case_when(self: Any, caselist: Any) -> Any:
    """Where a condition holds its replacement, the first that holds; else the series."""
    if not isinstance(caselist, list):
        raise ArgumentTypeError(
            f"The caselist argument should be a non-empty list; instead got {type(caselist)}"
        )
    if not caselist:
        raise ArgumentError(
            "case_when(caselist=[]): provide at least one boolean condition, with a corresponding replacement."
        )
    flat: dict[str, Any] = {}
    for i, pair in enumerate(caselist):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(f"case_when(caselist=): item {i} is no tuple of condition and replacement.")
        flat |= {f"c{i}": pair[0], f"r{i}": pair[1]}
    return registry.make("frame.case_when", aligned(self, flat), **flat)


def _cases(chunk: pd.Series, **flat: Any) -> pd.Series:
    return chunk.case_when([(flat[f"c{i}"], flat[f"r{i}"]) for i in range(len(flat) // 2)])


def _cases_meta(frame: FrameMeta, **flat: Any) -> FrameMeta:
    flat = {k: beside(frame, v) if isinstance(v, FrameMeta) else v for k, v in flat.items()}
    return frame.same(pandas_on_samples(_cases, frame, **flat))


@lowered(
    "frame.case_when",
    status="delegated",
    demands=row_by_row_demands,
    meta=_cases_meta,
)
def _case_when(frame: Chunks, **flat: Any) -> Any:
    frame, _, flat = yield from matched(frame, (), flat)
    return graph.per_chunk(_cases, frame, **flat)
