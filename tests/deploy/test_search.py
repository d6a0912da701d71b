"""The search for a supervisor: what is said soon, what ends it at once, and that it ends in time."""

import asyncio
import http.server
import itertools
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import click
import pytest

from marsdask.deploy import endpoints, proxy, tls
from marsdask.deploy.running import Failure
from marsdask.deploy.worker import Plan, work
from marsdask.engine import address
from tests.processes import NEVER, at_once, reserved_port


@pytest.fixture
def nobody() -> Iterator[str]:
    """An endpoint that nobody listens at."""
    with reserved_port() as port:
        yield f"127.0.0.1:{port}"


SEARCHES = {
    "worker": lambda where, patience: work(Plan(where, death_timeout=patience)),
    "web": lambda where, patience: proxy.serve(proxy.Way(where, None), "127.0.0.1", 0, None, patience),
}


def failed(command: str, where: str, patience: float, kind: type[click.ClickException] = Failure) -> str:
    """What a search that fails says, in time."""
    with at_once(), pytest.raises(kind) as caught:
        asyncio.run(SEARCHES[command](where, patience))
    return caught.value.format_message()


@pytest.mark.parametrize("command", SEARCHES)
def test_the_cause_is_said_soon_and_in_the_end(capsys, command, nobody, monkeypatch):
    with monkeypatch.context() as patch:
        # A clock that goes on when it is read: there is time for a second attempt, however long the first one takes.
        clock = SimpleNamespace(monotonic=itertools.count(step=0.25).__next__)
        patch.setattr(endpoints, "time", clock)
        said = failed(command, nobody, 1)
    assert f"no supervisor answers at {nobody} after 1 s (--death-timeout): " in said
    assert "refused" in said
    looking = capsys.readouterr().err
    assert looking.startswith(f"Looking for a supervisor at {nobody} (")
    assert "refused" in looking
    assert looking.count("Looking") == 1
    assert "[Errno -" in failed(command, "nowhere.invalid:1", 0.5)


@pytest.mark.parametrize("command", SEARCHES)
def test_a_web_port_is_no_supervisor(command, monkeypatch):
    monkeypatch.setattr(
        address, "STEP", 0.5
    )  # of an attempt's 3 s: some are left to ask whether it speaks HTTP
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            said = failed(command, f"127.0.0.1:{server.server_port}", NEVER)
        finally:
            server.shutdown()
            thread.join()
    assert "speaks HTTP" in said
    assert f"'http://127.0.0.1:{server.server_port}'" in said


@pytest.mark.parametrize("command", SEARCHES)
def test_without_certificates_an_encrypted_supervisor_is_not_looked_for(command, nobody):
    said = failed(command, f"tls://{nobody}", NEVER, click.UsageError)
    for option in ("--tls-ca-file", "--tls-cert", "--tls-key"):
        assert option in said


def test_certificates_are_for_an_encrypted_supervisor():
    encrypted = SimpleNamespace(require_encryption=True)
    assert tls.addressed("h:1", encrypted) == tls.addressed("tls://h:1", encrypted) == "tls://h:1"
    assert tls.addressed("h:1", None) == tls.addressed("tcp://h:1", None) == "tcp://h:1"
    with pytest.raises(click.UsageError, match="--tls-cert"):
        tls.addressed("tcp://h:1", encrypted)
