"""What a worker process under a nanny preloads.

Ctrl-C is for the nanny, which lets the worker hand its data over first. In a local cluster it is for the program, which
cancels its work and keeps its workers. In a terminal Ctrl-C reaches all. And what it says to its scheduler does not wait.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from typing import Any

from marsdask.engine import streams


def dask_setup(worker: Any) -> None:
    """Leave the signal to the nanny, end without a traceback, and tell the scheduler soon what is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker").addFilter(heartbeats(worker))
    streams.ours(worker.batched_stream)


def heartbeats(*workers: Any) -> Callable[[logging.LogRecord], bool]:
    """A filter that keeps out of the log that `workers`, all of them closing, did not get a heartbeat through.

    A worker closes its connections while one is under way, and distributed reports that as an error, with a traceback.
    """
    from distributed.core import Status

    def told(record: logging.LogRecord) -> bool:
        ending = all(each.status in (Status.closing, Status.closed) for each in workers)
        return not (ending and "during heartbeat" in str(record.msg))

    return told
