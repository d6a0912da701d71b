"""What runs where the cluster is: items of a map, each of which ends as a file."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import pickle
import platform
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psutil

from marsdask import pickles, stored
from marsdask.errors import BadStorage, Exited, TaskFailed, TookTooLong, WorkerLost
from marsdask.options import within
from marsdask.remote.durable import child
from marsdask.remote.durable.storage import Storage
from marsdask.session.logs import captured

TOLD_EVERY = 0.5
"""Seconds after which a process says again what it is running."""
TAIL = 4096
"""Characters of what a task printed that are kept."""


@dataclass(frozen=True)
class Item:
    """One item of a map: its place in the iterable, the names of its files, and its pickle or the file in `in/` that has it."""

    number: int
    name: str
    given: bytes | str


@dataclass(frozen=True)
class Work:
    """What one task is to do."""

    job: str
    storage: Storage
    code: str
    label: str
    items: tuple[Item, ...]
    attempt: int = 1
    timeout: float | None = None
    isolated: bool = False
    again: bool = False
    """Run also what has a result."""

    def named(self, item: Item) -> str:
        """An item, for people."""
        return f"task {item.number} of {self.label!r}"

    def file(self, item: Item) -> str:
        """The name of an item's files."""
        return f"{item.name}.{self.code}"


@dataclass
class Done:
    """What became of an item."""

    number: int
    facts: dict[str, Any]
    reused: bool = False
    error: dict[str, Any] | None = None  # of `child.failure`, without a pickle where that is in a file


@dataclass
class Running:
    """An item that is running in this process."""

    work: Work
    number: int
    tell: Callable[[str, list[dict[str, Any]]], None]
    process: psutil.Process
    began: float = field(default_factory=time.time)
    output: str = ""

    def write(self, text: str) -> None:
        self.output = (self.output + text)[-TAIL:]

    def facts(self) -> dict[str, Any]:
        """What is told of it while it runs, and of its result."""
        memory = 0
        with contextlib.suppress(psutil.Error):
            memory = self.process.memory_info().rss
        return {
            "number": self.number,
            "attempt": self.work.attempt,
            "host": socket.gethostname(),
            "process": os.getpid(),
            "start": self.began,
            "seconds": time.time() - self.began,
            "memory": memory,
            "output": self.output,
        }


INSIDE: contextvars.ContextVar[bool] = contextvars.ContextVar("marsdask-map-task", default=False)
"""Whether this thread runs an item."""


class Reporter:
    """Tells each map what this process is running, as long as it is running anything of it."""

    def __init__(self) -> None:
        self.running: set[Running] = set()
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None

    @contextlib.contextmanager
    def running_it(self, running: Running) -> Any:
        with self.lock:
            self.running.add(running)
            if self.thread is None:
                self.thread = threading.Thread(target=self._tell, name="marsdask-durable", daemon=True)
                self.thread.start()
        try:
            yield
        finally:
            with self.lock:
                self.running.discard(running)

    def _tell(self) -> None:
        idle = 0
        while idle < 10:
            time.sleep(TOLD_EVERY)
            with self.lock:
                now = list(self.running)
                idle = 0 if now else idle + 1
                if idle >= 10:
                    self.thread = None
            jobs: dict[str, list[Running]] = {}
            for each in now:
                jobs.setdefault(each.work.job, []).append(each)
            for job, theirs in jobs.items():
                with contextlib.suppress(Exception):  # a worker that is closing tells nobody
                    theirs[0].tell(job, [each.facts() for each in theirs])


Running.__hash__ = object.__hash__  # type: ignore[method-assign]
_reporter = Reporter()


def run(work: Work, live: Callable[[Any], Any] | None = None, tell: Any = None) -> list[Done]:
    """Run the items of a task, one after another. `live`: the function, where it need not travel."""
    return [_one(work, item, live, tell or _told_by_worker()) for item in work.items]


def _told_by_worker() -> Callable[[str, list[dict[str, Any]]], None]:
    from distributed import get_worker

    worker = get_worker()
    return lambda job, rows: worker.log_event(topic(job), [row | {"worker": worker.address} for row in rows])


def topic(job: str) -> str:
    """Of the events in which workers say what they are running."""
    return f"marsdask-map-{job}"


def _one(work: Work, item: Item, live: Any, tell: Any) -> Done:
    running = Running(work, item.number, tell, psutil.Process())
    try:
        return _tried(work, item, live, running)
    except Exception as error:  # noqa: BLE001 - the storage was away, or what it has was damaged
        return Done(item.number, running.facts(), error=child.failure(error, work.named(item), final=False))


def _tried(work: Work, item: Item, live: Any, running: Running) -> Done:
    if not work.again and (known := _known(work, item)) is not None:
        return known
    with _reporter.running_it(running):
        given = item.given if isinstance(item.given, bytes) else _read(work, "in", item.given)
        if work.isolated:
            told = _alone(work, item, given, running)
        else:
            told = _here(work, item, given, live, running)
        facts = running.facts() | {"python": platform.python_version(), "job": work.job}
        facts |= {name: told[name] for name in ("memory", "process") if name in told}
        if "result" in told:
            return _published(work, item, told["result"], facts)
    return Done(item.number, facts, error=told)


def _known(work: Work, item: Item) -> Done | None:
    """What another program has made of the item meanwhile."""
    found = work.storage.whole("out", work.file(item))
    return Done(item.number, dict(found.facts), reused=True) if isinstance(found, stored.Whole) else None


