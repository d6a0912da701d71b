"""MarsJobs of a cluster by hand: `marsdask job submit`, `status`, `logs` and `delete`.

Where the API server knows MarsJobs a job is one, and its operator makes the rest; where it does not, the objects are made here, and
their DaskCluster says what the job was.
"""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from marsdask.deploy.kubernetes import names, states
from marsdask.deploy.kubernetes.api import Api, Body
from marsdask.deploy.kubernetes.removal import age
from marsdask.deploy.kubernetes.states import TAKEN_UP, Blocked, Deadline, Shown, State, until
from marsdask.deploy.marsjob.definition import COLUMNS, GROUP, KIND, PLURAL, VERSION, WORKER
from marsdask.deploy.marsjob.job import PREFIX, RESTART
from marsdask.deploy.marsjob.objects import annotations_of, certificates, create, owner_of, secured
from marsdask.deploy.marsjob.status import FAILED, RUNNING, SUCCEEDED, next_status
from marsdask.deploy.marsjob.translate import JOB_LABEL, Translation
from marsdask.errors import (
    ArgumentError,
    ClusterNotStarted,
    ClusterStartTimeout,
    KubernetesError,
    NotPermitted,
    ObjectNotFound,
    StillThere,
)

JOB = f"{PREFIX}job"
"""An annotation of a DaskCluster that was made here: its job in JSON."""
KEPT_BY_AN_OPERATOR = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
"""Fields of a job's spec by which something is done after its objects were made."""
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""Of which Kubernetes makes names."""
EVENTS_EVERY = 5.0
DELETED = 120.0
"""Seconds in which a job's pods are gone."""


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
    found = [f"spec.{name}" for name in KEPT_BY_AN_OPERATOR if spec.get(name) not in (None, "None")]
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
    while True:
        found = states.states(api.pods(namespace, f"{JOB_LABEL}={name}"))
        ready = sum(each.ready for each in found if each.role == "worker")
        there = None if direct else find(api, namespace, name)
        if there is not None and there.state == FAILED:
            raise ClusterNotStarted(f"MarsJob {name} has failed: {there.message}")
        up = ready >= wanted and any(each.ready for each in found if each.role == "scheduler")
        if (up and direct) or (there is not None and there.state in (RUNNING, SUCCEEDED)):
            return
        shown(states.line(found, ready, total))
        if deadline.passed - events_at >= EVENTS_EVERY:
            events, events_at = _events(api, namespace, name), deadline.passed
        if deadline.over:
            raise _failure(ClusterStartTimeout, f"is not up after {timeout:g} s", api, namespace, name, found)
        if blocked.for_seconds(found, events, wanted):
            raise _failure(ClusterNotStarted, "cannot come up", api, namespace, name, found)
        if not found and deadline.passed > TAKEN_UP:
            who = "Dask operator" if direct or (there and there.state) else "operator of MarsJobs"
            raise ClusterNotStarted(
                f"no {who} has begun with {name} in {TAKEN_UP:g} s. Hint: `marsdask kubernetes status` says what is there."
            )
        time.sleep(deadline.left(0.5))


def _events(api: Api, namespace: str, name: str) -> list[str]:
    found = api.events(namespace)
    return states.warnings_of(
        each for each in found if str(each["involvedObject"].get("name", "")).startswith(name)
    )


def _failure(
    kind: type[ClusterNotStarted], said: str, api: Api, namespace: str, name: str, found: Sequence[State]
) -> ClusterNotStarted:
    events = _events(api, namespace, name)
    workers = [each for each in found if each.role == "worker"]
    why = states.cause(found, events, sum(each.ready for each in workers), len(workers))
    logs = api.last_lines(namespace, [each for each in found if not each.ready][:3])
    return kind(
        f"MarsJob {name} in namespace {namespace} {said}: {why}. It stays; `marsdask job delete {name} -n {namespace}` deletes it.\n"
        f"{states.report(found, events, logs)}"
    )


