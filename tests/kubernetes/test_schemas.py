"""Everything we send is valid in the oldest Kubernetes we support and in the one that the tests start."""

import functools
import json
import shutil

import jsonschema
import pytest

from marsdask.deploy.kubernetes import credentials, names, operator, rights
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.deploy.marsjob import operator as marsjobs
from tests.deploy.test_marsjob import annotated, block, roles, translated
from tests.deploy.test_specs import CALLS, made
from tests.kubernetes.node import programs

TYPES = {
    "Namespace": "io.k8s.api.core.v1.Namespace",
    "Service": "io.k8s.api.core.v1.Service",
    "Secret": "io.k8s.api.core.v1.Secret",
    "ServiceAccount": "io.k8s.api.core.v1.ServiceAccount",
    "NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
    "Ingress": "io.k8s.api.networking.v1.Ingress",
    "Deployment": "io.k8s.api.apps.v1.Deployment",
    "Role": "io.k8s.api.rbac.v1.Role",
    "ClusterRole": "io.k8s.api.rbac.v1.ClusterRole",
    "ClusterRoleBinding": "io.k8s.api.rbac.v1.ClusterRoleBinding",
    "CustomResourceDefinition": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
}


JOBS = (
    (),
    (annotated(security="tls"), block(spillDirs=["/a", "/b"], plasmaStore="/dev/shm", workerCacheSize="1Gi")),
    (lambda made: roles(made)["Worker"].update(spotReplicaSpec={"spotReplicaNumber": 1}),),
)
"""Changes of KubeDL's tutorial."""


@pytest.fixture(scope="module", params=programs.VERSIONS)
def schemas(request) -> dict:
    """The types of a version's API, as its source has them."""
    if shutil.which("go") is None:
        pytest.skip("the schemas of Kubernetes come with its Go module: no go here")
    found: dict = {}
    for file in programs.schemas(request.param).glob("*.json"):
        found |= json.loads(file.read_text())["components"].get("schemas", {})
    for schema in found.values():  # as strict as the server is when it is asked to be
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return found


def wrong(schemas: dict, name: str, value: dict) -> list[str]:
    schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
    return [
        f"{e.json_path}: {e.message[:300]}"
        for e in jsonschema.Draft202012Validator(schema).iter_errors(value)
    ]


@functools.cache
def objects() -> list[dict]:
    """All manifests of `install`, `rbac`, `new_cluster` and MarsJobs; custom resources as the pods and Services they ask for."""
    found = [*operator.manifests("dask-operator", "marsdask/marsdask:test")]
    found += marsjobs.manifests("dask-operator", "marsdask/marsdask:test")
    found += [rights.jobs(None), rights.jobs("flights")]
    for changes in JOBS:
        found += translated(*changes).objects
    for kind in names.SERVICE_TYPES:
        found += [rights.role(kind, None), rights.role(kind, "flights")]
    found.append(rights.reader("flights"))
    for call in CALLS:
        args = Arguments.of(namespace="flights", **{"image": "marsdask/marsdask:test"} | CALLS[call])
        found += made(call)
        if args.encrypted:
            found.append(credentials.secret(args, credentials.made()))
    return found


def test_every_manifest_is_valid(schemas):
    told, kinds = [], set()
    for each in objects():
        kinds.add(each["kind"])
        if each["kind"] not in ("DaskCluster", "DaskWorkerGroup"):
            told += wrong(schemas, TYPES[each["kind"]], each)
            continue
        told += wrong(schemas, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", each["metadata"])
        if each["kind"] == "DaskWorkerGroup":
            told += wrong(schemas, "io.k8s.api.core.v1.PodSpec", each["spec"]["worker"]["spec"])
            continue
        told += wrong(schemas, "io.k8s.api.core.v1.ServiceSpec", each["spec"]["scheduler"]["service"])
        for part in ("scheduler", "worker"):
            told += wrong(schemas, "io.k8s.api.core.v1.PodSpec", each["spec"][part]["spec"])
    assert told == []
    assert kinds == {*TYPES, "DaskCluster", "DaskWorkerGroup"}


def test_what_is_wrong_would_be_seen(schemas):
    spec = {"containers": [{"name": "worker", "imagee": "x", "ports": [{"containerPort": "eighty"}]}]}
    told = wrong(schemas, "io.k8s.api.core.v1.PodSpec", spec)
    assert len(told) == 2
    assert "imagee" in " ".join(told)
    assert "eighty" in " ".join(told)