def _published(work: Work, item: Item, result: bytes, facts: dict[str, Any]) -> Done:
    facts["bytes"] = len(result)
    try:
        try:
            work.storage.put_whole("out", work.file(item), result, facts, new=not work.again)
        except FileExistsError:  # another program was first, and has handed that out perhaps
            if known := _known(work, item):
                return known
            work.storage.put_whole("out", work.file(item), result, facts)
    except Exception as error:  # noqa: BLE001 - whatever the file system raises, it is the task's error
        failed = BadStorage.at(
            work.storage.url, f"the result of {work.named(item)} was not written: {error}", "make room there"
        )
        return Done(item.number, facts, error=child.failure(failed, work.label, final=False))
    return Done(item.number, facts)


def _read(work: Work, folder: str, name: str) -> bytes:
    found = work.storage.whole(folder, name, large=folder == "in")
    if isinstance(found, stored.Broken):
        raise BadStorage.at(work.storage.url, f"{folder}/{name}: {found.reason}", "run the map again")
    return bytes(found.body)


@functools.lru_cache(32)
def _function(storage: Storage, code: str) -> pickles.Opened:
    """The function of a map, once in a process."""
    found = storage.whole("fn", code)
    if isinstance(found, stored.Broken):
        raise BadStorage.at(
            storage.url,
            f"fn/{code}: {found.reason} for this process",
            "a folder or bucket that this process and all workers share",
        )
    with pickles.missing(f"the process that runs it on {socket.gethostname()}"):
        return pickles.opened(bytes(found.body))


def _here(work: Work, item: Item, given: bytes, live: Any, running: Running) -> dict[str, Any]:
    try:
        func = live if live is not None else _function(work.storage, work.code).take()
    except BaseException as error:  # noqa: BLE001 - unpickling runs anybody's code
        return child.failure(error, work.named(item), final=True)
    with captured(running.write), within(INSIDE, True):
        return child.outcome(func, given, work.named(item))


def _alone(work: Work, item: Item, given: bytes, running: Running) -> dict[str, Any]:
    """The same in a process of its own, which ends at its time limit."""
    function = _read(work, "fn", work.code)
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as answers:
        process = subprocess.Popen(
            [sys.executable, "-P", child.__file__, str(writes)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=[writes],
            start_new_session=True,  # Ctrl-C is for the program, which ends it
        )  # fmt: skip
        os.close(writes)
        late = threading.Event()

        def end() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(work.timeout or 0, end)
        peak = 0
        with process, contextlib.ExitStack() as after:
            after.callback(timer.cancel)
            after.callback(_kill, process)  # and what it has left behind
            running.process = psutil.Process(process.pid)
            prints = threading.Thread(target=_passed_on, args=(process.stdout, running), daemon=True)
            prints.start()
            if work.timeout is not None:
                timer.start()
            with contextlib.suppress(BrokenPipeError):
                assert process.stdin is not None
                child.write(process.stdin, pickle.dumps((function, given, work.named(item), sys.path)))  # type: ignore[arg-type]
            watch = threading.Event()
            seen = _peak_of(process, watch)
            answer = child.read(answers)
            watch.set()
            peak = seen()
            code = process.wait() if answer is None else 0
            prints.join(1.0)
    name = work.named(item)
    if answer is not None:
        told: dict[str, Any] = pickle.loads(answer)
    elif late.is_set():
        told = child.failure(TookTooLong.attempt(name, work.timeout or 0), name, final=False)
    elif code > 0:
        told = child.failure(Exited(f"{name} ended its process with exit code {code}."), name, final=False)
    else:
        told = child.failure(WorkerLost.isolated(name, code, peak), name, final=False)
    return told | {"memory": peak, "process": process.pid}


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads a group, and all that it has begun in it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _peak_of(process: subprocess.Popen[bytes], over: threading.Event) -> Callable[[], int]:
    """Looks at the memory of a process until it is over, and says then how much it was at most.

    What a process that has died leaves behind has the other end of its pipes, and would be waited for.
    """
    most = [0]

    def look() -> None:
        looked = psutil.Process(process.pid)
        while not over.wait(0.1):
            with contextlib.suppress(psutil.Error):
                most[0] = max(most[0], looked.memory_info().rss)
            if process.poll() is not None and not over.wait(1.0):  # its answer may be on the way
                _kill(process)
                return

    thread = threading.Thread(target=look, daemon=True)
    thread.start()

    def said() -> int:
        thread.join()
        return most[0]

    return said


def _passed_on(stream: Any, running: Running) -> None:
    """What a process of its own prints, printed by this one too."""
    with contextlib.suppress(ValueError):  # closed: a process that it has left behind still has the other end
        for line in stream:
            text = line.decode("utf-8", "replace")
            running.write(text)
            sys.stdout.write(text)


def error_of(told: dict[str, Any], label: str) -> BaseException:
    """The error of a task as it was raised, or in words where it cannot be."""
    pickled = told.get("error")
    error: BaseException | None = None
    if pickled:
        with contextlib.suppress(Exception):  # runs anybody's code
            error = pickle.loads(pickled)
    if not isinstance(error, BaseException):
        return TaskFailed.unpicklable(label, told["said"], told["frames"])
    error.add_note(f"marsdask: raised in {label}:\n{told['frames']}")
    return error
