"""Reductions of users by subclassing: what chunks prepare, how that is joined, and the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.plan.handle import Handle


class CustomReduction(ABC):
    """A reduction of a column in three steps, over chunks: for `agg` of frames, series and groups. Subclass it.

    `pre(values)` makes one value or a tuple of them of the rows of a chunk, as many as `agg(*values)` gives of them, and again
    of the series of what chunks gave; `post(*values)` makes the answer. With `pre_with_agg = True` what `pre` makes is
    aggregated already.

    >>> import marsdask.dataframe as md
    >>> class Spread(CustomReduction):
    ...     def pre(self, values):
    ...         return values, values
    ...
    ...     def agg(self, low, high):
    ...         return low.min(), high.max()
    ...
    ...     def post(self, low, high):
    ...         return high - low
    >>> print(md.Series([3, 1, 8], chunk_size=2).agg(Spread()).execute().fetch())
    7
    """

    pre_with_agg = False

    def __init__(self, name: str | None = None, is_gpu: bool | None = None):
        checks.choice(is_gpu, "CustomReduction(is_gpu=)", (None, False))
        self.name = name or "<custom>"

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, values: Any) -> Any:
        """The answer about one column; lazily about a frame or series of marsdask."""
        return values.agg(self) if isinstance(values, Handle) else self._finish(self._of_chunk(values))

    def pre(self, value: Any) -> Any:
        """What is aggregated: the values."""
        return (value,)

    @abstractmethod
    def agg(self, *values: Any) -> Any:
        """One value for each of what `pre` gave."""

    def post(self, *values: Any) -> Any:
        """The answer: the one value."""
        (value,) = values
        return value

    def _of_chunk(self, values: Any) -> tuple[Any, ...]:
        found = _several(self.pre(values))
        return found if self.pre_with_agg else _several(self.agg(*found))

    def _join(self, states: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """What several chunks gave as of one."""
        return _several(self.agg(*map(_series, zip(*states, strict=True))))

    def _finish(self, state: tuple[Any, ...], empty: Any = None) -> Any:
        return self.post(*state)


def _several(values: Any) -> tuple[Any, ...]:
    return values if isinstance(values, tuple) else (values,)


def _series(values: tuple[Any, ...]) -> pd.Series:
    """What chunks gave one after another: of series and arrays their values."""
    if all(isinstance(v, (pd.Series, pd.Index, np.ndarray)) and np.ndim(v) for v in values):
        return pd.concat([pd.Series(v) for v in values], ignore_index=True)
    return pd.Series(list(values))
