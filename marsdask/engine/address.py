"""From what a user has of a cluster, a web address say, to an address that Dask's client takes.

A scheduler's web port tells the address of its comm port, but that address is the scheduler's own view of itself: it is
tried beside a websocket on the web port itself, and comes first; then the web host with the port of the comm address.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import os
import re
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from concurrent import futures
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from marsdask.errors import ArgumentError, ClusterUnreachable, EncryptionMismatch
from marsdask.options import options

SCHEMES = ("tcp", "tls", "ws", "wss", "inproc", "ucx")
"""Schemes that Dask's client takes as they are."""
ROUTE = "/marsdask/engine/address.json"
"""Where a supervisor of ours says `{"address": ..., "listeners": [...]}`: its comm address, and all it listens at."""
HINT = "Hint: is it running, and is the port right?"
STEP = 2.0
"""Seconds that one attempt may take."""
GRACE = 0.5
"""Seconds in which a scheduler's own address is expected to answer where its web port takes sessions, too. A firewall that lets
nothing through says nothing either."""
WEB_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
CERTIFICATES = "security=distributed.Security(tls_ca_file=..., tls_client_cert=..., tls_client_key=...)"


class Unsuited(ClusterUnreachable):
    """Who listens at an address is no scheduler, or not for this scheme; waiting does not change that."""


def is_loopback(host: str) -> bool:
    """Whether a host, without brackets, is this machine by itself: no other one reaches what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


TOKEN = "MARSDASK_TOKEN"
"""The variable with the token of sessions, of supervisors and of programs."""


def is_token(text: str) -> bool:
    """Whether a text can be one: nobody guesses it, and a URL takes it as it is."""
    return re.fullmatch("[A-Za-z0-9_-]{16,}", text) is not None


def split_token(address: str) -> tuple[str, str | None]:
    """An address without `?token=`, and the token that it has, or else the options or the environment.

    Raises ArgumentError for another query.
    """
    where, found, query = address.partition("?")
    token = query.removeprefix("token=") if found else options.cluster.token or os.environ.get(TOKEN)
    if found and not query.startswith("token="):
        raise ArgumentError(f"address={address!r}: expected ?token=... or nothing after the port.")
    if token and not is_token(token):
        raise ArgumentError(
            f"the token of address={where!r} is none: expected the letters, digits, '-' and '_' that mars-supervisor has printed."
        )
    return where, token or None


WEB_TOKEN = "marsdask-web-token"
"""Where a scheduler's metadata have the token of its pages, for clients: whoever reads them could run code."""


def with_token(link: str, token: str | None) -> str:
    """A link by which a browser gets in."""
    return link if token is None else f"{link}?token={token}"


