"""A cluster that ends does not wait for workers' processes of which nobody will hear."""

import asyncio
from typing import Any

import psutil
import pytest
from distributed.core import Status
from distributed.nanny import WorkerProcess

from marsdask.session import new_session
from tests.processes import until

pytestmark = [pytest.mark.processes, pytest.mark.oldest]


def closed(spoil: Any) -> None:
    """Spoil the nanny of a cluster in its event loop, and close the cluster: its worker's process is gone."""
    session = new_session(n_worker=1, default=False)
    cluster = session.engine.owned[1]  # type: ignore[attr-defined]
    (nanny,) = cluster.workers.values()
    pid = nanny.pid

    async def spoiled() -> None:
        spoil(nanny)

    cluster.sync(spoiled)
    session.close()
    until(lambda: not psutil.pid_exists(pid), "the end of the worker's process")
    assert nanny.status == Status.closed


def test_a_worker_whose_word_that_it_is_up_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marsdask.spill.worker.CLOSES_WITHIN", 1.0)

    def lost(nanny: Any) -> None:
        nanny.process.status, nanny.process.running = Status.starting, asyncio.Event()

    closed(lost)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the queue that nobody closed
def test_a_worker_whose_process_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(self: Any, *args: Any, **kwargs: Any) -> None:
        raise AttributeError("'NoneType' object has no attribute 'put'")

    def spoil(nanny: Any) -> None:
        monkeypatch.setattr(WorkerProcess, "kill", fails)

    closed(spoil)
