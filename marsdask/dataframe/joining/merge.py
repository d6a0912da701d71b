"""Rows of frames matched by keys or by labels: what merge and join are asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.dataframe.core import DataFrame, FrameHandle, Series, as_frame, as_method
from marsdask.dataframe.kernels import joins
from marsdask.dataframe.rows.alignment import joint_meta
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, Unbuilt, near
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta
from marsdask.plan.registry import lowered, public

VALIDATE = ("1:1", "1:m", "m:1", "m:m", "one_to_one", "one_to_many", "many_to_one", "many_to_many")
MAY_REPEAT = (None, "m:m", "many_to_many")
"""What asks nothing of the keys."""
HOWS = ("left", "right", "outer", "inner", "cross", "left_anti", "right_anti")
LONE = "\x00marsdask-side"


class MergeError(ArgumentError, pd.errors.MergeError):
    """Arguments of a merge that do not fit each other."""


@dataclass(frozen=True)
class Merge:
    """How rows of two frames are matched: pandas' arguments, keys as lists of names; None where an index is the key."""

    how: str
    on: list[Any] | None
    left_on: list[Any] | None
    right_on: list[Any] | None
    left_index: bool
    right_index: bool
    sort: bool
    suffixes: Any
    indicator: Any
    validate: str | None

    @property
    def by_index(self) -> bool:
        return self.left_index or self.right_index

    @property
    def keys(self) -> tuple[list[Any] | None, list[Any] | None]:
        """The names of each side's keys."""
        return self.on or self.left_on, self.on or self.right_on

    @property
    def shared(self) -> list[Any]:
        """Keys that both sides have by the same name; the result has them once."""
        return [a for a, b in zip(*(names or () for names in self.keys), strict=False) if a == b]

    @property
    def other(self) -> int:
        """The side whose order does not count: 0 is left, 1 right."""
        return 0 if self.flipped else 1

    @property
    def flipped(self) -> bool:
        """Whether the right side's order counts."""
        return self.how in ("right", "right_anti")

    @property
    def checked(self) -> bool:
        """Whether `validate` asks for more than one chunk of the side whose order counts can tell."""
        plain = ("1:m", "one_to_many") if self.flipped else ("m:1", "many_to_one")
        return self.validate not in (*MAY_REPEAT, *plain)

    def of(self, left: Any, right: Any) -> Any:
        """pandas' merge."""
        return pd.merge(left, right, **vars(self))

    def kernel(self, left: Any, right: Any) -> bool:
        """Whether our own kernel gives what pandas' merge of such frames, or of frames of such metadata, gives."""
        if self.how not in ("left", "right", "inner") or self.sort or self.by_index:
            return False
        left_on, right_on = self.keys
        dtypes = None
        if isinstance(left, FrameMeta):
            dtypes = left.made.by_name, right.made.by_name
            left, right = left.shown, right.shown
        return joins.fits(left, right, left_on or (), right_on or (), self.how, dtypes)


@dataclass(frozen=True)
class Tuning:
    """How the sides of a merge may come together: Mars's arguments that have an effect. Rows and their order are the same."""

    method: str
    sift: Any = "auto"
    which: str = "large"
    error_rate: float = 0.1
    max_elements: float = math.inf
    chunks: int = 1


def _tuning(
    method: Any, auto_merge: Any, auto_merge_threshold: Any, bloom_filter: Any, bloom_filter_options: Any
) -> Tuning:
    """Mars's tuning arguments, checked; `auto_merge` has no effect."""
    method = "auto" if method is None else method
    checks.choice(method, "merge(method=)", ("auto", "shuffle", "broadcast"))
    checks.choice(auto_merge, "merge(auto_merge=)", ("both", "none", "before", "after"))
    checks.choice(bloom_filter, "merge(bloom_filter=)", (True, False, "auto", "large", "small", "both"))
    checks.number(auto_merge_threshold, "merge(auto_merge_threshold=)", least=0)
    given = {} if bloom_filter_options is None else bloom_filter_options
    if not isinstance(given, dict):
        raise ArgumentError(f"merge(bloom_filter_options={bloom_filter_options!r}): expected a dict.")
    known = ("max_elements", "error_rate", "apply_chunk_size_threshold", "filter")
    for name in given.keys() - set(known):
        raise ArgumentError(
            f"merge(bloom_filter_options=): {name!r} is none of {', '.join(known)}.{near(str(name), known)}"
        )
    which = given.get("filter", "large")
    checks.choice(which, "merge(bloom_filter_options['filter'])", ("large", "small", "both"))
    rate = given.get("error_rate", 0.1)
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate < 1:
        raise ArgumentError(
            f"merge(bloom_filter_options['error_rate']={rate!r}): expected a number between 0 and 1."
        )
    for name in given.keys() & {"max_elements", "apply_chunk_size_threshold"}:
        checks.number(given[name], f"merge(bloom_filter_options[{name!r}])", least=1)
    if bloom_filter in ("large", "small", "both"):
        bloom_filter, which = True, bloom_filter
    return Tuning(
        str(method), bloom_filter if bloom_filter == "auto" else bool(bloom_filter), which, float(rate),
        given.get("max_elements", math.inf), given.get("apply_chunk_size_threshold", 1),
    )  # fmt: skip


