"""GroupBy: what rows are grouped by, the object between a frame and what is made of its groups, and its methods by table.

To add a method of pandas, name it in the table of what it gives; its signature, checks and metadata are pandas'.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from pandas.api.typing import DataFrameGroupBy as PandasFrames
from pandas.api.typing import SeriesGroupBy as PandasSeries

from marsdask import checks
from marsdask import session as sessions
from marsdask.dataframe.core import local
from marsdask.dataframe.groupby.keys import are_values, items, names_column
from marsdask.dataframe.rows import undecided
from marsdask.dataframe.rows.families import described, inferred, leaves_open
from marsdask.errors import ArgumentError, ArgumentTypeError, UnknownName
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import FrameMeta
from marsdask.plan.offered import Offered
from marsdask.plan.registry import public

NAMED = frozenset(["name", "column"])
"""Kinds of keys that are columns of the frame, or row labels, by name."""


@dataclass(frozen=True)
class Grouping:
    """The keys and the flags of a groupby, and the columns that are selected. Keys that are data travel beside it.

    `by` has pairs ("name", label), ("column", label) of what is a column whatever labels are called, ("key", i) for the i-th
    key beside it, ("call", function), ("map", dict) and ("grouper", Grouper); None where `level` says it. `lone`: `by` was no list.
    `select`: None, a label or a list of labels. `grouper`: a Grouper that says the one column, and what `sort` and `dropna` were
    beside it: pandas looks at these in places, and else at its own.
    """

    by: tuple[tuple[str, Any], ...] | None
    level: Any
    lone: bool
    as_index: bool
    sort: bool
    group_keys: bool
    observed: bool
    dropna: bool
    select: Any = None
    grouper: tuple[pd.Grouper, bool, bool] | None = None

    @property
    def count(self) -> int:
        """How many keys there are."""
        return len(self.by if self.by is not None else self._levels)

    @property
    def _levels(self) -> list[Any]:
        return list(self.level) if isinstance(self.level, (list, tuple)) else [self.level]

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.by or ()]

    @property
    def by_name(self) -> bool:
        """Whether every key is a column or row labels, said by name."""
        return self.by is not None and NAMED.issuperset(self.kinds)

    @property
    def selected(self) -> list[Any] | None:
        """The selected labels as a list; None where nothing is selected."""
        return self.select if self.select is None or isinstance(self.select, list) else [self.select]

    def columns(self, empty: Any) -> list[Any]:
        """The columns of a frame among the keys."""
        there = getattr(empty, "columns", ())
        return [v for kind, v in self.by or () if kind == "column" or (kind == "name" and v in there)]

    def looks_at_labels(self, empty: Any) -> bool:
        """Whether keys are made from row labels."""
        made = {"call", "map", "grouper"}.intersection(self.kinds)
        return self.by is None or bool(made) or len(self.columns(empty)) < self.kinds.count("name")

    def needs_one_chunk(self, empty: Any) -> bool:
        """Whether only pandas itself on all rows answers right: bins of time, keys of no name as columns, doubled names."""
        strange = empty.ndim == 2 and not empty.columns.is_unique
        return strange or "grouper" in self.kinds or (not self.as_index and bool({*self.kinds} - NAMED))

    def of(self, frame: Any, keys: Sequence[Any], **changed: Any) -> Any:
        """The pandas groupby of a chunk."""
        if changed:
            return replace(self, grouper=None, **changed).of(frame, keys)
        of_kind = {"key": lambda i: _apart(keys[i]), "column": lambda label: frame[label]}
        every = [of_kind[kind](v) if kind in of_kind else v for kind, v in self.by or ()]
        by: Any = every[0] if self.lone else every or None
        flags = {name: getattr(self, name) for name in ("sort", "group_keys", "observed", "dropna")}
        if frame.ndim == 2:
            flags["as_index"] = self.as_index
        if self.grouper is not None:
            by, flags["sort"], flags["dropna"] = self.grouper
        made = frame.groupby(by, level=self.level, **flags)
        return made if self.select is None else made[self.select]

    def values(self, frame: Any, keys: Sequence[Any]) -> list[Any]:
        """The keys of a chunk as arrays."""
        index, columns = frame.index, self.columns(frame)
        found: list[Any] = []
        for kind, v in self.by or [("name", level) for level in self._levels]:
            if kind == "key":
                found.append(keys[v])
            elif kind in NAMED:
                found.append(frame[v] if v in columns else index.get_level_values(v))
            else:
                found.append(flat(index.map(v if kind == "call" else v.get)))
        return found

    def plain_values(self, frame: Any, keys: Sequence[Any]) -> list[pd.Series]:
        """The keys of a chunk as series under the labels 0..n-1."""
        return [pd.Series(v).reset_index(drop=True) for v in self.values(frame, keys)]

    def dtypes(self, known: FrameMeta, keys: Sequence[Any]) -> list[Any]:
        """The dtypes of keys that are frames' columns, labels or series."""
        # Of what is made of labels only a run tells the dtype.
        found = [
            np.dtype(object) if k.node is None else k.meta.shown.dtype for k in keys if isinstance(k, Chunks)
        ]
        names = self._levels if self.by is None else [v for kind, v in self.by if kind in NAMED]
        columns = self.columns(known)
        labels = known.shown.index
        return found + [
            known.dtype_of(v) if v in columns else labels.get_level_values(v).dtype for v in names
        ]


