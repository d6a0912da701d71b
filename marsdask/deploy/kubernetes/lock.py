"""A preload that locks the pages of a worker as those of its scheduler are: by the token in the file that Dask's configuration names.

`dask worker --preload marsdask.deploy.kubernetes.lock`. They show tasks, call stacks and logs.
"""

from __future__ import annotations

from typing import Any

from marsdask.engine import guard


def dask_setup(worker: Any) -> None:
    if (token := guard.token_of_file()) is not None:
        guard.Lock(token).on(worker.http_application)
