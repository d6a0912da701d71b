"""What an operator does for MarsJobs: makes what a job needs, and keeps its status. It asks the API for nothing that it was told.

All state is in the objects, so that the next look comes to the same end whatever happened in between: a job's DaskCluster is
made after its other objects, and says of which version of the job they all are.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from marsdask.deploy.kubernetes import names, states
from marsdask.deploy.kubernetes.api import Api, Body, merging
from marsdask.deploy.marsjob.beside import JOB_LABEL
from marsdask.deploy.marsjob.definition import GROUP, KIND, PLURAL, POLICIES, VERSION
from marsdask.deploy.marsjob.job import PREFIX, without_nulls
from marsdask.deploy.marsjob.objects import (
    PLURALS,
    annotations_of,
    certificates,
    create,
    of_job,
    owner_of,
    read,
    secured,
)
from marsdask.deploy.marsjob.operator import MANAGED, dropped, drops, is_kubedl, read_definition
from marsdask.deploy.marsjob.status import (
    CREATED,
    OVER,
    SCHEDULER_POD,
    Action,
    counted,
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
SEEN, DIGEST, UNFIT = f"{PREFIX}seen", f"{PREFIX}digest", f"{PREFIX}unfit"
"""Annotations of the DaskCluster: the version of its job that was looked at, what of it is applied and cannot be changed, and the
version of one that was refused."""
CHANGED = (*POLICIES, "webHost")
"""Fields of a job's spec that take effect when they are changed, beside the replicas of its roles."""
SLOW = 10.0
"""Seconds after which a job that lacks pods has the events of its namespace looked at, as often as that."""
AGAIN = 5.0
"""Seconds after which what the API refused is tried again."""
HEARD = 5.0
"""Seconds in which what was made here has been heard of."""
ASKED = 30.0
"""Seconds for which an answer holds about the definition of MarsJobs, and about KubeDL; jobs left to it are looked at as often."""
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
        self.timers: dict[Key, tuple[float, asyncio.Handle]] = {}  # that have not rung, and when they do
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
        due = loop.time() + seconds
        rings, timer = self.timers.get(key, (math.inf, None))
        if rings <= due:
            return
        if timer is not None:
            timer.cancel()
        self.timers[key] = due, loop.call_later(seconds, self._ring, key)

    def _ring(self, key: Key) -> None:
        # uvloop's timers ring up to a millisecond early: where the time was asked whether one had, 71 of 400 jobs were never
        # looked at again. Nor can all of them be asked for theirs: one of less than half a millisecond is another kind of handle.
        del self.timers[key]
        self.wake(key)

    async def ours(self, job: Body, cluster: Body | None) -> bool:
        """Whether a job is to be kept here: all of them, or those that say so where KubeDL keeps the others."""
        said = annotations_of(job).get(MANAGED)
        if said is not None or cluster is not None or self.adopt_all:
            return said != "false"
        return not await self._asked("kubedl", self._kubedl, ASKED)

    async def look(self, key: Key) -> None:
        """Look at a job once: make what it needs, write what has become of it, do what that asks for."""
        job = self._job(key)
        cluster = None if job is None else await self._cluster(key, job)
        if job is None or job["metadata"].get("deletionTimestamp") or not await self.ours(job, cluster):
            self._forget(key)
            if job is not None and MANAGED not in annotations_of(job):  # nobody tells when KubeDL goes
                self._later(key, ASKED)
            return
        seen = without_refusal(job)
        wanted: list[Body] = []
        noted = annotations_of(cluster) if cluster else {}
        if not over(seen) and noted.get(SEEN) != version_of(job):
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
                noted = {**noted, SEEN: version_of(job), UNFIT: version_of(job)}
                await self._patch(
                    {**CLUSTER, "metadata": cluster["metadata"]}, {"metadata": {"annotations": noted}}
                )
        if noted.get(UNFIT) == version_of(job):  # what is not applied is not kept either
            seen = {**seen, "spec": {k: v for k, v in seen["spec"].items() if k not in POLICIES}}
        drops = (
            ""
            if (seen.get("status") or {}).get("conditions")
            else await self._asked("drops", self._drops, ASKED)
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
            timer[1].cancel()

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

    async def _asked(self, what: str, function: Callable[[], Any], good_for: float) -> Any:
        """What a function says; asked again only after so many seconds, whichever jobs want to know."""
        self.asked = {each: told for each, told in self.asked.items() if told[1] > time.monotonic()}
        if what not in self.asked:
            question = asyncio.ensure_future(asyncio.to_thread(function))
            self.asked[what] = question, time.monotonic() + good_for
        try:
            return await asyncio.shield(self.asked[what][0])
        except MarsDaskError:
            self.asked.pop(what, None)
            raise

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
        if cluster is None and self.world.pods((job["metadata"]["namespace"], job["metadata"]["name"])):
            raise KubernetesError(f"pods of an earlier {job['metadata']['name']} are still there.")
        (wanted_cluster,) = (each for each in wanted if each["kind"] == "DaskCluster")
        groups = [each for each in wanted if each["kind"] == "DaskWorkerGroup"]
        others = [each for each in wanted if each["kind"] not in ("DaskCluster", "DaskWorkerGroup")]
        done = {SEEN: version_of(job)}
        key = job["metadata"]["namespace"], job["metadata"]["name"]
        for each in others:
            await self._create_own(each, owner)
        if cluster is None:
            if secured(job):
                await self._create(await asyncio.to_thread(certificates, key[1], key[0], owner))
            wanted_cluster["metadata"]["annotations"] = {DIGEST: digest(job), **({} if groups else done)}
            made = await self._create_own(wanted_cluster, owner)
            self.made[key] = made, time.monotonic()
        else:
            if annotations_of(cluster).get(DIGEST) != digest(job):
                why = (
                    "only numbers of replicas can be changed; delete the job and apply it again for the rest"
                )
                await self._event(job, "Warning", "NotApplied", f"Not all of the change is applied: {why}.")
            replicas = wanted_cluster["spec"]["worker"]["replicas"]
            if cluster["spec"]["worker"].get("replicas") != replicas:
                await self._patch(wanted_cluster, {"spec": {"worker": {"replicas": replicas}}})
            await self._prune(job, others)
            if not groups:  # there may have been one
                await self._patch(spot_of(job), {"spec": {"worker": {"replicas": 0}}})
        for each in groups:
            await self._create_own(each, owner)
            if cluster is not None:
                replicas = each["spec"]["worker"]["replicas"]
                await self._patch(each, {"spec": {"worker": {"replicas": replicas}}})
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
        ingress = next((each for each in wanted if each["kind"] == "Ingress"), None)
        if ingress is None:
            await self._call(self.api.networking.delete_namespaced_ingress, name, namespace)
        else:
            await self._patch(ingress, {"spec": ingress["spec"]})

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
        return states.warnings_of(of_job(found, job))

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

    async def _create_own(self, wanted: Body, owner: Body) -> Body:
        """Make an object of a job's, or take it if it is there; another's by its name is an error."""
        found = await self._create(wanted) or await asyncio.to_thread(read, self.api, wanted)
        owners = (found or {}).get("metadata", {}).get("ownerReferences") or ()
        if found is None or not any(each["uid"] == owner["uid"] for each in owners):
            metadata = wanted["metadata"]
            raise KubernetesError(
                f"there is a {wanted['kind']} {metadata['name']} already, which is not of this MarsJob."
            )
        return found

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


def version_of(job: Body) -> str:
    """Of what a job asks for: the API server counts changes of its spec, and annotations are no part of that."""
    said = {key: value for key, value in annotations_of(job).items() if key.startswith(PREFIX)}
    return f"{job['metadata'].get('generation', 0)}-{hashed(said)}"


def later(one: Body, other: Body) -> Body:
    """Of two states of an object the later one."""
    return max(one, other, key=lambda each: int(each["metadata"]["resourceVersion"]))


def digest(job: Body) -> str:
    """Of what may not change while a job runs: all of its pods but how many."""
    job = without_nulls(job)

    def fixed(role: Any) -> Any:
        spot = {k: v for k, v in role.get("spotReplicaSpec", {}).items() if k != "spotReplicaNumber"}
        said = {key: value for key, value in role.items() if key not in ("replicas", "spotReplicaSpec")}
        return {**said, "spot": spot}

    spec = {key: value for key, value in job["spec"].items() if key not in CHANGED}
    roles = {key: fixed(role) for key, role in spec.get("marsReplicaSpecs", {}).items()}
    said = {k: v for k, v in annotations_of(job).items() if k.startswith(PREFIX) and k != MANAGED}
    return hashed({**spec, "marsReplicaSpecs": roles, "annotations": said})


def hashed(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def spot_of(job: Body) -> Body:
    """The worker group of a job's spot replicas, as far as a patch has to know it."""
    name, namespace = job["metadata"]["name"], job["metadata"]["namespace"]
    return {
        **CLUSTER,
        "kind": "DaskWorkerGroup",
        "metadata": {"name": f"{name}-spot", "namespace": namespace},
    }


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
