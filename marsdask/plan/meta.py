"""What is known of a node without running it: shape, dtype, columns, index.

The rule of an operation is a function from metadata to metadata. Where it gives none, the lowering itself is run on
stand-ins under a scheduler that raises, or, for frames, the pandas oracle on a few made-up rows.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import inspect
import math
import operator
import uuid
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import partial
from typing import Any, ClassVar, NoReturn

import dask
import dask.array as da
import numpy as np
import pandas as pd

from marsdask.errors import MarsDaskError, ShapeError, WouldRun, adopt
from marsdask.plan.entries import Op, called, lookup
from marsdask.plan.examples import Example, Formed
from marsdask.plan.holes import is_open, met_of, promised
from marsdask.plan.node import Node, _set, inputs, parts, replace, token, walk

NAN = math.nan


@dataclass(frozen=True, slots=True)
class TensorMeta(Formed):
    """Shape (`nan` where unknown), dtype and memory order of a tensor; of one value of pandas' such as a Timestamp one like it."""

    shape: tuple[float, ...]
    dtype: np.dtype[Any]
    order: str = "C"
    like: Any = field(default=None, compare=False)
    met: Any = field(default=None, repr=False, compare=False)
    kind: ClassVar[str] = "Tensor"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def form(self) -> Hashable:
        rest = tuple(-1 if math.isnan(n) else int(n) for n in self.shape[1:])
        more = () if self.like is None else _form_of(self.like)
        return "tensor", bool(self.shape), rest, self.dtype, more


def _form_of(value: Any) -> Hashable:
    return type(value), getattr(value, "tzinfo", None), getattr(value, "freqstr", None)


def scalar_meta(value: Any) -> TensorMeta:
    """Metadata of one value like this one of pandas'; what NumPy does not have is an object."""
    if isinstance(value, (pd.Timestamp, pd.Timedelta)) and getattr(value, "tz", None) is None:
        kind = "M" if isinstance(value, pd.Timestamp) else "m"
        return TensorMeta((), np.dtype(f"{kind}8[{value.unit}]"), like=value)
    plain = isinstance(value, (np.generic, int, float, complex, bool)) and not isinstance(
        value, (np.str_, np.datetime64)
    )
    return TensorMeta((), np.asarray(value).dtype) if plain else TensorMeta((), np.dtype(object), like=value)


def time_of(value: Any, dtype: np.dtype[Any]) -> Any:
    """A time or span of pandas' as NumPy's, which goes with arrays; anything else as it is."""
    if value is pd.NaT:
        return dtype.type("NaT", np.datetime_data(dtype)[0])
    return value.to_numpy().astype(dtype) if isinstance(value, (pd.Timestamp, pd.Timedelta)) else value


def time_as_pandas(value: Any) -> Any:
    """A time or span of NumPy's or Python's as pandas'; anything else as it is."""
    if isinstance(value, (np.timedelta64, datetime.timedelta)):
        return pd.Timedelta(value)
    return pd.Timestamp(value) if isinstance(value, (np.datetime64, datetime.date)) else value


class Rows:
    """Which rows a frame has: frames with equal `Rows` have the same rows, labels and chunks.

    A source makes its own; an operation that keeps the rows passes them on; a filter makes new ones from what it did.
    """

    def __init__(self, made_by: tuple[Any, ...] | None = None):
        self.made_by = made_by  # the operation and its arguments, where that decides the rows

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Rows) or self.made_by is None or other.made_by is None:
            return self is other
        return self.token == other.token

    def __hash__(self) -> int:
        return id(self) if self.made_by is None else hash(self.token)

    @functools.cached_property
    def token(self) -> str:
        return token(Node("rows", self.made_by or (uuid.uuid4().hex,)))


NEW = Rows()
"""What a metadata rule says of rows that its operation makes in the same way every time: equal nodes, equal rows.

An operation whose chunks depend on sizes (a merge) says `Rows()` instead: its rows equal only themselves.
"""


