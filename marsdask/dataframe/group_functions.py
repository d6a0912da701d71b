"""Functions of users over groups: transform, apply, and the rows of one group."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe import group_demands, group_rows, grouping, shuffle
from marsdask.dataframe.chunkwise import matched
from marsdask.dataframe.groupby import DataFrameGroupBy, GroupBy, SeriesGroupBy, made
from marsdask.dataframe.grouping import Grouping
from marsdask.dataframe.groups import BOTH, _bound
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, frame_meta
from marsdask.plan.registry import lowered, operation


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
    lambda frame, spec, keys, name, args, kwargs, like: group_rows.keep(
        frame, spec, keys, name, args, kwargs, like
    )
)


def _apply_meta(
    frame: FrameMeta, spec: Grouping, keys: Any, name: str, args: Any, kwargs: Any, like: Any
) -> Any:
    if like is not None:
        return frame.fewer(like)
    return frame.fewer(group_demands.on_samples(frame, spec, keys, name, args, kwargs))


@lowered(
    "groupby.apply",
    meta=_apply_meta,
    demands=group_demands._rows_demands,
    trim=group_demands._rows_trim,
)
def apply(
    frame: Chunks, spec: Grouping, keys: list[Any], name: str, args: Any, kwargs: Any, like: Any
) -> Any:
    """What a function gives of each group: groups exchanged by key, the results put together by pandas."""
    empty = frame.empty
    frame, keys, _ = yield from matched(frame, keys, {})
    run = partial(group_rows._ran, spec=spec, name=name, args=args, kwargs=kwargs)
    if frame.count == 1:
        return graph.per_chunk(partial(group_rows._direct, run=run), frame, *keys, lengths="unknown")
    count = group_rows.hash_chunks(frame, spec, empty)
    strange = any(kind == "grouper" for kind, _ in spec["by"] or ()) or not (
        spec["observed"] and spec["group_keys"] and spec["as_index"]
    )
    if count == 1 or strange:
        return shuffle.sent(frame, keys, None, partial(group_rows._met_and_ran, run=run), 1).with_lengths(
            (math.nan,)
        )
    each = partial(_recorded, spec=spec, args=args, kwargs=kwargs)
    met = shuffle.sent(frame, keys, group_rows._keys_of(spec), each, count)
    return graph.value(graph.limited(partial(_applied, spec=spec)), met).with_lengths((math.nan,))


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
            lambda group: (seen.append(func(group, *rest, **kwargs)), 0)[1]  # type: ignore[func-returns-value]
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


def _call(function: Callable[..., Any]) -> Callable[..., Any]:
    def prepare(**arguments: Any) -> Any:
        first, args, kwargs = _bound(inspect.signature(function), arguments)
        return function(first, *args, **kwargs)

    return prepare


def _get_group(self: Any, name: Any) -> Any:
    return registry.make("groupby.group", self._frame, self._spec, self._keys, name)


def _fillna(self: Any, value: Any = None, **kwargs: Any) -> Any:
    return made("groupby.keep", self, "fillna", (value,), kwargs)


for _name, _function, _doc in (
    ("transform", _transform, "A row for each row: `func`, a name or a function of a group's column, broadcast back in row order."),
    ("apply", _apply, "What `func(group)` gives of each group, put together as pandas does. `output_type`, `dtypes`, `dtype`, `name`, `index` "
     "describe the result where running `func` on made-up rows cannot tell."),
    ("get_group", _get_group,
     "The rows of the group called `name`."),
    ("fillna", _fillna, "The frame with holes filled with `value` (gone from pandas 3, kept for Mars's users)."),
):  # fmt: skip
    registry.rewritten(
        f"GroupBy.{_name}", _doc, _call(_function), signature=inspect.signature(_function),
        room="dataframe", owners=tuple(BOTH), function=False,
    )  # fmt: skip

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
