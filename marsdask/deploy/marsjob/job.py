"""A MarsJob as it was written: what it says of each role, checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from marsdask.deploy.marsjob.definition import (
    API_VERSIONS,
    KIND,
    PULL_POLICIES,
    ROLES,
    SCHEDULER,
    TEXT,
    TEXTS,
    WEB,
    WORKER,
    Schema,
    record,
    spec,
)
from marsdask.deploy.marsjob.faults import Faults, shown, spelled, strict
from marsdask.errors import near
from marsdask.sizes import quantity

PREFIX = "marsdask.org/"
ANNOTATIONS = ("image", "image-pull-policy", "idle-timeout", "security", "managed")
"""Annotations of ours, below PREFIX."""
NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
HOST = re.compile(r"(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
MARS = "mars"
"""The container of a role, among others."""
OF_MARS = re.compile(r"(^|/)(marsproject/|mars-project/|mars(-[a-z0-9-]+)?(:|@|$))")
"""Names of images that have Mars in them."""
SETTLED = {
    "kubedl.io/network-mode": "pods of a DaskCluster have their own network and fixed ports",
    "kubedl.io/git-sync-config": "write an init container that clones into an emptyDir instead",
}
"""KubeDL's annotations that ask for what is not done here, and why or what to do."""
UNUSED = ("kubedl.io/tenancy", "kubedl.io/tensorboard-config", "kubedl.io/enable-elastic-training")
"""Those of other kinds of job."""


@dataclass
class Role:
    """One of `marsReplicaSpecs`: `path` is its own, `where` that of the container that runs Mars."""

    name: str
    path: str
    replicas: int
    spot: Mapping[str, Any]
    metadata: Mapping[str, Any]
    pod: dict[str, Any]
    container: dict[str, Any]
    where: str


@dataclass
class Job:
    """A job whose every field is one that is known, with its roles by name."""

    name: str
    namespace: str
    labels: Mapping[str, str]
    options: Mapping[str, str]
    spec: Mapping[str, Any]
    roles: dict[str, Role]
    notes: list[str] = field(default_factory=list)


def without_nulls(value: Any) -> Any:
    """The same without fields that are null, which the API server takes as not said."""
    if isinstance(value, Mapping):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def read(job: Any, faults: Faults, namespace: str) -> Job | None:
    """What `job` says; None where it has no such parts that more could be said of it."""
    job = without_nulls(job)
    if not isinstance(job, dict):
        faults("job", f"got {shown(job)}, expected the mapping that a MarsJob is.")
        return None
    for key in job:
        if key not in ("apiVersion", "kind", "metadata", "spec", "status"):
            faults(
                spelled("", [str(key)]), f"there is no such field here.{near(str(key), ('metadata', 'spec'))}"
            )
    _check_kind(job, faults)
    metadata, said = job.get("metadata", {}), job.get("spec")
    meta = record(name=TEXT, namespace=TEXT, labels=TEXTS, annotations=TEXTS) | {
        "x-kubernetes-preserve-unknown-fields": True
    }
    good = faults.fits(metadata, strict(meta), "metadata")
    if said is None:
        faults("spec", "it is missing.")
        return None
    if not isinstance(said, dict):
        faults("spec", f"got {shown(said)}, expected a mapping.")
        return None
    notes: list[str] = []
    roles = _roles(said, faults, notes)
    if not good:
        return None
    options = _options(metadata.get("annotations", {}), faults, notes)
    _check_name(metadata, faults, web=WEB in roles)
    _check_policies(said, roles, faults, notes)
    return Job(
        name=metadata.get("name", ""),
        namespace=metadata.get("namespace", namespace),
        labels=metadata.get("labels", {}),
        options=options,
        spec=said,
        roles=roles,
        notes=notes,
    )


