"""Sessions: where expressions run and where their results live.

A result is held by the handles that point at its node, and by unexecuted handles that will read it; the session knows
results only weakly, so data are freed with the last handle.
"""

# long: what a session holds, runs and hands out changes together.
from __future__ import annotations

import atexit
import concurrent.futures
import contextlib
import contextvars
import threading
import uuid
import warnings
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Self

from marsdask import engine as engines
from marsdask import graph, passes, registry
from marsdask.engine import Engine, Threads
from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    NotExecuted,
    SessionClosed,
    WrongSession,
)
from marsdask.handle import Handle, held
from marsdask.logs import LogPart, part_of
from marsdask.lower import Lowering
from marsdask.meta import meta
from marsdask.node import Data, Node, _set, token
from marsdask.options import option_context, options
from marsdask.progress import ExecutionInfo, progress
from marsdask.results import Result, exact, finished, tasks_of, with_siblings


class Session:
    """Runs expressions on an engine and knows their results while somebody holds them."""

    def __init__(self, engine: Engine, *, session_id: str | None = None):
        self.engine = engine
        self.session_id = session_id or uuid.uuid4().hex
        self.closed = False
        self.results: weakref.WeakValueDictionary[str, Result] = weakref.WeakValueDictionary()
        self.pool = concurrent.futures.ThreadPoolExecutor(4, thread_name_prefix="marsdask-execute")

    def __repr__(self) -> str:
        state = (
            "closed"
            if self.closed
            else f"{type(self.engine).__name__.lower()}, {self.engine.threads} at a time"
        )
        return f"<Session {self.session_id[:8]}: {state}>"

    def _check_open(self) -> None:
        if self.closed:
            raise SessionClosed("Session closed already. Hint: open another with marsdask.new_session().")

    def execute(self, *handles: Any, show_progress: Any = None) -> None:
        """Run what `handles` point at, in one run, and hold the results. Results that are there are not run again."""
        self._check_open()
        for handle in handles:
            self._check_mine(handle)
        todo = [(h, h.node) for h in handles if self.result_of(h) is None]
        alive = [self.results.get(token(n)) for _, n in todo]  # equal work that somebody holds is shared
        nodes = [n for (_, n), known in zip(todo, alive, strict=True) if known is None]
        nodes = list({token(s): s for n in nodes for s in with_siblings(n)}.values())
        if options.warn_duplicated_execution:
            _warn_duplicated(nodes)
        with progress(self.engine, False if inside() else show_progress), self.active():
            results = self._run(nodes)
        for handle, node in todo:
            if handle.node is node:  # not assigned to while it ran
                handle._result, handle._keep = self.results[token(node)], ()
                handle._group[:] = [self.results.get(token(n)) for n in with_siblings(node)]
                _set(node, "_meta", handle._result.meta)
        del alive, results

    def _check_mine(self, handle: Handle) -> None:
        """An error where this handle's data live in another session."""
        for result in held(handle):
            if result.session is not self and not result.session.closed:
                raise WrongSession(
                    f"this {type(handle).__name__} was executed in {result.session!r} and cannot be used in {self!r}. "
                    "Hint: pass session= of the first, or fetch() the data."
                )

    def _run(self, nodes: Sequence[Node]) -> list[Result]:
        """Run nodes and note their results, which live as long as the returned list or a handle holds them."""
        if not nodes:
            return []
        collections, kept = self.lowered(nodes)
        flat = list({id(c): c for c in collections}.values())
        done = dict(zip(map(id, flat), engines.persist(self.engine, flat, kept), strict=True))
        results = [
            Result(self, done[id(c)], exact(meta(n), done[id(c)], self.engine))
            for n, c in zip(nodes, collections, strict=True)
        ]
        for node, result in zip(nodes, results, strict=True):
            self.results[token(node)] = result
        return results

    def lowered(self, nodes: Sequence[Node]) -> tuple[list[Any], engines.Kept]:
        """The Dask collections of `nodes`, after the passes, questions answered; and what the questions kept."""
        bound = passes.replaced(nodes, self._known)
        work = self.lowering()
        with self.active():
            return work.run(passes.run(bound)), work.kept

    def lowering(self) -> Lowering:
        return Lowering(
            lambda questions, kept: engines.answer(self.engine, questions, kept), self.engine.shared_memory
        )

    def _known(self, node: Node) -> Node | None:
        """A leaf that holds the executed data of `node`, where there are any."""
        result = self.results.get(token(node))
        if result is None:
            return None
        leaf = Node("result", (Data(result, token(node)),))
        _set(leaf, "_meta", result.meta)
        return leaf

    def result_of(self, handle: Any) -> Result | None:
        """The executed data of what a handle points at, in this session."""
        node = handle.node
        mine: Result | None = handle._result
        if mine is not None and mine.session is self:
            return mine
        if node.op == "item":  # a sibling was executed
            handle._result = mine = self.results.get(token(node))
            return mine
        return None

    def fetch(self, handle: Any) -> Any:
        """The data of an executed handle: NumPy or pandas."""
        self._check_open()
        result = self.result_of(handle)
        if result is None:
            self._check_mine(handle)
            part = self._slice_of_executed(handle.node)
            if part is None:
                raise NotExecuted(
                    f"Cannot fetch unexecuted tileable: {handle.unexecuted_repr()}. Hint: call .execute() first."
                )
            return part
        return handle.received(self.value_of(result.collection, result.meta), self)

    def value_of(self, collection: Any, known: Any) -> Any:
        parts = self.engine.values([graph.data_of(t) for t in tasks_of(collection)])
        return finished(collection, parts, known)

    def _slice_of_executed(self, node: Node) -> Any:
        """The data of basic slices of executed data: only those rows move."""
        if "slice" not in registry.lookup(node.op).traits:
            return None
        below = node
        while "slice" in registry.lookup(below.op).traits and not self.results.get(token(below)):
            if any(isinstance(a, Node) for a in below.args[1:]):
                raise NotExecuted("Only support fetch data slices. Hint: call .execute() first.")
            below = below.args[0]
        if not self.results.get(token(below)):
            return None
        (collection,), kept = self.lowered([node])
        (done,) = engines.persist(self.engine, [collection], kept)
        return self.value_of(done, exact(meta(node), done, self.engine))

    def as_default(self) -> Self:
        """Make this the session that `execute()` uses, and return it. Inside of a task: for that task."""
        global _default
        if inside():
            _chosen.set(self)
        else:
            _default = self
        return self

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Inside the block, in this thread, this is the default session: what runs in a session works in it."""
        before, chosen = _active.set(self), _chosen.set(None)
        try:
            yield
        finally:
            _active.reset(before)
            _chosen.reset(chosen)

    def fetch_log(self, tileables: Sequence[Any], offsets: Any = None, sizes: Any = None) -> list[LogPart]:
        """What functions have printed so far, one part for each: see `marsdask.fetch_log`."""
        return [part_of(each, offsets, sizes) for each in tileables]

    def close(self) -> None:
        """Forget the results and close the engine; closing twice is fine."""
        global _default
        if self.closed:
            return
        self.closed = True
        self.results.clear()
        self.pool.shutdown(wait=False)
        self.engine.close()
        if _default is self:
            _default = None

    destroy = stop_server = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get_total_n_cpu(self) -> float:
        """How many tasks run at a time."""
        return float(self.engine.threads)


def _warn_duplicated(nodes: Sequence[Node]) -> None:
    for node in nodes:
        if token(node) in _submitted:
            warnings.warn(f"Tileable {node!r} has been submitted before", RuntimeWarning, stacklevel=4)
        _submitted.add(token(node))


_submitted: set[str] = set()


_default: Session | None = None
# In a thread that works for a session: that session, and one that a function there has made its default.
_active: contextvars.ContextVar[Session | None] = contextvars.ContextVar("marsdask-session", default=None)
_chosen: contextvars.ContextVar[Session | None] = contextvars.ContextVar("marsdask-chosen", default=None)
_lock = threading.Lock()


def inside() -> bool:
    """Whether this thread works for a session: inside of a function that runs in it."""
    return _active.get() is not None


def new_session(
    address: Any = None,
    session_id: str | None = None,
    *,
    default: bool = True,
    n_worker: int | None = None,
    n_cpu: int | None = None,
    **unknown: Any,
) -> Session:
    """A session: Dask's threads in this process, or a distributed cluster.

    Parameters
    ----------
    address : None, "tcp://host:port", a distributed Client or a cluster object
        None and no counts: threads in this process.
    n_worker, n_cpu : int, optional
        Start a local cluster of that many worker processes, with that many threads in all.
    default : bool
        Make it the session that `execute()` uses.

    >>> session = new_session(default=False)
    >>> session.close()
    """
    for name in unknown:
        raise ArgumentTypeError.unknown_keyword(
            "new_session", name, ("address", "session_id", "default", "n_worker", "n_cpu")
        )
    for name, count in (("n_worker", n_worker), ("n_cpu", n_cpu)):
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
            raise ArgumentError(f"new_session({name}={count!r}): expected a whole number from 1 on.")
    if address is not None:
        if n_worker is not None or n_cpu is not None:
            raise ArgumentError(
                "new_session(address=, n_worker=, n_cpu=): counts start a cluster, an address joins one."
            )
        engine: Engine = engines.connected(address)
    elif n_worker is not None or n_cpu is not None:
        workers = n_worker or 1
        engine = engines.started(workers, max(1, (n_cpu or workers) // workers))
    else:
        engine = Threads()
    session = Session(engine, session_id=session_id)
    return session.as_default() if default else session


def get_default_session() -> Session | None:
    """The session `execute()` uses, if there is one: inside of a task the task's own."""
    chosen = _chosen.get()
    return chosen if chosen is not None and not chosen.closed else _active.get() or _default


