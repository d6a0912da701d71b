"""The methods of groups, a name each in a table of what they give: a row a group, a row a row, some rows, the rest.

To add one, name it in its table; its signature, checks and metadata are pandas'.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.typing import DataFrameGroupBy as PandasFrames
from pandas.api.typing import SeriesGroupBy as PandasSeries

from marsdask import graph, registry
from marsdask.dataframe import groupby, grouping, shuffle
from marsdask.dataframe.chunkwise import matched
from marsdask.dataframe.core import frame_meta
from marsdask.dataframe.groupby import DataFrameGroupBy, GroupBy, SeriesGroupBy, made
from marsdask.dataframe.grouping import Grouping
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.graph import Chunks
from marsdask.meta import NEW, FrameMeta
from marsdask.registry import Op, add, operation

BOTH = ("DataFrameGroupBy", "SeriesGroupBy")
METHODS = ("auto", "tree", "shuffle")

REDUCED = {
    "sum": ("df.groupby('k').sum(numeric_only=True)", "dn.groupby('c', observed=False).q.sum(min_count=1)", "df.groupby(['k', 's']).v.sum()",
            "df.groupby('k')[['v', 'i']].sum()", "df.groupby('k').i.sum()", "dn.groupby('q', dropna=False)[['f']].sum()"),
    "mean": ("df.groupby('k').mean(numeric_only=True)", "dn.groupby('c', observed=False)[['q', 'f']].mean()", "df.groupby('k').t.mean()", "dn.groupby('q').p.mean()"),
    "count": ("df.groupby('k').count()", "dn.groupby('q', dropna=False).count()", "df.groupby('s', sort=False).count()"),
    "size": ("df.groupby('k').size()", "df.groupby(['k', 's'], as_index=False).size()", "dn.groupby(['q', 'c'], observed=False).size()", "df.v.groupby(df.k).size()"),
    "min": ("df.groupby('k').min()", "dn.groupby('q').o.min()", "dn.groupby('p', dropna=False)[['q', 'f', 'o']].min()"),
    "max": ("df.groupby('k').max()", "dn.groupby('q').o.max()", "dn.groupby('c', observed=False)[['q', 'f']].max()"),
    "prod": ("df.groupby('k')[['v', 'i']].prod()", "dn.groupby('c').q.prod()"),
    "first": ("df.groupby('k').first()", "dn.groupby('c', observed=False).first()", "df.groupby('s', sort=False).v.first()"),
    "last": ("df.groupby('k').last()", "dn.groupby('q', dropna=False).last()"),
    "any": ("df.groupby('k')[['v', 'i']].any()", "dn.groupby('c').p.any()"),
    "all": ("df.groupby('k')[['v', 'i']].all()", "df.groupby('k').all()"),
    "std": ("df.groupby('k')[['v', 'i']].std()", "df.groupby('k').v.std(ddof=0)", "dn.groupby('c')[['q', 'f']].std()"),
    "var": ("df.groupby('k')[['v', 'i']].var()", "df.groupby('k').var(ddof=2, numeric_only=True)", "dn.groupby('o', observed=False).f.var()"),
    "sem": ("df.groupby('k')[['v', 'i']].sem()", "df.groupby('k').v.sem(ddof=0)"),
    "median": ("df.groupby('k')[['v', 'i']].median()", "dn.groupby('c').f.median()", "df.groupby('s', sort=False).v.median()"),
    "quantile": ("df.groupby('k').v.quantile(0.3)", "df.groupby('k')[['v', 'i']].quantile([0.25, 0.5])", "df.groupby('k').v.quantile(0.3, interpolation='lower')"),
    "nunique": ("df.groupby('k').nunique()", "df.groupby('k').s.nunique()", "dn.groupby('c').q.nunique(dropna=False)", "df.groupby('s', sort=False).k.nunique()"),
    "skew": ("df.groupby('k')[['v', 'i']].skew()", "df.groupby('k').v.skew()"),
    "kurt": ("df.groupby('k')[['v', 'i']].kurt()",),
    "idxmax": ("df.groupby('k')[['i']].idxmax()", "dl.groupby('k').i.idxmax()"),
    "idxmin": ("df.groupby('k')[['i']].idxmin()", "dl.groupby('k').i.idxmin()"),
    "describe": ("df.groupby('k').v.describe()", "df.groupby('k')[['v', 'i']].describe()"),
    "value_counts": ("df.groupby('k').s.value_counts()", "df.groupby('k')[['s']].value_counts(normalize=True)", "df.groupby('k', sort=False).s.value_counts()"),
    "corr": ("df.groupby('k')[['v', 'i']].corr()",),
    "cov": ("df.groupby('k')[['v', 'i']].cov()", "df.groupby('k')[['v', 'i']].cov(min_periods=2)"),
    "nlargest": ("df.groupby('k').i.nlargest(1)", "df.groupby('k').i.nlargest(2)"),
    "nsmallest": ("df.groupby('k').i.nsmallest(2)",),
    "unique": ("df.groupby('k').s.unique()",),
    "ohlc": ("df.groupby('k').v.ohlc()",),
}  # fmt: skip
"""A row (or a few) for each group. Where `aggregation.FINALS` has the name, chunks prepare it."""

KEPT = {
    "cumsum": ("df.groupby('k')[['v', 'i']].cumsum()", "df.groupby('k').v.cumsum()", "dl.groupby('k').i.cumsum()", "dn.groupby('c').q.cumsum()"),
    "cumprod": ("df.groupby('k')[['v', 'i']].cumprod()",),
    "cummax": ("df.groupby('k')[['v', 'i']].cummax()", "df.groupby('s').i.cummax()"),
    "cummin": ("df.groupby('k')[['v', 'i']].cummin()",),
    "cumcount": ("df.groupby('k').cumcount()", "df.groupby('k').cumcount(ascending=False)", "dl.groupby(['k', 's']).cumcount()"),
    "ngroup": ("df.groupby('k').ngroup()", "df.groupby('s', sort=False).ngroup()"),
    "shift": ("df.groupby('k').shift()", "df.groupby('k').i.shift(-1, fill_value=0)", "df.groupby('k').v.shift([0, 1])"),
    "diff": ("df.groupby('k')[['v', 'i']].diff()", "df.groupby('k').v.diff(-1)"),
    "pct_change": ("df.groupby('k').i.pct_change()",),
    "rank": ("df.groupby('k')[['v', 'i']].rank()", "df.groupby('k').v.rank(method='dense', ascending=False)"),
    "ffill": ("df.groupby('k').ffill()", "df.groupby('k').v.ffill(limit=1)", "dn.groupby('c').q.ffill()"),
    "bfill": ("df.groupby('k').bfill()", "dn.groupby('c').f.bfill()"),
}  # fmt: skip
"""A row for each row, under its label."""

PICKED = {
    "head": ("df.groupby('k').head(2)", "df.groupby('k').v.head(1)", "dl.groupby('s').head(-1)", "dn.groupby('q').head(1)"),
    "tail": ("df.groupby('k').tail(1)", "dn.groupby('q', dropna=False).tail(1)"),
    "nth": ("df.groupby('k').nth(1)", "df.groupby('k').v.nth([0, -1])", "df.groupby('k').nth(0, dropna='any')"),
    "filter": ("df.groupby('k').filter(lambda g: len(g) > 2)", "df.groupby('k').v.filter(lambda g: g.sum() > 0)"),
}  # fmt: skip
"""Some of the rows, in their order."""

WHOLE = {
    "sample": (
        "df.groupby('k').sample(n=1, random_state=3)",
        "df.groupby('k').v.sample(frac=0.5, random_state=1)",
    ),
    "take": ("df.groupby('k').take([0])",),
}
"""What pandas gives on all rows in one chunk."""

GONE = {"kurtosis": "kurt", "backfill": "bfill", "pad": "ffill"}
"""Names of Mars that pandas 3 has under another name."""


def nth_signature() -> inspect.Signature:
    return inspect.signature(lambda self, n, dropna=None: None)


def _own_signature(name: str) -> inspect.Signature:
    if name == "nth":
        return nth_signature()
    owner = PandasFrames if hasattr(PandasFrames, name) else PandasSeries
    found = inspect.signature(getattr(owner, name))
    return found.replace(
        parameters=[p.replace(annotation=p.empty) for p in found.parameters.values()],
        return_annotation=found.empty,
    )


def _with_tuning(signature: inspect.Signature) -> inspect.Signature:
    """The signature with Mars's `method` and `combine_size`."""
    tuning = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d)
        for n, d in (("method", "auto"), ("combine_size", None))
    ]
    own = [p for p in signature.parameters.values() if p.name not in ("method", "combine_size")]
    rest = [p for p in own if p.kind is p.VAR_KEYWORD]
    return signature.replace(parameters=[*(p for p in own if p.kind is not p.VAR_KEYWORD), *tuning, *rest])


