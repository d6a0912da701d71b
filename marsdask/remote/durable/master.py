"""The master of a map: takes items, has them run where they have no result yet, and hands the results out of their files."""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import json
import math
import pickle
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any

from marsdask import pickles, stored
from marsdask.errors import BadStorage, Cancelled, DataLost, NotPicklable, SchedulerLost
from marsdask.plan import code
from marsdask.remote.durable import child
from marsdask.remote.durable.asked import ENDED, VERSION, Asked, Failure, Record
from marsdask.remote.durable.places import Outcome, Place, Rows
from marsdask.remote.durable.status import Page, html, state_of
from marsdask.remote.durable.storage import Storage
from marsdask.remote.durable.task import Done, Item, Work, error_of

LARGE = 2**16
"""Bytes of an input from which on it goes by a file, and not through the scheduler."""
AHEAD = 2_000
"""Items that are taken, and kept in memory, before somebody has asked for the first of them."""
AT_ONCE = 64
"""Files of results that are read at a time from a store that is far: 1,000 that are reused take 2.2 s instead of 50, at 50 ms
a request."""
ROOM = 2**24
"""Bytes of them at most; a larger one is read alone."""
LOOK = 0.25
"""Seconds between two looks at what takes long."""
SAMPLES = 10
"""Items that have to be done before anybody knows what takes long."""
SHORT = 0.1
"""Seconds of a task of several items that are short: a task costs Dask's scheduler, client and worker 2 to 4 ms, here."""
TOGETHER = 16
"""Items of such a task at most: they wait for each other. 1,000 trivial items on two workers took 0.7 of the time of plain
client.map so, and 1.9 times as long one by one."""
LOSSES = 5
"""How often the loss of a whole cluster is survived, for one task."""
NAMED = 5
"""Parts that a reason names."""


