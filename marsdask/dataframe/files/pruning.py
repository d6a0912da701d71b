"""Row groups that no filter keeps rows of are not read: a pass that hands what filters ask for to the source below them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.files.statistics import Condition, literal
from marsdask.plan import passes
from marsdask.plan.meta import meta
from marsdask.plan.node import Node, _set, cut, inputs, parts, rebuilt, walk

COMPARED = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}

BY_ROW = ("frame.select", "frame.binary", "frame.unary", "frame.isin", "frame.isna", "frame.notna", "frame.between", "frame.accessed")  # fmt: skip
"""What makes of each row one value or row, and looks at no other."""


def prune(roots: Sequence[Node]) -> list[Node]:
    """Parquet whose rows nobody gets but through filters is read without the row groups of which the footers say that no row passes.

    Between a source and the filters stands only what goes row by row, so that the rows left out are left out everywhere alike.
    """
    order = walk(roots)
    if not any(node.op == "parquet" for node in order):
        return list(roots)
    bases: dict[int, Node | None] = {}
    for node in order:
        bases[id(node)] = _base(node, bases)
    asked: dict[int, list[Condition | None]] = {}
    for node in order:
        wish = _filtered(node, bases)
        for child in inputs(node):
            base = bases[id(child)]
            if base is not None and base is not bases[id(node)]:
                asked.setdefault(id(base), []).append(wish)
    for root in roots:
        asked.setdefault(id(bases[id(root)]), []).append(None)
    wanted = {at: _any_of(wishes) for at, wishes in asked.items()}

    def change(node: Node, swap: passes.Swap) -> Node:
        only = wanted[id(node)] if node is bases[id(node)] else None
        new = rebuilt(node, swap) if only is None else Node(node.op, (*node.args, only))
        if only is not None:
            _set(new, "_meta", replace(meta(node), length=math.nan, ranged=False))
            _set(new, "called", node.called)
        elif new is not node and bases[id(node)] is None:  # the same rows as before
            _set(new, "_meta", node._meta)
        return new

    return passes.rewritten(roots, order, change)


passes.OF_ROOMS.append(prune)


def _base(node: Node, bases: dict[int, Node | None]) -> Node | None:
    """The parquet whose rows, one by one, a node's are."""
    if node.op == "parquet":
        plan = node.args[0].value
        # Where nobody knows of holes, the dtypes of all rows tell.
        return node if plan.prunable and all(plan.holes.values()) and len(node.args) == 2 else None
    if node.op not in BY_ROW or not _alone(node):
        return None
    below = {id(base): base for base in (bases[id(child)] for child in inputs(node))}
    return next(iter(below.values())) if len(below) == 1 else None


def _alone(node: Node) -> bool:
    """Whether what stands beside the rows is the same for each of them."""
    if node.op == "frame.binary" and (node.args[3] == "rows") != (type(node.args[2]) is Node):
        return False  # by place
    if node.op == "frame.accessed":  # not columns that depend on the values, nor hours told by those before
        accessor, given = node.args[1], node.args[3:5]
        series = getattr(meta(node), "kind", "") == "Series"
        return series and (accessor == "str" or (accessor == "dt" and not any(given)))
    if node.op in ("frame.select", "frame.isin"):
        return not parts(node.kwargs.values(), pd.Series)
    beside = (*node.args, *node.kwargs.values())
    return all(np.ndim(value) == 0 for value in beside if type(value) is not Node)


def _filtered(node: Node, bases: dict[int, Node | None]) -> Condition | None:
    """What a filter asks of the rows of the parquet below it."""
    if node.op != "frame.filter" or len(inputs(node)) != 2:
        return None
    frame, mask = inputs(node)
    return _condition(mask) if bases[id(frame)] is bases[id(mask)] else None


def _any_of(wishes: Iterable[Condition | None]) -> Condition | None:
    found = [*dict.fromkeys(wishes)]
    return None if None in found else found[0] if len(found) == 1 else ("or", *found)


def _condition(mask: Node) -> Condition | None:
    """What every row must meet for which a mask is true; None where statistics could not tell."""
    kwargs = mask.kwargs
    if mask.op == "frame.binary" and not kwargs:
        name, left, right, how = mask.args
        if how == "rows" and name in ("__and__", "__or__"):
            known = [each for side in (left, right) if (each := _condition(side)) is not None]
            if len(known) == 2:
                return (name.strip("_"), *known)
            return known[0] if known and name == "__and__" and _truths(left) and _truths(right) else None
        if how == "plain" and name in COMPARED:
            return _compared(COMPARED[name], left, right)
    if mask.op == "frame.between" and kwargs.keys() == {"left", "right"}:
        ends = _compared(">=", mask.args[0], kwargs["left"]), _compared("<=", mask.args[0], kwargs["right"])
        return ("and", *ends) if None not in ends else None
    if mask.op == "frame.isin" and type(kwargs.get("values")) is list:
        values = [literal(value) for value in kwargs["values"]]
        column = _column(mask.args[0])
        return None if column is None or None in values else ("in", column, tuple(values))
    return None


def _compared(kind: str, column: Any, value: Any) -> Condition | None:
    name, plain = _column(column), literal(value)
    return None if name is None or plain is None else (kind, name, plain)


def _truths(node: Any) -> bool:
    dtype = getattr(meta(node).empty, "dtype", None) if type(node) is Node else None
    return dtype is not None and pd.api.types.is_bool_dtype(dtype)


def _column(node: Any) -> str | None:
    """The column of a parquet that a node picks."""
    name = node.args[1] if type(node) is Node and node.op == "frame.select" else None
    while type(node) is Node and node.op == "frame.select":
        node = node.args[0]
    return name if isinstance(name, str) and type(node) is Node and node.op == "parquet" else None


def shown(condition: Condition) -> str:
    """A condition as people write it."""
    kind, *args = condition
    if kind in ("and", "or"):
        return f"({f' {kind} '.join(map(shown, args))})"
    return f"{args[0]} {kind} {cut(str(args[1]))}"
