"""The objects of a job in a cluster: how each is made, and whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from marsdask.deploy.kubernetes import credentials, names
from marsdask.deploy.marsjob.beside import JOB_LABEL
from marsdask.deploy.marsjob.job import PREFIX
from marsdask.errors import KubernetesError

if TYPE_CHECKING:
    from marsdask.deploy.kubernetes.api import Api, Body

PLURALS = {
    "DaskCluster": "daskclusters",
    "DaskWorkerGroup": "daskworkergroups",
    "Ingress": "ingresses",
    "MarsJob": "marsjobs",
    "NetworkPolicy": "networkpolicies",
}
CORE = {"Service": "create_namespaced_service", "Secret": "create_namespaced_secret"}


def create(api: Api, wanted: Body, **how: Any) -> Body | None:
    """Make an object; None where there is one of that name already."""
    namespace = wanted["metadata"]["namespace"]
    try:
        if wanted["kind"] in CORE:
            return api.call(getattr(api.core, CORE[wanted["kind"]]), namespace, wanted, **how)
        group, _, version = wanted["apiVersion"].partition("/")
        function = api.custom.create_namespaced_custom_object
        return api.call(function, group, version, namespace, PLURALS[wanted["kind"]], wanted, **how)
    except KubernetesError as error:
        if "already exists" not in str(error):
            raise
        return None


def read(api: Api, wanted: Body) -> Body | None:
    """The object by the kind and name of another one; a Secret is not read, which takes more rights."""
    name, namespace = wanted["metadata"]["name"], wanted["metadata"]["namespace"]
    if wanted["kind"] == "Service":
        return api.service(namespace, name)
    group, _, version = wanted["apiVersion"].partition("/")
    function = api.custom.get_namespaced_custom_object
    return api.call(function, group, version, namespace, PLURALS[wanted["kind"]], name)


def of_job(events: Iterable[Body], job: Mapping[str, Any]) -> Iterator[Body]:
    """The events about a job's own objects, since it is there: others may begin with its name, or have had it."""
    name, since = job["metadata"]["name"], str(job["metadata"].get("creationTimestamp", ""))
    own = re.compile(rf"{re.escape(name)}(-(scheduler|default-worker|spot-worker|default|spot)\b.*)?")
    for each in events:
        when = str(each.get("lastTimestamp") or each.get("eventTime") or since)
        if own.fullmatch(str(each["involvedObject"].get("name", ""))) and when[:19] >= since[:19]:
            yield each


def owner_of(found: Body) -> Body:
    """By which an object says that it goes with another one, which is there."""
    return {
        **{field: found[field] for field in ("apiVersion", "kind")},
        **{field: found["metadata"][field] for field in ("name", "uid")},
        "controller": True,
        "blockOwnerDeletion": True,
    }


def secured(job: Mapping[str, Any]) -> bool:
    """Whether a job asks for TLS."""
    return annotations_of(job).get(f"{PREFIX}security") == "tls"


def certificates(name: str, namespace: str, owner: Body) -> Body:
    """The Secret of a job that asks for TLS."""
    security = credentials.made()
    labels = {JOB_LABEL: name}
    made = credentials.secret_of(names.secret(name), namespace, labels, security, own=False)
    return made | {"metadata": made["metadata"] | {"ownerReferences": [owner]}}


def annotations_of(found: Mapping[str, Any]) -> Mapping[str, str]:
    """The annotations of an object that is there."""
    return found["metadata"].get("annotations") or {}