def get_default_or_create() -> Session:
    """The session `execute()` uses: threads in this process if nobody made another."""
    if inside() and (mine := get_default_session()) is not None:
        return mine
    with _lock:
        return _default if _default is not None else new_session()


def clear_default_session() -> None:
    """Forget the default session without closing it."""
    global _default
    _default = None


def stop_server() -> None:
    """Close the default session; twice is fine."""
    if _default is not None:
        _default.close()


atexit.register(stop_server)


def _handles(args: tuple[Any, ...], name: str) -> tuple[list[Any], bool]:
    """Handles of `f(a, b)`, `f([a, b])`, `f(a)`; whether a bare one was given."""
    if not args:
        raise ArgumentTypeError(f"{name}() needs at least one tensor, frame or object")
    bare = len(args) == 1 and isinstance(args[0], Handle)
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = tuple(args[0])
        bare = name == "fetch" and len(args) == 1
    for each in args:
        if not isinstance(each, Handle):
            raise ArgumentTypeError(
                f"{name}() takes tensors, frames and objects of marsdask, got {type(each).__name__}"
            )
    return list(args), bare


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

    `progress_update_interval` (seconds) has no effect on threads; `extra_config` is a dict of option names to values.
    """
    handles, bare = _handles(tileables, "execute")
    session = session if session is not None else _session_for(handles)
    values: dict[str, Any] = dict(extra_config or {})
    if warn_duplicated_execution is not None:
        values["warn_duplicated_execution"] = warn_duplicated_execution
    if fuse_enabled is not None:
        values["optimize.fuse"] = fuse_enabled

    def work() -> Any:
        with option_context(values):
            session.execute(*handles, show_progress=show_progress)
        return handles[0] if bare else handles

    if wait:
        return work()
    session._check_open()
    return ExecutionInfo(session.pool.submit(work), handles)


def _session_for(handles: Sequence[Any]) -> Session:
    """The default session, or the open one that holds what these handles will read."""
    return get_default_or_create()


def fetch(*tileables: Any, session: Session | None = None, batch_size: int | None = None) -> Any:
    """The data of one or several executed handles. `batch_size` is accepted as in Mars; the result is the same."""
    handles, bare = _handles(tileables, "fetch")
    values = []
    for handle in handles:
        where = session
        if where is None:
            result = handle._result if handle.node is not None else None
            where = result.session if result is not None else get_default_session()
        if where is None:
            raise NotExecuted(
                f"No session found: nothing was executed yet. Cannot fetch unexecuted tileable: {handle.unexecuted_repr()}."
            )
        values.append(where.fetch(handle))
    return values[0] if bare else values


def fetch_log(
    *tileables: Any, session: Session | None = None, offsets: Any = None, sizes: Any = None
) -> list[LogPart]:
    """What functions have printed so far, one part for each of the objects that `remote.spawn` gave, also while they run.

    Without `offsets` each call goes on where the last one ended. An offset is a number of bytes, or a text such as
    "1K"; negative ones count from the end; a dict gives one for each chunk. `sizes`, 1 MiB where nobody says, bounds
    what is handed out.
    """
    handles, _ = _handles(tileables, "fetch_log")
    return [part_of(each, offsets, sizes) for each in handles]
