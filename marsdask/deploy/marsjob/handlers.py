"""Loaded by `kopf run`: what the operator hears of MarsJobs, their clusters and pods goes to a `Keeper`.

kopf calls no handler before it has listed all that is indexed here, so that nobody takes a cluster that it has not heard of yet
for one that is gone.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterable, Mapping
from typing import Any

import kopf

from marsdask.deploy.kubernetes import names, owners
from marsdask.deploy.kubernetes.api import Api, Body
from marsdask.deploy.kubernetes.install import established
from marsdask.deploy.marsjob.beside import JOB_LABEL
from marsdask.deploy.marsjob.definition import GROUP, KIND, PLURAL, VERSION
from marsdask.deploy.marsjob.job import PREFIX
from marsdask.deploy.marsjob.keeper import Keeper, Key
from marsdask.deploy.marsjob.operator import ADOPT_ALL, IMAGE, INGRESS_CLASS, read_definition
from marsdask.errors import MarsDaskError

KINDS = (GROUP, VERSION, PLURAL)
OF_A_JOB = {JOB_LABEL: kopf.PRESENT}
COPIES = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "kopf.zalando.org/last-handled-configuration",
)
LOOKED = 60
"""Seconds between looks at what is there, and at the definition of MarsJobs: the only calls where nothing happens."""


class Indexed:
    """What kopf has heard of: its indices, by a job's namespace and name."""

    def __init__(self, jobs: Any, clusters: Any, pods: Any) -> None:
        self.jobs, self.clusters, self.all_pods = jobs, clusters, pods

    def job(self, key: Key) -> Body | None:
        return latest(self.jobs.get(key, ()))

    def cluster(self, key: Key) -> Body | None:
        return latest(self.clusters.get(key, ()))

    def pods(self, key: Key) -> list[Body]:
        return list(self.all_pods.get(key, ()))

    def uids(self) -> set[str]:
        """Of all clusters and pods."""
        stores = (store for index in (self.clusters, self.all_pods) for store in index.values())
        return {each["metadata"]["uid"] for store in stores for each in store}


def latest(found: Iterable[Body]) -> Body | None:
    """Of objects of one name the last that was made: of an earlier one the end may have been missed."""
    return max(found, key=lambda each: str(each["metadata"].get("creationTimestamp")), default=None)


def metadata_of(body: kopf.Body) -> Body:
    """Without the copies of the object that others keep in it, which are most of it."""
    found = {key: value for key, value in body["metadata"].items() if key != "managedFields"}
    annotations = found.get("annotations", {}).items()
    return {**found, "annotations": {key: value for key, value in annotations if key not in COPIES}}


@kopf.index(*KINDS)
async def jobs(namespace: str | None, name: str, body: kopf.Body, **_: Any) -> dict[Key, Body]:
    return {(str(namespace), name): {**body, "metadata": metadata_of(body)}}


@kopf.index(names.GROUP, names.VERSION, "daskclusters", labels=OF_A_JOB)
async def clusters(namespace: str | None, name: str, body: kopf.Body, **_: Any) -> dict[Key, Body]:
    replicas = {"worker": {"replicas": body["spec"]["worker"]["replicas"]}}
    return {(str(namespace), name): {"metadata": metadata_of(body), "spec": replicas}}


@kopf.index("", "v1", "pods", labels=OF_A_JOB)
async def pods(namespace: str | None, labels: kopf.Labels, body: kopf.Body, **_: Any) -> dict[Key, Body]:
    node = body.get("spec", {}).get("nodeName")
    kept = {"metadata": metadata_of(body), "status": dict(body.get("status", {}))}
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
    # As Dask's operator has them. kopf waits 5 minutes for an answer, and looks at nothing of that kind until then.
    settings.networking.request_timeout = 10
    settings.watching.server_timeout, settings.watching.client_timeout = 120, 150
    settings.watching.connect_timeout = 5
    for name in ("kopf.objects", "aiohttp.access"):  # a line for every change of every pod
        logging.getLogger(name).setLevel(logging.WARNING)
    memo.api, memo.kept = Api(), {}
    known = await definition_of(memo.api, logger)
    await owners.known(f"{GROUP}/{VERSION}", [KIND], logger)
    memo.guard = asyncio.create_task(guard(memo, known))


@kopf.on.cleanup()
async def close(memo: kopf.Memo, **_: Any) -> None:
    memo.guard.cancel()
    memo.api.close()


async def definition_of(api: Api, logger: logging.Logger | logging.LoggerAdapter[Any]) -> str:
    """The uid of the definition of MarsJobs, when there is one that the API server serves.

    kopf looks for a kind when a definition comes; where the server does not list it yet at that moment, it never looks again.
    """
    while True:
        found = await asyncio.to_thread(read_definition, api)
        if found is not None and established(found):
            return str(found["metadata"]["uid"])
        logger.info("Waiting: there is no definition of MarsJobs.")
        await asyncio.sleep(owners.PAUSE)


async def guard(memo: kopf.Memo, known: str) -> None:
    """End this process where it cannot hear of what there is: the next one lists all anew.

    That is when the definition is another one, and when something is gone whose end was not heard of: where a watch broke off
    for so long that kopf had to list again, its indices keep what was deleted meanwhile.
    """
    before: set[str] = set()
    while True:
        await asyncio.sleep(LOOKED)
        try:
            found = await asyncio.to_thread(read_definition, memo.api)
            heard = memo.kept["keeper"].world.uids() if memo.kept else set()
            missed = heard - await asyncio.to_thread(there, memo.api) if heard else set()
        except MarsDaskError:  # the API server is away; so is everything else
            continue
        another = found is None or found["metadata"]["uid"] != known
        if another or missed & before:
            why = "the definition of MarsJobs is another one" if another else "ends of pods were not heard of"
            logging.getLogger(__name__).warning("Starting anew: %s.", why)
            os.kill(os.getpid(), signal.SIGTERM)
            return
        before = missed


def there(api: Api) -> set[str]:
    """The uids of all clusters and pods of MarsJobs."""
    pods = api.listed(api.core.list_pod_for_all_namespaces, label_selector=JOB_LABEL)
    return {each["metadata"]["uid"] for each in (*pods, *api.clusters(None, JOB_LABEL))}


def keeper(memo: kopf.Memo, known: Mapping[str, Any]) -> Keeper:
    """The one of this process: kopf copies its memo for each object, and all copies have one dict."""
    if "keeper" not in memo.kept:
        memo.kept["keeper"] = Keeper(
            memo.api,
            Indexed(known["jobs"], known["clusters"], known["pods"]),
            adopt_all=os.environ.get(ADOPT_ALL) == "1",
            image=os.environ.get(IMAGE) or None,
            ingress_class=os.environ.get(INGRESS_CLASS) or None,
        )
    found: Keeper = memo.kept["keeper"]
    return found


@kopf.on.event(*KINDS)
async def job_heard(memo: kopf.Memo, namespace: str | None, name: str, **known: Any) -> None:
    keeper(memo, known).wake((str(namespace), name))


@kopf.on.event(names.GROUP, names.VERSION, "daskclusters", labels=OF_A_JOB)
@kopf.on.event("", "v1", "pods", labels=OF_A_JOB)
async def part_heard(memo: kopf.Memo, namespace: str | None, labels: kopf.Labels, **known: Any) -> None:
    keeper(memo, known).wake((str(namespace), labels[JOB_LABEL]))
