"""Clusters of real processes for tests: plain `dask scheduler` and `dask worker`, ended by their own ids."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds; a loaded machine takes a minute for what takes two seconds
ENVIRONMENT = os.environ | {"PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """What `condition` gives as soon as it is true; a failure that says what did not come."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"not after {seconds:g} s: {what}"
        time.sleep(0.05)


@contextlib.contextmanager
def process(*command: str, **how: Any) -> Iterator["subprocess.Popen[str]"]:
    """A process that is ended with the block, if it has not ended by itself."""
    started = subprocess.Popen(command, env=ENVIRONMENT, text=True, **how)
    try:
        yield started
    finally:
        if started.poll() is None:
            started.send_signal(signal.SIGTERM)
            try:
                started.wait(15)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait(15)
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
def plain_cluster(*options: str, workers: int = 0, worker_options: tuple[str, ...] = ()) -> Iterator[Cluster]:
    """A `dask scheduler` with these options and `dask worker` processes of one thread each, all on 127.0.0.1."""
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

        started = stack.enter_context(process(*command, stdout=log, stderr=log))
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
