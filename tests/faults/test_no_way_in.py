"""Who has the wrong certificate, none, or does not encrypt stays outside; a cluster without workers says so. Both at once."""

from collections.abc import Iterator
from typing import Any

import dask
import distributed
import pytest
from distributed.security import Security

import marsdask.tensor as mt
from marsdask.errors import ClusterUnreachable, NoWorkers
from marsdask.session import new_session
from tests.processes import NEVER, at_once

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def secure() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tls", security=Security.temporary(),
        dashboard_address="127.0.0.1:0",
    ) as cluster:  # fmt: skip
        yield cluster


def test_the_right_certificate(secure: Any) -> None:
    with new_session(secure.scheduler_address, security=secure.security, default=False) as session:
        assert mt.ones((4,), chunk_size=2).sum().execute(session=session).fetch() == 4


@pytest.mark.parametrize("who", ["another authority", "no certificate", "not encrypted"])
def test_refused(who: str, secure: Any) -> None:
    address = secure.scheduler_address
    given = {
        "another authority": (address, Security.temporary()),
        "no certificate": (address, None),
        "not encrypted": (address.replace("tls:", "tcp:"), None),
    }
    where, security = given[who]
    with at_once(), pytest.raises(ClusterUnreachable, match="address="):
        new_session(where, security=security, default=False, timeout=NEVER)


def test_no_worker_in_time() -> None:
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"}),
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster,
        new_session(cluster, default=False) as session,
        at_once(),  # without the setting it is five minutes
        pytest.raises(NoWorkers, match="waited 1 s, and no worker is connected"),
    ):
        mt.ones((3,)).execute(session=session)
