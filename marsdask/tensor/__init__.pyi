"""Written from the registry by `make stubs`; do not edit."""

import builtins
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, overload

import dask.array as da
import numpy as np
import numpy.typing as npt
import pandas as pd
from typing_extensions import deprecated

from marsdask.lazy import Lazy
from marsdask.progress import ExecutionInfo
from marsdask.session import Session

from marsdask.tensor.core import ExecutableTuple as ExecutableTuple
from marsdask.dataframe import DataFrame
from marsdask.dataframe import DataFrameGroupBy
from marsdask.dataframe import Index
from marsdask.dataframe import Series
from marsdask.dataframe import SeriesGroupBy

ArrayLike = Tensor | npt.ArrayLike | da.Array
FrameLike = DataFrame | Series | Index | Tensor | pd.DataFrame | pd.Series | pd.Index

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
    def __setitem__(self, key: Any, value: Any) -> Any:
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

    @deprecated("not built: not written yet")
    def astype(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def choose(self, *args: Any, **kwargs: Any) -> Any: ...
    def clip(
        self, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
    ) -> Tensor:
        """Elements limited to an interval."""

    @deprecated("not built: not written yet")
    def compress(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def conj(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def conjugate(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def copy(self, *args: Any, **kwargs: Any) -> Any: ...
    def cumprod(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
        """NumPy's `cumprod` along an axis, or over all elements in C order."""

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
        """NumPy's `cumsum` along an axis, or over all elements in C order."""

    def dot(self, b: ArrayLike, out: Any = None) -> Tensor:
        """The dot product: over the last axis of `a` and the last but one of `b`."""

    @property
    def dtype(self) -> np.dtype[Any]: ...
    @deprecated("not built: not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def flags(self) -> builtins.dict[builtins.str, builtins.bool]: ...
    @property
    def flat(self) -> Any:
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
    @deprecated("not built: not written yet")
    def isscalar(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def issparse(self, *args: Any, **kwargs: Any) -> Any: ...
    def item(self, *args: Any) -> Any:
        """The only element, or that at an index, as a Python scalar. Runs."""

    @property
    def itemsize(self) -> builtins.int: ...
    @deprecated("not built: not written yet")
    def map_chunk(self, *args: Any, **kwargs: Any) -> Any: ...
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
    @deprecated("not built: not written yet")
    def nonzero(self, *args: Any, **kwargs: Any) -> Any: ...
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
    @deprecated("not built: not written yet")
    def rebalance(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rechunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def repeat(self, *args: Any, **kwargs: Any) -> Any: ...
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

    @deprecated("not built: not written yet")
    def take(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def to_cpu(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_dask(self) -> Any:
        """The `dask.array.Array` this lowers to."""

    @deprecated("not built: not written yet")
    def to_dataframe(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def to_gpu(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_numpy(self, *, session: Any = None, **kwargs: Any) -> Any:
        """The data as NumPy, run first if needed."""

    def to_xarray(self, dims: Any = None, coords: Any = None, name: builtins.str | None = None) -> Any:
        """An xarray DataArray over the lowered Dask array, which xarray handles in all its operations."""

    @deprecated("not built: not written yet")
    def todense(self, *args: Any, **kwargs: Any) -> Any: ...
    def tolist(self) -> Any:
        """The data as nested lists. Runs."""

    @deprecated("not built: not written yet")
    def tosparse(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
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

    @deprecated("not built: not written yet")
    def view(self, *args: Any, **kwargs: Any) -> Any: ...

@deprecated("not built: not written yet")
def AxisError(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def Inf(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def NAN(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def NINF(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def NaN(*args: Any, **kwargs: Any) -> Any: ...
def abs(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `abs` of each element of a tensor."""

def absolute(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `absolute` of each element of a tensor."""

def add(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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

@deprecated("not built: not written yet")
def append(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def arange(*args: Any, **kwargs: Any) -> Any: ...
def arccos(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arccos` of each element of a tensor."""

def arccosh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arccosh` of each element of a tensor."""

def arcsin(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arcsin` of each element of a tensor."""

def arcsinh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arcsinh` of each element of a tensor."""

def arctan(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arctan` of each element of a tensor."""

def arctan2(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `arctan2` of each element of two tensors, broadcast against each other."""

def arctanh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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

@deprecated("not built: not written yet")
def argwhere(*args: Any, **kwargs: Any) -> Any: ...
def around(a: Any, decimals: Any = 0, out: Any = None) -> Tensor:
    """NumPy's `around` of each element."""

@deprecated("not built: not written yet")
def array(*args: Any, **kwargs: Any) -> Any: ...
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: builtins.bool = False) -> Tensor:
    """Whether shapes and all elements are equal, as a lazy truth value."""

@deprecated("not built: not written yet")
def array_split(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def asarray(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def ascontiguousarray(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def asfortranarray(*args: Any, **kwargs: Any) -> Any: ...
def atleast_1d(*tensors: Any) -> ExecutableTuple | Tensor:
    """A view with so many axes at least."""

def atleast_2d(*tensors: Any) -> ExecutableTuple | Tensor:
    """A view with so many axes at least."""

def atleast_3d(*tensors: Any) -> ExecutableTuple | Tensor:
    """A view with so many axes at least."""

@overload
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: Literal[False] = False,
    *,
    keepdims: builtins.bool = False,
) -> Tensor: ...
@overload
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: builtins.bool = False,
    *,
    keepdims: builtins.bool = False,
) -> Any:
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `bitwise_and` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def bitwise_not(*args: Any, **kwargs: Any) -> Any: ...
def bitwise_or(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `bitwise_or` of each element of two tensors, broadcast against each other."""

def bitwise_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `bitwise_xor` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def block(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def bool(*args: Any, **kwargs: Any) -> Any: ...
def broadcast_arrays(*arrays: Any, subok: builtins.bool = False) -> ExecutableTuple:
    """All in one common shape; what is repeated is read-only."""

def broadcast_to(array: ArrayLike, shape: Any, subok: builtins.bool = False) -> Tensor:
    """A read-only view of a larger shape."""

@deprecated("not built: not written yet")
def bytes_(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def c_(*args: Any, **kwargs: Any) -> Any: ...
def cbrt(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `cbrt` of each element of a tensor."""

def ceil(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `ceil` of each element of a tensor."""

@deprecated("not built: not written yet")
def cfloat(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def character(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def choose(*args: Any, **kwargs: Any) -> Any: ...
def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
) -> Tensor:
    """Elements limited to an interval."""

@deprecated("not built: not written yet")
def column_stack(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def complex128(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def complex64(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def complexfloating(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def compress(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def concatenate(*args: Any, **kwargs: Any) -> Any: ...
def conj(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `conj` of each element of a tensor."""

def conjugate(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `conjugate` of each element of a tensor."""

@deprecated("not built: not written yet")
def copy(*args: Any, **kwargs: Any) -> Any: ...
def copysign(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `copysign` of each element of two tensors, broadcast against each other."""

def copyto(dst: Any, src: Any, casting: builtins.str = "same_kind", where: Any = True) -> Any:
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `cos` of each element of a tensor."""

def cosh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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

@deprecated("not built: not written yet")
def datetime64(*args: Any, **kwargs: Any) -> Any: ...
def deg2rad(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `deg2rad` of each element of a tensor."""

def degrees(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `degrees` of each element of a tensor."""

@deprecated("not built: not written yet")
def delete(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def diag(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def diagflat(*args: Any, **kwargs: Any) -> Any: ...
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `divide` of each element of two tensors, broadcast against each other."""

def divmod(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> ExecutableTuple:
    """NumPy's `divmod` of each element of two tensors, broadcast against each other."""

def dot(a: ArrayLike, b: ArrayLike, out: Any = None) -> Tensor:
    """The dot product: over the last axis of `a` and the last but one of `b`."""

@deprecated("not built: not written yet")
def double(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def dsplit(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def dstack(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def dtype(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def e(*args: Any, **kwargs: Any) -> Any: ...
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

@deprecated("not built: not written yet")
def empty(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def empty_like(*args: Any, **kwargs: Any) -> Any: ...
def equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `equal` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def errstate(*args: Any, **kwargs: Any) -> Any: ...
def exp(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `exp` of each element of a tensor."""

def exp2(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `expm1` of each element of a tensor."""

@deprecated("not built: not written yet")
def extract(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def eye(*args: Any, **kwargs: Any) -> Any: ...
def fabs(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fabs` of each element of a tensor."""

def fill_diagonal(a: Any, val: Any, wrap: builtins.bool = False) -> Any:
    """Nothing: writes into the main diagonal of the tensor, in place."""

@deprecated("not built: not written yet")
def finfo(*args: Any, **kwargs: Any) -> Any: ...
def fix(a: Any, out: Any = None) -> Tensor:
    """NumPy's `fix` of each element."""

@deprecated("not built: not written yet")
def flatnonzero(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def flexible(*args: Any, **kwargs: Any) -> Any: ...
def flip(m: ArrayLike, axis: Any = None) -> Tensor:
    """A view with the order of elements reversed along axes; all without `axis`."""

def fliplr(m: ArrayLike) -> Tensor:
    """A view with the order of elements reversed along one axis."""

def flipud(m: ArrayLike) -> Tensor:
    """A view with the order of elements reversed along one axis."""

@deprecated("not built: not written yet")
def float(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def float16(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def float32(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def float64(*args: Any, **kwargs: Any) -> Any: ...
def float_power(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `float_power` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def floating(*args: Any, **kwargs: Any) -> Any: ...
def floor(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `floor` of each element of a tensor."""

def floor_divide(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `floor_divide` of each element of two tensors, broadcast against each other."""

def fmax(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fmax` of each element of two tensors, broadcast against each other."""

def fmin(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fmin` of each element of two tensors, broadcast against each other."""

def fmod(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `fmod` of each element of two tensors, broadcast against each other."""

def frexp(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> ExecutableTuple:
    """NumPy's `frexp` of each element of a tensor."""

def from_dask(array: Any) -> Any:
    """A tensor over a `dask.array.Array`: the same chunks, nothing run."""

@deprecated("not built: not written yet")
def from_dataframe(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def from_hdf5(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def from_tiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def from_vineyard(*args: Any, **kwargs: Any) -> Any: ...
def from_xarray(array: Any) -> Any:
    """A tensor over an xarray DataArray's values; dimension names and coordinates stay behind."""

@deprecated("not built: not written yet")
def from_zarr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def fromhdf5(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def fromtiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def fromvineyard(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def fromzarr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def full(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def full_like(*args: Any, **kwargs: Any) -> Any: ...
def gcd(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `gcd` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def generic(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def geterr(*args: Any, **kwargs: Any) -> Any: ...
def greater(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `greater` of each element of two tensors, broadcast against each other."""

def greater_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `greater_equal` of each element of two tensors, broadcast against each other."""

def heaviside(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `heaviside` of each element of two tensors, broadcast against each other."""

def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> ExecutableTuple:
    """How many elements fall in each bin, and the bins' edges."""

def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:
    """The edges of bins that `histogram` would use."""

@deprecated("not built: not written yet")
def hsplit(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def hstack(*args: Any, **kwargs: Any) -> Any: ...
def hypot(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `hypot` of each element of two tensors, broadcast against each other."""

def i0(a: Any) -> Tensor:
    """NumPy's `i0` of each element."""

@deprecated("not built: not written yet")
def identity(*args: Any, **kwargs: Any) -> Any: ...
def imag(val: ArrayLike) -> Tensor:
    """A view of the imaginary part; read-only zeros for real numbers."""

@deprecated("not built: not written yet")
def imread(*args: Any, **kwargs: Any) -> Any: ...
def in1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor:
    """`isin` of the flattened elements. NumPy 2 has dropped this name for `isin`."""

@deprecated("not built: not written yet")
def indices(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def inexact(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def inf(*args: Any, **kwargs: Any) -> Any: ...
def inner(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last axes."""

def innerproduct(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last axes."""

@deprecated("not built: not written yet")
def insert(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def int(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def int16(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def int32(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def int64(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def int8(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def intc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def integer(*args: Any, **kwargs: Any) -> Any: ...
def intersect1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Tensor:
    """The distinct elements that are in both, in order."""

@deprecated("not built: not written yet")
def intp(*args: Any, **kwargs: Any) -> Any: ...
def invert(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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
    casting: Any = "same_kind",
    order: Any = "K",
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `isinf` of each element of a tensor."""

def isnan(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `lcm` of each element of two tensors, broadcast against each other."""

def ldexp(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `ldexp` of each element of two tensors, broadcast against each other."""

def left_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `left_shift` of each element of two tensors, broadcast against each other."""

def less(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `less` of each element of two tensors, broadcast against each other."""

def less_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `less_equal` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def linspace(*args: Any, **kwargs: Any) -> Any: ...
def log(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log` of each element of a tensor."""

def log10(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log10` of each element of a tensor."""

def log1p(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log1p` of each element of a tensor."""

def log2(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `log2` of each element of a tensor."""

def logaddexp(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logaddexp` of each element of two tensors, broadcast against each other."""

def logaddexp2(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logaddexp2` of each element of two tensors, broadcast against each other."""

def logical_and(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_and` of each element of two tensors, broadcast against each other."""

def logical_not(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_not` of each element of a tensor."""

def logical_or(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_or` of each element of two tensors, broadcast against each other."""

def logical_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `logical_xor` of each element of two tensors, broadcast against each other."""

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
    casting: Any = "same_kind",
    order: Any = "K",
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

@deprecated("not built: not written yet")
def meshgrid(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def mgrid(*args: Any, **kwargs: Any) -> Any: ...
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `minimum` of each element of two tensors, broadcast against each other."""

def mod(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `mod` of each element of two tensors, broadcast against each other."""

def modf(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `multiply` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def nan(*args: Any, **kwargs: Any) -> Any: ...
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

@deprecated("not built: not written yet")
def ndim(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def ndindex(*args: Any, **kwargs: Any) -> Any: ...
def negative(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `negative` of each element of a tensor."""

@deprecated("not built: not written yet")
def newaxis(*args: Any, **kwargs: Any) -> Any: ...
def nextafter(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `nextafter` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def nonzero(*args: Any, **kwargs: Any) -> Any: ...
def not_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `not_equal` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def number(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def object(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def ogrid(*args: Any, **kwargs: Any) -> Any: ...
def ones(
    shape: Any,
    dtype: Any = None,
    chunk_size: Any = None,
    gpu: builtins.bool = False,
    order: builtins.str = "C",
) -> Tensor:
    """A tensor of ones."""

@deprecated("not built: not written yet")
def ones_like(*args: Any, **kwargs: Any) -> Any: ...
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

@deprecated("not built: not written yet")
def pi(*args: Any, **kwargs: Any) -> Any: ...
def positive(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `positive` of each element of a tensor."""

def power(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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

@deprecated("not built: not written yet")
def r_(*args: Any, **kwargs: Any) -> Any: ...
def rad2deg(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `rad2deg` of each element of a tensor."""

def radians(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `radians` of each element of a tensor."""

def ravel(a: ArrayLike, order: builtins.str = "C") -> Tensor:
    """All elements on one axis: a view where NumPy gives one."""

def real(val: ArrayLike) -> Tensor:
    """A view of the real part; the tensor itself where it is real."""

@deprecated("not built: not written yet")
def rechunk(*args: Any, **kwargs: Any) -> Any: ...
def reciprocal(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `reciprocal` of each element of a tensor."""

def remainder(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `remainder` of each element of two tensors, broadcast against each other."""

@deprecated("not built: not written yet")
def repeat(*args: Any, **kwargs: Any) -> Any: ...
def reshape(a: ArrayLike, shape: Any, order: builtins.str = "C", copy: builtins.bool | None = None) -> Tensor:
    """The same elements in another shape: a view where NumPy gives one."""

@deprecated("not built: not written yet")
def result_type(*args: Any, **kwargs: Any) -> Any: ...
def right_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `right_shift` of each element of two tensors, broadcast against each other."""

def rint(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `rint` of each element of a tensor."""

@deprecated("not built: not written yet")
def roll(*args: Any, **kwargs: Any) -> Any: ...
def rollaxis(a: ArrayLike, axis: builtins.int, start: builtins.int = 0) -> Tensor:
    """A view with one axis rolled backwards."""

def round(a: Any, decimals: Any = 0, out: Any = None) -> Tensor:
    """NumPy's `round` of each element."""

def round_(a: Any, decimals: Any = 0, out: Any = None) -> Tensor:
    """NumPy's `round_` of each element."""

@deprecated("not built: not written yet")
def scalar(*args: Any, **kwargs: Any) -> Any: ...
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

@deprecated("not built: not written yet")
def seterr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def shape(*args: Any, **kwargs: Any) -> Any: ...
def sign(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `sign` of each element of a tensor."""

def signbit(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `signbit` of each element of a tensor."""

@deprecated("not built: not written yet")
def signedinteger(*args: Any, **kwargs: Any) -> Any: ...
def sin(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
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
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `sinh` of each element of a tensor."""

@overload
def sort(
    a: ArrayLike,
    axis: builtins.int | None = -1,
    kind: builtins.str | None = None,
    order: Any = None,
    stable: builtins.bool | None = None,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
    return_index: Literal[False] = False,
) -> Tensor: ...
@overload
def sort(
    a: ArrayLike,
    axis: builtins.int | None = -1,
    kind: builtins.str | None = None,
    order: Any = None,
    stable: builtins.bool | None = None,
    parallel_kind: builtins.str | None = None,
    psrs_kinds: Any = None,
    return_index: builtins.bool = False,
) -> Any:
    """A sorted copy along `axis`; with `return_index` also the positions, as Mars does."""

def spacing(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `spacing` of each element of a tensor."""

@deprecated("not built: not written yet")
def split(*args: Any, **kwargs: Any) -> Any: ...
def sqrt(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `sqrt` of each element of a tensor."""

def square(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `square` of each element of a tensor."""

def squeeze(a: ArrayLike, axis: Any = None) -> Tensor:
    """A view without the axes of length one. Axes of unknown length stay; the run refuses if one is a one."""

@deprecated("not built: not written yet")
def stack(*args: Any, **kwargs: Any) -> Any: ...
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
    casting: Any = "same_kind",
    order: Any = "K",
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

@deprecated("not built: not written yet")
def take(*args: Any, **kwargs: Any) -> Any: ...
def tan(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `tan` of each element of a tensor."""

def tanh(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `tanh` of each element of a tensor."""

def tensor(
    data: Any,
    dtype: Any = None,
    order: builtins.str | None = None,
    chunk_size: Any = None,
    gpu: Any = None,
    sparse: builtins.bool = False,
) -> Tensor:
    """A tensor of an array, list or scalar, in chunks. The source is copied and never written to."""

def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> Tensor:
    """The sum of products over the given axes of both."""

@deprecated("not built: not written yet")
def tile(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def timedelta64(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def to_hdf5(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def to_tiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def to_vineyard(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def to_zarr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
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

@deprecated("not built: not written yet")
def totiledb(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def tovineyard(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
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

@deprecated("not built: not written yet")
def tril(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def triu(*args: Any, **kwargs: Any) -> Any: ...
def true_divide(
    x1: ArrayLike,
    x2: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `true_divide` of each element of two tensors, broadcast against each other."""

def trunc(
    x: ArrayLike,
    out: Any = None,
    where: Any = None,
    *,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
) -> Tensor:
    """NumPy's `trunc` of each element of a tensor."""

@deprecated("not built: not written yet")
def uint(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def uint16(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def uint32(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def uint64(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def uint8(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def unicode_(*args: Any, **kwargs: Any) -> Any: ...
def union1d(ar1: Any, ar2: Any, aggregate_size: builtins.int | None = None) -> Any:
    """The distinct elements of both, in order."""

@overload
def unique(
    ar: Any,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    aggregate_size: builtins.int | None = None,
) -> Tensor: ...
@overload
def unique(
    ar: Any,
    return_index: builtins.bool = False,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    aggregate_size: builtins.int | None = None,
) -> Any:
    """The distinct elements in order; with positions of the first, of each in them, and counts. Lengths only a run can tell."""

@deprecated("not built: not written yet")
def unravel_index(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def unsignedinteger(*args: Any, **kwargs: Any) -> Any: ...
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

@deprecated("not built: not written yet")
def void(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def vsplit(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def vstack(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def where(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def zeros(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def zeros_like(*args: Any, **kwargs: Any) -> Any: ...
