"""What a groupby groups by: a plain value that nodes carry, and the pandas groupby it makes of a chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle
from marsdask.dataframe.rows.alignment import together
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, ShapeError
from marsdask.plan import registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle


@dataclass(frozen=True)
class Grouping:
    """The keys and the flags of a groupby, and the columns that are selected. Keys that are data travel beside it.

    `by` has pairs ("name", label), ("key", i) for the i-th key beside it, ("call", function), ("map", dict) and
    ("grouper", Grouper); None where `level` says it. `lone`: `by` was no list. `select`: None, a label or a list of labels.
    """

    by: tuple[tuple[str, Any], ...] | None
    level: Any
    lone: bool
    as_index: bool
    sort: bool
    group_keys: bool
    observed: bool
    dropna: bool
    select: Any = None

    @property
    def count(self) -> int:
        """How many keys there are."""
        return len(self.by if self.by is not None else self._levels)

    @property
    def _levels(self) -> list[Any]:
        return list(self.level) if isinstance(self.level, (list, tuple)) else [self.level]

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.by or ()]

    @property
    def selected(self) -> list[Any] | None:
        """The selected labels as a list; None where nothing is selected."""
        return self.select if self.select is None or isinstance(self.select, list) else [self.select]

    def columns(self, empty: Any) -> list[Any]:
        """The columns of a frame among the keys."""
        return [v for kind, v in self.by or () if kind == "name" and v in getattr(empty, "columns", ())]

    def looks_at_labels(self, empty: Any) -> bool:
        """Whether keys are made from row labels."""
        made = {"call", "map", "grouper"}.intersection(self.kinds)
        return self.by is None or bool(made) or len(self.columns(empty)) < self.kinds.count("name")

    def needs_one_chunk(self, empty: Any) -> bool:
        """Whether only pandas itself on all rows answers right: bins of time, keys of no name as columns, doubled names."""
        strange = empty.ndim == 2 and not empty.columns.is_unique
        return strange or "grouper" in self.kinds or (not self.as_index and bool({*self.kinds} - {"name"}))

    def of(self, frame: Any, keys: Sequence[Any], **changed: Any) -> Any:
        """The pandas groupby of a chunk."""
        if changed:
            return replace(self, **changed).of(frame, keys)
        by: Any = None
        if self.by is not None:
            by = [keys[v] if kind == "key" else v for kind, v in self.by]
            by = by[0] if self.lone else by
        flags = {name: getattr(self, name) for name in ("sort", "group_keys", "observed", "dropna")}
        if frame.ndim == 2:
            flags["as_index"] = self.as_index
        made = frame.groupby(by, level=self.level, **flags)
        return made if self.select is None else made[self.select]

    def values(self, frame: Any, keys: Sequence[Any]) -> list[Any]:
        """The keys of a chunk as arrays."""
        index = frame.index
        if self.by is None:
            return [index.get_level_values(each) for each in self._levels]
        found: list[Any] = []
        for kind, v in self.by:
            if kind == "key":
                found.append(keys[v])
            elif kind == "name":
                column = frame.ndim == 2 and v in frame.columns
                found.append(frame[v] if column else index.get_level_values(v))
            else:
                found.append(index.map(v))
        return found

    def plain_values(self, frame: Any, keys: Sequence[Any]) -> list[pd.Series]:
        """The keys of a chunk as series under the labels 0..n-1."""
        return [pd.Series(v).reset_index(drop=True) for v in self.values(frame, keys)]

    def dtypes(self, empty: Any, keys: Sequence[Any]) -> list[Any]:
        """The dtypes of keys that are frames' columns, labels or series."""
        found = [k.empty.dtype for k in keys if isinstance(k, Chunks)]
        columns = self.columns(empty)
        names = self._levels if self.by is None else [v for kind, v in self.by if kind == "name"]
        index = empty.index
        return found + [empty.dtypes[v] if v in columns else index.get_level_values(v).dtype for v in names]


def grouping(frame: Any, by: Any, level: Any, **flags: Any) -> tuple[Any, Grouping, list[Any]]:
    """The frame, what it is grouped by and the keys that are data, all on the same rows."""
    for name, flag in flags.items():
        if not isinstance(flag, (bool, np.bool_)):
            raise ArgumentError(f"{checks.given(f'groupby({name}=)', flag)}: expected True or False.")
    if by is None and level is None:
        raise ArgumentTypeError("You have to supply one of 'by' and 'level'")
    if not flags["as_index"] and frame.ndim == 1:
        raise ArgumentTypeError("as_index=False only valid with DataFrame")
    keys: list[Any] = []
    items = None
    lone = False
    if by is None:
        _check_level(frame, level)
    else:
        lone = not isinstance(by, list) or _is_values(frame, by)
        items = tuple(_item(frame, each, keys) for each in ([by] if lone else by))
        if not items:
            raise ArgumentError("No group keys passed!")
    frame, keys, _ = together(frame, keys, {})
    return frame, Grouping(items, level, lone, **{k: bool(v) for k, v in flags.items()}), keys