def flat(key: pd.Index) -> pd.Index:
    """A key made of row labels: tuples are values."""
    return key.to_flat_index() if isinstance(key, pd.MultiIndex) else key


def _apart(key: Any) -> Any:
    """A key in memory that pandas does not take for a column's: which keys are columns was decided for all chunks."""
    if not isinstance(key, pd.Series):
        return key
    return pd.Series(key.array, index=key.index, name=key.name, copy=False)


@dataclass(frozen=True)
class Method:
    """A method of pandas' groupby with its arguments."""

    name: str
    args: list[Any]
    kwargs: dict[str, Any]

    @property
    def calls(self) -> bool:
        """Whether functions of users may see rows."""
        given = [*self.args, *self.kwargs.values()]
        inner = [
            each
            for v in given
            for each in (v.values() if isinstance(v, dict) else v if isinstance(v, (list, tuple)) else [v])
        ]
        return any(map(callable, inner))

    def of(self, frame: Any, *keys: Any, spec: Grouping) -> Any:
        """What pandas gives of a frame's groups."""
        if self.calls:
            frame = graph.owned(frame)
        group = spec.of(frame, keys)
        if self.name == "fillna":
            return group.transform(lambda part: part.fillna(*self.args, **self.kwargs))
        result = getattr(group, self.name)(*self.args, **self.kwargs)
        if "mean" not in (self.name, *self.args[:1]) or result.ndim > frame.ndim:
            return result
        if frame.ndim == 1:
            return as_narrow(result, [frame.dtype])
        labels = [result.name] if result.ndim == 1 else list(result.columns)
        return as_narrow(result, [frame.dtypes.get(label) for label in labels])


def as_narrow(result: Any, dtypes: Sequence[Any]) -> Any:
    """Means of float32 as float32: pandas 3.1 widens those of columns without holes only. `dtypes` are the columns' own."""
    if result.ndim == 1:
        return result.astype("f4") if result.dtype == np.float64 and dtypes[0] == np.float32 else result
    for i, (made, dtype) in enumerate(zip(result.dtypes, dtypes, strict=True)):
        if made == np.float64 and dtype == np.float32:
            result.isetitem(i, result.iloc[:, i].astype("f4"))
    return result


