"""A session: where expressions run and where their results live; and which one is meant where nobody names any.

A result is held by the handles that point at its node, and by unexecuted handles that will read it; the session knows
results only weakly, so data are freed with the last handle.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import html
import importlib.metadata
import os
import threading
import uuid
import warnings
import weakref
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Self

import dask.threaded
import psutil
from dask.sizeof import sizeof
from dask.utils import parse_bytes

from marsdask import checks
from marsdask.engine import base as engines
from marsdask.engine import runs
from marsdask.engine.base import Engine, Room
from marsdask.engine.failures import functions_of
from marsdask.engine.workers import workers_of
from marsdask.errors import (
    ArgumentTypeError,
    NotExecuted,
    NotPicklable,
    SessionClosed,
    TookTooLong,
    WrongSession,
)
from marsdask.options import checked, of_block, option_context, options, within
from marsdask.plan import passes, registry
from marsdask.plan.handle import Handle, held
from marsdask.plan.lower import Kept, Lowering
from marsdask.plan.meta import meta
from marsdask.plan.node import Node, _set, inputs, leaf, token, walk
from marsdask.session.logs import LogPart, part_of
from marsdask.session.progress import check_waiting, progress, started
from marsdask.session.results import (
    Result,
    data_of,
    exact,
    finished,
    lost,
    of_chunks,
    restore,
    retried,
    with_siblings,
)
from marsdask.spill.report import Memory, WorkerMemory

SPARE = 8
"""What questions work out on the way is held for what follows up to about this part of the memory of all threads.

TPC-H q21 at SF10 on two workers of 4 GiB: 14 s of CPU where the 870 MB of late rows are worked out twice, 12 where they are held."""

# The default session is the last; before it those that were and have not been closed.
_defaults: list[Session] = []
# In a thread that works for a session: that session, and one that a function there has made its default.
_active: contextvars.ContextVar[Session | None] = contextvars.ContextVar("marsdask-session", default=None)
_chosen: contextvars.ContextVar[Session | None] = contextvars.ContextVar("marsdask-chosen", default=None)
_submitted: set[str] = set()
CACHED: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""By id the handles with `cache = True`: they compare by elements."""


def inside() -> bool:
    """Whether this thread works for a session: inside of a function that runs in it."""
    return _active.get() is not None


def get_default_session() -> Session | None:
    """The session `execute()` uses, if there is one: inside of a task the task's own."""
    chosen = _chosen.get()
    return chosen if chosen is not None and not chosen.closed else _active.get() or process_default()


def clear_default_session() -> None:
    """Forget the default session without closing it, and those before it."""
    _defaults.clear()


def process_default() -> Session | None:
    """The default session of this process, wherever this is asked."""
    return _defaults[-1] if _defaults else None


def _cached_below(handles: Sequence[Any]) -> list[Any]:
    """The handles that are to hold their data once something that is made of them runs."""
    if not CACHED:
        return []
    below = {token(node) for node in walk([handle.node for handle in handles])}
    given = {id(handle) for handle in handles}
    return [h for i, h in CACHED.items() if i not in given and h._result is None and token(h.node) in below]


SESSIONS: weakref.WeakSet[Session] = weakref.WeakSet()


def _after_fork() -> None:
    """In a process that was forked: threads stay behind. What needs no others than ours has new ones, the rest says so."""
    dask.threaded.default_pool, dask.threaded.pools_lock = None, threading.Lock()
    dask.threaded.pools.clear()
    for session in list(SESSIONS):
        session.pool = concurrent.futures.ThreadPoolExecutor(4, "marsdask-execute")
        session.restoring = threading.RLock()
        if not (session.engine.shared_memory or session.closed):
            session.closed = True
            engines.FORKED_FROM[:] = [os.getppid()]
    if engines.FORKED_FROM:
        from marsdask.engine.clusters import leave_to_parent

        leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)


ROOMY = 2 * 2**30
"""Bytes of memory of a thread from which on Dask may move arrays from worker to worker.

A matrix of three times the memory, in rows and wanted in columns, on two workers: of 2 GiB 63 s, and 175 by tasks; of 1 GiB and
512 MiB they were restarted again and again, with buffers of an eighth and less, too; by tasks 115 s and 61.
"""


