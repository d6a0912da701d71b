"""Custom resources as anybody may write them, without `new_cluster`: for tests of the operator and of the image."""

import contextlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.rights import Rule
from tests.kubernetes.clusters import until

POD_SECURITY = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
CONTAINER_SECURITY = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
# The operator's HTTP requests; without them it would speak to the scheduler with its own distributed.
ROUTES = '["distributed.http.scheduler.info", "distributed.http.scheduler.json", "distributed.http.health", "distributed.http.scheduler.api"]'


def pod(name: str, image: str, args: list[str], **more: Any) -> dict[str, Any]:
    """A pod's spec that Pod Security `restricted` lets pass, with a read-only root."""
    container = {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "args": args,
        "securityContext": CONTAINER_SECURITY,
        "env": [{"name": "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES", "value": ROUTES}],
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }
    return {
        "automountServiceAccountToken": False,
        "securityContext": POD_SECURITY,
        "terminationGracePeriodSeconds": 2,
        "containers": [container | more],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    }


def cluster_spec(name: str, image: str, *, workers: int = 1) -> dict[str, Any]:
    """A DaskCluster of a scheduler and workers with Dask's own commands."""
    ports = [{"name": "tcp-comm", "containerPort": 8786}, {"name": "http-dashboard", "containerPort": 8787}]
    health = {
        "httpGet": {"path": "/health", "port": "http-dashboard"},
        "periodSeconds": 1,
        "timeoutSeconds": 5,
    }
    scheduler = pod(
        "scheduler", image, ["dask", "scheduler", "--host", "0.0.0.0"], ports=ports, readinessProbe=health
    )
    worker = pod(
        "worker",
        image,
        [
            "dask",
            "worker",
            "--name",
            "$(DASK_WORKER_NAME)",
            "--nthreads",
            "1",
            "--memory-limit",
            "300MiB",
            "--no-dashboard",
        ],
    )
    service = {
        "type": "NodePort",
        "selector": {"dask.org/cluster-name": name, "dask.org/component": "scheduler"},
        "ports": [
            {"name": "tcp-comm", "port": 8786, "targetPort": "tcp-comm"},
            {"name": "http-dashboard", "port": 8787, "targetPort": "http-dashboard"},
        ],
    }
    return {
        "apiVersion": "kubernetes.dask.org/v1",
        "kind": "DaskCluster",
        "metadata": {"name": name},
        "spec": {
            "idleTimeout": 0,
            "worker": {"replicas": workers, "spec": worker},
            "scheduler": {"spec": scheduler, "service": service},
        },
    }


@contextlib.contextmanager
def made_cluster(api: Api, namespace: str, spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A DaskCluster whose scheduler is ready; afterwards it is gone."""
    name = spec["metadata"]["name"]
    made = api.made("daskclusters", namespace, spec)
    try:
        until(
            lambda: any(
                map(ready, api.pods(namespace, f"dask.org/cluster-name={name},dask.org/component=scheduler"))
            )
        )
        yield made
    finally:
        api.deleted("daskclusters", namespace, name)
        until(lambda: api.get("daskclusters", namespace, name) is None)


def ready(found: dict[str, Any]) -> bool:
    """Whether a pod is ready."""
    conditions = found.get("status", {}).get("conditions", ())
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def unused_rights(audit: Path, account: str, rights: Iterable[Rule], *, but: str = "\0") -> set[str]:
    """What an operator may do and never did, by the audit log; that it was refused nothing else than `but`, nor asked for more."""
    used, refused = defaultdict(set), []
    for line in audit.read_text().splitlines():
        event = json.loads(line)
        asked = event.get("objectRef", {})
        # Without a resource it is what everybody may ask: which APIs there are.
        if not event["user"]["username"].endswith(f":{account}") or "resource" not in asked:
            continue
        resource = "/".join(filter(None, (asked["resource"], asked.get("subresource"))))
        used[asked.get("apiGroup", ""), resource].add(event["verb"])
        message = event["responseStatus"].get("message", "")
        permitted = any(each in message for each in ("is being terminated", "exceeded quota", but))
        tried = "dryRun=All" in event["requestURI"]  # how an operator learns that it may start
        if event["responseStatus"]["code"] in (401, 403) and not permitted and not tried:
            refused.append((event["verb"], resource, message))
    assert not refused
    granted = {(group, resource): set(verbs) for group, resource, verbs in rights}
    assert not {key: more for key, verbs in used.items() if (more := verbs - granted.get(key, set()))}
    return {f"{verb} {key[1]}" for key, verbs in granted.items() for verb in verbs - used[key]}
