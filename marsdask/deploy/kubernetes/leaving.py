"""A worker whose pod is asked to go, by a drain, a scale-down, a stop: its data go to others, and no file stays on the node.

`dask worker --preload-nanny marsdask.deploy.kubernetes.leaving`. Dask's own command closes the worker, and so recomputes what it
held; what a worker had spilled stays where that does not end in time. All of it has to fit into LONGEST.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from marsdask.deploy.running import hand_over
from marsdask.spill.directory import purge
from marsdask.spill.policy import MemoryPolicy

HANDING_OVER = 14.0
"""Seconds that the scheduler has to have the data copied; Dask's command gives a worker 10 more to close."""
LONGEST = 30
"""Seconds from the first signal to the last: Kubernetes' own grace for a pod."""

logger = logging.getLogger(__name__)


async def dask_setup(nanny: Any) -> None:
    nanny.close = functools.partial(_close, nanny, nanny.close)


async def _close(
    nanny: Any, close: Callable[..., Awaitable[Any]], timeout: float = 5, reason: str = "nanny-close"
) -> Any:
    if reason.startswith("signal-") and nanny.worker_address is not None:
        why = await hand_over(nanny.scheduler, [nanny.worker_address], HANDING_OVER)
        if why:
            logger.info("The data of this worker was not handed over: %s.", why)
    done = await close(timeout=timeout, reason=reason)
    # Without letting go of the event loop: it ends once it has heard that the nanny is closed, and with it whatever waits.
    for path in (*MemoryPolicy().with_surroundings().directories, nanny.local_directory):
        purge(path)
    return done
