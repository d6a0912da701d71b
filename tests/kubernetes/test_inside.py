"""A program in a pod of the cluster that makes a cluster of its own: the API by its service account, the scheduler by name."""

from marsdask.deploy.kubernetes import rights
from tests.kubernetes.clusters import IMAGE, SMALL, account_with, namespace, until

PROGRAM = f"""
import os
from kubernetes import client, config
from marsdask.deploy.kubernetes import KubernetesClusterClient, new_cluster
import marsdask.tensor as mt

config.load_incluster_config()
api_client, where = client.ApiClient(), os.environ["WHERE"]
with new_cluster(api_client, namespace=where, existing_namespace=True, service_type="ClusterIP", **{SMALL}) as cluster:
    print("sum", mt.arange(1000, chunk_size=100).sum().execute().fetch())
    print("at", cluster.session.engine.client.scheduler.address)
    other = KubernetesClusterClient(api_client, where, cluster.endpoint, default=False)
    print("again", mt.arange(10).sum().execute(session=other.session).fetch(session=other.session))
    other.close()
"""


def test_a_program_in_a_pod(api):
    with namespace(api) as where:
        role = rights.role("ClusterIP", where)
        role["rules"] = [rule for rule in role["rules"] if "pods/portforward" not in rule["resources"]]
        with account_with(api, where, role) as account:
            container = {
                "name": "program",
                "image": IMAGE,
                "imagePullPolicy": "IfNotPresent",
                "args": ["python", "-c", PROGRAM],
                "env": [{"name": "WHERE", "value": where}],
            }
            pod = {
                "metadata": {"name": "program"},
                "spec": {"serviceAccountName": account, "restartPolicy": "Never", "containers": [container]},
            }
            api.call(api.core.create_namespaced_pod, where, pod)

            def phase() -> str:
                status = api.call(api.core.read_namespaced_pod, "program", where)["status"]
                return status["phase"] if status["phase"] in ("Succeeded", "Failed") else ""

            ended = until(phase)
            told = api.core.read_namespaced_pod_log("program", where)
            assert ended == "Succeeded", told
            assert "sum 499500\n" in told
            assert "again 45\n" in told
            (line,) = (line for line in told.splitlines() if line.startswith("at "))
            # A name, or what it stands for: not a node's port, and nothing forwarded.
            assert line.startswith("at tls://")
            assert "127.0.0.1" not in line
            assert line.endswith(":8786")
