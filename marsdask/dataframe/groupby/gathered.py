"""Aggregations of groups whose rows are all in one chunk: each row as it is, or by the number of its group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from marsdask.dataframe.groupby.grouping import Grouping, Method, as_narrow
from marsdask.dataframe.groupby.tables import Output, labels, of_result, shaped
from marsdask.dataframe.kernels import picked
from marsdask.dataframe.kernels.folds import Wanted, aggregated, framed
from marsdask.dataframe.kernels.groups import Groups, distinct, numbered
from marsdask.plan import graph

FEWER = 8
"""Rows for each group of a chunk from which on rows go to one chunk by the number of their group, and not under their keys."""


def in_one(frame: Any, *keys: Any, spec: Grouping, method: Method, found: Sequence[Output], like: Any) -> Any:
    """What a method gives of all rows: pandas' aggregations of groups by number where keys have numbers, else pandas' method."""
    values = spec.plain_values(frame, keys)
    groups = of_result(values, spec)
    if groups is None:
        return method.of(frame, *keys, spec=spec)
    columns = _of_rows(frame.to_frame(0) if frame.ndim == 1 else frame, groups, found)
    return shaped(columns, labels(values, groups, spec), spec, like)


class ByGroup(NamedTuple):
    """Rows of a chunk by the numbers of their groups: the keys of each group, and the columns that are no keys, or aggregated."""

    keys: pd.DataFrame
    number: np.ndarray
    frame: pd.DataFrame

    def rows(self) -> pd.DataFrame:
        """The rows under their keys again."""
        keys = {name: self.keys[name].array.take(self.number) for name in self.keys}
        others = {name: values.array for name, values in self.frame.items()}
        return framed({**keys, **others}, pd.RangeIndex(len(self.number)))


def by_group(frame: pd.DataFrame, spec: Grouping, found: Sequence[Output]) -> ByGroup | pd.DataFrame:
    """The rows of a chunk by group, where groups are few and their keys, which are columns, have numbers; else as they are."""
    keys, names = spec.plain_values(frame, ()), spec.columns(frame)
    groups = numbered(keys, sort=spec.sort)
    if groups is None or groups.count * FEWER > len(frame):
        return frame
    arrays = (key.array for key in groups.keys(keys))
    each = framed(dict(zip(names, arrays, strict=True)), pd.RangeIndex(groups.count))
    number = groups.number.astype(np.min_scalar_type(-groups.count))
    gone = {*names} - {c for c, *_ in found}
    return ByGroup(each, number, picked.some_columns(frame, [c for c in frame.columns if c not in gone]))


def of_groups(
    parts: list[ByGroup | pd.DataFrame], *, spec: Grouping, method: Method, found: Sequence[Output], like: Any
) -> Any:
    """What a method gives of the rows of all chunks: `in_one`, with keys looked at once for each group of a chunk."""
    coded = [part for part in parts if isinstance(part, ByGroup)]
    if len(coded) == len(parts):
        keys = spec.plain_values(graph.concat([part.keys for part in coded]), ())
        groups = of_result(keys, spec)
        if groups is not None:
            numbers = np.split(groups.number, np.cumsum([len(part.keys) for part in coded])[:-1])
            number = np.concatenate([n.take(part.number) for n, part in zip(numbers, coded, strict=True)])
            looked_at = list(dict.fromkeys(c for c, *_ in found if c is not None))
            frame = graph.concat([picked.some_columns(part.frame, looked_at) for part in coded])
            columns = _of_rows(frame, Groups(number, count=groups.count), found)
            return shaped(columns, labels(keys, groups, spec), spec, like)
    rows = graph.concat([part.rows() if isinstance(part, ByGroup) else part for part in parts])
    return in_one(rows, spec=spec, method=method, found=found, like=like)


def _of_rows(frame: pd.DataFrame, groups: Groups, found: Sequence[Output]) -> list[Any]:
    """The columns of the result, of rows whose groups have numbers."""
    made: dict[tuple[Any, str], Any] = {}
    wanted: dict[tuple[Any, str], Wanted] = {}
    for c, how, kwargs in found:
        if how == "size":
            made[c, how] = groups.sizes()
        elif how == "nunique":
            made[c, how] = distinct(groups, frame[c]).counts(groups.count, dropna=kwargs.get("dropna", True))
        else:
            wanted[c, how] = frame[c], how, kwargs
    for (c, how), counts in zip(wanted, aggregated(groups, [*wanted.values()]), strict=True):
        means = how == "mean"
        made[c, how] = as_narrow(pd.Series(counts, copy=False), [frame.dtypes[c]]).array if means else counts
    return [made[c, how] for c, how, _ in found]
