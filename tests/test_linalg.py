"""Tall and thin matrices in chunks of rows."""

import numpy as np
import pytest

import marsdask.tensor as mt
from marsdask import option_context
from marsdask.session import room

rng = np.random.RandomState(5)
TALL = rng.standard_normal((120, 4))


@pytest.mark.parametrize("chunks", [30, (120, 2), ((7, 0, 100, 13), 4), ((1,) * 20 + (100,), 3)])
def test_tiled_factors(chunks: object) -> None:
    t = mt.tensor(TALL, chunk_size=chunks)
    with option_context({"chunk_store_limit": 640}):
        q, r = mt.linalg.qr(t).execute().fetch()
        u, s, v = mt.linalg.svd(t).execute().fetch()
        wu, ws, wv = mt.linalg.svd(mt.transpose(t)).execute().fetch()
        only = mt.linalg.svd(t, compute_uv=False).execute().fetch()
    np.testing.assert_allclose(q @ r, TALL, atol=1e-12)
    np.testing.assert_allclose(q.T @ q, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(r, np.triu(r))
    want = np.linalg.svd(TALL, compute_uv=False)
    for each in (s, ws, only):
        np.testing.assert_allclose(each, want)
    np.testing.assert_allclose(u * s @ v, TALL, atol=1e-12)
    np.testing.assert_allclose(wu * ws @ wv, TALL.T, atol=1e-12)


@pytest.mark.parametrize("transposed", [False, True])
def test_randomized_svd_of_low_rank(transposed: bool) -> None:
    low = (TALL[:, :3] * [30, 10, 3]) @ rng.standard_normal((3, 20))
    low = low.T if transposed else low
    u, s, v = mt.linalg.randomized_svd(mt.tensor(low, chunk_size=25), 3).execute().fetch()
    np.testing.assert_allclose(s, np.linalg.svd(low, compute_uv=False)[:3])
    np.testing.assert_allclose(u * s @ v, low, atol=1e-9)


def test_bad_arguments_are_named() -> None:
    t = mt.tensor(TALL)
    with pytest.raises(ValueError, match="method"):
        mt.linalg.qr(t, method="nope")
    with pytest.raises(ValueError, match="square"):
        mt.linalg.inv(t)
    with pytest.raises(AttributeError, match="'norm'"):
        mt.linalg.norn  # noqa: B018


def test_numpys_defaults_count_where_numpy_is_called() -> None:
    tensor = mt.tensor(TALL, chunk_size=(6, 3))
    u, s, vt = np.linalg.svd(tensor)
    assert [t.shape for t in (u, s, vt)] == [t.shape for t in np.linalg.svd(TALL)]
    k = len(s)
    np.testing.assert_allclose((u[:, :k] * s) @ vt, TALL, atol=1e-10)
    assert mt.linalg.svd(tensor)[0].shape == TALL.shape
    for thin in (np.linalg.svd(tensor, False), np.linalg.svd(tensor, full_matrices=False)):
        assert thin[0].shape == TALL.shape


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "?", "c16"])
def test_products_of_large_chunks_are_added_one_after_another(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the parts of one sum together are more than a chunk should have."""
    monkeypatch.setattr(room, "most_bytes", lambda: 100.0)
    rng = np.random.default_rng(0)
    a, b = (np.asarray(rng.random(shape) * 9).astype(dtype) for shape in ((17, 13), (13, 11)))
    x, y = (mt.tensor(each, chunk_size=4) for each in (a, b))
    close = {"rtol": 1e-2 if dtype == "f2" else 1e-6}
    for ours, want in (
        (x @ y, a @ b),
        (mt.tensordot(x, y, axes=1), np.tensordot(a, b, axes=1)),
        (mt.einsum("ij,jk->ki", x, y), np.einsum("ij,jk->ki", a, b)),
    ):
        got = ours.execute().fetch()
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, **close)
    stacked = np.stack([a, a + a])
    got = mt.matmul(mt.tensor(stacked, chunk_size=(1, 5, 4)), y).execute().fetch()
    np.testing.assert_allclose(got, stacked @ b, **close)
