"""What a map was asked for, and its items on their way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from marsdask.plan import code

VERSION = "version="
"""The part of a function's name that `version=` is."""
ENDED = ("done", "reused", "failed")
"""States of items that are to be handed out."""


@dataclass(frozen=True)
class Speculation:
    """When an item is begun a second time: `percent` or less of the items are left, and it has run longer than `factor` times
    the `percentile` of those that are done. `max_attempts` at a time, the first included."""

    percent: float = 20.0
    percentile: float = 99.0
    factor: float = 2.0
    max_attempts: int = 2


@dataclass
class Asked:
    """A map as it was asked for, checked."""

    function: Callable[[Any], Any]
    label: str
    parts: dict[str, str]
    pickled: bytes
    iterable: Iterable[Any]
    total: int | None
    items_per_task: int
    ordered: bool
    key: Callable[[Any], Any] | None
    retries: int
    timeout: float | None
    resources: dict[str, float]
    on_error: str
    reuse: str
    isolated: bool
    speculation: Speculation | None
    window: int | None
    progress: Any = None
    names: list[str] | None = None
    """Of the items, where they are known: a map of items that have failed."""

    @property
    def code(self) -> str:
        return code.key_of(self.parts)


@dataclass
class Record:
    """An item that was taken and not handed out."""

    number: int
    name: str
    value: Any
    state: str = "waiting"  # reused, running, done, failed
    file: str = ""  # of its result
    size: int | None = None  # of that, in bytes
    attempts: int = 0
    losses: int = 0
    again: bool = False  # its file was damaged
    handles: dict[int, Any] = field(default_factory=dict)
    running: dict[str, Any] = field(default_factory=dict)  # what was told of it last
    error: dict[str, Any] | None = None


@dataclass(frozen=True)
class Failure:
    """An item that has failed for good."""

    number: int
    error: BaseException
    attempts: int
    traceback: str


def label_of(function: Any) -> str:
    """What to call a function on pages and in errors."""
    while hasattr(function, "func"):  # of a partial
        function = function.func
    name = str(getattr(function, "__name__", type(function).__name__))
    return "lambda" if name == "<lambda>" else name
