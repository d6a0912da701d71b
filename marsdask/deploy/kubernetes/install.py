"""Put Dask's operator into a Kubernetes cluster, and take it out again.

Only what is missing is made, and only what was made is removed. An operator that is there, whoever made it, is left alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from marsdask.deploy.kubernetes import operator, states
from marsdask.deploy.kubernetes.api import Api, Body
from marsdask.deploy.kubernetes.installation import INSTALL, Installation, described, look
from marsdask.deploy.kubernetes.names import MANAGED_BY, labels_of
from marsdask.deploy.kubernetes.objects import KINDS, Objects, place
from marsdask.deploy.kubernetes.waiting import until
from marsdask.errors import ClusterNotStarted, InUse, KubernetesError, StillThere

PLURALS = ("daskjobs", "daskclusters", "daskautoscalers", "daskworkergroups")


def install(
    api: Api,
    namespace: str = operator.NAMESPACE,
    image: str = "",
    *,
    pull_secret: str | None = None,
    upgrade: bool = False,
    timeout: float = 120,
) -> Iterator[str]:
    """Make what is missing, wait until the operator is ready, and say line by line what was done.

    `upgrade` also changes what an earlier install made. Raises ClusterNotStarted with the pods' states if the operator
    is not ready after `timeout` seconds; 0 does not wait.
    """
    wanted = operator.manifests(namespace, image, pull_secret=pull_secret)
    objects, before = Objects(api), look(api)
    kept = next((each for each in before.operators if not each.ours or each.namespace != namespace), None)
    for manifest in wanted:
        # To an operator that is there only the definitions may be missing.
        if kept is None or manifest["kind"] == "CustomResourceDefinition":
            yield f"{called(manifest)}: {ensure(objects, manifest, upgrade=upgrade)}"
        if manifest is wanted[len(operator.definitions()) - 1]:
            wait_established(objects, wanted, max(timeout, 30))
    if kept is not None:
        yield f"There is an operator already, left alone: {kept}"
        return
    yield from compared(before, wanted[-1], upgrade=upgrade)
    if timeout:
        wait_ready(api, objects, wanted[-1], timeout)
        yield f"The operator is ready in namespace {namespace}."


def ensure(objects: Objects, manifest: Body, *, upgrade: bool) -> str:
    """Make an object if it is not there, or change it if it is ours and may be: what was done."""
    found = objects.read(manifest)
    if found is None:
        objects.create(manifest)
        return "made"
    if labels_of(found).get(MANAGED_BY) != operator.US:
        return "there, not ours, left alone"
    if not upgrade:
        return "there"
    patched = objects.patch(manifest) or found
    same = patched["metadata"]["resourceVersion"] == found["metadata"]["resourceVersion"]
    return "there, as it should be" if same else "changed"


def compared(before: Installation, wanted: Body, *, upgrade: bool) -> Iterator[str]:
    """What an operator of ours, that was left as it is, has otherwise than `wanted`."""
    image = wanted["spec"]["template"]["spec"]["containers"][0]["image"]
    version = wanted["metadata"]["labels"][operator.VERSION]
    for each in before.operators:
        if not upgrade and (each.image, each.version) != (image, version):
            yield (
                f"It runs dask-kubernetes {each.version} from {each.image}, here are {version} and {image}. "
                f"Hint: {INSTALL} --upgrade changes it."
            )


def wait_established(objects: Objects, wanted: list[Body], timeout: float) -> None:
    """Until the API serves the definitions."""
    names = [each for each in wanted if each["kind"] == "CustomResourceDefinition"]

    def served() -> bool:
        return all(established(objects.read(each) or {}) for each in names)

    if not until(served, timeout):
        raise ClusterNotStarted(
            f"the API does not serve Dask's resources {timeout:g} s after their definitions were made."
        )


def established(definition: Body) -> bool:
    """Whether the API serves it; a new definition has no conditions, or null."""
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)


def wait_ready(api: Api, objects: Objects, wanted: Body, timeout: float) -> None:
    """Until the Deployment has its pod; an error that says why not."""
    namespace = wanted["metadata"]["namespace"]
    selector = ",".join(f"{k}={v}" for k, v in wanted["spec"]["selector"]["matchLabels"].items())

    def ready() -> bool:
        found = objects.read(wanted)
        return found is not None and described(found).ready

    if not until(ready, timeout):
        found = states.states(api.pods(namespace, selector))
        events = states.warnings_of(api.events(namespace))
        logs = {s.name: last_lines(api, namespace, s.name) for s in found if not s.ready}
        report = states.report(found, events, {name: text for name, text in logs.items() if text})
        raise ClusterNotStarted(
            f"the operator is not ready after {timeout:g} s; what was made stays. Hint: {INSTALL} --upgrade --image IMAGE "
            f"changes its image, marsdask kubernetes uninstall removes it.\n{report}"
        )


def last_lines(api: Api, namespace: str, pod: str) -> str:
    """What a pod said last; nothing if its container never started."""
    try:
        return api.log(namespace, pod, lines=20) or ""
    except KubernetesError:
        return ""


def uninstall(api: Api, *, force: bool = False, timeout: float = 120) -> Iterator[str]:
    """Remove what `install` made, and say line by line what was removed.

    Raises InUse while there are clusters or jobs, unless `force`: they are deleted first. Raises StillThere for what is
    not gone after `timeout` seconds.
    """
    objects, deadline = Objects(api), time.monotonic() + timeout
    found = [
        each for kind in reversed(KINDS) for each in objects.labelled(kind, f"{MANAGED_BY}={operator.US}")
    ]
    if not found:
        yield f"Nothing of `{INSTALL}` is here."
        return
    used = [each for plural in PLURALS[:2] for each in api.resources(plural)]
    if used and not force:
        names = ", ".join(f"{each['metadata']['namespace']}/{each['metadata']['name']}" for each in used[:5])
        raise InUse(
            f"{len(used)} of Dask's clusters and jobs would be left without an operator: {names}{', ...' * (len(used) > 5)}. "
            "Hint: `marsdask kubernetes stop NAMESPACE` for each, or --force deletes them all."
        )
    if force:
        yield from remove_resources(api, deadline)
    found.sort(key=lambda each: list(ORDER).index(each["kind"]))
    for each in found:
        objects.delete(each)
    for each in found:
        if not until(lambda each=each: objects.read(each) is None, max(deadline - time.monotonic(), 1)):  # type: ignore[misc]
            raise StillThere(
                f"{called(each)} was not gone after {timeout:g} s. Hint: uninstall again, or look at it."
            )
        yield f"{called(each)}: removed"


ORDER = (
    "CustomResourceDefinition",
    "Deployment",
    "ClusterRoleBinding",
    "ClusterRole",
    "ServiceAccount",
    "Namespace",
)
"""Definitions first: the operator has to be there for the end of what they define."""


def remove_resources(api: Api, deadline: float) -> Iterator[str]:
    """Delete every cluster, job and autoscaler. What no operator lets go is freed here, after half of the time."""
    works = any(each.ready for each in look(api).operators)
    for plural in PLURALS:
        for each in api.resources(plural):
            name, namespace = place(each)
            api.deleted(plural, namespace, name)
            yield f"{plural}/{name} in {namespace}: deleted"

    def gone() -> bool:
        return not any(api.resources(plural) for plural in PLURALS)

    if until(gone, (deadline - time.monotonic()) / 2 if works else 2):
        return
    for plural in PLURALS:
        for each in api.resources(plural):
            name, namespace = place(each)
            api.freed(plural, namespace, name)
            yield f"{plural}/{name} in {namespace}: freed without the operator"


def called(manifest: Body) -> str:
    """An object's kind and name."""
    return f"{manifest['kind']} {manifest['metadata']['name']}"
