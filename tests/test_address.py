"""From what a user has of a cluster to its scheduler: real schedulers, certificates, and what is none."""

import http.server
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import distributed
import psutil
import pytest

import marsdask.tensor as mt
from marsdask.address import ROUTE, reached, resolve
from marsdask.client import Distributed
from marsdask.errors import ClusterUnreachable, EncryptionMismatch, MarsDaskError
from marsdask.session import new_session
from tests.processes import Cluster, plain_cluster


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def works(address: Any, **how: Any) -> str:
    """The address at which a session that was opened with `address` has added something up."""
    with new_session(address, default=False, timeout=10, **how) as session:
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


@pytest.fixture(scope="module")
def plain() -> Iterator[Cluster]:
    with plain_cluster() as cluster:
        yield cluster


@pytest.mark.cluster
class TestPlainScheduler:
    def test_web_address(self, plain: Cluster) -> None:
        assert resolve(plain.web) == resolve(plain.web + "/") == plain.address
        assert works(plain.web) == plain.address

    def test_comm_address(self, plain: Cluster) -> None:
        assert works(plain.address) == works(plain.address.removeprefix("tcp://")) == plain.address

    def test_web_port_as_comm_address(self, plain: Cluster) -> None:
        start = time.monotonic()
        with pytest.raises(ClusterUnreachable, match=r"no scheduler answers.*speaks HTTP") as caught:
            new_session(plain.web.replace("http", "tcp"), timeout=3)
        assert time.monotonic() - start < 10
        assert isinstance(caught.value, ConnectionError)
        assert f"'{plain.web}'" in str(caught.value)

    def test_web_port_without_websockets(self, plain: Cluster) -> None:
        start = time.monotonic()
        with pytest.raises(ClusterUnreachable, match="has pages only") as caught:
            new_session(plain.web.replace("http", "ws"), timeout=10)
        assert time.monotonic() - start < 5
        assert f"'{plain.web}'" in str(caught.value)

    def test_comm_port_as_web_address(self, plain: Cluster) -> None:
        start = time.monotonic()
        with pytest.raises(ClusterUnreachable, match="Tried") as caught:
            new_session(plain.address.replace("tcp", "http"), timeout=1)
        assert str(caught.value).isprintable()
        assert "\\x00" in str(caught.value)
        assert time.monotonic() - start < 10

    def test_encryption_where_there_is_none(self, plain: Cluster, certificates: Any) -> None:
        for address in (plain.address.replace("tcp", "tls"), plain.web.replace("http", "https")):
            start = time.monotonic()
            with pytest.raises(EncryptionMismatch, match="address="):
                new_session(address, security=certificates, timeout=2)
            assert time.monotonic() - start < 10

    def test_a_busy_scheduler_is_waited_for(self, plain: Cluster) -> None:
        with distributed.Client(plain.address, set_as_default=False) as client:
            busy = threading.Thread(
                target=lambda: client.run_on_scheduler(lambda: time.sleep(3)), name="keeps it busy"
            )
            busy.start()
            time.sleep(0.3)
            assert works(plain.web) == plain.address
            busy.join(30)


@pytest.mark.cluster
def test_websocket_on_the_web_port() -> None:
    port = free_port()
    web = f"127.0.0.1:{port}"
    options = ("--protocol", "tcp,ws", "--port", f"0,{port}", "--dashboard-address", web)
    with plain_cluster(*options) as cluster:
        assert works(f"http://{web}") == cluster.address
        assert works(f"ws://{web}") == f"ws://{web}"
        # As seen from outside, where the scheduler's own view of its address leads nowhere.
        elsewhere = {"/json/identity.json": (200, '{"address": "tcp://127.0.0.1:9"}')}
        with pages(elsewhere) as nothing_there, pytest.raises(ClusterUnreachable, match="websocket"):
            resolve(nothing_there, timeout=2)


@pytest.mark.cluster
def test_websockets_are_closed_with_the_client() -> None:
    """Also where the scheduler is too busy to answer that they end."""
    port = free_port()
    options = ("--protocol", "tcp,ws", "--port", f"0,{port}", "--dashboard-address", f"127.0.0.1:{port}")
    with plain_cluster(*options):
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


@pytest.mark.cluster
def test_route_of_our_supervisors(plain: Cluster) -> None:
    with pages({ROUTE: (200, f'{{"address": "{plain.address}", "listeners": []}}')}) as web:
        assert resolve(web) == plain.address
    listeners = f'["tcp://127.0.0.1:9", "{plain.address}"]'
    with pages({ROUTE: (200, f'{{"address": "tcp://127.0.0.1:9", "listeners": {listeners}}}')}) as web:
        assert resolve(web) == plain.address
    broken = {ROUTE: (200, "[]"), "/json/identity.json": (200, f'{{"address": "{plain.address}"}}')}
    with pages(broken) as web:
        assert resolve(web) == plain.address