class Master:
    """One map while it goes on. Its threads know it; whoever holds `JobResults` does not have to be there for long."""

    def __init__(self, asked: Asked, storage: Storage, place: Callable[[], Place], left: Callable[[], None]):
        self.asked, self.storage, self._place, self._left = asked, storage, place, left
        self.job = f"{_plain(asked.label)}-{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"
        self.cond = threading.Condition(threading.RLock())
        self.state = "new"
        self.cancelled = False
        self.records: dict[int, Record] = {}
        self.flight: dict[int, tuple[list[Record], bool]] = {}
        self.order: deque[int] = deque()  # of items, as they have ended
        self.counts: Counter[str] = Counter()
        self.taken = 0
        self.exhausted = False
        self.feed_error: BaseException | None = None
        self.waiting = 0  # who asks for a result that is not there
        self.finishing = False  # nobody asks for results any more
        self.stop_error: Record | None = None
        self.why: dict[int, str] = {}
        self.failures: list[Failure] = []
        self.seconds: list[float] = []  # of what has run here
        self.equal: Counter[str] = Counter()
        self.numbers = itertools.count()
        self.known: dict[str, list[str]] = {}
        self.broken: set[str] = set()  # the files of items that have failed before
        self.sizes: dict[str, int | None] = {}  # of what was there
        self.ahead: dict[str, stored.Whole | stored.Broken] = {}  # what was read before it was asked for
        self.place: Place | None = None
        self.slots = threading.Semaphore(0)
        self.entered = False  # the place
        self.group: list[Record] = []  # of the next task
        self.lost: list[list[Record]] = []  # with the cluster
        self.context = contextvars.copy_context()
        self.making = threading.Lock()  # of the place
        self.writing = threading.RLock()  # of the page
        facts = {"function": asked.label, "started": time.time()}
        self.page = Page(storage, self.job, facts)
        self._parts: dict[str, dict[str, str]] = {}  # of other functions, and what they were called
        self._labels: dict[str, str] = {}

    # Beginning and end

    def begin(self) -> None:
        """Look at what is there, and begin to take items."""
        with self.cond:
            if self.state != "new":
                return
            self.state = "active"
            _going_on.add(self)
        try:
            self._begin()
        except BaseException:
            self.end("failed")
            raise

    def _begin(self) -> None:
        asked, storage = self.asked, self.storage
        told = {
            "job": self.job, "function": asked.label, "code": asked.code, "items_per_task": asked.items_per_task,
            "num_items": asked.total, "retries": asked.retries, "timeout": asked.timeout, "resources": asked.resources,
            "on_error": asked.on_error, "reuse": asked.reuse, "isolated": asked.isolated,
        }  # fmt: skip
        storage.begin(f"{self.job}.json", json.dumps(told, indent=1).encode())
        self._write("active")
        # A file that another map writes was begun after that map has said that it is active, and so is seen with it.
        unready = storage.unready()
        others = [other for other in storage.jobs() if other.get("job") != self.job]
        for other in others:
            if other.get("state") == "active" and state_of(other) == "lost":
                told_last = other | {"state": "lost"}
                storage.put("status", f"{other['job']}.json", json.dumps(told_last).encode())
                storage.put("status", f"{other['job']}.html", html(told_last).encode())
        if not any(state_of(other) == "active" for other in others):
            storage.sweep(unready)
        if isinstance(storage.whole("fn", asked.code), stored.Broken):
            storage.put_whole("fn", asked.code, asked.pickled, {"parts": asked.parts, "label": asked.label})
        self.broken = set(storage.names("err"))
        if asked.reuse != "never":
            self.sizes = storage.sizes("out")
            for name in self.sizes:
                self.known.setdefault(name.partition(".")[0], []).append(name)
        for work in (self._feed, self._watch):
            self._beside(work)

    def _beside(self, work: Callable[..., None], *args: Any) -> None:
        """Do something in a thread, with the options that held where the map was asked for."""
        target = self.context.copy().run
        threading.Thread(target=target, args=(work, *args), name=f"marsdask-{self.job}", daemon=True).start()

    def end(self, state: str) -> None:
        """Stop what goes on, and say how it ended. A second time does nothing."""
        with self.cond:
            if self.state not in ("new", "active"):
                return
            begun, self.state = self.state != "new", state
            _going_on.discard(self)
            entered, self.entered = self.entered, False
            handles = [h for record in self.records.values() for h in record.handles.values()]
            self.flight.clear()
            self.cond.notify_all()
        self.slots.release()
        if self.place is not None:
            with contextlib.suppress(Exception):  # the cluster may be what has failed
                for handle in dict.fromkeys(handles):
                    self.place.cancel(handle)
                self.place.deaf(self.job)
        if begun:
            with contextlib.suppress(Exception):  # and the storage
                self._write(state)
        if entered:
            self._left()

    def _write(self, state: str) -> None:
        with self.writing:
            if state == self.state:  # it may have ended since this was begun
                self._write_page(state)

    def _write_page(self, state: str) -> None:
        with self.cond:
            counts, rows = self.status(), [self.page.rows[number] for number in sorted(self.page.rows)]
        page = self.page.write(state, counts, rows)
        if page is not None and self.place is not None:
            with contextlib.suppress(OSError, TimeoutError):  # the scheduler is away
                self.place.publish(self.job, state, page)

    def status(self) -> dict[str, int | None]:
        """Counts of items."""
        with self.cond:
            running = sum(len(records) for records, _ in self.flight.values())
            total = self.taken if self.exhausted else self.asked.total
            counts = {
                name: self.counts[name] for name in ("submitted", "reused", "done", "failed", "speculated")
            }
            return {
                "total": total,
                "submitted": counts["submitted"],
                "reused": counts["reused"],
                "running": running,
            } | {name: counts[name] for name in ("done", "failed", "speculated")}

    def preview(self) -> tuple[int, Counter[str]]:
        """How many items have a result, and how many of the others have none for which reason. Nothing runs or is written."""
        if self.asked.reuse != "never":
            for name in self.storage.names("out"):
                self.known.setdefault(name.partition(".")[0], []).append(name)
        reasons = Counter(
            self._reused(self._named(number, value)) for number, value in enumerate(self.asked.iterable)
        )
        return reasons.pop(None, 0), Counter({str(reason): count for reason, count in reasons.items()})

    # Taking items

    def _feed(self) -> None:
        try:
            for number, value in enumerate(self.asked.iterable):
                if self.state != "active":
                    return
                record = self._named(number, value)
                reason = self._reused(record)
                with self.cond:
                    self.records[number] = record
                    self.taken += 1
                    if reason is None:
                        self._ended(record, "reused", {})
                    else:
                        self.why[number] = reason
                        self.group.append(record)
                if reason is not None:
                    self._flush(self._size())
                with self.cond:
                    self.cond.wait_for(lambda: self.state != "active" or not self._is_full())
        except StopIteration as error:  # of `key`: it would end the results as if there were no more items
            self.feed_error = RuntimeError(
                f"item {self.taken} of {self.asked.label!r}: key= raised StopIteration"
            )
            self.feed_error.__cause__ = error
        except BaseException as error:  # noqa: BLE001 - whatever the iterable raises, whoever asks for results gets
            self.feed_error = error
        try:
            self._flush(1)
        except BaseException as error:  # noqa: BLE001 - the same
            self.feed_error = self.feed_error or error
        finally:
            with self.cond:
                self.exhausted = True
                self.cond.notify_all()

    def _is_full(self) -> bool:
        """Whether enough is taken for now."""
        return not self.finishing and len(self.records) >= max(AHEAD, 2 * self.asked.items_per_task)

    def _size(self) -> int:
        """How many items make a task: as many as were asked for, or more where they take no time to speak of."""
        seconds = self.seconds[-SAMPLES:]
        if self.asked.items_per_task > 1 or len(seconds) < SAMPLES or self.asked.isolated:
            return self.asked.items_per_task
        return max(min(int(SHORT * len(seconds) / max(sum(seconds), 1e-6)), TOGETHER), 1)

    def _flush(self, size: int) -> None:
        """Begin a task of the items that wait, if there are so many."""
        with self.cond:
            if not self.group or len(self.group) < size:
                return
            group, self.group = self.group, []
        self._submit(group)

    def _hurry(self) -> None:
        """Begin a task of fewer items than it might have: what comes next may take its time, or come only after their results."""
        with self.cond:
            late = self.asked.items_per_task == 1 or (self.waiting and self._is_full())
            if not self.group or not late or self.exhausted:
                return
        try:
            self._ready()
        except Exception as error:  # noqa: BLE001 - whoever asks for results gets it
            with self.cond:
                group, self.group = self.group, []
                for record in group:
                    self._failed(record, _told_of(error, record, self.asked.label))
                self.cond.notify_all()
            return
        if self.slots.acquire(blocking=False):  # who waits here writes no pages
            with self.cond:
                group, self.group = self.group, []
            if not group:
                self.slots.release()
                return
            try:
                self._start(group)
            except Exception as error:  # noqa: BLE001 - the same
                self._given_up(group, error)

    def _named(self, number: int, value: Any) -> Record:
        """An item with the name of its files: equal ones are counted."""
        if self.asked.names is not None:
            return Record(number, self.asked.names[number], value)
        named = value if self.asked.key is None else self.asked.key(value)
        try:
            digest = code.item_key(named)
        except NotPicklable as error:
            raise NotPicklable.because(
                f"item {number} of {self.asked.label!r}", error.why, "in a form that names it (or give key=)"
            ) from error
        self.equal[digest] += 1
        if (count := self.equal[digest]) > 1:
            digest = pickles.digest(f"{digest} {count}".encode())
        return Record(number, digest, value)

    def _reused(self, record: Record) -> str | None:
        """Why an item has to run; None where there is a result."""
        asked = self.asked
        record.file = f"{record.name}.{asked.code}"
        there = self.known.get(record.name)
        if not there:
            return "reuse='never'" if asked.reuse == "never" else "no result of this item"
        if record.file in there:
            return None
        changed = {name: self._changed(name.partition(".")[2]) for name in there}
        if asked.reuse == "code-changed-ok":
            same = [
                name
                for name, parts in changed.items()
                if parts is not None
                and VERSION not in parts
                and self._labels[name.partition(".")[2]] == asked.label
            ]
            if same:
                record.file = max(same, key=self._when) if len(same) > 1 else same[0]
                return None
        nearest = min((parts for parts in changed.values() if parts), key=len, default=None)
        return _because(nearest) if nearest else "the function has changed"

    def _changed(self, other: str) -> list[str] | None:
        """The parts that differ from those of another function of ours; None where nobody knows them."""
        if other not in self._parts:
            found = self.storage.whole("fn", other)
            facts = found.facts if isinstance(found, stored.Whole) else {}
            self._parts[other], self._labels[other] = facts.get("parts", {}), str(facts.get("label"))
        theirs, ours = self._parts[other], self.asked.parts
        if not theirs:
            return None
        return sorted(name for name in theirs | ours if theirs.get(name) != ours.get(name))

    def _when(self, name: str) -> float:
        """When a result was made."""
        found = self.storage.whole("out", name)
        return float(found.facts.get("start", 0.0)) if isinstance(found, stored.Whole) else 0.0

    # Running them

    def _ready(self) -> Place:
        """Where tasks run, once there is one that has to."""
        with self.making:
            if self.place is None:
                place = self._place()
                with self.cond:
                    self.entered = self.state == "active"
                if not self.entered:
                    self._left()
                    return place
                try:
                    most = place.check(self.asked.resources)
                except BaseException:
                    with self.cond:
                        entered, self.entered = self.entered, False
                    if entered:
                        self._left()
                    raise
                window = self.asked.window or max(4 * place.slots, 64)
                if most is not None:
                    window = min(window, max(most, 1))
                place.listen(self.job, self._hear)
                self.place = place
                self.slots.release(window)
            return self.place

    def _submit(self, group: list[Record]) -> None:
        """Begin a task as soon as there is a place for it among those that are running."""
        self._ready()
        self.slots.acquire()
        self._start(group)

    def _start(self, group: list[Record]) -> None:
        """Begin the first attempt, in a slot that the caller has."""
        with self.cond:
            self.counts["submitted"] += len(group)
        self._begin_task(group)

    def _go_on(self, group: list[Record]) -> None:
        """Begin another attempt, in a slot that the caller has; the items fail where it cannot begin."""
        try:
            self._begin_task(group)
        except Exception as error:  # noqa: BLE001 - whoever asks for results gets it
            self._given_up(group, error)

    def _given_up(self, group: list[Record], error: Exception) -> None:
        with self.cond:
            for record in group:
                self._failed(record, _told_of(error, record, self.asked.label))
            self.cond.notify_all()
        self.slots.release()

    def _begin_task(self, group: list[Record], *, speculative: bool = False) -> None:
        """Begin an attempt, in a slot that the caller has. An item that cannot travel has failed."""
        assert self.place is not None
        asked, items = self.asked, []
        for record in group:
            try:
                items.append(Item(record.number, record.name, self._given(record)))
            except NotPicklable as error:
                with self.cond:
                    self._failed(record, _told_of(error, record, asked.label))
                    self.cond.notify_all()
        group = [record for record in group if record.state != "failed"]
        if not group:
            self.slots.release()
            return
        avoid = str(group[0].running.get("worker", "")) if speculative else ""
        with self.cond:
            if self.state != "active":
                self.slots.release()  # for whoever else waits for one, to find the same
                return
            number = next(self.numbers)
            self.flight[number] = group, speculative
            for record in group:
                record.state = "running"
                record.attempts += not speculative
                record.running = record.running if speculative else {}
        work = Work(
            self.job, self.storage, asked.code, asked.label, tuple(items), max(group[0].attempts, 1) + speculative,
            asked.timeout, asked.isolated, asked.reuse == "never" or any(record.again for record in group),
        )  # fmt: skip
        live = None if asked.isolated or not self.place.shared_memory else asked.function
        try:
            handle = self.place.submit(
                work, live, lambda work, outcome: self._answered(number, outcome), asked.resources, avoid
            )
        except Exception as error:  # noqa: BLE001 - the cluster is gone, or going
            self._answered(number, DataLost.because(str(error)))
            return
        with self.cond:
            for record in group:
                if number in self.flight:
                    record.handles[number] = handle

    def _given(self, record: Record) -> bytes | str:
        """An item as it travels: its pickle, or the file that has it."""
        try:
            pickled = code_pickled(record.value)
        except Exception as error:
            raise NotPicklable.because(f"item {record.number} of {self.asked.label!r}", error) from error
        if len(pickled) <= LARGE:
            return pickled
        name = pickles.digest(pickled)
        if record.attempts or not self.storage.exists("in", name):  # it may be why the first has failed
            self.storage.put_whole("in", name, pickled, {})
        return name

    def _answered(self, number: int, outcome: Outcome) -> None:
        """A task is over."""
        again: list[Record] = []
        with self.cond:
            if number not in self.flight:
                return
            group, speculative = self.flight.pop(number)
            if isinstance(outcome, BaseException):
                done = [
                    Done(record.number, {}, error=_told_of(outcome, record, self.asked.label))
                    for record in group
                ]
            else:
                done = outcome
            lost = isinstance(outcome, (DataLost, SchedulerLost))
            if isinstance(outcome, BaseException) and not lost and len(group) > 1:
                # One of them has ended the worker: each for itself then. What was done before that is there.
                done, again = [], [record for record in group if record.state == "running"]
                for record in again:
                    record.handles.pop(number, None)
            by_number = {record.number: record for record in group}
            for each in done:
                record = by_number[each.number]
                record.handles.pop(number, None)
                if self._settled(record, each, lost=lost, speculative=speculative):
                    again.append(record)
            self.cond.notify_all()
        if not again:
            self.slots.release()
        elif lost:
            with self.cond:
                self.lost.append(again)
                first = len(self.lost) == 1
            if first:
                self._beside(self._restore)
        else:
            self._go_on(again[:1])
            if again[1:]:  # each is a task of its own now
                self._beside(self._each, again[1:])

    def _each(self, records: list[Record]) -> None:
        for record in records:
            self.slots.acquire()
            self._go_on([record])

    def _restore(self) -> None:
        """Begin anew what was lost with the cluster, when that is there again."""
        assert self.place is not None
        try:
            self.place.back()
            self.place.listen(self.job, self._hear)
            error = None
        except Exception as caught:  # noqa: BLE001 - whoever asks for results gets it
            error = caught
        with self.cond:
            groups, self.lost = self.lost, []
        for group in groups:
            if error is not None:
                self._given_up(group, error)
            else:
                self._go_on(group)

    def _settled(self, record: Record, done: Done, *, lost: bool, speculative: bool) -> bool:
        """Take what became of an item; whether it is to run again."""
        if record.state != "running":
            return False  # another attempt was first
        if done.error is None:
            for other, handle in record.handles.items():
                if other in self.flight and len(self.flight[other][0]) == 1:
                    del self.flight[other]
                    self.slots.release()
                    if self.place is not None:
                        self.place.cancel(handle)
            record.handles.clear()
            if record.file in self.broken:
                with contextlib.suppress(Exception):  # a store that lets nobody delete keeps it
                    self.storage.remove("err", record.file)
            if not done.reused:
                self.seconds.append(float(done.facts.get("seconds", 0.0)))
            self._ended(record, "done", done.facts)
            return False
        if lost:
            record.losses += 1
            record.attempts -= not speculative
        if any(other in self.flight for other in record.handles):
            return False  # the other attempt may do it
        if lost and record.losses <= LOSSES:
            return True
        if not done.error["final"] and not lost and record.attempts <= self.asked.retries:
            self.page.row(record.number, "running", done.facts | {"error": done.error["said"]})
            return True
        self._failed(record, done.error, done.facts)
        return False

    def _ended(self, record: Record, state: str, facts: Mapping[str, Any]) -> None:
        record.state = state
        record.size = self.sizes.get(record.file) if state == "reused" else facts.get("bytes")
        self.counts[state] += 1
        self._over(record)
        self.page.row(record.number, state, facts)
        self.cond.notify_all()

    def _over(self, record: Record) -> None:
        if self.finishing:
            self.records.pop(record.number, None)
        elif not self.asked.ordered:
            self.order.append(record.number)

    def unordered(self) -> None:
        """Hand out from now on what has ended, in whatever order."""
        with self.cond:
            if self.asked.ordered:
                self.asked.ordered = False
                self.order.extend(n for n, record in sorted(self.records.items()) if record.state in ENDED)

    def _failed(self, record: Record, told: dict[str, Any], facts: Mapping[str, Any] | None = None) -> None:
        record.state, record.error = "failed", told
        self.counts["failed"] += 1
        self._over(record)
        error = error_of(told, f"task {record.number} of {self.asked.label!r}")
        self.failures.append(Failure(record.number, error, record.attempts, told["frames"]))
        self.page.row(record.number, "failed", {**(facts or {}), "error": told["frames"]})
        with contextlib.suppress(Exception):  # the error counts, wherever it is kept
            body = pickle.dumps({"error": told.get("error"), "item": self._given(record)})
            said = {**(facts or {}), "said": told["said"], "frames": told["frames"], "number": record.number}
            self.storage.put_whole("err", f"{record.name}.{self.asked.code}", body, {**said, "job": self.job})
        if self.asked.on_error == "raise" and self.stop_error is None:
            self.stop_error = record

    # Looking after them

    def _hear(self, rows: Rows) -> None:
        """What a process says that it is running."""
        with self.cond:
            for row in rows:
                record = self.records.get(row["number"])
                if record is not None and record.state == "running":
                    record.running = row
                    self.page.row(record.number, "running", row)

    def _watch(self) -> None:
        while self.state == "active":
            time.sleep(LOOK)
            try:
                self._speculate()
                self._hurry()
                if self.page.due() and self.state == "active":
                    self._write("active")
            except Exception as error:  # noqa: BLE001 - the storage may be away for a while
                self.page.facts["unwritten"] = str(error)

    def _speculate(self) -> None:
        """Begin a second attempt of what takes long, where little is left."""
        rule = self.asked.speculation
        if rule is None or not self.exhausted or len(self.seconds) < SAMPLES or self.place is None:
            return
        with self.cond:
            left = [r for r in self.records.values() if r.state == "running"]
            if not left or len(left) > self.taken * rule.percent / 100:
                return
            ordered = sorted(self.seconds)
            typical = ordered[min(math.ceil(len(ordered) * rule.percentile / 100), len(ordered)) - 1]
            late = [
                r
                for r in left
                if float(r.running.get("seconds", 0.0)) > rule.factor * typical
                and len(r.handles) < rule.max_attempts
            ]
        for record in late:
            if not self.slots.acquire(blocking=False):
                return
            with self.cond:
                if record.state != "running":
                    self.slots.release()
                    continue
                self.counts["speculated"] += 1
            try:
                self._begin_task([record], speculative=True)
            except BaseException:
                self.slots.release()
                raise

    # Handing them out

    def next(self, *, ordered: bool, position: int) -> tuple[int, Any]:
        """The number and result of the next item; StopIteration at the end. Blocks until there is one."""
        self.begin()
        try:
            return self._next(ordered=ordered, position=position)
        except StopIteration:
            self.end("failed" if self.counts["failed"] else "done")
            raise
        except BaseException as error:
            interrupted = isinstance(error, (KeyboardInterrupt, GeneratorExit))
            self.end("interrupted" if interrupted else "failed")
            raise

    def _next(self, *, ordered: bool, position: int) -> tuple[int, Any]:
        while True:
            with self.cond:
                record = self._wait(ordered=ordered, position=position)
            if record.state == "failed":
                error = error_of(record.error or {}, f"task {record.number} of {self.asked.label!r}")
                if self.asked.on_error == "return":
                    return self._handed(record, error)
                if self.asked.on_error == "finish":
                    self._finish()
                raise error
            found = self._read(record, ordered=ordered)
            if isinstance(found, stored.Whole):
                return self._handed(record, pickle.loads(found.body), found.facts)
            self._damaged(record, found.reason)

    def _read(self, record: Record, *, ordered: bool) -> stored.Whole | stored.Broken:
        """The file of a result; where that is far, those of the next ones are read with it."""
        if (found := self.ahead.pop(record.file, None)) is not None:
            return found
        files = [record.file, *(self._next_files(record, ordered=ordered) if self.storage.is_far else ())]
        large = len(files) == 1 and (record.size or 0) > ROOM
        found, *rest = self.storage.wholes("out", files, large=large)
        self.ahead = dict(zip(files[1:], rest, strict=True))
        return found

    def _next_files(self, record: Record, *, ordered: bool) -> list[str]:
        """Those of results that are handed out after this one, as far as they are there and small."""
        files: list[str] = []
        room = ROOM
        with self.cond:
            numbers = (
                range(record.number + 1, record.number + AT_ONCE)
                if ordered
                else list(itertools.islice(self.order, AT_ONCE - 1))
            )
            for number in numbers:
                each = self.records.get(number)
                if each is None or each.state not in ("done", "reused"):
                    break
                room -= each.size if each.size is not None else ROOM + 1
                if room < 0:
                    break
                files.append(each.file)
        return files

    def _finish(self) -> None:
        """Run what is left; nobody asks for results any more, so that items are taken to the end and forgotten."""
        with self.cond:
            self.finishing = True
            for record in [record for record in self.records.values() if record.state in ENDED]:
                del self.records[record.number]
            self.cond.notify_all()
            self.cond.wait_for(
                lambda: (
                    self.state != "active"
                    or (self.exhausted and not any(r.state == "running" for r in self.records.values()))
                )
            )

    def _wait(self, *, ordered: bool, position: int) -> Record:
        """The record of the next item that has ended."""
        while True:
            if self.state != "active":
                if self.cancelled:
                    raise Cancelled("this map was cancelled. Hint: map() again goes on where it was.")
                raise StopIteration
            if self.stop_error is not None:
                return self.stop_error
            if ordered:
                record = self.records.get(position)
                if record is not None and record.state in ENDED:
                    return record
                ends = record is None or (record.state == "waiting" and self.feed_error is not None)
            elif self.order:
                return self.records[self.order.popleft()]
            else:
                ends = not any(record.state == "running" for record in self.records.values())
            if self.exhausted and ends:
                if self.feed_error is not None:
                    raise self.feed_error
                raise StopIteration
            self.waiting += 1
            try:
                self.cond.wait()
            finally:
                self.waiting -= 1

    def _handed(self, record: Record, value: Any, facts: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        with self.cond:
            del self.records[record.number]
            if facts is not None and record.state == "reused":
                self.page.row(record.number, "reused", facts)
            self.cond.notify_all()
        return record.number, value

    def _damaged(self, record: Record, reason: str) -> None:
        """Run an item again whose file is not as it was written."""
        if record.again:
            raise BadStorage.at(
                self.storage.url,
                f"out/{record.file} was written, and for this process {reason}",
                "a folder or bucket that this process and all workers share",
            )
        with self.cond:
            self.counts[record.state] -= 1
            self.why[record.number] = f"its result was damaged: {reason}"
            record.again, record.state = True, "waiting"
        self.storage.remove("out", record.file)
        record.file = f"{record.name}.{self.asked.code}"
        self._submit([record])


def _because(changed: list[str]) -> str:
    """The parts of a function that have changed, a few of them, in words. That another one is called at all follows from them."""
    named = [name for name in changed if name != "value"] or changed
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    return f"changed: {', '.join(named[:NAMED])}{more}"


_going_on: set[Master] = set()


def _end_all() -> None:
    """Say of maps that they end with the program, unless a thread goes on that may want more of them."""
    main = threading.main_thread()
    if not any(
        thread.is_alive() and not thread.daemon and thread is not main for thread in threading.enumerate()
    ):
        for master in list(_going_on):
            master.end("interrupted")


# What `atexit` calls, as finalizers, comes after the executors of concurrent.futures were closed, without which asyncio, and so
# s3fs, makes no connection. This comes before that; Python has no public way.
threading._register_atexit(_end_all)  # type: ignore[attr-defined]


def code_pickled(value: Any) -> bytes:
    """An item as it travels, with the user's modules that it refers to."""
    if type(value) in code.PLAIN:
        return pickle.dumps(value, pickles.PROTOCOL)
    return pickles.taking_along(value, code.Walk(value).modules.values())


def _told_of(error: BaseException, record: Record, label: str) -> dict[str, Any]:
    """An error of the cluster's as that of an item."""
    return child.failure(error, f"task {record.number} of {label!r}", final=True)


def _plain(text: str) -> str:
    """A name that a file can have."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in text).strip("-")[:40] or "map"
