"""What tests of clusters on a node share: small clusters, users with few rights, and the check that nothing is left."""

import contextlib
import os
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from kubernetes import client

from marsdask.deploy.kubernetes import KubernetesClusterClient, names, new_cluster, operator
from marsdask.deploy.kubernetes.api import Api
from marsdask.errors import MarsDaskError

PATIENCE = 600
"""Seconds in which only what hangs has not come; a node beside other work takes five minutes for what takes thirty seconds."""
IMAGE = os.environ.get("MARSDASK_TEST_IMAGE", "marsdask/marsdask:test")
SMALL = {"worker_cpu": 0.1, "worker_mem": "400m", "image": IMAGE, "timeout": PATIENCE}
"""Of a cluster that finds room on a node with two cores, where seven others wait for what never comes."""


def unique() -> str:
    return f"test-{uuid.uuid4().hex[:10]}"


@contextlib.contextmanager
def cluster(api_client: Any, **arguments: Any) -> Iterator[KubernetesClusterClient]:
    """A small cluster; afterwards it is stopped and gone."""
    made = new_cluster(api_client, **SMALL | {"namespace": unique()} | arguments)
    try:
        yield made
    except Exception:  # when pytest reports, its pods are gone
        print(looks(Api(api_client)))
        raise
    finally:
        made.stop(wait=True, timeout=PATIENCE)


def looks(api: Api) -> str:
    """A line for each pod, and for each of the last ten warnings of the cluster and of the operators, with what these said last.

    What pods of Dask said last comes after them: all of it from containers that have ended and were started again.
    """
    lines = []
    pods = api.call(api.core.list_pod_for_all_namespaces)["items"]
    for pod in pods:
        meta, status = pod["metadata"], pod["status"]
        going = " (going)" if "deletionTimestamp" in meta else ""
        each = [
            f"{c['name']}: {c['state']}, {c['restartCount']} restarts"
            for c in status.get("containerStatuses", ())
        ]
        lines.append(f"{meta['namespace']}/{meta['name']} {status['phase']}{going} {'; '.join(each)}")
    events = api.call(api.core.list_event_for_all_namespaces, field_selector="type=Warning")["items"]
    events.sort(key=lambda e: e["metadata"]["creationTimestamp"])
    lines += [f"{e['involvedObject']['name']}: {e['reason']}: {e['message']}" for e in events[-10:]]
    for pod in api.pods(operator.NAMESPACE, ""):
        log = api.log(operator.NAMESPACE, pod["metadata"]["name"], lines=2000) or ""
        said = log.splitlines()
        lines += [line for line in said[:-20] if "[ERROR" in line or "[WARN" in line][-10:]
        lines += [f"last lines of {pod['metadata']['name']}:", *said[-20:]]
    for pod in pods:
        meta, status = pod["metadata"], pod["status"]
        if names.COMPONENT not in meta.get("labels", {}):
            continue
        again = any(c["restartCount"] for c in status.get("containerStatuses", ()))
        for previous in (True, False) if again else (False,):
            try:
                log = api.log(meta["namespace"], meta["name"], lines=60 if again else 15, previous=previous)
            except MarsDaskError as error:  # its log has gone meanwhile, or is not there yet
                log = str(error)
            lines += [f"log of {meta['name']}{', the container before' * previous}:", log or "(nothing)"]
    return "\n".join(lines)


def pods(api: Api, made: KubernetesClusterClient, role: str) -> list[str]:
    """The pods of a role that do not go away."""
    found = api.pods(made.namespace, f"{names.COMPONENT}={role}")
    return [p["metadata"]["name"] for p in found if "deletionTimestamp" not in p["metadata"]]


def computed_once(client: Any, keys: list[Any]) -> bool:
    """Whether the scheduler has given each key to a worker once, ever."""

    def times(keys, dask_scheduler=None):  # type: ignore[no-untyped-def] # in here: the scheduler does not have this file
        story = dask_scheduler.story(*keys)
        return {key: sum(event[0] == key and event[2] == "processing" for event in story) for key in keys}

    return set(client.run_on_scheduler(times, keys).values()) == {1}


def until(true: Callable[[], Any], timeout: float = PATIENCE, what: str | Callable[[], object] = "") -> Any:
    """Wait until something is so, and give it back; `what` says, or tells then, what is not so."""
    deadline = time.monotonic() + timeout
    while not (found := true()):
        late = time.monotonic() >= deadline
        assert not late, f"not so after {timeout} s: {what() if callable(what) else what or true}"
        time.sleep(0.2)
    return found


def gone(api: Api, namespace: str, timeout: float = PATIENCE) -> None:
    until(lambda: api.namespace(namespace) is None, timeout, f"namespace {namespace} is gone")


@contextlib.contextmanager
def namespace(api: Api, **labels: str) -> Iterator[str]:
    """A namespace that is there before its cluster."""
    name = unique()
    api.call(api.core.create_namespace, {"metadata": {"name": name, "labels": labels}})
    try:
        yield name
    finally:
        api.call(api.core.delete_namespace, name)
        gone(api, name)


def quota(api: Api, where: str, **hard: Any) -> None:
    """A ResourceQuota called `small`, which holds when this returns."""
    body = {"metadata": {"name": "small"}, "spec": {"hard": {key: str(value) for key, value in hard.items()}}}
    api.call(api.core.create_namespaced_resource_quota, where, body)
    until(
        lambda: (
            api.call(api.core.read_namespaced_resource_quota, "small", where).get("status", {}).get("hard")
        )
    )


@contextlib.contextmanager
def account_with(api: Api, where: str, *roles: dict[str, Any]) -> Iterator[str]:
    """A service account in namespace `where` that has these Roles and ClusterRoles, and nothing else; its name."""
    rbac = client.RbacAuthorizationV1Api(api.client)
    name = unique()
    api.call(api.core.create_namespaced_service_account, where, {"metadata": {"name": name}})
    subject = {"kind": "ServiceAccount", "name": name, "namespace": where}
    cluster_wide = []
    for i, role in enumerate(roles):
        metadata = {"name": f"{name}-{i}"}
        body = {**role, "metadata": metadata}
        ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": role["kind"], "name": metadata["name"]}
        binding = {"metadata": metadata, "roleRef": ref, "subjects": [subject]}
        if role["kind"] == "ClusterRole":
            cluster_wide.append(metadata["name"])
            api.call(rbac.create_cluster_role, body)
            api.call(rbac.create_cluster_role_binding, binding)
        else:
            api.call(rbac.create_namespaced_role, role["metadata"]["namespace"], body)
            api.call(rbac.create_namespaced_role_binding, role["metadata"]["namespace"], binding)
    yield name
    for each in cluster_wide:
        api.call(rbac.delete_cluster_role_binding, each)
        api.call(rbac.delete_cluster_role, each)


@contextlib.contextmanager
def user_with(api: Api, where: str, *roles: dict[str, Any]) -> Iterator[Any]:
    """An API client of such an account."""
    with account_with(api, where, *roles) as name:
        token = api.call(
            api.core.create_namespaced_service_account_token,
            name,
            where,
            {"spec": {"expirationSeconds": 3600}},
        )["status"]["token"]
        settings = client.Configuration()
        settings.host, settings.ssl_ca_cert = (
            api.client.configuration.host,
            api.client.configuration.ssl_ca_cert,
        )
        settings.api_key = {"BearerToken": f"Bearer {token}", "authorization": f"Bearer {token}"}
        with client.ApiClient(settings) as limited:
            yield limited
