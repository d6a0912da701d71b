"""The Kubernetes API where it is busy, or goes away for a while: it is asked again, for a minute, and nothing is made twice."""

import json
import math
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from kubernetes import client

from marsdask.deploy.kubernetes import api as apis
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.states import Deadline
from marsdask.errors import ClusterUnreachable, KubernetesError, NotPermitted
from tests.processes import reserved_port

pytestmark = pytest.mark.once

GONE = 0
"""The connection ends without an answer."""


class Server:
    """Answers with these, one after the other; the last stays. `asked` has what it was asked."""

    def __init__(
        self, *answers: int, body: Any = None, headers: dict[str, str] | None = None, after: float = 0
    ):
        self.answers, self.asked = list(answers), list[str]()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.asked.append(self.command)
                status = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                if status == GONE:
                    self.close_connection = True
                    return
                time.sleep(after)
                self.send_response(status)
                text = json.dumps(body if body and status != 200 else {"message": "so", "items": []}).encode()
                for name, value in {"Content-Length": str(len(text)), **(headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.api = api_at(self.server.server_port)

    def close(self) -> None:
        self.api.client.close()
        self.server.shutdown()
        self.server.server_close()


def api_at(port: int) -> Api:
    settings = client.Configuration()
    settings.host, settings.retries = f"http://127.0.0.1:{port}", False
    return Api(client.ApiClient(settings))


class Clock:
    """In the place of `time`: who sleeps is not held up, and a busy machine takes no time."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(apis, "time", made)
    return made


@pytest.fixture
def serve() -> Iterator[Any]:
    made: list[Server] = []

    def start(*answers: int, **more: Any) -> Server:
        made.append(Server(*answers, **more))
        return made[-1]

    yield start
    for each in made:
        each.close()


@pytest.mark.parametrize("busy", [429, 503, 502, 504])
def test_busy(serve: Any, busy: int) -> None:
    server = serve(busy, busy, 200)
    assert server.api.answering_for == math.inf
    assert server.api.pods("flights", "") == []
    assert server.asked == ["GET"] * 3
    assert server.api.answering_for < math.inf


@pytest.mark.parametrize(("connect", "after"), [(30.0, 0), (0.2, 0.3)])
def test_slow_is_told_from_prompt(
    serve: Any, monkeypatch: pytest.MonkeyPatch, connect: float, after: float
) -> None:
    """urllib3 asks again by itself where an answer does not come, and the call takes its time."""
    monkeypatch.setattr(apis, "time", time)
    monkeypatch.setattr(apis, "CALL_TIMEOUT", (connect, 30.0))
    server = serve(200, after=after)
    assert server.api.pods("flights", "") == []
    assert (server.api.answering_for < math.inf) == (after > 0)


def test_it_is_let_be_as_long_as_it_says(serve: Any, clock: Clock) -> None:
    server = serve(429, 200, headers={"Retry-After": "7"})
    server.api.pods("flights", "")
    assert clock.now == 7


def test_not_without_end(serve: Any, clock: Clock) -> None:
    server = serve(429)
    with pytest.raises(KubernetesError, match=r"Kubernetes says \(429\): so"):
        server.api.pods("flights", "")
    assert apis.AWAY < clock.now <= apis.AWAY + apis.AGAIN
    assert len(server.asked) == 1 + clock.now / apis.AGAIN


def test_not_past_the_caller_s_deadline(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apis, "AWAY", 600.0)
    monkeypatch.setattr(apis, "time", time)
    server = serve(429)
    server.api.deadline = Deadline(0.3)
    with pytest.raises(KubernetesError, match="429"):
        server.api.pods("flights", "")


def test_not_for_those_who_have_another_way(serve: Any) -> None:
    server = serve(429, 200)
    with pytest.raises(KubernetesError, match="429"):
        server.api.at_once().pods("flights", "")
    assert server.api.pods("flights", "") == [], "the others are as patient as before"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(403, NotPermitted), (409, KubernetesError), (422, KubernetesError), (500, KubernetesError)],
)
def test_what_does_not_pass_is_told_at_once(serve: Any, status: int, kind: type[Exception]) -> None:
    server = serve(status)
    with pytest.raises(kind):
        server.api.pods("flights", "")
    assert len(server.asked) == 1


def test_a_store_that_did_not_answer(serve: Any) -> None:
    server = serve(500, 200, body={"message": "etcdserver: request timed out"})
    assert server.api.pods("flights", "") == []


def test_away_for_a_while(serve: Any) -> None:
    server = serve(200, GONE, GONE, 200)
    assert server.api.pods("flights", "") == []
    assert server.api.pods("flights", "") == []
    assert server.asked == ["GET"] * 4


def test_an_address_where_nobody_has_ever_answered_is_told_at_once(clock: Clock) -> None:
    with reserved_port() as port, pytest.raises(ClusterUnreachable, match=r"does not answer.*kubectl"):
        api_at(port).pods("flights", "")
    assert clock.now == 0, "it did not wait"


def test_what_was_made_by_a_call_whose_answer_was_lost_is_not_made_twice(serve: Any) -> None:
    server = serve(200, GONE, 409, 200)
    server.api.namespace("flights")
    body = {"metadata": {"name": "mars"}}
    assert server.api.made("daskclusters", "flights", body) == {"message": "so", "items": []}
    assert server.asked == ["GET", "POST", "POST", "GET"], "what is there is read"


def test_what_was_there_before_is_an_error(serve: Any) -> None:
    """A busy API has made nothing of it: the name is somebody else's."""
    server = serve(429, 409)
    with pytest.raises(KubernetesError, match="409"):
        server.api.made("daskclusters", "flights", {"metadata": {"name": "mars"}})
