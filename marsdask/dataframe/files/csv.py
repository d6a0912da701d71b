"""CSV read. Chunks are byte ranges cut at line ends; columns nobody looks at are not parsed."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from dask.utils import parse_bytes

from marsdask.dataframe.core import DataFrame
from marsdask.dataframe.files import paths as files
from marsdask.dataframe.making.casting import is_open_ended
from marsdask.dataframe.making.creation import check_host
from marsdask.errors import ArgumentError, ColumnNotFound, Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask
from marsdask.plan.meta import NEW, FrameMeta, frame_meta
from marsdask.plan.node import Data
from marsdask.plan.registry import lowered, public
from marsdask.session import room

SMALL = 16_000_000
"""Files are read together by one task up to so many bytes."""

WORTH = 4 * 2**20
"""Bytes of text that are worth a chunk of their own: to parse them takes 30 ms."""

Piece = tuple[str, int, int | None]
"""A file, and the bytes of it that belong to a chunk (None: the whole file)."""


@dataclass
class Plan:
    """What to read and how. `chunks` are lists of pieces; `keywords` go to pandas."""

    chunks: list[list[Piece]]
    keywords: dict[str, Any]
    empty: pd.DataFrame
    storage: dict[str, Any] | None
    head_bytes: int
    prunable: bool
    quoted: bool  # quotes in the head: cuts are checked before reading
    texts: dict[Any, Any] = field(default_factory=dict)  # dtypes given to pandas beside the user's


def _planned(path: Any, keywords: dict[str, Any], chunk_bytes: Any, head_bytes: Any, head_lines: Any, storage: Any,
          merge_small_files: bool, merged_size: int) -> Plan:  # fmt: skip
    paths = files.expand(path, storage)
    stamps = [files.size_of(p, storage) for p in paths]
    compression = [files.compression_of(p, keywords.get("compression", "infer")) for p in paths]
    wanted = _byte_count("head_bytes", head_bytes)
    head, whole = _head(paths[0], stamps[0][0], compression[0], keywords, wanted, head_lines, storage)
    rows = {"nrows": head_lines} if head_lines else {}
    packed = not isinstance(head, bytes)
    empty = head if packed else pd.read_csv(io.BytesIO(head), **{**_for_bytes(keywords), **rows})
    implicit = keywords.get("index_col") is None and not isinstance(empty.index, pd.RangeIndex)
    each = None if chunk_bytes is None else _byte_count("chunk_bytes", chunk_bytes)
    cuttable = each is not None and _cuttable(keywords) and not implicit
    chunks: list[list[Piece]] = []
    open_bytes, total = 0, sum(size for size, _ in stamps)
    share = room.chunk_count(total, each, WORTH) / max(total, 1)  # chunks a byte
    for p, (size, _), packing in zip(paths, stamps, compression, strict=True):
        count = (
            max(math.ceil(size / each), int(size * share), 1) if cuttable and packing is None and each else 1
        )
        if count > 1:
            bounds = [size * i // count for i in range(count + 1)]
            if not packed and bounds[1] < len(head):
                first = _first_row(head, keywords)
                bounds = [0, *(b for b in bounds if b >= first)]
            chunks += [[(p, a, b)] for a, b in itertools.pairwise(bounds)]
            open_bytes = 0
        elif merge_small_files and open_bytes and open_bytes + size <= merged_size:
            chunks[-1].append((p, 0, None))
            open_bytes += size
        else:
            chunks.append([(p, 0, None)])
            open_bytes = size
    plan = Plan(
        chunks, keywords, empty.iloc[:0], storage, 0 if packed else len(head),
        prunable=_prunable(keywords, empty) and not implicit,
        quoted=not packed and _quotes_in(head.partition(b"\n")[2], keywords) > 0,
    )  # fmt: skip
    if not (whole and len(paths) == 1):
        plan.texts = _text_dtypes(plan)
    return plan


def _byte_count(name: str, value: Any) -> int:
    try:
        found = int(parse_bytes(value))
    except (ValueError, TypeError, AttributeError):
        what = f"read_csv({name}={value!r})"
        raise ArgumentError(f"{what}: expected a number of bytes such as '64M'.") from None
    if found < 1:
        raise ArgumentError(f"read_csv({name}={value!r}): expected 1 byte or more.")
    return found


def _cuttable(keywords: dict[str, Any]) -> bool:
    """Whether lines can be told apart without reading a file from its start."""
    get = keywords.get
    encoding = str(get("encoding") or "utf-8").lower().replace("_", "-")
    return bool(
        isinstance(get("skiprows") or 0, (int, np.integer))
        and not get("skipfooter")
        and not isinstance(get("header", "infer"), (list, tuple))
        and get("lineterminator") in (None, "\n")
        and get("escapechar") is None
        and get("dialect") is None
        and not encoding.startswith(("utf-16", "utf-32", "utf16", "utf32"))
    )


def _index_columns(keywords: dict[str, Any]) -> list[Any]:
    """The columns, by name or number, that are the labels."""
    index = keywords.get("index_col")
    if index is None or index is False:
        return []
    return list(index) if isinstance(index, (list, tuple)) else [index]


def _prunable(keywords: dict[str, Any], empty: pd.DataFrame) -> bool:
    columns = empty.columns
    return bool(
        all(isinstance(c, str) for c in columns)
        and columns.is_unique
        and not isinstance(columns, pd.MultiIndex)
        and all(isinstance(n, str) for n in _index_columns(keywords))
        and not callable(keywords.get("usecols"))
        and not isinstance(keywords.get("parse_dates"), dict)
        and keywords.get("names") is None
        and not any(c.rpartition(".")[2].isdigit() and c.rpartition(".")[0] in set(columns) for c in columns)
    )


def _head(
    path: str, size: int, compression: Any, keywords: dict[str, Any], wanted: int, lines: Any, storage: Any
) -> tuple[Any, bool]:
    """The first bytes of a plain file up to a line end, or the first rows of a packed one; and whether that is all."""
    if compression is not None or not _cuttable({**keywords, "skiprows": 0}):
        rows = lines or 1000
        given = {k: v for k, v in keywords.items() if k != "skipfooter"} | {"nrows": rows}
        told = {"storage_options": storage} if storage else {}
        found = pd.read_csv(path, **given, **told)
        if keywords.get("skipfooter") and len(found) < rows:  # which pandas refuses beside nrows
            found = pd.read_csv(path, **keywords, **told)
        return found, len(found) < rows
    while True:
        data = files.read_bytes(path, 0, min(wanted, size), storage)
        if wanted >= size:
            return data, True
        data = data[: data.rfind(b"\n") + 1]
        if data and _quotes_in(data, keywords) % 2 == 0:
            try:
                pd.read_csv(io.BytesIO(data), **{**_for_bytes(keywords), "nrows": 5})
                return data, False
            except (pd.errors.EmptyDataError, pd.errors.ParserError):
                pass  # the head ends before the first row
        wanted *= 8


def _first_row(head: bytes, keywords: dict[str, Any]) -> int:
    """How many bytes a file's first chunk needs: lines to skip, comments and the header are told from rows only with all before them."""
    lines = head.splitlines(keepends=True)
    count = 2
    while count < len(lines):
        data = b"".join(lines[:count])
        with contextlib.suppress(pd.errors.EmptyDataError, pd.errors.ParserError, StopIteration):
            if _quotes_in(data, keywords) % 2 == 0 and len(
                pd.read_csv(io.BytesIO(data), **{**_for_bytes(keywords), "nrows": 1})
            ):
                return len(data)
        count *= 2
    return len(head)


