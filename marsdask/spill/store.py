"""Values as files in several directories: bounded, each with its checksum, and each directory left alone for a while when it fails."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import itertools
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypedDict, get_args

import numpy as np
import xxhash
from distributed.diskutils import WorkDir, WorkSpace
from zict.common import ZictBase

from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    BadSpillDirectory,
    SpillDamaged,
    SpillFull,
    short,
)

Kind = Literal["full", "bad-directory", "damaged"]

# What is left to others: a file system without a free byte also stops logs, lock files and other programs.
HEAD_ROOM = 16 * 2**20
# How long a directory is not tried after an error. Evictions come ten times a second, and each try costs a write.
RETRY_AFTER = 30.0

# The value is too large for now, or for ever; a smaller one may fit.
_TOO_LARGE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# This process lacks something; the directory is sound.
_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN}
# Linux's own call: os.posix_fallocate writes zeros where a file system cannot reserve, which is twice the work.
_fallocate = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
if _fallocate is not None:
    _fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
_CANNOT_RESERVE = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.EINVAL}
# Smaller values cost more so: 7% more CPU at 1 MiB; 8 MB cost 18% less (ext4). Removing a file within seconds then waits for
# the journal, 2.8 ms instead of 0.4, as it does for every file once the system has written it to disk (2.6 ms).
_WORTH_RESERVING = 2**22
_parents: list[WorkDir] = []
# How long one who purges a directory waits for another who does: seconds.
_PATIENCE = 30.0
# Linux and macOS take no more buffers in one call.
_BUFFERS = 1024


class Usage(TypedDict):
    """What is in one directory. Sizes are bytes; `free` is None where the file system does not tell."""

    path: str
    files: int
    bytes: int
    quota: int | None
    free: int | None
    bad: str | None


class Refused(Exception):
    """A directory does not take a value; another may."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind: Kind = kind
        self.reason = reason


