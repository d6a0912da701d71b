"""kubeface's `Client` on the durable map of marsdask."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence, Sized
from typing import Any, Self

from marsdask import checks
from marsdask.compat.kubeface import backends, context, naming, task, worker_configuration
from marsdask.compat.kubeface.backend import Backend
from marsdask.compat.kubeface.common import log, note
from marsdask.compat.kubeface.job import Feed, Job
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.remote import durable
from marsdask.remote.durable.asked import label_of
from marsdask.remote.durable.objects import RemoteObject
from marsdask.remote.durable.status import html, state_of
from marsdask.remote.durable.storage import Storage

POLL_SECONDS = 30.0
IN_NODE = re.compile(r" in (node-[0-9a-f]{8})$")
"""How a map that was begun in a task is called."""


class Client:
    """A parallel map over expensive calls, whose results are files in `storage`.

    >>> import tempfile
    >>> client = Client(backends.ThreadsBackend(), storage=tempfile.mkdtemp(), cache_key_prefix="squares")
    >>> results = client.map(lambda x: x**2, range(3))
    >>> next(results), [name for _, _, name in client.job_summary()]
    (0, ['squares::node-master::lambda-...'])
    >>> list(results), client.job_summary()
    ([1, 4], [])
    """

    @staticmethod
    def add_args(parser: argparse.ArgumentParser) -> None:
        """Add the options `--kubeface-*` to a parser."""
        group = parser.add_argument_group("kubeface client")
        add = group.add_argument
        add("--kubeface-max-simultaneous-tasks", type=int, default=10, help="tasks at a time (%(default)s)")
        add("--kubeface-poll-seconds", type=float, default=POLL_SECONDS, help="no effect: nothing is polled")
        add(
            "--kubeface-storage",
            default=os.environ.get("KUBEFACE_STORAGE", "gs://kubeface"),
            help="folder or URL of a bucket that all tasks see ($KUBEFACE_STORAGE, or %(default)s)",
        )
        add(
            "--kubeface-cache-key-prefix",
            help="folder in the storage whose results are reused; a new one for each program",
        )
        add("--kubeface-never-cleanup", action="store_true", help="have cleanup() do nothing")
        add(
            "--kubeface-wait-to-raise-task-exception",
            action="store_true",
            help="raise a task's error when all others are done",
        )
        add(
            "--kubeface-speculation-percent",
            type=float,
            default=20,
            help="begin tasks a second time when so many are left (%(default)s), 0: never",
        )
        add(
            "--kubeface-speculation-runtime-percentile",
            type=float,
            default=99,
            help="those that take longer than so many of the others (%(default)s)",
        )
        add(
            "--kubeface-speculation-max-reruns",
            type=int,
            default=3,
            help="attempts at a task, the first included (%(default)s)",
        )
        worker_configuration.WorkerConfiguration.add_args(group)
        backends.add_args(group)

    @staticmethod
    def from_args(args: argparse.Namespace) -> Client:
        """The client of what a parser has found."""
        names = (
            "max_simultaneous_tasks", "poll_seconds", "storage", "cache_key_prefix", "never_cleanup",
            "wait_to_raise_task_exception", "speculation_percent", "speculation_runtime_percentile", "speculation_max_reruns",
        )  # fmt: skip
        given = {name: getattr(args, f"kubeface_{name}") for name in names}
        return Client(backends.backend_from_args(args), **given)

    def __init__(
        self,
        backend: Backend,
        max_simultaneous_tasks: int = 10,
        poll_seconds: float = POLL_SECONDS,
        storage: str = "gs://kubeface",
        cache_key_prefix: str | None = None,
        never_cleanup: bool = False,
        wait_to_raise_task_exception: bool = False,
        speculation_percent: float = 0,
        speculation_runtime_percentile: float = 99,
        speculation_max_reruns: int = 1,
    ):
        self.backend: Backend = checks.instance(backend, "backend", Backend, "a backend of this package")
        self.max_simultaneous_tasks = checks.whole(max_simultaneous_tasks, "max_simultaneous_tasks", least=1)
        self.poll_seconds = checks.number(poll_seconds, "poll_seconds", least=0)
        self.storage = checks.path(storage, "storage", "the path or URL of a folder")
        self.cache_key_prefix = _folder(
            cache_key_prefix or naming.make_cache_key_prefix(), "cache_key_prefix"
        )
        self.never_cleanup = checks.flag(never_cleanup, "never_cleanup")
        self.wait_to_raise_task_exception = checks.flag(
            wait_to_raise_task_exception, "wait_to_raise_task_exception"
        )
        self.speculation_percent = _percent(speculation_percent, "speculation_percent")
        self.speculation_runtime_percentile = _percent(
            speculation_runtime_percentile, "speculation_runtime_percentile"
        )
        self.speculation_max_reruns = checks.whole(speculation_max_reruns, "speculation_max_reruns", least=0)
        backend.check(self.storage)
        self._travelled = False
        self._begin()
        self._folder(self.cache_key_prefix)  # its errors come now
        if self.poll_seconds != POLL_SECONDS:
            note("poll_seconds", poll_seconds, "results are waited for, and nothing is polled")

    @property
    def _in_task(self) -> bool:
        """Whether this is a task, where its own threads work: all places of the cluster may be taken by tasks that wait."""
        return self._travelled or context.RUNTIME_CONTEXT["node_type"] == "task"

    def _begin(self) -> None:
        self.submitted_jobs: list[Job] = []
        self._durable: durable.Client | None = None

    def __repr__(self) -> str:
        return f"<Client of {self.cache_key_prefix!r} in {self.storage}>"

    def __getstate__(self) -> dict[str, Any]:
        """In a task it works with the same files, on threads of the task's process."""
        return vars(self) | {"submitted_jobs": None, "_durable": None, "_travelled": True}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    def __dask_tokenize__(self) -> Any:
        """A function that refers to a client is the same in the next program, whose prefix is another one."""
        return ("marsdask.compat.kubeface.Client", self.storage)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def map(
        self,
        function: Callable[[Any], Any],
        iterable: Iterable[Any],
        items_per_task: int = 1,
        num_items: int | None = None,
        cache_key: str | None = None,
    ) -> Generator[Any, None, None]:
        """The results of `function(item)` in the order of the items. The first `next` runs all, and waits for all.

        `num_items` is how many there are, where `iterable` has no length. With a `cache_key` results are kept in a folder of
        that name, and reused by whoever gives it again; else in that of the client's prefix.
        """
        checks.function(function, "map(function=)")
        if isinstance(iterable, (str, bytes)) or not isinstance(iterable, Iterable):
            raise ArgumentTypeError(
                f"map(iterable=...): expected an iterable of items, got {type(iterable).__name__}."
            )
        checks.whole(items_per_task, "map(items_per_task=)", least=1)
        num_items = _count(num_items, iterable, "map(num_items=)")
        key = self._key(cache_key)
        return self._mapped(function, iterable, items_per_task, num_items, key)

    def _mapped(
        self,
        function: Callable[[Any], Any],
        iterable: Iterable[Any],
        items_per_task: int,
        num_items: int | None,
        key: str,
    ) -> Generator[Any, None, None]:
        job = self._job(function, iterable, items_per_task, num_items, key)
        try:
            job.wait()
            yield from job.values()
        finally:
            job.close()

    def submit(
        self, tasks: Iterable[task.Task], num_tasks: int | None = None, cache_key: str | None = None
    ) -> Job:
        """The job of some tasks, which `wait()` runs. Its `results()` are `Result`s."""
        if not isinstance(tasks, Iterable):
            raise ArgumentTypeError(f"submit(tasks=...): expected tasks, got {type(tasks).__name__}.")
        num_tasks = _count(num_tasks, tasks, "submit(num_tasks=)")
        return self._job(task.run, _tasks(tasks), 1, num_tasks, self._key(cache_key))

    def _job(
        self,
        function: Callable[[Any], Any],
        items: Iterable[Any],
        items_per_task: int,
        num_items: int | None,
        key: str,
    ) -> Job:
        node = context.node_id()
        label = label_of(function) if node == "node-master" else f"{label_of(function)} in {node}"
        called: Callable[[Any], Any] = task.Call(function)
        if not self._in_task:
            called = self.backend.wrapped(called, self.storage)
        client, after = self._running(key)
        feed = Feed(items)
        results = client.map(
            called,
            feed,
            items_per_task=items_per_task,
            num_items=num_items,
            name=label,
            resources=None if self._in_task else self.backend.resources,
        )
        num_tasks = None if num_items is None else math.ceil(num_items / items_per_task)
        job = Job(results, feed, key, node, num_tasks, after)
        self.submitted_jobs.append(job)
        log.info("Job %s, status in %s", job.job_name, f"{self.storage}/{key}/status/{results.job}.html")
        return job

    def _running(self, key: str) -> tuple[durable.Client, Callable[[], None]]:
        """The durable client of a folder, and what to call when its job is done."""
        if key != self.cache_key_prefix or self._in_task:
            client = self._made(key)
            return client, client.close
        if self._durable is None:
            self._durable = self._made(key)
        return self._durable, lambda: None

    def _made(self, key: str) -> durable.Client:
        return durable.Client(
            self.storage,
            cluster="threads"
            if self._in_task
            else self.backend.place(self.max_simultaneous_tasks, self.storage),
            name=key,
            max_simultaneous_tasks=self.max_simultaneous_tasks,
            retries=0,  # kubeface has none
            speculation=speculation(
                self.speculation_percent, self.speculation_runtime_percentile, self.speculation_max_reruns
            ),
            on_error="return" if self.wait_to_raise_task_exception else "raise",
        )

    def _folder(self, key: str) -> durable.Client:
        """The same for its files alone: no cluster starts."""
        return durable.Client(self.storage, cluster="threads", name=key)

    def _key(self, given: str | None) -> str:
        return self.cache_key_prefix if given is None else _folder(given, "cache_key")

    def remote_object(self, value: Any) -> RemoteObject:
        """A value that functions refer to: a file that is written once, when the first of them travels."""
        return self._folder(self.cache_key_prefix).remote_object(value)

    def _said(self, job_names: Collection[str] | None) -> Iterator[tuple[Storage, dict[str, Any], str]]:
        """What the jobs in the storage say of themselves; `job_names` are theirs, or cache keys."""
        for storage in _folders(self.storage):
            for said in storage.jobs():
                node = IN_NODE.search(str(said.get("function")))
                name = naming.JOB.make_string(
                    cache_key=storage.name,
                    node_id=node[1] if node else "node-master",
                    randomness=said["job"],
                )
                if job_names is None or name in job_names or storage.name in job_names:
                    yield storage, said, name

    def job_summary(self, job_names: Sequence[str] | None = None, include_done: bool = False) -> list[Any]:
        """The jobs in the storage, of all clients, that are active, or all: tuples of `status` ("active" or "done"), `format`
        ("json") and `job_name`."""
        found = [
            naming.JOB_STATUS_PAGE.tuple_class(
                "active" if state_of(said) == "active" else "done", "json", name
            )
            for _, said, name in self._said(_names(job_names))
        ]
        return sorted(each for each in found if include_done or each.status == "active")

    def mark_jobs_done(self, job_names: Sequence[str] | None = None) -> None:
        """Have jobs be active no more; all in the storage where none are named. One that still runs elsewhere is active again
        as soon as its program says so."""
        names = _names(job_names)
        for job in self.submitted_jobs:
            if (names is None or job.job_name in names or job.cache_key in names) and job.is_waited_for:
                job.done()
        for storage, said, _ in self._said(names):
            if said.get("state") == "active":
                told = said | {"state": "done"}
                storage.put("status", f"{said['job']}.json", json.dumps(told).encode())
                storage.put("status", f"{said['job']}.html", html(told).encode())

    def cleanup_job(self, job_name: str) -> None:
        """Remove all files of a job's cache key. Raises StillActive where a job of it is active elsewhere."""
        self._cleanup(naming.JOB.make_tuple(job_name).cache_key)

    def _cleanup(self, key: str) -> None:
        for job in self.submitted_jobs:
            if job.cache_key == key and job.is_waited_for:
                job.done()
        log.info("Cleaning up %s/%s", self.storage, key)
        self._folder(key).cleanup()

    def cleanup(self) -> None:
        """Remove all files of this client's jobs, and its remote objects."""
        if self.never_cleanup:
            log.warning("cleanup() does nothing: never_cleanup is set.")
            return
        for key in dict.fromkeys([self.cache_key_prefix, *(job.cache_key for job in self.submitted_jobs)]):
            self._cleanup(key)

    def close(self) -> None:
        """End jobs, and the processes or the cluster that were started. Files stay."""
        for job in self.submitted_jobs:
            job.close()
        if self._durable is not None:
            self._durable.close()
            self._durable = None
        self.backend.close()


