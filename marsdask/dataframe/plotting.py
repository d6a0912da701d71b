"""`plot`, `hist`, `boxplot`: run the columns that are drawn, and let pandas draw them with matplotlib."""

from __future__ import annotations

import importlib.util
from typing import Any

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, Series, local
from marsdask.errors import ArgumentError, MissingExtra, near
from marsdask.plan import registry
from marsdask.plan.registry import public

KINDS = ("line", "bar", "barh", "hist", "box", "kde", "density", "area", "pie", "scatter", "hexbin")


def _whole(frame: Any, names: list[Any]) -> Any:
    """pandas data of the columns that a plot names; all where it names none."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtra.needed("matplotlib", "plot", "plotting")
    if frame.ndim == 2:
        checks.columns((name for name in names if not isinstance(name, int)), frame)
        if names and all(name in frame.columns for name in names):
            frame = frame[list(dict.fromkeys(names))]
    return frame.to_pandas()


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


class PlotAccessor:
    """`df.plot(...)` and `df.plot.<kind>(...)`: run, then matplotlib Axes as pandas gives them."""

    def __init__(self, frame: Any):
        self._frame = frame

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        names = ("kind",) if self._frame.ndim == 1 else ("x", "y", "kind")
        kwargs = {k: local(v) for k, v in {**dict(zip(names, args, strict=False)), **kwargs}.items()}
        kind = kwargs.get("kind", "line")
        if kind not in KINDS:
            raise ArgumentError(f"plot(kind={kind!r}): {kind!r} is not a valid plot kind.{near(kind, KINDS)}")
        drawn: list[Any] = []
        if self._frame.ndim == 2 and (kwargs.get("y") is not None or kwargs.get("column") is not None):
            drawn = [n for key in ("x", "y", "by", "column") for n in _listed(kwargs.get(key))]
            extras = [kwargs.get(key) for key in ("c", "s", "C")]
            drawn += [v for v in extras if isinstance(v, str) and v in self._frame.columns]
        return _whole(self._frame, drawn).plot(**kwargs)


def _kind(name: str) -> Any:
    def method(self: PlotAccessor, *args: Any, **kwargs: Any) -> Any:
        by_x = self._frame.ndim == 2 and name in ("scatter", "hexbin", "line", "bar", "barh", "area")
        names = ("x", "y", "C" if name == "hexbin" else "s") if by_x else ("y",)
        return self(kind=name, **{**dict(zip(names, args, strict=False)), **kwargs})

    method.__name__ = name
    method.__doc__ = f"A plot of kind {name!r}; takes pandas' arguments."
    return method


for _name in KINDS:
    setattr(PlotAccessor, _name, _kind(_name))
registry.attach(PlotAccessor, "plot")

DataFrame.plot = Series.plot = property(PlotAccessor, doc="Plots; see PlotAccessor.")  # type: ignore[attr-defined]


@public("frame.hist", owners=["DataFrame", "Series"])
def hist(self: FrameHandle, column: Any = None, by: Any = None, **kwargs: Any) -> Any:
    """Histograms of the columns, as matplotlib Axes; runs."""
    column, by = local(column), local(by)
    return _drawn(self, column, by).hist(by=by, **({"column": column} if self.ndim == 2 else {}), **kwargs)


@public("DataFrame.boxplot", owners=["DataFrame"])
def boxplot(self: FrameHandle, column: Any = None, by: Any = None, **kwargs: Any) -> Any:
    """Box plots of the columns, as matplotlib Axes; runs."""
    column, by = local(column), local(by)
    return _drawn(self, column, by).boxplot(column=column, by=by, **kwargs)


def _drawn(frame: Any, column: Any, by: Any) -> Any:
    return _whole(frame, [] if column is None else [*_listed(column), *_listed(by)])
