"""Encrypted connections beside one that breaks."""

import asyncio
import socket
import ssl

import pytest
from distributed.comm import Comm, CommClosedError, connect, listen
from distributed.security import Security

import marsdask.streams  # noqa: F401 - what is tested

pytest.importorskip("cryptography", reason='no certificates: pip install "marsdask[tls]"')


def left(here: Comm, there: Comm) -> None:
    """An end that leaves an error in OpenSSL's queue, whatever the versions."""
    with pytest.raises(ValueError, match="unknown object"):
        ssl._ASN1Object("1.2.3.nonsense")  # type: ignore[attr-defined]
    there.abort()  # reads nothing any more, which would empty it
    here.abort()


def cut(here: Comm, there: Comm) -> None:
    """An end that does so with OpenSSL 3.4 or newer: it cannot write its alert, as something was sent after the end."""
    socket.socket.shutdown(there.stream.socket, socket.SHUT_WR)
    here.stream.socket.send(b"unread")
    there.abort()


@pytest.mark.parametrize("end", [left, cut])
def test_a_connection_that_breaks_ends_no_other(end):
    async def main() -> None:
        security, met = Security.temporary(), asyncio.Queue()

        async def pair() -> tuple[Comm, Comm]:
            there = await connect(listener.contact_address, **security.get_connection_args("worker"))
            return await met.get(), there

        arguments = security.get_listen_args("scheduler")
        async with listen("tls://127.0.0.1", met.put, **arguments) as listener:
            breaking, other = await pair(), await pair()
            reading = asyncio.create_task(breaking[0].read())
            await asyncio.sleep(0)
            end(*breaking)
            with pytest.raises(CommClosedError):
                await reading
            reading = asyncio.create_task(other[0].read())
            await asyncio.sleep(0)  # it looks for data, and there are none yet
            await other[1].write("well")
            assert await reading == "well"
            for comm in (*breaking, *other):
                await comm.close()

    asyncio.run(main())
