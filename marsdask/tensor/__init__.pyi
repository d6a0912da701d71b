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

import marsdask.tensor.making.objects
import marsdask.tensor.indexing.writes
from marsdask.tensor.core import ExecutableTuple as ExecutableTuple
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
from marsdask.tensor import fft as fft
from marsdask.tensor import images as images
from marsdask.tensor import linalg as linalg
from marsdask.tensor import random as random
from marsdask.tensor import special as special
from marsdask.tensor import stats as stats

ArrayLike = Tensor | npt.ArrayLike | da.Array
FrameLike = DataFrame | Series | Index | Tensor | pd.DataFrame | pd.Series | pd.Index

class RandomState:
    """A source of random tensors: each tensor made takes the next seed of it, when it is made."""

    def beta(
        self, a: Any, b: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `beta`; parameters may be tensors. The same seed and chunks, the same data."""

    def binomial(
        self, n: Any, p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `binomial`; parameters may be tensors. The same seed and chunks, the same data."""

    def bytes(self, length: builtins.int) -> builtins.bytes:
        """Random bytes, at once."""

    def chisquare(
        self, df: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `chisquare`; parameters may be tensors. The same seed and chunks, the same data."""

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: builtins.bool = True,
        p: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
    ) -> Any:
        """Elements drawn with or without putting back, by probabilities where given."""

    def dirichlet(
        self, alpha: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Vectors as NumPy's `dirichlet` draws them, along a last axis."""

    def exponential(
        self, scale: Any = 1.0, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `exponential`; parameters may be tensors. The same seed and chunks, the same data."""

    def f(
        self,
        dfnum: Any,
        dfden: Any,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `f`; parameters may be tensors. The same seed and chunks, the same data."""

    @classmethod
    def from_numpy(*args: Any, **kwargs: Any) -> Any:
        """A source seeded from the state of NumPy's."""

    def gamma(
        self,
        shape: Any,
        scale: Any = 1.0,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `gamma`; parameters may be tensors. The same seed and chunks, the same data."""

    def geometric(
        self, p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `geometric`; parameters may be tensors. The same seed and chunks, the same data."""

    def gumbel(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `gumbel`; parameters may be tensors. The same seed and chunks, the same data."""

    def hypergeometric(
        self,
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
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `laplace`; parameters may be tensors. The same seed and chunks, the same data."""

    def logistic(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `logistic`; parameters may be tensors. The same seed and chunks, the same data."""

    def lognormal(
        self,
        mean: Any = 0.0,
        sigma: Any = 1.0,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `lognormal`; parameters may be tensors. The same seed and chunks, the same data."""

    def logseries(
        self, p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `logseries`; parameters may be tensors. The same seed and chunks, the same data."""

    def multinomial(
        self, n: Any, pvals: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Vectors as NumPy's `multinomial` draws them, along a last axis."""

    def multivariate_normal(
        self,
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
        self, n: Any, p: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `negative_binomial`; parameters may be tensors. The same seed and chunks, the same data."""

    def next_seed(self) -> builtins.int:
        """The seed of the next tensor."""

    def noncentral_chisquare(
        self, df: Any, nonc: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `noncentral_chisquare`; parameters may be tensors. The same seed and chunks, the same data."""

    def noncentral_f(
        self,
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
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `normal`; parameters may be tensors. The same seed and chunks, the same data."""

    def pareto(
        self, a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `pareto`; parameters may be tensors. The same seed and chunks, the same data."""

    def permutation(self, x: Any, chunk_size: Any = None) -> Any:
        """A random order of elements along the first axis, over all chunks."""

    def poisson(
        self, lam: Any = 1.0, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `poisson`; parameters may be tensors. The same seed and chunks, the same data."""

    def power(
        self, a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `power`; parameters may be tensors. The same seed and chunks, the same data."""

    def rand(self, *shape: builtins.int, **kwargs: Any) -> Any:
        """`random_sample` of the shape given by whole numbers; `chunk_size` and `dtype` by name."""

    def randint(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = None,
        density: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
    ) -> Any:
        """Draws as NumPy's `randint`; parameters may be tensors. The same seed and chunks, the same data."""

    def randn(self, *shape: builtins.int, **kwargs: Any) -> Any:
        """`standard_normal` of the shape given by whole numbers; `chunk_size` and `dtype` by name."""

    def random(self, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
        """Draws as NumPy's `random`; parameters may be tensors. The same seed and chunks, the same data."""

    def random_integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `random_integers`; parameters may be tensors. The same seed and chunks, the same data."""

    def random_sample(
        self, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `random_sample`; parameters may be tensors. The same seed and chunks, the same data."""

    def ranf(self, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
        """Draws as NumPy's `ranf`; parameters may be tensors. The same seed and chunks, the same data."""

    def rayleigh(
        self, scale: Any = 1.0, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `rayleigh`; parameters may be tensors. The same seed and chunks, the same data."""

    def sample(self, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None) -> Any:
        """Draws as NumPy's `sample`; parameters may be tensors. The same seed and chunks, the same data."""

    def seed(self, seed: Any = None) -> None:
        """Starts `mt.random` again from a seed."""

    def shuffle(self, x: Any) -> None:
        """Puts a tensor in random order in place, along its first axis; gives back None."""

    def standard_cauchy(
        self, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `standard_cauchy`; parameters may be tensors. The same seed and chunks, the same data."""

    def standard_exponential(
        self, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `standard_exponential`; parameters may be tensors. The same seed and chunks, the same data."""

    def standard_gamma(
        self, shape: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `standard_gamma`; parameters may be tensors. The same seed and chunks, the same data."""

    def standard_normal(
        self, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `standard_normal`; parameters may be tensors. The same seed and chunks, the same data."""

    def standard_t(
        self, df: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `standard_t`; parameters may be tensors. The same seed and chunks, the same data."""

    def to_numpy(self) -> np.random.RandomState:
        """NumPy's, seeded from this one."""

    def triangular(
        self,
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
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `uniform`; parameters may be tensors. The same seed and chunks, the same data."""

    def vonmises(
        self,
        mu: Any,
        kappa: Any,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `vonmises`; parameters may be tensors. The same seed and chunks, the same data."""

    def wald(
        self,
        mean: Any,
        scale: Any,
        size: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Draws as NumPy's `wald`; parameters may be tensors. The same seed and chunks, the same data."""

    def weibull(
        self, a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `weibull`; parameters may be tensors. The same seed and chunks, the same data."""

    def zipf(
        self, a: Any, size: Any = None, chunk_size: Any = None, gpu: Any = None, dtype: Any = None
    ) -> Any:
        """Draws as NumPy's `zipf`; parameters may be tensors. The same seed and chunks, the same data."""

class Tensor(Lazy):
    """A lazy n-dimensional array in chunks. Made by `mt.tensor`, `mt.ones`, ... and by operations; see `mt.tensor`."""

    @overload
    def execute(
        self, session: Session | None = None, *, wait: Literal[False], **kwargs: Any
    ) -> ExecutionInfo: ...
    @overload
    def execute(self, session: Session | None = None, *, wait: builtins.bool = True, **kwargs: Any) -> Self:
        """Run, hold the result, and return self. `wait=False` returns an ExecutionInfo."""

    @property
    def T(self) -> Tensor:
        """A view with the axes reversed."""

    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray[Any, Any]: ...
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any: ...

    __array_priority__: builtins.int

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: builtins.str, *inputs: Any, out: Any = (), **kwargs: Any
    ) -> Any: ...
    def __bool__(self) -> builtins.bool: ...
    def __complex__(self) -> builtins.complex: ...
    def __contains__(self, value: Any) -> builtins.bool: ...
    def __divmod__(self, other: Any) -> Any: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __hash__(self) -> builtins.int: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __imatmul__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __len__(self) -> builtins.int: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __rdivmod__(self, other: Any) -> Any: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Any: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Any) -> None:
        """Write into the tensor, and into all it shares elements with. Values are cast as NumPy casts them in assignments."""

    def __sub__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def all(
        self,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        where: Any = None,
    ) -> Tensor:
        """NumPy's `all` over axes, chunk by chunk, joined in a tree."""

    def any(
        self,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        where: Any = None,
    ) -> Tensor:
        """NumPy's `any` over axes, chunk by chunk, joined in a tree."""

    def argmax(
        self, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None
    ) -> Tensor:
        """NumPy's `argmax` over axes, chunk by chunk, joined in a tree."""

    def argmin(
        self, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None
    ) -> Tensor:
        """NumPy's `argmin` over axes, chunk by chunk, joined in a tree."""

    def argpartition(
        self,
        kth: Any,
        axis: builtins.int | None = -1,
        kind: builtins.str = "introselect",
        order: Any = None,
        parallel_kind: builtins.str | None = None,
        psrs_kinds: Any = None,
    ) -> Tensor:
        """Positions that would partition along `axis`."""

    def argsort(
        self,
        axis: builtins.int | None = -1,
        kind: builtins.str | None = None,
        order: Any = None,
        stable: builtins.bool | None = None,
        parallel_kind: builtins.str | None = None,
        psrs_kinds: Any = None,
    ) -> Tensor:
        """Positions that would sort along `axis`. Always stable."""

    def astype(
        self,
        dtype: Any,
        order: builtins.str = "K",
        casting: builtins.str = "unsafe",
        subok: builtins.bool = True,
        copy: builtins.bool = True,
    ) -> Tensor:
        """A copy of another dtype. `copy=False`: the tensor itself where the dtype is the same."""

    def choose(self, choices: Any, out: Any = None, mode: builtins.str = "raise") -> Tensor:
        """From a list of tensors, for each element the one that an index tensor names."""

    def clip(
        self, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
    ) -> Tensor:
        """Elements limited to an interval."""

    def compress(self, condition: Any, axis: builtins.int | None = None, out: Any = None) -> Tensor:
        """The slices along an axis where a condition holds, of the flat tensor without one."""

    def conj(
        self,
        out: Any = None,
        where: Any = None,
        *,
        casting: builtins.str = "same_kind",
        order: builtins.str = "K",
        dtype: Any = None,
    ) -> Tensor:
        """NumPy's `conj` of each element of a tensor."""

    def conjugate(
        self,
        out: Any = None,
        where: Any = None,
        *,
        casting: builtins.str = "same_kind",
        order: builtins.str = "K",
        dtype: Any = None,
    ) -> Tensor:
        """NumPy's `conjugate` of each element of a tensor."""

    def copy(self, order: builtins.str = "C") -> Tensor:
        """A copy: writes do not go through."""

    def cumprod(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
        """NumPy's `cumprod` along an axis, or over all elements in C order."""

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
        """NumPy's `cumsum` along an axis, or over all elements in C order."""

    def dot(self, b: ArrayLike, out: Any = None) -> Tensor:
        """The dot product: over the last axis of `a` and the last but one of `b`."""

    @property
    def dtype(self) -> np.dtype[Any]: ...
    @deprecated("not built: logs come with the family of plain functions, which is not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    def fill(self, value: Any) -> Any:
        """Nothing: writes one value into all elements."""

    @property
    def flags(self) -> builtins.dict[builtins.str, builtins.bool]: ...
    @property
    def flat(self) -> marsdask.tensor.indexing.writes.Flat:
        """The elements on one axis: `x.flat[1:3] = 0` writes into x."""
    @flat.setter
    def flat(self, value: Any) -> None: ...
    def flatten(self, order: builtins.str = "C") -> Tensor:
        """All elements on one axis: a copy."""

    @property
    def imag(self) -> Tensor:
        """A view of the imaginary part; read-only zeros where there is none."""
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def isscalar(self) -> Any:
        """Whether the tensor has no axes."""

    def issparse(self) -> Any:
        """False: chunks are dense."""

    def item(self, *args: Any) -> Any:
        """The only element, or that at an index, as a Python scalar. Runs."""

    @property
    def itemsize(self) -> builtins.int: ...
    def map_chunk(
        self,
        func: Any,
        args: Sequence[Any] = (),
        with_chunk_index: builtins.bool = False,
        elementwise: builtins.bool | None = None,
        dtype: Any = None,
        shape: Any = None,
        **kw: Any,
    ) -> Tensor:
        """`func(chunk, *args, **kw)` of each chunk."""

    def max(
        self,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        initial: Any = None,
        where: Any = None,
    ) -> Tensor:
        """NumPy's `max` over axes, chunk by chunk, joined in a tree."""

    def mean(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        where: Any = None,
    ) -> Tensor:
        """NumPy's `mean` over axes, chunk by chunk, joined in a tree."""

    def min(
        self,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        initial: Any = None,
        where: Any = None,
    ) -> Tensor:
        """NumPy's `min` over axes, chunk by chunk, joined in a tree."""

    @property
    def nbytes(self) -> builtins.float: ...
    @property
    def ndim(self) -> builtins.int: ...
    def nonzero(self) -> ExecutableTuple:
        """The positions of elements that are not zero, a tensor for each axis."""

    @property
    def nsplits(self) -> builtins.tuple[builtins.tuple[builtins.float, ...], ...] | None:
        """Chunk lengths per axis, once executed (`nan` for unknown ones); else None."""

    @property
    def order(self) -> builtins.str:
        """'C' or 'F': the memory order that `fetch()` gives."""

    def partition(
        self,
        kth: Any,
        axis: builtins.int = -1,
        kind: builtins.str = "introselect",
        order: Any = None,
        **tuning: Any,
    ) -> Any:
        """Partitions the tensor in place; gives back None. `mt.partition` gives a copy."""

    def prod(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        initial: Any = None,
        where: Any = None,
    ) -> Tensor:
        """NumPy's `prod` over axes, chunk by chunk, joined in a tree."""

    def ptp(
        self, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None
    ) -> Tensor:
        """NumPy's `ptp` over axes, chunk by chunk, joined in a tree."""

    def put(self, ind: Any, v: Any, mode: builtins.str = "raise") -> Any:
        """Nothing: writes values at positions of the flat tensor."""

    def ravel(self, order: builtins.str = "C") -> Tensor:
        """All elements on one axis: a view where NumPy gives one."""

    @property
    def real(self) -> Tensor:
        """A view of the real part."""
    @real.setter
    def real(self, value: Any) -> None: ...
    def rebalance(
        self,
        factor: builtins.float | None = None,
        axis: builtins.int = 0,
        num_partitions: builtins.int | None = None,
        reassign_worker: builtins.bool = True,
        session: Any = None,
    ) -> Tensor:
        """The same elements in chunks of equal length along one axis: `num_partitions`, or `factor` for each thread."""

    def rechunk(
        self,
        chunk_size: Any,
        threshold: Any = None,
        chunk_size_limit: Any = None,
        reassign_worker: builtins.bool = False,
    ) -> Tensor:
        """The same elements in other chunks. The last three arguments tune Mars's own way and have no effect."""

    def repeat(self, repeats: Any, axis: builtins.int | None = None) -> Tensor:
        """Each element several times, along an axis; of the flat tensor without one."""

    def reshape(self, *shape: Any, order: builtins.str = "C", copy: builtins.bool | None = None) -> Tensor:
        """The same elements in another shape: a view where NumPy gives one."""

    def round(self, decimals: Any = 0, out: Any = None) -> Tensor:
        """NumPy's `round` of each element."""

    def searchsorted(
        self,
        v: ArrayLike,
        side: builtins.str = "left",
        sorter: ArrayLike | None = None,
        combine_size: builtins.int | None = None,
    ) -> Tensor:
        """Where elements of `v` would be put to keep the sorted `a` in order. `a` may be chunked: chunks count for themselves."""

    @property
    def shape(self) -> builtins.tuple[builtins.float, ...]:
        """Length of each axis; `nan` where only a run can tell."""
    @shape.setter
    def shape(self, value: Any) -> None: ...
    @property
    def size(self) -> builtins.float: ...
    def sort(
        self,
        axis: builtins.int = -1,
        kind: builtins.str | None = None,
        order: Any = None,
        stable: builtins.bool | None = None,
        parallel_kind: builtins.str | None = None,
        psrs_kinds: Any = None,
    ) -> Any:
        """Sorts the tensor in place; gives back None. `mt.sort` gives a copy."""

    def squeeze(self, axis: Any = None) -> Tensor:
        """A view without the axes of length one. Axes of unknown length stay; the run refuses if one is a one."""

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        where: Any = None,
        mean: Any = None,
        correction: Any = None,
    ) -> Tensor:
        """NumPy's `std` over axes, chunk by chunk, joined in a tree."""

    def sum(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        initial: Any = None,
        where: Any = None,
    ) -> Tensor:
        """NumPy's `sum` over axes, chunk by chunk, joined in a tree."""

    def swapaxes(self, axis1: builtins.int, axis2: builtins.int) -> Tensor:
        """A view with two axes swapped."""

    def take(
        self, indices: Any, axis: builtins.int | None = None, out: Any = None, mode: builtins.str = "raise"
    ) -> Tensor:
        """The elements at positions along an axis, of the flat tensor without one."""

    def to_cpu(self) -> Any:
        """The tensor itself: chunks are in host memory."""

    def to_dask(self) -> Any:
        """The `dask.array.Array` this lowers to."""

    def to_dataframe(self, index: Any = None, columns: Any = None) -> Any:
        """A DataFrame of a tensor of one or two axes: `md.dataframe_from_tensor`."""

    @deprecated("not built: chunks are NumPy arrays and pandas objects in host memory")
    def to_gpu(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_numpy(self, *, session: Any = None, **kwargs: Any) -> Any:
        """The data as NumPy, run first if needed."""

    def to_xarray(self, dims: Any = None, coords: Any = None, name: builtins.str | None = None) -> Any:
        """An xarray DataArray over the lowered Dask array, which xarray handles in all its operations."""

    def todense(self) -> Any:
        """The tensor itself: chunks are dense."""

    def tolist(self) -> Any:
        """The data as nested lists. Runs."""

    @deprecated("not built: chunks are dense")
    def tosparse(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: TileDB is no dependency; dask.array.to_tiledb takes x.to_dask()")
    def totiledb(self, *args: Any, **kwargs: Any) -> Any: ...
    def trace(
        self,
        offset: builtins.int = 0,
        axis1: builtins.int = 0,
        axis2: builtins.int = 1,
        dtype: Any = None,
        out: Any = None,
    ) -> Tensor:
        """The sum along a diagonal."""

    def transpose(self, *axes: Any) -> Tensor:
        """A view with the axes in another order; reversed without `axes`."""

    def unexecuted_repr(self) -> builtins.str: ...
    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: Any = False,
        combine_size: Any = None,
        *,
        where: Any = None,
        mean: Any = None,
        correction: Any = None,
    ) -> Tensor:
        """NumPy's `var` over axes, chunk by chunk, joined in a tree."""

    def view(self, dtype: Any = None) -> Tensor:
        """A view of the same elements, or of their bytes as another dtype of the same size."""

def abs(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `abs` of each element of a tensor."""

def absolute(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `absolute` of each element of a tensor."""

def add(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `add` of each element of two tensors, broadcast against each other."""

def all(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
) -> Tensor:
    """NumPy's `all` over axes, chunk by chunk, joined in a tree."""

def allclose(
    a: Any,
    b: Any,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> Tensor:
    """Whether all elements are close, as a lazy truth value."""

def amax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `amax` over axes, chunk by chunk, joined in a tree."""

def amin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `amin` over axes, chunk by chunk, joined in a tree."""

def angle(a: Any, deg: Any = False) -> Tensor:
    """NumPy's `angle` of each element."""

def any(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
) -> Tensor:
    """NumPy's `any` over axes, chunk by chunk, joined in a tree."""

def append(arr: ArrayLike, values: ArrayLike, axis: builtins.int | None = None) -> Tensor:
    """Values after a tensor along an axis; both flat without one."""

def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, chunk_size: Any = None, gpu: Any = None
) -> Tensor:
    """Evenly spaced numbers from `start` up to, without, `stop`."""

def arccos(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arccos` of each element of a tensor."""

def arccosh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arccosh` of each element of a tensor."""

def arcsin(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arcsin` of each element of a tensor."""

def arcsinh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arcsinh` of each element of a tensor."""

def arctan(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arctan` of each element of a tensor."""

def arctan2(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arctan2` of each element of two tensors, broadcast against each other."""

def arctanh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arctanh` of each element of a tensor."""

def argmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None
) -> Tensor:
    """NumPy's `argmax` over axes, chunk by chunk, joined in a tree."""

def argmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None
) -> Tensor:
    """NumPy's `argmin` over axes, chunk by chunk, joined in a tree."""

def argpartition(
    a: ArrayLike,
    kth: Any,
    axis: builtins.int | None = -1,
    kind: builtins.str = "introselect",
    order: Any = None,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
) -> Tensor:
    """Positions that would partition along `axis`."""

def argsort(
    a: ArrayLike,
    axis: builtins.int | None = -1,
    kind: builtins.str | None = None,
    order: Any = None,
    stable: builtins.bool | None = None,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
) -> Tensor:
    """Positions that would sort along `axis`. Always stable."""

def argtopk(
    a: ArrayLike,
    k: builtins.int,
    axis: builtins.int | None = -1,
    largest: builtins.bool = True,
    sorted: builtins.bool = True,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
) -> Tensor:
    """Positions of the `k` largest (or smallest) elements along `axis`; of equal ones the first."""

def argwhere(a: ArrayLike) -> Tensor:
    """The positions of elements that are not zero, a row for each."""

def around(a: Any, decimals: Any = 0, out: Any = None) -> Tensor:
    """NumPy's `around` of each element."""

def array(
    x: Any,
    dtype: Any = None,
    copy: builtins.bool | None = True,
    order: builtins.str = "K",
    ndmin: builtins.int = 0,
    chunk_size: Any = None,
) -> Tensor:
    """A tensor of a copy of anything: an array, a list, a scalar, another tensor, a frame."""

def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: builtins.bool = False) -> Tensor:
    """Whether shapes and all elements are equal, as a lazy truth value."""

def array_split(ary: ArrayLike, indices_or_sections: Any, axis: builtins.int = 0) -> ExecutableTuple:
    """Views of the parts between positions, or of so many parts; `array_split` lets them differ by one."""

def asarray(x: Any, dtype: Any = None, order: builtins.str | None = None, chunk_size: Any = None) -> Tensor:
    """A tensor of anything; a tensor itself where dtype and order fit."""

def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    """A tensor of one axis at least that is fetched in C order (`asfortranarray`: Fortran order)."""

def asfortranarray(a: Any, dtype: Any = None) -> Tensor:
    """A tensor of one axis at least that is fetched in C order (`asfortranarray`: Fortran order)."""

def astype(
    self: ArrayLike,
    dtype: Any,
    order: builtins.str = "K",
    casting: builtins.str = "unsafe",
    subok: builtins.bool = True,
    copy: builtins.bool = True,
) -> Tensor:
    """A copy of another dtype. `copy=False`: the tensor itself where the dtype is the same."""

def atleast_1d(*tensors: Any) -> ExecutableTuple | Tensor:
    """A view with so many axes at least."""

def atleast_2d(*tensors: Any) -> ExecutableTuple | Tensor:
    """A view with so many axes at least."""

def atleast_3d(*tensors: Any) -> ExecutableTuple | Tensor:
    """A view with so many axes at least."""

def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: builtins.bool = False,
    *,
    keepdims: builtins.bool = False,
) -> Tensor:
    """The weighted average; with `returned` also the sum of weights."""

def bincount(
    x: ArrayLike,
    weights: ArrayLike | None = None,
    minlength: builtins.int = 0,
    chunk_size_limit: builtins.int | None = None,
) -> Tensor:
    """How often each whole number comes. The number of bins is known after a run."""

def bitwise_and(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `bitwise_and` of each element of two tensors, broadcast against each other."""

def bitwise_not(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `bitwise_not` of each element of a tensor."""

def bitwise_or(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `bitwise_or` of each element of two tensors, broadcast against each other."""

def bitwise_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `bitwise_xor` of each element of two tensors, broadcast against each other."""

def block(arrays: Any) -> Tensor:
    """One tensor from nested lists of blocks."""

def broadcast_arrays(*arrays: Any, subok: builtins.bool = False) -> ExecutableTuple:
    """All in one common shape; what is repeated is read-only."""

def broadcast_to(array: ArrayLike, shape: Any, subok: builtins.bool = False) -> Tensor:
    """A read-only view of a larger shape."""

def cbrt(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `cbrt` of each element of a tensor."""

def ceil(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `ceil` of each element of a tensor."""

def choose(a: ArrayLike, choices: Any, out: Any = None, mode: builtins.str = "raise") -> Tensor:
    """From a list of tensors, for each element the one that an index tensor names."""

def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
) -> Tensor:
    """Elements limited to an interval."""

def column_stack(tup: Any) -> Tensor:
    """1-d tensors as columns, others as they are, beside each other."""

def compress(condition: Any, a: ArrayLike, axis: builtins.int | None = None, out: Any = None) -> Tensor:
    """The slices along an axis where a condition holds, of the flat tensor without one."""

def concatenate(
    tensors: Sequence[ArrayLike],
    axis: builtins.int | None = 0,
    out: Any = None,
    dtype: Any = None,
    casting: builtins.str = "same_kind",
) -> Tensor:
    """Tensors one after another along an axis; flat without one."""

def conj(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `conj` of each element of a tensor."""

def conjugate(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `conjugate` of each element of a tensor."""

def copy(a: ArrayLike, order: builtins.str = "K", subok: builtins.bool = False) -> Tensor:
    """A copy: writes do not go through."""

def copysign(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `copysign` of each element of two tensors, broadcast against each other."""

def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> Any:
    """Nothing: writes `src` into `dst`, where a mask says so."""

def corrcoef(
    x: Any,
    y: Any = None,
    rowvar: builtins.bool = True,
    bias: Any = None,
    ddof: Any = None,
    *,
    dtype: Any = None,
) -> Tensor:
    """Correlation of variables. `bias` and `ddof` have no effect, as in NumPy."""

def cos(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `cos` of each element of a tensor."""

def cosh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `cosh` of each element of a tensor."""

def count_nonzero(a: Any, axis: Any = None, keepdims: Any = False, combine_size: Any = None) -> Tensor:
    """NumPy's `count_nonzero` over axes, chunk by chunk, joined in a tree."""

def cov(
    m: Any,
    y: Any = None,
    rowvar: builtins.bool = True,
    bias: builtins.bool = False,
    ddof: builtins.int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Tensor:
    """Covariance of variables (rows, or columns with `rowvar=False`)."""

def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    """NumPy's `cumprod` along an axis, or over all elements in C order."""

def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    """NumPy's `cumsum` along an axis, or over all elements in C order."""

def deg2rad(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `deg2rad` of each element of a tensor."""

def degrees(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `degrees` of each element of a tensor."""

def delete(arr: ArrayLike, obj: Any, axis: builtins.int | None = None) -> Tensor:
    """The tensor without the slices at positions along an axis; of the flat tensor without one."""

def diag(
    v: ArrayLike, k: builtins.int = 0, sparse: Any = None, gpu: Any = None, chunk_size: Any = None
) -> Tensor:
    """A matrix with that diagonal; of a matrix a read-only view of its diagonal."""

def diagflat(
    v: ArrayLike, k: builtins.int = 0, sparse: Any = None, gpu: Any = None, chunk_size: Any = None
) -> Tensor:
    """A matrix with the flat elements on a diagonal."""

def diff(
    a: ArrayLike,
    n: builtins.int = 1,
    axis: builtins.int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Tensor:
    """The n-th difference along an axis."""

def digitize(x: ArrayLike, bins: ArrayLike, right: builtins.bool = False) -> Tensor:
    """The number of the bin that each element falls in; `bins` go to every chunk whole."""

def divide(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `divide` of each element of two tensors, broadcast against each other."""

def divmod(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> ExecutableTuple:
    """NumPy's `divmod` of each element of two tensors, broadcast against each other."""

def dot(a: ArrayLike, b: ArrayLike, out: Any = None) -> Tensor:
    """The dot product: over the last axis of `a` and the last but one of `b`."""

def dsplit(ary: ArrayLike, indices_or_sections: Any) -> ExecutableTuple:
    """Views of the parts along one axis."""

def dstack(tup: Any) -> Tensor:
    """Tensors behind each other: along the third axis."""

def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> Tensor:
    """Differences of neighbours in C order, with what goes before and behind them."""

def einsum(
    subscripts: Any,
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: builtins.str = "K",
    casting: builtins.str = "safe",
    optimize: Any = False,
) -> Tensor:
    """Sums of products in Einstein's notation."""

def empty(
    shape: Any, dtype: Any = None, chunk_size: Any = None, gpu: Any = False, order: builtins.str = "C"
) -> Tensor:
    """A tensor whose elements may be anything."""

def empty_like(
    a: Any,
    dtype: Any = None,
    order: builtins.str = "K",
    subok: builtins.bool = True,
    shape: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Tensor:
    """A tensor in the shape of another whose elements may be anything."""

def equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `equal` of each element of two tensors, broadcast against each other."""

def exp(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `exp` of each element of a tensor."""

def exp2(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `exp2` of each element of a tensor."""

def expand_dims(a: ArrayLike, axis: Any) -> Tensor:
    """A view with new axes of length one."""

def expm1(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `expm1` of each element of a tensor."""

def extract(condition: ArrayLike, arr: ArrayLike) -> Tensor:
    """The elements of the flat tensor where a condition holds."""

def eye(
    N: builtins.int,
    M: builtins.int | None = None,
    k: builtins.int = 0,
    dtype: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    order: builtins.str = "C",
) -> Tensor:
    """Ones on a diagonal, zeros elsewhere."""

def fabs(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fabs` of each element of a tensor."""

def fill_diagonal(a: Any, val: Any, wrap: builtins.bool = False) -> Any:
    """Nothing: writes into the main diagonal of the tensor, in place."""

def fix(a: Any, out: Any = None) -> Tensor:
    """NumPy's `fix` of each element."""

def flatnonzero(a: ArrayLike) -> Tensor:
    """The positions in the flat tensor of elements that are not zero."""

def flip(m: ArrayLike, axis: Any = None) -> Tensor:
    """A view with the order of elements reversed along axes; all without `axis`."""

def fliplr(m: ArrayLike) -> Tensor:
    """A view with the order of elements reversed along one axis."""

def flipud(m: ArrayLike) -> Tensor:
    """A view with the order of elements reversed along one axis."""

def float_power(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `float_power` of each element of two tensors, broadcast against each other."""

def floor(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `floor` of each element of a tensor."""

def floor_divide(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `floor_divide` of each element of two tensors, broadcast against each other."""

def fmax(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fmax` of each element of two tensors, broadcast against each other."""

def fmin(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fmin` of each element of two tensors, broadcast against each other."""

def fmod(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fmod` of each element of two tensors, broadcast against each other."""

def frexp(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> ExecutableTuple:
    """NumPy's `frexp` of each element of a tensor."""

def from_dask(array: Any) -> Any:
    """A tensor over a `dask.array.Array`: the same chunks, nothing run."""

def from_dataframe(df: Any, dtype: Any = None) -> Any:
    """A tensor of a frame's values: `df.to_tensor()`."""

@deprecated(
    "not built: HDF5 is no dependency; dask.array.from_array takes a dataset of h5py, mt.tensor takes that"
)
def from_hdf5(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: TileDB is no dependency; dask.array.from_tiledb and mt.tensor do it")
def from_tiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Vineyard is a store of Mars's; Dask has no counterpart")
def from_vineyard(*args: Any, **kwargs: Any) -> Any: ...
def from_xarray(array: Any) -> Any:
    """A tensor over an xarray DataArray's values; dimension names and coordinates stay behind."""

@deprecated("not built: Zarr is no dependency; dask.array.from_zarr and mt.tensor do it")
def from_zarr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: HDF5 is no dependency; dask.array.from_array takes a dataset of h5py, mt.tensor takes that"
)
def fromhdf5(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: TileDB is no dependency; dask.array.from_tiledb and mt.tensor do it")
def fromtiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Vineyard is a store of Mars's; Dask has no counterpart")
def fromvineyard(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Zarr is no dependency; dask.array.from_zarr and mt.tensor do it")
def fromzarr(*args: Any, **kwargs: Any) -> Any: ...
def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
    order: builtins.str = "C",
) -> Tensor:
    """A tensor of one value, or of an array repeated to the shape."""

def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: builtins.str = "K",
    subok: builtins.bool = True,
    shape: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Tensor:
    """A tensor of one value in the shape of another."""

def gcd(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `gcd` of each element of two tensors, broadcast against each other."""

def greater(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `greater` of each element of two tensors, broadcast against each other."""

def greater_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `greater_equal` of each element of two tensors, broadcast against each other."""

def heaviside(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `heaviside` of each element of two tensors, broadcast against each other."""

def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> ExecutableTuple:
    """How many elements fall in each bin, and the bins' edges."""

def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:
    """The edges of bins that `histogram` would use."""

def hsplit(ary: ArrayLike, indices_or_sections: Any) -> ExecutableTuple:
    """Views of the parts along one axis."""

def hstack(tup: Any, dtype: Any = None, casting: builtins.str = "same_kind") -> Tensor:
    """Tensors beside each other: along the second axis, the first for 1-d ones."""

def hypot(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `hypot` of each element of two tensors, broadcast against each other."""

def i0(a: Any) -> Tensor:
    """NumPy's `i0` of each element."""

def identity(n: builtins.int, dtype: Any = None, chunk_size: Any = None, gpu: Any = None) -> Tensor:
    """Ones on the main diagonal of a square."""

def imag(val: ArrayLike) -> Tensor:
    """A view of the imaginary part; read-only zeros for real numbers."""

@deprecated("not built: reading images is not written yet; dask.array.image.imread and mt.tensor do it")
def imread(*args: Any, **kwargs: Any) -> Any: ...
def in1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor:
    """`isin` of the flattened elements. NumPy 2 has dropped this name for `isin`."""

def indices(
    dimensions: Any, dtype: Any = ..., chunk_size: Any = None, sparse: builtins.bool = False
) -> ExecutableTuple | Tensor:
    """The positions along each axis of a grid."""

def inner(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last axes."""

def innerproduct(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last axes."""

def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: Any = None) -> Tensor:
    """Values put before positions along an axis; into the flat tensor without one."""

def intersect1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Tensor:
    """The distinct elements that are in both, in order."""

def invert(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `invert` of each element of a tensor."""

def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
    """NumPy's `isclose` of each element."""

def iscomplex(a: Any) -> Tensor:
    """NumPy's `iscomplex` of each element."""

def isfinite(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `isfinite` of each element of a tensor."""

def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: builtins.bool = False,
    invert: builtins.bool = False,
    *,
    kind: builtins.str | None = None,
) -> Tensor:
    """Whether each element is among `test_elements`, which every chunk gets whole (their unique values)."""

def isinf(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `isinf` of each element of a tensor."""

def isnan(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `isnan` of each element of a tensor."""

def isreal(a: Any) -> Tensor:
    """NumPy's `isreal` of each element."""

def kron(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The Kronecker product."""

def lcm(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `lcm` of each element of two tensors, broadcast against each other."""

def ldexp(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `ldexp` of each element of two tensors, broadcast against each other."""

def left_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `left_shift` of each element of two tensors, broadcast against each other."""

def less(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `less` of each element of two tensors, broadcast against each other."""

def less_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `less_equal` of each element of two tensors, broadcast against each other."""

def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: builtins.bool = True,
    retstep: builtins.bool = False,
    dtype: Any = None,
    gpu: Any = None,
    chunk_size: Any = None,
    axis: builtins.int = 0,
) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`; with `retstep` also the step."""

def log(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log` of each element of a tensor."""

def log10(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log10` of each element of a tensor."""

def log1p(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log1p` of each element of a tensor."""

def log2(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log2` of each element of a tensor."""

def logaddexp(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logaddexp` of each element of two tensors, broadcast against each other."""

def logaddexp2(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logaddexp2` of each element of two tensors, broadcast against each other."""

def logical_and(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_and` of each element of two tensors, broadcast against each other."""

def logical_not(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_not` of each element of a tensor."""

def logical_or(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_or` of each element of two tensors, broadcast against each other."""

def logical_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_xor` of each element of two tensors, broadcast against each other."""

def map_chunk(
    self: ArrayLike,
    func: Any,
    args: Sequence[Any] = (),
    with_chunk_index: builtins.bool = False,
    elementwise: builtins.bool | None = None,
    dtype: Any = None,
    shape: Any = None,
    **kw: Any,
) -> Tensor:
    """`func(chunk, *args, **kw)` of each chunk."""

def matmul(a: ArrayLike, b: ArrayLike, out: Any = None, *, dtype: Any = None) -> Tensor:
    """The matrix product; leading axes are broadcast."""

def max(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `max` over axes, chunk by chunk, joined in a tree."""

def maximum(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `maximum` of each element of two tensors, broadcast against each other."""

def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
) -> Tensor:
    """NumPy's `mean` over axes, chunk by chunk, joined in a tree."""

def median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: builtins.bool = False,
    keepdims: builtins.bool = False,
) -> Tensor:
    """NumPy's `median` over axes, exact for any chunks."""

def meshgrid(
    *xi: Any, indexing: builtins.str = "xy", sparse: builtins.bool = False, copy: builtins.bool = True
) -> ExecutableTuple:
    """Coordinate matrices from coordinate vectors."""

def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `min` over axes, chunk by chunk, joined in a tree."""

def minimum(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `minimum` of each element of two tensors, broadcast against each other."""

def mod(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `mod` of each element of two tensors, broadcast against each other."""

def modf(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> ExecutableTuple:
    """NumPy's `modf` of each element of a tensor."""

def moveaxis(a: ArrayLike, source: Any, destination: Any) -> Tensor:
    """A view with axes moved to other places."""

def multiply(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `multiply` of each element of two tensors, broadcast against each other."""

def nan_to_num(a: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """NumPy's `nan_to_num` of each element."""

def nanargmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None
) -> Tensor:
    """NumPy's `nanargmax` over axes, chunk by chunk, joined in a tree."""

def nanargmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None
) -> Tensor:
    """NumPy's `nanargmin` over axes, chunk by chunk, joined in a tree."""

def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    """NumPy's `nancumprod` along an axis, or over all elements in C order."""

def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    """NumPy's `nancumsum` along an axis, or over all elements in C order."""

def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `nanmax` over axes, chunk by chunk, joined in a tree."""

def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
) -> Tensor:
    """NumPy's `nanmean` over axes, chunk by chunk, joined in a tree."""

def nanmedian(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: builtins.bool = False,
    keepdims: builtins.bool = False,
) -> Tensor:
    """NumPy's `nanmedian` over axes, exact for any chunks."""

def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `nanmin` over axes, chunk by chunk, joined in a tree."""

def nanpercentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: builtins.bool = False,
    method: builtins.str = "linear",
    keepdims: builtins.bool = False,
    *,
    weights: Any = None,
    interpolation: Any = None,
) -> Tensor:
    """NumPy's `nanpercentile` over axes by any `method`, exact for any chunks."""

def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `nanprod` over axes, chunk by chunk, joined in a tree."""

def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: builtins.bool = False,
    method: builtins.str = "linear",
    keepdims: builtins.bool = False,
    *,
    weights: Any = None,
    interpolation: Any = None,
) -> Tensor:
    """NumPy's `nanquantile` over axes by any `method`, exact for any chunks."""

def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """NumPy's `nanstd` over axes, chunk by chunk, joined in a tree."""

def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `nansum` over axes, chunk by chunk, joined in a tree."""

def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """NumPy's `nanvar` over axes, chunk by chunk, joined in a tree."""

def ndim(a: Any) -> builtins.int:
    """The number of axes."""

def negative(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `negative` of each element of a tensor."""

def nextafter(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `nextafter` of each element of two tensors, broadcast against each other."""

def nonzero(a: ArrayLike) -> ExecutableTuple:
    """The positions of elements that are not zero, a tensor for each axis."""

def not_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `not_equal` of each element of two tensors, broadcast against each other."""

def ones(
    shape: Any, dtype: Any = None, chunk_size: Any = None, gpu: Any = False, order: builtins.str = "C"
) -> Tensor:
    """A tensor of one value."""

def ones_like(
    a: Any,
    dtype: Any = None,
    order: builtins.str = "K",
    subok: builtins.bool = True,
    shape: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Tensor:
    """A tensor of one value in the shape of another."""

def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> Tensor:
    """The products of all pairs of elements."""

def partition(
    a: ArrayLike,
    kth: Any,
    axis: builtins.int | None = -1,
    kind: builtins.str = "introselect",
    order: Any = None,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
) -> Tensor:
    """A copy with the `kth` elements in their sorted places, smaller ones before and larger ones behind."""

def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: builtins.bool = False,
    method: builtins.str = "linear",
    keepdims: builtins.bool = False,
    *,
    weights: Any = None,
    interpolation: Any = None,
) -> Tensor:
    """NumPy's `percentile` over axes by any `method`, exact for any chunks."""

def positive(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `positive` of each element of a tensor."""

def power(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `power` of each element of two tensors, broadcast against each other."""

def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `prod` over axes, chunk by chunk, joined in a tree."""

def product(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `product` over axes, chunk by chunk, joined in a tree."""

def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, combine_size: Any = None) -> Tensor:
    """NumPy's `ptp` over axes, chunk by chunk, joined in a tree."""

def put(a: Any, ind: Any, v: Any, mode: builtins.str = "raise") -> Any:
    """Nothing: writes values at positions of the flat tensor."""

def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: builtins.bool = False,
    method: builtins.str = "linear",
    keepdims: builtins.bool = False,
    *,
    weights: Any = None,
    interpolation: Any = None,
) -> Tensor:
    """NumPy's `quantile` over axes by any `method`, exact for any chunks."""

def rad2deg(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `rad2deg` of each element of a tensor."""

def radians(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `radians` of each element of a tensor."""

def ravel(a: ArrayLike, order: builtins.str = "C") -> Tensor:
    """All elements on one axis: a view where NumPy gives one."""

def real(val: ArrayLike) -> Tensor:
    """A view of the real part; the tensor itself where it is real."""

def rechunk(
    tensor: ArrayLike,
    chunk_size: Any,
    threshold: Any = None,
    chunk_size_limit: Any = None,
    reassign_worker: builtins.bool = False,
) -> Tensor:
    """The same elements in other chunks. The last three arguments tune Mars's own way and have no effect."""

def reciprocal(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `reciprocal` of each element of a tensor."""

def remainder(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `remainder` of each element of two tensors, broadcast against each other."""

def repeat(a: ArrayLike, repeats: Any, axis: builtins.int | None = None) -> Tensor:
    """Each element several times, along an axis; of the flat tensor without one."""

def reshape(a: ArrayLike, shape: Any, order: builtins.str = "C", copy: builtins.bool | None = None) -> Tensor:
    """The same elements in another shape: a view where NumPy gives one."""

def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that an operation of these gives."""

def right_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `right_shift` of each element of two tensors, broadcast against each other."""

def rint(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `rint` of each element of a tensor."""

def roll(a: ArrayLike, shift: Any, axis: Any = None) -> Tensor:
    """Elements moved along axes; what leaves at the end comes in at the start."""

def rollaxis(a: ArrayLike, axis: builtins.int, start: builtins.int = 0) -> Tensor:
    """A view with one axis rolled backwards."""

def round(a: Any, decimals: Any = 0, out: Any = None) -> Tensor:
    """NumPy's `round` of each element."""

def round_(a: Any, decimals: Any = 0, out: Any = None) -> Tensor:
    """NumPy's `round_` of each element."""

def scalar(data: Any, dtype: Any = None, gpu: Any = None) -> Tensor:
    """A tensor without axes."""

def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: builtins.str = "left",
    sorter: ArrayLike | None = None,
    combine_size: builtins.int | None = None,
) -> Tensor:
    """Where elements of `v` would be put to keep the sorted `a` in order. `a` may be chunked: chunks count for themselves."""

def setdiff1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Tensor:
    """The distinct elements of the first that are not in the second, in order."""

def shape(a: Any) -> Any:
    """The lengths of all axes: numbers, or tensors to execute where only a run can tell."""

def sign(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `sign` of each element of a tensor."""

def signbit(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `signbit` of each element of a tensor."""

def sin(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `sin` of each element of a tensor."""

def sinc(a: Any) -> Tensor:
    """NumPy's `sinc` of each element."""

def sinh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `sinh` of each element of a tensor."""

def size(a: Any, axis: builtins.int | None = None) -> Tensor | builtins.int:
    """The number of elements, or the length of one axis: a tensor to execute where only a run can tell."""

def sort(
    a: ArrayLike,
    axis: builtins.int | None = -1,
    kind: builtins.str | None = None,
    order: Any = None,
    stable: builtins.bool | None = None,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
    return_index: builtins.bool = False,
) -> Tensor:
    """A sorted copy along `axis`; with `return_index` also the positions, as Mars does."""

def spacing(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `spacing` of each element of a tensor."""

def split(ary: ArrayLike, indices_or_sections: Any, axis: builtins.int = 0) -> ExecutableTuple:
    """Views of the parts between positions, or of so many parts; `array_split` lets them differ by one."""

def sqrt(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `sqrt` of each element of a tensor."""

def square(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `square` of each element of a tensor."""

def squeeze(a: ArrayLike, axis: Any = None) -> Tensor:
    """A view without the axes of length one. Axes of unknown length stay; the run refuses if one is a one."""

def stack(
    tensors: Sequence[ArrayLike],
    axis: builtins.int = 0,
    out: Any = None,
    dtype: Any = None,
    casting: builtins.str = "same_kind",
) -> Tensor:
    """Tensors of one shape along a new axis."""

def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """NumPy's `std` over axes, chunk by chunk, joined in a tree."""

def subtract(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `subtract` of each element of two tensors, broadcast against each other."""

def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """NumPy's `sum` over axes, chunk by chunk, joined in a tree."""

def swapaxes(a: ArrayLike, axis1: builtins.int, axis2: builtins.int) -> Tensor:
    """A view with two axes swapped."""

def take(
    a: ArrayLike,
    indices: Any,
    axis: builtins.int | None = None,
    out: Any = None,
    mode: builtins.str = "raise",
) -> Tensor:
    """The elements at positions along an axis, of the flat tensor without one."""

def tan(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `tan` of each element of a tensor."""

def tanh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `tanh` of each element of a tensor."""

def tensor(
    data: Any = None,
    dtype: Any = None,
    order: builtins.str | None = None,
    chunk_size: Any = None,
    gpu: Any = None,
    sparse: builtins.bool = False,
) -> Tensor:
    """A tensor of an array, list or scalar, in chunks; a tensor itself. Data in memory are copied and never written to."""

def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> Tensor:
    """The sum of products over the given axes of both."""

def tile(A: ArrayLike, reps: Any) -> Tensor:
    """The tensor several times along each axis."""

@deprecated("not built: HDF5 is no dependency; dask.array.to_hdf5 takes x.to_dask()")
def to_hdf5(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: TileDB is no dependency; dask.array.to_tiledb takes x.to_dask()")
def to_tiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Vineyard is a store of Mars's; Dask has no counterpart")
def to_vineyard(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Zarr is no dependency; dask.array.to_zarr takes x.to_dask()")
def to_zarr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: HDF5 is no dependency; dask.array.to_hdf5 takes x.to_dask()")
def tohdf5(*args: Any, **kwargs: Any) -> Any: ...
def topk(
    a: ArrayLike,
    k: builtins.int,
    axis: builtins.int | None = -1,
    largest: builtins.bool = True,
    sorted: builtins.bool = True,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
) -> Tensor:
    """The `k` largest elements along `axis`, largest first; with `largest=False` the smallest, smallest first."""

@deprecated("not built: TileDB is no dependency; dask.array.to_tiledb takes x.to_dask()")
def totiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Vineyard is a store of Mars's; Dask has no counterpart")
def tovineyard(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Zarr is no dependency; dask.array.to_zarr takes x.to_dask()")
def tozarr(*args: Any, **kwargs: Any) -> Any: ...
def trace(
    a: ArrayLike,
    offset: builtins.int = 0,
    axis1: builtins.int = 0,
    axis2: builtins.int = 1,
    dtype: Any = None,
    out: Any = None,
) -> Tensor:
    """The sum along a diagonal."""

def transpose(a: ArrayLike, axes: Any = None) -> Tensor:
    """A view with the axes in another order; reversed without `axes`."""

def trapz(
    y: ArrayLike, x: ArrayLike | None = None, dx: builtins.float = 1.0, axis: builtins.int = -1
) -> Tensor:
    """The area under `y` along an axis by the trapezoidal rule (NumPy 2 calls it `trapezoid`)."""

def tree_add(
    *args: Any, combine_size: builtins.int | None = None, out: Any = None, where: Any = None
) -> Tensor:
    """All tensors added up (multiplied) pairwise in a tree."""

def tree_multiply(
    *args: Any, combine_size: builtins.int | None = None, out: Any = None, where: Any = None
) -> Tensor:
    """All tensors added up (multiplied) pairwise in a tree."""

def tril(m: ArrayLike, k: builtins.int = 0, gpu: Any = None) -> Tensor:
    """The matrix with zeros above a diagonal."""

def triu(m: ArrayLike, k: builtins.int = 0, gpu: Any = None) -> Tensor:
    """The matrix with zeros below a diagonal."""

def true_divide(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `true_divide` of each element of two tensors, broadcast against each other."""

def trunc(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: builtins.str = "same_kind",
    order: builtins.str = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `trunc` of each element of a tensor."""

def union1d(ar1: Any, ar2: Any, aggregate_size: builtins.int | None = None) -> Tensor:
    """The distinct elements of both, in order."""

def unique(
    ar: Any,
    return_index: builtins.bool = False,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    aggregate_size: builtins.int | None = None,
) -> Tensor:
    """The distinct elements in order; with positions of the first, of each in them, and counts. Lengths only a run can tell."""

def unravel_index(indices: ArrayLike, shape: Any, order: builtins.str = "C") -> ExecutableTuple:
    """For flat positions, the positions along each axis of a shape: a tensor for each."""

def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    combine_size: Any = None,
    *,
    where: Any = None,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """NumPy's `var` over axes, chunk by chunk, joined in a tree."""

def vdot(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The dot product of all elements in C order, the first conjugated."""

def vsplit(ary: ArrayLike, indices_or_sections: Any) -> ExecutableTuple:
    """Views of the parts along one axis."""

def vstack(tup: Any, dtype: Any = None, casting: builtins.str = "same_kind") -> Tensor:
    """Tensors on top of each other: along the first axis, rows at least."""

def where(condition: ArrayLike, x: Any = None, y: Any = None) -> ExecutableTuple | Tensor:
    """Elements of x where the condition holds, else of y. With the condition alone: `nonzero`."""

def zeros(
    shape: Any, dtype: Any = None, chunk_size: Any = None, gpu: Any = False, order: builtins.str = "C"
) -> Tensor:
    """A tensor of one value."""

def zeros_like(
    a: Any,
    dtype: Any = None,
    order: builtins.str = "K",
    subok: builtins.bool = True,
    shape: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Tensor:
    """A tensor of one value in the shape of another."""

AxisError: builtins.type

Inf: builtins.float

NAN: builtins.float

NINF: builtins.float

NaN: builtins.float

bool = np.bool

bytes_ = np.bytes_

c_: marsdask.tensor.making.objects.Joiner

cfloat: builtins.type

character = np.character

complex128 = np.complex128

complex64 = np.complex64

complexfloating = np.complexfloating

datetime64 = np.datetime64

double = np.double

dtype = np.dtype

e: builtins.float

errstate = np.errstate

finfo = np.finfo

flexible = np.flexible

float: builtins.type

float16 = np.float16

float32 = np.float32

float64 = np.float64

floating = np.floating

generic = np.generic

geterr = np.geterr

inexact = np.inexact

inf: builtins.float

int: builtins.type

int16 = np.int16

int32 = np.int32

int64 = np.int64

int8 = np.int8

intc = np.intc

integer = np.integer

intp = np.intp

mgrid: marsdask.tensor.making.objects.Grid

nan: builtins.float

ndindex = np.ndindex

newaxis: None

number = np.number

object: builtins.type

ogrid: marsdask.tensor.making.objects.Grid

pi: builtins.float

r_: marsdask.tensor.making.objects.Joiner

seterr = np.seterr

signedinteger = np.signedinteger

timedelta64 = np.timedelta64

uint = np.uint

uint16 = np.uint16

uint32 = np.uint32

uint64 = np.uint64

uint8 = np.uint8

unicode_: builtins.type

unsignedinteger = np.unsignedinteger

void = np.void
