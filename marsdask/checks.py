"""Checks of single arguments: each gives back the value in the form in which it is used, or raises an error that names it.

`what` is the argument as the error shows it: `checks.choice(method, "rank(method=)", ("average", "min"))` says
"rank(method='x'): expected 'average' or 'min'.", and `checks.choice(web, "web", ...)` says "web='x': expected ...".
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Collection, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, AxisError, ColumnNotFound, ShapeError


def given(what: str, value: object) -> str:
    """An argument with its value: "rank(method='x')"."""
    return what.replace("=)", f"={value!r})", 1) if "=)" in what else f"{what}={value!r}"


def choice(value: Any, what: str, allowed: Iterable[Any]) -> Any:
    """One of some values."""
    known = tuple(allowed)
    if not any(value is each or (type(value) is type(each) and value == each) for each in known):
        *first, last = map(repr, known)
        words = f"{', '.join(first)} or {last}" if first else last
        raise ArgumentError(f"{given(what, value)}: expected {words}.")
    return value


def flag(value: Any, what: str) -> bool:
    """True or False, NumPy's own too."""
    return bool(instance(value, what, (bool, np.bool_), "True or False"))


def whole(value: Any, what: str, least: int | None = None) -> int:
    """A whole number, from `least` on where it is given; True is none."""
    bound = "" if least is None else f" from {least} on"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise ArgumentTypeError(
            f"{given(what, value)}: expected a whole number{bound}, got {type(value).__name__}."
        )
    if least is not None and value < least:
        raise ArgumentError(f"{given(what, value)}: expected a whole number{bound}.")
    return int(value)


def number(value: Any, what: str, *, above: float | None = None, least: float | None = None) -> float:
    """A finite number, above or from a bound on where one is given."""
    bound = f" above {above:g}" if above is not None else f" from {least:g} on" if least is not None else ""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise ArgumentTypeError(
            f"{given(what, value)}: expected a number{bound}, got {type(value).__name__}."
        )
    found = float(value)
    out = (above is not None and not found > above) or (least is not None and not found >= least)
    if out or not np.isfinite(found):
        raise ArgumentError(f"{given(what, value)}: expected a finite number{bound}.")
    return found


def function(value: Any, what: str) -> Any:
    """Something that can be called."""
    return instance(value, what, Callable, "a function")


def instance(value: Any, what: str, kinds: Any, expected: str) -> Any:
    """A value of some types, which `expected` names for people."""
    if not isinstance(value, kinds):
        raise ArgumentTypeError(f"{given(what, value)}: expected {expected}, got {type(value).__name__}.")
    return value


def name(value: Any, what: str) -> str:
    """A text that is not empty and can be shown in a line."""
    if not instance(value, what, str, "a text") or not value.isprintable():
        raise ArgumentError(
            f"{given(what, value)}: expected a text that is not empty, without control characters."
        )
    return str(value)


def path(value: Any, what: str, expected: str = "a path or URL") -> str:
    """A path that a system can have."""
    found = os.fspath(instance(value, what, (str, os.PathLike), expected))
    if "\0" in found:
        raise ArgumentError(f"{given(what, value)}: expected {expected}, without a NUL in it.")
    return str(found)


def axis(value: Any, ndim: int) -> int:
    """One axis of a tensor, counted from the front."""
    try:
        position = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"axis={value!r}: expected a whole number.") from None
    if isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"axis={value!r}: expected a whole number, got {type(value).__name__}.")
    if not -ndim <= position < ndim:
        raise AxisError.outside(value, ndim)
    return position % ndim


def axes(value: Any, ndim: int, what: str = "axis") -> tuple[int, ...]:
    """One or several different axes of a tensor, counted from the front, in the order given."""
    found = tuple(axis(each, ndim) for each in (value if isinstance(value, (tuple, list)) else (value,)))
    if len(set(found)) != len(found):
        raise ArgumentError(f"{what}={value!r}: repeated axis (duplicate value).")
    return found


def frame_axis(value: Any, ndim: int, where: str) -> int:
    """An axis of a frame (`ndim` 2) or a series, as pandas names them: 0, "index", "rows"; 1, "columns"."""
    found = {"index": 0, "rows": 0, "columns": 1, 0: 0, 1: 1}.get(value) if np.isscalar(value) else None
    if found is None or isinstance(value, (bool, np.bool_)) or found >= ndim:
        kind = "DataFrame" if ndim == 2 else "Series"
        raise ArgumentError(f"{where}(axis={value!r}): No axis named {value!r} for object type {kind}")
    return found


def same_length(
    given: float,
    expected: float,
    message: str = "Length mismatch: Expected axis has {expected} elements, new values have {given} elements",
    error: type[Exception] = ShapeError,
) -> None:
    """Two lengths do not differ, as far as they are known: nan is one that only a run can tell."""
    if given != expected and not math.isnan(given) and not math.isnan(expected):
        raise error(message.format(given=int(given), expected=int(expected)))


def columns(names: Iterable[Any], frame: Any) -> list[Any]:
    """Labels of columns that the frame has."""
    return members(names, frame.columns)


def members(names: Iterable[Any], there: Collection[Any]) -> list[Any]:
    """Labels of columns, which are among those that are `there`."""
    found = list(names)
    for name in found:
        if name not in there:
            raise ColumnNotFound.among(name, there)
    return found
