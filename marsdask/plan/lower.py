"""From nodes to Dask collections, with the questions that lowerings ask on the way.

A lowering is a function from collections to a collection. It may be a generator that yields `Ask(small)` and gets the
values, or `Keep(big)` and gets the same collections held by the engine, with known sizes. All questions that are open
at one time are answered in one run.
"""

from __future__ import annotations

import inspect
import math
import uuid
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import dask.array as da
from dask.array.core import PerformanceWarning

from marsdask.errors import MarsDaskError
from marsdask.plan import graph, passes
from marsdask.plan.entries import Op, called, label, lookup
from marsdask.plan.graph import Chunks, Label, Place
from marsdask.plan.holes import is_open
from marsdask.plan.meta import meta, of_dtypes
from marsdask.plan.node import Node, _set, inputs, parts, rebuilt, replace, token, walk


class _Quiet:
    """Dask warns of products of many chunks; here they are contracted at once, and it is not the user's call.

    One for all threads: each way out of `catch_warnings` puts back the filters of all, those of a lowering that still runs too.
    """

    def __init__(self) -> None:
        self.lock, self.lasting, self.caught = Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        with self.lock:
            if not self.lasting:
                self.caught.enter_context(
                    warnings.catch_warnings(action="ignore", category=PerformanceWarning)
                )
            self.lasting += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.lasting -= 1
            if not self.lasting:
                self.caught.close()


_quiet = _Quiet()


class Question:
    """What a lowering asks of collections: an `Ask` or a `Keep`."""

    def __init__(self, *collections: Any):
        self.collections = collections


class Ask(Question):
    """A question: the values of small collections. One collection gives its value, several a tuple.

    The value of `Chunks` is the list of its chunks, that of an array the ndarray.
    """


class Keep(Question):
    """A question: hold these collections where they are computed, and give them back with known sizes."""


class Spare(Question):
    """No question, and without an answer: hold what is worked out on the way, where it is small, for others that look at it, too.

    `chunks` are those of `known` that are small, and None in the place of others.
    """

    def __init__(self, known: Chunks, chunks: Chunks):
        super().__init__(chunks)
        self.known = known


Steps = Generator[Question, Any, Any]


def sized(*collections: Chunks | da.Array) -> Generator[Keep, Any, tuple[Any, ...]]:
    """The same collections with known sizes: `left, right = yield from sized(left, right)` keeps those that lack them."""
    unknown = {id(c): c for c in collections if not _is_sized(c)}
    if unknown:
        kept = yield Keep(*unknown.values())
        unknown = dict(zip(unknown, kept if len(unknown) > 1 else (kept,), strict=True))
    return tuple(unknown.get(id(c), c) for c in collections)


def told(arguments: Any) -> Generator[Ask, Any, Any]:
    """Arguments of a user's function with the values of lazy ones in their tuples, lists and dicts, which are asked for."""
    found = [*parts([arguments], Chunks), *parts([arguments], da.Array)]
    if not found:
        return arguments
    answers = yield Ask(*found)
    values = dict(zip(map(id, found), answers if len(found) > 1 else (answers,), strict=True))
    arguments = replace(arguments, lambda each: graph.one(values[id(each)]), Chunks)
    return replace(arguments, lambda each: values[id(each)], da.Array)


def _is_sized(collection: Chunks | da.Array) -> bool:
    if isinstance(collection, Chunks):
        return collection.known
    return not any(map(math.isnan, collection.shape))


class Kept(dict[str, dict[Any, Any]]):
    """What `Keep` held, by name of the collection; and which operation made a collection."""

    def __init__(self) -> None:
        self.labels: dict[str, Label] = {}


@dataclass(eq=False)
class Open:
    """A lowering that waits for an answer."""

    node: Node
    op: Op
    place: Place
    steps: Steps
    question: Question = field(init=False)


