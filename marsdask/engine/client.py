"""A distributed cluster as an engine, through its client."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import logging
import math
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import KW_ONLY, dataclass
from typing import Any

import dask
from dask.typing import Key

from marsdask.engine import failures, runs, streams
from marsdask.engine.address import WEB_TOKEN, reached
from marsdask.engine.base import Room
from marsdask.errors import SchedulerLost
from marsdask.options import options
from marsdask.plan import graph

ATTEMPT = 5.0
"""Seconds that distributed's own attempt to reconnect may take, and each of ours after it. One of its own lasts as long as
nobody answers: on Kubernetes that was 75 s after a scheduler's pod was replaced, as kube-proxy had tied the connection to
the pod that ended. A new attempt went to the new pod at once.
"""

AT_A_TIME = 64 * 2**20
"""Bytes that are fetched at a time. 1 GiB from two workers took 1.5 to 1.7 s so and 1.2 to 2.3 s at once, in chunks of 1 and
of 8 MiB; at once a worker of 512 MiB that has it on disk ended for its memory, was replaced, and never answered."""

ROOM_SECONDS = 10.0
"""So long what a cluster told of its threads and memory is taken for what it has: asking takes a millisecond."""


def counting(client: Any, tasks: Sequence[Key]) -> Callable[[], float]:
    """What says how far the tasks of one round are, by asking the scheduler how many of each group are not done."""
    groups: list[str] = []  # worked out when somebody asks
    begun = False

    # It travels by value, without what asks: a scheduler need not import marsdask to count.
    def counted(dask_scheduler: Any) -> tuple[int, int]:
        known = [dask_scheduler.task_groups[g] for g in groups if g in dask_scheduler.task_groups]
        open_states = ("waiting", "no-worker", "queued", "processing", "erred")
        return len(known), sum(g.states.get(s, 0) for g in known for s in open_states)

    def fraction() -> float:
        from distributed.utils import key_split_group

        nonlocal begun
        if client.status != "running":
            return 0.0
        groups[:] = groups or sorted({key_split_group(k) for k in tasks})
        try:
            found, left = client.run_on_scheduler(counted)
        except (OSError, RuntimeError):  # busy, gone, or closed just now: who waits for results hears of it
            return 0.0
        begun = begun or found > 0
        return max(1 - left / max(len(tasks), 1), 0.0) if begun else 0.0

    return fraction


@dataclass(eq=False, repr=False)
class Distributed:
    """A distributed cluster, through its client."""

    shared_memory = False
    client: Any
    owned: Sequence[Any] = ()  # closed with the engine, in order
    web: str | None = None  # the web address it was joined by
    _: KW_ONLY
    dashboard: bool = True
    again: Callable[..., Any] | None = None  # makes another client like ours, in `timeout` seconds
    check_there: Callable[[], None] | None = None  # SchedulerLost where it is known not to come back
    dasks_default: bool = False  # whether the client is the one that Dask's own functions use

    def __post_init__(self) -> None:
        self._changing = threading.Lock()  # of clients that are ours
        if self.client is not None:  # a closed client has none any more
            self.address = str(self.client.scheduler.address)
        _replaced_by_us.update(self.owned)
        self.topics: dict[str, Callable[[Any], None]] = {}
        self.published: set[str] = set()  # names of datasets that end with this engine
        self.notes: set[str] = set()  # of these, the empty ones, which a new scheduler is told again
        self.stalled = failures.Stalled(self)
        self._web_token: str | None = None
        self._at_hand: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._room = -math.inf, Room(0)  # when the cluster told what it has, and what

    @functools.cached_property
    def address(self) -> str:
        return str(self.client.scheduler.address)

    @property
    def web_token(self) -> str | None:
        if self._web_token is None and self.address.startswith("tls") and self.client.status == "running":
            with contextlib.suppress(OSError, TimeoutError):  # it is busy, or away
                ask = self.client.scheduler.get_metadata
                self._web_token = self.client.sync(
                    ask, keys=[WEB_TOKEN], default=None, callback_timeout=ATTEMPT
                )
        return self._web_token

    @property
    def threads(self) -> int:
        return sum(map(int, self.client.nthreads().values())) if self.client.status == "running" else 0

    @property
    def room(self) -> Room:
        at, known = self._room
        if self.client.status == "running" and time.monotonic() > at + ROOM_SECONDS:
            told = self.client.scheduler_info(n_workers=0)
            threads = int(told.get("total_threads", 0))
            each = told.get("total_memory", 0) / max(threads, 1)
            known = Room(threads, each or math.inf, max(int(told.get("n_workers", threads)), 1))
            self._room = time.monotonic(), known
        return known

    def submit(self, tasks: dict[Key, Any], keys: list[Key]) -> list[Any]:
        unique = list(dict.fromkeys(keys))
        if self.client.status != "running":
            self.back()
        streams.ours(self.client.scheduler_comm)  # which may be another one each time
        with _as_ours(lambda error: failures.unsendable(tasks)):
            futures = list(self.client.get(graph.annotated(tasks), unique, sync=False))
        counted: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if (run := runs.current.get()) is not None:
            fraction = counting(self.client, list(tasks))
            counted = run.round(fraction, functools.partial(self._cancel, futures))
        failed = None
        try:
            with counted:
                failed = self._finished(futures)
                if failed is not None:  # inside the round, which is not done then
                    # The task's own error; ours where the cluster and not the task failed.
                    with _as_ours(lambda error: failures.named(error, self.client)):
                        # Not result(), which raises it in the client's event loop, and that ends of what is no Exception.
                        raise failed.exception().with_traceback(failed.traceback())
        except BaseException:
            if failed is None:  # Ctrl-C, or cancelled before this round: what was started must not go on
                self._cancel(futures)
            else:
                # Who holds the error holds this frame. A scheduler answers with what has failed as long as anybody holds
                # that: the next run would not look whether it does now.
                for future in futures:
                    future.release()
            raise
        by_key = dict(zip(unique, futures, strict=True))
        return [by_key[k] for k in keys]

    def _cancel(self, futures: list[Any]) -> None:
        """Stop the work on these futures, soon; from any thread."""
        if self.client.status == "running":
            self.client.loop.add_callback(_cancelled, self.client, futures)

    def _finished(self, futures: list[Any]) -> Any:
        """Wait until all have come, or one has failed; the first that has."""
        with (
            _as_ours(lambda error: failures.forgotten(error, self.client.status), CancelledError),
            self.stalled.watched(functools.partial(self._cancel, futures)),
        ):
            return self.client.sync(_failed, futures)

    def keep(self, held: Any, value: Any) -> None:
        self._at_hand[held] = value

    def values(self, held: Sequence[Any]) -> list[Any]:
        if len(held) == 1 and (value := self._at_hand.pop(held[0], None)) is not None:
            return [value]
        if self.client.status != "running":
            self.back()
        with _as_ours(lambda error: failures.of_gather(error, held, self.client)):
            parts = self._parts(held)
            if len(parts) == 1:
                return list(self.client.gather(parts[0][0]))
            came, in_all = 0.0, sum(size for _, size in parts)
            run, found = runs.current.get(), list[Any]()
            counted: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
            if run is not None:
                runs.next_round(1.0)
                counted = run.round(lambda: came / in_all)
            with counted:
                for part, size in parts:
                    if run is not None:
                        run.check()
                    found += self.client.gather(part)
                    came += size
            return found

    def small(self, held: Any, most: float) -> Any:
        # Where it is lost, or cannot be sent after all, who asks for more is told.
        with contextlib.suppress(Exception):
            if self.client.nbytes([held.key], summary=False)[held.key] <= most:
                return self.client.gather(held)
        return None

    def _parts(self, held: Sequence[Any]) -> list[tuple[list[Any], float]]:
        """Futures, and their bytes, in parts that a worker can read and send at a time.

        Of what is asked for at once it has all in memory, whatever its limit is.
        """
        if len(held) < 2:
            return [(list(held), 0)]
        sizes = self.client.nbytes([future.key for future in held], summary=False)
        room, parts = min(AT_A_TIME, self.room.memory / 8), []
        part, taken = list[Any](), 0.0
        for future in held:
            size = max(sizes.get(future.key, 0), 1)
            if part and taken + size > room:
                parts.append((part, taken))
                part, taken = [], 0.0
            part.append(future)
            taken += size
        return [*parts, (part, taken)]

    def lost(self, held: Sequence[Any]) -> bool:
        """Whether any is a future that was dropped, or whose data went with a worker and could not be made again."""
        return any(getattr(h, "status", None) in ("cancelled", "error") for h in held)

    def back(self) -> None:
        """Return when the scheduler answers again; SchedulerLost where it does not in time."""
        seconds, now = options.cluster.reconnect_timeout, time.monotonic()
        deadline, patient = now + seconds, now + ATTEMPT
        while self.client.status != "running":
            if (run := runs.current.get()) is not None:
                run.check()
            ours, closed = self.client in self.owned, self.client.status == "closed"
            if time.monotonic() > deadline or (closed and not ours):
                raise SchedulerLost.after(self.address, seconds)
            if ours and (closed or time.monotonic() > patient):
                with self._changing:
                    self._renew()
            time.sleep(0.05)
        for topic, hear in list(self.topics.items()):  # maps begin and end meanwhile
            self.listen(topic, hear)  # a new scheduler knows of nobody who listens
        for name in self.notes:
            self.note(name)

    def _renew(self) -> None:
        """Put a new client in the place of ours, if the scheduler answers one."""
        if self.client.status == "running" or self.client not in self.owned:
            return  # another thread did it, or closed the engine
        if self.check_there is not None:
            self.check_there()
        security = self.client.security
        again = self.again or functools.partial(
            self.client.__class__, self.address, security=security, set_as_default=self.dasks_default
        )
        try:
            # Before the client, which would wait without end for one who takes connections and says nothing.
            reached(
                self.address,
                timeout=ATTEMPT,
                context=security.get_connection_args("client").get("ssl_context"),
                headers=security.extra_conn_args.get("headers"),
            )
            new = again(timeout=ATTEMPT)
        except (OSError, TimeoutError):
            return  # not yet
        _replaced_by_us.add(new)
        old, self.client = self.client, new
        self.owned = [new if each is old else each for each in self.owned]
        with _quietly_cancelled():
            _close_client(old)

    def forget(self, dataset: str) -> None:
        """Unpublish a dataset, soon: safe also where Python is collecting garbage."""
        if dataset in self.published and self.client.status == "running":
            self.published.discard(dataset)
            self.notes.discard(dataset)
            self.client.loop.add_callback(_unpublished, self.client, dataset)

    def note(self, name: str) -> None:
        """Publish an empty dataset, by which others see that something is there; nothing if it is published."""
        if name not in self.client.list_datasets():
            # Whose it is comes first: this process may die at any moment, and nobody else would unpublish it.
            self.client.sync(_claimed, self.client, name)
            with contextlib.suppress(KeyError):  # another process is faster, and has claimed it
                self.client.publish_dataset([], name=name)
                self.published.add(name)
                self.notes.add(name)

    def own(self, dataset: str) -> None:
        """Unpublish a dataset when the engine closes; a scheduler of ours does so where this process dies before."""
        self.published.add(dataset)
        self.client.loop.add_callback(_owned, self.client, dataset)  # from any thread

    def listen(self, topic: str, hear: Callable[[Any], None]) -> None:
        """Call `hear` with every event of a topic from now on."""
        self.topics[topic] = hear
        self.client.subscribe_topic(topic, lambda event: hear(event[1]))

    def close(self) -> None:
        import distributed

        if self.client.status == "running":
            self.client.sync(_unpublished, self.client, *self.published)
        before = dask.config.get("scheduler", None)
        with self._changing, _quietly_cancelled():
            for each in self.owned:
                if each is self.client:
                    _close_client(each)
                else:
                    _close_cluster(each)
            self.owned = ()
        # Dask's own setting follows its default client: clients that are not closed in the order of nested blocks put back
        # what was set when they were opened, which may be the word of one that is gone.
        try:
            distributed.default_client()
        except ValueError:
            if dask.config.get("scheduler", None) == "dask.distributed":
                dask.config.set(scheduler=None)
        else:
            if before == "dask.distributed":
                dask.config.set(scheduler=before)


_replaced_by_us: weakref.WeakSet[Any] = weakref.WeakSet()
"""Clients that get another in their place, once there is a scheduler and somebody asks for something."""


def _gives_up(record: logging.LogRecord) -> bool:
    """Keep out of the log that one of these has ended its attempts to reconnect: of what that means SchedulerLost tells."""
    if not str(record.msg).startswith("Failed to reconnect to scheduler"):
        return True
    try:
        mine = asyncio.get_running_loop()  # of the client that logs it
    except RuntimeError:
        return True
    return all(
        getattr(each, "loop", None) is None or each.loop.asyncio_loop is not mine for each in _replaced_by_us
    )


logging.getLogger("distributed.client").addFilter(_gives_up)


async def _failed(futures: list[Any]) -> Any:
    """The first of these futures that fails; None when all have ended, and none has."""
    # The public wait() takes its client from a setting of the whole process, which others may be changing now.
    # as_completed(loop=) is public too and costs no more, but waits for ever where the client is closed meanwhile.
    from distributed.client import _wait

    async def ended(future: Any) -> None:
        await future._state.wait()
        if future.status == "error":
            raise _Failed(future)

    waits = [asyncio.ensure_future(ended(future)) for future in futures]
    try:
        await asyncio.gather(*waits)
    except _Failed as failed:
        return failed.args[0]
    finally:
        for each in waits:
            each.cancel()
    await _wait(futures)  # says what was cancelled, and why
    return None


def when_over(client: Any, future: Any, call: Callable[[Any], None]) -> None:
    """Call this with a future once it is over, soon, in the client's thread.

    The future's own callbacks run in a pool of threads, which is gone at the end of a program before its client is.
    """

    async def waited() -> None:
        await future._state.wait()
        call(future)

    client.loop.add_callback(waited)


class _Failed(Exception):
    """Ends a wait."""


@contextlib.contextmanager
def _as_ours(named: Callable[[Any], Exception | None], kind: type[Exception] = Exception) -> Iterator[None]:
    """Errors of that kind inside the block as the one of ours that `named` makes of them, if it does; else whole."""
    try:
        yield
    except kind as error:
        failures.made_whole(error)
        if (ours := named(error)) is None:
            raise
        raise ours from error


CLOSES_WITHIN = 40.0
"""Seconds after which a cluster that does not close is ended; its nannies take 35 at most, each beside the others."""


def _close_cluster(cluster: Any) -> None:
    """Close a cluster that was started here. Its workers' processes are gone afterwards, whatever has died before."""
    try:
        cluster.close(timeout=CLOSES_WITHIN)
    except TimeoutError:
        logging.getLogger("distributed.deploy").warning(
            "The cluster does not close in %g s; the processes of its workers are killed.", CLOSES_WITHIN
        )
        from distributed.core import Status

        for nanny in list(cluster._created):  # those too that it has lost sight of
            if (pid := getattr(nanny, "pid", None)) is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        cluster.status = Status.closed
        cluster.close()


