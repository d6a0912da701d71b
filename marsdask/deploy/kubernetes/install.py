"""Put Dask's operator into a Kubernetes cluster, with or without that of MarsJobs, tell what is there and what is missing, and
take them out again.

Only what is missing is made, and only what was made is removed. An operator that is there, whoever made it, is left alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from marsdask.deploy.kubernetes import operator, preflight, rights, states
from marsdask.deploy.kubernetes.api import Api, Body, merging
from marsdask.deploy.kubernetes.names import MANAGED_BY, labels_of
from marsdask.deploy.kubernetes.preflight import is_operator
from marsdask.deploy.kubernetes.states import until
from marsdask.deploy.marsjob import operator as marsjobs
from marsdask.deploy.marsjob.definition import definition
from marsdask.errors import ClusterNotStarted, ClusterUnreachable, InUse, NotPermitted, StillThere

# Kind -> the class of the client's calls, and what they call it.
KINDS = {
    "CustomResourceDefinition": ("ApiextensionsV1Api", "custom_resource_definition"),
    "Deployment": ("AppsV1Api", "namespaced_deployment"),
    "ClusterRoleBinding": ("RbacAuthorizationV1Api", "cluster_role_binding"),
    "ClusterRole": ("RbacAuthorizationV1Api", "cluster_role"),
    "ServiceAccount": ("CoreV1Api", "namespaced_service_account"),
    "Namespace": ("CoreV1Api", "namespace"),
}
"""In the order in which they are removed: definitions first, as the operator has to be there for the end of what they define."""


def method_of(api: Api, verb: str, kind: str) -> Any:
    """A call of the client's; one that lists does so in all namespaces."""
    from kubernetes import client

    owner, noun = KINDS[kind]
    if verb == "list" and noun.startswith("namespaced_"):
        noun = f"{noun.removeprefix('namespaced_')}_for_all_namespaces"
    return getattr(getattr(client, owner)(api.client), f"{verb}_{noun}")


def read(api: Api, manifest: Body) -> Body | None:
    """The object as it is there."""
    return api.call(method_of(api, "read", manifest["kind"]), *place(manifest))


def place(manifest: Body) -> list[str]:
    """Name, and namespace where there is one."""
    return [manifest["metadata"][key] for key in ("name", "namespace") if key in manifest["metadata"]]


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
    jobs: Jobs

    def problems(self) -> list[str]:
        """What is wrong, each with its cure."""
        found = []
        if self.missing:
            found.append(f"definitions are missing: {', '.join(self.missing)}. Cure: {INSTALL}")
        if not self.operators:
            found.append(f"no Dask operator runs here. Cure: {INSTALL}")
        return [*found, *troubles(self.operators, "operator"), *self.jobs.problems()]

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
            *self.jobs.lines(),
        ]


def troubles(operators: Sequence[Operator], what: str) -> list[str]:
    """What is wrong with operators of one kind that are there."""
    found = []
    for each in operators:
        if not each.ready:
            upgrade = f"{INSTALL} --upgrade --image IMAGE, if its image is the trouble"
            found.append(
                f"the {what} {each.namespace}/{each.name} is not ready. Look: kubectl describe pods -n "
                f"{each.namespace}. Cure: {upgrade if each.ours else 'see there'}"
            )
    if len(operators) > 1:
        names = ", ".join(f"{each.namespace}/{each.name}" for each in operators)
        found.append(f"more than one {what}, each answers everything: {names}. Cure: keep one")
    return found


