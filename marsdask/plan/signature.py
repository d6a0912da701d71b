"""What names an expression in every process: two with the same signature give the same data, chunk by chunk.

`node.token` names expressions in one process, where data in memory have random names and are never hashed. A signature
hashes them, and looks into the files of modules that functions come from.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import sys
import types
import uuid
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cloudpickle
import dask
import numpy as np
import pandas as pd
from dask.tokenize import TokenizationError, tokenize

from marsdask.options import OPTIONS, get
from marsdask.plan.node import Data, Node, walk

# Options that say how work is shown or survived, and not how it is cut or done.
UNSEEN = ("eager_mode", "show_progress", "warn_duplicated_execution", "cluster.")


def signature(node: Node, *, shared_memory: bool) -> list[tuple[str, str]]:
    """For each node from the leaves up its name and signature; the last is that of the whole.

    `shared_memory`: whether tasks run in one process; some plans are others then.
    """
    versions = dask.__version__, np.__version__, pd.__version__
    settings = [(name, get(name)) for name in OPTIONS if not name.startswith(UNSEEN)]
    world = _digest((version("marsdask"), versions, sys.version_info[:2], shared_memory, settings))
    known: dict[int, str] = {}
    named = []
    for each in walk([node]):
        known[id(each)] = _digest((world, each.op, each.args, each.kwargs), known)
        plain = (repr(a)[:40] for a in each.args if type(a) in (int, float, str, bool, tuple))
        named.append((f"{each.op}({', '.join(plain)})"[:120], known[id(each)]))
    return named


def _digest(value: Any, known: dict[int, str] | None = None) -> str:
    sha = hashlib.blake2b(digest_size=16)
    _feed(sha, value, known or {})
    return sha.hexdigest()


def _feed(sha: Any, value: Any, known: dict[int, str]) -> None:
    kind = type(value)
    sha.update(f"{kind.__module__}.{kind.__qualname__}:".encode())
    if kind is Node:
        sha.update(known[id(value)].encode())
    elif kind in (tuple, list, slice, dict, functools.partial):
        for part in _parts(value):
            _feed(sha, part, known)
        sha.update(b";")
    elif kind is Data:
        if value.stable:
            sha.update(value.name.encode())
        else:
            _feed(sha, value.value, known)
    elif hasattr(kind, "_says"):  # a call of a plain function
        _feed(sha, value._says(), known)
    elif dataclasses.is_dataclass(kind):
        _feed(sha, tuple(getattr(value, f.name) for f in dataclasses.fields(kind)), known)
    elif callable(value):
        # And the files of the user's modules that it may call: what is imported is pickled by name.
        files = sorted(f"{name} {_text_of(module)}" for name, module in _modules(value).items())
        sha.update(_pickled(value) + "\n".join(files).encode())
    else:
        try:
            sha.update(tokenize(value, ensure_deterministic=True).encode())
        except TokenizationError:
            sha.update(_pickled(value))


def _parts(value: Any) -> tuple[Any, ...]:
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    if isinstance(value, functools.partial):
        return value.func, value.args, value.keywords
    return tuple(value.items() if isinstance(value, dict) else value)


def _pickled(value: Any) -> bytes:
    try:
        return bytes(cloudpickle.dumps(value))
    except Exception:  # noqa: BLE001 - pickling runs anybody's code; what cannot be named equals nothing
        return uuid.uuid4().bytes


def _modules(func: Any) -> dict[str, types.ModuleType]:
    """The user's modules that a function comes from or refers to, and those that they refer to, by name."""
    found: dict[str, types.ModuleType] = {}
    seen: set[int] = set()
    stack = [func]
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        home = sys.modules.get(str(getattr(value, "__module__", None) or ""))
        module = value if isinstance(value, types.ModuleType) else home
        if module is not None and module.__name__ != "__main__":
            if module.__name__ not in found and _is_users(module):
                found[module.__name__] = module
                stack.extend(
                    v for v in vars(module).values() if callable(v) or isinstance(v, types.ModuleType)
                )
        elif isinstance(value, types.FunctionType):  # of the script, or made in a function
            names = _names(value.__code__)
            stack += [v for k, v in value.__globals__.items() if k in names]
            for cell in value.__closure__ or ():
                with contextlib.suppress(ValueError):  # not there yet
                    stack.append(cell.cell_contents)
    return found


def _names(code: types.CodeType) -> set[str]:
    """The global names that code uses, functions inside of it included."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _is_users(module: types.ModuleType) -> bool:
    """Whether it is no installed one: the versions of those count, as far as they are asked for above."""
    path = getattr(module, "__file__", None)
    if path is None or module.__name__.partition(".")[0] in ("marsdask", *sys.stdlib_module_names):
        return False
    return not {"site-packages", "dist-packages"}.intersection(Path(path).parts)


def _text_of(module: types.ModuleType) -> str:
    try:
        return hashlib.blake2b(Path(str(module.__file__)).read_bytes()).hexdigest()
    except OSError:  # not a file of its own, as in a zip
        return str(module.__file__)
