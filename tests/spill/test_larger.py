"""Three times what a worker's memory holds: the right answer, and the worker that was there before."""

import sys
from pathlib import Path

import pytest

from tests.spill import larger


@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.minutes(3)
@pytest.mark.timeout(1800)  # of a machine that others use too
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the peak")
@pytest.mark.parametrize("work", ["merge", "groupby"])
def test_three_times_the_memory(work: str, tmp_path: Path) -> None:
    """In two directories, where nothing is left. Sorts, medians and rechunks go a part of their way: `larger` itself has them."""
    took = larger.three_times("512m", larger.WORKS[work][0], [str(tmp_path / "a"), str(tmp_path / "b")], 1)
    assert took.well, took
    assert took.spilled > took.data / 2  # what is on disk more than once counts each time
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and file.stat().st_size > 0]