@dataclass(frozen=True)
class Jobs:
    """What there is for MarsJobs: their definition, the operators that keep them, KubeDL beside those, and how many jobs."""

    definition: Body | None
    operators: tuple[Operator, ...]
    all_jobs: bool
    """Whether jobs that do not ask for it are kept beside KubeDL."""
    kubedl: tuple[str, ...]
    count: int

    def problems(self) -> list[str]:
        """What is wrong, each with its cure: nothing where there is nothing for MarsJobs."""
        found = troubles(self.operators, "operator of MarsJobs")
        cure = f"{INSTALL} --marsjobs"
        if self.operators:
            found += [f"{each}. Cure: {cure}" for each in marsjobs.problems(self.definition)]
        elif self.count and not self.kubedl:
            found.append(f"nobody keeps the {self.count} MarsJobs. Cure: {cure}")
        return found

    def lines(self) -> list[str]:
        """What is there, for a person."""
        if self.definition is None and not self.operators:
            return [f"MarsJobs     none: {INSTALL} --marsjobs"]
        by = "no definition"
        if self.definition is not None:
            whose = "marsdask" if marsjobs.made_here(self.definition) else "somebody else"
            by = f"definition made by {whose}"
        found = [f"MarsJobs     {self.count}, {by}"]
        if self.definition is not None and (said := marsjobs.drops(marsjobs.dropped(self.definition))):
            found.append(f"             {said}")
        found += [f"             {'ready' if each.ready else 'NOT READY'}: {each}" for each in self.operators]
        if self.kubedl:
            kept = "keeps all jobs, too" if self.all_jobs else "keeps the jobs that do not say otherwise"
            found.append(
                f'             KubeDL ({", ".join(self.kubedl)}) {kept}; {marsjobs.MANAGED}: "true" is an annotation '
                "of jobs that Dask runs."
            )
        return found


def look(api: Api) -> Installation:
    """What is installed now."""
    from kubernetes import client

    version = api.call(client.VersionApi(api.client).get_code)
    if version is None or "gitVersion" not in version:
        raise ClusterUnreachable(f"{api.client.configuration.host} answers, but is no Kubernetes API.")
    definitions = {each["metadata"]["name"]: read(api, each) for each in operator.definitions()}
    there = {name: found for name, found in definitions.items() if found}
    deployments = api.listed(api.apps.list_deployment_for_all_namespaces)
    return Installation(
        kubernetes=f"{version['gitVersion']} at {api.client.configuration.host}",
        definitions={name: labels_of(found).get(operator.VERSION, "") for name, found in there.items()},
        missing=tuple(name for name in definitions if name not in there),
        operators=tuple(map(described, filter(is_operator, deployments))),
        clusters=len(api.clusters()) if "daskclusters.kubernetes.dask.org" in there else 0,
        jobs=look_at_jobs(api, deployments),
    )


@dataclass(frozen=True)
class InNamespace:
    """Whether clusters can be made in one namespace, as far as a user sees who has no right beyond it."""

    namespace: str
    there: bool
    defined: bool
    rights: tuple[str, ...]
    """Those that `new_cluster` needs there and this user has not."""
    trouble: str | None
    """With the operator; None where that may not be looked at."""
    begun: tuple[int, int]
    """With how many clusters an operator has begun, of how many that are there."""
    quotas: tuple[str, ...]

    def problems(self) -> list[str]:
        """What is wrong, each with its cure."""
        found = []
        if not self.there:
            found.append(
                f"there is no namespace {self.namespace!r}. Cure: kubectl create namespace {self.namespace}"
            )
        if not self.defined:
            found.append(f"Dask's resources are not known here. Cure: {INSTALL}")
        if self.rights:
            found.append(
                f"this user may not: {', '.join(self.rights)}. Cure: an administrator binds the Role that `marsdask "
                f"kubernetes rbac --namespace {self.namespace}` prints"
            )
        begun, there = self.begun
        if self.trouble or (self.trouble is None and there and not begun):
            found.append(
                self.trouble or f"no operator has begun with any of the {there} clusters. Cure: {INSTALL}"
            )
        return found

    def lines(self) -> list[str]:
        """What is there, for a person."""
        begun, there = self.begun
        seen = {None: "not seen: that takes the right to list Deployments", "": "ready"}
        return [
            f"namespace    {self.namespace}",
            f"definitions  {'known' if self.defined else 'none'}",
            f"rights       {f'{len(self.rights)} missing' if self.rights else 'all that new_cluster needs'}",
            f"operator     {seen.get(self.trouble, 'NOT READY')}",
            f"clusters     {there}" + f", the operator has begun with {begun}" * bool(there),
            *(f"quota        {each}" for each in self.quotas),
        ]


