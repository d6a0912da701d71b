"""`marsdask job submit`, `status`, `logs` and `delete` against a server that is a table."""

import itertools
import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from marsdask.__main__ import main
from marsdask.deploy.kubernetes import api as kubernetes_api
from marsdask.deploy.kubernetes import states
from marsdask.deploy.kubernetes.states import Shown
from marsdask.deploy.marsjob import jobs, submitting, translate
from marsdask.deploy.marsjob.operator import manifests
from marsdask.errors import (
    ClusterNotStarted,
    ClusterStartTimeout,
    KubernetesError,
    NotPermitted,
    ObjectNotFound,
    StillThere,
)
from tests.deploy.test_marsjob import IMAGE, annotated, job
from tests.deploy.test_marsjob_status import pod

pytestmark = pytest.mark.once


class Server:
    """The few calls that the commands make; `knows` is whether it serves MarsJobs."""

    answering_for = float("inf")

    def __init__(self, *, knows: bool = True):
        self.knows = knows
        self.made: dict[tuple[str, str], dict] = {}
        self.pods_there: list[dict] = []
        self.warned: list[dict] = []
        self.refuses = ""
        self.drops: set[str] = set()
        self.core = self.custom = self.apps = self
        self.deployments: list[dict] | Exception = []

    def call(self, function, *args, **kwargs):
        return function(*args, **kwargs)

    listed = call

    def get_api_resources(self, group, version):
        return {"resources": [{"name": "marsjobs"}]} if self.knows else None

    def _create(self, kind, body):
        key = kind, body["metadata"]["name"]
        if kind == self.refuses:
            raise KubernetesError("exceeded quota")
        if key in self.made:
            raise KubernetesError("already exists")
        made = json.loads(json.dumps(body))
        made["metadata"] |= {"uid": "u", "creationTimestamp": datetime.now(UTC).isoformat()}
        made["spec"] = {name: each for name, each in made.get("spec", {}).items() if name not in self.drops}
        self.made[key] = made
        return made

    def create_namespaced_custom_object(self, group, version, namespace, plural, body):
        return self._create(plural, body)

    def create_namespaced_service(self, namespace, body):
        return self._create("services", body)

    def create_namespaced_secret(self, namespace, body):
        return self._create("secrets", body)

    def get_namespaced_custom_object(self, group, version, namespace, plural, name):
        return self.made.get((plural, name)) if self.knows else None

    def list_namespaced_custom_object(self, group, version, namespace, plural):
        return [each for (kind, _), each in self.made.items() if kind == plural]

    def delete_namespaced_custom_object(self, group, version, namespace, plural, name):
        return self.made.pop((plural, name), None)

    def list_deployment_for_all_namespaces(self):
        if isinstance(self.deployments, Exception):
            raise self.deployments
        return self.deployments

    def get(self, plural, namespace, name):
        return self.made.get((plural, name))

    def deleted(self, plural, namespace, name):
        self.made.clear()

    def clusters(self, namespace, selector):
        return [each for (kind, _), each in self.made.items() if kind == "daskclusters"]

    def pods(self, namespace, selector):
        return self.pods_there

    def warnings(self, namespace):
        return self.warned

    def last_lines(self, namespace, found):
        return {each.name: "the last line" for each in found}


def small(*changes) -> dict:
    found = job(lambda made: made["spec"].pop("webHost"), *changes)
    found["spec"]["ttlSecondsAfterFinished"] = 60
    return found


def directly(server: Server, found: dict) -> list[str]:
    return list(submitting.submit_objects(server, found, translate(found, IMAGE)))


def waited(server: Server, found: dict, *, direct: bool = True, timeout: float = 0.3) -> None:
    submitting.wait(server, found, "default", direct=direct, timeout=timeout, shown=Shown(wanted=False))


def test_names_are_made_as_the_server_makes_them() -> None:
    found = small()
    found["metadata"] = {"generateName": "mars-job-", "labels": {"a": "b"}}
    made = submitting.named(found)["metadata"]
    assert made["name"].startswith("mars-job-")
    assert len(made["name"]) == 14
    assert made["labels"] == {"a": "b"}
    assert "generateName" not in made
    for other in (small(), None, {"metadata": []}, {"metadata": {"generateName": 3}}):
        assert submitting.named(other) is other


