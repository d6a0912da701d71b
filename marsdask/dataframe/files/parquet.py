"""Parquet read and written. Read, chunks are row groups, lengths are known from the footers, only columns looked at are read."""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.ipc

from marsdask.dataframe.core import DataFrame
from marsdask.dataframe.files import arrow, pruning, statistics
from marsdask.dataframe.files import paths as files
from marsdask.dataframe.files.statistics import Condition
from marsdask.dataframe.kernels.texts import NUMBERS
from marsdask.dataframe.making.creation import check_host
from marsdask.dataframe.rows.alignment import settled
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, ShapeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import NEW, FrameMeta, frame_meta
from marsdask.plan.node import Data
from marsdask.plan.registry import lowered, public
from marsdask.session import room

Piece = tuple[str, tuple[int, ...], int]
"""A file, its row groups of a chunk, and how many rows come before them: of the file, or of all files if there are several."""


class Group(NamedTuple):
    """A row group of a file."""

    path: str
    number: int
    rows: int
    nbytes: int  # unpacked

    @classmethod
    def of(cls, path: str, number: int, footer: Any, columns: Any) -> Group:
        """What the footer says of it; the bytes are those of `columns`."""
        group = footer.row_group(number)
        if columns is None:
            return cls(path, number, group.num_rows, group.total_byte_size)
        each = (group.column(i) for i in range(group.num_columns))
        size = sum(c.total_uncompressed_size for c in each if c.path_in_schema.split(".")[0] in columns)
        return cls(path, number, group.num_rows, size)


@dataclass
class Plan:
    """What to read: chunks of pieces, with their lengths."""

    chunks: list[list[Piece]]
    lengths: list[float]
    empty: pd.DataFrame
    labels: tuple[int, int] | None  # start and step of labels that the file only describes
    stored: list[str]  # index columns in the file
    keywords: dict[str, Any]
    filters: Any
    storage: dict[str, Any] | None
    rule: str = ""  # how chunks were cut, for explain()
    holes: dict[str, bool] = field(default_factory=dict)  # see `arrow.holes`

    @property
    def prunable(self) -> bool:
        """Whether columns can be left out by name."""
        return self.empty.columns.is_unique and not isinstance(self.empty.columns, pd.MultiIndex)

    def columns(self, chosen: list[Any] | None) -> list[Any]:
        """The columns to read: those chosen, or all."""
        return list(self.empty.columns) if chosen is None else chosen


def _file(path: str, storage: Any, **how: Any) -> Any:
    """A file opened by pyarrow, where it is remote through fsspec."""
    import pyarrow.parquet

    opened = files.open_binary(path, storage) if files.is_remote(path) else path
    return pyarrow.parquet.ParquetFile(opened, **how)


