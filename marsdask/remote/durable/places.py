"""Where tasks of a map run: threads of this process, or a cluster; which answer when a task is over, and say what is running."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any, Protocol
from urllib.parse import urlsplit

from dask.typing import Key

from marsdask.engine import failures, pages
from marsdask.engine.client import when_over
from marsdask.engine.workers import workers_of
from marsdask.errors import ArgumentError, DataLost
from marsdask.remote.durable.task import Done, Work, run, topic
from marsdask.session import Session
from marsdask.sizes import shown

Outcome = list[Done] | BaseException
Answer = Callable[[Work, Outcome], None]
Rows = list[dict[str, Any]]


class Place(Protocol):
    """What a map needs of where its tasks run."""

    shared_memory: bool

    @property
    def slots(self) -> int:
        """How many tasks run at a time."""

    def check(self, resources: Mapping[str, float]) -> int | None:
        """Raises ArgumentError where no task can have these; how many can at a time, None where nobody need count."""

    def submit(
        self, work: Work, live: Any, answer: Answer, resources: Mapping[str, float], avoid: str
    ) -> Any:
        """Begin a task, not on the host process `avoid` if there is another. What it gives back is known to `cancel`."""

    def cancel(self, handle: Any) -> None:
        """Stop a task that has not begun, and forget one that has."""

    def listen(self, job: str, hear: Callable[[Rows], None]) -> None:
        """Have `hear` told what is running of a map."""

    def deaf(self, job: str) -> None:
        """End that."""

    def back(self) -> None:
        """Return when what runs tasks is there again; SchedulerLost where it does not come."""

    def publish(self, job: str, state: str, page: str) -> None:
        """Show a map's page where the cluster shows its own."""

    def link(self, job: str) -> str | None:
        """Where that is shown."""


class Threads:
    """Threads of this process. They do not keep it from ending."""

    shared_memory = True

    def __init__(self, slots: int):
        self.slots = slots
        self.tasks: deque[Callable[[], None]] = deque()
        self.count = 0
        self.lock = threading.Lock()
        self.hearing: dict[str, Callable[[Rows], None]] = {}

    def check(self, resources: Mapping[str, float]) -> int | None:
        import psutil

        have = {"memory": float(psutil.virtual_memory().total), "cpu": float(self.slots)}
        return fits(resources, have, "this machine")

    def submit(
        self, work: Work, live: Any, answer: Answer, resources: Mapping[str, float], avoid: str
    ) -> Any:
        handle = threading.Event()  # set where it is cancelled

        def task() -> None:
            if not handle.is_set():
                try:
                    outcome: Outcome = run(work, live, self._tell)
                except BaseException as error:  # noqa: BLE001 - it is the task's
                    outcome = error
                answered(answer, work, outcome)

        with self.lock:
            self.tasks.append(task)
            begin, self.count = self.count < self.slots, min(self.count + 1, self.slots)
        if begin:
            threading.Thread(target=self._work, name="marsdask-map", daemon=True).start()
        return handle

    def _tell(self, job: str, rows: Rows) -> None:
        if (hear := self.hearing.get(job)) is not None:
            hear(rows)

    def _work(self) -> None:
        while True:
            with self.lock:
                if not self.tasks:
                    self.count -= 1
                    return
                task = self.tasks.popleft()
            task()

    def cancel(self, handle: Any) -> None:
        handle.set()

    def listen(self, job: str, hear: Callable[[Rows], None]) -> None:
        self.hearing[job] = hear

    def deaf(self, job: str) -> None:
        self.hearing.pop(job, None)

    def back(self) -> None:
        """Threads do not go away."""

    def publish(self, job: str, state: str, page: str) -> None:
        """Threads have no pages of their own."""

    def link(self, job: str) -> str | None:
        return None


def answered(answer: Answer, work: Work, outcome: Outcome) -> None:
    """Give an answer. What is wrong in taking it must not end the thread that gives the others."""
    try:
        answer(work, outcome)
    except Exception:
        log.exception("The outcome of a task of %s was not taken.", work.job)


log = logging.getLogger(__name__)


