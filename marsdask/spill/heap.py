"""Memory that was freed and that the C library keeps, given back to the system.

glibc gives back large blocks and the end of its heap; the holes that small values leave between others it keeps. The memory of
the process then stays above Dask's thresholds with nothing left to spill, and the worker is paused for good.
"""

from __future__ import annotations

import asyncio
import ctypes
from typing import Any

EVERY = 500
"""Milliseconds between looks."""
WORTH = 0.05
"""Of the memory limit: less is not asked back."""


class _Mallinfo2(ctypes.Structure):
    """`struct mallinfo2` of glibc's malloc.h."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


_library: Any
"""The process's C library; None where it is another one than glibc, or older than 2.33."""
try:
    _library = ctypes.CDLL(None)
    _library.mallinfo2.restype = _Mallinfo2
    _library.malloc_trim.argtypes = [ctypes.c_size_t]
except (OSError, AttributeError, TypeError):
    _library = None


def kept() -> int:
    """Bytes of freed memory that the C library keeps for later; 0 where that is not known."""
    return int(_library.mallinfo2().fordblks) if _library else 0


def give_back() -> None:
    """Have the C library return what it keeps."""
    if _library:
        _library.malloc_trim(0)


class Heap:
    """Gives memory back while the process of a worker has more than `share` of its limit."""

    def __init__(self, worker: Any, limit: int, share: float) -> None:
        self.worker = worker
        self.most, self.worth = limit * share, limit * WORTH
        self.kept_then = 0

    async def look(self) -> None:
        """Give back if it is worth it. In a thread: other threads may go on meanwhile."""
        if self.worker.monitor.get_process_memory() < self.most:
            return
        now = await asyncio.to_thread(kept)
        # What was given back goes on counting as kept until it is used again.
        if now - self.kept_then > self.worth:
            await asyncio.to_thread(give_back)
            self.kept_then = await asyncio.to_thread(kept)
        else:
            self.kept_then = min(self.kept_then, now)
