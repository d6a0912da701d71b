"""What `new_cluster` takes beyond what Kubernetes does: seconds from "all pods are Ready" to its return.

`make test-kubernetes` leaves no node; with one that is up: `python -m tests.kubernetes.node enter -- python -m
tests.kubernetes.overhead`. Must be at most 1.0 s (median of 5) on a machine that does nothing else.
"""

import statistics
import threading
import time
import warnings

from kubernetes import config

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.states import states
from tests.kubernetes.clusters import cluster, unique

ROUNDS = 5
MOST = 1.0


def ready_at(api: Api, namespace: str, pods: int, stop: threading.Event, found: list[float]) -> None:
    """Note when so many pods of a namespace are ready for the first time."""
    while not stop.is_set():
        now = states(api.pods(namespace, "dask.org/cluster-name=mars"))
        if len(now) == pods and all(s.ready for s in now):
            found.append(time.monotonic())
            return
        time.sleep(0.02)


def measured(api: Api, workers: int) -> tuple[float, float]:
    """Seconds until all pods are ready, and from then until `new_cluster` returns; below 0 if it does before."""
    name, stop, found = unique(), threading.Event(), []
    watching = threading.Thread(target=ready_at, args=(api, name, workers + 1, stop, found))
    begun = time.monotonic()
    watching.start()
    try:
        with cluster(api.client, worker_num=workers, namespace=name):
            returned = time.monotonic()
            watching.join(30)
    finally:
        stop.set()
        watching.join(30)
    return found[0] - begun, returned - found[0]


def main() -> None:
    warnings.simplefilter("ignore")
    api = Api(config.new_client_from_config())
    rounds = [measured(api, 2) for _ in range(ROUNDS)]
    for pods, beyond in rounds:
        print(f"all pods ready after {pods:.1f} s, returned {beyond:+.2f} s later")
    median = statistics.median(beyond for _, beyond in rounds)
    print(f"median {median:+.2f} s, at most {MOST} s: {'ok' if median <= MOST else 'MISSED'}")


if __name__ == "__main__":
    main()
