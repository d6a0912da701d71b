"""Made-up values of object columns that are no texts: of objects only a run tells what they are, and what they can do."""

from __future__ import annotations

from typing import Any

from marsdask.tensor.core import BINARY, COMPARE, UNARY

ROUNDED = ("round", "floor", "ceil", "trunc")


class Anything:
    """An object that takes every operator: what it gives is an object, comparisons are true."""

    __hash__ = object.__hash__

    def itself(self, *others: Any) -> Any:
        return self

    def compared(self, other: Any) -> bool:
        return True

    def __divmod__(self, other: Any) -> Any:
        return self, self

    __rdivmod__ = __divmod__


_OPERATORS = BINARY.keys() - COMPARE - {"divmod"}
for _name in (*_OPERATORS, *(f"r{name}" for name in _OPERATORS), *UNARY, *ROUNDED):
    setattr(Anything, f"__{_name}__", Anything.itself)
for _name in COMPARE:
    setattr(Anything, f"__{_name}__", Anything.compared)
ANYTHING = Anything()
