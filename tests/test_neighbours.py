"""What other libraries get from our handles by the protocols that they ask for: Arrow, narwhals, NumPy, xarray, dask.dataframe."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.special

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.errors import ArgumentTypeError

RAW = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5], "k": ["a", "b", "a", None], "n": [4, 3, 2, 1]})


def df() -> Any:
    return md.DataFrame(RAW, chunk_size=3)


def t() -> Any:
    return mt.tensor(RAW[["x", "n"]].to_numpy(), chunk_size=(3, 1))


def test_arrow_has_values_as_arrays() -> None:
    assert pa.array(df().x).to_pylist() == RAW.x.tolist()
    assert pa.chunked_array([df().k]).to_pylist() == ["a", "b", "a", None]
    assert pa.chunked_array(df().k).to_pylist() == ["a", "b", "a", None]
    assert pa.array(df().index).to_pylist() == [0, 1, 2, 3]
    assert pa.array(df().n, type=pa.float32()).type == pa.float32()
    assert pa.table({"x": df().x, "n": df().n}).to_pydict() == RAW[["x", "n"]].to_dict("list")
    assert pl.Series(df().x).to_list() == RAW.x.tolist()
    assert pa.array(t()[:, 0]).to_pylist() == pl.Series(t()[:, 0]).to_list() == RAW.x.tolist()


@pytest.mark.parametrize(
    "column", [[Decimal("1.5"), None, Decimal("2.5")], [[1], [2, 3], []], pd.Categorical(["b", "a", "b"])]
)
def test_arrow_streams_objects(column: Any) -> None:
    """Their types are those of the values, also where the first chunk has none."""
    table = pd.DataFrame({3: column, "n": [1, 2, 3]})
    got = pa.table(md.DataFrame(table.iloc[[1, 0, 2]], chunk_size=1))
    want = pa.Table.from_pandas(table.iloc[[1, 0, 2]], preserve_index=False)
    assert got.column_names == ["3", "n"]
    assert got.to_pydict() == want.to_pydict()


def test_narwhals_takes_frames_and_series() -> None:
    frame = nw.from_native(df(), eager_only=True)
    assert frame.columns == ["x", "k", "n"]
    pd.testing.assert_frame_equal(frame.filter(nw.col("n") > 1).to_native(), RAW[RAW.n > 1])
    series = nw.from_native(df().x, series_only=True)
    pd.testing.assert_series_equal(series.to_native(), RAW.x)
    assert nw.dependencies.is_into_dataframe(df())
    assert nw.dependencies.is_into_series(df().x)


def test_the_interchange_protocol() -> None:
    """As seaborn asks for it."""
    exchanged = df().__dataframe__()
    assert list(exchanged.column_names()) == ["x", "k", "n"]
    assert exchanged.num_rows() == 4


def test_an_array_of_a_dask_frame_has_its_inputs() -> None:
    for frame in (df()[["x", "n"]], df()[["x", "n"]].execute()):
        np.testing.assert_array_equal(frame.to_dask().to_dask_array(lengths=True).compute(), RAW[["x", "n"]])
        assert frame.to_dask().values.mean().compute() == RAW[["x", "n"]].to_numpy().mean()
    assert df().index.to_dask().compute().tolist() == [0, 1, 2, 3]


def test_ufuncs_of_other_libraries() -> None:
    """By what they do, not by their names: one may have the name of another of NumPy's."""
    values = RAW[["x", "n"]].to_numpy()
    np.testing.assert_array_equal(scipy.special.erf(t()).execute().fetch(), scipy.special.erf(values))
    np.testing.assert_array_equal(
        scipy.special.jv(t(), mt.tensor([1, 2])).execute().fetch(), scipy.special.jv(values, [1, 2])
    )
    for ours, want in zip(scipy.special.airy(t()), scipy.special.airy(values), strict=True):
        np.testing.assert_array_equal(ours.execute().fetch(), want)
    out = mt.zeros((4, 2), chunk_size=2)
    assert scipy.special.gamma(t(), out=out) is out
    np.testing.assert_array_equal(out.execute().fetch(), scipy.special.gamma(values))
    assert scipy.special.gamma(df().x).execute().fetch().tolist() == scipy.special.gamma(RAW.x).tolist()
    with pytest.raises(ArgumentTypeError, match=r"erf\(dtype=\)"):
        scipy.special.erf(t(), dtype="f4")
    for each in (t(), df().x):
        other = np.frompyfunc(lambda x: x + 100, 1, 1)
        got = other(each).execute().fetch()
        np.testing.assert_array_equal(np.asarray(got, dtype=float), np.asarray(each) + 100)


