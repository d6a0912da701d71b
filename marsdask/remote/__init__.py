"""`mr`: plain Python functions, lazily, on threads and clusters."""

from typing import Any

import marsdask.dataframe
import marsdask.tensor  # on a worker a function may get any handle
from marsdask.errors import UnknownName
from marsdask.plan import gaps, offered, registry
from marsdask.remote.context import Context, get_context
from marsdask.remote.objects import Object, spawn
from marsdask.remote.script import run_script
from marsdask.session.lazy import ExecutableTuple

registry.fill(globals(), "remote")
registry.attach(Object, "Object")

__all__ = ["Context", "ExecutableTuple", "Object", "get_context", "run_script", "spawn"]


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.remote", name, __all__)


def __dir__() -> list[str]:
    return offered.of_module(globals())


gaps.close(__name__)
