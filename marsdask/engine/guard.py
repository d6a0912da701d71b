"""Who may ask a web port: not the page of a stranger in the browser of a user, and where it has a lock only who has its token.

A browser lets any page send requests to any address that the browser reaches. What the page is told of the answers, and
whether a websocket opens, depends on two headers, which pages cannot forge: `Origin`, where the page is from, and `Host`,
the name by which it asked. A stranger's page may have its own name lead to 127.0.0.1 (DNS rebinding), so both count. On the
web port of a supervisor sessions run code.

Pages show what users print, and where their programs are. Where connections are encrypted the lock keeps them to those who have the
cluster's certificates: the scheduler tells them the token, by which a browser gets in.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import ipaddress
import json
import logging
import secrets
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

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


TOKEN_FILE = "marsdask.token-file"
"""In Dask's configuration, and as DASK_MARSDASK__TOKEN_FILE: a file with the token of the pages."""
OPERATOR_TOKEN = "marsdask.operator-token"
"""The same for what an operator asks: a token by which nothing else is answered."""


def token_of_file() -> str | None:
    """What the file says that Dask's configuration names, None where it names none; a new one where there is no such file."""
    path = dask.config.get(TOKEN_FILE, None)
    if path is None:
        return None
    with contextlib.suppress(FileNotFoundError):
        if said := Path(path).read_text(encoding="utf-8").strip():
            return said
    return secrets.token_urlsafe(24)  # what is to be locked is never open


@dataclass(frozen=True)
class Lock:
    """What a web port answers to: its token, and those of operators with the paths that each of them opens."""

    token: str = field(repr=False)
    operators: Mapping[str, Iterable[str]] = field(default_factory=dict, repr=False)
    prefix: str = ""
    """Where a proxy shows the port."""
    free: Iterable[str] = ()
    """Paths that are answered to anybody, besides `/health`."""

    def on(self, application: web.Application) -> None:
        """Answer nobody without the token, but for `/health`: with 401, a line in the log, and how to get in.

        Taken are `Authorization: Bearer TOKEN`, the token as a password, and for browsers `?token=TOKEN`, which leaves a cookie.
        """
        locked = Locked(
            self.token,
            {f"{start}{path}" for start in ("", self.prefix) for path in ("/health", *self.free)},
            self.operators,
        )
        rules = application.default_router.rules
        rules.insert(0, routing.Rule(locked, LockedOut))
        rules.insert(0, routing.Rule(Entering(locked), Entered, {"locked": locked}))


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


class Locked(routing.Matcher):
    """Matches what does not bring the token."""

    def __init__(self, token: str, free: set[str], operators: Mapping[str, Iterable[str]]) -> None:
        self.token, self.free = token, free
        self.operators = {each: set(paths) for each, paths in operators.items()}
        # A browser sends cookies to all ports of a host: each lock has its own. Neither tells the token.
        self.cookie = f"marsdask-{_digest(token, 'name')[:12]}"
        self.session = _digest(token, "session")

    def match(self, request: httputil.HTTPServerRequest) -> dict[str, Any] | None:
        return None if request.path in self.free or self.knows(request) else {}

    def knows(self, request: httputil.HTTPServerRequest) -> bool:
        """Whether it brings the token, or an operator's where that will do."""
        if (said := _brought(request.headers.get("Authorization", ""))) is not None:
            opens = (paths for each, paths in self.operators.items() if _same(said, each))
            return _same(said, self.token) or any(request.path in paths for paths in opens)
        cookie = request.cookies.get(self.cookie)
        return (cookie is not None and _same(cookie.value, self.session)) or self.invites(request)

    def invites(self, request: httputil.HTTPServerRequest) -> bool:
        """Whether it has the token in its URL."""
        return any(_same(said, self.token) for said in parse_qs(request.query).get("token", ()))


class Entering(routing.Matcher):
    """Matches a browser that opens a link with the token."""

    def __init__(self, locked: Locked) -> None:
        self.locked = locked

    def match(self, request: httputil.HTTPServerRequest) -> dict[str, Any] | None:
        page = request.method == "GET" and request.headers.get("Upgrade", "").lower() != "websocket"
        return {} if page and self.locked.invites(request) else None


class Entered(web.RequestHandler):
    """A cookie instead of the token, which so is in no history, and the same page."""

    def initialize(self, locked: Locked) -> None:
        self.locked = locked

    def prepare(self) -> None:
        other = [pair for pair in parse_qsl(self.request.query, keep_blank_values=True) if pair[0] != "token"]
        query = f"?{urlencode(other)}" if other else ""
        self.set_cookie(self.locked.cookie, self.locked.session, httponly=True, samesite="Strict")
        self.set_header("Cache-Control", "no-store")
        self.set_header("Referrer-Policy", "no-referrer")
        # As seen from the page itself: a proxy may show it at another path.
        self.redirect(f"./{self.request.path.rpartition('/')[2]}{query}")


class LockedOut(web.RequestHandler):
    """401, and where the token is told."""

    def prepare(self) -> None:
        _tell(self.request, "Refused a request from %s: it has not the token of this port.")
        self.set_status(401)
        self.set_header("WWW-Authenticate", "Bearer")
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(
            "This port answers who brings its token. Browsers: open dashboard_link of the cluster or the session, or what "
            "mars-supervisor has printed. Programs: Authorization: Bearer TOKEN.\n"
        )


def _brought(authorization: str) -> str | None:
    """The token in a header: as such, or as the password of whatever name."""
    kind, _, said = authorization.partition(" ")
    if kind.lower() == "bearer":
        return said.strip()
    if kind.lower() == "basic":
        with contextlib.suppress(ValueError):
            return base64.b64decode(said).decode().partition(":")[2]
    return None


def _digest(token: str, what: str) -> str:
    return hmac.new(token.encode(), what.encode(), "sha256").hexdigest()


def _same(said: str, wanted: str) -> bool:
    return hmac.compare_digest(said.encode(errors="replace"), wanted.encode())


_told: set[str] = set()


def _tell(request: httputil.HTTPServerRequest, text: str) -> None:
    """A line in the log, once for each who asks."""
    who = str(request.remote_ip)
    if who not in _told and len(_told) < LOGGED:
        _told.add(who)
        log.warning(text, who)


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
