"""Starting a local cluster and joining one that is there: arguments checked first, then an engine."""

from __future__ import annotations

import atexit
import copy
import functools
import multiprocessing.process
import multiprocessing.spawn
import os
import weakref
from dataclasses import dataclass
from typing import Any

import dask
import distributed
import distributed.client
import distributed.deploy.spec
from distributed.system import MEMORY_LIMIT  # the machine's, or the container's

from marsdask import checks
from marsdask.engine import defaults, guard
from marsdask.engine.address import (
    HINT,
    bearing,
    check_host,
    reached,
    resolve,
    split_token,
    try_to_listen,
)
from marsdask.engine.base import check_process
from marsdask.engine.client import Distributed
from marsdask.engine.watch import watch
from marsdask.errors import ArgumentError, ArgumentTypeError, ClusterUnreachable, MissingExtra
from marsdask.sizes import LEAST_MEMORY, parse_amount, shown
from marsdask.spill import MemoryPolicy, cluster_arguments
from marsdask.spill.directory import own_scratch


@dataclass(frozen=True)
class Local:
    """What a local cluster is to be, checked. `memory_each` is bytes for one worker, None where nobody said."""

    n_worker: int
    n_thread: int
    memory_each: int | None = None
    security: Any = None
    dashboard: str | None = "127.0.0.1:0"

    def arguments(self) -> dict[str, Any]:
        """Keywords of `distributed.LocalCluster`; of memory as Dask's configuration and MARS_* variables say besides."""
        policy = MemoryPolicy(memory=self.memory_each, names={"memory": "new_session(memory=)"})
        return cluster_arguments(policy) | {
            "n_workers": self.n_worker,
            "threads_per_worker": self.n_thread,
            # Dask serves the scheduler's state over http in any case, without an address on 8787 of every interface.
            "dashboard_address": self.dashboard or "127.0.0.1:0",
            "scheduler_kwargs": {"dashboard": self.dashboard is not None},
            "security": self.security,
            "protocol": "tls://" if self.security is not None else None,
            "preload": defaults.worker_preloads(),
        }


MOST = 10_000
"""Workers or threads on one machine: with more it would have no memory left before the first of them answers."""


