"""The methods of groups, a name each in a table of what they give: a row a group, a row a row, some rows, the rest.

To add one, name it in its table; its signature, checks and metadata are pandas'.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.typing import DataFrameGroupBy as PandasFrames
from pandas.api.typing import SeriesGroupBy as PandasSeries

from marsdask.dataframe.groupby import DataFrameGroupBy, GroupBy, made
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.plan import registry
from marsdask.plan.registry import add, operation

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
    registry.rewritten(
        f"GroupBy.{name}", f"pandas' `groupby.{name}`, over all chunks.", prepare, signature=signature, status=status,
        room="dataframe", owners=tuple(owners), function=False, cases=tuple(cases),
        oracle=getattr(PandasFrames, name, getattr(PandasSeries, name, None)),
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
    add(replace(_entry, name=f"GroupBy.{_new}", owners=tuple(BOTH), cases=(), oracle=None))


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
