"""A call of a plain function: what the caller keeps of it, what travels, and how it is run.

Tensors and frames go into a function and come out of it without their data going along: it gets a handle over the caller's
computed chunks. What it returns is put together again in the caller's session: where it is an expression over an argument,
the argument becomes the caller's own again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import cloudpickle

from marsdask.engine.failures import refusal
from marsdask.errors import ArgumentError, ArgumentTypeError, Exited, NotPicklable
from marsdask.options import within
from marsdask.plan import graph, labels, registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, Rows
from marsdask.plan.node import Node, _set, leaf, mapped, rebuilt, token, walk
from marsdask.plan.passes import Swap, rewritten
from marsdask.plan.registry import lowered
from marsdask.remote.context import CURRENT, Context, dataset, session_here
from marsdask.session import Session
from marsdask.session.logs import Log, arrived, captured
from marsdask.session.results import Result, exact, finished, tasks_of

TRIES = 4
"""How often a function runs that may be tried again."""
TOPIC = "marsdask-log-"
"""Topic of the events, by session, that carry what functions print on workers."""
PIECE = 2**14
"""Characters of one such event at most: the scheduler keeps the last 1000 of a topic."""
PAUSE = 0.1
"""Seconds between events while a function prints."""


@dataclasses.dataclass(frozen=True, slots=True)
class Slot:
    """In the arguments of a call: where the value of an input goes."""

    number: int


@dataclasses.dataclass(eq=False, repr=False)
class Call:
    """A function and its arguments, as its node keeps them. Inputs stand in the node; here is a `Slot` for each."""

    func: Callable[..., Any]
    args: Any
    kwargs: Any
    tries: int
    resolve: bool
    n_output: int | None
    where: dict[str, Any]
    metas: list[Any]  # of inputs that are tensors or frames; None for objects
    tokens: list[str]

    def __post_init__(self) -> None:
        plain = labels.unwrapped(self.func)
        self.name = str(getattr(plain, "__name__", type(plain).__name__))
        self.log = Log()

    def __reduce__(self) -> Any:
        return Call, tuple(getattr(self, field.name) for field in dataclasses.fields(self))

    def __repr__(self) -> str:
        return self.name

    def _says(self) -> tuple[Any, ...]:
        """What its value follows from, beside its inputs: for `plan.signature`."""
        return self.func, self.args, self.kwargs, self.n_output, self.resolve

    def pickled(self) -> bytes:
        """Function and arguments as bytes, or an error that says what cannot be sent."""
        try:
            return bytes(cloudpickle.dumps((self.func, self.args, self.kwargs)))
        except Exception as error:  # pickling runs anybody's code
            named = {f"argument {i} of {self.name!r}": v for i, v in enumerate(self.args)}
            named |= {f"argument {k!r} of {self.name!r}": v for k, v in self.kwargs.items()}
            refused = (what for what, value in named.items() if refusal(value) is not None)
            raise NotPicklable.because(next(refused, f"function {self.name!r}"), error) from error


@dataclasses.dataclass(eq=False, slots=True)
class Handed:
    """An executed tensor or frame on its way to a function: its chunks, its metadata, the token of the caller's node."""

    collection: Any
    meta: Any
    token: str

    def __reduce__(self) -> Any:
        return _handed, (graph.bare(self.collection), self.meta, self.token)


def _handed(bare: Any, meta: Any, token: str) -> Handed:
    return Handed(graph.elsewhere(bare), meta, token)


def handed(call: Call, collections: dict[int, Any]) -> dict[int, Handed]:
    """Computed collections ready to be handed to a function, by the number of the input."""
    # Rows know what made them, with its data; the function only has to know which frames have the same ones.
    rows: dict[Rows, Rows] = {}
    found = {}
    for i, collection in collections.items():
        known = exact(call.metas[i], collection)
        if isinstance(known, FrameMeta):
            known = dataclasses.replace(known, rows=rows.setdefault(known.rows, Rows()))
        found[i] = Handed(collection, known, call.tokens[i])
    return found


def _executed(node: Node, session: Session, collection: Any, meta: Any) -> Any:
    handle = registry.wrap(node)
    result = Result(session, graph.made_by(collection, node), meta, node)
    handle._result = session.results[token(node)] = result
    return handle


@lowered("handed", sizes="any", status="delegated", meta=lambda argument: argument.value.meta)
def _lowered(argument: Any) -> Any:
    """The chunks of an argument of a function."""
    return argument.value.collection


