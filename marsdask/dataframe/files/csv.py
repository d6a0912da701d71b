"""`read_csv`: chunks are byte ranges cut at line ends; columns nobody looks at are not parsed."""

from __future__ import annotations

import inspect
import io
import math
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from dask.tokenize import tokenize

from marsdask.dataframe.files import paths as files
from marsdask.dataframe.files.csv_plan import SMALL, Piece, Plan, byte_count, for_bytes, planned, quotes_in
from marsdask.dataframe.making.creation import check_host
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NEW, FrameMeta, frame_meta
from marsdask.plan.node import Data, Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def read_chunk(pieces: list[Piece], plan: Plan, columns: list[Any] | None) -> pd.DataFrame:
    """The rows of a chunk, with the head's dtypes."""
    return graph.concat([_read_piece(piece, plan, columns) for piece in pieces])


def _read_piece(piece: Piece, plan: Plan, columns: list[Any] | None) -> pd.DataFrame:
    path, start, stop = piece
    keywords = dict(plan.keywords)
    if plan.texts:
        keywords["dtype"] = {**(keywords.get("dtype") or {}), **plan.texts}
    if columns is not None:
        keywords = _fewer(keywords, plan, columns)
    if stop is None:
        extra = {"storage_options": plan.storage} if plan.storage and files.is_remote(path) else {}
        found = pd.read_csv(path, **keywords, **extra)
    else:
        found = _read_range(path, start, stop, plan, for_bytes(keywords))
    if columns is not None:
        found = found[columns]
    return settled(found, plan, piece)


def _fewer(keywords: dict[str, Any], plan: Plan, columns: list[Any]) -> dict[str, Any]:
    """Keywords for reading some columns only."""
    index = keywords.get("index_col")
    kept = [*([index] if isinstance(index, str) else index or []), *columns] or list(plan.empty.columns[:1])
    new = {**keywords, "usecols": kept}
    if isinstance(keywords.get("parse_dates"), (list, tuple)):
        new["parse_dates"] = [c for c in keywords["parse_dates"] if c in kept]
    for name in ("dtype", "converters", "date_format"):
        if isinstance(keywords.get(name), dict):
            new[name] = {c: v for c, v in keywords[name].items() if c in kept}
    return new


def _read_range(path: str, start: int, stop: int, plan: Plan, keywords: dict[str, Any]) -> pd.DataFrame:
    data = lines_between(path, start, stop, plan.storage)
    if quotes_in(data, keywords) % 2:
        raise ArgumentError(
            f"read_csv: a quoted field of {path!r} spans lines near byte {start:,}, where the file was cut. "
            "Hint: chunk_bytes=None reads each file in one chunk."
        )
    if not start:
        return pd.read_csv(io.BytesIO(data), **keywords)
    keywords["skiprows"] = None
    if keywords.get("header", "infer") is not None and keywords.get("names") is None:
        keywords["names"] = _names(path, plan)
    keywords["header"] = None
    if not data or data.isspace():
        return plan.empty
    return pd.read_csv(io.BytesIO(data), **keywords)


def lines_between(path: str, start: int, stop: int, storage: Any) -> bytes:
    """The lines that begin in [start, stop)."""
    with files.open_binary(path, storage) as file:
        begin = start
        if start:
            file.seek(start - 1)
            begin = start - 1 + len(file.readline())
        if begin >= stop:
            return b""
        file.seek(stop - 1)
        end = stop - 1 + len(file.readline())
        file.seek(begin)
        data: bytes = file.read(end - begin)  # in one piece: a copy of it would stop the other threads
        return data


def _names(path: str, plan: Plan) -> list[Any]:
    """The column names in a file's header, all of them."""
    data = files.read_bytes(path, 0, max(plan.head_bytes, 1 << 16), plan.storage)
    given = {k: v for k, v in for_bytes(plan.keywords).items()
             if k not in ("usecols", "index_col", "dtype", "parse_dates", "converters", "date_format")}  # fmt: skip
    return list(pd.read_csv(io.BytesIO(data), **{**given, "nrows": 0}).columns)


