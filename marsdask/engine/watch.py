"""What a scheduler does for marsdask besides distributed's own: `watch` gives it to one that marsdask starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin

from marsdask.engine import pages, streams
from marsdask.engine.address import WEB_TOKEN
from marsdask.engine.guard import Lock, guard
from marsdask.spill import suspects

OWNERS = "marsdask-owners"
"""Where a scheduler's metadata say which client a published dataset ends with."""


def watch(
    scheduler: Any,
    allowed: Iterable[str] = (),
    *,
    by_name: bool = False,
    token: str | None = None,
    lock: Lock | None = None,
) -> None:
    """Let a scheduler find out who ends workers, sweep up after clients that died, keep nothing of what it has sent and little
    of runs that are over, show the pages of maps, and guard its web port: see `guard`. A `lock` keeps it to those who have its token.
    """
    suspects.watch(scheduler)
    if lock is not None:
        lock.on(scheduler.http_application)
        scheduler.task_metadata[WEB_TOKEN] = lock.token
    guard(scheduler.http_application, allowed, by_name=by_name, token=token)
    pages.serve(scheduler)
    scheduler.add_plugin(Leftovers(), name=Leftovers.name, idempotent=True)
    scheduler.add_plugin(Forgetful(scheduler), name=Forgetful.name, idempotent=True)
    for stream in scheduler.stream_comms.values():
        streams.ours(stream)


SPANS_KEPT = 100
"""Runs of which a scheduler knows what they took once they are over, at most twice as many."""


class Forgetful(SchedulerPlugin):
    """Has its streams keep nothing of what they have sent, and not wait long, and forgets all but the latest runs that are over.

    distributed keeps what each took for ever, for a page of its dashboard: with a scheduler in it, a program under the soak's
    faults grew by 29 MiB from 255 to 601 jobs, and from 286 to 859 by nothing where they are forgotten.
    """

    name = "marsdask-forgetful"

    def __init__(self, scheduler: Any) -> None:
        self.kept, self.looks_at = SPANS_KEPT, 2 * SPANS_KEPT
        if (spans := scheduler.extensions.get("spans")) is not None:
            heard = spans.heartbeat

            def heartbeat(worker: Any, told: Mapping[tuple[Any, ...], float]) -> None:
                """Without what a worker tells late, of a run that is forgotten: it would be an error."""
                heard(worker, {key: value for key, value in told.items() if key[1] in spans.spans})

            spans.heartbeat = heartbeat

    def add_worker(self, scheduler: Any, worker: str) -> None:
        streams.ours(scheduler.stream_comms[worker])

    def update_graph(self, scheduler: Any, client: str, **told: Any) -> None:
        streams.ours(scheduler.client_comms.get(client))  # a client that comes has none yet
        spans = scheduler.extensions.get("spans")
        if spans is None or len(spans.root_spans) < self.looks_at:
            return
        # Of those without a name of their own.
        named, roots, over = spans.spans_search_by_name["default",], spans.root_spans, list[Any]()
        for span in named[: -self.kept]:
            # A group whose tasks are all forgotten is known no more. Of one with tasks, the scheduler looks for its span.
            known = any(scheduler.task_groups.get(group.name) is group for group in span.groups)
            if not known and not span.children:
                over.append(span)
        for span in over:
            del spans.spans[span.id]
            for kept in (named, spans.spans_search_by_tag["default"], roots):
                kept.remove(span)
        self.looks_at = len(roots) + self.kept


class Leftovers(SchedulerPlugin):
    """Unpublishes what a client has published that is gone without having done so.

    To distributed a dataset lasts until somebody unpublishes it, and what is in it stays in the workers' memory.
    """

    name = "marsdask-leftovers"

    def remove_client(self, scheduler: Any, client: str) -> None:
        owners = scheduler.task_metadata.get(OWNERS, {})
        published = scheduler.extensions["publish"].datasets
        for dataset in [name for name, owner in owners.items() if owner == client]:
            del owners[dataset]
            if published.pop(dataset, None) is not None:
                scheduler.remove_client(client=f"published-{dataset}")