def look_in(api: Api, namespace: str) -> InNamespace:
    """How one namespace is now."""
    defined, there, trouble = api.knows_dask(), True, None
    with suppress(NotPermitted):
        there = api.namespace(namespace) is not None
    with suppress(NotPermitted):
        trouble = preflight.operator_trouble(preflight.operators_of(api))
    clusters: list[Body] = []
    quotas: list[Body] = []
    with suppress(NotPermitted):
        clusters = api.clusters(namespace) if defined else []
    with suppress(NotPermitted):
        quotas = api.listed(api.core.list_namespaced_resource_quota, namespace)
    return InNamespace(
        namespace,
        there,
        defined,
        rights=tuple(preflight.missing_rights(api, namespace, rights.rules(None, own_namespace=False))),
        trouble=trouble,
        begun=(sum(bool(each.get("status")) for each in clusters), len(clusters)),
        quotas=tuple(map(told, quotas)),
    )


def told(quota: Body) -> str:
    """What of a quota is used."""
    status = quota.get("status", {})
    used = status.get("used", {})
    parts = [f"{used.get(key, 0)} of {hard} {key}" for key, hard in sorted(status.get("hard", {}).items())]
    return f"{quota['metadata']['name']}: {', '.join(parts) or 'nothing'}"


def look_at_jobs(api: Api, deployments: Sequence[Body]) -> Jobs:
    """What of these Deployments answers to MarsJobs, and what else is there for them."""
    ours = [each for each in deployments if marsjobs.is_operator(each)]
    return Jobs(
        definition=marsjobs.read_definition(api),
        operators=tuple(map(described, ours)),
        all_jobs=any(map(marsjobs.adopts_all, ours)),
        kubedl=tuple("/".join(reversed(place(each))) for each in deployments if marsjobs.is_kubedl(each)),
        count=len(marsjobs.listed(api)),
    )


def described(deployment: Mapping[str, Any]) -> Operator:
    """An operator's Deployment in few words."""
    metadata, status, labels = deployment["metadata"], deployment.get("status", {}), labels_of(deployment)
    current = status.get("observedGeneration") == metadata.get("generation")
    return Operator(
        namespace=metadata["namespace"],
        name=metadata["name"],
        image=deployment["spec"]["template"]["spec"]["containers"][0]["image"],
        version=labels.get(operator.VERSION, ""),
        by={operator.US: "marsdask", "Helm": "the Helm chart"}.get(labels.get(MANAGED_BY, ""), "somebody"),
        ready=bool(current and status.get("availableReplicas") and status.get("updatedReplicas")),
    )


PLURALS = ("daskjobs", "daskclusters", "daskautoscalers", "daskworkergroups")


def install(
    api: Api,
    wanted: Sequence[Body],
    for_jobs: Sequence[Body] = (),
    *,
    upgrade: bool,
    timeout: float,
) -> Iterator[str]:
    """Make what is missing, wait until the operators are ready, and say line by line what was done.

    `wanted` is what `operator.manifests` makes, `for_jobs` what there is for MarsJobs. `upgrade` also changes what an earlier
    install made. Raises ClusterNotStarted with the pods' states if an operator is not ready after `timeout` seconds; 0 does not wait.
    """
    before = look(api)
    namespace = wanted[-1]["metadata"]["namespace"]
    kept = next((each for each in before.operators if not each.ours or each.namespace != namespace), None)
    # To an operator that is there only the definitions may be missing, and a place for the one of MarsJobs.
    needed = {"CustomResourceDefinition", *(["Namespace"] if for_jobs else [])}
    yield from made(
        api,
        [each for each in wanted if kept is None or each["kind"] in needed],
        upgrade=upgrade,
        timeout=timeout,
    )
    if kept is not None:
        yield f"There is an operator already, left alone: {kept}"
    else:
        yield from compared(before.operators, wanted[-1], upgrade=upgrade)
        if timeout:
            wait_ready(api, wanted[-1], timeout)
            yield f"The operator is ready in namespace {namespace}."
    if for_jobs:
        yield from install_for_jobs(api, before.jobs, for_jobs, upgrade=upgrade, timeout=timeout)


