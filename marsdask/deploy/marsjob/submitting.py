"""MarsJobs of a cluster by hand, how they begin: made, and waited for.

Where the API server knows MarsJobs a job is one, and its operator makes the rest; where it does not, the objects are made here, and
their DaskCluster says what the job was.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marsdask.deploy.kubernetes import states
from marsdask.deploy.kubernetes.api import Api, Body
from marsdask.deploy.kubernetes.states import Blocked, Deadline, Shown, State, neglected
from marsdask.deploy.marsjob import operator
from marsdask.deploy.marsjob.beside import JOB_LABEL
from marsdask.deploy.marsjob.definition import GROUP, KIND, PLURAL, POLICIES, VERSION, WORKER
from marsdask.deploy.marsjob.job import RESTART
from marsdask.deploy.marsjob.jobs import JOB, find
from marsdask.deploy.marsjob.objects import certificates, create, of_job, owner_of, secured
from marsdask.deploy.marsjob.status import FAILED, RUNNING, SUCCEEDED
from marsdask.deploy.marsjob.translate import Translation
from marsdask.errors import (
    ArgumentError,
    ClusterNotStarted,
    ClusterStartTimeout,
    KubernetesError,
    NotPermitted,
)

OPERATORS_IMAGE = "the operator's image"
"""In the place of an image that only the operator knows."""
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""Of which Kubernetes makes names."""
EVENTS_EVERY = 5.0


def named(job: Any) -> Any:
    """A job with the name that its generateName asks for."""
    metadata = job.get("metadata") if isinstance(job, dict) else None
    if (
        not isinstance(metadata, dict)
        or "name" in metadata
        or not isinstance(metadata.get("generateName"), str)
    ):
        return job
    made = metadata["generateName"] + "".join(random.choices(LETTERS, k=5))
    kept = {key: value for key, value in metadata.items() if key != "generateName"}
    return {**job, "metadata": {"name": made, **kept}}


def served(api: Api) -> bool:
    """Whether the API server knows MarsJobs: every user may ask."""
    found = api.call(api.custom.get_api_resources, GROUP, VERSION) or {}
    return any(each["name"] == PLURAL for each in found.get("resources", ()))


def check_names(found: Sequence[Translation], file: str) -> None:
    """Raise ArgumentError where two jobs of a file have one name."""
    for place, times in Counter(map(_place, found)).items():
        if times > 1:
            raise ArgumentError(f"{file}: {times} jobs are named {place[0]!r} in namespace {place[1]!r}.")


@dataclass(frozen=True)
class Keepers:
    """Who runs MarsJobs in a cluster: operators of ours, whether these take all jobs, and KubeDL."""

    ours: bool
    adopt_all: bool
    kubedl: bool


def keepers(api: Api) -> Keepers | None:
    """Who runs MarsJobs there; None where this user may not see."""
    try:
        deployments = api.listed(api.apps.list_deployment_for_all_namespaces)
    except NotPermitted:
        return None
    ours = [each for each in deployments if operator.is_operator(each)]
    return Keepers(bool(ours), any(map(operator.adopts_all, ours)), any(map(operator.is_kubedl, deployments)))


# Submit


def submit(api: Api, job: Body, translation: Translation, how: Mapping[str, str]) -> Iterator[str]:
    """Make a job, one that an operator keeps, and say what was made. `how` are annotations for what its file does not say.

    Raises KubernetesError where there is one of that name.
    """
    name, namespace = _place(translation)
    metadata = {
        **job["metadata"],
        "namespace": namespace,
        "annotations": {**how, **(job["metadata"].get("annotations") or {})},
    }
    wanted = {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": KIND,
        "metadata": metadata,
        "spec": job["spec"],
    }
    made = create(api, wanted)
    if made is None:
        raise _there(KIND, name, namespace)
    yield f"marsjob.{GROUP}/{name} created"
    for path in lost(wanted["spec"], made["spec"], "spec"):
        yield f"warning: this cluster's definition of MarsJobs has dropped {path}."


def submit_objects(api: Api, job: Body, translation: Translation) -> Iterator[str]:
    """Make what a job needs without a MarsJob, and say what was made; on a failure it is taken away again."""
    name, namespace = _place(translation)
    cluster, *others = translation.objects
    kept = {key: value for key, value in job.items() if key != "status"}
    cluster["metadata"]["annotations"] = {JOB: json.dumps(kept)}
    made = create(api, cluster)
    if made is None:
        raise _there("DaskCluster", name, namespace)
    owner = owner_of(made)
    try:
        yield _called(cluster)
        if secured(job):
            others.insert(0, certificates(name, namespace, owner))
        for each in others:
            each["metadata"]["ownerReferences"] = [owner]
            if create(api, each) is None and each["kind"] != "Secret":
                raise _there(each["kind"], each["metadata"]["name"], namespace)
            yield _called(each)
    except BaseException:
        api.deleted("daskclusters", namespace, name)
        raise


def _place(translation: Translation) -> tuple[str, str]:
    metadata = translation.objects[0]["metadata"]
    return metadata["name"], metadata["namespace"]


