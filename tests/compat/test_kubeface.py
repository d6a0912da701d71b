"""kubeface's client on threads: its own tests and examples, and where it was wrong."""

import argparse
import functools
import json
import os
import pickle
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import marsdask.compat.kubeface as kubeface
from marsdask.compat.kubeface import client as clients
from marsdask.compat.kubeface import context, job, naming, serialization
from marsdask.errors import Exited, MarsDaskError, NotPicklable, StillActive
from marsdask.remote.durable import status
from marsdask.remote.durable.storage import Storage
from tests.processes import until


def client_of(*argv: Any) -> kubeface.Client:
    parser = argparse.ArgumentParser()
    kubeface.Client.add_args(parser)
    return kubeface.Client.from_args(parser.parse_args([str(each) for each in argv]))


@pytest.fixture
def here(tmp_path: Path) -> tuple[Any, ...]:
    return "--kubeface-backend", "threads", "--kubeface-storage", tmp_path / "storage"


class Calls(list[Any]):
    """What was called. It is no part of what functions are."""

    def __dask_tokenize__(self) -> str:
        return "calls"


calls = Calls()


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    calls.clear()
    yield
    calls.clear()


def counted(client: kubeface.Client) -> tuple[int, int]:
    return len(client.job_summary()), len(client.job_summary(include_done=True))


def exercise(client: kubeface.Client, low: int = 1, high: int = 10) -> None:
    np.testing.assert_equal(list(client.map(lambda x: 2.0 / x, range(low, high))), 2.0 / np.arange(low, high))


