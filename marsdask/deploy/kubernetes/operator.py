"""Operators as Kubernetes objects: pure functions of arguments, in dicts without nulls.

Dask's operator is dask-kubernetes's own; what is ours is how it runs, and so does the one of MarsJobs beside it: from the image
that clusters run, as nobody, with the rights that it uses and no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Any

from marsdask.deploy.kubernetes import checks, rights
from marsdask.deploy.kubernetes.images import default_image
from marsdask.deploy.kubernetes.names import ASKS, GROUP, MANAGED_BY, body
from marsdask.errors import MissingExtra

NAME = NAMESPACE = "dask-operator"
PACKAGE = "dask-kubernetes"
US = "marsdask-install"
"""Managed-by of what `marsdask kubernetes install` made: clusters' own objects have another one."""
KIND, VERSION = "app.kubernetes.io/name", "app.kubernetes.io/version"
HELM = "dask-kubernetes-operator"
"""The name that the operator's Helm chart gives it, and so do we."""
HANDLERS = "marsdask.deploy.kubernetes.handlers"
"""The module that the operator loads beside its own; not imported here, it needs kopf."""
SELECTOR = {KIND: HELM, "app.kubernetes.io/instance": NAME}

RIGHTS: tuple[rights.Rule, ...] = (
    # A DaskJob creates its cluster; the end of the job, or of an idle cluster's time, deletes it.
    (GROUP, "daskclusters", ("create", "delete", "get", "list", "patch", "watch")),
    # `delete` of these two is for giving them an owner: OwnerReferencesPermissionEnforcement, below, asks for it.
    (GROUP, "daskworkergroups", ("create", "delete", "get", "list", "patch", "watch")),
    (GROUP, "daskautoscalers", ("delete", "list", "patch", "watch")),
    (GROUP, "daskjobs", ("list", "patch", "watch")),
    (GROUP, "daskjobs/status", ("patch",)),
    # Where the API server has OwnerReferencesPermissionEnforcement, as on OpenShift: what the operator makes may hold up
    # the deletion of its owner.
    *(
        (GROUP, f"{plural}/finalizers", ("update",))
        for plural in ("daskclusters", "daskjobs", "daskworkergroups")
    ),
    ("apps", "deployments", ("create", "delete", "get", "list")),
    ("", "services", ("create", "get", "list", "patch", "watch")),
    ("", "services/status", ("patch",)),
    # The runner of a DaskJob.
    ("", "pods", ("create", "get", "list", "patch", "watch")),
    # Where kopf keeps how far it is, and what it posts, differs between its versions.
    ("", "pods/status", ("patch",)),
    ("", "events", ("create",)),
    # kopf learns of definitions that come and go.
    ("apiextensions.k8s.io", "customresourcedefinitions", ("list", "watch")),
)


def manifests(
    namespace: str = NAMESPACE, image: str = "", *, pull_secret: str | None = None
) -> list[dict[str, Any]]:
    """Everything that `marsdask kubernetes install` makes, in the order in which it has to be made."""
    checks.label(namespace, "namespace")
    # The namespace enforces Pod Security `restricted`; the operator's rights are for the whole cluster.
    security = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    return [
        *definitions(),
        body("v1", "Namespace", {"name": namespace, "labels": labels() | security}),
        *account(DASK, namespace),
        deployment(namespace, checked_image(image), pull_secret),
    ]


@dataclass(frozen=True)
class Kind:
    """An operator: its name, the modules that kopf loads, its rights, and variables of its container."""

    name: str
    modules: tuple[str, ...]
    rights: tuple[rights.Rule, ...]
    selector: Mapping[str, str]
    env: Mapping[str, str] = field(default_factory=dict)
    memory_limit: str = "512Mi"

    @property
    def labels(self) -> dict[str, str]:
        """Of every object of ours: who made it, and which dask-kubernetes it is."""
        return {**self.selector, MANAGED_BY: US, VERSION: metadata.version(PACKAGE)}


DASK = Kind(NAME, ("dask_kubernetes.operator.controller", HANDLERS), RIGHTS, SELECTOR)


