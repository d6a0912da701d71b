"""Annotations for the stubs: of values, of parameters, and of what an operation gave back when it was tried."""

from __future__ import annotations

import ast
import collections
import contextlib
import inspect
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.plan import labels, registry
from marsdask.plan.registry import Op
from tests import oracle

BUILTINS = {
    "bool",
    "int",
    "float",
    "complex",
    "str",
    "bytes",
    "object",
    "list",
    "dict",
    "tuple",
    "set",
    "slice",
    "type",
}


TYPING = {
    "Any",
    "Callable",
    "Hashable",
    "Iterator",
    "Iterable",
    "Literal",
    "Mapping",
    "Sequence",
    "Self",
    "None",
}


ALIASES = {"Array": "ArrayLike", "Arrays": "Sequence[ArrayLike]", "Frame": "FrameLike"}


def classes() -> dict[str, type]:
    """The classes that have methods of the registry, by name."""
    return {kind.__name__: kind for kind in registry.ATTACHED.values()}


def type_name(value: Any) -> str:
    """The annotation for something a case gave back."""
    kind = type(value)
    if value is None:
        return "None"
    if kind.__name__ in classes() or isinstance(value, mt.ExecutableTuple):
        return kind.__name__
    if kind in (list, tuple) and value and len({type_name(v) for v in value}) == 1:
        inner = type_name(value[0])
        return f"builtins.list[{inner}]" if kind is list else f"builtins.tuple[{inner}, ...]"
    if kind.__module__ == "builtins" and kind.__name__ in BUILTINS:
        return f"builtins.{kind.__name__}" + {
            "dict": "[Any, Any]",
            "list": "[Any]",
            "tuple": "[Any, ...]",
        }.get(kind.__name__, "")
    if isinstance(value, Iterator):
        return "Iterator[Any]"
    if kind.__module__.startswith("marsdask.") and not kind.__name__.startswith("_"):
        return f"{kind.__module__}.{kind.__name__}"
    if kind is np.ndarray:
        return "np.ndarray[Any, Any]"
    if getattr(pd, kind.__name__, None) is kind:
        return f"pd.{kind.__name__}"
    return "Any"


Learnt = dict[tuple[str, str], set[str]]


def learnt() -> Learnt:
    """What each operation gave back, by its name and the class of its first argument, over all cases."""
    found: Learnt = collections.defaultdict(set)
    call = registry.call

    def spy(op: Op, args: Any, kwargs: Any) -> Any:
        result = call(op, args, kwargs)
        first = type(args[0]).__name__ if args else ""
        first = first if first in classes() else ""
        if not any(map(bool, flags_of(op, args, kwargs))):
            found[op.name, first].add(type_name(result))
        return result

    registry.call = spy
    try:
        for op in list(registry.OPS.values()):
            for case in oracle.cases_of(op) if op.status != "unbuilt" else ():
                frame = op.room.startswith("dataframe")
                with contextlib.suppress(Exception), warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    names = oracle.frames("one") if frame else oracle.tensors("one")
                    oracle.evaluate(op, case, names, registry.function_of(op), md)
    finally:
        registry.call = call
    return found


def is_flag(p: inspect.Parameter) -> bool:
    """Whether a parameter that is False by default changes the kind of the result. The stubs show the plain kind."""
    return p.default is False and (p.name.startswith("ret") or p.name == "inplace")


def flags_of(op: Op, args: Any, kwargs: Any) -> Iterator[Any]:
    """The flags that a call sets."""
    given = op.signature.bind(*args, **kwargs).arguments
    return (given[p.name] for p in op.signature.parameters.values() if is_flag(p) and p.name in given)


def result_type(op: Op, owner: str, found: Learnt) -> str:
    """The annotation of what an entry gives back, as a function or as a method of `owner`."""
    kinds = found.get((op.name, owner), set())
    if not owner:
        kinds = set().union(*(each for (name, _), each in found.items() if name == op.name))
    elif not kinds:  # not tried on this class: what it gives back where it was tried
        others = {first: each for (name, first), each in found.items() if name == op.name and first}
        if others and all(each == {first} for first, each in others.items()):
            return owner
        kinds = set().union(*others.values()) if len(others) == 1 else set()
        kinds = set() if kinds & classes().keys() - {"Tensor"} else kinds
    if "Any" in kinds or not 0 < len(kinds) < 3:
        said = getattr(labels.unwrapped(op.prepare), "__annotations__", {}).get("return")
        return annotation(said) if said else "Any"
    return " | ".join(sorted(kinds))


def annotation(of: Any) -> str:
    """An annotation that the stubs can say; else Any."""
    text = of if isinstance(of, str) else getattr(of, "__name__", "Any")
    if text in ALIASES:
        return ALIASES[text]
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return "Any"
    if any(
        isinstance(n, ast.Attribute) and not ast.unparse(n).startswith(("np.", "pd.", "da."))
        for n in ast.walk(tree)
    ):
        return "Any"
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    if not names <= BUILTINS | TYPING | {"np", "pd", "da"} | classes().keys():
        return "Any"

    class Safe(ast.NodeTransformer):  # a class may have an attribute `str`, a module a function `bool`
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.parse(f"builtins.{node.id}", mode="eval").body if node.id in BUILTINS else node

    return ast.unparse(Safe().visit(tree))


def default(value: Any) -> str:
    """A default as the stub shows it."""
    if (
        value is None
        or isinstance(value, (bool, int, str))
        or (isinstance(value, float) and math.isfinite(value))
    ):
        return repr(value)
    if type(value) is tuple and all(default(v) != "..." for v in value):
        return repr(value)
    return "..."


def seen(kind: type, name: str) -> str:
    """What an attribute is on the handles of the oracle tests."""
    frames, tensors = oracle.frames("one"), oracle.tensors("one")
    handles = [*(frames[n] for n in oracle.FRAMES), *(tensors[n] for n in oracle.ARRAYS)]
    handles += [h.index for h in handles if hasattr(h, "index")]
    handles += [getattr(h, each) for h in handles for each in ("str", "dt", "cat") if hasattr(h, each)]
    found = set()
    for handle in handles:
        if type(handle) is kind:
            with contextlib.suppress(Exception):
                found.add(type_name(getattr(handle, name)))
    return " | ".join(sorted(found)) if 0 < len(found) < 4 and "Any" not in found else "Any"
