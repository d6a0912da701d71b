"""Clusters that do not come up: an error within the deadline that names the cause, and nothing left behind."""

import contextlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from kubernetes import client

from marsdask.deploy.kubernetes import new_cluster
from marsdask.deploy.kubernetes import states as waits
from marsdask.errors import (
    ArgumentError,
    ClusterNotStarted,
    ClusterStartTimeout,
    ClusterUnreachable,
    KubernetesError,
    NotPermitted,
)
from tests.kubernetes.clusters import PATIENCE, SMALL, gone, namespace, quota, unique, until, user_with

SLACK = 100.0
"""Seconds after the deadline in which the error is there, also beside other work; the calls would wait for ever."""


@contextlib.contextmanager
def failing(api, kind, match, timeout=None, **arguments):
    """The call in the block fails so, in time, and leaves nothing."""
    name = arguments.pop("namespace", None) or unique()
    begun = time.monotonic()
    with pytest.raises(kind, match=match) as failed:
        new_cluster(api.client, **SMALL | {"timeout": timeout, "namespace": name} | arguments)
    took = time.monotonic() - begun
    yield failed.value
    if timeout is not None:
        assert took < timeout + SLACK
    if not arguments.get("existing_namespace"):
        gone(api, name)


MISSING = "localhost/nobody/made-this:never"
CALLS = {
    "image": ({"image": MISSING}, r"scheduler pod .*: ErrImage\w+, the image .*Hint: build it"),
    "memory": (
        {"worker_mem": "900g"},
        # The others of these clusters may hold the cores meanwhile.
        r"1 of 2 pods Pending: (Insufficient cpu, )?Insufficient memory: 0/1 nodes .*Hint: ask for less",
    ),
    "cores": ({"worker_cpu": 900}, r"Pending: Insufficient cpu"),
    "nodes": ({"node_selectors": {"pool": "none"}}, r"no node has the labels of node_selectors"),
    "scheduler": (
        {"supervisor_extra_modules": "not_there_at_all"},
        r"(?s)No module named 'not_there_at_all'",
    ),
    "worker": ({"worker_extra_modules": "not_there_at_all"}, r"(?s)No module named 'not_there_at_all'"),
}
TIMEOUT = 150
"""Seconds in which a node beside other work has come as far as it can with six clusters at once."""


@pytest.fixture(scope="module")
def failures(api):
    """The error of each call and how long it took; all at once, as they wait most of the time."""

    def one(arguments):
        name, begun = unique(), time.monotonic()
        with pytest.raises(ClusterStartTimeout) as failed:
            new_cluster(api.client, **SMALL | {"timeout": TIMEOUT, "namespace": name} | arguments)
        return failed.value, time.monotonic() - begun, name

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(len(CALLS)) as pool:
        patch.setattr(
            "marsdask.deploy.kubernetes.starting.PATIENCE", 10.0 * TIMEOUT
        )  # another error would come first
        running = {call: pool.submit(one, arguments) for call, (arguments, _) in CALLS.items()}
        return {call: each.result(timeout=TIMEOUT + PATIENCE) for call, each in running.items()}


@pytest.mark.parametrize("call", CALLS)
def test_the_error_names_the_cause_in_time_and_nothing_is_left(api, failures, call):
    error, took, name = failures[call]
    assert re.search(CALLS[call][1], str(error)), error
    assert isinstance(error, TimeoutError)
    assert "Pods (" in str(error)
    assert took < TIMEOUT + SLACK
    gone(api, name)


def test_the_logs_of_all_pods_if_asked_for(api, caplog):
    with failing(api, ClusterStartTimeout, "Insufficient", timeout=60, worker_mem="900g", log_when_fail=True):
        pass
    assert "log of mars-scheduler" in caplog.text


def test_what_cannot_come_up_ends_before_the_deadline(api, monkeypatch):
    monkeypatch.setattr("marsdask.deploy.kubernetes.starting.PATIENCE", 4.0)
    with failing(
        api, ClusterNotStarted, "not been able to come up for 4 s: .*ErrImage", timeout=None, image=MISSING
    ) as error:
        assert not isinstance(error, TimeoutError)
    assert waits.PATIENCE == 60


