"""Sort and merge of three times what a worker's memory holds."""

from typing import Any

import pytest

from tests.spill import larger


@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.minutes(3)
@pytest.mark.timeout(1800)  # of a machine that others use too
@pytest.mark.parametrize("work", larger.ROW)
def test_three_times_the_memory(work: Any) -> None:
    took = larger.three_times("768m", work)
    assert took.well, took
