"""Pages of strangers in a user's browser do not get through to a web port: by another name, or from another place."""

import http.client
from typing import Any
from urllib.parse import urlsplit

import click
import dask
import pytest
from tornado.httputil import HTTPHeaders

import marsdask.tensor as mt
from marsdask import option_context
from marsdask.deploy.supervisor import _token, main
from marsdask.engine.address import UPGRADE, is_token
from marsdask.engine.guard import Door
from marsdask.errors import ArgumentError, ArgumentTypeError, ClusterUnreachable
from marsdask.session import new_session
from tests.deploy.conftest import Start
from tests.processes import PATIENCE


def taken(allowed: set[str], headers: dict[str, str], *, by_name: bool = True) -> bool:
    return Door(allowed, by_name=by_name).strange(HTTPHeaders(headers)) is None


EVIL = "evil.example"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "127.0.0.1:8787"},
        {"Host": "10.1.2.3:8787"},
        {"Host": "[::1]:8787"},
        {"Host": "localhost:8787", "Origin": "http://localhost:8787"},
        {"Host": "LOCALHOST:8787", "Origin": "http://localhost:3000"},
        {"Host": "10.1.2.3:8787", "Origin": "http://10.1.2.3:8787"},
        {"Host": "10.1.2.3:8787", "Origin": "http://127.0.0.1:8888"},
        {"Host": "hub.example", "Origin": "https://hub.example"},
        {"Host": "10.1.2.3:8787", "Origin": "https://hub.example"},
        {"Host": "10.1.2.3:8787", "Origin": "https://page.example:8000"},
        {},
    ],
)
def test_taken(headers: dict[str, str]) -> None:
    assert taken({"hub.example", "https://page.example:8000"}, headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": EVIL},
        {"Host": f"{EVIL}:8787", "Origin": f"http://{EVIL}:8787"},
        {"Host": "127.0.0.1.evil.example:8787"},
        {"Host": "localhost.evil.example"},
        {"Host": "2130706433x"},
        {"Host": "127.0.0.1:8787,evil.example"},
        {"Host": "127.0.0.1:8787", "Origin": f"http://{EVIL}"},
        {"Host": "127.0.0.1:8787", "Origin": "null"},
        {"Host": "127.0.0.1:8787", "Origin": ""},
        {"Host": "127.0.0.1:8787", "Origin": "http://10.1.2.3:8787"},
        {"Host": "127.0.0.1:8787", "Origin": "http://[evil"},
        {"Host": "127.0.0.1:8787", "Origin": "https://page.example"},
        {"Origin": f"http://{EVIL}"},
    ],
)
def test_refused(headers: dict[str, str]) -> None:
    assert not taken({"hub.example", "https://page.example:8000"}, headers)


def test_where_only_pages_are_served_any_name_is_good_for_its_own() -> None:
    """A dashboard behind a hub's proxy."""
    hub = {"Host": "hub.example", "Origin": "https://hub.example"}
    assert taken(set(), hub, by_name=False)
    assert not taken(set(), hub | {"Origin": f"https://{EVIL}"}, by_name=False)


def answer(web: str, path: str, **headers: str) -> tuple[int, str]:
    """Status and text of what a web port answers a browser."""
    port = urlsplit(web).port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers=headers)
        answered = connection.getresponse()
        text = "" if answered.status == 101 else answered.read(2000).decode(errors="replace")
        return answered.status, text
    finally:
        connection.close()


PAGES = [
    "/",
    "/status",
    "/health",
    "/info/main/workers.html",
    "/json/identity.json",
    "/marsdask/engine/address.json",
]


@pytest.mark.processes
def test_a_supervisor_and_the_way_through_mars_web(start: Start) -> None:
    boss = start(
        "mars-supervisor",
        "-H",
        "127.0.0.1",
        "-w",
        0,
        "--allow-origin",
        "hub.example",
        "--allow-origin",
        "https://lab.example",
    )
    web = boss.said(r"web at (http://\S+)")
    through = start("mars-web", "-H", "127.0.0.1", "-s", web).said(r"Web at (http://\S+),")
    strange = {"Host": EVIL, "Origin": f"http://{EVIL}"}
    for where in (web, through):
        host = urlsplit(where).netloc
        assert answer(where, "/", **UPGRADE) == (101, "")
        assert answer(where, "/", **UPGRADE, Origin=f"http://{host}")[0] == 101
        assert answer(where, "/", **UPGRADE, Host="hub.example", Origin="https://hub.example")[0] == 101
        assert answer(where, "/status/ws", **UPGRADE, Origin="https://lab.example")[0] != 403
        for refused in (strange, {"Host": EVIL}, {"Origin": f"http://{EVIL}"}):
            for path in ("/", "/status/ws"):
                status, text = answer(where, path, **UPGRADE, **refused)
                assert status == 403
                assert "--allow-origin" in text
            for path in PAGES:
                assert answer(where, path, **refused)[0] == 403
    assert boss.said(
        r"(Refused a request from 127\.0\.0\.1: Host \"evil\.example\" is not ours.*--allow-origin)"
    )


