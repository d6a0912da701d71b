"""The durable map on threads of this process: results, reuse and its reasons, errors, states, and bad input."""

import functools
import itertools
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

from marsdask import stored
from marsdask.errors import (
    BadStorage,
    Cancelled,
    Exited,
    MarsDaskError,
    MissingExtra,
    NotPicklable,
    StillActive,
    TaskFailed,
)
from marsdask.remote.durable import Client, master, status
from marsdask.remote.durable.storage import Storage
from marsdask.session import new_session
from tests.processes import PATIENCE, Gate, through, until


class Calls(list[Any]):
    """What was called. It is no part of what functions are."""

    def __dask_tokenize__(self) -> str:
        return "calls"


calls = Calls()
gates: dict[str, threading.Event] = {}


def gate(name: str) -> threading.Event:
    """An event that travels by its name."""
    return gates.setdefault(name, threading.Event())


def wait(name: str) -> bool:
    from tests import test_durable

    return test_durable.gate(name).wait(PATIENCE)


def square(x: Any) -> Any:
    calls.append(x)
    return x * x


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    calls.clear()
    gates.clear()
    before = set(threading.enumerate())
    yield

    def left() -> list[threading.Thread]:
        new = set(threading.enumerate()) - before
        return [t for t in new if t.name.startswith("marsdask") and t.name != "marsdask-durable"]

    until(lambda: not left(), "no thread of a map is left")


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path, cluster="threads", name="here", max_simultaneous_tasks=4)


def test_in_order_and_nothing_before_it_is_asked_for(client: Client, tmp_path: Path) -> None:
    found = client.map(square, range(50))
    assert found.status() == {
        "total": 50,
        "submitted": 0,
        "reused": 0,
        "running": 0,
        "done": 0,
        "failed": 0,
        "speculated": 0,
    }
    time.sleep(0.1)
    assert not calls
    assert not list(tmp_path.iterdir())
    assert list(found) == [x * x for x in range(50)]
    assert sorted(calls) == list(range(50))
    assert found.status()["done"] == 50
    assert next(found, None) is None


def test_eager(client: Client) -> None:
    with client.map(square, range(5), eager=True) as found:
        until(lambda: len(calls) == 5, "all have run")
        assert list(found) == [0, 1, 4, 9, 16]


def held_first(folder: str, x: int) -> int:
    return int(through(x, folder)) if x == 0 else x


def slow_first(x: int) -> int:
    time.sleep(0.5 if x == 0 else 0.0)
    return x


@pytest.mark.parametrize("ordered", [True, False])
def test_order(client: Client, tmp_path: Path, *, ordered: bool) -> None:
    with Gate(tmp_path / "gate") as gate:
        found = client.map(functools.partial(held_first, str(gate.folder)), range(6), ordered=ordered)
        if ordered:
            opening = threading.Timer(0.5, gate.open)
            opening.start()
            assert list(found) == list(range(6))
            opening.join()
        else:
            assert sorted(itertools.islice(found, 5)) == [1, 2, 3, 4, 5]
            gate.open()
            assert list(found) == [0]
    again = dict(client.map(slow_first, range(8)).as_completed())
    assert again == {x: x for x in range(8)}


def test_as_completed_after_the_first(client: Client) -> None:
    found = client.map(slow_first, range(6))
    first = next(found)
    rest = list(found.as_completed())
    assert first == 0
    assert sorted(rest) == [(x, x) for x in range(1, 6)]


def test_full_and_partial_reuse(client: Client) -> None:
    assert list(client.map(square, range(4))) == [0, 1, 4, 9]
    calls.clear()
    found = client.map(square, [3, 7, 0, 1, 2])
    assert list(found) == [9, 49, 0, 1, 4]
    assert calls == [7]
    assert found.status() | {"running": 0} == {
        "total": 5, "submitted": 1, "reused": 4, "running": 0, "done": 1, "failed": 0, "speculated": 0,
    }  # fmt: skip
    assert found.reasons() == {1: "no result of this item"}
    assert list(client.map(square, range(4), items_per_task=3)) == [0, 1, 4, 9]
    assert calls == [7]


