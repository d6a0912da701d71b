"""Operations whose rows need rows of other chunks: shift, diff, fills, and everything windowed.

Each chunk is given the rows before (and after) it that it needs, however short the chunks between are: small chains of
tails (heads) carry them on. What a joined piece makes of its own rows is the result.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.chunkwise import done, pandas_on_samples
from marsdask.dataframe.core import frame_meta
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import Op, add

Keeper = Callable[[Any], Any]
"""What of a piece the next chunks may need: its last (or first) rows."""


def last_rows(n: int, piece: Any) -> Any:
    return piece.iloc[max(len(piece) - n, 0) :]


def first_rows(n: int, piece: Any) -> Any:
    return piece.iloc[:n]


def _after(keep: Keeper, state: Any, part: Any) -> Any:
    return keep(_joined([state, part]))


def _before(keep: Keeper, state: Any, part: Any) -> Any:
    return keep(_joined([part, state]))


def _joined(parts: Sequence[Any]) -> Any:
    full = [p for p in parts if p is not None and len(p)]
    if not full:
        return next((p for p in parts if p is not None), None)
    return full[0] if len(full) == 1 else pd.concat(full)


def with_neighbours(
    frame: Chunks, does: Callable[..., Any], before: Keeper | None, after: Keeper | None, *args: Any, **kwargs: Any
) -> Chunks:  # fmt: skip
    """`does(joined rows)` cut to each chunk's own rows, joined with the rows before and after it that are kept."""
    head: Any = None
    tail: Any = None
    if before is not None and frame.count > 1:
        head = graph.scan(
            graph.per_chunk(before, frame, label="tail", lengths=None),
            partial(_after, before),
            None,
            label="before",
        )
    if after is not None and frame.count > 1:
        tail = graph.scan(
            graph.per_chunk(after, frame, label="head", lengths=None),
            partial(_before, after),
            None,
            reverse=True,
            label="after",
        )
    return graph.even(graph.per_chunk(_own_rows, frame, does, head, tail, args, kwargs), frame)


def _own_rows(chunk: Any, does: Callable[..., Any], head: Any, tail: Any, args: Any, kwargs: Any) -> Any:
    start = 0 if head is None else len(head)
    whole = does(_joined([head, chunk, tail]) if len(chunk) else chunk, *args, **kwargs)
    return whole.iloc[start : start + len(chunk)] if len(chunk) else whole


def method(name: str, piece: Any, **kwargs: Any) -> Any:
    """pandas' method on a piece."""
    return getattr(piece, name)(**kwargs)


def by_rows(frame: Any, kwargs: dict[str, Any]) -> bool:
    """Whether an operation goes along each row: then chunks are independent."""
    return frame.ndim == 2 and kwargs.get("axis", 0) in (1, "columns")


def same_rows_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    result = pandas_on_samples(partial(method, name), frame, **kwargs)
    return frame_meta(result, frame.length, frame.rows, ranged=frame.ranged, labels=frame.labels)


def column_demands(node: Node, mine: Demand) -> list[Demand]:
    """Each column of the result needs that column alone, in the rows' order."""
    columns = None if node.kwargs.get("axis", 0) not in (0, None, "index", "rows") else mine.columns
    return [Demand(columns, True, mine.labels)]


def register(
    name: str, lower: Callable[..., Any], *, meta: Callable[..., Any] | None = None, signature: inspect.Signature | None = None,
    owners: tuple[str, ...] = ("DataFrame", "Series"), extra: Sequence[inspect.Parameter] = (), check: Callable[..., Any] | None = None, prepare: Callable[..., Any] | None = None,
    demands: Callable[..., Any] | None = column_demands, status: Any = "tiled", source: str = "", aliases: tuple[str, ...] = (),
) -> None:  # fmt: skip
    """Register a method of pandas under its names, with pandas' signature and only the arguments that were given."""
    kind = inspect.Parameter
    where = getattr(pd.DataFrame, source or name, None) or getattr(pd.Series, source or name)
    own = signature or inspect.signature(where)
    parameters = [p.replace(annotation=kind.empty, kind=kind.POSITIONAL_OR_KEYWORD) for p in own.parameters.values()
                  if p.kind not in (kind.VAR_KEYWORD, kind.VAR_POSITIONAL)]  # fmt: skip
    shown = inspect.Signature([*parameters, *extra])
    defaults = {p.name: p.default for p in shown.parameters.values()}
    for each in (name, *aliases):

        def arranged(self: Any, **given: Any) -> Any:
            inplace = given.pop("inplace", False)
            kwargs = {k: v for k, v in given.items() if v is not defaults[k]}
            brought = check(self, kwargs) if check is not None else None
            brought = self if brought is None else brought
            return done(
                self,
                registry.make(f"frame.{name}", brought, **kwargs),
                False if inplace is pd.api.extensions.no_default else inplace,
            )

        add(
            Op(
                name=f"frame.{each}", room="dataframe", lower=lower, signature=shown, status=status,
                meta=meta or partial(same_rows_meta, source or name), owners=owners, function=False, prepare=prepare or arranged,
                demands=demands,
            )
        )  # fmt: skip


