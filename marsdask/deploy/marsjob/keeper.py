"""What an operator does for MarsJobs: makes what a job needs, and keeps its status. It asks the API for nothing that it was told.

All state is in the objects, so that the next look comes to the same end whatever happened in between: a job's DaskCluster is
made after its other objects, and says of which generation of the job they all are.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from marsdask.deploy.kubernetes import names, states
from marsdask.deploy.kubernetes.api import Api, Body, merging
from marsdask.deploy.marsjob.beside import JOB_LABEL
from marsdask.deploy.marsjob.definition import GROUP, KIND, PLURAL, SCHEDULER, VERSION
from marsdask.deploy.marsjob.job import PREFIX
from marsdask.deploy.marsjob.objects import PLURALS, annotations_of, certificates, create, owner_of, secured
from marsdask.deploy.marsjob.operator import MANAGED, dropped, drops, is_kubedl, read_definition
from marsdask.deploy.marsjob.status import (
    CREATED,
    OVER,
    SCHEDULER_POD,
    Action,
    moment,
    next_status,
    refused,
    told,
    without_refusal,
)
from marsdask.deploy.marsjob.translate import translate
from marsdask.errors import JobRefused, KubernetesError, MarsDaskError

Key = tuple[str, str]
"""Namespace and name of a job."""
GENERATION, DIGEST = f"{PREFIX}generation", f"{PREFIX}digest"
"""Annotations of the DaskCluster: of which generation of its job the objects are, and what does not change with replicas."""
SLOW = 10.0
"""Seconds after which a job that lacks pods has the events of its namespace looked at, as often as that."""
AGAIN = 5.0
"""Seconds after which what the API refused is tried again."""
HEARD = 5.0
"""Seconds in which what was made here has been heard of."""
ASKED = 30.0
"""Seconds for which an answer holds about the definition of MarsJobs, and about KubeDL."""
CLUSTER = {"apiVersion": f"{names.GROUP}/{names.VERSION}", "kind": "DaskCluster"}
log = logging.getLogger("marsdask.marsjobs")


class World(Protocol):
    """What is there, as an operator hears of it."""

    def job(self, key: Key) -> Body | None: ...

    def cluster(self, key: Key) -> Body | None: ...

    def pods(self, key: Key) -> list[Body]: ...


def present() -> datetime:
    return datetime.now(UTC)


class Keeper:
    """Keeps the jobs of a Kubernetes cluster; `wake` is called whenever something of a job may have changed."""

    def __init__(
        self,
        api: Api,
        world: World,
        *,
        adopt_all: bool,
        now: Callable[[], datetime] = present,
        **how: Any,
    ) -> None:
        self.api, self.world, self.adopt_all, self.now, self.how = api, world, adopt_all, now, how
        self.dirty: set[Key] = set()
        self.tasks: dict[Key, asyncio.Task[None]] = {}
        self.timers: dict[Key, asyncio.TimerHandle] = {}
        self.refused: dict[Key, str] = {}  # what the API said last where it did not do what a job needs
        self.written: dict[
            Key, Body
        ] = {}  # jobs as they are after the last write, which may not have been heard of
        self.made: dict[Key, tuple[Body, float]] = {}  # clusters, and when they were made
        self.asked: dict[str, tuple[Any, float]] = {}  # answers, and until when they are good

    def wake(self, key: Key) -> None:
        """Look at a job soon; while somebody is at it already, once more afterwards."""
        self.dirty.add(key)
        if key not in self.tasks:
            self.tasks[key] = asyncio.get_running_loop().create_task(self._keep(key))

    async def _keep(self, key: Key) -> None:
        try:
            while key in self.dirty:
                self.dirty.discard(key)
                try:
                    await self.look(key)
                except MarsDaskError as error:
                    log.warning("MarsJob %s/%s: %s", *key, error)
                    self.refused[key] = str(error)
                    self._later(key, AGAIN)
                except Exception:  # a defect that one job meets is no reason to leave the others
                    log.exception("MarsJob %s/%s", *key)
                    self._later(key, AGAIN)
        finally:
            del self.tasks[key]
            if key in self.dirty:
                self.wake(key)

    def _later(self, key: Key, seconds: float) -> None:
        """Wake it then, unless it is woken before."""
        loop = asyncio.get_running_loop()
        timer = self.timers.get(key)
        if (
            timer is not None
            and not timer.cancelled()
            and loop.time() < timer.when() <= loop.time() + seconds
        ):
            return
        if timer is not None:
            timer.cancel()
        self.timers[key] = loop.call_later(seconds, self.wake, key)

    async def ours(self, job: Body, cluster: Body | None) -> bool:
        """Whether a job is to be kept here: all of them, or those that say so where KubeDL keeps the others."""
        said = annotations_of(job).get(MANAGED)
        if said is not None or cluster is not None or self.adopt_all:
            return said != "false"
        return not await self._asked("kubedl", self._kubedl)

    async def look(self, key: Key) -> None:
        """Look at a job once: make what it needs, write what has become of it, do what that asks for."""
        job = self._job(key)
        cluster = None if job is None else await self._cluster(key, job)
        if job is None or job["metadata"].get("deletionTimestamp") or not await self.ours(job, cluster):
            self._forget(key)
            return
        seen = without_refusal(job)
        wanted: list[Body] = []
        if not over(seen) and (cluster is None or annotations_of(cluster).get(GENERATION) != generation(job)):
            try:
                wanted = (await asyncio.to_thread(translate, job, **self.how)).objects
            except JobRefused as error:
                if cluster is None:
                    status, actions = refused(job, str(error), self.now())
                    await self._tell(job, status, actions)
                    for action in actions:
                        await self._do(job, action)
                    return
                await self._event(job, "Warning", "NotApplied", f"The change is not applied: {error}")
                await self._patch(
                    {**CLUSTER, "metadata": cluster["metadata"]},
                    {"metadata": {"annotations": {GENERATION: generation(job)}}},
                )
        drops = (
            "" if (seen.get("status") or {}).get("conditions") else await self._asked("drops", self._drops)
        )
        status, actions = next_status(
            seen,
            cluster,
            [each for each in self.world.pods(key) if cluster is not None],
            self.now(),
            await self._warnings(key, seen, cluster),
            drops,
        )
        await self._tell(job, status, actions)
        if wanted and not over({"status": status}):
            await self._apply(job, cluster, wanted)
        self.refused.pop(key, None)
        for action in actions:
            await self._do(job, action)

    def _forget(self, key: Key) -> None:
        for each in (self.refused, self.written, self.made):
            each.pop(key, None)
        if timer := self.timers.pop(key, None):
            timer.cancel()

    def _job(self, key: Key) -> Body | None:
        """The job as it was heard of or as it was written, whichever is later."""
        heard, mine = self.world.job(key), self.written.get(key)
        if heard is None or mine is None or heard["metadata"]["uid"] != mine["metadata"]["uid"]:
            return heard
        return later(heard, mine)

    async def _cluster(self, key: Key, job: Body) -> Body | None:
        """The job's own cluster: as it was heard of, or just made or changed."""
        heard, (mine, when) = self.world.cluster(key), self.made.get(key, (None, 0.0))
        if heard is None and mine is not None and time.monotonic() < when + HEARD:
            self._later(key, HEARD)
            heard = mine
        elif (
            heard is None and counted(job) and not over(job)
        ):  # what is heard may be late; an end is for ever
            heard = await asyncio.to_thread(self.api.get, "daskclusters", *key)
        elif heard is not None and mine is not None and heard["metadata"]["uid"] == mine["metadata"]["uid"]:
            heard = later(heard, mine)
        owners = ((heard or {}).get("metadata", {}).get("ownerReferences")) or ()
        return heard if any(each["uid"] == job["metadata"]["uid"] for each in owners) else None

    async def _asked(self, what: str, function: Callable[[], Any], good_for: float = ASKED) -> Any:
        """What a function says; asked again only after so many seconds, whichever job wants to know."""
        self.asked = {each: told for each, told in self.asked.items() if told[1] > time.monotonic()}
        if what not in self.asked:
            self.asked[what] = await asyncio.to_thread(function), time.monotonic() + good_for
        return self.asked[what][0]

    def _kubedl(self) -> bool:
        return any(map(is_kubedl, self.api.listed(self.api.apps.list_deployment_for_all_namespaces)))

    def _drops(self) -> str:
        found = read_definition(self.api)
        return drops(dropped(found)) if found else ""

    # What a job needs

    async def _apply(self, job: Body, cluster: Body | None, wanted: Sequence[Body]) -> None:
        """Make what is not there yet; of what is, change how many there are, and nothing else."""
        owner = owner_of(job)
        for each in wanted:
            each["metadata"]["ownerReferences"] = [owner]
        (wanted_cluster,) = (each for each in wanted if each["kind"] == "DaskCluster")
        groups = [each for each in wanted if each["kind"] == "DaskWorkerGroup"]
        others = [each for each in wanted if each["kind"] not in ("DaskCluster", "DaskWorkerGroup")]
        done = {GENERATION: generation(job)}
        key = job["metadata"]["namespace"], job["metadata"]["name"]
        for each in others:
            await self._create(each)
        if cluster is None:
            if secured(job):
                await self._create(await asyncio.to_thread(certificates, key[1], key[0], owner))
            wanted_cluster["metadata"]["annotations"] = {DIGEST: digest(wanted), **({} if groups else done)}
            made = await self._create(wanted_cluster)
            if made is None:
                raise KubernetesError(f"a DaskCluster {key[1]} is there already, and not of this MarsJob.")
            self.made[key] = made, time.monotonic()
        else:
            if annotations_of(cluster).get(DIGEST) != digest(wanted):
                why = (
                    "only numbers of replicas can be changed; delete the job and apply it again for the rest"
                )
                await self._event(job, "Warning", "NotApplied", f"Not all of the change is applied: {why}.")
            replicas = wanted_cluster["spec"]["worker"]["replicas"]
            if cluster["spec"]["worker"].get("replicas") != replicas:
                await self._patch(wanted_cluster, {"spec": {"worker": {"replicas": replicas}}})
            await self._prune(job, others)
        for each in groups:
            if await self._create(each) is None:
                await self._patch(
                    each, {"spec": {"worker": {"replicas": each["spec"]["worker"]["replicas"]}}}
                )
        if cluster is not None or groups:
            await self._patch(wanted_cluster, {"metadata": {"annotations": done}})

    async def _prune(self, job: Body, wanted: Sequence[Body]) -> None:
        """Remove Services of web replicas that are not wanted any more, and renew the paths that lead to them."""
        namespace, name = job["metadata"]["namespace"], job["metadata"]["name"]
        keep = {each["metadata"]["name"] for each in wanted if each["kind"] == "Service"}
        there = await asyncio.to_thread(self.api.services, namespace, f"{JOB_LABEL}={name}")
        for each in there:
            service = each["metadata"]["name"]
            if service.startswith(f"{name}-webservice-") and service not in keep:
                await self._call(self.api.core.delete_namespaced_service, service, namespace)
        for each in wanted:
            if each["kind"] == "Ingress":
                await self._patch(each, {"spec": each["spec"]})

    # What becomes of it

    async def _warnings(self, key: Key, job: Body, cluster: Body | None) -> list[str]:
        """What Kubernetes warns of where a job lacks pods, asked for only then; what the API said to us comes first."""
        if key in self.refused:
            return [f"FailedCreate: {self.refused[key]}"]
        conditions = (job.get("status") or {}).get("conditions") or ()
        if cluster is None or not conditions or conditions[-1]["type"] != CREATED:
            return []
        if len(self.world.pods(key)) > int(cluster["spec"]["worker"]["replicas"]):
            return []  # the scheduler's, too: they say themselves what they wait for
        self._later(key, SLOW)
        if (self.now() - moment(conditions[0]["lastTransitionTime"])).total_seconds() < SLOW:
            return []
        found = await self._asked(f"events of {key[0]}", partial(self.api.warnings, key[0]), SLOW)
        return states.warnings_of(
            each for each in found if str(each["involvedObject"].get("name", "")).startswith(key[1])
        )

    async def _tell(self, job: Body, status: Body, actions: Sequence[Action]) -> None:
        """Write a job's status where it is another one, and post the events."""
        change = difference(job.get("status") or {}, status)
        if change:
            function = self.api.custom.patch_namespaced_custom_object_status
            where = job["metadata"]["namespace"], PLURAL, job["metadata"]["name"]
            patched = await self._call(
                function, GROUP, VERSION, *where, {"status": change}, **merging(function)
            )
            if patched:
                self.written[where[0], where[2]] = patched
        for action in actions:
            if action[0] == "event":
                await self._event(job, *action[1:])

    async def _do(self, job: Body, action: Action) -> None:
        namespace, name = key = job["metadata"]["namespace"], job["metadata"]["name"]
        match action:
            case ("delete-cluster",):
                await asyncio.to_thread(self.api.deleted, "daskclusters", namespace, name)
            case ("delete-job",):
                function = self.api.custom.delete_namespaced_custom_object
                await self._call(function, GROUP, VERSION, namespace, PLURAL, name)
            case ("again", seconds):
                self._later(key, seconds)
            case ("remember", uid):
                patch = {"metadata": {"annotations": {SCHEDULER_POD: uid}}}
                await self._patch({**CLUSTER, "metadata": {"namespace": namespace, "name": name}}, patch)

    async def _event(self, job: Body, kind: str, reason: str, message: str) -> None:
        metadata, now = job["metadata"], told(self.now())
        event = {
            "metadata": {"generateName": f"{metadata['name']}-", "namespace": metadata["namespace"]},
            "involvedObject": {
                "apiVersion": job["apiVersion"],
                "kind": KIND,
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "uid": metadata["uid"],
            },
            "type": kind,
            "reason": reason,
            "message": message[:1024],  # the most that the server takes
            "source": {"component": "marsjob-operator"},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        try:
            await self._call(self.api.core.create_namespaced_event, metadata["namespace"], event)
        except KubernetesError as error:  # the condition says the same, and stays
            log.info("MarsJob %s/%s: %s", metadata["namespace"], metadata["name"], error)

    # Calls

    async def _create(self, wanted: Body) -> Body | None:
        """What was made; None where it was there before."""
        return await asyncio.to_thread(create, self.api, wanted)

    async def _patch(self, there: Body, patch: Body) -> Body | None:
        group, _, version = there["apiVersion"].partition("/")
        metadata, function = there["metadata"], self.api.custom.patch_namespaced_custom_object
        where = group, version, metadata["namespace"], PLURALS[there["kind"]], metadata["name"]
        patched = await self._call(function, *where, patch, **merging(function))
        if patched is not None and there["kind"] == "DaskCluster":
            self.made[metadata["namespace"], metadata["name"]] = patched, time.monotonic()
        return patched

    async def _call(self, function: Any, *args: Any, **kwargs: Any) -> Body | None:
        return await asyncio.to_thread(self.api.call, function, *args, **kwargs)


def over(job: Mapping[str, Any]) -> bool:
    """Whether a job has come to its end."""
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(c["type"] in OVER and c["status"] == "True" for c in conditions)


def generation(job: Body) -> str:
    """What the API server counts up with every change of a job's spec."""
    return str(job["metadata"].get("generation", 0))


def counted(job: Body) -> bool:
    """Whether the pods of a job's cluster have been counted in its status: it had one."""
    return SCHEDULER in ((job.get("status") or {}).get("replicaStatuses") or {})


def later(one: Body, other: Body) -> Body:
    """Of two states of an object the later one."""
    return max(one, other, key=lambda each: int(each["metadata"]["resourceVersion"]))


def digest(objects: Sequence[Body]) -> str:
    """Of what may not change while a job runs: all of its pods but how many."""

    def fixed(each: Body) -> Any:
        spec = each["spec"]
        return {**spec, "worker": {**spec["worker"], "replicas": 0}}

    pods = [fixed(each) for each in objects if each["kind"] == "DaskCluster"]
    return hashlib.sha256(json.dumps(pods, sort_keys=True).encode()).hexdigest()[:16]


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> Body:
    """The merge patch that makes `new` of `old`.

    >>> difference({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1}, "e": []})
    {'a': {'c': None}, 'd': None, 'e': []}
    """
    changed: Body = {}
    for key in (*old, *(key for key in new if key not in old)):
        if key not in new:
            changed[key] = None
        elif isinstance(old.get(key), Mapping) and isinstance(new[key], Mapping):
            if below := difference(old[key], new[key]):
                changed[key] = below
        elif key not in old or old[key] != new[key]:
            changed[key] = new[key]
    return changed
