"""How far maps are: what their masters write every second, and what that says when nobody writes it any more."""

from __future__ import annotations

import functools
import getpass
import json
import os
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import psutil

from marsdask.remote.durable.storage import Storage

EVERY = 1.0
"""Seconds between two writes of a map's status."""
UNCHANGED_EVERY = 10.0
"""The same where nothing has changed: a page in a bucket costs money for each write."""
LOST_AFTER = 60.0
"""Seconds without a word after which a master on another machine is taken for dead."""
CLOCK = 2.0
"""Seconds by which two readings of when a process began may differ: they follow the machine's clock."""
DETAILS = 10_000
"""Items that have ended of which a page tells more than their number: the last ones, and all that have failed."""
STATES = ("active", "done", "failed", "interrupted", "lost")


def me() -> dict[str, Any]:
    """What this process is, as a status says it."""
    return _process(os.getpid())  # one that was forked is another one


@functools.cache
def _process(pid: int) -> dict[str, Any]:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no entry for this number, as in many containers
        user = str(os.getuid())
    return {
        "host": socket.gethostname(),
        "pid": pid,
        "born": psutil.Process(pid).create_time(),
        "user": user,
    }


def state_of(said: Mapping[str, Any], now: float | None = None) -> str:
    """The state of a map by what it says of itself: one that says it is active may be dead."""
    state = str(said.get("state"))
    if state != "active":
        return state if state in STATES else "lost"
    master = said.get("master", {})
    if master.get("host") == socket.gethostname():
        try:
            born = psutil.Process(int(master["pid"])).create_time()
            alive = abs(born - float(master["born"])) < CLOCK
        except (psutil.Error, KeyError, ValueError, TypeError):
            alive = False
        if not alive:
            return "lost"
        if master.get("pid") == os.getpid():
            return "active"
    age = (time.time() if now is None else now) - float(said.get("updated", 0.0))
    return "lost" if age > LOST_AFTER else "active"


@dataclass
class Page:
    """The status of one map, written by its master."""

    storage: Storage
    job: str
    facts: dict[str, Any]
    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    """What is known of items: those that run, have failed, or have ended last."""
    ended: dict[int, None] = field(default_factory=dict)
    changed: bool = True
    _at: float = 0.0
    _took: float = 0.0

    def row(self, number: int, state: str, facts: Mapping[str, Any]) -> None:
        """What is known of an item now."""
        self.changed = True
        kept = ("attempt", "host", "seconds", "memory", "bytes", "output", "error", "start")
        self.rows[number] = {"number": number, "state": state} | {k: facts[k] for k in kept if k in facts}
        self.ended.pop(number, None)
        if state in ("done", "reused"):
            self.rows[number].pop("output", None)
            self.ended[number] = None
            if len(self.ended) > DETAILS:
                oldest = next(iter(self.ended))
                del self.ended[oldest], self.rows[oldest]

    def due(self) -> bool:
        """Whether it is time to write again; what takes long is written less often."""
        return time.monotonic() - self._at > min(max(EVERY, 10 * self._took), LOST_AFTER / 4)

    def write(self, state: str, counts: Mapping[str, Any], rows: list[dict[str, Any]]) -> str | None:
        """Write both files, if anything has changed; the page."""
        began = time.monotonic()
        told = {
            **self.facts,
            "job": self.job,
            "state": state,
            "counts": dict(counts),
            "tasks": rows,
            "master": me(),
        }
        if not self.changed and state == "active" and began - self._at < UNCHANGED_EVERY:
            return None
        self.changed = False
        told |= {"updated": time.time(), "every": EVERY}
        self.storage.put("status", f"{self.job}.json", json.dumps(told).encode())
        page = html(told)
        self.storage.put("status", f"{self.job}.html", page.encode())
        self._at = time.monotonic()
        self._took = self._at - began
        return page


TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{ job }}: {{ state }}</title>
{% if state == "active" %}<meta http-equiv="refresh" content="2">{% endif %}
<style>
body { font: 14px sans-serif; margin: 2em } table { border-collapse: collapse; margin: 1em 0 }
th, td { text-align: left; padding: .2em .8em; border-bottom: 1px solid #ddd; vertical-align: top }
td.n { text-align: right } pre { margin: 0; max-width: 60em; white-space: pre-wrap } .failed { color: #a00 }
</style></head><body>
<h1>{{ job }}: <span class="{{ state }}">{{ state }}</span></h1>
<p>{{ function }}, begun {{ when(started) }}, written {{ when(updated) }} by {{ master.user }} on {{ master.host }}
(process {{ master.pid }}). Written every {{ every }} s while something changes; a page that stays active and is minutes old is of
a master that has died.</p>
<table><tr>{% for name in counts %}<th>{{ name }}</th>{% endfor %}</tr>
<tr>{% for value in counts.values() %}<td class="n">{{ "?" if value is none else value }}</td>{% endfor %}</tr></table>
<table><tr><th>task</th><th>state</th><th>attempt</th><th>host</th><th>seconds</th><th>memory, MiB</th><th>error, last output</th></tr>
{% for row in rows %}<tr class="{{ row.state }}"><td class="n">{{ row.number }}</td><td>{{ row.state }}</td>
<td class="n">{{ row.attempt or "" }}</td><td>{{ row.host or "" }}</td>
<td class="n">{{ "%.1f" % row.seconds if row.seconds is defined else "" }}</td>
<td class="n">{{ "%.0f" % (row.memory / 1048576) if row.memory else "" }}</td>
<td>{% if row.error %}<pre>{{ row.error }}</pre>{% endif %}{% if row.output %}<pre>{{ row.output }}</pre>{% endif %}</td></tr>
{% endfor %}</table>
{% if left %}<p>{{ left }} more that are done are in {{ job }}.json.</p>{% endif %}
</body></html>
"""
SHOWN = 500
"""Rows of a page."""


def html(said: Mapping[str, Any]) -> str:
    """The page of a status: what has failed or runs first."""
    rows = sorted(
        said["tasks"], key=lambda row: (row["state"] != "failed", row["state"] != "running", -row["number"])
    )
    shown = {**said, "rows": rows[:SHOWN], "left": max(len(rows) - SHOWN, 0), "when": _when}
    return str(_template().render(shown))


@functools.cache
def _template() -> Any:
    import jinja2  # distributed brings it

    return jinja2.Environment(autoescape=True).from_string(TEMPLATE)


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(seconds))


def active(jobs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Those that are going on."""
    return [str(each["job"]) for each in jobs if state_of(each) == "active"]
