"""Clusters that the campaign of faults attacks, and what is done to them."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import marsdask.tensor as mt
from marsdask import remote
from marsdask.session import Session, new_session
from tests.faults.processes import Bare, kill, pids
from tests.processes import PATIENCE

RESPITE = 6.0
"""Seconds without a fault after a scheduler was lost, and all data with it: where that comes faster than they are made again
no job ever ends, which is nobody's mistake."""


class Ground:
    """A cluster under attack: its session, and the faults that can be done to it."""

    name = ""
    session: Session

    def __init__(self, spill: Path, rng: random.Random) -> None:
        self.spill, self.rng = spill, rng
        self.faults: Counter[str] = Counter()
        self.damages: Counter[str] = Counter()
        self.held: list[tuple[mt.Tensor, int]] = []

    def open(self) -> contextlib.AbstractContextManager[Ground]:
        """Begin it."""
        raise NotImplementedError

    def hold(self, count: int) -> None:
        """Keep so many tensors of 48 MB on the workers, with their sums: there is always something to lose."""
        for seed in range(count):
            held = mt.random.RandomState(seed).randint(1000, size=6_000_000, chunk_size=250_000)
            held.execute(session=self.session, show_progress=False)
            self.held.append((held, int(held.sum().execute(session=self.session, show_progress=False))))

    def workers(self) -> list[int]:
        return sorted(pids(self.session.client).values())

    def scheduler(self) -> int | None:
        """Its process, where that is not ours."""
        return None

    def kinds(self) -> list[Callable[[], None]]:
        often = [self.kill_worker, self.damage]
        return [*often, *often, self.stop_worker, self.fill]

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
        """Thirty files, each in one of six ways."""
        files = [f for f in self.spill.rglob("*") if f.is_file() and f.stat().st_size > 1000]
        self.rng.shuffle(files)
        if not files:
            raise ValueError("nothing is spilled")
        for file, other in zip(files[:30], reversed(files), strict=False):
            how = self.rng.choice(["bit", "byte", "cut", "emptied", "deleted", "swapped"])
            with contextlib.suppress(FileNotFoundError):  # it was read, or let go, meanwhile
                _damage(file, other, how, self.rng)
                self.damages[how] += 1

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


def _damage(file: Path, other: Path, how: str, rng: random.Random) -> None:
    if how in ("bit", "byte"):
        with file.open("r+b") as opened:
            at = rng.randrange(opened.seek(0, os.SEEK_END))
            opened.seek(at)
            (was,) = opened.read(1)
            opened.seek(at)
            opened.write(bytes([was ^ (1 << rng.randrange(8) if how == "bit" else rng.randrange(1, 256))]))
    elif how == "cut":
        os.truncate(file, rng.randrange(1, file.stat().st_size))
    elif how == "emptied":
        os.truncate(file, 0)
    elif how == "deleted":
        file.unlink()
    else:
        aside = file.with_suffix(".aside")
        file.rename(aside)
        try:
            other.rename(file)
        except FileNotFoundError:
            aside.rename(file)
            raise
        if file != other:
            aside.rename(other)


class Local(Ground):
    """What new_session() starts."""

    name = "local"

    @contextlib.contextmanager
    def open(self) -> Iterator[Ground]:
        os.environ["MARS_SPILL_DIRS"], os.environ["MARS_CACHE_MEM_SIZE"] = str(self.spill), "10%"
        try:
            with new_session(n_worker=2, n_cpu=4, memory="1g", default=False) as self.session:
                self.hold(4)
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
            self.hold(1)
            yield self

    def scheduler(self) -> int | None:
        return self.bare.scheduler.pid if self.bare.scheduler else None

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
        time.sleep(RESPITE)


def closed(rng: random.Random) -> tuple[float, str]:
    """Kill or stop any of a local cluster's processes amid work, and close it: the seconds of that, and what was done."""
    session = new_session(n_worker=rng.randrange(1, 4), default=False)
    try:
        work = [remote.spawn(time.sleep, args=(rng.uniform(0, 2),)) for _ in range(20)]
        session.execute(*work, wait=False)
        processes = sorted(pids(session.client).values())
        time.sleep(rng.uniform(0, 1))
        done = []
        for pid in processes:
            how = rng.choice([None, signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP])
            if how is not None:
                os.kill(pid, how)
                done.append(how.name)
        time.sleep(rng.choice([0, rng.uniform(0, 2)]))
    finally:
        began = time.monotonic()
        session.close()
        took = time.monotonic() - began
    return took, f"{len(processes)} workers, {', '.join(done) or 'nothing'}"


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A folder on a tmpfs of 384 MiB, or where none can be mounted an ordinary one, which is said: it cannot be filled."""
    with tempfile.TemporaryDirectory(prefix="marsdask-soak-") as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=384m,mode=0700", "marsdask-soak", folder]
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
