"""A Dask worker whose data go to checked files when memory is full, and are computed again when a file is damaged.

`dask worker --worker-class marsdask.spill.MarsWorker ...` starts one; `mars-worker` and local sessions do so by themselves.
A plain `dask worker` serves a marsdask client as well, with what distributed has: one directory, and no checksums.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import re
import time
from collections import deque
from collections.abc import Collection, Hashable
from typing import Any

import dask.config
import distributed
import psutil
from dask.system import CPU_COUNT
from dask.typing import Key
from dask.utils import key_split, parse_bytes
from distributed import Worker
from distributed.core import Status
from distributed.protocol import Serialize
from distributed.spans import CONTEXTS_WITH_SPAN_ID
from distributed.worker_memory import parse_memory_limit
from distributed.worker_state_machine import (
    ExecuteFailureEvent,
    FreeKeysEvent,
    RescheduleEvent,
    StateMachineEvent,
)
from tornado.ioloop import PeriodicCallback

import marsdask.streams  # noqa: F401 - workers, nannies and clients all come by here
from marsdask.errors import ArgumentError, Exited, SpillDamaged, TaskFailed
from marsdask.sizes import LEAST_MEMORY, MIB, shown
from marsdask.spill import heap, report, suspects
from marsdask.spill.buffer import MarsSpillBuffer
from marsdask.spill.directory import purge, scratch
from marsdask.spill.policy import MemoryPolicy
from marsdask.spill.store import TELL_EVERY, Problem, logger

CLOSES_WITHIN = 30.0
"""Seconds in which a nanny closes; distributed gives a worker that runs 9 at most, and one that starts as long as it takes."""
BESIDE_EVERY, BESIDE_LOOKS = 100, 20
"""Milliseconds between looks at what a process has beside its data, and how many of them count."""
MESSAGES = 32
"""The worker's memory for each byte of a message between workers, as far as Dask's own 50 MB are not less."""
STUCK_AFTER = 10.0
"""Seconds without any change after which a paused worker says that it is stuck; it says so again as often."""


def cluster_arguments(policy: MemoryPolicy | None = None, *, processes: bool = True) -> dict[str, Any]:
    """Keywords of `distributed.LocalCluster` for workers of ours; what `policy` leaves open is as the surroundings say."""
    policy = (policy or MemoryPolicy()).with_surroundings()
    return {
        "worker_class": MarsNanny if processes else MarsWorker,
        "policy": policy,
        **policy.worker_arguments(),
    }


class Nanny(distributed.Nanny):
    """A nanny that can always be closed.

    distributed's own first waits until its worker has started, to be told to end. Before distributed 2026.8 that may never
    be: where a process is killed while it starts, who waits for it takes the next one's word that it is up, and drops it;
    or closing raises, and leaves the nanny `closing`. A cluster that ends then waits without end.
    Its worker keeps memory that it freed as far as it has room: see `heap`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["local_directory"] = scratch(kwargs.get("local_directory"))
        super().__init__(*args, **kwargs)
        ours, before = heap.environment(self.memory_manager.memory_limit, self.nthreads), self.pre_spawn_env
        self.env |= {name: value for name, value in ours.items() if self.env.get(name) == before.get(name)}
        self.pre_spawn_env = before | ours

    async def kill(self, timeout: float = 5, reason: str = "nanny-kill") -> None:
        if self.process is not None and self.process.status == Status.starting:
            await _end_process(self.process)
        await super().kill(timeout, reason)

    async def close(  # type: ignore[override]  # as distributed says of its own
        self, timeout: float = 5, reason: str = "nanny-close"
    ) -> Any:
        worker = self.process
        try:
            return await asyncio.wait_for(super().close(timeout, reason), timeout + CLOSES_WITHIN)
        except Exception as error:  # noqa: BLE001  whatever it was, the nanny ends
            logging.getLogger("distributed.nanny").info(
                "Closing the nanny at %r, whose worker does not end by itself: %r", self.address_safe, error
            )
        await _end_process(worker)
        if self.status == Status.closing:
            self.process, self.status = None, Status.running  # nothing is left to wait for
        return await super().close(timeout, reason)