def test_equal_items_run_once_each(client: Client) -> None:
    assert list(client.map(square, [2, 2, 2])) == [4, 4, 4]
    assert calls == [2, 2, 2]
    list(client.map(square, [2, 5, 2, 2, 2]))
    assert sorted(calls) == [2, 2, 2, 2, 5]
    calls.clear()
    got = list(client.map(square, [1, True, 1.0, "a" and 1]))
    assert [type(x) for x in got] == [int, int, float, int]
    assert len(calls) == 4


FACTOR = 3


def helped(x: int) -> int:
    calls.append(x)
    return _helper(x)


def _helper(x: int) -> int:
    return x * FACTOR


def test_reasons_name_the_part(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(client.map(helped, [1])) == [3]
    monkeypatch.setitem(globals(), "FACTOR", 4)
    found = client.map(helped, [1])
    assert list(found) == [4]
    assert found.reasons() == {0: "changed: global FACTOR"}
    monkeypatch.setitem(globals(), "_helper", lambda x: -x)
    found = client.map(helped, [1, 2])
    assert list(found) == [-1, -2]
    reasons = found.reasons()
    assert "<lambda>" in reasons[0]
    assert reasons[1] == "no result of this item"
    assert list(client.map(helped, [1], version=2)) == [-1]
    found = client.map(helped, [1], version=3)
    assert list(found) == [-1]
    assert "version=" in found.reasons()[0]
    assert len(calls) == 6


def test_reuse(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    list(client.map(helped, [1]))
    monkeypatch.setitem(globals(), "FACTOR", 4)
    assert list(client.map(helped, [1], reuse="code-changed-ok")) == [3]
    assert list(client.map(helped, [1], reuse="code-changed-ok", version=1)) == [4]
    assert len(calls) == 2
    found = client.map(helped, [1], version=1, reuse="never")
    assert list(found) == [4]
    assert found.reasons() == {0: "reuse='never'"}
    assert len(calls) == 3


def test_key(client: Client) -> None:
    items = [{"id": 1, "when": time.time()}, {"id": 2, "when": object}]
    assert list(client.map(lambda item: item["id"], items, key=lambda item: item["id"])) == [1, 2]
    again = client.map(lambda item: item["id"], [{"id": 1}, {"id": 3}], key=lambda item: item["id"])
    assert list(again) == [1, 3]
    assert again.status()["reused"] == 1


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "another"])
def test_a_damaged_file_is_run_again(client: Client, tmp_path: Path, damage: str) -> None:
    list(client.map(square, range(3)))
    files = sorted((tmp_path / "here" / "out").iterdir())
    body = files[0].read_bytes()
    new = {
        "truncated": body[:-9],
        "flipped": bytes([body[0] ^ 1]) + body[1:],
        "empty": b"",
        "another": files[1].read_bytes(),
    }
    files[0].write_bytes(new[damage])
    calls.clear()
    found = client.map(square, range(3))
    assert list(found) == [0, 1, 4]
    assert len(calls) == 1
    assert "its result was damaged" in next(iter(found.reasons().values()))
    assert list(client.map(square, range(3))) == [0, 1, 4]
    assert len(calls) == 1


def test_a_damaged_function_or_input_is_written_again(tmp_path: Path) -> None:
    client = Client(tmp_path, cluster="threads", isolate="process")
    item = b"x" * 100_000
    assert list(client.map(len, [item])) == [100_000]
    for folder in ("fn", "in"):
        (file,) = (tmp_path / "default" / folder).iterdir()
        file.write_bytes(b"")
        assert list(client.map(len, [item], reuse="never")) == [100_000]
        assert file.stat().st_size


