"""Reductions where chunks come out empty, lengths are unknown, or operations fuse; in-place and out= forms."""

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context

rng = np.random.RandomState(2)
DATA = np.where(rng.rand(40) < 0.2, np.nan, rng.permutation(40) - 11.0)
DATA[10:25] = -5.0
NAMES = [
    "sum",
    "prod",
    "mean",
    "max",
    "min",
    "any",
    "all",
    "std",
    "var",
    "ptp",
    "argmax",
    "argmin",
    "nansum",
    "nanprod",
    "nanmean",
    "nanmax",
    "nanmin",
    "nanstd",
    "nanvar",
    "nanargmax",
    "nanargmin",
    "median",
    "nanmedian",
    "count_nonzero",
]


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_a_mask_that_leaves_chunks_empty(name: str, fuse: bool) -> None:
    t = mt.tensor(DATA, chunk_size=5)
    with option_context({"optimize.fuse": fuse}):
        for threshold in (0.0, 20.0, 27.0):
            want = getattr(np, name)(DATA[threshold < DATA] + 1)
            ours = getattr(mt, name)(t[t > threshold] + 1).execute().fetch()
            np.testing.assert_allclose(ours, want)
            assert np.asarray(ours).dtype == np.asarray(want).dtype


@pytest.mark.parametrize("name", ["max", "min", "ptp", "argmax", "nanargmin", "nanmax"])
@pytest.mark.parametrize("fuse", [True, False])
def test_nothing_left_is_an_error(name: str, fuse: bool) -> None:
    t = mt.tensor(DATA, chunk_size=5)
    with option_context({"optimize.fuse": fuse}), pytest.raises(ValueError, match=r"empty|zero-size"):
        getattr(mt, name)(t[t > 99] + 1).execute()
    with pytest.raises(ValueError, match=r"empty|zero-size"):
        getattr(mt, name)(mt.tensor(DATA[:0]))


def test_cov_of_what_a_mask_leaves() -> None:
    t = mt.tensor(DATA, chunk_size=5)
    np.testing.assert_allclose(mt.cov(t[t > 20]).execute().fetch(), np.cov(DATA[DATA > 20]))


@pytest.mark.parametrize("dtype", ["i1", "u1", "?", "f4", "i4"])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "all"])
def test_fused_and_plain_have_numpys_dtype(name: str, dtype: str) -> None:
    data = (np.arange(30) % 3).astype(dtype).reshape(6, 5)
    t = mt.tensor(data, chunk_size=4)
    for axis in (None, 0, (0, 1)):
        want = getattr(np, name)(np.maximum(data, data), axis=axis)
        ours = getattr(mt, name)(mt.maximum(t, t), axis=axis)
        assert ours.dtype == want.dtype
        np.testing.assert_array_equal(ours.execute().fetch(), want)


def test_non_ufuncs_fuse_and_leave_their_operands_alone() -> None:
    data = rng.randint(-5, 5, 1000)
    t = mt.tensor(data, chunk_size=300).execute()
    want = np.negative(np.around(data) + 1)
    for _ in range(2):
        np.testing.assert_array_equal((-(mt.around(t) + 1)).execute().fetch(), want)
    np.testing.assert_array_equal(t.fetch(), data)
    h = mt.tensor(DATA, chunk_size=7)
    np.testing.assert_allclose(
        mt.nan_to_num(h * 2, nan=3.0).sum().execute().fetch(), np.nan_to_num(DATA * 2, nan=3.0).sum()
    )


def test_out_rebinds() -> None:
    t = mt.tensor(np.arange(12.0).reshape(3, 4), chunk_size=2)
    out = mt.zeros(4)
    assert mt.sum(t, axis=0, out=out) is out
    assert t.cumsum(axis=0, out=mt.zeros((3, 4))).shape == (3, 4)
    np.testing.assert_array_equal(out.execute().fetch(), [12, 15, 18, 21])
    with pytest.raises(TypeError, match="cast"):
        mt.mean(t, axis=0, out=mt.zeros(4, dtype="i4"))
    with pytest.raises(ValueError, match="shape"):
        mt.sum(t, axis=0, out=mt.zeros(3))