# Look


@dataclass(frozen=True)
class Found:
    """A job that is there; `direct` if it is one without a MarsJob."""

    body: Body
    direct: bool

    @property
    def name(self) -> str:
        return str(self.body["metadata"]["name"])

    @property
    def namespace(self) -> str:
        return str(self.body["metadata"]["namespace"])

    @property
    def last(self) -> Mapping[str, Any]:
        """The last condition, which is the state."""
        return next(iter(((self.body.get("status") or {}).get("conditions") or ())[-1:]), {})

    @property
    def state(self) -> str:
        return str(self.last.get("type", ""))

    @property
    def message(self) -> str:
        return str(self.last.get("message", ""))


def find(api: Api, namespace: str, name: str) -> Found | None:
    """The job of that name."""
    made = api.call(api.custom.get_namespaced_custom_object, GROUP, VERSION, namespace, PLURAL, name)
    if made is not None:
        return Found(made, direct=False)
    cluster = api.get("daskclusters", namespace, name)
    return None if cluster is None or JOB not in annotations_of(cluster) else _direct(api, cluster)


def expect(api: Api, namespace: str, name: str) -> Found:
    """The job of that name; ObjectNotFound where there is none."""
    if (found := find(api, namespace, name)) is None:
        raise ObjectNotFound(
            f"there is no MarsJob {name!r} in namespace {namespace!r}. Hint: `marsdask job status -A` lists all."
        )
    return found


def listed(api: Api, namespace: str | None) -> list[Found]:
    """The jobs of a namespace or of all, by name."""
    where = [PLURAL] if namespace is None else [namespace, PLURAL]
    function = getattr(api.custom, f"list_{'cluster' if namespace is None else 'namespaced'}_custom_object")
    found = [Found(each, direct=False) for each in api.listed(function, GROUP, VERSION, *where)]
    clusters = api.clusters(namespace, JOB_LABEL)
    found += [_direct(api, each) for each in clusters if JOB in annotations_of(each)]
    return sorted(found, key=lambda each: (each.namespace, each.name))


def _direct(api: Api, cluster: Body) -> Found:
    """A job of which there are the objects only: what its cluster and pods say now."""
    metadata, said = cluster["metadata"], json.loads(annotations_of(cluster)[JOB])
    spec = {key: value for key, value in said["spec"].items() if key not in KEPT_BY_AN_OPERATOR}
    job = {
        **said,
        "spec": spec,
        "metadata": {
            **said["metadata"],
            **{key: metadata[key] for key in ("name", "namespace", "uid", "creationTimestamp")},
        },
    }
    pods = api.pods(metadata["namespace"], f"{JOB_LABEL}={metadata['name']}")
    status = next_status(job, cluster, pods, datetime.now(UTC)).status
    return Found({**job, "spec": said["spec"], "status": status}, direct=True)


