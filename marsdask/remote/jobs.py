"""A call of a plain function: what the caller keeps of it, what travels, and how it is run."""

from __future__ import annotations

import dataclasses
import functools
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import cloudpickle

from marsdask.engine.failures import refusal
from marsdask.errors import ArgumentError, ArgumentTypeError, Exited, NotPicklable
from marsdask.plan import graph, labels
from marsdask.remote.context import Context, running
from marsdask.remote.entities import Handed, mapped, packed, received
from marsdask.remote.worker import session_here
from marsdask.session import Session
from marsdask.session.logs import Log, arrived, captured
from marsdask.session.results import finished

TRIES = 4
"""How often a function runs that may be tried again."""
TOPIC = "marsdask-log-"
"""Topic of the events, by session, that carry what functions print on workers."""
PIECE = 2**14
"""Characters of one such event at most: the scheduler keeps the last 1000 of a topic."""
PAUSE = 0.1
"""Seconds between events while a function prints."""


class Slot:
    """In the arguments of a call: where the value of an input goes."""

    __slots__ = ("number",)

    def __init__(self, number: int):
        self.number = number


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
        """What its value follows from, beside its inputs."""
        return self.func, self.args, self.kwargs, self.n_output, self.resolve

    def pickled(self) -> bytes:
        """Function and arguments as bytes, or an error that says what cannot be sent."""
        try:
            return bytes(cloudpickle.dumps((self.func, self.args, self.kwargs)))
        except Exception as error:  # pickling runs anybody's code
            raise NotPicklable.because(self._culprit(), error) from error

    def _culprit(self) -> str:
        named = {f"argument {i} of {self.name!r}": v for i, v in enumerate(self.args)}
        named |= {f"argument {k!r} of {self.name!r}": v for k, v in self.kwargs.items()}
        refused = (what for what, value in named.items() if refusal(value) is not None)
        return next(refused, f"function {self.name!r}")


class Job:
    """The task of a call, in the session's process. `inputs`: how to get each value from what the task was given."""

    def __init__(self, call: Call, inputs: list[Any], session: Session):
        self.name, self.tries, self.n_output = call.name, call.tries, call.n_output
        self.inputs = inputs
        self.call: Any = call
        self._session: Any = session

    def session(self) -> Session:
        return self._session  # type: ignore[no-any-return]

    def loaded(self) -> tuple[Any, Any, Any]:
        return self.call.func, self.call.args, self.call.kwargs

    def listener(self) -> Listener:
        return Listener(self.call.log.name)

    def result(self, value: Any, session: Session, listener: Listener) -> Any:
        return value

    def __call__(self, *given: Any) -> Any:
        session, listener = self.session(), self.listener()
        context = Context(session, self.name, listener)
        with session.active(), running(context), captured(listener.write):
            try:
                values = [self._value(i, g, session) for i, g in zip(self.inputs, given, strict=True)]
                result = self._tried(values)
                return self.result(outputs(result, self.n_output, self.name), session, listener)
            finally:
                listener.close()

    def _value(self, how: Any, given: Any, session: Session) -> Any:
        if isinstance(how, Handed):
            return how.handle(session)
        if how is None:
            return received(given[0], session, None)
        return finished(how[0], given, how[1])

    def _tried(self, values: list[Any]) -> Any:
        func, args, kwargs = self.loaded()

        def fill(leaf: Any) -> Any:
            return values[leaf.number] if type(leaf) is Slot else leaf

        for left in reversed(range(self.tries)):
            try:
                return func(*mapped(args, fill), **mapped(kwargs, fill))
            except SystemExit as end:
                raise Exited.by(self.name, end.code) from end
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

    def session(self) -> Session:
        return session_here(self._session)

    def loaded(self) -> tuple[Any, Any, Any]:
        return cloudpickle.loads(self.call)  # type: ignore[no-any-return]

    def listener(self) -> Listener:
        return Sender(self.log, self._session)

    def result(self, value: Any, session: Session, listener: Listener) -> Any:
        return packed(value, session, self.log, listener.published)


def outputs(result: Any, count: int | None, name: str) -> Any:
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
        return None

    def close(self) -> None:
        return None


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
                self.worker.log_event(self.topic, {"log": self.log, "text": text[start : start + PIECE]})

    def progress(self, value: float) -> None:
        self.worker.log_event(self.topic, {"log": self.log, "text": "", "progress": value})

    def published(self, dataset: str, *, lasting: bool = False) -> None:
        self.worker.log_event(
            self.topic, {"log": self.log, "text": "", "dataset": dataset, "lasting": lasting}
        )

    close = flush


def hear(engine: Any, event: dict[str, Any]) -> None:
    """Take an event that a `Sender` sent. What a function has published lasts as long as its call, or the session."""
    log = arrived(event["log"], event["text"], event.get("progress"), engine)
    if dataset := event.get("dataset"):
        if event["lasting"] or log is not None:
            engine.published.add(dataset)
        if not event["lasting"] and log is not None:
            weakref.finalize(log, engine.forget, dataset)


def task_of(call: Call, inputs: list[Any], arguments: list[Handed | None], session: Session) -> graph.Chunks:
    """The one task of a call. `inputs` are Dask collections, `arguments` what is handed over without its data."""
    how: list[Any] = []
    given: list[Any] = []
    for collection, argument in zip(inputs, arguments, strict=True):
        if argument is None:  # an object: its value
            how.append(None)
            given.append(collection)
        elif call.resolve:
            how.append((graph.bare(argument.collection), argument.meta))
            given.append(argument.collection)
        else:
            how.append(argument)
            given.append(None)
    if graph.in_one_process():
        call.log.source = None
        job = Job(call, how, session)
    else:
        call.log.source = session.engine
        session.engine.listen(TOPIC + session.session_id, functools.partial(hear, session.engine))  # type: ignore[attr-defined]
        job = Travelling(call, how, session)
    return graph.placed(job, *given, where=call.where)
