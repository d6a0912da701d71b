"""Kubernetes objects by their manifests: look for one, make it, change it, delete it."""

from __future__ import annotations

from typing import Any

from marsdask.deploy.kubernetes.api import Api, Body, merging

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
        return self.api.call(self.function("read", manifest["kind"]), *place(manifest))

    def create(self, manifest: Body) -> None:
        self.api.call(self.function("create", manifest["kind"]), *place(manifest)[1:], manifest)

    def patch(self, manifest: Body) -> Body | None:
        """Set what the manifest says; what it does not mention stays. The object as it is then."""
        function = self.function("patch", manifest["kind"])
        return self.api.call(function, *place(manifest), manifest, **merging(function))

    def delete(self, manifest: Body) -> bool:
        return self.api.call(self.function("delete", manifest["kind"]), *place(manifest)) is not None

    def labelled(self, kind: str, selector: str) -> list[Body]:
        """The objects of a kind with a label, in all namespaces."""
        owner, noun = KINDS[kind]
        name = noun.removeprefix("namespaced_")
        everywhere = "_for_all_namespaces" if noun != name else ""
        found = self.api.listed(self.called(owner, f"list_{name}{everywhere}"), label_selector=selector)
        return [each | {"kind": kind} for each in found]

    def function(self, verb: str, kind: str) -> Any:
        owner, noun = KINDS[kind]
        return self.called(owner, f"{verb}_{noun}")

    def called(self, owner: str, name: str) -> Any:
        """A call of the client's, by its class and name."""
        from kubernetes import client

        return getattr(getattr(client, owner)(self.api.client), name)


def place(manifest: Body) -> list[str]:
    """Name, and namespace where there is one."""
    metadata = manifest["metadata"]
    return [metadata["name"], *([metadata["namespace"]] if "namespace" in metadata else [])]
