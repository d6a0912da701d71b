"""The sizes of chunks that nobody sized: by bytes, by the threads that work on them, and by their memory."""

from __future__ import annotations

import math
from collections.abc import Iterator

from marsdask.engine.base import Room, Threads
from marsdask.options import options
from marsdask.session.base import get_default_session
from marsdask.sizes import MIB, shown

WORTH = 16 * MIB
"""Data of twice as many bytes are worth two chunks. Below, splitting costs more than a second thread gains."""


def room() -> Room:
    """Where the next run will be, as far as is known: the default session, or this process."""
    session = get_default_session()
    return Threads().room if session is None or session.closed else session.engine.room


def most_bytes() -> float:
    """The most bytes of a chunk that nobody sized."""
    return min(float(options.chunk_store_limit), room().chunk)


def read_bytes() -> float:
    """The most bytes of a chunk that is read, which is in memory twice meanwhile: half of one that is held.

    TPC-H q01, q03, q12 from Parquet, row groups of half a file: with as many as of one that is held 1.2 to 1.7 times the CPU.
    """
    return float(options.chunk_store_limit) / 2


def count_by_bytes(nbytes: float, most: float | None = None) -> int:
    """How many chunks keep to that size: a power of two, whatever the number of threads.

    >>> [count_by_bytes(n * 256 * 2**20) for n in (0.5, 1, 1.2, 3, 9)]
    [1, 1, 2, 4, 16]
    """
    return int(2 ** math.ceil(math.log2(max(nbytes / (most or options.chunk_store_limit), 1))))


def chunk_count(nbytes: float, most: float | None = None, worth: int = WORTH) -> int:
    """In how many chunks data of so many bytes are held: a multiple of the threads, or fewer where that is not worth it."""
    if nbytes < 2 * worth and nbytes <= (most or options.chunk_store_limit):
        return 1
    # No power of two, as of tensors that are drawn: 22 chunks and not 32 of TPC-H's lineitem at SF10, on two workers, are 5 to 10 %
    # less CPU in q01, q03, q10 and q21, and 3 % more in q09.
    most = min(most or math.inf, most_bytes())
    count, threads = math.ceil(max(nbytes / most, 1)), max(room().threads, 1)
    if count <= threads:
        return max(count, min(threads, int(nbytes // worth)))
    return -(-count // threads) * threads


def chose(count: int, nbytes: float) -> bool:
    """Whether data of so many bytes have several chunks, and those that nobody asked for."""
    return count > 1 and not math.isnan(nbytes) and count == chunk_count(nbytes)


def rule(most: float = math.inf) -> str:
    """What `explain()` says of it."""
    return f"chunks of up to {shown(int(min(most, most_bytes())))}, for {room().threads} at a time"


def evenly(length: int, count: int) -> tuple[int, ...]:
    """`length` in so many parts, as equal as they can be.

    >>> evenly(10, 3)
    (4, 3, 3)
    """
    count = max(min(count, length), 1)
    return tuple(length // count + (i < length % count) for i in range(count))


def halved(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """In how many parts each axis is cut, so that there are `count` blocks as near to cubes as they can be.

    >>> halved((1000, 1000, 10), 8)
    (4, 2, 1)
    """
    parts = [1] * len(shape)
    for factor in sorted(_factors(count), reverse=True):
        longest = max(range(len(shape)), key=lambda axis: shape[axis] / parts[axis])
        parts[longest] *= factor
    return tuple(parts)


def _factors(number: int) -> Iterator[int]:
    """The prime factors of a number."""
    factor = 2
    while number > 1:
        if number % factor:
            factor += 1
        else:
            number //= factor
            yield factor