def _plan(path: Any, columns: Any, groups_as_chunks: bool, filters: Any, storage: Any, keywords: dict[str, Any],
          merge_small_files: bool, merged_size: int | None) -> Plan:  # fmt: skip
    paths = files.expand(path, storage)
    if len(paths) > 1:
        paths = [p for p in paths if p.lower().endswith((".parquet", ".parq", ".pq"))] or paths
    if any("=" in part for p in paths for part in p.split("/")[:-1]) and len(paths) > 1:
        hint = "folders named key=value are not read as columns; name the files."
        raise Unbuilt.argument("read_parquet", "path", path, hint)
    schema = None
    groups: list[Group] = []
    holes: dict[str, bool] = {}
    for p in paths:
        with _file(p, storage) as file:
            footer, own = file.metadata, file.schema_arrow
        schema = own if schema is None else schema
        if set(own.names) != set(schema.names):
            raise ShapeError(f"read_parquet: {p!r} has other columns than {paths[0]!r}.")
        holes = {n: holes.get(n, False) | has for n, has in (holes | arrow.holes(footer, own)).items()}
        groups += (Group.of(p, g, footer, columns) for g in range(footer.num_row_groups))
    places = _places(groups, merged_size)
    chunks: list[list[Piece]] = []
    lengths: list[float] = []
    before, last, place = 0, "", -1
    for group, goes in zip(groups, places, strict=True):
        p = group.path
        joins = goes == place and not groups_as_chunks
        if joins and last == p:
            _, numbers, first = chunks[-1][-1]
            chunks[-1][-1] = (p, (*numbers, group.number), first)
        elif joins and merge_small_files:
            chunks[-1].append((p, (group.number,), before))
        else:
            chunks.append([(p, (group.number,), before)])
            lengths.append(0)
        lengths[-1] += group.rows
        before, last, place = before + group.rows, p, goes
    if not chunks:
        chunks, lengths = [[(paths[0], (), 0)]], [0]
    empty, labels, stored = _described(
        schema.serialize().to_pybytes(), keywords.get("dtype_backend"), len(paths) > 1
    )
    plain = {n: d.kind for n, d in empty.dtypes.items() if isinstance(d, np.dtype) and d.kind in "iub"}
    # Whether holes are left after filters nobody knows before.
    holes = {n: has and filters is None for n, has in holes.items() if n in plain}
    with_holes = {n: "object" if plain[n] == "b" else "float64" for n, has in holes.items() if has}
    empty = empty.astype(with_holes) if with_holes else empty
    if columns is not None:
        for name in columns:
            if name not in empty.columns:
                raise ColumnNotFound.among(name, [*empty.columns, *stored])
        empty = empty[list(columns)]
    if filters is not None:
        lengths = [math.nan] * len(chunks)
    cut = (
        "" if groups_as_chunks or merged_size is not None or len(chunks) < 2 else room.rule(room.read_bytes())
    )
    plan = Plan(chunks, lengths, empty, labels, stored, keywords, filters, storage, cut, holes)
    if any(isinstance(d, pd.CategoricalDtype) for d in empty.dtypes):
        plan.empty = read_rows(chunks[0], plan, None).iloc[:0]
    return plan


def _places(groups: list[Group], most: int | None) -> list[int]:
    """The chunk of each row group: evenly cut, or as many that follow each other as have `most` bytes."""
    if most is None:
        ends = list(itertools.accumulate(g.nbytes for g in groups))
        total = max(ends[-1] if ends else 0, 1)
        count = room.chunk_count(total, room.read_bytes())
        return [int((end - g.nbytes / 2) * count / total) for end, g in zip(ends, groups, strict=True)]
    places, size = [0] * len(groups), 0
    for i, group in enumerate(groups):
        fits = size + group.nbytes <= most
        places[i] = places[i - 1] + (not fits) if i else 0
        size = size + group.nbytes if fits else group.nbytes
    return places


@functools.lru_cache(maxsize=64)
def _described(said: bytes, backend: str | None, several: bool) -> tuple[pd.DataFrame, Any, list[str]]:
    """The empty frame of a schema, how its labels go on, and which columns are its labels."""
    schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(said))
    index = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    empty = arrow.as_pandas(schema.empty_table(), backend)
    if stored := [name for name in index if isinstance(name, str)]:
        return empty, None, stored
    spans = [d for d in index if isinstance(d, dict) and d.get("kind") == "range"]
    span = spans[0] if spans else {}
    if not span or several:
        # Labels of a file are not those of all: they count on, without a name, as pandas has them.
        return empty.set_axis(pd.RangeIndex(0), axis=0), (0, 1), []
    labels = int(span["start"]), int(span["step"])
    return empty.set_axis(pd.RangeIndex(0, name=span.get("name")), axis=0), labels, []


def read_rows(pieces: list[Piece], plan: Plan, columns: list[Any] | None) -> pd.DataFrame:
    """The rows of a chunk."""
    return graph.concat([_read_piece(piece, plan, columns) for piece in pieces])


