"""How a command runs: its event loop, what a signal means, and the exit code."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import click


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


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run `main` on the event loop that is configured; its exit code."""
    from distributed.config import get_loop_factory

    with asyncio.Runner(loop_factory=get_loop_factory()) as runner:
        return runner.run(main)


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
    if path is None:
        yield
        return
    with blamed("--pid-file", OSError, said=f"{path} cannot be written: "):
        Path(path).write_text(str(os.getpid()), encoding="utf-8")
    try:
        yield
    finally:
        Path(path).unlink(missing_ok=True)


def more_files() -> None:
    """Let this process open as many files as it may: each worker and client is some connections."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, hard // 2) if hard > 0 else hard, hard))


def import_here() -> None:
    """Let this process and its children import modules of the working directory, as `python -m` does."""
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