def whole_number(name: str, value: Any, argument: str = "periods") -> int:
    """An int from what pandas takes as one."""
    if isinstance(value, (float, np.floating)) and value == int(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError(f"{name}({argument}={value!r}): expected a whole number.")
    return int(value)


def _shift(frame: Chunks, **kwargs: Any) -> Chunks:
    """Rows moved down by `periods`, over chunk borders; with freq= the labels are moved instead."""
    return moved("shift", frame, kwargs)


def _diff(frame: Chunks, **kwargs: Any) -> Chunks:
    """Each row minus the one `periods` before."""
    return moved("diff", frame, kwargs)


def _pct_change(frame: Chunks, **kwargs: Any) -> Chunks:
    """Each row's change relative to the one `periods` before."""
    return moved("pct_change", frame, kwargs)


def moved(name: str, frame: Chunks, kwargs: dict[str, Any]) -> Chunks:
    """An operation that compares rows at a fixed distance."""
    does = partial(method, name, **kwargs)
    if kwargs.get("freq") is not None:
        return (
            graph.per_chunk(does, frame)
            if name == "shift" and kwargs["freq"] != "infer"
            else graph.per_chunk(does, graph.gather(frame))
        )
    if by_rows(frame.empty, kwargs):
        return graph.even(graph.per_chunk(does, frame), frame)
    periods = kwargs.get("periods", 1)
    each = [
        whole_number(name, p)
        for p in (periods if isinstance(periods, (list, tuple, range, np.ndarray)) else [periods])
    ]
    back, ahead = max([*each, 0]), max([-p for p in each] + [0])
    if not back and not ahead:
        return graph.per_chunk(does, frame)
    return with_neighbours(
        frame, does, partial(last_rows, back) if back else None, partial(first_rows, ahead) if ahead else None
    )


def _moved_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    if kwargs.get("freq") == "infer":
        result = pandas_on_samples(partial(method, name), frame, **{**kwargs, "freq": "D"})
        return frame_meta(result, frame.length, Rows())
    if frame.length == 0:
        return frame_meta(method(name, frame.empty, **kwargs), 0, frame.rows, ranged=frame.ranged)
    known = same_rows_meta(name, frame, **kwargs)
    return known if kwargs.get("freq") is None else FrameMeta(known.empty, frame.length, Rows(), False)


for _name, _lower in (("shift", _shift), ("diff", _diff), ("pct_change", _pct_change)):
    register(_name, _lower, meta=partial(_moved_meta, _name))


def fill(name: str, frame: Chunks, kwargs: dict[str, Any]) -> Chunks:
    """ffill or bfill over chunk borders: one row of last (next) values is carried, or `limit` rows."""
    does = partial(method, name, **kwargs)
    if by_rows(frame.empty, kwargs):
        return graph.even(graph.per_chunk(does, frame), frame)
    if kwargs.get("limit_area") is not None:
        return graph.per_chunk(does, graph.gather(frame))
    limit = kwargs.get("limit")
    if name == "ffill":
        keep: Keeper = partial(last_rows, limit) if limit is not None else partial(_last_values)
        return with_neighbours(frame, does, keep, None)
    keep = partial(first_rows, limit) if limit is not None else partial(_next_values)
    return with_neighbours(frame, does, None, keep)


def _last_values(piece: Any) -> Any:
    return piece.ffill().iloc[-1:]


def _next_values(piece: Any) -> Any:
    return piece.bfill().iloc[:1]


def _ffill(frame: Chunks, **kwargs: Any) -> Chunks:
    """Holes filled with the last value before, over chunk borders."""
    return fill("ffill", frame, kwargs)


def _bfill(frame: Chunks, **kwargs: Any) -> Chunks:
    """Holes filled with the next value after, over chunk borders."""
    return fill("bfill", frame, kwargs)


def _check_fill(self: Any, kwargs: dict[str, Any]) -> None:
    limit = kwargs.get("limit")
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, (int, np.integer)) or limit <= 0
    ):
        raise ArgumentError(f"limit={limit!r}: Limit must be greater than 0.")