def _read_piece(piece: Piece, plan: Plan, columns: list[Any] | None) -> pd.DataFrame:
    path, groups, before = piece
    wanted = plan.columns(columns)
    texts = [str(c) for c in wanted] + plan.stored
    beside = [] if plan.filters is None else [n for n in _names_in(plan.filters) if n not in texts]
    # Threads of pyarrow's own beside Dask's gain nothing when there are as many chunks as workers.
    with _file(path, plan.storage, pre_buffer=False) as file:
        table, codes = _table(file, path, groups, texts + beside, plan)
    if plan.filters is not None:
        table = table.filter(pyarrow.parquet.filters_to_expression(plan.filters)).select(texts)
        return _as_frame(table, before, plan, wanted, path)
    found = _as_frame(table, before, plan, wanted, path)
    for name, encoded in codes.items():
        if name in found.columns:
            NUMBERS.told(found[name], encoded)
    return found


def _table(
    file: Any, path: str, groups: tuple[int, ...], columns: list[str], plan: Plan
) -> tuple[Any, dict[str, Any]]:
    """Row groups of an open file, and those columns of text as codes that are in it as codes of few values."""
    schema, how = file.schema_arrow, {"columns": columns, "use_threads": False}
    # To open a remote file twice may cost more than that gains.
    codes = [] if files.is_remote(path) else arrow.in_codes(file, groups, columns)
    if not codes:
        return file.read_row_groups(list(groups), **how), {}
    with _file(path, plan.storage, metadata=file.metadata, pre_buffer=False, read_dictionary=codes) as again:
        return arrow.decoded(again.read_row_groups(list(groups), **how), schema)


def _as_frame(table: Any, before: int, plan: Plan, wanted: list[Any], path: str) -> pd.DataFrame:
    """A table as pandas, under its labels; `before` rows lie before it."""
    backend = plan.keywords.get("dtype_backend")
    if plan.stored:
        found = arrow.as_pandas(table, backend)
    else:
        found = arrow.as_pandas(arrow.unlabelled(table), backend, plan.empty)
        start, step = plan.labels or (0, 1)
        first = start + before * step
        # Without columns pandas has no rows.
        labels = pd.RangeIndex(first, first + table.num_rows * step, step, name=plan.empty.index.name)
        found = found.set_axis(labels, axis=0) if wanted else pd.DataFrame(index=labels)
        names = plan.empty.columns
        found.columns = names.take(names.get_indexer_for(wanted))
        return _settled(found, plan, path)
    return _settled(found[list(wanted)] if list(found.columns) != list(wanted) else found, plan, path)


def _read_some(pieces: list[Piece], plan: Plan, columns: list[Any] | None, only: Condition) -> pd.DataFrame:
    """The rows of a chunk without row groups of which no row meets a condition."""
    kept = [part for piece in pieces for part in _possible(piece, plan, only)]
    path, _, before = pieces[0]
    return read_rows(kept or [(path, (), before)], plan, columns)


def _possible(piece: Piece, plan: Plan, only: Condition) -> list[Piece]:
    """What is left of a piece: a piece for each row of groups that follow each other."""
    path, groups, before = piece
    kept: list[Piece] = []
    last = None
    with _file(path, plan.storage) as file:
        schema, places = file.schema_arrow, statistics.places(file.metadata)
        for g in groups:
            group = file.metadata.row_group(g)
            if statistics.possible(only, partial(statistics.bounds, group, schema, places)):
                if kept and last == g - 1:
                    _, run, first = kept[-1]
                    kept[-1] = (path, (*run, g), first)
                else:
                    kept.append((path, (g,), before))
                last = g
            before += group.num_rows
    return kept


def read_part(where: slice, pieces: list[Piece], plan: Plan, columns: list[Any] | None) -> pd.DataFrame:
    """Some rows of a chunk: row groups before them are not read, and no more is unpacked than that needs."""
    if len(pieces) > 1 or plan.filters is not None or plan.stored:
        return read_rows(pieces, plan, columns).iloc[where]
    ((path, groups, before),) = pieces
    wanted = plan.columns(columns)
    with _file(path, plan.storage) as file:
        sizes = [file.metadata.row_group(g).num_rows for g in groups]
        start, stop, step = where.indices(sum(sizes))
        bounds = [0, *itertools.accumulate(sizes)]
        touched = [i for i, (a, b) in enumerate(itertools.pairwise(bounds)) if a < stop and b > start]
        if step != 1 or not touched:
            return read_rows(pieces, plan, columns).iloc[where]
        position = bounds[touched[0]]
        batches = []
        names, row_groups = list(map(str, wanted)), [groups[i] for i in touched]
        for batch in file.iter_batches(row_groups=row_groups, columns=names, use_threads=False):
            low, high = max(start - position, 0), min(stop - position, len(batch))
            if low < high:
                batches.append(batch.slice(low, high - low))
            position += len(batch)
            if position >= stop:
                break
        table = pyarrow.Table.from_batches(batches)
    return _as_frame(table, before + start, plan, wanted, path)


