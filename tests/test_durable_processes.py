"""The durable map on real processes: whatever dies, results are right, each is made once, and what ends is an error with a name."""

import contextlib
import ctypes
import importlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from marsdask import option_context
from marsdask.engine.workers import workers_of
from marsdask.errors import (
    BadStorage,
    Exited,
    ModuleMissing,
    NotPicklable,
    SchedulerLost,
    TookTooLong,
    WorkerLost,
)
from marsdask.remote.durable import Client
from marsdask.remote.durable import client as clients
from marsdask.remote.durable.places import Workers
from marsdask.session import Session
from tests.processes import PATIENCE, at_once, plain_cluster, reserved_port, until

pytestmark = pytest.mark.processes
two_workers = pytest.mark.xdist_group("two_workers")


def note(folder: str, text: str) -> None:
    with Path(folder, "log").open("a") as log:
        log.write(f"{text}\n")


def noted(folder: Path) -> list[list[str]]:
    log = folder / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [line.split() for line in lines]


class Slow:
    """A task that says that it begins, and takes its time."""

    def __init__(self, folder: str, seconds: float):
        self.folder, self.seconds = folder, seconds

    def __call__(self, x: int) -> int:
        note(self.folder, f"{x} {os.getpid()}")
        time.sleep(self.seconds)
        return x * x


def master(
    folder: str, count: int, cluster: str, seconds: float, window: int, items_per_task: int = 1
) -> None:
    """A program: a map from its beginning to its end."""
    note(folder, f"master {os.getpid()}")
    with Client(f"{folder}/storage", cluster=cluster, max_simultaneous_tasks=window) as client:
        found = client.map(Slow(folder, seconds), range(count), items_per_task=items_per_task)
        for number, result in enumerate(found):
            assert result == number**2
            note(folder, f"got {number}")
        note(folder, f"end {found.status()}")


@contextlib.contextmanager
def running(*args: Any) -> Iterator[multiprocessing.process.BaseProcess]:
    context = multiprocessing.get_context("forkserver")
    program = context.Process(target=master, args=args)
    program.start()
    try:
        yield program
    finally:
        program.kill()
        program.join(PATIENCE)


def executions(folder: Path) -> list[int]:
    return [int(words[0]) for words in noted(folder) if words[0].isdigit()]


def workers_end(folder: Path) -> None:
    """No process that ran a task is there any more."""
    pids = {int(words[1]) for words in noted(folder) if words[0].isdigit()}
    until(lambda: not any(psutil.pid_exists(pid) for pid in pids), "the workers end")


@pytest.mark.parametrize(
    ("end", "cluster", "times"),
    [(signal.SIGKILL, "threads", 20), (signal.SIGKILL, "processes", 2), (signal.SIGINT, "processes", 1)],
)
def test_a_master_that_dies_again_and_again(
    tmp_path: Path, end: signal.Signals, cluster: str, times: int
) -> None:
    """Twenty times in one map of 200 tasks: only what was in flight runs again."""
    window, count = 2, 200

    def begun(number: int) -> bool:
        return len(executions(tmp_path)) >= number

    arguments = (str(tmp_path), count, cluster, 0.02, window)
    for _ in range(times):
        before = len(executions(tmp_path))
        with running(*arguments) as program:
            until(partial(begun, before + 6), "six tasks have begun")
            os.kill(int(program.pid or 0), end)
            program.join(PATIENCE)
            assert program.exitcode in (-end, 1)
        out = tmp_path / "storage" / "default" / "out"
        assert all(path.suffix != ".part" or end == signal.SIGKILL for path in out.iterdir())
        states = {job["state"] for job in Client(tmp_path / "storage", cluster="threads").jobs(all=True)}
        assert states == {"lost" if end == signal.SIGKILL else "interrupted"}
    with running(*arguments) as program:
        program.join(PATIENCE)
        assert program.exitcode == 0
    ran = executions(tmp_path)
    assert set(ran) == set(range(count))
    assert (
        len(ran) <= count + times * 2 * window
    )  # what a worker of a dead master began before it ended counts, too
    assert not [path for path in out.iterdir() if path.suffix == ".part"]
    assert len(list(out.iterdir())) == count
    workers_end(tmp_path)


