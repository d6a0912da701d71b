"""The questions of h2oai's db-benchmark: ten of grouping and five of joining, over ten million rows in memory.

A question is pandas' text, for marsdask and Dask as well; as in the original, answers are compared by row counts and sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import dask
import numpy as np
import pandas as pd

import marsdask as mars
import marsdask.dataframe as md
from tests.benchmarks.ratio import Must, Run, Sides, benchmark, summary
from tests.benchmarks.tables import mapped

GROUPS = 100


def _rows(scale: float) -> int:
    return max(int(1e7 * scale), 10_000)


def _words(numbers: np.ndarray, digits: int) -> pd.Series:
    """The texts "id001" ... of few or many numbers; made once for each number."""
    distinct, at = np.unique(numbers, return_inverse=True)
    return pd.Series(pd.array([f"id{n:0{digits}}" for n in distinct], dtype="str").take(at))


@cache
def grouped(rows: int) -> pd.DataFrame:
    """Three columns of text and three of integers to group by, of 100, 100 and rows/100 values; three of values."""
    rng = np.random.default_rng(108)
    many = rows // GROUPS
    return pd.DataFrame(
        {
            "id1": _words(rng.integers(1, GROUPS + 1, rows), 3),
            "id2": _words(rng.integers(1, GROUPS + 1, rows), 3),
            "id3": _words(rng.integers(1, many + 1, rows), 10),
            "id4": rng.integers(1, GROUPS + 1, rows),
            "id5": rng.integers(1, GROUPS + 1, rows),
            "id6": rng.integers(1, many + 1, rows),
            "v1": rng.integers(1, 6, rows),
            "v2": rng.integers(1, 16, rows),
            "v3": rng.uniform(0, 100, rows).round(6),
        }
    )


@cache
def joined(rows: int) -> dict[str, pd.DataFrame]:
    """A table of `rows` rows and three to join: a few keys, some thousands, and as many as rows. One key in ten is alone."""
    rng = np.random.default_rng(108)
    left, right = {}, {}
    for level, count in enumerate((max(rows // 10**6, 10), max(rows // 10**3, 10), rows), start=1):
        keys = rng.permutation(count + count // 10) + 1
        left[level], right[level] = keys[:count], keys[-count:]

    def table(keys: list[np.ndarray], value: str) -> pd.DataFrame:
        columns = {f"id{i}": each for i, each in enumerate(keys, start=1)}
        columns |= {f"id{i}": _words(each, 0) for i, each in enumerate(keys, start=4)}
        return pd.DataFrame(columns | {value: rng.uniform(0, 100, len(keys[-1])).round(6)})

    def drawn(keys: dict[int, np.ndarray], level: int) -> list[np.ndarray]:
        """The keys of a level, each once, and some key of each level below."""
        return [rng.choice(keys[below], len(keys[level])) for below in range(1, level)] + [keys[level]]

    tables = {"x": table(drawn(left, 3), "v1")}
    return tables | {
        name: table(drawn(right, i), "v2") for i, name in enumerate(("small", "medium", "big"), 1)
    }


def _largest_two(x: Any) -> Any:
    return x[["id6", "v3"]].sort_values("v3", ascending=False).groupby("id6").head(2)


def _regression(x: Any) -> Any:
    """r² of v1 and v2: their sums are integers, so nothing is rounded away."""
    x = x[["id2", "id4", "v1", "v2"]].assign(xx=x.v1 * x.v1, yy=x.v2 * x.v2, xy=x.v1 * x.v2)
    s = x.groupby(["id2", "id4"], sort=False).agg(
        n=("v1", "size"),
        x=("v1", "sum"),
        y=("v2", "sum"),
        xx=("xx", "sum"),
        yy=("yy", "sum"),
        xy=("xy", "sum"),
    )
    s["r2"] = (s.n * s.xy - s.x * s.y) ** 2 / ((s.n * s.xx - s.x**2) * (s.n * s.yy - s.y**2))
    return s[["r2"]].reset_index()


def _range(x: Any) -> Any:
    s = x.groupby("id3", sort=False).agg(v1=("v1", "max"), v2=("v2", "min"))
    return (s.v1 - s.v2).rename("range_v1_v2").reset_index()


def _agg(*keys: str, **named: tuple[str, str]) -> Callable[[Any], Any]:
    return lambda x: x.groupby(list(keys), sort=False).agg(**named).reset_index()


GROUPBY: dict[str, Callable[[Any], Any]] = {
    "sum v1 by id1": _agg("id1", v1=("v1", "sum")),
    "sum v1 by id1, id2": _agg("id1", "id2", v1=("v1", "sum")),
    "sum v1, mean v3 by id3": _agg("id3", v1=("v1", "sum"), v3=("v3", "mean")),
    "mean v1, v2, v3 by id4": _agg("id4", v1=("v1", "mean"), v2=("v2", "mean"), v3=("v3", "mean")),
    "sum v1, v2, v3 by id6": _agg("id6", v1=("v1", "sum"), v2=("v2", "sum"), v3=("v3", "sum")),
    "median, std v3 by id4, id5": _agg("id4", "id5", median=("v3", "median"), std=("v3", "std")),
    "max v1 - min v2 by id3": _range,
    "largest two v3 by id6": _largest_two,
    "regression v1 v2 by id2, id4": _regression,
    "sum v3, count by id1 ... id6": _agg(
        "id1", "id2", "id3", "id4", "id5", "id6", v3=("v3", "sum"), count=("v1", "size")
    ),
}

DASK_GROUPBY: dict[str, Callable[[Any], Any]] = {
    # Dask sorts all rows for this; the largest of each chunk are enough, a thirtieth of the CPU.
    "largest two v3 by id6": lambda x: _largest_two(x.map_partitions(_largest_two).compute()),
}

JOIN: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "small, inner on integers": lambda t: t["x"].merge(t["small"], on="id1"),
    "medium, inner on integers": lambda t: t["x"].merge(t["medium"], on="id2"),
    "medium, left on integers": lambda t: t["x"].merge(t["medium"], on="id2", how="left"),
    "medium, inner on text": lambda t: t["x"].merge(t["medium"], on="id5"),
    "big, inner on integers": lambda t: t["x"].merge(t["big"], on="id3"),
}


def _sums(frames: list[pd.DataFrame], values: list[str]) -> np.ndarray:
    return np.array([sum(map(len, frames)), *sum(frame[values].sum().to_numpy() for frame in frames)])


def _told(frame: pd.DataFrame) -> np.ndarray:
    """How many rows, and the sums of what is no key."""
    return _sums([frame], [name for name in frame.columns if not name.startswith("id")])


def _their_chunks(frame: Any) -> np.ndarray:
    """Of rows that stay in chunks: neither `persist`, which hashes them, nor one frame of them all."""
    return _sums(list(dask.compute(*frame.to_delayed())), ["v1", "v2"])


def _our_chunks(frame: Any) -> np.ndarray:
    frame = frame.execute()
    return np.array([len(frame), *mars.fetch(*mars.execute(frame.v1.sum(), frame.v2.sum()))])


def _grouping(question: str, scale: float) -> Sides:
    rows = _rows(scale)
    text, x = GROUPBY[question], cache(lambda: grouped(rows))

    def ours() -> Run:
        held = md.DataFrame(x()).execute()
        return lambda: _told(text(held).execute().fetch())

    def theirs() -> Run:
        held = mapped(("h2o", rows), x(), -(-rows // 4))
        best = DASK_GROUPBY.get(question, lambda x: text(x).compute())
        return lambda: _told(best(held))

    return {"ours": ours, "dask": theirs, "pandas": lambda: lambda: _told(text(x()))}


def _joining(question: str, scale: float) -> Sides:
    rows = _rows(scale)
    text, tables = JOIN[question], cache(lambda: joined(rows))

    def ours() -> Run:
        held = {name: md.DataFrame(frame).execute() for name, frame in tables().items()}
        return lambda: _our_chunks(text(held))

    def theirs() -> Run:
        held = {name: mapped((name, rows), frame, -(-rows // 4)) for name, frame in tables().items()}
        return lambda: _their_chunks(text(held))

    return {"ours": ours, "dask": theirs, "pandas": lambda: lambda: _told(text(tables())[["v1", "v2"]])}


def _family(name: str, letter: str, questions: Iterable[str], sides: Callable[[str, float], Sides]) -> None:
    made = []
    for i, question in enumerate(questions, start=1):

        def each(scale: float, question: str = question) -> Sides:
            return sides(question, scale)

        each.__name__, each.__doc__ = f"{letter}{i:02}", f"h2o: {question}"
        benchmark(Must("pandas", 1.1), Must("dask", 1.0))(each)
        made.append(each.__name__)
    summary(name, tuple(made), Must("pandas"), Must("dask"))


_family("h2o_groupby", "g", GROUPBY, _grouping)
_family("h2o_join", "j", JOIN, _joining)