def local(
    n_worker: Any = None, n_cpu: Any = None, memory: Any = None, security: Any = None, dashboard: Any = None
) -> Local:
    """A checked `Local` of what `new_session` was given; nothing is started. Errors name the argument."""
    check_process()
    guard.configured()
    for name, count in (("n_worker", n_worker), ("n_cpu", n_cpu)):
        whole = isinstance(count, int) and not isinstance(count, bool)
        if count is not None and not (whole and 1 <= count <= MOST):
            raise ArgumentError(
                f"new_session({name}={count!r}): expected a whole number from 1 to {MOST:,}: this machine alone does the work."
            )
    if n_worker is not None and n_cpu is not None and n_cpu % n_worker:
        why = (
            "n_cpu counts the threads of all workers, each needs one."
            if n_worker > n_cpu
            else "all workers have as many threads; expected n_cpu to be a multiple of n_worker, "
            f"{n_cpu // n_worker * n_worker} for example."
        )
        raise ArgumentError(f"new_session(n_worker={n_worker}, n_cpu={n_cpu}): {why}")
    workers = n_worker or 1
    threads = n_cpu or n_worker or len(os.sched_getaffinity(0))
    each = None
    if memory is not None and memory != "auto":
        amount = parse_amount(memory, "new_session: memory")
        each = (amount if isinstance(amount, int) else int(amount * MEMORY_LIMIT)) // workers
        if each < LEAST_MEMORY:
            raise ArgumentError(
                f"new_session(memory={memory!r}): that is {shown(each)} for each of {workers} workers; expected "
                f"{shown(LEAST_MEMORY)} or more for each."
            )
    return Local(workers, threads // workers, each, checked_security(security), _dashboard(dashboard))


def _dashboard(dashboard: Any) -> str | None:
    """An address for the dashboard to listen on, None for no dashboard."""
    if dashboard is None or isinstance(dashboard, bool):
        return None if dashboard is False else "127.0.0.1:0"
    host, _, port = (f":{dashboard}" if isinstance(dashboard, int) else str(dashboard)).rpartition(":")
    if isinstance(dashboard, (int, str)) and port.isdigit() and int(port) < 65536:
        return f"{host or '127.0.0.1'}:{port}"
    raise ArgumentError(
        f"new_session(dashboard={dashboard!r}): expected True, False, a port, or 'host:port' such as '127.0.0.1:8787'."
    )


def checked_security(security: Any) -> Any:
    """`security` as distributed takes it: None, True for temporary certificates, or a Security with all of its own."""
    if security is None:
        return None
    if security is True:
        try:
            import cryptography  # noqa: F401
        except ImportError as error:
            raise MissingExtra.needed("cryptography", "tls", "new_session(security=True)") from error
        return True
    expected = (
        "a distributed.Security, True for temporary certificates of a local cluster, or None for what Dask's "
        "configuration says"
    )
    return checks.instance(security, "new_session(security=)", distributed.Security, expected)


def started(wanted: Local, *, as_default: bool = False) -> Distributed:
    """A local cluster of worker processes, which ends with its engine."""
    host, _, port = (wanted.dashboard or ":0").rpartition(":")
    if port != "0":  # where nobody can listen Dask takes another port, and warns
        try:
            try_to_listen(host, int(port))
        except OSError as error:
            raise ArgumentError(
                f"new_session(dashboard={wanted.dashboard!r}): cannot listen there: {error.strerror or error}. "
                "Hint: another port, or True for any that is free."
            ) from error
    defaults.apply()
    _leave_the_program_alone()
    with own_scratch():
        cluster = distributed.LocalCluster(**wanted.arguments())
    cluster.sync(_watched, cluster.scheduler)
    client = distributed.Client(cluster, set_as_default=as_default)
    return Distributed(
        client, owned=(client, cluster), dashboard=wanted.dashboard is not None, dasks_default=as_default
    )


async def _watched(scheduler: Any) -> None:
    watch(scheduler)  # in the thread of the scheduler


WORKER_PROCESS = "Dask Worker process (from Nanny)"


def _leave_the_program_alone() -> None:
    """Let worker processes that start from here on not import the program, which then needs no `if __name__ == "__main__"`.

    multiprocessing has its main file imported by every process it starts, in case that functions of it are unpickled there.
    A file that opens a session at its top would do so in each worker again. What is sent to workers carries functions of
    the main file with it, so they have no need of the file; other processes that the program starts do. There is no public
    switch: distributed's setting of the start method knows "fork" besides, which copies locks that other threads hold, and a
    main module without its file is another one to the whole program. A worker may be started again at any time: so it
    stays, for processes that nannies start.
    """
    asked = multiprocessing.spawn.get_preparation_data
    if hasattr(asked, "__wrapped__"):
        return

    @functools.wraps(asked)
    def preparation(name: str) -> dict[str, Any]:
        wanted: dict[str, Any] = asked(name)
        if name == WORKER_PROCESS:
            for main in ("init_main_from_name", "init_main_from_path"):
                wanted.pop(main, None)
        return wanted

    multiprocessing.spawn.get_preparation_data = preparation


def leave_to_parent() -> None:
    """In a process that was forked: let its end not be that of its parent's clusters.

    At the end of any process multiprocessing ends what it takes for children of it, distributed closes the clusters that it
    knows, and both remove their files. None of them asks who began it, so a child that ended by sys.exit() took 14 s for
    that, and its parent's workers and scratch directories with it.
    """
    # multiprocessing does the same in the children that it forks itself; neither it nor weakref has a public word for it.
    multiprocessing.process._children.clear()  # type: ignore[attr-defined]
    atexit.unregister(distributed.deploy.spec.close_clusters)
    atexit.unregister(distributed.client._close_global_client)
    for each in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        if (alive := each.peek()) is not None and type(alive[0]).__module__.startswith("distributed."):
            each.atexit = False


def check_address(address: Any, security: Any) -> None:
    """An error where an address cannot be one, or where a Client or cluster has its own `security`."""
    check_process()
    if isinstance(address, str):
        check_host(split_token(address)[0])
        if security is True:
            raise ArgumentError(
                "new_session(security=True): temporary certificates are for a local cluster; a cluster that is joined "
                "has its own. Hint: pass a distributed.Security with them."
            )
        checked_security(security)
        return
    if not isinstance(address, distributed.Client) and not hasattr(address, "scheduler_address"):
        raise ArgumentTypeError(
            f"new_session(address={address!r}): expected 'tcp://host:port', 'http://host:port', a distributed Client "
            f"or a cluster object, got {type(address).__name__}."
        )
    if security is not None:
        raise ArgumentError(
            f"new_session(security=): the {type(address).__name__} given as address= has its own."
        )
    if isinstance(address, distributed.Client) and address.asynchronous:
        raise ArgumentError(
            "new_session(address=Client(asynchronous=True)): expected a synchronous Client. Hint: "
            "await marsdask.session.AsyncSession.init(...) in asynchronous programs."
        )
    if isinstance(address, distributed.Client) and address.status != "running":
        raise ArgumentError(
            f"new_session(address=Client): the Client is {address.status}; expected a running one."
        )


def connected(
    address: Any, *, security: Any = None, timeout: float | None = None, as_default: bool = False
) -> Distributed:
    """An engine on a cluster that is there: an address as `address.resolve` takes them, a Client, or a cluster.

    `timeout`: seconds for all of it; None is Dask's `distributed.comm.timeouts.connect`, at most 10, or what a cluster on
    Kubernetes finds right.
    """
    if isinstance(address, distributed.Client):
        return Distributed(address)
    web, again, check_there = None, None, None
    if hasattr(address, "session_client"):  # a cluster on Kubernetes, which knows how long pods may take
        check_there = getattr(address, "check_there", None)
        again = functools.partial(address.session_client, as_default=as_default)
        made = functools.partial(again, timeout=timeout)
    else:
        if timeout is None:
            configured = dask.config.get("distributed.comm.timeouts.connect")
            timeout = min(dask.utils.parse_timedelta(configured, "s"), 10.0)
        where = address
        if isinstance(address, str):
            address, token = split_token(address)
            context = (security or distributed.Security()).get_connection_args("client").get("ssl_context")
            where = resolve(address, timeout=timeout, context=context, token=token)
            web = address if address.startswith("http") else None
            if where.startswith(("ws:", "wss:")) and token is not None:
                security = copy.copy(security or distributed.Security())
                security.extra_conn_args = {**security.extra_conn_args, "headers": bearing(token)}
            reached(where, timeout=timeout, context=context, headers=bearing(token))
        made = functools.partial(
            distributed.Client, where, set_as_default=as_default, security=security, timeout=max(timeout, 0.1)
        )
    try:
        client = made()
    except (OSError, TimeoutError, RuntimeError) as error:
        raise ClusterUnreachable(
            f"address={address!r}: no scheduler answers ({error or type(error).__name__}). {HINT}"
        ) from error
    return Distributed(
        client, owned=(client,), web=web, again=again, check_there=check_there, dasks_default=as_default
    )