@dataclass(frozen=True, slots=True)
class FrameMeta(Formed):
    """An example of the right kind, columns, dtypes and names; the length; which rows.

    `ranged`: the labels are 0..n-1. `labels`: the row labels themselves where they are known without a run (data in
    memory, a reduction by column); they say which columns a frame plus a series, or a transposed frame, has.
    `met`: see `holes`.
    """

    made: Example
    length: float
    rows: Rows
    ranged: bool = False
    labels: Any = None
    met: Any = field(default=None, repr=False, compare=False)
    _own: Any = field(default=None, repr=False, compare=False)

    @property
    def empty(self) -> Any:
        """The empty object, which is nobody else's."""
        if self._own is None:
            _set(self, "_own", self.made.own())
        return self._own

    @property
    def shown(self) -> Any:
        """The same where it is only looked at, and goes nowhere."""
        return self.made.value

    @property
    def columns(self) -> pd.Index:
        """The labels of a frame's columns, only to be looked at."""
        return self.made.value.columns

    @property
    def names(self) -> tuple[Any, ...]:
        """The same as a tuple."""
        return self.made.names

    @property
    def dtypes(self) -> tuple[Any, ...]:
        """The dtype of each column, or of the values."""
        return self.made.dtypes

    def dtype_of(self, column: Any) -> Any:
        """The dtype of a column by its label, of which there is one, or of the values."""
        return self.made.dtypes[0] if self.ndim == 1 else self.made.by_name[column]

    @property
    def form(self) -> Hashable | None:
        return self.made.form

    @property
    def kind(self) -> str:
        return self.made.kind

    @property
    def ndim(self) -> int:
        return int(self.shown.ndim)

    @property
    def shape(self) -> tuple[float, ...]:
        columns = (float(len(self.names)),) if self.kind == "DataFrame" else ()
        return (self.length, *columns)

    def same(self, made: Any) -> FrameMeta:
        """Metadata of `made`, any pandas object of the result's kind or an example, on this frame's rows."""
        return frame_meta(made, self.length, self.rows, ranged=self.ranged, labels=self.labels)

    def fewer(self, made: Any = None) -> FrameMeta:
        """Metadata of `made`, else of the frame itself, on rows that only a run can tell."""
        return frame_meta(self.made if made is None else made, math.nan, NEW)


def frame_meta(
    made: Any, length: float, rows: Rows, *, ranged: bool = False, labels: Any = None
) -> FrameMeta:
    """Metadata from any pandas object, whose rows are cut off, or from an example."""
    if type(made) is not Example:
        made = Example(made if isinstance(made, pd.Index) else made.iloc[:0])
    return FrameMeta(made, length, rows, ranged, labels)


def of_dtypes(empty: Any, found: Any) -> Any:
    """An empty pandas object of these dtypes: made anew, as not all can be cast to all."""
    if isinstance(empty, pd.Index):
        return pd.Index([], dtype=found, name=empty.name)
    if isinstance(empty, pd.Series):
        return pd.Series([], empty.index, found, empty.name)
    columns = {i: pd.Series([], empty.index, dtype) for i, dtype in enumerate(found)}
    return pd.DataFrame(columns, index=empty.index).set_axis(empty.columns, axis=1)


@dataclass(frozen=True, slots=True)
class TupleMeta:
    """Several results of one operation; `name` of a namedtuple's fields where it has them."""

    items: tuple[Any, ...]
    fields: tuple[str, ...] = ()
    met: Any = field(default=None, repr=False, compare=False)
    kind: ClassVar[str] = "Tuple"


@dataclass(frozen=True, slots=True)
class ObjectMeta:
    """Something only a run can tell about; `about` is what the handle class wants to know."""

    about: Any = None
    kind: ClassVar[str] = "Object"


def meta(node: Node) -> Any:
    """The metadata of a node, worked out once."""
    if node._meta is None:
        for each in walk([node], _unknown) if _unknown(node) else (node,):
            _set(each, "_meta", _work_out(each))
    return node._meta


def _unknown(node: Node) -> list[Node]:
    return [child for child in inputs(node) if child._meta is None]


_known = operator.attrgetter("_meta")


def _work_out(node: Node) -> Any:
    for child in inputs(node):
        if is_open(child._meta):
            return promised(partial(_told, node, _known), partial(_told, node, _met))
    return _told(node, _known)


def _met(node: Node) -> Any:
    return met_of(node._meta)


def _told(node: Node, known: Callable[[Node], Any]) -> Any:
    """What the rule of a node's operation says where that is known of its inputs."""
    op = lookup(node.op)
    args, kwargs = replace(node.args, known), replace(node.kwargs, known)
    try:
        found = from_stand_ins(op, args, kwargs) if op.meta is None else op.meta(*args, **kwargs)
        if isinstance(found, FrameMeta) and found.rows is NEW:
            rows = Rows((node.op, node.args, node.kwargs))
            met = None if found.met is None else replaced(found.met, rows=rows)
            found = FrameMeta(found.made, found.length, rows, found.ranged, found.labels, met)
        return found
    except MarsDaskError:
        raise
    except Exception as error:
        raise adopt(error, called(node)) from error


# Two sets of made-up lengths for unknown ones: what differs between the two is unknown in the result, what is equal is
# known. Both divide well, so that reshape(-1, 2) and the like work on them.
PLACEHOLDERS = (5040, 10080)


