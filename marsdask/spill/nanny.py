"""Dask's nanny, which ends whatever became of its worker's process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

import distributed
from distributed.core import Status

logger = logging.getLogger("distributed.nanny")

PATIENCE = 30.0
"""Seconds in which a nanny closes; distributed gives a worker that runs 9 at most, and one that starts as long as it takes."""


class Nanny(distributed.Nanny):
    """A nanny that can always be closed.

    distributed's own first waits until its worker has started, to be told to end. Before distributed 2026.8 that may never
    be: where a process is killed while it starts, who waits for it takes the next one's word that it is up, and drops it;
    or closing raises, and leaves the nanny `closing`. A cluster that ends then waits without end.
    """

    async def kill(self, timeout: float = 5, reason: str = "nanny-kill") -> None:
        if self.process is not None and self.process.status == Status.starting:
            await _end_process(self.process)
        await super().kill(timeout, reason)

    async def close(  # type: ignore[override]  # as distributed says of its own
        self, timeout: float = 5, reason: str = "nanny-close"
    ) -> Any:
        worker = self.process
        try:
            return await asyncio.wait_for(super().close(timeout, reason), timeout + PATIENCE)
        except Exception as error:  # noqa: BLE001  whatever it was, the nanny ends
            logger.info(
                "Closing the nanny at %r, whose worker does not end by itself: %r", self.address_safe, error
            )
        await _end_process(worker)
        if self.status == Status.closing:
            self.process, self.status = None, Status.running  # nothing is left to wait for
        return await super().close(timeout, reason)


async def _end_process(worker: Any) -> None:
    """Kill the process of a distributed.nanny.WorkerProcess, if it has one."""
    process = worker and worker.process
    if process is not None and process.pid is not None:
        with contextlib.suppress(ValueError):  # it has ended
            await process.kill()
