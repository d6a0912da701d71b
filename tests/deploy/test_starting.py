"""What is done while a cluster comes up, on a cluster that answers as it is told."""

import logging
import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from marsdask.deploy.kubernetes import starting, states
from marsdask.deploy.kubernetes.addresses import Place
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.deploy.kubernetes.starting import Start
from marsdask.deploy.kubernetes.states import Deadline, Shown, State
from marsdask.errors import ClusterNotStarted, ClusterUnreachable
from tests.processes import reserved_port

pytestmark = pytest.mark.once

AS_THEY_ARE = dict(starting.SILENT), starting.FORWARDED
READY = [State("s", "scheduler", "Ready"), State("w", "worker", "Ready")]
TOO_LARGE = (
    "0/2 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 1 Insufficient memory. "
    "no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
)
HOMELESS = [READY[0], State("w", "worker", "Pending: Insufficient memory", TOO_LARGE)]


class Cluster:
    """Of one worker, whose Service is at `place`; through the API it is there."""

    name, namespace, service = "mars", "flights", "mars-scheduler"

    def __init__(self, place: Place | None, *, pods: list[State] = READY, may: bool = True, **arguments: Any):
        self.arguments = Arguments.of(**arguments)
        self.at, self.pods, self.asked = place, pods, list[tuple[Any, ...]]()
        self.forwarded, self.forward, self.registered = False, None, 0
        self.said: list[dict[str, Any]] = []
        self.api = SimpleNamespace(
            may=lambda *what: self.asked.append(what) or may,
            last_lines=lambda *_: {},
            listed=lambda *_, **__: self.said,
            core=SimpleNamespace(list_namespaced_event=None),
        )

    def _states(self) -> list[State]:
        return self.pods

    def _events(self) -> list[str]:
        return []

    def find(self) -> Place | None:
        return Place("127.0.0.1", self.listener.getsockname()[1], 1) if self.forwarded else self.at

    def connect(self, timeout: float) -> None:
        self.registered = 1

    def start(self, *, seconds: float = 60) -> None:
        with socket.create_server(("127.0.0.1", 0)) as self.listener, Shown(wanted=None) as shown:
            Start(self, Deadline(seconds), shown).wait()  # type: ignore[arg-type]


def test_within_twenty_seconds() -> None:
    """Another way, or an error, with the seconds of an attempt; of a load balancer only its provider knows."""
    silent, forwarded = AS_THEY_ARE
    assert all(seconds + 5 <= 20 for kind, seconds in silent.items() if kind != "LoadBalancer")
    assert forwarded + 5 <= min(silent.values())


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "FORWARDED", 0.3)
    monkeypatch.setattr(starting, "SILENT", dict.fromkeys(starting.SILENT, 0.6))
    monkeypatch.setattr(starting, "PATIENCE", 0.6)


@pytest.fixture
def blocked() -> Iterator[Place]:
    with reserved_port() as port:  # bound, and nobody listens
        yield Place("127.0.0.1", port, 1)


def test_the_api_is_gone_through_where_nodes_do_not_answer(
    blocked: Place, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = Cluster(blocked)
    cluster.start()
    assert cluster.forwarded
    assert f"127.0.0.1:{blocked.comm} does not answer" in caplog.text
    assert "service_type='ClusterIP' says so from the start" in caplog.text


def test_not_where_the_user_said_how_it_is_reached(blocked: Place) -> None:
    cluster = Cluster(blocked, service_type="NodePort")
    with pytest.raises(
        ClusterNotStarted,
        match=rf"could not be reached.*127\.0\.0\.1:{blocked.comm} does not answer.*service_type='ClusterIP'",
    ) as error:
        cluster.start()
    assert not isinstance(error.value, TimeoutError)
    assert not cluster.asked


def test_not_without_the_right_to(blocked: Place) -> None:
    cluster = Cluster(blocked, may=False)
    with pytest.raises(
        ClusterNotStarted, match=r"this user may not go through .* \(create pods/portforward\)"
    ):
        cluster.start()
    assert cluster.asked == [("create", "", "pods/portforward", "flights")], "once"


@pytest.mark.parametrize("arguments", [{}, {"service_type": "NodePort"}])
def test_a_port_that_takes_connections_and_says_nothing(arguments: dict[str, Any]) -> None:
    """As that of a proxy, or of another program."""

    def mute(timeout: float) -> None:
        raise ClusterUnreachable("it does not answer. Hint: another") from OSError("no handshake")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        cluster = Cluster(Place("127.0.0.1", listener.getsockname()[1], 1), **arguments)
        cluster.connect = mute  # type: ignore[method-assign]
        with pytest.raises(
            ClusterNotStarted,
            match=r"could not be reached .*127\.0\.0\.1:\d+ takes connections and says nothing \(no handshake\)",
        ):
            cluster.start()
    assert not cluster.forwarded


def test_a_load_balancer_without_an_address() -> None:
    with pytest.raises(ClusterNotStarted, match=r"its load balancer has no address yet.*Hint: .*ClusterIP"):
        Cluster(None, service_type="LoadBalancer").start()


def test_what_no_node_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    with listener:
        cluster = Cluster(Place("127.0.0.1", listener.getsockname()[1], 1), pods=HOMELESS, worker_mem="900g")
        cluster.connect = lambda timeout: None  # type: ignore[method-assign]
        with pytest.raises(
            ClusterNotStarted, match=r"not been able to come up for 0.6 s: 1 of 2 pods .*Hint: ask for less"
        ):
            cluster.start()
        cluster.said = [{"reportingComponent": "cluster-autoscaler", "reason": "NotTriggerScaleUp"}]
        with pytest.raises(TimeoutError, match="is not up after 2 s"):
            cluster.start(seconds=2)


def test_the_log_tells_where_there_is_no_terminal(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "TOLD_EVERY", 100.0)
    with caplog.at_level(logging.INFO), Shown(wanted=None) as shown:
        for line in ("a", "a", "b"):
            shown(line)
        assert [(r.levelname, r.message) for r in caplog.records] == [("INFO", "a"), ("INFO", "b")]
        caplog.clear()
        monkeypatch.setattr(states, "TOLD_EVERY", 0.0)
        shown("b")
        assert [r.levelname for r in caplog.records] == ["WARNING"]
        assert caplog.records[0].message == "Waiting for a cluster for 0 s: b"
    caplog.clear()
    with caplog.at_level(logging.INFO), Shown(wanted=False) as shown:
        shown("a")
    assert not caplog.records