def check_usable(path: str) -> None:
    """Raises BadSpillDirectory where no files can be put; a directory that is not there is made."""
    try:
        os.makedirs(path, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise BadSpillDirectory.because(path, told(error)) from error


def purge(path: str) -> None:
    """Removes what is left under `path` of SpillDirectories whose processes were killed. Others are not touched."""
    # What cannot be removed now is tried again by the next SpillDirectory.
    with contextlib.suppress(OSError):
        if os.path.isdir(path):
            # Private to distributed: in public it purges only where it makes a directory.
            _Purged(os.path.abspath(path))._purge_leftovers()  # type: ignore[no-untyped-call]


class SpillDirectory:
    """Numbered files in a fresh directory under `path`, at most `quota` bytes of them.

    The fresh directory is made by distributed's WorkSpace: it is locked while this process lives, and what processes left
    that were killed is removed when the next one comes. Nothing else under `path` is ever touched.
    """

    def __init__(
        self,
        path: str,
        *,
        quota: int | None = None,
        head_room: int = HEAD_ROOM,
        lock_free: bool = True,
        retry_after: float = RETRY_AFTER,
        name: str = "",
    ) -> None:
        self.path = os.path.abspath(path)
        self.quota, self.head_room, self.retry_after = quota, head_room, retry_after
        self.files = self.bytes = 0
        self.bad: str | None = None
        self._retry_at = 0.0
        # What the file system did not take, and until when nothing as large is tried.
        self._too_large: tuple[int, float, str] | None = None
        self._reserves = True
        self._left: dict[str, int] = {}
        self._numbers = itertools.count()
        self._counting = threading.Lock()
        self._turn = contextlib.nullcontext() if lock_free else threading.Lock()
        self._prefix = f"{name}-" if name else "spill-"
        self._owner = os.getpid()
        self._work: WorkDir | None = self._open()

    def file(self, number: int) -> str:
        """The path of a file."""
        return os.path.join(self._work.dir_path if self._work else self.path, f"{number:x}")

    def free(self) -> int | None:
        """Bytes that this user may still write to the file system; None where it does not tell.

        Raises OSError where the directory is gone.
        """
        told = os.statvfs(self.path)
        # Unlimited tmpfs and some network file systems say that they have no blocks at all.
        return told.f_bavail * told.f_frsize if told.f_blocks else None

    def room(self) -> float:
        """Bytes that a value may have to be tried here now; an estimate to compare directories with."""
        if self.bad is not None and time.monotonic() < self._retry_at:
            return 0
        try:
            free = self.free()
        except OSError:
            return 0
        by_system = float("inf") if free is None else free - self.head_room
        return max(min(by_system, float("inf") if self.quota is None else self.quota - self.bytes), 0)

    def usage(self) -> Usage:
        try:
            free = self.free()
        except OSError:
            free = None
        return Usage(
            path=self.path, files=self.files, bytes=self.bytes, quota=self.quota, free=free, bad=self.bad
        )

    def write(self, frames: Sequence[memoryview], size: int) -> int:
        """The number of a new file that holds `frames`, `size` bytes in all. Raises Refused, and leaves no file then."""
        self._check(size)
        try:
            number = self._written(frames, size)
        except OSError as error:
            with self._counting:
                self.bytes -= size
            raise self._failed(error, size) from error
        with self._counting:
            self.files += 1
        self.bad = None
        return number

    def read(self, number: int, size: int) -> memoryview:
        """The `size` bytes of a file, writable. Raises OSError if they cannot all be read."""
        with self._turn:
            opened = os.open(self.file(number), os.O_RDONLY | os.O_CLOEXEC)
            try:
                there = os.fstat(opened).st_size
                if there != size:
                    raise OSError(errno.EIO, f"it has {there:,} bytes, and {size:,} were written")
                # NumPy asks for huge pages: a third less time than into a bytearray, whose pages come 4 KiB a fault.
                buffer = np.empty(size, np.uint8).data
                _read_all(opened, buffer)
            finally:
                os.close(opened)
        return buffer

    def remove(self, number: int, size: int) -> None:
        """Forgets a file. What cannot be removed now counts as used, and is tried again with the directory."""
        with self._counting:
            self.files -= 1
            # There may be room again; better to try than to know why.
            self._too_large = None
        if self._unlinked(self.file(number), size):
            with self._counting:
                self.bytes -= size

    def close(self) -> None:
        """Removes the files and their directory. Not in a forked child, whose parent still needs them."""
        if self._work is not None and os.getpid() != self._owner:
            _parents.append(self._work)  # it removes the directory when it is forgotten
        elif self._work is not None:
            self._work.release()
        self._work, self.bad = None, "closed"
        self.files = self.bytes = 0
        self._retry_at = float("inf")

    def _open(self) -> WorkDir:
        # WorkSpace would go elsewhere without a word, where no quota and no volume was meant for us.
        check_usable(self.path)
        try:
            space = _Space(self.path)
            if space.base_dir != self.path:
                raise PermissionError(
                    f"no permission to write; {space.base_dir!r} would have been used instead"
                )
            work: WorkDir = space.new_work_dir(prefix=self._prefix)  # type: ignore[no-untyped-call]
            return work
        except OSError as error:
            raise BadSpillDirectory.because(self.path, told(error)) from error

    def _check(self, size: int) -> None:
        """Raises Refused, or counts `size` bytes as used."""
        now = time.monotonic()
        if self.bad is not None:
            if now < self._retry_at:
                raise Refused("bad-directory", self.bad)
            self._revive()
        if self._too_large and size >= self._too_large[0] and now < self._too_large[1]:
            raise Refused("full", self._too_large[2])
        try:
            free = self.free()
        except OSError as error:
            raise self._failed(error, size) from error
        if free is not None and free - size < self.head_room:
            raise Refused("full", f"{free:,} bytes free, of which {self.head_room:,} are left to others")
        with self._counting:
            if self.quota is not None and self.bytes + size > self.quota:
                raise Refused("full", f"{self.bytes:,} bytes of its quota of {self.quota:,} are used")
            self.bytes += size

    def _revive(self) -> None:
        """Tries what went wrong: makes the directory again if it is gone, and removes what could not be removed."""
        if self._work is not None and not os.path.isdir(self._work.dir_path):
            gone = self._work
            try:
                self._work = self._open()
            except BadSpillDirectory as error:
                raise self._set_aside(str(error.__cause__)) from error
            gone.release()
        for path, size in list(self._left.items()):
            if self._unlinked(path, size):
                with self._counting:
                    self.bytes -= size

    def _written(self, frames: Sequence[memoryview], size: int) -> int:
        number = next(self._numbers)
        path = self.file(number)
        # A name without `.part` is a whole value, whatever happened to the process that wrote it.
        partial = f"{path}.part"
        with self._turn:
            try:
                opened = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                try:
                    self._reserve(opened, size)
                    _write_all(opened, frames)
                finally:
                    os.close(opened)
                os.rename(partial, path)
            except BaseException:
                self._unlinked(partial, 0)
                raise
        return number

    def _reserve(self, opened: int, size: int) -> None:
        """Has the file system set room aside, or say at once that it has none. It also writes faster then."""
        if _fallocate is None or not self._reserves or size < _WORTH_RESERVING:
            return
        while _fallocate(opened, 0, 0, size):
            failed = ctypes.get_errno()
            if failed in _CANNOT_RESERVE:
                self._reserves = False
                return
            if failed != errno.EINTR:
                raise OSError(failed, os.strerror(failed))

    def _unlinked(self, path: str, size: int) -> bool:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass  # it is gone, as it should be
        except OSError as error:
            self._left[path] = size
            self._set_aside(told(error))
            return False
        self._left.pop(path, None)
        return True

    def _failed(self, error: OSError, size: int) -> Refused:
        if error.errno in _TOO_LARGE:
            reason = told(error)
            self._too_large = (size, time.monotonic() + self.retry_after, reason)
            return Refused("full", reason)
        passing = error.errno in _PASSING
        return Refused("bad-directory", told(error)) if passing else self._set_aside(told(error))

    def _set_aside(self, reason: str) -> Refused:
        self.bad = reason
        self._retry_at = time.monotonic() + self.retry_after
        return Refused("bad-directory", reason)


class _Space(WorkSpace):
    """A WorkSpace that does not complain about files that are gone already.

    A worker's own directory, with ours in it, may be removed before ours is. The method is private to distributed, which
    logs every error there as one and has no setting for it.
    """

    def _on_remove_error(self, func: object, path: str, exc: BaseException) -> None:
        if not isinstance(exc, FileNotFoundError):
            super()._on_remove_error(func, path, exc)  # type: ignore[no-untyped-call]


class _Purged(_Space):
    """A _Space that waits for who looks over it at the same time, who may have found alive what has ended since.

    The methods are private to distributed, which gives both locks no time and has no setting for it.
    """

    def _global_lock(self, **_: object) -> object:
        return super()._global_lock(timeout=_PATIENCE)  # type: ignore[no-untyped-call]

    def _purge_lock(self, **_: object) -> object:
        return super()._purge_lock(timeout=_PATIENCE)  # type: ignore[no-untyped-call]


def told(error: OSError) -> str:
    """What the system says of an error."""
    return error.strerror or str(error)


def _write_all(opened: int, frames: Sequence[memoryview]) -> None:
    waiting = [frame for frame in frames if frame.nbytes]
    first = 0
    while first < len(waiting):
        written = os.writev(opened, waiting[first : first + _BUFFERS])
        # Linux writes at most 2 GiB in one call.
        while written:
            frame = waiting[first]
            if written < frame.nbytes:
                waiting[first] = frame[written:]
                break
            written -= frame.nbytes
            first += 1


def _read_all(opened: int, buffer: memoryview) -> None:
    at = 0
    while at < len(buffer):
        read = os.readv(opened, [buffer[at:]])
        if not read:
            raise OSError(errno.EIO, f"it ended after {at:,} of {len(buffer):,} bytes")
        at += read


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
        lock_free: bool = True,
        head_room: int = HEAD_ROOM,
        retry_after: float = RETRY_AFTER,
        name: str = "",
        on_problem: Callable[[Problem], None] | None = None,
    ) -> None:
        super().__init__()
        self.directories: list[SpillDirectory] = []
        self._index: dict[Hashable, _Entry] = {}
        self._next = 0
        self._told: dict[tuple[str, str], float] = {}
        self._telling = threading.Lock()
        self.placement, self.on_problem = placement, on_problem
        checked = _checked(directories, quotas, placement, head_room, retry_after, name)
        try:
            for path, quota in checked:
                how: dict[str, Any] = {"lock_free": lock_free, "retry_after": retry_after, "name": name}
                self.directories.append(SpillDirectory(path, quota=quota, head_room=head_room, **how))
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
            if self._index.get(key) is entry:
                break
            # Another thread replaced or deleted the value while this one was about to read it.
        self._tell("damaged", entry.directory, key, reason)
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
        checksum, reasons = _Checksum(frames, size), []
        try:
            for directory in self._order():
                try:
                    number = directory.write(frames, size)
                except Refused as refused:
                    reasons.append((directory.path, refused.reason))
                    self._tell(refused.kind, directory, key, refused.reason)
                else:
                    return _Entry(directory, number, size, checksum.done().digest())
        finally:
            checksum.done()
        raise SpillFull.of(key, size, reasons)

    def _order(self) -> list[SpillDirectory]:
        """The directories, the one that is to be tried first in front."""
        if self.placement == "most-free":
            return sorted(self.directories, key=SpillDirectory.room, reverse=True)
        first = self._next
        self._next = (first + 1) % len(self.directories)
        return self.directories[first:] + self.directories[:first]

    def _tell(self, kind: Kind, directory: SpillDirectory, key: Hashable, reason: str) -> None:
        now = time.monotonic()
        if kind != "damaged":
            with self._telling:
                if now < self._told.get((kind, directory.path), 0):
                    return
                self._told[kind, directory.path] = now + TELL_EVERY
        free, quota = directory.usage()["free"], directory.quota
        tell(
            Problem(kind=kind, path=directory.path, key=key, reason=reason, free=free, quota=quota),
            self.on_problem,
        )


