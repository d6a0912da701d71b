"""The web port of a supervisor: where its address is told, and where `/` leads.

A route module as distributed loads them (`distributed.scheduler.http.routes`), and a preload: `dask scheduler --preload
marsdask.deploy.web` gives a plain scheduler the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import dask
from distributed.http.utils import RequestHandler
from tornado import httputil, routing, web

import marsdask.streams  # noqa: F401 - every scheduler that is started by itself comes by here
from marsdask.engine import guard
from marsdask.engine.address import ROUTE
from marsdask.engine.watch import watch


class Address(RequestHandler):
    """The addresses at which the scheduler can be reached, as it sees itself."""

    def get(self) -> None:
        self.set_header("Cache-Control", "no-store")
        listeners = [listener.contact_address for listener in self.server.listeners]
        self.write({"address": self.server.address, "listeners": listeners})


routes: list[tuple[str, type[web.RequestHandler], dict[str, Any]]] = [(ROUTE, Address, {})]


OPERATORS = tuple(f"/api/v1/{each}" for each in ("retire_workers", "adaptive_target", "check_idle"))
"""What the operator of dask-kubernetes asks; see `marsdask.deploy.kubernetes.routes` for what strangers get there."""


class Root(routing.Matcher):
    """Matches a browser's request for `/`, and lets through what wants a websocket there."""

    def match(self, request: httputil.HTTPServerRequest) -> dict[str, Any] | None:
        websocket = request.headers.get("Upgrade", "").lower() == "websocket"
        return {} if request.path == "/" and not websocket else None


def front_door(scheduler: Any, prefix: str = "") -> None:
    """Lead `/` on the web port to the dashboard, or to the pages that need none.

    With a websocket listener on the same port, that listener answers `/` with an error for browsers; so this rule has to
    come first.
    """
    kinds = {kind for each in scheduler.http_application.applications for kind in type(each).__mro__}
    bokeh = any(kind.__module__.startswith("bokeh.") for kind in kinds)
    start = f"{prefix}/status" if bokeh else f"{prefix}/info/main/workers.html"
    scheduler.http_application.default_router.rules.insert(
        0, routing.Rule(Root(), web.RedirectHandler, {"url": start, "permanent": False})
    )


def locked(token: str, prefix: str = "", free: Iterable[str] = ()) -> guard.Lock:
    """The lock of a scheduler's pages. What an operator asks stays free where nobody has told it a token of its own."""
    if (operator := dask.config.get(guard.OPERATOR_TOKEN, None)) is not None:
        return guard.Lock(token, {str(operator): OPERATORS}, prefix, tuple(free))
    return guard.Lock(token, prefix=prefix, free=(*free, *OPERATORS))


def dask_setup(scheduler: Any) -> None:
    """What a plain scheduler does that preloads this module. Dask's configuration may name its lock: see `guard`."""
    front_door(scheduler)
    token = guard.token_of_file()
    watch(scheduler, by_name=True, lock=None if token is None else locked(token))
    scheduler.http_application.add_handlers(
        r".*", [(url, kind, {"dask_server": scheduler}) for url, kind, _ in routes]
    )