def test_what_numpy_asks_of_memory() -> None:
    """scikit-learn looks whether its copy is one."""
    x = t()
    assert not np.may_share_memory(x, np.asarray(x))
    assert not np.shares_memory(t(), t())
    assert np.shares_memory(x[:2], x[1:])
    assert np.may_share_memory(x, x.T)
    assert not np.may_share_memory(np.asarray(df().n), df().n)


def test_functions_of_numpy_that_are_not_there_say_where_else() -> None:
    for each in (t(), df().x):
        with pytest.raises(TypeError, match=r"numpy\.pad.*to_dask\(\)"):
            np.pad(each, 1)


def test_attributes_of_dask_arrays_say_where_they_are() -> None:
    with pytest.raises(AttributeError, match=r"'numblocks'.*to_dask\(\)"):
        t().numblocks  # noqa: B018


def test_xarray_sees_chunks(tmp_path: Path) -> None:
    xr = pytest.importorskip("xarray")
    x = xr.DataArray(t(), dims=("a", "b"))
    assert x.chunks == t().chunks == ((3, 1), (1, 1))
    assert isinstance(x.mean("a").data, mt.Tensor)
    handed = t().to_xarray(dims=("a", "b"), name="x")  # what is in chunks and wants Dask's own arrays
    np.testing.assert_array_equal(handed.rolling(a=2).mean().values[1:, 0], RAW.x.rolling(2).mean()[1:])
    handed.to_netcdf(tmp_path / "x.nc", engine="scipy")
    with xr.open_dataarray(tmp_path / "x.nc", engine="scipy") as read:
        np.testing.assert_array_equal(read.values, RAW[["x", "n"]])


NUMPYS: dict[str, Any] = {
    "all": lambda v: np.all(v > 1),
    "append": lambda v: np.append(v, [1, 2]),
    "argmax": np.argmax,
    "clip": lambda v: np.clip(v, 2, 3),
    "cov": np.cov,
    "cumsum": lambda v: np.cumsum(v, axis=0),
    "delete": lambda v: np.delete(v, 0),
    "diff": np.diff,
    "insert": lambda v: np.insert(v, 0, 7),
    "max": lambda v: np.max(v, axis=0),
    "mean": np.mean,
    "median": np.median,
    "nanstd": np.nanstd,
    "percentile": lambda v: np.percentile(v, 30),
    "quantile": lambda v: np.quantile(v, [0.3, 0.5]),
    "round": lambda v: np.round(v, 0),
    "std": np.std,
    "std by column": lambda v: np.std(v, axis=0),
    "std of a sample": lambda v: np.std(v, ddof=1),
    "var": np.var,
    "var by column": lambda v: np.var(v, axis=0, ddof=1),
}


@pytest.mark.parametrize("name", NUMPYS)
def test_functions_of_numpy_give_what_they_give_of_pandas(name: str) -> None:
    """pandas has methods of the same names that do something else: `diff`, `append`, `quantile`; or by other defaults: `std`."""
    for pick in (lambda frame: frame.x, lambda frame: frame[["x", "n"]]):
        want = NUMPYS[name](pick(RAW))
        got = NUMPYS[name](pick(df())).execute().fetch()
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(np.asarray(got, dtype=float), np.asarray(want, dtype=float))
