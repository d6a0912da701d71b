"""What becomes of a job, from what Kubernetes says of its pods."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonpath
import pytest

from marsdask.deploy.marsjob.definition import COLUMNS
from marsdask.deploy.marsjob.status import Next, next_status, permanent, refused
from tests.deploy.test_marsjob import job, roles

pytestmark = pytest.mark.once

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLUSTER = {"metadata": {"name": "mars-test-demo", "annotations": {"marsdask.org/scheduler-pod": "s"}}}


def pod(role: str, uid: str = "", *, ready: bool = True, **said: Any) -> dict[str, Any]:
    """A pod that runs; `said` are other fields of its status, `restarts`, `ended` (how it last did) and `waiting`."""
    container: dict[str, Any] = {
        "name": "mars",
        "ready": ready,
        "restartCount": said.pop("restarts", 0),
        "state": {"running": {}},
    }
    if (ended := said.pop("ended", None)) is not None:
        container["lastState"] = {"terminated": ended}
    if waiting := said.pop("waiting", None):
        container["state"] = {"waiting": waiting}
    status = {
        "phase": "Running",
        "containerStatuses": [container],
        "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
    }
    return {
        "metadata": {
            "name": f"mars-test-demo-{role}-{uid}",
            "uid": uid or role[0],
            "labels": {"dask.org/component": role, "dask.org/cluster-name": "mars-test-demo"},
        },
        "spec": {"nodeName": "node"},
        "status": status | said,
    }


def running() -> list[dict[str, Any]]:
    return [pod("scheduler", "s"), pod("worker", "1"), pod("worker", "2")]


class Story:
    """A job that is looked at again and again."""

    def __init__(self, policy: str = "Never", **spec: Any) -> None:
        self.job = job(lambda made: made["spec"].update(spec))
        for each in roles(self.job).values():
            each["restartPolicy"] = policy
        del self.job["status"]
        self.now = NOW
        self.seen: list[str] = []
        self.cluster: dict[str, Any] | None = CLUSTER

    def look(self, *pods: dict[str, Any], after: float = 1, events: tuple[str, ...] = ()) -> Next:
        self.now += timedelta(seconds=after)
        found = next_status(self.job, self.cluster, pods, self.now, events)
        self.job["status"] = found.status
        again = next_status(self.job, self.cluster, pods, self.now, events)
        assert again.status == found.status  # who looks twice sees the same
        assert not [each for each in again.actions if each[0] == "event"]
        state = found.status["conditions"][-1]["type"]
        kinds = [each["type"] for each in found.status["conditions"]]
        assert len(kinds) == len(set(kinds))
        if [state] != self.seen[-1:]:
            self.seen.append(state)
        return found

    @property
    def last(self) -> dict[str, Any]:
        return self.job["status"]["conditions"][-1]


def started(policy: str = "Never", **spec: Any) -> Story:
    story = Story(policy, **spec)
    story.cluster = None
    story.look()
    story.cluster = CLUSTER
    story.look(*running())
    assert story.seen == ["Created", "Running"]
    return story


def names(found: Next) -> list[str]:
    return [each[0] for each in found.actions]


def test_created_running_and_lost() -> None:
    story = started("OnFailure")
    again = pod("worker", "1", ready=False, restarts=1, ended={"exitCode": 1})
    story.look(pod("scheduler", "s"), again, pod("worker", "2"))
    story.look(*running())
    ended = {"exitCode": 1, "reason": "Error"}
    roles(story.job)["Scheduler"]["restartPolicy"] = "Never"
    found = story.look(pod("scheduler", "s", restarts=1, ended=ended), *running()[1:])
    assert story.seen == ["Created", "Running", "Restarting", "Running", "Failed"]
    conditions = {c["type"]: c["status"] for c in found.status["conditions"]}
    assert conditions == {"Created": "True", "Running": "False", "Failed": "True"}
    assert "exit code 1 (Error)" in story.last["message"]
    before = found.status
    assert story.look(*running()).status["conditions"] == before["conditions"]  # nothing after the end


def test_a_scheduler_that_ends_well() -> None:
    story = started()
    found = story.look(pod("scheduler", "s", restarts=1, ended={"exitCode": 0}), *running()[1:])
    assert story.last["type"] == "Succeeded"
    assert found.status["completionTime"] == "2026-03-01T12:00:03Z"
    counts = found.status["replicaStatuses"]
    assert counts["Worker"] == {"active": 0, "succeeded": 2, "failed": 0}
    assert {c["type"]: c["status"] for c in found.status["conditions"]}["Running"] == "False"


@pytest.mark.parametrize(
    ("policy", "state"),
    [("Never", "Failed"), ("ExitCode", "Failed"), ("OnFailure", "Running"), ("Always", "Running")],
)
def test_another_scheduler(policy: str, state: str) -> None:
    """A pod with another uid knows nothing of what was, as one that ended."""
    story = started(policy)
    story.look(pod("scheduler", "other"), *running()[1:])
    assert story.last["type"] == state


def test_the_first_scheduler_is_remembered() -> None:
    story = started()
    story.cluster = {"metadata": {"name": "mars-test-demo"}}
    assert ("remember", "s") in story.look(*running()).actions


@pytest.mark.parametrize("code", [1, 2, 126, 127, 128, 139, 77])
def test_codes_that_will_not_pass(code: int) -> None:
    assert permanent({"exitCode": code})
    story = started("ExitCode")
    bad = pod("worker", "1", ready=False, restarts=2, ended={"exitCode": code})
    story.look(pod("scheduler", "s"), bad)
    assert story.last["type"] == "Restarting"
    story.look(pod("scheduler", "s"), pod("worker", "1", ready=False, restarts=3, ended={"exitCode": code}))
    assert story.last["type"] == "Failed"
    assert f"exit code {code}" in story.last["message"]


@pytest.mark.parametrize(
    "ended",
    [
        *({"exitCode": code} for code in (130, 137, 138, 143)),
        *(
            {"exitCode": 1, "reason": reason}
            for reason in ("OOMKilled", "Killed", "Evicted", "UnexpectedAdmissionError")
        ),
    ],
    ids=str,
)
def test_what_may_pass(ended: dict[str, Any]) -> None:
    assert not permanent(ended)
    story = started("ExitCode")
    story.look(pod("scheduler", "s"), pod("worker", "1", ready=False, restarts=9, ended=ended))
    assert story.last["type"] == "Restarting"


@pytest.mark.parametrize(
    ("limit", "restarts", "failed"), [(3, 2, False), (3, 3, True), (3, 4, True), (0, 0, False), (0, 1, True)]
)
def test_backoff(limit: int, restarts: int, failed: bool) -> None:
    story = started("OnFailure", backoffLimit=limit)
    workers = [
        pod("worker", "1", restarts=restarts, ended={"exitCode": 137} if restarts else None),
        pod("worker", "2"),
    ]
    story.look(pod("scheduler", "s"), *workers)
    assert (story.last["type"] == "Failed") is failed
    if failed:
        assert "reached the specified backoff limit" in story.last["message"]


def test_backoff_and_ttl_end_in_failed_and_are_deleted() -> None:
    story = started("OnFailure", backoffLimit=1, ttlSecondsAfterFinished=60)
    workers = [pod("worker", "1", restarts=1, ended={"exitCode": 137})]
    found = story.look(pod("scheduler", "s"), *workers)
    assert story.last["type"] == "Failed"
    assert [each for each in found.actions if each[0] == "again"] == [("again", 60.0)]
    assert names(story.look(after=59)) == ["again"]
    assert names(story.look(after=1)) == ["delete-job"]


@pytest.mark.parametrize(
    ("ttl", "after", "what"),
    [(None, 10**6, []), (0, 0, ["delete-job"]), (10, 5, ["again"]), (10, 10, ["delete-job"])],
)
def test_ttl(ttl: int | None, after: float, what: list[str]) -> None:
    story = started(**({} if ttl is None else {"ttlSecondsAfterFinished": ttl}))
    story.look(pod("scheduler", "s", restarts=1, ended={"exitCode": 0}))
    assert names(story.look(after=after)) == what


@pytest.mark.parametrize(
    ("policy", "what"), [("None", []), ("Running", ["delete-cluster"]), ("All", ["delete-cluster"])]
)
def test_clean_pod_policy(policy: str, what: list[str]) -> None:
    story = started(cleanPodPolicy=policy)
    story.look(pod("scheduler", "s", restarts=1, ended={"exitCode": 0}))
    assert names(story.look()) == what
    story.cluster = None
    assert names(story.look()) == []


@pytest.mark.parametrize(("seconds", "failed"), [(0, True), (2, True), (3, False), (3600, False)])
def test_the_deadline(seconds: int, failed: bool) -> None:
    story = Story(activeDeadlineSeconds=seconds)
    story.look(*running())
    found = story.look(*running(), after=2)
    assert (story.last["type"] == "Failed") is failed
    if failed:
        assert "active longer than the specified deadline" in story.last["message"]
        assert "delete-cluster" in names(found)
    else:
        assert ("again", seconds - 2.0) in found.actions


def test_minimum_of_workers() -> None:
    story = Story(schedulingPolicy={"minAvailable": 2})
    story.look(pod("scheduler", "s"), pod("worker", "1"))
    assert story.last["type"] == "Created"
    story.look(*running())
    assert story.last["type"] == "Running"


def test_a_cluster_that_is_gone() -> None:
    story = started()
    story.cluster = None
    story.look()
    assert story.last["type"] == "Failed"
    idle = started()
    idle.job["metadata"]["annotations"] = {"marsdask.org/idle-timeout": "60"}
    idle.cluster = None
    idle.look()
    assert idle.last["type"] == "Succeeded"


def test_why_pods_do_not_come_up() -> None:
    """In the condition's message, with what Kubernetes says; the state stays Created."""
    story = Story()
    story.look()
    pulling = {"reason": "ImagePullBackOff", "message": "Back-off pulling image nowhere/x"}
    story.look(pod("scheduler", "s", ready=False, phase="Pending", waiting=pulling))
    assert story.last["type"] == "Created"
    assert story.last["reason"] == "ErrImagePull"
    assert "nowhere/x" in story.last["message"]
    story.look(events=("FailedCreate: serviceaccount kubedl-sa not found (ReplicaSet x)",))
    assert story.last["reason"] == "FailedCreate"
    assert "kubedl-sa not found" in story.last["message"]
    short = [{"type": "PodScheduled", "status": "False", "message": "0/1 nodes: 1 Insufficient cpu."}]
    story.look(pod("scheduler", "s", ready=False, phase="Pending", containerStatuses=[], conditions=short))
    assert story.last["reason"] == "Pending"
    assert "Insufficient cpu" in story.last["message"]
    story.look(*running())
    assert story.seen == ["Created", "Running"]


