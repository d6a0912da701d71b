"""Memory that was freed: how much of it the C library keeps for the next array, and what it is asked to give back.

A page that is given back is zeroed by the system when it comes again, which costs more than many a pass over its numbers. So a
worker with room keeps some, and takes huge pages; one without keeps none.

glibc gives back large blocks and the end of its heap; the holes that small values leave between others it keeps. The memory of
the process then stays above Dask's thresholds with nothing left to spill, and the worker is paused for good.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from typing import Any

import dask.config

from marsdask.sizes import MIB

EVERY = 500
"""Milliseconds between looks."""
WORTH = 0.05
"""Of the memory limit: less is not asked back."""

ROOM = 2 * 2**30
"""A worker with so much memory for each thread keeps what it frees."""
TRIM = "MALLOC_TRIM_THRESHOLD_"
ONE = {
    # A heap for all threads, and for pyarrow, too, which otherwise has one of its own: what one frees, another takes again.
    "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
TIGHT = ONE | {
    # As Dask has it. That alone has glibc take every larger array from the system, and give it back: 128 KiB is where.
    TRIM: str(2**16),
    "MALLOC_MMAP_THRESHOLD_": str(2**17),
    # NumPy asks for huge pages for arrays of 4 MiB or more. Where the system grants them a worker's process has more memory than
    # its arrays: sorting three times the limit of 512 MiB came to 484, 495 and 500 MiB in 50-53 s, without them to 442 MiB in
    # 57 s; a merge passed 95 %, and its worker was restarted again and again (python -m tests.spill.larger, Linux 6.18).
    "NUMPY_MADVISE_HUGEPAGE": "0",
}
"""The variables by which a process says what it keeps, and what they are where memory is short."""
ROOMY = ONE | {
    # Five TPC-H queries at scale factor 10, parquet, two workers of 4 GiB with a thread each, CPU: 30.3 s; with huge pages 24.7,
    # with what is kept 23.8, with both 20.0. Memory at most: 0.87 GiB, and 1.02. That was with 128 MiB kept, and several heaps:
    # of q03, q09, q18 and q21, twice, 29 of 108 CPU s went to the system for pages, 26 with 512 MiB, 17 with these of one heap,
    # 19 with 1 GiB; on one worker of two threads 18 of 85, and 10 of 73 with these. Memory at most as before, 1.7 GiB.
    TRIM: str(512 * MIB),
    "MALLOC_MMAP_THRESHOLD_": str(32 * MIB),  # the most that glibc takes
    "NUMPY_MADVISE_HUGEPAGE": "1",
}
"""What they are where there is room."""
SETTING = "distributed.nanny.pre-spawn-environ"


NAMES = "MARSDASK_HEAP_SAID"
"""The variable that names which of them the user has set: a nanny leaves what it gives its worker in its own environment."""


def _said() -> dict[str, str]:
    """What the user has set of the variables."""
    told = os.environ.get(NAMES)
    names = TIGHT if told is None else told.split()
    return _but_dasks({n: os.environ[n] for n in names if n in os.environ})


def _but_dasks(found: dict[str, str]) -> dict[str, str]:
    """Without Dask's own default, which its configuration has, and the environment of a program that started its nannies."""
    return {n: value for n, value in found.items() if (n, value) != (TRIM, TIGHT[TRIM])}


SAID = _said()


def environment(limit: float | None, threads: int) -> dict[str, str]:
    """The variables for a worker of `threads` with so many bytes (None: no limit); what the user has set stays."""
    ours = TIGHT if limit and limit < ROOM * max(threads, 1) else ROOMY
    configured = {n: str(v) for n, v in dask.config.get(SETTING, {}).items() if n in ours and v is not None}
    said = _but_dasks(configured) | SAID
    return {**ours, **said, NAMES: " ".join(said)}


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
