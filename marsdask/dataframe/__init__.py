"""`md`: pandas' API on chunked frames."""

from typing import Any

from pandas import NA, DateOffset, Interval, NamedAgg, NaT, Timedelta, Timestamp

from marsdask.dataframe.core import Categorical, DataFrame, Index, Series
from marsdask.dataframe.groupby.grouping import DataFrameGroupBy, SeriesGroupBy
from marsdask.dataframe.reduce.custom import CustomReduction
from marsdask.errors import UnknownName
from marsdask.plan import gaps, offered, registry
from marsdask.tensor.core import ExecutableTuple

registry.discover(__name__)
__all__ = [
    "NA", "CustomReduction", "DataFrame", "DateOffset", "ExecutableTuple", "Index", "Interval", "NaT", "NamedAgg", "Series", "Timedelta",
    "Timestamp", *registry.fill(globals(), "dataframe"),
]  # fmt: skip
for kind in (DataFrame, Series, Index, Categorical, DataFrameGroupBy, SeriesGroupBy):
    registry.attach(kind, kind.__name__)


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.dataframe", name, __all__)


def __dir__() -> list[str]:
    return offered.of_module(globals())


gaps.close(__name__)
