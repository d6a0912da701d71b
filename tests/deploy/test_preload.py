"""What worker processes load first."""

import asyncio
import logging
from types import SimpleNamespace

import distributed
import pytest
from distributed.comm import CommClosedError
from distributed.core import Status

from marsdask.deploy.preload import heartbeats


async def cut() -> None:
    raise CommClosedError("Stream is closed")


@pytest.mark.parametrize(
    ("status", "others", "told"),
    [
        (Status.running, [], True),
        (Status.paused, [], True),
        (Status.closing, [], False),
        (Status.closed, [], False),
        (Status.closing, [Status.closed], False),
        (Status.closing, [Status.running], True),
    ],
)
def test_a_heartbeat_that_did_not_get_through(
    caplog: pytest.LogCaptureFixture, status: Status, others: list[Status], told: bool
) -> None:
    worker = SimpleNamespace(
        status=status,
        address="tcp://127.0.0.1:1",
        contact_address="tcp://127.0.0.1:1",
        scheduler=SimpleNamespace(heartbeat_worker=None),
        get_metrics=cut,
    )
    beside = [SimpleNamespace(status=other) for other in others]
    logger, unless_closing = logging.getLogger("distributed.worker"), heartbeats(worker, *beside)
    logger.addFilter(unless_closing)
    try:
        with caplog.at_level(logging.ERROR, logger.name):
            asyncio.run(distributed.Worker.heartbeat(worker))
            logger.error("something else")
    finally:
        logger.removeFilter(unless_closing)
    assert ("during heartbeat" in caplog.text) is told
    assert "something else" in caplog.text
