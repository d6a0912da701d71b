"""Benchmarks of the queries of TPC-H over tables in memory, against dask.dataframe in its usual and in its best form."""

from __future__ import annotations

from tests.benchmarks import queries, tables
from tests.benchmarks.ratio import Must, Sides, benchmark


def _sides(name: str, scale: float) -> Sides:
    query, scale_factor = getattr(queries, name), max(round(scale, 2), 0.01)

    def side(hold, finish=lambda answer: answer):
        def prepare():
            held = hold(queries.columns(query), scale_factor)
            return lambda: finish(query(**held))

        return prepare

    return {
        "ours": side(tables.ours, lambda answer: answer.execute().fetch()),
        "pandas": side(tables.pandas),
    }


for _name in queries.NAMES:
    _query = getattr(queries, _name)

    def _benchmark(scale: float, name: str = _name) -> Sides:
        return _sides(name, scale)

    _benchmark.__name__, _benchmark.__doc__ = _name, f"TPC-H {_name}: {_query.__doc__}"
    benchmark(Must("pandas", unit="wall"), Must("pandas"))(_benchmark)