@dataclasses.dataclass(eq=False, slots=True)
class Returned:
    """A tensor, frame or object on its way out of a function: the expression, and its chunks where it was executed."""

    node: Node
    bare: Any
    meta: Any
    dataset: str


def packed(value: Any, session: Session, name: str, tell: Callable[[str], None]) -> Any:
    """A function's result as it leaves a worker: handles packed, executed data published for whoever gets them.

    `tell` gets the name of what was published: it is the caller who takes it back when nobody needs it.
    """
    from distributed import Future

    shared = dataset(session, name)
    futures: dict[Any, Any] = {}

    def pack(value: Any) -> Any:
        if not isinstance(value, Handle):
            return value
        node, result = value.node, value._result
        if result is None:
            return Returned(node, None, None, "")
        collection = result.collection
        for held in map(graph.data_of, tasks_of(collection)):
            futures[held.key] = held if isinstance(held, Future) else Future(held.key)  # of the caller's own
        return Returned(node, graph.bare(collection), result.meta, shared)

    result = mapped(value, pack)
    if futures:
        client = session.client
        with contextlib.suppress(KeyError):
            client.unpublish_dataset(shared)  # of an earlier run
        client.publish_dataset(list(futures.values()), name=shared)
        tell(shared)
    return result


def received(value: Any, session: Session, arguments: Node | None) -> Any:
    """A function's result as somebody gets it who may know the nodes of its arguments."""
    own: dict[str, Node] = {}
    published: dict[str, dict[Any, Any]] = {}

    def unpack(got: Any) -> Any:
        if not isinstance(got, Returned):
            return got
        if arguments is not None and not own:
            own.update({token(n): n for n in walk([arguments])})
        (node,) = rewritten([got.node], walk([got.node]), functools.partial(_instead, own))
        if got.bare is not None and token(node) not in session.results:
            if got.dataset not in published:
                futures = session.client.get_dataset(got.dataset, default=[])
                published[got.dataset] = {future.key: future for future in futures}
            held = published[got.dataset]
            if all(key in held for key in graph.keys_of(got.bare)):  # else the expression is run again
                computed = graph.holding(got.bare, held, graph.sizes_of(got.bare))
                return _executed(node, session, computed, got.meta)
        handle = registry.wrap(node)
        handle._result = session.results.get(token(node))
        return handle

    return mapped(value, unpack)


def _instead(own: Mapping[str, Node], node: Node, swap: Swap) -> Node:
    """What a function was handed as what it is here; what is made of that has another token, and the same metadata."""
    if node.op == "handed" and (mine := own.get(node.args[0].name)) is not None:
        return mine
    new = rebuilt(node, swap)
    if new is not node:
        _set(new, "_meta", node._meta)
    return new


class Job:
    """The task of a call, in the session's process. `inputs`: how to get each value from what the task was given."""

    def __init__(self, call: Call, inputs: list[Any], session: Session):
        self.name, self.tries, self.n_output, self.inputs = call.name, call.tries, call.n_output, inputs
        self.call: Any = call
        self._session: Any = session

    def place(self) -> tuple[Session, Listener]:
        """The session that the function is part of, and who listens to it."""
        return self._session, Listener(self.call.log.name)

    def loaded(self) -> tuple[Any, Any, Any]:
        return self.call.func, self.call.args, self.call.kwargs

    def result(self, value: Any, session: Session, listener: Listener) -> Any:
        return value

    def __call__(self, *given: Any) -> Any:
        session, listener = self.place()
        context = Context(session, self.name, listener)
        with session.active(), within(CURRENT, context), captured(listener.write):
            try:
                values = [self._value(i, g, session) for i, g in zip(self.inputs, given, strict=True)]
                outputs = _outputs(self._tried(values), self.n_output, self.name)
                return self.result(outputs, session, listener)
            finally:
                listener.close()

    def _value(self, how: Any, given: Any, session: Session) -> Any:
        if isinstance(how, Handed):
            node = leaf("handed", how, how.meta, name=how.token)
            return _executed(node, session, how.collection, how.meta)
        return (
            received(graph.owned(given[0]), session, None) if how is None else finished(how[0], given, how[1])
        )

    def _tried(self, values: list[Any]) -> Any:
        func, args, kwargs = self.loaded()

        def fill(part: Any) -> Any:
            return values[part.number] if type(part) is Slot else part

        for left in reversed(range(self.tries)):
            try:
                return func(*mapped(args, fill), **mapped(kwargs, fill))
            except SystemExit as end:
                raise Exited.by(self.name, end) from end
            except Exception as error:
                if not left:
                    times = f", tried {self.tries} times" if self.tries > 1 else ""
                    error.add_note(f"marsdask: raised in {self.name!r}, which remote.spawn ran{times}")
                    raise
        raise ArgumentError(f"tries={self.tries}: expected 1 or more")


