"""The durable map on object stores: S3 and Google's, as servers on this machine that keep everything in memory."""

import contextlib
import multiprocessing
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import dask
import numpy as np
import pytest

from marsdask import stored
from marsdask.errors import BadStorage, StillActive
from marsdask.remote.durable import Client
from marsdask.remote.durable.storage import Storage
from tests.processes import METHOD, PATIENCE, until
from tests.stores import BUCKET, Store, gs, s3

pytestmark = [
    pytest.mark.processes,
    # aiohttp says so of each body above 1 MiB that gcsfs puts; it is right, and gcsfs's to mend.
    pytest.mark.filterwarnings("ignore:Sending a large body directly:ResourceWarning"),
]


@pytest.fixture(scope="module", params=["s3", "gs"])
def server(request: pytest.FixtureRequest) -> Iterator[Store]:
    """One of the servers."""
    with (s3 if request.param == "s3" else gs)() as store:
        yield store


@pytest.fixture
def store(server: Store) -> Iterator[Store]:
    """It, without anything in it."""
    yield server
    with contextlib.suppress(FileNotFoundError):
        server.fresh().rm(server.path(), recursive=True)


def square(x: int) -> int:
    return x * x


def test_results_and_reuse(store: Store) -> None:
    client = store.client()
    assert list(client.map(square, range(100))) == [x * x for x in range(100)]
    found = store.client().map(square, range(100))
    assert list(found) == [x * x for x in range(100)]
    assert found.status()["reused"] == 100
    found = client.map(square, [*range(90, 110), 5])
    assert list(found) == [x * x for x in [*range(90, 110), 5]]
    assert (found.status()["reused"], found.status()["done"]) == (11, 10)
    found = client.map(square, range(120), ordered=False, items_per_task=3)
    assert sorted(found) == [x * x for x in range(120)]
    assert dict(client.map(square, range(5)).as_completed()) == {x: x * x for x in range(5)}


def test_results_of_all_sizes(store: Store) -> None:
    """Small ones are read many at a time, large ones alone; inputs go by files."""
    sizes = [10, 3 * 10**6, 10, 20 * 10**6, 10, 3 * 10**6, *[10**6] * 20]
    client = store.client()
    for _ in range(2):
        found = client.map(lambda size: np.arange(size, dtype="u1"), sizes, key=lambda size: size)
        for array, size in zip(found, sizes, strict=True):
            np.testing.assert_array_equal(array, np.arange(size, dtype="u1"))
    items = [np.arange(20_000.0), np.arange(20_000.0) + 1]
    assert list(client.map(np.sum, items)) == [item.sum() for item in items]
    assert len(client.storage.names("in")) == 2


@pytest.mark.parametrize("damage", ["truncated", "empty", "gone"])
def test_a_damaged_object_is_run_again(store: Store, damage: str) -> None:
    client = store.client()
    list(client.map(square, range(30)))
    file = store.path("default", "out", sorted(client.storage.names("out"))[7])
    fs = store.fresh()
    found = client.map(square, range(30), eager=True)
    until(lambda: found.status()["reused"] == 30, "all are known to be there")
    if damage == "gone":
        fs.rm_file(file)
    else:
        fs.pipe_file(file, fs.cat_file(file)[:-9] if damage == "truncated" else b"")
    assert list(found) == [x * x for x in range(30)]
    assert found.status()["done"] == 1
    assert "its result was damaged" in next(iter(found.reasons().values()))
    assert list(client.map(square, range(30))) == [x * x for x in range(30)]


class Special(ValueError):
    pass


def breaks(x: int) -> int:
    if x == 3:
        raise Special("three")
    return x


def test_errors_and_states(store: Store) -> None:
    client = store.client()
    assert client.jobs(all=True) == []
    found = client.map(breaks, range(6), retries=1)
    with pytest.raises(Special, match="three"):
        list(found)
    (failure,) = found.failed
    assert failure.attempts == 2
    assert len(client.storage.names("err")) == 1
    active = client.map(square, range(100))
    next(active)
    assert [job["job"] for job in client.jobs()] == [active.job]
    with pytest.raises(StillActive):
        store.client().cleanup()
    active.close()
    assert list(client.map(square, range(3))) == [0, 1, 4]
    assert [job["state"] for job in client.jobs(all=True)] == ["failed", "interrupted", "done"]


def test_remote_objects(store: Store) -> None:
    client = store.client()
    table = client.remote_object(np.arange(1000))
    assert list(client.map(lambda x: int(table.value[x]), [5, 7])) == [5, 7]
    (back,) = client.map(lambda x: client.remote_object(x + 1), [3])
    assert back.value == 4
    assert table.written


def test_cleanup_of_one_name(store: Store) -> None:
    one, ten = store.client(name="run1"), store.client(name="run10")
    for client in (one, ten):
        list(client.map(square, range(3)))
    store.fresh().pipe_file(store.path("run1.txt"), b"mine")
    one.cleanup()
    assert sorted(p.rpartition("/")[2] for p in store.fresh().ls(store.path(), detail=False)) == [
        "run1.txt",
        "run10",
    ]
    found = ten.map(square, range(3))
    assert list(found) == [0, 1, 4]
    assert found.status()["reused"] == 3
    one.cleanup()


