"""What the operator of dask-kubernetes asks a scheduler by HTTP, for `distributed.scheduler.http.routes`.

The web port asks nobody for a name, so these answers are worth nothing to strangers: workers retire only down to the size that
whoever is let into the cluster has asked for before (`SIZES` in the scheduler's metadata), which the operator is about to bring
about. distributed's own `distributed.http.scheduler.api` takes any number from anybody.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from http import HTTPStatus
from typing import Any

import dask
from distributed.http.utils import RequestHandler
from distributed.utils import recursive_to_dict
from tornado import web

from marsdask.deploy.kubernetes.names import ENDS, IDLE, group_of
from marsdask.deploy.web import OPERATORS
from marsdask.engine import pages

SIZES = "marsdask-sizes"
"""Where the metadata have, for each worker group, the least number of workers that `scale` or `adapt` want, and whether it follows
the work."""
LAST = "retired"
"""Where it says who was retired since then."""


ALIVE = "marsdask-alive"
"""Where the metadata have what changes while somebody makes use of the cluster without giving it work."""
HOLDS = 15.0
"""Seconds that one such change counts as work; a map whose items are slow to come tells of itself every ten."""


def wanted(group: str, least: int, *, adaptive: bool) -> dict[str, Any]:
    """What to set as the scheduler's metadata before the operator is asked to change the size of a DaskWorkerGroup."""
    return {"keys": [SIZES, group], "value": {"least": least, "adaptive": adaptive}}


class _Handler(RequestHandler):
    def sizes(self) -> dict[str, dict[str, Any]]:
        """The sizes that were asked for; 403 if none was."""
        found: dict[str, dict[str, Any]] | None = self.server.task_metadata.get(SIZES)
        if not found:
            raise web.HTTPError(HTTPStatus.FORBIDDEN, reason="No size was asked for")
        return found


class Retire(_Handler):
    """POST {"n": workers}: retire as many, and tell which."""

    async def post(self) -> None:
        scheduler, sizes = self.server, self.sizes()
        try:
            n = json.loads(self.request.body)["n"]
        except (ValueError, TypeError, KeyError):
            n = None
        if type(n) is not int or n < 1:
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, reason='Expected {"n": a number of workers}')
        # One after another: workers that retire are there until they have handed over their data.
        async with self.application.settings.setdefault("marsdask-retiring", asyncio.Lock()):
            self.write(await _retired(scheduler, sizes, n))


async def _retired(scheduler: Any, sizes: dict[str, dict[str, Any]], n: int) -> dict[str, Any]:
    """Who was retired so that `n` are fewer, by address; 403 where more are wanted.

    The operator does not say of which group: it is the one that has become too large by as many, or by more.
    """
    there = Counter(group_of(each.name) for each in scheduler.workers.values())
    over = {group: there[group] - size["least"] - n for group, size in sizes.items()}
    group = min((group for group in sizes if over[group] >= 0), key=lambda group: over[group], default=None)
    adaptive = following(sizes)
    if adaptive is not None and group in (adaptive, None):
        left = there[adaptive] - n
        if group is None or left < target(scheduler, adaptive):
            return {}  # work has come since: nobody goes, where a refusal would have the operator take anyone
    if group is not None:
        everyone = scheduler.workers_to_close(n=len(scheduler.workers))
        some = [each for each in everyone if group_of(scheduler.workers[each].name) == group]
        sizes[group][LAST] = await scheduler.retire_workers(workers=some[:n])
    else:  # a stranger has asked before the operator
        group = next((each for each, size in sizes.items() if len(size.get(LAST, ())) == n), None)
        if group is None:
            least = ", ".join(f"{size['least']} of {each}" for each, size in sizes.items())
            raise web.HTTPError(
                HTTPStatus.FORBIDDEN, reason=f"At least these workers were asked for: {least}"
            )
    return dict(recursive_to_dict(sizes[group][LAST]))


def following(sizes: dict[str, dict[str, Any]]) -> str | None:
    """The group whose size follows the work."""
    return next((group for group, size in sizes.items() if size["adaptive"]), None)


def target(scheduler: Any, group: str) -> int:
    """How many workers of a group the work wants, beside those of the others."""
    others = sum(group_of(each.name) != group for each in scheduler.workers.values())
    return max(int(scheduler.adaptive_target()) - others, 0)


class Target(_Handler):
    """GET: how many workers the work wants, for the autoscaler."""

    def get(self) -> None:
        group = following(self.sizes())
        if group is None:
            raise web.HTTPError(HTTPStatus.FORBIDDEN, reason="A fixed size was asked for")
        self.write({"workers": target(self.server, group)})


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
