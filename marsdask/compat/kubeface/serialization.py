"""How tasks, results and their like become bytes: cloudpickle, which takes the user's modules along; kubeface had dill."""

from __future__ import annotations

import pickle
from typing import IO, Any

from marsdask import pickles, stored
from marsdask.plan import code


def dumps(obj: Any) -> bytes:
    """A value as bytes.

    >>> loads(dumps(lambda x: x + 1))(1)
    2
    """
    return pickles.taking_along(obj, code.Walk(obj).modules.values())


def loads(content: bytes) -> Any:
    """The value of that, or of a file that the durable map has written."""
    found = stored.without_ending(content)
    return pickle.loads(found.body if isinstance(found, stored.Whole) else content)


def dump(obj: Any, handle: IO[bytes]) -> None:
    """The same into a file."""
    handle.write(dumps(obj))


def load(handle: IO[bytes]) -> Any:
    """The same out of a file."""
    return loads(handle.read())