def test_bad_arguments_are_named() -> None:
    t = mt.tensor(np.arange(12.0).reshape(3, 4), chunk_size=2)
    with pytest.raises(ValueError, match="combine_size"):
        t.sum(combine_size=1)
    with pytest.raises(TypeError, match="keepdim"):
        t.sum(keepdim=True)
    with pytest.raises(TypeError, match="axis"):
        t.sum(axis=1.0)
    with pytest.raises(NotImplementedError, match="mean"):
        t.std(mean=3)
    assert t.sum(combine_size=2).execute().fetch() == 66


@pytest.mark.parametrize("method", ["linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
                                    "weibull", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"])  # fmt: skip
@pytest.mark.parametrize("size", [40, 101])
def test_quantiles_of_a_line_that_is_sorted_in_chunks(method: str, size: int) -> None:
    data = np.random.RandomState(size).permutation(size) * 1.5
    q = [0, 0.001, 0.0125, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 0.975, 1]
    with option_context({"chunk_store_limit": 64}):
        for values in (data.astype(int), np.where(data > 50, np.nan, data)):
            t = mt.tensor(values, chunk_size=9)
            for name in ("quantile", "nanquantile"):
                want = getattr(np, name)(values, q, method=method)
                ours = getattr(mt, name)(t, q, method=method)
                assert ours.dtype == want.dtype, name
                np.testing.assert_allclose(ours.execute().fetch(), want, err_msg=name)
        t = mt.tensor(data, chunk_size=9)
        np.testing.assert_allclose(mt.median(t).execute().fetch(), np.median(data))
        np.testing.assert_allclose(
            mt.percentile(t, 30, keepdims=True).execute().fetch(), np.percentile(data, 30, keepdims=True)
        )


@pytest.mark.parametrize(("dtype", "mean", "allowed"), [("f4", 1e4, 1e-6), ("f8", 1e9, 1e-13)])
def test_variance_beside_a_large_mean_is_as_exact_as_numpys(dtype: str, mean: float, allowed: float) -> None:
    """Chunks are joined by differences of means, and a mean in the data's precision is wrong in the digits that count."""
    x = (mean + np.random.default_rng(0).normal(size=20_000)).astype(dtype)
    want = float(np.var(x.astype(np.longdouble)))
    got = float(mt.tensor(x, chunk_size=37).var().execute().fetch())
    assert abs(got - want) < allowed * want


@pytest.mark.parametrize("name", ["var", "sem", "skew", "kurt"])
def test_moments_of_columns_and_groups_beside_a_large_mean(name: str) -> None:
    """Columns and groups join moments by the same formula as tensors."""
    values = 1e9 + np.random.default_rng(0).exponential(size=6000)
    frame = pd.DataFrame({"k": np.arange(6000) % 3, "v": values})
    frame.loc[::7, "v"] = np.nan
    plain = frame.assign(v=frame.v - 1e9)  # exact: no bit is lost
    ours = md.DataFrame(frame, chunk_size=37)
    np.testing.assert_allclose(
        getattr(ours.v, name)().execute().fetch(), getattr(plain.v, name)(), rtol=1e-11
    )
    if name in ("var", "sem"):  # a chunk's are pandas', who lose eight digits here
        got, want = (getattr(each.groupby("k").v, name)() for each in (ours, plain))
        np.testing.assert_allclose(got.execute().fetch(), want, rtol=1e-7)


def test_whether_all_is_fetched_as_pythons_truth() -> None:
    x = mt.tensor([1e10, 1e-8], chunk_size=1)
    assert mt.allclose(x, [1.00001e10, 1e-9]).execute().fetch() is True
    assert mt.allclose(x, [1.1e10, 1e-9]).execute().fetch() is False
    assert mt.array_equal(x, x).execute().fetch() is True
    assert bool(mt.array_equal(x, x + 1)) is False


def test_reductions_of_columns_in_which_there_might_have_been_holes() -> None:
    data = pd.DataFrame({"k": [1, 2, 3, 4, 5], "b": [True, False, True, True, False]})
    ours = md.DataFrame(data, chunk_size=2)
    for name in ("sum", "max", "min"):
        want = getattr(data.join(data.iloc[::-1].add_suffix("2"))[["k2", "b2"]], name)()
        got = getattr(ours.join(ours.iloc[::-1].add_suffix("2"))[["k2", "b2"]], name)()
        pd.testing.assert_series_equal(got.execute().fetch(), want)
