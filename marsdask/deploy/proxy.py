"""`mars-web`: a port that leads to the web port of a supervisor elsewhere.

In Mars's first generation the web was a process of its own; here the supervisor has it. What connects is joined to the
supervisor byte by byte, so pages, websockets and sessions all pass.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any
from urllib.parse import urlsplit

import click

from marsdask.deploy import endpoints, options, running, settings, tls
from marsdask.deploy.options import PORT, option
from marsdask.deploy.running import EVERYWHERE, Exit, Failure, check_free, host_option
from marsdask.errors import ArgumentError

CHUNK = 2**18


@click.command("web", cls=options.MarsCommand)
@options.shared
@option("-p --port --ui-port", "Port to open; default: a free one.", type=PORT, envvar="MARS_BIND_PORT")
@options.supervisors(
    "--schedulers --supervisors",
    "The supervisor, or http:// of its web port; default: yours on this machine.",
)
@options.death_timeout
@options.modules
@options.oddities(())
def main(**given: Any) -> None:
    """Open a port that leads to the web port of a supervisor.

    Exit codes: 0 stopped by a signal, 1 failed, 2 wrong usage.
    """
    others = given["load_modules"] or given["preload"] or given["interface"]
    running.refuse(others, "--load-modules, --preload and --interface are for supervisors and workers.")
    host, advertise, port = options.where_to_bind(given)
    supervisor = _supervisor(given["schedulers"]) if given["schedulers"] is not None else None
    settings.prepare(given, "web")
    tls.configure("client", given)
    supervisor = supervisor or endpoints.the_one_here()
    check_free("-p/--port", host or EVERYWHERE, int(port), of_host=host_option(given))
    with running.pid_file(given["pid_file"]):
        way = Way(supervisor, tls.security("client"))
        running.run(serve(way, host or EVERYWHERE, int(port), advertise, given["death_timeout"]))


def _supervisor(given: str) -> str:
    """`http://host:port` of a web port, or the endpoint of a supervisor."""
    if given.startswith("http://"):
        good: object = False
        with contextlib.suppress(ValueError):  # what is no port
            parts = urlsplit(given)
            good = parts.hostname and parts.port and not parts.path.strip("/")
        running.refuse(not good, f"got {given!r}, expected http://HOST:PORT.", "-s/--schedulers")
        return given
    with running.blamed("-s/--schedulers", ArgumentError):
        return endpoints.the_one(given)


class Way:
    """From a supervisor to its web port, which another one started later may have elsewhere."""

    def __init__(self, supervisor: str, security: Any) -> None:
        self.supervisor, self.security = supervisor, security
        self.known: tuple[str, int] | None = None

    async def find(self, timeout: float = 5.0) -> tuple[str, int]:
        """Host and port of the web. OSError where no supervisor answers in `timeout` seconds."""
        if self.supervisor.startswith("http://"):
            parts = urlsplit(self.supervisor)
            return str(parts.hostname), int(parts.port or 80)
        from distributed.comm.addressing import get_address_host
        from distributed.core import rpc

        address = tls.addressed(self.supervisor, self.security)
        arguments = self.security.get_connection_args("client") if self.security is not None else {}
        await endpoints.greeted(address, arguments, timeout)
        async with rpc(address, timeout=timeout, connection_args=arguments) as scheduler:
            identity = await asyncio.wait_for(scheduler.identity(n_workers=0), 2 * timeout)
        port = identity.get("services", {}).get("dashboard")
        if port is None:
            raise OSError(f"the supervisor at {address} has no web port")
        return get_address_host(address), int(port)

    async def look(self, timeout: float) -> None:
        """Returns when the web port can be connected to."""
        self.known = await self.find(timeout)
        _, writer = await asyncio.wait_for(asyncio.open_connection(*self.known), timeout)
        await _closed(writer)

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the web port; it is looked for again if nothing answers where it was."""
        if self.known is not None:
            with contextlib.suppress(OSError):
                return await asyncio.open_connection(*self.known, limit=CHUNK)
        self.known = await self.find()
        return await asyncio.open_connection(*self.known, limit=CHUNK)

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes both ways until either side ends; a page that says so where no supervisor answers."""
        try:
            there = await self.open()
        except (OSError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            text = f"No supervisor answers at {self.supervisor}: {why}\n".encode()
            head = f"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
            with contextlib.suppress(OSError):
                writer.write(head.encode() + text)
                await writer.drain()
                await _closed(writer)
            return
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(_pass(reader, there[1]))
                ways.create_task(_pass(there[0], writer))
        finally:
            await asyncio.gather(_closed(writer), _closed(there[1]), return_exceptions=True)


async def _pass(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Everything from `source` to `target`, then the end."""
    with contextlib.suppress(OSError):
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def serve(way: Way, host: str, port: int, advertise: str | None, patience: float) -> int:
    """Serve until a signal comes; the exit code."""
    open_now: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(way.join(reader, writer))
        open_now.add(task)
        task.add_done_callback(open_now.discard)

    async with running.signals() as asked:
        if await running.first(asked, endpoints.looked_for(way.supervisor, patience, way.look)):
            return Exit.FINE
        try:
            server = await asyncio.start_server(accept, host.strip("[]"), port, limit=CHUNK)
        except OSError as error:
            raise Failure(f"-p/--port {port} on {host}: {error}") from error
        bound = server.sockets[0].getsockname()
        shown = f"{advertise or (bound[0] if bound[0] != EVERYWHERE else 'localhost')}:{bound[1]}"
        click.echo(f"Web at http://{shown}, of the supervisor at {way.supervisor}", err=True)
        if way.security is None:
            tls.warn_if_open([f"{bound[0]}:{bound[1]}"])
        try:
            await asked.wait()
        finally:
            server.close()
            for task in list(open_now):
                task.cancel()
            await asyncio.gather(*open_now, return_exceptions=True)
    return Exit.FINE


if __name__ == "__main__":
    main()
