"""What functions print while they run, kept apart for each of them, and handed out in pieces.

A `Log` lives as long as somebody holds what printed into it. Text reaches it from a thread of this process, or as an
event from a worker.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.options import within

SIZE = 2**20
"""Most bytes that one `fetch_log()` hands out where nobody said how many: Mars's 1 MiB."""


class Log:
    """The text one function has printed so far, in UTF-8."""

    __slots__ = ("__weakref__", "data", "name", "position", "progress", "source")

    def __init__(self) -> None:
        self.name = uuid.uuid4().hex
        self.data = bytearray()
        self.position = 0  # where the next read without an offset starts
        self.progress = 0.0  # how far the function said it is
        self.source: Any = None  # whose events count; others may hear of them too
        _open[self.name] = self

    def add(self, text: str) -> None:
        self.data += text.encode("utf-8", "replace")

    def read(self, offset: int | None, size: int) -> tuple[str, int]:
        """Text from `offset` on (negative: from the end), at most `size` bytes, and where the next read starts."""
        data, wanted = bytes(self.data), self.position if offset is None else offset
        start, stop, _ = slice(wanted, None).indices(len(data))
        stop = min(stop, start + size)
        while start < stop < len(data) and data[stop] & 0xC0 == 0x80:  # inside of a character
            stop -= 1
        self.position = stop
        return data[start:stop].decode("utf-8", "replace"), stop


_open: weakref.WeakValueDictionary[str, Log] = weakref.WeakValueDictionary()


def arrived(name: str, text: str, progress: float | None = None, source: Any = None) -> Log | None:
    """Put text, or how far a function is, into the log of that name, and give it back, if anybody still holds it."""
    log = _open.get(name)
    if log is None or log.source is not source:
        return None
    log.add(text)
    if progress is not None:
        log.progress = progress
    return log


class LogPart:
    """What `fetch_log()` gives back: the text of one or more chunks, and where the next read starts.

    `results` are the texts, `offsets` the ends of what was read, `chunk_op_keys` the names of the chunks.
    """

    def __init__(self, chunk_op_keys: list[str], results: list[str], offsets: list[int]):
        self.chunk_op_keys, self.results, self.offsets = chunk_op_keys, results, offsets

    def __len__(self) -> int:
        return len(self.results)

    def __str__(self) -> str:
        if len(self) == 1:
            return self.results[0]
        return "\n".join(
            f"Chunk op key: {key}\nOut:\n{text}"
            for key, text in zip(self.chunk_op_keys, self.results, strict=True)
        )

    __repr__ = __str__


def part_of(handle: Any, offsets: Any = None, sizes: Any = None) -> LogPart:
    """A piece of an object's log: from an offset, or from where the last piece ended; a dict gives values by chunk."""
    log = getattr(handle, "_log", None)
    if not isinstance(log, Log):
        kind = type(handle).__name__
        raise Unbuilt.operation("fetch_log", f"of a {kind} nothing is kept, only of what remote.spawn runs")
    start, most = (
        number(each.get(log.name) if isinstance(each, dict) else each, name)
        for each, name in ((offsets, "offsets"), (sizes, "sizes"))
    )
    if most is not None and most < 0:
        raise ArgumentError(f"fetch_log(sizes={sizes!r}): expected 0 or more bytes.")
    text, stop = log.read(start, SIZE if most is None else most)
    return LogPart([log.name], [text], [stop])


UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def number(value: Any, argument: str) -> int | None:
    """Bytes of an int or of a text like '-0.5K', where K is 1024; None where nobody said.

    >>> number("-0.5K", "offsets")
    -512
    """
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if not isinstance(value, str):
        raise ArgumentTypeError(
            f"fetch_log({argument}={value!r}): expected a number of bytes, a text like '1K', or a dict of them by chunk."
        )
    text = value.strip().upper().removesuffix("IB").removesuffix("B")
    unit = text[-1:] if text[-1:].isalpha() else ""
    try:
        return int(float(text.removesuffix(unit)) * UNITS[unit])
    except (ValueError, KeyError):
        raise ArgumentError(
            f"fetch_log({argument}={value!r}): expected a number of bytes or a text like '1K', '-0.5M'."
        ) from None


class StandIn:
    """Something a whole process shares, such as `sys.stdout`, with a stand-in in its place while tasks need one.

    The stand-in looks up what belongs to the running task and else passes on to what it was made of.
    """

    def __init__(self, owner: Any, name: str, kind: Callable[[Any], Any]):
        self.owner, self.name, self.kind = owner, name, kind
        self.lock = threading.Lock()
        self.users = 0

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        with self.lock:
            self.users += 1
            below = getattr(self.owner, self.name)
            if not isinstance(below, self.kind):  # type: ignore[arg-type]
                setattr(self.owner, self.name, self.kind(below))
        try:
            yield
        finally:
            with self.lock:
                self.users -= 1
                now = getattr(self.owner, self.name)
                if not self.users and isinstance(now, self.kind):  # type: ignore[arg-type]
                    setattr(self.owner, self.name, now.below)


_sink: contextvars.ContextVar[Callable[[str], None] | None] = contextvars.ContextVar(
    "marsdask-log", default=None
)


class Tee:
    """A text stream that also hands the running task's prints to its log."""

    def __init__(self, below: Any):
        self.below = below

    def write(self, text: str) -> int:
        if (sink := _sink.get()) is not None:
            sink(text)
        return int(self.below.write(text) or 0)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


_stdout = StandIn(sys, "stdout", Tee)


@contextlib.contextmanager
def captured(sink: Callable[[str], None]) -> Iterator[None]:
    """Inside the block what this thread prints goes to `sink` too."""
    with _stdout.used(), within(_sink, sink):
        yield
