"""Mars's API on Dask's engine: lazy tensors and frames that Dask's schedulers run."""

__version__ = "0.1.0"

import importlib
from typing import TYPE_CHECKING, Any

from marsdask.errors import UnknownName
from marsdask.options import option_context, options

if TYPE_CHECKING:
    from marsdask import config as config
    from marsdask import dataframe as dataframe
    from marsdask import errors as errors
    from marsdask import remote as remote
    from marsdask import session as session
    from marsdask import tensor as tensor
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
ROOMS = ["config", "dataframe", "errors", "remote", "session", "tensor"]
"""Packages that users import, and those without which `import marsdask` is enough."""


def __getattr__(name: str) -> Any:
    """What sessions have is imported when it is first used: a command of a cluster starts in half the time without it."""
    if name in ROOMS:
        return importlib.import_module(f"marsdask.{name}")  # which also sets it here
    if name in __all__:
        value = globals()[name] = getattr(importlib.import_module("marsdask.session"), name)
        return value
    raise UnknownName.among("marsdask", name, [*__all__, *ROOMS])


def __dir__() -> list[str]:
    return sorted({*__all__, *ROOMS, *(name for name in globals() if name.startswith("__"))})
