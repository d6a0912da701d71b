"""Worker groups: what their pods get, who does which work, and which of them go."""

import dask
import pytest

import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.deploy.kubernetes import new_cluster, rights
from marsdask.deploy.kubernetes.names import group_of
from marsdask.engine.workers import workers_of
from marsdask.errors import NotPermitted
from tests.kubernetes.clusters import (
    PATIENCE,
    SMALL,
    cluster,
    computed_once,
    namespace,
    pods,
    until,
    user_with,
)

GPU = "marsdask.org/gpu"
"""What a device plugin would tell of the node."""


@pytest.fixture(scope="module")
def gpu(api):
    """The node, with one of these."""
    node, *_ = api.call(api.core.list_node)["items"]
    name = node["metadata"]["name"]

    def has(n):
        body = {"status": {"capacity": {GPU: n}, "allocatable": {GPU: n}}}
        api.call(api.core.patch_node_status, name, body)

    has("1")
    yield name
    has(None)


@pytest.fixture(scope="module")
def made(api_client, gpu):
    groups = [
        {"name": "gpu", "worker_mem": "450m", "worker_resources": {GPU: 1, "FAST": 2}},
        {
            "name": "spot",
            "worker_extra_labels": {"team": "flights"},
            "node_selectors": {"kubernetes.io/hostname": gpu},
            "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
        },
    ]
    with cluster(api_client, worker_groups=groups) as found:
        yield found


def of(made, group: str) -> list[str]:
    workers = workers_of(made.session.engine.client).values()
    return [each["name"] for each in workers if group_of(each["name"]) == f"mars-{group}"]


def test_the_call_has_waited_for_all_of_them(made, api, place):
    assert [len(of(made, group)) for group in ("default", "gpu", "spot")] == [1, 1, 1]
    found = api.pods(made.namespace, "dask.org/component=worker")
    by_group = {each["metadata"]["labels"]["dask.org/workergroup-name"]: each for each in found}
    gpu, spot = by_group["mars-gpu"], by_group["mars-spot"]
    resources = gpu["spec"]["containers"][0]["resources"]
    assert resources["requests"][GPU] == resources["limits"][GPU] == "1"
    assert resources["limits"]["memory"] == str(450 * 2**20)
    assert GPU not in spot["spec"]["containers"][0]["resources"]["limits"]
    assert spot["metadata"]["labels"]["team"] == "flights"
    assert "spot" in {each.get("key") for each in spot["spec"]["tolerations"]}
    (line,) = [line for line in place.marsdask("list").output.splitlines() if made.namespace in line]
    assert line.split()[2] == "3"


def test_work_that_asks_for_a_resource_goes_where_it_is(made):
    def where():  # in here: workers do not have this file
        from distributed import get_worker

        return get_worker().name

    with dask.annotate(resources={GPU: 1}):
        assert {mr.spawn(where).execute().fetch() for _ in range(4)} == {*of(made, "gpu")}
    x = mt.arange(1000, chunk_size=10)
    with dask.annotate(resources={"FAST": 1}):
        held = x.execute()
    client = made.session.engine.client
    workers = workers_of(client)
    holders = {each for at in client.who_has().values() for each in at}
    assert {workers[each]["name"] for each in holders} == {*of(made, "gpu")}
    assert held.sum().execute().fetch() == 499500


def test_one_group_grows_and_shrinks_and_the_others_stay(made, api):
    others = {*of(made, "default"), *of(made, "gpu")}
    made.scale(3, "spot")
    made.wait_for_workers(5, timeout=PATIENCE)
    x = mt.arange(6_000_000, chunk_size=500_000).execute()
    client = made.session.engine.client
    keys = [key for key, at in client.who_has().items() if at]
    made.scale(1, "spot")
    until(lambda: len(of(made, "spot")) == 1)
    assert others == {*of(made, "default"), *of(made, "gpu")}
    assert all(client.who_has(keys).values())
    assert x.sum().execute().fetch() == 17999997000000
    assert computed_once(client, keys)
    until(lambda: len(pods(api, made, "worker")) == 3)


def test_a_stopped_cluster_leaves_no_group_in_a_namespace_that_stays(api, api_client):
    with namespace(api) as where:
        with cluster(api_client, namespace=where, existing_namespace=True, worker_groups=[{"name": "more"}]):
            assert len(api.resources("daskworkergroups", where)) == 2
        until(lambda: not api.resources("daskworkergroups", where))
        assert not api.listed(api.apps.list_namespaced_deployment, where)


def test_who_may_not_make_groups_learns_it_before_anything_is_made(api, api_client):
    least = rights.rules("ClusterIP", own_namespace=False, groups=False)
    with namespace(api) as where:
        role = rights.manifest("few", least, {}, where)
        with user_with(api, where, role) as theirs:
            asked = SMALL | {"namespace": where, "existing_namespace": True, "service_type": "ClusterIP"}
            with pytest.raises(NotPermitted, match=r"may not: create daskworkergroups.* Hint: .*rbac"):
                new_cluster(theirs, **asked, worker_groups=[{"name": "more"}])
            assert api.clusters(where) == []
            new_cluster(theirs, **asked).stop(wait=True, timeout=PATIENCE)
