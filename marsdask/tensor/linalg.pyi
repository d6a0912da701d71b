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

def cholesky(a: ArrayLike, lower: builtins.bool = True, *, upper: builtins.bool = False) -> Tensor:
    """The Cholesky factor: the lower one, as NumPy's; with `lower=False` or `upper=True` the upper."""

def cond(a: Any, p: Any = None) -> Tensor:
    """NumPy's `linalg.cond` of a matrix, or of each in a stack."""

def det(a: Any) -> Tensor:
    """NumPy's `linalg.det` of a matrix, or of each in a stack."""

def eigh(a: Any, UPLO: builtins.str = "L") -> ExecutableTuple:
    """NumPy's `linalg.eigh` of a matrix, or of each in a stack."""

def eigvalsh(a: Any, UPLO: builtins.str = "L") -> Tensor:
    """NumPy's `linalg.eigvalsh` of a matrix, or of each in a stack."""

def inv(a: Any) -> Tensor:
    """NumPy's `linalg.inv` of a matrix, or of each in a stack."""

def lstsq(a: ArrayLike, b: ArrayLike, rcond: builtins.float | None = None) -> ExecutableTuple:
    """Least squares: solution, residuals, rank, singular values."""

def lu(a: ArrayLike) -> ExecutableTuple:
    """Permutation, lower and upper factor: `p @ l @ u` is `a`."""

def matrix_power(a: Any, n: Any) -> Tensor:
    """NumPy's `linalg.matrix_power` of a matrix, or of each in a stack."""

def matrix_rank(a: Any, tol: Any = None, hermitian: builtins.bool = False) -> Tensor:
    """NumPy's `linalg.matrix_rank` of a matrix, or of each in a stack."""

def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """The norm of a vector or matrix, by any `ord`."""

def pinv(a: Any, rcond: Any = None, hermitian: builtins.bool = False) -> Tensor:
    """NumPy's `linalg.pinv` of a matrix, or of each in a stack."""

def qr(
    a: ArrayLike, mode: builtins.str = "reduced", method: builtins.str = "tsqr"
) -> ExecutableTuple | Tensor:
    """Orthogonal and upper factor. Tall and thin matrices are tiled by rows: then signs may differ from NumPy's."""

def randomized_svd(
    a: Any,
    n_components: builtins.int,
    n_oversamples: builtins.int = 10,
    n_iter: Any = "auto",
    power_iteration_normalizer: builtins.str = "auto",
    transpose: Any = "auto",
    flip_sign: builtins.bool = True,
    random_state: Any = 0,
) -> Any:
    """The first singular values and vectors of a large matrix, approximately."""

def slogdet(a: Any) -> ExecutableTuple:
    """NumPy's `linalg.slogdet` of a matrix, or of each in a stack."""

def solve(a: ArrayLike, b: ArrayLike, sym_pos: builtins.bool = False) -> Tensor:
    """The solution of linear equations. `sym_pos` only tunes."""

def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    lower: builtins.bool = False,
    trans: Any = 0,
    unit_diagonal: builtins.bool = False,
) -> Tensor:
    """The solution of equations whose matrix is triangular; the other triangle is not looked at."""

def svd(
    a: ArrayLike,
    full_matrices: builtins.bool = False,
    compute_uv: builtins.bool = True,
    hermitian: builtins.bool = False,
    method: builtins.str = "tsqr",
) -> ExecutableTuple | Tensor:
    """Singular values and vectors. Tall or wide matrices are tiled: then signs may differ from NumPy's."""

def svdvals(a: Any) -> Tensor:
    """NumPy's `linalg.svdvals` of a matrix, or of each in a stack."""

def dot(a: Any, b: Any, out: Any = None) -> Any:
    """The dot product: over the last axis of `a` and the last but one of `b`."""

def inner(a: Any, b: Any) -> Any:
    """The sum of products over the last axes."""

def innerproduct(a: Any, b: Any) -> Any:
    """The sum of products over the last axes."""

def matmul(a: Any, b: Any, out: Any = None, *, dtype: Any = None) -> Any:
    """The matrix product; leading axes are broadcast."""

def outer(a: Any, b: Any, out: Any = None) -> Any:
    """The products of all pairs of elements."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The sum of products over the given axes of both."""

def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None) -> Any:
    """The sum along a diagonal."""

def vdot(a: Any, b: Any) -> Any:
    """The dot product of all elements in C order, the first conjugated."""
