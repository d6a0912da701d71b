"""Rows of chunks cut by where they go: one sort and one take for neighbouring places, of which each place's rows are a slice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.rows.alignment import rows_of
from marsdask.plan import graph

APART = 16_000
"""From so many rows a place on, each place's are joined by themselves, not all in one copy that is then taken apart.

12 pieces with 12 places, two columns, rows a place: 1,000 in 1.3 ms and by place in 5; 20,000 in 20 and 16; 150,000 in 85 and 26, where
the peak is 137 MiB and 55.
"""


@dataclass(eq=False, slots=True)
class Pieces:
    """Rows for several places, in the order of the places, and for each place in the order of the chunks they come from.

    `data`: frames, series and arrays of equal length. `homes`: the numbers of the chunks; `counts`: rows from each chunk for
    each place. `order`: how rows of `data` must be taken for that, None where they are. A slice takes the rows of its places
    once; a number then gives a view of them.
    """

    data: list[Any]
    homes: np.ndarray
    counts: np.ndarray
    order: np.ndarray | None = None
    labels: bool = True  # whether those of the rows count; else they take no memory

    @classmethod
    def by_place(
        cls, data: list[Any], goes: np.ndarray, count: int, number: int, *, labels: bool = True
    ) -> Pieces:
        """Of rows of chunk `number` that each go to one of `count` places."""
        order, counts = graph.order_of_places(goes, count)
        return cls(data, np.array([number]), counts[None], order, labels)

    def __len__(self) -> int:
        return self.counts.shape[1]

    def __getitem__(self, places: int | slice) -> Pieces:
        if isinstance(places, int):
            places = slice(places, places + 1)
        lo, hi, _ = places.indices(len(self))
        ends = np.concatenate([[0], np.cumsum(self.counts.sum(axis=0))])
        rows = slice(ends[lo], ends[hi])
        if self.order is None:
            taken = [rows_of(d, rows) for d in self.data]
        else:
            taken = self._taken(self.order[rows])
        return Pieces(taken, self.homes, self.counts[:, lo:hi], None, self.labels)

    def __iter__(self) -> Iterator[Pieces]:
        return (self[place] for place in range(len(self)))

    def _taken(self, order: np.ndarray) -> list[Any]:
        """The rows, in memory of their own; or the data where that is them already."""
        as_they_are = len(order) == sum(self.counts.flat) and (order[1:] > order[:-1]).all()
        taken = [d if as_they_are else rows_of(d, order) for d in self.data]
        return taken if self.labels else [_unlabelled(d) for d in taken]

    @property
    def nbytes(self) -> int:
        return sum(map(graph.nbytes, self.data)) + graph.nbytes(self.order) + self.counts.nbytes

    def __sizeof__(self) -> int:
        return self.nbytes  # what Dask asks for, which would look at all columns' values

    @property
    def home(self) -> np.ndarray:
        """The number of the chunk that each row comes from; of rows for one place."""
        return np.repeat(self.homes, self.counts[:, 0])


def _unlabelled(data: Any) -> Any:
    return data if isinstance(data, np.ndarray) else data.set_axis(pd.RangeIndex(len(data)))


def joined(pieces: Sequence[Pieces]) -> list[Any]:
    """The data of pieces, as one."""
    labels = pieces[0].labels
    return [_joined(parts, labels=labels) for parts in zip(*(p.data for p in pieces), strict=True)]


def _joined(parts: Sequence[Any], *, labels: bool) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    if not labels:  # ranges that go on are joined to a range, which takes no memory
        ends = itertools.accumulate(map(len, parts))
        parts = [p.set_axis(pd.RangeIndex(end - len(p), end)) for p, end in zip(parts, ends, strict=True)]
    return graph.concat(parts)


def regrouped(many: Sequence[Pieces]) -> list[Pieces]:
    """For each place its rows in all of `many`, which are for the same places; each with memory of its own."""
    if sum(each.counts.sum() for each in many) >= APART * len(many[0]):
        return [_at_one_place([each[place] for each in many]) for place in range(len(many[0]))]
    counts = np.concatenate([each.counts for each in many])
    homes = np.concatenate([each.homes for each in many])
    by_place = [np.repeat(np.arange(len(each)), each.counts.sum(axis=0)) for each in many]
    order, _ = graph.order_of_places(np.concatenate(by_place), len(many[0]))
    return list(Pieces(joined(many), homes, counts, order, many[0].labels))


def _at_one_place(parts: Sequence[Pieces]) -> Pieces:
    """Pieces for one place as one."""
    full = [p for p in parts if p.counts.any()] or parts[:1]
    data = joined(full)
    if len(full) == 1:  # else they have been copied
        data = [each.copy() for each in data]
    if not full[0].labels:
        data = [_unlabelled(each) for each in data]
    homes, counts = (np.concatenate([getattr(p, name) for p in full]) for name in ("homes", "counts"))
    return Pieces(data, homes, counts, None, full[0].labels)
