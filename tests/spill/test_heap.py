"""Memory of a worker that is no data: what was freed goes back to the system; what is held ends in an error."""

import asyncio
import os
import subprocess
import sys
from types import SimpleNamespace

import dask
import numpy as np
import psutil
import pytest
from distributed import get_worker
from distributed.core import Status

import marsdask.remote as mr
from marsdask import new_session
from marsdask.errors import NoWorkers
from marsdask.sizes import MIB
from marsdask.spill import heap, report
from marsdask.spill.heap import Heap
from tests.processes import PATIENCE, until

needs_glibc = pytest.mark.skipif(
    heap._library is None, reason="the C library does not tell what it keeps: glibc does, since 2.33"
)

HOLES = """
import numpy as np, psutil
from marsdask.spill import heap, report
rss = psutil.Process().memory_info
small = [np.ones(10_000) for _ in range(4_000)]   # 80 kB each: from the heap, not from the system
few = small[::7]
del small
before, kept = rss().rss, heap.kept()
heap.give_back()
print(before - rss().rss, kept)
"""


@needs_glibc
def test_holes_are_counted_and_given_back() -> None:
    """In a process of its own, with Dask's setting: malloc has its own ways in one that has run for long."""
    environment = {"MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run(
        [sys.executable, "-c", HOLES], env=environment, capture_output=True, text=True, check=True
    )
    back, kept = map(int, done.stdout.split())
    assert kept > 200 * MIB
    assert back > 0.8 * kept


@pytest.mark.parametrize(
    ("limit", "threads", "keeps"),
    [
        (512 * MIB, 1, heap.TIGHT),
        (4096 * MIB, 4, heap.TIGHT),
        (4096 * MIB, 2, heap.ROOMY),
        (None, 8, heap.ROOMY),
    ],
)
def test_a_worker_with_room_keeps_what_it_frees(
    limit: int | None, threads: int, keeps: dict[str, str]
) -> None:
    assert heap.environment(limit, threads).items() >= keeps.items()


def test_what_the_user_sets_stays(monkeypatch) -> None:
    asked = {"NUMPY_MADVISE_HUGEPAGE": "0", heap.TRIM: "1000"}
    with dask.config.set({heap.SETTING: asked}):
        assert heap.environment(None, 1).items() >= asked.items()
    for name in (heap.NAMES, *heap.TIGHT):  # another test may have started a nanny
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "77")
    monkeypatch.setenv(heap.TRIM, "65536")  # left by a nanny of Dask's
    monkeypatch.setattr(heap, "SAID", heap._said())
    found = heap.environment(None, 1)
    assert found == heap.ROOMY | {"MALLOC_MMAP_THRESHOLD_": "77", heap.NAMES: "MALLOC_MMAP_THRESHOLD_"}
    for name, value in found.items():  # left by one of ours: the next is not the user's
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(heap, "SAID", heap._said())
    assert heap.environment(512 * MIB, 1) == heap.TIGHT | {
        "MALLOC_MMAP_THRESHOLD_": "77",
        heap.NAMES: "MALLOC_MMAP_THRESHOLD_",
    }


@pytest.mark.processes
@pytest.mark.slow
def test_workers_of_one_program_keep_as_much_as_each_has_room_for() -> None:
    def environment() -> dict[str, str]:
        return {name: os.environ[name] for name in heap.TIGHT}

    for memory, keeps in (("4g", heap.ROOMY), ("512m", heap.TIGHT)):
        with new_session(n_worker=1, memory=memory, default=False) as session:
            (found,) = session.client.run(environment).values()
        assert found == keeps


class Sizes:
    """A heap and a process of given sizes, and how often memory was given back."""

    def __init__(self, monkeypatch, process: int, kept: int, left: int):
        self.process, self.kept, self.left, self.given = process, kept, left, 0
        monkeypatch.setattr(heap, "kept", lambda: self.kept)
        monkeypatch.setattr(heap, "give_back", self.give_back)
        monitor = SimpleNamespace(get_process_memory=lambda: self.process)
        self.heap = Heap(SimpleNamespace(monitor=monitor), limit=1000, share=0.6)

    def give_back(self) -> None:
        self.given += 1
        self.kept = self.left

    def look(self, **sizes: int) -> int:
        vars(self).update(sizes)
        asyncio.run(self.heap.look())
        return self.given


def test_it_is_asked_back_above_the_target_where_it_is_worth_it(monkeypatch) -> None:
    sizes = Sizes(monkeypatch, process=500, kept=300, left=0)
    assert sizes.look() == 0  # below the target
    assert sizes.look(process=700, kept=40) == 0  # little
    assert sizes.look(kept=300) == 1
    assert sizes.look() == 1  # nothing is kept any more


def test_what_stays_is_not_asked_for_again(monkeypatch) -> None:
    """Pages that are given back go on counting as free, until they are used."""
    sizes = Sizes(monkeypatch, process=700, kept=300, left=290)
    assert sizes.look() == 1
    assert sizes.look() == 1
    assert sizes.look(kept=100) == 1  # some of it is used,
    assert sizes.look(kept=260) == 2  # and freed again


@needs_glibc
@pytest.mark.processes
@pytest.mark.slow
def test_a_worker_gives_back_what_small_values_left() -> None:
    """Held to the pause threshold by holes alone, Dask's worker would be paused for good."""

    def leave_holes(dask_worker) -> None:
        small = [np.ones(10_000) for _ in range(3_500)]
        dask_worker.few = small[::7]

    def process_memory() -> int:
        return int(psutil.Process().memory_info().rss)

    def little() -> bool:
        return max(client.run(process_memory).values()) <= 0.6 * 512 * MIB

    with new_session(n_worker=1, memory="512m", default=False) as session:
        client = session.client
        client.run(leave_holes)
        until(little, "memory below the worker's target")
        assert client.submit(int, "7").result(timeout=PATIENCE) == 7


@pytest.mark.processes
@pytest.mark.slow
def test_memory_that_tasks_leave_behind_ends_in_an_error() -> None:
    """Paused with nothing to spill, Dask's worker would keep the tasks it has, and the program would wait for ever."""

    def leave(i: int) -> int:
        import builtins

        builtins.left_behind = [*getattr(builtins, "left_behind", ()), np.ones(5 * MIB)]
        worker = get_worker()
        most = worker.memory_manager.memory_limit * worker.memory_manager.memory_pause_fraction
        # No more before Dask has looked at this, or its nanny would end the worker for what is left behind meanwhile.
        until(lambda: worker.monitor.get_process_memory() < most or worker.status is Status.paused, "a pause")
        return i

    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "2s"}),
        new_session(n_worker=1, memory="512m", default=False) as session,
    ):
        told = []
        session.client.subscribe_topic(report.TOPIC, told.append)
        with pytest.raises(NoWorkers, match="paused, for their memory is full"):
            mr.ExecutableTuple([mr.spawn(leave, (i,)) for i in range(12)]).execute(session=session)
        kinds = {event["kind"] for event in told if isinstance(event, dict)}
        kinds |= {event["kind"] for _, event in session.client.get_events(report.TOPIC)}
        assert kinds == {"unmanaged"}
