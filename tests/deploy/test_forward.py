"""Ports of a pod on this machine: whoever uses one is told when the way to the pod ends."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import distributed
import pytest
from distributed.comm import CommClosedError
from distributed.deploy import Cluster
from kubernetes import client
from kubernetes.stream import ws_client

from marsdask.deploy.kubernetes.addresses import NO_ANSWER, Forward, Place, end_with_thread
from marsdask.deploy.kubernetes.cluster import AttachedCluster
from tests.processes import PATIENCE, until


class Websocket:
    """What kubernetes' PortForward uses of one; it fails when its other end sends."""

    def __init__(self, error: Exception) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        self.sock = socket.create_connection(server.getsockname())
        self.far, _ = server.accept()
        server.close()
        self.connected, self.error = True, error

    def fileno(self) -> int:
        return self.sock.fileno()

    def recv_data_frame(self, control: bool) -> tuple[int, object]:
        raise self.error

    def close(self) -> None:
        self.sock.close()
        self.connected = False

    shutdown = close


@pytest.fixture(params=[ConnectionResetError(104, "reset by peer"), TimeoutError(110, "timed out")], ids=str)
def websocket(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Websocket]:
    made = Websocket(request.param)
    monkeypatch.setattr(ws_client, "create_websocket", lambda *_: made)
    yield made
    made.far.close()
    made.close()


def test_an_error_of_the_connection_ends_it(websocket: Websocket) -> None:
    """kubernetes' own thread ends and leaves its sockets open: where the error is kept, as by pytest, a session would wait for ever."""
    api_client = client.ApiClient(client.Configuration(host="http://127.0.0.1:1"))
    forward = Forward(api_client, "there", lambda: "scheduler", [8786])
    try:
        with socket.create_connection(("127.0.0.1", forward.local(8786)), timeout=PATIENCE) as near:
            near.sendall(b"hello")
            assert websocket.far.recv(100)
            websocket.far.sendall(b"x")
            assert near.recv(1) == b""
    finally:
        forward.close()
    assert not any(thread.is_alive() for thread in forward.threads)


def test_what_the_server_says_of_the_end_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours, theirs = socket.socketpair()
    joined = SimpleNamespace(
        _proxy=object(),
        socket=lambda port: ours,
        error=lambda port: "lost connection to pod",
        websocket=SimpleNamespace(shutdown=lambda: None),
        local_ports={8786: SimpleNamespace(python=theirs)},
    )
    monkeypatch.setattr(Forward, "_to_pod", lambda self, port: joined)
    api_client = client.ApiClient(client.Configuration(host="http://127.0.0.1:1"))
    forward = Forward(api_client, "there", lambda: "scheduler", [8786])
    try:
        with socket.create_connection(("127.0.0.1", forward.local(8786)), timeout=PATIENCE) as near:
            assert near.recv(1) == b""
        until(lambda: "lost connection to pod" in caplog.text, "a warning")
    finally:
        forward.close()
    assert "connection to port 8786 of the scheduler's pod ended: lost connection to pod" in caplog.text


def test_a_lost_connection_is_no_reason_to_give_a_cluster_up() -> None:
    asked = []

    async def versions(packages: list[str]) -> dict[str, object]:
        asked.append(packages)
        if len(asked) < 3:
            raise CommClosedError("Stream is closed")
        return {"packages": {}}

    cluster = object.__new__(AttachedCluster)
    cluster.scheduler_comm = SimpleNamespace(versions=versions)
    assert asyncio.run(cluster._versions()) == {"packages": {}}
    assert len(asked) == 3


class Cutting:
    """A port that leads to another one, and ends the first `times` connections with which a client registers."""

    def __init__(self, port: int, times: int):
        self.port, self.times, self.cut = port, times, 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.threads = [threading.Thread(target=self._accept)]
        self.threads[0].start()

    def __enter__(self) -> int:
        return int(self.listening.getsockname()[1])

    def __exit__(self, *error: object) -> None:
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        for thread in self.threads:
            thread.join()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the end
            while True:
                near, _ = self.listening.accept()
                self.threads.append(threading.Thread(target=self._join, args=(near,)))
                self.threads[-1].start()

    def _join(self, near: socket.socket) -> None:
        with near, socket.create_connection(("127.0.0.1", self.port)) as far:
            back = threading.Thread(target=self._pass_on, args=(far, near))
            back.start()
            self._pass_on(near, far)
            back.join()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := one.recv(2**16):
                if b"register-client" in said and self.cut < self.times:
                    self.cut += 1
                    break
                other.sendall(said)
        for each in (one, other):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def scheduler_port() -> Iterator[int]:
    with distributed.LocalCluster(
        n_workers=0, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as made:
        yield int(made.scheduler.port)


@pytest.mark.filterwarnings(
    "ignore:Scheduler already contains a plugin with name worker-status"
)  # of two clusters on one
@pytest.mark.parametrize("times", [0, 2, 3])
def test_a_session_begins_though_connections_are_lost(
    times: int, scheduler_port: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marsdask.deploy.kubernetes.cluster.LOST", 2)
    pod = {"metadata": {"name": "mars-scheduler"}, "status": {"phase": "Running"}}
    said = {"mars-scheduler": "Out of memory"}
    api: Any = SimpleNamespace(pods=lambda *_: [pod], warnings=lambda *_: [], last_lines=lambda *_: said)
    cluster = AttachedCluster(api, "there", "mars", service=None, security=None, own_namespace=True)
    with Cutting(scheduler_port, times) as port:
        cluster.place = Place("127.0.0.1", port, 0)
        try:
            cluster.connect()
            with pytest.raises(CommClosedError) if times > 2 else contextlib.nullcontext():
                cluster.session_client(as_default=False, timeout=PATIENCE).close()
        finally:
            Cluster.close(cluster)
    told = [text for record in caplog.records if "of a new session was lost" in (text := record.getMessage())]
    assert len(told) == min(times, 2)
    assert all("mars-scheduler" in each and "Out of memory" in each for each in told)


def test_what_came_before_the_end_is_read() -> None:
    kubernetes_side, far = socket.socketpair()
    kubernetes_side.sendall(b"x" * 50_000)
    websocket = SimpleNamespace(shutdown=lambda: None)
    end_with_thread(
        SimpleNamespace(
            _proxy=object(), websocket=websocket, local_ports={8786: SimpleNamespace(python=kubernetes_side)}
        )
    )
    with far, far.makefile("rb") as file:
        assert len(file.read()) == 50_000


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="no TCP_USER_TIMEOUT on this system")
def test_what_is_not_acknowledged_is_given_up(websocket: Websocket) -> None:
    api_client = client.ApiClient(client.Configuration(host="http://127.0.0.1:1"))
    forward = Forward(api_client, "there", lambda: "scheduler", [8786])
    try:
        with socket.create_connection(("127.0.0.1", forward.local(8786)), timeout=PATIENCE) as near:
            near.sendall(b"hello")
            assert websocket.far.recv(100)
            assert websocket.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == NO_ANSWER * 1000
    finally:
        forward.close()
