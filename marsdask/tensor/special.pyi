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

@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def airy(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def airye(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def beta(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def betainc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def betaincinv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def betaln(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def dawsn(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def digamma(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellip_harm(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellip_harm_2(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellip_normal(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellipe(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellipeinc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellipk(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellipkinc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ellipkm1(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def elliprc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def elliprd(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def elliprf(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def elliprg(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def elliprj(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def entr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def erf(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def erfc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def erfcinv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def erfcx(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def erfi(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def erfinv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def fresnel(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def gamma(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def gammainc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def gammaincc(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def gammainccinv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def gammaincinv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def gammaln(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def gammasgn(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hankel1(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hankel1e(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hankel2(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hankel2e(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hyp0f1(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hyp1f1(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hyp2f1(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def hyperu(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def itairy(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def iv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def ive(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def jv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def jve(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def kl_div(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def kn(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def kv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def kve(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def loggamma(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def modfresnelm(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def modfresnelp(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def multigammaln(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def poch(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def polygamma(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def psi(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def rel_entr(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def rgamma(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def voigt_profile(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def wofz(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def xlogy(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def yn(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def yv(*args: Any, **kwargs: Any) -> Any: ...
@deprecated(
    "not built: the family of SciPy's special functions is not written yet; map_chunk with scipy.special does one"
)
def yve(*args: Any, **kwargs: Any) -> Any: ...
