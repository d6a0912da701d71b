"""What is told of pods and events while a cluster comes up, and when it does not."""

import math
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from marsdask.deploy.kubernetes import (
    addresses,
    images,
    killed,
    names,
    preflight,
    removal,
    rights,
    specs,
    states,
)
from marsdask.deploy.kubernetes.addresses import Place
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.deploy.kubernetes.states import Blocked, Deadline, State

pytestmark = pytest.mark.once


def pod(role: str = "worker", name: str = "w", **status) -> dict:
    return {"metadata": {"name": name, "labels": {"dask.org/component": role}}, "status": status}


def waiting(reason: str, message: str = "", **more) -> dict:
    return pod(
        phase="Pending",
        containerStatuses=[
            {"ready": False, "state": {"waiting": {"reason": reason, "message": message}}, **more}
        ],
    )


UNSCHEDULABLE = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available.",
}
OOM = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}


@pytest.mark.parametrize(
    ("given", "label", "message"),
    [
        (pod(phase="Running", conditions=[{"type": "Ready", "status": "True"}]), "Ready", ""),
        (pod(phase="Running", conditions=[{"type": "Ready", "status": "False"}]), "Starting", ""),
        (pod(phase="Pending"), "Pending", ""),
        (pod(phase="Pending", conditions=[UNSCHEDULABLE]), "Pending: Insufficient memory", "0/3 nodes"),
        (waiting("ContainerCreating"), "ContainerCreating", ""),
        (waiting("ErrImagePull", "not found"), "ErrImagePull", "not found"),
        (waiting("ImagePullBackOff", "Back-off"), "ErrImagePull", "Back-off"),
        (
            waiting("CrashLoopBackOff", "back-off 10s", lastState=OOM),
            "CrashLoopBackOff",
            "exit code 137 (OOMKilled)",
        ),
        (pod(phase="Running", containerStatuses=[{"ready": False, "state": OOM}]), "OOMKilled", "137"),
        (pod(phase="Failed", reason="Evicted", message="low on memory"), "Failed: Evicted", "low on"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_how_a_pod_is(given, label, message):
    found = states.state(given)
    assert found.label == label
    assert message in found.message


def test_pods_that_go_away_do_not_count():
    leaving = pod(phase="Running")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert states.states([leaving]) == []


def workers(**labels: int) -> list[State]:
    return [
        State(f"{label}-{i}", "worker", label.replace("_", " "))
        for label, n in labels.items()
        for i in range(n)
    ]


SCHEDULER = State("s", "scheduler", "Ready")


def test_the_line():
    found = [
        SCHEDULER,
        *workers(Ready=61, ErrImagePull=2),
        *[State("p", "worker", "Pending: Insufficient memory")] * 12,
    ]
    assert states.line(found, 61, 95) == "workers 61/95 · 12 Pending: Insufficient memory · 2 ErrImagePull"
    assert states.line([], 0, 2) == "scheduler: no pod yet · workers 0/2"
    assert states.line([SCHEDULER, *workers(Ready=2)], 1, 2) == "workers 1/2 · 1 not registered yet"
    there = [SCHEDULER, *workers(Ready=2)]
    silent = "10.0.0.7:30001 does not answer (timed out)"
    assert states.line(there, None, 2, silent) == f"scheduler: {silent} · workers 2 Ready of 2", (
        "nobody could ask it"
    )
    starting = State("s", "scheduler", "ContainerCreating")
    assert states.line([starting], 0, 2) == "scheduler: ContainerCreating · workers 0/2"


UNSAID = (
    'FailedCreate: pods "x" is forbidden: failed quota: q: must specify limits.cpu for: other (ReplicaSet x)'
)
QUOTA = 'FailedCreate: pods "x" is forbidden: exceeded quota: q (ReplicaSet x)'


@pytest.mark.parametrize(
    ("found", "events", "said", "cure"),
    [
        (
            [State("s", "scheduler", "ErrImagePull", "no such")],
            [],
            "scheduler pod s: ErrImagePull",
            "kubernetes image build",
        ),
        ([SCHEDULER, *workers(CrashLoopBackOff=1)], [], "worker pod CrashLoopBackOff-0", "log lines"),
        ([SCHEDULER], [QUOTA], "quota is used up", "ask for less"),
        ([SCHEDULER], [UNSAID], "quota of the namespace wants more said", "pod_template="),
        (
            [SCHEDULER, State("w", "worker", "Pending: Insufficient memory", "0/1")],
            [],
            "1 of 2 pods",
            "worker_mem=",
        ),
        ([], ["FailedCreate: forbidden: violates PodSecurity"], "does not make the pods", ""),
        ([], [], "no pod was made", "marsdask kubernetes status"),
        ([SCHEDULER, *workers(Ready=2)], [], "1 of 2 workers have registered", "logs"),
    ],
)
def test_the_likeliest_cause_and_its_cure(found, events, said, cure):
    why = states.cause(found, events, 1, 2)
    assert said in why
    assert cure in states.hint(why)


def test_the_report_has_pods_events_and_logs():
    text = states.report(
        [SCHEDULER, *workers(ErrImagePull=12)], ["Failed: no image (Pod w)"], {"w": "line one\nline two"}
    )
    assert "Pods (1 of 13 ready):" in text
    assert "... and 3 more" in text
    assert "  Failed: no image (Pod w)" in text
    assert text.endswith("Last lines of w:\n  line one\n  line two")


def test_events_are_told_once_the_latest_first():
    def event(message, time, kind="Warning"):
        involved = {"kind": "Pod", "name": "w"}
        return {
            "type": kind,
            "reason": "R",
            "message": message,
            "lastTimestamp": time,
            "involvedObject": involved,
        }

    found = states.warnings_of(
        [
            event("old", "2026-01-01"),
            event("new", "2026-01-02"),
            event("old", "2025-01-01"),
            event("no", "2026", "Normal"),
            event("will try again in 60 seconds: no", "2026-01-03", "Error"),
        ]
    )
    assert found == [
        "OperatorError: will try again in 60 seconds: no (Pod w)",
        "R: new (Pod w)",
        "R: old (Pod w)",
    ]
    why = states.cause([SCHEDULER], found, 0, 1)
    assert why == f"Dask's operator has not made all of the cluster: {found[0]}"
    assert states.cause([SCHEDULER, *workers(Ready=1)], found, 0, 1).startswith("0 of 1 workers have")


def test_what_cannot_come_up_by_itself():
    blocked = Blocked()
    assert blocked.for_seconds([SCHEDULER, *workers(Ready=1, ErrImagePull=1)], [], 1) == 0
    assert blocked.since is None, "enough are left"
    blocked.for_seconds([SCHEDULER, *workers(Ready=1, ErrImagePull=1)], [], 2)
    assert blocked.since is not None
    blocked.for_seconds([SCHEDULER, *workers(Ready=1, Pending=1)], [], 2)
    assert blocked.since is None, "it passed"
    blocked.for_seconds([SCHEDULER], [QUOTA], 1)
    assert blocked.since is not None
    assert not blocked.for_nodes
    blocked.for_seconds([SCHEDULER, State("w", "worker", "Pending: Insufficient memory", NOWHERE)], [], 1)
    assert blocked.for_nodes


NOWHERE = "0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."


@pytest.mark.parametrize(
    ("message", "never"),
    [
        (NOWHERE, True),
        (NOWHERE.replace(". preemption", ". no new claims to deallocate, preemption"), True),
        (NOWHERE.replace("3 Ins", "1 node(s) didn't match Pod's node affinity/selector, 2 Ins"), True),
        (
            NOWHERE.replace("3 Ins", "1 node(s) had untolerated taint {gpu: yes}, 2 Insufficient cpu, 1 Ins"),
            True,
        ),
        (
            NOWHERE.replace(
                "3 Ins", "1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 2 Ins"
            ),
            False,
        ),
        (NOWHERE.replace("3 Ins", "1 node(s) had volume node affinity conflict, 2 Ins"), False),
        (NOWHERE.replace("3 Preemption is not helpful", "1 Preemption is not helpful"), False),
        ("0/3 nodes are available: 3 Insufficient memory.", False),
        ("", False),
    ],
)
def test_what_no_node_will_ever_take(message, never):
    assert states.nowhere(message) == never


def test_a_deadline():
    assert Deadline(None).left(5) == 5
    assert not Deadline(None).over
    assert Deadline(100).left(5) == 5
    assert 0 < Deadline(3).left(5) <= 3
    over = Deadline(1e-9)
    assert over.over
    assert over.left(5) == 0


def service(kind: str, **more) -> dict:
    ports = [
        {"name": "tcp-comm", "port": 8786, "nodePort": 30001},
        {"name": "http-dashboard", "port": 8787, "nodePort": 30002},
    ]
    return {
        "metadata": {"name": "mars-scheduler", "namespace": "ns"},
        "spec": {"type": kind, "ports": ports},
    } | more


SCHEDULER_POD = {
    "status": {"hostIP": "10.0.0.7"},
    "spec": {
        "containers": [
            {"ports": [{"name": "other", "containerPort": 1}]},
            {
                "ports": [
                    {"name": "tcp-comm", "containerPort": 86},
                    {"name": "http-dashboard", "containerPort": 87},
                ]
            },
        ]
    },
}


def test_where_a_scheduler_is():
    def place(kind, pod=SCHEDULER_POD, inside=False, **more):
        return addresses.place(service(kind, **more), pod, inside=inside)

    assert place("NodePort") == Place("10.0.0.7", 30001, 30002)
    assert place("NodePort", pod=None) is None
    assert place("ClusterIP", inside=True) == Place("mars-scheduler.ns", 8786, 8787)
    assert place("ClusterIP") == Place(None, 86, 87)
    assert place("LoadBalancer") is None
    for given in ({"ip": "1.2.3.4"}, {"hostname": "lb.example"}):
        status = {"loadBalancer": {"ingress": [given]}}
        assert place("LoadBalancer", status=status) == Place(next(iter(given.values())), 8786, 8787)


def test_what_a_cluster_takes_of_a_quota():
    args = Arguments.of(worker_num=3, worker_cpu=2, worker_mem="2g", namespace="x", existing_namespace=True)
    found = preflight.demand([specs.cluster(args)], 3)
    assert found["pods"] == 4
    assert found["services.nodeports"] == 2
    assert found["requests.memory"] == found["memory"] == 3 * 2 * 2**30 + 256 * 2**20
    assert found["limits.cpu"] == 6


def test_what_the_least_workers_of_several_groups_take_of_a_quota():
    gpu = {"name": "gpu", "worker_num": 2, "worker_mem": "8g", "worker_resources": {"x.y/gpu": 1}}
    args = Arguments.of(
        worker_num=3, worker_mem="2g", worker_groups=[gpu], namespace="x", existing_namespace=True
    )
    made = [specs.cluster(args), *specs.worker_groups(args)]
    found = preflight.demand(made, args.min_worker_num)
    assert (found["pods"], found["requests.x.y/gpu"]) == (6, 2)
    assert found["memory"] == (3 * 2 + 2 * 8) * 2**30 + 256 * 2**20
    found = preflight.demand(made, 4)
    assert (found["pods"], found["requests.x.y/gpu"]) == (5, 1), (
        "as many as may be missing are of the larger ones"
    )
    assert found["memory"] == (3 * 2 + 8) * 2**30 + 256 * 2**20
    limits = specs.limited(made[1], {"cpu"})["spec"]["worker"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits["x.y/gpu"] == "1"


def test_the_right_to_make_worker_groups_is_asked_where_there_are_some():
    asked = [rights.rules(None, own_namespace=False, groups=groups) for groups in (True, False)]
    assert [rights.GROUPS in each for each in asked] == [True, False]
    assert rights.GROUPS in rights.rules(None, own_namespace=True)


def test_limits_where_a_quota_asks_for_some():
    sidecar = {
        "spec": {
            "containers": [{"name": "worker"}, {"name": "other", "resources": {"requests": {"cpu": "2"}}}]
        }
    }
    args = Arguments.of(worker_mem="2g", worker_pod_template=sidecar, namespace="x", existing_namespace=True)
    quota = {
        "spec": {
            "hard": {
                "limits.cpu": "8",
                "limits.memory": "9Gi",
                "limits.ephemeral-storage": "1Gi",
                "pods": "9",
            }
        }
    }
    kinds = preflight.asked_limits([{"spec": {"hard": {"pods": "3"}}}, quota])
    assert kinds == {"cpu", "memory"}
    made = specs.cluster(args)
    spec = specs.limited(made, kinds)["spec"]
    (scheduler,), (worker, other) = (spec[role]["spec"]["containers"] for role in ("scheduler", "worker"))
    assert scheduler["resources"]["limits"] == {"cpu": "1", "memory": "1Gi"}
    assert scheduler["resources"]["requests"] == {"cpu": "100m", "memory": str(256 * 2**20)}
    assert worker["resources"]["limits"] == {"cpu": "1000m", "memory": str(2 * 2**30)}, "its own"
    assert other["resources"]["limits"] == {"cpu": "2", "memory": "1Gi"}, "never below what it asks for"
    assert specs.limited(made, ()) == made == specs.cluster(args)


@pytest.mark.parametrize("kind", [None, "NodePort", "ClusterIP", "LoadBalancer"])
@pytest.mark.parametrize("namespace", [None, "team"])
def test_no_right_to_everything(kind, namespace):
    role = rights.role(kind, namespace)
    assert "*" not in str(role)
    resources = {r for rule in role["rules"] for r in rule["resources"]}
    assert ("pods/portforward" in resources) == (kind in (None, "ClusterIP"))
    assert ("namespaces" in resources) == (namespace is None)


def test_a_second_process_needs_nothing_of_the_operator_s():
    rules = rights.reader("team")["rules"]
    assert {g for rule in rules for g in rule["apiGroups"]} == {""}
    assert {v for rule in rules for v in rule["verbs"]} == {"get", "list"}


def test_versions_that_differ():
    mine = {"python": "3.11.7", "numpy": "2.4.6", "dask": "2026.8.0", "pandas": None}
    theirs = {"python": "3.12.1", "numpy": "2.1.0", "dask": "2026.8.0", "pandas": "3.0.0"}
    assert images.differences(mine, theirs) == ["python 3.11.7 here, 3.12.1 there"]
    with pytest.warns(UserWarning, match=r"python .* here, 3.1.0 there") as told:
        images.warn_of_differences({"packages": {"python": "3.1.0.final.0", "dask": "1.0.0"}})
    assert len(told) == 1
    assert "dask" in str(told[0].message)


def test_the_list():
    now = datetime(2026, 1, 2, tzinfo=UTC)
    born = {"creationTimestamp": "2026-01-01T22:00:00Z"}
    good = {"annotations": {names.CERTIFIED: "2026-02-02T12:00:00+00:00"}}
    cluster = {
        "metadata": {"name": "mars", "namespace": "b", **born, **good},
        "spec": {"worker": {"replicas": 3}},
    }
    left = {"metadata": {"name": "a", "deletionTimestamp": "x", **born}}
    taken = {"metadata": {"name": "b", **born}}
    groups = [
        {"metadata": {"namespace": where}, "spec": {"cluster": "mars", "worker": {"replicas": n}}}
        for where, n in (("b", 2), ("b", 5), ("c", 1))
    ]
    assert [each.workers for each in removal.rows([cluster], groups, [], now)] == ["7"], "as they are now"
    assert removal.rows([cluster], [], [left, taken], now) == [
        ("a", "-", "-", "2h", "-", "going away"),
        ("b", "mars", "3", "2h", "31d", "there"),
    ]


def test_containers_that_the_kernel_has_killed(tmp_path):
    ports = [{"name": "tcp-comm", "containerPort": 8788}]
    spec = {"containers": [{"ports": ports}]}
    dead = pod(podIP="10.0.0.9", containerStatuses=[{"lastState": OOM}]) | {"spec": spec}
    fine = pod(podIP="10.0.0.8", containerStatuses=[{"state": {"running": {}}}]) | {"spec": spec}
    ((_, event),) = killed.events_of([dead, fine], "tls")
    assert event["worker"] == "tls://10.0.0.9:8788"
    (tmp_path / "v1").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")
    (tmp_path / "v2").write_text("low 0\noom 5\noom_kill 4\noom_group_kill 1\n")
    assert [killed.count([tmp_path / n]) for n in ("v1", "v2", "none")] == [3, 4, 0]


@pytest.mark.parametrize(
    ("passed", "answering", "late"),
    [(29, math.inf, False), (31, math.inf, True), (80, 50, False), (95, 65, True)],
)
def test_an_operator_that_was_cut_off_too_has_longer(passed, answering, late):
    assert states.neglected(SimpleNamespace(passed=passed), answering) == late
