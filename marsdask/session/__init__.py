"""Sessions: where expressions run and where their results live."""

from marsdask.plan import gaps, offered
from marsdask.session.asynchronous import AsyncSession, get_default_async_session
from marsdask.session.base import Session, clear_default_session, get_default_session
from marsdask.session.functions import (
    execute,
    fetch,
    fetch_infos,
    fetch_log,
    get_default_or_create,
    new_session,
    stop_server,
)
from marsdask.session.progress import ExecutionInfo

SyncSession = Session

__all__ = [
    "AsyncSession",
    "ExecutionInfo",
    "Session",
    "SyncSession",
    "clear_default_session",
    "execute",
    "fetch",
    "fetch_infos",
    "fetch_log",
    "get_default_async_session",
    "get_default_or_create",
    "get_default_session",
    "new_session",
    "stop_server",
]


def __dir__() -> list[str]:
    return offered.of_module(globals())


gaps.fill("session", globals())
gaps.on(Session, "Session")
gaps.on(AsyncSession, "AsyncSession")
gaps.on(ExecutionInfo, "ExecutionInfo")