def test_a_storage_that_is_away_for_a_moment(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a task reads there first is tried again as the task is, and other items of the task are not lost with it."""
    read, away = Storage.read, [1, 1]

    def flaky(self: Storage, folder: str, name: str, **options: Any) -> bytes:
        if threading.current_thread().name == "marsdask-map" and away:
            away.pop()
            raise OSError("the network is away")
        return read(self, folder, name, **options)

    monkeypatch.setattr(Storage, "read", flaky)
    assert list(client.map(square, range(9), items_per_task=3)) == [x * x for x in range(9)]
    assert sorted(calls) == list(range(9))
    away.extend([1] * 3)
    with pytest.raises(OSError, match="the network is away"):
        list(client.map(square, [10]))


class Special(ValueError):
    pass


def breaks(x: int) -> int:
    calls.append(x)
    if x == 3:
        raise Special("three")
    return x


def test_the_error_comes_as_it_is(client: Client) -> None:
    found = client.map(breaks, range(10), retries=1)
    with pytest.raises(Special, match="three") as caught:
        list(found)
    assert any("raised in task 3 of 'breaks'" in note for note in caught.value.__notes__)
    assert any("calls.append" in note or "in breaks" in note for note in caught.value.__notes__)
    assert calls.count(3) == 2
    assert list(found) == []
    (failure,) = found.failed
    assert (failure.number, failure.attempts, type(failure.error)) == (3, 2, Special)
    assert client.jobs(all=True)[-1]["state"] == "failed"


def test_finish_hands_out_what_comes_before(client: Client) -> None:
    found = client.map(breaks, range(6), on_error="finish", retries=0)
    got = []
    with pytest.raises(Special):
        got.extend(found)
    assert list(found) == []
    assert sorted(calls) == list(range(6))


def test_finish_in_order(client: Client) -> None:
    found = client.map(breaks, range(6), on_error="finish", retries=0)
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(Special):
        next(found)
    with pytest.raises(StopIteration):
        next(found)


def test_return(client: Client) -> None:
    got = list(client.map(breaks, range(6), on_error="return", retries=0))
    assert got[:3] + got[4:] == [0, 1, 2, 4, 5]
    assert isinstance(got[3], Special)
    calls.clear()
    list(client.map(breaks, range(6), on_error="return", retries=0))
    assert calls == [3]  # a failure is not reused


def test_a_failure_runs_again_once_it_is_mended(client: Client) -> None:
    broken = True

    def work(x: int) -> int:
        if broken:
            raise ValueError(x)
        return x

    with pytest.raises(ValueError, match="0"):
        list(client.map(work, [0], retries=0))
    broken = False
    assert list(client.map(work, [0])) == [0]


def sometimes(x: int) -> int:
    calls.append(x)
    if calls.count(x) < 3:
        raise OSError("try again")
    return x


def test_retries(client: Client) -> None:
    assert list(client.map(sometimes, range(4))) == list(range(4))
    assert len(calls) == 12
    assert list(client.map(sometimes, range(4, 12), items_per_task=4)) == list(range(4, 12))


def exits(x: int) -> None:
    raise SystemExit(x)


def interrupts(x: int) -> None:
    raise KeyboardInterrupt


def stops(x: int) -> None:
    raise StopIteration(x)


def a_lock(x: int) -> Any:
    return threading.Lock()


class Holding(Exception):
    def __init__(self) -> None:
        super().__init__("holding")
        self.lock = threading.Lock()


def raises_a_lock(x: int) -> None:
    raise Holding


class Two(Exception):
    def __init__(self, one: int, two: int):
        super().__init__("of two")


def raises_two(x: int) -> None:
    raise Two(1, 2)


@pytest.mark.parametrize(
    ("func", "kind", "says"),
    [
        (exits, Exited, r"called sys.exit\(7\)"),
        (interrupts, Exited, "raised KeyboardInterrupt"),
        (stops, TaskFailed, "StopIteration"),
        (a_lock, NotPicklable, "the result of task 0 of 'a_lock'"),
        (raises_a_lock, TaskFailed, "holding"),
        (raises_two, TaskFailed, "of two"),
    ],
)
def test_every_end_is_an_error(client: Client, func: Any, kind: Any, says: str) -> None:
    with pytest.raises(kind, match=says):
        list(client.map(func, [7], retries=1))


def test_what_cannot_travel(client: Client) -> None:
    lock = threading.Lock()
    with pytest.raises(NotPicklable, match="function 'lambda'"):
        client.map(lambda x: lock, [1])
    with pytest.raises(NotPicklable, match="item 2 of 'square'"):
        list(client.map(square, [1, 2, (x for x in "a")]))
    with pytest.raises(NotPicklable, match="item 2 of 'square'"):
        list(client.map(square, [1, 2, lock], key=str))
    got = list(client.map(square, [1, 2, lock, 3], key=str, on_error="return"))
    assert got[:2] + got[3:] == [1, 4, 9]
    assert isinstance(got[2], NotPicklable)


def test_an_iterable_that_breaks(client: Client) -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise LookupError("no more")

    found = client.map(square, items())
    assert [next(found), next(found), next(found)] == [0, 1, 4]
    with pytest.raises(LookupError, match="no more"):
        next(found)
    assert list(found) == []


def test_a_generator_without_end(client: Client) -> None:
    with client.map(square, itertools.count()) as found:
        assert list(itertools.islice(found, 100)) == [x * x for x in range(100)]
        assert found.status()["total"] is None
    assert list(found) == []
    assert client.jobs(all=True)[-1]["state"] == "interrupted"


def test_a_generator_that_waits(client: Client) -> None:
    """What was taken runs and is handed out while the next item is not there."""
    go = threading.Event()

    def items() -> Iterator[int]:
        yield from range(100)
        assert go.wait(PATIENCE)
        yield 100

    found = client.map(square, items())
    assert list(itertools.islice(found, 100)) == [x * x for x in range(100)]
    go.set()
    assert next(found) == 10_000
    assert next(found, None) is None


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """What `work` gives; a failure where that takes longer, and not the end of pytest's patience."""
    came: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            came.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), f"not over after {seconds:g} s"
    if errors:
        raise errors[0]
    return came[0]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """So many items are taken ahead, which are thousands otherwise."""
    monkeypatch.setattr(master, "AHEAD", 20)
    return 20


