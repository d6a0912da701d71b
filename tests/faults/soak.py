"""`make soak MINUTES=15`: random jobs beside their NumPy and pandas twins, while workers, schedulers, disks and files fail.

Jobs of every room run on a local cluster and on one of plain commands whose scheduler is killed, too; then local clusters are
closed amid work, after some of their processes were killed or stopped. Everything is drawn from the seed that is printed
first; `--seed` draws the same jobs and faults again (when a fault meets a job is not the same). Ends with counts, and with
exit code 1 where an answer was wrong, a job ended with an error or not at all, or something was left.
"""

from __future__ import annotations

import argparse
import contextvars
import random
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import psutil

from marsdask import option_context
from marsdask.session import Session
from tests.faults.grounds import Commands, Ground, Local, closed, small_disk
from tests.faults.jobs import JOBS, same

PATIENCE = 180.0
"""Seconds after which a job counts as one that hangs."""
CLOSED = 60.0
"""Seconds after which the closing of a cluster does."""
EVERY = 2.0
"""Seconds from fault to fault, on average."""
HELD = 0.2
"""The share of jobs that need what was there since the beginning."""
KILLS = ("kill_worker", "replace_worker", "lose_scheduler")


class Tally:
    """What has happened so far."""

    def __init__(self) -> None:
        self.jobs: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.errors: list[str] = []
        self.longest = 0.0

    def run(
        self, name: str, what: str, run: Callable[[Session], Any], twin: Callable[[], Any], session: Session
    ) -> None:
        """One job; whatever comes of it is noted."""
        found: list[Any] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                found.append(run(session))
            except BaseException as error:
                failed.append(error)

        # With the options of this thread.
        thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
        began = time.monotonic()
        thread.start()
        thread.join(PATIENCE)
        took = time.monotonic() - began
        self.jobs[name] += 1
        self.longest = max(self.longest, took)
        what = f"{what} after {took:.0f} s"
        if thread.is_alive():
            self.errors.append(f"{what}: no answer")
        elif failed:
            text = "".join(traceback.format_exception(failed[0])[-3:])
            self.errors.append(f"{what}: {type(failed[0]).__name__}: {text[-1500:]}")
        elif not same(found[0], twin()):
            self.wrong.append(what)


def memory(process: int | None) -> int:
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
    sizes = [memory(None)]
    thread.start()
    try:
        while time.monotonic() < begun + seconds:
            if rng.random() < HELD:
                handle, total = rng.choice(ground.held)
                tally.run("held", "held", _sum(handle), partial(int, total), ground.session)
            else:
                job, seed = rng.choice(JOBS), rng.randrange(2**32)
                run, twin = job(random.Random(seed))
                tally.run(job.__name__, f"{job.__name__} of seed {seed}", run, twin, ground.session)
            sizes.append(memory(None))
    finally:
        over.set()
        thread.join()
    quarter = -(-len(sizes) // 4)
    each = [max(sizes[at : at + quarter]) for at in range(0, len(sizes), quarter)]
    workers = [memory(pid) for pid in ground.workers()]
    scheduler = f", scheduler {memory(pid)} MiB" if (pid := ground.scheduler()) else ""
    return f"client {each} MiB in the quarters of the time{scheduler}, workers {workers} MiB"


def _sum(handle: Any) -> Callable[[Session], int]:
    return lambda session: int(
        handle.sum().execute(session=session, show_progress=False).fetch(session=session)
    )


def main(words: list[str] | None = None) -> int:
    """Soak both kinds of cluster, then close some; the exit code."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = parser.parse_args(words)
    print(f"Seed {given.seed}, {given.minutes:g} minutes.", flush=True)
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    tally, left = Tally(), []
    kills: Counter[str] = Counter()
    damages: Counter[str] = Counter()
    for number, kind in enumerate((Local, Commands)):
        rng = random.Random(given.seed + number)
        with (
            small_disk() as disk,
            option_context({"cluster.reconnect_timeout": PATIENCE, "cluster.recompute_limit": 100}),
        ):
            ground = kind(disk, random.Random(rng.randrange(2**32)))
            jobs = tally.jobs.total()
            with ground.open():
                used = soaked(ground, given.minutes * 27, rng, tally)
            left += [f"a file, {f}" for f in disk.rglob("*") if f.is_file() and f.stat().st_size > 1000]
        kills.update({name: count for name, count in ground.faults.items() if name in KILLS})
        damages.update(ground.damages)
        print(
            f"{ground.name}: {tally.jobs.total() - jobs} jobs, {ground.faults.total()} faults ({counts(ground.faults)}); {used}",
            flush=True,
        )
    closes, slowest = closes_for(given.minutes * 6, random.Random(given.seed + 2), left)
    left += [
        f"a process, {' '.join(child.cmdline())[:100]}"
        for child in psutil.Process().children(recursive=True)
        if child.pid not in before and "resource_tracker" not in " ".join(child.cmdline())
    ]
    for title, found in (("Wrong", tally.wrong), ("Error", tally.errors), ("Left", left)):
        for each in found:
            print(f"{title}: {each}", flush=True)
    print(
        f"{tally.jobs.total()} jobs ({counts(tally.jobs)}); {kills.total()} kills; {damages.total()} damaged files "
        f"({counts(damages)}); {closes} closes, the longest {slowest:.0f} s: {len(tally.wrong)} wrong, "
        f"{len(tally.errors)} errors, {len(left)} left; the longest job took {tally.longest:.0f} s.",
        flush=True,
    )
    return 1 if tally.wrong or tally.errors or left else 0


def closes_for(seconds: float, rng: random.Random, left: list[str]) -> tuple[int, float]:
    """Close clusters for so long: how many, and the longest time; what took too long goes to `left`."""
    begun, count, slowest = time.monotonic(), 0, 0.0
    while not count or time.monotonic() < begun + seconds:
        took, what = closed(rng)
        count, slowest = count + 1, max(slowest, took)
        if took > CLOSED:
            left.append(f"a close of {took:.0f} s: {what}")
    return count, slowest


def counts(of: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(of.items()))


if __name__ == "__main__":
    sys.exit(main())
