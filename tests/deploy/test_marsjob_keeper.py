"""The operator of MarsJobs against a server that is a table: killed before and after each of its writes it comes to the same end."""

import asyncio
import copy
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import uvloop
import yaml

from marsdask.deploy.marsjob import keeper as keeping
from marsdask.deploy.marsjob.definition import definition
from marsdask.deploy.marsjob.keeper import Keeper, difference
from marsdask.deploy.marsjob.status import expiry, told
from marsdask.errors import KubernetesError

pytestmark = pytest.mark.once

TUTORIAL = yaml.safe_load((Path(__file__).parent / "jobs" / "tutorial.yaml").read_text())
KEY = ("default", "mars-test-demo")
KINDS = {
    "marsjobs": "MarsJob",
    "daskclusters": "DaskCluster",
    "daskworkergroups": "DaskWorkerGroup",
    "networkpolicies": "NetworkPolicy",
    "ingresses": "Ingress",
}


class KilledError(BaseException):
    """The operator is no more."""


class Server:
    """An API server and its garbage collector; also what an operator hears of it, at once."""

    def __init__(self, kill_at: int | None = None, *, after: bool = False):
        self.objects: dict[tuple[str, str], dict] = {}
        self.pods_there: list[dict] = []
        self.deployments: list[dict] = []
        self.writes: list[tuple[str, ...]] = []
        self.events_made: list[dict] = []
        self.kill_at, self.after, self.version = kill_at, after, 0
        self.core = self.custom = self.apps = self.networking = self
        self.client = None

    # What a Keeper calls

    def call(self, function, *args, **kwargs):
        return function(*args, **kwargs)

    listed = call

    def _written(self, *what: str) -> bool:
        """Note a write; whether the operator is killed at it."""
        self.writes.append(what)
        return len(self.writes) - 1 == self.kill_at

    def _write(self, change, *what: str):
        killed = self._written(*what)
        if killed and not self.after:
            raise KilledError
        try:
            return copy.deepcopy(change())
        finally:
            if killed:
                raise KilledError

    def _touched(self, body: dict) -> dict:
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        return body

    def _create(self, kind: str, body: dict):
        key = kind, body["metadata"]["name"]

        def change() -> dict:
            if key in self.objects:
                raise KubernetesError(f"{key[1]} already exists")
            made = copy.deepcopy(body)
            made["metadata"]["uid"] = f"uid-{self.version}"
            self.objects[key] = made
            return self._touched(made)

        return self._write(change, "create", *key)

    def create_namespaced_service(self, namespace, body):
        return self._create("Service", body)

    def create_namespaced_secret(self, namespace, body):
        return self._create("Secret", body)

    def create_namespaced_custom_object(self, group, version, namespace, plural, body):
        return self._create(KINDS[plural], body)

    def create_namespaced_event(self, namespace, body):
        self.events_made.append(body)

    def _patch(self, plural: str, name: str, patch: dict, *, status: bool = False):
        key = KINDS[plural], name

        def change() -> dict | None:
            found = self.objects.get(key)
            if found is None:
                return None
            if not status and "spec" in patch and merge(found["spec"], patch["spec"]) != found["spec"]:
                found["metadata"]["generation"] = found["metadata"].get("generation", 1) + 1
            self.objects[key] = self._touched(merge(found, patch))
            return self.objects[key]

        return self._write(change, "patch", *key)

    def patch_namespaced_custom_object(self, group, version, namespace, plural, name, patch, **_):
        return self._patch(plural, name, patch)

    def patch_namespaced_custom_object_status(self, group, version, namespace, plural, name, patch, **_):
        return self._patch(plural, name, patch, status=True)

    def patched(self, plural, namespace, name, patch):
        return self._patch(plural, name, patch)

    def _delete(self, kind: str, name: str):
        def change() -> dict | None:
            gone = self.objects.pop((kind, name), None)
            if gone is None:
                return None
            if kind == "DaskCluster":
                self.pods_there = []
            for key, each in list(self.objects.items()):
                owners = each["metadata"].get("ownerReferences", ())
                if any(owner["uid"] == gone["metadata"]["uid"] for owner in owners) and key in self.objects:
                    del self.objects[key]
                    self.pods_there = [] if key[0] == "DaskCluster" else self.pods_there
            return gone

        return self._write(change, "delete", kind, name)

    def service(self, namespace, name):
        return copy.deepcopy(self.objects.get(("Service", name)))

    def get_namespaced_custom_object(self, group, version, namespace, plural, name):
        return self.get(plural, namespace, name)

    def delete_namespaced_ingress(self, name, namespace):
        return self._delete("Ingress", name)

    def get(self, plural, namespace, name):
        return copy.deepcopy(self.objects.get((KINDS[plural], name)))

    def deleted(self, plural, namespace, name):
        return self._delete(KINDS[plural], name) is not None

    def delete_namespaced_custom_object(self, group, version, namespace, plural, name):
        return self._delete(KINDS[plural], name)

    def delete_namespaced_service(self, name, namespace):
        return self._delete("Service", name)

    def services(self, namespace, selector):
        return [copy.deepcopy(each) for (kind, _), each in self.objects.items() if kind == "Service"]

    def list_deployment_for_all_namespaces(self):
        return self.deployments

    def warnings(self, namespace):
        return []

    # What it hears

    def job(self, key):
        return copy.deepcopy(self.objects.get(("MarsJob", key[1])))

    def cluster(self, key):
        return copy.deepcopy(self.objects.get(("DaskCluster", key[1])))

    def pods(self, key):
        return copy.deepcopy(self.pods_there)

    # What happens in the cluster

    def applied(self, job: dict) -> None:
        made = copy.deepcopy(job)
        made.pop("status", None)
        made["metadata"] |= {"uid": "job", "generation": 1, "namespace": KEY[0]}
        self.objects["MarsJob", KEY[1]] = self._touched(made)

    def changed(self, patch: dict) -> None:
        found = merge(self.objects["MarsJob", KEY[1]], {"spec": patch})
        found["metadata"]["generation"] += 1
        self.objects["MarsJob", KEY[1]] = self._touched(found)

    def snapshot(self) -> dict:
        """What is there, without what differs from run to run."""
        found = {}
        for key, each in self.objects.items():
            body = copy.deepcopy(each)
            for name in ("resourceVersion", "uid"):
                body["metadata"].pop(name, None)
            body["metadata"].pop("ownerReferences", None)
            found["/".join(key)] = body
        return json.loads(json.dumps(found, sort_keys=True))


