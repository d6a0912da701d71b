"""Clusters whose ports do not answer, and what a namespace asks of pods: another way, or an error that names it, soon."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import marsdask.tensor as mt
from marsdask.deploy.kubernetes import KubernetesClusterClient, new_cluster, rights, starting
from marsdask.deploy.kubernetes.api import Api
from marsdask.errors import ArgumentError, ClusterNotStarted
from tests.kubernetes.clusters import (
    PATIENCE,
    SMALL,
    cluster,
    gone,
    namespace,
    quota,
    unique,
    until,
    user_with,
)
from tests.kubernetes.conftest import Place


@contextlib.contextmanager
def blocked(api: Api, where: str) -> Iterator[None]:
    """Nothing on this machine reaches the node ports of a namespace, from the moment they are known."""
    rules: list[list[str]] = []
    over = threading.Event()

    def block() -> None:
        while not over.is_set():
            for service in api.services(where, ""):
                for port in service["spec"]["ports"]:
                    # Before kube-proxy's own rules make another port of it.
                    rule = ["OUTPUT", "-p", "tcp", "--dport", str(port.get("nodePort")), "-j", "DROP"]
                    if "nodePort" in port and rule not in rules:
                        subprocess.run(["iptables", "-w", "-t", "raw", "-I", *rule], check=True)
                        rules.append(rule)
            time.sleep(0.1)

    blocking = threading.Thread(target=block)
    blocking.start()
    try:
        yield
    finally:
        over.set()
        blocking.join()
        for rule in rules:
            subprocess.run(["iptables", "-w", "-t", "raw", "-D", *rule], check=True)


@pytest.fixture
def own_node(place: Place) -> None:
    if place.node is None:
        pytest.skip("blocks ports on the node, which is not ours")


@pytest.mark.usefixtures("own_node")
def test_the_api_is_gone_through_where_node_ports_are_blocked(api, caplog):
    name = unique()
    with blocked(api, name), cluster(api.client, namespace=name) as made:
        assert made.cluster.forwarded
        assert "does not answer" in caplog.text
        assert mt.ones((40, 40), chunk_size=20).sum().execute(session=made.session).fetch() == 1600
        other = KubernetesClusterClient(api.client, name, made.endpoint, default=False)  # elsewhere
        assert other.cluster.forwarded
        other.close()


@pytest.mark.usefixtures("own_node")
def test_blocked_ports_are_told_where_they_were_asked_for(api):
    name = unique()
    with (
        blocked(api, name),
        pytest.raises(ClusterNotStarted, match=r":3\d{4} does not answer .*Hint: service_type='ClusterIP'"),
    ):
        new_cluster(api.client, service_type="NodePort", **SMALL | {"namespace": name})
    gone(api, name)


def test_a_load_balancer_that_nobody_makes(api, monkeypatch):
    name = unique()
    monkeypatch.setitem(starting.SILENT, "LoadBalancer", 3.0)
    with pytest.raises(
        ClusterNotStarted, match=r"load balancer has no address yet.*service_type='ClusterIP'"
    ):
        new_cluster(api.client, service_type="LoadBalancer", **SMALL | {"namespace": name})
    gone(api, name)


def test_what_no_node_can_hold_ends_by_itself(api, monkeypatch):
    name = unique()
    monkeypatch.setattr(starting, "PATIENCE", 4.0)
    with pytest.raises(
        ClusterNotStarted, match=r"come up for 4 s: .*Insufficient memory.*Hint: ask for less"
    ):
        new_cluster(api.client, **SMALL | {"namespace": name, "worker_mem": "900g", "timeout": None})
    gone(api, name)


def test_limits_where_a_quota_asks_for_them(api):
    with namespace(api) as name, user_with(api, name, rights.role(None, name)) as user:
        quota(
            api,
            name,
            **{"limits.cpu": 4, "limits.memory": "8Gi", "requests.cpu": 4, "requests.memory": "8Gi"},
        )
        with cluster(user, namespace=name, existing_namespace=True) as made:
            assert mt.ones(10).sum().execute(session=made.session).fetch() == 10
            (pod,) = api.pods(name, "dask.org/component=scheduler")
            assert pod["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1", "memory": "1Gi"}


def test_a_quota_that_wants_what_pods_do_not_say(api, monkeypatch):
    monkeypatch.setattr("marsdask.deploy.kubernetes.preflight.asked_limits", lambda _: set())
    monkeypatch.setattr(starting, "PATIENCE", 4.0)
    with namespace(api) as name:
        quota(api, name, **{"limits.cpu": 4})
        with pytest.raises(
            ClusterNotStarted, match=r"quota .* wants more said of the pods: .*must specify limits\.cpu"
        ):
            new_cluster(
                api.client, **SMALL | {"namespace": name, "existing_namespace": True, "timeout": None}
            )


def test_a_namespace_that_is_being_deleted(api):
    with namespace(api) as name:
        held = {"metadata": {"name": "held", "finalizers": ["example.org/held"]}}
        api.call(api.core.create_namespaced_config_map, name, held)
        api.call(api.core.delete_namespace, name)
        try:
            for existing in (True, False):
                with pytest.raises(ArgumentError, match=rf"namespace='{name}' is being deleted"):
                    new_cluster(api.client, **SMALL | {"namespace": name, "existing_namespace": existing})
        finally:
            free = [{"op": "remove", "path": "/metadata/finalizers"}]
            api.call(api.core.patch_namespaced_config_map, "held", name, free)


@pytest.mark.alone
@pytest.mark.usefixtures("own_node")
def test_the_api_goes_away_for_half_a_minute_while_a_cluster_comes_up(api):
    name, rule = unique(), ["INPUT", "-p", "tcp", "--dport", "6443", "-j", "DROP"]
    with ThreadPoolExecutor(1) as pool:
        making = pool.submit(new_cluster, api.client, **SMALL | {"namespace": name})
        until(lambda: api.clusters(name))
        subprocess.run(["iptables", "-w", "-I", *rule], check=True)
        try:
            time.sleep(30)
            assert not making.done()
        finally:
            subprocess.run(["iptables", "-w", "-D", *rule], check=True)
        made = making.result(PATIENCE)
    with made:
        assert mt.ones(10).sum().execute(session=made.session).fetch() == 10
    gone(api, name)
