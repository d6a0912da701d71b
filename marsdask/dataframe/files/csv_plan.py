"""What `read_csv` reads and how: byte ranges of files, columns and dtypes of the first one's head."""

from __future__ import annotations

import io
import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from dask.utils import parse_bytes

from marsdask.dataframe.files import paths as files
from marsdask.errors import ArgumentError

SMALL = 16_000_000
"""Files are read together by one task up to so many bytes."""

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


def planned(path: Any, keywords: dict[str, Any], chunk_bytes: Any, head_bytes: Any, head_lines: Any, storage: Any,
          merge_small_files: bool, merged_size: int) -> Plan:  # fmt: skip
    paths = files.expand(path, storage)
    stamps = [files.size_of(p, storage) for p in paths]
    compression = [files.compression_of(p, keywords.get("compression", "infer")) for p in paths]
    head, whole = _head(
        paths[0],
        stamps[0][0],
        compression[0],
        keywords,
        byte_count("head_bytes", head_bytes),
        head_lines,
        storage,
    )
    empty = _parsed_head(head, keywords, head_lines) if isinstance(head, bytes) else head
    implicit = keywords.get("index_col") is None and not isinstance(empty.index, pd.RangeIndex)
    each = None if chunk_bytes is None else byte_count("chunk_bytes", chunk_bytes)
    cuttable = each is not None and _cuttable(keywords) and not implicit
    chunks: list[list[Piece]] = []
    open_bytes = 0
    for p, (size, _), packed in zip(paths, stamps, compression, strict=True):
        count = max(math.ceil(size / each), 1) if cuttable and packed is None and each else 1
        if count > 1:
            bounds = [size * i // count for i in range(count + 1)]
            chunks += [[(p, a, b)] for a, b in itertools.pairwise(bounds)]
            open_bytes = 0
            continue
        joins = merge_small_files and chunks and open_bytes and open_bytes + size <= merged_size
        if joins:
            chunks[-1].append((p, 0, None))
        else:
            chunks.append([(p, 0, None)])
        open_bytes = open_bytes + size if joins else size
    plan = Plan(
        chunks, keywords, empty.iloc[:0], storage, len(head) if isinstance(head, bytes) else 0,
        prunable=_prunable(keywords, empty) and not implicit,
        quoted=isinstance(head, bytes) and quotes_in(head.partition(b"\n")[2], keywords) > 0,
    )  # fmt: skip
    if not (whole and len(paths) == 1):
        plan.texts = _text_dtypes(plan)
    return plan


def byte_count(name: str, value: Any) -> int:
    try:
        found = int(parse_bytes(value))
    except (ValueError, TypeError, AttributeError):
        raise ArgumentError(
            f"read_csv({name}={value!r}): expected a number of bytes such as '64M'."
        ) from None
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


def _prunable(keywords: dict[str, Any], empty: pd.DataFrame) -> bool:
    columns = empty.columns
    plain = all(isinstance(c, str) for c in columns) and columns.is_unique
    index = keywords.get("index_col")
    names = [index] if isinstance(index, str) else index or []
    return bool(
        plain
        and not isinstance(columns, pd.MultiIndex)
        and all(isinstance(n, str) for n in names)
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
        given = {k: v for k, v in keywords.items() if k not in ("nrows", "skipfooter")}
        options_ = {"storage_options": storage} if storage else {}
        found = pd.read_csv(path, **{**given, "nrows": rows, **options_})
        return found, len(found) < rows
    while True:
        data = files.read_bytes(path, 0, min(wanted, size), storage)
        if wanted >= size:
            return data, True
        data = data[: data.rfind(b"\n") + 1]
        if data and quotes_in(data, keywords) % 2 == 0:
            try:
                pd.read_csv(io.BytesIO(data), **{**for_bytes(keywords), "nrows": 5})
                return data, False
            except (pd.errors.EmptyDataError, pd.errors.ParserError):
                pass  # the head ends before the first row
        wanted *= 8


def _parsed_head(data: bytes, keywords: dict[str, Any], lines: Any) -> pd.DataFrame:
    rows = {"nrows": lines} if lines else {}
    return pd.read_csv(io.BytesIO(data), **{**for_bytes(keywords), **rows})


def for_bytes(keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords for reading bytes that are not packed and whose rows are counted elsewhere."""
    return {k: v for k, v in keywords.items() if k not in ("compression", "memory_map")}


def quotes_in(data: bytes, keywords: dict[str, Any]) -> int:
    if keywords.get("quoting", 0) == 3:
        return 0
    return data.count((keywords.get("quotechar") or '"').encode())


def _text_dtypes(plan: Plan) -> dict[Any, Any]:
    """Text columns keep being text where a later chunk holds only digits: "007" stays "007"."""
    given = plan.keywords.get("dtype")
    if given is not None and not isinstance(given, dict):
        return {}
    taken = {*(given or {}), *(plan.keywords.get("converters") or {})}
    dates = plan.keywords.get("parse_dates")
    taken |= set(dates) if isinstance(dates, (list, tuple)) else set()
    columns = plan.empty.columns
    if not columns.is_unique:
        return {}
    return {
        c: plan.empty[c].dtype
        for c in columns
        if isinstance(plan.empty[c].dtype, pd.StringDtype) and c not in taken
    }