def test_counts_of_replicas() -> None:
    story = Story()
    waiting = pod("worker", "3", ready=False, phase="Pending")
    unplaced = pod("worker", "4", ready=False, phase="Pending")
    del unplaced["spec"]["nodeName"]
    initialising = pod(
        "worker",
        "5",
        ready=False,
        phase="Pending",
        initContainerStatuses=[{"name": "i", "ready": False, "state": {"waiting": {}}}],
    )
    ended = [
        pod("worker", "6", ready=False, phase="Failed"),
        pod("worker", "7", ready=False, phase="Succeeded"),
    ]
    found = story.look(*running(), waiting, unplaced, initialising, *ended)
    assert found.status["replicaStatuses"] == {
        "Scheduler": {"active": 1, "succeeded": 0, "failed": 0},
        "WebService": {"active": 1, "succeeded": 0, "failed": 0},
        "Worker": {"active": 3, "succeeded": 1, "failed": 1},
    }
    assert found.status["webServiceAddresses"] == [
        "mars.example.com/mars/default/mars-test-demo-webservice-0"
    ]


def test_columns_that_kubectl_prints() -> None:
    """The paths of the definition, evaluated over the status of each state; jsonpath comes with dask-kubernetes."""
    story = started(ttlSecondsAfterFinished=10, activeDeadlineSeconds=99)
    story.job["metadata"]["creationTimestamp"] = "2026-03-01T11:59:00Z"
    ended = pod("worker", "1", ready=False, ended={"exitCode": 137})
    del ended["status"]["containerStatuses"][0]["state"]["running"]
    states = {
        "Running": running(),
        "Restarting": [pod("scheduler", "s"), ended, pod("worker", "2")],
        "Failed": [pod("scheduler", "s", ready=False, ended={"exitCode": 1})],
    }
    for state, pods in states.items():
        story.look(*pods)
        found = {name: jsonpath.findall(f"${path}", story.job) for name, (_, path) in COLUMNS.items()}
        assert found == {
            "State": [state],
            "Age": ["2026-03-01T11:59:00Z"],
            "Finished-TTL": [10],
            "Max-Lifetime": [99],
        }