@pytest.mark.processes
def test_the_dashboard_of_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    with new_session(n_worker=1, default=False) as session:
        link = session.client.dashboard_link
        assert answer(link, "/status", Host="hub.example")[0] == 200
        assert answer(link, "/status/ws", **UPGRADE, Origin=f"http://{EVIL}")[0] == 403


@pytest.mark.parametrize("name", ["", " ", "a,b", "a\nb", "a\0b"])
def test_names_that_are_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["-H", "127.0.0.1", "--allow-origin", name])
    assert ended.value.code == 2
    assert "--allow-origin" in capsys.readouterr().err


TOKEN = "a-token-of-more-than-16"


@pytest.mark.processes
def test_sessions_prove_themselves(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the address that is printed, by an option, by the environment; through mars-web, too."""
    monkeypatch.setenv("MARSDASK_TOKEN", TOKEN)
    boss = start("mars-supervisor", "-H", "127.0.0.1", "--n-worker", 1)
    web, token = boss.said(r"web at (http://\S+)").split("/?token=")
    assert token == TOKEN
    through = start("mars-web", "-H", "127.0.0.1", "-s", web).said(r"Web at (http://\S+),")
    monkeypatch.delenv("MARSDASK_TOKEN")
    for where in (web, through):
        assert answer(where, "/", **UPGRADE)[0] == 401
        assert answer(where, "/", **UPGRADE, Authorization=f"Bearer {TOKEN}x")[0] == 401
        assert answer(where, "/", **UPGRADE, Authorization=f"Bearer {TOKEN}")[0] == 101
        sessions = where.replace("http", "ws")
        with pytest.raises(ClusterUnreachable, match="need the token that mars-supervisor has printed"):
            new_session(sessions, default=False)
        with pytest.raises(ClusterUnreachable, match="need the token"):
            new_session(f"{sessions}/?token={TOKEN}x", default=False)
        with new_session(f"{sessions}/?token={TOKEN}", default=False) as session:
            assert mt.ones(3).sum().execute(session=session).fetch(session=session) == 3
        with option_context({"cluster.token": TOKEN}), new_session(sessions, default=False) as session:
            assert mt.ones(3).sum().execute(session=session).fetch(session=session) == 3
        with new_session(f"{where}/?token={TOKEN}", default=False) as session:  # by tcp, which is open
            assert mt.ones(3).sum().execute(session=session).fetch(session=session) == 3
    monkeypatch.setenv("MARSDASK_TOKEN", TOKEN)
    with new_session(web.replace("http", "ws"), default=False) as session:
        assert mt.ones(3).sum().execute(session=session).fetch(session=session) == 3


def test_where_a_token_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARSDASK_TOKEN", raising=False)
    assert _token("127.0.0.1") is None
    one, other = _token("0.0.0.0"), _token("10.0.0.1")
    assert one is not None
    assert is_token(one)
    assert one != other
    monkeypatch.setenv("MARSDASK_TOKEN", "short")
    with pytest.raises(click.UsageError, match="MARSDASK_TOKEN is no token"):
        _token("127.0.0.1")


@pytest.mark.parametrize("query", ["?x=1", "?token=short", "?token=a b" + "c" * 20])
def test_addresses_with_another_query(query: str) -> None:
    with pytest.raises(ArgumentError, match="address="):
        new_session(f"http://127.0.0.1:8787/{query}")


@pytest.mark.parametrize("said", ["hub.example", [5], {"hub": 1}])
def test_a_setting_that_is_no_list_of_names(said: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is started."""
    with dask.config.set({"marsdask.allow-origin": said}):
        with pytest.raises(
            ArgumentTypeError, match=r"marsdask\.allow-origin=.*expected a list of host names"
        ):
            new_session(n_worker=1)
        with pytest.raises(SystemExit) as ended:
            main(["-H", "127.0.0.1"])
    assert ended.value.code == 2
    assert "marsdask.allow-origin" in capsys.readouterr().err