def merge(found, patch):
    """A merge patch as the API server applies it."""
    if not isinstance(found, dict) or not isinstance(patch, dict):
        return copy.deepcopy(patch)
    made = copy.deepcopy(found)
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
        else:
            made[key] = merge(made.get(key, {}), value)
    return made


class Operator:
    """Operators one after another, on one server."""

    def __init__(self, server: Server, **how):
        self.server, self.how = server, {"adopt_all": False, "image": "marsdask/marsdask:v1"} | how
        self.time = datetime(2026, 1, 1, tzinfo=UTC)
        self.killed = 0

    async def settle(self) -> dict:
        """Look until nothing is left to do; who was killed is followed by another one."""
        keeper = self.started()
        for _ in range(20):
            before = len(self.server.writes)
            try:
                await keeper.look(KEY)
            except KilledError:
                self.killed += 1
                keeper = self.started()
                continue
            if len(self.server.writes) == before:
                break
        else:
            raise AssertionError(f"it does not come to rest: {self.server.writes[-10:]}")
        keeper._forget(KEY)
        return self.server.snapshot()

    def started(self) -> Keeper:
        keeper = Keeper(self.server, self.server, now=lambda: self.time, **self.how)
        keeper._drops = lambda: ""  # the definition is ours
        return keeper


def pod(
    role: str, *, ready: bool = True, uid: str = "", ended: dict | None = None, restarts: int = 0
) -> dict:
    container = {"name": "mars", "ready": ready, "restartCount": restarts, "state": {"running": {}}}
    if ended:
        container |= {"state": {"terminated": ended}}
    return {
        "metadata": {"name": f"{role}-{uid}", "uid": f"{role}-{uid}", "labels": {"dask.org/component": role}},
        "spec": {"nodeName": "node"},
        "status": {
            "phase": "Running",
            "containerStatuses": [container],
            "conditions": [{"type": "Ready", "status": str(ready)}],
        },
    }