def _narrow(
    some: list[Any], item: list[Piece], plan: Plan, columns: list[Any] | None, *only: Condition
) -> Any:
    """The arguments that read `some` columns; None where these are all, or not each the name of one."""
    known = plan.columns(columns)
    kept = [name for name in known if name in some]
    if len(kept) == len(known) or not set(some) <= set(known):
        return None
    return (item, plan, kept, *only)


read_rows.part = read_part  # type: ignore[attr-defined]
read_rows.narrow = _read_some.narrow = _narrow  # type: ignore[attr-defined]


def _settled(found: pd.DataFrame, plan: Plan, path: str) -> pd.DataFrame:
    """A file's rows in the dtypes of the first; categories that differ are an error."""
    known = dict(zip(plan.empty.columns, plan.empty.dtypes, strict=True))
    for name, old in zip(found.columns, found.dtypes, strict=True):
        new = known[name]
        if old == new:
            continue
        both = isinstance(old, pd.CategoricalDtype) and isinstance(new, pd.CategoricalDtype)
        if plan.holes.get(name) or (both and set(old.categories) <= set(new.categories)):
            found = found.assign(**{name: found[name].astype(new)})
        elif not both or len(new.categories):  # without any, it is the first reading, which tells them
            raise ArgumentError(
                f"read_parquet: column {name!r} is {new} in the first file and {old} in {path!r}. "
                "Hint: read them apart, astype() them alike, and md.concat."
            )
    return found


def _names_in(filters: Any) -> list[str]:
    groups = filters if filters and isinstance(filters[0], list) else [filters]
    return list(dict.fromkeys(name for group in groups for name, _, _ in group))


def _meta(plan: Data, columns: list[Any] | None = None, only: Condition | None = None) -> FrameMeta:
    held: Plan = plan.value
    empty = held.empty if columns is None else held.empty[columns]
    plain = held.labels == (0, 1) and empty.index.name is None and held.filters is None
    if only is not None:
        return frame_meta(empty, math.nan, NEW)
    return frame_meta(empty, sum(held.lengths), NEW, ranged=plain)


@lowered("parquet", meta=_meta, trim=files.trim)
def parquet(plan: Data, columns: list[Any] | None = None, only: Condition | None = None) -> Chunks:
    """The row groups of parquet files, under the labels that each file stores; `only` those that can meet a condition."""
    held: Plan = plan.value
    if held.rule:
        graph.rule(held.rule)
    if only is not None:
        graph.rule(f"not read: row groups without {pruning.shown(only)}")
        return graph.sources(_read_some, held.chunks, held, columns, only)
    return graph.sources(read_rows, held.chunks, held, columns, lengths=tuple(map(float, held.lengths)))