def bearing(token: str | None) -> dict[str, str]:
    """The headers by which a session proves itself."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def resolve(
    address: str, *, timeout: float = 10.0, context: ssl.SSLContext | None = None, token: str | None = None
) -> str:
    """An address for `distributed.Client`: comm addresses as they are, a web address by asking the scheduler there.

    `timeout` in seconds bounds the whole search; `context` has the certificates for https and tls, `token` is that of
    sessions by websocket. Raises ClusterUnreachable with what was tried.

    >>> resolve("tcp://10.0.0.1:8786")
    'tcp://10.0.0.1:8786'
    >>> resolve("10.0.0.1:8786")
    'tcp://10.0.0.1:8786'
    """
    scheme = check_host(address)
    if not scheme:
        return f"tcp://{address}"
    if scheme in SCHEMES:
        return address
    return _Search(address.rstrip("/"), time.monotonic() + timeout, context, token).found()


def check_host(address: str) -> str:
    """The scheme of an address, "" where it has none; raises ArgumentError where it cannot be an address."""
    if not address.isprintable() or any(map(str.isspace, address)):
        raise ArgumentError(f"address={address!r}: expected no blanks or control characters in it.")
    scheme, found, rest = address.partition("://")
    if not found:
        scheme, rest = "", address
    if scheme in ("http", "https"):
        try:
            parts = urlsplit(address)
            usable = parts.hostname and parts.port != 0  # reading the port checks it
        except ValueError:
            usable = False
        if not usable:
            raise ArgumentError(
                f"address={address!r}: expected a host and a port, for example 'http://10.0.0.1:8787'."
            )
    elif found and scheme not in SCHEMES:
        known = ", ".join(f"{s}://" for s in ("tcp", "tls", "ws", "wss", "http", "https"))
        raise ArgumentError(
            f"address={address!r}: unknown scheme {scheme!r}; expected host:port or one of {known}."
        )
    elif scheme not in ("inproc", "ucx"):
        where = rest.partition("/")[0] if found else rest
        host, colon, port = where.rpartition(":")
        if scheme in WEB_PORTS and where and (not colon or where.endswith("]")):
            return scheme
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ArgumentError(f"address={address!r}: expected host:port, for example '10.0.0.1:8786'.")
    return scheme


class _Search:
    """The search for a scheduler from a web address, and what was tried on the way."""

    def __init__(self, web: str, deadline: float, context: ssl.SSLContext | None, token: str | None):
        self.web, self.deadline, self.context, self.token = web, deadline, context, token
        self.parts = urlsplit(web)
        self.host = self.parts.hostname or ""
        self.secure = self.parts.scheme == "https"
        self.tried: list[str] = []

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def _port(self) -> int:
        return self.parts.port or (443 if self.secure else 80)

    def found(self) -> str:
        told = self._asked(ROUTE, again=False) or self._asked("/json/identity.json") or {}
        comm = str(told.get("address") or "")
        listeners = [e for e in map(str, told.get("listeners") or ()) if e.startswith(("tcp:", "tls:"))]
        own = [each for each in dict.fromkeys((comm, *listeners)) if each]
        looks = {each: _started(partial(self._answers, each)) for each in own}
        websocket = _started(self._speaks_websocket)
        enough = time.monotonic() + GRACE
        while waited := [each for each in looks.values() if not each.done()]:
            late = time.monotonic() > enough
            if (late or looks[own[0]].done()) and any(map(_yes, looks.values())):
                break
            if late and _yes(websocket):
                break
            futures.wait(waited, timeout=GRACE / 10, return_when=futures.FIRST_COMPLETED)
        if found := next((each for each, look in looks.items() if _yes(look)), None):
            return found
        if websocket.result():
            return f"{'wss' if self.secure else 'ws'}://{self._bracketed}:{self._port}{self.parts.path}"
        scheme, _, host_port = (comm or "tcp://:8786").partition("://")
        outside = f"{scheme}://{self._bracketed}:{host_port.rpartition(':')[2]}"
        if outside != comm and self._answers(outside):
            return outside
        said = "; ".join(map(_readable, self.tried))
        # A server without TLS waits for more of what it takes for a request.
        raise (EncryptionMismatch if self.secure and "handshake" in said else ClusterUnreachable)(
            f"address={self.web!r}: no scheduler found from this web address. Tried: {said}. "
            "Hint: give the scheduler's own address, 'tcp://host:8786'."
        )

    def _asked(self, route: str, *, again: bool = True) -> dict[str, Any] | None:
        """The JSON object at a route; with `again` a busy scheduler is asked until it answers or the time is over."""
        while True:
            try:
                time_left = _left(self.deadline)
                asking = urllib.request.Request(self.web + route, headers=bearing(self.token))
                with urllib.request.urlopen(asking, timeout=time_left, context=self.context) as answer:
                    found = json.load(answer)
                if not isinstance(found, dict):
                    raise ValueError("no JSON object")
                self.tried.append(f"{self.web}{route} names {found.get('address')}")
                return found
            except urllib.error.HTTPError as error:
                said, busy = f"HTTP {error.code}", error.code >= 500  # anything else will not change
                if error.code == http.HTTPStatus.FORBIDDEN:
                    said += f", {error.read(500).decode(errors='replace').strip()}"
                if error.code == http.HTTPStatus.UNAUTHORIZED:
                    said += f" ({NEEDS_TOKEN})"
            except (OSError, ValueError, http.client.HTTPException) as error:
                if any(isinstance(e, ssl.SSLError) for e in (error, getattr(error, "reason", None))):
                    raise EncryptionMismatch.because(self.web, error) from error
                said, busy = str(error), "timed out" in str(error)
            if not (again and busy) or time.monotonic() > self.deadline:
                if route != ROUTE or not said.startswith("HTTP 4"):
                    self.tried.append(f"{self.web}{route}: {said}")
                return None
            time.sleep(0.2)

    def _answers(self, address: str) -> bool:
        """Whether something listens at a comm address."""
        try:
            with socket.create_connection(_host_port(address), timeout=_left(self.deadline)):
                return True
        except (OSError, ValueError) as error:
            self.tried.append(f"{address}: {error}")
            return False

    def _speaks_websocket(self) -> bool:
        """Whether the web port takes websockets at its root, as one that serves Dask's ws comm does."""
        headers = UPGRADE | bearing(self.token)
        said = _answer(
            self.host,
            self._port,
            f"{self.parts.path}/",
            self.deadline,
            self.context,
            secure=self.secure,
            headers=headers,
        )
        if said != "HTTP 101":
            hint = f" ({NEEDS_TOKEN})" if said == "HTTP 401" else ""
            self.tried.append(f"websocket at {self.host}:{self._port}: {said}{hint}")
        return said == "HTTP 101"