def account(kind: Kind, namespace: str) -> list[dict[str, Any]]:
    """The ServiceAccount of an operator, with its rights."""
    inside = {"name": kind.name, "namespace": namespace}
    return [
        body("v1", "ServiceAccount", inside | {"labels": kind.labels}, automountServiceAccountToken=False),
        rights.manifest(kind.name, kind.rights, kind.labels),
        body(
            "rbac.authorization.k8s.io/v1",
            "ClusterRoleBinding",
            {"name": kind.name, "labels": kind.labels},
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": kind.name},
            subjects=[{"kind": "ServiceAccount"} | inside],
        ),
    ]


@cache
def _definitions() -> tuple[dict[str, Any], ...]:
    import yaml

    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise MissingExtra.needed(PACKAGE, "kubernetes", "the definitions of Dask's resources") from error
    # Not by importing the package: that writes into the user's configuration.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    files = sorted(f for f in package.files or () if f.parent.name == "crds" and f.suffix == ".yaml")
    return tuple(yaml.load(f.read_text(encoding="utf-8"), loader) for f in files)


def definitions() -> list[dict[str, Any]]:
    """The CustomResourceDefinitions of the installed dask-kubernetes, with our labels.

    >>> [each["spec"]["names"]["plural"] for each in definitions()]
    ['daskautoscalers', 'daskclusters', 'daskjobs', 'daskworkergroups']
    """
    return [
        each | {"metadata": each["metadata"] | {"labels": each["metadata"].get("labels", {}) | labels()}}
        for each in _definitions()
    ]


def labels() -> dict[str, str]:
    """Of the objects of Dask's operator."""
    return DASK.labels


def deployment(
    namespace: str, image: str, pull_secret: str | None = None, kind: Kind = DASK
) -> dict[str, Any]:
    """One operator; a second one beside it would answer everything twice, so the old one ends first."""
    pod = {
        "serviceAccountName": kind.name,
        "automountServiceAccountToken": True,
        "enableServiceLinks": False,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container(image, kind)],
        "volumes": [{"name": "tmp", "emptyDir": {"sizeLimit": "64Mi"}}],
        **({} if pull_secret is None else {"imagePullSecrets": [{"name": pull_secret}]}),
    }
    spec = {
        "replicas": 1,
        "revisionHistoryLimit": 2,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": dict(kind.selector)},
        "template": {"metadata": {"labels": kind.labels}, "spec": pod},
    }
    described = {"name": kind.name, "namespace": namespace, "labels": kind.labels}
    if HANDLERS in kind.modules:
        described["annotations"] = {ASKS: "token"}
    return body("apps/v1", "Deployment", described, spec=spec)


def container(image: str, kind: Kind) -> dict[str, Any]:
    health = {"httpGet": {"path": "/healthz", "port": "health"}, "timeoutSeconds": 5}
    return {
        "name": "operator",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        # Without --standalone another operator made with kopf, of equal or higher priority, would put this one to sleep.
        "args": [
            "kopf",
            "run",
            *(f"--module={module}" for module in kind.modules),
            "--all-namespaces",
            "--standalone",
            "--liveness=http://0.0.0.0:8080/healthz",
        ],
        **({"env": [{"name": n, "value": v} for n, v in kind.env.items()]} if kind.env else {}),
        "ports": [{"name": "health", "containerPort": 8080}],
        "startupProbe": health | {"periodSeconds": 1, "failureThreshold": 120},
        "livenessProbe": health | {"periodSeconds": 10, "failureThreshold": 6},
        "readinessProbe": health | {"periodSeconds": 5},
        "resources": {
            "requests": {"cpu": "100m", "memory": "192Mi"},
            "limits": {"memory": kind.memory_limit},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }


def checked_image(image: str) -> str:
    image = image or default_image()
    good = re.fullmatch(r"[a-z0-9][\w.:/@-]*", image)
    return str(checks.expect(good, "image", image, "a name such as 'registry/marsdask:v1'"))
