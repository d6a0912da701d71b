"""Names of tasks, made from the operation that is being lowered: what people read on the dashboard."""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
import itertools
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from marsdask.options import within
from marsdask.plan.meta import meta
from marsdask.plan.node import Node


class Label(NamedTuple):
    """What a task is shown as: "sort", or with a step of the operation "sort-split"."""

    operation: str
    step: str = ""

    def __str__(self) -> str:
        return f"{self.operation}-{self.step}" if self.step else self.operation


@dataclass
class Place:
    """Which operation is being lowered: names of tasks are made from it, so equal work gets equal names."""

    label: str = "marsdask"
    token: str = ""
    shared_memory: bool = True  # all tasks run in this process: pieces are handed over, not copied
    counter: Iterator[int] = field(default_factory=itertools.count)
    rules: list[str] = field(default_factory=list)  # which rule chose the plan, for explain()
    labels: dict[str, Label] = field(default_factory=dict)  # by the names that were given
    node: Node | None = None


# Outside of a lowering names are this process's own: another program on the same cluster counts from 0 as well.
_NOWHERE = Place(token=uuid.uuid4().hex)
_place: contextvars.ContextVar[Place] = contextvars.ContextVar("marsdask-place", default=_NOWHERE)


def at(place: Place) -> contextlib.AbstractContextManager[Place]:
    """Tasks made inside the block are named after `place`."""
    return within(_place, place)


def rule(text: str) -> None:
    """Note which rule chose the plan of the operation being lowered; `explain()` shows it."""
    _place.get().rules.append(text)


def warning(text: str) -> None:
    """Note what will cost more than it should; `explain()` shows it as a warning, before the run."""
    rule(f"warning: {text}")


def name_for(step: str | None = None) -> str:
    """A task name: the operation and a step of it, then a digest (32 hex digits, which Dask cuts off)."""
    place = _place.get()
    label = Label(place.label, step or "")
    digest = hashlib.blake2b(f"{place.token}/{next(place.counter)}".encode(), digest_size=16)
    name = f"{label}-{digest.hexdigest()}"
    place.labels[name] = label
    return name


def in_one_process() -> bool:
    """Whether tasks hand over their pieces in memory, so that looking at all chunks costs no copy."""
    return _place.get().shared_memory


def operation() -> str:
    """The name of the operation being lowered."""
    return _place.get().label


def promised() -> Any:
    """The metadata of the node that is being lowered."""
    node = _place.get().node
    assert node is not None
    return meta(node)


def promise(node: Node) -> None:
    """Lower on as this node, of which more is known."""
    _place.get().node = node


LONGEST = 48


def joint(operations: Iterable[str]) -> str:
    """One name for operations that run in one task, first to last: bounded, and always with the last.

    >>> joint(["add", "multiply", "multiply", "sum"])
    'add+multiply+sum'
    >>> joint(["read_csv", "groupby-agg", "sort_values"])
    'read_csv+groupby.agg+sort_values'
    >>> joint(["add", "sin", "cos", "tan", "sqrt", "sum"])
    'add+...+sqrt+sum'
    """
    names = [name for name, _ in itertools.groupby(n for each in operations for n in each.split("+"))]
    if len(names) > 4:
        names = [names[0], "...", *names[-2:]]
    # After a "-" Dask shows letters only, so there may be one in the last name.
    text = "+".join([*(n.replace("-", ".") for n in names[:-1]), names[-1]])
    return text if len(text) <= LONGEST else names[-1]
