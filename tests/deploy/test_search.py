"""The search for a supervisor: what is said soon, what ends it at once, and that it ends in time."""

import asyncio
import http.server
import socket
import threading
import time
from types import SimpleNamespace

import click
import pytest

from marsdask.deploy import proxy, tls
from marsdask.deploy.running import Failure
from marsdask.deploy.worker_process import Plan, work


def nobody() -> str:
    """An endpoint that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


SEARCHES = {
    "worker": lambda where, patience: work(Plan(where, death_timeout=patience)),
    "web": lambda where, patience: proxy.serve(proxy.Way(where, None), "127.0.0.1", 0, None, patience),
}


def failed(command: str, where: str, patience: float, kind: type[click.ClickException] = Failure) -> str:
    """What a search that fails says; it takes `patience` seconds and little more."""
    start = time.monotonic()
    with pytest.raises(kind) as caught:
        asyncio.run(SEARCHES[command](where, patience))
    assert time.monotonic() - start < patience + 3
    return caught.value.format_message()


@pytest.mark.parametrize("command", SEARCHES)
def test_the_cause_is_said_soon_and_in_the_end(capsys, command):
    where = nobody()
    said = failed(command, where, 1)
    assert f"no supervisor answers at {where} after 1 s (--death-timeout): " in said
    assert "refused" in said
    looking = capsys.readouterr().err
    assert looking.startswith(f"Looking for a supervisor at {where} (")
    assert "refused" in looking
    assert looking.count("Looking") == 1
    assert "[Errno -" in failed(command, "nowhere.invalid:1", 0.5)


@pytest.mark.parametrize("command", SEARCHES)
def test_a_web_port_is_no_supervisor(command):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            said = failed(command, f"127.0.0.1:{server.server_port}", 10)
        finally:
            server.shutdown()
            thread.join()
    assert "speaks HTTP" in said
    assert f"'http://127.0.0.1:{server.server_port}'" in said


@pytest.mark.parametrize("command", SEARCHES)
def test_without_certificates_an_encrypted_supervisor_is_not_looked_for(command):
    said = failed(command, f"tls://{nobody()}", 0, click.UsageError)
    for option in ("--tls-ca-file", "--tls-cert", "--tls-key"):
        assert option in said


def test_certificates_are_for_an_encrypted_supervisor():
    encrypted = SimpleNamespace(require_encryption=True)
    assert tls.addressed("h:1", encrypted) == tls.addressed("tls://h:1", encrypted) == "tls://h:1"
    assert tls.addressed("h:1", None) == tls.addressed("tcp://h:1", None) == "tcp://h:1"
    with pytest.raises(click.UsageError, match="--tls-cert"):
        tls.addressed("tcp://h:1", encrypted)
