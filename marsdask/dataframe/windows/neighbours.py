"""Operations whose rows need rows of other chunks: shift, diff, cumulations, and what fills and windows are made of.

Each chunk is given the rows before (and after) it that it needs, however short the chunks between are: small chains of
tails (heads) carry them on. What a joined piece makes of its own rows is the result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import local
from marsdask.dataframe.rows.alignment import columns_of
from marsdask.dataframe.rows.families import by_rows, call, method, same_rows_meta
from marsdask.errors import ArgumentError
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, frame_meta
from marsdask.plan.registry import public

Keeper = Callable[[Any], Any]
"""What of a piece the next chunks may need: its last (or first) rows."""


def last_rows(n: int, piece: Any) -> Any:
    return piece.iloc[max(len(piece) - n, 0) :]


def first_rows(n: int, piece: Any) -> Any:
    return piece.iloc[:n]


def _next_kept(keep: Keeper, reverse: bool, state: Any, part: Any) -> Any:
    return keep(_joined(part, state) if reverse else _joined(state, part))


def _joined(*parts: Any) -> Any:
    return graph.concat([p for p in parts if p is not None])


def with_neighbours(
    frame: Chunks, does: Callable[..., Any], before: Keeper | None, after: Keeper | None, *args: Any, **kwargs: Any
) -> Chunks:  # fmt: skip
    """`does(joined rows)` cut to each chunk's own rows, joined with the rows before and after it that are kept."""
    head, tail = _kept(frame, before, reverse=False), _kept(frame, after, reverse=True)
    return graph.even(graph.per_chunk(_own_rows, frame, does, head, tail, args, kwargs), frame)


def _kept(frame: Chunks, keep: Keeper | None, *, reverse: bool) -> Chunks | None:
    """What is kept of all rows before each chunk, or with `reverse` after it."""
    if keep is None or frame.count == 1:
        return None
    ends = graph.per_chunk(keep, frame, label="head" if reverse else "tail", lengths=None)
    step = partial(_next_kept, keep, reverse)
    return graph.scan(ends, step, None, reverse=reverse, label="after" if reverse else "before")


def _own_rows(chunk: Any, does: Callable[..., Any], head: Any, tail: Any, args: Any, kwargs: Any) -> Any:
    start = 0 if head is None else len(head)
    whole = does(_joined(head, chunk, tail) if len(chunk) else chunk, *args, **kwargs)
    return whole.iloc[start : start + len(chunk)] if len(chunk) else whole


def _moved(name: str, frame: Chunks, **kwargs: Any) -> Chunks:
    does = partial(call, name, **kwargs)
    freq = kwargs.get("freq")
    if freq is not None:
        return graph.per_chunk(does, frame if name == "shift" and freq != "infer" else graph.gather(frame))
    if by_rows(frame.empty, kwargs):
        return graph.even(graph.per_chunk(does, frame), frame)
    periods = kwargs.get("periods", 1)
    listed = periods if isinstance(periods, (list, tuple, range, np.ndarray)) else [periods]
    plain = (int(p) if isinstance(p, float) and p.is_integer() else p for p in listed)
    each = [checks.whole(p, f"{name}(periods=)") for p in plain]
    back, ahead = max([*each, 0]), -min([*each, 0])
    if not back and not ahead:
        return graph.per_chunk(does, frame)
    before, after = partial(last_rows, back), partial(first_rows, ahead)
    return with_neighbours(frame, does, before if back else None, after if ahead else None)


def _moved_meta(name: str, frame: FrameMeta, **kwargs: Any) -> Any:
    freq = kwargs.get("freq")
    if freq == "infer":
        kwargs["freq"] = "D"
    elif frame.length == 0:
        return frame_meta(call(name, frame.empty, **kwargs), 0, frame.rows, ranged=frame.ranged)
    known = same_rows_meta(name, frame, **kwargs)
    return known if freq is None else FrameMeta(known.made, frame.length, Rows())


def _filler(self: Any, kwargs: dict[str, Any]) -> None:
    """What stands where rows came from beyond the ends, which a run tells where it is lazy."""
    if "fill_value" in kwargs:
        kwargs["fill_value"] = local(kwargs["fill_value"])


