"""A sort and a merge of three times the memory of a worker: `python -m tests.spill.larger 2g` prints what they took.

It fails where a result is wrong, a worker was restarted, or its process ever had more than its limit.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import dask

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import execute, new_session
from marsdask.sizes import parse_size, shown

TIMES = 3.1
"""Data for each byte of the worker's memory."""
SMALLER = 24
"""The worker's memory for each byte of a chunk: with 16 a merge came within 3 % of its limit."""
MIX = 1_000_003  # a prime: times this, modulo the number of rows, is another order of the same numbers


class Took(NamedTuple):
    right: bool
    data: int
    limit: int
    peak: int
    spilled: int
    read: int
    seconds: float

    @property
    def well(self) -> bool:
        """The answer is right, and the process never had more than its limit."""
        return self.right and self.peak < self.limit and self.data > 3 * self.limit

    def __str__(self) -> str:
        return (
            f"right {self.right}, data {shown(self.data)}, limit {shown(self.limit)}, peak {shown(self.peak)}, "
            f"written {shown(self.spilled)}, read {shown(self.read)}, {self.seconds:.0f} s"
        )


Check = Callable[[], bool]


def sort(rows: int, chunk: int) -> tuple[Check, int]:
    """Sort numbers in a mixed order: whether they are now 0, 1, 2, ... and the bytes of them."""
    mixed = (mt.arange(rows, chunk_size=chunk) * MIX) % rows
    done = mt.sort(mixed).execute()

    def is_right() -> bool:
        # In the result's own chunks, so that nothing is cut anew.
        return bool((done == mt.arange(rows, chunk_size=(done.nsplits[0],))).all().execute().fetch())

    return is_right, 8 * rows


def merge(rows: int, chunk: int) -> tuple[Check, int]:
    """Merge rows in a mixed order with rows in order: whether each met its own, in the left's order; the bytes of both."""
    number = mt.arange(rows, chunk_size=chunk)
    mixed = (number * MIX) % rows
    left = md.DataFrame({"key": mixed, "at": number})
    right = md.DataFrame({"key": number, "triple": number * 3})
    done = left.merge(right, on="key").execute()

    def is_right() -> bool:
        checks = [
            (done["triple"] == done["key"] * 3).all(),
            (done["key"] == (done["at"] * MIX) % rows).all(),
            (done["at"] == done.index.to_series()).all(),
        ]
        return len(done) == rows and all(bool(c.fetch()) for c in execute(*checks))

    return is_right, 32 * rows


@contextmanager
def cluster(memory: str, directories: list[str], workers: int = 1):
    with dask.config.set({"marsdask.spill.directories": directories}):
        session = new_session(n_worker=workers, memory=memory, default=False)
    with session, session.active():
        yield session


def peak(dask_worker) -> tuple[int, int, int, int]:
    """Of a worker's process: the most memory it ever had, the bytes it has written to and read from files, its limit."""
    found = dask_worker.data.cumulative_metrics
    written, read = found["disk-write", "bytes"], found["disk-read", "bytes"]
    limit = dask_worker.memory_manager.memory_limit
    # Not getrusage(): what the parent had when it started this process counts there.
    (most,) = (
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    return int(most.split()[1]) * 1024, int(written), int(read), limit


def measured(session, work: Callable[[int, int], tuple[Check, int]], rows: int, chunk: int) -> Took:
    """What `work` took; the peak is that of the check as well."""
    began = time.perf_counter()
    before = set(session.client.scheduler_info(-1)["workers"])
    right, data = work(rows, chunk)
    seconds = time.perf_counter() - began
    _, written, read, _ = _peaks(session)
    is_right = right()
    assert set(session.client.scheduler_info(-1)["workers"]) == before, "a worker was restarted"
    most, _, _, limit = _peaks(session)
    return Took(is_right, data, limit, most, written, read, seconds)


def _peaks(session) -> list[int]:
    return [max(each) for each in zip(*session.client.run(peak).values(), strict=True)]


ROW = {sort: 8, merge: 32}
"""What is done, and the bytes of its rows."""


def three_times(memory: str, work: Callable[[int, int], tuple[Check, int]], directories: list[str]) -> Took:
    """`work` on three times the memory of one worker, which may spill to `directories`."""
    limit = parse_size(memory, "memory")
    with cluster(memory, directories) as session:
        return measured(session, work, int(TIMES * limit / ROW[work]), limit // SMALLER // ROW[work])


def main(words: list[str]) -> int:
    failed = False
    for work in ROW:
        with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
            t = three_times(words[0] if words else "1g", work, [a, b])
        failed |= not t.well
        print(f"{work.__name__}: {t}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
