"""Windows: rolling, expanding and exponentially weighted, equal to pandas' over chunk borders.

Rolling windows are given the rows before (and, centred, after) each chunk that they reach. Expanding ones carry counts,
sums and moments. What a window may need of all rows works in one chunk.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import FrameHandle
from marsdask.dataframe.rows.alignment import pandas_on_samples, together
from marsdask.dataframe.rows.families import BOTH, pandas_signature
from marsdask.dataframe.windows.expanding import expand
from marsdask.dataframe.windows.neighbours import first_rows, last_rows, with_neighbours
from marsdask.errors import ArgumentTypeError, ColumnNotFound, UnknownName
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

PANDAS = {
    "rolling": pd.core.window.rolling.Rolling,
    "expanding": pd.core.window.expanding.Expanding,
    "ewm": pd.core.window.ewm.ExponentialMovingWindow,
}
SPANS = (
    "count", "sum", "mean", "median", "var", "std", "min", "max", "skew", "kurt", "sem", "quantile", "rank", "first", "last",
    "nunique", "apply", "agg", "aggregate", "cov", "corr",
)  # fmt: skip
NAMES = {
    "rolling": SPANS,
    "expanding": SPANS,
    "ewm": ("mean", "sum", "var", "std", "agg", "aggregate", "cov", "corr"),
}
CARRIED = ("count", "sum", "mean", "var", "std", "min", "max")
"""Expanding windows that need only a few numbers of the rows before."""


class Window:
    """A frame and how its rows are windowed; its methods are lazy frames. `w[column]` looks at some columns."""

    kind = ""

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


class Expanding(Window):
    """Windows of all rows up to each."""

    kind = "expanding"


class EWM(Window):
    """Exponentially weighted windows."""

    kind = "ewm"


ATTRIBUTES = {"rolling": ("min_periods", "center", "win_type", "on", "closed", "method", "window", "step"), "expanding": ("min_periods", "method"),
              "ewm": ("adjust", "alpha", "com", "ignore_na", "method", "min_periods")}  # fmt: skip
CLASSES: dict[str, type[Window]] = {"rolling": Rolling, "expanding": Expanding, "ewm": EWM}


def _attribute(name: str) -> Any:
    """What a window was made with, defaults as pandas'."""

    def get(self: Window) -> Any:
        if name in self._settings:
            return self._settings[name]
        if name in ("axis", "center"):
            return 0 if name == "axis" else False
        made = pandas_on_samples(_window, self._frame.known, self.kind, self._settings, self._picked)
        return getattr(made, name)

    return property(get)


for _kind, _found in ATTRIBUTES.items():
    for _name in ("axis", "center", *_found):
        setattr(CLASSES[_kind], _name, _attribute(_name))


def _window(frame: Any, kind: str, settings: dict[str, Any], picked: Any) -> Any:
    made = getattr(frame, kind)(**settings)
    return made if picked is None else made[picked]


