"""Runs: one `execute()` while it goes on, how far it is, and the way to stop it.

A run has one round for each question that a lowering asks and one for what was asked for. Nobody knows beforehand how
many questions there will be: a round that answers one counts for half of what is left, the last for all of it.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Callable, Iterator

from marsdask.errors import Cancelled

current: contextvars.ContextVar[Run | None] = contextvars.ContextVar("marsdask-run", default=None)
"""The run that this thread works for."""


class Run:
    """One execution. Any thread may ask `progress()` and `cancel()`; the thread that runs it opens the rounds."""

    def __init__(self) -> None:
        self.parent = current.get()  # of a function that runs in a run
        self._lock = threading.Lock()
        self._cancelled = False
        self._stop: Callable[[], None] | None = None
        self._fraction: Callable[[], float] | None = None
        self._before, self._share, self._best = 0.0, 1.0, 0.0

    @property
    def cancelled(self) -> bool:
        """Whether this run, or the one it is part of, is to stop."""
        return self._cancelled or (self.parent is not None and self.parent.cancelled)

    def check(self, cause: Exception | None = None) -> None:
        """Raises Cancelled where somebody has cancelled the run, from the error that this has caused."""
        if self.cancelled:
            raise Cancelled(
                "this execution was cancelled. Hint: execute() again runs it from the start."
            ) from cause

    def cancel(self) -> None:
        """Stop the round that is running and start no other."""
        with self._lock:
            self._cancelled, stop = True, self._stop
        if stop is not None:
            stop()

    def progress(self) -> float:
        """How far it is, from 0 to 1; never less than it said before."""
        if (asked := self._fraction) is not None:
            self._best = max(self._best, self._before + (1 - self._before) * self._share * asked())
        return self._best

    @contextlib.contextmanager
    def round(self, fraction: Callable[[], float], stop: Callable[[], None] | None = None) -> Iterator[None]:
        """What runs inside counts as a round: `fraction` says how far it is, `stop` ends it from another thread."""
        with self._lock:
            nested = self._fraction is not None
            if not nested:
                self._fraction, self._stop = fraction, stop
        if nested:  # of a function that runs in this round
            self.check()
            yield
            return
        try:
            self.check()
            yield
        except Exception as error:
            if not isinstance(error, Cancelled):
                self.check(error)
            raise
        else:
            self._before += (1 - self._before) * self._share
            self._best = max(self._best, self._before)
        finally:
            with self._lock:
                self._fraction = self._stop = None
                self._share = 0.0  # until somebody says what comes next


def next_round(share: float) -> None:
    """Say how much of what is left the next round of this thread's run will do."""
    run = current.get()
    if run is not None and run._fraction is None:
        run._share = share
