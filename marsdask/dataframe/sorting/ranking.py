"""The largest and smallest rows, and ranks."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from marsdask import checks
from marsdask.dataframe.rows.alignment import pandas_on_samples
from marsdask.dataframe.sorting import shuffle
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import frame_meta
from marsdask.plan.registry import lowered, public


def _most(self: Any, name: str, n: Any, columns: Any, keep: Any) -> Any:
    checks.choice(keep, f"{name}(keep=)", ("first", "last", "all"))
    args = [checks.whole(n, f"{name}(n=)"), keep]
    if self.ndim == 2:
        args.append(checks.columns(columns if isinstance(columns, list) else [columns], self))
    return registry.make("frame.most", self, name, *args)


def _picked(frame: Any, name: str, n: int, keep: str, columns: Any) -> Any:
    return (
        getattr(frame, name)(n, keep=keep) if columns is None else getattr(frame, name)(n, columns, keep=keep)
    )


def _candidates(parts: list[Any], *, how: tuple[Any, ...]) -> Any:
    """The rows among which the answer is, in the order they had."""
    # One more than asked for: pandas puts ties in another order where it has no more rows than that.
    how = (how[0], how[1] + 1, *how[2:])
    whole = graph.concat(parts)
    return whole.iloc[np.sort(_picked(whole.reset_index(drop=True), *how).index.to_numpy())]


def _most_of(parts: list[Any], *, how: tuple[Any, ...]) -> Any:
    return _picked(graph.concat(parts), *how)


@lowered("frame.most", meta=lambda frame, name, n, keep, columns=None: frame.fewer(
    pandas_on_samples(_picked, frame, name, n, keep, columns)))  # fmt: skip
def most(frame: Chunks, name: str, n: int, keep: str, columns: Any = None) -> Chunks:
    """The largest or smallest rows: candidates of each chunk, joined in a tree."""
    how = (name, n, keep, columns)
    parts = graph.per_chunk(partial(_one, how=how), frame, lengths="unknown")
    return graph.tree(parts, partial(_candidates, how=how), partial(_most_of, how=how)).with_lengths(
        (math.nan,)
    )


def _one(chunk: Any, *, how: tuple[Any, ...]) -> Any:
    return _candidates([chunk], how=how)


def _of_frame(name: str, self: Any, n: int, columns: Any, keep: str = "first") -> Any:
    return _most(self, name, n, columns, keep)


def _of_series(name: str, self: Any, n: int = 5, keep: str = "first") -> Any:
    return _most(self, name, n, None, keep)


for _name in ("nlargest", "nsmallest"):
    _text = _name[1:]
    public(
        f"DataFrame.{_name}",
        owners=["DataFrame"],
        doc=f"The `n` rows with the {_text} values in `columns`, in order.",
    )(partial(_of_frame, _name))
    public(f"Series.{_name}", owners=["Series"], doc=f"The `n` {_text} values, in order.")(
        partial(_of_series, _name)
    )


@public("frame.rank", owners=["DataFrame", "Series"], status="gathered")
def rank(
    self: Any,
    axis: Any = 0,
    method: str = "average",
    numeric_only: bool = False,
    na_option: str = "keep",
    ascending: bool = True,
    pct: bool = False,
) -> Any:
    """The rank of each value from 1 on, among all rows (or along a row with `axis=1`)."""
    checks.choice(method, "rank(method=)", ("average", "min", "max", "first", "dense"))
    checks.choice(na_option, "rank(na_option=)", ("keep", "top", "bottom"))
    how = {
        "axis": checks.frame_axis(axis, self.ndim, "rank"),
        "method": method,
        "numeric_only": numeric_only,
        "na_option": na_option,
        "ascending": ascending,
        "pct": pct,
    }
    return registry.make("frame.ranked", self, how)


def _ranked(frame: Any, how: dict[str, Any]) -> Any:
    return frame.rank(**how)


def _met_and_ranked(pieces: list[shuffle.Piece], *, how: dict[str, Any]) -> Any:
    frame, _, homes, rows = shuffle.met(pieces)
    return _ranked(frame, how), homes, rows


@lowered("frame.ranked", status="gathered",
           meta=lambda frame, how: frame_meta(pandas_on_samples(_ranked, frame, how), frame.length, frame.rows, ranged=frame.ranged))  # fmt: skip
def ranked(frame: Chunks, how: dict[str, Any]) -> Chunks:
    """Ranks of values: among all rows in one chunk, and back home; along a row chunk by chunk."""
    if how["axis"] == 1 or frame.count == 1:
        return graph.per_chunk(_ranked, frame, how)
    return shuffle.home(
        shuffle.sent(frame, [], None, partial(_met_and_ranked, how=how), 1), frame.count, frame.lengths
    )
