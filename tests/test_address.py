"""From what a user has of a cluster to its scheduler: real schedulers, certificates, and what is none."""

import http.server
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import distributed
import psutil
import pytest

import marsdask.engine.address as module
import marsdask.tensor as mt
from marsdask.engine.address import ROUTE, check_host, reached, resolve
from marsdask.engine.client import Distributed
from marsdask.engine.workers import workers_of
from marsdask.errors import ArgumentError, ClusterUnreachable, EncryptionMismatch, MarsDaskError
from marsdask.session import new_session
from tests.processes import NEVER, PATIENCE, Cluster, at_once, plain_cluster, reserved_port, until


def works(address: Any, **how: Any) -> str:
    """The address at which a session that was opened with `address` has added something up."""
    with new_session(address, default=False, timeout=PATIENCE, **how) as session:
        assert session.client.run_on_scheduler(lambda: 7) == 7
        return session.address


@contextmanager
def pages(answers: dict[str, tuple[int, str]]) -> Iterator[str]:
    """A web server that is no scheduler, with an answer for some paths."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, text = answers.get(self.path, (404, ""))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *words: Any) -> None:
            """Nothing on the test's output."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def patient_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each attempt of a search may take minutes: who is asked answers, however slowly."""
    monkeypatch.setattr(module, "STEP", PATIENCE)
    monkeypatch.setattr(module, "_left", lambda deadline: PATIENCE)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a search has failed once and pauses before its next attempt."""
    paused = threading.Event()

    def sleep(seconds: float) -> None:
        paused.set()
        time.sleep(seconds)

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    return paused


@pytest.fixture(scope="module")
def plain() -> Iterator[Cluster]:
    with plain_cluster() as cluster:
        yield cluster


@pytest.mark.processes
class TestPlainScheduler:
    def test_web_address(self, plain: Cluster) -> None:
        assert resolve(plain.web) == resolve(plain.web + "/") == plain.address
        assert works(plain.web) == plain.address

    def test_comm_address(self, plain: Cluster) -> None:
        assert works(plain.address) == works(plain.address.removeprefix("tcp://")) == plain.address

    def test_web_port_as_comm_address(self, plain: Cluster) -> None:
        told = r"no scheduler answers.*speaks HTTP"
        with at_once(), pytest.raises(ClusterUnreachable, match=told) as caught:
            new_session(plain.web.replace("http", "tcp"), timeout=NEVER)
        assert isinstance(caught.value, ConnectionError)
        assert f"'{plain.web}'" in str(caught.value)

    @pytest.mark.usefixtures("patient_steps")
    def test_web_port_without_websockets(self, plain: Cluster) -> None:
        with at_once(), pytest.raises(ClusterUnreachable, match="has pages only") as caught:
            new_session(plain.web.replace("http", "ws"), timeout=NEVER)
        assert f"'{plain.web}'" in str(caught.value)

    @pytest.mark.usefixtures("patient_steps")
    def test_comm_port_as_web_address(self, plain: Cluster) -> None:
        with at_once(), pytest.raises(ClusterUnreachable, match="Tried") as caught:
            new_session(plain.address.replace("tcp", "http"), timeout=NEVER)
        assert str(caught.value).isprintable()
        assert "\\x00" in str(caught.value)

    def test_encryption_where_there_is_none(self, plain: Cluster, certificates: Any) -> None:
        for address in (plain.address.replace("tcp", "tls"), plain.web.replace("http", "https")):
            # A web server waits for the rest of what it takes for a request: only the time limit ends that.
            with at_once(), pytest.raises(EncryptionMismatch, match="address="):
                new_session(address, security=certificates, timeout=2)

    def test_a_busy_scheduler_is_waited_for(
        self, plain: Cluster, pauses: threading.Event, tmp_path: Path
    ) -> None:
        began, go_on = tmp_path / "began", tmp_path / "go on"

        def busy() -> None:
            began.touch()
            while not go_on.exists():
                time.sleep(0.05)

        def end() -> None:
            pauses.wait(PATIENCE)
            go_on.touch()

        threads = [threading.Thread(target=end)]
        with distributed.Client(plain.address, set_as_default=False) as client:
            threads.append(threading.Thread(target=client.run_on_scheduler, args=(busy,)))
            for thread in threads:
                thread.start()
            until(began.exists, "a busy scheduler")
            try:
                assert works(plain.web) == plain.address
            finally:
                pauses.set()
                for thread in threads:
                    thread.join()


def with_websockets(port: int) -> tuple[str, ...]:
    """Options of a scheduler that takes websockets on its web port."""
    return "--protocol", "tcp,ws", "--port", f"0,{port}", "--dashboard-address", f"127.0.0.1:{port}"


@pytest.mark.processes
@pytest.mark.usefixtures("patient_steps")
def test_websocket_on_the_web_port() -> None:
    with reserved_port() as port, plain_cluster(*with_websockets(port)) as cluster:
        web = f"127.0.0.1:{port}"
        assert works(f"http://{web}") == cluster.address
        assert works(f"ws://{web}") == f"ws://{web}"
        # As seen from outside, where the scheduler's own view of its address leads nowhere.
        elsewhere = {"/json/identity.json": (200, '{"address": "tcp://127.0.0.1:9"}')}
        with pages(elsewhere) as nothing_there, pytest.raises(ClusterUnreachable, match="websocket"):
            resolve(nothing_there, timeout=NEVER)


@pytest.mark.processes
def test_websockets_are_closed_with_the_client() -> None:
    """Also where the scheduler is too busy to answer that they end."""
    with reserved_port() as port, plain_cluster(*with_websockets(port)):
        client = distributed.Client(f"ws://127.0.0.1:{port}", set_as_default=False)
        engine = Distributed(client, owned=(client,))
        scheduler = psutil.Process(client.run_on_scheduler(lambda: os.getpid()))
        stream = client.scheduler_comm.comm.sock.stream
        assert not stream.closed()
        scheduler.suspend()
        try:
            engine.close()
        finally:
            scheduler.resume()
        assert stream.closed()


@pytest.mark.processes
@pytest.mark.usefixtures("patient_steps")
def test_route_of_our_supervisors(plain: Cluster) -> None:
    with pages({ROUTE: (200, f'{{"address": "{plain.address}", "listeners": []}}')}) as web:
        assert resolve(web) == plain.address
    listeners = f'["tcp://127.0.0.1:9", "{plain.address}"]'
    with pages({ROUTE: (200, f'{{"address": "tcp://127.0.0.1:9", "listeners": {listeners}}}')}) as web:
        assert resolve(web) == plain.address
    broken = {ROUTE: (200, "[]"), "/json/identity.json": (200, f'{{"address": "{plain.address}"}}')}
    with pages(broken) as web:
        assert resolve(web) == plain.address


PATH = "/mars/default/demo-webservice-0"
"""Where an ingress shows the web port of a MarsJob."""


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        (f"http://mars.example{PATH}", "mars.example", 80),
        (f"https://mars.example{PATH}", "mars.example", 443),
        (f"ws://mars.example{PATH}", "mars.example", 80),
        (f"wss://[fd00::1]{PATH}", "fd00::1", 443),
        (f"ws://mars.example:8080{PATH}", "mars.example", 8080),
        ("ws://mars.example", "mars.example", 80),
        ("ws://[fd00::1]:8787", "fd00::1", 8787),
    ],
)
def test_a_web_address_needs_no_port(address: str, host: str, port: int) -> None:
    assert check_host(address) == address.partition("://")[0]
    assert module._host_port(address) == (host, port)


@pytest.mark.parametrize(
    "address", ["tcp://host", f"tls://host{PATH}", f"ws://{PATH}", "ws://host:x/", "host"]
)
def test_an_address_that_needs_a_port_or_a_host(address: str) -> None:
    with pytest.raises(ArgumentError, match="expected host:port"):
        check_host(address)


@contextmanager
def black_hole() -> Iterator[str]:
    """A comm address that never answers, as behind a firewall that lets nothing through: no more fits in its queue."""
    with ExitStack() as stack:
        silent = stack.enter_context(closing(socket.socket()))
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        full = False
        while not full:
            waiting = stack.enter_context(closing(socket.socket()))
            waiting.settimeout(0.5)
            try:
                waiting.connect(silent.getsockname())
            except TimeoutError:
                full = True
        yield f"tcp://127.0.0.1:{silent.getsockname()[1]}"


def supervisors(own: str, path: str = "") -> dict[str, tuple[int, str]]:
    """Answers of a web port that takes websockets, of a scheduler whose own address is `own`."""
    told = json.dumps({"address": own, "listeners": [own]})
    return {path + ROUTE: (200, told), f"{path}/": (101, ""), path: (101, "")}


@pytest.mark.usefixtures("patient_steps")
class TestBesideTheWebsocket:
    def test_an_own_address_that_never_answers(self) -> None:
        """It is waited for half a second, and not as long as an attempt may take: with these steps, minutes."""
        before = set(threading.enumerate())
        with black_hole() as own, pages(supervisors(own)) as web:
            began = time.monotonic()
            assert resolve(web, timeout=NEVER) == web.replace("http", "ws")
            assert time.monotonic() - began < 60
        until(lambda: set(threading.enumerate()) <= before, "the end of the look that nobody waits for")

    def test_an_own_address_that_answers_comes_first(self) -> None:
        with closing(socket.create_server(("127.0.0.1", 0))) as server:
            own = f"tcp://127.0.0.1:{server.getsockname()[1]}"
            with pages(supervisors(own)) as web:
                assert resolve(web, timeout=NEVER) == own

    @pytest.mark.parametrize("scheme", ["tcp", "tls"])
    def test_an_own_address_that_is_refused(self, scheme: str) -> None:
        with reserved_port() as port, pages(supervisors(f"{scheme}://127.0.0.1:{port}")) as web, at_once():
            assert resolve(web, timeout=NEVER) == web.replace("http", "ws")

    def test_through_a_path_without_a_port(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The websocket's address has the port, since Dask's client wants one."""
        with reserved_port() as port, pages(supervisors(f"tcp://127.0.0.1:{port}", PATH)) as server:
            connect = socket.create_connection
            behind = {("mars.example", 80): ("127.0.0.1", int(server.rpartition(":")[2]))}

            def through(where: tuple[str, int], *how: Any, **more: Any) -> socket.socket:
                return connect(behind.get(where, where), *how, **more)

            monkeypatch.setattr(socket, "create_connection", through)
            for web in (f"http://mars.example{PATH}", f"http://mars.example{PATH}/"):
                found = resolve(web, timeout=NEVER)
                assert found == f"ws://mars.example:80{PATH}"
            reached(found, timeout=NEVER)
            reached(f"ws://mars.example{PATH}", timeout=NEVER)

    def test_https_without_a_port(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module._Search, "_asked", lambda *what, **how: None)
        monkeypatch.setattr(module._Search, "_speaks_websocket", lambda search: True)
        assert resolve(f"https://mars.example{PATH}") == f"wss://mars.example:443{PATH}"
        assert resolve("http://[fd00::1]") == "ws://[fd00::1]:80"


