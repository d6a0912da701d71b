"""What users' functions give of each group: called where the group's rows met, put together by pandas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.groupby import ranges
from marsdask.dataframe.groupby.grouping import Grouping, Method
from marsdask.dataframe.groupby.lowering import (
    AT_ONCE,
    all_in_one,
    count_for,
    fewer_meta,
    in_order,
    places,
    put_in_order,
    ready,
    rows_bytes,
    rows_demands,
    trim,
)
from marsdask.dataframe.rows import undecided
from marsdask.dataframe.rows.pieces import Pieces
from marsdask.dataframe.sorting import shuffle
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask, Keep
from marsdask.plan.passes import EVERYTHING
from marsdask.plan.registry import lowered
from marsdask.session import room


@lowered("groupby.apply", meta=fewer_meta, demands=rows_demands, trim=trim)
def apply(
    frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any, like: Any = None
) -> Any:
    """What a function gives of each group: groups exchanged by key, the results put together by pandas."""
    frame, spec, keys, method, run = yield from ready(frame, spec, keys, name, args, kwargs)
    count = count_for(frame, spec, AT_ONCE)
    plain = "grouper" not in spec.kinds and spec.observed and spec.group_keys and spec.as_index
    if count == 1 or not plain:
        return all_in_one(run, frame, keys)
    met = shuffle.sent(frame, keys, spec.values, partial(_recorded, spec=spec, method=method), count)
    applied = partial(_applied, spec=spec)
    divisible = ranges.stand_alone(spec, spec.dtypes(frame.meta, keys))
    if divisible and rows_bytes(frame) > room.most_bytes():
        met = yield Keep(met)
        kinds = yield Ask(graph.per_chunk(_kind, met, applied=applied, lengths=None))
        if (kind := _one_kind(kinds)) is not None:
            long = graph.per_chunk(
                _put_together, met, applied=applied, like=kind, sort=spec.sort, lengths=None
            )
            return (yield from in_order(long, partial(put_in_order, spec=spec), frame, spec, keys))
    return ranges.in_one(applied, met)


@lowered(
    "groupby.undecided",
    meta=lambda frame, *call: undecided.UndecidedMeta(),
    demands=lambda node, mine: rows_demands(node, EVERYTHING),
)
def apply_undecided(frame: Chunks, *call: Any) -> Any:
    """The same, where a run tells what it gives."""
    return undecided.of_one_kind((yield from apply(frame, *call)))


def _recorded(pieces: list[Pieces], *, spec: Grouping, method: Method) -> Any:
    """The groups' keys, what the function gave of each, and where each was seen first."""
    frame, keys, homes, rows = shuffle.met(pieces)
    func, *rest = method.args
    seen: list[Any] = []
    names = [getattr(v, "name", None) for v in spec.values(frame, keys)]
    values = spec.plain_values(frame, keys)
    numbers = pd.Series(np.arange(len(frame)))
    first = numbers.groupby(values, sort=spec.sort, dropna=spec.dropna, observed=True).first().to_numpy()
    if len(first):
        spec.of(frame, keys).apply(
            lambda group: (seen.append(func(group, *rest, **method.kwargs)), 0)[1]  # type: ignore[func-returns-value]
        )
    lone = spec.select if frame.ndim == 2 else frame.name
    series = frame.ndim == 1 or (lone is not None and not isinstance(lone, list))
    return [v.iloc[first] for v in values], (names, series, lone), seen, places(homes, rows, first)


def _kind(part: tuple[Any, ...], *, applied: Any) -> pd.DataFrame | bool:
    """No rows of what a chunk's groups give together, where that is frames of one kind; else whether they give anything."""
    keys, names, results, at = part
    if not (
        results and isinstance(results[0], pd.DataFrame) and all(_alike(each, results[0]) for each in results)
    ):
        return bool(results)
    return applied([([key.iloc[:1] for key in keys], names, results[:1], at[:1])]).iloc[:0]  # type: ignore[no-any-return]


def _one_kind(kinds: Sequence[pd.DataFrame | bool]) -> pd.DataFrame | None:
    """The kind of all chunks whose groups give anything, if it is one: then some groups' results stand among all as alone."""
    there = [kind for kind in kinds if kind is not False]
    like = there[0] if there else None
    return like if isinstance(like, pd.DataFrame) and all(_alike(each, like) for each in there) else None


def _alike(one: Any, other: pd.DataFrame) -> bool:
    """Whether pandas makes one frame of both without a change of columns, dtypes or labels."""
    return (
        isinstance(one, pd.DataFrame)
        and one.columns.equals(other.columns)
        and list(one.dtypes) == list(other.dtypes)
        and list(one.index.names) == list(other.index.names)
        and _label_dtypes(one.index) == _label_dtypes(other.index)
    )


def _label_dtypes(index: pd.Index) -> list[Any]:
    return [index.get_level_values(level).dtype for level in range(index.nlevels)]


def _put_together(
    part: tuple[Any, ...], *, applied: Any, like: pd.DataFrame, sort: bool
) -> tuple[pd.DataFrame, np.ndarray | None]:
    """The rows that a chunk's groups give, under their keys, and unless these are sorted, where each one's group was seen first."""
    *_, results, at = part
    rows = applied([part]) if results else like
    if sort:
        return rows, None
    order = np.argsort(at, kind="stable")
    return rows, np.repeat(at[order], np.array([len(each) for each in results], "i8")[order])


def _applied(parts: list[Any], *, spec: Grouping) -> Any:
    """All groups' results, as pandas puts them together."""
    full = [p for p in parts if p[2]] or parts[:1]
    results = [r for p in full for r in p[2]]
    at = np.argsort(np.concatenate([p[3] for p in full]), kind="stable")
    # Labels that no row of users' has: pandas looks whether a result has those of its group.
    labels = pd.Index([f"\x00marsdask-{i:012}" for i in range(len(results))], dtype=object)
    names, series, lone = full[0][1]
    keys = [
        pd.concat([p[0][i] for p in full]).set_axis(labels).iloc[at].rename(name)
        for i, name in enumerate(names)
    ]
    table = pd.DataFrame({"row": np.arange(len(results))}, index=labels).iloc[at]
    by = keys[0] if len(keys) == 1 else keys
    group = table.groupby(by, sort=spec.sort, dropna=spec.dropna, group_keys=spec.group_keys, observed=True)
    group = group["row"] if series else group
    result = group.apply(lambda rows: results[int(np.asarray(rows).ravel()[0])])
    if series and isinstance(result, pd.Series) and result.name == "row":
        result.name = lone
    return result
