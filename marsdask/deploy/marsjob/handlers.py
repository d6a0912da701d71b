"""Loaded by `kopf run`: what the operator hears of MarsJobs, their clusters and pods goes to a `Keeper`.

kopf calls no handler before it has listed all that is indexed here, so that nobody takes a cluster that it has not heard of yet
for one that is gone.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

import kopf

from marsdask.deploy.kubernetes import names, owners
from marsdask.deploy.kubernetes.api import Api, Body
from marsdask.deploy.marsjob.definition import GROUP, KIND, PLURAL, VERSION
from marsdask.deploy.marsjob.job import PREFIX
from marsdask.deploy.marsjob.keeper import Keeper, Key
from marsdask.deploy.marsjob.operator import ADOPT_ALL, IMAGE, INGRESS_CLASS
from marsdask.deploy.marsjob.translate import JOB_LABEL

KINDS = (GROUP, VERSION, PLURAL)
OF_A_JOB = {JOB_LABEL: kopf.PRESENT}
KEPT_OF_PODS = ("metadata", "status")
WATCHED = 600
"""Seconds after which the API server is asked for news anew: a connection that something between has forgotten tells nothing."""


class Indexed:
    """What kopf has heard of: its indices, by a job's namespace and name."""

    def __init__(self, jobs: Any, clusters: Any, pods: Any) -> None:
        self.jobs, self.clusters, self.all_pods = jobs, clusters, pods

    def job(self, key: Key) -> Body | None:
        return next(iter(self.jobs.get(key, ())), None)

    def cluster(self, key: Key) -> Body | None:
        return next(iter(self.clusters.get(key, ())), None)

    def pods(self, key: Key) -> list[Body]:
        return list(self.all_pods.get(key, ()))


@kopf.index(*KINDS)
async def jobs(namespace: str | None, name: str, body: kopf.Body, **_: Any) -> dict[Key, Body]:
    return {(str(namespace), name): dict(body)}


@kopf.index(names.GROUP, names.VERSION, "daskclusters", labels=OF_A_JOB)
async def clusters(namespace: str | None, name: str, body: kopf.Body, **_: Any) -> dict[Key, Body]:
    return {(str(namespace), name): dict(body)}


@kopf.index("", "v1", "pods", labels=OF_A_JOB)
async def pods(namespace: str | None, labels: kopf.Labels, body: kopf.Body, **_: Any) -> dict[Key, Body]:
    kept = {part: dict(body.get(part, {})) for part in KEPT_OF_PODS}
    kept["metadata"].pop("managedFields", None)
    node = body.get("spec", {}).get("nodeName")
    return {(str(namespace), labels[JOB_LABEL]): kept | {"spec": {"nodeName": node} if node else {}}}


@kopf.on.startup()
async def configure(
    settings: kopf.OperatorSettings,
    memo: kopf.Memo,
    logger: logging.Logger | logging.LoggerAdapter[Any],
    **_: Any,
) -> None:
    """No finalizers, no annotations of kopf's: all state is ours, and in the objects.

    A finalizer of this name nobody has; by kopf's own one, which Dask's operator has put on its clusters, kopf here would take it
    for left over and remove it, for ever.
    """
    settings.posting.enabled = False
    settings.persistence.finalizer = f"{PREFIX}unused"
    settings.watching.server_timeout = WATCHED
    for name in ("kopf.objects", "aiohttp.access"):  # a line for every change of every pod
        logging.getLogger(name).setLevel(logging.WARNING)
    await owners.known(f"{GROUP}/{VERSION}", [KIND], logger)
    memo.api = Api()


@kopf.on.cleanup()
async def close(memo: kopf.Memo, **_: Any) -> None:
    memo.api.close()


def keeper(memo: kopf.Memo, known: Mapping[str, Any]) -> Keeper:
    """The one of this process."""
    if "keeper" not in memo:
        memo.keeper = Keeper(
            memo.api,
            Indexed(known["jobs"], known["clusters"], known["pods"]),
            adopt_all=os.environ.get(ADOPT_ALL) == "1",
            image=os.environ.get(IMAGE) or None,
            ingress_class=os.environ.get(INGRESS_CLASS) or None,
        )
    found: Keeper = memo.keeper
    return found


@kopf.on.event(*KINDS)
async def job_heard(memo: kopf.Memo, namespace: str | None, name: str, **known: Any) -> None:
    keeper(memo, known).wake((str(namespace), name))


@kopf.on.event(names.GROUP, names.VERSION, "daskclusters", labels=OF_A_JOB)
@kopf.on.event("", "v1", "pods", labels=OF_A_JOB)
async def part_heard(memo: kopf.Memo, namespace: str | None, labels: kopf.Labels, **known: Any) -> None:
    keeper(memo, known).wake((str(namespace), labels[JOB_LABEL]))
