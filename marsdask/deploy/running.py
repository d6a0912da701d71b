"""How a command runs on this machine: hosts, ports, modules and files are checked, then its event loop, signals and exit code.

Dask finds out in the middle of its start, and mostly in a child process: what it says comes after tracebacks, without a
word of the option.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import errno
import importlib.util
import itertools
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from marsdask.engine.address import try_to_listen

BACK_IN = 2.0
"""Seconds that a worker and its scheduler have to agree that it stays; a round trip."""


class Exit(enum.IntEnum):
    """Exit codes; 2 is click's for wrong usage."""

    FINE = 0
    FAILED = 1
    SUPERVISOR_GONE = 3
    DATA_LEFT = 4


class Failure(click.ClickException):
    """Something went wrong after the options were read: said on stderr, exit code 1."""

    exit_code = Exit.FAILED


@contextlib.contextmanager
def blamed(option: str, *kinds: type[Exception], said: str = "") -> Iterator[None]:
    """An error of these kinds becomes click's error of the option: `said`, and the error's own words."""
    try:
        yield
    except kinds as error:
        raise click.BadParameter(f"{said}{error}", param_hint=option) from error


def refuse(wrong: object, why: str, option: str | None = None) -> None:
    """Click's error where options do not fit together, or the value of this one is no good."""
    if wrong:
        raise click.BadParameter(why, param_hint=option) if option else click.UsageError(why)


def run(main: Coroutine[Any, Any, int]) -> NoReturn:
    """Run `main` on the event loop that is configured, and end with its exit code."""
    from distributed.config import get_loop_factory

    with asyncio.Runner(loop_factory=get_loop_factory()) as runner:
        raise SystemExit(runner.run(main))


def cause(error: BaseException) -> str:
    """What is at the root of an error, as far as it has words: Dask's servers say no more than that they failed to start."""
    said = ""
    found: BaseException | None = error
    while found is not None:
        said = str(found) or said
        found = found.__cause__
    return said or type(error).__name__


@contextlib.asynccontextmanager
async def signals() -> AsyncIterator[asyncio.Event]:
    """An event that SIGTERM and SIGINT set. The second of the same ends the process at once, as by default."""
    loop, event = asyncio.get_running_loop(), asyncio.Event()

    def caught(number: int) -> None:
        event.set()
        loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, caught, number)
    try:
        yield event
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def hand_over(scheduler: Any, workers: list[str], timeout: float) -> str:
    """Have the scheduler copy the data of these workers to others, and forget them: why it did not in so many seconds, or nothing."""
    leaving = scheduler.retire_workers(
        workers=workers, close_workers=False, remove=True, stimulus_id=f"leave-{time.time()}"
    )
    try:
        if set(await asyncio.wait_for(leaving, timeout)) == set(workers):
            return ""
        await _still_members(scheduler, workers)
    except (OSError, TimeoutError) as error:
        return str(error) or f"it took over {timeout:g} s"
    return "there is no other worker to take it"


async def _still_members(scheduler: Any, workers: list[str]) -> None:
    """Wait until workers that could not be retired are back in their old state, as the scheduler has asked them to be.

    What it says to a worker that closes meanwhile ends in tracebacks on both sides.
    """
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(BACK_IN):
            while True:
                found = (await scheduler.identity(n_workers=-1))["workers"]
                if all(found[a]["status"] != "closing_gracefully" for a in workers if a in found):
                    return
                await asyncio.sleep(0.05)


async def first(event: asyncio.Event, work: Awaitable[Any]) -> bool:
    """Whether `event` came before `work` was done. An error of the work is raised here."""
    waiting, working = asyncio.ensure_future(event.wait()), asyncio.ensure_future(work)
    try:
        await asyncio.wait((waiting, working), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
        return not working.done()
    finally:
        for task in (waiting, working):
            task.cancel()
        await asyncio.gather(waiting, working, return_exceptions=True)


@contextlib.contextmanager
def pid_file(path: str | None) -> Iterator[None]:
    """Hold the process id in a file meanwhile."""
    with contextlib.ExitStack() as stack:
        if path is not None:
            with blamed("--pid-file", OSError, said=f"{path} cannot be written: "):
                Path(path).write_text(str(os.getpid()), encoding="utf-8")
            stack.callback(Path(path).unlink, missing_ok=True)
        yield


def more_files() -> None:
    """Let this process open as many files as it may: each worker and client is some connections."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, hard // 2) if hard > 0 else hard, hard))


EVERYWHERE = "0.0.0.0"


def address_of(interface: str) -> str:
    """The IPv4 address of a network interface; click's error where there is none of that name."""
    import psutil

    found = psutil.net_if_addrs()
    for each in found.get(interface, ()):
        if each.family == socket.AF_INET:
            return str(each.address)
    none = f"is none of this machine's: {', '.join(sorted(found))}"
    why = "has no IPv4 address" if interface in found else none
    raise click.BadParameter(f"{interface!r} {why}.", param_hint="--interface")


def host_option(given: Mapping[str, Any]) -> str:
    """The option that says what host to bind."""
    spelled = {
        "listen_address": "--listen-address",
        "endpoint": "-e/--endpoint",
        "host": "-H/--host",
        "advertise": "-a/--advertise",
    }
    return next((spelling for name, spelling in spelled.items() if given.get(name)), "MARS_CONTAINER_IP")


def check_free(option: str, host: str, port: int, *, of_host: str = "-H/--host") -> None:
    """An error that names the option where its port, or any port of the host, cannot be bound."""
    bare = (host or EVERYWHERE).strip("[]")
    try:
        try_to_listen(bare, port)
    except socket.gaierror as error:
        raise Failure(
            f"{of_host} {bare}: this machine cannot resolve that name ({error.strerror})."
        ) from error
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise Failure(f"{of_host} {bare}: this machine has no address {bare}.") from error
        why = {
            errno.EADDRINUSE: f"port {port} is in use. Choose another one, or 0 for a free one",
            errno.EACCES: f"this user may not bind port {port}",
        }.get(error.errno or 0, str(error))
        raise Failure(f"{option} {port} on {bare}: {why}.") from error


def modules(given: Mapping[str, Any], configured: tuple[str, ...]) -> tuple[str, ...]:
    """What a process loads at its start, by the options and by `-f`.

    An error names the option of a module that is not found, or of a file that is not there. From now on this process and
    its children import modules of the working directory, too, as `python -m` does.
    """
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    loaded = {
        "--load-modules": given["load_modules"],
        "third_party_modules": configured,
        "--preload": given["preload"],
    }
    for option, names in (loaded | {"--preload-nanny": given.get("preload_nanny", ())}).items():
        for name in names:
            if "://" in name or " " in name:  # to be downloaded, or a program itself
                continue
            try:
                if name.endswith(".py"):
                    why = "" if os.path.isfile(name) else "there is no such file"
                else:
                    why = "" if importlib.util.find_spec(name) else f"there is no module {name} here"
            except (ImportError, ValueError) as error:  # of a package above it
                why = str(error)
            refuse(why, f"{name!r} cannot be loaded: {why}.", option)
    return tuple(itertools.chain(*loaded.values()))


def check_writable(option: str, path: str) -> None:
    """An error that names the option where no such file can be written. It is not made: others may wait for it."""
    try:
        if os.path.exists(path):
            open(path, "a").close()
        else:
            tempfile.TemporaryFile(dir=Path(path).absolute().parent).close()
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written: {error.strerror}.", param_hint=option) from error
