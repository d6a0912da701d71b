"""What is shown and handed out while work runs: a text bar, and futures of executions."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from marsdask import checks
from marsdask.engine.runs import Run
from marsdask.errors import ArgumentError, Cancelled
from marsdask.options import options

WIDTH = 40
MOMENT = 0.5
"""Seconds that work may take before `show_progress="auto"` shows a bar."""


def check_waiting(wait: Any, show: Any, interval: Any) -> None:
    """An error where `execute(wait=, show_progress=, progress_update_interval=)` cannot be."""
    if wait not in (True, False):
        raise ArgumentError(f"execute(wait={wait!r}): expected True or False.")
    if show not in (None, True, False, "auto"):
        raise ArgumentError(f"execute(show_progress={show!r}): expected True, False or 'auto'.")
    real = isinstance(interval, (int, float)) and not isinstance(interval, bool)
    if not real or not 0 < interval < float("inf"):
        raise ArgumentError(
            f"execute(progress_update_interval={interval!r}): expected a number of seconds above 0."
        )


@contextlib.contextmanager
def progress(run: Run, show: Any = None, interval: float = 1.0) -> Iterator[None]:
    """A text bar around a run on standard error, where `show_progress` and the terminal ask for one.

    It counts tasks on threads and on clusters alike. `interval`: seconds between updates.
    """
    show = options.show_progress if show is None else show
    if show is False or (show == "auto" and not (sys.stderr.isatty() or "ipykernel" in sys.modules)):
        yield
        return
    start, patience = time.monotonic(), MOMENT if show == "auto" else 0.0
    over = threading.Event()
    shown = done = False

    def draw(fraction: float, end: str = "") -> None:
        nonlocal shown
        shown = True
        filled = "#" * int(fraction * WIDTH)
        seconds = time.monotonic() - start
        sys.stderr.write(f"\r[{filled:<{WIDTH}}] | {fraction:4.0%} completed | {seconds:.1f} s{end}")
        sys.stderr.flush()

    def keep_up() -> None:
        wait = max(patience, min(interval, 0.1))
        while not over.wait(wait):
            draw(run.progress())
            wait = interval

    thread = threading.Thread(target=keep_up, name="marsdask-progress", daemon=True)
    thread.start()
    try:
        yield
        done = True
    finally:
        over.set()
        thread.join()
        if shown or (done and time.monotonic() - start >= patience):
            draw(1.0 if done else run.progress(), "\n")


def _seconds(timeout: Any, name: str) -> float | None:
    return None if timeout is None else checks.number(timeout, f"{name}(timeout=)")


class ExecutionInfo:
    """What `execute(wait=False)` returns: a future of the executed handles, awaitable in any event loop."""

    def __init__(self, future: concurrent.futures.Future[Any], handles: Sequence[Any], run: Run):
        self._future, self._handles, self._run = future, handles, run

    def __repr__(self) -> str:
        over = "cancelled" if self.cancelled() else "done"
        return f"<ExecutionInfo: {over if self.done() else f'{self.progress():.0%}'}>"

    @property
    def to_execute_tileables(self) -> Sequence[Any]:
        """What is executed."""
        return self._handles

    def result(self, timeout: float | None = None) -> Any:
        """The executed handles, a bare one where one was given. Raises what the work has raised, CancelledError
        after `cancel()`, and TimeoutError where it is not done in `timeout` seconds: it goes on."""
        return self._future.result(_seconds(timeout, "result"))

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """What the work has raised, None if it went well; waits as `result` does."""
        return self._future.exception(_seconds(timeout, "exception"))

    def done(self) -> bool:
        """Whether it is over: done, failed or cancelled."""
        return self._future.done()

    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._future.cancelled()

    def progress(self) -> float:
        """How far it is, from 0 to 1, as the share of tasks that are done; of functions at least what they say."""
        if self.done():
            return 1.0
        said = [getattr(getattr(h, "_log", None), "progress", 0.0) for h in self._handles]
        return max(self._run.progress(), sum(said) / max(len(said), 1))

    def cancel(self) -> bool:
        """Stop the work; False where it is over already.

        `result()` raises CancelledError at once. No task starts any more, on the cluster either; the Python code of
        a task that is running cannot be stopped and ends by itself, its result unused.
        """
        return self._future.cancel()

    def get_future(self) -> concurrent.futures.Future[Any]:
        """The plain future behind this, for `concurrent.futures.wait` and the like."""
        return self._future

    def add_done_callback(self, call: Callable[[concurrent.futures.Future[Any]], Any]) -> None:
        """Call this with the plain future when the work is over."""
        self._future.add_done_callback(call)

    def __await__(self) -> Any:
        return asyncio.wrap_future(self._future).__await__()


def followed(info: ExecutionInfo, work: Callable[[], Any]) -> concurrent.futures.Future[Any]:
    """A future of what `work` gives once the run is over; what the run raises is its error, and cancelling it cancels the run."""
    outer: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def settle(inner: concurrent.futures.Future[Any]) -> None:
        with contextlib.suppress(concurrent.futures.InvalidStateError):  # cancelled meanwhile
            if inner.cancelled():
                outer.cancel()
            elif (error := inner.exception()) is not None:
                outer.set_exception(error)
            else:
                try:
                    outer.set_result(work())
                except Exception as error:  # noqa: BLE001 - a future raises whatever it is where it is asked
                    outer.set_exception(error)

    outer.add_done_callback(lambda outer: outer.cancelled() and info.cancel())
    info.add_done_callback(settle)
    return outer


def finished_future(result: Any) -> concurrent.futures.Future[Any]:
    """A future of what is there."""
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()
    future.set_result(result)
    return future


def started(
    pool: concurrent.futures.Executor, work: Callable[[], Any], handles: Sequence[Any], run: Run
) -> ExecutionInfo:
    """An ExecutionInfo of `work`, which runs in a thread of the pool as `run`."""
    outer: concurrent.futures.Future[Any] = concurrent.futures.Future()
    inner = pool.submit(work)
    waiting = weakref.ref(inner)  # no circle of the two: results are freed with the last handle

    def settle(inner: concurrent.futures.Future[Any]) -> None:
        error = None if inner.cancelled() else inner.exception()
        with contextlib.suppress(concurrent.futures.InvalidStateError):  # cancelled meanwhile
            if inner.cancelled() or isinstance(error, Cancelled):
                outer.cancel()
            elif error is not None:
                outer.set_exception(error)
            else:
                outer.set_result(inner.result())

    def stop(outer: concurrent.futures.Future[Any]) -> None:
        if outer.cancelled():
            run.cancel()
            if (left := waiting()) is not None:
                left.cancel()
            outer.set_running_or_notify_cancel()  # wakes concurrent.futures.wait

    outer.add_done_callback(stop)
    inner.add_done_callback(settle)
    return ExecutionInfo(outer, handles, run)
