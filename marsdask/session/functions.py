"""What users call without a session: `new_session`, the one that is made where nobody made any, `execute`, `fetch` and their kin in it."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack, overload

from marsdask import checks
from marsdask.engine.base import Engine, Threads
from marsdask.engine.client import Distributed
from marsdask.errors import ArgumentError, ArgumentTypeError, NoSuchSession, NotExecuted
from marsdask.session.base import (
    Session,
    as_given,
    get_default_session,
    handles_of,
    inside,
    process_default,
)
from marsdask.session.logs import LogPart, part_of
from marsdask.sizes import LEAST_MEMORY, parse_amount

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from marsdask.dataframe import DataFrame, Index, Series
    from marsdask.plan.handle import Handle
    from marsdask.session.progress import ExecutionInfo
    from marsdask.tensor import Tensor

Executed = TypeVar("Executed", bound="Handle")
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
        if name in ELSEWHERE:
            raise ArgumentTypeError(f"new_session({name}={value!r}) is not taken. Hint: {ELSEWHERE[name]}.")
        known = [n for n in new_session.__annotations__ if n not in ("unknown", "return")]
        raise ArgumentTypeError.unknown_keyword("new_session", name, known)
    checks.flag(default, "new_session(default=)")
    checks.flag(new, "new_session(new=)")
    if session_id is not None:
        checks.name(session_id, "new_session(session_id=)")
    if not new and session_id is None:
        raise ArgumentError("new_session(new=False): expected session_id=, the session to join.")
    if backend is not None:
        checks.choice(backend, "new_session(backend=)", BACKENDS)
    if timeout is not None:
        timeout = checks.number(timeout, "new_session(timeout=)", above=0)
    memory = _one_of("memory", memory, "mem_bytes", _mem_bytes(mem_bytes))
    if web is not None:
        web = checks.flag(web, "new_session(web=)")
    dashboard = _one_of("dashboard", dashboard, "web", web)
    counts = {"n_worker": n_worker, "n_cpu": n_cpu, "memory": memory, "dashboard": dashboard}
    given = [name for name, value in counts.items() if value is not None]
    start: Callable[..., Engine] = Threads
    if address is not None or given or security is not None:
        # Imports distributed, which threads do without.
        from marsdask.engine import clusters
    if address is not None:
        if given:
            raise ArgumentError(
                f"new_session(address=, {given[0]}=): an address joins a cluster, {' and '.join(given)} would start a cluster."
            )
        clusters.check_address(address, security)
        start = partial(clusters.connected, address, security=security, timeout=timeout, as_default=default)
    elif given or security is not None:
        wanted = clusters.local(n_worker, n_cpu, memory, security, dashboard)
        start = partial(clusters.started, wanted, as_default=default)
    if not new and address is None:
        found = next((s for (_, name), s in _open.items() if name == session_id), None)
    else:
        engine = start()
        with _lock:
            found = _named(engine, session_id, timeout, new=new)
    if found is None:
        raise NoSuchSession(
            f"new_session(session_id={session_id!r}, new=False): nobody has opened that session there. Hint: new=True opens it."
        )
    return found.as_default() if default else found


def _mem_bytes(value: Any) -> Any:
    """Mars's name for `memory`: an error names it as it was given. Its "auto" is nothing said."""
    if value is None or value == "auto":
        return None
    parse_amount(value, "new_session: mem_bytes", least=LEAST_MEMORY)
    return value


def _one_of(name: str, value: Any, other: str, second: Any) -> Any:
    if value is not None and second is not None:
        raise ArgumentError(f"new_session({name}=, {other}=) say the same: give one of them.")
    return second if value is None else value


def _named(engine: Engine, session_id: str | None, timeout: float | None, *, new: bool) -> Session | None:
    """The open session of that id on that cluster, or a new one, known while it is open; None where only another `new` one could be."""
    found = None if session_id is None else _open.get((engine.address, session_id))
    cluster = engine if isinstance(engine, Distributed) else None
    if found is not None and not found.closed:
        engine.close()
        return found
    if not new and (cluster is None or _note(session_id) not in cluster.client.list_datasets()):
        engine.close()
        return None
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
    default = get_default_session() if inside() else process_default()
    if default is not None:
        return default
    with _lock:
        return process_default() or new_session()


def stop_server() -> None:
    """Close the default session, and end the cluster that was started for it; twice is fine."""
    if (default := process_default()) is not None:
        default.close()


class How(TypedDict, total=False):
    """How `execute` runs, beside `wait`."""

    session: Session | None
    show_progress: Any
    warn_duplicated_execution: bool | None
    fuse_enabled: bool | None
    progress_update_interval: float
    extra_config: dict[str, Any] | None


