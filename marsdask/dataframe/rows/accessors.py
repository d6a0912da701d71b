""".str, .dt and .cat: made from the members that the installed pandas has, chunk by chunk."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import Index, Series, as_frame
from marsdask.dataframe.kernels import patterns, texts
from marsdask.dataframe.rows.alignment import example, matched, pandas_on_samples, together
from marsdask.dataframe.rows.families import kept_rows, row_by_row_demands
from marsdask.errors import Unbuilt, UnknownName
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import NEW, FrameMeta, TensorMeta, frame_meta, meta
from marsdask.plan.node import calling, walk
from marsdask.plan.offered import Offered
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public

NEEDS_RUN = {"str.get_dummies": "its columns are known only after a run; md.get_dummies takes a series of categories, and to_pandas() has all methods of pandas",
             "cat.remove_unused_categories": "which categories are used is known only after a run"}  # fmt: skip

ANSWERS = ("contains", "startswith", "endswith", "match", "fullmatch", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "islower",
           "isnumeric", "isspace", "istitle", "isupper")  # fmt: skip
"""Members of .str that say yes or no of each text."""


class Accessor(Offered):
    """What `series.str`, `.dt` and `.cat` give: pandas' members, lazily."""

    _inside = frozenset(["kind"])
    kind = ""
    _theirs: Any = None

    def __init__(self, series: Any):
        self._series = series
        try:
            example(_reached, series.known, self.kind)
        except AttributeError as error:
            raise UnknownName(str(error)) from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnknownName.among(f".{self.kind}", name, dir(self))


def _reached(series: Any, kind: str) -> bool:
    """Whether pandas gives the accessor; its error is the user's."""
    return getattr(series, kind) is not None


class StringAccessor(Accessor):
    """Text operations on each value. `s.str[i]`, `s.str[a:b]` take characters."""

    kind = "str"
    _theirs = pd.Series.str

    def __getitem__(self, key: Any) -> Any:
        return access(self._series, "str", "__getitem__", (key,), {})


class DatetimeAccessor(Accessor):
    """Parts and operations of dates, times and differences."""

    kind = "dt"
    _theirs = pd.core.indexes.accessors.CombinedDatetimelikeProperties


class CategoricalAccessor(Accessor):
    """Categories, their codes and order."""

    kind = "cat"
    _theirs = pd.core.arrays.categorical.CategoricalAccessor


SPLITS = ("split", "rsplit")


def reach(series: Any, kind: str, name: str, args: Any, kwargs: Any, call: bool = True) -> Any:
    """A member of an accessor of pandas; a split at `n` places, which `_member` has found in some row, gives n + 1 columns whatever the chunk."""
    if name in ANSWERS and call:
        return texts.answered(series, partial(_answers, kind, name, args, kwargs))
    made = getattr(getattr(series, kind), name)
    made = made(*args, **kwargs) if call else made
    if name in SPLITS and kwargs.get("expand"):
        return _widened(made, kwargs["n"] + 1)
    return made


def _widened(cut: pd.DataFrame, width: int) -> pd.DataFrame:
    """What a split gives where another row has more parts: objects hold None there, but beside a hole a hole."""
    if not cut.shape[1] or cut[0].dtype != object:
        return cut.reindex(columns=range(width)).astype(cut[0].dtype if cut.shape[1] else object)
    missing = cut[0].where(cut[0].isna(), None)
    return pd.concat([cut, *[missing] * (width - cut.shape[1])], axis=1).set_axis(range(width), axis=1)


def _answers(kind: str, name: str, args: Any, kwargs: Any, values: Any) -> Any:
    """What a member says of each text; of the rows only that hold what its pattern spells out, where it does."""
    held = patterns.needed(name, args, kwargs)
    asked = partial(_asked, kind, name, args, kwargs)
    return asked(values) if held is None else patterns.answered(values, held, asked)


def _asked(kind: str, name: str, args: Any, kwargs: Any, values: Any) -> Any:
    return getattr(getattr(values, kind), name)(*args, **kwargs)


def _accessed_meta(
    frame: FrameMeta, kind: str, name: str, args: Any, kwargs: Any, call: bool, *others: FrameMeta
) -> Any:
    if others:
        result: Any = pandas_on_samples(_join_chunk, frame, kwargs, *others)
        if all(o.rows == frame.rows for o in others):
            return frame.same(result)
        changed = kwargs.get("join") in ("outer", "inner", "right")
        return frame_meta(result, float("nan") if changed else frame.length, NEW)
    found = example(_reach_array, frame, kind, name, args, kwargs, call)
    return frame.fewer(found) if name == "extractall" else kept_rows(frame, found)