class Travelling(Job):
    """The task of a call on a worker of a cluster."""

    def __init__(self, call: Call, inputs: list[Any], session: Session):
        super().__init__(call, inputs, session)
        self.call, self._session = call.pickled(), session.session_id
        self.log = call.log.name

    def place(self) -> tuple[Session, Listener]:
        return session_here(self._session), Sender(self.log, self._session)

    def loaded(self) -> tuple[Any, Any, Any]:
        return cloudpickle.loads(self.call)  # type: ignore[no-any-return]

    def result(self, value: Any, session: Session, listener: Listener) -> Any:
        return packed(value, session, self.log, listener.published)


def _outputs(result: Any, count: int | None, name: str) -> Any:
    """The result, as a list where the caller has said how many there are."""
    if count is None:
        return result
    if not isinstance(result, Iterable):
        raise ArgumentTypeError(
            f"n_output={count}: expected {name!r} to return {count} values, got {type(result).__name__}."
        )
    values = list(result)
    if len(values) != count:
        raise ArgumentError(f"n_output={count}: {name!r} returned {len(values)} values.")
    return values


class Listener:
    """Takes what a function prints and how far it says it is, in the caller's process."""

    def __init__(self, log: str):
        self.log = log

    def write(self, text: str) -> None:
        arrived(self.log, text)

    def progress(self, value: float) -> None:
        arrived(self.log, "", value)

    def published(self, dataset: str, *, lasting: bool = False) -> None:
        """The caller has its own data; only what a worker keeps needs a name."""

    def close(self) -> None:
        """Nothing waits to be sent."""


class Sender(Listener):
    """The same on a worker: sends events, a few a second while there is something to send."""

    def __init__(self, log: str, session_id: str):
        from distributed import get_worker

        super().__init__(log)
        self.worker = get_worker()
        self.topic = TOPIC + session_id
        self.lock = threading.Lock()
        self.pending: list[str] = []
        self.waiting = False

    def write(self, text: str) -> None:
        with self.lock:
            self.pending.append(text)
            start, self.waiting = not self.waiting, True
        if start:
            self.worker.loop.add_callback(self.worker.loop.call_later, PAUSE, self.flush)

    def flush(self) -> None:
        with self.lock:
            text, self.waiting = "".join(self.pending), False
            self.pending.clear()
            for start in range(0, len(text), PIECE):
                self.send(text=text[start : start + PIECE])

    def send(self, *, text: str = "", **event: Any) -> None:
        self.worker.log_event(self.topic, {"log": self.log, "text": text, **event})

    def progress(self, value: float) -> None:
        self.send(progress=value)

    def published(self, dataset: str, *, lasting: bool = False) -> None:
        self.send(dataset=dataset, lasting=lasting)

    close = flush


def hear(engine: Any, event: dict[str, Any]) -> None:
    """Take an event that a `Sender` sent. What a function has published lasts as long as its call, or the session."""
    log = arrived(event["log"], event["text"], event.get("progress"), engine)
    if dataset := event.get("dataset"):
        if event["lasting"] or log is not None:
            engine.own(dataset)
        if not event["lasting"] and log is not None:
            weakref.finalize(log, engine.forget, dataset)


def task_of(call: Call, inputs: list[Any], arguments: dict[int, Handed], session: Session) -> graph.Chunks:
    """The one task of a call. `inputs` are Dask collections, `arguments` what is handed over without its data."""
    how: list[Any] = [arguments.get(i) for i in range(len(inputs))]  # of an object its value
    given = [None if i in arguments else collection for i, collection in enumerate(inputs)]
    if call.resolve:
        for i, argument in arguments.items():
            how[i], given[i] = (graph.bare(argument.collection), argument.meta), argument.collection
    if graph.in_one_process():
        call.log.source = None
        job = Job(call, how, session)
    else:
        call.log.source = session.engine
        session.engine.listen(TOPIC + session.session_id, functools.partial(hear, session.engine))  # type: ignore[attr-defined]
        job = Travelling(call, how, session)
    return graph.value(job, *given, where=call.where)
