"""What the footer of a parquet file proves of a row group: whether any of its rows can meet a condition.

A condition is ("and", a, b), ("or", a, b), ("in", column, values), or a comparison (">=", column, value).
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa

Condition = tuple[Any, ...]


class Bounds(Protocol):
    """What is known of the values of a row group; each answer is True only if it is so in every conversion pandas may make."""

    def above(self, value: Any, *, strictly: bool) -> bool:
        """Whether no value is below `value`, or none is as small."""

    def below(self, value: Any, *, strictly: bool) -> bool:
        """Whether no value is above `value`, or none is as large."""


class Holes:
    """Nothing but missing values: they meet no condition."""

    def above(self, value: Any, *, strictly: bool) -> bool:
        return True

    below = above


class Range:
    """Values between two others, with these."""

    def __init__(self, low: Any, high: Any):
        self.low, self.high = low, high

    def above(self, value: Any, *, strictly: bool) -> bool:
        return less(value, self.low) if strictly else bool(value <= self.low)

    def below(self, value: Any, *, strictly: bool) -> bool:
        if isinstance(value, str):  # the largest text may be cut off
            return self.high < value and not value.startswith(self.high)
        return less(self.high, value) if strictly else bool(self.high <= value)


def less(one: Any, other: Any) -> bool:
    """Whether it is less, also after both have become doubles, as whole numbers do beside doubles or holes."""
    number = isinstance(one, (int, float)) and isinstance(other, (int, float))
    return bool(one < other) and (not number or float(one) < float(other))


def literal(value: Any) -> Any:
    """A value of a condition in the form that bounds are compared with; None where it has none."""
    if isinstance(value, (np.integer, np.float64)):
        value = value.item()
    if isinstance(value, (datetime.datetime, np.datetime64)):
        value = pd.Timestamp(value)
        return None if value is pd.NaT else value
    plain = type(value) in (int, str) or (type(value) is float and not math.isnan(value))
    return value if plain else None


Told = Callable[[str], Bounds | None]
"""What is known of each column of a row group; None of those of which nothing is."""


def possible(condition: Condition, told: Told) -> bool:
    """Whether rows of a row group can meet a condition, as far as what is told of it says."""
    kind, *args = condition
    if kind == "and":
        return all(possible(each, told) for each in args)
    if kind == "or":
        return any(possible(each, told) for each in args)
    column, value = args
    try:
        found = told(column)
        return found is None or not _excluded(kind, found, value)
    except (
        TypeError,
        ValueError,
        OverflowError,
    ):  # text beside a number, zones beside none, what is out of bounds
        return True


def _excluded(kind: str, found: Bounds, value: Any) -> bool:
    if kind == "in":
        return all(_excluded("==", found, each) for each in value)
    if kind == "==":
        return found.above(value, strictly=True) or found.below(value, strictly=True)
    if kind[0] == ">":
        return found.below(value, strictly=kind == ">=")
    return found.above(value, strictly=kind == "<=")


def places(footer: Any) -> dict[str, int]:
    """The columns of a file by name; what is inside of a column has a name with dots."""
    return {footer.schema.column(i).path: i for i in range(footer.num_columns)}


def bounds(group: Any, schema: pa.Schema, places: dict[str, int], name: str) -> Bounds | None:
    """The bounds of a column in a row group; None where the footer does not tell them or pandas makes something else of it.

    Among these are unsigned numbers and `float32`, to which pandas rounds what they are compared with.
    """
    if name not in places or name not in schema.names:
        return None
    chunk = group.column(places[name])
    if (told := chunk.statistics) is None:
        return None
    if told.has_null_count and told.null_count == chunk.num_values:
        return Holes()
    kind = schema.field(name).type
    if not told.has_min_max:
        return None
    if pa.types.is_signed_integer(kind) or pa.types.is_float64(kind):
        unsure = math.isnan(told.min) or math.isnan(told.max)
        return None if unsure else Range(told.min, told.max)
    if pa.types.is_timestamp(kind):  # without parts of a microsecond
        return Range(pd.Timestamp(told.min), pd.Timestamp(told.max) + pd.Timedelta(1, "us"))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return Range(told.min, told.max)
    return None
