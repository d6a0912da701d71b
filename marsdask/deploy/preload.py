"""What a worker process under a nanny preloads: Ctrl-C is for the nanny, which lets the worker hand its data over first.

In a local cluster it is for the program, which cancels its work and keeps its workers. In a terminal Ctrl-C reaches all.
"""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave the signal to the nanny."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
