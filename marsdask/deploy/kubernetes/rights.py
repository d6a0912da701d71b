"""The rights that a user of `new_cluster` needs: checked before anything is made, and printed as a Role.

Neither the scheduler's nor the workers' pods have any.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marsdask.deploy.kubernetes.names import GROUP, MANAGED, body

Rule = tuple[str, str, tuple[str, ...]]
"""API group, resource, verbs."""

IN_NAMESPACE: tuple[Rule, ...] = (
    (GROUP, "daskclusters", ("create", "delete", "get", "list", "patch")),
    (GROUP, "daskworkergroups", ("get", "list")),
    (GROUP, "daskworkergroups/scale", ("patch",)),
    (GROUP, "daskautoscalers", ("create", "delete", "get", "patch")),
    ("", "pods", ("get", "list")),
    ("", "pods/log", ("get",)),
    ("", "services", ("create", "delete", "get", "list")),
    ("", "secrets", ("create", "delete", "get")),
    ("", "events", ("list",)),
    ("", "resourcequotas", ("list",)),
    ("networking.k8s.io", "networkpolicies", ("create", "delete")),
)
"""What every cluster needs where it lives."""
GROUPS: Rule = (GROUP, "daskworkergroups", ("create",))
"""For `worker_groups=`."""
FORWARDING: Rule = ("", "pods/portforward", ("create", "get"))
"""For a Service of type ClusterIP, used from outside of the cluster, and where the ports of nodes do not answer."""
NAMESPACES: Rule = ("", "namespaces", ("create", "delete", "get", "list"))
"""To make a namespace for each cluster, and to find them again."""
JOBS: tuple[Rule, ...] = (
    ("training.kubedl.io", "marsjobs", ("create", "delete", "get", "list", "patch", "watch")),
    (GROUP, "daskclusters", ("create", "delete", "get", "list")),
    (GROUP, "daskworkergroups", ("create",)),
    ("", "pods", ("get", "list")),
    ("", "pods/log", ("get",)),
    ("", "services", ("create",)),
    ("", "secrets", ("create",)),
    ("", "events", ("list",)),
    ("networking.k8s.io", "networkpolicies", ("create",)),
    ("networking.k8s.io", "ingresses", ("create",)),
)
"""For `marsdask job`, where an operator keeps MarsJobs and where the command makes their objects itself."""
READING: tuple[Rule, ...] = (
    ("", "services", ("get", "list")),
    ("", "pods", ("get", "list")),
    ("", "secrets", ("get",)),
)
"""What `KubernetesClusterClient(api_client, namespace, endpoint)` needs to compute: nothing of the operator's."""


def rules(
    service_type: str | None, *, own_namespace: bool, inside: bool = False, groups: bool = True
) -> tuple[Rule, ...]:
    """What a user of clusters with that type of Service may have to do; None: of what `new_cluster` takes by itself.

    `inside`: from a pod of the same cluster. `groups`: whether some have `worker_groups`.
    """
    forwarding = (FORWARDING,) if service_type in (None, "ClusterIP") and not inside else ()
    own = (NAMESPACES,) if own_namespace else ()
    return (*IN_NAMESPACE, *((GROUPS,) if groups else ()), *forwarding, *own)


def role(service_type: str | None, namespace: str | None) -> dict[str, Any]:
    """The least Role for clusters in one namespace that is there; without one, a ClusterRole that may make namespaces.

    >>> role("NodePort", "flights")["kind"], role(None, None)["kind"]
    ('Role', 'ClusterRole')
    """
    needed = rules(service_type, own_namespace=namespace is None)
    return manifest("marsdask-user", needed, dict(MANAGED), namespace)


def reader(namespace: str) -> dict[str, Any]:
    """The least Role for a second process that computes on a cluster which is there."""
    return manifest("marsdask-reader", READING, dict(MANAGED), namespace)


def jobs(namespace: str | None) -> dict[str, Any]:
    """The least Role for MarsJobs in one namespace; without one a ClusterRole, to be bound in some or in all."""
    return manifest("marsdask-jobs", JOBS, dict(MANAGED), namespace)


def manifest(
    name: str, rules: Iterable[Rule], labels: dict[str, str], namespace: str | None = None
) -> dict[str, Any]:
    """A Role in a namespace, or a ClusterRole."""
    where = {} if namespace is None else {"namespace": namespace}
    kind = "ClusterRole" if namespace is None else "Role"
    allowed = [
        {"apiGroups": [group], "resources": [what], "verbs": list(verbs)} for group, what, verbs in rules
    ]
    return body(
        "rbac.authorization.k8s.io/v1", kind, {"name": name, "labels": labels, **where}, rules=allowed
    )
