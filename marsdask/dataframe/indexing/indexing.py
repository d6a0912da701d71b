"""`df[...]`: columns by name, rows by mask or slice."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import FrameHandle, Index, as_frame
from marsdask.dataframe.rows.alignment import matched, together
from marsdask.errors import ArgumentTypeError, ColumnNotFound, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import EVERYTHING, Demand
from marsdask.plan.registry import lowered, public


def looking(**at: Any) -> Callable[[Node, Demand], list[Demand]]:
    """A rule of demands: of the frame what the result's users look at and what `at` says, of other inputs everything."""

    def demands(node: Node, mine: Demand) -> list[Demand]:
        return [replace(mine, **at), *[EVERYTHING] * (len(inputs(node)) - 1)]

    return demands


def called(key: Any, frame: Any) -> Any:
    """A key; what it gives of the frame where it is a function."""
    return key(frame) if callable(key) and not isinstance(key, Handle) else key


def is_all(key: Any) -> bool:
    """Whether a key is `:`."""
    return isinstance(key, slice) and key == slice(None)


def by_place(key: slice) -> bool:
    """Whether the ends of a slice are positions, not labels."""
    return all(v is None or isinstance(v, (int, np.integer)) for v in (key.start, key.stop))


def is_mask(key: Any) -> bool:
    """Whether a key picks rows by truth: a lazy or pandas series, a tensor, an array or a list of booleans."""
    if isinstance(key, list):
        return bool(key) and all(isinstance(v, (bool, np.bool_)) for v in key)
    dtype = getattr(key, "dtype", None)
    if dtype is None or getattr(key, "ndim", 0) == 0:
        return False
    if str(dtype) == "object" and isinstance(key, (pd.Series, np.ndarray)):
        return len(key) > 0 and all(isinstance(v, (bool, np.bool_)) for v in key)
    return str(dtype) in ("bool", "boolean", "bool[pyarrow]")


@public("frame.getitem", room="engine", function=True)
def getitem(frame: Any, key: Any) -> Any:
    """A column, columns, or rows."""
    key = called(key, frame)
    if isinstance(key, pd.DataFrame) or (isinstance(key, FrameHandle) and key.ndim == 2):
        return registry.call(registry.lookup("frame.where"), (frame, as_frame(key)), {})
    if is_mask(key):
        return masked(frame, key)
    if isinstance(frame, Index):
        return _index_item(frame, key)
    if isinstance(key, slice):
        floats = pd.api.types.is_float_dtype(frame.known.empty.index.dtype)
        return frame.iloc[key] if by_place(key) and not floats else frame.loc[key]
    if isinstance(key, Handle):
        key = key.to_numpy()  # labels that only a run can tell
    if frame.ndim == 2:
        return selected(frame, key)
    return frame.loc[key]


def _index_item(index: Any, key: Any) -> Any:
    if isinstance(key, (int, np.integer)):
        return registry.make("frame.cell_at", index, int(key))
    plain = isinstance(key, (Handle, slice))
    return registry.make("frame.rows_at", index, key if plain else np.asarray(key))


def column_key(empty: pd.DataFrame, key: Any) -> Any:
    """`key` as pandas takes it for columns, or ColumnNotFound."""
    if isinstance(key, (pd.Index, np.ndarray, pd.Series)):
        key = list(key)
    for name in key if isinstance(key, list) else [key]:
        try:
            found = name in empty.columns
        except TypeError:
            raise ArgumentTypeError(
                f"df[{name!r}]: expected a column, a list of columns, a mask or a slice, got {type(name).__name__}."
            ) from None
        if not found:
            raise ColumnNotFound.among(name, empty.columns)
    return key


def selected(frame: Any, key: Any) -> Any:
    """A column, or a frame of some columns."""
    return registry.make("frame.select", frame, column_key(frame.known.empty, key))


def masked(frame: Any, mask: Any, *, error: type[Exception] = ShapeError) -> Any:
    """The rows where a mask is true: a series is aligned by label, everything else is by position."""
    if isinstance(mask, (pd.Series, FrameHandle)):
        mask = as_frame(mask)
        if mask.known.kind == "Index":
            mask = registry.make("to_tensor", mask)
        else:
            frame, (mask,), _ = together(frame, [mask], {})
            return registry.make("frame.filter", frame, mask)
    mask = mask_by_place(frame, mask, "Item wrong length {given} instead of {expected}.", error)
    return registry.make("frame.filter", frame, mask)


