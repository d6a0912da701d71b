"""Loaded by the operator beside dask-kubernetes's own handlers, for what these miss."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing
from typing import Any

import kopf
import kr8s.asyncio

from marsdask.deploy.kubernetes import owners
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.names import (
    DEFAULT_GROUP,
    GROUP,
    VERSION,
    WEB,
    group_of,
    own_service,
    worker_group,
)
from marsdask.deploy.kubernetes.specs import token_in

FINALIZER = kopf.OperatorSettings().persistence.finalizer
"""What kopf puts on a cluster, so that it is not gone before kopf has been heard."""
OWNERS = ("DaskCluster", "DaskJob", "DaskWorkerGroup")
SILENT = 90
"""Seconds without a change after which nobody is at work: kopf tries again what failed 60 s later, and an attempt takes its time."""


@kopf.on.startup()
async def told(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Post as events of a cluster what fails on the way to it, which kopf else keeps to its log.

    No warnings: there is one every 5 s for a cluster with an idle timeout whose scheduler does not answer.
    """
    settings.posting.loggers, settings.posting.level = True, logging.ERROR


@kopf.on.startup()
async def unharmed(logger: logging.Logger | logging.LoggerAdapter[Any], **_: Any) -> None:
    """Let what the API server refuses to one handler harm no other one.

    On 401 and 403 kr8s makes its session anew, and closes the old one under the requests that other handlers wait for: each of them
    ends in a ReadError, and is tried again 60 s later. A quota in one namespace so held up the clusters of all others. Here the old
    session is let go instead; the garbage collector closes it after the last of its requests.
    """
    create = getattr(kr8s.asyncio.Api, "_create_session", None)
    if create is None:
        logger.warning(
            "This kr8s makes its sessions otherwise: a request that is refused may end others that are on their way."
        )
        return

    async def create_session(self: Any) -> None:
        self._session = None
        await create(self)

    kr8s.asyncio.Api._create_session = create_session  # type: ignore[method-assign]


_tokens: dict[tuple[str | None, str], str] = {}
"""By which the schedulers of clusters answer, by namespace and Service."""


@kopf.on.event(f"daskclusters.{GROUP}")
async def heard(type: str | None, name: str, namespace: str | None, spec: kopf.Spec, **_: Any) -> None:
    token = None if type == "DELETED" else token_in(spec)
    place = namespace, own_service(name)
    if token is None:
        _tokens.pop(place, None)
    else:
        _tokens[place] = token


@kopf.on.startup()
async def asking(logger: logging.Logger | logging.LoggerAdapter[Any], **_: Any) -> None:
    """Have dask-kubernetes bring these tokens where it asks by HTTP: as a password in the address, which is all it takes from there."""
    from dask_kubernetes.operator.controller import (
        controller,  # there already, beside kopf; elsewhere it would write files
    )

    address = getattr(controller, "get_scheduler_address", None)
    if address is None:
        logger.warning(
            "This dask-kubernetes finds schedulers otherwise: it is not answered by those of new_cluster, and chooses workers that "
            "go without them."
        )
        return

    async def with_token(service: str, namespace: str, port_name: str = "tcp-comm", **kwargs: Any) -> str:
        found = str(await address(service, namespace, port_name=port_name, **kwargs))
        token = _tokens.get((namespace, service)) if port_name == WEB else None
        return found if token is None else found.replace("://", f"://operator:{token}@", 1)

    controller.get_scheduler_address = with_token


@kopf.on.startup()
async def enough(logger: logging.Logger | logging.LoggerAdapter[Any], **_: Any) -> None:
    """Have as many workers go as a smaller group wants, also of those that have not registered yet.

    Dask's scheduler chooses among those it knows, none of a group that has just grown; dask-kubernetes takes that for its choice, and
    the group stays larger than it says. With an autoscaler fewer may be meant: work has come since.
    """
    from dask_kubernetes.operator.controller import controller

    retire = getattr(controller, "retire_workers", None)
    if retire is None:
        logger.warning(
            "This dask-kubernetes retires workers otherwise: a group may stay larger than it says."
        )
        return

    async def retired(
        n_workers: int, scheduler_service_name: str, worker_group_name: str, **more: Any
    ) -> list[str]:
        where = {"scheduler_service_name": scheduler_service_name, "worker_group_name": worker_group_name}
        named = await retire(n_workers=n_workers, **where, **more)
        # A size that `kubectl scale` has set is not known to the scheduler, which may choose from another group.
        chosen = [each for each in named if group_of(each) == worker_group_name]
        missing = n_workers - len(chosen)
        if missing > 0:
            place = more["namespace"], worker_group_name
            chosen += (await asyncio.to_thread(made_last, *place, without=chosen))[:missing]
        return chosen

    controller.retire_workers = retired


