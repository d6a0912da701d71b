"""What a prompt offers of our classes and modules: what people use."""

from __future__ import annotations

from typing import Any, ClassVar


class Offering(type):
    """The type of classes of which `dir()` tells neither gaps nor what is there for ourselves.

    Prompts look at the class as well as at the object.
    """

    _inside: frozenset[str]

    def __dir__(cls) -> list[str]:
        found = {name: getattr(cls, name, None) for name in super().__dir__()}
        return [name for name, has in found.items() if name not in cls._inside and not is_gap(has)]


class Offered(metaclass=Offering):
    """Base of classes whose `dir()` is what people use. `_inside`: names without an underscore that they do not."""

    __slots__ = ()
    _inside: ClassVar[frozenset[str]] = frozenset()

    def __dir__(self) -> list[str]:
        return sorted(dir(type(self)))


def is_gap(member: Any) -> bool:
    """Whether a function, method or property is there only to say that nobody built it."""
    entry = getattr(getattr(member, "fget", member), "entry", None)
    return not getattr(entry, "built", True)


def of_module(space: dict[str, Any]) -> list[str]:
    """The names of a module that people use: its public ones, without gaps and what it imports, and Python's own."""
    return sorted({*space["__all__"], *(name for name in space if name.startswith("__"))})
