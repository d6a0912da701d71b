"""Frames joined by their labels."""

from __future__ import annotations

import math
from typing import Any

from marsdask.dataframe.core import as_frame
from marsdask.dataframe.joining.merge import checked_tuning, merge
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.errors import ArgumentError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import Rows, frame_meta
from marsdask.plan.registry import lowered, public


@public("DataFrame.join", owners=["DataFrame"])
def join(self: Any, other: Any, on: Any = None, how: str = "left", lsuffix: str = "", rsuffix: str = "", sort: bool = False,
          validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
          bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """This frame with the columns of others beside it, matched by label (or `on` columns against their labels)."""
    tuning = {"method": method, "auto_merge": auto_merge, "auto_merge_threshold": auto_merge_threshold,
              "bloom_filter": bloom_filter, "bloom_filter_options": bloom_filter_options}  # fmt: skip
    if isinstance(other, (list, tuple)):
        checked_tuning(**tuning)
        if on is not None:
            raise ArgumentError("Joining multiple DataFrames only supported for joining on index")
        if lsuffix or rsuffix:
            raise ArgumentError("Suffixes not supported when joining multiple DataFrames")
        return registry.make(
            "frame.join_several",
            self,
            [as_frame(o) for o in other],
            {"how": how, "sort": sort, "validate": validate},
        )
    if how == "cross":
        return merge(
            self, other, how=how, on=on, suffixes=(lsuffix, rsuffix), sort=sort, validate=validate, **tuning
        )
    keys = {"left_index": True} if on is None else {"left_on": on}
    return merge(
        self,
        other,
        how=how,
        right_index=True,
        suffixes=(lsuffix, rsuffix),
        sort=sort,
        validate=validate,
        **keys,
        **tuning,
    )


@lowered("frame.join_several", status="gathered",
           meta=lambda first, others, how: frame_meta(pandas_on_samples(_join_several, first, *others, how=how), math.nan, Rows()))  # fmt: skip
def join_several(first: Chunks, others: list[Chunks], how: dict[str, Any]) -> Chunks:
    """Several frames joined by label, in one chunk."""
    return graph.per_chunk(
        _join_several, graph.gather(first), *map(graph.gather, others), how=how, lengths="unknown"
    )


def _join_several(first: Any, *others: Any, how: dict[str, Any]) -> Any:
    return first.join(list(others), **how)
