"""A worker's data: in memory up to a target, and the rest, which was unused longest and can be written, in a StripedFile."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

import zict
from dask.typing import Key
from distributed.metrics import context_meter
from distributed.protocol import deserialize_bytes, serialize_bytelist
from distributed.protocol.compression import get_compression_settings
from distributed.sizeof import safe_sizeof
from distributed.spill import SpilledSize
from zict.common import NoDefault, discard, nodefault

from marsdask.errors import ArgumentError, NotPicklable, SpillFull, short
from marsdask.spill.directory import RETRY_AFTER, Usage
from marsdask.spill.store import StripedFile, logger

# Values that are tried in one eviction before it is given up: each may cost a serialization and a part of a write.
TRIES = 4
NOTHING = SpilledSize(0, 0)


class PatientLRU(zict.LRU[Key, object]):
    """An LRU that passes over what cannot be evicted now, and comes back to it later."""

    def __init__(self, n: float, d: dict[Key, object], *, retry_after: float, **callbacks: Any) -> None:
        super().__init__(n, d, **callbacks)
        self.retry_after = retry_after
        #: Those that never can be written, by key.
        self.unpicklable: dict[Key, NotPicklable] = {}
        self._later: dict[Key, float] = {}
        self._too_heavy, self._too_heavy_until = math.inf, 0.0

    def evict(self, key: Key | NoDefault = nodefault) -> tuple[Key, object, float] | tuple[None, None, float]:
        """(key, value, weight) of the one evicted; a weight of -1 if none of those tried could be."""
        if key is not nodefault:
            return self._evict(key)
        for _ in range(TRIES):
            candidate = self._candidate()
            if candidate is nodefault:
                break
            value = self.d.get(candidate)
            try:
                return self._evict(candidate)
            except (NotPicklable, SpillFull, MemoryError) as error:
                with self.lock:
                    if self.d.get(candidate) is value:
                        self._put_off(candidate, error)
            except KeyError:
                if candidate in self.d:
                    raise
                # Another thread deleted it.
        return None, None, -1

    def evict_until_below_target(self, n: float | None = None) -> None:
        """Evicts until the weights add up to `n` or less, or nothing more can be evicted."""
        limit = self.n if n is None else n
        while self.total_weight + self.offset > limit and not self.closed:
            if self.evict()[2] == -1:
                return

    def __delitem__(self, key: Key) -> None:
        with self.lock:
            super().__delitem__(key)
            # A new value for the key comes by here as well.
            self.unpicklable.pop(key, None)
            self._later.pop(key, None)

    def outdated(self, key: Any) -> bool:
        """Whether what callbacks have made of the key is not its value any more: it was set or deleted while they ran.

        True until on_cancel_evict has removed that.
        """
        return self._cancel_evict.get(key, False)

    def try_again(self) -> None:
        """There may be room for what did not fit before."""
        self._too_heavy = math.inf

    def _evict(self, key: Key) -> tuple[Key, object, float] | tuple[None, None, float]:
        """Calls the callbacks without the lock, so that others may read, write and delete meanwhile; what they do to the key counts.

        LRU's own method looks for that before it takes the lock again, and removes what was set in between. What it
        notes of that, `_cancel_evict`, is private to zict; its other methods read it, so it cannot be one of our own.
        """
        with self.lock:
            if key in self._cancel_evict:
                return None, None, 0
            value = self.d[key]
            self.heavy.discard(key)
            self._cancel_evict[key] = False
        try:
            for callback in self.on_evict:
                callback(key, value)
        except BaseException:
            with self.lock:
                del self._cancel_evict[key]
            raise
        with self.lock:
            if not self._cancel_evict[key]:
                # Before the deletion, which would be taken for another thread's.
                del self._cancel_evict[key]
                weight = self.weights[key]
                del self[key]
                return key, value, weight
        try:
            # Not under the lock: a Buffer takes its own first, then this one.
            for callback in self.on_cancel_evict:
                callback(key, value)
        finally:
            with self.lock:
                del self._cancel_evict[key]
        return None, None, 0

    def _candidate(self) -> Key | NoDefault:
        now = time.monotonic()
        if now >= self._too_heavy_until:
            self._too_heavy = math.inf
        with self.lock:
            for key in chain(self.heavy, self.order):
                if key in self._cancel_evict:
                    # It is on its way out, in another thread.
                    continue
                if self.weights[key] < self._too_heavy and self._later.get(key, 0) <= now:
                    return key
        return nodefault

    def _put_off(self, key: Key, error: Exception) -> None:
        until = time.monotonic() + self.retry_after
        if isinstance(error, SpillFull):
            # One that takes less memory may take less room.
            self._too_heavy, self._too_heavy_until = self.weights[key], until
        elif isinstance(error, NotPicklable):
            logger.error("%s It stays in memory.", error)
            # A traceback would keep the value alive.
            self.unpicklable[key] = error.with_traceback(None)
            self._later[key] = math.inf
        else:
            logger.error("Not enough memory to write %s; it stays there.", short(key))
            self._later[key] = until


class MarsSpillBuffer(zict.Buffer[Key, object]):
    """What `Worker(data=(MarsSpillBuffer, {...}))` takes instead of distributed's own buffer.

    Values are kept in memory while their sizes add up to at most `target` times `memory_limit` bytes (`target=False`: until
    the worker asks by `evict()`); then those unused longest go to files in `directories`, or in
    `<worker_local_directory>/storage` where none are given, at most `max_spill` bytes of them (False: no limit). The other
    arguments are StripedFile's, and the values are compressed as `distributed.worker.memory.spill-compression` says.

    A value that cannot be written stays in memory, and others are written instead of it. Setting an item raises only if the
    value is larger than the target and cannot be pickled; the key is forgotten then. Getting one raises SpillDamaged if its
    file is not what was written; the key stays, and may be deleted. The file of a value that was read stays until the value
    is deleted or the room is needed, so that it is not written a second time.
    """

    fast: PatientLRU

    def __init__(
        self,
        worker_local_directory: str,
        *,
        memory_limit: int,
        target: float | Literal[False],
        max_spill: int | Literal[False] = False,
        directories: Sequence[str] = (),
        retry_after: float = RETRY_AFTER,
        **how: Any,
    ) -> None:
        if isinstance(memory_limit, bool) or not isinstance(memory_limit, int) or memory_limit <= 0:
            raise ArgumentError(f"memory_limit={memory_limit!r}. Expected a number of bytes above 0.")
        if target is not False and (target is True or not 0 < target <= 1):
            raise ArgumentError(
                f"target={target!r}. Expected a fraction of memory_limit above 0 and up to 1, or False."
            )
        bytes_in_memory = sys.maxsize if target is False else int(memory_limit * target)
        if max_spill is not False and (max_spill is True or not isinstance(max_spill, int) or max_spill <= 0):
            raise ArgumentError(
                f"max_spill={max_spill!r}. Expected a number of bytes above 0, or False for no limit."
            )
        paths = directories or [os.path.join(worker_local_directory, "storage")]
        self.store = Serialized(paths, max_spill, retry_after=retry_after, **how)
        # A value that something on the worker still uses is not read a second time.
        slow = zict.Cache(self.store, zict.WeakValueMapping())
        super().__init__(fast={}, slow=slow, n=bytes_in_memory, weight=self.store.weigh)
        plain = self.fast
        self.fast = PatientLRU(
            bytes_in_memory,
            {},
            on_evict=plain.on_evict,
            on_cancel_evict=plain.on_cancel_evict,
            weight=plain.weight,
            retry_after=retry_after,
        )
        #: Keys whose value is in memory and whose file is still there.
        self._both: set[Key] = set()
        self.store.on_freed = self.fast.try_again
        self.store.make_room = self.drop_copies
        self.store.weight_in_memory = self.fast.weights.get
        #: (what was done, unit) -> how much since the start; Dask's Prometheus page shows it.
        self.cumulative_metrics: defaultdict[tuple[str, str], float] = defaultdict(float)

    @property
    def memory(self) -> Mapping[Key, object]:
        """What is in memory, to look at."""
        return self.fast

    @property
    def disk(self) -> Mapping[Key, object]:
        """What is on disk, to look at; some of it may be in memory as well."""
        return self.slow

    @property
    def spilled_total(self) -> SpilledSize:
        """Bytes that are not in memory, as they were measured there, and bytes in files."""
        sizes, total = self.store.sizes, self.store.total
        twice = sum(sizes[key].memory for key in tuple(self._both) if key in sizes)
        return SpilledSize(total.memory - twice, total.disk)

    def usage(self) -> list[Usage]:
        """What is in each directory: path, files, bytes, quota, free, bad (why it is not used now, or None)."""
        return self.store.usage()

    def evict(self) -> int:
        """Writes one value, the one unused longest that can be written. Its size in memory; -1 if there is none. Never raises."""
        with self._metrics():
            return int(self.fast.evict()[2])

    def __setitem__(self, key: Key, value: object) -> None:
        with self._metrics():
            with self.lock:
                self._both.discard(key)
            super().__setitem__(key, value)
        error = self.fast.unpicklable.get(key)
        if error is not None and self.fast.weights.get(key, 0) > self.n:
            self.discard(key)
            raise error

    def __getitem__(self, key: Key) -> object:
        with self._metrics():
            # Not in the LRU's own method: evictions call that as well.
            weight = self.fast.weights.get(key)
            if weight is not None:
                context_meter.digest_metric("memory-read", 1, "count")
                context_meter.digest_metric("memory-read", weight, "bytes")
            return super().__getitem__(key)

    def slow_to_fast(self, key: Key) -> object:
        """Reads a value from its file, which stays; called under the lock."""
        if self.fast.outdated(key):
            raise KeyError(key)
        self._cancel_restore[key] = False  # private to zict, whose other methods set it to True
        try:
            with self.unlock():
                value = self.slow[key]
            if self._cancel_restore[key]:
                raise KeyError(key)
        finally:
            del self._cancel_restore[key]
        if self.weight(key, value) <= self.n:
            # Without evicting: this very value could be the one that goes, before its reader has it.
            self.fast.set_noevict(key, value)
            self._both.add(key)
        with self.unlock():
            self.fast.evict_until_below_target()
        return value

    def fast_to_slow(self, key: Key, value: object) -> None:
        """Writes a value, unless its file is still there."""
        with self.lock:
            if key in self._both and key in self.slow:
                self._both.discard(key)
                return
        self.slow[key] = value

    def drop_copies(self) -> int:
        """Removes the files of values that are in memory too; how many there were."""
        with self.lock:
            copies = [key for key in self._both if key in self.fast and key in self.slow]
            for key in copies:
                del self.slow[key]
            self._both.difference_update(copies)
        return len(copies)

    def set_noevict(self, key: Key, value: object) -> None:
        with self.lock:
            self._both.discard(key)
            super().set_noevict(key, value)

    def __delitem__(self, key: Key) -> None:
        with self.lock:
            if key not in self:
                raise KeyError(key)
            super().__delitem__(key)
            self._both.discard(key)
            discard(self.slow, key)  # pop() would read the file first

    def __contains__(self, key: object) -> bool:
        # Outdated first: what is not then cannot become so before the lock is free.
        with self.lock:
            return key in self.fast or (not self.fast.outdated(key) and key in self.slow)

    def __iter__(self) -> Iterator[Key]:
        return (key for key in super().__iter__() if key in self)

    def __len__(self) -> int:
        with self.lock, self.fast.lock:
            return len(self.fast) + sum(
                key not in self.fast and not self.fast.outdated(key) for key in self.slow
            )

    def clear(self) -> None:
        """Deletes everything, without reading it."""
        for key in list(self):
            self.discard(key)

    def close(self) -> None:
        """Removes the files and the directories made for them."""
        # Also called when an argument was refused.
        if hasattr(self, "fast"):
            super().close()

    @contextlib.contextmanager
    def _metrics(self) -> Iterator[None]:
        def add(label: object, value: float, unit: str) -> None:
            self.cumulative_metrics[str(label), unit] += value

        with context_meter.add_callback(add):
            yield


class Serialized(StripedFile):
    """Values as distributed serializes them, in files; at most `max_spill` bytes in all."""

    def __init__(self, directories: Sequence[str], max_spill: int | Literal[False], **how: Any) -> None:
        super().__init__(directories, **how)
        self.max_spill = max_spill
        self.compression = get_compression_settings("distributed.worker.memory.spill-compression")
        self.sizes: dict[Hashable, SpilledSize] = {}
        self.total = NOTHING
        self.on_freed: Callable[[], None] = lambda: None
        #: Asked once where a value does not fit: how many others went.
        self.make_room: Callable[[], int] = lambda: 0
        self.weight_in_memory: Callable[[Any], float | None] = lambda key: None

    def weigh(self, key: Hashable, value: object) -> int:
        """Bytes in memory. Measured once for a value that goes and comes back: it takes long for frames with objects."""
        known = self.sizes.get(key)
        return safe_sizeof(value) if known is None else known.memory

    def __getitem__(self, key: Hashable) -> Any:
        with context_meter.meter("disk-read", "seconds"):
            data = super().__getitem__(key)
        context_meter.digest_metric("disk-read", 1, "count")
        context_meter.digest_metric("disk-read", len(data), "bytes")
        return deserialize_bytes(data)

    def __setitem__(self, key: Hashable, value: Any) -> None:
        frames = self._dumped(key, value)
        size = sum(memoryview(frame).nbytes for frame in frames)
        if self._too_much(size) and (not self.make_room() or self._too_much(size)):
            reason = f"{self.total.disk:,} bytes of max-spill {self.max_spill:,} are used"
            self._tell("full", self.directories, key, reason, self.max_spill)
            paths = os.pathsep.join(directory.path for directory in self.directories)
            raise SpillFull.of(key, size, [(paths, reason)])
        with context_meter.meter("disk-write", "seconds"):
            try:
                super().__setitem__(key, frames)
            except SpillFull:
                if not self.make_room():
                    raise
                super().__setitem__(key, frames)
        context_meter.digest_metric("disk-write", 1, "count")
        context_meter.digest_metric("disk-write", size, "bytes")
        with self.lock:
            self.total -= self.sizes.pop(key, NOTHING)
            weight = self.weight_in_memory(key)
            self.sizes[key] = SpilledSize(int(safe_sizeof(value) if weight is None else weight), size)
            self.total += self.sizes[key]

    def __delitem__(self, key: Hashable) -> None:
        super().__delitem__(key)
        with self.lock:
            self.total -= self.sizes.pop(key, NOTHING)
        self.on_freed()

    def _dumped(self, key: Hashable, value: object) -> list[bytes | bytearray | memoryview]:
        try:
            return serialize_bytelist(value, compression=self.compression, on_error="raise")
        except Exception as error:  # noqa: BLE001 - whatever a class's own way to pickle raises
            if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
                raise MemoryError from None
            failed = NotPicklable.spilling(key, error)
        # Not from inside of `except`: it is kept, and what caused it would keep the value alive.
        raise failed

    def _too_much(self, size: int) -> bool:
        return self.max_spill is not False and self.total.disk + size > self.max_spill
