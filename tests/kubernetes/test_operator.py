"""The operator that `install` put in: its rights are enough for everything it does, and it uses all of them."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import yaml

from marsdask.deploy.kubernetes import operator
from marsdask.deploy.kubernetes.api import Api
from tests.kubernetes.clusters import namespace, until
from tests.kubernetes.conftest import Place
from tests.kubernetes.operated import cluster_spec, pod, unused_rights

pytestmark = pytest.mark.alone
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


# A process of its own: dask-kubernetes takes its cluster from the environment, and leaves connections open at its end.
LIVE = """
import asyncio, sys, yaml
from dask_kubernetes.operator import KubeCluster

async def registered(cluster, count):
    for _ in range(1200):
        if len((await cluster.scheduler_comm.identity(n_workers=-1))["workers"]) == count:
            return
        await asyncio.sleep(0.2)
    sys.exit(f"there were not {count} workers in four minutes")

async def live(namespace, spec):
    async with KubeCluster(custom_cluster_spec=spec, namespace=namespace, asynchronous=True, quiet=True) as cluster:
        await registered(cluster, 1)
        await cluster.scale(2)
        await registered(cluster, 2)
        await cluster.scale(1)
        await registered(cluster, 1)
        await cluster.adapt(minimum=2, maximum=3)
        await registered(cluster, 2)

asyncio.run(asyncio.wait_for(live(sys.argv[1], yaml.safe_load(sys.argv[2])), 900))
"""


def test_dask_kubernetes_own_cluster_works_as_it_is(place: Place, api: Api) -> None:
    """KubeCluster, unmodified: made, grown, shrunk, adapted, closed; under Pod Security `restricted`."""
    with namespace(api, **RESTRICTED) as where:
        spec = yaml.safe_dump(cluster_spec("plain", place.image))
        words = [sys.executable, "-c", LIVE, where, spec]
        environment = os.environ | {"KUBECONFIG": str(place.kubeconfig)}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        until(lambda: api.get("daskclusters", where, "plain") is None)
        until(lambda: not api.pods(where, "dask.org/component=worker"))


def test_a_cluster_does_not_stay_pending(place: Place, api: Api) -> None:
    """As dask-kubernetes leaves one now and then; its KubeCluster waits for Running."""

    def phase() -> str | None:
        return (api.get("daskclusters", where, "slow") or {}).get("status", {}).get("phase")

    with namespace(api) as where:
        api.made("daskclusters", where, cluster_spec("slow", place.image, workers=0))
        until(lambda: phase() == "Running")
        api.patched("daskclusters", where, "slow", {"status": {"phase": "Pending"}})
        until(lambda: phase() == "Running")


def test_a_cluster_does_not_stay_created(place: Place, api: Api) -> None:
    """As kopf leaves one now and then; here because it has noted that it is done with Created."""
    done = "kopf.zalando.org/last-handled-configuration"

    def found() -> dict[str, Any]:
        made = api.get("daskclusters", where, "left")
        assert made is not None
        return made

    def noted() -> dict[str, Any]:
        text = found()["metadata"].get("annotations", {}).get(done, "{}")
        return dict(json.loads(text))

    def phase(of: dict[str, Any]) -> Any:
        return of.get("status", {}).get("phase")

    with namespace(api) as where:
        api.made("daskclusters", where, cluster_spec("left", place.image, workers=0))
        # The phase alone may be ahead of kopf: it is the Service that sets it, while the cluster's own handler still goes on.
        until(lambda: phase(found()) == phase(noted()) == "Running")
        before = noted() | {"status": {"phase": "Created"}}
        change = {"metadata": {"annotations": {done: json.dumps(before)}}, "status": {"phase": "Created"}}
        api.patched("daskclusters", where, "left", change)
        api.call(api.core.delete_namespaced_service, "left-scheduler", where)
        until(lambda: phase(found()) == "Running")
        assert api.service(where, "left-scheduler")


def test_a_job_and_an_idle_cluster(place: Place, api: Api) -> None:
    """What else the operator does: a runner pod, whose end deletes its cluster; the end of an idle cluster."""
    with namespace(api, **RESTRICTED) as where:
        runner = pod("runner", place.image, ["python", "-c", "print('done')"]) | {"restartPolicy": "Never"}
        cluster = cluster_spec("job", place.image)
        body = {
            "apiVersion": "kubernetes.dask.org/v1",
            "kind": "DaskJob",
            "metadata": {"name": "job"},
            "spec": {"job": {"spec": runner}, "cluster": {"spec": cluster["spec"]}},
        }
        api.made("daskjobs", where, body)
        idle = cluster_spec("idle", place.image, workers=0)
        idle["spec"]["idleTimeout"] = 1
        api.made("daskclusters", where, idle)
        until(lambda: api.get("daskjobs", where, "job").get("status", {}).get("jobStatus") == "Successful")
        until(lambda: not api.clusters(where))
        # Without its cluster: the operator fails to find it, and says so on the Service.
        stray = {
            "metadata": {
                "name": "stray",
                "labels": {"dask.org/component": "scheduler", "dask.org/cluster-name": "no"},
            },
            "spec": {"ports": [{"port": 80}]},
        }
        api.call(api.core.create_namespaced_service, where, stray)
        until(lambda: "kopf" in json.dumps(api.service(where, "stray")["metadata"].get("annotations", {})))


def test_rights_are_enough_and_no_more(place: Place) -> None:
    """By the API server's audit log of everything the operator asked in the tests above."""
    if place.node is None:
        pytest.skip("a cluster that is not ours has no audit log for us")
    unused = unused_rights(place.node.audit, operator.NAME, operator.RIGHTS)
    assert unused <= NOT_SEEN


NOT_SEEN = {
    # The admission plugin OwnerReferencesPermissionEnforcement, which the node has, asks for them without a request.
    "delete daskautoscalers",
    "delete daskworkergroups",
    "update daskclusters/finalizers",
    "update daskjobs/finalizers",
    "update daskworkergroups/finalizers",
    # Other versions of kopf.
    "patch services/status",
    "patch pods/status",
    "create events",
}


def test_the_operator_is_nobody_and_cannot_write(place: Place, api: Api) -> None:
    if place.node is None:
        pytest.skip("of a cluster that is not ours somebody else made the operator")
    labels = api.namespace(operator.NAMESPACE)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    (found,) = api.pods(operator.NAMESPACE, f"{operator.KIND}={operator.HELM}")
    assert found["status"]["containerStatuses"][0]["restartCount"] == 0
