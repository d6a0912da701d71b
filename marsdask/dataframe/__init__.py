"""`md`: pandas' API on chunked frames."""

from typing import Any

from marsdask import registry
from marsdask.errors import UnknownName
from marsdask.dataframe import creation, groups, indexing, reduction, rows
from marsdask.dataframe.chunkwise import chunkwise
from marsdask.dataframe.core import DataFrame, Index, Series
chunkwise("fillna", "isna", traits=("through",))
chunkwise("add", "mul", "gt")
__all__ = registry.fill(globals(), "dataframe")
for kind in (DataFrame, Series, Index):
    registry.attach(kind, kind.__name__)


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.dataframe", name, __all__)
