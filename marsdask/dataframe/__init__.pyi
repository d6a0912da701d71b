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

import marsdask.dataframe.indexing.setting
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
        include_groups: builtins.bool = False,
        skip_infer: builtins.bool = False,
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

    @deprecated("not built: logs come with the family of plain functions, which is not written yet")
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
        skip_infer: builtins.bool = False,
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
        include_groups: builtins.bool = False,
        skip_infer: builtins.bool = False,
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

    @deprecated("not built: logs come with the family of plain functions, which is not written yet")
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
        skip_infer: builtins.bool = False,
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

class PlotAccessor:
    """`df.plot(...)` and `df.plot.<kind>(...)`: run, then matplotlib Axes as pandas gives them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call self as a function."""

    def area(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'area'; takes pandas' arguments."""

    def bar(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'bar'; takes pandas' arguments."""

    def barh(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'barh'; takes pandas' arguments."""

    def box(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'box'; takes pandas' arguments."""

    def density(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'density'; takes pandas' arguments."""

    def hexbin(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'hexbin'; takes pandas' arguments."""

    def hist(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'hist'; takes pandas' arguments."""

    def kde(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'kde'; takes pandas' arguments."""

    def line(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'line'; takes pandas' arguments."""

    def pie(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'pie'; takes pandas' arguments."""

    def scatter(self, *args: Any, **kwargs: Any) -> Any:
        """A plot of kind 'scatter'; takes pandas' arguments."""

class StringAccessor:
    """Text operations on each value. `s.str[i]`, `s.str[a:b]` take characters."""

    def __getitem__(self, key: Any) -> Any: ...
    def capitalize(self) -> Series:
        """pandas' `str.capitalize` of each value."""

    def casefold(self) -> Series:
        """pandas' `str.casefold` of each value."""

    def cat(
        self, others: Any = None, sep: Any = None, na_rep: Any = None, join: Any = "left"
    ) -> Series | Tensor:
        """pandas' `str.cat` of each value."""

    def center(self, width: Any, fillchar: Any = " ") -> Series:
        """pandas' `str.center` of each value."""

    def contains(
        self, pat: Any, case: Any = True, flags: Any = 0, na: Any = ..., regex: Any = True
    ) -> Series:
        """pandas' `str.contains` of each value."""

    def count(self, pat: Any, flags: Any = 0) -> Series:
        """pandas' `str.count` of each value."""

    def decode(self, encoding: Any, errors: Any = "strict", dtype: Any = None) -> Any:
        """pandas' `str.decode` of each value."""

    def encode(self, encoding: Any, errors: Any = "strict") -> Series:
        """pandas' `str.encode` of each value."""

    def endswith(self, pat: Any, na: Any = ...) -> Series:
        """pandas' `str.endswith` of each value."""

    def extract(self, pat: Any, flags: Any = 0, expand: Any = True) -> DataFrame:
        """pandas' `str.extract` of each value."""

    def extractall(self, pat: Any, flags: Any = 0) -> DataFrame:
        """pandas' `str.extractall` of each value."""

    def find(self, sub: Any, start: Any = 0, end: Any = None) -> Series:
        """pandas' `str.find` of each value."""

    def findall(self, pat: Any, flags: Any = 0) -> Series:
        """pandas' `str.findall` of each value."""

    def fullmatch(self, pat: Any, case: Any = True, flags: Any = 0, na: Any = ...) -> Series:
        """pandas' `str.fullmatch` of each value."""

    def get(self, i: Any) -> Series:
        """pandas' `str.get` of each value."""

    @deprecated(
        "not built: its columns are known only after a run; use df.get_dummies of a categorical, or .to_pandas()"
    )
    def get_dummies(self, *args: Any, **kwargs: Any) -> Any: ...
    def index(self, sub: Any, start: Any = 0, end: Any = None) -> Series:
        """pandas' `str.index` of each value."""

    def isalnum(self) -> Series:
        """pandas' `str.isalnum` of each value."""

    def isalpha(self) -> Series:
        """pandas' `str.isalpha` of each value."""

    def isascii(self) -> Series:
        """pandas' `str.isascii` of each value."""

    def isdecimal(self) -> Series:
        """pandas' `str.isdecimal` of each value."""

    def isdigit(self) -> Series:
        """pandas' `str.isdigit` of each value."""

    def islower(self) -> Series:
        """pandas' `str.islower` of each value."""

    def isnumeric(self) -> Series:
        """pandas' `str.isnumeric` of each value."""

    def isspace(self) -> Series:
        """pandas' `str.isspace` of each value."""

    def istitle(self) -> Series:
        """pandas' `str.istitle` of each value."""

    def isupper(self) -> Series:
        """pandas' `str.isupper` of each value."""

    def join(self, sep: Any) -> Series:
        """pandas' `str.join` of each value."""

    kind: Any

    def len(self) -> Series:
        """pandas' `str.len` of each value."""

    def ljust(self, width: Any, fillchar: Any = " ") -> Series:
        """pandas' `str.ljust` of each value."""

    def lower(self) -> Series:
        """pandas' `str.lower` of each value."""

    def lstrip(self, to_strip: Any = None) -> Series:
        """pandas' `str.lstrip` of each value."""

    def match(self, pat: Any, case: Any = ..., flags: Any = ..., na: Any = ...) -> Series:
        """pandas' `str.match` of each value."""

    def normalize(self, form: Any) -> Series:
        """pandas' `str.normalize` of each value."""

    def pad(self, width: Any, side: Any = "left", fillchar: Any = " ") -> Series:
        """pandas' `str.pad` of each value."""

    def partition(self, sep: Any = " ", expand: Any = True) -> DataFrame:
        """pandas' `str.partition` of each value."""

    def removeprefix(self, prefix: Any) -> Series:
        """pandas' `str.removeprefix` of each value."""

    def removesuffix(self, suffix: Any) -> Series:
        """pandas' `str.removesuffix` of each value."""

    def repeat(self, repeats: Any) -> Series:
        """pandas' `str.repeat` of each value."""

    def replace(
        self, pat: Any, repl: Any = None, n: Any = -1, case: Any = None, flags: Any = 0, regex: Any = False
    ) -> Series:
        """pandas' `str.replace` of each value."""

    def rfind(self, sub: Any, start: Any = 0, end: Any = None) -> Series:
        """pandas' `str.rfind` of each value."""

    def rindex(self, sub: Any, start: Any = 0, end: Any = None) -> Series:
        """pandas' `str.rindex` of each value."""

    def rjust(self, width: Any, fillchar: Any = " ") -> Series:
        """pandas' `str.rjust` of each value."""

    def rpartition(self, sep: Any = " ", expand: Any = True) -> Series:
        """pandas' `str.rpartition` of each value."""

    def rsplit(self, pat: Any = None, *, n: Any = -1, expand: Any = False) -> Series:
        """pandas' `str.rsplit` of each value."""

    def rstrip(self, to_strip: Any = None) -> Series:
        """pandas' `str.rstrip` of each value."""

    def slice(self, start: Any = None, stop: Any = None, step: Any = None) -> Series:
        """pandas' `str.slice` of each value."""

    def slice_replace(self, start: Any = None, stop: Any = None, repl: Any = None) -> Series:
        """pandas' `str.slice_replace` of each value."""

    def split(
        self, pat: Any = None, *, n: Any = -1, expand: Any = False, regex: Any = None
    ) -> DataFrame | Series:
        """pandas' `str.split` of each value."""

    def startswith(self, pat: Any, na: Any = ...) -> Series:
        """pandas' `str.startswith` of each value."""

    def strip(self, to_strip: Any = None) -> Series:
        """pandas' `str.strip` of each value."""

    def swapcase(self) -> Series:
        """pandas' `str.swapcase` of each value."""

    def title(self) -> Series:
        """pandas' `str.title` of each value."""

    def translate(self, table: Any) -> Series:
        """pandas' `str.translate` of each value."""

    def upper(self) -> Series:
        """pandas' `str.upper` of each value."""

    def wrap(
        self,
        width: Any,
        expand_tabs: Any = True,
        tabsize: Any = 8,
        replace_whitespace: Any = True,
        drop_whitespace: Any = True,
        initial_indent: Any = "",
        subsequent_indent: Any = "",
        fix_sentence_endings: Any = False,
        break_long_words: Any = True,
        break_on_hyphens: Any = True,
        max_lines: Any = None,
        placeholder: Any = " [...]",
    ) -> Series:
        """pandas' `str.wrap` of each value."""

    def zfill(self, width: Any) -> Series:
        """pandas' `str.zfill` of each value."""

class DatetimeAccessor:
    """Parts and operations of dates, times and differences."""

    def as_unit(self, unit: Any, round_ok: Any = True) -> Series:
        """pandas' `dt.as_unit` of each value."""

    def asfreq(self, freq: Any = None, how: Any = "E") -> Any:
        """pandas' `dt.asfreq` of each value."""

    def ceil(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """pandas' `dt.ceil` of each value."""

    @property
    def components(self) -> Any:
        """pandas' `dt.components` of each value."""

    @property
    def date(self) -> Any:
        """pandas' `dt.date` of each value."""

    @property
    def day(self) -> Any:
        """pandas' `dt.day` of each value."""

    def day_name(self, locale: Any = None) -> Series:
        """pandas' `dt.day_name` of each value."""

    @property
    def day_of_week(self) -> Any:
        """pandas' `dt.day_of_week` of each value."""

    @property
    def day_of_year(self) -> Any:
        """pandas' `dt.day_of_year` of each value."""

    @property
    def dayofweek(self) -> Any:
        """pandas' `dt.dayofweek` of each value."""

    @property
    def dayofyear(self) -> Any:
        """pandas' `dt.dayofyear` of each value."""

    @property
    def days(self) -> Any:
        """pandas' `dt.days` of each value."""

    @property
    def days_in_month(self) -> Any:
        """pandas' `dt.days_in_month` of each value."""

    @property
    def daysinmonth(self) -> Any:
        """pandas' `dt.daysinmonth` of each value."""

    @property
    def end_time(self) -> Any:
        """pandas' `dt.end_time` of each value."""

    def floor(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """pandas' `dt.floor` of each value."""

    @deprecated("not built: it is known only after a run")
    def freq(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def hour(self) -> Any:
        """pandas' `dt.hour` of each value."""

    @property
    def is_leap_year(self) -> Any:
        """pandas' `dt.is_leap_year` of each value."""

    @property
    def is_month_end(self) -> Any:
        """pandas' `dt.is_month_end` of each value."""

    @property
    def is_month_start(self) -> Any:
        """pandas' `dt.is_month_start` of each value."""

    @property
    def is_quarter_end(self) -> Any:
        """pandas' `dt.is_quarter_end` of each value."""

    @property
    def is_quarter_start(self) -> Any:
        """pandas' `dt.is_quarter_start` of each value."""

    @property
    def is_year_end(self) -> Any:
        """pandas' `dt.is_year_end` of each value."""

    @property
    def is_year_start(self) -> Any:
        """pandas' `dt.is_year_start` of each value."""

    def isocalendar(self) -> DataFrame:
        """pandas' `dt.isocalendar` of each value."""

    kind: Any

    @property
    def microsecond(self) -> Any:
        """pandas' `dt.microsecond` of each value."""

    @property
    def microseconds(self) -> Any:
        """pandas' `dt.microseconds` of each value."""

    @property
    def minute(self) -> Any:
        """pandas' `dt.minute` of each value."""

    @property
    def month(self) -> Any:
        """pandas' `dt.month` of each value."""

    def month_name(self, locale: Any = None) -> Series:
        """pandas' `dt.month_name` of each value."""

    @property
    def nanosecond(self) -> Any:
        """pandas' `dt.nanosecond` of each value."""

    @property
    def nanoseconds(self) -> Any:
        """pandas' `dt.nanoseconds` of each value."""

    def normalize(self) -> Series:
        """pandas' `dt.normalize` of each value."""

    @property
    def quarter(self) -> Any:
        """pandas' `dt.quarter` of each value."""

    @property
    def qyear(self) -> Any:
        """pandas' `dt.qyear` of each value."""

    def round(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """pandas' `dt.round` of each value."""

    @property
    def second(self) -> Any:
        """pandas' `dt.second` of each value."""

    @property
    def seconds(self) -> Any:
        """pandas' `dt.seconds` of each value."""

    @property
    def start_time(self) -> Any:
        """pandas' `dt.start_time` of each value."""

    def strftime(self, date_format: Any) -> Series:
        """pandas' `dt.strftime` of each value."""

    @property
    def time(self) -> Any:
        """pandas' `dt.time` of each value."""

    @property
    def timetz(self) -> Any:
        """pandas' `dt.timetz` of each value."""

    def to_period(self, freq: Any = None) -> Series:
        """pandas' `dt.to_period` of each value."""

    def to_pydatetime(self) -> Series:
        """pandas' `dt.to_pydatetime` of each value."""

    def to_pytimedelta(self) -> Tensor:
        """pandas' `dt.to_pytimedelta` of each value."""

    def to_timestamp(self, freq: Any = None, how: Any = "start") -> Any:
        """pandas' `dt.to_timestamp` of each value."""

    def total_seconds(self) -> Series:
        """pandas' `dt.total_seconds` of each value."""

    @property
    def tz(self) -> Any:
        """pandas' `dt.tz` of each value."""

    def tz_convert(self, tz: Any) -> Any:
        """pandas' `dt.tz_convert` of each value."""

    def tz_localize(self, tz: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """pandas' `dt.tz_localize` of each value."""

    @property
    def unit(self) -> Any:
        """pandas' `dt.unit` of each value."""

    @property
    def week(self) -> Any:
        """pandas' `dt.week` of each value."""

    @property
    def weekday(self) -> Any:
        """pandas' `dt.weekday` of each value."""

    @property
    def weekofyear(self) -> Any:
        """pandas' `dt.weekofyear` of each value."""

    @property
    def year(self) -> Any:
        """pandas' `dt.year` of each value."""

class CategoricalAccessor:
    """Categories, their codes and order."""

    def add_categories(self, new_categories: Any) -> Series:
        """pandas' `cat.add_categories` of each value."""

    def as_ordered(self) -> Series:
        """pandas' `cat.as_ordered` of each value."""

    def as_unordered(self) -> Series:
        """pandas' `cat.as_unordered` of each value."""

    @property
    def categories(self) -> Any:
        """pandas' `cat.categories` of each value."""

    @property
    def codes(self) -> Any:
        """pandas' `cat.codes` of each value."""

    kind: Any

    @property
    def ordered(self) -> Any:
        """pandas' `cat.ordered` of each value."""

    def remove_categories(self, removals: Any) -> Series:
        """pandas' `cat.remove_categories` of each value."""

    @deprecated("not built: which categories are used is known only after a run")
    def remove_unused_categories(self, *args: Any, **kwargs: Any) -> Any: ...
    def rename_categories(self, new_categories: Any) -> Series:
        """pandas' `cat.rename_categories` of each value."""

    def reorder_categories(self, new_categories: Any, ordered: Any = None) -> Series:
        """pandas' `cat.reorder_categories` of each value."""

    def set_categories(self, new_categories: Any, ordered: Any = None, rename: Any = False) -> Series:
        """pandas' `cat.set_categories` of each value."""

class Rolling:
    """Windows of a number of rows, or of a span of time, that end (or are centred) at each row."""

    def __getitem__(self, key: Any) -> Any: ...
    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> DataFrame:
        """The agg of each window, as pandas'."""

    def aggregate(self, func: Any = None, *args: Any, **kwargs: Any) -> DataFrame:
        """The aggregate of each window, as pandas'."""

    def apply(
        self,
        func: Any,
        raw: Any = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        args: Any = None,
        kwargs: Any = None,
        **weights: Any,
    ) -> DataFrame | Series:
        """The apply of each window, as pandas'."""

    @property
    def axis(self) -> Any: ...
    @property
    def center(self) -> Any: ...
    @property
    def closed(self) -> Any: ...
    def corr(
        self,
        other: Any = None,
        pairwise: Any = None,
        ddof: Any = 1,
        numeric_only: Any = False,
        **weights: Any,
    ) -> Series:
        """The corr of each window, as pandas'."""

    def count(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The count of each window, as pandas'."""

    def cov(
        self,
        other: Any = None,
        pairwise: Any = None,
        ddof: Any = 1,
        numeric_only: Any = False,
        **weights: Any,
    ) -> Series:
        """The cov of each window, as pandas'."""

    def first(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The first of each window, as pandas'."""

    kind: Any

    def kurt(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The kurt of each window, as pandas'."""

    def last(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The last of each window, as pandas'."""

    def max(
        self,
        numeric_only: Any = False,
        *args: Any,
        engine: Any = None,
        engine_kwargs: Any = None,
        **kwargs: Any,
    ) -> DataFrame | Series:
        """The max of each window, as pandas'."""

    def mean(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The mean of each window, as pandas'."""

    def median(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The median of each window, as pandas'."""

    @property
    def method(self) -> Any: ...
    def min(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The min of each window, as pandas'."""

    @property
    def min_periods(self) -> Any: ...
    def nunique(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The nunique of each window, as pandas'."""

    @property
    def on(self) -> Any: ...
    def quantile(
        self, q: Any, interpolation: Any = "linear", numeric_only: Any = False, **weights: Any
    ) -> DataFrame | Series:
        """The quantile of each window, as pandas'."""

    def rank(
        self,
        method: Any = "average",
        ascending: Any = True,
        pct: Any = False,
        numeric_only: Any = False,
        **weights: Any,
    ) -> DataFrame | Series:
        """The rank of each window, as pandas'."""

    def sem(self, ddof: Any = 1, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The sem of each window, as pandas'."""

    def skew(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The skew of each window, as pandas'."""

    def std(
        self,
        ddof: Any = 1,
        numeric_only: Any = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        **weights: Any,
    ) -> DataFrame | Series:
        """The std of each window, as pandas'."""

    @property
    def step(self) -> Any: ...
    def sum(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The sum of each window, as pandas'."""

    def var(
        self,
        ddof: Any = 1,
        numeric_only: Any = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        **weights: Any,
    ) -> DataFrame | Series:
        """The var of each window, as pandas'."""

    @property
    def win_type(self) -> Any: ...
    @property
    def window(self) -> Any: ...

class Expanding:
    """Windows of all rows up to each."""

    def __getitem__(self, key: Any) -> Any: ...
    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> DataFrame:
        """The agg of each window, as pandas'."""

    def aggregate(self, func: Any = None, *args: Any, **kwargs: Any) -> DataFrame:
        """The aggregate of each window, as pandas'."""

    def apply(
        self,
        func: Any,
        raw: Any = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        args: Any = None,
        kwargs: Any = None,
        **weights: Any,
    ) -> DataFrame | Series:
        """The apply of each window, as pandas'."""

    @property
    def axis(self) -> Any: ...
    @property
    def center(self) -> Any: ...
    def corr(
        self,
        other: Any = None,
        pairwise: Any = None,
        ddof: Any = 1,
        numeric_only: Any = False,
        **weights: Any,
    ) -> Series:
        """The corr of each window, as pandas'."""

    def count(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The count of each window, as pandas'."""

    def cov(
        self,
        other: Any = None,
        pairwise: Any = None,
        ddof: Any = 1,
        numeric_only: Any = False,
        **weights: Any,
    ) -> Series:
        """The cov of each window, as pandas'."""

    def first(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The first of each window, as pandas'."""

    kind: Any

    def kurt(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The kurt of each window, as pandas'."""

    def last(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The last of each window, as pandas'."""

    def max(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The max of each window, as pandas'."""

    def mean(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The mean of each window, as pandas'."""

    def median(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The median of each window, as pandas'."""

    @property
    def method(self) -> Any: ...
    def min(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The min of each window, as pandas'."""

    @property
    def min_periods(self) -> Any: ...
    def nunique(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The nunique of each window, as pandas'."""

    def quantile(
        self, q: Any, interpolation: Any = "linear", numeric_only: Any = False, **weights: Any
    ) -> DataFrame | Series:
        """The quantile of each window, as pandas'."""

    def rank(
        self,
        method: Any = "average",
        ascending: Any = True,
        pct: Any = False,
        numeric_only: Any = False,
        **weights: Any,
    ) -> DataFrame | Series:
        """The rank of each window, as pandas'."""

    def sem(self, ddof: Any = 1, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The sem of each window, as pandas'."""

    def skew(self, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The skew of each window, as pandas'."""

    def std(
        self,
        ddof: Any = 1,
        numeric_only: Any = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        **weights: Any,
    ) -> DataFrame | Series:
        """The std of each window, as pandas'."""

    def sum(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The sum of each window, as pandas'."""

    def var(
        self,
        ddof: Any = 1,
        numeric_only: Any = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        **weights: Any,
    ) -> DataFrame | Series:
        """The var of each window, as pandas'."""

class EWM:
    """Exponentially weighted windows."""

    def __getitem__(self, key: Any) -> Any: ...
    @property
    def adjust(self) -> Any: ...
    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> DataFrame:
        """The agg of each window, as pandas'."""

    def aggregate(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """The aggregate of each window, as pandas'."""

    @property
    def alpha(self) -> Any: ...
    @property
    def axis(self) -> Any: ...
    @property
    def center(self) -> Any: ...
    @property
    def com(self) -> Any: ...
    def corr(
        self, other: Any = None, pairwise: Any = None, numeric_only: Any = False, **weights: Any
    ) -> Series:
        """The corr of each window, as pandas'."""

    def cov(
        self,
        other: Any = None,
        pairwise: Any = None,
        bias: Any = False,
        numeric_only: Any = False,
        **weights: Any,
    ) -> Series:
        """The cov of each window, as pandas'."""

    @property
    def ignore_na(self) -> Any: ...

    kind: Any

    def mean(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The mean of each window, as pandas'."""

    @property
    def method(self) -> Any: ...
    @property
    def min_periods(self) -> Any: ...
    def std(self, bias: Any = False, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The std of each window, as pandas'."""

    def sum(
        self, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None, **weights: Any
    ) -> DataFrame | Series:
        """The sum of each window, as pandas'."""

    def var(self, bias: Any = False, numeric_only: Any = False, **weights: Any) -> DataFrame | Series:
        """The var of each window, as pandas'."""

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
    def T(self) -> DataFrame:
        """Rows as columns. Row labels become column names: where only a run can tell them, it runs."""

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

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The Arrow PyCapsule protocol: chunk by chunk, run when the first batch is asked for; labels stay behind."""

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
    def __getitem__(self, key: builtins.str | builtins.int | builtins.tuple[Any, ...]) -> Series: ...
    @overload
    def __getitem__(self, key: Any) -> DataFrame: ...
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

    def __matmul__(self, other: Any) -> Any: ...
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

    def abs(self) -> DataFrame:
        """pandas' `abs`, chunk by chunk; frames among the arguments are aligned by labels."""

    def add(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `add`, aligned by labels; arrays and lists are positional."""

    def add_prefix(self, prefix: builtins.str, axis: Any = None) -> DataFrame:
        """The same data, text put before the column labels (of a series: row labels)."""

    def add_suffix(self, suffix: builtins.str, axis: Any = None) -> DataFrame:
        """The same data, text put after the column labels (of a series: row labels)."""

    def agg(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> DataFrame | Series:
        """One or several reductions of the columns: names, lists, dicts by column, functions."""

    def aggregate(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> DataFrame | Series:
        """One or several reductions of the columns: names, lists, dicts by column, functions."""

    def align(
        self,
        other: Any,
        join: builtins.str = "outer",
        axis: Any = None,
        level: Any = None,
        fill_value: Any = None,
        copy: Any = None,
    ) -> builtins.tuple[DataFrame, ...]:
        """Both frames under the labels of both: a pair of lazy frames."""

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

    def apply(
        self,
        func: Any,
        axis: Any = 0,
        raw: builtins.bool = False,
        result_type: Any = None,
        args: Any = (),
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        output_type: Any = None,
        index: Any = None,
        elementwise: Any = None,
        skip_infer: builtins.bool = False,
        by_row: Any = "compat",
        engine: Any = None,
        engine_kwargs: Any = None,
        **kwargs: Any,
    ) -> DataFrame | Series:
        """What a function gives of each column (whole), or, with axis=1, of each row."""

    def assign(self, **kwargs: Any) -> DataFrame:
        """A frame with columns added or replaced, in order; functions get the frame made so far."""

    def astype(self, dtype: Any, copy: Any = None, errors: builtins.str = "raise") -> DataFrame:
        """The data in other dtypes. The categories of "category" are those of the whole, as in pandas, known after a run."""

    @property
    def at(self) -> marsdask.dataframe.indexing.setting.At:
        """One value by labels."""

    @property
    def axes(self) -> builtins.list[Any]:
        """The row labels, and the column labels of a frame."""

    def backfill(
        self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None
    ) -> Any:
        """Holes filled with the next value after, over chunk borders."""

    def bfill(
        self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None
    ) -> DataFrame:
        """Holes filled with the next value after, over chunk borders."""

    def boxplot(self, column: Any = None, by: Any = None, **kwargs: Any) -> Any:
        """Box plots of the columns, as matplotlib Axes; runs."""

    @deprecated("not built: not written yet")
    def cartesian_chunk(self, *args: Any, **kwargs: Any) -> Any: ...
    def clip(self, lower: Any = None, upper: Any = None, axis: Any = None, inplace: Any = False) -> DataFrame:
        """pandas' `clip`, chunk by chunk; frames among the arguments are aligned by labels."""

    @property
    def columns(self) -> pd.Index:
        """The column labels."""
    @columns.setter
    def columns(self, value: Any) -> None: ...
    def combine(
        self, other: Any, func: Any, fill_value: Any = None, overwrite: builtins.bool = True
    ) -> DataFrame:
        """pandas' `combine`, aligned by labels."""

    def combine_first(self, other: Any) -> DataFrame:
        """pandas' `combine_first`, aligned by labels."""

    def copy(self, deep: builtins.bool = True) -> DataFrame:
        """The same data; later writes to either do not reach the other."""

    def corr(
        self,
        method: Any = "pearson",
        min_periods: builtins.int | None = 1,
        numeric_only: builtins.bool = False,
    ) -> DataFrame:
        """The correlation of every pair of numeric columns, over rows where both have values."""

    def corrwith(
        self,
        other: Any,
        axis: Any = 0,
        drop: builtins.bool = False,
        method: Any = "pearson",
        numeric_only: builtins.bool = False,
        min_periods: Any = None,
    ) -> Series:
        """Correlation with another frame column by column, or with a series."""

    def count(
        self, axis: Any = 0, numeric_only: Any = False, combine_size: Any = None, method: Any = None
    ) -> Series:
        """The count of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def cov(
        self,
        min_periods: builtins.int | None = None,
        ddof: builtins.int | None = 1,
        numeric_only: builtins.bool = False,
    ) -> DataFrame:
        """The covariance of every pair of numeric columns, over rows where both have values."""

    def cummax(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> DataFrame:
        """The max of all rows up to each, over chunk borders."""

    def cummin(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> DataFrame:
        """The min of all rows up to each, over chunk borders."""

    def cumprod(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> DataFrame:
        """The prod of all rows up to each, over chunk borders."""

    def cumsum(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> DataFrame:
        """The sum of all rows up to each, over chunk borders."""

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> DataFrame:
        """Count, mean, deviation, extremes and exact percentiles; for texts and categories the most frequent value."""

    def diff(self, periods: Any = 1, axis: Any = 0) -> DataFrame:
        """Each row minus the one `periods` before."""

    def div(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `div`, aligned by labels; arrays and lists are positional."""

    def divide(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `divide`, aligned by labels; arrays and lists are positional."""

    def divmod(self, other: Any) -> Any:
        """Quotient and remainder: two frames."""

    def dot(self, other: Any) -> DataFrame | Series:
        """The matrix product; rows stay where they are, the other operand is given whole to every chunk."""

    def drop(
        self,
        labels: Any = None,
        axis: Any = 0,
        index: Any = None,
        columns: Any = None,
        level: Any = None,
        inplace: builtins.bool = False,
        errors: builtins.str = "raise",
    ) -> DataFrame:
        """The frame without some rows or columns. A missing row label is a KeyError when it runs, at the call where labels are known."""

    def drop_duplicates(
        self,
        subset: Any = None,
        keep: Any = "first",
        inplace: builtins.bool = False,
        ignore_index: builtins.bool = False,
        method: builtins.str = "auto",
    ) -> DataFrame:
        """Without rows that equal an earlier one, in order."""

    def dropna(
        self,
        axis: Any = 0,
        how: Any = ...,
        thresh: Any = ...,
        subset: Any = None,
        inplace: Any = ...,
        ignore_index: builtins.bool = False,
    ) -> DataFrame:
        """The rows without holes (`how`, `thresh`, `subset` as in pandas). axis=1 runs to see which columns have any."""

    @property
    def dtypes(self) -> pd.Series: ...
    def duplicated(self, subset: Any = None, keep: Any = "first", method: builtins.str = "auto") -> Series:
        """Whether each row equals an earlier one (`keep='last'`: a later, `False`: any)."""

    @property
    def empty(self) -> builtins.bool:
        """Whether there are no elements. Raises ValueError where that is not known yet."""

    def eq(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `eq`, aligned by labels; arrays and lists are positional."""

    def eval(self, expr: Any, inplace: Any = False, **kwargs: Any) -> Any:
        """What an expression in text says of the columns; an assignment gives the frame with that column."""

    def ewm(
        self,
        com: Any = None,
        span: Any = None,
        halflife: Any = None,
        alpha: Any = None,
        min_periods: Any = 0,
        adjust: Any = True,
        ignore_na: Any = False,
        times: Any = None,
        method: Any = "single",
        axis: Any = 0,
    ) -> EWM:
        """Windows over the rows: an object whose methods are lazy frames, as pandas' `ewm`."""

    def expanding(
        self, min_periods: Any = 1, method: Any = "single", center: Any = None, axis: Any = 0
    ) -> Expanding:
        """Windows over the rows: an object whose methods are lazy frames, as pandas' `expanding`."""

    def explode(self, column: Any, ignore_index: builtins.bool = False) -> DataFrame:
        """A row for each element of lists."""

    @deprecated("not built: logs come with the family of plain functions, which is not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    def ffill(
        self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None
    ) -> DataFrame:
        """Holes filled with the last value before, over chunk borders."""

    def fillna(
        self,
        value: Any = None,
        method: Any = None,
        axis: Any = None,
        inplace: Any = False,
        limit: Any = None,
        downcast: Any = None,
    ) -> DataFrame:
        """Holes filled with a value, a value by column, an aligned frame, or (`method`) what stands before or after."""

    def filter(
        self,
        items: Any = None,
        like: builtins.str | None = None,
        regex: builtins.str | None = None,
        axis: Any = None,
    ) -> DataFrame:
        """The columns (of a series, or with axis=0: rows) whose labels are listed or match."""

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

    def hist(self, column: Any = None, by: Any = None, **kwargs: Any) -> Any:
        """Histograms of the columns, as matplotlib Axes; runs."""

    @property
    def iat(self) -> marsdask.dataframe.indexing.setting.IAt:
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
    def iloc(self) -> marsdask.dataframe.indexing.setting.ILoc:
        """Rows and columns by position."""

    @property
    def index(self) -> Index:
        """The row labels."""
    @index.setter
    def index(self, value: Any) -> None: ...
    def info(
        self,
        verbose: Any = None,
        buf: Any = None,
        max_cols: Any = None,
        memory_usage: Any = None,
        show_counts: Any = None,
    ) -> Any:
        """Prints what pandas' info prints of the whole; runs."""

    def insert(
        self, loc: builtins.int, column: Any, value: Any, allow_duplicates: builtins.bool = False
    ) -> None:
        """Put a column at a place, in this frame; returns None."""

    def interpolate(
        self,
        method: Any = "linear",
        axis: Any = 0,
        limit: Any = None,
        inplace: Any = False,
        limit_direction: Any = None,
        limit_area: Any = None,
    ) -> DataFrame:
        """pandas' `interpolate`."""

    def isin(self, values: Any) -> DataFrame:
        """Whether each element is among `values`: a list, a lazy series or tensor, a dict by column, an aligned frame."""

    def isna(self) -> DataFrame:
        """pandas' `isna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def isnull(self) -> DataFrame:
        """pandas' `isna`, chunk by chunk; frames among the arguments are aligned by labels."""

    @deprecated("not built: chunks are dense")
    def issparse(self, *args: Any, **kwargs: Any) -> Any: ...
    def items(self, batch_size: builtins.int = 10000, session: Any = None) -> Any:
        """Columns as (name, lazy series); of a series (label, value), run first."""

    def iterbatch(self, batch_size: builtins.int | None = None, session: Any = None) -> Any:
        """pandas pieces of `batch_size` rows, by default chunks, run first."""

    def iteritems(self, batch_size: builtins.int = 10000, session: Any = None) -> Any:
        """Columns as (name, lazy series); of a series (label, value), run first."""

    def iterrows(self, batch_size: builtins.int = 1000, session: Any = None) -> Any:
        """The rows as (label, series), run first, fetched in batches."""

    def itertuples(
        self,
        index: builtins.bool = True,
        name: Any = "Pandas",
        batch_size: builtins.int = 1000,
        session: Any = None,
    ) -> Any:
        """The rows as named tuples, run first, fetched in batches."""

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
    def loc(self) -> marsdask.dataframe.indexing.setting.Loc:
        """Rows and columns by label."""

    def lt(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `lt`, aligned by labels; arrays and lists are positional."""

    def map(
        self,
        func: Any,
        na_action: Any = None,
        dtypes: Any = None,
        skip_infer: builtins.bool = False,
        **kwargs: Any,
    ) -> DataFrame:
        """Each element through a function."""

    def map_chunk(
        self,
        func: Any,
        args: Any = (),
        kwargs: Any = None,
        skip_infer: builtins.bool = False,
        with_chunk_index: builtins.bool = False,
        output_type: Any = None,
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        index: Any = None,
        elementwise: Any = None,
    ) -> Any:
        """What a function gives of each chunk, a pandas object; with_chunk_index=True passes it `chunk_index`."""

    def mask(
        self, cond: Any, other: Any = ..., inplace: Any = False, axis: Any = None, level: Any = None
    ) -> DataFrame:
        """pandas' `mask`, chunk by chunk; frames among the arguments are aligned by labels."""

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

    def melt(
        self,
        id_vars: Any = None,
        value_vars: Any = None,
        var_name: Any = None,
        value_name: Any = "value",
        col_level: Any = None,
        ignore_index: builtins.bool = True,
    ) -> DataFrame:
        """Columns as rows: one column of names and one of values, in pandas' order of rows."""

    def memory_usage(self, index: builtins.bool = True, deep: builtins.bool = False) -> Series:
        """Bytes by column (of a series: in all). Labels 0..n-1 count once."""

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
        self,
        axis: Any = 0,
        numeric_only: builtins.bool = False,
        dropna: builtins.bool = True,
        combine_size: Any = None,
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

    def notna(self) -> DataFrame:
        """pandas' `notna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def notnull(self) -> DataFrame:
        """pandas' `notna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def nsmallest(self, n: builtins.int, columns: Any, keep: builtins.str = "first") -> DataFrame:
        """The `n` rows with the smallest values in `columns`, in order."""

    @property
    def nsplits(self) -> builtins.tuple[builtins.tuple[builtins.float, ...], ...] | None:
        """Rows per chunk (and the columns, whole), once executed; else None."""

    def nunique(
        self, axis: Any = 0, dropna: Any = True, combine_size: Any = None, method: Any = None
    ) -> Series:
        """The nunique of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def pad(self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None) -> Any:
        """Holes filled with the last value before, over chunk borders."""

    def pct_change(self, periods: Any = 1, fill_method: Any = None, freq: Any = None) -> DataFrame:
        """Each row's change relative to the one `periods` before."""

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> DataFrame:
        """`func(frame, ...)`."""

    @property
    def plot(self) -> PlotAccessor:
        """Plots; see PlotAccessor."""

    def pop(self, item: Any) -> Series:
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

    def quantile(
        self,
        q: Any = 0.5,
        axis: Any = 0,
        numeric_only: Any = False,
        interpolation: Any = "linear",
        method: Any = "single",
        combine_size: Any = None,
    ) -> DataFrame | Series:
        """Exact quantiles of each column, holes left out."""

    def query(self, expr: Any, inplace: Any = False, **kwargs: Any) -> DataFrame:
        """The rows for which an expression in text is true; `@name` is a variable of the caller, lazy ones too."""

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

    def rebalance(
        self,
        factor: builtins.float | None = None,
        axis: Any = 0,
        num_partitions: builtins.int | None = None,
        reassign_worker: builtins.bool = True,
    ) -> Any:
        """The same frame in chunks of equal length: `num_partitions`, or `factor` times as many as tasks run at a time."""

    def rechunk(self, chunk_size: Any, reassign_worker: builtins.bool = False) -> Any:
        """The same frame in chunks of `chunk_size` rows (an entry for columns is checked and has no effect)."""

    def reindex(
        self,
        labels: Any = None,
        index: Any = None,
        columns: Any = None,
        axis: Any = None,
        method: Any = None,
        copy: Any = None,
        level: Any = None,
        fill_value: Any = ...,
        limit: Any = None,
        tolerance: Any = None,
        enable_sparse: Any = False,
    ) -> DataFrame:
        """The frame on other labels, empty (or `fill_value`) where there were none. New row labels may be lazy."""

    def reindex_like(
        self, other: Any, method: Any = None, copy: Any = None, limit: Any = None, tolerance: Any = None
    ) -> DataFrame:
        """The frame on the labels of another."""

    def rename(
        self,
        mapper: Any = None,
        index: Any = None,
        columns: Any = None,
        axis: Any = None,
        copy: Any = None,
        inplace: builtins.bool = False,
        level: Any = None,
        errors: builtins.str = "ignore",
    ) -> DataFrame:
        """The same data with some labels renamed, by a dict or a function."""

    def rename_axis(
        self,
        mapper: Any = ...,
        index: Any = ...,
        columns: Any = ...,
        axis: Any = 0,
        copy: Any = None,
        inplace: builtins.bool = False,
    ) -> DataFrame:
        """The same data under other names of the index or column levels."""

    def replace(
        self, to_replace: Any = None, value: Any = ..., inplace: Any = False, regex: Any = False
    ) -> DataFrame:
        """pandas' `replace`, chunk by chunk; frames among the arguments are aligned by labels."""

    def reset_index(
        self,
        level: Any = None,
        drop: builtins.bool = False,
        inplace: builtins.bool = False,
        col_level: Any = 0,
        col_fill: Any = "",
        allow_duplicates: Any = False,
        names: Any = None,
        incremental_index: builtins.bool = True,
    ) -> DataFrame:
        """The labels as columns, the rows under 0..n-1 over the whole (always, whatever `incremental_index`)."""

    def rfloordiv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `rfloordiv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmod(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rmod`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmul(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rmul`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rolling(
        self,
        window: Any,
        min_periods: Any = None,
        center: Any = False,
        win_type: Any = None,
        on: Any = None,
        closed: Any = None,
        step: Any = None,
        method: Any = "single",
        axis: Any = 0,
    ) -> Rolling:
        """Windows over the rows: an object whose methods are lazy frames, as pandas' `rolling`."""

    def round(self, decimals: Any = 0) -> DataFrame:
        """pandas' `round`, chunk by chunk; frames among the arguments are aligned by labels."""

    def rpow(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rpow`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rsub(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> DataFrame:
        """pandas' `rsub`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rtruediv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `rtruediv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def sample(
        self,
        n: Any = None,
        frac: Any = None,
        replace: builtins.bool = False,
        weights: Any = None,
        random_state: Any = None,
        axis: Any = None,
        ignore_index: builtins.bool = False,
        always_multinomial: builtins.bool = False,
    ) -> DataFrame:
        """Random rows, in the order drawn: pandas' own draw for a whole number as `random_state`. `always_multinomial` has no effect."""

    def select_dtypes(self, include: Any = None, exclude: Any = None) -> DataFrame:
        """The columns of some dtypes."""

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

    def set_axis(
        self, labels: Any, axis: Any = 0, inplace: builtins.bool = False, copy: Any = None
    ) -> DataFrame:
        """The same data under other row or column labels; row labels may be lazy."""

    def set_index(
        self,
        keys: Any,
        drop: builtins.bool = True,
        append: builtins.bool = False,
        inplace: builtins.bool = False,
        verify_integrity: builtins.bool = False,
    ) -> DataFrame:
        """Columns, series or arrays (by position) as the row labels; nothing is sorted. `verify_integrity` looks at the whole."""

    @property
    def shape(self) -> builtins.tuple[builtins.float, ...]:
        """Rows (`nan` where only a run can tell) and columns."""

    def shift(
        self, periods: Any = 1, freq: Any = None, axis: Any = 0, fill_value: Any = ..., suffix: Any = None
    ) -> DataFrame:
        """Rows moved down by `periods`, over chunk borders; with freq= the labels are moved instead."""

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
    ) -> DataFrame:
        """Rows in the order of their labels (columns with `axis=1`), stable whatever `kind`."""

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
    ) -> DataFrame:
        """Rows in the order of one or more columns, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""

    def squeeze(self, axis: Any = None) -> Any:
        """Axes of length 1 taken away; rows need a known length."""

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

    @deprecated("not built: chunks are in host memory already")
    def to_cpu(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_csv(self, path: Any = None, **kwargs: Any) -> Any:
        """Write CSV when executed: one file, or with `*` in the path a file per chunk (its number in the place of `*`)."""

    def to_dask(self) -> Any:
        """A `dask.dataframe` collection over the same chunks."""

    def to_dict(
        self,
        orient: builtins.str = "dict",
        into: Any = ...,
        index: builtins.bool = True,
        batch_size: builtins.int = 10000,
        session: Any = None,
    ) -> Any:
        """The data as a dict, run first."""

    @deprecated("not built: chunks are NumPy arrays and pandas objects in host memory")
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

    def to_parquet(
        self,
        path: Any = None,
        engine: builtins.str = "auto",
        compression: Any = "snappy",
        index: Any = None,
        partition_cols: Any = None,
        storage_options: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Write parquet when executed: a folder with a file per chunk, `0.parquet` on, or a path with `*` for the chunk's number."""

    @deprecated(
        "not built: databases are not written yet; fetch() and pandas' to_sql write what fits one process"
    )
    def to_sql(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_tensor(self) -> Any:
        """A Tensor of the values, in the common dtype of the columns; a copy."""

    @deprecated("not built: Vineyard is a store of Mars's; Dask has no counterpart")
    def to_vineyard(self, *args: Any, **kwargs: Any) -> Any: ...
    def transform(
        self,
        func: Any,
        axis: Any = 0,
        *args: Any,
        dtypes: Any = None,
        dtype: Any = None,
        skip_infer: builtins.bool = False,
        convert_dtype: Any = True,
        **kwargs: Any,
    ) -> DataFrame:
        """What a function makes of each whole column, with the same rows."""

    def transpose(self, copy: Any = None) -> DataFrame:
        """Rows as columns. Row labels become column names: where only a run can tell them, it runs."""

    def truediv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> DataFrame:
        """pandas' `truediv`, aligned by labels; arrays and lists are positional."""

    def tshift(self, periods: builtins.int = 1, freq: Any = None, axis: Any = 0) -> Any:
        """The labels moved by `periods` of `freq`: `shift(periods, freq=...)`."""

    def value_counts(
        self,
        subset: Any = None,
        normalize: builtins.bool = False,
        sort: builtins.bool = True,
        ascending: builtins.bool = False,
        dropna: builtins.bool = True,
    ) -> Series:
        """How often each row (of some columns) is there, most frequent first, ties by first appearance."""

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

    def where(
        self, cond: Any, other: Any = ..., inplace: Any = False, axis: Any = None, level: Any = None
    ) -> DataFrame:
        """pandas' `where`, chunk by chunk; frames among the arguments are aligned by labels."""

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
    def T(self) -> Series:
        """Rows as columns. Row labels become column names: where only a run can tell them, it runs."""

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

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The Arrow PyCapsule protocol: chunk by chunk, run when the first batch is asked for; labels stay behind."""

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

    def __matmul__(self, other: Any) -> Any: ...
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

    def abs(self) -> Series:
        """pandas' `abs`, chunk by chunk; frames among the arguments are aligned by labels."""

    def add(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `add`, aligned by labels; arrays and lists are positional."""

    def add_prefix(self, prefix: builtins.str, axis: Any = None) -> Series:
        """The same data, text put before the column labels (of a series: row labels)."""

    def add_suffix(self, suffix: builtins.str, axis: Any = None) -> Series:
        """The same data, text put after the column labels (of a series: row labels)."""

    def agg(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Series | Tensor:
        """One or several reductions of the columns: names, lists, dicts by column, functions."""

    def aggregate(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Series | Tensor:
        """One or several reductions of the columns: names, lists, dicts by column, functions."""

    def align(
        self,
        other: Any,
        join: builtins.str = "outer",
        axis: Any = None,
        level: Any = None,
        fill_value: Any = None,
        copy: Any = None,
    ) -> builtins.tuple[Series, ...]:
        """Both frames under the labels of both: a pair of lazy frames."""

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

    def apply(
        self,
        func: Any,
        convert_dtype: Any = True,
        output_type: Any = None,
        args: Any = (),
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        index: Any = None,
        skip_infer: builtins.bool = False,
        by_row: Any = "compat",
        **kwargs: Any,
    ) -> Any:
        """What a function gives of each value."""

    def astype(self, dtype: Any, copy: Any = None, errors: builtins.str = "raise") -> Series:
        """The data in other dtypes. The categories of "category" are those of the whole, as in pandas, known after a run."""

    @property
    def at(self) -> marsdask.dataframe.indexing.setting.At:
        """One value by labels."""

    def autocorr(self, lag: builtins.int = 1) -> Tensor:
        """The correlation with itself `lag` rows before."""

    @property
    def axes(self) -> builtins.list[Any]:
        """The row labels, and the column labels of a frame."""

    def backfill(
        self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None
    ) -> Any:
        """Holes filled with the next value after, over chunk borders."""

    def between(self, left: Any, right: Any, inclusive: Any = "both") -> Series:
        """pandas' `between`, chunk by chunk; frames among the arguments are aligned by labels."""

    def bfill(
        self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None
    ) -> Series:
        """Holes filled with the next value after, over chunk borders."""

    @deprecated("not built: not written yet")
    def cartesian_chunk(self, *args: Any, **kwargs: Any) -> Any: ...
    def case_when(self, caselist: Any) -> Series:
        """Where a condition holds its replacement, the first that holds; else the series."""

    @property
    def cat(self) -> CategoricalAccessor:
        """Categories, their codes and order."""

    def check_monotonic(self, decreasing: builtins.bool = False, strict: builtins.bool = False) -> Any:
        """Whether values rise (fall, with `decreasing`) from row to row, `strict`ly or not: a tensor of no dimension."""

    def clip(self, lower: Any = None, upper: Any = None, axis: Any = None, inplace: Any = False) -> Series:
        """pandas' `clip`, chunk by chunk; frames among the arguments are aligned by labels."""

    def combine(
        self, other: Any, func: Any, fill_value: Any = None, overwrite: builtins.bool = True
    ) -> Series:
        """pandas' `combine`, aligned by labels."""

    def combine_first(self, other: Any) -> Series:
        """pandas' `combine_first`, aligned by labels."""

    def copy(self, deep: builtins.bool = True) -> Series:
        """The same data; later writes to either do not reach the other."""

    def corr(self, other: Any, method: Any = "pearson", min_periods: builtins.int | None = None) -> Tensor:
        """The correlation with another series, aligned by labels: a tensor of no dimension."""

    def count(
        self, axis: Any = 0, numeric_only: Any = False, combine_size: Any = None, method: Any = None
    ) -> Tensor:
        """The count of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def cov(
        self, other: Any, min_periods: builtins.int | None = None, ddof: builtins.int | None = 1
    ) -> Tensor:
        """The covariance with another series, aligned by labels: a tensor of no dimension."""

    def cummax(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> Series:
        """The max of all rows up to each, over chunk borders."""

    def cummin(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> Series:
        """The min of all rows up to each, over chunk borders."""

    def cumprod(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> Series:
        """The prod of all rows up to each, over chunk borders."""

    def cumsum(self, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> Series:
        """The sum of all rows up to each, over chunk borders."""

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Series:
        """Count, mean, deviation, extremes and exact percentiles; for texts and categories the most frequent value."""

    def diff(self, periods: Any = 1, axis: Any = 0) -> Series:
        """Each row minus the one `periods` before."""

    def div(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `div`, aligned by labels; arrays and lists are positional."""

    def divide(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `divide`, aligned by labels; arrays and lists are positional."""

    def divmod(self, other: Any) -> Any:
        """Quotient and remainder: two frames."""

    def dot(self, other: Any) -> Series | Tensor:
        """The matrix product; rows stay where they are, the other operand is given whole to every chunk."""

    def drop(
        self,
        labels: Any = None,
        axis: Any = 0,
        index: Any = None,
        columns: Any = None,
        level: Any = None,
        inplace: builtins.bool = False,
        errors: builtins.str = "raise",
    ) -> Series:
        """The frame without some rows or columns. A missing row label is a KeyError when it runs, at the call where labels are known."""

    def drop_duplicates(
        self,
        keep: Any = "first",
        inplace: builtins.bool = False,
        ignore_index: builtins.bool = False,
        method: builtins.str = "auto",
    ) -> Series:
        """Without rows that equal an earlier one, in order."""

    def dropna(
        self,
        axis: Any = 0,
        how: Any = ...,
        thresh: Any = ...,
        subset: Any = None,
        inplace: Any = ...,
        ignore_index: builtins.bool = False,
    ) -> Series:
        """The rows without holes (`how`, `thresh`, `subset` as in pandas). axis=1 runs to see which columns have any."""

    @property
    def dt(self) -> DatetimeAccessor:
        """Parts and operations of dates, times and differences."""

    @property
    def dtype(self) -> Any: ...
    @property
    def dtypes(self) -> Any: ...
    def duplicated(self, keep: Any = "first", method: builtins.str = "auto") -> Series:
        """Whether each row equals an earlier one (`keep='last'`: a later, `False`: any)."""

    @property
    def empty(self) -> builtins.bool:
        """Whether there are no elements. Raises ValueError where that is not known yet."""

    def eq(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `eq`, aligned by labels; arrays and lists are positional."""

    def ewm(
        self,
        com: Any = None,
        span: Any = None,
        halflife: Any = None,
        alpha: Any = None,
        min_periods: Any = 0,
        adjust: Any = True,
        ignore_na: Any = False,
        times: Any = None,
        method: Any = "single",
        axis: Any = 0,
    ) -> EWM:
        """Windows over the rows: an object whose methods are lazy frames, as pandas' `ewm`."""

    def expanding(
        self, min_periods: Any = 1, method: Any = "single", center: Any = None, axis: Any = 0
    ) -> Expanding:
        """Windows over the rows: an object whose methods are lazy frames, as pandas' `expanding`."""

    def explode(self, ignore_index: builtins.bool = False) -> Series:
        """A row for each element of lists."""

    @deprecated("not built: logs come with the family of plain functions, which is not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    def ffill(
        self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None
    ) -> Series:
        """Holes filled with the last value before, over chunk borders."""

    def fillna(
        self,
        value: Any = None,
        method: Any = None,
        axis: Any = None,
        inplace: Any = False,
        limit: Any = None,
        downcast: Any = None,
    ) -> Series:
        """Holes filled with a value, a value by column, an aligned frame, or (`method`) what stands before or after."""

    def filter(
        self,
        items: Any = None,
        like: builtins.str | None = None,
        regex: builtins.str | None = None,
        axis: Any = None,
    ) -> Series:
        """The columns (of a series, or with axis=0: rows) whose labels are listed or match."""

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

    @property
    def hasnans(self) -> Tensor:
        """Whether there are holes: a lazy bool."""

    def head(self, n: builtins.int = 5) -> Series:
        """The first n rows of the whole; of a file only as much is read as that needs."""

    def hist(self, column: Any = None, by: Any = None, **kwargs: Any) -> Any:
        """Histograms of the columns, as matplotlib Axes; runs."""

    @property
    def iat(self) -> marsdask.dataframe.indexing.setting.IAt:
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
    def iloc(self) -> marsdask.dataframe.indexing.setting.ILoc:
        """Rows and columns by position."""

    @property
    def index(self) -> Index:
        """The row labels."""
    @index.setter
    def index(self, value: Any) -> None: ...
    def info(
        self,
        verbose: Any = None,
        buf: Any = None,
        max_cols: Any = None,
        memory_usage: Any = None,
        show_counts: Any = None,
    ) -> Any:
        """Prints what pandas' info prints of the whole; runs."""

    def interpolate(
        self,
        method: Any = "linear",
        axis: Any = 0,
        limit: Any = None,
        inplace: Any = False,
        limit_direction: Any = None,
        limit_area: Any = None,
    ) -> Series:
        """pandas' `interpolate`."""

    @property
    def is_monotonic(self) -> Tensor:
        """Whether no value is below the one before: a lazy bool."""

    @property
    def is_monotonic_decreasing(self) -> Tensor:
        """Whether no value is above the one before: a lazy bool."""

    @property
    def is_monotonic_increasing(self) -> Tensor:
        """Whether no value is below the one before: a lazy bool."""

    @property
    def is_unique(self) -> Tensor:
        """Whether no value occurs twice: a lazy bool."""

    def isin(self, values: Any) -> Series:
        """Whether each element is among `values`: a list, a lazy series or tensor, a dict by column, an aligned frame."""

    def isna(self) -> Series:
        """pandas' `isna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def isnull(self) -> Series:
        """pandas' `isna`, chunk by chunk; frames among the arguments are aligned by labels."""

    @deprecated("not built: chunks are dense")
    def issparse(self, *args: Any, **kwargs: Any) -> Any: ...
    def items(self, batch_size: builtins.int = 10000, session: Any = None) -> Any:
        """Columns as (name, lazy series); of a series (label, value), run first."""

    def iterbatch(self, batch_size: builtins.int | None = None, session: Any = None) -> Any:
        """pandas pieces of `batch_size` rows, by default chunks, run first."""

    def iteritems(self, batch_size: builtins.int = 10000, session: Any = None) -> Any:
        """Columns as (name, lazy series); of a series (label, value), run first."""

    def keys(self) -> Any:
        """The row labels, lazily."""

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
    def loc(self) -> marsdask.dataframe.indexing.setting.Loc:
        """Rows and columns by label."""

    def lt(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `lt`, aligned by labels; arrays and lists are positional."""

    def map(
        self,
        func: Any = None,
        na_action: Any = None,
        dtype: Any = None,
        memory_scale: Any = None,
        skip_infer: builtins.bool = False,
        engine: Any = None,
        arg: Any = None,
        **kwargs: Any,
    ) -> Series:
        """Each value through a function, a dict or a series (a lazy one too)."""

    def map_chunk(
        self,
        func: Any,
        args: Any = (),
        kwargs: Any = None,
        skip_infer: builtins.bool = False,
        with_chunk_index: builtins.bool = False,
        output_type: Any = None,
        dtypes: Any = None,
        dtype: Any = None,
        name: Any = None,
        index: Any = None,
        elementwise: Any = None,
    ) -> Any:
        """What a function gives of each chunk, a pandas object; with_chunk_index=True passes it `chunk_index`."""

    def mask(
        self, cond: Any, other: Any = ..., inplace: Any = False, axis: Any = None, level: Any = None
    ) -> Series:
        """pandas' `mask`, chunk by chunk; frames among the arguments are aligned by labels."""

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

    def memory_usage(self, index: builtins.bool = True, deep: builtins.bool = False) -> Tensor:
        """Bytes by column (of a series: in all). Labels 0..n-1 count once."""

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
        self,
        axis: Any = 0,
        numeric_only: builtins.bool = False,
        dropna: builtins.bool = True,
        combine_size: Any = None,
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

    def notna(self) -> Series:
        """pandas' `notna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def notnull(self) -> Series:
        """pandas' `notna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def nsmallest(self, n: builtins.int = 5, keep: builtins.str = "first") -> Series:
        """The `n` smallest values, in order."""

    @property
    def nsplits(self) -> builtins.tuple[builtins.tuple[builtins.float, ...], ...] | None:
        """Rows per chunk (and the columns, whole), once executed; else None."""

    def nunique(
        self, axis: Any = 0, dropna: Any = True, combine_size: Any = None, method: Any = None
    ) -> Tensor:
        """The nunique of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def pad(self, axis: Any = None, inplace: Any = False, limit: Any = None, limit_area: Any = None) -> Any:
        """Holes filled with the last value before, over chunk borders."""

    def pct_change(self, periods: Any = 1, fill_method: Any = None, freq: Any = None) -> Series:
        """Each row's change relative to the one `periods` before."""

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Series:
        """`func(frame, ...)`."""

    @property
    def plot(self) -> PlotAccessor:
        """Plots; see PlotAccessor."""

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

    def quantile(
        self,
        q: Any = 0.5,
        axis: Any = 0,
        numeric_only: Any = False,
        interpolation: Any = "linear",
        method: Any = "single",
        combine_size: Any = None,
    ) -> Series | Tensor:
        """Exact quantiles of each column, holes left out."""

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

    def rebalance(
        self,
        factor: builtins.float | None = None,
        axis: Any = 0,
        num_partitions: builtins.int | None = None,
        reassign_worker: builtins.bool = True,
    ) -> Any:
        """The same frame in chunks of equal length: `num_partitions`, or `factor` times as many as tasks run at a time."""

    def rechunk(self, chunk_size: Any, reassign_worker: builtins.bool = False) -> Any:
        """The same frame in chunks of `chunk_size` rows (an entry for columns is checked and has no effect)."""

    def reindex(
        self,
        labels: Any = None,
        index: Any = None,
        columns: Any = None,
        axis: Any = None,
        method: Any = None,
        copy: Any = None,
        level: Any = None,
        fill_value: Any = ...,
        limit: Any = None,
        tolerance: Any = None,
        enable_sparse: Any = False,
    ) -> Series:
        """The frame on other labels, empty (or `fill_value`) where there were none. New row labels may be lazy."""

    def reindex_like(
        self, other: Any, method: Any = None, copy: Any = None, limit: Any = None, tolerance: Any = None
    ) -> Series:
        """The frame on the labels of another."""

    def rename(
        self,
        index: Any = None,
        axis: Any = None,
        copy: Any = None,
        inplace: builtins.bool = False,
        level: Any = None,
        errors: builtins.str = "ignore",
    ) -> Series:
        """The series under another name (a scalar) or with renamed labels (a dict or function)."""

    def rename_axis(
        self,
        mapper: Any = ...,
        index: Any = ...,
        columns: Any = ...,
        axis: Any = 0,
        copy: Any = None,
        inplace: builtins.bool = False,
    ) -> Series:
        """The same data under other names of the index or column levels."""

    def replace(
        self, to_replace: Any = None, value: Any = ..., inplace: Any = False, regex: Any = False
    ) -> Series:
        """pandas' `replace`, chunk by chunk; frames among the arguments are aligned by labels."""

    def reset_index(
        self,
        level: Any = None,
        drop: builtins.bool = False,
        name: Any = ...,
        inplace: builtins.bool = False,
        allow_duplicates: builtins.bool = False,
        incremental_index: builtins.bool = True,
    ) -> DataFrame | Series:
        """The labels as a column beside the values, or dropped; rows under 0..n-1 over the whole."""

    def rfloordiv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> Series:
        """pandas' `rfloordiv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmod(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rmod`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rmul(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rmul`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rolling(
        self,
        window: Any,
        min_periods: Any = None,
        center: Any = False,
        win_type: Any = None,
        on: Any = None,
        closed: Any = None,
        step: Any = None,
        method: Any = "single",
        axis: Any = 0,
    ) -> Rolling:
        """Windows over the rows: an object whose methods are lazy frames, as pandas' `rolling`."""

    def round(self, decimals: Any = 0) -> Series:
        """pandas' `round`, chunk by chunk; frames among the arguments are aligned by labels."""

    def rpow(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rpow`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rsub(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `rsub`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def rtruediv(
        self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None
    ) -> Series:
        """pandas' `rtruediv`, with the operands swapped, aligned by labels; arrays and lists are positional."""

    def sample(
        self,
        n: Any = None,
        frac: Any = None,
        replace: builtins.bool = False,
        weights: Any = None,
        random_state: Any = None,
        axis: Any = None,
        ignore_index: builtins.bool = False,
        always_multinomial: builtins.bool = False,
    ) -> Series:
        """Random rows, in the order drawn: pandas' own draw for a whole number as `random_state`. `always_multinomial` has no effect."""

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

    def set_axis(
        self, labels: Any, axis: Any = 0, inplace: builtins.bool = False, copy: Any = None
    ) -> Series:
        """The same data under other row or column labels; row labels may be lazy."""

    @property
    def shape(self) -> builtins.tuple[builtins.float, ...]:
        """Rows (`nan` where only a run can tell) and columns."""

    def shift(
        self, periods: Any = 1, freq: Any = None, axis: Any = 0, fill_value: Any = ..., suffix: Any = None
    ) -> DataFrame | Series:
        """Rows moved down by `periods`, over chunk borders; with freq= the labels are moved instead."""

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
    ) -> Series:
        """Rows in the order of their labels (columns with `axis=1`), stable whatever `kind`."""

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
    ) -> Series:
        """Values in order, stable whatever `kind`. `parallel_kind`, `psrs_kinds` are Mars's and have no effect."""

    def squeeze(self, axis: Any = None) -> Tensor:
        """Axes of length 1 taken away; rows need a known length."""

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

    @property
    def str(self) -> StringAccessor:
        """Text operations on each value. `s.str[i]`, `s.str[a:b]` take characters."""

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

    @deprecated("not built: chunks are in host memory already")
    def to_cpu(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_csv(self, path: Any = None, **kwargs: Any) -> Any:
        """Write CSV when executed: one file, or with `*` in the path a file per chunk (its number in the place of `*`)."""

    def to_dask(self) -> Any:
        """A `dask.dataframe` collection over the same chunks."""

    def to_dict(
        self,
        orient: builtins.str = "dict",
        into: Any = ...,
        index: builtins.bool = True,
        batch_size: builtins.int = 10000,
        session: Any = None,
    ) -> Any:
        """The data as a dict, run first."""

    def to_frame(self, name: Any = ...) -> DataFrame:
        """A DataFrame of one column."""

    @deprecated("not built: chunks are NumPy arrays and pandas objects in host memory")
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

    @deprecated(
        "not built: databases are not written yet; fetch() and pandas' to_sql write what fits one process"
    )
    def to_sql(self, *args: Any, **kwargs: Any) -> Any: ...
    def to_tensor(self) -> Any:
        """A Tensor of the values, in the common dtype of the columns; a copy."""

    def transform(
        self,
        func: Any,
        axis: Any = 0,
        *args: Any,
        dtypes: Any = None,
        dtype: Any = None,
        skip_infer: builtins.bool = False,
        convert_dtype: Any = True,
        **kwargs: Any,
    ) -> DataFrame | Series:
        """What a function makes of each whole column, with the same rows."""

    def transpose(self, copy: Any = None) -> Series:
        """Rows as columns. Row labels become column names: where only a run can tell them, it runs."""

    def truediv(self, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Series:
        """pandas' `truediv`, aligned by labels; arrays and lists are positional."""

    def tshift(self, periods: builtins.int = 1, freq: Any = None, axis: Any = 0) -> Any:
        """The labels moved by `periods` of `freq`: `shift(periods, freq=...)`."""

    def unique(self, method: builtins.str = "tree") -> Tensor:
        """The values without duplicates, in order of first appearance: a tensor (of objects for nullable and text dtypes)."""

    def value_counts(
        self,
        normalize: builtins.bool = False,
        sort: builtins.bool = True,
        ascending: builtins.bool = False,
        bins: Any = None,
        dropna: builtins.bool = True,
        method: builtins.str = "auto",
    ) -> Series:
        """How often each value is there, most frequent first, ties by first appearance."""

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

    def where(
        self, cond: Any, other: Any = ..., inplace: Any = False, axis: Any = None, level: Any = None
    ) -> Series:
        """pandas' `where`, chunk by chunk; frames among the arguments are aligned by labels."""

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
    def T(self) -> Index: ...
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

    def agg(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """One or several reductions of the columns: names, lists, dicts by column, functions."""

    def aggregate(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """One or several reductions of the columns: names, lists, dicts by column, functions."""

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

    def astype(self, dtype: Any, copy: Any = None, errors: builtins.str = "raise") -> Index:
        """The data in other dtypes. The categories of "category" are those of the whole, as in pandas, known after a run."""

    @property
    def at(self) -> marsdask.dataframe.indexing.setting.At:
        """One value by labels."""

    def check_monotonic(self, decreasing: builtins.bool = False, strict: builtins.bool = False) -> Any:
        """Whether values rise (fall, with `decreasing`) from row to row, `strict`ly or not: a tensor of no dimension."""

    def copy(self, deep: builtins.bool = True) -> Index:
        """The same data; later writes to either do not reach the other."""

    def drop(self, labels: Any, errors: builtins.str = "raise") -> Any:
        """drop: see the oracle's documentation."""

    def drop_duplicates(self, keep: Any = "first", method: builtins.str = "auto") -> Any:
        """Without rows that equal an earlier one, in order."""

    def dropna(
        self,
        axis: Any = 0,
        how: Any = ...,
        thresh: Any = ...,
        subset: Any = None,
        inplace: Any = ...,
        ignore_index: builtins.bool = False,
    ) -> Index:
        """The rows without holes (`how`, `thresh`, `subset` as in pandas). axis=1 runs to see which columns have any."""

    @property
    def dtype(self) -> Any: ...
    def duplicated(self, keep: Any = "first", method: builtins.str = "auto") -> Any:
        """Whether each row equals an earlier one (`keep='last'`: a later, `False`: any)."""

    @property
    def empty(self) -> builtins.bool:
        """Whether there are no elements. Raises ValueError where that is not known yet."""

    @deprecated("not built: logs come with the family of plain functions, which is not written yet")
    def fetch_log(self, *args: Any, **kwargs: Any) -> Any: ...
    def fillna(
        self,
        value: Any = None,
        method: Any = None,
        axis: Any = None,
        inplace: Any = False,
        limit: Any = None,
        downcast: Any = None,
    ) -> Index:
        """Holes filled with a value, a value by column, an aligned frame, or (`method`) what stands before or after."""

    def get_level_values(self, level: Any) -> Index:
        """The labels of one level."""

    @property
    def has_duplicates(self) -> Tensor:
        """Whether some value occurs twice: a lazy bool."""

    @property
    def hasnans(self) -> Tensor:
        """Whether there are holes: a lazy bool."""

    @property
    def iat(self) -> marsdask.dataframe.indexing.setting.IAt:
        """One value by position."""

    @property
    def iloc(self) -> marsdask.dataframe.indexing.setting.ILoc:
        """Rows and columns by position."""

    @property
    def index(self) -> Index:
        """The row labels."""
    @index.setter
    def index(self, value: Any) -> None: ...
    @property
    def inferred_type(self) -> builtins.str:
        """The kind of the labels, as pandas calls it."""

    @property
    def is_monotonic(self) -> Tensor:
        """Whether no value is below the one before: a lazy bool."""

    @property
    def is_monotonic_decreasing(self) -> Tensor:
        """Whether no value is above the one before: a lazy bool."""

    @property
    def is_monotonic_increasing(self) -> Tensor:
        """Whether no value is below the one before: a lazy bool."""

    @property
    def is_unique(self) -> Tensor:
        """Whether no value occurs twice: a lazy bool."""

    def isna(self) -> Index:
        """pandas' `isna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def isnull(self) -> Index:
        """pandas' `isna`, chunk by chunk; frames among the arguments are aligned by labels."""

    @property
    def loc(self) -> marsdask.dataframe.indexing.setting.Loc:
        """Rows and columns by label."""

    def map(
        self,
        func: Any = None,
        na_action: Any = None,
        dtype: Any = None,
        memory_scale: Any = None,
        skip_infer: builtins.bool = False,
        engine: Any = None,
        arg: Any = None,
        **kwargs: Any,
    ) -> Index:
        """Each value through a function, a dict or a series (a lazy one too)."""

    def max(
        self,
        axis: Any = 0,
        skipna: Any = True,
        numeric_only: Any = False,
        combine_size: Any = None,
        method: Any = None,
    ) -> Any:
        """The max of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    def memory_usage(self, index: builtins.bool = True, deep: builtins.bool = False) -> Any:
        """Bytes by column (of a series: in all). Labels 0..n-1 count once."""

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
    def name(self) -> None | builtins.str:
        """The name of the labels."""
    @name.setter
    def name(self, value: Any) -> None: ...
    @property
    def names(self) -> Any:
        """The names of the levels."""
    @names.setter
    def names(self, value: Any) -> None: ...
    @property
    def ndim(self) -> builtins.int: ...
    @property
    def nlevels(self) -> builtins.int:
        """How many levels the labels have."""

    def notna(self) -> Index:
        """pandas' `notna`, chunk by chunk; frames among the arguments are aligned by labels."""

    def notnull(self) -> Index:
        """pandas' `notna`, chunk by chunk; frames among the arguments are aligned by labels."""

    @property
    def nsplits(self) -> builtins.tuple[builtins.tuple[builtins.float, ...], ...] | None:
        """Rows per chunk (and the columns, whole), once executed; else None."""

    def nunique(self, axis: Any = 0, dropna: Any = True, combine_size: Any = None, method: Any = None) -> Any:
        """The nunique of each column (or, with axis=1, of each row), holes left out unless skipna=False."""

    @deprecated("not built: not written yet")
    def rebalance(self, *args: Any, **kwargs: Any) -> Any: ...
    @deprecated("not built: not written yet")
    def rechunk(self, *args: Any, **kwargs: Any) -> Any: ...
    def rename(self, name: Any, inplace: builtins.bool = False) -> Index:
        """The labels under another name."""

    def set_names(self, names: Any, level: Any = None, inplace: builtins.bool = False) -> Index:
        """The labels under other names of the levels."""

    @property
    def shape(self) -> builtins.tuple[builtins.float, ...]:
        """Rows (`nan` where only a run can tell) and columns."""

    @property
    def size(self) -> builtins.float: ...
    @property
    def str(self) -> StringAccessor:
        """Text operations on each value. `s.str[i]`, `s.str[a:b]` take characters."""

    def take(self, indices: Any, axis: Any = 0, **kwargs: Any) -> Index:
        """Rows (or columns) by position, in the order given."""

    def to_dask(self) -> Any:
        """A `dask.dataframe` collection over the same chunks."""

    def to_frame(self, index: builtins.bool = True, name: Any = ...) -> DataFrame:
        """A DataFrame of the labels, under the labels themselves or 0..n-1."""

    def to_numpy(self, dtype: Any = None, copy: builtins.bool = False, na_value: Any = ...) -> Any:
        """The data as an ndarray, run first if needed."""

    def to_pandas(
        self,
        session: Any = None,
        fetch_kwargs: builtins.dict[builtins.str, Any] | None = None,
        batch_size: builtins.int | None = None,
    ) -> Any:
        """The data as pandas, run first if needed. Batch sizes are accepted; the result is the same."""

    def to_series(self, index: Any = None, name: Any = None) -> Series:
        """A Series of the labels, under the labels themselves or others."""

    def to_tensor(self) -> Any:
        """A Tensor of the values, in the common dtype of the columns; a copy."""

    def unique(self, method: builtins.str = "tree") -> Tensor:
        """The values without duplicates, in order of first appearance: a tensor (of objects for nullable and text dtypes)."""

    def value_counts(
        self,
        normalize: builtins.bool = False,
        sort: builtins.bool = True,
        ascending: builtins.bool = False,
        bins: Any = None,
        dropna: builtins.bool = True,
        method: builtins.str = "auto",
    ) -> Index:
        """How often each value is there, most frequent first, ties by first appearance."""

    @property
    def values(self) -> Tensor:
        """A Tensor of the values; a copy."""

@deprecated("not built: pandas has its own: pandas.ArrowDtype(pyarrow.list_(...))")
def ArrowListArray(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: pandas has its own: pandas.ArrowDtype(pyarrow.list_(...))")
def ArrowListDtype(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: pandas has its own: pandas.StringDtype('pyarrow')")
def ArrowStringArray(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: pandas has its own: pandas.StringDtype('pyarrow')")
def ArrowStringDtype(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: not written yet; groupby(...).agg and map_chunk take functions")
def CustomReduction(*args: Any, **kwargs: Any) -> Any: ...
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

def cut(
    x: Any,
    bins: Any,
    right: builtins.bool = True,
    labels: Any = None,
    retbins: builtins.bool = False,
    precision: builtins.int = 3,
    include_lowest: builtins.bool = False,
    duplicates: builtins.str = "raise",
    ordered: builtins.bool = True,
) -> Series:
    """The bin of each value. A number of bins runs to find the extremes; edges are lazy."""

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
def from_dask(frame: Any) -> Any:
    """A frame over a `dask.dataframe` collection: the same partitions under the same labels, nothing run."""

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

@deprecated("not built: Vineyard is a store of Mars's; Dask has no counterpart")
def from_vineyard(*args: Any, **kwargs: Any) -> Any: ...
def get_dummies(
    data: Any,
    prefix: Any = None,
    prefix_sep: Any = "_",
    dummy_na: builtins.bool = False,
    columns: Any = None,
    sparse: builtins.bool = False,
    drop_first: builtins.bool = False,
    dtype: Any = None,
) -> DataFrame:
    """A column of indicators for each value of texts and categories; texts run to find their values."""

def isna(obj: Any) -> DataFrame | Series:
    """Whether each element is a hole (or none)."""

def isnull(obj: Any) -> DataFrame | Series:
    """Whether each element is a hole (or none)."""

def melt(
    frame: Any,
    id_vars: Any = None,
    value_vars: Any = None,
    var_name: Any = None,
    value_name: Any = "value",
    col_level: Any = None,
    ignore_index: builtins.bool = True,
) -> DataFrame:
    """Columns as rows: one column of names and one of values, in pandas' order of rows."""

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

def notna(obj: Any) -> DataFrame | Series:
    """Whether each element is a hole (or none)."""

def notnull(obj: Any) -> DataFrame | Series:
    """Whether each element is a hole (or none)."""

def qcut(
    x: Any,
    q: Any,
    labels: Any = None,
    retbins: builtins.bool = False,
    precision: builtins.int = 3,
    duplicates: builtins.str = "raise",
) -> Any:
    """The quantile bin of each value; runs to find the quantiles."""

def read_csv(
    path: Any,
    names: Any = None,
    sep: Any = None,
    index_col: Any = None,
    compression: Any = "infer",
    header: Any = "infer",
    dtype: Any = None,
    usecols: Any = None,
    nrows: builtins.int | None = None,
    skiprows: Any = None,
    chunk_bytes: Any = "64M",
    gpu: Any = None,
    head_bytes: Any = "100k",
    head_lines: builtins.int | None = None,
    incremental_index: builtins.bool = True,
    use_arrow_dtype: builtins.bool | None = None,
    storage_options: Any = None,
    memory_scale: Any = None,
    merge_small_files: builtins.bool = True,
    merge_small_file_options: Any = None,
    **kwargs: Any,
) -> Any:
    """A DataFrame of CSV files: a path, glob, directory, URL or list; labels count on over all of them."""

def read_parquet(
    path: Any,
    engine: builtins.str = "auto",
    columns: Any = None,
    groups_as_chunks: builtins.bool = False,
    use_arrow_dtype: builtins.bool | None = None,
    incremental_index: builtins.bool = False,
    storage_options: Any = None,
    memory_scale: Any = None,
    merge_small_files: builtins.bool = True,
    merge_small_file_options: Any = None,
    gpu: Any = None,
    filters: Any = None,
    **kwargs: Any,
) -> Any:
    """A DataFrame of parquet files: a path, glob, directory, URL or list. Lengths are known without a run."""

@deprecated("not built: Ray is another engine; results go there as pandas or parquet")
def read_ray_dataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Ray is another engine; results go there as pandas or parquet")
def read_ray_mldataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Ray is another engine; results go there as pandas or parquet")
def read_raydataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: databases are not written yet; md.DataFrame(pandas.read_sql(...)) reads what fits one process"
)
def read_sql(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: databases are not written yet; md.DataFrame(pandas.read_sql_query(...)) reads what fits one process"
)
def read_sql_query(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: databases are not written yet; md.DataFrame(pandas.read_sql_table(...)) reads what fits one process"
)
def read_sql_table(*args: Any, **kwargs: Any) -> Any: ...
def series_from_index(ind: Any, index: Any = None, name: Any = None) -> Any:
    """A Series whose values are an Index's labels, under the same labels or those of `index`."""

def series_from_tensor(
    tensor: Any, index: Any = None, name: Any = None, dtype: Any = None, gpu: Any = None, sparse: Any = None
) -> Any:
    """A Series of a 1-d tensor; `index` may be lazy."""

def to_datetime(
    arg: Any,
    errors: builtins.str = "raise",
    dayfirst: builtins.bool = False,
    yearfirst: builtins.bool = False,
    utc: builtins.bool = False,
    format: Any = None,
    exact: Any = ...,
    unit: Any = None,
    origin: Any = "unix",
    cache: builtins.bool = True,
    infer_datetime_format: Any = None,
) -> Series:
    """Dates. With `format=`, chunk by chunk; where pandas infers the form, in one chunk. `infer_datetime_format` has no effect."""

def to_numeric(arg: Any, errors: builtins.str = "raise", downcast: Any = None) -> Series:
    """Numbers; the dtype is that of the whole, so text comes together in one chunk."""

@deprecated("not built: Ray is another engine; results go there as pandas or parquet")
def to_ray_dataset(*args: Any, **kwargs: Any) -> Any: ...
@deprecated("not built: Ray is another engine; results go there as pandas or parquet")
def to_ray_mldataset(*args: Any, **kwargs: Any) -> Any: ...
def unique(values: Any, method: builtins.str = "tree") -> Tensor:
    """The values of a series or index without duplicates, in order of first appearance: a tensor."""

DateOffset = pd.DateOffset

Interval = pd.Interval

NA: Any

NaT: Any

NamedAgg = pd.NamedAgg

Timedelta = pd.Timedelta

Timestamp = pd.Timestamp