def test_the_first_example(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Squares of 1 to N, with kubeface's options on the program's own parser."""
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    kubeface.Client.add_args(parser)
    args = parser.parse_args(["8", *map(str, here)])
    values = range(1, args.n + 1)
    for x, result in zip(values, kubeface.Client.from_args(args).map(lambda x: x**2, values), strict=True):
        print(f"{x:5}**2 = {result:5}")
    assert capsys.readouterr().out == "".join(f"{x:5}**2 = {x * x:5}\n" for x in range(1, 9))


@pytest.mark.parametrize("name", ["value", "data"])
def test_the_example_with_a_remote_object(here: Any, name: str) -> None:
    client = client_of(*here)
    text = "i am a string" * 10_000
    wrapped = client.remote_object(text)

    def with_it(x: int) -> str:
        return str(x) + getattr(wrapped, name)

    def without_it(x: int) -> str:
        return str(x) + text

    assert len(serialization.dumps(with_it)) < len(serialization.dumps(without_it)) / 10
    for function in (with_it, without_it):
        found = [Counter(each) for each in client.map(function, range(3))]
        assert found == [Counter(str(x) + text) for x in range(3)]


def test_a_backend_by_hand(tmp_path: Path) -> None:
    exercise(
        kubeface.Client(
            kubeface.ThreadsBackend(), poll_seconds=1.0, max_simultaneous_tasks=3, storage=str(tmp_path)
        )
    )


def test_an_error_that_waits(here: Any) -> None:
    client = client_of(*here, "--kubeface-wait-to-raise-task-exception", "--kubeface-poll-seconds", 1.1)

    def divide(x: int) -> float:
        calls.append(x)
        return 2 / (x - 2)

    found = client.map(divide, range(10))
    assert (next(found), next(found)) == (-1, -2)
    assert sorted(calls) == list(range(10))
    assert counted(client) == (1, 1)
    with pytest.raises(ZeroDivisionError) as caught:
        next(found)
    assert "raised in task 2 of 'divide'" in caught.value.__notes__[0]
    assert counted(client) == (0, 1)
    with pytest.raises(StopIteration):
        next(found)
    assert counted(client) == (0, 1)


def test_an_error_at_once(here: Any) -> None:
    client = client_of(*here)
    found = client.map(lambda x: 2 / (x - 2), range(10))
    with pytest.raises(ZeroDivisionError):
        next(found)
    assert list(found) == []
    assert counted(client) == (0, 1)


def test_job_summary(here: Any) -> None:
    client = client_of(*here)
    assert counted(client) == (0, 0)
    exercise(client, high=5)
    assert counted(client) == (0, 1)
    exercise(client, high=2)
    assert counted(client) == (0, 2)
    found = client.map(lambda x: x + 5, range(10))
    assert counted(client) == (0, 2)
    assert next(found) == 5
    assert counted(client) == (1, 3)
    ((state, form, name),) = client.job_summary()
    assert (state, form) == ("active", "json")
    assert naming.JOB.make_tuple(name)[:2] == (client.cache_key_prefix, "node-master")
    assert client.job_summary([name]) == client.job_summary([client.cache_key_prefix])
    assert client.job_summary(["another"], include_done=True) == []
    assert list(found) == list(range(6, 15))
    assert counted(client) == (0, 3)
    client.cleanup()
    assert counted(client) == (0, 0)


@pytest.mark.parametrize("how", ["close", "delete", "mark", "mark all", "cleanup"])
def test_half_read(here: Any, how: str) -> None:
    client = client_of(*here)
    found = client.map(lambda x: x, range(5))
    assert next(found) == 0
    assert counted(client) == (1, 1)
    if how == "close":
        found.close()
    elif how == "delete":
        del found
    elif how == "cleanup":
        client.cleanup()
    else:
        client.mark_jobs_done(None if how == "mark all" else [client.submitted_jobs[0].job_name])
    assert counted(client) == (0, int(how != "cleanup"))
    if how in ("mark", "mark all", "cleanup"):
        assert list(found) == [1, 2, 3, 4]


def test_the_job_of_a_dead_master(here: Any) -> None:
    client = client_of(*here)
    list(client.map(abs, [1]))
    (said,) = (storage := Storage.at(client.storage, client.cache_key_prefix, None)).jobs()
    elsewhere = said | {"state": "active", "updated": time.time(), "master": status.me() | {"host": "x"}}
    storage.put("status", f"{said['job']}.json", json.dumps(elsewhere).encode())
    assert counted(client) == (1, 1)
    with pytest.raises(StillActive):
        client.cleanup()
    client.mark_jobs_done(["another"])
    assert counted(client) == (1, 1)
    client.mark_jobs_done()
    assert counted(client) == (0, 1)
    client.cleanup()


def test_remote_objects(here: Any) -> None:
    client = client_of(*here)
    data = np.arange(10_000) ** 2
    whole = serialization.dumps(data)
    np.testing.assert_equal(serialization.loads(whole), data)
    remote = client.remote_object(data)
    assert isinstance(remote, kubeface.RemoteObject)
    assert (remote.written, remote.loaded) == (False, True)
    told = serialization.dumps(remote)
    assert remote.written
    assert len(told) < len(whole) / 10
    np.testing.assert_equal(serialization.loads(told).value, data)


def test_remote_objects_of_tasks(here: Any) -> None:
    client = client_of(*here)
    found = client.map(lambda x: client.remote_object(x**2), range(10))
    for x in range(3):
        remote = next(found)
        assert (remote.written, remote.loaded) == (True, False)
        assert remote.value == x**2
        assert remote.loaded
        assert remote.value == x**2


def test_a_client_travels(here: Any) -> None:
    client = client_of(*here, "--kubeface-cache-key-prefix", "mine")
    list(client.map(abs, [1]))
    again = serialization.loads(serialization.dumps(client))
    assert (again.cache_key_prefix, again.submitted_jobs) == ("mine", [])

    def inner(x: int) -> tuple[list[int], Any, str]:
        return (
            list(again.map(lambda y: y * x, [1, 2])),
            context.RUNTIME_CONTEXT["node_type"],
            context.node_id(),
        )

    found = list(client.map(inner, [3, 4]))
    assert [each[:2] for each in found] == [([3, 6], "task"), ([4, 8], "task")]
    nodes = {each[2] for each in found}
    assert context.node_id() == "node-master"
    names = [naming.JOB.make_tuple(name) for _, _, name in client.job_summary(include_done=True)]
    assert {name.node_id for name in names} == nodes | {"node-master"}


def test_tasks_that_wait_for_tasks(here: Any) -> None:
    client = client_of(*here, "--kubeface-max-simultaneous-tasks", 1)
    assert list(client.map(lambda x: sum(client.map(abs, [x, -x])), [1, 2, 3])) == [2, 4, 6]


def test_another_function_is_not_reused(here: Any) -> None:
    """kubeface gave squares again: its key was the number of the map."""
    for power in (2, 3):
        client = client_of(*here, "--kubeface-cache-key-prefix", "powers")
        assert list(client.map(lambda x, power=power: x**power, range(4))) == [x**power for x in range(4)]


def square(x: int) -> int:
    calls.append(x)
    return x * x


def test_what_is_reused(here: Any) -> None:
    for items in (range(4), range(2, 6)):
        assert list(client_of(*here, "--kubeface-cache-key-prefix", "mine").map(square, items)) == [
            x * x for x in items
        ]
    assert sorted(calls) == list(range(6))
    list(client_of(*here).map(square, [1]))
    assert calls[6:] == [1]  # a new prefix
    for _ in range(2):
        assert list(client_of(*here).map(square, [7], cache_key="named")) == [49]
    assert calls[7:] == [7]


def test_an_error_is_not_kept(here: Any) -> None:
    client = client_of(*here)
    broken = [True]

    def work(x: int) -> int:
        if broken[0]:
            raise ValueError(x)
        return x

    with pytest.raises(ValueError, match="0"):
        next(client.map(work, [0], cache_key="same"))
    broken[0] = False
    assert list(client.map(work, [0], cache_key="same")) == [0]


def test_cleanup_of_one_key(here: Any, tmp_path: Path) -> None:
    client = client_of(*here)
    for key in ("run1", "run10"):
        list(client.map(square, [1], cache_key=key))
    client.cleanup_job(client.submitted_jobs[0].job_name)
    assert [path.name for path in (tmp_path / "storage").iterdir()] == ["run10"]
    client.cleanup()
    assert not list((tmp_path / "storage").iterdir())
    with pytest.raises(ValueError, match="'what'"):
        client.cleanup_job("what")
    never = client_of(*here, "--kubeface-never-cleanup")
    list(never.map(square, [1]))
    never.cleanup()
    assert counted(never) == (0, 1)


def generates(x: int) -> Iterator[int]:
    yield from range(x)


def test_generators_and_numbers_of_items(here: Any) -> None:
    client = client_of(*here)
    assert list(client.map(generates, [0, 3])) == [[], [0, 1, 2]]
    assert list(client.map(square, iter(range(7)), items_per_task=3, num_items=7)) == [
        x * x for x in range(7)
    ]
    told = client.submitted_jobs[-1]
    assert told.num_tasks == 3
    assert told.status_dict()["total"] == 7
    assert list(client.map(square, (x for x in range(0)))) == []
    assert list(client.map(square, [], num_items=4)) == []
    assert list(client.map(square, (x for x in range(3)), num_items=1)) == [0, 1, 4]
    assert list(client.map(square, range(2500))) == [x * x for x in range(2500)]


def test_nothing_runs_before_it_is_asked_for(here: Any, tmp_path: Path) -> None:
    client = client_of(*here)
    found = client.map(square, range(3))
    assert not calls
    assert not (tmp_path / "storage").exists()
    assert next(found) == 0
    assert sorted(calls) == [0, 1, 2]
    found.close()


def test_an_iterable_that_breaks(here: Any) -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise LookupError("no more")

    client = client_of(*here)
    with pytest.raises(LookupError, match="no more"):
        next(client.map(square, items()))
    assert counted(client) == (0, 1)


def exits(x: int) -> None:
    raise SystemExit(x)


def a_lock(x: int) -> Any:
    return threading.Lock()


def an_error(x: int) -> Exception:
    return KeyError(x)


@pytest.mark.parametrize("wait", [(), ("--kubeface-wait-to-raise-task-exception",)])
def test_every_end_is_an_error(here: Any, wait: Any) -> None:
    client = client_of(*here, *wait)
    for function, kind in ((exits, Exited), (a_lock, NotPicklable)):
        with pytest.raises(kind):
            list(client.map(function, [7]))
    assert [str(each) for each in client.map(an_error, [1])] == ["1"]  # a result


def test_large_results_wait_in_a_file(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "MEMORY", 1000)
    client = client_of(*here)
    found = client.map(np.arange, [3, 5_000, 2])
    assert [len(each) for each in found] == [3, 5_000, 2]
    del found


def test_submit(here: Any) -> None:
    client = client_of(*here)
    tasks = [
        kubeface.Task(divmod, (7, 2)),
        kubeface.Task(generates, [3]),
        kubeface.Task(int, ["11"], {"base": 2}),
    ]
    made = client.submit(tasks)
    assert isinstance(made, kubeface.Job)
    assert made.num_tasks == 3
    made.wait(poll_seconds=1.0)
    assert counted(client) == (1, 1)
    results = list(made.results())
    assert counted(client) == (0, 1)
    assert [each.return_value for each in results] == [(3, 1), [0, 1, 2], 3]
    assert all(each.run_seconds() >= 0 and each.result_type == "value" for each in results)
    assert "value of type: tuple" in results[0].description()


def test_submitted_tasks_that_fail(here: Any) -> None:
    tasks = [kubeface.Task(abs, [-1]), kubeface.Task(divmod, [1, 0])]
    with pytest.raises(ZeroDivisionError):
        client_of(*here).submit(tasks).wait()
    found = list(client_of(*here, "--kubeface-wait-to-raise-task-exception").submit(iter(tasks)).results())
    assert [each.result_type for each in found] == ["value", "exception"]
    assert "divmod" in found[1].description() or "ZeroDivision" in found[1].description()
    with pytest.raises(ZeroDivisionError):
        found[1].raise_if_exception()
    with pytest.raises(TypeError, match="tasks"):
        client_of(*here).submit([abs]).wait()


class Straggles:
    """One item takes long, if nobody has begun it before."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __call__(self, x: int) -> int:
        if x == 3:
            try:
                (self.folder / "began").touch(exist_ok=False)
            except FileExistsError:
                return x * 10
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and not (self.folder / "over").exists():
                time.sleep(0.1)
        time.sleep(0.05)
        return x * 10


def test_speculation_gives_each_result_once(here: Any, tmp_path: Path) -> None:
    client = client_of(*here, "--kubeface-max-simultaneous-tasks", 4)
    began = time.monotonic()
    assert list(client.map(Straggles(tmp_path), range(20))) == [x * 10 for x in range(20)]
    assert time.monotonic() - began < 100
    (tmp_path / "over").touch()


def test_equal_items_run_once_each(here: Any) -> None:
    assert list(client_of(*here).map(square, [2, 2, 2])) == [4, 4, 4]
    assert calls == [2, 2, 2]


def test_a_function_with_a_client_in_it_is_reused(here: Any) -> None:
    def work(client: kubeface.Client, x: int) -> int:
        calls.append(x)
        return x

    for _ in range(2):
        client = client_of(*here)
        assert list(client.map(functools.partial(work, client), [1], cache_key="same")) == [1]
    assert calls == [1]


BAD_MAPS: list[tuple[dict[str, Any], str]] = [
    ({"function": 5}, "function"),
    ({"iterable": 5}, "iterable"),
    ({"iterable": "abc"}, "iterable"),
    ({"items_per_task": 0}, "items_per_task"),
    ({"items_per_task": 1.5}, "items_per_task"),
    ({"num_items": -1}, "num_items"),
    ({"cache_key": "a/b"}, "cache_key"),
    ({"cache_key": 5}, "cache_key"),
    ({"cache_key": "a::b"}, "cache_key"),
]


@pytest.mark.parametrize(("given", "named"), BAD_MAPS, ids=repr)
def test_bad_maps(here: Any, tmp_path: Path, given: dict[str, Any], named: str) -> None:
    client = client_of(*here)
    with pytest.raises(MarsDaskError, match=named) as caught:
        client.map(**{"function": square, "iterable": [1], **given})
    assert isinstance(caught.value, (ValueError, TypeError))
    assert not list(tmp_path.iterdir())


def test_threads_end(here: Any) -> None:
    with client_of(*here) as client:
        next(client.map(square, range(3)))
        open_ = client.map(square, range(3))
        next(open_)
    until(
        lambda: not [t for t in threading.enumerate() if t.name.startswith("marsdask-map")],
        "no thread of a map is left",
    )
    assert counted(client) == (0, 2)
    assert repr(client).startswith("<Client of ")
    assert pickle.loads(pickle.dumps(client)).storage == client.storage
    assert clients.speculation(100, 0, 2) is not None
    assert os.getpid()
