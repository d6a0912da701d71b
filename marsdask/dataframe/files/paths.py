"""Files by paths, globs, lists, directories and URLs, on this machine or through fsspec; and what all formats share."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from dask.tokenize import tokenize

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, MissingFile, Unbuilt
from marsdask.plan import registry
from marsdask.plan.meta import FrameMeta, Rows, frame_meta
from marsdask.plan.node import Data, Node
from marsdask.plan.passes import Demand

HIDDEN = (".", "_")


def is_remote(path: str) -> bool:
    """Whether a path is a URL that fsspec opens."""
    return "://" in path


def filesystem(path: str, storage_options: dict[str, Any] | None) -> tuple[Any, str]:
    """The fsspec file system of a path, and the path inside it."""
    import fsspec

    return fsspec.core.url_to_fs(path, **(storage_options or {}))  # type: ignore[no-any-return]


def expand(path: Any, storage_options: dict[str, Any] | None = None) -> list[str]:
    """The files a path, glob, directory, URL or list of them names, in order. MissingFile where there is none."""
    if isinstance(path, (list, tuple)):
        if not path:
            raise MissingFile("path=[]: an empty list names no file.")
        return [p for each in path for p in expand(each, storage_options)]
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"path={path!r}: expected a path, a glob, a URL or a list of them.")
    text = os.fspath(path)
    found = _remote(text, storage_options) if is_remote(text) else _local(os.path.expanduser(text))
    if not found:
        folder = Path(text).parent
        near = f" The folder {str(folder)!r} exists." if not is_remote(text) and folder.is_dir() else ""
        raise MissingFile(f"path={text!r}: no such file, and no file matches.{near}")
    return found


def _local(text: str) -> list[str]:
    if os.path.isdir(text):
        return sorted(str(p) for p in Path(text).rglob("*") if p.is_file() and not p.name.startswith(HIDDEN))
    if os.path.exists(text):
        return [text]
    return sorted(filter(os.path.isfile, glob.glob(text, recursive=True))) if glob.has_magic(text) else []


def _remote(text: str, storage_options: dict[str, Any] | None) -> list[str]:
    fs, inside = filesystem(text, storage_options)
    if "*" in inside or "?" in inside:
        names = sorted(fs.glob(inside))
    elif fs.isdir(inside):
        names = [n for n in sorted(fs.find(inside)) if not n.rpartition("/")[2].startswith(HIDDEN)]
    elif fs.exists(inside):
        return [text]
    else:
        return []
    return [fs.unstrip_protocol(n) for n in names]


def size_of(path: str, storage_options: dict[str, Any] | None = None) -> tuple[int, Any]:
    """Bytes of a file, and what changes when it is written anew."""
    if is_remote(path):
        fs, inside = filesystem(path, storage_options)
        info = fs.info(inside)
        stamps = map(info.get, ("mtime", "ETag", "LastModified"))
        return int(info.get("size") or 0), str(next(filter(None, stamps), ""))
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def read_bytes(path: str, start: int, stop: int, storage_options: dict[str, Any] | None = None) -> bytes:
    """Some bytes of a file."""
    with open_binary(path, storage_options) as file:
        file.seek(start)
        return file.read(stop - start)  # type: ignore[no-any-return]


def open_binary(path: str, storage_options: dict[str, Any] | None = None) -> Any:
    """A file opened for reading bytes."""
    if not is_remote(path):
        return open(path, "rb")
    fs, inside = filesystem(path, storage_options)
    return fs.open(inside, "rb")


def compression_of(path: str, compression: Any) -> Any:
    """The compression of a file as pandas infers it; None for a plain one."""
    return pd.io.common.infer_compression(path, "infer") if compression == "infer" else compression


def make_folder(path: str, storage: Any) -> None:
    """A folder, with those above it, where there is none."""
    if is_remote(path):
        fs, inside = filesystem(path, storage)
        fs.makedirs(inside, exist_ok=True)
    else:
        Path(path).mkdir(parents=True, exist_ok=True)


def check_keywords(function: str, keywords: Iterable[str], known: Iterable[str]) -> None:
    """An error for a keyword that a function does not know."""
    for keyword in keywords:
        if keyword not in known:
            raise ArgumentTypeError.unknown_keyword(function, keyword, known)


def check_reading(function: str, keywords: Iterable[str], pandas: Iterable[str], memory_scale: Any) -> None:
    """What all that read check: keywords that pandas takes, and Mars's `memory_scale`, which has no effect."""
    own = [name for name in registry.lookup(function).signature.parameters if name != "kwargs"]
    check_keywords(function, keywords, (*pandas, *own))
    if memory_scale is not None and (not isinstance(memory_scale, (int, float)) or memory_scale <= 0):
        raise ArgumentError(f"{function}(memory_scale={memory_scale!r}): expected a number above 0.")


def source(operation: str, plan: Any, *more: Any) -> Any:
    """A handle on what a plan reads, known by the plan and by when its files were written."""
    paths = dict.fromkeys(piece[0] for chunk in plan.chunks for piece in chunk)
    stamps = [size_of(path, plan.storage) for path in paths]
    key = tokenize(plan.chunks, stamps, plan.keywords, plan.storage, plan.empty, *more)
    return registry.wrap(Node(operation, (Data(plan, key), None)))


def trim(node: Node, mine: Demand) -> Node:
    """Reading without the columns nobody looks at."""
    plan, columns = node.args[0].value, node.args[1]
    if mine.columns is None or not plan.prunable:
        return node
    before = list(plan.empty.columns) if columns is None else columns
    kept = [c for c in before if c in mine.columns]
    return node if len(kept) == len(before) else Node(node.op, (node.args[0], kept))


def check_path(function: str, path: Any) -> str:
    """A path to write to."""
    if path is None:
        raise Unbuilt.argument(function, "path", path, f"df.to_pandas().{function}() gives the text.")
    expected = "a path or URL; `*` in it makes a file per chunk"
    return checks.path(path, f"{function}(path=)", expected)


def written_meta(frame: FrameMeta, *how: Any) -> FrameMeta:
    """What writing gives: the frame without rows."""
    return frame_meta(frame.made, 0, Rows())
