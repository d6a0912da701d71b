"""Benchmarks of the 22 queries of TPC-H: over tables in memory, read from files, on workers, and ten times as large.

Each is a family of 22 benchmarks, `q01_parquet` say, and a summary of them, `tpch_parquet`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from tests.benchmarks import queries, queries_dask, tables
from tests.benchmarks.ratio import Must, Run, Sides, benchmark, summary

Hold = Callable[[tables.Columns, float], dict[str, Any]]
Answer = Callable[[str, dict[str, Any]], Any]

PERSISTED = {"q01": 0.4, "q02": 1.0, "q06": 0.2, "q22": 1.0}
"""Queries measured against persisted tables of Dask's as well, and the bound of CPU."""


def family(title: str, suffix: str, sides: Callable[[str, float], Sides], *musts: Must) -> None:
    """A benchmark of every query."""
    for name in queries.NAMES:

        def each(scale: float, name: str = name) -> Sides:
            return sides(name, scale)

        each.__name__, each.__module__ = name + suffix, sides.__module__
        each.__doc__ = f"TPC-H {name}, {getattr(queries, name).__doc__}; {title}"
        also = [Must("dask persisted", PERSISTED[name])] if not suffix and name in PERSISTED else []
        benchmark(*musts, *also)(each)


def members(suffix: str) -> tuple[str, ...]:
    return tuple(name + suffix for name in queries.NAMES)


def factor(scale: float) -> float:
    return max(round(scale, 2), 0.01)


def plain(answer: Any) -> Any:
    """Without labels, which Dask and polars do not have."""
    return answer.reset_index(drop=True) if isinstance(answer, pd.DataFrame) else answer


def ours(name: str, held: dict[str, Any]) -> Any:
    return getattr(queries, name)(**held).execute().fetch()


def in_pandas(name: str, held: dict[str, Any]) -> Any:
    return getattr(queries, name)(**held)


def in_polars(name: str, held: dict[str, Any]) -> Any:
    from tests.benchmarks import queries_polars

    answer = getattr(queries_polars, name)(**held).collect()
    return answer.item() if answer.shape == (1, 1) else answer.to_pandas()


def holding(hold: Hold, answer: Answer, name: str, scale_factor: float) -> Callable[[], Run]:
    """A side whose tables are made before time is taken."""

    def prepare() -> Run:
        held = hold(queries.columns(getattr(queries, name)), scale_factor)
        return lambda: plain(answer(name, held))

    return prepare


def reading(hold: Hold, answer: Answer, name: str, scale_factor: float) -> Callable[[], Run]:
    """A side that makes its tables in the time that is taken."""
    columns = queries.columns(getattr(queries, name))
    return lambda: lambda: plain(answer(name, hold(columns, scale_factor)))


def _memory(name: str, scale: float) -> Sides:
    sides: dict[str, tuple[Hold, Answer]] = {
        "ours": (tables.ours, ours),
        "dask": (tables.from_map, queries_dask.answer),
        "pandas": (tables.pandas, in_pandas),
        "polars": (tables.polars, in_polars),
    }
    if name in PERSISTED:
        sides["dask persisted"] = tables.persisted, queries_dask.answer
    return {side: holding(*each, name, factor(scale)) for side, each in sides.items()}


def _parquet(name: str, scale: float) -> Sides:
    sides: dict[str, tuple[Hold, Answer]] = {
        "ours": (tables.our_files, ours),
        "dask": (tables.dask_files, queries_dask.answer),
        "pandas": (tables.pandas_files, in_pandas),
        "polars": (tables.polars_files, in_polars),
    }
    return {side: reading(*each, name, factor(scale)) for side, each in sides.items()}


family(
    "tables in memory",
    "",
    _memory,
    Must("dask", 0.9),
    Must("pandas"),
    Must("pandas", unit="wall"),
    Must("polars"),
)
family(
    "tables read from parquet each time", "_parquet", _parquet, Must("pandas"), Must("dask"), Must("polars")
)


@benchmark(Must("pandas", 1.0, "memory"))
def tpch_memory(scale: float) -> Sides:
    """Peak memory of the queries of TPC-H, one after another, over tables in memory"""

    def side(hold: Hold, answer: Answer) -> Callable[[], Run]:
        def prepare() -> Run:
            held = hold(queries.COLUMNS, factor(scale))

            def run() -> list[Any]:
                texts = {name: queries.columns(getattr(queries, name)) for name in queries.NAMES}
                return [plain(answer(name, {t: held[t] for t in needed})) for name, needed in texts.items()]

            return run

        return prepare

    return {
        "ours": side(tables.ours, ours),
        "dask": side(tables.from_map, queries_dask.answer),
        "pandas": side(tables.pandas, in_pandas),
    }


summary(
    "tpch",
    members(""),
    Must("dask", 0.4),
    Must("pandas", 0.9, "wall"),
    Must("pandas", 0.5, "wall", over="total"),
    Must("polars", 2.0),
)
summary("tpch_parquet", members("_parquet"), Must("pandas", 0.7), Must("dask"), Must("polars"))
