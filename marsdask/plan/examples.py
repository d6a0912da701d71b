"""Examples: what pandas makes of a few made-up rows, without its rows, remembered by the form of what it was asked.

The form of a frame is all that its made-up rows are made of: kind, labels of columns, dtypes, kind and names of its labels. Equal
questions about frames of equal form have equal answers, so the same query over other data asks pandas nothing. Nothing that is
remembered refers to nodes or data, or to what users could change.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import threading
from collections.abc import Callable, Hashable
from datetime import date, datetime, timedelta
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from marsdask.plan.node import fields_of


class Unknown(Exception):
    """Something whose form cannot be told shortly: users' functions, data, categories."""


class Formed:
    """Base of metadata, whose `form` is what an example looks at of them; None where that cannot be told shortly.

    No ABC: to ask one of which kind something is costs a microsecond.
    """

    __slots__ = ()
    if TYPE_CHECKING:

        @property
        def form(self) -> Hashable | None: ...


class Form:
    """A form, hashed once."""

    __slots__ = ("hash", "told")

    def __init__(self, *told: Hashable):
        self.told, self.hash = told, hash(told)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Form) and self.hash == other.hash and self.told == other.told
        )


class Example:
    """An empty pandas object, or what else pandas gave; each who asks for it gets an object of his own.

    What is asked of it again and again is told once: that of pandas costs microseconds each time.
    """

    def __init__(self, made: Any):
        self.value = made
        if isinstance(made, pd.Index):
            self.value = made[:0]
        elif isinstance(made, (pd.DataFrame, pd.Series)):
            self.value = made.iloc[:0]

    def __reduce__(self) -> tuple[Any, ...]:
        return Example, (self.value,)

    @functools.cached_property
    def kind(self) -> str:
        """The name of the class; of the labels of rows "Index"."""
        return "Index" if isinstance(self.value, pd.Index) else type(self.value).__name__

    @functools.cached_property
    def form(self) -> Form | None:
        """Its form; None where that cannot be told shortly."""
        return form_of(self.value)

    @functools.cached_property
    def names(self) -> tuple[Any, ...]:
        """The labels of the columns."""
        return tuple(self.value.columns)

    @functools.cached_property
    def dtypes(self) -> tuple[Any, ...]:
        """The dtype of each column, or of the values."""
        return (self.value.dtype,) if self.value.ndim == 1 else tuple(self.value.dtypes)

    @functools.cached_property
    def by_name(self) -> dict[Any, Any]:
        """The dtypes of the columns by their labels."""
        return dict(zip(self.names, self.dtypes, strict=True))

    def own(self) -> Any:
        """A copy of the empty object, whose labels may be changed."""
        table = isinstance(self.value, (pd.DataFrame, pd.Series))
        return self.value.copy(deep=False) if table else self.value.view()


MOST = 4096
"""So many examples are remembered, at 3 to 10 KiB; the oldest go."""
LONGEST = 256
"""Columns, or parts of an argument, from which on nothing is remembered: the key would cost as much as asking pandas."""

_seen: dict[Hashable, Example] = {}
_lock = threading.Lock()


def remembered(make: Callable[[], Any], *asked: Any) -> Example:
    """The example of what `make` gives; it is called once for equal forms of `asked`. Its errors are not remembered."""
    try:
        key = key_of(asked)
    except Unknown:
        return Example(make())
    found = _seen.get(key)
    if found is None:
        found = Example(make())
        if isinstance(found.value, _KEPT):
            with _lock:
                while len(_seen) >= MOST:
                    del _seen[next(iter(_seen))]
                _seen[key] = found
    return found


_KEPT = (pd.DataFrame, pd.Series, pd.Index, np.ndarray, np.generic, int, float, str)


def form_of(empty: Any) -> Form | None:
    """All that `meta.sample` looks at in an empty pandas object; None where that cannot be told shortly."""
    try:
        if isinstance(empty, pd.DataFrame):
            dtypes = tuple(map(_dtype, empty.dtypes))
            return Form("frame", _columns(empty.columns), dtypes, _labels(empty.index))
        if isinstance(empty, pd.Series):
            return Form("series", _dtype(empty.dtype), key_of(empty.name), _labels(empty.index))
        return Form("index", _labels(empty)) if isinstance(empty, pd.Index) else None
    except Unknown:
        return None


