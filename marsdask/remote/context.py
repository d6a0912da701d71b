"""What a running function can know of where it runs: `get_context()`."""

from __future__ import annotations

import contextlib
import contextvars
import socket
from typing import Any
from urllib.parse import urlsplit

from marsdask import checks
from marsdask.engine.runs import within
from marsdask.errors import ArgumentError, Unbuilt
from marsdask.remote import stateful
from marsdask.session import Session


class Context:
    """Where the running function runs. On threads this process is supervisor and worker."""

    def __init__(self, session: Session, name: str, listener: Any):
        self.session = session
        self.name = name
        self._listener = listener

    def __repr__(self) -> str:
        return f"<Context of {self.name!r} in {self.session!r}>"

    @property
    def _client(self) -> Any:
        return self.session.client

    @property
    def session_id(self) -> str:
        return self.session.session_id

    @property
    def supervisor_address(self) -> str:
        return self.session.address

    @property
    def worker_address(self) -> str:
        if self._client is None:
            return self.session.address
        from distributed import get_worker

        return str(get_worker().address)

    local_address = worker_address

    @property
    def band(self) -> tuple[str, str]:
        return (self.worker_address, "numa-0")

    def get_current_session(self) -> Session:
        return self.session

    def get_supervisor_addresses(self) -> list[str]:
        return [self.supervisor_address]

    def get_worker_addresses(self) -> list[str]:
        return sorted(self._client.nthreads()) if self._client else [self.session.address]

    def get_worker_bands(self) -> list[tuple[str, str]]:
        return [(address, "numa-0") for address in self.get_worker_addresses()]

    def get_total_n_cpu(self) -> int:
        """How many tasks run at a time, everywhere."""
        return int(self.session.engine.threads)

    def get_slots(self) -> int:
        """How many tasks run at a time on this worker."""
        client = self._client
        return int(client.nthreads()[self.worker_address]) if client else self.get_total_n_cpu()

    def get_local_host_ip(self) -> str:
        return urlsplit(self.worker_address).hostname or socket.gethostbyname(socket.gethostname())

    def get_storage_info(self, address: str | None = None, level: Any = None) -> dict[str, int]:
        """Bytes of memory a worker may use and uses: `{"memory_total": ..., "memory_used": ...}`."""
        if self._client is None:
            return _memory_here()
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        where = address or self.worker_address
        if where not in workers:
            raise ArgumentError(f"get_storage_info(address={where!r}): the workers are {sorted(workers)}.")
        worker = workers[where]
        return {"memory_total": worker["memory_limit"], "memory_used": worker["metrics"]["memory"]}

    def set_progress(self, progress: float) -> None:
        """Say how far the function is, from 0 to 1; `Object.progress()` tells it."""
        if not 0 <= checks.number(progress, "set_progress(progress=)") <= 1:
            raise ArgumentError(f"set_progress(progress={progress!r}): expected a number from 0 to 1.")
        self._listener.progress(float(progress))

    def create_remote_object(self, name: str, object_cls: type, *args: Any, **kwargs: Any) -> Any:
        """Make a stateful object of that name, one in the session, and give back what calls its methods."""
        made = stateful.create(self.session, name, object_cls, args, kwargs)
        self._listener.published(stateful.dataset(self.session, name), lasting=True)
        return made

    def get_remote_object(self, name: str) -> Any:
        """What calls the methods of the object that somebody in this session made by that name."""
        return stateful.get(self.session, name)

    def destroy_remote_object(self, name: str) -> None:
        """Forget the object of that name."""
        stateful.destroy(self.session, name)

    def get_chunks_meta(
        self, data_keys: list[str], fields: list[str] | None = None, error: str = "raise"
    ) -> Any:
        raise Unbuilt.operation(
            "get_chunks_meta", "chunks have no keys of their own here; use a handle's nsplits"
        )

    def get_chunks_result(self, data_keys: list[str], fetch_only: bool = False) -> Any:
        raise Unbuilt.operation(
            "get_chunks_result", "chunks have no keys of their own here; fetch() a slice of the handle"
        )


def _memory_here() -> dict[str, int]:
    from distributed.system import MEMORY_LIMIT  # the machine's, or the container's

    import psutil  # isort: skip - distributed brings it

    return {"memory_total": int(MEMORY_LIMIT), "memory_used": int(psutil.Process().memory_info().rss)}


_context: contextvars.ContextVar[Context | None] = contextvars.ContextVar("marsdask-context", default=None)


def get_context() -> Context | None:
    """Inside of a function that `spawn` runs: where it runs. None outside.

    >>> get_context() is None
    True
    """
    return _context.get()


def running(context: Context) -> contextlib.AbstractContextManager[Context | None]:
    """Inside the block `get_context()` gives this."""
    return within(_context, context)
