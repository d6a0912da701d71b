"""Sizes of a cluster on Kubernetes: what is asked of the operator's resources, and in which order."""

from types import SimpleNamespace
from typing import Any

import pytest
from distributed.core import Status

from marsdask.deploy.kubernetes import states
from marsdask.deploy.kubernetes.cluster import AttachedCluster
from marsdask.errors import KubernetesError


class Server:
    """An API server that holds an autoscaler, for so many requests to delete it."""

    def __init__(self, stays: int):
        self.stays, self.asked = stays, list[str]()

    def deleted(self, plural: str, namespace: str, name: str) -> bool:
        self.asked.append(f"delete {plural}")
        self.stays -= 1
        return self.stays >= 0

    def patched(self, plural: str, *_: Any, **__: Any) -> dict[str, Any] | None:
        self.asked.append(f"patch {plural}")
        going = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if plural == "daskautoscalers" else {}
        return {"metadata": going}


def on(server: Server) -> Any:
    cluster = AttachedCluster.__new__(AttachedCluster)
    cluster.__dict__.update(
        api=server, namespace="flights", status=Status.closed, _cluster_info={"name": "mars"}
    )
    return cluster


def test_a_size_is_set_when_the_autoscaler_is_gone() -> None:
    server = Server(stays=3)
    on(server).scale(2)
    assert server.asked == 4 * ["delete daskautoscalers"] + ["patch daskworkergroups"]


def test_an_autoscaler_that_stays_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(1000))
    monkeypatch.setattr(states, "time", SimpleNamespace(monotonic=lambda: next(now), sleep=lambda _: None))
    server = Server(stays=10**6)
    on(server).scale(2)
    assert server.asked[-1] == "patch daskworkergroups"


def test_an_autoscaler_that_is_going_is_not_changed() -> None:
    with pytest.raises(KubernetesError, match=r"adapt\(\): .*'flights'.*in a minute"):
        on(Server(stays=1)).adapt(1, 2)
