"""What MarsJobs take beyond their pods: time to Running, calls to the API server, memory of the operator, translations a second.

With a node that is up and has the operator of MarsJobs: `python -m tests.kubernetes.node enter -- python -m
tests.kubernetes.marsjob_figures`, on a machine that does nothing else. Running must be told at most 2.0 s after the pods are ready.
"""

import copy
import os
import statistics
import time
from datetime import datetime
from pathlib import Path

import psutil
from kubernetes import config

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.states import state
from marsdask.deploy.marsjob import operator, translate
from tests.kubernetes.clusters import IMAGE, namespace, until
from tests.kubernetes.marsjobs import TUTORIAL, Job, container, create, small
from tests.kubernetes.node.__main__ import OURS
from tests.kubernetes.node.node import Node

ROUNDS = 5
MOST = 2.0
MANY = 50
IDLE = 60


def beyond(api: Api) -> tuple[float, float]:
    """Seconds until all pods of a job are ready, and from then until its status says Running."""
    with namespace(api) as where:
        begun = time.monotonic()
        made = create(api, where, small())
        until(lambda: len(made.pods()) == 2 and all(state(each).ready for each in made.pods()))
        ready = time.monotonic()
        made.becomes("Running")
        return ready - begun, time.monotonic() - ready


def memory() -> float:
    """MiB of the operator's process."""
    word = f"--module={operator.MODULE}"
    found = [p for p in psutil.process_iter(["cmdline"]) if word in (p.info["cmdline"] or ())]
    return max(each.memory_info().rss for each in found if "tini" not in each.name()) / 2**20


def many(api: Api, node: Node) -> None:
    """Fifty jobs at once: how long, how many calls each, and what an idle minute takes afterwards."""
    before, begun = memory(), time.monotonic()
    with namespace(api) as where:
        since = datetime.now().astimezone()
        job = small()
        for each in ("Scheduler", "Worker"):
            container(job, each)["resources"] = {"requests": {"cpu": "50m", "memory": "3Gi"}}
        made: list[Job] = []
        for number in range(MANY):
            job["metadata"]["name"] = f"job-{number}"
            made.append(create(api, where, job))

        def told() -> bool:
            last = [each.last() for each in made]
            return all(each["type"] == "Running" or "Insufficient" in each["message"] for each in last)

        until(told)
        running = sum(each.last()["type"] == "Running" for each in made)
        seconds = time.monotonic() - begun
        print(f"{MANY} jobs: {running} running, the others say why, after {seconds:.0f} s")
        print(f"calls of the operator for each: {node.asked(operator.NAME, since) / MANY:.1f}")
        time.sleep(20)
        since = datetime.now().astimezone()
        time.sleep(IDLE)
        waiting = MANY - running
        print(
            f"calls in the next minute: {node.asked(operator.NAME, since)}, with {waiting} jobs that wait for room"
        )
        print(f"memory of the operator: {before:.0f} MiB before, {memory():.0f} MiB with them")


def translations(seconds: float = 3.0) -> float:
    """Of the tutorial's job, each second."""
    job, number, begun = copy.deepcopy(TUTORIAL), 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        translate(job, IMAGE)
        number += 1
    return number / passed


def main() -> None:
    api, node = Api(config.new_client_from_config()), Node(os.environ[OURS])
    assert Path(node.audit).exists()
    print(f"translations: {translations():.0f} a second")
    rounds = [beyond(api) for _ in range(ROUNDS)]
    for ready, more in rounds:
        print(f"pods ready after {ready:.1f} s, Running told {more:+.2f} s later")
    median = statistics.median(more for _, more in rounds)
    print(f"median {median:+.2f} s, at most {MOST} s: {'ok' if median <= MOST else 'MISSED'}")
    since = datetime.now().astimezone()
    time.sleep(IDLE)
    print(f"calls in a minute without jobs: {node.asked(operator.NAME, since)}")
    many(api, node)


if __name__ == "__main__":
    main()
