"""What the operator of dask-kubernetes asks a scheduler by HTTP, for `distributed.scheduler.http.routes`.

The web port asks nobody for a name, so these answers are worth nothing to strangers: workers retire only down to the size that
whoever is let into the cluster has asked for before (`SIZE` in the scheduler's metadata), which the operator is about to bring
about. distributed's own `distributed.http.scheduler.api` takes any number from anybody.
"""

from __future__ import annotations

import asyncio
import json
import time
from http import HTTPStatus
from typing import Any

import dask
from distributed.http.utils import RequestHandler
from distributed.utils import recursive_to_dict
from tornado import web

from marsdask.deploy.kubernetes.names import ENDS, IDLE
from marsdask.deploy.web import OPERATORS
from marsdask.engine import pages

SIZE = "marsdask-size"
"""Where the metadata have the least number of workers that `scale` or `adapt` want, and whether it follows the work."""
LAST = "retired"
"""Where it says who was retired since then."""


ALIVE = "marsdask-alive"
"""Where the metadata have what changes while somebody makes use of the cluster without giving it work."""
HOLDS = 15.0
"""Seconds that one such change counts as work; a map whose items are slow to come tells of itself every ten."""


def wanted(least: int, *, adaptive: bool) -> dict[str, Any]:
    """What to set as the scheduler's metadata before the operator is asked to change the size."""
    return {"keys": [SIZE], "value": {"least": least, "adaptive": adaptive}}


class _Handler(RequestHandler):
    def size(self) -> dict[str, Any]:
        """The size that was asked for; 403 if none was."""
        found: dict[str, Any] | None = self.server.task_metadata.get(SIZE)
        if found is None:
            raise web.HTTPError(HTTPStatus.FORBIDDEN, reason="No size was asked for")
        return found


class Retire(_Handler):
    """POST {"n": workers}: retire as many, and tell which."""

    async def post(self) -> None:
        scheduler, size = self.server, self.size()
        try:
            n = json.loads(self.request.body)["n"]
        except (ValueError, TypeError, KeyError):
            n = None
        if type(n) is not int or n < 1:
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, reason='Expected {"n": a number of workers}')
        # One after another: workers that retire are there until they have handed over their data.
        async with self.application.settings.setdefault("marsdask-retiring", asyncio.Lock()):
            self.write(await _retired(scheduler, size, n))


async def _retired(scheduler: Any, size: dict[str, Any], n: int) -> dict[str, Any]:
    """Who was retired so that `n` are fewer, by address; 403 where more are wanted."""
    left = len(scheduler.workers) - n
    if size["adaptive"] and left < max(size["least"], scheduler.adaptive_target()):
        return {}  # work has come since: nobody goes, where a refusal would have the operator take anyone
    if left >= size["least"]:
        size[LAST] = await scheduler.retire_workers(workers=scheduler.workers_to_close(n=n))
    elif len(size.get(LAST, ())) != n:  # else a stranger has asked before the operator
        reason = f"At least {size['least']} workers were asked for"
        raise web.HTTPError(HTTPStatus.FORBIDDEN, reason=reason)
    return dict(recursive_to_dict(size[LAST]))


class Target(_Handler):
    """GET: how many workers the work wants, for the autoscaler."""

    def get(self) -> None:
        if not self.size()["adaptive"]:
            raise web.HTTPError(HTTPStatus.FORBIDDEN, reason="A fixed size was asked for")
        self.write({"workers": self.server.adaptive_target()})


class Idle(_Handler):
    """GET: since when the cluster could end, in seconds since 1970; 0 where it is needed."""

    def get(self) -> None:
        if not (dask.config.get(IDLE, None) or dask.config.get(ENDS, None)):
            raise web.HTTPError(HTTPStatus.FORBIDDEN, reason="It ends when it is told to")
        self.write({"idle_since": idle_since(self.server, self.application.settings)})


def idle_since(scheduler: Any, seen: dict[str, Any]) -> float:
    """Since when a cluster could end. `seen` keeps what was told when somebody last asked."""
    if (ends := dask.config.get(ENDS, None)) and time.time() >= ends:
        return 1.0  # long ago, whatever the operator compares it with
    idle = scheduler.check_idle() if dask.config.get(IDLE, None) else None
    # By what changes, and not by the times that are told: those are of other machines' clocks.
    told = (
        scheduler.task_metadata.get(ALIVE),
        *(
            each["at"]
            for each in scheduler.task_metadata.get(pages.KEY, {}).values()
            if each["state"] == "active"
        ),
    )
    last, at = seen.get(ALIVE, ((None,), 0.0))
    if told != last:
        at = time.time() + HOLDS if told != (None,) else at
        seen[ALIVE] = told, at
    return max(idle, at) if idle else 0.0


routes: list[tuple[str, type[web.RequestHandler], dict[str, Any]]] = [
    (url, kind, {}) for url, kind in zip(OPERATORS, (Retire, Target, Idle), strict=True)
]
