"""A session inside of a task on a cluster's worker: it works on the same cluster, through the worker's own client."""

from __future__ import annotations

import contextlib
import uuid
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dask.typing import Key

from marsdask.engine.client import Distributed
from marsdask.plan import graph
from marsdask.session import Session


class OnWorker(Distributed):
    """The cluster that this task runs on. While the task waits, its thread's place is given to other tasks."""

    _client: Any

    def __init__(self) -> None:
        super().__init__(None)

    @property
    def client(self) -> Any:
        """The worker's own client, made when a function first needs it: most never do."""
        if self._client is None:
            from distributed import get_client

            self._client = get_client()
        return self._client

    @client.setter
    def client(self, client: Any) -> None:
        self._client = client

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

    def __init__(self, session_id: str):
        super().__init__(OnWorker(), session_id=session_id)

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
        found = _sessions[key] = WorkerSession(session_id)
    return found
