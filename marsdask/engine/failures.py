"""What a cluster reports when something fails, as the errors that users see; and runs that nobody can go on with, ended with the reason."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import fields, is_dataclass
from inspect import ismethod
from types import WrapperDescriptorType
from typing import Any

import cloudpickle
from dask.typing import Key
from dask.utils import key_split

from marsdask.engine.workers import workers_of
from marsdask.errors import (
    DataLost,
    MarsDaskError,
    NotPicklable,
    NoWorkers,
    OutOfWorkerMemory,
    SpillFull,
    WorkerLost,
)
from marsdask.plan import graph
from marsdask.plan.node import Data, Node, inputs
from marsdask.spill import report

Events = Sequence[tuple[float, Any]]


def named(error: Any, client: Any) -> MarsDaskError | None:
    """The error of ours for one that the cluster and not the task raised; None where the task's own counts."""
    from distributed.scheduler import KilledWorker, NoValidWorkerError, NoWorkerError

    if isinstance(error, KilledWorker):
        return lost_worker(error, client.get_events("worker-restart-memory"))
    # What a paused worker has handed back counts as a task that no worker satisfies, though it asks for nothing.
    handed_back = isinstance(error, NoValidWorkerError) and not any(error.args[1:4])
    if handed_back or isinstance(error, NoWorkerError):
        workers = workers_of(client)
        told = (event for _, event in client.get_events(report.TOPIC) or ())
        states = [str(worker.get("status")) for worker in workers.values()]
        return full(workers, told) or NoWorkers.waited(key_split(error.task), error.timeout, states)
    return None


def made_whole(error: BaseException | None) -> None:
    """Give an exception, and those it came of, what pickling has left out: fields that no dict has.

    tblib, by which distributed sends exceptions, makes them of `args` and `__dict__` without their constructor. So an error of
    Unicode came without a word, and printing NumPy's `AxisError` was an error itself. The constructor sets them again.
    """
    seen = set[int]()  # anybody may have made a ring of them
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        plain = type(error).__reduce__ is BaseException.__reduce__  # else it says itself what it is made of
        for kind in type(error).__mro__ if plain else ():
            constructor = vars(kind).get("__init__")
            if constructor is not None and (
                isinstance(constructor, WrapperDescriptorType) or vars(kind).get("__slots__")
            ):
                # One with other arguments: it stays as it came.
                with contextlib.suppress(Exception):
                    constructor(error, *error.args)
                break
        error = error.__cause__ or error.__context__


def full(workers: Mapping[str, Mapping[str, Any]], told: Iterable[Mapping[str, Any]]) -> SpillFull | None:
    """The error where every worker is paused and has `told`, in events, that its directories take no more; else None."""
    last = {event["worker"]: event for event in told if event["kind"] not in ("damaged", "unmanaged")}
    if not workers or any(w.get("status") != "paused" or a not in last for a, w in workers.items()):
        return None
    reasons = []
    for event in map(last.__getitem__, workers):
        free, reason = event["free"], event["reason"]
        known = "" if free is None or "bytes free" in reason else f", {free:,} bytes free"
        reasons.append((event["path"], f"{reason}{known} (worker {event['worker']})"))
    return SpillFull.everywhere(len(workers), reasons)


def lost_worker(error: Any, restarts: Events | None) -> WorkerLost:
    """Why the workers of a `KilledWorker` died. `restarts`: the events of workers that were stopped for their memory."""
    task, worker, allowed = error.args[:3]
    operation, address = key_split(task), getattr(worker, "address", str(worker))
    for _, event in reversed(restarts or ()):
        if event.get("worker") == address:
            limit = int(getattr(worker, "memory_limit", 0) or 0)
            return OutOfWorkerMemory.by_nanny(operation, address, int(event["rss"]), limit)
    return WorkerLost.by(operation, address, allowed + 1)


# Why a client or its scheduler drops what a task gave, where nobody has asked it to.
FORGOTTEN = ("scheduler-connection-lost", "scheduler-restart", "lost dependencies")


def forgotten(error: CancelledError, status: str) -> DataLost | None:
    """What a run lost that ended as cancelled; None where somebody has cancelled it. `status`: of the client."""
    reasons = sorted({g.reason for g in getattr(error, "error_groups", ())} or {getattr(error, "reason", "")})
    if status == "running" and not any(r in FORGOTTEN for r in reasons):
        return None
    return DataLost.because(", ".join(reasons) if status == "running" else f"the client is {status}")


