"""One deadline for everything a cluster needs to come up, and the line that tells what is waited for."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from marsdask.deploy.kubernetes.states import State

PATIENCE = 60.0
"""Seconds that a state is borne which passes only if somebody does something: an image that is being pushed, say."""
TAKEN_UP = 30.0
"""Seconds in which a running operator has begun with a cluster."""


def until(holds: Callable[[], bool], seconds: float, *, every: float = 0.2) -> bool:
    """Whether it holds within so many seconds."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True


class Deadline:
    """How much time is left; None is without end."""

    def __init__(self, seconds: float | None):
        self.seconds = seconds
        self.begun = time.monotonic()

    @property
    def passed(self) -> float:
        return time.monotonic() - self.begun

    def left(self, most: float) -> float:
        """Seconds left, at most `most`, never less than 0."""
        return most if self.seconds is None else max(0.0, min(most, self.seconds - self.passed))

    @property
    def over(self) -> bool:
        return self.seconds is not None and self.passed >= self.seconds


class Blocked:
    """Since when a cluster cannot come up unless somebody does something."""

    def __init__(self) -> None:
        self.since: float | None = None

    def for_seconds(self, found: Sequence[State], events: Sequence[str], wanted: int) -> float:
        """How long too few pods have been left that could become ready; 0 if there are enough."""
        hopeful = sum(s.role == "worker" and not s.hopeless for s in found)
        refused = any(e.startswith("FailedCreate") for e in events) and len(found) < wanted + 1
        scheduler_hopeless = any(s.role == "scheduler" and s.hopeless for s in found)
        workers_hopeless = any(s.hopeless for s in found) and hopeful < wanted
        if not (refused or scheduler_hopeless or workers_hopeless):
            self.since = None
            return 0.0
        if self.since is None:
            self.since = time.monotonic()
        return time.monotonic() - self.since


class Shown:
    """A line on the terminal, or in a notebook's cell, that is written anew when it changes."""

    def __init__(self, *, wanted: bool | None):
        self.last = ""
        self.cell: Any = None
        notebook = _in_notebook()
        self.where = "notebook" if notebook else "terminal"
        self.on = (notebook or sys.stderr.isatty()) if wanted is None else wanted

    def __call__(self, line: str) -> None:
        if not self.on or line == self.last:
            return
        self.last = line
        if self.where == "notebook":
            from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

            text = {"text/plain": line}
            if self.cell is None:
                self.cell = display(text, raw=True, display_id=True)
            else:
                self.cell.update(text, raw=True)
        elif sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()
        else:
            sys.stderr.write(f"{line}\n")

    def done(self) -> None:
        """Leave the line: a terminal's is taken away."""
        if self.on and self.last and self.where == "terminal" and sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None or shell.get_ipython() is None:
        return False
    return bool("IPKernelApp" in shell.get_ipython().config)
