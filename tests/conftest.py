"""Sessions for tests, and the check that none of them is left."""

from collections.abc import Iterator

import pytest

import marsdask
from marsdask.session import Session, get_default_session, new_session


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Session]:
    """A distributed session of two worker processes, for tests marked `cluster`."""
    with new_session(n_worker=2, default=False) as session:
        yield session


@pytest.fixture
def on_cluster(two_workers: Session) -> Iterator[Session]:
    """Everything in the test runs on two worker processes."""
    before = get_default_session()
    two_workers.as_default()
    yield two_workers
    if before is not None:
        before.as_default()
    else:
        marsdask.session.clear_default_session()


@pytest.fixture(params=["threads", pytest.param("workers", marks=pytest.mark.cluster)])
def each_session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """The test runs twice: on threads, and on two worker processes."""
    if request.param == "workers":
        yield request.getfixturevalue("on_cluster")
        return
    before = get_default_session()
    with new_session() as threads:
        yield threads
    if before is not None:
        before.as_default()
