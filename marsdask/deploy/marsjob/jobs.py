"""MarsJobs of a cluster by hand, what there is of them: `marsdask job status`, `logs` and `delete`."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from marsdask.deploy.kubernetes import names
from marsdask.deploy.kubernetes.api import Api, Body
from marsdask.deploy.kubernetes.removal import age
from marsdask.deploy.kubernetes.states import until
from marsdask.deploy.marsjob.beside import JOB_LABEL
from marsdask.deploy.marsjob.definition import COLUMNS, GROUP, PLURAL, POLICIES, VERSION
from marsdask.deploy.marsjob.job import MARS, PREFIX
from marsdask.deploy.marsjob.objects import annotations_of
from marsdask.deploy.marsjob.status import next_status
from marsdask.errors import (
    KubernetesError,
    NotPermitted,
    ObjectNotFound,
    StillThere,
)

JOB = f"{PREFIX}job"
"""An annotation of a DaskCluster that was made here: its job in JSON."""
DELETED = 120.0
"""Seconds in which a job's pods are gone."""


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
    spec = {key: value for key, value in said["spec"].items() if key not in POLICIES}
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
        spec = each.body.get("spec") or {}
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
    how: Body = {} if tail is None else {"tail_lines": tail}
    if not follow:
        pods = api.pods(namespace, selector)
        for pod in pods:
            for line in _said(api, namespace, pod, how).splitlines():
                write(f"{pod['metadata']['name']}  {line}" if len(pods) > 1 else line)
        return
    followed: set[tuple[str, int]] = set()
    lock = threading.Lock()

    def read(pod: Body) -> None:
        for line in _lines(api, namespace, pod, how):
            with lock:
                write(f"{pod['metadata']['name']}  {line}")

    while find(api, namespace, name) is not None:
        for pod in api.pods(namespace, selector):
            status = _status(pod)
            start = pod["metadata"]["name"], status.get("restartCount", 0)
            if "waiting" not in status.get("state", {"waiting": {}}) and start not in followed:
                followed.add(start)
                threading.Thread(target=read, args=(pod,), daemon=True).start()
        time.sleep(1)


def _container(pod: Body) -> str:
    """The container that runs Mars: the one of this name, else the first."""
    found = [each["name"] for each in pod["spec"]["containers"]]
    return MARS if MARS in found else str(found[0])


def _status(pod: Body) -> Body:
    """How that container is."""
    found = pod.get("status", {}).get("containerStatuses") or ()
    return next((each for each in found if each["name"] == _container(pod)), {})


def _said(api: Api, namespace: str, pod: Body, how: Body) -> str:
    name, container = pod["metadata"]["name"], _container(pod)
    try:
        found = api.raw(api.core.read_namespaced_pod_log, name, namespace, container=container, **how)
    except NotPermitted:
        raise
    except KubernetesError as error:  # its container has not started
        return f"no log: {error}"
    return (found or b"").decode(errors="replace")


def _lines(api: Api, namespace: str, pod: Body, how: Body) -> Iterator[str]:
    """The lines of a log as they are written, until its container ends, or has gone."""
    from kubernetes.client import ApiException
    from urllib3.exceptions import HTTPError

    function, name, container = api.core.read_namespaced_pod_log, pod["metadata"]["name"], _container(pod)
    rest = b""
    with contextlib.suppress(HTTPError, ApiException):
        answer = function(name, namespace, container=container, follow=True, _preload_content=False, **how)
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