def settled(found: pd.DataFrame, plan: Plan, piece: Piece) -> pd.DataFrame:
    """A chunk in the columns and dtypes of the head; an error that names the column where pandas' whole would differ."""
    wanted = plan.empty
    if not wanted.columns.is_unique:
        return found
    for name in found.columns:
        if name not in wanted.columns:
            raise ColumnNotFound(
                f"read_csv: {piece[0]!r} has a column {name!r} that the first file does not have."
            )
    names = [c for c in wanted.columns if c in found.columns]
    if len(names) < len(wanted.columns) and len(found.columns) == len(wanted.columns):
        raise ColumnNotFound(f"read_csv: {piece[0]!r} has other columns than the first file.")
    changed = {}
    for name in names:
        old, new = found[name], wanted[name].dtype
        if old.dtype != new:
            changed[name] = _as_dtype(old, new, name, piece)
    if changed:
        found = (
            found.assign(**{str(k): v for k, v in changed.items()})
            if all(isinstance(k, str) for k in changed)
            else _put(found, changed)
        )
    return found if list(found.columns) == names else found[names]


def _put(found: pd.DataFrame, columns: dict[Any, Any]) -> pd.DataFrame:
    found = found.copy(deep=False)
    for name, column in columns.items():
        found[name] = column
    return found


def _as_dtype(column: pd.Series, dtype: Any, name: Any, piece: Piece) -> pd.Series:
    kinds = (getattr(column.dtype, "kind", "O"), getattr(dtype, "kind", "O"))
    safe = (
        not len(column)
        or kinds in (("i", "f"), ("u", "f"), ("M", "M"), ("m", "m"))
        or (kinds[1] in "Mm" and column.isna().all())
        or (
            isinstance(dtype, pd.StringDtype)
            and (isinstance(column.dtype, pd.StringDtype) or column.isna().all())
        )
    )
    if safe:
        return column.astype(dtype)
    better = _wider(column.dtype, dtype)
    where = "" if piece[2] is None else f", bytes {piece[1]:,} to {piece[2]:,}"
    raise ArgumentError(
        f"read_csv: column {name!r} is {dtype} in the head of the first file and {column.dtype} in {piece[0]!r}{where}. "
        f"Hint: say what it is, dtype={{{name!r}: {better!r}}}."
    )


def _wider(a: Any, b: Any) -> str:
    numeric = all(getattr(d, "kind", "O") in "iuf" for d in (a, b))
    return (
        "float64"
        if numeric
        else "boolean"
        if getattr(b, "kind", "O") == "b" and str(a) == "object"
        else "str"
    )


# The operation --------------------------------------------------------------------------------------------------------


def _csv_trim(node: Node, mine: Demand) -> Node:
    plan, columns = node.args[0].value, node.args[1]
    if mine.columns is None or not plan.prunable:
        return node
    before = list(plan.empty.columns) if columns is None else columns
    kept = [c for c in before if c in mine.columns]
    return node if len(kept) == len(before) else Node("csv", (node.args[0], kept))


def _csv_meta(plan: Data, columns: list[Any] | None = None) -> FrameMeta:
    empty = plan.value.empty
    return frame_meta(empty if columns is None else empty[columns], math.nan, NEW)


@lowered("csv", meta=_csv_meta, trim=_csv_trim)
def csv(plan: Data, columns: list[Any] | None = None) -> Generator[Any, Any, Chunks]:
    """The chunks of a CSV, each with the labels that its own reading gives."""
    held: Plan = plan.value
    chunks = held.chunks
    if held.quoted and any(piece[1] for chunk in chunks for piece in chunk):
        graph.rule("quotes in the head: line ends inside quotes are looked for before cutting")
        counts = yield Ask(graph.sources(_count_quotes, chunks, held, label="quotes"))
        chunks = _uncut(chunks, counts)
    return graph.sources(read_chunk, chunks, held, columns)


def _count_quotes(pieces: list[Piece], plan: Plan) -> int:
    (path, start, stop), *_ = pieces
    return 0 if stop is None else quotes_in(lines_between(path, start, stop, plan.storage), plan.keywords)


def _uncut(chunks: list[list[Piece]], counts: list[int]) -> list[list[Piece]]:
    """The chunks, those joined whose cut lies inside of quotes."""
    joined: list[list[Piece]] = []
    odd = False
    for chunk, count in zip(chunks, counts, strict=True):
        path, start, stop = chunk[0]
        if odd and start:
            joined[-1] = [(path, joined[-1][0][1], stop)]
        else:
            joined.append(chunk)
            odd = False
        odd ^= bool(count % 2)
    return joined


PANDAS = tuple(inspect.signature(pd.read_csv).parameters)[1:]


