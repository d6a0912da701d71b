"""The data of what was executed, on their way to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marsdask.engine import base as engines
from marsdask.engine.failures import functions_of
from marsdask.errors import NotExecuted, NotPicklable
from marsdask.plan import registry
from marsdask.plan.meta import meta
from marsdask.plan.node import Node, token
from marsdask.session import lineage
from marsdask.session.results import Result, exact

if TYPE_CHECKING:
    from marsdask.session.base import Session


def value(session: Session, result: Result) -> Any:
    """The data of a result, which are run again where the cluster has lost them."""
    try:
        return session.value_of(session.intact(result).collection, result.meta)
    except NotPicklable as error:  # the engine knows of tasks only
        if not (names := functions_of(result.node)):
            raise
        what = f"the result of {', '.join(map(repr, names))}"
        raise NotPicklable.because(what, error.why, "to you") from error


def slice_of_executed(session: Session, node: Node) -> Any:
    """The data of basic slices of executed data: only those rows move."""
    if "slice" not in registry.lookup(node.op).traits:
        return None
    below = node
    while "slice" in registry.lookup(below.op).traits and not session.results.get(token(below)):
        if any(isinstance(a, Node) for a in below.args[1:]):
            raise NotExecuted("Only support fetch data slices. Hint: call .execute() first.")
        below = below.args[0]
    if not session.results.get(token(below)):
        return None
    return lineage.retried(session.engine, lambda: _run(session, node))


def _run(session: Session, node: Node) -> Any:
    (collection,), kept = session.lowered([node])
    (done,) = engines.persist(session.engine, [collection], kept)
    return session.value_of(done, exact(meta(node), done, session.engine))
