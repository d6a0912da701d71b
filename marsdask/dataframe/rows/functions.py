"""NumPy's functions of frames: `np.f(frame)` and `mt.f(frame)` give what `np.f` gives of pandas' object, with its labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series
from marsdask.plan import registry
from marsdask.tensor.core import Tensor, as_tensor, called
from marsdask.tensor.protocol import array_function as of_tensors

METHODS = frozenset([
    "all", "any", "clip", "cumprod", "cumsum", "max", "mean", "min", "prod", "round", "squeeze", "std", "sum", "take", "transpose",
    "var",
])  # fmt: skip
"""Functions that NumPy answers by the method of that name; `diff`, `append`, `quantile`, `pad` and others are not pandas'."""
WHOLE_FRAME = ("sum", "prod", "mean", "min", "max", "any", "all", "std", "var")
OF_ARRAYS = frozenset(["out", "dtype", "keepdims", "where", "initial"])
"""Arguments that pandas refuses; with them a frame is its values, as in Mars."""
BOUNDS = {"a_min": "lower", "min": "lower", "a_max": "upper", "max": "upper"}
RENAMED = {"amax": "max", "amin": "min", "around": "round"}
EACH = {"fix": 1, "round": 2}
"""Functions of each element that NumPy gives as it was given the argument, though pandas has no such method; their arguments."""
LABELS = frozenset([
    "argpartition", "array_split", "clip", "cumprod", "cumsum", "delete", "flip", "hsplit", "insert", "repeat", "rollaxis",
    "split", "squeeze", "transpose",
])  # fmt: skip
"""Functions whose results NumPy gives as labels where it was given such: pandas has no method, and wraps what it gets."""


def array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """NumPy's functions of frames: the method where NumPy calls that, with NumPy's defaults; else the tensor function."""
    name = RENAMED.get(func.__name__, func.__name__)
    kwargs = {k: v for k, v in kwargs.items() if not (k in OF_ARRAYS and (v is None or v is False))}
    if not args and "a" in kwargs:
        args = (kwargs.pop("a"),)
    first = args[0] if args else None
    if isinstance(first, FrameHandle) and OF_ARRAYS.isdisjoint(kwargs):
        by_place = 2 if name in WHOLE_FRAME else len(args)
        if name in METHODS and hasattr(type(first), name) and len(args) <= by_place:
            return _by_method(name, first, args[1:], kwargs)
        if name in OWN and type(first) in OWN[name][0]:
            return OWN[name][1](*args, **kwargs)
        if len(args) <= EACH.get(name, 0):
            return registry.make("frame.ufunc", func, *args, **kwargs)
    found = of_tensors(self, func, (Tensor,), tuple(map(_plain, args)), kwargs)
    if type(first) is not Index or name not in LABELS:
        return found
    several = isinstance(found, (list, tuple))
    return [Index(each, name=first.name) for each in found] if several else Index(found, name=first.name)


def _plain(value: Any) -> Any:
    return as_tensor(value) if isinstance(value, FrameHandle) else value


def _argsort(a: Series, axis: Any = -1, kind: Any = None, order: Any = None, **rest: Any) -> Any:
    """The places in sorted order under the labels of the values, as pandas gives them."""
    return Series(called("argsort", as_tensor(a), axis, kind, order, **rest), index=a.index, name=a.name)


def _ptp(a: Any, axis: Any = None, **rest: Any) -> Any:
    return np.maximum.reduce(a, axis=axis, **rest) - np.minimum.reduce(a, axis=axis, **rest)


def _flip(m: Series, axis: Any = None) -> Any:
    checks.axes(0 if axis is None else axis, 1)
    return m[::-1]


def _repeat(a: Series, repeats: Any, axis: Any = None) -> Any:
    """Rows, each as often as said."""
    return a.iloc[called("repeat", called("arange", len(a)), repeats)]


def _place_of(name: str, a: Any, axis: Any = None, **rest: Any) -> Any:
    """The place of the largest or least value, past those that are missing."""
    values = as_tensor(a)
    return called(f"nan{name}" if values.dtype.kind in "fcmM" else name, values, axis, **rest)


OWN: dict[str, tuple[Any, Callable[..., Any]]] = {
    "argsort": ([Series], _argsort),
    "flip": ([Series], _flip),
    "ptp": ([DataFrame, Series], _ptp),
    "repeat": ([Series], _repeat),
    **{name: ([Series, Index], partial(_place_of, name)) for name in ("argmax", "argmin")},
}
"""Methods of pandas' that Mars has no name for, by class."""


def _by_method(name: str, first: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    if name in ("std", "var"):
        kwargs = {"ddof": 0, **kwargs}
    if name == "clip":
        kwargs = {BOUNDS.get(k, k): v for k, v in kwargs.items()}
    if name in WHOLE_FRAME and not args:
        kwargs.setdefault("axis", None)
    elif name in WHOLE_FRAME:
        kwargs["axis"], args = args[0], args[1:]
    return getattr(first, name)(*args, **kwargs)


FrameHandle.__array_function__ = array_function  # type: ignore[attr-defined]
