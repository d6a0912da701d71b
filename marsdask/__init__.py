"""Mars's API on Dask's engine: lazy tensors and frames that Dask's schedulers run."""

__version__ = "0.1.0"

from marsdask.options import option_context, options
from marsdask.session import (
    execute,
    fetch,
    get_default_session,
    new_session,
    stop_server,
)

__all__ = [
    "execute",
    "fetch",
    "get_default_session",
    "new_session",
    "option_context",
    "options",
    "stop_server",
]