def test_a_job_is_a_marsjob_where_the_server_knows_them() -> None:
    server, found = Server(), small()
    server.drops = {"ttlSecondsAfterFinished"}
    assert submitting.served(server)
    told = list(submitting.submit(server, found, translate(found, IMAGE), {"marsdask.org/image": IMAGE}))
    assert told[0] == "marsjob.training.kubedl.io/mars-test-demo created"
    assert told[1:] == [
        "warning: this cluster's definition of MarsJobs has dropped spec.ttlSecondsAfterFinished."
    ]
    made = server.made["marsjobs", "mars-test-demo"]
    assert made["metadata"]["annotations"] == {"marsdask.org/image": IMAGE}
    assert "status" not in made
    with pytest.raises(
        KubernetesError, match="there is a MarsJob mars-test-demo in namespace default already"
    ):
        list(submitting.submit(server, found, translate(found, IMAGE), {}))


def test_without_one_its_objects_go_with_its_cluster() -> None:
    server, found = Server(knows=False), small(annotated(security="tls"))
    told = directly(server, found)
    assert told[0] == "daskcluster.kubernetes.dask.org/mars-test-demo created"
    assert "secret/mars-test-demo-tls created" in told
    for (kind, _), each in server.made.items():
        owners = each["metadata"].get("ownerReferences", [])
        assert [owner["kind"] for owner in owners] == ([] if kind == "daskclusters" else ["DaskCluster"])
    assert submitting.unkept(found["spec"]) == [
        "spec.ttlSecondsAfterFinished",
        "spec.marsReplicaSpecs.Scheduler.restartPolicy",
        "spec.marsReplicaSpecs.WebService.restartPolicy",
        "spec.marsReplicaSpecs.Worker.restartPolicy",
    ]
    with pytest.raises(KubernetesError, match="there is a DaskCluster mars-test-demo"):
        directly(server, found)


@pytest.mark.parametrize("kind", ["services", "networkpolicies"])
def test_what_cannot_be_made_whole_is_taken_away(kind: str) -> None:
    server = Server(knows=False)
    server.refuses = kind
    with pytest.raises(KubernetesError, match="quota"):
        directly(server, small())
    assert server.made == {}


def test_the_table_of_both_kinds() -> None:
    server, found = Server(), small()
    list(submitting.submit(server, {**found, "metadata": {"name": "kept"}}, translate(found, IMAGE), {}))
    server.made["marsjobs", "kept"]["status"] = {"conditions": [{"type": "Failed", "status": "True"}]}
    directly(server, found)
    server.pods_there = [pod("scheduler", "s"), pod("worker", "1")]
    head, one, other = jobs.table(jobs.listed(server, "default"), namespaces=True)
    assert head.split() == ["NAMESPACE", "NAME", "STATE", "AGE", "FINISHED-TTL", "MAX-LIFETIME"]
    assert one.split() == ["default", "kept", "Failed", "0s", "60"]
    assert other.split() == ["default", "mars-test-demo", "Running", "0s", "60"]
    told = list(jobs.details(jobs.expect(server, "default", "mars-test-demo")))
    assert "Running, JobRunning: MarsJob mars-test-demo is running." in told
    assert "Worker: 1 active, 0 succeeded, 0 failed" in told
    assert "It has no MarsJob" in told[-1]
    with pytest.raises(ObjectNotFound, match="no MarsJob 'other' in namespace 'default'"):
        jobs.expect(server, "default", "other")


def test_waiting_ends_when_it_runs() -> None:
    server, found = Server(), small()
    directly(server, found)
    server.pods_there = [pod("scheduler", "s"), pod("worker", "1")]
    waited(server, found)


def test_waiting_ends_at_once_where_pods_cannot_come_up() -> None:
    server, found = Server(), small()
    directly(server, found)
    waiting = {"reason": "ImagePullBackOff", "message": "no such image: a:b"}
    server.pods_there = [pod("scheduler", "s", ready=False, waiting=waiting)]
    with pytest.raises(
        ClusterNotStarted, match=r"cannot come up: scheduler pod .* no such image: a:b"
    ) as caught:
        waited(server, found, timeout=600)
    assert "`marsdask job delete mars-test-demo -n default` deletes it" in str(caught.value)


def test_waiting_ends_after_its_time_and_tells_why() -> None:
    server, found = Server(), small()
    directly(server, found)
    server.pods_there = [pod("scheduler", "s"), pod("worker", "1", ready=False)]
    with pytest.raises(ClusterStartTimeout, match=r"is not up after 0\.3 s: 1 of 2 pods Starting"):
        waited(server, found)


def test_waiting_ends_where_a_job_has_failed() -> None:
    server, found = Server(), small()
    list(submitting.submit(server, found, translate(found, IMAGE), {}))
    server.made["marsjobs", "mars-test-demo"]["status"] = {
        "conditions": [{"type": "Failed", "message": "spec.x: no"}]
    }
    with pytest.raises(ClusterNotStarted, match=r"has failed: spec\.x: no"):
        waited(server, found, direct=False, timeout=600)