def _check_kind(job: Mapping[str, Any], faults: Faults) -> None:
    for name, allowed in (("apiVersion", API_VERSIONS), ("kind", (KIND,))):
        if job.get(name) not in allowed:
            given = f"got {shown(job[name])}" if name in job else "it is missing"
            faults(name, f"{given}, expected {' or '.join(allowed)}.")


def _check_name(metadata: Mapping[str, Any], faults: Faults, *, web: bool) -> None:
    name = metadata.get("name")
    longest = 63 - len(f"-{'webservice' if web else 'scheduler'}-0")
    if name is None:
        given = "generateName is none yet" if "generateName" in metadata else "it is missing"
        faults("metadata.name", f"{given}; what is made for a job is called after it.")
    elif not NAME.fullmatch(name) or len(name) > longest:
        faults(
            "metadata.name",
            f"got {name!r}, expected at most {longest} small letters, digits and '-', a letter first: Services are called "
            f"{'NAME-webservice-0' if web else 'NAME-scheduler-0'}.",
        )


def _options(annotations: Mapping[str, str], faults: Faults, notes: list[str]) -> dict[str, str]:
    """The annotations of ours, by their names without the prefix."""
    found = {}
    checks = {
        "image-pull-policy": PULL_POLICIES,
        "security": ("tls", "none"),
        "managed": ("true", "false"),
    }
    for key, value in annotations.items():
        path = spelled("metadata.annotations", [key])
        if key in SETTLED:
            faults(path, f"{SETTLED[key]}.")
        elif key in UNUSED:
            notes.append(f"{path} has no effect: it is for other kinds of KubeDL's jobs.")
        if not key.startswith(PREFIX):
            continue
        name = key.removeprefix(PREFIX)
        if name not in ANNOTATIONS:
            faults(path, f"marsdask has no such annotation.{near(name, ANNOTATIONS)}")
        elif name in checks and value not in checks[name]:
            faults(path, f"got {shown(value)}, expected {', '.join(checks[name])}.")
        elif name == "idle-timeout" and not (value.isascii() and value.isdigit()):
            faults(path, f"got {shown(value)}, expected a whole number of seconds.")
        elif name == "image" and not value.strip():
            faults(path, "it is empty.")
        else:
            found[name] = value.strip()
    return found


def _roles(said: dict[str, Any], faults: Faults, notes: list[str]) -> dict[str, Role]:
    """The roles; what of the rest of `spec` has no place or the wrong type is a fault."""
    metadata = record(labels=TEXTS, annotations=TEXTS)
    faults.fits(said, strict(spec(metadata=metadata)), "spec")
    replicas = said.get("marsReplicaSpecs")
    if not isinstance(replicas, dict):
        return {}
    found: dict[str, Role] = {}
    known = {name.lower(): name for name in ROLES}
    for key, value in replicas.items():
        path = spelled("spec.marsReplicaSpecs", [str(key)])
        name = known.get(str(key).lower())
        if name is None:
            hint = (
                " Mars's supervisor is the role Scheduler."
                if str(key).lower() == "supervisor"
                else near(str(key), ROLES)
            )
            faults(path, f"there is no such role; the roles are {', '.join(ROLES)}.{hint}")
        elif name in found:
            faults(path, f"the role {name} is there twice.")
        elif role := _role(name, path, value, faults, notes):
            found[name] = role
    lower = {str(key).lower() for key in replicas}
    for name in (SCHEDULER, WORKER):
        if name.lower() not in lower:
            faults(f"spec.marsReplicaSpecs.{name}", "it is missing.")
    return found


RESTART = {SCHEDULER: "Never", WEB: "Always", WORKER: "ExitCode"}
"""KubeDL's defaults."""


