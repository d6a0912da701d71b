"""Rows that are picked and not taken yet: masks and keys look at the columns they need, and the others are taken once, at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.kernels import texts
from marsdask.plan.late import Late

FEWEST = 1 << 12
"""Rows below which pandas' own way costs less: a column that is taken alone costs 30 microseconds more."""


class Labels:
    """The labels of rows that are picked, made when they are asked for."""

    def __init__(self, make: Callable[[], pd.Index]):
        self.make: Callable[[], pd.Index] | None = make
        self.index: pd.Index | None = None

    def get(self) -> pd.Index:
        if self.index is None:
            assert self.make is not None
            self.index, self.make = self.make(), None
        return self.index


class Column:
    """Rows by position (None: all) of a series, or of a column of a frame by name; under labels. Taken once."""

    __slots__ = ("labels", "name", "rows", "source", "taken")

    def __init__(self, source: Any, name: Any, rows: np.ndarray | None, labels: Labels):
        self.source, self.name, self.rows, self.labels = source, name, rows, labels
        self.taken: pd.Series | None = None

    def series(self, name: Any) -> pd.Series:
        """The column under a name; nobody who writes to it changes another's."""
        if self.taken is None:
            source, labels = self._all(), self.labels.get()
            if self.rows is not None:
                plain = isinstance(source.dtype, np.dtype)
                values: Any = (source.to_numpy() if plain else source.array).take(self.rows)
                self.taken = pd.Series(values, index=labels, dtype=source.dtype, copy=False)
            elif source.index is labels and source is not self.source:  # a series of its own already
                return source if source.name is name else source.rename(name)
            else:
                self.taken = source.set_axis(labels)
        found = self.taken.copy(deep=False)
        found.name = name
        return found

    def coded(self) -> texts.Coded | None:
        """The numbers of its texts, where they are known."""
        found = texts.NUMBERS.of(self._all())
        return found if found is None or self.rows is None else found.taken(self.rows)

    def _all(self) -> pd.Series:
        return self.source if self.source.ndim == 1 else self.source[self.name]


class Picked(Late):
    """A frame whose columns are taken when they are asked for.

    `origin`: the frame, columns and rows (None: all) that it is, where no more was done: pandas takes several columns at once.
    """

    ndim = 2

    def __init__(
        self, columns: pd.Index, held: Sequence[Column], labels: Labels, length: int, origin: Any = None
    ):
        self.columns, self.held, self.labels, self.length, self.origin = columns, held, labels, length, origin

    def __len__(self) -> int:
        return self.length

    @property
    def index(self) -> pd.Index:
        """The labels of the rows."""
        return self.labels.get()

    @property
    def attrs(self) -> dict[Any, Any]:
        """Nothing: frames that have some are not picked from."""
        return {}

    def __getitem__(self, name: Any) -> pd.Series:
        return self.column(name).series(name)

    def column(self, name: Any) -> Column:
        """A column, not taken."""
        return self.held[self.columns.get_loc(name)]

    def chosen(self, names: list[Any]) -> Picked | None:
        """Some of the columns; None where they are not plain."""
        try:
            at = [self.columns.get_loc(name) for name in names]
        except (KeyError, TypeError):
            return None
        if len(set(at)) < len(at):
            return None
        columns = self.columns.take(at)
        origin = None if self.origin is None else (self.origin[0], names, self.origin[2])
        return Picked(columns, [self.held[i] for i in at], self.labels, self.length, origin)

    def take(self, rows: np.ndarray, labels: Labels | None = None) -> Picked:
        """Some of the rows, by position; under labels of their own, or those they have."""
        before, origin = self.labels, self.origin if labels is None else None
        labels = labels or Labels(lambda: before.get().take(rows))
        found: dict[int, np.ndarray] = {}
        for each in self.held:
            if id(each.rows) not in found:
                found[id(each.rows)] = rows if each.rows is None else each.rows.take(rows)
        held = [Column(each.source, each.name, found[id(each.rows)], labels) for each in self.held]
        # Picked twice, labels may know less of themselves than picked once.
        origin = None if origin is None or origin[2] is not None else (*origin[:2], rows)
        return Picked(self.columns, held, labels, len(rows), origin)

    def under(self, labels: Labels) -> Picked:
        """The same rows under other labels."""
        held = [Column(each.source, each.name, each.rows, labels) for each in self.held]
        return Picked(self.columns, held, labels, self.length)

    def without(self, names: Sequence[Any]) -> Picked:
        """The other columns."""
        rest = [i for i, name in enumerate(self.columns) if name not in names]
        held = [self.held[i] for i in rest]
        return Picked(self.columns.take(rest), held, self.labels, self.length)

    def grouped(self, keys: Sequence[Any], others: Sequence[Any]) -> tuple[pd.DataFrame, set[Any]]:
        """Some columns, to group rows by `keys`; and those keys that are text, and came as categories in order.

        These are whose numbers are known, that are nowhere missing, and that are keys only.
        """
        found, as_categories = {}, set()
        names = list(dict.fromkeys([*keys, *others]))
        for i, name in enumerate(names):
            coded = None if name in others else self.column(name).coded()
            texts = None if coded is None else coded.categories()
            if texts is None:
                found[i] = self[name]
            else:
                found[i] = pd.Series(texts, index=self.index, copy=False)
                as_categories.add(name)
        frame = pd.DataFrame(found, index=self.index, copy=False)
        return frame.set_axis(pd.Index(names, tupleize_cols=False), axis=1), as_categories

    def with_column(self, name: Any, values: pd.Series) -> Picked:
        """The same with a column new or replaced; labels are the same."""
        column = Column(values, name, None, self.labels)
        if name not in self.columns:
            columns = self.columns.insert(len(self.columns), name)
            return Picked(columns, [*self.held, column], self.labels, self.length)
        at = self.columns.get_loc(name)
        held = [column if i == at else each for i, each in enumerate(self.held)]
        return Picked(self.columns, held, self.labels, self.length)

    def whole(self) -> pd.DataFrame:
        if self.origin is not None:
            frame, names, rows = self.origin
            if rows is None:
                return some_columns(frame, names)
            return (frame if names == list(frame.columns) else some_columns(frame, names)).take(rows)
        found = dict(enumerate(each.series(None) for each in self.held))
        return pd.DataFrame(found, index=self.index, copy=False).set_axis(self.columns, axis=1)


