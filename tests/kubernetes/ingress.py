"""A proxy that obeys an Ingress object as ingress-nginx does: host, paths by regular expression, rewrite-target, websockets."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from marsdask.deploy.kubernetes.api import Api

NGINX = "nginx.ingress.kubernetes.io/"


def routes(api: Api, ingress: dict[str, Any]) -> list[tuple[str, re.Pattern[str], str, int]]:
    """Host, path, and the address of the Service, the longest path first."""
    found = []
    assert ingress["metadata"]["annotations"][f"{NGINX}use-regex"] == "true"
    for rule in ingress["spec"]["rules"]:
        for path in rule["http"]["paths"]:
            backend = path["backend"]["service"]
            service = api.service(ingress["metadata"]["namespace"], backend["name"])
            ports = {each["name"]: each["port"] for each in service["spec"]["ports"]}
            address = service["spec"]["clusterIP"], ports[backend["port"]["name"]]
            found.append((rule["host"], re.compile(path["path"]), *address))
    return sorted(found, key=lambda each: -len(each[1].pattern))


class Proxy:
    """Listens on `host`, and passes on what the Ingress lets through; all else is 404."""

    def __init__(self, api: Api, ingress: dict[str, Any]):
        self.routes = routes(api, ingress)
        self.target = ingress["metadata"]["annotations"][f"{NGINX}rewrite-target"]
        self.asked: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, _, rest = head.partition("\r\n")
            method, path, version = first.split(" ")
            host = re.search(r"(?im)^host: *([^:\r]+)", rest)[1]
            self.asked.append(path)
            where, _, query = path.partition("?")
            route = next((r for r in self.routes if r[0] == host and r[1].match(where)), None)
            if route is None:
                writer.write(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                return
            _, pattern, address, port = route
            new = self.target.replace("$1", pattern.match(where)[1] if pattern.groups else "")
            if "upgrade:" not in rest.lower():  # one request a connection: each is looked at
                rest = "Connection: close\r\n" + re.sub(r"(?im)^connection:.*\r\n", "", rest)
            first = f"{method} {new}{'?' + query if query else ''} {version}\r\n"
            behind, towards = await asyncio.open_connection(address, port)
            towards.write((first + rest).encode("latin-1"))
            try:
                await asyncio.gather(pump(reader, towards), pump(behind, writer))
            finally:
                towards.close()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while block := await source.read(2**16):
            target.write(block)
            await target.drain()
    finally:
        target.close()


@contextmanager
def serving(proxy: Proxy, host: str, port: int) -> Iterator[None]:
    """The proxy, in a thread of its own."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(proxy.serve, host, port))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(closed(server), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


async def closed(server: asyncio.Server) -> None:
    """End the server and what it is at."""
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for each in others:
        each.cancel()
    await asyncio.gather(*others, return_exceptions=True)
