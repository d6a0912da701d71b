"""What other libraries get from our handles by the protocols that they ask for: Arrow, narwhals, NumPy, xarray, dask.dataframe."""

from typing import Any

import numpy as np
import pandas as pd
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
