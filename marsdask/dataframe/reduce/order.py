"""Facts about rows as a whole: monotonic, unique; transposed frames and dot products."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, Index, Series, Values, as_frame
from marsdask.dataframe.reduce.reduction import column
from marsdask.dataframe.rows.alignment import as_promised, pandas_on_samples
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


def _join_ends(decreasing: bool, strict: bool, parts: list[Any], *, end: bool = False) -> Any:
    """The same of several chunks; at the `end` whether all are in order."""
    ends, ordered = _ends(graph.concat([p[0] for p in parts]), decreasing, strict)
    ordered = ordered and all(p[1] for p in parts)
    return np.bool_(ordered) if end else (ends, ordered)


@lowered(
    "frame.in_order",
    meta=lambda frame, decreasing, strict: BOOL,
    demands=lambda node, mine: [Demand(None, True, False)],
)
def monotonic(frame: Chunks, decreasing: bool, strict: bool) -> Any:
    """Whether values are in order from the first row to the last."""
    parts = graph.per_chunk(_ends, frame, decreasing, strict, lengths=None)
    join = partial(_join_ends, decreasing, strict)
    return as_promised(graph.tree(parts, join, partial(join, end=True)))


@public("frame.check_monotonic", owners=["Series", "Index"])
def check_monotonic(self: Any, decreasing: bool = False, strict: bool = False) -> Any:
    """Whether values rise (fall, with `decreasing`) from row to row, `strict`ly or not: a tensor of no dimension."""
    return registry.make("frame.in_order", self, bool(decreasing), bool(strict))


RISING = "Whether no value is below the one before: a lazy bool."
UNIQUE = "Whether no value occurs twice: a lazy bool."
for _name, _does, _doc in (
    ("is_monotonic", check_monotonic, RISING),
    ("is_monotonic_increasing", check_monotonic, RISING),
    ("is_monotonic_decreasing", partial(check_monotonic, decreasing=True), RISING.replace("below", "above")),
    ("is_unique", lambda self: ~self.duplicated(keep=False).any(), UNIQUE),
    ("hasnans", lambda self: self.isna().any(), "Whether there are holes: a lazy bool."),
):
    setattr(Values, _name, property(_does, doc=_doc))
Index.has_duplicates = property(  # type: ignore[attr-defined]
    lambda self: ~self.is_unique, doc="Whether some value occurs twice: a lazy bool."
)


@lowered(
    "frame.transposed",
    status="gathered",
    meta=lambda frame, labels: frame_meta(
        sample(frame.empty, len(labels)).set_axis(labels).T,
        len(frame.empty.columns),
        NEW,
        labels=frame.empty.columns,
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


FrameHandle.T = property(transpose)  # type: ignore[attr-defined]


def _dot_meta(frame: FrameMeta, other: Any) -> Any:
    if isinstance(other, FrameMeta):
        labels = frame.empty.columns
        right = sample(other.empty, len(labels)).set_axis(labels)
    else:
        right = np.ones([int(n) for n in other.shape], other.dtype)
    return frame.same(pandas_on_samples(operator.matmul, frame, right))


def _whole(other: Any) -> Any:
    return graph.gather(other) if isinstance(other, Chunks) else graph.rechunked(other, -1)


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
        dtype = np.result_type(frame.empty.dtype, getattr(other, "empty", other).dtype)
        return TensorMeta(other.shape[1:], dtype)
    result = pandas_on_samples(operator.matmul, frame, other)
    return frame_meta(result, len(result), NEW, labels=result.index)


@lowered("frame.dotted_whole", status="gathered", meta=_whole_dot_meta)
def dotted_whole(frame: Chunks, other: Any) -> Any:
    """A series times a series or frame of the same labels, or an array."""
    made = graph.per_chunk(operator.matmul, graph.gather(frame), _whole(other), lengths=None)
    known = graph.promised()
    if isinstance(known, TensorMeta) and known.shape:
        return graph.to_array(made.with_lengths(known.shape), dtype=known.dtype)
    return as_promised(made)


def _columns_dot_meta(frame: FrameMeta, other: TensorMeta) -> FrameMeta:
    made = pandas_on_samples(_after, frame, TensorMeta((*other.shape[:-1], 2.0), other.dtype))
    if other.ndim == 1:
        return frame_meta(made, len(made), NEW, labels=made.index)
    return frame_meta(made, other.shape[0], NEW, ranged=True)


def _after(frame: pd.DataFrame, matrix: Any) -> Any:
    return matrix @ frame


@lowered("frame.dotted_after", status="gathered", meta=_columns_dot_meta)
def dotted_after(frame: Chunks, other: Any) -> Chunks:
    """A vector or matrix times the columns, whole."""
    made = graph.per_chunk(_after, graph.gather(frame), _whole(other), lengths=None)
    return made.with_lengths((graph.promised().length,))


@public("frame.dot", owners=["DataFrame", "Series"])
def dot(self: Any, other: Any) -> Any:
    """The matrix product; rows stay where they are, the other operand is given whole to every chunk."""
    other = _factor(other)
    if self.ndim == 1:
        return registry.make("frame.dotted_whole", self, other)
    message = "dot(): matrices are not aligned: {expected} columns and {given} rows."
    checks.same_length(other.known.shape[0], len(self.columns), message)
    labels = getattr(other.known, "labels", None)
    if labels is not None and set(labels) != set(self.columns):
        raise ShapeError("dot(): matrices are not aligned: the columns and the other's labels differ.")
    return registry.make("frame.dotted", self, other)


def _factor(other: Any) -> Any:
    if isinstance(other, (pd.Series, pd.DataFrame)):
        return as_frame(other)
    if isinstance(other, (list, tuple, np.ndarray)):
        return registry.CONVERTERS[registry.Array](np.asarray(other))
    if not isinstance(other, Handle):
        raise ArgumentTypeError(f"unsupported type: {type(other)}")
    return other


def _rdot(self: Any, other: Any) -> Any:
    """The matrix product of another operand with this one: a frame of pandas on the left is a lazy one."""
    other = _factor(other)
    if isinstance(other, FrameHandle):
        return dot(other, self)
    if not other.ndim or other.ndim > 2:
        raise ShapeError(f"matmul: expected a vector or a matrix, got {other.ndim} dimensions.")
    message = "matmul: matrices are not aligned: {expected} rows and {given} columns."
    checks.same_length(other.shape[-1], self.known.length, message)
    if self.ndim == 1:
        return registry.make("frame.dotted_whole", self, other.T)
    return registry.make("frame.dotted_after", self, other)


for _kind in (DataFrame, Series):
    _kind.__matmul__, _kind.__rmatmul__ = dot, _rdot  # type: ignore[attr-defined]
