"""Passes over one graph of tasks, just before it runs: what is wanted, fewer and larger tasks, under names that people know."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from operator import itemgetter
from typing import Any

from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.task_spec import Alias, DataNode, GraphNode, Task, TaskRef
from dask.typing import Key
from dask.utils import key_split

from marsdask.plan.graph.making import Early, Placed
from marsdask.plan.graph.names import Label, joint
from marsdask.plan.late import knowing, whole


def wanted_only(graph: dict[Key, Any], keys: Sequence[Key]) -> dict[Key, Any]:
    """The part of a graph that `keys` need."""
    found: dict[Key, Any] = {}
    work = list(keys)
    while work:
        key = work.pop()
        if key not in found and key in graph:
            found[key] = task = graph[key]
            if isinstance(task, GraphNode):
                work.extend(task.dependencies)
            elif not _spelled(task):  # in Dask's old way: keep everything
                return graph
    return found


def _spelled(task: Any) -> bool:
    """Whether these passes know what a task needs: it is a task of today's Dask, or held on a cluster."""
    return isinstance(task, (GraphNode, TaskRef))


def _needs(task: Any) -> Iterable[Key]:
    """The keys that a task needs; none where it is held on a cluster."""
    return task.dependencies if isinstance(task, GraphNode) else ()


def narrowed(graph: dict[Key, Any], keys: Sequence[Key], labels: dict[str, Label]) -> dict[Key, Any]:
    """The same graph where tasks that read columns read those that its other tasks pick, and no others.

    A plan reads what all of it looks at, but is run in several graphs: what looks at the others may be done with. A function
    that reads has `narrow(columns, *args)`, which gives its arguments for less or None; one that picks has `picks`. What reads
    less has another name, with the label of the old one: a scheduler may know how to make that, for what it holds.
    """
    sources = {k for k, t in graph.items() if type(t) is Task and hasattr(t.func, "narrow")}
    sources.difference_update(keys)
    if not sources:
        return graph
    columns: dict[Key, list[Any]] = {}
    for task in graph.values():
        for need in sources.intersection(_needs(task)):
            some = _picked_by(task)
            if some is None:
                sources.discard(need)
            else:
                columns.setdefault(need, []).extend(some)
    subs: dict[Key, Key] = {}
    new = dict(graph)
    for key in sources.intersection(columns):
        task = graph[key]
        less = task.func.narrow(columns[key], *task.args)
        if less is not None:
            name = name_of(key)
            other = _hashed(key_split(name), repr((name, sorted(map(str, columns[key])))))
            subs[key] = (other, *key[1:]) if type(key) is tuple else other
            if name in labels:
                labels[other] = labels[name]
            del new[key]
            new[subs[key]] = Task(subs[key], task.func, *less)
    for key, task in graph.items() if subs else ():
        if not subs.keys().isdisjoint(_needs(task)):
            new[key] = task.substitute(subs)
    return new


def _picked_by(task: Any) -> list[Any] | None:
    """The columns that a task picks of its only input; None where it looks at more."""
    if type(task) is not Task or not hasattr(task.func, "picks") or len(task.args) != 2:
        return None
    some = task.args[1]
    return list(some) if isinstance(some, list) else [some]


class Chain:
    """Several tasks run in one, each value dropped after its last use."""

    __slots__ = ("gone", "needs", "tasks")

    def __init__(self, tasks: Sequence[Task], needs: Sequence[Key]):
        self.tasks, self.needs = tuple(tasks), tuple(needs)
        later: set[Key] = set()
        gone = []
        for task in reversed(self.tasks):
            gone.append(task.dependencies - later)
            later |= task.dependencies
        self.gone = tuple(reversed(gone))

    def __reduce__(self) -> tuple[Any, ...]:
        return Chain, (self.tasks, self.needs)

    def __call__(self, *inputs: Any) -> Any:
        values = dict(zip(self.needs, inputs, strict=True))
        result = None
        for task, gone in zip(self.tasks, self.gone, strict=True):
            values[task.key] = result = _run(task, values)
            for key in gone:
                del values[key]
        return whole(result)


def _run(task: Any, values: dict[Key, Any]) -> Any:
    """What a task gives; one that knows late values gets them as they are, and may give one."""
    func = knowing(task.func) if type(task) is Task else None
    if func is None:
        for key in task.dependencies:
            values[key] = whole(values[key])
        return task(values)
    # As Dask calls it: 3 microseconds, and 8 by a task of its own.
    args = [_given(each, values) for each in task.args]
    return func(*args, **{name: _given(each, values) for name, each in task.kwargs.items()})


