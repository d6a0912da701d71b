"""When a worker can neither work nor spill: paused for its memory, nothing running, and its directories full or no data left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from distributed.core import Status
from distributed.worker_state_machine import FreeKeysEvent
from tornado.ioloop import PeriodicCallback

from marsdask.sizes import shown
from marsdask.spill import report
from marsdask.spill.buffer import MarsSpillBuffer
from marsdask.spill.store import TELL_EVERY, Problem, logger

if TYPE_CHECKING:
    from marsdask.spill.worker import MarsWorker

PATIENCE = 10.0
"""Seconds without any change after which a paused worker says that it is stuck; it says so again as often."""


class Stuck:
    """Watches one worker, and tells the cluster when it cannot go on by itself."""

    def __init__(self, worker: MarsWorker, data: MarsSpillBuffer) -> None:
        self.worker, self.data = worker, data
        self.problem: Problem | None = None
        self.problem_at = 0.0
        self.since = 0.0
        self.seen: Any = None

    def callback(self) -> PeriodicCallback:
        return PeriodicCallback(self.look, 1000)

    def heard(self, problem: Problem) -> None:
        """A directory was full or failed; the store says so once a minute as long as it lasts."""
        self.problem, self.problem_at = problem, time.monotonic()

    def look(self) -> None:
        """Tell where nothing has changed for long."""
        now, state = time.monotonic(), (len(self.data), self.data.spilled_total)
        idle = self.worker.status == Status.paused and not self.worker.state.executing
        recent = self.problem is not None and now - self.problem_at < 2 * TELL_EVERY
        if not idle or (self.data.fast and not recent) or state != self.seen:
            self.since, self.seen = now, state
            return
        if now - self.since < PATIENCE:
            return
        self.since = now
        self.worker.log_event(report.TOPIC, self.by_directories() if recent else self.by_others())
        self.hand_back()

    def by_directories(self) -> dict[str, Any]:
        """The event where directories take no more."""
        assert self.problem is not None
        found = report.event(self.problem, self.worker.address)
        return found | {"kind": "stuck", "usage": self.data.usage()}

    def by_others(self) -> dict[str, Any]:
        """The event where there is nothing to spill: memory that tasks have left behind, or that libraries hold."""
        used, limit = self.worker.monitor.get_process_memory(), self.worker.memory_manager.memory_limit or 0
        reason = (
            f"the process has {shown(used)} of {shown(limit)}, and none of it is data that could be spilled"
        )
        logger.warning("Paused: %s.", reason)
        problem = {
            "kind": "unmanaged",
            "path": None,
            "key": None,
            "reason": reason,
            "free": None,
            "quota": None,
        }
        return report.event(problem, self.worker.address) | {"usage": self.data.usage()}

    def hand_back(self) -> None:
        """Give the scheduler the tasks that wait here: another worker may have room. Dask would leave them here."""
        keys = [task.key for task in self.worker.state.ready]
        if keys:
            stimulus = f"marsdask-stuck-{time.time()}"
            self.worker.handle_stimulus(FreeKeysEvent(keys=keys, stimulus_id=stimulus))
            for key in keys:
                self.worker.batched_send({"op": "reschedule", "key": key, "stimulus_id": stimulus})