class TestNoScheduler:
    @pytest.mark.usefixtures("patient_steps")
    @pytest.mark.parametrize(("status", "timeout"), [(404, NEVER), (500, 1)])  # who has an error may be busy
    def test_another_web_server(self, status: int, timeout: float) -> None:
        with (
            pages({"/json/identity.json": (status, "")}) as web,
            at_once(),
            pytest.raises(ClusterUnreachable, match=f"HTTP {status}") as caught,
        ):
            resolve(web, timeout=timeout)
        assert isinstance(caught.value, MarsDaskError)

    def test_a_server_that_says_nothing(self) -> None:
        with closing(socket.socket()) as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(8)
            port = silent.getsockname()[1]
            for address in (f"tcp://127.0.0.1:{port}", f"http://127.0.0.1:{port}"):
                with at_once(), pytest.raises(ClusterUnreachable, match="address="):
                    new_session(address, timeout=0.5)

    @pytest.mark.parametrize("scheme", ["tcp", "http", "ws"])
    def test_nobody_listens(self, scheme: str) -> None:
        with reserved_port() as port, at_once(), pytest.raises(ClusterUnreachable, match="address="):
            new_session(f"{scheme}://127.0.0.1:{port}", timeout=0.5)

    def test_no_such_host(self) -> None:
        with pytest.raises(ClusterUnreachable, match=r"nowhere\.invalid"):
            new_session("tcp://nowhere.invalid:8786", timeout=1)

    def test_a_failed_attempt_leaves_no_thread(self) -> None:
        def threads() -> set[str]:
            return {
                t.name for t in threading.enumerate() if not t.name.startswith(("Dask-Offload", "asyncio_"))
            }

        before = threads()
        with reserved_port() as port, pytest.raises(ClusterUnreachable):
            new_session(f"tcp://127.0.0.1:{port}", timeout=0.3)
        assert threads() <= before | {"IO loop"}