@pytest.mark.parametrize(("direct", "who"), [(True, "Dask operator"), (False, "operator of MarsJobs")])
def test_waiting_ends_where_nobody_begins(monkeypatch, direct: bool, who: str) -> None:
    monkeypatch.setattr(states, "TAKEN_UP", 0.1)
    server, found = Server(), small()
    list(submitting.submit(server, found, translate(found, IMAGE), {}))
    with pytest.raises(ClusterNotStarted, match=f"no {who} has begun with mars-test-demo"):
        waited(server, found, direct=direct, timeout=600)


def test_deleting_waits_for_pods() -> None:
    server = Server(knows=False)
    directly(server, small())
    assert jobs.delete(server, "default", "mars-test-demo", wait=True) == (
        "marsjob.training.kubedl.io/mars-test-demo deleted"
    )
    directly(server, small())
    server.pods_there = [pod("worker", "1")]
    with pytest.raises(StillThere, match=r"was not gone after 0\.1 s: mars-test-demo-worker-1 stays"):
        jobs.delete(server, "default", "mars-test-demo", wait=True, timeout=0.1)


def test_two_jobs_of_one_name(tmp_path) -> None:
    file = tmp_path / "jobs.json"
    file.write_text("---\n".join(json.dumps(small()) + "\n" for _ in range(2)))
    nowhere = tmp_path / "config"
    nowhere.write_text(json.dumps(CONFIG))
    done = CliRunner().invoke(
        main, ["job", "submit", str(file), "--image", IMAGE, "--kubeconfig", str(nowhere), "-n", "team"]
    )
    assert done.exit_code == 1
    assert "2 jobs are named 'mars-test-demo' in namespace 'default'" in done.output


CONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "here",
    "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
    "users": [{"name": "u", "user": {}}],
    "contexts": [
        {"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "team"}},
        {"name": "there", "context": {"cluster": "c", "user": "u"}},
    ],
}


def test_the_namespace_is_kubectls(tmp_path, monkeypatch) -> None:
    file = tmp_path / "config"
    file.write_text(json.dumps(CONFIG))
    assert kubernetes_api.own_namespace(str(file)) == "team"
    assert kubernetes_api.own_namespace(str(file), "there") == "default"
    in_a_pod = tmp_path / "namespace"
    in_a_pod.write_text("pods\n")
    monkeypatch.setattr(kubernetes_api, "OWN_NAMESPACE", in_a_pod)
    assert kubernetes_api.own_namespace(str(tmp_path / "none")) == "pods"
    in_a_pod.unlink()
    assert kubernetes_api.own_namespace(str(tmp_path / "none")) == "default"


def test_faults_are_told_before_any_cluster_is_asked(tmp_path) -> None:
    file = tmp_path / "job.json"
    file.write_text(json.dumps(small(lambda made: made["spec"].update(foo="bar"))))
    done = CliRunner().invoke(main, ["job", "submit", str(file), "--image", IMAGE, "--kubeconfig", "nowhere"])
    assert done.exit_code == 1
    assert done.stderr.startswith("error: spec.foo: there is no such field here.")
    assert done.stdout == ""


class Logs(Server):
    """Two pods that have said something, and go on."""

    def raw(self, function, pod_name, namespace, container):
        assert container == "mars"
        return f"{pod_name} one\n{pod_name} two\n".encode()

    read_namespaced_pod_log = None


def test_logs_name_their_pod_where_there_are_several() -> None:
    server, said = Logs(), []
    server.pods_there = [pod("scheduler", "s"), pod("worker", "1")]
    for each in server.pods_there:
        each["spec"]["containers"] = [{"name": "sidecar"}, {"name": "mars"}]
    jobs.logs(server, "default", "x", role=None, follow=False, tail=None, write=said.append)
    names = [each["metadata"]["name"] for each in server.pods_there]
    assert said == [f"{name}  {name} {n}" for name, n in itertools.product(names, ("one", "two"))]
    said.clear()
    server.pods_there = server.pods_there[:1]
    jobs.logs(server, "default", "x", role="scheduler", follow=False, tail=None, write=said.append)
    assert said == [f"{names[0]} one", f"{names[0]} two"]


OURS = manifests("dask-operator", IMAGE)[-1]
KUBEDL = {"spec": {"template": {"spec": {"containers": [{"image": "kubedl/kubedl:v0.3.0"}]}}}}


