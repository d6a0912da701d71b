"""Where NumPy, pandas and SciPy have the names of a room or class, and the page that says what they do.

>>> link("tensor", "sort")
'https://numpy.org/doc/stable/reference/generated/numpy.sort.html'
>>> link("DataFrame", "map_chunk")
''
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

_NUMPY = "https://numpy.org/doc/stable/reference/"
_PANDAS = "https://pandas.pydata.org/docs/reference/api/pandas."
_SCIPY = "https://docs.scipy.org/doc/scipy/reference/generated/scipy."
_TYPING = pd.api.typing

PLACES: dict[str, tuple[tuple[Any, ...], str]] = {
    "tensor": ((np,), f"{_NUMPY}generated/numpy."),
    "tensor.linalg": ((np.linalg,), f"{_NUMPY}generated/numpy.linalg."),
    "tensor.fft": ((np.fft,), f"{_NUMPY}generated/numpy.fft."),
    "tensor.random": ((np.random,), f"{_NUMPY}random/generated/numpy.random."),
    "tensor.special": ((), f"{_SCIPY}special."),
    "tensor.stats": ((), f"{_SCIPY}stats."),
    "tensor.spatial.distance": ((), f"{_SCIPY}spatial.distance."),
    "Tensor": ((np.ndarray,), f"{_NUMPY}generated/numpy.ndarray."),
    "RandomState": ((np.random.RandomState,), f"{_NUMPY}random/generated/numpy.random.RandomState."),
    "dataframe": ((pd,), _PANDAS),
    "DataFrame": ((pd.DataFrame,), f"{_PANDAS}DataFrame."),
    "Series": ((pd.Series,), f"{_PANDAS}Series."),
    "Index": ((pd.Index, pd.DatetimeIndex, pd.MultiIndex), f"{_PANDAS}Index."),
    "GroupBy": ((_TYPING.DataFrameGroupBy,), f"{_PANDAS}api.typing.DataFrameGroupBy."),
    "DataFrameGroupBy": ((_TYPING.DataFrameGroupBy,), f"{_PANDAS}api.typing.DataFrameGroupBy."),
    "SeriesGroupBy": ((_TYPING.SeriesGroupBy,), f"{_PANDAS}api.typing.SeriesGroupBy."),
    "Rolling": ((_TYPING.Rolling,), f"{_PANDAS}api.typing.Rolling."),
    "Expanding": ((_TYPING.Expanding,), f"{_PANDAS}api.typing.Expanding."),
    "EWM": ((_TYPING.ExponentialMovingWindow,), f"{_PANDAS}api.typing.ExponentialMovingWindow."),
    "str": ((pd.Series.str,), f"{_PANDAS}Series.str."),
    "dt": ((pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex), f"{_PANDAS}Series.dt."),
    "cat": ((pd.Categorical,), f"{_PANDAS}Series.cat."),
    "plot": ((pd.DataFrame.plot,), f"{_PANDAS}DataFrame.plot."),
}
"""Room or class -> who has the names (nobody here: SciPy, which need not be installed), and the start of their pages."""


def oracle(key: str, name: str) -> Any:
    """What `name` of a room or class is in NumPy or pandas; None where they do not have it."""
    places = PLACES.get(key, ((), ""))[0]
    found = (vars(p).get(name) if isinstance(p, ModuleType) else getattr(p, name, None) for p in places)
    return next((each for each in found if each is not None), None)


def link(key: str, name: str) -> str:
    """The page on `name` of a room or class; empty where it is Mars's own."""
    places, start = PLACES.get(key, ((), ""))
    known = start and (not places or oracle(key, name) is not None)
    return f"{start}{name}.html" if known else ""
