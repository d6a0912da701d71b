"""Stateful objects: each lives in one place, and functions anywhere call its methods, one at a time."""

from __future__ import annotations

import asyncio
import inspect
import threading
import traceback
from typing import Any

from marsdask.engine.failures import made_whole
from marsdask.errors import Exited, NotPicklable, TaskFailed

Parcel = tuple[bool, bytes, list[Any]]
"""Whether it is a result and no exception; the pickle of it, and buffers beside that."""


class Home:
    """Where a stateful object lives."""

    def __init__(self, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.object = kind(*args, **kwargs)
        self.lock = threading.RLock()

    def look(self, name: str) -> tuple[bool, Any]:
        """Whether the object has a method of that name; else the value that it has."""
        with self.lock:
            found = getattr(self.object, name)
        return (True, None) if callable(found) else (False, found)

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self.lock:
            given = getattr(self.object, name)(*args, **kwargs)
            return asyncio.run(_waited(given)) if inspect.isawaitable(given) else given


class Actor(Home):
    """The same for Dask, whose callers wait for ever where what a method gives or raises cannot be sent: all of it is, here."""

    def parcel_of(self, name: str, *words: Any) -> Parcel:
        """What a method of ours, of that name, gives."""
        called = f"{type(self.object).__name__}.{words[0]}"
        try:
            given = getattr(self, name)(*words)
        except (SystemExit, KeyboardInterrupt) as end:
            return _parcel(Exited.by(called, end), False)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller gets it
            frames = "".join(traceback.format_tb(error.__traceback__))
            if TaskFailed.is_uncatchable(error):
                return _parcel(TaskFailed.uncatchable(called, repr(error), frames), False)
            try:
                return _parcel(error, False)
            except Exception:  # noqa: BLE001 - pickling runs anybody's code
                return _parcel(TaskFailed.unpicklable(called, repr(error), frames), False)
        try:
            return _parcel(given, True)
        except Exception as error:  # noqa: BLE001 - pickling runs anybody's code
            return _parcel(NotPicklable.because(f"the result of {called!r}", error, "to you"), False)


class Proxy:
    """Calls the methods of a stateful object, and gives back what they give. `home`: a `Home`, or Dask's stand-in for an `Actor`."""

    def __init__(self, name: str, home: Any):
        self._name, self._home = name, home
        self._methods: set[str] = set()

    def __repr__(self) -> str:
        return f"<remote object {self._name!r}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._methods:
            is_method, value = self._ask("look", name)
            if not is_method:
                return value
            self._methods.add(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._ask("call", name, args, kwargs)

        return call

    def _ask(self, what: str, *words: Any) -> Any:
        if isinstance(self._home, Home):
            return getattr(self._home, what)(*words)
        from distributed.protocol import pickle

        is_result, data, buffers = self._home.parcel_of(what, *words).result()
        value = pickle.loads(data, buffers=buffers)
        if is_result:
            return value
        made_whole(value)
        raise value


async def _waited(given: Any) -> Any:
    return await given


def _parcel(value: Any, is_result: bool) -> Parcel:
    from distributed.protocol import pickle

    buffers: list[Any] = []
    data = pickle.dumps(value, buffer_callback=buffers.append)
    if not is_result:
        pickle.loads(data, buffers=buffers)  # of exceptions some can be pickled only
    return is_result, data, buffers