def speculation(percent: float, percentile: float, max_reruns: int) -> dict[str, Any] | None:
    """kubeface's numbers as the durable map takes them. There `max_reruns` counts attempts: 1 is none but the first.

    >>> speculation(20, 99, 3)
    {'percent': 20, 'percentile': 99, 'factor': 1.0, 'max_attempts': 3}
    >>> speculation(20, 99, 1), speculation(0, 99, 3)
    (None, None)
    """
    if not percent or max_reruns < 2:
        return None
    # The least of all times is the percentile 0, which the durable map does not take.
    return {"percent": percent, "percentile": percentile or 1e-6, "factor": 1.0, "max_attempts": max_reruns}


def _percent(value: Any, what: str) -> float:
    if checks.number(value, what, least=0) > 100:
        raise ArgumentError(f"{what}={value!r}: expected a number from 0 to 100.")
    return float(value)


def _folder(value: Any, what: str) -> str:
    name = checks.name(value, what)
    if "/" in name or "::" in name or name in (".", ".."):
        raise ArgumentError(f"{what}={value!r}: expected the name of a folder, without '/' and '::'.")
    return name


def _count(given: Any, items: Iterable[Any], what: str) -> int | None:
    if given is not None:
        return checks.whole(given, what, least=0)
    return len(items) if isinstance(items, Sized) else None


def _names(given: Any) -> set[str] | None:
    if isinstance(given, str):
        raise ArgumentTypeError(f"job_names={given!r}: expected a list of names, got str.")
    return None if given is None else set(given)


def _tasks(tasks: Iterable[Any]) -> Iterator[task.Task]:
    for each in tasks:
        yield checks.instance(each, "submit(tasks=)", task.Task, "tasks")


def _folders(url: str) -> Iterator[Storage]:
    """The folders that are there, of whatever name."""
    root = Storage.at(url, "any", None)
    fs, above = root.fs, root.root.rpartition("/")[0]
    fs.invalidate_cache()
    try:
        found = fs.ls(above or "/", detail=True)
    except (FileNotFoundError, NotADirectoryError):
        return
    for each in sorted(found, key=lambda each: str(each["name"])):
        if each.get("type") == "directory":
            try:
                yield Storage.at(url, str(each["name"]).rstrip("/").rpartition("/")[2], None)
            except MarsDaskError:  # a name that no job has
                continue