def some_columns(frame: pd.DataFrame, names: list[Any]) -> pd.DataFrame:
    """`frame[names]`. pandas makes an index of the names and looks that up: three times the work of finding each."""
    columns = frame.columns
    plain = int if columns.dtype.kind in "iu" else str  # among objects True is no 1 to pandas' list of names
    if columns.nlevels == 1 and columns.is_unique and all(type(name) is plain for name in names):
        try:
            at = [columns.get_loc(name) for name in names]
        except (KeyError, TypeError):  # said by pandas
            return frame[names]
        if at and all(type(place) is int for place in at):
            return frame.take(at, axis=1)
    return frame[names]


def picked(frame: Any, rows: int | None = None) -> Picked | None:
    """A frame as rows that are picked: all of them; None where pandas does better, or knows more of it than columns and labels.

    `rows`: how many will be taken of it, if not at most as many as it has.
    """
    if isinstance(frame, Picked):
        return frame
    many = (len(frame) if rows is None else rows) >= FEWEST
    if type(frame) is not pd.DataFrame or not many or not frame.shape[1] or frame.attrs:
        return None
    columns = frame.columns
    if (
        columns.nlevels > 1
        or not columns.is_unique
        or columns.hasnans
        or not frame.flags.allows_duplicate_labels
    ):
        return None
    labels = Labels(lambda: frame.index)
    held = [Column(frame, name, None, labels) for name in columns]
    return Picked(columns, held, labels, len(frame), (frame, list(columns), None))


def kept(frame: Any, mask: Any) -> Picked | None:
    """The rows where a mask is true, a series of the same labels or an array; None where that is pandas' to say."""
    some = picked(frame)
    values = mask.to_numpy() if type(mask) is pd.Series and isinstance(mask.dtype, np.dtype) else mask
    if some is None or type(values) is not np.ndarray or values.dtype != bool or values.shape != (len(some),):
        return None
    if values is not mask and not _same(mask.index, some.index):
        return None
    return some.take(np.flatnonzero(values))


def assigned(frame: Any, name: Any, values: Any) -> Picked | None:
    """The rows with a column new or replaced by a series of the same labels; None where that is pandas' to say."""
    if not isinstance(frame, Picked) or not len(frame) or type(values) is not pd.Series:
        return None
    if (
        frame.origin is not None and frame.origin[2] is None
    ):  # columns of a frame at hand: nothing is to be taken
        return None
    return frame.with_column(name, values) if _same(values.index, frame.index) else None


def _same(one: pd.Index, other: pd.Index) -> bool:
    return one is other or one.equals(other)


def matched(
    mine: Any, rows: np.ndarray | None, theirs: Any, partners: np.ndarray, shared: Sequence[Any], columns: pd.Index, *,
    first: bool, inner: bool,
) -> Picked | None:  # fmt: skip
    """Rows of a frame (None: all, in order) beside those of another, which all are there; None where that is pandas' to say.

    `first`: whether the columns of the first come first. `shared`: keys that both have by the same name, and the result once,
    in the place of the left one's; with `inner` they are the left one's. `columns`: the result's.
    """
    some, others = picked(mine, len(partners)), picked(theirs, len(partners))
    if some is None or others is None or not columns.is_unique or columns.nlevels > 1 or columns.hasnans:
        return None
    labels = Labels(lambda: pd.RangeIndex(len(partners)))
    some = some.under(labels) if rows is None else some.take(rows, labels)
    others = others.take(partners, labels)
    left, right = (some, others) if first else (others, some)
    held = [(left if inner or name not in shared else some).column(name) for name in left.columns]
    return Picked(columns, [*held, *right.without(shared).held], labels, len(partners))