def test_two_masters_of_one_map(tmp_path: Path) -> None:
    arguments = (str(tmp_path), 40, "processes", 0.05, 2)
    with running(*arguments) as one, running(*arguments) as two:
        for program in (one, two):
            program.join(PATIENCE)
            assert program.exitcode == 0
    ran = executions(tmp_path)
    assert set(ran) == set(range(40))
    assert len(ran) <= 2 * 40
    assert [words[1] for words in noted(tmp_path) if words[0] == "got"].count("7") == 2
    assert len(list((tmp_path / "storage" / "default" / "out").iterdir())) == 40


def test_a_worker_is_killed_every_second(tmp_path: Path) -> None:
    over = threading.Event()
    with Client(tmp_path / "storage", cluster="processes", max_simultaneous_tasks=2) as client:
        work = Slow(str(tmp_path), 0.2)
        found = client.map(work, range(40))
        first = next(found)
        killed = 0

        def kill() -> None:
            nonlocal killed
            assert client._own is not None
            while not over.wait(1.0):
                info = workers_of(client._own.client)
                if addresses := sorted(info):
                    pids = client._own.client.run(
                        os.getpid, workers=[random.choice(addresses)], on_error="ignore"
                    )
                    for pid in pids.values():
                        with contextlib.suppress(ProcessLookupError, TypeError):
                            os.kill(pid, signal.SIGKILL)
                            killed += 1

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            rest = list(found)
        finally:
            over.set()
            killer.join()
    assert [first, *rest] == [x * x for x in range(40)]
    assert killed


def test_a_cluster_that_is_idle_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "IDLE", 0.5)
    client = Client(tmp_path, cluster="processes", max_simultaneous_tasks=1)
    for number in range(2):
        (pid,) = client.map(lambda x: os.getpid(), [number])
        assert pid != os.getpid()
        until(lambda: client._own is None, "the cluster has ended")
        until(partial(gone, pid), "its process has ended")
    assert len(list(client.map(lambda x: os.getpid(), [0, 1, 2]))) == 3  # from files, but for one
    client.close()


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid)


