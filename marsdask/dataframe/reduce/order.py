"""Facts about rows as a whole: monotonic, unique; transposed frames and dot products."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series, as_frame
from marsdask.dataframe.reduce.reduction import column
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.errors import ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NEW, FrameMeta, TensorMeta, frame_meta, sample
from marsdask.plan.node import inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public

BOOL = TensorMeta((), np.dtype(bool))


def _ends(chunk: Any, decreasing: bool, strict: bool) -> tuple[pd.Series, bool]:
    """The first and the last value, and whether all are in order."""
    values = column(chunk, 0)
    index = pd.Index(values)
    ordered = index.is_monotonic_decreasing if decreasing else index.is_monotonic_increasing
    ordered = ordered and not values.isna().any() and (not strict or index.is_unique)
    return values.iloc[[0, -1][: len(values)]], bool(ordered)


def _join_ends(decreasing: bool, strict: bool, parts: list[Any]) -> tuple[pd.Series, bool]:
    ends, ordered = _ends(graph.concat([p[0] for p in parts]), decreasing, strict)
    return ends, ordered and all(p[1] for p in parts)


def _in_order(join: Any, parts: list[Any]) -> Any:
    return np.bool_(join(parts)[1])


@lowered(
    "frame.in_order",
    meta=lambda frame, decreasing, strict: BOOL,
    demands=lambda node, mine: [Demand(None, True, False)],
)
def monotonic(frame: Chunks, decreasing: bool, strict: bool) -> Any:
    """Whether values are in order from the first row to the last."""
    parts = graph.per_chunk(_ends, frame, decreasing, strict, lengths=None)
    join = partial(_join_ends, decreasing, strict)
    return graph.to_array(graph.tree(parts, join, partial(_in_order, join)), scalar=True, dtype=bool)


def _distinct(chunk: Any) -> Any:
    """The values, or None where one occurs twice."""
    values = column(chunk, 0)
    return None if values.duplicated().any() else values


def _join_distinct(parts: list[Any], *, end: bool = False) -> Any:
    """The values of several chunks, at the `end` whether there are any such; None where one occurs twice."""
    found = None if any(p is None for p in parts) else _distinct(graph.concat(parts))
    return np.bool_(found is not None) if end else found


@lowered("frame.all_distinct", meta=lambda frame: BOOL, traits=["blind"])
def all_distinct(frame: Chunks) -> Any:
    """Whether no value occurs twice."""
    parts = graph.per_chunk(_distinct, frame, lengths=None)
    return graph.to_array(
        graph.tree(parts, _join_distinct, partial(_join_distinct, end=True)), scalar=True, dtype=bool
    )


@public("frame.check_monotonic", owners=["Series", "Index"])
def check_monotonic(self: Any, decreasing: bool = False, strict: bool = False) -> Any:
    """Whether values rise (fall, with `decreasing`) from row to row, `strict`ly or not: a tensor of no dimension."""
    return registry.make("frame.in_order", self, bool(decreasing), bool(strict))


def _unique(self: Any) -> Any:
    """Whether no value occurs twice: a lazy bool."""
    return registry.make("frame.all_distinct", self)


for _kind in (Series, Index):
    _kind.is_monotonic = _kind.is_monotonic_increasing = property(  # type: ignore[attr-defined]
        check_monotonic, doc="Whether no value is below the one before: a lazy bool."
    )
    _kind.is_monotonic_decreasing = property(  # type: ignore[attr-defined]
        partial(check_monotonic, decreasing=True),
        doc="Whether no value is above the one before: a lazy bool.",
    )
    _kind.is_unique = property(_unique)  # type: ignore[attr-defined]
    _kind.hasnans = property(  # type: ignore[attr-defined]
        lambda self: registry.make("frame.any", registry.make("frame.isna", self)),
        doc="Whether there are holes: a lazy bool.",
    )
Index.has_duplicates = property(  # type: ignore[attr-defined]
    lambda self: ~_unique(self), doc="Whether some value occurs twice: a lazy bool."
)


def _samples(empty: Any, labels: pd.Index) -> Any:
    """Made-up rows, one for each of some labels."""
    return pd.concat([sample(empty)] * (len(labels) // 2 + 1)).iloc[: len(labels)].set_axis(labels, axis=0)


@lowered(
    "frame.transposed",
    status="gathered",
    meta=lambda frame, labels: frame_meta(
        _samples(frame.empty, labels).T, len(frame.empty.columns), NEW, labels=frame.empty.columns
    ),
)
def transposed(frame: Chunks, labels: pd.Index) -> Chunks:
    """Rows as columns, in one chunk."""
    lengths = (float(len(frame.empty.columns)),)
    return graph.per_chunk(operator.attrgetter("T"), graph.gather(frame), lengths=lengths)


@public("frame.transpose", owners=["DataFrame", "Series"], status="gathered")
def transpose(self: Any, copy: Any = None) -> Any:
    """Rows as columns. Row labels become column names: where only a run can tell them, it runs."""
    if self.ndim == 1:
        return self
    known = self.known.labels  # the columns of the result: where there are none only a run can tell
    return registry.make("frame.transposed", self, self.index.to_pandas() if known is None else known)


for _kind in (DataFrame, Series, Index):  # type: ignore[assignment]
    _kind.T = property(transpose if _kind is not Index else lambda self: self)  # type: ignore[attr-defined]


def _dot_meta(frame: FrameMeta, other: Any) -> Any:
    if isinstance(other, FrameMeta):
        right = _samples(other.empty, frame.empty.columns)
    else:
        right = np.ones([int(n) for n in other.shape], other.dtype)
    return frame.same(pandas_on_samples(operator.matmul, frame, right))


def _whole(other: Any) -> Any:
    return graph.gather(other) if isinstance(other, Chunks) else other.rechunk(-1)


@lowered(
    "frame.dotted",
    meta=_dot_meta,
    demands=lambda node, mine: [Demand(None, mine.order, mine.labels), EVERYTHING][: len(inputs(node))],
)
def dotted(frame: Chunks, other: Any) -> Chunks:
    """Each row times a matrix or vector, which every chunk gets whole."""
    return graph.per_chunk(operator.matmul, frame, _whole(other))


def _whole_dot_meta(frame: FrameMeta, other: Any) -> Any:
    if not isinstance(other, FrameMeta) or other.ndim == 1:
        return TensorMeta((), _dot_dtype(frame, other))
    result = pandas_on_samples(operator.matmul, frame, other)
    return frame_meta(result, len(result), NEW, labels=result.index)


def _dot_dtype(frame: Any, other: Any) -> Any:
    return np.result_type(frame.empty.dtype, getattr(other, "empty", other).dtype)


@lowered("frame.dotted_whole", status="gathered", meta=_whole_dot_meta)
def dotted_whole(frame: Chunks, other: Any) -> Any:
    """A series times a series or frame of the same labels."""
    done = graph.per_chunk(operator.matmul, graph.gather(frame), _whole(other), lengths=None)
    if isinstance(other, Chunks) and other.empty.ndim == 2:
        return done.with_lengths((float(len(other.empty.columns)),))
    return graph.to_array(done, scalar=True, dtype=_dot_dtype(frame, other))


@public("frame.dot", owners=["DataFrame", "Series"])
def dot(self: Any, other: Any) -> Any:
    """The matrix product; rows stay where they are, the other operand is given whole to every chunk."""
    if isinstance(other, (pd.Series, pd.DataFrame)):
        other = as_frame(other)
    elif isinstance(other, (list, np.ndarray)):
        other = registry.CONVERTERS[registry.Array](np.asarray(other))
    if not isinstance(other, Handle):
        raise ArgumentTypeError(f"unsupported type: {type(other)}")
    if self.ndim == 1:
        return registry.make("frame.dotted_whole", self, other)
    inner = other.known.length if isinstance(other, FrameHandle) else other.known.shape[0]
    if not math.isnan(inner) and inner != len(self.columns):
        raise ShapeError(
            f"dot(): matrices are not aligned: {len(self.columns)} columns and {int(inner)} rows."
        )
    labels = getattr(other.known, "labels", None)
    if labels is not None and set(labels) != set(self.columns):
        raise ShapeError("dot(): matrices are not aligned: the columns and the other's labels differ.")
    return registry.make("frame.dotted", self, other)


DataFrame.__matmul__ = Series.__matmul__ = dot  # type: ignore[attr-defined]
