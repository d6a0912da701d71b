"""Work on three times what a cluster's memory holds: `python -m tests.spill.larger 512m` prints a table of what it took.

Each work runs in a process of its own, on two workers of one thread, first by marsdask, with `--dask` then by plain Dask with
its defaults. It fails where a result of ours is wrong, a worker of ours was restarted, or its process ever had more than
its limit.
"""

import argparse
import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from logging.handlers import BufferingHandler
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.array as da
import dask.dataframe as dd
import distributed

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import execute, new_session
from marsdask.engine.workers import workers_of
from marsdask.sizes import parse_size, shown

TIMES = 3.1
"""Data for each byte of the workers' memory."""
SMALLER = 24
"""A worker's memory for each byte of a chunk: with 16 a merge came within 3 % of its limit."""
PATIENCE = 900
"""Seconds for one work, after which it is given up."""
MIX = 1_000_003  # a prime: times this, modulo the number of rows, is another order of the same numbers


class Took(NamedTuple):
    right: bool
    data: int
    limit: int
    peak: int
    spilled: int
    read: int
    seconds: float
    restarts: int
    workers: int
    said: str = ""
    """What the workers' nannies and the scheduler warned of."""

    @property
    def well(self) -> bool:
        """The answer is right, no worker was restarted, and none ever had more than its limit."""
        larger = self.data > 3 * self.limit * self.workers
        return self.right and not self.restarts and self.peak < self.limit and larger

    def __str__(self) -> str:
        return (
            f"right {self.right}, data {shown(self.data)}, limit {self.workers} x {shown(self.limit)}, peak {shown(self.peak)}, "
            f"written {shown(self.spilled)}, read {shown(self.read)}, {self.seconds:.0f} s, {self.restarts} restarts {self.said}"
        )


Check = Callable[[], bool]


# Each makes about `size` bytes in chunks of `chunk`, does its work, and gives how to see whether that is right.