def _side(value: Any, name: str) -> Any:
    """A frame handle; a named series as a frame of one column."""
    value = as_frame(value) if isinstance(value, (pd.DataFrame, pd.Series)) else value
    if isinstance(value, Series):
        if value.name is None:
            raise ArgumentError("Cannot merge a Series without a name")
        return value.to_frame()
    if not isinstance(value, DataFrame):
        raise ArgumentTypeError(
            f"Can only merge Series or DataFrame objects, a {type(value).__name__} was passed as {name}"
        )
    return value


@public("merge")
def merge(left: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
           left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"), copy: Any = None,
           indicator: Any = False, validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
           bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """Matched rows of two frames, in pandas' order under the labels 0..n-1.

    Semantics and errors are those of `pandas.merge`; what follows says it in short, and what is added here.

    Parameters
    ----------
    left, right : DataFrame or named Series
        Of marsdask or pandas. A series is a frame of one column.
    how : {"inner", "left", "right", "outer", "cross", "left_anti", "right_anti"}
        Which rows stay: those with a match, all of one side or of both (holes where there is no match), each row of one
        side beside each of the other, or the rows of one side without a match.
    on : column or list of columns, optional
        The keys, columns (or names of index levels) that both have. By default all columns that both have.
    left_on, right_on : column or list of columns, optional
        The keys of each side where their names differ; as many of one side as of the other. Values that are no columns
        are not taken: assign them first.
    left_index, right_index : bool
        Whether that side's row labels are its key.
    sort : bool
        Whether rows are put in the order of the keys.
    suffixes : pair of str or None
        What is added to the names of columns that both have and that are no keys: of the left, of the right. None adds
        nothing; without any suffix such columns are an error.
    copy
        pandas'; has no effect.
    indicator : bool or str
        Whether a column "_merge" (or of this name) says of each row where it is from: "left_only", "right_only", "both".
    validate : {"1:1", "1:m", "m:1", "m:m"} or in words "one_to_one", ..., optional
        Which side's keys may repeat; checked when it runs.
    method : {"auto", "broadcast", "shuffle"}
        "broadcast" sends one side to every chunk of the other, "shuffle" exchanges both by key, "auto" chooses by size.
        Rows and their order are the same.
    auto_merge, auto_merge_threshold
        Mars's; checked, without effect.
    bloom_filter : {"auto", True, False, "large", "small", "both"}
        Whether, where both sides are exchanged, rows that find no match are left out before, by the hashes of the other
        side's keys: "auto" where one side has at most an eighth of the other's rows and both lengths are known, True always
        (lengths are asked for), a word always and of which side. Rows that show without a match stay.
    bloom_filter_options : dict, optional
        "filter": of which side, "large" (the default), "small" or "both"; "error_rate": which part of the rows without a match
        may pass, 0.1; "max_elements": not by the keys of a side of more rows; "apply_chunk_size_threshold": not of a
        side of fewer chunks.

    Returns
    -------
    DataFrame
        Lazy; its length is known after a run. The columns of both sides, keys of one name once. Rows are in the left side's
        order ("right": the right side's; "outer", `sort=True`: sorted by key), matches of one row in the order of the
        other side. Labels are 0..n-1, or where an index is a key the labels that pandas gives.

    Raises
    ------
    ValueError
        An argument of no known value; keys that do not fit each other (`MergeError`, which is pandas' too); when it
        runs, keys that repeat against `validate`.
    KeyError
        A key that is no column and no name of an index level.
    TypeError
        A side that is no frame and no series.
    NotImplementedError
        Keys that are given as values.
    """
    tuning = _tuning(method, auto_merge, auto_merge_threshold, bloom_filter, bloom_filter_options)
    left, right = _side(left, "left"), _side(right, "right")
    if how not in HOWS:
        known = ", ".join(map(repr, HOWS))
        raise ArgumentError(f"merge(how={how!r}): expected one of {known}.{near(how, HOWS)}")
    for name, keys in (("on", on), ("left_on", left_on), ("right_on", right_on)):
        for key in keys if isinstance(keys, (list, tuple)) else [keys]:
            if isinstance(key, (FrameHandle, pd.Series, np.ndarray, pd.Index)):
                raise Unbuilt.argument("merge", name, key, "assign the values as a column and name that.")
    if not isinstance(left_index, (bool, np.bool_)) or not isinstance(right_index, (bool, np.bool_)):
        raise ArgumentError("left_index and right_index parameters must be of type bool")
    checks.choice(validate, "merge(validate=)", (None, *VALIDATE))
    on, left_on, right_on = _keys(left, right, how, on, left_on, right_on, left_index, right_index)
    suffixes = tuple(suffixes) if isinstance(suffixes, list) else suffixes
    spec = Merge(
        how, on, left_on, right_on, bool(left_index), bool(right_index), bool(sort), suffixes, indicator, validate
    )  # fmt: skip
    if how.endswith("_anti") and not spec.by_index:
        return _anti(left, right, spec, tuning)
    made = registry.make("frame.merge", left, right, spec, tuning)
    return made if spec.by_index else _renumbered(made, left, right, spec)


def _renumbered(made: Any, left: Any, right: Any, spec: Merge) -> Any:
    """A merge under the labels 0..n-1; or under those that were its keys, where levels of one name are."""
    columns = {*left.known.names, *right.known.names}
    return made if any(k not in columns for k in spec.shared) else registry.make("frame.renumber", made)


def _anti(left: Any, right: Any, spec: Merge, tuning: Tuning) -> Any:
    """Rows of one side without a match, under the labels they have in the whole left or right join (as pandas 3 gives)."""
    name = spec.how.removesuffix("_anti")
    shown = spec.indicator if isinstance(spec.indicator, str) else "_merge" if spec.indicator else None
    join = replace(spec, how=name, indicator=shown or LONE)
    made = registry.make("frame.merge", left, right, join, tuning)
    whole = _renumbered(made, left, right, spec)
    own = (right if spec.flipped else left).known.made.by_name
    keys = {key: own[key] for key in spec.shared if key in own}
    return registry.make("frame.unmatched", whole, shown or LONE, f"{name}_only", shown is None, keys)


def _unmatched(chunk: Any, name: str, wanted: str, gone: bool, keys: dict[Any, Any]) -> Any:
    rows = chunk[chunk[name] == wanted]
    rows = rows.drop(columns=name) if gone else rows
    # In the join they have the dtype that both sides' keys have in common.
    other = {key: dtype for key, dtype in keys.items() if rows.dtypes[key] != dtype}
    return rows.astype(other) if other else rows


@lowered("frame.unmatched", meta=lambda frame, *how: frame.fewer(_unmatched(frame.empty, *how)))
def unmatched(frame: Chunks, name: str, wanted: str, gone: bool, keys: dict[Any, Any]) -> Chunks:
    """The rows that only one side of a join has, the keys of which have that side's dtypes."""
    return graph.per_chunk(_unmatched, frame, name, wanted, gone, keys, lengths="unknown")


def _keys(
    left: Any, right: Any, how: str, on: Any, left_on: Any, right_on: Any, left_index: bool, right_index: bool
) -> tuple[Any, Any, Any]:
    """`on`, `left_on` and `right_on` as lists (or None where that side's index is the key), names checked."""
    apart = left_on is not None or right_on is not None
    by_index = left_index or right_index
    if how == "cross":
        if on is not None or apart or by_index:
            raise MergeError("Can not pass on, right_on, left_on or set right_index=True or left_index=True")
        return None, None, None
    if on is not None and (apart or by_index):
        others = '"left_on" and "right_on"' if apart else '"left_index" and "right_index"'
        raise MergeError(f'Can only pass argument "on" OR {others}, not a combination of both.')
    if on is None and not apart and not by_index:
        on = [c for c in left.known.names if c in right.columns]
        if not on:
            raise MergeError(
                "No common columns to perform merge on. Merge options: "
                f"left_on={left_on}, right_on={right_on}, left_index={left_index}, right_index={right_index}"
            )
    on, left_on, right_on = _listed(on, left), _listed(left_on, left), _listed(right_on, right)
    for frame, keys in ((left, on or left_on), (right, on or right_on)):
        names = [*frame.known.names, *(n for n in frame.known.shown.index.names if n is not None)]
        for key in keys or ():
            if key not in names:
                raise ColumnNotFound.among(key, names)
    return on, left_on, right_on


def _listed(keys: Any, frame: Any) -> list[Any] | None:
    if keys is None:
        return None
    several = isinstance(keys, list) or (isinstance(keys, tuple) and keys not in frame.columns)
    return list(keys) if several else [keys]


public(
    "DataFrame.merge",
    owners=["DataFrame"],
    signature=as_method(merge),
    doc="Matched rows of this frame and another: see `md.merge`.",
)(merge)


@public("DataFrame.join", owners=["DataFrame"])
def join(self: Any, other: Any, on: Any = None, how: str = "left", lsuffix: str = "", rsuffix: str = "", sort: bool = False,
          validate: Any = None, method: Any = "auto", auto_merge: str = "both", auto_merge_threshold: int = 8,
          bloom_filter: Any = "auto", bloom_filter_options: Any = None) -> Any:  # fmt: skip
    """This frame with the columns of others beside it, matched by label (or `on` columns against their labels).

    Semantics and errors are those of `pandas.DataFrame.join`; what follows says it in short, and what is added here.

    Parameters
    ----------
    other : DataFrame, named Series, or a list of them
        Matched by its row labels. A list is joined in one chunk, which `options.gather_limit` bounds.
    on : column or list of columns, optional
        Columns of this frame that are matched with the labels of `other`; by default its own labels are. Not with a list.
    how : {"left", "right", "outer", "inner", "cross", "left_anti", "right_anti"}
        Which rows stay, as for `md.merge`: by default all of this frame.
    lsuffix, rsuffix : str
        What is added to the names of columns that both have. Without them such columns are an error. Not with a list.
    sort : bool
        Whether rows are put in the order of the keys.
    validate : str, optional
        Which side's keys may repeat, as for `md.merge`; checked when it runs.
    method, auto_merge, auto_merge_threshold, bloom_filter, bloom_filter_options
        Mars's, as for `md.merge`.

    Returns
    -------
    DataFrame
        Lazy; its length is known after a run. Rows are in this frame's order and keep its labels ("right": those of
        `other`; "outer", `sort=True`: sorted by key).

    Raises
    ------
    ValueError
        Columns of the same name without suffixes, `on` or suffixes with a list, keys that do not fit (`MergeError`).
    KeyError
        A column of `on` that this frame does not have.
    """
    tuning = {"method": method, "auto_merge": auto_merge, "auto_merge_threshold": auto_merge_threshold,
              "bloom_filter": bloom_filter, "bloom_filter_options": bloom_filter_options}  # fmt: skip
    if isinstance(other, (list, tuple)):
        _tuning(**tuning)
        if on is not None:
            raise ArgumentError("Joining multiple DataFrames only supported for joining on index")
        if lsuffix or rsuffix:
            raise ArgumentError("Suffixes not supported when joining multiple DataFrames")
        others = map(as_frame, other)
        return registry.make("frame.join_several", self, *others, how=how, sort=sort, validate=validate)
    by_label = {"right_index": True, "left_index": on is None, "left_on": on}
    keys = {"on": on} if how == "cross" else by_label
    return merge(
        self, other, how, sort=sort, suffixes=(lsuffix, rsuffix), validate=validate, **keys, **tuning
    )


@lowered(
    "frame.join_several",
    status="gathered",
    meta=lambda *frames, **how: joint_meta(partial(_join_several, **how), *frames),
)
def join_several(*frames: Chunks, **how: Any) -> Chunks:
    """Several frames joined by label, in one chunk."""
    return graph.per_chunk(_join_several, *map(graph.gather, frames), **how, lengths="unknown")


def _join_several(first: Any, *others: Any, **how: Any) -> Any:
    return first.join(list(others), **how)