def install_for_jobs(
    api: Api, before: Jobs, wanted: Sequence[Body], *, upgrade: bool, timeout: float
) -> Iterator[str]:
    """The same for the operator of MarsJobs."""
    namespace = wanted[-1]["metadata"]["namespace"]
    kept = next((each for each in before.operators if not each.ours or each.namespace != namespace), None)
    if kept is not None:
        yield f"There is an operator of MarsJobs already, left alone: {kept}"
        return
    yield from made(api, wanted, upgrade=upgrade, timeout=timeout)
    yield from compared(before.operators, wanted[-1], upgrade=upgrade)
    adopts_all = marsjobs.adopts_all(wanted[-1])
    if before.operators and not upgrade and adopts_all != before.all_jobs:
        yield f"It keeps {'all' if before.all_jobs else 'not all'} jobs beside KubeDL. Hint: {INSTALL} --upgrade changes it."
        adopts_all = before.all_jobs
    if before.definition is not None and (said := marsjobs.drops(marsjobs.dropped(before.definition))):
        yield said
    if before.kubedl and not adopts_all:
        yield (
            f'KubeDL runs here ({", ".join(before.kubedl)}): only jobs with the annotation {marsjobs.MANAGED}: "true" are '
            "run by Dask. Hint: --adopt-all takes all."
        )
    if timeout:
        wait_ready(api, wanted[-1], timeout)
        yield f"The operator of MarsJobs is ready in namespace {namespace}."


def made(api: Api, wanted: Sequence[Body], *, upgrade: bool, timeout: float) -> Iterator[str]:
    """Make objects in turn and say of each what was done; definitions are served before anything else is made."""
    definitions = [each for each in wanted if each["kind"] == "CustomResourceDefinition"]
    for manifest in wanted:
        yield f"{called(manifest)}: {ensure(api, manifest, upgrade=upgrade)}"
        if definitions and manifest is definitions[-1]:
            wait_established(api, definitions, max(timeout, 30))


def ensure(api: Api, manifest: Body, *, upgrade: bool) -> str:
    """Make an object if it is not there, or change it if it is ours and may be: what was done."""
    found = read(api, manifest)
    if found is None:
        api.call(method_of(api, "create", manifest["kind"]), *place(manifest)[1:], manifest)
        return "made"
    if labels_of(found).get(MANAGED_BY) != operator.US:
        return "there, not ours, left alone"
    if not upgrade:
        return "there"
    patch = method_of(api, "patch", manifest["kind"])
    patched = api.call(patch, *place(manifest), manifest, **merging(patch)) or found
    same = patched["metadata"]["resourceVersion"] == found["metadata"]["resourceVersion"]
    return "there, as it should be" if same else "changed"


def compared(before: Sequence[Operator], wanted: Body, *, upgrade: bool) -> Iterator[str]:
    """What an operator of ours, that was left as it is, has otherwise than `wanted`."""
    image = wanted["spec"]["template"]["spec"]["containers"][0]["image"]
    version = wanted["metadata"]["labels"][operator.VERSION]
    for each in before:
        if not upgrade and (each.image, each.version) != (image, version):
            yield (
                f"It runs dask-kubernetes {each.version} from {each.image}, here are {version} and {image}. "
                f"Hint: {INSTALL} --upgrade changes it."
            )


def wait_established(api: Api, wanted: Sequence[Body], timeout: float) -> None:
    """Until the API serves the definitions."""
    if not until(lambda: all(established(read(api, each) or {}) for each in wanted), timeout):
        raise ClusterNotStarted(
            f"the API does not serve {', '.join(place(each)[0] for each in wanted)} {timeout:g} s after their definitions were made."
        )


def established(definition: Body) -> bool:
    """Whether the API serves it; a new definition has no conditions, or null."""
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)


