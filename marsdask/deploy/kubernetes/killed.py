"""Workers that the kernel has killed for their memory, told as Dask tells of those that it stops itself.

The kernel ends a process at the container's limit without a word to Python. Where it ends the worker only, its nanny sees
a counter of the container go up: `dask worker --preload-nanny marsdask.deploy.kubernetes.killed`. Where it ends the whole
container, as with cgroup v2, Kubernetes tells in the pod's status.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from marsdask.deploy.kubernetes.names import COMM, ports_of

TOPIC = "worker-restart-memory"
"""Where Dask tells of workers it has stopped for their memory."""
COUNTERS = (Path("/sys/fs/cgroup/memory.events"), Path("/sys/fs/cgroup/memory/memory.oom_control"))
EVERY = 0.25
"""Seconds between two looks."""

_tasks: dict[int, asyncio.Task[None]] = {}


def count(files: Iterable[Path] = COUNTERS) -> int:
    """How many processes of this container the kernel has killed for memory; 0 where it does not tell."""
    for file in files:
        if file.exists() and (found := re.search(r"^oom_kill (\d+)", file.read_text(), re.MULTILINE)):
            return int(found[1])
    return 0


async def watch(nanny: Any) -> None:
    """Tell the scheduler of every kill, for as long as the nanny lives."""
    seen, worker = count(), None
    while True:
        worker = nanny.worker_address or worker  # the one that was there, after its end
        if (now := count()) > seen:
            seen = now
            limit = int(getattr(nanny.memory_manager, "memory_limit", 0) or 0)
            nanny.log_event(TOPIC, {"worker": worker, "pid": None, "rss": limit})
        await asyncio.sleep(EVERY)


async def dask_setup(nanny: Any) -> None:
    _tasks[id(nanny)] = asyncio.create_task(watch(nanny))


async def dask_teardown(nanny: Any) -> None:
    if (task := _tasks.pop(id(nanny), None)) is not None:
        task.cancel()


def events_of(pods: Iterable[Mapping[str, Any]], scheme: str) -> list[tuple[float, dict[str, Any]]]:
    """The same events, of containers that were killed as a whole, from their pods' statuses."""
    found = []
    for pod in pods:
        status = pod.get("status", {})
        port = ports_of(pod).get(COMM)
        for container in status.get("containerStatuses", ()):
            states = (container.get("lastState", {}), container.get("state", {}))
            ended: Mapping[str, Any] = next((s["terminated"] for s in states if s.get("terminated")), {})
            if ended.get("reason") == "OOMKilled" and port:
                worker = f"{scheme}://{status.get('podIP')}:{port}"
                found.append((0.0, {"worker": worker, "pid": None, "rss": 0}))
    return found
