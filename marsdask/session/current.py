"""Which session is meant where nobody names one: the process's default, and inside of a task the task's own."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import TYPE_CHECKING

from marsdask.engine.runs import within

if TYPE_CHECKING:
    from marsdask.session.base import Session

_default: Session | None = None
# Those that were the default before and have not been closed, the latest last.
_earlier: list[Session] = []
# In a thread that works for a session: that session, and one that a function there has made its default.
_active: contextvars.ContextVar[Session | None] = contextvars.ContextVar("marsdask-session", default=None)
_chosen: contextvars.ContextVar[Session | None] = contextvars.ContextVar("marsdask-chosen", default=None)


def inside() -> bool:
    """Whether this thread works for a session: inside of a function that runs in it."""
    return _active.get() is not None


def get_default_session() -> Session | None:
    """The session `execute()` uses, if there is one: inside of a task the task's own."""
    chosen = _chosen.get()
    return chosen if chosen is not None and not chosen.closed else _active.get() or _default


def set_default(session: Session) -> None:
    """Make this the session that `execute()` uses. Inside of a task: for that task."""
    global _default
    if inside():
        _chosen.set(session)
        return
    _earlier[:] = [s for s in (*_earlier, _default) if s is not None and s is not session and not s.closed]
    _default = session


def clear_default_session() -> None:
    """Forget the default session without closing it, and those before it."""
    global _default
    _default = None
    _earlier.clear()


def forget(session: Session) -> None:
    """Let this session be the default no longer: the one before it is again, if it is open."""
    global _default
    _earlier[:] = [s for s in _earlier if s is not session]
    if _default is session:
        _default = _earlier.pop() if _earlier else None


def process_default() -> Session | None:
    """The default session of this process, wherever this is asked."""
    return _default


@contextlib.contextmanager
def active(session: Session) -> Iterator[None]:
    """Inside the block, in this thread, this is the default session: what runs in a session works in it."""
    with within(_active, session), within(_chosen, None):
        yield
