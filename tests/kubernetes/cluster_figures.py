"""What clusters take beyond what Kubernetes does: seconds of `new_cluster` and `scale`, calls to the API, time until nothing is left.

`make kubernetes-figures`, on a machine that does nothing else; docs/kubernetes.md has the last ones. Ends with 1 where a goal is missed.
"""

import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Thread
from typing import Any

from kubernetes import config

from marsdask.deploy.kubernetes import KubernetesClusterClient, operator
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.states import states
from tests.kubernetes.clusters import PATIENCE, cluster, unique, until
from tests.kubernetes.left import there
from tests.kubernetes.node.__main__ import FOREIGN, OURS
from tests.kubernetes.node.image import archives
from tests.kubernetes.node.node import Node

ROUNDS = 5
MANY = 20
BEYOND = 0.5
"""Seconds of the call after all pods are Ready: the goal."""
CALLS = 6
"""Calls to the API in a minute in which nothing happens: the goal."""
TINY = {"worker_cpu": 0.02, "worker_mem": "300m"}


class Ready(Thread):
    """Notes when so many pods of a namespace are Ready for the first time."""

    def __init__(self, api: Api, namespace: str, pods: int) -> None:
        super().__init__(daemon=True)
        self.asks: Callable[[], Any] = lambda: states(api.pods(namespace, "dask.org/cluster-name=mars"))
        self.pods, self.at = pods, 0.0
        self.start()

    def run(self) -> None:
        def all_ready() -> bool:
            found = self.asks()
            return len(found) == self.pods and all(each.ready for each in found)

        while not all_ready():
            time.sleep(0.02)
        self.at = time.monotonic()

    def until(self, returned: float) -> float:
        """Seconds from then until a call has returned; below 0 if it did before."""
        self.join(PATIENCE)
        return returned - self.at


def made(api: Api, workers: int) -> tuple[float, float]:
    """Seconds beyond Ready pods that `new_cluster` takes, and then `scale` with `wait_for_workers` for as many again."""
    name = unique()
    ready = Ready(api, name, workers + 1)
    with cluster(api.client, worker_num=workers, namespace=name, **TINY) as found:
        start = ready.until(time.monotonic())
        ready = Ready(api, name, 2 * workers + 1)
        found.scale(2 * workers)
        found.wait_for_workers(2 * workers, timeout=PATIENCE)
        return start, ready.until(time.monotonic())


@contextmanager
def counted(api: Api, node: Node) -> Iterator[dict[str, int]]:
    """Calls to the API meanwhile, of this process and of the operator, with the watches that it begins anew."""
    rest, found = api.client.rest_client, {"client": 0, "operator": 0}
    ask, since = rest.request, datetime.now(UTC)

    def request(*args: Any, **kwargs: Any) -> Any:
        found["client"] += 1
        return ask(*args, **kwargs)

    rest.request = request
    try:
        yield found
    finally:
        rest.request = ask
        found["operator"] = node.asked(operator.NAME, since, watches=True)


def ended(api: Api, node: Node, found: KubernetesClusterClient, before: set[str]) -> tuple[float, float]:
    """Seconds from `stop(wait=True)` until it returns, and until nothing at all is left on the node."""
    begun = time.monotonic()
    found.stop(wait=True, timeout=PATIENCE)
    returned = time.monotonic()
    until(lambda: not there(node) - before)
    return returned - begun, time.monotonic() - begun


def main() -> None:
    warnings.simplefilter("ignore")
    api, node, missed = Api(config.new_client_from_config(os.environ[FOREIGN])), Node(os.environ[OURS]), False

    def tell(what: str, value: float, goal: float | None = None, unit: str = "s") -> None:
        nonlocal missed
        bad = goal is not None and value > goal
        missed = missed or bad
        print(
            f"{what}: {value:.2f} {unit}{'' if goal is None else f', at most {goal} {unit}'}{', MISSED' * bad}",
            flush=True,
        )

    before = there(node)
    for workers, rounds in ((2, ROUNDS), (MANY, 3)):
        figures = [made(api, workers) for _ in range(rounds)]
        for i, what in enumerate(
            (f"new_cluster with {workers} workers", f"scale from {workers} to {2 * workers}")
        ):
            tell(f"{what}, after all pods are Ready", statistics.median(each[i] for each in figures), BEYOND)
    with cluster(api.client, worker_num=2, **TINY) as found:
        time.sleep(30)  # until the operator has nothing to do any more
        with counted(api, node) as calls:
            time.sleep(120)
        for who, n in calls.items():
            tell(f"calls of the {who} in an idle minute", n / 2, CALLS, "calls")
        returned, nothing = ended(api, node, found, before)
    tell("stop(wait=True)", returned)
    tell("from stop() until nothing is left on the node", nothing)
    tell("the image, as an archive", archives()[-1].stat().st_size / 1e9, unit="GB")
    sys.exit(missed)


if __name__ == "__main__":
    main()