def _given(arg: Any, values: dict[Key, Any]) -> Any:
    """What a function gets for an argument of its task."""
    if isinstance(arg, TaskRef):
        return values[arg.key]
    return arg({key: values[key] for key in arg.dependencies}) if isinstance(arg, GraphNode) else arg


def _has_several(task: Any) -> bool:
    return type(task) is Task and task.has_subgraph()


def _opened(task: Any) -> list[Any]:
    """The tasks that Dask's array optimizer put in one, in order: those of frames below an array are among them."""
    if not _has_several(task):
        return [task]
    within, last, needs, *refs = task.args
    known = {*within, *needs}
    plain = all(
        type(t) in (Task, DataNode) and t.key == k and t.dependencies <= known for k, t in within.items()
    )
    if not plain or not all(
        isinstance(ref, TaskRef) for ref in refs
    ):  # of its own, as those of blockwise are
        return [task]
    subs = {need: ref.key for need, ref in zip(needs, refs, strict=True)} | {last: task.key}
    order = TopologicalSorter({k: [n for n in t.dependencies if n in within] for k, t in within.items()})
    return [within[k].substitute(subs, key=subs.get(k, k)) for k in order.static_order()]


def _chained(tasks: Sequence[Task]) -> Task:
    """Tasks in an order in which they can run as one, in the place of the last."""
    needs = set().union(*[t.dependencies for t in tasks]).difference([t.key for t in tasks])
    return Task(tasks[-1].key, Chain(tasks, tuple(needs)), *map(TaskRef, needs))


def lined_up(graph: dict[Key, Any], keys: Sequence[Key]) -> dict[Key, Any]:
    """The same graph with tasks of one chunk that only feed each other in one task.

    A task is taken into its user where all of its users are in one chain and no work is lost that could go on side by side:
    it has the user's chunk number, and the user does not join several chunks of the same collection; or it is what the user
    is made of, alone or with what it is made of itself, as the mean of a single chunk that its rows are compared with.
    """
    users: dict[Key, list[Key]] = {key: [] for key in graph}
    for key, task in graph.items():
        if not _spelled(task):
            return graph
        for need in _needs(task):
            users.setdefault(need, []).append(key)
    outside = set(keys)
    graph = _unaliased(graph, users, outside)
    top: dict[Key, Key] = {}
    members: dict[Key, list[Key]] = {}
    waiting = {key: len(mine) for key, mine in users.items()}
    ready = [key for key in graph if not waiting[key]]
    while ready:  # each after all of its users
        key = root = ready.pop()
        task, mine = graph[key], users[key]
        if mine and type(task) is Task and key not in outside:
            first = top[mine[0]]
            if all(top[u] == first and _takes(graph, u, key) for u in mine):
                root = first
        top[key] = root
        members.setdefault(root, []).append(key)
        for need in _needs(task):
            waiting[need] -= 1
            if not waiting[need] and need in graph:
                ready.append(need)
    new = dict(graph)
    for root, group in members.items():
        if len(group) == 1 and not _has_several(graph[root]):
            continue
        tasks = [each for key in reversed(group) for each in _opened(graph[key])]
        if len(tasks) > 1:
            new[root] = _chained(tasks)
            for key in group[1:]:
                del new[key]
    return _side_by_side(new, outside)


def _side_by_side(graph: dict[Key, Any], outside: set[Key]) -> dict[Key, Any]:
    """The same graph where tasks of one chunk that share what they are made of, and that one task joins with those of other
    chunks, are one task, which gives all of their values: as the parts of two sums of the same rows.

    On a cluster each task waits some 3 ms. TPC-H q14 with two such sums, on two workers of one thread: 18 tasks and 127 ms come to 6 and 102.
    """
    joins = {key: among for key, task in graph.items() if (among := _of_several_chunks(task))}
    if not joins:
        return graph
    users: dict[Key, set[Key]] = {}
    for key, task in graph.items():
        for need in _needs(task):
            users.setdefault(need, set()).add(key)
    new, changed = dict(graph), set[Key]()
    for key, among in joins.items():
        if key in changed:
            continue
        subs: dict[Key, Key] = {}
        picks: list[Task] = []
        for number, mine in among.items():
            ends = [k for k in mine if _only_for(graph, users, k, {key}, outside)]
            inner = _shared(graph, users, ends, outside)
            if not inner or not changed.isdisjoint((*inner, *ends)):
                continue
            changed.update((key, *inner, *ends))
            name = (f"{name_of(ends[0])}-beside", *number)
            tasks = [each for k in (*inner, *ends) for each in _opened(graph[k])]
            for k in (*inner, *ends):
                del new[k]
            new[name] = _chained([*tasks, Task(name, _values, *map(TaskRef, ends))])
            for i, end in enumerate(ends):
                subs[end] = (*name, i)
                picks.append(Task(subs[end], itemgetter(i), TaskRef(name)))
        if picks:
            new[key] = _chained([*picks, *_opened(new[key].substitute(subs))])
    return new


