"""Rows that are sorted only to keep the first or last of each group: chunks leave out the others before the sort.

A pass over nodes: `head(n)` or `tail(n)` of groups of sorted rows that nobody else looks at. A row that is behind `n` of its group in
its chunk is behind them in all rows too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.groupby.grouping import Grouping
from marsdask.dataframe.kernels.groups import by_pandas, numbered
from marsdask.dataframe.kernels.leading import leading
from marsdask.dataframe.rows.alignment import rows_of
from marsdask.dataframe.sorting.sort import Sort
from marsdask.plan import graph, passes
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import meta
from marsdask.plan.node import Node, _set, rebuilt, walk
from marsdask.plan.registry import lowered

FEWEST = 1 << 16
"""Frames known to have fewer rows are sorted as they are: 8 ms, of which a run more to know what is left would take one."""


def lead(roots: Sequence[Node]) -> list[Node]:
    """Sorted rows that are there only for the first or last of their groups are sorted without those that are surely others."""
    order = walk(roots)
    if not any(node.op == "groupby.pick" for node in order):
        return list(roots)
    users = passes.looked_at(roots, order)
    asked: dict[int, tuple[Any, ...]] = {}
    between: set[int] = set()
    for node in order:
        chain = _below(node, users)
        if chain and (wish := _wish(node, chain[-1])):
            asked[id(chain[-1])] = wish
            between.update(map(id, chain))

    def change(node: Node, swap: passes.Swap) -> Node:
        new = rebuilt(node, swap)
        if id(node) in asked:
            frame, how = new.args
            fewer = Node("groupby.leading", (frame, how, *asked[id(node)]))
            new = Node(node.op, (fewer, how))
            for each in (fewer, new):
                _set(each, "called", node.called)
        elif id(node) not in between:  # the same rows as before
            passes.meaning(node, new)
        return new

    return passes.rewritten(roots, order, change)


passes.OF_ROOMS.append(lead)


def _below(node: Node, users: Mapping[int, int]) -> list[Node]:
    """What stands below picked rows, down to a sort; nothing where there is none, or where others look at it too."""
    if node.op != "groupby.pick":
        return []
    chain = [node.args[0]]
    while chain[-1].op == "frame.select" and users[id(chain[-1])] == 1:
        chain.append(chain[-1].args[0])
    return chain if chain[-1].op == "frame.sorted" and users[id(chain[-1])] == 1 else []


def _wish(node: Node, rows: Node) -> tuple[Grouping, int, bool] | None:
    """By what the sorted rows are grouped, how many of each group are wanted, and whether the last; None where that is not all."""
    _, spec, keys, name, args, kwargs = node.args
    how, empty = rows.args[1], meta(rows).empty
    n = next(iter((*args, *kwargs.values())), 5)
    plain = name in ("head", "tail") and len(args) + len(kwargs) <= 1 and isinstance(n, (int, np.integer))
    if not plain or n < 1 or keys or not spec.by_name or empty.ndim != 2 or not how.by:
        return None
    columns = {*(v for _, v in spec.by), *how.by}
    alone = empty.columns.is_unique and columns <= {*empty.columns} and how.key is None
    # Objects that cannot be compared are the user's error, also of rows that are left out.
    return (spec, int(n), name == "tail") if alone and not _objects(empty[[*how.by]]) else None


def _objects(frame: pd.DataFrame) -> bool:
    return any(map(pd.api.types.is_object_dtype, frame.dtypes))


@lowered("groupby.leading", meta=lambda frame, *rest: frame.fewer())
def leading_rows(frame: Chunks, how: Sort, spec: Grouping, n: int, last: bool) -> Chunks:
    """Rows in their order without those that are behind `n` of their group."""
    if frame.known and sum(frame.lengths or ()) < FEWEST:
        return frame
    graph.rule("groupby: rows that are behind others of their group are left out before the sort")
    return graph.per_chunk(_leading, frame, how, spec, n, last, frame.count == 1, lengths="unknown")


def _leading(frame: pd.DataFrame, how: Sort, spec: Grouping, n: int, last: bool, alone: bool) -> pd.DataFrame:
    """`alone`: the chunk is all rows, and to sort them is no more than to know what to leave out but by values."""
    thin = how.thin(frame)
    values = _values(thin, how)
    if not len(frame) or (alone and values is None):
        return frame
    groups = numbered(spec.plain_values(frame, ()), sort=True)
    if groups is None:
        groups = by_pandas(spec.of(frame, (), sort=False, observed=True, as_index=True, select=None))
    rows = leading(
        groups, lambda rows: rows[how.order(rows_of(thin, rows).reset_index(drop=True))], n,
        last=last, values=values, largest=how.ascending is last,
    )  # fmt: skip
    return frame if rows is None else rows_of(frame, rows)


def _values(thin: pd.DataFrame, how: Sort) -> np.ndarray | None:
    """The numbers that rows are sorted by; None where it is more, or where some are missing."""
    if thin.shape[1] > 1 or not isinstance(how.ascending, bool):
        return None
    values = thin.iloc[:, 0].to_numpy() if isinstance(thin.dtypes.iloc[0], np.dtype) else None
    if values is None or values.dtype.kind not in "iuf":
        return None
    return None if values.dtype.kind == "f" and np.isnan(values).any() else values
