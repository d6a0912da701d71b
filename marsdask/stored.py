"""Files that are there whole or not at all, and are read only if nothing in them has changed.

A file's content is followed by an ending: a line of JSON with its checksum and other facts, the length of that line, and
`MAGIC`. Readers of formats that say themselves where they end, as `numpy.load` and `pickle.load`, read such files as they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAGIC = b"marsdask"
PART = ".part"
UNREADY = re.compile(rf"\.[0-9a-f]{{32}}{re.escape(PART)}$")
"""The end of a file's name while it is being written."""
ABANDONED = 3600.0
"""Seconds after which an unready file is taken for one whose writer died; another program may be writing a younger one."""


@dataclass(frozen=True)
class Whole:
    """A file as it was written: its content and what its ending says of it."""

    body: memoryview
    facts: dict[str, Any]


@dataclass(frozen=True)
class Broken:
    """A file that is not as it was written, and why."""

    reason: str


def checksum(body: Any) -> str:
    """A checksum of bytes."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def with_ending(body: bytes | memoryview, facts: Mapping[str, Any]) -> bytes:
    """Content with an ending that has these facts in it, by which it is known to be whole.

    >>> without_ending(with_ending(b"abc", {"number": 1})).facts["number"]
    1
    """
    line = json.dumps({**facts, "sum": checksum(body)}).encode()
    return b"".join((body, line, f"{len(line):08x}".encode(), MAGIC))


def without_ending(content: bytes) -> Whole | Broken:
    """The content of a file that has such an ending."""
    whole = memoryview(content)
    size = len(whole) - len(MAGIC)
    if size < 8 or bytes(whole[size:]) != MAGIC:
        return Broken("the end of the file is missing")
    try:
        start = size - 8 - int(bytes(whole[size - 8 : size]), 16)
        facts = json.loads(bytes(whole[max(start, 0) : size - 8]))
        said = facts["sum"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return Broken("the end of the file has changed")
    if start < 0 or said != checksum(whole[:start]):
        return Broken("its content has changed since it was written")
    return Whole(whole[:start], facts)


def speaks(fs: Any, protocol: str) -> bool:
    """Whether a file system is the one of that protocol."""
    return protocol in (fs.protocol if isinstance(fs.protocol, tuple) else (fs.protocol,))


OBJECT_STORES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl")
"""Protocols of stores without folders: a file's name has slashes, and what one puts there is there whole."""
CREATING = ("s3", "gs")
"""Those whose fsspec file systems can put what is not there yet, and no more (if-none-match, if-generation-match)."""


def is_object_store(fs: Any) -> bool:
    """Whether a file system is one of files without folders."""
    return any(speaks(fs, protocol) for protocol in OBJECT_STORES)


def get(fs: Any, path: str, *, large: bool = True) -> bytes:
    """What is in a file; FileNotFoundError where there is none. `large`: it may be worth more requests than one. On this machine without fsspec's wrappings: 60 us of 110."""
    if speaks(fs, "file"):
        with open(path, "rb") as file:
            return file.read()
    return bytes(fs.cat_file(path, **({} if large else at_once(fs))))


def at_once(fs: Any) -> dict[str, Any]:
    """What to ask for a file with, so that it comes in one request: s3fs asks for its size first, to read parts side by side, and
    lists its folder where there is no such file."""
    return {"max_concurrency": 1} if speaks(fs, "s3") else {}


class NoRoom(OSError):
    """A file that could not be written; `size` bytes were to go to `path`, where `free` are free, None where nobody knows."""

    def __init__(self, path: str, size: int, free: int | None, error: OSError):
        super().__init__(error.errno, error.strerror or str(error), path)
        self.path, self.size, self.free, self.error = path, size, free, error


def put(fs: Any, path: str, content: bytes, *, sure: bool = True, new: bool = False) -> None:
    """Write a file that is there whole, or not at all; `sure`: and is still there when the machine loses its power.

    `new`: raise FileExistsError where there is one, on those object stores that can tell; elsewhere the last writer wins.
    Object stores put whole objects; to rename there is to copy and delete. On this machine's disks a file is written under
    another name in the same folder first, for a rename from elsewhere may be a copy. Raises NoRoom where the disk is full or fails.
    """
    if not speaks(fs, "file"):
        if new and any(speaks(fs, protocol) for protocol in CREATING):
            try:
                fs.pipe_file(path, content, mode="create")
                return
            except FileExistsError:
                raise
            except Exception:  # noqa: BLE001 - a store that knows no conditions, or answers that another is writing
                pass
        fs.pipe_file(path, content)
        return
    part = f"{path}.{uuid.uuid4().hex}{PART}"
    try:
        with open(part, "wb") as file:
            file.write(content)
            if sure:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(part)
        if error.filename is not None:  # it says which
            raise
        free = None
        with contextlib.suppress(OSError):
            free = shutil.disk_usage(os.path.dirname(path)).free
        raise NoRoom(path, len(content), free, error) from error