def _of_several_chunks(task: Any) -> dict[tuple[Any, ...], list[Key]]:
    """What a task joins of each chunk, by the number of that; nothing where it is not several values of several chunks."""
    if type(task) is not Task or len(task.dependencies) < 4:
        return {}
    found: dict[tuple[Any, ...], list[Key]] = {}
    for key in task.dependencies:
        if type(key) is tuple:
            found.setdefault(key[1:], []).append(key)
    several = {number: sorted(keys, key=str) for number, keys in found.items() if len(keys) > 1}
    return several if len(several) > 1 else {}


def _only_for(
    graph: dict[Key, Any], users: Mapping[Key, set[Key]], key: Key, those: Collection[Key], outside: set[Key]
) -> bool:
    return type(graph.get(key)) is Task and key not in outside and users[key] <= {*those}


def _shared(
    graph: dict[Key, Any], users: Mapping[Key, set[Key]], ends: Sequence[Key], outside: set[Key]
) -> list[Key]:
    """The tasks, in order, that only `ends` are made of and that are of the same chunk; none where `ends` have none in common."""
    group, inner, work = set(ends), [], list(ends)
    common = False
    while work:
        for need in graph[work.pop()].dependencies:
            same = type(need) is tuple and need[1:] == ends[0][1:]  # type: ignore[index]
            if need not in group and same and _only_for(graph, users, need, group, outside):
                group.add(need)
                work.append(need)
                inner.append(need)
                common = common or len(users[need]) > 1
    if not common:
        return []
    order = TopologicalSorter({k: graph[k].dependencies & group for k in group}).static_order()
    return [k for k in order if k not in ends]


def _values(*values: Any) -> tuple[Any, ...]:
    return values


def _unaliased(graph: dict[Key, Any], users: dict[Key, list[Key]], outside: set[Key]) -> dict[Key, Any]:
    """The same graph without aliases of tasks that nobody else looks at: the tasks take the alias's key.

    Dask's array optimizer leaves one for each chain that it fuses, and an alias costs as much as any task.
    """
    new = dict(graph)
    for key, task in graph.items():
        if type(task) is not Alias or users.get(task.target) != [key] or task.target in outside:
            continue
        held = new.get(task.target)
        if type(held) is Task:
            del new[task.target]
            new[key] = held.substitute({}, key=key)
            for need in held.dependencies:
                users[need] = [key if user == task.target else user for user in users[need]]
    return new


def _takes(graph: dict[Key, Any], user_key: Any, key: Any) -> bool:
    user = graph[user_key]
    if type(user) is not Task:
        return False
    needs = user.dependencies
    if type(key) is not tuple or type(user_key) is not tuple or key[1:] != user_key[1:]:
        return _on_a_line(graph, key, needs)
    return len(needs) == 1 or not any(type(k) is tuple and k[0] == key[0] and k != key for k in needs)


def _on_a_line(graph: dict[Key, Any], key: Key, needs: Collection[Key]) -> bool:
    """Whether `key` is all of `needs`, or is made, one task after another, of another one of them."""
    if len(needs) == 1:
        return True
    below = key
    while type(task := graph.get(below)) is Task and len(task.dependencies) == 1:
        (below,) = task.dependencies
        if below in needs:
            return True
    return False


# Below this many tasks the scheduler's own cost does not show.
BATCH_FROM = 512


