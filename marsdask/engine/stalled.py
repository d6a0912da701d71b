"""Runs that wait for workers which can neither work nor spill, ended with the reason."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from typing import Any

from marsdask.engine import failures
from marsdask.errors import SpillFull
from marsdask.spill import report


class Stalled:
    """Hears what the workers of a cluster tell of their directories, and stops what waits when none of them can go on.

    Dask pauses a worker whose memory is full and waits until there is room: for ever, where nothing can be spilled and
    what fills the memory is held for the result that is waited for.
    """

    def __init__(self, engine: Any):
        self.engine = engine
        self.listening = False
        self.told: dict[str, Any] = {}
        self.waiting: dict[object, Callable[[], None]] = {}
        self.error: SpillFull | None = None

    @contextlib.contextmanager
    def watched(self, stop: Callable[[], None]) -> Iterator[None]:
        """What waits inside is stopped by `stop`, and raises SpillFull, when the whole cluster is stuck."""
        if not self.listening:
            self.listening = True
            self.engine.listen(report.TOPIC, self.hear)
        me = object()
        if not self.waiting:
            self.error = None
        self.waiting[me] = stop
        try:
            yield
        except CancelledError as error:
            if self.error is None:
                raise
            raise self.error from error
        finally:
            del self.waiting[me]

    def hear(self, event: dict[str, Any]) -> None:
        """In the client's own thread."""
        if event["kind"] == "stuck":
            self.told[event["worker"]] = event
            if self.waiting:
                self.engine.client.loop.add_callback(self.look)

    async def look(self) -> None:
        info = await self.engine.client.scheduler.identity(n_workers=-1)
        self.told = {address: event for address, event in self.told.items() if address in info["workers"]}
        error = failures.full(info["workers"], self.told.values())
        if error is not None:
            self.error = error
            for stop in list(self.waiting.values()):
                stop()
