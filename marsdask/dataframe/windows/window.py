"""Windows: rolling, expanding and exponentially weighted, equal to pandas' over chunk borders.

Rolling windows are given the rows before (and, centred, after) each chunk that they reach. Expanding ones carry counts,
sums and moments. What a window may need of all rows works in one chunk.
"""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.rows.alignment import columns_of, pandas_on_samples, together
from marsdask.dataframe.rows.families import BOTH, pandas_signature
from marsdask.dataframe.windows.neighbours import (
    continued,
    first_rows,
    last_rows,
    states_before,
    with_neighbours,
)
from marsdask.errors import ArgumentTypeError, ColumnNotFound, UnknownName
from marsdask.plan import graph, moments, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.offered import Offered
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

SPANS = (
    "count", "sum", "mean", "median", "var", "std", "min", "max", "skew", "kurt", "sem", "quantile", "rank", "first", "last",
    "nunique", "apply", "agg", "aggregate", "cov", "corr",
)  # fmt: skip
CARRIED = ("count", "sum", "mean", "var", "std", "min", "max")
"""Expanding windows that need only a few numbers of the rows before."""


class Window(Offered):
    """A frame and how its rows are windowed; its methods are lazy frames. `w[column]` looks at some columns."""

    _inside = frozenset(["kind"])
    kind = ""
    _pandas: Any = None
    _methods: tuple[str, ...] = SPANS
    _settings_of: tuple[str, ...] = ()  # what it can be asked for: what it was made with
    _gone: dict[str, Any] = {"axis": 0}  # Mars's parameters that pandas 3 has no longer

    def __init__(self, frame: Any, settings: dict[str, Any], picked: Any = None):
        self._frame, self._settings, self._picked = frame, settings, picked
        pandas_on_samples(_window, frame.known, self.kind, settings, picked)

    def __getitem__(self, key: Any) -> Any:
        names = key if isinstance(key, list) else [key]
        for name in names:
            if self._frame.ndim == 1 or name not in self._frame.columns:
                raise ColumnNotFound.among(name, getattr(self._frame, "columns", ()))
        return type(self)(self._frame, self._settings, key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._frame.ndim == 2 and name in self._frame.columns:
            return self[name]
        raise UnknownName.among(type(self).__name__, name, dir(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={v!r}" for k, v in self._settings.items())
        return f"{type(self).__name__}({shown})"


class Rolling(Window):
    """Windows of a number of rows, or of a span of time, that end (or are centred) at each row."""

    kind = "rolling"
    _pandas = pd.core.window.rolling.Rolling
    _settings_of = ("min_periods", "win_type", "on", "closed", "method", "window", "step")


class Expanding(Window):
    """Windows of all rows up to each."""

    kind = "expanding"
    _pandas = pd.core.window.expanding.Expanding
    _settings_of = ("min_periods", "method")
    _gone = {"center": None, "axis": 0}


class EWM(Window):
    """Exponentially weighted windows."""

    kind = "ewm"
    _pandas = pd.core.window.ewm.ExponentialMovingWindow
    _methods = ("mean", "sum", "var", "std", "agg", "aggregate", "cov", "corr")
    _settings_of = ("adjust", "alpha", "com", "ignore_na", "method", "min_periods")


def _setting(name: str, self: Window) -> Any:
    """What a window was made with, defaults as pandas'."""
    known = {"axis": 0, "center": False, **self._settings}
    if name in known:
        return known[name]
    made = pandas_on_samples(_window, self._frame.known, self.kind, self._settings, self._picked)
    return getattr(made, name)


def _window(frame: Any, kind: str, settings: dict[str, Any], picked: Any) -> Any:
    made = getattr(frame, kind)(**settings)
    return made if picked is None else made[picked]


def windowed(
    kind: str, settings: dict[str, Any], picked: Any, name: str, piece: Any, *args: Any, **kwargs: Any
) -> Any:
    """pandas' own, on a piece; `raw` functions get arrays that pandas does not guard against being written into."""
    if "raw" in kwargs or args[1:]:
        piece = piece.copy()
    return getattr(_window(piece, kind, settings, picked), name)(*args, **kwargs)


def _windowed_meta(
    frame: FrameMeta, kind: str, settings: Any, picked: Any, name: str, args: Any, kwargs: Any
) -> Any:
    result = pandas_on_samples(partial(windowed, kind, settings, picked, name), frame, *args, **kwargs)
    several = name in ("cov", "corr") or any(isinstance(a, FrameMeta) for a in (*args, *kwargs.values()))
    fewer = several or settings.get("step")
    return frame_meta(result, float("nan"), Rows()) if fewer else frame.same(result)


def _windowed_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, kind, settings, picked, name = node.args[:5]
    if len(inputs(node)) > 1 or name in ("agg", "aggregate", "cov", "corr"):
        return [EVERYTHING] * len(inputs(node))
    on, columns = settings.get("on"), mine.columns
    if picked is not None:
        columns = frozenset(picked if isinstance(picked, list) else [picked])
    if columns is not None and on is not None:
        columns |= {on}
    counted = isinstance(settings.get("window"), (int, np.integer)) or kind == "expanding"
    labels = mine.labels or (on is None and not counted)
    return [Demand(columns if meta(frame).ndim == 2 else None, True, labels)]


@lowered("frame.windowed", meta=_windowed_meta, demands=_windowed_demands)
def windowed_chunks(
    frame: Chunks, kind: str, settings: Any, picked: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """What windows give, chunk by chunk where each is given the rows it needs, else in one chunk."""
    does = partial(windowed, kind, settings, picked, name)
    alone = not any(isinstance(a, Chunks) for a in (*args, *kwargs.values())) and name not in ("cov", "corr")
    if frame.count > 1 and alone and kind == "rolling" and (reach := _reach(settings)) is not None:
        return with_neighbours(frame, does, *reach, *args, **kwargs)
    plain = kind == "expanding" and name in CARRIED and not args and kwargs.keys() <= {"ddof", "numeric_only"}
    if frame.count > 1 and plain:
        numbers = graph.per_chunk(_numbers, frame, picked, kwargs.get("numeric_only", False))
        before = states_before(numbers, partial(_states, name), _joined_state)
        how = (settings.get("min_periods", 1), name, kwargs.get("ddof", 1))
        return graph.per_chunk(_expanded, numbers, before, *how)
    others: dict[str, Any] = {k: graph.gather(v) for k, v in kwargs.items() if isinstance(v, Chunks)}
    does = partial(does, **{k: v for k, v in kwargs.items() if k not in others})
    args = [graph.gather(a) if isinstance(a, Chunks) else a for a in args]
    done = graph.per_chunk(does, graph.gather(frame), *args, **others)
    return done if alone and not settings.get("step") else done.with_lengths((float("nan"),))


def _reach(settings: dict[str, Any]) -> Any:
    """What to keep before and after a chunk; None where pandas must see all rows."""
    window = settings.get("window")
    if settings.get("step") or isinstance(window, pd.api.indexers.BaseIndexer):
        return None
    center = settings.get("center", False)
    if isinstance(window, (int, np.integer)):
        return partial(last_rows, int(window)), partial(first_rows, int(window)) if center else None
    try:
        span = pd.Timedelta(window)
    except (ValueError, TypeError):
        span = pd.Timedelta(pd.tseries.frequencies.to_offset(window).nanos)
    on = settings.get("on")
    return partial(_near, span, on, True), partial(_near, span, on, False) if center else None


def _near(span: pd.Timedelta, on: Any, last: bool, piece: Any) -> Any:
    """The rows at the end (or the start) whose time is within `span` of the last (or the first)."""
    times = piece.index if on is None else pd.Index(piece[on])
    if not len(times):
        return piece
    near = np.abs(times[-1 if last else 0] - times) <= span
    if last:
        return piece.iloc[int(np.argmax(near)) if near.any() else len(piece) - 1 :]
    return piece.iloc[: len(near) - int(np.argmax(near[::-1]))]


State = tuple[int, Any, Any, Any, moments.State]
"""Of a column so far: rows, sum, smallest, largest, and the moments of its values."""


def _numbers(chunk: Any, picked: Any, numeric_only: bool) -> Any:
    chunk = chunk if picked is None else chunk[picked]
    if chunk.ndim == 2 and numeric_only:
        chunk = chunk[[c for c, d in chunk.dtypes.items() if pd.api.types.is_numeric_dtype(d)]]
    return chunk


def _floats(column: pd.Series, name: str) -> np.ndarray:
    """Numbers, among which pandas' windows take infinite ones for missing, but do count them, and whatever else is there."""
    if name == "count":
        return np.where(column.isna(), np.nan, 1.0)
    values = column.to_numpy(dtype="f8", na_value=np.nan)
    return np.where(np.isinf(values), np.nan, values)


def _states(name: str, chunk: Any) -> list[State]:
    return [_state(_floats(column, name)) for column in columns_of(chunk)]


def _state(column: np.ndarray) -> State:
    values = column[~np.isnan(column)]
    total = values.sum()
    ends = np.fmin.reduce(values, initial=np.nan), np.fmax.reduce(values, initial=np.nan)
    return len(column), total, *ends, moments.of(values, len(values), total)


def _joined_state(a: State, b: State) -> State:
    ends = np.fmin(a[2], b[2]), np.fmax(a[3], b[3])
    return a[0] + b[0], a[1] + b[1], *ends, moments.joined([a[4], b[4]])


def _expanded(chunk: Any, before: list[State] | None, *how: Any) -> Any:
    states = [_state(np.empty(0))] * len(columns_of(chunk)) if before is None else before
    return continued(chunk, states, _expanded_column, *how)


def _expanded_column(column: pd.Series, before: State, min_periods: int, name: str, ddof: int) -> pd.Series:
    """A column's windows, which go on from those `before`."""
    values = _floats(column, name)
    rows, total, smallest, largest, state = before
    there = ~np.isnan(values)
    count = np.cumsum(there)
    n = count + state[0]
    if name == "count":
        counted = np.where(np.arange(1, len(values) + 1) + rows >= min_periods, n, np.nan)
        return pd.Series(counted, index=column.index, name=column.name)
    with np.errstate(all="ignore"):
        if name in ("min", "max"):
            best, edge = (np.fmin, smallest) if name == "min" else (np.fmax, largest)
            found = best.accumulate(best(values, edge)) if len(values) else values
        elif name in ("sum", "mean"):
            found = np.cumsum(np.where(there, values, 0.0)) + total
            found = found / n if name == "mean" else found
        else:
            own = pd.Series(values).expanding(1)
            mean, square = own.mean().fillna(0).to_numpy(), own.var(ddof=0).fillna(0).to_numpy()
            _, _, square = moments.central(moments.joined([state, (count, mean, 0.0, square * count)]))
            found = moments.variance(n, square, ddof)
            found = np.sqrt(found) if name == "std" else found
    return pd.Series(np.where(n >= max(min_periods, 1), found, np.nan), index=column.index, name=column.name)


def _construct(windows: type[Window]) -> None:
    """df.rolling(...), df.expanding(...), df.ewm(...)."""
    kind = windows.kind
    signature = pandas_signature(kind, **windows._gone)
    doc = f"Windows over the rows: an object whose methods are lazy frames, as pandas' `{kind}`."
    made = partial(_windows, windows, {p.name: p.default for p in signature.parameters.values()})
    public(f"frame.{kind}", owners=BOTH, signature=signature, direct=False, doc=doc)(made)


def _windows(windows: type[Window], defaults: dict[str, Any], self: Any, **given: Any) -> Window:
    kind = windows.kind
    if given.pop("axis", 0) not in (0, "index"):
        raise ArgumentTypeError(f"{kind}(axis=1): windows go over rows. Hint: df.T.{kind}(...).")
    if kind == "expanding":
        given.pop("center", None)
    return windows(self, {k: v for k, v in given.items() if v is not defaults[k] or k == "window"})


def _method(windows: type[Window], name: str) -> None:
    """One method of a window class."""
    kinds, kind, owner = inspect.Parameter, windows.kind, windows.__name__
    found = inspect.signature(getattr(windows._pandas, name)).parameters.values()
    parameters = [p.replace(annotation=kinds.empty) for p in found]
    loose = [p.name for p in parameters if p.kind is kinds.VAR_KEYWORD]
    if not loose:
        loose = ["weights"]  # what a win_type takes: std=, tau=
        parameters.append(kinds("weights", kinds.VAR_KEYWORD))
    carried = kind == "rolling" or (kind == "expanding" and name in CARRIED)
    public(
        f"{owner}.{name}",
        owners=[owner],
        status="tiled" if carried else "gathered",
        signature=inspect.Signature(parameters),
        direct=any(p.kind is kinds.VAR_POSITIONAL for p in parameters),
        doc=f"The {name} of each window, as pandas'.",
    )(partial(_called, name, loose[0]))


def _called(name: str, loose: str, self: Window, *args: Any, **kwargs: Any) -> Any:
    kwargs |= kwargs.pop(loose, {})
    func = args[0] if args else kwargs.get("func")
    if isinstance(func, dict) and self._frame.ndim == 2:
        checks.columns(func, self._frame)
    frame, args, kwargs = together(self._frame, args, kwargs)  # type: ignore[assignment]
    how = (self.kind, self._settings, self._picked, name)
    return registry.make("frame.windowed", frame, *how, tuple(args), kwargs)


for _class in (Rolling, Expanding, EWM):
    _construct(_class)
    for _name in _class._methods:
        if hasattr(_class._pandas, _name):
            _method(_class, _name)
    for _name in ("axis", "center", *_class._settings_of):
        setattr(_class, _name, property(partial(_setting, _name)))
    registry.attach(_class, _class.__name__)