@pytest.fixture(scope="module")
def certificates() -> Any:
    """A distributed.Security with certificates of an authority of its own."""
    return distributed.Security.temporary()


def options_of(security: Any, folder: Path) -> tuple[str, ...]:
    """The same as files, as options of `dask scheduler`."""
    kinds = {
        "--tls-ca-file": "tls_ca_file",
        "--tls-cert": "tls_scheduler_cert",
        "--tls-key": "tls_scheduler_key",
    }
    for name in kinds.values():
        (folder / name).write_text(getattr(security, name))
    return tuple(word for option, name in kinds.items() for word in (option, str(folder / name)))


@pytest.mark.processes
def test_certificates(certificates: Any, tmp_path: Path) -> None:
    options = ("--protocol", "tls", "--port", "0", "--dashboard-address", "127.0.0.1:0")
    with plain_cluster(*options, *options_of(certificates, tmp_path)) as cluster:
        assert cluster.address.startswith("tls://")
        assert works(cluster.address, security=certificates) == cluster.address
        assert works(cluster.web, security=certificates) == cluster.address
        bare = cluster.address.removeprefix("tls://")
        refused = {
            "another authority": (cluster.address, distributed.Security.temporary()),
            "no certificates": (cluster.address, None),
            "plain tcp": (f"tcp://{bare}", None),
            "no scheme": (bare, None),
            "from the web, without certificates": (cluster.web, None),
        }
        for what, (address, security) in refused.items():
            with at_once(), pytest.raises(EncryptionMismatch, match="address=") as caught:
                new_session(address, security=security, timeout=NEVER)
            assert "security" in str(caught.value), what


