"""`to_csv` and `to_parquet`: lazy, written when they run; the result is an empty frame."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import pandas as pd

from marsdask.dataframe.files import paths as files
from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, Rows, frame_meta
from marsdask.plan.registry import lowered, public


def _written_meta(frame: FrameMeta, *rest: Any) -> FrameMeta:
    return frame_meta(frame.empty, 0, Rows())


def _check_path(name: str, path: Any, argument: str = "path") -> str:
    if path is None:
        raise Unbuilt.argument(name, argument, path, f"df.to_pandas().{name}() gives the text.")
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(
            f"{name}({argument}={path!r}): expected a path or URL; `*` in it makes a file per chunk."
        )
    return os.fspath(path)


def _check_keywords(name: str, keywords: dict[str, Any], known: Any) -> None:
    for keyword in keywords:
        if keyword not in known:
            raise ArgumentTypeError.unknown_keyword(name, keyword, known)


def _make_folder(path: str, storage: Any) -> None:
    if files.is_remote(path):
        fs, inside = files.filesystem(path, storage)
        fs.makedirs(inside, exist_ok=True)
    else:
        Path(path).mkdir(parents=True, exist_ok=True)


def _parent(path: str) -> str:
    return path.rpartition("/")[0] if files.is_remote(path) else str(Path(path).parent)


# CSV ------------------------------------------------------------------------------------------------------------------

CSV_KEYWORDS = tuple(
    p for p in inspect.signature(pd.DataFrame.to_csv).parameters if p not in ("self", "path_or_buf")
)


@public("frame.to_csv", owners=["DataFrame", "Series"])
def to_csv(self: Any, path: Any = None, **kwargs: Any) -> Any:
    """Write CSV when executed: one file, or with `*` in the path a file per chunk (its number in the place of `*`).

    Folders are made. Takes pandas' keywords.
    """
    keywords = dict(kwargs)
    if "line_terminator" in keywords:
        keywords["lineterminator"] = keywords.pop("line_terminator")
    _check_keywords("to_csv", keywords, CSV_KEYWORDS)
    return registry.make("frame.write_csv", self, _check_path("to_csv", path), keywords)


@lowered("frame.write_csv", meta=_written_meta)
def write_csv(frame: Chunks, path: str, keywords: dict[str, Any]) -> Chunks:
    """A file per chunk where the path has a `*`, else one file, chunk after chunk."""
    if "*" in path:
        return graph.per_chunk(_csv_file, frame, path, keywords, number=True, lengths=(0.0,) * frame.count)
    texts = graph.per_chunk(_csv_text, frame, keywords, number=True, lengths=None)
    if files.compression_of(path, keywords.get("compression", "infer")) is not None or files.is_remote(path):
        graph.rule("a packed or remote file is written in one task")
        return graph.value(
            _write_whole, texts, graph.per_chunk(_none_of, frame), path, keywords
        ).with_lengths((0.0,))
    return _last(graph.in_turn(_Append(path, keywords), texts), frame)


def _last(done: Chunks, frame: Chunks) -> Chunks:
    last = graph.chosen(done, [done.count - 1])
    return graph.per_chunk(_after, graph.chosen(frame, [0]), last, lengths=(0.0,))


def _after(chunk: Any, done: Any) -> Any:
    return chunk.iloc[:0]


def _none_of(chunk: Any) -> Any:
    return chunk.iloc[:0]


def _csv_file(number: int, chunk: Any, path: str, keywords: dict[str, Any]) -> Any:
    _make_folder(_parent(path), keywords.get("storage_options"))
    chunk.to_csv(path.replace("*", str(number)), **keywords)
    return chunk.iloc[:0]


def _csv_text(number: int, chunk: Any, keywords: dict[str, Any]) -> str:
    own = {
        k: v
        for k, v in keywords.items()
        if k not in ("compression", "storage_options", "mode", "encoding", "errors")
    }
    if number:
        own["header"] = False
    return chunk.to_csv(**own)  # type: ignore[no-any-return]


class _Append:
    """Writes texts to one file, one after another; the first by the mode asked for."""

    def __init__(self, path: str, keywords: dict[str, Any]):
        self.path, self.keywords = path, keywords

    def __call__(self, text: str, before: Any) -> bool:
        mode = self.keywords.get("mode", "w") if before is None else "a"
        _make_folder(_parent(self.path), None)
        with open(self.path, mode, encoding=self.keywords.get("encoding") or "utf-8", newline="",
                  errors=self.keywords.get("errors", "strict")) as file:  # fmt: skip
            file.write(text)
        return True


def _write_whole(texts: list[str], empties: list[Any], path: str, keywords: dict[str, Any]) -> Any:
    import fsspec

    storage = keywords.get("storage_options")
    _make_folder(_parent(path), storage)
    packing = files.compression_of(path, keywords.get("compression", "infer"))
    packing = packing["method"] if isinstance(packing, dict) else packing
    with fsspec.open(path, keywords.get("mode", "w") + "t", encoding=keywords.get("encoding") or "utf-8", newline="",
                     compression=packing, **(storage or {})) as file:  # fmt: skip
        file.write("".join(texts))
    return empties[0]


# Parquet --------------------------------------------------------------------------------------------------------------


@public("DataFrame.to_parquet", owners=["DataFrame"])
def to_parquet(self: Any, path: Any = None, engine: str = "auto", compression: Any = "snappy", index: Any = None,
                partition_cols: Any = None, storage_options: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """Write parquet when executed: a folder with a file per chunk, `0.parquet` on, or a path with `*` for the chunk's number.

    Folders are made. `partition_cols` and other keywords as in pandas with pyarrow.
    """
    if engine not in ("auto", "pyarrow"):
        raise Unbuilt.argument("to_parquet", "engine", engine, "engine='pyarrow'.")
    if partition_cols is not None:
        missing = [
            c
            for c in ([partition_cols] if isinstance(partition_cols, str) else partition_cols)
            if c not in self.columns
        ]
        if missing:
            raise ArgumentError(f"to_parquet(partition_cols={partition_cols!r}): {missing} are no columns.")
    if not all(isinstance(c, str) for c in self.columns):
        raise ArgumentError(
            "parquet must have string column names. Hint: df.columns = df.columns.astype(str)"
        )
    keywords = {
        "compression": compression,
        "index": index,
        "storage_options": storage_options,
        **kwargs,
    }
    keywords = {k: v for k, v in keywords.items() if v is not None or k == "compression"}
    if partition_cols is not None:
        keywords["partition_cols"] = (
            [partition_cols] if isinstance(partition_cols, str) else list(partition_cols)
        )
    return registry.make("frame.write_parquet", self, _check_path("to_parquet", path), keywords)


@lowered("frame.write_parquet", meta=_written_meta)
def write_parquet(frame: Chunks, path: str, keywords: dict[str, Any]) -> Chunks:
    """A file per chunk: `*` in the path is its number, else the path is a folder."""
    return graph.per_chunk(
        _parquet_file, frame, path, keywords, frame.count, number=True, lengths=(0.0,) * frame.count
    )


def _parquet_file(
    number: int, chunk: pd.DataFrame, path: str, keywords: dict[str, Any], count: int
) -> pd.DataFrame:
    storage = keywords.get("storage_options")
    partitions = "partition_cols" in keywords
    if "*" in path:
        name = path.replace("*", str(number))
        _make_folder(_parent(path), storage)
    else:
        _make_folder(path, storage)
        name = path if partitions else f"{path.rstrip('/')}/{number:0{len(str(count - 1))}}.parquet"
    extra = (
        {"basename_template": f"{number}-{{i}}.parquet", "existing_data_behavior": "overwrite_or_ignore"}
        if partitions
        else {}
    )
    chunk.to_parquet(name, engine="pyarrow", **keywords, **extra)
    return chunk.iloc[:0]
