"""Which clusters of ours there are, and how one is taken away: what is deleted, in which order, and what stays if somebody does not play their part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.names import (
    CERTIFIED,
    CLUSTER,
    COMPONENT,
    MANAGED_BY,
    US,
    is_ours,
    labels_of,
    secret,
)
from marsdask.deploy.kubernetes.states import until
from marsdask.errors import KubernetesError, NotPermitted, StillThere

LONGEST_WAIT = 300.0
"""Seconds that a stop waits where nobody says: without the operator it would be for ever."""
LET_GO = 5.0
"""Seconds that the operator gets to let go of a cluster it is about to make."""


def remove(api: Api, namespace: str, cluster: str, *, own_namespace: bool) -> None:
    """Ask for everything of a cluster to be deleted. What is gone already is fine."""
    api.deleted("daskautoscalers", namespace, cluster)
    made = api.get("daskclusters", namespace, cluster)
    api.deleted("daskclusters", namespace, cluster)
    if own_namespace:
        begun = made is None or made.get("status", {}).get("phase", "Created") != "Created"
        # An operator that has hardly begun: in a namespace that goes away it may not make what it still wants to make:
        # it tries again for ever, and keeps its finalizer. Nothing of the cluster is there yet, so what it does not take
        # off in a few seconds we take off.
        if not begun and not until(lambda: api.get("daskclusters", namespace, cluster) is None, LET_GO):
            release(api, namespace)
        api.call(api.core.delete_namespace, namespace)
        return
    for role in ("scheduler", "worker"):
        api.call(api.networking.delete_namespaced_network_policy, f"{cluster}-{role}", namespace)
    api.call(api.core.delete_namespaced_secret, secret(cluster), namespace)
    for service in api.services(namespace, f"{MANAGED_BY}={US},{CLUSTER}={cluster}"):
        if COMPONENT not in labels_of(service):
            api.call(api.core.delete_namespaced_service, service["metadata"]["name"], namespace)


def wait_gone(api: Api, namespace: str, cluster: str, *, own_namespace: bool, timeout: float) -> None:
    """Return when a cluster is gone; StillThere tells what stays after `timeout` seconds, and why."""

    def gone() -> bool:
        if own_namespace:
            return api.namespace(namespace) is None
        return not (
            api.get("daskclusters", namespace, cluster) or api.pods(namespace, f"{CLUSTER}={cluster}")
        )

    if until(gone, timeout, every=0.5):
        return
    made = api.get("daskclusters", namespace, cluster)
    said = f"the cluster in namespace {namespace!r} was not gone after {timeout:g} s"
    if finalizers := made and made["metadata"].get("finalizers"):
        raise StillThere(
            f"{said}: DaskCluster {cluster!r} waits for {', '.join(finalizers)}, which only a running Dask operator takes "
            f"away. Hint: start the operator (`marsdask kubernetes status`), or `marsdask kubernetes stop {namespace} --force`."
        )
    pods = [p["metadata"]["name"] for p in api.pods(namespace, f"{CLUSTER}={cluster}")]
    left = f"pods {', '.join(pods[:5])}{' ...' * (len(pods) > 5)}" if pods else "Kubernetes is still at it"
    raise StillThere(f"{said}: {left}. Hint: kubectl get all -n {namespace}; stop() may be called again.")


def release(api: Api, namespace: str) -> None:
    """Take the finalizers off a namespace's Dask resources, as the operator would."""
    for plural in ("daskautoscalers", "daskworkergroups", "daskclusters"):
        for each in api.resources(plural, namespace):
            if each["metadata"].get("finalizers"):
                api.freed(plural, namespace, each["metadata"]["name"])


