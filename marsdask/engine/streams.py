"""distributed's streams keep their last 1,000 messages of up to 1 MB, with the data of the tasks in them: ours keep none.

200 jobs of `tests.faults.jobs`: a program and its scheduler grow by 150 MiB, and by 31 where ten messages are kept. The
setting for it, `distributed.admin.low-level-log-length`, shortens events and profiles too.
"""

from __future__ import annotations

from collections import deque
from typing import Any


def forgetful(stream: Any) -> None:
    """Let a `distributed.batched.BatchedSend`, if it is one, keep nothing of what it has sent."""
    if stream is not None and stream.recent_message_log.maxlen != 0:
        stream.recent_message_log = deque(maxlen=0)