def test_one_item_before_many_that_are_reused(client: Client, few: int) -> None:
    """The first waits for nine more, which are not taken before it is handed out."""
    list(client.map(square, range(1, 3 * few)))
    found = client.map(square, range(3 * few), items_per_task=10)
    assert within(PATIENCE / 4, lambda: list(found)) == [x * x for x in range(3 * few)]
    found = client.map(square, itertools.chain([-1], range(3 * few)), items_per_task=2 * few, ordered=False)
    assert len(within(PATIENCE / 4, lambda: list(found))) == 3 * few + 1


def test_tasks_of_more_items_than_are_taken_ahead(client: Client, few: int) -> None:
    found = client.map(square, range(5 * few), items_per_task=few + 1)
    assert within(PATIENCE / 4, lambda: list(found)) == [x * x for x in range(5 * few)]
    assert sorted(calls) == list(range(5 * few))


def fails_first(x: int) -> int:
    calls.append(x)
    if x == 0:
        raise Special("the first")
    return x


def test_finish_takes_all_items(client: Client, few: int) -> None:
    """Nobody takes results then, and there is no end of them before all items are taken."""
    found = client.map(fails_first, range(5 * few), on_error="finish", retries=1)
    with pytest.raises(Special):
        within(PATIENCE / 4, lambda: list(found))
    assert sorted(calls) == [0, *range(5 * few)]
    assert found.status()["done"] == 5 * few - 1
    found = client.map(fails_first, itertools.chain(range(few), [lambda: gates]), on_error="finish")
    with pytest.raises(Special):
        within(PATIENCE / 4, lambda: list(found))


def test_a_key_that_stops(client: Client) -> None:
    def key(x: int) -> int:
        return x if x < 3 else next(iter(()))

    found = client.map(square, range(6), key=key)
    with pytest.raises(RuntimeError, match="item 3 of 'square': key= raised StopIteration"):
        list(found)
    assert client.jobs(all=True)[-1]["state"] == "failed"


class Once:
    """An item that is pickled no second time."""

    def __init__(self) -> None:
        self.times = 0

    def __dask_tokenize__(self) -> str:
        return "once"

    def __reduce__(self) -> Any:
        self.times += 1
        if self.times > 1:
            raise OSError("no more")
        return int, (5,)


def always(x: int) -> None:
    raise Special(x)


def test_an_item_that_cannot_travel_again(client: Client) -> None:
    """Threads of the place go on; they had ended, and what waited for them never ran."""
    items = [Once() for _ in range(6)]
    got = within(PATIENCE / 4, lambda: list(client.map(always, items, retries=2, on_error="return")))
    assert [type(error) for error in got] == [NotPicklable] * 6
    assert within(PATIENCE / 4, lambda: list(client.map(square, range(9)))) == [x * x for x in range(9)]