def _started(look: Callable[[], bool]) -> futures.Future[bool]:
    """What `look` will say, asked beside others. Nobody waits for it at the end of the program."""
    said: futures.Future[bool] = futures.Future()

    def run() -> None:
        try:
            said.set_result(look())
        except BaseException as error:  # noqa: BLE001  raised where it is asked for
            said.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return said


def _yes(look: futures.Future[bool]) -> bool:
    """Whether a look has ended, and well."""
    return look.done() and look.result()


def _left(deadline: float) -> float:
    """Seconds for the next attempt."""
    return max(min(STEP, deadline - time.monotonic()), 0.05)


NEEDS_TOKEN = (
    "sessions there need the token that mars-supervisor has printed: http://host:port/?token=..., options.cluster.token or the "
    "variable MARSDASK_TOKEN"
)
UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "bWFyc2Rhc2stbWFyc2Rhcw==",
    "Sec-WebSocket-Version": "13",
}
"""A request for a websocket, which is granted with status 101."""


def _answer(
    host: str,
    port: int,
    path: str,
    deadline: float,
    context: ssl.SSLContext | None = None,
    *,
    secure: bool = False,
    method: str = "GET",
    headers: Mapping[str, str] = UPGRADE,
) -> str:
    """The HTTP status that answers one request, "HTTP 200", or why none does."""
    kind = partial(http.client.HTTPSConnection, context=context) if secure else http.client.HTTPConnection
    try:
        with contextlib.closing(kind(host, port, timeout=_left(deadline))) as connection:
            connection.request(method, path, headers=headers)
            return f"HTTP {connection.getresponse().status}"
    except (OSError, http.client.HTTPException) as error:
        return str(error)