def checked_tuning(method: Any, combine_size: Any) -> tuple[str, Any]:
    """Mars's two tuning arguments, or an error that names the bad one."""
    if method not in METHODS:
        raise ArgumentError(f"agg(method={method!r}): expected one of {', '.join(map(repr, METHODS))}.")
    if combine_size is not None and (
        not isinstance(combine_size, (int, np.integer)) or isinstance(combine_size, bool) or combine_size < 2
    ):
        raise ArgumentError(f"agg(combine_size={combine_size!r}): expected a whole number from 2 on.")
    return method, combine_size


def _bound(
    signature: inspect.Signature, arguments: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    bound = inspect.BoundArguments(signature, arguments)  # type: ignore[arg-type]
    first, *args = bound.args
    return first, tuple(args), dict(bound.kwargs)


def _named(
    signature: inspect.Signature, arguments: dict[str, Any]
) -> tuple[GroupBy, tuple[Any, ...], dict[str, Any]]:
    """The group and its arguments, by name as far as they have one."""
    kwargs: dict[str, Any] = {}
    args: tuple[Any, ...] = ()
    first, *rest = signature.parameters.values()
    for p in rest:
        if p.name not in arguments:
            continue
        if p.kind is p.VAR_KEYWORD:
            kwargs.update(arguments[p.name])
        elif p.kind is p.VAR_POSITIONAL:
            args = tuple(arguments[p.name])
        else:
            kwargs[p.name] = arguments[p.name]
    return arguments[first.name], args, kwargs


def _prepare_reduced(name: str, signature: inspect.Signature, **arguments: Any) -> Any:
    group, args, kwargs = _named(signature, arguments)
    method, every = checked_tuning(
        kwargs.pop("method", "auto") if name not in ("corr", "cov") else "auto",
        kwargs.pop("combine_size", None),
    )
    return _reduced(group, name, args, kwargs, method, every)


def _reduced(
    group: GroupBy, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], method: str, every: Any
) -> Any:
    extra = {} if method == "auto" and every is None else {"how": method, "every": every}
    return registry.make(
        "groupby.reduce", group._frame, group._spec, group._keys, name, list(args), dict(kwargs), **extra
    )


