"""Workers by a policy: what they refuse, what they tell, full disks, more data than memory."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import dask
import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster, Scheduler, Worker
from distributed.core import Status

import marsdask.tensor as mt
from marsdask import new_session
from marsdask.deploy.worker import noting
from marsdask.errors import ArgumentError, SpillFull
from marsdask.sizes import MIB
from marsdask.spill import MarsNanny, MarsWorker, MemoryPolicy, cluster_arguments
from marsdask.spill.report import Memory, WorkerMemory
from tests.processes import PATIENCE, at_once


@pytest.mark.parametrize("kind", [MarsNanny, MarsWorker])
@pytest.mark.parametrize("limit", [-5, "-1GB", "10kB", 1000])
def test_limits_that_dask_takes_are_refused(kind, limit):
    with pytest.raises(ArgumentError, match="memory_limit="):
        kind("tcp://127.0.0.1:1", memory_limit=limit, nthreads=1)


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("marsdask.spill.cache", "140%", r"marsdask\.spill\.cache='140%'"),
        ("marsdask.spill.directoris", "/a", r"marsdask\.spill\.directoris is no memory option"),
        ("distributed.worker.memory.target", 0.9, r"distributed\.worker\.memory\.target=0\.9"),
        ("marsdask.spill.least-memory", "900m", r"marsdask\.spill\.least-memory='900m'"),
    ],
)
def test_wrong_options_are_refused_before_a_worker_starts(key, value, error):
    with dask.config.set({key: value}):
        for kind in (MarsNanny, MarsWorker):
            with pytest.raises((ArgumentError, TypeError), match=error):
                kind("tcp://127.0.0.1:1", memory_limit="500MiB", nthreads=1)
        if "least" not in key:
            with pytest.raises((ArgumentError, TypeError), match=error):
                new_session(n_worker=1, default=False)


class TestMemory:
    worker = WorkerMemory(
        2**30, 2**28, 2**27, 2**20, "paused",
        ({"path": "/a", "files": 1, "bytes": 2**20, "quota": 2**21, "free": 2**30, "bad": None},),
    )  # fmt: skip

    def test_prints_a_table(self):
        text = repr(Memory({"tcp://a": self.worker, "tcp://b": self.worker}))
        assert text.splitlines()[0].split() == ["worker", "limit", "process", "data", "spilled"]
        assert "1 MiB of 2 MiB in 1 file, 1 GiB free" in text
        assert "paused" in text
        assert text.splitlines()[-1].split()[:3] == ["all", "2", "GiB"]
        assert "<td>tcp://a</td>" in Memory({"tcp://a": self.worker})._repr_html_()

    def test_sums(self):
        both = Memory({"a": self.worker, "b": self.worker})
        assert (both.limit, both.process, both.managed, both.spilled) == (2**31, 2**29, 2**28, 2**21)
        assert Memory({"a": WorkerMemory(None, 1, 1, 0)}).limit is None

    def test_on_threads(self):
        with new_session(default=False) as session:
            x = mt.tensor(np.arange(1_000_000), chunk_size=250_000) + 1
            x.execute(session=session)
            (found,) = session.memory().workers.values()
            assert found.managed >= 8_000_000
            assert found.limit > found.process > found.managed


@pytest.mark.processes
def test_a_worker_that_closes_is_not_running_again(caplog):
    """Whatever its scheduler said before it knew; and asked to close twice, it closes once."""

    async def closed_twice():
        async with (
            Scheduler(dashboard_address="127.0.0.1:0", host="127.0.0.1") as scheduler,
            MarsWorker(scheduler.address, memory_limit="300MiB", nthreads=1) as worker,
        ):
            first = asyncio.create_task(worker.close())
            await asyncio.sleep(0)
            worker.handle_worker_status_change("running", "test")
            assert worker.status is Status.closing
            await asyncio.gather(first, worker.close())
            assert worker.status is Status.closed

    asyncio.run(closed_twice())
    assert "Traceback" not in caplog.text


@pytest.mark.processes
@pytest.mark.parametrize("told", [True, False])
def test_a_worker_that_hears_by_a_heartbeat_that_it_has_left(told, monkeypatch):
    """It was told to, where it is closing; else its scheduler has forgotten it. Its nanny hears the same."""
    close, reasons = Worker.close, []

    def noted(self, *args, **kwargs):
        reasons.append(kwargs["reason"])
        return close(self, *args, **kwargs)

    monkeypatch.setattr(Worker, "close", noted)

    async def left():
        async with (
            Scheduler(dashboard_address="127.0.0.1:0", host="127.0.0.1") as scheduler,
            noting(MarsWorker)(scheduler.address, memory_limit="300MiB", nthreads=1) as worker,
        ):
            if told:
                scheduler.worker_send(
                    worker.address,
                    {"op": "worker-status-change", "status": "closing_gracefully", "stimulus_id": "test"},
                )
                while worker.status is not Status.closing_gracefully:
                    await asyncio.sleep(0.01)
            await scheduler.remove_worker(worker.address, stimulus_id="test", close=False)
            await worker.heartbeat()
            assert worker.status is Status.closed
            return worker.left

    reason = "scheduler-remove-worker" if told else "worker-heartbeat-missing"
    assert asyncio.run(left()) == reason
    assert reasons[0] == reason


@pytest.mark.processes
@pytest.mark.slow
class TestFullDisk:
    @pytest.fixture
    def small_disk(self, tmp_path):
        """64 MiB, a file system of its own where this user may mount one."""
        disk = tmp_path / "disk"
        disk.mkdir()
        mounted = (
            os.geteuid() == 0
            and not subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=64m", "none", disk],
                capture_output=True,
                timeout=PATIENCE,
            ).returncode
        )
        yield {"marsdask.spill.directories": [str(disk)]} | (
            {} if mounted else {"marsdask.spill.quota": 48 * MIB}
        )
        if mounted:
            subprocess.run(["umount", disk], check=True, timeout=PATIENCE)

    @pytest.mark.parametrize("workers", [1, 2])
    def test_a_full_disk_is_named_and_the_workers_go_on(self, small_disk, workers):
        with dask.config.set(small_disk):
            session = new_session(n_worker=workers, memory=500 * MIB * workers, default=False)
        with session:
            x = mt.random.rand(100_000_000, chunk_size=4_000_000)
            with at_once(), pytest.raises(SpillFull, match="bytes free") as caught:  # sooner than NoWorkers
                x.execute(session=session)
            assert small_disk["marsdask.spill.directories"][0] in str(caught.value)
            del x
            assert mt.ones(10).sum().execute(session=session).fetch(session=session) == 10
            found = session.memory().workers.values()
            assert len(found) == workers
            for worker in found:
                assert [d["path"] for d in worker.directories] == small_disk["marsdask.spill.directories"]


@pytest.fixture
def two_directories(tmp_path):
    return [str(tmp_path / "a"), str(tmp_path / "b")]


@pytest.mark.processes
@pytest.mark.slow
def test_worker_class_of_a_dask_worker_and_a_plain_one_serve(two_directories, tmp_path):
    """`dask worker --worker-class marsdask.spill.MarsWorker`, and beside it a plain one."""
    config = os.environ | MemoryPolicy.of_options(spill_dir=two_directories, cache_mem="30%").to_env()
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        few = [
            "--nthreads",
            "1",
            "--no-dashboard",
            "--memory-limit",
            "400MiB",
            "--local-directory",
            str(tmp_path),
        ]
        ours = subprocess.Popen(
            [*command, *few, "--worker-class", "marsdask.spill.MarsWorker"],
            env=config,
            stderr=subprocess.DEVNULL,
        )
        plain = subprocess.Popen([*command, *few], stderr=subprocess.DEVNULL)
        try:
            with (
                Client(cluster, set_as_default=False) as client,
                new_session(client, default=False) as session,
            ):
                client.wait_for_workers(2, timeout=PATIENCE)
                told = session.memory().workers.values()
                assert sorted(len(w.directories) for w in told) == [0, 2]
                x = mt.arange(1_000_000, chunk_size=100_000)
                assert (x * 2).sum().execute(session=session).fetch(session=session) == 999_999_000_000
                assert _columns(cluster) >= {f"spill {d}" for d in two_directories}
        finally:
            for process in (ours, plain):
                process.terminate()
                process.wait(PATIENCE)


def _columns(cluster: LocalCluster) -> set[str]:
    """What the second table of the dashboard's workers page would show."""
    from distributed.dashboard.components.scheduler import WorkerTable

    return set(WorkerTable(cluster.scheduler).extra_names)


@pytest.mark.processes
@pytest.mark.slow
def test_threads_of_one_process(two_directories):
    # All that this process has counts for the worker. After other tests that was 840 MiB: of 1 GiB it pauses at 819.
    limit = psutil.Process().memory_info().rss + 2**30
    policy = MemoryPolicy.of_options(spill_dir=two_directories, mem_bytes=limit, cache_mem="30%")
    arguments = cluster_arguments(policy, processes=False)
    assert arguments["worker_class"] is MarsWorker
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", **arguments
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        (worker,) = cluster.workers.values()
        assert worker.data.fast.n <= limit * 0.3
        futures = client.map(np.ones, [1_000_000] * 5, pure=False)
        assert sum(a.sum() for a in client.gather(futures)) == 5_000_000
    assert not [
        f for d in two_directories for f in Path(d).rglob("*") if f.is_file() and f.stat().st_size > 0
    ]
