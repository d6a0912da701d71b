"""Values as files in several directories: bounded, and each with its checksum."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypedDict, get_args

import xxhash
from zict.common import ZictBase

from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    BadSpillDirectory,
    SpillDamaged,
    SpillFull,
    short,
)
from marsdask.spill.directory import Kind, Refused, SpillDirectory, Usage, told

Placement = Literal["round-robin", "most-free"]
Bytes = bytes | bytearray | memoryview

# `client.get_worker_logs()` collects this name and its children, and nothing else.
logger = logging.getLogger("distributed.worker.spill")

# A full disk is met at every eviction, ten times a second.
TELL_EVERY = 60.0

# 128 bits find what 64 find and cost the same: 8 MB of doubles at 60 GB/s in cache and at 9-12 from memory, where zlib.crc32
# has 4 and xxh64 10 in cache (one run).
_checksum = xxhash.xxh3_128

BESIDE_FROM = 2**21
"""Bytes from which on a checksum is worth a thread; at half of it the thread costs more than it saves. Writing 32 values of
8 MB took 89 ms without checksums, 107 ms with them before the write, 83 ms in a thread started for each (medians of 12 in one
run); by turns, block by block, a tenth longer than before the write."""


class Problem(TypedDict):
    """What went wrong in a directory. Sizes are bytes, None where there is none; `key` is the key it was met with."""

    kind: Kind
    path: str
    key: Hashable
    reason: str
    free: int | None
    quota: int | None


class _Entry(NamedTuple):
    directory: SpillDirectory
    number: int
    size: int
    checksum: bytes


class StripedFile(ZictBase[Any, Any]):
    """A mapping of keys to bytes, in files spread over `directories`.

    A value is bytes-like, or a list of bytes-likes that are written one after the other without being joined; reading gives
    one writable memoryview. Keys are anything hashable: the index is in memory, and files have numbers for names. So nothing
    outlives the process, and nothing is found at the start.

    `quotas` are bytes for each directory, None for no limit; `head_room` is what stays free in each file system. `placement`
    is "round-robin", or "most-free": where most room is. A directory that fails is left alone for `retry_after` seconds;
    `on_problem` is called with a dict (kind, path, key, reason, free, quota) for each damaged value, and once a minute for
    each directory that is full or fails. It must not raise.

    Writing raises SpillFull, and keeps the old value, if no directory can take a value. Reading raises SpillDamaged if the
    file is not what was written; the key stays, and may be deleted.

    Threads may share it; `lock_free=False` lets only one at a time read or write in each directory.
    """

    def __init__(
        self,
        directories: Sequence[str | os.PathLike[str]],
        *,
        quotas: Sequence[int | None] = (),
        placement: Placement = "round-robin",
        on_problem: Callable[[Problem], None] | None = None,
        **how: Any,
    ) -> None:
        super().__init__()
        self.directories: list[SpillDirectory] = []
        self._index: dict[Hashable, _Entry] = {}
        self._next = 0
        self._told: dict[tuple[str, str, int | None], float] = {}
        self._telling = threading.Lock()
        self.placement, self.on_problem = placement, on_problem
        if isinstance(directories, str | os.PathLike):
            raise ArgumentTypeError(f"directories={directories!r} is one path. Expected a list of paths.")
        paths = [os.fspath(path) for path in directories]
        if not paths:
            raise ArgumentError("directories is empty. Expected one path or more.")
        if len(set(map(os.path.realpath, paths))) < len(paths):
            raise ArgumentError(f"directories={paths!r} names a directory twice.")
        if quotas and len(quotas) != len(paths):
            raise ArgumentError(
                f"quotas has {len(quotas)} entries for {len(paths)} directories. Expected one for each, or none at all."
            )
        for quota in quotas:
            if quota is not None and (isinstance(quota, bool) or not isinstance(quota, int) or quota <= 0):
                raise ArgumentError(
                    f"quotas has {quota!r}. Expected numbers of bytes above 0, or None for no limit."
                )
        if placement not in get_args(Placement):
            raise ArgumentError(
                f"placement={placement!r}. Expected one of {', '.join(map(repr, get_args(Placement)))}."
            )
        try:
            for path, most in zip(paths, quotas or [None] * len(paths), strict=True):
                self.directories.append(SpillDirectory(path, quota=most, **how))
        except BadSpillDirectory:
            self.close()
            raise

    def __getitem__(self, key: Hashable) -> memoryview:
        while True:
            entry = self._index[key]
            try:
                value = entry.directory.read(entry.number, entry.size)
            except OSError as error:
                reason = "it is missing" if isinstance(error, FileNotFoundError) else told(error)
            else:
                if _checksum(value).digest() == entry.checksum:
                    return value
                reason = "its checksum is not the one it was written with"
                del value  # the error's traceback would keep it
            if self._index.get(key) is entry:
                break
            # Another thread replaced or deleted the value while this one was about to read it.
        self._tell("damaged", [entry.directory], key, reason, entry.directory.quota)
        raise SpillDamaged.of(key, entry.directory.file(entry.number), reason)

    def __setitem__(self, key: Hashable, value: Bytes | Sequence[Bytes]) -> None:
        hash(key)
        frames = _frames(value)
        entry = self._placed(key, frames, sum(frame.nbytes for frame in frames))
        with self.lock:
            old = self._index.get(key)
            self._index[key] = entry
        if old is not None:
            old.directory.remove(old.number, old.size)

    def __delitem__(self, key: Hashable) -> None:
        with self.lock:
            entry = self._index.pop(key)
        entry.directory.remove(entry.number, entry.size)

    def __contains__(self, key: object) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[Any]:
        # A copy: other threads may write meanwhile.
        return iter(list(self._index))

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        paths = ", ".join(directory.path for directory in self.directories)
        return f"<{type(self).__name__}: {len(self)} values in {paths}>"

    def clear(self) -> None:
        """Deletes everything, without reading it."""
        for key in self:
            self.discard(key)

    def size(self, key: Hashable) -> int:
        """Bytes that a value takes on disk."""
        return self._index[key].size

    def path(self, key: Hashable) -> str:
        """The file that a value is in."""
        entry = self._index[key]
        return entry.directory.file(entry.number)

    def usage(self) -> list[Usage]:
        """What is in each directory: path, files, bytes, quota, free, bad (why it is not used now, or None)."""
        return [directory.usage() for directory in self.directories]

    def close(self) -> None:
        """Removes all files and the directories made for them. Writing raises SpillFull afterwards."""
        self._index.clear()
        for directory in self.directories:
            directory.close()

    def _placed(self, key: Hashable, frames: list[memoryview], size: int) -> _Entry:
        if self.placement == "most-free":
            order = sorted(self.directories, key=SpillDirectory.room, reverse=True)
        else:
            first = self._next
            self._next = (first + 1) % len(self.directories)
            order = self.directories[first:] + self.directories[:first]
        checksum, reasons = _checksum_beside(frames, size), []
        try:
            for directory in order:
                try:
                    number = directory.write(frames, size)
                except Refused as refused:
                    reasons.append((directory.path, refused.reason))
                    self._tell(refused.kind, [directory], key, refused.reason, directory.quota)
                else:
                    return _Entry(directory, number, size, checksum())
        finally:
            checksum()  # the value's memory is not looked at any more
        raise SpillFull.of(key, size, reasons)

    def _tell(
        self, kind: Kind, of: Sequence[SpillDirectory], key: Hashable, reason: str, quota: int | None
    ) -> None:
        """Logs a problem of directories, and hands it on; what is no damage once a minute."""
        path = os.pathsep.join(directory.path for directory in of)
        if kind != "damaged":
            now = time.monotonic()
            with self._telling:
                if now < self._told.get((kind, path, quota), 0):
                    return
                self._told[kind, path, quota] = now + TELL_EVERY
        free = of[0].usage()["free"]
        level = logging.ERROR if kind == "damaged" else logging.WARNING
        text = "%s: spill directory %s: %s. Key %s; bytes free %s, quota %s"
        logger.log(level, text, kind, path, reason, short(key), free, quota)
        if self.on_problem is not None:
            try:
                self.on_problem(Problem(kind=kind, path=path, key=key, reason=reason, free=free, quota=quota))
            except Exception:
                # Called amid an eviction, which must not raise.
                logger.exception("on_problem failed")


def _checksum_beside(frames: list[memoryview], size: int) -> Callable[[], bytes]:
    """What gives the checksum of a value, made of a large one in a thread of its own while the value is written: neither
    needs the interpreter."""
    made = _checksum()

    def run() -> None:
        for frame in frames:
            made.update(frame)

    thread = threading.Thread(target=run, name="marsdask-checksum")
    if size >= BESIDE_FROM:
        with contextlib.suppress(RuntimeError):  # there can be no more threads
            thread.start()
    if thread.ident is None:
        run()

    def done() -> bytes:
        if thread.ident is not None:
            thread.join()
        return made.digest()

    return done


def _frames(value: Bytes | Sequence[Bytes]) -> list[memoryview]:
    """The value as flat views of bytes."""
    parts: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
    frames = []
    for part in parts:
        try:
            view = memoryview(part)
        except TypeError as error:
            raise ArgumentTypeError(
                f"a value has {type(part).__name__!r} in it. Expected bytes-like objects, alone or in a list."
            ) from error
        if view.nbytes:
            view = view if view.c_contiguous else memoryview(view.tobytes())
            frames.append(view.cast("B"))
    return frames
