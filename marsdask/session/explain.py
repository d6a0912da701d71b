"""What a lazy object is and what will run: its expression as a tree, with sizes, and who does each line.

>>> import marsdask.tensor as mt
>>> x = mt.ones((1000, 1000), chunk_size=500)
>>> print(((x + 1) * 2).sum().explain())
fused-sum: add, multiply  ()  8 B  1 chunk                  marsdask
└─ filled                 (1000, 1000)  7.63 MiB  4 chunks  Dask
<BLANKLINE>
no questions; options.optimize: share, drop, fuse, batch
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from dask.utils import format_bytes

from marsdask.options import options
from marsdask.plan import graph, passes
from marsdask.plan.handle import Handle
from marsdask.plan.lower import Lowering, Question
from marsdask.plan.meta import FrameMeta, TensorMeta, TupleMeta, meta
from marsdask.plan.node import Node, cut, inputs, parts
from marsdask.plan.registry import lookup
from marsdask.session import get_default_or_create, room


class _Unanswered(Exception):
    """Raised in the place of an answer: explaining runs nothing."""


WHO = {"delegated": "Dask", "tiled": "marsdask", "gathered": "marsdask, in one chunk", "unbuilt": "unbuilt"}


def explain(handle: Handle, *, ask: bool = False) -> str:
    """The plan of `handle` as text.

    With `ask`, questions are answered (which runs what they need), so that every chunk count and the rule that chose
    each plan are known; without, nothing runs, and what waits for an answer is marked.
    """
    session = get_default_or_create()
    (root,) = passes.run([handle.node], session._known)
    work = session.lowering()
    if not ask:
        work.answer = _refuse
    with contextlib.suppress(_Unanswered):
        work.run([root])
    rows = _tree(root, work)
    width, middle = (max(len(row[i]) for row in rows) for i in (0, 1))
    lines = [f"{head:<{width}}  {size:<{middle}}  {who}".rstrip() for head, size, who in rows]
    on = ", ".join(name for name in ("share", "drop", "fuse", "batch") if getattr(options.optimize, name))
    questions = "no questions"
    if work.asked:
        questions = f"{_counted(len(work.asked), 'operation')} with questions"
        questions += "" if ask else " so far, which explain(ask=True) answers"
    return "\n".join([*lines, "", f"{questions}; options.optimize: {on or 'none'}"])


def _refuse(questions: Sequence[Question], kept: Any) -> Any:
    raise _Unanswered


def _tree(root: Node, work: Lowering) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = []
    shown: dict[int, int] = {}
    stack: list[tuple[Node, str, str]] = [(root, "", "")]
    while stack:
        node, lead, below = stack.pop()
        if id(node) in shown:
            rows.append((f"{lead}{_title(node)} (line {shown[id(node)]})", "", ""))
            continue
        shown[id(node)] = len(rows) + 1
        who = ["executed" if node.op == "result" else WHO[lookup(node.op).status]]
        if asked := work.asked.get(id(node)):
            who.append(f"asks ({', '.join(asked)})")
        who += work.rules.get(id(node), [])
        if not inputs(node) and node.op != "result" and room.chose(_chunks(node, work), _nbytes(meta(node))):
            who.append(room.rule())
        rows.append((f"{lead}{_title(node)}", _size(node, work), "; ".join(who)))
        branch, rest = "└─ ", "   "
        for child in reversed(inputs(node)):
            stack.append((child, below + branch, below + rest))
            branch, rest = "├─ ", "│  "
    return rows


def _title(node: Node) -> str:
    if node.op == "fused":
        program, reduced = node.args[:2]
        steps = ", ".join(step[0] for step in program)
        return f"fused-{reduced[0]}: {steps}" if reduced else f"fused: {steps}"
    values: dict[str, Any] = {str(i): a for i, a in enumerate(node.args)} | node.kwargs
    if not inputs(node):  # of a source only names of files: shape and chunks are shown beside it
        values = {k: v for k, v in values.items() if isinstance(v, str) and len(v) > 1}
    plain = []
    for name, value in values.items():
        if not isinstance(value, (list, dict)) and not parts([value], Node):
            said = cut(str(value) if isinstance(value, np.dtype) else repr(value), 20)
            plain.append(said if name.isdigit() else f"{name}={said}")
    return f"{lookup(node.op).public} {cut(', '.join(t for t in plain if '<' not in t), 50)}".rstrip()


def _size(node: Node, work: Lowering) -> str:
    known = meta(node)
    if isinstance(known, TupleMeta):
        return f"{len(known.items)} results"
    if not isinstance(known, (TensorMeta, FrameMeta)):
        return ""
    lengths = ["?" if math.isnan(n) else str(int(n)) for n in known.shape]
    shape = ", ".join(lengths) + "," * (len(lengths) == 1)
    count, size = _chunks(node, work), _nbytes(known)
    chunks = _counted(count, "chunk") if count else "chunks: waits for an answer"
    return f"({shape})  {'? B' if math.isnan(size) else format_bytes(int(size))}  {chunks}"


def _chunks(node: Node, work: Lowering) -> int:
    """How many chunks a node has; 0 where that waits for an answer."""
    done = work.done.get(id(node))
    return 0 if done is None else len(graph.keys_of(done))


def _nbytes(known: Any) -> float:
    """About how many bytes there are; nan where that is not known."""
    if isinstance(known, TensorMeta):
        return math.prod(known.shape) * known.dtype.itemsize
    if not isinstance(known, FrameMeta):
        return math.nan
    dtypes = known.empty.dtypes if known.kind == "DataFrame" else [known.empty.dtype]
    return known.length * sum(getattr(d, "itemsize", 8) for d in dtypes)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
