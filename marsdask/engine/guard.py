"""Who may ask a web port: not the page of a stranger in the browser of a user.

A browser lets any page send requests to any address that the browser reaches. What the page is told of the answers, and
whether a websocket opens, depends on two headers, which pages cannot forge: `Origin`, where the page is from, and `Host`,
the name by which it asked. A stranger's page may have its own name lead to 127.0.0.1 (DNS rebinding), so both count. On the
web port of a supervisor sessions run code.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import logging
import socket
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import dask
from tornado import httputil, routing, web

from marsdask.engine.address import is_loopback
from marsdask.errors import ArgumentTypeError

SETTING = "marsdask.allow-origin"
"""In Dask's configuration, and as DASK_MARSDASK__ALLOW_ORIGIN: a list of host names, or origins as browsers spell them."""
LOGGED = 100
"""Strangers that are logged; who asks by more names than that is not told of each."""

log = logging.getLogger("distributed.scheduler")


def configured() -> list[str]:
    """What Dask's configuration allows. Raises ArgumentTypeError where that is no list of names."""
    said = dask.config.get(SETTING, None) or []
    if not isinstance(said, (list, tuple)) or not all(isinstance(each, str) for each in said):
        raise ArgumentTypeError(
            f"{SETTING}={said!r}: expected a list of host names, such as ['hub.example']."
        )
    return list(said)


def guard(
    application: web.Application, allowed: Iterable[str] = (), *, by_name: bool, token: str | None = None
) -> None:
    """Refuse requests of strange pages on a web port, with 403 and a line in the log.

    Taken are pages of the port itself, of this machine and of what is `allowed`: host names, origins such as
    "https://hub.example", or "*" for all. With `by_name` the name by which somebody asks has to be one of this machine's or
    an allowed one, too; without, a page behind a proxy of another name is served, as its websockets are. With a `token`
    sessions, the websockets at `/`, have to bring it, and get 401 without.
    """
    door = Door({each.lower().rstrip("/") for each in [*allowed, *configured()]}, by_name=by_name)
    rules = application.default_router.rules
    if token is not None:
        rules.insert(0, routing.Rule(Tokenless(token), Unknown))
    if "*" not in door.allowed:
        rules.insert(0, routing.Rule(door, Refused, {"door": door}))


class Tokenless(routing.Matcher):
    """Matches sessions without the token."""

    def __init__(self, token: str) -> None:
        self.wanted = f"Bearer {token}".encode()

    def match(self, request: httputil.HTTPServerRequest) -> dict[str, Any] | None:
        session = request.path == "/" and request.headers.get("Upgrade", "").lower() == "websocket"
        said = request.headers.get("Authorization", "").encode()
        return {} if session and not hmac.compare_digest(said, self.wanted) else None


class Unknown(web.RequestHandler):
    """401, and where the token is told."""

    def prepare(self) -> None:
        log.warning("Refused a session from %s: it has not the token.", self.request.remote_ip)
        self.set_status(401)
        self.set_header("WWW-Authenticate", "Bearer")
        self.finish("Sessions here need the token that mars-supervisor has printed with its address.\n")


class Door(routing.Matcher):
    """Matches what is to be refused."""

    def __init__(self, allowed: set[str], *, by_name: bool) -> None:
        self.allowed, self.by_name = allowed, by_name
        own = socket.gethostname().lower()
        self.ours = {own, own.partition(".")[0]}
        self.seen: set[str] = set()

    def match(self, request: httputil.HTTPServerRequest) -> dict[str, Any] | None:
        return {} if self.strange(request.headers) else None

    def strange(self, headers: Mapping[str, str]) -> tuple[str, str] | None:
        """The header by which a request is refused, and what would have to be allowed; None for one that is taken."""
        host, origin = headers.get("Host", "").lower(), headers.get("Origin")
        name = _name(f"//{host}")
        if self.by_name and host and not (self._known(name) or _is_address(name)):
            return "Host", name or host
        if origin is not None and not self._may(origin.lower(), host):
            return "Origin", origin
        return None

    def _may(self, origin: str, host: str) -> bool:
        own = host != "" and origin in (f"http://{host}", f"https://{host}")
        return own or origin in self.allowed or self._known(_name(origin))

    def _known(self, name: str) -> bool:
        return name in self.ours or name in self.allowed or is_loopback(name)


class Refused(web.RequestHandler):
    """403, and which option lets the request in."""

    def initialize(self, door: Door) -> None:
        self.door = door

    def prepare(self) -> None:
        header, value = self.door.strange(self.request.headers) or ("Host", "")
        shown = json.dumps(value[:200])  # it comes from a stranger
        how = f"{header} {shown} is not ours. To let it in: --allow-origin of mars-supervisor, or {SETTING} in Dask's configuration."
        if (header + value) not in self.door.seen and len(self.door.seen) < LOGGED:
            self.door.seen.add(header + value)
            log.warning("Refused a request from %s: %s", self.request.remote_ip, how)
        self.set_status(403)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{how}\n")


def _name(url: str) -> str:
    """The host name in a URL, "" where it has none, or is none."""
    try:
        parts = urlsplit(url)
        return (parts.hostname or "") if parts.port is None or parts.port else ""
    except ValueError:  # of the port, too
        return ""


def _is_address(name: str) -> bool:
    """Whether a name is an address, which nobody can have lead elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