def windowed(
    frame: Any, kind: str, settings: dict[str, Any], picked: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """pandas' own, on a piece."""
    return getattr(_window(frame, kind, settings, picked), name)(*args, **kwargs)


def _windowed_meta(
    frame: FrameMeta, kind: str, settings: Any, picked: Any, name: str, args: Any, kwargs: Any
) -> Any:
    result = pandas_on_samples(windowed, frame, kind, settings, picked, name, args, kwargs)
    several = name in ("cov", "corr") or any(isinstance(a, FrameMeta) for a in (*args, *kwargs.values()))
    if several or settings.get("step"):
        return frame_meta(result, float("nan"), Rows())
    return frame.same(result)


def _windowed_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, _, settings, picked, name = node.args[:5]
    if len(inputs(node)) > 1 or name in ("agg", "aggregate", "cov", "corr"):
        return [EVERYTHING] * len(inputs(node))
    on = settings.get("on")
    columns = mine.columns
    if picked is not None:
        columns = frozenset(picked if isinstance(picked, list) else [picked])
    if columns is not None and on is not None:
        columns = columns | {on}
    timed = (
        not isinstance(settings.get("window"), (int, np.integer))
        and on is None
        and node.args[1] != "expanding"
    )
    return [Demand(columns if meta(frame).ndim == 2 else None, True, mine.labels or timed)]


@lowered("frame.windowed", meta=_windowed_meta, demands=_windowed_demands)
def windowed_chunks(
    frame: Chunks, kind: str, settings: Any, picked: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """What windows give, chunk by chunk where each is given the rows it needs, else in one chunk."""
    does = partial(_whole_call, kind, settings, picked, name)
    alone = not any(isinstance(a, Chunks) for a in (*args, *kwargs.values())) and name not in ("cov", "corr")
    if frame.count > 1 and alone and kind == "rolling" and (reach := _reach(settings)) is not None:
        before, after = reach
        return with_neighbours(frame, does, before, after, *args, **kwargs)
    plain = kind == "expanding" and name in CARRIED and not args and kwargs.keys() <= {"ddof", "numeric_only"}
    if frame.count > 1 and plain:
        return expand(frame, settings, picked, name, kwargs)
    done = graph.per_chunk(
        _flat_call,
        graph.gather(frame),
        does,
        len(args),
        list(kwargs),
        *map(_gathered, (*args, *kwargs.values())),
    )
    return done if alone and not settings.get("step") else done.with_lengths((float("nan"),))


def _gathered(value: Any) -> Any:
    return graph.gather(value) if isinstance(value, Chunks) else value


def _whole_call(
    kind: str, settings: Any, picked: Any, name: str, piece: Any, *args: Any, **kwargs: Any
) -> Any:
    return windowed(piece, kind, settings, picked, name, args, kwargs)


def _flat_call(piece: Any, does: Callable[..., Any], count: int, names: list[str], *values: Any) -> Any:
    return does(piece, *values[:count], **dict(zip(names, values[count:], strict=True)))


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
    return partial(_recent, span, on), partial(_soon, span, on) if center else None


def _times(piece: Any, on: Any) -> Any:
    return piece.index if on is None else pd.Index(piece[on])


def _recent(span: pd.Timedelta, on: Any, piece: Any) -> Any:
    """The last rows whose time is within `span` of the last."""
    times = _times(piece, on)
    if not len(times):
        return piece
    near = np.abs(times[-1] - times) <= span
    return piece.iloc[int(np.argmax(near)) if near.any() else len(piece) - 1 :]


def _soon(span: pd.Timedelta, on: Any, piece: Any) -> Any:
    times = _times(piece, on)
    if not len(times):
        return piece
    near = np.abs(times - times[0]) <= span
    return piece.iloc[: len(near) - int(np.argmax(near[::-1]))]


GONE = {"rolling": {"axis": 0}, "expanding": {"center": None, "axis": 0}, "ewm": {"axis": 0}}
"""Parameters of Mars that pandas 3 has no longer."""


def _construct(kind: str) -> None:
    """df.rolling(...), df.expanding(...), df.ewm(...)."""
    kinds = inspect.Parameter
    own = pandas_signature(kind).parameters
    gone = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=d) for n, d in GONE[kind].items() if n not in own]
    signature = pandas_signature(kind, gone)
    public(
        f"frame.{kind}",
        room="dataframe",
        owners=BOTH,
        signature=signature,
        direct=False,
        doc=f"Windows over the rows: an object whose methods are lazy frames, as pandas' `{kind}`.",
    )(partial(_windows, kind, {p.name: p.default for p in signature.parameters.values()}))


def _windows(kind: str, defaults: dict[str, Any], self: Any, **given: Any) -> Window:
    if given.pop("axis", 0) not in (0, "index"):
        raise ArgumentTypeError(f"{kind}(axis=1): windows go over rows. Hint: df.T.{kind}(...).")
    if kind == "expanding":
        given.pop("center", None)
    return CLASSES[kind](self, {k: v for k, v in given.items() if v is not defaults[k] or k == "window"})


def _method(kind: str, name: str) -> None:
    """One method of a window class."""
    kinds = inspect.Parameter
    found = inspect.signature(getattr(PANDAS[kind], name)).parameters.values()
    parameters = [p.replace(annotation=kinds.empty) for p in found]
    loose = [p.name for p in parameters if p.kind is kinds.VAR_KEYWORD]
    if not loose:
        loose = ["weights"]  # what a win_type takes: std=, tau=
        parameters.append(kinds("weights", kinds.VAR_KEYWORD))
    owner = CLASSES[kind].__name__
    carried = kind == "rolling" or (kind == "expanding" and name in CARRIED)
    public(
        f"{owner}.{name}",
        room="dataframe",
        owners=[owner],
        status="tiled" if carried else "gathered",
        signature=inspect.Signature(parameters),
        direct=any(p.kind is kinds.VAR_POSITIONAL for p in parameters),
        doc=f"The {name} of each window, as pandas'.",
    )(partial(_called, name, loose[0]))


def _called(name: str, loose: str, self: Window, *args: Any, **kwargs: Any) -> Any:
    kwargs |= kwargs.pop(loose, {})
    frame = self._frame
    if any(isinstance(v, (FrameHandle, pd.Series, pd.DataFrame)) for v in (*args, *kwargs.values())):
        frame, args, kwargs = together(frame, args, kwargs)  # type: ignore[assignment]
    return registry.make(
        "frame.windowed", frame, self.kind, self._settings, self._picked, name, tuple(args), kwargs
    )


for _kind, _names in NAMES.items():
    _construct(_kind)
    for _name in _names:
        if hasattr(PANDAS[_kind], _name):
            _method(_kind, _name)
for _owner in (Rolling, Expanding, EWM):
    registry.attach(_owner, _owner.__name__)
