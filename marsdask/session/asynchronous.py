"""A session for programs with an event loop of their own: the same methods, awaitable."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Sequence
from typing import Any, Self

from marsdask.session.base import Session, get_default_session
from marsdask.session.functions import new_session
from marsdask.session.progress import ExecutionInfo


def _of_session(name: str, doc: str) -> property:
    return property(operator.attrgetter(f"session.{name}"), doc=doc)


class AsyncSession:
    """A session whose methods do not block the event loop. It shares everything with the `session` it stands for."""

    def __init__(self, session: Session):
        self.session = session

    @classmethod
    async def init(cls, address: Any = None, session_id: str | None = None, **how: Any) -> Self:
        """Open one: the arguments of `new_session`."""
        return cls(await asyncio.to_thread(new_session, address, session_id, **how))

    def __repr__(self) -> str:
        return f"<Async{repr(self.session)[1:]}"

    def __eq__(self, other: object) -> bool:
        return self.session == other.session if isinstance(other, AsyncSession) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.session)

    address = _of_session("address", "The scheduler's address; on threads one that names this process.")
    session_id = _of_session("session_id", "Its name, by which it can be joined.")
    name = _of_session("name", "Mars's other word for the id.")
    closed = _of_session("closed", "Whether it was closed.")
    default = _of_session("default", "Whether `execute()` uses this session.")

    def as_default(self) -> Self:
        """Make this the session that `execute()` uses, and return it."""
        self.session.as_default()
        return self

    def reset_default(self) -> None:
        """Be the default session no longer."""
        self.session.reset_default()

    async def execute(self, *tileables: Any, **how: Any) -> ExecutionInfo:
        """Start the work; as in Mars what comes back is awaited once more: `await (await session.execute(t))`."""
        info: ExecutionInfo = self.session.execute(*tileables, wait=False, **how)
        return info

    async def fetch(self, *tileables: Any, **how: Any) -> Any:
        """The data of one or several executed handles."""
        return await asyncio.to_thread(self.session.fetch, *tileables, **how)

    async def fetch_infos(self, *tileables: Any, fields: Sequence[str] | None = None) -> Any:
        """Of each executed handle a dict of lists with an entry for each chunk."""
        return await asyncio.to_thread(self.session.fetch_infos, *tileables, fields=fields)

    async def get_total_n_cpu(self) -> float:
        """How many tasks run at a time."""
        return await asyncio.to_thread(self.session.get_total_n_cpu)

    async def get_cluster_versions(self) -> list[str]:
        """The versions of marsdask that the workers have."""
        return await asyncio.to_thread(self.session.get_cluster_versions)

    async def get_web_endpoint(self) -> str | None:
        """The http address of the cluster's web pages."""
        return await asyncio.to_thread(self.session.get_web_endpoint)

    async def close(self) -> None:
        """As `Session.close`."""
        await asyncio.to_thread(self.session.close)

    destroy = stop_server = close

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


def get_default_async_session() -> AsyncSession | None:
    """The session `execute()` uses, awaitable; None where there is none."""
    session = get_default_session()
    return None if session is None else AsyncSession(session)
