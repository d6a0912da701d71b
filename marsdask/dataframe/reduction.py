"""Reductions of frames: partial results per chunk, joined in a tree. Sketch: see `reduction(...)`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marsdask import graph
from marsdask.dataframe.chunkwise import pandas_on_samples
from marsdask.dataframe.core import frame_meta
from marsdask.graph import Chunks
from marsdask.meta import FrameMeta, Rows, TensorMeta
from marsdask.registry import operation


def reduced_meta(result: Any) -> Any:
    """Metadata of a reduction: a series by column, or a scalar as a 0-d tensor."""
    if isinstance(result, (pd.Series, pd.DataFrame)):
        return frame_meta(result, len(result), Rows())
    return TensorMeta((), np.asarray(result).dtype if isinstance(result, (np.generic, int, float, bool)) else np.dtype(object))


def _sum_meta(frame: FrameMeta, **kwargs: Any) -> Any:
    return reduced_meta(pandas_on_samples(lambda x: x.sum(**kwargs), frame))


@operation("frame.sum", room="dataframe", owners=["DataFrame", "Series"], function=False, meta=_sum_meta, traits=["blind"])
def sum(frame: Chunks, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, min_count: int = 0) -> Any:
    """Sum over rows."""
    parts = graph.per_chunk(lambda c: c.sum(), frame, lengths=None)
    total = graph.tree(parts, _add)
    return graph.to_array(total, scalar=True, dtype=object) if frame.empty.ndim == 1 else total.with_lengths((len(frame.empty.columns),))


def _add(parts: list[Any]) -> Any:
    result = parts[0]
    for p in parts[1:]:
        result = result + p
    return result