async def life(server: Server, job: dict) -> tuple[list[dict], int]:
    """A job's life: what is there after each step, and how often an operator was killed."""
    operator = Operator(server)
    seen = []
    server.applied(job)
    seen.append(await operator.settle())
    server.pods_there = [pod("scheduler"), pod("worker")]
    seen.append(await operator.settle())
    server.changed({"marsReplicaSpecs": {"Worker": {"replicas": 3}, "WebService": {"replicas": 2}}})
    seen.append(await operator.settle())
    server.pods_there = [pod("scheduler"), pod("worker", ready=False, ended={"exitCode": 137})]
    seen.append(await operator.settle())
    server.changed({"marsReplicaSpecs": {"WebService": {"replicas": 1}}})
    seen.append(await operator.settle())
    server.pods_there = [pod("scheduler", ready=False, ended={"exitCode": 0}), pod("worker")]
    seen.append(await operator.settle())
    operator.time += timedelta(seconds=31)
    seen.append(await operator.settle())
    return seen, operator.killed


def job(**spec) -> dict:
    found = copy.deepcopy(TUTORIAL)
    found["spec"] |= {"ttlSecondsAfterFinished": 30, "cleanPodPolicy": "All"} | spec
    found["spec"]["marsReplicaSpecs"]["Worker"]["spotReplicaSpec"] = {"spotReplicaNumber": 1}
    return found


def test_a_life() -> None:
    server = Server()
    seen, _ = asyncio.run(life(server, job()))
    states = [
        each["MarsJob/mars-test-demo"]["status"]["conditions"][-1]["type"]
        for each in seen
        if "MarsJob/mars-test-demo" in each
    ]
    assert states == ["Created", "Running", "Running", "Restarting", "Restarting", "Succeeded"]
    assert seen[0].keys() == {
        "MarsJob/mars-test-demo",
        "DaskCluster/mars-test-demo",
        "DaskWorkerGroup/mars-test-demo-spot",
        "Ingress/mars-test-demo",
        "NetworkPolicy/mars-test-demo-worker",
        "Service/mars-test-demo-scheduler-0",
        "Service/mars-test-demo-webservice-0",
    }
    assert seen[2]["DaskCluster/mars-test-demo"]["spec"]["worker"]["replicas"] == 2
    assert "Service/mars-test-demo-webservice-1" in seen[2]
    assert "Service/mars-test-demo-webservice-1" not in seen[4]
    assert seen[5].keys() == seen[0].keys() - {"DaskCluster/mars-test-demo"}
    assert seen[6] == {}
    reasons = [each["reason"] for each in server.events_made]
    assert reasons == ["JobCreated", "JobRunning", "MarsJobRestarting", "JobSucceeded"]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_each_write_it_comes_to_the_same_end(after: bool) -> None:
    server = Server()
    whole, _ = asyncio.run(life(server, job()))
    assert len(server.writes) > 20
    for kill_at in range(len(server.writes)):
        seen, killed = asyncio.run(life(Server(kill_at, after=after), job()))
        assert killed == 1
        for step, (one, other) in enumerate(zip(whole, seen, strict=True)):
            assert one == other, (kill_at, server.writes[kill_at], step)


def test_looking_again_asks_for_nothing() -> None:
    """A job at rest costs no call."""
    server = Server()

    async def run() -> None:
        operator = Operator(server)
        server.applied(job())
        await operator.settle()
        server.pods_there = [pod("scheduler"), pod("worker")]
        await operator.settle()
        keeper = operator.started()
        calls: list[object] = []
        server.call = server.listed = lambda *args, **_: calls.append(args)
        for _ in range(3):
            await keeper.look(KEY)
        assert calls == []

    asyncio.run(run())


