"""One directory that holds spilled values: files of its own, bounded, and left alone for a while when it fails."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import itertools
import os
import stat
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import dask
import numpy as np
from distributed.diskutils import DIR_LOCK_EXT, WorkDir, WorkSpace, locket

from marsdask.errors import ArgumentError, BadSpillDirectory

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
_LOOKS_AGAIN = 0.05
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


@dataclass(eq=False)
class Refused(Exception):
    """A directory does not take a value; another may."""

    kind: Kind
    reason: str


def check_usable(path: str) -> None:
    """Raises BadSpillDirectory where no files can be put; a directory that is not there is made."""
    try:
        os.makedirs(path, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise BadSpillDirectory.because(path, told(error)) from error


SCRATCH = "dask-scratch-space"


def scratch(base: str | None = None) -> str:
    """distributed's scratch directory under `base`, or where Dask's configuration has temporary files: ours, and nobody else's.

    distributed takes one that somebody else has made, and puts it into `sys.path`: whose it is has his modules imported. One
    that is not ours is left for another name, by which distributed takes it as it is. Raises BadSpillDirectory where both
    are somebody else's.
    """
    place = os.path.abspath(
        os.fspath(base or dask.config.get("temporary-directory", None) or tempfile.gettempdir())
    )
    first = place if SCRATCH in place else os.path.join(place, SCRATCH)
    for path in (first, f"{first}-{os.getuid()}"):
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.mkdir(path, 0o700)
            facts = os.lstat(path)
            if not stat.S_ISDIR(facts.st_mode):
                reason = "it is no directory"
            elif facts.st_uid != os.getuid():
                reason = f"it belongs to user {facts.st_uid}, who could have modules imported from it"
            else:
                if facts.st_mode & 0o022:
                    os.chmod(path, 0o700)
                return path
        except OSError as error:
            reason = told(error)
    raise BadSpillDirectory.because(path, reason)


def own_scratch() -> contextlib.AbstractContextManager[Any]:
    """A block in which a scheduler that is made takes a scratch directory of ours: it has no argument for it."""
    path = scratch()
    usual = os.path.join(dask.config.get("temporary-directory", None) or tempfile.gettempdir(), SCRATCH)
    if path == os.path.abspath(usual):
        return contextlib.nullcontext()
    return dask.config.set({"temporary-directory": path})


def purge(path: str) -> list[str]:
    """Removes what is left under `path` of SpillDirectories and workers whose processes were killed; their directories.

    Those of others are not touched. Where nobody's are left the locks go, too.
    """
    removed: list[str] = []
    # What cannot be removed now is tried again by the next SpillDirectory.
    with contextlib.suppress(OSError, locket.LockError):
        if os.path.isdir(path):
            space = _Purged(os.path.abspath(path))
            # Private to distributed: in public it purges only where it makes a directory.
            stale = space._purge_leftovers()  # type: ignore[no-untyped-call]
            removed = [lock.removesuffix(DIR_LOCK_EXT) for lock in stale]
            space.remove_locks()
    return removed


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
        if head_room < 0:
            raise ArgumentError(f"head_room={head_room!r}. Expected a number of bytes, 0 or more.")
        if not retry_after >= 0:
            raise ArgumentError(f"retry_after={retry_after!r}. Expected a number of seconds, 0 or more.")
        if os.path.basename(name) != name:
            raise ArgumentError(f"name={name!r}. Expected a part of a file's name, without {os.sep!r}.")
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
        free = None
        with contextlib.suppress(OSError):
            free = self.free()
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
                at = 0
                while at < size:
                    read = os.readv(opened, [buffer[at:]])
                    if not read:
                        raise OSError(errno.EIO, f"it ended after {at:,} of {size:,} bytes")
                    at += read
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
                _renamed(partial, path)
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


class _Lock:
    """An exclusive lock of a file that its holder may remove.

    One of locket's, which distributed uses, excludes it, and waits for it. But who waited for a file that has been removed
    has it locked then, while others lock the new one.
    """

    def __init__(self, path: str, timeout: float | None = None) -> None:
        self._path, self._timeout = path, timeout
        self._opened: int | None = None

    def acquire(self) -> None:
        """Raises locket.LockError where another has it for `timeout` seconds."""
        until = None if self._timeout is None else time.monotonic() + self._timeout
        while self._opened is None:
            opened = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                self._wait(opened, until)
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(opened), os.stat(self._path)):
                        self._opened = opened
            finally:
                if self._opened is None:
                    os.close(opened)

    def release(self) -> None:
        if self._opened is not None:
            os.close(self._opened)
            self._opened = None

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def _wait(self, opened: int, until: float | None) -> None:
        if until is None:
            return fcntl.flock(opened, fcntl.LOCK_EX)
        while True:
            try:
                return fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise locket.LockError(f"{self._path} is locked by another process") from None
                time.sleep(_LOOKS_AGAIN)


class _Space(WorkSpace):
    """A WorkSpace whose locks may be removed, and that does not complain about files that are gone already.

    A worker's own directory, with ours in it, may be removed before ours is. The methods are private to distributed, which
    logs every error there as one, has locks of locket's, and has no setting for either.
    """

    def _global_lock(self, **options: Any) -> _Lock:
        return _Lock(self._global_lock_path, **options)

    def _purge_lock(self, **options: Any) -> _Lock:
        return _Lock(self._purge_lock_path, **options)

    def _on_remove_error(self, func: object, path: str, exc: BaseException) -> None:
        if not isinstance(exc, FileNotFoundError):
            super()._on_remove_error(func, path, exc)  # type: ignore[no-untyped-call]


class _Purged(_Space):
    """A _Space that waits for who looks over it at the same time, who may have found alive what has ended since.

    The methods are private to distributed, which gives both locks no time and has no setting for it.
    """

    def _global_lock(self, **_: Any) -> _Lock:
        return super()._global_lock(timeout=_PATIENCE)

    def _purge_lock(self, **_: Any) -> _Lock:
        return super()._purge_lock(timeout=_PATIENCE)

    def remove_locks(self) -> None:
        """Removes the two files by which processes take turns here, if nobody has a directory.

        Who waits for them meanwhile makes them anew, except for a plain WorkSpace of distributed's.
        """
        with self._global_lock(), self._purge_lock():
            if not any(self._list_unknown_locks()):  # type: ignore[no-untyped-call]
                for path in (self._purge_lock_path, self._global_lock_path):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(path)


def _renamed(partial: str, path: str) -> None:
    """Gives a file its name. Where it is gone and its directory is there, somebody else has removed it, which may pass."""
    try:
        os.rename(partial, path)
    except FileNotFoundError as error:
        if os.path.exists(partial) or not os.path.isdir(os.path.dirname(partial)):
            raise
        raise BlockingIOError(errno.EAGAIN, "a file was removed while it was written") from error


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
