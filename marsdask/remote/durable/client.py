"""`Client`: a map over expensive calls whose results are files, and remote objects beside them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any, Self

from marsdask import checks, pickles
from marsdask.engine.clusters import check_address
from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    BadStorage,
    JobNotFound,
    NotPicklable,
    StillActive,
)
from marsdask.plan import code
from marsdask.remote.durable.asked import VERSION, Asked, Speculation, label_of
from marsdask.remote.durable.master import Master
from marsdask.remote.durable.objects import RemoteObject
from marsdask.remote.durable.places import Place, Threads, Workers, fits, threads_here
from marsdask.remote.durable.results import JobResults
from marsdask.remote.durable.retry import failed_of, function_of
from marsdask.remote.durable.status import active, state_of
from marsdask.remote.durable.storage import Storage
from marsdask.remote.durable.task import INSIDE
from marsdask.session import Session, get_default_session, new_session
from marsdask.session.functions import get_default_or_create
from marsdask.sizes import parse_amount

ON_ERROR = ("raise", "finish", "return")
REUSE = ("strict", "code-changed-ok", "never")
IDLE = 60.0
"""Seconds after which a cluster that was made for maps ends, where none needs it."""


class Client:
    """A durable, parallel map: each result is a file, written as soon as it is there, and made once.

    Parameters
    ----------
    storage : str or path
        A folder that this process and all workers share: a path, or a URL that fsspec knows, as `s3://bucket/folder`.
    cluster : optional
        Where tasks run: None is the default session, "threads" this process, "processes" a local cluster that is made
        when a task needs it and ends after a minute without any; or the address of a scheduler, a session, a
        `distributed.Client`, a cluster object such as `new_cluster` gives.
    name : str
        A folder in `storage`: maps of one name share results.
    max_simultaneous_tasks : int, optional
        Tasks that are begun and not over. If not given, four for each thread there is, and 64 at least; of "threads" and
        "processes" one for each core works at a time.
    retries : int
        How often an item that has failed is tried again. What cannot be pickled, and what kills worker after worker, is not.
    speculation : bool or dict, optional
        Begin a second attempt of what takes long: True, or a dict of `percent`, `percentile`, `factor`, `max_attempts`
        (see `Speculation`).
    on_error : "raise", "finish" or "return"
        What an item that has failed does: end the map at once; end it when all others are done, after what comes before it
        was handed out; or hand out the exception in the place of a result.
    reuse : "strict", "code-changed-ok" or "never"
        Which results are reused: those of the same function and item; also those that another version of the function has made
        of the item, unless `version=` has changed; none.
    isolate : "process", optional
        Run each item in a process of its own: leaks and crashes stay there. `timeout=` does so by itself.
    storage_options : dict, optional
        Of fsspec's file system.

    >>> import tempfile
    >>> client = Client(tempfile.mkdtemp(), cluster="threads", name="squares")
    >>> list(client.map(lambda x: x * x, range(4)))
    [0, 1, 4, 9]
    >>> again = client.map(lambda x: x * x, range(5))
    >>> list(again), again.status()["reused"]
    ([0, 1, 4, 9, 16], 4)
    """

    def __init__(
        self,
        storage: Any,
        *,
        cluster: Any = None,
        name: str = "default",
        max_simultaneous_tasks: int | None = None,
        retries: int = 2,
        speculation: Any = None,
        on_error: str = "raise",
        reuse: str = "strict",
        isolate: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ):
        self.storage = Storage.at(storage, name, storage_options)
        self.name = name
        self._cluster = _cluster(cluster)
        self._window = _count(max_simultaneous_tasks, "max_simultaneous_tasks")
        self._retries = checks.whole(retries, "retries", least=0)
        self._speculation = _speculation(speculation)
        self._on_error = checks.choice(on_error, "on_error", ON_ERROR)
        self._reuse = checks.choice(reuse, "reuse", REUSE)
        self._isolate = checks.choice(isolate, "isolate", (None, "process"))
        self._lock = threading.RLock()
        self._place: Place | None = None
        self._own: Session | None = None
        self._users = 0
        self._timer: threading.Timer | None = None
        if not self._shares_memory() and self.storage.is_in_memory:
            raise BadStorage.at(
                self.storage.url,
                "the memory of this process is out of reach of the workers",
                "a folder that all of them see",
            )

    def __repr__(self) -> str:
        return f"<Client of {self.name!r} in {self.storage.url}>"

    def __reduce__(self) -> Any:
        """In a task it works with the same files, on threads of the task's process."""
        how = self._retries, self._speculation, self._on_error, self._reuse, self._isolate, self._window
        return _again, (self.storage, *how)

    def __dask_tokenize__(self) -> Any:
        """What names it where a function refers to it: its files, and not how it runs."""
        return ("marsdask.durable.Client", self.name, self.storage.url)

    def map(
        self,
        function: Callable[[Any], Any],
        iterable: Iterable[Any],
        *,
        items_per_task: int = 1,
        num_items: int | None = None,
        ordered: bool = True,
        key: Callable[[Any], Any] | None = None,
        version: Any = None,
        resources: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        retries: int | None = None,
        name: str | None = None,
        on_error: str | None = None,
        reuse: str | None = None,
        eager: bool = False,
    ) -> JobResults:
        """An iterator over `function(item)` of each item; nothing runs before the first is asked for.

        Parameters
        ----------
        function : callable
            Takes an item. Results are known by what it does: its code, and that of functions, classes and global values of
            yours that it reaches, and versions of packages. Those of your modules travel with it.
        iterable : iterable
            The items; a generator without an end, too. They are taken as tasks can begin.
        items_per_task : int
            So many items run one after another in one task; each still has a result of its own.
        num_items : int, optional
            How many there are, where `iterable` has no length, for progress.
        ordered : bool
            Results in the order of the items; False: as they come.
        key : callable, optional
            What of an item names its result: `key=lambda item: item.id`. If not given, the whole item.
        version : optional
            A value: results of another one are not reused.
        resources : dict, optional
            What a task needs: "memory" (bytes, or a text as "4GiB"), "cpu", "gpu", or a resource that workers declare.
        timeout : float, optional
            Seconds of one attempt at one item, which runs in a process of its own; then TookTooLong is its error.
        retries, on_error, reuse
            As the client's, for this map.
        name : str, optional
            What to call the function in names, on pages and in errors.
        eager : bool
            Begin at once.

        Raises
        ------
        NotPicklable
            For a function, item or result that cannot travel; at once for the function.
        """
        checks.function(function, "map(function=)")
        if isinstance(iterable, (str, bytes)) or not isinstance(iterable, Iterable):
            raise ArgumentTypeError(
                f"map(iterable=...): expected an iterable of items, got {type(iterable).__name__}."
            )
        if key is not None:
            checks.function(key, "map(key=)")
        total = _count(num_items, "map(num_items=)", least=0)
        if total is None and isinstance(iterable, Sized):
            total = len(iterable)
        label = checks.name(name, "map(name=)") if name is not None else label_of(function)
        needs = _resources(resources)
        limit = None if timeout is None else checks.number(timeout, "map(timeout=)", above=0)
        parts, pickled = _named(function, label, version)
        asked = Asked(
            function, label, parts, pickled, iterable, total,
            checks.whole(items_per_task, "map(items_per_task=)", least=1),
            checks.flag(ordered, "map(ordered=)"),
            key,
            self._retries if retries is None else checks.whole(retries, "map(retries=)", least=0),
            limit,
            needs,
            self._on_error if on_error is None else checks.choice(on_error, "map(on_error=)", ON_ERROR),
            self._reuse if reuse is None else checks.choice(reuse, "map(reuse=)", REUSE),
            self._isolate == "process" or limit is not None,
            self._speculation,
            self._window,
        )  # fmt: skip
        checks.flag(eager, "map(eager=)")
        self._check(needs)
        results = JobResults(Master(asked, self.storage, self._enter, self._leave))
        if eager:
            results._master.begin()
        return results

    def retry(self, job: str, *, task: int | None = None) -> JobResults:
        """The items of a map that have failed, run again as it had them run; their results are those that its program will find.

        `task` is the number of one of them. Raises JobNotFound where there is no such map, or the item has not failed.
        """
        known = [str(each["job"]) for each in self.storage.jobs()]
        if job not in known:
            raise JobNotFound.among(job, self.storage.url, known)
        failed = failed_of(self.storage, job, task)
        if not failed:
            raise JobNotFound(f"no task of {job!r} has failed.")
        function, parts, label, pickled = function_of(self.storage, failed[0].file)
        said = json.loads(self.storage.read("jobs", f"{job}.json"))
        asked = Asked(
            function, label, parts, pickled, [each.item for each in failed], len(failed), 1,
            ordered=True, key=None, retries=self._retries, timeout=said["timeout"],
            resources=said["resources"], on_error=self._on_error, reuse=self._reuse,
            isolated=self._isolate == "process" or said["isolated"], speculation=self._speculation, window=self._window,
            names=[each.file.partition(".")[0] for each in failed],
        )  # fmt: skip
        return JobResults(Master(asked, self.storage, self._enter, self._leave))

    def remote_object(self, value: Any) -> RemoteObject:
        """A value that functions refer to: a file that is written once, when the first of them travels, and read once by each process."""
        return RemoteObject(self.storage, value)

    def jobs(self, all: bool = False) -> list[dict[str, Any]]:
        """The maps of this name that are active, the oldest first; with `all` also those that are done, failed, interrupted or lost.

        Each is a dict: `job`, `state`, `function`, `counts`, `started` and `updated` (seconds since 1970), `master`.
        """
        checks.flag(all, "jobs(all=)")
        kept = ("job", "function", "counts", "started", "updated", "master")
        found = [
            {"state": state_of(each)} | {name: each[name] for name in kept if name in each}
            for each in self.storage.jobs()
        ]
        return [each for each in found if all or each["state"] == "active"]

    def cleanup(self) -> None:
        """Remove all files of this name: results, functions, inputs, errors, pages, remote objects. Those of no other name.

        Raises StillActive while a map of this name is going on.
        """
        if running := active(self.storage.jobs()):
            raise StillActive.of(self.name, running)
        self.storage.remove_all()

    def close(self) -> None:
        """End the cluster that was made for this client, if there is one. Files stay."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            own, self._own, self._place = self._own, None, None
        if own is not None:
            own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Where tasks run

    def _shares_memory(self) -> bool:
        """Whether tasks run in this process, as far as is known before there is a session."""
        if self._cluster is None:
            session = get_default_session()
            return session is None or session.engine.shared_memory
        if isinstance(self._cluster, Session):
            return bool(self._cluster.engine.shared_memory)
        return bool(self._cluster == "threads")

    def _check(self, resources: Mapping[str, float]) -> None:
        """Raises ArgumentError where no task can have these, as far as is known before a cluster starts."""
        if isinstance(self._cluster, str) and self._cluster == "processes" and self._place is None:
            from distributed.system import MEMORY_LIMIT

            each = MEMORY_LIMIT / self._processes()
            fits(resources, {"memory": float(each), "cpu": 1.0}, "each process")
        elif resources and (self._place or not isinstance(self._cluster, str) or self._cluster == "threads"):
            self._made().check(resources)

    def _processes(self) -> int:
        return min(self._window or threads_here(), threads_here() * 8)

    def _made(self) -> Place:
        with self._lock:
            session: Session | None = None
            if isinstance(self._place, Threads) and INSIDE.get():
                return Threads(
                    self._place.slots
                )  # those of the place may all be taken by tasks that wait for this
            if self._place is not None:
                if self._cluster is not None or getattr(self._place, "session", None) in (
                    None,
                    get_default_session(),
                ):
                    return self._place
                self._place = None  # another session is the default one now
            if self._cluster is None:
                session = get_default_or_create()
            elif isinstance(self._cluster, Session):
                session = self._cluster
            elif self._cluster == "processes":
                count = self._processes()
                session = self._own = new_session(n_worker=count, n_cpu=count, default=False)
            elif self._cluster != "threads":
                session = self._own = new_session(self._cluster, default=False)
            if session is not None:
                session._check_open()
            if session is None or session.engine.shared_memory:
                here = threads_here() if session is None else session.engine.threads
                self._place = Threads(min(self._window or here, 256))
            else:
                self._place = Workers(session)
            return self._place

    def _enter(self) -> Place:
        """The place, for a map that begins."""
        with self._lock:
            place = self._made()
            self._users += 1
            if self._timer is not None:
                self._timer.cancel()
            return place

    def _leave(self) -> None:
        """A map has ended."""
        with self._lock:
            self._users = max(self._users - 1, 0)
            if self._timer is not None:
                self._timer.cancel()
            if self._own is not None and not self._users:
                self._timer = threading.Timer(IDLE, self._idle)
                self._timer.daemon = True
                self._timer.start()

    def _idle(self) -> None:
        with self._lock:
            if self._users:
                return
            own, self._own, self._place = self._own, None, None
        if own is not None:
            own.close()


def _again(
    storage: Storage,
    retries: int,
    speculation: Speculation | None,
    on_error: str,
    reuse: str,
    isolate: str | None,
    window: int | None,
) -> Client:
    made = Client(
        storage.url, cluster="threads", name=storage.name, retries=retries, on_error=on_error, reuse=reuse, isolate=isolate,
        storage_options=dict(storage.options), max_simultaneous_tasks=window,
    )  # fmt: skip
    made._speculation = speculation
    return made


def _cluster(cluster: Any) -> Any:
    """A checked `cluster=`; of what `new_cluster` gives its session."""
    if isinstance(session := getattr(cluster, "session", None), Session):
        return session
    if cluster is None or isinstance(cluster, Session) or cluster in ("threads", "processes"):
        return cluster
    if isinstance(cluster, str) and ":" not in cluster:
        raise ArgumentError(
            f"cluster={cluster!r}: expected 'threads', 'processes', the address of a scheduler as 'tcp://host:8786', a session, "
            "or a cluster object."
        )
    check_address(cluster, None)
    return cluster


def _count(value: Any, what: str, least: int = 1) -> int | None:
    return None if value is None else checks.whole(value, what, least=least)


def _speculation(given: Any) -> Speculation | None:
    if given is None or given is False:
        return None
    if given is True:
        return Speculation()
    checks.instance(given, "speculation", Mapping, "True or a dict")
    known = Speculation.__dataclass_fields__
    for name in given:
        if name not in known:
            raise ArgumentError(f"speculation={dict(given)!r}: {name!r} is none of {', '.join(known)}.")
    made = Speculation(**given)
    for name in ("percent", "percentile"):
        if checks.number(getattr(made, name), f"speculation: {name}", above=0) > 100:
            raise ArgumentError(
                f"speculation: {name}={getattr(made, name)!r}: expected a number above 0, up to 100."
            )
    checks.number(made.factor, "speculation: factor", least=1)
    checks.whole(made.max_attempts, "speculation: max_attempts", least=1)
    return made


def _resources(given: Any) -> dict[str, float]:
    if given is None:
        return {}
    checks.instance(given, "map(resources=)", Mapping, "a dict")
    found = {}
    for name, value in given.items():
        checks.name(name, "map(resources=): name")
        if name == "memory":
            amount = parse_amount(value, "map(resources=): memory")
            if not isinstance(amount, int):
                raise ArgumentError(
                    f"map(resources=): memory={value!r}: expected bytes, or a text as '4GiB'."
                )
            found[name] = float(amount)
        else:
            found[name] = checks.number(value, f"map(resources=): {name}", least=0)
    return found


def _named(function: Any, label: str, version: Any) -> tuple[dict[str, str], bytes]:
    """The parts that name a function, and how it travels."""
    walk = code.Walk(function)
    parts = dict(walk.parts)
    if version is not None:
        parts[VERSION] = code.code_key(version)
    try:
        return parts, pickles.packed(function, walk.modules.values(), walk.imported)
    except Exception as error:
        raise NotPicklable.because(f"function {label!r}", error) from error
