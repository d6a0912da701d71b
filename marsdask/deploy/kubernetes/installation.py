"""What is installed in a Kubernetes cluster, and what is missing with the command that cures it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marsdask.deploy.kubernetes import operator
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.names import MANAGED_BY, labels_of
from marsdask.deploy.kubernetes.objects import Objects
from marsdask.deploy.kubernetes.preflight import is_operator
from marsdask.errors import ClusterUnreachable

INSTALL = "marsdask kubernetes install"


@dataclass(frozen=True)
class Operator:
    """A Dask operator that is there."""

    namespace: str
    name: str
    image: str
    version: str
    """Of dask-kubernetes, as its label says, or nothing."""
    by: str
    ready: bool

    @property
    def ours(self) -> bool:
        return self.by == "marsdask"

    def __str__(self) -> str:
        version = f"dask-kubernetes {self.version}, " if self.version else ""
        return f"{self.namespace}/{self.name}, made by {self.by}, {version}image {self.image}"


@dataclass(frozen=True)
class Installation:
    """The definitions by name with their versions, where known, and the operators."""

    kubernetes: str
    definitions: Mapping[str, str]
    missing: tuple[str, ...]
    operators: tuple[Operator, ...]
    clusters: int

    def problems(self) -> list[str]:
        """What is wrong, each with its cure."""
        found = []
        if self.missing:
            found.append(f"definitions are missing: {', '.join(self.missing)}. Cure: {INSTALL}")
        if not self.operators:
            found.append(f"no Dask operator runs here. Cure: {INSTALL}")
        for each in self.operators:
            if not each.ready:
                look = f"kubectl describe pods -n {each.namespace}"
                cure = (
                    f"{INSTALL} --upgrade --image IMAGE, if its image is the trouble"
                    if each.ours
                    else "see there"
                )
                found.append(
                    f"the operator {each.namespace}/{each.name} is not ready. Look: {look}. Cure: {cure}"
                )
        if len(self.operators) > 1:
            names = ", ".join(f"{each.namespace}/{each.name}" for each in self.operators)
            found.append(f"more than one operator, each answers everything: {names}. Cure: keep one")
        return found

    def lines(self) -> list[str]:
        """What is there, for a person."""
        found = sorted({version or "of unknown version" for version in self.definitions.values()})
        return [
            f"Kubernetes   {self.kubernetes}",
            f"definitions  {len(self.definitions)} of {len(self.definitions) + len(self.missing)}"
            + f", dask-kubernetes {', '.join(found)}" * bool(found),
            *(f"operator     {'ready' if each.ready else 'NOT READY'}: {each}" for each in self.operators),
            *(["operator     none"] if not self.operators else []),
            f"clusters     {self.clusters}",
        ]


def look(api: Api) -> Installation:
    """What is installed now."""
    from kubernetes import client

    objects = Objects(api)
    version = api.call(client.VersionApi(api.client).get_code)
    if version is None or "gitVersion" not in version:
        raise ClusterUnreachable(f"{api.client.configuration.host} answers, but is no Kubernetes API.")
    read = {each["metadata"]["name"]: objects.read(each) for each in operator.definitions()}
    there = {name: found for name, found in read.items() if found}
    deployments = api.listed(api.apps.list_deployment_for_all_namespaces)
    return Installation(
        kubernetes=f"{version['gitVersion']} at {api.client.configuration.host}",
        definitions={name: labels_of(found).get(operator.VERSION, "") for name, found in there.items()},
        missing=tuple(name for name, found in read.items() if not found),
        operators=tuple(map(described, filter(is_operator, deployments))),
        clusters=len(api.clusters()) if "daskclusters.kubernetes.dask.org" in there else 0,
    )


def described(deployment: Mapping[str, Any]) -> Operator:
    """An operator's Deployment in few words."""
    metadata, status, labels = deployment["metadata"], deployment.get("status", {}), labels_of(deployment)
    by = {operator.US: "marsdask", "Helm": "the Helm chart"}.get(labels.get(MANAGED_BY, ""), "somebody")
    containers = deployment["spec"]["template"]["spec"]["containers"]
    current = status.get("observedGeneration") == metadata.get("generation")
    return Operator(
        namespace=metadata["namespace"],
        name=metadata["name"],
        image=containers[0]["image"],
        version=labels.get(operator.VERSION, ""),
        by=by,
        ready=bool(current and status.get("availableReplicas") and status.get("updatedReplicas")),
    )
