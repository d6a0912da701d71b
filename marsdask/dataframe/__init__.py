"""`md`: pandas' API on chunked frames."""

from typing import Any

from pandas import NA, DateOffset, Interval, NamedAgg, NaT, Timedelta, Timestamp

from marsdask.dataframe import (
    accessors,
    aggregate,
    arithmetic,
    assign,
    binning,
    casting,
    choices,
    concat,
    conversion,
    convert,
    correlation,
    counting,
    creation,
    csv,
    duplicates,
    functions,
    groupby,
    index,
    indexing,
    iteration,
    join,
    labels,
    merge,
    missing,
    neighbours,
    order,
    parquet,
    parsing,
    plotting,
    positions,
    protocols,
    queries,
    ranking,
    rechunking,
    reduction,
    relabelling,
    resetting,
    reshape,
    rows,
    sample,
    selecting,
    setting,
    sort,
    window,
    writing,
)
from marsdask.dataframe.core import DataFrame, Index, Series
from marsdask.errors import UnknownName
from marsdask.plan import gaps, registry
from marsdask.tensor.core import ExecutableTuple

__all__ = [
    "NA", "DataFrame", "DateOffset", "ExecutableTuple", "Index", "Interval", "NaT", "NamedAgg", "Series", "Timedelta",
    "Timestamp", *registry.fill(globals(), "dataframe"),
]  # fmt: skip
for kind in (DataFrame, Series, Index):
    registry.attach(kind, kind.__name__)


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.dataframe", name, __all__)


gaps.close(__name__)
