"""`make soak MINUTES=15`: random jobs beside their NumPy and pandas twins, while workers, schedulers, disks and files fail.

Jobs of every room run on a local cluster and on one of plain commands whose scheduler is killed, too. Everything is drawn
from the seed that is printed first; `--seed` draws the same jobs and faults again (when a fault meets a job is not the same).
Ends with counts, and with exit code 1 where an answer was wrong, a job ended with an error or not at all, or something was left.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context, remote
from marsdask.session import Session, new_session
from tests.faults.processes import Bare, kill, pids

PATIENCE = 180.0
"""Seconds after which a job counts as one that hangs."""
EVERY = 2.0
"""Seconds from fault to fault, on average."""
Job = tuple[Callable[[Session], Any], Callable[[], Any]]


# Jobs: what runs it in a session, and what gives the same without one.


def _cells(rng: random.Random) -> tuple[np.ndarray, int]:
    rows, columns = rng.randrange(200, 1500), rng.randrange(20, 200)
    return np.random.default_rng(rng.randrange(2**32)).random((rows, columns)), rng.randrange(50, 400)


def _ran(handle: Any) -> Callable[[Session], Any]:
    return lambda session: handle.execute(session=session, show_progress=False).fetch(session=session)


def tensors(rng: random.Random) -> Job:
    a, chunk = _cells(rng)
    t, axis = mt.tensor(a, chunk_size=chunk), rng.choice([0, 1])
    kind = rng.randrange(6)
    pairs: list[tuple[Any, Callable[[], Any]]] = [
        ((t * 2 + mt.sqrt(t)).sum(axis=axis), lambda: (a * 2 + np.sqrt(a)).sum(axis=axis)),
        (t @ t.T, lambda: a @ a.T),
        (mt.sort(t.reshape(-1)), lambda: np.sort(a.reshape(-1))),
        (mt.cumsum(t, axis=axis), lambda: np.cumsum(a, axis=axis)),
        (mt.median(t, axis=axis), lambda: np.median(a, axis=axis)),
        (t[t > 0.5].mean(), lambda: a[a > 0.5].mean()),
    ]
    return _ran(pairs[kind][0]), pairs[kind][1]


def rechunked(rng: random.Random) -> Job:
    a, chunk = _cells(rng)
    t = mt.tensor(a, chunk_size=chunk).rechunk(rng.randrange(30, 300))
    return _ran(t[::-1] + 1), lambda: a[::-1] + 1


def _table(rng: random.Random) -> tuple[pd.DataFrame, int]:
    rows = rng.randrange(2_000, 30_000)
    of = np.random.default_rng(rng.randrange(2**32))
    table = pd.DataFrame(
        {
            "k": of.integers(0, rng.randrange(2, 3000), rows),
            "v": of.random(rows),
            "w": of.integers(-5, 5, rows),
            "s": np.array(["a", "bb", "ccc", None], dtype=object)[of.integers(0, 4, rows)],
        }
    )
    return table, rng.randrange(rows // 12, rows)


def frames(rng: random.Random) -> Job:
    table, chunk = _table(rng)
    frame = md.DataFrame(table, chunk_size=chunk)
    other = _table(rng)[0]
    small = other.drop_duplicates("k")[["k", "w"]]
    kind = rng.randrange(6)
    pairs: list[tuple[Any, Callable[[], Any]]] = [
        (
            frame.groupby("k").agg({"v": "max", "w": "sum"}),
            lambda: table.groupby("k").agg({"v": "max", "w": "sum"}),
        ),
        (frame.sort_values("v"), lambda: table.sort_values("v")),
        (
            frame.merge(md.DataFrame(small, chunk_size=max(len(small) // 3, 1)), on="k"),
            lambda: table.merge(small, on="k"),
        ),
        (frame[frame.w > 0].v.describe(), lambda: table[table.w > 0].v.describe()),
        (frame.s.value_counts(), lambda: table.s.value_counts()),
        (frame.v.rolling(7).mean(), lambda: table.v.rolling(7).mean()),
    ]
    return _ran(pairs[kind][0]), pairs[kind][1]


def _squared(x: Any, seconds: float) -> Any:
    time.sleep(seconds)
    return x**2


def functions(rng: random.Random) -> Job:
    numbers = [rng.randrange(1000) for _ in range(rng.randrange(2, 12))]
    seconds = rng.uniform(0, 0.3)

    def run(session: Session) -> Any:
        handles = [remote.spawn(_squared, args=(n, seconds)) for n in numbers]
        session.execute(*handles, show_progress=False)
        values = session.fetch(*handles)
        return list(values)

    return run, lambda: [n**2 for n in numbers]


def chunks(rng: random.Random) -> Job:
    a, chunk = _cells(rng)
    seconds = rng.uniform(0, 0.1)
    t = mt.tensor(a, chunk_size=chunk).map_chunk(_squared, (seconds,), dtype="f8")
    return _ran(t), lambda: a**2


def checkpoints(rng: random.Random) -> Job:
    a, chunk = _cells(rng)

    def run(session: Session) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            t = mt.sort(mt.tensor(a, chunk_size=chunk), axis=0)
            return t.checkpoint(folder, session=session).fetch(session=session)

    return run, lambda: np.sort(a, axis=0)


def random_numbers(rng: random.Random) -> Job:
    """Without a twin in NumPy: twice the same from one handle, whatever was lost between."""
    t = mt.random.rand(rng.randrange(1000, 100_000), chunk_size=rng.randrange(500, 20_000))

    def run(session: Session) -> Any:
        first = t.execute(session=session, show_progress=False).fetch(session=session)
        return float(
            np.abs(first - (t + 0).execute(session=session, show_progress=False).fetch(session=session)).max()
        )

    return run, lambda: 0.0


JOBS = (tensors, tensors, rechunked, frames, frames, frames, functions, chunks, checkpoints, random_numbers)


def same(got: Any, want: Any) -> bool:
    """Equal, floats to a few units in the last place: chunks are added in another order."""
    try:
        if isinstance(want, pd.DataFrame):
            pd.testing.assert_frame_equal(got, want, rtol=1e-9)
        elif isinstance(want, pd.Series):
            pd.testing.assert_series_equal(got, want, rtol=1e-9)
        else:
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-9, atol=1e-12)
    except AssertionError:
        return False
    return True


# Clusters and what is done to them.


class Ground:
    """A cluster under attack: its session, and the faults that can be done to it."""

    name = ""
    session: Session
    spill: Path
    faults: Counter[str]

    def __init__(self, spill: Path, rng: random.Random) -> None:
        self.spill, self.rng, self.faults = spill, rng, Counter()

    def open(self) -> contextlib.AbstractContextManager[Ground]:
        """Begin it."""
        raise NotImplementedError

    def workers(self) -> list[int]:
        return sorted(pids(self.session.client).values())

    def kinds(self) -> list[Callable[[], None]]:
        return [self.kill_worker, self.kill_worker, self.stop_worker, self.damage, self.fill]

    def attack(self) -> None:
        kind = self.rng.choice(self.kinds())
        with contextlib.suppress(
            OSError, ValueError, IndexError, TimeoutError
        ):  # there was nothing to do it to
            kind()
            self.faults[kind.__name__] += 1

    def kill_worker(self) -> None:
        kill(self.rng.choice(self.workers()))

    def stop_worker(self) -> None:
        pid = self.rng.choice(self.workers())
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(self.rng.uniform(0.5, 4))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def damage(self) -> None:
        files = [f for f in self.spill.rglob("*") if f.is_file() and f.stat().st_size > 1000]
        self.rng.shuffle(files)
        if not files:
            raise ValueError("nothing is spilled")
        for file in files[:30]:
            how = self.rng.randrange(3)
            if how == 0:
                file.unlink()
            elif how == 1:
                os.truncate(file, self.rng.randrange(1000))
            else:
                with file.open("r+b") as opened:
                    opened.seek(self.rng.randrange(1000))
                    opened.write(os.urandom(8))

    def fill(self) -> None:
        """Leave no byte where values are spilled, for a moment."""
        free = shutil.disk_usage(self.spill).free
        if free > 2**30:
            raise ValueError("a real disk, which others use")
        filler = self.spill / "filler"
        try:
            with filler.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, max(free - 2**16, 1))
            time.sleep(self.rng.uniform(0.5, 3))
        finally:
            filler.unlink(missing_ok=True)


class Local(Ground):
    """What new_session() starts."""

    name = "local"

    @contextlib.contextmanager
    def open(self) -> Iterator[Ground]:
        os.environ["MARS_SPILL_DIRS"], os.environ["MARS_CACHE_MEM_SIZE"] = str(self.spill), "10%"
        try:
            with new_session(n_worker=2, n_cpu=4, memory="1g", default=False) as self.session:
                yield self
        finally:
            del os.environ["MARS_SPILL_DIRS"], os.environ["MARS_CACHE_MEM_SIZE"]


class Commands(Ground):
    """`dask scheduler` and `dask worker`, of which the first is lost, too."""

    name = "commands"

    @contextlib.contextmanager
    def open(self) -> Iterator[Ground]:
        with (
            tempfile.TemporaryDirectory() as logs,
            Bare(Path(logs)) as self.bare,
            new_session(self.bare.start().address, default=False) as self.session,
        ):
            yield self

    def kinds(self) -> list[Callable[[], None]]:
        return [self.replace_worker, self.replace_worker, self.stop_worker, self.lose_scheduler]

    def replace_worker(self) -> None:
        self.bare.kill_worker()
        self.bare.grow(1)

    def lose_scheduler(self) -> None:
        self.bare.kill_scheduler()
        workers, self.bare.workers = self.bare.workers, []
        for each in workers:
            each.kill()
            each.wait(PATIENCE)
        self.bare.start(len(workers))


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A folder on a tmpfs of 256 MiB, or where none can be mounted an ordinary one, which is said: it cannot be filled."""
    with tempfile.TemporaryDirectory(prefix="marsdask-soak-") as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=256m,mode=0700", "marsdask-soak", folder]
        mounted = (
            os.getuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0
        )
        if not mounted:
            print("No tmpfs can be mounted here: no disk is filled.", flush=True)
        try:
            yield Path(folder)
        finally:
            if mounted:
                subprocess.run(["umount", folder], check=True)


