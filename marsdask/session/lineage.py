"""What a cluster has lost is run again: nodes keep their inputs, so every result has a lineage.

Results are made good in place. Whoever holds one, a handle or work that will read it, finds the data there again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from marsdask.engine.base import Engine
from marsdask.errors import DataLost
from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.node import Node, inputs, token, walk
from marsdask.session.results import Result, tasks_of, with_siblings

if TYPE_CHECKING:
    from marsdask.session.base import Session

T = TypeVar("T")


def retried(engine: Engine, work: Callable[[], T]) -> T:
    """What `work()` gives. It is called again, so often as the options allow, where the cluster has lost what it needs."""
    left = int(options.cluster.recompute_limit)
    while True:
        try:
            return work()
        except DataLost:
            if not left:
                raise
            left -= 1
            engine.back()


def lost(engine: Engine, result: Result) -> bool:
    """Whether some of the data are gone from the cluster for good, as far as this process has heard."""
    return engine.lost([graph.data_of(t) for t in tasks_of(result.collection)])


def restore(session: Session, nodes: Sequence[Node], known: Iterable[Result] = ()) -> None:
    """Make good the lost ones among `known` and among the results that running `nodes` would read, in one run."""
    if session.engine.shared_memory:
        return
    with session.restoring:
        gone = [r for r in known if r.session is session and lost(session.engine, r)]
        gone += _lost_below(session, [*nodes, *(r.node for r in gone)])
        if not gone:
            return
        wanted = {token(n): n for r in gone for n in with_siblings(r.node)}
        alive = {name: r for name in wanted if (r := session.results.get(name)) is not None}
        fresh = dict(zip(wanted, session.run(list(wanted.values())), strict=True))
        for result in gone:
            new = fresh[token(result.node)]
            result.collection, result.meta = new.collection, new.meta
        session.results.update(alive)


def _lost_below(session: Session, roots: Iterable[Node]) -> list[Result]:
    """Lost results that running `roots` would read, those that making them again would read included."""
    found: list[Result] = []

    def below(node: Node) -> Sequence[Node]:
        result = session.results.get(token(node))
        if result is not None:
            if not lost(session.engine, result):
                return ()
            found.append(result)
        return inputs(node)

    walk(roots, below)
    return found