def from_stand_ins(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Metadata by running the lowering on arrays that hold nothing."""
    if op.lower is None or inspect.isgeneratorfunction(op.lower):
        raise ShapeError(f"operation {op.name!r} asks questions and so needs a metadata rule")
    metas = parts((args, kwargs), TensorMeta)
    unknown = any(math.isnan(n) for m in metas for n in m.shape)
    order = "F" if metas and all(m.order == "F" for m in metas) else "C"
    found = []
    for placeholder in PLACEHOLDERS if unknown else (0,):
        given = replace((args, kwargs), functools.partial(stand_in, placeholder=placeholder), TensorMeta)
        with nothing_runs():
            found.append(op.lower(*given[0], **given[1]))
    first, last = found[0], found[-1]
    if isinstance(first, (tuple, list)):
        items = tuple(_array_meta(a, b, order) for a, b in zip(first, last, strict=True))
        return TupleMeta(items, getattr(first, "_fields", ()))
    return _array_meta(first, last, order)


def _array_meta(first: Any, last: Any, order: str) -> TensorMeta:
    shape = tuple(a if a == b else NAN for a, b in zip(first.shape, last.shape, strict=True))
    return TensorMeta(shape, np.dtype(first.dtype), order)


def stand_in(known: TensorMeta, placeholder: int) -> da.Array:
    """A one-chunk dask array of that shape and dtype whose data do not exist."""
    shape = tuple(placeholder if math.isnan(n) else int(n) for n in known.shape)
    name = f"stand-in-{shape}-{known.dtype}"  # Dask takes arrays of one name for the same
    key = (name, *(0 for _ in shape))
    return da.Array({key: None}, name, tuple((n,) for n in shape), dtype=known.dtype)


def raising_scheduler(dsk: Any, keys: Any, **kwargs: Any) -> NoReturn:
    """A Dask scheduler that runs nothing."""
    raise WouldRun("metadata must not run anything, but a computation was started")


def nothing_runs() -> contextlib.AbstractContextManager[Any]:
    """Inside the block every Dask computation raises WouldRun."""
    return dask.config.set(scheduler=raising_scheduler)


def sample(empty: Any, rows: int = 2, thing: Any = "a") -> Any:
    """A few made-up rows of the same kind, columns and dtypes as an empty pandas object; among objects, `thing`."""
    if isinstance(empty, pd.Index):
        return _sample_index(empty, rows, thing)
    index = _sample_index(empty.index, rows, thing)
    if isinstance(empty, pd.Series):
        return pd.Series(_sample_values(empty.dtype, rows, thing), index=index, name=empty.name)
    data = {i: _sample_values(dtype, rows, thing) for i, dtype in enumerate(empty.dtypes)}
    return pd.DataFrame(data, index=index).set_axis(empty.columns, axis=1)


def _sample_index(index: pd.Index, rows: int, thing: Any) -> pd.Index:
    if isinstance(index, pd.RangeIndex):
        return pd.RangeIndex(rows, name=index.name)
    if isinstance(index, pd.MultiIndex):
        arrays = [_sample_values(level.dtype, rows, thing) for level in index.levels]
        return pd.MultiIndex.from_arrays(arrays, names=index.names)
    return pd.Index(_sample_values(index.dtype, rows, thing), name=index.name)


def _sample_values(dtype: Any, rows: int, thing: Any) -> Any:
    if isinstance(dtype, pd.CategoricalDtype):  # whose hash reads all its categories
        codes = np.zeros(rows, dtype="i1") if len(dtype.categories) else np.full(rows, -1)
        return pd.Categorical.from_codes(codes, dtype=dtype)
    return _made_up(dtype, rows, thing)  # pandas' constructors copy it


@functools.lru_cache(maxsize=256, typed=True)
def _made_up(dtype: Any, rows: int, thing: Any) -> Any:
    kind = getattr(dtype, "kind", "")
    if isinstance(dtype, pd.DatetimeTZDtype) or kind == "M":
        days = pd.to_datetime(["2000-01-01"] * rows).tz_localize(getattr(dtype, "tz", None))
        return pd.array(days, dtype=dtype)
    if kind == "m":
        return pd.array(pd.to_timedelta(["1D"] * rows), dtype=dtype)
    if isinstance(dtype, pd.PeriodDtype):
        return pd.array(["2000-01-01"] * rows, dtype=dtype)
    if isinstance(dtype, pd.IntervalDtype):
        ends = _made_up(dtype.subtype, rows, thing)
        return pd.arrays.IntervalArray.from_arrays(ends, ends, dtype.closed)
    if dtype == np.dtype(object):
        return pd.Index([thing] * rows, dtype=object)  # of an array pandas' constructors would make text
    if isinstance(dtype, pd.StringDtype) or kind == "O":
        return pd.array(["a"] * rows, dtype=dtype)
    return pd.array(np.ones(rows, dtype="i8"), dtype="Int64").astype(dtype)
