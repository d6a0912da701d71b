"""Benchmarks of TPC-H queries over tables in memory, against dask.dataframe in its usual and in its best form."""

from __future__ import annotations

from tests.benchmarks import queries, tables
from tests.benchmarks.ratio import Must, Sides, benchmark


def _sides(query: str, scale: float) -> Sides:
    scale_factor = max(round(scale, 2), 0.01)

    def side(text: str, hold):
        run = getattr(queries, f"{query}_{text}")

        def prepare():
            held = hold(queries.TABLES[query], scale_factor)
            return lambda: run(held)

        return prepare

    return {
        "ours": side("ours", tables.ours),
        "dask persisted": side("dask", tables.persisted),
        "dask from_map": side("dask", tables.from_map),
        "pandas": side("pandas", tables.pandas),
    }


def _musts(persisted: float, best: float) -> tuple[Must, ...]:
    return Must("dask persisted", persisted), Must("dask from_map", best), Must("pandas")


@benchmark(*_musts(0.4, 1.0))
def q01(scale: float) -> Sides:
    """TPC-H q01: one pass over lineitem"""
    return _sides("q01", scale)


@benchmark(*_musts(0.2, 1.0))
def q06(scale: float) -> Sides:
    """TPC-H q06: filter and sum of lineitem"""
    return _sides("q06", scale)


@benchmark(*_musts(1.0, 1.0))
def q02(scale: float) -> Sides:
    """TPC-H q02: six joins of small tables"""
    return _sides("q02", scale)


@benchmark(*_musts(1.0, 1.0))
def q22(scale: float) -> Sides:
    """TPC-H q22: a scalar question and an anti-join"""
    return _sides("q22", scale)