RECORDED = Path(__file__).parent / "jobs" / "recorded"
"""Pods as a node had them; the tests on a node write them where MARSDASK_RECORD_PODS says."""


def recorded(file: str) -> list[dict[str, Any]]:
    found = json.loads((RECORDED / f"{file}.json").read_text())
    for each in found:
        if each["metadata"]["labels"]["dask.org/component"] == "scheduler":
            each["metadata"]["uid"] = "s"  # the first one
    return found


@pytest.mark.parametrize(
    ("file", "was_running", "state", "sign"),
    [
        ("image", False, "Created", "marsdask/marsdask:missing"),
        ("room", False, "Created", "Insufficient memory"),
        ("worker-137", True, "Restarting", "it ended with exit code 137"),
        ("worker-oom", True, "Restarting", "it ended with exit code 137 (OOMKilled)"),
        ("scheduler-0", True, "Succeeded", "the scheduler has ended"),
        ("scheduler-3", True, "Failed", "the scheduler is lost, it ended with exit code 3 (Error)"),
    ],
)
def test_pods_as_a_node_has_them(file: str, was_running: bool, state: str, sign: str) -> None:
    story = Story("ExitCode")
    story.look(*(running() if was_running else []))
    seen = story.look(*recorded(file))
    conditions = seen.status["conditions"]
    assert conditions[-1]["type"] == state
    assert sign in conditions[-1]["message"]
    assert len({each["type"] for each in conditions}) == len(conditions)