def stop_namespace(api: Api, namespace: str, *, force: bool, timeout: float) -> str:
    """Stop every cluster of ours in a namespace, and the namespace if it was made for one; what was done.

    For clusters whose client is gone; again is fine. Raises StillThere, and KubernetesError where there is nothing of
    ours in a namespace that is there.
    """
    try:
        found = api.namespace(namespace)
    except NotPermitted:
        found = {"metadata": {}}  # a Role in one namespace: what is in it can be stopped, it stays
    if found is None:
        return f"There is no namespace {namespace!r}."
    own = is_ours(found)
    clusters = [c["metadata"]["name"] for c in api.clusters(namespace, f"{MANAGED_BY}={US}")]
    if not clusters and not own:
        raise KubernetesError(
            f"there is no cluster of marsdask in namespace {namespace!r}. Hint: `marsdask kubernetes list` shows all."
        )
    names = clusters or ["mars"]
    for name in names:
        remove(api, namespace, name, own_namespace=own)
    if force:
        release(api, namespace)
    for name in names:
        wait_gone(api, namespace, name, own_namespace=own, timeout=timeout)
    return f"Stopped {', '.join(clusters) or 'what was left'} in {namespace}{'; it is gone' * own}."


class Row(NamedTuple):
    """One cluster, or a namespace that is left of one."""

    namespace: str
    cluster: str
    workers: str
    age: str
    certificates: str
    """How long they are good for."""
    state: str


def clusters(api: Api, namespace: str | None = None) -> list[Row]:
    """Every cluster that `new_cluster` made and this user may see, and the namespaces without one.

    Of one `namespace` that takes no right beyond it.
    """
    selector = f"{MANAGED_BY}={US}"
    made, groups = [], []
    if api.knows_dask():
        made = api.clusters(namespace, selector)
        with suppress(NotPermitted):  # a Role of before there were others than the default ones
            groups = api.resources("daskworkergroups", namespace)
    if namespace is None:
        namespaces = api.listed(api.core.list_namespace, label_selector=selector)
    else:
        namespaces = []
        with suppress(NotPermitted):  # who works in a namespace that was there may not look at it
            found = api.namespace(namespace)
            namespaces = [found] if found and is_ours(found) else []
    return rows(made, groups, namespaces, datetime.now(UTC))


def rows(
    made: list[dict[str, Any]], groups: list[dict[str, Any]], namespaces: list[dict[str, Any]], now: datetime
) -> list[Row]:
    """A row for each cluster and each namespace that has none, by name. Its worker groups tell how many workers it has now."""
    sizes = Counter[tuple[str, str]]()
    for each in groups:
        sizes[each["metadata"]["namespace"], each["spec"]["cluster"]] += each["spec"]["worker"]["replicas"]
    found = []
    for c in made:
        place = c["metadata"]["namespace"], c["metadata"]["name"]
        found.append((c, *place, str(sizes.get(place, c["spec"]["worker"]["replicas"])), "there"))
    taken = {namespace for _, namespace, *_ in found}
    lone = {each["metadata"]["name"]: each for each in namespaces}
    found += [(lone[name], name, "-", "-", "no cluster in it") for name in lone.keys() - taken]
    told = []
    for each, namespace, cluster, workers, otherwise in found:
        state = "going away" if each["metadata"].get("deletionTimestamp") else otherwise
        told.append(Row(namespace, cluster, workers, age(each, now), good_for(each, now), state))
    return sorted(told)


def good_for(made: Mapping[str, Any], now: datetime) -> str:
    """How long the certificates of a cluster are good for; nothing connects to it after that.

    >>> made = {"metadata": {"annotations": {CERTIFIED: "2027-01-01T00:00:00+00:00"}}}
    >>> good_for(made, datetime(2026, 12, 1, tzinfo=UTC)), good_for(made, datetime(2028, 1, 1, tzinfo=UTC)), good_for({"metadata": {}}, None)
    ('31d', 'ended', '-')
    """
    said = (made["metadata"].get("annotations") or {}).get(CERTIFIED)
    if said is None:
        return "-"
    seconds = (datetime.fromisoformat(said) - now).total_seconds()
    return largest_unit(int(seconds)) if seconds > 0 else "ended"


def age(made: Mapping[str, Any], now: datetime) -> str:
    """How long something has been there, in its largest unit.

    >>> made = {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}}
    >>> age(made, datetime(2026, 1, 1, 3, 30, tzinfo=UTC))
    '3h'
    """
    seconds = int((now - datetime.fromisoformat(made["metadata"]["creationTimestamp"])).total_seconds())
    return largest_unit(seconds)


def largest_unit(seconds: int) -> str:
    """So many whole days, hours, minutes or seconds."""
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