def mask_by_place(frame: Any, mask: Any, message: str, error: type[Exception]) -> Any:
    """A mask that goes by position as a tensor of the frame's length."""
    tensor = registry.CONVERTERS[registry.Array](mask if isinstance(mask, Handle) else truths(mask))
    checks.same_length(tensor.shape[0], frame.shape[0], message, error)
    return tensor


def truths(mask: Any) -> np.ndarray[Any, Any]:
    """A mask of pandas or of a list as an array; a missing value is false."""
    return pd.array(mask, dtype="boolean").to_numpy(dtype=bool, na_value=False)


def columns_of(node: Node, key: Any) -> frozenset[Any] | None:
    """The columns of a node that a key names; None where that is not plain."""
    columns = meta(node).empty.columns if meta(node).kind == "DataFrame" else None
    if columns is None or isinstance(columns, pd.MultiIndex):
        return None
    return frozenset(key if isinstance(key, list) else [key])


def _select_demands(node: Node, mine: Demand) -> list[Demand]:
    frame, key = node.args
    wanted = columns_of(frame, key)
    if wanted is not None and mine.columns is not None and isinstance(key, list):
        wanted &= mine.columns
    return [Demand(wanted, mine.order, mine.labels)]


def _select_trim(node: Node, mine: Demand) -> Node:
    frame, key = node.args
    if mine.columns is None or not isinstance(key, list) or columns_of(frame, key) is None:
        return node
    kept = [c for c in key if c in mine.columns]
    return node if len(kept) == len(key) else Node("frame.select", (frame, kept))


@lowered("frame.select", demands=_select_demands, trim=_select_trim, traits=["slice"],
           meta=lambda frame, key: frame.same(frame.empty[key]))  # fmt: skip
def select(frame: Chunks, key: Any) -> Chunks:
    """One column as a series, or a list of columns as a frame."""
    return graph.per_chunk(operator.getitem, frame, key)


def _pick_at(chunk: Any, positions: Any) -> Any:
    return chunk.iloc[:, positions]


@lowered("frame.select_at", demands=looking(columns=None), traits=["slice"],
           meta=lambda frame, positions: frame.same(_pick_at(frame.empty, positions)))  # fmt: skip
def select_at(frame: Chunks, positions: Any) -> Chunks:
    """A column, or columns, by position."""
    return graph.per_chunk(_pick_at, frame, positions)


def columns_at(frame: Any, positions: Any) -> Any:
    """Columns by position, by name where names are distinct, so that others need not be read."""
    columns = frame.known.empty.columns
    if not isinstance(columns, pd.MultiIndex) and columns.is_unique:
        one = isinstance(positions, (int, np.integer))
        return registry.make("frame.select", frame, columns[positions] if one else list(columns[positions]))
    return registry.make("frame.select_at", frame, positions)


def _filter_demands(node: Node, mine: Demand) -> list[Demand]:
    return [mine, replace(mine, columns=None)][: len(inputs(node))]


def _filter_trim(node: Node, mine: Demand) -> Node:
    """Columns nobody looks at are dropped before the filter copies the rest."""
    frame, mask = node.args
    kept = columns_seen(frame, mine)
    return node if kept is None else Node("frame.filter", (Node("frame.select", (frame, kept)), mask))


def columns_seen(frame: Node, mine: Demand) -> list[Any] | None:
    """The columns of `frame` that somebody looks at; None where that is all of them."""
    known = meta(frame)
    if mine.columns is None or known.kind != "DataFrame" or not known.empty.columns.is_unique:
        return None
    columns: Sequence[Any] = known.empty.columns
    if isinstance(columns, pd.MultiIndex) or mine.columns >= set(columns):
        return None
    return [c for c in columns if c in mine.columns]


@lowered("frame.filter", demands=_filter_demands, trim=_filter_trim, traits=["filter"],
           meta=lambda frame, mask: frame.fewer())  # fmt: skip
def filter(frame: Chunks, mask: Any) -> Any:
    """The rows where `mask` is true, in their order and under their labels."""
    frame, (mask,), _ = yield from matched(frame, (mask,), {})
    return graph.per_chunk(_keep_rows, frame, mask, lengths="unknown")


def _keep_rows(chunk: Any, mask: Any) -> Any:
    if isinstance(chunk, pd.Index) or isinstance(mask, np.ndarray):
        return chunk[np.asarray(mask)]
    if mask.dtype == object and len(mask) == 0:
        mask = mask.astype(bool)
    return chunk.loc[mask]


def after(chunk: Any, checked: Any) -> Any:
    """A chunk, once a check has passed."""
    return chunk


@public("DataFrame.pop", owners=["DataFrame"])
def pop(self: Any, item: Any) -> Any:
    """A column, which the frame loses."""
    column = selected(self, item)
    del self[item]
    return column