def _reach_array(*asked: Any) -> Any:
    """A member, as an array where that is a list."""
    result = reach(*asked)
    return np.asarray(result) if isinstance(result, list) else result


@lowered(
    "frame.accessed",
    meta=_accessed_meta,
    demands=lambda node, mine: row_by_row_demands(node, mine.of(None)),
)
def accessed(frame: Chunks, kind: str, name: str, args: Any, kwargs: Any, call: bool, *others: Any) -> Any:
    """A member of .str, .dt or .cat, chunk by chunk."""
    if others:
        frame, others, _ = yield from matched(frame, others, {})
        return graph.per_chunk(_join_chunk, frame, kwargs, *others)
    lengths = "unknown" if name == "extractall" else "same"
    if kind == "str" and frame.count > 1 and frame.node is not None and _holds_objects(frame.empty):
        with_texts = graph.value(_with_texts, graph.per_chunk(_kind_of, frame, lengths=None), label="texts")
        made = graph.per_chunk(_reach_beside, frame, with_texts, name, args, kwargs, call, lengths=lengths)
        result = graph.even(made)
    else:
        result = graph.per_chunk(reach, frame, kind, name, args, kwargs, call, lengths=lengths)
    known = graph.promised()
    if isinstance(known, TensorMeta):
        return graph.to_array(graph.per_chunk(np.asarray, result), dtype=known.dtype)
    return graph.even(result) if known.kind == "DataFrame" else result


def _holds_objects(empty: Any) -> bool:
    return isinstance(empty, pd.Series) and empty.dtype == object


def _kind_of(values: pd.Series) -> str:
    """What pandas takes a column of objects for."""
    return pd.api.types.infer_dtype(values, skipna=True)


_TEXTS = frozenset(("string", "empty", "mixed", "mixed-integer"))


def _with_texts(kinds: list[str]) -> bool:
    """Whether chunks of these kinds are together a column that has texts."""
    return bool(_TEXTS & set(kinds) - {"empty"})


def _reach_beside(values: pd.Series, with_texts: bool, name: str, *asked: Any) -> Any:
    """A member of .str of a chunk of objects, beside a text where it has none: pandas judges the whole column."""
    if not with_texts or _kind_of(values) in _TEXTS:
        return reach(values, "str", name, *asked)
    if name == "extractall":
        return reach(values.iloc[:0], "str", name, *asked)
    text = pd.Series([""], dtype=object, name=values.name)
    made = reach(pd.concat([values, text], ignore_index=True), "str", name, *asked)
    return made.iloc[:-1].set_axis(values.index, axis=0)


def access(series: Any, kind: str, name: str, args: Any, kwargs: Any, call: bool = True) -> Any:
    """The lazy result of a member."""
    with calling(f"{kind}.{name}"):  # properties come here without a call
        return registry.make("frame.accessed", series, kind, name, tuple(args), kwargs, call)


def _join_chunk(series: Any, kwargs: Any, *others: Any) -> Any:
    return series.str.cat(list(others) or None, **kwargs)


@lowered(
    "frame.text",
    meta=lambda frame, kwargs: TensorMeta((), np.dtype(object)),
    demands=lambda node, mine: [Demand(None, True, False)],
)
def text(frame: Chunks, kwargs: Any) -> Any:
    """All values as one text."""
    whole = graph.per_chunk(_join_chunk, graph.gather(frame), kwargs, lengths=None)
    return graph.to_array(whole, scalar=True, dtype=object)


def _cat(self: Accessor, others: Any = None, sep: Any = None, na_rep: Any = None, join: str = "left") -> Any:
    series = self._series
    kwargs = {k: v for k, v in (("sep", sep), ("na_rep", na_rep)) if v is not None}
    if others is None:
        return registry.make("frame.text", series, kwargs)
    if join != "left":
        kwargs["join"] = join
    if hasattr(others, "columns"):
        several = [others[c] for c in others.columns]
    else:
        kinds = (Handle, pd.Series, pd.Index, np.ndarray, list)
        nested = isinstance(others, (list, tuple)) and any(isinstance(o, kinds) for o in others)
        several = list(others) if nested else [others]
    ready = []
    for other in several:
        by_place = isinstance(other, (pd.Index, np.ndarray, list, Index))
        values = as_frame(pd.Series(other) if by_place and not isinstance(other, Index) else other)
        ready.append(registry.make("frame.relabelled_like", values, series) if by_place else values)
    first, ready, _ = together(series, ready, {})
    return registry.make("frame.accessed", first, "str", "cat", (), kwargs, True, *ready)


