"""Nodes: frozen values that say what to do, and the few functions that walk them.

>>> node = Node("add", (Node("ones", (3,)), 1))
>>> node
add(ones(3), 1)
>>> token(node) == token(Node("add", (Node("ones", (3,)), 1)))
True
"""

from __future__ import annotations

import contextvars
import dataclasses
import functools
import hashlib
import uuid
from collections.abc import Callable, Iterable, Sequence
from operator import is_
from typing import Any, NoReturn, TypeVar

from dask.tokenize import tokenize

T = TypeVar("T")
_set = object.__setattr__
_calling: contextvars.ContextVar[str | None] = contextvars.ContextVar("marsdask-calling", default=None)


PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None), type(Ellipsis)))
"""Kinds of values that hold nothing, and say by their `repr` all that they are."""


class Node:
    """One operation and its arguments. Knows nothing and runs nothing.

    Arguments may hold other nodes, in tuples, lists and dicts of any depth. `meta` and `token` are caches; `called` is
    the function that people called, for the names of tasks, and no part of what the node says. `apart` tells a copy from
    what it was copied of, where people ask whether two things are one; they are equal.
    """

    __slots__ = ("__weakref__", "_inputs", "_meta", "_token", "apart", "args", "called", "kwargs", "op")
    op: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    called: str | None
    apart: bool
    _inputs: tuple[Node, ...] | None
    _meta: Any
    _token: str | None

    def __init__(self, op: str, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None):
        _set(self, "op", op)
        _set(self, "args", args)
        _set(self, "kwargs", kwargs or {})
        _set(self, "_token", None)
        _set(self, "_meta", None)
        _set(self, "_inputs", None)
        _set(self, "called", _calling.get())
        _set(self, "apart", False)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Node is frozen; cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Node is frozen; cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.op, self.args, self.kwargs, token(self), self.called)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Node) and token(self) == token(other))

    def __hash__(self) -> int:
        return hash(token(self))

    def __repr__(self) -> str:
        shown = [cut(repr(a)) for a in self.args]
        shown += [f"{k}={cut(repr(v))}" for k, v in self.kwargs.items()]
        return f"{self.op}({', '.join(shown)})"


def copied(node: Node) -> Node:
    """An equal node that is another one."""
    made = _load(node.op, node.args, node.kwargs, token(node), node.called)
    _set(made, "_meta", node._meta)
    _set(made, "apart", True)
    return made


class Data:
    """Something in memory that a node carries: never hashed, known by a random name, or by one that says what it is.

    `stable`: the name is of the second kind, and means the same in another process.
    """

    __slots__ = ("name", "stable", "value")

    def __init__(self, value: Any, name: str = ""):
        self.value = value
        self.stable = bool(name)
        self.name = name or uuid.uuid4().hex

    def __dask_tokenize__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{type(self.value).__name__}>"


def _load(op: str, args: tuple[Any, ...], kwargs: dict[str, Any], known: str, called: str | None) -> Node:
    node = Node(op, args, kwargs)
    _set(node, "_token", known)
    _set(node, "called", called)
    return node


class calling:
    """Nodes made inside the block belong to a call of `name`, unless that is part of another call."""

    __slots__ = ("before", "name")

    def __init__(self, name: str | None):
        self.name = name

    def __enter__(self) -> None:
        self.before = None if _calling.get() is not None else _calling.set(self.name)

    def __exit__(self, *error: object) -> None:
        if self.before is not None:
            _calling.reset(self.before)


@functools.lru_cache(maxsize=256)
def fields_of(kind: type) -> tuple[str, ...]:
    """The names of a dataclass's fields."""
    return tuple(field.name for field in dataclasses.fields(kind))


def is_named(kind: Any) -> bool:
    """Whether a type is that of named tuples, in which what a tuple may hold is looked for, and which stay such."""
    return issubclass(kind, tuple) and hasattr(kind, "_make")


def cut(text: str, most: int = 60) -> str:
    """A text, at most so long."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def inputs(node: Node) -> tuple[Node, ...]:
    """The nodes among a node's arguments, in order."""
    found = node._inputs
    if found is None:
        found = tuple(parts((*node.args, *node.kwargs.values()), Node))
        _set(node, "_inputs", found)
    return found


def parts(values: Iterable[Any], wanted: type[T]) -> list[T]:
    """What is of a type among values, in tuples, lists, dicts and slices of any depth."""
    found: list[T] = []
    _find(values, wanted, found.append)
    return found