def _close_client(client: Any) -> None:
    if client.loop is not None:
        client.loop.add_callback(_websockets_closed, client)
    try:
        client.close()
    except RuntimeError:
        if client.status != "closed":
            raise
        # It came back while it was being closed, lost the scheduler again as its connection was, and tried once more with
        # its pool of connections, which was closed by then. That ends close() before the last it does: to end its thread.
        client._loop_runner.stop()


async def _websockets_closed(client: Any) -> None:
    """Close a client's websockets with its event loop: distributed says to the other side that they end, and the loop ends
    before the answer comes. They would stay open until Python collects garbage."""
    comms = {*itertools.chain(*client.rpc.available.values(), *client.rpc.occupied.values())}
    if client.scheduler_comm is not None:
        comms.add(client.scheduler_comm.comm)
    streams = [comm.sock.stream for comm in comms if hasattr(comm, "sock")]
    try:
        while not all(stream.closed() for stream in streams):
            await asyncio.sleep(0.1)
    finally:  # the loop ends, which cancels this
        for stream in streams:
            stream.close()


AT_ONCE = 32
"""Futures that are cancelled at once: the scheduler goes over all of them again for each, 40 s for 10,000."""


async def _cancelled(client: Any, futures: list[Any]) -> None:
    for begin in range(0, len(futures), AT_ONCE):
        await client.cancel(futures[begin : begin + AT_ONCE], asynchronous=True)


