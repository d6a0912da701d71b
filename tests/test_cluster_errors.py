"""What a cluster may do to a program, as errors that say so."""

import os
from typing import Any

import dask
import distributed  # before its settings are changed: its own defaults come with the import
import numpy as np
import pytest

import marsdask.tensor as mt
from marsdask.errors import ClusterUnreachable, MarsDaskError, NoWorkers, WorkerLost
from marsdask.session import Session, new_session
from tests.processes import PATIENCE

pytestmark = pytest.mark.processes


def dies(block: Any) -> Any:
    os._exit(3)


def fails(block: Any) -> Any:
    raise LookupError("the user's own")


@pytest.fixture(scope="module")
def fragile() -> Any:
    """A cluster that gives a task up after its first worker, and waits for the next one."""
    first = {"distributed.scheduler.allowed-failures": 0}
    with dask.config.set(first), new_session(n_worker=1, default=False) as session:
        yield session


@pytest.mark.filterwarnings("ignore:Creating scratch")
def test_dead_worker(fragile: Session) -> None:
    t = mt.ones((3,), chunk_size=3).map_chunk(dies, dtype="f8")
    with pytest.raises(WorkerLost, match="was running when 1 workers died") as caught:
        t.execute(session=fragile)
    assert isinstance(caught.value, RuntimeError)
    fragile.engine.client.wait_for_workers(1, timeout=PATIENCE)  # type: ignore[attr-defined]
    again = (mt.ones((3,)) + 1).execute(session=fragile)  # the worker is back
    np.testing.assert_array_equal(again.fetch(), [2, 2, 2])


def test_users_errors_keep_their_type(fragile: Session) -> None:
    t = mt.ones((3,), chunk_size=3).map_chunk(fails, dtype="f8")
    with pytest.raises(LookupError, match="the user's own"):
        t.execute(session=fragile)


def test_no_workers() -> None:
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "200ms"}),
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster,
        new_session(cluster, default=False) as session,
        pytest.raises(NoWorkers, match="no worker in time"),
    ):
        mt.ones((3,)).execute(session=session)


@pytest.mark.parametrize("address", [42, ["tcp://127.0.0.1:1"]])
def test_addresses_that_are_none(address: Any) -> None:
    with pytest.raises(TypeError, match="address=") as caught:
        new_session(address)
    assert isinstance(caught.value, MarsDaskError)


def test_nobody_there() -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "300ms"}),
        pytest.raises(ClusterUnreachable, match="no scheduler answers"),
    ):
        new_session("tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    "address", ["nowhere", "tcp://nowhere", "host:port", "ftp://h:1", "http://", "h:0", "h:99999"]
)
def test_malformed_addresses(address: str) -> None:
    with pytest.raises(ValueError, match="address=") as caught:
        new_session(address)
    assert isinstance(caught.value, MarsDaskError)


def test_web_address_of_a_plain_cluster() -> None:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", protocol="tcp"
    ) as cluster:
        web = cluster.dashboard_link.removesuffix("/status")
        with new_session(web, default=False) as session:
            assert mt.ones((3,)).sum().execute(session=session).fetch() == 3


def test_web_address_where_nobody_listens() -> None:
    with pytest.raises(ClusterUnreachable, match=r"Tried: http://127\.0\.0\.1:9"):
        new_session("http://127.0.0.1:9")


def test_counts_and_address_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="n_worker"):
        new_session("tcp://127.0.0.1:9", n_worker=2)