def test_two_clients_at_the_same_time(store: Store) -> None:
    got: dict[int, list[float]] = {}
    unlike = time.perf_counter  # every call gives another value, and both clients are to give out one of them

    def work(x: int) -> tuple[int, float]:
        return x, unlike()

    def run(number: int) -> None:
        client = store.client(reuse="strict")
        got[number] = list(client.map(work, range(40)))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    client = store.client()
    assert [x for x, _ in got[0]] == list(range(40))
    assert [x for x, _ in got[1]] == list(range(40))
    found = client.map(work, range(40))
    last = list(found)
    assert found.status()["reused"] == 40
    if store.url.startswith("s3"):  # Google's can tell, too, but the emulator takes no notice of conditions
        assert got[0] == got[1] == last


def test_a_second_writer_changes_nothing(store: Store) -> None:
    storage = Storage.at(store.url, "default", store.options)
    storage.put_whole("out", "a", b"first", {}, new=True)
    if store.url.startswith("gs"):
        pytest.skip("the emulator takes no notice of ifGenerationMatch")
    with pytest.raises(FileExistsError):
        storage.put_whole("out", "a", b"second", {}, new=True)
    assert bytes(storage.whole("out", "a").body) == b"first"  # type: ignore[union-attr]
    storage.put_whole("out", "a", b"third", {})
    assert bytes(storage.whole("out", "a").body) == b"third"  # type: ignore[union-attr]
    assert storage.whole("out", "b") == stored.Broken("there is no such file")


def test_no_listing_hides_what_another_process_has_written(store: Store) -> None:
    client, other = store.client(), store.client(name="other")
    list(client.map(square, range(3)))
    list(other.map(square, range(6)))
    assert len(client.storage.names("out")) == 3
    fs = store.fresh()
    for name in other.storage.names("out"):
        content = fs.cat_file(store.path("other", "out", name))
        fs.pipe_file(store.path("default", "out", name), content)
        assert client.storage.exists("out", name)
    assert len(client.storage.names("out")) == 6
    found = client.map(square, range(6))
    assert list(found) == [x * x for x in range(6)]
    assert found.status()["reused"] == 6


@pytest.mark.parametrize("told", ["options", "environment"])
def test_processes(store: Store, monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    """Workers reach the store by what the client was told, or by what their environment says."""
    given = {"storage_options": store.options}
    if told == "environment":
        given = {"storage_options": {"token": "anon"} if store.url.startswith("gs") else {}}
        for name, value in store.environment.items():
            monkeypatch.setenv(name, value)
    # Not of the process that the others are forked from, which was there before the store.
    with (
        dask.config.set({METHOD: "spawn"}),
        store.client(cluster="processes", max_simultaneous_tasks=1, **given) as client,
    ):
        assert client.storage.options == tuple(given["storage_options"].items())
        found = list(client.map(lambda x: (x, os.getpid()), range(12)))
        assert [x for x, _ in found] == list(range(12))
        assert os.getpid() not in {pid for _, pid in found}
        table = client.remote_object([1, 2, 3])
        assert list(client.map(lambda x: table.value[x], range(3))) == [1, 2, 3]


def test_a_process_of_its_own(store: Store) -> None:
    client = store.client(isolate="process")
    got = list(client.map(lambda x: (x, os.getpid()), range(2)))
    assert [x for x, _ in got] == [0, 1]
    assert len({os.getpid(), *(pid for _, pid in got)}) == 3


def test_what_is_missing(store: Store) -> None:
    """A bucket that was misspelt is an error, and is not made."""
    absent = store.url.replace(BUCKET, "absent-bucket")
    with pytest.raises(BadStorage, match="absent-bucket"):
        list(
            store.client()
            .__class__(absent, cluster="threads", storage_options=store.options)
            .map(square, [1])
        )
    assert not store.fresh().exists("absent-bucket")


def test_three_requests_for_an_item(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is it there; put; read. One if it is reused, and a few for the map."""
    client = store.client()
    kind = type(client.storage.fs)
    asked: Counter[str] = Counter()
    name = "_call_s3" if store.url.startswith("s3") else "_call"
    call = getattr(kind, name)

    async def counted(self: Any, method: str, *args: Any, **given: Any) -> Any:
        asked[method] += 1
        return await call(self, method, *args, **given)

    monkeypatch.setattr(kind, name, counted)
    count, page = 60, 2
    began = time.monotonic()
    list(client.map(square, range(count)))
    pages = page * (time.monotonic() - began + 2)  # one a second, and of two files
    assert asked.total() <= 3 * count + 12 + pages
    asked.clear()
    began = time.monotonic()
    list(client.map(square, range(count)))
    pages = page * (time.monotonic() - began + 2)
    assert asked.total() <= count + 12 + pages


def _half(url: str, options: dict[str, Any]) -> None:
    found = Client(url, cluster="threads", storage_options=options).map(square, range(1000))
    next(found)


def test_a_program_that_ends_in_the_middle(store: Store) -> None:
    """Its last words reach the store, by a file system whose thread is a daemon."""
    program = multiprocessing.get_context("spawn").Process(target=_half, args=(store.url, store.options))
    program.start()
    program.join(PATIENCE)
    assert program.exitcode == 0
    (job,) = store.client().jobs(all=True)
    assert job["state"] == "interrupted"
