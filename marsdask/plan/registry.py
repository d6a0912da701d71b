"""The registry: every operation as data, and everything that follows from it.

An entry says its public name, where it lives, how it is lowered and how its metadata is known.
Module functions, methods, signatures, documentation, coverage rows and stubs are made from entries.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError, Unbuilt, adopt
from marsdask.plan import labels, semantics
from marsdask.plan.entries import (  # noqa: F401 - what declares operations takes these from here
    CONVERTED,
    OPS,
    Array,
    Arrays,
    Frame,
    Op,
    Setting,
    Status,
    label,
    lookup,
)
from marsdask.plan.handle import READY, Handle, held
from marsdask.plan.holes import Undecided, is_open
from marsdask.plan.meta import meta
from marsdask.plan.node import PLAIN, Node, calling, fields_of, inputs, is_named

Function = TypeVar("Function", bound=Callable[..., Any])
WRAPPERS: dict[str, Callable[[Node, tuple[Any, ...]], Any]] = {}
"""Kind of metadata -> what makes the handle. The rooms put theirs in."""
CONVERTERS: dict[type, Callable[[Any], Any]] = {}
"""Annotation -> what turns an argument into a node (or, for Arrays, a list of nodes)."""
SETTINGS: dict[str, frozenset[str]] = {}
"""Room -> the parameters of its operations, and of its rooms', that are settings. The rooms put theirs in."""
ATTACHED: dict[str, type] = {}
"""Owner -> the class that got its methods."""
FILLED: dict[str, str] = {}
"""Room -> the module that got its functions."""


def public(
    *names: str, room: str = "", owners: Iterable[str] = (), traits: Iterable[str] = (), **entry: Any
) -> Callable[[Function], Function]:
    """Declare the decorated function under its names in the registry: its signature and its docstring are what users see.

    It checks its arguments and gives a handle, or runs; those annotated `Array`, `Arrays` or `Frame` are handles when users
    call it. Its room is that of its package, unless said. With `owners` it is a method of these classes. A
    `functools.partial` is a name of a family: `doc` is its docstring.
    """

    def declare(function: Function) -> Function:
        plain = labels.unwrapped(function)
        home = room or plain.__module__.split(".")[1]
        for name in names:
            fields = {
                "room": home,
                "signature": inspect.signature(function),
                "owners": tuple(owners),
                "function": _is_function(name, home),
                "prepare": function,
                "doc": inspect.getdoc(plain) or "",
                "traits": frozenset(traits),
                "direct": True,
                **entry,
            }
            settings = SETTINGS.get(home.partition(".")[0], frozenset())
            own = (name for name in fields["signature"].parameters if name in settings)
            fields["converted"] = dict.fromkeys(own, Setting) | _takes(plain)
            _declare(name, "prepare", fields)
        return function

    return declare


def lowered(
    name: str, *, room: str = "", owners: Iterable[str] = (), traits: Iterable[str] = (), **entry: Any
) -> Callable[[Function], Function]:
    """Lower nodes of this name by the decorated function: Dask collections in, a Dask collection out, or a generator that asks.

    With a room it is what users call, too: its signature and its docstring are the public ones, and parameters annotated
    `Array`, `Arrays` or `Frame` take what can be turned into nodes; those that start with an underscore passes set.
    """

    def declare(lower: Function) -> Function:
        fields = {"lower": lower, "traits": frozenset(traits), **entry}
        if room or name not in OPS:
            own = inspect.signature(lower).parameters.values() if room or owners else ()
            fields = {
                "room": room or "engine",
                "signature": inspect.Signature([p for p in own if not p.name.startswith("_")]),
                "owners": tuple(owners),
                "function": _is_function(name, room),
                "converted": _takes(lower),
                **fields,
            }
        _declare(name, "lower", fields)
        return lower

    return declare


def _declare(name: str, half: str, fields: dict[str, Any]) -> None:
    """Add an operation, or the other half of one that is there: what users call, or how its nodes are lowered."""
    there = OPS.get(name)
    if there is None or not there.built:
        OPS[name] = Op(name=name, **{"lower": None, "status": "tiled", **fields})
    elif getattr(there, half) is not None:
        raise ArgumentError(f"operation {name!r} is declared twice")
    else:
        OPS[name] = replace(there, **{**fields, "traits": there.traits | fields["traits"]})