def wait_ready(api: Api, wanted: Body, timeout: float) -> None:
    """Until the Deployment has its pod; an error that says why not."""
    namespace = wanted["metadata"]["namespace"]
    selector = ",".join(f"{k}={v}" for k, v in wanted["spec"]["selector"]["matchLabels"].items())
    if not until(lambda: (found := read(api, wanted)) is not None and described(found).ready, timeout):
        found = states.states(api.pods(namespace, selector))
        events = states.warnings_of(api.warnings(namespace))
        report = states.report(found, events, api.last_lines(namespace, (s for s in found if not s.ready)))
        raise ClusterNotStarted(
            f"the operator is not ready after {timeout:g} s; what was made stays. Hint: {INSTALL} --upgrade --image IMAGE "
            f"changes its image, marsdask kubernetes uninstall removes it.\n{report}"
        )


def uninstall(api: Api, *, force: bool, timeout: float) -> Iterator[str]:
    """Remove what `install` made, and say line by line what was removed.

    Raises InUse while there are clusters or jobs, unless `force`: they are deleted first. Raises StillThere for what is
    not gone after `timeout` seconds.
    """
    deadline, selector = time.monotonic() + timeout, f"{MANAGED_BY}={operator.US}"
    found = [
        each | {"kind": kind}
        for kind in KINDS
        for each in api.listed(method_of(api, "list", kind), label_selector=selector)
    ]
    if not found:
        yield f"Nothing of `{INSTALL}` is here."
        return
    used = [each for plural in PLURALS[:2] for each in api.resources(plural)]
    jobs = marsjobs.listed(api) if any(map(is_for_jobs, found)) else []
    if jobs and not force:
        raise InUse(
            f"{len(jobs)} MarsJobs would be deleted with their definition: {some(jobs)}. Hint: "
            "`marsdask job delete NAME` for each, or --force deletes them all."
        )
    if used and not force:
        raise InUse(
            f"{len(used)} of Dask's clusters and jobs would be left without an operator: {some(used)}. Hint: `marsdask kubernetes stop NAMESPACE` for each, or --force deletes them all."
        )
    for job in jobs:
        marsjobs.delete(api, *reversed(place(job)))
        yield f"marsjobs/{job['metadata']['name']} in {job['metadata']['namespace']}: deleted"
    if force:
        yield from remove_resources(api, deadline)
    for each in found:
        api.call(method_of(api, "delete", each["kind"]), *place(each))
    for each in found:
        if not until(lambda each=each: read(api, each) is None, max(deadline - time.monotonic(), 1)):  # type: ignore[misc]
            raise StillThere(
                f"{called(each)} was not gone after {timeout:g} s. Hint: uninstall again, or look at it."
            )
        yield f"{called(each)}: removed"


def is_for_jobs(manifest: Body) -> bool:
    """Whether an object of ours is the definition of MarsJobs; of somebody else's definition they are somebody else's."""
    return bool(place(manifest)[0] == definition()["metadata"]["name"])


def some(found: Sequence[Body], most: int = 5) -> str:
    """The first of them by name."""
    names = ("/".join(reversed(place(each))) for each in found[:most])
    return ", ".join(names) + ", ..." * (len(found) > most)


def remove_resources(api: Api, deadline: float) -> Iterator[str]:
    """Delete every cluster, job and autoscaler. What no operator lets go is freed here, after half of the time."""

    def there() -> Iterator[tuple[str, ...]]:
        return ((plural, *place(each)) for plural in PLURALS for each in api.resources(plural))

    works = any(each.ready for each in look(api).operators)
    for plural, name, namespace in there():
        api.deleted(plural, namespace, name)
        yield f"{plural}/{name} in {namespace}: deleted"
    if until(lambda: not any(map(api.resources, PLURALS)), (deadline - time.monotonic()) / 2 if works else 2):
        return
    for plural, name, namespace in there():
        api.freed(plural, namespace, name)
        yield f"{plural}/{name} in {namespace}: freed without the operator"


def called(manifest: Body) -> str:
    """An object's kind and name."""
    return f"{manifest['kind']} {manifest['metadata']['name']}"