for _name, _doc in (
    ("shift", "Rows moved down by `periods`, over chunk borders; with freq= the labels are moved instead."),
    ("diff", "Each row minus the one `periods` before."),
    ("pct_change", "Each row's change relative to the one `periods` before."),
):
    method(_name, partial(_moved, _name), arrange=_filler, meta=partial(_moved_meta, _name), doc=_doc)


@public("frame.tshift", owners=["DataFrame", "Series"])
def tshift(self: Any, periods: int = 1, freq: Any = None, axis: Any = 0) -> Any:
    """The labels moved by `periods` of `freq`: `shift(periods, freq=...)`. Those of columns (`axis=1`) are not moved: an error."""
    checks.choice(axis, "tshift(axis=)", (0, "index"))
    dated = isinstance(self.known.empty.index, (pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex))
    if freq is None and not dated:
        raise ArgumentError(
            "tshift(freq=None): freq was not set in the index, hence cannot be inferred. Hint: give freq=."
        )
    return self.shift(periods, freq="infer" if freq is None else freq)


def continued(piece: Any, states: list[Any] | None, does: Callable[..., pd.Series], *args: Any) -> Any:
    """A piece of `does(column, state, *args)` of each column and what was before it; as it is where nothing was."""
    if states is None:
        return piece
    made = [does(column, state, *args) for column, state in zip(columns_of(piece), states, strict=True)]
    if piece.ndim == 1:
        return made[0]
    return pd.DataFrame(dict(enumerate(made)), index=piece.index).set_axis(piece.columns, axis=1)


def states_before(parts: Chunks, state: Callable[..., Any], join: Callable[[Any, Any], Any]) -> Chunks:
    """What `join` makes of the states of all chunks before each: a list of its columns' states, or None."""
    states = graph.per_chunk(state, parts, label="last", lengths=None)
    return graph.scan(states, partial(_next_states, join), None, label="before")


def _next_states(join: Callable[[Any, Any], Any], state: list[Any] | None, part: list[Any] | None) -> Any:
    if state is None or part is None:
        return part if state is None else state
    return [join(a, b) for a, b in zip(state, part, strict=True)]


def _state(skipna: bool, piece: Any) -> list[Any] | None:
    """The last cumulated value of each column; None where there is none yet."""
    if not len(piece):
        return None
    valid = [c.dropna() if skipna else c for c in columns_of(piece)]
    return [_comparable(v).iloc[-1] if len(v) else None for v in valid]


def _comparable(column: pd.Series) -> pd.Series:
    """Values in whose order a column's are: of categories their numbers."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column
    return column.cat.codes.where(column.notna()).astype("Int64")


TWO = {"cumsum": operator.add, "cumprod": operator.mul, "cummax": max, "cummin": min}
"""What two cumulations make together."""


def _two(kind: str, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    if kind in ("cummax", "cummin") and (pd.isna(a) or pd.isna(b)):
        return a if pd.isna(a) else b
    with np.errstate(all="ignore"):
        return TWO[kind](a, b)


def _cumulated_column(column: pd.Series, before: Any, kind: str) -> pd.Series:
    if before is None:
        return column
    if kind in ("cumsum", "cumprod"):
        return TWO[kind](before, column).rename(column.name)
    if pd.isna(before):
        return column.where(np.zeros(len(column), bool), before)
    values = _comparable(column)
    keeps = (values >= before) if kind == "cummax" else (values <= before)
    before = column.cat.categories[before] if isinstance(column.dtype, pd.CategoricalDtype) else before
    return column.where(keeps.fillna(True).astype(bool) | column.isna(), before)


def _cumulate(kind: str, frame: Chunks, **kwargs: Any) -> Chunks:
    own = graph.per_chunk(partial(call, kind), frame, **kwargs)
    if by_rows(frame.empty, kwargs) or frame.count == 1:
        return own
    before = states_before(own, partial(_state, kwargs.get("skipna", True)), partial(_two, kind))
    return graph.per_chunk(continued, own, before, _cumulated_column, kind)


for _name in TWO:
    _doc = f"The {_name[3:]} of all rows up to each, over chunk borders."
    method(_name, partial(_cumulate, _name), doc=_doc)
