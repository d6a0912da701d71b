"""Mars's names, and gaps for those that nobody built: a table that shrinks by itself as operations are registered.

`mars.toml` lists every public name of Mars by room and class, and says why some are missing. What is neither
registered nor an attribute when a room has been filled becomes an `unbuilt` entry, so that using it raises our error.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from importlib.resources import files
from types import ModuleType
from typing import Any, NoReturn

from marsdask.errors import UnbuiltAttribute
from marsdask.plan import registry, semantics

_DATA = tomllib.loads(files("marsdask").joinpath("mars.toml").read_text(encoding="utf-8"))
NAMES: dict[str, list[str]] = {key: text.split() for key, text in _DATA["names"].items()}
"""Mars's public names by room ("tensor.fft") or class ("DataFrame")."""
REASONS: dict[str, str] = _DATA["reasons"]


def reason(key: str, name: str) -> str:
    """Why `name` of a room or class is a gap: the most particular reason that `mars.toml` gives."""
    first, _, rest = key.partition(".")
    tries = (f"{key}.{name}", f"*.{name}", key, f"{first}.{rest.partition('.')[0]}", first, "*")
    return next(REASONS[each] for each in tries if each in REASONS)


def close(package: str) -> None:
    """Make a gap of each name of Mars that a package's rooms and classes do not have when it has been filled."""
    for room, module in registry.FILLED.items():
        if f"{module}.".startswith(f"{package}."):
            fill(room, vars(sys.modules[module]))
    for owner, kind in registry.ATTACHED.items():
        if kind.__module__.startswith(f"{package}."):
            on(kind, owner)


def on(kind: type, owner: str) -> None:
    """Put a gap on a class for each name of Mars's `owner` that it does not have."""
    for name in missing(owner, kind):
        why = reason(owner, name)
        op = registry.unbuilt(f"{owner}.{name}", why, room="methods", owners=(owner,), function=False)
        if callable(semantics.oracle(owner, name) or registry.function_of):
            setattr(kind, name, registry.function_of(op))
        else:
            setattr(kind, name, property(_raising(op)))
            kind.__getattr__ = _asked_before(kind, kind.__getattr__)  # type: ignore[attr-defined]


def fill(room: str, module: dict[str, Any]) -> None:
    """Put a gap in a module's namespace for each name of Mars that it does not have."""
    for name in missing(room, module):
        op = registry.unbuilt(f"{room}.{name}", reason(room, name), room=room)
        module[name] = registry.function_of(op)


def modules(package: str) -> None:
    """Make the submodules of a package that nobody built: `from marsdask.learn.cluster import KMeans` works, `KMeans()` raises."""
    for room in (key for key in NAMES if key.startswith(f"{package}.")):
        path = ["marsdask", *room.split(".")]
        for depth in range(2, len(path)):
            name = ".".join(path[: depth + 1])
            parent = sys.modules[".".join(path[:depth])]
            if name not in sys.modules:
                sys.modules[name] = ModuleType(name, f"Not built: {REASONS[package]}.")
                vars(sys.modules[name])["__dir__"] = list  # gaps are not offered
            setattr(parent, path[depth], sys.modules[name])
        fill(room, vars(sys.modules[".".join(path)]))


def missing(key: str, target: Any) -> list[str]:
    """The names of Mars's room or class `key` that a namespace or class lacks; a file of lowerings is none."""
    if not isinstance(target, dict):
        return [name for name in NAMES.get(key, ()) if not hasattr(target, name)]
    return [name for name in NAMES.get(key, ()) if isinstance(target.get(name, sys), ModuleType)]


def _raising(op: registry.Op) -> Callable[[Any], NoReturn]:
    def attribute(self: Any) -> NoReturn:
        raise UnbuiltAttribute.operation(op.public, op.reason)

    attribute.__doc__ = registry.documentation(op)
    attribute.entry = op  # type: ignore[attr-defined]
    return attribute


def _asked_before(kind: type, other: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """`__getattr__` for a class with gaps: Python asks it again when a property raised an AttributeError."""
    if hasattr(other, "asked_before"):
        return other

    def __getattr__(self: Any, name: str) -> Any:
        entry = registry.entry_of(vars(kind).get(name))
        if entry is not None:
            raise UnbuiltAttribute.operation(entry.public, entry.reason)
        return other(self, name)

    __getattr__.asked_before = True  # type: ignore[attr-defined]
    return __getattr__