def of_gather(error: Exception, held: Sequence[Any], client: Any) -> MarsDaskError | None:
    """The error of ours for one that fetching `held` raised; None where a task's own counts."""
    if isinstance(error, CancelledError):
        return forgotten(error, client.status) or DataLost.because(getattr(error, "reason", "unknown"))
    if isinstance(error, OSError) and not any(h.status == "error" for h in held):
        return DataLost.because(f"the scheduler does not answer: {error}")
    return unpicklable((h.key for h in held), error) if isinstance(error, TypeError) else named(error, client)


def unpicklable(keys: Iterable[Key], error: Exception) -> NotPicklable | None:
    """The error for results that cannot leave their worker; None where `error` says something else."""
    if "serialize" not in str(error):
        return None
    names = sorted({repr(key_split(k)) for k in keys})
    cause = TypeError(str(error).partition("\n")[0])
    return NotPicklable.because(f"the result of {', '.join(names)}", cause, "to you")


def unsendable(tasks: Mapping[Key, Any]) -> NotPicklable | None:
    """The error for the first task that cannot be sent to a worker, naming what in it cannot; None if all can."""
    for key, task in tasks.items():
        if (error := refusal(task)) is None:
            continue
        users = [p for p in _users_functions(task) if refusal(p) is not None]
        what = f"{type(users[-1]).__name__} {_name(users[-1])!r}" if users else "an argument"
        return NotPicklable.because(f"{what} of {key_split(key)!r}", error)
    return None


def refusal(value: Any) -> Exception | None:
    """Why something cannot be pickled."""
    try:
        cloudpickle.dumps(value)
    except Exception as error:  # noqa: BLE001 - pickling runs anybody's code
        return error
    return None


def _parts(value: Any) -> Iterator[Any]:
    """What a task is made of, itself first: functions, their arguments, tasks inside of tasks."""
    yield value
    inside: Iterable[Any] = graph.inside(value)
    if isinstance(value, functools.partial):
        inside = (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, Data):
        inside = (value.value, getattr(value.value, "func", None))
    elif isinstance(value, (list, tuple, dict)):
        inside = value.values() if isinstance(value, dict) else value
    elif isinstance(value, graph.Chain):
        inside = value.tasks
    elif ismethod(value):
        inside = (value.__self__,)
    elif is_dataclass(value):
        inside = (getattr(value, each.name, None) for each in fields(value))
    for part in inside:
        yield from _parts(part)


def functions_of(node: Node) -> list[str]:
    """The names of the user's functions among a node's arguments, or of the nearest of its inputs that has some."""
    level = [node]
    while level:
        found = [_name(p) for n in level for p in _users_functions((n.args, n.kwargs))]
        if found:
            return list(dict.fromkeys(found))
        level = [i for n in level for i in inputs(n)]
    return []


def _users_functions(value: Any) -> Iterator[Any]:
    for part in _parts(value):
        home = (getattr(part, "__module__", None) or "").partition(".")[0]
        ours = isinstance(part, functools.partial) or graph.inside(part)
        if callable(part) and not ours and home not in ("dask", "marsdask", "numpy", "pandas"):
            yield part


def _name(part: Any) -> str:
    return str(getattr(part, "__qualname__", type(part).__name__))


class Stalled:
    """Hears what the workers of a cluster tell of their directories, and stops what waits when none of them can go on.

    Dask pauses a worker whose memory is full and waits until there is room: for ever, where nothing can be spilled and
    what fills the memory is held for the result that is waited for.
    """

    def __init__(self, engine: Any):
        self.engine, self.listening = engine, False
        self.told: dict[str, Any] = {}
        self.waiting: dict[object, Callable[[], None]] = {}
        self.error: SpillFull | None = None

    @contextlib.contextmanager
    def watched(self, stop: Callable[[], None]) -> Iterator[None]:
        """What waits inside is stopped by `stop`, and raises SpillFull, when the whole cluster is stuck."""
        if not self.listening:
            self.listening = True
            self.engine.listen(report.TOPIC, self.hear)
        me = object()
        if not self.waiting:
            self.error = None
        self.waiting[me] = stop
        try:
            yield
        except CancelledError as error:
            if self.error is None:
                raise
            raise self.error from error
        finally:
            del self.waiting[me]

    def hear(self, event: dict[str, Any]) -> None:
        """In the client's own thread."""
        if event["kind"] == "stuck":
            self.told[event["worker"]] = event
            if self.waiting:
                self.engine.client.loop.add_callback(self.look)

    async def look(self) -> None:
        info = await self.engine.client.scheduler.identity(n_workers=-1)
        self.told = {address: event for address, event in self.told.items() if address in info["workers"]}
        error = full(info["workers"], self.told.values())
        if error is not None:
            self.error = error
            for stop in list(self.waiting.values()):
                stop()