class MarsNanny(Nanny):
    """A nanny whose worker is a `MarsWorker` by `policy`; without one, as Dask's configuration and MARS_* say."""

    def __init__(
        self,
        scheduler_ip: str | None = None,
        *,
        policy: MemoryPolicy | None = None,
        worker_class: type[Worker] | None = None,
        memory_limit: Any = "auto",
        nthreads: int | None = None,
        config: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.policy = policy = policy or MemoryPolicy().with_surroundings()
        limit = checked_limit(policy, memory_limit, nthreads)
        with dask.config.set(policy.to_dask_config() | policy.thresholds(limit).to_dask_config()):
            super().__init__(
                scheduler_ip,
                worker_class=worker_class or MarsWorker,
                memory_limit=limit or 0,
                nthreads=nthreads,
                # What the worker's process starts with. A copy, for what is set here ends with the block.
                config=dask.config.merge(dask.config.config, config or {}),
                **kwargs,
            )

    async def close(self, *args: Any, **kwargs: Any) -> Any:
        """Close the worker, and remove the files of one that had to be killed because it did not end in time."""
        done = await super().close(*args, **kwargs)
        for path in self.policy.directories:
            await asyncio.to_thread(purge, path)
        return done


class Beside:
    """Leaves room in a worker's memory for what is not data: what the process has at the least, whatever it does.

    That is 65 MiB where a worker starts, and 185 with what tasks import. A worker of 512 MiB that counted on the first was restarted
    again and again by groups of three times its memory.
    """

    def __init__(self, worker: MarsWorker, limit: int) -> None:
        self.worker, self.limit = worker, limit
        self.first = worker.monitor.get_process_memory()
        self.recent: deque[int] = deque(maxlen=BESIDE_LOOKS)

    def look(self) -> None:
        data = self.worker.data
        assert isinstance(data, MarsSpillBuffer)
        self.recent.append(self.worker.monitor.get_process_memory() - int(data.fast.total_weight))
        # Less than at first: values that share their memory count twice.
        share = self.worker.policy.share_of_data(self.limit, max(min(self.recent), self.first))
        data.n = int(self.limit * share)


def _messages(limit: int | None) -> dict[str, int]:
    """How much goes in a message between workers: two of them, in and out, are beside a worker's data and its tasks."""
    name = "distributed.worker.transfer.message-bytes-limit"
    most = parse_bytes(dask.config.get(name))
    return {name: min(most, max(limit // MESSAGES, MIB))} if limit else {}


class MarsWorker(Worker):
    """A worker that keeps data by a `MemoryPolicy`; without one, as Dask's configuration and MARS_* variables say.

    Its keywords are those of a Dask worker; with `data=` of your own the policy sets the thresholds only.
    Raises ArgumentError, before anything runs, for options that are wrong or contradict each other.
    """

    def __init__(
        self,
        scheduler_ip: str | None = None,
        *,
        policy: MemoryPolicy | None = None,
        memory_limit: Any = "auto",
        nthreads: int | None = None,
        name: Any = None,
        data: Any = None,
        local_directory: Any = None,
        **kwargs: Any,
    ) -> None:
        self.policy = policy or MemoryPolicy().with_surroundings()
        limit = checked_limit(self.policy, memory_limit, nthreads)
        thresholds = self.policy.thresholds(limit)
        if data is None and limit and (thresholds.target or thresholds.spill):
            taken = psutil.Process().memory_info().rss
            allowed = re.sub(r"[^A-Za-z0-9._-]", "_", "" if name is None else str(name))[:64].lstrip(".")
            data = (MarsSpillBuffer, self.policy.buffer_arguments(limit, taken) | {"name": allowed})
        for note in self.policy.notes:
            logger.warning("%s", note)
        with dask.config.set(thresholds.to_dask_config() | _messages(limit)):
            super().__init__(
                scheduler_ip,
                memory_limit=limit or 0,
                nthreads=nthreads,
                name=name,
                data=data,
                local_directory=scratch(local_directory),
                **kwargs,
            )
        self._deque_handler.addFilter(_without_frames)
        self.turns = suspects.Turns(self)
        self.damaged: set[Key] = set()
        self.scattered: set[Key] = set()
        self.metrics |= report.metrics_of(self.data)
        if limit and (share := thresholds.target or thresholds.spill or thresholds.pause):
            self.heap = heap.Heap(self, limit, share)
            self.periodic_callbacks["marsdask-heap"] = PeriodicCallback(self.heap.look, heap.EVERY)
        if isinstance(self.data, MarsSpillBuffer):
            self.data.store.on_problem = self.on_problem
            if limit and thresholds.target and thresholds.spill:
                beside = Beside(self, limit)
                self.periodic_callbacks["marsdask-beside"] = PeriodicCallback(beside.look, BESIDE_EVERY)
            self.stuck = Stuck(self, self.data)
            self.periodic_callbacks["marsdask-stuck"] = PeriodicCallback(self.stuck.look, 1000)

    def digest_metric(self, name: Hashable, value: float) -> None:
        """Count something. What counts for one run alone goes with the next heartbeat, and is not kept besides."""
        super().digest_metric(name, value)
        if isinstance(name, tuple) and name[0] in CONTEXTS_WITH_SPAN_ID:
            self.digests_total.pop(name, None)
            self.digests_max.pop(name, None)

    def on_problem(self, problem: Problem) -> None:
        """Tell the cluster of a problem with files; give up a damaged value. From any thread."""
        self.log_event(report.TOPIC, report.event(problem, self.address))
        if problem["kind"] == "damaged":
            self.damaged.add(problem["key"])  # type: ignore[arg-type]
            self.loop.add_callback(self.give_up, problem["key"])
        else:
            self.stuck.heard(problem)

    def give_up(self, key: Key) -> None:
        """Forget a value and tell the scheduler, which has it computed again if anybody wants it.

        Not a scattered one: nobody can compute it, and the scheduler would try to.
        """
        if key in self.scattered:
            return
        self.damaged.discard(key)
        task = self.state.tasks.get(key)
        if task is not None and task.state == "memory":
            logger.warning("%s is damaged on disk; the scheduler has it computed again.", key)
            self.handle_stimulus(FreeKeysEvent(keys=[key], stimulus_id=f"marsdask-damaged-{time.time()}"))

    async def execute(self, key: Key, *, stimulus_id: str) -> StateMachineEvent:
        """Run a task, or hand it back where an input of it turns out damaged, or was given up before."""
        task = self.state.tasks[key]
        inputs = [each.key for each in task.dependencies]
        async with self.turns.of(task):
            if task.state == "cancelled" or any(
                i not in self.data and i not in self.state.actors for i in inputs
            ):
                return _again(key)
            # Read here, and held until Dask's own code has them from the memory: what that does not get it logs, with a
            # traceback, and forgets nothing that its frames hold.
            held = self.from_disk(inputs)
            if held is None:
                return _again(key)
            began = time.time()
            try:
                event = await super().execute(key, stimulus_id=stimulus_id)
                del held
            except (SystemExit, KeyboardInterrupt) as end:
                # The worker would leave with all that it has, and the next one that gets the task, too.
                error = Exited.by(key_split(key), end)
                return ExecuteFailureEvent.from_exception(
                    error,
                    key=key,
                    run_id=task.run_id,
                    start=began,
                    stop=time.time(),
                    stimulus_id=f"marsdask-exited-{time.time()}",
                )
        if not isinstance(event, ExecuteFailureEvent):
            return event
        damaged = self.damaged.intersection(inputs) - self.scattered
        if not damaged:
            return _in_words(event)
        for each in damaged:
            self.give_up(each)
        return _again(key)

    def from_disk(self, inputs: Collection[Key]) -> list[object] | None:
        """Of a task's inputs what was spilled, from its files; None where any is damaged. All of those are given up."""
        if not isinstance(self.data, MarsSpillBuffer):
            return []
        values, damaged = [], []
        for key in inputs:
            if key not in self.data.memory and key not in self.scattered and key in self.data:
                try:
                    values.append(self.data[key])
                except SpillDamaged:
                    damaged.append(key)
        for key in damaged:  # before the task is handed back, or it would come again at once
            self.give_up(key)
        return None if damaged else values

    async def get_data(
        self, comm: Any, keys: Collection[str], who: str | None = None, serializers: list[str] | None = None
    ) -> Any:
        """Send values to a peer or a client, without those that turn out damaged: the asker then asks the scheduler."""
        while True:
            counts = self.transfer_outgoing_count, self.transfer_outgoing_count_total
            try:
                return await super().get_data(comm, keys, who=who, serializers=serializers)
            except SpillDamaged as error:
                # Values are read before the first await, so nobody else has counted since.
                self.transfer_outgoing_count, self.transfer_outgoing_count_total = counts
                if error.key not in self.data:
                    raise
                self.give_up(error.key)  # type: ignore[arg-type]
                if error.key in self.scattered:
                    keys = [key for key in keys if key != error.key]
                    # The one way to tell a scheduler that data are gone for good.
                    self.loop.add_callback(self.close, nanny=False, reason=str(error))

    def update_data(self, data: dict[Key, object], stimulus_id: str | None = None) -> dict[str, Any]:
        """Take what a client has scattered."""
        self.scattered = {key for key in self.scattered if key in self.data} | data.keys()
        return super().update_data(data, stimulus_id=stimulus_id)

    def handle_worker_status_change(self, status: str, stimulus_id: str) -> None:
        """Take a status from the scheduler, unless the worker closes: what it was told to be before that comes too late.

        A scheduler that found nobody to hand data to says "running" again. The worker would close once more, with an error.
        """
        if self.status not in (Status.closing, Status.closed):
            super().handle_worker_status_change(status, stimulus_id)

    async def close(self, *args: Any, **kwargs: Any) -> Any:
        """Close the worker and remove its files.

        Where its process is ended from inside, by sys.exit(), its event loop cancels all that runs, and what closes the
        worker then would have the nanny end, too. The nanny stays and starts another, as after a crash.
        """
        if (here := asyncio.current_task()) is not None and here.cancelling():
            kwargs["nanny"] = False
        if "reason" in kwargs:
            kwargs["reason"] = why(self, kwargs["reason"])
        done = await super().close(*args, **kwargs)
        if isinstance(self.data, MarsSpillBuffer):
            self.data.close()
        return done


def why(worker: Worker, reason: str) -> str:
    """Why a worker closes.

    One that is to leave may hear by a heartbeat that it has left, before the word to close arrives.
    """
    left = worker.status is Status.closing_gracefully and reason == "worker-heartbeat-missing"
    return "scheduler-remove-worker" if left else reason


def _without_frames(record: logging.LogRecord) -> bool:
    """Lets a record pass, its traceback as text: a worker keeps 10,000 records, and with the frames all data in them."""
    if record.exc_info and record.exc_info[1] is not None:
        record.exc_text = record.exc_text or logging.Formatter().formatException(record.exc_info)
        record.exc_info = None
    return True


def _in_words(failure: ExecuteFailureEvent) -> ExecuteFailureEvent:
    """A failure whose exception says what it was, also where it cannot be pickled: distributed sends its repr alone then.

    And where it is no `Exception`: a client that gets such a one waits for ever, as its event loop has ended.
    """
    if failure.traceback is not None and isinstance(pickle.loads(failure.traceback.data), str):
        # One that cannot be pickled, as of an endless recursion: a client fails at such a text, and waits for ever.
        failure.traceback = None
    error = pickle.loads(failure.exception.data)
    if type(error) is Exception and error.args == (failure.exception_text,):
        made = TaskFailed.unpicklable
    elif TaskFailed.is_uncatchable(error):
        made = TaskFailed.uncatchable
    else:
        return failure
    named = made(key_split(failure.key), failure.exception_text, failure.traceback_text)
    failure.exception = Serialize(pickle.dumps(named))
    return failure


def _again(key: Key) -> RescheduleEvent:
    return RescheduleEvent(key=key, stimulus_id=f"marsdask-damaged-{time.time()}")


def checked_limit(policy: MemoryPolicy, memory_limit: Any, nthreads: int | None) -> int | None:
    """Bytes that a worker may use, None without limit. Raises ArgumentError where it cannot work with them."""
    name = f"memory_limit={memory_limit!r}"
    if memory_limit == "auto" and policy.memory is not None:
        memory_limit, name = policy.memory, policy.name_of("memory")
    limit = parse_memory_limit(memory_limit, nthreads or CPU_COUNT, logger=logger)
    if limit is None:
        return None
    if limit < LEAST_MEMORY:
        raise ArgumentError(f"{name}: expected {shown(LEAST_MEMORY)} or more, got {shown(limit)}.")
    policy.check_least(limit)
    return limit


class Stuck:
    """Watches one worker, and tells the cluster when it cannot go on by itself."""

    def __init__(self, worker: MarsWorker, data: MarsSpillBuffer) -> None:
        self.worker, self.data = worker, data
        self.problem: Problem | None = None
        self.problem_at = self.since = 0.0
        self.seen: Any = None

    def heard(self, problem: Problem) -> None:
        """A directory was full or failed; the store says so once a minute as long as it lasts."""
        self.problem, self.problem_at = problem, time.monotonic()

    def look(self) -> None:
        """Tell where nothing has changed for long."""
        now, state = time.monotonic(), (len(self.data), self.data.spilled_total)
        idle = self.worker.status == Status.paused and not self.worker.state.executing
        recent = self.problem if now - self.problem_at < 2 * TELL_EVERY else None
        if not idle or (self.data.fast and not recent) or state != self.seen:
            self.since, self.seen = now, state
            return
        if now - self.since < STUCK_AFTER:
            return
        self.since = now
        if recent is not None:
            found: dict[str, Any] = {**recent, "kind": "stuck"}
        else:  # there is nothing to spill: memory that tasks have left behind, or that libraries hold
            used, limit = self.worker.monitor.get_process_memory(), self.worker.memory_manager.memory_limit
            reason = f"the process has {shown(used)} of {shown(limit or 0)}, and none of it is data that could be spilled"
            logger.warning("Paused: %s.", reason)
            found = dict.fromkeys(Problem.__annotations__) | {"kind": "unmanaged", "reason": reason}
        self.worker.log_event(
            report.TOPIC, report.event(found, self.worker.address) | {"usage": self.data.usage()}
        )
        # Another worker may have room for the tasks that wait here. Dask would leave them here.
        if keys := [task.key for task in self.worker.state.ready]:
            stimulus = f"marsdask-stuck-{time.time()}"
            self.worker.handle_stimulus(FreeKeysEvent(keys=keys, stimulus_id=stimulus))
            for key in keys:
                self.worker.batched_send({"op": "reschedule", "key": key, "stimulus_id": stimulus})


async def _end_process(worker: Any) -> None:
    """Kill the process of a distributed.nanny.WorkerProcess, if it has one."""
    process = worker and worker.process
    if process is not None and process.pid is not None:
        with contextlib.suppress(ValueError):  # it has ended
            await process.kill()
