"""Where a supervisor is: endpoints as people write them, and the files by which workers on the same machine find it.

Like Mars's, such a file lies in the directory for temporary files and goes with its supervisor. Anybody may write there, and
whoever runs the supervisor runs code in the workers: only files of the same user count.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from marsdask.deploy.running import Failure
from marsdask.engine.address import Unsuited, reached
from marsdask.errors import ArgumentError, EncryptionMismatch

T = TypeVar("T")
NAME = "marsdask_supervisor"


def is_port(text: str) -> bool:
    """Whether a text is a number from 0 to 65535, in ASCII's digits."""
    return text.isascii() and text.isdigit() and int(text) < 65536


def split_endpoint(endpoint: str) -> tuple[str, int]:
    """Host and port.

    >>> split_endpoint("10.0.0.1:7103"), split_endpoint("tcp://[::1]:7103")
    (('10.0.0.1', 7103), ('[::1]', 7103))

    Raises ArgumentError for anything else.
    """
    scheme, found, rest = str(endpoint).strip().rpartition("://")
    host, _, port = rest.rpartition(":")
    good = host and "/" not in host and is_port(port) and int(port) > 0
    if not good or (found and scheme not in ("tcp", "tls")):
        raise ArgumentError(f"got {endpoint!r}, expected HOST:PORT, for example 10.0.0.1:7103.")
    return host, int(port)


def the_one(endpoints: str) -> str:
    """The one endpoint of `-s`; Mars takes several, with commas between them.

    >>> the_one("10.0.0.1:7103,10.0.0.1:7103")
    '10.0.0.1:7103'

    Raises ArgumentError where they differ: a Dask cluster has one scheduler.
    """
    each = [part.strip() for part in endpoints.split(",") if part.strip()]
    if not each:
        raise ArgumentError(f"got {endpoints!r}, expected HOST:PORT of the supervisor.")
    if len(set(map(split_endpoint, each))) > 1:
        raise ArgumentError(
            f"got {len(each)} endpoints, {', '.join(each)}: a Dask cluster has one scheduler. "
            "Start one supervisor and give every worker its endpoint."
        )
    return each[0]


def announce(address: str) -> Path:
    """Write the endpoint file of this process, a supervisor at `address`; its path, which goes with the supervisor."""
    handle, unready = tempfile.mkstemp(prefix=f".{NAME}.")  # nobody reads half a file
    with os.fdopen(handle, "w") as file:
        json.dump({"address": address, "started": _started(os.getpid())}, file)
    path = Path(tempfile.gettempdir()) / f"{NAME}.{os.getpid()}"
    try:
        return Path(unready).replace(path)
    except OSError:
        os.unlink(unready)
        raise


def found() -> list[str]:
    """The addresses of the supervisors that this user runs on this machine; files of dead ones are removed."""
    addresses = []
    for path in sorted(Path(tempfile.gettempdir()).glob(f"{NAME}.*")):
        said, started = _mine(path), _started(path.suffix[1:])
        # The same number may be another process by now; the clock may have been set meanwhile.
        if said and started is not None and abs(started - said["started"]) < 5:
            addresses.append(str(said["address"]))
        elif said is not None:
            path.unlink(missing_ok=True)
    return addresses


def the_one_here() -> str:
    """The address of the one supervisor of this user on this machine.

    Raises Failure where there is none, and where there are several.
    """
    addresses = found()
    if len(addresses) == 1:
        return addresses[0]
    none = "No supervisor of yours runs on this machine. Give its endpoint: -s HOST:PORT, or --scheduler-file FILE."
    several = f"{len(addresses)} supervisors of yours run on this machine, {', '.join(addresses)}: choose one with -s."
    raise Failure(several if addresses else none)


async def looked_for(where: str, patience: float, attempt: Callable[[float], Awaitable[T]]) -> T:
    """What `attempt` gives, given seconds that it may take; tried again for `patience` seconds, since a supervisor may be starting.

    Fails at once where waiting does not help.
    """
    end = time.monotonic() + patience
    timeout = 0.5  # the first attempt is short: why it fails is said soon
    while True:
        try:
            return await attempt(max(0.5, min(timeout, end - time.monotonic())))
        except Unsuited as error:
            raise Failure(f"-s/--supervisors: no supervisor at {where}: {error}") from error
        except (OSError, TimeoutError, RuntimeError, TypeError, ValueError) as error:
            if isinstance(error, EncryptionMismatch) and error.__cause__ is None:
                raise Failure(
                    f"-s/--supervisors: who listens at {where} speaks TLS: give --tls-ca-file, --tls-cert and --tls-key."
                ) from error
            # The cause is short; the rest is for programs.
            why = str(error.__cause__ or error) or type(error).__name__
        if time.monotonic() >= end:
            raise Failure(
                f"-s/--supervisors: no supervisor answers at {where} after {patience:g} s (--death-timeout): {why}. "
                "Does it run, is the port open, and do both or neither use TLS?"
            )
        if timeout < 1:
            click.echo(f"Looking for a supervisor at {where} ({why}) ...", err=True)
        timeout = 3.0
        await asyncio.sleep(0.5)


async def greeted(address: str, arguments: dict[str, Any], timeout: float) -> None:
    """Returns when a scheduler answers at a comm address; `arguments` are those of its connections.

    Dask's `connect` alone would wait without end for the greeting of a web port, and not say why nobody answers.
    """
    from distributed.comm import connect

    await asyncio.to_thread(reached, address, timeout=timeout, context=arguments.get("ssl_context"))
    comm = await asyncio.wait_for(connect(address, timeout=timeout, **arguments), timeout)
    await comm.close()


def _mine(path: Path) -> dict[str, Any] | None:
    """What a file of this user says; None of anybody else's, and of what is no plain file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle) as file, contextlib.suppress(ValueError):
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.getuid():
            return None
        said = json.loads(file.read(4096))
        if isinstance(said, dict) and "address" in said and isinstance(said.get("started"), float):
            return said
    return {}


def _started(pid: int | str) -> float | None:
    """When a process was started; None if there is none of that number."""
    import psutil

    try:
        return float(psutil.Process(int(pid)).create_time())
    except (psutil.Error, ValueError):
        return None