@pytest.mark.processes
@pytest.mark.slow
def test_certificates_of_a_local_cluster() -> None:
    with new_session(n_worker=1, memory="1g", security=True, dashboard=False, default=False) as session:
        assert session.address.startswith("tls://")
        assert session.dashboard_link is None
        (worker,) = workers_of(session.client).values()
        assert worker["memory_limit"] == 2**30
        assert worker["nanny"].startswith("tls://")
        assert mt.ones(3).sum().execute(session=session).fetch() == 3
        for address in (session.address, session.address.replace("tls", "tcp"), session.web_endpoint):
            with pytest.raises(EncryptionMismatch):
                new_session(address)
        assert works(session.address, security=session.client.security) == session.address


@pytest.mark.processes
def test_encrypted_web(certificates: Any, tmp_path: Path) -> None:
    options = ("--protocol", "tls", "--port", "0", "--dashboard-address", "127.0.0.1:0")
    files = {"CERT": "tls_scheduler_cert", "KEY": "tls_scheduler_key", "CA_FILE": "tls_ca_file"}
    settings = {
        f"DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__TLS__{name}": str(tmp_path / file)
        for name, file in files.items()
    }
    with plain_cluster(*options, *options_of(certificates, tmp_path), settings=settings) as cluster:
        web = cluster.web.replace("http", "https")
        assert works(web, security=certificates).startswith("tls://")
        with pytest.raises(EncryptionMismatch, match="address="):
            new_session(web)
        with pytest.raises(EncryptionMismatch, match="address="):
            new_session(web, security=distributed.Security.temporary())


def test_a_scheduler_that_is_starting_is_waited_for(pauses: threading.Event) -> None:
    def late() -> None:
        pauses.wait(PATIENCE)
        with closing(socket.create_server(("127.0.0.1", port))) as server:
            server.settimeout(PATIENCE)
            connection, _ = server.accept()
            with connection:
                connection.sendall((300).to_bytes(8, "little"))

    with reserved_port() as port:
        thread = threading.Thread(target=late)
        thread.start()
        reached(f"tcp://127.0.0.1:{port}", timeout=PATIENCE)
        thread.join()


def test_certificates_are_asked_for_before_anything_is_sent() -> None:
    with pytest.raises(EncryptionMismatch, match="needs certificates"):
        reached("tls://127.0.0.1:9", context=None)
    assert isinstance(ssl.create_default_context(), ssl.SSLContext)