def test_events_are_asked_for_where_pods_are_missing_only() -> None:
    """Once for all jobs of a namespace; pods that wait say themselves for what."""
    server = Server()
    asked: list[str] = []
    warning = {
        "type": "Warning",
        "reason": "FailedCreate",
        "message": 'serviceaccount "kubedl-sa" not found',
        "involvedObject": {"kind": "ReplicaSet", "name": "mars-test-demo-scheduler-1"},
    }

    def events(namespace: str) -> list[dict]:
        asked.append(namespace)
        return [warning]

    server.warnings = events

    async def run() -> None:
        operator = Operator(server)
        server.applied(job())
        await operator.settle()
        assert asked == []
        operator.time += timedelta(seconds=11)
        seen = await operator.settle()
        assert "kubedl-sa" in seen["MarsJob/mars-test-demo"]["status"]["conditions"][-1]["message"]
        assert asked == ["default"]
        server.pods_there = [pod("scheduler", ready=False), pod("worker", ready=False)]
        await operator.settle()
        assert asked == ["default"]

    asyncio.run(run())


def test_a_refused_job_is_told_once_and_looked_at_again_when_it_changes() -> None:
    server = Server()

    async def run() -> None:
        operator = Operator(server)
        bad = job(backoffLimit=1)
        bad["spec"]["marsReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["command"] = ["sleep"]
        server.applied(bad)
        seen = await operator.settle()
        assert seen.keys() == {"MarsJob/mars-test-demo"}
        (condition,) = seen["MarsJob/mars-test-demo"]["status"]["conditions"]
        assert condition["type"] == "Failed"
        assert "Worker.template.spec.containers[0].command" in condition["message"]
        good = job()["spec"]["marsReplicaSpecs"]["Worker"]
        server.changed({"marsReplicaSpecs": {"Worker": good}})
        seen = await operator.settle()
        assert "DaskCluster/mars-test-demo" in seen
        assert [e["reason"] for e in server.events_made] == ["JobRefused", "JobCreated"]

    asyncio.run(run())


def test_a_refused_job_goes_after_its_time() -> None:
    server = Server()

    async def run() -> None:
        operator = Operator(server)
        server.applied(job(webHost="no host"))
        assert "MarsJob/mars-test-demo" in await operator.settle()
        operator.time += timedelta(seconds=29)
        assert "MarsJob/mars-test-demo" in await operator.settle()
        operator.time += timedelta(seconds=1)
        assert await operator.settle() == {}

    asyncio.run(run())


def test_a_cluster_that_was_not_heard_of_is_asked_for_before_a_job_has_failed() -> None:
    """What an operator hears may be late; a job that has failed has failed for ever."""
    server = Server()

    async def run() -> None:
        operator = Operator(server)
        server.applied(job())
        await operator.settle()
        server.pods_there = [pod("scheduler"), pod("worker")]
        await operator.settle()
        server.cluster = lambda key: None
        seen = await operator.settle()
        assert seen["MarsJob/mars-test-demo"]["status"]["conditions"][-1]["type"] == "Running"
        del server.objects["DaskCluster", KEY[1]]
        seen = await operator.settle()
        last = seen["MarsJob/mars-test-demo"]["status"]["conditions"][-1]
        assert (last["type"], last["message"]) == ("Failed", "The DaskCluster mars-test-demo was deleted.")

    asyncio.run(run())


def test_a_change_that_cannot_be_is_told_once() -> None:
    server = Server()

    async def run() -> None:
        operator = Operator(server)
        server.applied(job())
        before = await operator.settle()
        template = {"spec": {"nodeSelector": {"disk": "fast"}}}
        server.changed({"marsReplicaSpecs": {"Worker": {"template": template}}})
        after = await operator.settle()
        assert after["DaskCluster/mars-test-demo"]["spec"] == before["DaskCluster/mars-test-demo"]["spec"]
        server.changed({"cronPolicy": {"schedule": "* * * * *"}})
        await operator.settle()
        assert [e["reason"] for e in server.events_made].count("NotApplied") == 2
        assert "cronPolicy" in server.events_made[-1]["message"]

    asyncio.run(run())


KUBEDL = {
    "metadata": {"name": "kubedl", "namespace": "kubedl-system"},
    "spec": {"replicas": 1, "template": {"spec": {"containers": [{"image": "kubedl/kubedl:v0.3.0"}]}}},
}


@pytest.mark.parametrize(
    ("kubedl", "said", "adopt_all", "kept"),
    [
        (False, None, False, True),
        (False, "false", False, False),
        (True, None, False, False),
        (True, "true", False, True),
        (True, None, True, True),
        (True, "false", True, False),
    ],
)
def test_whose_jobs_are_kept(kubedl: bool, said: str | None, adopt_all: bool, kept: bool) -> None:
    server = Server()
    server.deployments = [KUBEDL] if kubedl else []
    found = job()
    if said is not None:
        found["metadata"]["annotations"] = {"marsdask.org/managed": said}
    server.applied(found)
    seen = asyncio.run(Operator(server, adopt_all=adopt_all).settle())
    assert ("DaskCluster/mars-test-demo" in seen) == kept
    assert ("status" in seen["MarsJob/mars-test-demo"]) == kept


def test_when_kubedl_goes_its_jobs_are_kept(monkeypatch) -> None:
    monkeypatch.setattr(keeping, "ASKED", 0.1)
    server = Server()

    async def run() -> None:
        keeper = Operator(server).started()
        server.deployments = [KUBEDL]
        server.applied(job())
        keeper.wake(KEY)
        await asyncio.sleep(0.5)
        assert ("DaskCluster", KEY[1]) not in server.objects
        server.deployments = []
        async with asyncio.timeout(10):
            while ("DaskCluster", KEY[1]) not in server.objects or keeper.tasks:
                await asyncio.sleep(0.01)
        keeper._forget(KEY)

    asyncio.run(run())


def test_a_cluster_that_is_not_the_jobs_is_left_and_told() -> None:
    server = Server()

    async def run() -> None:
        operator = Operator(server)
        theirs = {"kind": "DaskCluster", "metadata": {"name": KEY[1], "uid": "theirs"}, "spec": {"mine": 1}}
        server.objects["DaskCluster", KEY[1]] = theirs
        server.applied(job())
        with pytest.raises(
            KubernetesError, match="there is a DaskCluster mars-test-demo already, which is not"
        ):
            await operator.settle()
        assert server.objects["DaskCluster", KEY[1]]["spec"] == {"mine": 1}

    asyncio.run(run())


def test_what_the_server_refuses_is_in_the_condition() -> None:
    """And tried again: a quota may be raised."""
    server = Server()

    async def run() -> None:
        server.applied(job())
        keeper = Operator(server).started()
        create = server.create_namespaced_service

        def refuse(namespace, body):
            raise KubernetesError("services is forbidden: exceeded quota: few")

        server.create_namespaced_service = refuse
        keeper.wake(KEY)
        while keeper.tasks:
            await asyncio.sleep(0.01)
        keeper.wake(KEY)
        while keeper.tasks:
            await asyncio.sleep(0.01)
        last = server.objects["MarsJob", KEY[1]]["status"]["conditions"][-1]
        assert last["type"] == "Created"
        assert "exceeded quota" in last["message"]
        assert KEY in keeper.timers
        server.create_namespaced_service = create
        keeper.wake(KEY)
        while keeper.tasks:
            await asyncio.sleep(0.01)
        assert ("DaskCluster", KEY[1]) in server.objects
        keeper._forget(KEY)

    asyncio.run(run())


def test_a_stale_job_is_not_taken_for_a_new_one() -> None:
    """What was written is known before it has been heard of: nothing is told twice."""
    server = Server()

    async def run() -> None:
        server.applied(job())
        stale = server.job(KEY)
        keeper = Operator(server).started()
        server.job = lambda key: copy.deepcopy(stale)
        server.cluster = lambda key: None
        await keeper.look(KEY)
        await keeper.look(KEY)  # its cluster is there now: the replicas are counted
        writes = len(server.writes)
        await keeper.look(KEY)
        assert len(server.writes) == writes == 9
        assert [e["reason"] for e in server.events_made] == ["JobCreated"]
        keeper._forget(KEY)

    asyncio.run(run())


def test_old_definitions_are_told_apart() -> None:
    from marsdask.deploy.marsjob.operator import dropped, drops

    old = definition()
    spec = old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    del spec["memoryTuningPolicy"]
    role = spec["marsReplicaSpecs"]["additionalProperties"]["properties"]
    del role["spotReplicaSpec"]
    role["template"]["properties"]["metadata"] = {"type": "object"}
    lost = dropped(old)
    assert lost == [
        "spec.memoryTuningPolicy",
        "spec.marsReplicaSpecs.*.spotReplicaSpec",
        "spec.marsReplicaSpecs.*.template.metadata.labels",
        "spec.marsReplicaSpecs.*.template.metadata.annotations",
    ]
    assert "spec.memoryTuningPolicy" in drops(lost)


def test_the_difference_is_a_merge_patch() -> None:
    old = {"a": {"b": 1, "c": [1]}, "d": 1}
    new = {"a": {"b": 1, "c": [2], "e": {}}, "f": None}
    assert merge(old, difference(old, new)) == {"a": {"b": 1, "c": [2], "e": {}}}


def settled(server: Server, *steps, **how) -> list[dict]:
    """What is there after each step, of a job that was applied and runs."""

    async def run() -> list[dict]:
        operator = Operator(server, **how)
        server.applied(job())
        await operator.settle()
        server.pods_there = [pod("scheduler"), pod("worker")]
        seen = [await operator.settle()]
        for step in steps:
            step(server, operator)
            seen.append(await operator.settle())
        return seen

    return asyncio.run(run())


def reasons(server: Server) -> list[str]:
    return [each["reason"] for each in server.events_made]


def test_pods_of_an_earlier_job_are_waited_for() -> None:
    """They would be taken for the new one's: its scheduler would be lost as soon as it is there."""
    server = Server()

    async def run() -> None:
        operator = Operator(server)
        server.applied(job())
        server.pods_there = [pod("scheduler", uid="old")]
        with pytest.raises(KubernetesError, match="pods of an earlier mars-test-demo are still there"):
            await operator.settle()
        server.pods_there = []
        assert "DaskCluster/mars-test-demo" in await operator.settle()

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["Service", "NetworkPolicy", "Ingress", "DaskWorkerGroup"])
def test_an_object_of_somebody_else_is_not_taken(kind: str) -> None:
    server = Server()
    names = {"Service": "webservice-0", "NetworkPolicy": "worker", "DaskWorkerGroup": "spot", "Ingress": ""}
    name = f"mars-test-demo-{names[kind]}".rstrip("-")
    server.objects[kind, name] = {"kind": kind, "metadata": {"name": name, "uid": "theirs"}, "spec": {}}
    server.applied(job())
    with pytest.raises(
        KubernetesError, match=f"there is a {kind} {name} already, which is not of this MarsJob"
    ):
        asyncio.run(Operator(server).settle())


