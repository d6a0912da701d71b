"""distributed's streams between clients, schedulers and workers: what ours keep, and how long they wait.

They keep their last 1,000 messages of up to 1 MB, with the data of the tasks in them: ours keep none. By 200 jobs of
`tests.faults.jobs` a program and its scheduler grow by 150 MiB, and by 31 where ten messages are kept. The setting for it,
`distributed.admin.low-level-log-length`, shortens events and profiles too.
"""

from __future__ import annotations

from collections import deque
from typing import Any

PROMPT = 0.001
"""Seconds between two messages of a stream, in which others are collected.

distributed's are 10 ms from a client, 5 to a worker and 2 back, and each task that waits for another waits for them. On two
workers of one thread, the wall time of a task in a chain of 20 tiny ones, and of 4,000 tiny ones that need no others, with
the CPU time of all processes: as they are 6.5 ms, 6.4 s, 8.8 s; at 2 ms 4.8 ms, 5.7 s, 8.7 s; at 1 ms 4.1 ms, 6.0 s, 9.1 s;
at 0.5 ms 3.4 ms, 6.3 s, 9.5 s; without waiting 3.2 ms, 6.2 s, 9.4 s.
"""


def ours(stream: Any) -> None:
    """Let a `distributed.batched.BatchedSend`, if it is one, keep nothing, and wait no longer than `PROMPT`."""
    if stream is None:
        return
    if stream.recent_message_log.maxlen != 0:
        stream.recent_message_log = deque(maxlen=0)
    stream.interval = min(stream.interval, PROMPT)