def test_a_cluster_ends_only_when_no_map_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A map that has everything in files never needed it, and says nothing of who does."""
    monkeypatch.setattr(clients, "IDLE", 0.3)
    (tmp_path / "log").touch()
    with Client(tmp_path / "storage", cluster="processes", max_simultaneous_tasks=1) as client:
        assert list(client.map(Slow(str(tmp_path), 0), [7])) == [49]
        running = client.map(Slow(str(tmp_path), 1.5), range(2), retries=0)
        assert next(running) == 0
        own = client._own
        assert list(client.map(Slow(str(tmp_path), 0), [7])) == [49]
        time.sleep(1.0)
        assert own is not None
        assert client._own is own
        assert next(running) == 1
        assert executions(tmp_path) == [7, 0, 1]


def kills_itself(x: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def ends_at_once(x: int) -> None:
    os._exit(3)


def exits(x: int) -> None:
    sys.exit("enough")


def crashes(x: int) -> None:
    ctypes.string_at(0)


def a_lock(x: int) -> Any:
    return threading.Lock()


def hangs(x: int) -> None:
    time.sleep(NEVER if x else 0)


NEVER = 10_000


class Strange(Exception):
    def __init__(self) -> None:
        super().__init__("strange")
        self.lock = threading.Lock()


def raises_a_lock(x: int) -> None:
    raise Strange


@two_workers
@pytest.mark.parametrize(
    ("func", "kind", "says"),
    [
        (kills_itself, WorkerLost, "kills_itself"),
        (ends_at_once, WorkerLost, "ends_at_once"),
        (exits, Exited, "enough"),
        (a_lock, NotPicklable, "the result of task 0"),
        (raises_a_lock, Exception, "strange"),
    ],
)
def test_a_task_that_ends_its_worker(
    on_cluster: Session, tmp_path: Path, func: Any, kind: Any, says: str
) -> None:
    began = time.monotonic()
    with at_once(), pytest.raises(kind, match=says):
        list(Client(tmp_path).map(func, [1], retries=0))
    assert time.monotonic() - began < 60
    assert list(Client(tmp_path).map(abs, [-1])) == [1]


@pytest.mark.parametrize("cluster", ["threads", pytest.param(None, marks=two_workers)])
@pytest.mark.parametrize(
    ("func", "kind", "says"),
    [
        (kills_itself, WorkerLost, "by signal 9"),
        (crashes, WorkerLost, "by signal 11"),
        (ends_at_once, Exited, "exit code 3"),
        (exits, Exited, "enough"),
        (a_lock, NotPicklable, "the result of task 0"),
        (hangs, TookTooLong, "not done after 3 s"),
    ],
)
def test_a_process_of_its_own(
    request: Any, tmp_path: Path, cluster: Any, func: Any, kind: Any, says: str
) -> None:
    if cluster is None:
        request.getfixturevalue("on_cluster")
    client = Client(tmp_path, cluster=cluster, isolate="process")
    with at_once(), pytest.raises(kind, match=says):
        list(client.map(func, [1], retries=0, timeout=3 if func is hangs else None))
    assert next(client.map(lambda x: (x, os.getpid()), [1]))[1] != os.getpid()


def test_what_a_process_of_its_own_tells(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def talks(x: int) -> int:
        print("step", x)
        print("aside", file=sys.stderr)
        return len(bytearray(x * 2**20))

    client = Client(tmp_path, cluster="threads", isolate="process")
    assert list(client.map(talks, [200])) == [200 * 2**20]
    (name,) = client.storage.names("out")
    facts = client.storage.whole("out", name).facts  # type: ignore[union-attr]
    assert facts["output"] in ("step 200\naside\n", "aside\nstep 200\n")
    assert facts["process"] != os.getpid()
    assert "step 200" in capfd.readouterr().out


def test_processes_of_their_own_end_with_who_asked(tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    program = context.Process(target=_isolated, args=(str(tmp_path),))
    program.start()
    pid = until(lambda: next((int(w[1]) for w in noted(tmp_path) if w[0] == "0"), 0), "the task has begun")
    assert pid != program.pid
    program.kill()
    program.join(PATIENCE)
    until(lambda: not psutil.pid_exists(pid), "the process ends")


def _isolated(folder: str) -> None:
    list(Client(f"{folder}/storage", cluster="threads", isolate="process").map(Slow(folder, NEVER), range(1)))


def leaves_a_process(x: int) -> None:
    if not os.fork():
        time.sleep(NEVER)
    os._exit(3)


def waits_for_another(file: str) -> None:
    text = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(10_000)"
    subprocess.run([sys.executable, "-c", text, file], check=True)


def test_what_a_process_of_its_own_has_begun_ends_with_it(tmp_path: Path) -> None:
    """It has the other end of the pipe by which the answer would come, and memory and processors after the time limit."""
    client = Client(tmp_path / "storage", cluster="threads", isolate="process")
    with at_once(), pytest.raises(Exited, match="exit code 3"):
        list(client.map(leaves_a_process, [1], retries=0))
    file = tmp_path / "pid"
    with at_once(), pytest.raises(TookTooLong):
        list(client.map(waits_for_another, [str(file)], retries=0, timeout=5))
    process = int(file.read_text())

    def over() -> bool:
        with contextlib.suppress(psutil.NoSuchProcess):
            return (
                psutil.Process(process).status() == psutil.STATUS_ZOMBIE
            )  # of a container whose first process collects none
        return True

    until(over, "it ends")


class Both:
    """Its first two attempts at the last item fail, the second just after the first, which waits for it."""

    def __init__(self, folder: str):
        self.folder = folder

    def __call__(self, x: int) -> int:
        time.sleep(0.05)
        if x == 39:
            for number in range(2):
                with contextlib.suppress(FileExistsError):
                    Path(self.folder, f"tried-{number}").touch(exist_ok=False)
                    until(Path(self.folder, "tried-1").exists, "there is a second attempt")
                    time.sleep(0.1 * number)
                    raise OSError(number)
        return x


def test_attempts_that_were_speculative_are_no_retries(tmp_path: Path) -> None:
    client = Client(
        tmp_path / "storage",
        cluster="threads",
        max_simultaneous_tasks=4,
        speculation={"percentile": 50},
        retries=1,
    )
    found = client.map(Both(str(tmp_path)), range(40))
    assert list(found) == list(range(40))
    assert found.status()["speculated"] >= 1  # on a busy machine others look long, too


class Straggler:
    """Takes 15 s for one item, if nobody has begun it before."""

    def __init__(self, folder: str, long: int):
        self.folder, self.long = folder, long

    def __call__(self, x: int) -> int:
        if x == self.long:
            with contextlib.suppress(FileExistsError):
                Path(self.folder, "began").touch(exist_ok=False)
                time.sleep(15)
        time.sleep(0.2)
        note(self.folder, f"{x} {time.time()}")
        return x


@pytest.mark.parametrize("cluster", ["threads", "processes"])
@pytest.mark.parametrize("long", [0, 19])
def test_speculation(tmp_path: Path, cluster: str, long: int) -> None:
    with Client(tmp_path / "storage", cluster=cluster, max_simultaneous_tasks=2, speculation=True) as client:
        found = client.map(Straggler(str(tmp_path), long), range(20))
        assert list(found) == list(range(20))
        ended = time.time()
        counts = found.status()
        assert (counts["submitted"], counts["done"], counts["failed"]) == (20, 20, 0)
        assert counts["speculated"]  # more than one on a busy machine, where others look long, too
    others = max(float(words[1]) for words in noted(tmp_path) if words[0] != str(long))
    assert ended - others < 5  # 0.3 to 1.4 s on an idle machine


@two_workers
def test_a_second_attempt_is_elsewhere(
    on_cluster: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    avoided = []
    submit = Workers.submit

    def noting(self: Workers, work: Any, live: Any, answer: Any, resources: Any, avoid: str) -> Any:
        avoided.append(avoid)
        return submit(self, work, live, answer, resources, avoid)

    monkeypatch.setattr(Workers, "submit", noting)
    client = Client(tmp_path / "storage", speculation=True)
    assert list(client.map(Straggler(str(tmp_path), 19), range(20))) == list(range(20))
    assert [where for where in avoided if where]
    assert {where for where in avoided if where} <= set(workers_of(on_cluster.client))


TOOLS = """
RATE = 2