def _readable(text: str) -> str:
    """`text` for a terminal, whatever bytes a stranger answered: what cannot be printed escaped, and cut short."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= 200 else f"{shown[:200]}..."


def try_to_listen(host: str, port: int) -> None:
    """Raises OSError where nobody can listen there now: gaierror for a name that is none."""
    family, kind, number, _, where = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, number) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(where)
        probe.listen(1)


def _host_port(address: str) -> tuple[str, int]:
    """Where to connect; a web address without a port has that of its scheme.

    >>> _host_port("ws://mars.example/mars/default/demo-webservice-0"), _host_port("tcp://[::1]:8786")
    (('mars.example', 80), ('::1', 8786))
    """
    scheme, _, rest = address.partition("://")
    where = rest.partition("/")[0]
    host, found, port = where.rpartition(":")
    if scheme in WEB_PORTS and (not found or where.endswith("]")):
        return where.strip("[]"), WEB_PORTS[scheme]
    return host.strip("[]"), int(port)


def reached(
    address: str,
    *,
    timeout: float = 10.0,
    context: ssl.SSLContext | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Returns when something that may be a scheduler answers at a comm address, and agrees on encryption.

    Raises ClusterUnreachable where nobody listens in `timeout` seconds, EncryptionMismatch at once where one side wants
    TLS and the other not, or where a certificate is refused. Dask's client would try again until its time is over, and
    then not say why. `headers` are those of a websocket.
    """
    scheme = address.partition("://")[0]
    if scheme not in ("tcp", "tls", "ws", "wss"):
        return
    secure = scheme in ("tls", "wss")
    if secure and context is None:
        raise EncryptionMismatch(
            f"address={address!r}: {scheme}:// needs certificates. Hint: pass {CERTIFICATES}, or set distributed.comm.tls in "
            "Dask's configuration."
        )
    deadline = time.monotonic() + timeout
    with _connected(address, deadline) as connection:
        if secure and context is not None:
            _shake_hands(address, connection, context, deadline, speaks_first=scheme == "tls")
        elif scheme == "tcp" and not _greets(connection, min(deadline, time.monotonic() + STEP)):
            if _wants_tls(address, deadline):
                raise EncryptionMismatch(
                    f"address={address!r}: who listens there speaks TLS. Hint: use tls:// and pass {CERTIFICATES}."
                )
            if _answer(*_host_port(address), "/", deadline, method="HEAD", headers={}).startswith("HTTP "):
                host_port = address.partition("://")[2]
                raise Unsuited(
                    f"address={address!r}: no scheduler answers: who listens there speaks HTTP, as a web port does. "
                    f"Hint: give 'http://{host_port}', or the scheduler's own port."
                )
            if not _greets(connection, deadline):  # a busy scheduler takes longer
                raise _silent(address)
    if scheme in ("ws", "wss"):
        path = "/" + address.partition("://")[2].partition("/")[2]
        said = _answer(
            *_host_port(address),
            path,
            deadline,
            context,
            secure=secure,
            headers=UPGRADE | dict(headers or {}),
        )
        # Dask's client would try until its time is over. Without an answer who listens is busy perhaps: it may try.
        if not said.startswith("HTTP ") or said == "HTTP 101":
            return
        if said == "HTTP 401":
            raise Unsuited(f"address={address!r}: {NEEDS_TOKEN}.")
        pages = address.replace("ws", "http", 1)
        raise Unsuited(
            f"address={address!r}: no sessions by {scheme}:// there: {said} instead of a websocket. The web port of a "
            f"plain `dask scheduler`, or of an encrypted one, has pages only. Hint: give {pages!r}, or tcp:// or tls:// of the "
            "scheduler's own port."
        )


def _connected(address: str, deadline: float) -> socket.socket:
    """A connection; one that is refused is tried again, since a scheduler may be starting."""
    while True:
        try:
            return socket.create_connection(_host_port(address), timeout=_left(deadline))
        except OSError as error:
            if time.monotonic() + 0.1 > deadline or isinstance(error, socket.gaierror):
                raise ClusterUnreachable(
                    f"address={address!r}: no scheduler answers ({error}). {HINT}"
                ) from error
        time.sleep(0.1)


def _greets(connection: socket.socket, deadline: float) -> bool:
    """Whether the other side sends something first, as Dask's servers do: the length, in eight bytes, of a short message.

    Who sends another number, or nothing, is no scheduler; Dask's client would wait for the rest of it without end.
    """
    greeting = b""
    try:
        while len(greeting) < 8:
            connection.settimeout(max(deadline - time.monotonic(), 0.05))
            more = connection.recv(8 - len(greeting))
            if not more:
                return False
            greeting += more
    except ssl.SSLError:
        raise
    except OSError:
        return False
    return 0 < int.from_bytes(greeting, "little") < 2**20


def _silent(address: str) -> ClusterUnreachable:
    return ClusterUnreachable(
        f"address={address!r}: no scheduler answers: who listens there does not greet as one. {HINT}"
    )


def _shake_hands(
    address: str, connection: socket.socket, context: ssl.SSLContext, deadline: float, *, speaks_first: bool
) -> None:
    connection.settimeout(max(deadline - time.monotonic(), 0.05))
    try:
        with context.wrap_socket(connection, server_hostname=_host_port(address)[0]) as secured:
            # Only the first read shows a refused client certificate.
            if speaks_first and not _greets(secured, deadline):
                raise _silent(address)
    except (ssl.SSLError, ConnectionResetError, TimeoutError) as error:
        raise EncryptionMismatch.because(address, error) from error


def _wants_tls(address: str, deadline: float) -> bool:
    """Whether a TLS server listens there, whatever certificate it has."""
    blind = ssl.create_default_context()
    blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
    with (
        contextlib.suppress(OSError),
        socket.create_connection(_host_port(address), timeout=_left(deadline)) as plain,
        blind.wrap_socket(plain),
    ):
        return True
    return False
