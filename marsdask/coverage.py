"""The coverage page, from the registry: a row for every public name, and what stands for it.

A name is an entry of the registry, an attribute of a class or module, or a gap with its reason.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import importlib
import inspect
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import marsdask.dataframe
import marsdask.learn
import marsdask.remote
import marsdask.session
import marsdask.tensor
from marsdask.options import OPTIONS
from marsdask.plan import gaps, registry, semantics
from marsdask.plan.registry import Op

TITLES = {
    "tensor": "Tensor functions: `mt`",
    "tensor.linalg": "Linear algebra: `mt.linalg`",
    "tensor.random": "Random numbers: `mt.random`",
    "tensor.fft": "Fourier transforms: `mt.fft`",
    "tensor.special": "Special functions: `mt.special`",
    "tensor.stats": "Statistics: `mt.stats`",
    "tensor.spatial.distance": "Distances: `mt.spatial.distance`",
    "tensor.images": "Images: `mt.images`",
    "Tensor": "Tensor's attributes and methods",
    "RandomState": "`mt.random.RandomState`",
    "dataframe": "Frame functions: `md`",
    "DataFrame": "DataFrame",
    "Series": "Series",
    "Index": "Index",
    "GroupBy": "GroupBy",
    "DataFrameGroupBy": "GroupBy of a frame",
    "SeriesGroupBy": "GroupBy of a series",
    "str": "Text: `.str`",
    "dt": "Time: `.dt`",
    "plot": "Charts: `.plot`",
    "Rolling": "Rolling windows: `.rolling()`",
    "Expanding": "Expanding windows: `.expanding()`",
    "EWM": "Exponentially weighted windows: `.ewm()`",
    "Categorical": "Categorical",
    "marsdask": "Sessions: `marsdask`",
    "session": "Sessions, in full: `marsdask.session`",
    "Session": "A session",
    "AsyncSession": "A session that is awaited",
    "ExecutionInfo": "What `execute(wait=False)` gives back",
    "remote": "Plain functions: `marsdask.remote`",
    "Object": "What `remote.spawn` gives back",
}
STATUSES = {
    "delegated": "Dask's own operation, or pandas' on each chunk; the oracle tests say it is right",
    "tiled": "tiled by marsdask",
    "gathered": "right, but in one chunk, which `options.gather_limit` bounds",
    "attribute": "an attribute, or a plain method of the class",
    "unbuilt": "a gap: using it raises `NotImplementedError` with the reason",
}


@dataclass(frozen=True)
class Row:
    """One public name of a room or class."""

    name: str
    status: str
    says: str
    differs: str = ""
    page: str = ""

    @property
    def line(self) -> str:
        oracle = next((name for name in ("scipy", "numpy") if name in self.page), "pandas")
        page = f"[{oracle}]({self.page})" if self.page else ""
        cells = (f"`{self.name}`", self.status, self.says, self.differs, page)
        return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"


def title(key: str) -> str:
    """The heading of a room's or class's section."""
    return TITLES.get(key, f"`marsdask.{key}`")


def sections() -> dict[str, list[Row]]:
    """The rows of every room and class, in the page's order."""
    keys = [*TITLES, *sorted({*gaps.NAMES, *registry.FILLED, *registry.ATTACHED} - TITLES.keys())]
    return {key: found for key in keys if (found := rows(key))}


def rows(key: str) -> list[Row]:
    """The rows of a room or class, by name."""
    entries = {op.public: op for op in registry.OPS.values() if belongs(op, key)}
    target = where(key)
    # Of a module neither others nor what is only there for the file itself.
    own = dir(target) if isinstance(target, type) else getattr(target, "__all__", ())
    names = {*entries, *gaps.NAMES.get(key, ()), *(name for name in own if not name.startswith("_"))}
    ordered = sorted(names, key=lambda name: (name.startswith("__"), name.lower(), name))
    return [row(key, name, entries.get(name), target) for name in ordered]


def belongs(op: Op, key: str) -> bool:
    """Whether an entry gives a room a function, or a class a method."""
    if op.public.startswith("_"):
        return False
    return key in op.owners or (op.room == key and op.function and key in registry.FILLED)


