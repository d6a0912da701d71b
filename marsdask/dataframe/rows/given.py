"""What users' functions give of values, in chunks of the dtype that pandas finds for all of it together.

pandas looks at every object that a function gave: None among whole numbers makes floats, among texts it stays None. So a
chunk tells some examples of what it was given, and is made again only where all examples together are of another dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.rows.alignment import columns_of
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import sample

PLAIN = frozenset(["integer", "floating", "boolean", "string", "complex"])
"""What pandas calls objects of one kind, which a column of their own dtype holds as they are."""

ONE_LIKE_ALL = frozenset([str, bool, type(None), complex])


@dataclass(frozen=True, slots=True)
class Given:
    """A chunk's result by pandas, column by column.

    `objects`: what the function gave for a column, None where the column holds just that. `examples`: some of these, one of each kind.
    """

    made: list[Any]
    objects: list[Any]
    examples: list[list[Any]]


def of_values(
    chunk: Any, func: Callable[..., Any], method: str = "map", na_action: Any = None, holed: Any = None
) -> Given:
    """What a function gives of each value of a series, an index, or a frame's columns; `holed` says which have holes in any chunk."""
    keywords = {} if na_action is None else {"na_action": na_action}
    every = [
        _of_categories(column, func, method, keywords, holed is not None and holed[i])
        if isinstance(column.dtype, pd.CategoricalDtype)
        else _of_column(column, func, method, keywords)
        for i, column in enumerate(columns_of(chunk))
    ]
    return Given(*map(list, zip(*every, strict=True))) if every else Given([], [], [])


def holed(frame: Chunks) -> Any:
    """Of each column whether it has a hole in any chunk; None where no column has categories, of which alone pandas makes something else then."""
    if not any(isinstance(column.dtype, pd.CategoricalDtype) for column in columns_of(frame.empty)):
        return None
    return graph.value(_any_of, graph.per_chunk(_holes, frame, label="holes", lengths=None), label="holed")


def _holes(chunk: Any) -> list[bool]:
    return [bool(column.isna().any()) for column in columns_of(chunk)]


def _any_of(found: list[list[bool]]) -> list[bool]:
    return [any(each) for each in zip(*found, strict=True)]


def of_none(like: Any) -> Given:
    """The same of no rows."""
    columns = columns_of(like)
    return Given(columns, [None] * len(columns), [[]] * len(columns))


def _of_categories(column: Any, func: Any, method: str, keywords: Any, holed: bool) -> tuple[Any, Any, Any]:
    """pandas asks of each category, and of a hole where there is one: what it gives of a chunk beside one is as of the whole."""
    if not holed or column.isna().any():
        return getattr(column, method)(func, **keywords), None, []
    beside = pd.Categorical.from_codes([*getattr(column, "cat", column).codes, -1], dtype=column.dtype)
    made = getattr(type(column)(beside), method)(func, **keywords)[:-1]
    return _as(made, column), None, []


def _of_column(column: Any, func: Callable[..., Any], method: str, keywords: Any) -> tuple[Any, Any, Any]:
    na_action = keywords.get("na_action")
    if not _one_by_one(column.dtype):
        made = getattr(column, method)(func, **keywords)
        return made, None, _examples(made, None)
    values = np.asarray(column.astype(object), dtype=object)
    taken = slice(None) if na_action is None else ~pd.isna(values)
    found = np.frompyfunc(func, 1, 1)(values[taken])
    if na_action is None:
        objects = found
    else:
        objects = values.copy()
        objects[taken] = found
    table = len(found) and isinstance(found[0], pd.Series)
    if (
        isinstance(column, pd.Series)
        and (column.dtype == "str" or column.dtype.kind in "biufcO")
        and not table
    ):
        made = pd.Series(objects.tolist(), column.index, name=column.name)  # what pandas makes of them, too
    else:  # pandas' own way, of a function that C runs: each call gives the next object
        made = getattr(column, method)(partial(next, iter(found)), **keywords)
    return made, *_kept(made, objects)


def _one_by_one(dtype: Any) -> bool:
    """Whether pandas calls a function for each value, which is what `astype(object)` has, and looks at what it gave only."""
    text = isinstance(dtype, pd.StringDtype) and dtype.na_value is np.nan
    return text or isinstance(dtype, (np.dtype, pd.DatetimeTZDtype))


def of_rows(chunk: pd.DataFrame, func: Callable[..., Any], apply: Callable[..., Any]) -> Given:
    """What a function gives of each row, where that is a series: `apply(chunk, func=func)`."""
    found: list[Any] = []

    def told(*args: Any, **kwargs: Any) -> Any:
        found.append(func(*args, **kwargs))
        return found[-1]

    made = apply(chunk, func=told)
    objects, examples = _kept(made, np.fromiter(found, dtype=object, count=len(found)))
    return Given([made], [objects], [examples])