def table(found: Sequence[Found], *, namespaces: bool) -> list[str]:
    """What kubectl prints of MarsJobs."""
    now = datetime.now(UTC)
    head = [*(["NAMESPACE"] if namespaces else []), "NAME", *(name.upper() for name in COLUMNS)]
    rows = [head]
    for each in found:
        spec = each.body["spec"]
        cells = [
            each.name,
            each.state,
            age(each.body, now),
            spec.get("ttlSecondsAfterFinished", ""),
            spec.get("activeDeadlineSeconds", ""),
        ]
        rows.append([*([each.namespace] if namespaces else []), *map(str, cells)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def details(found: Found) -> Iterator[str]:
    """More of one job: its conditions, replicas and addresses."""
    status = found.body.get("status") or {}
    for each in status.get("conditions") or ():
        holds = "" if each["status"] == "True" else " (no longer)"
        yield f"{each['type']}{holds}, {each['reason']}: {each['message']}"
    for role, each in (status.get("replicaStatuses") or {}).items():
        yield f"{role}: " + ", ".join(f"{n} {kind}" for kind, n in each.items())
    for each in status.get("webServiceAddresses") or ():
        yield f"http://{each}"
    if found.direct:
        yield "It has no MarsJob: its objects were made by `marsdask job submit`."


# Logs


def logs(
    api: Api,
    namespace: str,
    name: str,
    *,
    role: str | None,
    follow: bool,
    tail: int | None,
    write: Callable[[str], None],
) -> None:
    """Write what a job's pods say, each line with its pod's name where there are several.

    With `follow` as long as the job is there; pods that come later are followed, too.
    """
    selector = f"{JOB_LABEL}={name}" + (f",{names.COMPONENT}={role}" if role else "")
    pods = [each["metadata"]["name"] for each in api.pods(namespace, selector)]
    if not follow:
        for pod in pods:
            for line in (_said(api, namespace, pod, tail) or "").splitlines():
                write(f"{pod}  {line}" if len(pods) > 1 else line)
        return
    followed: set[str] = set()
    lock = threading.Lock()

    def read(pod: str) -> None:
        with contextlib.suppress(KubernetesError):  # it has gone
            for line in _lines(api, namespace, pod, tail):
                with lock:
                    write(f"{pod}  {line}")

    while find(api, namespace, name) is not None:
        for pod in api.pods(namespace, selector):
            pod_name = pod["metadata"]["name"]
            begun = any("waiting" not in each["state"] for each in pod["status"].get("containerStatuses", ()))
            if begun and pod_name not in followed:
                followed.add(pod_name)
                threading.Thread(target=read, args=(pod_name,), daemon=True).start()
        time.sleep(1)


def _said(api: Api, namespace: str, pod: str, tail: int | None) -> str:
    how = {} if tail is None else {"tail_lines": tail}
    try:
        found = api.raw(api.core.read_namespaced_pod_log, pod, namespace, **how)
    except NotPermitted:
        raise
    except KubernetesError as error:  # its container has not started
        return f"no log: {error}"
    return (found or b"").decode(errors="replace")


def _lines(api: Api, namespace: str, pod: str, tail: int | None) -> Iterator[str]:
    """The lines of a log as they are written, until its container ends."""
    from urllib3.exceptions import HTTPError

    how = {} if tail is None else {"tail_lines": tail}
    function = api.core.read_namespaced_pod_log
    answer = function(pod, namespace, follow=True, _preload_content=False, **how)
    rest = b""
    with contextlib.suppress(HTTPError):
        for block in answer.stream(decode_content=False):
            *whole, rest = (rest + block).split(b"\n")
            yield from (line.decode(errors="replace") for line in whole)
    if rest:
        yield rest.decode(errors="replace")


# Delete


def delete(api: Api, namespace: str, name: str, *, wait: bool, timeout: float = DELETED) -> str:
    """Delete a job with all that was made for it; with `wait` return when its pods are gone."""
    found = expect(api, namespace, name)
    if found.direct:
        api.deleted("daskclusters", namespace, name)
    else:
        api.call(api.custom.delete_namespaced_custom_object, GROUP, VERSION, namespace, PLURAL, name)

    def gone() -> bool:
        return not (
            find(api, namespace, name)
            or api.get("daskclusters", namespace, name)
            or api.pods(namespace, f"{JOB_LABEL}={name}")
        )

    if wait and not until(gone, timeout, every=0.5):
        left = [each["metadata"]["name"] for each in api.pods(namespace, f"{JOB_LABEL}={name}")]
        raise StillThere(
            f"MarsJob {name} was not gone after {timeout:g} s: {', '.join(left) or 'its DaskCluster'} stays."
        )
    return f"marsjob.{GROUP}/{name} deleted"


def check_names(found: Sequence[Translation], file: str) -> None:
    """Raise ArgumentError where two jobs of a file have one name."""
    for place, times in Counter(map(_place, found)).items():
        if times > 1:
            raise ArgumentError(f"{file}: {times} jobs are named {place[0]!r} in namespace {place[1]!r}.")