def test_spot_replicas_that_are_not_wanted_any_more_go() -> None:
    server = Server()

    def without(server: Server, _: Operator) -> None:
        found = server.objects["MarsJob", KEY[1]]
        del found["spec"]["marsReplicaSpecs"]["Worker"]["spotReplicaSpec"]
        server.changed({})

    before, after = settled(server, without)
    assert before["DaskWorkerGroup/mars-test-demo-spot"]["spec"]["worker"]["replicas"] == 1
    assert after["DaskWorkerGroup/mars-test-demo-spot"]["spec"]["worker"]["replicas"] == 0
    assert after["DaskCluster/mars-test-demo"]["spec"]["worker"]["replicas"] == 2
    assert "NotApplied" not in reasons(server)


def test_a_web_host_that_is_taken_away() -> None:
    server = Server()
    before, after = settled(server, lambda server, _: server.changed({"webHost": None}))
    assert "Ingress/mars-test-demo" in before
    assert "Ingress/mars-test-demo" not in after
    assert "webServiceAddresses" not in after["MarsJob/mars-test-demo"]["status"]
    assert "NotApplied" not in reasons(server)


@pytest.mark.parametrize(("name", "value"), [("security", "tls"), ("image", "x/marsdask:2"), ("imag", "x")])
def test_annotations_that_are_changed_are_told(name: str, value: str) -> None:
    """The API server does not count them as changes."""
    server = Server()

    def annotated(server: Server, _: Operator) -> None:
        server.objects["MarsJob", KEY[1]]["metadata"]["annotations"] = {f"marsdask.org/{name}": value}

    settled(server, annotated, lambda *_: None)
    assert reasons(server).count("NotApplied") == 1


