"""Which clusters of ours there are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.names import MANAGED_BY, US


class Row(NamedTuple):
    """One cluster, or a namespace that is left of one."""

    namespace: str
    cluster: str
    workers: str
    age: str
    state: str


def clusters(api: Api, now: datetime | None = None) -> list[Row]:
    """Every cluster that `new_cluster` made and this user may see, and the namespaces without one."""
    selector = f"{MANAGED_BY}={US}"
    made = api.clusters(selector=selector) if api.knows_dask() else []
    namespaces = api.listed(api.core.list_namespace, label_selector=selector)
    return rows(made, namespaces, now or datetime.now(UTC))


def rows(made: list[dict[str, Any]], namespaces: list[dict[str, Any]], now: datetime) -> list[Row]:
    """A row for each cluster and each namespace that has none, by name."""
    found = [
        Row(
            c["metadata"]["namespace"],
            c["metadata"]["name"],
            str(c["spec"]["worker"]["replicas"]),
            age(c, now),
            _state(c, "there"),
        )
        for c in made
    ]
    taken = {row.namespace for row in found}
    for each in namespaces:
        name = each["metadata"]["name"]
        if name not in taken:
            found.append(Row(name, "-", "-", age(each, now), _state(each, "no cluster in it")))
    return sorted(found)


def _state(made: Mapping[str, Any], otherwise: str) -> str:
    return "going away" if made["metadata"].get("deletionTimestamp") else otherwise


def age(made: Mapping[str, Any], now: datetime) -> str:
    """How long something has been there, in its largest unit.

    >>> made = {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}}
    >>> age(made, datetime(2026, 1, 1, 3, 30, tzinfo=UTC))
    '3h'
    """
    since = datetime.fromisoformat(made["metadata"]["creationTimestamp"])
    seconds = int((now - since).total_seconds())
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
