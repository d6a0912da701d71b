"""Stateful objects of a session, one by each name: on threads in this process, on a cluster as Dask's actors."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ObjectNotFound, near
from marsdask.session import Session


class Proxy:
    """Calls the methods of a stateful object, one at a time, and gives back what they give."""

    def __init__(self, name: str, target: Any, lock: Any = None):
        self._name, self._target, self._lock = name, target, lock

    def __repr__(self) -> str:
        return f"<remote object {self._name!r}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self._target, name)
        if not callable(method):
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._lock is None:
                return method(*args, **kwargs).result()
            with self._lock:
                return method(*args, **kwargs)

        return call


_here: weakref.WeakKeyDictionary[Session, dict[str, Proxy]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def create(session: Session, name: str, kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
    """A new object by that name."""
    if not isinstance(name, str) or not name:
        raise ArgumentTypeError(f"create_remote_object(name={name!r}): expected a text.")
    checks.instance(kind, "create_remote_object(object_cls=)", type, "a class")
    taken = ArgumentError(f"create_remote_object(name={name!r}): there is one by that name in this session.")
    if (client := session.client) is None:
        with _lock:
            mine = _here.setdefault(session, {})
            if name in mine:
                raise taken
            mine[name] = Proxy(name, kind(*args, **kwargs), threading.RLock())
            return mine[name]
    from distributed import wait

    key = dataset(session, name)
    if key in client.list_datasets():
        raise taken
    with session.engine.waiting():  # type: ignore[attr-defined]
        future = client.submit(kind, *args, **kwargs, actor=True, pure=False)
        with client.as_current():
            wait(future)
    try:
        client.publish_dataset(future, name=key)
    except KeyError:
        raise taken from None
    return Proxy(name, future.result())


def get(session: Session, name: str) -> Proxy:
    """The object of that name."""
    if session.client is None:
        mine = _here.get(session, {})
        if name not in mine:
            raise ObjectNotFound.by(name, near(name, mine))
        return mine[name]
    try:
        future = session.client.get_dataset(dataset(session, name))
    except KeyError:
        raise ObjectNotFound.by(name) from None
    return Proxy(name, future.result())


def destroy(session: Session, name: str) -> None:
    """Forget the object of that name."""
    get(session, name)
    if session.client is None:
        del _here[session][name]
    else:
        session.client.unpublish_dataset(dataset(session, name))


def dataset(session: Session, name: str) -> str:
    """What a cluster knows the object by."""
    return f"marsdask-{session.session_id}-{name}"
