"""The operator of MarsJobs as Kubernetes objects, and what else answers to MarsJobs in a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from marsdask.deploy.kubernetes import checks, names, operator, rights
from marsdask.deploy.kubernetes.names import MANAGED_BY, labels_of
from marsdask.deploy.marsjob.definition import GROUP, PLURAL, VERSION, definition
from marsdask.deploy.marsjob.job import PREFIX
from marsdask.spill.policy import KUBEDL_BLOCKS

if TYPE_CHECKING:
    from marsdask.deploy.kubernetes.api import Api, Body

MANAGED = f"{PREFIX}managed"
"""The annotation of a job that says whether this operator is to keep it."""
NAME = "marsjob-operator"
MODULE = "marsdask.deploy.marsjob.handlers"
"""What kopf loads; not imported here, it needs kopf."""
IMAGE, ADOPT_ALL, INGRESS_CLASS = "MARSDASK_IMAGE", "MARSDASK_ADOPT_ALL", "MARSDASK_INGRESS_CLASS"
"""Variables of the operator's container: the image of jobs that name none, whether jobs are kept beside a live KubeDL that do not
ask for it, and the class of their Ingresses."""

RIGHTS: tuple[rights.Rule, ...] = (
    (GROUP, PLURAL, ("delete", "list", "watch")),
    (GROUP, f"{PLURAL}/status", ("patch",)),
    # Where the API server has OwnerReferencesPermissionEnforcement: what is made for a job may hold up its deletion.
    (GROUP, f"{PLURAL}/finalizers", ("update",)),
    (names.GROUP, "daskclusters", ("create", "delete", "get", "list", "patch", "watch")),
    (names.GROUP, "daskworkergroups", ("create", "get", "patch")),
    ("", "pods", ("list", "watch")),
    ("", "services", ("create", "delete", "get", "list")),
    ("", "secrets", ("create",)),
    ("", "events", ("create", "list")),
    ("networking.k8s.io", "ingresses", ("create", "delete", "get", "patch")),
    ("networking.k8s.io", "networkpolicies", ("create", "get")),
    # Which fields the definition of MarsJobs drops, and whether KubeDL runs. kopf learns of definitions that come and go.
    ("apiextensions.k8s.io", "customresourcedefinitions", ("get", "list", "watch")),
    ("apps", "deployments", ("list",)),
)


def kind(*, image: str, adopt_all: bool, ingress_class: str | None) -> operator.Kind:
    """The operator, with the settings of its jobs."""
    # Each thread that asks the API server would keep memory of its own. Fifty jobs: 397 MiB, and over 512 while they went; with this,
    # without copies of objects, and with warnings only of events: 223 and 315.
    env = {IMAGE: image, ADOPT_ALL: str(int(adopt_all)), "MALLOC_ARENA_MAX": "2"}
    if ingress_class:
        env[INGRESS_CLASS] = ingress_class
    selector = {operator.KIND: NAME, "app.kubernetes.io/instance": NAME}
    return operator.Kind(NAME, (MODULE,), RIGHTS, selector, env, memory_limit="1Gi")


def manifests(
    namespace: str = operator.NAMESPACE,
    image: str = "",
    *,
    pull_secret: str | None = None,
    adopt_all: bool = False,
    ingress_class: str | None = None,
) -> list[dict[str, Any]]:
    """What `install --marsjobs` makes beside Dask's operator and its namespace, in this order."""
    image = operator.checked_image(image)
    if ingress_class is not None:
        checks.label(ingress_class, "ingress_class")
    ours = kind(image=image, adopt_all=adopt_all, ingress_class=ingress_class)
    made = definition()
    made["metadata"]["labels"] = ours.labels
    return [
        made,
        *operator.account(ours, namespace),
        operator.deployment(namespace, image, pull_secret, ours),
    ]


def is_operator(deployment: Mapping[str, Any]) -> bool:
    """Whether a Deployment runs our operator of MarsJobs."""
    return any(f"--module={MODULE}" in each.get("args", ()) for each in _containers(deployment))


def is_kubedl(deployment: Mapping[str, Any]) -> bool:
    """Whether a Deployment runs KubeDL, which answers to MarsJobs, too."""
    wanted = deployment["spec"].get("replicas", 1)
    return bool(wanted) and any(
        "kubedl" in each["image"].partition("@")[0] for each in _containers(deployment)
    )


def adopts_all(deployment: Mapping[str, Any]) -> bool:
    """Whether the operator of a Deployment keeps all jobs, whatever runs beside it."""
    env = {each["name"]: each.get("value") for c in _containers(deployment) for each in c.get("env", ())}
    return env.get(ADOPT_ALL) == "1"


def _containers(deployment: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return deployment["spec"]["template"]["spec"]["containers"]  # type: ignore[no-any-return]


def listed(api: Api) -> list[Body]:
    """All MarsJobs of a cluster; none where it does not know of such."""
    return api.listed(api.custom.list_cluster_custom_object, GROUP, VERSION, PLURAL)


def delete(api: Api, namespace: str, name: str) -> bool:
    """Whether there was such a job, which is deleted now, with all that was made for it."""
    function = api.custom.delete_namespaced_custom_object
    return api.call(function, GROUP, VERSION, namespace, PLURAL, name) is not None


def read_definition(api: Api) -> Body | None:
    """The definition of MarsJobs as it is there."""
    from kubernetes import client

    function = client.ApiextensionsV1Api(api.client).read_custom_resource_definition
    return api.call(function, f"{PLURAL}.{GROUP}")


ROLE = ("marsReplicaSpecs", "*")
FIELDS = (
    *((block,) for block in KUBEDL_BLOCKS),
    (*ROLE, "spotReplicaSpec"),
    (*ROLE, "template", "metadata", "labels"),
    (*ROLE, "template", "metadata", "annotations"),
)
"""Fields that definitions of KubeDL's drop, some of them in each version."""


def dropped(found: Mapping[str, Any]) -> list[str]:
    """The fields that a definition of MarsJobs drops without a word, of those that mean something.

    >>> dropped(definition())
    []
    """
    version: Mapping[str, Any] = next(
        (each for each in found["spec"]["versions"] if each["name"] == VERSION), {}
    )
    schema = version.get("schema", {}).get("openAPIV3Schema", {})
    paths = (("spec", *steps) for steps in FIELDS)
    return [".".join(steps) for steps in paths if schema and not _kept(schema, steps)]


def _kept(schema: Mapping[str, Any], steps: Iterable[str]) -> bool:
    for step in steps:
        if schema.get("x-kubernetes-preserve-unknown-fields"):
            return True
        below = schema.get("additionalProperties") if step == "*" else schema.get("properties", {}).get(step)
        if not isinstance(below, Mapping):
            return False
        schema = below
    return True


def drops(found: Iterable[str]) -> str:
    """The same in a sentence, or nothing."""
    told = ", ".join(found)
    return f"This cluster's definition of MarsJobs, which is not marsdask's, drops {told}." if told else ""


def serves(found: Mapping[str, Any]) -> bool:
    """Whether a definition has the version that jobs are of."""
    return any(each["name"] == VERSION and each["served"] for each in found["spec"]["versions"])


def made_here(found: Mapping[str, Any]) -> bool:
    """Whether `install` made it."""
    return labels_of(found).get(MANAGED_BY) == operator.US


def problems(found: Mapping[str, Any] | None) -> Iterator[str]:
    """What is wrong with the definition that a cluster has."""
    if found is None:
        yield f"the definition {PLURAL}.{GROUP} is missing"
    elif not serves(found):
        yield f"the definition {PLURAL}.{GROUP} serves no {VERSION}"