def _prepare(op: str, name: str, signature: inspect.Signature, **arguments: Any) -> Any:
    group, args, kwargs = _named(signature, arguments)
    if op == "groupby.pick" and name == "nth":
        args = (kwargs.pop("n"),)
        kwargs = {k: v for k, v in kwargs.items() if v is not None}
    return made(op, group, name, args, kwargs)


def _register(
    name: str,
    cases: Sequence[str],
    op: str,
    status: Any,
    prepare: Callable[..., Any],
    signature: inspect.Signature,
) -> None:
    owners = [
        o
        for o, pandas in (("DataFrameGroupBy", PandasFrames), ("SeriesGroupBy", PandasSeries))
        if hasattr(pandas, name)
    ]

    def lower(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("its prepare makes another node")  # pragma: no cover

    lower.__doc__ = f"pandas' `groupby.{name}`, over all chunks."
    add(
        Op(
            name=f"GroupBy.{name}", room="dataframe", lower=lower, signature=signature, status=status, owners=tuple(owners),
            function=False, prepare=prepare, cases=tuple(cases), oracle=getattr(PandasFrames, name, getattr(PandasSeries, name, None)),
        )
    )  # fmt: skip


for _name, _cases in REDUCED.items():
    _signature = _own_signature(_name) if _name in ("corr", "cov") else _with_tuning(_own_signature(_name))
    _register(
        _name, _cases, "groupby.reduce", "tiled", partial(_prepare_reduced, _name, _signature), _signature
    )
for _op, _table, _status in (
    ("groupby.keep", KEPT, "tiled"),
    ("groupby.pick", PICKED, "tiled"),
    ("groupby.whole", WHOLE, "gathered"),
):
    for _name, _cases in _table.items():
        _signature = _own_signature(_name)
        _register(_name, _cases, _op, _status, partial(_prepare, _op, _name, _signature), _signature)

for _new, _old in GONE.items():
    _entry = registry.lookup(f"GroupBy.{_old}")
    add(Op(name=f"GroupBy.{_new}", room="dataframe", lower=_entry.lower, signature=_entry.signature, status=_entry.status,
           owners=BOTH, function=False, prepare=_entry.prepare))  # fmt: skip


AGG_CASES = (
    "df.groupby('k').agg('sum')[['v', 'i']]", "df.groupby('k')[['v', 'i']].agg(['sum', 'mean'])", "df.groupby('k').agg({'v': 'max', 'i': 'min'})",
    "df.groupby('k').agg({'v': ['max', 'count'], 'i': ['min']})", "df.groupby('k').agg(a=('v', 'sum'), b=('i', 'mean'), n=('s', 'size'))",
    "df.groupby('k').agg(a=pd.NamedAgg('v', 'std'), b=pd.NamedAgg('v', lambda x: x.max() - x.min()))",
    "df.groupby('k').v.agg(['sum', lambda x: x.max()])", "df.groupby('k').v.agg(total='sum', top='max')", "df.groupby('k').v.agg('median')",
    "df.groupby('k', as_index=False).agg(a=('v', 'sum'))", "df.groupby(['k', 's'], as_index=False)[['v', 'i']].agg('sum')",
    "df.groupby('k', as_index=False).agg(m=('v', 'median'))", "df.groupby('s', sort=False).agg({'v': 'sum', 'k': 'nunique'})",
    "df.groupby(['s', 'k'], sort=False).agg(a=('v', 'median'))", "df.groupby(lambda x: x % 3).agg({'v': 'sum'})",
    "df.groupby({0: 'a', 1: 'b', 2: 'a', 5: 'b'}).agg({'v': 'sum'})", "df.groupby(df.k % 2).agg({'v': 'sum'})", "df.groupby([df.k % 2, 's']).agg({'v': 'sum'})",
    "dl.groupby(level=0).agg({'v': 'sum', 's': 'last'})", "df.set_index(['k', 's']).groupby(level='s').agg({'v': 'sum'})",
    "dn.groupby('q').agg({'f': ['mean', 'var'], 'p': 'any'})", "dn.groupby('q', dropna=False).agg({'f': 'mean', 'o': 'min'})",
    "dn.groupby('c', observed=False).agg({'f': 'mean', 'q': 'sum', 'p': 'size'})", "dn.groupby(['o', 'c'], observed=False).agg({'q': 'median'})",
    "df.groupby('k').agg({'nope': 'sum'})", "df.groupby('nope').agg('sum')", "df.groupby('k').agg('nope')", "df.v.groupby(df.k).agg(['min', 'max'])",
    "df.groupby('k').agg({'v': 'first', 'i': 'last'})", "df.groupby('k').v.agg(np.ptp)", "df.groupby('s')[['v']].agg('sum').sum()",
    "df[df.i > 0].groupby('k').agg({'v': 'sum', 's': 'max'})", "df.groupby('k').agg(a=('v', 'any'), b=('t', 'max'))",
)  # fmt: skip


def _agg(
    self: Any, func: Any = None, *args: Any, method: str = "auto", combine_size: Any = None, **kwargs: Any
) -> Any:
    how, every = checked_tuning(method, combine_size)
    if func is None and not kwargs:
        raise ArgumentTypeError("Must provide 'func' or tuples of 'column, aggfunc'.")
    values = (*kwargs.values(),) if func is None else ()
    values = tuple(v for v in values if not isinstance(v, pd.NamedAgg))
    if (
        isinstance(self, DataFrameGroupBy)
        and func is None
        and not all(isinstance(v, tuple) and len(v) == 2 for v in values)
    ):
        raise ArgumentTypeError("Must provide 'func' or tuples of 'column, aggfunc'.")
    if func is not None:
        return _reduced(self, "agg", (func, *args), kwargs, how, every)
    return _reduced(
        self, "agg", (), {k: tuple(v) if isinstance(v, tuple) else v for k, v in kwargs.items()}, how, every
    )


for _name in ("agg", "aggregate"):

    def _lower(
        self: Any, func: Any = None, *args: Any, method: str = "auto", combine_size: Any = None, **kwargs: Any
    ) -> Any:
        """One row a group: `func` a name, a function, a list or dict of them, or `name=(column, function)`.

        `method`: "tree" joins parts of chunks, "shuffle" exchanges by key, "auto" chooses by size; `combine_size` chunks a join.
        """

    operation(f"GroupBy.{_name}", room="dataframe", owners=BOTH, function=False, prepare=lambda **a: _agg_call(a),
              cases=AGG_CASES if _name == "agg" else ())(_lower)  # fmt: skip


def _agg_call(arguments: dict[str, Any]) -> Any:
    func = arguments.get("func")
    return _agg(arguments["self"], func, *arguments.get("args", ()), method=arguments.get("method", "auto"),
                combine_size=arguments.get("combine_size"), **arguments.get("kwargs", {}))  # fmt: skip


TRANSFORM_CASES = (
    "df.groupby('k')[['v', 'i']].transform('sum')", "df.groupby('k').v.transform('mean')", "df.groupby('k').v.transform(lambda x: x - x.mean())",
    "dl.groupby('s')[['v', 'i']].transform(lambda x: x.max())", "df.groupby('k').v.transform('cumsum')", "dn.groupby('c', observed=False).f.transform('mean')",
    "df.groupby(df.k % 2).v.transform('max')", "df.groupby('k').v.transform('nope')", "df.groupby('s').v.transform('first')",
)  # fmt: skip
APPLY_CASES = (
    "df.groupby('k').apply(lambda g: g.v.sum())", "df.groupby('k').apply(lambda g: g.head(1))", "df.groupby('k').v.apply(lambda x: x.max() - x.min())",
    "df.groupby('s', sort=False).apply(lambda g: g.i.max())", "df.groupby(['k', 's']).apply(lambda g: pd.Series({'a': g.v.sum(), 'b': float(g.i.min())}))",
    "df.groupby('k', group_keys=False).apply(lambda g: g.nlargest(1, 'i'))", "df.groupby('k', group_keys=False).v.apply(lambda x: x - x.min())",
    "df.groupby('k', as_index=False).apply(lambda g: g.v.sum())", "df.groupby('k').v.apply(lambda x: x.nlargest(1))",
)  # fmt: skip


def _transform(self: Any, func: Any = None, *args: Any, skip_infer: bool = False, dtypes: Any = None, dtype: Any = None,
               name: Any = None, index: Any = None, output_type: Any = None, output_types: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    like = described_output(self, dtypes, dtype, name, index, output_type or output_types)
    if like is None and not isinstance(func, str):
        return _inferred("transform", lambda: made("groupby.keep", self, "transform", (func, *args), kwargs))
    if like is None:
        return made("groupby.keep", self, "transform", (func, *args), kwargs)
    return registry.make(
        "groupby.keep_as", self._frame, self._spec, self._keys, "transform", [func, *args], dict(kwargs), like
    )


def _apply(self: Any, func: Any, *args: Any, include_groups: bool = False, skip_infer: bool = False, dtypes: Any = None, dtype: Any = None,
           name: Any = None, index: Any = None, output_type: Any = None, output_types: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    if include_groups:
        raise ArgumentError("include_groups=True is no longer allowed.")
    like = described_output(self, dtypes, dtype, name, index, output_type or output_types)
    call = (self._frame, self._spec, self._keys, "apply", [func, *args], dict(kwargs), like)
    if isinstance(func, str):
        return getattr(self, func)(*args, **kwargs)
    return (
        registry.make("groupby.apply", *call)
        if like is not None
        else _inferred("apply", lambda: registry.make("groupby.apply", *call))
    )


def _inferred(name: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except Exception as error:
        if isinstance(error, MarsDaskError) and (
            error.__cause__ is None or isinstance(error.__cause__, MarsDaskError)
        ):
            raise
        raise ArgumentTypeError(
            f"Cannot determine dtypes by calculating with made-up rows: {type(error).__name__}: {error}. Hint: groupby.{name} takes "
            "output_type='dataframe' with dtypes=..., or output_type='series' with dtype=... and name=..., and index=..."
        ) from error


def described_output(group: GroupBy, dtypes: Any, dtype: Any, name: Any, index: Any, output_type: Any) -> Any:
    """The empty result that a caller described, or None."""
    if dtypes is None and dtype is None and output_type is None:
        return None
    if isinstance(output_type, (list, tuple)):
        output_type = output_type[0]
    kind = (
        "dataframe"
        if output_type is None and dtypes is not None
        else str(output_type or "series").lower().rpartition(".")[2]
    )
    labels = index[:0] if isinstance(index, pd.Index) else pd.RangeIndex(0)
    if kind == "series":
        return pd.Series(dtype=dtype if dtype is not None else object, name=name, index=labels)
    if kind == "dataframe":
        if dtypes is None:
            raise ArgumentTypeError(
                "output_type='dataframe' needs dtypes=...: a Series or dict of column to dtype."
            )
        return pd.DataFrame(
            {c: pd.Series(dtype=t, index=labels) for c, t in dict(dtypes).items()}, index=labels
        )
    raise ArgumentError(f"output_type={output_type!r}: expected 'dataframe' or 'series'.")


def _like_meta(
    frame: FrameMeta, spec: Grouping, keys: Any, name: str, args: Any, kwargs: Any, like: Any
) -> FrameMeta:
    return frame_meta(like, frame.length, frame.rows, ranged=frame.ranged)


operation("groupby.keep_as", room="engine", meta=_like_meta)(
    lambda frame, spec, keys, name, args, kwargs, like: groupby.keep(
        frame, spec, keys, name, args, kwargs, like
    )
)


def _apply_meta(
    frame: FrameMeta, spec: Grouping, keys: Any, name: str, args: Any, kwargs: Any, like: Any
) -> Any:
    if like is not None:
        return frame_meta(like, math.nan, NEW)
    return frame_meta(groupby.on_samples(frame, spec, keys, name, args, kwargs), math.nan, NEW)


@operation("groupby.apply", room="engine", meta=_apply_meta, demands=groupby._rows_demands, trim=groupby._rows_trim)
def apply(
    frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any, like: Any
) -> Any:
    """What a function gives of each group: groups exchanged by key, the results put together by pandas."""
    empty = frame.empty
    frame, keys, _ = yield from matched(frame, keys, {})
    run = partial(groupby._ran, spec=spec, name=name, args=args, kwargs=kwargs)
    if frame.count == 1:
        return graph.per_chunk(partial(groupby._direct, run=run), frame, *keys, lengths="unknown")
    count = groupby.hash_chunks(frame, spec, empty)
    strange = any(kind == "grouper" for kind, _ in spec["by"] or ()) or not (
        spec["observed"] and spec["group_keys"] and spec["as_index"]
    )
    if count == 1 or strange:
        return shuffle.sent(frame, keys, None, partial(groupby._met_and_ran, run=run), 1).with_lengths(
            (math.nan,)
        )
    each = partial(_recorded, spec=spec, args=args, kwargs=kwargs)
    met = shuffle.sent(frame, keys, groupby._keys_of(spec), each, count)
    return graph.value(partial(_applied, spec=spec), met).with_lengths((math.nan,))


def _recorded(pieces: list[shuffle.Piece], *, spec: Grouping, args: Any, kwargs: Any) -> Any:
    """The groups' keys, what the function gave of each, and where each was seen first."""
    frame, keys, homes, rows = shuffle.met(pieces)
    func, *rest = args
    seen: list[Any] = []
    names = [getattr(v, "name", None) for v in grouping.key_values(spec, frame, keys)]
    values = [pd.Series(v).reset_index(drop=True) for v in grouping.key_values(spec, frame, keys)]
    numbered = (
        pd.Series(np.arange(len(frame)))
        .groupby(values, sort=spec["sort"], dropna=spec["dropna"], observed=True)
        .first()
    )
    if len(numbered):
        grouping.grouped(spec, frame, keys).apply(
            lambda group: (seen.append(func(group, *rest, **kwargs)), 0)[1]
        )
    first = numbered.to_numpy()
    lone = spec["select"] if frame.ndim == 2 else frame.name
    return (
        [v.iloc[first] for v in values],
        (names, frame.ndim == 1 or (lone is not None and not isinstance(lone, list)), lone),
        seen,
        homes[first].astype("i8") << 40 | rows[first],
    )


def _applied(parts: list[Any], *, spec: Grouping) -> Any:
    """All groups' results, as pandas puts them together."""
    full = [p for p in parts if p[2]] or parts[:1]
    results = [r for p in full for r in p[2]]
    at = np.argsort(np.concatenate([p[3] for p in full]), kind="stable")
    labels = pd.Index([_Label(i) for i in range(len(results))], dtype=object)
    keys = []
    names, series, lone = full[0][1]
    for i, name in enumerate(names):
        whole = pd.concat([p[0][i] for p in full]).set_axis(labels)
        keys.append(whole.iloc[at].rename(name))
    table = pd.DataFrame({"row": np.arange(len(results))}, index=labels).iloc[at]
    by = keys[0] if len(keys) == 1 else keys
    group = table.groupby(
        by, sort=spec["sort"], dropna=spec["dropna"], group_keys=spec["group_keys"], observed=True
    )
    chosen = group["row"] if series else group
    result = chosen.apply(lambda rows: results[int(np.asarray(rows).ravel()[0])])
    if series and isinstance(result, pd.Series) and result.name == "row":
        result.name = lone
    return result


class _Label:
    """A row label that equals no other."""

    __slots__ = ("number",)

    def __init__(self, number: int):
        self.number = number

    def __lt__(self, other: Any) -> bool:
        return bool(self.number < other.number)


def _shown(function: Callable[..., Any]) -> inspect.Signature:
    found = inspect.signature(function)
    return found.replace(
        parameters=[p.replace(annotation=p.empty) for p in found.parameters.values()],
        return_annotation=found.empty,
    )


def _call(function: Callable[..., Any]) -> Callable[..., Any]:
    def prepare(**arguments: Any) -> Any:
        first, args, kwargs = _bound(inspect.signature(function), arguments)
        return function(first, *args, **kwargs)

    return prepare


def _get_group(self: Any, name: Any) -> Any:
    return registry.make("groupby.group", self._frame, self._spec, self._keys, name)


def _fillna(self: Any, value: Any = None, **kwargs: Any) -> Any:
    return made("groupby.keep", self, "fillna", (value,), kwargs)


for _name, _function, _cases, _doc in (
    ("transform", _transform, TRANSFORM_CASES, "A row for each row: `func`, a name or a function of a group's column, broadcast back in row order."),
    ("apply", _apply, APPLY_CASES, "What `func(group)` gives of each group, put together as pandas does. `output_type`, `dtypes`, `dtype`, `name`, `index` "
     "describe the result where running `func` on made-up rows cannot tell."),
    ("get_group", _get_group, ("df.groupby('k').get_group(3)", "df.groupby(['k', 's']).v.get_group((3, 'x'))", "df.groupby('k').get_group(77)"),
     "The rows of the group called `name`."),
    ("fillna", _fillna, (), "The frame with holes filled with `value` (gone from pandas 3, kept for Mars's users)."),
):  # fmt: skip

    def _made(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("its prepare makes another node")  # pragma: no cover

    _made.__doc__ = _doc
    operation(
        f"GroupBy.{_name}",
        room="dataframe",
        signature=_shown(_function),
        owners=BOTH,
        function=False,
        prepare=_call(_function),
        cases=_cases,
    )(_made)

for _name in ("rolling", "expanding", "ewm", "resample", "plot", "hist", "boxplot", "corrwith"):
    registry.unbuilt(
        f"GroupBy.{_name}",
        "windows, plots and pairs of groups need a reader of their own; use apply",
        room="dataframe",
        owners=BOTH,
        function=False,
    )

for _kind, _owner in ((DataFrameGroupBy, "DataFrameGroupBy"), (SeriesGroupBy, "SeriesGroupBy")):
    registry.attach(_kind, _owner)