class GroupBy(Offered):
    """Groups of a frame's rows, lazily. Select columns with `[...]`, then call a method."""

    __slots__ = ("_frame", "_keys", "_spec")
    _inside = frozenset(["kind"])
    kind: ClassVar[str] = "GroupBy"

    def __init__(self, frame: Any, spec: Grouping, keys: Sequence[Any]):
        self._frame, self._spec, self._keys = frame, spec, list(keys)

    def __repr__(self) -> str:
        by = self._spec.by and list(self._spec.by)
        return f"{type(self).__name__} <by={by or self._spec.level!r}>"

    def _selected(self, key: Any) -> GroupBy:
        checks.columns(key if isinstance(key, list) else [key], self._frame)
        if self._spec.select is not None:
            raise IndexError(f"Column(s) {self._spec.select} already selected")
        kind = DataFrameGroupBy if isinstance(key, list) or not self._spec.as_index else SeriesGroupBy
        return kind(self._frame, replace(self._spec, select=key), self._keys)

    def execute(self, session: Any = None, **kwargs: Any) -> Any:
        """Run the frame and the keys in one run, and return self; `wait=False` returns an ExecutionInfo."""
        done = sessions.execute(self._frame, *self._keys, session=session, **kwargs)
        return self if kwargs.get("wait", True) else done

    def fetch(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby of the executed frame."""
        keys = [k.fetch(session=session) for k in self._keys]
        return self._spec.of(self._frame.fetch(session=session, **kwargs), keys)

    def to_pandas(self, session: Any = None, **kwargs: Any) -> Any:
        """pandas' groupby, run first if needed."""
        return self.execute(session=session).fetch(session=session, **kwargs)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`."""
        if isinstance(func, tuple):
            func, name = func
            return func(*args, **{name: self, **kwargs})
        return func(self, *args, **kwargs)

    @property
    def ndim(self) -> int:
        return 2 if isinstance(self, DataFrameGroupBy) else 1

    def __len__(self) -> int:
        return len(self.size()._run_and_fetch())

    ngroups = property(__len__)

    @property
    def groups(self) -> Any:
        """Group name -> row labels; runs the frame."""
        return self.to_pandas().groups

    @property
    def plot(self) -> Any:
        """pandas' plots of each group; runs the frame."""
        return self.to_pandas().plot

    @property
    def indices(self) -> Any:
        """Group name -> row positions; runs the frame."""
        return self.to_pandas().indices

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """(name, the group's rows as a lazy frame) of every group; asks which groups there are."""
        every = DataFrameGroupBy(self._frame, replace(self._spec, as_index=True, select=None), self._keys)
        names = every.size()._run_and_fetch().index
        one = not self._spec.lone and self._spec.by is not None and names.nlevels == 1
        for name in names:
            wanted = (name,) if one else name
            yield wanted, self.get_group(wanted)

    def __getattr__(self, name: str) -> Any:
        raise UnknownName.among(type(self).__name__, name, dir(type(self)))


class DataFrameGroupBy(GroupBy):
    """Groups of a DataFrame's rows."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        label = isinstance(key, tuple) and key in self._frame.columns
        several = isinstance(key, (pd.Index, np.ndarray, tuple)) and not label
        return self._selected(list(key) if several else key)

    def __getattr__(self, name: str) -> Any:
        plain = not (name.startswith("__") or hasattr(type(self), name))
        if plain and self._frame.ndim == 2 and name in self._frame.columns:
            return self[name]
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *filter(str.isidentifier, self._ipython_key_completions_())})

    def _ipython_key_completions_(self) -> list[str]:
        """What a prompt offers after `groups["`: the names of columns."""
        return self._frame._ipython_key_completions_()  # type: ignore[no-any-return]

    @property
    def dtypes(self) -> Any:
        return self._frame.dtypes


class SeriesGroupBy(GroupBy):
    """Groups of a Series' rows."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        select = self._spec.select
        return self._frame.dtype if select is None else self._frame.dtypes[select]

    @property
    def name(self) -> Any:
        return self._frame.name if self._spec.select is None else self._spec.select


@public(
    "groupby",
    owners=("DataFrame", "Series"),
    function=False,
    differs="a copy of a column, as a key, is that column",
)
def groupby(self: Any, by: Any = None, level: Any = None, as_index: bool = True, sort: bool = True,
            group_keys: bool = True, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
    """Groups of rows with equal keys: a lazy `GroupBy`."""
    flags = {
        "as_index": as_index,
        "sort": sort,
        "group_keys": group_keys,
        "observed": observed,
        "dropna": dropna,
    }
    for name, flag in flags.items():
        if not isinstance(flag, (bool, np.bool_)):
            raise ArgumentError(f"{checks.given(f'groupby({name}=)', flag)}: expected True or False.")
    grouper = None
    if names_column(by):
        grouper, flags = (by, sort, dropna), flags | {"sort": by.sort, "dropna": by.dropna}
    if by is None and level is None:
        raise ArgumentTypeError("You have to supply one of 'by' and 'level'")
    if not as_index and self.ndim == 1:
        raise ArgumentTypeError("as_index=False only valid with DataFrame")
    frame = registry.wrap(self.node, held(self))
    keys: list[Any] = []
    found, lone = None, False
    if by is None:
        index = frame.known.shown.index
        for each in level if isinstance(level, (list, tuple)) else [level]:
            index._validate_index_level(each) if index.nlevels == 1 else index._get_level_number(each)
    else:
        lone = not isinstance(by, list) or are_values(frame, by)
        frame, found, keys = items(frame, [by] if lone else by)
        if not found:
            raise ArgumentError("No group keys passed!")
    spec = Grouping(found, level, lone, **{k: bool(v) for k, v in flags.items()}, grouper=grouper)
    return (DataFrameGroupBy if self.ndim == 2 else SeriesGroupBy)(frame, spec, keys)


def _made(op: str, group: GroupBy, name: str, args: Any, kwargs: Any, *like: Any, **tuning: Any) -> Any:
    """The handle of a method of groups."""
    of = group._frame, group._spec, group._keys
    return registry.make(op, *of, name, list(args), dict(kwargs), *like, **tuning)


OWNERS = ("DataFrameGroupBy", "SeriesGroupBy")
REDUCED = (
    "sum", "mean", "count", "size", "min", "max", "prod", "first", "last", "any", "all", "std", "var", "sem", "median", "quantile",
    "nunique", "skew", "kurt", "idxmax", "idxmin", "describe", "value_counts", "corr", "cov", "nlargest", "nsmallest", "unique", "ohlc",
)  # fmt: skip
"""A row (or a few) for each group. Where `tables.FINALS` has the name, chunks prepare it."""
KEPT = (
    "cumsum", "cumprod", "cummax", "cummin", "cumcount", "ngroup", "shift", "diff", "pct_change", "rank", "ffill", "bfill",
)  # fmt: skip
"""A row for each row, under its label."""
PICKED = ("head", "tail", "nth", "filter")
"""Some of the rows, in their order."""
WHOLE = ("take",)
"""What pandas gives on all rows in one chunk."""
GONE = {"kurtosis": "kurt", "backfill": "bfill", "pad": "ffill"}
"""Names of Mars that pandas 3 has under another name."""
UNTUNED = ("corr", "cov")
"""Methods that pandas' own `method` argument would hide Mars's of."""


def _signature(name: str, *, tuned: bool) -> inspect.Signature:
    """pandas' signature, with Mars's `method` and `combine_size` where they mean something."""
    kind = inspect.Parameter
    if name == "nth":
        return inspect.signature(lambda self, n, dropna=None: None)
    owner = PandasFrames if hasattr(PandasFrames, name) else PandasSeries
    own = inspect.signature(getattr(owner, name)).parameters.values()
    found = [p.replace(annotation=kind.empty) for p in own]
    if not tuned:
        return inspect.Signature(found)
    mars = {"method": "auto", "combine_size": None}
    tuning = [kind(n, kind.KEYWORD_ONLY, default=d) for n, d in mars.items()]
    last = [p for p in found if p.kind is p.VAR_KEYWORD]
    return inspect.Signature([*(p for p in found if p not in last and p.name not in mars), *tuning, *last])


def _method(name: str, op: str, signature: inspect.Signature, **arguments: Any) -> Any:
    """Call a method of pandas with its arguments by name, as far as they have one."""
    first, *rest = signature.parameters.values()
    kwargs: dict[str, Any] = {}
    args: tuple[Any, ...] = ()
    for p in (p for p in rest if p.name in arguments):
        if p.kind is p.VAR_KEYWORD:
            kwargs |= arguments[p.name]
        elif p.kind is p.VAR_POSITIONAL:
            args = tuple(arguments[p.name])
        else:
            value = arguments[p.name]
            kwargs[p.name] = local(value) if isinstance(value, Handle) and not value.ndim else value
    how = kwargs.pop("method", "auto") if op == "groupby.reduce" and name not in UNTUNED else "auto"
    tuning = checked_tuning(how, kwargs.pop("combine_size", None))
    if name == "nth":
        args = (kwargs.pop("n"),)
        kwargs = {k: v for k, v in kwargs.items() if v is not None}
    return _made(op, arguments[first.name], name, args, kwargs, **tuning)


def checked_tuning(method: Any, combine_size: Any) -> dict[str, Any]:
    """Mars's two tuning arguments as the lowering takes them; nothing where neither says anything."""
    checks.choice(method, "agg(method=)", ("auto", "tree", "shuffle"))
    if combine_size is not None:
        checks.whole(combine_size, "agg(combine_size=)", 2)
    return {} if method == "auto" and combine_size is None else {"how": method, "every": combine_size}


def groups(op: str, names: Sequence[str], status: registry.Status = "tiled") -> None:
    """Declare methods of pandas' groupby that one operation lowers."""
    pandas = dict(zip(OWNERS, (PandasFrames, PandasSeries), strict=True))
    for name in names:
        signature = _signature(name, tuned=op == "groupby.reduce" and name not in UNTUNED)
        doc = f"pandas' `groupby.{name}`, over all chunks."
        entry: Any = {"signature": signature, "status": status, "direct": False, "doc": doc}
        mars = [new for new, old in GONE.items() if old == name]
        for each in (name, *mars):
            owners = [owner for owner, kind in pandas.items() if each in mars or hasattr(kind, name)]
            public(f"GroupBy.{each}", owners=owners, **entry)(partial(_method, name, op, signature))


groups("groupby.reduce", REDUCED)
groups("groupby.keep", KEPT)
groups("groupby.pick", PICKED)
groups("groupby.whole", WHOLE, "gathered")


@public("GroupBy.agg", "GroupBy.aggregate", owners=OWNERS)
def agg(
    self: Any, func: Any = None, *args: Any, method: str = "auto", combine_size: Any = None, **kwargs: Any
) -> Any:
    """One row a group: `func` a name, a function, a list or dict of them, or `name=(column, function)`.

    `method`: "tree" joins parts of chunks, "shuffle" exchanges by key, "auto" chooses by size; `combine_size` chunks a join.
    """
    tuning = checked_tuning(method, combine_size)
    if isinstance(func, dict):
        _check_columns(self, func)
    if func is not None:
        return _made("groupby.reduce", self, "agg", (func, *args), kwargs, **tuning)
    pairs = [v for v in kwargs.values() if not isinstance(v, pd.NamedAgg)]
    plain = all(isinstance(v, tuple) and len(v) == 2 for v in pairs)
    if not kwargs or (isinstance(self, DataFrameGroupBy) and not plain):
        raise ArgumentTypeError("Must provide 'func' or tuples of 'column, aggfunc'.")
    if isinstance(self, DataFrameGroupBy):
        _check_columns(self, [v[0] if isinstance(v, tuple) else v.column for v in kwargs.values()])
    named = {k: tuple(v) if isinstance(v, tuple) else v for k, v in kwargs.items()}
    return _made("groupby.reduce", self, "agg", (), named, **tuning)


def _check_columns(group: GroupBy, names: Iterable[Any]) -> None:
    """Labels that an aggregation names are columns of the frame, of those that are selected; of a series they are names."""
    select = group._spec.select
    if isinstance(group, DataFrameGroupBy) and (select is None or isinstance(select, list)):
        checks.members(names, group._frame.columns if select is None else select)


@public("GroupBy.transform", owners=OWNERS)
def transform(self: Any, func: Any = None, *args: Any, skip_infer: bool = False, dtypes: Any = None, dtype: Any = None,
              name: Any = None, index: Any = None, output_type: Any = None, output_types: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """A row for each row: `func`, a name or a function of a group's column, broadcast back in row order."""
    said = _said(dtypes, dtype, name, index, output_type or output_types)
    if kwargs.pop("_call_agg", False):  # Mars's own programs say so that names are those of agg
        return agg(self, func, *args, **kwargs)
    make = partial(_made, "groupby.keep", self, "transform", (func, *args), kwargs)
    return make(None) if isinstance(func, str) else _as_said("transform", make, said)


def _said(dtypes: Any, dtype: Any, name: Any, index: Any, output_type: Any) -> dict[str, Any]:
    """What users say of a result, as `described` takes it."""
    return {"dtypes": dtypes, "dtype": dtype, "name": name, "index": index, "output_type": output_type}


def _as_said(what: str, make: Callable[[Any], Any], said: dict[str, Any]) -> Any:
    """`make(like)`: the empty result as users describe it, or None where they leave dtypes open and it finds out."""
    like = described(None, **said)
    if like is not None and not leaves_open(said):
        return make(like)
    try:
        return inferred(what, partial(make, None))
    except ArgumentTypeError as error:
        if like is None or error.__cause__ is None:
            raise
    return make(like)


@public("GroupBy.apply", owners=OWNERS)
def apply(self: Any, func: Any, *args: Any, include_groups: bool = False, skip_infer: bool = False, dtypes: Any = None, dtype: Any = None,
          name: Any = None, index: Any = None, output_type: Any = None, output_types: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """What `func(group)` gives of each group, put together as pandas does. `output_type`, `dtypes`, `dtype`, `name`, `index` describe the result where running `func` on made-up rows cannot tell."""
    if include_groups:
        raise ArgumentError("include_groups=True is no longer allowed.")
    if isinstance(func, str):
        return getattr(self, func)(*args, **kwargs)
    made = self, "apply", (func, *args), kwargs
    said = _said(dtypes, dtype, name, index, output_type or output_types)
    if undecided.is_said(said["output_type"]):
        return _made("groupby.undecided", *made)
    try:
        return _as_said("apply", partial(_made, "groupby.apply", *made), said)
    except ArgumentTypeError as error:
        if not skip_infer or error.__cause__ is None:
            raise
    return _made("groupby.undecided", *made)


@public("GroupBy.get_group", owners=OWNERS)
def get_group(self: Any, name: Any) -> Any:
    """The rows of the group called `name`."""
    return registry.make("groupby.group", self._frame, self._spec, self._keys, name)


@public("GroupBy.fillna", owners=OWNERS)
def fillna(self: Any, value: Any = None, **kwargs: Any) -> Any:
    """The frame with holes filled with `value` (gone from pandas 3, kept for Mars's users)."""
    return _made("groupby.keep", self, "fillna", (local(value),), kwargs)


for _name in ("rolling", "expanding", "ewm", "resample", "hist", "boxplot", "corrwith"):
    _why = "windows and pairs of groups need a reader of their own; use apply"
    registry.unbuilt(f"GroupBy.{_name}", _why, room="dataframe", owners=OWNERS, function=False)
