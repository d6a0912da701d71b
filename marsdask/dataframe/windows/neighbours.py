"""Operations whose rows need rows of other chunks: shift, diff, fills, and everything windowed.

Each chunk is given the rows before (and after) it that it needs, however short the chunks between are: small chains of
tails (heads) carry them on. What a joined piece makes of its own rows is the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.rows.families import by_rows, call, method, same_rows_meta
from marsdask.errors import ArgumentError
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, frame_meta

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


def whole_number(value: Any, what: str) -> int:
    """An int from what pandas takes as one."""
    if isinstance(value, (float, np.floating)) and value == int(value):
        value = int(value)
    return checks.whole(value, what)


def _moved(name: str, frame: Chunks, **kwargs: Any) -> Chunks:
    does = partial(call, name, **kwargs)
    freq = kwargs.get("freq")
    if freq is not None:
        return graph.per_chunk(does, frame if name == "shift" and freq != "infer" else graph.gather(frame))
    if by_rows(frame.empty, kwargs):
        return graph.even(graph.per_chunk(does, frame), frame)
    periods = kwargs.get("periods", 1)
    listed = periods if isinstance(periods, (list, tuple, range, np.ndarray)) else [periods]
    each = [whole_number(p, f"{name}(periods=)") for p in listed]
    back, ahead = max([*each, 0]), -min([*each, 0])
    if not back and not ahead:
        return graph.per_chunk(does, frame)
    return with_neighbours(
        frame, does, partial(last_rows, back) if back else None, partial(first_rows, ahead) if ahead else None
    )


def _moved_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    freq = kwargs.get("freq")
    if freq == "infer":
        kwargs["freq"] = "D"
    elif frame.length == 0:
        return frame_meta(call(name, frame.empty, **kwargs), 0, frame.rows, ranged=frame.ranged)
    known = same_rows_meta(name, frame, **kwargs)
    return known if freq is None else FrameMeta(known.empty, frame.length, Rows())


for _name, _doc in (
    ("shift", "Rows moved down by `periods`, over chunk borders; with freq= the labels are moved instead."),
    ("diff", "Each row minus the one `periods` before."),
    ("pct_change", "Each row's change relative to the one `periods` before."),
):
    method(_name, partial(_moved, _name), meta=partial(_moved_meta, _name), doc=_doc)


def fill(name: str, frame: Chunks, kwargs: dict[str, Any]) -> Chunks:
    """ffill or bfill over chunk borders: one row of last (next) values is carried, or `limit` rows."""
    does = partial(call, name, **kwargs)
    if by_rows(frame.empty, kwargs):
        return graph.even(graph.per_chunk(does, frame), frame)
    if kwargs.get("limit_area") is not None:
        return graph.per_chunk(does, graph.gather(frame))
    limit = kwargs.get("limit")
    if name == "ffill":
        return with_neighbours(frame, does, partial(last_rows, limit) if limit else _last_values, None)
    return with_neighbours(frame, does, None, partial(first_rows, limit) if limit else _next_values)


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


def check_limit(limit: Any, what: str) -> None:
    """How many holes are filled at most: pandas' own words where that is no number above 0."""
    whole = isinstance(limit, (int, np.integer)) and not isinstance(limit, bool)
    if limit is not None and not (whole and limit > 0):
        raise ArgumentError(f"{checks.given(what, limit)}: Limit must be greater than 0.")


def _check_fill(self: Any, kwargs: dict[str, Any]) -> None:
    check_limit(kwargs.get("limit"), "limit")


for _name, _like, _lower in (
    ("ffill", "ffill", _ffill),
    ("bfill", "bfill", _bfill),
    ("pad", "ffill", _ffill),
    ("backfill", "bfill", _bfill),
):
    method(_name, _lower, like=_like, arrange=_check_fill)


def _interpolated_meta(frame: FrameMeta, **kwargs: Any) -> FrameMeta:
    return replace(same_rows_meta("interpolate", frame, **kwargs), rows=Rows())


def _interpolate(frame: Chunks, **kwargs: Any) -> Chunks:
    """pandas' `interpolate`."""
    return graph.per_chunk(partial(call, "interpolate"), graph.gather(frame), **kwargs)


method("interpolate", _interpolate, meta=_interpolated_meta, demands=None, status="gathered")


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


def _cumulate(kind: str, frame: Chunks, **kwargs: Any) -> Chunks:
    own = graph.per_chunk(partial(call, kind), frame, **kwargs)
    if by_rows(frame.empty, kwargs) or frame.count == 1:
        return own
    state = partial(_state, kind, kwargs.get("skipna", True))
    states = graph.per_chunk(state, own, label="last", lengths=None)
    before = graph.scan(states, partial(_next_state, kind), None, label="before")
    return graph.per_chunk(partial(_continued, kind), own, before)


for _name in ("cumsum", "cumprod", "cummax", "cummin"):
    method(
        _name, partial(_cumulate, _name), doc=f"The {_name[3:]} of all rows up to each, over chunk borders."
    )
