"""From what a user has of a cluster, a web address say, to an address that Dask's client takes.

A scheduler's web port tells the address of its comm port, but that address is the scheduler's own view of itself: it is
tried first, then a websocket on the web port itself, then the web host with the port of the comm address.
"""

from __future__ import annotations

import http.client
import json
import socket
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from marsdask.errors import ArgumentError, ClusterUnreachable

SCHEMES = ("tcp", "tls", "ws", "wss", "inproc", "ucx")
"""Schemes that Dask's client takes as they are."""


def resolve(address: str, *, timeout: float = 10.0) -> str:
    """An address for `distributed.Client`: comm addresses as they are, a web address by asking the scheduler there.

    `timeout` in seconds bounds the whole search. Raises ClusterUnreachable with what was tried.

    >>> resolve("tcp://10.0.0.1:8786")
    'tcp://10.0.0.1:8786'
    >>> resolve("10.0.0.1:8786")
    'tcp://10.0.0.1:8786'
    """
    scheme, found, rest = address.partition("://")
    if not found:
        _check_host(address, address)
        return f"tcp://{address}"
    if scheme in SCHEMES:
        if scheme not in ("inproc", "ucx"):
            _check_host(address, rest.partition("/")[0])
        return address
    if scheme not in ("http", "https"):
        known = ", ".join(f"{s}://" for s in ("tcp", "tls", "ws", "wss", "http", "https"))
        raise ArgumentError(
            f"address={address!r}: unknown scheme {scheme!r}; expected host:port or one of {known}."
        )
    return _from_web(address.rstrip("/"), time.monotonic() + timeout)


def _check_host(address: str, host_port: str) -> None:
    host, colon, port = host_port.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise ArgumentError(f"address={address!r}: expected host:port, for example '10.0.0.1:8786'.")


def _from_web(web: str, deadline: float) -> str:
    parts = urlsplit(web)
    if not parts.hostname:
        raise ArgumentError(f"address={web!r}: expected a host, for example 'http://10.0.0.1:8787'.")
    tried: list[str] = []
    comm = _comm_address(web, deadline, tried)
    if comm and _answers(comm, tried):
        return comm
    if _speaks_websocket(parts.hostname, _port(web), tls=parts.scheme == "https", tried=tried):
        return f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}{parts.path}"
    scheme, _, host_port = (comm or "tcp://:8786").partition("://")
    outside = f"{scheme}://{parts.hostname}:{host_port.rpartition(':')[2]}"
    if outside != comm and _answers(outside, tried):
        return outside
    raise ClusterUnreachable(
        f"address={web!r}: no scheduler found from this web address. Tried: {'; '.join(tried)}. "
        "Hint: give the scheduler's own address, 'tcp://host:8786'."
    )


def _port(web: str) -> int:
    parts = urlsplit(web)
    return parts.port or (443 if parts.scheme == "https" else 80)


def _comm_address(web: str, deadline: float, tried: list[str]) -> str | None:
    """The address that the scheduler at a web address gives for itself; a busy one is asked again."""
    said = ""
    while True:
        try:
            with urllib.request.urlopen(f"{web}/json/identity.json", timeout=2) as answer:
                found = json.load(answer).get("address")
            tried.append(f"{web}/json/identity.json names {found}")
            return str(found) if found else None
        except urllib.error.HTTPError as error:
            said = f"HTTP {error.code}"
            again = error.code >= 500  # a busy scheduler; anything else will not change
        except (OSError, ValueError, http.client.HTTPException) as error:
            said, again = str(error), False
        if not again or time.monotonic() > deadline:
            tried.append(f"{web}/json/identity.json: {said}")
            return None
        time.sleep(0.2)


def _answers(address: str, tried: list[str]) -> bool:
    """Whether something listens at a comm address."""
    host, _, port = address.partition("://")[2].rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=2):
            return True
    except (OSError, ValueError) as error:
        tried.append(f"{address}: {error}")
        return False


def _speaks_websocket(host: str, port: int, *, tls: bool, tried: list[str]) -> bool:
    """Whether a web port takes websockets at its root, as one that serves Dask's ws comm does."""
    kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "bWFyc2Rhc2stbWFyc2Rhcw==",
        "Sec-WebSocket-Version": "13",
    }
    connection = kind(host, port, timeout=2)
    try:
        connection.request("GET", "/", headers=upgrade)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        tried.append(f"websocket at {host}:{port}: {error}")
        return False
    finally:
        connection.close()
    if status != 101:
        tried.append(f"websocket at {host}:{port}: HTTP {status}")
    return status == 101
