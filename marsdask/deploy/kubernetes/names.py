"""What the objects of a cluster are called and labelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GROUP, VERSION = "kubernetes.dask.org", "v1"
"""Of the operator's resources."""
MANAGED_BY, US = "app.kubernetes.io/managed-by", "marsdask"
MANAGED = {MANAGED_BY: US}
"""The label on everything that `new_cluster` makes."""
SERVICE_TYPES = ("NodePort", "ClusterIP", "LoadBalancer")
COMM, WEB = "tcp-comm", "http-dashboard"
"""Names of a scheduler's and a worker's ports."""
IDLE, ENDS = "marsdask.idle-timeout", "marsdask.lifetime-ends"
"""Where a scheduler's configuration says that its cluster ends by itself: seconds without work, or seconds since 1970."""
CERTIFIED = "marsdask.org/certificates-end"
"""The annotation of a cluster that says until when its certificates are good."""
ASKS = "marsdask.org/asks-by"
"""The annotation of an operator that brings the token which a cluster has for it: ours, since it can."""
CLUSTER = "dask.org/cluster-name"
COMPONENT = "dask.org/component"
DEFAULT_GROUP = "default"
"""The worker group that the operator makes of the DaskCluster."""


def body(version: str, kind: str, metadata: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An object as the Kubernetes API takes it."""
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


def metadata(name: str, namespace: str, cluster: str) -> dict[str, Any]:
    """Of an object of ours beside the operator's."""
    return {"name": name, "namespace": namespace, "labels": {**MANAGED, CLUSTER: cluster}}


def own_service(cluster: str) -> str:
    """The Service that the operator makes."""
    return f"{cluster}-scheduler"


def worker_group(cluster: str, group: str) -> str:
    """The DaskWorkerGroup of that name."""
    return f"{cluster}-{group}"


def group_of(worker: object) -> str:
    """The DaskWorkerGroup that a worker is of: the operator calls it so, and numbers it.

    >>> group_of("mars-default-worker-417c25acb4")
    'mars-default'
    """
    return str(worker).rpartition("-worker-")[0]


def secret(cluster: str) -> str:
    """The Secret with the certificates of a cluster."""
    return f"{cluster}-tls"


def ports_of(pod: Mapping[str, Any] | None) -> dict[str, int]:
    """The ports of the container that Dask runs in, by name: a user may have added others."""
    for container in pod["spec"]["containers"] if pod else ():
        ports = {p.get("name"): p["containerPort"] for p in container.get("ports", ())}
        if COMM in ports:
            return ports
    return {}


def labels_of(found: Mapping[str, Any]) -> Mapping[str, str]:
    """The labels of an object that is there."""
    return dict(found["metadata"].get("labels") or {})


def is_ours(found: Mapping[str, Any] | None) -> bool:
    """Whether an object is there and was made by `new_cluster`."""
    return found is not None and labels_of(found).get(MANAGED_BY) == US
