"""Operations as data: what an entry of the registry says, and the table of all of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from marsdask.errors import UnknownName
from marsdask.plan import labels, semantics
from marsdask.plan.node import Node

Status = Literal["delegated", "tiled", "gathered", "unbuilt"]


if TYPE_CHECKING:
    Array: TypeAlias = Any
    Arrays: TypeAlias = Any
    Frame: TypeAlias = Any
else:

    class Array:
        """Annotation of a parameter that takes a tensor or anything `mt.asarray` takes."""

    class Arrays:
        """Annotation of a parameter that takes a sequence of tensors."""

    class Frame:
        """Annotation of a parameter that takes a frame, series or index, ours or pandas'."""


class Setting:
    """What stands for a parameter that says how, and is no data: of a lazy one a run tells the value."""


CONVERTED = {
    "Array": Array, "Arrays": Arrays, "Frame": Frame, "Array | None": Array, "Arrays | None": Arrays, "Frame | None": Frame,
}  # fmt: skip


@dataclass(frozen=True)
class Op:
    """One operation.

    `delegated`: Dask has it and the oracle tests say it is right. `tiled`: our own tiling. `gathered`: right, but in
    one chunk, which `options.gather_limit` bounds. `unbuilt`: a gap with its reason.

    `prepare` is what users call: it checks the arguments and gives a handle, or runs; `doc` is its docstring. Without it they
    call the lowering by its own signature.
    `sizes`: whether the lowering needs the chunk sizes of its arrays: always, always and those of its frames too ("rows"),
    where it has several, or never.
    `demands(node, demand)` and `trim(node, demand)`: see `passes.drop`.
    `traits`: facts for passes ("ufunc", "reducible", "through", "blind", ...); "placed": rows stay where they are, whatever a
    plan leaves out; "open": lowered alike whatever the dtypes of its inputs are, so that nobody asks for those that only a run
    can tell.
    """

    name: str
    room: str
    lower: Callable[..., Any] | None
    signature: inspect.Signature
    status: Status
    meta: Callable[..., Any] | None = None
    owners: tuple[str, ...] = ()
    function: bool = True
    sizes: Literal["known", "rows", "aligned", "any"] = "known"
    prepare: Callable[..., Any] | None = None
    demands: Callable[..., Any] | None = None
    trim: Callable[..., Any] | None = None
    traits: frozenset[str] = frozenset()
    doc: str = ""
    reason: str = ""
    differs: str = ""
    converted: Mapping[str, type] = field(default_factory=dict)
    direct: bool = False
    """Whether `prepare` is called as users call it; a family gets its members' arguments by name."""

    @property
    def public(self) -> str:
        """The name users write: the last part of the registry name."""
        return self.name.rpartition(".")[2]

    @functools.cached_property
    def label(self) -> str:
        """The name in tasks: "sort", "groupby-agg", "random.rand"."""
        return labels.of_operation(self.name)

    @functools.cached_property
    def places(self) -> tuple[str, ...] | None:
        """The names of its parameters, where all are given by place or by name; else None."""
        found = self.signature.parameters.values()
        plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in found)
        return tuple(p.name for p in found) if plain else None

    @functools.cached_property
    def needed(self) -> frozenset[str]:
        """The names of parameters that have no default."""
        return frozenset(p.name for p in self.signature.parameters.values() if p.default is p.empty)

    @functools.cached_property
    def oracle(self) -> Any:
        """What NumPy or pandas has by that name; None where the name is Mars's own."""
        return semantics.oracle(
            self.room if self.function or not self.owners else self.owners[0], self.public
        )

    @property
    def built(self) -> bool:
        """Whether it is there, not a gap."""
        return self.status != "unbuilt"

    @property
    def first_line(self) -> str:
        doc = self.doc or (inspect.getdoc(self.lower) if self.lower else "")
        return doc.splitlines()[0] if doc else f"{self.public}: see the oracle's documentation."

    @property
    def source(self) -> str:
        """file:line of the lowering, or of what makes other operations' handles, for people who look."""
        function: Any = self.prepare if self.direct else self.lower or self.prepare
        if function is None:
            return ""
        code = inspect.unwrap(labels.unwrapped(function)).__code__
        return f"{code.co_filename}:{code.co_firstlineno}"


OPS: dict[str, Op] = {}


def lookup(name: str) -> Op:
    """The entry of that name."""
    try:
        return OPS[name]
    except KeyError:
        raise UnknownName.among("the registry", name, OPS) from None


def label(node: Node) -> str:
    """The name that people know the work of a node by: the function they called, and for its inputs in memory "data"."""
    op = lookup(node.op)
    return "data" if "data" in op.traits else node.called or op.label


def called(node: Node) -> str:
    """What people called that made a node, as they write it; nothing where they have no name for it."""
    op = lookup(node.op)
    return labels.written(node.called or ("" if op.room == "engine" else op.label))
