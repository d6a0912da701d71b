"""The last pass before a cluster: tasks under names that people know, whatever Dask or a lowering called them.

A scheduler shows, colours and estimates tasks by the words before the digest of their key. Dask's own are those of its
functions ("lambda", "full_like", "getitem"); here they become the operation's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from dask.task_spec import Alias, GraphNode, Task, TaskRef
from dask.typing import Key
from dask.utils import key_split

from marsdask.plan.graph.fusing import Chain
from marsdask.plan.graph.names import Label, joint

# Steps of Dask's own tilings that are worth telling apart: their tasks take other times than the first step's.
STEPS = ("aggregate", "partial")
MOVES = ("rechunk", "shuffle")

SHUFFLES = "shuffle-barrier"  # the scheduler looks for these: a rechunk from worker to worker would never end

# What is at hand says nothing about what is done with it.
UNSAID = ("", "data", "result", "handed")

# The label of what is the user's own: it keeps its name, and so does what only it is made of.
THEIRS = Label("")


def named(
    graph: dict[Key, Any], keys: Sequence[Key], labels: Mapping[str, Label]
) -> tuple[dict[Key, Any], list[Key]]:
    """The same graph and its keys in the words of the operations; `labels` are those of collections, by name.

    What a lowering made on the way to a collection gets the label of the collection. Names that change keep apart: a digest
    of the old one stands in the new. What is computed already keeps its key, and is named by it.
    """
    new_names = _new_names(graph, labels)
    outputs = set(keys)
    subs: dict[Key, Key] = {}
    dropped: set[Key] = set()
    for key, task in graph.items():
        if isinstance(task, TaskRef):  # held on the cluster, maybe by a newer name
            if task.key != key:
                subs[key] = task.key
        elif type(task) is Alias and task.target not in graph and key not in outputs:
            subs[key] = task.target
            dropped.add(key)
        elif (name := new_names.get(name_of(key))) is not None:
            subs[key] = (name, *key[1:]) if type(key) is tuple else name
    if not subs:
        return graph, list(keys)
    new: dict[Key, Any] = {}
    for key, task in graph.items():
        if key in dropped:
            continue
        other = subs.get(key, key)
        if isinstance(task, GraphNode) and (other is not key or not task.dependencies.isdisjoint(subs)):
            task = task.substitute(subs, key=other)  # type: ignore[arg-type]
        new[other] = task
    return new, [subs.get(key, key) for key in keys]


def name_of(key: Key) -> str:
    """The part of a key that all chunks of a collection share."""
    return str(key[0]) if type(key) is tuple else str(key)


def _new_names(graph: dict[Key, Any], labels: Mapping[str, Label]) -> dict[str, str]:
    """New names by old ones, where they differ."""
    first: dict[str, Any] = {}
    user: dict[str, str] = {}
    for key, task in graph.items():
        name = name_of(key)
        if not isinstance(task, GraphNode):
            continue
        first.setdefault(name, task)
        for need in task.dependencies:
            below = name_of(need)
            if below not in labels and below != name:
                user.setdefault(below, name)
    new: dict[str, str] = {}
    for name, task in first.items():
        label = _label(name, labels, user)
        if label is None or label is THEIRS or name.startswith(SHUFFLES):
            continue
        shown = _shown(name, label, task, labels)
        if key_split(name) != shown:
            new[name] = f"{shown}-{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"
    return new


def _label(name: str, labels: Mapping[str, Label], user: Mapping[str, str]) -> Label | None:
    """The label of a name, or of the first that uses it and has one."""
    seen: set[str] = set()
    while name not in labels:
        seen.add(name)
        if (name := user.get(name, name)) in seen:
            return None
    return labels[name]


def _shown(name: str, label: Label, task: Any, labels: Mapping[str, Label]) -> str:
    """What the tasks of a name are shown as: what runs in them, and the step."""
    operation = joint([*_inside(task, labels), label.operation])
    step = label.step
    if not step:
        words = key_split(name).split("-")
        step = next((w for w in words[1:] if w in STEPS), "")
        if words[0] in MOVES and words[0] != label.operation:
            step = words[0]
    return f"{operation}-{step}" if step and step.isalpha() else operation


def _inside(task: Any, labels: Mapping[str, Label]) -> list[str]:
    """The operations that were fused into a task, inputs first."""
    if not isinstance(task, Task):
        return []
    within: list[Any] = []
    if isinstance(task.func, Chain):
        within = list(task.func.tasks)
    elif task.has_subgraph():
        within = _inputs_first([t for t in task.args[0].values() if isinstance(t, GraphNode)])
    found: list[str] = []
    for each in within:
        label = labels.get(name_of(each.key))
        found += _inside(each, labels)
        if label and label.operation not in UNSAID:
            found.append(label.operation)
    return found


def _inputs_first(tasks: list[Any]) -> list[Any]:
    """Tasks of a small graph in an order in which they can run."""
    left = {t.key: t for t in tasks}
    order: list[Any] = []
    while ready := [t for t in left.values() if left.keys().isdisjoint(t.dependencies)]:
        order += ready
        for task in ready:
            del left[task.key]
    return order
