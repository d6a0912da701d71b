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
from marsdask.tensor import Tensor

ArrayLike = Tensor | npt.ArrayLike | da.Array
FrameLike = DataFrame | Series | Index | Tensor | pd.DataFrame | pd.Series | pd.Index

class DataFrameGroupBy:
    """Groups of a DataFrame's rows."""

    def __getitem__(self, key: Any) -> Any: ...
    def __iter__(self) -> Iterator[builtins.tuple[Any, Any]]:
        """(name, the group's rows as a lazy frame) of every group; asks which groups there are."""

    def __len__(self) -> builtins.int: ...
    def agg(
        self,
        func: Any = None,
        *args: Any,
        method: builtins.str = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> DataFrame:
        """One row a group: `func` a name, a function, a list or dict of them, or `name=(column, function)`."""

    def aggregate(
        self,
        func: Any = None,
        *args: Any,
        method: builtins.str = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> Any:
        """One row a group: `func` a name, a function, a list or dict of them, or `name=(column, function)`."""

    def all(self, skipna: Any = True, *, method: Any = "auto", combine_size: Any = None) -> DataFrame:
        """pandas' `groupby.all`, over all chunks."""

    def any(self, skipna: Any = True, *, method: Any = "auto", combine_size: Any = None) -> DataFrame:
        """pandas' `groupby.any`, over all chunks."""

    def apply(
        self,
        func: Any,
        *args: Any,
        include_groups: Any = False,
        skip_infer: Any = False,
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        index: Any = None,
        output_type: Any = None,
        output_types: Any = None,
        **kwargs: Any,
    ) -> DataFrame | Series:
        """What `func(group)` gives of each group, put together as pandas does. `output_type`, `dtypes`, `dtype`, `name`, `index` describe the result where running `func` on made-up rows cannot tell."""

    def backfill(self, limit: Any = None) -> Any:
        """pandas' `groupby.bfill`, over all chunks."""

    def bfill(self, limit: Any = None) -> DataFrame:
        """pandas' `groupby.bfill`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def boxplot(self, *args: Any, **kwargs: Any) -> Any: ...
    def corr(self, method: Any = "pearson", min_periods: Any = 1, numeric_only: Any = False) -> DataFrame:
        """pandas' `groupby.corr`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def corrwith(self, *args: Any, **kwargs: Any) -> Any: ...
    def count(self, *, method: Any = "auto", combine_size: Any = None) -> DataFrame:
        """pandas' `groupby.count`, over all chunks."""

    def cov(self, min_periods: Any = None, ddof: Any = 1, numeric_only: Any = False) -> DataFrame:
        """pandas' `groupby.cov`, over all chunks."""

    def cumcount(self, ascending: Any = True) -> Series:
        """pandas' `groupby.cumcount`, over all chunks."""

    def cummax(self, numeric_only: Any = False, skipna: Any = True, **kwargs: Any) -> DataFrame:
        """pandas' `groupby.cummax`, over all chunks."""

    def cummin(self, numeric_only: Any = False, skipna: Any = True, **kwargs: Any) -> DataFrame:
        """pandas' `groupby.cummin`, over all chunks."""

    def cumprod(self, numeric_only: Any = False, skipna: Any = True, *args: Any, **kwargs: Any) -> DataFrame:
        """pandas' `groupby.cumprod`, over all chunks."""

    def cumsum(self, numeric_only: Any = False, skipna: Any = True, *args: Any, **kwargs: Any) -> DataFrame:
        """pandas' `groupby.cumsum`, over all chunks."""

    def describe(
        self,
        percentiles: Any = None,
        include: Any = None,
        exclude: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.describe`, over all chunks."""

    def diff(self, periods: Any = 1) -> DataFrame:
        """pandas' `groupby.diff`, over all chunks."""

    @deprecated("not built: not written yet")
    def dtype(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def dtypes(self) -> Any: ...
    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def ewm(self, *args: Any, **kwargs: Any) -> Any: ...
    def execute(self, session: Any = None, **kwargs: Any) -> Any:
        """Run the frame and the keys, and return self."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def expanding(self, *args: Any, **kwargs: Any) -> Any: ...
    def fetch(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby of the executed frame."""

    @deprecated("not built: not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    def ffill(self, limit: Any = None) -> DataFrame:
        """pandas' `groupby.ffill`, over all chunks."""

    def fillna(self, value: Any = None, **kwargs: Any) -> Any:
        """The frame with holes filled with `value` (gone from pandas 3, kept for Mars's users)."""

    def filter(self, func: Any, dropna: Any = True, *args: Any, **kwargs: Any) -> DataFrame:
        """pandas' `groupby.filter`, over all chunks."""

    def first(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.first`, over all chunks."""

    def get_group(self, name: Any) -> DataFrame:
        """The rows of the group called `name`."""

    @property
    def groups(self) -> Any:
        """Group name -> row labels; runs the frame."""

    def head(self, n: Any = 5) -> DataFrame:
        """pandas' `groupby.head`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def hist(self, *args: Any, **kwargs: Any) -> Any: ...
    def idxmax(
        self, skipna: Any = True, numeric_only: Any = False, *, method: Any = "auto", combine_size: Any = None
    ) -> DataFrame:
        """pandas' `groupby.idxmax`, over all chunks."""

    def idxmin(
        self, skipna: Any = True, numeric_only: Any = False, *, method: Any = "auto", combine_size: Any = None
    ) -> DataFrame:
        """pandas' `groupby.idxmin`, over all chunks."""

    @property
    def indices(self) -> Any:
        """Group name -> row positions; runs the frame."""

    kind: Any

    def kurt(
        self,
        skipna: Any = True,
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> DataFrame:
        """pandas' `groupby.kurt`, over all chunks."""

    def kurtosis(
        self,
        skipna: Any = True,
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> Any:
        """pandas' `groupby.kurt`, over all chunks."""

    def last(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.last`, over all chunks."""

    def max(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.max`, over all chunks."""

    def mean(
        self,
        numeric_only: Any = False,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.mean`, over all chunks."""

    def median(
        self, numeric_only: Any = False, skipna: Any = True, *, method: Any = "auto", combine_size: Any = None
    ) -> DataFrame:
        """pandas' `groupby.median`, over all chunks."""

    def min(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.min`, over all chunks."""

    @property
    def ndim(self) -> builtins.int: ...
    def ngroup(self, ascending: Any = True) -> Series:
        """pandas' `groupby.ngroup`, over all chunks."""

    @property
    def ngroups(self) -> builtins.int: ...
    def nth(self, n: Any, dropna: Any = None) -> DataFrame:
        """pandas' `groupby.nth`, over all chunks."""

    def nunique(self, dropna: Any = True, *, method: Any = "auto", combine_size: Any = None) -> DataFrame:
        """pandas' `groupby.nunique`, over all chunks."""

    def ohlc(self, *, method: Any = "auto", combine_size: Any = None) -> Any:
        """pandas' `groupby.ohlc`, over all chunks."""

    def pad(self, limit: Any = None) -> Any:
        """pandas' `groupby.ffill`, over all chunks."""

    def pct_change(self, periods: Any = 1, fill_method: Any = None, freq: Any = None) -> Any:
        """pandas' `groupby.pct_change`, over all chunks."""

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def plot(self, *args: Any, **kwargs: Any) -> Any: ...
    def prod(
        self,
        numeric_only: Any = False,
        min_count: Any = 0,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.prod`, over all chunks."""

    def quantile(
        self,
        q: Any = 0.5,
        interpolation: Any = "linear",
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.quantile`, over all chunks."""

    def rank(
        self, method: Any = "average", ascending: Any = True, na_option: Any = "keep", pct: Any = False
    ) -> DataFrame:
        """pandas' `groupby.rank`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def resample(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def rolling(self, *args: Any, **kwargs: Any) -> Any: ...
    def sample(
        self,
        n: Any = None,
        frac: Any = None,
        replace: Any = False,
        weights: Any = None,
        random_state: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.sample`, over all chunks."""

    def sem(
        self,
        ddof: Any = 1,
        numeric_only: Any = False,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.sem`, over all chunks."""

    def shift(
        self, periods: Any = 1, freq: Any = None, fill_value: Any = ..., suffix: Any = None
    ) -> DataFrame:
        """pandas' `groupby.shift`, over all chunks."""

    def size(self, *, method: Any = "auto", combine_size: Any = None) -> DataFrame | Series:
        """pandas' `groupby.size`, over all chunks."""

    def skew(
        self,
        skipna: Any = True,
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> DataFrame:
        """pandas' `groupby.skew`, over all chunks."""

    def std(
        self,
        ddof: Any = 1,
        engine: Any = None,
        engine_kwargs: Any = None,
        numeric_only: Any = False,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.std`, over all chunks."""

    def sum(
        self,
        numeric_only: Any = False,
        min_count: Any = 0,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.sum`, over all chunks."""

    def tail(self, n: Any = 5) -> DataFrame:
        """pandas' `groupby.tail`, over all chunks."""

    def take(self, indices: Any, **kwargs: Any) -> DataFrame:
        """pandas' `groupby.take`, over all chunks."""

    def to_pandas(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby, run first if needed."""

    def transform(
        self,
        func: Any = None,
        *args: Any,
        skip_infer: Any = False,
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        index: Any = None,
        output_type: Any = None,
        output_types: Any = None,
        **kwargs: Any,
    ) -> DataFrame:
        """A row for each row: `func`, a name or a function of a group's column, broadcast back in row order."""

    def value_counts(
        self,
        subset: Any = None,
        normalize: Any = False,
        sort: Any = True,
        ascending: Any = False,
        dropna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.value_counts`, over all chunks."""

    def var(
        self,
        ddof: Any = 1,
        engine: Any = None,
        engine_kwargs: Any = None,
        numeric_only: Any = False,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.var`, over all chunks."""

class SeriesGroupBy:
    """Groups of a Series' rows."""

    def __iter__(self) -> Iterator[builtins.tuple[Any, Any]]:
        """(name, the group's rows as a lazy frame) of every group; asks which groups there are."""

    def __len__(self) -> builtins.int: ...
    def agg(
        self,
        func: Any = None,
        *args: Any,
        method: builtins.str = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> DataFrame | Series:
        """One row a group: `func` a name, a function, a list or dict of them, or `name=(column, function)`."""

    def aggregate(
        self,
        func: Any = None,
        *args: Any,
        method: builtins.str = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> Any:
        """One row a group: `func` a name, a function, a list or dict of them, or `name=(column, function)`."""

    def all(self, skipna: Any = True, *, method: Any = "auto", combine_size: Any = None) -> Any:
        """pandas' `groupby.all`, over all chunks."""

    def any(self, skipna: Any = True, *, method: Any = "auto", combine_size: Any = None) -> Series:
        """pandas' `groupby.any`, over all chunks."""

    def apply(
        self,
        func: Any,
        *args: Any,
        include_groups: Any = False,
        skip_infer: Any = False,
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        index: Any = None,
        output_type: Any = None,
        output_types: Any = None,
        **kwargs: Any,
    ) -> Series:
        """What `func(group)` gives of each group, put together as pandas does. `output_type`, `dtypes`, `dtype`, `name`, `index` describe the result where running `func` on made-up rows cannot tell."""

    def backfill(self, limit: Any = None) -> Any:
        """pandas' `groupby.bfill`, over all chunks."""

    def bfill(self, limit: Any = None) -> Series:
        """pandas' `groupby.bfill`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def boxplot(self, *args: Any, **kwargs: Any) -> Any: ...
    def corr(self, method: Any = "pearson", min_periods: Any = 1, numeric_only: Any = False) -> Any:
        """pandas' `groupby.corr`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def corrwith(self, *args: Any, **kwargs: Any) -> Any: ...
    def count(self, *, method: Any = "auto", combine_size: Any = None) -> Any:
        """pandas' `groupby.count`, over all chunks."""

    def cov(self, min_periods: Any = None, ddof: Any = 1, numeric_only: Any = False) -> Any:
        """pandas' `groupby.cov`, over all chunks."""

    def cumcount(self, ascending: Any = True) -> Any:
        """pandas' `groupby.cumcount`, over all chunks."""

    def cummax(self, numeric_only: Any = False, skipna: Any = True, **kwargs: Any) -> Series:
        """pandas' `groupby.cummax`, over all chunks."""

    def cummin(self, numeric_only: Any = False, skipna: Any = True, **kwargs: Any) -> Any:
        """pandas' `groupby.cummin`, over all chunks."""

    def cumprod(self, numeric_only: Any = False, skipna: Any = True, *args: Any, **kwargs: Any) -> Any:
        """pandas' `groupby.cumprod`, over all chunks."""

    def cumsum(self, numeric_only: Any = False, skipna: Any = True, *args: Any, **kwargs: Any) -> Series:
        """pandas' `groupby.cumsum`, over all chunks."""

    def describe(
        self,
        percentiles: Any = None,
        include: Any = None,
        exclude: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> DataFrame:
        """pandas' `groupby.describe`, over all chunks."""

    def diff(self, periods: Any = 1) -> Series:
        """pandas' `groupby.diff`, over all chunks."""

    @property
    def dtype(self) -> Any: ...
    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def ewm(self, *args: Any, **kwargs: Any) -> Any: ...
    def execute(self, session: Any = None, **kwargs: Any) -> Any:
        """Run the frame and the keys, and return self."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def expanding(self, *args: Any, **kwargs: Any) -> Any: ...
    def fetch(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby of the executed frame."""

    @deprecated("not built: not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    def ffill(self, limit: Any = None) -> Series:
        """pandas' `groupby.ffill`, over all chunks."""

    def fillna(self, value: Any = None, **kwargs: Any) -> Any:
        """The frame with holes filled with `value` (gone from pandas 3, kept for Mars's users)."""

    def filter(self, func: Any, dropna: Any = True, *args: Any, **kwargs: Any) -> Series:
        """pandas' `groupby.filter`, over all chunks."""

    def first(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.first`, over all chunks."""

    def get_group(self, name: Any) -> Series:
        """The rows of the group called `name`."""

    @property
    def groups(self) -> Any:
        """Group name -> row labels; runs the frame."""

    def head(self, n: Any = 5) -> Series:
        """pandas' `groupby.head`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def hist(self, *args: Any, **kwargs: Any) -> Any: ...
    def idxmax(
        self, skipna: Any = True, numeric_only: Any = False, *, method: Any = "auto", combine_size: Any = None
    ) -> Series:
        """pandas' `groupby.idxmax`, over all chunks."""

    def idxmin(
        self, skipna: Any = True, numeric_only: Any = False, *, method: Any = "auto", combine_size: Any = None
    ) -> Series:
        """pandas' `groupby.idxmin`, over all chunks."""

    @property
    def indices(self) -> Any:
        """Group name -> row positions; runs the frame."""

    kind: Any

    def kurt(
        self,
        skipna: Any = True,
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> Any:
        """pandas' `groupby.kurt`, over all chunks."""

    def kurtosis(
        self,
        skipna: Any = True,
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> Any:
        """pandas' `groupby.kurt`, over all chunks."""

    def last(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Any:
        """pandas' `groupby.last`, over all chunks."""

    def max(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.max`, over all chunks."""

    def mean(
        self,
        numeric_only: Any = False,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.mean`, over all chunks."""

    def median(
        self, numeric_only: Any = False, skipna: Any = True, *, method: Any = "auto", combine_size: Any = None
    ) -> Series:
        """pandas' `groupby.median`, over all chunks."""

    def min(
        self,
        numeric_only: Any = False,
        min_count: Any = -1,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.min`, over all chunks."""

    @property
    def name(self) -> Any: ...
    @property
    def ndim(self) -> builtins.int: ...
    def ngroup(self, ascending: Any = True) -> Any:
        """pandas' `groupby.ngroup`, over all chunks."""

    @property
    def ngroups(self) -> builtins.int: ...
    def nlargest(
        self, n: Any = 5, keep: Any = "first", *, method: Any = "auto", combine_size: Any = None
    ) -> Series:
        """pandas' `groupby.nlargest`, over all chunks."""

    def nsmallest(
        self, n: Any = 5, keep: Any = "first", *, method: Any = "auto", combine_size: Any = None
    ) -> Series:
        """pandas' `groupby.nsmallest`, over all chunks."""

    def nth(self, n: Any, dropna: Any = None) -> Series:
        """pandas' `groupby.nth`, over all chunks."""

    def nunique(self, dropna: Any = True, *, method: Any = "auto", combine_size: Any = None) -> Series:
        """pandas' `groupby.nunique`, over all chunks."""

    def ohlc(self, *, method: Any = "auto", combine_size: Any = None) -> DataFrame:
        """pandas' `groupby.ohlc`, over all chunks."""

    def pad(self, limit: Any = None) -> Any:
        """pandas' `groupby.ffill`, over all chunks."""

    def pct_change(self, periods: Any = 1, fill_method: Any = None, freq: Any = None) -> Series:
        """pandas' `groupby.pct_change`, over all chunks."""

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def plot(self, *args: Any, **kwargs: Any) -> Any: ...
    def prod(
        self,
        numeric_only: Any = False,
        min_count: Any = 0,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.prod`, over all chunks."""

    def quantile(
        self,
        q: Any = 0.5,
        interpolation: Any = "linear",
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.quantile`, over all chunks."""

    def rank(
        self, method: Any = "average", ascending: Any = True, na_option: Any = "keep", pct: Any = False
    ) -> Series:
        """pandas' `groupby.rank`, over all chunks."""

    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def resample(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: windows, plots and pairs of groups need a reader of their own; use apply")
    def rolling(self, *args: Any, **kwargs: Any) -> Any: ...
    def sample(
        self,
        n: Any = None,
        frac: Any = None,
        replace: Any = False,
        weights: Any = None,
        random_state: Any = None,
    ) -> Series:
        """pandas' `groupby.sample`, over all chunks."""

    def sem(
        self,
        ddof: Any = 1,
        numeric_only: Any = False,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.sem`, over all chunks."""

    def shift(
        self, periods: Any = 1, freq: Any = None, fill_value: Any = ..., suffix: Any = None
    ) -> DataFrame | Series:
        """pandas' `groupby.shift`, over all chunks."""

    def size(self, *, method: Any = "auto", combine_size: Any = None) -> Series:
        """pandas' `groupby.size`, over all chunks."""

    def skew(
        self,
        skipna: Any = True,
        numeric_only: Any = False,
        *,
        method: Any = "auto",
        combine_size: Any = None,
        **kwargs: Any,
    ) -> Series:
        """pandas' `groupby.skew`, over all chunks."""

    def std(
        self,
        ddof: Any = 1,
        engine: Any = None,
        engine_kwargs: Any = None,
        numeric_only: Any = False,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.std`, over all chunks."""

    def sum(
        self,
        numeric_only: Any = False,
        min_count: Any = 0,
        skipna: Any = True,
        engine: Any = None,
        engine_kwargs: Any = None,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.sum`, over all chunks."""

    def tail(self, n: Any = 5) -> Any:
        """pandas' `groupby.tail`, over all chunks."""

    def take(self, indices: Any, **kwargs: Any) -> Any:
        """pandas' `groupby.take`, over all chunks."""

    def to_pandas(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby, run first if needed."""

    def transform(
        self,
        func: Any = None,
        *args: Any,
        skip_infer: Any = False,
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        index: Any = None,
        output_type: Any = None,
        output_types: Any = None,
        **kwargs: Any,
    ) -> Series:
        """A row for each row: `func`, a name or a function of a group's column, broadcast back in row order."""

    def unique(self, *, method: Any = "auto", combine_size: Any = None) -> Series:
        """pandas' `groupby.unique`, over all chunks."""

    def value_counts(
        self,
        subset: Any = None,
        normalize: Any = False,
        sort: Any = True,
        ascending: Any = False,
        dropna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.value_counts`, over all chunks."""

    def var(
        self,
        ddof: Any = 1,
        engine: Any = None,
        engine_kwargs: Any = None,
        numeric_only: Any = False,
        skipna: Any = True,
        *,
        method: Any = "auto",
        combine_size: Any = None,
    ) -> Series:
        """pandas' `groupby.var`, over all chunks."""

class DataFrame(Lazy):
    """A lazy table in chunks of rows: pandas' DataFrame."""

    @overload
    def execute(
        self, session: Session | None = None, *, wait: Literal[False], **kwargs: Any
    ) -> ExecutionInfo: ...
    @overload
    def execute(self, session: Session | None = None, *, wait: builtins.bool = True, **kwargs: Any) -> Self:
        """Run, hold the result, and return self. `wait=False` returns an ExecutionInfo."""

    def __init__(
        self,
        data: Any = None,
        index: Any = None,
        columns: Any = None,
        dtype: Any = None,
        copy: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        sparse: Any = None,
        num_partitions: builtins.int | None = None,
    ) -> None:
        """A lazy table in chunks of rows: pandas' DataFrame."""

    @property
    @deprecated("not built: not written yet")
    def T(self) -> Any: ...
    def __abs__(self) -> DataFrame: ...
    def __add__(self, other: Any) -> DataFrame:
        """pandas' `__add__`, aligned by labels; arrays and lists are positional."""

    def __and__(self, other: Any) -> DataFrame:
        """pandas' `__and__`, aligned by labels; arrays and lists are positional."""

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray[Any, Any]: ...
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions of frames: the method of that name, as NumPy itself calls it; else the tensor function."""

    __array_priority__: builtins.int

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: builtins.str, *operands: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        """NumPy's ufuncs of frames: an operator where there is one, so that labels align."""

    def __bool__(self) -> builtins.bool: ...
    def __contains__(self, name: Any) -> builtins.bool: ...
    def __delitem__(self, key: Any) -> None: ...
    def __divmod__(self, other: Any) -> Any:
        """Quotient and remainder: two frames."""

    def __eq__(self, other: Any) -> DataFrame:  # type: ignore[override]
        """pandas' `__eq__`, aligned by labels; arrays and lists are positional."""

    def __floordiv__(self, other: Any) -> DataFrame:
        """pandas' `__floordiv__`, aligned by labels; arrays and lists are positional."""

    def __ge__(self, other: Any) -> DataFrame:
        """pandas' `__ge__`, aligned by labels; arrays and lists are positional."""

    @overload
    def __getitem__(
        self, key: builtins.list[Any] | Series | Tensor | np.ndarray[Any, Any] | pd.Index | builtins.slice
    ) -> DataFrame: ...
    @overload
    def __getitem__(self, key: builtins.str | builtins.int | builtins.tuple[Any, ...]) -> Series: ...
    def __getattr__(self, column: builtins.str) -> Series: ...
    def __gt__(self, other: Any) -> DataFrame:
        """pandas' `__gt__`, aligned by labels; arrays and lists are positional."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __iadd__(self, other: Any) -> DataFrame: ...
    def __iand__(self, other: Any) -> DataFrame: ...
    def __ifloordiv__(self, other: Any) -> DataFrame: ...
    def __imod__(self, other: Any) -> DataFrame: ...
    def __imul__(self, other: Any) -> DataFrame: ...
    def __invert__(self) -> DataFrame: ...
    def __ior__(self, other: Any) -> DataFrame: ...
    def __ipow__(self, other: Any) -> DataFrame: ...
    def __isub__(self, other: Any) -> DataFrame: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __itruediv__(self, other: Any) -> DataFrame: ...
    def __ixor__(self, other: Any) -> DataFrame: ...
    def __le__(self, other: Any) -> DataFrame:
        """pandas' `__le__`, aligned by labels; arrays and lists are positional."""

    def __len__(self) -> builtins.int: ...
    def __lt__(self, other: Any) -> DataFrame:
        """pandas' `__lt__`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def __matmul__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __mod__(self, other: Any) -> DataFrame:
        """pandas' `__mod__`, aligned by labels; arrays and lists are positional."""

    def __mul__(self, other: Any) -> DataFrame:
        """pandas' `__mul__`, aligned by labels; arrays and lists are positional."""

    def __ne__(self, other: Any) -> DataFrame:  # type: ignore[override]
        """pandas' `__ne__`, aligned by labels; arrays and lists are positional."""

    def __neg__(self) -> DataFrame: ...
    def __or__(self, other: Any) -> DataFrame:
        """pandas' `__or__`, aligned by labels; arrays and lists are positional."""

    __pandas_priority__: builtins.int

    def __pos__(self) -> DataFrame: ...
    def __pow__(self, other: Any) -> DataFrame:
        """pandas' `__pow__`, aligned by labels; arrays and lists are positional."""

    def __radd__(self, other: Any) -> DataFrame:
        """pandas' `__radd__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rand__(self, other: Any) -> DataFrame:
        """pandas' `__rand__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rdivmod__(self, other: Any) -> Any:
        """Quotient and remainder of `other` by this: two frames."""

    def __rfloordiv__(self, other: Any) -> DataFrame:
        """pandas' `__rfloordiv__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def __rmatmul__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __rmod__(self, other: Any) -> DataFrame:
        """pandas' `__rmod__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rmul__(self, other: Any) -> DataFrame:
        """pandas' `__rmul__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __ror__(self, other: Any) -> DataFrame:
        """pandas' `__ror__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rpow__(self, other: Any) -> DataFrame:
        """pandas' `__rpow__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rsub__(self, other: Any) -> DataFrame:
        """pandas' `__rsub__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rtruediv__(self, other: Any) -> DataFrame:
        """pandas' `__rtruediv__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rxor__(self, other: Any) -> DataFrame:
        """pandas' `__rxor__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> DataFrame:
        """pandas' `__sub__`, aligned by labels; arrays and lists are positional."""

    def __truediv__(self, other: Any) -> DataFrame:
        """pandas' `__truediv__`, aligned by labels; arrays and lists are positional."""

    def __xor__(self, other: Any) -> DataFrame:
        """pandas' `__xor__`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def abs(self, *args: Any, **kwargs: Any) -> Any: ...
    def add(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `add`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def add_prefix(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def add_suffix(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def agg(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def aggregate(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def align(self, *args: Any, **kwargs: Any) -> Any: ...
    def all(
        self,
        axis: Any = 0,
        bool_only: Any = False,
        skipna: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The all of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def any(
        self,
        axis: Any = 0,
        bool_only: Any = False,
        skipna: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The any of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def append(
        self,
        other: Any,
        ignore_index: builtins.bool = False,
        verify_integrity: builtins.bool = False,
        sort: builtins.bool = False,
    ) -> Any:
        """This frame's rows and then others' (gone from pandas, kept for Mars's users)."""

    @deprecated("not built: not written yet")
    def apply(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def assign(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def astype(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def at(self) -> Any:
        """One value by labels."""

    @property
    @deprecated("not built: not written yet")
    def axes(self) -> Any: ...
    @deprecated("not built: not written yet")
    def backfill(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def bfill(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def boxplot(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cartesian_chunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def columns(self) -> pd.Index:
        """The column labels, known without a run."""

    @deprecated("not built: not written yet")
    def copy(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def corr(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def corrwith(self, *args: Any, **kwargs: Any) -> Any: ...
    def count(
        self, axis: Any = 0, numeric_only: Any = False, combine_size: Any = None, method: Any = None
    ) -> Series:
        """The count of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def cummax(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cummin(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cumprod(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cumsum(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def describe(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def diff(self, *args: Any, **kwargs: Any) -> Any: ...
    def div(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `div`, aligned by labels; arrays and lists are positional."""

    def divide(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `divide`, aligned by labels; arrays and lists are positional."""

    def divmod(self, other: Any) -> Any:
        """Quotient and remainder: two frames."""

    @deprecated("not built: not written yet")
    def dot(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def drop(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def drop_duplicates(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def dropna(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def dtypes(self) -> pd.Series: ...
    @deprecated("not built: not written yet")
    def duplicated(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def empty(self) -> builtins.bool:
        """Whether there are no elements. Raises ValueError where that is not known yet."""

    def eq(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `eq`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def eval(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def ewm(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def expanding(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def explode(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def fetch_infos(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def ffill(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def fillna(self, *args: Any, **kwargs: Any) -> Any: ...
    def floordiv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `floordiv`, aligned by labels; arrays and lists are positional."""

    def ge(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `ge`, aligned by labels; arrays and lists are positional."""

    def groupby(
        self,
        by: Any = None,
        level: Any = None,
        as_index: builtins.bool = True,
        sort: builtins.bool = True,
        group_keys: builtins.bool = True,
        observed: builtins.bool = True,
        dropna: builtins.bool = True,
    ) -> DataFrameGroupBy:
        """Groups of rows with equal keys: a lazy `GroupBy`."""

    def gt(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `gt`, aligned by labels; arrays and lists are positional."""

    def head(self, n: builtins.int = 5) -> DataFrame:
        """The first n rows of the whole; of a file only as much is read as that needs."""

    @deprecated("not built: not written yet")
    def hist(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def iat(self) -> Any:
        """One value by position."""

    def idxmax(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series:
        """The idxmax of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def idxmin(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series:
        """The idxmin of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @property
    def iloc(self) -> Any:
        """Rows and columns by position."""

    @property
    def index(self) -> Index:
        """The row labels."""

    @deprecated("not built: not written yet")
    def insert(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def isin(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def isna(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def isnull(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def issparse(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def items(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def iterbatch(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def iteritems(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def iterrows(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def itertuples(self, *args: Any, **kwargs: Any) -> Any: ...
    def join(
        self,
        other: Any,
        on: Any = None,
        how: builtins.str = "left",
        lsuffix: builtins.str = "",
        rsuffix: builtins.str = "",
        sort: builtins.bool = False,
        validate: Any = None,
        method: Any = "auto",
        auto_merge: builtins.str = "both",
        auto_merge_threshold: builtins.int = 8,
        bloom_filter: Any = "auto",
        bloom_filter_options: Any = None,
    ) -> DataFrame:
        """This frame with the columns of others beside it, matched by label (or `on` columns against their labels)."""

    def keys(self) -> pd.Index:
        """The column labels."""

    def kurt(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        bias: Any = False,
        fisher: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The kurt of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def kurtosis(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        bias: Any = False,
        fisher: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The kurtosis of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def le(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `le`, aligned by labels; arrays and lists are positional."""

    @property
    def loc(self) -> Any:
        """Rows and columns by label."""

    def lt(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `lt`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def map_chunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def mask(self, *args: Any, **kwargs: Any) -> Any: ...
    def max(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The max of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def mean(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The mean of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def median(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The median of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def melt(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def memory_usage(self, *args: Any, **kwargs: Any) -> Any: ...
    def merge(
        self,
        right: Any,
        how: builtins.str = "inner",
        on: Any = None,
        left_on: Any = None,
        right_on: Any = None,
        left_index: builtins.bool = False,
        right_index: builtins.bool = False,
        sort: builtins.bool = False,
        suffixes: Any = ("_x", "_y"),
        copy: Any = None,
        indicator: Any = False,
        validate: Any = None,
        method: Any = "auto",
        auto_merge: builtins.str = "both",
        auto_merge_threshold: builtins.int = 8,
        bloom_filter: Any = "auto",
        bloom_filter_options: Any = None,
    ) -> DataFrame:
        """Matched rows of this frame and another: see `md.merge`."""

    def min(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The min of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def mod(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `mod`, aligned by labels; arrays and lists are positional."""

    def mode(
        self, axis: Any = 0, numeric_only: Any = False, dropna: Any = True, combine_size: Any = None
    ) -> DataFrame:
        """The most frequent values of each column, sorted."""

    def mul(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `mul`, aligned by labels; arrays and lists are positional."""

    def multiply(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `multiply`, aligned by labels; arrays and lists are positional."""

    @property
    def ndim(self) -> builtins.int: ...
    def ne(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `ne`, aligned by labels; arrays and lists are positional."""

    def nlargest(self, n: builtins.int, columns: Any, keep: builtins.str = "first") -> DataFrame:
        """The `n` rows with the largest values in `columns`, in order."""

    @deprecated("not built: not written yet")
    def notna(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def notnull(self, *args: Any, **kwargs: Any) -> Any: ...
    def nsmallest(self, n: builtins.int, columns: Any, keep: builtins.str = "first") -> DataFrame:
        """The `n` rows with the smallest values in `columns`, in order."""

    @property
    def nsplits(self) -> builtins.tuple[builtins.tuple[builtins.float, ...], ...] | None:
        """Rows per chunk (and the columns, whole), once executed; else None."""

    def nunique(
        self, axis: Any = 0, dropna: Any = True, combine_size: Any = None, method: Any = None
    ) -> Series:
        """The nunique of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def pad(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def pct_change(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def plot(self, *args: Any, **kwargs: Any) -> Any: ...
    def pop(self, item: Any) -> Any:
        """A column, which the frame loses."""

    def pow(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `pow`, aligned by labels; arrays and lists are positional."""

    def prod(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        min_count: Any = 0,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The prod of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def product(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        min_count: Any = 0,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The product of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def quantile(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def query(self, *args: Any, **kwargs: Any) -> Any: ...
    def radd(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `radd`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rank(
        self,
        axis: Any = 0,
        method: builtins.str = "average",
        numeric_only: builtins.bool = False,
        na_option: builtins.str = "keep",
        ascending: builtins.bool = True,
        pct: builtins.bool = False,
    ) -> DataFrame:
        """The rank of each value from 1 on, among all rows (or along a row with `axis=1`)."""

    def rdiv(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rdiv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rdivmod(self, other: Any) -> Any:
        """Quotient and remainder of `other` by this: two frames."""

    @deprecated("not built: not written yet")
    def rebalance(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rechunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def reindex(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def reindex_like(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rename(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rename_axis(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def replace(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def reset_index(self, *args: Any, **kwargs: Any) -> Any: ...
    def rfloordiv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `rfloordiv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmod(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rmod`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmul(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rmul`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def rolling(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def round(self, *args: Any, **kwargs: Any) -> Any: ...
    def rpow(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rpow`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rsub(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rsub`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rtruediv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `rtruediv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def sample(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def select_dtypes(self, *args: Any, **kwargs: Any) -> Any: ...
    def sem(
        self,
        axis: Any = 0,
        skipna: Any = True,
        ddof: Any = 1,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The sem of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def set_axis(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def set_index(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def shape(self) -> builtins.tuple[builtins.float, ...]:
        """Rows (`nan` where only a run can tell) and columns."""

    @deprecated("not built: not written yet")
    def shift(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def size(self) -> builtins.float: ...
    def skew(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        bias: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The skew of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @overload
    def sort_index(
        self,
        *,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        inplace: Literal[False] = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        sort_remaining: builtins.bool = True,
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> DataFrame: ...
    @overload
    def sort_index(
        self,
        *,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        inplace: builtins.bool = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        sort_remaining: builtins.bool = True,
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> Any:
        """Rows in the order of their labels (columns with `axis=1`), stable whatever `kind`."""

    @overload
    def sort_values(
        self,
        by: Any,
        axis: Any = 0,
        ascending: Any = True,
        inplace: Literal[False] = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> DataFrame: ...
    @overload
    def sort_values(
        self,
        by: Any,
        axis: Any = 0,
        ascending: Any = True,
        inplace: builtins.bool = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> Any:
        """Rows in the order of one or more columns, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""

    @deprecated("not built: not written yet")
    def stack(self, *args: Any, **kwargs: Any) -> Any: ...
    def std(
        self,
        axis: Any = 0,
        skipna: Any = True,
        ddof: Any = 1,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The std of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def sub(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `sub`, aligned by labels; arrays and lists are positional."""

    def subtract(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `subtract`, aligned by labels; arrays and lists are positional."""

    def sum(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        min_count: Any = 0,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The sum of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def tail(self, n: builtins.int = 5) -> DataFrame:
        """The last n rows of the whole."""

    def take(self, indices: Any, axis: Any = 0, **kwargs: Any) -> DataFrame:
        """Rows (or columns) by position, in the order given."""

    @deprecated("not built: not written yet")
    def to_cpu(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def to_csv(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_dask(self) -> Any:
        """A `dask.dataframe` collection over the same chunks."""

    @deprecated("not built: not written yet")
    def to_gpu(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_numpy(self, dtype: Any = None, copy: builtins.bool = False, na_value: Any = ...) -> Any:
        """The data as an ndarray, run first if needed."""

    def to_pandas(
        self,
        session: Any = None,
        fetch_kwargs: builtins.dict[builtins.str, Any] | None = None,
        batch_size: builtins.int | None = None,
    ) -> Any:
        """The data as pandas, run first if needed. Batch sizes are accepted; the result is the same."""

    @deprecated("not built: not written yet")
    def to_parquet(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def to_sql(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_tensor(self) -> Any:
        """A Tensor of the values, in the common dtype of the columns; a copy."""

    @deprecated("not built: not written yet")
    def to_vineyard(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def transform(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def transpose(self, *args: Any, **kwargs: Any) -> Any: ...
    def truediv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `truediv`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def tshift(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def values(self) -> Tensor:
        """A Tensor of the values; a copy."""

    def var(
        self,
        axis: Any = 0,
        skipna: Any = True,
        ddof: Any = 1,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Series | Tensor:
        """The var of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def where(self, *args: Any, **kwargs: Any) -> Any: ...

class Series(Lazy):
    """A lazy column in chunks: pandas' Series. Parameters as `DataFrame`'s, and `name`."""

    @overload
    def execute(
        self, session: Session | None = None, *, wait: Literal[False], **kwargs: Any
    ) -> ExecutionInfo: ...
    @overload
    def execute(self, session: Session | None = None, *, wait: builtins.bool = True, **kwargs: Any) -> Self:
        """Run, hold the result, and return self. `wait=False` returns an ExecutionInfo."""

    def __init__(
        self,
        data: Any = None,
        index: Any = None,
        dtype: Any = None,
        name: Any = None,
        copy: Any = None,
        chunk_size: Any = None,
        gpu: Any = None,
        sparse: Any = None,
        num_partitions: builtins.int | None = None,
    ) -> None:
        """A lazy column in chunks: pandas' Series. Parameters as `DataFrame`'s, and `name`."""

    @property
    @deprecated("not built: not written yet")
    def T(self) -> Any: ...
    def __abs__(self) -> Series: ...
    def __add__(self, other: Any) -> Series:
        """pandas' `__add__`, aligned by labels; arrays and lists are positional."""

    def __and__(self, other: Any) -> Series:
        """pandas' `__and__`, aligned by labels; arrays and lists are positional."""

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray[Any, Any]: ...
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions of frames: the method of that name, as NumPy itself calls it; else the tensor function."""

    __array_priority__: builtins.int

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: builtins.str, *operands: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        """NumPy's ufuncs of frames: an operator where there is one, so that labels align."""

    def __bool__(self) -> builtins.bool: ...
    def __contains__(self, label: Any) -> builtins.bool: ...
    def __divmod__(self, other: Any) -> Any:
        """Quotient and remainder: two frames."""

    def __eq__(self, other: Any) -> Series:  # type: ignore[override]
        """pandas' `__eq__`, aligned by labels; arrays and lists are positional."""

    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Any) -> Series:
        """pandas' `__floordiv__`, aligned by labels; arrays and lists are positional."""

    def __ge__(self, other: Any) -> Series:
        """pandas' `__ge__`, aligned by labels; arrays and lists are positional."""

    def __getitem__(self, key: Any) -> Any: ...
    def __gt__(self, other: Any) -> Series:
        """pandas' `__gt__`, aligned by labels; arrays and lists are positional."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __iadd__(self, other: Any) -> Series: ...
    def __iand__(self, other: Any) -> Series: ...
    def __ifloordiv__(self, other: Any) -> Series: ...
    def __imod__(self, other: Any) -> Series: ...
    def __imul__(self, other: Any) -> Series: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Series: ...
    def __ior__(self, other: Any) -> Series: ...
    def __ipow__(self, other: Any) -> Series: ...
    def __isub__(self, other: Any) -> Series: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __itruediv__(self, other: Any) -> Series: ...
    def __ixor__(self, other: Any) -> Series: ...
    def __le__(self, other: Any) -> Series:
        """pandas' `__le__`, aligned by labels; arrays and lists are positional."""

    def __len__(self) -> builtins.int: ...
    def __lt__(self, other: Any) -> Series:
        """pandas' `__lt__`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def __matmul__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __mod__(self, other: Any) -> Series:
        """pandas' `__mod__`, aligned by labels; arrays and lists are positional."""

    def __mul__(self, other: Any) -> Series:
        """pandas' `__mul__`, aligned by labels; arrays and lists are positional."""

    def __ne__(self, other: Any) -> Series:  # type: ignore[override]
        """pandas' `__ne__`, aligned by labels; arrays and lists are positional."""

    def __neg__(self) -> Series: ...
    def __or__(self, other: Any) -> Series:
        """pandas' `__or__`, aligned by labels; arrays and lists are positional."""

    __pandas_priority__: builtins.int

    def __pos__(self) -> Series: ...
    def __pow__(self, other: Any) -> Series:
        """pandas' `__pow__`, aligned by labels; arrays and lists are positional."""

    def __radd__(self, other: Any) -> Series:
        """pandas' `__radd__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rand__(self, other: Any) -> Series:
        """pandas' `__rand__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rdivmod__(self, other: Any) -> Any:
        """Quotient and remainder of `other` by this: two frames."""

    def __rfloordiv__(self, other: Any) -> Series:
        """pandas' `__rfloordiv__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def __rmatmul__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __rmod__(self, other: Any) -> Series:
        """pandas' `__rmod__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rmul__(self, other: Any) -> Series:
        """pandas' `__rmul__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __ror__(self, other: Any) -> Series:
        """pandas' `__ror__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rpow__(self, other: Any) -> Series:
        """pandas' `__rpow__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rsub__(self, other: Any) -> Series:
        """pandas' `__rsub__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rtruediv__(self, other: Any) -> Series:
        """pandas' `__rtruediv__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rxor__(self, other: Any) -> Series:
        """pandas' `__rxor__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> Series:
        """pandas' `__sub__`, aligned by labels; arrays and lists are positional."""

    def __truediv__(self, other: Any) -> Series:
        """pandas' `__truediv__`, aligned by labels; arrays and lists are positional."""

    def __xor__(self, other: Any) -> Series:
        """pandas' `__xor__`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def abs(self, *args: Any, **kwargs: Any) -> Any: ...
    def add(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `add`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def add_prefix(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def add_suffix(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def agg(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def aggregate(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def align(self, *args: Any, **kwargs: Any) -> Any: ...
    def all(
        self,
        axis: Any = 0,
        bool_only: Any = False,
        skipna: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The all of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def any(
        self,
        axis: Any = 0,
        bool_only: Any = False,
        skipna: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The any of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def append(
        self, to_append: Any, ignore_index: builtins.bool = False, verify_integrity: builtins.bool = False
    ) -> Any:
        """This series' rows and then others' (gone from pandas, kept for Mars's users)."""

    @deprecated("not built: not written yet")
    def apply(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def astype(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def at(self) -> Any:
        """One value by labels."""

    @deprecated("not built: not written yet")
    def autocorr(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    @deprecated("not built: not written yet")
    def axes(self) -> Any: ...
    @deprecated("not built: not written yet")
    def backfill(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def between(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def bfill(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cartesian_chunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def check_monotonic(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def copy(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def corr(self, *args: Any, **kwargs: Any) -> Any: ...
    def count(
        self, axis: Any = 0, numeric_only: Any = False, combine_size: Any = None, method: Any = None
    ) -> Tensor:
        """The count of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def cummax(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cummin(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cumprod(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def cumsum(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def describe(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def diff(self, *args: Any, **kwargs: Any) -> Any: ...
    def div(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `div`, aligned by labels; arrays and lists are positional."""

    def divide(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `divide`, aligned by labels; arrays and lists are positional."""

    def divmod(self, other: Any) -> Any:
        """Quotient and remainder: two frames."""

    @deprecated("not built: not written yet")
    def dot(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def drop(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def drop_duplicates(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def dropna(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def dt(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def dtypes(self) -> Any: ...
    @deprecated("not built: not written yet")
    def duplicated(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def empty(self) -> builtins.bool:
        """Whether there are no elements. Raises ValueError where that is not known yet."""

    def eq(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `eq`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def ewm(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def expanding(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def explode(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def fetch_infos(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def ffill(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def fillna(self, *args: Any, **kwargs: Any) -> Any: ...
    def floordiv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> Series:
        """pandas' `floordiv`, aligned by labels; arrays and lists are positional."""

    def ge(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `ge`, aligned by labels; arrays and lists are positional."""

    def groupby(
        self,
        by: Any = None,
        level: Any = None,
        as_index: builtins.bool = True,
        sort: builtins.bool = True,
        group_keys: builtins.bool = True,
        observed: builtins.bool = True,
        dropna: builtins.bool = True,
    ) -> SeriesGroupBy:
        """Groups of rows with equal keys: a lazy `GroupBy`."""

    def gt(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `gt`, aligned by labels; arrays and lists are positional."""

    def head(self, n: builtins.int = 5) -> Series:
        """The first n rows of the whole; of a file only as much is read as that needs."""

    @deprecated("not built: not written yet")
    def hist(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def iat(self) -> Any:
        """One value by position."""

    def idxmax(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The idxmax of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def idxmin(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The idxmin of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @property
    def iloc(self) -> Any:
        """Rows and columns by position."""

    @property
    def index(self) -> Index:
        """The row labels."""

    @deprecated("not built: not written yet")
    def is_monotonic(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    @deprecated("not built: not written yet")
    def is_monotonic_decreasing(self) -> Any: ...
    @property
    @deprecated("not built: not written yet")
    def is_monotonic_increasing(self) -> Any: ...
    @deprecated("not built: not written yet")
    def isin(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def isna(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def isnull(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def issparse(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def items(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def iterbatch(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def iteritems(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def keys(self, *args: Any, **kwargs: Any) -> Any: ...
    def kurt(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        bias: Any = False,
        fisher: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The kurt of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def kurtosis(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        bias: Any = False,
        fisher: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The kurtosis of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def le(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `le`, aligned by labels; arrays and lists are positional."""

    @property
    def loc(self) -> Any:
        """Rows and columns by label."""

    def lt(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `lt`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def map(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def map_chunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def mask(self, *args: Any, **kwargs: Any) -> Any: ...
    def max(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The max of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def mean(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The mean of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def median(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The median of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def memory_usage(self, *args: Any, **kwargs: Any) -> Any: ...
    def min(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The min of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def mod(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `mod`, aligned by labels; arrays and lists are positional."""

    def mode(
        self, axis: Any = 0, numeric_only: Any = False, dropna: Any = True, combine_size: Any = None
    ) -> Series:
        """The most frequent values of each column, sorted."""

    def mul(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `mul`, aligned by labels; arrays and lists are positional."""

    def multiply(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> Series:
        """pandas' `multiply`, aligned by labels; arrays and lists are positional."""

    @property
    def name(self) -> builtins.str: ...
    @name.setter
    def name(self, value: Any) -> None: ...
    @property
    def ndim(self) -> builtins.int: ...
    def ne(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `ne`, aligned by labels; arrays and lists are positional."""

    def nlargest(self, n: builtins.int = 5, keep: builtins.str = "first") -> Series:
        """The `n` largest values, in order."""

    @deprecated("not built: not written yet")
    def notna(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def notnull(self, *args: Any, **kwargs: Any) -> Any: ...
    def nsmallest(self, n: builtins.int = 5, keep: builtins.str = "first") -> Series:
        """The `n` smallest values, in order."""

    @property
    def nsplits(self) -> builtins.tuple[builtins.tuple[builtins.float, ...], ...] | None:
        """Rows per chunk (and the columns, whole), once executed; else None."""

    def nunique(
        self, axis: Any = 0, dropna: Any = True, combine_size: Any = None, method: Any = None
    ) -> Tensor:
        """The nunique of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def pad(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def pct_change(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def plot(self, *args: Any, **kwargs: Any) -> Any: ...
    def pow(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `pow`, aligned by labels; arrays and lists are positional."""

    def prod(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        min_count: Any = 0,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The prod of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def product(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        min_count: Any = 0,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The product of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def quantile(self, *args: Any, **kwargs: Any) -> Any: ...
    def radd(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `radd`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rank(
        self,
        axis: Any = 0,
        method: builtins.str = "average",
        numeric_only: builtins.bool = False,
        na_option: builtins.str = "keep",
        ascending: builtins.bool = True,
        pct: builtins.bool = False,
    ) -> Series:
        """The rank of each value from 1 on, among all rows (or along a row with `axis=1`)."""

    def rdiv(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rdiv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rdivmod(self, other: Any) -> Any:
        """Quotient and remainder of `other` by this: two frames."""

    @deprecated("not built: not written yet")
    def rebalance(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rechunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def reindex(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def reindex_like(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rename(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rename_axis(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def replace(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def reset_index(self, *args: Any, **kwargs: Any) -> Any: ...
    def rfloordiv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> Series:
        """pandas' `rfloordiv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmod(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rmod`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmul(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rmul`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def rolling(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def round(self, *args: Any, **kwargs: Any) -> Any: ...
    def rpow(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rpow`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rsub(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rsub`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rtruediv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> Series:
        """pandas' `rtruediv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def sample(self, *args: Any, **kwargs: Any) -> Any: ...
    def sem(
        self,
        axis: Any = 0,
        skipna: Any = True,
        ddof: Any = 1,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The sem of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def set_axis(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def shape(self) -> builtins.tuple[builtins.float, ...]:
        """Rows (`nan` where only a run can tell) and columns."""

    @deprecated("not built: not written yet")
    def shift(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def size(self) -> builtins.float: ...
    def skew(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        bias: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The skew of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @overload
    def sort_index(
        self,
        *,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        inplace: Literal[False] = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        sort_remaining: builtins.bool = True,
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> Series: ...
    @overload
    def sort_index(
        self,
        *,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        inplace: builtins.bool = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        sort_remaining: builtins.bool = True,
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> Any:
        """Rows in the order of their labels (columns with `axis=1`), stable whatever `kind`."""

    @overload
    def sort_values(
        self,
        *,
        axis: Any = 0,
        ascending: Any = True,
        inplace: Literal[False] = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> Series: ...
    @overload
    def sort_values(
        self,
        *,
        axis: Any = 0,
        ascending: Any = True,
        inplace: builtins.bool = False,
        kind: Any = "quicksort",
        na_position: builtins.str = "last",
        ignore_index: builtins.bool = False,
        key: Any = None,
        parallel_kind: Any = "PSRS",
        psrs_kinds: Any = None,
    ) -> Any:
        """Values in order, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""

    def std(
        self,
        axis: Any = 0,
        skipna: Any = True,
        ddof: Any = 1,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The std of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def str(self, *args: Any, **kwargs: Any) -> Any: ...
    def sub(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `sub`, aligned by labels; arrays and lists are positional."""

    def subtract(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> Series:
        """pandas' `subtract`, aligned by labels; arrays and lists are positional."""

    def sum(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        min_count: Any = 0,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The sum of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def tail(self, n: builtins.int = 5) -> Series:
        """The last n rows of the whole."""

    def take(self, indices: Any, axis: Any = 0, **kwargs: Any) -> Series:
        """Rows (or columns) by position, in the order given."""

    @deprecated("not built: not written yet")
    def to_cpu(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def to_csv(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_dask(self) -> Any:
        """A `dask.dataframe` collection over the same chunks."""

    @deprecated("not built: not written yet")
    def to_dict(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def to_frame(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def to_gpu(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_numpy(self, dtype: Any = None, copy: builtins.bool = False, na_value: Any = ...) -> Any:
        """The data as an ndarray, run first if needed."""

    def to_pandas(
        self,
        session: Any = None,
        fetch_kwargs: builtins.dict[builtins.str, Any] | None = None,
        batch_size: builtins.int | None = None,
    ) -> Any:
        """The data as pandas, run first if needed. Batch sizes are accepted; the result is the same."""

    @deprecated("not built: not written yet")
    def to_sql(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_tensor(self) -> Any:
        """A Tensor of the values, in the common dtype of the columns; a copy."""

    @deprecated("not built: not written yet")
    def transform(self, *args: Any, **kwargs: Any) -> Any: ...
    def truediv(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `truediv`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def tshift(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def unique(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def value_counts(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def values(self) -> Tensor:
        """A Tensor of the values; a copy."""

    def var(
        self,
        axis: Any = 0,
        skipna: Any = True,
        ddof: Any = 1,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Tensor:
        """The var of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def where(self, *args: Any, **kwargs: Any) -> Any: ...

class Index(Lazy):
    """Lazy row labels in chunks: pandas' Index. Parameters: `data, dtype, copy, name, chunk_size`."""

    @overload
    def execute(
        self, session: Session | None = None, *, wait: Literal[False], **kwargs: Any
    ) -> ExecutionInfo: ...
    @overload
    def execute(self, session: Session | None = None, *, wait: builtins.bool = True, **kwargs: Any) -> Self:
        """Run, hold the result, and return self. `wait=False` returns an ExecutionInfo."""

    def __init__(
        self,
        data: Any = None,
        dtype: Any = None,
        copy: builtins.bool = False,
        name: Any = None,
        tupleize_cols: builtins.bool = True,
        chunk_size: Any = None,
        gpu: Any = None,
        sparse: Any = None,
        names: Any = None,
        num_partitions: builtins.int | None = None,
    ) -> None:
        """Lazy row labels in chunks: pandas' Index. Parameters: `data, dtype, copy, name, chunk_size`."""

    @property
    @deprecated("not built: not written yet")
    def T(self) -> Any: ...
    def __abs__(self) -> Index: ...
    def __add__(self, other: Any) -> Index:
        """pandas' `__add__`, aligned by labels; arrays and lists are positional."""

    def __and__(self, other: Any) -> Index:
        """pandas' `__and__`, aligned by labels; arrays and lists are positional."""

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray[Any, Any]: ...
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions of frames: the method of that name, as NumPy itself calls it; else the tensor function."""

    __array_priority__: builtins.int

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: builtins.str, *operands: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        """NumPy's ufuncs of frames: an operator where there is one, so that labels align."""

    def __bool__(self) -> builtins.bool: ...
    def __contains__(self, label: Any) -> builtins.bool: ...
    def __eq__(self, other: Any) -> Index:  # type: ignore[override]
        """pandas' `__eq__`, aligned by labels; arrays and lists are positional."""

    def __floordiv__(self, other: Any) -> Index:
        """pandas' `__floordiv__`, aligned by labels; arrays and lists are positional."""

    def __ge__(self, other: Any) -> Index:
        """pandas' `__ge__`, aligned by labels; arrays and lists are positional."""

    def __getitem__(self, key: Any) -> Any: ...
    def __gt__(self, other: Any) -> Index:
        """pandas' `__gt__`, aligned by labels; arrays and lists are positional."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __iadd__(self, other: Any) -> Index: ...
    def __iand__(self, other: Any) -> Index: ...
    def __ifloordiv__(self, other: Any) -> Index: ...
    def __imod__(self, other: Any) -> Index: ...
    def __imul__(self, other: Any) -> Index: ...
    def __invert__(self) -> Index: ...
    def __ior__(self, other: Any) -> Index: ...
    def __ipow__(self, other: Any) -> Index: ...
    def __isub__(self, other: Any) -> Index: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __itruediv__(self, other: Any) -> Index: ...
    def __ixor__(self, other: Any) -> Index: ...
    def __le__(self, other: Any) -> Index:
        """pandas' `__le__`, aligned by labels; arrays and lists are positional."""

    def __len__(self) -> builtins.int: ...
    def __lt__(self, other: Any) -> Index:
        """pandas' `__lt__`, aligned by labels; arrays and lists are positional."""

    def __mod__(self, other: Any) -> Index:
        """pandas' `__mod__`, aligned by labels; arrays and lists are positional."""

    def __mul__(self, other: Any) -> Index:
        """pandas' `__mul__`, aligned by labels; arrays and lists are positional."""

    def __ne__(self, other: Any) -> Index:  # type: ignore[override]
        """pandas' `__ne__`, aligned by labels; arrays and lists are positional."""

    def __neg__(self) -> Index: ...
    def __or__(self, other: Any) -> Index:
        """pandas' `__or__`, aligned by labels; arrays and lists are positional."""

    __pandas_priority__: builtins.int

    def __pos__(self) -> Index: ...
    def __pow__(self, other: Any) -> Index:
        """pandas' `__pow__`, aligned by labels; arrays and lists are positional."""

    def __radd__(self, other: Any) -> Index:
        """pandas' `__radd__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rand__(self, other: Any) -> Index:
        """pandas' `__rand__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rfloordiv__(self, other: Any) -> Index:
        """pandas' `__rfloordiv__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rmod__(self, other: Any) -> Index:
        """pandas' `__rmod__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rmul__(self, other: Any) -> Index:
        """pandas' `__rmul__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __ror__(self, other: Any) -> Index:
        """pandas' `__ror__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rpow__(self, other: Any) -> Index:
        """pandas' `__rpow__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rsub__(self, other: Any) -> Index:
        """pandas' `__rsub__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rtruediv__(self, other: Any) -> Index:
        """pandas' `__rtruediv__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __rxor__(self, other: Any) -> Index:
        """pandas' `__rxor__`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def __sub__(self, other: Any) -> Index:
        """pandas' `__sub__`, aligned by labels; arrays and lists are positional."""

    def __truediv__(self, other: Any) -> Index:
        """pandas' `__truediv__`, aligned by labels; arrays and lists are positional."""

    def __xor__(self, other: Any) -> Index:
        """pandas' `__xor__`, aligned by labels; arrays and lists are positional."""

    @deprecated("not built: not written yet")
    def agg(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def aggregate(self, *args: Any, **kwargs: Any) -> Any: ...
    def all(
        self,
        axis: Any = 0,
        bool_only: Any = False,
        skipna: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Any:
        """The all of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def any(
        self,
        axis: Any = 0,
        bool_only: Any = False,
        skipna: Any = True,
        combine_size: Any = None,
        method: Any = None,
    ) -> Any:
        """The any of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def astype(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def at(self) -> Any:
        """One value by labels."""

    @deprecated("not built: not written yet")
    def check_monotonic(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def copy(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def drop(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def drop_duplicates(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def dropna(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @deprecated("not built: not written yet")
    def duplicated(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def empty(self) -> builtins.bool:
        """Whether there are no elements. Raises ValueError where that is not known yet."""

    @deprecated("not built: not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def fillna(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def iat(self) -> Any:
        """One value by position."""

    @property
    def iloc(self) -> Any:
        """Rows and columns by position."""

    @property
    def index(self) -> Index:
        """The row labels."""

    @property
    @deprecated("not built: not written yet")
    def inferred_type(self) -> Any: ...
    @deprecated("not built: not written yet")
    def is_monotonic(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    @deprecated("not built: not written yet")
    def is_monotonic_decreasing(self) -> Any: ...
    @property
    @deprecated("not built: not written yet")
    def is_monotonic_increasing(self) -> Any: ...
    @deprecated("not built: not written yet")
    def isna(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def loc(self) -> Any:
        """Rows and columns by label."""

    @deprecated("not built: not written yet")
    def map(self, *args: Any, **kwargs: Any) -> Any: ...
    def max(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Any:
        """The max of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def memory_usage(self, *args: Any, **kwargs: Any) -> Any: ...
    def min(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Any:
        """The min of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @property
    def name(self) -> None | builtins.str: ...
    @property
    def names(self) -> Any: ...
    @property
    def ndim(self) -> builtins.int: ...
    @deprecated("not built: not written yet")
    def notna(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def nsplits(self) -> builtins.tuple[builtins.tuple[builtins.float, ...], ...] | None:
        """Rows per chunk (and the columns, whole), once executed; else None."""

    def nunique(self, axis: Any = 0, dropna: Any = True, combine_size: Any = None, method: Any = None) -> Any:
        """The nunique of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def rebalance(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rechunk(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rename(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def set_names(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def shape(self) -> builtins.tuple[builtins.float, ...]:
        """Rows (`nan` where only a run can tell) and columns."""

    @property
    def size(self) -> builtins.float: ...
    def take(self, indices: Any, axis: Any = 0, **kwargs: Any) -> Index:
        """Rows (or columns) by position, in the order given."""

    def to_dask(self) -> Any:
        """A `dask.dataframe` collection over the same chunks."""

    @deprecated("not built: not written yet")
    def to_frame(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_numpy(self, dtype: Any = None, copy: builtins.bool = False, na_value: Any = ...) -> Any:
        """The data as an ndarray, run first if needed."""

    def to_pandas(
        self,
        session: Any = None,
        fetch_kwargs: builtins.dict[builtins.str, Any] | None = None,
        batch_size: builtins.int | None = None,
    ) -> Any:
        """The data as pandas, run first if needed. Batch sizes are accepted; the result is the same."""

    @deprecated("not built: not written yet")
    def to_series(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_tensor(self) -> Any:
        """A Tensor of the values, in the common dtype of the columns; a copy."""

    @deprecated("not built: not written yet")
    def value_counts(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def values(self) -> Tensor:
        """A Tensor of the values; a copy."""

@deprecated("not built: not written yet")
def ArrowListArray(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def ArrowListDtype(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def ArrowStringArray(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def ArrowStringDtype(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def CustomReduction(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def DateOffset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def ExecutableTuple(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def Interval(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def NA(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def NaT(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def NamedAgg(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def Timedelta(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def Timestamp(*args: Any, **kwargs: Any) -> Any: ...
def concat(
    objs: Any,
    axis: Any = 0,
    join: builtins.str = "outer",
    ignore_index: builtins.bool = False,
    keys: Any = None,
    levels: Any = None,
    names: Any = None,
    verify_integrity: builtins.bool = False,
    sort: builtins.bool = False,
    copy: Any = None,
) -> DataFrame | Series:
    """Frames one below the other, or side by side with `axis=1`. `ignore_index` gives 0..n-1 also over unknown lengths."""

@deprecated("not built: not written yet")
def cut(*args: Any, **kwargs: Any) -> Any: ...
def dataframe_from_tensor(
    tensor: Any, index: Any = None, columns: Any = None, gpu: Any = None, sparse: Any = None
) -> Any:
    """A DataFrame of a tensor; `index` may be lazy."""

def date_range(
    start: Any = None,
    end: Any = None,
    periods: builtins.int | None = None,
    freq: Any = None,
    tz: Any = None,
    normalize: builtins.bool = False,
    name: Any = None,
    closed: Any = None,
    inclusive: Any = None,
    chunk_size: Any = None,
    unit: Any = None,
) -> Any:
    """An Index of dates at a fixed frequency. `closed` is Mars's word for `inclusive`."""

@deprecated("not built: not written yet")
def eval(*args: Any, **kwargs: Any) -> Any: ...
def from_records(
    data: Any,
    index: Any = None,
    exclude: Any = None,
    columns: Any = None,
    coerce_float: builtins.bool = False,
    nrows: builtins.int | None = None,
    gpu: Any = None,
    sparse: Any = False,
    chunk_size: Any = None,
) -> Any:
    """A DataFrame of records: a structured array, tuples or dicts; or of a 2-d tensor."""

@deprecated("not built: not written yet")
def from_vineyard(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def get_dummies(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def isna(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def isnull(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def melt(*args: Any, **kwargs: Any) -> Any: ...
def merge(
    left: Any,
    right: Any,
    how: builtins.str = "inner",
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: builtins.bool = False,
    right_index: builtins.bool = False,
    sort: builtins.bool = False,
    suffixes: Any = ("_x", "_y"),
    copy: Any = None,
    indicator: Any = False,
    validate: Any = None,
    method: Any = "auto",
    auto_merge: builtins.str = "both",
    auto_merge_threshold: builtins.int = 8,
    bloom_filter: Any = "auto",
    bloom_filter_options: Any = None,
) -> DataFrame:
    """Matched rows of two frames, in pandas' order under the labels 0..n-1."""

@deprecated("not built: not written yet")
def notna(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def notnull(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def qcut(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_csv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_parquet(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_ray_dataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_ray_mldataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_raydataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_sql(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_sql_query(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def read_sql_table(*args: Any, **kwargs: Any) -> Any: ...
def series_from_index(ind: Any, index: Any = None, name: Any = None) -> Any:
    """A Series whose values are an Index's labels, under the same labels or those of `index`."""

def series_from_tensor(
    tensor: Any, index: Any = None, name: Any = None, dtype: Any = None, gpu: Any = None, sparse: Any = None
) -> Any:
    """A Series of a 1-d tensor; `index` may be lazy."""

@deprecated("not built: not written yet")
def to_datetime(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def to_numeric(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def to_ray_dataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def to_ray_mldataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet")
def unique(*args: Any, **kwargs: Any) -> Any: ...