def _kept(made: Any, found: np.ndarray[Any, Any]) -> tuple[Any, list[Any]]:
    """The objects where a column does not hold them, and the examples."""
    if made.ndim == 2 or isinstance(made, pd.MultiIndex):
        return None, []
    plain = pd.api.types.infer_dtype(found, skipna=False) in PLAIN
    held = plain or pd.api.types.is_object_dtype(made.dtype)
    return None if held else found, _examples(made, None if plain else found)


def _examples(made: Any, found: Any) -> list[Any]:
    """Objects that pandas gives the dtype of all: of a plain column (None), or one of each kind, and the extremes of whole numbers."""
    if found is None:
        if made.ndim == 2 or isinstance(made, pd.MultiIndex) or not len(made):
            return []
        if isinstance(made.dtype, np.dtype) and made.dtype.kind in "iu":
            return _objects(pd.Series([made.min(), made.max()]))
        holes = made.isna()
        return [each for some in (made[holes], made[~holes]) for each in some.array[:1]]
    return [example for kind in {*map(type, found)} for example in _of_kind(kind, found)]


def _of_kind(kind: type, found: Sequence[Any]) -> Iterable[Any]:
    """Examples of the objects of one class: numbers to their extremes, times of each zone, unit and frequency."""
    if kind in ONE_LIKE_ALL:
        return [next(each for each in found if type(each) is kind)]
    every: list[Any] = [each for each in found if type(each) is kind]
    if issubclass(kind, (int, np.integer)):
        return [min(every), max(every)]
    if issubclass(kind, float):
        return {each != each: each for each in every}.values()
    names = ("tz", "unit", "freq", "closed", "dtype")
    return {tuple(str(getattr(each, name, None)) for name in names): each for each in every}.values()


def settled(parts: Chunks, source: Any, like: Any) -> Chunks:
    """Chunks of `Given` as pandas objects like `like`, of the dtypes of the whole; `source` is what the function saw, without rows."""
    told = graph.per_chunk(_told, parts, label="given", lengths=None)
    decided = graph.value(_decided, told, source, label="dtypes")
    return graph.per_chunk(_settled, parts, decided, source, like)


def _told(given: Given) -> tuple[list[list[Any]], list[Any]]:
    return given.examples, [made.dtype for made in given.made if made.ndim == 1]


def _decided(told: list[Any], source: Any) -> list[tuple[list[Any], Any]]:
    """Of each column all chunks' examples, and the dtype that pandas gives them."""
    found = []
    for i in range(max(len(examples) for examples, _ in told)):
        of_chunks = [(examples[i], dtypes[i]) for examples, dtypes in told if examples and examples[i]]
        every = [each for examples, _ in of_chunks for each in examples]
        one = len({str(dtype) for _, dtype in of_chunks}) == 1
        dtype = of_chunks[0][1] if one else _again(every, _column(source, i)).dtype if every else None
        found.append((every, dtype))
    return found


def _column(source: Any, i: int) -> Any:
    """What the function saw, as pandas saw it."""
    column = source.iloc[:, i] if source.ndim == 2 else source
    return column.astype(object) if isinstance(column, pd.Series) and column.dtype == "str" else column


def _again(objects: list[Any], source: Any) -> Any:
    """What pandas makes of these objects if a function gives them of values like those of `source`."""
    return sample(source, len(objects)).map(partial(next, iter(objects)))


def _settled(given: Given, decided: list[tuple[list[Any], Any]], source: Any, like: Any) -> Any:
    columns = []
    for i, (made, objects, (examples, dtype)) in enumerate(
        zip(given.made, given.objects, decided, strict=True)
    ):
        if dtype is None or made.ndim == 2 or made.dtype == dtype:
            columns.append(made)
        elif not len(made) or (pd.api.types.is_object_dtype(dtype) and objects is None):
            columns.append(made.astype(dtype))
        else:
            objects = _objects(made) if objects is None else list(objects)
            again = _again([*examples, *objects], _column(source, i))[len(examples) :]
            columns.append(_as(again, made))
    if like.ndim == 1:
        return columns[0]
    table = pd.DataFrame(
        {i: c.reset_index(drop=True) for i, c in enumerate(columns)}
    )  # of an array pandas would look again
    return table.set_axis(like.columns, axis=1).set_axis(columns[0].index, axis=0)


def _objects(made: Any) -> list[Any]:
    """Values as a function may have given them: pandas finds narrow dtypes of NumPy's narrow numbers only."""
    narrow = isinstance(made.dtype, np.dtype) and made.dtype.kind in "iuf" and made.dtype.itemsize < 8
    return list(made.array) if narrow else made.tolist()


def _as(again: Any, made: Any) -> Any:
    """Values in the place of a column's, under its labels and name."""
    if isinstance(made, pd.Index):
        return again.rename(made.name)
    return again.set_axis(made.index).rename(made.name)
