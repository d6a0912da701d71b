"""Spill files are damaged while work runs: right answers, all workers there, and no memory left behind."""

import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster, Worker

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.session import Session, new_session
from marsdask.spill import MemoryPolicy, cluster_arguments
from tests.faults.processes import digest, pids
from tests.processes import PATIENCE, until

pytestmark = [pytest.mark.processes, pytest.mark.slow]
AT_ONCE = 30


class Harm:
    """Damages 30 files of a folder at a time, in all the ways a disk has, `most` of them in all: with no end to it nothing would ever be done."""

    def __init__(self, folder: Path, seed: int, most: int) -> None:
        self.folder, self.random, self.count, self.most = folder, random.Random(seed), 0, most
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self) -> "Harm":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.thread.join()

    def run(self) -> None:
        while self.count < self.most and not self.over.wait(self.random.uniform(0.05, 0.5)):
            files = spilled(self.folder)
            self.random.shuffle(files)
            for file in files[:AT_ONCE]:
                try:
                    self.damage(file, files)
                    self.count += 1
                except OSError:  # it is gone already
                    pass

    def damage(self, file: Path, others: list[Path]) -> None:
        size, how = file.stat().st_size, self.random.randrange(5)
        if how == 0:
            file.unlink()
        elif how == 1:
            os.truncate(file, self.random.randrange(size))
        elif how == 2:
            with file.open("r+b") as opened:
                opened.seek(at := self.random.randrange(size))
                byte = opened.read(1)
                opened.seek(at)
                opened.write(bytes([byte[0] ^ 1 << self.random.randrange(8)]))
        elif how == 3:
            os.truncate(file, 0)
        else:
            os.replace(file, self.random.choice(others))


def spilled(folder: Path) -> list[Path]:
    found = []
    for file in folder.rglob("*"):
        try:
            if file.is_file() and file.stat().st_size > 10_000:
                found.append(file)
        except OSError:
            pass
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARS_SPILL_DIRS", str(tmp_path))
    monkeypatch.setenv("MARS_CACHE_MEM_SIZE", "15%")
    return tmp_path


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    with new_session(n_worker=2, memory="700m", default=False) as session:
        yield session
    assert not spilled(folder)


def work() -> list[Any]:
    x = mt.random.RandomState(2).rand(20_000_000, chunk_size=500_000)
    cells = mt.random.RandomState(4).rand(3_000_000, 3, chunk_size=(150_000, 3))
    frame = md.DataFrame(cells, columns=list("abc"))
    frame["k"] = (frame.a * 1e5).astype("i8")
    return [mt.sort(x), frame.groupby("k").agg({"b": "max", "c": "min"}), mt.sort(x[::-1] * 2)]


def test_amid_sorts_and_groups(folder: Path, session: Session) -> None:
    with new_session(default=False) as threads:
        want = [digest(job.execute(session=threads).fetch(session=threads)) for job in work()]
    before = pids(session.client)
    with Harm(folder, seed=1, most=600) as harm:
        for job, right in zip(work(), want, strict=True):
            done = job.execute(session=session, wait=False).result(timeout=PATIENCE)
            assert digest(done.fetch()) == right
    assert harm.count > 100
    assert pids(session.client) == before


def made(i: int) -> np.ndarray:
    return np.random.default_rng(i).random(500_000)


def ready(futures: list[Any]) -> None:
    for future in futures:
        assert future.exception(timeout=PATIENCE) is None


def kept(dask_worker: Worker) -> int:
    return len(dask_worker.data)


def memory() -> int:
    return int(psutil.Process().memory_info().rss)


def test_what_was_damaged_leaves_the_memory(folder: Path) -> None:
    """26 files of 4 MB a round: a record of the log had kept each for ever, until the worker was paused."""
    few = {"dashboard_address": "127.0.0.1:0"}
    policy = MemoryPolicy.of_options(mem_bytes="400m", cache_mem="5%", spill_dir=[str(folder)])
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, **(cluster_arguments(policy) | few)) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        before = pids(client)
        sizes = []
        for number in range(16):
            held = client.map(made, range(26), pure=False)
            ready(held)
            assert len(spilled(folder)) > 10
            for file in spilled(folder):
                with file.open("r+b") as opened:
                    opened.seek(1000)
                    opened.write(b"x" * 64)
            assert len(client.gather(client.map(len, held, pure=False))) == 26
            del held
            until(
                lambda: not sum(client.run(kept).values()),
                "what nobody holds is let go of, of which the worker is told by another way than of a run",
            )
            if number >= 4:
                sizes.append(next(iter(client.run(memory).values())))
        assert max(sizes) - sizes[0] < 20 * 2**20
        assert pids(client) == before