def where(key: str) -> Any:
    """The module or class that has the names of a room or class; None where nobody built it."""
    if key in registry.ATTACHED:
        return registry.ATTACHED[key]
    if key in ("Session", "AsyncSession", "ExecutionInfo"):
        return getattr(marsdask.session, key)
    module = {"marsdask": "marsdask", **registry.FILLED}.get(key, f"marsdask.{key}")
    with contextlib.suppress(ImportError):
        return importlib.import_module(module)
    return None


def row(key: str, name: str, op: Op | None, target: Any) -> Row:
    """What stands for one name."""
    page = semantics.link(key, name)
    found = sys if target is None else inspect.getattr_static(target, name, sys)
    op = op or registry.entry_of(found)
    if op is not None:
        return Row(name, op.status, op.first_line if op.built else op.reason, op.differs, page)
    if not isinstance(found, ModuleType):
        return Row(name, "attribute", said(found), page=page)
    return Row(name, "unbuilt", gaps.reason(key, name), page=page)


def said(found: Any) -> str:
    """The first line of an attribute's own documentation."""
    if isinstance(found, type) and found.__module__ == "builtins":  # whose words differ between versions
        return f"Python's own `{found.__name__}`."
    if isinstance(found, (int, float, str, type(None))):
        return f"`{found!r}`"
    made = isinstance(getattr(found, "fget", None), functools.partial)
    if made and found.__doc__ == functools.partial.__doc__:
        return ""
    own = isinstance(found, (type, property, staticmethod, classmethod)) or inspect.isroutine(found)
    return ((inspect.getdoc(found) if own else None) or "").partition("\n")[0]


def table() -> list[str]:
    """How many names of each room and class have each status, as lines of a Markdown table."""
    found = {key: collections.Counter(row.status for row in of) for key, of in sections().items()}
    return [
        f"| room or class | {' | '.join(STATUSES)} | all |",
        "|---" * (len(STATUSES) + 2) + "|",
        *(_counted(f"`{key}`", of) for key, of in found.items()),
        _counted("all", sum(found.values(), collections.Counter[str]())),
    ]


def _counted(title: str, of: collections.Counter[str]) -> str:
    cells = [str(of[status] or "") for status in STATUSES]
    return f"| {title} | {' | '.join(cells)} | {sum(of.values())} |"


def page() -> str:
    """The page `docs/coverage.md`."""
    lines = [
        "# What is covered",
        "",
        "Every public name of Mars, and every name marsdask adds: what stands for it, what it gives back, where it",
        "differs from NumPy and pandas, and who documents the semantics. `python -m marsdask ops NAME` says more of one.",
        "This page is written from the registry by `make coverage-page`; do not edit it.",
        "",
        *(f"- **{status}**: {meaning}" for status, meaning in STATUSES.items()),
        "",
        *table(),
    ]
    for key, found in sections().items():
        lines += ["", f"## {title(key)}", ""]
        lines += ["| name | status | gives back, or why not | differs | semantics |", "|---|---|---|---|---|"]
        lines += [each.line for each in found]
    return "\n".join(lines) + "\n"


def options_page() -> str:
    """The page `docs/options.md`."""
    lines = [
        "# Options",
        "",
        "Set one with `marsdask.options.chunk_size = 1000`, or for a block with",
        '`with marsdask.option_context({"chunk_size": 1000}):`. They live in Dask\'s configuration under',
        "`marsdask.options`; a value of the wrong kind is an error that says what was expected. What a block sets holds in its",
        "thread, in what is executed there, and in `asyncio` tasks made there; not in threads that a program starts by itself.",
        "This page is written from `marsdask.options.OPTIONS` by `make coverage-page`; do not edit it.",
        "",
        "| option | default | what it does |",
        "|---|---|---|",
    ]
    lines += [
        f"| `{name}` | `{o.default!r}` | {o.doc.replace('|', chr(92) + '|')} |" for name, o in OPTIONS.items()
    ]
    return "\n".join(lines) + "\n"