def made_last(namespace: str, group: str, *, without: list[str]) -> list[str]:
    """A group's workers, the youngest first; none where an autoscaler says how many there are."""
    with closing(Api()) as api:
        if any(
            worker_group(each["spec"]["cluster"], DEFAULT_GROUP) == group
            for each in api.resources("daskautoscalers", namespace)
        ):
            return []
        label = f"dask.org/workergroup-name={group}"
        found = api.listed(api.apps.list_namespaced_deployment, namespace, label_selector=label)
    found.sort(key=lambda each: str(each["metadata"]["creationTimestamp"]), reverse=True)
    return [name for each in found if (name := each["metadata"]["name"]) not in without]


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


@kopf.on.event(f"daskclusters.{GROUP}")
async def let_go(meta: kopf.Meta, patch: kopf.Patch, **_: Any) -> None:
    """Let go of a cluster that is deleted: the parts that it has are owned by it, and go with it.

    kopf calls the handlers of changes once more before, and waits until they succeed. Where a part could not be made, it never can be
    in a namespace that ends, or under a quota: the cluster, and its namespace, would stay for ever.
    """
    finalizers = meta.get("finalizers", ())
    if meta.get("deletionTimestamp") and FINALIZER in finalizers:
        patch.metadata["finalizers"] = [each for each in finalizers if each != FINALIZER]


@kopf.index(f"daskworkergroups.{GROUP}")
async def groups(name: str, namespace: str | None, **_: Any) -> dict[tuple[str | None, str], None]:
    """Which there are, so that where all are nobody asks the API server."""
    return {(namespace, name): None}


def incomplete(status: kopf.Status, **_: Any) -> bool:
    """Whether a cluster may be one that nothing makes complete."""
    return status.get("phase") in (None, "Running")


@kopf.timer(f"daskclusters.{GROUP}", when=incomplete, initial_delay=10, interval=30)
async def complete(
    name: str, namespace: str | None, status: kopf.Status, patch: kopf.Patch, **known: Any
) -> None:
    """Have the parts made of a cluster that has no phase, and of one that lacks its worker group.

    dask-kubernetes makes all parts when it hears of the phase Created. It sets that when kopf tells it of the cluster, which kopf never
    does if the answer to its own first change, the finalizer, was lost: asked again, the API server refuses the change, and the event
    by which kopf would go on is taken to be that of the change that is left, of which nothing is left.

    Where one of the parts fails, kopf tries again 60 s later, but not if the Service, made before, has set the phase to Running
    meanwhile: the workers would never come. It is looked at again and again, as a phase that comes back while a handler waits is no
    change for kopf, and no handler of changes is called.
    """
    assert namespace is not None
    group = worker_group(name, DEFAULT_GROUP)
    heard = (namespace, group) in known["groups"]
    if status.get("phase") is None or not (heard or await asyncio.to_thread(grouped, namespace, group)):
        patch.status["phase"] = "Created"


@kopf.timer(f"daskclusters.{GROUP}", field="status.phase", value="Created", idle=SILENT, interval=SILENT)
async def forgotten(name: str, logger: logging.Logger | logging.LoggerAdapter[Any], **known: Any) -> None:
    """Make the parts of a cluster that stays Created, as dask-kubernetes would if kopf told it of that.

    kopf goes on with an object at its next event, and a cluster that waits for its parts has none. So it is left for ever where the
    event was spent: its own change of the object was given up after all attempts, or a request of the handler is never answered (those
    of kr8s end after no time). To change the object once more would do for the first, not for the second. A part that is there already
    is left as it is.
    """
    from dask_kubernetes.operator.controller import controller

    logger.info(f"{name} has been Created for {SILENT} s without a change: its parts are made now.")
    await controller.daskcluster_create_components(name=name, logger=logger, **known)


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