def test_nobody_waits_for_a_place_after_the_end(client: Client) -> None:
    before = set(threading.enumerate())
    found = client.map(always, range(200), items_per_task=50, retries=10**6, on_error="return", eager=True)
    until(lambda: found.status()["running"] or 0, "some run")
    time.sleep(0.3)
    found.close()
    until(lambda: all(t in before or t.name == "marsdask-durable" for t in threading.enumerate()), "all end")


def test_num_items(client: Client) -> None:
    found = client.map(square, iter(range(3)), num_items=7)
    assert found.status()["total"] == 7
    assert len(list(found)) == 3
    assert found.status()["total"] == 3
    assert list(client.map(square, [])) == []


def test_cancel_and_close(client: Client) -> None:
    found = client.map(lambda x: wait("cancel"), range(10), eager=True)
    until(lambda: found.status()["running"], "some run")
    found.cancel()
    with pytest.raises(Cancelled):
        next(found)
    gate("cancel").set()
    other = client.map(square, range(10))
    assert next(other) == 0
    other.close()
    assert list(other) == []
    assert [job["state"] for job in client.jobs(all=True)] == ["interrupted", "interrupted"]


def test_jobs_and_pages(client: Client, tmp_path: Path) -> None:
    assert client.jobs() == []
    found = client.map(square, range(20), name="of <squares>")
    next(found)
    (job,) = client.jobs()
    assert (job["state"], job["job"], job["function"]) == ("active", found.job, "of <squares>")
    assert job["counts"]["total"] == 20
    list(found)
    assert client.jobs() == []
    (job,) = client.jobs(all=True)
    assert job["state"] == "done"
    folder = tmp_path / "here" / "status"
    page = (folder / f"{found.job}.html").read_text()
    assert "of &lt;squares&gt;" in page
    assert page.count("<tr") == 2 + 1 + 20
    said = json.loads((folder / f"{found.job}.json").read_text())
    assert {"host", "seconds", "memory", "attempt"} <= set(said["tasks"][0])
    dropped = client.map(square, range(30, 40))
    next(dropped)
    del dropped
    assert client.jobs() == []


