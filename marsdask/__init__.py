"""Mars's API on Dask's engine: lazy tensors and frames that Dask's schedulers run."""

__version__ = "0.1.0"

import importlib
from typing import TYPE_CHECKING, Any

from marsdask.options import option_context, options

if TYPE_CHECKING:
    from marsdask.session import execute, fetch, fetch_log, get_default_session, new_session, stop_server


def get_context() -> Any:
    """Inside of a function that `remote.spawn` runs: where it runs. None outside."""
    from marsdask.remote.context import get_context

    return get_context()


__all__ = [
    "execute",
    "fetch",
    "fetch_log",
    "get_context",
    "get_default_session",
    "new_session",
    "option_context",
    "options",
    "stop_server",
]


def __getattr__(name: str) -> Any:
    """What sessions have is imported when it is first used: a command of a cluster starts in half the time without it."""
    if name in __all__ or name == "session":
        room = importlib.import_module("marsdask.session")
        value = globals()[name] = room if name == "session" else getattr(room, name)
        return value
    raise AttributeError(f"module 'marsdask' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