class _Checksum:
    """The checksum of a value, of a large one in a thread of its own while the value is written: neither needs the interpreter."""

    def __init__(self, frames: list[memoryview], size: int) -> None:
        self._frames, self._hash = frames, _checksum()
        self._beside = (
            threading.Thread(target=self._run, name="marsdask-checksum") if size >= BESIDE_FROM else None
        )
        try:
            if self._beside is not None:
                self._beside.start()
                return
        except RuntimeError:
            self._beside = None  # there can be no more threads
        self._run()

    def _run(self) -> None:
        for frame in self._frames:
            self._hash.update(frame)

    def done(self) -> xxhash.xxh3_128:
        """What was computed; the value's memory is not looked at any more."""
        if self._beside is not None:
            self._beside.join()
        return self._hash


def tell(problem: Problem, on_problem: Callable[[Problem], None] | None) -> None:
    """Logs a problem, and hands it on."""
    logger.log(
        logging.ERROR if problem["kind"] == "damaged" else logging.WARNING,
        "%s: spill directory %s: %s. Key %s; bytes free %s, quota %s",
        problem["kind"],
        problem["path"],
        problem["reason"],
        short(problem["key"]),
        problem["free"],
        problem["quota"],
    )
    if on_problem is not None:
        try:
            on_problem(problem)
        except Exception:
            # Called amid an eviction, which must not raise.
            logger.exception("on_problem failed")