register("ffill", _ffill, check=_check_fill)
register("bfill", _bfill, check=_check_fill)
for _old, _new in (("pad", "ffill"), ("backfill", "bfill")):
    register(_old, _ffill if _new == "ffill" else _bfill, source=_new, check=_check_fill)


def gathered(name: str, **entry: Any) -> None:
    """Register a method of pandas that needs all rows at once and is rare: in one chunk."""

    def lower(frame: Chunks, **kwargs: Any) -> Chunks:
        return graph.per_chunk(partial(method, name), graph.gather(frame), **kwargs)

    lower.__doc__ = f"pandas' `{name}`."
    register(name, lower, status="gathered", demands=None, meta=partial(_gathered_meta, name), **entry)


def _gathered_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    known = same_rows_meta(name, frame, **kwargs)
    return FrameMeta(known.empty, frame.length, Rows(), frame.ranged, frame.labels)


gathered(
    "interpolate",
)


def _state(kind: str, skipna: bool, piece: Any) -> list[Any] | None:
    """The last cumulated value of each column; None where there is none yet."""
    if not len(piece):
        return None
    columns = [piece] if piece.ndim == 1 else [piece.iloc[:, i] for i in range(piece.shape[1])]
    if not skipna:
        return [c.iloc[-1] for c in columns]
    valid = [c.dropna() for c in columns]
    return [v.iloc[-1] if len(v) else None for v in valid]


def _next_state(kind: str, state: list[Any] | None, part: list[Any] | None) -> list[Any] | None:
    if state is None or part is None:
        return part if state is None else state
    return [
        b if a is None else a if b is None else _two(kind, a, b) for a, b in zip(state, part, strict=True)
    ]


def _two(kind: str, a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        if kind in ("cumsum", "cumprod"):
            return a + b if kind == "cumsum" else a * b
        if pd.isna(a) or pd.isna(b):
            return a if pd.isna(a) else b
        return max(a, b) if kind == "cummax" else min(a, b)


def _continued(kind: str, piece: Any, state: list[Any] | None) -> Any:
    """A chunk's own cumulation, after what was before it."""
    if state is None:
        return piece
    if piece.ndim == 1:
        return _continue(kind, piece, state[0])
    columns = {i: _continue(kind, piece.iloc[:, i], state[i]) for i in range(piece.shape[1])}
    return pd.DataFrame(columns, index=piece.index).set_axis(piece.columns, axis=1)


def _continue(kind: str, column: pd.Series, before: Any) -> pd.Series:
    if before is None:
        return column
    if kind in ("cumsum", "cumprod"):
        return (before + column if kind == "cumsum" else before * column).rename(column.name)
    if pd.isna(before):
        return column.where(np.zeros(len(column), bool), before)
    keeps = (column >= before) if kind == "cummax" else (column <= before)
    return column.where(keeps.fillna(True).astype(bool) | column.isna(), before)


def _cumulate(kind: str) -> Callable[..., Any]:
    def lower(frame: Chunks, **kwargs: Any) -> Chunks:
        own = graph.per_chunk(partial(method, kind), frame, **kwargs)
        if by_rows(frame.empty, kwargs) or frame.count == 1:
            return own
        states = graph.per_chunk(
            partial(_state, kind, kwargs.get("skipna", True)), own, label="last", lengths=None
        )
        return graph.per_chunk(
            partial(_continued, kind),
            own,
            graph.scan(states, partial(_next_state, kind), None, label="before"),
        )

    lower.__doc__ = f"The {kind[3:]} of all rows up to each, over chunk borders."
    return lower


for _name in ("cumsum", "cumprod", "cummax", "cummin"):
    register(_name, _cumulate(_name))  # fmt: skip
