"""Failures said in words: functions of what a cluster reports, and the bound on running things again."""

import asyncio
from concurrent.futures import CancelledError
from types import SimpleNamespace
from typing import Any

import pytest
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker, NoWorkerError

from marsdask import option_context
from marsdask.engine import client, failures
from marsdask.errors import DataLost, NoWorkers, OutOfWorkerMemory, WorkerLost
from marsdask.session import results

WORKER = SimpleNamespace(address="tcp://10.0.0.7:40000", memory_limit=500 * 2**20)
KILLED: Any = KilledWorker(("sort-" + "0" * 32, 3), WORKER, 3)  # type: ignore[arg-type]


def test_a_worker_lost() -> None:
    error = failures.lost_worker(KILLED, [])
    assert type(error) is WorkerLost
    assert "'sort' was running when 4 workers died, the last of them tcp://10.0.0.7:40000" in str(error)


def test_memory_is_named_only_where_that_worker_was_restarted_for_it() -> None:
    def restarted(address: str) -> Any:
        return (1.0, {"worker": address, "pid": 7, "rss": 499_999_999})

    other = failures.lost_worker(KILLED, [restarted("tcp://10.0.0.8:40000")])
    assert not isinstance(other, MemoryError)
    error = failures.lost_worker(KILLED, [restarted("tcp://10.0.0.8:40000"), restarted(WORKER.address)])
    assert isinstance(error, OutOfWorkerMemory)
    assert "'sort' needed more memory" in str(error)
    assert "499,999,999 of 524,288,000 bytes" in str(error)


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([], "no worker is connected"),
        (["paused", "paused"], "all 2 workers are paused, for their memory is full"),
        (["paused", "closing_gracefully"], "are closing_gracefully, paused"),
    ],
)
def test_no_workers(states: list[str], said: str) -> None:
    workers = {str(i): {"status": s} for i, s in enumerate(states)}
    cluster = SimpleNamespace(
        get_events=lambda topic: (),
        status="running",
        scheduler=SimpleNamespace(identity=lambda n_workers: {"workers": workers}),
        sync=lambda called, **arguments: called(**arguments),
    )
    error = failures.named(NoWorkerError("x-1", 300), cluster)
    assert isinstance(error, NoWorkers)
    assert "waited 300 s" in str(error)
    assert said in str(error)


def test_what_was_cancelled_on_purpose_is_not_lost() -> None:
    assert failures.forgotten(FutureCancelledError("x", None), "running") is None
    assert failures.forgotten(CancelledError(), "running") is None
    for reason, status in (
        ("lost dependencies", "running"),
        (None, "connecting"),
        ("scheduler-restart", "running"),
    ):
        assert isinstance(failures.forgotten(FutureCancelledError("x", reason), status), DataLost)


class Forgetful:
    """An engine whose cluster loses everything, always."""

    came_back = 0

    def back(self) -> None:
        self.came_back += 1


@pytest.mark.parametrize("limit", [0, 2])
def test_the_same_loss_again_and_again_ends(limit: int) -> None:
    engine: Any = Forgetful()
    tries = []

    def work() -> None:
        tries.append(1)
        raise DataLost.because("lost dependencies")

    with (
        option_context({"cluster.recompute_limit": limit}),
        pytest.raises(DataLost, match="lost dependencies"),
    ):
        results.retried(engine, work)
    assert len(tries) == limit + 1
    assert engine.came_back == limit


def test_many_futures_are_cancelled_few_at_a_time() -> None:
    """The scheduler's work grows with the square of what it is told at once."""
    asked: list[list[int]] = []

    class Client:
        async def cancel(self, futures: list[int], asynchronous: bool) -> None:
            asked.append(futures)

    asyncio.run(client._cancelled(Client(), list(range(100))))  # type: ignore[arg-type]
    assert [i for each in asked for i in each] == list(range(100))
    assert max(map(len, asked)) == client.AT_ONCE