def _freq(self: Accessor) -> Any:
    return self._series._run_and_fetch().dt.freq


OTHERS = {"str.cat": _cat, "dt.freq": _freq}
"""Members that are not made of each chunk by itself; `freq` runs, as pandas guesses it from all values."""


def member(owner: type[Accessor], name: str) -> None:
    """Declare one member of an accessor of pandas: its properties too."""
    kind = owner.kind
    full = f"{kind}.{name}"
    if full in NEEDS_RUN:
        registry.unbuilt(full, NEEDS_RUN[full], room="dataframe", owners=[kind], function=False)
        return
    found = getattr(owner._theirs, name, None)
    is_property = not callable(found) or isinstance(inspect.getattr_static(owner._theirs, name), property)
    does = partial(_property if is_property else _member, kind, name)
    splits = name in SPLITS
    more = " With `expand=True` it runs, to see how many columns there are: the first rows where they have `n` + 1."
    public(
        full,
        owners=[kind],
        status="delegated",
        traits=["property"] if is_property else ["runs"] if splits else [],
        signature=_signature(found),
        doc=f"pandas' `{full}` of each value.{more if splits else ''}",
    )(OTHERS.get(full, does))
    if is_property:
        setattr(
            owner, name, property(OTHERS.get(full, does), doc=registry.documentation(registry.lookup(full)))
        )


def _signature(member: Any) -> inspect.Signature:
    """pandas' signature without annotations; of a property nothing but `self`."""
    try:
        return registry.shown(inspect.signature(member))
    except (TypeError, ValueError):
        return inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)])


def _tell_categories(series: Any) -> None:
    """Run a series whose categories only data tell, as what is asked hangs on them."""
    frames = [known for each in walk([series.node]) if isinstance(known := meta(each), FrameMeta)]
    dtypes = [d for known in frames for d in known.dtypes if isinstance(d, pd.CategoricalDtype)]
    if not series.is_executed() and not all(len(dtype.categories) for dtype in dtypes):
        series.execute()


def _property(kind: str, name: str, self: Accessor) -> Any:
    if name == "categories":
        _tell_categories(self._series)
    example = pandas_on_samples(reach, self._series.known, kind, name, (), {}, False)
    if isinstance(example, (pd.Series, pd.DataFrame, np.ndarray)):
        return access(self._series, kind, name, (), {}, False)
    return example  # what the dtype says: tz, unit, categories, ordered


def _member(kind: str, name: str, self: Accessor, *args: Any, **kwargs: Any) -> Any:
    if name in ("add_categories", "remove_categories", "rename_categories", "reorder_categories"):
        _tell_categories(self._series)
    if name in SPLITS and kwargs.get("expand"):
        if isinstance(self._series, Index):
            hint = f"index.to_series().str.{name}(...) gives a frame."
            raise Unbuilt.argument(f"Index.str.{name}", "expand", kwargs["expand"], hint)
        most = _most_cuts(self._series, name, args, {k: v for k, v in kwargs.items() if k != "expand"})
        if not most:
            whole = access(self._series, kind, "slice", (), {}).to_frame(0)
            return whole if most is not None else whole.iloc[:, :0]
        kwargs["n"] = most
    return access(self._series, kind, name, args, kwargs)


def _most_cuts(series: Any, name: str, args: Any, kwargs: Any) -> int | None:
    """At how many places a split cuts a row at most, which only a run can tell; None where there is no row.

    Often the first rows tell it, where `n` says how many there may be.
    """
    bound = kwargs.get("n", -1)
    bounded = isinstance(bound, (int, np.integer)) and bound > 0
    most: Any = None
    for rows in (series.head(100), series) if bounded else (series,):
        most = access(rows, "str", name, args, kwargs).map(_cuts, dtype=float).max().execute().fetch()
        if bounded and most == bound:
            break
    return None if most != most else int(most)


def _cuts(parts: Any) -> int:
    return len(parts) - 1 if isinstance(parts, list) else 0


for _class in (StringAccessor, DatetimeAccessor, CategoricalAccessor):
    for _name in sorted(n for n in dir(_class._theirs) if not n.startswith("_")):
        member(_class, _name)
    registry.attach(_class, _class.kind)
    setattr(Series, _class.kind, property(_class, doc=_class.__doc__))
Index.str = property(StringAccessor, doc=StringAccessor.__doc__)  # type: ignore[attr-defined]