def submitted(monkeypatch, tmp_path, server: Server, *words: str):
    """How `job submit` ends in the cluster of a server."""
    file = tmp_path / "job.json"
    file.write_text(json.dumps(small()))
    monkeypatch.setattr(kubernetes_api, "current", lambda *_: None)
    monkeypatch.setattr(kubernetes_api, "Api", lambda _: server)
    return CliRunner().invoke(main, ["job", "submit", str(file), "-n", "default", *words])


def test_an_operator_that_runs_has_an_image(monkeypatch, tmp_path) -> None:
    server = Server()
    server.deployments = [OURS]
    done = submitted(monkeypatch, tmp_path, server, "--ingress-class", "x")
    assert done.exit_code == 0, done.output
    assert done.stdout == "marsjob.training.kubedl.io/mars-test-demo created\n"
    assert "--ingress-class has no effect" in done.stderr
    assert server.made["marsjobs", "mars-test-demo"]["metadata"]["annotations"] == {}


@pytest.mark.parametrize("deployments", [[], [KUBEDL]])
def test_where_no_operator_of_ours_runs_the_objects_are_made_here(monkeypatch, tmp_path, deployments) -> None:
    server = Server()
    server.deployments = deployments
    done = submitted(monkeypatch, tmp_path, server)
    assert done.exit_code == 1
    assert "give one with marsdask in it" in done.stderr
    done = submitted(monkeypatch, tmp_path, server, "--image", IMAGE)
    assert done.exit_code == 0, done.output
    assert "nobody keeps spec.ttlSecondsAfterFinished" in done.stderr
    assert ("daskclusters", "mars-test-demo") in server.made
    assert ("marsjobs", "mars-test-demo") not in server.made


def test_beside_kubedl_a_job_says_whose_it_is(monkeypatch, tmp_path) -> None:
    server = Server()
    server.deployments = [OURS, KUBEDL]
    submitted(monkeypatch, tmp_path, server)
    assert server.made["marsjobs", "mars-test-demo"]["metadata"]["annotations"] == {
        "marsdask.org/managed": "true"
    }


def test_who_may_not_see_operators_is_told(monkeypatch, tmp_path) -> None:
    server = Server()
    server.deployments = NotPermitted("deployments is forbidden")
    done = submitted(monkeypatch, tmp_path, server)
    assert done.exit_code == 0
    assert "cannot be seen without the right to list Deployments" in done.stderr


def test_a_job_that_is_deleted_while_it_is_waited_for(monkeypatch) -> None:
    server, found = Server(), small()
    list(submitting.submit(server, found, translate(found, IMAGE), {}))
    monkeypatch.setattr(server, "pods", lambda *_: server.made.clear() or [])
    server.get_namespaced_custom_object = lambda *_: next(iter(told))
    told = iter([server.made["marsjobs", "mars-test-demo"], None])
    with pytest.raises(ClusterNotStarted, match="was deleted while it was waited for"):
        waited(server, found, direct=False, timeout=600)


def test_events_of_others_do_not_end_the_wait() -> None:
    server, found = Server(), small()
    directly(server, found)
    event = {
        "type": "Warning",
        "reason": "FailedCreate",
        "message": "no",
        "lastTimestamp": "2100-01-01T00:00:00Z",
    }
    other = {**event, "involvedObject": {"kind": "ReplicaSet", "name": "mars-test-demo2-scheduler-1"}}
    own = {"kind": "ReplicaSet", "name": "mars-test-demo-scheduler-1"}
    old = {**event, "involvedObject": own, "lastTimestamp": "2020-01-01T00:00:00Z"}
    server.warned = [other, old]
    with pytest.raises(ClusterStartTimeout):
        waited(server, found)
    server.warned = [{**event, "involvedObject": own}]
    with pytest.raises(ClusterNotStarted, match="cannot come up"):
        waited(server, found, timeout=600)


def test_nulls_in_a_file_are_fields_that_are_not_said(monkeypatch, tmp_path) -> None:
    server = Server(knows=False)
    file = tmp_path / "job.json"
    found = small()
    found["spec"] |= {"schedulingPolicy": None, "cleanPodPolicy": None}
    found["spec"]["marsReplicaSpecs"]["WebService"] = None
    found["spec"]["marsReplicaSpecs"]["Worker"]["replicas"] = None
    file.write_text(json.dumps(found))
    monkeypatch.setattr(kubernetes_api, "current", lambda *_: None)
    monkeypatch.setattr(kubernetes_api, "Api", lambda _: server)
    server.pods_there = [pod("scheduler", "s"), pod("worker", "1")]
    done = CliRunner().invoke(main, ["job", "submit", str(file), "--image", IMAGE, "-n", "default", "--wait"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, ["job", "status", "-n", "default"])
    assert done.stdout.splitlines()[1].split()[:2] == ["mars-test-demo", "Running"]