def batched(graph: dict[Key, Any], keys: Sequence[Key]) -> dict[Key, Any]:
    """The same graph with the leaves of wide reductions run inside the task that joins them.

    A task costs 250-350 microseconds on threads, however tiny; a join of k leaves that nobody else needs is one task
    instead of k + 1. Only where there are many more tasks than workers, and a join has at least four such leaves.
    """
    if len(graph) < BATCH_FROM or not all(map(_spelled, graph.values())):
        return graph
    users = Counter([*keys, *keys])
    for task in graph.values():
        users.update(_needs(task))
    new = dict(graph)
    for key, task in graph.items():
        if type(task) is not Task or len(task.dependencies) < 4:
            continue
        lines = [_line(graph, users, k) for k in task.dependencies]
        if all(lines):
            inside = [t for line in lines for t in reversed(line)]
            new[key] = _chained([each for t in (*inside, task) for each in _opened(t)])
            for each in inside:
                del new[each.key]
    return new


def _line(graph: dict[Key, Any], users: Mapping[Key, int], key: Key) -> list[Any]:
    """The tasks that make `key` out of nothing or of data at hand, one feeding the next and nobody else; last ones first."""
    line: list[Any] = []
    while users.get(key) == 1 and key in graph and not isinstance(graph[key], (DataNode, Placed, TaskRef)):
        line.append(graph[key])
        needs = graph[key].dependencies
        if all(isinstance(graph.get(k), DataNode) for k in needs):
            return line
        if len(needs) > 1:
            return []
        (key,) = needs
    return []


def annotated(tasks: dict[Key, Any]) -> HighLevelGraph:
    """The graph in the form in which a cluster learns where tasks must run, and which come before others.

    Also where nothing is to be learnt: Dask hashes all of a dict of tasks before it sends it, which costs more than the
    scheduling of small tasks, but only the names of the layers of a graph that has some; these are new each time.
    """
    bound = {k: t for k, t in tasks.items() if type(t) is Placed and t.where}
    early = {k: t for k, t in tasks.items() if type(t) is Early}
    free = {k: t for k, t in tasks.items() if k not in bound and k not in early}
    layers: dict[str, Any] = {f"free-{uuid.uuid4().hex}": MaterializedLayer(free)}
    if early:
        layers["early"] = MaterializedLayer(early, annotations={"priority": 1})
    for i, (key, task) in enumerate(bound.items()):
        layers[f"placed-{i}"] = MaterializedLayer({key: task}, annotations=task.where)
    return HighLevelGraph(layers, {name: set() for name in layers})


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

    A scheduler shows, colours and estimates tasks by the words before the digest of their key. Dask's own are those of its
    functions ("lambda", "full_like", "getitem"); here they become the operation's. What a lowering made on the way to a collection gets the label of the collection. Names that change keep apart: a digest
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
    renamed = subs.keys()  # whose isdisjoint() looks at the other; a set's goes over all of a dict
    for key, task in graph.items():
        if key not in dropped:
            other = subs.get(key, key)
            if isinstance(task, GraphNode) and (
                other is not key or not renamed.isdisjoint(task.dependencies)
            ):
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
        if isinstance(task, GraphNode):
            first.setdefault(name, task)
            for below in map(name_of, task.dependencies):
                if below not in labels and below != name:
                    user.setdefault(below, name)
    new: dict[str, str] = {}
    for name, task in first.items():
        label = _label(name, labels, user)
        if label is THEIRS or name.startswith(SHUFFLES):
            continue
        shown = _shown(name, label, task, labels)
        if key_split(name) != shown:
            new[name] = _hashed(shown, name)
    return new


def _hashed(shown: str, what: str) -> str:
    """A name that is shown as `shown`, and is told by the rest of it from others: it is a digest, as Dask's are."""
    return f"{shown}-{hashlib.blake2b(what.encode(), digest_size=16).hexdigest()}"


def _label(name: str, labels: Mapping[str, Label], user: Mapping[str, str]) -> Label:
    """The label of a name, or of the first that uses it and has one; THEIRS where none has."""
    seen: set[str] = set()
    while name not in labels and name not in seen:
        seen.add(name)
        name = user.get(name, name)
    return labels.get(name, THEIRS)


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
        tasks = {t.key: t for t in task.args[0].values() if isinstance(t, GraphNode)}
        needs = {key: [k for k in tasks if k in t.dependencies] for key, t in tasks.items()}
        within = [tasks[key] for key in TopologicalSorter(needs).static_order()]
    found: list[str] = []
    for each in within:
        operation = labels.get(name_of(each.key), THEIRS).operation
        found += [*_inside(each, labels), *([] if operation in UNSAID else [operation])]
    return found
