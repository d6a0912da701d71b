"""What a scheduler does for marsdask besides distributed's own: `watch` gives it to one that marsdask starts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin

from marsdask.engine.guard import guard
from marsdask.engine.streams import forgetful
from marsdask.spill import suspects

OWNERS = "marsdask-owners"
"""Where a scheduler's metadata say which client a published dataset ends with."""


def watch(
    scheduler: Any, allowed: Iterable[str] = (), *, by_name: bool = False, token: str | None = None
) -> None:
    """Let a scheduler find out who ends workers, sweep up after clients that died, keep nothing that it has sent, and guard
    its web port: see `guard`.
    """
    suspects.watch(scheduler)
    guard(scheduler.http_application, allowed, by_name=by_name, token=token)
    scheduler.add_plugin(Leftovers(), name=Leftovers.name, idempotent=True)
    scheduler.add_plugin(Forgetful(), name=Forgetful.name, idempotent=True)
    for stream in scheduler.stream_comms.values():
        forgetful(stream)


class Forgetful(SchedulerPlugin):
    """Has the streams to workers keep nothing of what they have sent."""

    name = "marsdask-forgetful"

    def add_worker(self, scheduler: Any, worker: str) -> None:
        forgetful(scheduler.stream_comms[worker])


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
