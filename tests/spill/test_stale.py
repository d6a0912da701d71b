"""Directories of processes that were killed go when the next one starts; those of living ones stay."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import dask
import pytest

import marsdask.tensor as mt
from marsdask import new_session
from marsdask.sizes import MIB
from marsdask.spill.directory import SpillDirectory
from marsdask.spill.store import StripedFile
from tests.processes import NEVER, PATIENCE, until
from tests.spill.conformance import LOCKS, files

NEIGHBOUR = """
    import sys
    from marsdask.spill.store import StripedFile

    store = StripedFile(sys.argv[1:], name="neighbour")
    for i in range(10):
        store[i] = b"x" * 1000
    print("ready", flush=True)
    sys.stdin.readline()
    assert all(store[i] == b"x" * 1000 for i in range(10))
    store.close()
"""


@contextmanager
def neighbour(*paths: Path) -> Iterator[subprocess.Popen[str]]:
    """A process with ten values in the directories, once it reads a line it verifies them and ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(NEIGHBOUR), *map(str, paths)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_only_what_the_dead_left_is_purged(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.mkdir()
        (path / "spill-of-others").mkdir()
        (path / "spill-of-others" / "7").write_text("not ours")
        (path / "letter.txt").write_text("not ours")
    with ExitStack() as stack:
        dead, alive = (stack.enter_context(neighbour(*paths)) for _ in range(2))
        for process in (dead, alive):
            assert process.stdout.readline() == "ready\n"
        assert len(_values(paths)) == 20
        dead.kill()
        assert dead.wait(PATIENCE) == -signal.SIGKILL
        assert len(_values(paths)) == 20
        with StripedFile(paths) as store:
            assert len(store) == 0
            assert len(_values(paths)) == 10
            store["x"] = b"x"
            alive.communicate("go\n", timeout=PATIENCE)
            assert alive.returncode == 0
            assert len(_values(paths)) == 0
            assert store["x"] == b"x"
        for path in paths:
            left = {p.name for p in path.iterdir()}
            assert left - LOCKS == {"spill-of-others", "letter.txt"}
            assert (path / "spill-of-others" / "7").read_text() == "not ours"


def _values(paths: list[Path]) -> list[Path]:
    return [file for path in paths for file in path.glob("neighbour-*/*")]


def test_a_process_that_ends_without_closing_leaves_nothing(tmp_path: Path) -> None:
    script = (
        "import sys; from marsdask.spill.store import StripedFile; s = StripedFile(sys.argv[1:]); s[0] = b'x'"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "a")], check=True, timeout=PATIENCE)
    assert files(tmp_path) == []
    assert {p.name for p in (tmp_path / "a").iterdir()} <= LOCKS


COMER = """
    import random, sys, time
    from marsdask.spill.directory import SpillDirectory, purge

    for i in range(30):
        mine = SpillDirectory(sys.argv[1])
        number = mine.write([memoryview(bytes([i]) * 100)], 100)
        time.sleep(random.random() * 0.003)
        assert bytes(mine.read(number, 100)) == bytes([i]) * 100
        mine.close()
        purge(sys.argv[1])
"""


def test_who_comes_while_another_goes_loses_nothing_and_the_last_takes_the_locks(tmp_path: Path) -> None:
    words = [sys.executable, "-c", textwrap.dedent(COMER), str(tmp_path)]
    comers = [subprocess.Popen(words) for _ in range(4)]
    assert [each.wait(PATIENCE) for each in comers] == [0] * 4
    assert list(tmp_path.iterdir()) == []


def test_who_waited_for_a_lock_that_was_removed_waits_for_the_new_one(tmp_path: Path) -> None:
    lock = tmp_path / "global.lock"
    with lock.open("wb") as removed:
        fcntl.flock(removed, fcntl.LOCK_EX)
        comer = threading.Thread(target=lambda: SpillDirectory(str(tmp_path)).close(), daemon=True)
        comer.start()
        until(
            lambda: list(tmp_path.glob("spill-*")), "a directory, which is made before the lock is waited for"
        )
        comer.join(0.3)
        lock.unlink()
        with lock.open("wb") as new:
            fcntl.flock(new, fcntl.LOCK_EX)
            removed.close()
            comer.join(0.3)
            assert comer.is_alive()
            assert not list(tmp_path.glob("*.dirlock"))
    comer.join(PATIENCE)
    assert not comer.is_alive()


@pytest.mark.processes
@pytest.mark.oldest
def test_a_worker_that_had_to_be_killed_at_the_end_leaves_nothing(tmp_path: Path) -> None:
    """distributed gives it four seconds; gigabytes of files, on a machine that others use too, take longer."""
    paths = [tmp_path / "a", tmp_path / "b"]

    def slow_to_close(dask_worker: Any) -> int:
        dask_worker.data.close = lambda: time.sleep(NEVER)
        return int(dask_worker.data.spilled_total.disk)

    with dask.config.set({"marsdask.spill.directories": [str(path) for path in paths]}):
        session = new_session(n_worker=2, memory="1g", default=False)
    with session:
        held = mt.random.rand(160 * MIB, chunk_size=MIB).execute(session=session)  # 1.25 GiB
        assert sum(session.client.run(slow_to_close).values()) > 0
    del held
    assert [p for path in paths for p in path.glob("[01]-*")] == []
