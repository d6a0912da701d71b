"""Written from the registry by `make stubs`; do not edit."""

import builtins
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, overload

import dask.array as da
import numpy as np
import numpy.typing as npt
import pandas as pd
from typing_extensions import deprecated

from marsdask.session.lazy import Lazy
from marsdask.session.progress import ExecutionInfo
from marsdask.session import Session

from marsdask.tensor.core import ExecutableTuple as ExecutableTuple
from marsdask.tensor import Tensor
from marsdask.dataframe import CategoricalAccessor
from marsdask.dataframe import DataFrame
from marsdask.dataframe import DataFrameGroupBy
from marsdask.dataframe import DatetimeAccessor
from marsdask.dataframe import EWM
from marsdask.dataframe import Expanding
from marsdask.dataframe import Index
from marsdask.dataframe import PlotAccessor
from marsdask.dataframe import Rolling
from marsdask.dataframe import Series
from marsdask.dataframe import SeriesGroupBy
from marsdask.dataframe import StringAccessor

ArrayLike = Tensor | npt.ArrayLike | da.Array
FrameLike = DataFrame | Series | Index | Tensor | pd.DataFrame | pd.Series | pd.Index

def beta(a: Any, b: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `beta`; parameters may be tensors. The same seed and chunks, the same data."""

def binomial(
    n: Any, p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `binomial`; parameters may be tensors. The same seed and chunks, the same data."""

def bytes(length: builtins.int) -> Any:
    """Random bytes, at once."""

def chisquare(df: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `chisquare`; parameters may be tensors. The same seed and chunks, the same data."""

def choice(
    a: Any,
    size: Any = None,
    replace: builtins.bool = True,
    p: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Any:
    """Elements drawn with or without putting back, by probabilities where given."""

def dirichlet(
    alpha: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Vectors as NumPy's `dirichlet` draws them, along a last axis."""

def exponential(
    scale: Any = 1.0, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `exponential`; parameters may be tensors. The same seed and chunks, the same data."""

def f(
    dfnum: Any, dfden: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `f`; parameters may be tensors. The same seed and chunks, the same data."""

def gamma(
    shape: Any, scale: Any = 1.0, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `gamma`; parameters may be tensors. The same seed and chunks, the same data."""

def geometric(p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `geometric`; parameters may be tensors. The same seed and chunks, the same data."""

def gumbel(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `gumbel`; parameters may be tensors. The same seed and chunks, the same data."""

def hypergeometric(
    ngood: Any,
    nbad: Any,
    nsample: Any,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `hypergeometric`; parameters may be tensors. The same seed and chunks, the same data."""

def laplace(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `laplace`; parameters may be tensors. The same seed and chunks, the same data."""

def logistic(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `logistic`; parameters may be tensors. The same seed and chunks, the same data."""

def lognormal(
    mean: Any = 0.0,
    sigma: Any = 1.0,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `lognormal`; parameters may be tensors. The same seed and chunks, the same data."""

def logseries(p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `logseries`; parameters may be tensors. The same seed and chunks, the same data."""

def multinomial(
    n: Any, pvals: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Vectors as NumPy's `multinomial` draws them, along a last axis."""

def multivariate_normal(
    mean: Any,
    cov: Any,
    size: Any = None,
    check_valid: Any = None,
    tol: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Vectors as NumPy's `multivariate_normal` draws them, along a last axis."""

def negative_binomial(
    n: Any, p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `negative_binomial`; parameters may be tensors. The same seed and chunks, the same data."""

def noncentral_chisquare(
    df: Any, nonc: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `noncentral_chisquare`; parameters may be tensors. The same seed and chunks, the same data."""

def noncentral_f(
    dfnum: Any,
    dfden: Any,
    nonc: Any,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `noncentral_f`; parameters may be tensors. The same seed and chunks, the same data."""

def normal(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `normal`; parameters may be tensors. The same seed and chunks, the same data."""

def pareto(a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `pareto`; parameters may be tensors. The same seed and chunks, the same data."""

def permutation(x: Any, chunk_size: Any = None) -> Any:
    """A random order of elements along the first axis, over all chunks."""

def poisson(
    lam: Any = 1.0, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `poisson`; parameters may be tensors. The same seed and chunks, the same data."""

def power(a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `power`; parameters may be tensors. The same seed and chunks, the same data."""

def rand(*shape: builtins.int, **kwargs: Any) -> Any:
    """`random_sample` of the shape given by whole numbers; `chunk_size` and `dtype` by name."""

def randint(
    low: Any,
    high: Any = None,
    size: Any = None,
    dtype: Any = None,
    density: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Any:
    """Draws as NumPy's `randint`; parameters may be tensors. The same seed and chunks, the same data."""

def randn(*shape: builtins.int, **kwargs: Any) -> Any:
    """`standard_normal` of the shape given by whole numbers; `chunk_size` and `dtype` by name."""

def random(size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `random`; parameters may be tensors. The same seed and chunks, the same data."""

def random_integers(
    low: Any, high: Any = None, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `random_integers`; parameters may be tensors. The same seed and chunks, the same data."""

def random_sample(size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `random_sample`; parameters may be tensors. The same seed and chunks, the same data."""

def ranf(size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `ranf`; parameters may be tensors. The same seed and chunks, the same data."""

def rayleigh(
    scale: Any = 1.0, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `rayleigh`; parameters may be tensors. The same seed and chunks, the same data."""

def sample(size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `sample`; parameters may be tensors. The same seed and chunks, the same data."""

def seed(seed: Any = None) -> Any:
    """Starts `mt.random` again from a seed."""

def shuffle(x: Any) -> Any:
    """Puts a tensor in random order in place, along its first axis; gives back None."""

def standard_cauchy(size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `standard_cauchy`; parameters may be tensors. The same seed and chunks, the same data."""

def standard_exponential(size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `standard_exponential`; parameters may be tensors. The same seed and chunks, the same data."""

def standard_gamma(
    shape: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `standard_gamma`; parameters may be tensors. The same seed and chunks, the same data."""

def standard_normal(size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `standard_normal`; parameters may be tensors. The same seed and chunks, the same data."""

def standard_t(df: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `standard_t`; parameters may be tensors. The same seed and chunks, the same data."""

def triangular(
    left: Any,
    mode: Any,
    right: Any,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `triangular`; parameters may be tensors. The same seed and chunks, the same data."""

def uniform(
    low: Any = 0.0,
    high: Any = 1.0,
    size: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    dtype: Any = None,
) -> Any:
    """Draws as NumPy's `uniform`; parameters may be tensors. The same seed and chunks, the same data."""

def vonmises(
    mu: Any, kappa: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `vonmises`; parameters may be tensors. The same seed and chunks, the same data."""

def wald(
    mean: Any, scale: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
) -> Any:
    """Draws as NumPy's `wald`; parameters may be tensors. The same seed and chunks, the same data."""

def weibull(a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `weibull`; parameters may be tensors. The same seed and chunks, the same data."""

def zipf(a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
    """Draws as NumPy's `zipf`; parameters may be tensors. The same seed and chunks, the same data."""

RandomState: builtins.type