async def _owned(client: Any, dataset: str) -> None:
    """Have the scheduler unpublish a dataset when this client is gone."""
    from marsdask.engine.watch import OWNERS  # imports distributed

    await client.scheduler.set_metadata(keys=[OWNERS, dataset], value=client.id)


async def _claimed(client: Any, dataset: str) -> None:
    """The same of a dataset that is to be published, unless another client that is there is about to."""
    from marsdask.engine.watch import OWNERS

    def claim(owners: str, name: str, mine: str, dask_scheduler: Any = None) -> None:
        found = dask_scheduler.task_metadata.setdefault(owners, {})
        if found.get(name) not in dask_scheduler.clients:
            found[name] = mine

    await client.run_on_scheduler(claim, OWNERS, dataset, client.id)


async def _unpublished(client: Any, *names: str) -> None:
    """Unpublish datasets, while there is a scheduler: with one that is lost they are gone."""
    asking = asyncio.ensure_future(_asked_to_unpublish(client, names))
    try:
        # It may be lost and the client not know it yet: a question then tries to connect until the client's own time limit.
        while not asking.done() and client.status == "running":
            await asyncio.wait({asking}, timeout=0.05)
        if asking.done():
            with contextlib.suppress(OSError):
                await asking
    finally:
        asking.cancel()


async def _asked_to_unpublish(client: Any, names: tuple[str, ...]) -> None:
    """Unpublish what the scheduler knows: one that was started again knows of none, and to distributed 2026.3 that is a
    KeyError. To distributed a dataset is a client too, which stays: on the dashboard, for ever."""

    from marsdask.engine.watch import OWNERS

    def left(owners: str, name: str, dask_scheduler: Any = None) -> None:
        if name not in dask_scheduler.extensions["publish"].datasets:
            dask_scheduler.task_metadata.get(owners, {}).pop(name, None)
            dask_scheduler.remove_client(client=f"published-{name}")

    for name in names:
        with contextlib.suppress(KeyError):
            await client.unpublish_dataset(name, asynchronous=True)
        await client.run_on_scheduler(left, OWNERS, name)


@contextlib.contextmanager
def _quietly_cancelled() -> Iterator[None]:
    """Let distributed not log, with a traceback, that a client was closed while it was trying to connect."""

    def telling(record: logging.LogRecord) -> bool:
        return not isinstance(record.msg, (asyncio.CancelledError, RuntimeError))

    log = logging.getLogger("distributed.client")
    log.addFilter(telling)
    try:
        yield
    finally:
        log.removeFilter(telling)
