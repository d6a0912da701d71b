"""Who gets in where a web port has a lock: with the token, by header, as a password, or by a link; nobody else, anywhere."""

import asyncio
import base64
import http.client
import logging
import os
import re
from typing import Any
from urllib.parse import urlsplit

import distributed
import pytest

from marsdask.deploy import web
from marsdask.deploy.kubernetes import handlers, names, specs
from marsdask.engine.address import ROUTE, TOKEN, UPGRADE
from marsdask.engine.guard import Lock
from marsdask.session import new_session
from tests.deploy.conftest import Start
from tests.deploy.test_guard import PAGES, answer
from tests.processes import PATIENCE, until

SECRET, OPERATOR = "s" * 32, "o" * 32
ASKED = [path for path in PAGES if path not in ("/health", ROUTE)]
ASKED += [
    "/info/logs/x.html",
    "/info/call-stacks/x.html",
    "/metrics",
    "/status/ws",
    "/nowhere",
    "/static/x.css",
    "/proxy/1/x",
]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def password(token: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(f'any:{token}'.encode()).decode()}"}


def visited(link: str) -> tuple[int, str, str]:
    """What a browser without cookies gets that opens a link: status, place, cookie."""
    parts = urlsplit(link)
    connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        found = connection.getresponse()
        return found.status, found.headers.get("Location", ""), found.headers.get("Set-Cookie", "")
    finally:
        connection.close()


def test_a_lock_does_not_show_its_tokens() -> None:
    shown = repr(Lock(SECRET, {OPERATOR: ["/x"]}))
    assert SECRET not in shown
    assert OPERATOR not in shown


@pytest.mark.processes
def test_a_supervisor_with_certificates(start: Start, tmp_path: Any) -> None:
    boss = start(
        "mars-supervisor",
        "-H",
        "127.0.0.1",
        "--tls-temporary",
        env=os.environ | {"TMPDIR": str(tmp_path), TOKEN: SECRET},
    )
    link = boss.said(r"web at (http://\S+)")
    where, _, query = link.partition("/?")
    assert query == f"token={SECRET}"
    through = start("mars-web", "-H", "127.0.0.1", "-s", where).said(r"Web at (http://\S+),")
    for port in (where, through):
        assert answer(port, "/health")[0] == answer(port, ROUTE)[0] == 200
        for path in ASKED:
            for headers in (
                {},
                bearer(OPERATOR),
                password(OPERATOR),
                {"Cookie": f"marsdask={SECRET}"},
                UPGRADE,
            ):
                status, text = answer(port, path, **headers)
                assert status == 401, (path, headers)
                assert "Authorization: Bearer TOKEN" in text
        for headers in (bearer(SECRET), password(SECRET)):
            assert answer(port, "/json/identity.json", **headers)[0] == 200
            assert answer(port, "/status/ws", **UPGRADE, **headers)[0] not in (401, 403)
        # A browser follows the link, keeps the cookie, and has no token in its address bar.
        status, place, cookie = visited(f"{port}/info/main/workers.html?a=1&token={SECRET}")
        assert (status, place) == (302, "./workers.html?a=1")
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert SECRET not in cookie
        kept = {"Cookie": cookie.partition(";")[0]}
        assert answer(port, "/info/main/workers.html", **kept)[0] == 200
        assert answer(port, "/status/ws", **UPGRADE, **kept)[0] not in (401, 403)
        assert answer(port, "/status/ws", **UPGRADE, **kept, Origin="http://evil.example")[0] == 403
        assert visited(f"{port}/status?token={OPERATOR}")[0] == 401
    assert boss.text.count("has not the token") == 1, "once for each who asks"

    typed = dict(re.findall(r"export DASK_DISTRIBUTED__COMM__TLS__(\S+)=(\S+)", boss.text))
    security = distributed.Security(
        tls_ca_file=typed["CA_FILE"],
        tls_client_cert=typed["CLIENT__CERT"],
        tls_client_key=typed["CLIENT__KEY"],
        require_encryption=True,
    )
    for address in (boss.said(r"Supervisor at (tls://[^,]+)"), where):
        with new_session(address, security=security, default=False) as session:
            found = str(session.dashboard_link)
            assert found.endswith(f"/status?token={SECRET}")
            assert "token" not in str(session.get_web_endpoint())
            assert visited(found)[0] == 302


