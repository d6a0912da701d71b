"""Opening sessions: `new_session`, and the one that is made where nobody made any."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from marsdask import checks
from marsdask.engine import clusters
from marsdask.engine.base import Engine, Threads
from marsdask.engine.client import Distributed
from marsdask.errors import ArgumentError, ArgumentTypeError, NoSuchSession
from marsdask.session import current
from marsdask.session.base import Session

_lock = threading.RLock()
_open: weakref.WeakValueDictionary[tuple[str, str], Session] = weakref.WeakValueDictionary()

BACKENDS = ("mars", "oscar", "dask")
"""What Mars's `backend=` may say: all of them mean Dask's engine."""
ELSEWHERE = {
    "config": "set Dask's configuration: dask.config.set({...}), DASK_* variables or ~/.config/dask",
    "cuda_devices": "chunks are NumPy arrays and pandas objects in host memory",
    "n_supervisor_process": "a Dask scheduler is one process",
    "subprocess_start_method": "set distributed.worker.multiprocessing-method in Dask's configuration",
    "mem_limit": "memory= is the limit of all workers together",
}
"""Arguments of Mars's that have another place here."""


def new_session(
    address: Any = None,
    session_id: str | None = None,
    backend: str | None = None,
    *,
    default: bool = True,
    new: bool = True,
    n_worker: int | None = None,
    n_cpu: int | None = None,
    memory: Any = None,
    mem_bytes: Any = None,
    security: Any = None,
    dashboard: Any = None,
    web: bool | None = None,
    timeout: float | None = None,
    **unknown: Any,
) -> Session:
    """A session: Dask's threads in this process, a local cluster of processes, or a cluster that is there.

    All arguments are checked before anything is started or asked; an error names the argument.

    Parameters
    ----------
    address : str, distributed.Client or cluster object, optional
        A cluster that is there: "http://host:8787" or "https://..." of a scheduler's web pages, "tcp://host:8786",
        "tls://...", "ws://...", "wss://...", "host:8786". None and no counts: threads in this process.
    session_id : str, optional
        Its name, which functions see as `get_context().session_id`; a random one if not given. One that is in use on
        the same cluster gives that session, as in Mars.
    backend : "mars", "oscar" or "dask", optional
        Mars's argument; all of them mean Dask's engine.
    default : bool
        Make it the session that `execute()` uses, and a cluster's Client the one that Dask uses.
    new : bool
        False joins the open session `session_id`, and raises KeyError where nobody has opened it.
    n_worker, n_cpu : int, optional
        Start a local cluster of `n_worker` processes (1 if not given) with `n_cpu` threads in all (one each if only
        `n_worker` is given, one for each core if neither is).
    memory, mem_bytes : int, float or str, optional
        Memory of all workers of a local cluster together: bytes, or a text with a unit: 'g', 'G', 'GB' and 'Gi' all
        count in powers of 1024, as in Mars. Up to 1, or with '%', a share of what the machine or container has.
        `mem_bytes` is Mars's spelling.
    security : distributed.Security or True, optional
        Certificates: of a cluster that is joined, or for a local one; True makes temporary ones for a local cluster.
        None takes what Dask's configuration says.
    dashboard : bool, int or "host:port", optional
        Where a local cluster's dashboard listens: a free port of 127.0.0.1 if nobody says, False for none. `web` is
        Mars's spelling, True or False.
    timeout : float, optional
        Seconds that joining a cluster, and every `execute()` that waits, may take: TimeoutError after it. None is at
        most 10 s for joining, and no limit for work.

    Raises
    ------
    ClusterUnreachable, a ConnectionError
        Where no scheduler answers, or its certificates and ours do not fit (EncryptionMismatch).

    >>> session = new_session(default=False)
    >>> session.close()
    """
    for name, value in unknown.items():
        raise _unknown(name, value)
    checks.flag(default, "new_session(default=)")
    checks.flag(new, "new_session(new=)")
    if session_id is not None and not checks.instance(session_id, "new_session(session_id=)", str, "a text"):
        raise ArgumentError("new_session(session_id=''): expected a text that is not empty.")
    if not new and session_id is None:
        raise ArgumentError("new_session(new=False): expected session_id=, the session to join.")
    if backend is not None:
        checks.choice(backend, "new_session(backend=)", BACKENDS)
    if timeout is not None:
        timeout = checks.number(timeout, "new_session(timeout=)", above=0)
    memory = _one_of("memory", memory, "mem_bytes", None if mem_bytes == "auto" else mem_bytes)
    if web is not None:
        web = checks.flag(web, "new_session(web=)")
    dashboard = _one_of("dashboard", dashboard, "web", web)
    counts = {"n_worker": n_worker, "n_cpu": n_cpu, "memory": memory, "dashboard": dashboard}
    given = [name for name, value in counts.items() if value is not None]
    start: Callable[..., Engine] | None = None
    if address is not None:
        if given:
            raise ArgumentError(
                f"new_session(address=, {given[0]}=): an address joins a cluster, {' and '.join(given)} would start a cluster."
            )
        clusters.check_address(address, security)
        start = partial(clusters.connected, address, security=security, timeout=timeout)
    elif given or security is not None:
        start = partial(clusters.started, clusters.local(n_worker, n_cpu, memory, security, dashboard))
    if not new and address is None:
        session = next((s for (_, name), s in _open.items() if name == session_id), None)
        if session is None:
            raise _nobody(session_id)
    else:
        engine = start(as_default=default) if start else Threads()
        with _lock:
            session = _named(engine, session_id, timeout, new=new)
    return session.as_default() if default else session


