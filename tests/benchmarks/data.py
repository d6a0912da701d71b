"""Where benchmarks find their data: made once, kept in a directory that git does not see.

`MARSDASK_BENCH_DATA` names the directory; without it, `.bench-data` beside the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet


def directory() -> Path:
    """The data directory, made if need be; it hides itself from git."""
    fallback = Path(__file__).parents[2] / ".bench-data"
    path = Path(os.environ.get("MARSDASK_BENCH_DATA") or fallback)
    path.mkdir(parents=True, exist_ok=True)
    hidden = path / ".gitignore"
    if not hidden.exists():  # a query that reads files asks for each table
        hidden.write_text("*\n")
    return path


def made(name: str, make: Callable[[Path], None]) -> Path:
    """The path of `name`, made by `make(path)` if it is not there; never half made."""
    path = directory() / name
    if not path.exists():
        partial = path.with_name(f"{name}.{os.getpid()}.partial")
        make(partial)
        try:
            partial.rename(path)
        except OSError:  # another process was first: a directory cannot replace a full one
            shutil.rmtree(partial)
    return path


def _tpchgen() -> str | None:
    beside_python = shutil.which("tpchgen-cli", path=sysconfig.get_path("scripts"))
    return beside_python or shutil.which("tpchgen-cli")


def _generate(path: Path, scale_factor: float) -> None:
    program = _tpchgen()
    if program is None:
        raise FileNotFoundError("tpchgen-cli makes the TPC-H tables; install the package of that name")
    subprocess.run(
        [program, "parquet", "--scale-factor", f"{scale_factor:g}", "--output-dir", path],
        check=True,
        capture_output=True,
    )


def _generated(scale_factor: float) -> Path:
    return made(f"tpch-sf{scale_factor:g}", lambda path: _generate(path, scale_factor))


@cache
def tpch(table: str, scale_factor: float) -> pd.DataFrame:
    """One TPC-H table with doubles for decimals and timestamps for dates, as all sides read it."""
    read = pa.parquet.read_table(_generated(scale_factor) / f"{table}.parquet")
    return read.cast(_plain(read.schema)).to_pandas()


def tpch_files(scale_factor: float) -> Path:
    """The same as parquet: a directory for each table, of equal files of about 1.5 million rows."""

    def make(path: Path) -> None:
        for source in sorted(_generated(scale_factor).glob("*.parquet")):
            table = path / source.stem
            table.mkdir(parents=True)
            file = pa.parquet.ParquetFile(source)
            total = file.metadata.num_rows
            for i, batch in enumerate(file.iter_batches(-(-total // max(round(total / 1.5e6), 1)))):
                read = pa.Table.from_batches([batch])
                pa.parquet.write_table(read.cast(_plain(read.schema)), table / f"part-{i:03}.parquet")

    return made(f"tpch-files-sf{scale_factor:g}", make)


def _plain(schema: pa.Schema) -> pa.Schema:
    return pa.schema([_plain_field(field) for field in schema])


def _plain_field(field: pa.Field) -> pa.Field:
    if pa.types.is_decimal(field.type):
        return field.with_type(pa.float64())
    if pa.types.is_date(field.type):
        return field.with_type(pa.timestamp("ms"))
    if pa.types.is_string_view(field.type):
        return field.with_type(pa.string())
    return field


def wide_parquet(rows: int, *, files: int = 8, columns: int = 20) -> Path:
    """A directory of parquet files: an integer `key` of 100 values and doubles `c1` ... in `columns` columns."""

    def make(path: Path) -> None:
        path.mkdir()
        rng = np.random.default_rng(1)
        for i, size in enumerate(_shares(rows, files)):
            frame = {"key": rng.integers(0, 100, size)}
            frame |= {f"c{k}": rng.random(size) for k in range(1, columns)}
            pa.parquet.write_table(pa.table(frame), path / f"part-{i:02}.parquet")

    return made(f"wide-{rows}x{columns}-in-{files}", make)


def long_csv(size: int) -> Path:
    """A CSV file of `size` bytes or a little more: `key` of 1000 values, two doubles, an integer, a word."""
    words = np.array(["amber", "birch", "cedar", "dahlia", "elm", "fir", "ginkgo", "hazel"])

    def make(path: Path) -> None:
        rng = np.random.default_rng(2)
        rows = max(min(size // 100, 1_000_000), 10)
        with path.open("wb") as out:
            while out.tell() < size:
                block = pa.table(
                    {
                        "key": rng.integers(0, 1000, rows),
                        "x": rng.random(rows).round(6),
                        "y": rng.normal(size=rows).round(6),
                        "n": rng.integers(0, 1_000_000, rows),
                        "word": words[rng.integers(0, len(words), rows)],
                    }
                )
                header = pa.csv.WriteOptions(include_header=out.tell() == 0, quoting_style="needed")
                pa.csv.write_csv(block, out, header)

    return made(f"long-{size}.csv", make)


def _shares(total: int, parts: int) -> list[int]:
    return [total // parts + (i < total % parts) for i in range(parts)]
