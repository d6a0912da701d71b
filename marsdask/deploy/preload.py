"""What a worker process under a nanny preloads.

Ctrl-C is for the nanny, which lets the worker hand its data over first. In a local cluster it is for the program, which
cancels its work and keeps its workers. In a terminal Ctrl-C reaches all.
"""

from __future__ import annotations

import logging
import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave the signal to the nanny, and end without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker").addFilter(Heartbeats(worker))


class Heartbeats:
    """Keeps out of the log that a worker which is closing did not get its heartbeat through.

    It closes its connections while one is under way, and distributed reports that as an error, with a traceback.
    """

    def __init__(self, worker: Any):
        self.worker = worker

    def filter(self, record: logging.LogRecord) -> bool:
        from distributed.core import Status

        ending = self.worker.status in (Status.closing, Status.closed)
        return not (ending and "during heartbeat" in str(record.msg))