def test_another_image_of_the_operator_is_no_change_of_a_job() -> None:
    server = Server()

    def upgraded(server: Server, operator: Operator) -> None:
        operator.how["image"] = "marsdask/marsdask:v2"
        server.changed({"marsReplicaSpecs": {"Worker": {"replicas": 3}}})

    _, after = settled(server, upgraded)
    assert after["DaskCluster/mars-test-demo"]["spec"]["worker"]["replicas"] == 2
    assert "NotApplied" not in reasons(server)


def test_of_a_change_that_is_refused_nothing_takes_effect() -> None:
    server = Server()
    change = {"activeDeadlineSeconds": -1, "backoffLimit": 0}
    _, after, later = settled(server, lambda server, _: server.changed(change), lambda *_: None)
    assert after["MarsJob/mars-test-demo"]["status"]["conditions"][-1]["type"] == "Running"
    assert later == after
    assert reasons(server).count("NotApplied") == 1


def test_events_are_those_of_the_job_and_of_its_time() -> None:
    from marsdask.deploy.marsjob.objects import of_job

    def event(name: str, when: str = "2026-01-02T00:00:00Z") -> dict:
        return {"involvedObject": {"name": name}, "lastTimestamp": when}

    found = {"metadata": {"name": "job-1", "creationTimestamp": "2026-01-01T12:00:00Z"}}
    ours = [
        "job-1",
        "job-1-scheduler-5d",
        "job-1-default-worker-a1-x",
        "job-1-spot-worker-a1",
        "job-1-scheduler",
    ]
    theirs = ["job-10", "job-10-scheduler-5d", "job-1-2-scheduler-5d", "other"]
    events = [event(name) for name in (*ours, *theirs)] + [event("job-1", "2026-01-01T11:59:59Z")]
    assert [each["involvedObject"]["name"] for each in of_job(events, found)] == ours


