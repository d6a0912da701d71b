"""Plain Dask clusters of processes on this host, which a test may kill piece by piece; and what it compares afterwards."""

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import cloudpickle
import numpy as np
import pandas as pd

from marsdask.engine.workers import workers_of
from tests.processes import PATIENCE, reserved_port, until

ROOT = Path(__file__).parents[2]


class Bare:
    """`dask scheduler` and `dask worker` processes on one port, to be killed and started again."""

    def __init__(self, logs: Path, config: dict[str, str] | None = None):
        self.logs, self.config = logs, config or {}
        self.reserved = contextlib.ExitStack()
        self.port = self.reserved.enter_context(reserved_port())
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self, workers: int = 2) -> Self:
        where = [
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--no-dashboard",
            "--dashboard-address",
            "127.0.0.1:0",
        ]
        self.scheduler = self._process("scheduler", *where)
        until(lambda: listens(self.port), "a scheduler")
        return self.grow(workers)

    def grow(self, workers: int) -> Self:
        few = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", str(PATIENCE)]
        self.workers += [self._process("worker", self.address, *few) for _ in range(workers)]
        return self

    def _process(self, kind: str, *arguments: str) -> "subprocess.Popen[bytes]":
        words = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments]
        with (self.logs / f"{kind}-{time.monotonic_ns()}.log").open("wb") as log:
            return subprocess.Popen(
                words,
                cwd=self.logs,
                env=os.environ | {"PYTHONPATH": str(ROOT)} | self.config,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def kill_scheduler(self) -> None:
        assert self.scheduler is not None
        end(self.scheduler)
        self.scheduler = None

    def kill_worker(self) -> None:
        end(self.workers.pop())

    def end(self) -> None:
        for each in (*self.workers, *([self.scheduler] if self.scheduler else [])):
            end(each)
        self.workers, self.scheduler = [], None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self.reserved:
            self.end()


def end(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process as the kernel would, and wait until it is gone."""
    process.kill()
    process.wait(PATIENCE)


def kill(pid: int) -> None:
    """Kill a process that somebody else looks after."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def pids(client: Any) -> dict[str, int]:
    """The process of each worker, by its address."""
    found = client.run(os.getpid, on_error="return")  # some may be going just now
    return {address: pid for address, pid in found.items() if isinstance(pid, int)}


def names(client: Any) -> dict[Any, str]:
    """The address of each worker, by its name: that of its place in the cluster."""
    workers = workers_of(client)
    return {w["name"]: address for address, w in workers.items()}


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE):
        return True
    return False


def digest(value: Any) -> str:
    """A checksum of the bits, names and types of something fetched."""
    sha = hashlib.sha256()
    for piece in _pieces(value):
        sha.update(piece)
    return sha.hexdigest()


def _pieces(value: Any) -> Iterator[bytes]:
    yield type(value).__name__.encode()
    if isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode()
        yield (
            cloudpickle.dumps(value.tolist())
            if value.dtype == object
            else np.ascontiguousarray(value).tobytes()
        )
    elif isinstance(value, pd.DataFrame):
        yield from _pieces(value.index)
        yield from _pieces(value.columns)
        for i in range(value.shape[1]):
            yield from _pieces(value.iloc[:, i])
    elif isinstance(value, pd.Series):
        yield from _pieces(value.index)
        yield repr((value.name, value.dtype)).encode()
        yield from _pieces(value.to_numpy())
    elif isinstance(value, pd.Index):
        yield repr((value.names, value.dtype)).encode()
        yield from _pieces(value.to_numpy())
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _pieces(each)
    else:
        yield repr(value).encode()