@public("read_parquet")
def read_parquet(
    path: Any, engine: str = "auto", columns: Any = None, groups_as_chunks: bool = False, use_arrow_dtype: bool | None = None,
    incremental_index: bool = False, storage_options: Any = None, memory_scale: Any = None, merge_small_files: bool = True,
    merge_small_file_options: Any = None, gpu: Any = None, filters: Any = None, **kwargs: Any,
) -> DataFrame:  # fmt: skip
    """A DataFrame of parquet files: a path, glob, directory, URL or list. Lengths are known without a run.

    Chunks are row groups, those together that follow each other up to half of `options.chunk_store_limit` bytes unpacked, or up to
    `merge_small_file_options={"merged_file_size": bytes}` (`groups_as_chunks=True`: each its own). Stored labels are kept; where no
    file stores any, they count on over all files, as they do with `incremental_index=True`. `memory_scale` has no effect.
    """
    check_host("read_parquet", gpu)
    if engine == "fastparquet":
        raise Unbuilt.argument("read_parquet", "engine", engine, "engine='pyarrow' reads the same files.")
    if engine not in ("auto", "pyarrow"):
        raise ArgumentError(f"read_parquet(engine={engine!r}): expected 'auto' or 'pyarrow'.")
    if isinstance(columns, str):
        raise ArgumentTypeError(f"read_parquet(columns={columns!r}): expected a list of columns.")
    known = ("dtype_backend", "filesystem", "use_nullable_dtypes")
    files.check_reading("read_parquet", kwargs, known, memory_scale)
    for name in kwargs.keys() - {"dtype_backend"}:
        raise Unbuilt.argument("read_parquet", name, kwargs[name], "use storage_options= or dtype_backend=.")
    keywords = {**kwargs, "dtype_backend": "pyarrow"} if use_arrow_dtype else kwargs
    merged = (merge_small_file_options or {}).get("merged_file_size")
    merged = None if merged is None else int(merged)
    plan = _plan(
        path, columns, groups_as_chunks, filters, storage_options, keywords, merge_small_files, merged
    )
    made = files.source("parquet", plan, filters)
    anew = (incremental_index and not made.known.ranged) or (not plan.stored and filters is not None)
    return registry.make("frame.renumber", made) if anew else made


@public("DataFrame.to_parquet", owners=["DataFrame"])
def to_parquet(self: Any, path: Any = None, engine: str = "auto", compression: Any = "snappy", index: Any = None,
                partition_cols: Any = None, storage_options: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """Write parquet when executed: a folder with a file per chunk, `0.parquet` on, or a path with `*` for the chunk's number.

    Folders are made. `partition_cols` and other keywords as in pandas with pyarrow.
    """
    if engine not in ("auto", "pyarrow"):
        raise Unbuilt.argument("to_parquet", "engine", engine, "engine='pyarrow'.")
    if partition_cols is not None:
        names = [partition_cols] if isinstance(partition_cols, str) else list(partition_cols)
        if missing := [c for c in names if c not in self.columns]:
            raise ArgumentError(f"to_parquet(partition_cols={partition_cols!r}): {missing} are no columns.")
        kwargs["partition_cols"] = names
    if not all(isinstance(c, str) for c in self.columns):
        raise ArgumentError(
            "parquet must have string column names. Hint: df.columns = df.columns.astype(str)"
        )
    given = {"compression": compression, "index": index, "storage_options": storage_options, **kwargs}
    keywords = {k: v for k, v in given.items() if v is not None or k == "compression"}
    return registry.make("frame.write_parquet", self, files.check_path("to_parquet", path), keywords)


@lowered("frame.write_parquet", meta=files.written_meta)
def write_parquet(frame: Chunks, path: str, keywords: dict[str, Any]) -> Chunks:
    """A file per chunk: `*` in the path is its number, else the path is a folder."""
    if frame.count > 1 and "index" not in keywords and not frame.meta.ranged:
        # A range of labels pandas tells beside the columns; of several files it reads that as 0..n-1.
        keywords = {**keywords, "index": True}
    return graph.per_chunk(
        _parquet_file, settled(frame), path, keywords, frame.count, number=True, lengths=(0.0,) * frame.count
    )


def _parquet_file(
    number: int, chunk: pd.DataFrame, path: str, keywords: dict[str, Any], count: int
) -> pd.DataFrame:
    several, parted = "*" in path, "partition_cols" in keywords
    files.make_folder(os.path.dirname(path) if several else path, keywords.get("storage_options"))
    name = path.replace("*", str(number))
    if not several and not parted:
        name = f"{path.rstrip('/')}/{number:0{len(str(count - 1))}}.parquet"
    if parted:
        keywords = {**keywords, "basename_template": f"{number}-{{i}}.parquet"}
        keywords["existing_data_behavior"] = "overwrite_or_ignore"
    chunk.to_parquet(name, engine="pyarrow", **keywords)
    return chunk.iloc[:0]
