"""Pages of durable maps on a scheduler's web port, at `/marsdask/jobs`: what their masters have told last."""

from __future__ import annotations

import html
import time
from typing import Any

from distributed.http.utils import RequestHandler

KEY = "marsdask-maps"
"""Where a scheduler's metadata have the pages, by map: {"state": ..., "page": HTML, "at": seconds since 1970}."""
PATH = "/marsdask/jobs"
KEPT = 20
"""Pages of maps that are over that a scheduler keeps."""


class Maps(RequestHandler):
    """A list of maps, or the page of one."""

    def get(self, job: str = "") -> None:
        self.set_header("Cache-Control", "no-store")
        known: dict[str, Any] = self.server.task_metadata.get(KEY, {})
        if job in known:
            self.write(known[job]["page"])
            return
        if job:
            self.set_status(404)
        items = "".join(
            f'<li><a href="{PATH.rpartition("/")[2]}/{html.escape(name)}">{html.escape(name)}</a>: {html.escape(told["state"])}</li>'
            for name, told in reversed(known.items())
        )
        self.write(
            f"<!DOCTYPE html><title>Maps</title><h1>Maps</h1><ul>{items or 'None has told of itself.'}</ul>"
        )


def serve(scheduler: Any) -> None:
    """Give a scheduler's web port the pages."""
    told = {"dask_server": scheduler}
    scheduler.http_application.add_handlers(r".*", [(PATH, Maps, told), (rf"{PATH}/([\w-]+)", Maps, told)])


async def forget_old(client: Any, kept: int = KEPT) -> None:
    """Have a cluster's scheduler keep only the last pages of maps that are over. In the client's own thread."""

    # It travels by value: a scheduler need not have marsdask.
    def pruned(dask_scheduler: Any, key: str = KEY) -> None:
        known = dask_scheduler.task_metadata.get(key, {})
        now = time.time()
        over = [name for name, told in known.items() if told["state"] != "active" or now - told["at"] > 60]
        for name in over[:-kept]:
            del known[name]

    await client.run_on_scheduler(pruned)