def sort(size: int, chunk: int) -> Check:
    """Numbers in a mixed order: whether they are now 0, 1, 2, ..."""
    rows = size // 8
    mixed = (mt.arange(rows, chunk_size=chunk // 8) * MIX) % rows
    done = mt.sort(mixed).execute()
    # In the result's own chunks, so that nothing is cut anew.
    return lambda: bool((done == mt.arange(rows, chunk_size=(done.nsplits[0],))).all().execute().fetch())


def merge(size: int, chunk: int) -> Check:
    """Rows in a mixed order with rows in order: whether each met its own, in the left's order."""
    rows = size // 32
    number = mt.arange(rows, chunk_size=chunk // 32)
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

    return is_right


def groupby(size: int, chunk: int) -> Check:
    """Pairs of rows that are far apart: whether each group has the sum of its two."""
    groups = size // 32
    number = mt.arange(2 * groups, chunk_size=chunk // 16)
    frame = md.DataFrame({"key": (number * MIX) % groups, "at": number})
    done = frame.groupby("key").sum().execute()

    def is_right() -> bool:
        # Of the rows r and r + groups: the key says which r.
        first = (done["at"] - groups) // 2
        checks = [
            ((first * MIX) % groups == done.index.to_series()).all(),
            done.index.to_series().is_monotonic_increasing,
        ]
        return len(done) == groups and all(bool(c.fetch()) for c in execute(*checks))

    return is_right


def matmul(size: int, chunk: int) -> Check:
    """Two matrices, twice as large as their product: whether that does with a vector what one after the other does."""
    n, edge = isqrt(size // 24), isqrt(chunk // 8)
    a, b = execute(*(mt.random.RandomState(seed).rand(n, n, chunk_size=edge) for seed in (1, 2)))
    done, ones = (a @ b).execute(), mt.ones(n, chunk_size=edge)
    return lambda: bool(mt.allclose(done @ ones, a @ (b @ ones)).execute().fetch())


def rechunk(size: int, chunk: int) -> Check:
    """A matrix in rows, wanted in columns: whether the elements are in their places."""
    n = isqrt(size // 8)
    thick = chunk // 8 // n
    down, along = mt.arange(n, chunk_size=thick), mt.arange(n, chunk_size=n)
    done = (down[:, None] * n + along[None, :]).rechunk((n, thick)).execute()

    def is_right() -> bool:
        down, along = mt.arange(n, chunk_size=n), mt.arange(n, chunk_size=thick)
        return bool((done == down[:, None] * n + along[None, :]).all().execute().fetch())

    return is_right


def median(size: int, chunk: int) -> Check:
    """Of all numbers in a mixed order."""
    rows = size // 8
    done = mt.median((mt.arange(rows, chunk_size=chunk // 8) * MIX) % rows).execute()
    return lambda: bool(done.fetch() == (rows - 1) / 2)


# The same by plain Dask, whose results are kept likewise.


def _kept(collection: Any) -> Any:
    distributed.wait(kept := collection.persist())
    return kept


def dask_sort(size: int, chunk: int) -> Check:
    rows = size // 8
    mixed = (da.arange(rows, chunks=chunk // 8) * MIX) % rows
    done = _kept(dd.from_dask_array(mixed).to_frame("key").sort_values("key"))
    return lambda: bool((done["key"].diff().fillna(1) == 1).all().compute())


def dask_merge(size: int, chunk: int) -> Check:
    rows = size // 32
    number = da.arange(rows, chunks=chunk // 32)
    left = dd.from_dask_array(da.stack([(number * MIX) % rows, number], axis=1), columns=["key", "at"])
    right = dd.from_dask_array(da.stack([number, number * 3], axis=1), columns=["key", "triple"])
    done = _kept(left.merge(right, on="key"))
    return lambda: len(done) == rows and bool((done["triple"] == done["key"] * 3).all().compute())


def dask_groupby(size: int, chunk: int) -> Check:
    groups = size // 32
    number = da.arange(2 * groups, chunks=chunk // 16)
    frame = dd.from_dask_array(da.stack([(number * MIX) % groups, number], axis=1), columns=["key", "at"])
    done = _kept(frame.groupby("key").sum())

    def is_right() -> bool:
        back = done.reset_index()
        good = (((back["at"] - groups) // 2 * MIX) % groups == back["key"]).all()
        return len(done) == groups and bool(good.compute())

    return is_right


def dask_matmul(size: int, chunk: int) -> Check:
    n, edge = isqrt(size // 24), isqrt(chunk // 8)
    a, b = (_kept(da.random.RandomState(seed).random((n, n), chunks=edge)) for seed in (1, 2))
    done, ones = _kept(a @ b), da.ones(n, chunks=edge)
    return lambda: bool(da.allclose(done @ ones, a @ (b @ ones)).compute())


def dask_rechunk(size: int, chunk: int) -> Check:
    n = isqrt(size // 8)
    thick = chunk // 8 // n
    down, along = da.arange(n, chunks=thick), da.arange(n, chunks=n)
    done = _kept((down[:, None] * n + along[None, :]).rechunk((n, thick)))

    def is_right() -> bool:
        down, along = da.arange(n, chunks=n), da.arange(n, chunks=thick)
        return bool((done == down[:, None] * n + along[None, :]).all().compute())

    return is_right


def dask_median(size: int, chunk: int) -> Check:
    rows = size // 8
    done = da.median((da.arange(rows, chunks=chunk // 8) * MIX) % rows, axis=0).compute()
    return lambda: bool(done == (rows - 1) / 2)


WORKS = {
    "sort": (sort, dask_sort),
    "merge": (merge, dask_merge),
    "groupby": (groupby, dask_groupby),
    "matmul": (matmul, dask_matmul),
    "rechunk": (rechunk, dask_rechunk),
    "median": (median, dask_median),
}
"""What is done: by marsdask, by plain Dask."""


@contextmanager
def cluster(memory: str, directories: list[str], workers: int = 1):
    with dask.config.set({"marsdask.spill.directories": directories}):
        session = new_session(n_worker=workers, memory=workers * parse_size(memory, "memory"), default=False)
    with session, session.active():
        yield session


def peak(dask_worker) -> tuple[int, int, int, int]:
    """Of a worker's process: the most memory it ever had, the bytes it has written to and read from files, its limit."""
    # Those of plain Dask are counted too, where it spilled at all.
    found = getattr(dask_worker.data, "cumulative_metrics", {})
    written, read = found.get(("disk-write", "bytes"), 0), found.get(("disk-read", "bytes"), 0)
    limit = dask_worker.memory_manager.memory_limit
    # Not getrusage(): what the parent had when it started this process counts there.
    (most,) = (
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    return int(most.split()[1]) * 1024, int(written), int(read), limit


def measured(client: distributed.Client, work: Callable[[int, int], Check], size: int, chunk: int) -> Took:
    """What `work` took; the peak is that of the check as well."""
    began = time.perf_counter()
    before = set(workers_of(client))
    is_right = work(size, chunk)
    seconds = time.perf_counter() - began
    _, written, read, _ = _peaks(client)
    right = is_right()
    gone = before - set(workers_of(client))
    most, _, _, limit = _peaks(client)
    return Took(right, size, limit, most, written, read, seconds, len(gone), len(before))


def _peaks(client: distributed.Client) -> list[int]:
    found = client.run(peak)
    if not found:
        raise RuntimeError("no worker is left")
    return [max(each) for each in zip(*found.values(), strict=True)]


def three_times(memory: str, work: Callable[[int, int], Check], directories: list[str], workers: int) -> Took:
    """`work` on three times the memory of the workers, which may spill to `directories`."""
    limit = parse_size(memory, "memory")
    with warned() as kept, cluster(memory, directories, workers) as session:
        took = measured(session.client, work, int(TIMES * limit * workers), limit // SMALLER)
    how = logging.Formatter("%(asctime)s %(name)s: %(message)s")
    return took._replace(said="\n".join(map(how.format, kept.buffer)))


@contextmanager
def warned():
    """What Dask warns of in this process, where the nannies are: nothing else tells why one of them started a worker again."""
    kept, logger = BufferingHandler(sys.maxsize), logging.getLogger("distributed")
    kept.setLevel(logging.WARNING)
    logger.addHandler(kept)
    try:
        yield kept
    finally:
        logger.removeHandler(kept)


def by_dask(memory: str, work: Callable[[int, int], Check], directory: str, workers: int) -> Took:
    """The same on a cluster of plain Dask."""
    limit = parse_size(memory, "memory")
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, memory_limit=limit, local_directory=directory
        ) as made,
        distributed.Client(made) as client,
    ):
        return measured(client, work, int(TIMES * limit * workers), limit // SMALLER)


def one(memory: str, name: str, plain: bool) -> Took:
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        ours, dasks = WORKS[name]
        return by_dask(memory, dasks, a, 2) if plain else three_times(memory, ours, [a, b], 2)


def in_process(memory: str, name: str, plain: bool) -> Took | str:
    """What it took, or how it ended else."""
    words = [sys.executable, "-m", "tests.spill.larger", memory, name, "--one", *["--dask"] * plain]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"not done in {PATIENCE} s"
    lines = done.stdout.splitlines()
    if done.returncode == 0 and lines:
        return Took(**json.loads(lines[-1]))
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:300]


def main(words: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("memory", nargs="?", default="1g")
    parser.add_argument("works", nargs="*", help=", ".join(WORKS))
    parser.add_argument("--dask", action="store_true", help="plain Dask as well")
    parser.add_argument("--one", action="store_true", help="in this process, one, as JSON")
    given = parser.parse_args(None if words is None else list(words))
    if given.one:
        print(json.dumps(one(given.memory, given.works[0], given.dask)._asdict()))
        return 0
    failed = False
    for name in given.works or WORKS:
        for plain in (False, True)[: 1 + given.dask]:
            took = in_process(given.memory, name, plain)
            failed |= not plain and not (isinstance(took, Took) and took.well)
            print(f"{name} by {'dask' if plain else 'marsdask'}: {took}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
