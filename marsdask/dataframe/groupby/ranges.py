"""Groups exchanged by ranges of their first key, or of where they were seen first: a large result in several chunks, in order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.groupby.grouping import Grouping
from marsdask.dataframe.groupby.tables import key_names
from marsdask.dataframe.rows.pieces import Pieces, joined, regrouped
from marsdask.dataframe.sorting import shuffle
from marsdask.dataframe.sorting.sort import some_places
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask, Keep, Steps
from marsdask.session import room
from marsdask.sizes import MIB, shown

FIRST = key_names(1)[0]
RANGE_BYTES = 32 * MIB
"""Parts of a range: groups of 24M rows, keys at random, take 1.9 s of CPU in 16 ranges, 2.5 in 2, too large for caches."""


def possible(spec: Grouping, dtypes: Sequence[Any]) -> bool:
    """Whether groups of such keys can stand in several chunks: in the order of a first key that NumPy orders as pandas does.

    Categories that no row has are labels too, and of objects pandas looks at all to choose the dtype of their level.
    """
    plain = isinstance(dtypes[0], np.dtype) and dtypes[0].kind in "iufmM"
    return spec.sort and plain and stand_alone(spec, dtypes)


def stand_alone(spec: Grouping, dtypes: Sequence[Any]) -> bool:
    """Whether some of the groups have the labels that they have among all, and which key is the first."""
    if len(dtypes) != spec.count or not (spec.by_name or len({*spec.kinds}) <= 1):
        return False
    return not any(isinstance(d, pd.CategoricalDtype) or pd.api.types.is_object_dtype(d) for d in dtypes)


def exchanged(
    made: Sequence[Chunks], ends: Sequence[Callable[[list[pd.DataFrame]], Any]], row_bytes: int
) -> Steps:
    """Of each table its groups, `end` of the rows that met, in chunks of the same ranges of keys. Lengths are known."""
    found = yield Ask(*(graph.per_chunk(_sampled, each, lengths=None) for each in made))
    sampled = found if len(made) > 1 else (found,)
    samples = [some for some, *_ in sampled[0]]
    nbytes = max(shuffle.bytes_of(each, row_bytes) for each in made)
    most = min(made[0].count, max(room.chunk_count(nbytes, RANGE_BYTES), 2))
    cuts = _cuts([each for each in samples if len(each)], most).to_numpy()
    count = len(cuts) + 1
    graph.rule(f"groupby: parts exchanged by ranges of the first key, the result in {count} chunks")
    cut = partial(_cut, cuts=cuts)
    return [
        graph.exchange(
            table,
            cut,
            partial(_met, end=end),
            count,
            regroup=regrouped,
            reach=[_reach(cuts, *e) for e in each],
        )
        for table, end, each in zip(made, ends, sampled, strict=True)
    ]


def _reach(cuts: np.ndarray, some: pd.Series, least: Any, largest: Any, has_holes: bool) -> range:
    """The ranges that a table has rows in: between its least key and its largest, and the last where keys are missing."""
    end = len(cuts)
    if not len(some):
        return range(end, end + has_holes)
    first, last = np.searchsorted(cuts, [least, largest], side="right") if end else (0, 0)
    return range(first, (end if has_holes else last) + 1)


def in_order(
    met: Sequence[Chunks],
    ends: Sequence[Callable[[list[Any]], Any]],
    by: Callable[[Any], Any],
    nbytes: float,
    spec: Grouping,
    dtypes: Sequence[Any],
    times: int = 1,
) -> Steps:
    """What each `end` gives of the parts (groups, where each was seen first) of all chunks, in which they met by hash.

    In one chunk, or where that is larger than a chunk should be, by ranges of what `by` takes from a part. `nbytes`: what
    is grouped has about so many. `times`: how often the parts of a range are in memory at its end.
    """
    most = room.most_bytes()
    if nbytes > most and stand_alone(spec, dtypes) and (spec.sort or len(met) == 1):
        held = yield Keep(*met)
        met = [*held] if len(met) > 1 else [held]
        found = yield Ask(graph.per_chunk(_weighed, *met, by=by, lengths=None))
        size = sum(each for each, _ in found)
        if size > most:
            samples = [some for _, some in found if len(some)]
            cuts = _cuts(samples, room.chunk_count(times * size, most))
            count = len(cuts) + 1
            graph.rule(f"groupby: the result, {shown(size)}, by ranges in {count} chunks")
            part = partial(_parted, by=by, cuts=cuts)
            return [
                graph.exchange(each, part, partial(_put, end=end), count, regroup=regrouped)
                for each, end in zip(met, ends, strict=True)
            ]
    return [in_one(end, each) for end, each in zip(ends, met, strict=True)]


def in_one(end: Callable[[list[Any]], Any], met: Chunks) -> Chunks:
    """What `end` gives of all chunks, in one."""
    return graph.value(graph.limited(end), met).with_lengths((math.nan,))


def _weighed(part: Any, *others: Any, by: Callable[[Any], Any]) -> tuple[int, pd.Series]:
    """The bytes of parts, and some of what the first is cut by."""
    return sum(graph.nbytes(each[0]) for each in (part, *others)), _some(by(part))


def _parted(part: Any, *, by: Callable[[Any], Any], cuts: pd.Series) -> Pieces:
    """A part by the ranges of its groups."""
    keys = pd.Series(by(part))
    there = keys.notna().to_numpy()
    goes = np.full(len(keys), len(cuts))
    goes[there] = cuts.array.searchsorted(keys.array[there], side="right")
    data = [each for each in part if each is not None]
    return Pieces.by_place(data, goes, len(cuts) + 1, 0)


def _put(pieces: list[Pieces], *, end: Callable[[list[Any]], Any]) -> Any:
    return end([(*each.data, None)[:2] for each in pieces])


def _sampled(table: pd.DataFrame) -> tuple[pd.Series, Any, Any, bool]:
    """Some keys of a table, the least and the largest, and whether some are missing."""
    keys = table[FIRST]
    values = keys.dropna().to_numpy()
    ends = (values.min(), values.max()) if len(values) else (None, None)
    return _some(keys), *ends, len(values) < len(keys)


def _some(keys: Any) -> pd.Series:
    """Some of them, ascending; none that is missing."""
    keys = pd.Series(keys)
    return keys.iloc[some_places(len(keys))].dropna().sort_values()


def _cuts(samples: Sequence[pd.Series], count: int) -> pd.Series:
    """Up to `count - 1` keys, ascending, each the first of a range.

    Where one table's keys follow another's, ranges are those of some tables: then hardly a row leaves its table.
    """
    if not samples:
        return pd.Series(dtype="i8")
    follow = all(a.iloc[-1] <= b.iloc[0] for a, b in itertools.pairwise(samples))
    keys = pd.concat([s.iloc[:1] for s in samples]) if follow else pd.concat(samples).sort_values()
    return keys.iloc[np.linspace(0, len(keys), count, endpoint=False).astype(int)[1:]].drop_duplicates()


def _cut(table: pd.DataFrame, *, cuts: np.ndarray) -> Pieces:
    """A table's rows by range: slices where they stand in the order of their first key."""
    keys, home = table[FIRST].to_numpy(), np.zeros(1, int)
    if (keys[1:] >= keys[:-1]).all():
        bounds = np.searchsorted(keys, cuts)
        return Pieces([table], home, np.diff(bounds, prepend=0, append=len(table))[None], labels=False)
    return Pieces.by_place([table], np.searchsorted(cuts, keys, side="right"), len(cuts) + 1, 0, labels=False)


def _met(pieces: list[Pieces], *, end: Callable[[list[pd.DataFrame]], Any]) -> Any:
    return end(joined(pieces))
