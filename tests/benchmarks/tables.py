"""The TPC-H tables as each side holds them in memory, and as it reads them from files.

Each function takes the columns that are needed of each table. What a side reads by itself with few columns, or drops, it
is left to do; only pandas is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pandas as pd

import marsdask.dataframe as md
from tests.benchmarks import data

Columns = Mapping[str, list[str]]

_CHUNKS: dict[tuple[str, float, int], pd.DataFrame] = {}


def rows(scale_factor: float) -> int:
    """Rows of Dask's chunks: four chunks of lineitem. Half or twice as many made no query of Dask's quicker."""
    return int(1_500_000 * scale_factor)


def pandas(columns: Columns, scale_factor: float) -> dict[str, pd.DataFrame]:
    return {name: data.tpch(name, scale_factor) for name in columns}


def persisted(columns: Columns, scale_factor: float) -> dict[str, dd.DataFrame]:
    """What most people write. Dask names such a table by a hash of its data, again in every query."""
    frames = pandas(columns, scale_factor)
    return {
        name: dd.from_pandas(frame, npartitions=-(-len(frame) // rows(scale_factor))).persist()
        for name, frame in frames.items()
    }


def from_map(columns: Columns, scale_factor: float) -> dict[str, dd.DataFrame]:
    """Dask at its best: chunks are handed out by name, nothing is hashed, columns are pruned at the source."""
    frames = pandas(columns, scale_factor)
    return {name: mapped((name, scale_factor), frame, rows(scale_factor)) for name, frame in frames.items()}


def mapped(name: tuple[Any, ...], frame: pd.DataFrame, step: int) -> dd.DataFrame:
    """`frame` in chunks of `step` rows."""
    keys = [(*name, start) for start in range(0, len(frame), step)]
    for key in keys:
        _CHUNKS[key] = frame.iloc[key[-1] : key[-1] + step]
    return dd.from_map(_chunk, keys, meta=_empty(frame))


def _empty(frame: pd.DataFrame) -> pd.DataFrame:
    """No rows, same dtypes. `frame.iloc[:0]` would keep the whole of its arrow buffers, and Dask would hash them."""
    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in frame.dtypes.items()})


def _chunk(key: tuple[Any, ...], columns: list[str] | None = None) -> pd.DataFrame:
    chunk = _CHUNKS[key]
    return chunk if columns is None else chunk[columns]


def ours(columns: Columns, scale_factor: float) -> dict[str, Any]:
    """In the chunks that marsdask chooses itself."""
    return {name: md.DataFrame(frame).execute() for name, frame in pandas(columns, scale_factor).items()}


def polars(columns: Columns, scale_factor: float) -> dict[str, Any]:
    import polars as pl

    return {name: pl.from_pandas(frame).lazy() for name, frame in pandas(columns, scale_factor).items()}


def _paths(columns: Columns, scale_factor: float) -> dict[str, Path]:
    return {name: data.tpch_files(scale_factor) / name for name in columns}


def pandas_files(columns: Columns, scale_factor: float) -> dict[str, pd.DataFrame]:
    return {
        name: pd.read_parquet(at, columns=columns[name]) for name, at in _paths(columns, scale_factor).items()
    }


def dask_files(columns: Columns, scale_factor: float) -> dict[str, dd.DataFrame]:
    return {name: dd.read_parquet(at) for name, at in _paths(columns, scale_factor).items()}


def our_files(columns: Columns, scale_factor: float) -> dict[str, Any]:
    return {name: md.read_parquet(at) for name, at in _paths(columns, scale_factor).items()}


def polars_files(columns: Columns, scale_factor: float) -> dict[str, Any]:
    import polars as pl

    return {name: pl.scan_parquet(at / "*.parquet") for name, at in _paths(columns, scale_factor).items()}