@pytest.mark.processes
def test_a_scheduler_and_a_worker_of_kubernetes(start: Start, tmp_path: Any) -> None:
    file = tmp_path / "token"
    file.write_text(f"{SECRET}\n")
    env = os.environ | {
        "DASK_MARSDASK__TOKEN_FILE": str(file),
        "DASK_MARSDASK__OPERATOR_TOKEN": OPERATOR,
        "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES": str(list(specs.ROUTES)),
    }
    boss = start(
        "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0",
        "--preload", "marsdask.deploy.web", env=env,
    )  # fmt: skip
    address = boss.said(r"Scheduler at: +(tcp://\S+)")
    page = boss.said(r"dashboard at: +(http://\S+)/status")
    worker = start(
        "dask", "worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--dashboard-address", "127.0.0.1:0", *specs.LOCKED,
        env=env,
    )  # fmt: skip
    at = "http://" + worker.said(r"dashboard at: +(\S+)")
    worker.said(r"Registered to")
    for port in (page, at):
        assert answer(port, "/health")[0] == 200
        for path in [*ASKED, ROUTE]:
            assert answer(port, path)[0] == 401, path
        assert answer(port, "/metrics", **bearer(SECRET))[0] in (200, 404)  # by what is installed
        assert answer(port, "/status", **bearer(SECRET))[0] == 200
    for path in web.OPERATORS:
        assert answer(page, path)[0] == 401
        for headers in (bearer(OPERATOR), password(OPERATOR)):
            assert answer(page, path, **headers)[0] in (
                403,
                405,
            )  # it got through, and asks for what it may not
    for path in [*ASKED, "/api/v1/retire_workers/x", "/api/v1/"]:
        assert answer(page, path, **bearer(OPERATOR))[0] == 401
    assert answer(at, web.OPERATORS[0], **bearer(OPERATOR))[0] == 401
    with distributed.Client(address) as client:
        assert client.submit(abs, -3).result(timeout=PATIENCE) == 3


@pytest.mark.processes
def test_what_is_to_be_locked_is_not_open_where_the_token_is_missing(start: Start, tmp_path: Any) -> None:
    boss = start(
        "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0",
        "--preload", "marsdask.deploy.web", env=os.environ | {"DASK_MARSDASK__TOKEN_FILE": str(tmp_path / "none")},
    )  # fmt: skip
    page = boss.said(r"dashboard at: +(http://\S+)/status")
    until(lambda: answer(page, "/health")[0] == 200, "a scheduler")
    assert answer(page, "/status")[0] == 401
    assert {answer(page, path)[0] for path in web.OPERATORS} == {404}, (
        "not locked where no operator has a token; not served here"
    )


def test_the_operator_brings_the_token_of_the_cluster_that_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    from dask_kubernetes.operator.controller import controller

    async def address(service: str, namespace: str, port_name: str = "tcp-comm", **_: Any) -> str:
        return f"tcp://{service}.{namespace}:{8787 if port_name == names.WEB else 8786}"

    monkeypatch.setattr(controller, "get_scheduler_address", address)
    monkeypatch.setattr(handlers, "_tokens", {})
    made = specs.asked_by(
        {"spec": {"scheduler": {"spec": {"containers": [{"name": "scheduler"}]}}}}, OPERATOR
    )
    cluster = {"name": "mars", "namespace": "flights", "spec": made["spec"]}

    async def asked() -> list[str]:
        await handlers.asking(logger=logging.getLogger())
        found = []
        for told in ("ADDED", "DELETED"):
            await handlers.heard(type=told, **cluster)
            for service, port in (
                ("mars-scheduler", names.WEB),
                ("mars-scheduler", names.COMM),
                ("other", names.WEB),
            ):
                found.append(
                    await controller.get_scheduler_address(
                        service, "flights", port_name=port, allow_external=False
                    )
                )
        return found

    with_it, comm, other, *later = asyncio.run(asked())
    assert with_it == f"tcp://operator:{OPERATOR}@mars-scheduler.flights:8787"
    assert comm == "tcp://mars-scheduler.flights:8786"
    assert other == "tcp://other.flights:8787"
    assert later == ["tcp://mars-scheduler.flights:8787", comm, other]
