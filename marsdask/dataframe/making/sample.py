"""Random rows. The draw is made of positions over the whole frame, so one seed gives the same rows for any chunking."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle
from marsdask.dataframe.rows.alignment import bounds_of, together
from marsdask.errors import ArgumentError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask
from marsdask.plan.meta import FrameMeta, Rows, frame_meta
from marsdask.plan.registry import lowered, public


def source_of(random_state: Any) -> Any:
    """What pandas draws from, which must not change any more once a node has it; None is another whole number every time."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        return random_state
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    if isinstance(random_state, (np.random.BitGenerator, np.ndarray, list)):
        return np.random.RandomState(random_state)
    raise ArgumentError(
        "random_state must be an integer, array-like, a BitGenerator, Generator, a numpy RandomState, or None; "
        f"got {random_state!r}"
    )


def _kept(source: Any, draw: Callable[[Any], Any] | None) -> Any:
    """The source as it is now, for a node. Where users hold it, it goes on as by `draw`; by one number where that is unknown."""
    if isinstance(source, int):
        return source
    now = copy.deepcopy(source)
    (draw or _one_number)(source)
    return now


def _one_number(source: Any) -> Any:
    return source.choice(2)


def checked_size(n: Any, frac: Any, replace: Any) -> int | None:
    """How many rows are asked for; None where `frac` says it."""
    if n is not None and frac is not None:
        raise ArgumentError("Please enter a value for `frac` OR `n`, not both")
    if n is not None and (not isinstance(n, (int, np.integer, float)) or n != int(n)):
        raise ArgumentError("Only integers accepted as `n` values")
    for name, number in (("n", n), ("frac", frac)):
        if number is not None and number < 0:
            raise ArgumentError(f"A negative number of rows requested. Please provide `{name}` >= 0")
    if frac is not None and frac > 1 and not replace:
        raise ArgumentError("Replace has to be set to `True` when upsampling the population `frac` > 1.")
    return int(n) if n is not None else 1 if frac is None else None


@public("frame.sample", owners=["DataFrame", "Series"])
def sample(self: Any, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None, random_state: Any = None,
            axis: Any = None, ignore_index: bool = False, always_multinomial: bool = False) -> Any:  # fmt: skip
    """Random rows, in the order drawn: pandas' own draw, but for None as `random_state`. `always_multinomial` has no effect."""
    n = checked_size(n, frac, replace)
    source = source_of(random_state)
    if axis is not None and checks.frame_axis(axis, self.ndim, "sample") == 1:
        at = drawn(len(self.columns), n, frac, replace, _weights(weights, self.columns), source)
        made = registry.make("frame.select_at", self, at.tolist())
        return (
            registry.make("frame.set_columns", made, pd.RangeIndex(len(at)), made.known.columns)
            if ignore_index
            else made
        )
    if isinstance(weights, str) and self.ndim == 1:
        raise ArgumentError("Strings cannot be passed as weights when sampling from a Series.")
    weights = self[weights] if isinstance(weights, str) else weights
    if isinstance(weights, (pd.Series, FrameHandle)):
        self, (weights,), _ = together(self, [weights], {})
    else:
        weights = _weights(weights, None)
    length = self.shape[0]
    unknown = math.isnan(length) or isinstance(weights, FrameHandle)
    draw = None if unknown else partial(drawn, int(length), n, frac, bool(replace), weights)
    kept = _kept(source, draw)
    made = registry.make("frame.sampled", self, n, frac, bool(replace), weights, kept)
    return registry.make("frame.renumber", made) if ignore_index else made


def _weights(weights: Any, columns: Any) -> Any:
    if isinstance(weights, pd.Series):
        return weights.reindex(columns).to_numpy()
    return weights if weights is None else np.asarray(weights, dtype="f8")


def drawn(
    length: int, n: int | None, frac: float | None, replace: bool, weights: Any, source: Any
) -> np.ndarray:
    """Positions drawn as pandas draws them, from a seed or from what goes on drawing."""
    size = n if n is not None else round((frac or 0) * length)
    p = None if weights is None else _probabilities(weights, length)
    if p is not None and not replace and size * p.max() > 1:
        raise ArgumentError(
            "Weighted sampling cannot be achieved with replace=False. Either set replace=True or use smaller weights."
        )
    if not replace and size > length:
        raise ArgumentError("Cannot take a larger sample than population when 'replace=False'")
    source = np.random.RandomState(source) if isinstance(source, int) else source
    return source.choice(length, size=size, replace=replace, p=p).astype(np.intp)


def _probabilities(weights: Any, length: int) -> np.ndarray[Any, Any]:
    weights = np.asarray(weights, dtype="f8")
    total = np.nansum(weights)
    wrong = {
        "Weights and axis to be sampled must be of the same length": len(weights) != length,
        "weight vector may not include `inf` values": np.isinf(weights).any(),
        "weight vector many not include negative values": (weights < 0).any(),
        "Invalid weights: weights sum to zero": not total,
    }
    for message, is_so in wrong.items():
        if is_so:
            raise ArgumentError(message)
    return np.nan_to_num(weights) / total


def _sampled_meta(frame: FrameMeta, n: Any, frac: Any, replace: bool, weights: Any, source: Any) -> FrameMeta:
    known = not math.isnan(frame.length)
    length = float(n) if n is not None else round(frac * frame.length) if known else math.nan
    if known and not replace and length > frame.length:
        raise ArgumentError("Cannot take a larger sample than population when 'replace=False'")
    return frame_meta(frame.made, length, Rows())


@lowered("frame.sampled", meta=_sampled_meta, sizes="rows")
def sampled(frame: Chunks, n: Any, frac: Any, replace: bool, weights: Any, source: Any) -> Any:
    """Random rows, in the order drawn."""
    if isinstance(weights, Chunks):
        weights = np.concatenate([np.asarray(w, dtype="f8") for w in (yield Ask(weights))])
    length = int(bounds_of(frame)[-1])
    return take(frame, drawn(length, n, frac, replace, weights, copy.deepcopy(source)))


ROWS = 1_000_000
"""Rows of a chunk of taken rows."""


def take(frame: Chunks, positions: np.ndarray) -> Chunks:
    """Rows by position over the whole frame, in any order, in chunks of `ROWS`."""
    count = max(-(-len(positions) // ROWS), 1)
    parts = [positions[j * ROWS : (j + 1) * ROWS] for j in range(count)]
    plan = []
    for a, b in itertools.pairwise(bounds_of(frame)):
        held = [np.flatnonzero((part >= a) & (part < b)) for part in parts]
        plan.append([(part[at] - a, at) for part, at in zip(parts, held, strict=True)])
    lengths = tuple(float(len(part)) for part in parts)
    return graph.exchange(frame, _split, _in_draw_order, count, graph.constants(plan), lengths=lengths)


def _split(chunk: Any, pieces: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[Any]:
    return [(chunk.iloc[rows], at) for rows, at in pieces]


def _in_draw_order(pieces: list[Any]) -> Any:
    rows = graph.concat([p[0] for p in pieces])
    return rows.iloc[np.argsort(np.concatenate([p[1] for p in pieces]), kind="stable")]
