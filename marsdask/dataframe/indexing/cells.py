"""Writing into cells: `df[frame of truths] = ...`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import as_frame
from marsdask.dataframe.rows.alignment import matched
from marsdask.dataframe.rows.families import aligned
from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.registry import lowered


def with_cells(frame: Any, cond: Any, value: Any) -> Any:
    """The frame with values where a frame of truths is true: unlike in `mask`, what that does not have is left, and dtypes stay."""
    dtypes = as_frame(cond).known.dtypes
    if not all(map(pd.api.types.is_bool_dtype, dtypes)):
        raise ArgumentTypeError("Must pass DataFrame or 2-d ndarray with boolean values only")
    given = {"cond": cond, "value": value}
    first = aligned(frame, given)
    return registry.make("frame.set_cells", first, given["cond"], given["value"])


@lowered("frame.set_cells", meta=lambda frame, *rest: frame)
def set_cells(frame: Chunks, cond: Any, value: Any) -> Any:
    """The frame with values where a frame of truths is true."""
    frame, (cond, value), _ = yield from matched(frame, (cond, value), {})
    return graph.per_chunk(_set_cells, frame, cond, value)


def _set_cells(chunk: Any, cond: Any, value: Any) -> Any:
    chunk = chunk.copy(deep=False)
    if isinstance(cond, pd.DataFrame) and cond.columns.is_unique and not cond.columns.equals(chunk.columns):
        # pandas fills in truths among floats, and hides its own warning of that from this thread only.
        cond = cond.reindex(columns=chunk.columns, fill_value=False)
    chunk[cond] = value[()] if type(value) is np.ndarray and not value.ndim else value
    return chunk
