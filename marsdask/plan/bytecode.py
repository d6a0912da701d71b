"""What a function's bytecode does and refers to, whatever file and lines it stands in."""

from __future__ import annotations

import bisect
import dis
import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

# They say where lines are, or how far a jump is, and do nothing.
SILENT = ("NOP", "CACHE", "EXTENDED_ARG")
GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


@dataclass(frozen=True)
class Uses:
    """What code refers to outside of itself: `paths` of global names, each with the attributes that are taken of it at once,
    and `imports` that it does itself, each a module, its level and the names that are taken from it."""

    paths: frozenset[tuple[str, ...]]
    imports: frozenset[tuple[str, int, tuple[str, ...]]]
    names: frozenset[str]


@functools.lru_cache(4096)
def digest(code: CodeType) -> bytes:
    """Names what code does: the same for all layouts of a text, and for all comments and docstrings.

    Names of local variables and of functions inside count; those of files, modules and lines do not.
    """
    sha = hashlib.blake2b(digest_size=16)
    steps = list(_steps(code))
    place = _places(code, steps)
    head = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    sha.update(repr((head, code.co_varnames, code.co_freevars, code.co_cellvars)).encode())
    for step in steps:
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            said: Any = place(step.argval)
        elif step.opcode in dis.hasconst:
            said = _constant(step.argval)
        else:
            said = step.argrepr if step.argval is None else step.argval
        sha.update(f"{step.opname} {said!r};".encode())
    bytecode: Any = dis.Bytecode(code)
    for entry in bytecode.exception_entries:
        span = place(entry.start), place(entry.end), place(entry.target)
        sha.update(repr((span, entry.depth, entry.lasti)).encode())
    return sha.digest()


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    return (step for step in dis.get_instructions(code) if step.opname not in SILENT)


def _places(code: CodeType, steps: list[dis.Instruction]) -> Any:
    """What gives the number of the first step from an offset on: offsets themselves differ with the layout."""
    offsets = [step.offset for step in steps]
    return lambda offset: bisect.bisect_left(offsets, offset)


def _constant(value: Any) -> Any:
    """A constant as text that differs wherever the values do: 1, 1.0 and True, 0.0 and -0.0."""
    if isinstance(value, CodeType):
        return value.co_name, digest(value)
    if isinstance(value, tuple):
        return tuple(map(_constant, value))
    if isinstance(value, frozenset):
        return "frozenset", sorted(map(repr, map(_constant, value)))
    return type(value).__name__, repr(value)


@functools.lru_cache(4096)
def uses(code: CodeType) -> Uses:
    """What code, and functions inside of it, refer to."""
    paths, imports, names = set(), set(), set(code.co_names)
    steps = list(_steps(code))
    for i, step in enumerate(steps):
        if step.opname in GLOBALS:
            path = [step.argval]
            for after in steps[i + 1 :]:
                if after.opname not in ATTRIBUTES:
                    break
                path.append(after.argval)
            paths.add(tuple(path))
        elif step.opname == "IMPORT_NAME":
            level, taken = steps[i - 2].argval, steps[i - 1].argval
            imports.add((step.argval, int(level or 0), tuple(taken or ())))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            below = uses(inner)
            paths |= below.paths
            imports |= below.imports
            names |= below.names
    return Uses(frozenset(paths), frozenset(imports), frozenset(names))