def _is_values(frame: Any, by: list[Any]) -> bool:
    """Whether a list holds one key's values, as pandas reads it: as long as the frame and no names in it."""
    if any(isinstance(b, (Handle, pd.Series, np.ndarray, pd.Grouper, dict, list)) or callable(b) for b in by):
        return False
    names = [*(frame.columns if frame.ndim == 2 else ()), *frame.known.empty.index.names]
    return len(by) == frame.shape[0] and not all(b in names for b in by)


def _item(frame: Any, key: Any, keys: list[Any]) -> tuple[str, Any]:
    if isinstance(key, list):
        key = np.asarray(key)
    elif isinstance(key, pd.Index):
        key = pd.Series(key)
    if isinstance(key, (Handle, pd.Series, np.ndarray, pd.Categorical)):
        if isinstance(key, FrameHandle) and key.ndim != 1:
            raise ArgumentError(f"Grouper for {type(key).__name__!r} not 1-dimensional")
        numbered = isinstance(key, pd.Series) and key.index.equals(pd.RangeIndex(len(key)))
        keys.append(
            _positional(frame, key) if numbered or isinstance(key, (np.ndarray, pd.Categorical)) else key
        )
        return ("key", len(keys) - 1)
    if isinstance(key, pd.Grouper):
        plain = key.key is not None and getattr(key, "freq", None) is None
        return ("name", key.key) if plain else ("grouper", key)
    if isinstance(key, Mapping):
        return ("map", dict(key))
    labels = list(frame.columns) if frame.ndim == 2 else []
    names = [n for n in frame.known.empty.index.names if n is not None]
    if _hashable(key) and (key in labels or key in names):
        return ("name", key)
    if callable(key):
        return ("call", key)
    raise ColumnNotFound.among(key, [*labels, *names])


def _positional(frame: Any, values: Any) -> Any:
    """In-memory values by position: a tensor where the frame's labels are not 0..n-1."""
    length = frame.shape[0]
    if length == length and len(values) != length:
        raise ShapeError(f"Length of grouper ({len(values)}) and axis ({length}) must be same length")
    if isinstance(values, pd.Series):
        return values
    if frame.known.ranged:
        return pd.Series(values)
    if isinstance(values, pd.Categorical):
        raise ArgumentTypeError(
            "a Categorical key needs a frame with labels 0..n-1. Hint: assign it as a column first."
        )
    return registry.call(registry.lookup("tensor"), (values,), {})


def _hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _check_level(frame: Any, level: Any) -> None:
    index = frame.known.empty.index
    for each in level if isinstance(level, (list, tuple)) else [level]:
        index._validate_index_level(each) if index.nlevels == 1 else index._get_level_number(each)


@dataclass(frozen=True)
class Method:
    """A method of pandas' groupby with its arguments."""

    name: str
    args: list[Any]
    kwargs: dict[str, Any]

    def of(self, frame: Any, keys: Sequence[Any], spec: Grouping) -> Any:
        """What pandas gives of a frame's groups."""
        group = spec.of(frame, keys)
        if self.name == "fillna":
            return group.transform(lambda part: part.fillna(*self.args, **self.kwargs))
        result = getattr(group, self.name)(*self.args, **self.kwargs)
        return _narrow(frame, result) if "mean" in (self.name, *self.args[:1]) else result


def _narrow(frame: Any, result: Any) -> Any:
    """Means of float32 as float32: pandas 3.1 widens those of columns without holes only."""
    if result.ndim == 1:
        source = frame.dtype if frame.ndim == 1 else frame.dtypes.get(result.name)
        return result.astype("f4") if source == np.float32 and result.dtype == np.float64 else result
    if frame.ndim == 1 or frame.columns.nlevels != result.columns.nlevels:
        return result
    narrow = [c for c, d in result.dtypes.items() if d == np.float64 and frame.dtypes.get(c) == np.float32]
    return result.astype(dict.fromkeys(narrow, "f4")) if narrow else result