def _role(name: str, path: str, value: Any, faults: Faults, notes: list[str]) -> Role | None:
    """One role; None where it has no pod that could be looked at."""
    template = value.get("template") if isinstance(value, dict) else None
    pod = template.get("spec") if isinstance(template, dict) else None
    if not isinstance(value, dict) or not isinstance(template, dict) or not isinstance(pod, dict):
        return None  # told already
    where = f"{path}.template.spec"
    pod, container, index = _pod(pod, where, faults, notes)
    replicas = value.get("replicas", 1)
    if name == SCHEDULER and replicas != 1 and isinstance(replicas, int):
        faults(f"{path}.replicas", f"got {replicas}, expected 1: Dask has one scheduler.")
    spot = value.get("spotReplicaSpec", {})
    if spot and name != WORKER:
        faults(f"{path}.spotReplicaSpec", "only workers can be spot replicas here.")
    if container is None:
        return None
    return Role(
        name=name,
        path=path,
        replicas=replicas,
        spot=spot,
        metadata=template.get("metadata", {}),
        pod=pod,
        container=container,
        where=f"{where}.containers[{index}]",
    )


@cache
def pod_schema() -> Schema:
    """Of a pod's spec, as the definition of DaskCluster has it: what that does not know its server drops."""
    from importlib import resources

    import yaml

    folder = "operator/deployment/helm/dask-kubernetes-operator/crds"
    text = (resources.files("dask_kubernetes") / folder / "daskcluster.yaml").read_text()
    (version,) = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))["spec"]["versions"]
    schema: Schema = version["schema"]["openAPIV3Schema"]
    for step in ("spec", "worker", "spec"):
        schema = schema["properties"][step]
    return schema


@cache
def strict_pod_schema() -> Schema:
    """The same, in which fields that it does not know are wrong."""
    return strict(pod_schema())


def _pod(
    pod: dict[str, Any], path: str, faults: Faults, notes: list[str]
) -> tuple[dict[str, Any], dict[str, Any] | None, int]:
    """The pod in the form that DaskCluster takes, the container that runs Mars, and its place."""
    pod = _as_texts(pod, pod_schema(), path, faults)
    if (policy := pod.pop("restartPolicy", None)) is not None:
        notes.append(
            f"{path}.restartPolicy={policy} is left out: Deployments restart their pods always, and the role's policy is kept "
            "in the job's state."
        )
    for kind in ("containers", "initContainers"):
        for i, each in enumerate(_mappings(pod.get(kind))):
            _name_ports(each, f"{path}.{kind}[{i}]", faults)
    if not faults.fits(pod, strict_pod_schema(), path):
        return pod, None, 0
    containers = pod["containers"]
    if not containers:
        faults(f"{path}.containers", "it is empty.")
        return pod, None, 0
    called = Counter(each["name"] for each in (*containers, *pod.get("initContainers", ())))
    for each, times in called.items():
        if times > 1:
            faults(f"{path}.containers", f"{times} containers are named {each!r}.")
    _check_mounts(pod, path, faults)
    index = next((i for i, each in enumerate(containers) if each["name"] == MARS), 0)
    return pod, containers[index], index


def _mappings(value: Any) -> list[dict[str, Any]]:
    """The entries of a list, if it is one of mappings; what else it is its schema says."""
    return value if isinstance(value, list) and all(isinstance(each, dict) for each in value) else []


QUANTITIES = ("limits", "requests", "overhead")
"""Fields that hold quantities by name."""


def _as_texts(value: Any, schema: Mapping[str, Any], path: str, faults: Faults, parent: str = "") -> Any:
    """The same with quantities as texts, as DaskCluster's definition has them, and what is none of them a fault."""
    if isinstance(value, dict):
        below = schema.get("properties", {})
        rest = schema.get("additionalProperties") or {}
        return {
            key: _as_texts(
                each, below.get(key, rest), spelled(path, [str(key)]), faults, _kind(parent, str(key))
            )
            for key, each in value.items()
        }
    if isinstance(value, list):
        items = schema.get("items", {})
        return [_as_texts(each, items, f"{path}[{i}]", faults, parent) for i, each in enumerate(value)]
    if parent != "quantity" or schema.get("type") != "string" or isinstance(value, bool):
        return value
    if isinstance(value, (int, float, str)):
        with faults.of(path):
            quantity(value, path)
        return str(value)
    return value


