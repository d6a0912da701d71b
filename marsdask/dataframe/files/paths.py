"""Files to read: paths, globs, lists, directories and URLs, on this machine or through fsspec."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from marsdask.errors import ArgumentTypeError, MissingFile

COMPRESSED = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".zip": "zip",
    ".xz": "xz",
    ".zst": "zstd",
    ".tar": "tar",
    ".tgz": "tar",
}


def is_remote(path: str) -> bool:
    """Whether a path is a URL that fsspec opens."""
    return "://" in path


def filesystem(path: str, storage_options: dict[str, Any] | None) -> tuple[Any, str]:
    """The fsspec file system of a path, and the path inside it."""
    import fsspec

    fs, inside = fsspec.core.url_to_fs(path, **(storage_options or {}))
    return fs, inside


def expand(
    path: Any,
    storage_options: dict[str, Any] | None = None,
    *,
    suffixes: Iterable[str] = (),
    what: str = "path",
) -> list[str]:
    """The files a path, glob, directory, URL or list of them names, in order. MissingFile where there is none."""
    if isinstance(path, (list, tuple)):
        if not path:
            raise MissingFile(f"{what}=[]: an empty list names no file.")
        return [p for each in path for p in expand(each, storage_options, suffixes=suffixes, what=what)]
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{what}={path!r}: expected a path, a glob, a URL or a list of them.")
    text = os.fspath(path) if not isinstance(path, str) else path
    found = (
        _remote(text, storage_options, suffixes)
        if is_remote(text)
        else _local(os.path.expanduser(text), suffixes)
    )
    if not found:
        near = (
            f" The folder {str(Path(text).parent)!r} exists."
            if not is_remote(text) and Path(text).parent.is_dir()
            else ""
        )
        raise MissingFile(f"{what}={text!r}: no such file, and no file matches.{near}")
    return found


def _local(text: str, suffixes: Iterable[str]) -> list[str]:
    if os.path.isdir(text):
        return sorted(str(p) for p in Path(text).rglob("*") if p.is_file() and _wanted(p.name, suffixes))
    if os.path.exists(text):
        return [text]
    import glob

    return (
        sorted(p for p in glob.glob(text, recursive=True) if os.path.isfile(p))
        if glob.has_magic(text)
        else []
    )


def _wanted(name: str, suffixes: Iterable[str]) -> bool:
    if name.startswith((".", "_")):
        return False
    suffixes = tuple(suffixes)
    return not suffixes or name.lower().endswith(suffixes)


def _remote(text: str, storage_options: dict[str, Any] | None, suffixes: Iterable[str]) -> list[str]:
    fs, inside = filesystem(text, storage_options)
    if "*" in inside or "?" in inside:
        names = sorted(fs.glob(inside))
    elif fs.isdir(inside):
        names = [n for n in sorted(fs.find(inside)) if _wanted(n.rpartition("/")[2], suffixes)]
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
        return int(info.get("size") or 0), str(
            info.get("mtime") or info.get("ETag") or info.get("LastModified") or ""
        )
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
    if compression == "infer":
        lower = path.lower()
        return next((c for suffix, c in COMPRESSED.items() if lower.endswith(suffix)), None)
    return compression