class Found:
    def __init__(self, value):
        self.value = value

class Wrong(Exception):
    pass

def double(x):
    if x < 0:
        raise Wrong(x)
    return Found(x * RATE)
"""
PROGRAM = """
import threading
import gears
lock = threading.Lock()

def work(x):
    return gears.double(x)

def imports(x):
    from inside.deep import more
    return more(x)

def locked(x):
    with lock:
        return gears.double(x).value
"""
NESTED = """

def nested(client, x):
    from inside.deep import more
    return list(client.map(more, [x]))
"""
DEEP = "from inside import base\ndef more(x):\n    return x + base.BASE\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Any]]:
    """A program of several modules, in a folder where workers do not look."""
    (tmp_path / "inside").mkdir()
    for name, text in {
        "gears.py": TOOLS, "program.py": PROGRAM, "inside/__init__.py": "", "inside/base.py": "BASE = 100\n", "inside/deep.py": DEEP,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def made() -> Any:
        forget()
        importlib.invalidate_caches()
        return importlib.import_module("program")

    def forget() -> None:
        for name in list(sys.modules):
            if name.partition(".")[0] in ("gears", "program", "inside"):
                del sys.modules[name]

    yield made
    forget()


@two_workers
def test_modules_travel(on_cluster: Session, tmp_path: Path, program: Callable[[], Any]) -> None:
    client = Client(tmp_path / "storage")
    mine = program()
    on_cluster.client.run(lambda: sys.path.remove(str(tmp_path)) if str(tmp_path) in sys.path else None)
    with pytest.raises(ModuleNotFoundError):
        on_cluster.client.submit(lambda: importlib.import_module("gears"), pure=False).result()
    (found,) = client.map(mine.work, [4])
    assert isinstance(found, mine.gears.Found)
    assert found.value == 8
    with pytest.raises(mine.gears.Wrong):
        list(client.map(mine.work, [-1], retries=0))
    assert list(client.map(mine.imports, [1, 2])) == [101, 102]
    assert list(client.map(mine.locked, [4])) == [8]
    (tmp_path / "gears.py").write_text(TOOLS.replace("RATE = 2", "RATE = 3"))
    (tmp_path / "inside" / "base.py").write_text("BASE = 200\n")
    mine = program()
    assert next(client.map(mine.work, [4])).value == 12
    assert list(client.map(mine.imports, [1, 2])) == [201, 202]
    assert list(client.map(mine.locked, [4])) == [12]


@two_workers
def test_modules_of_two_versions_on_one_worker(
    on_cluster: Session, tmp_path: Path, program: Callable[[], Any]
) -> None:
    """Each function imports the module that it came with, also when it comes again."""
    client = Client(tmp_path / "storage")
    for turn, base in enumerate((100, 200, 100)):
        (tmp_path / "inside" / "base.py").write_text(f"BASE = {base}\n")
        items = range(10 * turn, 10 * turn + 4)
        assert list(client.map(program().imports, items)) == [base + x for x in items]


@two_workers
def test_a_map_in_a_task_sees_the_code_that_travelled(
    on_cluster: Session, tmp_path: Path, program: Callable[[], Any]
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM + NESTED)
    client = Client(tmp_path / "storage")
    on_cluster.client.run(lambda: sys.path.remove(str(tmp_path)) if str(tmp_path) in sys.path else None)
    for base in (100, 200):
        (tmp_path / "inside" / "base.py").write_text(f"BASE = {base}\n")
        assert list(client.map(partial(program().nested, client), [1])) == [[base + 1]]


def kills_at_seven(x: int) -> int:
    if x == 57:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


@two_workers
def test_one_that_kills_its_worker_beside_short_ones(on_cluster: Session, tmp_path: Path) -> None:
    """Short items share a task; the others of it have their results all the same."""
    got = list(Client(tmp_path).map(kills_at_seven, range(100), retries=0, on_error="return"))
    assert isinstance(got.pop(57), WorkerLost)
    assert got == [x for x in range(100) if x != 57]


@two_workers
def test_a_module_that_a_worker_lacks(
    on_cluster: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "site-packages"
    there.mkdir()
    (there / "installed_here.py").write_text("def twice(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(there)
    twice = importlib.import_module("installed_here").twice
    with pytest.raises(ModuleMissing, match="'installed_here'") as caught:
        list(Client(tmp_path / "storage").map(twice, [1]))
    assert caught.value.name == "installed_here"
    sys.modules.pop("installed_here")


@two_workers
def test_what_workers_have(on_cluster: Session, tmp_path: Path) -> None:
    client = Client(tmp_path)
    with pytest.raises(ValueError, match=r"memory.*the largest of 2 workers has"):
        client.map(abs, [1], resources={"memory": "900TiB"})
    with pytest.raises(ValueError, match="'GPU9'"):
        client.map(abs, [1], resources={"GPU9": 1})
    assert list(client.map(abs, [-1, -2], resources={"memory": "100MiB", "cpu": 1})) == [1, 2]
    with pytest.raises(BadStorage, match="the memory of this process"):
        Client("memory://here")
    with pytest.raises(BadStorage, match="the memory of this process"):
        Client("memory://here", cluster="processes")


@two_workers
def test_retries_and_groups_on_workers(on_cluster: Session, tmp_path: Path) -> None:
    def sometimes(x: int) -> int:
        file = tmp_path / f"tried-{x}"
        tried = len(file.read_text()) if file.exists() else 0
        file.write_text("x" * (tried + 1))
        if tried < 2:
            raise OSError("again")
        return x

    client = Client(tmp_path / "storage")
    assert list(client.map(sometimes, range(30), items_per_task=7)) == list(range(30))
    found = client.map(sometimes, range(30))
    assert list(found) == list(range(30))
    assert found.status()["reused"] == 30


@two_workers
def test_large_results_stay_out_of_the_way(on_cluster: Session, tmp_path: Path) -> None:
    """Twenty results of 32 MiB: this process, which has the scheduler too, holds one or two."""
    this = psutil.Process()
    client = Client(tmp_path)
    before = this.memory_info().rss
    most = 0
    for number, found in enumerate(client.map(lambda x: np.full(2**22, float(x)), range(20))):
        assert found[0] == number
        most = max(most, this.memory_info().rss)
    assert most - before < 5 * 2**25


@two_workers
def test_a_client_in_a_task_on_a_worker(on_cluster: Session, tmp_path: Path) -> None:
    client = Client(tmp_path)
    table = client.remote_object(np.arange(1000))

    def inner(x: int) -> tuple[int, Any]:
        return sum(client.map(abs, [-x, -x - 1])), client.remote_object(table.value[x])

    (total, entry), _ = client.map(inner, [5, 6])
    assert total == 11
    assert entry.value == 5


def page(url: str) -> str:
    """What a web port shows there; nothing where there is no such page yet."""
    with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return str(answer.read().decode())
    return ""


@two_workers
def test_the_page_on_the_dashboard(on_cluster: Session, tmp_path: Path) -> None:
    found = Client(tmp_path / "storage").map(Slow(str(tmp_path), 0.01), range(20))
    assert found.dashboard_link is None
    next(found)
    link = str(found.dashboard_link)
    assert link.startswith("http://127.0.0.1:")

    until(lambda: found.job in page(link), "the page is there")
    list(found)
    until(lambda: "done</span>" in page(link), "the page says that it is done")
    listed = page(link.rpartition("/")[0])
    assert f'<a href="jobs/{found.job}">' in listed
    assert page(f"{link}x") == ""


def test_a_scheduler_that_is_started_again(tmp_path: Path) -> None:
    """It is killed with its workers; what was in flight is begun anew on those that come."""
    with reserved_port() as port:
        options = ("--port", str(port), "--dashboard-address", "127.0.0.1:0")
        first = contextlib.ExitStack()
        first.enter_context(plain_cluster(*options, workers=1))
        try:
            with Client(tmp_path / "storage", cluster=f"tcp://127.0.0.1:{port}") as client:
                found = client.map(Slow(str(tmp_path), 0.05), range(40))
                got = [next(found) for _ in range(10)]
                first.close()
                with plain_cluster(*options, workers=1):
                    got.extend(found)
                assert found.status()["done"] == 40
        finally:
            first.close()
    assert got == [x * x for x in range(40)]
    assert len(executions(tmp_path)) <= 50


def test_a_scheduler_that_does_not_come_back(tmp_path: Path) -> None:
    with (
        plain_cluster(workers=1) as cluster,
        Client(tmp_path / "storage", cluster=cluster.address) as client,
        option_context({"cluster.reconnect_timeout": 1}),
    ):
        found = client.map(Slow(str(tmp_path), 0.05), range(1000))
        next(found)
        assert client._own is not None
        os.kill(client._own.client.run_on_scheduler(os.getpid), signal.SIGKILL)
        with pytest.raises(SchedulerLost, match="was not back after 1 s"):
            list(found)
    assert client.jobs(all=True)[0]["state"] == "failed"


@two_workers
def test_a_map_that_ends_in_the_clients_thread(on_cluster: Session, tmp_path: Path) -> None:
    """Where Python collects garbage, for one; it waits there for nothing that the thread itself would have to do."""
    found = Client(tmp_path).map(abs, range(200))
    assert next(found) == 0
    link = str(found.dashboard_link)
    over = threading.Event()
    on_cluster.client.loop.add_callback(lambda: (found._master.end("interrupted"), over.set()))
    assert over.wait(PATIENCE)
    until(lambda: "interrupted</span>" in page(link), "its last page")
