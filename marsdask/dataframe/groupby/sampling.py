"""Random rows of each group: pandas' own draw, of all rows in one chunk."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.groupby.grouping import OWNERS, Grouping
from marsdask.dataframe.groupby.lowering import all_in_one, of_group, ready, rows_demands, trim
from marsdask.dataframe.making.sample import checked_size, drawn, source_of
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.registry import lowered, public


@public("GroupBy.sample", owners=OWNERS, status="gathered",
        differs="a group of fewer than `n` rows is taken whole, unless `errors='raise'` or `replace=True`, as in Mars")  # fmt: skip
def sample(self: Any, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None, random_state: Any = None,
           errors: str = "ignore") -> Any:  # fmt: skip
    """Random rows of each group, group after group: the same for one `random_state`, which is looked at and not advanced."""
    checks.choice(errors, "sample(errors=)", ("ignore", "raise", "raises"))
    if isinstance(weights, Handle):
        raise ArgumentTypeError(
            "sample(weights=) of groups: expected a list, an array or a pandas Series. Hint: weights.fetch() of an executed one, "
            "or the name of a column."
        )
    how = (
        checked_size(n, frac, replace),
        frac,
        bool(replace),
        weights,
        _draw(random_state),
        errors == "ignore",
    )
    return registry.make("groupby.sampled", self._frame, self._spec, self._keys, "sample", *how)


def _draw(random_state: Any) -> Any:
    """What draws, fixed when the node is made."""
    source = source_of(random_state)
    return np.random.RandomState(source) if isinstance(source, int) else copy.deepcopy(source)


@lowered(
    "groupby.sampled",
    meta=lambda frame, spec, *how: frame.fewer(of_group(frame.empty, spec)),
    status="gathered",
    demands=rows_demands,
    trim=trim,
)
def sampled(frame: Chunks, spec: Grouping, keys: list[Any], name: str, *how: Any) -> Any:
    """Random rows of each group."""
    frame, spec, keys, _, _ = yield from ready(frame, spec, keys, name, [], {})
    return all_in_one(partial(_sampled, spec=spec, how=how), frame, keys)


def _sampled(frame: Any, *keys: Any, spec: Grouping, how: Any) -> Any:
    n, frac, replace, weights, draw, ignore = how
    draw = copy.deepcopy(draw)  # a lost chunk is made again
    of = of_group(frame, spec)
    weights = _weights(of, weights)
    number = spec.of(frame, keys, select=None, as_index=True).ngroup().fillna(-1).to_numpy("i8")
    order = np.argsort(number, kind="stable")[(number < 0).sum() :]
    found = [order[:0]]
    for at in np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(order) else ():
        size = None if n is None else min(n, len(at)) if ignore and not replace else n
        found.append(at[drawn(len(at), size, frac, replace, None if weights is None else weights[at], draw)])
    return of.iloc[np.concatenate(found)]


def _weights(rows: Any, weights: Any) -> Any:
    """A weight for each row: of a column, or aligned by label, or by position."""
    if isinstance(weights, str):
        if rows.ndim == 1:
            raise ArgumentError("Strings cannot be passed as weights when sampling from a Series.")
        weights = rows[checks.columns([weights], rows)[0]]
    if isinstance(weights, pd.Series):
        weights = weights.reindex(rows.index)
    return weights if weights is None else _of_length(np.asarray(weights, dtype="f8"), len(rows))


def _of_length(weights: np.ndarray, length: int) -> np.ndarray:
    if len(weights) != length:
        raise ArgumentError("Weights and axis to be sampled must be of the same length")
    return weights