class TestNoScheduler:
    @pytest.mark.parametrize("status", [404, 500])
    def test_another_web_server(self, status: int) -> None:
        start = time.monotonic()
        with (
            pages({"/json/identity.json": (status, "")}) as web,
            pytest.raises(ClusterUnreachable, match=f"HTTP {status}") as caught,
        ):
            resolve(web, timeout=1)
        assert isinstance(caught.value, MarsDaskError)
        assert time.monotonic() - start < 10

    def test_a_server_that_says_nothing(self) -> None:
        with closing(socket.socket()) as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(8)
            port = silent.getsockname()[1]
            for address in (f"tcp://127.0.0.1:{port}", f"http://127.0.0.1:{port}"):
                start = time.monotonic()
                with pytest.raises(ClusterUnreachable, match="address="):
                    new_session(address, timeout=0.5)
                assert time.monotonic() - start < 10

    @pytest.mark.parametrize("scheme", ["tcp", "http", "ws"])
    def test_nobody_listens(self, scheme: str) -> None:
        start = time.monotonic()
        with pytest.raises(ClusterUnreachable, match="address="):
            new_session(f"{scheme}://127.0.0.1:{free_port()}", timeout=0.5)
        assert time.monotonic() - start < 5

    def test_no_such_host(self) -> None:
        with pytest.raises(ClusterUnreachable, match=r"nowhere\.invalid"):
            new_session("tcp://nowhere.invalid:8786", timeout=1)

    def test_a_failed_attempt_leaves_no_thread(self) -> None:
        def threads() -> set[str]:
            return {
                t.name for t in threading.enumerate() if not t.name.startswith(("Dask-Offload", "asyncio_"))
            }

        before = threads()
        with pytest.raises(ClusterUnreachable):
            new_session(f"tcp://127.0.0.1:{free_port()}", timeout=0.3)
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


@pytest.mark.cluster
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
            start = time.monotonic()
            with pytest.raises(EncryptionMismatch, match="address=") as caught:
                new_session(address, security=security)
            assert time.monotonic() - start < 10, what
            assert "security" in str(caught.value), what


@pytest.mark.cluster
@pytest.mark.slow
def test_certificates_of_a_local_cluster() -> None:
    with new_session(n_worker=1, memory="1g", security=True, dashboard=False, default=False) as session:
        assert session.address.startswith("tls://")
        assert session.dashboard_link is None
        (worker,) = session.client.scheduler_info(n_workers=-1)["workers"].values()
        assert worker["memory_limit"] == 2**30
        assert worker["nanny"].startswith("tls://")
        assert mt.ones(3).sum().execute(session=session).fetch() == 3
        for address in (session.address, session.address.replace("tls", "tcp"), session.web_endpoint):
            with pytest.raises(EncryptionMismatch):
                new_session(address)
        assert works(session.address, security=session.client.security) == session.address


@pytest.mark.cluster
def test_encrypted_web(certificates: Any, tmp_path: Path) -> None:
    port = free_port()
    web = f"127.0.0.1:{port}"
    options_of(certificates, tmp_path)
    settings = {
        "CERT": tmp_path / "tls_scheduler_cert", "KEY": tmp_path / "tls_scheduler_key",
        "CA-FILE": tmp_path / "tls_ca_file",
    }  # fmt: skip
    program = (
        "import sys, dask, distributed, asyncio\n"
        f"dask.config.set({{f'distributed.scheduler.dashboard.tls.{{k.lower()}}': v for k, v in "
        f"{ {k: str(v) for k, v in settings.items()}!r}.items()}})\n"
        "from distributed.cli.dask_scheduler import main\n"
        "main(sys.argv[1:])\n"
    )
    command = [sys.executable, "-c", program, "--host", "127.0.0.1", "--port", "0", "--dashboard-address", web,
               "--protocol", "tls", *options_of(certificates, tmp_path)]  # fmt: skip
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while True:
            assert started.poll() is None
            assert time.monotonic() < deadline
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        assert works(f"https://{web}", security=certificates).startswith("tls://")
        with pytest.raises(EncryptionMismatch, match="address="):
            new_session(f"https://{web}")
        with pytest.raises(EncryptionMismatch, match="address="):
            new_session(f"https://{web}", security=distributed.Security.temporary())
    finally:
        started.terminate()
        started.wait(15)


def test_a_scheduler_that_is_starting_is_waited_for() -> None:
    port = free_port()

    def late() -> None:
        time.sleep(0.5)
        with closing(socket.create_server(("127.0.0.1", port))) as server:
            connection, _ = server.accept()
            with connection:
                connection.sendall((300).to_bytes(8, "little"))

    thread = threading.Thread(target=late)
    thread.start()
    reached(f"tcp://127.0.0.1:{port}", timeout=10)
    thread.join(10)


def test_certificates_are_asked_for_before_anything_is_sent() -> None:
    with pytest.raises(EncryptionMismatch, match="needs certificates"):
        reached("tls://127.0.0.1:9", context=None)
    assert isinstance(ssl.create_default_context(), ssl.SSLContext)