def fits(resources: Mapping[str, float], have: Mapping[str, float], who: str) -> int | None:
    """How many tasks with these needs run at a time on who has that much. Raises ArgumentError where none does."""
    most = None
    for name, needed in resources.items():
        if not needed:
            continue
        there = have.get(name, 0.0)
        if needed > there:
            said = shown(int(there)) if name == "memory" else f"{there:g}"
            asked = shown(int(needed)) if name == "memory" else f"{needed:g}"
            raise ArgumentError(
                f"resources={{{name!r}: ...}}: a task asks for {asked}, and {who} has {said}. Hint: ask for less, or use "
                "workers that have it."
            )
        count = int(there // needed)
        most = count if most is None else min(most, count)
    return most


class Workers:
    """A cluster, by the session that works there."""

    shared_memory = False

    def __init__(self, session: Session):
        self.session = session
        self.engine: Any = session.engine
        self.over: queue.SimpleQueue[tuple[Any, Work, Answer]] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.collecting = 0
        self.declared = False
        self.cancelled: set[Key] = set()

    @property
    def slots(self) -> int:
        return max(int(self.engine.threads), 1)

    def _workers(self) -> dict[str, Any]:
        return workers_of(self.engine.client)

    def check(self, resources: Mapping[str, float]) -> int | None:
        workers = self._workers()
        for name, needed in resources.items():
            if workers and needed:
                most = max(_has(worker, name) for worker in workers.values())
                fits({name: needed}, {name: most}, f"the largest of {len(workers)} workers")
        return None

    def submit(
        self, work: Work, live: Any, answer: Answer, resources: Mapping[str, float], avoid: str
    ) -> Any:
        client = self.engine.client
        where: dict[str, Any] = {}
        if avoid and (
            others := [a for a, w in self._workers().items() if str(w.get("id")) != avoid and a != avoid]
        ):
            where = {"workers": others, "allow_other_workers": True}
        if asked := {name: needed for name, needed in resources.items() if needed}:
            self._declare()
            where["resources"] = {RESOURCE.get(name, name): needed for name, needed in asked.items()}
        key = f"{work.label}-{uuid.uuid4().hex}"
        future = client.submit(run, work, key=key, pure=False, **where)
        with self.lock:
            self.collecting += 1
            if self.collecting == 1:
                threading.Thread(target=self._collect, name="marsdask-map-collect", daemon=True).start()
        when_over(client, future, lambda done: self.over.put((done, work, answer)))
        return future

    def _declare(self) -> None:
        """Have all workers, and those that come, say how much memory and how many threads they have."""
        if not self.declared:
            self.declared = True
            self.engine.client.register_plugin(_declaring())

    def _collect(self) -> None:
        """Take what is over, as much at a time as there is: asking a worker takes a millisecond each time."""
        while True:
            batch = [self.over.get()]
            with contextlib.suppress(queue.Empty):
                while len(batch) < 500:
                    batch.append(self.over.get_nowait())
            for (future, work, answer), outcome in zip(
                batch, self._outcomes([b[0] for b in batch]), strict=True
            ):
                if future.key in self.cancelled:
                    self.cancelled.discard(future.key)
                else:
                    answered(answer, work, outcome)
                future.release()
            with self.lock:
                self.collecting -= len(batch)
                if not self.collecting:
                    return

    def _outcomes(self, futures: list[Any]) -> list[Outcome]:
        good = [f for f in futures if f.status == "finished" and f.key not in self.cancelled]
        came: dict[Any, Outcome] = {}
        with contextlib.suppress(Exception):  # one of them was lost: each for itself
            came = dict(zip((f.key for f in good), self.engine.client.gather(good), strict=True))
        return [came[f.key] if f.key in came else self._outcome(f) for f in futures]

    def _outcome(self, future: Any) -> Outcome:
        if future.key in self.cancelled:
            return DataLost.because("cancelled")
        try:
            if future.status != "error":
                return future.result()  # type: ignore[no-any-return]
            error = future.exception()
            failures.made_whole(error)
            return failures.named(error, self.engine.client) or error  # type: ignore[no-any-return]
        except CancelledError as error:
            return failures.forgotten(error, self.engine.client.status) or DataLost.because(
                "its task was cancelled"
            )
        except (
            OSError,
            RuntimeError,
            AttributeError,
        ) as error:  # the client is closed, or its scheduler gone
            return DataLost.because(str(error))

    def cancel(self, handle: Any) -> None:
        self.cancelled.add(handle.key)
        if self.engine.client.status == "running":
            self.engine.client.loop.add_callback(_cancelled, self.engine.client, [handle])

    def listen(self, job: str, hear: Callable[[Rows], None]) -> None:
        self.engine.listen(topic(job), hear)

    def deaf(self, job: str) -> None:
        self.engine.topics.pop(topic(job), None)
        if self.engine.client.status == "running":
            with contextlib.suppress(Exception):  # it is going away
                self.engine.client.unsubscribe_topic(topic(job))

    def back(self) -> None:
        with self.session.restoring:
            self.session._check_open()
            self.engine.back()

    def publish(self, job: str, state: str, page: str) -> None:
        client = self.engine.client
        if client.status == "running":
            told = {"state": state, "page": page, "at": time.time()}
            # Not waited for: a map may end where Python collects garbage, in the client's own thread.
            client.loop.add_callback(_published, client, job, told)

    def link(self, job: str) -> str | None:
        found = urlsplit(self.session.dashboard_link or "")
        return (
            found._replace(path=f"{found.path.rpartition('/')[0]}{pages.PATH}/{job}").geturl()
            if found.netloc
            else None
        )


async def _published(client: Any, job: str, told: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # the scheduler is away: a second later there is another page
        await client.scheduler.set_metadata(keys=[pages.KEY, job], value=told)
        if told["state"] != "active":
            await pages.forget_old(client)


async def _cancelled(client: Any, futures: list[Any]) -> None:
    with contextlib.suppress(Exception):  # it is going away
        await client.cancel(futures, asynchronous=True, force=True)


RESOURCE = {"memory": "marsdask-memory", "cpu": "marsdask-cpu", "gpu": "GPU"}
"""What Dask's scheduler counts them by. GPUs are what `--resources GPU=1` of a worker says."""


def _has(worker: Mapping[str, Any], name: str) -> float:
    """How much of a resource a worker has."""
    if name == "memory":
        return float(worker.get("memory_limit") or float("inf"))
    return float(
        worker["nthreads"] if name == "cpu" else worker["resources"].get(RESOURCE.get(name, name), 0.0)
    )


def _declaring() -> Any:
    from distributed import WorkerPlugin

    class Declaring(WorkerPlugin):  # type: ignore[misc, unused-ignore] # it has no types
        """Says what a worker has."""

        name = "marsdask-resources"

        async def setup(self, worker: Any) -> None:
            import psutil

            limit = worker.memory_manager.memory_limit or psutil.virtual_memory().total
            has = {"marsdask-memory": float(limit), "marsdask-cpu": float(worker.state.nthreads)}
            await worker.set_resources(**worker.state.total_resources | has)

    return Declaring()


def threads_here() -> int:
    """How many threads this process may use."""
    return len(os.sched_getaffinity(0))
