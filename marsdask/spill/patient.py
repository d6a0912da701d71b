"""Which values leave memory: those unused longest, but for those that cannot be written now."""

from __future__ import annotations

import math
import time
from itertools import chain
from typing import Any

import zict
from dask.typing import Key
from zict.common import NoDefault, nodefault

from marsdask.errors import NotPicklable, SpillFull, short
from marsdask.spill.store import logger

# Values that are tried in one eviction before it is given up: each may cost a serialization and a part of a write.
TRIES = 4


class PatientLRU(zict.LRU[Key, object]):
    """An LRU that passes over what cannot be evicted now, and comes back to it later."""

    def __init__(self, n: float, d: dict[Key, object], *, retry_after: float, **callbacks: Any) -> None:
        super().__init__(n, d, **callbacks)
        self.retry_after = retry_after
        #: Those that never can be written, by key.
        self.unpicklable: dict[Key, NotPicklable] = {}
        self._later: dict[Key, float] = {}
        self._too_heavy = math.inf
        self._too_heavy_until = 0.0

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
            self._too_heavy = self.weights[key]
            self._too_heavy_until = until
        elif isinstance(error, NotPicklable):
            logger.error("%s It stays in memory.", error)
            # A traceback would keep the value alive.
            self.unpicklable[key] = error.with_traceback(None)
            self._later[key] = math.inf
        else:
            logger.error("Not enough memory to write %s; it stays there.", short(key))
            self._later[key] = until