def _cutting_anew(room: Room) -> dict[str, Any]:
    """Dask's settings for arrays that are cut anew where memory is short: no buffers of 1 GiB, no steps of 128 MiB.

    What somebody has set stays, as far as it is not more.
    """
    if room.memory >= ROOMY:
        return {}
    most = min(parse_bytes(dask.config.get("array.chunk-size")), int(room.chunk))
    method = dask.config.get("array.rechunk.method", None)
    return {"array.chunk-size": most, "array.rechunk.method": method or "tasks"}


class Session:
    """Runs expressions on an engine and knows their results while somebody holds them.

    Two are equal that are of one cluster and have one id.
    """

    def __init__(self, engine: Engine, *, session_id: str | None = None, timeout: float | None = None):
        self.engine = engine
        self._session_id = session_id or uuid.uuid4().hex
        self.timeout, self.closed = timeout, False
        self.results: weakref.WeakValueDictionary[str, Result] = weakref.WeakValueDictionary()
        self.runs: weakref.WeakSet[runs.Run] = weakref.WeakSet()
        # Threads that wait for a cluster cost nothing; those that start work here share its cores.
        self.pool = concurrent.futures.ThreadPoolExecutor(
            4 if engine.shared_memory else 32, "marsdask-execute"
        )
        self.restoring = threading.RLock()  # what is lost is run again once, however many threads miss it
        SESSIONS.add(self)

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self._where}, {self.engine.threads} at a time"
        return f"<Session {self.session_id[:8]}: {state}>"

    def _repr_html_(self) -> str:
        rows: dict[str, object] = {
            "Session": html.escape(self.session_id),
            "State": "closed" if self.closed else "open",
        }
        if not self.closed:
            rows |= {"Runs on": html.escape(self._where), "Tasks at a time": self.engine.threads}
            link = html.escape(self.dashboard_link or "")
            rows |= {"Dashboard": f'<a href="{link}">{link}</a>'} if link else {}
        cells = (f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
        return f"<table>{''.join(cells)}</table>"

    @property
    def _where(self) -> str:
        return "threads" if self.engine.shared_memory else self.address

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Session):
            return NotImplemented
        return self is other or (self.session_id, self.address) == (other.session_id, other.address)

    def __hash__(self) -> int:
        return hash(self.session_id)

    session_id = property(attrgetter("_session_id"), doc="Its name, by which it can be joined.")
    name = property(attrgetter("_session_id"), doc="Mars's other word for the id.")
    address = property(
        attrgetter("engine.address"), doc="The scheduler's address; on threads one that names this process."
    )

    @property
    def client(self) -> Any:
        """The distributed Client that the session works through; None on threads."""
        if engines.FORKED_FROM and self.closed:
            engines.check_process()
        return getattr(self.engine, "client", None)

    def _check_open(self) -> None:
        if self.closed:
            engines.check_process()
            raise SessionClosed("Session closed already. Hint: open another with marsdask.new_session().")

    def execute(
        self,
        *tileables: Any,
        wait: bool = True,
        show_progress: Any = None,
        warn_duplicated_execution: bool | None = None,
        fuse_enabled: bool | None = None,
        progress_update_interval: float = 1.0,
        extra_config: dict[str, Any] | None = None,
    ) -> Any:
        """Run one or several in one run: see `marsdask.execute`."""
        handles, bare = handles_of(tileables, "execute")
        self._check_open()
        check_waiting(wait, show_progress, progress_update_interval)
        named = {"warn_duplicated_execution": warn_duplicated_execution, "optimize.fuse": fuse_enabled}
        said = {name: value for name, value in named.items() if value is not None}
        values = of_block() | checked(_without_checks(extra_config)) | said
        # A bar beside what the program prints meanwhile is only shown to who asks for it.
        shown = show_progress if wait or show_progress is True else False
        run = runs.Run()

        def work() -> Any:
            self._check_open()
            self.runs.add(run)
            for handle in handles:
                self._check_mine(handle)
            bar = progress(run, False if inside() else shown, progress_update_interval)
            with option_context(values), within(runs.current, run), bar, self.active():
                retried(self.engine, lambda: self._bring(handles))
            return tileables[0] if bare or in_named(tileables) else handles

        if wait and self.timeout is None:
            return work()
        info = started(self.pool, work, handles, run)
        if not wait or self.timeout is None:
            return info
        try:
            return info.result(self.timeout)
        except TimeoutError:
            if info.done():  # the work's own
                raise
            info.cancel()
            raise TookTooLong.after(self.timeout) from None
        except BaseException:
            info.cancel()
            raise

    def _bring(self, handles: Sequence[Any]) -> None:
        """Run what has not run, or is lost, and let the handles hold it."""
        handles = [*handles, *_cached_below(handles)]
        restore(self, [h.node for h in handles], [r for h in handles for r in held(h)])
        todo = [(h, h.node) for h in handles if self.result_of(h) is None]
        alive = [self.results.get(token(n)) for _, n in todo]  # equal work that somebody holds is shared
        nodes = [n for (_, n), known in zip(todo, alive, strict=True) if known is None]
        nodes = list({token(s): s for n in nodes for s in with_siblings(n)}.values())
        if options.warn_duplicated_execution:
            self._warn_of_repeats(nodes)
        results = self.run(nodes)
        for handle, node in todo:
            if handle.node is node:  # not assigned to while it ran
                handle._result, handle._keep = self.results[token(node)], ()
                handle._group[:] = [self.results.get(token(n)) for n in with_siblings(node)]
                _set(node, "_meta", handle._result.meta)
        del alive, results

    def _warn_of_repeats(self, nodes: Sequence[Node]) -> None:
        """Warns of each node that has run before, by itself or below another one, and is not held."""
        for node in walk(
            nodes, lambda above: [n for n in inputs(above) if self.results.get(token(n)) is None]
        ):
            if token(node) in _submitted and meta(node).kind != "Tuple":
                again = registry.wrap(node).unexecuted_repr()
                warnings.warn(f"Tileable {again} has been submitted before", RuntimeWarning, stacklevel=4)
            _submitted.add(token(node))

    def _check_mine(self, handle: Handle) -> None:
        """An error where this handle's data live in another session."""
        for result in held(handle):
            if result.session is not self and not result.session.closed:
                raise WrongSession(
                    f"this {type(handle).__name__} was executed in {result.session!r} and cannot be used in {self!r}. "
                    "Hint: pass session= of the first, or fetch() the data."
                )

    def run(self, nodes: Sequence[Node]) -> list[Result]:
        """Run nodes and note their results, which live as long as the returned list or a handle holds them."""
        if not nodes:
            return []
        collections, kept = self._lowered(nodes)
        flat = {id(c): c for c in collections}
        done = dict(zip(flat, engines.persist(self.engine, list(flat.values()), kept), strict=True))
        results = [
            Result(self, done[id(c)].collection, exact(meta(n), *done[id(c)]), n)
            for n, c in zip(nodes, collections, strict=True)
        ]
        self.results.update((token(result.node), result) for result in results)
        return results

    def lowered(self, nodes: Sequence[Node]) -> tuple[list[Any], Kept]:
        """The Dask collections of `nodes`, after the passes, questions answered; and what the questions kept."""
        restore(self, nodes)
        return self._lowered(nodes)

    def _lowered(self, nodes: Sequence[Node]) -> tuple[list[Any], Kept]:
        work = self.lowering()
        with self.active(), dask.config.set(_cutting_anew(self.engine.room)):
            return work.run(passes.run(nodes, self._known)), work.kept

    def lowering(self) -> Lowering:
        room = self.engine.room
        spare = room.threads * room.memory / SPARE
        return Lowering(partial(engines.answer, self.engine), self.engine.shared_memory, spare)

    def _known(self, node: Node) -> Node | None:
        """A leaf that holds the executed data of `node`, where there are any."""
        result = self.results.get(token(node))
        if result is None or lost(self.engine, result):
            return None
        return leaf("result", result, result.meta, name=token(node))

    def result_of(self, handle: Any) -> Result | None:
        """The executed data of what a handle points at, in this session."""
        node = handle.node  # a view looks at its base first
        mine: Result | None = handle._result
        if mine is not None and mine.session is self:
            return mine
        if node.op == "item":  # a sibling was executed, perhaps
            handle._result = self.results.get(token(node))
        return handle._result if node.op == "item" else None

    def fetch(
        self, *tileables: Any, batch_size: int | None = None, extra_config: dict[str, Any] | None = None
    ) -> Any:
        """The data of one or several executed handles: see `marsdask.fetch`."""
        checked(_without_checks(extra_config))
        handles, bare = handles_of(tileables, "fetch")
        values = list(map(self.data_of, handles))
        return values[0] if bare else as_given(tileables, values)

    def data_of(self, handle: Any) -> Any:
        """The data of an executed handle: NumPy or pandas."""
        self._check_open()
        if self.result_of(handle) is None:
            self._check_mine(handle)
            if (part := self._slice_of_executed(handle.node)) is not None:
                return part
        result = self._executed(handle)
        run, quiet = runs.Run(), self.engine.shared_memory or inside()
        with within(runs.current, run), progress(run, False if quiet else None):
            value = retried(self.engine, partial(self._value, result))
        return handle.received(value, self)

    def _value(self, result: Result) -> Any:
        """The data of a result, which are run again where the cluster has lost them."""
        try:
            return self._fetched(self.intact(result).collection, result.meta)
        except NotPicklable as error:  # the engine knows of tasks only
            if not (names := functions_of(result.node)):
                raise
            what = f"the result of {', '.join(map(repr, names))}"
            raise NotPicklable.because(what, error.why, "to you") from error

    def _slice_of_executed(self, node: Node) -> Any:
        """The data of basic slices of executed data, where only those rows move; None where `node` is none."""
        below = node
        while "slice" in registry.lookup(below.op).traits and not self.results.get(token(below)):
            if any(isinstance(a, Node) for a in below.args[1:]):
                raise NotExecuted("Only support fetch data slices. Hint: call .execute() first.")
            below = below.args[0]
        if "slice" not in registry.lookup(node.op).traits or not self.results.get(token(below)):
            return None

        def run() -> Any:
            (collection,), kept = self.lowered([node])
            (done,) = engines.persist(self.engine, [collection], kept)
            return self._fetched(done.collection, exact(meta(node), *done))

        return retried(self.engine, run)

    def intact(self, result: Result) -> Result:
        """The same executed data, run again where the cluster has lost them."""
        restore(self, [], [result])
        return result

    def _fetched(self, collection: Any, known: Any) -> Any:
        # What arrives from another process is a copy; a function on a worker gets what the worker itself holds.
        shared = inside() or self.address.startswith("inproc://")
        return finished(collection, self.engine.values(data_of(collection)), known, shared=shared)

    def as_default(self) -> Self:
        """Make this the session that `execute()` uses, and return it. Inside of a task: for that task."""
        if inside():
            _chosen.set(self)
        else:
            _defaults[:] = [*(s for s in _defaults if s is not self and not s.closed), self]
        return self

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Inside the block, in this thread, this is the default session: what runs in a session works in it."""
        with within(_active, self), within(_chosen, None):
            yield

    def fetch_log(self, tileables: Sequence[Any], offsets: Any = None, sizes: Any = None) -> list[LogPart]:
        """What functions have printed so far, one part for each: see `marsdask.fetch_log`."""
        return [part_of(each, offsets, sizes) for each in tileables]

    def fetch_infos(self, *tileables: Any, fields: Sequence[str] | None = None) -> list[dict[str, list[Any]]]:
        """Of each executed handle a dict of lists, an entry for each chunk: see `marsdask.session.results.FIELDS`."""
        self._check_open()
        handles, _ = handles_of(tileables, "fetch_infos")
        results = [self.intact(self._executed(handle)) for handle in handles]
        return [of_chunks(self.client, self.address, result, fields) for result in results]

    def _executed(self, handle: Any) -> Result:
        result = self.result_of(handle)
        if result is None:
            self._check_mine(handle)
            raise NotExecuted(
                f"Cannot fetch unexecuted tileable: {handle.unexecuted_repr()}. Hint: call .execute() first."
            )
        return result

    @property
    def default(self) -> bool:
        """Whether `execute()` uses this session."""
        return get_default_session() is self

    def reset_default(self) -> None:
        """Be the default session no longer: the one before it is again, if it is open."""
        _defaults[:] = [s for s in _defaults if s is not self]

    def memory(self) -> Memory:
        """Limit, use and spilled bytes of each worker and its directories, as of its last heartbeat. Prints as a table."""
        self._check_open()
        if self.client is not None:
            workers = workers_of(self.client)
            return Memory({worker: WorkerMemory.of(told) for worker, told in workers.items()})
        from distributed.system import MEMORY_LIMIT  # the machine's, or the container's

        chunks = {id(part): part for r in list(self.results.values()) for part in data_of(r.collection)}
        data, process = sum(map(sizeof, chunks.values())), psutil.Process().memory_info().rss
        return Memory({self.address: WorkerMemory(MEMORY_LIMIT, process, min(data, process), 0)})

    def get_total_n_cpu(self) -> float:
        """How many tasks run at a time."""
        return float(self.engine.threads)

    def get_cluster_versions(self) -> list[str]:
        """The versions of marsdask that the workers have, each once; on threads this one."""
        self._check_open()
        if self.client is None:
            return [importlib.metadata.version("marsdask")]
        found = self.client.get_versions(packages=["marsdask"])["workers"]
        return sorted({str(worker["packages"]["marsdask"]) for worker in found.values()})

    @property
    def dashboard_link(self) -> str | None:
        """Where Dask's dashboard is, to open in a browser; None where there is none.

        Where connections are encrypted the link has the token that the pages ask for: whoever has it sees them.
        """
        web = self.get_web_endpoint()
        if web is None or not self.engine.dashboard:
            return None
        from marsdask.engine.address import with_token  # of clusters only

        return with_token(f"{web}/status", self.engine.web_token)

    def get_web_endpoint(self) -> str | None:
        """The http address of the cluster's web pages; None where there are none, as on threads."""
        self._check_open()
        if self.engine.web is not None:  # the one it was joined by
            return self.engine.web.rstrip("/")
        if self.client is None or "dashboard" not in self.client.scheduler_info(n_workers=0).get(
            "services", {}
        ):
            return None
        return str(self.client.dashboard_link).partition("?")[0].removesuffix("/status")

    web_endpoint = property(get_web_endpoint)

    def close(self) -> None:
        """Cancel what runs, forget the results, and end a cluster that was started for this session.

        A cluster that was joined goes on, and so do other sessions of it. Closing twice is fine.
        """
        if self.closed:
            return
        self.closed = True
        for run in list(self.runs):
            run.cancel()
        self.reset_default()
        self.results.clear()
        self.pool.shutdown(wait=False)
        self.engine.close()

    destroy = stop_server = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _without_checks(extra_config: Any) -> dict[str, Any]:
    """The options among what `extra_config` says. Mars's `check_...` ask whether what is known of a result before it runs agrees with
    its data; here what a run finds always takes the place of what was known.
    """
    given = {} if extra_config is None else checks.instance(extra_config, "extra_config", dict, "a dict")
    return {name: value for name, value in given.items() if not str(name).startswith("check_")}


def as_given(args: tuple[Any, ...], values: list[Any]) -> Any:
    """What was made of handles: as a named tuple where they came in one, else a list."""
    return getattr(args[0], "_plain", type(args[0]))(*values) if in_named(args) else values


def in_named(args: tuple[Any, ...]) -> bool:
    """Whether handles came in a named tuple, such as several results of one operation."""
    return len(args) == 1 and isinstance(args[0], tuple) and hasattr(args[0], "_fields")


def handles_of(args: tuple[Any, ...], name: str) -> tuple[list[Any], bool]:
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