def _checked(
    directories: Sequence[str | os.PathLike[str]],
    quotas: Sequence[int | None],
    placement: str,
    head_room: int,
    retry_after: float,
    name: str,
) -> Iterable[tuple[str, int | None]]:
    """Each directory with its quota."""
    if isinstance(directories, str | os.PathLike):
        raise ArgumentTypeError(f"directories={directories!r} is one path. Expected a list of paths.")
    paths = [os.fspath(path) for path in directories]
    if not paths:
        raise ArgumentError("directories is empty. Expected one path or more.")
    real = [os.path.realpath(path) for path in paths]
    if len(set(real)) < len(real):
        raise ArgumentError(f"directories={paths!r} names a directory twice.")
    if quotas and len(quotas) != len(paths):
        raise ArgumentError(
            f"quotas has {len(quotas)} entries for {len(paths)} directories. Expected one for each, or none at all."
        )
    if placement not in get_args(Placement):
        raise ArgumentError(
            f"placement={placement!r}. Expected one of {', '.join(map(repr, get_args(Placement)))}."
        )
    if head_room < 0:
        raise ArgumentError(f"head_room={head_room!r}. Expected a number of bytes, 0 or more.")
    if not retry_after >= 0:
        raise ArgumentError(f"retry_after={retry_after!r}. Expected a number of seconds, 0 or more.")
    if os.path.basename(name) != name:
        raise ArgumentError(f"name={name!r}. Expected a part of a file's name, without {os.sep!r}.")
    for quota in quotas:
        if quota is not None and (isinstance(quota, bool) or not isinstance(quota, int) or quota <= 0):
            raise ArgumentError(
                f"quotas has {quota!r}. Expected numbers of bytes above 0, or None for no limit."
            )
    return list(zip(paths, quotas or [None] * len(paths), strict=True))


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
