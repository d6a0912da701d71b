"""The seed's page and all around it, on a real node: one cluster, used by many tests."""

import contextlib
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import yaml
from distributed.security import Security

import marsdask.tensor as mt
from marsdask.deploy.kubernetes import KubernetesClusterClient, credentials, new_cluster, rights
from marsdask.errors import ArgumentError, ClusterUnreachable, NotPermitted
from marsdask.session import get_default_session, new_session
from tests.deploy.test_specs import CALLS
from tests.kubernetes.clusters import SMALL, cluster, namespace, until, user_with


@pytest.fixture(scope="module")
def made(api_client):
    """A cluster of which one worker is enough: the other finds no node, as it does not bear the first one's."""
    alone = {
        "labelSelector": {"matchLabels": {"dask.org/component": "worker"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [alone]}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with cluster(
            api_client, worker_num=2, min_worker_num=1, worker_pod_template={"spec": {"affinity": apart}}
        ) as found:
            yield found


def product(session=None):
    """A product computed there, and NumPy's."""
    a = mt.arange(100, chunk_size=5).reshape(10, 10)
    computed = a.dot(a.T).execute(session=session).fetch(session=session)
    expected = np.arange(100).reshape(10, 10)
    return computed, expected.dot(expected.T)


def test_the_page(made, api_client):
    assert get_default_session() is made.session
    a = mt.random.RandomState(0).rand(10, 10)
    squared = a.dot(a.T).execute()
    data = a.execute().fetch()
    np.testing.assert_allclose(squared.fetch(), data.dot(data.T))
    np.testing.assert_array_equal(*product())
    assert made.cluster.registered == 1
    other = KubernetesClusterClient(api_client, made.namespace, made.endpoint, default=False)
    np.testing.assert_array_equal(*product(other.session))
    other.close()
    np.testing.assert_array_equal(*product())


def test_with_as_few_rights_as_a_second_process_needs(made, api):
    with (
        namespace(api) as home,
        user_with(api, home, rights.reader(made.namespace)) as limited,
    ):
        other = KubernetesClusterClient(limited, made.namespace, made.endpoint, default=False)
        np.testing.assert_array_equal(*product(other.session))
        with pytest.raises(NotPermitted, match="daskautoscalers"):
            other.scale(3)
        other.close()


def test_endpoints_that_are_none(made, api_client):
    for endpoint in ("x", "http://x", None, "ftp://x:1"):
        with pytest.raises((ArgumentError, TypeError), match="endpoint"):
            KubernetesClusterClient(api_client, made.namespace, endpoint)
    with pytest.raises(ClusterUnreachable, match="holds no cluster"):
        KubernetesClusterClient(api_client, "default", made.endpoint)


@pytest.mark.parametrize("kind", ["plain", "other"])
def test_who_has_not_its_certificate_is_refused(made, kind):
    security = Security.temporary() if kind == "other" else None
    address = made.cluster.comm_address
    if kind == "plain":
        address = address.replace("tls://", "tcp://")
    with pytest.raises(ClusterUnreachable, match=re.escape(address)), silent():
        new_session(address, security=security, timeout=5, default=False)


@contextlib.contextmanager
def silent():
    """Without Dask's own warnings, of the patch version of Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_who_has_its_certificate_is_let_in(made, api):
    secret = api.secret(made.namespace, "mars-tls")
    security = credentials.from_secret(secret["data"])
    with silent(), new_session(made.cluster.comm_address, security=security, default=False) as session:
        np.testing.assert_array_equal(*product(session))
    workers = made.cluster.scheduler_info["workers"]
    assert all(address.startswith("tls://") for address in workers)


def test_pods_are_restricted_and_hold_no_token(made, api):
    labels = api.namespace(made.namespace)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    pods = api.pods(made.namespace, "dask.org/cluster-name=mars")
    assert len(pods) == 3
    for pod in pods:
        mounts = [m["mountPath"] for c in pod["spec"]["containers"] for m in c["volumeMounts"]]
        assert not any("serviceaccount" in path for path in mounts)
    token = "/var/run/secrets/kubernetes.io/serviceaccount/token"
    session = made.session
    there = session.engine.client.run(
        lambda: (__import__("os").path.exists(token), __import__("os").getuid())
    )
    assert all(not found and uid != 0 for found, uid in there.values())
    container = {"name": "x", "image": "x", "securityContext": {"privileged": True}}
    body = {"metadata": {"name": "x"}, "spec": {"containers": [container]}}
    with pytest.raises(NotPermitted, match="PodSecurity"):
        api.call(api.core.create_namespaced_pod, made.namespace, body, dry_run="All")


def test_what_is_beside_the_cluster(made, api):
    policies = api.call(api.networking.list_namespaced_network_policy, made.namespace)["items"]
    assert {p["metadata"]["name"] for p in policies} == {"mars-scheduler", "mars-worker"}
    assert (
        api.secret(made.namespace, "mars-tls")["metadata"]["labels"]["app.kubernetes.io/managed-by"]
        == "marsdask"
    )


def test_what_is_shown_of_it(made):
    assert made.namespace in repr(made)
    assert made.dashboard_link.startswith(f"{made.endpoint}/status?token=")
    assert made.dashboard_link in made._repr_html_()
    assert any("distributed.scheduler" in text for text in made.logs().values())
    assert set(made.logs(1).values()) != {""}


def test_memory_is_what_was_asked_for(made):
    (worker,) = made.cluster.scheduler_info["workers"].values()
    assert worker["memory_limit"] == 400 * 2**20
    assert worker["nthreads"] == 1


def test_an_autoscaler_is_there_until_somebody_scales(made, api):
    made.adapt(minimum=1, maximum=2)
    made.adapt(1, 3)
    spec = api.get("daskautoscalers", made.namespace, "mars")["spec"]
    assert (spec["minimum"], spec["maximum"]) == (1, 3)
    made.scale(2)
    until(lambda: api.get("daskautoscalers", made.namespace, "mars") is None)


def test_size_is_checked(made):
    for bad in (-1, 2.5, "x", None):
        with pytest.raises(ValueError, match="n="):
            made.scale(bad)
    for bad in ({"maximum": None}, {"minimum": 2, "maximum": 1}, {"minimum": -1, "maximum": 1}):
        with pytest.raises(ValueError, match=r"m(in|ax)imum="):
            made.adapt(**bad)


GOLDEN = [Path(__file__).parents[1] / f"deploy/golden/{call}.yaml" for call in CALLS]


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_the_server_takes_every_object(api, file):
    with namespace(api) as name:
        for body in yaml.safe_load_all(file.read_text()):
            body["metadata"]["namespace"] = name
            if body["kind"].startswith("Dask"):
                api.made(f"{body['kind'].lower()}s", name, body, dry_run=True)
            elif body["kind"] == "NetworkPolicy":
                api.call(api.networking.create_namespaced_network_policy, name, body, dry_run="All")
            elif body["kind"] == "Service":
                api.call(api.core.create_namespaced_service, name, body, dry_run="All")
            else:
                del body["metadata"]["namespace"]
                body["metadata"]["name"] += "-other"
                api.call(api.core.create_namespace, body, dry_run="All")


def test_a_field_that_is_not_known_is_an_error(api):
    with namespace(api) as name:
        body = yaml.safe_load_all(GOLDEN[-1].read_text())
        (body,) = [each for each in body if each["kind"] == "DaskCluster"]
        body["metadata"]["namespace"] = name
        body["spec"]["worker"]["spec"]["nodeSelektor"] = {}
        with pytest.raises(RuntimeError, match="nodeSelektor"):
            api.made("daskclusters", name, body, dry_run=True)


def test_it_does_not_grow_beyond_what_the_nodes_hold(made, api):
    def phases():
        return sorted(p["status"]["phase"] for p in api.pods(made.namespace, "dask.org/component=worker"))

    until(lambda: phases() == ["Pending", "Running"])
    until(lambda: made.cluster.registered == 1)


PAGE = Path(__file__).parents[2] / "docs/kubernetes.md"


def test_the_page_of_the_docs(api_client, monkeypatch):
    program = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    small = program.replace("worker_num=100", "worker_num=2").replace("min_worker_num=95", "min_worker_num=1")
    assert small.count("=2") == small.count("min_worker_num=1") == 1
    monkeypatch.setattr("kubernetes.config.new_client_from_config", lambda: api_client)
    monkeypatch.setattr("marsdask.deploy.kubernetes.new_cluster", smaller, raising=False)
    names = {}
    exec(compile(small, PAGE, "exec"), names)
    assert names["cluster"].session is None


def smaller(api_client, **arguments):
    """The page's call, for a node with two cores."""
    return new_cluster(api_client, **arguments | SMALL)
