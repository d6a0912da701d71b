"""Tensor operations that ask and exchange, on two worker processes: the same answers as in one."""

import sys

import numpy as np
import pytest

import marsdask.tensor as mt
from marsdask import option_context
from marsdask.session import Session

pytestmark = [pytest.mark.processes, pytest.mark.oldest, pytest.mark.slow]
rng = np.random.RandomState(0)
LINE = np.where(np.arange(300) % 7 == 0, np.nan, rng.randint(0, 50, 300))
SQUARE = rng.rand(60, 40)
CASES = {
    "sort": (lambda t, u: mt.sort(t), np.sort(LINE)),
    "argsort": (lambda t, u: mt.argsort(t), np.argsort(LINE, kind="stable")),
    "unique": (lambda t, u: mt.unique(t), np.unique(LINE)),
    "nanstd": (lambda t, u: mt.nanstd(t), np.nanstd(LINE)),
    "nanargmax": (lambda t, u: mt.nanargmax(t), np.nanargmax(LINE)),
    "nanquantile": (lambda t, u: mt.nanquantile(t, [0.1, 0.5]), np.nanquantile(LINE, [0.1, 0.5])),
    "topk": (lambda t, u: mt.topk(u, 3, axis=0), -np.sort(-SQUARE, axis=0)[:3]),
    "isin": (lambda t, u: mt.isin(t, [3.0, 4]), np.isin(LINE, [3.0, 4])),
    "histogram": (lambda t, u: mt.histogram(u, 9)[0], np.histogram(SQUARE, 9)[0]),
    "matmul": (lambda t, u: u @ u.T, SQUARE @ SQUARE.T),
    "einsum": (lambda t, u: mt.einsum("ij,kj->ik", u, u), SQUARE @ SQUARE.T),
    "cov": (lambda t, u: mt.cov(u), np.cov(SQUARE)),
    "cumsum": (lambda t, u: u.cumsum(axis=0), SQUARE.cumsum(axis=0)),
    "norm": (lambda t, u: mt.linalg.norm(u, "nuc"), np.linalg.norm(SQUARE, "nuc")),
    "svd": (lambda t, u: mt.linalg.svd(u)[1], np.linalg.svd(SQUARE)[1]),
}


@pytest.mark.parametrize("name", CASES)
def test_same_answers(name: str, on_cluster: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["marsdask.tensor.sorting.sort"], "IN_ONE_CHUNK", 0)
    call, want = CASES[name]
    with option_context({"chunk_store_limit": 256} if "quantile" in name else {}):
        t, u = mt.tensor(LINE, chunk_size=70), mt.tensor(SQUARE, chunk_size=17)
        np.testing.assert_allclose(call(t, u).execute().fetch(), want)


def test_same_draws(on_cluster: Session) -> None:
    there = mt.random.RandomState(3).normal(size=50, chunk_size=20)
    here = mt.random.RandomState(3).normal(size=50, chunk_size=20).to_dask().compute(scheduler="sync")
    np.testing.assert_array_equal(there.execute().fetch(), here)
    assert sorted(mt.random.permutation(50, chunk_size=20).execute().fetch()) == list(range(50))
