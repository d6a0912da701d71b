"""Clusters of each type of Service, made by users with the least rights; nothing of one is left after ten."""

import gc
import os
import socket
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import marsdask.tensor as mt
from marsdask.deploy.kubernetes import KubernetesCluster, KubernetesClusterClient, new_cluster, rights
from marsdask.errors import NotPermitted
from marsdask.session import get_default_session, new_session
from tests.kubernetes.clusters import PATIENCE, SMALL, cluster, namespace, until, user_with


def right(session) -> bool:
    """Whether a cluster computes what NumPy does."""
    a = mt.arange(100, chunk_size=5).reshape(10, 10)
    expected = np.arange(100).reshape(10, 10)
    found = a.dot(a.T).execute(session=session).fetch(session=session)
    return bool((found == expected.dot(expected.T)).all())


def balanced(api, where, stop):
    """The part of a load balancer: the node's own address, as there is none here."""
    while not stop.wait(0.2):
        for service in api.services(where, "dask.org/cluster-name"):
            if service["spec"]["type"] == "LoadBalancer" and not service["status"]["loadBalancer"]:
                # kube-proxy takes connections to this address on the Service's own port.
                status = {"status": {"loadBalancer": {"ingress": [{"ip": "10.231.7.200"}]}}}
                api.call(api.core.patch_namespaced_service_status, service["metadata"]["name"], where, status)


@pytest.mark.parametrize("kind", ["NodePort", "ClusterIP", "LoadBalancer"])
def test_the_least_rights_in_a_namespace_that_is_there(api, kind):
    before = threading.active_count()
    with namespace(api) as name, user_with(api, name, rights.role(kind, name)) as user:
        stop = threading.Event()
        balancer = threading.Thread(target=balanced, args=(api, name, stop))
        balancer.start()
        try:
            with cluster(
                user, namespace=name, existing_namespace=True, service_type=kind, service_name="marsservice"
            ) as made:
                assert right(made.session)
                service = api.service(name, "marsservice")
                assert service["spec"]["type"] == kind
                assert made.logs()
                if kind == "ClusterIP":
                    assert made.endpoint.startswith("http://127.0.0.1:")
                    host, port = made.endpoint.removeprefix("http://").split(":")
                    socket.create_connection((host, int(port)), timeout=PATIENCE).close()
        finally:
            stop.set()
            balancer.join(PATIENCE)
        assert api.namespace(name)["status"]["phase"] == "Active"
        for listing in (
            api.core.list_namespaced_secret,
            api.core.list_namespaced_service,
            api.networking.list_namespaced_network_policy,
        ):
            until(lambda listing=listing: api.call(listing, name)["items"] == [])
    until(lambda: threading.active_count() <= before)


def test_without_one_of_these_rights(api):
    role = rights.role("ClusterIP", "x")
    with namespace(api) as name:
        role["metadata"]["namespace"] = name
        role["rules"] = [rule for rule in role["rules"] if "pods/portforward" not in rule["resources"]]
        with user_with(api, name, role) as user, pytest.raises(NotPermitted, match="create pods/portforward"):
            new_cluster(user, namespace=name, existing_namespace=True, service_type="ClusterIP", **SMALL)


@pytest.mark.filterwarnings("ignore:security=False")
def test_without_encryption_by_a_user_who_makes_namespaces(api):
    with (
        namespace(api) as home,
        user_with(api, home, rights.role("NodePort", None)) as user,
        cluster(user, security=False) as made,
    ):
        assert right(made.session)
        assert made.cluster.comm_address.startswith("tcp://")
        with new_session(made.endpoint, default=False) as session:
            assert right(session)
        other = KubernetesClusterClient(user, made.namespace, made.endpoint, default=False)
        assert right(other.session)
        other.close()


def test_risks_are_told(api):
    with pytest.warns(UserWarning, match="security=False: whoever reaches the nodes' ports"):
        KubernetesCluster(api.client, security=False, image="x").tell_of_risks()
    with pytest.warns(
        UserWarning, match=r"pods see directories of their nodes: /srv; .* labelled 'privileged'"
    ):
        KubernetesCluster(api.client, worker_spill_paths=["/srv"], image="x").tell_of_risks()


def test_directories_of_nodes_where_they_are_allowed(api, tmp_path):
    tmp_path.chmod(0o777)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with cluster(api.client, worker_spill_paths=[str(tmp_path)]) as made:
            labels = api.namespace(made.namespace)["metadata"]["labels"]
            assert labels["pod-security.kubernetes.io/enforce"] == "privileged"
            assert right(made.session)
            assert list(tmp_path.iterdir())


def leaks() -> tuple[int, int]:
    gc.collect()
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


@pytest.mark.minutes(3)
@pytest.mark.timeout(1800)
def test_one_after_another_and_two_at_once_leave_nothing(api):
    before = get_default_session()
    with cluster(api.client) as first:
        assert right(first.session)
    threads, files = leaks()
    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(lambda _: one(api), range(2)))
    for _ in range(int(os.environ.get("MARSDASK_TEST_CLUSTERS", "3"))):
        assert one(api)
    del pool
    until(lambda: leaks()[0] <= threads, what=f"threads {threading.enumerate()}")
    assert leaks()[1] <= files + 2
    assert get_default_session() in (None, before)


def one(api) -> bool:
    with cluster(api.client, service_type="ClusterIP") as made:
        return right(made.session)
