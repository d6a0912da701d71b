"""Benchmarks of frames read from files: column pruning, the running index of a CSV, rows by position."""

from __future__ import annotations

import subprocess
import sys

import dask
import dask.dataframe as dd
import pandas as pd

import marsdask.dataframe as md
from tests.benchmarks import data
from tests.benchmarks.ratio import Must, Sides, benchmark


def _wide_rows(scale: float) -> int:
    return max(int(2_000_000 * scale), 4000)


@benchmark(Must("dask", 1.1, "wall"), Must("dask", unit="cpu"))
def wide_groupby(scale: float) -> Sides:
    """groupby of one column of a 20-column parquet table of eight files"""
    path = data.wide_parquet(_wide_rows(scale))

    def ours():
        return lambda: md.read_parquet(path).groupby("key").c1.mean().execute().fetch()

    def theirs():
        return lambda: dd.read_parquet(path).groupby("key").c1.mean().compute()

    return {"ours": ours, "dask": theirs}


@benchmark(Must("dask", 1.1, "wall"), Must("dask", unit="cpu"))
def csv_groupby(scale: float) -> Sides:
    """read_csv of 1 GB, then groupby"""
    path = data.long_csv(max(int(1e9 * scale), 100_000))

    def ours():
        return lambda: md.read_csv(path).groupby("key").x.mean().execute().fetch()

    def theirs():
        return lambda: dd.read_csv(path).groupby("key").x.mean().compute()

    return {"ours": ours, "dask": theirs}


@benchmark(Must("persist first", 0.35, "wall"), Must("persist first", unit="cpu"))
def rows(scale: float) -> Sides:
    """iloc of 1000 rows from parquet, against persisting to learn the lengths"""
    total = _wide_rows(scale)
    path = data.wide_parquet(total)
    wanted = min(1000, total // 10)
    first = total // 2 - wanted // 3  # the rows lie on both sides of a chunk's end

    def ours():
        return lambda: md.read_parquet(path).iloc[first : first + wanted].execute().fetch()

    def persist_first():
        return lambda: _rows_of_persisted(path, first, first + wanted)

    return {"ours": ours, "persist first": persist_first}


FIRST = """
import time
import marsdask.dataframe as md
import pandas as pd
data = pd.DataFrame({"k": [1, 2, 1], "v": [1.0, 2.0, 3.0]})
cpu = time.process_time()
md.DataFrame(data).groupby("k").sum().execute().fetch()
print(time.process_time() - cpu)
"""


@benchmark(Must("30 ms", 1.0, per=lambda scale: 0.03))
def first_frame(scale: float) -> Sides:
    """the first small frame expression of a process after import, whatever that makes it import"""

    def ours():
        used = [0.0]

        def run() -> None:
            told = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
            used[0] += float(told.stdout)

        run.clock = lambda: used[0]
        return run

    return {"ours": ours}


def _rows_of_persisted(path: data.Path, start: int, stop: int) -> pd.DataFrame:
    """By hand, and with partitions persisted one by one: `frame.persist()` would hash all data on top."""
    parts = dask.persist(*dd.read_parquet(path).to_delayed(), scheduler="threads")
    lengths = dask.compute(*[dask.delayed(len)(part) for part in parts], scheduler="threads")
    picked, before = [], 0
    for part, length in zip(parts, lengths, strict=True):
        low, high = max(start - before, 0), min(stop - before, length)
        if low < high:
            picked.append(dask.delayed(pd.DataFrame.iloc.fget)(part)[low:high])
        before += length
    rows = pd.concat(dask.compute(*picked, scheduler="threads"))
    return rows.set_axis(pd.RangeIndex(start, stop))  # pandas' labels; Dask begins anew in every file
