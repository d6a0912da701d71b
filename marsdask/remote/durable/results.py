"""`JobResults`: what `Client.map` gives to the program."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any, Self

from marsdask.engine.runs import Run
from marsdask.remote.durable.asked import Failure
from marsdask.remote.durable.master import Master
from marsdask.session.progress import progress


class _Progress(Run):
    """How far a map is, for the bar."""

    def __init__(self, master: Master):
        super().__init__()
        self.master = weakref.ref(master)

    def progress(self) -> float:
        if (master := self.master()) is None:
            return 1.0
        counts = master.status()
        total = counts["total"] or max(master.taken, 1)
        return min(sum(counts[n] or 0 for n in ("reused", "done", "failed")) / max(total, 1), 1.0)


class JobResults:
    """What `Client.map` gives: an iterator over results, in the order of the items unless `ordered=False`.

    Nothing runs before the first result is asked for, unless `eager=True`. Results are read from their files one at a time.
    """

    def __init__(self, master: Master):
        self._master = master
        self._position = 0
        self._bar: contextlib.ExitStack | None = None
        # At the end of the program, too.
        self._end = weakref.finalize(self, master.end, "interrupted")

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {'?' if n is None else n}" for name, n in self.status().items())
        return f"<JobResults {self.job}: {self._master.state}; {counts}>"

    @property
    def job(self) -> str:
        """Its name: that of its files in `jobs/` and `status/`."""
        return self._master.job

    @property
    def page(self) -> str:
        """The URL of the file that says how far it is, as a page; JSON is beside it."""
        storage = self._master.storage
        return f"{storage.url.rstrip('/')}/{storage.name}/status/{self.job}.html"

    @property
    def dashboard_link(self) -> str | None:
        """Where a cluster's dashboard shows the same; None on threads, and before a task has begun."""
        place = self._master.place
        return None if place is None else place.link(self.job)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self._take(ordered=self._master.asked.ordered)[1]

    def as_completed(self) -> Iterator[tuple[int, Any]]:
        """Number and result of each item that was not handed out yet, in the order in which they end."""
        self._master.unordered()
        while True:
            try:
                yield self._take(ordered=False)
            except StopIteration:
                return

    def _take(self, *, ordered: bool) -> tuple[int, Any]:
        master = self._master
        if self._bar is None:
            self._bar = contextlib.ExitStack()
            self._bar.enter_context(progress(_Progress(master), master.asked.progress))
        try:
            found = master.next(ordered=ordered, position=self._position)
        except StopIteration:
            self._bar.close()
            raise
        except BaseException as error:
            self._bar.__exit__(type(error), error, error.__traceback__)
            raise
        self._position += 1
        return found

    def status(self) -> dict[str, int | None]:
        """Counts of items: `total` (None while nobody knows), `submitted`, `reused`, `running`, `done`, `failed`, and
        `speculated`, which are attempts."""
        return self._master.status()

    def reasons(self) -> dict[int, str]:
        """By the number of an item that ran: why there was no result to reuse."""
        return dict(self._master.why)

    @property
    def failed(self) -> list[Failure]:
        """The items that have failed for good so far."""
        return list(self._master.failures)

    def cancel(self) -> None:
        """Stop: what has not begun does not; asking for more raises Cancelled. What is done stays in its files."""
        self._master.cancelled = True
        self._master.end("interrupted")
        self._close_bar()

    def close(self) -> None:
        """Stop, as `cancel` does; asking for more ends the iteration."""
        self._master.end("interrupted")
        self._close_bar()

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
