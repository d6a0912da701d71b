"""Passes: node -> node, before anything is lowered. Each can be switched off by an option.

`share` makes equal expressions one node, `fuse` makes elementwise chains one kernel, `drop` leaves out columns, row
order and labels that nobody sees; and rows, by passes of rooms that know where these come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from marsdask.options import options
from marsdask.plan.entries import label, lookup
from marsdask.plan.graph.names import joint
from marsdask.plan.holes import is_open
from marsdask.plan.meta import FrameMeta, TensorMeta, meta
from marsdask.plan.node import Node, _set, calling, inputs, rebuilt, token, walk


def run(roots: Sequence[Node], known: Known | None = None) -> list[Node]:
    """All passes that are switched on, in their order, over what is `known` of executed data."""
    nodes = replaced(roots, known, shared=options.optimize.share)
    for name, change in (("drop", drop), *(("drop", each) for each in OF_ROOMS), ("fuse", fuse)):
        if getattr(options.optimize, name):
            nodes = change(nodes)
    return nodes


OF_ROOMS: list[Callable[[Sequence[Node]], list[Node]]] = []
"""Passes that rooms add, which leave out what nobody looks at, too."""

Swap = Callable[[Node], Node]
"""What is in the place of a node now."""
Known = Callable[[Node], Node | None]
"""A new leaf with the data of a node, where there are any; it gets the node's token."""


def rewritten(
    roots: Sequence[Node], order: Iterable[Node], change: Callable[[Node, Swap], Node]
) -> list[Node]:
    """`roots` with `change(node, swap)` in the place of each node of `order`, which is `walk(roots)`."""
    new: dict[int, Node] = {}

    def swap(node: Node) -> Node:
        return new[id(node)]

    for node in order:
        new[id(node)] = change(node, swap)
    return list(map(swap, roots))


def looked_at(roots: Sequence[Node], order: Iterable[Node]) -> Counter[int]:
    """How often each node of `order` is looked at, by id: by those that take it, and as one of `roots`."""
    return Counter([*map(id, roots), *(id(child) for node in order for child in inputs(node))])


def meaning(node: Node, new: Node) -> Node:
    """`new`, which says what `node` says in other words: by the same token, with the same metadata.

    Of open metadata more may be known by now: its inputs may have run.
    """
    _set(new, "_token", token(node))
    if new is not node and not is_open(node._meta):
        _set(new, "_meta", node._meta)
    return new


def share(roots: Sequence[Node]) -> list[Node]:
    """Equal nodes become one object, so that they are lowered and run once."""
    return replaced(roots, None, shared=True)


def replaced(roots: Sequence[Node], known: Known | None, *, shared: bool) -> list[Node]:
    """`roots` with every node that `known` answers for replaced, and nothing below it looked at; `shared`: equal nodes as one."""
    found: dict[int, Node] = {}
    first: dict[str, Node] = {}

    def below(node: Node) -> Sequence[Node]:
        if known is None or (other := known(node)) is None:
            return inputs(node)
        _set(other, "_token", token(node))  # so that what stands above keeps its own
        found[id(node)] = other
        return ()

    def change(node: Node, swap: Swap) -> Node:
        if shared and (same := first.get(token(node))) is not None:
            return same
        new = found.get(id(node)) or meaning(node, rebuilt(node, swap))
        first[token(node)] = new
        return new

    return rewritten(roots, walk(roots, below), change)


@dataclass(frozen=True, slots=True)
class Demand:
    """What users of a frame look at: which columns (None: all), its row order, its labels; and of its values their dtypes, or
    only whether they are missing."""

    columns: frozenset[Any] | None = None
    order: bool = True
    labels: bool = True
    dtypes: bool = True

    def __or__(self, other: Demand) -> Demand:
        both = self.columns is not None and other.columns is not None
        columns = self.columns | other.columns if both else None  # type: ignore[operator]
        return Demand(
            columns, self.order or other.order, self.labels or other.labels, self.dtypes or other.dtypes
        )

    def of(self, columns: frozenset[Any] | None) -> Demand:
        """The same of other columns."""
        return replace(self, columns=columns)


EVERYTHING = Demand()
ROWS = Demand(None, order=False, labels=False)


def drop(roots: Sequence[Node]) -> list[Node]:
    """Carry what is looked at from the roots down, and let operations leave out the rest.

    An operation says by `demands(node, demand)` what it looks at in each of its inputs, in the order of
    `inputs(node)`, and by `trim(node, demand)` what it becomes when only that much of it is looked at. Without
    `demands`, the trait "through" passes a demand on, "blind" means neither order nor labels are looked at, and
    everything else looks at everything.
    """
    order = walk(roots)
    if not any(isinstance(meta(n), FrameMeta) for n in order):
        return list(roots)
    demand: dict[int, Demand] = {id(root): EVERYTHING for root in roots}
    placed = _placed(order)
    for node in reversed(order):
        mine = demand[id(node)]
        wishes = _demands(node, mine)
        if _beside_placed(node, placed):
            wishes = [Demand(wish.columns) for wish in wishes]
        for child, wish in zip(inputs(node), wishes, strict=True):
            before = demand.get(id(child))
            demand[id(child)] = wish if before is None else before | wish

    def trimmed(node: Node, swap: Swap) -> Node:
        new = rebuilt(node, swap)
        op = lookup(node.op)
        mine = demand[id(node)]
        if op.trim is not None and mine != EVERYTHING:
            with calling(node.called):
                new = op.trim(new, mine)
        if new is not node and new._meta is None and mine == EVERYTHING:
            _set(new, "_meta", node._meta)
        return new

    return rewritten(roots, order, trimmed)


