"""The TPC-H tables in memory, as each side holds them: pandas, Dask persisted, Dask at its best, marsdask.

Dask cuts them into chunks of `rows(scale_factor)` rows; marsdask does what it does for every user.
"""

from __future__ import annotations

from collections.abc import Iterable

import dask.dataframe as dd
import pandas as pd

import marsdask.dataframe as md
from tests.benchmarks import data

Names = Iterable[str]

_CHUNKS: dict[tuple[str, float, int], pd.DataFrame] = {}


def rows(scale_factor: float) -> int:
    """Rows of a chunk: four chunks of lineitem. Half or twice as many made no query of Dask's quicker."""
    return int(1_500_000 * scale_factor)


def pandas(names: Names, scale_factor: float) -> dict[str, pd.DataFrame]:
    return {name: data.tpch(name, scale_factor) for name in names}


def persisted(names: Names, scale_factor: float) -> dict[str, dd.DataFrame]:
    """What most people write. Dask names such a table by a hash of its data, again in every query."""
    frames = pandas(names, scale_factor)
    return {
        name: dd.from_pandas(frame, npartitions=-(-len(frame) // rows(scale_factor))).persist()
        for name, frame in frames.items()
    }


def from_map(names: Names, scale_factor: float) -> dict[str, dd.DataFrame]:
    """Dask at its best: chunks are handed out by name, nothing is hashed, columns are pruned at the source."""
    made, step = {}, rows(scale_factor)
    for name, frame in pandas(names, scale_factor).items():
        keys = [(name, scale_factor, start) for start in range(0, len(frame), step)]
        for key in keys:
            _CHUNKS[key] = frame.iloc[key[-1] : key[-1] + step]
        made[name] = dd.from_map(_chunk, keys, meta=_empty(frame))
    return made


def _empty(frame: pd.DataFrame) -> pd.DataFrame:
    """No rows, same dtypes. `frame.iloc[:0]` would keep the whole of its arrow buffers, and Dask would hash them."""
    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in frame.dtypes.items()})


def _chunk(key: tuple[str, float, int], columns: list[str] | None = None) -> pd.DataFrame:
    chunk = _CHUNKS[key]
    return chunk if columns is None else chunk[columns]


def ours(names: Names, scale_factor: float) -> dict[str, object]:
    """In the chunks that marsdask chooses itself."""
    return {name: md.DataFrame(frame).execute() for name, frame in pandas(names, scale_factor).items()}