class Tally:
    """What has happened so far."""

    def __init__(self) -> None:
        self.jobs: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.errors: list[str] = []
        self.longest = 0.0

    def run(self, name: str, seed: int, session: Session) -> None:
        """One job; whatever comes of it is noted."""
        make = next(job for job in JOBS if job.__name__ == name)
        run, twin = make(random.Random(seed))
        found: list[Any] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                found.append(run(session))
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=work, daemon=True)
        began = time.monotonic()
        thread.start()
        thread.join(PATIENCE)
        took = time.monotonic() - began
        self.jobs[name] += 1
        self.longest = max(self.longest, took)
        what = f"{name} of seed {seed} after {took:.0f} s"
        if thread.is_alive():
            self.errors.append(f"{what}: no answer")
        elif failed:
            text = "".join(traceback.format_exception(failed[0])[-3:])
            self.errors.append(f"{what}: {type(failed[0]).__name__}: {text[-1500:]}")
        elif not same(found[0], twin()):
            self.wrong.append(what)


def memory(process: int) -> int:
    """MiB of a process."""
    try:
        return int(psutil.Process(process).memory_info().rss // 2**20)
    except psutil.Error:
        return 0


def soaked(ground: Ground, seconds: float, rng: random.Random, tally: Tally) -> str:
    """Run jobs and faults for so long; what the processes' memory was."""
    over = threading.Event()

    def attack() -> None:
        while not over.wait(ground.rng.expovariate(1 / EVERY)):
            ground.attack()

    thread = threading.Thread(target=attack)
    begun = time.monotonic()
    sizes = [memory(os.getpid())]
    thread.start()
    try:
        while time.monotonic() < begun + seconds:
            job = rng.choice(JOBS)
            tally.run(job.__name__, rng.randrange(2**32), ground.session)
            sizes.append(memory(os.getpid()))
    finally:
        over.set()
        thread.join()
    quarter = max(len(sizes) // 4, 1)
    workers = [memory(pid) for pid in ground.workers()]
    first, last = max(sizes[quarter : 2 * quarter] or sizes), max(sizes[-quarter:])
    return f"client {first} MiB in the second quarter, {last} in the last; workers {workers} MiB"


def main(words: list[str] | None = None) -> int:
    """Soak both kinds of cluster; the exit code."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = parser.parse_args(words)
    print(f"Seed {given.seed}, {given.minutes:g} minutes.", flush=True)
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    tally, left = Tally(), []
    for number, kind in enumerate((Local, Commands)):
        rng = random.Random(given.seed + number)
        with (
            small_disk() as disk,
            option_context({"cluster.reconnect_timeout": PATIENCE, "cluster.recompute_limit": 100}),
        ):
            ground = kind(disk, random.Random(rng.randrange(2**32)))
            jobs = tally.jobs.total()
            with ground.open():
                used = soaked(ground, given.minutes * 30, rng, tally)
            left += [f"a file, {f}" for f in disk.rglob("*") if f.is_file() and f.stat().st_size > 1000]
        faults = ", ".join(f"{name} {count}" for name, count in ground.faults.items())
        print(
            f"{ground.name}: {tally.jobs.total() - jobs} jobs, {ground.faults.total()} faults ({faults}); {used}",
            flush=True,
        )
    left += [
        f"a process, {' '.join(child.cmdline())[:100]}"
        for child in psutil.Process().children(recursive=True)
        if child.pid not in before and "resource_tracker" not in " ".join(child.cmdline())
    ]
    for title, found in (("Wrong", tally.wrong), ("Error", tally.errors), ("Left", left)):
        for each in found:
            print(f"{title}: {each}", flush=True)
    print(
        f"{tally.jobs.total()} jobs ({', '.join(f'{n} {c}' for n, c in sorted(tally.jobs.items()))}): {len(tally.wrong)} wrong, "
        f"{len(tally.errors)} errors, {len(left)} left; the longest took {tally.longest:.0f} s.",
        flush=True,
    )
    return 1 if tally.wrong or tally.errors or left else 0


if __name__ == "__main__":
    sys.exit(main())