def _placed(order: Iterable[Node]) -> set[int]:
    """Frames, by id, whose rows stand where they do whatever is left out: executed data, and what was cut like another frame."""
    placed: set[int] = set()
    for node in order:
        if isinstance(meta(node), FrameMeta):
            rows = meta(node).rows
            below = (n for n in inputs(node) if id(n) in placed and meta(n).rows == rows)
            if "placed" in lookup(node.op).traits or any(below):
                placed.add(id(node))
    return placed


def _beside_placed(node: Node, placed: set[int]) -> bool:
    """Whether rows of an operation's frames stand beside each other, or beside a tensor's, and only some are free to stand elsewhere."""
    below = inputs(node)
    if len(below) < 2:
        return False
    frames = [n for n in below if isinstance(meta(n), FrameMeta)]
    if frames and any(isinstance(known := meta(n), TensorMeta) and known.shape for n in below):
        return True
    held = [meta(n).rows for n in frames if id(n) in placed]
    return any(meta(n).rows in held for n in frames if id(n) not in placed)


def blind_to_dtypes(node: Node) -> list[bool]:
    """Of each input whether only missing values are looked at."""
    return [not wish.dtypes for wish in _demands(node, EVERYTHING)]


def _demands(node: Node, mine: Demand) -> Iterable[Demand]:
    op = lookup(node.op)
    if not mine.dtypes and "open" not in op.traits:  # it makes other values of other dtypes
        mine = replace(mine, dtypes=True)
    if op.demands is not None:
        return op.demands(node, mine)  # type: ignore[no-any-return]
    if "through" in op.traits:
        return [mine] * len(inputs(node))
    return [ROWS if "blind" in op.traits else EVERYTHING] * len(inputs(node))


# A step of a fused program: the ufunc's name and its operands, each ("in", i) an input, ("at", i) an earlier step's
# result, ("is", value) a number.
Step = tuple[str, tuple[tuple[str, Any], ...]]


def fuse(roots: Sequence[Node]) -> list[Node]:
    """Elementwise chains, with a reduction at their end, become one `fused` node with one kernel per chunk."""
    order = walk(roots)
    if not any(map(_is_ufunc, order)):
        return list(roots)
    users: dict[int, dict[int, Node]] = {}
    for node in order:
        for child in inputs(node):
            users.setdefault(id(child), {})[id(node)] = node
    outside = {id(root) for root in roots}

    def absorbed(node: Node) -> bool:
        mine = users.get(id(node), {})
        if len(mine) != 1 or id(node) in outside or not _is_ufunc(node):
            return False
        (user,) = mine.values()
        if _is_ufunc(user):
            one, other = meta(node).shape, meta(user).shape
            both = zip(one, other, strict=False)
            return len(one) == len(other) and all(m == n or (m != m and n != n) for m, n in both)
        plain = len(user.args) == 1 and user.kwargs.keys() <= {"axis", "keepdims"}
        return plain and "reducible" in lookup(user.op).traits

    gone = {id(n) for n in order if absorbed(n)}

    def joined(node: Node, swap: Swap) -> Node:
        if id(node) in gone:
            return node  # nobody asks for it any more
        takes_chain = any(id(child) in gone for child in inputs(node))
        new = _fused(node, gone, swap) if takes_chain else rebuilt(node, swap)
        if new is not node:
            _set(new, "_meta", meta(node))
        return new

    return rewritten(roots, order, joined)


def _is_ufunc(node: Node) -> bool:
    if "ufunc" not in lookup(node.op).traits or node.kwargs:
        return False
    known = meta(node)
    return isinstance(known, TensorMeta) and known.dtype.kind in "biufc" and bool(known.shape)


def _fused(top: Node, gone: set[int], swap: Swap) -> Node:
    """The `fused` node for `top` and the chain below it."""
    steps: list[Step] = []
    leaves: list[Node] = []
    where: dict[int, tuple[str, Any]] = {}

    def operand(value: Any) -> tuple[str, Any]:
        if type(value) is not Node:
            return ("is", value)
        if id(value) not in where:
            new = swap(value)
            if new not in leaves:
                leaves.append(new)
            where[id(value)] = ("in", leaves.index(new))
        return where[id(value)]

    chain = walk([top], lambda n: [c for c in inputs(n) if id(c) in gone])
    called = joint(map(label, chain))
    reduced = None
    if not _is_ufunc(top):
        reduced = (top.op, top.kwargs.get("axis"), top.kwargs.get("keepdims", False))
        chain.pop()
    for node in chain:
        name, operands = lookup(node.op).public, tuple(map(operand, node.args))
        if name == "power" and operands[1] == ("is", 2) and meta(node).dtype.kind == "f":
            # The power ufunc does not look for squares, as Python's operator does.
            name, operands = "square", operands[:1]
        steps.append((name, operands))
        where[id(node)] = ("at", len(steps) - 1)
    new = Node("fused", (tuple(steps), reduced, *leaves))
    _set(new, "called", called)
    return new
