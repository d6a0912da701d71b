"""What several tasks of a process make of the same values, made by the first of them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

_made: dict[tuple[Any, ...], _Once] = {}
_lock = threading.Lock()


class _Once:
    """A result, and the values that it was made of, which it does not keep."""

    def __init__(self, values: Sequence[Any], over: Callable[[Any], Any]):
        self.lock, self.result = threading.Lock(), None
        self.values = [weakref.ref(value, over) for value in values]

    def of(self, values: Sequence[Any]) -> bool:
        return all(known() is value for known, value in zip(self.values, values, strict=True))


def once(make: Callable[..., Any], values: Sequence[Any], *how: Any) -> Any:
    """`make(values, *how)`, kept as long as each of `values` lives: all tasks of a process get the same objects of a worker.

    What is made must not keep a value alive, or it would be there for ever.
    """
    key = (make, how, *map(id, values))
    with _lock:
        found = _made.get(key)
        if found is None or not found.of(values):  # a number of an object that is gone is given again
            found = _made[key] = _Once(values, lambda _: _made.pop(key, None))
    with found.lock:
        if found.result is None:
            found.result = make(values, *how)
        return found.result