def _unknown(name: str, value: Any) -> ArgumentTypeError:
    if name in ELSEWHERE:
        return ArgumentTypeError(f"new_session({name}={value!r}) is not taken. Hint: {ELSEWHERE[name]}.")
    known = [n for n in new_session.__annotations__ if n not in ("unknown", "return")]
    return ArgumentTypeError.unknown_keyword("new_session", name, known)


def _one_of(name: str, value: Any, other: str, second: Any) -> Any:
    if value is not None and second is not None:
        raise ArgumentError(f"new_session({name}=, {other}=) say the same: give one of them.")
    return second if value is None else value


def _nobody(session_id: str | None) -> NoSuchSession:
    return NoSuchSession(
        f"new_session(session_id={session_id!r}, new=False): nobody has opened that session there. Hint: new=True opens it."
    )


def _named(engine: Engine, session_id: str | None, timeout: float | None, *, new: bool) -> Session:
    """The open session of that id on that cluster, or a new one, which others can find while it is open."""
    if session_id is not None:
        found = _open.get((engine.address, session_id))
        if found is not None and not found.closed:
            engine.close()
            return found
    cluster = engine if isinstance(engine, Distributed) else None
    if not new and (cluster is None or _note(session_id) not in cluster.client.list_datasets()):
        engine.close()
        raise _nobody(session_id)
    session = Session(engine, session_id=session_id, timeout=timeout)
    if cluster is not None:
        # To go before distributed's own exit, which closes clients: what was registered last is called first.
        atexit.unregister(_close_all)
        atexit.register(_close_all)
        if new:
            cluster.note(_note(session.session_id))
    _open[session.address, session.session_id] = session
    return session


def _note(session_id: str | None) -> str:
    """Name of the empty dataset by which a scheduler knows an open session."""
    return f"marsdask-session-{session_id}"


def get_default_or_create() -> Session:
    """The session `execute()` uses: threads in this process if nobody made another."""
    if current.inside() and (mine := current.get_default_session()) is not None:
        return mine
    if (default := current.process_default()) is not None:
        return default
    with _lock:
        return current.process_default() or new_session()


def stop_server() -> None:
    """Close the default session, and end the cluster that was started for it; twice is fine."""
    if (default := current.process_default()) is not None:
        default.close()


def _close_all() -> None:
    """At the end of the process: leave nothing on clusters that go on."""
    stop_server()
    for session in list(_open.values()):
        session.close()


atexit.register(_close_all)