def _there(kind: str, name: str, namespace: str) -> KubernetesError:
    return KubernetesError(
        f"there is a {kind} {name} in namespace {namespace} already. Hint: `marsdask job delete {name} -n {namespace} --wait`."
    )


def _called(made: Body) -> str:
    group = made["apiVersion"].rpartition("/")[0]
    return f"{made['kind'].lower()}{f'.{group}' if group else ''}/{made['metadata']['name']} created"


def lost(sent: Any, got: Any, path: str) -> Iterator[str]:
    """The paths of what was sent and is not there.

    >>> list(lost({"a": {"b": 1, "c": None}, "d": [{"e": 2}]}, {"a": {}, "d": [{}]}, "spec"))
    ['spec.a.b', 'spec.d[0].e']
    """
    if isinstance(sent, Mapping) and isinstance(got, Mapping):
        for key, value in sent.items():
            if key in got:
                yield from lost(value, got[key], f"{path}.{key}")
            elif value is not None:
                yield f"{path}.{key}"
    elif isinstance(sent, list) and isinstance(got, list):
        for i, (one, other) in enumerate(zip(sent, got, strict=False)):
            yield from lost(one, other, f"{path}[{i}]")


def unkept(spec: Mapping[str, Any]) -> list[str]:
    """The paths of what nobody keeps where no operator does."""
    found = [f"spec.{name}" for name in POLICIES if spec.get(name) not in (None, "None")]
    for key, role in spec["marsReplicaSpecs"].items():
        default = next((policy for name, policy in RESTART.items() if name.lower() == key.lower()), None)
        if (role.get("restartPolicy") or default) != "Always":
            found.append(f"spec.marsReplicaSpecs.{key}.restartPolicy")
    return found


# Wait


def wait(api: Api, job: Body, namespace: str, *, direct: bool, timeout: float, shown: Shown) -> None:
    """Return when a job runs, or has succeeded.

    Raises ClusterStartTimeout after `timeout` seconds; ClusterNotStarted at once where its pods cannot come up, where it has
    failed, and where no operator has begun with it. The job stays as it is.
    """
    name, deadline, blocked = job["metadata"]["name"], Deadline(timeout), Blocked()
    spec = job["spec"]
    total = next(r for key, r in spec["marsReplicaSpecs"].items() if key.lower() == WORKER.lower()).get(
        "replicas", 1
    )
    wanted = (spec.get("schedulingPolicy") or {}).get("minAvailable") or min(1, total)
    events: list[str] = []
    events_at = -EVENTS_EVERY
    seen: Body | None = None
    while True:
        found = states.states(api.pods(namespace, f"{JOB_LABEL}={name}"))
        ready = sum(each.ready for each in found if each.role == "worker")
        there = None if direct else find(api, namespace, name)
        if there is None and seen is not None and not direct:
            raise ClusterNotStarted(f"MarsJob {name} was deleted while it was waited for.")
        seen = there.body if there else seen or api.get("daskclusters", namespace, name)
        if there is not None and there.state == FAILED:
            raise ClusterNotStarted(f"MarsJob {name} has failed: {there.message}")
        up = ready >= wanted and any(each.ready for each in found if each.role == "scheduler")
        if (up and direct) or (there is not None and there.state in (RUNNING, SUCCEEDED)):
            return
        shown(states.line(found, ready, total))
        if seen is not None and deadline.passed - events_at >= EVENTS_EVERY:
            events, events_at = _events(api, seen), deadline.passed
        if deadline.over:
            raise _failure(
                ClusterStartTimeout, f"is not up after {timeout:g} s", api, seen or job, namespace, found
            )
        if blocked.for_seconds(found, events, wanted):
            raise _failure(ClusterNotStarted, "cannot come up", api, seen or job, namespace, found)
        if not found and neglected(deadline, api.answering_for):
            who = "Dask operator" if direct or (there and there.state) else "operator of MarsJobs"
            raise ClusterNotStarted(
                f"no {who} has begun with {name} in {deadline.passed:.0f} s. Hint: `marsdask kubernetes status` says what is there"
                + ("." if direct else "; --direct makes the objects without an operator.")
            )
        time.sleep(deadline.left(0.5))


def _events(api: Api, job: Body) -> list[str]:
    return states.warnings_of(of_job(api.warnings(job["metadata"]["namespace"]), job))


def _failure(
    kind: type[ClusterNotStarted], said: str, api: Api, job: Body, namespace: str, found: Sequence[State]
) -> ClusterNotStarted:
    name = job["metadata"]["name"]
    events = states.warnings_of(of_job(api.warnings(namespace), job))
    workers = [each for each in found if each.role == "worker"]
    why = states.cause(found, events, sum(each.ready for each in workers), len(workers))
    logs = api.last_lines(namespace, [each for each in found if not each.ready][:3])
    return kind(
        f"MarsJob {name} in namespace {namespace} {said}: {why}. It stays; `marsdask job delete {name} -n {namespace}` deletes it.\n"
        f"{states.report(found, events, logs)}"
    )
