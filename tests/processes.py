"""Clusters of real processes for tests: plain `dask scheduler` and `dask worker`, ended by their own ids."""

import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import dask
from distributed.utils import get_mp_context

PATIENCE = 240.0
"""Seconds that only what hangs takes: a loaded machine takes a minute for what takes two seconds."""
NEVER = 2 * PATIENCE
"""A time limit for what fails long before; pytest's own for a test is longer."""
METHOD = "distributed.worker.multiprocessing-method"
ENVIRONMENT = os.environ | {"PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}


FORKED = ("marsdask.dataframe", "marsdask.tensor", "marsdask.spill.worker")
"""What a worker imports for its first task, which takes it two seconds."""


def fork_workers() -> None:
    """Have nannies of this process fork their workers from a process that has imported all they need, as distributed's tests do.

    A cluster of two workers then starts in 0.3 s where it took 1.1, and closes in 0.1 s where it took 0.8. What is started by a
    command or a program starts as users have it.
    """
    dask.config.set({METHOD: "forkserver"})
    context = get_mp_context()  # distributed's own list first: it is made once
    context.set_forkserver_preload(["distributed", *FORKED])


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE, every: float = 0.05) -> Any:
    """What `condition` gives as soon as it is true; a failure that says what did not come. It is asked `every` so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"not after {seconds:g} s: {what}"
        time.sleep(every)


@contextlib.contextmanager
def serving(*command: str, host: str = "127.0.0.1") -> Iterator[str]:
    """The URL of a server that a command of Python starts, while that runs, with `{port}` for a free port in its words.

    A process of its own keeps no threads of open connections here.
    """
    with socket.socket() as free:
        free.bind((host, 0))
        port = free.getsockname()[1]
    given = [sys.executable, "-W", "ignore", *(part.format(port=port) for part in command)]

    def answers() -> bool:
        with socket.socket() as asking:
            return asking.connect_ex((host, port)) == 0

    with subprocess.Popen(given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until(lambda: answers() or process.poll() is not None, "the server answers")
            assert process.poll() is None, f"{given} ended with {process.returncode}"
            yield f"http://{host}:{port}"
        finally:
            process.kill()


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """Fails where the block takes minutes: as long as a time limit of NEVER, or one of the program's own."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < PATIENCE, f"it took {took:.0f} s"


def errors(records: Iterable[logging.LogRecord]) -> list[str]:
    """The errors that were logged, without futures that nobody asked: asyncio tells of those where garbage is collected,
    of whichever test. distributed leaves one where an event loop ends at the moment that a batch of messages was due."""
    told = (record.getMessage() for record in records if record.levelno >= logging.ERROR)
    return [line for line in told if not line.startswith("Future exception was never retrieved")]


@contextlib.contextmanager
def reserved_port() -> Iterator[int]:
    """A port of 127.0.0.1 for who has to know it beforehand: meanwhile the kernel gives it to nobody who asks for any.

    Nobody listens there until a server binds this very number. That works, also again and again, because the socket that
    holds it never listens and both have SO_REUSEADDR, as Dask's servers and socket.create_server() do.
    """
    with socket.socket() as holds:
        holds.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holds.bind(("127.0.0.1", 0))
        yield holds.getsockname()[1]


class Gate:
    """Where tasks, in whatever process, wait until the test lets them pass. It is open after the block."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.open()

    def came(self) -> int:
        """How many tasks have come to it so far."""
        return _came(self.folder)

    def open(self, number: int = 10**9) -> None:
        """Let so many pass, of all that ever come."""
        unready = self.folder / "unready"
        unready.write_text(str(number))
        unready.rename(self.folder / "open")  # nobody reads half a number


def through(value: Any, folder: str) -> Any:
    """In a task: `value`, once the gate of this folder lets it pass."""
    number = _came(Path(folder)) + 1
    while not _is_next(Path(folder, f"came-{number}")):
        number += 1
    until(lambda: number <= _passing(Path(folder)), "an open gate")
    return value


def _came(folder: Path) -> int:
    return sum(name.startswith("came-") for name in os.listdir(folder))


def _is_next(file: Path) -> bool:
    """Whether no other task has this number."""
    with contextlib.suppress(FileExistsError):
        file.touch(exist_ok=False)
        return True
    return False


def _passing(folder: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return int((folder / "open").read_text())
    return 0


@contextlib.contextmanager
def process(*command: str, **how: Any) -> Iterator["subprocess.Popen[str]"]:
    """A process that is ended with the block, if it has not ended by itself."""
    started = subprocess.Popen(command, **({"env": ENVIRONMENT, "text": True} | how))
    try:
        yield started
    finally:
        if started.poll() is None:
            started.send_signal(signal.SIGTERM)
            try:
                started.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait(PATIENCE)
        for pipe in (started.stdin, started.stdout, started.stderr):
            if pipe is not None:
                pipe.close()


@dataclass
class Cluster:
    """Where a scheduler of the test's own is."""

    address: str
    web: str
    identity: dict[str, Any]


@contextlib.contextmanager
def plain_cluster(
    *options: str,
    workers: int = 0,
    worker_options: tuple[str, ...] = (),
    settings: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """A `dask scheduler` with these options and `dask worker` processes of one thread each, all on 127.0.0.1.

    `settings`: variables of the scheduler's environment.
    """
    dask = [sys.executable, "-m", "dask"]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        file = Path(folder, "scheduler.json")
        if "--port" not in options:
            options = (*options, "--port", "0", "--dashboard-address", "127.0.0.1:0")
        command = [*dask, "scheduler", "--host", "127.0.0.1", "--scheduler-file", str(file), *options]
        log = stack.enter_context(open(Path(folder, "log"), "w+"))

        def written() -> Any:
            assert started.poll() is None, Path(folder, "log").read_text()
            with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                return json.loads(file.read_text())

        environment = ENVIRONMENT | (settings or {})
        started = stack.enter_context(process(*command, env=environment, stdout=log, stderr=log))
        identity = until(written, "a scheduler")
        web = f"http://127.0.0.1:{identity['services'].get('dashboard')}"
        for i in range(workers):
            stack.enter_context(
                process(
                    *dask, "worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard",
                    "--local-directory", folder, "--name", f"w{i}", *worker_options, stdout=log, stderr=log,
                )
            )  # fmt: skip
        yield Cluster(identity["address"], web, identity)


def tasks_on(client: Any) -> int:
    """How many tasks the scheduler knows."""
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
