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

@deprecated("not built: reading images is not written yet; dask.array.image.imread and mt.tensor do it")
def imread(*args: Any, **kwargs: Any) -> Any: ...