@dataclass
class Lowering:
    """One walk from nodes to collections.

    `answer` gets the open questions and gives the answers, in order. `kept` collects what `Keep` held, for every graph
    that is built later: nothing kept is computed twice. `spare_bytes`: so much of what questions need may be held for
    operations that follow. `settled`: nodes over inputs of which a run has told the dtypes, in the place of those that were open.
    """

    answer: Callable[[Sequence[Question], Kept], Sequence[Any]]
    shared_memory: bool = True
    spare_bytes: float = 0
    done: dict[int, Any] = field(default_factory=dict)
    settled: dict[int, Node] = field(default_factory=dict)
    kept: Kept = field(default_factory=Kept)
    salt: str = field(default_factory=lambda: uuid.uuid4().hex)
    asked: dict[int, list[str]] = field(default_factory=dict)
    rules: dict[int, list[str]] = field(default_factory=dict)

    def run(self, roots: Sequence[Node]) -> list[Any]:
        """The collections of `roots`, in order."""
        still_open: list[Open] = []
        behind: dict[int, list[Node]] = {}
        with _quiet:
            try:
                nodes = walk(roots)
                self._begin_all(nodes, behind, still_open)
                while still_open:
                    over = self._answer_all(still_open, nodes)
                    self._begin_all(
                        [n for each in over for n in behind.pop(id(each), ())], behind, still_open
                    )
            finally:
                for each in still_open:
                    each.steps.close()
        return [self.done[id(n)] for n in roots]

    def _begin_all(
        self, nodes: Sequence[Node], behind: dict[int, list[Node]], still_open: list[Open]
    ) -> None:
        """Start the lowering of all nodes whose inputs are lowered; the others stand `behind` one that is not."""
        work = list(nodes[::-1])
        while work:
            node = work.pop()
            if id(node) in self.done:
                continue
            for child in inputs(node):
                if id(child) not in self.done:
                    behind.setdefault(id(child), []).append(node)
                    break
            else:
                self._begin(node, still_open)
                if id(node) in self.done:
                    work += behind.pop(id(node), ())

    def _begin(self, node: Node, still_open: list[Open]) -> None:
        """Start the lowering of one node, whose inputs are lowered."""
        op = lookup(node.op)
        place = Place(
            label(node), self.salt + token(node), self.shared_memory, labels=self.kept.labels, node=node
        )
        self._advance(Open(node, op, place, self._steps(node, op)), None, still_open)

    def _advance(self, each: Open, answer: Any, still_open: list[Open]) -> None:
        """Send an answer in; the lowering either asks again or is done."""
        try:
            with graph.at(each.place):
                each.question = each.steps.send(answer)
            still_open.append(each)
            self._label(each, each.question.collections)
        except StopIteration as end:
            result = end.value
            self._label(each, result if isinstance(result, tuple) else (result,))
            if isinstance(result, Chunks) and result.node is None:
                result = result.with_node(each.place.node)
            self.done[id(each.node)] = result
            self.rules[id(each.node)] = each.place.rules
        except Exception as error:
            if not isinstance(error, MarsDaskError):  # ours name the operation
                error.add_note(f"marsdask: raised while working on {called(each.node)!r}")
            raise

    def _label(self, each: Open, made: Sequence[Any]) -> None:
        """Note which operation made collections; what it only handed on is another's."""
        if self.shared_memory:  # nobody sees names there
            return
        mine = graph.THEIRS if "theirs" in each.op.traits else Label(each.place.label)
        for collection in made:
            name = collection.name if isinstance(collection, (Chunks, da.Array)) else None
            if name and (mine is graph.THEIRS or name not in self.kept.labels):
                self.kept.labels[name] = mine

    def _steps(self, node: Node, op: Op) -> Steps:
        """The lowering of one node as a generator, unknown sizes resolved first where it needs them."""
        assert op.lower is not None
        if "open" not in op.traits:
            yield from self._settle(node)
        if op.sizes != "any":
            kinds = (da.Array, Chunks) if op.sizes == "rows" else da.Array
            given = {id(i): c for i in inputs(node) if isinstance(c := self.done[id(i)], kinds)}
            if given and (op.sizes != "aligned" or len(set(map(id, given.values()))) > 1):
                known = yield from sized(*given.values())
                self.done.update(zip(given, known, strict=True))
        made = op.lower(*replace(node.args, self._made_of), **replace(node.kwargs, self._made_of))
        return (yield from made) if inspect.isgenerator(made) else made

    def _made_of(self, node: Node) -> Any:
        return self.done[id(node)]

    def _now(self, node: Node) -> Node:
        return self.settled.get(id(node), node)

    def _is_open(self, node: Node, made: Chunks) -> bool:
        """Whether only a run tells the dtypes. What was run to see its columns says them, and is made anew where it was not kept."""
        return is_open(meta(self._now(node))) or (made.node is not None and is_open(made.meta))

    def _settle(self, node: Node) -> Generator[Question, Any, None]:
        """Ask for the dtypes of inputs of which only a run can tell them, and promise what follows from these."""
        below = inputs(node)
        unknown = [i for i in below if type(made := self.done[id(i)]) is Chunks and self._is_open(i, made)]
        if unknown:
            of_holes = zip(below, passes.blind_to_dtypes(node), strict=True)
            needless = {id(child) for child, is_blind in of_holes if is_blind}
            unknown = [i for i in unknown if id(i) not in needless]
        if unknown:
            held = yield Keep(*(self.done[id(i)] for i in unknown))
            held = held if len(unknown) > 1 else (held,)
            found = yield Ask(*map(_dtypes, held))
            for child, chunks, each in zip(
                unknown, held, found if len(unknown) > 1 else (found,), strict=True
            ):
                self.settled[id(child)] = over = _as_found(child, each[0])
                self.done[id(child)] = chunks.with_node(over)
        if self.settled and any(id(i) in self.settled for i in below):
            over = rebuilt(node, self._now)
            _set(over, "_token", token(node))
            self.settled[id(node)] = over
            graph.promise(over)

    def _answer_all(self, still_open: list[Open], nodes: Sequence[Node]) -> list[Node]:
        """Answer every open question in one run; returns the nodes that are done after it."""
        asking = list(still_open)
        spare = [self._spare(chunks, asking[0].place) for chunks in self._on_the_way(asking, nodes)]
        for each in asking:
            self.asked.setdefault(id(each.node), []).append(type(each.question).__name__)
        try:
            answers = self.answer([*(each.question for each in asking), *spare], self.kept)
        except Exception as error:
            names = ", ".join(sorted({repr(called(each.node)) for each in asking}))
            error.add_note(f"marsdask: raised while answering a question of {names}")
            raise
        for each, reply in zip(asking, answers, strict=True):
            still_open.remove(each)
            self._advance(each, reply, still_open)
        return [each.node for each in asking if id(each.node) in self.done]

    def _spare(self, chunks: Chunks, place: Place) -> Spare:
        """Chunks, each as long as it is small: files cut by their row groups give one chunk twice the rows of another."""
        with graph.at(place):
            small = partial(graph.if_small, most=2 * self.spare_bytes / chunks.count)
            return Spare(chunks, graph.per_chunk(small, chunks, lengths="unknown", label="spare"))

    def _on_the_way(self, asking: Sequence[Open], nodes: Sequence[Node]) -> list[Chunks]:
        """Rows that open questions have worked out, and that operations look at which are no part of what is asked.

        They would be worked out again for those: TPC-H q17 at SF10 read its 60M rows twice, 6.2 s of CPU and not 3.5.
        """
        if not self.spare_bytes:
            return []
        asked = walk([each.node for each in asking])
        inside = set(map(id, asked))
        outside = {id(child) for node in nodes if id(node) not in inside for child in inputs(node)}
        shared = [self.done[id(n)] for n in asked if id(n) in outside and id(n) in self.done and _is_made(n)]
        found = [each for each in shared if isinstance(each, Chunks)]
        if not found:
            return []
        names = self._worked_out([c for each in asking for c in each.question.collections])
        return [chunks for chunks in found if chunks.name in names]

    def _worked_out(self, collections: Sequence[Any]) -> set[str]:
        """The names of what has to be worked out for collections."""
        names: set[str] = set()
        stack = list(collections)
        while stack:
            each = stack.pop()
            if each.name in names or each.name in self.kept:
                continue
            names.add(each.name)
            if isinstance(each, Chunks):
                stack += each.inputs
            else:
                names.update(key[0] for key in each.dask if isinstance(key, tuple))
        return names


def _dtypes(held: Chunks) -> Chunks:
    """The dtypes of the first chunk that has rows: all have the same."""
    first = next((i for i, n in enumerate(held.lengths or ()) if n), 0)
    return graph.per_chunk(graph.dtypes_of, graph.chosen(held, [first]), label="dtypes", lengths=None)


def _as_found(node: Node, dtypes: list[Any]) -> Node:
    """The same node, whose metadata has the dtypes that a run has found."""
    known, new = meta(node), Node(node.op, node.args, node.kwargs)
    empty = of_dtypes(known.empty, dtypes if known.ndim == 2 else dtypes[0])
    _set(new, "_token", token(node))
    _set(new, "_meta", known.same(empty))
    _set(new, "called", node.called)
    return new


def _is_made(node: Node) -> bool:
    """Whether a node is more than rows or columns of what was read, or is held."""
    while "slice" in lookup(node.op).traits and inputs(node):
        node = inputs(node)[0]
    return bool(inputs(node))
