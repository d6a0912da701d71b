"""Loaded by the operator beside dask-kubernetes's own handlers, for what these miss."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing
from typing import Any

import kopf

from marsdask.deploy.kubernetes import owners
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.names import GROUP, VERSION

OWNERS = ("DaskCluster", "DaskJob", "DaskWorkerGroup")


@kopf.on.startup()
async def told(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Post as events of a cluster what fails on the way to it, which kopf else keeps to its log.

    No warnings: there is one every 5 s for a cluster with an idle timeout whose scheduler does not answer.
    """
    settings.posting.loggers, settings.posting.level = True, logging.ERROR


@kopf.on.startup()
async def known(logger: logging.Logger | logging.LoggerAdapter[Any], **_: Any) -> None:
    """Wait until the API server lets Dask's kinds own what the operator makes; the operator would try again 60 s later."""
    await owners.known(f"{GROUP}/{VERSION}", OWNERS, logger)


@kopf.on.field(f"daskclusters.{GROUP}", field="status.phase", new="Pending")
async def running(name: str, namespace: str | None, patch: kopf.Patch, **_: Any) -> None:
    """Say Running of a cluster whose Service is there.

    dask-kubernetes says so when it hears of the Service, and Pending when it has made the rest: where it hears first, Pending
    stays (dask-kubernetes #968), and its KubeCluster gives the cluster up after 60 s.
    """
    assert namespace is not None
    if await asyncio.to_thread(reachable, namespace, f"{name}-scheduler"):
        patch.status["phase"] = "Running"


@kopf.on.field(f"daskclusters.{GROUP}", field="status.phase", new="Running")
async def complete(name: str, namespace: str | None, patch: kopf.Patch, **_: Any) -> None:
    """Have the worker group made of a cluster that lacks one.

    dask-kubernetes makes all parts when it hears of the phase Created. Where one of them fails, kopf tries again 60 s later, but not if
    the Service, made before, has set the phase to Running meanwhile: the workers would never come. kopf does one thing at a time with
    an object, so that nobody is making its parts just now.
    """
    assert namespace is not None
    if not await asyncio.to_thread(grouped, namespace, f"{name}-default"):
        patch.status["phase"] = "Created"


def grouped(namespace: str, group: str) -> bool:
    """Whether a worker group is there."""
    with closing(Api()) as api:
        return api.get("daskworkergroups", namespace, group) is not None


def reachable(namespace: str, service: str) -> bool:
    """Whether a Service is there, with an address if it is a LoadBalancer."""
    with closing(Api()) as api:
        found = api.service(namespace, service)
    if found is None:
        return False
    return found["spec"]["type"] != "LoadBalancer" or bool(found["status"]["loadBalancer"].get("ingress"))
