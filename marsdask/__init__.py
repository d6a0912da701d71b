"""Mars's API on Dask's engine: lazy tensors and frames that Dask's schedulers run."""

__version__ = "0.1.0"

from typing import Any

from marsdask.options import option_context, options
from marsdask.session import (
    execute,
    fetch,
    fetch_log,
    get_default_session,
    new_session,
    stop_server,
)


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
