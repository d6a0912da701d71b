"""Tensors and frames that go into a function and come out of it, without their data going along.

A function gets a handle over the caller's computed chunks. What it returns is put together again in the caller's session:
where it is an expression over an argument, the argument becomes the caller's own again.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import FrameMeta, Rows
from marsdask.plan.node import Node, leaf, token, walk
from marsdask.plan.passes import replaced
from marsdask.plan.registry import lowered
from marsdask.session import Session
from marsdask.session.lazy import ExecutableTuple
from marsdask.session.results import Result, exact, tasks_of


def mapped(value: Any, swap: Callable[[Any], Any]) -> Any:
    """A copy of `value` with every leaf of its tuples, lists and dicts swapped."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([mapped(v, swap) for v in value])
    if kind is dict:
        return {k: mapped(v, swap) for k, v in value.items()}
    if isinstance(value, ExecutableTuple):
        return tuple(mapped(v, swap) for v in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(mapped(v, swap) for v in value))
    return swap(value)


class Handed:
    """An executed tensor or frame on its way to a function: its chunks, its metadata, the token of the caller's node."""

    __slots__ = ("collection", "meta", "token")

    def __init__(self, collection: Any, meta: Any, token: str):
        self.collection, self.meta, self.token = collection, meta, token

    def __reduce__(self) -> Any:
        return _handed, (graph.bare(self.collection), self.meta, self.token)

    def handle(self, session: Session) -> Any:
        """The handle that the function gets."""
        node = leaf("handed", self, self.meta, name=self.token)
        return _executed(node, session, self.collection, self.meta)


def _handed(bare: Any, meta: Any, token: str) -> Handed:
    return Handed(graph.elsewhere(bare), meta, token)


def handed(collections: list[Any], metas: list[Any], tokens: list[str]) -> list[Handed]:
    """Computed collections ready to be handed to a function."""
    # Rows know what made them, with its data; the function only has to know which frames have the same ones.
    rows: dict[Rows, Rows] = {}
    found = []
    for collection, meta, name in zip(collections, metas, tokens, strict=True):
        known = exact(meta, collection)
        if isinstance(known, FrameMeta):
            known = dataclasses.replace(known, rows=rows.setdefault(known.rows, Rows()))
        found.append(Handed(collection, known, name))
    return found


def _executed(node: Node, session: Session, collection: Any, meta: Any) -> Any:
    handle = registry.wrap(node)
    result = Result(session, graph.made_by(collection, node), meta, node)
    handle._result = session.results[token(node)] = result
    return handle


@lowered("handed", sizes="any", status="delegated", meta=lambda argument: argument.value.meta)
def _lowered(argument: Any) -> Any:
    """The chunks of an argument of a function."""
    return argument.value.collection


class Returned:
    """A tensor, frame or object on its way out of a function: the expression, and its chunks where it was executed."""

    __slots__ = ("bare", "dataset", "meta", "node")

    def __init__(self, node: Node, bare: Any, meta: Any, dataset: str):
        self.node, self.bare, self.meta, self.dataset = node, bare, meta, dataset


def packed(value: Any, session: Session, name: str, tell: Callable[[str], None]) -> Any:
    """A function's result as it leaves a worker: handles packed, executed data published for whoever gets them.

    `tell` gets the name of what was published: it is the caller who takes it back when nobody needs it.
    """
    from distributed import Future

    dataset = f"marsdask-{session.session_id}-{name}"
    futures: dict[Any, Any] = {}

    def pack(value: Any) -> Any:
        if not isinstance(value, Handle):
            return value
        node, result = value.node, value._result
        if result is None:
            return Returned(node, None, None, "")
        collection = result.collection
        for held in map(graph.data_of, tasks_of(collection)):
            futures[held.key] = held if isinstance(held, Future) else Future(held.key)  # of the caller's own
        return Returned(node, graph.bare(collection), result.meta, dataset)

    result = mapped(value, pack)
    if futures:
        client = session.client
        with contextlib.suppress(KeyError):
            client.unpublish_dataset(dataset)  # of an earlier run
        client.publish_dataset(list(futures.values()), name=dataset)
        tell(dataset)
    return result


def received(value: Any, session: Session, arguments: Node | None) -> Any:
    """A function's result as somebody gets it who may know the nodes of its arguments."""
    own: dict[str, Node] = {}
    published: dict[str, dict[Any, Any]] = {}

    def unpack(got: Any) -> Any:
        if not isinstance(got, Returned):
            return got
        if arguments is not None and not own:
            own.update({token(n): n for n in walk([arguments])})
        (node,) = replaced([got.node], lambda n: own.get(n.args[0].name) if n.op == "handed" else None)
        if got.bare is not None and token(node) not in session.results:
            held = _published(session, got.dataset, published)
            keys = graph.keys_of(got.bare)
            if all(k in held for k in keys):
                computed = graph.holding(got.bare, held, graph.sizes_of(got.bare))
                return _executed(node, session, computed, got.meta)
        handle = registry.wrap(node)
        handle._result = session.results.get(token(node))
        return handle

    return mapped(value, unpack)


def _published(session: Session, dataset: str, known: dict[str, dict[Any, Any]]) -> dict[Any, Any]:
    """Futures by key; none where they are gone, so that the expression is run again."""
    if dataset not in known:
        futures = session.client.get_dataset(dataset, default=[])
        known[dataset] = {f.key: f for f in futures}
    return known[dataset]