def _for_bytes(keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords for reading bytes that are not packed and whose rows are counted elsewhere."""
    return {k: v for k, v in keywords.items() if k not in ("compression", "memory_map")}


def _quotes_in(data: bytes, keywords: dict[str, Any]) -> int:
    quote = (keywords.get("quotechar") or '"').encode()
    # Whether there is any is known seven times sooner than how many there are.
    return data.count(quote) if keywords.get("quoting", 0) != 3 and quote in data else 0


def _text_dtypes(plan: Plan) -> dict[Any, Any]:
    """Text columns keep being text where a later chunk holds only digits: "007" stays "007"."""
    given, dates = plan.keywords.get("dtype"), plan.keywords.get("parse_dates")
    if not plan.empty.columns.is_unique or not (given is None or isinstance(given, dict)):
        return {}
    taken = {*(given or {}), *(plan.keywords.get("converters") or {})}
    taken |= set(dates) if isinstance(dates, (list, tuple)) else set()
    return {c: d for c, d in plan.empty.dtypes.items() if isinstance(d, pd.StringDtype) and c not in taken}


def _read_chunk(pieces: list[Piece], plan: Plan, columns: list[Any] | None) -> pd.DataFrame:
    """The rows of a chunk, with the head's dtypes."""
    return graph.concat([_read_piece(piece, plan, columns) for piece in pieces])


def _read_piece(piece: Piece, plan: Plan, columns: list[Any] | None) -> pd.DataFrame:
    path, start, stop = piece
    keywords = plan.keywords if columns is None else _fewer(plan.keywords, plan, columns)
    if stop is None:
        extra = {"storage_options": plan.storage} if plan.storage and files.is_remote(path) else {}
        found = _frame(lambda: path, plan, {**keywords, **extra})
    else:
        found = _read_range(path, start, stop, plan, _for_bytes(keywords))
    return _settled(found if columns is None else found[columns], plan, piece)


def _frame(source: Callable[[], Any], plan: Plan, keywords: dict[str, Any]) -> pd.DataFrame:
    """What pandas reads, and text where the head has text.

    It is told so only where it finds something else by itself: text it was told of is read word by word as objects, 205 ms of CPU
    for 31 MB with four columns of text, text it finds 127.
    """
    usual = keywords.get("keep_default_na", True) and keywords.get(
        "na_filter", True
    )  # else "nan" may be text
    if plan.texts and usual:
        with contextlib.suppress(pd.errors.DtypeWarning):  # where warnings are errors
            found = pd.read_csv(source(), **keywords)
            if all(found[c].dtype == d for c, d in plan.texts.items() if c in found.columns):
                return found
    told = {"dtype": {**(keywords.get("dtype") or {}), **plan.texts}} if plan.texts else {}
    return pd.read_csv(source(), **{**keywords, **told})


def _fewer(keywords: dict[str, Any], plan: Plan, columns: list[Any]) -> dict[str, Any]:
    """Keywords for reading some columns only."""
    kept = [*_index_columns(keywords), *columns] or list(plan.empty.columns[:1])
    new = {**keywords, "usecols": kept}
    if isinstance(keywords.get("parse_dates"), (list, tuple)):
        new["parse_dates"] = [c for c in keywords["parse_dates"] if c in kept]
    for name in ("dtype", "converters", "date_format"):
        if isinstance(keywords.get(name), dict):
            new[name] = {c: v for c, v in keywords[name].items() if c in kept}
    return new


def _read_range(path: str, start: int, stop: int, plan: Plan, keywords: dict[str, Any]) -> pd.DataFrame:
    data = _lines_between(path, start, stop, plan.storage)
    cut = ArgumentError(
        f"read_csv: a quoted field of {path!r} spans lines near byte {start:,}, where the file was cut. "
        "Hint: chunk_bytes=None reads each file in one chunk."
    )
    if _quotes_in(data, keywords) % 2:
        raise cut
    try:
        return _parsed(data, path, start, plan, keywords)
    except pd.errors.ParserError as error:
        if "EOF inside string" in str(error):  # cut inside of quotes at both ends
            raise cut from error
        raise


def _parsed(data: bytes, path: str, start: int, plan: Plan, keywords: dict[str, Any]) -> pd.DataFrame:
    """Lines that begin at byte `start`, read by pandas."""
    if not start:
        return _frame(lambda: io.BytesIO(data), plan, keywords)
    keywords["skiprows"] = None
    if keywords.get("header", "infer") is not None and keywords.get("names") is None:
        keywords["names"] = _names(path, plan)
    keywords["header"] = None
    try:
        return plan.empty if not data or data.isspace() else _frame(lambda: io.BytesIO(data), plan, keywords)
    except pd.errors.EmptyDataError:  # comments only
        return plan.empty


def _lines_between(path: str, start: int, stop: int, storage: Any) -> bytes:
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
        # In one piece: a copy of it would stop the other threads.
        return file.read(end - begin)  # type: ignore[no-any-return]


def _names(path: str, plan: Plan) -> list[Any]:
    """The column names in a file's header, all of them."""
    data = files.read_bytes(path, 0, max(plan.head_bytes, 1 << 16), plan.storage)
    given = {k: v for k, v in _for_bytes(plan.keywords).items()
             if k not in ("usecols", "index_col", "dtype", "parse_dates", "converters", "date_format")}  # fmt: skip
    return list(pd.read_csv(io.BytesIO(data), **{**given, "nrows": 0}).columns)


def _settled(found: pd.DataFrame, plan: Plan, piece: Piece) -> pd.DataFrame:
    """A chunk in the columns and dtypes of the head; an error that names the column where pandas' whole would differ."""
    wanted = plan.empty
    if list(found.index.names) != list(wanted.index.names):
        # Where a header has no name for them pandas' parser says "Unnamed: 0".
        found = found.set_axis(found.index.set_names(wanted.index.names), axis=0)
    if not wanted.columns.is_unique:
        return found
    for name in found.columns:
        if name not in wanted.columns:
            told = f"{piece[0]!r} has a column {name!r} that the first file does not have."
            raise ColumnNotFound(f"read_csv: {told}")
    names = [c for c in wanted.columns if c in found.columns]
    if len(names) < len(wanted.columns) and len(found.columns) == len(wanted.columns):
        raise ColumnNotFound(f"read_csv: {piece[0]!r} has other columns than the first file.")
    found = found if list(found.columns) == names else found[names]
    changed = [name for name in names if found[name].dtype != wanted[name].dtype]
    if changed:
        found = found.copy(deep=False)
    for name in changed:
        found[name] = _as_dtype(found[name], wanted[name].dtype, name, piece)
    return found


def _as_dtype(column: pd.Series, dtype: Any, name: Any, piece: Piece) -> pd.Series:
    kinds = (getattr(column.dtype, "kind", "O"), getattr(dtype, "kind", "O"))
    text = isinstance(dtype, pd.StringDtype)
    safe = (
        not len(column)
        or kinds in (("i", "f"), ("u", "f"), ("M", "M"), ("m", "m"))
        or (text and isinstance(column.dtype, pd.StringDtype))
        or ((text or kinds[1] in "Mm") and column.isna().all())
    )
    if safe:
        return column.astype(dtype)
    numeric = all(kind in "iuf" for kind in kinds)
    flags = kinds[1] == "b" and str(column.dtype) == "object"
    better = "float64" if numeric else "boolean" if flags else "str"
    where = "" if piece[2] is None else f", bytes {piece[1]:,} to {piece[2]:,}"
    raise ArgumentError(
        f"read_csv: column {name!r} is {dtype} in the head of the first file and {column.dtype} in {piece[0]!r}{where}. "
        f"Hint: say what it is, dtype={{{name!r}: {better!r}}}."
    )


def _csv_meta(plan: Data, columns: list[Any] | None = None) -> FrameMeta:
    empty = plan.value.empty
    return frame_meta(empty if columns is None else empty[columns], math.nan, NEW)


@lowered("csv", meta=_csv_meta, trim=files.trim)
def csv(plan: Data, columns: list[Any] | None = None) -> Generator[Any, Any, Chunks]:
    """The chunks of a CSV, each with the labels that its own reading gives."""
    held: Plan = plan.value
    chunks = held.chunks
    if held.quoted and any(piece[1] for chunk in chunks for piece in chunk):
        graph.rule("quotes in the head: line ends inside quotes are looked for before cutting")
        chunks = _uncut(chunks, (yield Ask(graph.sources(_count_quotes, chunks, held, label="quotes"))))
    return graph.sources(_read_chunk, chunks, held, columns)


def _count_quotes(pieces: list[Piece], plan: Plan) -> int:
    (path, start, stop), *_ = pieces
    return 0 if stop is None else _quotes_in(_lines_between(path, start, stop, plan.storage), plan.keywords)


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


@public("read_csv")
def read_csv(
    path: Any, names: Any = None, sep: Any = None, index_col: Any = None, compression: Any = "infer", header: Any = "infer",
    dtype: Any = None, usecols: Any = None, nrows: int | None = None, skiprows: Any = None, chunk_bytes: Any = "64M", gpu: Any = None,
    head_bytes: Any = "100k", head_lines: int | None = None, incremental_index: bool = True, use_arrow_dtype: bool | None = None,
    storage_options: Any = None, memory_scale: Any = None, merge_small_files: bool = True, merge_small_file_options: Any = None,
    **kwargs: Any,
) -> DataFrame:  # fmt: skip
    """A DataFrame of CSV files: a path, glob, directory, URL or list; labels count on over all of them.

    Columns and dtypes are those of the head of the first file (`head_bytes`, or `head_lines` rows). Where a later chunk
    disagrees the run raises an error that names the column and the `dtype=` that mends it. Chunks are of `chunk_bytes` at
    most, and smaller where that lets all threads work; `chunk_bytes=None` reads each file in one chunk, as compressed files are. `skiprows` counts from the start of each file. `memory_scale` has no effect.
    """
    check_host("read_csv", gpu)
    known = tuple(inspect.signature(pd.read_csv).parameters)[1:]
    files.check_reading("read_csv", kwargs, known, memory_scale)
    hint = "chunk_bytes= cuts the file; df.iterbatch() iterates."
    for name in ("iterator", "chunksize"):
        if kwargs.get(name):
            raise Unbuilt.argument("read_csv", name, kwargs[name], hint)
    for name, value in (("nrows", nrows), ("head_lines", head_lines)):
        if value is not None and (not isinstance(value, (int, np.integer)) or value < 0):
            raise ArgumentError(f"read_csv({name}={value!r}): expected a whole number from 0 on.")
    given = {"names": names, "sep": sep, "index_col": index_col, "dtype": dtype, "usecols": usecols, "skiprows": skiprows,
             "compression": None if compression == "infer" else compression, "nrows": nrows}  # fmt: skip
    keywords = {k: v for k, v in given.items() if v is not None} | kwargs
    if header != "infer":
        keywords["header"] = header
    categories = _categories(keywords)
    merged = _byte_count("merged_file_size", (merge_small_file_options or {}).get("merged_file_size", SMALL))
    plan = _planned(
        path, keywords, chunk_bytes, head_bytes, head_lines, storage_options, bool(merge_small_files), merged
    )
    if options.dataframe.use_arrow_dtype if use_arrow_dtype is None else use_arrow_dtype:
        texts = [c for c in plan.empty.columns if isinstance(plan.empty[c].dtype, pd.StringDtype)]
        plan = replace(plan, empty=plan.empty.astype(dict.fromkeys(texts, "string[pyarrow]")))
    made = files.source("csv", plan)
    # Whole numbers of a column may be a RangeIndex, too: those are labels to keep.
    if incremental_index and isinstance(plan.empty.index, pd.RangeIndex) and not _index_columns(keywords):
        made = registry.make("frame.renumber", made)
    if nrows is not None:
        made = made.head(int(nrows))
    if categories:
        made = made.astype(dict.fromkeys(categories if categories != [...] else made.columns, "category"))
    return made


def _categories(keywords: dict[str, Any]) -> list[Any]:
    """Columns whose categories only the whole tells; their dtype becomes text in `keywords`."""
    dtype = keywords.get("dtype")
    if isinstance(dtype, dict):
        found = [c for c, d in dtype.items() if is_open_ended(d)]
        keywords["dtype"] = {c: "str" if c in found else d for c, d in dtype.items()}
        return found
    if is_open_ended(dtype):
        keywords["dtype"] = "str"
        return [...]
    return []
