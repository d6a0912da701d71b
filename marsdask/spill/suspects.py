"""Which tasks the death of a worker is held against.

distributed holds it against all that were on the worker, those that waited there too: a task that ends its process then
takes those with it that waited beside it four times. Here, once a task was on a worker that died, its next worker tells the
scheduler before it runs it. Only what ran is held responsible from then on, and after the second time a task runs with no
other beside it, so that who is given up after `distributed.scheduler.allowed-failures` more has ended those workers itself.

The scheduler keeps how often that was with the task, as an annotation, by which the worker learns it. `watch` gives it to a
scheduler; a plain one, or a plain worker, does as distributed does.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

from dask.typing import Key
from distributed.diagnostics.plugin import SchedulerPlugin

DEATHS = "marsdask-deaths"
"""The annotation of a task: workers that died under it."""
ALONE_FROM = 2
"""So many deaths make a task run alone."""
TELLS = "marsdask-tells-what-runs"
"""What a worker that does its part says when it registers."""
LOOKS_EVERY = 0.02
"""Seconds between two looks whether a task's turn has come, beside one that runs alone."""


def deaths(task: Any) -> int:
    """Workers that died under a task, of a scheduler's state or a worker's."""
    return int((task.annotations or {}).get(DEATHS, 0))


def watch(scheduler: Any) -> None:
    """Let a scheduler tell the guilty from those that stood by."""
    scheduler.add_plugin(Suspects(scheduler), name=Suspects.name, idempotent=True)


class Suspects(SchedulerPlugin):
    """Takes back what distributed holds against tasks that did not run when their worker died."""

    name = "marsdask-suspects"

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.told: dict[str, set[Key]] = {}  # what runs, of tasks with deaths, by worker
        scheduler.handlers["marsdask_runs"] = self.runs

    async def runs(self, worker: str, key: Key) -> None:
        """A worker says that it is about to run a task which was on one that died."""
        task = self.scheduler.tasks.get(key)
        if task is not None and getattr(task.processing_on, "address", None) == worker:
            self.told.setdefault(worker, set()).add(key)
            if (count := deaths(task)) >= ALONE_FROM:
                _hold(task, count)

    def log_event(self, topic: str, msg: Any) -> None:
        """distributed says here that it removes a worker: after it has counted, before it hands the tasks on."""
        if topic == "all" and isinstance(msg, dict) and msg.get("action") == "remove-worker":
            told = self.told.pop(msg["worker"], set())
            if not msg["expected"]:
                self.died([self.scheduler.tasks.get(key) for key in msg["processing-tasks"]], told)

    def died(self, tasks: Iterable[Any], told: set[Key]) -> None:
        """A worker died under these tasks; some of them it had `told` of. One that distributed gives up now has erred."""
        found = [task for task in tasks if task is not None]
        here = [task for task in found if task.state == "processing"]
        if not here or not here[0].processing_on.extra.get(TELLS):
            return
        seceded = here[0].processing_on.long_running
        ran = [task for task in found if task.key in told and task not in seceded]
        unknown = [task for task in here if not deaths(task)]
        alone = [task for task in ran if deaths(task) >= ALONE_FROM]
        # What had not to be told of may have run beside. Nothing ran that had: it was the data, or somebody from outside.
        guilty = {task.key for task in alone or ran + unknown or here}
        # Given up are only those that were alone, or on whose workers nothing ran.
        certain = alone or not (ran or unknown)
        for task in here:
            count = deaths(task)
            if task.key in guilty:
                count += 1
                task.annotations = {**(task.annotations or {}), DEATHS: count}
                if count >= ALONE_FROM:
                    # Who is suspected most comes first, and is found out or acquitted soon.
                    task.priority = (task.priority[0] - 1, *task.priority[1:])
            _hold(task, count if certain else min(count, self.scheduler.allowed_failures - 1))


def _hold(task: Any, count: int) -> None:
    """Let distributed have counted so many deaths; it gives a task up when they are more than it allows."""
    count = max(count, 0)
    task.prefix.suspicious += count - task.suspicious
    task.suspicious = count


class Turns:
    """When tasks run on a worker: at once, and none beside one that is to run alone."""

    def __init__(self, worker: Any) -> None:
        self.worker = worker
        self.inside: dict[Key, Any] = {}
        self.alone: dict[Key, Any] = {}  # what runs alone, and what waits to
        worker.startup_information[TELLS] = lambda worker: True

    @contextlib.asynccontextmanager
    async def of(self, task: Any) -> AsyncIterator[None]:
        """Begins when it is the task's turn, and the scheduler knows of it if it has to."""
        count = deaths(task)
        if count >= ALONE_FROM:
            self.alone[task.key] = task
        try:
            while self.alone and task.state != "cancelled" and self._others(task):
                await asyncio.sleep(LOOKS_EVERY)
            self.inside[task.key] = task
            if count and task.state != "cancelled":
                await self.worker.scheduler.marsdask_runs(worker=self.worker.address, key=task.key)
            yield
        finally:
            self.alone.pop(task.key, None)
            self.inside.pop(task.key, None)

    def _others(self, task: Any) -> bool:
        """Whether the task has to wait for another. One that has seceded waits itself, for tasks that it has started."""
        if task.key not in self.alone:
            return any(each.state != "long-running" for each in self.alone.values())
        first = next(iter(self.alone.values()))
        return first is not task or any(each.state != "long-running" for each in self.inside.values())
