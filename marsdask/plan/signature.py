"""What names an expression in every process: two with the same signature give the same data, chunk by chunk.

`node.token` names expressions in one process, where data in memory have random names and are never hashed. A signature
hashes them, and names functions by what they do (`plan.code`).
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import sys
import uuid
from importlib.metadata import version
from typing import Any

import dask
import numpy as np
import pandas as pd

from marsdask.errors import NotPicklable
from marsdask.options import OPTIONS, get
from marsdask.plan.code import code_key
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
    else:
        try:
            sha.update(code_key(value).encode())
        except NotPicklable:  # what cannot be named equals nothing
            sha.update(uuid.uuid4().bytes)


def _parts(value: Any) -> tuple[Any, ...]:
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    if isinstance(value, functools.partial):
        return value.func, value.args, value.keywords
    return tuple(value.items() if isinstance(value, dict) else value)