@overload
def execute(*tileables: Any, wait: Literal[False], **how: Unpack[How]) -> ExecutionInfo: ...
@overload
def execute(tileable: Executed, /, *, wait: Literal[True] = True, **how: Unpack[How]) -> Executed: ...
@overload
def execute(*tileables: Any, wait: Literal[True] = True, **how: Unpack[How]) -> list[Any]: ...
@overload
def execute(*tileables: Any, wait: bool = True, **how: Unpack[How]) -> Any: ...
def execute(
    *tileables: Any,
    session: Session | None = None,
    wait: bool = True,
    show_progress: Any = None,
    warn_duplicated_execution: bool | None = None,
    fuse_enabled: bool | None = None,
    progress_update_interval: float = 1.0,
    extra_config: dict[str, Any] | None = None,
) -> Any:
    """Run one or several in one run. Gives back the same objects: a list, or the bare one.

    Parameters
    ----------
    session : Session, optional
        Where to run; the default session if nobody says.
    wait : bool
        With False an `ExecutionInfo` comes back at once: a future with `progress()` and `cancel()`.
    show_progress : True, False or "auto"
        A text bar on standard error, or none; "auto" shows one in a terminal or notebook. `options.show_progress` if
        nobody says.
    progress_update_interval : float
        Seconds between updates of the bar.
    warn_duplicated_execution, fuse_enabled : bool, optional
        The options `warn_duplicated_execution` and `optimize.fuse` for this run.
    extra_config : dict, optional
        More options by name, for this run. Mars's own `check_nsplits` and its like have no effect: what a run finds is known.

    An interrupt (Ctrl-C) while it waits cancels the work, also on a cluster. Raises TimeoutError after the `timeout` of
    the session, if it has one.
    """
    how = {name: value for name, value in locals().items() if name not in ("tileables", "session")}
    handles_of(tileables, "execute")  # before a session is made for what cannot run
    where = get_default_or_create() if session is None else _checked(session)
    return where.execute(*tileables, **how)


def _checked(session: Any) -> Session:
    return checks.instance(session, "session", Session, "a Session such as new_session() gives")  # type: ignore[no-any-return]


def _holder(handle: Any, session: Session | None) -> Session:
    """The session that is asked for a handle's data."""
    if session is not None:
        return _checked(session)
    result = handle._result if handle.node is not None else None  # a view looks at its base first
    where: Session | None = get_default_session() if result is None else result.session
    if where is None:
        raise NotExecuted(
            f"No session found: nothing was executed yet. Cannot fetch unexecuted tileable: {handle.unexecuted_repr()}."
        )
    return where


class Fetched(TypedDict, total=False):
    """How `fetch` brings data."""

    session: Session | None
    batch_size: int | None
    extra_config: dict[str, Any] | None


@overload
def fetch(tileable: Tensor, /, **how: Unpack[Fetched]) -> np.ndarray[Any, Any]: ...
@overload
def fetch(tileable: DataFrame, /, **how: Unpack[Fetched]) -> pd.DataFrame: ...
@overload
def fetch(tileable: Series, /, **how: Unpack[Fetched]) -> pd.Series: ...
@overload
def fetch(tileable: Index, /, **how: Unpack[Fetched]) -> pd.Index: ...
@overload
def fetch(first: Any, second: Any, /, *others: Any, **how: Unpack[Fetched]) -> list[Any]: ...
@overload
def fetch(*tileables: Any, **how: Unpack[Fetched]) -> Any: ...
def fetch(
    *tileables: Any,
    session: Session | None = None,
    batch_size: int | None = None,
    extra_config: dict[str, Any] | None = None,
) -> Any:
    """The data of one or several executed handles. `batch_size` and `extra_config` are accepted as in Mars; the result is the same."""
    handles, bare = handles_of(tileables, "fetch")
    how: dict[str, Any] = {"batch_size": batch_size, "extra_config": extra_config}
    values = [_holder(handle, session).fetch(handle, **how) for handle in handles]
    return values[0] if bare else as_given(tileables, values)


def fetch_infos(
    *tileables: Any, session: Session | None = None, fields: Sequence[str] | None = None
) -> list[dict[str, list[Any]]]:
    """Of each executed handle a dict of lists with an entry for each chunk: where it is, how large, by which key.

    `fields` picks some of data_key, object_id, object_refs, level, memory_size, store_size and bands.
    """
    handles, _ = handles_of(tileables, "fetch_infos")
    return [_holder(handle, session).fetch_infos(handle, fields=fields)[0] for handle in handles]


def fetch_log(
    *tileables: Any, session: Session | None = None, offsets: Any = None, sizes: Any = None
) -> list[LogPart]:
    """What functions have printed so far, one part for each of the objects that `remote.spawn` gave, also while they run.

    Without `offsets` each call goes on where the last one ended. An offset is a number of bytes, or a text such as
    "1K"; negative ones count from the end; a dict gives one for each chunk. `sizes`, 1 MiB where nobody says, bounds
    what is handed out.
    """
    handles, _ = handles_of(tileables, "fetch_log")
    return [part_of(each, offsets, sizes) for each in handles]


def _close_all() -> None:
    """At the end of the process: leave nothing on clusters that go on."""
    stop_server()
    for session in list(_open.values()):
        session.close()


atexit.register(_close_all)
