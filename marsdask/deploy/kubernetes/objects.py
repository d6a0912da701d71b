"""Kubernetes objects by their manifests: look for one, make it, change it, delete it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from marsdask.deploy.kubernetes.api import Api, Body

# Kind -> the class of the client's calls, and what they call it.
KINDS = {
    "CustomResourceDefinition": ("ApiextensionsV1Api", "custom_resource_definition"),
    "Namespace": ("CoreV1Api", "namespace"),
    "ServiceAccount": ("CoreV1Api", "namespaced_service_account"),
    "ClusterRole": ("RbacAuthorizationV1Api", "cluster_role"),
    "ClusterRoleBinding": ("RbacAuthorizationV1Api", "cluster_role_binding"),
    "Deployment": ("AppsV1Api", "namespaced_deployment"),
}


class Objects:
    """Calls by manifest; not found is None."""

    def __init__(self, api: Api):
        self.api = api

    def read(self, manifest: Body) -> Body | None:
        found: Body | None = self.api.call(self.function("read", manifest["kind"]), *place(manifest))
        return found

    def create(self, manifest: Body) -> None:
        self.api.call(self.function("create", manifest["kind"]), *place(manifest)[1:], manifest)

    def patch(self, manifest: Body) -> Body:
        """Set what the manifest says; what it does not mention stays. The object as it is then."""
        function = self.function("patch", manifest["kind"])
        patched: Body = self.api.call(function, *place(manifest), manifest, **merging(function))
        return patched

    def delete(self, manifest: Body) -> bool:
        return self.api.call(self.function("delete", manifest["kind"]), *place(manifest)) is not None

    def labelled(self, kind: str, selector: str) -> list[Body]:
        """The objects of a kind with a label, in all namespaces."""
        owner, noun = KINDS[kind]
        name = noun.removeprefix("namespaced_")
        everywhere = "_for_all_namespaces" if noun != name else ""
        listed = self.api.call(getattr(self.of(owner), f"list_{name}{everywhere}"), label_selector=selector)
        return [each | {"kind": kind} for each in listed["items"]] if listed else []

    def function(self, verb: str, kind: str) -> Callable[..., Any]:
        owner, noun = KINDS[kind]
        found: Callable[..., Any] = getattr(self.of(owner), f"{verb}_{noun}")
        return found

    def of(self, owner: str) -> Any:
        from kubernetes import client

        return getattr(client, owner)(self.api.client)


def place(manifest: Body) -> list[str]:
    """Name, and namespace where there is one."""
    metadata = manifest["metadata"]
    return [metadata["name"], *([metadata["namespace"]] if "namespace" in metadata else [])]


def merging(function: Callable[..., Any]) -> Body:
    """The argument that makes a patch a merge; clients before 33 have none, and merge dicts by themselves."""
    # They wrap their functions, so what is documented says it.
    known = "_content_type" in signature(function).parameters
    return {"_content_type": "application/merge-patch+json"} if known else {}