def test_a_question_is_asked_once_for_all_who_want_to_know() -> None:
    server, asked = Server(), []

    async def run() -> None:
        keeper = Operator(server).started()

        def ask() -> str:
            asked.append(1)
            return "said"

        told = await asyncio.gather(*(keeper._asked("x", ask, 30) for _ in range(50)))
        assert told == ["said"] * 50
        assert len(asked) == 1

    asyncio.run(run())


def test_loose_definitions_drop_nothing_and_others_are_no_error() -> None:
    from marsdask.deploy.marsjob.operator import dropped

    def of(schema: dict, name: str = "v1alpha1") -> dict:
        return {"spec": {"versions": [{"name": name, "schema": {"openAPIV3Schema": schema}}]}}

    loose = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert dropped(of(loose)) == []
    assert dropped(of(loose, "v2")) == []
    assert len(dropped(of({"type": "object", "properties": {}}))) == 5


class Expiring(Keeper):
    """Ends jobs one second after they are over, which each is at another moment of a second."""

    def __init__(self):
        super().__init__(None, None, adopt_all=True)
        self.done, self.away, self.ended = {}, {}, set()

    async def look(self, key):
        now = self.now() + timedelta(seconds=self.away.setdefault(key, random.random()))
        done = {"completionTime": self.done.setdefault(key, told(now))}
        for action in expiry({"ttlSecondsAfterFinished": 1}, done, now):
            if action[0] == "again":
                self._later(key, action[1])
            else:
                self.ended.add(key)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_what_is_to_be_done_at_a_time_is_done(loop):
    """Whether timers ring late, as asyncio's, or a little early, as those of kopf's loop where there is uvloop."""

    async def run() -> None:
        keeper = Expiring()
        for i in range(150):
            keeper.wake(("default", str(i)))
            await asyncio.sleep(random.uniform(0.003, 0.006))
        deadline = asyncio.get_running_loop().time() + 30
        while len(keeper.ended) < 150:
            assert asyncio.get_running_loop().time() < deadline, f"{len(keeper.ended)} of 150"
            await asyncio.sleep(0.05)
        assert not keeper.timers

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(run())


@pytest.mark.parametrize("seconds", [(0.05,), (30, 0.05), (0.05, 30), (30, 0.05, 30, 0)])
def test_of_several_times_the_earliest_counts_and_the_others_do_not(seconds):
    async def run() -> None:
        keeper, rung = Keeper(None, None, adopt_all=True), asyncio.Event()
        keeper.wake = lambda key: rung.set()
        for each in seconds:
            keeper._later(KEY, each)
        await asyncio.wait_for(rung.wait(), 20)
        assert not keeper.timers

    asyncio.run(run())
