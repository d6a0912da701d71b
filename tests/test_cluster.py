"""The same answers from two worker processes: one case of every operation, and a program."""

import gc
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.plan.registry import lookup
from marsdask.session import Session
from tests.names import prefixes, unknown
from tests.oracle import all_cases, assert_like, check_case

pytestmark = [pytest.mark.processes, pytest.mark.usefixtures("on_cluster", "names_are_known")]


@pytest.fixture(scope="module")
def names_are_known(two_workers: Session) -> Iterator[None]:
    """What the scheduler calls the tasks of all these cases: our operations."""
    before = prefixes(two_workers)
    yield
    assert unknown(prefixes(two_workers) - before) == set()


def first_cases(room: str) -> list[tuple[str, str]]:
    """The first case of each operation."""
    firsts: dict[str, str] = {}
    for name, case in all_cases(room):
        firsts.setdefault(name, case)
    return list(firsts.items())


@pytest.mark.parametrize(("name", "case"), first_cases("tensor"))
def test_tensor_operations(name: str, case: str) -> None:
    check_case(lookup(name), case, "ragged")


@pytest.mark.parametrize(("name", "case"), first_cases("dataframe"))
def test_frame_operations(name: str, case: str) -> None:
    check_case(lookup(name), case, "ragged")


def test_program(on_cluster: Session) -> None:
    gc.collect()
    before = len(on_cluster.results)
    rng = np.random.RandomState(3)
    whole = pd.DataFrame({"k": rng.randint(0, 9, 500), "v": rng.rand(500)})
    frame = md.DataFrame(whole, chunk_size=60)
    kept = frame[frame.v > 0.5]
    got = kept.groupby("k").v.mean().sort_values(ascending=False).head(3).execute().fetch()
    want = whole[whole.v > 0.5].groupby("k").v.mean().sort_values(ascending=False).head(3)
    assert_like(got, want)
    t = mt.sort(mt.tensor(whole.v.to_numpy(), chunk_size=77))
    assert_like(
        t[t > 0.25].execute().fetch(), np.sort(whole.v.to_numpy())[np.sort(whole.v.to_numpy()) > 0.25]
    )
    assert kept.is_executed() is False
    gc.collect()
    assert len(on_cluster.results) <= before  # the handles of what ran are gone