def _takes(function: Callable[..., Any]) -> dict[str, type]:
    """The parameters that take tensors or frames, by their annotations."""
    given = getattr(function, "__annotations__", {})
    return {name: CONVERTED[kind] for name, kind in given.items() if kind in CONVERTED and name != "return"}


def _is_function(name: str, room: str) -> bool:
    """Whether a room has a function of that name: "sort" and "linalg.svd" are, "DataFrame.filter" is a method only."""
    return "." not in name or "." in room


def unbuilt(name: str, reason: str, *, room: str, owners: Iterable[str] = (), function: bool = True) -> Op:
    """Register a gap: using the name raises an error that gives the reason."""
    if name in OPS and OPS[name].built:
        raise ArgumentError(f"operation {name!r} is built, and declared a gap")
    anything = inspect.signature(lambda *args, **kwargs: None)
    gap = Op(name, room, None, anything, "unbuilt", owners=tuple(owners), function=function, reason=reason)
    OPS[name] = gap
    return gap


def in_room(room: str) -> Iterator[Op]:
    """The entries of one room, by name."""
    return iter(sorted((op for op in OPS.values() if op.room == room), key=lambda op: op.name))


def bind(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, in order, or a TypeError that names the wrong one and its nearest neighbour."""
    if (names := op.places) is not None:  # inspect takes 10 microseconds
        found = dict(zip(names, args, strict=False))
        found.update({name: kwargs[name] for name in names[len(args) :] if name in kwargs})
        if len(found) == len(args) + len(kwargs) and found.keys() >= op.needed:
            return found
    try:
        return op.signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        known = op.signature.parameters
        for name in kwargs:
            if name not in known:
                raise ArgumentTypeError.unknown_keyword(op.public, name, known) from None
        raise ArgumentTypeError(
            f"{op.public}(): {error}; the signature is {op.public}{op.signature}"
        ) from None


def call(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a public function does: check, make the node, hand out a handle. Nothing runs."""
    if not op.built:
        raise Unbuilt.operation(op.public, op.reason)
    given = bind(op, args, kwargs)
    try:
        with calling(labels.of_call(op.label, given, bare=op.room == "remote")):
            for name, kind in op.converted.items():
                # None is left out, unless there must be an argument: then it is what `mt.asarray` makes of it.
                if name in given and not (
                    given[name] is None and op.signature.parameters[name].default is None
                ):
                    given[name] = CONVERTERS[kind](given[name])
            if op.prepare is not None and not op.direct:
                return op.prepare(**given)
            args, kwargs = spread(op, given)
            return make(op.name, *args, **kwargs) if op.prepare is None else op.prepare(*args, **kwargs)
    except MarsDaskError:
        raise
    except Exception as error:
        raise adopt(error, labels.written(op.label)) from error


def spread(op: Op, given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments by name as they are passed on: by place until one is left out, the others by name."""
    if op.places is None:
        bound = inspect.BoundArguments(op.signature, given)
        return bound.args, bound.kwargs
    first = tuple(given[name] for name in itertools.takewhile(given.__contains__, op.places))
    return first, dict(itertools.islice(given.items(), len(first), None))


def make(name: str, *args: Any, **kwargs: Any) -> Any:
    """A handle for an operation called by its registry name, past the public signature."""
    used: list[Handle] = []
    return wrap(Node(name, frozen(args, used), frozen(kwargs, used)), held(*used))


def frozen(value: Any, used: list[Handle]) -> Any:
    """An argument as a node keeps it: handles become nodes, what could still change is copied."""

    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple or kind is list:
        plain = PLAIN.issuperset(map(type, value))
        return kind(value if plain else [frozen(each, used) for each in value])
    if kind is dict:
        return {_key(name): frozen(each, used) for name, each in value.items()}
    if isinstance(value, Handle):
        used.append(value)
        return value.node
    if kind is slice:
        return slice(*frozen((value.start, value.stop, value.step), used))
    if kind.__module__.startswith("marsdask.") and is_dataclass(kind):
        # How rows are grouped, joined: lists of names are inside.
        return kind(**{name: frozen(getattr(value, name), used) for name in fields_of(kind)})
    if is_named(kind):
        return kind._make(frozen(tuple(value), used))
    # Of pandas a lazy copy.
    pandas = hasattr(value, "_mgr") or hasattr(value, "_data")
    return value.copy() if pandas or kind is np.ndarray else value


def _key(name: Any) -> Any:
    """A key of a dict: a lazy value runs, as what has not run equals nothing."""
    lazy: Any = name if isinstance(name, Handle) else None
    return name if lazy is None else lazy._run_and_fetch()


def wrap(node: Node, keep: tuple[Any, ...] = ()) -> Any:
    """The handle for a node, by the kind of its metadata. Metadata errors surface here, at the call."""
    try:
        known = meta(node)
    except Undecided:
        keep = (*keep, *_run_open(node, keep))
        known = meta(node)
    handle = WRAPPERS[known.kind](node, keep)
    for ready in READY:
        ready(handle)
    return handle


def _run_open(node: Node, keep: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run the inputs of which only a run can tell the dtypes; returns their data."""
    inner = [wrap(child, keep) for child in inputs(node) if is_open(meta(child))]
    for handle in inner:
        handle.execute()
    return held(*inner)


def function_of(op: Op) -> Callable[..., Any]:
    """The module function or method of an entry, with its signature and documentation."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(op, args, kwargs)

    function.__name__ = function.__qualname__ = op.public
    function.__module__ = f"marsdask.{op.room}"
    function.__signature__ = shown(op.signature)  # type: ignore[attr-defined]
    function.__doc__ = documentation(op)
    function.entry = op  # type: ignore[attr-defined]
    return function


def shown(signature: inspect.Signature) -> inspect.Signature:
    """A signature as people see it: the lowering's annotations speak of Dask collections, the stubs of handles."""
    bare = (p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values())
    return inspect.Signature([*bare])


def documentation(op: Op) -> str:
    """The docstring: the lowering's own, how it is run, what differs, where the semantics are written."""
    if op.status == "unbuilt":
        return f"{op.public}: not built. {op.reason}"
    doc = op.doc or (inspect.getdoc(op.lower) if op.lower else "") or op.first_line
    how = {
        "delegated": "Lowered to Dask's own operation.",
        "tiled": "Tiled by marsdask.",
        "gathered": "Runs in one chunk, up to `options.gather_limit` bytes.",
    }[op.status]
    return "\n\n".join(filter(None, (doc, how, op.differs and f"Differs: {op.differs}", link(op))))


def link(op: Op) -> str:
    """Where NumPy or pandas documents the semantics."""
    keys = (op.room, *op.owners) if op.function else op.owners
    page = next(filter(None, (semantics.link(key, op.public) for key in keys)), "")
    return page and f"Semantics: {page}"


def attach(target: type, owner: str) -> None:
    """Give a handle class the methods of all entries that name it as owner."""
    ATTACHED[owner] = target
    for op in OPS.values():
        has = vars(target).get(op.public)
        # What the class has itself stays, but for a gap.
        if owner in op.owners and (has is None or not getattr(entry_of(has), "built", True)):
            setattr(target, op.public, function_of(op))


def entry_of(function: Any) -> Op | None:
    """The entry that a public function, method or property was made of."""
    return getattr(getattr(function, "fget", function), "entry", None)


def discover(package: str) -> None:
    """Import every module of a package: operations are declared when their modules are imported."""
    for found in pkgutil.walk_packages(sys.modules[package].__path__, f"{package}."):
        importlib.import_module(found.name)


def fill(module: dict[str, Any], room: str) -> list[str]:
    """Put a room's public functions in a module's namespace; returns their names.

    They take the place of what has the name already: a file of lowerings (`sort.py`), or a lowering itself.
    """
    FILLED[room] = module["__name__"]
    found = {
        op.public: function_of(op) for op in in_room(room) if op.function and not op.public.startswith("_")
    }
    module.update(found)
    return list(found)
