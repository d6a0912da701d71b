"""The first or last rows of each group in an order, without ordering all rows: most are behind what a part of them shows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from marsdask.dataframe.kernels.groups import Groups

LEAST = 3
"""Every third row or fewer are ordered first: of 2 rows of a group of 50 every fifth, and of the others a seventh after them."""
MOST = 0.5
"""The part of all rows that is left, from which on they are left as they are."""


def leading(
    groups: Groups, order: Callable[[np.ndarray], np.ndarray], n: int, *,
    last: bool = False, values: np.ndarray | None = None, largest: bool = False,
) -> np.ndarray | None:  # fmt: skip
    """Rows, ascending, among which are the first `n` of each group (or the last ones) in an order; None where that is most rows.

    `order(rows)`: the rows in order. `values`: what they are ordered by, where that is numbers that all are there; `largest`
    if these are the rows wanted.
    """
    every = groups.length
    if n * groups.count > MOST * every:
        return None
    rows = np.arange(every)
    step = math.isqrt(every // (n * max(groups.count, 1)))
    if values is not None and step >= LEAST:
        some = rows[::step]
        rows = _not_behind(_first_of(some, groups, order, n, last=last), groups, values, n, largest=largest)
    return np.sort(_first_of(rows, groups, order, n, last=last))


def _first_of(
    rows: np.ndarray, groups: Groups, order: Callable[[np.ndarray], np.ndarray], n: int, *, last: bool
) -> np.ndarray:
    """The first or last of each group among some rows."""
    rows = order(rows)
    group = Groups(groups.number.take(rows), count=groups.count).of(pd.DataFrame({0: rows}))[0]
    found = group.tail(n) if last else group.head(n)
    return found.to_numpy()


def _not_behind(
    found: np.ndarray, groups: Groups, values: np.ndarray, n: int, *, largest: bool
) -> np.ndarray:
    """The rows whose value is not behind those of `n` rows of their group that were found."""
    number, seen = groups.number.take(found), values.take(found)
    kind = np.iinfo(values.dtype) if values.dtype.kind in "iu" else None
    least, most = (kind.min, kind.max) if kind else (-np.inf, np.inf)
    bound = np.full(groups.count + 1, most if largest else least, values.dtype)
    (np.minimum if largest else np.maximum).at(bound, number, seen)
    bound[:-1][np.bincount(number, minlength=groups.count) < n] = least if largest else most
    bound[-1] = most if largest else least  # of rows that have no group
    of_rows = bound.take(groups.number)
    return np.flatnonzero(values >= of_rows if largest else values <= of_rows)
