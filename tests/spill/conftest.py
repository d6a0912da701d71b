"""Workers of these tests start as users have them: what they have of memory, and the variables of malloc, are looked at."""

from collections.abc import Iterator

import dask
import pytest

from tests.processes import METHOD


@pytest.fixture(scope="package", autouse=True)
def spawned_workers() -> Iterator[None]:
    with dask.config.set({METHOD: "spawn"}):
        yield