def _kind(parent: str, key: str) -> str:
    return "quantity" if parent in QUANTITIES or key in ("sizeLimit", "divisor") else key


def _check_mounts(pod: Mapping[str, Any], path: str, faults: Faults) -> None:
    """What a server would say of the Deployment only, where nobody looks."""
    there = {each["name"] for each in pod.get("volumes", ())}
    for kind in ("containers", "initContainers"):
        for i, each in enumerate(pod.get(kind, ())):
            paths: set[str] = set()
            for j, mount in enumerate(each.get("volumeMounts", ())):
                where = f"{path}.{kind}[{i}].volumeMounts[{j}]"
                if mount["name"] not in there:
                    faults(
                        f"{where}.name",
                        f"the pod has no volume {mount['name']!r}.{near(mount['name'], there)}",
                    )
                if mount["mountPath"] in paths:
                    faults(f"{where}.mountPath", f"{mount['mountPath']!r} is mounted twice.")
                paths.add(mount["mountPath"])


def _name_ports(container: dict[str, Any], path: str, faults: Faults) -> None:
    """Give ports of probes and hooks their names: DaskCluster's definition takes no numbers."""
    ports = _mappings(container.get("ports"))
    numbers = {each.get("containerPort"): each for each in ports}

    def named(handler: Any, where: str) -> None:
        for kind in ("httpGet", "tcpSocket"):
            action = handler.get(kind) if isinstance(handler, dict) else None
            port = action.get("port") if isinstance(action, dict) else None
            if isinstance(action, dict) and isinstance(port, int):
                if port not in numbers:
                    numbers[port] = {"containerPort": port}
                    ports.append(numbers[port])
                action["port"] = numbers[port].setdefault("name", f"port-{port}")
            elif isinstance(port, str) and port.isdigit():
                faults(
                    f"{where}.{kind}.port",
                    f"got {port!r}: a text is the name of a port, expected {int(port)}.",
                )

    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        named(container.get(probe), f"{path}.{probe}")
    for hook, handler in (container.get("lifecycle") or {}).items():
        named(handler, f"{path}.lifecycle.{hook}")
    if ports:
        container["ports"] = ports


def _check_policies(
    said: Mapping[str, Any], roles: Mapping[str, Role], faults: Faults, notes: list[str]
) -> None:
    """What `spec` says beside its roles."""
    if said.get("cronPolicy") is not None:
        faults(
            "spec.cronPolicy",
            "give a Kubernetes CronJob that runs `marsdask job submit` instead; docs/from-kubedl.md has one.",
        )
    scheduling = said.get("schedulingPolicy")
    scheduling = scheduling if isinstance(scheduling, dict) else {}
    for name, why in (
        ("priority", "there is no queue of jobs here; priorityClassName orders pods"),
        ("queue", "there is no queue here; a label of Kueue on the job goes to its pods"),
    ):
        if name in scheduling:
            faults(f"spec.schedulingPolicy.{name}", f"{why}.")
    worker = roles.get(WORKER)
    least = scheduling.get("minAvailable")
    if worker and isinstance(least, int) and isinstance(worker.replicas, int) and least > worker.replicas:
        faults(
            "spec.schedulingPolicy.minAvailable",
            f"got {least}, expected at most the {worker.replicas} workers.",
        )
    host = said.get("webHost")
    if isinstance(host, str):
        bare = host_of(host)
        if not HOST.fullmatch(bare) or len(bare) > 253:
            faults("spec.webHost", f"got {host!r}, expected a host name such as 'mars.example.com'.")
        elif WEB not in roles:
            notes.append("spec.webHost has no effect without a role WebService.")


def host_of(text: str) -> str:
    """A host without what Mars's client lets stand before and after it.

    >>> host_of("http://mars.example.com/")
    'mars.example.com'
    """
    return text.partition("://")[2].rstrip("/") if "://" in text else text.rstrip("/")
