"""Chunks in files: one file each, written whole or not at all, and read only if nothing in them has changed.

A file is the chunk (NumPy's `.npy` format, or a pickle where that cannot hold it), then a line of JSON with a checksum,
then the length of that line. `numpy.load` and `pickle.load` read such files, for they stop where the chunk ends.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cloudpickle
import numpy as np

from marsdask.errors import BadCheckpoint, CheckpointDamaged

MAGIC = b"marsdask"
NPY = b"\x93NUMPY"
MANIFEST = "manifest.json"
PART = ".part"


@dataclass(frozen=True)
class Folder:
    """A folder of chunks of one expression, on any file system that fsspec knows."""

    url: str
    storage_options: Mapping[str, Any] | None
    signature: str

    @property
    def fs(self) -> Any:
        return filesystem(self.url, self.storage_options)[0]

    @property
    def inside(self) -> str:
        return str(filesystem(self.url, self.storage_options)[1]).rstrip("/")

    def path(self, number: int) -> str:
        return f"{self.inside}/chunk-{number:06d}"

    def write(self, number: int, chunk: Any) -> Any:
        """The chunk, after it was written."""
        body = encoded(chunk)
        place = {"chunk": number, "signature": self.signature}
        line = json.dumps({**place, "shape": list(np.shape(chunk)), "sum": _sum(body)}).encode()
        put(self.fs, self.path(number), b"".join((body, line, f"{len(line):08x}".encode(), MAGIC)))
        return chunk

    def load(self, number: int) -> Any:
        """The chunk of that number; CheckpointDamaged if it is not there as it was written."""
        return decoded(self._parts(number)[0])

    def shape(self, number: int) -> tuple[int, ...] | None:
        """The shape of the chunk in a file that is sound; None for another."""
        try:
            _, facts = self._parts(number)
        except CheckpointDamaged:
            return None
        return tuple(facts["shape"])

    def _parts(self, number: int) -> tuple[memoryview, dict[str, Any]]:
        path = self.path(number)
        try:
            whole = memoryview(self.fs.cat_file(path))
        except FileNotFoundError:
            raise CheckpointDamaged.of(path, "there is no such file") from None
        size = len(whole) - len(MAGIC)
        if size < 8 or bytes(whole[size:]) != MAGIC:
            raise CheckpointDamaged.of(path, "the end of the file is missing")
        try:
            start = size - 8 - int(bytes(whole[size - 8 : size]), 16)
            facts = json.loads(bytes(whole[max(start, 0) : size - 8]))
            named = (facts["chunk"], facts["signature"], facts["sum"])
        except (ValueError, KeyError, TypeError):
            raise CheckpointDamaged.of(path, "the end of the file has changed") from None
        if named[:2] != (number, self.signature):
            raise CheckpointDamaged.of(path, "it is a chunk of another checkpoint")
        body = whole[:start]
        if named[2] != _sum(body):
            raise CheckpointDamaged.of(path, "its content has changed since it was written")
        return body, facts

    def present(self) -> set[int]:
        """The numbers of the chunks that have a file."""
        self.fs.invalidate_cache()
        return {n for _, name in self._files() if (n := _number(name)) is not None}

    def _files(self) -> list[tuple[Any, str]]:
        """What is in the folder, with its name there."""
        return [(path, str(path).rpartition("/")[2]) for path in self.fs.ls(self.inside, detail=False)]

    def manifest(self) -> dict[str, Any] | None:
        """What the folder says of itself; None where it says nothing."""
        try:
            found = json.loads(self.fs.cat_file(f"{self.inside}/{MANIFEST}"))
        except FileNotFoundError:
            return None
        except ValueError:
            found = None
        if not isinstance(found, dict) or "expression" not in found:
            raise BadCheckpoint.at(
                self.url, f"{MANIFEST} in it is not one of a checkpoint", "choose another path"
            )
        return found

    def note(self, manifest: dict[str, Any]) -> None:
        put(self.fs, f"{self.inside}/{MANIFEST}", json.dumps(manifest, indent=1).encode())

    def tidy(self) -> None:
        """Remove what writers that died have left."""
        for path, name in self._files():
            if name.endswith(PART):
                self.fs.rm_file(path)

    def clear(self) -> None:
        """Remove the files of a checkpoint, and nothing else."""
        self.tidy()
        for path, name in self._files():
            if name == MANIFEST or _number(name) is not None:
                self.fs.rm_file(path)


def _number(name: str) -> int | None:
    """The number of a chunk's file; None for another file."""
    number = name.removeprefix("chunk-")
    return int(number) if number != name and number.isdigit() else None


def filesystem(url: str, storage_options: Mapping[str, Any] | None) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path inside it."""
    from fsspec.core import url_to_fs

    fs, inside = url_to_fs(url, **(storage_options or {}))
    return fs, str(inside)


def speaks(fs: Any, protocol: str) -> bool:
    """Whether a file system is the one of that protocol."""
    return protocol in (fs.protocol if isinstance(fs.protocol, tuple) else (fs.protocol,))


def put(fs: Any, path: str, content: bytes) -> None:
    """Write a file that is there whole, or not at all.

    Object stores put whole objects; to rename there is to copy and delete. On this machine's disks a file is written under
    another name in the same folder first, for a rename from elsewhere may be a copy.
    """
    if not speaks(fs, "file"):
        fs.pipe_file(path, content)
        return
    part = f"{path}.{uuid.uuid4().hex}{PART}"
    with open(part, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def encoded(chunk: Any) -> bytes | memoryview:
    if type(chunk) is np.ndarray and not chunk.dtype.hasobject and not chunk.dtype.metadata:
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, chunk, allow_pickle=False)
        return buffer.getbuffer()
    return bytes(cloudpickle.dumps(chunk))


def decoded(body: memoryview) -> Any:
    if bytes(body[: len(NPY)]) == NPY:
        return np.lib.format.read_array(io.BytesIO(body), allow_pickle=False)
    return pickle.loads(body)


def _sum(body: Any) -> str:
    return hashlib.blake2b(body, digest_size=16).hexdigest()
