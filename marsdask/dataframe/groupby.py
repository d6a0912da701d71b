"""GroupBy: an object between a frame and what is made of its groups. Its methods are registered in `groups`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from marsdask.dataframe import grouping
from marsdask.dataframe.grouping import Grouping
from marsdask.errors import ColumnNotFound, UnknownName
from marsdask.plan import registry
from marsdask.plan.handle import held


class GroupBy:
    """Groups of a frame's rows, lazily. Select columns with `[...]`, then call a method."""

    __slots__ = ("_frame", "_keys", "_spec")
    kind: ClassVar[str] = "GroupBy"

    def __init__(self, frame: Any, spec: Grouping, keys: Sequence[Any]):
        self._frame, self._spec, self._keys = frame, spec, list(keys)

    def __repr__(self) -> str:
        return f"{type(self).__name__} <by={self._spec['by'] or self._spec['level']!r}>"

    def _selected(self, key: Any) -> GroupBy:
        names = key if isinstance(key, list) else [key]
        for name in names:
            if name not in self._frame.columns:
                raise ColumnNotFound.among(name, self._frame.columns)
        if self._spec["select"] is not None:
            raise IndexError(f"Column(s) {self._spec['select']} already selected")
        kind = DataFrameGroupBy if isinstance(key, list) or not self._spec["as_index"] else SeriesGroupBy
        return kind(self._frame, {**self._spec, "select": key}, self._keys)

    def execute(self, session: Any = None, **kwargs: Any) -> Any:
        """Run the frame and the keys, and return self."""
        for each in (self._frame, *self._keys):
            each.execute(session=session, **kwargs)
        return self

    def fetch(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby of the executed frame."""
        keys = [k.fetch(session=session) for k in self._keys]
        return grouping.grouped(self._spec, self._frame.fetch(session=session, **kwargs), keys)

    def to_pandas(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby, run first if needed."""
        return self.execute(session=session).fetch(session=session, **kwargs)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`."""
        if isinstance(func, tuple):
            func, name = func
            return func(*args, **{name: self, **kwargs})
        return func(self, *args, **kwargs)

    @property
    def ndim(self) -> int:
        return 2 if isinstance(self, DataFrameGroupBy) else 1

    def __len__(self) -> int:
        return len(self.size()._run_and_fetch())

    ngroups = property(__len__)

    @property
    def groups(self) -> Any:
        """Group name -> row labels; runs the frame."""
        return self.to_pandas().groups

    @property
    def indices(self) -> Any:
        """Group name -> row positions; runs the frame."""
        return self.to_pandas().indices

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """(name, the group's rows as a lazy frame) of every group; asks which groups there are."""
        names = (
            DataFrameGroupBy(self._frame, {**self._spec, "as_index": True, "select": None}, self._keys)
            .size()
            ._run_and_fetch()
            .index
        )
        one = not self._spec["lone"] and self._spec["by"] is not None and names.nlevels == 1
        for name in names:
            wanted = (name,) if one else name
            yield wanted, self.get_group(wanted)

    def __dir__(self) -> list[str]:
        return sorted(
            {*object.__dir__(self), *(c for c in getattr(self._frame, "columns", ()) if isinstance(c, str))}
        )


class DataFrameGroupBy(GroupBy):
    """Groups of a DataFrame's rows."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self._selected(
            list(key) if isinstance(key, (pd.Index, np.ndarray, tuple)) and not self._is_label(key) else key
        )

    def _is_label(self, key: Any) -> bool:
        return isinstance(key, tuple) and key in self._frame.columns

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and self._frame.ndim == 2 and name in self._frame.columns:
            return self[name]
        raise UnknownName.among("DataFrameGroupBy", name, dir(type(self)))

    @property
    def dtypes(self) -> Any:
        return self._frame.dtypes


class SeriesGroupBy(GroupBy):
    """Groups of a Series' rows."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise UnknownName.among("SeriesGroupBy", name, dir(type(self)))

    @property
    def dtype(self) -> Any:
        select = self._spec["select"]
        return self._frame.dtype if select is None else self._frame.dtypes[select]

    @property
    def name(self) -> Any:
        return self._frame.name if self._spec["select"] is None else self._spec["select"]


def _groupby(self: Any, by: Any = None, level: Any = None, as_index: bool = True, sort: bool = True,
             group_keys: bool = True, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
    snapshot = registry.wrap(self.node, held(self))
    frame, spec, keys = grouping.described(snapshot, by, level, as_index, sort, group_keys, observed, dropna)
    return (DataFrameGroupBy if self.ndim == 2 else SeriesGroupBy)(frame, spec, keys)


registry.rewritten("groupby", "Groups of rows with equal keys: a lazy `GroupBy`.", _groupby,
                   room="dataframe", owners=("DataFrame", "Series"), function=False)  # fmt: skip


def made(op: str, group: GroupBy, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The handle of a method of groups. A selected column that is all that is looked at is selected in the frame."""
    return registry.make(op, group._frame, group._spec, group._keys, name, list(args), dict(kwargs))
