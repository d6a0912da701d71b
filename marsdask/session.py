"""Sessions: where expressions run and where their results live.

A result is held by the handles that point at its node, and by unexecuted handles that will read it; the session knows
results only weakly, so data are freed with the last handle.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import contextlib
import sys
import threading
import uuid
import warnings
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import dask
import numpy as np

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
from marsdask.lower import Lowering
from marsdask.meta import FrameMeta, ObjectMeta, TensorMeta, TupleMeta, meta
from marsdask.node import Data, Node, _set, token
from marsdask.options import option_context, options


class Result:
    """Executed data: a collection over computed chunks, and the metadata a run has made exact."""

    __slots__ = ("__weakref__", "collection", "meta", "session")

    def __init__(self, session: Session, collection: Any, known: Any):
        self.session, self.collection, self.meta = session, collection, known

    def __reduce__(self) -> Any:
        raise WrongSession(
            "executed data cannot be pickled. Hint: fetch() it, or pickle the unexecuted expression."
        )


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

    def execute(self, *handles: Lazy, show_progress: Any = None) -> None:
        """Run what `handles` point at, in one run, and hold the results. Results that are there are not run again."""
        self._check_open()
        for handle in handles:
            handle.check_session(self)
        todo = [(h, h.node) for h in handles if self.result_of(h) is None]
        alive = [self.results.get(token(n)) for _, n in todo]  # equal work that somebody holds is shared
        nodes = [n for (_, n), known in zip(todo, alive, strict=True) if known is None]
        nodes = list({token(s): s for n in nodes for s in _with_siblings(n)}.values())
        if options.warn_duplicated_execution:
            _warn_duplicated(nodes)
        with progress(self.engine, show_progress):
            results = self._run(nodes)
        for handle, node in todo:
            if handle.node is node:  # not assigned to while it ran
                handle._result, handle._keep = self.results[token(node)], ()
                handle._group[:] = [self.results.get(token(n)) for n in _with_siblings(node)]
                _set(node, "_meta", handle._result.meta)
        del alive, results

    def _run(self, nodes: Sequence[Node]) -> list[Result]:
        """Run nodes and note their results, which live as long as the returned list or a handle holds them."""
        if not nodes:
            return []
        collections, kept = self.lowered(nodes)
        flat = list({id(c): c for c in collections}.values())
        done = dict(zip(map(id, flat), engines.persist(self.engine, flat, kept), strict=True))
        results = [
            Result(self, done[id(c)], _exact(meta(n), done[id(c)]))
            for n, c in zip(nodes, collections, strict=True)
        ]
        for node, result in zip(nodes, results, strict=True):
            self.results[token(node)] = result
        return results

    def lowered(self, nodes: Sequence[Node]) -> tuple[list[Any], engines.Kept]:
        """The Dask collections of `nodes`, after the passes, questions answered; and what the questions kept."""
        bound = passes.replaced(nodes, self._known)
        work = self.lowering()
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

    def result_of(self, handle: Lazy) -> Result | None:
        """The executed data of what a handle points at, in this session."""
        node = handle.node
        mine: Result | None = handle._result
        if mine is not None and mine.session is self:
            return mine
        if node.op == "item":  # a sibling was executed
            handle._result = self.results.get(token(node))
            return handle._result
        return None

    def fetch(self, handle: Lazy) -> Any:
        """The data of an executed handle: NumPy or pandas."""
        self._check_open()
        result = self.result_of(handle)
        if result is None:
            handle.check_session(self)
            part = self._slice_of_executed(handle.node)
            if part is None:
                raise NotExecuted(
                    f"Cannot fetch unexecuted tileable: {handle.unexecuted_repr()}. Hint: call .execute() first."
                )
            return part
        return self.value_of(result.collection, result.meta)

    def value_of(self, collection: Any, known: Any) -> Any:
        parts = self.engine.values([graph.data_of(t) for t in _tasks_of(collection)])
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
        return self.value_of(done, _exact(meta(node), done))

    def as_default(self) -> Self:
        """Make this the session that `execute()` uses, and return it."""
        global _default
        _default = self
        return self

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


def _tasks_of(collection: Any) -> list[Any]:
    keys = graph.keys_of(collection)
    tasks = collection.tasks if isinstance(collection, graph.Chunks) else collection.dask
    return [tasks[k] for k in keys]


def finished(collection: Any, parts: list[Any], known: Any) -> Any:
    """What a user gets of fetched chunks."""
    if not isinstance(collection, graph.Chunks):
        whole = engines.assembled(collection, parts)
        if not known.shape:
            return whole[()] if isinstance(whole, np.ndarray) else whole
        return np.asarray(whole, order=known.order if known.order == "F" else None)
    return graph.concat(parts) if isinstance(known, FrameMeta) else parts[0]


def _exact(known: Any, collection: Any) -> Any:
    """Metadata with the sizes that a run has found."""
    if isinstance(known, TensorMeta):
        return TensorMeta(tuple(collection.shape), known.dtype, known.order)
    if isinstance(known, FrameMeta):
        length = sum(collection.lengths) if collection.known else known.length
        return FrameMeta(known.empty, length, known.rows, known.ranged)
    return known


def _with_siblings(node: Node) -> list[Node]:
    """The node, and the other results of the same operation where it has several."""
    if node.op != "item":
        return [node]
    parent, mine = node.args
    known = meta(parent)
    count = len(known.items) if isinstance(known, TupleMeta) else 1
    return [node if i == mine else Node("item", (parent, i)) for i in range(count)]


def _warn_duplicated(nodes: Sequence[Node]) -> None:
    for node in nodes:
        if token(node) in _submitted:
            warnings.warn(f"Tileable {node!r} has been submitted before", RuntimeWarning, stacklevel=4)
        _submitted.add(token(node))


_submitted: set[str] = set()


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
        return 1.0 if self.done() else 0.0

    def cancel(self) -> bool:
        return self._future.cancel()

    def __await__(self) -> Any:
        import asyncio

        return asyncio.wrap_future(self._future).__await__()


class Lazy(Handle):
    """What all handles that can run have in common."""

    __slots__ = ("_collection",)
    _collection: tuple[Node, Any]
    known_kwargs: ClassVar[tuple[str, ...]] = (
        "session",
        "wait",
        "show_progress",
        "progress_update_interval",
        "warn_duplicated_execution",
        "fuse_enabled",
        "extra_config",
    )

    def check_session(self, session: Session) -> None:
        """An error where this handle's data live in another session."""
        for result in held(self):
            if result.session is not session and not result.session.closed:
                raise WrongSession(
                    f"this {type(self).__name__} was executed in {result.session!r} and cannot be used in {session!r}. "
                    "Hint: pass session= of the first, or fetch() the data."
                )

    def execute(self, session: Session | None = None, **kwargs: Any) -> Any:
        """Run, hold the result, and return self. `wait=False` returns an ExecutionInfo."""
        return execute(self, session=session, **kwargs)

    def fetch(self, session: Session | None = None, **kwargs: Any) -> Any:
        """The data as NumPy or pandas. Raises ValueError if this was not executed."""
        return fetch(self, session=session, **kwargs)

    def is_executed(self) -> bool:
        """Whether the data are there."""
        node = self.node
        result = self._result
        if result is None and node.op == "item" and _default is not None:
            result = _default.result_of(self)
        return result is not None and not result.session.closed

    def unexecuted_repr(self) -> str:
        node = self.node
        return f"{type(self).__name__} <op={node.op}, key={token(node)}>"

    @property
    def known(self) -> Any:
        """The metadata: exact after execute()."""
        node = self.node
        return self._result.meta if self._result is not None else meta(node)

    def _run_and_fetch(self, session: Session | None = None) -> Any:
        """The data, running first where that has not happened."""
        if not self.is_executed():
            self.execute(session=session)
        return self.fetch(session=session)

    def explain(self, **kwargs: Any) -> str:
        """What this is and what will run: see `marsdask.explain`."""
        from marsdask.explain import explain

        return explain(self, **kwargs)

    def collection(self) -> Any:
        """The Dask collection this lowers to; questions it asks are answered now. The same until it is rebound."""
        node = self.node
        cached = getattr(self, "_collection", None)
        if cached is None or cached[0] is not node:
            session = self._result.session if self._result is not None else get_default_or_create()
            if self._result is not None:
                return self._result.collection
            (collection,), kept = session.lowered([node])
            if kept:
                (collection,) = (graph.settled(collection, kept),)
            cached = self._collection = (node, collection)
        return cached[1]

    # Dask's collection protocol.
    def __dask_graph__(self) -> Any:
        return self.collection().__dask_graph__()

    def __dask_keys__(self) -> Any:
        return self.collection().__dask_keys__()

    def __dask_layers__(self) -> Any:
        return self.collection().__dask_layers__()

    def __dask_tokenize__(self) -> Any:
        return token(self.node)

    @property
    def __dask_optimize__(self) -> Any:
        return type(self.collection()).__dask_optimize__

    @property
    def __dask_scheduler__(self) -> Any:
        return type(self.collection()).__dask_scheduler__

    def __dask_postcompute__(self) -> Any:
        return self.collection().__dask_postcompute__()

    def __dask_postpersist__(self) -> Any:
        rebuild, args = self.collection().__dask_postpersist__()
        return _persisted, (rebuild, args, self.node)

    def compute(self, **kwargs: Any) -> Any:
        """Dask's own spelling: the data, through `dask.compute`."""
        (result,) = dask.compute(self, traverse=False, **kwargs)
        return result

    def persist(self, **kwargs: Any) -> Any:
        """Dask's own spelling: the same handle over computed chunks, through `dask.persist`."""
        (result,) = dask.persist(self, traverse=False, **kwargs)
        return result

    def visualize(self, filename: str = "marsdask", **kwargs: Any) -> Any:
        """Draw the Dask graph (needs graphviz)."""
        return dask.visualize(self, filename=filename, traverse=False, **kwargs)


