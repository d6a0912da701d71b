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

REDUCED = (
    "sum", "mean", "count", "size", "min", "max", "prod", "first", "last", "any", "all", "std", "var", "sem", "median", "quantile", "nunique", "skew", "kurt", "idxmax", "idxmin", "describe", "value_counts", "corr", "cov", "nlargest", "nsmallest", "unique", "ohlc",
)  # fmt: skip
"""A row (or a few) for each group. Where `aggregation.FINALS` has the name, chunks prepare it."""

KEPT = (
    "cumsum", "cumprod", "cummax", "cummin", "cumcount", "ngroup", "shift", "diff", "pct_change", "rank", "ffill", "bfill",
)  # fmt: skip
"""A row for each row, under its label."""

PICKED = (
    "head", "tail", "nth", "filter",
)  # fmt: skip
"""Some of the rows, in their order."""

WHOLE = (
    "sample", "take",
)  # fmt: skip
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
        room="dataframe", owners=tuple(owners), function=False,
    )  # fmt: skip


for _name in REDUCED:
    _signature = _own_signature(_name) if _name in ("corr", "cov") else _with_tuning(_own_signature(_name))
    _register(_name, "groupby.reduce", "tiled", partial(_prepare_reduced, _name, _signature), _signature)
for _op, _table, _status in (
    ("groupby.keep", KEPT, "tiled"),
    ("groupby.pick", PICKED, "tiled"),
    ("groupby.whole", WHOLE, "gathered"),
):
    for _name in _table:
        _signature = _own_signature(_name)
        _register(_name, _op, _status, partial(_prepare, _op, _name, _signature), _signature)

for _new, _old in GONE.items():
    _entry = registry.lookup(f"GroupBy.{_old}")
    add(replace(_entry, name=f"GroupBy.{_new}", owners=tuple(BOTH)))


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

    operation(f"GroupBy.{_name}", room="dataframe", owners=BOTH, function=False, prepare=lambda **a: _agg_call(a))(_lower)  # fmt: skip


def _agg_call(arguments: dict[str, Any]) -> Any:
    func = arguments.get("func")
    return _agg(arguments["self"], func, *arguments.get("args", ()), method=arguments.get("method", "auto"),
                combine_size=arguments.get("combine_size"), **arguments.get("kwargs", {}))  # fmt: skip
