"""Loaded by the operator beside dask-kubernetes's own handlers, for two things that these miss."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import kopf

from marsdask.deploy.kubernetes.api import Api, Body
from marsdask.deploy.kubernetes.names import GROUP, VERSION
from marsdask.errors import MarsDaskError

NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
OWNERS = ("DaskCluster", "DaskJob", "DaskWorkerGroup")
PATIENCE = 75.0
"""Seconds; twice the server's 30, and below the 120 of the startup probe."""
PAUSE = 2.0


@kopf.on.startup()
async def known(logger: logging.Logger | logging.LoggerAdapter[Any], **_: Any) -> None:
    """Wait until an object that Dask's kinds own may be made.

    Where OwnerReferencesPermissionEnforcement is on, as on OpenShift, the API server lists kinds anew only every 30 s, and
    until then refuses whatever the operator makes for a new kind. The operator would try again 60 s later.
    """
    api, namespace = Api(), NAMESPACE.read_text().strip()
    try:
        deadline = time.monotonic() + PATIENCE
        while refused := await asyncio.to_thread(unknown, api, namespace):
            if time.monotonic() > deadline:
                logger.warning("Started, though after %g s %s", PATIENCE, refused)
                return
            logger.info("Waiting: %s", refused)
            await asyncio.sleep(PAUSE)
    finally:
        api.close()


@kopf.on.field(f"daskclusters.{GROUP}", field="status.phase", new="Pending")
async def running(name: str, namespace: str | None, patch: kopf.Patch, **_: Any) -> None:
    """Say Running of a cluster whose Service is there.

    dask-kubernetes says so when it hears of the Service, and Pending when it has made the rest: where it hears first, Pending
    stays (dask-kubernetes #968), and its KubeCluster gives the cluster up after 60 s.
    """
    assert namespace is not None
    if await asyncio.to_thread(reachable, namespace, f"{name}-scheduler"):
        patch.status["phase"] = "Running"


def reachable(namespace: str, service: str) -> bool:
    """Whether a Service is there, with an address if it is a LoadBalancer."""
    with closing(Api()) as api:
        found = api.service(namespace, service)
    if found is None:
        return False
    return found["spec"]["type"] != "LoadBalancer" or bool(found["status"]["loadBalancer"].get("ingress"))


def unknown(api: Api, namespace: str) -> str:
    """What the API server says of a kind that it does not know, or nothing. It tries only: nothing is made."""
    common = {"apiVersion": f"{GROUP}/{VERSION}", "name": "kinds", "blockOwnerDeletion": True}
    owners = [{**common, "kind": kind, "uid": "00000000-0000-0000-0000-000000000000"} for kind in OWNERS]
    owned: Body = {
        "metadata": {"generateName": "kinds-", "ownerReferences": owners},
        "spec": {"ports": [{"port": 80}]},
    }
    try:
        api.call(api.core.create_namespaced_service, namespace, owned, dry_run="All")
    except MarsDaskError as error:
        return str(error) if "no matches for kind" in str(error) else ""
    return ""