def test_recorded_ends_count_for_the_policies() -> None:
    pods = recorded("worker-137")
    for each in pods:
        for container in each["status"]["containerStatuses"]:
            container["restartCount"] += each["metadata"]["labels"]["dask.org/component"] == "worker"
    for limit, state in ((1, "Failed"), (5, "Restarting")):
        story = Story("ExitCode", backoffLimit=limit)
        story.look(*running())
        assert story.look(*pods).status["conditions"][-1]["type"] == state


def test_nulls_are_fields_that_are_not_said() -> None:
    story = Story("Never")
    story.job["spec"] |= {"schedulingPolicy": None, "cleanPodPolicy": None, "ttlSecondsAfterFinished": None}
    roles(story.job)["WebService"]["replicas"] = None
    roles(story.job)["Scheduler"]["restartPolicy"] = None
    story.job["status"] = {"conditions": None, "replicaStatuses": None}
    story.look(*running())
    half = pod("worker", "3")
    half["status"]["containerStatuses"] = None
    assert story.look(*running(), half).status["conditions"][-1]["type"] == "Running"
    story.look(pod("scheduler", "s", ready=False, ended={"exitCode": 1}))
    assert story.last["type"] == "Failed"


def test_a_job_that_kubedl_ran_is_not_taken_for_one_that_lost_its_cluster() -> None:
    story = Story()
    condition = {"type": "Running", "status": "True", "reason": "JobRunning", "message": "x"}
    times = {"lastUpdateTime": "2026-03-01T11:00:00Z", "lastTransitionTime": "2026-03-01T11:00:00Z"}
    story.job["status"] = {
        "conditions": [condition | times],
        "replicaStatuses": {"Scheduler": {"active": 1}, "Worker": {"active": 2}},
        "startTime": "2026-03-01T11:00:00Z",
    }
    story.cluster = None
    story.look()
    assert story.last["type"] == "Running"


def test_what_holds_a_job_up_is_told_of_the_pod_that_says_it() -> None:
    story = Story()
    story.look()
    waiting = {"reason": "ImagePullBackOff", "message": "no such image: a:b"}
    story.look(pod("scheduler", "s", ready=False), pod("worker", "1", ready=False, waiting=waiting))
    assert story.last["reason"] == "ErrImagePull"
    assert "no such image: a:b" in story.last["message"]


def test_a_worker_that_answers_late_is_not_started_again() -> None:
    story = started("OnFailure")
    late = pod("worker", "1", ready=False, restarts=1, ended={"exitCode": 137})
    late["status"]["containerStatuses"][0]["state"] = {"running": {"startedAt": "2026-03-01T00:00:00Z"}}
    story.look(pod("scheduler", "s"), late, pod("worker", "2"))
    assert story.last["type"] == "Running"
    late["status"]["containerStatuses"][0]["state"] = {"running": {"startedAt": "2027-03-01T00:00:00Z"}}
    story.look(pod("scheduler", "s"), late, pod("worker", "2"))
    assert story.last["type"] == "Restarting"


@pytest.mark.parametrize(
    "spec", [None, {}, {"ttlSecondsAfterFinished": "5"}, {"ttlSecondsAfterFinished": -5}, []]
)
def test_a_refusal_of_any_spec(spec: Any) -> None:
    found = refused({"metadata": {"name": "a"}, "spec": spec}, "spec: no", NOW)
    assert found.status["conditions"][0]["message"] == "spec: no"
    assert [each[0] for each in found.actions] == ["event"]
    again = refused({"metadata": {"name": "a"}, "status": found.status}, "spec: no", NOW)
    assert again == (found.status, [])