def _persisted(dsk: Any, rebuild: Any, args: Any, node: Node, **kwargs: Any) -> Any:
    collection = rebuild(dsk, *args, **kwargs)
    leaf = Node("from_dask", (Data(collection),))
    _set(leaf, "_meta", meta(node))
    return registry.wrap(leaf)


@registry.operation("result", room="engine", sizes="any", status="delegated")
def _result(data: Any) -> Any:
    """Executed data."""
    return data.value.collection


@registry.operation(
    "item", room="engine", sizes="any", status="delegated", meta=lambda several, i: several.items[i]
)
def _item(several: Any, i: int) -> Any:
    """One of several results."""
    return several[i]


def _from_dask_meta(data: Any) -> Any:
    collection = data.value
    if isinstance(collection, graph.Chunks) and collection.node is not None:
        return meta(collection.node)
    return TensorMeta(tuple(collection.shape), np.dtype(collection.dtype))


@registry.operation("from_dask", room="engine", sizes="any", status="delegated", meta=_from_dask_meta)
def _from_dask(data: Any) -> Any:
    """A Dask collection of the user's."""
    return data.value


def _eager(handle: Any) -> None:
    if options.eager_mode and isinstance(handle, Lazy) and not isinstance(meta(handle.node), ObjectMeta):
        with option_context({"eager_mode": False}):
            handle.execute()


registry.READY.append(_eager)

_default: Session | None = None
_lock = threading.Lock()


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
            raise ArgumentError("new_session(address=, n_worker=, n_cpu=): counts start a cluster, an address joins one.")
        engine: Engine = engines.connected(address)
    elif n_worker is not None or n_cpu is not None:
        workers = n_worker or 1
        engine = engines.started(workers, max(1, (n_cpu or workers) // workers))
    else:
        engine = Threads()
    session = Session(engine, session_id=session_id)
    return session.as_default() if default else session


def get_default_session() -> Session | None:
    """The session `execute()` uses, if there is one."""
    return _default


def get_default_or_create() -> Session:
    """The session `execute()` uses: threads in this process if nobody made another."""
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
    bare = len(args) == 1 and isinstance(args[0], Lazy)
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = tuple(args[0])
        bare = name == "fetch" and len(args) == 1
    for each in args:
        if not isinstance(each, Lazy):
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
            where = result.session if result is not None else _default
        if where is None:
            raise NotExecuted(
                f"No session found: nothing was executed yet. Cannot fetch unexecuted tileable: {handle.unexecuted_repr()}."
            )
        values.append(where.fetch(handle))
    return values[0] if bare else values
