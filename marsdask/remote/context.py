"""Where a function runs: what it learns from `get_context()`, the stateful objects it makes, its session on a worker."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import operator
import socket
import threading
import uuid
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from dask.typing import Key

from marsdask import checks
from marsdask.engine.client import Distributed
from marsdask.engine.workers import workers_of
from marsdask.errors import ArgumentError, ArgumentTypeError, ObjectNotFound, Unbuilt, near
from marsdask.plan import graph
from marsdask.remote.stateful import Actor, Home, Proxy
from marsdask.session import Session


class Context:
    """Where the running function runs. On threads this process is supervisor and worker."""

    def __init__(self, session: Session, name: str, listener: Any):
        self.session = session
        self.name = name
        self._listener = listener

    def __repr__(self) -> str:
        return f"<Context of {self.name!r} in {self.session!r}>"

    _client = property(operator.attrgetter("session.client"))
    session_id = property(operator.attrgetter("session.session_id"))
    supervisor_address = property(operator.attrgetter("session.address"))

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
            import psutil  # distributed brings it
            from distributed.system import MEMORY_LIMIT  # the machine's, or the container's

            return {"memory_total": int(MEMORY_LIMIT), "memory_used": int(psutil.Process().memory_info().rss)}
        workers = workers_of(self._client)
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
        if not isinstance(name, str) or not name:
            raise ArgumentTypeError(f"create_remote_object(name={name!r}): expected a text.")
        checks.instance(object_cls, "create_remote_object(object_cls=)", type, "a class")
        taken = ArgumentError(
            f"create_remote_object(name={name!r}): there is one by that name in this session."
        )
        if (client := self._client) is None:
            with _lock:
                mine = _objects.setdefault(self.session, {})
                if name in mine:
                    raise taken
                mine[name] = Proxy(name, Home(object_cls, args, kwargs))
                return mine[name]
        from distributed import wait

        key = dataset(self.session, name)
        if key in client.list_datasets():
            raise taken
        with self.session.engine.waiting():  # type: ignore[attr-defined]
            future = client.submit(Actor, object_cls, args, kwargs, actor=True, pure=False)
            with client.as_current():
                wait(future)
        try:
            client.publish_dataset(future, name=key)
        except KeyError:
            raise taken from None
        self._listener.published(key, lasting=True)
        return Proxy(name, future.result())

    def get_remote_object(self, name: str) -> Any:
        """What calls the methods of the object that somebody in this session made by that name."""
        if self._client is None:
            mine = _objects.get(self.session, {})
            if name not in mine:
                raise ObjectNotFound.by(name, near(name, mine))
            return mine[name]
        try:
            future = self._client.get_dataset(dataset(self.session, name))
        except KeyError:
            raise ObjectNotFound.by(name) from None
        return Proxy(name, future.result())

    def destroy_remote_object(self, name: str) -> None:
        """Forget the object of that name."""
        self.get_remote_object(name)
        if self._client is None:
            del _objects[self.session][name]
        else:
            self._client.unpublish_dataset(dataset(self.session, name))

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


_objects: weakref.WeakKeyDictionary[Session, dict[str, Proxy]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def dataset(session: Session, name: str) -> str:
    """What a cluster knows by that name: a stateful object, or what a function has published."""
    return f"marsdask-{session.session_id}-{name}"


CURRENT: contextvars.ContextVar[Context | None] = contextvars.ContextVar("marsdask-context", default=None)


def get_context() -> Context | None:
    """Inside of a function that `spawn` runs: where it runs. None outside.

    >>> get_context() is None
    True
    """
    return CURRENT.get()


class OnWorker(Distributed):
    """The cluster that this task runs on. While the task waits, its thread's place is given to other tasks."""

    def __init__(self) -> None:
        super().__init__(None)
        del self.client

    @functools.cached_property
    def client(self) -> Any:
        """The worker's own client, made when a function first needs it: most never do."""
        from distributed import get_client

        return get_client()

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Without this, tasks that wait for tasks would fill all threads of a worker, and nothing would go on."""
        from distributed import get_worker, worker_client

        try:
            get_worker()
        except ValueError:  # a thread of the user's, which has no place to give
            yield
            return
        with worker_client():
            yield

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        with self.waiting():
            return super().submit(tasks, keys)

    def close(self) -> None:
        """The cluster, and what the session has there, are the caller's."""

    def values(self, held: Sequence[Any]) -> list[Any]:
        """What the caller holds is known here by its key only; a task that stands for it brings it."""
        from distributed import Future

        name = f"fetch-{uuid.uuid4().hex}"
        strange = {(name, i): h for i, h in enumerate(held) if not isinstance(h, Future)}
        tasks: dict[Key, Any] = {k: graph.same(k, ref) for k, ref in strange.items()}
        mine = dict(zip(tasks, self.submit(tasks, list(tasks)), strict=True)) if tasks else {}
        return super().values([mine.get((name, i), h) for i, h in enumerate(held)])


class WorkerSession(Session):
    """The caller's session, as functions of it see it on a worker."""

    @property
    def pool(self) -> ThreadPoolExecutor:
        """Threads for `execute(wait=False)`; who asks for them is going to wait, so it gives up its place for good."""
        from distributed import secede

        with contextlib.suppress(KeyError, ValueError):  # given up before; not a task's thread
            secede()
        return self._pool

    @pool.setter
    def pool(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool


_sessions: weakref.WeakValueDictionary[tuple[str, str], WorkerSession] = weakref.WeakValueDictionary()


def session_here(session_id: str) -> Session:
    """The session of that id on this worker: one while any task uses it."""
    from distributed import get_worker

    key = (get_worker().address, session_id)
    found = _sessions.get(key)
    if found is None or found.closed:
        found = _sessions[key] = WorkerSession(OnWorker(), session_id=session_id)
    return found
