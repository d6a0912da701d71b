"""What is shown and handed out while work runs: Dask's progress bar, and futures of executions."""

from __future__ import annotations

import concurrent.futures
import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from marsdask.engine import Engine
from marsdask.options import options


@contextlib.contextmanager
def progress(engine: Engine, show: Any = None) -> Iterator[None]:
    """Dask's progress bar around a run, where `show_progress` and the terminal ask for one."""
    asked = options.show_progress if show is None else show
    show = asked
    if show == "auto":
        show = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not show or not engine.shared_memory:
        yield
        return
    from dask.diagnostics import ProgressBar

    with ProgressBar(minimum=0.5 if asked == "auto" else 0, out=sys.stderr):
        yield


class ExecutionInfo:
    """What `execute(wait=False)` returns: a future of the executed handles."""

    def __init__(self, future: concurrent.futures.Future[Any], handles: Any):
        self._future, self.to_execute_tileables = future, handles

    def result(self, timeout: float | None = None) -> Any:
        return self._future.result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._future.exception(timeout)

    def done(self) -> bool:
        return self._future.done()

    def progress(self) -> float:
        """How far it is, from 0 to 1: of functions what they say, of other work whether it is done."""
        if self.done():
            return 1.0
        return sum(
            getattr(getattr(h, "_log", None), "progress", 0.0) for h in self.to_execute_tileables
        ) / len(self.to_execute_tileables)

    def cancel(self) -> bool:
        return self._future.cancel()

    def __await__(self) -> Any:
        import asyncio

        return asyncio.wrap_future(self._future).__await__()
