"""Remote objects: values that many tasks read, kept once in a file."""

from __future__ import annotations

import functools
import pickle
import threading
from typing import Any

from marsdask import pickles, stored
from marsdask.errors import BadStorage
from marsdask.plan import code
from marsdask.remote.durable.storage import Storage

_lock = threading.RLock()


@functools.lru_cache(64)
def _loaded(storage: Storage, name: str) -> Any:
    found = storage.whole("objects", name, large=True)
    if isinstance(found, stored.Broken):
        raise BadStorage.at(storage.url, f"objects/{name}: {found.reason}", "make the remote object again")
    return pickle.loads(found.body)


class RemoteObject:
    """A value in a file named by its content. It is written when this is pickled first, and travels as the file's name.

    `value` (or `data`) is the value, read at most once by a process; `written` whether the file is there, `loaded` whether the
    value is in this process.
    """

    def __init__(self, storage: Storage, value: Any):
        self._storage, self._value = storage, value
        self._name: str | None = None
        self.loaded, self.written = True, False

    @classmethod
    def _of(cls, storage: Storage, name: str) -> RemoteObject:
        made = cls(storage, None)
        made._name, made.loaded, made.written = name, False, True
        return made

    def __repr__(self) -> str:
        return f"<RemoteObject {self._name or 'unwritten'}: {'written' if self.written else 'here'}>"

    @property
    def value(self) -> Any:
        """The value. Who changes it in place changes it for this process alone."""
        if not self.loaded:
            with _lock:  # threads that ask at once read it once
                self._value = _loaded(self._storage, str(self._name))
                self.loaded = True
        return self._value

    data = value

    def _write(self) -> str:
        if not self.written:
            walk = code.Walk(self._value)
            self._name = code.key_of(walk.parts)
            if isinstance(self._storage.whole("objects", self._name), stored.Broken):
                pickled = pickles.taking_along(self._value, walk.modules.values())
                self._storage.make("objects")
                self._storage.put_whole("objects", self._name, pickled, {})
            self.written = True
        return str(self._name)

    def __reduce__(self) -> Any:
        return RemoteObject._of, (self._storage, self._write())

    def __dask_tokenize__(self) -> Any:
        """What names it: its value, wherever the file is."""
        if self._name is None:
            self._name = code.code_key(self._value)
        return ("marsdask.RemoteObject", self._name)
