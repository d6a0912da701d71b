"""Settings of distributed for clusters that are started here, where Dask's own do badly. A user's value wins.

A scheduler reads them when it starts, a nanny when it is made. So local clusters have them, and what `mars-supervisor` and
`mars-worker` start; pods that run Dask's own commands, and a cluster that is joined, have what they were started with.
"""

from __future__ import annotations

from typing import Any

import dask

DISTRIBUTED: dict[str, Any] = {
    # With Dask's 15 s a worker process that takes longer to come back is never replaced.
    "distributed.deploy.lost-worker-timeout": "300s",
    # Dask waits for ever where there is no worker. Five minutes, because one that is paused for its memory counts as none.
    "distributed.scheduler.no-workers-timeout": "5 minutes",
    # Tasks that a worker has before it asks for more, per thread, while there are tasks that need no others. With Dask's 1.1
    # a worker of two threads waits for the scheduler after nearly every task; with "inf" it gets them all, and makes more
    # data than anybody has read. On a loaded machine, one worker of two threads: 2,000 tiny chunks persisted by plain Dask,
    # wall against 1.1: 2 0.74, 4 0.46, inf 0.28; extra memory of the benchmark cluster_peak (three reductions over 38 chunks
    # of 8 MB): 1.1 49 MB, 2 49 MB, 4 94 MB, inf 293 MB. At 4 a worker holds four chunks a thread ahead, however many there are.
    # The benchmarks cluster_tasks and cluster_tasks_two measure the first with ours beside.
    "distributed.scheduler.worker-saturation": 4.0,
    # Between two looks of a worker's profiler at what it runs. Dask's 10 ms cost the workers 2.7 % of their CPU time and the
    # client 1.7 % of its wall time: six queries of TPC-H on two workers, all intervals in turn in one run: 10 ms 1,850 ms of
    # CPU and 1,553 of wall, 30 ms 1,785 and 1,534, 100 ms 1,800 and 1,527, 1 s 1,797 and 1,518.
    "distributed.worker.profile.interval": "100ms",
}


PRELOAD = "marsdask.deploy.preload"
"""What worker processes under a nanny load first; it says why."""


def apply() -> None:
    """Make these the defaults in this process. To be called before each cluster is started: `dask.config.refresh()` undoes it.

    What the user's files and environment say stays, also where it is Dask's own default; so does what `dask.config.set`
    says, unless it is just that default.
    """
    import distributed  # noqa: F401 - its own defaults come with the import, and the last ones win

    said = dask.config.collect()
    ours = {n: v for n, v in DISTRIBUTED.items() if dask.config.get(n, UNSAID, config=said) is UNSAID}
    nested: dict[str, Any] = {}
    dask.config.set(ours, config=nested)
    dask.config.update_defaults(nested)


UNSAID = object()


def worker_preloads(given: Any = None) -> list[str]:
    """What worker processes under a nanny load first: what was given, or is configured, and ours."""
    found = given or dask.config.get("distributed.worker.preload", None) or []
    return [*([found] if isinstance(found, str) else found), PRELOAD]
