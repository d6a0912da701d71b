"""`md`: pandas' API on chunked frames."""

from typing import Any

from marsdask import gaps, registry
from marsdask.errors import UnknownName
from marsdask.dataframe import arithmetic, concat, conversion, creation, groups, indexing, labels, merge, positions, reduction, rows
from marsdask.dataframe.core import DataFrame, Index, Series
__all__ = registry.fill(globals(), "dataframe")
for kind in (DataFrame, Series, Index):
    registry.attach(kind, kind.__name__)


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.dataframe", name, __all__)
gaps.close()