def test_a_namespace_that_is_there(api):
    with namespace(api) as name:
        with pytest.raises(
            ArgumentError, match=rf"namespace='{name}' exists already.*existing_namespace=True"
        ):
            new_cluster(api.client, namespace=name, **SMALL)
        assert api.clusters(name) == []
    with pytest.raises(ArgumentError, match="there is none"):
        new_cluster(api.client, namespace=unique(), existing_namespace=True, **SMALL)


def test_a_quota_that_leaves_too_little(api):
    with namespace(api) as name:
        quota(api, name, **{"requests.memory": "500Mi"})
        with pytest.raises(KubernetesError, match=r"quota 'small' .* leaves .* of requests\.memory"):
            new_cluster(api.client, namespace=name, existing_namespace=True, **SMALL)
        assert api.clusters(name) == []
        assert api.call(api.core.list_namespaced_secret, name)["items"] == []


def test_a_quota_that_is_used_up_meanwhile(api, monkeypatch):
    monkeypatch.setattr("marsdask.deploy.kubernetes.preflight.check_quotas", lambda *_: None)
    with namespace(api) as name:
        quota(api, name, pods=1)
        with failing(
            api, ClusterStartTimeout, "quota is used up", timeout=60, namespace=name, existing_namespace=True
        ):
            assert until(lambda: api.clusters(name) == [])
        left = api.call(api.core.list_namespaced_secret, name)["items"]
        left += api.call(api.networking.list_namespaced_network_policy, name)["items"]
        assert left == []
        until(lambda: api.pods(name, "dask.org/cluster-name") == [])


def test_a_user_without_rights(api):
    with namespace(api) as home, user_with(api, home) as nobody:
        name = unique()
        with pytest.raises(
            NotPermitted, match=r"may not: create daskclusters, .*marsdask kubernetes rbac"
        ) as error:
            new_cluster(nobody, namespace=name, **SMALL)
        assert isinstance(error.value, PermissionError)
        assert "create namespaces" in str(error.value)
        assert api.namespace(name) is None


def test_a_server_that_does_not_answer():
    settings = client.Configuration()
    settings.host, settings.retries = "https://127.0.0.1:1", False
    with client.ApiClient(settings) as nowhere, pytest.raises(ClusterUnreachable, match=r"127\.0\.0\.1:1"):
        new_cluster(nowhere, **SMALL)


def test_an_interrupt_takes_everything_away(api, monkeypatch):
    name = unique()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("marsdask.deploy.kubernetes.starting.Start._pause", interrupted)
    with pytest.raises(KeyboardInterrupt):
        new_cluster(api.client, namespace=name, **SMALL)
    gone(api, name)


@contextlib.contextmanager
def without_operator(api, replicas=0):
    """The operator's Deployment without a pod, or none at all."""
    where = ("dask-operator", "dask-operator")
    api.call(api.apps.patch_namespaced_deployment_scale, *where, {"spec": {"replicas": replicas}})
    until(
        lambda: not api.call(api.apps.read_namespaced_deployment, *where)["status"].get("availableReplicas")
    )
    try:
        yield
    finally:
        api.call(api.apps.patch_namespaced_deployment_scale, *where, {"spec": {"replicas": 1}})
        until(
            lambda: api.call(api.apps.read_namespaced_deployment, *where)["status"].get("availableReplicas")
        )


@pytest.mark.alone
def test_no_operator(api, monkeypatch):
    with without_operator(api):
        name = unique()
        with pytest.raises(KubernetesError, match=r"none of its pods is ready.*marsdask kubernetes status"):
            new_cluster(api.client, namespace=name, **SMALL)
        assert api.namespace(name) is None
        # Who may not look at Deployments is told a little later.
        monkeypatch.setattr("marsdask.deploy.kubernetes.preflight.check_operator", lambda _: None)
        monkeypatch.setattr("marsdask.deploy.kubernetes.states.TAKEN_UP", 3.0)
        with failing(
            api,
            ClusterNotStarted,
            "no Dask operator has begun .*marsdask kubernetes install",
            timeout=PATIENCE,
        ):
            pass


def test_no_definitions(api, monkeypatch):
    monkeypatch.setattr("marsdask.deploy.kubernetes.api.GROUP", "nothing.dask.org")
    with pytest.raises(KubernetesError, match=r"does not know Dask's resources.*marsdask kubernetes install"):
        new_cluster(api.client, **SMALL)