def test_the_last_word_is_how_it_ended(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is being written when the map ends does not say afterwards that it is active."""
    write, writes = stored.put, threading.Event()

    def slowly(fs: Any, path: str, content: bytes, **options: Any) -> None:
        if "/status/" in path and b'"active"' in content and writes.is_set() and not gate("writing").is_set():
            gate("writing").set()
            time.sleep(0.5)
        write(fs, path, content, **options)

    monkeypatch.setattr(stored, "put", slowly)
    found = client.map(lambda x: wait("writing") and x, range(3))
    found._master.begin()
    writes.set()
    assert list(found) == [0, 1, 2]
    time.sleep(0.7)
    assert client.jobs(all=True)[-1]["state"] == "done"
    client.cleanup()


def test_what_a_task_printed(client: Client, tmp_path: Path) -> None:
    def talks(x: int) -> int:
        print("step", x)
        wait("talks")
        return x

    found = client.map(talks, range(2), eager=True)
    page = tmp_path / "here" / "status" / f"{found.job}.json"

    def told() -> bool:
        rows = json.loads(page.read_text())["tasks"] if page.exists() else []
        return {(row["state"], row["output"]) for row in rows} == {
            ("running", "step 0\n"),
            ("running", "step 1\n"),
        }

    until(told, "the page has what they printed")
    gate("talks").set()
    assert list(found) == [0, 1]


def test_a_dead_master_is_lost() -> None:
    here = status.me()
    said = {"state": "active", "updated": time.time(), "master": here}
    assert status.state_of(said) == "active"
    assert status.state_of(said | {"master": here | {"pid": 2**22 + 1}}) == "lost"
    assert status.state_of(said | {"master": here | {"pid": 1}}) == "lost"
    elsewhere = said | {"master": here | {"host": "elsewhere"}}
    assert status.state_of(elsewhere) == "active"
    assert status.state_of(elsewhere | {"updated": time.time() - 2 * status.LOST_AFTER}) == "lost"
    assert status.state_of({"state": "strange"}) == "lost"


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # Python 3.12 says so of each
def test_a_process_that_was_forked_is_another_one() -> None:
    assert status.me()["pid"] == os.getpid()
    reads, writes = os.pipe()
    if not (pid := os.fork()):
        os.write(writes, str(status.me()["pid"]).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(writes)
    with os.fdopen(reads) as said:
        assert said.read() == str(pid)


def test_cleanup_of_one_name(tmp_path: Path) -> None:
    one, ten = (Client(tmp_path, cluster="threads", name=name) for name in ("run1", "run10"))
    for client in (one, ten):
        list(client.map(square, range(3)))
    (tmp_path / "run1.txt").write_text("mine")
    running = one.map(square, range(10, 15))
    next(running)
    with pytest.raises(StillActive, match="is active"):
        one.cleanup()
    running.close()
    one.cleanup()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run1.txt", "run10"]
    calls.clear()
    list(ten.map(square, range(3)))
    assert not {*calls} & {*range(3)}  # a thread may still be at an item of the map that was closed
    one.cleanup()


def test_unready_files_are_swept(client: Client, tmp_path: Path) -> None:
    list(client.map(square, range(3)))
    left = tmp_path / "here" / "out" / f"x.{'0' * 32}.part"
    left.write_text("")
    list(client.map(square, range(3)))
    assert not left.exists()


def test_maps_that_begin_at_once(tmp_path: Path) -> None:
    """What one of them is writing is not swept by another that does not know of it yet."""
    for number in range(5):
        client = Client(tmp_path / str(number), cluster="threads")
        found = [client.map(square, range(20)) for _ in range(4)]
        got: list[Any] = []
        threads = [
            threading.Thread(target=lambda each=each, got=got: got.append(list(each))) for each in found
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert got == [[x * x for x in range(20)]] * 4


def test_large_inputs_go_by_file(client: Client, tmp_path: Path) -> None:
    items = [np.arange(20_000.0), np.arange(3.0), np.arange(20_000.0)]
    assert list(client.map(np.sum, items)) == [x.sum() for x in items]
    assert len(list((tmp_path / "here" / "in").iterdir())) == 1


def test_remote_objects(client: Client) -> None:
    table = client.remote_object(np.arange(100_000))
    assert (table.written, table.loaded) == (False, True)
    work = functools.partial(lambda table, x: int(table.value[x]), table)
    assert len(cloudpickle.dumps(work)) < 10_000
    assert table.written
    again = cloudpickle.loads(cloudpickle.dumps(table))
    assert (again.written, again.loaded) == (True, False)
    np.testing.assert_array_equal(again.data, table.value)
    assert again.loaded
    assert list(client.map(work, [5, 7])) == [5, 7]
    found = client.map(functools.partial(work.func, client.remote_object(np.arange(100_000))), [5, 7])
    assert list(found) == [5, 7]
    assert found.status()["reused"] == 2
    other = client.map(functools.partial(work.func, client.remote_object(np.arange(100_000) + 1)), [5])
    assert list(other) == [6]
    assert other.status()["reused"] == 0
    (back,) = client.map(lambda x: client.remote_object(x), [3])
    assert back.value == 3


def test_a_client_in_a_task(client: Client) -> None:
    def inner(x: int) -> list[int]:
        return list(client.map(square, [x, x + 1]))

    assert list(client.map(inner, [1, 5], on_error="finish")) == [[1, 4], [25, 36]]


def test_a_session_of_threads(tmp_path: Path) -> None:
    with new_session(default=False) as session:
        assert list(Client(tmp_path, cluster=session).map(square, range(3))) == [0, 1, 4]
        client = Client(tmp_path, cluster=session)
    with pytest.raises(MarsDaskError, match="closed"):
        list(client.map(square, range(5)))


def test_memory_on_threads() -> None:
    client = Client("memory://maps", cluster="threads")
    assert list(client.map(square, range(3))) == [0, 1, 4]
    assert client.map(square, range(3)).status()["total"] == 3
    client.cleanup()


@pytest.mark.parametrize("where", ["a", "b[1]", "c d", "e*"])
def test_strange_folders(tmp_path: Path, where: str) -> None:
    client = Client(tmp_path / where, cluster="threads", name="x [y]")
    assert list(client.map(square, range(3))) == [0, 1, 4]
    assert list(client.map(square, range(3))) == [0, 1, 4]
    assert len(calls) == 3


def test_what_this_machine_has(client: Client) -> None:
    with pytest.raises(ValueError, match=r"memory.*this machine has"):
        client.map(square, [1], resources={"memory": "900TiB"})
    with pytest.raises(ValueError, match="'gpu'"):
        client.map(square, [1], resources={"gpu": 1})
    assert list(client.map(square, [1, 2], resources={"cpu": 2, "memory": "1GiB", "gpu": 0})) == [1, 4]


class Counting:
    """Counts how many run at a time."""

    def __init__(self, folder: str):
        self.folder = folder

    def __call__(self, x: int) -> int:
        mine = Path(self.folder, str(x))
        mine.touch()
        count = len(list(Path(self.folder).iterdir()))
        time.sleep(0.02)
        mine.unlink()
        return count


def test_resources_bound_how_many_run(client: Client, tmp_path: Path) -> None:
    (tmp_path / "now").mkdir()
    work = Counting(str(tmp_path / "now"))
    assert max(client.map(work, range(12), resources={"cpu": 2})) <= 2
    assert (
        max(client.map(work, range(12), resources={"cpu": 3}, version=1)) == 1
    )  # four threads have room for one


def test_another_function_is_no_version_of_it(client: Client) -> None:
    assert list(client.map(square, [2])) == [4]

    def cube(x: int) -> int:
        return x**3

    assert list(client.map(cube, [2], reuse="code-changed-ok")) == [8]


def test_the_latest_version_counts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for factor in (3, 4, 5):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        assert list(client.map(helped, [1])) == [factor]
    monkeypatch.setitem(globals(), "FACTOR", 6)
    assert list(client.map(helped, [1], reuse="code-changed-ok")) == [5]


def test_an_item_that_cannot_travel_before_a_pause(client: Client) -> None:
    """It fails while the next item is not there."""

    def items() -> Iterator[Any]:
        yield from range(20)
        for _ in range(20):
            yield threading.Lock()
        wait("pause")

    found = client.map(square, items(), key=repr, on_error="return")
    got = list(itertools.islice(found, 40))
    assert got[:20] == [x * x for x in range(20)]
    assert all(isinstance(each, NotPicklable) for each in got[20:])
    gate("pause").set()
    found.close()


def test_a_storage_that_lets_nobody_delete(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="try again"):
        list(client.map(sometimes, [3], retries=0))

    def refused(*given: object) -> None:
        raise PermissionError("not allowed")

    monkeypatch.setattr(Storage, "remove", refused)
    assert list(client.map(sometimes, [3, 4])) == [3, 4]


def test_a_task_that_maps_where_there_is_one_thread(tmp_path: Path) -> None:
    client = Client(tmp_path, cluster="threads", max_simultaneous_tasks=1)
    assert list(client.map(lambda x: sum(client.map(abs, [x, -x])), [1, 2])) == [2, 4]


def test_statuses_of_others(client: Client, tmp_path: Path) -> None:
    """What is no status of ours in the folder is no map, and names no file elsewhere."""
    list(client.map(square, [1]))
    folder = tmp_path / "here" / "status"
    (folder / "list.json").write_text("[1]")
    (folder / "none.json").write_text('{"state": "active"}')
    away = {
        "state": "active",
        "started": 1.0,
        "job": "../../away",
        "counts": {},
        "tasks": [],
        "function": "f",
        "updated": 1.0,
    }
    (folder / "away.json").write_text(
        json.dumps(away | {"master": {"host": "x", "user": "y", "pid": 1}, "every": 1})
    )
    list(client.map(square, [2]))
    assert json.loads((folder / "away.json").read_text())["state"] == "lost"
    assert "lost</span>" in (folder / "away.html").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"storage": 5}, "storage"),
    ({"storage": ""}, "storage"),
    ({"storage": "a\0b"}, "storage"),
    ({"storage": "nosuch://bucket"}, "storage"),
    ({"storage": "https://example.org/a"}, "storage"),
    ({"cluster": "thread"}, "cluster"),
    ({"cluster": 5}, "address"),
    ({"cluster": "xyz://host:1"}, "scheme"),
    ({"cluster": []}, "address"),
    ({"name": ""}, "name"),
    ({"name": 3}, "name"),
    ({"name": "a/b"}, "name"),
    ({"name": ".."}, "name"),
    ({"max_simultaneous_tasks": 0}, "max_simultaneous_tasks"),
    ({"max_simultaneous_tasks": 1.5}, "max_simultaneous_tasks"),
    ({"max_simultaneous_tasks": True}, "max_simultaneous_tasks"),
    ({"retries": -1}, "retries"),
    ({"retries": "2"}, "retries"),
    ({"speculation": 3}, "speculation"),
    ({"speculation": {"percents": 3}}, "percents"),
    ({"speculation": {"percent": 101}}, "percent"),
    ({"speculation": {"percentile": 0}}, "percentile"),
    ({"speculation": {"factor": 0.5}}, "factor"),
    ({"speculation": {"factor": float("nan")}}, "factor"),
    ({"speculation": {"max_attempts": 0}}, "max_attempts"),
    ({"on_error": "ignore"}, "on_error"),
    ({"on_error": None}, "on_error"),
    ({"reuse": True}, "reuse"),
    ({"isolate": "thread"}, "isolate"),
    ({"isolate": True}, "isolate"),
    ({"storage_options": 3}, "storage_options"),
]


@pytest.mark.parametrize(("given", "named"), BAD, ids=repr)
def test_bad_clients(tmp_path: Path, given: dict[str, Any], named: str) -> None:
    with pytest.raises(MarsDaskError, match=named) as caught:
        Client(**{"storage": tmp_path, "cluster": "threads", **given})
    assert isinstance(caught.value, (ValueError, TypeError, ImportError))
    assert not list(tmp_path.iterdir())


BAD_MAPS: list[tuple[dict[str, Any], str]] = [
    ({"function": 5}, "function"),
    ({"function": None}, "function"),
    ({"iterable": 5}, "iterable"),
    ({"iterable": "abc"}, "iterable"),
    ({"items_per_task": 0}, "items_per_task"),
    ({"items_per_task": 2.0}, "items_per_task"),
    ({"num_items": -1}, "num_items"),
    ({"num_items": "5"}, "num_items"),
    ({"ordered": 1}, "ordered"),
    ({"key": "id"}, "key"),
    ({"resources": ["memory"]}, "resources"),
    ({"resources": {"memory": "many"}}, "memory"),
    ({"resources": {"memory": 0.5}}, "memory"),
    ({"resources": {"cpu": -1}}, "cpu"),
    ({"resources": {"cpu": float("nan")}}, "cpu"),
    ({"resources": {3: 1}}, "resources"),
    ({"resources": {"cpu": 10**6}}, "cpu"),
    ({"timeout": 0}, "timeout"),
    ({"timeout": "3"}, "timeout"),
    ({"timeout": float("inf")}, "timeout"),
    ({"retries": 1.5}, "retries"),
    ({"name": ""}, "name"),
    ({"name": "a\nb"}, "name"),
    ({"on_error": "x"}, "on_error"),
    ({"reuse": "all"}, "reuse"),
    ({"eager": "yes"}, "eager"),
]


@pytest.mark.parametrize(("given", "named"), BAD_MAPS, ids=repr)
def test_bad_maps(client: Client, tmp_path: Path, given: dict[str, Any], named: str) -> None:
    with pytest.raises(MarsDaskError, match=named) as caught:
        client.map(**{"function": square, "iterable": [1], **given})
    assert isinstance(caught.value, (ValueError, TypeError))
    assert not list(tmp_path.iterdir())
    assert not calls


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadStorage, match="file"):
        list(Client(tmp_path / "file", cluster="threads").map(square, [1]))
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "name").write_text("")
    with pytest.raises(BadStorage, match="there is a file 'name'"):
        list(Client(tmp_path / "taken", cluster="threads", name="name").map(square, [1]))
    with pytest.raises(MissingExtra, match="pip install adlfs"):
        Client("abfs://container/folder", cluster="threads")
    assert not calls


def test_the_bar(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    found = client.map(square, range(5))
    found._master.asked.progress = True
    list(found)
    assert "100% completed" in capsys.readouterr().err


def test_names(client: Client) -> None:
    assert "<JobResults square-" in repr(client.map(square, [1]))
    assert "new" in repr(client.map(square, [1]))
    assert "'here'" in repr(client)