def _find(values: Iterable[Any], wanted: type[T], add: Callable[[T], None]) -> None:
    for value in values:
        kind = type(value)
        if kind is wanted:
            add(value)
        elif kind in PLAIN:
            continue
        elif kind is tuple or kind is list:
            if not PLAIN.issuperset(map(type, value)):
                _find(value, wanted, add)
        elif kind is dict:
            _find(value.values(), wanted, add)
        elif kind is slice:
            _find((value.start, value.stop, value.step), wanted, add)
        elif is_named(kind):
            _find(value, wanted, add)


def leaf(op: str, value: Any, known: Any, name: str = "") -> Node:
    """A node over something in memory whose metadata are known."""
    node = Node(op, (Data(value, name),))
    _set(node, "_meta", known)
    return node


def walk(roots: Iterable[Node], below: Callable[[Node], Sequence[Node]] = inputs) -> list[Node]:
    """All nodes below `roots`, inputs before users, each object once. Not recursive: chains are long.

    `below` says, once for each node, where to go on from it.
    """
    done: dict[int, Node] = {}
    opened: set[int] = set()
    stack = list(roots)[::-1]
    while stack:
        name = id(node := stack[-1])
        if name in opened:  # what stands below it is done, or all of it
            done[name] = stack.pop()
        else:
            opened.add(name)
            stack += [child for child in below(node)[::-1] if id(child) not in opened]
    return list(done.values())


def replace(value: Any, swap: Callable[[Any], Any], wanted: type = Node) -> Any:
    """`value` with every node in it, or what else is `wanted`, swapped; the same object where nothing changed."""
    kind = type(value)
    if kind is wanted:
        return swap(value)
    if kind is tuple or kind is list:
        if PLAIN.issuperset(map(type, value)):
            return value
        new = [v if type(v) in PLAIN else replace(v, swap, wanted) for v in value]
        return value if all(map(is_, new, value)) else kind(new)
    if kind is dict and value:
        named = {k: replace(v, swap, wanted) for k, v in value.items()}
        return value if all(map(is_, named.values(), value.values())) else named
    if kind is slice:
        old = (value.start, value.stop, value.step)
        return value if (ends := replace(old, swap, wanted)) is old else slice(*ends)
    if is_named(kind):
        old = tuple(value)
        return value if (new := replace(old, swap, wanted)) is old else kind._make(new)
    return value


def mapped(value: Any, swap: Callable[[Any], Any]) -> Any:
    """A copy of `value` with every leaf of its tuples, lists, dicts and slices swapped."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([mapped(v, swap) for v in value])
    if kind is dict:
        return {k: mapped(v, swap) for k, v in value.items()}
    if kind is slice:
        return slice(*(mapped(v, swap) for v in (value.start, value.stop, value.step)))
    if is_named(kind):
        return kind._make([mapped(v, swap) for v in value])
    return swap(value)


def rebuilt(node: Node, swap: Callable[[Node], Node]) -> Node:
    """The same operation over swapped inputs; the node itself where nothing changed."""
    old = inputs(node)
    given = tuple(map(swap, old))
    if all(map(is_, given, old)):
        return node
    new = Node(node.op, replace(node.args, swap), replace(node.kwargs, swap))
    _set(new, "_inputs", given)
    _set(new, "called", node.called)
    return new


def token(node: Node) -> str:
    """A stable name for what the node says: equal nodes, equal tokens, also in another process."""
    if node._token is None:
        for each in walk([node], _unnamed) if _unnamed(node) else (node,):
            said = [each.op]
            _say(each.args, said.append)
            _say(each.kwargs, said.append)
            _set(each, "_token", hashlib.blake2b("".join(said).encode(), digest_size=16).hexdigest())
    return node._token  # type: ignore[return-value]


def _unnamed(node: Node) -> list[Node]:
    return [child for child in inputs(node) if child._token is None]


def _say(value: Any, add: Callable[[str], None]) -> None:
    """Add what tells a value from all others, which says where it ends."""
    kind = type(value)
    if kind in PLAIN:
        add(f"{kind.__name__}:{value!r};")
    elif kind is Node:
        add(f"n{value._token}")
    elif kind is tuple or kind is list:
        if PLAIN.issuperset(map(type, value)):
            add(repr(value))
            return
        add(f"{kind.__name__}{len(value)}(")
        for v in value:
            _say(v, add)
    elif kind is dict:
        add(f"dict{len(value)}(")
        for k, v in value.items():
            _say(k, add)
            _say(v, add)
    elif kind is slice:
        add("slice")
        _say((value.start, value.stop, value.step), add)
    elif kind is Data:
        add(f"data:{value.name};")
    elif is_named(kind):
        add(f"{kind.__module__}.{kind.__qualname__}")
        _say(tuple(value), add)
    elif dataclasses.is_dataclass(kind):
        add(f"{kind.__name__}(")
        _say(tuple([getattr(value, name) for name in fields_of(kind)]), add)
    else:
        add(tokenize(value))