def _columns(columns: pd.Index) -> Hashable:
    if type(columns) not in (pd.Index, pd.RangeIndex) or len(columns) > LONGEST:
        raise Unknown
    dtype, labels = _dtype(columns.dtype), tuple(columns)
    # 1, 1.0 and True are one key, but not one label.
    exact = labels if isinstance(columns.dtype, pd.StringDtype) else tuple(map(key_of, labels))
    return type(columns), dtype, exact, key_of(columns.name)


def _labels(index: pd.Index) -> Hashable:
    if isinstance(index, pd.MultiIndex):
        return "levels", tuple(_dtype(level.dtype) for level in index.levels), key_of(tuple(index.names))
    return isinstance(index, pd.RangeIndex), _dtype(index.dtype), key_of(index.name)


def _dtype(dtype: Any) -> Hashable:
    """A dtype that holds no data; categories are data."""
    if isinstance(dtype, np.dtype):
        if dtype.kind != "V" and dtype.metadata is None:
            return dtype
    elif type(dtype).__module__.partition(".")[0] == "pandas" and not isinstance(dtype, pd.CategoricalDtype):
        return type(dtype), dtype
    raise Unknown


_PLAIN = frozenset((int, bool, type(None), type(Ellipsis)))


def key_of(value: Any) -> Hashable:
    """An argument as a key: equal keys, equal metadata. Raises Unknown where that cannot be said."""
    kind = type(value)
    if kind is str:  # of other kinds none is a text
        if len(value) > LONGEST:
            raise Unknown
        return value  # type: ignore[no-any-return]
    if kind in _PLAIN:
        return kind, value
    if kind is tuple or kind is list:
        if len(value) > LONGEST:
            raise Unknown
        return kind, *map(key_of, value)
    if issubclass(kind, Formed):
        if (form := value.form) is None:
            raise Unknown
        return form  # type: ignore[no-any-return]
    if kind is dict:
        return kind, *map(key_of, value), *map(key_of, value.values())
    if kind in _FUNCTIONS:
        return _known_function(value)
    return _rare_key(kind, value)


def _rare_key(kind: type, value: Any) -> Hashable:
    if kind is bytes and len(value) <= LONGEST:
        return kind, value
    if kind in (float, complex, date, datetime, timedelta):
        if getattr(value, "tzinfo", None) is None:
            return kind, repr(value)  # 0.0 and -0.0 are equal
    elif kind is slice:
        return kind, key_of((value.start, value.stop, value.step))
    elif isinstance(value, (np.dtype, pd.api.extensions.ExtensionDtype)):
        return "dtype", _dtype(value)
    elif isinstance(value, (np.number, np.bool_, np.datetime64, np.timedelta64)):
        return _dtype(value.dtype), value.tobytes()
    elif kind is pd.Timestamp or kind is pd.Timedelta:
        if getattr(value, "tz", None) is None:
            return kind, value.unit, repr(value)
    elif isinstance(value, pd.Index):
        return "labels", _columns(value)
    elif value is pd.NA or value is pd.NaT or value is pd.api.extensions.no_default:
        return kind
    elif kind is functools.partial:
        return kind, key_of(value.func), key_of(value.args), key_of(value.keywords)
    elif dataclasses.is_dataclass(kind) and kind.__module__.startswith("marsdask."):
        return kind, *(key_of(getattr(value, name)) for name in fields_of(kind))
    raise Unknown


_FUNCTIONS = (FunctionType, BuiltinFunctionType, np.ufunc, type)
_HOMES = {"marsdask", "pandas", "numpy", "operator", "_operator", "builtins"}
_at_home: set[Any] = set()


def _known_function(function: Any) -> Hashable:
    """A function, where it is one that modules have for good: it is known by itself, and held anyway."""
    if function in _at_home:
        return function  # type: ignore[no-any-return]
    home = getattr(function, "__module__", None) or "numpy"
    name = getattr(function, "__qualname__", function.__name__)
    found = sys.modules.get(home)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not function or home.partition(".")[0] not in _HOMES:
        raise Unknown
    _at_home.add(function)
    return function
