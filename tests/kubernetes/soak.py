"""A cluster of many workers that computes for an hour, while pods are killed and evicted, the scheduler too, and its size changes.

`make kubernetes-soak MINUTES=60 WORKERS=50`; docs/kubernetes.md has the last figures. Every answer is compared with what it must be.
Ends with 1 where one is wrong or fails, a worker is missing in the end, or something is left on the node.
"""

import argparse
import os
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import psutil
from kubernetes import config

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.deploy.kubernetes import KubernetesClusterClient
from marsdask.deploy.kubernetes.api import Api
from tests.kubernetes.clusters import PATIENCE, cluster, pods, until
from tests.kubernetes.left import there
from tests.kubernetes.node.__main__ import FOREIGN, OURS
from tests.kubernetes.node.node import Node
from tests.kubernetes.test_leaving import deleted, drained

EVERY = 30.0
"""Seconds between two troubles."""
STEP = 10
"""Workers that start at once. Each takes 4 s of a core; 50 starve the API server of a node of 2 cores for minutes."""
TINY = {"worker_cpu": 0.02, "worker_mem": "300m", "supervisor_cpu": 0.5, "supervisor_mem": "1g"}
QUIET = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""40 idle workers with their nannies took 1.7 cores with Dask's own settings, 4.3% each. With these, 8 took 2.1% each, and 5.4% without."""


def summed() -> bool:
    return bool(mt.arange(5_000_000, chunk_size=100_000).sum().execute().fetch() == 12_499_997_500_000)


def multiplied() -> bool:
    x = mt.arange(360_000, chunk_size=60_000).reshape(600, 600) % 7
    known = np.arange(360_000).reshape(600, 600) % 7
    return bool((x.dot(x).execute().fetch() == known @ known).all())


def grouped() -> bool:
    known = pd.DataFrame({"k": np.arange(200_000) % 101, "v": np.arange(200_000)})
    ours = md.DataFrame(known, chunk_size=10_000).groupby("k").v.sum().execute().fetch()
    return bool(ours.sort_index().equals(known.groupby("k").v.sum()))


def held() -> Callable[[], bool]:
    """A tensor that the cluster keeps, whatever goes."""
    x = mt.random.RandomState(7).randint(2**31, size=2_000_000, chunk_size=50_000).execute()
    known = x.sum().execute().fetch()
    return lambda: bool(x.sum().execute().fetch() == known)


class Troubles:
    """What happens to the cluster, one after another; each takes a pod, or changes the size."""

    def __init__(self, api: Api, made: KubernetesClusterClient, workers: int, seed: int) -> None:
        self.api, self.made, self.workers = api, made, workers
        self.random, self.seen = random.Random(seed), Counter[str]()

    def next(self) -> None:
        kinds = {"killed": 8, "deleted": 4, "drained": 4, "scaled": 3, "scheduler": 1}
        (kind,) = self.random.choices([*kinds], [*kinds.values()])
        role = "scheduler" if kind == "scheduler" else "worker"
        found = pods(self.api, self.made, role)
        self.seen[kind] += 1
        if kind == "scaled":
            self.made.scale(self.random.randint(self.workers * 4 // 5, self.workers))
        elif found:
            pod = self.random.choice(found)
            if kind == "deleted":
                deleted(self.api, self.made.namespace, pod)
            elif kind == "drained":
                drained(self.api, self.made.namespace, pod)
            else:
                now = {"grace_period_seconds": 0}
                self.api.call(self.api.core.delete_namespaced_pod, pod, self.made.namespace, **now)


def sizes(made: KubernetesClusterClient) -> tuple[float, float]:
    """MiB of this process and of the scheduler's."""

    def mine() -> int:
        return int(psutil.Process().memory_info().rss)

    client: Any = made.session.engine.client  # type: ignore[union-attr]
    return mine() / 2**20, client.run_on_scheduler(mine) / 2**20


def soaked(api: Api, minutes: float, workers: int, seed: int) -> bool:
    """Whether all went well; what went on is printed."""
    begun = time.monotonic()
    with cluster(api.client, worker_num=min(STEP, workers), extra_env=QUIET, **TINY) as made:
        for some in (*range(2 * STEP, workers, STEP), workers):
            made.scale(some)
            made.wait_for_workers(some, timeout=PATIENCE)
        print(f"{workers} workers after {time.monotonic() - begun:.0f} s", flush=True)
        jobs, troubles = [summed, multiplied, grouped, held()], Troubles(api, made, workers, seed)
        begun = last = time.monotonic()
        done, wrong, failed, told = 0, 0, 0, 0
        while (passed := time.monotonic() - begun) < 60 * minutes:
            if time.monotonic() - last > EVERY:
                last = time.monotonic()
                troubles.next()
            try:
                wrong += not jobs[done % len(jobs)]()
            except Exception as error:
                failed += 1
                print(f"{passed:.0f} s: {type(error).__name__}: {error}", flush=True)
            done += 1
            if passed > 300 * told:
                told += 1
                ours, theirs = sizes(made)
                print(
                    f"{passed:.0f} s: {done} jobs; client {ours:.0f} MiB, scheduler {theirs:.0f} MiB",
                    flush=True,
                )
        made.scale(workers)
        made.wait_for_workers(workers, timeout=PATIENCE)
        until(lambda: len(pods(api, made, "worker")) == workers)
        print(
            f"{done} jobs, {wrong} wrong, {failed} failed; {dict(troubles.seen)}; {workers} workers in the end"
        )
        begun = time.monotonic()
        made.stop(wait=True, timeout=PATIENCE)
        print(f"stopped in {time.monotonic() - begun:.0f} s")
    return not wrong and not failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--workers", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    print(f"seed {given.seed}")
    warnings.simplefilter("ignore")
    api, node = Api(config.new_client_from_config(os.environ[FOREIGN])), Node(os.environ[OURS])
    before = there(node)
    fine = soaked(api, given.minutes, given.workers, given.seed)
    until(lambda: not there(node) - before, what=lambda: there(node) - before)
    print("nothing is left on the node")
    sys.exit(not fine)


if __name__ == "__main__":
    main()
