"""Tables of groups exchanged by ranges of their first key: a result of many groups in several chunks, in the order of keys."""

from __future__ import annotations

import itertools
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
from marsdask.plan.lower import Ask, Steps
from marsdask.session import room
from marsdask.sizes import MIB

FIRST = key_names(1)[0]
RANGE_BYTES = 32 * MIB
"""Parts of a range: groups of 24M rows, keys at random, take 1.9 s of CPU in 16 ranges, 2.5 in 2, too large for caches."""


def possible(spec: Grouping, dtypes: Sequence[Any]) -> bool:
    """Whether groups of such keys can stand in several chunks: in the order of a first key that NumPy orders as pandas does.

    Categories that no row has are labels too, and of objects pandas looks at all to choose the dtype of their level.
    """
    told = len(dtypes) == spec.count and (
        spec.by_name or len({*spec.kinds}) <= 1
    )  # else which of them is the first is not
    if not (spec.sort and told and isinstance(dtypes[0], np.dtype) and dtypes[0].kind in "iufmM"):
        return False
    return not any(isinstance(d, pd.CategoricalDtype) or pd.api.types.is_object_dtype(d) for d in dtypes)


def exchanged(
    made: Sequence[Chunks], ends: Sequence[Callable[[list[pd.DataFrame]], Any]], row_bytes: int
) -> Steps:
    """Of each table its groups, `end` of the rows that met, in chunks of the same ranges of keys. Lengths are known."""
    samples = yield Ask(graph.per_chunk(_sampled, made[0], lengths=None))
    nbytes = max(shuffle.bytes_of(each, row_bytes) for each in made)
    most = min(made[0].count, max(room.chunk_count(nbytes, RANGE_BYTES), 2))
    cuts = _cuts([each for each in samples if len(each)], most)
    count = len(cuts) + 1
    graph.rule(f"groupby: parts exchanged by ranges of the first key, the result in {count} chunks")
    cut = partial(_cut, cuts=cuts)
    return [
        graph.exchange(table, cut, partial(_met, end=end), count, regroup=regrouped)
        for table, end in zip(made, ends, strict=True)
    ]


def _sampled(table: pd.DataFrame) -> np.ndarray:
    """Some of a table's first keys, the first and the last among them; none that is missing."""
    keys = table[FIRST].to_numpy()
    some = keys[some_places(len(keys))]
    return some[~pd.isna(some)]


def _cuts(samples: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Up to `count - 1` keys, ascending, each the first of a range.

    Where one table's keys follow another's, ranges are those of some tables: then hardly a row leaves its table.
    """
    if not samples:
        return np.empty(0, "i8")
    follow = all(a[-1] <= b[0] for a, b in itertools.pairwise(samples))
    keys = np.concatenate([s[:1] for s in samples]) if follow else np.sort(np.concatenate(samples))
    return np.unique(keys[np.linspace(0, len(keys), count, endpoint=False).astype(int)[1:]])


def _cut(table: pd.DataFrame, *, cuts: np.ndarray) -> Pieces:
    """A table's rows by range: slices where they stand in the order of their first key."""
    keys, home = table[FIRST].to_numpy(), np.zeros(1, int)
    if (keys[1:] >= keys[:-1]).all():
        bounds = np.searchsorted(keys, cuts)
        return Pieces([table], home, np.diff(bounds, prepend=0, append=len(table))[None], labels=False)
    return Pieces.by_place([table], np.searchsorted(cuts, keys, side="right"), len(cuts) + 1, 0, labels=False)


def _met(pieces: list[Pieces], *, end: Callable[[list[pd.DataFrame]], Any]) -> Any:
    return end(joined(pieces))