@public("read_csv")
def read_csv(
    path: Any, names: Any = None, sep: Any = None, index_col: Any = None, compression: Any = "infer", header: Any = "infer",
    dtype: Any = None, usecols: Any = None, nrows: int | None = None, skiprows: Any = None, chunk_bytes: Any = "64M", gpu: Any = None,
    head_bytes: Any = "100k", head_lines: int | None = None, incremental_index: bool = True, use_arrow_dtype: bool | None = None,
    storage_options: Any = None, memory_scale: Any = None, merge_small_files: bool = True, merge_small_file_options: Any = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """A DataFrame of CSV files: a path, glob, directory, URL or list; labels count on over all of them.

    Columns and dtypes are those of the head of the first file (`head_bytes`, or `head_lines` rows). Where a later chunk
    disagrees the run raises an error that names the column and the `dtype=` that mends it. `chunk_bytes=None` reads each
    file in one chunk, as compressed files are. `skiprows` counts from the start of each file. `memory_scale` has no effect.
    """
    check_host("read_csv", gpu)
    given = {"names": names, "sep": sep, "index_col": index_col, "compression": compression, "header": header, "dtype": dtype,
             "usecols": usecols, "skiprows": skiprows}  # fmt: skip
    defaults = {"compression": "infer", "header": "infer"}
    keywords = {k: v for k, v in given.items() if v is not None or k == "header"}
    keywords = {k: v for k, v in keywords.items() if k not in defaults or defaults[k] != v}
    for name, value in kwargs.items():
        if name not in PANDAS:
            raise ArgumentTypeError.unknown_keyword(
                "read_csv", name, (*PANDAS, *registry.lookup("read_csv").signature.parameters)
            )
        if name in ("iterator", "chunksize") and value:
            raise Unbuilt.argument(
                "read_csv", name, value, "chunk_bytes= cuts the file; df.iterbatch() iterates."
            )
        keywords[name] = value
    for name, value in (("nrows", nrows), ("head_lines", head_lines)):
        if value is not None and (not isinstance(value, (int, np.integer)) or value < 0):
            raise ArgumentError(f"read_csv({name}={value!r}): expected a whole number from 0 on.")
    if memory_scale is not None and (not isinstance(memory_scale, (int, float)) or memory_scale <= 0):
        raise ArgumentError(f"read_csv(memory_scale={memory_scale!r}): expected a number above 0.")
    if (
        isinstance(index_col, (int, np.integer))
        and not isinstance(index_col, bool)
        and names is None
        and header is not None
        and usecols is None
    ):
        keywords["index_col"] = int(index_col)
    if nrows is not None:
        keywords["nrows"] = int(nrows)
    merged = (merge_small_file_options or {}).get("merged_file_size", SMALL)
    categories = _categories(keywords)
    plan = planned(
        path,
        keywords,
        chunk_bytes,
        head_bytes,
        head_lines,
        storage_options,
        bool(merge_small_files),
        byte_count("merged_file_size", merged),
    )
    if options.dataframe.use_arrow_dtype if use_arrow_dtype is None else use_arrow_dtype:
        plan = _with_arrow(plan)
    stamps = [files.size_of(p, storage_options) for p in dict.fromkeys(q[0] for c in plan.chunks for q in c)]
    made = registry.wrap(
        Node("csv", (Data(plan, tokenize(plan.chunks, stamps, keywords, storage_options, plan.empty)), None))
    )
    if incremental_index and isinstance(plan.empty.index, pd.RangeIndex):
        made = registry.make("frame.renumber", made)
    if nrows is not None:
        made = made.head(int(nrows))
    if categories:
        made = made.astype(dict.fromkeys(categories if categories != [...] else made.columns, "category"))
    return made


def _categories(keywords: dict[str, Any]) -> list[Any]:
    """Columns whose categories only the whole tells; their dtype becomes text in `keywords`."""
    dtype = keywords.get("dtype")

    def open_ended(value: Any) -> bool:
        return (
            value == "category"
            if isinstance(value, str)
            else isinstance(value, pd.CategoricalDtype) and value.categories is None
        )

    if isinstance(dtype, dict):
        found = [c for c, d in dtype.items() if open_ended(d)]
        keywords["dtype"] = {c: "str" if c in found else d for c, d in dtype.items()}
        return found
    if open_ended(dtype):
        keywords["dtype"] = "str"
        return [...]
    return []


def _with_arrow(plan: Plan) -> Plan:
    texts = [c for c in plan.empty.columns if isinstance(plan.empty[c].dtype, pd.StringDtype)]
    return replace(plan, empty=plan.empty.astype(dict.fromkeys(texts, "string[pyarrow]")))
