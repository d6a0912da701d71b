"""Made-up values of object columns that are no texts: of objects only a run tells what they are, and what they can do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask.plan.node import is_named

OPERATORS = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "matmul",
)
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
UNARY = ("neg", "pos", "abs", "invert", "round", "floor", "ceil", "trunc")


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


for _name in (*OPERATORS, *(f"r{name}" for name in OPERATORS), *UNARY):
    setattr(Anything, f"__{_name}__", Anything.itself)
for _name in COMPARISONS:
    setattr(Anything, f"__{_name}__", Anything.compared)
ANYTHING = Anything()


def are_objects(value: Any) -> bool:
    """Whether there are objects among made-up values."""
    if isinstance(value, pd.DataFrame):
        return any(isinstance(dtype, np.dtype) and dtype.hasobject for dtype in value.dtypes)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(are_objects, value))
    return isinstance(value, (pd.Series, pd.Index, np.ndarray)) and value.dtype == np.dtype(object)


def as_anything(value: Any) -> Any:
    """The same made-up values with objects that take every operator in the place of texts."""
    if isinstance(value, pd.DataFrame):
        made = {i: as_anything(value.iloc[:, i]) for i in range(value.shape[1])}
        return pd.DataFrame(made, index=value.index).set_axis(value.columns, axis=1)
    if isinstance(value, (pd.Series, pd.Index)) and value.dtype == object:
        made = pd.Index([ANYTHING] * len(value), dtype=object, name=value.name)
        return made if isinstance(value, pd.Index) else pd.Series(made, index=value.index, name=value.name)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.full_like(value, ANYTHING)
    if type(value) in (list, tuple):
        return type(value)(as_anything(v) for v in value)
    if is_named(type(value)):
        return value._make(as_anything(v) for v in value)
    return {k: as_anything(v) for k, v in value.items()} if type(value) is dict else value
