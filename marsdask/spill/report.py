"""What workers tell of their memory and directories: metrics with every heartbeat, events on a topic."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from marsdask.sizes import shown

TOPIC = "marsdask-spill"
"""Events: dicts with kind, worker, path, key, reason, free, quota. Kinds are full, bad-directory, damaged; stuck and
unmanaged of a worker that cannot go on, for its directories are full or for there is no data to spill."""

METRIC = "marsdask_spill"
"""The metric of a worker that lists its directories; one more for each directory is a text for the dashboard."""


def event(problem: Mapping[str, Any], worker: str) -> dict[str, Any]:
    """A problem as an event that can be sent."""
    return {**problem, "key": None if problem["key"] is None else str(problem["key"]), "worker": worker}


def metrics_of(data: Any) -> dict[str, Callable[[Any], Any]]:
    """Metrics of a worker that keeps `data`: each directory's use; none where distributed's own buffer keeps them.

    The dashboard's workers page has a second table with a column for each metric that is a text or a number.
    """
    if not hasattr(data, "usage"):
        return {}
    return {METRIC: lambda worker: data.usage()} | {
        f"spill {each['path']}": lambda worker, i=i: use(data.usage()[i])
        for i, each in enumerate(data.usage())
    }


def use(directory: Mapping[str, Any]) -> str:
    """What is in a directory, in words.

    >>> use({"path": "/a", "files": 2, "bytes": 3 * 2**29, "quota": 4 * 2**30, "free": None, "bad": None})
    '1.5 GiB of 4 GiB in 2 files'
    """
    words = shown(directory["bytes"])
    if directory["quota"] is not None:
        words += f" of {shown(directory['quota'])}"
    words += f" in {directory['files']} file{'s' * (directory['files'] != 1)}"
    if directory["free"] is not None:
        words += f", {shown(directory['free'])} free"
    return words + (f"; not used: {directory['bad']}" if directory["bad"] else "")


@dataclass(frozen=True)
class WorkerMemory:
    """Memory of one worker, in bytes, as it said with its last heartbeat.

    `limit` is None without one; `process` is what the process takes, `managed` what of it is data; `spilled` is on disk;
    `directories` are dicts of path, files, bytes, quota, free and bad, none where the worker is not ours.
    """

    limit: int | None
    process: int
    managed: int
    spilled: int
    status: str = "running"
    directories: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, worker: Mapping[str, Any]) -> WorkerMemory:
        """From what `Client.scheduler_info()` has of a worker."""
        metrics = worker["metrics"]
        spilled = metrics.get("spilled_bytes") or {"memory": 0, "disk": 0}
        return cls(
            int(worker["memory_limit"]) or None,
            int(metrics["memory"]),
            max(int(metrics["managed_bytes"]) - int(spilled["memory"]), 0),
            int(spilled["disk"]),
            str(worker["status"]),
            tuple(metrics.get(METRIC, ())),
        )


def _total(name: str) -> Any:
    return property(lambda memory: sum(getattr(worker, name) for worker in memory.workers.values()))


@dataclass(frozen=True)
class Memory:
    """Memory of all workers by address; in total: `limit`, `process`, `managed`, `spilled`. Prints itself as a table."""

    workers: Mapping[str, WorkerMemory]

    @property
    def limit(self) -> int | None:
        limits = [w.limit for w in self.workers.values()]
        return None if None in limits else sum(n for n in limits if n)

    process, managed, spilled = map(_total, ("process", "managed", "spilled"))

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("worker", "limit", "process", "data", "spilled", "")]
        for name, w in (*self.workers.items(), *((("all", self),) if len(self.workers) > 1 else ())):
            limit = "none" if w.limit is None else shown(w.limit)
            state = getattr(w, "status", "")
            sizes = (shown(w.process), shown(w.managed), shown(w.spilled))
            rows.append((name, limit, *sizes, "" if state == "running" else state))
            rows += [
                (f"  {each['path']}", "", "", "", shown(each["bytes"]), use(each))
                for each in getattr(w, "directories", ())
            ]
        return rows

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(c.ljust(n) for c, n in zip(row, widths, strict=True)).rstrip() for row in rows)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        cells = "".join(f"<th>{html.escape(c)}</th>" for c in head)
        lines = ("".join(f"<td>{html.escape(c.strip())}</td>" for c in row) for row in rows)
        return f"<table><tr>{cells}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
